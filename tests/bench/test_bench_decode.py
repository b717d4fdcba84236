"""The bench runs on a valid response and prints its table. Its speed is not checked."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from lxml import etree

pytestmark = pytest.mark.exhaustive

_BENCH = Path(__file__).parent / "decode.py"
_WSDL = Path(__file__).parents[2] / "wsdl/publisher/2011-03-01/publisher.wsdl"


def test_bench_prints_a_row_per_variant() -> None:
    done = subprocess.run(
        [sys.executable, str(_BENCH), "--items", "30", "--rounds", "1"],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    title, head, *rows = done.stdout.splitlines()
    assert title.startswith("30 sales, ")
    assert head.split()[:2] == ["way", "ms"]
    table = {row[:24].strip(): [float(cell) for cell in row[24:].split()] for row in rows}
    assert list(table) == ["lxml.etree.fromstring", "decoder, tree", "decoder, stream", "zeep"]
    assert all(len(cells) == 5 for cells in table.values())
    assert table["lxml.etree.fromstring"][1] == 1.0
    assert table["zeep"][2] == 1.0
    assert all(cells[3] > 0 for cells in table.values())


def test_measured_response_is_valid_and_constant() -> None:
    chunks = runpy.run_path(str(_BENCH), run_name="bench")["chunks"]
    response = b"".join(chunks(300))
    assert response == b"".join(chunks(300))
    assert len(list(chunks(300))) > 3
    (schema,) = etree.parse(_WSDL).getroot().iterfind("{*}types/{*}schema")
    sales = etree.fromstring(response)[0][0]
    etree.XMLSchema(etree.fromstring(etree.tostring(schema))).assertValid(sales)
    assert len(sales[-1]) == 300
    assert sum(1 for _ in sales[-1][0].iter()) >= 20
