from __future__ import annotations

import ast
import configparser
import statistics
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("adapters", "bot", "pipeline", "migrations", "scripts")
LONGEST_MODULE = 400
VAGUE_NAMES = {"utils", "util", "helpers", "helper", "common", "base", "manager", "misc"}
HEAVY = ("lancedb", "pyarrow", "langchain", "sqlalchemy", "alembic", "onnxruntime", "tokenizers", "aiohttp")
WIRING = {
    "bootstrap",
    "chores",
    "doctor",
    "library",
    "models",
    "places",
    "platform",
    "renewal",
    "settings",
    "stores",
}
SDKS = ("slack_sdk", "slack_bolt", "discord", "ollama", "openai", "anthropic")


def modules(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def length(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def parts(package: str) -> set[str]:
    """Return the modules and packages directly in *package*."""
    folder = ROOT / package
    packages = {path.parent.name for path in folder.glob("*/__init__.py")}
    return packages | {path.stem for path in folder.glob("*.py")} - {"__init__"}


def bound(contract: str) -> set[str]:
    """Return what a contract of ``.importlinter`` binds."""
    parser = configparser.ConfigParser()
    parser.read(ROOT / ".importlinter", encoding="utf-8")
    return set(parser[f"importlinter:contract:{contract}"]["source_modules"].split())


def run(code: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=100, check=False)


def loaded_by(code: str) -> set[str]:
    """Return the top-level modules that are loaded after *code* ran in a process of its own."""
    done = run(f"import sys\n{code}\nprint('\\0', '\\n'.join(sys.modules))")
    assert done.returncode == 0, done.stderr
    return {name.split(".")[0] for name in done.stdout.partition("\0")[2].split()}


def test_every_module_says_what_it_is_for() -> None:
    silent = [
        name_of(path)
        for path in modules(*PACKAGES)
        if not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    ]

    assert silent == []


def test_no_module_is_longer_than_400_lines() -> None:
    long = [
        f"{name_of(path)}: {length(path)}" for path in modules(*PACKAGES) if length(path) > LONGEST_MODULE
    ]

    assert long == []


def test_nine_modules_in_ten_stay_within_300_lines_and_functions_are_short() -> None:
    lengths = sorted(length(path) for path in modules(*PACKAGES))
    sizes = sorted(
        (node.end_lineno or node.lineno) - node.lineno + 1
        for path in modules(*PACKAGES)
        for node in functions(path)
    )

    assert lengths[len(lengths) * 9 // 10] <= 300
    assert statistics.median(sizes) <= 9
    assert sizes[len(sizes) * 9 // 10] <= 30


def test_no_module_has_a_name_that_anything_would_fit_into() -> None:
    assert [name_of(path) for path in modules(*PACKAGES) if path.stem in VAGUE_NAMES] == []


def test_imports_keep_their_direction() -> None:
    done = run(
        "import sys\n"
        "from importlinter.cli import lint_imports\n"
        "sys.exit(lint_imports(no_cache=True, no_logo=True))"
    )

    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(("contract", "free"), [("stores", {"storage"}), ("model-sdks", {"generation"})])
def test_no_part_of_the_pipeline_is_left_out_of_a_contract_about_libraries(
    contract: str, free: set[str]
) -> None:
    others = {f"pipeline.{part}" for part in parts("pipeline") - free}

    assert bound(contract) == others | {"adapters", "bot"}


def test_all_of_the_bot_but_its_wiring_enters_the_pipeline_by_the_front_door() -> None:
    platforms = {"adapters.discord", "adapters.slack", "adapters.terminal"}

    assert bound("front-door") == {f"bot.{part}" for part in parts("bot") - WIRING} | platforms


def test_all_but_a_platforms_own_adapter_leaves_its_sdk_alone() -> None:
    others = {f"adapters.{part}" for part in parts("adapters") - {"slack", "discord"}}

    assert bound("platform-sdks") == others | {"bot", "pipeline"}


def test_every_package_of_ours_tells_type_checkers_that_it_is_typed() -> None:
    assert [name for name in ("adapters", "bot", "pipeline") if not (ROOT / name / "py.typed").exists()] == []


@pytest.mark.parametrize(
    "module", ["pipeline.conversation", "pipeline.domain", "pipeline.errors", "pipeline.ports", "bot.chat"]
)
def test_the_values_and_the_seam_load_no_store_no_model_library_and_no_sdk(module: str) -> None:
    loaded = loaded_by(f"import {module}")

    assert {name for name in loaded if name.startswith((*HEAVY, *SDKS))} == set()


def test_asking_for_help_loads_no_store_no_model_library_and_no_sdk() -> None:
    loaded = loaded_by("from adapters.cli.program import program\nprogram(['--help'], standalone_mode=False)")

    assert {name for name in loaded if name.startswith((*HEAVY, *SDKS, "pydantic"))} == set()


def test_only_the_settings_read_the_environment() -> None:
    readers = {
        name_of(path)
        for path in modules("adapters", "bot", "pipeline", "migrations")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
        and node.attr in {"environ", "getenv"}
        and isinstance(node.value, ast.Name)
        and node.value.id == "os"
    }

    # the sandbox hands a few variables of the machine on to its child, and reads no setting
    assert readers <= {"bot/settings.py", "pipeline/ingestion/sandbox.py"}
