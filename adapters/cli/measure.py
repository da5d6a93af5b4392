"""Subcommands that measure: eval for quality, bench for speed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adapters.cli.options import as_json, print_json, run_async, settle

if TYPE_CHECKING:
    from bot.settings import Settings

_PROGRAM = "from adapters.cli import main; main()"
"""How a process of its own becomes this command line; an installed script does the same."""


@click.command("eval")
@click.argument("dataset", type=click.Path(exists=True, file_okay=False, path_type=Path))
@as_json
def evaluate(dataset: Path, as_json: bool) -> int:
    """Score a dataset folder: documents.jsonl and questions.jsonl.

    Retrieval is scored per arm and fused, with 95 % intervals. Vectors are kept in the data folder, so a
    second run over the same documents is fast.
    """
    return run_async(_evaluate(settle(), dataset, as_json=as_json))


async def _evaluate(settings: Settings, dataset: Path, *, as_json: bool) -> None:
    from adapters.cli.progress import WorkProgress
    from bot.models import Models
    from pipeline.evaluation import evaluate as score

    embedder = await Models(settings).embedder()
    with WorkProgress(f"Scoring {dataset.name}", quiet=as_json) as progress:
        report = await score(
            dataset, embedder=embedder, cache=settings.data_dir / "eval", progress=progress.update
        )
    if as_json:
        print_json(report)
    else:
        _print_report(report)


def _print_report(report: dict[str, Any]) -> None:
    """Print a table: one line an arm, one column a measure."""
    from rich.console import Console
    from rich.table import Table

    measures = list(dict.fromkeys(key for arm in report["arms"].values() for key in arm if "_ci" not in key))
    table = Table("arm", *measures, title=f"{report['dataset']}, {report['questions']} questions")
    for name, arm in report["arms"].items():
        table.add_row(name, *(_cell(arm, measure) for measure in measures))
    Console().print(table)


def _cell(arm: dict[str, Any], measure: str) -> str:
    value, interval = arm.get(measure), arm.get(f"{measure}_ci")
    if value is None:
        return "–"
    return f"{value:.3f} [{interval[0]:.3f}, {interval[1]:.3f}]" if interval else f"{value:.3f}"


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
