from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bot.chat import Body, Thread
from bot.commands import RECENT, Commands
from bot.incoming import IncomingAction
from bot.records import Caller, Customs, Waiting
from pipeline.conversation import Reason
from pipeline.domain import DocumentStatus, IngestReason, Scope
from pipeline.entries import Entry
from tests.fakes.library import FakeAsked, FakeJournal, FakeLibrary, FakePreferences, FakeTurn, document

SCOPE = Scope("fake", "w", "c")
ELSEWHERE = Scope("fake", "w", "other")
THREAD = Thread(SCOPE, "t1")
ANN = Caller(author="ann")


class Desk:
    def __init__(self) -> None:
        self.library = FakeLibrary()
        self.journal = FakeJournal()
        self.asked = FakeAsked()
        self.commands = Commands(self.library, self.journal, FakePreferences(), self.asked)

    async def run(
        self, name: str, args: str = "", *, where: Thread | Scope = THREAD, caller: Caller = ANN
    ) -> str:
        body = await self.commands.run(name, where, args, caller)
        assert isinstance(body, Body)
        return body.text


@pytest.fixture
def desk() -> Desk:
    return Desk()


async def test_an_empty_channel_says_how_to_fill_it(desk: Desk) -> None:
    assert "Upload a file" in await desk.run("docs")


async def test_documents_are_listed_with_state_size_and_id(desk: Desk) -> None:
    desk.library.put(
        SCOPE,
        document("d1", "handbook.pdf", pages=1),
        document("d2", "notes.md", pages=None, chunks=1200),
        document("d3", "new.pdf", status=DocumentStatus.QUEUED),
        document("d4", "scan.pdf", status=DocumentStatus.FAILED, reason=IngestReason.NO_TEXT),
        document("d5", "half.pdf", message="3 of 12 pages hold no text and are not searched."),
    )

    text = await desk.run("docs")

    assert "**5 documents**" in text
    assert "60 passages; 3 of 12 pages hold no text and are not searched. · `d5`" in text
    assert "- **handbook.pdf** — 1 page, 60 passages · `d1`" in text
    assert "- **notes.md** — 1,200 passages · `d2`" in text
    assert "- **new.pdf** — queued · `d3`" in text
    assert "- **scan.pdf** — not indexed: it holds no text." in text


async def test_only_documents_of_one_name_are_listed_with_their_time(desk: Desk) -> None:
    desk.library.put(SCOPE, document("d1", "plan.md"), document("d2", "plan.md"), document("d3", "notes.md"))

    text = await desk.run("docs")

    assert text.count("uploaded 2026-01-01 00:00:00 UTC") == 2
    assert "60 passages · `d3`" in text


async def test_an_archive_is_listed_and_its_files_are_counted(desk: Desk) -> None:
    desk.library.put(SCOPE, document("d1", "b.zip", files=2), document("d2"), document("d3", "notes.md"))

    text = await desk.run("docs")

    assert text.startswith("**2 documents and 1 archive**")
    assert "`d1`" in text


async def test_a_long_list_is_cut_and_counted(desk: Desk) -> None:
    desk.library.put(SCOPE, *(document(f"d{n}", f"{n}.md") for n in range(50)))

    text = await desk.run("docs")

    assert "… and 10 older ones" in text
    assert "`d49`" in text
    assert "`d9`" not in text


async def test_a_hostile_file_name_is_shown_and_not_obeyed(desk: Desk) -> None:
    desk.library.put(SCOPE, document("d1", "**x**](https://evil.example)\n# y"))

    text = await desk.run("docs")

    assert "\n# y" not in text
    assert "\\*\\*x\\*\\*\\]" in text


async def test_why_shows_how_the_last_answer_came_about(desk: Desk) -> None:
    desk.library.put(SCOPE, document("dabc", "handbook.pdf"))
    desk.journal.turns[SCOPE.key, "t1"] = FakeTurn(
        question="How long?",
        response={
            "citations": [{"label": "1", "display_name": "handbook.pdf", "page": 3}],
            "degraded": ["dense:unavailable"],
            "latency_ms": {"retrieve": 11.2, "first_text": 420.0, "total": 1900.0},
            "trace": [
                {"event": "memory.recalled", "characters": 0, "version": 0},
                {
                    "event": "retrieval.fused",
                    "dense": True,
                    "threshold": 0.123456,
                    "found": ["dabc-00000", "dxyz-00004"],
                    "ranks": [{"chunk": f"dabc-{n:05d}", "dense": n + 1, "sparse": None} for n in range(12)],
                },
                {"event": "generation.finished", "finish_reason": "stop"},
            ],
        },
    )

    text = await desk.run("why")

    assert "- Outcome: answered" in text
    assert "- Time: passages after 11 ms, first text after 420 ms, the end after 1.9 s" in text
    assert "- [1] handbook.pdf, page 3" in text
    assert "- Searched by words only" in text
    assert "- retrieval fused: dense yes, threshold 0.123, found handbook.pdf passage 1 · dxyz-00004" in text
    assert "  - chunk handbook.pdf passage 1, dense 1, sparse –" in text
    assert "  - … and 2 more" in text
    assert "- generation finished: finish_reason stop" in text


async def test_why_says_why_there_was_no_answer(desk: Desk) -> None:
    desk.journal.turns[SCOPE.key, "t1"] = FakeTurn(question="?", reason=Reason.NO_RELEVANT_CONTEXT)

    assert "- Outcome: NO_RELEVANT_CONTEXT: Nothing in this channel" in await desk.run("why")


async def test_why_knows_nothing_of_other_threads_and_channels(desk: Desk) -> None:
    desk.journal.turns[SCOPE.key, "t2"] = FakeTurn(question="secret")
    desk.journal.turns[ELSEWHERE.key, "t1"] = FakeTurn(question="secret")

    assert await desk.run("why") == "Nothing was answered in this thread yet."


async def test_status_names_models_documents_and_what_is_wrong(desk: Desk) -> None:
    desk.library.put(SCOPE, document("d1"))
    desk.library.remarks = ("Ollama cannot be reached.",)

    text = await desk.run("status")

    assert "- Documents: 1 (1 ready, 0 waiting, 0 failed)" in text
    assert "extractive" in text
    assert "embedded:minilm" in text
    assert "- Ollama cannot be reached." in text


async def test_why_in_a_channel_at_large_explains_the_callers_latest_answer_there(desk: Desk) -> None:
    def turn(hour: int, reason: Reason) -> FakeTurn:
        return FakeTurn(question="?", reason=reason, created_at=datetime(2026, 1, 1, hour, tzinfo=UTC))

    desk.asked.threads[SCOPE.key, "ann"] = ["t1", "t2", "t3"]
    desk.journal.turns[SCOPE.key, "t1"] = turn(9, Reason.EMPTY_QUERY)
    desk.journal.turns[SCOPE.key, "t3"] = turn(11, Reason.RATE_LIMITED)
    desk.journal.turns[SCOPE.key, "t4"] = turn(12, Reason.CANCELLED)

    text = await desk.run("why", where=SCOPE)

    assert text.startswith("**How your last answer in this channel came about**")
    assert "RATE_LIMITED" in text


async def test_why_in_a_channel_at_large_looks_at_a_few_threads_only(desk: Desk) -> None:
    desk.asked.threads[SCOPE.key, "ann"] = [f"t{n}" for n in range(100, 100 + RECENT + 1)]
    desk.journal.turns[SCOPE.key, f"t{100 + RECENT}"] = FakeTurn(question="long ago")

    assert await desk.run("why", where=SCOPE) == "Nothing was answered for you in this channel yet."


async def test_status_names_the_files_that_are_on_their_way_and_how_they_stand(desk: Desk) -> None:
    desk.library.waiting = (
        Waiting(name="now.pdf", running=True),
        Waiting(name="again.pdf", fault="The embedding model could not be reached."),
        *(Waiting(name=f"{n}.md") for n in range(40)),
    )

    text = await desk.run("status")

    assert "**Files on their way**" in text
    assert "- now.pdf is being indexed\n" in text
    assert "- again.pdf is queued again; the last attempt failed: The embedding model" in text
    assert "- 37.md is queued\n- … and 2 more" in text


async def test_reset_forgets_this_thread_only(desk: Desk) -> None:
    await desk.run("reset")

    assert desk.journal.resets == [(SCOPE.key, "t1")]


async def test_reset_in_a_channel_at_large_forgets_the_threads_in_which_the_caller_asked(desk: Desk) -> None:
    desk.asked.threads[SCOPE.key, "ann"] = ["t2", "t1"]
    desk.asked.threads[SCOPE.key, "ben"] = ["t3"]
    desk.asked.threads[ELSEWHERE.key, "ann"] = ["t4"]

    text = await desk.run("reset", where=SCOPE)

    assert desk.journal.resets == [(SCOPE.key, "t2"), (SCOPE.key, "t1")]
    assert text.startswith("2 threads of this channel in which you asked me begin anew")


async def test_reset_says_when_there_is_nothing_to_forget(desk: Desk) -> None:
    assert "nothing to forget" in await desk.run("reset", where=SCOPE)
    assert desk.journal.resets == []


@pytest.mark.parametrize("where", [THREAD, SCOPE])
async def test_help_names_every_command(desk: Desk, where: Thread | Scope) -> None:
    text = await desk.run("help", where=where)

    assert all(f"`{name}" in text for name in desk.commands.names)


async def test_help_speaks_as_the_platform_does() -> None:
    customs = Customs(prefix="/footnote ", managers="workspace admins", lesson="Mention me.")
    commands = Commands(FakeLibrary(), FakeJournal(), FakePreferences(), FakeAsked(), customs)

    text = (await commands.run("help", THREAD, "", ANN)).text

    assert text.startswith("Mention me.\n\n- `/footnote docs`: ")
    assert "workspace admins can take back any" in text


async def test_settings_are_shown_by_their_command(desk: Desk) -> None:
    assert "`follow-ups` is `asker`" in await desk.run("settings")


async def test_an_unknown_command_is_answered_with_what_there_is(desk: Desk) -> None:
    text = await desk.run("*dance*")

    assert text.startswith("There is no command “\\*dance\\*”.")
    assert "`docs`" in text


@pytest.mark.parametrize(("manages", "left"), [(False, 1), (True, 0)])
async def test_a_pressed_button_retires_a_document_for_those_who_may(
    desk: Desk, manages: bool, left: int
) -> None:
    desk.library.put(SCOPE, document("d1", uploader="ben"))
    press = IncomingAction(
        event_id="e", thread=THREAD, author="ann", action="forget", value="d1", manages=manages
    )

    body = await desk.commands.act(press)

    assert isinstance(body, Body)
    assert ("can be taken back only by" in body.text) is not manages
    assert len(await desk.library.documents(SCOPE)) == left


async def test_a_button_of_somebody_else_is_left_alone(desk: Desk) -> None:
    press = IncomingAction(event_id="e", thread=THREAD, author="u", action="vote", value="d1")

    assert await desk.commands.act(press) is None


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("help", "help"),
        (" /Help! ", "help"),
        ("help?", "help"),
        ("RESET", "reset"),
        ("stop.", "stop"),
        ("docs", None),
        ("help me", None),
        ("what does reset do?", None),
        ("", None),
    ],
)
def test_a_message_is_a_command_only_if_it_is_nothing_else(text: str, name: str | None) -> None:
    assert Commands.named(text) == name


async def test_a_message_leads_to_the_question_that_it_answers(desk: Desk) -> None:
    entry = Entry(kind="question", scope=SCOPE, id="m1", thread="t1", author="ann")
    desk.asked.questions[SCOPE.key, "a1"] = entry

    assert await desk.commands.question_of(SCOPE, "a1") == (THREAD, "m1")
    assert await desk.commands.question_of(ELSEWHERE, "a1") is None
