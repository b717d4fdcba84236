"""A report for machines. `schema` is raised when a key changes its meaning or goes; new keys may come."""

from __future__ import annotations

import json
from collections.abc import Sequence

from bindgen.diff.findings import Finding, Report, Verdict
from bindgen.diff.rules import LEVELS
from bindgen.problems import Place

SCHEMA = 1


def render(reports: Sequence[Report], verdict: Verdict) -> str:
    """One object: the verdict over all reports, and each report."""
    whole = {"schema": SCHEMA, "verdict": verdict, "reports": [_report(report) for report in reports]}
    return json.dumps(whole, indent=2, ensure_ascii=True) + "\n"


def _report(report: Report) -> dict[str, object]:
    return {
        "contract": report.name,
        "old": report.old,
        "new": report.new,
        "verdict": report.verdict,
        "counts": {level: report.number_of(level) for level in LEVELS},
        "findings": [_finding(each) for each in report.findings],
        "ignored": [_finding(each) for each in report.ignored],
        "unused_ignores": list(report.unused),
        "error": report.error or None,
    }


def _finding(each: Finding) -> dict[str, object]:
    return {
        "rule": each.rule,
        "level": each.level,
        "direction": each.direction,
        "path": each.path,
        "operations": list(each.operations),
        "old": _place(each.old),
        "new": _place(each.new),
        "message": each.said,
        "remedy": each.remedy,
    }


def _place(found: Place | None) -> dict[str, object] | None:
    return None if found is None else {"file": found.file, "line": found.line}
