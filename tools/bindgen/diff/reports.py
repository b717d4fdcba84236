"""The forms a report comes in."""

from __future__ import annotations

from collections.abc import Sequence

from bindgen.diff import report_html, report_json, report_markdown, report_text
from bindgen.diff.findings import Report, worst
from bindgen.diff.rules import Level

FORMATS = ("text", "json", "markdown", "html")
_RENDER = {
    "text": report_text.render,
    "json": report_json.render,
    "markdown": report_markdown.render,
    "html": report_html.render,
}


def render(reports: Sequence[Report], form: str, fail_on: Level = "breaking") -> str:
    """The reports in one of `FORMATS`; `fail_on` is the level from which a change counts as breaking."""
    return _RENDER[form](reports, worst(reports, fail_on))
