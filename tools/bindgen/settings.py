"""`contracts.toml`, and `NAME.toml` beside a package of `bindgen init`: what the contracts cannot say
themselves, read and checked for its own form.

Whether the names in it exist in the contract is for the passes to see.
"""

from __future__ import annotations

import hashlib
import json
import keyword
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from zoneinfo import ZoneInfo

from soapclient._support import toml

_FORMAT = 1
_ROLES = ("connect_id", "timestamp", "nonce", "signature")


class SettingsError(Exception):
    """A file of settings is missing, broken, or says something that bindgen does not know."""


@dataclass(frozen=True, slots=True)
class ContractSettings:
    """What one contract cannot say. `sections` holds the tables as they came.

    `url` is where its WSDL is, empty for a contract without one; `schema` is a schema of the project's own
    beside it (a file below the folder of `contracts.toml`), empty where there is none. `own`: the package is
    a user's own, made by `bindgen init`; `by_option` are then those of its `types.may_be_missing` that came
    from the command line.
    """

    name: str
    version: str
    url: str
    sections: Mapping[str, Mapping[str, object]]
    schema: str = ""
    own: bool = False
    by_option: Collection[str] = ()

    @property
    def sha256(self) -> str:
        """A hash of all that the table says, independent of its layout."""
        said = [self.name, self.version, self.url, self.sections, *([self.schema] if self.schema else [])]
        return hashlib.sha256(json.dumps(said, sort_keys=True, default=str).encode()).hexdigest()

    def where(self, key: str) -> str:
        """How an error names a key of these settings."""
        return f"{self.name}.toml: {key}" if self.own else f"contracts.toml: contracts.{self.name}.{key}"

    def section(self, name: str) -> Mapping[str, object]:
        """A sub-table, empty where there is none."""
        return self.sections.get(name, {})

    @property
    def authentication(self) -> tuple[str, ...]:
        """The elements that authenticate a request, the identity first. Empty if requests are not signed."""
        signing = self.section("signing")
        return tuple(str(signing.get(role, role)) for role in _ROLES) if signing else ()

    def texts(self, section: str, key: str) -> list[str]:
        """A list of texts."""
        value = self.section(section).get(key, [])
        if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
            where = self.where(f"{section}.{key}")
            raise SettingsError(f"{where}: a list of texts is wanted, not {value!r}")
        return list(value)

    def table(self, section: str, key: str) -> dict[str, object]:
        """A table within a section."""
        value = self.section(section).get(key, {})
        if not isinstance(value, dict):
            raise SettingsError(f"{self.where(f'{section}.{key}')}: a table is wanted, not {value!r}")
        return value


@dataclass(frozen=True, slots=True)
class Settings:
    """All of `contracts.toml`. `output` is the absolute folder that holds the package `package`."""

    folder: Path
    output: Path
    package: str
    contracts: Mapping[str, ContractSettings]

    def contract(self, name: str) -> ContractSettings:
        """The contract of that name; SettingsError names the ones there are."""
        if name not in self.contracts:
            known = ", ".join(sorted(self.contracts)) or "none"
            raise SettingsError(f"no contract {name!r} in {self.folder / 'contracts.toml'}; known: {known}")
        return self.contracts[name]


# Section → the keys it must have, the keys it may have; None: any, each with a table. A row of `rest` and
# what `_FREE` names have keys of the contract's own; passes check these.
_SECTIONS: dict[str, tuple[str, str] | None] = {
    "signing": ("service_name connect_id timestamp nonce signature", "public"),
    "fault": ("element code reason error_id authentication transient", ""),
    "paging": ("page items total first default most", ""),
    "echo": ("", ""),
    "types": ("", "binary may_be_missing also_read_as day keep_unknown naive_zone all"),
    "operations": ("", "safe"),
    "refused": ("", "fields values"),
    "rest": None,
    "spellings": None,
    "rest_only": ("", ""),
    "soap_only": ("", "elements"),
    "batch": ("most", "instead"),
    "window": ("days_back apart", ""),
    "job": ("order poll poll_id item id status", "rows size url message"),
    "waiter": ("waiting done failed expired delay factor most", ""),
    "download": ("fallback_path compression", ""),
    "columns": None,
    "chosen": ("", ""),
    "groups": ("", ""),
    "sums": None,
}
_FREE = frozenset(("rest_only", "chosen", "groups", "echo"))
_LISTS = {"public", "authentication", "transient", "binary", "may_be_missing", "day", "keep_unknown", "safe"}
_LISTS |= {"waiting", "done", "failed", "expired", "apart", "elements"}
_FLAGS = frozenset(("all",))
_TABLES = frozenset(("fields", "values", "also_read_as"))
_NUMBERS = frozenset(("first", "default", "most", "delay", "factor", "days_back"))


def read(folder: Path) -> Settings:
    """Read `folder/contracts.toml`."""
    path = folder / "contracts.toml"
    try:
        raw = toml.loads(path.read_bytes())
    except FileNotFoundError:
        raise SettingsError(f"{path} is missing; bindgen reads there which contracts there are") from None
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}") from None
    except toml.NotToml as error:
        raise SettingsError(f"{path}: {error}") from None
    if raw.get("format") != _FORMAT:
        raise SettingsError(f"{path}: format = {_FORMAT} is wanted, not {raw.get('format')!r}")
    contracts = raw.get("contracts", {})
    output, package = raw.get("output", "../generated"), raw.get("package", "zxws")
    if not (isinstance(contracts, dict) and isinstance(output, str) and isinstance(package, str)):
        raise SettingsError(f"{path}: contracts is a table, output and package are texts")
    if "\0" in output:
        raise SettingsError(f"{path}: output {output!r} is no path")
    if not _names_a_package(package):
        raise SettingsError(f"{path}: package {package!r} is no Python name")
    return Settings(
        folder, (folder / output).resolve(), package, {n: _contract(path, n, t) for n, t in contracts.items()}
    )


def _names_a_package(name: str) -> bool:
    return name.isidentifier() and not keyword.iskeyword(name) and not name.startswith("_")


def _contract(path: Path, name: str, table: object) -> ContractSettings:
    if not isinstance(table, dict):
        raise SettingsError(f"{path}: contracts.{name} is to be a table")
    if not _names_a_package(name):
        raise SettingsError(f"{path}: the contract's name {name!r} is no Python name")
    rest = dict(table)
    version, url, schema = rest.pop("version", None), rest.pop("url", ""), rest.pop("schema", "")
    if not (isinstance(version, str) and isinstance(url, str) and isinstance(schema, str) and url + schema):
        raise SettingsError(f"{path}: contracts.{name} needs the texts version and url (or schema)")
    check_sections(f"{path}: contracts.{name}.", rest, _SECTIONS)
    return ContractSettings(name, version, url, rest, schema)


def check_sections(where: str, tables: Mapping[str, object], known: Collection[str]) -> None:
    """Refuse sections and keys that nobody reads, missing keys, and values of another kind than the key's."""
    for section, table in tables.items():
        if section not in known or not isinstance(table, dict):
            listed = ", ".join(sorted(known))
            raise SettingsError(f"{where}{section} is unknown; the sections are {listed}")
        _check_section(f"{where}{section}", section, table)


def _check_section(where: str, section: str, table: dict[str, object]) -> None:
    keys = _SECTIONS[section]
    must, may = (set(each.split()) for each in keys) if keys else (set(), set(table))
    free = section in _FREE
    if free:
        may = set(table)
    for key in sorted(must - table.keys()):
        raise SettingsError(f"{where}: {key} is missing")
    for key, value in table.items():
        if key not in must | may:
            raise SettingsError(f"{where}.{key} is unknown; the keys are {', '.join(sorted(must | may))}")
        kind: tuple[type, str] = (str, "a text")
        if keys is None or (key in _TABLES and not free):
            kind = (dict, "a table")
        elif section == "chosen" or (key in _LISTS and not free):
            kind = (list, "a list")
        elif key in _NUMBERS and not free:
            kind = (float, "a number") if isinstance(value, float) else (int, "a number")
        elif key in _FLAGS and not free:
            kind = (bool, "true or false")
        if not isinstance(value, kind[0]) or (isinstance(value, bool) and kind[0] is not bool):
            raise SettingsError(f"{where}.{key}: {kind[1]} is wanted, not {value!r}")
        if key == "naive_zone" and not _is_zone(str(value)):
            raise SettingsError(f"{where}.{key} must be a time zone such as Europe/Berlin, got {value!r}")


def _is_zone(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # unknown, improper, a directory of the database
        return False
    return True
