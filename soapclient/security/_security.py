"""WS-Security for calls: the building blocks of a request in order, and the rules for its response."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from datetime import UTC, datetime
from weakref import WeakKeyDictionary

from lxml import etree

from soapclient.errors import ConfigError, SecurityError
from soapclient.security._blocks import Block, UsernameToken
from soapclient.security._verify import Verify
from soapclient.security._xml import Message, from_base64, q

# The signature values of the last request of each security object, in this thread or task. Mappings are
# replaced, never changed: tasks share them with the task that started them.
_sent: ContextVar[WeakKeyDictionary[Security, list[bytes]] | None] = ContextVar("_sent", default=None)


class Security:
    """WS-Security for `wsse=`: secures each request, and verifies each response.

        security = Security(
            [Timestamp(), Signature(key, certificate)],
            verify=Verify(trust=certificate_of_the_service),
        )
        with connect(OrdersService, wsse=security) as orders:
            orders.place_order(…)

    - `blocks` are added to a request in this order, again for each attempt.
    - `verify`: what responses must prove; None: responses are not verified.
    - `actor`: the actor or role of the Security header of requests.
    - `now`: the clock, for tests. Returns the time, aware.

    Works with `Client`, `connect`, their asynchronous twins, and with `zeep.Client(wsse=…)`. Thread-safe.

    Raises ConfigError if an argument is invalid.
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
                problem = f"{name} is not a building block of soapclient.security"
                raise ConfigError("wsse", problem, "Pass Security([Timestamp(), UsernameToken(…), …])")
        if verify is not None and not isinstance(verify, Verify):
            problem = f"verify must be a Verify, got {type(verify).__name__}"
            raise ConfigError("wsse", problem, "Pass Security([…], verify=Verify(trust=…))")
        self.verify_rules = verify
        self.actor = actor
        self._now = now

    @property
    def verifies(self) -> bool:
        """True if responses are verified or decrypted, so that they must be read completely first."""
        return self.verify_rules is not None

    @property
    def username(self) -> str | None:
        """The user of the first UsernameToken; None without one."""
        return next((block.user for block in self.blocks if isinstance(block, UsernameToken)), None)

    @property
    def secrets(self) -> set[str]:
        """The texts that no error or log may show."""
        return {secret for block in self.blocks for secret in getattr(block, "secrets", ())}

    def apply(
        self, envelope: etree._Element, headers: dict[str, str], /
    ) -> tuple[etree._Element, dict[str, str]]:
        """Secure a request in place. Returns the envelope and the unchanged HTTP headers.

        Raises ConfigError if a part to sign or to encrypt is missing.
        """
        now = self._time()
        try:
            message = Message.of(envelope, self.actor)
            if self.blocks:
                message.ensure_security(self.actor)
            for block in self.blocks:
                block.add(message, now)
        except SecurityError as error:  # of the user's plugins, which have changed the envelope
            raise ConfigError("wsse", error.problem, "Check the plugins that change requests") from None
        values = [
            from_base64(node, "SignatureValue")
            for node in (
                message.security.iterchildren(q("ds:Signature")) if message.security is not None else ()
            )
            for node in node.iterchildren(q("ds:SignatureValue"))
        ]
        latest = WeakKeyDictionary(_sent.get() or {})
        latest[self] = values
        _sent.set(latest)
        return envelope, headers

    def verify(self, envelope: etree._Element, /) -> etree._Element:
        """Verify and decrypt a response in place, and return it. Raises SecurityError."""
        if self.verify_rules is not None:
            latest = _sent.get()
            values = [] if latest is None else latest.get(self, [])
            self.verify_rules.check(envelope, self._time(), sent=values)
        return envelope

    def _time(self) -> datetime:
        return datetime.now(UTC) if self._now is None else self._now()

    def __repr__(self) -> str:
        return f"Security({list(self.blocks)!r}, verify={self.verify_rules!r})"
