"""`bindgen fetch` over TLS for real, by the transport settings of the client."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from bindgen.cli import main
from tests.certificates import needs_openssl, signed_by_a_private_authority

WSDL = b'<definitions xmlns="http://schemas.xmlsoap.org/wsdl/"/>'
pytestmark = needs_openssl


class Service(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, folder: Path) -> None:
        self.headers: list[dict[str, str]] = []
        super().__init__(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder / "both.pem")
        self.context = context

    def finish_request(
        self, request: socket.socket | tuple[bytes, socket.socket], client_address: object
    ) -> None:
        assert isinstance(request, socket.socket)
        with suppress(OSError), self.context.wrap_socket(request, server_side=True) as secured:
            super().finish_request(secured, client_address)


class Handler(BaseHTTPRequestHandler):
    timeout = 20

    def do_GET(self) -> None:
        assert isinstance(self.server, Service)
        self.server.headers.append({name.lower(): value for name, value in self.headers.items()})
        self.send_response(200)
        self.send_header("Content-Type", "text/xml")
        self.send_header("Content-Length", str(len(WSDL)))
        self.end_headers()
        self.wfile.write(WSDL)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return signed_by_a_private_authority(tmp_path_factory.mktemp("certificates"))


@pytest.fixture
def service(certificates: Path) -> Iterator[Service]:
    server = Service(certificates)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def fetched(service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    (tmp_path / "contracts.toml").write_text(
        f'format = 1\n[contracts.one]\nversion = "1"\nurl = "https://127.0.0.1:{service.server_port}/?wsdl"\n'
    )

    def run(**settings: str) -> Result:
        for name, value in settings.items():
            monkeypatch.setenv(f"SOAPCLIENT_{name.upper()}", value)
        return CliRunner().invoke(main, ["--wsdl", str(tmp_path), "fetch", "one"])

    return run


def test_a_private_authority_is_trusted_where_it_is_set(
    fetched: Callable[..., Result], certificates: Path, service: Service, tmp_path: Path
) -> None:
    refused = fetched()
    assert refused.exit_code == 2
    assert "the TLS certificate or handshake was not accepted" in refused.output
    assert service.headers == []
    done = fetched(verify=str(certificates / "ca.pem"), headers="X-Team=shop")
    assert done.exit_code == 0, done.output
    assert (tmp_path / "one/1/one.wsdl").read_bytes() == WSDL
    assert [each.get("x-team") for each in service.headers] == ["shop"]


def test_settings_come_from_a_file_and_its_profile(
    fetched: Callable[..., Result], certificates: Path, tmp_path: Path
) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(f'[profiles.inside]\nverify = "{certificates / "ca.pem"}"\n')
    assert fetched(config=str(file)).exit_code == 2
    assert fetched(config=str(file), profile="inside").exit_code == 0


def test_a_setting_that_cannot_be_used_is_named(fetched: Callable[..., Result], tmp_path: Path) -> None:
    done = fetched(verify=str(tmp_path / "none.pem"))
    assert done.exit_code == 2
    assert "verify: " in done.output
    assert "none.pem" in done.output
