"""Contracts of several documents: names are resolved, and the merged file means the same to other tools."""

# ruff: noqa: E501 - documents, one declaration per line

from __future__ import annotations

import pytest
import zeep
import zeep.transports
from lxml import etree

from bindgen.model import Contract, Struct
from tests.bindgen.conftest import read_any, struct_of
from tests.support.cases import case_text

_X = "http://www.w3.org/2001/XMLSchema"
_ROOT = case_text(__file__, "documents/root.wsdl")


def _root(links: str, fields: str) -> str:
    return _ROOT.replace("LINKS", links).replace("FIELDS", fields)


def _schema(inside: str, space: str = "", more: str = "") -> str:
    target = f'targetNamespace="{space}" xmlns:me="{space}"' if space else ""
    return f'<x:schema xmlns:x="{_X}" {target} {more}>{inside}</x:schema>'


class _One(zeep.transports.Transport):
    """Transport with one document. Other addresses get an empty schema if zeep requests one on its own."""

    def __init__(self, text: bytes) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # zeep has no types
        self._text = text

    def load(self, url: str) -> bytes:
        if url == "http://schemas.xmlsoap.org/soap/encoding/":
            return _schema("", url).encode()
        if url == "https://www.w3.org/2001/xml.xsd":
            space = "http://www.w3.org/XML/1998/namespace"
            return f'<x:schema xmlns:x="{_X}" targetNamespace="{space}"/>'.encode()
        assert url == "http://whole.invalid/contract.wsdl"
        return self._text


def _message(contract: Contract, **fields: object) -> etree._Element:
    """Return the envelope that zeep creates from the merged file."""
    client = _zeep(contract)
    # zeep has no types
    made = client.create_message(client.service, "Ask", **fields)  # type: ignore[no-untyped-call]
    assert isinstance(made, etree._Element)
    return made


def _children(message: etree._Element, path: str) -> list[str]:
    found = message.find(path)
    assert found is not None
    return [str(node.tag) for node in found]


def _zeep(contract: Contract) -> zeep.Client:
    transport = _One(contract.one_file)
    # nor here
    return zeep.Client("http://whole.invalid/contract.wsdl", transport=transport)  # type: ignore[no-untyped-call]


def _request(contract: Contract) -> Struct:
    assert contract.problems == []
    return contract.operations[0].request


def test_circular_imports_are_read() -> None:
    link = '<x:import namespace="urn:other" schemaLocation="a.xsd"/>'
    root = _root(link, '<x:element name="f" type="o:T"/>')
    a = _schema(
        '<x:import namespace="urn:third" schemaLocation="b.xsd"/><x:complexType name="T"><x:sequence><x:element name="b" type="b:U" xmlns:b="urn:third"/></x:sequence></x:complexType>',
        "urn:other",
    )
    b = _schema(
        '<x:import namespace="urn:other" schemaLocation="a.xsd"/><x:complexType name="U"><x:sequence><x:element name="back" type="a:T" minOccurs="0" xmlns:a="urn:other"/></x:sequence></x:complexType>',
        "urn:third",
        'elementFormDefault="qualified"',
    )
    contract = read_any(root, a_xsd=a, b_xsd=b)
    t = struct_of(_request(contract).fields[0])
    u = struct_of(t.fields[0])
    assert (t.fields[0].tag, u.fields[0].tag) == ("b", "{urn:third}back")
    assert u.fields[0].type is t
    assert contract.notes == []
    assert _children(_message(contract, f={"b": {"back": None}}), ".//{urn:shop}f") == ["b"]


@pytest.mark.parametrize("default", ["", 'xmlns="urn:shop"'])
def test_included_schema_without_a_namespace_adopts_the_including_namespace(default: str) -> None:
    root = _root('<x:include schemaLocation="parts.xsd"/>', '<x:element name="f" type="t:Part"/>')
    parts = _schema(
        '<x:complexType name="Part"><x:sequence><x:element name="n" type="Number"/><x:element ref="extra"/></x:sequence></x:complexType><x:element name="extra" type="Number"/><x:simpleType name="Number"><x:restriction base="x:int"/></x:simpleType>',
        more=f'{default} elementFormDefault="qualified"',
    )
    contract = read_any(root, parts_xsd=parts)
    part = struct_of(_request(contract).fields[0])
    assert part.qname == "{urn:shop}Part"
    assert [field.tag for field in part.fields] == ["{urn:shop}n", "{urn:shop}extra"]
    assert [field.type_name for field in part.fields] == ["{urn:shop}Number"] * 2
    assert (contract.notes, contract.compiles) == ([], True)
    children = _children(_message(contract, f={"n": 1, "extra": 2}), ".//{urn:shop}f")
    assert children == ["{urn:shop}n", "{urn:shop}extra"]


def test_schema_included_into_two_namespaces_is_read_twice() -> None:
    include = '<x:include schemaLocation="parts.xsd"/>'
    links = f'{include}<x:import namespace="urn:other" schemaLocation="other.xsd"/>'
    root = _root(links, '<x:element name="f" type="t:Part"/><x:element name="g" type="o:Part"/>')
    parts = _schema(
        '<x:complexType name="Part"><x:sequence><x:element name="n" type="x:int"/></x:sequence></x:complexType>',
        more='elementFormDefault="qualified"',
    )
    contract = read_any(root, parts_xsd=parts, other_xsd=_schema(include, "urn:other"))
    f, g = map(struct_of, _request(contract).fields)
    assert (f.qname, f.fields[0].tag) == ("{urn:shop}Part", "{urn:shop}n")
    assert (g.qname, g.fields[0].tag) == ("{urn:other}Part", "{urn:other}n")
    assert contract.compiles


def test_redefined_type_extends_the_original() -> None:
    links = """<x:redefine schemaLocation="parts.xsd"><x:complexType name="Part"><x:complexContent><x:extension base="t:Part">
    <x:sequence><x:element name="more" type="x:int"/></x:sequence></x:extension></x:complexContent></x:complexType>
    <x:simpleType name="Kind"><x:restriction base="t:Kind"><x:enumeration value="a"/></x:restriction></x:simpleType></x:redefine>"""
    parts = _schema(
        '<x:complexType name="Part"><x:sequence><x:element name="n" type="x:int"/><x:element name="inner" type="me:Part" minOccurs="0"/></x:sequence></x:complexType><x:simpleType name="Kind"><x:restriction base="x:string"><x:enumeration value="a"/><x:enumeration value="b"/></x:restriction></x:simpleType>',
        "urn:shop",
        'elementFormDefault="qualified"',
    )
    root = _root(links, '<x:element name="f" type="t:Part"/><x:element name="k" type="t:Kind"/>')
    contract = read_any(root, parts_xsd=parts)
    f, k = _request(contract).fields
    fields = struct_of(f).all_fields()
    assert [field.wire for field in fields] == ["n", "inner", "more"]
    assert fields[1].type is f.type  # references to the old type now refer to the new one
    assert k.facets is not None
    assert k.facets.enumeration == ("a",)
    assert contract.compiles
    children = _children(_message(contract, f={"n": 1, "more": 2}, k="a"), ".//{urn:shop}f")
    assert children == ["{urn:shop}n", "{urn:shop}more"]


def test_contract_may_have_several_wsdls() -> None:
    whole = _root("", '<x:element name="f" type="x:int"/>')
    head, _, rest = whole.partition("<w:binding")
    binding, _, service = ("<w:binding" + rest).partition("<w:service")
    start = whole[: whole.index("<w:types>")]
    abstract = f"{head}</w:definitions>".replace(
        'targetNamespace="urn:shop"', 'targetNamespace="urn:abstract"', 1
    )
    abstract = abstract.replace('message="t:', 'message="a:')
    abstract = abstract.replace("<w:definitions ", '<w:definitions xmlns:a="urn:abstract" ')
    root = f'{start}<w:import namespace="urn:abstract" location="abstract.wsdl"/><w:import namespace="urn:x" location="more.xsd"/>{binding}<w:service{service}'
    root = root.replace('type="t:PT"', 'type="a:PT" xmlns:a="urn:abstract"')
    contract = read_any(root, abstract_wsdl=abstract, more_xsd=_schema('<x:element name="e"/>', "urn:x"))
    assert _request(contract).fields[0].tag == "{urn:shop}f"
    assert contract.notes == []
    assert contract.ports[0].port_type == "{urn:abstract}PT"
    assert _message(contract, f=3).findtext(".//{urn:shop}f") == "3"
    top = etree.fromstring(contract.one_file)
    assert not list(top.iter("{http://schemas.xmlsoap.org/wsdl/}import", f"{{{_X}}}include"))
    assert all(node.get("schemaLocation") is None for node in top.iter(f"{{{_X}}}import"))
    spaces = sorted(node.get("targetNamespace", "") for node in top.iter(f"{{{_X}}}schema"))
    assert spaces == ["urn:shop", "urn:x"]


def test_missing_import_becomes_any_type() -> None:
    links = '<x:import namespace="urn:other" schemaLocation="gone.xsd"/><x:import namespace="urn:third"/><x:include/><x:include schemaLocation="http://[/"/>'
    fields = '<x:element name="f" type="o:T"/><x:element ref="o:E"/><x:element name="g"><x:complexType><x:attribute ref="o:a"/><x:attributeGroup ref="o:ag"/></x:complexType></x:element>'
    contract = read_any(_root(links, fields))
    f, e, g = _request(contract).fields
    kinds = [(field.tag, type(field.type).__name__) for field in (f, e)]
    assert kinds == [("{urn:shop}f", "Anything"), ("{urn:other}E", "Anything")]
    attributes = [(field.kind, field.tag) for field in struct_of(g).fields]
    assert attributes == [("attribute", "{urn:other}a"), ("any_attributes", "")]
    assert not contract.compiles
    assert len([note for note in contract.notes if "cannot read" in note.message]) == 2


def test_duplicate_declarations_are_read_once() -> None:
    twice = '<x:complexType name="T"><x:attribute name="a"/></x:complexType><x:complexType name="T"/><x:import namespace="urn:shop" schemaLocation="copy.xsd"/>'
    copy = _schema('<x:complexType name="T"><x:attribute name="b"/></x:complexType>', "urn:shop")
    contract = read_any(_root(twice, '<x:element name="f" type="t:T"/>'), copy_xsd=copy)
    f = struct_of(_request(contract).fields[0])
    assert [field.wire for field in f.fields] == ["a"]
    assert contract.compiles
    assert len([note for note in contract.notes if "declared twice" in note.message]) == 2


def test_data_sets_and_names_of_the_xml_namespace_compile() -> None:
    fields = '<x:element name="set"><x:complexType><x:sequence><x:element ref="x:schema"/><x:any/></x:sequence><x:attribute ref="xml:lang"/></x:complexType></x:element>'
    contract = read_any(_root(f'<x:import namespace="{_X}"/>', fields))
    assert (contract.notes, contract.compiles) == ([], True)
    found = struct_of(_request(contract).fields[0])
    assert [(field.kind, field.tag) for field in found.fields] == [
        ("attribute", "{http://www.w3.org/XML/1998/namespace}lang"),
        ("element", f"{{{_X}}}schema"),
        ("any", ""),
    ]
    _zeep(contract)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.encode("utf-16"),
        lambda text: b"\xef\xbb\xbf" + text.encode(),
        lambda text: b'\n  <?xml version="1.0"?>' + text.encode(),
        lambda text: text.replace("<x:", "<!-- a --><x:").replace("</x:", "<?b c?></x:").encode(),
        lambda text: ('<?xml version="1.0" encoding="iso-8859-1"?>' + text.replace("<w:types>", "<w:documentation>ü</w:documentation><w:types>")).encode("latin-1"),
        lambda text: text.replace("<w:types>", "<w:types><w:documentation/>").replace("<x:element name=\"f\"", '<x:element xmlns:j="urn:j" j:odd="1" name="f"').encode(),
        lambda text: text.replace("<w:types>", '<w:types><x:schema/><x:schema targetNamespace="urn:empty"/>').encode(),
        lambda text: text.replace("<x:element name=\"Answer\"", '<x:notation name="n" public="p"/><x:element name="Answer"').encode(),
        lambda text: text.replace('<x:element name="f" type="x:int"/>', '<x:element name="f" type="x:int"><x:unique name="u"><x:selector xpath="a"/><x:field xpath="@b"/></x:unique></x:element>').encode(),
    ],
    ids=["utf-16", "mark", "blanks first", "comments", "latin", "foreign", "empty schemas", "notation", "unique"],
)  # fmt: skip
def test_equivalent_document_forms_are_read_alike(change: object) -> None:
    assert callable(change)
    contract = read_any(change(_root("", '<x:element name="f" type="x:int"/>')))
    assert _request(contract).fields[0].wire == "f"
    assert (contract.notes, contract.compiles) == ([], True)
    _zeep(contract)


def test_names_beyond_ascii_in_a_schema_compile() -> None:
    """libxml2 compiles a serialized schema, in which names cannot contain character references."""
    noted = '<x:annotation><x:appinfo><größe xmlns="urn:m" länge="1"/></x:appinfo></x:annotation>'
    contract = read_any(_root(noted, '<x:element name="f" type="x:int" m:größe="1" xmlns:m="urn:m"/>'))
    assert (contract.notes, contract.compiles) == ([], True)
    assert _request(contract).fields[0].wire == "f"


def test_an_unknown_attribute_beyond_ascii_is_a_located_problem() -> None:
    contract = read_any(_root("", '<x:element name="f" type="x:int" maxOccﬁurs="2"/>'))
    assert not contract.compiles
    (note,) = contract.notes
    assert "The attribute 'maxOccﬁurs' is not allowed" in note.message
    assert note.place is not None
    assert _request(contract).fields[0].wire == "f"


def test_a_schema_of_a_draft_is_a_located_problem() -> None:
    text = _root("", '<x:element name="f" type="x:int"/>').replace(_X, "http://www.w3.org/1999/XMLSchema")
    contract = read_any(text)
    assert contract.operations[0].request.fields[0].kind == "content"
    assert all(problem.place is not None for problem in contract.problems)
    assert "1999" in contract.problems[0].message
