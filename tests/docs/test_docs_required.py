"""Examples of `get_sales` in the README, on pages and in docstrings pass all required fields.

REST does not require all of them, so that running a page over REST is not sufficient for SOAP.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from lxml import etree

from tests.docs.pages import ROOT

_CALL = re.compile(r"(?<!def )\bget_sales\(")
_WORD = re.compile(r"(?<!^)(?=[A-Z])")
_XSD = "{http://www.w3.org/2001/XMLSchema}"
_SIGNATURE = {"connectId", "timestamp", "nonce", "signature"}
_WRONG_ON_PURPOSE = "docs/reference/mistakes.md"  # its calls are wrong on purpose


def required() -> set[str]:
    """Return the required fields of GetSales according to the WSDL, as Python names."""
    wsdl = etree.parse(ROOT / "wsdl/publisher/2011-03-01/publisher.wsdl")
    (request,) = [kind for kind in wsdl.iter(f"{_XSD}complexType") if kind.get("name") == "GetSalesRequest"]
    elements = [element for element in request.iter(f"{_XSD}element") if element.get("minOccurs") != "0"]
    names = {element.get("name", "") for element in elements} - _SIGNATURE
    return {_WORD.sub("_", name).lower() for name in names}


def calls(text: str) -> Iterator[tuple[int, str]]:
    """Yield line and arguments of each call with arguments. `…` alone means that they are omitted."""
    for match in _CALL.finditer(text):
        depth, end = 1, match.end()
        while depth and end < len(text):
            depth += (text[end] in "([{") - (text[end] in ")]}")
            end += 1
        arguments = text[match.end() : end - 1]
        if arguments.strip() not in ("", "…", "..."):
            yield text.count("\n", 0, match.start()) + 1, arguments


def given(arguments: str) -> set[str] | None:
    """Return the names of the arguments, or None if they are unknown: a positional request, or `**`."""
    call = ast.parse(f"f({arguments.replace('…', '...')})", mode="eval").body
    assert isinstance(call, ast.Call)
    names = {keyword.arg for keyword in call.keywords}
    return None if call.args or None in names else {name for name in names if name is not None}


SOURCES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (
        ROOT / "README.md",
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "soapclient").rglob("*.py"),
        *(ROOT / "generated").rglob("*.py"),
    )
    if _CALL.search(path.read_text(encoding="utf-8"))
)


def test_examples_exist_and_their_requirements_are_known() -> None:
    assert required() == {"date", "date_type"}
    assert {"README.md", "docs/how-to/tables.md", "soapclient/tables/tabular.py"} <= set(SOURCES)
    found = list(calls("\nx.get_sales(date=days(1), a='b') and get_sales(…)"))
    assert found == [(2, "date=days(1), a='b'")]
    assert given("date=…, x=1") == {"date", "x"}
    assert given("request") is given("**known") is None


@pytest.mark.parametrize("name", [name for name in SOURCES if name != _WRONG_ON_PURPOSE])
def test_every_example_sets_required_fields(name: str) -> None:
    text = Path(ROOT / name).read_text(encoding="utf-8")
    lacking = []
    for line, arguments in calls(text):
        names = given(arguments)
        if names is not None and not required() <= names:
            lacking.append(f"{name}:{line}: get_sales({arguments})")
    assert lacking == []
