"""RPC style, literal and encoded: wrappers named after the operation, and multi-reference values."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import requests
from lxml import etree

from soapclient import Settings
from soapclient.errors import AmbiguousOutcome, ContractDrift, ContractError, ResponseError
from soapclient.testing import mock
from tests.connection.conftest import HERE, Make
from tests.support import soap as support
from tests.support.cases import case_text
from tests.support.packages import generated

XML = "text/xml"
SPACES = """xmlns:r="urn:example:rpc" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
    xmlns:e="http://schemas.xmlsoap.org/soap/encoding/" xmlns:t="urn:example:sums"
    xmlns:x="http://www.w3.org/2001/XMLSchema\""""
SAFE = Settings(safe={"Add", "List"}, attempts=1)


def envelope(body: str) -> str:
    return support.envelope(body, spaces=SPACES)


@pytest.fixture
def service(sums: ModuleType, recorder: Any, open_service: Any) -> Any:
    return open_service(sums.SumsService, recorder.url, settings=SAFE)


@pytest.fixture(scope="session")
def sums(make_package: Make) -> ModuleType:
    return make_package("sums", HERE / "sums.wsdl")


def test_parts_are_in_a_wrapper_named_like_the_operation(service: Any, recorder: Any) -> None:
    recorder.answers(envelope("<r:AddResponse><sum>5</sum></r:AddResponse>"), 200, XML)
    assert service.add(a=2, b=3).sum == 5
    message = recorder.last.message
    assert message.tag == "{urn:example:rpc}Add"
    assert [(node.tag, node.text) for node in message] == [("a", "2"), ("b", "3")]


def test_response_wrapper_may_have_any_name(service: Any, recorder: Any) -> None:
    recorder.answers(envelope("<r:Whatever><sum>5</sum></r:Whatever>"), 200, XML)
    assert service.add(a=2, b=3).sum == 5  # SOAP 1.1 7.1


def test_renamed_wrapper_without_known_parts_is_an_error(service: Any, recorder: Any) -> None:
    """All fields of an encoded response are optional.

    Another operation's response would be decoded as empty.
    """
    recorder.answers(envelope("<r:AddResponse><sum>5</sum></r:AddResponse>"), 200, XML)
    with pytest.raises(ResponseError, match="AddResponse"):
        service.list_(prefix="x")
    for body in ("<r:Whatever/>", "<r:ListResponse/>"):
        recorder.answers(envelope(body), 200, XML)
        assert service.list_(prefix="x").pairs is None
    recorder.answers(envelope("<r:Whatever><pairs/><sum>5</sum></r:Whatever>"), 200, XML)
    assert service.list_(prefix="x").pairs.item == []
    recorder.answers(envelope("<r:ListResponse><new>5</new></r:ListResponse>"), 200, XML)
    assert service.list_(prefix="x").pairs is None


def test_response_of_another_operation_is_damage(sums: ModuleType, recorder: Any, open_service: Any) -> None:
    """A safe operation is retried. Otherwise the request may have been processed."""
    other = envelope("<r:AddResponse><sum>5</sum></r:AddResponse>")
    own = envelope("<r:ListResponse><pairs/></r:ListResponse>")
    safe = Settings(safe={"List"})
    for answer in (other, own):
        recorder.answers(answer, 200, XML)
    assert open_service(sums.SumsService, recorder.url, settings=safe).list_(prefix="x").pairs.item == []
    assert len(recorder.sent) == 2
    recorder.answers(other, 200, XML)
    with pytest.raises(AmbiguousOutcome, match="AddResponse"):
        open_service(sums.SumsService, recorder.url).list_(prefix="x")
    assert len(recorder.sent) == 3


@pytest.mark.parametrize("body", ["<r:ListResponse><pairs/></r:ListResponse>", "<r:ListResponse/>"])
def test_response_of_another_operation_without_required_parts_is_damage(
    sums: ModuleType, recorder: Any, open_service: Any, body: str
) -> None:
    for answer in (body, "<r:AddResponse><sum>5</sum></r:AddResponse>"):
        recorder.answers(envelope(answer), 200, XML)
    safe = Settings(safe={"Add"})
    assert open_service(sums.SumsService, recorder.url, settings=safe).add(a=2, b=3).sum == 5
    recorder.answers(envelope(body), 200, XML)
    with pytest.raises(AmbiguousOutcome, match="ListResponse"):
        open_service(sums.SumsService, recorder.url).add(a=2, b=3)
    recorder.answers(envelope("<r:AddResponse/>"), 200, XML)  # the operation's own response: it was processed
    with pytest.raises(ResponseError, match="sum"):
        open_service(sums.SumsService, recorder.url).add(a=2, b=3)


def test_requests_of_zeep_are_validated_against_the_derived_schema(service: Any, recorder: Any) -> None:
    with pytest.raises(ContractError, match="b"):
        service.zeep.Add(a=1, b="two")
    assert recorder.sent == []


def test_referenced_values_are_resolved(service: Any, recorder: Any) -> None:
    body = """<r:ListResponse s:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/">
        <pairs href="#all"/></r:ListResponse>
        <multiRef id="all" e:root="0" xsi:type="e:Array" e:arrayType="t:Pair[2]">
          <item href="#one"/><item xsi:type="t:Pair"><name>b</name><value href="#seven"/></item></multiRef>
        <multiRef id="one" xsi:type="t:Pair"><name>a</name><value href="#seven"/></multiRef>
        <multiRef id="seven" xsi:type="x:int">7</multiRef>"""
    recorder.answers(envelope(body), 200, XML)
    told = service.list_(prefix="x")
    assert [(pair.name, pair.value) for pair in told.pairs.item] == [("a", 7), ("b", 7)]
    top = etree.fromstring(recorder.last.body)
    assert top.get(f"{{{support.SOAP_11}}}encodingStyle") == "http://schemas.xmlsoap.org/soap/encoding/"


def test_encoded_parts_have_xsi_types(service: Any, recorder: Any) -> None:
    recorder.answers(envelope("<r:ListResponse><pairs/></r:ListResponse>"), 200, XML)
    service.list_(prefix="x")
    [part] = etree.fromstring(recorder.last.body)[0][0]
    said = part.get("{http://www.w3.org/2001/XMLSchema-instance}type")
    assert said is not None
    prefix, _, local = said.partition(":")
    assert (part.tag, part.text) == ("prefix", "x")
    assert (part.nsmap[prefix], local) == ("http://www.w3.org/2001/XMLSchema", "string")
    recorder.answers(envelope("<r:AddResponse><sum>5</sum></r:AddResponse>"), 200, XML)
    service.add(a=2, b=3)
    assert [dict(part.attrib) for part in etree.fromstring(recorder.last.body)[0][0]] == [{}, {}]


def test_circular_and_dangling_references_are_refused(service: Any, recorder: Any) -> None:
    circle = '<m id="all"><item href="#one"/></m><m id="one"><item href="#all"/></m>'
    for told, said in ((circle, "without a cycle"), ("", "with this id")):
        recorder.answers(envelope(f'<r:ListResponse><pairs href="#all"/></r:ListResponse>{told}'), 200, XML)
        with pytest.raises(ResponseError, match=said):
            service.list_(prefix="x")


def test_deep_reference_chains_are_refused_early(service: Any, recorder: Any) -> None:
    levels = "".join(
        f'<m id="n{at}">{"<i>" * 50}<i href="#n{at + 1}"/>{"</i>" * 50}</m>' for at in range(100)
    )
    body = f'<r:ListResponse><pairs href="#n0"/></r:ListResponse>{levels}<m id="n100"/>'
    recorder.answers(envelope(body), 200, XML)
    with pytest.raises(ResponseError, match="fewer, less deeply nested references"):
        service.list_(prefix="x")


def test_references_to_references_are_followed_up_to_a_limit(service: Any, recorder: Any) -> None:
    for count in (200, 2000):
        chain = "".join(f'<m id="n{at}" href="#n{at + 1}"/>' for at in range(count))
        body = f'<r:ListResponse><pairs href="#n0"/></r:ListResponse>{chain}<m id="n{count}"/>'
        recorder.answers(envelope(body), 200, XML)
        if count == 200:
            assert service.list_(prefix="x").pairs.item == []
        else:
            with pytest.raises(ResponseError, match="a shorter chain of references"):
                service.list_(prefix="x")


@pytest.mark.exhaustive
def test_multiplying_references_are_refused_early(service: Any, recorder: Any) -> None:
    pointers = [f'<i href="#n{at + 1}"/>' * 10 for at in range(12)]
    levels = "".join(f'<m id="n{at}">{inside}</m>' for at, inside in enumerate(pointers))
    body = f'<r:ListResponse><pairs href="#n0"/></r:ListResponse>{levels}<m id="n12"/>'
    recorder.answers(envelope(body), 200, XML)
    with pytest.raises(ResponseError, match="fewer, less deeply nested references"):
        service.list_(prefix="x")


# ---- arrays as Axis 1.4 sends them: items named like their array, separate values, prefixes declared where
# used

ORDER = case_text(__file__, "order.wsdl")


@pytest.fixture(scope="session")
def axis(make_package: Make) -> ModuleType:
    return make_package("axis", HERE / "axis.wsdl")


def found(body: str, *apart: str) -> str:
    """The body of a response with an order and its multi-reference values."""
    order = f"<findReturn><number>1</number>{body}</findReturn>"
    return f'<r:findResponse xmlns:a="urn:example:axis">{order}</r:findResponse>{"".join(apart)}'


@pytest.fixture
def orders(axis: ModuleType, recorder: Any, open_service: Any) -> Any:
    """Request the orders, with a body as response. A finding is an error."""

    def ask(body: str, xmlns: str = "") -> Any:
        text = envelope(body).replace("urn:example:rpc", "urn:example:axis")
        recorder.answers(text.replace("<s:Envelope", f"<s:Envelope {xmlns}"), 200, XML)
        settings = Settings(attempts=1, drift="error")
        return open_service(axis.AxisService, recorder.url, settings=settings).find(number="A-1")

    return ask


def test_arrays_with_any_item_name_are_read_completely(axis: ModuleType, orders: Any) -> None:
    types = import_module("axis.types")
    order = orders(ORDER).find_return
    assert order.number == "A-1"
    assert order.lines == [
        types.Line(sku="bolt", pieces=7),
        types.BigLine(sku="beam", pieces=7, pallets=2),
        None,
    ]
    assert [note.text for note in order.notes] == ["heavy", "fragile"]
    assert [note.text for note in order.remarks] == ["heavy"]
    assert [row.item for row in order.grid] == [[1, 2], [3]]


@pytest.mark.parametrize(
    "lines",
    [
        '<lines e:arrayType="t:Line[3]">'
        '<item xsi:type="n:BigLine" xmlns:n="urn:example:axis">{big}</item></lines>',
        '<lines e:arrayType="t:Line[]">'
        '<t:Line xsi:type="t:BigLine" xmlns:t="urn:example:axis">{big}</t:Line></lines>',
        '<lines xmlns:c="http://www.w3.org/2003/05/soap-encoding" c:itemType="t:Line" c:arraySize="1">'
        '<x xsi:type="n:BigLine" xmlns:n="urn:example:axis">{big}</x></lines>',
        '<lines href="#here"/>',
    ],
)
def test_array_items_with_any_name_are_read(orders: Any, lines: str) -> None:
    big = "<sku>beam</sku><pieces>7</pieces><pallets>2</pallets>"
    array = '<e:Array id="here" e:arrayType="t:Line[1]"><a href="#it"/></e:Array>'
    item = f'<q:BigLine id="it" xsi:type="q:BigLine" xmlns:q="urn:example:axis">{big}</q:BigLine>'
    [line] = orders(found(lines.format(big=big), array, item)).find_return.lines
    assert (type(line).__name__, line.sku, line.pieces, line.pallets) == ("BigLine", "beam", 7, 2)


@pytest.mark.parametrize(
    "lines",
    [
        '<lines e:arrayType="t:Line[5]" e:offset="[2]"><i>{line}</i></lines>',
        '<lines e:arrayType="t:Line[5]"><i e:position="[3]">{line}</i></lines>',
        '<lines e:arrayType="t:Line[5]"><i e:position="[0]">{line}</i><i e:position="[2]">{line}</i></lines>',
    ],
)
def test_partial_array_is_refused(orders: Any, lines: str) -> None:
    line = "<sku>bolt</sku><pieces>7</pieces>"
    with pytest.raises(ResponseError, match="a complete array"):
        orders(found(lines.format(line=line)))


def test_array_positions_that_match_the_order_are_accepted(orders: Any) -> None:
    line = "<sku>bolt</sku><pieces>7</pieces>"
    items = "".join(f'<i e:position="[{at}]">{line}</i>' for at in range(2))
    sent = f'<lines e:arrayType="t:Line[2]" e:offset="[0]">{items}</lines>'
    assert [each.sku for each in orders(found(sent)).find_return.lines] == ["bolt", "bolt"]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("came", ["item", "notes", "note", "remark", "lines", "x"])
def test_item_names_follow_the_enclosing_type(orders: Any, came: str) -> None:
    """`notes` is an array of notes in an order and in its bill, with items named `note` and `remark`."""
    notes = f'<notes e:arrayType="a:Note[1]"><{came}><text>{{}}</text></{came}></notes>'
    lines = f'<lines e:arrayType="a:Line[1]"><{came}><sku>b</sku><pieces>1</pieces></{came}></lines>'
    inside = notes.format("bill") + lines
    for bill in (f"<bill>{inside}</bill>", '<bill href="#bill"/>'):
        apart = f'<multiRef id="bill" xsi:type="a:Bill" xmlns:a="urn:example:axis">{inside}</multiRef>'
        order = orders(found(notes.format("order") + bill, apart)).find_return
        assert [note.text for note in order.notes] == ["order"]
        assert [note.text for note in order.bill.notes] == ["bill"]
        assert [line.sku for line in order.bill.lines] == ["b"]


def test_array_items_of_a_derived_type_are_read(orders: Any) -> None:
    notes = '<{0} e:arrayType="a:Note[1]"><item><text>{0}</text></item></{0}>'
    inside = notes.format("notes") + notes.format("earlier")
    apart = f'<m id="b" xsi:type="a:Reminder" xmlns:a="urn:example:axis">{inside}</m>'
    for bill in (f'<bill xsi:type="a:Reminder">{inside}</bill>', '<bill href="#b"/>'):
        told = orders(found(bill, apart)).find_return.bill
        assert [note.text for note in told.notes] == ["notes"]
        assert [note.text for note in told.earlier] == ["earlier"]


def test_item_name_is_not_guessed_if_there_are_several(orders: Any) -> None:
    sent = '<parcels e:arrayType="a:Note[1]"><{0}><text>a</text></{0}></parcels>'
    [box] = orders(found(sent.format("box"))).find_return.parcels.box
    assert box.text == "a"
    with pytest.raises(ContractDrift, match="parcels/item"):
        orders(found(sent.format("item")))


def test_prefixes_declared_on_the_envelope_are_known(orders: Any) -> None:
    """Type names are in attribute values.

    Copying only elements loses the declarations of their prefixes.
    """
    big = "<sku>beam</sku><pieces>7</pieces><pallets>2</pallets>"
    sent = (
        f'<lines e:arrayType="only:Line[1]"><i xsi:type="only:BigLine">{big}</i></lines>'
        '<rest><item xsi:type="only:BigLine"/></rest>'
    )
    order = orders(found(sent), xmlns='xmlns:only="urn:example:axis"').find_return
    [line] = order.lines
    assert (type(line).__name__, line.pallets) == ("BigLine", 2)
    [item] = order.rest.children
    assert item.attributes["{http://www.w3.org/2001/XMLSchema-instance}type"] == "{urn:example:axis}BigLine"


# A global element of the contract has the name of the wrapper, for requests and for responses. The second
# port type sends that element itself, in document style.
TAKEN = case_text(__file__, "taken.wsdl")


@pytest.fixture(scope="session")
def taken() -> Iterator[ModuleType]:
    with generated("taken", TAKEN.replace("USE", "literal")) as package:
        yield package


def added(content: str) -> str:
    return envelope(f'<k:AddResponse xmlns:k="urn:example:taken">{content}</k:AddResponse>')


def test_a_wrapper_is_not_a_global_element_of_its_name(
    taken: ModuleType, recorder: Any, open_service: Any
) -> None:
    every = Settings(validate="all", safe={"Add"}, attempts=1)
    connection = open_service(taken.TakenService, recorder.url, settings=every)
    recorder.answers(added("<sum>5</sum>"), 200, XML)
    assert connection.add(a=2, b=3).sum == 5
    message = recorder.last.message
    assert message.tag == "{urn:example:taken}Add"
    assert [(node.tag, node.text) for node in message] == [("a", "2"), ("b", "3")]
    with pytest.raises(ContractError, match="Add: b must be"):
        connection.zeep.Add(a=1, b="two")
    assert len(recorder.sent) == 1
    recorder.answers(added('<sum xsi:type="x:int">5</sum>'), 200, XML)  # a prefix of the envelope
    assert connection.add(a=2, b=3).sum == 5
    for wrong in ("<sum>no</sum>", '<sum xsi:type="x:string">5</sum>'):
        recorder.answers(added(wrong), 200, XML)
        with pytest.raises(ResponseError, match="sum"):
            connection.add(a=2, b=3)


def test_global_element_is_validated_by_its_declaration(
    taken: ModuleType, recorder: Any, open_service: Any
) -> None:
    connection = open_service(taken.WholeService, recorder.url, settings=Settings(validate="all"))
    recorder.answers(added("5"), 200, XML)
    assert connection.whole(value=2).value == 5
    with pytest.raises(ContractError, match="Add"):
        connection.zeep.Whole("two")


def test_mock_accepts_rpc_wrappers(taken: ModuleType, open_service: Any) -> None:
    with mock("taken") as served:
        served.on("Add", a=2).reply(sum=7)
        service = open_service(taken.TakenService, served.address("P"))
        assert service.add(a=2, b=3).sum == 7
        assert isinstance(service.add(a=1, b=1).sum, int)
        text = envelope('<k:Add xmlns:k="urn:example:taken"><a>1</a><b>two</b></k:Add>')
        response = requests.post(served.address("P"), text, headers={"Content-Type": "text/xml"}, timeout=10)
        assert b"Add: b must be" in response.content


@pytest.mark.exhaustive
def test_reference_validates_rpc_examples(tmp_path: Path) -> None:
    from bindgen.docs import site, sources  # slow

    wsdl = tmp_path / "taken.wsdl"
    wsdl.write_text(TAKEN.replace("USE", "literal"), encoding="utf-8")
    pages = site.pages(*sources.of_wsdl("taken", wsdl), folder="taken", overview="taken.html")
    assert b"Add" in pages[""]
    assert b"not valid" not in pages[""]
