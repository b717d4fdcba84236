"""The REST table of `contracts.toml`: one row for each operation that can be called over REST.

A row has the HTTP method, the path, and the elements of the request in path, query and body. This module
checks the keys and values of the rows. `passes.rest` checks that the names in the rows exist in the contract.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Literal, TypeVar

import msgspec

from bindgen.sections import SettingsError
from soapclient.runtime.schema import WrappedRow

if TYPE_CHECKING:
    from bindgen.settings import ContractSettings

WHOLE = "*"  # value of `body`: the complete request
# The expected value of each key.
_EXPECTED = {
    "method": "one of GET, POST, PUT, DELETE",
    "path": "a path that begins with /, without query",
    "auth": "signed or public",
    "partial": "true or false",
    "optional": "true or false",
    "in_path": "a list of strings",
    "roots": "a list of strings",
    "wrapped": "a table of the strings root and list",
    "loose": "a table of the strings list and item, and all or none of errors, error and endings",
}
_PLACE = re.compile(r"(.*?)(?: - at `\$\.?(\w*).*`)?", re.DOTALL).fullmatch
_FIELD = re.compile(r"Object (contains unknown|missing required) field `(.*)`", re.DOTALL).fullmatch
RowT = TypeVar("RowT", bound=msgspec.Struct)


class QueryRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A query parameter.

    - `field`: the element of the request whose value is sent.
    - `separator`: joins several values.
    - `spelling`: the name of the table in `[spellings]` that maps the contract's values to the values to
      send.
    - `optional`: the parameter is optional, even if the schema requires the element.
    """

    field: str
    separator: str = ""
    spelling: str = ""
    optional: bool = False


class LooseList(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Names to find a list and the errors in a JSON response whose nesting is unknown.

    - `list`, `item`: the name of the list, and the name of each element in it.
    - `errors`, `error`: the name of the list of errors, and the name of each error in it.
    - `endings`: endings of names, separated by commas. In JSON, a list whose name has one of these endings
      is a list of errors, too.
    """

    list: str
    item: str
    errors: str = ""
    error: str = ""
    endings: str = ""

    def __post_init__(self) -> None:
        if len({bool(self.errors), bool(self.error), bool(self.endings)}) > 1:
            raise ValueError("errors, error and endings must be set together: set all three or none of them")


class Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A row of the REST table. It describes how one operation is called over REST.

    `request`, `response` and `auth` are required if the WSDL does not have the operation.
    """

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
    loose: LooseList | None = None


def check(where: str, sections: Mapping[str, object]) -> Iterator[str]:
    """Yield a message for each problem in the REST table, and one message if `[spellings]` is invalid.

    `sections` are the sections of the settings file. Each message begins with `where`, such as `FILE: `.
    """
    table = sections.get("rest")
    for name, row in table.items() if isinstance(table, dict) else ():
        if isinstance(row, dict):  # other types are reported by `sections`
            yield from _problems(f"{where}rest.{name}", row)
    try:
        _spellings(sections)
    except msgspec.ValidationError as error:
        yield f"{where}spellings must be tables of strings: {error}"


def _problems(where: str, row: Mapping[str, object]) -> Iterator[str]:
    """Yield the problems of a row, as messages that begin with `where`, the name of the row.

    There is one problem for each invalid query parameter. For all other keys, only the first problem is
    found.
    """
    query = row.get("query", {})
    pieces: list[tuple[str, object, type[msgspec.Struct]]] = [(where, {**row, "query": {}}, Row)]
    if isinstance(query, dict):
        pieces += [(f"{where}.query.{key}", _parameter(row), QueryRow) for key, row in query.items()]
    else:
        yield f"{where}.query must be a table, got {query!r}"
    for place, table, kind in pieces:
        try:
            _read(place, table, kind)
        except SettingsError as error:
            yield str(error)


def rows(settings: ContractSettings) -> dict[str, Row]:
    """Return the rows of the REST table by the names of operations. Raises SettingsError."""
    rows = {}
    for name, table in settings.section("rest").items():
        where = settings.where(f"rest.{name}")
        if not isinstance(table, dict):
            raise SettingsError(f"{where} must be a table, got {table!r}")
        if problems := list(_problems(where, table)):
            raise SettingsError(*problems)
        row = _read(where, {**table, "query": {}}, Row)
        query = table.get("query", {}).items()
        read = {key: _read(f"{where}.query.{key}", _parameter(row), QueryRow) for key, row in query}
        rows[name] = msgspec.structs.replace(row, query=read)
    return rows


def _parameter(row: object) -> object:
    return {"field": row} if isinstance(row, str) else row


def spellings(settings: ContractSettings) -> dict[str, dict[str, str]]:
    """Return the tables in `[spellings]` by name. Each maps the contract's values to the values in REST."""
    return _spellings(settings.sections)


def _spellings(sections: Mapping[str, object]) -> dict[str, dict[str, str]]:
    return msgspec.convert(sections.get("spellings", {}), dict[str, dict[str, str]])


def _shown(table: object, key: str) -> str:
    return repr(table.get(key)) if isinstance(table, Mapping) else repr(table)


def _read(where: str, table: object, kind: type[RowT]) -> RowT:
    """Convert a TOML table to an object of the class `kind`.

    Raises SettingsError if the table is invalid. `where` is the name of the table, for the message.
    """
    try:
        return msgspec.convert(table, kind)
    except msgspec.ValidationError as error:
        match = _PLACE(str(error))
        assert match is not None
        key, field = match[2] or "", _FIELD(match[1])
        if key in _EXPECTED:
            raise SettingsError(f"{where}.{key} must be {_EXPECTED[key]}, got {_shown(table, key)}") from None
        if field is None and key:
            raise SettingsError(f"{where}.{key} must be a string, got {_shown(table, key)}") from None
        if field is None or kind is QueryRow:
            reason = (
                "an element's name, or a table with field and, if needed, separator, spelling and optional"
            )
            raise SettingsError(f"{where} must be {reason}, got {table!r}") from None
        if field[1].startswith("missing"):
            raise SettingsError(f"{where}.{field[2]} is missing; it must be {_EXPECTED[field[2]]}") from None
        keys = ", ".join(sorted(field.name for field in msgspec.structs.fields(kind)))
        raise SettingsError(f"{where}.{field[2]} is unknown; the keys are {keys}") from None
