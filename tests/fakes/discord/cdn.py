"""Bytes of attachments, and another host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aiohttp import web

from tests.fakes.discord.state import Download

if TYPE_CHECKING:
    from tests.fakes.discord.messages import Attachment
    from tests.fakes.discord.state import State

PROXIED = ("image/", "video/", "audio/")
GONE = "This content is no longer available."


class Cdn:
    """Serves ``/attachments/CHANNEL/ATTACHMENT/name`` to whoever has a good address."""

    def __init__(self, state: State) -> None:
        self._state = state

    def mount(self, app: web.Application) -> None:
        path = "/attachments/{channel}/{attachment}/{name}"
        app.router.add_get(path, self.serve)
        app.router.add_get("/proxy" + path, self.serve_proxied)

    async def serve(self, request: web.Request) -> web.StreamResponse:
        attachment = self._found(request)
        if attachment is None or attachment.gone:
            return self._refused(request, 404)
        refusal = self._state.links.refusal(attachment, request.query)
        if refusal is not None:
            return self._refused(request, refusal)
        return await self._send(request, attachment)

    async def serve_proxied(self, request: web.Request) -> web.StreamResponse:
        """Serve what the media proxy serves: images, videos and sounds."""
        attachment = self._found(request)
        if attachment is not None and not (attachment.content_type or "").startswith(PROXIED):
            return self._refused(request, 415)
        return await self.serve(request)

    async def serve_elsewhere(self, request: web.Request) -> web.StreamResponse:
        """Answer at another host."""
        self._note(request, 200, elsewhere=True)
        return web.Response(body=b"from elsewhere", content_type="text/plain")

    def _found(self, request: web.Request) -> Attachment | None:
        number = request.match_info["attachment"]
        return self._state.attachments.get(int(number)) if number.isdigit() else None

    def _refused(self, request: web.Request, status: int) -> web.Response:
        self._note(request, status)
        return web.Response(status=status, text=GONE)

    def _note(self, request: web.Request, status: int, *, elsewhere: bool = False) -> None:
        download = Download(
            path=request.path_qs,
            headers=dict(request.headers),
            at=self._state.clock(),
            status=status,
            elsewhere=elsewhere,
        )
        self._state.downloads.append(download)

    async def _send(self, request: web.Request, attachment: Attachment) -> web.StreamResponse:
        serving = attachment.serving
        if serving.redirect is not None:
            self._note(request, 302)
            return serving.elsewhere(request)
        if serving.status != 200:
            return self._refused(request, serving.status)
        self._note(request, 200)
        kind = serving.content_type or attachment.content_type or "application/octet-stream"
        content = attachment.content if serving.body is None else serving.body
        return await serving.send(request, content, kind)
