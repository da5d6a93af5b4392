"""Subcommands that go on until they are told to stop: run, slack, discord."""

from __future__ import annotations

import asyncio
import signal
from typing import TYPE_CHECKING

import click

from adapters.cli.options import run_async, settle

if TYPE_CHECKING:
    from collections.abc import Sequence

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


@click.command()
def discord() -> int:
    """Run Discord, workers and the health server until SIGTERM.

    Needs FOOTNOTE_DISCORD__TOKEN. docs/discord.md takes you from nothing to a first answer.
    """
    return run_async(_serve(settle(), ["Discord"]))


async def _serve(settings: Settings, platforms: Sequence[str]) -> int:
    from adapters.platforms import lacking, opened
    from adapters.serving import serve
    from bot.bootstrap import open_service
    from bot.settings import InvalidSettings

    for fault in filter(None, (lacking(platform, settings) for platform in platforms)):
        raise InvalidSettings(fault)
    if not platforms:
        click.echo(
            "No chat platform is set up, so none is served; docs/slack.md and docs/discord.md show how."
        )
    http = settings.http
    stop = asyncio.Event()

    def end() -> None:
        if not stop.is_set():
            click.echo("Stopping; what is being written or indexed has a few seconds to be finished.")
        stop.set()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, end)

    def listening(port: int) -> None:
        click.echo(f"Ready; health at http://{http.host}:{port}/healthz. Stop with Ctrl-C.")

    async with open_service(settings) as service:
        try:
            connections = [opened(platform, service) for platform in platforms]
            await serve(service, stop, connections, say=click.echo, listening=listening)
        except OSError as error:
            click.echo(
                f"footnote: the health server cannot listen on {http.host}:{http.port} "
                f"({error.strerror}). Another Footnote may be running: two of them share the events of one "
                f"app. If both are meant to run, set FOOTNOTE_HTTP__PORT.",
                err=True,
            )
            return 1
    return 0
