from __future__ import annotations

import subprocess
import sys

import pytest

from pipeline.domain import Scope
from pipeline.storage.refs import CatalogRef


def test_a_name_is_the_scope_in_lower_case_and_the_generation() -> None:
    ref = CatalogRef(scope=Scope("slack", "T0AB", "C0XY"), generation=3, embedder="x:y", dimension=384)
    assert ref.name == "slack.t0ab.c0xy.g3"


@pytest.mark.parametrize(("generation", "dimension"), [(-1, 8), (1, 0)])
def test_a_reference_that_makes_no_sense_is_refused(generation: int, dimension: int) -> None:
    with pytest.raises(ValueError, match="generation"):
        CatalogRef(scope=Scope("a", "b", "c"), generation=generation, embedder="x:y", dimension=dimension)


def test_naming_a_catalog_loads_no_store() -> None:
    program = (
        "import sys, pipeline.storage.refs; "
        "print([name for name in ('lancedb', 'pyarrow', 'numpy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
