"""The rows of an order, and a check that a file has them. Does not use the client to read files."""

from __future__ import annotations

import csv
import datetime as dt
import gzip
import io
import re
from pathlib import Path
from typing import Final

import duckdb

from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, Sandbox
from soapclient.tracking.sandbox.exports.reports import COLUMNS, Order
from soapclient.tracking.sandbox.exports.rows import blocks

STATE: Final = re.compile(r"lock|[^.]*\.json")  # files that record orders
_COLUMNS: Final = "DESCRIBE SELECT * FROM read_parquet(?, hive_partitioning=false)"
_DIFFERENT: Final = """
    WITH truth AS (SELECT {casts} FROM read_csv(?, all_varchar=true, header=true, nullstr='')),
    given AS (SELECT {names} FROM read_parquet(?, hive_partitioning=false))
    SELECT count(*) FROM ((FROM truth EXCEPT ALL FROM given) UNION ALL (FROM given EXCEPT ALL FROM truth))
"""


def order_of(kind: str, day: dt.date, columns: tuple[str, ...] = ()) -> Order:
    """Return the order of a day's report that the sandbox should receive. The user may choose `columns`."""
    nothing = dict.fromkeys(("review_state", "currency", "program_id", "adspace_id", "format_id"))
    shown, chosen = columns or COLUMNS[kind], bool(columns)
    return Order(kind, shown, (), day, day, "trackingDate", **nothing, chosen=chosen)


def left_in(folder: Path, kept: re.Pattern[str]) -> list[Path]:
    """Return the files of a folder whose names do not match."""
    return [path for path in folder.rglob("*") if path.is_file() and not kept.fullmatch(path.name)]


class Truth:
    """The content of the sandbox. Every order is for one day and has `rows` rows."""

    def __init__(self, sandbox: Sandbox, rows: int, folder: Path) -> None:
        self.rows = rows
        self.rows_right = 0
        """Of all files that were found right."""
        self._sandbox = sandbox
        self._plain = folder / "truth.csv"
        self._last: tuple[Order, bytes] | None = None

    def problem(self, order: Order, file: Path) -> str | None:
        """Return the problem with a file (gzip CSV, CSV or Parquet, by its name), or None."""
        if not file.exists():
            return f"there is no file {file.name}"
        text = self._text(order)
        parquet = file.suffix == ".parquet"
        problem = self._parquet_problem(text, file) if parquet else self._csv_problem(order, text, file)
        self.rows_right += self.rows if problem is None else 0
        return problem

    def _text(self, order: Order) -> bytes:
        if self._last is None or self._last[0] != order:
            parts = blocks(order, self._sandbox._store.of(SAMPLE_CONNECT_ID))
            self._last = order, b"".join(block for _, block in parts)
        return self._last[1]

    def _csv_problem(self, order: Order, text: bytes, file: Path) -> str | None:
        content = file.read_bytes()
        if file.suffix == ".gz":
            try:
                content = gzip.decompress(content)
            except (OSError, EOFError) as error:
                return f"{file.name} is no whole gzip: {error}"
        if content != text:
            return f"{file.name} has other rows than the sandbox; it begins {content[:300]!r}"
        header, *rows = csv.reader(io.StringIO(content.decode("utf-8"), newline=""))
        key = next((at for at, name in enumerate(header) if name == f"{order.kinds[0]}Id"), 0)
        ids = {row[key] for row in rows}
        if tuple(header) != order.columns or len(rows) != self.rows or len(ids) != self.rows:
            return f"{file.name} has {len(rows)} rows of {len(ids)} ids, not {self.rows}: {header}"
        return None

    def _parquet_problem(self, text: bytes, file: Path) -> str | None:
        self._plain.write_bytes(text)
        try:
            with duckdb.connect() as connection:
                connection.execute("SET TimeZone = 'UTC'")
                found = connection.execute(_COLUMNS, [str(file)]).fetchall()
                named = text.partition(b"\r\n")[0].decode().split(",")
                if [name for name, *_ in found] != named:
                    return f"{file.name} has the columns {[name for name, *_ in found]}"
                casts = ", ".join(f'CAST("{name}" AS {kind}) AS "{name}"' for name, kind, *_ in found)
                names = ", ".join(f'"{name}"' for name in named)
                query = _DIFFERENT.format(casts=casts, names=names)
                (row,) = connection.execute(query, [str(self._plain), str(file)]).fetchall()
        except duckdb.Error as error:
            return f"{file.name} is no Parquet file of these rows: {error}"
        return None if row[0] == 0 else f"{file.name} has {row[0]} rows that differ from the sandbox's"
