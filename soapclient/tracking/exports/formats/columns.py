"""Columns of an export: the types of their cells; which a file should have, and how it differs from them."""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, Literal, NamedTuple, Protocol, TypeVar, get_args

from lxml import etree

from soapclient._support.redaction import shown
from soapclient.errors import CellError, ColumnDrift, ColumnsDiffer, ConfigError, ResponseError
from soapclient.runtime import CountingReader, Node, Reader
from soapclient.runtime import scalars as xsd
from soapclient.runtime.settings import Column, Settings
from soapclient.runtime.simple_types import refusals
from soapclient.tables.kinds import KINDS
from soapclient.tracking.exports.handle import JobId

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


class CellType(NamedTuple):
    """How the cells of a type are read: by a scalar, or as they are; as which Arrow type.

    pyarrow's own reader is trusted with the text that `usual` matches, with any if that is None. Bounds that
    pyarrow keeps are not in it, for counting is slow. It does not keep those of a decimal: it takes a number
    with a digit too many before the point, and holds what no decimal128(38, 9) may hold.
    """

    scalar: _Type | None
    arrow: str
    usual: str | None = None


_WHOLE: Final = "-?[0-9]+"
_NATURAL: Final = "[0-9]+"
_NUMBER: Final = r"-?[0-9]{1,29}(?:\.[0-9]+)?"
_DAY: Final = "[1-8][0-9]{3}-[0-9]{2}-[0-9]{2}"  # years that stay Python's whatever the offset
_MOMENT: Final = (
    rf"{_DAY}T(?:[01][0-9]|2[0-3]):[0-9]{{2}}:[0-9]{{2}}(?:\.[0-9]{{1,6}})?"
    r"(?:Z|[+-](?:0[0-9]|1[0-3]):[0-5][0-9])"
)
# Amounts are decimal text on the wire: never binary floats (docs/explanation/service.md#columns).
_TYPES: Final[Mapping[str, CellType]] = {
    "xsd:string": CellType(None, "string"),
    "xsd:anyURI": CellType(None, "string"),
    "xsd:boolean": CellType(xsd.BOOLEAN, KINDS["boolean"], "true|false|0|1"),
    "xsd:decimal": CellType(xsd.DECIMAL, KINDS["decimal"], _NUMBER),
    "xsd:float": CellType(xsd.EXACT_FLOAT, KINDS["exact_float"], _NUMBER),
    "xsd:double": CellType(xsd.EXACT_DOUBLE, KINDS["exact_double"], _NUMBER),
    "xsd:dateTime": CellType(xsd.DATE_TIME, KINDS["date_time"], _MOMENT),
    "xsd:date": CellType(xsd.DATE, KINDS["date"], _DAY),
    "xsd:integer": CellType(xsd.INTEGER, KINDS["integer"], "-?[0-9]{1,38}"),
    "xsd:nonNegativeInteger": CellType(
        xsd.NON_NEGATIVE_INTEGER, KINDS["non_negative_integer"], "[0-9]{1,38}"
    ),
    "xsd:positiveInteger": CellType(xsd.POSITIVE_INTEGER, KINDS["positive_integer"], "[1-9][0-9]{0,37}"),
    "xsd:long": CellType(xsd.LONG, KINDS["long"], _WHOLE),
    "xsd:int": CellType(xsd.INT, KINDS["int"], _WHOLE),
    "xsd:short": CellType(xsd.SHORT, KINDS["short"], _WHOLE),
    "xsd:byte": CellType(xsd.BYTE, KINDS["byte"], _WHOLE),
    "xsd:unsignedLong": CellType(xsd.UNSIGNED_LONG, KINDS["unsigned_long"], _NATURAL),
    "xsd:unsignedInt": CellType(xsd.UNSIGNED_INT, KINDS["unsigned_int"], _NATURAL),
    "xsd:unsignedShort": CellType(xsd.UNSIGNED_SHORT, KINDS["unsigned_short"], _NATURAL),
    "xsd:unsignedByte": CellType(xsd.UNSIGNED_BYTE, KINDS["unsigned_byte"], _NATURAL),
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
        types = {column.name: cell_type(column).scalar for column in known}
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


def cell_type(column: Column) -> CellType:
    """Return how a column's cells are read. Raises ConfigError for a type that is none of XSD's."""
    if column.type not in _TYPES:
        raise ConfigError(
            "contract",
            f"the column table gives {column.name} the type {column.type}, which is not an XSD type",
            "Correct contracts.toml and generate the bindings again",
        )
    return _TYPES[column.type]


class _CellReader(CountingReader):
    """What scalars ask for besides the text. Says once what it had to assume."""

    def __init__(self, naive_zone: dt.tzinfo | None, where: str) -> None:
        super().__init__(naive_zone or dt.UTC, naive_zone or dt.UTC)
        self._zoned = naive_zone is not None
        self._where = where
        self._said: set[str] = set()

    def naive_time(self, node: Node, text: str) -> None:
        if not self._zoned:
            raise ValueError("no zone to read it in")
        self._say(f"date-times without a zone are read in {self.naive_zone}")

    def shortened(self, node: Node, text: str) -> None:
        self._say("times finer than microseconds are cut, zones of dates left out")

    def _say(self, what: str) -> None:
        if what not in self._said:
            self._said.add(what)
            log.warning("%s: %s", self._where, what)


TEXT: Final = "xsd:string"
"""The type of the cells whose type nobody knows."""

OnDrift = Literal["tolerate", "warn", "error"]
"""What a file with other columns leads to: nothing more than a finding, a logged warning, or ColumnsDiffer.

The values are those of the setting `drift`; "report", the earlier name of "warn", is accepted.
"""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Expected:
    """The columns a file is to have; none where the contract names none.

    `ordered` tells that an order chose them or the groups among them; `untyped` are those whose type nobody
    knows, so that they are read as text.
    """

    columns: tuple[Column, ...] = ()
    ordered: bool = False
    untyped: tuple[str, ...] = ()


def expected_columns(
    tables: Settings, report_type: str, request: Mapping[str, JobId], header: Sequence[str] = ()
) -> Expected:
    """Return the columns of the file that a request orders: chosen, grouped and summed, or the report's own.

    `header` is that of the file, where there is one already: names in the request are spelled as they are
    there, for case and underscores make no difference to the service. Where a request that has
    to choose columns is not known, they are those of the header.
    """
    chosen, groups = names_in(request.get("columns")), names_in(request.get("group_by"))
    if groups and not chosen:
        sums = _of_report(tables.sums, report_type)
        known = _by_name(*tables.sums.values(), sums or (), tables.groups)
        if sums is None:  # whatever there is that is no group, or that other reports sum up
            others = _by_name(tables.groups).keys() - _by_name(*tables.sums.values()).keys()
            summed = [name for name in header if plain(name) not in others]
        else:
            summed = [column.name for column in sums]
        return _spelled([*groups, *summed], known, header)
    own = columns_of(tables, report_type)
    if chosen or _of_report(tables.chosen, report_type) is not None:
        known = _by_name(*(own or tables.columns.values()))
        return _spelled(chosen or header, known, header, ordered=bool(chosen))
    return Expected(own[0]) if own else Expected(untyped=tuple(header))


def columns_of(tables: Settings, report_type: str) -> tuple[tuple[Column, ...], ...]:
    """Return the columns of a report type; of one whose columns are chosen, those of each that has them."""
    sources = _of_report(tables.chosen, report_type)
    if sources is not None:
        return tuple(tables.columns[source] for source in sources)
    own = _of_report(tables.columns, report_type)
    return () if own is None else (own,)


def names_in(value: object) -> tuple[str, ...]:
    """Return the names of a comma list, or of several; none of None."""
    lists = [value] if isinstance(value, str) else value if isinstance(value, Sequence) else ()
    return tuple(name for each in lists for part in str(each).split(",") if (name := part.strip()))


def plain(name: str) -> str:
    """Return a name without what makes no difference to the service: case and underscores."""
    return name.strip().casefold().replace("_", "")


def _of_report(tables: Mapping[str, T], report_type: str) -> T | None:
    # What is ordered as "sales" is the same as a "sale".
    return tables.get(report_type, tables.get(report_type.strip().casefold().removesuffix("s")))


def _by_name(*tables: Iterable[Column]) -> dict[str, Column]:
    return {plain(column.name): column for table in tables for column in table}


def _spelled(
    names: Sequence[str], known: Mapping[str, Column], header: Sequence[str], *, ordered: bool = True
) -> Expected:
    present = {plain(name): name for name in header}
    columns: dict[str, Column] = {}
    untyped = []
    for name in names:
        column = known.get(key := plain(name))
        spelled = present.get(key, name if column is None else column.name)
        if key not in columns and column is None:
            untyped.append(spelled)
        columns.setdefault(key, Column(spelled, TEXT if column is None else column.type))
    return Expected(tuple(columns.values()), ordered, tuple(untyped))


def drift_between(
    report_type: str, names: tuple[str, ...], columns: tuple[str, ...], *, ordered: bool = False
) -> ColumnDrift | None:
    """Compare a file's `columns` with the `names` it should have; None if they agree, or none are known."""
    if not names or names == columns:
        return None
    missing = tuple(name for name in names if name not in columns)
    added = tuple(name for name in columns if name not in names)
    shared = [name for name in columns if name in names]
    moved = shared != [name for name in names if name in shared]
    return ColumnDrift(report_type, missing, added, moved, ordered)


def drift_policy(value: str | None, default: OnDrift = "warn") -> OnDrift:
    """Return the policy that a value names, `default` for None. Raises ValueError."""
    named: dict[str | None, OnDrift] = {each: each for each in get_args(OnDrift)}
    named |= {"report": "warn", None: default}
    if value not in named:
        raise ValueError(f"on_drift must be one of: {', '.join(get_args(OnDrift))} (got {value!r})")
    return named[value]


def report_drift(
    path: str, drift: ColumnDrift | None, on_drift: OnDrift | Callable[[ColumnDrift], None] | None
) -> None:
    """Log a drift, if there is one, and call `on_drift` with it. Raises ColumnsDiffer for "error"."""
    if not callable(on_drift):
        on_drift = drift_policy(on_drift)
    if drift is None or on_drift == "tolerate":
        return
    if on_drift == "error":
        raise ColumnsDiffer(path, drift)
    log.warning("%s: %s", path, drift)
    if callable(on_drift):
        on_drift(drift)


def report_types(
    path: str, report_type: str, columns: Sequence[str], untyped: Sequence[str], given: Sequence[Column]
) -> None:
    """Log which of a file's `columns` are text because nobody knows better, and `given` types of none."""
    named = [column.name for column in given]
    left = [name for name in untyped if name in columns and name not in named]
    if left:
        log.warning(
            "%s: the types of these columns of a %s export are not known, they are read as text: %s. "
            'Give them, such as types={"commission": "xsd:decimal"}',
            path,
            report_type,
            shown(", ".join(left)),
        )
    if lost := [name for name in named if name not in columns]:
        log.warning("%s: types are given for columns that it does not have: %s", path, shown(", ".join(lost)))
