"""Columns of an export: cell types, expected columns, and drift between a file and those columns."""

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
from soapclient.tables.arrow_types import KINDS
from soapclient.tracking.exports.handle import JobId
from soapclient.tracking.settings import current_drift_name

Value = str | int | Decimal | bool | dt.datetime | dt.date | None
"""Type of a cell's value. An empty cell is None."""

ColumnTypes = Mapping[
    str, str | type[str] | type[int] | type[Decimal] | type[bool] | type[dt.datetime] | type[dt.date]
]
"""Column → type of its cells: an XSD type (`"xsd:decimal"`) or a Python type (`Decimal`)."""

Parse = Callable[[str, Reader, Node], Value]


class _Type(Protocol):
    @property
    def expected(self) -> str: ...
    @property
    def parse(self) -> Parse: ...


class CellType(NamedTuple):
    """How the cells of a column are read. There is one CellType for each XSD type.

    - `scalar`: converts the text of a cell. If it is None, the text is not converted.
    - `arrow`: the name of the Arrow type.
    - `usual`: a pattern. pyarrow reads the cells that match it, `RowReader` reads all others. If it is None,
      pyarrow reads any text.

    Most patterns do not limit the number of digits, because pyarrow checks the range itself and counted
    repetitions (`{1,18}`) are slow. Decimals are an exception: pyarrow accepts more digits before the point
    than decimal128(38, 9) can hold.
    """

    scalar: _Type | None
    arrow: str
    usual: str | None = None


WHOLE: Final = "-?[0-9]+"
NATURAL: Final = "[0-9]+"
# pyarrow reads some numbers with more fractional digits as another number.
NUMBER: Final = r"-?[0-9]{1,29}(?:\.[0-9]{1,38})?"
DAY: Final = "[1-8][0-9]{3}-[0-9]{2}-[0-9]{2}"  # years that Python supports with any UTC offset
MOMENT: Final = (
    rf"{DAY}T(?:[01][0-9]|2[0-3]):[0-9]{{2}}:[0-9]{{2}}(?:\.[0-9]{{1,6}})?"
    r"(?:Z|[+-](?:0[0-9]|1[0-3]):[0-5][0-9])"
)
# Amounts are decimal text on the wire, never binary floats (docs/explanation/service.md#columns).
_TYPES: Final[Mapping[str, CellType]] = {
    "xsd:string": CellType(None, "string"),
    "xsd:anyURI": CellType(None, "string"),
    "xsd:boolean": CellType(xsd.BOOLEAN, KINDS["boolean"], "true|false|0|1"),
    "xsd:decimal": CellType(xsd.DECIMAL, KINDS["decimal"], NUMBER),
    "xsd:float": CellType(xsd.EXACT_FLOAT, KINDS["exact_float"], NUMBER),
    "xsd:double": CellType(xsd.EXACT_DOUBLE, KINDS["exact_double"], NUMBER),
    "xsd:dateTime": CellType(xsd.DATE_TIME, KINDS["date_time"], MOMENT),
    "xsd:date": CellType(xsd.DATE, KINDS["date"], DAY),
    "xsd:integer": CellType(xsd.INTEGER, KINDS["integer"], "-?[0-9]{1,38}"),
    "xsd:nonNegativeInteger": CellType(
        xsd.NON_NEGATIVE_INTEGER, KINDS["non_negative_integer"], "[0-9]{1,38}"
    ),
    "xsd:positiveInteger": CellType(xsd.POSITIVE_INTEGER, KINDS["positive_integer"], "[1-9][0-9]{0,37}"),
    "xsd:long": CellType(xsd.LONG, KINDS["long"], WHOLE),
    "xsd:int": CellType(xsd.INT, KINDS["int"], WHOLE),
    "xsd:short": CellType(xsd.SHORT, KINDS["short"], WHOLE),
    "xsd:byte": CellType(xsd.BYTE, KINDS["byte"], WHOLE),
    "xsd:unsignedLong": CellType(xsd.UNSIGNED_LONG, KINDS["unsigned_long"], NATURAL),
    "xsd:unsignedInt": CellType(xsd.UNSIGNED_INT, KINDS["unsigned_int"], NATURAL),
    "xsd:unsignedShort": CellType(xsd.UNSIGNED_SHORT, KINDS["unsigned_short"], NATURAL),
    "xsd:unsignedByte": CellType(xsd.UNSIGNED_BYTE, KINDS["unsigned_byte"], NATURAL),
}
_OF_PYTHON: Final[Mapping[object, str]] = {
    str: "xsd:string",
    int: "xsd:long",
    Decimal: "xsd:decimal",
    bool: "xsd:boolean",
    dt.datetime: "xsd:dateTime",
    dt.date: "xsd:date",
}
_CELL: Final[Node] = etree.Element("cell")  # scalars name a node in errors; they are replaced here

_SUCH_AS: Final = "Pass a dict such as types={'commission': 'xsd:decimal'}"

log = logging.getLogger(__name__)


class RowReader:
    """Converts the cells of a CSV record to a row (a dict). Columns that are not in `known` stay text.

    `naive_zone` is the time zone for date-times without a zone. If it is None, such date-times are errors.
    Raises ConfigError if a column type is not an XSD type, ResponseError for a duplicate column.
    """

    def __init__(
        self, header: Sequence[str], known: Iterable[Column], naive_zone: dt.tzinfo | None, where: str
    ) -> None:
        doubled = sorted({name for name in header if header.count(name) > 1})
        if doubled:
            raise ResponseError(f"{where} line 1", doubled[0], "unique column names")
        types = {column.name: cell_type(column).scalar for column in known}
        self._header = tuple(header)
        self._types = tuple(types.get(name) for name in header)
        self._parsers = tuple(None if kind is None else kind.parse for kind in self._types)
        self._reader = _CellReader(naive_zone, where)
        self._where = where

    def row(self, cells: Sequence[str], line: int) -> dict[str, Value]:
        """Convert the cells of a record to a dict (column → value).

        Raises ResponseError if the number of cells or a value is wrong. `line` is the line number for the
        error.
        """
        if len(cells) != len(self._header):
            raise ResponseError(
                f"{self._where} line {line}",
                f"{len(cells)} cells",
                f"{len(self._header)} cells, one per column",
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
        raise AssertionError(
            "internal error: a cell was invalid, but was valid when it was parsed again. Report it as a bug "
            "of soapclient."
        )


def typed_columns(types: ColumnTypes | None) -> tuple[Column, ...]:
    """Convert the caller's column types, such as `{"amount": "xsd:decimal"}`, to a tuple of `Column`.

    Return an empty tuple for None. Raises ConfigError if a name is not a string or a type is not supported.
    """
    columns: list[Column] = []
    if types is None:
        return ()
    if not isinstance(types, Mapping):
        raise ConfigError("types", f"must be a dict of columns and types, got {shown(types)}", _SUCH_AS)
    for name, kind in types.items():
        if not isinstance(name, str):
            raise ConfigError("types", f"the name of a column must be a string, got {shown(name)}", _SUCH_AS)
        python = kind if isinstance(kind, type) else None  # other values may be unhashable
        text = kind if isinstance(kind, str) else _OF_PYTHON.get(python, "")
        prefixed = text if text.startswith("xsd:") else f"xsd:{text}"
        if prefixed not in _TYPES:
            raise ConfigError(
                "types",
                f"the type of {name!r} must be one of {', '.join(_TYPES)}, got {shown(kind)}",
                f"Pass for example types={{{name!r}: 'xsd:decimal'}}",
            )
        columns.append(Column(name, prefixed))
    return tuple(columns)


def cell_type(column: Column) -> CellType:
    """Return the CellType of a column. Raises ConfigError if the column's type is not an XSD type."""
    if column.type not in _TYPES:
        raise ConfigError(
            "contract",
            f"the type of {column.name} in the table of columns must be an XSD type, got {column.type}",
            "Correct contracts.toml and generate the bindings again",
        )
    return _TYPES[column.type]


class _CellReader(CountingReader):
    """The `Reader` that is passed to the converters of XSD types (`CellType.scalar`).

    - A date-time without a zone gets the configured zone, which is logged once. If no zone is configured,
      ValueError is raised.
    - Date-times are cut to microseconds, which is logged once.
    """

    def __init__(self, naive_zone: dt.tzinfo | None, where: str) -> None:
        super().__init__(naive_zone or dt.UTC, naive_zone or dt.UTC)
        self._zoned = naive_zone is not None
        self._where = where
        self._logged: set[str] = set()

    def naive_time(self, node: Node, text: str) -> None:
        if not self._zoned:
            raise ValueError("the date-time has no zone, and no zone is configured")
        self._log_once(f"date-times without a zone are read in {self.naive_zone}")

    def shortened(self, node: Node, text: str) -> None:
        self._log_once("times are cut to microseconds, and zones of dates are omitted")

    def _log_once(self, message: str) -> None:
        if message not in self._logged:
            self._logged.add(message)
            log.warning("%s: %s", self._where, message)


TEXT: Final = "xsd:string"
"""The type of cells whose type is unknown."""

OnDrift = Literal["tolerate", "warn", "error"]
"""How to treat a file with unexpected columns: count them ("tolerate"), also log a warning ("warn"), or raise
ColumnsDiffer ("error")."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Expected:
    """The columns that an export file should have.

    - `columns`: the columns with their types. Empty if the contract does not define columns for the file.
    - `ordered`: True if the order chose the columns or groups of the file.
    - `untyped`: names of columns whose type is unknown. They are read as text.
    """

    columns: tuple[Column, ...] = ()
    ordered: bool = False
    untyped: tuple[str, ...] = ()


def expected_columns(
    tables: Settings, report_type: str, request: Mapping[str, JobId], header: Sequence[str] = ()
) -> Expected:
    """Return the columns that the file of a request should have.

    They are determined by the first of these rules that applies:

    - The request selects columns: these columns.
    - The request groups rows: the groups and their sums.
    - Orders of the report type must select columns, but the selection is unknown: the columns of `header`.
    - Otherwise: the contract's columns of the report type.

    If the file exists, pass its `header`. The result then spells each column as the header does, because the
    service ignores case and underscores.
    """
    chosen, groups = names_in(request.get("columns")), names_in(request.get("group_by"))
    if groups and not chosen:
        sums = _of_report(tables.sums, report_type)
        known = _by_name(*tables.sums.values(), sums or (), tables.groups)
        if sums is None:  # all columns except groups, and the sums of other reports
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
    """Return the contract's lists of columns for a report type, as a tuple of tuples.

    - Usually there is one list.
    - If orders of the type select their columns, there may be several lists.
    - If the contract does not define the columns, the result is empty.
    """
    sources = _of_report(tables.chosen, report_type)
    if sources is not None:
        return tuple(tables.columns[source] for source in sources)
    own = _of_report(tables.columns, report_type)
    return () if own is None else (own,)


def names_in(value: object) -> tuple[str, ...]:
    """Return the names in a comma-separated string, or in a list of such strings.

    Returns an empty tuple for any other value, such as None.
    """
    lists = [value] if isinstance(value, str) else value if isinstance(value, Sequence) else ()
    return tuple(name for item in lists for part in str(item).split(",") if (name := part.strip()))


def plain(name: str) -> str:
    """Return a name in lower case and without underscores, because the service ignores both differences."""
    return name.strip().casefold().replace("_", "")


def _of_report(tables: Mapping[str, T], report_type: str) -> T | None:
    # A report type may be ordered as "sales" or "sale".
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
    """Return the differences between a file's `columns` and the expected `names`.

    Returns None if they agree or `names` is empty. `report_type` and `ordered` are copied to the result.
    """
    if not names or names == columns:
        return None
    missing = tuple(name for name in names if name not in columns)
    added = tuple(name for name in columns if name not in names)
    shared = [name for name in columns if name in names]
    moved = shared != [name for name in names if name in shared]
    return ColumnDrift(report_type, missing, added, moved, ordered)


def drift_policy(value: str | None, default: OnDrift = "warn") -> OnDrift:
    """Return `value` as a drift policy (see `OnDrift`), or `default` if `value` is None.

    Raises ValueError if `value` is not the name of a policy.
    """
    policies: dict[str | None, OnDrift] = {name: name for name in get_args(OnDrift)}
    policies[None] = default
    policy = policies.get(current_drift_name(value))
    if policy is None:
        raise ValueError(f"on_drift must be one of: {', '.join(get_args(OnDrift))} (got {value!r})")
    return policy


def report_drift(
    path: str, drift: ColumnDrift | None, on_drift: OnDrift | Callable[[ColumnDrift], None] | None
) -> None:
    """Handle the difference `drift` according to `on_drift`. Does nothing if `drift` is None.

    The policy "warn" (also None) logs it, "tolerate" does nothing, "error" raises ColumnsDiffer. If
    `on_drift` is a function, the difference is logged and passed to the function.
    """
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
    """Log warnings about two kinds of columns:

    - columns that are read as text because their type is unknown;
    - columns for which the caller chose a type, but which the file does not have.

    `columns` are the columns of the file, `untyped` the columns whose type is unknown, `given` the column
    types from the caller.
    """
    named = [column.name for column in given]
    left = [name for name in untyped if name in columns and name not in named]
    if left:
        log.warning(
            "%s: these columns of a %s export are read as text, because their types are unknown: %s. "
            'To set types, pass for example types={"commission": "xsd:decimal"}',
            path,
            report_type,
            shown(", ".join(left)),
        )
    if lost := [name for name in named if name not in columns]:
        log.warning("%s: types has columns that the file does not have: %s", path, shown(", ".join(lost)))
