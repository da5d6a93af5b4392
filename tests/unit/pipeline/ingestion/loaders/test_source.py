from __future__ import annotations

import pytest

from pipeline.ingestion.blocks import Block, Kind
from pipeline.ingestion.loaders import load

PYTHON = '''\
"""A module."""
import os

# The shape of
# all things.
@frozen
class Shape(Base):
    """A shape."""

    sides = 4

    @property
    def area(self):
        def inner():
            return 1
        return inner()

    class Deep:
        async def run(self): ...


def main() -> None:
    print("x")

if __name__ == "__main__":
    main()
'''
GO = """\
package shop

// Cart holds goods.
type Cart struct {
	goods []string
}

// Len counts.
func (c *Cart) Len() int {
	return len(c.goods)
}

func main() {}
"""
TYPESCRIPT = """\
import { x } from "y";
export interface Props {
  name: string;
}
/** Draws. */
export class View<T> extends Base {
  private count = 1;
  handler = (event) => {
    return event;
  };
  async draw(to: string): Promise<void> {
    return;
  }
}
export const App = () => {
  return 1;
};
const limit = 3;
"""
JAVA = """\
package shop;
public class Cart {
  private int size;
  @Override
  public int size() {
    return size;
  }
  interface Visitor {
    void visit();
  }
}
"""
RUST = """\
use std::fmt;
/// A point.
#[derive(Debug)]
pub struct Point { x: i32 }
impl fmt::Display for Point {
    fn fmt(&self) -> Result {
        Ok(())
    }
}
"""
CPP = """\
#pragma once
namespace shop {
/** A cart. */
template <class T>
class Cart {
 public:
  int size() const { return n; }
};
}
int Cart::total(int tax) {
  return tax;
}
struct point p;
"""
RUBY = """\
module Shop
  class Cart
    # Adds.
    def add(good)
      @goods << good
    end

    def empty?
      true
    end
  end
end
puts 1
"""


def load_source(text: str, name: str) -> list[Block]:
    return list(load(text.encode(), name).blocks)


def outline(text: str, name: str) -> list[tuple[str, tuple[int, int] | None]]:
    return [(" > ".join(block.path[1:]), block.lines) for block in load_source(text, name)]


def test_python_is_cut_at_classes_functions_and_methods() -> None:
    assert outline(PYTHON, "shapes.py") == [
        ("", (1, 2)),
        ("Shape", (4, 10)),
        ("Shape > area", (12, 16)),
        ("Shape > Deep", (18, 18)),
        ("Shape > Deep > run", (19, 19)),
        ("main", (22, 23)),
        ("", (25, 26)),
    ]


def test_the_path_begins_with_the_files_name() -> None:
    assert {block.path[0] for block in load_source(PYTHON, "shapes.py")} == {"shapes.py"}


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        (GO, "cart.go", ["", "Cart", "Cart > Len", "main"]),
        (TYPESCRIPT, "view.tsx", ["", "Props", "View", "View > handler", "View > draw", "App", ""]),
        (JAVA, "Cart.java", ["", "Cart", "Cart > size", "Cart > Visitor"]),
        (RUST, "point.rs", ["", "Point", "fmt::Display for Point", "fmt::Display for Point > fmt"]),
        (CPP, "cart.hpp", ["", "shop", "shop > Cart", "shop > Cart > size", "Cart::total", ""]),
        (RUBY, "cart.rb", ["Shop", "Shop > Cart", "Shop > Cart > add", "Shop > Cart > empty?", ""]),
        ("deploy() {\n  echo\n}\ndeploy\n", "run.sh", ["deploy", ""]),
        ("create table goods (\n  id int\n);\nselect 1;\n", "a.sql", ["goods", ""]),
    ],
)
def test_other_languages_are_cut_at_their_definitions(text: str, name: str, expected: list[str]) -> None:
    assert [path for path, _ in outline(text, name)] == expected


def test_comments_and_attributes_stay_with_what_they_are_about() -> None:
    texts = {block.path[-1]: block.text for block in load_source(RUST, "point.rs")}

    assert texts["Point"].startswith("/// A point.\n#[derive(Debug)]")


@pytest.mark.parametrize("name", ["a.py", "a.js", "a.java", "a.c", "a.rb"])
def test_code_that_no_parser_accepts_is_read_all_the_same(name: str) -> None:
    text = "def works(x):\n    return x\n\nclass Broken(:\n    ((((\n\n}}} end\n"

    loaded = load_source(text, name)

    assert "".join("".join(block.text.split()) for block in loaded) == "".join(text.split())
    assert {block.kind for block in loaded} == {Kind.CODE}


@pytest.mark.parametrize(
    ("text", "name"),
    [(PYTHON, "a.py"), (GO, "a.go"), (TYPESCRIPT, "a.tsx"), (JAVA, "a.java"), (RUST, "a.rs"), (CPP, "a.cpp")],
)
def test_every_block_is_what_stands_in_its_lines(text: str, name: str) -> None:
    lines = text.split("\n")

    for block in load_source(text, name):
        assert block.lines is not None
        assert block.text == "\n".join(lines[block.lines[0] - 1 : block.lines[1]])
