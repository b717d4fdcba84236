"""Drift logs, summed up: which findings of which contract, how often, first and last seen."""

from __future__ import annotations

import gzip
import os
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from soapclient.drift.log import InvalidLine, Line, TruncatedLine, loads, moment

_LONGEST_LINE = 64 * 1024
_MOST_DETAILS = 50
_OTHERS = "…"
_GZIP = b"\x1f\x8b"

_Key = tuple[str, str, str, str, str, str]


class UnreadableLog(Exception):
    """A file that cannot be read, or that is not a drift log."""


@dataclass
class DriftFinding:
    """One finding, over all files. `first` and `last` are as in the log; `details` counts each detail."""

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
class SkippedLines:
    """Lines of a file that were skipped: `cut` are truncated, `other` are not lines of a drift log. `ends`:
    only the file's last line is truncated, as a killed process may leave it.
    """

    path: Path
    cut: int
    other: int
    ends: bool


@dataclass(frozen=True)
class Summary:
    """All findings in order, the files with skipped lines, and those that do not exist."""

    findings: tuple[DriftFinding, ...]
    skipped: tuple[SkippedLines, ...]
    missing: tuple[Path, ...] = ()

    @property
    def uncertain(self) -> bool:
        """Whether findings may have been lost in skipped lines, other than at a file's end."""
        return not all(each.ends for each in self.skipped)


def summed(paths: Iterable[Path], since: datetime | None = None) -> Summary:
    """Sum up drift logs, also rotated and gzipped ones; a file named twice counts once.

    Lines from before `since` are left out. Truncated lines, as a killed process may leave, and lines that are
    not of a drift log are skipped and counted. A log is created with its first line, so a missing file in an
    existing folder is an empty log. Raises UnreadableLog for a file that cannot be read, or that is not empty
    and has no line of a drift log.
    """
    found: dict[_Key, DriftFinding] = {}
    skipped: list[SkippedLines] = []
    missing: list[Path] = []
    for real, path in {os.path.realpath(each): each for each in paths}.items():
        if not os.path.lexists(path) and os.path.isdir(os.path.dirname(real)):
            missing.append(path)
            continue
        good = cut = other = 0
        at_the_end = False
        for text in _texts(path):
            try:
                line = loads(text)
            except InvalidLine as error:
                at_the_end, problem = isinstance(error, TruncatedLine), str(error)
                cut, other = cut + at_the_end, other + (not at_the_end)
                continue
            good, at_the_end = good + 1, False
            if since is None or moment(line.ts) >= since:
                _count(found, line)
        if cut + other and not good:
            raise UnreadableLog(
                f"{path} is not a drift log: its line {problem}. Name what the setting drift_log names"
            )
        if cut + other:
            skipped.append(SkippedLines(path, cut, other, ends=at_the_end and cut + other == 1))
    return Summary(tuple(found[key] for key in sorted(found)), tuple(skipped), tuple(missing))


def _count(found: dict[_Key, DriftFinding], line: Line) -> None:
    key = (line.contract, line.version, line.operation, line.kind, line.path, line.service)
    known = found.get(key)
    if known is None:
        known = found[key] = DriftFinding(
            line.contract, line.version, line.service, line.operation, line.kind, line.path, line.ts, line.ts
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
    except (OSError, EOFError, zlib.error) as error:  # gzip passes zlib.error on
        why = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise UnreadableLog(f"{path}: cannot be read ({why})") from error


def _lines(readline: Callable[[int], bytes]) -> Iterator[bytes]:
    """Lines that are not blank; one that is too long is split into pieces, which are not valid lines."""
    while text := readline(_LONGEST_LINE):
        if text.strip():
            yield text
