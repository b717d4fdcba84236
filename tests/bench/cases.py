"""Benchmark cases and their ways.

A case is a piece of work. A way does this work with one library, such as soapclient or zeep.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

OURS: Final = "soapclient"
ROOT: Final = Path(__file__).parents[2]


@dataclass(frozen=True)
class Prepared:
    """A way that is ready to run: imports and everything that a program does only once are done.

    `values` converts the result of `run` to plain values. They must be equal to the expected values of the
    case before anything is measured. `command` is the command that `run` starts, if it starts a process.
    """

    run: Callable[[], object]
    values: Callable[[object], object]
    command: Sequence[str] = ()


@dataclass(frozen=True)
class Opened:
    """The input of a case of one size: the expected values, and a function for each way that prepares it."""

    expected: object
    prepare: Mapping[str, Callable[[], Prepared]]


@dataclass(frozen=True)
class Way:
    """A way of doing the work of a case.

    `needs` are modules that must be installed. A `heavy` way is so slow that its instructions are counted in
    fewer rounds.
    """

    name: str
    needs: tuple[str, ...] = ()
    heavy: bool = False

    @property
    def missing(self) -> str | None:
        """The first module of `needs` that is not installed."""
        return next((name for name in self.needs if importlib.util.find_spec(name) is None), None)


@dataclass(frozen=True)
class Case:
    """A piece of work and the ways of doing it.

    - `base_is`: what the base is, the way to which all others are compared. A floor does only a part of the
      work that no way can avoid, a peer does all of it.
    - `unit`: the thing of which `size` gives the number. `few` is the size for counting instructions.
    - `ways`: the first one is the base, or the second one after the idle way.
    - `idle`: a way whose costs are subtracted from the costs of the others, such as an empty program. Then
      each run is a process, and its CPU time counts.
    - `memory`: the peak memory of each way is measured, too. `reads`: the compiled reader matters.
    - `counted` is False if instructions are not counted. `repeat`: runs per round, if a run is short.
    """

    name: str
    title: str
    base_is: Literal["floor", "peer"]
    unit: str
    size: int
    few: int
    ways: tuple[Way, ...]
    open: Callable[[int], AbstractContextManager[Opened]]
    idle: str = ""
    memory: bool = False
    reads: bool = False
    counted: bool = True
    repeat: int = 1

    @property
    def base(self) -> str:
        """The name of the way to which all others are compared."""
        return next(way.name for way in self.ways if way.name != self.idle)

    @property
    def processes(self) -> bool:
        """True if each run is a process."""
        return bool(self.idle)

    def selected(self, names: Sequence[str] = ()) -> tuple[Way, ...]:
        """Return the ways that can run here. If there are `names`, only these ways and the base."""
        wanted = {*names, self.base, self.idle}
        return tuple(way for way in self.ways if way.missing is None and (not names or way.name in wanted))


def all_cases() -> dict[str, Case]:
    """Return all cases by name, in the order of the tables."""
    from tests.bench import (
        call_cases,
        contract_cases,
        export_cases,
        reading_cases,
        security_cases,
        start_cases,
        table_cases,
    )

    modules = (
        reading_cases, call_cases, security_cases, table_cases, export_cases, contract_cases, start_cases,
    )  # fmt: skip
    return {case.name: case for module in modules for case in module.CASES}


def child_environment(environment: Mapping[str, str], speedups: str | None = None) -> dict[str, str]:
    """Return the environment for a process that is measured.

    The hashes of texts are the same in each run. `speedups` is the value of SOAPCLIENT_SPEEDUPS.
    """
    fixed = {"PYTHONHASHSEED": "0"} | ({} if speedups is None else {"SOAPCLIENT_SPEEDUPS": speedups})
    return {name: value for name, value in environment.items() if name != "PYTHONDONTWRITEBYTECODE"} | fixed


def python(code: str) -> list[str]:
    """Return the command that runs Python code."""
    return [sys.executable, "-c", code]
