"""WS-Addressing headers are added if the WSDL requires them (Web Services Addressing 1.0, Metadata)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from lxml import etree
from zeep.plugins import HistoryPlugin
from zeep.wsa import WsAddressingPlugin

from soapclient import Settings
from soapclient.errors import AmbiguousOutcome, ResponseError
from tests.soap.conftest import send
from tests.support.cases import case_text
from tests.support.packages import generated

if TYPE_CHECKING:
    from tests.soap.conftest import Open
    from tests.support.wire import Exchange, Wire

SPACE = "urn:example:post"
SOAP = "http://schemas.xmlsoap.org/soap/envelope/"
WSA = "http://www.w3.org/2005/08/addressing"
WSDL = case_text(__file__, "post.wsdl")
Services = dict[str, Any]


@pytest.fixture(scope="module")
def post() -> Iterator[Services]:
    plain = re.sub(r' a:Action=".*?"|<a:.*/>', "", WSDL)
    with generated("post_plain", plain) as without, generated("post_addressed", WSDL) as package:
        yield {"plain": without.PostPlainService, "addressed": package.PostAddressedService}


@pytest.fixture
def opened(post: Services, connected: Open) -> Open:
    def make(name: str = "addressed", plugins: Any = (), **settings: Any) -> Any:
        return connected(post[name], Settings(**({"safe": {"Named"}} | settings)), plugins=plugins)

    return make


def envelope(head: str = "") -> bytes:
    body = f'<SendResponse xmlns="{SPACE}"><number>7</number></SendResponse>'
    return (
        f'<s:Envelope xmlns:s="{SOAP}" xmlns:a="{WSA}"><s:Header>{head}</s:Header>'
        f"<s:Body>{body}</s:Body></s:Envelope>"
    ).encode()


def heads(body: bytes) -> dict[str, str]:
    head = etree.fromstring(body).find(f"{{{SOAP}}}Header")
    return {} if head is None else {str(each.tag): each.text or "" for each in head}


def test_declared_action_is_sent(opened: Open, wire: Wire) -> None:
    """The headers also name the recipient, and each attempt has its own message id."""
    wire.answers(b"", 503)
    wire.answers(envelope())
    assert opened().named(text="Hello").number == 7
    seen = [heads(sent.body) for sent in wire.sent]
    for head, sent in zip(seen, wire.sent, strict=True):
        assert set(head) == {f"{{{WSA}}}{name}" for name in ("Action", "To", "MessageID")}
        assert head[f"{{{WSA}}}Action"] == "urn:example:post:named"
        assert head[f"{{{WSA}}}To"] == wire.url
        assert re.fullmatch(r"urn:uuid:[0-9a-f-]{36}", head[f"{{{WSA}}}MessageID"])
        assert sent.headers["soapaction"] == '"urn:soap:named"'
    assert len({head[f"{{{WSA}}}MessageID"] for head in seen}) == 2


def test_soap_action_becomes_the_action_if_addressing_is_required(opened: Open, wire: Wire) -> None:
    wire.answers(envelope())
    opened().unnamed(text="Hello")
    assert heads(wire.sent[0].body)[f"{{{WSA}}}Action"] == "urn:soap:unnamed"


def test_no_addressing_headers_unless_the_contract_requires_them(opened: Open, wire: Wire) -> None:
    wire.answers(envelope())
    assert opened("plain").named(text="Hello").number == 7
    assert heads(wire.sent[0].body) == {}


def test_plugins_and_the_zeep_service_have_the_addressing_headers(opened: Open, wire: Wire) -> None:
    history: Any = HistoryPlugin()  # type: ignore[no-untyped-call] # zeep has no types
    connection = opened(plugins=[history])
    wire.answers(envelope())
    wire.answers(envelope())
    connection.named(text="Hello")
    assert history.last_sent["envelope"].find(f".//{{{WSA}}}Action").text == "urn:example:post:named"
    connection.zeep.Named(text="Hello")
    assert heads(wire.sent[1].body)[f"{{{WSA}}}Action"] == "urn:example:post:named"


def test_headers_of_addressing_in_a_response_are_understood(opened: Open, wire: Wire) -> None:
    head = f'<a:RelatesTo s:mustUnderstand="1">{WSA}/unspecified</a:RelatesTo>'
    wire.answers(envelope(head))
    assert opened(drift="error").named(text="Hello").number == 7
    wire.answers(envelope('<n:New xmlns:n="urn:new" s:mustUnderstand="1"/>'))
    with pytest.raises(ResponseError, match="Header/New"):
        opened(drift="error").named(text="Hello")
    wire.answers(envelope(head))
    with pytest.raises(ResponseError, match="RelatesTo"):
        opened("plain", drift="error").named(text="Hello")
    wire.answers(envelope(head))
    plugin = WsAddressingPlugin()
    assert opened("plain", plugins=[plugin]).named(text="Hello").number == 7


@pytest.mark.parametrize("plain", [False, True])
def test_explicit_plugin_does_not_duplicate_the_headers(opened: Open, wire: Wire, *, plain: bool) -> None:
    """The plugin may have another address, so its own headers are sent."""
    own = etree.fromstring(f'<a:MessageID xmlns:a="{WSA}">urn:mine</a:MessageID>')
    connection = opened(plugins=[WsAddressingPlugin(address_url="https://other.example/")])
    for given in ((), [own]):
        wire.answers(envelope())
        view = connection.with_options(soapheaders=given)
        if plain:
            view.zeep.Named(text="Hello", _soapheaders=list(given))
        else:
            view.named(text="Hello")
        head = etree.fromstring(wire.sent[-1].body).find(f"{{{SOAP}}}Header")
        assert head is not None
        names = [etree.QName(node).localname for node in head]
        assert names == [*["MessageID"] * len(given), "Action", "MessageID", "To"]
        assert heads(wire.sent[-1].body)[f"{{{WSA}}}To"] == "https://other.example/"
        assert heads(wire.sent[-1].body)[f"{{{WSA}}}Action"] == "urn:example:post:named"


def test_explicit_plugin_adds_headers_that_the_wsdl_does_not_require(opened: Open, wire: Wire) -> None:
    wire.answers(envelope())
    opened("plain", plugins=[WsAddressingPlugin()]).named(text="Hello")
    assert heads(wire.sent[-1].body)[f"{{{WSA}}}Action"] == "urn:soap:named"


def relating(wire: Wire, related: str = "", kind: str = "") -> None:
    """Make the next response relate to a message, by default to the request."""

    def act(exchange: Exchange) -> None:
        sent = heads(exchange.sent.body)[f"{{{WSA}}}MessageID"]
        relationship = f' RelationshipType="{kind}"' if kind else ""
        send(exchange, envelope(f"<a:RelatesTo{relationship}> {related or sent} </a:RelatesTo>"))

    wire.does(act)


def test_a_response_may_relate_to_a_message_id_of_the_caller_s(opened: Open, wire: Wire) -> None:
    """The caller's message id is accepted in addition to the generated one."""
    own = etree.fromstring(f'<a:MessageID xmlns:a="{WSA}">urn:mine</a:MessageID>')
    relating(wire, "urn:mine")
    view = opened(attempts=1, safe=()).with_options(soapheaders=[own])
    assert view.named(text="Hello").number == 7


def test_a_response_that_relates_to_another_request_is_refused(opened: Open, wire: Wire) -> None:
    """A read is retried. A write is ambiguous."""
    relating(wire, "urn:uuid:of-another-request")
    relating(wire)
    assert opened().named(text="Hello").number == 7
    assert len(wire.sent) == 2
    relating(wire, "urn:uuid:of-another-request")
    with pytest.raises(ResponseError, match="Header/RelatesTo is 'urn:uuid:of-another-request'"):
        opened(attempts=1).named(text="Hello")
    relating(wire, "urn:uuid:of-another-request")
    with pytest.raises(AmbiguousOutcome):
        opened(safe=()).named(text="Hello")


@pytest.mark.parametrize(
    ("related", "kind"),
    [
        ("", f"{WSA}/reply"),
        (f"{WSA}/unspecified", ""),
        ("urn:uuid:of-an-earlier-message", "urn:other-relation"),
    ],
)
def test_a_response_that_relates_to_its_request_is_accepted(
    opened: Open, wire: Wire, related: str, kind: str
) -> None:
    relating(wire, related, kind)
    assert opened(attempts=1, safe=()).named(text="Hello").number == 7
