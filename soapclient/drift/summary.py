"""Drift logs, summed up: what departed from which contract, how often, first and last seen."""

from __future__ import annotations

import gzip
import os
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from soapclient.drift.lines import CutOff, Line, NoLine, loads, moment

_LONGEST_LINE = 64 * 1024
_MOST_DETAILS = 50
_OTHERS = "…"
_GZIP = b"\x1f\x8b"

_Key = tuple[str, str, str, str, str, str]


class Unreadable(Exception):
    """A file that cannot be read, or that is no drift log."""


@dataclass
class Departure:
    """One departure, over all files. `first` and `last` are as the log has them; `details` counts each."""

    contract: str
    version: str
    service: str
    operation: str
    kind: str
    path: str
    first: str
    last: str
    times: int = 0
    details: Counter[str] = field(default_factory=Counter)
    hashes: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class Broken:
    """What of a file could not be read: lines that were `cut` off, and `other` lines, which are of no drift
    log. `ends` says that it is no more than that the file ends within a line, as that of a process that is
    killed may.
    """

    path: Path
    cut: int
    other: int
    ends: bool


@dataclass(frozen=True)
class Summary:
    """All departures in order, the files of which lines could not be read, and those that nobody wrote."""

    departures: tuple[Departure, ...]
    broken: tuple[Broken, ...]
    unwritten: tuple[Path, ...] = ()

    @property
    def uncertain(self) -> bool:
        """Whether departures may have stood where nothing could be read, other than at a file's end."""
        return not all(each.ends for each in self.broken)


def summed(paths: Iterable[Path], since: datetime | None = None) -> Summary:
    """Sum up drift logs, also rotated and gzipped ones; a file named twice counts once.

    Lines from before `since` are left out. A line that was cut off, as a process that is killed may leave
    one, and one that is no line of a drift log are passed over and counted. A log is made with its first
    line, so one that is not there, in a folder that is, holds nothing. Raises Unreadable for a file that
    cannot be read, or in which there is something, and no line of a drift log.
    """
    found: dict[_Key, Departure] = {}
    broken: list[Broken] = []
    unwritten: list[Path] = []
    for real, path in {os.path.realpath(each): each for each in paths}.items():
        if not os.path.lexists(path) and os.path.isdir(os.path.dirname(real)):
            unwritten.append(path)
            continue
        good = cut = other = 0
        at_the_end = False
        for text in _texts(path):
            try:
                line = loads(text)
            except NoLine as error:
                at_the_end, said = isinstance(error, CutOff), str(error)
                cut, other = cut + at_the_end, other + (not at_the_end)
                continue
            good, at_the_end = good + 1, False
            if since is None or moment(line.ts) >= since:
                _count(found, line)
        if cut + other and not good:
            raise Unreadable(f"{path}: is no drift log: its line {said}")
        if cut + other:
            broken.append(Broken(path, cut, other, ends=at_the_end and cut + other == 1))
    return Summary(tuple(found[key] for key in sorted(found)), tuple(broken), tuple(unwritten))


def _count(found: dict[_Key, Departure], line: Line) -> None:
    key = (line.contract, line.version, line.operation, line.kind, line.path, line.service)
    known = found.get(key)
    if known is None:
        known = found[key] = Departure(
            line.contract,
            line.version,
            line.service,
            line.operation,
            line.kind,
            line.path,
            line.ts,
            line.ts,
        )
    known.times += line.times
    known.first = min(known.first, line.ts, key=moment)
    known.last = max(known.last, line.ts, key=moment)
    if line.detail:
        bounded = line.detail in known.details or len(known.details) < _MOST_DETAILS
        known.details[line.detail if bounded else _OTHERS] += line.times
    if line.sha256:
        known.hashes.add(line.sha256)


def _texts(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            packed = file.read(2) == _GZIP
        with gzip.open(path, "rb") if packed else path.open("rb") as stream:
            yield from _lines(stream.readline)
    except (OSError, EOFError, zlib.error) as error:  # gzip lets the last through as it is
        why = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise Unreadable(f"{path}: cannot be read ({why})") from error


def _lines(readline: Callable[[int], bytes]) -> Iterator[bytes]:
    """Lines that are not blank; of one that is too long to be ours, pieces that are no lines."""
    while text := readline(_LONGEST_LINE):
        if text.strip():
            yield text
