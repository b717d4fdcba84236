"""Credentials from a provider: a function or an object that is called only when they are needed."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Final, Protocol, cast

from soapclient._support.forks import Lock
from soapclient.auth.credentials import Credentials
from soapclient.clock import Clock, SystemClock
from soapclient.errors import ConfigError

_GIVE: Final = (
    "Pass Credentials, a function that returns Credentials, or an object with such a method credentials()"
)


class CredentialsObject(Protocol):
    """An object that provides credentials.

    >>> from soapclient import Client
    >>> from soapclient.auth import Credentials
    >>> class Vault:
    ...     def credentials(self) -> Credentials:
    ...         return Credentials("43EEF0445509C7205827", "Se6Mp5bCz2uJ9e", lifetime=3600)
    >>> client = Client(credentials=Vault())
    >>> client.close()
    """

    def credentials(self) -> Credentials:
        """Return the current credentials."""


CredentialsProvider = Callable[[], Credentials] | CredentialsObject


class CredentialsCache:
    """The credentials of one account: fixed, or from a provider and cached. Thread-safe.

    A provider is called when credentials are first needed, when their `lifetime` is over, and once after the
    service refuses them. The new credentials must have the same connect ID.
    """

    def __init__(self, source: Credentials | CredentialsProvider, clock: Clock | None = None) -> None:
        """Create a cache. `source` is fixed credentials, or a provider, which is not called yet.

        Raises ConfigError if `source` cannot provide credentials.
        """
        self._clock = SystemClock() if clock is None else clock
        self._lock = Lock()
        self._current = source if isinstance(source, Credentials) else None
        self._ends: float | None = None
        provider = None if isinstance(source, Credentials) else getattr(source, "credentials", source)
        if provider is not None and not callable(provider):
            raise ConfigError("credentials", f"{type(source).__name__} cannot provide credentials", _GIVE)
        self._ask = cast("Callable[[], object] | None", provider)

    @property
    def fixed(self) -> bool:
        """True if the credentials are fixed: they never change, and no provider is called."""
        return self._ask is None

    def current(self) -> Credentials:
        """Return the current credentials. Raises ConfigError if the provider fails."""
        if self._ask is None and self._current is not None:
            return self._current
        with self._lock:
            over = self._ends is not None and self._clock.monotonic() >= self._ends
            return self._ask_provider() if self._current is None or over else self._current

    def renewed(self, refused: Credentials) -> bool:
        """Return True if there are credentials other than `refused`, so that a retry makes sense.

        Calls the provider, unless another thread has already replaced the refused credentials.
        """
        if self._ask is None:
            return False
        with self._lock:
            current = self._current
            if current is None or (current.connect_id, current.secret_key) == (
                refused.connect_id,
                refused.secret_key,
            ):
                current = self._ask_provider()
            return current != refused

    def _ask_provider(self) -> Credentials:
        """Call the provider, and store the credentials that it returns.

        Raises ConfigError if the provider fails or returns credentials of another account.
        """
        assert self._ask is not None  # fixed credentials never expire
        try:
            credentials = self._ask()
        except ConfigError:
            raise
        except Exception as error:
            raise ConfigError("credentials", f"the provider raised {type(error).__name__}", _GIVE) from error
        if not isinstance(credentials, Credentials):
            raise ConfigError(
                "credentials",
                f"the provider must return Credentials, got {type(credentials).__name__}",
                _GIVE,
            )
        if self._current is not None and self._current.connect_id != credentials.connect_id:
            reason = "the provider returned the credentials of another account"
            raise ConfigError("credentials", reason, "Open one client per account")
        # In this order, so that a child forked in between asks again.
        self._current = None
        self._ends = None if credentials.lifetime is None else self._clock.monotonic() + credentials.lifetime
        self._current = credentials
        return credentials


class _Keyring(Protocol):
    """The function of the library keyring that this module uses."""

    def get_password(self, service: str, user: str, /) -> str | None: ...


def secret_in_keyring(service: str, connect_id: str) -> str:
    """Return the secret key for a service name and a connect ID from the keyring of this machine.

    Requires the extra `keyring`. Raises ConfigError if the keyring does not have the key, or if the package
    keyring is not installed.
    """
    try:
        keyring = cast("_Keyring", import_module("keyring"))
    except ImportError:
        reason = f"cannot read {service!r}: the package keyring is not installed"
        raise ConfigError("keyring", reason, "Install it: pip install 'soapclient[keyring]'") from None
    advice = f"Store it: keyring set {service} {connect_id}"
    try:
        secret = keyring.get_password(service, connect_id)
    except Exception as error:  # each backend raises its own errors
        reason = f"cannot read {service!r}: {type(error).__name__}"
        raise ConfigError("keyring", reason, advice) from error
    if not secret:
        reason = f"it has no secret key for connect ID {connect_id} (service {service!r})"
        raise ConfigError("keyring", reason, advice)
    return secret
