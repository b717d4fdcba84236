"""A report for a terminal or a log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bindgen.diff import words
from bindgen.diff.findings import Report, Verdict


def render(reports: Sequence[Report], verdict: Verdict) -> str:
    """All reports, each with its findings, the worst first."""
    del verdict  # each report says its own
    return "\n".join(line for report in reports for line in (*_report(report), ""))


def _report(report: Report) -> Iterator[str]:
    yield words.clean(f"{report.name}: {report.old} → {report.new}".removeprefix(": "))
    yield words.verdict(report)
    if report.error:
        yield ""
        yield from (f"  {words.clean(line)}" if line.strip() else "" for line in report.error.splitlines())
    for each in report.findings:
        yield ""
        yield f"{each.level:<9} {words.clean(each.path)}  [{each.rule}]"
        yield f"  {words.clean(each.said)}"
        met = words.operations(each)
        yield f"  Met by {words.direction(each)}{f': {met}' if met else ''}"
        if each.old or each.new:
            yield f"  {words.place(each.old)} → {words.place(each.new)}"
        yield f"  To do: {each.remedy}"
    if report.ignored:
        yield ""
        yield f"accepted by the ignore file: {len(report.ignored)}"
    yield from (f"warning   {words.clean(line)}" for line in report.unused)
