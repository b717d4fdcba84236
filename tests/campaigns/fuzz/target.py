"""Fuzzing targets: a target accepts its input or rejects it with one of its own errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Protocol

SHOWN = 300  # maximum characters of an input in a finding


class Wrong(Exception):
    """A target read something different from the second reader, or broke one of its promises."""


def words_of(error: Exception) -> str:
    """Return the message of an error. Raises Wrong if it is empty."""
    if not str(error).strip():
        raise Wrong(f"an error that says nothing: {type(error).__name__}")
    return str(error)


@dataclass(frozen=True)
class Seed:
    """A valid input from which other inputs are derived. `name` identifies it."""

    name: str
    content: bytes


class Prepared(Protocol):
    """A target that is ready to run: everything that its inputs share has been set up."""

    @property
    def seeds(self) -> Sequence[Seed]:
        """The seeds, always in the same order."""

    def mutated(self, seed: Seed, random: Random) -> bytes:
        """Return an input derived from a seed. Depends only on `random`."""

    def run(self, seed: Seed, content: bytes) -> bool:
        """Process an input. Return True if it was accepted, False if it was properly rejected.

        Every exception is a finding.
        """


@dataclass(frozen=True)
class Target:
    """A fuzzing target.

    `share` is its number of inputs per million, `seconds` the CPU time limit of one input. `prepare` gets an
    empty folder.
    """

    name: str
    share: int
    prepare: Callable[[Path], Prepared]
    seconds: float = 1.0


def drawn(prepared: Prepared, target: str, seed: int, index: int) -> tuple[Seed, bytes]:
    """Return the input with this index. It does not depend on earlier inputs."""
    random = Random(f"{seed}/{target}/{index}")
    seeds = prepared.seeds
    chosen = seeds[random.randrange(len(seeds))]
    return chosen, prepared.mutated(chosen, random)


def shown(content: bytes) -> str:
    """Format an input for a finding, shortened in the middle."""
    text = repr(content)
    half = SHOWN // 2
    return text if len(text) <= SHOWN else f"{text[:half]} … {text[-half:]} ({len(content)} bytes)"
