"""The ignore file: changes that somebody has looked at and accepts, each with the reason.

A line is `rule path # reason`. The path goes up to the first ` # ` and may have `*` and `?`, for any
signs and for one; all else stands for itself, spaces, too. Empty lines and lines that begin with # are free.
A line that nothing needs is reported: it would hide the next change of that kind unseen.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bindgen.diff.findings import Finding, clean
from bindgen.diff.rules import RULES


class IgnoreError(Exception):
    """An ignore file that cannot be read or says something nobody knows; the message has file and line."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One accepted change."""

    rule: str
    path: str
    reason: str
    where: str

    def accepts(self, finding: Finding) -> bool:
        """Whether it is about this finding."""
        return finding.rule == self.rule and any(
            _pattern(self.path).fullmatch(path) for path in (finding.path, clean(finding.path))
        )


def read(file: Path) -> list[Entry]:
    """The entries of a file. Raises IgnoreError."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        said = error.strerror if isinstance(error, OSError) else "no UTF-8"
        raise IgnoreError(f"{file}: cannot be read ({said})") from error
    return [
        _entry(f"{file}:{number}", line)
        for number, line in enumerate(lines, 1)
        if line.strip() and not line.lstrip().startswith("#")
    ]


def apply(
    entries: Sequence[Entry], findings: Sequence[Finding]
) -> tuple[list[Finding], list[Finding], list[str]]:
    """The findings that stay, those accepted, and a word about each entry that accepts none."""
    accepted = {id(each): [entry for entry in entries if entry.accepts(each)] for each in findings}
    used = {id(entry) for found in accepted.values() for entry in found}
    unused = [
        f"{entry.where}: nothing needs `{entry.rule} {entry.path}`: take the line out"
        for entry in entries
        if id(entry) not in used
    ]
    stay = [each for each in findings if not accepted[id(each)]]
    return stay, [each for each in findings if accepted[id(each)]], unused


def _entry(where: str, line: str) -> Entry:
    said, mark, reason = f"{line} ".partition(" # ")
    rule, _, path = said.strip().partition(" ")
    if not (mark and path.strip() and reason.strip()):
        raise IgnoreError(f"{where}: a line is `rule path # reason`, and the reason is not optional")
    if rule not in RULES:
        raise IgnoreError(f"{where}: there is no rule {rule!r}; `bindgen diff --rules` lists them all")
    return Entry(rule, path.strip(), reason.strip(), where)


def _pattern(path: str) -> re.Pattern[str]:
    signs = {"*": ".*", "?": "."}
    return re.compile("".join(signs.get(sign) or re.escape(sign) for sign in path), re.DOTALL)
