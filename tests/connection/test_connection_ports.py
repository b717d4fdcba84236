"""SOAPAction and headers belong to the port: several bindings of one port type."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import requests
from click.testing import CliRunner
from lxml import etree

from bindgen import init
from bindgen.docs import views
from soapclient.cli.application import cli
from soapclient.errors import AmbiguousOutcome, ContractError
from soapclient.runtime.schema import PortRow
from soapclient.testing import mock
from tests.soap.conftest import send
from tests.support.cases import case_text
from tests.support.soap import envelope
from tests.support.wire import Exchange, Wire

SPACE = "urn:example:ports"
WSDL = case_text(__file__, "ports.wsdl")
Open = Callable[..., Any]


def respond(exchange: Exchange) -> None:
    """Answer any request with `ok` and the header `Quota`."""
    name = etree.QName(exchange.sent.message).localname
    content = f'<{name}Response xmlns="{SPACE}"><text>ok</text></{name}Response>'
    body = envelope(content, f'<Quota xmlns="{SPACE}"><text>7</text></Quota>').encode()
    send(exchange, body)


@pytest.fixture
def received(wire: Wire) -> Wire:
    """A server that answers four requests."""
    for _ in range(4):
        wire.does(respond)
    return wire


def actions(received: Wire) -> list[str]:
    return [sent.headers["soapaction"] for sent in received.sent]


def headers(received: Wire) -> list[list[str]]:
    """The local names of the SOAP headers of each request."""
    roots = [etree.fromstring(sent.body) for sent in received.sent]
    return [[etree.QName(node).localname for head in root[:-1] for node in head] for root in roots]


@pytest.fixture(scope="module")
def wsdl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("ports") / "ports.wsdl"
    path.write_text(WSDL, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def ports(make_package: Callable[..., ModuleType], wsdl: Path) -> ModuleType:
    return make_package("ports_of_two", wsdl)


@pytest.fixture
def open_ports(ports: ModuleType, received: Wire, open_service: Open) -> Open:
    return partial(open_service, ports.PortsOfTwoService, received.url)


def text_of(ports: ModuleType) -> type[Any]:
    """The generated class of the complex type `Text`."""
    kind: type[Any] = ports.PACKAGE.codec.kind("Text")
    return kind


@pytest.mark.parametrize(("port", "action"), [(None, "one"), ("P2", "two"), ("Other/P1", "two")])
def test_the_action_of_the_port_is_sent(
    ports: ModuleType, received: Wire, open_ports: Open, port: str | None, action: str
) -> None:
    service = open_ports(port=port)
    named = {"session_header": text_of(ports)(text="s")} if port is None else {}
    assert service.get(text="a", **named).text == "ok"
    assert service.same(text="a").text == "ok"
    assert actions(received) == [f'"{action}"', '"urn:same"']


def test_the_headers_of_the_port_are_sent_and_read(
    ports: ModuleType, received: Wire, open_ports: Open
) -> None:
    values: list[tuple[str, dict[str, object]]] = []
    text, heard = text_of(ports), lambda name, read: values.append((name, dict(read)))
    connection = open_ports(port="S/P2", on_headers=heard)
    connection.get(text="a", token_header=text(text="t"))
    connection.get(text="a")
    assert headers(received) == [["Token"], []]
    assert values == [("Get", {"quota": text(text="7")})] * 2
    said = r"session: this port does not declare the header.*Nothing was sent"
    with pytest.raises(ContractError, match=said):
        connection.get(text="a", session_header=text(text="s"))
    assert len(actions(received)) == 2


def test_header_is_required_only_for_the_port_that_requires_it(received: Wire, open_ports: Open) -> None:
    service = open_ports(port="S/P1")
    with pytest.raises(ContractError, match="session is required"):
        service.get(text="a")
    assert actions(received) == []


def test_plain_zeep_sends_the_same_soap_actions(received: Wire, open_ports: Open) -> None:
    """zeep reads the WSDL itself."""
    for port in ("S/P1", "S/P2"):
        open_ports(port=port).zeep.Same(text="a")
    connection = open_ports(port="P2")
    connection.zeep.Get(text="a")
    assert actions(received) == ['"urn:same"', '"urn:same"', '"two"']


def test_mock_expects_the_headers_of_each_port(ports: ModuleType, open_service: Open) -> None:
    text = text_of(ports)
    with mock("ports_of_two") as served:
        second = open_service(ports.PortsOfTwoService, served.address("S/P2"), port="P2")
        assert second.get(text="a", token_header=text(text="t")).text
        first = open_service(ports.PortsOfTwoService, served.address("S/P2"), port="S/P1")
        with pytest.raises(AmbiguousOutcome, match="'one' does not match Get; it must be 'two'"):
            first.get(text="a", session_header=text(text="s"))
        body = envelope(f'<Get xmlns="{SPACE}"><text>a</text></Get>')
        missing = b"the header session is required"
        for port, action, said in (("S/P2", "two", b":Quota"), ("S/P1", "one", missing)):
            headed = {"Content-Type": "text/xml", "SOAPAction": f'"{action}"'}
            response = requests.post(served.address(port), body, headers=headed, timeout=10)
            assert said in response.content
        assert [call.operation for call in served.calls("Get")] == ["Get"] * 3


def test_schema_rows_contain_only_the_differences_of_ports(ports: ModuleType) -> None:
    schema = json.loads((Path(ports.__file__ or "").parent / "schema.json").read_text(encoding="utf-8"))
    assert "ports" not in schema["operations"]["Same"]
    get = schema["operations"]["Get"]
    assert (get["soap_action"], [part["name"] for part in get["request_headers"]]) == ("one", ["session"])
    assert set(get["ports"]) == {"S/P2", "Other/P1"}
    assert get["ports"]["S/P2"]["soap_action"] == "two"


def test_command_line_calls_and_describes_the_port(
    ports: ModuleType, received: Wire, monkeypatch: pytest.MonkeyPatch, wsdl: Path
) -> None:
    for name in [name for name in os.environ if name.startswith("SOAPCLIENT_")]:
        monkeypatch.delenv(name)
    command = ["call", "--file", str(wsdl), "Get", "text=a", "--address", received.url, "--port"]
    done = CliRunner().invoke(cli, [*command, "Other/P1", "--header", "token.text=t"])
    assert done.exit_code == 0, done.output
    assert (actions(received), headers(received)) == (['"two"'], [["Token"]])
    for port, said in (
        ("P1", "has 2 ports named 'P1'.*S/P1, Other/P1"),
        ("S/P3", "has no port 'S/P3'.*S/P1, S/P2, Other/P1"),
    ):
        done = CliRunner().invoke(cli, [*command, port])
        assert done.exit_code == 3
        assert re.search(said, done.output)
    done = CliRunner().invoke(cli, ["describe", "--file", str(wsdl), "Get", "--port", "P2"])
    assert done.exit_code == 0, done.output
    assert "token" in done.output
    assert "session" not in done.output


def test_the_reference_names_the_action_of_each_port(wsdl: Path) -> None:
    operation = init.make("reference_of_ports", wsdl, offline=True).contract.operations[0]
    rows = [(name, value.striptags()) for name, value in views.soap(operation)]
    assert rows[:3] == [
        ("SOAPAction", "one"),
        ("SOAPAction at S/P2", "two"),
        ("SOAPAction at Other/P1", "two"),
    ]


def test_different_bodies_of_a_port_are_noted(tmp_path: Path, wsdl: Path) -> None:
    text = WSDL.replace('<s:operation soapAction="two"/>', '<s:operation soapAction="two" style="rpc"/>')
    path = tmp_path / "other.wsdl"
    path.write_text(text, encoding="utf-8")
    made = init.make("other_bodies", path, offline=True)
    assert any("S/P2 has another form of 'Get'" in note for note in made.notes)
    assert not any("another form" in note for note in init.make("same_bodies", wsdl, offline=True).notes)


def test_port_matches_its_short_and_full_name() -> None:
    row = PortRow(name="P", service="S", binding="b", port_type="p", soap="1.1")
    assert (row.full_name, row.is_named("P"), row.is_named("S/P")) == ("S/P", True, True)
    assert not row.is_named("T/P")
