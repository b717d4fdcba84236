"""An ordered export: wait for it, download it, read it."""

from __future__ import annotations

import datetime as dt
import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

from soapclient.clock import Deadline
from soapclient.errors import ConfigError, ExportError, JobExpired, JobFailed
from soapclient.exports.download.delivery import Downloads
from soapclient.exports.download.downloader import DownloadProgress
from soapclient.exports.formats.cells import ColumnTypes
from soapclient.exports.formats.columns import OnDrift
from soapclient.exports.formats.export_file import ExportFile
from soapclient.exports.formats.request_match import NothingTold, NotThisExport
from soapclient.exports.handle import ExportHandle, JobId
from soapclient.exports.jobs.job import JobSnapshot, JobUnknown
from soapclient.exports.orders.adoption import undecided
from soapclient.exports.orders.ledger import Ledger
from soapclient.exports.orders.orders import Orders
from soapclient.exports.part_file import acknowledge as acknowledge_file

DEADLINE: Final = 1800.0
"""Seconds that waiting, or waiting and downloading, may take unless another deadline is given."""

_LEAST_NOTE: Final = 5.0  # seconds that a note in the ledger may wait for its lock, even at the deadline

OnReorder = Callable[[ExportHandle], None]
"""Hears of the new handle as soon as an expired export was ordered again."""

T = TypeVar("T")

log = logging.getLogger(__name__)


class Export:
    """An export that was ordered. `handle` is what another process needs to go on with it.

    Where its job had expired and was ordered again, `handle` is the new one, and `reordered` the old one;
    otherwise that is None. What a ledger keeps is ordered again only through that `ledger`. `output` is where
    the file is to come, if that is known by now.
    """

    def __init__(
        self,
        handle: ExportHandle,
        orders: Orders,
        downloads: Downloads,
        ledger: Ledger | None = None,
        output: Path | None = None,
    ) -> None:
        self.handle = handle
        self.reordered: ExportHandle | None = None
        self._orders = orders
        self._downloads = downloads
        self._ledger = ledger
        self._output = output

    @property
    def id(self) -> JobId:
        """The id of its job."""
        return self.handle.job_id

    def status(self) -> JobSnapshot:
        """Ask the service once how the job stands.

        Raises JobUnknown if it knows no such job, ReplyError for an answer that cannot be read, and what the
        call raises. A failed or expired job is no error here.
        """
        return self._downloads.jobs.look(self.handle)

    def wait(
        self,
        deadline: float | dt.timedelta = DEADLINE,
        on_progress: Callable[[JobSnapshot], None] | None = None,
        *,
        reorder_expired: bool = True,
        on_reorder: OnReorder | None = None,
    ) -> Export:
        """Wait until the file is ready; return this export, so that calls can be chained.

        Where the file is at the `output` already that this export was begun with, nothing is asked: see
        `delivered`.
        `deadline` is in seconds or a timedelta, 30 minutes if not given; `on_progress` is called after every
        look at the job. A job that has expired is ordered again with the same request, once, unless
        `reorder_expired` is False or only the job's id was left of it; `on_reorder` then hears of the new
        handle before anything else. What a ledger keeps is ordered again only where that ledger was given to
        `resume`, once for all processes; without one, whoever dies between the order and writing down the new
        handle will order once more. Raises JobFailed, JobExpired, JobUnknown (which is never ordered again:
        the account may be another), DeadlineExceeded (the job goes on; take it up again by `handle`),
        ConfigError for a deadline that is none, and what ordering raises.
        """
        until = self._downloads.jobs.until(deadline)
        if self._output is not None and self._downloads.is_delivered(self.handle, self._output):
            return self
        self._ordered_again(
            lambda handle: self._downloads.wait(handle, until, on_progress),
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
        """Download the file to `path`, verified, waiting for it first if need be; one deadline for both.

        What `delivered` finds there is taken, and nothing asked for. With `acknowledge` False it would be
        found again, until `acknowledge` is called: for whoever has to do something with the file that a crash
        must not lose. Any other file of that name is replaced, but only by a whole one; a path that cannot be
        written is refused before anything is asked (OSError). A download that broke off goes on where it was,
        in this process or, from `path`.part and `path`.part.json, in another, as long as the service says by
        its ETag that the file is still the same. Other columns than those that were chosen or grouped, else
        the contract's, are reported or, where `on_drift` or else the setting `on_column_drift` is "error",
        refused. `types` are those of columns whose cells are not what the contract says, or of which it says
        nothing: column → XSD type (`{"amount": "xsd:decimal"}`) or Python type (`Decimal`). A job that was
        adopted (`handle.adopted`) has to show by its rows that it is this export's; the ledger gives it up if
        it is not; where its file does not tell, the order stays open (AmbiguousOrder). The ledger hears of a
        file that is whole. Raises what `wait` raises (and takes what it takes), and CorruptDownload,
        ColumnsDiffer, NotThisExport, UnexpectedReply, TransportError, AuthenticationError, ReplyError and
        OSError; ConfigError for improper types, before anything is asked.
        """
        until, target = self._downloads.jobs.until(deadline), Path(path)
        try:
            file = self.delivered(target, on_drift, types) or self._ordered_again(
                lambda handle: self._downloads.download(handle, target, until, on_progress, on_drift, types),
                reorder_expired,
                on_reorder,
                until,
            )
        except NothingTold as error:
            entry = None if self._ledger is None else self._ledger.find(self.handle.request)
            if entry is not None and self._kept(lambda ledger, key: ledger.reopen(key, self.id), until):
                raise undecided(entry, self.id) from error
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
        self,
        path: str | os.PathLike[str],
        on_drift: OnDrift | None = None,
        types: ColumnTypes | None = None,
    ) -> ExportFile | None:
        """Return the file at `path` if it is this export's and nobody has acknowledged it, else None.

        That is the file of an earlier download, whole, verified and under its name, whose process was killed
        before it could say so: the mark beside it, `path`.part.json, names the job and the content. The log
        says when that was. Sends nothing. Raises OSError where the file cannot be read, and for columns that
        `on_drift` or else the setting refuses ColumnsDiffer, as `download` does.
        """
        return self._downloads.delivered(self.handle, Path(path), on_drift, types)

    def acknowledge(self, path: str | os.PathLike[str]) -> None:
        """Say that the file at `path` has been heard of: from now on, the same order is another export."""
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
        self.reordered = None  # nothing was, so that the one that was there may be, if it has expired, too
        return self._ordered_again(step, reorder_expired, on_reorder, until)

    def _tried(self, step: Callable[[ExportHandle], T], until: Deadline) -> T:
        """Take a step; of a job that has failed the ledger hears, so that the same can be ordered anew."""
        try:
            return step(self.handle)
        except JobFailed:
            self._kept(lambda ledger, key: ledger.forget(key, self.id), until)
            raise

    def _kept(self, change: Callable[[Ledger, str], object], until: Deadline) -> bool:
        """Tell the ledger. If that cannot be written down, the next order of the same gets this job again."""
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
                "export job %s: what became of it could not be noted in the state directory (%s): the next "
                "order of the same gets this job again, unless it is told to order anew",
                self.id,
                error,
            )
            return False
        return True

    def __repr__(self) -> str:
        return f"Export({self.handle!r})"
