"""RPC style, literal and encoded: wrappers by the operation's name, values that stand apart."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from lxml import etree

from soapclient.errors import ContractError, ReplyError
from soapclient.services import ServiceSettings

SOAP = "http://schemas.xmlsoap.org/soap/envelope/"
XML = "text/xml"
SAFE = ServiceSettings(safe={"Add", "List"}, attempts=1)


def envelope(body: str) -> str:
    return f"""<s:Envelope xmlns:s="{SOAP}" xmlns:r="urn:example:rpc" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
        xmlns:e="http://schemas.xmlsoap.org/soap/encoding/" xmlns:t="urn:example:sums"
        xmlns:x="http://www.w3.org/2001/XMLSchema"><s:Body>{body}</s:Body></s:Envelope>"""


@pytest.fixture
def service(sums: ModuleType, recorder: Any, open_service: Any) -> Any:
    return open_service(sums.SumsService, recorder.url, settings=SAFE).service


@pytest.fixture(scope="session")
def sums(make_package: Any) -> ModuleType:
    from pathlib import Path

    module: ModuleType = make_package("sums", Path(__file__).parent / "sums.wsdl")
    return module


def test_parts_stand_in_a_wrapper_of_the_operation_s_name(service: Any, recorder: Any) -> None:
    recorder.answers(envelope("<r:AddResponse><sum>5</sum></r:AddResponse>"), 200, XML)
    assert service.add(a=2, b=3).sum == 5
    message = etree.fromstring(recorder.last.body)[0][0]
    assert message.tag == "{urn:example:rpc}Add"
    assert [(node.tag, node.text) for node in message] == [("a", "2"), ("b", "3")]


def test_the_wrapper_of_a_reply_may_be_called_anything(service: Any, recorder: Any) -> None:
    recorder.answers(envelope("<r:Whatever><sum>5</sum></r:Whatever>"), 200, XML)
    assert service.add(a=2, b=3).sum == 5  # SOAP 1.1 7.1


def test_requests_are_checked_against_the_schema_made_up_for_them(
    sums: ModuleType, recorder: Any, open_service: Any
) -> None:
    connection = open_service(sums.SumsService, recorder.url)
    with pytest.raises(ContractError, match="b"):
        connection.zeep.Add(a=1, b="two")
    assert recorder.sent == []


def test_values_that_stand_apart_are_put_where_they_belong(service: Any, recorder: Any) -> None:
    body = """<r:ListResponse s:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/">
        <pairs href="#all"/></r:ListResponse>
        <multiRef id="all" e:root="0" xsi:type="e:Array" e:arrayType="t:Pair[2]">
          <item href="#one"/><item xsi:type="t:Pair"><name>b</name><value href="#seven"/></item></multiRef>
        <multiRef id="one" xsi:type="t:Pair"><name>a</name><value href="#seven"/></multiRef>
        <multiRef id="seven" xsi:type="x:int">7</multiRef>"""
    recorder.answers(envelope(body), 200, XML)
    told = called(service)
    assert [(pair.name, pair.value) for pair in _items(told)] == [("a", 7), ("b", 7)]
    top = etree.fromstring(recorder.last.body)
    assert top.get(f"{{{SOAP}}}encodingStyle") == "http://schemas.xmlsoap.org/soap/encoding/"


def test_encoded_parts_say_their_types(service: Any, recorder: Any) -> None:
    recorder.answers(envelope("<r:ListResponse><pairs/></r:ListResponse>"), 200, XML)
    called(service)
    [part] = etree.fromstring(recorder.last.body)[0][0]
    said = part.get("{http://www.w3.org/2001/XMLSchema-instance}type")
    assert said is not None
    prefix, _, local = said.partition(":")
    assert (part.tag, part.text) == ("prefix", "x")
    assert (part.nsmap[prefix], local) == ("http://www.w3.org/2001/XMLSchema", "string")
    recorder.answers(envelope("<r:AddResponse><sum>5</sum></r:AddResponse>"), 200, XML)
    service.add(a=2, b=3)
    assert [dict(part.attrib) for part in etree.fromstring(recorder.last.body)[0][0]] == [{}, {}]


def called(service: Any) -> Any:
    """Calls List, whose name is taken in Python."""
    return next(getattr(service, name) for name in dir(service) if name.startswith("list"))(prefix="x")


def _items(reply: Any) -> list[Any]:
    """The items, however deep the array's type lies."""
    pairs = reply.pairs
    while not isinstance(pairs, list):
        [name] = pairs.__struct_fields__
        pairs = getattr(pairs, name)
    found: list[Any] = pairs
    return found


def test_a_circle_and_a_pointer_to_nothing_are_refused(service: Any, recorder: Any) -> None:
    circle = '<m id="all"><item href="#one"/></m><m id="one"><item href="#all"/></m>'
    for told, said in ((circle, "circle"), ("", "of that id")):
        recorder.answers(envelope(f'<r:ListResponse><pairs href="#all"/></r:ListResponse>{told}'), 200, XML)
        with pytest.raises(ReplyError, match=said):
            called(service)


def test_pointers_that_lead_ever_deeper_end_early(service: Any, recorder: Any) -> None:
    levels = "".join(
        f'<m id="n{at}">{"<i>" * 50}<i href="#n{at + 1}"/>{"</i>" * 50}</m>' for at in range(100)
    )
    body = f'<r:ListResponse><pairs href="#n0"/></r:ListResponse>{levels}<m id="n100"/>'
    recorder.answers(envelope(body), 200, XML)
    with pytest.raises(ReplyError, match="without an end"):
        called(service)


def test_pointers_that_multiply_end_early(service: Any, recorder: Any) -> None:
    pointers = [f'<i href="#n{at + 1}"/>' * 10 for at in range(12)]
    levels = "".join(f'<m id="n{at}">{inside}</m>' for at, inside in enumerate(pointers))
    body = f'<r:ListResponse><pairs href="#n0"/></r:ListResponse>{levels}<m id="n12"/>'
    recorder.answers(envelope(body), 200, XML)
    with pytest.raises(ReplyError, match="without an end"):
        called(service)
