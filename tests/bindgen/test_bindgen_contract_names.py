"""bindgen does not contain names of any contract. It knows only WSDL, XSD and the keys of contracts.toml."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from lxml import etree

from bindgen import naming

_REPOSITORY = Path(__file__).parents[2]
_TOOLS = sorted(path for kind in ("*.py", "*.html") for path in (_REPOSITORY / "tools").rglob(kind))
_WSDLS = sorted((_REPOSITORY / "wsdl").rglob("*.wsdl"))

# Common words that contracts use, too, by the reason why bindgen needs them. Single words only: a name of
# several words belongs to a contract.
_ALLOWED = {
    "vocabulary of XSD and WSDL": "address boolean date inline language name string type value",
    "vocabulary of Python and its libraries": "count format group id key main open sub text width",
    "vocabulary of generating": "columns data day number tag tags version",
    "vocabulary of the web": "application modified q query url",
    "vocabulary of HTML": "color html policy script title",
    "vocabulary of WS-Policy and WS-Security": "nonce policies timestamp",
    "plain English": "called connect large leads owner role share",
}
_WORDS = frozenset(word for words in _ALLOWED.values() for word in words.split())


@cache
def _settings() -> set[str]:
    """Return the keys of contracts.toml, with which bindgen looks up names of a contract."""
    contracts = tomllib.loads((_REPOSITORY / "wsdl/contracts.toml").read_text())["contracts"]
    plain = ("signing", "fault", "paging", "job", "order", "waiter", "download", "types", "operations")
    return {key for contract in contracts.values() for section in plain for key in contract.get(section, ())}


@cache
def _names() -> set[str]:
    """Return every name in the contracts and each contract's name, in all spellings of generated code."""
    wire = {path.parents[1].name for path in _WSDLS}
    for path in _WSDLS:
        for node in etree.parse(path).getroot().iter("*"):
            for key in ("name", "value"):
                wire |= {node.get(key, "")}
    return {
        spelling
        for name in wire - {""}
        for spelling in (name, naming.snake(name), naming.pascal(name), naming.constant(name))
    }


def _words(path: Path) -> Iterator[tuple[str, int]]:
    """Yield each word of a module with its line: names, strings and docstrings. Of a template, all words."""
    if path.suffix == ".html":
        for number, text in enumerate(path.read_text().splitlines(), 1):
            yield from ((word, number) for word in re.findall(r"\w+", text))
        return
    for node in ast.walk(ast.parse(path.read_text())):
        for _, text in ast.iter_fields(node):
            if isinstance(text, str):
                yield from ((word, getattr(node, "lineno", 0)) for word in re.findall(r"\w+", text))


def _found(path: Path, names: set[str]) -> set[tuple[str, int]]:
    return {(word, line) for word, line in _words(path) if word in names}


@cache
def _found_in_tools() -> dict[Path, set[tuple[str, int]]]:
    names = _names() - _settings()
    return {path: _found(path, names) for path in _TOOLS}


def test_bindgen_source_contains_no_name_of_a_contract() -> None:
    assert len(_TOOLS) > 40
    assert len(_names() - _settings()) > 700
    found = [
        f"{path.relative_to(_REPOSITORY)}:{line}: {word}"
        for path, found_there in _found_in_tools().items()
        for word, line in sorted(found_there)
        if word.lower() not in _WORDS
    ]
    assert found == []


def test_allowed_names_are_single_words_and_used() -> None:
    used = {word.lower() for found in _found_in_tools().values() for word, _ in found}
    assert used >= _WORDS, "an entry that nothing needs"
    assert all(re.fullmatch("[a-z]+", word) for word in _WORDS)
    assert all(re.fullmatch("[a-z_]+", key) for key in _settings())


@pytest.mark.parametrize(
    "code",
    [
        "reviewState = 1",
        "def get_sales(): ...",
        "x.SaleItem",
        "f(program_id=1)",
        'x = "the saleItem of it"',
        'x = f"{y}/GetSalesRequest"',
        '"""Docs of GetSales."""',
        "from publisher import x",
        "import x as Publisher",
        "PUBLISHER",
        "x = 'trackingDate'",
    ],
)
def test_names_are_found_anywhere_in_the_source(tmp_path: Path, code: str) -> None:
    path = tmp_path / "module.py"
    path.write_text(code)
    assert any(word.lower() not in _WORDS for word, _ in _found(path, _names() - _settings()))


# ---- neither modules nor packages import one another in a cycle

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


@pytest.mark.exhaustive
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


@pytest.mark.exhaustive
def test_modules_stay_below_the_length_limit() -> None:
    assert {
        name: lines for name, path in PATHS.items() if (lines := len(path.read_text().splitlines())) > 600
    } == {}
