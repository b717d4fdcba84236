"""A ledger that caches its files gives the same results as a ledger that reads them each time."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soapclient.errors import LedgerError
from soapclient.tracking.exports.handle import ExportHandle
from soapclient.tracking.exports.orders.ledger import Ledger
from soapclient.tracking.exports.orders.record import OrderRecord

NOW = dt.datetime(2026, 11, 20, 12, tzinfo=dt.UTC)


def an_entry(number: int) -> OrderRecord:
    return OrderRecord(
        service="data",
        account="a",
        request={"report_type": "click", "from_date": f"2026-11-{number:02}", "to_date": "2026-11-30"},
        state="intent",
        intended_at=NOW,
        tried_at=NOW,
        clock_error=2.0,
    )


@given(data=st.data())
def test_changes_by_other_processes_are_seen(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("ledger")
    many, other = Ledger(folder, account="a"), Ledger(folder, account="a")
    for _ in range(data.draw(st.integers(1, 8))):
        writer = data.draw(st.sampled_from([many, other]))
        number = data.draw(st.integers(1, 3))
        entry = an_entry(number)
        with writer.lock():
            match data.draw(st.sampled_from(["intend", "order", "drop"])):
                case "intend":
                    writer.save(entry)
                case "order":
                    job = data.draw(st.sampled_from(["job-1", "job-2"]))
                    writer.save(
                        entry.ordered(ExportHandle("data", job, "click", entry.request, entry.tried_at))
                    )
                case _:
                    writer.drop(entry)
        assert many.entries() == other.entries()
        assert many.find(entry.request) == other.find(entry.request)


def test_truncated_file_is_an_error_each_time(tmp_path: Path) -> None:
    many = Ledger(tmp_path, account="a")
    assert many.entries() == ()
    entry = an_entry(1)
    with many.lock():
        many.save(entry)
    assert many.entries() == (entry,)
    (many.folder / entry.name).write_text("{")
    for _ in range(2):
        with pytest.raises(LedgerError):
            many.entries()


def test_renamed_file_is_refused(tmp_path: Path) -> None:
    """If its file were treated as missing, the request would be ordered twice."""
    many = Ledger(tmp_path, account="a")
    entry = an_entry(1)
    with many.lock():
        many.save(entry)
    assert many.find(entry.request) == entry
    (many.folder / entry.name).rename(many.folder / f"mine_{entry.key}.json")
    for look in (lambda: many.find(entry.request), many.entries):
        with pytest.raises(LedgerError, match="renamed"):
            look()
