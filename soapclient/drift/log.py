"""The drift log: drift findings as JSON lines, in a file that several processes may share.

A finding is written when it occurs for the first time. It is written again when its count reaches the next
power of ten. `flush` writes it again if it has occurred since its last line. Thus a finding that occurs a
million times takes about seven lines. If a process is killed, counts may be lost, but findings are not.

If the log cannot be written, one warning is logged and calls continue. The counts are kept, and written with
the finding's next line.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Mapping
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

_MAX_TEXT = 500  # maximum number of characters of a text in a line


class ContractName(msgspec.Struct, frozen=True):
    """The name, version and hash of the contract in which a finding occurred.

    `service` is the name of the contract's service, or the contract's name if the service has no name.
    """

    contract: str
    version: str
    sha256: str
    service: str

    @classmethod
    def of(cls, known: Settings, port: PortRow | None = None) -> ContractName:
        """Return the name, version and hash of a generated package's contract. `known` is `Package.settings`.

        The result also has the name of the service: the service of `port` or, if `port` is None, the service
        in the settings.
        """
        service = known.service if port is None else port.service
        return cls(known.name, known.version, known.sha256, service or known.name)


NAMELESS = ContractName("", "", "", "")
_Key = tuple[ContractName, str, Finding]


class Line(msgspec.Struct, frozen=True):
    """A line of the drift log.

    `times` is the number of occurrences since the previous line of the same finding, so the sum over all
    lines is the total. `ts` is the time in UTC in RFC 3339 format, to the second.
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
    """Raised if a text is not a line of a drift log."""


class TruncatedLine(InvalidLine):
    """Raised if a line is truncated, for example because a process was killed or the disk was full."""


def line_of(name: ContractName, operation: str, finding: Finding, times: int, now: datetime) -> Line:
    """Return the line for a finding.

    Its texts come from the service, so secrets are removed and control characters are replaced by spaces.
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
    """Return a line as JSON text, which ends with a line break."""
    return json.dumps(msgspec.structs.asdict(line), separators=(",", ":")) + "\n"


def loads(text: str | bytes) -> Line:
    """Parse the JSON text of a line. Unknown keys are ignored. Raises InvalidLine or TruncatedLine."""
    try:
        line = msgspec.json.decode(text, type=Line)
    except msgspec.ValidationError as error:
        raise InvalidLine(f"a line does not have the expected keys and types ({error})") from None
    except (ValueError, RecursionError):
        begun = text[:1] in ("{", b"{")
        raise (TruncatedLine if begun else InvalidLine)("a line is not JSON") from None
    values = msgspec.structs.asdict(line)
    texts = {key: clean(value, _MAX_TEXT) for key, value in values.items() if isinstance(value, str)}
    moment(texts["ts"])
    return msgspec.structs.replace(line, **texts)


def moment(ts: str) -> datetime:
    """Convert the time of a line (`Line.ts`) to a UTC date-time. Raises InvalidLine if it is not a time."""
    try:
        time = datetime.fromisoformat(ts)
        return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    except (ValueError, OverflowError):
        raise InvalidLine(f"a line must have a time in 'ts', got {ts!r}") from None


class DriftLog:
    """A drift log: the file at `path`, to which findings are appended.

    The file is opened for each write, so it may be rotated at any time.

    All lines of one response are appended in one write, so other processes cannot write between them.
    Thread-safe.
    """

    def __init__(self, path: str, clock: Clock) -> None:
        self.path = path
        self._clock = clock
        self._lock = Lock()
        self._counted: dict[_Key, int] = {}
        self._written: dict[_Key, int] = {}
        self._warned = False
        self._cut = False  # the last write was interrupted within a line
        renewed_in_children(self)

    def add(self, name: ContractName, operation: str, findings: Mapping[Finding, int]) -> None:
        """Count the findings of one response.

        Writes each finding that is new or whose count has reached the next power of ten.
        """
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
        """Write all counts that are not written yet."""
        with self._lock:
            self._write(
                [key for key, counted in self._counted.items() if counted > self._written.get(key, 0)]
            )

    def renew(self) -> None:
        """Treat all findings as written. Called in a forked child, because the parent process writes them."""
        self._written = dict(self._counted)

    def _write(self, due: list[_Key]) -> None:
        """Write a line for each finding in `due`. If this fails, log a warning and keep the counts."""
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
        """Log a warning that the log cannot be written. Only the first call logs a warning."""
        if not self._warned:
            self._warned = True
            log.warning("cannot write the drift log %s (%s); calls continue without it", self.path, reason)


def _append(path: str, data: bytes) -> int:
    """Append `data` to the file `path`. Return the number of bytes written.

    If the disk is full, only the first bytes of `data` may be written. Raises OSError if the file cannot be
    written at all.
    """
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o666)
    try:
        return os.write(descriptor, data)
    finally:
        os.close(descriptor)
