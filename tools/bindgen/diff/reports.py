"""The forms that a report comes in: text, JSON, Markdown, HTML.

Of JSON `SCHEMA` is raised when a key changes its meaning or goes; new keys may come.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable, Iterator, Sequence

from bindgen.diff import words
from bindgen.diff.findings import Finding, Report, Verdict, worst
from bindgen.diff.rules import LEVELS, Level

SCHEMA = 1
# What could begin markup, a link, a mention or a column; all of it ASCII punctuation, which may be escaped.
_ACTIVE = re.compile(r"([\\`*_{}\[\]()<>#+!|~&@$^=:.-])")


def render(reports: Sequence[Report], form: str, fail_on: Level = "breaking") -> str:
    """The reports in one of `FORMATS`; `fail_on` is the level from which a change counts as breaking."""
    return _RENDER[form](reports, worst(reports, fail_on))


# ---- text


def _text(reports: Sequence[Report], verdict: Verdict) -> str:
    del verdict  # each report says its own
    return "\n".join(line for report in reports for line in (*_text_report(report), ""))


def _text_report(report: Report) -> Iterator[str]:
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


# ---- JSON


def _json(reports: Sequence[Report], verdict: Verdict) -> str:
    whole = {"schema": SCHEMA, "verdict": verdict, "reports": [_json_report(report) for report in reports]}
    return json.dumps(whole, indent=2, ensure_ascii=True) + "\n"


def _json_report(report: Report) -> dict[str, object]:
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
    found = {key.replace("said", "message"): value for key, value in dataclasses.asdict(each).items()}
    places = {
        side: None if place is None else {"file": place.file, "line": place.line}
        for side, place in (("old", each.old), ("new", each.new))
    }
    return found | places


# ---- Markdown: tables, with the contract's texts as plain text


def _markdown(reports: Sequence[Report], verdict: Verdict) -> str:
    del verdict  # each report says its own
    return "\n".join(line for report in reports for line in (*_markdown_report(report), ""))


def _markdown_report(report: Report) -> Iterator[str]:
    yield f"## {_escaped(report.name or 'Contract')}: {_escaped(words.verdict(report))}"
    yield ""
    yield f"{_escaped(report.old)} → {_escaped(report.new)}"
    if report.error:
        yield ""
        yield from (f"> {_escaped(line)}" for line in report.error.splitlines())
    if report.findings:
        yield ""
        yield "| Level | Where | What | Met by | To do | Rule |"
        yield "|---|---|---|---|---|---|"
    for each in report.findings:
        met = words.operations(each)
        where = (
            f"{_escaped(each.path)}<br>{_escaped(words.place(each.old))} → {_escaped(words.place(each.new))}"
        )
        cells = (
            each.level,
            where,
            _escaped(each.said),
            f"{words.direction(each)}{f': {_escaped(met)}' if met else ''}",
            _escaped(each.remedy),
            f"`{each.rule}`",
        )
        yield f"| {' | '.join(cells)} |"
    if report.ignored:
        yield ""
        yield f"Accepted by the ignore file: {len(report.ignored)}"
    for line in report.unused:
        yield ""
        yield f"Warning: {_escaped(line)}"


def _escaped(text: str) -> str:
    return _ACTIVE.sub(r"\\\1", words.clean(text))


# ---- HTML


def _html(reports: Sequence[Report], verdict: Verdict) -> str:
    import jinja2  # here, since most commands of bindgen make no pages

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("bindgen.diff"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    template = environment.get_template("report.html")
    return template.render(reports=reports, verdict=verdict, words=words)


_RENDER: dict[str, Callable[[Sequence[Report], Verdict], str]] = {
    "text": _text,
    "json": _json,
    "markdown": _markdown,
    "html": _html,
}
FORMATS = tuple(_RENDER)
