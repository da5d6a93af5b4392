from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import aiohttp
import discord
import pytest

from tests.fakes.discord import ANNA, GENERAL, GUILD, SECOND, DiscordServer, Serving
from tests.fakes.discord.listener import Listener, pointed_at

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

HOUR, DAY = 3600.0, 24 * 3600.0


class Clock:
    """A clock that somebody may turn."""

    def __init__(self, now: float = 1000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def wall() -> Clock:
    return Clock(discord.utils.utcnow().timestamp())


@pytest.fixture
async def server(clock: Clock, wall: Clock) -> AsyncIterator[DiscordServer]:
    async with DiscordServer(clock=clock, wall=wall) as server:
        yield server


@pytest.fixture
async def session(server: DiscordServer) -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(headers={"Authorization": f"Bot {server.token}"}) as session:
        yield session


class Caller:
    """Makes calls as a careless client would."""

    def __init__(self, server: DiscordServer, session: aiohttp.ClientSession) -> None:
        self._server, self._session = server, session

    async def __call__(self, method: str, path: str, body: Any = None) -> tuple[int, Any, Any]:
        url = self._server.api_base_url + path
        async with self._session.request(method, url, json=body) as response:
            answer = await response.json() if response.status != 204 else None
            return response.status, response.headers, answer

    async def send(self, text: str = "x", channel: int = GENERAL) -> tuple[int, Any, Any]:
        return await self("POST", f"/channels/{channel}/messages", {"content": text})

    async def edit(self, message: Any, text: str = "y") -> tuple[int, Any, Any]:
        return await self("PATCH", f"/channels/{GENERAL}/messages/{message['id']}", {"content": text})


@pytest.fixture
def call(server: DiscordServer, session: aiohttp.ClientSession) -> Caller:
    return Caller(server, session)


async def test_every_answer_tells_what_is_left(call: Caller, clock: Clock) -> None:
    _, headers, _ = await call.send()
    clock.now += 2
    _, later, _ = await call.send()
    assert [one["X-RateLimit-Remaining"] for one in (headers, later)] == ["4", "3"]
    assert [one["X-RateLimit-Reset-After"] for one in (headers, later)] == ["5.000", "3.000"]
    clock.now += 3
    _, fresh, _ = await call.send()
    assert (fresh["X-RateLimit-Remaining"], fresh["X-RateLimit-Bucket"]) == (
        "4",
        headers["X-RateLimit-Bucket"],
    )


async def test_sending_and_editing_share_a_limit_unless_told_otherwise(
    server: DiscordServer, call: Caller
) -> None:
    _, _, message = await call.send()
    for _ in range(5):
        await call.edit(message)
    assert server.rates.over() == {"messages": 6}
    assert (server.rates.worst("messages"), server.rates.refusals) == (6, 0)
    await call.send(channel=SECOND)
    assert server.rates.worst("messages") == 6
    server.rates.together = False
    await call.edit(message)
    assert server.rates.worst("edits") == 1


async def test_too_many_calls_are_refused_when_asked(
    server: DiscordServer, call: Caller, clock: Clock
) -> None:
    server.rates.enforced = True
    for _ in range(5):
        await call.send()
    clock.now += 1
    status, headers, body = await call.send()
    assert (status, headers["X-RateLimit-Scope"], headers["Via"]) == (429, "user", "1.1 google")
    assert (body["retry_after"], body["global"]) == (4.0, False)
    assert server.rates.refusals == 1 and len(server.messages(GENERAL)) == 5
    clock.now += 4
    assert (await call.send())[0] == 200


async def test_there_is_a_limit_for_everything_together(
    server: DiscordServer, call: Caller, clock: Clock
) -> None:
    server.rates.enforced = True
    for number in range(50):
        await call("GET", f"/users/{number}")
    status, headers, body = await call("GET", f"/channels/{GENERAL}")
    assert (status, headers["X-RateLimit-Scope"], body["global"]) == (429, "global", True)
    clock.now += 1
    assert (await call("GET", f"/channels/{GENERAL}"))[0] == 200


async def test_old_messages_are_edited_seldom(
    server: DiscordServer, call: Caller, clock: Clock, wall: Clock
) -> None:
    server.rates.enforced = True
    _, _, message = await call.send()
    wall.now += HOUR + 1
    clock.now += HOUR + 1
    answers = [await call.edit(message, f"{n}") for n in range(4)]
    assert [status for status, _, _ in answers] == [200, 200, 200, 429]
    assert (answers[3][2]["code"], answers[3][2]["retry_after"]) == (30046, 20.0)
    assert [one.shown for one in server.replies(GENERAL)] == ["2"]


async def test_deletions_are_limited_by_age(server: DiscordServer, call: Caller, wall: Clock) -> None:
    server.rates.change("messages", 100)
    sent = [(await call.send(f"{n}"))[2]["id"] for n in range(3)]
    for age, message in zip((1, HOUR, 15 * DAY), sent, strict=True):
        wall.now += age
        await call("DELETE", f"/channels/{GENERAL}/messages/{message}")
    kinds = [server.rates.worst(kind) for kind in ("fresh deletes", "deletes", "old deletes")]
    assert kinds == [1, 1, 1]


async def test_the_real_client_waits_and_is_never_refused() -> None:
    async with DiscordServer() as server:
        server.rates.enforced = True
        server.rates.change("messages", 2, 0.2)
        with pointed_at(server):
            async with Listener() as bot:
                await bot.login(server.token)
                places = [bot.get_partial_messageable(one, guild_id=GUILD) for one in (GENERAL, SECOND)]
                await asyncio.gather(*(place.send(f"{n}") for place in places for n in range(5)))
        assert [len(server.messages(place.id)) for place in places] == [5, 5]
        assert (server.rates.refusals, server.rates.over()) == (0, {})


async def get(session: aiohttp.ClientSession, url: str) -> tuple[int, bytes, str]:
    async with session.get(url) as response:
        return response.status, await response.read(), response.headers["Content-Type"]


async def address(call: Caller, message: int) -> str:
    _, _, body = await call("GET", f"/channels/{GENERAL}/messages/{message}")
    return str(body["attachments"][0]["url"])


async def test_addresses_are_good_for_a_day(server: DiscordServer, call: Caller, wall: Clock) -> None:
    message = server.say(GENERAL, ANNA, files=[("a.txt", "content")])
    async with aiohttp.ClientSession() as session:
        url = await address(call, message.id)
        assert await get(session, url) == (200, b"content", "text/plain; charset=utf-8")
        assert (await get(session, url.replace("hm=", "hm=0")))[0] == 403
        assert (await get(session, url.partition("?")[0]))[0] == 403
        wall.now += DAY
        assert (await get(session, url))[0] == 404
        fresh = await address(call, message.id)
        assert (await get(session, fresh))[0] == 200
        server.links.expire()
        assert (await get(session, fresh))[0] == 404
        assert (await get(session, await address(call, message.id)))[0] == 200
        server.delete(message)
        assert (await get(session, fresh))[0] == 404
    assert [one.status for one in server.downloads] == [200, 403, 403, 404, 200, 404, 200, 404]
    assert not any("Authorization" in one.headers for one in server.downloads)


async def test_names_that_cannot_be_kept_become_titles(server: DiscordServer, call: Caller) -> None:
    names = ["my plan.txt", "Übersicht.pdf", "計画.pdf", "plain.txt"]
    message = server.say(GENERAL, ANNA, files=[(name, b"x") for name in names])
    _, _, body = await call("GET", f"/channels/{GENERAL}/messages/{message.id}")
    assert [(one["filename"], one.get("title")) for one in body["attachments"]] == [
        ("my_plan.txt", "my plan"),
        ("bersicht.pdf", "Übersicht"),
        ("unknown.pdf", "計画"),
        ("plain.txt", None),
    ]


@pytest.mark.parametrize(
    ("serving", "status", "body"),
    [
        (Serving(status=503), 503, None),
        (Serving(surplus=3), 200, b"contentxxx"),
        (Serving(body=b"<html>", content_type="text/html"), 200, b"<html>"),
        (Serving(delay=0.01), 200, b"content"),
        (Serving(redirect="elsewhere"), 200, b"from elsewhere"),
    ],
)
async def test_bytes_come_otherwise_than_announced(
    server: DiscordServer, call: Caller, serving: Serving, status: int, body: bytes | None
) -> None:
    if serving.redirect:
        serving.redirect = server.elsewhere
    file = server.make_file(GENERAL, "a.txt", "content", serving=serving)
    message = server.say(GENERAL, ANNA, files=[file])
    async with aiohttp.ClientSession() as session:
        found = await get(session, await address(call, message.id))
    assert found[0] == status and body in {None, found[1]}
    assert server.downloads[-1].elsewhere is bool(serving.redirect)


async def test_bytes_may_end_too_early_or_never(server: DiscordServer, call: Caller) -> None:
    cut = server.make_file(GENERAL, "a.txt", "content", serving=Serving(cut=3))
    loop = server.make_file(GENERAL, "b.txt", "content", serving=Serving(redirect="loop"))
    gate = asyncio.Event()
    stuck = server.make_file(GENERAL, "c.txt", "content", serving=Serving(gate=gate))
    said = [server.say(GENERAL, ANNA, files=[one]) for one in (cut, loop, stuck)]
    async with aiohttp.ClientSession() as session:
        with pytest.raises(aiohttp.ClientError):
            await get(session, await address(call, said[0].id))
        with pytest.raises(aiohttp.TooManyRedirects):
            await get(session, await address(call, said[1].id))
        task = asyncio.ensure_future(get(session, await address(call, said[2].id)))
        await server.until(lambda: "c.txt" in server.downloads[-1].path)
        assert not task.done()
        gate.set()
        assert (await task)[0] == 200


async def test_the_proxy_serves_pictures_only(server: DiscordServer, call: Caller) -> None:
    message = server.say(GENERAL, ANNA, files=[("a.txt", "x"), ("b.png", b"x")])
    _, _, body = await call("GET", f"/channels/{GENERAL}/messages/{message.id}")
    async with aiohttp.ClientSession() as session:
        statuses = [(await get(session, one["proxy_url"]))[0] for one in body["attachments"]]
    assert statuses == [415, 200]
