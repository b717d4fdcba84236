"""Charts of results as SVG. One file is for light and dark pages: its style follows the reader's setting."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final
from xml.sax.saxutils import escape

_WIDTH: Final = 720
_LABELS: Final = 250  # width of the column of labels
_BAR, _GAP = 18, 8
_TOP: Final = 46
_NUMBERS: Final = 80  # width of the column of numbers
_STYLE: Final = """<style>
text { font: 13px system-ui, sans-serif; fill: #1f2328; }
.title { font-size: 15px; font-weight: 600; }
.small { font-size: 12px; fill: #59636e; }
.ours { fill: #0969da; stroke: #0969da; }
.other { fill: #afb8c1; stroke: #8c959f; }
.axis { stroke: #d1d9e0; }
polyline { fill: none; stroke-width: 2; }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3; }
.small { fill: #9198a1; }
.ours { fill: #58a6ff; stroke: #58a6ff; }
.other { fill: #4d5560; stroke: #7d8590; }
.axis { stroke: #3d444d; }
}
polyline.ours, polyline.other { fill: none; }
</style>
"""


def bars(title: str, note: str, values: Mapping[str, float], ours: Sequence[str]) -> str:
    """Return a chart with a bar for each value, from zero. The bars named in `ours` are highlighted."""
    widest = _WIDTH - _LABELS - _NUMBERS
    most = max(values.values())
    parts = [_text(0, 18, title, "title"), _text(0, 36, note, "small")]
    for at, (label, value) in enumerate(values.items()):
        top = _TOP + at * (_BAR + _GAP)
        width = value / most * widest
        kind = "ours" if label in ours else "other"
        parts.append(_text(_LABELS - 8, top + 14, label, end=True))
        parts.append(f'<rect class="{kind}" x="{_LABELS}" y="{top}" width="{width:.1f}" height="{_BAR}"/>')
        parts.append(_text(_LABELS + width + 6, top + 14, f"{value:.{1 if value < 100 else 0}f}"))
    return _svg(title, _TOP + len(values) * (_BAR + _GAP), parts)


def lines(title: str, note: str, series: Mapping[str, Sequence[tuple[float, float]]], ours: str) -> str:
    """Return a chart with a line for each series of points, both axes logarithmic.

    Series whose names begin with `ours` are highlighted.
    """
    height, left, right = 260, 60, _WIDTH - 190
    points = [point for values in series.values() for point in values]
    exes = _decades([x for x, _ in points])
    whys = _decades([y for _, y in points])
    parts = [_text(0, 18, title, "title"), _text(0, 36, note, "small")]

    def place(x: float, y: float) -> tuple[float, float]:
        across = (math.log10(x) - exes[0]) / (exes[1] - exes[0])
        up = (math.log10(y) - whys[0]) / (whys[1] - whys[0])
        return left + across * (right - left), _TOP + 10 + (1 - up) * (height - 50)

    for power in range(whys[0], whys[1] + 1):
        y = place(10.0 ** exes[0], 10.0**power)[1]
        parts.append(f'<line class="axis" x1="{left}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}"/>')
        parts.append(_text(left - 6, y + 4, _power(power), "small", end=True))
    for power in range(exes[0], exes[1] + 1):
        x, y = place(10.0**power, 10.0 ** whys[0])
        parts.append(_text(x - 10, y + 18, _power(power), "small"))
    ends = []
    for name, values in series.items():
        where = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(*point) for point in values))
        parts.append(f'<polyline class="{"ours" if name.startswith(ours) else "other"}" points="{where}"/>')
        ends.append((place(*values[-1]), name))
    below = 0.0
    for (x, y), name in sorted(ends, key=lambda end: end[0][1]):
        below = max(y + 4, below + 15)  # labels do not overlap
        parts.append(_text(x + 8, below, name))
    return _svg(title, height + _TOP - 20, parts)


def _decades(values: Sequence[float]) -> tuple[int, int]:
    """Return the powers of ten between which the values are."""
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)


def _power(power: int) -> str:
    return f"{10**power:,}" if power >= 0 else f"{10.0**power:g}"


def _text(x: float, y: float, text: str, kind: str = "", *, end: bool = False) -> str:
    anchor = ' text-anchor="end"' if end else ""
    named = f' class="{kind}"' if kind else ""
    return f'<text{named} x="{x:.1f}" y="{y:.1f}"{anchor}>{escape(text)}</text>'


def _svg(title: str, height: float, parts: Sequence[str]) -> str:
    lines_ = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height:.0f}" role="img">\n'
        f"<title>{escape(title)}</title>\n{_STYLE}{lines_}\n</svg>\n"
    )
