"""The bench runs on a WSDL that other tools accept, and prints its tables. Its speed is not checked."""

from __future__ import annotations

import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zeep
from lxml import etree

pytestmark = pytest.mark.exhaustive

_BENCH = Path(__file__).parent / "generate.py"
_XSD = "{http://www.w3.org/2001/XMLSchema}"


def test_bench_prints_a_row_per_variant_and_contract() -> None:
    done = subprocess.run(
        [sys.executable, str(_BENCH), "--types", "40", "--rounds", "1"],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 8
    for (title, head, *rows), named in zip(
        (lines[:4], lines[4:]), ("the publisher contract, ", "40 synthetic types, "), strict=True
    ):
        assert title.startswith(named)
        assert head.split() == ["way", "ms", "x", "zeep", "MB"]
        table = {row[:16].strip(): [float(cell) for cell in row[16:].split()] for row in rows}
        assert list(table) == ["zeep.Client", "bindgen"]
        assert all(len(cells) == 3 for cells in table.values())
        assert all(cells[0] > 0 for cells in table.values())
        assert table["zeep.Client"][1] == 1.0
        # Rounded for display: milliseconds to integers, ratios to hundredths.
        ratio = table["bindgen"][0] / table["zeep.Client"][0]
        assert abs(ratio - table["bindgen"][1]) < 0.1 * ratio


def test_measured_wsdl_is_valid_and_constant(tmp_path: Path) -> None:
    synthetic: Callable[[int], str] = runpy.run_path(str(_BENCH), run_name="bench")["synthetic"]
    text = synthetic(100)
    assert text == synthetic(100)
    root = etree.fromstring(text.encode())
    (schema,) = root.iter(f"{_XSD}schema")
    etree.XMLSchema(etree.fromstring(etree.tostring(schema)))
    types = {node.get("name") for node in schema.iterfind(f"{_XSD}complexType")}
    assert len(types) == 100
    # Each is reachable from a message, so that none can be omitted as unused.
    parts = schema.iterfind("{*}element//{*}element")
    assert {node.get("type", "").removeprefix("t:") for node in parts} == types
    file = tmp_path / "synthetic.wsdl"
    file.write_text(text)
    make: Callable[[str], Any] = zeep.Client  # untyped
    client = make(str(file))
    assert len(client.service._operations) == 5
    body = client.create_message(client.service, "Operation3")[0]
    assert [node.tag for node in body] == ["{urn:example:synthetic}Operation3"]
