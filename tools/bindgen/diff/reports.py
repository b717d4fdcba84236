"""The forms that a report comes in: text, JSON, Markdown, HTML. The contract's texts are made harmless here.

Of JSON `SCHEMA` is raised when a key changes its meaning or goes; new keys may come.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable, Iterator, Sequence

from bindgen.diff.findings import Finding, Report, Verdict, clean, worst
from bindgen.diff.rules import LEVELS, Level
from bindgen.problems import Place

SCHEMA = 1
# What could begin markup, a link, a mention or a column; all of it ASCII punctuation, which may be escaped.
_ACTIVE = re.compile(r"([\\`*_{}\[\]()<>#+!|~&@$^=:.-])")
_VERDICTS: dict[Verdict, str] = {
    "same": "no change",
    "compatible": "compatible changes",
    "breaking": "breaking changes",
    "unchecked": "could not be checked",
}
_DIRECTIONS = {
    "request": "requests",
    "response": "responses",
    "both": "requests and responses",
    "contract": "the contract",
    "code": "generated code",
}
_MOST_NAMED = 4


def render(reports: Sequence[Report], form: str, fail_on: Level = "breaking") -> str:
    """The reports in one of `FORMATS`; `fail_on` is the level from which a change counts as breaking."""
    return _RENDER[form](reports, worst(reports, fail_on))


def verdict_of(report: Report) -> str:
    """The verdict with the numbers of what was found."""
    counts = [f"{report.number_of(level)} {level}" for level in reversed(LEVELS) if report.number_of(level)]
    return ": ".join([_VERDICTS[report.verdict], *([", ".join(counts)] if counts else [])])


def met_by(finding: Finding) -> str:
    """Who meets it; of the operations a few by name, the others by number."""
    names = list(finding.operations)
    more = len(names) - _MOST_NAMED
    named = ", ".join(names) if more <= 1 else f"{', '.join(names[:_MOST_NAMED])} and {more} more"
    return f"{_DIRECTIONS[finding.direction]}{f': {clean(named)}' if named else ''}"


def place(found: Place | None) -> str:
    """`file:line`, or a dash where that side has nothing of the kind."""
    return "-" if found is None else clean(f"{found.file}:{found.line}")


def _text(reports: Sequence[Report], verdict: Verdict) -> str:
    del verdict  # each report says its own
    return "\n".join(line for report in reports for line in (*_text_report(report), ""))


def _text_report(report: Report) -> Iterator[str]:
    yield clean(f"{report.name}: {report.old} → {report.new}".removeprefix(": "))
    yield verdict_of(report)
    if report.error:
        yield ""
        yield from (f"  {clean(line)}" if line.strip() else "" for line in report.error.splitlines())
    for each in report.findings:
        yield ""
        yield f"{each.level:<9} {clean(each.path)}  [{each.rule}]"
        yield f"  {clean(each.said)}"
        yield f"  Met by {met_by(each)}"
        if each.old or each.new:
            yield f"  {place(each.old)} → {place(each.new)}"
        yield f"  To do: {each.remedy}"
    if report.ignored:
        yield ""
        yield f"accepted by the ignore file: {len(report.ignored)}"
    yield from (f"warning   {clean(line)}" for line in report.unused)


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
    yield f"## {_escaped(report.name or 'Contract')}: {_escaped(verdict_of(report))}"
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
        where = f"{_escaped(each.path)}<br>{_escaped(place(each.old))} → {_escaped(place(each.new))}"
        cells = (where, _escaped(each.said), _escaped(met_by(each)), _escaped(each.remedy))
        yield f"| {each.level} | {' | '.join(cells)} | `{each.rule}` |"
    if report.ignored:
        yield ""
        yield f"Accepted by the ignore file: {len(report.ignored)}"
    for line in report.unused:
        yield ""
        yield f"Warning: {_escaped(line)}"


def _escaped(text: str) -> str:
    return _ACTIVE.sub(r"\\\1", clean(text))


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
    words = {"clean": clean, "verdict_of": verdict_of, "met_by": met_by, "place": place}
    return environment.get_template("report.html").render(reports=reports, verdict=verdict, **words)


_RENDER: dict[str, Callable[[Sequence[Report], Verdict], str]] = {
    "text": _text,
    "json": _json,
    "markdown": _markdown,
    "html": _html,
}
FORMATS = tuple(_RENDER)
