"""A summary of drift logs as text, JSON or Markdown."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby

from soapclient.drift.summary import DriftFinding, SkippedLines, Summary

_MOST_VALUES = 8  # of each finding, in text and Markdown


def as_text(summary: Summary) -> str:
    """For people: by contract and operation."""
    if not summary.findings:
        return "nothing found"
    lines = []
    for (contract, version), of_contract in groupby(summary.findings, key=_contract):
        lines.append(f"{contract or 'no contract'} {version}".rstrip())
        for operation, findings in groupby(of_contract, key=lambda each: each.operation):
            lines.append(f"  {operation}")
            lines += [
                f"    {each.kind} {each.path}: {_often(each.times)}, {_when(each)}{_values(each)}"
                for each in findings
            ]
    return "\n".join(lines)


def as_json(summary: Summary) -> str:
    """For programs."""
    listed = [
        {
            "contract": each.contract,
            "version": each.version,
            "service": each.service,
            "operation": each.operation,
            "kind": each.kind,
            "path": each.path,
            "times": each.times,
            "first": each.first,
            "last": each.last,
            "details": dict(sorted(each.details.items())),
            "sha256": sorted(each.hashes),
        }
        for each in summary.findings
    ]
    unreadable = sum(each.cut + each.other for each in summary.skipped)
    return json.dumps({"findings": listed, "unreadable_lines": unreadable}, indent=2)


def as_markdown(summary: Summary) -> str:
    """For a ticket or a chat."""
    if not summary.findings:
        return "Nothing found."
    return "\n".join(_table(summary))


def skipped_text(skipped: SkippedLines) -> str:
    """Describe the skipped lines of a file."""
    parts = [
        f"{_lines(number)} {what}"
        for number, what in ((skipped.cut, "truncated"), (skipped.other, "not of a drift log"))
        if number
    ]
    return f"{' and '.join(parts)}, skipped"


def _lines(number: int) -> str:
    return "1 line" if number == 1 else f"{number} lines"


def _table(summary: Summary) -> Iterator[str]:
    yield "| Contract | Operation | What | Where | Times | First | Last |"
    yield "|---|---|---|---|---:|---|---|"
    for each in summary.findings:
        cells = (
            f"{each.contract} {each.version}".strip(),
            each.operation,
            each.kind,
            each.path + _values(each),
            str(each.times),
            each.first,
            each.last,
        )
        yield "| " + " | ".join(map(_plain, cells)) + " |"


def _plain(text: str) -> str:
    """Text that Markdown shows as it is: a service's names must not become links or markup."""
    return "".join(f"\\{sign}" if sign in r"\`*_{}[]()#+!|<>~&" else sign for sign in text)


def _contract(each: DriftFinding) -> tuple[str, str]:
    return each.contract, each.version


def _often(times: int) -> str:
    return "once" if times == 1 else f"{times} times"


def _when(each: DriftFinding) -> str:
    return each.first if each.first == each.last else f"{each.first} to {each.last}"


def _values(each: DriftFinding) -> str:
    if not each.details:
        return ""
    most = each.details.most_common(_MOST_VALUES)
    shown = [f"{detail!r} {_often(times)}" for detail, times in sorted(most)]
    if len(each.details) > len(most):
        shown.append(f"{len(each.details) - len(most)} more")
    return f" ({', '.join(shown)})"
