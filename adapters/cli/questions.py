"""Subcommands that ask: one question, or a conversation in the terminal."""

from __future__ import annotations

import sys
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adapters.cli.documents import describe_result, result_line, tell_empty
from adapters.cli.options import ChannelType, as_json, channel, print_json, readable, run_async, say, settle
from adapters.files import find_files

if TYPE_CHECKING:
    from typing import TextIO

    from bot.bootstrap import Service
    from bot.settings import Settings
    from pipeline.conversation import Citation, GenerationResponse, Memory, Question
    from pipeline.domain import Scope
    from pipeline.ports import AnswerStream


@click.command()
@channel
@click.option(
    "--thread", metavar="T", callback=readable, help="A name; questions with the same one are follow-ups."
)
@click.option("--document", "documents", multiple=True, metavar="ID", help="Search only this document.")
@click.argument("question", callback=readable)
@as_json
def ask(scope: Scope, thread: str | None, documents: tuple[str, ...], question: str, as_json: bool) -> int:
    """Ask one question of a channel's documents.

    A refusal is a decision, not a fault: the exit status is 0 and the reason is said.
    """
    from pipeline.conversation import Question
    from pipeline.domain import Filters

    filters = Filters(document_ids=frozenset(documents) or None)
    asked = Question(text=question, scope=scope, thread=thread, filters=filters)
    return run_async(_ask(settle(), asked, as_json=as_json))


async def _ask(settings: Settings, question: Question, *, as_json: bool) -> None:
    from bot.bootstrap import open_service
    from bot.preferences import kept_preferences, known_preferences

    async with open_service(settings) as service:
        question = await with_archives(service, question)
        chosen = kept_preferences(service.stores.choices, settings.answers.mode)
        mode = (await known_preferences(chosen, question.scope)).answers
        question = replace(question, mode=mode)
        pipeline = await service.pipeline()
        if as_json:
            response = await pipeline.ask(question)
        else:
            response = await _show(pipeline.ask_stream(question))
        memory = await pipeline.remember(question, response)
    if as_json:
        print_json(describe_response(response, memory, question.thread))


async def with_archives(service: Service, question: Question) -> Question:
    """Return *question* with the files of each archive that it is narrowed to."""
    from pipeline.domain import Filters
    from pipeline.ingestion.results import standing_in

    wanted = question.filters.document_ids
    if wanted is None:
        return question
    inside = await service.stores.catalog.with_files(question.scope, sorted(wanted))
    elsewhere = standing_in(wanted, await service.copies.of(question.scope))
    return replace(question, filters=Filters(document_ids=elsewhere.union(inside)))


def describe_response(
    response: GenerationResponse, memory: Memory | None, thread: str | None
) -> dict[str, Any]:
    """Return *response* in the form of ``ask --json``."""
    usage = response.token_usage
    remembered = memory.token_usage if memory else None
    return {
        "success": response.success,
        "reason": response.reason,
        "message": response.message,
        "answer": response.answer,
        "citations": [_citation(citation) for citation in response.citations],
        "uncited_labels": list(response.uncited_labels),
        "token_usage": asdict(usage) if usage else None,
        "summary_token_usage": asdict(remembered) if remembered else None,
        "finish_reason": response.finish_reason,
        "latency_ms": asdict(response.latency),
        "degraded": list(response.degraded),
        "searched": list(response.searched),
        "verification": response.verification.as_json() if response.verification else None,
        "thread": thread,
        "trace": [dict(event) for event in response.trace],
    }


def _citation(citation: Citation) -> dict[str, Any]:
    """Write a citation; what its numbers count and are called is for wording only."""
    wording = {"unit", "page_label", "apart"}
    return {name: value for name, value in asdict(citation).items() if name not in wording}


async def _show(stream: AnswerStream) -> GenerationResponse:
    """Print the answer as it grows, then what the finished reply adds to it; before that, what is done.

    A pipe takes nothing back and nobody watches it, so there only the finished reply is printed.
    """
    from adapters.cli.progress import StageLine
    from adapters.terminal.adapter import LINK_SCHEMES
    from adapters.terminal.text import plain, safe
    from bot.wording import final_text, stage_text
    from pipeline.conversation import Delta

    shown = ""
    watched = sys.stdout.isatty()
    with StageLine() as line:
        async for event in stream:
            if isinstance(event, Delta) and not watched:
                continue
            if isinstance(event, Delta):
                line.clear()
                click.echo(safe(event.text), nl=False)
                shown += event.text
            else:
                line.show(stage_text(event))
    final = final_text(stream.response, shown, schemes=LINK_SCHEMES)
    # markers added at the end change text that was printed; then the whole reply is printed once more
    rest = final[len(shown) :] if final.startswith(shown) else f"\n\n{final}"
    click.echo(plain(safe(rest)))
    return stream.response


@click.command()
@click.option(
    "--channel",
    "scope",
    type=ChannelType(),
    default="terminal:local:demo",
    show_default=True,
    metavar="C",
    help="The channel, written platform:workspace:channel.",
)
@click.option(
    "--docs",
    "folder",
    type=click.Path(exists=True, path_type=Path),
    help="Index this file or folder first.",
)
@click.option(
    "--script",
    type=click.File(encoding="utf-8"),
    help="Type the lines of this file first; without a terminal, end after them.",
)
def chat(scope: Scope, folder: Path | None, script: TextIO | None) -> int:
    """Talk in the terminal: upload files, ask, follow up.

    The conversation is the one that an adapter of a chat platform holds; /help lists the commands.
    """
    lines = script.read().splitlines() if script else None
    return run_async(_chat(settle(), scope, folder, lines))


async def _chat(settings: Settings, scope: Scope, folder: Path | None, lines: list[str] | None) -> None:
    from rich.console import Console

    from adapters.cli.progress import WorkProgress
    from adapters.serving import open_working
    from adapters.terminal.adapter import TerminalAdapter
    from adapters.terminal.session import run_terminal
    from bot.platform import open_platform
    from bot.records import Customs

    async with open_working(settings) as service:
        if folder is not None:
            tell_empty([folder])
            with WorkProgress("Indexing") as progress:
                results = await service.chores.ingest(scope, list(find_files([folder])), progress.update)
            for result in results:
                say(result_line(describe_result(result)))
        for note in await service.describe_models():
            click.echo(note)
        await service.renew()
        adapter = TerminalAdapter(Console())
        async with open_platform(service, adapter, customs=Customs(prefix="/")) as platform:
            talk = partial(
                run_terminal,
                adapter,
                platform.conversation,
                platform.commands,
                platform.uploads,
                scope=scope,
            )
            if lines is not None:
                await talk(lines=lines)
            if lines is None or sys.stdin.isatty():
                await talk()
