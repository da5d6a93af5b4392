"""Files in a simulated Discord: taken in where they are put, and let go of where they are taken away."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote

import pytest

from adapters.discord.clerk import INDEX
from tests.integration.adapters.discord.simulated import MOST_BYTES, Simulated
from tests.integration.adapters.discord.watching import labels, signs, whispered

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from simcord import ChannelHandle

REFUNDS = ("refunds.md", b"Refunds take five working days.")
PRICES = ("prices.csv", b"plan,price\nmonthly,5\n")


@pytest.fixture
async def sim() -> AsyncIterator[Simulated]:
    async with Simulated().open() as sim:
        yield sim


async def test_an_attachment_is_indexed_and_marked(sim: Simulated) -> None:
    carrier = await sim.upload(REFUNDS)

    assert sim.names == ["refunds.md"]
    assert sim.library.bytes == {"d1": REFUNDS[1]}
    assert signs(carrier) == ["✅"]
    (notice,) = sim.said(sim.thread())
    assert notice.content.startswith("**refunds.md** is ready")
    assert reactions(sim) == ["PUT ⏳", "PUT ✅", "DELETE ⏳"]


async def test_all_files_of_a_message_are_indexed_under_one_mark(sim: Simulated) -> None:
    carrier = await sim.upload(REFUNDS, PRICES, text="our prices")

    assert sorted(sim.names) == ["prices.csv", "refunds.md"]
    assert signs(carrier) == ["✅"]
    assert len(sim.said(sim.thread())) == 2


async def test_a_file_that_is_too_large_is_refused_with_the_reason(sim: Simulated) -> None:
    carrier = await sim.upload(("huge.txt", bytes(MOST_BYTES + 1)))

    assert sim.names == []
    assert signs(carrier) == ["❌"]
    assert "too large" in sim.said(sim.thread())[0].content


async def test_a_file_and_a_question_in_one_message_are_both_seen_to(sim: Simulated) -> None:
    await sim.upload(REFUNDS, text=f"{sim.bot} how long does a refund take?")

    assert sim.names == ["refunds.md"]
    assert sim.asked == ["how long does a refund take?"]
    assert {one.name for one in sim.general.threads} == {"how long does a refund take?"}


async def test_files_of_a_thread_belong_to_its_channel(sim: Simulated) -> None:
    await sim.ask("how long does a refund take?")

    await sim.anna.send(sim.thread(), "", attachments=[REFUNDS])

    assert sim.names == ["refunds.md"]


async def test_where_the_bot_may_not_react_a_file_is_indexed_all_the_same(sim: Simulated) -> None:
    channel = sim.channel("unmoved", add_reactions=False)
    await sim.anna.send(channel, "", attachments=[REFUNDS])

    documents = await sim.library.documents(sim.scope_of(channel))
    assert [one.display_name for one in documents] == ["refunds.md"]


async def test_where_the_bot_may_not_look_back_it_says_what_a_file_needs(sim: Simulated) -> None:
    channel = sim.channel("brief", read_message_history=False)
    await sim.anna.send(channel, "", attachments=[REFUNDS])

    (notice,) = sim.said(channel)
    assert "I need View Channel and Read Message History there" in notice.content
    assert not await sim.library.documents(sim.scope_of(channel))


async def test_a_file_that_is_sent_directly_belongs_to_that_conversation_alone(sim: Simulated) -> None:
    direct = sim.anna.user.dm_channel
    stored = sim.env.backend.store_attachments(direct.id, [REFUNDS])
    await sim.anna.send_dm("", attachments=stored)

    (notice,) = sim.said(direct)
    assert notice.content.startswith("**refunds.md** is ready")
    assert list(sim.library.shelves) == [f"discord.direct.{direct.id}"]


async def test_a_file_is_put_into_the_channel_by_command(sim: Simulated) -> None:
    used = await sim.anna.slash(sim.general, "upload", file=REFUNDS)

    assert used.response is not None
    assert used.response.ephemeral
    (shown,) = used.followups
    assert not shown.ephemeral
    assert "**anna** adds a file" in shown.content
    assert [one.filename for one in shown.attachments] == ["refunds.md"]
    assert sim.names == ["refunds.md"]
    (document,) = await sim.library.documents(sim.scope)
    assert document.uploader == str(sim.anna.id)
    assert document.source.endswith(shown.message.jump_url)


async def test_a_message_without_a_file_has_nothing_to_index(sim: Simulated) -> None:
    said = await sim.anna.send(sim.general, "good morning")

    used = await sim.ben.context_menu(sim.general, INDEX, said)

    assert whispered(used) == "This message carries no file, so there is nothing to index."


async def test_what_is_known_is_not_indexed_twice(sim: Simulated) -> None:
    carrier = await sim.upload(REFUNDS)

    used = await sim.ben.context_menu(sim.general, INDEX, carrier)

    assert "I index refunds.md" in whispered(used)
    assert sim.names == ["refunds.md"]
    assert "is already here" in sim.said(sim.thread())[-1].content


async def test_with_the_message_its_documents_go(sim: Simulated) -> None:
    carrier = await sim.upload(REFUNDS, PRICES)
    await sim.upload(("terms.md", b"Terms."))

    await sim.anna.delete(carrier)

    assert sim.names == ["terms.md"]


async def test_with_many_messages_at_once_their_documents_go(sim: Simulated) -> None:
    carriers = [await sim.upload(REFUNDS), await sim.upload(PRICES)]
    await sim.upload(("terms.md", b"Terms."))

    sim.env.backend.bulk_delete_messages(sim.general.id, [one.id for one in carriers])
    await sim.env.settle()

    assert sim.names == ["terms.md"]


async def test_with_a_thread_the_documents_from_it_go(sim: Simulated) -> None:
    await sim.upload(REFUNDS)
    sim.env.backend.create_thread(sim.general.id, "Prices", sim.anna.id)
    thread = sim.general.threads[-1]
    await sim.anna.send(thread, "", attachments=[PRICES])
    assert sorted(sim.names) == ["prices.csv", "refunds.md"]

    await removed(sim, thread)

    assert sim.names == ["refunds.md"]


async def test_with_a_channel_its_documents_go(sim: Simulated) -> None:
    other = sim.channel("sales")
    await sim.anna.send(other, "", attachments=[PRICES])
    await sim.upload(REFUNDS)

    await removed(sim, other)

    assert not await sim.library.documents(sim.scope_of(other))
    assert sim.names == ["refunds.md"]


async def test_with_the_server_all_its_documents_go(sim: Simulated) -> None:
    await sim.upload(REFUNDS)

    sim.env.backend.remove_guild(sim.guild.id)
    await sim.env.settle()

    assert sim.names == []


async def test_what_was_put_into_a_channel_while_the_bot_was_away_is_indexed_when_it_is_back(
    sim: Simulated,
) -> None:
    await sim.upload(REFUNDS)
    sim.client.listeners, listeners = None, sim.client.listeners
    await sim.anna.send(sim.general, f"{sim.bot} what does it cost?", attachments=[PRICES])
    assert sim.names == ["refunds.md"]
    sim.client.listeners = listeners

    await sim.restart()

    assert sim.names == ["refunds.md", "prices.csv"]
    assert sim.asked == ["what does it cost?"]


async def test_an_older_document_of_the_same_name_is_retired_by_a_button(sim: Simulated) -> None:
    await sim.upload(REFUNDS)
    await sim.upload(("refunds.md", b"Refunds take ten working days."))
    (notice,) = sim.said(sim.general.threads[-1])
    assert labels(notice) == ["Retire the older one"]

    refused = await sim.ben.click(notice, label="Retire the older one")
    assert len(sim.names) == 2
    done = await sim.anna.click(notice, label="Retire the older one")

    assert "Forgotten" not in whispered(refused)
    assert "Forgotten: refunds.md" in whispered(done)
    assert [one.document_id for one in await sim.library.documents(sim.scope)] == ["d2"]


async def removed(sim: Simulated, channel: ChannelHandle) -> None:
    """Let somebody delete a channel or thread."""
    sim.env.backend.delete_channel(channel.id)
    await sim.env.settle()


def reactions(sim: Simulated) -> list[str]:
    """Return what the bot did about reactions, in order."""
    calls = [one for one in sim.env.http_requests if "/reactions/" in one.path]
    return [f"{one.method} {unquote(one.path.split('/')[6])}" for one in calls]
