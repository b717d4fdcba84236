"""Transient errors of downloads: number of retries, and waits between them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
import requests
from requests_mock import Mocker

from bindgen.fetching.download import Downloader, Limits
from bindgen.fetching.errors import FetchError
from soapclient.clock import ManualClock
from tests.bindgen_fetch.conftest import Site

URL = "https://api.example.org/wsdl/v1"
NOW = datetime(2026, 11, 21, 10, 0, 0, tzinfo=UTC)
GOOD = {"content": b"<a/>"}


def _get(clock: ManualClock, limits: Limits = Limits(), url: str = URL) -> bytes | None:  # noqa: B008 - frozen
    with Downloader(limits, clock) as downloader:
        return downloader.get(url).content


@pytest.mark.parametrize(
    "bad",
    [
        {"exc": requests.ConnectionError()},
        {"exc": requests.ConnectTimeout()},
        {"status_code": 429},
        {"status_code": 500},
        {"status_code": 502},
        {"status_code": 503},
    ],
)
def test_transient_failure_is_retried_with_growing_waits(
    requests_mock: Mocker, clock: ManualClock, bad: dict[str, object]
) -> None:
    requests_mock.get(URL, [bad, bad, GOOD])
    assert _get(clock) == b"<a/>"
    assert clock.sleeps == [1.0, 2.0]
    requests_mock.get(URL, [bad, bad, bad, GOOD])
    with pytest.raises(FetchError, match=r"\(3 attempts\)"):
        _get(clock)
    assert clock.sleeps == [1.0, 2.0, 1.0, 2.0]


@pytest.mark.parametrize(
    "bad",
    [
        {"status_code": 404},
        {"status_code": 403},
        {"exc": requests.exceptions.SSLError()},
        {"exc": requests.ReadTimeout()},
        {"exc": requests.exceptions.InvalidProxyURL()},
        {"status_code": 302, "headers": {"Location": "file:///etc/passwd"}},
        {"content": b"x" * 200},
    ],
)
def test_permanent_failure_is_not_retried(
    requests_mock: Mocker, clock: ManualClock, bad: dict[str, object]
) -> None:
    requests_mock.get(URL, [bad, GOOD])
    with pytest.raises(FetchError):
        _get(clock, Limits(document_bytes=100))
    assert (clock.sleeps, requests_mock.call_count) == ([], 1)


DATE = "Sat, 21 Nov 2026 10:00:00 GMT"


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"Retry-After": "0"}, 0.0),
        ({"Retry-After": "Sat, 21 Nov 2026 10:00:09 GMT", "Date": DATE}, 9.0),
        ({"Retry-After": "Sat, 21 Nov 2026 09:00:00 GMT", "Date": DATE}, 0.0),
        ({"Retry-After": "Sat, 21 Nov 2026 10:00:09 GMT"}, 1.0),
        ({"Retry-After": "soon"}, 1.0),
        ({"Retry-After": "-5"}, 1.0),
        ({"Retry-After": "١٢"}, 1.0),
    ],
)
def test_retry_after_sets_the_wait(
    requests_mock: Mocker, clock: ManualClock, headers: dict[str, str], expected: float
) -> None:
    requests_mock.get(URL, [{"status_code": 503, "headers": headers}, GOOD])
    assert _get(clock) == b"<a/>"
    assert clock.sleeps == [expected]


def test_wait_beyond_the_cap_stops_the_fetch(requests_mock: Mocker, clock: ManualClock) -> None:
    requests_mock.get(URL, [{"status_code": 503, "headers": {"Retry-After": "21"}}, GOOD])
    with pytest.raises(FetchError, match="asks to wait 21 s"):
        _get(clock)
    assert clock.sleeps == []


def test_truncated_body_is_retried(site: Site) -> None:
    site.put("/a", b"<a/>", Content_Length="9")
    waits: list[float] = []

    class Mending(ManualClock):
        def sleep(self, seconds: float) -> None:
            waits.append(seconds)
            site.put("/a", b"<a/>")

    with Downloader(Limits(), Mending(NOW)) as downloader:
        assert downloader.get(f"{site.address}/a").content == b"<a/>"
    assert (waits, site.paths) == ([1.0], ["/a", "/a"])


def test_each_attempt_has_its_own_timeout(requests_mock: Mocker) -> None:
    clock = ManualClock(NOW)

    def slow(status: int) -> Callable[[object, object], str]:
        def answer(_: object, context: object) -> str:
            clock.advance(20)
            setattr(context, "status_code", status)  # noqa: B010 - a class without type annotations
            return "<a/>"

        return answer

    requests_mock.get(URL, [{"text": slow(503)}, {"text": slow(200)}])
    with Downloader(Limits(), clock) as downloader:
        assert downloader.get(URL).content == b"<a/>"
    assert clock.monotonic() == 41
