from __future__ import annotations

from pipeline.storage.cached import Cached


class Shelf:
    """A table that counts how often it is read."""

    def __init__(self) -> None:
        self.at = 1
        self.reads = 0

    async def version(self) -> int:
        return self.at

    async def read(self) -> str:
        self.reads += 1
        return f"content of version {self.at}"


async def test_a_table_is_read_once_per_version() -> None:
    shelf = Shelf()
    cached = Cached(shelf.version, shelf.read)
    assert [await cached.get(), await cached.get()] == ["content of version 1"] * 2
    assert shelf.reads == 1
    shelf.at = 2
    assert await cached.get() == "content of version 2"
    assert shelf.reads == 2
