"""Credentials that may change. Their provider is asked only when they are needed."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Final, Protocol, cast

from soapclient._support.forks import Lock
from soapclient.auth.credentials import Credentials
from soapclient.clock import Clock, SystemClock
from soapclient.errors import ConfigError

_GIVE: Final = "Pass Credentials, a function that returns them, or an object whose credentials() does"


class CredentialsObject(Protocol):
    """An object that provides credentials."""

    def credentials(self) -> Credentials:
        """Return the current credentials."""


CredentialsProvider = Callable[[], Credentials] | CredentialsObject


class Lease:
    """The credentials of one account, fixed or from a provider. Thread-safe.

    A provider is asked when credentials are first needed, when their `lifetime` is over, and once after
    the service refuses them. It must not change the account.
    """

    def __init__(self, given: Credentials | CredentialsProvider, clock: Clock | None = None) -> None:
        """Raises ConfigError if `given` cannot provide credentials. The provider is not asked yet."""
        self._clock = SystemClock() if clock is None else clock
        self._lock = Lock()
        self._current = given if isinstance(given, Credentials) else None
        self._ends: float | None = None
        found = None if isinstance(given, Credentials) else getattr(given, "credentials", given)
        if found is not None and not callable(found):
            raise ConfigError("credentials", f"{type(given).__name__} provides none", _GIVE)
        self._ask = cast("Callable[[], object] | None", found)

    @property
    def fixed(self) -> bool:
        """True if the credentials never change."""
        return self._ask is None

    def current(self) -> Credentials:
        """Return the credentials to sign with now. Raises ConfigError if the provider fails."""
        if self._ask is None and self._current is not None:
            return self._current
        with self._lock:
            over = self._ends is not None and self._clock.monotonic() >= self._ends
            return self._asked() if self._current is None or over else self._current

    def renewed(self, refused: Credentials) -> bool:
        """Return True if there are other credentials than the refused ones.

        The provider is asked, unless another thread has done so.
        """
        if self._ask is None:
            return False
        with self._lock:
            known = self._current
            if known is None or (known.connect_id, known.secret_key) == (
                refused.connect_id,
                refused.secret_key,
            ):
                known = self._asked()
            return known != refused

    def _asked(self) -> Credentials:
        """Ask the provider, and keep its credentials. Raises ConfigError."""
        assert self._ask is not None  # fixed credentials never expire
        try:
            found = self._ask()
        except ConfigError:
            raise
        except Exception as error:
            raise ConfigError(
                "credentials", f"their provider failed ({type(error).__name__})", _GIVE
            ) from error
        if not isinstance(found, Credentials):
            raise ConfigError("credentials", f"their provider gave a {type(found).__name__}", _GIVE)
        if self._current is not None and self._current.connect_id != found.connect_id:
            said = "their provider gave those of another account"
            raise ConfigError("credentials", said, "Open a client per account")
        # In this order, so that a child forked in between asks again.
        self._current = None
        self._ends = None if found.lifetime is None else self._clock.monotonic() + found.lifetime
        self._current = found
        return found


class _Keyring(Protocol):
    """The part of the keyring package that is used."""

    def get_password(self, service: str, user: str, /) -> str | None: ...


def secret_in_keyring(service: str, connect_id: str) -> str:
    """Return the secret key of a connect ID under a service in this machine's keyring (extra `keyring`).

    Raises ConfigError if there is none, or if keyring is not installed.
    """
    try:
        keyring = cast("_Keyring", import_module("keyring"))
    except ImportError:
        said = f"{service!r} cannot be looked up: the package keyring is not installed"
        raise ConfigError("keyring", said, "Install soapclient[keyring]") from None
    how = f"Store it: keyring set {service} {connect_id}"
    try:
        found = keyring.get_password(service, connect_id)
    except Exception as error:  # each backend raises its own errors
        said = f"{service!r} cannot be looked up: {type(error).__name__}"
        raise ConfigError("keyring", said, how) from error
    if not found:
        raise ConfigError("keyring", f"has no secret key of {connect_id} under {service!r}", how)
    return found
