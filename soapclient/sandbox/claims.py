"""What a request says about who is asking, collected from headers, query and body fields for `auth`."""

from __future__ import annotations

from collections.abc import Iterator

from werkzeug.wrappers import Request

from .auth import Claim, rest_text, rest_time, soap_text, soap_time
from .faults import Code, Refusal
from .trees import Fields

SCHEME = "ZXWS"


def header_claim(request: Request, verbs: tuple[str, ...], uri: str) -> Claim | None:
    """`Authorization: ZXWS id[:signature]` with `Date` and `nonce`; None if there is no such header.

    `verbs` are those that may have been signed, `uri` the path that was.
    """
    scheme, _, rest = request.headers.get("Authorization", "").partition(" ")
    if scheme.upper() != SCHEME:
        return None
    connect_id, colon, signature = rest.strip().partition(":")
    if not colon:
        return Claim("headers", connect_id)
    date, nonce = request.headers.get("Date", ""), request.headers.get("nonce", "")
    if not date or not nonce:
        raise Refusal(
            Code.DENIED, "the signature in the headers: it needs the headers Date and nonce as well"
        )
    return _rest_claim("headers", connect_id, signature, date, nonce, verbs, uri)


def query_claim(request: Request, verbs: tuple[str, ...], uri: str) -> Claim | None:
    """The query form: connectid, date, nonce, signature (`service.md 5.2`)."""
    query = request.args
    if "connectid" not in query:
        return None
    if "signature" not in query:
        return Claim("query", query["connectid"])
    date, nonce = query.get("date", ""), query.get("nonce", "")
    return _rest_claim("query", query["connectid"], query["signature"], date, nonce, verbs, uri)


def _rest_claim(
    where: str, connect_id: str, signature: str, date: str, nonce: str, verbs: tuple[str, ...], uri: str
) -> Claim:
    # Some official clients lower-cased the path before they signed it, and it worked (`record.md 1`).
    paths = dict.fromkeys((uri, uri.lower()))
    texts = tuple(rest_text(verb, path, date, nonce) for verb in verbs for path in paths)
    return Claim(where, connect_id, signature, date, rest_time(date), nonce, texts)


def body_claim(fields: Fields, service: str, operation: str) -> Claim | None:
    """The fields at the end of a SOAP request; None where the contract declares none."""
    connect_id = fields.text("connectId")
    if connect_id is None:
        return None
    signature = fields.text("signature")
    if signature is None:
        return Claim("body", connect_id)
    timestamp, nonce = fields.text("timestamp") or "", fields.text("nonce") or ""
    text = soap_text(service, operation, timestamp, nonce)
    return Claim("body", connect_id, signature, timestamp, soap_time(timestamp), nonce, (text,))


def rest_claims(request: Request, verbs: tuple[str, ...], uri: str) -> Iterator[Claim]:
    """Headers or query, one of the two (`service.md 5.2`)."""
    header, query = header_claim(request, verbs, uri), query_claim(request, verbs, uri)
    if header is not None and query is not None:
        raise Refusal(
            Code.BAD_PARAMETER, "send the authentication in the headers or in the query, not in both"
        )
    for claim in (header, query):
        if claim is not None:
            yield claim
