"""References of large contracts: an overview and a page per part. Links and ids are as in a single page."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import urldefrag

import pytest
from lxml import html

from tests.docs.conftest import ASK, PageOf, docs, read_page, wsdl

pytestmark = pytest.mark.exhaustive

_FIELDS = "".join(f'<x:element name="field{at}" type="x:string"/>' for at in range(8))


def _many(count: int) -> str:
    """Return a schema with `count` types that the request uses. Two names differ only in case."""
    names = [*(f"Kind{at}" for at in range(count)), "kind0"]
    types = "".join(
        f'<x:complexType name="{name}"><x:sequence>{_FIELDS}</x:sequence></x:complexType>' for name in names
    )
    uses = "".join(f'<x:element name="one{name}" type="t:{name}" minOccurs="0"/>' for name in names)
    request = f'<x:element name="AskRequest"><x:complexType><x:sequence>{uses}</x:sequence></x:complexType>'
    return f'{types}{request}</x:element><x:element name="AskResponse" type="x:int"/>'


def _docs(file: Path, out: Path) -> list[Path]:
    done = docs("--file", file, "--out", out)
    assert done.exit_code == 0, done.output
    return sorted(path.relative_to(out) for path in out.rglob("*") if path.is_file())


def test_a_large_contract_has_a_page_for_each_operation_and_type(tmp_path: Path) -> None:
    file, out = tmp_path / "shop.wsdl", tmp_path / "out"
    file.write_text(wsdl(_many(500)))
    written = _docs(file, out)
    assert len(written) == 2 + 1 + 501
    assert len({str(path).lower() for path in written}) == len(written)
    sizes = {path: (out / path).stat().st_size for path in written}
    assert max(sizes.values()) < 400_000
    assert sorted(sizes.values())[-4] < 40_000  # except the overview and the operation with all fields
    again = tmp_path / "again"
    assert _docs(file, again) == written
    assert all((again / path).read_bytes() == (out / path).read_bytes() for path in written)
    # The contract is smaller now: the old pages are removed, but not files of the user.
    (out / "shop" / "own.html").write_text("<title>mine</title>")
    file.write_text(wsdl(_many(3)))
    assert {str(path) for path in _docs(file, out)} == {"index.html", "shop.html", "shop/own.html"}


@pytest.mark.parametrize("name", ["publisher", "data", "advertiser"])
def test_ids_and_links_equal_those_of_the_single_page(name: str, page: PageOf, split_reference: Path) -> None:
    whole, overview = page(name), read_page(split_reference / f"{name}.html")
    pages = {f"{name}.html": overview}
    pages |= {f"{name}/{path.name}": read_page(path) for path in (split_reference / name).iterdir()}
    found = {anchor for each in pages.values() for anchor in each.ids}
    assert found >= set(whole.ids)
    for place, each in pages.items():
        for link in _links(each.root):
            target, anchor = urldefrag(link)
            path = (split_reference / place).parent / target if target else split_reference / place
            assert path.resolve().is_relative_to(split_reference), (place, link)
            if path.name == "index.html":
                continue
            ids = pages[str(path.resolve().relative_to(split_reference))].ids
            assert not anchor or anchor in ids, (place, link)
            if place != f"{name}.html" and anchor:
                assert ids[anchor].get("data-at") is None, (place, link)  # directly, not via the overview
    assert {urldefrag(link)[1] for each in pages.values() for link in _links(each.root)} - {""} == {
        urldefrag(link)[1] for link in _links(whole.root)
    } - {"", "content"} | {"content"}


def test_overview_lists_all_searchable_entries(split_reference: Path, page: PageOf) -> None:
    root = html.document_fromstring((split_reference / "publisher.html").read_bytes())
    entries = json.loads(str(root.xpath("string(//script[@id='index'])")))
    searched = {(str(kind), str(id)) for _, _, inner in entries for id, kind, _ in inner}
    searched |= {(str(n.get("data-k")), str(n.get("id"))) for n in root.iter() if n.get("data-k")}
    whole = page("publisher").root
    assert searched == {
        (str(n.get("data-k")), str(n.get("id"))) for n in whole.iter() if n.get("data-k") and n.get("id")
    }


def test_markup_in_names_is_escaped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bindgen.docs.split.LARGE", 0)
    evil = "&lt;/script>&lt;section id=&quot;x&quot; class=&quot;type&quot; data-k=&quot;type&quot;>"
    note = f"<x:annotation><x:documentation>{evil}</x:documentation></x:annotation>"
    kind = f'<x:restriction base="x:string">{note}<x:enumeration value="{evil}"/></x:restriction>'
    schema = f'{ASK.replace("x:string", "t:E")}<x:simpleType name="E">{kind}</x:simpleType>'
    (tmp_path / "shop.wsdl").write_text(wsdl(schema))
    for path in _docs(tmp_path / "shop.wsdl", tmp_path / "out"):
        text = (tmp_path / "out" / path).read_text()
        assert '<section id="x"' not in text
        assert (
            len(re.findall("<script", text))
            == len(re.findall("</script>", text))
            == 1 + (path.name == "shop.html")
        )


def _links(root: html.HtmlElement) -> list[str]:
    return [str(node.get("href")) for node in root.iter("a")]
