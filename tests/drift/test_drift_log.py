"""The drift log: which lines are written and when, and sharing it between processes."""

from __future__ import annotations

import json
import logging
import multiprocessing
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from soapclient.clock import ManualClock
from soapclient.drift.log import ContractName, DriftLog, InvalidLine, Line, dumps, loads
from soapclient.errors import ColumnDrift
from soapclient.runtime import Finding
from zxws.publisher.service import PACKAGE

if TYPE_CHECKING:
    from tests.stage import Stage

from tests.drift.conftest import DRIFTING, ITEM, PLAIN, response
from tests.stage import NOW

NAME = ContractName("shop", "v1", "ab" * 32, "ShopService")
MOOD = Finding("element", "GetThings/mood", "")


def _lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def drift_log(folder: Path) -> tuple[Path, DriftLog]:
    path = folder / "drift.jsonl"
    return path, DriftLog(str(path), ManualClock(NOW))


def test_log_line_has_all_fields(stage: Stage, log: Path) -> None:
    client = stage.client(drift_log=str(log))
    stage.response = PLAIN
    client.publisher.get_balances()
    assert not log.exists()
    stage.response = DRIFTING
    client.publisher.get_balances()
    lines = {str(line["kind"]): line for line in _lines(log)}
    assert lines["element"] == {
        "ts": "2026-11-20T12:00:00Z",
        "contract": "publisher",
        "version": "2011-03-01",
        "sha256": PACKAGE.settings.sha256,
        "service": "PublisherService",
        "operation": "GetBalances",
        "kind": "element",
        "path": "GetBalancesResponse/mood",
        "detail": "",
        "times": 1,
    }
    path = "GetBalancesResponse/balanceItems/balanceItem/@colour"
    assert (lines["attribute"]["path"], lines["attribute"]["times"]) == (path, 2)


@pytest.mark.parametrize("policy", ["tolerate", "warn", "error"])
def test_undecodable_response_is_logged_with_any_policy(stage: Stage, log: Path, policy: str) -> None:
    client = stage.client(drift_log=log, drift=policy)
    stage.response = response(ITEM.format("EUR", "", "").replace("1.10", "Jane Doe"))
    with pytest.raises(Exception, match="the response is not valid"):
        client.publisher.get_balances()
    [line] = _lines(log)
    assert (line["kind"], line["operation"]) == ("schema", "GetBalances")
    assert "Jane" not in log.read_text(encoding="utf-8")


def test_columns_are_logged_under_their_contract(stage: Stage, log: Path) -> None:
    client = stage.client(drift_log=log)
    columns = ColumnDrift("click", added=("mood",), missing=(), reordered=False)
    client.data.exports.jobs.drift.columns(columns)
    [line] = _lines(log)
    assert (line["contract"], line["operation"], line["path"]) == ("data", "download", "click.csv/mood")


def test_new_findings_are_written_at_once_and_repeats_at_powers_of_ten(tmp_path: Path) -> None:
    path, log = drift_log(tmp_path)
    expected = {1: [1], 9: [1], 10: [1, 9], 99: [1, 9], 100: [1, 9, 90]}
    for number in range(1, 251):
        log.add(NAME, "GetThings", {MOOD: 1})
        if number in expected:
            assert [line["times"] for line in _lines(path)] == expected[number]
    log.flush()
    log.flush()
    assert [line["times"] for line in _lines(path)] == [1, 9, 90, 150]
    log.add(NAME, "GetThings", {MOOD: 2_000})  # several powers at once
    assert [line["times"] for line in _lines(path)][4:] == [2_000]


def test_close_writes_the_remaining_counts(stage: Stage, log: Path) -> None:
    client = stage.client(drift_log=log)
    stage.response = DRIFTING
    for _ in range(4):
        client.publisher.get_balances()
    assert sum(json.loads(line)["times"] for line in log.read_text().splitlines()) == 3
    client.close()
    assert sum(json.loads(line)["times"] for line in log.read_text().splitlines()) == 12


def test_one_write_for_a_response_in_append_mode(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[bytes] = []
    write = os.write

    def counted(descriptor: int, data: bytes) -> int:
        written.append(data)
        return write(descriptor, data)

    monkeypatch.setattr(os, "write", counted)
    path = tmp_path / "drift.jsonl"
    path.write_text("before\n", encoding="utf-8")
    log = DriftLog(str(path), ManualClock(NOW))
    log.add(NAME, "GetThings", {MOOD: 1, MOOD._replace(path="a/b"): 2, MOOD._replace(path="a/c"): 3})
    assert [data.count(b"\n") for data in written] == [3]
    assert path.read_text(encoding="utf-8").startswith("before\n")


def test_unwritable_log_is_one_warning_and_not_a_failure(
    stage: Stage, log: Path, caplog: pytest.LogCaptureFixture
) -> None:
    log.mkdir()
    client = stage.client(drift_log=log)
    stage.response = DRIFTING
    for _ in range(3):
        assert client.publisher.get_balances().balance_items
    warned = [record for record in caplog.records if record.name == "soapclient.drift.log"]
    assert [record.levelno for record in warned] == [logging.WARNING]
    assert str(log) in warned[0].getMessage()
    log.rmdir()
    client.close()
    assert sum(int(str(line["times"])) for line in _lines(log)) == 9  # no lines are lost


def test_a_full_disk_cuts_a_line_and_the_next_begins_a_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, log = drift_log(tmp_path)
    write = os.write
    other = MOOD._replace(path="a/b")
    with monkeypatch.context() as full:
        full.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:-20]))
        log.add(NAME, "GetThings", {MOOD: 1, other: 2})
    log.flush()
    first, cut, again = path.read_text(encoding="utf-8").splitlines()
    assert (loads(first).path, loads(first).times) == (MOOD.path, 1)
    with pytest.raises(InvalidLine):
        loads(cut)
    assert (loads(again).path, loads(again).times) == ("a/b", 2)


def _append_many(path: str, process: int) -> None:
    log = DriftLog(path, ManualClock(NOW))
    for number in range(100):
        found = {Finding("element", f"a/{number}/{'x' * 300}{end}", ""): 1 for end in "abc"}
        log.add(NAME, f"Get{process}", found)


@pytest.mark.exhaustive
def test_lines_of_several_processes_are_not_interleaved(tmp_path: Path) -> None:
    path = tmp_path / "drift.jsonl"
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_append_many, args=(str(path), at)) for at in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0] * 4
    lines = [loads(text) for text in path.read_bytes().splitlines()]
    assert len({(line.operation, line.path) for line in lines}) == len(lines) == 4 * 300
    # The three lines of a response are adjacent.
    ends = "".join(line.path[-1] for line in lines)
    assert ends == "abc" * 400


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_fork_does_not_write_counts_of_its_parent(tmp_path: Path) -> None:
    path, log = drift_log(tmp_path)
    log.add(NAME, "GetThings", {MOOD: 1})
    log.add(NAME, "GetThings", {MOOD: 4})
    child = os.fork()
    if child == 0:
        try:
            log.add(NAME, "GetThings", {MOOD: 2})
            log.flush()
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    log.flush()
    assert sorted(int(str(line["times"])) for line in _lines(path)) == [1, 2, 4]


def test_service_text_is_made_printable_and_cut(tmp_path: Path) -> None:
    path, log = drift_log(tmp_path)
    signature = "N4RPYDY1aUjciVm32pCJ82FVvuk="
    detail = f"\x1b[31m\n\u202e{'y' * 2_000}\ud800"
    log.add(NAME, "GetThings", {Finding("value", "a/b", detail): 1})
    log.add(NAME, "GetThings", {Finding("value", "a/c", f"signature={signature}"): 1})
    text = path.read_text(encoding="ascii")
    assert text.count("\n") == 2
    assert signature not in text
    assert all(str(line["detail"]).isprintable() and len(str(line["detail"])) <= 500 for line in _lines(path))


def test_log_line_roundtrips() -> None:
    line = Line("2026-11-20T12:00:00Z", "shop", "v1", "ab", "Shop", "Get", "value", "a/b", 'x"ü', 3)
    assert loads(dumps(line)) == line
