"""What the SDK raises becomes the seam's errors."""

from __future__ import annotations

import inspect
import json
from typing import Any, ClassVar

import aiohttp
import pytest
import slack_sdk.errors
from slack_sdk.errors import SlackApiError, SlackClientError, SlackTokenRotationError
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from adapters.slack.budgets import Budgets
from adapters.slack.calls import _KINDS, FAILURES, PATIENCE, Calls, Refused, translate
from bot.chat import ChatError, MessageGone, NotAllowed, RateLimited, TooLong, Unreachable

SDK_ERRORS = [
    kind
    for _, kind in inspect.getmembers(slack_sdk.errors, inspect.isclass)
    if issubclass(kind, Exception) and kind.__module__ == "slack_sdk.errors"
]
MAPPED = {SlackApiError, SlackTokenRotationError, *_KINDS}


def answer(
    code: str | None = None, *, status: int = 200, headers: dict[str, str] | None = None, **more: Any
) -> AsyncSlackResponse:
    data = {"ok": False, **({"error": code} if code else {}), **more}
    return AsyncSlackResponse(
        client=None,
        http_verb="POST",
        api_url="",
        req_args={},
        data=data,
        headers=headers or {},
        status_code=status,
    )


def api_error(response: Any) -> SlackApiError:
    return SlackApiError("no", response)  # type: ignore[no-untyped-call]


def refused(code: str | None = None, **more: Any) -> SlackApiError:
    return api_error(answer(code, **more))


@pytest.mark.parametrize("kind", SDK_ERRORS)
def test_every_exception_of_the_sdk_has_a_meaning_of_its_own(kind: type[Exception]) -> None:
    assert kind in MAPPED
    assert issubclass(kind, FAILURES)


@pytest.mark.parametrize("kind", sorted(_KINDS, key=str))
def test_the_sdks_exceptions_become_errors_of_the_seam(kind: type[Exception]) -> None:
    assert type(translate(kind("a text"))) is _KINDS[kind]


def test_a_more_general_kind_never_hides_a_special_one() -> None:
    kinds = list(_KINDS)

    assert all(not issubclass(later, kind) for n, kind in enumerate(kinds) for later in kinds[n + 1 :])


class OutsideOfSlack(SlackClientError):
    """An exception that a later SDK might add."""


@pytest.mark.parametrize(
    "failure",
    [
        aiohttp.ServerDisconnectedError(),
        aiohttp.ClientPayloadError(),
        aiohttp.ClientConnectionError(),
        aiohttp.ServerTimeoutError(),
        TimeoutError(),
        ConnectionResetError(),
        json.JSONDecodeError("no", "", 0),
        UnicodeDecodeError("utf-8", b"\xff", 0, 1, "no"),
        AttributeError("'list' object has no attribute 'get'"),
        OutsideOfSlack(),
    ],
    ids=lambda failure: type(failure).__name__,
)
def test_what_never_came_back_is_unreachable(failure: Exception) -> None:
    assert isinstance(failure, FAILURES)
    assert isinstance(translate(failure), Unreachable)


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_a_server_error_is_unreachable_whatever_it_says(status: int) -> None:
    assert isinstance(translate(refused(status=status)), Unreachable)
    assert isinstance(translate(refused("not_in_channel", status=status)), Unreachable)


@pytest.mark.parametrize(
    "code", ["internal_error", "fatal_error", "service_unavailable", "request_timeout", "update_failed"]
)
def test_a_fault_of_slacks_own_is_unreachable(code: str) -> None:
    assert isinstance(translate(refused(code)), Unreachable)


@pytest.mark.parametrize(
    ("failure", "seconds"),
    [
        (refused("ratelimited", status=429, headers={"Retry-After": "30"}), 30.0),
        (refused("ratelimited", status=429, headers={"Retry-After": "0.5"}), 0.5),
        (refused(status=429), PATIENCE),
        (refused("rate_limited"), PATIENCE),
        (refused("ratelimited", headers={"Retry-After": "soon"}), PATIENCE),
        (refused("ratelimited", headers={"Retry-After": "nan"}), PATIENCE),
        (refused("ratelimited", headers={"Retry-After": "-3"}), 0.0),
        (refused("ratelimited", headers={"Retry-After": "inf"}), 3600.0),
    ],
)
def test_a_wait_is_as_long_as_slack_says(failure: SlackApiError, seconds: float) -> None:
    error = translate(failure)

    assert isinstance(error, RateLimited)
    assert error.retry_after == seconds


@pytest.mark.parametrize("code", ["message_not_found", "thread_not_found", "invalid_thread_ts"])
def test_what_was_deleted_is_gone(code: str) -> None:
    assert isinstance(translate(refused(code)), MessageGone)


@pytest.mark.parametrize("code", ["msg_too_long", "msg_blocks_too_long", "msg_blocks_too_many"])
def test_what_slack_takes_only_shorter_is_too_long(code: str) -> None:
    assert isinstance(translate(refused(code)), TooLong)


def test_blocks_that_are_invalid_because_of_a_length_are_too_long() -> None:
    long = {"messages": ["[ERROR] must be less than 3001 characters [json-pointer:/blocks/0/text/text]"]}
    other = {"messages": ["[ERROR] unsupported type: markdown [json-pointer:/blocks/0/type]"]}

    assert isinstance(translate(refused("invalid_blocks", response_metadata=long)), TooLong)
    assert isinstance(translate(refused("invalid_blocks", errors=long["messages"])), TooLong)
    assert isinstance(translate(refused("invalid_blocks", response_metadata=other)), Refused)
    assert isinstance(translate(refused("invalid_blocks")), Refused)


@pytest.mark.parametrize(
    "code",
    [
        "not_in_channel", "channel_not_found", "is_archived", "restricted_action_thread_locked",
        "invalid_auth",
        "token_revoked", "missing_scope", "message_not_owned_by_app", "channel_type_not_supported",
        "streaming_state_conflict", "stopped_by_user", "a_code_that_slack_adds_tomorrow",
    ],
)  # fmt: skip
def test_any_other_code_is_not_allowed_and_named(code: str) -> None:
    error = translate(refused(code))

    assert isinstance(error, NotAllowed)
    assert isinstance(error, Refused)
    assert error.code == code
    assert code in str(error)


def test_what_is_no_code_is_not_repeated() -> None:
    error = translate(refused("The secret plan\nis <@U1>"))

    assert isinstance(error, Refused)
    assert "secret" not in str(error)


def test_an_answer_without_a_code_is_unreachable() -> None:
    """A page of a proxy, with status 200."""
    assert isinstance(translate(refused()), Unreachable)


@pytest.mark.parametrize(("status", "kind"), [(429, RateLimited), (500, Unreachable), (200, Unreachable)])
def test_an_answer_that_is_no_json_is_understood_by_its_status(status: int, kind: type[ChatError]) -> None:
    class Raw:  # aiohttp's response, which the SDK hands out then
        headers: ClassVar[dict[str, str]] = {}

        def __init__(self) -> None:
            self.status = status

    assert type(translate(api_error(Raw()))) is kind


def test_a_failed_token_rotation_means_what_slack_answered() -> None:
    assert isinstance(translate(SlackTokenRotationError(refused("ratelimited"))), RateLimited)


class Client:
    """The SDK's client as far as a call needs it."""

    def __init__(self, *answers: Exception | dict[str, Any]) -> None:
        self._answers = list(answers)
        self.calls: list[dict[str, Any]] = []

    async def chat_update(self, **arguments: Any) -> AsyncSlackResponse:
        self.calls.append(arguments)
        said = self._answers.pop(0)
        if isinstance(said, Exception):
            raise said
        return answer(**said)


class Places:
    def __init__(self, client: Any) -> None:
        self._client = client

    async def client(self, team: str) -> Any:
        return self._client

    async def identity(self, team: str) -> Any:
        raise AssertionError(team)


async def test_an_answer_comes_back_as_slack_gave_it() -> None:
    client = Client({"ts": "1.2"})
    calls = Calls(Places(client), Budgets(), lambda: 0.0)

    said = await calls.call("T1", "chat.update", channel="C1", ts="1.2", text="Hello")

    assert said["ts"] == "1.2"
    assert client.calls == [{"channel": "C1", "ts": "1.2", "text": "Hello"}]


async def test_after_a_refusal_for_the_rate_slack_is_left_alone_until_it_said() -> None:
    client, now = Client(refused("ratelimited", status=429, headers={"Retry-After": "9"}), {}), [0.0]
    calls = Calls(Places(client), Budgets(), lambda: now[0])

    for at in (0.0, 5.0):
        now[0] = at
        with pytest.raises(RateLimited) as caught:
            await calls.call("T1", "chat.update", channel="C1")
    now[0] = 9.0
    await calls.call("T1", "chat.update", channel="C1")

    assert caught.value.retry_after == pytest.approx(4.0)
    assert len(client.calls) == 2


async def test_the_sdks_exception_is_the_cause() -> None:
    failure = refused("not_in_channel")
    calls = Calls(Places(Client(failure)), Budgets(), lambda: 0.0)

    with pytest.raises(Refused) as caught:
        await calls.call("T1", "chat.update", channel="C1")

    assert caught.value.__cause__ is failure


async def test_a_method_that_the_sdk_does_not_know_is_a_fault_of_ours() -> None:
    calls = Calls(Places(Client()), Budgets(), lambda: 0.0)

    with pytest.raises(AttributeError):
        await calls.call("T1", "chat.upgrade", channel="C1")
