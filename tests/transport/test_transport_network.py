"""Transport settings on real sockets: authorities, client certificates, proxies, other hosts."""

from __future__ import annotations

import contextlib
import datetime as dt
import logging
import shutil
import socket
import ssl
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from urllib3.exceptions import InsecureRequestWarning

from bindgen.fetching.download import Downloader, Limits
from bindgen.fetching.errors import FetchError
from soapclient import Client, Settings, connect
from soapclient.auth.credentials import Credentials
from soapclient.cli.commands.config import command as show_settings
from soapclient.clock import ManualClock
from soapclient.errors import AmbiguousOutcome, ConfigError, ConnectionFailed, Timeout, UnexpectedResponse
from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY
from tests.certificates import openssl
from tests.transport.network import Authority, Network
from zxws.publisher.service import PublisherService

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificates")
PASSWORD = "pass:word of tests"
HERE = "127.0.0.2"
CREDENTIALS = Credentials(SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY)


def settings(url: str, **given: Any) -> Settings:
    known = {"connect_id": SAMPLE_CONNECT_ID, "secret_key": SAMPLE_SECRET_KEY, "attempts": 1, "deadline": 20}
    return Settings.load(
        environ={}, file=None, profile=None, **known | {"publisher_url": url, "data_url": url} | given
    )


def asked(url: str, **given: Any) -> None:
    with Client(settings(url, **given)) as client:
        assert client.publisher.get_profile().profile_item


@pytest.fixture(scope="session")
def pair(authority: Authority) -> tuple[str, str]:
    return authority.signed("service", f"DNS:service.example,IP:{HERE}")


@pytest.fixture(scope="session")
def url(net: Network, pair: tuple[str, str], sandbox_port: int) -> str:
    return f"https://{HERE}:{net.tls(pair, sandbox_port)}"


def test_custom_certificate_authority_is_trusted(
    url: str,
    authority: Authority,
    other_authority: Authority,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked(url, verify=str(authority.file))
    shutil.copy(authority.file, tmp_path / "one.pem")
    openssl("rehash", str(tmp_path))
    asked(url, verify=str(tmp_path))
    with pytest.raises(ConnectionFailed):
        asked(url, verify="system")
    with pytest.warns(InsecureRequestWarning):
        asked(url, verify=False)
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    asked(url, verify="system")
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(other_authority.file))
    asked(url, verify=str(authority.file))


def test_settings_apply_to_fetched_contracts(
    url: str, authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"{url}/wsdl/2011-03-01"
    with Downloader(Limits(attempts=1)) as downloader, pytest.raises(FetchError, match="TLS"):
        downloader.get(address)
    monkeypatch.setenv("SOAPCLIENT_VERIFY", str(authority.file))
    with Downloader(Limits(attempts=1)) as downloader:
        assert b"definitions" in downloader.get(address).content
    monkeypatch.setenv("SOAPCLIENT_VERIFY", "/nowhere")
    with Downloader(Limits(attempts=1)) as downloader, pytest.raises(FetchError, match=r"verify.*/nowhere"):
        downloader.get(address)


def test_a_refused_certificate_is_named(url: str, other_authority: Authority) -> None:
    with pytest.raises(ConnectionFailed) as caught:
        asked(url, verify=str(other_authority.file))
    said = str(caught.value)
    assert f"for the host {HERE} the server sent the certificate of CN=service" in said
    assert "hosts: service.example, 127.0.0.2" in said
    assert "issued by O=Tests, CN=authority of tests" in said
    assert said.endswith("set 'verify' to its certificate.")
    assert caught.value.request_sent is False
    with Client(settings(url)) as client, pytest.raises(ConnectionFailed):  # not an ambiguous outcome
        client.publisher.delete_adspace(adspace_id=5)


def test_certificate_that_contains_text_like_a_secret_is_named(
    net: Network, authority: Authority, sandbox_port: int
) -> None:
    port = net.tls(authority.signed("service?ticket=abc", f"IP:{HERE}"), sandbox_port)
    with (
        Downloader(Limits(attempts=1)) as downloader,
        pytest.raises(FetchError, match=r"the certificate of CN=service\?ticket=.*issued by O=Tests"),
    ):
        downloader.get(f"https://{HERE}:{port}/")


def test_expired_certificate_is_refused(net: Network, authority: Authority, sandbox_port: int) -> None:
    dates = ("20200101000000Z", "20200201000000Z")
    old = net.tls(authority.signed("old", f"IP:{HERE}", dates), sandbox_port)
    with pytest.raises(ConnectionFailed, match=r"expired.*to Feb +1 00:00:00 2020 GMT.*renew.*clock"):
        asked(f"https://{HERE}:{old}", verify=str(authority.file))


def test_certificate_for_another_host_is_refused(
    net: Network, authority: Authority, sandbox_port: int
) -> None:
    port = net.tls(authority.signed("elsewhere", "DNS:elsewhere.example"), sandbox_port)
    with pytest.raises(ConnectionFailed, match=r"hosts: elsewhere.example.*one of the names"):
        asked(f"https://{HERE}:{port}", verify=str(authority.file))


@pytest.fixture(scope="session")
def guarded(net: Network, pair: tuple[str, str], authority: Authority, sandbox_port: int) -> str:
    """A service that only accepts client certificates of the authority."""
    return f"https://{HERE}:{net.tls(pair, sandbox_port, asks=authority.file)}"


def test_client_certificate_is_sent(
    guarded: str,
    authority: Authority,
    other_authority: Authority,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trusted = str(authority.file)
    stranger = other_authority.signed("client", "DNS:client.example")
    for unknown in ({}, {"certificate": stranger}):
        with pytest.raises(ConnectionFailed):
            asked(guarded, verify=trusted, **unknown)
    certificate, key = authority.signed("client", "DNS:client.example")
    asked(guarded, verify=trusted, certificate=(certificate, key))
    both = tmp_path / "both.pem"
    both.write_text(Path(certificate).read_text() + Path(key).read_text())
    asked(guarded, verify=trusted, certificate=str(both))
    locked, secret = str(tmp_path / "locked.key"), tmp_path / "password"
    openssl("ec", "-in", key, "-aes128", "-passout", f"pass:{PASSWORD}", "-out", locked)
    secret.write_text(f"{PASSWORD}\n")
    monkeypatch.setenv("KEY_PASSWORD", PASSWORD)
    for source in ("env:KEY_PASSWORD", f"file:{secret}", lambda: PASSWORD):
        asked(guarded, verify=trusted, certificate=(certificate, locked, source))
    monkeypatch.setenv("KEY_PASSWORD", "another secret")
    for source, said in (
        ("env:KEY_PASSWORD", "password"),
        ("env:NO_SUCH", "NO_SUCH"),
        ("file:/no/such", "/no/such"),
    ):
        with pytest.raises(ConfigError, match=said) as caught:
            asked(guarded, verify=trusted, certificate=(certificate, locked, source))
        assert "another secret" not in str(caught.value)
    unusable: list[tuple[dict[str, Any], str]] = [
        ({"certificate": (certificate, stranger[1])}, "KEY_VALUES_MISMATCH|mismatch"),
        ({"certificate": certificate}, "certificate"),
        ({"certificate": (certificate, locked)}, "encrypted"),
        ({"certificate": tmp_path / "nowhere.pem"}, "certificate.*nowhere.*No such file"),
        ({"verify": key}, "verify"),
        ({"verify": tmp_path / "nowhere.pem"}, "verify.*nowhere.*No such file"),
    ]
    for files, said in unusable:
        with pytest.raises(ConfigError, match=said) as caught:
            connect(PublisherService, address=guarded, credentials=CREDENTIALS, settings=Settings(**files))
        assert caught.value.setting in files


def test_connect_reads_files_of_tls_from_arguments_environment_and_file(
    guarded: str,
    authority: Authority,
    other_authority: Authority,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    clock = ManualClock(dt.datetime.now(dt.UTC))  # the retries of refused certificates do not wait

    def called(**given: Any) -> None:
        address = f"{guarded}/soap/2011-03-01"
        with connect(
            PublisherService, address=address, credentials=CREDENTIALS, clock=clock, **given
        ) as service:
            assert service.get_profile().profile_item

    pair, trusted = authority.signed("own", "DNS:own.example"), str(authority.file)
    file = tmp_path / "settings.toml"
    file.write_text(f'secret_key = "of another account"\ndeadline = 20\ncertificate = {[*pair]}\n')
    file.chmod(0o600)
    monkeypatch.setenv("SOAPCLIENT_CONFIG", str(file))
    monkeypatch.setenv("SOAPCLIENT_VERIFY", trusted)
    called()
    with pytest.raises(ConnectionFailed, match="CERTIFICATE_VERIFY_FAILED"):
        called(verify=str(other_authority.file))
    # A Settings object replaces all settings.
    with pytest.raises(ConnectionFailed, match="CERTIFICATE_VERIFY_FAILED"):
        called(settings=Settings(certificate=pair))
    called(settings=Settings(certificate=pair), verify=trusted)


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_missing_client_certificate_is_explained(
    pair: tuple[str, str], authority: Authority, version: ssl.TLSVersion
) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*pair)
    context.verify_mode, context.maximum_version = ssl.CERT_REQUIRED, version
    context.load_verify_locations(authority.file)
    heard = threading.Event()
    with socket.create_server((HERE, 0)) as server:

        def refuse() -> None:
            plain, _ = server.accept()
            with context.wrap_socket(plain, server_side=True, do_handshake_on_connect=False) as secured:
                with contextlib.suppress(OSError):
                    secured.do_handshake()
                heard.wait(timeout=20)  # the alert must arrive before the end of the connection

        thread = threading.Thread(target=refuse)
        thread.start()
        address = f"https://{HERE}:{server.getsockname()[1]}"
        with pytest.raises(ConnectionFailed, match=r"set 'certificate'"):
            asked(address, verify=str(authority.file))
        heard.set()
        thread.join(timeout=20)


@pytest.fixture
def proxied(
    net: Network, pair: tuple[str, str], sandbox_port: int
) -> Callable[..., tuple[str, str, list[str]]]:
    """Return a function that starts a service which only a proxy can reach.

    It returns the service's address, the proxy's address, and the proxy's recorded requests.
    """

    def make(password: str = "") -> tuple[str, str, list[str]]:
        seen: list[str] = []
        port = net.tls(pair, sandbox_port)
        proxy = net.proxy({"service.example": (HERE, port)}, seen, password)
        return f"https://service.example:{port}", f"http://127.0.0.1:{proxy}", seen

    return make


def test_proxy_is_used(
    proxied: Callable[..., Any], authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, proxy, seen = proxied()
    host = url.removeprefix("https://")
    trusted = str(authority.file)
    asked(url, verify=trusted, proxies=proxy)
    asked(url, verify=trusted, proxies={"https": proxy})
    assert seen == [f"CONNECT {host} HTTP/1.0"] * 2 or seen == [f"CONNECT {host} HTTP/1.1"] * 2
    monkeypatch.setenv("HTTPS_PROXY", proxy)
    asked(url, verify=trusted)
    assert len(seen) == 3
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:1")
    asked(url, verify=trusted, proxies=proxy)  # settings take precedence over the environment
    with pytest.raises(ConnectionFailed, match="proxies"):
        asked(url, verify=trusted)
    with pytest.raises(ConnectionFailed, match=r"NameResolution|resolve|getaddrinfo|Name or service"):
        asked(url, verify=trusted, proxies="none")


def test_certificate_error_behind_a_proxy_names_the_service(
    proxied: Callable[..., Any], other_authority: Authority
) -> None:
    url, proxy, seen = proxied()
    with pytest.raises(ConnectionFailed, match=r"for the host service\.example the server sent") as caught:
        asked(url, proxies=proxy, verify=str(other_authority.file))
    said = str(caught.value)
    assert "proxy" not in said.partition("for the host")[0]
    assert "the certificate of CN=service (hosts: service.example" in said
    assert "issued by O=Tests, CN=authority of tests" in said
    assert said.endswith("set 'verify' to its certificate.")
    assert caught.value.request_sent is False
    assert seen  # the proxy was used
    with Client(settings(url, proxies=proxy)) as client, pytest.raises(ConnectionFailed) as caught:
        client.publisher.delete_adspace(adspace_id=5)  # a write: nothing was sent
    assert "proxy" not in str(caught.value).partition("for the host")[0]


def test_proxy_password_is_sent(
    proxied: Callable[..., Any],
    authority: Authority,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    caplog.set_level(logging.DEBUG)
    url, proxy, _ = proxied(f"shop:{PASSWORD}")
    given: dict[str, Any] = {"verify": str(authority.file), "proxies": proxy}
    for wrong in ({}, {"proxy_credentials": "shop:another"}):
        with pytest.raises(ConnectionFailed, match=r"407.*set 'proxies' and 'proxy_credentials'") as caught:
            asked(url, **given, **wrong)
        assert caught.value.request_sent is False
        assert "another" not in str(caught.value)
    asked(url, **given, proxy_credentials=f"shop:{PASSWORD}")
    with monkeypatch.context() as patched:  # the environment then also has the credentials of its proxy
        patched.setenv("HTTPS_PROXY", proxy)
        with pytest.raises(ConnectionFailed, match=r"set 'proxies' and 'proxy_credentials'"):
            asked(url, verify=given["verify"], proxy_credentials=f"shop:{PASSWORD}")
    config = settings(url, **given, proxy_credentials=f"shop:{PASSWORD}")
    monkeypatch.setenv("SOAPCLIENT_PROXIES", proxy)
    monkeypatch.setenv("SOAPCLIENT_PROXY_CREDENTIALS", f"shop:{PASSWORD}")
    monkeypatch.setenv("SOAPCLIENT_HEADERS", f"X-Key={PASSWORD}")
    shown = CliRunner().invoke(show_settings)
    assert shown.exit_code == 0
    assert proxy in shown.output
    assert "proxy_credentials = (set, not shown)" in shown.output
    assert "X-Key=(not shown)" in shown.output
    for text in (shown.output, repr(config), caplog.text):
        assert PASSWORD not in text
        assert "pass%3Aword" not in text


def test_proxy_is_used_for_a_host_without_tls(net: Network, sandbox_port: int) -> None:
    seen: list[str] = []
    proxy = net.proxy({"sandbox.example": (HERE, net.plain(sandbox_port))}, seen, f"shop:{PASSWORD}")
    given = {"proxies": f"127.0.0.1:{proxy}", "allow_http": ["sandbox.example"]}
    with pytest.raises(UnexpectedResponse, match=r"407.*set 'proxies' and 'proxy_credentials'"):
        asked("http://sandbox.example:80", **given)
    asked("http://sandbox.example:80", **given, proxy_credentials=f"shop:{PASSWORD}")
    assert seen[0].startswith("POST http://sandbox.example")


@pytest.fixture
def named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The host `sandbox` is 127.0.0.2, like a container on another machine."""
    real = socket.getaddrinfo

    def lookup(host: Any, *more: Any, **others: Any) -> Any:
        return real(HERE if host == "sandbox" else host, *more, **others)

    monkeypatch.setattr(socket, "getaddrinfo", lookup)


@pytest.mark.exhaustive
@pytest.mark.usefixtures("named")
def test_host_without_tls_is_allowed_by_name(net: Network, sandbox_port: int, tmp_path: Path) -> None:
    address = f"http://sandbox:{net.plain(sandbox_port)}"
    for allowed in ((), ["other"], False):
        with pytest.raises(ConfigError, match="allow_http"):
            settings(address, allow_http=allowed)
    asked(address, allow_http=["Sandbox"])
    asked(address, allow_http=True)
    day = dt.date(2026, 11, 1)
    with Client(settings(address, allow_http=["sandbox"])) as client:  # downloads go there as well
        export = client.data.export(report_type="click", from_date=day, to_date=day)
        assert export.wait().download(tmp_path / "clicks.csv.gz").path.stat().st_size
    config = Settings.load(
        environ={"SOAPCLIENT_ALLOW_HTTP": "other, sandbox", "SOAPCLIENT_DATA_URL": address}
    )
    assert (config.data_url, config.allow_http) == (address, ("other", "sandbox"))


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\n"


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        (None, "Connection refused"),
        (b"", "the server closed the connection without a response"),
        (b"junk\r\n\r\n", "the response is not HTTP: 'junk"),
        (HEAD + b"Content-Length: 100\r\n\r\n<a/>", "the response broke off after 4 bytes"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\n<a/", "the response broke off after "),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n<a/>\r\n", "the response broke off after 0 bytes"),
    ],
)
def test_connection_failures_are_explained(sent: bytes | None, said: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"http://127.0.0.1:{server.getsockname()[1]}"

        def answer() -> None:
            connection, _ = server.accept()
            with connection:
                connection.sendall(sent or b"")
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(1 << 16):  # otherwise the connection is reset
                    pass

        if sent is None:
            server.close()
        else:
            threading.Thread(target=answer, daemon=True).start()
        with pytest.raises(ConnectionFailed) as caught:
            asked(address)
    assert said in str(caught.value)
    assert "urllib3" not in str(caught.value)
    assert "object at" not in str(caught.value)
    assert "Error" not in str(caught.value)


def test_fetch_sends_no_headers_to_other_hosts(recorder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOAPCLIENT_HEADERS", "X-Key=of the service")
    by_name = recorder.url.replace("127.0.0.1", "localhost")
    recorder.answers(b"", 302, "text/plain", Location=f"{recorder.url}/moved")
    recorder.answers(b"", 302, "text/plain", Location=f"{by_name}/away")
    recorder.answers(b"<a/>", 200, "text/xml")
    with Downloader(Limits(attempts=1)) as downloader:
        assert downloader.get(f"{recorder.url}/wsdl").content == b"<a/>"
    keys = [(sent.path, sent.headers.get("x-key")) for sent in recorder.sent]
    assert keys == [("/wsdl", "of the service"), ("/moved", "of the service"), ("/away", None)]


@pytest.mark.exhaustive
def test_timeout_limits_one_attempt_and_the_deadline_all() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with Client(settings(url, timeout=0.2, attempts=3), random=lambda: 0.0) as client:
            with pytest.raises(Timeout) as caught:
                client.publisher.get_profile()
            assert (caught.value.seconds, caught.value.attempts) == (0.2, 3)
            with pytest.raises(AmbiguousOutcome):
                client.publisher.delete_adspace(adspace_id=5)
        with pytest.raises(Timeout) as caught:
            asked(url, timeout=5, deadline=0.3)
        assert caught.value.seconds <= 0.3


def test_arguments_override_the_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOAPCLIENT_DEADLINE", "7")
    monkeypatch.setenv("SOAPCLIENT_ATTEMPTS", "2")
    config = settings("https://service.example", attempts=5, deadline=9)
    assert (Client().settings.deadline, Client(deadline=3).settings.deadline) == (7, 3)
    assert Client(deadline=3).settings.attempts == 2
    assert (Client(config).settings.deadline, Client(config, deadline=3).settings.deadline) == (9, 3)
    assert Client(config, deadline=3).settings.attempts == 5
    assert Settings.load().deadline == 7
    assert Settings.load(deadline=1, safe={"Get"}).safe == {"Get"}
    with pytest.raises(ConfigError, match=r"'deadlin' is not an argument; did you mean deadline\?"):
        Client(deadlin=5)  # type: ignore[call-arg] # the argument is misspelled
    with Client(publisher_url="https://service.example") as client:
        assert client.settings.publisher_url == "https://service.example"


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("proxies", "http://user:secret@proxy:1", "proxy_credentials"),
        ("proxies", "ftp://proxy:1", "host and port"),
        ("proxies", {"ftp": "http://proxy:1"}, "http=http://"),
        ("proxies", 5, "must be a proxy's address"),
        ("proxies", {"https": 5}, "must be a proxy's address"),
        ("proxy_credentials", "secret", "user:password"),
        ("proxy_credentials", ":secret", "user:password"),
        ("headers", {"Host": "secret"}, "'Host'"),
        ("headers", {"X-A": "secret\n"}, "X-A"),
        ("headers", "secret", "table"),
        ("allow_http", ["a:80"], "'a:80'"),
        ("allow_http", "sandbox", "list"),
        ("pool_size", 0, "from 1 to 1000"),
        ("verify", "", "path"),
        ("certificate", ("a", "b", "secret"), "a third part that is not env:NAME or file:PATH"),
        ("certificate", ("a",), "('a') has 1 part. "),
        ("certificate", ("a", "b", "secret", "d"), "('a', 'b', …) has 4 parts. "),
        ("timeout", 0, "greater than 0"),
    ],
)
def test_invalid_setting_error_says_how_to_correct_it(name: str, value: object, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Settings.load(environ={}, file=None, profile=None, **{name: value})
    assert caught.value.setting == name
    assert said in str(caught.value)
    assert f"SOAPCLIENT_{name.upper()}" in str(caught.value)
    assert "secret" not in str(caught.value).replace("secrets", "")
