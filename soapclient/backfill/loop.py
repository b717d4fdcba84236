"""The loop of a backfill: order, hand on, collect. It alone orders, and writes where partitions overlap."""

from __future__ import annotations

import concurrent.futures as cf
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Final, Protocol, runtime_checkable

from soapclient.backfill.dataset import enter, withdraw
from soapclient.backfill.orders import Orders
from soapclient.backfill.plan import Plan
from soapclient.backfill.status import Status, Todo
from soapclient.backfill.store import open_store
from soapclient.backfill.task import Kind, Outcome, Settings, Task, crashed, perform
from soapclient.errors import SoapClientError
from soapclient.exports.handle import JobId


@dataclass(frozen=True)
class Failed:
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
    failed: tuple[Failed, ...]

    @property
    def exit_code(self) -> int:
        """0 if the dataset is complete, else 1."""
        return 1 if self.failed else 0

    def to_dict(self) -> dict[str, object]:
        """Return it as JSON values."""
        return {**asdict(self), "failed": [asdict(one) for one in self.failed]}


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


class Loop:
    """The loop. Nothing in it is shared with the workers."""

    def __init__(
        self,
        name: str,
        plan: Plan,
        settings: Settings,
        account_ids: Mapping[str, str],
        orders: Orders,
        found: Status,
        on_progress: OnProgress | None,
    ) -> None:
        self._name = name
        self._plan = plan
        self._settings = settings
        self._account_ids = account_ids
        self._orders = orders
        self._found = found
        self._on_progress = on_progress
        self._pending: dict[cf.Future[Outcome], tuple[Todo, JobId]] = {}
        self._broken: str | None = None  # why the executor takes nothing any more
        self._retried: set[str] = set()
        self._failed: list[Failed] = []
        self._folders = {one.partition.folder for one in found.todo}
        self._folders |= {one.folder for one in found.complete}
        self._done = self._stale = self._rows = self._size = 0

    def go(self, executor: cf.Executor, at_work: int) -> None:
        """Order and gather until nothing is left."""
        self._tell(None)
        try:
            for todo in self._found.todo:
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
        return Summary(
            partitions=len(self._found.complete) + len(self._found.todo),
            skipped=len(self._found.complete),
            done=self._done,
            stale=self._stale,
            rows=self._rows,
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
            handle = self._orders.order(partition)
        except (SoapClientError, OSError) as error:
            self._fail(todo, self._orders.reason(partition, error))
            return
        task = Task(
            run=self._name,
            partition=partition,
            account_id=self._account_ids[partition.account.name],
            settings=self._settings,
            handle=handle.to_json(),
            output=self._plan.output,
            work=self._plan.work,
            deadline=self._plan.deadline,
            on_drift=self._plan.on_drift or "report",
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
        until = time.monotonic() + self._plan.deadline + _MARGIN
        while True:
            finished, _ = cf.wait(self._pending, _SLICE, return_when=cf.FIRST_COMPLETED)
            if finished:
                break
            if time.monotonic() >= until and isinstance(executor, Staffed) and not executor.workers():
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
                self._enter(todo, outcome)
                self._orders.brought(todo.partition, job_id)
                return
            if outcome.kind in _FORGOTTEN:
                self._orders.forget(todo.partition, job_id)
            elif outcome.kind == "other job":
                self._orders.disown(todo.partition, job_id)
            elif outcome.kind == "bad file":
                kept = not self._orders.abandoned(todo.partition, job_id)
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

    def _enter(self, todo: Todo, outcome: Outcome) -> None:
        manifest, folder = outcome.manifest, todo.partition.folder
        assert manifest is not None
        present = self._found.present
        if todo.over:
            store = open_store(self._plan.output, self._name)
            for other, old in todo.over:
                # Gone before the new one comes: no reader ever sees a day twice. What a partition of this
                # plan has replaced in the meantime is to stay.
                if other != folder and present.get(other) is old:
                    withdraw(store, other, old, data=other not in self._folders)
                    present.pop(other)
            enter(store, manifest, folder)
        self._stale += folder in present
        present[folder] = manifest
        self._done += 1
        self._rows += manifest.rows
        self._size += manifest.size
        self._tell(folder)

    def _fail(self, todo: Todo, reason: str) -> None:
        self._failed.append(Failed(todo.partition.folder, reason))
        self._tell(todo.partition.folder)

    def _tell(self, folder: str | None) -> None:
        if self._on_progress is not None:
            self._on_progress(
                Progress(
                    total=len(self._found.complete) + len(self._found.todo),
                    complete=len(self._found.complete),
                    done=self._done,
                    failed=len(self._failed),
                    rows=self._rows,
                    partition=folder,
                )
            )
