"""Check that the rows of a file are from the ordered days and match the filters of the order."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from datetime import UTC
from zoneinfo import ZoneInfo

import pytest

from soapclient.errors import NotThisExport, NotThisRequest, ResponseError
from soapclient.runtime.settings import Column
from soapclient.tracking.exports.formats.export_file import ExportFile
from soapclient.tracking.exports.formats.request_match import check_days, check_filters, check_request
from soapclient.tracking.exports.handle import JobId
from tests.tracking.exports.conftest import Write

BERLIN = ZoneInfo("Europe/Berlin")
REQUEST: dict[str, JobId] = {"report_type": "click", "from_date": "2026-11-01", "to_date": "2026-11-02"}
Filed = Callable[..., ExportFile]


@pytest.fixture
def filed(write: Write) -> Filed:
    def file(*rows: Sequence[str], report_type: str = "click") -> ExportFile:
        return ExportFile.open(write(rows), report_type=report_type, naive_zone=BERLIN)

    return file


def test_days_start_and_end_in_the_report_zone(filed: Filed) -> None:
    inside = ("2026-10-31T23:00:00Z", "2026-11-02T22:59:59.999Z", "2026-11-01T00:00:00", "")
    assert check_days(filed(["clickId", "clickDate"], *(["1", text] for text in inside)), REQUEST, BERLIN)
    for outside in ("2026-10-31T22:59:59Z", "2026-11-03T00:00:00+01:00"):
        file = filed(["clickId", "clickDate"], ["1", inside[0]], ["2", outside], ["3", "not looked at"])
        with pytest.raises(NotThisExport, match="row 2 has clickDate") as caught:
            check_days(file, REQUEST, BERLIN)
        assert (caught.value.row, caught.value.column) == (2, "clickDate")
        assert str(file.path) in str(caught.value)
    assert check_days(filed(["clickDate"], ["2026-10-31T22:59:59Z"], ["2026-10-31T22:00:00Z"]), REQUEST | {
        "from_date": "2026-10-31"}, UTC)  # fmt: skip


INSIDE, BEFORE = "2026-11-01T10:00:00+01:00", "2026-10-01T10:00:00+02:00"


@pytest.mark.parametrize(
    ("report_type", "date_type", "wrong"),
    [
        ("sale", None, "trackingDate"),
        ("sale", "trackingDate", "trackingDate"),
        ("sale", "clickDate", "clickDate"),
        ("lead", "modifiedDate", "modifiedDate"),
    ],
)
def test_column_of_the_date_type_is_compared(
    filed: Filed, report_type: str, date_type: str | None, wrong: str
) -> None:
    columns = ["id", "trackingDate", "modifiedDate", "clickDate"]
    request = REQUEST | ({"date_type": date_type} if date_type else {})
    right = [INSIDE if column == wrong else BEFORE for column in columns]
    assert check_days(filed(columns, right, report_type=report_type), request, BERLIN)
    spoilt = [BEFORE if column == wrong else INSIDE for column in columns]
    with pytest.raises(NotThisExport, match=wrong):
        check_days(filed(columns, spoilt, report_type=report_type), request, BERLIN)


@pytest.mark.parametrize(
    ("report_type", "columns", "options"),
    [
        ("click", ["clickId", "referrer"], {}),  # no date
        ("click", ["clickDate"], {"date_type": "modifiedDate"}),  # clicks do not have it
        ("sale", ["clickDate"], {}),  # sales are reported by trackingDate, not by clickDate
        ("leads", ["clickDate", "modifiedDate"], {}),
        ("click", ["country", "count"], {"group_by": "country"}),
        ("click", ["day", "count"], {"group_by": "day"}),  # its format is unknown, so it is not compared
    ],
)
def test_file_without_days_is_reported(
    filed: Filed, report_type: str, columns: list[str], options: dict[str, JobId]
) -> None:
    file = filed(columns, [BEFORE for _ in columns], report_type=report_type)
    assert check_days(file, REQUEST | options, BERLIN) is False


def test_file_without_rows_is_inconclusive(filed: Filed) -> None:
    assert check_days(filed(["clickId", "clickDate"]), REQUEST, BERLIN) is False
    assert check_days(filed(["day", "count"]), REQUEST | {"group_by": "day"}, BERLIN) is False


def test_a_custom_report_is_dated_by_its_clicks(filed: Filed) -> None:
    request = REQUEST | {"report_type": "custom", "columns": "clickDate,country"}
    assert check_days(filed(["clickDate", "country"], [INSIDE, "DE"], report_type="custom"), request, BERLIN)
    with pytest.raises(NotThisExport):
        check_days(filed(["clickDate", "country"], [BEFORE, "DE"], report_type="custom"), request, BERLIN)
    # Sales are reported by the day they were tracked, not by clickDate. Without that column nothing is known.
    sales = filed(["saleId", "clickDate"], ["1", BEFORE], report_type="custom")
    assert check_days(sales, request, BERLIN) is False


@pytest.mark.parametrize(
    ("column", "inside", "outside"), [("day", "2026-11-02", "2026-11-03"), ("month", "2026-11", "2026-10")]
)
def test_a_grouped_report_has_days_or_months(filed: Filed, column: str, inside: str, outside: str) -> None:
    request = REQUEST | {"group_by": f"country,{column}"}
    assert check_days(filed(["country", column], ["DE", inside]), request, BERLIN)
    with pytest.raises(NotThisExport, match=f"row 2 has {column}"):
        check_days(filed(["country", column], ["DE", inside], ["DE", outside]), request, BERLIN)


def test_unreadable_date_error_has_its_line(filed: Filed) -> None:
    with pytest.raises(ResponseError, match="line 2/clickDate"):
        check_days(filed(["clickId", "clickDate"], ["1", "yesterday"]), REQUEST, BERLIN)


# ---- filters

SALES = REQUEST | {"report_type": "sale"}
COLUMNS = ["saleId", "reviewState", "trackingDate", "programId", "adspaceId", "currency"]
ROW = ["1", "open", "2026-11-01T10:00:00+01:00", "7", "8", "EUR"]


@pytest.fixture
def sales(write: Write) -> Filed:
    def file(*rows: Sequence[str], columns: Sequence[str] = COLUMNS) -> ExportFile:
        known = tuple(Column(name, "xsd:string") for name in columns)  # independent of the contract's types
        return ExportFile.open(write([columns, *rows]), report_type="sale", known=known)

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
    sales: Filed, field: str, right: JobId, wrong: JobId, column: str
) -> None:
    file = sales(ROW, ["", *[""] * 5], ROW)
    assert check_request(file, SALES | {field: right}, BERLIN)
    with pytest.raises(NotThisExport, match=f"row 1 has {column} '{ROW[COLUMNS.index(column)]}'") as caught:
        check_request(file, SALES | {field: wrong}, BERLIN)
    error = caught.value
    assert isinstance(error, NotThisRequest)
    assert (error.row, error.column, error.asked) == (1, column, wrong)
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.asked, again.row) == (str(error), wrong, 1)


def test_the_first_such_row_is_named(sales: Filed) -> None:
    other = [*ROW[:3], "9", *ROW[4:]]
    with pytest.raises(NotThisRequest, match="row 3 has programId '9', but 7 was ordered"):
        check_filters(sales(ROW, ROW, other, other), SALES | {"program_id": 7})


def test_days_of_rows_are_compared_too(sales: Filed) -> None:
    late = [*ROW[:2], "2026-11-03T00:00:00+01:00", *ROW[3:]]
    with pytest.raises(NotThisExport, match="row 1 has trackingDate"):
        check_request(sales(late), SALES | {"program_id": 7}, BERLIN)


def test_fields_and_columns_without_a_counterpart_are_ignored(sales: Filed) -> None:
    asked: dict[str, JobId] = {"program_id": 1, "admedium_format_id": 5, "date_type": "trackingDate"}
    check_filters(sales(["2026-11-01", "1"], columns=["day", "count"]), SALES | asked)
    check_filters(sales(ROW), SALES)
