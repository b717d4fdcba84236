from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bindgen.fetching import filenames
from bindgen.fetching.imports import Kind

ROOT = "https://example.org/soap/v1?wsdl"


def _names(*urls: str, root: str = ROOT, kind: Kind = "xsd") -> dict[str, str]:
    kinds: dict[str, Kind] = {root: "wsdl", **dict.fromkeys(urls, kind)}
    return filenames.file_names(kinds, root_url=root, contract="shop")


@pytest.mark.parametrize(
    ("root", "name"),
    [
        ("https://example.org/soap/v1?wsdl", "shop.wsdl"),
        ("https://example.org/wsdl/2011-03-01", "shop.wsdl"),
        ("https://example.org/", "shop.wsdl"),
        ("https://example.org", "shop.wsdl"),
        ("https://example.org/Orders.wsdl", "Orders.wsdl"),
        ("https://example.org/Orders.WSDL?x=1", "Orders.wsdl"),
        ("https://example.org/.wsdl", "shop.wsdl"),
    ],
)
def test_root_has_its_file_name(root: str, name: str) -> None:
    assert _names(root=root) == {root: name}


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("a/types.xsd", "types.xsd"),
        ("a/types", "types.xsd"),
        ("service.asmx?schema=2", "service.asmx-schema_2.xsd"),
        ("?xsd=1", "document-xsd_1.xsd"),
        ("types.xsd?v=2", "types-v_2.xsd"),
        ("..%2F..%2Fetc%2Fpasswd", "etc_passwd.xsd"),
        ("%2e%2e", "document.xsd"),
        ("a%00b.xsd", "a_b.xsd"),
        ("-rf.xsd", "rf.xsd"),
        ("Größe.xsd", "Gr_e.xsd"),
    ],
)
def test_imported_document_has_its_file_name(path: str, name: str) -> None:
    url = f"https://example.org/{path}"
    assert _names(url)[url] == name


def test_name_clash_is_resolved_independently_of_order_and_case() -> None:
    one, two = "https://example.org/a/types.xsd", "https://example.org/b/Types.XSD"
    names = _names(one, two)
    assert names == _names(two, one)
    assert len({name.lower() for name in names.values()}) == 3
    assert re.fullmatch(r"types-[0-9a-f]{12}\.xsd", names[one])


def test_the_root_keeps_its_name_in_a_clash() -> None:
    other = "https://example.org/shop.wsdl"
    names = _names(other, kind="wsdl")
    assert names[ROOT] == "shop.wsdl"
    assert re.fullmatch(r"shop-[0-9a-f]{12}\.wsdl", names[other])


def test_forged_clash_with_a_digest_name_is_refused() -> None:
    one, two = "https://example.org/a/types.xsd", "https://example.org/b/types.xsd"
    taken = _names(one, two)[one]
    with pytest.raises(filenames.NameClash):
        _names(one, two, f"https://example.org/{taken}")


@given(st.lists(st.text(min_size=1, max_size=120), unique=True, max_size=4))
def test_file_names_stay_in_their_folder(tails: list[str]) -> None:
    names = _names(*(f"https://example.org/{tail}" for tail in tails))
    for name in names.values():
        assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,100}\.(xsd|wsdl|xml)", name)
    assert len({name.lower() for name in names.values()}) == len(names)
