"""Text recognition (OCR) for pictures of pages: an extra, off unless it is asked for."""

from __future__ import annotations

from contextlib import closing
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_SIDE_PIXELS = 2_000
"""The recogniser makes larger pictures smaller itself; an A4 page then has 170 dots an inch."""
MAX_DOTS = 200
"""Dots an inch at which small type is read; more makes it slower and nothing better."""
POINTS_AN_INCH = 72
LEAST_SCORE = 0.5
"""Lines that the recogniser is less sure of are guesses."""
THREADS = 2


class Recognizer:
    """Reads pictures of pages with rapidocr; its models (30 MB) are loaded with the first of them."""

    def __init__(self, most: int) -> None:
        """Read at most *most* pages."""
        self.left = most

    def read(self, page: Any) -> str:
        """Return the text of a pdfium page that has no text layer; "": it is blank, or no more may be read.

        Takes about 5 seconds of a processor. Raises `ImportError` where the extra is not installed.
        """
        if self.left <= 0 or not _shows_something(page):
            return ""
        self.left -= 1
        width, height = page.get_size()
        scale = min(MAX_DOTS / POINTS_AN_INCH, MAX_SIDE_PIXELS / max(width, height, 1.0))
        with closing(page.render(scale=scale)) as picture:
            result = self._engine(picture.to_numpy())
        texts, scores = result.txts or (), result.scores or ()
        return "\n".join(
            text for text, score in zip(texts, scores, strict=True) if score >= LEAST_SCORE and text.strip()
        )

    @cached_property
    def _engine(self) -> Callable[[Any], Any]:
        from rapidocr import RapidOCR

        params = {
            "Global.log_level": "critical",
            "EngineConfig.onnxruntime.intra_op_num_threads": THREADS,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
        engine: Callable[[Any], Any] = RapidOCR(params=params)
        return engine


def _shows_something(page: Any) -> bool:
    return next(iter(page.get_objects(max_depth=1)), None) is not None
