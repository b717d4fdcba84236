"""The REST table of `contracts.toml`: its rows, checked for their own form. Names in them are the contract's,
and whether it has them is for `passes.rest` to see."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Literal, TypeVar

import msgspec

from bindgen.sections import SettingsError
from soapclient.runtime.schema import WrappedRow

if TYPE_CHECKING:
    from bindgen.settings import ContractSettings

WHOLE = "*"  # as a body: the request itself
# What the value of a key must be.
_WANTED = {
    "method": "one of GET, POST, PUT, DELETE",
    "path": "a path that begins with /, without query",
    "auth": "signed or public",
    "partial": "true or false",
    "optional": "true or false",
    "in_path": "a list of texts",
    "roots": "a list of texts",
    "wrapped": "a table of the texts root and list",
    "loose": "a table of the texts list and item, and all or none of errors, error and endings",
}
_AT = re.compile(r"(.*?)(?: - at `\$\.?(\w*).*`)?", re.DOTALL).fullmatch
_FIELD = re.compile(r"Object (contains unknown|missing required) field `(.*)`", re.DOTALL).fullmatch
RowT = TypeVar("RowT", bound=msgspec.Struct)


class QueryRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A query parameter: the element that gives it, what joins several values, which spelling they have.

    `optional`: REST does without it, though the schema requires the element.
    """

    field: str
    separator: str = ""
    spelling: str = ""
    optional: bool = False


class Loose(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A list whose nesting is not known, and that of its errors, whose name has one of the `endings`."""

    list: str
    item: str
    errors: str = ""
    error: str = ""
    endings: str = ""

    def __post_init__(self) -> None:
        if len({bool(self.errors), bool(self.error), bool(self.endings)}) > 1:
            raise ValueError("one of them without the others")


class Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A row. `request`, `response` and `auth` are given where the WSDL has no such operation."""

    method: Literal["GET", "POST", "PUT", "DELETE"]
    path: Annotated[str, msgspec.Meta(pattern=r"^/[^?#]*$")]
    body: str = ""
    root: str = ""
    request: str = ""
    response: str = ""
    auth: Literal["", "signed", "public"] = ""
    doc: str = ""
    in_path: tuple[str, ...] = ()
    roots: tuple[str, ...] = ()
    partial: bool = False
    query: dict[str, QueryRow] = {}
    wrapped: WrappedRow | None = None
    loose: Loose | None = None


def check(where: str, sections: Mapping[str, object]) -> Iterator[str]:
    """Yield a problem for each row and each table of spellings that has another form."""
    table = sections.get("rest")
    for name, row in table.items() if isinstance(table, dict) else ():
        if isinstance(row, dict):  # else `sections` says so
            yield from _problems(f"{where}rest.{name}", row)
    try:
        _spellings(sections)
    except msgspec.ValidationError as error:
        yield f"{where}spellings must be tables of texts: {error}"


def _problems(where: str, row: Mapping[str, object]) -> Iterator[str]:
    """Problems of a row: each parameter of its query, then the first of the rest."""
    query = row.get("query", {})
    pieces: list[tuple[str, object, type[msgspec.Struct]]] = [(where, {**row, "query": {}}, Row)]
    if isinstance(query, dict):
        pieces += [(f"{where}.query.{key}", _parameter(each), QueryRow) for key, each in query.items()]
    else:
        yield f"{where}.query must be a table, got {query!r}"
    for place, table, kind in pieces:
        try:
            _read(place, table, kind)
        except SettingsError as error:
            yield str(error)


def rows(settings: ContractSettings) -> dict[str, Row]:
    """The rows by operation. Raises SettingsError."""
    found = {}
    for name, table in settings.section("rest").items():
        where = settings.where(f"rest.{name}")
        if not isinstance(table, dict):
            raise SettingsError(f"{where} must be a table, got {table!r}")
        if problems := list(_problems(where, table)):
            raise SettingsError(*problems)
        row = _read(where, {**table, "query": {}}, Row)
        query = table.get("query", {}).items()
        read = {key: _read(f"{where}.query.{key}", _parameter(each), QueryRow) for key, each in query}
        found[name] = msgspec.structs.replace(row, query=read)
    return found


def _parameter(row: object) -> object:
    return {"field": row} if isinstance(row, str) else row


def spellings(settings: ContractSettings) -> dict[str, dict[str, str]]:
    """The spellings by name."""
    return _spellings(settings.sections)


def _spellings(sections: Mapping[str, object]) -> dict[str, dict[str, str]]:
    return msgspec.convert(sections.get("spellings", {}), dict[str, dict[str, str]])


def _shown(table: object, key: str) -> str:
    return repr(table.get(key)) if isinstance(table, Mapping) else repr(table)


def _read(where: str, table: object, kind: type[RowT]) -> RowT:
    try:
        return msgspec.convert(table, kind)
    except msgspec.ValidationError as error:
        said = _AT(str(error))
        assert said is not None
        key, field = said[2] or "", _FIELD(said[1])
        if key in _WANTED:
            raise SettingsError(f"{where}.{key} must be {_WANTED[key]}, got {_shown(table, key)}") from None
        if field is None and key:
            raise SettingsError(f"{where}.{key} must be a text, got {_shown(table, key)}") from None
        if field is None or kind is QueryRow:
            why = "an element's name, or a table with field and, if needed, separator, spelling and optional"
            raise SettingsError(f"{where} must be {why}, got {table!r}") from None
        if field[1].startswith("missing"):
            raise SettingsError(f"{where}.{field[2]} is missing; it must be {_WANTED[field[2]]}") from None
        known = ", ".join(sorted(each.name for each in msgspec.structs.fields(kind)))
        raise SettingsError(f"{where}.{field[2]} is unknown; the keys are {known}") from None
