"""The Web API: what every method has in common."""

from __future__ import annotations

import json
from base64 import b64decode
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aiohttp import web

from tests.fakes.loopback import hang_up
from tests.fakes.slack.blocks import BlocksRefused
from tests.fakes.slack.state import Call

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.fakes.slack.faults import Fault
    from tests.fakes.slack.state import State
    from tests.fakes.slack.world import Workspace

JSON_ARGUMENTS = frozenset(
    {"attachments", "blocks", "chunks", "loading_messages", "metadata", "prompts", "view", "unfurls"}
)
TOKENLESS = frozenset({"oauth.v2.access"})


class ApiError(Exception):
    """A method says no; the text is Slack's code, the details go into the answer beside it."""

    def __init__(self, code: str, **details: Any) -> None:
        super().__init__(code)
        self.details = details


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who calls a method, and with what."""

    workspace: Workspace
    token: str
    arguments: dict[str, Any]
    credentials: tuple[str, str] = ("", "")
    """Client id and secret, where they take the place of a token."""

    def need(self, *names: str) -> list[str]:
        """Return arguments that must be there."""
        missing = [name for name in names if self.arguments.get(name) in {None, ""}]
        if missing:
            raise ApiError("invalid_arguments", response_metadata={"messages": [f"missing: {missing[0]}"]})
        return [str(self.arguments[name]) for name in names]

    def flag(self, name: str) -> bool:
        return self.arguments.get(name) in {True, "1", "true", "True"}


_METHODS: dict[str, tuple[Callable[[Any, Caller], dict[str, Any]], str | None]] = {}


def method(
    name: str, *, scope: str | None = None
) -> Callable[[Callable[[Any, Caller], dict[str, Any]]], Callable[[Any, Caller], dict[str, Any]]]:
    """Make the function below what *name* does, for callers that have *scope*."""

    def keep(does: Callable[[Any, Caller], dict[str, Any]]) -> Callable[[Any, Caller], dict[str, Any]]:
        _METHODS[name] = (does, scope)
        return does

    return keep


class WebApi:
    """Answers ``/api/<method>``."""

    def __init__(self, state: State) -> None:
        self._state = state

    async def handle(self, request: web.Request) -> web.StreamResponse:
        state = self._state
        arguments = await _arguments(request)
        token = request.headers.get("Authorization", "").removeprefix("Bearer ") or arguments.get("token", "")
        call = Call(
            method=request.match_info["method"], arguments=arguments, token=str(token), at=state.clock()
        )
        state.calls.append(call)
        call.workspace = next((one.id for one in state.workspaces.values() if one.token == token), "")
        wait = state.rates.take(call.method, call.workspace, str(arguments.get("channel", "")))
        if wait is not None:
            return _answer(call, {"ok": False, "error": "ratelimited"}, 429, {"Retry-After": str(wait)})
        return await self._with_faults(request, call)

    async def _with_faults(self, request: web.Request, call: Call) -> web.StreamResponse:
        fault = self._state.faults.next(call.method, call.arguments)
        if fault is None:
            return self._answered(request, call)
        await fault.wait(late=False)
        if fault.reset == "before":
            return _reset(request, call)
        if fault.error or fault.status != 200:
            return _refused(call, fault)
        response = self._answered(request, call)
        await fault.wait(late=True)
        return _reset(request, call) if fault.reset == "after" else response

    def _answered(self, request: web.Request, call: Call) -> web.StreamResponse:
        headers: dict[str, str] = {}
        try:
            caller = _caller(self._state, call, request.headers.get("Authorization", ""))
            headers["x-oauth-scopes"] = ",".join(sorted(caller.workspace.scopes))
            body = {"ok": True, **_does(call.method, caller.workspace.scopes)(self._state, caller)}
        except BlocksRefused as refused:
            body = {"ok": False, "error": str(refused)}
        except ApiError as error:
            body = {"ok": False, "error": str(error), **error.details}
        return _answer(call, body, 200, headers)


def _does(name: str, provided: set[str]) -> Callable[[Any, Caller], dict[str, Any]]:
    if name not in _METHODS:
        raise ApiError("unknown_method", req_method=name)
    does, scope = _METHODS[name]
    if scope is not None and not provided & set(scope.split("|")):
        needed = scope.replace("|", ",")
        raise ApiError("missing_scope", needed=needed, provided=",".join(sorted(provided)))
    return does


def _caller(state: State, call: Call, authorization: str) -> Caller:
    if call.method in TOKENLESS:
        space = next(iter(state.workspaces.values()))
        return Caller(workspace=space, token="", arguments=call.arguments, credentials=_basic(authorization))
    return Caller(
        workspace=_workspace(state, call.method, call.token), token=call.token, arguments=call.arguments
    )


def _workspace(state: State, name: str, token: str) -> Workspace:
    if not token:
        raise ApiError("not_authed")
    own = {"apps.connections.open": state.app_token, "apps.manifest.export": state.config_token}
    kinds = {"apps.connections.open": "xapp-", "apps.manifest.export": "xoxe.xoxp-"}
    if not token.startswith(kinds.get(name, "xoxb-")):
        known = token.startswith(("xapp-", "xoxb-", "xoxp-", "xoxe."))
        raise ApiError("not_allowed_token_type" if known else "invalid_auth")
    if name in own:
        if token != own[name]:
            raise ApiError("invalid_auth")
        return next(iter(state.workspaces.values()))
    found = next((one for one in state.workspaces.values() if one.token == token), None)
    if found is None:
        raise ApiError("invalid_auth")
    if not found.installed:
        raise ApiError("account_inactive")
    return found


def _basic(authorization: str) -> tuple[str, str]:
    if not authorization.startswith("Basic "):
        return "", ""
    name, _, secret = b64decode(authorization.removeprefix("Basic ")).decode().partition(":")
    return name, secret


async def _arguments(request: web.Request) -> dict[str, Any]:
    arguments: dict[str, Any] = dict(request.query)
    if request.content_type == "application/json":
        text = await request.text()
        arguments |= json.loads(text) if text else {}
    else:
        arguments |= dict(await request.post())
    for name in JSON_ARGUMENTS & arguments.keys():
        if isinstance(arguments[name], str):
            arguments[name] = _parsed(arguments[name])
    return arguments


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _refused(call: Call, fault: Fault) -> web.Response:
    headers = {} if fault.retry_after is None else {"Retry-After": f"{fault.retry_after:g}"}
    if fault.error is None:
        call.status = fault.status
        return web.Response(status=fault.status, text="<html>Server Error</html>", content_type="text/html")
    return _answer(call, {"ok": False, "error": fault.error}, fault.status, headers)


def _reset(request: web.Request, call: Call) -> web.Response:
    call.status = 0
    return hang_up(request)


def _answer(call: Call, body: dict[str, Any], status: int, headers: dict[str, str]) -> web.Response:
    call.status, call.error, call.response = status, str(body.get("error", "")), body
    return web.json_response(body, status=status, headers=headers)
