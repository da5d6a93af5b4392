"""The command ``footnote``: its subcommands, and one plain sentence for whatever goes wrong."""

from __future__ import annotations

import asyncio
import sys
import traceback
from typing import TYPE_CHECKING

import click

from adapters.cli import documents, measure, opinions, questions, service, serving, state

if TYPE_CHECKING:
    from collections.abc import Sequence

DEBUG = "--debug"
FAILED = 1
MISUSED = 2


_HELP = """Footnote answers questions from a channel's own files, with citations.

\b
Try it here:        footnote chat --docs examples/handbook
Index files:        footnote ingest --channel terminal:local:demo docs/
Ask one question:   footnote ask --channel terminal:local:demo "How long do refunds take?"
Serve a platform:   footnote slack, footnote discord
Check this machine: footnote doctor

A channel is written platform:workspace:channel. Settings come from FOOTNOTE_… variables and .env;
'footnote doctor' says what they amount to. --debug shows tracebacks.
"""


@click.group(help=_HELP, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="footnote", prog_name="footnote")
def program() -> None:
    """Hold the subcommands."""


for command in (
    questions.chat,
    questions.ask,
    documents.ingest,
    documents.docs,
    documents.show,
    documents.forget,
    documents.reindex,
    state.status,
    opinions.feedback,
    serving.run,
    serving.slack,
    serving.discord,
    service.doctor,
    service.db,
    measure.evaluate,
    measure.bench,
):
    program.add_command(command)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0 done, 1 failed, 2 wrong usage or settings."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    debug = DEBUG in given
    try:
        status = program.main([word for word in given if word != DEBUG], standalone_mode=False)
    except click.exceptions.Abort:
        status = 130
    except click.ClickException as error:
        error.show()
        status = error.exit_code
    except (KeyboardInterrupt, asyncio.CancelledError):
        status = 130
    except Exception as error:  # noqa: BLE001 - the last frame: whatever it is, people get a sentence
        if debug:
            traceback.print_exc()
        status = _explain(error)
    sys.exit(status if isinstance(status, int) else 0)


def _explain(error: Exception) -> int:
    """Print *error* as one sentence and return the exit status it deserves."""
    from bot.chat import ChatError
    from bot.settings import InvalidSettings  # pydantic is slow to import; --help does without
    from pipeline.errors import InvalidScope, PipelineError

    if isinstance(error, InvalidSettings | InvalidScope):
        click.echo(f"footnote: {error}", err=True)
        return MISUSED
    if isinstance(error, PipelineError | ChatError):
        click.echo(f"footnote: {error}", err=True)
        return FAILED
    click.echo(
        f"footnote: an unexpected {type(error).__name__} stopped this; "
        f"run it again with {DEBUG} to see where, and please report it.",
        err=True,
    )
    return FAILED
