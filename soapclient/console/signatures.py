"""A signature explained: what was signed, how old it is, and where one was refused, the likely reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit

from lxml import etree

from soapclient.auth.signing import ZXWS, rest_string_to_sign, signed_uri, soap_string_to_sign, soap_uri
from soapclient.runtime.filled import values_of
from soapclient.runtime.operations import AnyOperation
from soapclient.signing import scheme_of

if TYPE_CHECKING:
    import requests


@dataclass(frozen=True)
class Signed:
    """What a request says of who sends it. `text` is what was signed, "" where nothing was."""

    placement: str
    connect_id: str
    timestamp: str = ""
    nonce: str = ""
    text: str = ""

    @property
    def moment(self) -> datetime | None:
        """When it was signed."""
        return parsed_date(self.timestamp)


def parsed_date(text: str) -> datetime | None:
    """A moment as HTTP or as XML has it."""
    try:
        found = parsedate_to_datetime(text)
    except ValueError:
        try:
            found = datetime.fromisoformat(text)
        except ValueError:
            return None
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found


def signed_of(request: requests.PreparedRequest, operation: AnyOperation) -> tuple[Signed, ...]:
    """The signatures of a request, by their places; none where it names nobody."""
    version, path = operation.package.settings.version, urlsplit(request.url or "").path
    content = _content(request)
    soap = b"Envelope>" in content and operation.package.settings.signing is not None
    uri = soap_uri(path, version) if soap else signed_uri(path, version)
    verb = request.method or ""
    found = []
    scheme, _, rest = (request.headers.get("Authorization") or "").partition(" ")
    if scheme.upper() == "ZXWS":
        connect_id, colon, _ = rest.partition(":")
        date, nonce = request.headers.get("Date", ""), request.headers.get("nonce", "")
        text = rest_string_to_sign(verb, uri, date, nonce) if colon else ""
        found.append(Signed("the headers", connect_id, date, nonce, text))
    query = {name.lower(): value for name, value in parse_qsl(urlsplit(request.url or "").query)}
    if "connectid" in query:
        date, nonce = query.get("date", ""), query.get("nonce", "")
        text = rest_string_to_sign(verb, uri, date, nonce) if "signature" in query else ""
        found.append(Signed("the query", query["connectid"], date, nonce, text))
    if soap and (envelope := _of_envelope(content, operation)) is not None:
        found.append(envelope)
    return tuple(found)


def reasons(found: Sequence[Signed], said: str, texts: Sequence[str], now: datetime) -> list[str]:
    """Why a signature was likely refused: `said` is what the service says, `texts` what it expected to be
    signed, if it says so; `now` is its time."""
    if not found:
        return ["The request names nobody: this operation needs credentials."]
    signed = next((one for one in found if one.text and f"in {one.placement}" in said), found[0])
    if not signed.text:
        return ["Nothing was signed: the operation needs a signature, and a secret key to make it with."]
    likely = []
    if "nonce was used" in said:
        likely.append("The nonce was used before: each request needs one of its own.")
    moment = signed.moment
    if moment is not None and abs((now - moment).total_seconds()) > 900:
        minutes = abs((now - moment).total_seconds()) / 60
        likely.append(f"The clocks differ: it was signed {minutes:.0f} minutes from the service's time.")
    if "is not right" in said:
        likely.append(_of_text(signed.text, texts))
    if "not known" in said:
        likely.append("The service does not know this connect id.")
    return likely


def _of_text(text: str, expected: Sequence[str]) -> str:
    """Why a signature does not fit, by what was signed and what was to be."""
    if not expected:
        return "The secret key is not this account's, or the request was changed on its way."
    if text in expected:
        return "The same text was signed as the service expects: the secret key is not this account's."
    if text.lower() in {each.lower() for each in expected}:
        return "What was signed differs in upper and lower case alone: look at the path."
    return "The service expects another text to be signed: look at path, service and operation."


def _content(request: requests.PreparedRequest) -> bytes:
    body = request.body or b""
    return body.encode() if isinstance(body, str) else bytes(body)


def _of_envelope(content: bytes, operation: AnyOperation) -> Signed | None:
    signing = operation.package.settings.signing
    assert signing is not None
    try:
        root = etree.fromstring(content, etree.XMLParser(resolve_entities=False, no_network=True))
    except etree.XMLSyntaxError:
        return None
    head, body = (root.find(f"{{*}}{name}") for name in ("Header", "Body"))
    message = body if body is None or not operation.request_tag else body.find("*")
    in_head = {} if head is None else values_of(head, operation.authentication_headers)
    in_body = {} if message is None else values_of(message, operation.authentication)
    found = in_head | in_body
    if not found.get("connect_id"):
        return None
    timestamp, nonce = found.get("timestamp", ""), found.get("nonce", "")
    text = ""
    if found.get("signature"):
        if scheme_of(signing.scheme) is ZXWS:
            text = soap_string_to_sign(signing.service_name, operation.name, timestamp, nonce)
        else:
            text = f"(by the scheme {signing.scheme})"
    placement = "the body" if "connect_id" in in_body else "a SOAP header"
    return Signed(placement, found["connect_id"], timestamp, nonce, text)
