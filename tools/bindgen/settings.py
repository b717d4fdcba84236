"""`contracts.toml`, and `NAME.toml` next to a package of `bindgen init`: what the contracts cannot say
themselves. One reader for both, which checks the form; passes check whether the contract has the names.
"""

from __future__ import annotations

import hashlib
import json
import keyword
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from bindgen import atomic, format1, rest_table, sections
from bindgen.sections import SettingsError as SettingsError
from soapclient._support import toml

FORMAT = 2
_ROLES = ("connect_id", "timestamp", "nonce", "signature")


@dataclass(frozen=True, slots=True)
class ContractSettings:
    """What one contract cannot say. `sections` holds the tables as they came.

    `version` is empty if it is read from the contract.

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
        return [str(each) for each in value] if isinstance(value, list) else []

    def table(self, section: str, key: str) -> dict[str, object]:
        """A table within a section."""
        value = self.section(section).get(key, {})
        return dict(value) if isinstance(value, dict) else {}


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


def read(folder: Path) -> Settings:
    """Read `folder/contracts.toml`. Raises SettingsError with all problems of its form."""
    path = folder / "contracts.toml"
    raw = _load(path)
    if raw is None:
        raise SettingsError(f"{path} is missing; bindgen reads there which contracts there are")
    problems: list[str] = []
    contracts, output, package = (
        raw.get("contracts", {}),
        raw.get("output", "../generated"),
        raw.get("package", "zxws"),
    )
    if not (isinstance(contracts, dict) and isinstance(output, str) and isinstance(package, str)):
        raise SettingsError(f"{path}: contracts is a table, output and package are texts")
    if "\0" in output:
        problems.append(f"{path}: output must be a path, got {output!r}")
    if not _names_a_package(package):
        problems.append(f"{path}: package must be a Python name, got {package!r}")
    known = {name: _contract(path, name, table, problems) for name, table in contracts.items()}
    if problems:
        raise SettingsError(*problems)
    named = {name: each for name, each in known.items() if each is not None}
    return Settings(folder, (folder / output).resolve(), package, named)


def read_own(path: Path) -> Mapping[str, Mapping[str, object]]:
    """Read the sections of a user's own package from `NAME.toml`; none if there is no such file.

    Raises SettingsError with all problems of its form.
    """
    raw = _load(path) or {}
    found = {name: table for name, table in raw.items() if name != "format"}
    problems = [*sections.check(f"{path}: ", found), *rest_table.check(f"{path}: ", found)]
    if problems:
        raise SettingsError(*problems)
    return {name: table for name, table in found.items() if isinstance(table, dict)}


def _load(path: Path) -> dict[str, object] | None:
    """The tables of a file of format 2; None if there is no file."""
    try:
        raw = toml.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}") from None
    except toml.NotToml as error:
        raise SettingsError(f"{path}: {error}") from None
    own = path.name != "contracts.toml"
    if raw.get("format", 1) == 1 and (raw or not own):  # a file of comments alone has no format
        raise SettingsError(format1.message(str(path), raw))
    if raw and raw["format"] != FORMAT:
        raise SettingsError(f"{path}: format must be {FORMAT}, got {raw['format']!r}")
    return raw


def _names_a_package(name: str) -> bool:
    return name.isidentifier() and not keyword.iskeyword(name) and not name.startswith("_")


def _contract(path: Path, name: str, table: object, problems: list[str]) -> ContractSettings | None:
    if not isinstance(table, dict):
        problems.append(f"{path}: contracts.{name} must be a table, got {table!r}")
        return None
    if not _names_a_package(name):
        problems.append(f"{path}: the contract's name must be a Python name, got {name!r}")
    rest = dict(table)
    version, url, schema = rest.pop("version", ""), rest.pop("url", ""), rest.pop("schema", "")
    where = f"{path}: contracts.{name}."
    problems += sections.check(where, rest)
    problems += rest_table.check(where, rest)
    if not (isinstance(version, str) and isinstance(url, str) and isinstance(schema, str) and url + schema):
        problems.append(
            f"{path}: contracts.{name} needs the text url (or schema), and version must be a text"
        )
        return None
    if not (version or url):
        problems.append(f"{path}: contracts.{name} is a schema alone and needs the text version")
        return None
    return ContractSettings(name, version, url, rest, schema)


def set_version(folder: Path, name: str, version: str) -> None:
    """Set the version of a contract in `folder/contracts.toml`, all else as it is. Raises SettingsError."""
    path = folder / "contracts.toml"
    text = path.read_text(encoding="utf-8")
    table = re.search(rf"^\[contracts\.{re.escape(name)}\][^\n]*\n", text, re.MULTILINE)
    if table is None:
        raise SettingsError(f"{path}: there is no line [contracts.{name}], so no version can be set there")
    line = f"version = {json.dumps(version)}\n"
    end = text.find("\n[", table.end() - 1)
    before, inside = text[: table.end()], text[table.end() : end if end >= 0 else len(text)]
    changed, times = re.subn(r"^version\s*=[^\n]*\n", line, inside, flags=re.MULTILINE)
    after = text[len(before) + len(inside) :]
    atomic.replace(path, (before + (changed if times else line + inside) + after).encode())
