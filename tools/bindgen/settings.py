"""Settings of contracts: `contracts.toml`, and `NAME.toml` next to a package of `bindgen init`.

They contain facts that are not in the contracts. This module reads both files and checks their keys and
values. The modules in `bindgen.passes` check if the contract has the names in the settings.
"""

from __future__ import annotations

import hashlib
import json
import keyword
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from bindgen import atomic, format1, rest_table, schemes, sections
from bindgen.sections import SettingsError as SettingsError
from soapclient._support import toml

FORMAT = 2


@dataclass(frozen=True, slots=True)
class ContractSettings:
    """The settings of one contract.

    - `version`: empty if it is read from the contract.
    - `url`: the address of the WSDL; empty for a contract without a WSDL.
    - `sections`: the tables of the settings file, unchanged.
    - `schema`: an additional schema of the project (a file below the folder of `contracts.toml`), or "".
    - `own`: True for a user's package, made by `bindgen init`.
    - `by_option`: the paths in `types.may_be_missing` that come from the command line (`own` packages only).
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
        """A hash of the settings, independent of the layout of the file."""
        content = [self.name, self.version, self.url, self.sections, *([self.schema] if self.schema else [])]
        return hashlib.sha256(json.dumps(content, sort_keys=True, default=str).encode()).hexdigest()

    def where(self, key: str) -> str:
        """Return a key with its file and table, for messages: `contracts.toml: contracts.NAME.KEY`."""
        return f"{self.name}.toml: {key}" if self.own else f"contracts.toml: contracts.{self.name}.{key}"

    def section(self, name: str) -> Mapping[str, object]:
        """Return a section. It is empty if the settings do not have it."""
        return self.sections.get(name, {})

    @property
    def authentication(self) -> dict[str, str]:
        """The names of the elements that authenticate a request, by role.

        The first role identifies the caller, and the last one is the signature.
        """
        return schemes.names_of(self.section("signing"))

    def texts(self, section: str, key: str) -> list[str]:
        """Return a list of strings from a section. It is empty if the key is missing."""
        value = self.section(section).get(key, [])
        return [str(item) for item in value] if isinstance(value, list) else []

    def table(self, section: str, key: str) -> dict[str, object]:
        """Return a table within a section; empty if the key is missing."""
        value = self.section(section).get(key, {})
        return dict(value) if isinstance(value, dict) else {}


@dataclass(frozen=True, slots=True)
class Settings:
    """The content of `contracts.toml`.

    `folder` is the folder of the file. The package with the name `package` is generated in the folder
    `output`, which is absolute.
    """

    folder: Path
    output: Path
    package: str
    contracts: Mapping[str, ContractSettings]

    def contract(self, name: str) -> ContractSettings:
        """Return the settings of a contract. Raises SettingsError if there is no contract with this name."""
        if name not in self.contracts:
            names = ", ".join(sorted(self.contracts)) or "none"
            raise SettingsError(f"unknown contract {name!r}; {self.folder / 'contracts.toml'} has: {names}")
        return self.contracts[name]


def read(folder: Path) -> Settings:
    """Read `folder/contracts.toml`. Raises SettingsError with all problems if keys or values are invalid."""
    path = folder / "contracts.toml"
    raw = _load(path)
    if raw is None:
        raise SettingsError(
            f"{path} is missing: it lists the contracts. Give its folder: bindgen --wsdl DIR …"
        )
    problems: list[str] = []
    contracts, output, package = (
        raw.get("contracts", {}),
        raw.get("output", "../generated"),
        raw.get("package", "zxws"),
    )
    if not (isinstance(contracts, dict) and isinstance(output, str) and isinstance(package, str)):
        raise SettingsError(f"{path}: contracts must be a table, output and package must be strings")
    if "\0" in output:
        problems.append(f"{path}: output must be a path, got {output!r}")
    if not _names_a_package(package):
        problems.append(f"{path}: package must be a Python name, got {package!r}")
    parsed = {name: _contract(path, name, table, problems) for name, table in contracts.items()}
    if problems:
        raise SettingsError(*problems)
    valid = {name: item for name, item in parsed.items() if item is not None}
    return Settings(folder, (folder / output).resolve(), package, valid)


def read_own(path: Path) -> Mapping[str, Mapping[str, object]]:
    """Read the sections of a user's package from its `NAME.toml`. Empty if the file does not exist.

    Raises SettingsError with all problems if keys or values are invalid.
    """
    raw = _load(path) or {}
    tables = {name: table for name, table in raw.items() if name != "format"}
    problems = [*sections.check(f"{path}: ", tables), *rest_table.check(f"{path}: ", tables)]
    problems += schemes.check(f"{path}: signing", tables.get("signing"), has_wsdl=True)
    if problems:
        raise SettingsError(*problems)
    return {name: table for name, table in tables.items() if isinstance(table, dict)}


def _load(path: Path) -> dict[str, object] | None:
    """Return the tables of a settings file; None if the file does not exist.

    Raises SettingsError if the file cannot be read, or if it does not have the format 2 (`format = 2`).
    """
    try:
        raw = toml.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}") from None
    except toml.NotToml as error:
        raise SettingsError(f"{path}: {error}") from None
    own = path.name != "contracts.toml"
    if raw.get("format", 1) == 1 and (raw or not own):  # a file that contains only comments needs no format
        raise SettingsError(format1.message(str(path), raw))
    if raw and raw["format"] != FORMAT:
        raise SettingsError(f"{path}: format must be {FORMAT}, got {raw['format']!r}")
    return raw


def _names_a_package(name: str) -> bool:
    return name.isidentifier() and not keyword.iskeyword(name) and not name.startswith("_")


def _contract(path: Path, name: str, table: object, problems: list[str]) -> ContractSettings | None:
    """Read the table of a contract. Adds its problems to `problems`.

    Returns None if the table cannot be used.
    """
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
    problems += schemes.check(f"{where}signing", rest.get("signing"), has_wsdl=bool(url))
    if not (isinstance(version, str) and isinstance(url, str) and isinstance(schema, str) and url + schema):
        problems.append(
            f"{path}: contracts.{name} requires the string url (or schema), and version must be a string"
        )
        return None
    if not (version or url):
        problems.append(f"{path}: contracts.{name} has only a schema, so it requires the string version")
        return None
    return ContractSettings(name, version, url, rest, schema)


def set_version(folder: Path, name: str, version: str) -> None:
    """Set the version of a contract in `folder/contracts.toml`, and keep all other lines.

    Raises SettingsError if the file does not have the contract's table.
    """
    path = folder / "contracts.toml"
    text = path.read_text(encoding="utf-8")
    table = re.search(rf"^\[contracts\.{re.escape(name)}\][^\n]*\n", text, re.MULTILINE)
    if table is None:
        raise SettingsError(f"{path}: cannot set the version: the line [contracts.{name}] is missing")
    line = f"version = {json.dumps(version)}\n"
    end = text.find("\n[", table.end() - 1)
    before, inside = text[: table.end()], text[table.end() : end if end >= 0 else len(text)]
    changed, count = re.subn(r"^version\s*=[^\n]*\n", line, inside, flags=re.MULTILINE)
    after = text[len(before) + len(inside) :]
    atomic.replace(path, (before + (changed if count else line + inside) + after).encode())
