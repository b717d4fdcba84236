"""Settings of `client.data.export`: a state directory, drift as an error, signatures in queries."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from werkzeug.wrappers import Request

from soapclient import Settings
from soapclient.errors import ColumnsDiffer, ConfigError, ContractError, JobExpired
from soapclient.tracking.client import Client
from soapclient.tracking.exports.export import Export
from soapclient.tracking.exports.formats.export_file import ExportFile
from soapclient.tracking.exports.handle import ExportHandle
from soapclient.tracking.exports.orders.ledger import Ledger
from soapclient.tracking.exports.orders.record import OrderRecord
from soapclient.tracking.sandbox import JobScript
from soapclient.tracking.sandbox.operations import jobs as ordering
from tests.tracking.exports.stage import Stage, without_the_last

DAY = date(2026, 11, 1)


class Keeping(Stage):
    """Clients that keep their orders in a state directory."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        super().__init__(folder, stack)
        self.downloads: list[Request] = []
        self.sandbox.interfere = self._see

    def _see(self, request: Request) -> None:
        if request.path.endswith("/download"):
            self.downloads.append(request)

    def keeping(self, *, state: bool = True, **settings: str) -> Client:
        return self.client(state_dir=self.folder / "state" if state else None, **settings)

    def export(self, client: Client | None = None, **options: Any) -> Export:
        client = self.keeping() if client is None else client
        return client.data.export(report_type="click", from_date=DAY, to_date=DAY, **options)


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Keeping]:
    with ExitStack() as stack:
        yield Keeping(tmp_path, stack)


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "x.csv.gz"


def test_state_folder_reuses_the_order_until_its_file_is_downloaded(stage: Keeping, target: Path) -> None:
    first, second = stage.export(), stage.export()
    assert first.handle == second.handle
    assert first.handle.in_ledger
    second.download(target)
    third = stage.export()
    assert stage.ids() == [first.id, third.id]
    first.download(target)  # too late for the third
    assert stage.export().id == third.id
    assert stage.export(reorder=True).id == stage.ids()[2]


def test_given_ledger_is_used(stage: Keeping, target: Path) -> None:
    client = stage.keeping()
    own = client.data.exports.ledger(stage.folder / "own")
    stage.export(client, ledger=own).download(target)
    (entry,) = own.entries()
    assert entry.state == "done"
    assert not (stage.folder / "state").exists()


def test_each_call_orders_without_ledger_and_state_folder(stage: Keeping) -> None:
    client = stage.keeping(state=False)
    assert client.data.exports.state() is None
    assert stage.export(client).id != stage.export(client).id
    assert len(stage.ids()) == 2


def test_resumed_handle_is_found_in_the_state_folder(stage: Keeping, target: Path) -> None:
    """Two processes have the same handle of an expired job: it is ordered again once, and both are done."""
    stage.sandbox.jobs.script(JobScript(expire=True))
    handle = ExportHandle.from_json(stage.export().handle.to_json())
    exports = [stage.keeping().data.exports.resume(handle) for _ in range(2)]
    for export in exports:
        export.download(target)
    assert len(stage.ids()) == 2
    (entry,) = entries(stage)
    assert (entry.state, entry.former) == ("done", (handle.job_id,))
    elsewhere = stage.keeping(state=False).data.exports.resume(handle)
    with pytest.raises(JobExpired):
        elsewhere.download(target)


def entries(stage: Keeping) -> tuple[OrderRecord, ...]:
    state = stage.keeping().data.exports.state()
    assert state is not None
    return state.entries()


def test_unwritable_ledger_does_not_lose_the_file(
    stage: Keeping, target: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    export = stage.export()
    monkeypatch.setattr(Ledger, "done", Mock(side_effect=OSError(28, "No space left on device")))
    assert export.download(target).row_count == 20
    (said,) = [text for text in caplog.messages if "No space left" in text]
    assert "cannot write its outcome to the state directory" in said


class Killed(BaseException):
    """Simulates the death of the process."""


@pytest.fixture
def brought(stage: Keeping, target: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that was renamed. The process was killed before this was noted, and its job has expired."""
    export = stage.export()
    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "done", Mock(side_effect=Killed))
        with pytest.raises(Killed):
            export.download(target)
    assert target.exists()
    (entry,) = entries(stage)
    assert entry.state == "ordered"
    stage.clock.advance(48 * 3600)
    stage.downloads.clear()
    return target


def test_existing_file_is_the_delivery(stage: Keeping, brought: Path) -> None:
    content = brought.read_bytes()
    file = stage.export().download(brought)
    assert (file.path, file.row_count, file.sha256) == (brought, 20, hashlib.sha256(content).hexdigest())
    assert [row["clickDate"].date() for row in file] == [DAY] * 20  # type: ignore[union-attr] # a datetime
    assert (len(stage.ids()), stage.downloads) == (1, [])
    (entry,) = entries(stage)
    assert (entry.state, entry.file_sha256) == ("done", file.sha256)
    assert [path.name for path in brought.parent.iterdir() if path.is_file()] == [brought.name]
    stage.export().download(brought)  # the next export: this delivery was noted
    assert len(stage.ids()) == 2


def test_delivery_is_found_if_the_output_is_known_before_the_order(stage: Keeping, target: Path) -> None:
    """The delivery is noted but not acknowledged: see `acknowledge`."""
    stage.export().download(target, acknowledge=False)
    (entry,) = entries(stage)
    assert entry.state == "done"
    again = stage.export(output=target)
    assert again.download(target, acknowledge=False).row_count == 20
    assert len(stage.downloads) == len(stage.ids()) == 1
    elsewhere = stage.export(output=target.with_name("y"))
    assert elsewhere.id == stage.ids()[1]
    anew = stage.export(output=target, reorder=True)
    assert anew.id == stage.ids()[2]


@pytest.mark.parametrize("again", ["ordered", "resumed", "resumed by job"])
def test_wait_for_a_delivered_export_returns_at_once(stage: Keeping, brought: Path, again: str) -> None:
    """The job has expired at the service. A poll would lead to a second order."""
    client = stage.keeping()
    if again == "ordered":
        export = stage.export(client, output=brought)
    else:
        (entry,) = entries(stage)
        assert entry.handle is not None
        if again == "resumed":
            export = client.data.exports.resume(entry.handle, output=brought)
        else:
            export = client.data.exports.resume_job(entry.handle.job_id, report_type="click", output=brought)
    assert export.wait().download(brought).row_count == 20
    assert (len(stage.ids()), stage.downloads) == (1, [])


def test_earlier_delivery_is_reported(stage: Keeping, target: Path, caplog: pytest.LogCaptureFixture) -> None:
    stage.export().download(target, acknowledge=False)
    assert "was downloaded on" not in caplog.text
    then = datetime(2026, 10, 2, 3, 4, 5, tzinfo=UTC).timestamp()
    os.utime(target.with_name("x.csv.gz.part.json"), (then, then))
    again = stage.export(output=target)
    again.wait().download(target)
    (said,) = [text for text in caplog.messages if "was downloaded on" in text]
    assert said == (
        f"{target}: using the file of job {again.id} that was downloaded on 2026-10-02 03:04 UTC. To order a "
        "new one, use reorder=True or --reorder"
    )


def test_unknown_column_in_types_is_reported_with_the_file(
    stage: Keeping, target: Path, caplog: pytest.LogCaptureFixture
) -> None:
    stage.export().download(target, types={"colour": "xsd:string"})
    assert f"{target}: types has columns that the file does not have: 'colour'" in caplog.messages


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "harm", ["changed", "cut", "gone", "a folder", "of another job", "of another account"]
)
def test_doubtful_file_is_not_a_delivery(stage: Keeping, brought: Path, harm: str) -> None:
    side = brought.with_name("x.csv.gz.part.json")
    mark = json.loads(side.read_text())
    if harm == "changed":
        brought.write_bytes(gzip.compress(gzip.decompress(brought.read_bytes()), mtime=1))
    elif harm == "cut":
        brought.write_bytes(brought.read_bytes()[:-1])
    elif harm in ("gone", "a folder"):
        brought.unlink()
    else:
        key = "job_id" if "job" in harm else "account"
        side.write_text(json.dumps(mark | {key: "somebody-else"}))
    if harm == "a folder":
        brought.mkdir()
        with pytest.raises(IsADirectoryError):
            stage.export().download(brought)
        assert len(stage.ids()) == 1
    else:
        assert stage.export().download(brought).row_count == 20
        assert len(stage.ids()) == 2  # the first has expired


def test_plain_handle_finds_its_delivery(
    stage: Keeping, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = stage.keeping(state=False)
    export = stage.export(client)
    with monkeypatch.context() as patch:
        patch.setattr("soapclient.tracking.exports.export.acknowledge_file", Mock(side_effect=Killed))
        with pytest.raises(Killed):
            export.download(target)
    stage.clock.advance(48 * 3600)
    again = client.data.exports.resume(ExportHandle.from_json(export.handle.to_json()))
    assert again.download(target).row_count == 20
    assert len(stage.ids()) == 1


@pytest.mark.parametrize("state", [True, False])
def test_nothing_is_ordered_for_an_unwritable_output(stage: Keeping, tmp_path: Path, state: bool) -> None:
    client = stage.keeping(state=state)
    for output in (tmp_path, tmp_path / "nowhere" / "x", tmp_path / ("x" * 250)):
        with pytest.raises(OSError, match=r"is a directory|No such file|too long"):
            stage.export(client, output=output)
    assert stage.ids() == []
    fine = stage.export(client, output=tmp_path / "x")
    assert stage.ids() == [fine.id]


@pytest.mark.parametrize("name", ["half\ud800.gz", "nul\0.gz"])
def test_invalid_path_is_an_os_error_everywhere(stage: Keeping, target: Path, name: str) -> None:
    client, path = stage.keeping(), target.with_name(name)
    export = stage.export(client)
    file = export.download(target)
    attempts: list[Callable[[], object]] = [
        lambda: export.download(path),
        lambda: stage.export(client, output=path),
        lambda: stage.export(stage.keeping(state=False), output=path),
        lambda: file.to_csv(path),
        lambda: ExportFile.open(path, report_type="click"),
    ]
    for attempt in attempts:
        with pytest.raises(OSError, match="not a valid file name"):
            attempt()
    assert client.data.exports.resume(export.handle, output=path).delivered(path) is None
    assert len(stage.ids()) == 1


@pytest.mark.parametrize("options", [{"currency": "E\ud800"}, {"columns": ["clickId", "\udc00"]}])
def test_option_with_a_lone_surrogate_is_refused_and_not_recorded(
    stage: Keeping, options: dict[str, Any]
) -> None:
    client = stage.keeping()
    with pytest.raises(ContractError) as caught:
        stage.export(client, **options)
    assert str(caught.value).endswith("Nothing was sent.")
    assert stage.ids() == []
    assert not list((stage.folder / "state").rglob("click*"))


# ---- columns that differ from the contract


def logged(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return the messages of exports."""
    return [one.getMessage() for one in caplog.records if one.name.startswith("soapclient.tracking.exports")]


@pytest.fixture
def shorter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the service omit the last column."""
    monkeypatch.setattr(ordering, "header", without_the_last)


@pytest.mark.usefixtures("shorter")
def test_other_columns_are_refused_if_the_setting_says_so(stage: Keeping, target: Path) -> None:
    client = stage.keeping(on_column_drift="error")
    export = stage.export(client)
    with pytest.raises(ColumnsDiffer, match="zpar1") as caught:
        export.download(target)
    assert caught.value.path == str(target)
    assert list(stage.folder.glob("x.csv*")) == []
    assert [finding.path for _, finding in client.drift.counts()] == ["click.csv/zpar1"]
    file = export.download(target, on_drift="warn")
    assert (len(list(file)), file.on_drift) == (20, "warn")
    grouped = stage.export(client, group_by="day")
    days = grouped.download(stage.folder / "days.gz")  # the drift of clicks does not affect it
    assert len(list(days)) == days.row_count > 0


@pytest.mark.sampled(1)
@pytest.mark.usefixtures("shorter")
@pytest.mark.parametrize("said", ["to the download", "by the setting"])
def test_delivery_with_other_columns_is_refused_like_a_download(
    stage: Keeping, target: Path, caplog: pytest.LogCaptureFixture, said: str
) -> None:
    stage.export().download(target, acknowledge=False)
    caplog.clear()
    client = stage.keeping(on_column_drift="error") if said == "by the setting" else stage.keeping()
    export = stage.export(client, output=target)
    with pytest.raises(ColumnsDiffer, match="zpar1") as caught:
        export.wait().download(target, on_drift=None if said == "by the setting" else "error")
    assert caught.value.path == str(target)
    assert export.download(target, on_drift="warn", acknowledge=False).row_count == 20
    assert len([text for text in logged(caplog) if "zpar1" in text]) == 2  # once per download
    assert (len(stage.ids()), len(stage.downloads)) == (1, 1)


@pytest.mark.parametrize("zone", ["Asia/Tokyo", "UTC"])
def test_file_always_has_the_zone_of_the_settings(stage: Keeping, target: Path, zone: str) -> None:
    client = stage.keeping(naive_zone=zone)
    export = stage.export(client, output=target)
    came = export.download(target, acknowledge=False)
    found = export.delivered(target)
    assert found is not None
    assert str(came.naive_zone) == str(found.naive_zone) == zone


@pytest.mark.parametrize("word", ["raise", "", "Error"])
def test_unknown_column_drift_policy_is_refused(word: Any) -> None:
    with pytest.raises(ConfigError, match="on_column_drift must be one of: tolerate, warn, error"):
        Settings(on_column_drift=word)


def test_old_name_of_the_warning_policy_is_accepted() -> None:
    assert Settings.load(environ={"SOAPCLIENT_ON_COLUMN_DRIFT": "report"}).on_column_drift == "warn"


@pytest.mark.usefixtures("shorter")
def test_other_columns_are_counted_without_a_warning_if_they_are_tolerated(
    stage: Keeping, target: Path, caplog: pytest.LogCaptureFixture
) -> None:
    client = stage.keeping(on_column_drift="tolerate")
    file = stage.export(client).download(target)
    assert len(list(file)) == 20
    assert [text for text in logged(caplog) if "zpar1" in text] == []
    assert [finding.path for _, finding in client.drift.counts()] == ["click.csv/zpar1"]


@pytest.mark.parametrize("path", ["", "a\0b", 5])
def test_invalid_state_folder_is_refused(path: object) -> None:
    with pytest.raises(ConfigError, match="state_dir"):
        Settings.load(environ={}, state_dir=path)


# ---- signatures in queries


def test_download_is_signed_in_the_configured_place(
    stage: Keeping, target: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("DEBUG"):
        client = stage.keeping(state=False, rest_signature="query")
        stage.sandbox.jobs.script(JobScript(stale_addresses=1, breaks=1))
        assert stage.export(client).download(target).row_count == 20
    assert len(stage.downloads) == 3
    nonces = set()
    for request in stage.downloads:
        assert "Authorization" not in request.headers
        assert request.headers.get("nonce") is None
        names = [name for name in request.args if name != "ticket"]
        assert names == ["connectid", "date", "nonce", "signature"]  # docs/explanation/service.md#signing
        nonces.add(request.args["nonce"])
        assert request.args["signature"] not in caplog.text
    assert len(nonces) == 3
