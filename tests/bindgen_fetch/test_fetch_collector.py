"""Contracts in memory, from sources without a lock: an address, files, and with missing documents."""

from __future__ import annotations

from pathlib import Path

import pytest

from bindgen.fetching.catalogue import CatalogueError
from bindgen.fetching.collector import CollectedDocuments, LocalCopies, collect
from bindgen.fetching.download import Limits
from bindgen.fetching.errors import FetchError
from bindgen.reading.documents import Documents, DocumentSource
from tests.bindgen_fetch.conftest import Site, schema, wsdl


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """…/contract/wsdl/root.wsdl → ../xsd/a.xsd → ../wsdl/b c.xsd, and back.

    A secret file is two folders above.
    """
    home = tmp_path / "deep" / "deeper" / "contract"
    (home / "wsdl").mkdir(parents=True)
    (home / "xsd").mkdir()
    (home / "wsdl" / "root.wsdl").write_text(wsdl("../xsd/a.xsd", "b%20c.xsd"))
    (home / "xsd" / "a.xsd").write_text(schema("../wsdl/b c.xsd", "../xsd/a.xsd"))
    (home / "wsdl" / "b c.xsd").write_text(schema("../xsd/a.xsd"))
    (tmp_path / "secret.xsd").write_text(schema())
    return home


def test_files_next_to_and_above_are_collected_once(folder: Path) -> None:
    found = collect(folder / "wsdl" / "root.wsdl", offline=True)
    assert list(found.files.values()) == ["root.wsdl", "../xsd/a.xsd", "b c.xsd"]
    assert list(found.kinds.values()) == ["wsdl", "xsd", "xsd"]
    assert (found.missing, found.notes) == ({}, ())
    a = found.resolve(found.root_url, "../xsd/a.xsd")
    b = found.resolve(a, "../wsdl/b c.xsd")
    assert b == found.resolve(found.root_url, "b%20c.xsd")
    assert found.resolve(b, "../xsd/a.xsd") == a
    assert found.read(b) == (folder / "wsdl" / "b c.xsd").read_bytes()
    assert not [url for url in found.documents if "deep" in url or str(folder) in url]


def test_working_directory_does_not_matter(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = collect(folder / "wsdl" / "root.wsdl", offline=True)
    monkeypatch.chdir(folder / "wsdl")
    assert collect("root.wsdl", offline=True) == whole
    monkeypatch.chdir(folder)
    assert collect(Path("wsdl/root.wsdl"), offline=True) == whole


def test_generation_reads_a_collection_like_a_catalogue(folder: Path) -> None:
    found: DocumentSource = collect(folder / "wsdl" / "root.wsdl", offline=True)
    assert isinstance(found, CollectedDocuments)
    documents = Documents(found, found.files)
    assert documents.follow(documents.root, "../xsd/a.xsd").file == "../xsd/a.xsd"


@pytest.mark.parametrize(
    "location",
    ["../../../../secret.xsd", "/etc/passwd", "file:///etc/passwd", "nope.xsd", "https://e.example/x", "."],
)
def test_missing_document_is_an_error_or_reported_as_missing(folder: Path, location: str) -> None:
    root = folder / "wsdl" / "root.wsdl"
    root.write_text(wsdl(location, "b%20c.xsd"))
    with pytest.raises(FetchError) as refused:
        collect(root)
    found = collect(root, lenient=True)
    assert list(found.files.values()) == ["root.wsdl", "b c.xsd", "../xsd/a.xsd"]
    [(address, reason)] = found.missing.items()
    assert found.resolve(found.root_url, location) == address
    assert reason == str(refused.value)
    assert "root.wsdl" in reason
    assert "file.invalid" not in reason
    with pytest.raises(CatalogueError) as unread:
        found.read(address)
    assert str(unread.value) == reason


def test_allowed_folder_can_be_narrower_or_wider(folder: Path, tmp_path: Path) -> None:
    root = folder / "wsdl" / "root.wsdl"
    with pytest.raises(FetchError, match="is outside of"):
        collect(root, below=folder / "wsdl")
    root.write_text(wsdl("../../../../secret.xsd"))
    assert list(collect(root, below=tmp_path).files.values()) == ["root.wsdl", "../../../../secret.xsd"]
    with pytest.raises(FetchError, match="is outside of"):
        collect(root, below=folder / "xsd")


def test_include_without_a_location_is_skipped_and_reported(folder: Path) -> None:
    root = folder / "wsdl" / "root.wsdl"
    root.write_text(wsdl("b%20c.xsd").replace("<x:include", "<x:include/><x:include"))
    with pytest.raises(FetchError, match="has no schemaLocation"):
        collect(root)
    found = collect(root, lenient=True)
    assert list(found.files.values()) == ["root.wsdl", "b c.xsd", "../xsd/a.xsd"]
    assert any("has no schemaLocation" in note for note in found.notes)


def test_document_of_the_wrong_kind_is_refused_under_a_second_name(folder: Path) -> None:
    root = folder / "wsdl" / "root.wsdl"
    root.write_text(wsdl("../wsdl/root.wsdl"))
    with pytest.raises(FetchError, match=r"not an XML schema: its root is .*definitions"):
        collect(root)


@pytest.mark.exhaustive
def test_errors_of_the_root_and_limits_are_never_lenient(folder: Path) -> None:
    root = folder / "wsdl" / "root.wsdl"
    with pytest.raises(FetchError, match="cannot be read"):
        collect(folder / "nope.wsdl", lenient=True)
    with pytest.raises(FetchError, match=r"not a WSDL 1\.1 document"):
        collect(folder / "xsd" / "a.xsd", lenient=True)
    with pytest.raises(FetchError, match="more than 2 documents"):
        collect(root, lenient=True, limits=Limits(documents=2))
    with pytest.raises(FetchError, match="nested more than 0 deep"):
        collect(root, lenient=True, limits=Limits(import_depth=0))
    root.write_text(wsdl(*(f"nope{at}.xsd" for at in range(300))))
    with pytest.raises(FetchError, match="more than 200 documents"):
        collect(root, lenient=True)


def test_address_is_fetched_over_real_http(site: Site) -> None:
    site.put("/v1?wsdl", b"", Location="/moved/v1.wsdl")
    site.pages["/v1?wsdl"].status = 302
    site.put("/moved/v1.wsdl", wsdl("x.xsd", "file:///etc/passwd", "http://localhost:1/y.xsd").encode())
    site.put("/moved/x.xsd", schema().encode())
    with pytest.raises(FetchError, match="scheme 'file'"):
        collect(f"{site.address}/v1?wsdl")
    found = collect(f"{site.address}/v1?wsdl", lenient=True)
    assert found.root_url == f"{site.address}/moved/v1.wsdl"
    assert list(found.files.values()) == [found.root_url, f"{site.address}/moved/x.xsd"]
    assert found.missing.keys() == {"file:///etc/passwd", "http://localhost:1/y.xsd"}
    assert "--allow-host localhost" in found.missing["http://localhost:1/y.xsd"]
    with pytest.raises(FetchError, match="not available offline"):
        collect(f"{site.address}/v1?wsdl", offline=True, lenient=True)


def test_root_may_have_an_odd_name(folder: Path) -> None:
    root = folder / "wsdl" / "-/ü x#1?.wsdl".replace("/", "-")
    root.write_text(wsdl("nope.xsd", "b%20c.xsd"))
    found = collect(root, offline=True, lenient=True)
    assert list(found.files.values()) == [root.name, "b c.xsd", "../xsd/a.xsd"]
    assert "file.invalid" not in str(list(found.missing.values()))


def test_invalid_address_is_refused() -> None:
    for place in ("file:///etc/passwd", "ftp://a.example/x", "https://u:hidden@a.example/x"):
        with pytest.raises(FetchError) as refused:
            collect(place)
        assert "hidden" not in str(refused.value)


@pytest.fixture
def copies(tmp_path: Path) -> LocalCopies:
    """Copies of documents of a WSDL whose imports are not in the folder under their own names."""
    root = wsdl("https://service.invalid/schema.php?type=Order", "https://service.invalid/xsd0", "here.xsd")
    (tmp_path / "root.wsdl").write_text(root)
    (tmp_path / "Order.xsd").write_text(schema("next"))
    (tmp_path / "xsd0").write_text(schema())
    (tmp_path / "here.xsd").write_text(schema())
    return LocalCopies(collect(tmp_path / "root.wsdl", offline=True, lenient=True), tmp_path)


def test_copy_is_found_by_the_path_or_a_parameter_of_its_address(copies: LocalCopies, tmp_path: Path) -> None:
    order = "https://service.invalid/schema.php?type=Order"
    found = [copies.resolve(copies.root_url, one) for one in (order, "https://service.invalid/xsd0", order)]
    assert found[0] == found[2]
    assert [copies.files[one] for one in found] == ["Order.xsd", "xsd0", "Order.xsd"]
    assert copies.read(found[1]) == schema().encode()
    assert copies.notes == [f"{order}: read from Order.xsd", "https://service.invalid/xsd0: read from xsd0"]
    assert copies.read(copies.resolve(copies.root_url, "here.xsd")) == schema().encode()
    missing = "https://service.invalid/schema.php?type=Part"
    assert copies.resolve(copies.root_url, missing) == missing
    (tmp_path / "Order.xsd").unlink()
    with pytest.raises(CatalogueError, match=r"Order\.xsd"):
        copies.read(found[0])


@pytest.mark.parametrize("location", ["next", "../xsd0/", ".hidden", "http://[", "a?b=.."])
def test_reference_in_a_copy_needs_a_copy_as_well(copies: LocalCopies, location: str) -> None:
    base = copies.resolve(copies.root_url, "https://service.invalid/xsd0")
    if location == "../xsd0/":  # by its last name
        assert copies.resolve(base, location) == base
        return
    with pytest.raises(CatalogueError, match="no such file in the folder of the WSDL"):
        copies.resolve(base, location)
