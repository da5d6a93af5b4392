"""What goes wrong with the next calls of a local server, whichever platform it stands for."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Literal, Self, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

ANY = "*"
"""In place of a name: whatever is called."""

CallT = TypeVar("CallT")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mishap:
    """One thing that goes wrong with one call. Platforms add what their refusals say."""

    status: int = 200
    reset: Literal["before", "after"] | None = None
    """The connection is reset before, or after, the call had its effect."""
    delay: float = 0.0
    gate: asyncio.Event | None = None
    """Awaited before the call has its effect."""
    late: bool = False
    """Delay and gate come after the effect: the answer is slow, the effect is not."""

    @classmethod
    def reset_before(cls) -> Self:
        return cls(reset="before")

    @classmethod
    def reset_after(cls) -> Self:
        return cls(reset="after")

    @classmethod
    def slow(cls, seconds: float, *, late: bool = False) -> Self:
        return cls(delay=seconds, late=late)

    @classmethod
    def held(cls, gate: asyncio.Event, *, late: bool = False) -> Self:
        """Nothing happens until *gate* is set."""
        return cls(gate=gate, late=late)

    async def wait(self, *, late: bool) -> None:
        """Take the time that it takes on this side of the effect."""
        if self.late is not late:
            return
        if self.delay:
            await asyncio.sleep(self.delay)
        if self.gate is not None:
            await self.gate.wait()


MishapT = TypeVar("MishapT", bound=Mishap)


@dataclass(slots=True, kw_only=True)
class _Planned(Generic[MishapT, CallT]):
    mishap: MishapT
    left: int | None
    skip: int
    when: Callable[[CallT], bool] | None

    def due(self, call: CallT) -> bool:
        """Say whether it is the turn of this one; a call that is skipped counts."""
        if self.when is not None and not self.when(call):
            return False
        if not self.skip:
            return True
        self.skip -= 1
        return False


@dataclass(slots=True)
class Plans(Generic[MishapT, CallT]):
    """What is to go wrong, by the name of the call."""

    _planned: dict[str, list[_Planned[MishapT, CallT]]] = field(default_factory=dict)

    def plan(
        self,
        name: str,
        mishap: MishapT,
        *,
        times: int | None = 1,
        skip: int = 0,
        when: Callable[[Any], bool] | None = None,
    ) -> None:
        """Let *mishap* happen to the next calls (*times* None: all) for which *when* holds, after *skip*."""
        planned = _Planned(mishap=mishap, left=times, skip=skip, when=when)
        self._planned.setdefault(name, []).append(planned)

    def clear(self, name: str | None = None) -> None:
        """Let nothing more go wrong with calls of *name*, or at all."""
        if name is None:
            self._planned.clear()
        else:
            self._planned.pop(name, None)

    def next(self, name: str, call: CallT) -> MishapT | None:
        """Return what goes wrong with this call, if anything."""
        for planned in (self._planned.get(name, []), self._planned.get(ANY, [])):
            one = next((each for each in planned if each.due(call)), None)
            if one is not None:
                if one.left is not None:
                    one.left -= 1
                if one.left == 0:
                    planned.remove(one)
                return one.mishap
        return None
