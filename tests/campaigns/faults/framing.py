"""Bodies with unreliable framing: truncated, with two lengths, with damaged chunks, or valid but unusual."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Final

from ..proxy import Exchange
from ..wire import Response
from .kinds import Family, Fault, ending, giving


def truncated(answer: Response, random: Random) -> bytes:
    """Return the response's head and a part of its body."""
    return answer.head.packed() + answer.body[: random.randrange(len(answer.body) or 1)]


def truncated_head(answer: Response, random: Random) -> bytes:
    """Return a part of the response's head."""
    head = answer.head.packed()
    return head[: random.randrange(1, len(head) - 2)]


def _without_length(answer: Response) -> Response:
    return answer.with_field("Content-Length", None).with_field("Connection", "close")


def _two_lengths(first: int, second: int) -> Callable[[Response, Random], bytes]:
    """Send Content-Length twice, each off by a number of bytes."""

    def twice(answer: Response, random: Random) -> bytes:
        head = answer.head.with_field("Content-Length", None)
        lengths = (max(0, len(answer.body) + off) for off in (first, second))
        fields = (*head.fields, *(("Content-Length", str(length)) for length in lengths))
        return replace(head, fields=fields).packed() + answer.body

    return twice


def _chunks(body: bytes, count: int = 3) -> list[bytes]:
    step = len(body) // count + 1
    return [body[begin : begin + step] for begin in range(0, len(body), step)]


def _chunked(answer: Response) -> Response:
    """Return the response in chunks, without the last one."""
    head = answer.head.with_field("Content-Length", None).with_field("Transfer-Encoding", "chunked")
    return Response(head, b"".join(map(_framed, _chunks(answer.body))))


def _framed(piece: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(piece), piece)


def _damaged_size(answer: Response, random: Random) -> bytes:
    first, *rest = _chunks(answer.body) or [b""]
    bad = random.choice((b"zz", b"-5", b"", b"ffffffffffffffffff", b"0x10"))
    return _chunked(answer).head.packed() + _framed(first) + bad + b"\r\n" + b"".join(rest) + b"\r\n"


def _wrong_size(answer: Response, random: Random) -> bytes:
    first, *rest = _chunks(answer.body) or [b""]
    short = b"%x\r\n%s\r\n" % (max(1, len(first) // 2), first)
    return _chunked(answer).head.packed() + short + b"".join(map(_framed, rest)) + b"0\r\n\r\n"


def _whole_chunks(answer: Response, random: Random) -> Response:
    chunked = _chunked(answer)
    return Response(chunked.head, chunked.body + b"0\r\n\r\n")


def _continued(exchange: Exchange) -> None:
    exchange.send(b"HTTP/1.1 100 Continue\r\n\r\n")
    exchange.give(exchange.passed_on())


def _surplus(exchange: Exchange) -> None:
    answer = exchange.passed_on()
    exchange.send(answer.packed() * 2)  # the second one has no request


def _late_duplicate(exchange: Exchange) -> None:
    answer = exchange.passed_on()
    exchange.give(answer)
    exchange.give_later(answer, exchange.random.uniform(0.001, 0.1))  # seconds


TRUNCATIONS = (
    Fault("body cut", ending(truncated)),
    Fault(
        "body cut, without a length",
        ending(lambda answer, random: truncated(_without_length(answer), random)),
    ),
    Fault("head cut", ending(truncated_head)),
)
LENGTHS = (
    Fault("two lengths, the first is right", ending(_two_lengths(0, -10))),
    Fault("two lengths, the second is right", ending(_two_lengths(-10, 0))),
    Fault("two lengths, none is right", ending(_two_lengths(-10, 10))),
)
CHUNKS = (
    Fault("chunk with a damaged size", ending(_damaged_size)),
    Fault("chunk with a wrong size", ending(_wrong_size)),
    Fault("chunks cut", ending(lambda answer, random: truncated(_chunked(answer), random))),
    Fault("chunks without the last", ending(lambda answer, random: _chunked(answer).packed())),
)
UNUSUAL = (
    Fault("chunks, all right", giving(_whole_chunks)),
    Fault("no length, all right", ending(lambda answer, random: _without_length(answer).packed())),
    Fault("100 before the response", _continued),
)
SURPLUS = (Fault("the response twice", _surplus),)
LATE = (Fault("the response again, 1 to 100 ms later", _late_duplicate),)
FAMILIES: Final[tuple[Family, ...]] = (TRUNCATIONS, LENGTHS, CHUNKS, UNUSUAL, SURPLUS, LATE)
