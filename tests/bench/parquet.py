"""Measure time and memory for converting an export to Parquet: `python tests/bench/parquet.py`.

The file is a gzip-csv of two million clicks as written by the sandbox. For comparison it is converted with
pyarrow's own reader and writer, as in pyarrow's documentation. README.md in this folder explains the results.
"""

from __future__ import annotations

import argparse
import datetime as dt
import gzip
import importlib
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from soapclient.tracking.exports.formats.export_file import ExportFile

_OURS, _PLAIN, _GROUPED = "to_parquet", "pyarrow", "pyarrow, same groups"
_PER_DAY = 200_000


def write_clicks(path: Path, rows: int) -> None:
    """Write an export of that many clicks as the sandbox does, always the same."""
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
        review_state=None,
        currency=None,
        program_id=None,
        adspace_id=None,
        format_id=None,
    )
    with gzip.GzipFile(path, "wb", compresslevel=1, mtime=0) as packed:
        for _, text in blocks(order, Store(1, per_day).of("802B8BF4AE99EBE00F41")):
            packed.write(text)


# ---- the ways: each writes a Parquet file and returns the number of rows


def _ours(file: ExportFile, target: Path) -> int:
    return file.to_parquet(target).rows


def _plain(file: ExportFile, target: Path) -> int:
    return _pyarrow(file, target, 0)


def _grouped(file: ExportFile, target: Path) -> int:
    from soapclient.tables.sinks import GROUP

    return _pyarrow(file, target, GROUP)


def _pyarrow(file: ExportFile, target: Path, group: int) -> int:
    """Convert with pyarrow alone and the same types. Row groups are blocks, or have `group` rows."""
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet as pq

    schema = file.schema()
    reader = pyarrow.csv.open_csv(
        file.path,
        parse_options=pyarrow.csv.ParseOptions(newlines_in_values=True),
        convert_options=pyarrow.csv.ConvertOptions(
            column_types=schema,
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=True,
        ),
    )
    rows = held_rows = 0
    held: list[pa.RecordBatch] = []
    with pq.ParquetWriter(target, schema, compression="zstd") as writer:
        for batch in reader:
            rows += batch.num_rows
            held_rows += batch.num_rows
            held.append(batch)
            if held_rows >= group:
                writer.write_table(pa.Table.from_batches(held))
                held, held_rows = [], 0
        if held:
            writer.write_table(pa.Table.from_batches(held))
    return rows


WAYS: dict[str, Callable[[ExportFile, Path], int]] = {_OURS: _ours, _PLAIN: _plain, _GROUPED: _grouped}


# ---- measurement


def _run(way: str, source: Path) -> None:
    """Run a way once, in this process. Print seconds, CPU seconds of all threads, peak MB and rows."""
    from soapclient.tracking.exports.formats.export_file import ExportFile

    file = ExportFile.open(source, report_type="click")
    file.schema()  # exclude the imports
    importlib.import_module("soapclient.tracking.exports.formats.arrow")
    with tempfile.TemporaryDirectory(dir=source.parent) as folder:
        target = Path(folder) / "clicks.parquet"
        begin, busy = time.perf_counter(), time.process_time()
        rows = WAYS[way](file, target)
        done = (time.perf_counter() - begin, time.process_time() - busy, _own_peak(), rows)
        print(json.dumps((*done, target.stat().st_size / 1e6)))
    assert rows == file.row_count, f"{way} found {rows} of {file.row_count}"


def _child(*arguments: object) -> str:
    command = [sys.executable, __file__, *map(str, arguments)]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def _own_peak() -> float:
    kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return kilobytes / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def _report(rows: int, rounds: int, folder: Path) -> None:
    """Print the table for one size. Every run is a separate process; the ways alternate."""
    source = folder / f"{rows}.csv.gz"
    _child("--write", source, "--rows", rows)
    runs: dict[str, list[list[float]]] = {way: [] for way in WAYS}
    for _ in range(rounds):
        for way in WAYS:
            runs[way].append(json.loads(_child("--way", way, "--source", source)))
    best = {way: [min(run[at] for run in found) for at in range(5)] for way, found in runs.items()}
    print(f"{rows} clicks, {source.stat().st_size / 1e6:.1f} MB packed, the least of {rounds} rounds")
    print(f"{'way':<24}{'s':>8}{'x pyarrow':>11}{'CPU s':>8}{'x pyarrow':>11}{'peak MB':>9}{'file MB':>9}")
    for way, (wall, busy, peak, _, size) in best.items():
        print(
            f"{way:<24}{wall:>8.2f}{wall / best[_PLAIN][0]:>11.2f}{busy:>8.2f}{busy / best[_PLAIN][1]:>11.2f}"
            f"{peak:>9.0f}{size:>9.1f}"
        )
    source.unlink()


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2_000_000, help="below 200000, or a multiple of it")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--memory", action="store_true", help="0.2 and 20 million rows, once each: minutes")
    parser.add_argument("--write", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--way", choices=list(WAYS), help=argparse.SUPPRESS)
    parser.add_argument("--source", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.write:
        write_clicks(arguments.write, arguments.rows)
        return
    if arguments.way:
        _run(arguments.way, arguments.source)
        return
    with tempfile.TemporaryDirectory() as folder:
        if arguments.memory:
            for rows in (200_000, 20_000_000):
                _report(rows, 1, Path(folder))
        else:
            _report(arguments.rows, arguments.rounds, Path(folder))


if __name__ == "__main__":
    main()
