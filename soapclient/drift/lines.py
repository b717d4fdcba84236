"""One line of a drift log: what departed from which contract, when, and how often."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime

from soapclient.redaction import clean, redact
from soapclient.runtime import Finding, Settings
from soapclient.runtime.schema import PortRow
from soapclient.runtime.settings import Settings

_LONGEST = 500  # signs of a text in a line, whatever wrote it


@dataclass(frozen=True, slots=True)
class ContractName:
    """A contract as a line names it: its name, version and hash, and its service (or the name again)."""

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
    """`times` is how often since the line before for the same: all lines add up to how often altogether.

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


class NoLine(ValueError):
    """A text that is no line of a drift log."""


class CutOff(NoLine):
    """The beginning of one, as a process that is killed or a full disk may leave it."""


def line_of(name: ContractName, operation: str, finding: Finding, times: int, now: datetime) -> Line:
    """What is written of a finding. Texts are the service's, so they are made printable, and redacted."""
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
    """A line of JSON, with its end."""
    return json.dumps(asdict(line), separators=(",", ":")) + "\n"


def loads(text: str | bytes) -> Line:
    """The line that a text is; keys that are not known are passed over. Raises NoLine, of which CutOff."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        begun = text[:1] in ("{", b"{")
        raise (CutOff if begun else NoLine)("is not JSON") from None
    if not isinstance(found, dict):
        raise NoLine("is no JSON object")
    texts = {}
    for key in ("ts", "contract", "version", "sha256", "service", "operation", "kind", "path", "detail"):
        value = found.get(key)
        if not isinstance(value, str):
            raise NoLine(f"has no text {key!r}")
        texts[key] = clean(value, _LONGEST)
    times = found.get("times")
    if not isinstance(times, int) or isinstance(times, bool) or times < 1:
        raise NoLine("has no number 'times' from 1 on")
    moment(texts["ts"])
    return Line(**texts, times=times)


def moment(ts: str) -> datetime:
    """The moment that a line names. Raises NoLine."""
    try:
        found = datetime.fromisoformat(ts)
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        raise NoLine(f"has no time in 'ts', but {ts!r}") from None
