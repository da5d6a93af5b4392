"""Subcommands that go on until they are told to stop: run, slack."""

from __future__ import annotations

import asyncio
import signal
from typing import TYPE_CHECKING

import click

from adapters.cli.options import run_async, settle

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractAsyncContextManager

    from adapters.serving import Connection
    from bot.bootstrap import Service
    from bot.settings import Settings


@click.command()
def run() -> int:
    """Run every configured platform, workers and the health server until SIGTERM.

    A platform is configured when its tokens are set; without one, only files that other commands queue are
    indexed. /healthz, /readyz and /metrics answer on FOOTNOTE_HTTP__HOST and __PORT.
    """
    settings = settle()
    return run_async(_serve(settings, settings.platforms))


@click.command()
def slack() -> int:
    """Run Slack, workers and the health server until SIGTERM.

    Needs FOOTNOTE_SLACK__BOT_TOKEN and either FOOTNOTE_SLACK__APP_TOKEN (Socket Mode) or
    FOOTNOTE_SLACK__SIGNING_SECRET (HTTP). docs/slack.md takes you from nothing to a first answer.
    """
    return run_async(_serve(settle(), ["Slack"]))


async def _serve(settings: Settings, platforms: Sequence[str]) -> int:
    from adapters.serving import serve
    from bot.bootstrap import open_service

    http = settings.http
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)

    def listening(port: int) -> None:
        click.echo(f"Ready; health at http://{http.host}:{port}/healthz. Stop with Ctrl-C.")

    async with open_service(settings) as service:
        try:
            await serve(service, stop, list(_opened(platforms, service)), say=click.echo, listening=listening)
        except OSError as error:
            click.echo(
                f"footnote: the health server cannot listen on {http.host}:{http.port} "
                f"({error.strerror}); set FOOTNOTE_HTTP__PORT.",
                err=True,
            )
            return 1
    return 0


def _opened(platforms: Sequence[str], service: Service) -> Iterator[AbstractAsyncContextManager[Connection]]:
    """Yield the way to each of *platforms*; one that this version cannot serve is named."""
    from bot.wording import unserved

    for platform in platforms:
        if platform == "Slack":
            from adapters.slack.program import open_slack

            yield open_slack(service)
        else:
            click.echo(f"footnote: {unserved([platform])}", err=True)
