"""The REST table of `contracts.toml`: its rows, checked for their own form. Names in them are the contract's,
and whether it has them is for `passes.rest` to see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from bindgen.settings import ContractSettings, SettingsError

METHODS = ("GET", "POST", "PUT", "DELETE")
WHOLE = "*"  # as a body: the request itself
_TEXTS = ("method", "path", "body", "root", "request", "response", "auth", "doc")
_KEYS = {*_TEXTS, "in_path", "query", "partial", "roots", "wrapped", "loose"}
_LOOSE = ("list", "item", "errors", "error", "endings")


@dataclass(frozen=True, slots=True)
class QueryRow:
    """A query parameter: the element that gives it, what joins several values, which spelling they have.

    `optional`: REST does without it, though the schema requires the element.
    """

    field: str
    separator: str = ""
    spelling: str = ""
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A row. `request`, `response` and `auth` are given where the WSDL has no such operation."""

    method: str
    path: str
    body: str = ""
    root: str = ""
    request: str = ""
    response: str = ""
    auth: str = ""
    doc: str = ""
    in_path: tuple[str, ...] = ()
    roots: tuple[str, ...] = ()
    partial: bool = False
    query: Mapping[str, QueryRow] = field(default_factory=dict)
    wrapped: tuple[str, str] | None = None
    loose: tuple[str, str, str, str, str] | None = None


def rows(settings: ContractSettings) -> dict[str, Row]:
    """The rows by operation. Raises SettingsError."""
    found = {}
    for name, table in settings.section("rest").items():
        where = f"contracts.{settings.name}.rest.{name}"
        assert isinstance(table, dict)  # `settings` has seen to that
        found[name] = _row(where, table)
    return found


def spellings(settings: ContractSettings) -> dict[str, dict[str, str]]:
    """The spellings by name. Raises SettingsError."""
    return {
        name: _texts(f"contracts.{settings.name}.spellings.{name}", table)
        for name, table in settings.section("spellings").items()
    }


def _row(where: str, table: Mapping[str, object]) -> Row:
    for key in sorted(table.keys() - _KEYS):
        raise SettingsError(f"{where}.{key} is unknown; the keys are {', '.join(sorted(_KEYS))}")
    texts = {key: _text(f"{where}.{key}", table.get(key, "")) for key in _TEXTS}
    if texts["method"] not in METHODS:
        raise SettingsError(f"{where}.method: one of {', '.join(METHODS)} is wanted")
    if not texts["path"].startswith("/") or set(texts["path"]) & set("?#"):
        raise SettingsError(f"{where}.path: a path that begins with / is wanted, without query")
    if texts["auth"] not in ("", "signed", "public"):
        raise SettingsError(f"{where}.auth: signed or public is wanted")
    partial = table.get("partial", False)
    if not isinstance(partial, bool):
        raise SettingsError(f"{where}.partial: true or false is wanted")
    wrapped = _texts(f"{where}.wrapped", table["wrapped"]) if "wrapped" in table else None
    loose = _texts(f"{where}.loose", table["loose"]) if "loose" in table else None
    if wrapped is not None and wrapped.keys() != {"root", "list"}:
        raise SettingsError(f"{where}.wrapped: the texts root and list are wanted")
    if loose is not None and loose.keys() not in (set(_LOOSE[:2]), set(_LOOSE)):
        raise SettingsError(
            f"{where}.loose: the texts list and item are wanted, and errors, error and endings with them"
        )
    query = table.get("query", {})
    if not isinstance(query, dict):
        raise SettingsError(f"{where}.query: a table is wanted")
    return Row(
        **texts,
        in_path=_list(f"{where}.in_path", table.get("in_path", [])),
        roots=_list(f"{where}.roots", table.get("roots", [])),
        partial=partial,
        query={name: _query(f"{where}.query.{name}", row) for name, row in query.items()},
        wrapped=(wrapped["root"], wrapped["list"]) if wrapped else None,
        loose=_loose(loose) if loose else None,
    )


def _loose(said: Mapping[str, str]) -> tuple[str, str, str, str, str]:
    listed, item, errors, error, endings = (said.get(key, "") for key in _LOOSE)
    return listed, item, errors, error, endings


def _query(where: str, row: object) -> QueryRow:
    if isinstance(row, str):
        return QueryRow(row)
    optional = False
    if isinstance(row, dict):
        row = dict(row)
        optional = row.pop("optional", False)
        if not isinstance(optional, bool):
            raise SettingsError(f"{where}.optional: true or false is wanted")
    texts = _texts(where, row)
    if "field" not in texts or texts.keys() - {"field", "separator", "spelling"}:
        raise SettingsError(
            f"{where}: an element's name, or field, separator, spelling and optional are wanted"
        )
    return QueryRow(**texts, optional=optional)


def _text(where: str, value: object) -> str:
    if not isinstance(value, str):
        raise SettingsError(f"{where}: a text is wanted, not {value!r}")
    return value


def _texts(where: str, table: object) -> dict[str, str]:
    if not isinstance(table, dict) or not all(isinstance(value, str) for value in table.values()):
        raise SettingsError(f"{where}: a table of texts is wanted, not {table!r}")
    return table


def _list(where: str, values: object) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise SettingsError(f"{where}: a list of texts is wanted, not {values!r}")
    return tuple(values)
