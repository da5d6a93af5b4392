"""Files that people ask the bot to index: those of a message that they pick, and one that they upload."""

from __future__ import annotations

import logging
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from adapters.discord.putting import Put
from bot.chat import Body, ChatError
from bot.citations import file_name
from bot.patience import patiently
from bot.wording import NO_FILE, ingest_sentence
from pipeline.domain import IngestReason

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    import discord

    from adapters.discord.clerk import Clerk
    from adapters.discord.desk import Desk
    from adapters.discord.spots import Interaction, Spot
    from adapters.discord.whispers import Whisper
    from bot.incoming import IncomingFile

logger = logging.getLogger(__name__)

_BELOW = "What becomes of it is said where all can read it."
_LOST = "Discord did not take the file. If it does not stand here in a minute, please upload it again."
_MIB = 1024 * 1024


class Adding:
    """Hands such files on, whether they were known before or not."""

    def __init__(self, desk: Desk, clerk: Clerk, *, sleep: Callable[[float], Awaitable[None]]) -> None:
        self._desk = desk
        self._clerk = clerk
        self._sleep = sleep

    async def index(self, interaction: Interaction, message: discord.Message) -> None:
        """Index the files of a message that somebody picked."""

        async def work(spot: Spot, _: Whisper) -> Body:
            return Body(text=self._index(spot, message))

        await self._clerk.serve(interaction, work, name="index a file")

    async def upload(self, interaction: Interaction, file: discord.Attachment) -> None:
        """Put a file that somebody gave to the command into the channel, and index it from there.

        Discord throws away what is given to a command; what a message carries can be fetched again, leads
        people to it, and is forgotten when it is deleted.
        """

        async def work(spot: Spot, whisper: Whisper) -> Body | None:
            return await self._upload(spot, whisper, file)

        await self._clerk.serve(interaction, work, name="upload a file")

    def _index(self, spot: Spot, message: discord.Message) -> str:
        if (refusal := spot.unreadable) is not None:
            return refusal
        self._locate(spot, message)
        found = self._desk.files.incoming(message)
        if not found:
            return NO_FILE
        self._desk.files.note(message)
        self._hand_on(spot, found)
        names = ", ".join(file_name(file.name) for file in found)
        return f"I index {names}. {_BELOW}"

    async def _upload(self, spot: Spot, whisper: Whisper, file: discord.Attachment) -> Body | None:
        if (refusal := spot.unreadable or self._too_large(spot, file)) is not None:
            return Body(text=refusal)
        content = await patiently(partial(self._desk.files.read, file), self._sleep)
        await whisper.say(f"I put {file_name(file.filename)} into this channel and index it. {_BELOW}")
        try:
            put = Put(spot.interaction, file, content, calls=self._desk.calls, sleep=self._sleep)
            message = await put()
        except ChatError as error:
            logger.warning("an uploaded file could not be shown: %s", type(error).__name__)
            return Body(text=_LOST)
        self._locate(spot, message)
        self._hand_on(spot, self._desk.files.incoming(message))
        return None

    def _too_large(self, spot: Spot, file: discord.Attachment) -> str | None:
        name = file_name(file.filename)
        if file.size > self._desk.adapter.capabilities.max_upload_bytes > 0:
            return f"{name} cannot be indexed: {ingest_sentence(IngestReason.TOO_LARGE)}"
        limit = spot.interaction.filesize_limit
        if file.size > limit:
            return (
                f"{name} is larger than the {limit // _MIB} MB that I may put into this channel. Attach it "
                "to a message of your own, and I index it from there."
            )
        return None

    def _hand_on(self, spot: Spot, files: Sequence[IncomingFile]) -> None:
        """Let files be indexed in the name of whoever asked, even those that were indexed before."""
        use = spot.interaction.id
        for file in files:
            again = replace(
                file, file_id=f"{file.file_id}@{use}", event_id=f"{use}", author=spot.user, addressed=True
            )
            self._desk.platform.uploads.receive(again)

    @staticmethod
    def _locate(spot: Spot, message: discord.Message) -> None:
        """Let *message* know where it stands, for discord.py may have looked for it in vain."""
        if spot.interaction.channel is not None:
            message.channel = spot.interaction.channel  # type: ignore[assignment] # people write in it
        message.guild = spot.interaction.guild
