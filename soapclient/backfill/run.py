"""A backfill from beginning to end: what is to be done, who does it, and what became of it."""

from __future__ import annotations

import concurrent.futures as cf
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from secrets import token_hex
from typing import Final, cast

from soapclient.backfill.loop import Loop, OnProgress, Summary
from soapclient.backfill.orders import BadFileCounts, Orders
from soapclient.backfill.plan import Plan
from soapclient.backfill.status import Status, survey
from soapclient.backfill.store import Store, open_store
from soapclient.backfill.task import STAGING, Session, config_of, session_of, settings_of
from soapclient.clock import SystemClock
from soapclient.config import Config
from soapclient.exports.durable import check_writable, make_folder
from soapclient.exports.formats.columns import OnDrift
from soapclient.exports.handle import JobId
from soapclient.exports.orders.ledger import account_of
from soapclient.exports.orders.lock import OrdererLock

THREADS: Final = 4
_AT_WORK: Final = 16  # partitions ordered and not yet brought, with an executor whose size nobody tells


def backfill(
    plan: Plan,
    executor: cf.Executor | None = None,
    on_progress: OnProgress | None = None,
    *,
    config: Config | None = None,
    jobs: int | None = None,
    recheck: bool = False,
    settle: float | None = None,
    reorder: bool = False,
) -> Summary:
    """Bring what is missing of a plan into its dataset; return what was done.

    `executor` does the work on partitions, by default `jobs` threads (4); it may be one of processes or of
    other machines, for a task is a small value that can be pickled. Wherever it works, the environment has to
    hold the credentials that the plan names. `jobs` is also how many partitions are on their way at a time,
    16 for an executor given without. Orders are issued here alone, one after the other.

    What is complete is not asked for again, unless the plan has changed since or, for Parquet files, what is
    known of the contract, or its file is gone (with `recheck`: or its hash is wrong). A partition that fails
    is in the summary with its reason, the others go on. `config` is by default what the environment says; its
    credentials are not used. With its `state_dir`, jobs of single exports, and of other plans that go by the
    same folder, are not taken for this one's, nor this one's for theirs. `settle` is how many seconds after
    an order without a response its job may still turn up (see Exporter.order_once). With `reorder`, whatever
    is not complete is ordered anew, whatever became of an earlier order; without it a partition fails where
    several jobs may be that order's, and each time anew where its job is stuck or not known any more. A job
    whose file is damaged or short of rows is given up after three runs.

    Raises ConfigError (plan, configuration, credentials), LedgerBusy where another process works on the same
    plan, OSError where the dataset or the work folder cannot be used, and KeyboardInterrupt: partitions that
    are not complete by then are brought by the next run, with the jobs that were ordered.
    """
    config = Config.load() if config is None else config
    if plan.on_drift is None:
        plan = replace(plan, on_drift=cast("OnDrift", config.on_column_drift))  # which allows the same words
    settings = settings_of(config)
    # All of them at once, before anything is ordered for the first.
    connect_ids = {one.name: config_of(settings, one).credentials().connect_id for one in plan.accounts}
    account_ids = {name: account_of(connect_id) for name, connect_id in connect_ids.items()}
    make_folder(plan.work)
    with OrdererLock(plan.work / "lock", patience=0.0, clock=SystemClock()):
        name = token_hex(8)
        session = session_of(name)
        store = open_store(plan.output, name)
        found = survey(plan, store, account_ids, recheck=recheck)
        if found.todo:  # before anything is ordered for a file that could not be brought
            _check_places(plan, store)
        orders = Orders(
            plan.work / "ledger",
            session,
            settings,
            account_ids,
            settle,
            BadFileCounts(plan.work / "setbacks.json"),
            beside=_beside(config),
            reorder=reorder,
            in_dataset=_in_dataset(found),
        )
        _sweep(plan.work / STAGING, {todo.partition.staged for todo in found.todo})
        run = Loop(name, plan, settings, account_ids, orders, found, on_progress)
        try:
            if executor is not None:
                run.go(_staffed(executor), jobs or _AT_WORK)
            elif found.todo:
                _with_threads(run, session, jobs or THREADS)
        finally:
            session.close()
        return run.summary()


def _check_places(plan: Plan, store: Store) -> None:
    """Refuse folders that cannot be written. Raises OSError."""
    staging = plan.work / STAGING
    make_folder(staging)
    check_writable(staging / f"{token_hex(8)}.part")
    store.check_writable()


def _beside(config: Config) -> tuple[Path, ...]:
    """The folder in which single exports are remembered, and through which plans know of one another."""
    return () if config.state_dir is None else (Path(config.state_dir).expanduser(),)


def _in_dataset(found: Status) -> Callable[[str, JobId], bool]:
    """Tell whether a job of an account is that of a complete partition."""
    manifests = (found.present[one.folder] for one in found.complete)
    jobs = {(one.account_id, str(one.job_id)) for one in manifests}
    return lambda account, job_id: (account, str(job_id)) in jobs


def _staffed(executor: cf.Executor) -> cf.Executor:
    if type(executor).__module__.partition(".")[0] != "distributed":
        return executor
    from soapclient.backfill.dask_engine import staffed

    return staffed(executor)


def _sweep(staging: Path, wanted: set[str]) -> None:
    """Remove what killed processes left for partitions that are complete by now, or of no plan any more."""
    for path in staging.glob("*"):
        if path.name.partition(".csv.gz")[0].partition(".parquet")[0] not in wanted:
            path.unlink(missing_ok=True)


def _with_threads(run: Loop, session: Session, threads: int) -> None:
    pool = cf.ThreadPoolExecutor(threads, thread_name_prefix="backfill")
    try:
        # One more than threads, so that none waits for an order.
        run.go(pool, threads + 1)
    except BaseException:
        session.stop()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
