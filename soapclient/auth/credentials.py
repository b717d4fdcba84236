"""Who asks: a connect ID and, for signed requests, a secret key that is never shown."""

from __future__ import annotations

from soapclient._support.redaction import HIDDEN
from soapclient.errors import ConfigError

CREDENTIALS_ARE_SET = (
    "Connect ID and key are set as arguments (connect_id, secret_key), in the environment "
    "(SOAPCLIENT_CONNECT_ID, SOAPCLIENT_SECRET_KEY) or in the TOML file (connect_id, secret_key)"
)


class Secret:
    """A text that can be used but not seen: `repr`, `str`, formatting and logging show a placeholder."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        problem = secret_problem(text)
        if problem is not None:
            text = HIDDEN  # what a traceback shows of this frame
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

    `lifetime` is how long a provider wants not to be asked again, in seconds; None: until they are refused.
    It plays no part in comparing. Raises ConfigError if one of them is impossible; neither value is repeated
    in it, since the two are easily given in each other's place.
    """

    __slots__ = ("_connect_id", "_secret_key", "lifetime")

    def __init__(
        self, connect_id: str, secret_key: str | Secret | None = None, *, lifetime: float | None = None
    ) -> None:
        self.lifetime = lifetime
        problem = connect_id_problem(connect_id)
        if problem is not None:
            connect_id = secret_key = HIDDEN  # what a traceback shows of this frame
            raise ConfigError("connect_id", problem, CREDENTIALS_ARE_SET)
        self._connect_id = connect_id
        self._secret_key = (
            secret_key if secret_key is None or isinstance(secret_key, Secret) else Secret(secret_key)
        )

    @property
    def connect_id(self) -> str:
        return self._connect_id

    @property
    def secret_key(self) -> Secret | None:
        return self._secret_key

    def require_secret_key(self) -> Secret:
        """Return the secret key; raise ConfigError if there is none."""
        if self._secret_key is None:
            raise ConfigError("secret_key", "is not set, but a signed request needs it", CREDENTIALS_ARE_SET)
        return self._secret_key

    def __repr__(self) -> str:
        known = getattr(self, "_connect_id", None), getattr(self, "_secret_key", None)  # perhaps half made
        return f"Credentials(connect_id={known[0]!r}, secret_key={known[1]!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Credentials):
            return NotImplemented
        return (self._connect_id, self._secret_key) == (other._connect_id, other._secret_key)

    def __hash__(self) -> int:
        return hash((self._connect_id, self._secret_key))


def connect_id_problem(value: object) -> str | None:
    """Return what is wrong with a connect ID, without repeating it; None if nothing is.

    It stands in `Authorization: ZXWS <connect_id>:<signature>` (docs/explanation/service.md#signing): hence
    no colon and no space.
    """
    if not isinstance(value, str):
        return f"must be text, not {type(value).__name__}"
    if not value:
        return "is empty"
    if ":" in value or not is_visible_ascii(value):
        return "must be visible ASCII characters without spaces and colons (the value is not shown)"
    return None


def secret_problem(value: object) -> str | None:
    """Return what is wrong with a secret key, without repeating it; None if nothing is.

    Any text will do (docs/explanation/service.md#signing) that has UTF-8 bytes, for those are the key.
    """
    if not isinstance(value, str):
        return f"must be text, not {type(value).__name__}"
    if not value:
        return "is empty"
    if any("\ud800" <= char <= "\udfff" for char in value):
        return "cannot be written as UTF-8 (the value is not shown)"
    return None


def is_visible_ascii(text: str) -> bool:
    """Tell whether all of `text` lies between `!` and `~`."""
    return all("!" <= char <= "~" for char in text)
