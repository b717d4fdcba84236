"""Summaries of drift logs: the findings of each contract with their counts and their first and last times."""

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

_MAX_LINE = 64 * 1024
_MAX_DETAILS = 50
_OTHERS = "…"
_GZIP = b"\x1f\x8b"

_Key = tuple[str, str, str, str, str, str]


class UnreadableLog(Exception):
    """Raised if a file cannot be read, or is not a drift log."""


@dataclass
class DriftFinding:
    """One drift finding, summed up over all log files.

    `first` and `last` are the earliest and the latest time of the finding's lines. `details` counts how often
    each detail occurred, such as an unknown value. `hashes` are the SHA-256 hashes of the contracts in which
    the finding occurred.
    """

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
    """The number of lines in a file that were skipped.

    `cut` is the number of truncated lines. `other` is the number of lines that are not lines of a drift log.
    `ends` is True if only the last line of the file was skipped, and this line is truncated. A process that
    was killed may leave such a line.
    """

    path: Path
    cut: int
    other: int
    ends: bool


@dataclass(frozen=True)
class Summary:
    """The result of `summed`: all findings, sorted; the files with skipped lines; and the missing files."""

    findings: tuple[DriftFinding, ...]
    skipped: tuple[SkippedLines, ...]
    missing: tuple[Path, ...] = ()

    @property
    def uncertain(self) -> bool:
        """True if findings may be lost, because lines other than the last line of a file were skipped."""
        return not all(file.ends for file in self.skipped)


def summed(paths: Iterable[Path], since: datetime | None = None) -> Summary:
    """Summarize drift logs, including rotated and gzipped ones. A file that is named twice counts once.

    Lines before `since` are left out. Truncated lines and lines of other formats are skipped and counted. A
    log is created with its first line, so a missing file in an existing folder counts as an empty log. Raises
    UnreadableLog if a file cannot be read, or if none of its lines is a line of a drift log.
    """
    findings: dict[_Key, DriftFinding] = {}
    skipped: list[SkippedLines] = []
    missing: list[Path] = []
    for real, path in {os.path.realpath(item): item for item in paths}.items():
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
                _count(findings, line)
        if cut + other and not good:
            raise UnreadableLog(
                f"{path} is not a drift log: {problem}. Give a file written with the setting drift_log"
            )
        if cut + other:
            skipped.append(SkippedLines(path, cut, other, ends=at_the_end and cut + other == 1))
    return Summary(tuple(findings[key] for key in sorted(findings)), tuple(skipped), tuple(missing))


def _count(findings: dict[_Key, DriftFinding], line: Line) -> None:
    """Add the occurrences in a line to the line's finding. Create the finding if it is new."""
    key = (line.contract, line.version, line.operation, line.kind, line.path, line.service)
    finding = findings.get(key)
    if finding is None:
        finding = findings[key] = DriftFinding(
            line.contract, line.version, line.service, line.operation, line.kind, line.path, line.ts, line.ts
        )
    finding.times += line.times
    finding.first = min(finding.first, line.ts, key=moment)
    finding.last = max(finding.last, line.ts, key=moment)
    if line.detail:
        bounded = line.detail in finding.details or len(finding.details) < _MAX_DETAILS
        finding.details[line.detail if bounded else _OTHERS] += line.times
    if line.sha256:
        finding.hashes.add(line.sha256)


def _texts(path: Path) -> Iterator[bytes]:
    """Yield the lines of a file. A gzipped file is unpacked.

    Raises UnreadableLog if the file cannot be read.
    """
    try:
        with path.open("rb") as file:
            packed = file.read(2) == _GZIP
        with gzip.open(path, "rb") if packed else path.open("rb") as stream:
            yield from _lines(stream.readline)
    except (OSError, EOFError, zlib.error) as error:  # gzip can raise zlib.error
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise UnreadableLog(f"{path}: cannot be read ({reason})") from error


def _lines(readline: Callable[[int], bytes]) -> Iterator[bytes]:
    """Yield the lines of a file that are not blank. `readline` is the file's method.

    A line longer than `_MAX_LINE` is yielded in pieces, which are not valid lines of a drift log.
    """
    while text := readline(_MAX_LINE):
        if text.strip():
            yield text
