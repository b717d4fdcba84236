"""Bodies with unreliable framing: truncated, with two lengths, with damaged chunks, or valid but unusual."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from ..proxy import Exchange
from ..wire import Response
from .kinds import Family, Fault


def _cut(exchange: Exchange, body: bytes) -> bytes:
    return body[: exchange.random.randrange(len(body) or 1)]


def _truncated(exchange: Exchange) -> None:
    answer = exchange.passed_on()
    exchange.send(answer.head.packed() + _cut(exchange, answer.body))
    exchange.close()


def _truncated_without_length(exchange: Exchange) -> None:
    answer = exchange.passed_on().with_field("Content-Length", None).with_field("Connection", "close")
    exchange.send(answer.head.packed() + _cut(exchange, answer.body))
    exchange.close()


def _truncated_head(exchange: Exchange) -> None:
    head = exchange.passed_on().head.packed()
    exchange.send(head[: exchange.random.randrange(1, len(head) - 2)])
    exchange.close()


def _two_lengths(first: int, second: int) -> Callable[[Exchange], None]:
    """Send Content-Length twice, each off by a number of bytes."""

    def act(exchange: Exchange) -> None:
        answer = exchange.passed_on().with_field("Content-Length", None)
        lengths = (max(0, len(answer.body) + off) for off in (first, second))
        fields = (*answer.head.fields, *(("Content-Length", str(length)) for length in lengths))
        exchange.send(replace(answer.head, fields=fields).packed() + answer.body)
        exchange.close()

    return act


def _chunks(body: bytes, count: int = 3) -> list[bytes]:
    step = len(body) // count + 1
    return [body[begin : begin + step] for begin in range(0, len(body), step)]


def _chunked(answer: Response) -> Response:
    return answer.with_field("Content-Length", None).with_field("Transfer-Encoding", "chunked")


def _framed(piece: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(piece), piece)


def _damaged_size(exchange: Exchange) -> None:
    answer = exchange.passed_on()
    first, *rest = _chunks(answer.body) or [b""]
    bad = exchange.random.choice((b"zz", b"-5", b"", b"ffffffffffffffffff", b"0x10"))
    exchange.send(_chunked(answer).head.packed() + _framed(first) + bad + b"\r\n" + b"".join(rest) + b"\r\n")
    exchange.close()


def _wrong_size(exchange: Exchange) -> None:
    answer = exchange.passed_on()
    first, *rest = _chunks(answer.body) or [b""]
    short = b"%x\r\n%s\r\n" % (max(1, len(first) // 2), first)
    exchange.send(_chunked(answer).head.packed() + short + b"".join(map(_framed, rest)) + b"0\r\n\r\n")
    exchange.close()


def _cut_chunks(exchange: Exchange) -> None:
    answer = exchange.passed_on()
    whole = b"".join(map(_framed, _chunks(answer.body)))
    exchange.send(_chunked(answer).head.packed() + _cut(exchange, whole))
    exchange.close()


def _without_last_chunk(exchange: Exchange) -> None:
    answer = exchange.passed_on()
    exchange.send(_chunked(answer).head.packed() + b"".join(map(_framed, _chunks(answer.body))))
    exchange.close()


def _whole_chunks(exchange: Exchange) -> None:
    answer = exchange.passed_on()
    body = b"".join(map(_framed, _chunks(answer.body))) + b"0\r\n\r\n"
    exchange.send(_chunked(answer).head.packed() + body)


def _without_length(exchange: Exchange) -> None:
    answer = exchange.passed_on().with_field("Content-Length", None).with_field("Connection", "close")
    exchange.give(answer)
    exchange.close()


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
    Fault("body cut", _truncated),
    Fault("body cut, without a length", _truncated_without_length),
    Fault("head cut", _truncated_head),
)
LENGTHS = (
    Fault("two lengths, the first is right", _two_lengths(0, -10)),
    Fault("two lengths, the second is right", _two_lengths(-10, 0)),
    Fault("two lengths, none is right", _two_lengths(-10, 10)),
)
CHUNKS = (
    Fault("chunk with a damaged size", _damaged_size),
    Fault("chunk with a wrong size", _wrong_size),
    Fault("chunks cut", _cut_chunks),
    Fault("chunks without the last", _without_last_chunk),
)
UNUSUAL = (
    Fault("chunks, all right", _whole_chunks),
    Fault("no length, all right", _without_length),
    Fault("100 before the response", _continued),
)
SURPLUS = (Fault("the response twice", _surplus),)
LATE = (Fault("the response again, 1 to 100 ms later", _late_duplicate),)
FAMILIES: Final[tuple[Family, ...]] = (TRUNCATIONS, LENGTHS, CHUNKS, UNUSUAL, SURPLUS, LATE)
