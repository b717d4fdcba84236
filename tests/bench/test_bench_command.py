"""The command runs at small size, and the measured documents are valid. Its figures are not checked."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec
import pytest
import zeep
from lxml import etree

from soapclient.tracking.exports.formats.export_file import ExportFile
from tests.bench.__main__ import main
from tests.bench.cases import OURS, ROOT, all_cases
from tests.bench.contracts import synthetic
from tests.bench.export_cases import write_clicks
from tests.bench.results import Run
from tests.bench.shapes import SALES, SALES_SPACE, document, sales_values

pytestmark = pytest.mark.exhaustive

_XSD = "{http://www.w3.org/2001/XMLSchema}"
_SMALL = ("--small", "--no-instructions", "--json")
_LARGE_ITEMS = ("decode", "deep", "page", "wide")  # two of their items are enough


@pytest.mark.sampled(0, 6)
@pytest.mark.parametrize("case", list(all_cases()))
def test_case_runs_with_all_installed_ways(case: str, capsys: pytest.CaptureFixture[str]) -> None:
    size = ("--size", "2") if case in _LARGE_ITEMS else ()
    assert main([case, *_SMALL, *size, *(() if case == "stream" else ("--no-memory",))]) == 0
    run = msgspec.json.decode(capsys.readouterr().out, type=Run)
    assert {result.case for result in run.results} == {case}
    for result in run.results:
        measured = {row.way for row in result.rows}
        assert {OURS, result.base} <= measured
        assert all(row.cpu is not None and row.cpu.median > 0 for row in result.rows)
        assert all((row.memory is not None) == (case == "stream") for row in result.rows)
        assert measured | set(result.missing) == {way.name for way in all_cases()[case].ways}
    for name, module in (("xsdata", "xsdata"), ("pydantic-xml", "pydantic_xml"), ("xmltodict", "xmltodict")):
        if case == "decode":
            assert (name in run.results[0].missing) == (find_spec(module) is None)


def test_only_the_named_ways_run_at_the_named_sizes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["decode", *_SMALL, "--sizes", "2,5", "--way", OURS, "--reader", "pure"]) == 0
    run = msgspec.json.decode(capsys.readouterr().out, type=Run)
    ways = [(result.size, [row.way for row in result.rows]) for result in run.results]
    assert ways == [(size, ["lxml.etree.fromstring", OURS]) for size in (2, 5)]


def test_printed_results_can_be_shown_again(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["json", *_SMALL]) == 0
    file = tmp_path / "results.json"
    file.write_text(capsys.readouterr().out)
    assert main(["--from", str(file)]) == 0
    assert "### `json`: " in capsys.readouterr().out


def test_list_names_all_cases_and_ways(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list"]) == 0
    lines = capsys.readouterr().out.splitlines()[2:]
    assert [re.findall("`([^`]+)`", line)[0] for line in lines] == list(all_cases())
    assert all(OURS in line for line in lines)


def test_compiled_reader_is_refused_if_it_is_not_installed(capsys: pytest.CaptureFixture[str]) -> None:
    if find_spec("_soapclient_xmlread") is not None:
        pytest.skip("it is installed")
    assert main(["json", "--reader", "compiled"]) == 2
    assert "no module _soapclient_xmlread" in capsys.readouterr().err


# ---- the measured documents


def test_measured_response_is_valid_and_constant() -> None:
    def response() -> bytes:
        return document(SALES, sales_values(300), SALES_SPACE)

    assert response() == response()
    wsdl = ROOT / "wsdl/publisher/2011-03-01/publisher.wsdl"
    (schema,) = etree.parse(wsdl).getroot().iterfind("{*}types/{*}schema")
    sales = etree.fromstring(response())[0][0]
    etree.XMLSchema(etree.fromstring(etree.tostring(schema))).assertValid(sales)
    assert len(sales[-1]) == 300
    assert sum(1 for _ in sales[-1][0].iter()) >= 20


def test_measured_wsdl_is_valid_and_constant(tmp_path: Path) -> None:
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


def test_measured_export_has_the_contract_columns_and_is_constant(tmp_path: Path) -> None:
    one, other = tmp_path / "1.csv.gz", tmp_path / "2.csv.gz"
    write_clicks(one, 250)
    write_clicks(other, 250)
    assert gzip.decompress(one.read_bytes()) == gzip.decompress(other.read_bytes())
    file = ExportFile.open(one, report_type="click", on_drift="error")
    assert file.row_count == 250
    assert len({row["clickId"] for row in file}) == 250


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["decod"], "decod is not a case. Cases: decode, "),
        (["decode", "--way", "zepp"], "zepp is not a way"),
        (["decode", "--sizes", "2,x"], "must be numbers"),
    ],
)
def test_wrong_arguments_are_usage_errors(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    assert message in capsys.readouterr().err
