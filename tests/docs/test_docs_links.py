"""Links have targets, ids are unique, and pages load nothing from elsewhere."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest
from lxml import html

FILES = ("index.html", "publisher.html", "data.html", "advertiser.html")
VOID = {"meta", "input", "br"}


class Strict(HTMLParser):
    """Collects ids, links, and tags that are not closed or not opened."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.attributes: set[tuple[str, str]] = set()
        self.events: list[tuple[str, ...]] = []  # tags and the text between them, in order

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.events.append(("start", tag, *(f"{name}={value or ''}" for name, value in attrs)))
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attrs:
            self.attributes.add((tag, name))
            if name == "id":
                self.ids.append(value or "")
            elif name == "href":
                self.links.append(value or "")

    def handle_data(self, data: str) -> None:
        if self.events and len(self.events[-1]) == 1:
            data = self.events.pop()[0] + data
        self.events.append((data,))

    def handle_endtag(self, tag: str) -> None:
        self.events.append(("end", tag))
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)


@pytest.fixture(params=FILES)
def written(request: pytest.FixtureRequest, reference: Path) -> str:
    name: str = request.param
    return (reference / name).read_text(encoding="utf-8")


@pytest.mark.sampled(2)
def test_elements_are_closed_and_ids_unique(written: str) -> None:
    parser = Strict()
    parser.feed(written)
    parser.close()
    assert (parser.wrong, parser.open) == ([], [])
    assert len(parser.ids) == len(set(parser.ids))
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+", each) for each in parser.ids)


@pytest.mark.sampled(3)
def test_links_have_targets(written: str, reference: Path) -> None:
    parser = Strict()
    parser.feed(written)
    assert parser.links
    for link in parser.links:
        file, mark, anchor = link.partition("#")
        assert not file or (reference / file).is_file(), link
        assert not mark or anchor in parser.ids, link


@pytest.mark.sampled(2)
def test_nothing_is_loaded_and_no_attribute_has_a_script(written: str) -> None:
    parser = Strict()
    parser.feed(written)
    names = {name for _, name in parser.attributes}
    assert not names & {"src", "srcset", "style", "action", "ping", "background", "poster", "data"}
    assert not [name for name in names if name.startswith("on")]
    assert not re.search(r"<(link|iframe|object|embed|img|base|form)\b", written)
    assert not re.search(r"@import|url\(", written[written.index("<style>") : written.index("</style>")])


def test_csp_allows_only_the_page_style_and_script(written: str) -> None:
    root = html.document_fromstring(written)
    (policy,) = root.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    allowed = dict(part.strip().split(" ", 1) for part in str(policy).split(";"))
    assert allowed["default-src"] == "'none'"
    for tag in ("style", "script"):
        (inner,) = re.findall(rf"<{tag}>(.*?)</{tag}>", written, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inner.encode()).digest()).decode()
        assert allowed[f"{tag}-src"] == f"'sha256-{digest}'"


@pytest.mark.sampled(3)
def test_page_survives_parsing_and_serialisation(written: str) -> None:
    root = html.document_fromstring(written)
    again = html.tostring(root, doctype="<!DOCTYPE html>", encoding="unicode")
    assert html.document_fromstring(again).text_content() == root.text_content()
    # The tokenizer and the tree agree: the parser did not move, close or add an element.
    before, after = Strict(), Strict()
    before.feed(written.rstrip())
    after.feed(again.rstrip())
    assert after.events == before.events


def test_headings_go_down_one_step_at_a_time(written: str) -> None:
    main = written[written.index("<main") :]
    levels = [int(level) for level in re.findall(r"<h([1-6])\b", main)]
    assert levels[0] == 1
    assert all(later <= earlier + 1 for earlier, later in pairwise(levels))
