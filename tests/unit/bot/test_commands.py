from __future__ import annotations

import pytest

from bot.chat import Body, Thread
from bot.commands import Commands
from bot.incoming import IncomingAction
from pipeline.domain import DocumentStatus, IngestReason, Reason, Scope
from tests.fakes.library import FakeJournal, FakeLibrary, FakeTurn, document

SCOPE = Scope("fake", "w", "c")
ELSEWHERE = Scope("fake", "w", "other")
THREAD = Thread(SCOPE, "t1")


class Desk:
    def __init__(self) -> None:
        self.library = FakeLibrary()
        self.journal = FakeJournal()
        self.commands = Commands(self.library, self.journal)

    async def run(self, name: str, args: str = "", *, thread: Thread = THREAD) -> str:
        body = await self.commands.run(name, thread, args)
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


@pytest.mark.parametrize("wanted", ["d2", "notes.md", "Notes.MD"])
async def test_a_document_is_forgotten_by_id_or_name(desk: Desk, wanted: str) -> None:
    desk.library.put(SCOPE, document("d1"), document("d2", "notes.md"))

    assert await desk.run("forget", wanted) == "Forgotten: notes.md."

    assert [d.document_id for d in await desk.library.documents(SCOPE)] == ["d1"]


async def test_documents_of_one_name_are_told_apart_before_any_is_forgotten(desk: Desk) -> None:
    desk.library.put(SCOPE, document("d1"), document("d2"))

    text = await desk.run("forget", "handbook.pdf")

    assert "`d1`" in text
    assert "`d2`" in text
    assert len(await desk.library.documents(SCOPE)) == 2


async def test_all_are_forgotten_only_in_this_channel(desk: Desk) -> None:
    desk.library.put(SCOPE, *(document(f"d{n}", f"{n}.md") for n in range(7)))
    desk.library.put(ELSEWHERE, document("d9"))

    assert (await desk.run("forget", "all")).endswith("4.md and 2 more.")

    assert await desk.library.documents(SCOPE) == []
    assert len(await desk.library.documents(ELSEWHERE)) == 1


@pytest.mark.parametrize(("args", "words"), [("", "Say which document"), ("d9", "no document “d9”")])
async def test_forgetting_nothing_that_is_there_says_what_to_do(desk: Desk, args: str, words: str) -> None:
    desk.library.put(SCOPE, document("d1"))

    assert words in await desk.run("forget", args)


async def test_a_pressed_button_retires_its_document(desk: Desk) -> None:
    desk.library.put(SCOPE, document("d1"))
    press = IncomingAction(event_id="e", thread=THREAD, author="u", action="forget", value="d1")

    body = await desk.commands.act(press)

    assert body is not None
    assert body.text == "Forgotten: handbook.pdf."


async def test_a_button_of_somebody_else_is_left_alone(desk: Desk) -> None:
    press = IncomingAction(event_id="e", thread=THREAD, author="u", action="vote", value="d1")

    assert await desk.commands.act(press) is None


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


async def test_reset_forgets_this_thread_only(desk: Desk) -> None:
    await desk.run("reset")

    assert desk.journal.resets == [(SCOPE.key, "t1")]


async def test_help_names_every_command(desk: Desk) -> None:
    text = await desk.run("help")

    assert all(f"`{name}" in text for name in desk.commands.names)


async def test_an_unknown_command_is_answered_with_what_there_is(desk: Desk) -> None:
    text = await desk.run("*dance*")

    assert text.startswith("There is no command “\\*dance\\*”.")
    assert "`docs`" in text
