"""Hosts of documents: accepted are the contract's host, allowed hosts, and hosts in the lock."""

from __future__ import annotations

from pathlib import Path

import pytest
from requests_mock import Mocker

from bindgen.fetching.addresses import AddressError, Hosts
from bindgen.fetching.download import Limits
from bindgen.fetching.errors import FetchError
from tests.bindgen_fetch.conftest import SCHEMA, URL, Fetch, Refused, wsdl

OTHER = "https://schemas.example.net/x.xsd"


def test_import_from_another_host_must_be_allowed(
    fetch_shop: Fetch, refused: Refused, requests_mock: Mocker
) -> None:
    requests_mock.get(URL, text=wsdl(OTHER))
    asked = requests_mock.get(OTHER, text=SCHEMA)
    error = refused(r"--allow-host schemas\.example\.net", "example.net")
    assert (error.url, "line 2" in error.problem) == (URL, True)
    assert asked.call_count == 0
    assert fetch_shop("SCHEMAS.example.net").changed
    # The lock records allowed hosts, so that unattended checks need no option.
    assert not fetch_shop().changed
    requests_mock.get(URL, text=wsdl("https://elsewhere.example.net/x.xsd"))
    with pytest.raises(FetchError, match=r"elsewhere\.example\.net/x\.xsd, on another host"):
        fetch_shop()


def test_the_same_host_on_another_port_is_the_same(fetch_shop: Fetch, requests_mock: Mocker) -> None:
    requests_mock.get(URL, text=wsdl("https://API.example.org:8443/x.xsd"))
    requests_mock.get("https://api.example.org:8443/x.xsd", text=SCHEMA)
    assert fetch_shop().changed


@pytest.mark.parametrize("at", ["root", "import"])
def test_redirect_to_another_host_must_be_allowed(
    fetch_shop: Fetch, refused: Refused, requests_mock: Mocker, at: str
) -> None:
    here = URL if at == "root" else "https://api.example.org/x.xsd"
    requests_mock.get(URL, text=wsdl("x.xsd"))
    requests_mock.get(here, status_code=302, headers={"Location": OTHER})
    requests_mock.get(OTHER, text=wsdl("x2.xsd") if at == "root" else SCHEMA)
    requests_mock.get("https://schemas.example.net/x2.xsd", text=SCHEMA)
    refused(r"on another host.*--allow-host schemas.example.net")
    assert fetch_shop("schemas.example.net").changed


def test_loopback_is_always_refused(refused: Refused, requests_mock: Mocker) -> None:
    requests_mock.get(URL, text=wsdl("https://localhost/x.xsd"))
    refused("may not refer to this machine", "localhost")


@pytest.mark.parametrize("text", ["https://a.example", "a.example:80", "", "a b", "*", "a/b", "-a", "u@a"])
def test_invalid_host_name_is_refused(refused: Refused, text: str) -> None:
    with pytest.raises(AddressError):
        Hosts.of([URL], [text])
    refused("must be a host name", text)


def test_all_kinds_of_host_names_are_accepted() -> None:
    hosts = Hosts.of(["https://a.example/x"], ["B.example", "[::1]", "10.0.0.1"])
    for host in ("A.example", "b.example:1", "[::1]", "10.0.0.1"):
        assert hosts.admit(f"https://{host}/")
    assert not hosts.admit("https://a.example.org/")
    assert not hosts.admit("https://xa.example/")
    assert Hosts().admit("https://anything.example/")


def test_total_size_of_all_documents_is_limited(
    fetch_shop: Fetch, refused: Refused, requests_mock: Mocker
) -> None:
    root = wsdl("x.xsd")
    requests_mock.get(URL, text=root)
    requests_mock.get("https://api.example.org/x.xsd", text=SCHEMA)
    whole = len(root) + len(SCHEMA)
    refused(f"exceed {whole - 1} bytes in total", limits=Limits(total_bytes=whole - 1))
    assert fetch_shop(limits=Limits(total_bytes=whole)).changed


def test_offline_uses_locked_documents_without_requests(
    fetch_shop: Fetch, refused: Refused, requests_mock: Mocker, tmp_path: Path
) -> None:
    assert refused("not available offline", offline=True).url == URL
    requests_mock.get(URL, status_code=302, headers={"Location": "/moved"})
    requests_mock.get("https://api.example.org/moved", text=wsdl(OTHER))
    requests_mock.get(OTHER, text=SCHEMA)
    fetch_shop("schemas.example.net")
    asked = requests_mock.call_count
    before = (tmp_path / "contracts.lock").read_bytes()
    assert not fetch_shop(offline=True).changed
    file = tmp_path / "shop" / "v1" / "x.xsd"
    file.write_text("by hand", encoding="utf-8")
    with pytest.raises(FetchError, match="differs from the document fetched") as changed:
        fetch_shop(offline=True)
    assert changed.value.url == str(file)
    assert (tmp_path / "contracts.lock").read_bytes() == before
    assert requests_mock.call_count == asked
