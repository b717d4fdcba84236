"""One line of a drift log: which finding, of which contract, when, and how often."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime

from soapclient.redaction import clean, redact
from soapclient.runtime import Finding
from soapclient.runtime.schema import PortRow
from soapclient.runtime.settings import Settings

_LONGEST = 500  # characters of a text in a line


@dataclass(frozen=True, slots=True)
class ContractName:
    """The contract of a line: its name, version and hash, and its service (or the name again)."""

    contract: str
    version: str
    sha256: str
    service: str

    @classmethod
    def of(cls, tables: Settings) -> ContractName:
        """The contract of generated tables."""
        return cls(tables.name, tables.version, tables.sha256, tables.service or tables.name)

    @classmethod
    def of_port(cls, tables: Settings, port: PortRow) -> ContractName:
        """The contract of a package of any WSDL, which has no version, and the port's service."""
        return cls(tables.name, "", tables.sha256, port.service or tables.name)


NAMELESS = ContractName("", "", "", "")


@dataclass(frozen=True, slots=True)
class Line:
    """`times` is the number since the previous line of the same finding: the lines add up to the total.

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
    times: int


class InvalidLine(ValueError):
    """A text that is not a line of a drift log."""


class TruncatedLine(InvalidLine):
    """A truncated line, as a killed process or a full disk may leave it."""


def line_of(name: ContractName, operation: str, finding: Finding, times: int, now: datetime) -> Line:
    """Return the line of a finding. Its texts are the service's: they are made printable and redacted."""
    return Line(
        now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        name.contract,
        name.version,
        name.sha256,
        name.service,
        operation,
        finding.kind,
        clean(redact(finding.path), _LONGEST),
        clean(redact(finding.detail), _LONGEST),
        times,
    )


def dumps(line: Line) -> str:
    """Return a line of JSON, with its line break."""
    return json.dumps(asdict(line), separators=(",", ":")) + "\n"


def loads(text: str | bytes) -> Line:
    """Parse a line; unknown keys are skipped. Raises InvalidLine, or its subclass TruncatedLine."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        begun = text[:1] in ("{", b"{")
        raise (TruncatedLine if begun else InvalidLine)("is not JSON") from None
    if not isinstance(found, dict):
        raise InvalidLine("is not a JSON object")
    texts = {}
    for key in ("ts", "contract", "version", "sha256", "service", "operation", "kind", "path", "detail"):
        value = found.get(key)
        if not isinstance(value, str):
            raise InvalidLine(f"has no string {key!r}")
        texts[key] = clean(value, _LONGEST)
    times = found.get("times")
    if not isinstance(times, int) or isinstance(times, bool) or times < 1:
        raise InvalidLine("has no integer 'times' of 1 or more")
    moment(texts["ts"])
    return Line(**texts, times=times)


def moment(ts: str) -> datetime:
    """Parse the time of a line. Raises InvalidLine."""
    try:
        found = datetime.fromisoformat(ts)
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        raise InvalidLine(f"has no time in 'ts', but {ts!r}") from None
