"""What Discord suggests while somebody types the name of a document."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from discord import app_commands

from adapters.discord.spots import Spot
from pipeline.errors import PipelineError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.discord.spots import Interaction
    from bot.records import Caller, Library
    from pipeline.domain import Document

logger = logging.getLogger(__name__)

MOST = 25
LONGEST = 100
"""Characters of one suggestion."""
_NAMELESS = "unnamed file"


class Completion:
    """Suggests documents of the channel in which somebody types, and of no other."""

    def __init__(self, library: Library) -> None:
        self._library = library

    async def documents(self, interaction: Interaction, typed: str) -> list[app_commands.Choice[str]]:
        """Return the documents that *typed* fits to; nothing when they are not to be had now."""
        spot = Spot.of(interaction)
        if spot is None or spot.closed:
            return []
        try:
            documents = await self._library.documents(spot.room.scope)
        except PipelineError as error:
            logger.warning("no documents are suggested: %s", type(error).__name__)
            return []
        return [
            app_commands.Choice(name=_name(one, documents), value=one.document_id)
            for one in _fitting(documents, typed, spot.caller)[:MOST]
        ]


def _fitting(documents: Sequence[Document], typed: str, caller: Caller) -> list[Document]:
    """Return what *typed* names, first what *caller* may take back, and of that the latest."""
    wanted = typed.strip().lower()
    found = [
        one for one in reversed(documents) if wanted in one.display_name.lower() or one.document_id == wanted
    ]
    return sorted(found, key=lambda one: not caller.may_forget(one))


def _name(document: Document, documents: Sequence[Document]) -> str:
    """Return a document's name in one line; with its time and id where another one has the same."""
    name = " ".join(document.display_name.split()) or _NAMELESS
    same = sum(1 for one in documents if one.display_name == document.display_name)
    told = f" · {document.uploaded_at:%Y-%m-%d %H:%M} · {document.document_id}"
    mark = told[: LONGEST // 2] if same > 1 else ""
    room = LONGEST - len(mark)
    return (name if len(name) <= room else f"{name[: room - 1]}…") + mark
