"""Nothing unexpected is sent: on loopback, between two hosts, for every code path that sends.

The first host redirects everything to the second, sets cookies, and has an entry in a netrc file.
"""

from __future__ import annotations

import http.client
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

import pytest
from click.testing import CliRunner
from werkzeug.wrappers import Request, Response

from bindgen.cli import main as bindgen
from soapclient import Client, Settings
from soapclient.errors import SoapClientError
from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY, Sandbox, serve

from .runs import DAY, streamed

HEADER: Final = "key-in-a-header"
WSDL: Final = Path(__file__).parents[2] / "wsdl/publisher/2011-03-01/publisher.wsdl"


@dataclass
class Host:
    """A host that records method, path and headers of each request. `act` runs before its own response."""

    url: str = ""
    got: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)
    act: Callable[[Request], Response | None] = lambda request: None

    def interfere(self, request: Request) -> Response | None:
        headers = {name.lower(): value for name, value in request.headers.items()}
        self.got.append((request.method, request.full_path, headers))
        return self.act(request)

    def headers(self, name: str) -> list[str]:
        return [headers[name] for _, _, headers in self.got if name in headers]


@dataclass
class Net:
    """Two hosts: the service and another host."""

    service: Host
    other: Host
    sandbox: Sandbox


@pytest.fixture
def net(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Net]:
    lines = [f"machine {host} login somebody password of-netrc\n" for host in ("127.0.0.1", "127.0.0.2")]
    netrc = tmp_path / ".netrc"
    netrc.write_text("".join([*lines, "default login somebody password of-netrc\n"]))
    netrc.chmod(0o600)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NETRC", str(netrc))
    with ExitStack() as stack:
        service, other = Host(), Host()
        sandboxes = []
        for host, address in ((service, "127.0.0.1"), (other, "127.0.0.2")):
            sandbox = stack.enter_context(Sandbox(clicks_per_day=3, interfere=host.interfere))
            host.url = stack.enter_context(
                serve(sandbox, address, timeout=20, allow_hosts=["service.example"])
            ).url
            sandboxes.append(sandbox)
        yield Net(service, other, sandboxes[0])


Path_ = Callable[[Client], object]
PATHS: Final[dict[str, Path_]] = {
    "a typed call": lambda client: client.publisher.get_profile(),
    "a public call": lambda client: client.publisher.get_program_categories(),
    "a stream": streamed,
    "pages": lambda client: list(client.publisher.iterate.get_sales(date=DAY, date_type="trackingDate")),
}
PLAIN: Final[dict[str, Path_]] = {
    "plain zeep": lambda client: client.publisher.zeep.GetProfile(),
    "zeep's face": lambda client: client.publisher.soap.service.GetProfile(),
}
WAYS: Final[dict[str, dict[str, object]]] = {
    "SOAP": {},
    "REST, headers": {"publisher_protocol": "rest"},
    "REST, query": {"publisher_protocol": "rest", "rest_signature": "query"},
}
EACH: Final = [
    pytest.param(settings, path, id=f"{way}: {what}")
    for way, settings in WAYS.items()
    for what, path in (PATHS | (PLAIN if way == "SOAP" else {})).items()
]


def opened(net: Net, **settings: object) -> Client:
    given = {
        "connect_id": SAMPLE_CONNECT_ID,
        "secret_key": SAMPLE_SECRET_KEY,
        "publisher_url": net.service.url,
        "data_url": net.service.url,
        "headers": {"X-Api-Key": HEADER},
        "attempts": 2,
    }
    load: Callable[..., Settings] = Settings.load
    return Client(load(environ={}, **(given | settings)), random=lambda: 0.0)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("settings", "path"), EACH)
@pytest.mark.parametrize("status", [301, 307])
def test_no_call_follows_a_redirect(net: Net, settings: dict[str, object], path: Path_, status: int) -> None:
    net.service.act = lambda request: Response(
        "", status, {"Location": f"{net.other.url}{request.full_path}"}
    )
    with opened(net, **settings) as client, pytest.raises(SoapClientError, match=f"HTTP status {status}"):
        path(client)
    assert len(net.service.got) == 1
    assert net.other.got == []


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("settings", "path"), EACH)
def test_no_call_sends_cookies_or_netrc_credentials(
    net: Net, settings: dict[str, object], path: Path_
) -> None:
    net.service.act = partial(_with_a_cookie, net.sandbox)
    with opened(net, **settings) as client:
        path(client)
        path(client)
    assert len(net.service.got) >= 2
    assert net.service.headers("cookie") == []
    assert all(text.startswith("ZXWS ") for text in net.service.headers("authorization"))
    signed = net.service.headers("authorization") or net.service.headers("nonce")
    assert bool(signed) == (settings.get("rest_signature") != "query")


def _with_a_cookie(sandbox: Sandbox, request: Request) -> Response:
    response = sandbox._route(request)
    response.headers.add("Set-Cookie", "session=of-the-service; Path=/")
    response.headers.add("Set-Cookie2", "old=of-the-service")
    return response


@pytest.mark.parametrize("query", [False, True])
def test_download_sends_no_credentials_to_another_host(net: Net, tmp_path: Path, query: bool) -> None:
    """A job's file may be on another host. That host gets the request for the file, and no credentials."""
    placed = {"data_protocol": "rest", "rest_signature": "query" if query else "headers"}
    first, second = tmp_path / "first.csv.gz", tmp_path / "second.csv.gz"
    with opened(net, **placed) as client:
        export = client.data.export(report_type="click", from_date=DAY, to_date=DAY)
        net.sandbox.advance(3600)
        export.wait(60)
        export.download(first, 60)
        file = net.service.got[-1][1].partition("?")[0]
        away = {"Location": f"{net.other.url}/file", "Set-Cookie": "session=of-the-service"}
        net.service.act = lambda request: Response("", 302, away) if request.path == file else None
        net.other.act = lambda request: Response(first.read_bytes(), content_type="application/gzip")
        export.download(second, 60)
    assert second.read_bytes() == first.read_bytes()
    ((method, path, headers),) = net.other.got
    assert (method, path.rstrip("?")) == ("GET", "/file")
    assert not headers.keys() & {"authorization", "cookie", "nonce", "date", "x-api-key", "x-request-id"}
    assert set(headers) <= {"host", "user-agent", "accept", "accept-encoding", "connection"}
    assert net.service.headers("cookie") == []


@pytest.mark.exhaustive
@pytest.mark.parametrize("allowed", [(), ("--allow-host", "127.0.0.2")])
def test_contract_is_fetched_without_secrets(net: Net, tmp_path: Path, allowed: tuple[str, ...]) -> None:
    """A redirect to plain http is never followed, whatever the settings allow."""
    there = Response(WSDL.read_bytes(), content_type="text/xml", headers={"Set-Cookie": "seen=1"})
    moved = Response("", 302, {"Location": f"{net.other.url}/wsdl?moved"})
    net.service.act = lambda request: moved if "?" in request.url else there
    environ = {"SOAPCLIENT_ALLOW_HTTP": "true"}
    words = ["init", "shop", "--out", str(tmp_path), *allowed, "--url"]
    for query, code in (("", 0), ("", 0), ("?moved", 2)):
        done = CliRunner().invoke(bindgen, [*words, f"{net.service.url}/wsdl{query}"], env=environ)
        assert done.exit_code == code, done.output
    assert len(net.service.got) == 3
    assert net.service.headers("authorization") == net.service.headers("cookie") == []
    assert net.other.got == []


def test_only_the_configured_proxy_is_used(net: Net, monkeypatch: pytest.MonkeyPatch) -> None:
    """Proxies of the environment are not used for loopback, nor with the setting `none`."""
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, net.other.url)
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    with opened(net) as client:
        client.publisher.get_profile()
    assert net.other.got == []
    away = {"publisher_url": "http://service.example", "allow_http": True, "attempts": 1}
    with opened(net, **away, proxies="none") as client, pytest.raises(SoapClientError, match="no connection"):
        client.publisher.get_profile()
    assert net.other.got == []
    with opened(net, **away) as client:
        client.publisher.get_profile()  # the other host is a sandbox, too
    ((_, _, headers),) = net.other.got
    assert "proxy-authorization" not in headers, "netrc has credentials of this host, which nobody asked for"


def test_second_host_records_all_requests(net: Net) -> None:
    """Verify the method of these tests: they see everything that is sent to the second host."""
    connection = http.client.HTTPConnection(net.other.url.removeprefix("http://"), timeout=20)
    connection.request("GET", "/x", headers={"Cookie": "a=b", "Authorization": "Basic x"})
    assert connection.getresponse().status == 404
    connection.close()
    assert net.other.headers("cookie") == ["a=b"]
    assert net.other.headers("authorization") == ["Basic x"]
