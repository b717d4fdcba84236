"""The drift log: drift findings as JSON lines, in a file that several processes may share.

A finding is written when it occurs for the first time. It is written again when its count reaches the next
power of ten, and at `flush` if it has occurred since. So a finding in every response costs one line per digit
of its number, not one per response. A killed process loses numbers, but never a finding.

If the log cannot be written, one warning is logged and calls continue. The counts are kept, and written with
the finding's next line.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated

import msgspec

from soapclient._support.forks import Lock, renewed_in_children
from soapclient._support.redaction import clean, redact
from soapclient.clock import Clock
from soapclient.runtime import Finding
from soapclient.runtime.schema import PortRow
from soapclient.runtime.settings import Settings

log = logging.getLogger(__name__)

_MAX_TEXT = 500  # characters of a text in a line


@dataclass(frozen=True, slots=True)
class ContractName:
    """The contract that a line refers to.

    `service` is the name of the contract's service. If it has none, it is the contract's name.
    """

    contract: str
    version: str
    sha256: str
    service: str

    @classmethod
    def of(cls, known: Settings, port: PortRow | None = None) -> ContractName:
        """Return the contract of a generated package, from the package's settings."""
        service = known.service if port is None else port.service
        return cls(known.name, known.version, known.sha256, service or known.name)


NAMELESS = ContractName("", "", "", "")
_Key = tuple[ContractName, str, Finding]


class Line(msgspec.Struct, frozen=True):
    """A line of the drift log.

    `times` counts only since the previous line of the same finding, so that the lines add up to the total.
    `ts` is UTC in RFC 3339, to the second.
    """

    ts: str
    contract: str
    version: str
    sha256: str
    service: str
    operation: str
    kind: str
    path: str
    detail: str
    times: Annotated[int, msgspec.Meta(ge=1)]


class InvalidLine(ValueError):
    """A text that is not a line of a drift log."""


class TruncatedLine(InvalidLine):
    """A truncated line, as a killed process or a full disk may leave it."""


def line_of(name: ContractName, operation: str, finding: Finding, times: int, now: datetime) -> Line:
    """Return the line of a finding.

    Its texts come from the service, so they are redacted and made printable.
    """
    return Line(
        now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        name.contract,
        name.version,
        name.sha256,
        name.service,
        operation,
        finding.kind,
        clean(redact(finding.path), _MAX_TEXT),
        clean(redact(finding.detail), _MAX_TEXT),
        times,
    )


def dumps(line: Line) -> str:
    """Return a line of JSON, with its line break."""
    return json.dumps(msgspec.structs.asdict(line), separators=(",", ":")) + "\n"


def loads(text: str | bytes) -> Line:
    """Parse a line; unknown keys are skipped. Raises InvalidLine, or its subclass TruncatedLine."""
    try:
        line = msgspec.json.decode(text, type=Line)
    except msgspec.ValidationError as error:
        raise InvalidLine(f"does not have the expected keys and types ({error})") from None
    except (ValueError, RecursionError):
        begun = text[:1] in ("{", b"{")
        raise (TruncatedLine if begun else InvalidLine)("is not JSON") from None
    values = msgspec.structs.asdict(line)
    texts = {key: clean(value, _MAX_TEXT) for key, value in values.items() if isinstance(value, str)}
    moment(texts["ts"])
    return msgspec.structs.replace(line, **texts)


def moment(ts: str) -> datetime:
    """Parse the time of a line. Raises InvalidLine."""
    try:
        time = datetime.fromisoformat(ts)
        return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    except (ValueError, OverflowError):
        raise InvalidLine(f"must have a time in 'ts', got {ts!r}") from None


class DriftLog:
    """Appends to the file at `path`. The file is opened for each write, so it may be rotated at any time.

    All lines of one response are written at once in append mode, so lines of other processes are never
    between them. Thread-safe.
    """

    def __init__(self, path: str, clock: Clock) -> None:
        self.path = path
        self._clock = clock
        self._lock = Lock()
        self._counted: dict[_Key, int] = {}
        self._written: dict[_Key, int] = {}
        self._warned = False
        self._cut = False  # the last write ended within a line
        renewed_in_children(self)

    def add(self, name: ContractName, operation: str, findings: Mapping[Finding, int]) -> None:
        """Count the findings of one response, and write those that are due."""
        with self._lock:
            due = []
            for finding, times in findings.items():
                key = (name, operation, finding)
                self._counted[key] = self._counted.get(key, 0) + times
                written = self._written.get(key)
                if written is None or len(str(self._counted[key])) > len(str(written)):
                    due.append(key)
            self._write(due)

    def flush(self) -> None:
        """Write everything that is counted, but not yet written."""
        with self._lock:
            self._write(
                [key for key, counted in self._counted.items() if counted > self._written.get(key, 0)]
            )

    def renew(self) -> None:
        """In a forked child, leave unwritten findings to the parent."""
        self._written = dict(self._counted)

    def _write(self, due: list[_Key]) -> None:
        """Write lines. Logs a warning if that fails."""
        if not due:
            return
        now = self._clock.now()
        lines = {
            key: dumps(line_of(*key, self._counted[key] - self._written.get(key, 0), now)).encode("ascii")
            for key in due
        }
        data = b"\n" * self._cut + b"".join(lines.values())
        try:
            written = _append(self.path, data)
        except OSError as error:
            self._warn(error.strerror or type(error).__name__)
            return
        end = int(self._cut)
        for key, line in lines.items():
            end += len(line)
            if end <= written:
                self._written[key] = self._counted[key]
        if written < len(data):
            self._cut = not data[:written].endswith(b"\n")
            self._warn("the disk is full")
        else:
            self._cut = False

    def _warn(self, reason: str) -> None:
        """Log a warning, once."""
        if not self._warned:
            self._warned = True
            log.warning("cannot write the drift log %s (%s); calls continue without it", self.path, reason)


def _append(path: str, data: bytes) -> int:
    """Append bytes and return the number of bytes written. Raises OSError."""
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o666)
    try:
        return os.write(descriptor, data)
    finally:
        os.close(descriptor)
