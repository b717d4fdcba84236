"""The public names are listed once: the `__all__` of a module, and docs/reference/names.md says the same."""

from __future__ import annotations

import importlib
import pkgutil
import re
from pathlib import Path

import soapclient

PAGE = Path(__file__).parents[1] / "docs/reference/names.md"


def listed() -> dict[str, list[str]]:
    """Module → its names, by the page: a heading, and a table whose first column has the names."""
    found: dict[str, list[str]] = {}
    names: list[str] = []
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if heading := re.fullmatch(r"## (soapclient[\w.]*)", line):
            names = found.setdefault(heading[1], [])
        elif row := re.match(r"\| `(\w+)` \|", line):
            names.append(row[1])
    return found


def offered() -> dict[str, list[str]]:
    """Module → its names, by `__all__`: the package and the modules right below it, without the commands."""
    names = ["soapclient", *(f"soapclient.{each.name}" for each in pkgutil.iter_modules(soapclient.__path__))]
    found = {}
    for name in names:
        exported = getattr(importlib.import_module(name), "__all__", None)
        if name != "soapclient.cli" and exported:
            found[name] = sorted(exported)
    return found


def test_the_page_lists_what_the_modules_offer() -> None:
    assert {module: sorted(names) for module, names in listed().items()} == offered()


def test_each_public_name_is_there_and_says_what_it_is() -> None:
    for module, names in offered().items():
        for name in names:
            value: object = getattr(importlib.import_module(module), name)
            assert not callable(value) or not isinstance(value, type) or value.__doc__, f"{module}.{name}"


def test_there_are_about_a_hundred() -> None:
    assert 60 <= sum(map(len, offered().values())) <= 130


def test_every_error_of_the_tree_is_public() -> None:
    from soapclient import errors

    tree = {
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and value.__module__ == errors.__name__
    }
    assert tree == set(errors.__all__)
