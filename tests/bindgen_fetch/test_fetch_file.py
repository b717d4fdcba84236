"""`--file`: a contract from a folder, and how to accept local edits of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from requests_mock import Mocker

from bindgen.fetching import lock
from bindgen.fetching.catalogue import Catalogue
from bindgen.fetching.download import Limits
from bindgen.fetching.errors import FetchError
from tests.bindgen_fetch.conftest import Fetch, schema, wsdl

URL = "https://api.invalid/soap/v1?wsdl"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    (folder / "parts").mkdir(parents=True)
    (tmp_path / "secret.xsd").write_text(schema(), encoding="utf-8")
    (folder / "root.wsdl").write_text(wsdl("parts/a.xsd"), encoding="utf-8")
    (folder / "parts" / "a.xsd").write_text(schema("../b%20c.xsd"), encoding="utf-8")
    (folder / "b c.xsd").write_text(schema("parts/a.xsd"), encoding="utf-8")
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "wsdl"


@pytest.fixture
def accept(folder: Path, fetch_shop: Fetch) -> Fetch:
    folder.mkdir()
    place = {"folder": folder, "url": None, "contracts_url": URL}
    usual: dict[str, object] = {**place, "origin": "reconstructed"}
    return lambda file, **given: fetch_shop("other.example.org", file=file, **usual, **given)


def test_relative_imports_are_local_files_with_their_addresses(
    accept: Fetch, source: Path, folder: Path
) -> None:
    documents = accept(source / "root.wsdl").documents
    assert {document.url: document.file for document in documents} == {
        URL: "shop/v1/shop.wsdl",
        "https://api.invalid/soap/parts/a.xsd": "shop/v1/a.xsd",
        "https://api.invalid/soap/b%20c.xsd": "shop/v1/b_c.xsd",
    }
    assert (folder / "shop/v1/b_c.xsd").read_bytes() == (source / "b c.xsd").read_bytes()
    contract = lock.read(folder / "contracts.lock").contract("shop")
    assert (contract.root, contract.origin) == (URL, "reconstructed")
    assert not accept(source / "root.wsdl").changed


def test_absolute_imports_are_fetched_and_stay_remote(
    accept: Fetch, source: Path, requests_mock: Mocker
) -> None:
    (source / "root.wsdl").write_text(wsdl("http://other.example.org/parts/a.xsd"), encoding="utf-8")
    requests_mock.get("https://other.example.org/parts/a.xsd", text=schema("b.xsd"))
    requests_mock.get("https://other.example.org/parts/b.xsd", text=schema())
    report = accept(source / "root.wsdl")
    urls = [document.url for document in report.documents[1:]]
    assert urls == ["https://other.example.org/parts/a.xsd", "https://other.example.org/parts/b.xsd"]
    assert any("http://other.example.org/parts/a.xsd is read as https" in note for note in report.notes)


@pytest.mark.parametrize(
    "location", ["../secret.xsd", "parts/../../secret.xsd", "%2e%2e/secret.xsd", "/etc/passwd", "link.xsd"]
)
def test_files_outside_the_folder_are_not_read(
    accept: Fetch, source: Path, folder: Path, location: str
) -> None:
    (source / "link.xsd").symlink_to(source.parent / "secret.xsd")
    (source / "root.wsdl").write_text(wsdl(location), encoding="utf-8")
    with pytest.raises(FetchError, match="is outside of"):
        accept(source / "root.wsdl")
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("location", "said"),
    [
        ("file:///etc/passwd", "scheme 'file'"),
        (
            "missing.xsd",
            r"missing\.xsd: cannot be read \(No such file or directory\) \(referred to by .*line 2\)",
        ),
        ("parts", "is not a regular file"),
        ("?xsd=1", "cannot be a file"),
        ("a%00b.xsd", "is not a valid path"),
        ("root.wsdl", None),
    ],
)
def test_locations_without_a_file_are_errors(
    accept: Fetch, source: Path, folder: Path, location: str, said: str | None
) -> None:
    (source / "root.wsdl").write_text(wsdl(location), encoding="utf-8")
    with pytest.raises(FetchError, match=said or "not an XML schema"):
        accept(source / "root.wsdl")
    assert list(folder.iterdir()) == []


def test_missing_or_huge_root_is_refused(accept: Fetch, source: Path) -> None:
    with pytest.raises(FetchError, match="cannot be read"):
        accept(source / "other.wsdl")
    with pytest.raises(FetchError, match="larger than 10 bytes"):
        accept(source / "root.wsdl", limits=Limits(document_bytes=10))


@pytest.mark.parametrize("edited", ["shop.wsdl", "a.xsd"])
@pytest.mark.parametrize("edit", [(">", ' id="new">'), (">", "  >")])
def test_edited_contract_is_accepted_in_place(
    accept: Fetch, source: Path, folder: Path, edited: str, edit: tuple[str, str]
) -> None:
    accept(source / "root.wsdl")
    file = folder / "shop/v1" / edited
    file.write_text(file.read_text(encoding="utf-8").replace(*edit, 1), encoding="utf-8")
    now = file.read_bytes()
    report = accept(folder / "shop/v1/shop.wsdl")
    assert report.changed
    files = [document.file for document in report.documents]
    assert files == ["shop/v1/shop.wsdl", "shop/v1/a.xsd", "shop/v1/b_c.xsd"]
    catalogue = Catalogue(folder, lock.read(folder / "contracts.lock").contract("shop"))
    assert now in [catalogue.read(url) for url in catalogue.urls]
    assert not accept(folder / "shop/v1/shop.wsdl").changed


def test_first_acceptance_leaves_a_file_in_place_unchanged(accept: Fetch, folder: Path) -> None:
    file = folder / "shop/v1/shop.wsdl"
    file.parent.mkdir(parents=True)
    file.write_text(wsdl(), encoding="utf-8")
    before = file.stat().st_mtime_ns
    assert accept(file).changed
    assert file.stat().st_mtime_ns == before
    assert (folder / "contracts.lock").exists()
