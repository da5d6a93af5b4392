from __future__ import annotations

from pipeline.ingestion.blocks import Kind
from pipeline.ingestion.loaders import load

GUIDE = """\
=====
Guide
=====

Text::

    a = 1

    b = 2

.. note:: Careful
   with this.

Part
----

.. code-block:: python
   :linenos:

   x = 1

   y = 2

After it.

+---+---+
| a | b |
+---+---+
"""


def test_headings_give_the_sections_and_directives_stay_readable() -> None:
    blocks = load(GUIDE.encode(), "guide.rst").blocks

    assert [(block.text, block.path, block.kind, block.lines) for block in blocks] == [
        ("Guide", ("Guide",), Kind.HEADING, (2, 3)),
        ("Text::", ("Guide",), Kind.TEXT, (5, 5)),
        ("    a = 1\n\n    b = 2", ("Guide",), Kind.CODE, (7, 9)),
        (".. note:: Careful\n   with this.", ("Guide",), Kind.TEXT, (11, 12)),
        ("Part", ("Guide", "Part"), Kind.HEADING, (14, 15)),
        (
            ".. code-block:: python\n   :linenos:\n\n   x = 1\n\n   y = 2",
            ("Guide", "Part"),
            Kind.CODE,
            (17, 22),
        ),
        ("After it.", ("Guide", "Part"), Kind.TEXT, (24, 24)),
        ("+---+---+\n| a | b |\n+---+---+", ("Guide", "Part"), Kind.CODE, (26, 28)),
    ]
