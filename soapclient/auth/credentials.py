"""Credentials: a connect ID and, for signed requests, a secret key that is never shown."""

from __future__ import annotations

from soapclient._support.redaction import HIDDEN
from soapclient.errors import ConfigError

CREDENTIALS_ARE_SET = (
    "Set connect ID and key as arguments (connect_id, secret_key), in the environment "
    "(SOAPCLIENT_CONNECT_ID, SOAPCLIENT_SECRET_KEY) or in the TOML file (connect_id, secret_key)"
)


class Secret:
    """A text that can be used but is not shown: `repr`, `str`, formatting and logging show a placeholder.

    >>> from soapclient.auth import Secret
    >>> key = Secret("Se6Mp5bCz2uJ9e")
    >>> print(key, len(key.reveal()))
    Secret([hidden]) 14
    """

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        problem = secret_problem(text)
        if problem is not None:
            text = HIDDEN  # tracebacks may show the variables of this frame
            raise ConfigError("secret_key", problem, CREDENTIALS_ARE_SET)
        self._text = text

    def reveal(self) -> str:
        """Return the text itself."""
        return self._text

    def __repr__(self) -> str:
        return "Secret([hidden])"

    def __eq__(self, other: object) -> bool:
        return self._text == other._text if isinstance(other, Secret) else NotImplemented

    def __hash__(self) -> int:
        return hash((Secret, self._text))


class Credentials:
    """A connect ID and, unless only public operations are called, a secret key. Immutable; can be pickled.

    `lifetime` is for credentials from a provider: the provider is called again after this number of seconds.
    If it is None, the provider is called again only after the service refuses the credentials. `lifetime`
    does not affect equality.

    Raises ConfigError if a value is invalid. The error does not show the value, because users may pass the
    secret key as the connect ID by mistake.

    >>> from soapclient.auth import Credentials
    >>> Credentials("43EEF0445509C7205827", "Se6Mp5bCz2uJ9e")
    Credentials(connect_id='43EEF0445509C7205827', secret_key=Secret([hidden]))
    """

    __slots__ = ("_connect_id", "_secret_key", "lifetime")

    def __init__(
        self, connect_id: str, secret_key: str | Secret | None = None, *, lifetime: float | None = None
    ) -> None:
        self.lifetime = lifetime
        problem = connect_id_problem(connect_id)
        if problem is not None:
            connect_id = secret_key = HIDDEN  # tracebacks may show the variables of this frame
            raise ConfigError("connect_id", problem, CREDENTIALS_ARE_SET)
        self._connect_id = connect_id
        self._secret_key = (
            secret_key if secret_key is None or isinstance(secret_key, Secret) else Secret(secret_key)
        )

    @property
    def connect_id(self) -> str:
        """The connect ID of the account."""
        return self._connect_id

    @property
    def secret_key(self) -> Secret | None:
        """The secret key; None if it is not set."""
        return self._secret_key

    def require_secret_key(self) -> Secret:
        """Return the secret key. Raises ConfigError if there is none."""
        if self._secret_key is None:
            raise ConfigError("secret_key", "is not set, but a signed request needs it", CREDENTIALS_ARE_SET)
        return self._secret_key

    def __repr__(self) -> str:
        values = (
            getattr(self, "_connect_id", None),
            getattr(self, "_secret_key", None),
        )  # `__init__` may have failed
        return f"Credentials(connect_id={values[0]!r}, secret_key={values[1]!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Credentials):
            return NotImplemented
        return (self._connect_id, self._secret_key) == (other._connect_id, other._secret_key)

    def __hash__(self) -> int:
        return hash((self._connect_id, self._secret_key))


def connect_id_problem(value: object) -> str | None:
    """Return why a connect ID is invalid, without showing it; None if it is valid.

    A connect ID is part of `Authorization: ZXWS <connect_id>:<signature>`
    (docs/explanation/service.md#signing), so it must not contain colons or spaces.
    """
    if not isinstance(value, str):
        return f"must be a string, got {type(value).__name__}"
    if not value:
        return "is empty"
    if ":" in value or not is_visible_ascii(value):
        return "must be visible ASCII characters without spaces or colons (the value is not shown)"
    return None


def secret_problem(value: object) -> str | None:
    """Return why a secret key is invalid, without showing it; None if it is valid.

    Any text that is not empty and can be encoded as UTF-8 is valid, because the bytes are used as the key
    (docs/explanation/service.md#signing).
    """
    if not isinstance(value, str):
        return f"must be a string, got {type(value).__name__}"
    if not value:
        return "is empty"
    try:
        value.encode()
    except UnicodeEncodeError:
        return "cannot be encoded as UTF-8 (the value is not shown)"
    return None


def is_visible_ascii(text: str) -> bool:
    """Return True if all characters of `text` are between `!` and `~`."""
    return text.isascii() and text.isprintable() and " " not in text
