"""Declare settings, and parse, validate and format their values.

A setting is declared as a dataclass field with `setting(...)`. Its metadata is used for parsing, for error
messages and by the command `soapclient config`.
"""

from __future__ import annotations

import dataclasses
import inspect
import os
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple, TypeVar

from soapclient._support.lazy_pattern import LazyPattern
from soapclient._support.redaction import shown
from soapclient._support.suggestions import nearest
from soapclient.auth.credentials import Secret, connect_id_problem, is_visible_ascii, secret_problem
from soapclient.errors import ConfigError
from soapclient.settings.addresses import ALLOWED as ALLOWED_ADDRESS
from soapclient.settings.addresses import AllowHttp, normal_address, refuse_appended, shown_address

T = TypeVar("T")

ENV_PREFIX: Final = "SOAPCLIENT_"
ONE_DAY: Final = 86_400


_HEADER_NAME: Final = LazyPattern(r"[A-Za-z0-9!#$%&'*+.^_`|~-]*")


class InvalidValue(ValueError):
    """Raised by the function `check` of a `Kind` for an invalid value.

    `reason` is the problem, such as "has no host". If it is "", the message only describes the allowed
    values: with the text `wanted` or, if `wanted` is "", with the text `allowed` of the kind.
    """

    def __init__(self, reason: str = "", wanted: str = "") -> None:
        super().__init__(reason)
        self.wanted = wanted


class Kind(NamedTuple):
    """The kind of a setting's values, such as an address: validates, parses and formats them.

    - `allowed`: description of the allowed values, for errors.
    - `check`: returns the validated value or raises ValueError. It must accept its own result.
    - `from_text`: converts the text of an environment variable. It returns invalid text unchanged, so that
      `check` refuses it.
    - `show`: formats a value for errors.
    - `printed`: formats a value for `soapclient config`.
    - `allowing`: takes the value of the setting `allow_http`, and returns the kind to use with this value.
      None if the kind does not depend on `allow_http`.

    >>> from soapclient import Settings
    >>> kind = next(item.kind for item in Settings.settings() if item.name == "attempts")
    >>> kind.from_text("3")
    3
    """

    allowed: str
    check: Callable[[object], object]
    from_text: Callable[[str], object] = str
    show: Callable[[object], str] = shown
    printed: Callable[[object], str] | None = None
    allowing: Callable[[AllowHttp], Kind] | None = None

    def problem(self, value: object, refusal: ValueError) -> str:
        """Return why `check` rejected a value, such as "must be true or false, got 3".

        `refusal` is the exception that `check` raised.
        """
        shown_value = self.show(value)
        if str(refusal) or not isinstance(refusal, InvalidValue):
            return f"must be {self.allowed}: {shown_value} {refusal}"
        wanted = refusal.wanted or self.allowed
        return (
            f"must be {wanted} (got {shown_value})"
            if ":" in wanted
            else f"must be {wanted}, got {shown_value}"
        )


class Setting(NamedTuple):
    """A setting: its name, kind, default and help line (`about`).

    `per_service`: True if the section of a service in the TOML file may contain the setting.

    >>> from soapclient import Settings
    >>> setting = next(item for item in Settings.settings() if item.name == "attempts")
    >>> setting.env, setting.default
    ('SOAPCLIENT_ATTEMPTS', 4)
    """

    name: str
    kind: Kind
    default: object
    about: str
    per_service: bool = True

    @property
    def env(self) -> str:
        """The name of the environment variable."""
        return ENV_PREFIX + self.name.upper()

    @property
    def where(self) -> str:
        """A sentence for errors that tells the user where to set the setting."""
        return (
            f"Set it as the argument {self.name}, the environment variable {self.env}, "
            f"or the key {self.name} in the TOML file"
        )

    def allowing(self, allow_http: AllowHttp) -> Setting:
        """Return a copy of the setting that also accepts http addresses of the hosts in `allow_http`.

        Returns the setting itself if its values are not addresses.
        """
        allowing = self.kind.allowing
        return self if allowing is None else self._replace(kind=allowing(allow_http))

    def read(self, value: object, place: str) -> object:
        """Validate and convert a value, and return it. `place` is its source, for the error.

        Raises ConfigError with the value, its source and the allowed values.
        """
        try:
            return self.kind.check(value)
        except ValueError as refusal:
            problem = f"{place} {self.kind.problem(value, refusal)}"
        raise ConfigError(self.name, problem, self.where)


def setting(default: T, kind: Kind, about: str, *, per_service: bool = True, hashable: bool = True) -> T:
    """Declare a dataclass field as a setting.

    The declared return type is the type of `default`, so that type checkers know the type of the field.
    `about` is the help line. `per_service` is True if the section of a service may contain the setting, and
    `hashable` if all values of the setting are hashable.
    """
    metadata = {"kind": kind, "about": about, "per_service": per_service}
    if isinstance(default, dict):  # excluded from the hash, because a dict is not hashable
        open_to_all = kind.printed is None  # otherwise, the values may be secrets
        table: T = dataclasses.field(  # type: ignore[assignment] # typed like its default, too
            default_factory=default.copy, metadata=metadata, hash=False, repr=open_to_all
        )
        return table
    return dataclasses.field(default=default, metadata=metadata, hash=None if hashable else False)


class SecretField:
    """The type of a secret field, for type checkers. Accepts a str or a Secret; returns a Secret.

    At runtime, `Setting.read` converts the value.
    """

    def __get__(self, owner: object, kind: type | None = None) -> Secret | None: ...

    def __set__(self, owner: object, value: str | Secret | None) -> None: ...


def secret_setting(kind: Kind, about: str) -> SecretField:
    """Declare a dataclass field as a setting for a secret. Its default is None."""
    # Not allowed in sections, because pickles, `replaced` and errors only hide secrets at the top level.
    return setting(None, kind, about, per_service=False)  # type: ignore[return-value] # as `setting`


_tables: Final[dict[type, Mapping[str, Setting]]] = {}


def settings_of(owner: type) -> Mapping[str, Setting]:
    """Return the settings of a settings class by name: first its own settings, then the inherited ones."""
    if owner in _tables:
        return _tables[owner]
    table = {}
    own = inspect.get_annotations(owner)
    for field in sorted(dataclasses.fields(owner), key=lambda field: field.name not in own):
        default = {} if field.default is dataclasses.MISSING else field.default
        table[field.name] = Setting(field.name, default=default, **field.metadata)
    _tables[owner] = MappingProxyType(table)
    return _tables[owner]


def _refuse_unless(condition: bool, problem: str = "", wanted: str = "") -> None:
    if not condition:
        raise InvalidValue(problem, wanted)


def _check_connect_id(value: object) -> object:
    _refuse_unless(connect_id_problem(value) is None)
    return value


def _check_secret(value: object) -> object:
    if isinstance(value, Secret):
        return value
    _refuse_unless(secret_problem(value) is None)
    return Secret(str(value))


def _hide(value: object) -> str:
    return "an empty string" if value == "" else f"a value of type {type(value).__name__} (not shown)"


# Connect IDs are not shown although they are not secret: users may enter the secret key instead, or both
# joined with a colon.
CONNECT_ID: Final = Kind("visible ASCII characters without spaces or colons", _check_connect_id, show=_hide)
SECRET: Final = Kind("a non-empty string that can be encoded as UTF-8", _check_secret, show=_hide)


def _check_name(value: object) -> object:
    _refuse_unless(isinstance(value, str) and value != "" and value.isprintable())
    return value


KEYRING: Final = Kind("the name of a service, such as soapclient", _check_name)


def address(*appended: str, allow_http: AllowHttp = False) -> Kind:
    """Return the kind of a setting that is a service's base address.

    - `appended`: path segments that the client appends to the address. The client also appends a version. An
      address that already ends with a version or with one of these segments is invalid.
    - `allow_http`: hosts that may have http addresses; True for all hosts.
    """

    def check(value: object) -> object:
        if not isinstance(value, str):
            raise InvalidValue
        return refuse_appended(normal_address(value, allow_http), appended=appended)

    return Kind(
        ALLOWED_ADDRESS,
        check,
        show=shown_address,
        allowing=lambda allowed: address(*appended, allow_http=allowed),
    )


def choice(*words: str) -> Kind:
    """Return the kind of a setting whose value must be one of `words` (case-sensitive)."""

    def check(value: object) -> object:
        _refuse_unless(isinstance(value, str) and value in words, wanted=f"one of: {listed}")
        return value

    listed = ", ".join(words)
    return Kind(listed, check)


def integer(least: int, most: int) -> Kind:
    """Return the kind of a setting whose value is an integer from `least` to `most`."""

    def check(value: object) -> object:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise InvalidValue
        return value

    return Kind(f"a whole number from {least} to {most}", check, number)


def number(text: str) -> object:
    """Convert a text to a number. Return the text if it is not a number."""
    # int() and float() would also accept 1_000, Arabic digits and nan.
    if re.fullmatch(r"-?[0-9]{1,18}", text):
        return int(text)
    return float(text) if re.fullmatch(r"-?[0-9]{1,18}\.[0-9]{1,18}", text) else text


def _check_flag(value: object) -> object:
    _refuse_unless(isinstance(value, bool))
    return value


def flag(text: str) -> object:
    """Convert a text to True or False. Return the text if it is neither."""
    return {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}.get(
        text.lower(), text
    )


FLAG: Final = Kind("true or false", _check_flag, flag)


def _check_texts(value: object) -> object:
    if not isinstance(value, list | tuple):
        raise InvalidValue
    for item in value:
        proper = isinstance(item, str) and item and is_visible_ascii(item) and "," not in item
        _refuse_unless(bool(proper), f"has the invalid entry {shown(item)}")
    return tuple(value)


CODES: Final = Kind(
    "a list of codes: visible ASCII characters without commas (in the environment: code,code)",
    _check_texts,
    lambda text: [entry.strip() for entry in text.split(",")],
)


def _check_path(value: object) -> object:
    if not isinstance(value, str | os.PathLike):
        raise InvalidValue
    path = os.fspath(value)
    _refuse_unless(isinstance(path, str) and path != "" and "\0" not in path)
    return path


PATH: Final = Kind("the path of a file", _check_path)
FOLDER: Final = Kind("the path of a folder", _check_path)


def _check_user_agent(value: object) -> object:
    _refuse_unless(isinstance(value, str))
    _refuse_unless(all(is_visible_ascii(word) for word in str(value).split(" ")))
    return value


USER_AGENT: Final = Kind("visible ASCII characters and spaces", _check_user_agent)


def _check_header_name(value: object) -> object:
    _refuse_unless(isinstance(value, str) and _HEADER_NAME.fullmatch(value) is not None)
    return "" if value == "off" else value


HEADER_NAME: Final = Kind("the name of an HTTP header, or off", _check_header_name)


def names_of(*services: str) -> Kind:
    """Return the kind of a setting that is a dict from service to name. Its keys must be in `services`."""

    def check(value: object) -> object:
        _refuse_unless(isinstance(value, Mapping))
        names = dict(value) if isinstance(value, Mapping) else {}
        for contract, name in names.items():
            proper = isinstance(contract, str) and isinstance(name, str) and name and is_visible_ascii(name)
            _refuse_unless(bool(proper), f"has the invalid entry {shown(contract)} = {shown(name)}")
            hint = nearest(str(contract), services)
            _refuse_unless(contract in services, f"has the unknown service {shown(contract)}{hint}")
        return names

    listed = " or ".join(services)
    return Kind(
        f'service = "name" pairs for {listed} (in the environment: publisher=name,data=name)', check, pairs
    )


def pairs(text: str) -> object:
    """Convert a text such as `a=1,b=2` to a dict. Return the text if it has another form."""
    entries = [entry.strip().partition("=") for entry in text.split(",")]
    if not all(name and separator and value for name, separator, value in entries):
        return text
    return {name.strip(): value.strip() for name, _, value in entries}
