"""The definition of a fault, and what several faults do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from ..proxy import Exchange
from ..wire import Response


@dataclass(frozen=True)
class Fault:
    """A fault of one request. `act` performs it."""

    name: str
    act: Callable[[Exchange], None]


Family = Sequence[Fault]
"""Faults of one kind, of which one is drawn."""

ELSEWHERE: Final = "http://127.0.0.1:9/elsewhere"


def giving(change: Callable[[Response, Random], Response]) -> Callable[[Exchange], None]:
    """Send the service's response, changed."""

    def act(exchange: Exchange) -> None:
        exchange.give(change(exchange.passed_on(), exchange.random))

    return act


def ending(make: Callable[[Response, Random], bytes], *, reset: bool = False) -> Callable[[Exchange], None]:
    """Send bytes made from the service's response, and close or reset the connection."""

    def act(exchange: Exchange) -> None:
        exchange.send(make(exchange.passed_on(), exchange.random))
        exchange.reset() if reset else exchange.close()

    return act


def take(exchange: Exchange, *, happens: bool) -> None:
    """Let the service process a request if it `happens`, and only read it otherwise."""
    if happens:
        exchange.passed_on()
    else:
        exchange.read()
