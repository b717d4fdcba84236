"""Workers that are gone or run a task twice, and the state that a process keeps after a run."""

from __future__ import annotations

import concurrent.futures as cf
import pickle
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from soapclient import Settings
from soapclient._support import durable, part_file
from soapclient.auth.credentials import Secret
from soapclient.errors import ConfigError
from soapclient.tracking.backfill import BackfillAccount, dataset_files, run, store, task
from soapclient.tracking.backfill.store import LocalStore
from soapclient.tracking.backfill.task import Session, config_of, session_of, settings_of
from soapclient.tracking.client import Client
from soapclient.tracking.exports import backfill

from .conftest import Backfills, Workers


class Deserted(Workers):
    """An executor that accepts all tasks, runs none, and reports scripted numbers of workers."""

    def __init__(self, answers: list[int]) -> None:
        self.taken: list[cf.Future[object]] = []
        self._answers = answers

    def work(self, future: cf.Future[Any], task: Callable[[], object]) -> None:
        self.taken.append(future)

    def workers(self) -> int:
        return self._answers.pop(0)


@pytest.mark.exhaustive
def test_cluster_without_workers_is_abandoned_and_its_jobs_kept(
    stage: Backfills, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "_SLICE", 0.01)
    monkeypatch.setattr(run, "_MARGIN", 0.0)
    answers = [1, 0, 99]  # one worker is left, then none; 99 is not read
    executor = Deserted(answers)
    summary = backfill(stage.plan(deadline=0.05), executor, jobs=2)
    assert answers == [99]
    said = "the cluster no longer has workers. Start workers, and run the backfill again."
    assert {one.reason for one in summary.failed} == {said}
    assert len(summary.failed) == 4
    assert len(executor.taken) == 2
    assert all(future.cancelled() for future in executor.taken)
    assert stage.jobs() == 2  # no orders are placed without workers
    assert backfill(stage.plan()).done == 4
    assert stage.jobs() == 4


class Late(Workers):
    """An executor that starts each task on its own thread when it is allowed to."""

    def __init__(self) -> None:
        self.let = threading.Event()

    def work(self, future: cf.Future[Any], task: Callable[[], object]) -> None:

        def late() -> None:
            assert self.let.wait(60)
            future.set_result(task())

        threading.Thread(target=late, daemon=True).start()


@pytest.mark.exhaustive
def test_executor_with_an_unknown_number_of_workers_is_waited_for(
    stage: Backfills, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "_SLICE", 0.01)
    monkeypatch.setattr(run, "_MARGIN", -30.0)  # late from the start
    executor, workers = Late(), run._workers

    def asked(of: cf.Executor) -> int:
        executor.let.set()
        return workers(of)

    monkeypatch.setattr(run, "_workers", asked)
    summary = backfill(stage.plan(deadline=30), executor)
    assert executor.let.is_set()
    assert (summary.done, summary.failed) == (4, ())


ENVIRON = {"SOAPCLIENT_CONNECT_ID": "me", "SOAPCLIENT_SECRET_KEY": "here"}


def test_proxy_password_comes_from_the_worker() -> None:
    known = settings_of(Settings(connect_id="me", secret_key="mine", proxy_credentials="a:b", keyring="shop"))
    assert not {"connect_id", "secret_key", "proxy_credentials", "keyring"} & known.keys()
    main = BackfillAccount(name="main")
    assert config_of(known, main, ENVIRON).proxy_credentials is None
    environ = ENVIRON | {"SOAPCLIENT_PROXY_CREDENTIALS": "c:d"}
    assert config_of(known, main, environ).proxy_credentials == Secret("c:d")


def test_a_task_has_the_settings_of_the_data_service_without_secrets() -> None:
    sections: dict[str, dict[str, object]] = {
        "data": {"deadline": 5, "headers": {"X-Api-Key": "s3cr3t-of-tests", "X-Team": "a"}},
        "weather": {"headers": {"X-Api-Key": "s3cr3t-of-tests"}},
    }
    known = settings_of(Settings(services=sections))
    assert (known["deadline"], known["headers"]) == (5.0, {"X-Api-Key": None, "X-Team": "a"})
    assert b"s3cr3t-of-tests" not in pickle.dumps(known)
    environ = ENVIRON | {"SOAPCLIENT_HEADERS": "X-Api-Key=k"}
    own = config_of(known, BackfillAccount(name="main"), environ)
    assert (own.deadline, own.headers) == (5.0, {"X-Api-Key": "k", "X-Team": "a"})


def test_clients_of_a_dropped_session_are_closed_when_its_last_task_is_done(
    stage: Backfills, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(task, "_sessions", {})
    closed: list[Client] = []

    def close(client: Client) -> None:
        closed.append(client)

    monkeypatch.setattr(Client, "close", close)
    at_work: list[Session] = [session_of("run-0")]
    client = at_work[0].client(settings_of(Settings.load()), BackfillAccount(name="main"))
    for number in range(1, 20):
        session_of(f"run-{number}")
    assert closed == []  # a task still uses it
    at_work[0].check()
    at_work.clear()
    assert closed == [client]


def test_a_run_has_one_client_per_account_and_credentials(
    stage: Backfills, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared, settings, account = Session(), settings_of(Settings.load()), BackfillAccount(name="main")
    first = shared.client(settings, account)
    assert shared.client(settings, account) is first
    assert shared.client(settings, BackfillAccount(name="another label")) is first
    monkeypatch.setenv(account.connect_id_env, "43EEF0445509C7205827")
    other = shared.client(settings, account)
    assert other is not first
    assert other.settings.credentials().connect_id == "43EEF0445509C7205827"
    monkeypatch.delenv(account.connect_id_env)
    with pytest.raises(ConfigError, match=account.connect_id_env):
        shared.client(settings, account)
    shared.close()


def test_concurrent_duplicate_task_does_no_damage(stage: Backfills, monkeypatch: pytest.MonkeyPatch) -> None:
    finish = durable.finish
    twice: list[Path] = []

    def in_between(part: Path, target: Path, **options: Any) -> None:  # Any: passed through
        if target.suffix == ".parquet" and not twice:
            # Another worker, to which the cluster gave the task as well, is done by now.
            twice.append(part)
            store = LocalStore(Path(stage.output), part.name.rpartition("-")[0].rpartition(".")[2])
            folder = part.parent.relative_to(stage.output).as_posix()
            for path in store.in_folder(folder):
                store.remove(path)
        finish(part, target, **options)

    monkeypatch.setattr(store, "finish", in_between)
    assert backfill(stage.plan(to="2026-11-01")).failed == ()
    assert len(twice) == 1
    stage.clicks_are_whole(1)


class Twice(Workers):
    """Gives each task to two workers. The second begins while the first one waits at `at`."""

    def __init__(self) -> None:
        self.outcomes: list[object] = []
        self.at, self._first_may = threading.Event(), threading.Event()

    def stop_the_first(self) -> None:
        if not self.at.is_set():
            self.at.set()
            assert self._first_may.wait(60)

    def work(self, future: cf.Future[Any], task: Callable[[], object]) -> None:
        with cf.ThreadPoolExecutor(2) as pool:
            first = pool.submit(task)
            assert self.at.wait(60)
            second = pool.submit(task)
            # If the second did not wait, it is done with the first one's files by now.
            cf.wait([second], 0.5)
            self._first_may.set()
            self.outcomes = [first.result(), second.result()]
            future.set_result(first.result())


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("format", "kind", "name"),
    [("csv.gz", LocalStore, "put"), ("parquet", LocalStore, "put"), ("parquet", part_file.NewFile, "finish")],
)
def test_worker_waits_for_another_worker_with_the_same_task(
    stage: Backfills, monkeypatch: pytest.MonkeyPatch, format: str, kind: type, name: str
) -> None:
    executor, done = Twice(), getattr(kind, name)

    def stopped(*arguments: object, **options: object) -> object:
        executor.stop_the_first()
        return done(*arguments, **options)

    monkeypatch.setattr(kind, name, stopped)
    plan = stage.plan(to="2026-11-01", format=format)
    assert backfill(plan, executor).failed == ()
    assert [getattr(each, "kind", None) for each in executor.outcomes] == ["done", "done"]
    assert list((plan.work / "staging").iterdir()) == []
    assert (len(dataset_files(stage.output)), stage.jobs()) == (1, 1)


@pytest.mark.exhaustive
def test_leftovers_of_a_killed_worker_are_removed(stage: Backfills, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another worker has completed its task."""
    finish = durable.finish
    left: list[Path] = []

    def finished(part: Path, target: Path, **options: Any) -> None:  # Any: passed through
        if target.name == "_manifest.json" and len(left) < 2:
            # As left by a worker that was killed before this one began.
            left.append(part.with_name(part.name[: -len("12345678.part")] + "0badcafe.part"))
            left[-1].write_bytes(b"{")
        finish(part, target, **options)

    monkeypatch.setattr(store, "finish", finished)
    plan = stage.plan()
    assert backfill(plan).failed == ()
    assert len(left) == 2
    assert not any(path.exists() for path in left)
    # From another run, which was killed, too.
    left[0].with_name("part-x.parquet.0123456789abcdef-0badcafe.part").write_bytes(b"PAR1")
    kept = left[0].with_name("notes.part")
    kept.write_bytes(b"of somebody's own")
    assert backfill(plan).skipped == 4
    assert list(Path(stage.output).rglob("*.part")) == [kept]


def test_leftovers_of_another_run_are_removed(tmp_path: Path) -> None:
    for name in ("data.one-12ab.part", "data.two-12ab.part", "data"):
        (tmp_path / name).write_bytes(b"")
    assert LocalStore(tmp_path, "one").in_folder(".") == ["./data", "./data.two-12ab.part"]
    assert len(LocalStore(tmp_path).in_folder(".")) == 3


def test_each_thread_has_its_own_store(tmp_path: Path) -> None:
    """A file system with one connection, such as FTP, can be used by one thread only."""
    session = Session()
    with cf.ThreadPoolExecutor(1) as other:
        mine, again = (session.store(str(tmp_path), "") for _ in range(2))
        theirs = other.submit(session.store, str(tmp_path), "").result()
    assert mine is again
    assert theirs is not mine
