"""The buttons of a message, as discord.py sends them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discord import ButtonStyle, ui

from adapters.discord.components import custom_id
from bot.controls import FORGET, STOP

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bot.chat import Button

MOST = 25
"""Five in each of five rows."""
LONGEST_LABEL = 80

_STYLES: Mapping[str, ButtonStyle] = {STOP: ButtonStyle.danger, FORGET: ButtonStyle.danger}


def view(buttons: Sequence[Button]) -> ui.View | None:
    """Return what shows *buttons*; None where there are none.

    Presses are found by their custom id, also after a restart; so discord.py is told that the view is over,
    or it would keep each of them for ever. Must be called on a running loop.
    """
    if not buttons:
        return None
    shown: ui.View = ui.View(timeout=None)
    for button in buttons[:MOST]:
        style = _STYLES.get(button.action, ButtonStyle.secondary)
        shown.add_item(
            ui.Button(
                label=_label(button.label), style=style, custom_id=custom_id(button.action, button.value)
            )
        )
    shown.stop()
    return shown


def _label(text: str) -> str:
    return text if len(text) <= LONGEST_LABEL else text[: LONGEST_LABEL - 1] + "…"
