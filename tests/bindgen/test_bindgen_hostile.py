"""Text of a contract never becomes code. Names that collide with names of the bindings do no harm."""

# ruff: noqa: E501 - schemas are easier to read unbroken

from __future__ import annotations

import ast
import builtins
import datetime as dt
import itertools
from collections.abc import Iterator
from decimal import Decimal
from html import escape

import msgspec
import pytest
from lxml import etree

from bindgen import naming
from soapclient.runtime import CountingReader
from tests.bindgen.conftest import SPACE, Make, Workshop, document
from tests.conftest import TypeCheck
from tests.support.cases import case_text

pytestmark = pytest.mark.exhaustive


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
# Valid XML names that could collide with names in generated code, or that become equal as Python identifiers.
_FIELDS = [*case_text(__file__, "hostile-fields.txt").splitlines(), "L" * 300]
_STRUCTS = case_text(__file__, "hostile-structs.txt").splitlines()
_TYPES = [*case_text(__file__, "hostile-types.txt").splitlines(), "Q" * 300]
_KINDS = ("Kind", "KindEnum", "KindValue", "kind", "kind_value")
# Built-in types of the fields: a text, and its value.
_BUILT_IN: dict[str, tuple[str, object]] = {
    "string": ("text", "text"),
    "int": ("7", 7),
    "dateTime": ("2026-11-01T10:00:00Z", dt.datetime(2026, 11, 1, 10, tzinfo=dt.UTC)),
    "double": ("1.10", Decimal("1.10")),
    "boolean": ("true", True),
    "date": ("2026-11-01", dt.date(2026, 11, 1)),
    "base64Binary": ("AQI=", b"\1\2"),
    "time": ("10:00:00", dt.time(10)),
    "QName": ("t:x", f"{{{SPACE}}}x"),
}


def _typed() -> Iterator[tuple[str, str]]:
    """Yield each field with its type."""
    return zip(_FIELDS, itertools.cycle(_BUILT_IN), strict=False)


def _schema() -> str:
    """Return a schema that uses every name and payload: in structs, enumerations and documentation."""

    def note(at: int) -> str:
        text = escape(_PAYLOADS[at % len(_PAYLOADS)])
        return f"<x:annotation><x:documentation>{text}</x:documentation></x:annotation>"

    fields = "\n".join(
        f'<x:element name="{name}" type="x:{kind}" minOccurs="{at % 2}" nillable="{"true" if at % 3 else "false"}">{note(at)}</x:element>'
        for at, (name, kind) in enumerate(_typed())
    )
    attributes = "\n".join(f'<x:attribute name="{name}" type="x:string"/>' for name in _FIELDS)
    structs = "\n".join(
        f'<x:complexType name="{name}">{note(at)}<x:simpleContent><x:extension base="x:string">\n'
        f'<x:attribute name="value" type="x:int"/></x:extension></x:simpleContent></x:complexType>'
        for at, name in enumerate(_STRUCTS)
    )
    lists = "\n".join(
        f'<x:element name="the{name}s" minOccurs="0"><x:complexType><x:sequence>\n'
        f'<x:element name="{name}" type="t:{name}" maxOccurs="unbounded"/></x:sequence></x:complexType></x:element>'
        for name in _STRUCTS
    )
    # Types with a choice, of all names in the last one. Each contains the previous one.
    arms = "".join(f'<x:element name="{name}" type="x:int"/>' for name in _FIELDS)
    simple = '<x:element name="e" type="x:int"/><x:element name="g" type="x:int"/>'
    choices = "\n".join(
        f'<x:complexType name="{name}"><x:sequence><x:element name="inner" type="t:{_TYPES[at - 1]}" minOccurs="0"/>'
        f'<x:choice minOccurs="0" maxOccurs="unbounded">{arms if name == _TYPES[-1] else simple}</x:choice></x:sequence></x:complexType>'
        for at, name in enumerate(_TYPES)
    )
    typed = "".join(f'<x:element name="f{at}" type="t:{name}"/>' for at, name in enumerate(_TYPES))
    values = "\n".join(f'<x:enumeration value="{_attribute(text)}"/>' for text in _PAYLOADS)
    kinds = "\n".join(
        f'<x:simpleType name="{name}"><x:restriction base="x:string">{values}</x:restriction></x:simpleType>'
        for name in _KINDS
    )
    used = "\n".join(
        f'<x:element name="k{at}" type="t:{name}" minOccurs="0" maxOccurs="unbounded"/>'
        for at, name in enumerate(_KINDS)
    )
    body = f"<x:complexType><x:sequence>\n{fields}\n{lists}\n{typed}\n{used}\n</x:sequence>\n{attributes}\n</x:complexType>"
    messages = [
        f'<x:element name="{name}">{note(3)}{body}</x:element>' for name in ("AskRequest", "AskResponse")
    ]
    return "\n".join([*messages, structs, choices, kinds])


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
    workshop.generated(text, tables=tables)
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
                assert len(node.id) < 2 * naming.LONGEST
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
    operation = made.module("shop.service").PACKAGE.operations["Ask"]
    assert operation.soap_action == _PAYLOADS[2]


def test_enumeration_values_equal_the_contract(made: Workshop) -> None:
    types = made.module("shop.types")
    assert [member.value for member in types.Kind] == _PAYLOADS
    assert all(member.name.isidentifier() for member in types.Kind)


def _instance(root: str) -> etree._Element:
    node = etree.Element(f"{{{SPACE}}}{root}", nsmap={"t": SPACE})
    for name, kind in _typed():
        etree.SubElement(node, f"{{{SPACE}}}{name}").text = _BUILT_IN[kind][0]
        node.set(name, f"{name} in an attribute")
    for name in _STRUCTS:
        wrapper = etree.SubElement(node, f"{{{SPACE}}}the{name}s")
        for number in ("1", "2"):
            item = etree.SubElement(wrapper, f"{{{SPACE}}}{name}", value=number)
            item.text = f"content {number}"
    for at, name in enumerate(_TYPES):
        choice = etree.SubElement(node, f"{{{SPACE}}}f{at}")
        for arm in _FIELDS if name == _TYPES[-1] else ("inner", "e", "g", "e"):
            etree.SubElement(choice, f"{{{SPACE}}}{arm}").text = None if arm == "inner" else "1"
    for at in range(len(_KINDS)):
        for text in _PAYLOADS:
            etree.SubElement(node, f"{{{SPACE}}}k{at}").text = text
    return node


def test_fields_named_like_internals_are_read_and_written(made: Workshop) -> None:
    whole = etree.parse(made.output / made.package / "shop/contract.wsdl").getroot()
    (schema,) = whole.iter("{http://www.w3.org/2001/XMLSchema}schema")
    validator = etree.XMLSchema(etree.fromstring(etree.tostring(schema)))
    request = _instance("AskRequest")
    validator.assertValid(request)
    reader, ask = CountingReader(), made.module("shop.service").PACKAGE.operations["Ask"]
    value = ask.read_request(request, reader)
    sent = etree.Element(request.tag)
    ask.write_request(value, sent, "AskRequest")
    validator.assertValid(etree.fromstring(etree.tostring(sent, encoding="UTF-8")))
    assert ask.read_request(sent, reader) == value
    assert not reader.findings
    fields = {field.encode_name: getattr(value, field.name) for field in msgspec.structs.fields(value)}
    for name, kind in _typed():
        assert fields[name] == _BUILT_IN[kind][1], name
        assert fields[f"@{name}"] == sent.get(name) == f"{name} in an attribute"
    for name in _STRUCTS:
        items = [msgspec.to_builtins(item) for item in fields[f"the{name}s"]]
        assert items == [{"value": 1, "$": "content 1"}, {"value": 2, "$": "content 2"}]
    assert all(fields[f"k{at}"] == _PAYLOADS for at in range(len(_KINDS)))


def test_mypy_accepts_the_package(made: Workshop, make: Make, type_check: TypeCheck) -> None:
    """It also accepts a package with every construct."""
    made.module("shop.types")
    everything = make(case_text(__file__, "everything.xsd"))
    packages = ("-p", f"{made.package}.shop", "-p", everything.package)
    done = type_check(*packages, cwd=made.output, path=[everything.folder])
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
