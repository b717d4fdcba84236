"""`bindgen docs` into a folder with pages of earlier runs, and imports from other hosts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from html import escape
from pathlib import Path

import pytest
from lxml import html

from tests.contracts_matrix.loopback import serving
from tests.docs.conftest import ASK, docs, wsdl

ROOT = Path(__file__).parents[2]


def _linked(folder: Path) -> list[str]:
    root = html.document_fromstring((folder / "index.html").read_bytes())
    found = root.xpath("//main//li/a/@href")
    assert isinstance(found, list)
    return [str(each) for each in found]


def _entry(name: str, namespace: str) -> str:
    said = json.dumps({"name": name, "version": "1", "namespace": namespace, "operations": 1})
    return f'<meta name="bindgen-contract" content="{escape(said)}">'


def _copied(reference: Path, folder: Path) -> Path:
    for path in reference.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    return folder


def test_pages_of_earlier_runs_are_kept_in_the_index(reference: Path, tmp_path: Path) -> None:
    folder = _copied(reference, tmp_path)
    pages = sorted(path.name for path in reference.iterdir() if path.name != "index.html")
    assert len(pages) > 1
    assert _linked(reference) == pages
    done = docs("data", "--out", folder)
    assert done.exit_code == 0
    assert (folder / "index.html").read_bytes() == (reference / "index.html").read_bytes()
    for name in pages:
        assert (f"{name}: kept from an earlier run" in done.stderr) == (name != "data.html")


@pytest.mark.exhaustive
def test_page_of_another_wsdl_is_added(reference: Path, tmp_path: Path) -> None:
    folder = _copied(reference, tmp_path)
    (tmp_path / "a.wsdl").write_text(wsdl(ASK), encoding="utf-8")
    assert docs("my_shop", "--file", tmp_path / "a.wsdl", "--out", folder).exit_code == 0
    assert _linked(folder) == sorted([*_linked(reference), "my_shop.html"])
    item = html.document_fromstring((folder / "index.html").read_bytes()).xpath("//li[a='my_shop']")[0]
    assert item.text_content().strip() == "my_shop, 1 operationurn:example:shop"  # a line break between
    assert docs("--out", folder).exit_code == 0
    assert "my_shop.html" in _linked(folder)
    (folder / "my_shop.html").unlink()
    assert docs("data", "--out", folder).exit_code == 0
    assert (folder / "index.html").read_bytes() == (reference / "index.html").read_bytes()


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "content",
    [
        "",
        "<title>Somebody's own</title>",
        "<meta name=bindgen-contract>",
        "<meta name=bindgen-contract content='{'>",
        "<meta name=bindgen-contract content='[[[[[[[1'>",
        '<meta name="bindgen-contract" content="{}">',
        "ENTRY:../other",
        "ENTRY:other",
        "ENTRY:<script>alert(1)</script>",
    ],
)
def test_foreign_pages_are_kept_but_not_indexed(content: str, tmp_path: Path) -> None:
    if content.startswith("ENTRY:"):
        content = _entry(content[6:], "urn:x")
    (tmp_path / "mine.html").write_text(content, encoding="utf-8")
    done = docs("data", "--out", tmp_path)
    assert done.exit_code == 0, done.output
    assert _linked(tmp_path) == ["data.html"]
    assert (tmp_path / "mine.html").read_text(encoding="utf-8") == content


def test_page_titles_are_escaped_in_the_index(tmp_path: Path) -> None:
    """The text on the page comes from the contract, which is not trusted."""
    evil = '"><script>alert(1)</script>'
    (tmp_path / "mine.html").write_text(_entry("mine", evil), encoding="utf-8")
    assert docs("data", "--out", tmp_path).exit_code == 0
    assert _linked(tmp_path) == ["data.html", "mine.html"]
    root = html.document_fromstring((tmp_path / "index.html").read_bytes())
    assert len(root.xpath("//script")) == 1
    assert evil in root.text_content()


@pytest.fixture
def elsewhere() -> Iterator[str]:
    """Serve a schema at `localhost`. Yields its address."""
    mood = '<x:restriction base="x:string"><x:enumeration value="glad"/></x:restriction>'
    schema = (
        '<x:schema xmlns:x="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t">'
        f'<x:simpleType name="Mood">{mood}</x:simpleType></x:schema>'
    ).encode()
    with serving(lambda *_: (200, "text/xml", schema), []) as url:
        yield f"{url.replace('127.0.0.1', 'localhost')}/types.xsd"


def test_hosts_of_imports_can_be_allowed(elsewhere: str, tmp_path: Path) -> None:
    """The option that the note about a document of another host recommends exists."""
    text = wsdl(f'<x:import namespace="urn:t" schemaLocation="{elsewhere}"/>{ASK}')
    text = text.replace('name="question" type="x:string"', 'name="question" type="u:Mood" xmlns:u="urn:t"')
    (tmp_path / "shop.wsdl").write_text(text, encoding="utf-8")
    for arguments, told in ((), False), (("--allow-host", "localhost"), True):
        done = docs("--file", tmp_path / "shop.wsdl", "--out", tmp_path / "o", *arguments)
        page = (tmp_path / "o" / "shop.html").read_text(encoding="utf-8") if done.exit_code == 0 else ""
        assert ("glad" in page) == told, done.output
        assert ("--allow-host localhost" in page + done.output) != told
