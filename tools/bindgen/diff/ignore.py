"""The ignore file: changes that a user has reviewed and accepted, each with the reason.

A line is `rule path # reason`. The path ends at the first ` # `. In the path, `*` matches any characters and
`?` matches one; all other characters, including spaces, match themselves. Empty lines and lines that begin
with # are ignored. A line that matches no finding is reported, because it could hide a later change.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bindgen.diff.findings import Finding, clean
from bindgen.diff.rules import RULES


class IgnoreError(Exception):
    """Raised if an ignore file cannot be read or has an invalid line.

    The message has the file and the line.
    """


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the ignore file, which accepts changes. `where` is the file and line number for messages."""

    rule: str
    path: str
    reason: str
    where: str

    def accepts(self, finding: Finding) -> bool:
        """Return True if this entry accepts a finding."""
        return finding.rule == self.rule and any(
            _pattern(self.path).fullmatch(path) for path in (finding.path, clean(finding.path))
        )


def read(file: Path) -> list[Entry]:
    """Read the entries of a file. Raises IgnoreError."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        message = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise IgnoreError(f"{file}: cannot be read ({message})") from error
    return [
        _entry(f"{file}:{number}", line)
        for number, line in enumerate(lines, 1)
        if line.strip() and not line.lstrip().startswith("#")
    ]


def apply(
    entries: Sequence[Entry], findings: Sequence[Finding]
) -> tuple[list[Finding], list[Finding], list[str]]:
    """Divide the findings into those that entries accept and all others.

    Returns the findings that no entry accepts, the accepted findings, and a warning for each entry that does
    not accept a finding.
    """
    accepted = {id(finding): [entry for entry in entries if entry.accepts(finding)] for finding in findings}
    used = {id(entry) for entries_ in accepted.values() for entry in entries_}
    unused = [
        f"{entry.where}: no change matches `{entry.rule} {entry.path}`: remove the line"
        for entry in entries
        if id(entry) not in used
    ]
    remaining = [finding for finding in findings if not accepted[id(finding)]]
    return remaining, [finding for finding in findings if accepted[id(finding)]], unused


def _entry(where: str, line: str) -> Entry:
    """Parse a line. `where` is its place for messages. Raises IgnoreError."""
    before, separator, reason = f"{line} ".partition(" # ")
    rule, _, path = before.strip().partition(" ")
    if not (separator and path.strip() and reason.strip()):
        raise IgnoreError(f"{where}: a line must be `rule path # reason`, including the reason")
    if rule not in RULES:
        raise IgnoreError(f"{where}: unknown rule {rule!r}; `bindgen diff --rules` lists all rules")
    return Entry(rule, path.strip(), reason.strip(), where)


def _pattern(path: str) -> re.Pattern[str]:
    """Convert the path of an entry to a regular expression."""
    wildcards = {"*": ".*", "?": "."}
    return re.compile("".join(wildcards.get(char) or re.escape(char) for char in path), re.DOTALL)
