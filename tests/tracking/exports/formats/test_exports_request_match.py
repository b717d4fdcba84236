"""Check that the rows of a file match the filters of the order."""

from __future__ import annotations

import gzip
import pickle
from collections.abc import Callable, Sequence
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from soapclient.errors import NotThisExport, NotThisRequest
from soapclient.runtime.settings import Column
from soapclient.tracking.exports.formats.export_file import ExportFile
from soapclient.tracking.exports.formats.request_match import check_filters, check_request
from soapclient.tracking.exports.handle import JobId

BERLIN = ZoneInfo("Europe/Berlin")
REQUEST: dict[str, JobId] = {"report_type": "sale", "from_date": "2026-11-01", "to_date": "2026-11-02"}
COLUMNS = ["saleId", "reviewState", "trackingDate", "programId", "adspaceId", "currency"]
ROW = ["1", "open", "2026-11-01T10:00:00+01:00", "7", "8", "EUR"]
ToCsv = Callable[[Sequence[Sequence[str]]], bytes]
Filed = Callable[..., ExportFile]


@pytest.fixture
def filed(tmp_path: Path, to_csv: ToCsv) -> Filed:
    def file(*rows: Sequence[str], columns: Sequence[str] = COLUMNS) -> ExportFile:
        path = tmp_path / "x.csv.gz"
        path.write_bytes(gzip.compress(to_csv([columns, *rows])))
        known = tuple(Column(name, "xsd:string") for name in columns)  # independent of the contract's types
        return ExportFile.open(path, report_type="sale", known=known)

    return file


@pytest.mark.parametrize(
    ("field", "right", "wrong", "column"),
    [
        ("program_id", 7, 8, "programId"),
        ("adspace_id", 8, 7, "adspaceId"),
        ("review_state", "open", "confirmed", "reviewState"),
        ("review_state", "OPEN", "rejected", "reviewState"),
        ("currency", "EUR", "CHF", "currency"),
    ],
)
def test_row_excluded_by_a_filter_belongs_to_another_order(
    filed: Filed, field: str, right: JobId, wrong: JobId, column: str
) -> None:
    file = filed(ROW, ["", *[""] * 5], ROW)
    assert check_request(file, REQUEST | {field: right}, BERLIN)
    with pytest.raises(NotThisExport, match=f"row 1 has {column} '{ROW[COLUMNS.index(column)]}'") as caught:
        check_request(file, REQUEST | {field: wrong}, BERLIN)
    error = caught.value
    assert isinstance(error, NotThisRequest)
    assert (error.row, error.column, error.asked) == (1, column, wrong)
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.asked, again.row) == (str(error), wrong, 1)


def test_the_first_such_row_is_named(filed: Filed) -> None:
    other = [*ROW[:3], "9", *ROW[4:]]
    with pytest.raises(NotThisRequest, match="row 3 has programId '9', but 7 was ordered"):
        check_filters(filed(ROW, ROW, other, other), REQUEST | {"program_id": 7})


def test_days_of_rows_are_compared(filed: Filed) -> None:
    late = [*ROW[:2], "2026-11-03T00:00:00+01:00", *ROW[3:]]
    with pytest.raises(NotThisExport, match="row 1 has trackingDate"):
        check_request(filed(late), REQUEST | {"program_id": 7}, BERLIN)


def test_fields_and_columns_without_a_counterpart_are_ignored(filed: Filed) -> None:
    asked: dict[str, JobId] = {"program_id": 1, "admedium_format_id": 5, "date_type": "trackingDate"}
    check_filters(filed(["2026-11-01", "1"], columns=["day", "count"]), REQUEST | asked)
    check_filters(filed(ROW), REQUEST)
