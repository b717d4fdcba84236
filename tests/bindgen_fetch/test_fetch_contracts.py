"""Complete fetches over a real connection to a server on loopback."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from bindgen import atomic
from bindgen.fetching import lock
from bindgen.fetching.catalogue import Catalogue, CatalogueError
from bindgen.fetching.download import Limits
from bindgen.fetching.errors import FetchError
from bindgen.fetching.fetch import FetchReport
from tests.bindgen.shop import imported
from tests.bindgen_fetch.conftest import Fetch, Site, Snapshot
from tests.support.cases import case_text

WSDL = case_text(__file__, "contract.wsdl").encode()
PARTS = b"""<definitions xmlns="http://schemas.xmlsoap.org/wsdl/"><types>
<schema xmlns="http://www.w3.org/2001/XMLSchema"><import schemaLocation="?xsd=2" namespace="urn:c"/></schema>
</types></definitions>"""
TYPES = b"""<schema xmlns="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:shop">
  <import namespace="urn:common" schemaLocation=" common/types.xsd "/>
  <redefine schemaLocation="old.xsd"/>
</schema>"""
COMMON = b"""<schema xmlns="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:common">
  <import namespace="urn:shop" schemaLocation="../types.xsd#top"/><include schemaLocation="types.xsd"/>
</schema>"""
PLAIN = b'<schema xmlns="http://www.w3.org/2001/XMLSchema"/>'
QUERY = b'<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"/>'

PAGES = {
    "/soap/v1?wsdl": WSDL,
    "/parts/messages.wsdl": PARTS,
    "/parts/messages.wsdl?xsd=2": QUERY,
    "/schemas/types.xsd": TYPES,
    "/schemas/old.xsd": PLAIN,
    "/schemas/common/types.xsd": COMMON,
}
ROOT = "/soap/v1?wsdl"


@pytest.fixture
def shop(site: Site) -> Site:
    for path, content in PAGES.items():
        site.put(path, content, ETag=f'"{hashlib.md5(content).hexdigest()}"')
    return site


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "wsdl"


@pytest.fixture
def fetch_site(site: Site, folder: Path, fetch_shop: Fetch) -> Fetch:
    folder.mkdir()

    def run(**given: object) -> FetchReport:
        site.asked.clear()
        return fetch_shop(folder=folder, url=None, contracts_url=site.address + ROOT, **given)

    return run


def test_documents_are_fetched_once_and_stored_byte_for_byte(
    shop: Site, fetch_site: Fetch, folder: Path
) -> None:
    report = fetch_site()
    assert report.changed
    assert sorted(shop.paths) == sorted(PAGES)
    with (folder / "contracts.lock").open("rb") as stream:
        locked = tomllib.load(stream)["contracts"]["shop"]
    assert (locked["root"], locked["origin"]) == (shop.address + ROOT, "fetched")
    assert (locked["fetched"], locked["tool"]) == ("2026-11-21T10:00:00Z", lock.TOOL)
    by_url = {document["url"]: document for document in locked["documents"]}
    assert by_url.keys() == {shop.address + path for path in PAGES}
    assert len({document["file"] for document in by_url.values()}) == len(PAGES)
    for path, content in PAGES.items():
        document = by_url[shop.address + path]
        assert (folder / document["file"]).read_bytes() == content
        assert document["sha256"] == hashlib.sha256(content).hexdigest()
        assert document["etag"] == shop.pages[path].headers["ETag"]
    assert locked["documents"][0]["url"] == shop.address + ROOT
    assert by_url[shop.address + ROOT]["file"] == "shop/v1/shop.wsdl"
    assert by_url[shop.address + "/parts/messages.wsdl?xsd=2"]["file"] == "shop/v1/messages-xsd_2.wsdl"
    assert not list(folder.rglob("*.part"))


def test_http_address_of_the_service_is_kept(shop: Site, fetch_site: Fetch) -> None:
    """Only documents are upgraded to https. The address for calls is not a fetch's concern."""
    assert b'location="http://api.example.org/soap"' in WSDL
    assert not [note for note in fetch_site().notes if "api.example.org" in note]


def test_unchanged_304_writes_nothing(shop: Site, fetch_site: Fetch, snapshot: Snapshot) -> None:
    first = fetch_site()
    before = snapshot()
    second = fetch_site()
    assert not second.changed
    assert second.documents == first.documents
    assert second.notes[-1] == "shop: unchanged, nothing was written"
    assert snapshot() == before
    assert sorted(shop.paths) == sorted(PAGES)
    assert all(headers["If-None-Match"] == shop.pages[path].headers["ETag"] for path, headers in shop.asked)


def test_unchanged_content_without_validators_writes_nothing(
    shop: Site, fetch_site: Fetch, snapshot: Snapshot
) -> None:
    for page in shop.pages.values():
        page.headers.clear()
    fetch_site()
    before = snapshot()
    assert not fetch_site().changed
    assert snapshot() == before
    assert not any("If-None-Match" in headers for _, headers in shop.asked)


def test_new_layout_is_noted_and_writes_nothing(shop: Site, fetch_site: Fetch, snapshot: Snapshot) -> None:
    fetch_site()
    before = snapshot()
    shop.put("/schemas/types.xsd", TYPES.replace(b"\n", b"\n\n\t").replace(b'"urn:shop"', b"'urn:shop'"))
    report = fetch_site()
    assert not report.changed
    assert f"{shop.address}/schemas/types.xsd: unchanged except for formatting" in report.notes
    assert snapshot() == before


def test_only_the_changed_document_is_written(
    shop: Site, fetch_site: Fetch, folder: Path, snapshot: Snapshot
) -> None:
    old = fetch_site().documents
    before = snapshot()
    changed = PLAIN.replace(b"/>", b' id="new"/>')
    shop.put("/schemas/old.xsd", changed)
    report = fetch_site()
    assert report.changed
    after = snapshot()
    differing = {file for file in after if after[file] != before.get(file)}
    assert differing == {"shop/v1/old.xsd", "contracts.lock"}
    assert after["shop/v1/old.xsd"][0] == changed
    assert f"{shop.address}/schemas/old.xsd: changed, kept as shop/v1/old.xsd" in report.notes
    kept = {document.url: document for document in report.documents}
    assert [kept[document.url] == document for document in old].count(False) == 1
    assert not fetch_site().changed


def test_unreferenced_document_is_removed(shop: Site, fetch_site: Fetch, folder: Path) -> None:
    fetch_site()
    (folder / "shop/v1/own.txt").write_text("not ours", encoding="utf-8")
    shop.put("/schemas/types.xsd", TYPES.replace(b'<redefine schemaLocation="old.xsd"/>', b""))
    report = fetch_site()
    assert f"{shop.address}/schemas/old.xsd: removed" in report.notes
    assert not (folder / "shop/v1/old.xsd").exists()
    assert (folder / "shop/v1/own.txt").exists()


def test_new_version_moves_all_documents(shop: Site, fetch_site: Fetch, folder: Path) -> None:
    fetch_site()
    assert fetch_site(version="v2").changed
    assert not (folder / "shop/v1").exists()
    assert len(list((folder / "shop/v2").iterdir())) == len(PAGES)


def test_a_new_origin_is_recorded(shop: Site, fetch_site: Fetch, folder: Path) -> None:
    fetch_site(origin="reconstructed")
    report = fetch_site(origin="fetched")
    assert report.changed
    assert "shop: origin is now fetched" in report.notes
    assert lock.read(folder / "contracts.lock").contract("shop").origin == "fetched"


def test_damaged_file_is_fetched_again(shop: Site, fetch_site: Fetch, folder: Path) -> None:
    fetch_site()
    (folder / "shop/v1/old.xsd").write_bytes(b"by hand")
    assert fetch_site().changed
    assert (folder / "shop/v1/old.xsd").read_bytes() == PLAIN
    without = {path for path, headers in shop.asked if "If-None-Match" not in headers}
    assert without == {"/schemas/old.xsd"}


def test_other_contracts_in_the_lock_are_kept(shop: Site, fetch_site: Fetch, folder: Path) -> None:
    fetch_site()
    path = folder / "contracts.lock"
    ours = lock.read(path).contract("shop")
    theirs = replace(ours, name="another")
    lock.write(path, lock.Lock((theirs,)))
    fetch_site()
    assert lock.read(path).contract("another") == theirs


def test_a_missing_import_leaves_the_old_state(shop: Site, fetch_site: Fetch, snapshot: Snapshot) -> None:
    fetch_site()
    before = snapshot()
    shop.put(ROOT, WSDL.replace(b"soap/v1", b"soap/v2").replace(b"urn:parts", b"urn:more"))
    del shop.pages["/schemas/common/types.xsd"]
    with pytest.raises(FetchError, match="HTTP 404") as refused:
        fetch_site()
    assert refused.value.url == f"{shop.address}/schemas/common/types.xsd"
    assert f"referred to by {shop.address}/schemas/types.xsd, line 2" in refused.value.problem
    assert snapshot() == before


@pytest.mark.parametrize(
    "limits", [Limits(document_bytes=len(WSDL) - 1), Limits(documents=len(PAGES) - 1), Limits(import_depth=1)]
)
def test_exceeded_limits_leave_no_files(
    shop: Site, fetch_site: Fetch, snapshot: Snapshot, limits: Limits
) -> None:
    with pytest.raises(FetchError, match=r"larger than|more than 5 documents|nested more than 1 deep"):
        fetch_site(limits=limits)
    assert snapshot() == {}
    exactly = Limits(document_bytes=len(WSDL), documents=len(PAGES), import_depth=2)
    assert fetch_site(limits=exactly).changed


KILLED = """
import os, sys
from pathlib import Path
from bindgen.fetching import lock
from bindgen.fetching.fetch import FetchRequest, fetch
lock.write = lambda *_: os._exit(9)
fetch(FetchRequest(name="shop", folder=Path(sys.argv[1]), version="v1", url=sys.argv[2]))
"""


@pytest.mark.exhaustive
def test_a_kill_between_documents_and_lock_is_reported_and_repaired(
    shop: Site, fetch_site: Fetch, folder: Path
) -> None:
    fetch_site()
    shop.put("/schemas/old.xsd", PLAIN.replace(b"/>", b' id="new"/>'))
    killed = subprocess.run([sys.executable, "-c", KILLED, str(folder), shop.address + ROOT], check=False)
    assert killed.returncode == 9
    catalogue = Catalogue(folder, lock.read(folder / "contracts.lock").contract("shop"))
    assert catalogue.read(catalogue.root_url) == WSDL
    with pytest.raises(CatalogueError, match=r"old\.xsd: differs from the document fetched"):
        catalogue.read(f"{shop.address}/schemas/old.xsd")
    assert fetch_site().changed
    catalogue = Catalogue(folder, lock.read(folder / "contracts.lock").contract("shop"))
    assert all(catalogue.is_intact(url) for url in catalogue.urls)
    assert not list(folder.rglob(".*"))


def test_a_disk_that_fails_while_writing_leaves_the_old_state(
    shop: Site, fetch_site: Fetch, snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetch_site()
    before = snapshot()
    stage, staged = atomic.stage, list[Path]()

    def full(path: Path, content: bytes) -> Path:
        if staged:
            raise OSError(28, "No space left on device", str(path))
        staged.append(path)
        return stage(path, content)

    monkeypatch.setattr(atomic, "stage", full)
    shop.put("/schemas/old.xsd", PLAIN.replace(b"/>", b' id="new"/>'))
    shop.put("/schemas/common/types.xsd", COMMON.replace(b"<import", b'<import id="new"'))
    with pytest.raises(FetchError, match="No space left on device"):
        fetch_site()
    assert len(staged) == 1
    assert snapshot() == before


def test_redirect_target_is_the_base_of_relative_locations(
    shop: Site, fetch_site: Fetch, folder: Path
) -> None:
    shop.put(ROOT, b"", Location="/moved/shop.wsdl")
    shop.pages[ROOT].status = 302
    twice = b'<s:include schemaLocation="/again.xsd"/><s:include schemaLocation="/schemas/types.xsd"/>'
    shop.put("/moved/shop.wsdl", WSDL.replace(b'<s:include schemaLocation="/schemas/types.xsd"/>', twice))
    shop.put("/again.xsd", b"", Location="/schemas/types.xsd")
    shop.pages["/again.xsd"].status = 301
    fetch_site()
    assert shop.paths.count("/schemas/types.xsd") == 1
    contract = lock.read(folder / "contracts.lock").contract("shop")
    catalogue = Catalogue(folder, contract)
    assert contract.root == shop.address + ROOT
    assert catalogue.root_url == f"{shop.address}/moved/shop.wsdl"
    assert catalogue.read(contract.root) == shop.pages["/moved/shop.wsdl"].content
    assert len(contract.documents) == len(PAGES)
    types = f"{shop.address}/schemas/types.xsd"
    assert catalogue.resolve(catalogue.root_url, "/again.xsd") == types
    assert not fetch_site().changed


def test_requests_is_imported_lazily(tmp_path: Path) -> None:
    program = "import sys; from bindgen.fetching import catalogue, fetch; print('requests' in sys.modules)"
    assert imported(tmp_path, program) == "False"
