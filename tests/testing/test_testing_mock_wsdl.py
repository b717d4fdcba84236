"""The WSDL of a mock, parsed by plain zeep without other hosts, and the requests that its ports accept."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import requests
import suds.client
import zeep
from lxml import etree
from requests.adapters import BaseAdapter, HTTPAdapter
from zeep.wsa import WsAddressingPlugin

from soapclient import connect
from soapclient.connection import Attachment
from soapclient.testing import mock
from tests.support.cases import case_text
from tests.support.packages import generated

CORPUS = Path(__file__).parents[1] / "corpus/contracts"
WSA = "{http://www.w3.org/2005/08/addressing}"
SOAPS = {
    "1.1": ("http://schemas.xmlsoap.org/soap/envelope/", "text/xml"),
    "1.2": ("http://www.w3.org/2003/05/soap-envelope", "application/soap+xml"),
}
Packaged = Callable[[Path], str]


class _NoOther(BaseAdapter):
    def send(self, request: requests.PreparedRequest, **_: object) -> requests.Response:  # type: ignore[override]  # of no use here
        raise AssertionError(f"zeep asked {request.url}")

    def close(self) -> None:
        pass


@pytest.fixture(scope="module")
def packaged() -> Iterator[Packaged]:
    """Return the name of a package generated from a WSDL."""
    names: set[str] = set()
    with ExitStack() as stack:

        def package(file: Path) -> str:
            name = f"served_{file.stem.replace('-', '_')}"
            if name not in names:
                stack.enter_context(generated(name, file))
            names.add(name)
            return name

        yield package


def _zeep(wsdl: str, *, plugins: tuple[object, ...] = ()) -> Any:
    session = requests.Session()
    session.mount("http://", _NoOther())
    session.mount("https://", _NoOther())
    session.mount("http://127.0.0.1", HTTPAdapter())
    transport = zeep.Transport(session=session)  # type: ignore[no-untyped-call]  # zeep has no types
    return zeep.Client(wsdl, transport=transport, plugins=list(plugins))  # type: ignore[no-untyped-call]  # zeep has no types


LANGUAGES = case_text(__file__, "languages.wsdl")


@pytest.mark.parametrize("beside", [True, False])
def test_zeep_loads_w3c_schemas_from_the_mock(beside: bool, packaged: Packaged, tmp_path: Path) -> None:
    """`xml.xsd` may be next to the WSDL or, as is common, only be referenced by it."""
    file = tmp_path / f"titles_{beside}.wsdl"
    file.write_text(LANGUAGES % "")
    if beside:
        xsd = Path(str(importlib.resources.files("xmlschema"))) / "schemas/XML/xml.xsd"
        (tmp_path / "xml.xsd").write_bytes(xsd.read_bytes())
    with mock(packaged(file)) as mocked:
        client = _zeep(mocked.wsdl)
        found = client.service.Find(word="a", lang="de")
        assert found.title
        (call,) = mocked.calls("Find")
        assert 'lang="de"' in call.received


NAMES = ["split", "both-soaps", "several-services", "rpc-encoded", "headers", "parts", "circular-imports"]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", NAMES)
def test_zeep_sees_the_names_of_the_original_wsdl(name: str, packaged: Packaged) -> None:
    file = next(CORPUS.rglob(f"{name}.wsdl"))
    with mock(packaged(file)) as mocked:
        served = _zeep(mocked.wsdl)
        if name == "rpc-encoded":  # for its original, zeep requests another host
            assert set(served.wsdl.bindings) == {"{urn:example:rpc-encoded}B"}
            assert served.service.find(who="a", most=3)
            return
        original = _zeep(str(file))
        assert set(served.wsdl.bindings) == set(original.wsdl.bindings)
        assert set(served.wsdl.port_types) == set(original.wsdl.port_types)
        assert set(served.wsdl.messages) == set(original.wsdl.messages)
        addresses: set[tuple[str, str]] = set()
        for service, known in original.wsdl.services.items():
            ports = served.wsdl.services[service].ports
            assert set(ports) == set(known.ports)
            addresses |= {
                f"{service.rpartition('}')[2]}/{name}": port.binding_options["address"]
                for name, port in ports.items()
            }.items()
        assert addresses >= mocked.addresses.items()  # the others are not SOAP


def test_contracts_of_several_documents_are_called_by_zeep_and_suds(packaged: Packaged) -> None:
    with mock(packaged(CORPUS / "split/split.wsdl")) as mocked:
        assert isinstance(_zeep(mocked.wsdl).service.Ask(q="why"), str)
        binding = _zeep(mocked.wsdl).create_service("{urn:example:split}B", mocked.address())
        assert isinstance(binding.Ask(q="why"), str)
        assert suds.client.Client(mocked.wsdl, cache=None).service.Ask("why")
        assert requests.get(f"{mocked.wsdl}=7", timeout=30).status_code == 404


def test_documents_of_several_namespaces_are_packaged_by_name(packaged: Packaged) -> None:
    name = packaged(CORPUS / "split/split.wsdl")
    module = importlib.import_module(name)
    text = Path(str(module.__file__)).with_name("contract.wsdl").read_text()
    assert text.count("<?soapclient-name {urn:example:split:abstract}") == 3  # two messages and a port type


# ---- two versions of SOAP at one address


def _both(file: Path, *, shared: bool) -> None:
    text = (CORPUS / "both-soaps.wsdl").read_text()
    addresses = dict.fromkeys(part.partition('"')[0] for part in text.split('location="')[1:])
    for at, address in enumerate(addresses):
        text = text.replace(f'"{address}"', f'"https://both.invalid/{"" if shared else at}"')
    file.write_text(text)


@pytest.mark.parametrize("shared", [True, False])
def test_ports_that_share_an_address_accept_both_soap_versions(
    shared: bool, packaged: Packaged, tmp_path: Path
) -> None:
    file = tmp_path / f"both_{shared}.wsdl"
    _both(file, shared=shared)
    name = packaged(file)
    settings = importlib.import_module(f"{name}.service").PACKAGE.settings
    distinct = len({port.address for port in settings.ports}) > 1
    assert distinct != shared
    with mock(name) as mocked:
        client = _zeep(mocked.wsdl)
        (service,) = client.wsdl.services.values()
        versions = {name: port.soap for name, port in ((each.name, each) for each in settings.ports)}
        (operation, *_) = client.wsdl.services[service.name].ports[settings.ports[0].name].binding.all()
        for port in settings.ports:
            address = mocked.address(f"{port.service}/{port.name}")
            for other in settings.ports:
                space, kind = SOAPS[versions[other.name]]
                proxy = client.bind(service.name, other.name)
                content = client.create_message(proxy, operation, **_arguments(client, operation))
                assert content.tag == f"{{{space}}}Envelope"
                headers = {"Content-Type": f"{kind}; charset=utf-8"}
                response = requests.post(address, etree.tostring(content), headers=headers, timeout=30)
                root = etree.fromstring(response.content)
                if shared or versions[other.name] == versions[port.name]:
                    assert response.status_code == 200, response.text
                    assert root.tag == f"{{{space}}}Envelope"
                else:
                    assert "VersionMismatch" in response.text


def _arguments(client: Any, operation: str) -> dict[str, str]:
    (first, *_) = client.wsdl.services.values()
    (port, *_) = first.ports.values()
    elements = port.binding.get(operation).input.body.type.elements
    return {name: "1" for name, _ in elements}


# ---- WS-Addressing and attachments


def test_a_response_to_a_request_with_addressing_has_its_action(packaged: Packaged) -> None:
    with mock(packaged(CORPUS / "split/split.wsdl")) as mocked:
        client = _zeep(mocked.wsdl, plugins=(WsAddressingPlugin(),))
        assert isinstance(client.service.Ask(q="why"), str)
        (call,) = mocked.calls()
        envelope = etree.fromstring(call.sent.encode())
        # WS-Addressing 1.0 Metadata, 4.4.4: namespace of the port type, its name, name of the output.
        assert [node.text for node in envelope.iter(f"{WSA}Action")] == [
            "urn:example:split:abstract:P:AskResponse"
        ]
        sent = etree.fromstring(call.received.encode())
        (message_id,) = (node.text for node in sent.iter(f"{WSA}MessageID"))
        assert [node.text for node in envelope.iter(f"{WSA}RelatesTo")] == [message_id]
        mocked.on("Ask").fault("not today")
        with pytest.raises(zeep.exceptions.Fault, match="not today"):
            client.service.Ask(q="why")
        fault = etree.fromstring(mocked.calls()[-1].sent.encode())
        assert [node.text for node in fault.iter(f"{WSA}Action")] == [f"{WSA[1:-1]}/soap/fault"]
        assert len([*fault.iter(f"{WSA}RelatesTo")]) == 1
        plain = _zeep(mocked.wsdl)
        mocked.reset()
        plain.service.Ask(q="why")
        assert "addressing" not in mocked.calls()[0].sent


def test_action_of_the_wsdl_overrides_the_default(packaged: Packaged, tmp_path: Path) -> None:
    text = (CORPUS / "both-soaps.wsdl").read_text()
    output = "<wsdl:output message="
    assert output in text
    action = 'xmlns:m="http://www.w3.org/2007/05/addressing/metadata" m:Action="urn:the-answer"'
    (tmp_path / "actions.wsdl").write_text(text.replace(output, f"<wsdl:output {action} message="))
    with mock(packaged(tmp_path / "actions.wsdl")) as mocked:
        client = _zeep(mocked.wsdl, plugins=(WsAddressingPlugin(),))
        (service, *_) = client.wsdl.services.values()
        (operation, *_) = next(iter(service.ports.values())).binding.all()
        client.service[operation](**_arguments(client, operation))
        assert "<wsa:Action>urn:the-answer</wsa:Action>" in mocked.calls()[0].sent.replace(
            ' xmlns:wsa="http://www.w3.org/2005/08/addressing"', ""
        )


def test_response_may_have_attachments(packaged: Packaged) -> None:
    name = packaged(CORPUS / "split/split.wsdl")
    service = importlib.import_module(f"{name}.service").ServedSplitService
    with mock(name) as mocked, connect(service, address=mocked.address()) as connected:
        scan = Attachment(b"\x00scan\xff", "image/png", "scan@example")
        mocked.on("Ask").reply(a="see the scan", attachments=[scan])
        with connected.soap.attachments() as attachments:
            assert connected.ask(q="why").a == "see the scan"
        (received,) = attachments.received
        assert (received.content, received.content_type) == (scan.content, "image/png")
        assert received.content_id == "scan@example"
