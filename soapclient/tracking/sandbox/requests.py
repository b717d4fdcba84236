"""Find the authentication data of a request (`Claim`) in its headers, its query or its body."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from werkzeug.wrappers import Request

from .auth import Claim, rest_text, rest_time, soap_text, soap_time
from .faults import Code, InvalidValue
from .payload import Fields

SCHEME = "ZXWS"
QUERY_NAMES = ("connectid", "date", "nonce", "signature")  # in any case


@dataclass(frozen=True)
class Signed:
    """The requirements for the signature of a request to one REST resource.

    - `verbs`, `uri`: the string to sign must contain one of the HTTP methods `verbs`, and the path `uri`.
    - `nonce_optional`: True if the nonce may be missing (see `Claim`).
    - `suffix_required`: True if the timestamp must end in ` GMT`.
    """

    verbs: tuple[str, ...]
    uri: str
    nonce_optional: bool = False
    suffix_required: bool = False


def header_claim(request: Request, signed: Signed) -> Claim | None:
    """Return the authentication data in the headers, or None if they have no connect id.

    The headers are `Authorization: ZXWS id[:signature]`, `Date` and `nonce`. Raises `InvalidValue` 403 if
    there is a signature but no Date, or a signature but no nonce although `signed` requires one.
    """
    scheme, _, rest = request.headers.get("Authorization", "").partition(" ")
    if scheme.upper() != SCHEME:
        return None
    connect_id, colon, signature = rest.strip().partition(":")
    if not colon:
        return Claim("headers", connect_id)
    date, nonce = request.headers.get("Date", ""), request.headers.get("nonce", "")
    if not date or not (nonce or signed.nonce_optional):
        raise InvalidValue(Code.DENIED, "a signature in the headers requires the headers Date and nonce, too")
    return _rest_claim("headers", connect_id, signature, date, nonce, signed)


def query_claim(request: Request, signed: Signed) -> Claim | None:
    """Return the authentication data in the query parameters connectid, date, nonce and signature.

    Returns None if the query has none of these parameters. `docs/explanation/service.md#signing` describes
    their form. Raises `InvalidValue` 230 for a repeated parameter.
    """
    query: dict[str, str] = {}
    for name, text in request.args.items(multi=True):
        if name.lower() in query:
            raise InvalidValue(Code.BAD_PARAMETER, f"{name}: this parameter was sent more than once")
        if name.lower() in QUERY_NAMES:
            query[name.lower()] = text
    if not query:
        return None
    connect_id, date, nonce = (query.get(name, "") for name in ("connectid", "date", "nonce"))
    if "signature" not in query:
        return Claim("query", connect_id)
    return _rest_claim("query", connect_id, query["signature"], date, nonce, signed)


def _rest_claim(where: str, connect_id: str, signature: str, date: str, nonce: str, signed: Signed) -> Claim:
    # Some official clients lower-cased the path before signing, and the service accepted it
    # (`docs/explanation/service.md#signing`).
    paths = dict.fromkeys((signed.uri, signed.uri.lower()))
    texts = tuple(rest_text(verb, path, date, nonce) for verb in signed.verbs for path in paths)
    moment = rest_time(date, suffix_required=signed.suffix_required)
    return Claim(where, connect_id, signature, date, moment, nonce, texts, signed.nonce_optional)


def body_claim(fields: Fields, service: str, operation: str) -> Claim | None:
    """Return the authentication data in the fields of a SOAP request, or None if it has no connectId."""
    connect_id = fields.text("connectId")
    if connect_id is None:
        return None
    signature = fields.text("signature")
    if signature is None:
        return Claim("body", connect_id)
    timestamp, nonce = fields.text("timestamp") or "", fields.text("nonce") or ""
    text = soap_text(service, operation, timestamp, nonce)
    return Claim("body", connect_id, signature, timestamp, soap_time(timestamp), nonce, (text,))


def rest_claims(request: Request, signed: Signed) -> Iterator[Claim]:
    """Yield the authentication data of a REST request, from its headers or its query, if it has any.

    Raises `InvalidValue` (code 230) if both the headers and the query have authentication data. See
    `docs/explanation/service.md#signing`.
    """
    header, query = header_claim(request, signed), query_claim(request, signed)
    if header is not None and query is not None:
        raise InvalidValue(
            Code.BAD_PARAMETER, "send the authentication in the headers or in the query, not in both"
        )
    for claim in (header, query):
        if claim is not None:
            yield claim
