"""Unexpected responses: each is a typed error, and the client follows no redirects and trusts no content."""

from __future__ import annotations

import gzip
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from soapclient import Client
from soapclient.errors import (
    AmbiguousOutcome,
    AuthenticationError,
    ResponseError,
    ServiceFault,
    SoapClientError,
    UnexpectedResponse,
)
from tests.soap.conftest import SOAP_11, cut, envelope, responses
from tests.support.sales import DAY, stream_of_sales

if TYPE_CHECKING:
    from tests.support.wire import Wire

Encode = Callable[[str], bytes]
HTML = b"<html><head><title>Welcome</title></head><body>Please log in<br></body></html>"


def failure(client: Client, wire: Wire, body: bytes, status: int = 200, **headers: str) -> SoapClientError:
    """Return the error that GetProfile raises for this response after one request."""
    wire.answers(body, status, **headers)
    with pytest.raises(SoapClientError) as caught:
        client.publisher.get_profile()
    assert len(wire.sent) == 1
    assert getattr(caught.value, "operation", None) == "GetProfile"
    return caught.value


def streamed(
    client: Client, wire: Wire, body: bytes, status: int = 200, *, given: int | None = 0, **headers: str
) -> SoapClientError:
    """Return the error of a GetSales stream for this response.

    Checks that it came after `given` items (None: some).
    """
    wire.answers(body, status, **headers)
    seen: list[Any] = []
    with pytest.raises(SoapClientError) as caught:
        stream_of_sales(client, seen)
    assert given is None or len(seen) == given
    return caught.value


@pytest.mark.parametrize("kind", ["text/xml", "application/xhtml+xml"])
def test_html_labelled_as_xml_is_an_error(once: Client, wire: Wire, kind: str) -> None:
    error = failure(once, wire, HTML, Content_Type=kind)
    assert isinstance(error, ResponseError)
    again = streamed(once, wire, HTML.replace(b"<br>", b""), Content_Type=kind)
    assert isinstance(again, ResponseError)
    assert (again.path, "html" in str(again.value)) == ("Envelope", True)


def test_truncated_xml_is_an_error(once: Client, wire: Wire) -> None:
    error = failure(once, wire, responses.profile()[:-30])
    assert isinstance(error, ResponseError)
    assert "complete" in error.expected
    assert error.items_returned is None


def test_truncated_stream_error_has_the_number_of_items(once: Client, wire: Wire) -> None:
    whole = responses.sales(*(responses.sale(n) for n in range(1000)))
    error = streamed(once, wire, whole[: whole.index(b"sale-900")], given=None)
    assert isinstance(error, ResponseError)
    assert error.items_returned is not None
    assert 800 < error.items_returned <= 900  # the last complete item may still be in the parser
    assert f", after {error.items_returned} items." in str(error)


@pytest.mark.parametrize(
    "prolog",
    [
        b'<!DOCTYPE s:Envelope [<!ENTITY who "somebody else">]>',
        b'<!DOCTYPE s:Envelope SYSTEM "http://127.0.0.1:1/evil.dtd">',
        b"<!DOCTYPE s:Envelope>",
    ],
)
def test_document_type_is_refused(once: Client, wire: Wire, prolog: bytes) -> None:
    error = failure(once, wire, prolog + responses.profile(loginName="&who;" if b"ENTITY" in prolog else "x"))
    assert isinstance(error, ResponseError)
    assert "DOCTYPE" in str(error)
    again = streamed(once, wire, prolog + responses.sales(responses.sale(1)))
    assert isinstance(again, ResponseError)
    assert "DOCTYPE" in str(again)
    assert again.items_returned in (0, None)


@pytest.mark.parametrize("inside", ["<x>&e11;</x>", '<x y="&e11;"/>'], ids=["in a text", "in an attribute"])
@pytest.mark.parametrize(
    "declared",
    [
        '<!ENTITY e0 "ha">' + "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12)),
        '<!ENTITY e11 SYSTEM "{secret}">',
    ],
    ids=["billion laughs", "external"],
)
def test_entity_expansion_is_refused(
    once: Client, wire: Wire, tmp_path: Path, declared: str, inside: str
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("the secret")
    prolog = f"<!DOCTYPE s:Envelope [{declared.replace('{secret}', secret.as_uri())}]>".encode()
    tracemalloc.start()
    try:
        call = failure(once, wire, prolog + responses.profile(inside))
        stream = streamed(once, wire, prolog + responses.sales(responses.sale(1, inside)))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 20_000_000
    for error in (call, stream):
        assert isinstance(error, ResponseError)
        assert "the secret" not in str(error)


def test_undeclared_entity_is_an_error(once: Client, wire: Wire) -> None:
    assert isinstance(failure(once, wire, responses.profile(loginName="&who;")), ResponseError)


@pytest.mark.parametrize(
    ("body", "path"),
    [
        (b"<profile/>", "Envelope"),
        (b'<Envelope xmlns="urn:other"><Body/></Envelope>', "Envelope"),
        (f'<s:Envelope xmlns:s="{SOAP_11}"/>'.encode(), "Envelope/Body"),
        (f'<s:Envelope xmlns:s="{SOAP_11}"><s:Body/></s:Envelope>'.encode(), "Envelope/Body/"),
    ],
)
def test_other_xml_is_an_error(once: Client, wire: Wire, body: bytes, path: str) -> None:
    for error in (failure(once, wire, body), streamed(once, wire, body)):
        assert isinstance(error, ResponseError)
        assert error.path.startswith(path)


def test_response_of_another_operation_is_an_error(once: Client, wire: Wire) -> None:
    error = failure(once, wire, responses.of("GetProgram"))
    assert isinstance(error, ResponseError)
    assert (error.path, "GetProgramResponse" in str(error.value)) == ("Envelope/Body", True)
    assert "GetProfileResponse" in error.expected
    assert isinstance(streamed(once, wire, responses.profile()), ResponseError)


@pytest.mark.parametrize("of", ["the response", "the envelope"])
def test_a_response_in_another_namespace_is_not_requested_again(client: Client, wire: Wire, of: str) -> None:
    """It will not change. A write is ambiguous, because the response does not show that it was refused."""

    def body(operation: str) -> bytes:
        if of == "the response":
            return responses.of(operation, space="urn:other")
        return responses.of(operation).replace(SOAP_11.encode(), b"urn:other")

    wire.answers(body("GetProfile"))
    with pytest.raises(ResponseError, match="urn:other"):
        client.publisher.get_profile()
    assert len(wire.sent) == 1
    wire.answers(body("GetSales"))
    with pytest.raises(ResponseError, match="urn:other"):
        stream_of_sales(client)
    assert len(wire.sent) == 2
    wire.answers(body("DeleteAdspace"))
    with pytest.raises(AmbiguousOutcome):
        client.publisher.delete_adspace(adspace_id=1)
    assert len(wire.sent) == 3


def test_the_response_to_another_operation_is_requested_again(client: Client, wire: Wire) -> None:
    wire.answers(responses.of("GetProgram"))
    wire.answers(responses.profile())
    assert client.publisher.get_profile().profile_item is not None


def test_response_outside_a_soap_body_is_an_error(once: Client, wire: Wire) -> None:
    bare = responses.sales(*(responses.sale(n) for n in range(500)))
    bare = bare[bare.index(b"<GetSales") : bare.index(b"</s:Body>")]
    header = envelope("", bare.decode()).replace(b"<s:Body></s:Body>", b"<s:Body/>")
    for body in (bare, envelope(f"<wrapped>{bare.decode()}</wrapped>"), header):
        error = streamed(once, wire, body)
        assert isinstance(error, ResponseError)
        assert not error.items_returned


@pytest.mark.parametrize("status", [503, 403, 302])
def test_error_status_is_reported_for_a_truncated_page(once: Client, wire: Wire, status: int) -> None:
    page = b"<html>half a page</html>".ljust(5000)
    wire.does(cut(page, 15, status, Content_Type="text/html"))
    with pytest.raises((UnexpectedResponse, AuthenticationError), match="half a pa") as caught:
        once.publisher.get_profile()
    told = caught.value.code if isinstance(caught.value, AuthenticationError) else None
    assert status == (caught.value.status if isinstance(caught.value, UnexpectedResponse) else told)


@pytest.mark.parametrize(
    ("status", "kind", "body"),
    [
        (401, "text/xml", "<error>access denied</error>"),
        (403, "text/xml", "<error>access denied</error>"),
        (403, "text/plain", "<error>access denied</error>"),
        (401, "text/xml", ""),
        (401, "text/xml", "who are you?"),
    ],
)
def test_refusal_without_soap_is_an_authentication_error(
    once: Client, wire: Wire, status: int, kind: str, body: str
) -> None:
    error = failure(once, wire, body.encode(), status, Content_Type=kind)
    assert isinstance(error, AuthenticationError)
    assert error.code == status
    assert "access denied" in error.reason or "access denied" not in body


def test_response_with_an_error_status_is_an_error(once: Client, wire: Wire) -> None:
    error = failure(once, wire, responses.profile(), 500)
    assert isinstance(error, UnexpectedResponse)
    assert error.status == 500
    again = streamed(once, wire, responses.sales(*(responses.sale(n) for n in range(500))), 500)
    assert isinstance(again, UnexpectedResponse)


def test_redirect_without_a_target_is_a_redirect_error(once: Client, wire: Wire) -> None:
    error = failure(once, wire, b"moved", 302, Location="http://[broken", Content_Type="text/plain")
    assert isinstance(error, UnexpectedResponse)


# ---- faults

SOAP_12 = {"Content_Type": "application/soap+xml"}
FAULTS: list[Any] = [
    # response, status, headers, class, (code, reason, error id)
    (responses.fault(107, "no", "abc-1"), 500, {}, ServiceFault, (107, "no", "abc-1")),
    (responses.fault_12(107, "no"), 500, SOAP_12, ServiceFault, (107, "no", "e-2")),
    (responses.fault(reason="it broke"), 500, {}, ServiceFault, (500, "it broke", None)),
    (responses.fault_12(reason="it broke"), 500, SOAP_12, ServiceFault, (500, "it broke", None)),
    (responses.fault(107, "no"), 200, {}, ServiceFault, (107, "no", "e-1")),
    *(
        (responses.fault(code, "still said"), 500, {}, ServiceFault, (500, "still said", "e-1"))
        for code in ("E-17", "", "--5", "٣٠٠", "9" * 40, "1.5", " ")
    ),
    *(
        (responses.fault(code, "no"), 500, {}, AuthenticationError, (code, "no", "e-1"))
        for code in (401, 403)
    ),
    (responses.fault(), 403, {}, AuthenticationError, (403, "because", None)),
    (responses.fault(107), 403, {}, AuthenticationError, (107, "because", "e-1")),
]


@pytest.mark.sampled(8)
@pytest.mark.parametrize(("body", "status", "headers", "kind", "said"), FAULTS)
def test_fault_is_typed(
    once: Client, wire: Wire, body: bytes, status: int, headers: Any, kind: Any, said: Any
) -> None:
    for error_of in (failure, streamed):
        error = error_of(once, wire, body, status, **headers)
        assert type(error) is kind
        assert isinstance(error, ServiceFault)
        assert (error.code, error.reason, error.error_id) == said
        assert error.error_id is None or error.error_id in str(error)


def test_truncated_fault_is_an_error(once: Client, wire: Wire) -> None:
    error = failure(once, wire, responses.fault(107)[:-20], 500)
    assert isinstance(error, UnexpectedResponse)
    assert error.status == 500


def test_fault_text_contains_no_control_characters(once: Client, wire: Wire) -> None:
    error = failure(once, wire, responses.fault(107, "bad\x85line\u202e and " + "x" * 10_000), 500)
    assert isinstance(error, ServiceFault)
    assert error.reason.isprintable()
    assert len(str(error)) < 2000


# ---- encodings


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("encode", "headers"),
    [
        (lambda text: b"\xef\xbb\xbf" + text.encode(), {}),
        (lambda text: f'<?xml version="1.0" encoding="UTF-16"?>{text}'.encode("utf-16"), {}),
        (lambda text: text.encode("utf-16"), {"Content_Type": "text/xml; charset=utf-16"}),
        (lambda text: f'<?xml version="1.0" encoding="ISO-8859-1"?>{text}'.encode("latin-1"), {}),
        (lambda text: gzip.compress(text.encode()), {"Content_Encoding": "gzip"}),
        (lambda text: text.encode(), {"Content_Type": "application/soap+xml; charset=utf-8"}),
        (lambda text: text.encode(), {"Content_Type": ""}),
    ],
    ids=["bom", "utf-16", "utf-16 by its mark", "latin-1", "gzip", "soap 1.2 type", "no type"],
)  # fmt: skip
def test_response_may_have_any_usual_encoding(
    once: Client, wire: Wire, encode: Encode, headers: dict[str, str]
) -> None:
    wire.answers(encode(responses.profile(firstName="Jürgen").decode()), 200, **headers)
    profile = once.publisher.get_profile().profile_item
    assert profile is not None
    assert profile.first_name == "Jürgen"
    text = responses.sales(*(responses.sale(n, currency="ÄÖÜ") for n in range(200))).decode()
    wire.answers(encode(text), 200, **headers)
    with once.publisher.stream.get_sales(date=DAY, date_type="trackingDate") as sales:
        assert [(sale.id, sale.currency) for sale in sales] == [(f"sale-{n}", "ÄÖÜ") for n in range(200)]


def test_body_with_a_wrong_declared_encoding_is_an_error(once: Client, wire: Wire) -> None:
    error = failure(once, wire, responses.profile(), Content_Encoding="gzip")
    assert isinstance(error, UnexpectedResponse)
    assert "does not match its Content-Encoding" in str(error)


def test_comments_and_instructions_do_not_split_values(once: Client, wire: Wire) -> None:
    wire.answers(responses.profile(city="New<!-- x --> Ber<?x y?>lin"))
    profile = once.publisher.get_profile().profile_item
    assert profile is not None
    assert profile.city == "New Berlin"


def test_header_block_is_ignored(once: Client, wire: Wire) -> None:
    body = responses.profile().replace(b"<s:Body>", b"<s:Header><trace>1</trace></s:Header><s:Body>")
    wire.answers(body)
    assert once.publisher.get_profile().profile_item is not None
