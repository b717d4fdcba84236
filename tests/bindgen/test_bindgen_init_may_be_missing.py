"""`bindgen init --may-be-missing`: required elements that a service omits are optional in responses."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest
from lxml import etree

from soapclient.runtime import CountingReader, DecodeError
from tests.bindgen.shop import KINDS, run
from tests.conftest import TypeCheck
from tests.support.cases import case_text

LACKING = """<x:complexType name="Base"><x:sequence><x:element name="id" type="x:int"/></x:sequence>
    <x:attribute name="mark" type="x:string" use="required"/></x:complexType>
    <x:element name="AskResponse"><x:complexType><x:complexContent><x:extension base="t:Base"><x:sequence>
    <x:element name="answer" type="x:int"/><x:element name="reason" type="t:Base"/>
    <x:element name="notes"><x:complexType><x:sequence>
    <x:element name="note" type="x:string" maxOccurs="unbounded"/></x:sequence></x:complexType></x:element>
    </x:sequence></x:extension></x:complexContent></x:complexType></x:element>"""
MISSING = "AskResponse/answer,AskResponse/reason,AskResponse/notes,Base/@mark"


@pytest.fixture
def lacking(wsdl: Path) -> Path:
    text = wsdl.read_text()
    start = text.index('<x:element name="AskResponse">')
    wsdl.write_text(text[:start] + LACKING + text[text.index("</x:schema>") :])
    return wsdl


def test_may_be_missing_makes_required_elements_optional(
    lacking: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = run("gone", "--file", lacking, "--out", out, "--may-be-missing", MISSING, "--strict")
    assert done.exit_code == 0, done.output
    monkeypatch.syspath_prepend(str(out))
    operation = importlib.import_module("gone.service").ASK
    space = "urn:example:shop"
    reader = CountingReader()
    found = operation.read_response(
        etree.fromstring(f'<AskResponse xmlns="{space}"><id>7</id></AskResponse>'), reader
    )
    assert (found.id, found.mark, found.answer, found.reason, found.notes) == (7, None, None, None, None)
    assert {(finding.kind, finding.path) for finding in reader.findings} == {
        ("missing", f"AskResponse/{name}") for name in ("@mark", "answer", "reason", "notes")
    }
    # Elements that are present are read as usual. Other elements stay required. An empty number is None.
    there = f"""<AskResponse xmlns="{space}" mark="m"><id>7</id><answer/><reason mark="n"><id>8</id></reason>
        <notes><note>a</note></notes></AskResponse>"""
    again = operation.read_response(etree.fromstring(there), CountingReader())
    assert (again.mark, again.answer, again.reason.id, again.notes) == ("m", None, 8, ["a"])
    with pytest.raises(DecodeError, match="id"):
        operation.read_response(etree.fromstring(f'<AskResponse xmlns="{space}" mark="m"/>'), reader)


@pytest.mark.exhaustive
def test_mypy_sees_that_elements_may_be_missing(lacking: Path, out: Path, type_check: TypeCheck) -> None:
    assert run("gone", "--file", lacking, "--out", out, "--may-be-missing", MISSING).exit_code == 0
    (out / "user.py").write_text(
        "from gone.types import AskResponse\n\n\n"
        "def use(found: AskResponse) -> None:\n"
        "    reveal_type(found.answer)\n    reveal_type(found.notes)\n    reveal_type(found.mark)\n"
        "    reveal_type(found.id)\n    found.reason.id\n"
    )
    done = type_check("-p", "gone", "-m", "user", cwd=out)
    said = [line.partition(": ")[2] for line in done.stdout.splitlines()]
    assert said == [
        'note: Revealed type is "int | None"',
        'note: Revealed type is "list[str] | None"',
        'note: Revealed type is "str | None"',
        'note: Revealed type is "int"',
        'error: Item "None" of "Base | None" has no attribute "id"  [union-attr]',
    ]


def test_package_records_its_generation_options(lacking: Path, out: Path) -> None:
    given = ["--may-be-missing", "AskResponse/answer", "--may-be-missing", "Base/@mark, Base/id"]
    assert run("gone", "--file", lacking, "--out", out, *given).exit_code == 0
    head = (out / "gone/types.py").read_text().splitlines()[0]
    assert "`bindgen init gone --may-be-missing AskResponse/answer,Base/@mark,Base/id`" in head
    assert run("gone", "--file", lacking, "--out", out).exit_code == 0
    assert "--may-be-missing" not in (out / "gone/types.py").read_text()


PARTS = case_text(__file__, "parts.wsdl")


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("AskResponse/answer", "answer is optional already"),
        ("AskResponse/@mark", "@mark is optional already"),
        ("Ask/kind", "Ask is not part of a response, and requests require the value"),
        ("Sub/x", "x is in a choice, so it is not required by itself"),
        ("Sub/o", "o is in a choice, so it is not required by itself"),
        ("Turns/tx", "tx is in a group that repeats, and such elements cannot be set here"),
        ("Turns/to", "to is in a group that repeats, and such elements cannot be set here"),
        ("Rows/key", "key is in a group that repeats, and such elements cannot be set here"),
        ("Rows/nothing", "Rows has no element nothing"),
        ("AskRespons/answer", ""),
        ("AskResponse/@answer", ""),
        ("answer", "the / is missing"),
    ],
)
def test_path_without_effect_in_may_be_missing_is_refused(wsdl: Path, out: Path, path: str, why: str) -> None:
    text = wsdl.read_text()
    start = text.index('<x:element name="AskResponse">')
    wsdl.write_text(text[:start] + PARTS + text[text.index("</x:schema>") :])
    done = run("shop", "--file", wsdl, "--out", out, "--may-be-missing", path)
    assert done.exit_code == 2, done.output
    assert f"--may-be-missing {path}: {why}" in done.stderr
    assert not out.exists()
    done = run("shop", "--file", wsdl, "--out", out, "--may-be-missing", "AskResponse/sub,AskResponse/rows")
    assert done.exit_code == 0, done.output


def test_types_with_equal_names_are_distinguished_by_namespace(wsdl: Path, out: Path) -> None:
    """A path without a namespace matches all types of that name, a path with a namespace only one."""
    kinds = wsdl.with_name("kinds.xsd")
    content = '<x:sequence><x:element name="v" type="x:int"/></x:sequence>'
    inner = f'<x:complexType name="Two">{content}</x:complexType>'
    kinds.write_text(KINDS.replace("</x:schema>", f"{inner}</x:schema>"))
    text = wsdl.read_text()
    own = '<x:element name="answer" type="x:int"/>'
    own += '<x:element name="here" type="t:Two"/><x:element name="there" type="k:Two"/>'
    text = text.replace('<x:element name="answer" type="x:int"/>', own).replace(
        "</x:schema>", f"{inner}</x:schema>"
    )
    wsdl.write_text(text)
    for path, times in (("Two/v", 2), ("{urn:example:kinds}Two/v", 1)):
        assert run("two", "--file", wsdl, "--out", out, "--may-be-missing", path).exit_code == 0
        assert (out / "two/types.py").read_text().count("v: int | None = None") == times
