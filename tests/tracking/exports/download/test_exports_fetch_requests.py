"""Requests for a file: the meaning of a refusal for a job without a state, and the error messages."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import cast

import pytest
import requests

from soapclient.auth.credentials import Credentials
from soapclient.auth.signing import Signer
from soapclient.clock import Deadline, ManualClock
from soapclient.errors import (
    AuthenticationError,
    ConnectionFailed,
    ResponseError,
    SoapClientError,
    Timeout,
    UnexpectedResponse,
)
from soapclient.runtime.settings import Download
from soapclient.tracking.exports.download.fetch import (
    AddressExpired,
    FileClient,
    ResumeRange,
    ServiceOrigin,
    origin_of,
    redirected,
)
from soapclient.tracking.exports.jobs.job import JobSnapshot
from soapclient.transport import http

BASE = "https://data.example.org/api/xml/2011-05-01"
CLOCK = ManualClock(datetime(2013, 8, 15, 15, 56, 7, tzinfo=UTC))
DEADLINE = Deadline(CLOCK, 60)
JOB = JobSnapshot(id="7", status=None, phase="waiting")


def origin(base: str = BASE) -> ServiceOrigin:
    signer = Signer(Credentials("CONNECT", "the/key+"), clock=CLOCK, nonce_source=lambda: "+/" * 16)
    return ServiceOrigin(base, "2011-05-01", signer)


def getter() -> FileClient:
    unused = http.HttpClient(requests.Session(), BASE)  # sends nothing
    return FileClient(
        service=unused,
        elsewhere=lambda: unused,
        origin=origin(),
        files=Download(fallback_path="/jobs/{id}/file", compression="gzip"),
        connect_timeout=1,
        stall=2,
    )


class Came:
    """A response that is closed but not read."""

    closed = False

    def close(self) -> None:
        self.closed = True


def asked(monkeypatch: pytest.MonkeyPatch, outcome: Came | Exception) -> list[tuple[object, ...]]:
    """Replace `fetch` by a function with this outcome. Return the list of its calls."""
    calls: list[tuple[object, ...]] = []

    def fetching(
        self: FileClient, url: str, job: JobSnapshot, deadline: Deadline, since: ResumeRange | None = None
    ) -> http.Response:
        calls.append((url, job, deadline, since))
        if isinstance(outcome, Exception):
            raise outcome
        return cast("http.Response", outcome)

    monkeypatch.setattr(FileClient, "fetch", fetching)
    return calls


def test_existing_file_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    came = Came()
    calls = asked(monkeypatch, came)
    assert getter().is_there(JOB, DEADLINE) is True
    assert came.closed
    assert calls == [(f"{BASE}/jobs/7/file", JOB, DEADLINE, None)]


def refused(status: int) -> UnexpectedResponse:
    return UnexpectedResponse(status, None, "")


@pytest.mark.parametrize(
    "error",
    [
        refused(404),
        refused(409),
        refused(429),
        refused(503),
        Timeout("download", 1),
        ConnectionFailed("https://data.example.org", "reset"),
    ],
)
def test_missing_file_may_be_available_later(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    asked(monkeypatch, error)
    assert getter().is_there(JOB, DEADLINE) is False


@pytest.mark.parametrize("error", [refused(400), refused(501), AuthenticationError(403, "no")])
def test_permanent_refusal_is_raised(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    asked(monkeypatch, error)
    with pytest.raises(SoapClientError) as caught:
        getter().is_there(JOB, DEADLINE)
    assert caught.value is error


def test_expired_address_is_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    refusal = refused(410)
    asked(monkeypatch, AddressExpired(refusal))
    with pytest.raises(UnexpectedResponse) as caught:
        getter().is_there(JOB, DEADLINE)
    assert caught.value is refusal
    assert str(AddressExpired(refusal)) == str(refusal)


# ---- addresses


def test_download_address_of_a_job() -> None:
    told = JobSnapshot(id="7", status=None, phase="waiting", url="https://files.example.org/7")
    assert getter().address(told) == "https://files.example.org/7"
    odd = JobSnapshot(id="a/b c", status=None, phase="waiting", compression="gzip")
    assert getter().address(odd) == f"{BASE}/jobs/a%2Fb%20c/file"


COMPARE = "The service may have changed its contract: compare it with the contract of this package."


@pytest.mark.parametrize(
    ("doing", "said"),
    [
        (
            lambda: getter().address(JobSnapshot(id="7", status=None, phase="waiting", compression="zip")),
            "job/compression is 'zip', expected gzip",
        ),
        (
            lambda: getter().address(JobSnapshot(id="..", status=None, phase="waiting")),
            "job id is '..', expected an id that can be part of a path",
        ),
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
            "Location is 'ftp://a.example/y', expected an absolute https address without user info",
        ),
        (
            lambda: redirected("/x", "/y"),
            "address is '/x', expected an absolute https address without user info",
        ),
        (
            lambda: origin_of("https://a.example:port/", "job/url"),
            "job/url is 'https://[hidden]', expected an absolute https address without user info",
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
    query = origin().signed_query(f"{BASE}/jobs/7/file?x=1")
    names = [part.partition("=")[0] for part in query.split("&")]
    assert names == ["connectid", "date", "nonce", "signature"]
    assert query.startswith("connectid=CONNECT&date=Thu%2C%2015%20Aug%202013%2015%3A56%3A07%20GMT&nonce=")
    assert "%2B%2F" * 16 in query
    assert query.endswith("%3D")


def test_an_account_is_a_hash() -> None:
    """The expected value is from `printf part/CONNECT | sha256sum | cut -c1-12`."""
    assert origin().account == "377e644bc6f7"
