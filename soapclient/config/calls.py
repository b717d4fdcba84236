# ruff: noqa: RUF009 - setting() declares a field, as dataclasses.field does
"""The settings of calls, those of our services and of any other: one table, one reader."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, Self

from soapclient.config.settings import (
    PATH,
    USER_AGENT,
    Setting,
    choice,
    integer,
    seconds,
    setting,
    settings_of,
)
from soapclient.config.sources import (
    FILE_VARIABLE,
    PROFILE_VARIABLE,
    from_arguments,
    from_environment,
    from_file,
)

_GIB: Final = 2**30


@dataclass(frozen=True, kw_only=True)
class CallSettings:
    """Validated on construction; ConfigError names the setting, its source and what is allowed."""

    timeout: float = setting(60.0, seconds(), "of one call with all its attempts, in seconds")
    connect_timeout: float = setting(10.0, seconds(), "of one connection, in seconds")
    attempts: int = setting(4, integer(1, 20), "most attempts of a safe operation")
    max_response_bytes: int = setting(
        _GIB, integer(1, 2**50), "largest response that is read, decompressed, in bytes"
    )
    validate: Literal["requests", "all", "off"] = setting(
        "requests",
        choice("requests", "all", "off"),
        "what is validated against the schema (responses: XML only)",
    )
    drift: Literal["tolerate", "warn", "error"] = setting(
        "warn",
        choice("tolerate", "warn", "error"),
        "what contract drift leads to; findings are always counted",
    )
    drift_log: str | os.PathLike[str] | None = setting(None, PATH, "file for drift findings, as JSON lines")
    user_agent: str = setting("", USER_AGENT, "appended to the User-Agent header")

    def __post_init__(self) -> None:
        for each in self.settings():
            value = getattr(self, each.name)
            if value is not None or each.default is not None:
                object.__setattr__(self, each.name, each.read(value, f"the argument {each.name}"))

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
        environ = os.environ if environ is None else environ
        table = settings_of(cls)
        outside = {name: each for name, each in table.items() if not each.argument_only}
        values: dict[str, object] = {}
        for layer in (
            from_arguments(table, arguments),
            from_environment(outside, environ),
            *from_file(outside, file, environ, cls._keys(), profile),
        ):
            settled = values.keys() | cls._follow_from(values)
            values |= {name: value for name, value in layer.items() if name not in settled}
        validated: Callable[..., Self] = cls  # the table has validated the types
        return validated(**values)

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
        environ = os.environ if environ is None else environ
        outside = {name: each for name, each in settings_of(cls).items() if not each.argument_only}
        place = f"the file {os.fspath(file or environ.get(FILE_VARIABLE, ''))}"
        named = f"{place}, profile {profile or environ.get(PROFILE_VARIABLE)}"
        in_profile, in_file = from_file(outside, file, environ, cls._keys(), profile)
        variables = from_environment(outside, environ)
        found: dict[str, str] = {}
        values: dict[str, object] = {}
        for layer, where in ((variables, ""), (in_profile, named), (in_file, place)):
            settled = values.keys() | cls._follow_from(values)
            found |= {name: where or outside[name].env for name in layer if name not in settled}
            values |= {name: value for name, value in layer.items() if name not in settled}
        return found

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
