"""A found job must prove that it matches the order: by columns and rows, and within the deadline."""

from __future__ import annotations

import csv
import io
import pickle
from collections.abc import Callable, Iterator
from datetime import UTC, date
from pathlib import Path

import pytest

from soapclient.errors import (
    AmbiguousOrder,
    DeadlineExceeded,
    NotTheseColumns,
    NotThisExport,
    UnverifiedExport,
)
from soapclient.runtime.settings import Column
from soapclient.tracking.exports.download import download
from soapclient.tracking.exports.formats.export_file import ExportFile
from soapclient.tracking.exports.formats.request_match import check_columns, check_request
from soapclient.tracking.exports.handle import ExportHandle, JobId
from soapclient.tracking.exports.orders.arguments import OrderOptions
from soapclient.tracking.sandbox.operations import jobs
from tests.tracking.exports.conftest import Desk, Write

DAY, MAY = date(2026, 11, 1), date(2026, 5, 1)
DAYS: dict[str, JobId] = {"from_date": "2026-11-01", "to_date": "2026-11-02"}
KNOWN = (Column("clickId", "xsd:string"), Column("clickDate", "xsd:dateTime"))
Filed = Callable[..., ExportFile]


@pytest.fixture
def filed(write: Write) -> Filed:
    def file(*rows: str, report_type: str = "click") -> ExportFile:
        known = KNOWN if report_type == "click" else ()
        return ExportFile.open(write([row.split() for row in rows]), report_type=report_type, known=known)

    return file


@pytest.mark.parametrize(
    ("request_", "right", "wrong"),
    [
        ({}, "clickId clickDate", "day currency count"),
        ({}, "clickDate clickId", "country currency count more"),
        ({}, "clickDate clickId country more", "clickInId clickDate landingPage"),  # columns of click-ins
        ({}, "clickId", "trackingDate leadId reviewState"),
        ({"group_by": "day"}, "day currency count", "clickId clickDate"),
        ({"group_by": "day"}, "Day currency count", "day country currency count"),
        ({"group_by": "day, country"}, "day country currency count", "day currency count"),
        ({"group_by": "currency"}, "currency count", "currency month count"),
        ({"group_by": "AdSpace"}, "adspace currency count", "adspace program currency count"),
        ({"columns": "clickId,country"}, "clickId country", "clickId"),
        ({"columns": "clickId"}, "click_id", "clickId country"),
        ({"columns": "clickId,country"}, "country clickId", "clickDate country"),
        ({"columns": "clickId,country"}, "country clickId added", "added"),
    ],
)
def test_columns_distinguish_orders(filed: Filed, request_: dict[str, JobId], right: str, wrong: str) -> None:
    request = DAYS | {"report_type": "click"} | request_
    check_columns(filed(right), request)
    with pytest.raises(NotTheseColumns, match="were ordered") as caught:
        check_columns(filed(wrong), request)
    error = caught.value
    assert all(name in str(error) for name in wrong.split())
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), vars(again)) == (str(error), vars(error))


def test_undeclared_columns_do_not_prove_another_order(filed: Filed) -> None:
    """The service may be newer than the contract. Groups are part of the order itself."""
    assert check_columns(filed("clickId more"), DAYS)
    with pytest.raises(NotTheseColumns):
        check_columns(filed("clickId more"), DAYS | {"group_by": "day"})
    assert check_columns(filed("any thing", report_type="bonus"), DAYS)
    assert check_columns(filed("clickId clickDate referrer landingPage"), DAYS)  # now click-ins may have them


@pytest.mark.parametrize(
    ("request_", "header"),
    [
        ({"columns": "clickId,country"}, "clickId countryCode"),
        ({"group_by": "country"}, "countryCode currency count"),
        ({}, "clickId clickDate country saleId"),  # a column of sales; clicks may have it by now
    ],
)
def test_possibly_renamed_column_is_inconclusive(
    filed: Filed, request_: dict[str, JobId], header: str
) -> None:
    assert not check_columns(filed(header), DAYS | {"report_type": "click"} | request_)


def test_undeclared_column_is_accepted_but_not_a_column_of_another_report(filed: Filed) -> None:
    request, row = DAYS | {"report_type": "click"}, "1 2026-11-01T10:00:00Z DE 5"
    assert check_request(filed("clickId clickDate country more", row), request, UTC)
    with pytest.raises(UnverifiedExport):
        check_request(filed("clickId clickDate country saleId", row), request, UTC)


Blocks = Callable[..., Iterator[tuple[int, bytes]]]
Change = Callable[[bytes], bytes]


@pytest.fixture
def changed(monkeypatch: pytest.MonkeyPatch) -> Callable[[Change], None]:
    """Change the text of the files that the service writes."""

    def change(text: Change) -> None:
        def blocks(*given: object) -> Iterator[tuple[int, bytes]]:
            parts = list(whole(*given))
            yield sum(rows for rows, _ in parts), text(b"".join(part for _, part in parts))

        monkeypatch.setattr(jobs, "blocks", blocks)

    whole: Blocks = vars(jobs)["blocks"]
    return change


def _renamed(text: bytes) -> bytes:
    return text.replace(b"reviewNote", b"reviewComment", 1)


def _reversed(text: bytes) -> bytes:
    rows = csv.reader(io.StringIO(text.decode(), newline=""))
    out = io.StringIO(newline="")
    csv.writer(out).writerows(row[::-1] for row in rows)
    return out.getvalue().encode()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("days", [1, 2])
@pytest.mark.parametrize(
    ("kind", "options", "change"),
    [("sale", {}, _renamed), ("custom", {"columns": "clickDate,clickId,country"}, _reversed)],
)
def test_assumed_columns_do_not_disown_a_job(
    desk: Desk,
    tmp_path: Path,
    changed: Callable[[Change], None],
    days: int,
    kind: str,
    options: OrderOptions,
    change: Change,
) -> None:
    changed(change)
    wanted = [DAY, date(2026, 11, 2)][:days]
    for day in wanted:
        desk.lose(day=day, kind=kind, processed=True, **options)
    made = desk.ids()
    desk.clock.advance(120)
    exports = [desk.begin(day=day, kind=kind, **options) for day in wanted]
    assert [export.id for export in exports] == made
    for export in exports:
        assert export.download(tmp_path / str(export.id)).row_count > 0
    assert desk.ids() == made


@pytest.mark.parametrize("rows", [(), ("1",)])
def test_inconclusive_file_needs_an_explicit_confirmation(filed: Filed, rows: tuple[str]) -> None:
    file = filed("country", *rows, report_type="bonus")  # the contract does not name its columns
    request = DAYS | {"report_type": "bonus"}
    with pytest.raises(UnverifiedExport, match="2026-11-01 to 2026-11-02") as caught:
        check_request(file, request, UTC)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
    assert check_request(file, request, UTC, vouched=True) is False


FOREIGN: list[tuple[OrderOptions, date, OrderOptions]] = [
    ({"group_by": "day"}, MAY, {}),
    ({}, MAY, {"group_by": "day"}),
    ({}, DAY, {"group_by": "country"}),
    ({}, date(2026, 11, 2), {}),
]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("asked", "day", "found"), FOREIGN)
def test_download_of_an_adopted_foreign_job_is_refused(
    desk: Desk, tmp_path: Path, asked: OrderOptions, day: date, found: OrderOptions
) -> None:
    desk.lose(processed=False, **asked)
    foreign = desk.by_hand(day, **found)
    desk.clock.advance(30)
    export = desk.begin(**asked)
    assert (export.id, export.handle.adopted) == (foreign, True)
    elsewhere = desk.exports().resume(ExportHandle.from_json(export.handle.to_json()))  # without the ledger
    with pytest.raises(NotThisExport):
        elsewhere.download(tmp_path / "x.csv.gz")
    assert (list(tmp_path.glob("x.csv*")), desk.ledger().pending()) == ([], ())
    with pytest.raises(NotThisExport):
        export.download(tmp_path / "x.csv.gz")
    assert list(tmp_path.glob("x.csv*")) == []
    (entry,) = desk.ledger().pending()
    assert entry.not_ours == (foreign,)
    own = desk.begin(**asked)
    assert own.id != foreign
    assert own.download(tmp_path / "x.csv.gz").row_count > 0
    assert desk.ids() == [foreign, own.id]


@pytest.mark.parametrize("asked", [{"currency": "XXX"}, {"group_by": "country"}])  # no rows; no days
def test_inconclusive_file_leaves_the_only_candidate_ambiguous(
    desk: Desk, tmp_path: Path, asked: OrderOptions
) -> None:
    desk.lose(processed=True, **asked)
    (made,) = desk.ids()
    desk.clock.advance(200)
    for _ in range(2):
        with pytest.raises(AmbiguousOrder, match="does not show") as caught:
            desk.begin(**asked).download(tmp_path / "x.csv.gz")
        assert caught.value.job_ids == (made,)
        assert "--reorder" in str(caught.value)
        assert isinstance(caught.value.__cause__, UnverifiedExport)
        assert f"{DAY} to {DAY}" in str(caught.value.__cause__)
        assert desk.ids() == [made]
        assert list(tmp_path.glob("x.csv*")) == []
    (entry,) = desk.ledger().pending()
    assert entry.not_ours == ()
    desk.ledger().claim(caught.value.key, made)
    assert desk.begin(**asked).download(tmp_path / "x.csv.gz").columns
    assert desk.ids() == [made]


def test_inconclusive_file_downloaded_elsewhere_is_unverified(desk: Desk, tmp_path: Path) -> None:
    desk.lose(currency="XXX", processed=True)
    exports = desk.exports()
    handle = desk.begin(exports, currency="XXX").handle
    with pytest.raises(UnverifiedExport):
        exports.resume(ExportHandle.from_json(handle.to_json())).download(tmp_path / "without-ledger.csv.gz")
    plain = ExportHandle(handle.service, handle.job_id, handle.report_type, handle.request, None)
    file = exports.resume(plain, desk.exports().ledger(tmp_path / "none")).download(tmp_path / "x.csv.gz")
    with pytest.raises(UnverifiedExport):
        desk.ledger(exports).verify(handle, file, UTC)
    (entry,) = desk.ledger().pending()
    assert entry.not_ours == ()


def test_drift_policy_error_does_not_hide_the_owner_of_a_file(desk: Desk, tmp_path: Path) -> None:
    desk.lose(processed=False)
    foreign = desk.by_hand(group_by="day")
    with pytest.raises(NotTheseColumns):
        desk.begin().download(tmp_path / "x", on_drift="error")
    (entry,) = desk.ledger().pending()
    assert entry.not_ours == (foreign,)


def test_check_stops_at_the_deadline_and_keeps_the_file(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.lose(processed=True)
    exports = desk.exports()
    export = desk.begin(exports)
    assert export.handle.adopted
    target = tmp_path / "x.csv.gz"

    def slow(*given: object) -> bool:
        desk.clock.advance(11)
        return check_request(*given)  # type: ignore[arg-type] # passed through

    with monkeypatch.context() as patch:
        patch.setattr(download, "check_request", slow)
        with pytest.raises(DeadlineExceeded, match="comparing its file") as caught:
            export.download(target, deadline=10)
    assert (caught.value.job_id, caught.value.seconds) == (export.id, 10)
    said = f"job {export.id}: the deadline of 10 seconds passed while comparing its file with the order."
    assert said in str(caught.value)
    assert not target.exists()
    assert target.with_name("x.csv.gz.part").stat().st_size > 0
    assert desk.ledger(exports).handles() == (export.handle,)
    assert export.download(target).row_count == 20
