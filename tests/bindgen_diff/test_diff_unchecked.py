"""A contract that cannot be read never counts as "no drift": on one side, on both, or in part."""

from __future__ import annotations

import re

import pytest

from tests.bindgen_diff.conftest import compare, with_operation, wsdl

HASH = re.compile("[0-9a-f]{8}")
MIXED = """<x:complexType name="Mixed" mixed="true"><x:sequence>
<x:element name="a" type="x:{}"/></x:sequence></x:complexType>"""
USE = '<x:element name="m" type="t:Mixed"/>'


def part(path: str) -> str:
    """Return the part of the contract that a path names, without the hash of its present content."""
    name, slash, content = path.rpartition("/")
    assert slash
    assert HASH.fullmatch(content)
    return name


def test_unreadable_operation_is_neither_added_nor_removed() -> None:
    whole, broken = with_operation(wsdl()), with_operation(wsdl(), "Gone")
    for old, new in ((whole, broken), (broken, whole), (broken, broken)):
        report = compare(old, new)
        assert report.verdict == "unchecked"
        told = {(each.rule, each.level, part(each.path)) for each in report.findings}
        assert told == {("not-checked", "unchecked", "Tell")}
        assert all("Gone" in each.message for each in report.findings)


def test_readable_parts_are_still_compared() -> None:
    broken = with_operation(wsdl(), "Gone")
    report = compare(broken, broken.replace("urn:ask", "urn:other"))
    assert [each.rule for each in report.findings] == ["not-checked", "soap-action-changed"]
    assert report.verdict == "unchecked"


def test_unchecked_part_prevents_the_verdict_same() -> None:
    old, new = (wsdl(MIXED.format(kind), request=USE) for kind in ("int", "long"))
    (told,) = compare(old, new).findings
    assert (told.rule, part(told.path)) == ("not-checked", "Mixed")
    assert compare(old, old).verdict == "same"
    more = wsdl(MIXED.format("int"), request='<x:element name="m" type="t:Mixed" minOccurs="0"/>')
    assert [each.rule for each in compare(old, more).findings] == ["request-element-became-optional"]
    assert compare(old, old.replace("<types>", "<documentation>x</documentation><types>")).verdict == "same"


def test_types_referenced_by_unchecked_parts_are_compared() -> None:
    field = '<x:element name="a" type="x:{}"/>'
    inner = f'<x:complexType name="Inner"><x:sequence>{field}</x:sequence></x:complexType>'
    mixed = MIXED.replace("x:{}", "t:Inner")
    old, new = (wsdl(mixed + inner.format(kind), response=USE) for kind in ("int", "long"))
    assert [part(each.path) for each in compare(old, new).findings] == ["Inner"]
    renamed = old.replace("xmlns:x=", "xmlns:y=").replace("<x:", "<y:").replace("</x:", "</y:")
    assert compare(old, renamed.replace('"x:', '"y:')).verdict == "same"


@pytest.mark.parametrize("text", ["", "<a/>", "nonsense", "<definitions/>"])
def test_invalid_contract_is_unchecked(text: str) -> None:
    for old, new in ((text, wsdl()), (wsdl(), text), (text, text)):
        report = compare(old, new)
        assert report.verdict == "unchecked"
        assert report.error


def test_a_contract_that_lost_all_bindings_is_unchecked() -> None:
    text = wsdl()
    bare = text[: text.index("<binding")] + "</definitions>"
    assert compare(text, bare).verdict == "unchecked"
    assert compare(bare, bare).verdict == "unchecked"


INVALID = '<x:attribute name="q" type="x:string"/>'


def test_schema_that_no_longer_compiles_is_never_compatible() -> None:
    """An attribute before the elements: all elements are readable, but no schema compiler accepts it."""
    whole = wsdl(request='<x:element name="a" type="x:string"/>')
    broken = whole.replace("<x:sequence>", f"{INVALID}<x:sequence>", 1)
    report = compare(whole, broken)
    assert report.verdict == "unchecked"
    (told,) = [each for each in report.findings if each.rule == "not-checked"]
    assert part(told.path) == "(schemas)"
    assert told.message.startswith("the new schemas do not compile, so `bindgen generate` refuses them: ")
    assert told.new is not None
    assert told.new.file == "new.wsdl"
    # An old problem and a solved problem are not reported.
    assert compare(broken, broken).verdict == "same"
    assert compare(broken, whole).verdict != "unchecked"
