"""Connections that end, stall or crawl: before, during and after request and response."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ..proxy import Exchange
from .framing import truncated, truncated_head
from .kinds import Family, Fault, ending

_CRAWL = 0.05  # seconds between two bytes of a response that exceeds its time limit
_PIECES = 20  # number of pieces of a slow response


def _steps(*names: str) -> Callable[[Exchange], None]:
    """Call methods of an exchange one after the other. The last one ends the connection."""

    def act(exchange: Exchange) -> None:
        for name in names:
            getattr(exchange, name)()

    return act


def _idle_close(exchange: Exchange) -> None:
    exchange.give(exchange.passed_on())
    exchange.last = True  # without announcing it in the response


def _stalled_in_body(exchange: Exchange) -> None:
    answer = exchange.passed_on()
    exchange.send(answer.head.packed() + answer.body[: len(answer.body) // 2])
    exchange.hold()


def _slow(exchange: Exchange) -> None:
    whole = exchange.passed_on().packed()
    step = max(1, len(whole) // _PIECES)
    for begin in range(0, len(whole), step):
        exchange.send(whole[begin : begin + step])
        if not exchange.wait(0.01):
            exchange.close()


def _crawling(exchange: Exchange) -> None:
    whole = exchange.passed_on().packed()
    for place in range(len(whole) - 1):
        exchange.send(whole[place : place + 1])
        if not exchange.wait(_CRAWL):
            break
    exchange.close()


RESETS = (
    Fault("reset in the request", _steps("reset")),
    Fault("reset after the request", _steps("read", "reset")),
    Fault("reset before the response", _steps("passed_on", "reset")),
    Fault("reset in the response's head", ending(truncated_head, reset=True)),
    Fault("reset in the response's body", ending(truncated, reset=True)),
    Fault("reset after the response", ending(lambda answer, random: answer.packed(), reset=True)),
)
ENDS = (
    Fault("end in the request", _steps("close")),
    Fault("end after the request", _steps("read", "close")),
    Fault("end before the response", _steps("passed_on", "close")),
    Fault("end of an idle connection", _idle_close),
)
STALLS = (
    Fault("stall before the service", _steps("read", "hold")),
    # a kept connection that the other side has forgotten: data sent over it is lost
    Fault("connection dropped silently", _steps("hold")),
    Fault("stall after the service", _steps("passed_on", "hold")),
    Fault("stall in the body", _stalled_in_body),
)
DRIPS = (Fault("slow response", _slow), Fault("crawling response", _crawling))
FAMILIES: Final[tuple[Family, ...]] = (RESETS, ENDS, STALLS, DRIPS)
