"""What users of zeep give its Client, for typed calls as well."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from soapclient.config.calls import CallSettings
from soapclient.errors import ConfigError
from soapclient.transport.session import lent_session, open_session

if TYPE_CHECKING:
    import requests
    from lxml import etree
    from zeep import Plugin as Plugin
    from zeep import Settings as Settings
    from zeep import Transport as Transport


class Security(Protocol):
    """What puts WS-Security into an envelope, such as `zeep.wsse.UsernameToken`.

    `apply` gives envelope and HTTP headers to send, once per attempt; `verify` raises for a response that it
    does not trust.
    """

    def apply(
        self, envelope: etree._Element, headers: dict[str, str], /
    ) -> tuple[etree._Element, dict[str, str]]: ...
    def verify(self, envelope: etree._Element, /) -> object: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ZeepOptions:
    """`plugins` see each request after it is signed and before it is validated, and each response; `wsse` is
    one or several; `settings` gives `extra_http_headers` and `raw_response`; `transport` lends its session:
    auth, headers, proxies, certificates and adapters of its own. Raises ConfigError."""

    plugins: Sequence[Plugin] = ()
    wsse: Security | Sequence[Security] | None = None
    settings: Settings | None = None
    transport: Transport | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.plugins, Sequence):
            problem = f"must be a list, got {type(self.plugins).__name__}"
            raise ConfigError("plugins", problem, "Pass plugins=[…]")
        for name, value, members in (
            ("zeep_settings", self.settings, ("extra_http_headers", "raw_response")),
            ("transport", self.transport, ("session",)),
        ):
            if value is not None and not all(hasattr(value, member) for member in members):
                kind = "zeep.Settings" if name == "zeep_settings" else "zeep.Transport"
                problem = f"must be a {kind}, got {type(value).__name__}"
                raise ConfigError(name, problem, "Pass such an object, or leave it out")
        for each in self.plugins:
            if not all(callable(getattr(each, do, None)) for do in ("egress", "ingress")):
                said = f"{type(each).__name__} has not both egress and ingress"
                raise ConfigError("plugins", said, "Pass what zeep.plugins has, or the like")
        for security in self.security:
            if not all(callable(getattr(security, do, None)) for do in ("apply", "verify")):
                said = f"{type(security).__name__} has not both apply and verify"
                raise ConfigError("wsse", said, "Pass what zeep.wsse has, or the like")

    def refuse_soap(self) -> None:
        """Raise ConfigError for what would have no effect, where nothing goes over SOAP."""
        for name, given in (("plugins", self.plugins), ("wsse", self.wsse), ("zeep_settings", self.settings)):
            if given:
                said = "is for SOAP, and all services of this client go over REST"
                raise ConfigError(name, said, 'Leave it out, or choose protocol="soap" for a service')

    def session(self, settings: CallSettings) -> requests.Session:
        """A session of ours by the settings, with all that the transport's has, where one is given."""
        if self.transport is None:
            return open_session(settings)
        return lent_session(self.transport.session, settings)

    @property
    def security(self) -> list[Security]:
        """All of `wsse`, in order."""
        if self.wsse is None:
            return []
        return list(self.wsse) if isinstance(self.wsse, list | tuple) else [self.wsse]  # type: ignore[list-item] # a sequence is no Security
