"""The reference of the repository's contracts, generated once, and helpers to read a page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from lxml import html

from bindgen.cli import main
from tests.support.cases import case_text

REPOSITORY = Path(__file__).parents[2]


@dataclass(frozen=True)
class Page:
    """A page as bytes and as parsed HTML."""

    path: Path
    raw: bytes
    root: html.HtmlElement
    ids: Mapping[str, html.HtmlElement]

    def at(self, anchor: str) -> html.HtmlElement:
        """Return the element with this id."""
        return self.ids[anchor]

    def text(self, anchor: str) -> str:
        """Return the text of the element with this id. Whitespace is collapsed."""
        return " ".join(self.at(anchor).text_content().split())

    def blocks(self, anchor: str, label: str) -> list[str]:
        """Return the code blocks of an operation that have this label."""
        found = self.at(anchor).xpath(".//pre[@aria-label=$label]", label=label)
        assert isinstance(found, list)
        return [each.text_content() for each in found if isinstance(each, html.HtmlElement)]


PageOf = Callable[[str], Page]


def read_page(path: Path) -> Page:
    raw = path.read_bytes()
    root = html.document_fromstring(raw, parser=html.HTMLParser(encoding="utf-8"))
    return Page(path, raw, root, {each.get("id", ""): each for each in root.iter() if each.get("id")})


def docs(*arguments: object) -> Result:
    """Run `bindgen docs` with the contracts of the repository."""
    done = CliRunner().invoke(main, ["--wsdl", str(REPOSITORY / "wsdl"), "docs", *map(str, arguments)])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done


@pytest.fixture(scope="session")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Generate the reference of all contracts. Return its folder."""
    folder = tmp_path_factory.mktemp("reference")
    done = docs("--out", folder)
    assert done.exit_code == 0, done.output
    return folder


@pytest.fixture(scope="session")
def split_reference(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Generate the same reference, but split into an overview and parts, as for large contracts."""
    folder = tmp_path_factory.mktemp("split")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bindgen.docs.split.LARGE", 0)
        done = docs("--out", folder)
    assert done.exit_code == 0, done.output
    return folder


@pytest.fixture(scope="session")
def page(reference: Path) -> PageOf:
    """Return a function that reads the page of a contract."""
    return cache(lambda name: read_page(reference / f"{name}.html"))


@pytest.fixture
def document_page(tmp_path: Path) -> PageOf:
    """Return a function that generates the page of a WSDL and reads it."""

    def made(text: str) -> Page:
        (tmp_path / "shop.wsdl").write_text(text, encoding="utf-8")
        done = docs("--file", tmp_path / "shop.wsdl", "--out", tmp_path / "reference")
        assert done.exit_code == 0, done.output
        return read_page(tmp_path / "reference" / "shop.html")

    return made


_WSDL = case_text(__file__, "ask.wsdl")
# A simple schema for `wsdl`.
ASK = """<x:element name="AskRequest"><x:complexType><x:sequence>
      <x:element name="question" type="x:string"/></x:sequence></x:complexType></x:element>
      <x:element name="AskResponse"><x:complexType><x:sequence>
      <x:element name="answer" type="x:string" maxOccurs="3"/></x:sequence></x:complexType></x:element>"""


def wsdl(schema: str) -> str:
    """Return a WSDL of one operation, whose messages AskRequest and AskResponse are in the schema."""
    return _WSDL.replace("SCHEMA", schema)
