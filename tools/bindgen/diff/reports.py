"""Reports as text, JSON, Markdown and HTML. Texts from the contract are escaped.

Findings with the same cause are shown as one entry, with the number of findings. The JSON format has both
findings and causes.

`SCHEMA` is the version of the JSON format. It is increased if a key is removed or changes its meaning, but
not if a key is added.
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
# Characters that can begin markup, a link, a mention or a column. All are ASCII punctuation, which Markdown
# can escape.
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
_MAX_NAMES = 4


def render(reports: Sequence[Report], form: str, fail_on: Level = "breaking") -> str:
    """Return the reports in one of `FORMATS`. Changes of the level `fail_on` or worse count as breaking."""
    return _RENDER[form](reports, worst(reports, fail_on))


def verdict_of(report: Report) -> str:
    """Return the verdict in words, with the number of causes of each level.

    If a level has more findings than causes, the text also has the number of findings.
    """
    merged = causes(report.findings)
    counts = []
    for level in reversed(LEVELS):
        number, findings = sum(cause.first.level == level for cause in merged), report.number_of(level)
        if number:
            counts.append(f"{number} {level}{f' (in {findings} places)' if findings > number else ''}")
    return ": ".join([_VERDICTS[report.verdict], *([", ".join(counts)] if counts else [])])


def affected_by(cause: Cause) -> str:
    """Describe what a cause affects: requests, responses or code, and the names of the operations."""
    operations = _few(cause.operations)
    return f"{_DIRECTIONS[cause.first.direction]}{f': {operations}' if operations else ''}"


def title(cause: Cause) -> str:
    """Return the title of a cause.

    If it has one finding, this is the finding's path. Otherwise it is the number of findings and some paths.
    """
    paths = [finding.path for finding in cause.findings]
    return clean(paths[0]) if len(paths) == 1 else f"{len(paths)} places: {_few(paths)}"


def places(cause: Cause) -> str:
    """Return the old and the new place of the cause's first finding that has a place in a document.

    The text also has the number of further findings that have a place.
    """
    located = [finding for finding in cause.findings if finding.old or finding.new]
    if not located:
        return ""
    more = f" and {len(located) - 1} more" if len(located) > 1 else ""
    return f"{place(located[0].old)} → {place(located[0].new)}{more}"


def _few(names: Sequence[str]) -> str:
    """Join names with commas. A long list is shortened: "A, B, C and 5 more"."""
    more = len(names) - _MAX_NAMES
    if more <= 1:
        return clean(", ".join(names))
    return clean(f"{', '.join(names[:_MAX_NAMES])} and {more} more")


def place(location: Place | None) -> str:
    """Return `file:line`; a dash if `location` is None, because the item does not exist in this contract."""
    return "-" if location is None else clean(f"{location.file}:{location.line}")


def _text(reports: Sequence[Report], verdict: Verdict) -> str:
    """Render reports as text."""
    del verdict  # each report shows its own
    return "\n".join(line for report in reports for line in (*_text_report(report), ""))


def _text_report(report: Report) -> Iterator[str]:
    """Yield the lines of a report as text."""
    yield clean(f"{report.name}: {report.old} → {report.new}".removeprefix(": "))
    yield verdict_of(report)
    if report.error:
        yield ""
        yield from (f"  {clean(line)}" if line.strip() else "" for line in report.error.splitlines())
    for cause in causes(report.findings):
        yield ""
        yield f"{cause.first.level:<9} {title(cause)}  [{cause.first.rule}]"
        yield f"  {clean(cause.message)}"
        yield f"  Met by {affected_by(cause)}"
        if located := places(cause):
            yield f"  {located}"
        yield f"  To do: {cause.first.remedy}"
    if report.ignored:
        yield ""
        yield f"accepted by the ignore file: {len(report.ignored)}"
    yield from (f"warning   {clean(line)}" for line in report.unused)


def _json(reports: Sequence[Report], verdict: Verdict) -> str:
    """Render reports as JSON."""
    document = {"schema": SCHEMA, "verdict": verdict, "reports": [_json_report(report) for report in reports]}
    return json.dumps(document, indent=2, ensure_ascii=True) + "\n"


def _json_report(report: Report) -> dict[str, object]:
    """Return a report as a JSON object."""
    return {
        "contract": report.name,
        "old": report.old,
        "new": report.new,
        "verdict": report.verdict,
        "counts": {level: report.number_of(level) for level in LEVELS},
        "findings": [_finding(item) for item in report.findings],
        "causes": [_cause(item) for item in causes(report.findings)],
        "ignored": [_finding(item) for item in report.ignored],
        "unused_ignores": list(report.unused),
        "error": report.error or None,
    }


def _cause(cause: Cause) -> dict[str, object]:
    """Return a cause as a JSON object."""
    return {
        "rule": cause.first.rule,
        "level": cause.first.level,
        "direction": cause.first.direction,
        "count": len(cause.findings),
        "paths": [finding.path for finding in cause.findings],
        "operations": cause.operations,
        "message": cause.message,
        "remedy": cause.first.remedy,
    }


def _finding(finding: Finding) -> dict[str, object]:
    """Return a finding as a JSON object."""
    values = dataclasses.asdict(finding)
    places = {
        side: None if place is None else {"file": place.file, "line": place.line}
        for side, place in (("old", finding.old), ("new", finding.new))
    }
    return values | places


# ---- Markdown: tables, in which texts of the contract are plain text


def _markdown(reports: Sequence[Report], verdict: Verdict) -> str:
    """Render reports as Markdown."""
    del verdict  # each report shows its own
    return "\n".join(line for report in reports for line in (*_markdown_report(report), ""))


def _markdown_report(report: Report) -> Iterator[str]:
    """Yield the lines of a report as Markdown."""
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
    for cause in causes(report.findings):
        place_ = f"{_escaped(title(cause))}<br>{_escaped(places(cause))}"
        cells = (place_, _escaped(cause.message), _escaped(affected_by(cause)), _escaped(cause.first.remedy))
        yield f"| {cause.first.level} | {' | '.join(cells)} | `{cause.first.rule}` |"
    if report.ignored:
        yield ""
        yield f"Accepted by the ignore file: {len(report.ignored)}"
    for line in report.unused:
        yield ""
        yield f"Warning: {_escaped(line)}"


def _escaped(text: str) -> str:
    """Escape a text for Markdown."""
    return _ACTIVE.sub(r"\\\1", clean(text))


def _html(reports: Sequence[Report], verdict: Verdict) -> str:
    """Render reports as an HTML page."""
    import jinja2  # imported here because only HTML reports need it

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("bindgen.diff"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    words = {"clean": clean, "verdict_of": verdict_of, "causes": causes, "title": title}
    words |= {"met_by": affected_by, "places": places, "place": place}
    return environment.get_template("report.html").render(reports=reports, verdict=verdict, **words)


_RENDER: dict[str, Callable[[Sequence[Report], Verdict], str]] = {
    "text": _text,
    "json": _json,
    "markdown": _markdown,
    "html": _html,
}
FORMATS = tuple(_RENDER)
