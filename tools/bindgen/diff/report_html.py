"""A report as one page: it runs nothing, needs nothing from elsewhere, and fits a hand and the dark."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from bindgen.diff import words
from bindgen.diff.findings import Finding, Report, Verdict

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE = """
:root { color-scheme: light dark; --line: #ccc; --soft: #666; --breaking: #b3261e; --warning: #8a5a00;
  --info: #1f5fa8; --unchecked: #7b2fa8; }
@media (prefers-color-scheme: dark) { :root { --line: #444; --soft: #aaa; --breaking: #ff8a80;
  --warning: #ffc266; --info: #8ab8ff; --unchecked: #d9a6ff; } }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; padding: 1rem; max-width: 60rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.2rem; margin-top: 2rem; }
h1, h2, h3, p, dd, code { overflow-wrap: anywhere; }
article { border: 1px solid var(--line); border-left: .4rem solid; border-radius: .4rem; margin: 1rem 0;
  padding: .5rem 1rem; }
h3 { font-size: 1rem; margin: .2rem 0; } p { margin: .4rem 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem .8rem; margin: .4rem 0; }
dt { color: var(--soft); } dd { margin: 0; }
@media (max-width: 30rem) { dl { grid-template-columns: 1fr; } dd { margin-bottom: .3rem; } }
.breaking { border-left-color: var(--breaking); } .warning { border-left-color: var(--warning); }
.info { border-left-color: var(--info); } .unchecked { border-left-color: var(--unchecked); }
.level { font-weight: bold; } .breaking .level { color: var(--breaking); }
.warning .level { color: var(--warning); } .info .level { color: var(--info); }
.unchecked .level { color: var(--unchecked); } pre { overflow-x: auto; white-space: pre-wrap; }
"""


def render(reports: Sequence[Report], verdict: Verdict) -> str:
    """The whole page."""
    title = escape(f"Contract drift: {verdict}")
    body = "\n".join(line for report in reports for line in _report(report))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
        f"{body}\n</body>\n</html>\n"
    )


def _report(report: Report) -> Iterator[str]:
    yield "<section>"
    yield f"<h2>{_text(report.name or 'Contract')}: {_text(words.verdict(report))}</h2>"
    yield f"<p><code>{_text(report.old)}</code> → <code>{_text(report.new)}</code></p>"
    if report.error:
        lines = "\n".join(_text(line) for line in report.error.splitlines())
        yield f'<article class="unchecked"><pre>{lines}</pre></article>'
    for each in report.findings:
        yield from _finding(each)
    if report.ignored:
        yield f"<p>Accepted by the ignore file: {len(report.ignored)}</p>"
    yield from (f"<p>Warning: {_text(line)}</p>" for line in report.unused)
    yield "</section>"


def _finding(each: Finding) -> Iterator[str]:
    yield f'<article class="{each.level}">'
    yield f'<h3><span class="level">{each.level}</span> <code>{_text(each.path)}</code></h3>'
    yield f"<p>{_text(each.said)}</p>"
    yield "<dl>"
    met = words.operations(each)
    pairs = (
        ("Met by", f"{words.direction(each)}{f': {met}' if met else ''}"),
        ("Places", f"{words.place(each.old)} → {words.place(each.new)}"),
        ("To do", each.remedy),
        ("Rule", each.rule),
    )
    yield from (f"<dt>{name}</dt><dd>{_text(text)}</dd>" for name, text in pairs)
    yield "</dl>"
    yield "</article>"


def _text(text: str) -> str:
    return escape(words.clean(text))
