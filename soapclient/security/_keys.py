"""The keys, certificates and names with which a client complies with the policy of its service."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from cryptography import x509
from lxml import etree

from soapclient._support.redaction import shown
from soapclient._support.suggestions import nearest
from soapclient.auth.credentials import Secret
from soapclient.errors import ConfigError
from soapclient.runtime import Package
from soapclient.runtime.schema import PortRow
from soapclient.security._algorithms import PrivateKey
from soapclient.security._blocks import SamlToken, Signature, UsernameToken, duration
from soapclient.security._certificates import (
    KeyPair,
    SigningFunction,
    Source,
    check_pair,
    read_certificates,
    read_key,
)
from soapclient.security._replay import Replays
from soapclient.security._security import Security
from soapclient.security._trust import Trust
from soapclient.security._verify import key_pairs, trust_of
from soapclient.settings.kinds import SECURITY_KEYS, located

_PKCS12 = (".p12", ".pfx")
_REMEMBERED = 1_000_000  # messages, which is more than a process can verify until they expire


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SecurityKeys:
    """Keys, certificates and names for a service whose WSDL has a WS-SecurityPolicy.

        keys = SecurityKeys(key="client.key", certificate="client.pem", recipient_certificate="server.pem")
        with connect(OrdersService, wsse=keys) as orders:
            orders.place_order(…)

    The policy decides what is signed, encrypted and sent, and what responses must prove. Only the arguments
    that the policy needs are required.

    - `key`, `certificate`: the caller's key and its certificate: a PEM file, a PKCS #12 file (`.p12` or
      `.pfx`, without `certificate`), a `KeyPair`, or a function that signs. `key_password` decrypts the key.
    - `recipient_certificate`: the certificate of the service. Requests are encrypted for it.
    - `trust`: the certificates whose signatures are accepted in responses, as for `Verify`. Defaults to
      `recipient_certificate`.
    - `user`, `password`: for a UsernameToken.
    - `saml`: a SAML assertion, as for `SamlToken`.
    - `decrypt`: the key pairs for decrypting, if they differ from `key`, or if `key` is a function.
    - `max_age`, `skew`: the highest age of the Timestamp of responses, and the accepted difference between
      the clocks, as for `Verify`. Signed messages are remembered for this time, so that each is accepted only
      once.
    - `now`: the clock, for tests. Returns the time with its time zone.

    A mock (`soapclient.testing.mock(…, wsse=…)`) takes the keys of the service: its own `key` and
    `certificate`, and the client's certificate as `recipient_certificate`.

    Raises ConfigError if an argument is invalid.

    >>> from soapclient.security import SecurityKeys
    >>> keys = SecurityKeys(key="client.key", certificate="client.pem", trust="server.pem")
    """

    key: PrivateKey | SigningFunction | KeyPair | Source | None = None
    certificate: x509.Certificate | Source | None = None
    key_password: str | Secret | None = None
    recipient_certificate: x509.Certificate | Source | None = None
    trust: Trust | x509.Certificate | Sequence[x509.Certificate] | Source | None = None
    user: str = ""
    password: str | Secret | None = None
    saml: etree._Element | bytes | Callable[[], etree._Element | bytes] | None = None
    decrypt: KeyPair | Sequence[KeyPair] = ()
    max_age: timedelta | float = timedelta(minutes=5)
    skew: timedelta | float = timedelta(minutes=1)
    now: Callable[[], datetime] | None = None
    _pair: tuple[PrivateKey | SigningFunction, x509.Certificate] | None = field(init=False)
    _recipient: x509.Certificate | None = field(init=False)
    _trust: Trust | None = field(init=False)
    _decrypt: tuple[KeyPair, ...] = field(init=False)
    _replays: Replays = field(init=False, compare=False)

    def __post_init__(self) -> None:
        pair = self._read_pair()
        recipient = None
        if self.recipient_certificate is not None:
            recipient = read_certificates(self.recipient_certificate, "recipient_certificate")[0]
        trust = trust_of(recipient if self.trust is None else self.trust)
        pairs = key_pairs(self.decrypt)
        duration(self.max_age, "max_age")
        duration(self.skew, "skew")
        if not pairs and pair is not None and not callable(own := pair[0]):
            pairs = (KeyPair(own, pair[1]),)
        if self.user:
            UsernameToken(self.user, self.password)  # checks both
        elif self.password is not None:
            raise ConfigError(
                "user", "is required if password is passed", "Pass SecurityKeys(user=…, password=…)"
            )
        if self.saml is not None:
            SamlToken(self.saml)
        for name, value in (("_pair", pair), ("_recipient", recipient), ("_trust", trust)):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "_decrypt", pairs)
        object.__setattr__(self, "_replays", Replays(_REMEMBERED))

    @classmethod
    def from_toml(cls, file: str | os.PathLike[str]) -> SecurityKeys:
        """Read the keys from the table `[security]` of a TOML file.

        If the file does not have this table, the keys are read from its top level.

        The names are `key`, `certificate`, `key_password`, `recipient_certificate`, `trust`, `user`,
        `password`, `saml`, `max_age` and `skew`. Paths are relative to the file. A password is written as
        `env:NAME` (an environment variable) or `file:PATH`. `saml` is a file with an assertion, which is read
        again for each attempt.

        Raises ConfigError if the file cannot be read or a value is invalid.
        """
        path = Path(file)
        try:
            data = tomllib.loads(path.read_text("utf-8"))
        except (OSError, ValueError) as error:  # ValueError: not UTF-8, or not TOML
            reason = getattr(error, "strerror", None) or f"it is not valid TOML: {error}"
            raise ConfigError(
                "security",
                f"cannot read {path}: {reason}",
                "Pass the path of a readable TOML file with a table [security]",
            ) from None
        table = data.get("security", data)
        if not isinstance(table, dict):
            raise ConfigError("security", "must be a table of the TOML file", f"Write [security] in {path}")
        return cls.from_table(table, folder=path.parent)

    @classmethod
    def from_table(cls, table: Mapping[str, object], *, folder: str | os.PathLike[str] = ".") -> SecurityKeys:
        """Return the keys that a table of a TOML file names, as in `from_toml`.

        `folder` is the folder to which paths are relative. Raises ConfigError if a value is invalid.
        """
        base, values = Path(folder).absolute(), dict[str, Any]()
        for name, value in located(table, base).items():
            if name not in SECURITY_KEYS:
                raise ConfigError(
                    "security",
                    f"{shown(name)} is not a name in [security]{nearest(name, SECURITY_KEYS)}",
                    f"Known names: {', '.join(SECURITY_KEYS)}",
                )
            if name in ("max_age", "skew"):
                if isinstance(value, bool) or not isinstance(value, int | float):
                    raise ConfigError(
                        f"security.{name}", "must be a number of seconds", f"Write, for example, {name} = 60"
                    )
                values[name] = value
                continue
            paths = value if name == "trust" and isinstance(value, list) else [value]
            if not paths or not all(isinstance(item, str) and item for item in paths):
                raise ConfigError(
                    f"security.{name}", "must be a string that is not empty", f'Write {name} = "…"'
                )
            if name in ("password", "key_password"):
                values[name] = _password(name, str(value), base)
            elif name == "user":
                values[name] = value
            elif name == "saml":
                values[name] = partial(_read, base / str(value))
            elif name == "trust":
                read = (read_certificates(str(base / str(item)), "trust") for item in paths)
                values[name] = [certificate for certificates in read for certificate in certificates]
            else:
                values[name] = base / str(value)
        return cls(**values)

    def _read_pair(self) -> tuple[PrivateKey | SigningFunction, x509.Certificate] | None:
        """Return the key and its certificate; None if there is no key."""
        key, certificate = self.key, self.certificate
        if key is None:
            if certificate is not None:
                raise ConfigError(
                    "key",
                    "is required if certificate is passed",
                    "Pass the private key: SecurityKeys(key=…, certificate=…)",
                )
            return None
        if isinstance(key, str | Path) and str(key).lower().endswith(_PKCS12) and certificate is None:
            key = KeyPair.from_pkcs12(key, self.key_password)
        if isinstance(key, KeyPair):
            Signature(key, certificate)  # checks that there is no second certificate
            return key.key, key.certificate
        if certificate is None:
            raise ConfigError(
                "certificate",
                "is required if key is passed",
                "Pass SecurityKeys(key=…, certificate=…), or a PKCS #12 file",
            )
        own = read_certificates(certificate, "certificate")[0]
        if isinstance(key, str | Path | bytes):
            key = read_key(key, self.key_password)
        check_pair(key, own)
        return key, own

    def for_port(
        self,
        package: Package,
        port: PortRow,
        *,
        over_tls: bool = True,
        authentication: Collection[str] = ("basic", "digest", "certificate"),
    ) -> Security:
        """Return the security object for the calls of a port. Called by `connect`.

        `over_tls` is False if the address is http, and the caller has not allowed this for its host.
        `authentication` are the ways in which the client can authenticate over HTTP.

        Raises ConfigError if the port has no policy, or if the keys are not sufficient for any alternative of
        the policy.
        """
        from soapclient.security._policy import PolicySecurity

        return PolicySecurity(self, package, port, over_tls=over_tls, authentication=authentication)

    def for_service(self, package: Package, ports: Sequence[PortRow]) -> Security:
        """Return the security object with which a mock of the service processes one request.

        The object verifies the request and secures the response. `ports` are the ports at the address of the
        request.

        Raises ConfigError if the policy of an operation has no alternative for which the keys are sufficient.
        """
        from soapclient.security._policy_service import PolicyService

        return PolicyService(self, package, ports)

    def __repr__(self) -> str:
        """Return a text without keys and passwords."""
        names = ("key", "recipient_certificate", "trust", "user", "saml")
        return f"SecurityKeys({', '.join(name for name in names if getattr(self, name))})"


def _password(name: str, source: str, folder: Path) -> Secret:
    """Return the password at a source: `env:NAME` or `file:PATH`. Raises ConfigError."""
    kind, _, place = source.partition(":")
    advice = f'Write {name} = "env:NAME" or {name} = "file:PATH"'
    if kind not in ("env", "file") or not place:
        raise ConfigError(
            f"security.{name}",
            "must be env:NAME or file:PATH, so that the file contains no password (not shown)",
            advice,
        )
    if kind == "env":
        if place not in os.environ:
            raise ConfigError(f"security.{name}", f"the environment variable {place} is not set", advice)
        return Secret(os.environ[place])
    return Secret(_read(folder / place).decode("utf-8", "replace").rstrip("\r\n"))


def _read(path: Path) -> bytes:
    """Return the content of a file. Raises ConfigError."""
    try:
        return path.expanduser().read_bytes()
    except (OSError, ValueError, RuntimeError) as error:  # a zero byte; ~ of an unknown user
        raise ConfigError(
            "security",
            f"cannot read {path}: {getattr(error, 'strerror', None) or error}",
            "Pass the path of a readable file",
        ) from None
