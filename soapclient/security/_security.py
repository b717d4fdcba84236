"""WS-Security for calls: the building blocks of a request in order, and the rules for its response."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Final, NamedTuple
from weakref import WeakKeyDictionary

from lxml import etree

from soapclient.errors import ConfigError, SecurityError
from soapclient.security._algorithms import SharedKey
from soapclient.security._blocks import (
    Block,
    Encryption,
    SamlToken,
    Signature,
    Timestamp,
    UsernameToken,
)
from soapclient.security._symmetric import SymmetricBinding
from soapclient.security._verify import Verify, in_utc
from soapclient.security._xml import Message, from_base64, q, signed_too_late

# The parts that blocks add.
_ADDS: Final[Mapping[type, str]] = {
    Timestamp: "Timestamp",
    UsernameToken: "UsernameToken",
    SamlToken: "SamlAssertion",
}


class _Exchange(NamedTuple):
    """Data of the last request that a security object has secured. In a server: that it has verified.

    `values` are the signature values of a secured request. `shared` is the shared key; None if there is none.
    """

    values: list[bytes]
    shared: SharedKey | None


# The last request of each security object, in this thread or task. Mappings are replaced, never changed,
# because a task shares the mapping with the task that started it.
_latest: ContextVar[WeakKeyDictionary[Security, _Exchange] | None] = ContextVar("_latest", default=None)


class Security:
    """WS-Security for `wsse=`: secures each request, and verifies each response.

        security = Security(
            [Timestamp(), Signature(key, certificate)],
            verify=Verify(trust=certificate_of_the_service),
        )
        with connect(OrdersService, wsse=security) as orders:
            orders.place_order(…)

    - `blocks` are added to a request in this order, again for each attempt. Tokens and the Timestamp come
      before the Signature or Encryption that names them.
    - `verify`: the rules that responses must meet. If it is None, responses are not verified.
    - `actor`: the actor or role of the Security header of requests.
    - `now`: the clock, for tests. Returns the time with its time zone.

    Works with `Client`, `connect`, their asynchronous versions, and with `zeep.Client(wsse=…)`. Thread-safe.

    Raises ConfigError if an argument is invalid.

    >>> from soapclient import connect
    >>> from soapclient.security import Security, Timestamp, UsernameToken
    >>> from soapclient.testing import mock
    >>> from weather import WeatherService  # bindgen init weather --file weather.wsdl
    >>> security = Security([UsernameToken("ada", "a password"), Timestamp()])
    >>> with mock("weather") as server:
    ...     with connect(WeatherService, address=server.address(), wsse=security) as service:
    ...         response = service.get_weather(city="Rome")
    """

    __slots__ = ("__weakref__", "_now", "actor", "blocks", "verify_rules")

    def __init__(
        self,
        blocks: Block | Sequence[Block] = (),
        verify: Verify | None = None,
        *,
        actor: str = "",
        now: Callable[[], datetime] | None = None,
    ) -> None:
        self.blocks: tuple[Block, ...] = tuple(blocks) if isinstance(blocks, Sequence) else (blocks,)
        for block in self.blocks:
            if isinstance(block, type) or not callable(getattr(block, "add", None)):
                name = block.__name__ if isinstance(block, type) else type(block).__name__
                raise ConfigError(
                    "wsse",
                    f"{name} is not a building block of soapclient.security",
                    "Pass a list of blocks: Security([Timestamp(), UsernameToken(…), …])",
                )
        if verify is not None and not isinstance(verify, Verify):
            raise ConfigError(
                "wsse",
                f"verify must be a Verify, got {type(verify).__name__}",
                "Pass Security([…], verify=Verify(trust=…))",
            )
        _check_order(self.blocks)
        self.verify_rules = verify
        self.actor = actor
        self._now = now

    @property
    def verifies(self) -> bool:
        """True if responses are verified or decrypted, so that they must be read completely first."""
        return self.verify_rules is not None

    @property
    def username(self) -> str | None:
        """A text that identifies the caller: user names, and the subjects of signing certificates.

        None if the blocks have neither. An iteration over pages can only be resumed by a caller with the same
        text.
        """
        accounts = [block.account for block in self.blocks if isinstance(block, UsernameToken | Signature)]
        return ", ".join(accounts) or None

    @property
    def secrets(self) -> set[str]:
        """The texts that no error or log may show."""
        return {secret for block in self.blocks for secret in getattr(block, "secrets", ())}

    def apply(
        self, envelope: etree._Element, headers: dict[str, str], /
    ) -> tuple[etree._Element, dict[str, str]]:
        """Secure a request. Returns the envelope to send and the unchanged HTTP headers.

        The envelope is changed in place, except if a block had to parse it again.

        Raises ConfigError if a part to sign or to encrypt is missing.
        """
        now = self._time()
        try:
            message = Message.of(envelope, self.actor)
            message._shared = self._exchange().shared  # a response uses this key; a request gets a new one
            if self.blocks:
                message.ensure_security(self.actor)
            for block in self.blocks:
                block.add(message, now)
        except SecurityError as error:  # of the user's plugins, which have changed the envelope
            raise ConfigError(
                "wsse",
                error.problem,
                "Correct the plugins that change requests: the envelope that they return cannot be secured",
            ) from None
        self._remember(_Exchange(_signature_values(message), message._shared))
        return message.root, headers

    def verify(self, envelope: etree._Element, /) -> etree._Element:
        """Verify and decrypt a response in place, and return its envelope. Raises SecurityError."""
        rules = self.verify_rules
        if rules is None:
            return envelope
        values, shared = self._exchange()
        if rules.symmetric == "request":
            # If this request fails, its response must not use the key of the request before.
            self._remember(_Exchange([], None))
            received = rules._check_exchange(envelope, self._time(), [], None)
            self._remember(_Exchange([], received))
        else:
            rules._check_exchange(envelope, self._time(), values, shared)
        return envelope

    def _share_key_of(self, other: Security) -> None:
        """Use the shared key of a verified request to secure the next response.

        `other` is the security object that has verified the request.
        """
        self._remember(_Exchange([], other._exchange().shared))

    def _exchange(self) -> _Exchange:
        latest = _latest.get()
        return _Exchange([], None) if latest is None else latest.get(self, _Exchange([], None))

    def _remember(self, exchange: _Exchange) -> None:
        latest = WeakKeyDictionary(_latest.get() or {})
        latest[self] = exchange
        _latest.set(latest)

    def _time(self) -> datetime:
        return datetime.now(UTC) if self._now is None else in_utc(self._now())

    def __repr__(self) -> str:
        return f"Security({list(self.blocks)!r}, verify={self.verify_rules!r})"


def _check_order(blocks: Sequence[Block]) -> None:
    """Raise ConfigError if a block names a part that does not exist when the block is applied.

    The part would then be sent without signature or encryption. There are two cases: a later block adds the
    part, or an earlier block has encrypted it.
    """
    encrypted: set[str] = set()
    for index, block in enumerate(blocks):
        if isinstance(block, SymmetricBinding):
            parts = {*block.parts, *block.encrypt}
        elif isinstance(block, Signature | Encryption):
            parts = set(block.parts)
        else:
            continue
        if not isinstance(block, Encryption):
            for part in signed_too_late(block.parts, encrypted):
                raise ConfigError(
                    "wsse",
                    f"the {type(block).__name__} names {part}, but an earlier block has encrypted it",
                    "Put the Signature before the Encryption, or encrypt only the body",
                )
        encrypted.update(block.parts if isinstance(block, Encryption) else getattr(block, "encrypt", ()))
        earlier, later = (
            {_ADDS.get(type(item)) for item in part} for part in (blocks[:index], blocks[index:])
        )
        for part in sorted(parts):
            if part in later - earlier:
                name = type(block).__name__
                raise ConfigError(
                    "wsse",
                    f"the {name} names {part}, but the block that adds it comes later",
                    f"Put that block before the {name}",
                )


def _signature_values(message: Message) -> list[bytes]:
    """Return the values of the signatures in the Security header."""
    if message.security is None:
        return []
    return [
        from_base64(value, "SignatureValue")
        for signature in message.security.iterchildren(q("ds:Signature"))
        for value in signature.iterchildren(q("ds:SignatureValue"))
    ]
