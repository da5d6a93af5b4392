"""Definitions in languages that tree-sitter has a grammar for: exact, offline, at ease with broken code."""

from __future__ import annotations

from importlib import import_module
from time import process_time
from typing import TYPE_CHECKING

from tree_sitter import Language, Parser

from pipeline.ingestion.blocks import title
from pipeline.ingestion.loaders.definitions import Definition

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

_JAVASCRIPT = ("tree_sitter_javascript", "language")
_TYPESCRIPT = ("tree_sitter_typescript", "language_typescript")
_CPP = ("tree_sitter_cpp", "language")

LANGUAGES = {
    ".js": _JAVASCRIPT,
    ".mjs": _JAVASCRIPT,
    ".cjs": _JAVASCRIPT,
    ".jsx": _JAVASCRIPT,
    ".ts": _TYPESCRIPT,
    ".mts": _TYPESCRIPT,
    ".cts": _TYPESCRIPT,
    ".tsx": ("tree_sitter_typescript", "language_tsx"),
    ".go": ("tree_sitter_go", "language"),
    ".java": ("tree_sitter_java", "language"),
    ".c": ("tree_sitter_c", "language"),
    ".h": _CPP,
    ".cc": _CPP,
    ".cpp": _CPP,
    ".cxx": _CPP,
    ".hh": _CPP,
    ".hpp": _CPP,
    ".hxx": _CPP,
    ".rs": ("tree_sitter_rust", "language"),
}
"""Module and function that give the grammar, by suffix; a header may be C++, which reads C as well."""


def _types(names: str) -> frozenset[str]:
    return frozenset(names.split())


# node types of all these grammars together: none means something else in another one
_CONTAINERS = _types(
    "class_declaration abstract_class_declaration class interface_declaration enum_declaration"
    " record_declaration annotation_type_declaration class_specifier struct_specifier union_specifier"
    " namespace_definition impl_item trait_item mod_item internal_module module"
)
_LEAVES = _types(
    "function_declaration generator_function_declaration function_signature method_definition"
    " method_declaration constructor_declaration compact_constructor_declaration function_definition"
    " function_item struct_item enum_item union_item type_item macro_definition preproc_function_def"
    " type_alias_declaration type_definition enum_specifier type_spec"
)
_VARIABLES = _types("variable_declarator public_field_definition field_definition")
_FUNCTION_VALUES = _types("arrow_function function_expression function class generator_function")
# stand around one definition and belong to it
_WRAPPERS = _types(
    "export_statement template_declaration type_declaration ambient_declaration expression_statement"
    " lexical_declaration variable_declaration declaration field_declaration"
)
# stand around several
_GROUPS = _types(
    "linkage_specification declaration_list preproc_ifdef preproc_if preproc_else enum_body_declarations"
)
_ABOVE = _types("comment line_comment block_comment attribute_item decorator")
_NAMED_BY = ("name", "property", "declarator", "type")
_MAX_DEPTH = 8
MAX_BYTES = 5_000_000
"""Nobody writes longer files; those that programs write have no definitions to look for."""
PARSE_SECONDS = 5.0
"""Of the processor. A megabyte of code takes half a second, a megabyte of quotation marks fourteen."""
_READ_BYTES = 64 * 1024


def definitions(text: str, lines: list[str], root: tuple[str, ...], suffix: str) -> list[Definition] | None:
    """Return types, functions and methods, with the comments directly above them.

    None for a text that is so far from its grammar, or so large, that parsing it takes too long.
    """
    module, function = LANGUAGES[suffix]
    parser = Parser(Language(getattr(import_module(module), function)()))
    data = text.encode("utf-8", "replace")
    if len(data) > MAX_BYTES:
        return None
    ends = process_time() + PARSE_SECONDS
    try:
        tree = parser.parse(
            lambda offset, _: data[offset : offset + _READ_BYTES],
            progress_callback=lambda *_: process_time() > ends,
        )
    except ValueError:  # how tree-sitter says that it was stopped
        return None
    return list(_inside(tree.root_node, lines, root, 0))


def _inside(parent: Node, lines: list[str], path: tuple[str, ...], depth: int) -> Iterator[Definition]:
    children = parent.named_children
    for index, node in enumerate(children):
        found = _unwrapped(node)
        if found is not None:
            inner = (*path, *_names(found))
            yield Definition(first=_first(children, index, lines), last=_last(node), path=inner)
            body = found.child_by_field_name("body")
            if found.type in _CONTAINERS and body is not None and depth < _MAX_DEPTH:
                yield from _inside(body, lines, inner, depth + 1)
        elif node.type in _GROUPS | _WRAPPERS and depth < _MAX_DEPTH:
            yield from _inside(node, lines, path, depth + 1)


def _unwrapped(node: Node) -> Node | None:
    """Return the one definition that *node* is or stands around."""
    for _ in range(_MAX_DEPTH):
        if _is_definition(node):
            return node
        if node.type not in _WRAPPERS:
            return None
        inside = [child for child in node.named_children if child.type in _WRAPPERS or _is_definition(child)]
        if len(inside) != 1:
            return None
        node = inside[0]
    return None


def _is_definition(node: Node) -> bool:
    """Whether *node* defines something and does not only name it ("struct point p;", a prototype)."""
    if node.type in _VARIABLES:
        value = node.child_by_field_name("value")
        return value is not None and value.type in _FUNCTION_VALUES
    has_body = node.child_by_field_name("body") is not None
    if node.type in _CONTAINERS:
        return has_body
    return node.type in _LEAVES and (has_body or node.end_point.row > node.start_point.row)


def _first(siblings: list[Node], index: int, lines: list[str]) -> int:
    """Return the row where a definition begins, or the comment or attribute directly above it."""
    first = siblings[index].start_point.row
    for node in map(siblings.__getitem__, range(index - 1, -1, -1)):
        row, column = node.start_point
        alone = not lines[row][:column].strip()
        if node.type not in _ABOVE or _last(node) < first - 1 or not alone:
            break
        first = row
    return first


def _last(node: Node) -> int:
    """Return the last row; a node that ends with its line's break ends at the start of the next one."""
    row, column = node.end_point
    return row - 1 if column == 0 and row > node.start_point.row else row


def _names(node: Node) -> tuple[str, ...]:
    """Return the names to add to the path; a Go method stands under its receiver's type."""
    receiver = node.child_by_field_name("receiver")
    owner = _text(receiver).strip("()").split("[")[0].split() if receiver is not None else []
    return (*(part.lstrip("*") for part in owner[-1:]), _name(node))


def _name(node: Node) -> str:
    trait = node.child_by_field_name("trait")
    for _ in range(_MAX_DEPTH):
        named = next(filter(None, map(node.child_by_field_name, _NAMED_BY)), None)
        if named is None or node.type == "qualified_identifier":
            break
        node = named
    name = title(_text(node).split("(")[0].split("{")[0]) or "(unnamed)"
    return f"{title(_text(trait))} for {name}" if trait is not None else name


def _text(node: Node) -> str:
    return (node.text or b"").decode(errors="replace")
