"""A value of a configuration file says whose it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.generation.keyed import is_keyed, name_values

YAML = """\
# how it runs
server:
  host: files.example.org
  limits:
    upload_mb: 250
plans:
- name: Team
  price: 79
- name: Pro
  price: 99
features:
  - search
  - export
"""


def test_each_value_stands_with_the_keys_above_it_and_a_list_together() -> None:
    assert name_values(YAML, "") == [
        "# how it runs",
        "server > host: files.example.org",
        "server > limits > upload_mb: 250",
        "plans > name: Team; price: 79",
        "plans > name: Pro; price: 99",
        "features: search, export",
    ]


@pytest.mark.parametrize(
    ("text", "section", "values"),
    [
        ("[mail]\nport = 587\n\n[cache.disk]\nsize = 64 MB", "",
         ["mail > port = 587", "cache.disk > size = 64 MB"]),
        ("[[plans]] # one each\nname = 'Pro'", "", ["plans > name = 'Pro'"]),
        ("PORT=587\nHOST=localhost", "", ["PORT=587", "HOST=localhost"]),
        ('{"a": {"b": [1, 2]}, "c": [{"d": "x"}, {"d": "y"}]}', "",
         ["a > b: 1, 2", 'c > d: "x"', 'c > d: "y"']),
        ('  "limits": {\n    "mb": 3,\n    "tags": [\n      "a"\n    ]\n  },', "",
         ["limits > mb: 3", 'limits > tags: "a"']),
        ("  size: 12", "database > pool", ["database > pool > size: 12"]),
        ("pool:\n  size: 12", "database > pool", ["database > pool > size: 12"]),
        ("run: |\n  make it\n  ship it", "", ["run > make it", "run > ship it"]),
        ("plans:\n-\n  name: A\n-\n  name: B", "", ["plans > name: A", "plans > name: B"]),
        ("just words", "", ["just words"]),
        ("", "", []),
        ("[]", "", []),
    ],
)  # fmt: skip
def test_whatever_the_file_is_written_in(text: str, section: str, values: list[str]) -> None:
    assert name_values(text, section) == values


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.yaml", True),
        ("A.JSON", True),
        (".env", True),
        ("setup.cfg", True),
        ("a.py", False),
        ("json", False),
    ],
)
def test_its_name_tells_such_a_file(name: str, expected: bool) -> None:
    assert is_keyed(name) is expected


def test_a_file_that_only_nests_is_read() -> None:
    assert name_values("[" * 5000, "") == []
    deep = "\n".join(f"{' ' * depth}k{depth}:" for depth in range(400))

    assert name_values(deep, "")[-1].endswith("k399:")


@given(st.text(alphabet='ab:=-[]{}",#\n ', max_size=120))
def test_no_text_breaks_it(text: str) -> None:
    assert all(value.strip() for value in name_values(text, ""))


@pytest.mark.parametrize(
    "text",
    [
        "\n".join([*(" " * depth + f"k{depth}:" for depth in range(900)), " " * 900 + "k: thirty days"]),
        "- " * 900 + "thirty days",
        '{"refund window": ' + "[" * 900 + '"thirty days"' + "]" * 900 + "}",
    ],
)
def test_what_is_nested_without_end_is_still_told(text: str) -> None:
    assert any("thirty days" in value for value in name_values(text, ""))


@pytest.mark.parametrize(
    ("text", "section", "values"),
    [
        ("refund:\n  monthly_days: 5", "refund > monthly_days", ["refund > monthly_days: 5"]),
        ("monthly_days: 5", "refund > monthly_days", ["refund > monthly_days: 5"]),
        ("a:\n  b: 5\n  c: 6", "a > b", ["a > b: 5", "a > c: 6"]),
        ("a:\n  c: 6", "x > a", ["x > a > c: 6"]),
    ],
)
def test_keys_that_the_section_names_too_stand_once(text: str, section: str, values: list[str]) -> None:
    assert name_values(text, section) == values
