"""A malicious contract generates a harmless package. It passes mypy, as does one with every construct."""

# ruff: noqa: E501 - schemas are easier to read unbroken

from __future__ import annotations

import ast
import builtins
from html import escape

import msgspec
import pytest
from lxml import etree

from bindgen import naming
from soapclient.runtime import CountingReader
from tests.bindgen.conftest import Made, Make, document
from tests.conftest import TypeCheck
from tests.support.cases import case_text

pytestmark = pytest.mark.exhaustive


_SPACE = "urn:example:shop"
_PAYLOADS = [
    '"""\nimport builtins; builtins.harmed = 1\n"""',
    "'; __import__('builtins').harmed = 1 #",
    '{__import__("builtins").harmed}',
    "{path}{value!r}{0}",
    '\\" + __import__("builtins").harmed + \\"',
    "\\",
    "#\u2028import builtins\u2029builtins.harmed = 1\u0085",
    "%s ${a} {{ a }}",
    "\u202e reversed \u200b",
    "日本 𝄞",
    "",
    "x" * 500,
    "__class__",
    "None",
]
# Names used by generated code or by Python, and names that become equal as Python identifiers.
_NAMES = [*case_text(__file__, "hostile-names.txt").splitlines(), "L" * 300]
_TYPES = [*case_text(__file__, "hostile-types.txt").splitlines(), "Q" * 300]
_BUILT_IN = ["string", "int", "dateTime", "double", "boolean", "date", "base64Binary", "time", "QName"]


def _attribute(text: str) -> str:
    return escape(text).replace("\n", "&#10;").replace("\u0085", "&#133;").replace("\u2028", "&#8232;")


def _schema() -> str:
    def note(at: int) -> str:
        return f"<x:annotation><x:documentation>{escape(_PAYLOADS[at % len(_PAYLOADS)])}</x:documentation></x:annotation>"

    fields = "".join(
        f'<x:element name="{name}" type="x:{_BUILT_IN[at % len(_BUILT_IN)]}" minOccurs="0" nillable="{"true" if at % 3 else "false"}">{note(at)}</x:element>'
        for at, name in enumerate(_NAMES)
    )
    typed = "".join(
        f'<x:element name="f{at}" type="t:{name}" minOccurs="0" maxOccurs="unbounded"/>'
        for at, name in enumerate(_TYPES)
    )
    operations = "".join(f'<x:element name="{name}" type="x:int"/>' for name in _NAMES)
    attributes = "".join(f'<x:attribute name="{name}" type="x:string"/>' for name in _NAMES)
    simple = '<x:element name="e" type="x:int"/><x:element name="g" type="x:int"/>'
    structs = "".join(
        f'<x:complexType name="{name}">{note(at)}<x:sequence><x:element name="inner" type="t:{_TYPES[at - 1]}" minOccurs="0"/>'
        f'<x:choice minOccurs="0" maxOccurs="unbounded">{operations if at == 3 else simple}</x:choice></x:sequence><x:attribute name="value" type="x:int"/></x:complexType>'
        for at, name in enumerate(_TYPES)
    )
    values = "".join(f'<x:enumeration value="{_attribute(text)}"/>' for text in _PAYLOADS)
    kinds = "".join(
        f'<x:simpleType name="{name}"><x:restriction base="x:string">{values}</x:restriction></x:simpleType>'
        for name in ("evil", "Evil", "EvilEnum", "evil_value")
    )
    used = "".join(
        f'<x:element name="k{at}" type="t:{name}" minOccurs="0" maxOccurs="unbounded"/>'
        for at, name in enumerate(("evil", "Evil", "EvilEnum", "evil_value"))
    )
    body = f"<x:complexType><x:sequence>{fields}{typed}{used}</x:sequence>{attributes}</x:complexType>"
    return f'<x:element name="AskRequest">{note(0)}{body}</x:element><x:element name="AskResponse">{note(1)}{body}</x:element>{structs}{kinds}'


@pytest.fixture
def evil(make: Make) -> Made:
    whole = document("{schema}").replace(
        'soapAction="urn:ask"',
        f'soapAction="{_attribute(_PAYLOADS[0])}"'.replace("{", "{{").replace("}", "}}"),
    )
    whole = whole.replace("https://shop.invalid/soap", f"https://shop.invalid/{_attribute(_PAYLOADS[1])}")
    return make(_schema(), whole)


def _code(made: Made) -> dict[str, ast.Module]:
    return {name: ast.parse(content) for name, content in made.files.items() if name.endswith(".py")}


def test_contract_text_cannot_inject_code(evil: Made) -> None:
    assert not hasattr(builtins, "harmed")
    for name, tree in _code(evil).items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Name):
                assert node.id not in {"builtins", "__import__", "exec", "eval", "harmed"}
                assert len(node.id) < 2 * naming.LONGEST
            elif isinstance(node, ast.Attribute):
                assert node.attr not in {"harmed", "system"}
            elif isinstance(node, ast.JoinedStr):
                filled = [
                    ast.unparse(part.value) for part in node.values if isinstance(part, ast.FormattedValue)
                ]
                assert name == "__init__.py"
                assert filled == ["__name__", "name"]
            elif isinstance(node, ast.ImportFrom):
                known = {"__future__", "decimal", "enum", "typing", "collections.abc"}
                assert (
                    node.level or node.module in known or (node.module or "").startswith("soapclient.runtime")
                )


def test_fields_with_hostile_names_are_read_and_written(evil: Made) -> None:
    texts = {
        "string": "t",
        "int": "7",
        "dateTime": "2026-11-01T10:00:00Z",
        "double": "1.5",
        "boolean": "true",
        "date": "2026-11-01",
    }
    texts |= {"base64Binary": "AQI=", "time": "10:00:00", "QName": "t:x"}
    node = etree.Element(f"{{{_SPACE}}}AskRequest", nsmap={"t": _SPACE})
    for at, name in enumerate(_NAMES):
        etree.SubElement(node, f"{{{_SPACE}}}{name}").text = texts[_BUILT_IN[at % len(_BUILT_IN)]]
        node.set(name, f"{name} in an attribute")
    for at, name in enumerate(_TYPES):
        one = etree.SubElement(node, f"{{{_SPACE}}}f{at}", value=str(at))
        etree.SubElement(one, f"{{{_SPACE}}}inner")
        if name != _TYPES[3]:
            etree.SubElement(one, f"{{{_SPACE}}}e").text = "1"
    for text in _PAYLOADS:
        etree.SubElement(node, f"{{{_SPACE}}}k1").text = text
    evil.schema.assertValid(node)
    reader = CountingReader()
    value = evil.operation.read_request(node, reader)
    assert not reader.findings
    assert evil.operation.read_request(evil.write(value), reader) == value
    assert len(msgspec.to_builtins(value)) == 2 * len(_NAMES) + len(_TYPES) + 1
    sent = evil.write(value)
    for name in _NAMES:
        assert sent.get(name) == f"{name} in an attribute"


_EVERYTHING = case_text(__file__, "everything.xsd")


def test_mypy_accepts_the_package(evil: Made, make: Make, type_check: TypeCheck) -> None:
    everything = make(_EVERYTHING)
    done = type_check("-p", evil.package, "-p", everything.package, cwd=evil.folder)
    assert (done.stdout, done.returncode) == ("", 0), done.stdout + done.stderr


@pytest.mark.parametrize("name", ["&quot;&quot;&quot;", "a\\b", "a&#10;b", "a b", "1"])
def test_field_with_an_unusable_name_works(make: Make, name: str) -> None:
    made = make(
        f"""<x:element name="AskRequest"><x:complexType><x:sequence>
        <x:element name="{name}" type="x:int" minOccurs="0"/><x:element name="good" type="x:int"/>
        </x:sequence></x:complexType></x:element>
        <x:element name="AskResponse"><x:complexType/></x:element>"""
    )
    (other,) = set(made.types.AskRequest.__struct_fields__) - {"good"}
    assert getattr(made.types.AskRequest(good=1), other) is None
