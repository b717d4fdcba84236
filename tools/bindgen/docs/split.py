"""The reference of a large contract: an overview, and a page for each operation, type and enumeration.

A contract is always rendered as one page first. If the page is large, each section becomes a separate page,
called a part. All ids stay the same. The overview has a table row for each section. The row links to the
part, and has the id of the section. If an address such as `NAME.html#op.Order.request.day` has an id inside a
section, the script of the overview redirects to the part with this id. The overview also contains the data
for the search, because a page that is opened from disk cannot load anything.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from lxml import html
from markupsafe import Markup

from bindgen import naming

LARGE: Final = 1_000_000  # bytes; larger pages are split
# Text is escaped on these pages, so only the markup of the templates matches.
_SECTION: Final = re.compile(
    r'<section id="([^"]+)" class="(?:operation|type)" data-k="(\w+)">\n.*?</section>', re.DOTALL
)
_NAME: Final = re.compile(r'<span class="n">(.*?)</span>')
_LINK: Final = re.compile(r'href="#([^"]+)"')
_ID: Final = re.compile(r' id="([^"]+)"')


@dataclass(frozen=True, slots=True)
class Part:
    """A page that was split off: its file, its title, and its section."""

    file: str
    title: Markup
    section: Markup


def split(page: str, folder: str, overview: str) -> tuple[str, list[Part]]:
    """Return the overview of a page, and the parts that were split off.

    `folder` is the relative path from the overview to the parts, `overview` the path from a part to the
    overview.
    """
    files: dict[str, str] = {}  # id of a section → its file
    owners: dict[str, str] = {}  # id of anything in a section → the section's id
    used: set[str] = set()
    for match in _SECTION.finditer(page):
        anchor = match[1]
        # Lower case, because some file systems ignore the case of names.
        name = naming.unused(anchor.lower(), used)
        used.add(name)
        files[anchor] = f"{name}.html"
        owners |= dict.fromkeys(_ID.findall(match[0]), anchor)

    def linked(text: str, own: str, place: Callable[[str], str]) -> str:
        """Return `text`, with the path of the page added to each link to an id on another page.

        `own` is the id of the section that contains `text` ("" for the overview). `place` maps the id of a
        section to the relative path of its page.
        """

        def link(match: re.Match[str]) -> str:
            owner = owners.get(match[1], "")
            return match[0] if owner == own else f'href="{place(owner)}#{match[1]}"'

        return _LINK.sub(link, text)

    parts: list[Part] = []
    entries: list[tuple[str, str, list[tuple[str, str, str]]]] = []

    def cut(match: re.Match[str]) -> str:
        anchor, kind = match[1], match[2]
        title_match = _NAME.search(match[0])
        title = Markup(title_match[1] if title_match else anchor)
        section = linked(match[0], anchor, lambda owner: files[owner] if owner else overview)
        parts.append(Part(files[anchor], title, Markup(section)))
        href = f"{folder}/{files[anchor]}"
        entries.append((href, title.unescape(), _searched(match[0])))
        return Markup(
            '<p id="{}" class="row" data-k="{}" data-at="{}"><a href="{}"><code class="n">{}</code></a></p>'
        ).format(anchor, kind, href, href, title)

    text = linked(_SECTION.sub(cut, page), "", lambda owner: f"{folder}/{files[owner]}")
    index = json.dumps(entries, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    data = f'<script type="application/json" id="index">{index}</script>\n'
    return text.replace("<script>", f"{data}<script>", 1), parts


def _searched(section: str) -> list[tuple[str, str, str]]:
    """Return the id, kind and name of each item in a section that the search of the page can find."""
    root = html.fragment_fromstring(section)
    return [
        (str(node.get("id")), str(node.get("data-k")), "".join(name.text_content() for name in names[:1]))
        for node in root.iterdescendants()
        if node.get("data-k") and node.get("id") and (names := node.find_class("n"))
    ]
