"""What discord.py raises becomes the seam's errors."""

from __future__ import annotations

import asyncio
import inspect
from types import SimpleNamespace
from typing import Any

import aiohttp
import discord
import discord.errors
import pytest
from discord import DiscordException, HTTPException

from adapters.discord.budgets import Budgets
from adapters.discord.calls import (
    _KINDS,
    FAILURES,
    PATIENCE,
    Calls,
    Gone,
    Refused,
    TooOld,
    TooSlow,
    translate,
)
from bot.chat import ChatError, MessageGone, NotAllowed, RateLimited, TooLong, Unreachable
from tests.fakes.waiting import until

SDK_ERRORS = [
    kind
    for _, kind in inspect.getmembers(discord.errors, inspect.isclass)
    if issubclass(kind, Exception) and kind.__module__ == "discord.errors"
]
ANSWERS = (HTTPException, discord.Forbidden, discord.NotFound, discord.DiscordServerError)
BY_KIND: dict[type[Exception], type[Exception]] = {discord.errors.FFmpegProcessError: discord.ClientException}
"""Those that no call of ours can raise are understood by their parent."""
TOO_LONG = {
    "content": {"_errors": [{"code": "BASE_TYPE_MAX_LENGTH", "message": "Must be 2000 or fewer in length."}]}
}
CHOICE = {"flags": {"_errors": [{"code": "BASE_TYPE_CHOICES", "message": "Not a valid flag."}]}}


def answered(
    status: int, code: int | None = None, *, headers: dict[str, str] | None = None, **more: Any
) -> HTTPException:
    """Raise what discord.py raises for an answer; without a *code* it is a page."""
    response = SimpleNamespace(status=status, reason="no", headers=headers or {})
    said = "<html></html>" if code is None else {"code": code, "message": "No.", **more}
    kinds = {403: discord.Forbidden, 404: discord.NotFound}
    kind = kinds.get(status, discord.DiscordServerError if status >= 500 else HTTPException)
    return kind(response, said)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", SDK_ERRORS)
def test_every_exception_of_the_sdk_has_a_meaning(kind: type[Exception]) -> None:
    assert BY_KIND.get(kind, kind) in {*_KINDS, *ANSWERS, discord.RateLimited}
    assert issubclass(kind, FAILURES)


def test_a_more_general_kind_never_hides_a_special_one() -> None:
    kinds = list(_KINDS)

    assert all(not issubclass(later, kind) for n, kind in enumerate(kinds) for later in kinds[n + 1 :])


class OfALaterVersion(DiscordException):
    """An exception that discord.py might add."""


@pytest.mark.parametrize(
    ("failure", "kind"),
    [
        (discord.LoginFailure("no"), NotAllowed),
        (discord.PrivilegedIntentsRequired(None), NotAllowed),
        (discord.MissingApplicationID(), NotAllowed),
        (discord.ClientException("no"), NotAllowed),
        (discord.InvalidData("no"), Unreachable),
        (discord.GatewayNotFound(), Unreachable),  # type: ignore[no-untyped-call]
        (OfALaterVersion(), Unreachable),
        (aiohttp.ServerDisconnectedError(), Unreachable),
        (aiohttp.ClientOSError(104, "Connection reset by peer"), Unreachable),
        (aiohttp.ClientPayloadError(), Unreachable),
        (ConnectionResetError(), Unreachable),
        (TimeoutError(), Unreachable),
        (RuntimeError("Session is closed"), Unreachable),
        (KeyError("retry_after"), Unreachable),
        (TypeError("string indices must be integers"), Unreachable),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_carries_no_answer_is_understood_by_its_kind(failure: Exception, kind: type[ChatError]) -> None:
    assert isinstance(failure, FAILURES)
    assert type(translate(failure)) is kind


@pytest.mark.parametrize("status", [500, 502, 503, 504, 524, 408])
@pytest.mark.parametrize("code", [None, 0, 50013])
def test_a_server_error_is_unreachable_whatever_it_says(status: int, code: int | None) -> None:
    assert isinstance(translate(answered(status, code)), Unreachable)


@pytest.mark.parametrize("code", [10003, 10004, 10008])
def test_what_was_deleted_is_gone_and_named(code: int) -> None:
    error = translate(answered(404, code))

    assert isinstance(error, MessageGone)
    assert isinstance(error, Gone)
    assert error.code == code


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (403, 50001), (403, 50013), (403, 50005), (403, 50007), (400, 50083), (403, 160002), (400, 160005),
        (400, 160006), (400, 200000), (400, 40067), (400, 50008), (400, 50024), (400, 50006), (404, 10014),
        (404, 10062), (400, 123456),
    ],
)  # fmt: skip
def test_any_other_code_is_not_allowed_and_named(status: int, code: int) -> None:
    error = translate(answered(status, code))

    assert isinstance(error, NotAllowed)
    assert isinstance(error, Refused)
    assert error.code == code


@pytest.mark.parametrize("status", [302, 400, 403, 404, 405, 413, 451])
@pytest.mark.parametrize("code", [None, 0])
def test_what_names_no_code_of_discords_comes_from_somebody_in_front_of_it(
    status: int, code: int | None
) -> None:
    assert type(translate(answered(status, code))) is Unreachable


@pytest.mark.parametrize("code", [None, 0])
def test_a_token_that_is_not_accepted_needs_no_code(code: int | None) -> None:
    error = translate(answered(401, code))

    assert isinstance(error, Refused)
    assert error.code == 401


def test_a_content_that_is_invalid_for_its_length_is_too_long() -> None:
    assert isinstance(translate(answered(400, 50035, errors=TOO_LONG)), TooLong)
    assert isinstance(translate(answered(413, 40005)), TooLong)
    assert isinstance(translate(answered(400, 50035, errors=CHOICE)), Refused)
    assert isinstance(translate(answered(400, 50035)), Refused)


def test_what_discord_says_is_not_repeated() -> None:
    secret = {"content": {"_errors": [{"code": "X", "message": "The secret plan"}]}}

    assert "secret" not in str(translate(answered(400, 50035, errors=secret)))


@pytest.mark.parametrize(
    ("failure", "seconds"),
    [
        (discord.RateLimited(75.0), 75.0),
        (answered(429, 0, headers={"Retry-After": "30"}), 30.0),
        (answered(429, headers={"Retry-After": "0.5"}), 0.5),
        (answered(429, headers={"Retry-After": "86400"}), 3600.0),
        (answered(429, headers={"Retry-After": "soon"}), PATIENCE),
        (answered(429, headers={"Retry-After": "nan"}), PATIENCE),
        (answered(429, headers={"Retry-After": "-3"}), 0.0),
        (answered(429), PATIENCE),
    ],
)
def test_a_wait_is_as_long_as_discord_says(failure: Exception, seconds: float) -> None:
    error = translate(failure)

    assert type(error) is RateLimited
    assert error.retry_after == seconds


def test_edits_of_old_messages_have_a_wait_of_their_own() -> None:
    error = translate(answered(429, 30046, headers={"Retry-After": "20"}))

    assert isinstance(error, TooOld)
    assert error.retry_after == 20.0


class Work:
    """A call of discord.py that raises or returns what it was told to."""

    def __init__(self, *outcomes: Exception | str) -> None:
        self._outcomes = list(outcomes)
        self.made = 0

    async def __call__(self) -> str:
        self.made += 1
        outcome = self._outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome


async def test_what_the_call_comes_to_is_returned() -> None:
    assert await Calls(Budgets(), lambda: 0.0).call(Work("yes")) == "yes"


async def test_the_sdks_exception_is_the_cause() -> None:
    failure = answered(403, 50013)

    with pytest.raises(Refused) as caught:
        await Calls(Budgets(), lambda: 0.0).call(Work(failure))

    assert caught.value.__cause__ is failure


async def test_a_call_that_there_is_no_room_for_is_not_made() -> None:
    calls, work = Calls(Budgets(), lambda: 0.0), Work(*["yes"] * 9)
    for _ in range(5):
        await calls.call(work, channel=1)

    with pytest.raises(RateLimited):
        await calls.call(work, channel=1)

    assert work.made == 5
    await calls.call(work, channel=2)
    await calls.call(work)


async def test_in_one_channel_one_call_is_made_at_a_time() -> None:
    calls, going, most = Calls(Budgets(), lambda: 0.0), 0, 0

    async def work() -> None:
        nonlocal going, most
        going += 1
        most = max(most, going)
        await asyncio.sleep(0)
        going -= 1

    await asyncio.gather(*(calls.call(work, channel=1) for _ in range(4)))
    assert most == 1
    await asyncio.gather(*(calls.call(work, channel=channel) for channel in range(2, 6)))
    assert most == 4


async def test_what_may_be_left_out_does_not_wait_for_what_uses_up_the_rest() -> None:
    calls, gate = Calls(Budgets(), lambda: 0.0), asyncio.Event()
    for _ in range(4):
        await calls.call(Work("yes"), channel=1, intermediate=True)
    last = asyncio.create_task(calls.call(gate.wait, channel=1))
    await asyncio.sleep(0)

    with pytest.raises(RateLimited):
        await calls.call(Work("yes"), channel=1, intermediate=True)
    gate.set()

    assert await last


async def test_a_call_that_takes_too_long_is_given_up() -> None:
    with pytest.raises(TooSlow):
        await Calls(Budgets(), lambda: 0.0).call(asyncio.Event().wait, seconds=0.01)


async def test_where_discord_py_does_not_bear_it_a_call_that_is_given_up_ends_by_itself() -> None:
    calls, gate, ended = Calls(Budgets(), lambda: 0.0, breakable=lambda: False), asyncio.Event(), []

    async def work() -> None:
        await gate.wait()
        ended.append(True)

    with pytest.raises(TooSlow):
        await calls.call(work, seconds=0.01)
    cancelled = asyncio.create_task(calls.call(work))
    await asyncio.sleep(0)
    cancelled.cancel()
    with pytest.raises(asyncio.CancelledError):
        await cancelled
    gate.set()

    await until(lambda: len(ended) == 2)


async def test_what_was_given_up_and_goes_on_is_never_overtaken() -> None:
    calls, gate, order = Calls(Budgets(), lambda: 0.0, breakable=lambda: False), asyncio.Event(), []

    async def first() -> None:
        await gate.wait()
        order.append(1)
        raise OSError

    async def second() -> None:
        order.append(2)

    with pytest.raises(TooSlow):
        await calls.call(first, channel=1, seconds=0.01)
    last = asyncio.create_task(calls.call(second, channel=1))
    await asyncio.sleep(0)
    gate.set()
    await last

    assert order == [1, 2]


async def test_a_call_that_was_in_time_and_timed_out_itself_is_just_unreachable() -> None:
    with pytest.raises(Unreachable) as caught:
        await Calls(Budgets(), lambda: 0.0).call(Work(TimeoutError()))

    assert not isinstance(caught.value, TooSlow)


async def test_whoever_cancels_a_call_is_obeyed() -> None:
    call = asyncio.create_task(Calls(Budgets(), lambda: 0.0).call(asyncio.Event().wait))
    await asyncio.sleep(0)
    call.cancel()

    with pytest.raises(asyncio.CancelledError):
        await call


async def test_after_a_refusal_for_the_rate_the_channel_is_left_alone_until_then() -> None:
    now = [0.0]
    calls = Calls(Budgets(), lambda: now[0])
    work = Work(answered(429, headers={"Retry-After": "9"}), "yes", "yes")
    for at in (0.0, 5.0):
        now[0] = at
        with pytest.raises(RateLimited) as caught:
            await calls.call(work, channel=1)
    await calls.call(work, channel=2)
    now[0] = 9.0
    await calls.call(work, channel=1)

    assert caught.value.retry_after == pytest.approx(4.0)
    assert work.made == 3


async def test_a_limit_for_old_messages_says_nothing_of_new_ones() -> None:
    calls = Calls(Budgets(), lambda: 0.0)
    with pytest.raises(TooOld):
        await calls.call(Work(answered(429, 30046)), channel=1, old=True)

    with pytest.raises(RateLimited):
        await calls.call(Work("yes"), channel=1, old=True)
    assert await calls.call(Work("yes"), channel=1) == "yes"
