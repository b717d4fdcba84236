"""What stands behind `client.data.exports`: orders exports, and goes on with those that were ordered."""

from __future__ import annotations

import datetime as dt
import os
import random as system_random
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Unpack

from soapclient.auth.signing import Signer
from soapclient.calling.retry import RetryQuota
from soapclient.clock import Clock, Deadline, SystemClock
from soapclient.config import Config
from soapclient.errors import ConfigError
from soapclient.exports.download.delivery import Downloads
from soapclient.exports.export import Export
from soapclient.exports.handle import ExportHandle, JobId
from soapclient.exports.jobs.job import DriftFindings, Findings, JobService
from soapclient.exports.jobs.waiting import ReportJobs
from soapclient.exports.orders.arguments import OrderOptions, arguments_of, json_values
from soapclient.exports.orders.ledger import Ledger
from soapclient.exports.orders.orders import PATIENCE, Orders
from soapclient.exports.orders.placement import TOLERANCE
from soapclient.exports.orders.record import OrderRecord
from soapclient.exports.part_file import check_target


class Exporter:
    """Orders exports from one service, and downloads them. Threads may share it.

    `offset` is what has to be added to this machine's time before it is signed, `random` gives a number from
    0 to 1, `findings` count contract drift.
    """

    def __init__(
        self,
        service: JobService,
        config: Config,
        signer: Signer,
        *,
        clock: Clock | None = None,
        random: Callable[[], float] = system_random.random,
        quota: RetryQuota | None = None,
        findings: Findings | None = None,
        offset: Callable[[], dt.timedelta] = dt.timedelta,
    ) -> None:
        jobs = ReportJobs(
            service,
            clock=SystemClock() if clock is None else clock,
            random=random,
            drift=DriftFindings(service.job_tables.job, findings),
        )
        self.downloads = Downloads(
            jobs, config, signer, quota=RetryQuota() if quota is None else quota, offset=offset
        )
        self.orders = Orders(self.downloads, config, offset=offset)

    def order(
        self, *, report_type: str, from_date: dt.date, to_date: dt.date, **options: Unpack[OrderOptions]
    ) -> Export:
        """Order a report for the days from `from_date` to `to_date`, both included.

        Raises ContractError, with nothing sent, for a report type or an argument that the service does not
        take or no longer takes, and what the ordering call raises. An order is never retried by itself.
        """
        return self._export(
            self.orders.place(report_type=report_type, from_date=from_date, to_date=to_date, **options)
        )

    def ledger(
        self,
        folder: str | os.PathLike[str],
        *,
        patience: float = 0.0,
        beside: Iterable[str | os.PathLike[str]] = (),
    ) -> Ledger:
        """The ledger of this client's account in a folder, named by a hash of the connect ID.

        It holds what was ordered at the configured address. `patience` is how many seconds to wait for the
        lock, `beside` are folders of other ledgers of the account: see Ledger. Sends nothing.
        """
        return self.orders.ledger(folder, patience=patience, beside=beside)

    def state(self, *, patience: float = PATIENCE) -> Ledger | None:
        """The ledger that the setting `state_dir` names, for exports that end as files; None without it."""
        return self.orders.state(patience=patience)

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
            if reorder or entry.state != "done":
                return reorder
            return (
                target is None
                or entry.handle is None
                or not self.downloads.is_delivered(entry.handle, target)
            )

        if target is not None:
            check_target(target)
        request = json_values(arguments_of(report_type, from_date, to_date, options))
        handle = self.orders.place_once(
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
        settle: float | None = None,
        **options: Unpack[OrderOptions],
    ) -> ExportHandle:
        """Order as `order` does, unless the ledger has this request: then return its handle and send nothing.

        If an earlier order is pending (a crash, a lost response), its job is looked for among those of the
        account: same type, created since (by the service's clock, give or take `tolerance`), no other
        request's. A single one is adopted, in any state: a failed one raises JobFailed when it is waited for.
        If there are several, or another pending order may have created it, their files are downloaded (to the
        state directory, while others may order): the job is adopted whose rows reach from the first to the
        last day ordered, and fit no other pending order but one for more days. If there is none, it is
        ordered anew, but not before `settle` seconds (60, or the setting `timeout` if that is more) have
        passed since the earlier order was sent: safe if by then the service has processed it, or never will.
        If the files do not decide it either, AmbiguousOrder says what was tried; `reorder` orders anew
        without reading files. An adopted job may still be that of an order by hand: its file has to show that
        it is not before it gets its name (see `Export.download`). All orders of an account
        have to go through one ledger, or ledgers that know of one another (`beside`). Raises what `order`,
        GetJobs and Ledger raise.
        """
        request = json_values(arguments_of(report_type, from_date, to_date, options))
        return self.orders.place_once(ledger, request, reorder=reorder, tolerance=tolerance, settle=settle)

    def reorder_once(
        self, ledger: Ledger, handle: ExportHandle, *, until: Deadline | None = None
    ) -> ExportHandle:
        """Order once more, through a ledger, what a job was ordered with that has expired.

        Under the ledger's lock: where the request has another job by now, that one's handle is given and
        nothing is sent; if an order of it is pending, its job is looked for as by `order_once`. The
        old job stays known as taken. A handle of no ledger is taken up by this one. `until` is as for
        `begin`. Raises what `order_once` raises, and ConfigError for a handle of another ledger.
        """
        return self.orders.reorder_once(ledger, handle, until=until)

    def reorder(self, handle: ExportHandle) -> ExportHandle:
        """Order once more what a handle was ordered with that no ledger keeps.

        Raises what `order` raises, and ConfigError for one of a ledger: that is for `reorder_once`.
        """
        return self.orders.reorder(handle)

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
        if handle.service != self.orders.service:
            raise ConfigError(
                "export handle",
                f"belongs to the service {handle.service}, not to {self.orders.service}",
                "Give it to the client of that service",
            )
        target = None if output is None else Path(output)
        return self._export(handle, self.orders.keeper(handle) if ledger is None else ledger, target)

    def resume_job(
        self, job_id: JobId, *, report_type: str, output: str | os.PathLike[str] | None = None
    ) -> Export:
        """Resume an export of which only the job's id is known. Sends nothing. `output`: see `resume`."""
        handle = ExportHandle(self.orders.service, job_id, report_type, {}, None)
        return self._export(handle, output=None if output is None else Path(output))

    def until(self, deadline: float | dt.timedelta) -> Deadline:
        """Start counting. Raises ConfigError for a deadline that is none."""
        return self.downloads.jobs.until(deadline)

    def _export(
        self, handle: ExportHandle, ledger: Ledger | None = None, output: Path | None = None
    ) -> Export:
        return Export(handle, self.orders, self.downloads, ledger, output)
