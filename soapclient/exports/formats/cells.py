"""The cells of an export as typed values, by the column tables of the contract."""

from __future__ import annotations

import datetime as dt
import json
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Final, Protocol

from lxml import etree

from soapclient.errors import ConfigError, ResponseError
from soapclient.redaction import shown
from soapclient.runtime import Node, Reader
from soapclient.runtime import scalars as xsd
from soapclient.runtime.settings import Column
from soapclient.runtime.simple_types import refusals

Value = str | int | Decimal | bool | dt.datetime | dt.date | None
"""What a cell can hold; an empty cell is None."""

ColumnTypes = Mapping[
    str, str | type[str] | type[int] | type[Decimal] | type[bool] | type[dt.datetime] | type[dt.date]
]
"""Column → type of its cells: an XSD type (`"xsd:decimal"`) or what a row holds (`Decimal`)."""

Parse = Callable[[str, Reader, Node], Value]


class _Type(Protocol):
    @property
    def expected(self) -> str: ...
    @property
    def parse(self) -> Parse: ...


# Amounts are decimal text on the wire: never binary floats (docs/explanation/service.md#columns).
# Text stays as it is and needs no entry but its name.
_TYPES: Final[Mapping[str, _Type | None]] = {
    "xsd:string": None,
    "xsd:anyURI": None,
    "xsd:boolean": xsd.BOOLEAN,
    "xsd:decimal": xsd.DECIMAL,
    "xsd:float": xsd.EXACT_FLOAT,
    "xsd:double": xsd.EXACT_DOUBLE,
    "xsd:dateTime": xsd.DATE_TIME,
    "xsd:date": xsd.DATE,
    "xsd:integer": xsd.INTEGER,
    "xsd:nonNegativeInteger": xsd.NON_NEGATIVE_INTEGER,
    "xsd:positiveInteger": xsd.POSITIVE_INTEGER,
    "xsd:long": xsd.LONG,
    "xsd:int": xsd.INT,
    "xsd:short": xsd.SHORT,
    "xsd:byte": xsd.BYTE,
    "xsd:unsignedLong": xsd.UNSIGNED_LONG,
    "xsd:unsignedInt": xsd.UNSIGNED_INT,
    "xsd:unsignedShort": xsd.UNSIGNED_SHORT,
    "xsd:unsignedByte": xsd.UNSIGNED_BYTE,
}
_OF_PYTHON: Final[Mapping[object, str]] = {
    str: "xsd:string",
    int: "xsd:long",
    Decimal: "xsd:decimal",
    bool: "xsd:boolean",
    dt.datetime: "xsd:dateTime",
    dt.date: "xsd:date",
}
_CELL: Final[Node] = etree.Element("cell")  # scalars take a node, for errors that are worded anew here

_SUCH_AS: Final = "Give them such as types={'commission': 'xsd:decimal'}"

log = logging.getLogger(__name__)


class CellError(ResponseError):
    """A cell is not of its column's type: the contract's, one that is assumed, or the caller's own."""

    def __init__(self, where: str, line: int, column: str, cell: str, expected: str) -> None:
        super().__init__(f"{where} line {line}/{column}", cell, expected)
        self.args = (
            f"the file cannot be read: {self.path} is {self.value}, expected {self.expected}. To read the "
            f"column as text, give types={{{json.dumps(column, ensure_ascii=False)}: str}}.",
        )


class RowReader:
    """Turns lists of cells into rows, a dict each. Columns the contract does not know stay text.

    `naive_zone` is the zone of date-times that name none; None refuses them. Raises ConfigError for a column
    type that is none of XSD's, ResponseError for a column that stands twice.
    """

    def __init__(
        self, header: Sequence[str], known: Iterable[Column], naive_zone: dt.tzinfo | None, where: str
    ) -> None:
        doubled = sorted({name for name in header if header.count(name) > 1})
        if doubled:
            raise ResponseError(f"{where} line 1", doubled[0], "each column once")
        types = {column.name: _type_of(column) for column in known}
        self._header = tuple(header)
        self._types = tuple(types.get(name) for name in header)
        self._parsers = tuple(None if kind is None else kind.parse for kind in self._types)
        self._reader = _CellReader(naive_zone, where)
        self._where = where

    def row(self, cells: Sequence[str], line: int) -> dict[str, Value]:
        """Return one row. Raises ResponseError, with the line, for too few or many cells and improper
        values."""
        if len(cells) != len(self._header):
            raise ResponseError(
                f"{self._where} line {line}",
                f"{len(cells)} cells",
                f"as many as columns, {len(self._header)}",
            )
        reader = self._reader
        try:
            values = [
                None if not cell else cell if parse is None else parse(cell, reader, _CELL)
                for cell, parse in zip(cells, self._parsers, strict=True)
            ]
        except refusals:
            raise self._type_error(cells, line) from None
        return dict(zip(self._header, values, strict=True))

    def _type_error(self, cells: Sequence[str], line: int) -> ResponseError:
        for name, cell, kind in zip(self._header, cells, self._types, strict=True):
            if not cell or kind is None:
                continue
            try:
                kind.parse(cell, self._reader, _CELL)
            except refusals:
                return CellError(self._where, line, name, cell, kind.expected)
        raise AssertionError("a cell was invalid once and valid the second time")


def typed_columns(types: ColumnTypes | None) -> tuple[Column, ...]:
    """Return the columns that `types` names. Raises ConfigError for types that cells cannot have, or none."""
    found: list[Column] = []
    if types is None:
        return ()
    if not isinstance(types, Mapping):
        raise ConfigError("types", f"must map columns to types, got {shown(types)}", _SUCH_AS)
    for name, kind in types.items():
        if not isinstance(name, str):
            raise ConfigError("types", f"a column must be named by text, got {shown(name)}", _SUCH_AS)
        python = kind if isinstance(kind, type) else None  # what else there is may not even be hashed
        text = kind if isinstance(kind, str) else _OF_PYTHON.get(python, "")
        prefixed = text if text.startswith("xsd:") else f"xsd:{text}"
        if prefixed not in _TYPES:
            raise ConfigError(
                "types",
                f"the type of {name!r} must be one of {', '.join(_TYPES)}, got {shown(kind)}",
                f"Correct it, such as types={{{name!r}: 'xsd:decimal'}}",
            )
        found.append(Column(name, prefixed))
    return tuple(found)


def _type_of(column: Column) -> _Type | None:
    if column.type not in _TYPES:
        raise ConfigError(
            "contract",
            f"the column table gives {column.name} the type {column.type}, which is not an XSD type",
            "Correct contracts.toml and generate the bindings again",
        )
    return _TYPES[column.type]


class _CellReader:
    """What the scalars ask beside the text."""

    def __init__(self, naive_zone: dt.tzinfo | None, where: str) -> None:
        self._naive_zone = naive_zone
        self._where = where
        self._told = False
        self._shortened = False

    @property
    def naive_zone(self) -> dt.tzinfo:
        return self._naive_zone or dt.UTC

    @property
    def report_zone(self) -> dt.tzinfo:
        return self.naive_zone

    def naive_time(self, node: Node, text: str) -> None:
        if self._naive_zone is None:
            raise ValueError("no zone to read it in")
        if not self._told:
            self._told = True
            log.warning("%s: date-times without a zone are read in %s", self._where, self._naive_zone)

    def shortened(self, node: Node, text: str) -> None:
        if not self._shortened:
            self._shortened = True
            log.warning("%s: times finer than microseconds are cut, zones of dates left out", self._where)

    # Cells hold neither elements nor enumerated values, so nothing of the following is ever asked.
    def unknown_element(self, node: Node) -> None: ...
    def unknown_attribute(self, node: Node, name: str) -> None: ...
    def unknown_value(self, node: Node, value: str) -> None: ...
    def missing(self, node: Node, name: str) -> None: ...
