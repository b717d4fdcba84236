"""The definition of a fault."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..proxy import Exchange


@dataclass(frozen=True)
class Fault:
    """A fault of one request. `act` performs it."""

    name: str
    act: Callable[[Exchange], None]


Family = Sequence[Fault]
"""Faults of one kind, of which one is drawn."""
