"""Text of a contract never becomes code. Names that collide with names of the bindings do no harm."""

# ruff: noqa: E501 - schemas are easier to read unbroken

from __future__ import annotations

import ast
import builtins
import datetime as dt
from decimal import Decimal
from html import escape

import msgspec
import pytest
from lxml import etree

from soapclient.runtime import CountingReader
from tests.bindgen.conftest import Workshop, document
from tests.conftest import TypeCheck
from tests.support.cases import case_text

pytestmark = pytest.mark.exhaustive


_SPACE = "urn:example:shop"
# Each would set `builtins.harmed` if it were executed.
_PAYLOADS = [
    '"""\nimport builtins; builtins.harmed = 1\n"""',
    "'''\nimport builtins; builtins.harmed = 1\n'''",
    '"\n__import__("builtins").harmed = 1 #',
    "'; __import__('builtins').harmed = 1 #",
    '{__import__("builtins").harmed}',
    "{path}{value!r}",
    '\\" + __import__("builtins").harmed + \\"',
    "\\",
    "\\\n",
    "trailing backslash\\",
    'ends with a quote"',
    "#\u2028import builtins\u2029builtins.harmed = 1\u0085",
    "%s %(a)s ${a} {{ a }}",
    "\u202e reversed \u200b",
    "ünïcödé 日本 𝄞",
    "",
    " ",
    "x" * 500,
    "__class__",
    "None",
    "class",
]
# Valid XML names of fields that could collide with names in generated code.
_FIELDS = case_text(__file__, "hostile-fields.txt").splitlines()
_STRUCTS = case_text(__file__, "hostile-structs.txt").splitlines()
_TYPES = ["string", "int", "dateTime", "double", "boolean", "date"]


def _schema() -> str:
    """Return a schema that uses every field and payload: in structs, enumerations and documentation."""

    def note(at: int) -> str:
        text = escape(_PAYLOADS[at % len(_PAYLOADS)])
        return f"<x:annotation><x:documentation>{text}</x:documentation></x:annotation>"

    fields = "\n".join(
        f'<x:element name="{name}" type="x:{_TYPES[at % len(_TYPES)]}" minOccurs="{at % 2}">{note(at)}</x:element>'
        for at, name in enumerate(_FIELDS)
    )
    attributes = "\n".join(f'<x:attribute name="{name}" type="x:string"/>' for name in _FIELDS)
    structs = "\n".join(
        f'<x:complexType name="{name}">{note(at)}<x:simpleContent><x:extension base="x:string">\n'
        f'<x:attribute name="value" type="x:int"/></x:extension></x:simpleContent></x:complexType>'
        for at, name in enumerate(_STRUCTS)
        if not name.startswith("Kind")
    )
    lists = "\n".join(
        f'<x:element name="the{name}s" minOccurs="0"><x:complexType><x:sequence>\n'
        f'<x:element name="{name}" type="t:{name}" maxOccurs="unbounded"/></x:sequence></x:complexType></x:element>'
        for name in _STRUCTS
        if not name.startswith("Kind")
    )
    values = "\n".join(f'<x:enumeration value="{_attribute(text)}"/>' for text in _PAYLOADS)
    kinds = "\n".join(
        f'<x:simpleType name="{name}"><x:restriction base="x:string">{values}</x:restriction></x:simpleType>'
        for name in ("Kind", "KindEnum", "KindValue")
    )
    used = "\n".join(
        f'<x:element name="k{at}" type="t:{name}" minOccurs="0" maxOccurs="unbounded"/>'
        for at, name in enumerate(("Kind", "KindEnum", "KindValue"))
    )
    body = f"<x:complexType><x:sequence>\n{fields}\n{lists}\n{used}\n</x:sequence>\n{attributes}\n</x:complexType>"
    return "\n".join(
        [
            *(
                f'<x:element name="{name}">{note(3)}{body}</x:element>'
                for name in ("AskRequest", "AskResponse")
            ),
            structs,
            kinds,
        ]
    )


def _attribute(text: str) -> str:
    return escape(text).replace("\n", "&#10;")


@pytest.fixture
def made(workshop: Workshop) -> Workshop:
    text = document(_schema())
    spoken = escape(_PAYLOADS[0])
    text = text.replace(
        '<operation name="Ask"><input message',
        f'<operation name="Ask"><documentation>{spoken}</documentation><input message',
    )
    text = text.replace('soapAction="urn:ask"', f'soapAction="{_attribute(_PAYLOADS[2])}"')
    text = text.replace("https://shop.invalid/soap", f"https://shop.invalid/{_attribute(_PAYLOADS[3])}")
    tables = f"""[.refused.values."AskRequest/node"]
{_toml(_PAYLOADS[0])} = {_toml(_PAYLOADS[2])}
[.refused.fields]
"AskRequest/gone" = {_toml(_PAYLOADS[0])}
[.columns.{_toml(_PAYLOADS[4])}]
{_toml(_PAYLOADS[2])} = "xsd:int"
[.sums.{_toml(_PAYLOADS[0])}]
{_toml(_PAYLOADS[1])} = "xsd:int"
[.groups]
{_toml(_PAYLOADS[3])} = "xsd:int"
[.chosen]
{_toml(_PAYLOADS[1])} = [{_toml(_PAYLOADS[4])}]
"""
    fetched = workshop.add("shop", text, tables=tables)
    assert fetched.exit_code == 0, fetched.output
    done = workshop.run("generate")
    assert done.exit_code == 0, done.output
    return workshop


def _toml(text: str) -> str:
    return '"' + "".join(f"\\U{ord(sign):08X}" for sign in text) + '"'


def test_contract_text_cannot_inject_code(made: Workshop) -> None:
    allowed = (ast.Expr, ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign, ast.ClassDef, ast.If)
    for path, content in made.files().items():
        if not path.endswith(".py"):
            continue
        tree = ast.parse(content)
        assert all(isinstance(node, allowed) for node in tree.body)
        for node in ast.walk(tree):
            if isinstance(node, ast.Name):
                assert node.id not in {"builtins", "__import__", "exec", "eval", "harmed"}
            elif isinstance(node, ast.Attribute):
                assert node.attr not in {"harmed", "system"}
            elif isinstance(node, ast.Import):
                assert {each.name for each in node.names} <= {"datetime", "msgspec"}
            elif isinstance(node, ast.ImportFrom):
                known = {"__future__", "decimal", "enum", "typing", "collections.abc", "contextlib"}
                own = node.level == 1 and node.module in ("types", "service", None)
                assert own or node.module in known or (node.module or "").startswith("soapclient.runtime")
            elif isinstance(node, ast.JoinedStr):
                filled = [part.value for part in node.values if isinstance(part, ast.FormattedValue)]
                assert {ast.unparse(each) for each in filled} <= {"__name__", "name"}
            elif isinstance(node, ast.Expr):
                assert isinstance(node.value, ast.Constant | ast.Call)


def test_package_of_a_hostile_contract_imports_without_effects(made: Workshop) -> None:
    for name in ("types", "service"):
        made.module(f"shop.{name}")
    assert not hasattr(builtins, "harmed")
    tables = made.module("shop.service").PACKAGE.settings
    assert tables.address == f"https://shop.invalid/{_PAYLOADS[3]}"
    assert [column.name for column in tables.columns[_PAYLOADS[4]]] == [_PAYLOADS[2]]
    assert [column.name for column in tables.sums[_PAYLOADS[0]]] == [_PAYLOADS[1]]
    assert [column.name for column in tables.groups] == [_PAYLOADS[3]]
    assert tables.chosen == {_PAYLOADS[1]: (_PAYLOADS[4],)}
    operation = made.module("shop.service").ASK
    assert operation.soap_action == _PAYLOADS[2]


def test_enumeration_values_equal_the_contract(made: Workshop) -> None:
    types = made.module("shop.types")
    assert [member.value for member in types.Kind] == _PAYLOADS
    assert all(member.name.isidentifier() for member in types.Kind)


def _instance(root: str) -> etree._Element:
    texts = {
        "string": "text",
        "int": "7",
        "dateTime": "2026-11-01T10:00:00Z",
        "double": "1.10",
        "boolean": "true",
        "date": "2026-11-01",
    }
    node = etree.Element(f"{{{_SPACE}}}{root}")
    for at, name in enumerate(_FIELDS):
        etree.SubElement(node, f"{{{_SPACE}}}{name}").text = texts[_TYPES[at % len(_TYPES)]]
        node.set(name, f"{name} in an attribute")
    for name in _STRUCTS:
        if not name.startswith("Kind"):
            wrapper = etree.SubElement(node, f"{{{_SPACE}}}the{name}s")
            for number in ("1", "2"):
                item = etree.SubElement(wrapper, f"{{{_SPACE}}}{name}", value=number)
                item.text = f"content {number}"
    for at in range(3):
        for text in _PAYLOADS:
            etree.SubElement(node, f"{{{_SPACE}}}k{at}").text = text
    return node


def test_fields_named_like_internals_are_read_and_written(made: Workshop) -> None:
    whole = etree.parse(made.output / made.package / "shop/contract.wsdl").getroot()
    (schema,) = whole.iter("{http://www.w3.org/2001/XMLSchema}schema")
    validator = etree.XMLSchema(etree.fromstring(etree.tostring(schema)))
    response = _instance("AskResponse")
    validator.assertValid(response)
    reader = CountingReader()
    value = made.read("AskResponse", response, reader)
    assert not reader.findings
    wire = made.wire(made.read("AskRequest", _instance("AskRequest"), reader), "R")
    values = {
        "string": "text",
        "int": 7,
        "double": Decimal("1.10"),
        "boolean": True,
        "date": dt.date(2026, 11, 1),
    }
    values["dateTime"] = dt.datetime(2026, 11, 1, 10, tzinfo=dt.UTC)
    fields = {field.encode_name: getattr(value, field.name) for field in msgspec.structs.fields(value)}
    for at, name in enumerate(_FIELDS):
        assert fields[name] == values[_TYPES[at % len(_TYPES)]], name
        assert fields[f"@{name}"] == f"{name} in an attribute"
        assert wire[f"@{name}"] == f"{name} in an attribute"
        assert name in wire
    for name in _STRUCTS:
        if not name.startswith("Kind"):
            items = fields[f"the{name}s"]
            assert [msgspec.to_builtins(item) for item in items] == [
                {"value": 1, "$": "content 1"},
                {"value": 2, "$": "content 2"},
            ]
    assert fields["k0"] == fields["k1"] == fields["k2"] == _PAYLOADS
    assert wire["k1"] == _PAYLOADS


def test_mypy_accepts_the_package(made: Workshop, type_check: TypeCheck) -> None:
    made.module("shop.types")
    done = type_check("-p", f"{made.package}.shop", cwd=made.output)
    assert (done.stdout, done.returncode) == ("", 0), done.stdout + done.stderr
