"""The subcommand that shows what people thought of the answers: feedback."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from adapters.cli.options import as_json, channel, print_json, run_async, say, settle

if TYPE_CHECKING:
    from bot.settings import Settings
    from pipeline.domain import Scope

_THUMBS = {"up": "👍", "down": "👎"}


@click.command()
@channel
@click.option(
    "--limit", default=50, show_default=True, type=click.IntRange(1, 10_000), help="At most so many."
)
@as_json
def feedback(scope: Scope, limit: int, as_json: bool) -> int:
    """Show what people thought of a channel's answers, the latest first.

    The questions and notes of people are printed: treat the output like the channel itself.
    """
    return run_async(_feedback(settle(), scope, limit, as_json=as_json))


async def _feedback(settings: Settings, scope: Scope, limit: int, *, as_json: bool) -> None:
    from bot.stores import open_stores

    async with open_stores(settings) as stores:
        found = await stores.threads.feedback(scope, limit)
    if as_json:
        rows = [{**asdict(each), "created_at": each.created_at.isoformat()} for each in found]
        print_json({"feedback": rows})
        return
    if not found:
        click.echo(f"Nobody judged an answer in {scope} yet.")
    for each in found:
        say(f"{each.created_at:%Y-%m-%d %H:%M}  {_THUMBS[each.verdict]}  {each.user}: {each.question}")
        if each.note:
            say(f"    {each.note}")
