"""What the bot lacks in a server, in one line."""

from __future__ import annotations

from adapters.discord.grants import printable


def test_a_name_cannot_write_elsewhere_in_a_terminal() -> None:
    assert printable("Ac\x1b[2Jme\n\u202egnp") == "Ac[2Jmegnp"
    assert len(printable("x" * 500)) == 60
