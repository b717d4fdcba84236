"""Formats of a report: output for machines is stable, and text of a contract never becomes markup."""

from __future__ import annotations

import dataclasses
import json
import re
from html.parser import HTMLParser

import pytest

from bindgen.diff import reports
from bindgen.diff.findings import Finding, Report, causes
from bindgen.problems import Place
from tests.bindgen_diff.conftest import compare, wsdl
from tests.support.golden import Golden

EVIL = "<script>alert(1)</script>&\"'`|*[x](javascript:x)\x9b31m\u202e\n# head"
FINDING = Finding(
    "request-element-removed-optional",
    "breaking",
    "request",
    "T/a",
    ("One", "Two"),
    Place("old.wsdl", 3, ("<a/>",)),
    None,
    "`a` was removed.",
    "Take it out.",
)
REPORT = Report("shop", "old.wsdl", "new.wsdl", (FINDING,), (FINDING,), ("accepted:1: nothing needs it",))


def evil() -> Report:
    place = Place(EVIL, 1, (EVIL,))
    finding = Finding(FINDING.rule, "info", "both", EVIL, (EVIL,), place, place, EVIL, "Nothing.")
    return Report(EVIL, EVIL, EVIL, (finding,), (), (EVIL,))


def test_reports_equal_the_golden_files(golden: Golden) -> None:
    texts = {f"{form}.golden": reports.render([REPORT], form) for form in reports.FORMATS}
    golden.check_folder("report", texts)


def test_json_marks_an_unchecked_comparison() -> None:
    found = json.loads(reports.render([REPORT, Report("x", "a", "b", error="no such file")], "json"))
    assert found["verdict"] == "unchecked"
    assert [each["verdict"] for each in found["reports"]] == ["breaking", "unchecked"]
    assert found["reports"][1]["error"] == "no such file"
    assert json.loads(reports.render([], "json"))["verdict"] == "unchecked"


class Page(HTMLParser):
    """Collects the tags and the text of a page. Fails on tags that are not closed."""

    VOID = ("meta",)

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.said = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":
            self.said += data


@pytest.mark.parametrize("report", [REPORT, evil(), Report("x", "a", "b", error=EVIL)])
def test_html_page_is_self_contained_and_without_scripts(report: Report) -> None:
    text = reports.render([report], "html")
    page = Page(text)
    assert {"script", "link", "img", "iframe", "a", "form"} & set(page.tags) == set()
    attributes = {name for name, _ in page.attributes}
    assert not [name for name in attributes if name.startswith("on") or name in ("src", "href", "style")]
    assert "url(" not in text
    assert "@import" not in text
    assert "prefers-color-scheme: dark" in text
    assert 'name="viewport"' in text


def test_html_page_escapes_contract_text() -> None:
    page = Page(reports.render([evil()], "html"))
    assert page.said.count("<script>alert(1)</script>&\"'") >= 5


def test_markdown_escapes_contract_text_in_cells() -> None:
    lines = reports.render([evil()], "markdown").splitlines()
    (row,) = [line for line in lines if line.startswith("| info")]
    assert len(re.findall(r"(?<!\\)\|", row)) == 7
    assert re.search(r"(?<!\\)<(?!br>)", row) is None
    assert re.search(r"(?<!\\)\[", row) is None
    assert not [line for line in lines if line.startswith("# head")]


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_control_characters_of_a_contract_do_not_reach_the_terminal(form: str) -> None:
    text = reports.render([evil()], form)
    assert not [sign for sign in text if sign in "\x9b\u202e\x1b"]


@pytest.mark.parametrize("form", reports.FORMATS)
def test_every_format_has_the_same_findings(form: str) -> None:
    old = wsdl(request='<x:element name="one" type="x:string"/>')
    report = compare(old, old.replace("x:string", "x:int"))
    text = reports.render([report], form).replace("\\", "")
    for each in report.findings:
        assert each.rule in text
        assert each.path in text
        assert each.remedy in text
    assert "old.wsdl" in text
    assert "new.wsdl:8" in text or '"line": 8' in text


def test_long_lists_of_operations_are_cut_in_text_but_not_in_json() -> None:
    many = tuple(f"Op{number}" for number in range(30))
    finding = Finding("operation-removed", "breaking", "contract", "x", many, None, None, "S.", "R.")
    report = Report("n", "a", "b", (finding,))
    assert "Op3 and 26 more" in reports.render([report], "text")
    assert len(json.loads(reports.render([report], "json"))["reports"][0]["findings"][0]["operations"]) == 30


def of_one_cause(number: int) -> Report:
    """Return a report with findings in `number` types, all with one cause."""
    findings = tuple(
        dataclasses.replace(
            FINDING, path=f"T{at}/a", operations=(f"Op{at}",), old=Place("old.wsdl", at + 1, ("<a/>",))
        )
        for at in range(number)
    )
    return Report("n", "a", "b", (*findings, dataclasses.replace(FINDING, message="`b` was removed.")))


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_findings_of_one_cause_are_one_entry_with_a_count(form: str) -> None:
    text = reports.render([of_one_cause(30)], form).replace("\\", "")
    assert "breaking changes: 2 breaking (in 31 places)" in text
    assert "30 places: T0/a, T1/a, T2/a, T3/a and 26 more" in text
    assert "requests: Op0, Op1, Op2, Op3 and 26 more" in text
    assert "old.wsdl:1 → - and 29 more" in text
    if form == "html":  # all places, collapsed
        assert text.count("`a` was removed.") == 31
        assert "old.wsdl:30 → -" in text
    else:
        assert text.count("`a` was removed.") == 1
    assert text.count("`b` was removed.") == 1


def test_json_lists_each_place_of_a_cause() -> None:
    (report,) = json.loads(reports.render([of_one_cause(30)], "json"))["reports"]
    assert report["counts"]["breaking"] == 31
    assert [each["path"] for each in report["findings"][:30]] == [f"T{at}/a" for at in range(30)]
    assert [each["old"]["line"] for each in report["findings"][:30]] == list(range(1, 31))
    assert [each["count"] for each in report["causes"]] == [30, 1]
    assert report["causes"][0]["paths"] == [f"T{at}/a" for at in range(30)]


def test_change_of_all_operations_is_one_entry() -> None:
    def many(style: str) -> str:
        text = wsdl().replace('style="document"', f'style="{style}"')
        for part in ("portType", "binding"):
            start, end = text.index(f"<{part}"), text.index(f"</{part}>")
            start = text.index("    <operation", start)
            text = text[:end] + text[start:end].replace('"Ask"', '"Tell"') + text[end:]
        return text

    report = compare(many("document"), many("document").replace('use="literal"', 'use="encoded"'))
    (cause,) = causes(report.findings)
    assert [each.path for each in cause.findings] == ["Ask", "Tell"]
    assert cause.message == "Is document/encoded now, it was document/literal."
