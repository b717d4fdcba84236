"""The classes `Orders`, which orders and resumes exports, and `Export`, which is one ordered export."""

from __future__ import annotations

import contextlib
import datetime as dt
import logging
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar, Unpack

from soapclient._support.part_file import acknowledge as acknowledge_file
from soapclient._support.part_file import check_target
from soapclient.clock import Deadline, in_seconds
from soapclient.errors import (
    ConfigError,
    ExportError,
    JobExpired,
    JobFailed,
    JobUnknown,
    NotThisExport,
    ResponseError,
    UnverifiedExport,
)
from soapclient.runtime.settings import Order
from soapclient.tracking.exports.download.delivery import delivered, is_delivered
from soapclient.tracking.exports.download.download import Download, DownloadProgress
from soapclient.tracking.exports.formats.columns import ColumnTypes, OnDrift
from soapclient.tracking.exports.formats.export_file import ExportFile
from soapclient.tracking.exports.handle import ExportHandle, JobId
from soapclient.tracking.exports.jobs.job import JobSnapshot, JobTables, ReportJobs, order_of, ordered_id
from soapclient.tracking.exports.orders.adoption import ambiguous_job
from soapclient.tracking.exports.orders.arguments import arguments_of, json_values, ordered_arguments, place
from soapclient.tracking.exports.orders.ledger import Ledger, account_of
from soapclient.tracking.exports.orders.placement import SETTLE, TOLERANCE, Placement
from soapclient.tracking.exports.orders.record import OrderRecord

if TYPE_CHECKING:
    from zxws.data.types import OrderOptions

DEADLINE: Final = 1800.0
"""Default deadline for waiting, or for waiting and downloading, in seconds."""

_LEAST_NOTE: Final = 5.0  # minimum seconds that a change of the ledger waits for its lock

OnReorder = Callable[[ExportHandle], None]
"""Callback that gets the new handle as soon as an expired export is ordered again."""

PATIENCE: Final = 300.0
"""Maximum time in seconds that an order waits for the lock of the state directory."""

_USUAL: Final = 60.0  # seconds: the default of the setting `deadline` (one call)

T = TypeVar("T")

log = logging.getLogger(__name__)


class Export:
    """An ordered export. Another process needs only its `handle` to resume it. `Data` has an example.

    - `handle`: the handle of the order. If an expired job was ordered again, the handle of the new order.
    - `reordered`: the handle of the expired job, if this object has ordered the export again, otherwise None.
    - `ledger`: the `Ledger` that records the order; None if no ledger does, or if it is not available here.
    - `output`: the path of the file, if known.
    """

    def __init__(
        self, handle: ExportHandle, orders: Orders, ledger: Ledger | None = None, output: Path | None = None
    ) -> None:
        self.handle = handle
        self.reordered: ExportHandle | None = None
        self._orders = orders
        self._jobs = orders.jobs
        self._ledger = ledger
        self._output = output

    @property
    def id(self) -> JobId:
        """The id of the job."""
        return self.handle.job_id

    def status(self) -> JobSnapshot:
        """Request the job's state once.

        Raises JobUnknown if the service does not know the job, ResponseError for an invalid response, and
        the errors of the call. A failed or expired job is not an error here.
        """
        return self._jobs.look(self.handle)

    def wait(
        self,
        deadline: float | dt.timedelta = DEADLINE,
        on_progress: Callable[[JobSnapshot], None] | None = None,
        *,
        reorder_expired: bool = True,
        on_reorder: OnReorder | None = None,
    ) -> Export:
        """Wait until the file is ready. Return this export, so that calls can be chained.

        Sends nothing if the file is already at `output`: see `delivered`. `deadline` is in seconds or a
        timedelta (default: 30 minutes). `on_progress` is called after every poll.

        If the job has expired, its request is ordered once more. Immediately afterwards, `on_reorder` is
        called with the new handle.

        - With `reorder_expired=False`, or if only the job's id is known, JobExpired is raised instead.
        - If a `Ledger` records the order, the request is ordered again only through this ledger (see
          `resume`). This happens once, even if several processes wait.
        - Without a ledger, a crash before the caller has stored the new handle can lead to another order.

        Raises JobFailed, JobExpired, JobUnknown (not ordered again, because the job may belong to another
        account), DeadlineExceeded (the job continues; resume it by `handle`), ConfigError for an invalid
        deadline, and the errors of ordering.
        """
        until = self._jobs.until(deadline)
        if self._output is not None and is_delivered(self._jobs, self.handle, self._output):
            return self
        self._with_reorder(
            lambda handle: Download(self._jobs, handle, until).wait(on_progress),
            reorder_expired,
            on_reorder,
            until,
        )
        return self

    def download(
        self,
        path: str | os.PathLike[str],
        deadline: float | dt.timedelta = DEADLINE,
        on_progress: Callable[[DownloadProgress], None] | None = None,
        *,
        reorder_expired: bool = True,
        on_reorder: OnReorder | None = None,
        on_drift: OnDrift | None = None,
        types: ColumnTypes | None = None,
        acknowledge: bool = True,
    ) -> ExportFile:
        """Download the file to `path` and verify it. Waits for the job first; `deadline` covers both.

        - If this export's file is already at `path` (see `delivered`), it is returned and nothing is sent.
        - Any other file at `path` is replaced once the download is complete. If `path` cannot be written,
          OSError is raised before anything is sent.
        - An interrupted download is resumed if the file's ETag is still the same. Another process can resume
          it, too, from `path`.part and `path`.part.json.
        - With `acknowledge=False`, later calls return the same file until `acknowledge` is called. So a crash
          while the caller processes the file does not lose it.

        The file must have the columns that the order chose. If the order groups rows, the file must have the
        groups and their sums. Otherwise, it must have the contract's columns of the report type. Differences
        are reported. They raise ColumnsDiffer if `on_drift` is "error"; its default is the setting
        `on_column_drift`. `types` overrides the contract's column types or adds missing ones: column → XSD
        type (`{"amount": "xsd:decimal"}`) or Python type (`Decimal`).

        If the job was found in the job list (`handle.adopted`), its rows must show that it belongs to this
        export. NotThisExport is raised if they belong to another export, and AmbiguousOrder if this is
        unclear (UnverifiedExport without a ledger). In both cases, the ledger (`Ledger`) records the order as
        pending again: its job is unknown. A complete file is recorded in the ledger.

        `reorder_expired` and `on_reorder` are as in `wait`. `on_progress` is called for each piece of the
        file. Raises the errors of `wait`, and CorruptDownload, ColumnsDiffer, NotThisExport,
        UnexpectedResponse, TransportError, AuthenticationError, ResponseError and OSError. Raises ConfigError
        for invalid types, before anything is sent.
        """
        until, target = self._jobs.until(deadline), Path(path)
        try:
            file = self.delivered(target, on_drift, types) or self._with_reorder(
                lambda handle: Download(self._jobs, handle, until).to(target, on_progress, on_drift, types),
                reorder_expired,
                on_reorder,
                until,
            )
        except UnverifiedExport as error:
            entry = None if self._ledger is None else self._ledger.find(self.handle.request)
            if entry is not None and self._update_ledger(
                lambda ledger, key: ledger.reopen(key, self.id), until
            ):
                raise ambiguous_job(entry, self.id) from error
            raise
        except NotThisExport as error:
            if self._update_ledger(lambda ledger, key: ledger.disown(key, self.id), until):
                error.add_note(
                    f"job {self.id} is no longer assigned to this order. Order again to get the right job."
                )
            raise
        self._update_ledger(lambda ledger, key: ledger.done(key, file.sha256, self.id), until)
        if acknowledge:
            self.acknowledge(target)
        return file

    def delivered(
        self, path: str | os.PathLike[str], on_drift: OnDrift | None = None, types: ColumnTypes | None = None
    ) -> ExportFile | None:
        """Return the file at `path` if it belongs to this export and is not acknowledged, otherwise None.

        Such a file is complete and verified: an earlier process downloaded it, but ended before it
        acknowledged the file. The file `path`.part.json names its job and its hash. The time of that download
        is logged. Sends nothing.

        Raises OSError if the file cannot be read. Raises ColumnsDiffer if its columns differ and `on_drift`
        is "error"; the default of `on_drift` is the setting `on_column_drift`.
        """
        return delivered(self._jobs, self.handle, Path(path), on_drift, types)

    def acknowledge(self, path: str | os.PathLike[str]) -> None:
        """Record that the caller has processed the file at `path`.

        From now on, an order of the same request creates a new export.
        """
        acknowledge_file(Path(path))

    def _with_reorder(
        self,
        step: Callable[[ExportHandle], T],
        reorder_expired: bool,
        on_reorder: OnReorder | None,
        until: Deadline,
    ) -> T:
        """Call `step` with the handle, and return the result.

        If `step` raises JobExpired and `reorder_expired` is True, order the export again, before the deadline
        `until`. Then call `on_reorder` and `step` with the new handle.
        """
        recorded_id: str | int | None = None
        try:
            return self._try(step, until)
        except JobUnknown:
            raise
        except JobExpired as error:
            if not reorder_expired or self.reordered is not None or not self.handle.request:
                raise
            if self._ledger is not None:
                before = self._ledger.find(self.handle.request)
                recorded_id = None if before is None or before.handle is None else before.handle.job_id
                new = self._orders.reorder_once(self._ledger, self.handle, until=until)
            elif self.handle.in_ledger:
                error.add_note(
                    "It is not ordered again, because a state directory records its order. Set state_dir, or "
                    "call resume(handle, ledger) or reorder_once(ledger, handle)."
                )
                raise
            else:
                new = self._orders.reorder(self.handle)
            self.reordered, self.handle = self.handle, new
        if on_reorder is not None:
            on_reorder(new)
        if new.job_id != recorded_id:
            log.warning("export job %s had expired: ordered again as job %s", self.reordered.job_id, self.id)
            return self._try(step, until)
        log.warning(
            "export job %s had expired: continuing with job %s, which was ordered for the same request",
            self.reordered.job_id,
            self.id,
        )
        # Another process has ordered the current job, so this export may still order again, once.
        self.reordered = None
        return self._with_reorder(step, reorder_expired, on_reorder, until)

    def _try(self, step: Callable[[ExportHandle], T], until: Deadline) -> T:
        """Return `step(handle)`. If it raises JobFailed, also record that the export can be ordered again."""
        try:
            return step(self.handle)
        except JobFailed:
            self._update_ledger(lambda ledger, key: ledger.forget(key, self.id), until)
            raise

    def _update_ledger(self, change: Callable[[Ledger, str], object], until: Deadline) -> bool:
        """Change the record of this export's order: call `change` with the ledger and the key of the record.

        Return True after the call. Return False if no ledger records this export's job, or after an error.
        Errors are logged, not raised: the next order of the same request then uses this job again.
        `until` limits the wait for the ledger's lock.
        """
        if self._ledger is None or not self.handle.request:
            return False
        try:
            ledger = self._ledger.within(until, _LEAST_NOTE)
            entry = ledger.find(self.handle.request)
            if entry is None or not entry.is_job(self.id):
                return False
            change(ledger, entry.key)
        except (ExportError, ConfigError, OSError) as error:
            log.warning(
                "export job %s: cannot write its outcome to the state directory (%s). The next order of the "
                "same request uses this job again, unless it sets reorder",
                self.id,
                error,
            )
            return False
        return True

    def __repr__(self) -> str:
        return f"Export({self.handle!r})"


class Orders:
    """Orders and resumes the exports of one account. Thread-safe. `Ledger` has an example."""

    def __init__(self, jobs: ReportJobs) -> None:
        self.jobs = jobs
        self._seen: dict[tuple[str, str, dt.datetime], float] = {}  # when a pending order was first seen

    @property
    def service(self) -> str:
        """The name of the service that takes the orders."""
        return self._tables.service

    @property
    def fields(self) -> Order:
        """The contract's settings for orders, such as field names. Raises ConfigError if there are none."""
        return order_of(self.jobs.tables)

    @property
    def _tables(self) -> JobTables:
        return self.jobs.job_tables

    def order(
        self, *, report_type: str, from_date: dt.date, to_date: dt.date, **options: Unpack[OrderOptions]
    ) -> Export:
        """Order a report for the days from `from_date` to `to_date`, both included.

        Raises ContractError, before anything is sent, if the service does not accept, or no longer accepts,
        the report type or an argument. Raises the errors of the call. Orders are never retried automatically.
        """
        return self._export(self.place(arguments_of(self.fields, report_type, from_date, to_date, options)))

    def begin(
        self,
        ledger: Ledger,
        *,
        report_type: str,
        from_date: dt.date,
        to_date: dt.date,
        reorder: bool = False,
        until: Deadline | None = None,
        settle: float | dt.timedelta | None = None,
        output: str | os.PathLike[str] | None = None,
        **options: Unpack[OrderOptions],
    ) -> Export:
        """Order an export through a ledger, or resume an earlier order of the same request.

        - If the earlier job is not downloaded yet, it is resumed. If it has failed, the export is ordered
          again.
        - If the earlier job is downloaded, the export is ordered again. Exception: if its file is still at
          `output` and not acknowledged, nothing is ordered (see `Export.delivered`).
        - If an earlier order got no response, its job is searched for as by `order_once`. DeadlineExceeded is
          raised if this is not finished at the deadline `until`. `settle` has the same meaning as in
          `order_once`.
        - With `reorder`, these rules do not apply: the export is always ordered.

        `output` is the path of the file. If it cannot be written, nothing is ordered (OSError). Raises the
        errors of `order_once`.
        """
        target = None if output is None else Path(output)

        def replaced(entry: OrderRecord) -> bool:
            if reorder or entry.state != "done" or target is None or entry.handle is None:
                return reorder or entry.state == "done"
            return not is_delivered(self.jobs, entry.handle, target)

        if target is not None:
            check_target(target)
        request = json_values(arguments_of(self.fields, report_type, from_date, to_date, options))
        handle = self.place_once(
            ledger, request, reorder=reorder, settle=settle, replaced=replaced, until=until
        )
        return self._export(handle, ledger, target)

    def order_once(
        self,
        ledger: Ledger,
        *,
        report_type: str,
        from_date: dt.date,
        to_date: dt.date,
        reorder: bool = False,
        tolerance: dt.timedelta = TOLERANCE,
        settle: float | dt.timedelta | None = None,
        **options: Unpack[OrderOptions],
    ) -> ExportHandle:
        """Order as `order` does. If the ledger already has a job for this request, return its handle instead.

        If an earlier order is pending (after a crash or a lost response), its job is searched for in the
        account's job list. A job matches if it has the ordered type, does not belong to another request, and
        was created after the order was sent. The time of sending is known by the service's clock; the job's
        date may differ from this clock by `tolerance`. There are four outcomes:

        - One job matches, and no other order without a response may have created it: the job is adopted,
          which means that it becomes the job of this request, whatever its state. If it has failed, `wait`
          raises JobFailed.
        - Several jobs match, or another order without a response may have created the only match: the files
          are downloaded to the state directory and compared. Other processes can order meanwhile. A job is
          adopted if its file has rows of the first and of the last ordered day, and no other order without a
          response may have created it. Such an order of the same report for a longer range, which includes
          these days, is ignored, unless the file has rows of the first and the last day of that range.
        - No job matches: the request is ordered again once `settle` seconds have passed since the earlier
          order was sent (default: 60, or the setting `deadline` if that is longer). This is safe if the
          service processes an order within that time, or not at all.
        - The files do not show which job to adopt: AmbiguousOrder is raised and lists the jobs.

        With `reorder`, no files are compared: the request is ordered again instead. An adopted job may still
        belong to an order that was placed by other means, so its file is checked before it gets its final
        name (`Export.download`). All orders of an account must go through one ledger, or through ledgers that
        are configured as `neighbours`. Raises the errors of `order`, of listing jobs, and of `Ledger`.
        """
        request = json_values(arguments_of(self.fields, report_type, from_date, to_date, options))
        return self.place_once(ledger, request, reorder=reorder, tolerance=tolerance, settle=settle)

    def resume(
        self,
        handle: ExportHandle,
        ledger: Ledger | None = None,
        *,
        output: str | os.PathLike[str] | None = None,
    ) -> Export:
        """Resume an export that this or another process ordered. Sends nothing.

        `output` is the path of the file. If the complete file is already there (see `Export.delivered`),
        `wait` returns at once. If the job has expired, `wait` orders it again, according to the first of
        these rules that applies:

        - `ledger` is passed: through this ledger.
        - The setting `state_dir` is set, and no other ledger records the order: through the ledger of
          `state_dir`.
        - A ledger records the order, but is not available here: JobExpired is raised.
        - Otherwise: without a ledger.

        Raises ConfigError if the export was ordered from another service.
        """
        if handle.service != self.service:
            raise ConfigError(
                "export handle",
                f"belongs to the service {handle.service}, not to {self.service}",
                "Use it with the client of that service",
            )
        target = None if output is None else Path(output)
        return self._export(handle, self.keeper(handle) if ledger is None else ledger, target)

    def resume_job(
        self, job_id: JobId, *, report_type: str, output: str | os.PathLike[str] | None = None
    ) -> Export:
        """Resume an export by the id of its job. Sends nothing. `output`: see `resume`."""
        handle = ExportHandle(self.service, job_id, report_type, {}, None)
        return self._export(handle, output=None if output is None else Path(output))

    def until(self, deadline: float | dt.timedelta) -> Deadline:
        """Return a deadline that starts now, from seconds or a timedelta. Raises ConfigError if invalid."""
        return self.jobs.until(deadline)

    def _export(
        self, handle: ExportHandle, ledger: Ledger | None = None, output: Path | None = None
    ) -> Export:
        return Export(handle, self, ledger, output)

    def place(self, arguments: Mapping[str, object]) -> ExportHandle:
        """Send an order without a ledger, and return its handle. `order` calls this method.

        `arguments`: the keywords of the order, as `arguments_of` returns them. Raises the errors of `order`.
        """
        tables, names = self._tables, self._tables.job
        job_id = ordered_id(place(self.jobs.methods, tables, self.fields, arguments), tables)
        if job_id is None:
            raise ResponseError(names.item, None, "the ordered job", operation=names.order)
        return ExportHandle(
            service=self.service,
            job_id=job_id,
            report_type=str(arguments["report_type"]),
            request=json_values(arguments),
            ordered_at=self.jobs.clock.now(),
        )

    def ledger(
        self,
        folder: str | os.PathLike[str],
        *,
        patience: float | dt.timedelta = 0.0,
        neighbours: Iterable[str | os.PathLike[str]] = (),
    ) -> Ledger:
        """Return the ledger of this client's account in a folder.

        The name of its subfolder contains a hash of the connect ID. The ledger has the orders sent to the
        configured address. `patience` is the maximum time to wait for the lock, in seconds or as a timedelta.
        `neighbours` are folders of other ledgers of the account: see Ledger. Sends nothing.
        """
        return Ledger(
            folder,
            account=account_of(self.jobs.config.credentials().connect_id),
            service=self.service,
            patience=patience,
            clock=self.jobs.clock,
            address=self._address(),
            neighbours=neighbours,
        )

    def state(self, *, patience: float | dt.timedelta = PATIENCE) -> Ledger | None:
        """Return the ledger in the folder of the setting `state_dir`. Return None if this setting is not set.

        `patience` is the maximum time to wait for the ledger's lock.
        """
        folder = self.jobs.config.state_dir
        return None if folder is None else self.ledger(Path(folder).expanduser(), patience=patience)

    def keeper(self, handle: ExportHandle) -> Ledger | None:
        """Return the ledger through which `resume` orders an expired job again.

        This is the ledger of the setting `state_dir`. Returns None in three cases: the setting is not set,
        the handle has only a job id, or another ledger records the order.
        """
        state = self.state()
        if state is None or not handle.request:
            return None
        if not handle.in_ledger:
            return state
        entry = state.find(handle.request)
        return state if entry is not None and entry.was(handle.job_id) else None

    def place_once(
        self,
        ledger: Ledger,
        request: Mapping[str, JobId],
        *,
        reorder: bool = False,
        tolerance: dt.timedelta = TOLERANCE,
        settle: float | dt.timedelta | None = None,
        replaced: Callable[[OrderRecord], bool] = lambda _: False,
        expired: JobId | None = None,
        until: Deadline | None = None,
    ) -> ExportHandle:
        """Order as `order_once` does, and return the handle. These arguments differ from `order_once`:

        - `request`: the arguments of the order, in the form of `ExportHandle.request`.
        - `replaced`: a function that is called with the ledger's record of the request. If it returns True,
          the job in the record is ignored, and the request is ordered again.
        - `expired`: id of an expired job of the request. The job must not be used for the request again.
        - `until`: the deadline for finding the job of a pending order. DeadlineExceeded is raised after it.
        """
        arguments = ordered_arguments(request)
        ledger.check(self.service, self.jobs.config.credentials().connect_id, self._address())
        self.jobs.require_list()
        placement = Placement(
            jobs=self.jobs,
            ledger=ledger,
            tolerance=tolerance,
            # If calls may take longer, the service may also process an order later.
            settle=SETTLE + max(0.0, self.jobs.config.deadline - _USUAL)
            if settle is None
            else in_seconds(settle),
            until=until,
            seen=self._seen,
        )
        return placement.order(
            request, lambda: self.place(arguments), reorder=reorder, replaced=replaced, expired=expired
        )

    def reorder(self, handle: ExportHandle) -> ExportHandle:
        """Order the request of a handle again, without a ledger. Return the new handle.

        Raises the errors of `order`, and ConfigError if a ledger records the order: use `reorder_once`.
        """
        if handle.in_ledger:
            raise ConfigError(
                "export handle",
                "is recorded in a state directory, so reorder() cannot be used",
                "Call reorder_once(ledger, handle)",
            )
        return self.place(ordered_arguments(handle.request))

    def reorder_once(
        self, ledger: Ledger, handle: ExportHandle, *, until: Deadline | None = None
    ) -> ExportHandle:
        """Order the request of an expired job again, through `ledger`. Return the new handle.

        - If the request already has a newer job, nothing is sent. The newer job's handle is returned.
        - If an order of the request is pending, its job is searched for as by `order_once`.
        - If no ledger records the handle's order yet, `ledger` records it.

        The expired job is not used for the request again. `until` has the same meaning as for `begin`. Raises
        the errors of `order_once`, and ConfigError if another ledger records the handle's order.
        """
        ordered_arguments(handle.request)  # raises if the request cannot be ordered
        unknown = handle.in_ledger and ledger.find(handle.request) is None
        if handle.service != ledger.service or unknown:
            raise ConfigError(
                "ledger",
                f"does not have the request of job {handle.job_id}",
                "Pass the ledger that recorded it",
            )
        return self.place_once(
            ledger,
            handle.request,
            replaced=lambda entry: entry.is_job(handle.job_id),
            expired=handle.job_id,
            until=until,
        )

    def _address(self) -> str | None:
        with contextlib.suppress(ConfigError):  # no address is configured: ordering reports that
            return self.jobs.config.rest_base(self.service, self._tables.version)
        return None
