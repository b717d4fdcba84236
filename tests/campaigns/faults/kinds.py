"""What a fault is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..proxy import Exchange


@dataclass(frozen=True)
class Fault:
    """One thing that goes wrong with one request. `act` does it."""

    name: str
    act: Callable[[Exchange], None]


Family = Sequence[Fault]
"""Faults of one kind, of which one is drawn."""
