from __future__ import annotations

import pytest

from pipeline.storage.upkeep import ATTEMPTS, FIRST_PAUSE, Patience, persist

CONFLICT = "lance error: Retryable commit conflict for version 7: This Rewrite transaction was preempted"


class Contested:
    """A table that collides with another process a number of times."""

    def __init__(self, conflicts: int, message: str = CONFLICT) -> None:
        self.conflicts = conflicts
        self.message = message
        self.calls: list[str] = []
        self.pauses: list[float] = []

    async def rewrite(self) -> None:
        self.calls.append("rewrite")
        if self.conflicts:
            self.conflicts -= 1
            raise RuntimeError(self.message)

    async def refresh(self) -> None:
        self.calls.append("refresh")

    async def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)

    async def persist(self) -> bool:
        return await persist(self.rewrite, self.refresh, Patience(sleep=self.sleep, jitter=lambda: 0.5))


async def test_a_conflict_is_tried_again_on_the_latest_version() -> None:
    table = Contested(conflicts=2)
    assert await table.persist()
    assert table.calls == ["rewrite", "refresh", "rewrite", "refresh", "rewrite"]
    assert table.pauses == [FIRST_PAUSE * 0.5, FIRST_PAUSE]


async def test_upkeep_gives_up_quietly_and_leaves_the_handle_usable(caplog: pytest.LogCaptureFixture) -> None:
    table = Contested(conflicts=1000)
    with caplog.at_level("INFO"):
        assert not await table.persist()
    assert table.calls == ["rewrite", "refresh"] * ATTEMPTS
    assert "gave up" in caplog.text


async def test_any_other_failure_is_not_tried_again() -> None:
    table = Contested(conflicts=1, message="No space left on device")
    with pytest.raises(RuntimeError, match="No space"):
        await table.persist()
    assert table.calls == ["rewrite"]
