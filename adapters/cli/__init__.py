"""The command line: every way to use Footnote without a chat platform."""

from adapters.cli.program import main

__all__ = ["main"]
