from __future__ import annotations

import gzip
import io
import pickle
import socket
from collections.abc import Iterator

import pytest
import requests
from requests_mock import Mocker

from bindgen.fetching.download import Document, Downloader, Limits
from bindgen.fetching.errors import FetchError
from soapclient.clock import ManualClock
from tests.bindgen_fetch.conftest import Site

URL = "https://api.example.org/wsdl/v1"


@pytest.fixture
def downloader(clock: ManualClock) -> Iterator[Downloader]:
    with Downloader(Limits(document_bytes=100), clock) as ready:
        yield ready


def test_body_and_validators_are_returned(downloader: Downloader, requests_mock: Mocker) -> None:
    headers = {"ETag": '"1"', "Last-Modified": "Fri, 20 Nov 2026 10:00:00 GMT", "Content-Type": "text/xml"}
    requests_mock.get(URL, content=b"<a/>\r\n", headers=headers)
    response = downloader.get(URL)
    assert (response.url, response.content, response.media_type) == (URL, b"<a/>\r\n", "text/xml")
    assert (response.etag, response.last_modified) == ('"1"', "Fri, 20 Nov 2026 10:00:00 GMT")


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (201, "HTTP 201 instead of a document"),
        (204, "HTTP 204"),
        (304, "HTTP 304"),
        (401, "no credentials"),
        (403, "no credentials"),
        (404, "check the address"),
        (429, "try again later"),
        (503, "try again later"),
    ],
)
def test_status_without_a_document_is_an_error(
    downloader: Downloader, requests_mock: Mocker, status: int, said: str
) -> None:
    requests_mock.get(URL, status_code=status, content=b"<a/>")
    with pytest.raises(FetchError, match=said) as refused:
        downloader.get(URL)
    assert str(refused.value).startswith(URL)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (requests.ConnectTimeout(), "no response within 30 s"),
        (requests.ReadTimeout(), "no response within 30 s"),
        (requests.exceptions.SSLError(), "TLS"),
        (requests.ConnectionError(), "could not be reached"),
        (requests.exceptions.ProxyError(), "could not be reached"),
    ],
)
def test_network_failure_is_an_error(
    downloader: Downloader, requests_mock: Mocker, error: Exception, said: str
) -> None:
    requests_mock.get(URL, exc=error)
    with pytest.raises(FetchError, match=said):
        downloader.get(URL)


def test_size_limit_applies_to_the_stored_bytes(downloader: Downloader, requests_mock: Mocker) -> None:
    requests_mock.get(URL, content=b"x" * 100)
    assert downloader.get(URL).content == b"x" * 100
    requests_mock.get(URL, content=b"x" * 101)
    with pytest.raises(FetchError, match="larger than 100 bytes"):
        downloader.get(URL)


def test_unrequested_compression_is_decoded_within_the_limit(downloader: Downloader, site: Site) -> None:
    site.put("/fits", gzip.compress(b"x" * 100), Content_Encoding="gzip")
    site.put("/bomb", gzip.compress(b"x" * 1_000_000), Content_Encoding="gzip")
    assert downloader.get(f"{site.address}/fits").content == b"x" * 100
    with pytest.raises(FetchError, match="larger than 100 bytes"):
        downloader.get(f"{site.address}/bomb")


@pytest.mark.parametrize(("pause", "said"), [(14.0, None), (16.0, "not complete within 30 s")])
def test_slow_body_stops_at_the_deadline(
    requests_mock: Mocker, clock: ManualClock, pause: float, said: str | None
) -> None:
    class Trickle(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            clock.advance(pause)
            return super().read(2)

        read1 = read

    requests_mock.get(URL, body=Trickle(b"<a/>"))
    with Downloader(Limits(), clock) as downloader:
        if said is None:
            assert downloader.get(URL).content == b"<a/>"
        else:
            with pytest.raises(FetchError, match=said):
                downloader.get(URL)


@pytest.mark.parametrize(
    ("headers", "content"),
    [
        ({"Content-Length": "9"}, b"<a/>"),
        ({"Transfer-Encoding": "chunked"}, b"9\r\n<a/>"),
        ({"Transfer-Encoding": "chunked"}, b"4\r\n<a/>\r\n"),
        ({"Content-Encoding": "gzip"}, b"no gzip at all"),
    ],
)
def test_truncated_body_is_an_error(
    downloader: Downloader, site: Site, headers: dict[str, str], content: bytes
) -> None:
    site.put("/a", content, **headers)
    with pytest.raises(FetchError, match="the response ended early"):
        downloader.get(f"{site.address}/a")


def test_redirects_are_followed_to_https_five_times(requests_mock: Mocker) -> None:
    for hop in range(6):
        requests_mock.get(f"{URL}/{hop}", status_code=302 + hop % 2, headers={"Location": f"{hop + 1}"})
    requests_mock.get(f"{URL}/6", content=b"<a/>")
    with Downloader(Limits()) as downloader:
        assert downloader.get(f"{URL}/1").url == f"{URL}/6"
        with pytest.raises(FetchError, match="redirects more than 5 times"):
            downloader.get(f"{URL}/0")


@pytest.mark.parametrize(
    ("location", "said"),
    [
        ("http://api.example.org/wsdl/v2", "redirects to http are not followed"),
        ("http://127.0.0.1/wsdl", "redirects to http are not followed"),
        ("https://127.0.0.1/wsdl", "redirects to this machine are not followed"),
        ("file:///etc/hosts", "scheme 'file'"),
        ("https://somebody:hidden@example.org/", "contains credentials"),
        ("https://[", "is not a well-formed address"),
        ("", "without a Location header"),
    ],
)
def test_unsafe_redirects_are_not_followed(
    downloader: Downloader, requests_mock: Mocker, location: str, said: str
) -> None:
    requests_mock.get(URL, status_code=301, headers={"Location": location})
    with pytest.raises(FetchError, match=said) as refused:
        downloader.get(URL)
    assert "hidden" not in str(refused.value)
    assert requests_mock.call_count == 1


def test_the_body_of_a_redirect_is_not_read(downloader: Downloader, requests_mock: Mocker) -> None:
    class Endless(io.RawIOBase):
        def read(self, size: int | None = -1) -> bytes:
            raise AssertionError("somebody reads it")

    requests_mock.get(URL, status_code=302, headers={"Location": "/new"}, body=Endless())
    requests_mock.get("https://api.example.org/new", content=b"<a/>")
    assert downloader.get(URL).content == b"<a/>"


def test_loopback_may_redirect_over_http(downloader: Downloader, site: Site) -> None:
    site.put("/new", b"<a/>")
    site.put("/old", b"moved", Location="/new")
    site.pages["/old"].status = 301
    response = downloader.get(f"{site.address}/old")
    assert (response.url, response.content) == (f"{site.address}/new", b"<a/>")


def test_loopback_bypasses_any_proxy(
    downloader: Downloader, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as closed:  # bound but not listening: connections are refused
        closed.bind(("127.0.0.1", 0))
        for name in ("NO_PROXY", "no_proxy"):
            monkeypatch.delenv(name, raising=False)
        for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{closed.getsockname()[1]}")
        site.put("/a", b"<a/>")
        for host in ("127.0.0.1", "localhost"):
            address = site.address.replace("127.0.0.1", host)
            assert downloader.get(f"{address}/a").content == b"<a/>"


def test_other_hosts_use_the_proxy_of_the_environment(
    downloader: Downloader, requests_mock: Mocker, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    for name in ("HTTPS_PROXY", "https_proxy"):
        monkeypatch.setenv(name, "http://proxy.example.org:3128")
    requests_mock.get(URL, content=b"<a/>")
    downloader.get(URL)
    proxies = requests_mock.request_history[0].proxies
    assert proxies["https"] == "http://proxy.example.org:3128"


def test_validators_are_sent_to_their_own_address_only(downloader: Downloader, requests_mock: Mocker) -> None:
    requests_mock.get(URL, status_code=302, headers={"Location": "/new"})
    requests_mock.get("https://api.example.org/new", status_code=304)
    new = "https://api.example.org/new"
    known = {new: Document(new, b"<known/>", etag='"1"')}
    found = downloader.get(URL, known.get)
    assert (found.url, found.content, found.etag) == (new, b"<known/>", '"1"')
    asked = [request.headers.get("If-None-Match") for request in requests_mock.request_history]
    assert asked == [None, '"1"']


def test_no_credentials_are_sent(
    downloader: Downloader,
    requests_mock: Mocker,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    netrc = tmp_path_factory.mktemp("home") / "netrc"
    netrc.write_text("machine api.example.org login somebody password hidden\n", encoding="utf-8")
    monkeypatch.setenv("NETRC", str(netrc))
    requests_mock.get(URL, content=b"<a/>", headers={"Set-Cookie": "other=1"})
    downloader.get(URL)
    downloader.get(URL)
    for request in requests_mock.request_history:
        assert not {"authorization", "cookie"} & {name.lower() for name in request.headers}
        assert request.cert is None


def test_error_can_be_pickled() -> None:
    error = FetchError(URL, "HTTP 404", "check it")
    copy = pickle.loads(pickle.dumps(error))
    assert (copy.url, copy.problem, copy.remedy, str(copy)) == (URL, "HTTP 404", "check it", str(error))
