"""Each module's `__all__` and docs/reference/names.md list the same public names.

.ci/reference.py checks the signatures on that page (tests/docs/test_docs_references.py).
"""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

import pytest

import soapclient
import soapclient.tracking
from soapclient import errors
from tests.docs.pages import all_pages
from tests.signatures import error_classes, is_meant, types_named
from tests.test_supply import script

# Users pass and compare these. Their attributes are for generated code and for the client's engines: they may
# name any type of the runtime.
FOR_ENGINES = {
    f"soapclient.runtime.{name}"
    for name in ("HeaderCaller", "ListOperation", "Operation", "Package", "RestRow", "Scalar")
}
PAGE = Path(__file__).parents[1] / "docs/reference/names.md"


def listed(level: str = "##") -> dict[str, list[str]]:
    """Return the names of each module on the page.

    A module is a heading and a table with the names in its first column.
    """
    found: dict[str, list[str]] = {}
    names: list[str] = []
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if heading := re.fullmatch(rf"{level} (soapclient[\w.]*)", line):
            names = found.setdefault(heading[1], [])
        elif line.startswith("#"):
            names = []
        elif row := re.match(r"\| `(\w+)` \|", line):
            names.append(row[1])
    return found


def offered() -> dict[str, list[str]]:
    """Return the names in `__all__` of the package, and of the modules directly in it and in the service.

    Commands are excluded.
    """
    above = (soapclient, soapclient.tracking)
    below = [f"{each.__name__}.{name.name}" for each in above for name in pkgutil.iter_modules(each.__path__)]
    found = {}
    for name in ["soapclient", *below]:
        exported = getattr(importlib.import_module(name), "__all__", None)
        if name != "soapclient.cli" and exported:
            found[name] = sorted(exported)
    return found


def test_page_lists_the_public_names_of_the_modules() -> None:
    assert {module: sorted(names) for module, names in listed().items()} == offered()


def undocumented(owner: type[object]) -> Iterator[str]:
    """Yield the public methods and properties of a class that have no docstring. Inherited ones count."""
    for kind in owner.__mro__:
        if kind.__module__.startswith("soapclient"):
            for name, member in vars(kind).items():
                is_member = inspect.isroutine(member) or isinstance(member, property | cached_property)
                if is_member and not name.startswith("_") and not inspect.getdoc(getattr(owner, name)):
                    yield name


def test_each_public_member_has_a_docstring() -> None:
    checked, missing = 0, set()
    for module, names in offered().items():
        for name in names:
            value: object = getattr(importlib.import_module(module), name)
            if isinstance(value, type):
                checked += 1
                missing |= {f"{module}.{name}.{member}" for member in undocumented(value)}
            elif inspect.isfunction(value):
                checked += 1
                missing |= set() if inspect.getdoc(value) else {f"{module}.{name}"}
    assert checked > 150
    assert sorted(missing) == []


@pytest.mark.parametrize("name", ["Client", "AsyncClient", "connect", "connect_async"])
def test_docstring_describes_every_argument(name: str) -> None:
    """Editors show docstrings, but not the names of settings that a signature takes as keywords."""
    documented = getattr(soapclient, name)
    listed = (inspect.getdoc(documented) or "").partition("**Parameters:**")[2]
    arguments, _, settings = listed.partition("* **options** - ")
    found = [*re.findall(r"^\* \*\*(\w+)\*\* - ", arguments, re.MULTILINE), *re.findall(r"`(\w+)`", settings)]
    assert set(found) - {"settings"} == set(inspect.signature(documented).parameters) - {"settings"}


def test_public_signatures_use_only_listed_types() -> None:
    pytest.importorskip("pandas", reason="signatures name its types: install the extra exhaustive")
    received: dict[str, set[str]] = script("received").RECEIVED
    public = {
        (module, name): getattr(importlib.import_module(module), name)
        for module, names in offered().items()
        for name in names
    }
    assert all((module, name) in public for module, names in received.items() for name in names)
    constructors = {id(public[module, name]) for module, names in received.items() for name in names}
    listed_types = {id(value) for value in public.values()}
    seen, unlisted = 0, set()
    for (module, name), value in public.items():
        homes = {"soapclient.runtime"} if f"{module}.{name}" in FOR_ENGINES else set()
        for part, written, kind in types_named(value, constructed=id(value) not in constructors):
            seen += 1
            if id(kind) not in listed_types and not is_meant(kind, homes):
                unlisted.add(f"{module}.{name}{part and '.'}{part}: {written}")
    assert seen > 1000
    assert sorted(unlisted) == []


def test_every_error_of_the_package_is_public() -> None:
    kinds = {kind.__name__: kind for kind in error_classes()}
    assert len(kinds) > 30
    assert kinds == {name: getattr(errors, name) for name in errors.__all__ if name != "ColumnDrift"}
    assert {kind.__module__ for kind in kinds.values()} == {"soapclient.errors"}


def test_generated_code_imports_only_listed_names() -> None:
    imported: dict[str, set[str]] = {}
    for path in (PAGE.parents[2] / "generated").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("soapclient"):
                imported.setdefault(node.module or "", set()).update(name.name for name in node.names)
    public = listed("###")
    assert len(imported) > 3
    assert [(module, names - set(public.get(module, ()))) for module, names in imported.items()] == [
        (module, set()) for module in imported
    ]


def imports_of_the_pages() -> dict[str, set[str]]:
    """Return `module.name` → the pages whose Python blocks import it from the package."""
    found: dict[str, set[str]] = {}
    for page in all_pages():
        for block in re.findall(r"^```python\n(.*?)^```", page.text, re.DOTALL | re.MULTILINE):
            try:
                tree = ast.parse(block)
            except SyntaxError:  # an incomplete program, which other tests run
                continue
            for node in ast.walk(tree):
                if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "soapclient":
                    for name in node.names:
                        found.setdefault(f"{node.module}.{name.name}", set()).add(page.name)
    return found


def test_pages_import_only_public_names() -> None:
    public = {f"{module}.{name}" for module, names in offered().items() for name in names} | set(offered())
    imported = imports_of_the_pages()
    assert len(imported) > 30
    assert {name: pages for name, pages in imported.items() if name not in public} == {}
