"""When a download is tried again, and after which wait: bounded, and the service's own word goes first."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import TypeVar

from bindgen.fetching.errors import FetchError, PassingError
from bindgen.fetching.limits import Limits

T = TypeVar("T")
_DATE = "%a, %d %b %Y %H:%M:%S GMT"  # the one form that is still sent (RFC 9110 5.6.7)
_FIRST_WAIT = 1.0  # seconds, doubled from attempt to attempt


def with_retries(once: Callable[[], T], limits: Limits, sleep: Callable[[float], None]) -> T:
    """What `once` gives, asked `limits.attempts` times at most as long as it raises PassingError.

    Between attempts it waits 1, 2, 4 … seconds, or as long as the service said, but never longer than
    `limits.wait`: a service that asks for more is taken at its word, and the fetch ends. Raises FetchError.
    """
    for attempt in range(1, limits.attempts + 1):
        try:
            return once()
        except PassingError as error:
            asked = error.retry_after
            if attempt == limits.attempts:
                tried = f" ({attempt} attempts)" if attempt > 1 else ""
                raise FetchError(error.url, error.problem + tried, error.remedy) from error
            if asked is not None and asked > limits.wait:
                waits = f", and the service asks to wait {asked:g} s"
                raise FetchError(error.url, error.problem + waits, error.remedy) from error
            sleep(min(_FIRST_WAIT * 2 ** (attempt - 1), limits.wait) if asked is None else asked)
    raise ValueError("a fetch needs at least one attempt")


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The wait a reply asks for, in seconds; None where it asks for none, or in no way that can be read.

    A date counts from the reply's own Date (RFC 9110 10.2.3): the two clocks need not agree.
    """
    written = headers.get("Retry-After", "").strip()
    if re.fullmatch(r"[0-9]{1,9}", written):
        return float(written)
    until, now = _moment(written), _moment(headers.get("Date", ""))
    return None if until is None or now is None else max(0.0, (until - now).total_seconds())


def _moment(written: str) -> datetime | None:
    try:
        return datetime.strptime(written, _DATE).replace(tzinfo=UTC)
    except ValueError:
        return None
