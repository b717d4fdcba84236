"""Unusual responses and documents are refused with a helpful error before any file is written."""

from __future__ import annotations

from pathlib import Path

import pytest
from requests_mock import Mocker

from tests.bindgen_fetch.conftest import HEAD, SCHEMA, URL, Fetch, Refused, wsdl

EMPTY = f"{HEAD}</definitions>"


@pytest.mark.parametrize(
    ("content", "media_type", "said"),
    [
        ("<!DOCTYPE html><html><br></html>", "text/html; charset=utf-8", "not well-formed"),
        ("<html xmlns='http://www.w3.org/1999/xhtml'/>", "text/html", "its root is .*html"),
        ("<!DOCTYPE html><html/>", "text/html", "DOCTYPE"),
        ("", "text/plain", "is empty"),
        ('{"error": "login"}', "application/json", "not well-formed"),
        (SCHEMA, "text/xml", r"its root is \{http://www.w3.org/2001/XMLSchema\}schema"),
        ("<description xmlns='http://www.w3.org/ns/wsdl'/>", "application/wsdl+xml", "its root is .*wsdl"),
        (EMPTY[:-5], "text/xml", "not well-formed"),
    ],
)
def test_invalid_wsdl_is_refused(
    refused: Refused, requests_mock: Mocker, content: str, media_type: str, said: str
) -> None:
    requests_mock.get(URL, text=content, headers={"Content-Type": media_type})
    problem = refused(said).problem
    assert "not a WSDL 1.1 document" in problem
    assert f"came as {media_type}" in problem


def test_wsdl_with_a_wrong_content_type_is_accepted(fetch_shop: Fetch, requests_mock: Mocker) -> None:
    requests_mock.get(URL, text=EMPTY, headers={"Content-Type": "text/html"})
    assert fetch_shop().changed


@pytest.mark.parametrize(
    ("location", "said"),
    [
        ("file:///etc/passwd", "scheme 'file'"),
        ("ftp://example.org/x.xsd", "scheme 'ftp'"),
        ("https://somebody:hidden@example.org/x.xsd", "contains credentials"),
        ("http://localhost:8080/x.xsd", "may not refer to this machine"),
        ("https://127.0.0.1/x.xsd", "may not refer to this machine"),
        ("https://[/x.xsd", "not a well-formed address"),
        ("", "its include has no schemaLocation"),
    ],
)
def test_unsafe_locations_are_refused(
    refused: Refused, requests_mock: Mocker, location: str, said: str
) -> None:
    requests_mock.get(URL, text=wsdl(location))
    error = str(refused(said))
    assert "line 2" in error
    assert "hidden" not in error
    assert requests_mock.call_count == 1


def test_included_page_that_is_not_a_schema_is_refused(refused: Refused, requests_mock: Mocker) -> None:
    requests_mock.get(URL, text=wsdl("x.xsd"))
    requests_mock.get("https://api.example.org/x.xsd", text="<html/>", headers={"Content-Type": "text/html"})
    assert f"referred to by {URL}, line 2" in refused("its root is html; came as text/html").problem


def test_http_is_replaced_by_https_and_noted(fetch_shop: Fetch, requests_mock: Mocker) -> None:
    requests_mock.get(URL, text=wsdl("http://other.example.org/x.xsd"))
    requests_mock.get("https://other.example.org/x.xsd", text=SCHEMA)
    report = fetch_shop("other.example.org", url=URL.replace("https:", "http:"))
    assert [document.url for document in report.documents] == [URL, "https://other.example.org/x.xsd"]
    assert f"{URL.replace('https:', 'http:')} is read as {URL}" in report.notes
    said = "http://other.example.org/x.xsd is read as https://other.example.org/x.xsd"
    assert f"{URL}, line 2: {said}" in report.notes
    assert all(request.scheme == "https" for request in requests_mock.request_history)


def test_parent_locations_stay_in_the_folder(
    fetch_shop: Fetch, requests_mock: Mocker, tmp_path: Path
) -> None:
    requests_mock.get(URL, text=wsdl("../../../..%2f..%2fx.xsd"))
    requests_mock.get("https://api.example.org/..%2f..%2fx.xsd", text=SCHEMA)
    report = fetch_shop()
    assert [document.file for document in report.documents] == ["shop/v1/shop.wsdl", "shop/v1/x.xsd"]
    written = {file.relative_to(tmp_path).as_posix() for file in tmp_path.rglob("*") if file.is_file()}
    assert written == {"contracts.lock", "shop/v1/shop.wsdl", "shop/v1/x.xsd"}


def test_equal_base_names_become_two_files(fetch_shop: Fetch, requests_mock: Mocker, tmp_path: Path) -> None:
    requests_mock.get(URL, text=wsdl("a/x.xsd", "b/x.xsd"))
    for part in "ab":
        content = SCHEMA.replace("/>", f' id="{part}"/>')
        requests_mock.get(f"https://api.example.org/{part}/x.xsd", text=content)
    _, one, two = fetch_shop().documents
    assert one.file != two.file
    assert b'id="a"' in (tmp_path / one.file).read_bytes()
    assert b'id="b"' in (tmp_path / two.file).read_bytes()


def test_a_moved_base_is_refused(refused: Refused, requests_mock: Mocker) -> None:
    requests_mock.get(URL, text=EMPTY.replace(">", ' xml:base="https://example.org/">', 1))
    refused("xml:base")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"url": ""}, "has no address"),
        ({"url": "shop.wsdl"}, "only https is fetched"),
        ({"url": "https://somebody:hidden@example.org/"}, "contains credentials"),
        ({"name": "../shop"}, "cannot be the name of a folder"),
        ({"name": "."}, "cannot be the name of a folder"),
        ({"version": "v/1"}, "cannot be the name of a folder"),
        ({"version": ".."}, "cannot be the name of a folder"),
    ],
)
def test_invalid_arguments_are_refused(refused: Refused, asked: dict[str, str], said: str) -> None:
    assert "hidden" not in str(refused(said, **asked))
