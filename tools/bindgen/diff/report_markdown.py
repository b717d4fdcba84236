"""A report for a pull request or an issue: tables, with the contract's texts as plain text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from bindgen.diff import words
from bindgen.diff.findings import Report, Verdict

# What could begin markup, a link, a mention or a column; all of it ASCII punctuation, which may be escaped.
_ACTIVE = re.compile(r"([\\`*_{}\[\]()<>#+!|~&@$^=:.-])")


def render(reports: Sequence[Report], verdict: Verdict) -> str:
    """All reports, each a heading and a table."""
    del verdict  # each report says its own
    return "\n".join(line for report in reports for line in (*_report(report), ""))


def _report(report: Report) -> Iterator[str]:
    yield f"## {_plain(report.name or 'Contract')}: {_plain(words.verdict(report))}"
    yield ""
    yield f"{_plain(report.old)} → {_plain(report.new)}"
    if report.error:
        yield ""
        yield from (f"> {_plain(line)}" for line in report.error.splitlines())
    if report.findings:
        yield ""
        yield "| Level | Where | What | Met by | To do | Rule |"
        yield "|---|---|---|---|---|---|"
    for each in report.findings:
        met = words.operations(each)
        where = f"{_plain(each.path)}<br>{_plain(words.place(each.old))} → {_plain(words.place(each.new))}"
        cells = (
            each.level,
            where,
            _plain(each.said),
            f"{words.direction(each)}{f': {_plain(met)}' if met else ''}",
            _plain(each.remedy),
            f"`{each.rule}`",
        )
        yield f"| {' | '.join(cells)} |"
    if report.ignored:
        yield ""
        yield f"Accepted by the ignore file: {len(report.ignored)}"
    for line in report.unused:
        yield ""
        yield f"Warning: {_plain(line)}"


def _plain(text: str) -> str:
    return _ACTIVE.sub(r"\\\1", words.clean(text))
