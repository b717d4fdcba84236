"""Exports: `Orders` places orders, directly or once and never twice; `Export` is what was ordered."""

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
from soapclient.tracking.exports.orders.placement import SETTLE, TOLERANCE, Placement, Replaced
from soapclient.tracking.exports.orders.record import OrderRecord

if TYPE_CHECKING:
    from zxws.data.types import OrderOptions

DEADLINE: Final = 1800.0
"""Seconds that waiting, or waiting and downloading, may take unless another deadline is given."""

_LEAST_NOTE: Final = 5.0  # seconds that a change of the ledger may wait for its lock, even at the deadline

OnReorder = Callable[[ExportHandle], None]
"""Called with the new handle as soon as an expired export was ordered again."""

PATIENCE: Final = 300.0
"""Seconds that an order waits for the lock of the state directory."""

_USUAL: Final = 60.0  # seconds that one call may take unless the setting `deadline` says otherwise

T = TypeVar("T")

log = logging.getLogger(__name__)


class Export:
    """An export that was ordered. `handle` is what another process needs to resume it.

    If its job expired and was ordered again, `handle` is the new one and `reordered` the old one, else None.
    An order in a state directory is ordered again only through its `ledger`. `output` is where the file will
    be, if known.
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
        """The id of its job."""
        return self.handle.job_id

    def status(self) -> JobSnapshot:
        """Ask the service once how the job stands.

        Raises JobUnknown if it knows no such job, ResponseError for a response that cannot be read, and what
        the call raises. A failed or expired job is not an error here.
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
        """Wait until the file is ready; return this export, so that calls can be chained.

        Sends nothing if the file is at `output` already: see `delivered`. `deadline` is in seconds or a
        timedelta, 30 minutes by default; `on_progress` is called after every poll. An expired job is ordered
        again with the same request, once, unless `reorder_expired` is False or only the job's id is known;
        `on_reorder` is then called with the new handle before anything else. An order in a state directory is
        ordered again only if its ledger was given to `resume`, once for all processes; without one, a crash
        between the order and storing the new handle leads to another order. Raises JobFailed, JobExpired,
        JobUnknown (never ordered again: the account may be another), DeadlineExceeded (the job continues;
        resume it by `handle`), ConfigError for an invalid deadline, and what ordering raises.
        """
        until = self._jobs.until(deadline)
        if self._output is not None and is_delivered(self._jobs, self.handle, self._output):
            return self
        self._ordered_again(
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
        """Download the file to `path`, verified, waiting for it first if needed; one deadline for both.

        A file that `delivered` finds there is used, and nothing is sent. With `acknowledge` False it is found
        again until `acknowledge` is called: for processing that a crash must not lose. Any other file of that
        name is replaced, but only by a complete one; a path that cannot be written is refused before anything
        is sent (OSError). An interrupted download is resumed, in this process or, from `path`.part and
        `path`.part.json, in another, as long as the file's ETag is the same. Other columns than those that
        were chosen or grouped, else the contract's, are reported or, where `on_drift` or else the setting
        `on_column_drift` is "error", refused. `types` are those of columns whose cells are not what the
        contract says, or of which it says nothing: column → XSD type (`{"amount": "xsd:decimal"}`) or Python
        type (`Decimal`). The rows of an adopted job (`handle.adopted`) must show that it belongs to this
        export; if they show another, the ledger drops the job, if they show neither, the order stays pending
        (AmbiguousOrder). A complete file is recorded in the ledger. Raises what `wait` raises, and
        CorruptDownload, ColumnsDiffer, NotThisExport, UnexpectedResponse, TransportError,
        AuthenticationError, ResponseError and OSError; ConfigError for invalid types, before anything is
        sent.
        """
        until, target = self._jobs.until(deadline), Path(path)
        try:
            file = self.delivered(target, on_drift, types) or self._ordered_again(
                lambda handle: Download(self._jobs, handle, until).to(target, on_progress, on_drift, types),
                reorder_expired,
                on_reorder,
                until,
            )
        except UnverifiedExport as error:
            entry = None if self._ledger is None else self._ledger.find(self.handle.request)
            if entry is not None and self._kept(lambda ledger, key: ledger.reopen(key, self.id), until):
                raise ambiguous_job(entry, self.id) from error
            raise
        except NotThisExport as error:
            if self._kept(lambda ledger, key: ledger.disown(key, self.id), until):
                error.add_note(f"job {self.id} is no longer claimed: order the same again for its own")
            raise
        self._kept(lambda ledger, key: ledger.done(key, file.sha256, self.id), until)
        if acknowledge:
            self.acknowledge(target)
        return file

    def delivered(
        self, path: str | os.PathLike[str], on_drift: OnDrift | None = None, types: ColumnTypes | None = None
    ) -> ExportFile | None:
        """Return the file at `path` if it is this export's and was not acknowledged, else None.

        That is the complete, verified file of an earlier download whose process was killed before it could
        report it: its mark, `path`.part.json, names the job and the content. The log says when that was.
        Sends nothing. Raises OSError where the file cannot be read, and for columns that `on_drift` or else
        the setting refuses ColumnsDiffer, as `download` does.
        """
        return delivered(self._jobs, self.handle, Path(path), on_drift, types)

    def acknowledge(self, path: str | os.PathLike[str]) -> None:
        """Acknowledge the file at `path`: from now on, the same order is another export."""
        acknowledge_file(Path(path))

    def _ordered_again(
        self,
        step: Callable[[ExportHandle], T],
        reorder_expired: bool,
        on_reorder: OnReorder | None,
        until: Deadline,
    ) -> T:
        """Take a step; where the job had expired, order again and take it with the new job."""
        known: str | int | None = None
        try:
            return self._tried(step, until)
        except JobUnknown:
            raise
        except JobExpired as error:
            if not reorder_expired or self.reordered is not None or not self.handle.request:
                raise
            if self._ledger is not None:
                before = self._ledger.find(self.handle.request)
                known = None if before is None or before.handle is None else before.handle.job_id
                new = self._orders.reorder_once(self._ledger, self.handle, until=until)
            elif self.handle.in_ledger:
                error.add_note(
                    "a state directory keeps its order, and without that nothing is ordered again: set "
                    "state_dir, or call resume(handle, ledger) or reorder_once(ledger, handle)"
                )
                raise
            else:
                new = self._orders.reorder(self.handle)
            self.reordered, self.handle = self.handle, new
        if on_reorder is not None:
            on_reorder(new)
        if new.job_id != known:
            log.warning("export job %s had expired: ordered again as job %s", self.reordered.job_id, self.id)
            return self._tried(step, until)
        log.warning(
            "export job %s had expired: going on with job %s, which was ordered for the same",
            self.reordered.job_id,
            self.id,
        )
        self.reordered = None  # not by us: the job that was found may be, if it has expired as well
        return self._ordered_again(step, reorder_expired, on_reorder, until)

    def _tried(self, step: Callable[[ExportHandle], T], until: Deadline) -> T:
        """Take a step; a failed job is recorded in the ledger, so that the same can be ordered anew."""
        try:
            return step(self.handle)
        except JobFailed:
            self._kept(lambda ledger, key: ledger.forget(key, self.id), until)
            raise

    def _kept(self, change: Callable[[Ledger, str], object], until: Deadline) -> bool:
        """Change the ledger. If that fails, the next order of the same gets this job again."""
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
                "export job %s: its outcome could not be written to the state directory (%s): the next "
                "order of the same gets this job again, unless it says reorder",
                self.id,
                error,
            )
            return False
        return True

    def __repr__(self) -> str:
        return f"Export({self.handle!r})"


class Orders:
    """Orders exports of one account, and resumes those that were ordered before. Threads may share it."""

    def __init__(self, jobs: ReportJobs) -> None:
        self.jobs = jobs
        self._seen: dict[tuple[str, str, dt.datetime], float] = {}  # pending orders, and since when

    @property
    def service(self) -> str:
        """The name of the service that is ordered from."""
        return self._tables.service

    @property
    def fields(self) -> Order:
        """The fields of an order. Raises ConfigError if the contract's settings do not name them."""
        return order_of(self.jobs.tables)

    @property
    def _tables(self) -> JobTables:
        return self.jobs.job_tables

    def order(
        self, *, report_type: str, from_date: dt.date, to_date: dt.date, **options: Unpack[OrderOptions]
    ) -> Export:
        """Order a report for the days from `from_date` to `to_date`, both included.

        Raises ContractError, with nothing sent, for a report type or an argument that the service does not
        take or no longer takes, and what the ordering call raises. An order is never retried by itself.
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
        """Order an export through a ledger, or resume the one that was ordered and not downloaded.

        What was downloaded is ordered anew, and so is what is known to have failed. `output` is where the
        file will be: if it cannot be written there, nothing is ordered (OSError), and a file there that was
        not acknowledged is neither ordered anew nor waited for (see `Export.delivered`). `reorder` orders
        anew in any case, and looks for no job of an earlier order. Without it, a pending order is resolved as
        by `order_once`, if that can be done by `until` (else DeadlineExceeded). Raises what `order_once`
        raises.
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
        """Order as `order` does, unless the ledger has this request: then return its handle and send nothing.

        If an earlier order is pending (a crash, a lost response), its job is looked for among those of the
        account: same type, created since (by the service's clock, give or take `tolerance` and what it
        lies apart from this machine's), no other request's. A single one is adopted, in any state: a failed
        one raises JobFailed when it is waited for.
        If there are several, or another pending order may have created it, their files are downloaded (to the
        state directory, while others may order): the job is adopted whose rows reach from the first to the
        last day ordered, and fit no other pending order but one for more days. If there is none, it is
        ordered anew, but not before `settle` (60 seconds, or the setting `deadline` if that is more) have
        passed since the earlier order was sent: safe if by then the service has processed it, or never will.
        If the files do not decide it either, AmbiguousOrder says what was tried; `reorder` orders anew
        without reading files. An adopted job may still be that of an order by hand: its file has to show that
        it is not before it gets its name (see `Export.download`). All orders of an account have to go through
        one ledger, or ledgers that know of one another (`neighbours`). Raises what `order`, GetJobs and
        Ledger raise.
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
        """Resume an export that was ordered before, here or elsewhere. Sends nothing.

        `output` is where the file will be: what was delivered there before is not waited for. An expired job
        is ordered again through `ledger`, or that of the setting `state_dir` if the order is its own; without
        either directly, unless some ledger has the order (JobExpired). Raises ConfigError if it was ordered
        from another service.
        """
        if handle.service != self.service:
            raise ConfigError(
                "export handle",
                f"belongs to the service {handle.service}, not to {self.service}",
                "Give it to the client of that service",
            )
        target = None if output is None else Path(output)
        return self._export(handle, self.keeper(handle) if ledger is None else ledger, target)

    def resume_job(
        self, job_id: JobId, *, report_type: str, output: str | os.PathLike[str] | None = None
    ) -> Export:
        """Resume an export of which only the job's id is known. Sends nothing. `output`: see `resume`."""
        handle = ExportHandle(self.service, job_id, report_type, {}, None)
        return self._export(handle, output=None if output is None else Path(output))

    def until(self, deadline: float | dt.timedelta) -> Deadline:
        """Start counting. Raises ConfigError for a deadline that is none."""
        return self.jobs.until(deadline)

    def _export(
        self, handle: ExportHandle, ledger: Ledger | None = None, output: Path | None = None
    ) -> Export:
        return Export(handle, self, ledger, output)

    def place(self, arguments: Mapping[str, object]) -> ExportHandle:
        """Order without a ledger; see `order`."""
        tables, names = self._tables, self._tables.job
        job_id = ordered_id(place(self.jobs.methods, tables, self.fields, arguments), tables)
        if job_id is None:
            raise ResponseError(names.item, None, "the job that was ordered", operation=names.order)
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
        """The ledger of this client's account in a folder, named by a hash of the connect ID.

        It holds what was ordered at the configured address. `patience` is how long to wait for the lock, in
        seconds or as a timedelta. `neighbours` are folders of other ledgers of the account: see Ledger. Sends
        nothing.
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
        """The ledger that the setting `state_dir` names, for exports that end as files; None without it."""
        folder = self.jobs.config.state_dir
        return None if folder is None else self.ledger(Path(folder).expanduser(), patience=patience)

    def keeper(self, handle: ExportHandle) -> Ledger | None:
        """Return the ledger of the state directory, if a handle is or may be its own."""
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
        replaced: Replaced = lambda _: False,
        expired: JobId | None = None,
        until: Deadline | None = None,
    ) -> ExportHandle:
        """Order a request through a ledger, or return the job that it has; see `order_once`."""
        arguments = ordered_arguments(request)
        ledger.check(self.service, self.jobs.config.credentials().connect_id, self._address())
        self.jobs.require_list()
        placement = Placement(
            jobs=self.jobs,
            ledger=ledger,
            tolerance=tolerance,
            # An order that is allowed more time may be carried out later.
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
        """Order once more what a handle was ordered with that no ledger keeps.

        Raises what `order` raises, and ConfigError for one of a ledger: that is for `reorder_once`.
        """
        if handle.in_ledger:
            raise ConfigError(
                "export handle", "is kept in a state directory", "Call reorder_once(ledger, handle)"
            )
        return self.place(ordered_arguments(handle.request))

    def reorder_once(
        self, ledger: Ledger, handle: ExportHandle, *, until: Deadline | None = None
    ) -> ExportHandle:
        """Order once more, through a ledger, what a job was ordered with that has expired.

        Under the ledger's lock: where the request has another job by now, that one's handle is given and
        nothing is sent; if an order of it is pending, its job is looked for as by `order_once`. The
        old job stays known as taken. A handle of no ledger is taken up by this one. `until` is as for
        `begin`. Raises what `order_once` raises, and ConfigError for a handle of another ledger.
        """
        ordered_arguments(handle.request)  # or there is nothing to order by
        unknown = handle.in_ledger and ledger.find(handle.request) is None
        if handle.service != ledger.service or unknown:
            raise ConfigError(
                "ledger", f"it does not know the request of job {handle.job_id}", "Give the one that keeps it"
            )
        return self.place_once(
            ledger,
            handle.request,
            replaced=lambda entry: entry.is_job(handle.job_id),
            expired=handle.job_id,
            until=until,
        )

    def _address(self) -> str | None:
        with contextlib.suppress(ConfigError):  # none is configured: ordering will say so
            return self.jobs.config.rest_base(self.service, self._tables.version)
        return None
