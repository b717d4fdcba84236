"""From a WSDL to responses:

`bindgen init`, `connect`, and a server that validates by the WSDL. Compared with zeep.
"""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Callable, Iterator
from decimal import Decimal
from importlib import import_module, invalidate_caches
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.sax.saxutils import escape

import pytest
import zeep
from click.testing import CliRunner
from lxml import etree

from bindgen.cli import main
from soapclient import Settings
from soapclient.connection import connect
from soapclient.errors import AmbiguousOutcome, ContractError, ServiceFault
from tests.connection.wsdl_server import (
    CORPUS,
    SOAP_11,
    SOAP_12,
    Answer,
    Answering,
    CorpusServer,
    Served,
    schema_of,
)

pytestmark = pytest.mark.exhaustive

ALL = Settings(validate="all", drift="error")
XSI = "http://www.w3.org/2001/XMLSchema-instance"
Serve = Callable[..., tuple[Served, str]]
Init = Callable[..., Any]


@pytest.fixture(scope="module")
def server() -> Iterator[CorpusServer]:
    running = CorpusServer()
    yield running
    running.close()


@pytest.fixture
def serve(server: CorpusServer, tmp_path: Path) -> Serve:
    """Serve a contract of the corpus with a response for each request."""

    def serving(stem: str, answering: Answering, wrappers: str = "") -> tuple[Served, str]:
        served = Served(schema_of(stem, tmp_path, wrappers), answering)
        return served, server.serve(f"/{stem}", served)

    return serving


@pytest.fixture
def init(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Init]:
    """Run `bindgen init` for a contract of the corpus. Returns its types and service classes."""
    monkeypatch.syspath_prepend(tmp_path)
    made: list[str] = []

    def run(stem: str, wsdl: Path | None = None) -> Any:
        name = f"made_{stem.replace('-', '_')}"
        file = str(wsdl or CORPUS / f"{stem}.wsdl")
        command = ["init", name, "--file", file, "--offline", "--strict", "--out", str(tmp_path)]
        done = CliRunner().invoke(main, command)
        assert done.exit_code == 0, done.output
        invalidate_caches()
        made.append(name)
        parts = (import_module(f"{name}.{part}") for part in ("types", "service"))
        return SimpleNamespace(**{key: value for part in parts for key, value in vars(part).items()})

    yield run
    for name in [each for each in sys.modules if each.partition(".")[0] in made]:
        del sys.modules[name]


def plain(stem: str, binding: str, address: str) -> tuple[Any, Any]:
    """zeep's client of the WSDL itself, and its service at the address; zeep is untyped."""
    make: Callable[..., Any] = zeep.Client
    client = make(str(CORPUS / f"{stem}.wsdl"))
    return client, client.create_service(binding, address)


def text_of(node: etree._Element | None, name: str) -> str:
    """The text of an element with that local name."""
    assert node is not None
    return str(node.findtext(f".//{{*}}{name}"))


def canonical(node: etree._Element) -> list[tuple[str, str | None, dict[str, str]]]:
    """Return an element without its prefixes and indentation."""
    return [
        (str(each.tag), each.text, {str(key): str(text) for key, text in each.attrib.items()})
        for each in node.iter("*")
    ]


def type_of(node: etree._Element) -> str | None:
    """The value of `xsi:type` in Clark notation."""
    prefix, _, local = (node.get(f"{{{XSI}}}type") or "").rpartition(":")
    return f"{{{node.nsmap[prefix or None]}}}{local}" if local else None


HEADERS = "urn:example:headers"


def greeted(body: etree._Element, head: etree._Element | None) -> Answer:
    trace = "" if head is None else text_of(head, "Trace")
    said = f'<AskResponse xmlns="{HEADERS}"><a>{text_of(body, "q")}/{trace}</a></AskResponse>'
    return Answer(said, head=f'<Usage xmlns="{HEADERS}" calls="{0 if head is None else len(head)}"/>')


def test_headers_are_sent_and_read(serve: Serve, init: Init) -> None:
    served, address = serve("headers", greeted)
    made = init("headers")
    heard: list[tuple[str, Any]] = []
    with connect(
        made.MadeHeadersService, address=address, settings=ALL, on_headers=lambda *each: heard.append(each)
    ) as service:
        session, trace = made.Session(id="s1", ttl=5), made.Trace(value="t1")
        told = service.ask(q="hello", session_header=session, trace_header=trace)
        assert told.a == "hello/t1"
        assert service.ask(q="bare").a == "bare/"
    assert [(name, values["usage"].calls) for name, values in heard] == [("Ask", 2), ("Ask", 0)]
    _, service = plain("headers", f"{{{HEADERS}}}B", address)
    theirs = service.Ask(q="hello", _soapheaders={"session": {"id": "s1", "ttl": 5}, "trace": "t1"})
    assert (theirs.body.a, theirs.header.usage.calls) == (told.a, 2)
    ours, _, zeeps = served.seen
    assert [canonical(part) for part in (*ours[0], ours[1][0])] == [
        canonical(part) for part in (*zeeps[0], zeeps[1][0])
    ]
    assert served.actions == ['"ask"'] * 3


def test_required_header_is_refused_if_missing(serve: Serve, init: Init, tmp_path: Path) -> None:
    served, address = serve("headers", greeted)
    text = (CORPUS / "headers.wsdl").read_text()
    optional = '<soap:header message="tns:HeaderIn" part="session" use="literal"/>'
    assert text.count(optional) == 1
    wsdl = tmp_path / "required.wsdl"
    wsdl.write_text(text.replace(optional, f'{optional[:-2]} wsdl:required="true"/>'))
    made = init("required", wsdl)
    with connect(made.MadeRequiredService, address=address) as service:
        with pytest.raises(ContractError, match=r"Ask: session.*Nothing was sent") as caught:
            service.ask(q="hello", session_header=None)
        assert (caught.value.path, caught.value.operation, caught.value.value) == ("session", "Ask", None)
        assert served.seen == []
        assert service.ask(q="hello", session_header=made.Session(id="s1")).a == "hello/None"


def test_test_server_rejects_requests_that_differ_from_the_wsdl(tmp_path: Path) -> None:
    served = Served(schema_of("headers", tmp_path), lambda body, head: Answer(f'<Ask xmlns="{HEADERS}"/>'))
    asked = f'<s:Envelope xmlns:s="{SOAP_11}"><s:Body><Ask xmlns="{HEADERS}"><p/></Ask></s:Body></s:Envelope>'
    served.answer(asked.encode(), "application/soap+xml", "")
    kind, request, response = served.problems
    assert "soap+xml" in kind
    assert "p" in request
    assert "q" in response  # the message lacks a `q`


FAULTS = "urn:example:faults"


def refusing(body: etree._Element, head: etree._Element | None) -> Answer:
    message = "<message>m</message>"
    known = {
        "refuse": f'<Refused xmlns="{FAULTS}">{message}<code>7</code></Refused>',
        "unknown": f'<Unknown xmlns="{FAULTS}">{message}</Unknown>',
        "plain": f'<Plain xmlns="{FAULTS}">just so</Plain>',
    }
    asked = text_of(body, "q")
    if asked in known:
        return Answer(known[asked], fault=True)
    return Answer(f'<AskResponse xmlns="{FAULTS}"><a>{asked}</a></AskResponse>')


def test_faults_are_typed(serve: Serve, init: Init) -> None:
    _, address = serve("faults", refusing)
    made = init("faults")
    wanted = {
        "refuse": made.Refused(message="m", code=7),
        "unknown": made.Base(message="m"),
        "plain": made.Plain(value="just so"),
    }
    _, theirs = plain("faults", f"{{{FAULTS}}}B", address)
    with connect(made.MadeFaultsService, address=address, settings=ALL) as service:
        for asked, detail in wanted.items():
            with pytest.raises(ServiceFault) as caught:
                service.ask(q=asked)
            assert caught.value.detail == detail
            assert type(caught.value.detail) is type(detail)
            assert (caught.value.fault_code, caught.value.reason) == ("Client", "no")
            with pytest.raises(zeep.exceptions.Fault) as beside:
                theirs.Ask(q=asked)
            assert etree.fromstring(caught.value.detail_text or "").tag == beside.value.detail[0].tag
        assert service.ask(q="x").a == theirs.Ask(q="x") == "x"


def test_one_way_operation_returns_none(serve: Serve, init: Init) -> None:
    served, address = serve("one-way", lambda body, head: Answer(status=202))
    made = init("one-way")
    with connect(made.MadeOneWayService, address=address, settings=ALL) as service:
        assert service.tell(q="hello") is None
    _, theirs = plain("one-way", "{urn:example:one-way}B", address)
    theirs.Tell(q="hello")
    assert [text_of(root, "q") for root in served.seen] == ["hello", "hello"]
    assert served.actions == ['"tell"', '"tell"']


CALLS = "urn:example:rpc:calls"
WRAPPERS = f"""<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:r="urn:example:rpc"
    targetNamespace="{CALLS}"><xs:import namespace="urn:example:rpc" schemaLocation="contract.xsd"/>
  <xs:element name="add"><xs:complexType><xs:sequence><xs:element name="a" type="r:Point"/>
    <xs:element name="b" type="r:Point"/><xs:element name="scale" type="xs:decimal"/>
    </xs:sequence></xs:complexType></xs:element>
  <xs:element name="addResponse"><xs:complexType><xs:sequence><xs:element name="return" type="r:Point"/>
    </xs:sequence></xs:complexType></xs:element>
  <xs:element name="reset"><xs:complexType/></xs:element>
  <xs:element name="resetResponse"><xs:complexType/></xs:element></xs:schema>"""


def adding(body: etree._Element, head: etree._Element | None) -> Answer:
    if body[0].tag == f"{{{CALLS}}}reset":
        return Answer(f'<c:resetResponse xmlns:c="{CALLS}"/>')
    one, two, scale = body[0]
    x, y = (
        int(Decimal(scale.text or "") * (int(text_of(one, name)) + int(text_of(two, name)))) for name in "xy"
    )
    point = f'<return><x xmlns="urn:example:rpc">{x}</x><y xmlns="urn:example:rpc">{y}</y></return>'
    return Answer(f'<c:addResponse xmlns:c="{CALLS}">{point}</c:addResponse>')


def test_rpc_operation_is_called(serve: Serve, init: Init) -> None:
    _, address = serve("rpc", adding, WRAPPERS)
    made = init("rpc")
    with connect(made.MadeRpcService, address=address, settings=ALL) as service:
        told = service.add(a=made.Point(x=1, y=2), b=made.Point(x=3, y=-4), scale=Decimal("2.5"))
        assert told.return_ == made.Point(x=10, y=-5)
        service.reset()
    _, theirs = plain("rpc", "{urn:example:rpc}B", address)
    beside = theirs.add(a={"x": 1, "y": 2}, b={"x": 3, "y": -4}, scale=Decimal("2.5"))
    assert (beside.x, beside.y) == (10, -5)


@pytest.mark.parametrize(("port", "soap"), [("BothSoapsPort11", SOAP_11), ("BothSoapsPort12", SOAP_12)])
def test_both_soap_versions_are_called(serve: Serve, init: Init, port: str, soap: str) -> None:
    space = "urn:example:both-soaps"

    def pong(body: etree._Element, head: etree._Element | None) -> Answer:
        said = text_of(body, "text")
        if said == "refuse":
            return Answer(f'<Ping xmlns="{space}"><text>it</text></Ping>', fault=True)
        return Answer(f'<PingResponse xmlns="{space}"><text>{escape(said)}</text></PingResponse>')

    served, address = serve("both-soaps", pong)
    made = init("both-soaps")
    with connect(made.MadeBothSoapsService, address=address, port=port, settings=ALL) as service:
        assert service.ping(text="é <&>").text == "é <&>"
        with pytest.raises(AmbiguousOutcome) as caught:  # the WSDL declares no fault
            service.ping(text="refuse")
        fault = caught.value.__cause__
        assert isinstance(fault, ServiceFault)
        assert fault.fault_code == ("Client" if soap == SOAP_11 else "Sender")
        assert fault.detail is None
    _, theirs = plain("both-soaps", f"{{{space}}}{port.replace('Port', 'Soap')}", address)
    assert theirs.Ping(text="é") == "é"
    assert {root.tag for root in served.seen} == {f"{{{soap}}}Envelope"}
    assert {action.strip('"') for action in served.actions} == {"urn:example:both-soaps:Ping"}


def test_several_services_are_called(serve: Serve, init: Init) -> None:
    space = "urn:example:several-services"

    def answering(body: etree._Element, head: etree._Element | None) -> Answer:
        if body[0].tag == f"{{{space}}}Tell":
            return Answer(f'<TellResponse xmlns="{space}"/>')
        return Answer(f'<AskResponse xmlns="{space}"><a>{text_of(body, "q")}</a></AskResponse>')

    served, address = serve("several-services", answering)
    made = init("several-services")
    for port in ("A", "A12"):
        with connect(made.MadeSeveralServicesService, address=address, port=port, settings=ALL) as front:
            assert front.ask(q=port).a == port
    with connect(made.BackService, address=address, settings=ALL) as back:
        assert back.ask(q="b").a == "b"
        back.tell()
    assert [action.strip('"') for action in served.actions] == ["a", "a", "b", "c"]
    assert [root.tag == f"{{{SOAP_12}}}Envelope" for root in served.seen] == [False, True, False, False]
    _, theirs = plain("several-services", f"{{{space}}}FrontSoap12", address)
    assert theirs.Ask(q="x") == "x"


def test_nil_and_absent_are_distinguished(serve: Serve, init: Init) -> None:
    from soapclient.runtime.nil import NIL

    space = "urn:example:nillables"
    nil = f'xmlns:i="{XSI}" i:nil="true"'
    numbers = f"<list><number>1</number><number {nil}/></list>"
    said = f'<PatchResponse xmlns="{space}"><deep><when {nil}/></deep>{numbers}</PatchResponse>'
    served, address = serve("nillables", lambda body, head: Answer(said))
    made = init("nillables")
    when = dt.datetime(2026, 11, 20, 12, tzinfo=dt.UTC)
    with connect(made.MadeNillablesService, address=address, settings=ALL) as service:
        told = service.patch(required=None, many=[Decimal("1.5"), None], deep=made.Deep(when=when))
        service.patch(required="", optional=NIL)
        service.patch(required="x", optional=3)
    assert told.deep == made.Deep(when=None)
    assert told.list_ == made.Numbers(number=[1, None])
    content = [
        [(etree.QName(part).localname, part.get(f"{{{XSI}}}nil"), part.text) for part in root[0][0]]
        for root in served.seen
    ]
    assert content == [
        [("required", "true", None), ("many", None, "1.5"), ("many", "true", None), ("deep", None, None)],
        [("required", None, None), ("optional", "true", None)],
        [("required", None, "x"), ("optional", None, "3")],
    ]
    _, theirs = plain("nillables", f"{{{space}}}NillablesSoap11", address)
    beside = theirs.Patch(required=None, optional=zeep.xsd.Nil, deep={"when": when})
    assert (beside.deep.when, beside.list.number) == (None, [1, None])


def test_derived_types_are_sent_and_read(serve: Serve, init: Init) -> None:
    space = "urn:example:extensions"
    dog = '<saved breed="pug"><name>d</name><legs>4</legs></saved>'
    named = f'xmlns:i="{XSI}" xmlns:t="{space}" i:type="t:Bird"'
    bird = f'<any {named} id="5"><name>b</name><wings>2</wings></any>'
    said = f'<SaveResponse xmlns="{space}">{dog}{bird}</SaveResponse>'
    served, address = serve("extensions", lambda body, head: Answer(said))
    made = init("extensions")
    rex = {"id": 7, "name": "rex", "legs": 4, "bark": "wuff", "breed": "mix"}
    with connect(made.MadeExtensionsService, address=address, settings=ALL) as service:
        told = service.save(animal=[made.Dog(**rex), made.Animal(name="it")])
    assert told.saved == made.Dog(name="d", legs=4, breed="pug")
    assert told.any == made.Bird(id=5, name="b", wings=2)
    assert isinstance(told.any, made.Animal)
    client, theirs = plain("extensions", f"{{{space}}}ExtensionsSoap11", address)
    of = {name: client.get_type(f"{{{space}}}{name}") for name in ("Dog", "Animal")}
    beside = theirs.Save(animal=[of["Dog"](**rex), of["Animal"](name="it")])
    assert (beside.saved.legs, beside.any.wings, beside.any.id) == (4, 2, 5)
    types = [[type_of(animal) for animal in root[0][0]] for root in served.seen]
    assert types == [[f"{{{space}}}Dog", None]] * 2


def test_substitutions_are_sent_and_read(serve: Serve, init: Init) -> None:
    """zeep does not support substitution groups."""
    space = "urn:example:substitutions"
    said = f'<PaintResponse xmlns="{space}"><disc colour="red"><radius>3</radius></disc></PaintResponse>'
    served, address = serve("substitutions", lambda body, head: Answer(said))
    made = init("substitutions")
    with connect(made.MadeSubstitutionsService, address=address, settings=ALL) as service:
        shapes = [
            made.ShapeElement(circle=made.Round(radius=1)),
            made.ShapeElement(blot=made.Shape(colour="blue")),
        ]
        told = service.paint(shape=shapes, frame=made.FrameElement(border="thin"))
    assert told.shape == made.ShapeElement(disc=made.Round(colour="red", radius=3))
    assert [etree.QName(node).localname for node in served.seen[0][0][0]] == ["circle", "blot", "border"]
