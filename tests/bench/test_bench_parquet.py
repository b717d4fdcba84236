"""The bench runs on a file with the contract's columns, and prints its table. Its speed is not checked."""

from __future__ import annotations

import gzip
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from soapclient.tracking.exports.formats.export_file import ExportFile

pytestmark = pytest.mark.exhaustive

_BENCH = Path(__file__).parent / "parquet.py"


def test_bench_prints_a_row_per_variant() -> None:
    done = subprocess.run(
        [sys.executable, str(_BENCH), "--rows", "300", "--rounds", "1"],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    title, head, *rows = done.stdout.splitlines()
    assert title.startswith("300 clicks, ")
    assert head.split()[:2] == ["way", "s"]
    table = {row[:24].strip(): [float(cell) for cell in row[24:].split()] for row in rows}
    assert list(table) == ["to_parquet", "pyarrow", "pyarrow, same groups"]
    assert all(len(cells) == 6 for cells in table.values())
    assert table["pyarrow"][1] == table["pyarrow"][3] == 1.0


def test_measured_file_has_the_contract_columns_and_is_constant(tmp_path: Path) -> None:
    write = runpy.run_path(str(_BENCH), run_name="bench")["write_clicks"]
    one, other = tmp_path / "1.csv.gz", tmp_path / "2.csv.gz"
    write(one, 250)
    write(other, 250)
    assert gzip.decompress(one.read_bytes()) == gzip.decompress(other.read_bytes())
    file = ExportFile.open(one, report_type="click", on_drift="error")
    assert file.row_count == 250
    assert len({row["clickId"] for row in file}) == 250
