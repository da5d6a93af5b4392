from __future__ import annotations

from aiohttp import web

from adapters.downloads import Downloads, Wanted
from adapters.slack.downloads import slack_at


async def test_a_file_is_fetched_through_the_proxy_that_is_named_for_its_address() -> None:
    asked: list[str] = []

    async def pass_on(request: web.BaseRequest) -> web.StreamResponse:
        asked.append(str(request.url))
        return web.Response(body=b"text")

    runner = web.ServerRunner(web.Server(pass_on))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    proxy = f"http://127.0.0.1:{runner.addresses[0][1]}"
    downloads = Downloads(slack_at("http://127.0.0.1:9/api/"), max_bytes=100, proxy=lambda _: proxy)
    try:
        assert await downloads.get(Wanted(address="http://127.0.0.1:9/files-pri/a.md")) == b"text"
    finally:
        await downloads.close()
        await runner.cleanup()

    assert asked == ["http://127.0.0.1:9/files-pri/a.md"]
