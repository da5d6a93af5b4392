from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from bot.asides import FAILED, UNKNOWN, Asker, answered, in_pieces, keep, obey, press
from bot.chat import Body, Form, Thread, TooLong
from bot.commands import Commands
from bot.controls import BAD, FORGET, GOOD, NOTE, STOP
from bot.incoming import IncomingAction, StopRequested
from bot.records import Caller
from bot.splitting import SMALLEST
from pipeline.domain import Scope
from pipeline.errors import CatalogUnavailable
from tests.fakes.library import FakeAsked, FakeJournal, FakeLibrary, FakePreferences, FakeTurn, document

if TYPE_CHECKING:
    from bot.conversation import Conversation

SCOPE = Scope("fake", "w", "c")
THREAD = Thread(SCOPE, "t")


class Person:
    """Somebody about whom it is noted what was found out."""

    def __init__(self, *, manages: bool = False, refused: str | None = None) -> None:
        self.found_out: list[str] = []
        self._manages = manages
        self._refused = refused

    @property
    def asker(self) -> Asker:
        return Asker(author="ann", caller=self._caller, refusal=self._refusal)

    async def _caller(self) -> Caller:
        self.found_out.append("caller")
        return Caller(author="ann", manages=self._manages)

    async def _refusal(self) -> str | None:
        self.found_out.append("refusal")
        return self._refused


class Room:
    def __init__(self) -> None:
        self.library, self.journal = FakeLibrary(), FakeJournal()
        self.library.put(SCOPE, document("d1", "a.pdf", uploader="ben"))
        self.journal.answers[SCOPE.key, "m1"] = FakeTurn(question="How long?", turn_id=7)
        self.commands = Commands(self.library, self.journal, FakePreferences(), FakeAsked())
        self.stopped: list[StopRequested] = []

    async def obey(self, name: str, args: str = "", *, person: Person) -> str:
        return (await obey(self.commands, name, SCOPE, args, person.asker)).text

    async def press(self, action: str, value: str = "m1", *, person: Person) -> Body | Form | None:
        event = IncomingAction(event_id="e", thread=THREAD, author="ann", action=action, value=value)
        return await press(self.commands, cast("Conversation", self), event, person.asker)

    def receive(self, event: Any) -> None:
        self.stopped.append(event)


@pytest.fixture
def room() -> Room:
    return Room()


async def test_a_closed_channel_tells_nothing_but_how_the_bot_is_used(room: Room) -> None:
    person = Person(refused="You may not know.")

    assert await room.obey("docs", person=person) == "You may not know."
    assert "a.pdf" not in await room.obey("help", person=person)
    assert "There is no command" in await room.obey("dance", person=person)
    assert person.found_out == ["refusal"]


@pytest.mark.parametrize(
    ("name", "args", "found_out"),
    [
        ("docs", "", ["refusal"]),
        ("settings", "", ["refusal"]),
        ("settings", "follow-ups always", ["refusal", "caller"]),
        ("forget", "d1", ["refusal", "caller"]),
    ],
)
async def test_what_somebody_may_is_found_out_only_where_it_matters(
    room: Room, name: str, args: str, found_out: list[str]
) -> None:
    person = Person()

    await room.obey(name, args, person=person)

    assert person.found_out == found_out


@pytest.mark.parametrize("manages", [True, False])
async def test_documents_are_forgotten_by_command_and_by_button_for_those_who_may(manages: bool) -> None:
    for by_button in (True, False):
        room, person = Room(), Person(manages=manages)
        if by_button:
            body = await room.press(FORGET, "d1", person=person)
            assert isinstance(body, Body)
            said = body.text
        else:
            said = await room.obey("forget", "d1", person=person)
        assert ("Forgotten" in said) is manages
        assert (await room.library.documents(SCOPE) == []) is manages


async def test_a_button_stops_an_answer_without_a_word(room: Room) -> None:
    assert await room.press(STOP, person=Person()) is None
    assert room.stopped == [StopRequested(thread=THREAD)]


async def test_a_button_judges_or_asks_for_more_and_one_that_nobody_knows_says_so(room: Room) -> None:
    assert isinstance(await room.press(GOOD, person=Person()), Body)
    form = room.commands.form(BAD, "m1")
    assert form is not None
    assert await room.press(BAD, person=Person()) == form
    assert room.commands.form(GOOD, "m1") is None
    assert await room.press("dance", person=Person()) == Body(text=UNKNOWN)


async def test_what_was_written_into_a_form_is_kept(room: Room) -> None:
    event = IncomingAction(
        event_id="e", thread=THREAD, author="ann", action=NOTE, value="m1", text="It is ten days."
    )

    assert "noted what was wrong" in (await keep(room.commands, event)).text
    assert [opinion.note for opinion in room.journal.opinions] == ["It is ten days."]


async def test_whatever_fails_is_answered(caplog: pytest.LogCaptureFixture) -> None:
    async def fail(error: Exception) -> None:
        raise error

    assert "footnote reindex" in cast("Body", await answered(fail(CatalogUnavailable()))).text
    assert await answered(fail(ValueError("my secret"))) == Body(text=FAILED)
    assert "ValueError" in caplog.text and "secret" not in caplog.text


async def test_a_text_is_sent_in_pieces_and_in_smaller_ones_where_they_are_too_long() -> None:
    sent: list[str] = []

    async def send(text: str) -> None:
        if len(text) > 100:
            raise TooLong
        sent.append(text)

    await in_pieces("word " * 100, 200, send)

    assert " ".join(sent).split() == ["word"] * 100
    assert max(map(len, sent)) <= 100


async def test_what_is_too_long_however_small_it_is_is_not_sent() -> None:
    async def refuse(_: str) -> None:
        raise TooLong

    with pytest.raises(TooLong):
        await in_pieces("word " * 100, SMALLEST * 3, refuse)
