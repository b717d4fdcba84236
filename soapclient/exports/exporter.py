"""Orders exports and does the work on them: what stands behind `client.data.export`."""

from __future__ import annotations

import contextlib
import datetime as dt
import logging
import os
import random as system_random
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final, Unpack, cast

from soapclient.auth.signing import Signer
from soapclient.calling.retry import RetryPolicy, RetryQuota, transient_errors
from soapclient.clock import Clock, Deadline, SystemClock
from soapclient.config import Config
from soapclient.errors import ConfigError, DeadlineExceeded, ExportError, JobExpired, JobFailed, ReplyError
from soapclient.exports.address import Home
from soapclient.exports.cells import ColumnTypes, typed_columns
from soapclient.exports.columns import (
    ColumnsDiffer,
    Expected,
    OnDrift,
    expected_columns,
    tell,
    tell_types,
)
from soapclient.exports.day_check import NotThisExport, Tick, reaches_both_ends
from soapclient.exports.departures import Departures, Findings
from soapclient.exports.download import Downloaded, Downloader, DownloadProgress
from soapclient.exports.entry import Entry
from soapclient.exports.evidence import evidence_of
from soapclient.exports.export import Export
from soapclient.exports.handle import ExportHandle, JobId
from soapclient.exports.http import HttpGetter
from soapclient.exports.job import JobSnapshot, JobTables, JobUnknown, read_job
from soapclient.exports.ledger import Ledger, account_of
from soapclient.exports.once import SETTLE, TOLERANCE, Once, Replaced
from soapclient.exports.order import OrderOptions, arguments_of, json_values, operation_of, place
from soapclient.exports.part_file import PartFile, check_target
from soapclient.exports.part_mark import PartMark, mark_beside
from soapclient.exports.reordering import order_arguments
from soapclient.exports.row_check import NothingTold, check_request
from soapclient.exports.rows import ExportFile
from soapclient.exports.waiting import seconds_of, wait_until_done
from soapclient.runtime.settings import Column, Settings

PATIENCE: Final = 300.0
"""Seconds that an order waits for another one to be through with the state folder."""

_LEAST_LOOK: Final = 5.0  # seconds that a look at a job is given even at the deadline, or it would be none

_USUAL: Final = 60.0  # seconds that one call may take unless the setting `timeout` says otherwise

log = logging.getLogger(__name__)


class Exporter:
    """Orders exports from one service.

    `service` has the generated methods, `tables` say which of them order and tell a job. `service_within`
    gives the service with a time limit for its next calls; without it each poll has the service's own.
    `offset` is what has to be added to this machine's time before it is signed, `random` gives a number from
    0 to 1. `jobs` lists all jobs of the account, `their_time` is the service's clock by its last answer: what
    `order_once` needs. Threads may share it.
    """

    def __init__(
        self,
        service: object,
        tables: Settings,
        config: Config,
        signer: Signer,
        *,
        clock: Clock | None = None,
        random: Callable[[], float] = system_random.random,
        quota: RetryQuota | None = None,
        findings: Findings | None = None,
        offset: Callable[[], dt.timedelta] = dt.timedelta,
        service_within: Callable[[Deadline], object] | None = None,
        jobs: Callable[[], Iterable[object]] | None = None,
        their_time: Callable[[], dt.datetime | None] = lambda: None,
    ) -> None:
        self._service = service
        self._all_tables = tables
        self._tables = JobTables.of(tables)
        self._config = config
        self._signer = signer
        self._clock = SystemClock() if clock is None else clock
        self._random = random
        self._quota = RetryQuota() if quota is None else quota
        self._departures = Departures(self._tables.job, findings)
        self._offset = offset
        self._service_within = service_within
        self._jobs = jobs
        self._their_time = their_time
        self._seen: dict[tuple[str, str, dt.datetime], float] = {}  # open intents, and since when

    def order(
        self, *, report_type: str, from_date: dt.date, to_date: dt.date, **options: Unpack[OrderOptions]
    ) -> Export:
        """Order a report for the days from `from_date` to `to_date`, both included (record.md 6).

        Raises ContractError, with nothing sent, for a report type or an argument that the service does not
        take or no longer takes, and what the ordering call raises. An order is never repeated by itself.
        """
        arguments = arguments_of(report_type, from_date, to_date, options)
        names = self._tables.job
        job = read_job(place(self._service, self._tables, arguments), self._tables, names.order)
        if job is None:
            raise ReplyError(names.item, None, "the job that was ordered", operation=names.order)
        return Export(
            ExportHandle(
                service=self._tables.service,
                job_id=job.id,
                report_type=report_type,
                request=json_values(arguments),
                ordered_at=self._clock.now(),
            ),
            self,
        )

    def ledger(
        self,
        folder: str | os.PathLike[str],
        *,
        patience: float = 0.0,
        beside: Iterable[str | os.PathLike[str]] = (),
    ) -> Ledger:
        """The ledger of this client's account in a folder, named by a hash of the connect ID.

        It holds what was ordered at the configured address. `patience` is how many seconds another orderer is
        waited for, `beside` are folders of other ledgers of the account: see Ledger. Sends nothing.
        """
        return Ledger(
            folder,
            account=account_of(self._config.credentials().connect_id),
            service=self._tables.service,
            patience=patience,
            clock=self._clock,
            address=self._address(),
            beside=beside,
        )

    def _address(self) -> str | None:
        with contextlib.suppress(ConfigError):  # none is configured: ordering will say so
            return self._config.rest_base(self._tables.service, self._tables.version)
        return None

    def state(self, *, patience: float = PATIENCE) -> Ledger | None:
        """The ledger that the setting `state_dir` names, for exports that end as files; None without it."""
        folder = self._config.state_dir
        return None if folder is None else self.ledger(Path(folder).expanduser(), patience=patience)

    def begin(
        self,
        ledger: Ledger,
        *,
        report_type: str,
        from_date: dt.date,
        to_date: dt.date,
        reorder: bool = False,
        until: Deadline | None = None,
        settle: float | None = None,
        output: str | os.PathLike[str] | None = None,
        **options: Unpack[OrderOptions],
    ) -> Export:
        """Order an export through a ledger, or go on with the one that was ordered and not downloaded.

        What was downloaded is ordered anew, and so is a job that is known to have failed: its download says
        so in the ledger. `output` is where the file is to come: if it could not be written there, nothing is
        ordered (OSError), and what lies there and was never acknowledged is neither ordered anew nor waited
        for (see `Export.delivered`). `reorder` orders anew whatever was ordered before, and looks for no job
        of an earlier order. Without it, one that was not answered is settled as by `order_once`, if that can
        be done by `until` (else DeadlineExceeded). Raises what `order_once` raises.
        """
        target = None if output is None else Path(output)

        def replaced(entry: Entry) -> bool:
            if reorder or entry.state != "done":
                return reorder
            return target is None or entry.handle is None or not self.is_delivered(entry.handle, target)

        if target is not None:
            check_target(target)
        request = json_values(arguments_of(report_type, from_date, to_date, options))
        handle = self._ordered_once(
            ledger, request, reorder=reorder, settle=settle, replaced=replaced, until=until
        )
        return Export(handle, self, ledger, target)

    def order_once(
        self,
        ledger: Ledger,
        *,
        report_type: str,
        from_date: dt.date,
        to_date: dt.date,
        reorder: bool = False,
        tolerance: dt.timedelta = TOLERANCE,
        settle: float | None = None,
        **options: Unpack[OrderOptions],
    ) -> ExportHandle:
        """Order as `order` does, unless the ledger has this request: then give its handle and send nothing.

        Where an earlier order was not answered (a crash, a lost response), its job is looked for among those
        of the account: same type, made since (by the service's clock, give or take `tolerance`), no other
        request's. One is adopted, in whatever state: a failed one raises JobFailed when it is waited for. Of
        several, or where another open request may have made it as well, the files are downloaded (to the
        ledger's folder, while others may order) and looked at: the job is adopted whose rows reach from the
        first to the last day that were ordered, and fit no other open request but one for more days. With
        none, it is ordered anew, but not before `settle` seconds (60, or the setting `timeout` if that is
        more) have passed since the earlier order was sent: safe if by then the service has carried it out, or
        never will. Where files do not tell either, AmbiguousOrder says what was tried; with `reorder` it is
        ordered anew, without a look at files. An adopted job may still be that of an order by hand: its file
        has to show that it is not before it gets its name (see `Export.download`). All orders of an account
        have to go through one ledger, or ledgers that know of one another (`beside`). Raises what `order`,
        GetJobs and Ledger raise.
        """
        request = json_values(arguments_of(report_type, from_date, to_date, options))
        return self._ordered_once(ledger, request, reorder=reorder, tolerance=tolerance, settle=settle)

    def reorder_once(
        self, ledger: Ledger, handle: ExportHandle, *, until: Deadline | None = None
    ) -> ExportHandle:
        """Order once more, through a ledger, what a job was ordered with that has expired.

        Under the ledger's lock: where the request has another job by now, that one's handle is given and
        nothing is sent; where an order of it was not answered, its job is looked for as by `order_once`. The
        old job stays known as taken. A handle of no ledger is taken up by this one. `until` is as for
        `begin`. Raises what `order_once` raises, and ConfigError for a handle of another ledger.
        """
        order_arguments(handle)  # or there is nothing to order by
        unknown = handle.in_ledger and ledger.find(handle.request) is None
        if handle.service != ledger.service or unknown:
            raise ConfigError(
                "ledger", f"it does not know the request of job {handle.job_id}", "Give the one that keeps it"
            )
        return self._ordered_once(
            ledger,
            handle.request,
            replaced=lambda entry: entry.is_job(handle.job_id),
            expired=handle.job_id,
            until=until,
        )

    def _ordered_once(
        self,
        ledger: Ledger,
        request: Mapping[str, JobId],
        *,
        reorder: bool = False,
        tolerance: dt.timedelta = TOLERANCE,
        settle: float | None = None,
        replaced: Replaced = lambda _: False,
        expired: JobId | None = None,
        until: Deadline | None = None,
    ) -> ExportHandle:
        plain = ExportHandle(ledger.service, "none", str(request.get("report_type")), request, None)
        report_type, first, last, options = order_arguments(plain)
        ledger.check(self._tables.service, self._config.credentials().connect_id, self._address())
        return self._once().order(
            ledger,
            request,
            lambda: self.order(report_type=report_type, from_date=first, to_date=last, **options).handle,
            reorder=reorder,
            tolerance=tolerance,
            # An order that is allowed more time may be carried out later.
            settle=SETTLE + max(0.0, self._config.timeout - _USUAL) if settle is None else settle,
            replaced=replaced,
            expired=expired,
            until=until,
        )

    def _once(self) -> Once:
        if self._jobs is None:
            raise ConfigError(
                "exports", "no list of jobs was given", "Use client.data.exports, or give `jobs`"
            )
        return Once(
            operation=self._tables.job.order,
            jobs=self._jobs,
            their_time=self._their_time,
            clock=self._clock,
            offset=self._offset,
            validity=dt.timedelta(minutes=self._config.signature_validity_minutes),
            seen=self._seen,
            look=lambda folder, job, requests, until: evidence_of(
                self, self._tables.service, folder, job, requests, until
            ),
        )

    def resume(
        self,
        handle: ExportHandle,
        ledger: Ledger | None = None,
        *,
        output: str | os.PathLike[str] | None = None,
    ) -> Export:
        """Go on with an export that was ordered before, here or elsewhere. Sends nothing.

        `output` is where the file is to come: what was delivered there before is not waited for.
        One that has expired is ordered again by `reorder_once` where `ledger` is given, or the setting
        `state_dir` names one, unless another keeps it; without any by itself, unless a ledger keeps it,
        which raises JobExpired. Raises ConfigError if it was ordered from another service.
        """
        if handle.service != self._tables.service:
            raise ConfigError(
                "export handle",
                f"belongs to the service {handle.service}, not to {self._tables.service}",
                "Give it to the client of that service",
            )
        target = None if output is None else Path(output)
        return Export(handle, self, self._keeper(handle) if ledger is None else ledger, target)

    def _keeper(self, handle: ExportHandle) -> Ledger | None:
        """The ledger of the state folder, if a handle is or may be its own."""
        state = self.state()
        if state is None or not handle.request:
            return None
        if not handle.in_ledger:
            return state
        entry = state.find(handle.request)
        return state if entry is not None and entry.was(handle.job_id) else None

    def resume_job(
        self, job_id: JobId, *, report_type: str, output: str | os.PathLike[str] | None = None
    ) -> Export:
        """Go on with an export of which only the job's id is left. Sends nothing. `output`: see `resume`."""
        handle = ExportHandle(self._tables.service, job_id, report_type, {}, None)
        return Export(handle, self, output=None if output is None else Path(output))

    def look(self, handle: ExportHandle, until: Deadline | None = None) -> JobSnapshot:
        """Ask once how a job stands; see Export.status."""
        return self._look(handle, self._service if until is None else self._limited(until))

    def reorder(self, handle: ExportHandle) -> ExportHandle:
        """Order once more what a handle was ordered with that no ledger keeps.

        Raises what `order` raises, and ConfigError for one of a ledger: that is for `reorder_once`.
        """
        if handle.in_ledger:
            raise ConfigError(
                "export handle", "is kept in a state directory", "Call reorder_once(ledger, handle)"
            )
        report_type, first, last, options = order_arguments(handle)
        return self.order(report_type=report_type, from_date=first, to_date=last, **options).handle

    def until(self, deadline: float | dt.timedelta) -> Deadline:
        """Start counting. Raises ConfigError for a deadline that is none."""
        return Deadline(self._clock, seconds_of(deadline))

    def wait(
        self, handle: ExportHandle, until: Deadline, on_progress: Callable[[JobSnapshot], None] | None
    ) -> JobSnapshot:
        """See Export.wait."""
        return self._wait(handle, until, on_progress)

    def download(
        self,
        handle: ExportHandle,
        target: Path,
        until: Deadline,
        on_progress: Callable[[DownloadProgress], None] | None,
        on_drift: OnDrift | None = None,
        types: ColumnTypes | None = None,
    ) -> ExportFile:
        """See Export.download."""
        given = typed_columns(types)
        on_drift = self._on_drift(on_drift)
        # Opened before the wait: a file that cannot be written, or that another writes, is said now.
        with PartFile(target) as part:
            done = self.fetched(
                handle,
                part,
                until,
                lambda done: self._check(
                    handle, self._file(handle, part.path, done), target, on_drift, until
                ),
                on_progress,
            )
        return self._finished(handle, target, done, on_drift, given)

    def fetched(
        self,
        handle: ExportHandle,
        part: PartFile,
        until: Deadline,
        check: Callable[[Downloaded], None],
        on_progress: Callable[[DownloadProgress], None] | None = None,
    ) -> Downloaded:
        """Wait for a job and download its file into `part`, which `check` sees before it gets its name."""
        with self._downloader(handle, until) as downloader:
            try:
                # Also asks for the address anew: one told earlier may be stale.
                job = self._wait(handle, until, None)
                return replace(downloader, check=check).download(job, part, until, on_progress)
            except (JobFailed, JobExpired) as error:
                # What is left of its file is of no use; a job that is only unknown may be another account's.
                if not isinstance(error, JobUnknown) and part.mark and part.mark.job_id == handle.job_id:
                    part.restart()
                raise

    def delivered(
        self,
        handle: ExportHandle,
        target: Path,
        on_drift: OnDrift | None = None,
        types: ColumnTypes | None = None,
    ) -> ExportFile | None:
        """See Export.delivered."""
        given, on_drift = typed_columns(types), self._on_drift(on_drift)
        found = self._delivery(handle, target)
        if found is None:
            return None
        done, when = found
        self._tell_drift(self._file(handle, target, done), target, on_drift)
        log.warning(
            "%s: the file of job %s was delivered before, on %s, and is taken as it is: a new one has to be "
            "ordered (reorder=True, --reorder)",
            target,
            handle.job_id,
            f"{when:%Y-%m-%d %H:%M} UTC",
        )
        return self._finished(handle, target, done, on_drift, given)

    def is_delivered(self, handle: ExportHandle, target: Path) -> bool:
        """Tell whether `delivered` finds a file, whatever its columns."""
        return self._delivery(handle, target) is not None

    def _delivery(self, handle: ExportHandle, target: Path) -> tuple[Downloaded, dt.datetime] | None:
        """What a job's earlier download brought to `target`, and when; None where nobody can be sure."""
        side, home = mark_beside(target), self._home()
        mark = PartMark.read(side)
        if mark is None or mark.sha256 is None or not target.is_file():
            return None
        if mark != PartMark(handle.job_id, mark.etag, home.base, home.account):
            return None
        try:
            when = dt.datetime.fromtimestamp(side.stat().st_mtime, dt.UTC)
            found = ExportFile.open(target, report_type=handle.report_type, known=())  # compared elsewhere
        except (ExportError, ReplyError, FileNotFoundError):  # acknowledged meanwhile
            return None
        if found.sha256 != mark.sha256:
            return None
        done = Downloaded(columns=found.columns, rows=found.row_count, size=found.size, sha256=found.sha256)
        return done, when

    def _finished(
        self,
        handle: ExportHandle,
        target: Path,
        done: Downloaded,
        on_drift: OnDrift,
        given: tuple[Column, ...],
    ) -> ExportFile:
        file = replace(self._file(handle, target, done), on_drift=on_drift, types=given)
        untyped = self._expected(handle, done).untyped
        tell_types(str(target), handle.report_type, file.columns, untyped, given)
        return file

    def _home(self) -> Home:
        config = self._config
        return Home(
            config.rest_base(self._tables.service, self._tables.version),
            self._tables.version,
            self._signer,
            lowercase=config.lowercase_path,
            offset=self._offset,
            in_query=config.rest_signature == "query",
        )

    def _on_drift(self, on_drift: OnDrift | None) -> OnDrift:
        # By default one of the words that the setting allows.
        return cast("OnDrift", self._config.on_column_drift) if on_drift is None else on_drift

    def compared(self, handle: ExportHandle, part: PartFile, done: Downloaded, until: Deadline) -> None:
        """Compare a file that came with what was ordered, of which it has to have the first and last day.

        Raises NotThisExport, of which NothingTold, and DeadlineExceeded.
        """
        file, request, zone = (
            self._file(handle, part.path, done),
            handle.request,
            self._config.report_tzinfo(),
        )
        tick = self._tick(handle, until)
        check_request(file, request, zone, tick)
        if not reaches_both_ends(file, request, zone, tick):
            raise NothingTold(str(file.path), f"{request['from_date']} to {request['to_date']}")

    def _expected(self, handle: ExportHandle, done: Downloaded) -> Expected:
        return expected_columns(self._all_tables, handle.report_type, handle.request, done.columns)

    @contextmanager
    def _downloader(self, handle: ExportHandle, until: Deadline) -> Iterator[Downloader]:
        config = self._config
        with HttpGetter(
            user_agent=config.user_agent, connect_timeout=config.connect_timeout, stall_timeout=config.timeout
        ) as getter:
            yield Downloader(
                getter=getter,
                home=self._home(),
                clock=self._clock,
                compression=self._tables.download.compression,
                fallback_path=self._tables.download.fallback_path,
                policy=RetryPolicy(attempts=config.attempts),
                quota=self._quota,
                random=self._random,
                again=lambda: self._wait(handle, until, None),
            )

    def is_there(self, handle: ExportHandle, job: JobSnapshot, until: Deadline) -> bool:
        """Ask whether a job's file is there, for one that tells no state."""
        with self._downloader(handle, until) as downloader:
            return downloader.is_there(job, until)

    def _file(self, handle: ExportHandle, path: Path, done: Downloaded) -> ExportFile:
        expected = self._expected(handle, done)
        return ExportFile(
            path=path,
            report_type=handle.report_type,
            columns=done.columns,
            row_count=done.rows,
            size=done.size,
            sha256=done.sha256,
            known=expected.columns,
            ordered=expected.ordered,
            naive_zone=self._naive_zone(),
        )

    def _check(
        self, handle: ExportHandle, file: ExportFile, target: Path, on_drift: OnDrift, until: Deadline
    ) -> None:
        """Refuse a whole file, which is to be `target`, for its columns or its rows."""
        if handle.adopted:  # first: the columns of another order are no drift of this one's
            zone = self._config.report_tzinfo()
            try:
                check_request(file, handle.request, zone, self._tick(handle, until), handle.vouched)
            except NotThisExport as error:  # what it was called until now is gone before anybody reads this
                error.path = str(target)
                error.args = (str(error).replace(str(file.path), str(target), 1),)
                raise
        self._tell_drift(file, target, on_drift)

    def _tell_drift(self, file: ExportFile, target: Path, on_drift: OnDrift) -> None:
        drift = file.drift()
        tell(str(target), drift, self._departures.columns)
        if drift is not None and on_drift == "error":
            raise ColumnsDiffer(str(target), drift)

    def _tick(self, handle: ExportHandle, until: Deadline) -> Tick:
        def tick() -> None:
            if until.expired:
                doing = "looking whether its file is what was ordered"
                raise DeadlineExceeded(str(handle.job_id), doing, until.seconds)

        return tick

    def _wait(
        self, handle: ExportHandle, until: Deadline, on_progress: Callable[[JobSnapshot], None] | None
    ) -> JobSnapshot:
        fault = self._all_tables.fault
        return wait_until_done(
            lambda deadline: self._look(handle, self._limited(deadline)),
            handle.job_id,
            self._tables.waiter,
            deadline=until,
            clock=self._clock,
            random=self._random,
            is_transient=transient_errors(frozenset() if fault is None else fault.transient),
            is_there=lambda job: self.is_there(handle, job, until),
            on_progress=on_progress,
        )

    def _naive_zone(self) -> dt.tzinfo | None:
        try:
            return self._config.naive_tzinfo()
        except ConfigError:  # no such zone on this machine, which matters only if the file needs one
            return None

    def _limited(self, deadline: Deadline) -> object:
        if self._service_within is None:
            return self._service
        return self._service_within(Deadline(self._clock, max(deadline.remaining(), _LEAST_LOOK)))

    def _look(self, handle: ExportHandle, service: object) -> JobSnapshot:
        names = self._tables.job
        reply = operation_of(service, names.poll)(**{names.poll_id: handle.job_id})
        job = read_job(reply, self._tables, names.poll)
        if job is None:
            raise JobUnknown(handle.job_id)
        if job.id != handle.job_id:
            raise ReplyError(f"{names.item}/{names.id}", job.id, str(handle.job_id), operation=names.poll)
        if job.phase == "unknown":
            self._departures.unknown_state(job)
        return job
