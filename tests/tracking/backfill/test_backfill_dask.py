"""Backfills in other processes: Dask workers with their own environment. No secret is sent to them."""

from __future__ import annotations

import asyncio
import concurrent.futures as cf
import os
import pickle
import queue
import signal
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any, ParamSpec, TypeVar
from unittest.mock import Mock

import pytest

from soapclient.errors import ConfigError
from soapclient.tracking.backfill import Progress, run, verify
from soapclient.tracking.exports import backfill

from .conftest import Backfills, Workers

pytestmark = pytest.mark.exhaustive

P = ParamSpec("P")
T = TypeVar("T")
REPORTS = [{"type": "click"}, {"type": "clickin"}, {"type": "sale"}]
DAYS = {"from": "2026-10-15", "to": "2026-11-03"}  # 20 days, over the end of summer time


class Recording(cf.Executor):
    """An executor that passes tasks on and keeps them as they are sent over the wire."""

    def __init__(self, inner: cf.Executor) -> None:
        self._inner = inner
        self.sent: list[bytes] = []

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> cf.Future[T]:
        self.sent.append(pickle.dumps((fn, args, kwargs)))
        return self._inner.submit(fn, *args, **kwargs)


@contextmanager
def event_loop() -> Iterator[object]:
    """Run an event loop in a thread. Dask waits only ten seconds for its own one to start."""
    ioloop = pytest.importorskip("tornado.ioloop").IOLoop
    started: queue.SimpleQueue[tuple[Any, asyncio.Event]] = queue.SimpleQueue()

    async def hold() -> None:
        stop = asyncio.Event()
        started.put((ioloop.current(), stop))
        await stop.wait()

    thread = threading.Thread(target=lambda: asyncio.run(hold()))
    thread.start()
    loop, stop = started.get()
    try:
        yield loop
    finally:
        loop.add_callback(stop.set)
        thread.join()


@contextmanager
def cluster(workers: int) -> Iterator[str]:
    distributed = pytest.importorskip("distributed", reason="Dask is not installed: the extra dask brings it")
    dask = pytest.importorskip("dask")
    with (
        # A separate folder, because Dask leaves its lock files, and killed workers leave more.
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch,
        dask.config.set(temporary_directory=scratch),
        event_loop() as loop,
        distributed.LocalCluster(
            loop=loop,
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            local_directory=scratch,
        ) as running,
    ):
        yield running.scheduler_address


@contextmanager
def executor_of(scheduler: str) -> Iterator[tuple[cf.Executor, int]]:
    from soapclient.tracking.backfill.dask_engine import dask_executor

    with dask_executor(scheduler) as made:
        yield made


@contextmanager
def client_of(scheduler: str) -> Iterator[Any]:
    import distributed

    with distributed.Client(scheduler) as client:  # type: ignore[no-untyped-call]  # partly typed
        yield client


@pytest.mark.filterwarnings("default")
def test_a_cluster_leaves_nothing_in_the_temporary_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    with cluster(1):
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.filterwarnings("default")  # a cluster warns about its own processes and sockets when it ends
def test_backfill_runs_on_two_worker_processes(stage: Backfills) -> None:
    plan = stage.plan(reports=REPORTS, **DAYS)
    with cluster(2) as scheduler:
        with executor_of(scheduler) as (executor, at_work):
            recording = Recording(executor)
            assert at_work == 4
            summary = backfill(plan, recording, jobs=at_work)
        assert summary.failed == ()
        assert (summary.partitions, summary.done, stage.jobs()) == (60, 60, 60)
        assert len(recording.sent) == 60
        for sent in recording.sent:
            assert stage.environ["SOAPCLIENT_SECRET_KEY"].encode() not in sent
            assert stage.environ["SOAPCLIENT_CONNECT_ID"].encode() not in sent
    assert verify(plan).whole == 60
    for report in ("click", "clickin", "sale"):
        assert stage.totals(report) == stage.expected(report, 20, date(2026, 10, 15))


@pytest.mark.filterwarnings("default")
def test_workers_without_credentials_name_the_missing_variable(
    stage: Backfills, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SOAPCLIENT_SECRET_KEY")
    with cluster(1) as scheduler:
        monkeypatch.setenv("SOAPCLIENT_SECRET_KEY", stage.environ["SOAPCLIENT_SECRET_KEY"])
        with executor_of(scheduler) as (executor, at_work):
            summary = backfill(stage.plan(to="2026-11-01"), executor, jobs=at_work)
    ((failed),) = summary.failed
    assert "SOAPCLIENT_SECRET_KEY is not set" in failed.reason
    # Its job is kept: the threads of this process fetch the file.
    assert backfill(stage.plan(to="2026-11-01")).exit_code == 0
    assert stage.jobs() == 1


@pytest.mark.filterwarnings("default")
def test_killed_worker_process_only_costs_time(stage: Backfills) -> None:
    plan = stage.plan(to="2026-11-20")
    with cluster(2) as scheduler:
        with client_of(scheduler) as client:
            victim, _ = client.run(os.getpid).values()
        killed: list[int] = []

        def kill(now: Progress) -> None:
            if now.done and not killed:
                os.kill(victim, signal.SIGKILL)
                killed.append(victim)

        with executor_of(scheduler) as (executor, at_work):
            summary = backfill(plan, executor, kill, jobs=at_work)
    assert killed
    assert (summary.done, summary.failed, stage.jobs()) == (20, (), 20)
    stage.clicks_are_whole(20)


@pytest.mark.filterwarnings("default")
def test_dask_client_executor_without_workers_is_abandoned(
    stage: Backfills, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "_SLICE", 0.05)
    monkeypatch.setattr(run, "_MARGIN", 0.0)
    with cluster(0) as scheduler, client_of(scheduler) as client:
        own: cf.Executor = client.get_executor(pure=False)
        summary = backfill(stage.plan(deadline=0.2), own)
        own.shutdown(wait=False)
    said = "the cluster no longer has workers. Start workers, and run the backfill again."
    assert {one.reason for one in summary.failed} == {said}
    assert backfill(stage.plan()).done == 4
    assert stage.jobs() == 4


def test_process_pool_executor_works(stage: Backfills) -> None:
    import multiprocessing

    with cf.ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as executor:
        assert backfill(stage.plan(), executor).done == 4
    stage.clicks_are_whole(4)


def test_dead_worker_is_reported_and_nothing_hangs(stage: Backfills) -> None:
    class Dying(Workers):
        def work(self, future: cf.Future[Any], task: Callable[[], object]) -> None:
            future.set_exception(MemoryError("no room"))

    summary = backfill(stage.plan(), Dying())
    assert {one.reason for one in summary.failed} == {"its worker failed: MemoryError: no room"}
    assert backfill(stage.plan()).done == 4
    assert stage.jobs() == 4


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "127.0.0.1:9", "nosuch://x:1", "tcp://x:port"])
def test_unreachable_scheduler_is_an_error(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    pytest.importorskip("distributed", reason="Dask is not installed: the extra dask brings it")
    from soapclient.tracking.backfill import dask_engine

    monkeypatch.setattr(dask_engine, "_PATIENCE", 0.05)
    said = r"does not respond.*Give the address of a running Dask scheduler"
    with pytest.raises(ConfigError, match=said) as caught, dask_engine.dask_executor(address):
        pytest.fail("there is none")
    assert caught.value.setting == "scheduler"
    assert address in str(caught.value)


@pytest.mark.filterwarnings("default")
def test_a_cluster_of_no_workers_is_refused() -> None:
    with cluster(0) as scheduler, pytest.raises(ConfigError, match="has no workers"), executor_of(scheduler):
        pytest.fail("nobody would do it")


@pytest.mark.filterwarnings("default")
def test_workers_stop_if_they_are_retired_or_their_scheduler_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    with cluster(1) as scheduler:
        import distributed
        from distributed.comm.core import CommClosedError

        with executor_of(scheduler) as (executor, _):
            assert isinstance(executor, run.HasWorkers)
            assert executor.workers() == 1
            with monkeypatch.context() as patch:
                gone = Mock(side_effect=CommClosedError("in <TCP (closed)>: Stream is closed"))
                patch.setattr(distributed.Client, "nthreads", gone)
                assert executor.workers() == 0
            with client_of(scheduler) as client:
                client.retire_workers()
            assert executor.workers() == 0
