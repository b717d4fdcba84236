"""Explanations of signatures: the signed text, its time, and the likely reason of a refusal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit

from lxml import etree

from soapclient.auth.signing import ZXWS, rest_string_to_sign, signed_uri, soap_string_to_sign, soap_uri
from soapclient.runtime.authentication import values_of
from soapclient.runtime.operations import AnyOperation
from soapclient.signing import scheme_of

if TYPE_CHECKING:
    import requests


@dataclass(frozen=True)
class Signed:
    """The connect ID (which identifies the account) and the signature in one part of a request.

    - `placement`: the part of the request: the headers, the query or the envelope.
    - `text`: the text that was signed; "" if the part has no signature.
    """

    placement: str
    connect_id: str
    timestamp: str = ""
    nonce: str = ""
    text: str = ""

    @property
    def moment(self) -> datetime | None:
        """The time of the signature, or None if `timestamp` is not a valid time."""
        return parsed_date(self.timestamp)


def parsed_date(text: str) -> datetime | None:
    """Parse a date in HTTP or XML format. Return None if it is invalid."""
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            return None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment


def signed_of(request: requests.PreparedRequest, operation: AnyOperation) -> tuple[Signed, ...]:
    """Return the connect ID and signature of each part of a request: headers, query and envelope.

    Parts without a connect ID are left out.
    """
    version, path = operation.package.settings.version, urlsplit(request.url or "").path
    content = _content(request)
    soap = b"Envelope>" in content and operation.package.settings.signing is not None
    uri = soap_uri(path, version) if soap else signed_uri(path, version)
    verb = request.method or ""
    result = []
    scheme, _, rest = (request.headers.get("Authorization") or "").partition(" ")
    if scheme.upper() == "ZXWS":
        connect_id, colon, _ = rest.partition(":")
        date, nonce = request.headers.get("Date", ""), request.headers.get("nonce", "")
        text = rest_string_to_sign(verb, uri, date, nonce) if colon else ""
        result.append(Signed("the headers", connect_id, date, nonce, text))
    query = {name.lower(): value for name, value in parse_qsl(urlsplit(request.url or "").query)}
    if "connectid" in query:
        date, nonce = query.get("date", ""), query.get("nonce", "")
        text = rest_string_to_sign(verb, uri, date, nonce) if "signature" in query else ""
        result.append(Signed("the query", query["connectid"], date, nonce, text))
    if soap and (envelope := _of_envelope(content, operation)) is not None:
        result.append(envelope)
    return tuple(result)


def reasons(signatures: Sequence[Signed], message: str, texts: Sequence[str], now: datetime) -> list[str]:
    """Return the likely reasons why a signature was refused.

    `message`: the service's error. `texts`: the texts that the service expects to be signed, if known. `now`:
    the service's time.
    """
    if not signatures:
        return ["The request does not have a connect ID. The operation requires credentials."]
    matches = (item for item in signatures if item.text and f"in {item.placement}" in message)
    signed = next(matches, signatures[0])
    if not signed.text:
        return ["The request is not signed. The operation requires a signature: set a secret key."]
    likely = []
    if "nonce was used" in message:
        likely.append("The nonce was used before. Each request needs a new one.")
    moment = signed.moment
    if moment is not None and abs((now - moment).total_seconds()) > 900:
        minutes = abs((now - moment).total_seconds()) / 60
        likely.append(
            f"The clocks differ: the time of the signature is {minutes:.0f} minutes from the service's."
        )
    if "is not right" in message:
        likely.append(_compare_texts(signed.text, texts))
    if "not known" in message:
        likely.append("The service does not know this connect id.")
    return likely


def _compare_texts(text: str, expected: Sequence[str]) -> str:
    """Return a sentence that explains why a signature is wrong.

    Compares `text`, the signed text, with `expected`, the texts that the service expects.
    """
    if not expected:
        return "The secret key belongs to another account, or the request was changed in transit."
    if text in expected:
        return "The signed text is correct, so the secret key belongs to another account."
    if text.lower() in {item.lower() for item in expected}:
        return "The signed text differs only in upper and lower case. Check the path."
    return "The service expects another text to be signed. Check path, service and operation."


def _content(request: requests.PreparedRequest) -> bytes:
    body = request.body or b""
    return body.encode() if isinstance(body, str) else bytes(body)


def _of_envelope(content: bytes, operation: AnyOperation) -> Signed | None:
    """Return the authentication in a SOAP envelope, or None if the envelope has no connect ID."""
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
    values = in_head | in_body
    identity = values.get(signing.identity, "")
    if not identity:
        return None
    timestamp, nonce = values.get("timestamp", ""), values.get("nonce", "")
    text = ""
    if values.keys() >= signing.roles.keys():
        if scheme_of(signing.scheme) is ZXWS:
            text = soap_string_to_sign(signing.service_name, operation.name, timestamp, nonce)
        else:
            text = f"(by the scheme {signing.scheme})"
    placement = "the body" if signing.identity in in_body else "a SOAP header"
    return Signed(placement, identity, timestamp, nonce, text)
