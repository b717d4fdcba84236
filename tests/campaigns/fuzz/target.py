"""What is fuzzed: a target takes the bytes that it is given, or refuses them with an error of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Protocol

SHOWN = 300  # signs of an input


class Wrong(Exception):
    """A target took something and made something else of it than a second reader, or than it promises."""


def words_of(error: Exception) -> str:
    """What an error says. Raises Wrong for one that says nothing."""
    if not str(error).strip():
        raise Wrong(f"an error that says nothing: {type(error).__name__}")
    return str(error)


@dataclass(frozen=True)
class Seed:
    """What inputs are made of: something the target takes as it is. `name` says which."""

    name: str
    content: bytes


class Prepared(Protocol):
    """A target that is ready: everything that all inputs have in common is made."""

    @property
    def seeds(self) -> Sequence[Seed]:
        """In the same order each time."""

    def mutated(self, seed: Seed, random: Random) -> bytes:
        """An input made of a seed, by chance alone."""

    def run(self, seed: Seed, content: bytes) -> bool:
        """Take an input; give whether it was taken (True) or refused as it should be (False).

        Whatever this raises is a finding.
        """


@dataclass(frozen=True)
class Target:
    """One of the things that are fuzzed. `share` is how many of a million inputs it gets, `seconds` the CPU
    time that one input may take; `prepare` gets an empty folder of its own."""

    name: str
    share: int
    prepare: Callable[[Path], Prepared]
    seconds: float = 1.0


def drawn(prepared: Prepared, target: str, seed: int, index: int) -> tuple[Seed, bytes]:
    """The input of an index: the same whatever was run before."""
    random = Random(f"{seed}/{target}/{index}")
    seeds = prepared.seeds
    chosen = seeds[random.randrange(len(seeds))]
    return chosen, prepared.mutated(chosen, random)


def shown(content: bytes) -> str:
    """An input as a finding shows it: both ends of it."""
    text = repr(content)
    half = SHOWN // 2
    return text if len(text) <= SHOWN else f"{text[:half]} … {text[-half:]} ({len(content)} bytes)"
