"""Tables and charts of fixed results have the expected content."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest
from msgspec.structs import replace

from tests.bench import charts, pages, tables
from tests.bench.results import COMPILED, PURE, Result, Row, Run, Spread, merged, net, ratios, spread

pytestmark = pytest.mark.exhaustive

_SVG = "{http://www.w3.org/2000/svg}"


def result(
    case: str = "decode", size: int = 1000, reader: str = PURE, factor: float = 1.0, *, growth: bool = False
) -> Result:
    """Return a result with a floor of 10 ms, soapclient with 40 ms and zeep with 500 ms."""
    times = {"lxml": 0.010, "soapclient": 0.040 * factor, "zeep": 0.5}
    counts = {"lxml": 2e6, "soapclient": 12e6 * factor, "zeep": 120e6}
    rows = [
        Row(way, Spread(time, time * 0.9, time * 1.2, 5), counts[way], 3.0 if way == "zeep" else None)
        for way, time in times.items()
    ]
    return Result(
        case=case,
        title="Decode things",
        size=size,
        unit="thing",
        base="lxml",
        base_is="floor",
        reader=reader,
        rows=rows,
        counted_size=100,
        missing={"suds": "suds is not installed"},
        growth=growth,
    )


def test_spread_is_the_median_and_the_quartiles() -> None:
    assert spread([5.0, 1.0, 4.0, 2.0, 3.0]) == Spread(3.0, 2.0, 4.0, 5)
    assert spread([7.0]) == Spread(7.0, 7.0, 7.0, 1)


def test_costs_of_the_idle_way_are_subtracted() -> None:
    rows = [
        Row("bare", Spread(0.02, 0.02, 0.02, 3), 100.0),
        Row("base", Spread(0.12, 0.11, 0.14, 3), 1100.0),
        Row("soapclient", Spread(0.07, 0.07, 0.07, 3), 350.0),
    ]
    started = Result("start", "Start", 1, "process", "base", "peer", PURE, rows, 1, {}, "bare")
    assert [row.way for row in net(started)] == ["base", "soapclient"]
    assert ratios(started)["soapclient"] == pytest.approx((0.5, 0.25))


def test_table_of_a_case_has_ratios_times_and_what_is_missing() -> None:
    assert tables.case_table([result()]) == (
        "### `decode`: Decode things\n\n"
        "1,000 things. Ratios to the floor `lxml`. Instructions: 100 things."
        " Without suds: suds is not installed.\n\n"
        "| Way | CPU, ratio | CPU, ms | Instructions, ratio | Instructions per thing | Memory, MB |\n"
        "| --- | --- | --- | --- | --- | --- |\n"
        "| lxml | 1.00 | 10.0 (9.00 to 12.0) | 1.00 | 20.0 thousand | - |\n"
        "| soapclient | 4.00 | 40.0 (36.0 to 48.0) | 6.00 | 120.0 thousand | - |\n"
        "| zeep | 50.0 | 500 (450 to 600) | 60.0 | 1.2 million | 3.00 |\n"
    )


def test_table_shows_both_readers_and_each_peer_once() -> None:
    lines = tables.case_table([result(), result(reader=COMPILED, factor=0.25)]).splitlines()
    assert [line.split("|")[1:3] for line in lines[6:]] == [
        [" lxml ", " 1.00 "],
        [" soapclient, pure ", " 4.00 "],
        [" zeep ", " 50.0 "],
        [" soapclient, compiled ", " 1.00 "],
    ]


def test_table_escapes_bars() -> None:
    assert tables.table(["a|b"], [["c|d"]]) == "| a\\|b |\n| --- |\n| c\\|d |\n"


def test_growth_is_shown_per_unit_and_with_both_readers() -> None:
    readers = [result(), result(size=10_000), result(reader=COMPILED, factor=0.5)]
    table = tables.growth_table(readers).splitlines()
    assert table[4] == "| things | lxml | soapclient, pure | zeep | soapclient, compiled |"
    assert table[6:] == ["| 1,000 | 10.0 | 40.0 | 500 | 20.0 |", "| 10,000 | 1.00 | 4.00 | 50.0 | - |"]


def test_later_results_replace_earlier_ones() -> None:
    first = Run("one", {"lxml": "5", "suds": "1"}, [result(), result("call", 1)], ["wide: failed"])
    second = Run("two", {"lxml": "6"}, [result(factor=2.0)])
    run = merged([first, second])
    versions = {"lxml": "6", "suds": "1"}
    assert run == Run("two", versions, [result(factor=2.0), result("call", 1)], ["wide: failed"])


def test_bars_have_lengths_proportional_to_their_values() -> None:
    chart = charts.bars("A title <with> marks", "a note", {"lxml": 1.0, "soapclient": 4.0}, ["soapclient"])
    root = ElementTree.fromstring(chart)
    first, second = root.iter(f"{_SVG}rect")
    assert float(second.attrib["width"]) == 390.0  # all that labels and numbers leave of 720
    assert float(first.attrib["width"]) == pytest.approx(390.0 / 4, abs=0.06)
    assert (first.attrib["class"], second.attrib["class"]) == ("other", "ours")
    texts = [node.text for node in root.iter(f"{_SVG}text")]
    assert texts == ["A title <with> marks", "a note", "lxml", "1.0", "soapclient", "4.0"]
    assert "prefers-color-scheme: dark" in chart


def test_lines_are_straight_if_time_grows_with_size() -> None:
    points = [(100.0, 1.0), (1000.0, 10.0), (10_000.0, 100.0)]
    root = ElementTree.fromstring(charts.lines("Growth", "a note", {"soapclient": points}, "soapclient"))
    (line,) = root.iter(f"{_SVG}polyline")
    (x1, y1), (x2, y2), (x3, y3) = (map(float, point.split(",")) for point in line.attrib["points"].split())
    assert (x1, x3) == (60.0, 530.0)
    assert x2 - x1 == pytest.approx(x3 - x2, abs=0.11)
    assert y1 - y2 == pytest.approx(y2 - y3, abs=0.11)
    assert y1 > y3  # up is more


def test_update_replaces_only_the_measured_parts(tmp_path: Path) -> None:
    page, readme = tmp_path / pages.PAGE, tmp_path / pages.README
    page.parent.mkdir(parents=True)
    page.write_text("# Top\n<!-- measured: tables -->\nold\n<!-- measured end -->\n## Below\n")
    readme.write_text("Before\n<!-- measured: numbers -->\nold\n<!-- measured end -->\nAfter\n")
    first = result("first-call", 1)
    results = [
        result(),
        result("call", 1),
        first,
        *(result("stream", size, growth=True) for size in (100, 1000)),
    ]
    run = Run("two cores", {"lxml": "6.1"}, results)
    written = pages.update(run, tmp_path)
    text = page.read_text()
    assert text.startswith("# Top\n<!-- measured: tables -->\n\nMeasured on two cores; lxml 6.1.")
    assert text.endswith("<!-- measured end -->\n## Below\n")
    assert "old" not in text
    assert "### `stream` at several sizes" in text
    assert readme.read_text() == (
        "Before\n<!-- measured: numbers -->\n"
        "zeep needs 12.5 times as much CPU time to decode a list of sales, 12.5 times as much for a call "
        "and 0.25 times as much\n"
        "for the first call of a process ([measurements](docs/reference/measurements.md)).\n"
        "<!-- measured end -->\nAfter\n"
    )
    charts_written = [path for path in written if path.suffix == ".svg"]
    assert [path.name for path in charts_written] == ["measurements-stream-growth.svg"]
    assert all(f"({path.name})" in text for path in charts_written)
    pages.update(run, tmp_path)
    assert page.read_text() == text


def test_update_of_one_case_keeps_the_others_with_their_dates(tmp_path: Path) -> None:
    page = tmp_path / pages.PAGE
    page.parent.mkdir(parents=True)
    page.write_text("<!-- measured: tables -->\n<!-- measured end -->\n")
    old = [replace(result(case), date="2026-11-01") for case in ("call", "decode")]
    pages.update(Run("one core", {"lxml": "5"}, old), tmp_path)
    new = replace(result(factor=2.0), date="2026-11-02")
    pages.update(Run("two cores", {"lxml": "6"}, [new], ["wide: failed"]), tmp_path)
    sections = page.read_text().split("### ")[1:]
    assert [section.split("`")[1] for section in sections] == ["decode", "call"]  # in the order of the cases
    assert "Measured on 2026-11-02." in sections[0]
    assert "| soapclient | 8.00 |" in sections[0]
    assert "Measured on 2026-11-01." in sections[1]
    assert "| soapclient | 4.00 |" in sections[1]
    stored = msgspec.json.decode((tmp_path / pages.STORED).read_bytes(), type=Run)
    assert stored == Run("two cores", {"lxml": "6"}, [new, old[0]])


def test_update_names_a_part_that_is_missing() -> None:
    with pytest.raises(KeyError, match="measured: tables"):
        pages.replace_part("no part", "tables", "")
