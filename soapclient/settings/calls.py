# ruff: noqa: RUF009 - setting() declares a field, as dataclasses.field does
"""The settings of calls, those of our services and of any other: one table, one reader."""

from __future__ import annotations

import dataclasses
import inspect
import os
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, Literal, Self, TypedDict, TypeVar, cast

from soapclient._support.redaction import conceal, shown
from soapclient.auth.credentials import Secret
from soapclient.errors import ConfigError
from soapclient.settings.addresses import AllowHttp
from soapclient.settings.settings import (
    HEADER_NAME,
    PATH,
    USER_AGENT,
    SecretField,
    Setting,
    choice,
    integer,
    nearest,
    seconds,
    secret_setting,
    setting,
    settings_of,
)
from soapclient.settings.sources import (
    FILE_VARIABLE,
    PROFILE_VARIABLE,
    from_arguments,
    from_environment,
    from_file,
)
from soapclient.settings.transport import (
    CERTIFICATE,
    HEADERS,
    HOSTS,
    PROXIES,
    PROXY_CREDENTIALS,
    REACHED,
    VERIFY,
    Certificate,
    with_values,
    without_values,
)

SettingsT = TypeVar("SettingsT", bound="CallSettings")

_MIB: Final = 2**20
_GIB: Final = 2**30
_SECRETS: Final = frozenset({"secret_key", "proxy_credentials"})


class TransportArguments(TypedDict, total=False):
    """The transport settings as arguments of `Client` and `connect`, each as CallSettings has it."""

    deadline: float | None
    timeout: float | None
    connect_timeout: float | None
    attempts: int | None
    verify: bool | str | None
    certificate: Certificate | None
    proxies: str | Mapping[str, str] | None
    proxy_credentials: str | Secret | None
    headers: Mapping[str, str] | None
    user_agent: str | None
    request_id_header: str | None
    pool_size: int | None
    allow_http: bool | Collection[str] | None
    allow_private: bool | Collection[str] | None


@dataclass(frozen=True, kw_only=True)
class CallSettings:
    """Validated on construction; ConfigError names the setting, its source and what is allowed."""

    deadline: float = setting(60.0, seconds(), "of one call with all its attempts, in seconds")
    timeout: float | None = setting(
        None, seconds(), "of one attempt, in seconds; if not set, two thirds of what is left of the deadline"
    )
    connect_timeout: float = setting(10.0, seconds(), "of one connection, in seconds")
    attempts: int = setting(4, integer(1, 20), "most attempts of a safe operation")
    verify: bool | str = setting(True, VERIFY, "whose certificates a service may have")
    certificate: Certificate | None = setting(None, CERTIFICATE, "the client's certificate, for mutual TLS")
    proxies: str | Mapping[str, str] | None = setting(
        None,
        PROXIES,
        "the way to the services; if not set, HTTPS_PROXY, HTTP_PROXY and NO_PROXY say it",
        hashable=False,
    )
    proxy_credentials: SecretField = secret_setting(
        PROXY_CREDENTIALS, "user and password for the proxies of `proxies`, never shown"
    )
    headers: Mapping[str, str] = setting({}, HEADERS, "HTTP headers of each request; values are not shown")
    user_agent: str = setting("", USER_AGENT, "appended to the User-Agent header")
    pool_size: int = setting(32, integer(1, 1000), "connections to one host that are kept open")
    allow_http: bool | Collection[str] = setting(
        (), HOSTS, "hosts that may be called without TLS, besides this machine"
    )
    allow_private: bool | Collection[str] = setting(
        (),
        REACHED,
        "what files and contracts may be fetched from although it is not in the public networks, "
        "besides the configured hosts",
    )
    max_response_bytes: int = setting(
        64 * _MIB,
        integer(1, 2**50),
        "largest response that is read, decompressed, in bytes; of a stream, what may be held of it at once",
    )
    max_response_nodes: int = setting(
        2_000_000,
        integer(1, 2**50),
        "most tags and attributes (XML) or values (JSON) of a response; of a stream, of what is held at once",
    )
    max_response_parts: int = setting(1000, integer(1, 2**31), "most parts of a response with attachments")
    max_compression_ratio: int = setting(
        200,
        integer(1, 2**31),
        "most bytes, of more than 1 MiB, that each byte of a compressed body may become",
    )
    max_download_bytes: int = setting(
        8 * _GIB, integer(1, 2**50), "largest file of an export that is downloaded, compressed, in bytes"
    )
    validate: Literal["requests", "all", "off"] = setting(
        "requests",
        choice("requests", "all", "off"),
        "what is validated against the schema (responses: XML only)",
    )
    on_invalid_value: Literal["error", "skip"] = setting(
        "error",
        choice("error", "skip"),
        "an invalid value of an optional field in a response: raise an error, or report it and read None",
    )
    drift: Literal["tolerate", "warn", "error"] = setting(
        "warn",
        choice("tolerate", "warn", "error"),
        "what contract drift leads to; findings are always counted",
    )
    drift_log: str | os.PathLike[str] | None = setting(None, PATH, "file for drift findings, as JSON lines")
    request_id_header: str = setting(
        "X-Request-ID", HEADER_NAME, "header with the id of each call; off: none is sent"
    )

    def __post_init__(self) -> None:
        try:
            self._check()
        except ConfigError as error:
            conceal(error)
            raise

    def _check(self) -> None:
        table = settings_of(type(self))
        allowed = table["allow_http"].read(self.allow_http, "the argument allow_http")
        for each in table.values():
            value = getattr(self, each.name)
            if value is not None or each.default is not None:
                read = each.allowing(cast("AllowHttp", allowed)).read(value, f"the argument {each.name}")
                object.__setattr__(self, each.name, read)

    def carrying_secrets(self) -> Self:
        """Return the same settings, whose pickles carry the secrets.

        Those of others do not: the process that loads one takes the secrets from its own environment or file,
        if these are of the same account. A header is one by its name, such as X-Api-Key.
        """
        same = dataclasses.replace(self)
        object.__setattr__(same, "_carrying", True)
        return same

    def replaced(self, **others: Any) -> Self:
        """Return the same settings with some others; their pickles carry secrets if those of these do."""
        settings = dataclasses.replace(self, **others)
        return settings.carrying_secrets() if self.__dict__.get("_carrying", False) else settings

    def __getstate__(self) -> dict[str, object]:
        carrying = self.__dict__.get("_carrying", False)
        if carrying:
            return dict(vars(self))
        state: dict[str, object] = {
            name: None if name in _SECRETS else value for name, value in vars(self).items()
        }
        return state | {"headers": without_values(self.headers)}

    def __setstate__(self, state: Mapping[str, object]) -> None:
        own: Mapping[str, object] = {}
        headers = cast("Mapping[str, str | None]", state["headers"])
        if None in headers.values() or any(state.get(name) is None for name in _SECRETS & state.keys()):
            with suppress(ConfigError):  # what is lacking is said by the call that needs it
                own = {name: value for name, (value, _) in self._found(None, None, None, {}).items()}
        same = own.get("connect_id") == state.get("connect_id")
        for name, value in state.items():
            taken = own.get(name) if value is None and same and name in _SECRETS else value
            object.__setattr__(self, name, taken)
        theirs = cast("Mapping[str, str]", own.get("headers", {})) if same else {}
        object.__setattr__(self, "headers", with_values(headers, theirs))

    def __copy__(self) -> Self:
        return self  # it cannot be changed

    def __deepcopy__(self, memo: object) -> Self:
        return self

    @classmethod
    def load(
        cls,
        *,
        file: str | os.PathLike[str] | None = None,
        profile: str | None = None,
        environ: Mapping[str, str] | None = None,
        **arguments: object,
    ) -> Self:
        """Load the settings: arguments precede the environment, and that the TOML file.

        `file` is the TOML file, by default the one of SOAPCLIENT_CONFIG; no other file is read. `profile` is
        the name of a table in the file's `[profiles]`, by default that of SOAPCLIENT_PROFILE: its keys
        precede those outside it. `environ` is by default os.environ.
        """
        try:
            found = cls._found(file, profile, environ, arguments)
        except ConfigError as error:
            conceal(error)
            environ, arguments = None, {}  # nor has this frame anything to show
            raise
        validated: Callable[..., Self] = cls  # the table has validated the types
        return validated(**{name: value for name, (value, _) in found.items()})

    @classmethod
    def sources(
        cls,
        *,
        file: str | os.PathLike[str] | None = None,
        profile: str | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> dict[str, str]:
        """Return where `load` takes each setting from that is set: setting → variable, or place in the file.

        Raises ConfigError as `load` does.
        """
        try:
            return {name: where for name, (_, where) in cls._found(file, profile, environ, {}).items()}
        except ConfigError as error:
            conceal(error)
            environ = None  # nor has this frame anything to show
            raise

    @classmethod
    def _found(
        cls,
        file: str | os.PathLike[str] | None,
        profile: str | None,
        environ: Mapping[str, str] | None,
        arguments: Mapping[str, object],
    ) -> dict[str, tuple[object, str]]:
        """Each setting that is set: its value, and where it comes from."""
        environ = os.environ if environ is None else environ
        table, keys = settings_of(cls), cls._keys()
        place = f"the file {os.fspath(file or environ.get(FILE_VARIABLE, ''))}"
        named = f"{place}, profile {profile or environ.get(PROFILE_VARIABLE)}"

        def read(wanted: Mapping[str, Setting]) -> dict[str, tuple[object, str]]:
            outside = {name: each for name, each in wanted.items() if not each.argument_only}
            in_profile, in_file = from_file(outside, file, environ, keys, profile)
            found: dict[str, tuple[object, str]] = {}
            for layer, where in (
                (from_arguments(wanted, arguments, table), "an argument"),
                (from_environment(outside, environ), ""),
                (in_profile, named),
                (in_file, place),
            ):
                settled = found.keys() | cls._follow_from(found)
                new = {name: value for name, value in layer.items() if name not in settled}
                found |= {name: (value, where or table[name].env) for name, value in new.items()}
            return found

        # What addresses may be without TLS has to be known before these are read.
        allowed, _ = read({"allow_http": table["allow_http"]}).get("allow_http", (False, ""))
        return read({name: each.allowing(cast("AllowHttp", allowed)) for name, each in table.items()})

    @classmethod
    def settings(cls) -> tuple[Setting, ...]:
        """Return the table of settings: name, environment variable, default, kind and a line about each."""
        return tuple(settings_of(cls).values())

    @classmethod
    def _keys(cls) -> frozenset[str]:
        """The keys that a TOML file may have."""
        return frozenset(settings_of(cls))

    @classmethod
    def _follow_from(cls, values: Mapping[str, object]) -> frozenset[str]:
        """The settings that are settled by `values`, besides those themselves."""
        return frozenset()


def _kind_of(value: object) -> str:
    """Return what an error calls a value that it does not show: it may hold secrets."""
    return f"the class {value.__name__}" if isinstance(value, type) else type(value).__name__


def with_transport(
    kind: type[SettingsT],
    settings: SettingsT | None,
    given: TransportArguments,
    taker: Callable[..., object],
) -> SettingsT:
    """Settings with some transport settings in place of theirs; without any, those that `kind` loads.

    `taker` is what the user called, whose other arguments a name may have meant.
    """
    arguments: Mapping[str, object] = given
    known = TransportArguments.__annotations__
    for name in arguments.keys() - known.keys():
        meant = [each for each in inspect.signature(taker).parameters if each not in {"self", "given"}]
        said = f"there is no argument {shown(name)}{nearest(name, [*known, *meant])}"
        advice = f"Transport settings are: {', '.join(known)}"
        if name in settings_of(kind):
            said, advice = "is no argument here", f"Give it in the settings: {kind.__name__}.load({name}=…)"
        raise ConfigError(name, said, advice)
    if settings is None:
        return kind.load(file=None, profile=None, environ=None, **arguments)
    if not isinstance(settings, kind):
        name = "config" if "config" in inspect.signature(taker).parameters else "settings"
        advice = f"Pass {kind.__name__}.load(…). Without it, settings come from the environment"
        raise ConfigError(name, f"must be a {kind.__name__}, got {_kind_of(settings)}", advice)
    others: Mapping[str, Any] = {name: value for name, value in arguments.items() if value is not None}
    return settings.replaced(**others) if others else settings
