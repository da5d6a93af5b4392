"""Calls of the REST API on their way in and out: tokens, limits, and what goes wrong."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aiohttp import web

from tests.fakes.discord.errors import ApiError
from tests.fakes.loopback import hang_up

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Protocol

    from tests.fakes.discord.faults import Fault
    from tests.fakes.discord.rates import Verdict
    from tests.fakes.discord.rooms import Rooms

    class Handler(Protocol):
        """Does what a call asks for. Returns the answer, `None` if it has no content."""

        def __call__(self, server: Any, call: Call, /) -> Any: ...


PREFIX = "/api/v10"
VIA = {"Via": "1.1 google"}
UNAUTHORIZED = {"message": "401: Unauthorized", "code": 0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """One kind of call."""

    name: str
    method: str
    path: str
    limit: str | Callable[[Rooms, Call], str]
    status: int
    open: bool
    """No bot token is needed: there is another secret in the path."""
    handler: Handler


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """One file that came with a call."""

    name: str
    content: bytes


@dataclass(slots=True, kw_only=True, eq=False)
class Call:
    """One call of the REST API."""

    route: str
    """Its short name, such as ``send`` or ``edit``."""
    method: str
    path: str
    ids: dict[str, str]
    """What stands in the path."""
    query: dict[str, str]
    payload: Any
    files: dict[int, Upload] = field(default_factory=dict)
    at: float = 0.0
    status: int = 0
    """0: the connection was reset."""
    code: int = 0
    """Discord's own, of a refusal."""
    answer: Any = None

    def id(self, name: str) -> int:
        """Return an id of the path. Raises `ApiError` when it is none."""
        value = self.ids[name]
        if not value.isdigit():
            raise ApiError(50035, "Invalid Form Body", status=400)
        return int(value)

    @property
    def body(self) -> dict[str, Any]:
        return self.payload if isinstance(self.payload, dict) else {}


ROUTES: list[Route] = []


def route(
    name: str,
    method: str,
    path: str,
    *,
    limit: str | Callable[[Any, Call], str] = "other",
    status: int = 200,
    open: bool = False,  # noqa: A002 (nothing is opened here)
) -> Callable[[Handler], Handler]:
    """Register what a call of *path* does."""

    def register(handler: Handler) -> Handler:
        ROUTES.append(
            Route(name=name, method=method, path=path, limit=limit, status=status, open=open, handler=handler)
        )
        return handler

    return register


class Rest:
    """Serves every registered route."""

    def __init__(self, server: Rooms) -> None:
        self._server = server

    def mount(self, app: web.Application) -> None:
        for one in ROUTES:
            app.router.add_route(one.method, PREFIX + one.path, self._serving(one))
        app.router.add_route("*", PREFIX + "/{path:.*}", self._unknown)

    def _serving(self, one: Route) -> Callable[[web.Request], Any]:
        async def serve(request: web.Request) -> web.StreamResponse:
            return await self._serve(one, request)

        return serve

    async def _unknown(self, request: web.Request) -> web.StreamResponse:
        path = request.path.removeprefix(PREFIX)
        call = Call(route="unknown", method=request.method, path=path, ids={}, query={}, payload=None)
        self._server.calls.append(call)
        return _answer(call, {"message": "404: Not Found", "code": 0}, 404, {})

    async def _serve(self, one: Route, request: web.Request) -> web.StreamResponse:
        call = await _call(one, request)
        server = self._server
        call.at = server.clock()
        server.calls.append(call)
        if not one.open and request.headers.get("Authorization") != f"Bot {server.token}":
            return _answer(call, UNAUTHORIZED, 401, {})
        verdict = self._limited(one, call)
        headers = verdict.headers(server.wall()) if server.rates.told else {}
        if verdict.refused:
            return _too_many(call, verdict, headers)
        return await self._with_faults(request, one, call, headers)

    def _limited(self, one: Route, call: Call) -> Verdict:
        name = one.limit if isinstance(one.limit, str) else one.limit(self._server, call)
        place = next((call.ids[key] for key in ("channel", "guild", "token") if key in call.ids), "")
        return self._server.rates.take(name, place or one.path, everywhere=not one.open)

    async def _with_faults(
        self, request: web.Request, one: Route, call: Call, headers: dict[str, str]
    ) -> web.StreamResponse:
        fault = self._server.faults.next(call.route, call)
        if fault is None:
            return self._does(one, call, headers)
        await fault.wait(late=False)
        if fault.reset == "before":
            return _reset(request, call)
        if fault.status != 200 and not fault.done:
            return _failed(call, fault)
        response = self._does(one, call, headers)
        await fault.wait(late=True)
        if fault.reset == "after":
            return _reset(request, call)
        return _failed(call, fault) if fault.done else response

    def _does(self, one: Route, call: Call, headers: Mapping[str, str]) -> web.StreamResponse:
        try:
            body = one.handler(self._server, call)
        except ApiError as error:
            return _answer(call, error.described(), error.status, {**headers, **VIA})
        return _answer(call, body, 204 if body is None else one.status, {**headers, **VIA})


async def _call(one: Route, request: web.Request) -> Call:
    payload, files = await _read(request)
    return Call(
        route=one.name,
        method=one.method,
        path=request.path.removeprefix(PREFIX),
        ids=dict(request.match_info),
        query=dict(request.query),
        payload=payload,
        files=files,
    )


async def _read(request: web.Request) -> tuple[Any, dict[int, Upload]]:
    if not request.can_read_body:
        return None, {}
    if not request.content_type.startswith("multipart/"):
        text = await request.text()
        return (json.loads(text) if text else None), {}
    form = await request.post()
    files = {
        int(name.removeprefix("files[").rstrip("]")): Upload(name=part.filename, content=part.file.read())
        for name, part in form.items()
        if isinstance(part, web.FileField)
    }
    return json.loads(str(form["payload_json"])), files


def _too_many(call: Call, verdict: Verdict, headers: dict[str, str]) -> web.Response:
    scope = "global" if verdict.everywhere else "user"
    wait = verdict.reset_after
    said = {"message": "You are being rate limited.", "retry_after": wait, "global": verdict.everywhere}
    more = {"Retry-After": str(int(wait) + 1), "X-RateLimit-Scope": scope}
    return _answer(call, said, 429, {**headers, **more, **VIA})


def _failed(call: Call, fault: Fault) -> web.Response:
    if fault.body is not None:
        return _answer(call, fault.body, fault.status, fault.headers)
    call.status = fault.status
    page = "<html><body>Something went wrong</body></html>"
    return web.Response(status=fault.status, text=page, content_type="text/html", headers=fault.headers)


def _reset(request: web.Request, call: Call) -> web.Response:
    call.status = 0
    return hang_up(request)


def _answer(call: Call, body: Any, status: int, headers: Mapping[str, str]) -> web.Response:
    call.status, call.answer = status, body
    call.code = int(body.get("code", 0)) if status >= 400 else 0
    if status == 204:
        return web.Response(status=204, headers=headers)
    # the client looks for exactly this; with a charset after it, it would not read JSON
    said = {**headers, "Content-Type": "application/json"}
    return web.Response(body=json.dumps(body).encode(), status=status, headers=said)
