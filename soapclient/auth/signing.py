"""ZXWS signatures (docs/explanation/service.md#signing), and a signer that works with any signing scheme.

ZXWS is available as functions and as the scheme `Zxws`. The signer (`Signer`) uses a new time and a new nonce
for each attempt.

A ZXWS signature is Base64(HMAC-SHA1(secret key, string to sign)). For REST, the string consists of verb,
path, timestamp and nonce; for SOAP, of service, operation, timestamp and nonce.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, Protocol

from soapclient._support.redaction import Hidden, clean
from soapclient.auth.credentials import Credentials, Secret, is_visible_ascii
from soapclient.auth.issued import issued
from soapclient.auth.provider import CredentialsCache
from soapclient.clock import Clock, NonceSource, SystemClock, fresh_nonce
from soapclient.errors import ConfigError, ContractError, SoapClientError

SHORTEST_NONCE: Final = 20  # docs/explanation/service.md#limits
VERBS: Final = ("GET", "POST", "PUT", "DELETE")

_FORMATS: Final = ("xml", "json")


def rest_string_to_sign(verb: str, uri: str, timestamp: str, nonce: str) -> str:
    """Return the string to sign for REST: verb, URI, timestamp and nonce without separators.

    `uri` is the result of `signed_uri` (docs/explanation/service.md#signing). Raises ContractError for a verb
    other than GET, POST, PUT and DELETE.

    >>> from soapclient.auth import rest_string_to_sign
    >>> rest_string_to_sign("GET", "/profiles", "Thu, 15 Aug 2013 15:56:07 GMT", "A5E2")
    'GET/profilesThu, 15 Aug 2013 15:56:07 GMTA5E2'
    """
    if verb not in VERBS:
        raise ContractError("HTTP verb", verb, ", ".join(VERBS), "no signature is defined for this verb")
    return f"{verb}{uri}{timestamp}{nonce}"


def soap_string_to_sign(service: str, operation: str, timestamp: str, nonce: str) -> str:
    """Return the string to sign for SOAP: service, operation, timestamp and nonce without separators.

    Service and operation are in lower case. `operation` is the name of the operation in the WSDL
    (`GetSales`). See docs/explanation/service.md#signing.

    >>> from soapclient.auth import soap_string_to_sign
    >>> soap_string_to_sign("publisher", "GetSales", "2013-08-20T14:44:21", "A5E2")
    'publishergetsales2013-08-20T14:44:21A5E2'
    """
    return f"{service.lower()}{operation.lower()}{timestamp}{nonce}"


def sign(secret: str | Secret, text: str) -> str:
    """Return the signature of `text`: its HMAC-SHA1 in Base64. The key is the UTF-8 bytes of `secret`.

    Raises ConfigError if the secret is empty or cannot be encoded as UTF-8, and ContractError if the text
    cannot be encoded as UTF-8.

    >>> from soapclient.auth import sign
    >>> sign("key", "The quick brown fox jumps over the lazy dog")
    '3nybhbi3iqa8ino29wqQcBydtNk='
    """
    key = secret if isinstance(secret, Secret) else Secret(secret)
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError:
        raise ContractError(
            "string to sign", text, "text that can be encoded as UTF-8", "it has a lone surrogate"
        ) from None
    digest = hmac.new(key.reveal().encode("utf-8"), data, hashlib.sha1).digest()
    return base64.b64encode(digest).decode("ascii")


def rest_timestamp(moment: datetime) -> str:
    """Format an aware time for REST, such as `Thu, 15 Aug 2013 15:56:07 GMT`, in English in every locale.

    >>> from datetime import datetime, UTC
    >>> from soapclient.auth import rest_timestamp
    >>> rest_timestamp(datetime(2013, 8, 15, 15, 56, 7, tzinfo=UTC))
    'Thu, 15 Aug 2013 15:56:07 GMT'
    """
    from email.utils import format_datetime  # imported late, because SOAP does not need it

    return format_datetime(_in_gmt(moment), usegmt=True)


def soap_timestamp(moment: datetime) -> str:
    """Format an aware time for SOAP, in GMT: `2013-08-20T14:44:21`."""
    return _in_gmt(moment).replace(tzinfo=None).isoformat(timespec="seconds")


def authorization(connect_id: str, signature: str | None = None) -> str:
    """Return the value of the Authorization header. Omit `signature` for a public resource.

    See docs/explanation/service.md#signing and #public-operations.
    """
    return f"ZXWS {connect_id}" if signature is None else f"ZXWS {connect_id}:{signature}"


def signed_uri(path: str, version: str, *, lowercase: bool = False) -> str:
    """Return the part of a REST path that is signed: `/sales/1` of `/xml/2011-03-01/sales/1`.

    The result is the part of the path after the segment `version`, without the query. Its slashes at the
    start and at the end are kept. With `lowercase`, it is in lower case. If the path has no version, the
    complete path is returned.

    The last segment may be a date that only looks like the version (`/reports/sales/date/2011-03-01`).
    Therefore the last segment counts as a version only if it is the only segment, or if it follows `xml` or
    `json`.
    """
    segments = _segments(path)
    for index, segment in enumerate(segments):
        rest = segments[index + 1 :]
        if segment == version and (any(rest) or index == 0 or segments[index - 1] in _FORMATS):
            segments = rest
            break
    return _joined(segments, lowercase)


def soap_uri(path: str, version: str, *, lowercase: bool = False) -> str:
    """Return the part of a SOAP path that the signature in HTTP headers covers: `/x` of `/soap/2011-03-01/x`.

    This is the part after the segments `soap` and `version`. If the path has only one of these segments, the
    result is the part after this segment. If the path has neither, it is the complete path. If no part
    follows, the result is `/`. If `lowercase` is True, the result is in lower case. The page
    docs/explanation/service.md#signing marks this rule as an assumption.
    """
    segments = _segments(path)
    for segment in ("soap", version):
        if segment in segments:
            segments = segments[len(segments) - segments[::-1].index(segment) :]
    return _joined(segments, lowercase)


@dataclass(frozen=True, slots=True)
class Stamp:
    """The time, nonce and credentials of one attempt of a call. All signatures of the attempt use them.

    >>> from datetime import datetime, UTC
    >>> from soapclient.signing import Stamp
    >>> stamp = Stamp(datetime(2013, 8, 15, 15, 56, 7, tzinfo=UTC), "A5E2")
    >>> stamp.soap_timestamp, stamp.rest_timestamp
    ('2013-08-15T15:56:07', 'Thu, 15 Aug 2013 15:56:07 GMT')
    """

    moment: datetime
    nonce: str
    credentials: Credentials | None = None

    @property
    def rest_timestamp(self) -> str:
        """The time as formatted in REST requests and HTTP headers.

        >>> from datetime import datetime, UTC
        >>> from soapclient.auth import rest_timestamp
        >>> rest_timestamp(datetime(2013, 8, 15, 15, 56, 7, tzinfo=UTC))
        'Thu, 15 Aug 2013 15:56:07 GMT'
        """
        return rest_timestamp(self.moment)

    @property
    def soap_timestamp(self) -> str:
        """The time as formatted in the envelope of SOAP requests."""
        return soap_timestamp(self.moment)


class SigningScheme(Protocol):
    """A way to sign requests. Must be thread-safe. A package names its scheme in `[signing] scheme`.

    Each method returns the authentication values for one part of a request: envelope, headers or query.
    `stamp` has the time and the nonce of an attempt. It is None for a public request, which has the connect
    ID but no signature.

    >>> from soapclient.signing import SigningScheme
    >>> class TokenScheme:
    ...     roles = ("connect_id", "signature")
    ...     def body(self, credentials, stamp, service, operation):
    ...         return {"connect_id": credentials.connect_id, "signature": "…"}
    ...     def headers(self, credentials, stamp, verb, uri):
    ...         return {"X-Token": "…"}
    ...     def query(self, credentials, stamp, verb, uri):
    ...         return {}
    >>> scheme: SigningScheme = TokenScheme()
    """

    @property
    def roles(self) -> Sequence[str]:
        """The roles of the authentication fields in an envelope, such as the nonce.

        The first role is the caller's identity, and the last one is the signature. `[signing]` of a package
        assigns an element to each role. A public request has only the element of the first role.
        """
        ...

    def body(
        self, credentials: Credentials, stamp: Stamp | None, service: str, operation: str
    ) -> Mapping[str, str]:
        """Return the values of the authentication fields in an envelope: role (see `roles`) → value.

        - `service`: the setting `service_name` in the package's section `[signing]`.
        - `operation`: the name of the operation in the WSDL.
        """
        ...

    def headers(
        self, credentials: Credentials, stamp: Stamp | None, verb: str, uri: str
    ) -> Mapping[str, str]:
        """Return HTTP headers that authenticate a request.

        REST uses these headers. SOAP uses them (`verb` is then `POST`) in two cases: the envelope has no
        authentication fields, or `also_in_headers` is set in the package's settings. `uri` is the part of
        the path that is signed: it follows the version, as `/sales/date/2026-11-01` does.
        """
        ...

    def query(self, credentials: Credentials, stamp: Stamp | None, verb: str, uri: str) -> Mapping[str, str]:
        """Return query parameters that authenticate a REST request, in their order, not yet URL-encoded."""
        ...


class Zxws:
    """The ZXWS scheme (docs/explanation/service.md#signing)."""

    roles: Final = ("connect_id", "timestamp", "nonce", "signature")

    def body(
        self, credentials: Credentials, stamp: Stamp | None, service: str, operation: str
    ) -> Mapping[str, str]:
        """Return the values of the authentication fields in a SOAP envelope: role → value."""
        if stamp is None:  # docs/explanation/service.md#public-operations
            return {"connect_id": credentials.connect_id}
        text = soap_string_to_sign(service, operation, stamp.soap_timestamp, stamp.nonce)
        return {
            "connect_id": credentials.connect_id,
            "timestamp": stamp.soap_timestamp,
            "nonce": stamp.nonce,
            "signature": sign(credentials.require_secret_key(), text),
        }

    def headers(
        self, credentials: Credentials, stamp: Stamp | None, verb: str, uri: str
    ) -> Mapping[str, str]:
        """Return the HTTP headers that authenticate a request. For SOAP, `uri` comes from `soap_uri`."""
        if stamp is None:
            return {"Authorization": authorization(credentials.connect_id)}
        text = rest_string_to_sign(verb, uri, stamp.rest_timestamp, stamp.nonce)
        signature = Hidden(sign(credentials.require_secret_key(), text))
        return {
            "Authorization": authorization(credentials.connect_id, signature),
            "Date": stamp.rest_timestamp,
            "nonce": stamp.nonce,
        }

    def query(self, credentials: Credentials, stamp: Stamp | None, verb: str, uri: str) -> Mapping[str, str]:
        """Return the query parameters that authenticate a REST request."""
        if stamp is None:
            return {"connectid": credentials.connect_id}
        text = rest_string_to_sign(verb, uri, stamp.rest_timestamp, stamp.nonce)
        return {
            "connectid": credentials.connect_id,
            "date": stamp.rest_timestamp,
            "nonce": stamp.nonce,
            "signature": sign(credentials.require_secret_key(), text),
        }


ZXWS: Final = Zxws()
_Make = Callable[..., Mapping[str, str]]  # the type of a scheme's method


class Signer:
    """Creates the authentication fields of requests: for the SOAP envelope, the HTTP headers or the query.

    `service_name` is the name of the service in SOAP signatures (`publisherservice`); REST does not need it.
    `scheme` computes the values of the fields.
    """

    def __init__(
        self,
        credentials: Credentials | CredentialsCache,
        *,
        service_name: str | None = None,
        scheme: SigningScheme = ZXWS,
        clock: Clock | None = None,
        nonce_source: NonceSource = fresh_nonce,
    ) -> None:
        self._lease = (
            credentials if isinstance(credentials, CredentialsCache) else CredentialsCache(credentials)
        )
        self._service_name = service_name
        self._scheme = scheme
        self._clock = SystemClock() if clock is None else clock
        self._nonce_source = nonce_source

    @property
    def connect_id(self) -> str:
        """The connect ID of the current credentials."""
        return self._lease.current().connect_id

    def stamp(self, *, offset: timedelta = timedelta(0)) -> Stamp:
        """Return the current time, a new nonce and the current credentials, for one attempt.

        `offset` is added to the time, to correct a wrong clock. Raises ConfigError if the nonce or the time
        is invalid.
        """
        nonce = self._nonce_source()
        if not isinstance(nonce, str) or len(nonce) < SHORTEST_NONCE or not is_visible_ascii(nonce):
            raise ConfigError(
                "nonce_source",
                f"a nonce must be {SHORTEST_NONCE} or more visible ASCII characters",
                "Pass another nonce source, or omit it to use the default",
            )
        return Stamp(_in_gmt(self._clock.now() + offset), nonce, self._lease.current())

    def body_fields(self, stamp: Stamp | None, operation: str) -> dict[str, str]:
        """Return the values of the authentication fields in a SOAP envelope: role of the scheme → value.

        `stamp` is None for a public request. Raises ConfigError if the scheme returns wrong fields.
        """
        if not self._service_name and stamp is not None:
            raise ConfigError(
                "signing_names",
                "a SOAP signature contains the name of the service, but no service name is set",
                "Pass service_name to the signer",
            )
        fields = self._texts(self._scheme.body, stamp, self._service_name or "", operation)
        roles = self._scheme.roles
        unknown = sorted(fields.keys() - set(roles))
        if unknown:
            why = f"body() of the scheme returned the unknown field {clean(repr(unknown[0]))}"
            raise ConfigError("signing", why, f"It may return these fields: {', '.join(roles)}")
        missing = set() if stamp is None else set(roles) - fields.keys()
        if missing:
            why = f"body() of the scheme did not return the field {min(missing)}"
            raise ConfigError("signing", why, f"A signed request needs these fields: {', '.join(roles)}")
        return fields

    def header_fields(self, stamp: Stamp | None, verb: str, uri: str) -> dict[str, str]:
        """Return the HTTP headers that authenticate a request.

        For SOAP, `verb` is `POST`, and `uri` is the result of `soap_uri`.
        """
        return self._texts(self._scheme.headers, stamp, verb, uri)

    def query_fields(self, stamp: Stamp | None, verb: str, uri: str) -> dict[str, str]:
        """Return the query parameters that authenticate a REST request, in order and not yet URL-encoded."""
        return self._texts(self._scheme.query, stamp, verb, uri)

    def _texts(self, make: _Make, stamp: Stamp | None, *names: str) -> dict[str, str]:
        """Call `make(credentials, stamp, *names)` and return the authentication fields that it returns.

        `make` is a method of the scheme, and `names` are its other arguments, such as the operation. `stamp`
        is the time and nonce; None for a request without a signature.

        The returned values are strings whose `repr` does not show the text. The values are also added to
        `issued`, so that they can be removed from errors. Raises ConfigError if the scheme fails.
        """
        credentials = (stamp and stamp.credentials) or self._lease.current()
        try:
            texts = make(credentials, stamp, *names)
            for name, text in texts.items():
                if not (isinstance(name, str) and isinstance(text, str)):
                    why = (
                        f"the scheme {type(self._scheme).__name__} returned a name of type "
                        f"{type(name).__name__} with a value of type {type(text).__name__}"
                    )
                    advice = (
                        "Correct the scheme: its methods body, headers and query must return dicts with "
                        "strings as keys and values"
                    )
                    raise ConfigError("signing", why, advice)
            values = tuple(map(Hidden, texts.values()))
            # Neither line calls a Python function, because this is done twice per call.
            issued.add((credentials._connect_id, "" if stamp is None else stamp.nonce, values))
            return dict(zip(texts, values, strict=True))
        except SoapClientError:
            raise
        except Exception as error:  # a scheme that a user registered may raise anything
            reason = f"the scheme {type(self._scheme).__name__} raised {type(error).__name__}"
            raise ConfigError(
                "signing", reason, "Correct the scheme; its error is the __cause__ of this one"
            ) from error


def _in_gmt(moment: datetime) -> datetime:
    """Convert an aware time to GMT. Raises ConfigError if it does not have a time zone."""
    if moment.utcoffset() is None:
        raise ConfigError(
            "clock", "now() returned a time without a zone", "Pass a clock that returns aware times"
        )
    return moment.astimezone(UTC)


def _segments(path: str) -> list[str]:
    """Return the segments of a path without its query. Raises ContractError if it has no leading slash."""
    path = path.partition("?")[0]
    if not path.startswith("/"):
        raise ContractError("path", path, "a path that begins with /", "it does not begin with /")
    return path[1:].split("/")


def _joined(segments: list[str], lowercase: bool) -> str:
    """Join segments to a path. Convert it to lower case if `lowercase` is True."""
    uri = "/" + "/".join(segments)
    return uri.lower() if lowercase else uri
