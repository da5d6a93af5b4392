"""Commands, buttons and forms in a simulated Discord: offered, permitted and shown to whoever uses them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from simcord import SetupError

from pipeline.conversation import Verdict
from tests.fakes.library import document
from tests.fakes.pipeline import answer, citation
from tests.integration.adapters.discord.simulated import Simulated
from tests.integration.adapters.discord.watching import signs, whispered

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


CITED = answer("Five working days [1].", citations=[citation("1", name="refunds.md")])
QUESTION = "how long does a refund take?"
FULL = "All plans count. Refunds are paid within five days. Ask the accounts team."
REFUNDS = ("refunds.md", b"Refunds take five working days.")


@pytest.fixture
async def sim() -> AsyncIterator[Simulated]:
    async with Simulated(CITED).open() as sim:
        yield sim


async def test_everybody_is_offered_what_they_may_use(sim: Simulated) -> None:
    plain = {"ask", "docs", "forget", "help", "reset", "status", "upload", "why"}

    assert set(sim.anna.available_commands(sim.general)) == plain
    assert set(sim.mia.available_commands(sim.general)) == plain | {"settings"}


async def test_a_question_by_command_stands_in_the_channel_and_is_answered_in_its_thread(
    sim: Simulated,
) -> None:
    used = await sim.anna.slash(sim.general, "ask", question=QUESTION)

    assert used.response is not None
    assert not used.response.ephemeral
    assert used.response.content == f"**anna** asks:\n\n> {QUESTION}"
    assert sim.asked == [QUESTION]
    assert sim.thread().name == QUESTION
    assert sim.thread().id == used.response.id
    assert "Five working days [1]." in sim.said(sim.thread())[-1].content


async def test_a_question_by_command_in_a_thread_goes_on_there(sim: Simulated) -> None:
    await sim.ask(QUESTION)

    await sim.ben.slash(sim.thread(), "ask", question="and how much is it?")

    assert sim.asked == [QUESTION, "and how much is it?"]
    assert len(sim.general.threads) == 1


async def test_nobody_is_pinged_by_what_somebody_else_lets_the_bot_say(sim: Simulated) -> None:
    hostile = f"@everyone <@{sim.ben.id}> <@&{sim.guild.default_role.id}>"

    used = await sim.mia.slash(sim.general, "ask", question=f"{hostile}, how long?")
    refused = await sim.mia.slash(sim.general, "forget", document=hostile)

    assert used.response is not None
    assert used.response.message.mentions == []
    assert "@everyone" not in used.response.content
    assert "@everyone" not in whispered(refused)
    assert "@everyone" not in sim.said(sim.thread())[-1].content


async def test_documents_are_listed_for_whoever_asks(sim: Simulated) -> None:
    empty = await sim.ben.slash(sim.general, "docs")
    await sim.upload(REFUNDS)
    full = await sim.ben.slash(sim.general, "docs")

    assert "no documents yet" in whispered(empty)
    assert "refunds.md" in whispered(full)


async def test_names_are_completed_in_the_channel_whose_documents_they_are(sim: Simulated) -> None:
    await sim.upload(REFUNDS)
    await sim.upload(("prices.csv", b"plan,price"))
    other = sim.channel("sales")

    offered = await sim.anna.autocomplete(sim.general, "forget", "document", "refu")

    assert [(one["name"], one["value"]) for one in offered] == [("refunds.md", "d1")]
    assert len(await sim.anna.autocomplete(sim.general, "forget", "document", "")) == 2
    assert await sim.anna.autocomplete(other, "forget", "document", "") == []


async def test_names_are_completed_by_twentyfive_at_most(sim: Simulated) -> None:
    sim.library.put(sim.scope, *(document(f"d{number}", "x" * 150) for number in range(40)))

    offered = await sim.anna.autocomplete(sim.general, "forget", "document", "")

    assert len(offered) == 25
    assert max(len(one["name"]) for one in offered) <= 100


async def test_a_document_is_forgotten_for_its_uploader_and_managers_alone(sim: Simulated) -> None:
    await sim.upload(REFUNDS)
    await sim.upload(("prices.csv", b"plan,price"))

    await sim.ben.slash(sim.general, "forget", document="d1")
    assert sim.names == ["refunds.md", "prices.csv"]
    mine = await sim.anna.slash(sim.general, "forget", document="d1")
    managed = await sim.mia.slash(sim.general, "forget", document="d2")

    assert "Forgotten: refunds.md" in whispered(mine)
    assert "Forgotten: prices.csv" in whispered(managed)
    assert sim.names == []


async def test_everything_is_forgotten_for_managers_alone(sim: Simulated) -> None:
    await sim.upload(REFUNDS)

    await sim.ben.slash(sim.general, "forget", document="all")
    assert sim.names == ["refunds.md"]
    await sim.mia.slash(sim.general, "forget", document="all")
    assert sim.names == []


async def test_the_status_names_what_the_bot_lacks(sim: Simulated) -> None:
    narrow = sim.channel("narrow", send_messages_in_threads=False)

    lacking = whispered(await sim.ben.slash(narrow, "status"))
    whole = whispered(await sim.ben.slash(sim.general, "status"))

    assert "**Send Messages in Threads**" in lacking
    assert "Status of this channel" in whole
    assert "not permitted" not in whole


async def test_a_plain_member_may_not_change_how_the_bot_behaves(sim: Simulated) -> None:
    with pytest.raises(SetupError, match="not visible"):
        await sim.ben.slash(sim.general, "settings", **{"follow-ups": "always"})

    # whoever manages the server may open a command to all: then the bot itself minds who changes something
    offered = sim.env.backend.find_command("settings", None, type=1)
    assert offered is not None
    sim.guild.set_command_permissions(int(offered["id"]), {sim.ben: True})
    refused = await sim.ben.slash(sim.general, "settings", **{"follow-ups": "always"})

    assert "Settings can be changed only by" in whispered(refused)
    assert sim.preferences.kept == {}


async def test_who_manages_a_channel_chooses_whose_follow_ups_are_answered(sim: Simulated) -> None:
    await sim.ask(QUESTION)
    await sim.ben.send(sim.thread(), "and for a yearly plan?")
    assert sim.asked == [QUESTION]

    changed = await sim.mia.slash(sim.general, "settings", **{"follow-ups": "always"})
    await sim.ben.send(sim.thread(), "and for a yearly plan, please?")

    assert "`follow-ups` is `always` from now on" in whispered(changed)
    assert sim.asked == [QUESTION, "and for a yearly plan, please?"]


async def test_a_thread_begins_anew_by_command(sim: Simulated) -> None:
    await sim.ask(QUESTION)

    here = await sim.ben.slash(sim.thread(), "reset")
    everywhere = await sim.anna.slash(sim.general, "reset")

    assert "This thread begins anew" in whispered(here)
    assert "1 thread of this channel" in whispered(everywhere)
    assert sim.journal.resets == [(sim.scope.key, str(sim.thread().id))] * 2


async def test_commands_serve_in_a_direct_conversation(sim: Simulated) -> None:
    await sim.anna.send_dm("how long?")

    assert "no documents yet" in whispered(await sim.anna.user.slash("docs"))
    assert "`/forget document:ID`" in whispered(await sim.anna.user.slash("help"))


async def test_a_good_answer_is_praised_by_its_button(sim: Simulated) -> None:
    shown = await sim.ask(QUESTION)

    assert "Thank you" in whispered(await sim.ben.click(shown, label="👍"))
    assert opinions(sim) == [(Verdict.UP, None, str(sim.ben.id))]


async def test_a_bad_answer_is_judged_at_once_and_explained_in_a_form(sim: Simulated) -> None:
    shown = await sim.ask(QUESTION)

    judged = await sim.ben.click(shown, label="👎")
    assert judged.modal is not None
    assert judged.modal["title"] == "What was wrong?"
    assert opinions(sim) == [(Verdict.DOWN, None, str(sim.ben.id))]

    sent = await sim.ben.submit_modal(judged, {"text": "It is ten days."})
    assert "noted what was wrong" in whispered(sent)
    assert opinions(sim)[1:] == [(Verdict.DOWN, "It is ten days.", str(sim.ben.id))]


async def test_the_passages_and_the_story_of_an_answer_are_shown_to_whoever_wants_them(
    sim: Simulated,
) -> None:
    sim.library.texts[sim.scope.key, "d1-1"] = FULL
    shown = await sim.ask(QUESTION)

    sources = whispered(await sim.ben.click(shown, label="Sources"))
    why = whispered(await sim.ben.click(shown, label="Why this answer"))

    assert "refunds.md" in sources
    assert FULL in sources
    assert "How this answer came about" in why
    assert len(sim.said(sim.thread())) == 1


async def test_what_one_is_shown_alone_may_be_longer_than_a_message(sim: Simulated) -> None:
    sim.library.put(sim.scope, *(document(f"d{number}", f"{'x' * 70}.{number}") for number in range(40)))

    used = await sim.ben.slash(sim.general, "docs")

    assert len(used.followups) >= 1
    assert all(f".{number}" in whispered(used) for number in range(40))


async def test_buttons_serve_after_a_restart(sim: Simulated) -> None:
    shown = await sim.ask(QUESTION)
    judged = await sim.anna.click(shown, label="👎")

    await sim.restart()

    assert "refunds.md" in whispered(await sim.ben.click(shown, label="Sources"))
    assert "Thank you" in whispered(await sim.ben.click(shown, label="👍"))
    sent = await sim.anna.submit_modal(judged, {"text": "It is ten days."})
    assert "noted what was wrong" in whispered(sent)
    again = await sim.anna.send(sim.thread(), "and for a yearly plan?")
    assert sim.asked == [QUESTION, "and for a yearly plan?"]
    assert signs(again) == []


async def test_discord_is_told_of_the_commands_once(sim: Simulated) -> None:
    await sim.restart()

    told = [one for one in sim.env.http_requests if one.path.endswith("/commands")]
    assert [one.method for one in told] == ["PUT"]


async def test_an_old_button_is_answered_although_nobody_knows_it(sim: Simulated) -> None:
    shown = await sim.ask(QUESTION)
    sim.journal.answers.clear()

    assert "I do not know this answer any more" in whispered(await sim.ben.click(shown, label="Sources"))


@pytest.mark.parametrize(
    ("name", "options"), [("docs", {}), ("status", {}), ("reset", {}), ("forget", {"document": "all"})]
)
async def test_in_a_channel_that_the_bot_does_not_see_it_tells_nothing(
    sim: Simulated, name: str, options: dict[str, str]
) -> None:
    hidden = sim.channel("hidden", view_channel=False)
    sim.library.put(sim.scope_of(hidden), document("d1", "salaries.pdf"))

    shown = whispered(await sim.mia.slash(hidden, name, **options))

    assert "I am not permitted **View Channel**" in shown
    assert len(await sim.library.documents(sim.scope_of(hidden))) == 1


async def test_a_question_by_command_where_the_bot_may_not_speak_is_refused_to_whoever_asks(
    sim: Simulated,
) -> None:
    mute = sim.channel("mute", send_messages=False)

    used = await sim.anna.slash(mute, "ask", question=QUESTION)

    assert "I am not permitted **Send Messages**" in whispered(used)
    assert sim.asked == []


def opinions(sim: Simulated) -> list[tuple[Verdict, str | None, str]]:
    return [(one.verdict, one.note, one.user) for one in sim.journal.opinions]
