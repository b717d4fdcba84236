"""Contracts of the corpus from their WSDL to responses: requests are validated by the WSDL's own schema.

Requests and values are compared with zeep's.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from decimal import Decimal
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import zeep
from lxml import etree

from soapclient import Settings
from soapclient.errors import ContractError, ServiceFault
from soapclient.runtime.nil import NIL
from tests.connection.conftest import said_type
from tests.support.soap import envelope, fault

pytestmark = pytest.mark.exhaustive

CORPUS = Path(__file__).parents[1] / "corpus" / "contracts"
XSI = "http://www.w3.org/2001/XMLSchema-instance"


@dataclass
class Contract:
    """A contract: its generated types, its service, zeep's client and service, and the scripted server."""

    types: Any
    service: Any
    client: Any
    theirs: Any
    recorder: Any
    schema: etree.XMLSchema

    def answers(self, body: str, status: int = 200) -> None:
        """Send the same response twice: to our client and to zeep's."""
        for _ in range(2):
            self.recorder.answers(envelope(body), status, "text/xml")

    def sent(self) -> list[etree._Element]:
        """The messages of all requests. Checks that they are valid."""
        found = [etree.fromstring(etree.tostring(sent.message)) for sent in self.recorder.sent]
        for message in found:
            self.schema.assertValid(message)
        return found


@pytest.fixture
def contract(make_package: Any, recorder: Any, open_service: Any) -> Any:
    """Open a contract of the corpus by its name, or another file that replaces it."""

    def opened(stem: str, binding: str, wsdl: Path | None = None) -> Contract:
        wsdl = wsdl or CORPUS / f"{stem}.wsdl"
        module = make_package(f"made_{stem}", wsdl)
        service = getattr(module, f"Made{stem.title()}Service")
        client: Any = zeep.Client(str(wsdl))  # type: ignore[no-untyped-call] # zeep has no types
        schema = etree.parse(wsdl).find(".//{http://www.w3.org/2001/XMLSchema}schema")
        assert schema is not None
        return Contract(
            import_module(f"made_{stem}.types"),
            open_service(service, recorder.url, settings=Settings(validate="all", drift="error")),
            client,
            client.create_service(f"{{urn:example:{stem}}}{binding}", recorder.url),
            recorder,
            etree.XMLSchema(etree.fromstring(etree.tostring(schema))),
        )

    return opened


def canonical(node: etree._Element) -> list[tuple[str, str | None, dict[str, str]]]:
    """Return an element without its prefixes and indentation."""
    return [
        (str(each.tag), each.text, {str(key): str(text) for key, text in each.attrib.items()})
        for each in node.iter("*")
    ]


def test_required_header_is_refused_if_missing(contract: Any, tmp_path: Path) -> None:
    text = (CORPUS / "headers.wsdl").read_text()
    optional = '<soap:header message="tns:HeaderIn" part="session" use="literal"/>'
    assert text.count(optional) == 1
    wsdl = tmp_path / "required.wsdl"
    wsdl.write_text(text.replace(optional, f'{optional[:-2]} wsdl:required="true"/>'))
    made = contract("headers", "B", wsdl)
    with pytest.raises(ContractError, match=r"Ask: session.*Nothing was sent") as caught:
        made.service.ask(q="hello", session_header=None)
    assert (caught.value.path, caught.value.operation, caught.value.value) == ("session", "Ask", None)
    assert made.recorder.sent == []
    made.answers('<AskResponse xmlns="urn:example:headers"><a>x</a></AskResponse>')
    session, trace = {"id": "s1", "ttl": 5}, "t1"
    headers = {"session_header": made.types.Session(**session), "trace_header": made.types.Trace(value=trace)}
    assert made.service.ask(q="hello", **headers).a == "x"
    made.theirs.Ask(q="hello", _soapheaders={"session": session, "trace": trace})
    ours, zeeps = ([*map(canonical, etree.fromstring(sent.body))] for sent in made.recorder.sent)
    assert ours == zeeps


@pytest.mark.parametrize(
    ("content", "name", "values"),
    [
        ("<Refused {}><message>m</message><code>7</code></Refused>", "Refused", {"message": "m", "code": 7}),
        ("<Unknown {}><message>m</message></Unknown>", "Base", {"message": "m"}),
        ("<Plain {}>just so</Plain>", "Plain", {"value": "just so"}),
    ],
)
def test_each_declared_fault_is_typed(contract: Any, content: str, name: str, values: Any) -> None:
    made = contract("faults", "B")
    made.answers(fault("s:Client", "no", content.format('xmlns="urn:example:faults"')), 500)
    with pytest.raises(ServiceFault) as caught:
        made.service.ask(q="x")
    kind = getattr(made.types, name)
    assert (type(caught.value.detail), caught.value.detail) == (kind, kind(**values))
    assert (caught.value.fault_code, caught.value.reason) == ("Client", "no")
    with pytest.raises(zeep.exceptions.Fault) as beside:
        made.theirs.Ask(q="x")
    assert etree.fromstring(caught.value.detail_text or "").tag == beside.value.detail[0].tag


def test_rpc_operation_with_structures_is_called(contract: Any) -> None:
    made, calls = contract("rpc", "B"), 'xmlns:c="urn:example:rpc:calls"'
    point = '<return xmlns:p="urn:example:rpc"><p:x>10</p:x><p:y>-5</p:y></return>'
    made.answers(f"<c:addResponse {calls}>{point}</c:addResponse>")
    one, two, scale = {"x": 1, "y": 2}, {"x": 3, "y": -4}, Decimal("2.5")
    told = made.service.add(a=made.types.Point(**one), b=made.types.Point(**two), scale=scale)
    assert told.return_ == made.types.Point(x=10, y=-5)
    beside = made.theirs.add(a=one, b=two, scale=scale)
    assert (beside.x, beside.y) == (10, -5)
    made.answers(f"<c:resetResponse {calls}/>")
    made.service.reset()
    made.theirs.reset()
    add, their_add, reset, their_reset = (canonical(sent.message) for sent in made.recorder.sent)
    assert (add, reset) == (their_add, their_reset)


def test_nil_and_absent_are_distinguished(contract: Any) -> None:
    made, space = contract("nillables", "NillablesSoap11"), "urn:example:nillables"
    nil = f'xmlns:i="{XSI}" i:nil="true"'
    numbers = f"<list><number>1</number><number {nil}/></list>"
    for _ in range(2):
        made.answers(f'<PatchResponse xmlns="{space}"><deep><when {nil}/></deep>{numbers}</PatchResponse>')
    when = dt.datetime(2026, 11, 20, 12, tzinfo=dt.UTC)
    told = made.service.patch(required=None, many=[Decimal("1.5"), None], deep=made.types.Deep(when=when))
    made.service.patch(required="", optional=NIL)
    made.service.patch(required="x", optional=3)
    assert told.deep == made.types.Deep(when=None)
    assert told.list_ == made.types.Numbers(number=[1, None])
    content = [
        [(etree.QName(part).localname, part.get(f"{{{XSI}}}nil"), part.text) for part in message]
        for message in made.sent()
    ]
    assert content == [
        [("required", "true", None), ("many", None, "1.5"), ("many", "true", None), ("deep", None, None)],
        [("required", None, None), ("optional", "true", None)],
        [("required", None, "x"), ("optional", None, "3")],
    ]
    beside = made.theirs.Patch(required=None, optional=zeep.xsd.Nil, deep={"when": when})
    assert (beside.deep.when, beside.list.number) == (None, [1, None])


def test_derived_types_are_sent_and_read(contract: Any) -> None:
    space = "urn:example:extensions"
    made = contract("extensions", "ExtensionsSoap11")
    dog = '<saved breed="pug"><name>d</name><legs>4</legs></saved>'
    named = f'xmlns:i="{XSI}" xmlns:t="{space}" i:type="t:Bird"'
    bird = f'<any {named} id="5"><name>b</name><wings>2</wings></any>'
    made.answers(f'<SaveResponse xmlns="{space}">{dog}{bird}</SaveResponse>')
    rex = {"id": 7, "name": "rex", "legs": 4, "bark": "wuff", "breed": "mix"}
    told = made.service.save(animal=[made.types.Dog(**rex), made.types.Animal(name="it")])
    assert told.saved == made.types.Dog(name="d", legs=4, breed="pug")
    assert told.any == made.types.Bird(id=5, name="b", wings=2)
    assert isinstance(told.any, made.types.Animal)
    dogs, animals = (made.client.get_type(f"{{{space}}}{name}") for name in ("Dog", "Animal"))
    beside = made.theirs.Save(animal=[dogs(**rex), animals(name="it")])
    assert (beside.saved.legs, beside.any.wings, beside.any.id) == (4, 2, 5)
    types = [[said_type(animal) for animal in message] for message in made.sent()]
    assert types == [[f"{{{space}}}Dog", ""]] * 2


def test_substitutions_are_sent_and_read(contract: Any) -> None:
    """zeep does not support substitution groups."""
    made = contract("substitutions", "SubstitutionsSoap11")
    disc = '<disc colour="red"><radius>3</radius></disc>'
    made.answers(f'<PaintResponse xmlns="urn:example:substitutions">{disc}</PaintResponse>')
    shape, kind = made.types.ShapeElement, made.types.Round
    shapes = [shape(circle=kind(radius=1)), shape(blot=made.types.Shape(colour="blue"))]
    told = made.service.paint(shape=shapes, frame=made.types.FrameElement(border="thin"))
    assert told.shape == shape(disc=kind(colour="red", radius=3))
    assert [etree.QName(node).localname for node in made.sent()[0]] == ["circle", "blot", "border"]
