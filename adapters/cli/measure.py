"""Subcommands that measure: eval for quality, bench for speed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adapters.cli.options import as_json, print_json, run_async, settle
from adapters.cli.scores import print_report

if TYPE_CHECKING:
    from bot.models import Models
    from bot.settings import Settings
    from pipeline.evaluation.answering import Answering

_PROGRAM = "from adapters.cli import main; main()"
"""How a process of its own becomes this command line; an installed script does the same."""


_PARTS = (
    "arms",
    "abstention",
    "follow_up",
    "topic_change",
    "leaning",
    "answers",
    "citation",
    "injection",
    "loaders",
)
"""What `footnote eval` can score; written here too, because reading it from the pipeline loads all of it."""

_FILE = click.Path(dir_okay=False, path_type=Path)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wish:
    """What somebody wants of an evaluation."""

    dataset: Path
    only: tuple[str, ...]
    small: bool
    answers: bool
    save: Path | None
    against: Path | None
    page: Path | None
    as_json: bool


@click.command("eval")
@click.argument("dataset", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--only", type=click.Choice(_PARTS), multiple=True, help="Score this part only; may be repeated."
)
@click.option("--small", is_flag=True, help="Only the questions that are marked small, and fewer attacks.")
@click.option("--answers", is_flag=True, help="Also have answers written, with the model of the settings.")
@click.option("--save", type=_FILE, metavar="FILE", help="Keep this run, to compare others with it.")
@click.option("--against", type=_FILE, metavar="FILE", help="Compare with a run that was kept.")
@click.option("--page", type=_FILE, metavar="FILE", help="Write the report as a page of HTML with drawings.")
@as_json
def evaluate(**wish: Any) -> int:
    """Score a dataset folder: each part for which it has files.

    documents.jsonl and questions.jsonl: search by arm, abstention, follow-ups, changes of topic, answers.
    pairs.jsonl: citations. items.jsonl: orders in texts. manifest.jsonl: reading files.
    Every figure has its 95 % interval. Vectors are kept in the data folder, so a second run over the same
    documents is fast. docs/quality.md says what the figures mean.
    """
    return run_async(_evaluate(settle(), _Wish(**wish)))


async def _evaluate(settings: Settings, wish: _Wish) -> None:
    from adapters.cli.progress import WorkProgress
    from bot.models import Models
    from pipeline.evaluation import Plan, comparison, page
    from pipeline.evaluation import evaluate as score

    models = Models(settings)
    earlier = comparison.read(wish.against) if wish.against else None
    with WorkProgress(f"Scoring {wish.dataset.name}", quiet=wish.as_json) as progress:
        plan = Plan(
            embedder=await models.embedder(),
            cache=settings.data_dir / "eval",
            progress=progress.update,
            small=wish.small,
            answering=await _answering(settings, models) if wish.answers or "answers" in wish.only else None,
            only=frozenset(wish.only or _PARTS),
        )
        outcome = await score(wish.dataset, plan)
    if earlier is not None:
        outcome.report["comparison"] = comparison.compare(earlier, outcome.notes)
    if wish.save:
        _write(wish.save, comparison.kept(outcome))
    if wish.page:
        _write(wish.page, page.render(outcome.report))
    if wish.as_json:
        print_json(outcome.report)
    else:
        print_report(outcome.report)


async def _answering(settings: Settings, models: Models) -> Answering:
    """Return the model that the settings name, and the same one without rules."""
    from bot.models import llm_choice
    from pipeline.evaluation.answering import Answering
    from pipeline.evaluation.attacks import undefended

    llm = await models.llm()
    return Answering(reader=llm.reader, bare=undefended(llm_choice(settings)))


def _write(path: Path, text: str) -> None:
    """Write a file that was named on the command line. Raises `PipelineError`."""
    from pipeline.errors import PipelineError

    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise PipelineError(f"{path} cannot be written ({error.strerror}).") from error


@click.command()
@click.option("--only", metavar="NAME", help="Measure only the figures whose name contains this.")
@click.option("--quick", is_flag=True, help="Leave out the largest channel, and repeat less often.")
@as_json
def bench(only: str | None, quick: bool, as_json: bool) -> int:
    """Measure this machine, each figure as a ratio against the raw library or model in the same run.

    Takes a few minutes and writes to a temporary folder only. docs/performance.md says what the figures mean.
    """
    return run_async(_bench(settle(), only, quick=quick, as_json=as_json))


async def _bench(settings: Settings, only: str | None, *, quick: bool, as_json: bool) -> int:
    from adapters.cli.progress import WorkProgress
    from pipeline.benchmark.bench import FULL, QUICK
    from pipeline.benchmark.course import measure
    from pipeline.generation.embedders import EmbeddedEmbedder

    with WorkProgress("Measuring", quiet=as_json) as progress:
        report = await measure(
            program=_PROGRAM,
            embedder=lambda: EmbeddedEmbedder(threads=settings.embedding.threads),
            only=only,
            effort=QUICK if quick else FULL,
            progress=progress.update,
        )
    if not report["figures"]:
        click.echo(f"footnote: no figure's name contains '{only}'; docs/performance.md lists them.", err=True)
        return 2
    if as_json:
        print_json(report)
    else:
        _print_figures(report)
    return 0


def _print_figures(report: dict[str, Any]) -> None:
    """Print the table, and under it what it was measured on."""
    from rich.console import Console
    from rich.table import Table

    console = Console()
    table = Table("figure", "value", "against", "ratio", "runs")
    for figure in report["figures"]:
        ratio = "–" if figure["ratio"] is None else f"{figure['ratio']:.2f}"
        value = f"{figure['value']:.4g} {figure['unit']}"
        table.add_row(figure["name"], value, figure["against"] or "–", ratio, str(figure["runs"]))
    console.print(table)
    machine = report["machine"]
    console.print(
        f"{machine['cpus']} × {machine['processor']}, load {machine['load']}; {machine['platform']}; "
        f"Python {machine['python']}"
    )
