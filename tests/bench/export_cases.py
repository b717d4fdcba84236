"""Cases of exports: a gzip-csv as Parquet, and a backfill of many small exports."""

from __future__ import annotations

import contextlib
import csv
import datetime as dt
import gzip
import io
import itertools
import tempfile
from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import requests

from tests.bench.cases import OURS, Case, Opened, Prepared, Way
from tests.bench.sandbox import plan_of, sandbox

if TYPE_CHECKING:
    import pyarrow

    from soapclient.tracking.exports.formats.export_file import ExportFile

PLAIN, GROUPED, POLARS = "pyarrow", "pyarrow, same row groups", "polars"
CALLS, CALLS_AND_PARQUET = "its HTTP calls by requests", "its HTTP calls and Parquet by pyarrow"
_PER_DAY: Final = 200_000
_COMPARED: Final = 100  # rows at the begin of the file
_CLICKS: Final = 50  # rows of a partition of a backfill


def write_clicks(path: Path, rows: int) -> None:
    """Write an export of `rows` clicks, as the sandbox does. It is always the same.

    `rows` is below 200,000 or a multiple of it.
    """
    from soapclient.tracking.sandbox.data.store import Store
    from soapclient.tracking.sandbox.exports.reports import COLUMNS, Order
    from soapclient.tracking.sandbox.exports.rows import blocks

    per_day = min(rows, _PER_DAY)
    first = dt.date(2026, 1, 1)
    order = Order(
        report_type="click",
        columns=tuple(COLUMNS["click"]),
        groups=(),
        first=first,
        last=first + dt.timedelta(days=rows // per_day - 1),
        date_type="clickDate",
        **dict.fromkeys(("review_state", "currency", "program_id", "adspace_id", "format_id")),
        chosen=False,
    )
    with gzip.GzipFile(path, "wb", compresslevel=1, mtime=0) as packed:
        for _, text in blocks(order, Store(1, per_day).of("802B8BF4AE99EBE00F41")):
            packed.write(text)


# ---- Parquet


def expected_clicks(source: Path, kinds: dict[str, str]) -> list[object]:
    """Return the number of rows and the first rows, read with the standard library only."""
    with gzip.open(source, "rt", encoding="utf-8", newline="") as text:
        reader = csv.DictReader(text)
        first = [
            {name: _converted(kinds[name], cell) for name, cell in row.items()}
            for row in itertools.islice(reader, _COMPARED)
        ]
        return [len(first) + sum(1 for _ in reader), first]


def _converted(kind: str, cell: str) -> object:
    if not cell:
        return None
    if kind.startswith("int"):
        return int(cell)
    if kind.startswith("decimal"):
        return Decimal(cell)
    return dt.datetime.fromisoformat(cell) if kind.startswith("timestamp") else cell


def _values(target: object) -> object:
    import pyarrow.parquet

    assert isinstance(target, Path)
    table = pyarrow.parquet.read_table(target)
    return [table.num_rows, table.slice(0, _COMPARED).to_pylist()]


@contextlib.contextmanager
def _open_parquet(size: int) -> Iterator[Opened]:
    from soapclient.tracking.exports.formats.export_file import ExportFile

    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "clicks.csv.gz"), Path(folder, "clicks.parquet")
        write_clicks(source, size)
        file = ExportFile.open(source, report_type="click")
        schema: pyarrow.Schema = file.schema()
        kinds = {name: str(schema.field(name).type) for name in schema.names}

        def way(convert: Callable[[ExportFile, Path], object]) -> Callable[[], Prepared]:
            def run() -> Path:
                target.unlink(missing_ok=True)
                convert(file, target)
                return target

            return lambda: Prepared(run, _values)

        yield Opened(
            expected_clicks(source, kinds),
            {
                OURS: way(lambda file, target: file.to_parquet(target)),
                PLAIN: way(partial(_by_pyarrow, least=0)),
                GROUPED: way(partial(_by_pyarrow, least=None)),
                POLARS: way(_by_polars),
            },
        )


def _by_pyarrow(file: ExportFile, target: Path, *, least: int | None) -> None:
    """Convert with pyarrow alone and the same types.

    A row group has at least `least` rows; if it is None, as many as the groups of soapclient.
    """
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet as pq

    from soapclient.tables.sinks import GROUP

    least = GROUP if least is None else least
    schema = file.schema()
    parse = pyarrow.csv.ParseOptions(newlines_in_values=True)
    convert = pyarrow.csv.ConvertOptions(
        column_types=schema, null_values=[""], strings_can_be_null=True, quoted_strings_can_be_null=True
    )
    reader = pyarrow.csv.open_csv(file.path, parse_options=parse, convert_options=convert)
    held_rows = 0
    held: list[pa.RecordBatch] = []
    with pq.ParquetWriter(target, schema, compression="zstd") as writer:
        for batch in reader:
            held_rows += batch.num_rows
            held.append(batch)
            if held_rows >= least:
                writer.write_table(pa.Table.from_batches(held))
                held, held_rows = [], 0
        if held:
            writer.write_table(pa.Table.from_batches(held))


def _by_polars(file: ExportFile, target: Path) -> None:
    """Convert with polars alone and the same types. It reads the complete file into memory."""
    import polars

    schema = polars.from_arrow(file.schema().empty_table())
    assert isinstance(schema, polars.DataFrame)
    kinds = dict(schema.schema)
    times = [name for name, kind in kinds.items() if isinstance(kind, polars.Datetime)]
    frame = polars.read_csv(file.path, schema_overrides=kinds | dict.fromkeys(times, polars.String))
    parsed = [
        polars.col(name).str.to_datetime("%Y-%m-%dT%H:%M:%S%:z", time_unit="us", time_zone="UTC")
        for name in times
    ]
    frame.with_columns(parsed).write_parquet(target, compression="zstd")


# ---- a backfill


@contextlib.contextmanager
def kept_requests() -> Iterator[list[requests.PreparedRequest]]:
    """Collect the prepared requests that this process sends with requests."""
    sent: list[requests.PreparedRequest] = []
    send = requests.Session.send

    def keep(
        self: requests.Session, request: requests.PreparedRequest, **options: object
    ) -> requests.Response:
        sent.append(request.copy())
        return send(self, request, **options)  # type: ignore[arg-type]  # passed through

    requests.Session.send = keep  # type: ignore[method-assign]  # a worker has its own process
    try:
        yield sent
    finally:
        requests.Session.send = send  # type: ignore[method-assign]  # restore


@contextlib.contextmanager
def _open_backfill(size: int) -> Iterator[Opened]:
    from soapclient.tracking.exports import backfill
    from soapclient.tracking.exports.formats.arrow import schema_for
    from zxws.data.service import PACKAGE

    columns = schema_for(PACKAGE.settings.columns["click"])
    numbers = itertools.count()
    with sandbox(_CLICKS), tempfile.TemporaryDirectory() as name, requests.Session() as session:
        folder = Path(name)

        def run() -> Path:
            place = folder / str(next(numbers))
            summary = backfill(plan_of(place, size))
            assert summary.exit_code == 0, summary.failed[:3]
            return place

        with kept_requests() as sent:
            run()

        target = folder / "same.parquet"
        yield Opened(
            [_CLICKS] * size,
            {
                OURS: lambda: Prepared(run, _rows_of_parts),
                CALLS: lambda: Prepared(partial(_downloads, session, sent), _rows_of_bodies),
                CALLS_AND_PARQUET: lambda: Prepared(
                    lambda: [_written(columns, target, body) for body in _downloads(session, sent)],
                    lambda result: result,
                ),
            },
        )


def _rows_of_parts(place: object) -> object:
    import pyarrow.parquet

    assert isinstance(place, Path)
    files = sorted((place / "dataset").rglob("*.parquet"))
    return [pyarrow.parquet.read_metadata(file).num_rows for file in files]


def _downloads(session: requests.Session, sent: list[requests.PreparedRequest]) -> list[bytes]:
    """Send requests again. Return the bodies of the downloads."""
    bodies = []
    for request in sent:
        with session.send(request, stream=True) as response:
            response.raise_for_status()
            body = b"".join(iter(partial(response.raw.read, 1 << 16), b""))
        if request.method == "GET":
            bodies.append(body)
    return bodies


def _rows_of_bodies(bodies: object) -> object:
    assert isinstance(bodies, list)
    texts = (gzip.decompress(body).decode() for body in bodies)
    return [sum(1 for _ in csv.DictReader(io.StringIO(text, newline=""))) for text in texts]


def _written(columns: pyarrow.Schema, target: Path, body: bytes) -> int:
    """Convert the file of a partition with pyarrow alone and the same types, without checks."""
    import pyarrow.csv
    import pyarrow.parquet

    convert = pyarrow.csv.ConvertOptions(column_types=columns, strings_can_be_null=True)
    text = pyarrow.BufferReader(gzip.decompress(body))
    table = pyarrow.csv.read_csv(text, convert_options=convert)  # type: ignore[arg-type]  # accepts a buffer
    pyarrow.parquet.write_table(table, target, compression="zstd")
    return table.num_rows


_ARROW: Final = ("pyarrow",)
CASES: Final = (
    Case(
        name="parquet", title="A gzip-csv of clicks as Parquet",
        base_is="peer", unit="row", size=400_000, few=20_000, memory=True,
        ways=(Way(PLAIN, _ARROW), Way(OURS, _ARROW), Way(GROUPED, _ARROW), Way(POLARS, ("polars", *_ARROW))),
        open=_open_parquet,
    ),
    Case(
        name="backfill", title="A backfill, one partition of 50 rows per day",
        base_is="floor", unit="partition", size=200, few=10, counted=False,
        ways=(Way(CALLS_AND_PARQUET, _ARROW), Way(OURS, _ARROW), Way(CALLS)), open=_open_backfill,
    ),
)  # fmt: skip
