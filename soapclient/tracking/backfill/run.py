"""A backfill from beginning to end: what is to be done, who does it, and what became of it."""

from __future__ import annotations

import concurrent.futures as cf
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from secrets import token_hex
from typing import Final, Protocol, runtime_checkable

from soapclient._support.durable import OrdererLock, check_owner, check_writable, make_folder
from soapclient.clock import SystemClock
from soapclient.errors import SoapClientError
from soapclient.tracking.backfill.dataset import Manifest, Status, Todo, enter, status_of, withdraw
from soapclient.tracking.backfill.orders import BadFileCounts, Orders
from soapclient.tracking.backfill.plan import Plan
from soapclient.tracking.backfill.store import Store, left_by, open_store
from soapclient.tracking.backfill.task import (
    STAGING,
    Kind,
    Outcome,
    Session,
    Task,
    TaskSettings,
    config_of,
    crashed,
    perform,
    session_of,
    settings_of,
)
from soapclient.tracking.exports.handle import JobId
from soapclient.tracking.exports.orders.ledger import account_of
from soapclient.tracking.settings import Settings


@dataclass(frozen=True)
class FailedPartition:
    """A partition that is not complete, and why. `partition` is its folder below the dataset's root."""

    partition: str
    reason: str


@dataclass(frozen=True)
class Progress:
    """How far a backfill is: partitions of the plan, those found complete, brought since, failed.

    `rows` are those brought since; `partition` is the one that was finished last, None at the beginning.
    """

    total: int
    complete: int
    done: int
    failed: int
    rows: int
    partition: str | None = None

    @property
    def finished(self) -> int:
        """How many partitions nothing is left to do for in this run."""
        return self.complete + self.done + self.failed


@dataclass(frozen=True)
class Summary:
    """What a backfill did. `skipped` were complete before, `stale` of the `done` had an older content.

    `rows` and `size` (in bytes) are those of what was brought.
    """

    partitions: int
    skipped: int
    done: int
    stale: int
    rows: int
    size: int
    failed: tuple[FailedPartition, ...]

    @property
    def exit_code(self) -> int:
        """0 if the dataset is complete, else 1."""
        return 1 if self.failed else 0

    def to_dict(self) -> dict[str, object]:
        """Return it as JSON values."""
        return asdict(self)


_SLICE: Final = 5.0  # seconds between looks at whether anybody is at work
_MARGIN: Final = 60.0  # seconds for workers to come back, beyond the time that a partition may take

_FORGOTTEN: Final[tuple[Kind, ...]] = ("failed job", "expired job")
_AGAIN: Final[tuple[Kind, ...]] = ("expired job", "other job", "bad file")  # worth a new order, once
_KEPT: Final[tuple[Kind, ...]] = ("unknown job", "kept job", "bad file")

OnProgress = Callable[[Progress], None]


@runtime_checkable
class Staffed(Protocol):
    """An executor that may lose all its workers and wait for others, as a cluster does."""

    def workers(self) -> int:
        """How many there are now."""


@dataclass(eq=False)
class Loop:
    """The loop. Nothing in it is shared with the workers."""

    name: str
    plan: Plan
    settings: TaskSettings
    account_ids: Mapping[str, str]
    store: Store
    orders: Orders
    found: Status
    on_progress: OnProgress | None
    _pending: dict[cf.Future[Outcome], tuple[Todo, JobId]] = field(default_factory=dict, init=False)
    _broken: str | None = field(default=None, init=False)  # why the executor takes nothing any more
    _retried: set[str] = field(default_factory=set, init=False)
    _failed: list[FailedPartition] = field(default_factory=list, init=False)
    _stale: int = field(default=0, init=False)
    _size: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        complete = len(self.found.complete)
        self._so_far = Progress(complete + len(self.found.todo), complete, done=0, failed=0, rows=0)

    def go(self, executor: cf.Executor, at_work: int) -> None:
        """Order and gather until nothing is left."""
        self._tell()
        try:
            for todo in self.found.todo:
                while len(self._pending) >= at_work:
                    self._gather(executor)
                self._begin(executor, todo)
            while self._pending:
                self._gather(executor)
        except BaseException:
            for future in self._pending:
                future.cancel()
            raise

    def summary(self) -> Summary:
        so_far = self._so_far
        return Summary(
            partitions=so_far.total,
            skipped=so_far.complete,
            done=so_far.done,
            stale=self._stale,
            rows=so_far.rows,
            size=self._size,
            failed=tuple(self._failed),
        )

    def _begin(self, executor: cf.Executor, todo: Todo) -> None:
        """Order a partition and hand it on."""
        partition = todo.partition
        if self._broken is not None:  # ordering on would be for nobody
            self._fail(todo, self._broken)
            return
        try:
            handle = self.orders.order(partition)
        except (SoapClientError, OSError) as error:
            self._fail(todo, self.orders.reason(partition, error))
            return
        task = Task(
            run=self.name,
            partition=partition,
            account_id=self.account_ids[partition.account.name],
            settings=self.settings,
            handle=handle.to_json(),
            output=self.plan.output,
            work=self.plan.work,
            deadline=self.plan.deadline,
            on_drift=self.plan.on_drift or "warn",
            sole=bool(todo.over),
        )
        try:
            future = executor.submit(perform, task)
        except RuntimeError as error:  # it was shut down, or its processes died
            self._broken = f"no worker accepts it any more: {type(error).__name__}: {error}"
            self._fail(todo, self._broken)
        else:
            self._pending[future] = todo, handle.job_id

    def _gather(self, executor: cf.Executor) -> None:
        """Wait for at least one partition, and take what there is."""
        until = time.monotonic() + self.plan.deadline + _MARGIN
        while True:
            finished, _ = cf.wait(self._pending, _SLICE, return_when=cf.FIRST_COMPLETED)
            if finished:
                break
            if time.monotonic() >= until and not _workers(executor):
                self._abandon()
                return
        for future in finished:
            todo, job_id = self._pending.pop(future)
            try:
                outcome = future.result()
            except (Exception, cf.CancelledError) as error:
                outcome = crashed(error)
            self._take(executor, todo, job_id, outcome)

    def _abandon(self) -> None:
        """Give up what is on its way, for nobody is at work on it. Its jobs are kept for the next run."""
        self._broken = "the cluster has no workers any more"
        pending, self._pending = self._pending, {}
        for future, (todo, _) in pending.items():
            future.cancel()
            self._fail(todo, self._broken)

    def _take(self, executor: cf.Executor, todo: Todo, job_id: JobId, outcome: Outcome) -> None:
        folder, kept = todo.partition.folder, outcome.kind in _KEPT
        try:
            if outcome.manifest is not None:
                self._enter(todo, outcome.manifest)
                self.orders.brought(todo.partition, job_id)
                return
            if outcome.kind in _FORGOTTEN:
                self.orders.forget(todo.partition, job_id)
            elif outcome.kind == "other job":
                self.orders.disown(todo.partition, job_id)
            elif outcome.kind == "bad file":
                kept = not self.orders.abandoned(todo.partition, job_id)
        except (SoapClientError, OSError) as error:
            self._fail(todo, str(error))
            return
        if outcome.kind in _AGAIN and not kept and folder not in self._retried:
            self._retried.add(folder)
            self._begin(executor, todo)
        elif kept:
            self._fail(todo, f"{outcome.reason} The next run tries it again; --reorder orders anew.")
        else:
            self._fail(todo, outcome.reason)

    def _enter(self, todo: Todo, manifest: Manifest) -> None:
        folder = todo.partition.folder
        present = self.found.present
        if todo.over:
            folders = {
                one.folder for one in (*self.found.complete, *(todo.partition for todo in self.found.todo))
            }
            for other, old in todo.over:
                # Gone before the new one comes: no reader ever sees a day twice. What a partition of this
                # plan has replaced in the meantime is to stay.
                if other != folder and present.get(other) is old:
                    withdraw(self.store, other, old, data=other not in folders)
                    present.pop(other)
            enter(self.store, manifest, folder)
        for path in self.store.left_over(folder):
            self.store.remove(path)
        self._stale += folder in present
        present[folder] = manifest
        self._size += manifest.size
        self._tell(folder, done=1, rows=manifest.rows)

    def _fail(self, todo: Todo, reason: str) -> None:
        self._failed.append(FailedPartition(todo.partition.folder, reason))
        self._tell(todo.partition.folder, failed=1)

    def _tell(self, folder: str | None = None, *, done: int = 0, failed: int = 0, rows: int = 0) -> None:
        before = self._so_far
        self._so_far = replace(
            before,
            done=before.done + done,
            failed=before.failed + failed,
            rows=before.rows + rows,
            partition=folder,
        )
        if self.on_progress is not None:
            self.on_progress(self._so_far)


THREADS: Final = 4
_AT_WORK: Final = 16  # partitions ordered and not yet brought, with an executor whose size nobody tells


def backfill(
    plan: Plan,
    executor: cf.Executor | None = None,
    on_progress: OnProgress | None = None,
    *,
    config: Settings | None = None,
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
    an order without a response its job may still turn up (see Orders.order_once). With `reorder`, whatever
    is not complete is ordered anew, whatever became of an earlier order; without it a partition fails where
    several jobs may be that order's, and each time anew where its job is stuck or not known any more. A job
    whose file is damaged or short of rows is given up after three runs.

    Raises ConfigError (plan, configuration, credentials), LedgerBusy where another process works on the same
    plan, OSError where the dataset or the work folder cannot be used, and KeyboardInterrupt: partitions that
    are not complete by then are brought by the next run, with the jobs that were ordered.
    """
    config = Settings.load() if config is None else config
    if plan.on_drift is None:
        plan = replace(plan, on_drift=config.on_column_drift)
    settings = settings_of(config)
    # All of them at once, before anything is ordered for the first.
    connect_ids = {one.name: config_of(settings, one).credentials().connect_id for one in plan.accounts}
    account_ids = {name: account_of(connect_id) for name, connect_id in connect_ids.items()}
    make_folder(plan.work, private=True)
    check_owner(plan.work)
    with OrdererLock(plan.work / "lock", patience=0.0, clock=SystemClock()):
        name = token_hex(8)
        session = session_of(name)
        store = open_store(plan.output, name)
        found = status_of(plan, store, account_ids, recheck=recheck)
        staging = plan.work / STAGING
        if found.todo:  # before anything is ordered for a file that could not be brought
            make_folder(staging)
            check_writable(staging / f"{token_hex(8)}.part")
            store.check_writable()
        manifests = (found.present[one.folder] for one in found.complete)
        jobs_there = {(one.account_id, str(one.job_id)) for one in manifests}
        orders = Orders(
            folder=plan.work / "ledger",
            session=session,
            settings=settings,
            account_ids=account_ids,
            settle=settle,
            bad_files=BadFileCounts(plan.work / "setbacks.json"),
            # Where single exports are remembered, and through which plans know of one another.
            neighbours=() if config.state_dir is None else (Path(config.state_dir).expanduser(),),
            reorder=reorder,
            in_dataset=lambda account, job_id: (account, str(job_id)) in jobs_there,
        )
        _sweep(staging, {todo.partition.staged for todo in found.todo})
        _sweep_dataset(store, found)
        run = Loop(name, plan, settings, account_ids, store, orders, found, on_progress)
        try:
            if executor is not None:
                run.go(executor, jobs or _AT_WORK)
            elif found.todo:
                _with_threads(run, session, jobs or THREADS)
        finally:
            session.close()
        return run.summary()


def _workers(executor: cf.Executor) -> int:
    """How many workers an executor has left; 1 of one that does not lose them."""
    if isinstance(executor, Staffed):
        return executor.workers()
    if type(executor).__module__.partition(".")[0] != "distributed":
        return 1
    from soapclient.tracking.backfill.dask_engine import workers_of

    return workers_of(executor)


def _sweep(staging: Path, wanted: set[str]) -> None:
    """Remove what killed processes left for partitions that are complete by now, or of no plan any more."""
    for path in staging.glob("*"):
        if path.name.partition(".csv.gz")[0].partition(".parquet")[0] not in wanted:
            path.unlink(missing_ok=True)


def _sweep_dataset(store: Store, found: Status) -> None:
    """Remove what killed processes of other runs left where nothing is to be done any more."""
    complete = {partition.folder for partition in found.complete}
    for path in found.files:
        folder, _, name = path.rpartition("/")
        if folder in complete and left_by().search(name):
            store.remove(path)


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
