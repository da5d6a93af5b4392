"""Many files at once: with Slack's own limits, each is looked up and fetched once, and ends as it should."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from adapters.slack.arrivals import Arrivals
from adapters.slack.backlog import Backlog
from adapters.slack.downloads import Downloads
from adapters.slack.files import SlackFiles
from adapters.slack.happenings import FileShared
from bot.pacing import Limiters
from bot.uploads import Uploads
from tests.fakes.ledger import FakeLedger
from tests.fakes.library import FakeReceipt, document
from tests.fakes.slack import ANNA
from tests.integration.adapters.slack.speaking import CHANNEL, TEAM, Speaking

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.incoming import IncomingFile
    from pipeline.domain import Document, Scope
    from tests.fakes.slack import File, Message

MANY = 120


class Shelf:
    """A channel that has everything at once."""

    def __init__(self, room: Speaking, files: SlackFiles) -> None:
        self._room = room
        self._files = files

    async def accept(self, scope: Scope, file: IncomingFile) -> FakeReceipt:
        await self._files.fetch(file.source)
        assert not await self._files.shares.gone(scope, file.source, lately=True)
        return FakeReceipt(document_id=file.name)

    async def find(self, scope: Scope, document_id: str) -> Document:
        return document(document_id, document_id)


async def nobody(platform: str, workspace: str, source: str) -> Sequence[Scope]:
    return ()


def reports(file: File, ts: str) -> list[FileShared]:
    """Return what Slack's events tell of an upload."""
    shared = FileShared(event_id=f"E{file.id}", team=TEAM, channel=CHANNEL, file_id=file.id, user=ANNA)
    message = FileShared(
        event_id=f"M{file.id}", team=TEAM, channel=CHANNEL, file_id=file.id, user=ANNA, ts=ts
    )
    return [shared, message]


def replies(room: Speaking, messages: Sequence[Message]) -> list[Message]:
    return [reply for message in messages for reply in room.slack.replies(CHANNEL, message.ts)]


async def test_many_files_at_once_are_all_indexed_and_marked_within_slacks_limits() -> None:
    async with Speaking() as room:
        room.slack.rates.enforced = True
        clock, ledger = room.clock, FakeLedger()
        files = SlackFiles(
            room.calls,
            room.workspaces,
            Downloads(room.slack.base_url, max_bytes=1000),
            holders=nobody,
            max_bytes=1000,
            sleep=clock.sleep,
            monotonic=clock.monotonic,
        )
        uploads = Uploads(room.adapter, Shelf(room, files), ledger=ledger, limiters=Limiters(), clock=clock)
        arrivals = Arrivals(
            files, Backlog(ledger), come=uploads.receive, go=lambda _: None, sleep=clock.sleep
        )
        for number in range(MANY):
            file = room.slack.upload(CHANNEL, ANNA, f"{number}.md", f"Text {number}", events=())
            for report in reports(file, file.shares[CHANNEL]):
                arrivals.shared(report)
        await arrivals.settled()
        await uploads.settled()
        await files.close()

        carriers = [one for one in room.slack.messages(CHANNEL) if one.files]
        signs = Counter(tuple(name for name, by in one.reactions.items() if by) for one in carriers)
        said = Counter(one.shown.partition("**")[2].partition("**")[2] for one in replies(room, carriers))
        assert signs == {("white_check_mark",): MANY}
        assert said == {" is ready: 12 pages, 60 passages.": MANY}
        assert set(ledger.states.values()) == {"done"}
        assert room.count("files.info") == len(room.slack.downloads) == MANY
        assert room.slack.rates.over() == {}
