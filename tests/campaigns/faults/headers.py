"""Response headers that are damaged or unexpected: invalid status lines, too many fields, wrong dates."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from random import Random
from typing import Final

from ..proxy import Exchange
from ..wire import Response, response
from .kinds import ELSEWHERE, Family, Fault, ending, giving

_TLS_ALERT: Final = b"\x15\x03\x03\x00\x02\x02\x46"
_MINUTES: Final = (-29, -20, -6, 6, 20, 29, 60, 525_600)  # off the real time; a signature is valid for 30
_PAUSE: Final = 0.02  # seconds between an interim response and the final one


def _instead(*heads: bytes) -> Callable[[Exchange], None]:
    """Send one of these heads instead of the response."""
    return ending(lambda answer, random: random.choice(heads))


def _with_line(*lines: bytes) -> Callable[[Exchange], None]:
    """Insert one of these lines before all other header fields."""

    def inserted(answer: Response, random: Random) -> bytes:
        start, _, rest = answer.packed().partition(b"\r\n")
        return start + b"\r\n" + random.choice(lines) + b"\r\n" + rest

    return ending(inserted)


def _with_length(*texts: str) -> Callable[[Exchange], None]:
    return ending(lambda answer, random: answer.with_field("Content-Length", random.choice(texts)).packed())


def _other_time(answer: Response, random: Random) -> Response:
    moment = datetime.now(UTC) + timedelta(minutes=random.choice(_MINUTES))
    return answer.with_field("Date", format_datetime(moment, usegmt=True))


def _no_time(answer: Response, random: Random) -> Response:
    text = random.choice((None, "", "soon", "Sun, 31 Feb 2026 25:61:61 GMT", "0", "9" * 40))
    return answer.with_field("Date", text)


def _no_wait(exchange: Exchange) -> None:
    exchange.read()
    texts = ("", "soon", "-5", "nan", "inf", "1e999", "9" * 400, "0.0", "Ⅳ".encode().hex())
    text = exchange.random.choice(texts)
    exchange.give(response(503, b"", "").with_field("Retry-After", text))


def _redirected(exchange: Exchange) -> None:
    exchange.read()
    status = exchange.random.choice((301, 302, 307, 308))
    exchange.give(response(status, b"", "").with_field("Location", ELSEWHERE))


def _see_other(exchange: Exchange) -> None:
    exchange.passed_on()
    exchange.give(response(303, b"", "").with_field("Location", ELSEWHERE))


def _interim(*statuses: int) -> Callable[[Exchange], None]:
    """Send an interim response and, after a pause during which the client may process it, the response."""

    def act(exchange: Exchange) -> None:
        answer = exchange.passed_on()
        status = exchange.random.choice(statuses)
        exchange.send(f"HTTP/1.1 {status} Interim\r\nLink: </x>; rel=preload\r\n\r\n".encode())
        exchange.wait(_PAUSE)
        exchange.give(answer)

    return act


def _no_body(exchange: Exchange) -> None:
    """Send a status that must not have a body, with a body."""
    exchange.read()
    exchange.give(response(304, b"<html>not modified</html>" * 100, "text/html"))


HEADS = (
    Fault("no status line", _instead(b"\x00\x00\r\n\r\n", _TLS_ALERT, b"\r\n\r\n", b"ICY 200 OK\r\n\r\n")),
    Fault(
        "a status of no number",
        _instead(b"HTTP/1.1 OK 200\r\n\r\n", b"HTTP/1.1 99999 x\r\n\r\n", b"HTTP/1.1\r\n\r\n"),
    ),
    Fault("a body without a head", ending(lambda answer, random: answer.body)),
    Fault(
        "a line that is no field",
        _with_line(b"no colon at all", b": no name", b" a blank first", b"\xff\xfe: \x00"),
    ),
    Fault("a field too long", _with_line(b"X-Long: " + b"x" * 70_000)),
    Fault("too many fields", _with_line(b"\r\n".join(b"X-%d: y" % number for number in range(150)))),
    Fault("a length that is no number", _with_length("abc", "-1", "1e3", "", "0x10", "9" * 30)),
)
TIMES = (
    Fault("a Date of another time", giving(_other_time)),
    Fault("a Date that is none", giving(_no_time)),
    Fault("a Retry-After that is none", _no_wait),
)
REDIRECTS = (
    Fault("a redirect before the service", _redirected),
    Fault("a redirect after the service", _see_other),
)
BODILESS = (Fault("a body with 304", _no_body),)
# http.client skips only 100. It takes the data after another interim status for the next response.
INTERIM = (Fault("an interim response before the response", _interim(102, 103, 199)),)
FAMILIES: Final[tuple[Family, ...]] = (HEADS, TIMES, REDIRECTS, BODILESS, INTERIM)
