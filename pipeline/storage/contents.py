"""What one version of a chunks table holds, in numbers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pipeline.storage.indexes import TEXT_COLUMN
from pipeline.storage.queries import count_by
from pipeline.storage.upkeep import indexed

if TYPE_CHECKING:
    from pipeline.storage.handles import TableHandle


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """Which documents have chunks, and whether their words are indexed."""

    present: Counter[str]
    """Chunks of each document, whatever its state."""
    text_index: bool


async def read_contents(handle: TableHandle) -> Contents:
    """Count the chunks of each document; a scan of one column. Raises `CatalogUnavailable`."""
    rows = await handle.rows(lambda table: table.query().select(["document_id"]))
    table = await handle.opened()
    if table is None or rows is None:
        return Contents(present=Counter(), text_index=False)
    with handle.reading():
        columns = await indexed(table)
    return Contents(present=count_by(rows["document_id"]), text_index=TEXT_COLUMN in columns)
