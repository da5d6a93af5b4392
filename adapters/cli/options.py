"""Options that several subcommands share, and how they print."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from bot.settings import Settings
    from pipeline.domain import Scope


class ChannelType(click.ParamType[Any]):
    """A channel written platform:workspace:channel."""

    name = "channel"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Scope:
        from pipeline.domain import Scope
        from pipeline.errors import InvalidScope

        if isinstance(value, Scope):
            return value
        try:
            return Scope.parse(value)
        except InvalidScope as error:
            self.fail(str(error), param, ctx)


channel = click.option(
    "--channel",
    "scope",
    type=ChannelType(),
    required=True,
    metavar="C",
    help="The channel, written platform:workspace:channel.",
)
as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")


def readable(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    """Replace bytes that are no text; the shell hands them over as halves of characters."""
    return None if value is None else value.encode("utf-8", "replace").decode("utf-8")


def say(text: str, *, bold: bool = False, lines: bool = False) -> None:
    """Print what people named or wrote so that it cannot command the terminal; one line unless *lines*."""
    from adapters.terminal.text import safe

    click.secho(safe(text if lines else " ".join(text.splitlines())), bold=bold)


def print_json(document: object) -> None:
    """Print *document* as the one JSON document of this run."""
    text = json.dumps(document, ensure_ascii=False, indent=2)
    click.echo(text.encode("utf-8", "replace").decode("utf-8"))  # a path need not be text


def settle(*, tolerant: bool = False) -> Settings:
    """Read the settings and start logging; *tolerant* does without a log where none can be written.

    Raises `InvalidSettings`, and `PipelineError` for a data folder that cannot be used.
    """
    from bot.settings import load_settings
    from pipeline.errors import PipelineError
    from pipeline.observability.logs import configure_logging

    settings = load_settings()
    try:
        configure_logging(settings.data_dir / "logs", settings.log_level)
    except OSError as error:
        if not tolerant:
            raise PipelineError(
                f"The data folder {settings.data_dir} cannot be written ({error.strerror}); "
                f"set FOOTNOTE_DATA_DIR to a folder that this user may write."
            ) from error
    return settings


def run_async(work: Coroutine[Any, Any, int | None]) -> int:
    """Run *work* to its end and return its exit status."""
    return asyncio.run(work) or 0
