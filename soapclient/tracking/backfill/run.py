"""The main loop of a backfill: finds the missing partitions, runs their tasks, and returns a summary."""

from __future__ import annotations

import concurrent.futures as cf
import datetime as dt
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from secrets import token_hex
from typing import Final, Protocol, runtime_checkable

from soapclient._support.durable import OrdererLock, check_owner, check_writable, make_folder
from soapclient.clock import SystemClock, in_seconds
from soapclient.errors import SoapClientError
from soapclient.tracking.backfill.dataset import (
    Manifest,
    Status,
    Todo,
    add_partition,
    remove_partition,
    status_of,
)
from soapclient.tracking.backfill.orders import BadFileCounts, Orders
from soapclient.tracking.backfill.plan import Plan
from soapclient.tracking.backfill.store import Store, leftover_pattern, open_store
from soapclient.tracking.backfill.task import (
    STAGING,
    Kind,
    Outcome,
    Session,
    Task,
    TaskSettings,
    config_of,
    outcome_of_crash,
    perform,
    session_of,
    settings_of,
)
from soapclient.tracking.exports.handle import JobId
from soapclient.tracking.exports.orders.ledger import account_of
from soapclient.tracking.settings import Settings


@dataclass(frozen=True)
class FailedPartition:
    """A partition that is not complete, and why. `partition` is its folder below the dataset's root.

    >>> import datetime as dt
    >>> from pathlib import Path
    >>> from soapclient.tracking.backfill import BackfillAccount, BackfillReport, Plan, backfill
    >>> plan = Plan(
    ...     accounts=(BackfillAccount(name="main"),),
    ...     reports=(BackfillReport(type="sale"),),
    ...     first=dt.date(2026, 11, 1),
    ...     last=dt.date(2026, 11, 2),
    ...     output="dataset",
    ...     work=Path("work"),
    ... )
    >>> for failed in backfill(plan).failed:
    ...     print(failed.partition, failed.reason)
    """

    partition: str
    reason: str


@dataclass(frozen=True)
class Progress:
    """Progress of a backfill, as numbers of partitions.

    `total` counts all partitions. `complete` counts partitions from earlier runs, `done` and `failed` count
    partitions of this run. `rows` is the number of rows of the `done` partitions. `partition` is the last
    finished partition, None at the start.

    >>> import datetime as dt
    >>> from pathlib import Path
    >>> from soapclient.tracking.backfill import BackfillAccount, BackfillReport, Plan, backfill
    >>> plan = Plan(
    ...     accounts=(BackfillAccount(name="main"),),
    ...     reports=(BackfillReport(type="sale"),),
    ...     first=dt.date(2026, 11, 1),
    ...     last=dt.date(2026, 11, 2),
    ...     output="dataset",
    ...     work=Path("work"),
    ... )
    >>> summary = backfill(plan, on_progress=lambda progress: print(progress.complete, progress.total))
    ...
    """

    total: int
    complete: int
    done: int
    failed: int
    rows: int
    partition: str | None = None

    @property
    def finished(self) -> int:
        """Number of partitions with nothing left to do in this run."""
        return self.complete + self.done + self.failed


@dataclass(frozen=True)
class Summary:
    """Result of a backfill, as numbers of partitions.

    `skipped` were complete before this run, `done` were completed by it. `stale` counts the `done` partitions
    that replaced older content. `rows` and `size` (in bytes) are the totals of the `done` partitions.

    >>> import datetime as dt
    >>> from pathlib import Path
    >>> from soapclient.tracking.backfill import BackfillAccount, BackfillReport, Plan, backfill
    >>> plan = Plan(
    ...     accounts=(BackfillAccount(name="main"),),
    ...     reports=(BackfillReport(type="sale"),),
    ...     first=dt.date(2026, 11, 1),
    ...     last=dt.date(2026, 11, 2),
    ...     output="dataset",
    ...     work=Path("work"),
    ... )
    >>> summary = backfill(plan)  # continues an earlier run
    >>> summary.done + summary.skipped == summary.partitions
    True
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
        """0 if the dataset is complete, otherwise 1."""
        return 1 if self.failed else 0

    def to_dict(self) -> dict[str, object]:
        """Return the result as JSON values."""
        return asdict(self)


_SLICE: Final = 5.0  # seconds between checks for workers
_MARGIN: Final = 60.0  # seconds that workers may be away, beyond the deadline of a partition

_FORGOTTEN: Final[tuple[Kind, ...]] = ("failed job", "expired job")
_ORDER_AGAIN: Final[tuple[Kind, ...]] = ("expired job", "other job", "bad file")  # ordered again, once
_KEPT: Final[tuple[Kind, ...]] = ("unknown job", "kept job", "bad file")

OnProgress = Callable[[Progress], None]


@runtime_checkable
class HasWorkers(Protocol):
    """Interface of an executor that may lose all its workers and wait for new workers, as a cluster does."""

    def workers(self) -> int:
        """Return the current number of workers."""


@dataclass(eq=False)
class Loop:
    """The main loop, which orders partitions and collects their results.

    Runs only in the process that started the backfill.
    """

    name: str
    plan: Plan
    settings: TaskSettings
    account_ids: Mapping[str, str]
    store: Store
    orders: Orders
    status: Status
    on_progress: OnProgress | None
    _pending: dict[cf.Future[Outcome], tuple[Todo, JobId]] = field(default_factory=dict, init=False)
    _broken: str | None = field(default=None, init=False)  # why the executor no longer accepts tasks
    _retried: set[str] = field(default_factory=set, init=False)
    _failed: list[FailedPartition] = field(default_factory=list, init=False)
    _stale: int = field(default=0, init=False)
    _size: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        complete = len(self.status.complete)
        self._so_far = Progress(complete + len(self.status.todo), complete, done=0, failed=0, rows=0)

    def go(self, executor: cf.Executor, max_pending: int) -> None:
        """Order all missing partitions and collect the results of their tasks.

        `max_pending` is the maximum number of partitions that are ordered, but whose results are not
        collected yet.
        """
        self._report_progress()
        try:
            for todo in self.status.todo:
                while len(self._pending) >= max_pending:
                    self._collect(executor)
                self._order(executor, todo)
            while self._pending:
                self._collect(executor)
        except BaseException:
            for future in self._pending:
                future.cancel()
            raise

    def summary(self) -> Summary:
        """Return the summary of the partitions that are finished so far."""
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

    def _order(self, executor: cf.Executor, todo: Todo) -> None:
        """Order the partition of `todo`, and submit the task that downloads it to `executor`.

        If the order or the submission fails, the partition is recorded as failed.
        """
        partition = todo.partition
        if self._broken is not None:  # no worker would download the export
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
            deadline=in_seconds(self.plan.deadline),
            on_drift=self.plan.on_drift or "warn",
            replaces_others=bool(todo.replaces),
        )
        try:
            future = executor.submit(perform, task)
        except RuntimeError as error:  # the executor was shut down, or its processes died
            self._broken = f"the executor no longer accepts tasks: {type(error).__name__}: {error}"
            self._fail(todo, self._broken)
        else:
            self._pending[future] = todo, handle.job_id

    def _collect(self, executor: cf.Executor) -> None:
        """Wait until at least one task is finished, and handle the outcomes of all finished tasks.

        If no task is finished in time and the executor has no workers, all unfinished partitions are
        recorded as failed.
        """
        until = time.monotonic() + in_seconds(self.plan.deadline) + _MARGIN
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
                outcome = outcome_of_crash(error)
            self._handle_outcome(executor, todo, job_id, outcome)

    def _abandon(self) -> None:
        """Record all ordered, unfinished partitions as failed, because the cluster has no workers.

        The next run uses the jobs that were ordered for these partitions.
        """
        self._broken = "the cluster no longer has workers. Start workers, and run the backfill again."
        pending, self._pending = self._pending, {}
        for future, (todo, _) in pending.items():
            future.cancel()
            self._fail(todo, self._broken)

    def _handle_outcome(self, executor: cf.Executor, todo: Todo, job_id: JobId, outcome: Outcome) -> None:
        """Record the partition of `todo` as complete or failed, or order it again, depending on `outcome`.

        `job_id` is the id of the partition's job.
        """
        folder, kept = todo.partition.folder, outcome.kind in _KEPT
        try:
            if outcome.manifest is not None:
                self._commit(todo, outcome.manifest)
                self.orders.mark_complete(todo.partition, job_id)
                return
            if outcome.kind in _FORGOTTEN:
                self.orders.forget(todo.partition, job_id)
            elif outcome.kind == "other job":
                self.orders.disown(todo.partition, job_id)
            elif outcome.kind == "bad file":
                kept = not self.orders.count_bad_file(todo.partition, job_id)
        except (SoapClientError, OSError) as error:
            self._fail(todo, str(error))
            return
        if outcome.kind in _ORDER_AGAIN and not kept and folder not in self._retried:
            self._retried.add(folder)
            self._order(executor, todo)
        elif kept:
            self._fail(
                todo, f"{outcome.reason} The next run tries again; with --reorder, it orders a new job."
            )
        else:
            self._fail(todo, outcome.reason)

    def _commit(self, todo: Todo, manifest: Manifest) -> None:
        """Record that the partition of `todo` is complete. `manifest` describes its content.

        If the partition replaces other partitions, these are removed first, and then `manifest` is written.
        Otherwise, the task has already written the manifest.
        """
        folder = todo.partition.folder
        present = self.status.present
        if todo.replaces:
            folders = {
                item.folder
                for item in (*self.status.complete, *(todo.partition for todo in self.status.todo))
            }
            for other, old in todo.replaces:
                # Remove them before the new manifest is written: no reader must see a day twice. Keep data
                # that a partition of this plan has written in the meantime.
                if other != folder and present.get(other) is old:
                    remove_partition(self.store, other, old, data=other not in folders)
                    present.pop(other)
            add_partition(self.store, manifest, folder)
        for path in self.store.leftovers(folder):
            self.store.remove(path)
        self._stale += folder in present
        present[folder] = manifest
        self._size += manifest.size
        self._report_progress(folder, done=1, rows=manifest.rows)

    def _fail(self, todo: Todo, reason: str) -> None:
        self._failed.append(FailedPartition(todo.partition.folder, reason))
        self._report_progress(todo.partition.folder, failed=1)

    def _report_progress(
        self, folder: str | None = None, *, done: int = 0, failed: int = 0, rows: int = 0
    ) -> None:
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
_MAX_PENDING: Final = 16  # partitions ordered and not collected, for an executor of unknown size


def backfill(
    plan: Plan,
    executor: cf.Executor | None = None,
    on_progress: OnProgress | None = None,
    *,
    config: Settings | None = None,
    jobs: int | None = None,
    recheck: bool = False,
    settle: float | dt.timedelta | None = None,
    reorder: bool = False,
) -> Summary:
    """Bring the missing partitions of a plan into its dataset, and return a summary.

    The partitions are downloaded and converted by `executor`. The default is a pool of `jobs` threads
    (default: 4). An executor may also use processes or other machines, because a task is a small value that
    can be pickled. The environment of its workers must have the credentials, in the variables that the plan
    names. If an executor is passed, `jobs` is the maximum number of partitions that are ordered and not
    finished yet (default: 16). Only this process orders, one export after the other.

    Complete partitions are not ordered again, unless the plan has changed, the contract has changed (for
    Parquet files), or their file is missing. With `recheck`, they are also ordered again if the hash of their
    file is wrong. A partition that fails is in the summary with its reason; the others continue.

    `config` is by default loaded from the environment; its credentials are not used. Other plans and single
    exports may record their jobs in the `state_dir` of `config`. These jobs are not used for this plan. If an
    order gets no response, it is sent again only if no job appears within `settle` seconds (see
    Orders.order_once).

    With `reorder`, all incomplete partitions are ordered again, whatever the state of an earlier order is.
    Without `reorder`, a partition fails in these cases:

    - Several jobs may belong to its order.
    - Its job never ends, or the service does not know the job. The partition then fails again in each run.

    A job whose file is damaged or has too few rows is abandoned after three runs.

    Raises ConfigError (plan, configuration, credentials), LedgerBusy if another process works on the same
    plan, OSError if the dataset or the work folder cannot be used, and KeyboardInterrupt. The next run
    continues with the partitions that are not complete, and uses the jobs that are already ordered.

    >>> import datetime as dt
    >>> from pathlib import Path
    >>> from soapclient.tracking.backfill import BackfillAccount, BackfillReport, Plan, backfill
    >>> plan = Plan(
    ...     accounts=(BackfillAccount(name="main"),),
    ...     reports=(BackfillReport(type="sale"),),
    ...     first=dt.date(2026, 11, 1),
    ...     last=dt.date(2026, 11, 2),
    ...     output="dataset",
    ...     work=Path("work"),
    ... )
    >>> summary = backfill(plan)
    >>> summary.partitions, summary.failed
    (2, ())
    """
    config = Settings.load() if config is None else config
    if plan.on_drift is None:
        plan = replace(plan, on_drift=config.on_column_drift)
    settings = settings_of(config)
    # Check the credentials of all accounts before the first order.
    connect_ids = {item.name: config_of(settings, item).credentials().connect_id for item in plan.accounts}
    account_ids = {name: account_of(connect_id) for name, connect_id in connect_ids.items()}
    make_folder(plan.work, private=True)
    check_owner(plan.work)
    with OrdererLock(plan.work / "lock", patience=0.0, clock=SystemClock()):
        name = token_hex(8)
        session = session_of(name)
        store = open_store(plan.output, name)
        status = status_of(plan, store, account_ids, recheck=recheck)
        staging = plan.work / STAGING
        if status.todo:  # check the folders before the first order
            make_folder(staging)
            check_writable(staging / f"{token_hex(8)}.part")
            store.check_writable()
        manifests = (status.present[partition.folder] for partition in status.complete)
        jobs_in_dataset = {(manifest.account_id, str(manifest.job_id)) for manifest in manifests}
        orders = Orders(
            folder=plan.work / "ledger",
            session=session,
            settings=settings,
            account_ids=account_ids,
            settle=settle,
            bad_files=BadFileCounts(plan.work / "setbacks.json"),
            # The state directory has the ledgers of single exports, and links the plans to one another.
            neighbours=() if config.state_dir is None else (Path(config.state_dir).expanduser(),),
            reorder=reorder,
            in_dataset=lambda account, job_id: (account, str(job_id)) in jobs_in_dataset,
        )
        _sweep(staging, {todo.partition.staged for todo in status.todo})
        _sweep_dataset(store, status)
        loop = Loop(name, plan, settings, account_ids, store, orders, status, on_progress)
        try:
            if executor is not None:
                loop.go(executor, jobs or _MAX_PENDING)
            elif status.todo:
                _with_threads(loop, session, jobs or THREADS)
        finally:
            session.close()
        return loop.summary()


def _workers(executor: cf.Executor) -> int:
    """Return the number of live workers of an executor.

    Returns 1 for an executor that cannot lose its workers, such as a thread pool.
    """
    if isinstance(executor, HasWorkers):
        return executor.workers()
    if type(executor).__module__.partition(".")[0] != "distributed":
        return 1
    from soapclient.tracking.backfill.dask_engine import workers_of

    return workers_of(executor)


def _sweep(staging: Path, wanted: set[str]) -> None:
    """Remove files from the `staging` folder, except files of the partitions `wanted`.

    The removed files are leftovers of killed processes. Their partitions are complete by now, or no longer in
    the plan.
    """
    for path in staging.glob("*"):
        if path.name.partition(".csv.gz")[0].partition(".parquet")[0] not in wanted:
            path.unlink(missing_ok=True)


def _sweep_dataset(store: Store, status: Status) -> None:
    """Remove incompletely written files (part files) from the folders of complete partitions.

    Killed processes of earlier runs left these files.
    """
    complete = {partition.folder for partition in status.complete}
    for path in status.files:
        folder, _, name = path.rpartition("/")
        if folder in complete and leftover_pattern().search(name):
            store.remove(path)


def _with_threads(loop: Loop, session: Session, threads: int) -> None:
    pool = cf.ThreadPoolExecutor(threads, thread_name_prefix="backfill")
    try:
        # One more than threads, so that no thread waits for an order.
        loop.go(pool, threads + 1)
    except BaseException:
        session.stop()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
