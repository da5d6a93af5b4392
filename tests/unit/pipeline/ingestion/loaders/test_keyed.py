"""Formats of keys and values: JSON, YAML, XML, configuration."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from pipeline.ingestion.loaders import load

if TYPE_CHECKING:
    from pipeline.ingestion.blocks import Block

LONG = "word " * 250
"""A value that takes a section of its own."""


def sections(text: str, name: str) -> list[tuple[tuple[str, ...], tuple[int, int] | None]]:
    return [(block.path, block.lines) for block in blocks(text, name)]


def blocks(text: str, name: str) -> list[Block]:
    return list(load(text.encode(), name).blocks)


def test_a_small_file_is_one_section_without_a_name() -> None:
    for name, text in {"a.json": '{"a": 1,\n "b": 2}', "a.yaml": "a: 1\nb: 2", "a.toml": "a = 1"}.items():
        assert {block.path for block in blocks(text, name)} == {()}


def test_the_path_of_keys_is_the_section_and_lines_are_those_of_the_file() -> None:
    data = {"kept": 1, "plans": {"basic": {"text": LONG}, "small": 2}, "last": 3}

    found = sections(json.dumps(data, indent=1), "a.json")

    assert found == [
        ((), (1, 2)),
        (("plans",), (3, 3)),
        (("plans", "basic"), (4, 4)),
        (("plans", "basic", "text"), (5, 5)),
        (("plans",), (7, 7)),
        ((), (9, 9)),
    ]


def test_an_entry_of_a_list_is_called_what_its_name_says() -> None:
    data = json.dumps({"plans": [{"name": "basic", "text": LONG}, {"text": LONG}]}, indent=1)
    yaml = f"plans:\n  - name: basic\n    text: {LONG}\n  - text: {LONG}\n"

    for text, name in ((data, "a.json"), (yaml, "a.yaml")):
        paths = {path for path, _ in sections(text, name)}
        assert ("plans", "basic", "text") in paths
        assert ("plans", "[2]", "text") in paths or ("plans", "[2]") in paths


def test_a_packed_file_is_spread_out_and_its_one_line_is_not_counted() -> None:
    found = sections(json.dumps({"plans": {"basic": {"text": LONG, "more": LONG}}}), "a.json")

    assert (("plans", "basic", "text"), None) in found
    assert {lines for _, lines in found} == {None}


def test_escaped_letters_are_written_as_letters_and_other_escapes_stay() -> None:
    text = r'{"a": "caf\u00e9 \ud83d\ude00", "b": "x\\u00e9", "c": "\u0022\u000a\ud800"}'

    (block,) = blocks(text, "a.json")

    assert block.text == r'{"a": "café 😀", "b": "x\\u00e9", "c": "\u0022\u000a\ud800"}'


def test_each_line_of_json_lines_is_a_block() -> None:
    assert [(b.text, b.lines) for b in blocks('{"a": 1}\n\n{"a": 2}\n', "a.jsonl")] == [
        ('{"a": 1}', (1, 1)),
        ('{"a": 2}', (3, 3)),
    ]


@pytest.mark.parametrize("name", ["a.json", "a.yaml", "a.xml", "a.toml", "a.ipynb"])
def test_what_is_not_in_the_format_that_its_name_says_is_read_all_the_same(name: str) -> None:
    text = f'{{"a": [1, <b>\nthis is none: of those\n{LONG}'

    assert "this is none" in "".join(block.text for block in blocks(text, name))


def test_text_over_several_lines_in_yaml_holds_no_keys() -> None:
    yaml = f"run: |\n  not: {LONG}\n  neither: b\nnext: |-\n  x: y\n"

    assert {path for path, _ in sections(yaml, "a.yaml")} == {("run",), ()}


def test_comments_and_templates_in_yaml_stay() -> None:
    text = "# why\na: {{ .Values.a }}\n{{- if .b }}\nb: 'it''s'\n{{- end }}"

    assert "\n".join(block.text for block in blocks(text, "a.yaml")) == text


def test_sections_of_configuration_come_with_the_comments_above_them() -> None:
    one = f'# the tool\n[tool.one]\na = """\n[no]\n"""\n{"b = 1" * 200}'
    text = f"top = 1\n\n{one}\n\n[[two]]\n{'c = 2' * 250}\n"

    assert sections(text, "a.toml") == [((), (1, 1)), (("tool.one",), (3, 8)), (("two",), (10, 11))]


def test_elements_of_xml_are_sections_and_closing_tags_are_left_out() -> None:
    text = (
        '<?xml version="1.0" encoding="utf-8"?>\n<all>\n<plan id="basic">\n'
        f"<p>{LONG}</p>\n</plan>\n<x:y xmlns:x='z'>1</x:y>\n</all>"
    )

    assert sections(text, "a.xml") == [
        ((), (1, 2)),
        (("plan basic",), (3, 3)),
        (("plan basic", "p"), (4, 4)),
        ((), (6, 6)),
    ]


def test_xml_is_decoded_as_it_declares_and_expands_no_entity() -> None:
    text = (
        '<?xml version="1.0" encoding="ISO-8859-1"?><!DOCTYPE a [<!ENTITY b "boom">]><a>caf\xe9 &b; &amp;</a>'
    )

    (block,) = load(text.encode("latin-1"), "a.xml").blocks

    assert "café &b;" in block.text


def test_deep_nesting_ends_in_the_sections_around_it() -> None:
    text = '{"a":\n' * 500 + f'"{LONG}"' + "}" * 500

    assert max(len(path) for path, _ in sections(text, "a.json")) <= 8
