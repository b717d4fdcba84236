"""Multipart messages over the wire: hand-written MTOM/XOP and SOAP with attachments."""

from __future__ import annotations

import base64
import datetime as dt
import pickle
import re
from collections.abc import Iterator
from contextlib import nullcontext
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest
import zeep
from lxml import etree

from soapclient import Settings
from soapclient.connection import Attachment
from soapclient.errors import (
    AmbiguousOutcome,
    BrokenResponse,
    ContractDrift,
    ContractError,
    ResponseError,
    ServiceFault,
    UnexpectedResponse,
)
from tests.soap.conftest import Open, mime, responses
from tests.soap.conftest import envelope as wrapped
from tests.support.cases import case_text
from tests.support.packages import generated
from tests.support.soap import fault

if TYPE_CHECKING:
    from tests.soap.conftest import OpenClient
    from tests.support.wire import Wire

SPACE = "urn:example:photos"
XOP = "http://www.w3.org/2004/08/xop/include"
WSDL = case_text(__file__, "photos.wsdl")
# Bytes that contain line ends, blanks and the boundaries of other messages.
BYTES = b"\r\n\x00\x01 --b\r\n--bx\r\n\xff\r\n\r\n"


@pytest.fixture(scope="module")
def photos() -> Iterator[ModuleType]:
    with generated("photos_in_parts", WSDL) as package:
        yield package


@pytest.fixture
def opened(photos: ModuleType, connected: Open) -> Open:
    def make(**settings: Any) -> Any:
        given: dict[str, Any] = {"safe": {"GetPhoto"}, "attempts": 1} | settings
        return connected(photos.PhotosInPartsService, Settings(**given))

    return make


def envelope(content: str) -> bytes:
    return wrapped(f'<GetPhotoResponse xmlns="{SPACE}">{content}</GetPhotoResponse>')


def include(content_id: str) -> str:
    return f'<content><i:Include xmlns:i="{XOP}" href="cid:{content_id}"/></content>'


def part(content: bytes, *headers: str, end: bytes = b"\r\n") -> bytes:
    head = b"".join(header.encode() + end for header in headers)
    return b"--b" + end + head + end + content + end


def parts(*given: bytes, end: bytes = b"\r\n") -> bytes:
    return b"".join(given) + b"--b--" + end


ROOT = 'Content-Type: application/xop+xml; charset=UTF-8; type="text/xml"'
KIND = 'multipart/related; boundary="b"; type="application/xop+xml"; start="<root>"'
UNMATCHED = "attachments that match their references"


def test_xop_includes_are_replaced_by_their_content(opened: Open, wire: Wire) -> None:
    """The bytes must be identical; zeep's own parts lose their line ends.

    Ids are percent-encoded in addresses (RFC 2392).
    """
    wire.answers(
        parts(
            part(envelope(include("a%40x") + include("b")), ROOT, "Content-ID: <root>"),
            part(BYTES, "Content-Transfer-Encoding: binary", "Content-ID: <a@x>"),
            part(base64.b64encode(b"two"), "content-transfer-encoding: BASE64", "content-id: <b>"),
        ),
        Content_Type=KIND,
    )
    connection = opened()
    with connection.soap.attachments() as beside:
        assert connection.get_photo(name="me").content == [BYTES, b"two"]
    assert beside.received == ()


@pytest.mark.parametrize("scheme", [b"cid:", b"CID:", b"Cid:"])
def test_reference_scheme_is_case_insensitive(opened: Open, wire: Wire, scheme: bytes) -> None:
    message = envelope(include("a%40x")).replace(b"cid:", scheme)
    wire.answers(parts(part(message, ROOT), part(BYTES, "Content-ID: <a@x>")), Content_Type=KIND)
    assert opened().get_photo(name="me").content == [BYTES]


@pytest.mark.parametrize("end", [b"\r\n", b"\n"])
def test_envelope_need_not_be_the_first_part(opened: Open, wire: Wire, end: bytes) -> None:
    body = parts(
        part(b"bytes\x00", "Content-Type: image/png", "Content-ID: <a>", end=end),
        part(envelope(include("a")), ROOT, "Content-ID: <root>", end=end),
        end=end,
    )
    wire.answers(b"a preamble" + end + body + b"an epilogue", Content_Type=KIND)
    assert opened().get_photo(name="me").content == [b"bytes\x00"]


def test_attachments_are_returned_with_the_response(opened: Open, wire: Wire) -> None:
    connection = opened()
    kind = 'multipart/related; boundary=b; type="text/xml"'
    folded = "Content-Disposition: attachment;\r\n\tfilename=me.png"
    body = parts(
        part(envelope(""), "Content-Type: text/xml"),
        part(BYTES, "Content-Type: image/png", "Content-ID: <photo>", folded),
        part(b""),
    )
    wire.answers(body, Content_Type=kind)
    wire.answers(envelope(""))
    with connection.soap.attachments() as beside:
        assert connection.get_photo(name="me").content == []
        photo, nothing = beside.received
        connection.get_photo(name="me")
        assert beside.received == ()  # only the attachments of the last response are kept
    assert (photo.content, photo.content_type, photo.content_id) == (BYTES, "image/png", "photo")
    assert photo.headers["Content-Disposition"] == "attachment; filename=me.png"
    assert (nothing.content, nothing.content_type, nothing.content_id) == (b"", "", "")
    wire.answers(body, Content_Type=kind)
    connection.get_photo(name="me")
    assert beside.received == ()  # the collector is no longer active


def test_multipart_fault_is_raised(opened: Open, wire: Wire) -> None:
    wire.answers(parts(part(wrapped(fault("s:Client", "no")), ROOT)), 500, Content_Type=KIND)
    with pytest.raises(ServiceFault, match="no"):
        opened().get_photo(name="me")


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("kind", "body", "said"),
    [
        ("multipart/related", parts(part(envelope(""))), "a boundary parameter"),
        (KIND, part(envelope("")), "a complete multipart response"),
        (KIND, part(envelope("")) + b"--c--\r\n", "a complete multipart response"),
        (KIND, b"", "a complete multipart response"),
        (KIND, parts(part(envelope(include("nobody")))), UNMATCHED),
        (KIND, parts(part(envelope(f'<content><i:Include xmlns:i="{XOP}"/></content>'))), UNMATCHED),
        (KIND, parts(part(b"a", "Content-Transfer-Encoding: base64")), UNMATCHED),
        (KIND, parts(part(b"no XML")), "well-formed"),
        (KIND, parts(part(b"<other/>")), "a SOAP envelope"),
    ],
)
def test_invalid_multipart_messages_are_errors(
    opened: Open, wire: Wire, kind: str, body: bytes, said: str
) -> None:
    """Damaged multipart messages are handled like any damage: reads are retried, writes are ambiguous."""
    for _ in range(2):
        wire.answers(body, Content_Type=kind)
    with pytest.raises(ResponseError, match=said) as caught:
        opened(attempts=2).get_photo(name="me")
    assert (len(wire.sent), caught.value.attempts) == (2, 2)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (type(again), str(again)) == (type(caught.value), str(caught.value))
    wire.answers(body, Content_Type=kind)
    with pytest.raises(AmbiguousOutcome):
        opened(safe=set()).get_photo(name="me")


def test_other_multipart_types_are_not_soap(opened: Open, wire: Wire) -> None:
    wire.answers(parts(part(envelope(""))), Content_Type="multipart/mixed; boundary=b")
    with pytest.raises(UnexpectedResponse, match="not SOAP"):
        opened().get_photo(name="me")


def test_total_size_is_bounded(opened: Open, wire: Wire) -> None:
    wire.answers(parts(part(envelope(""), ROOT), part(b"x" * 5000)), Content_Type=KIND)
    with pytest.raises(UnexpectedResponse, match="3000 bytes"):
        opened(max_response_bytes=3000).get_photo(name="me")


def test_number_of_parts_is_bounded(opened: Open, wire: Wire) -> None:
    whole = parts(part(envelope(""), ROOT), *[part(b"x")] * 9)
    wire.answers(whole, Content_Type=KIND)
    opened(max_response_parts=10).get_photo(name="me")
    wire.answers(whole, Content_Type=KIND)
    with pytest.raises(UnexpectedResponse, match=r"more than 9 parts.*'max_response_parts'"):
        opened(max_response_parts=9).get_photo(name="me")


def test_markup_is_counted_only_in_parsed_parts(opened: Open, wire: Wire) -> None:
    whole = parts(part(envelope(""), ROOT), part(b"<x/>" * 1000))
    wire.answers(whole, Content_Type=KIND)
    opened(max_response_nodes=100).get_photo(name="me")
    wire.answers(parts(part(envelope("<x/>" * 100), ROOT)), Content_Type=KIND)
    with pytest.raises(UnexpectedResponse, match="max_response_nodes"):
        opened(max_response_nodes=100).get_photo(name="me")


def test_headers_of_a_part_are_bounded(opened: Open, wire: Wire) -> None:
    wire.answers(parts(part(envelope(""), ROOT), part(b"", "X: " + "1" * 70_000)), Content_Type=KIND)
    with pytest.raises(BrokenResponse, match="headers of more than"):
        opened().get_photo(name="me")


def test_validated_response_includes_its_xop_content(opened: Open, wire: Wire) -> None:
    wire.answers(
        parts(part(envelope(include("a")), ROOT), part(b"abc", "Content-ID: <a>")), Content_Type=KIND
    )
    assert opened(validate="all").get_photo(name="me").content == [b"abc"]


def test_attachments_are_sent(opened: Open, wire: Wire) -> None:
    """The request is parsed with Python's own MIME parser."""
    for status in (503, 200):
        wire.answers(envelope("") if status == 200 else b"", status)
    connection = opened(attempts=2)
    photo = Attachment(BYTES, "image/png", "photo@me")
    with connection.soap.attachments(photo, Attachment(b"text\r\n")):
        connection.get_photo(name="me")
    for sent in wire.sent:
        assert sent.headers["soapaction"] == '"urn:get"'
        whole, (root, one, two) = mime(sent)
        assert whole.get_content_type() == "multipart/related"
        assert whole.get_param("type") == "text/xml"
        assert whole.get_param("start") == root["Content-ID"]
        assert root.get_content_type() == "text/xml"
        content: Any = root.get_payload(decode=True)
        assert etree.fromstring(content).findtext(f".//{{{SPACE}}}name") == "me"
        assert (one.get_content_type(), one["Content-ID"]) == ("image/png", "<photo@me>")
        assert BYTES in sent.body
        assert two.get_payload(decode=True) == b"text\r\n"
    wire.answers(envelope(""))
    connection.get_photo(name="me")
    assert wire.sent[-1].headers["content-type"].startswith("text/xml")


@pytest.mark.parametrize("given", ["text", Attachment(b"", "a\r\nb"), Attachment(b"", "a/b", "<>")])
def test_unsendable_attachments_are_refused(opened: Open, wire: Wire, given: Any) -> None:
    with pytest.raises(ContractError, match="attachments"), opened().soap.attachments(given):
        pass
    assert wire.sent == []


def test_attachments_are_not_shared_between_clients(opened: Open, wire: Wire) -> None:
    one, other = opened(), opened()
    wire.answers(envelope(""))
    with one.soap.attachments(Attachment(b"x")):
        other.get_photo(name="me")
    assert wire.sent[0].headers["content-type"].startswith("text/xml")


def test_built_in_services_read_multipart_responses(open_client: OpenClient, wire: Wire) -> None:
    client = open_client()
    wire.answers(parts(part(responses.profile(), ROOT)), Content_Type=KIND)
    assert client.publisher.get_profile().profile_item is not None
    wire.answers(parts(part(responses.sales(responses.sale(1)), ROOT)), Content_Type=KIND)
    with client.publisher.stream.get_sales(date=dt.date(2026, 11, 1), date_type="trackingDate") as sales:
        assert [each.id for each in sales] == ["sale-1"]


# ---- what requests accept


def test_a_request_accepts_parts_if_its_response_can_hold_binary_data(opened: Open, wire: Wire) -> None:
    """Metro sends binary data inline unless the request accepts parts."""
    wire.answers(envelope(""))
    opened().get_photo(name="Rome")
    kinds = [kind.partition(";")[0].strip() for kind in wire.sent[0].headers["accept"].split(",")]
    assert kinds == ["text/xml", "multipart/related", "application/xop+xml", "*/*"]


def test_other_requests_accept_anything(open_client: OpenClient, wire: Wire) -> None:
    wire.answers(responses.profile())
    open_client().publisher.get_profile()
    assert wire.sent[0].headers["accept"] == "*/*"


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("type_", "binary"),
    [("Outer", True), ("Derived", True), ("Base", True), ("Circle", False), ("Listed", True)],
)
def test_binary_fields_are_found_at_any_depth(type_: str, binary: bool) -> None:
    """Checks nested types, their base types, and their substitutes."""
    schema = case_text(__file__, "binary.xsd").replace("TYPE", type_)
    wsdl = re.sub(r"<x:schema.*</x:schema>", lambda _: schema, WSDL, flags=re.DOTALL)
    name = f"photos_{type_.lower()}_accepted"
    with generated(name, wsdl):
        operation = import_module(f"{name}.service").GET_PHOTO
        assert operation.codec.can_hold_binary(operation.row.response) is binary


# ---- attachments that a WSDL declares (mime:multipartRelated)

_RELATED = (
    '<m:multipartRelated xmlns:m="http://schemas.xmlsoap.org/wsdl/mime/"><m:part><s:body use="literal" '
    'parts="body"/></m:part>{}</m:multipartRelated>'
)


@pytest.fixture(scope="module")
def scans() -> Iterator[Any]:
    """The service with a scan and a page as attachments of requests, and a receipt in responses."""
    content = '<m:part><m:content part="{}" type="{}"/></m:part>'
    body, text = '<s:body use="literal"/>', WSDL
    for end, message, named in (
        ("input", "In", {"scan": "image/png", "the-page": "text/plain"}),
        ("output", "Out", {"receipt": "application/pdf"}),
    ):
        inside = _RELATED.format("".join(content.format(*each) for each in named.items()))
        text = text.replace(f"<{end}>{body}", f"<{end}>{inside}")
        declared = "".join(f'<part name="{name}" type="x:base64Binary"/>' for name in named)
        text = re.sub(rf'(<message name="{message}">.*?)(</message>)', rf"\1{declared}\2", text)
    with generated("scans_declared", text) as package:
        yield package.ScansDeclaredService


@pytest.fixture
def declared(scans: Any, connected: Open) -> Any:
    return connected(scans, Settings())


SCAN, PAGE = Attachment(BYTES, "image/png"), Attachment(b"page", "text/plain")


def test_declared_attachments_are_sent_and_read_by_name(declared: Any, wire: Wire) -> None:
    """A Content-ID begins with the name of the part (WS-I Attachments Profile 1.0, 3.8)."""
    wire.answers(
        parts(
            part(envelope(""), "Content-Type: text/xml"),
            part(b"more", "Content-ID: <other@x>"),
            part(b"%PDF", "Content-Type: application/pdf", "Content-ID: <receipt=1f@x>"),
        ),
        Content_Type=KIND.replace('; start="<root>"', ""),
    )
    with declared.soap.attachments(scan=SCAN, **{"the-page": PAGE}) as beside:
        assert declared.get_photo(name="me").content == []
    assert (beside["receipt"].content, len(beside.received)) == (b"%PDF", 2)
    (sent,) = wire.sent
    _, (root, scan, page) = mime(sent)
    content: Any = root.get_payload(decode=True)
    assert [each.tag for each in etree.fromstring(content)[0]] == [f"{{{SPACE}}}GetPhoto"]
    assert scan["Content-ID"].startswith("<scan=")
    assert page["Content-ID"].startswith("<the-page=")
    assert BYTES in sent.body
    assert page.get_payload(decode=True) == b"page"
    assert not declared.drift.counts()


@pytest.mark.parametrize(
    ("sent", "named", "said"),
    [
        ([], {}, r"GetPhoto: attachments/scan is required: service.soap.attachments\(scan=Attachment"),
        ([], {"scan": SCAN}, "GetPhoto: attachments/the-page is required"),
        ([SCAN], {"scan": SCAN, "photo": PAGE}, "attachments/photo.*one of: scan, the-page"),
    ],
)
def test_missing_declared_attachment_of_a_request_is_refused(
    declared: Any, wire: Wire, sent: list[Attachment], named: dict[str, Attachment], said: str
) -> None:
    with (
        pytest.raises(ContractError, match=said),
        declared.soap.attachments(*sent, **named) if sent or named else nullcontext(),
    ):
        declared.get_photo(name="me")
    assert wire.sent == []


def test_unnamed_attachments_accept_any(declared: Any, wire: Wire) -> None:
    wire.answers(parts(part(envelope("")), part(b"%PDF")), Content_Type=KIND)
    with declared.soap.attachments(SCAN, PAGE) as beside:
        declared.get_photo(name="me")
    assert beside["receipt"].content == b"%PDF"  # the received part is the declared one


def test_missing_declared_attachment_of_a_response_is_an_error(
    declared: Any, scans: Any, wire: Wire, connected: Open
) -> None:
    """A missing part is a finding, because the message is present. Accessing it by name is an error."""
    wire.answers(envelope(""))
    with declared.soap.attachments(SCAN, PAGE) as beside:
        assert declared.get_photo(name="me").content == []
    with pytest.raises(ResponseError, match=r"GetPhoto: .*attachments/receipt"):
        beside["receipt"]
    wire.answers(parts(part(envelope("")), part(b"1"), part(b"2")), Content_Type=KIND)
    strict = connected(scans, Settings(drift="error"))
    with pytest.raises(ContractDrift, match="attachments/receipt"), strict.soap.attachments(SCAN, PAGE):
        strict.get_photo(name="me")


class OwnTransport(zeep.Transport):
    """A transport with its own `post`."""

    def post_xml(self, address: str, envelope: Any, headers: Any) -> Any:
        raise AssertionError("nothing is to be posted")


def test_custom_transport_keeps_attachments(scans: Any, connected: Open) -> None:
    transport: Any = OwnTransport()  # type: ignore[no-untyped-call] # zeep has no types
    connection = connected(scans, Settings(), transport=transport)
    with (
        connection.soap.attachments(SCAN, PAGE),
        pytest.raises(ContractError, match="its own `post` cannot send attachments"),
    ):
        connection.get_photo(name="me")


def test_method_docstrings_list_attachments(scans: Any) -> None:
    said = " ".join(scans.get_photo.__doc__.split())
    assert "Attachments to send, with `service.soap.attachments(...)`: scan (image/png)" in said
    assert "the-page (text/plain)" in said
    assert "Attachments received, with `service.soap.attachments(...)`: receipt (application/pdf)" in said


def test_repeatedly_included_part_is_bounded(opened: Open, wire: Wire) -> None:
    """The message is small but would expand to a large one."""
    body = parts(
        part(envelope(include("a") * 40), ROOT, "Content-ID: <root>"), part(b"x" * 1000, "Content-ID: <a>")
    )
    assert len(body) < 20_000
    wire.answers(body, Content_Type=KIND)
    with pytest.raises(UnexpectedResponse, match="more than 20000 bytes"):
        opened(max_response_bytes=20_000, safe={"GetPhoto"}).get_photo(name="me")
