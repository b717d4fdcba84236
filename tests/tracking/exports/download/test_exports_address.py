from __future__ import annotations

import base64
import hashlib
import hmac
from datetime import UTC, datetime, timedelta

import pytest

from soapclient.auth.credentials import Credentials
from soapclient.auth.signing import Signer
from soapclient.clock import ManualClock
from soapclient.errors import ResponseError
from soapclient.tracking.exports.download.fetch import ServiceOrigin, redirected

# the published sample, docs/explanation/service.md#signing.
CONNECT_ID, KEY = "802B8BF4AE99EBE00F41", "fa4c0c2020Aa4c+ab9Ea0ec8d39E06/df2c5aa44"
NONCE = "17811FEFBA7448CE848327F835729AA2"
THEN = datetime(2013, 8, 15, 15, 56, 7, tzinfo=UTC)
BASE = "https://data.example.org/api/xml/2011-05-01"


def origin(base: str = BASE, *, lowercase: bool = False, offset: timedelta = timedelta(0)) -> ServiceOrigin:
    signer = Signer(Credentials(CONNECT_ID, KEY), clock=ManualClock(THEN), nonce_source=lambda: NONCE)
    return ServiceOrigin(base, "2011-05-01", signer, lowercase=lowercase, offset=lambda: offset)


def signature(text: str) -> str:
    return base64.b64encode(hmac.new(KEY.encode(), text.encode(), hashlib.sha1).digest()).decode()


@pytest.mark.parametrize(
    ("url", "uri"),
    [
        (f"{BASE}/jobs/job/id/7/download", "/jobs/job/id/7/download"),
        (f"{BASE}/jobs/job/id/7/download?x=1&y=2", "/jobs/job/id/7/download"),
        (f"{BASE}/jobs/job/id/a%20b/download/", "/jobs/job/id/a%20b/download/"),
        ("https://data.example.org:443/Files/7.csv.gz", "/Files/7.csv.gz"),
        ("https://data.example.org/json/2011-05-01/Files/7", "/Files/7"),  # another path of the same version
    ],
)
def test_path_after_the_version_is_signed(url: str, uri: str) -> None:
    stamp = "Thu, 15 Aug 2013 15:56:07 GMT"
    assert origin().signed_headers(url) == {
        "Authorization": f"ZXWS {CONNECT_ID}:{signature(f'GET{uri}{stamp}{NONCE}')}",
        "Date": stamp,
        "nonce": NONCE,
    }


def test_base_with_a_version_segment_is_cut_at_its_last_one() -> None:
    base = "https://data.example.org/2011-05-01/api/xml/2011-05-01"
    headers = origin(base).signed_headers(f"{base}/jobs/7")
    assert signature(f"GET/jobs/7Thu, 15 Aug 2013 15:56:07 GMT{NONCE}") in headers["Authorization"]


def test_signed_path_can_be_lower_cased_by_a_setting() -> None:
    headers = origin(lowercase=True).signed_headers("https://data.example.org/Files/7")
    assert signature(f"GET/files/7Thu, 15 Aug 2013 15:56:07 GMT{NONCE}") in headers["Authorization"]


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


def test_error_says_that_the_address_is_invalid() -> None:
    with pytest.raises(ResponseError, match="the address"):
        origin().owns("/x")


def test_plain_http_is_allowed_only_on_loopback() -> None:
    local = origin("http://127.0.0.1:8080/xml/2011-05-01")
    local.check("http://127.0.0.1:8080/x", "downloadUrl")
    local.check("http://localhost:9000/x", "downloadUrl")
    with pytest.raises(ResponseError):
        local.check("http://files.example.org/x", "downloadUrl")


def test_redirect_must_not_leave_https() -> None:
    url = "https://data.example.org/a/b"
    assert redirected(url, "../c?d=1") == "https://data.example.org/c?d=1"
    assert redirected(url, "https://files.example.org/x") == "https://files.example.org/x"
    assert redirected("http://127.0.0.1:1/a", "http://127.0.0.1:2/b") == "http://127.0.0.1:2/b"
    for location in ("http://data.example.org/c", "http://127.0.0.1/c", "file:///etc/hosts"):
        with pytest.raises(ResponseError):
            redirected(url, location)


@pytest.mark.parametrize(
    ("job_id", "path"),
    [
        ("7", "7"),
        (7, "7"),
        ("a/../b?c#d", "a%2F..%2Fb%3Fc%23d"),
        ("{id}", "%7Bid%7D"),
        ("ä", "%C3%A4"),
    ],
)
def test_fallback_address_encodes_any_id_in_one_segment(job_id: str | int, path: str) -> None:
    assert origin().fallback("/jobs/job/id/{id}/download", job_id) == f"{BASE}/jobs/job/id/{path}/download"


@pytest.mark.parametrize("job_id", [".", ".."])
def test_an_id_that_would_lead_to_another_path_is_refused(job_id: str) -> None:
    with pytest.raises(ResponseError):
        origin().fallback("/jobs/job/id/{id}/download", job_id)
