"""Structure of bindgen: neither modules nor packages import one another in a cycle."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

pytestmark = pytest.mark.exhaustive

HOME = Path(__file__).parents[2] / "tools"
PATHS = {
    ".".join(path.relative_to(HOME).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted((HOME / "bindgen").rglob("*.py"))
}


def imported(node: ast.AST) -> Iterator[str]:
    """Yield the modules of bindgen that code imports, even in functions. Skips imports for typing only."""
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
        return
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if alias.name in PATHS)
    elif isinstance(node, ast.ImportFrom):
        assert node.level == 0
        for alias in node.names:
            whole = f"{node.module}.{alias.name}"
            yield from (name for name in (whole if whole in PATHS else node.module,) if name in PATHS)
    for child in ast.iter_child_nodes(node):
        yield from imported(child)


def test_bindgen_has_no_import_cycles() -> None:
    modules = {name: set(imported(ast.parse(path.read_text()))) for name, path in PATHS.items()}
    assert "bindgen.model" in modules["bindgen.reading.types"]
    rooms: dict[str, set[str]] = {}
    for name, others in modules.items():
        own = name.split(".")[1] if "." in name else ""
        found = rooms.setdefault(own, set())
        found |= {other.split(".")[1] for other in others if "." in other} - {own}
    # An order exists. Otherwise CycleError names the cycle.
    assert len(list(TopologicalSorter(modules).static_order())) == len(PATHS)
    assert "reading" in list(TopologicalSorter(rooms).static_order())


def test_modules_stay_below_the_length_limit() -> None:
    assert {
        name: lines for name, path in PATHS.items() if (lines := len(path.read_text().splitlines())) > 600
    } == {}
