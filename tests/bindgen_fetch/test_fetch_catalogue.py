from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from bindgen.fetching.catalogue import Catalogue, CatalogueError
from bindgen.fetching.lock import LockedContract, LockedDocument

CONTENT = b"<a/>\r\n"
ROOT, TYPES, OLD = "https://example.org/v1/a", "https://example.org/v1/t.xsd", "https://example.org/old.xsd"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "shop" / "v1").mkdir(parents=True)
    for name in ("shop.wsdl", "t.xsd"):
        (tmp_path / "shop" / "v1" / name).write_bytes(CONTENT)
    return tmp_path


@pytest.fixture
def catalogue(folder: Path) -> Catalogue:
    digest = hashlib.sha256(CONTENT).hexdigest()
    documents = (
        LockedDocument(ROOT, "shop/v1/shop.wsdl", digest, digest),
        LockedDocument(TYPES, "shop/v1/t.xsd", digest, digest, aliases=(OLD,)),
    )
    return Catalogue(folder, LockedContract("shop", ROOT, "fetched", "", "", digest, documents))


def test_documents_are_read_by_address(catalogue: Catalogue, folder: Path) -> None:
    assert catalogue.root_url == ROOT
    assert catalogue.urls == (ROOT, TYPES)
    assert catalogue.read(TYPES) == CONTENT
    assert catalogue.read(OLD) == CONTENT
    assert catalogue.path(TYPES) == folder / "shop/v1/t.xsd"


def test_locations_are_resolved_as_when_fetched(catalogue: Catalogue) -> None:
    assert catalogue.resolve(ROOT, "t.xsd") == catalogue.resolve(ROOT, " t.xsd#top ") == TYPES
    assert catalogue.resolve(ROOT, "http://example.org/v1/t.xsd") == TYPES
    assert catalogue.resolve(ROOT, "../old.xsd") == TYPES
    assert catalogue.resolve(ROOT, "http://localhost:1/x") == "http://localhost:1/x"
    with pytest.raises(CatalogueError, match=f"{ROOT}: refers to file:///etc/hosts"):
        catalogue.resolve(ROOT, "file:///etc/hosts")


def test_changed_file_error_says_which_file_and_what_to_do(catalogue: Catalogue, folder: Path) -> None:
    file = folder / "shop/v1/t.xsd"
    file.write_bytes(CONTENT.replace(b"\r\n", b"\n"))
    assert not catalogue.is_intact(TYPES)
    assert catalogue.is_intact(ROOT)
    with pytest.raises(CatalogueError) as refused:
        catalogue.read(TYPES)
    said = str(refused.value)
    assert str(file) in said
    assert hashlib.sha256(CONTENT).hexdigest() in said
    assert hashlib.sha256(b"<a/>\n").hexdigest() in said
    assert f"bindgen fetch shop --file {folder / 'shop/v1/shop.wsdl'}" in said


def test_missing_file_is_named(catalogue: Catalogue, folder: Path) -> None:
    (folder / "shop/v1/t.xsd").unlink()
    with pytest.raises(CatalogueError, match=r"t\.xsd: cannot be read .*bindgen fetch shop"):
        catalogue.read(TYPES)


def test_unknown_address_is_named(catalogue: Catalogue) -> None:
    with pytest.raises(CatalogueError, match="is not among the documents of shop"):
        catalogue.read("https://example.org/v1/other.xsd")
