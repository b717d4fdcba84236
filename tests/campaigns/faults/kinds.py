"""The definition of a fault, and what several faults do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from ..proxy import Exchange


@dataclass(frozen=True)
class Fault:
    """A fault of one request. `act` performs it."""

    name: str
    act: Callable[[Exchange], None]


Family = Sequence[Fault]
"""Faults of one kind, of which one is drawn."""

ELSEWHERE: Final = "http://127.0.0.1:9/elsewhere"


def take(exchange: Exchange, *, happens: bool) -> None:
    """Let the service process a request if it `happens`, and only read it otherwise."""
    if happens:
        exchange.passed_on()
    else:
        exchange.read()
