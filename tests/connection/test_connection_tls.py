"""Real TLS over loopback: which server certificates are accepted, and the client's own certificate."""

from __future__ import annotations

import shutil
import ssl
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from urllib3.exceptions import InsecureRequestWarning

from soapclient import Settings
from soapclient.connection import connect
from soapclient.errors import ConfigError, ConnectionFailed

OPENSSL = shutil.which("openssl")
needs_openssl = pytest.mark.skipif(OPENSSL is None, reason="the openssl command makes the certificates")
RESPONSE = b"""<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>
    <GetWeatherResponse xmlns="urn:example:weather"><degrees>1</degrees><sky>clear</sky></GetWeatherResponse>
    </s:Body></s:Envelope>"""
SAFE = frozenset({"GetWeather"})


def _certificate(folder: Path, name: str) -> tuple[str, str]:
    """Create a self-signed certificate for 127.0.0.1 and its key."""
    assert OPENSSL is not None
    certificate, key = str(folder / f"{name}.pem"), str(folder / f"{name}.key")
    what = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", f"/CN={name}"]
    more = ["-addext", "subjectAltName=IP:127.0.0.1", "-days", "2", "-keyout", key, "-out", certificate]
    command = [OPENSSL, "req", "-x509", *what, *more]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    return certificate, key


class _Handler(BaseHTTPRequestHandler):
    timeout = 10

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", "text/xml")
        self.send_header("Content-Length", str(len(RESPONSE)))
        self.end_headers()
        self.wfile.write(RESPONSE)

    def log_message(self, format: str, *args: object) -> None:
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore failed handshakes, because tests cause them on purpose."""


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, str]]:
    """Certificate and key of the service, of the client, and of a third party."""
    folder = tmp_path_factory.mktemp("certificates")
    return {name: _certificate(folder, name) for name in ("service", "client", "other")}


@pytest.fixture(params=[False, True], ids=["anybody", "the-client-alone"])
def asks(request: pytest.FixtureRequest) -> bool:
    """Whether the service requires the client's certificate."""
    asks: bool = request.param
    return asks


@pytest.fixture
def address(pairs: dict[str, tuple[str, str]], asks: bool) -> Iterator[str]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*pairs["service"])
    if asks:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(pairs["client"][0])
    server = _Server(("127.0.0.1", 0), _Handler)
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield f"https://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()
    thread.join()


def called(weather: ModuleType, address: str, **given: Any) -> Any:
    settings = Settings(safe=SAFE, attempts=1, deadline=20, **given)
    with connect(weather.WeatherService, address=address, settings=settings) as service:
        return service.get_weather(city="Berlin").sky


@pytest.mark.sampled(1)
@needs_openssl
def test_only_trusted_certificates_are_accepted(
    weather: ModuleType,
    address: str,
    asks: bool,
    pairs: dict[str, tuple[str, str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given: dict[str, Any] = {"certificate": pairs["client"]} if asks else {}
    with pytest.raises(ConnectionFailed, match="CERTIFICATE_VERIFY_FAILED") as caught:
        called(weather, address, **given)
    assert caught.value.request_sent is False
    with pytest.raises(ConnectionFailed, match="CERTIFICATE_VERIFY_FAILED"):
        called(weather, address, verify=pairs["other"][0], **given)
    assert called(weather, address, verify=pairs["service"][0], **given) == "clear"
    with pytest.warns(InsecureRequestWarning):
        assert called(weather, address, verify=False, **given) == "clear"
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", pairs["other"][0])
    assert called(weather, address, verify=pairs["service"][0], **given) == "clear"


@needs_openssl
@pytest.mark.parametrize("asks", [True], indirect=True)
def test_arguments_override_environment_and_environment_overrides_file(
    weather: ModuleType,
    address: str,
    pairs: dict[str, tuple[str, str]],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    def sky(**given: Any) -> Any:
        with connect(weather.WeatherService, address=address, **given) as service:
            return service.get_weather(city="Berlin").sky

    file = tmp_path / "settings.toml"
    certificate = ", ".join(f'"{each}"' for each in pairs["client"])
    file.write_text(f'secret_key = "of another account"\ndeadline = 20\ncertificate = [{certificate}]\n')
    file.chmod(0o600)
    monkeypatch.setenv("SOAPCLIENT_CONFIG", str(file))
    monkeypatch.setenv("SOAPCLIENT_VERIFY", pairs["service"][0])
    assert sky() == "clear"
    with pytest.raises(ConnectionFailed, match="CERTIFICATE_VERIFY_FAILED"):
        sky(verify=pairs["other"][0])
    # A Settings object replaces all settings.
    with pytest.raises(ConnectionFailed, match="CERTIFICATE_VERIFY_FAILED"):
        sky(settings=Settings(certificate=pairs["client"]))
    assert sky(settings=Settings(certificate=pairs["client"]), verify=pairs["service"][0]) == "clear"


@needs_openssl
@pytest.mark.parametrize("asks", [True], indirect=True)
def test_client_certificate_is_sent(
    weather: ModuleType, address: str, pairs: dict[str, tuple[str, str]], tmp_path: Path
) -> None:
    for wrong in ({}, {"certificate": pairs["other"]}):
        with pytest.raises(ConnectionFailed):
            called(weather, address, verify=pairs["service"][0], **wrong)
    both = tmp_path / "both.pem"
    both.write_text("".join(Path(part).read_text() for part in pairs["client"]))
    assert called(weather, address, verify=pairs["service"][0], certificate=str(both)) == "clear"


@needs_openssl
def test_unusable_files_are_refused_before_any_call(
    weather: ModuleType, pairs: dict[str, tuple[str, str]], tmp_path: Path
) -> None:
    certificate, key = pairs["client"]
    assert OPENSSL is not None
    locked = str(tmp_path / "locked.key")
    command = [OPENSSL, "ec", "-in", key, "-aes128", "-passout", "pass:secret-of-tests", "-out", locked]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    refused: list[tuple[dict[str, Any], str]] = [
        ({"certificate": (certificate, pairs["other"][1])}, "KEY_VALUES_MISMATCH|mismatch"),
        ({"certificate": certificate}, "certificate"),
        ({"certificate": (certificate, locked)}, "encrypted"),
        ({"verify": key}, "verify"),
    ]
    for given, said in refused:
        with pytest.raises(ConfigError, match=said) as caught:
            connect(weather.WeatherService, settings=Settings(**given))
        assert caught.value.setting in given


@pytest.mark.parametrize("setting", ["verify", "certificate"])
def test_missing_files_are_refused(weather: ModuleType, tmp_path: Path, setting: str) -> None:
    given: dict[str, Any] = {setting: tmp_path / "nowhere.pem"}
    with pytest.raises(ConfigError, match=f"{setting}.*nowhere.*No such file"):
        connect(weather.WeatherService, settings=Settings(**given))
