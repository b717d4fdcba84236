"""`bindgen fetch` uses the client's transport settings: real TLS, and plain HTTP."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from bindgen.fetching import lock
from bindgen.fetching.catalogue import Catalogue
from bindgen.fetching.collector import collect
from bindgen.fetching.errors import FetchError
from tests.bindgen.shop import invoke
from tests.bindgen_fetch.conftest import SCHEMA, Site, wsdl
from tests.certificates import needs_openssl, signed_by_a_private_authority
from tests.support.wire import Wire

WSDL = b'<definitions xmlns="http://schemas.xmlsoap.org/wsdl/"/>'
CONTRACTS = 'format = 2\n[contracts.one]\nversion = "1"\nurl = "{}"\n'
Run = Callable[..., Result]


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return signed_by_a_private_authority(tmp_path_factory.mktemp("certificates"))


@pytest.fixture
def fetched(wire: Wire, certificates: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates / "both.pem")
    wire.secure(context)
    wire.answers(WSDL)
    (tmp_path / "contracts.toml").write_text(CONTRACTS.format(f"{wire.url}/?wsdl"))

    def run(*, code: int | None = None, **settings: str) -> Result:
        for name, value in settings.items():
            monkeypatch.setenv(f"SOAPCLIENT_{name.upper()}", value)
        return invoke("--wsdl", tmp_path, "fetch", "one", code=code)

    return run


@needs_openssl
def test_configured_private_authority_is_trusted(
    fetched: Run, certificates: Path, wire: Wire, tmp_path: Path
) -> None:
    refused = fetched(code=2)
    assert "the TLS certificate or handshake was not accepted; for the host 127.0.0.1" in refused.output
    assert "issued by CN=a private CA" in refused.output, refused.output
    assert "set 'verify' to its certificate" in refused.output
    assert wire.sent == []
    fetched(verify=str(certificates / "ca.pem"), headers="X-Team=shop", code=0)
    assert (tmp_path / "one/1/one.wsdl").read_bytes() == WSDL
    assert [sent.headers.get("x-team") for sent in wire.sent] == ["shop"]


@needs_openssl
def test_settings_are_read_from_a_file_and_profile(fetched: Run, certificates: Path, tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(f'[profiles.inside]\nverify = "{certificates / "ca.pem"}"\n')
    assert fetched(config=str(file)).exit_code == 2
    assert fetched(config=str(file), profile="inside").exit_code == 0


@needs_openssl
def test_unusable_setting_is_named(fetched: Run, tmp_path: Path) -> None:
    done = fetched(verify=str(tmp_path / "none.pem"), code=2)
    assert "verify: " in done.output
    assert "none.pem" in done.output


@pytest.fixture
def named(site: Site, monkeypatch: pytest.MonkeyPatch) -> str:
    """Make the site available as other hosts, as in a container network: sandbox and other."""
    found = socket.getaddrinfo

    def by_name(host: str, *more: int, **named: int) -> object:
        return found("127.0.0.1" if host in ("sandbox", "other") else host, *more, **named)

    monkeypatch.setattr(socket, "getaddrinfo", by_name)
    address = site.address.replace("127.0.0.1", "sandbox")
    site.put("/one?wsdl", wsdl("a.xsd", f"{address}/b.xsd").encode())
    site.put("/a.xsd", SCHEMA.encode())
    site.put("/b.xsd", SCHEMA.encode())
    return address


def test_host_is_requested_without_tls_if_allowed(
    named: str, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "contracts.toml").write_text(CONTRACTS.format(f"{named}/one?wsdl"))

    def run(*arguments: str, code: int | None = None) -> Result:
        return invoke("--wsdl", tmp_path, "fetch", "one", *arguments, code=code)

    refused = run(code=2)
    assert f"{named.replace('http:', 'https:')}/one?wsdl" in refused.output
    monkeypatch.setenv("SOAPCLIENT_ALLOW_HTTP", "other")
    assert run().exit_code == 2
    assert site.asked == []
    monkeypatch.setenv("SOAPCLIENT_ALLOW_HTTP", "sandbox")
    done = run(code=0)
    assert "is read as" not in done.output
    assert site.paths == ["/one?wsdl", "/a.xsd", "/b.xsd"]
    contract = lock.read(tmp_path / "contracts.lock").contract("one")
    urls = [each.url for each in contract.documents]
    assert urls == [f"{named}/one?wsdl", f"{named}/a.xsd", f"{named}/b.xsd"]
    # Locked documents are read as fetched, without any setting.
    monkeypatch.delenv("SOAPCLIENT_ALLOW_HTTP")
    catalogue = Catalogue(tmp_path, contract)
    assert catalogue.read(catalogue.resolve(catalogue.root_url, "a.xsd")) == SCHEMA.encode()
    again = run("--offline")
    assert (again.exit_code, "unchanged, nothing was written" in again.output) == (0, True)


def test_allowed_host_cannot_lead_to_another_host_without_tls(
    named: str, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOAPCLIENT_ALLOW_HTTP", "sandbox")
    other = named.replace("sandbox", "other")
    site.put("/moved?wsdl", b"", Location=f"{other}/one?wsdl")
    site.pages["/moved?wsdl"].status = 302
    with pytest.raises(FetchError, match="redirects to http are not followed"):
        collect(f"{named}/moved?wsdl", allow_hosts=["other"])
    site.put("/one?wsdl", wsdl("a.xsd", f"{other}/b.xsd").encode())
    found = collect(f"{named}/one?wsdl", allow_hosts=["other"], lenient=True)
    assert list(found.missing) == [f"{other.replace('http:', 'https:')}/b.xsd"]
    site.put("/here?wsdl", b"", Location="/one?wsdl")
    site.pages["/here?wsdl"].status = 302
    assert collect(f"{named}/here?wsdl", lenient=True).root_url == f"{named}/one?wsdl"
