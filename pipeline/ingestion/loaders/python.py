"""Definitions in Python source, by Python's own parser."""

from __future__ import annotations

import ast
import warnings
from typing import TYPE_CHECKING

from pipeline.ingestion.loaders.definitions import Definition, with_comments

if TYPE_CHECKING:
    from collections.abc import Iterator

SUFFIXES = frozenset({".py", ".pyi"})
_MAX_DEPTH = 8


def definitions(text: str, lines: list[str], root: tuple[str, ...]) -> list[Definition] | None:
    """Return classes, functions and methods, decorators and comments above them included.

    None if this version of Python cannot parse the text. Functions inside functions stay with the outer one.
    """
    try:
        with warnings.catch_warnings():
            # an invalid escape in somebody's file is no warning of ours
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return list(_inside(tree.body, lines, root, 0))


def _inside(
    body: list[ast.stmt], lines: list[str], path: tuple[str, ...], depth: int
) -> Iterator[Definition]:
    for node in body:
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]) - 1
        inner = (*path, node.name)
        yield Definition(
            first=with_comments(lines, first, ("#",)), last=(node.end_lineno or node.lineno) - 1, path=inner
        )
        if isinstance(node, ast.ClassDef) and depth < _MAX_DEPTH:
            yield from _inside(node.body, lines, inner, depth + 1)
