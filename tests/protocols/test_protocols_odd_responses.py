"""Unexpected responses in both forms of REST: a typed error that describes the response."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from soapclient import Client
from soapclient.errors import (
    AmbiguousOutcome,
    AuthenticationError,
    BrokenResponse,
    MisplacedResponse,
    ResponseError,
    ServiceFault,
    SoapClientError,
    UnexpectedResponse,
)
from soapclient.runtime import CountingReader, Node
from tests.support.sales import sales, stream_of_sales
from tests.support.soap import envelope, fault

pytestmark = pytest.mark.sampled(8)

if TYPE_CHECKING:
    from tests.protocols.conftest import Scripted

Open = Callable[..., "Scripted"]
FORMS = ("rest-xml-headers", "rest-json-headers")
SPACE = "http://api.zanox.com/namespace/2011-03-01/"
PAGE = "<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>"
PROFILE = {
    "adrank": 1.5, "firstName": "Erika", "lastName": "Example", "email": "erika@example.org", "country": "DE",
    "street1": "Example Street 1", "city": "Berlin", "zipcode": 10115, "loginName": "example",
    "userName": "example", "isAdvertiser": False, "isSublogin": False,
}  # fmt: skip


def xml(root: str, content: object, space: str = SPACE) -> str:
    """Return a document of nested mappings. Every element is in the namespace."""
    return f'<?xml version="1.0"?><{root} xmlns="{space}">{_inner(content)}</{root}>'


def _inner(content: object) -> str:
    if isinstance(content, dict):
        return "".join(f"<{name}>{_inner(one)}</{name}>" for name, one in content.items())
    return "" if content is None else json.dumps(content).strip('"')


def document(form: str, root: str, content: dict[str, object]) -> str:
    """Return the same document in the form of a way, given by its name."""
    return xml(root, content) if "xml" in form else json.dumps(content)


def profile(client: Client) -> object:
    return client.publisher.get_profile()


def raised(
    server: Scripted, kind: type[SoapClientError], read: Callable[[Client], object] = profile
) -> SoapClientError:
    """Return the error of a read. Checks that it has exactly this public class."""
    with pytest.raises(SoapClientError) as caught:
        read(server.way.client)
    assert kind_of(caught.value) is kind, repr(caught.value)
    name = "GetProfile" if read is profile else "GetSales"
    assert getattr(caught.value, "operation", None) == name
    assert name in str(caught.value)
    return caught.value


def kind_of(error: SoapClientError) -> type:
    """Return the error's class. A damaged response is a ResponseError over every protocol."""
    damaged = (BrokenResponse, MisplacedResponse)
    return next(kind for kind in type(error).__mro__ if kind not in damaged)


def raised_by_a_write(server: Scripted, kind: type[SoapClientError]) -> SoapClientError:
    with pytest.raises(SoapClientError) as caught:
        server.way.client.publisher.delete_adspace(adspace_id=7)
    assert kind_of(caught.value) is kind, repr(caught.value)
    assert len(server.sent) == 1  # a write is never sent twice
    return caught.value


# ---- responses that do not come from the service

# name → (body, status, media type, further headers, attempts)
NO_ANSWERS: dict[str, tuple[str, int, str | None, dict[str, str], int]] = {
    "a page of a proxy, as if all were well": (PAGE, 200, "text/html", {}, 4),
    "a page of a proxy": (PAGE, 502, "text/html; charset=utf-8", {}, 4),
    "a page of a proxy under the form's own name": (PAGE, 503, None, {}, 4),
    "plain text": ("service unavailable", 503, "text/plain", {}, 4),
    "nothing at all": ("", 200, None, {}, 4),
    "nothing at all, of no type": ("", 204, "", {}, 4),
    "404 without body or type": ("", 404, "", {}, 1),
    "404 with a page": (PAGE, 404, "text/html", {}, 1),
    "an unusual status": ("out of order", 418, "text/plain", {}, 1),
    "accepted without a response": ("", 202, None, {}, 4),
    "a redirect": ("", 302, "", {"Location": "https://elsewhere.example.org/"}, 1),
    **{
        f"a redirect with a body and status {status}": (PAGE, status, None, {"Location": "/elsewhere"}, 1)
        for status in (301, 303, 307, 308)
    },
    "too many requests": ("", 429, "", {"Retry_After": "7"}, 4),
    "an empty object or element as an error": ("", 500, None, {}, 4),
}


@pytest.mark.sampled(12)
@pytest.mark.parametrize("form", ["soap", *FORMS])
@pytest.mark.parametrize("read", [profile, stream_of_sales])
@pytest.mark.parametrize("case", NO_ANSWERS)
def test_foreign_response_is_an_error(
    scripted: Open, form: str, read: Callable[[Client], object], case: str
) -> None:
    body, status, media, headers, attempts = NO_ANSWERS[case]
    server = scripted(form)
    server.answers(body, status, media, **headers, times=attempts)
    error = raised(server, UnexpectedResponse, read)
    assert isinstance(error, UnexpectedResponse)
    assert error.status == status
    assert error.attempts == len(server.sent) == attempts
    assert error.content_type == (
        media.partition(";")[0] or None if media is not None else error.content_type
    )
    assert error.excerpt == ("" if not body else error.excerpt)
    assert body[:20] in error.excerpt
    assert f"HTTP status {status}" in str(error)
    if "Retry_After" in headers:
        assert server.way.clock.sleeps == [7.0] * 3  # longer than the backoff, so Retry-After applies
        assert error.retry_after == 7
    if "Location" in headers:
        assert "redirect" in str(error)
        assert "elsewhere" not in str(error)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["soap", *FORMS])
def test_xml_page_of_a_proxy_is_an_error_over_soap(scripted: Open, name: str) -> None:
    """XHTML is well-formed and has a document type. It must still be retried as a proxy's page."""
    server = scripted(name)
    for read in (profile, sales, stream_of_sales):
        server.answers(PAGE, 503, "text/xml", times=4)
        server.sent.clear()
        error = raised(server, UnexpectedResponse, read)
        assert isinstance(error, UnexpectedResponse)
        assert (error.status, error.attempts, len(server.sent)) == (503, 4, 4)
        assert "502 Bad Gateway" in error.excerpt


# ---- damaged responses

BROKEN: dict[str, Callable[[str], str]] = {
    "in the other form": lambda form: document(
        FORMS[FORMS.index(form) - 1], "GetProfileResponse", {"profileItem": {**PROFILE}}
    ),
    "two documents": lambda form: 2 * document(form, "GetProfileResponse", {"profileItem": {**PROFILE}}),
    "a mere value": lambda form: "42" if "json" in form else "forty-two",
    "control characters": lambda form: (
        '{"profileItem": {"city": "\x01\x02"}' if "json" in form else "<a>\x01</a>"
    ),
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("case", BROKEN)
def test_broken_document_is_an_error_and_makes_a_write_ambiguous(
    scripted: Open, form: str, case: str
) -> None:
    server = scripted(form)
    server.answers(BROKEN[case](form), times=4)
    with pytest.raises(ResponseError) as caught:
        server.way.client.publisher.get_profile()
    assert caught.value.attempts == len(server.sent) == 4  # it may have been damaged in transit
    assert caught.value.operation == "GetProfile"
    assert caught.value.path.startswith("GetProfileResponse")
    writer = scripted(form)
    writer.answers(BROKEN[case](form))
    raised_by_a_write(writer, AmbiguousOutcome)


def test_response_is_read_by_its_content_type(scripted: Open) -> None:
    """The Content-Type decides, not the requested form: an XML response to a JSON client is decoded."""
    told = []
    for asked in FORMS:
        for form, media in ((FORMS[0], "text/xml"), (FORMS[1], "application/json; charset=utf-8")):
            server = scripted(asked)
            body = document(form, "GetProfileResponse", {"profileItem": {**PROFILE}})
            server.answers(body, media=media)
            told.append(server.way.client.publisher.get_profile())
            assert server.way.client.drift.counts() == {}
    assert told[0].profile_item is not None
    assert (told[0].profile_item.is_sublogin, told[0].profile_item.zipcode) == (False, "10115")
    assert all(one == told[0] for one in told)


def test_other_root_is_an_error(scripted: Open) -> None:
    server = scripted(FORMS[0])
    # A response to another call may have arrived here.
    server.answers(xml("GetSalesResponse", {"page": 0, "items": 0, "total": 0}), times=4)
    error = raised(server, ResponseError)
    assert "GetSalesResponse" in str(error)
    server = scripted(FORMS[0])
    server.answers(xml("GetProfileResponse", {"profileItem": PROFILE}, "urn:another"), times=4)
    assert "urn:another" in str(raised(server, ResponseError))
    # This form drops the root's name, so only a different root name identifies the response.
    server = scripted(FORMS[1])
    server.answers(json.dumps({"GetSalesResponse": {"page": 0}}), times=4)  # retried as over XML
    assert "GetSalesResponse" in str(raised(server, ResponseError))
    server.answers(json.dumps({"page": 0, "items": 0, "total": 0, "saleItems": []}), times=4)
    assert "profileItem" in str(raised(server, ResponseError))


NO_PAGES: list[dict[str, object]] = [
    {"page": 0, "items": 1, "total": 1, "leadItems": {"leadItem": [{"@id": "1"}]}},
    {"page": 0, "items": 0, "total": 0, "leadItems": ""},
    {"page": 0, "items": 25, "total": 70},
    {"page": 0, "items": 25, "total": 70, "saleItems": {"saleItem": []}},
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("document", NO_PAGES)
def test_page_of_another_list_is_an_error(scripted: Open, document: dict[str, object]) -> None:
    server = scripted(FORMS[1])
    server.answers(json.dumps(document), times=4)
    with pytest.raises(ResponseError, match="GetSalesResponse") as caught:
        sales(server.way.client)
    assert caught.value.attempts == len(server.sent) == 4
    assert ("is missing" in str(caught.value)) is (document == NO_PAGES[2])


@pytest.mark.parametrize(
    "document", [{"page": 0, "items": 50, "total": 0}, {"page": 3, "items": 50, "total": 7, "jobItems": ""}]
)
def test_empty_page_may_report_the_requested_page_size(scripted: Open, document: dict[str, object]) -> None:
    """The meaning of `items` in the data service is undocumented. A page after the last one has no items."""
    server = scripted(FORMS[1])
    server.answers(json.dumps(document))
    assert not server.way.client.data.get_jobs(page=3).job_items


# ---- errors of the service with its own texts

FULL = {"code": 230, "message": "Bad Request", "reason": "no such region", "errorId": "e-17"}
TOLD = (230, "Bad Request", "no such region", "e-17")
# Further bodies are in tests/rest/test_rest_problem.py.
# name → (content, HTTP status, exception, (code, message, reason, error id))
ERRORS: dict[
    str, tuple[dict[str, object], int, type[ServiceFault], tuple[int, str | None, str, str | None]]
] = {
    "as recorded": ({**FULL}, 400, ServiceFault, TOLD),
    "nested": ({"error": FULL}, 400, ServiceFault, TOLD),
    "with status 200": ({**FULL}, 200, ServiceFault, TOLD),
    "4xx: the message says why": (
        {"code": 403, "message": "not entitled"},
        403, AuthenticationError, (403, "not entitled", "", None),
    ),
    "a message that is null": (
        {"code": 109, "message": None, "reason": "taken"},
        400, ServiceFault, (109, "", "taken", None),
    ),
    "no id was sent": ({"code": 401, "message": "who?"}, 401, AuthenticationError, (401, "who?", "", None)),
    "another code with 403": (
        {"code": 117, "message": "bad signature", "reason": "x"},
        403, AuthenticationError, (117, "bad signature", "x", None),
    ),
    "no code": ({"message": "gone"}, 404, ServiceFault, (404, "gone", "", None)),
    "a code that is no number": (
        {"code": "E_TAKEN", "message": "it is", "reason": "r"},
        409, ServiceFault, (409, "E_TAKEN: it is", "r", None),
    ),
}  # fmt: skip


# The service's own error body has its names at the top level and its own code. A gateway may write the
# others.
REFUSALS = {"as recorded", "with status 200", "a message that is null", "another code with 403"}


PROBLEM = "application/problem+json"
# name → (body, media type, HTTP status, exception, (message, reason))
OF_GATEWAYS: dict[str, tuple[object, str, int, type[ServiceFault], tuple[str | None, str]]] = {
    "a problem": (
        {"type": "about:blank", "title": "Too Many Requests", "status": 429, "detail": "10 a minute"},
        *(PROBLEM, 422, ServiceFault, ("Too Many Requests", "10 a minute")),
    ),
    "a problem with a title alone": ({"title": "Gone"}, PROBLEM, 410, ServiceFault, ("Gone", "")),
    "a refused problem": (
        {"title": "Forbidden", "detail": "no such key"},
        *(PROBLEM, 403, AuthenticationError, ("Forbidden", "no such key")),
    ),
    "a list of errors": (
        {"errors": [{"code": 1000, "message": "no such route"}, {"title": "t", "detail": "d"}]},
        *("application/json", 404, ServiceFault, (None, "1000: no such route; d")),
    ),
    "a list of texts": (
        {"errors": ["one", "two", 3]},
        *("application/json", 400, ServiceFault, (None, "one; two")),
    ),
    "a list of errors with its own type": (
        {"errors": [{"status": "404", "detail": "not here"}]},
        *("application/vnd.api+json", 404, ServiceFault, (None, "not here")),
    ),
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("form", ["soap", *FORMS])
@pytest.mark.parametrize("case", OF_GATEWAYS)
def test_an_error_of_a_gateway_in_json_is_readable(scripted: Open, form: str, case: str) -> None:
    content, media, status, kind, (message, reason) = OF_GATEWAYS[case]
    server = scripted(form)
    server.answers(json.dumps(content), status, media)
    error = raised(server, kind)
    assert isinstance(error, ServiceFault)
    assert (error.code, error.status, error.reason) == (status, status, reason)
    assert error.message == message
    assert "address of the service" not in str(error)
    assert not error.not_processed
    writer = scripted(form)
    writer.answers(json.dumps(content), status, media)
    cause = raised_by_a_write(writer, AmbiguousOutcome).__cause__
    assert isinstance(cause, kind)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("form", ["soap", *FORMS])
@pytest.mark.parametrize(
    ("body", "media"),
    [
        ('{"errors": []}', "application/json"),
        ('{"errors": {"a": "b"}}', "application/json"),
        ('{"errors": [{"a": "b"}]}', "application/json"),
        ('{"type": "about:blank"}', PROBLEM),
        ('["errors"]', "application/json"),
        ('{"errors": ["cut', "application/json"),
        ('{"errors": ' + "[" * 50_000, "application/json"),
        ('{"errors": ["' + 70_000 * "x" + '"]}', "application/json"),
        ('{"errors": ["text"]}', "text/html"),
    ],
)
def test_other_document_is_not_a_gateway_error(scripted: Open, form: str, body: str, media: str) -> None:
    server = scripted(form)
    server.answers(body, 404, media)
    error = raised(server, UnexpectedResponse)
    assert isinstance(error, UnexpectedResponse)
    assert error.status == 404


@pytest.mark.sampled(4)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("case", ERRORS)
def test_an_error_of_the_service_is_typed(scripted: Open, form: str, case: str) -> None:
    content, status, kind, told = ERRORS[case]
    server = scripted(form)
    server.answers(document(form, "response", content), status)
    error = raised(server, kind)
    assert isinstance(error, ServiceFault)
    assert (error.code, error.message, error.reason, error.error_id) == told
    for said in (told[1], told[2], told[3]):
        assert said is None or said in str(error)
    assert "None" not in str(error)
    assert error.attempts == 1
    writer = scripted(form)
    writer.answers(document(form, "response", content), status)
    if case in REFUSALS:
        raised_by_a_write(writer, kind)
    else:
        cause = raised_by_a_write(writer, AmbiguousOutcome).__cause__
        assert isinstance(cause, kind)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("code", [100, 117, 230, 401, 403, 409, 999])
def test_a_fault_over_soap_and_an_error_over_rest_are_the_same_exception(scripted: Open, code: int) -> None:
    said = f"<code>{code}</code><reason>because</reason><errorId>e-17</errorId>"
    detail = f'<SOAPException xmlns="{SPACE}">{said}</SOAPException>'
    server = scripted("soap")
    server.answers(envelope(fault("s:Server", "denied", detail)), 500, "text/xml")
    # docs/explanation/service.md#fault-codes; 403 is assumed
    kind = AuthenticationError if code in {401, 403} else ServiceFault
    errors = [raised(server, kind)]
    for form in FORMS:
        server = scripted(form)
        content = {"code": code, "message": "denied", "reason": "because", "errorId": "e-17"}
        server.answers(document(form, "response", content), 400)
        errors.append(raised(server, kind))
    for error in errors:
        assert isinstance(error, ServiceFault)
        told = (error.code, error.message, error.reason, error.error_id)
        assert told == (code, "denied", "because", "e-17")
        assert str(error) == str(errors[0])


@pytest.mark.parametrize("place", ["beside the list", "in an item"])
def test_very_many_unknown_names_are_processed_once(
    scripted: Open, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """JSON is decoded directly if it matches the contract, otherwise as a tree.

    Unknown names must not be counted twice.
    """
    heard: list[object] = []
    count = CountingReader.unknown_element

    def counted(self: CountingReader, node: Node) -> None:
        heard.append(node)
        count(self, node)

    monkeypatch.setattr(CountingReader, "unknown_element", counted)
    many = {f"new{at}": str(at) for at in range(2_000)}
    server = scripted("rest-json-headers")
    search = server.way.client.publisher.search_programs
    if place == "in an item":
        item = {"@id": "1", "name": "x", **many}
        server.answers(
            json.dumps({"page": 0, "items": 1, "total": 1, "programItems": {"programItem": item}}), 200
        )
        with pytest.raises(ResponseError, match="adrank"):  # it is required
            search(query="x")
    else:
        server.answers(json.dumps({"page": 0, "items": 0, "total": 0, **many}), 200)
        assert search(query="x").total == 0
    assert len(heard) == 2_000
