"""Orders of one account: placed directly, or once and never twice through a ledger."""

from __future__ import annotations

import contextlib
import datetime as dt
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Final, Unpack

from soapclient.clock import Deadline
from soapclient.config import Config
from soapclient.errors import ConfigError, ResponseError
from soapclient.exports.download.delivery import Downloads
from soapclient.exports.handle import ExportHandle, JobId
from soapclient.exports.jobs.job import JobTables, read_job
from soapclient.exports.orders.adoption import evidence_of
from soapclient.exports.orders.arguments import (
    OrderOptions,
    arguments_of,
    json_values,
    order_arguments,
    place,
)
from soapclient.exports.orders.ledger import Ledger, account_of
from soapclient.exports.orders.placement import SETTLE, TOLERANCE, Placement, Replaced

PATIENCE: Final = 300.0
"""Seconds that an order waits for the lock of the state directory."""

_USUAL: Final = 60.0  # seconds that one call may take unless the setting `timeout` says otherwise


class Orders:
    """Places orders. Threads may share it.

    `downloads` compare a job's file with requests, `offset` is what has to be added to this machine's time
    before it is signed.
    """

    def __init__(self, downloads: Downloads, config: Config, *, offset: Callable[[], dt.timedelta]) -> None:
        self._downloads = downloads
        self._jobs = downloads.jobs
        self._config = config
        self._offset = offset
        self._seen: dict[tuple[str, str, dt.datetime], float] = {}  # pending orders, and since when

    @property
    def service(self) -> str:
        """The name of the service that is ordered from."""
        return self._tables.service

    @property
    def _tables(self) -> JobTables:
        return self._jobs.service.job_tables

    def place(
        self, *, report_type: str, from_date: dt.date, to_date: dt.date, **options: Unpack[OrderOptions]
    ) -> ExportHandle:
        """Order without a ledger; see Exporter.order."""
        arguments = arguments_of(report_type, from_date, to_date, options)
        names = self._tables.job
        job = read_job(place(self._jobs.service.methods, self._tables, arguments), self._tables, names.order)
        if job is None:
            raise ResponseError(names.item, None, "the job that was ordered", operation=names.order)
        return ExportHandle(
            service=self.service,
            job_id=job.id,
            report_type=report_type,
            request=json_values(arguments),
            ordered_at=self._jobs.clock.now(),
        )

    def ledger(
        self,
        folder: str | os.PathLike[str],
        *,
        patience: float = 0.0,
        beside: Iterable[str | os.PathLike[str]] = (),
    ) -> Ledger:
        """See Exporter.ledger."""
        return Ledger(
            folder,
            account=account_of(self._config.credentials().connect_id),
            service=self.service,
            patience=patience,
            clock=self._jobs.clock,
            address=self._address(),
            beside=beside,
        )

    def state(self, *, patience: float = PATIENCE) -> Ledger | None:
        """See Exporter.state."""
        folder = self._config.state_dir
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
        settle: float | None = None,
        replaced: Replaced = lambda _: False,
        expired: JobId | None = None,
        until: Deadline | None = None,
    ) -> ExportHandle:
        """Order a request through a ledger, or return the job that it has; see Exporter.order_once."""
        plain = ExportHandle(ledger.service, "none", str(request.get("report_type")), request, None)
        report_type, first, last, options = order_arguments(plain)
        ledger.check(self.service, self._config.credentials().connect_id, self._address())
        return self._placement().order(
            ledger,
            request,
            lambda: self.place(report_type=report_type, from_date=first, to_date=last, **options),
            reorder=reorder,
            tolerance=tolerance,
            # An order that is allowed more time may be carried out later.
            settle=SETTLE + max(0.0, self._config.timeout - _USUAL) if settle is None else settle,
            replaced=replaced,
            expired=expired,
            until=until,
        )

    def reorder(self, handle: ExportHandle) -> ExportHandle:
        """Order once more what a handle was ordered with that no ledger keeps.

        Raises what `order` raises, and ConfigError for one of a ledger: that is for `reorder_once`.
        """
        if handle.in_ledger:
            raise ConfigError(
                "export handle", "is kept in a state directory", "Call reorder_once(ledger, handle)"
            )
        report_type, first, last, options = order_arguments(handle)
        return self.place(report_type=report_type, from_date=first, to_date=last, **options)

    def reorder_once(
        self, ledger: Ledger, handle: ExportHandle, *, until: Deadline | None = None
    ) -> ExportHandle:
        """Order once more, through a ledger, what a job was ordered with that has expired.

        Under the ledger's lock: where the request has another job by now, that one's handle is given and
        nothing is sent; if an order of it is pending, its job is looked for as by `order_once`. The
        old job stays known as taken. A handle of no ledger is taken up by this one. `until` is as for
        `begin`. Raises what `order_once` raises, and ConfigError for a handle of another ledger.
        """
        order_arguments(handle)  # or there is nothing to order by
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
            return self._config.rest_base(self.service, self._tables.version)
        return None

    def _placement(self) -> Placement:
        if self._jobs.service.list_jobs is None:
            raise ConfigError(
                "exports", "no list of jobs was given", "Use client.data.exports, or give `list_jobs`"
            )
        return Placement(
            operation=self._tables.job.order,
            jobs=self._jobs.service.list_jobs,
            their_time=self._jobs.service.time,
            clock=self._jobs.clock,
            offset=self._offset,
            validity=dt.timedelta(minutes=self._config.signature_validity_minutes),
            seen=self._seen,
            look=lambda folder, job, requests, until: evidence_of(
                self._downloads, folder, job, requests, until
            ),
        )
