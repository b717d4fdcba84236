"""The base class of all settings classes: it loads, validates, copies and pickles settings."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib import import_module
from typing import Any, Final, Self, cast

from soapclient._support.redaction import conceal
from soapclient._support.suggestions import nearest
from soapclient.errors import ConfigError
from soapclient.services import services
from soapclient.settings.addresses import AllowHttp
from soapclient.settings.settings import Setting, settings_of
from soapclient.settings.sources import (
    FILE_VARIABLE,
    PROFILE_VARIABLE,
    SECRETS,
    from_arguments,
    from_environment,
    from_file,
)
from soapclient.settings.transport import with_values, without_values

_SECTIONS: Final = "services"


class LoadedSettings:
    """Base class of dataclasses whose fields are settings.

    The settings are validated on construction. ConfigError names the setting, its source and the allowed
    values.
    """

    headers: Mapping[str, str]
    services: Mapping[str, Mapping[str, object]]

    def __post_init__(self) -> None:
        try:
            self._check()
        except ConfigError as error:
            conceal(error)
            raise

    def _check(self) -> None:
        table = settings_of(type(self))
        allowed = table["allow_http"].read(vars(self)["allow_http"], "the argument allow_http")
        for item in table.values():
            value = getattr(self, item.name)
            if value is not None or item.default is not None:
                read = item.allowing(cast("AllowHttp", allowed)).read(value, f"the argument {item.name}")
                object.__setattr__(self, item.name, read)
        sections = {
            service: {
                name: self._in_section(table, service, name).read(value, f"services.{service}.{name}")
                for name, value in section.items()
            }
            for service, section in self.services.items()
        }
        object.__setattr__(self, _SECTIONS, sections)

    @classmethod
    def _in_section(cls, table: Mapping[str, Setting], service: str, name: str) -> Setting:
        """Return the setting that belongs to the key `name` in the TOML section `[services.SERVICE]`.

        `table` has all settings by name. Raises ConfigError if the key has no effect in the section.
        """
        if name in table and table[name].per_service:
            return table[name]
        where = f"services.{service}.{name}"
        own = {full.removeprefix(f"{service}_") for full in table if full.startswith(f"{service}_")}
        if name in table or name in own:
            full = name if name in table else f"{service}_{name}"
            raise ConfigError(where, "cannot be set in the section of a service", f"Set {full} instead")
        names = own | {full for full, item in table.items() if item.per_service}
        raise ConfigError(
            where,
            f"is not a setting{nearest(name, names)}",
            f"A section may have: {', '.join(sorted(names))}",
        )

    def for_service(self, name: str) -> Self:
        """Return the settings of one service. Its section `[services.NAME]` overrides the common settings."""
        section = self.services.get(name)
        return self.replaced(**section) if section else self

    def carrying_secrets(self) -> Self:
        """Return a copy whose pickles contain the secrets.

        By default, pickles do not contain secrets. The process that unpickles settings takes the secrets from
        its own environment or TOML file. It does so only if its own connect ID equals the connect ID in the
        pickle. The values of headers with names such as X-Api-Key are secrets, too.
        """
        same = self.replaced()
        object.__setattr__(same, "_carrying", True)
        return same

    def replaced(self, **others: Any) -> Self:
        """Return a copy in which some settings have other values.

        The new values also apply to services whose section `[services.NAME]` has these settings. If pickles
        of the original contain secrets, pickles of the copy do, too.
        """
        if _SECTIONS not in others and self.services:
            others[_SECTIONS] = _without(self.services, others)
        same: Any = self  # every subclass is a dataclass
        settings: Self = dataclasses.replace(same, **others)
        if self.__dict__.get("_carrying", False):
            object.__setattr__(settings, "_carrying", True)
        return settings

    def __getstate__(self) -> dict[str, object]:
        carrying = self.__dict__.get("_carrying", False)
        if carrying:
            return dict(vars(self))
        state: dict[str, object] = {
            name: None if name in SECRETS else value for name, value in vars(self).items()
        }
        sections = {name: _without_secrets(section) for name, section in self.services.items()}
        return state | {"headers": without_values(self.headers), _SECTIONS: sections}

    def __setstate__(self, state: Mapping[str, object]) -> None:
        own: Mapping[str, object] = {}
        headers = cast("Mapping[str, str | None]", state["headers"])
        sections = cast("Mapping[str, Mapping[str, Any]]", state[_SECTIONS])
        lacking = any(None in section.get("headers", {}).values() for section in sections.values())
        if (
            lacking
            or None in headers.values()
            or any(state.get(name) is None for name in SECRETS & state.keys())
        ):
            with suppress(ConfigError):  # a call that needs a missing secret reports it
                own = {name: value for name, (value, _) in self._found(None, None, None, {}).items()}
        same = own.get("connect_id") == state.get("connect_id")
        for name, value in state.items():
            taken = own.get(name) if value is None and same and name in SECRETS else value
            object.__setattr__(self, name, taken)
        theirs = cast("Mapping[str, str]", own.get("headers", {})) if same else {}
        object.__setattr__(self, "headers", with_values(headers, theirs))
        in_sections = cast("Mapping[str, Mapping[str, Any]]", own.get(_SECTIONS, {})) if same else {}
        restored = {
            name: {
                **section,
                "headers": with_values(section["headers"], in_sections.get(name, {}).get("headers", {})),
            }
            if "headers" in section
            else section
            for name, section in sections.items()
        }
        object.__setattr__(self, _SECTIONS, restored)

    def __copy__(self) -> Self:
        return self  # immutable

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
        """Load the settings. Arguments override the environment, which overrides the TOML file.

        - `file`: the TOML file, by default the file in SOAPCLIENT_CONFIG. No other file is read.
        - `profile`: the name of a table in the file's `[profiles]`, by default SOAPCLIENT_PROFILE. Its keys
          override the rest of the file.
        - `environ`: the environment variables, by default os.environ.
        - `arguments`: settings by name.

        Raises ConfigError if a value is invalid or the file cannot be read.
        """
        try:
            values = cls._found(file, profile, environ, arguments)
        except ConfigError as error:
            conceal(error)
            environ, arguments = None, {}  # so that tracebacks with local variables do not show secrets
            raise
        validated: Callable[..., Self] = cls  # the types are validated by the settings' kinds
        return validated(**{name: value for name, (value, _) in values.items()})

    @classmethod
    def sources(
        cls,
        *,
        file: str | os.PathLike[str] | None = None,
        profile: str | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> dict[str, str]:
        """Return the source of each setting, by name: an environment variable, or the file and profile.

        Settings with their default value are omitted. The arguments are the same as for `load`. Raises the
        same errors as `load`.
        """
        try:
            return {name: where for name, (_, where) in cls._found(file, profile, environ, {}).items()}
        except ConfigError as error:
            conceal(error)
            environ = None  # so that tracebacks with local variables do not show secrets
            raise

    @classmethod
    def _found(
        cls,
        file: str | os.PathLike[str] | None,
        profile: str | None,
        environ: Mapping[str, str] | None,
        arguments: Mapping[str, object],
    ) -> dict[str, tuple[object, str]]:
        """Return the settings that are set by a source, as a dict: name → (value, source)."""
        environ = os.environ if environ is None else environ
        table, keys = settings_of(cls), cls.of_all_services()
        place = f"the file {os.fspath(file or environ.get(FILE_VARIABLE, ''))}"
        origin = f"{place}, profile {profile or environ.get(PROFILE_VARIABLE)}"

        def read(settings: Mapping[str, Setting]) -> dict[str, tuple[object, str]]:
            in_profile, in_file = from_file(settings, file, environ, keys, profile)
            values: dict[str, tuple[object, str]] = {}
            sections: dict[str, dict[str, object]] = {}
            for layer, where in (
                (from_arguments(settings, arguments, table), "an argument"),
                (from_environment(settings, environ), ""),
                (in_profile, origin),
                (in_file, place),
            ):
                of_services = cast("Mapping[str, Mapping[str, object]]", layer.get(_SECTIONS, {}))
                flat, inner = cls._sorted(settings, keys, layer, of_services, where or table[_SECTIONS].env)
                for service, section in _without(inner, values).items():
                    sections[service] = {**section, **sections.get(service, {})}
                settled = values.keys() | cls._follow_from(values)
                new = {name: value for name, value in flat.items() if name not in settled}
                values |= {name: (value, where or table[name].env) for name, value in new.items()}
            if _SECTIONS in values:
                values[_SECTIONS] = sections, values[_SECTIONS][1]
            return values

        # `allow_http` must be known before addresses are read.
        allowed, _ = read({"allow_http": table["allow_http"]}).get("allow_http", (False, ""))
        return read({name: item.allowing(cast("AllowHttp", allowed)) for name, item in table.items()})

    @classmethod
    def _sorted(
        cls,
        table: Mapping[str, Setting],
        keys: frozenset[str],
        layer: Mapping[str, object],
        sections: Mapping[str, Mapping[str, object]],
        place: str,
    ) -> tuple[dict[str, object], dict[str, dict[str, object]]]:
        """Return the settings of one source in two dicts: name → value, and service → (name → value).

        The first dict has the settings for all services, the second dict the settings of its sections.

        - `layer`: the settings of the source. `sections`: its sections `[services.NAME]`, by name.
        - `table`: the declarations of the settings, by name.
        - `keys`: all allowed names, including settings of other services.
        - `place`: the name of the source, for errors.

        A key such as `url` in `[services.publisher]` is returned as `publisher_url` if there is a
        setting of this name. Raises ConfigError if a key or a value is invalid, or if a setting is
        set twice.
        """
        flat, inner = dict(layer), dict[str, dict[str, object]]()
        for service, section in sections.items():
            for name, value in section.items():
                full, here = f"{service}_{name}", f"{place}, key services.{service}.{name},"
                if full in flat:
                    raise ConfigError(
                        full,
                        f"{place} sets it twice",
                        f"Keep either {full} or services.{service}.{name}",
                    )
                if full in table:
                    flat[full] = table[full].read(value, here)
                elif full not in keys:  # otherwise, the key belongs to another service
                    read = cls._in_section(table, service, name).read(value, here)
                    inner.setdefault(service, {})[name] = read
        return flat, inner

    @classmethod
    def settings(cls) -> tuple[Setting, ...]:
        """Return all settings: name, environment variable, default, kind and a help line for each."""
        return tuple(settings_of(cls).values())

    @classmethod
    def of_all_services(cls) -> frozenset[str]:
        """Return the names of the settings of all services. All of them are allowed as keys in a TOML file.

        This allows the clients of several services to share a file.
        """
        of_services = (
            import_module(service.settings).Settings for service in services().values() if service.settings
        )
        return frozenset().union(settings_of(cls), *map(settings_of, of_services))

    @classmethod
    def _follow_from(cls, values: Mapping[str, object]) -> frozenset[str]:
        """Return the names of settings whose values are derived from `values`, the settings of one source.

        `load` ignores settings with these names in all sources that have a lower priority than this source.
        Subclasses override this method.
        """
        return frozenset()


def _without(
    sections: Mapping[str, Mapping[str, object]], names: Mapping[str, object]
) -> dict[str, dict[str, object]]:
    """Return a copy of `sections` without the settings in `names`."""
    return {
        service: {name: value for name, value in section.items() if name not in names}
        for service, section in sections.items()
    }


def _without_secrets(section: Mapping[str, Any]) -> dict[str, Any]:
    return {name: without_values(value) if name == "headers" else value for name, value in section.items()}
