"""The exact text of a ledger's errors: users act on these messages if an order is in doubt."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC
from pathlib import Path
from typing import Any, cast

import pytest

from soapclient.errors import ConfigError, LedgerError, NotThisExport, UnverifiedExport
from soapclient.tracking.exports.formats.export_file import ExportFile
from soapclient.tracking.exports.handle import JobId
from soapclient.tracking.exports.orders.ledger import Ledger, account_of, claimed, register
from soapclient.tracking.exports.orders.record import OrderRecord, read_record
from tests.tracking.exports.records import CLICKS, handle, intent, save

KEEP = (
    "Restore the file from a copy. Or, if the job it records is not needed, move the file away: the request "
    "is then ordered again"
)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "state", account="shop-1")


def kept(ledger: Ledger, entry: OrderRecord) -> str:
    """Return the key of the order after saving it in the ledger."""
    save(ledger, entry)
    return entry.key


def said(doing: Callable[[], object], kind: type[Exception] = ConfigError) -> str:
    with pytest.raises(kind) as caught:
        doing()
    return str(caught.value)


@pytest.mark.parametrize("label", ["", "a b", "ä", ".a", "-a", "a" * 65, "a/b", "a\n"])
def test_labels_are_read(tmp_path: Path, label: str) -> None:
    must = "must be a label of letters, digits, '.', '_' and '-', up to 64 characters"
    advice = "Pass a different one to Ledger(…)"
    assert said(lambda: Ledger(tmp_path, account=label)) == f"ledger account: {must}. {advice}"
    assert said(lambda: Ledger(tmp_path, account="a", service=label)) == f"ledger service: {must}. {advice}"
    assert Ledger(tmp_path, account="a" * 64, service="0._-").folder == tmp_path / f"0._-_{'a' * 64}"


def test_ledger_account_is_recognised(tmp_path: Path) -> None:
    ours = Ledger(tmp_path, account=account_of("CONNECT"), address="https://a.example")
    ours.check("data", "CONNECT", "https://a.example")
    ours.check("data", "CONNECT")
    Ledger(tmp_path, account="label").check("data", "CONNECT", "https://b.example")
    Ledger(tmp_path, account=account_of("CONNECT")).check("data", "CONNECT", "https://b.example")
    assert said(lambda: ours.check("publisher", "CONNECT")) == (
        "ledger: belongs to the service data. Create a ledger for publisher"
    )
    assert said(lambda: ours.check("data", "CONNECT", "https://b.example")) == (
        "ledger: belongs to the service at https://a.example. Create a ledger for https://b.example"
    )
    assert said(lambda: Ledger(tmp_path, account="CONNECT").check("data", "CONNECT")) == (
        "ledger: has the connect ID as its name. Pass a label, or account_of(connect_id)"
    )
    assert said(lambda: ours.check("data", "OTHER")) == (
        "ledger: belongs to another account. Use it with the client of that account"
    )


def test_a_hashed_account_is_known_by_its_connect_id() -> None:
    """The expected value is from `printf ledger/CONNECT | sha256sum | cut -c1-12`."""
    assert account_of("CONNECT") == "id-927e194722bd"


def test_unknown_or_settled_requests_are_refused(ledger: Ledger) -> None:
    folder = ledger.folder
    nobody = f"ledger: {folder} does not have the request 0000. List the requests with Ledger.entries()"
    assert said(lambda: ledger.forget("0000")) == nobody
    assert said(lambda: ledger.abandon("0000")) == nobody
    assert said(lambda: ledger.done("0000", "ab")) == nobody
    assert said(lambda: ledger.claim("0000", "job-1")) == nobody
    key = kept(ledger, intent())
    assert said(lambda: ledger.forget(key)) == (
        f"ledger: the order of {key} may have been processed, so it cannot be forgotten. Order the same "
        "request again: the job of this order is searched for first. Or call claim() with the id of the job, "
        "or abandon()"
    )
    assert ledger.pending() == (intent(),)
    jobless = f"ledger: the request {key} does not have a job. Order it first"
    assert said(lambda: ledger.done(key, "ab")) == jobless
    kept(ledger, intent().ordered(handle("job-1")))
    assert said(lambda: ledger.abandon(key)) == (
        f"ledger: the request {key} is not a pending order. List the pending orders with Ledger.pending()"
    )
    assert said(lambda: ledger.claim(key, "job-2")) == (
        f"ledger: {key} is not a pending order, or job job-2 belongs to another request. "
        "List the requests and their jobs with Ledger.entries()"
    )


NUMBERS = "is damaged (attempts is less than 1, or clock_error is not between 0 and 1e9 seconds)"
HANDLE = "is damaged (handle must be set in the states ordered and done, and null in all other states)"


def changed(**values: object) -> Callable[[dict[str, Any]], object]:
    return lambda data: data | values


@pytest.mark.parametrize(
    ("spoil", "problem"),
    [
        (lambda data: [data], "is not a file of a state directory"),
        (lambda data: {"name": 1}, "is not a file of a state directory"),
        (changed(more=1, most=2), "has missing or unknown keys: more, most"),
        (
            lambda data: {k: v for k, v in data.items() if k != "former"},
            "has missing or unknown keys: former",
        ),
        (changed(account="b"), "belongs to the account 'b' of the service 'data'"),
        (
            changed(service="b", handle=None, state="intent"),
            "belongs to the account 'shop-1' of the service 'b'",
        ),
        (changed(key="0" * 16), "was changed or renamed: name, key and request do not match"),
        (changed(file_sha256=""), "is damaged (service, account, file_sha256 or address is empty)"),
        (changed(attempts=0), NUMBERS),
        (changed(clock_error=-0.001), NUMBERS),
        (changed(clock_error=1e9), NUMBERS),
        (changed(state="intent"), HANDLE),
        (changed(handle=None), HANDLE),
        (changed(state="done", handle=None), HANDLE),
        (changed(intended_at="2026-11-20T12:00:00"), "is damaged (intended_at has no time zone)"),
        (changed(tried_at="2026-11-20T12:00:00"), "is damaged (tried_at has no time zone)"),
        (
            changed(intended_at="1989-12-31T12:00:00Z"),
            "is damaged (intended_at is in the year 1989, not in 1990 to 2200)",
        ),
        (
            changed(tried_at="2201-01-01T12:00:00Z"),
            "is damaged (tried_at is in the year 2201, not in 1990 to 2200)",
        ),
        (
            changed(request=CLICKS | {"program_id": 1}),
            "is damaged (the handle of the job belongs to another request)",
        ),
    ],
)
def test_unusable_files_are_errors(
    ledger: Ledger, spoil: Callable[[dict[str, Any]], object], problem: str
) -> None:
    kept(ledger, intent().ordered(handle("job-1")))
    (path,) = ledger.folder.glob("*.json")
    path.write_text(json.dumps(spoil(json.loads(path.read_text()))))
    assert said(ledger.entries, LedgerError) == f"{path}: it {problem}. {KEEP}."


def test_invalid_entry_files_are_errors(ledger: Ledger, tmp_path: Path) -> None:
    kept(ledger, intent())
    (path,) = ledger.folder.glob("*.json")
    good = path.read_text()
    path.write_text(json.dumps(json.loads(good) | {"format": 2}))
    assert said(ledger.entries, LedgerError) == (
        f"{path}: it has the format 2, but this version reads format 1. Use the version of "
        "soapclient that wrote it, or a newer one."
    )
    for text in ("", good[: len(good) // 2], good[:-9]):
        path.write_text(text)
        assert said(ledger.entries, LedgerError) == f"{path}: it is incomplete, or not JSON. {KEEP}."
    path.unlink()
    path.symlink_to(tmp_path / "nowhere")
    problem = "is a symbolic link, or not a regular file"
    assert said(ledger.entries, LedgerError) == f"{path}: it {problem}. {KEEP}."


@pytest.mark.parametrize(
    "values",
    [
        {"attempts": 1, "clock_error": 0},
        {"clock_error": 999_999_999},
        {"intended_at": "1990-01-01T00:00:00Z", "tried_at": "2200-12-31T00:00:00Z"},
    ],
)
def test_boundary_values_are_accepted(ledger: Ledger, values: dict[str, object]) -> None:
    kept(ledger, intent())
    (path,) = ledger.folder.glob("*.json")
    path.write_text(json.dumps(json.loads(path.read_text()) | values))
    (entry,) = ledger.entries()
    assert entry.clock_error == values.get("clock_error", 2.0)


def test_unreadable_neighbour_note_is_an_error(ledger: Ledger, tmp_path: Path) -> None:
    register(ledger.folder.parent, tmp_path / "other")
    (note,) = (ledger.folder.parent / "ledgers").glob("*.json")
    assert json.loads(note.read_text()) == {"folder": str(tmp_path / "other")}
    problem = "it does not contain the path of a state directory. Remove it; it is created again when needed."
    folders = ('""', "1", '"a\\u0000"', '"/a/\\ud800"')
    for text in ("{", "[]", "{}", *(f'{{"folder": {one}}}' for one in folders), "[" * 100_000):
        note.write_text(text)
        assert said(ledger.elsewhere, LedgerError) == f"{note}: {problem}"
    note.unlink()
    note.symlink_to(tmp_path / "nowhere")
    assert said(ledger.elsewhere, LedgerError) == f"{note}: {problem}"


def test_a_neighbour_that_cannot_be_noted_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("no folder")
    folder, other = tmp_path / "file" / "state", tmp_path / "other"
    register(folder, other)
    (record,) = caplog.records
    said, _, why = record.getMessage().rpartition(": [Errno ")
    assert record.levelname == "WARNING"
    problem = f"{folder}: cannot record the other state directory {other}"
    assert said == f"{problem}, so orders here cannot exclude its jobs"
    assert str(tmp_path / "file") in why


# ---- a file that is inspected later


def looking(monkeypatch: pytest.MonkeyPatch, error: Exception | None) -> list[tuple[object, ...]]:
    """Replace `check_request` with a function that raises `error` if it is not None. Return its calls."""
    asked: list[tuple[object, ...]] = []

    def check(file: object, request: object, zone: object, *, vouched: bool) -> bool:
        asked.append((file, request, zone, vouched))
        if error is not None:
            raise error
        return True

    monkeypatch.setattr("soapclient.tracking.exports.orders.ledger.check_request", check)
    return asked


FILE = cast("ExportFile", object())


def test_only_the_file_of_an_adopted_job_is_checked(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = looking(monkeypatch, None)
    kept(ledger, intent().ordered(handle("9")))
    assert ledger.verify(handle("9"), FILE, UTC) is False
    assert asked == []
    for vouched in (False, True):
        kept(ledger, intent().ordered(handle("9"), adopted=True, vouched=vouched))
        assert ledger.verify(handle("9"), FILE, UTC) is True
        assert asked.pop() == (FILE, CLICKS, UTC, vouched)


@pytest.mark.parametrize("mine", [True, False])
def test_file_of_another_order_releases_the_job(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch, mine: bool
) -> None:
    """Only if the job still belongs to the request. The request may have found another job by now."""
    looking(monkeypatch, error := NotThisExport("x.gz", 1, "clickDate", "2025-01-01", "days"))
    found = intent().ordered(handle("9" if mine else "10"), adopted=True)
    key = kept(ledger, found)
    with pytest.raises(NotThisExport):
        ledger.verify(handle("9"), FILE, UTC)
    assert ledger.find(CLICKS) == (replace(intent(), not_ours=("9",)) if mine else found)
    assert error.__notes__ == [
        f"Job 9 is no longer assigned to {key}. Order the request again to get its own job."
    ]


@pytest.mark.parametrize("mine", [True, False])
def test_inconclusive_file_leaves_the_order_pending(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch, mine: bool
) -> None:
    looking(monkeypatch, error := UnverifiedExport("x.gz", "days"))
    found = intent().ordered(handle("9" if mine else "10"), adopted=True)
    kept(ledger, found)
    with pytest.raises(UnverifiedExport):
        ledger.verify(handle("9"), FILE, UTC)
    assert ledger.find(CLICKS) == (intent() if mine else found)
    assert not hasattr(error, "__notes__")


# ---- descriptions of an entry


def test_entry_has_title_and_file_name(ledger: Ledger) -> None:
    entry = intent()
    assert entry.title == "click 2026-11-01 to 2026-11-02"
    bare = replace(entry, request={})
    assert (bare.title, bare.report_type) == ("? ? to ?", "")
    assert bare.name == f"-_-_-_{bare.key}.json"
    long = replace(entry, request=CLICKS | {"report_type": "x" * 50})
    assert long.name == f"{'x' * 40}_2026-11-01_2026-11-02_{long.key}.json"
    outside = replace(entry, request=CLICKS | {"report_type": "../../../x\0y"})
    assert outside.name == f"-x-y_2026-11-01_2026-11-02_{outside.key}.json"
    # The mark of the address is from `printf https://a.example | sha256sum | cut -c1-8`.
    there = replace(entry, address="https://a.example")
    assert there.name == f"click_2026-11-01_2026-11-02_{there.key}-38612c96.json"


def test_entry_files_are_readable_json(ledger: Ledger) -> None:
    """The exact text matters because other versions read it."""
    kept(ledger, intent().ordered(handle("job-1")))
    (path,) = ledger.folder.glob("*.json")
    request = """{
  "report_type": "click",
  "from_date": "2026-11-01",
  "to_date": "2026-11-02"
 }"""
    order = hashlib.sha256(b'{"from_date":"2026-11-01","report_type":"click","to_date":"2026-11-02"}')
    text = f"""{{
 "format": 1,
 "key": "8bfe1a224613a1c3",
 "service": "data",
 "account": "shop-1",
 "request": {request},
 "state": "ordered",
 "intended_at": "2026-11-20T12:00:00+00:00",
 "tried_at": "2026-11-20T12:00:00+00:00",
 "clock_error": 2.0,
 "attempts": 1,
 "handle": {{
  "format": 1,
  "service": "data",
  "job_id": "job-1",
  "report_type": "click",
  "request": {{
   "report_type": "click",
   "from_date": "2026-11-01",
   "to_date": "2026-11-02"
  }},
  "request_sha256": "{order.hexdigest()}",
  "ordered_at": "2026-11-20T12:00:00+00:00",
  "in_ledger": true
 }},
 "adopted": false,
 "not_ours": [],
 "abandoned": [],
 "former": [],
 "file_sha256": null
}}
"""
    assert path.read_text() == text


def test_only_changed_files_are_read_again(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """A ledger may hold thousands of files, and each pending order reads all of them."""
    read: list[str] = []

    def counted(path: Path, *, account: str, service: str) -> OrderRecord:
        read.append(path.name)
        return read_record(path, account=account, service=service)

    monkeypatch.setattr("soapclient.tracking.exports.orders.ledger.read_record", counted)
    first, second = intent(), replace(intent(), request=CLICKS | {"report_type": "lead"})
    other_process = Ledger(
        ledger.folder.parent, account=ledger.account, service=ledger.service, address=ledger.address
    )
    kept(other_process, first)
    kept(other_process, second)
    for _ in range(3):
        assert ledger.entries() == (first, second)
        assert ledger.find(CLICKS) == first
    assert read == [first.name, second.name]
    changed = first.ordered(handle("a job of another length"))
    kept(other_process, changed)
    assert ledger.entries() == (changed, second)
    assert read == [first.name, second.name, first.name]
    kept(ledger, first)  # a record that the ledger itself wrote is not read
    assert ledger.entries() == (first, second)
    assert read == [first.name, second.name, first.name]
    kept(other_process, changed)
    assert ledger.find(CLICKS) == changed


def test_file_errors_are_short() -> None:
    assert len(LedgerError("p", "x" * 600, "a").problem) == 500


def test_a_key_is_the_hash_of_its_canonical_json(ledger: Ledger) -> None:
    """Files of older versions must be found. The expected value is the sha256sum of the JSON
    `["shop-1","data",{"from_date":…,"report_type":"click","to_date":…}]`.
    """
    assert ledger.key(CLICKS) == "8bfe1a224613a1c3"
    assert intent().key == "8bfe1a224613a1c3"


def days(ledger: Ledger, first: str, last: str, **more: JobId) -> OrderRecord:
    return replace(intent(), request=CLICKS | {"from_date": first, "to_date": last} | more)


@pytest.mark.parametrize(
    ("first", "last", "within"),
    [
        ("2026-11-03", "2026-11-04", True),
        ("2026-11-02", "2026-11-04", True),
        ("2026-11-03", "2026-11-05", True),
        ("2026-11-02", "2026-11-05", False),  # the same days
        ("2026-11-01", "2026-11-05", False),
        ("2026-11-02", "2026-11-06", False),
        ("2026-11-04", "2026-11-03", False),
        ("2026-11-03", "2026-11-03", True),
    ],
)
def test_requests_within_the_days_of_others_are_detected(
    ledger: Ledger, first: str, last: str, within: bool
) -> None:
    around = days(ledger, "2026-11-02", "2026-11-05")
    assert days(ledger, first, last).within(around) is within
    assert not days(ledger, first, last, program_id=1).within(around)


def test_entry_knows_its_own_and_excluded_jobs(ledger: Ledger) -> None:
    entry = replace(intent(), not_ours=(7,), abandoned=("8",)).formerly("6")
    assert [entry.excludes(job) for job in (7, "7", 8, "8", 6, "9")] == [True] * 4 + [False] * 2
    assert (entry.was("6"), entry.is_job("6"), entry.was("7")) == (True, False, False)
    own = entry.ordered(handle("9"))
    assert (own.was("9"), own.is_job("9"), own.is_job("6")) == (True, True, False)
    assert claimed((entry, own)) == {"6", "9"}
    assert own.forgotten().former == ("6", "9")
    assert entry.forgotten().former == ("6",)
    assert own.giving_up(("8", "5")).abandoned == ("8", "5")
    assert own.without((7, "4")).not_ours == (7, "4")
    assert own.downloaded("ab").reopened() == entry
    assert own.unclaimed() == replace(entry, not_ours=(7, "9"))


def test_failed_job_is_forgotten_and_adopted_job_searched_again(ledger: Ledger) -> None:
    entry = intent()
    assert entry.ordered(handle("9")).failed() == replace(entry, state="forgotten", former=("9",))
    found = entry.ordered(handle("9"), adopted=True)
    assert found.failed() == replace(entry, not_ours=("9",), former=("9",))
    gone = replace(entry, state="forgotten", former=("9",))
    assert entry.ordered(handle("9"), adopted=True, vouched=True).failed() == gone
    assert found.downloaded("ab").failed() == gone
    assert entry.failed() == replace(entry, state="forgotten")


def test_handle_has_the_facts_of_its_entry(ledger: Ledger) -> None:
    for adopted, vouched in ((False, False), (True, False), (True, True)):
        known = intent().ordered(handle("9"), adopted=adopted, vouched=vouched).handle
        assert known is not None
        assert (known.in_ledger, known.adopted, known.vouched) == (True, adopted, vouched)
