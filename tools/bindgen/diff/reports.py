"""The forms that a report comes in: text, JSON, Markdown, HTML. The contract's texts are made harmless here.

People get the findings of one cause as one entry with their number. JSON lists each finding, and the causes.

Of JSON `SCHEMA` is raised when a key changes its meaning or goes; new keys may come.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable, Iterator, Sequence

from bindgen.diff.findings import Cause, Finding, Report, Verdict, causes, clean, worst
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
    """The verdict with the number of causes per level, and of places if there are more of these."""
    merged = causes(report.findings)
    counts = []
    for level in reversed(LEVELS):
        number, findings = sum(each.first.level == level for each in merged), report.number_of(level)
        if number:
            counts.append(f"{number} {level}{f' (in {findings} places)' if findings > number else ''}")
    return ": ".join([_VERDICTS[report.verdict], *([", ".join(counts)] if counts else [])])


def met_by(cause: Cause) -> str:
    """Name the messages and operations that meet it."""
    named = _few(cause.operations)
    return f"{_DIRECTIONS[cause.first.direction]}{f': {named}' if named else ''}"


def title(cause: Cause) -> str:
    """The path of the finding; of several, their number and the first paths."""
    paths = [each.path for each in cause.findings]
    return clean(paths[0]) if len(paths) == 1 else f"{len(paths)} places: {_few(paths)}"


def places(cause: Cause) -> str:
    """The places of the first finding on both sides, and the number of the other findings with places."""
    located = [each for each in cause.findings if each.old or each.new]
    if not located:
        return ""
    more = f" and {len(located) - 1} more" if len(located) > 1 else ""
    return f"{place(located[0].old)} → {place(located[0].new)}{more}"


def _few(names: Sequence[str]) -> str:
    """Some of the names, and the number of the others."""
    more = len(names) - _MOST_NAMED
    if more <= 1:
        return clean(", ".join(names))
    return clean(f"{', '.join(names[:_MOST_NAMED])} and {more} more")


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
    for each in causes(report.findings):
        yield ""
        yield f"{each.first.level:<9} {title(each)}  [{each.first.rule}]"
        yield f"  {clean(each.said)}"
        yield f"  Met by {met_by(each)}"
        if located := places(each):
            yield f"  {located}"
        yield f"  To do: {each.first.remedy}"
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
        "causes": [_cause(each) for each in causes(report.findings)],
        "ignored": [_finding(each) for each in report.ignored],
        "unused_ignores": list(report.unused),
        "error": report.error or None,
    }


def _cause(each: Cause) -> dict[str, object]:
    return {
        "rule": each.first.rule,
        "level": each.first.level,
        "direction": each.first.direction,
        "count": len(each.findings),
        "paths": [finding.path for finding in each.findings],
        "operations": each.operations,
        "message": each.said,
        "remedy": each.first.remedy,
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
    for each in causes(report.findings):
        where = f"{_escaped(title(each))}<br>{_escaped(places(each))}"
        cells = (where, _escaped(each.said), _escaped(met_by(each)), _escaped(each.first.remedy))
        yield f"| {each.first.level} | {' | '.join(cells)} | `{each.first.rule}` |"
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
    words = {"clean": clean, "verdict_of": verdict_of, "causes": causes, "title": title}
    words |= {"met_by": met_by, "places": places, "place": place}
    return environment.get_template("report.html").render(reports=reports, verdict=verdict, **words)


_RENDER: dict[str, Callable[[Sequence[Report], Verdict], str]] = {
    "text": _text,
    "json": _json,
    "markdown": _markdown,
    "html": _html,
}
FORMATS = tuple(_RENDER)
