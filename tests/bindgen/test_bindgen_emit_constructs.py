"""XSD constructs beyond plain sequences: written, validated by libxml2, read back and compared with zeep."""

# ruff: noqa: E501 - schemas are easier to read unbroken

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path

import pytest
from lxml import etree

from bindgen import naming
from bindgen.emit.module import FROM_RUNTIME
from soapclient.runtime import CountingReader, DecodeError, EncodeError
from soapclient.runtime.any_element import AnyElement
from soapclient.runtime.nil import NIL
from tests.bindgen.conftest import RESPONSE, SPACE, Make, name_at, read_any
from tests.bindgen.shop import imported
from tests.support.cases import case_text


def _names(node: etree._Element) -> list[str]:
    return [etree.QName(child).localname for child in node]


def test_all_group_is_written_in_order_and_read_in_any_order(make: Make) -> None:
    content = (
        '<x:all><x:element name="a" type="x:int"/><x:element name="b" type="x:int" minOccurs="0"/></x:all>'
    )
    made = make.request(content)
    made.there_and_back(made.types.AskRequest(a=1, b=2))
    assert made.parse("<b>2</b><a>1</a>") == made.types.AskRequest(a=1, b=2)


def test_repeating_choice_is_a_list_of_occurrences(make: Make) -> None:
    made = make.request(
        '<x:choice minOccurs="0" maxOccurs="unbounded"><x:element name="text" type="x:string"/><x:element name="number" type="x:int" maxOccurs="2"/>'
        '<x:sequence><x:element name="x" type="x:int"/><x:element name="y" type="x:int" minOccurs="0"/></x:sequence></x:choice>'
    )
    turn = made.types.AskRequestChoice
    turns = [turn(text="a"), turn(text="b"), turn(number=[1, 2]), turn(x=1, y=2), turn(x=3), turn(x=4, y=5)]
    sent = made.there_and_back(made.types.AskRequest(choice=[*turns, turn(text="c")]))
    assert _names(sent) == ["text", "text", "number", "number", "x", "y", "x", "x", "y", "text"]
    seen = made.zeep(sent)["_value_1"]
    assert [one["text"] for one in seen if "text" in one] == ["a", "b", "c"]


def test_repeating_sequence_is_a_list_of_occurrences(make: Make) -> None:
    made = make.request(
        '<x:sequence><x:element name="head" type="x:string"/><x:sequence maxOccurs="3"><x:element name="key" type="x:string"/>'
        '<x:element name="value" type="x:int" minOccurs="0"/><x:element name="note" type="x:string" minOccurs="0" maxOccurs="unbounded"/></x:sequence></x:sequence>'
    )
    turn = made.types.AskRequestSequence
    turns = [turn(key="a", value=1), turn(key="b"), turn(key="c", note=["n", "m"])]
    value = made.types.AskRequest(head="h", sequence=turns)
    assert _names(made.there_and_back(value)) == ["head", "key", "value", "key", "key", "note", "note"]


def test_repeated_element_is_assigned_by_position(make: Make) -> None:
    made = make.request(
        '<x:sequence><x:element name="a" type="x:int" minOccurs="0"/><x:element name="b" type="x:int"/><x:element name="a" type="x:int" minOccurs="0" maxOccurs="unbounded"/></x:sequence>'
    )
    made.there_and_back(made.types.AskRequest(a=1, b=2, a_2=[3, 4]))
    made.there_and_back(made.types.AskRequest(a=None, b=2, a_2=[3]))
    made.there_and_back(made.types.AskRequest(a=1, b=2))


_SHAPES = """<x:element name="shape" type="t:Shape" abstract="true"/>
<x:element name="circle" substitutionGroup="t:shape" type="t:Circle"/><x:element name="square" substitutionGroup="t:shape" type="t:Square"/>
<x:complexType name="Shape"><x:sequence><x:element name="name" type="x:string"/></x:sequence></x:complexType>
<x:complexType name="Circle"><x:complexContent><x:extension base="t:Shape"><x:sequence><x:element name="radius" type="x:decimal"/></x:sequence></x:extension></x:complexContent></x:complexType>
<x:complexType name="Square"><x:complexContent><x:extension base="t:Shape"><x:sequence><x:element name="side" type="x:decimal"/></x:sequence></x:extension></x:complexContent></x:complexType>
"""


def test_substitution_group_holds_one_of_its_elements(make: Make) -> None:
    made = make.request(
        '<x:sequence><x:element ref="t:shape"/><x:element name="n" type="x:int"/><x:element ref="t:shape" minOccurs="0" maxOccurs="unbounded"/></x:sequence>',
        _SHAPES,
    )
    types = made.types
    holder = types.ShapeElement
    circle = holder(circle=types.Circle(name="c", radius=Decimal(2)))
    square = holder(square=types.Square(name="s", side=Decimal(3)))
    sent = made.there_and_back(types.AskRequest(shape=circle, n=1, shape_2=[square, circle]))
    assert _names(sent) == ["circle", "n", "square", "circle"]
    for wrong in (holder(), holder(circle=circle.circle, square=square.square)):
        with pytest.raises(EncodeError, match="exactly one"):
            made.write(types.AskRequest(shape=wrong, n=1))
    with pytest.raises(DecodeError):
        made.parse("<n>1</n>", valid=False)


def test_wildcards_keep_their_elements(make: Make) -> None:
    made = make.request(
        '<x:sequence><x:element name="a" type="x:int"/><x:any namespace="##other" processContents="lax" minOccurs="0" maxOccurs="unbounded"/></x:sequence>',
        attributes='<x:attribute name="id" type="x:int"/><x:anyAttribute namespace="##other" processContents="lax"/>',
    )
    inner = AnyElement(name="{urn:o}in", text="t", tail=" after")
    attributes, children = {"k": "v", "{urn:p}q": "w"}, [inner, AnyElement(name="plain")]
    one = AnyElement(name="{urn:o}it", attributes=attributes, text="before ", children=children)
    several = [one, AnyElement(name="{urn:z}other")]
    value = made.types.AskRequest(id=1, a=2, any=several, any_attributes={"{urn:p}x": "y"})
    sent = made.there_and_back(value)
    assert sent[1][0].tail == " after"
    seen = made.parse("<a>1</a><b>2</b>", valid=False, findings=1)
    assert seen.any == []
    with pytest.raises(EncodeError):
        made.write(made.types.AskRequest(a=1, id=1, any_attributes={"id": "3"}))


def test_any_type_is_kept_unchanged(make: Make) -> None:
    content = (
        '<x:sequence><x:element name="a" type="x:anyType"/><x:element name="b" minOccurs="0"/></x:sequence>'
    )
    made = make.request(content)
    node = etree.fromstring(
        f'<AskRequest xmlns="{SPACE}" xmlns:s="http://www.w3.org/2001/XMLSchema" xmlns:i="http://www.w3.org/2001/XMLSchema-instance">'
        '<a i:type="s:int">5</a><b><c d="1">x<e/>y<!-- no -->z</c></b></AskRequest>'
    )
    value = made.read(node)
    assert value.a == 5
    assert value.b.children[0].children[0].tail == "yz"
    again = made.there_and_back(value)
    assert made.zeep(again)["a"] == 5


def test_nil_and_absent_are_distinguished(make: Make) -> None:
    made = make.request(
        '<x:sequence><x:element name="must" type="x:int" nillable="true"/><x:element name="may" type="t:T" nillable="true" minOccurs="0"/>'
        '<x:element name="many" type="x:string" nillable="true" minOccurs="0" maxOccurs="unbounded"/></x:sequence>',
        '<x:complexType name="T"><x:sequence><x:element name="x" type="x:int"/></x:sequence></x:complexType>',
    )
    types = made.types
    sent = made.there_and_back(types.AskRequest(must=None, may=NIL, many=["a", None, ""]))
    seen = made.zeep(sent)
    assert (seen["must"], seen["may"], seen["many"]) == (None, {"x": None}, ["a", None, None])
    made.there_and_back(types.AskRequest(must=3, may=types.T(x=1)))
    made.there_and_back(types.AskRequest(must=3))
    with pytest.raises(DecodeError):
        made.parse("", valid=False)
    with pytest.raises(DecodeError):
        made.parse('<must i:nil="true">3</must>', valid=False)


def test_fixed_and_default_values(make: Make) -> None:
    made = make.request(
        '<x:sequence><x:element name="version" type="x:string" fixed="1.0"/><x:element name="since" type="x:date" fixed="2026-01-02"/><x:element name="n" type="x:int" default="4" minOccurs="0"/></x:sequence>',
        attributes='<x:attribute name="f" type="x:boolean" default="true"/><x:attribute name="g" type="x:decimal" fixed="1.5"/><x:attribute name="h" type="x:int" use="required" fixed="3"/>',
    )
    value = made.types.AskRequest()
    usual = (value.version, value.since, value.n, value.f, value.g, value.h)
    assert usual == ("1.0", None, None, True, Decimal("1.5"), 3)
    sent = made.write(value)
    assert [child.text for child in sent] == ["1.0", "2026-01-02"]
    assert dict(sent.attrib) == {"f": "true", "g": "1.5", "h": "3"}
    seen = made.parse("<version/><since/><n/>", attributes='h="3"')
    found = (seen.version, str(seen.since), seen.n, seen.f, seen.g)
    assert found == ("1.0", "2026-01-02", 4, True, Decimal("1.5"))


def test_lists_and_unions(make: Make) -> None:
    made = make.request(
        '<x:sequence><x:element name="sizes" type="t:sizes"/><x:element name="colors" type="t:colors" minOccurs="0"/><x:element name="either" type="t:either" maxOccurs="unbounded"/></x:sequence>',
        '<x:simpleType name="sizes"><x:list itemType="x:int"/></x:simpleType>'
        '<x:simpleType name="color"><x:restriction base="x:token"><x:enumeration value="red"/><x:enumeration value="blue"/></x:restriction></x:simpleType>'
        '<x:simpleType name="colors"><x:list itemType="t:color"/></x:simpleType>'
        '<x:simpleType name="either"><x:union memberTypes="x:int t:color x:date"/></x:simpleType>',
        '<x:attribute name="tokens" type="x:NMTOKENS"/>',
    )
    types = made.types
    colors, either = ["red", types.Color.BLUE], [3, "red", dt.date(2026, 1, 2)]
    value = types.AskRequest(tokens=["a", "b"], sizes=[1, 2], colors=colors, either=either)
    sent = made.there_and_back(value)
    assert [child.text for child in sent] == ["1 2", "red blue", "3", "red", "2026-01-02"]
    seen = made.zeep(sent)
    assert seen["sizes"] == [1, 2]
    made.there_and_back(types.AskRequest(sizes=[], either=[-1]))
    seen = made.parse("<sizes> 1\n2 </sizes><either>pink</either>", valid=False, findings=1)
    assert (seen.sizes, seen.either) == ([1, 2], ["pink"])
    for wrong in ({"sizes": 3}, {"sizes": ["1"]}, {"either": ["pink"]}, {"either": [None]}):
        with pytest.raises(EncodeError):
            made.write(types.AskRequest(**{"sizes": [], "either": [1], **wrong}))


_DERIVED = """<x:complexType name="Base" abstract="true"><x:sequence><x:element name="id" type="x:int"/></x:sequence></x:complexType>
<x:complexType name="Person"><x:complexContent><x:extension base="t:Base"><x:sequence><x:element name="name" type="x:string"/></x:sequence></x:extension></x:complexContent></x:complexType>
<x:complexType name="Worker"><x:complexContent><x:extension base="t:Person"><x:sequence><x:element name="boss" type="t:Person" minOccurs="0"/></x:sequence><x:attribute name="since" type="x:gYear"/></x:extension></x:complexContent></x:complexType>
<x:complexType name="Wide"><x:sequence><x:element name="a" type="x:int" minOccurs="0"/><x:element name="b" type="x:int" minOccurs="0"/></x:sequence></x:complexType>
<x:complexType name="Narrow"><x:complexContent><x:restriction base="t:Wide"><x:sequence><x:element name="a" type="x:int"/></x:sequence></x:restriction></x:complexContent></x:complexType>
"""


def test_derived_types_are_selected_by_xsi_type(make: Make) -> None:
    made = make.request(
        '<x:sequence><x:element name="who" type="t:Base"/><x:element name="wide" type="t:Wide" minOccurs="0" maxOccurs="unbounded"/></x:sequence>',
        _DERIVED,
    )
    types = made.types
    worker = types.Worker(id=1, name="w", since="1999", boss=types.Worker(id=2, name="b"))
    sent = made.there_and_back(types.AskRequest(who=worker, wide=[types.Wide(b=2), types.Narrow(a=1)]))
    assert issubclass(types.Worker, types.Person)
    assert not issubclass(types.Narrow, types.Wide)
    assert made.zeep(sent)["who"]["boss"]["name"] == "b"
    without = [child.get("{http://www.w3.org/2001/XMLSchema-instance}type") is None for child in sent]
    assert without == [False, True, False]
    with pytest.raises(EncodeError):
        made.write(types.AskRequest(who=types.Base(id=1)))
    for said in ("", 'i:type="t:Base"', 'i:type="t:Unheard"', 'i:type="no:Unheard"'):
        with pytest.raises(DecodeError):
            made.parse(f"<who {said}><id>1</id></who>", valid=False)
    inner = '<who i:type="t:Person"><id>1</id><name>p</name></who><wide i:type="t:Unheard"><a>1</a></wide>'
    seen = made.parse(inner, valid=False, findings=1)
    assert seen == types.AskRequest(who=types.Person(id=1, name="p"), wide=[types.Wide(a=1)])


def test_qualified_names_resolve_their_prefixes(make: Make) -> None:
    made = make.request(
        '<x:sequence><x:element name="q" type="x:QName" maxOccurs="unbounded"/><x:element name="l" type="t:l" minOccurs="0"/></x:sequence>',
        '<x:simpleType name="l"><x:list itemType="x:QName"/></x:simpleType>',
        '<x:attribute name="a" type="x:QName"/>',
    )
    names = ["{urn:one}a", "{urn:two}b", "c", "{urn:one}d"]
    value = made.types.AskRequest(q=names, l=["{urn:x}y", "{urn:z}y"], a="{urn:three}q")
    sent = made.there_and_back(value)
    seen = made.zeep(sent)  # zeep leaves the prefixes of names in their elements
    *elements, last = sent
    assert [name_at(*each) for each in zip(elements, seen["q"], strict=True)] == names
    assert [name_at(last, each) for each in seen["l"]] == ["{urn:x}y", "{urn:z}y"]
    assert name_at(sent, seen["a"]) == "{urn:three}q"
    for wrong in ("a:b", "{urn:one}", "{}a b", "{a{b}c", ""):
        with pytest.raises(EncodeError):
            made.write(made.types.AskRequest(q=[wrong]))
    with pytest.raises(DecodeError):
        made.parse("<q>no:thing</q>", valid=False)


def test_groups_of_elements_and_attributes(make: Make) -> None:
    made = make.request(
        '<x:sequence><x:group ref="t:g"/><x:group ref="t:h" minOccurs="0" maxOccurs="2"/></x:sequence>',
        '<x:group name="g"><x:sequence><x:element name="a" type="x:int"/></x:sequence></x:group><x:group name="h"><x:sequence><x:element name="b" type="x:int"/><x:element name="c" type="x:int"/></x:sequence></x:group>'
        '<x:attributeGroup name="ag"><x:attribute name="at" type="x:string"/></x:attributeGroup>',
        '<x:attributeGroup ref="t:ag"/>',
    )
    seen = made.parse("<a>1</a><b>2</b><c>3</c><b>4</b><c>5</c>", attributes='at="x"')
    sent = made.there_and_back(seen)
    assert [child.text for child in sent] == ["1", "2", "3", "4", "5"]
    assert len(seen.h) == 2


# ---- defaults of attributes


def _attribute(name: str, kind: str, said: str) -> str:
    return f'<x:attribute name="{name}" {said}><x:simpleType>{kind}</x:simpleType></x:attribute>'


def test_absent_attribute_of_any_type_has_its_default(make: Make) -> None:
    attributes = (
        _attribute("numbers", '<x:list itemType="x:int"/>', 'default="1 2"')
        + _attribute("none", '<x:list itemType="x:int"/>', 'default=""')
        + _attribute("either", '<x:union memberTypes="x:int x:date"/>', 'default="2026-03-01"')
        + '<x:attribute name="day" type="x:date" fixed="2026-03-01"/>'
    )
    made = make.request(attributes)
    value = made.parse("")
    assert (value.numbers, value.none) == ([1, 2], [])
    assert value.either == value.day == dt.date(2026, 3, 1)
    assert made.parse("", attributes='numbers="3"').numbers == [3]
    made.there_and_back(value)
    assert dict(made.write(made.types.AskRequest()).items()) == {}  # not sent: the service knows its default


def test_invalid_or_prefixed_default_is_ignored(make: Make) -> None:
    numbers = _attribute("numbers", '<x:list itemType="x:int"/>', 'default="one two"')
    made = make.request(numbers + _attribute("names", '<x:list itemType="x:QName"/>', 'default="t:a"'))
    node = made.write(made.types.AskRequest(), valid=False)
    value = made.read(node)
    assert (value.numbers, value.names) == (None, None)


# ---- fields named like identifiers that generated code uses


# All features of a reader: nil, defaults, wrapped lists, wildcards, groups, and elements in order.
_EVERYTHING = """<x:element name="zNil" type="x:int" nillable="true" minOccurs="0"/><x:element name="zGiven" type="x:int" default="5" minOccurs="0"/>
<x:element name="zWrap"><x:complexType><x:sequence><x:element name="i" type="x:int" nillable="true" minOccurs="0" maxOccurs="unbounded"/></x:sequence></x:complexType></x:element>
<x:element name="zAny" type="x:anyType" minOccurs="0"/><x:choice minOccurs="0" maxOccurs="unbounded"><x:element name="zA" type="x:int"/><x:element name="zB" type="x:int"/></x:choice>
<x:element name="zNil" type="x:int" nillable="true" minOccurs="0"/><x:any namespace="##other" processContents="lax" minOccurs="0" maxOccurs="unbounded"/>"""


def test_run_time_names_do_not_break_fields(make: Make) -> None:
    own = {"node", "reader", "child", "tag", "at"}
    names = sorted({name for name in FROM_RUNTIME if name.islower()} | own)
    assert "copied" in names
    fields = "".join(f'<x:element name="{name}" type="x:string" minOccurs="0"/>' for name in names)
    attributes = "".join(f'<x:attribute name="{name}" type="x:string"/>' for name in ("attribute", "raw"))
    made = make.request(f"<x:sequence>{fields}{_EVERYTHING}</x:sequence>{attributes}")
    inner = "".join(f"<{name}>text</{name}>" for name in names)
    further = '<zNil i:nil="true"/><zGiven/><zWrap><i>1</i><i i:nil="true"/></zWrap><zAny>x</zAny><zA>1</zA><zB>2</zB><zNil>3</zNil><o xmlns="urn:o"/>'
    value = made.parse(inner + further, attributes='attribute="a" raw="b"')
    assert [getattr(value, name) for name in value.__struct_fields__].count("text") == len(names)
    assert (value.attribute, value.raw, value.z_nil_2, value.z_given) == ("a", "b", 3, 5)
    made.there_and_back(value)


def test_field_named_like_a_builtin_gets_an_underscore(make: Make) -> None:
    names = ("list", "str", "int", "bool", "float", "bytes", "dict", "copied", "self", "dt")
    fields = "".join(f'<x:element name="{name}" type="x:int" maxOccurs="2"/>' for name in names)
    made = make.request(f"<x:sequence>{fields}</x:sequence>")
    value = made.types.AskRequest(**{f"{name}_": [1] for name in names})
    sent = made.there_and_back(value)
    assert [str(child.tag).rpartition("}")[2] for child in sent] == list(names)


# ---- nil elements with attributes, optional elements without a value, and overloaded operations

_SCHEMA = (
    """<x:element name="AskRequest"><x:complexType><x:sequence>
<x:element name="price" nillable="true"><x:complexType><x:simpleContent><x:extension base="x:decimal">
<x:attribute name="currency" use="required"/></x:extension></x:simpleContent></x:complexType></x:element>
<x:element name="note" type="t:Note" nillable="true" minOccurs="0" maxOccurs="unbounded"/>
<x:element name="free" nillable="true" minOccurs="0"><x:complexType><x:anyAttribute processContents="lax"/></x:complexType></x:element>
<x:element name="notes" minOccurs="0"><x:complexType><x:sequence><x:element name="note" type="t:Note" nillable="true" minOccurs="0" maxOccurs="unbounded"/></x:sequence></x:complexType></x:element>
<x:element name="day" type="x:date" minOccurs="0"/><x:element name="text" type="x:string" minOccurs="0"/>
</x:sequence></x:complexType></x:element>
<x:complexType name="Note"><x:sequence><x:element name="a" type="x:string"/></x:sequence><x:attribute name="lang"/></x:complexType>"""
    + RESPONSE
)


_SPACES = f'xmlns="{SPACE}" xmlns:i="http://www.w3.org/2001/XMLSchema-instance"'


def test_attributes_of_a_nil_element_are_findings(make: Make) -> None:
    made = make(_SCHEMA)
    inner = '<price currency="EUR" i:nil="true"/><note lang="de" i:nil="1"/><free any="x" i:nil="true"/><notes><note lang="en" i:nil="true"/></notes>'
    value = made.parse(inner, findings=4)
    assert (value.price, value.note, value.notes) == (None, [None], [None])
    reader = CountingReader()
    made.operation.read_request(etree.fromstring(f"<AskRequest {_SPACES}>{inner}</AskRequest>"), reader)
    told = {(finding.kind, finding.path) for finding in reader.findings}
    assert told == {("shortened", f"AskRequest/{name}") for name in ("price", "note", "free", "notes/note")}


def test_undeclared_attributes_of_a_nil_element_are_findings(make: Make) -> None:
    inner = '<price currency="EUR" odd="1" i:nil="true"/><notes><note odd="1" i:nil="true"/></notes>'
    # The findings: the currency and two odd attributes.
    assert make(_SCHEMA).parse(inner, valid=False, findings=3).price is None


def test_nil_without_a_required_attribute_is_not_written(make: Make) -> None:
    made = make(_SCHEMA)
    said = r"AskRequest/price: it cannot be nil, because its attribute currency"
    with pytest.raises(EncodeError, match=said):
        made.write(made.types.AskRequest(price=None))
    price = made.types.AskRequestPrice(value=1, currency="EUR")
    sent = made.write(made.types.AskRequest(price=price, note=[None]))
    assert sent[1].get("{http://www.w3.org/2001/XMLSchema-instance}nil") == "true"


def test_optional_elements_without_a_value_are_read_and_written(make: Make) -> None:
    made = make(_SCHEMA)
    price = '<price currency="EUR">1</price>'
    value = made.parse(price + "<day/><text/>", valid=False, findings=1)
    assert (value.day, value.text) == (None, "")
    value = made.parse(price + '<day> </day><text i:nil="true"/>', valid=False, findings=2)
    assert (value.day, value.text) == (None, None)


_OVERLOADED = case_text(__file__, "overloaded.wsdl")


@pytest.mark.parametrize(("second", "noted"), [("get", 1), ("put", 0)])
def test_an_overloaded_operation_is_noted_as_not_checked(second: str, noted: int) -> None:
    contract = read_any(_OVERLOADED.format(second=second))
    assert len(contract.operations) == 2
    assert sum("is not checked for either" in note.message for note in contract.notes) == noted


# ---- unusually large contracts: very wide types and very deep chains of extensions


@pytest.mark.exhaustive
def test_type_with_very_many_elements_and_attributes(make: Make) -> None:
    many = range(250)
    elements = "".join(f'<x:element name="e{at}" type="x:int" minOccurs="0"/>' for at in many)
    attributes = "".join(f'<x:attribute name="a{at}" type="x:int"/>' for at in range(120))
    made = make.request(f"<x:sequence>{elements}</x:sequence>{attributes}")
    wanted = {f"e{at}": at for at in many} | {f"a{at}": at for at in range(120)}
    made.there_and_back(made.types.AskRequest(**wanted))
    made.parse("<e1>1</e1><other/>", valid=False, findings=1)


@pytest.mark.exhaustive
def test_long_chain_of_extensions(make: Make) -> None:
    steps = 90
    types = "".join(
        f'<x:complexType name="T{at}"><x:complexContent><x:extension base="t:T{at - 1}"><x:sequence>'
        f'<x:element name="e{at}" type="x:int"/></x:sequence></x:extension></x:complexContent>'
        "</x:complexType>"
        for at in range(steps, 0, -1)
    )
    top = '<x:sequence><x:element name="top" type="t:T0"/></x:sequence>'
    made = make.request(top, f'{types}<x:complexType name="T0"/>')
    last = getattr(made.types, f"T{steps}")
    made.there_and_back(made.types.AskRequest(top=last(**{f"e{at}": at for at in range(1, steps + 1)})))


@pytest.mark.exhaustive
def test_names_are_bounded_and_unique(tmp_path: Path) -> None:
    space = naming.UniqueNames()
    names = [space.claim(naming.pascal("Name" * 100 + end)) for end in ("a", "b", "a")]
    assert len(set(names)) == 3
    assert max(map(len, names)) <= naming.LONGEST + 2
    code = "from bindgen import naming; print(naming.pascal('Name' * 100 + 'a'))"
    assert imported(tmp_path, code) == names[0]
