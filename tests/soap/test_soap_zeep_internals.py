"""The zeep internals that typed calls rely on. Each test fails with an explanation if a new zeep differs."""

from __future__ import annotations

import inspect
from types import SimpleNamespace
from typing import Any

import zeep
import zeep.proxy
import zeep.wsdl.bindings.soap
import zeep.wsdl.messages.base
import zeep.wsdl.messages.xop
import zeep.wsse.username
from lxml import etree

Binding: Any = zeep.wsdl.bindings.soap.Soap11Binding
Serialized: Any = zeep.wsdl.messages.base.SerializedMessage


class Operation:
    """Only the attributes that `soapclient.soap.operations.TypedOperation` offers."""

    def __init__(self, seen: list[Any], action: str | None = None) -> None:
        self.seen = seen
        self.name = "Do"
        self.abstract = SimpleNamespace(name="Do", wsa_action=action)

    def create(self, *args: Any, **kwargs: Any) -> Any:
        self.seen.append(("create", args, kwargs))
        return Serialized(path=None, headers={}, content=envelope())


class Recording(Binding):  # type: ignore[misc] # zeep has no types
    def __init__(self, seen: list[Any], action: str | None = None) -> None:
        self._operations = {"Do": Operation(seen, action)}
        self.seen = seen

    def _set_http_headers(self, serialized: Any, operation: Any) -> None:
        self.seen.append(("headers", operation.name))
        serialized.headers["SOAPAction"] = "do"

    def process_reply(self, client: Any, operation: Any, response: Any) -> Any:
        self.seen.append(("reply", operation.name))
        return response, client


class Client:
    """Only the attributes that `soapclient.soap.calls.SoapCall` offers."""

    def __init__(self, seen: list[Any]) -> None:
        self.seen = seen
        self.settings = SimpleNamespace(raw_response=False, extra_http_headers={"X-Extra": "1"})
        self.plugins = [self]
        self.wsse = self
        self.transport = self

    def egress(self, envelope: Any, http_headers: Any, operation: Any, binding_options: Any) -> Any:
        self.seen.append(("plugin", binding_options))
        return envelope, http_headers

    def apply(self, envelope: Any, headers: Any) -> Any:
        self.seen.append(("wsse",))
        return envelope, headers

    def post_xml(self, address: str, envelope: Any, headers: Any) -> str:
        self.seen.append(("post", address, dict(headers)))
        return "response"


def envelope() -> etree._Element:
    space = "http://schemas.xmlsoap.org/soap/envelope/"
    return etree.fromstring(f'<s:Envelope xmlns:s="{space}"><s:Body><Do/></s:Body></s:Envelope>')


OPTIONS = {"address": "https://example.org/", "offset": 5}


def test_zeep_send_has_the_expected_order_of_steps() -> None:
    seen: list[Any] = []
    client = Client(seen)
    result = Recording(seen).send(client, OPTIONS, "Do", ("request",), {})
    steps = [step[0] for step in seen]
    assert steps == ["create", "headers", "plugin", "wsse", "post", "reply"], (
        f"zeep's SoapBinding.send and _create go another way: {steps}; "
        "soapclient.soap.calls and client have to follow"
    )
    assert result == ("response", client), "SoapBinding.send does not give what process_reply gives"
    assert seen[0] == ("create", ("request",), {}), "operations are created with other arguments"
    assert seen[2][1] is OPTIONS, (
        "plugins do not get the binding options, in which the clock's offset travels"
    )
    assert seen[4] == ("post", "https://example.org/", {"SOAPAction": "do", "X-Extra": "1"}), (
        "the transport is asked for something else than post_xml(address, envelope, headers)"
    )


def test_the_operation_s_action_has_ws_addressing_applied_before_plugins() -> None:
    seen: list[Any] = []
    binding = Recording(seen, action="urn:do")
    made, headers = binding._create("Do", (), {}, client=Client(seen), options=OPTIONS)
    head = made.find("{*}Header")
    assert head is not None, "operation.abstract.wsa_action is looked at no more: set it another way"
    assert headers["SOAPAction"] == "do"


def test_serialized_message_has_the_expected_fields() -> None:
    assert Serialized._fields == ("path", "headers", "content"), (
        "SerializedMessage has other fields; soapclient.soap.operations makes it"
    )


def test_proxies_call_the_binding_with_the_expected_arguments() -> None:
    called: list[Any] = []

    class Asked:
        def all(self) -> dict[str, None]:
            return {"Do": None}

        def send(self, *args: Any) -> str:
            called.append(args)
            return "value"

    client = SimpleNamespace(_default_soapheaders=None)
    make: Any = zeep.proxy.ServiceProxy
    service = make(client, Asked(), address="https://example.org/")
    assert service["Do"]("request", _soapheaders=[1], _timeout=5) == "value"
    options = {"address": "https://example.org/"}
    assert called == [(client, options, "Do", ("request",), {"_soapheaders": [1], "_timeout": 5})], (
        "OperationProxy calls Binding.send with other arguments; soapclient.soap.client has to follow"
    )
    assert service._binding_options == options, (
        "ServiceProxy keeps its binding options elsewhere than in _binding_options"
    )


def test_compared_zeep_methods_do_nothing() -> None:
    node = etree.Element("x")
    plugin: Any = zeep.Plugin()
    assert plugin.ingress(node, {}, None) == (node, {}), "Plugin.ingress does something of its own now"
    token: Any = zeep.wsse.username.UsernameToken("u", "p")  # type: ignore[no-untyped-call]
    assert token.verify(node) is None, "UsernameToken.verify looks at responses now: they need a tree"
    assert {"post", "post_xml"} <= set(vars(zeep.Transport)), "Transport posts by other methods"
    parameters = list(inspect.signature(zeep.Transport.__init__).parameters)
    assert "session" in parameters, "Transport is given no session any more, so it cannot lend one"


def test_process_xop_requests_parts_by_id() -> None:
    asked: list[str] = []

    def part(content_id: str) -> Any:
        asked.append(content_id)
        return SimpleNamespace(content=b"\r\n")

    document = etree.fromstring(
        '<a><b><i:Include xmlns:i="http://www.w3.org/2004/08/xop/include" href="cid:x%40y"/></b></a>'
    )
    put: Any = zeep.wsdl.messages.xop.process_xop
    assert put(document, SimpleNamespace(get_by_content_id=part)) is True
    assert (asked, document[0].text) == (["<x@y>"], "DQo="), (
        "process_xop asks for parts another way, or puts them elsewhere: see soapclient.soap.attachments"
    )
