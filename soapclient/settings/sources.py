"""Sources of settings: arguments, the environment, a TOML file. Errors name the source of a value."""

from __future__ import annotations

import logging
import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from soapclient._support import speedups
from soapclient._support.redaction import shown
from soapclient._support.secret_names import is_secret
from soapclient._support.suggestions import nearest
from soapclient._support.toml import tables_of
from soapclient.errors import ConfigError
from soapclient.settings.kinds import located
from soapclient.settings.settings import ENV_PREFIX, Setting

FILE_VARIABLE: Final = ENV_PREFIX + "CONFIG"
PROFILE_VARIABLE: Final = ENV_PREFIX + "PROFILE"
_TABLE: Final = "soapclient"
_PROFILES: Final = "profiles"
SECRETS: Final = frozenset({"secret_key", "proxy_credentials"})

log = logging.getLogger(__name__)
_warned: set[str] = set()


def from_arguments(
    table: Mapping[str, Setting], arguments: Mapping[str, object], keys: Collection[str]
) -> dict[str, object]:
    """Return the validated settings that the caller passed as arguments, without arguments that are None.

    `table`: the settings to read. `keys`: all names that are allowed. Raises ConfigError for another name or
    an invalid value.
    """
    for name in arguments:
        _refuse_unknown(name, keys, f"the argument {name}")
    present = {name: value for name, value in arguments.items() if value is not None and name in table}
    return {name: table[name].read(value, f"the argument {name}") for name, value in present.items()}


def unknown_variables(
    known: Iterable[Setting], environ: Iterable[str], others: Iterable[str]
) -> Iterator[tuple[str, str]]:
    """Yield environment variables that begin with SOAPCLIENT_, but are neither in `known` nor in `others`.

    `known` are the settings, `others` the names of further variables that are used. Yields pairs of the
    variable and a hint, which is `; did you mean …?` or an empty string.
    """
    names = {setting.env for setting in known} | {FILE_VARIABLE, PROFILE_VARIABLE, speedups.VARIABLE}
    for name in sorted(set(environ) - names - set(others)):
        if name.startswith(ENV_PREFIX):
            yield name, nearest(name, sorted(names), prefix=ENV_PREFIX)


def from_environment(table: Mapping[str, Setting], environ: Mapping[str, str]) -> dict[str, object]:
    """Return the validated settings in `table` that environment variables set.

    Empty variables are ignored.
    """
    return {
        setting.name: setting.read(setting.kind.from_text(text), setting.env)
        for setting in table.values()
        if (text := environ.get(setting.env, "")) != ""
    }


def from_file(
    table: Mapping[str, Setting],
    file: str | os.PathLike[str] | None,
    environ: Mapping[str, str],
    keys: Collection[str],
    profile: str | None = None,
) -> tuple[dict[str, object], dict[str, object]]:
    """Return the validated settings of a TOML file in two parts: the chosen profile, and the rest.

    Settings are at the top level or in the table `[soapclient]`. The name of a nested table is joined with
    its keys (`[advertiser] partner_codes` is `advertiser_partner_codes`).

    - `table`: the settings to read.
    - `file`: by default the file in SOAPCLIENT_CONFIG. If that is not set either, no file is read.
    - `profile`: a table in `[profiles]`, by default SOAPCLIENT_PROFILE. If that is not set either, no profile
      is used.
    - `keys`: the allowed keys. Keys that are not in `table` belong to other services and are ignored.
    """
    path = file if file is not None else environ.get(FILE_VARIABLE) or None
    source = "the argument profile" if profile is not None else PROFILE_VARIABLE
    if profile == "":  # an empty file name is most likely a mistake, unlike an empty variable
        raise ConfigError("profile", f"{source} is empty", "Name a profile, or omit it to use none")
    profile = profile if profile is not None else environ.get(PROFILE_VARIABLE) or None
    if path is None:
        if profile is None:
            return {}, {}
        problem = f"{source} names {shown(profile)}, but no TOML file is configured"
        advice = f"Pass the path of a TOML file as file=, or set {FILE_VARIABLE} to the path"
        raise ConfigError("profile", problem, advice)
    place = f"the file {os.fspath(path)}"
    top = _parsed(Path(path), place)
    _warn_if_open(Path(path).expanduser(), top)
    inner = _table_in(top, _TABLE, place)
    profiles = _table_in(top, _PROFILES, place) | _table_in(inner, _PROFILES, place)
    if profile is not None and profile not in profiles:
        problem = f"{source} names {shown(profile)}, which {place} does not have{nearest(profile, profiles)}"
        listed = ", ".join(profiles) or "none"
        raise ConfigError(
            "profile", problem, f"Its profiles are: {listed}; add a table [{_PROFILES}.{profile}]"
        )
    chosen: dict[str, object] = {}
    for name in list(profiles):  # check all profiles, so that mistakes show before a profile is used
        parts = ((_table_in(profiles, name, place), f"{_PROFILES}.{name}."),)
        values = _values(table, parts, keys, place)
        chosen = values if name == profile else chosen
    in_file = _values(table, ((top, ""), (inner, f"{_TABLE}.")), keys, place)
    folder = Path(path).expanduser().absolute().parent
    return _located(chosen, folder), _located(in_file, folder)


def _located(values: dict[str, object], folder: Path) -> dict[str, object]:
    """Change relative paths in the tables `[security]` of `values` to paths in `folder`.

    `values` are the settings of a file in this folder. Returns the changed `values`.
    """
    keys, sections = values.get("security"), values.get("services")
    if isinstance(keys, Mapping):
        values["security"] = located(keys, folder)
    if isinstance(sections, Mapping):
        values["services"] = {name: _located(dict(section), folder) for name, section in sections.items()}
    return values


def profiles_in(file: str | os.PathLike[str] | None, environ: Mapping[str, str] | None = None) -> list[str]:
    """Return the names of the profiles in a TOML file, in the file's order.

    `file` is by default the file in SOAPCLIENT_CONFIG; without a file, there is no profile. `environ` are the
    environment variables, by default os.environ. Raises ConfigError if the file cannot be read.
    """
    path = file if file is not None else (os.environ if environ is None else environ).get(FILE_VARIABLE)
    if not path:
        return []
    place = f"the file {os.fspath(path)}"
    top = _parsed(Path(path), place)
    inner = _table_in(top, _TABLE, place)
    return list(_table_in(top, _PROFILES, place) | _table_in(inner, _PROFILES, place))


def _warn_if_open(path: Path, document: Mapping[str, object]) -> None:
    """Warn if other users can read or change a file that contains a secret. Logs only once per file."""
    if os.name != "posix" or str(path) in _warned or not has_secret(document):
        return
    if path.stat().st_mode & 0o066:
        _warned.add(str(path))
        log.warning("%s contains a secret, but other users can read or change it: chmod 600 %s", path, path)


def has_secret(document: Mapping[str, object]) -> bool:
    """Return True if a TOML document sets a secret.

    The name of a secret may be split, as in `[proxy] credentials`. A header with a secret name counts, too.
    """
    return any(
        has_secret(value)
        or any(f"{name}_{inner}" in SECRETS and text for inner, text in value.items())
        or (name == "headers" and any(is_secret(inner) and text for inner, text in value.items()))
        if isinstance(value, dict)
        else name in SECRETS and bool(value)
        for name, value in document.items()
    )


def _values(
    table: Mapping[str, Setting],
    parts: Iterable[tuple[Mapping[str, object], str]],
    keys: Collection[str],
    place: str,
) -> dict[str, object]:
    """Return the validated settings in several TOML tables of one file.

    - `table`: the settings to read, by name.
    - `parts`: pairs of a TOML table and a prefix. Errors show the prefix before the keys of the table.
    - `keys`: the allowed keys. `place`: the name of the file, for errors.

    Raises ConfigError for an unknown key, or if two TOML tables have the same setting.
    """
    values: dict[str, object] = {}
    for part, prefix in parts:
        for name, value in _flat(part, keys):
            here = f"{place}, key {prefix}{name},"
            _refuse_unknown(name, keys, here)
            if name in values:
                raise ConfigError(
                    name, f"{place} sets it twice", f"Keep one of them, at the top level or in [{_TABLE}]"
                )
            if name in table:
                values[name] = table[name].read(value, here)
    return values


def _table_in(document: dict[str, object], name: str, place: str) -> dict[str, object]:
    """Remove the table `name` from a document and return it. If it is missing, return an empty table."""
    inner = document.pop(name, {})
    if not isinstance(inner, dict):
        raise ConfigError(
            name,
            f"is a value in {place}, but must be a table",
            "Write it as a table, with the name in brackets, or remove it",
        )
    return inner


def _flat(part: Mapping[str, object], keys: Collection[str]) -> Iterator[tuple[str, object]]:
    """Yield the names and values of the settings in a table.

    If a value is a nested table and not a setting, each of its keys is joined with the name of the table by
    `_`.
    """
    for name, value in part.items():
        if isinstance(value, dict) and name not in keys:
            yield from ((f"{name}_{inner}", item) for inner, item in value.items())
        else:
            yield name, value


def _refuse_unknown(name: str, known: Collection[str], place: str) -> None:
    if name not in known:
        raise ConfigError(
            name,
            f"{place} is not a setting{nearest(name, known)}",
            f"The settings are: {', '.join(sorted(known))}",
        )


def _parsed(path: Path, place: str) -> dict[str, object]:
    from soapclient._support.durable import check_owner

    where = f"Correct it, or name another file (argument file, environment variable {FILE_VARIABLE})"
    try:
        check_owner(path.expanduser())
        document = tables_of(path.expanduser().read_bytes())
        if not isinstance(document, str):
            return document
        problem = f"{place} is not TOML: {document}"
    except OSError as error:
        problem = f"{place} cannot be read: {error.strerror or type(error).__name__}"
    except (ValueError, RuntimeError):  # the path contains NUL, or the home folder is unknown
        problem = f"{place} is not a path"
    # Raise outside of the except block: the caught error contains the file's text with its secrets.
    raise ConfigError("file", problem, where)
