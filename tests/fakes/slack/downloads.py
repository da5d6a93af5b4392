"""Bytes of files, another host, and the addresses that interactions are answered at."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from aiohttp import web

from tests.fakes.slack.state import Download
from tests.fakes.slack.world import Ephemeral, Message

if TYPE_CHECKING:
    from tests.fakes.slack.shared_files import File
    from tests.fakes.slack.state import ResponseUrl, State

LOGIN = "<!DOCTYPE html><html><head><title>Login | Slack</title></head><body>Sign in, please</body></html>"
RESPONSE_SECONDS = 30 * 60


class Downloads:
    """Serves ``/files-pri/TEAM-FILE/download/name`` to whoever shows a token."""

    def __init__(self, state: State) -> None:
        self._state = state

    async def serve(self, request: web.Request) -> web.StreamResponse:
        self._note(request)
        team, _, number = request.match_info["file"].partition("-")
        space = self._state.workspaces.get(team)
        file = space.files.get(number) if space is not None else None
        if file is None:
            return web.Response(status=404)
        if file.deleted:
            return web.Response(status=410)
        if file.serving.login or not self._may_read(request, file):
            return web.Response(text=LOGIN, content_type="text/html", charset="utf-8")
        return await self._send(request, file)

    async def serve_elsewhere(self, request: web.Request) -> web.StreamResponse:
        """Answer at another host, which must never see a token."""
        self._note(request, elsewhere=True)
        return web.Response(body=b"stolen", content_type="text/plain")

    def _note(self, request: web.Request, *, elsewhere: bool = False) -> None:
        authorization = request.headers.get("Authorization", "")
        at = self._state.clock()
        self._state.downloads.append(
            Download(path=request.path_qs, authorization=authorization, at=at, elsewhere=elsewhere)
        )

    def _may_read(self, request: web.Request, file: File) -> bool:
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        return any(
            space.token == token
            and space.installed
            and "files:read" in space.scopes
            and any(one in space.channels and space.bot in space.channels[one].members for one in file.shares)
            for space in self._state.workspaces.values()
        )

    async def _send(self, request: web.Request, file: File) -> web.StreamResponse:
        serving = file.serving
        if serving.redirect is not None:
            return serving.elsewhere(request)
        if serving.status != 200:
            return web.Response(status=serving.status, text="no")
        return await serving.send(request, file.content, file.mimetype)


class ResponseUrls:
    """Serves ``/response/<id>``: answers to interactions, for which no token is needed."""

    def __init__(self, state: State) -> None:
        self._state = state

    async def serve(self, request: web.Request) -> web.StreamResponse:
        state = self._state
        url = state.response_urls.get(request.match_info["id"])
        if url is None or not url.left or state.clock() - url.made > RESPONSE_SECONDS:
            return web.json_response({"ok": False, "error": "used_url"}, status=404)
        url.left -= 1
        self._answer(url, await request.json())
        return web.json_response({"ok": True})

    def _answer(self, url: ResponseUrl, body: dict[str, Any]) -> None:
        if body.get("delete_original") or body.get("replace_original"):
            self._change(url, body)
        elif body.get("response_type") == "in_channel":
            self._post(url, body)
        else:
            self._state.ephemerals.append(self._ephemeral(url, body))

    def _ephemeral(self, url: ResponseUrl, body: dict[str, Any]) -> Ephemeral:
        return Ephemeral(
            channel=url.channel,
            user=url.user,
            text=str(body.get("text") or ""),
            blocks=body.get("blocks") or [],
            ts=self._state.ts(),
            thread_ts=body.get("thread_ts") or url.thread,
            arguments=body,
        )

    def _post(self, url: ResponseUrl, body: dict[str, Any]) -> None:
        state, space = self._state, self._state.home_of(url.channel)
        message = Message(
            channel=url.channel,
            ts=state.ts(),
            user=space.bot,
            bot_id=space.bot_id,
            text=str(body.get("text") or ""),
            blocks=body.get("blocks") or [],
            thread_ts=body.get("thread_ts") or url.thread,
            arguments=body,
        )
        state.channel(url.channel).messages[message.ts] = message
        message.note()

    def _change(self, url: ResponseUrl, body: dict[str, Any]) -> None:
        state = self._state
        for index, ephemeral in enumerate(state.ephemerals):
            if ephemeral.ts == url.ts:
                text, blocks = str(body.get("text") or ""), body.get("blocks") or []
                state.ephemerals[index] = replace(ephemeral, text=text, blocks=blocks, arguments=body)
                return
        message = state.channel(url.channel).messages.get(url.ts or "")
        if message is not None:
            message.deleted = bool(body.get("delete_original"))
            message.text, message.blocks = str(body.get("text") or ""), body.get("blocks") or []
            message.note()
