"""A channel's settings as people read and change them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bot.chat import Body
from bot.citations import literal
from bot.preferences import FollowUps, Preferences
from pipeline.verdicts import Mode

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from bot.preferences import PreferenceStore
    from bot.records import Caller, Customs
    from pipeline.domain import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One setting, with all that it may be."""

    name: str
    about: str
    meanings: Mapping[str, str]
    """What each value means, as a sentence."""
    read: Callable[[Preferences], str]
    change: Callable[[Preferences, str], Preferences]


CHOICES = (
    Choice(
        name="follow-ups",
        about="which messages of a thread I answer although they do not mention me",
        meanings={
            FollowUps.ASKER: "those of people who asked me in that thread before.",
            FollowUps.ALWAYS: "all of them, once anybody asked me in that thread.",
            FollowUps.MENTION: "none; I answer only where I am mentioned.",
        },
        read=lambda preferences: preferences.follow_ups,
        change=lambda preferences, value: replace(preferences, follow_ups=FollowUps(value)),
    ),
    Choice(
        name="answers",
        about="when an answer is shown",
        meanings={
            Mode.STREAMING: "while it is written; what its sources do not support is named below it.",
            Mode.VERIFIED: "once every statement is checked, without those that its sources do not support.",
        },
        read=lambda preferences: preferences.answers,
        change=lambda preferences, value: replace(preferences, answers=Mode(value)),
    ),
)


class ChannelSettings:
    """Shows a channel's settings to everybody and changes them for those who manage it."""

    def __init__(self, store: PreferenceStore, customs: Customs) -> None:
        self._store = store
        self._customs = customs

    async def run(self, scope: Scope, args: str, caller: Caller) -> Body:
        """Show all settings, or change those that *args* name, for instance ``follow-ups always``."""
        words = args.replace("=", " ").split()
        names = words[::2]
        if len(words) > 2 and len(words) % 2 == 0 and all(map(_find, names)):
            pairs = [f"{name} {value}" for name, value in zip(names, words[1::2], strict=True)]
            done = [(await self._run_one(scope, pair, caller)).text for pair in pairs]
            return Body(text="\n\n".join(done))
        return await self._run_one(scope, " ".join(words), caller)

    async def _run_one(self, scope: Scope, args: str, caller: Caller) -> Body:
        preferences = await self._store.read(scope)
        if not args:
            return Body(text=self._overview(preferences))
        name, _, value = args.partition(" ")
        choice = _find(name)
        if choice is None:
            return Body(text=f"There is no setting “{literal(name, 40)}”.\n\n{self._overview(preferences)}")
        if not value:
            return Body(text=self._shown(choice, preferences))
        return await self._change(scope, choice, value.lower(), caller)

    async def _change(self, scope: Scope, choice: Choice, value: str, caller: Caller) -> Body:
        preferences = await self._store.read(scope)
        if value not in choice.meanings:
            shown = self._shown(choice, preferences)
            return Body(text=f"“{literal(value, 40)}” is no value of `{choice.name}`.\n\n{shown}")
        if not caller.manages:
            current = choice.read(preferences)
            return Body(
                text=f"Settings can be changed only by {self._customs.managers}. "
                f"`{choice.name}` stays `{current}`: {choice.meanings[current]}"
            )
        await self._store.write(scope, choice.change(preferences, value))
        return Body(text=f"Done. `{choice.name}` is `{value}` from now on: {choice.meanings[value]}")

    def _overview(self, preferences: Preferences) -> str:
        entries = "\n\n".join(self._shown(choice, preferences) for choice in CHOICES)
        return (
            f"**Settings of this channel**\n\n{entries}\n\nThey can be changed by {self._customs.managers}."
        )

    def _shown(self, choice: Choice, preferences: Preferences) -> str:
        current = choice.read(preferences)
        lines = [
            f"- {self._customs.code(f'settings {choice.name} {value}')}: {meaning}"
            + (" **← now**" if value == current else "")
            for value, meaning in choice.meanings.items()
        ]
        return f"`{choice.name}` is `{current}`: {choice.about}.\n\n" + "\n".join(lines)


def _find(name: str) -> Choice | None:
    return next((each for each in CHOICES if _plain(each.name) == _plain(name)), None)


def _plain(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")
