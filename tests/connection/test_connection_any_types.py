"""Messages, headers and faults with substitutable types; nil messages; headers with equal part names."""

from __future__ import annotations

import datetime as dt
import gc
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest
from lxml import etree

from soapclient import Settings
from soapclient.errors import ContractDrift, ContractError, ResponseError, ServiceFault
from soapclient.runtime.any_element import AnyElement
from tests.connection.conftest import said_type
from tests.support.cases import case_text
from tests.support.packages import generated
from tests.support.soap import envelope, fault

SPACE = "urn:example:fleet"
XSI = "http://www.w3.org/2001/XMLSchema-instance"
OPERATIONS = ("Move", "Count", "Name", "Fill", "Store")


WSDL = case_text(__file__, "any-types.wsdl")
SPACES = f'xmlns="{SPACE}" xmlns:f="{SPACE}" xmlns:i="{XSI}"'


@pytest.fixture(scope="module")
def fleet() -> Iterator[ModuleType]:
    with generated("fleet", WSDL) as package:
        yield package


@pytest.fixture
def types(fleet: ModuleType) -> Any:
    return fleet.types


@pytest.fixture
def opened(fleet: ModuleType, recorder: Any, open_service: Any) -> Any:
    """Open the service with these settings. Operations are safe by default."""

    def make(on_finding: Any = None, on_headers: Any = None, **given: Any) -> Any:
        all_given: Any = {"safe": OPERATIONS, "attempts": 1} | given
        hooks = {"on_finding": on_finding, "on_headers": on_headers}
        return open_service(fleet.FleetService, recorder.url, settings=Settings(**all_given), **hooks)

    return make


@pytest.fixture
def service(opened: Any) -> Any:
    return opened()


def answers(recorder: Any, body: str, head: str = "", status: int = 200) -> None:
    recorder.answers(envelope(body, head, spaces=SPACES), status, "text/xml")


def sent(recorder: Any) -> etree._Element:
    """The message in the body of the only request, as sent."""
    (request,) = recorder.sent
    schema = etree.tostring(next(etree.fromstring(WSDL).iter("{http://www.w3.org/2001/XMLSchema}schema")))
    etree.XMLSchema(etree.fromstring(schema)).assertValid(request.message)
    message: etree._Element = request.message
    return message


def test_messages_may_have_a_derived_type(service: Any, recorder: Any, types: Any) -> None:
    answers(recorder, '<MoveOut i:type="f:Bus"><plate>B1</plate><seats>40</seats></MoveOut>')
    assert service.move_with(types.Bus(plate="B1", seats=40)) == types.Bus(plate="B1", seats=40)
    node = sent(recorder)
    assert (said_type(node), [each.text for each in node]) == (f"{{{SPACE}}}Bus", ["B1", "40"])


def test_response_may_substitute_the_declared_element(service: Any, recorder: Any, types: Any) -> None:
    answers(recorder, "<BusOut><plate>B1</plate><seats>40</seats></BusOut>")
    assert service.move(plate="B1") == types.Bus(plate="B1", seats=40)


def test_messages_may_have_the_declared_type(service: Any, recorder: Any, types: Any) -> None:
    answers(recorder, "<MoveOut><plate>B1</plate></MoveOut>")
    answer = service.move(plate="B1")
    assert (type(answer), answer.plate) == (types.Vehicle, "B1")
    assert said_type(sent(recorder)) == ""


def test_request_of_an_abstract_type_needs_a_derived_type(service: Any, recorder: Any, types: Any) -> None:
    answers(recorder, "<CountOut>3</CountOut>")
    when = dt.datetime(2026, 11, 20, 12, 0)
    assert service.count(types.Rush(id=1, by=when)).value == 3
    node = sent(recorder)
    assert said_type(node) == f"{{{SPACE}}}Rush"
    assert [each.text for each in node] == ["1", "2026-11-20T12:00:00"]
    with pytest.raises(ContractError, match="Rush"):
        service.count(types.Order(id=1))


def test_headers_with_equal_part_names_are_distinguished(types: Any, recorder: Any, opened: Any) -> None:
    heard: list[tuple[str, Any]] = []
    service = opened(on_headers=lambda *each: heard.append(each))
    head = '<Key i:type="f:Bus"><plate>K</plate><seats>2</seats></Key><Mark>m</Mark>'
    answers(recorder, "<FillOut/>", head)
    service.fill(key_header=types.Bus(plate="K", seats=1), mark_header=types.Mark(value="x"))
    assert heard == [("Fill", {"Key": types.Bus(plate="K", seats=2), "Mark": types.Mark(value="m")})]
    (request,) = recorder.sent
    header = etree.fromstring(request.body)[0]
    assert [(each.tag, said_type(each)) for each in header] == [
        (f"{{{SPACE}}}Key", f"{{{SPACE}}}Bus"),
        (f"{{{SPACE}}}Mark", ""),
    ]


def test_fault_detail_may_have_a_derived_type(service: Any, recorder: Any, types: Any) -> None:
    flat = '<f:RefusedFault i:type="f:Flat"><f:tyre>2</f:tyre></f:RefusedFault>'
    answers(recorder, fault("s:Server", "no", flat), status=500)
    with pytest.raises(ServiceFault) as caught:
        service.fill()
    assert caught.value.detail == types.Flat(tyre=2)


def test_too_deep_fault_detail_is_handled(service: Any, recorder: Any) -> None:
    deep = "<f:cause>" * 240 + "</f:cause>" * 240
    answers(recorder, fault("s:Server", "no", f"<f:RefusedFault>{deep}</f:RefusedFault>"), status=500)
    with pytest.raises(ServiceFault, match="no") as caught:
        service.fill()
    assert caught.value.fault_code == "Server"


def test_nil_responses_are_read(service: Any, recorder: Any, types: Any, opened: Any) -> None:
    answers(recorder, '<CountOut i:nil="true"/>')
    rush = types.Rush(id=1, by=dt.datetime(2026, 11, 20, tzinfo=dt.UTC))
    assert service.count(rush).value is None
    answers(recorder, '<FillOut i:nil="1"/>')
    assert service.fill() == types.Plain()
    answers(recorder, '<NameOut i:nil="true"/>')
    assert service.name(value="x").who is None  # required, but a nil element has no content
    answers(recorder, '<NameOut i:nil="true"/>')
    assert opened(safe=set()).name(value="x").who is None  # the write was processed


def test_nil_request_is_sent(service: Any, recorder: Any) -> None:
    answers(recorder, "<NameOut><who>w</who></NameOut>")
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
    types: Any, recorder: Any, opened: Any, inner: str, detail: str
) -> None:
    answers(recorder, f"<FillOut>{inner}</FillOut>")
    met: list[tuple[str, str, str]] = []
    tolerant = opened(lambda _, finding, times: met.append(tuple(finding)), drift="tolerate")
    answer = tolerant.fill()
    assert answer == (types.Plain(c=types.Crew(who="w")) if "who" in inner else types.Plain())
    assert met == [("value", f"FillOut/{inner[1]}", detail)]
    answers(recorder, f"<FillOut>{inner}</FillOut>")
    with pytest.raises(ContractDrift):
        opened(drift="error").fill()


def test_declared_xsi_type_is_not_a_finding(types: Any, recorder: Any, opened: Any) -> None:
    answers(recorder, '<FillOut i:type="f:Plain"><c i:type="f:Crew"><who>w</who></c></FillOut>')
    assert opened(drift="error").fill() == types.Plain(c=types.Crew(who="w"))


def test_present_element_with_a_wrong_value_is_an_error(service: Any, recorder: Any) -> None:
    answers(recorder, "<FillOut><n>x</n></FillOut>")
    with pytest.raises(ResponseError, match="FillOut/n"):
        service.fill()
    answers(recorder, "<FillOut><c/></FillOut>")
    with pytest.raises(ResponseError, match="FillOut/c/who"):
        service.fill()


def test_a_data_set_that_no_schema_declares_is_sent(service: Any, recorder: Any, types: Any) -> None:
    answers(recorder, "<StoreOut/>")
    row = AnyElement(name="Row", children=[AnyElement(name="a", text="1")])
    service.store(ds=types.StoreInDs(any=[AnyElement(name="{urn:other}diffgram", children=[row])]))
    assert recorder.last.message.findtext(".//Row/a") == "1"


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
    answers(recorder, "<FillOut/>")
    service.fill(any="text")
    (node,) = sent(recorder)
    assert (said_type(node), node.text) == ("{http://www.w3.org/2001/XMLSchema}string", "text")
