"""Verification of signatures: an implementation of the signing rules that is independent of the client.

The rules are in `docs/explanation/service.md#signing`. The module `requests` converts each request to claims
(connect id, signature, timestamp, nonce), so this module does not depend on XML or HTTP. No error message
contains a secret or an expected signature.
"""

from __future__ import annotations

import base64
import hashlib
import heapq
import hmac
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from .faults import Code, InvalidValue

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_REST_TIME = re.compile(r"(\w{3}), (\d\d) (\w{3}) (\d{4}) (\d\d):(\d\d):(\d\d)( GMT)?", re.ASCII)
_SOAP_TIME = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.\d{3})?Z?", re.ASCII)
_NONCE = re.compile(r"[!-~]{20,}", re.ASCII)


def soap_text(service: str, operation: str, timestamp: str, nonce: str) -> str:
    """Return the string to sign for a SOAP body. Only `service` and `operation` are lower-cased."""
    return service.lower() + operation.lower() + timestamp + nonce


def rest_text(verb: str, uri: str, timestamp: str, nonce: str) -> str:
    """Return the string to sign for a REST request. `uri` is its path after the version."""
    return verb + uri + timestamp + nonce


def signature_of(secret: str, text: str) -> str:
    """Return the HMAC-SHA1 in Base64. The key is the secret in UTF-8, without Base64 decoding."""
    mac = hmac.new(secret.encode(), text.encode(), hashlib.sha1)
    return base64.b64encode(mac.digest()).decode("ascii")


def soap_time(text: str) -> datetime | None:
    """Parse `yyyy-MM-ddTHH:mm:ss` in GMT, with or without `.SSS` and `Z`. Return None if it is invalid."""
    match = _SOAP_TIME.fullmatch(text)
    return None if match is None else _instant(*(int(part) for part in match.groups()))


def rest_time(text: str, *, suffix_required: bool = False) -> datetime | None:
    """Parse `EEE, dd MMM yyyy HH:mm:ss` in GMT with English names. Return None if it is invalid.

    The suffix ` GMT` is required in the Advertiser interface and optional in the other interfaces
    (`docs/explanation/service.md#signing`).
    """
    match = _REST_TIME.fullmatch(text)
    if match is None or match[3] not in _MONTHS or (suffix_required and match[8] is None):
        return None
    clock = (int(match[part]) for part in (5, 6, 7))
    moment = _instant(int(match[4]), _MONTHS.index(match[3]) + 1, int(match[2]), *clock)
    return moment if moment is not None and _DAYS[moment.weekday()] == match[1] else None


def _instant(*parts: int) -> datetime | None:
    try:
        year, month, day, hour, minute, second = parts
        return datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    except ValueError:
        return None


@dataclass(frozen=True)
class Claim:
    """Authentication data of a request, from its headers, its query or its body.

    - `where`: "headers", "query" or "body".
    - `signature`: None if only the connect id was sent there.
    - `moment`: the parsed timestamp, None if it is invalid.
    - `texts`: the accepted strings to sign. There may be two, because a client may sign the path in lower
      case.
    - `nonce_optional`: True if the nonce may be missing. A signature without a nonce is accepted only once.
    """

    where: str
    connect_id: str
    signature: str | None = field(default=None, repr=False)
    timestamp: str = ""
    moment: datetime | None = None
    nonce: str = ""
    texts: tuple[str, ...] = field(default=(), repr=False)
    nonce_optional: bool = False


class NonceStore:
    """Nonces that were used and have not expired. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._used: set[tuple[str, str]] = set()
        self._due: list[tuple[datetime, tuple[str, str]]] = []

    def __len__(self) -> int:
        return len(self._used)

    def use(self, entries: Mapping[tuple[str, str], datetime], now: datetime) -> bool:
        """Mark nonces as used. Return False, and mark none, if one of them is already used.

        `entries` is a dict from (connect id, nonce) to the time when the entry expires. If a request has no
        nonce, the entry contains its signature instead.
        """
        with self._lock:
            while self._due and self._due[0][0] < now:
                self._used.discard(heapq.heappop(self._due)[1])
            if any(entry in self._used for entry in entries):
                return False
            for entry, until in entries.items():
                self._used.add(entry)
                heapq.heappush(self._due, (until, entry))
            return True


class Verifier:
    """Authenticates requests using the accounts, the clock and the used nonces. Thread-safe."""

    def __init__(
        self, accounts: Mapping[str, str], clock: Callable[[], datetime], validity: timedelta
    ) -> None:
        self._accounts = dict(accounts)
        self._clock = clock
        self._validity = validity
        self.nonces = NonceStore()

    def __repr__(self) -> str:
        return f"Verifier({len(self._accounts)} accounts, validity={self._validity})"

    def now(self) -> datetime:
        """Return the time with which timestamps are compared."""
        return self._clock()

    def verify(self, claims: Sequence[Claim], *, signed: bool) -> str:
        """Return the connect id of the caller. `signed` is True if the operation requires a signature.

        If a signature is sent, it must be valid, even if the operation does not require it. Raises
        `InvalidValue`:

        - 401 if no connect id was sent, or if the required signature was not sent;
        - 403 if a connect id or a signature is invalid.
        """
        ids = {claim.connect_id for claim in claims}
        if not ids or ids == {""}:
            raise InvalidValue(Code.NO_ID, "no connect id was sent")
        if len(ids) > 1:
            raise InvalidValue(Code.DENIED, "the request contains more than one connect id")
        connect_id = ids.pop()
        secret = self._accounts.get(connect_id)
        if secret is None:
            raise InvalidValue(Code.DENIED, f"the connect id {connect_id[:40]!r} is not known here")
        present = [claim for claim in claims if claim.signature is not None]
        if not present and signed:
            raise InvalidValue(Code.NO_ID, "this operation must be signed, but no signature was sent")
        now = self._clock()
        used: dict[tuple[str, str], datetime] = {}
        for claim in present:
            # Remembered until the signature expires, plus a margin for a thread that read the clock earlier
            # than the thread that expires entries.
            until = self._check(claim, secret, now) + self._validity + timedelta(minutes=1)
            entry = (connect_id, claim.nonce or claim.signature or "")
            used[entry] = max(used.get(entry, until), until)
        if used and not self.nonces.use(used, now):
            raise InvalidValue(
                Code.DENIED, "the nonce was used before; a signature is valid for one request only"
            )
        return connect_id

    def _check(self, claim: Claim, secret: str, now: datetime) -> datetime:
        where = f"the signature in the {claim.where}"
        if not (_NONCE.fullmatch(claim.nonce) or (claim.nonce_optional and not claim.nonce)):
            raise InvalidValue(Code.DENIED, f"{where}: the nonce must be 20 or more visible ASCII characters")
        sent = (claim.signature or "").encode()
        right = [hmac.compare_digest(signature_of(secret, text).encode(), sent) for text in claim.texts]
        if not any(right):
            raise InvalidValue(Code.DENIED, f"{where} is not right")
        if claim.moment is None:
            raise InvalidValue(
                Code.DENIED, f"{where}: the timestamp {claim.timestamp[:40]!r} has the wrong format"
            )
        if abs(now - claim.moment) > self._validity:
            minutes = int(self._validity.total_seconds() // 60)
            raise InvalidValue(
                Code.DENIED,
                f"{where} is dated {claim.timestamp}, more than {minutes} minutes from the server's time, "
                f"{now.astimezone(UTC):%Y-%m-%dT%H:%M:%S}Z",
            )
        return claim.moment
