"""Requests for a file: addresses, signatures, and the error messages."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
import requests

from soapclient.auth.credentials import Credentials
from soapclient.auth.signing import Signer
from soapclient.clock import ManualClock
from soapclient.errors import ResponseError
from soapclient.runtime.settings import Download
from soapclient.tracking.exports.download.fetch import FileClient, ServiceOrigin, origin_of, redirected
from soapclient.tracking.exports.jobs.job import JobSnapshot
from soapclient.transport import http

# the published sample, docs/explanation/service.md#signing
CONNECT_ID, KEY = "802B8BF4AE99EBE00F41", "fa4c0c2020Aa4c+ab9Ea0ec8d39E06/df2c5aa44"
NONCE = "17811FEFBA7448CE848327F835729AA2"
STAMP = "Thu, 15 Aug 2013 15:56:07 GMT"
BASE = "https://data.example.org/api/xml/2011-05-01"
CLOCK = ManualClock(datetime(2013, 8, 15, 15, 56, 7, tzinfo=UTC))


def origin(
    base: str = BASE, *, lowercase: bool = False, offset: timedelta = timedelta(0), nonce: str = NONCE
) -> ServiceOrigin:
    signer = Signer(Credentials(CONNECT_ID, KEY), clock=CLOCK, nonce_source=lambda: nonce)
    return ServiceOrigin(base, "2011-05-01", signer, lowercase=lowercase, offset=lambda: offset)


def address(job_id: str, *, url: str | None = None, compression: str | None = None) -> str:
    """Return the address of the file of a job."""
    unused = http.HttpClient(requests.Session(), BASE)  # sends nothing
    files = Download(fallback_path="/jobs/{id}/file", compression="gzip")
    client = FileClient(
        service=unused, elsewhere=lambda: unused, origin=origin(), files=files, connect_timeout=1, stall=2
    )
    job = JobSnapshot(id=job_id, status=None, phase="waiting", url=url, compression=compression)
    return client.address(job)


# ---- addresses and signatures


TWO_VERSIONS = "https://data.example.org/2011-05-01/api/xml/2011-05-01"


@pytest.mark.parametrize(
    ("service", "url", "uri"),
    [
        (origin(), f"{BASE}/jobs/job/id/7/download", "/jobs/job/id/7/download"),
        (origin(), f"{BASE}/jobs/job/id/7/download?x=1&y=2", "/jobs/job/id/7/download"),
        (origin(), f"{BASE}/jobs/job/id/a%20b/download/", "/jobs/job/id/a%20b/download/"),
        (origin(), "https://data.example.org:443/Files/7.csv.gz", "/Files/7.csv.gz"),
        # another path of the same version
        (origin(), "https://data.example.org/json/2011-05-01/Files/7", "/Files/7"),
        (origin(TWO_VERSIONS), f"{TWO_VERSIONS}/jobs/7", "/jobs/7"),
        (origin(lowercase=True), "https://data.example.org/Files/7", "/files/7"),
        (origin(lowercase=True), f"{BASE}/Jobs/7", "/jobs/7"),
    ],
)
def test_path_after_the_last_version_is_signed_in_lower_case_if_set(
    service: ServiceOrigin, url: str, uri: str, signature_of: Callable[..., str]
) -> None:
    authorization = f"ZXWS {CONNECT_ID}:{signature_of(KEY, 'GET', uri, STAMP, NONCE)}"
    expected = {"Authorization": authorization, "Date": STAMP, "nonce": NONCE}
    assert service.signed_headers(url) == expected


def test_wrong_clock_is_corrected() -> None:
    headers = origin(offset=timedelta(hours=-1)).signed_headers(f"{BASE}/x")
    assert headers["Date"] == "Thu, 15 Aug 2013 14:56:07 GMT"


@pytest.mark.parametrize(
    ("url", "ours"),
    [
        ("https://data.example.org/anything", True),
        ("https://DATA.example.org:443/x", True),
        ("https://data.example.org:8443/x", False),
        ("http://data.example.org/x", False),
        ("https://data.example.org.evil.example/x", False),
        ("https://evil.example/data.example.org", False),
        ("https://data.example.org./x", False),
    ],
)
def test_address_of_the_service_is_recognised_by_scheme_host_and_port(url: str, ours: bool) -> None:
    assert origin().owns(url) is ours
    if not ours:
        with pytest.raises(ResponseError):
            origin().signed_headers(url)


@pytest.mark.parametrize(
    "url",
    [
        "http://files.example.org/x",  # not https
        "http://127.0.0.1/x",  # loopback, but the service is not on loopback
        "ftp://files.example.org/x",
        "file:///etc/hosts",
        "//data.example.org/x",
        "/x",
        "",
        "https:///x",
        "https://user:password@data.example.org/x",
        "https://evil.example\\@data.example.org/x",  # parsers disagree on the host
        "https://data.example.org\\.evil.example/x",
        "https://data.example.org/a b",
        "https://data.example.org/ä",
        "https://data.example.org:port/x",
        "https://data.example.org:99999/x",
        "https://[::1/x",
    ],
)
def test_unsafe_addresses_are_refused(url: str) -> None:
    with pytest.raises(ResponseError) as caught:
        origin().check(url, "downloadUrl")
    assert "password" not in str(caught.value)


def test_plain_http_is_allowed_only_on_loopback() -> None:
    local = origin("http://127.0.0.1:8080/xml/2011-05-01")
    local.check("http://127.0.0.1:8080/x", "downloadUrl")
    local.check("http://localhost:9000/x", "downloadUrl")
    with pytest.raises(ResponseError):
        local.check("http://files.example.org/x", "downloadUrl")


def test_redirect_may_be_relative_and_leave_the_host() -> None:
    url = "https://data.example.org/a/b"
    assert redirected(url, "../c?d=1") == "https://data.example.org/c?d=1"
    assert redirected(url, "https://files.example.org/x") == "https://files.example.org/x"
    assert redirected("http://127.0.0.1:1/a", "http://127.0.0.1:2/b") == "http://127.0.0.1:2/b"


@pytest.mark.parametrize("location", ["http://data.example.org/c", "http://127.0.0.1/c", "file:///etc/hosts"])
def test_redirect_must_not_leave_https(location: str) -> None:
    with pytest.raises(ResponseError):
        redirected("https://data.example.org/a/b", location)


@pytest.mark.parametrize(
    ("job_id", "path"),
    [("7", "7"), (7, "7"), ("a/../b?c#d", "a%2F..%2Fb%3Fc%23d"), ("{id}", "%7Bid%7D"), ("ä", "%C3%A4")],
)
def test_fallback_address_encodes_any_id_in_one_segment(job_id: str | int, path: str) -> None:
    assert origin().fallback("/jobs/job/id/{id}/download", job_id) == f"{BASE}/jobs/job/id/{path}/download"


@pytest.mark.parametrize("job_id", [".", ".."])
def test_an_id_that_would_lead_to_another_path_is_refused(job_id: str) -> None:
    with pytest.raises(ResponseError):
        origin().fallback("/jobs/job/id/{id}/download", job_id)


def test_download_address_of_a_job() -> None:
    assert address("7", url="https://files.example.org/7") == "https://files.example.org/7"
    assert address("a/b c", compression="gzip") == f"{BASE}/jobs/a%2Fb%20c/file"


ABSOLUTE = "expected an absolute https address without user info"
COMPARE = "The service may have changed its contract: compare it with the contract of this package."


@pytest.mark.parametrize(
    ("doing", "said"),
    [
        (lambda: address("7", compression="zip"), "job/compression is 'zip', expected gzip"),
        (lambda: address(".."), "job id is '..', expected an id that can be part of a path"),
        (
            lambda: origin().check("http://data.example.org/7", "job/url"),
            "job/url is 'http://data.example.org/7', expected an https address",
        ),
        (
            lambda: origin().signed_headers("https://elsewhere.example/7"),
            "download address is 'https://elsewhere.example/7', expected an address of the service",
        ),
        (
            lambda: redirected("https://a.example/x", "http://a.example/y"),
            "Location is 'http://a.example/y', expected an https address",
        ),
        (
            lambda: redirected("https://a.example/x", "ftp://a.example/y"),
            f"Location is 'ftp://a.example/y', {ABSOLUTE}",
        ),
        (lambda: redirected("/x", "/y"), f"address is '/x', {ABSOLUTE}"),
        (
            lambda: origin_of("https://a.example:port/", "job/url"),
            f"job/url is 'https://[hidden]', {ABSOLUTE}",
        ),
    ],
)
def test_invalid_responses_have_the_documented_message(doing: Callable[[], object], said: str) -> None:
    with pytest.raises(ResponseError) as caught:
        doing()
    assert str(caught.value) == f"download: the response is not valid: {said}. {COMPARE}"


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://A.example/x", ("https", "a.example", 443)),
        ("http://a.example/x", ("http", "a.example", 80)),
        ("https://a.example:8443", ("https", "a.example", 8443)),
        ("http://[::1]:0/", ("http", "::1", 0)),
    ],
)
def test_origin_of_an_address(url: str, origin: tuple[str, str, int]) -> None:
    assert origin_of(url, "address") == origin


def test_a_signature_in_a_query_is_encoded() -> None:
    """Base64 and nonces can have characters with a meaning in a query."""
    query = origin(nonce="+/" * 16).signed_query(f"{BASE}/jobs/7/file?x=1")
    names = [part.partition("=")[0] for part in query.split("&")]
    assert names == ["connectid", "date", "nonce", "signature"]
    assert query.startswith(
        f"connectid={CONNECT_ID}&date=Thu%2C%2015%20Aug%202013%2015%3A56%3A07%20GMT&nonce="
    )
    assert "%2B%2F" * 16 in query
    assert query.endswith("%3D")


def test_an_account_is_a_hash() -> None:
    """The expected value is from `printf part/802B8BF4AE99EBE00F41 | sha256sum | cut -c1-12`."""
    assert origin().account == "07f6745051ac"
