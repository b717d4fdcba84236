"""Messages, headers and faults with substitutable types; nil messages; headers with equal part names."""

# ruff: noqa: E501 - WSDLs in text are easier to read unbroken

from __future__ import annotations

import datetime as dt
import gc
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from lxml import etree

from soapclient import Settings
from soapclient.errors import ContractDrift, ContractError, ResponseError, ServiceFault
from tests.support.cases import case_text

SPACE = "urn:example:fleet"
SOAP = "http://schemas.xmlsoap.org/soap/envelope/"
XSI = "http://www.w3.org/2001/XMLSchema-instance"
XML = "text/xml; charset=utf-8"
OPERATIONS = ("Move", "Count", "Name", "Fill", "Store")


def part(name: str, element: str, called: str = "p") -> str:
    return f'<message name="{name}"><part name="{called}" element="t:{element}"/></message>'


def operations() -> tuple[str, str]:
    fault = '<fault name="refused" message="t:Refused"/>'
    abstract = bound = ""
    for name in OPERATIONS:
        ends = f'<input message="t:{name}In"/><output message="t:{name}Out"/>'
        abstract += f'<operation name="{name}">{ends}{fault}</operation>'
        heads = "".join(
            f'<s:header message="t:{h}Head" part="header" use="literal"/>' for h in ("Key", "Mark")
        )
        body = '<s:body use="literal"/>'
        bound += (
            f'<operation name="{name}"><s:operation soapAction="{name}"/><input>{heads}{body}</input>'
            f'<output>{heads}{body}</output><fault name="refused"><s:fault name="refused" use="literal"/>'
            "</fault></operation>"
        )
    return abstract, bound


SCHEMA = case_text(__file__, "any-types.xsd")
ABSTRACT, BOUND = operations()
MESSAGES = "".join(part(f"{name}{end}", f"{name}{end}") for name in OPERATIONS for end in ("In", "Out"))
WSDL = f"""<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/"
  xmlns:t="{SPACE}" xmlns:x="http://www.w3.org/2001/XMLSchema" targetNamespace="{SPACE}">
<types><x:schema targetNamespace="{SPACE}" elementFormDefault="qualified">{SCHEMA}</x:schema></types>
{MESSAGES}{part("KeyHead", "Key", "header")}{part("MarkHead", "Mark", "header")}{part("Refused", "RefusedFault")}
<portType name="Fleet">{ABSTRACT}</portType>
<binding name="B" type="t:Fleet">
<s:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>{BOUND}</binding>
<service name="S"><port name="P" binding="t:B"><s:address location="http://127.0.0.1:9/"/></port></service>
</definitions>"""


@pytest.fixture(scope="module")
def fleet(make_package: Any, tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    wsdl: Path = tmp_path_factory.mktemp("fleet") / "fleet.wsdl"
    wsdl.write_text(WSDL)
    module: ModuleType = make_package("fleet", wsdl)
    return module


@pytest.fixture
def types(fleet: ModuleType) -> Any:
    import fleet.types as made  # type: ignore[import-not-found] # generated just now

    return made


def settings(**given: Any) -> Settings:
    return Settings(safe=set(OPERATIONS), attempts=1, **given)


@pytest.fixture
def service(fleet: ModuleType, recorder: Any, open_service: Any) -> Any:
    return open_service(fleet.FleetService, recorder.url, settings=settings())


def envelope(body: str, head: str = "") -> str:
    header = f"<s:Header>{head}</s:Header>" if head else ""
    spaces = f'xmlns:s="{SOAP}" xmlns="{SPACE}" xmlns:f="{SPACE}" xmlns:i="{XSI}"'
    return f"<s:Envelope {spaces}>{header}<s:Body>{body}</s:Body></s:Envelope>"


def fault(detail: str) -> str:
    said = "<faultcode xmlns=''>s:Server</faultcode><faultstring xmlns=''>no</faultstring>"
    return envelope(f"<s:Fault>{said}<detail xmlns=''>{detail}</detail></s:Fault>")


def sent(recorder: Any) -> etree._Element:
    """The message in the body of the only request, as sent."""
    (request,) = recorder.sent
    body = etree.fromstring(request.body).find(f"{{{SOAP}}}Body")
    assert body is not None
    schema = etree.tostring(next(etree.fromstring(WSDL).iter("{http://www.w3.org/2001/XMLSchema}schema")))
    etree.XMLSchema(etree.fromstring(schema)).assertValid(body[0])
    return body[0]


def said_type(node: etree._Element) -> str:
    prefix, _, local = (node.get(f"{{{XSI}}}type") or "").rpartition(":")
    return f"{{{node.nsmap[prefix or None]}}}{local}" if local else ""


def test_messages_may_have_a_derived_type(service: Any, recorder: Any, types: Any) -> None:
    recorder.answers(
        envelope('<MoveOut i:type="f:Bus"><plate>B1</plate><seats>40</seats></MoveOut>'), 200, XML
    )
    assert service.move_with(types.Bus(plate="B1", seats=40)) == types.Bus(plate="B1", seats=40)
    node = sent(recorder)
    assert (said_type(node), [each.text for each in node]) == (f"{{{SPACE}}}Bus", ["B1", "40"])


def test_response_may_substitute_the_declared_element(service: Any, recorder: Any, types: Any) -> None:
    recorder.answers(envelope("<BusOut><plate>B1</plate><seats>40</seats></BusOut>"), 200, XML)
    assert service.move(plate="B1") == types.Bus(plate="B1", seats=40)


def test_messages_may_have_the_declared_type(service: Any, recorder: Any, types: Any) -> None:
    recorder.answers(envelope("<MoveOut><plate>B1</plate></MoveOut>"), 200, XML)
    answer = service.move(plate="B1")
    assert (type(answer), answer.plate) == (types.Vehicle, "B1")
    assert said_type(sent(recorder)) == ""


def test_request_of_an_abstract_type_needs_a_derived_type(service: Any, recorder: Any, types: Any) -> None:
    recorder.answers(envelope("<CountOut>3</CountOut>"), 200, XML)
    when = dt.datetime(2026, 11, 20, 12, 0)
    assert service.count(types.Rush(id=1, by=when)).value == 3
    node = sent(recorder)
    assert said_type(node) == f"{{{SPACE}}}Rush"
    assert [each.text for each in node] == ["1", "2026-11-20T12:00:00"]
    with pytest.raises(ContractError, match="Rush"):
        service.count(types.Order(id=1))


def test_headers_with_equal_part_names_are_distinguished(
    fleet: ModuleType, types: Any, recorder: Any, open_service: Any
) -> None:
    heard: list[tuple[str, Any]] = []
    service = open_service(
        fleet.FleetService, recorder.url, settings=settings(), on_headers=lambda *each: heard.append(each)
    )
    head = '<Key i:type="f:Bus"><plate>K</plate><seats>2</seats></Key><Mark>m</Mark>'
    recorder.answers(envelope("<FillOut/>", head), 200, XML)
    service.fill(key_header=types.Bus(plate="K", seats=1), mark_header=types.Mark(value="x"))
    assert heard == [("Fill", {"Key": types.Bus(plate="K", seats=2), "Mark": types.Mark(value="m")})]
    (request,) = recorder.sent
    header = etree.fromstring(request.body)[0]
    assert [(each.tag, said_type(each)) for each in header] == [
        (f"{{{SPACE}}}Key", f"{{{SPACE}}}Bus"),
        (f"{{{SPACE}}}Mark", ""),
    ]


def test_fault_detail_may_have_a_derived_type(service: Any, recorder: Any, types: Any) -> None:
    recorder.answers(fault('<f:RefusedFault i:type="f:Flat"><f:tyre>2</f:tyre></f:RefusedFault>'), 500, XML)
    with pytest.raises(ServiceFault) as caught:
        service.fill()
    assert caught.value.detail == types.Flat(tyre=2)


def test_too_deep_fault_detail_is_handled(service: Any, recorder: Any) -> None:
    deep = "<f:cause>" * 240 + "</f:cause>" * 240
    recorder.answers(fault(f"<f:RefusedFault>{deep}</f:RefusedFault>"), 500, XML)
    with pytest.raises(ServiceFault, match="no") as caught:
        service.fill()
    assert caught.value.fault_code == "Server"


def test_nil_responses_are_read(service: Any, recorder: Any, types: Any) -> None:
    recorder.answers(envelope('<CountOut i:nil="true"/>'), 200, XML)
    rush = types.Rush(id=1, by=dt.datetime(2026, 11, 20, tzinfo=dt.UTC))
    assert service.count(rush).value is None
    recorder.answers(envelope('<FillOut i:nil="1"/>'), 200, XML)
    assert service.fill() == types.Plain()
    recorder.answers(envelope('<NameOut i:nil="true"/>'), 200, XML)
    assert service.name(value="x").who is None  # required, but a nil element has no content


def test_nil_request_is_sent(service: Any, recorder: Any) -> None:
    recorder.answers(envelope("<NameOut><who>w</who></NameOut>"), 200, XML)
    assert service.name(value=None).who == "w"
    assert sent(recorder).get(f"{{{XSI}}}nil") == "true"


@pytest.mark.parametrize(
    ("inner", "detail"),
    [
        ("<n/>", ""),
        ('<n i:nil="true"/>', "xsi:nil"),
        ('<c i:nil="true"/>', "xsi:nil"),
        ('<c i:type="f:Bus"><who>w</who></c>', "f:Bus"),
    ],
)
def test_present_elements_without_a_value_are_read(
    fleet: ModuleType, types: Any, recorder: Any, open_service: Any, inner: str, detail: str
) -> None:
    recorder.answers(envelope(f"<FillOut>{inner}</FillOut>"), 200, XML)
    met: list[tuple[str, str, str]] = []
    tolerant = open_service(
        fleet.FleetService,
        recorder.url,
        settings=settings(drift="tolerate"),
        on_finding=lambda _, finding, times: met.append(tuple(finding)),
    )
    answer = tolerant.fill()
    assert answer == (types.Plain(c=types.Crew(who="w")) if "who" in inner else types.Plain())
    assert met == [("value", f"FillOut/{inner[1]}", detail)]
    strict = open_service(fleet.FleetService, recorder.url, settings=settings(drift="error"))
    recorder.answers(envelope(f"<FillOut>{inner}</FillOut>"), 200, XML)
    with pytest.raises(ContractDrift):
        strict.fill()


def test_declared_xsi_type_is_not_a_finding(
    fleet: ModuleType, types: Any, recorder: Any, open_service: Any
) -> None:
    recorder.answers(
        envelope('<FillOut i:type="f:Plain"><c i:type="f:Crew"><who>w</who></c></FillOut>'), 200, XML
    )
    strict = open_service(fleet.FleetService, recorder.url, settings=settings(drift="error"))
    assert strict.fill() == types.Plain(c=types.Crew(who="w"))


def test_present_element_with_a_wrong_value_is_an_error(service: Any, recorder: Any) -> None:
    recorder.answers(envelope("<FillOut><n>x</n></FillOut>"), 200, XML)
    with pytest.raises(ResponseError, match="FillOut/n"):
        service.fill()
    recorder.answers(envelope("<FillOut><c/></FillOut>"), 200, XML)
    with pytest.raises(ResponseError, match="FillOut/c/who"):
        service.fill()


def test_a_data_set_that_no_schema_declares_is_sent(service: Any, recorder: Any, types: Any) -> None:
    from soapclient.runtime.any_element import AnyElement

    recorder.answers(envelope("<StoreOut/>"), 200, XML)
    row = AnyElement(name="Row", children=[AnyElement(name="a", text="1")])
    service.store(ds=types.StoreInDs(any=[AnyElement(name="{urn:other}diffgram", children=[row])]))
    (request,) = recorder.sent
    assert etree.fromstring(request.body).findtext(".//Row/a") == "1"


@pytest.fixture
def uncollected() -> Iterator[None]:
    """Disable garbage collection.

    At the recursion limit, finalizers of objects from other tests would fail.
    """
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("uncollected")
def test_circular_request_value_is_refused(service: Any, recorder: Any, types: Any) -> None:
    tree = types.Plain()
    tree.next = tree
    with pytest.raises(ContractError, match=r"FillIn/next/next.*too deep.*contain itself") as caught:
        service.fill(next=tree)
    assert caught.value.path.startswith("FillIn/next/")
    assert recorder.sent == []


def test_errors_show_no_secret(service: Any, recorder: Any, types: Any) -> None:
    with pytest.raises(ContractError, match=r"FillIn/password.*\(not shown\)") as caught:
        service.fill(password="hunter2")
    assert "hunter2" not in f"{caught.value}{vars(caught.value)}"
    with pytest.raises(ContractError, match="FillIn/c") as caught:
        service.fill(c=types.Plain(password="hunter2"))
    assert "hunter2" not in f"{caught.value}{vars(caught.value)}"


def test_text_is_sent_for_an_element_of_any_type(service: Any, recorder: Any) -> None:
    recorder.answers(envelope("<FillOut/>"), 200, XML)
    service.fill(any="text")
    (node,) = sent(recorder)
    assert (said_type(node), node.text) == ("{http://www.w3.org/2001/XMLSchema}string", "text")


def test_a_nil_response_to_a_write_is_read(fleet: ModuleType, recorder: Any, open_service: Any) -> None:
    """The write was processed, although the response lacks a required element."""
    unsafe = open_service(fleet.FleetService, recorder.url, settings=Settings(attempts=1))
    recorder.answers(envelope('<NameOut i:nil="true"/>'), 200, XML)
    assert unsafe.name(value="x").who is None
