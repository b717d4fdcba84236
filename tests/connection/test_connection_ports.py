"""SOAPAction and headers belong to the port: several bindings of one port type."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
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
from soapclient.errors import AmbiguousOutcome, ConfigError, ContractError
from soapclient.runtime.schema import PortRow
from soapclient.testing import mock
from tests.support.cases import case_text

SPACE = "urn:example:ports"
SOAP = "http://schemas.xmlsoap.org/soap/envelope/"


def _binding(name: str, action: str, request: str, response: str) -> str:
    return f"""<binding name="{name}" type="t:Things">
      <s:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>
      <operation name="Get"><s:operation soapAction="{action}"/>
        <input><s:body use="literal"/>{request}</input><output><s:body use="literal"/>{response}</output>
      </operation>
      <operation name="Same"><s:operation soapAction="urn:same"/>
        <input><s:body use="literal"/></input><output><s:body use="literal"/></output></operation>
    </binding>"""


def _header(part: str, required: str = "") -> str:
    return f'<s:header message="t:{part}" part="{part.lower()}" use="literal"{required}/>'


WSDL = case_text(__file__, "ports.wsdl")
Open = Callable[..., Any]


@dataclass
class Received:
    """Recorded requests: SOAPActions, and the local names of the SOAP headers of each request."""

    address: str = ""
    actions: list[str] = field(default_factory=list)
    headers: list[list[str]] = field(default_factory=list)


@pytest.fixture
def received() -> Iterator[Received]:
    """A server that answers every request with `ok` and the header `Quota`."""
    state = Received()

    class Handler(BaseHTTPRequestHandler):
        timeout = 10

        def do_POST(self) -> None:
            root = etree.fromstring(self.rfile.read(int(self.headers["Content-Length"])))
            state.actions.append(self.headers["SOAPAction"])
            header = root.find(f"{{{SOAP}}}Header")
            nodes = [] if header is None else list(header)
            state.headers.append([etree.QName(node).localname for node in nodes])
            name = etree.QName(root[-1][0]).localname
            body = (
                f'<s:Envelope xmlns:s="{SOAP}" xmlns:t="{SPACE}"><s:Header><t:Quota><t:text>7</t:text>'
                f"</t:Quota></s:Header><s:Body><t:{name}Response><t:text>ok</t:text></t:{name}Response>"
                "</s:Body></s:Envelope>"
            ).encode()
            self.send_response_only(200)
            self.send_header("Content-Type", "text/xml; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        state.address = f"http://127.0.0.1:{server.server_address[1]}/"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield state
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def wsdl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("ports") / "ports.wsdl"
    path.write_text(WSDL, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def ports(make_package: Callable[..., ModuleType], wsdl: Path) -> ModuleType:
    return make_package("ports_of_two", wsdl)


def text_of(ports: ModuleType) -> type[Any]:
    """The generated class of the complex type `Text`."""
    kind: type[Any] = ports.PACKAGE.codec.kind("Text")
    return kind


@pytest.mark.parametrize(("port", "action"), [(None, "one"), ("P2", "two"), ("Other/P1", "two")])
def test_the_action_of_the_port_is_sent(
    ports: ModuleType, received: Received, open_service: Open, port: str | None, action: str
) -> None:
    service = open_service(ports.PortsOfTwoService, received.address, port=port)
    named = {"session_header": text_of(ports)(text="s")} if port is None else {}
    assert service.get(text="a", **named).text == "ok"
    assert service.same(text="a").text == "ok"
    assert received.actions == [f'"{action}"', '"urn:same"']


def test_the_headers_of_the_port_are_sent_and_read(
    ports: ModuleType, received: Received, open_service: Open
) -> None:
    values: list[tuple[str, dict[str, object]]] = []
    connection = open_service(
        ports.PortsOfTwoService,
        received.address,
        port="S/P2",
        on_headers=lambda name, read: values.append((name, dict(read))),
    )
    text = text_of(ports)
    connection.get(text="a", token_header=text(text="t"))
    connection.get(text="a")
    assert received.headers == [["Token"], []]
    assert values == [("Get", {"quota": text(text="7")})] * 2
    with pytest.raises(
        ContractError, match=r"session: this port does not declare the header.*Nothing was sent"
    ):
        connection.get(text="a", session_header=text(text="s"))
    assert len(received.actions) == 2


def test_header_is_required_only_for_the_port_that_requires_it(
    ports: ModuleType, received: Received, open_service: Open
) -> None:
    service = open_service(ports.PortsOfTwoService, received.address, port="S/P1")
    with pytest.raises(ContractError, match="session is required"):
        service.get(text="a")
    assert received.actions == []


@pytest.mark.parametrize(
    ("port", "message"),
    [
        ("P1", "has 2 ports named 'P1'.*S/P1, Other/P1"),
        ("S/P3", "has no port 'S/P3'.*S/P1, S/P2, Other/P1"),
    ],
)
def test_ambiguous_or_unknown_port_is_refused(
    ports: ModuleType, open_service: Open, port: str, message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        open_service(ports.PortsOfTwoService, "https://x.example/", port=port)


def test_plain_zeep_sends_the_same_soap_actions(
    ports: ModuleType, received: Received, open_service: Open
) -> None:
    """zeep reads the WSDL itself."""
    for port in ("S/P1", "S/P2"):
        open_service(ports.PortsOfTwoService, received.address, port=port).zeep.Same(text="a")
    connection = open_service(ports.PortsOfTwoService, received.address, port="P2")
    connection.zeep.Get(text="a")
    assert received.actions == ['"urn:same"', '"urn:same"', '"two"']


def test_mock_expects_the_headers_of_each_port(ports: ModuleType, open_service: Open) -> None:
    text = text_of(ports)
    with mock("ports_of_two") as served:
        second = open_service(ports.PortsOfTwoService, served.address("S/P2"), port="P2")
        assert second.get(text="a", token_header=text(text="t")).text
        first = open_service(ports.PortsOfTwoService, served.address("S/P2"), port="S/P1")
        with pytest.raises(AmbiguousOutcome, match="'one' does not match Get; it must be 'two'"):
            first.get(text="a", session_header=text(text="s"))
        envelope = (
            f'<s:Envelope xmlns:s="{SOAP}"><s:Body><Get xmlns="{SPACE}"><text>a</text></Get></s:Body>'
            "</s:Envelope>"
        )
        headers = {"Content-Type": "text/xml", "SOAPAction": '"two"'}
        response = requests.post(served.address("S/P2"), envelope, headers=headers, timeout=10)
        assert (response.status_code, b":Quota" in response.content) == (200, True)
        headers = {"Content-Type": "text/xml", "SOAPAction": '"one"'}
        response = requests.post(served.address("S/P1"), envelope, headers=headers, timeout=10)
        assert b"the header session is required" in response.content
        assert [call.operation for call in served.calls("Get")] == ["Get"] * 3


def test_schema_rows_contain_only_the_differences_of_ports(ports: ModuleType) -> None:
    schema = json.loads((Path(ports.__file__ or "").parent / "schema.json").read_text(encoding="utf-8"))
    assert "ports" not in schema["operations"]["Same"]
    get = schema["operations"]["Get"]
    assert (get["soap_action"], [part["name"] for part in get["request_headers"]]) == ("one", ["session"])
    assert set(get["ports"]) == {"S/P2", "Other/P1"}
    assert get["ports"]["S/P2"]["soap_action"] == "two"


def test_command_line_calls_and_describes_the_port(
    ports: ModuleType, received: Received, monkeypatch: pytest.MonkeyPatch, wsdl: Path
) -> None:
    for name in [name for name in os.environ if name.startswith("SOAPCLIENT_")]:
        monkeypatch.delenv(name)
    command = ["call", "--file", str(wsdl), "Get", "text=a", "--address", received.address, "--port"]
    done = CliRunner().invoke(cli, [*command, "Other/P1", "--header", "token.text=t"])
    assert done.exit_code == 0, done.output
    assert (received.actions, received.headers) == (['"two"'], [["Token"]])
    done = CliRunner().invoke(cli, [*command, "P1"])
    assert done.exit_code == 3
    assert "S/P1, Other/P1" in done.output
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


def test_different_bodies_of_a_port_are_noted(tmp_path: Path) -> None:
    text = WSDL.replace('<s:operation soapAction="two"/>', '<s:operation soapAction="two" style="rpc"/>')
    path = tmp_path / "other.wsdl"
    path.write_text(text, encoding="utf-8")
    made = init.make("other_bodies", path, offline=True)
    assert any("S/P2 has another form of 'Get'" in note for note in made.notes)
    assert not any("another form" in note for note in _made_notes(tmp_path))


def _made_notes(folder: Path) -> list[str]:
    path = folder / "same.wsdl"
    path.write_text(WSDL, encoding="utf-8")
    return list(init.make("same_bodies", path, offline=True).notes)


def test_port_matches_its_short_and_full_name() -> None:
    row = PortRow(name="P", service="S", binding="b", port_type="p", soap="1.1")
    assert (row.full_name, row.is_named("P"), row.is_named("S/P")) == ("S/P", True, True)
    assert not row.is_named("T/P")
