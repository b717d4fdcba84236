"""An ordered export: wait for it, download it, read it."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Callable
from pathlib import Path
from typing import Final, Protocol

from soapclient.exports.download import DownloadProgress
from soapclient.exports.handle import ExportHandle, JobId
from soapclient.exports.job import JobSnapshot
from soapclient.exports.rows import ExportFile

DEADLINE: Final = 1800.0
"""Seconds that waiting, or waiting and downloading, may take unless another deadline is given."""


class Work(Protocol):
    """What an export needs to go on; soapclient.exports.exporter has it."""

    def look(self, handle: ExportHandle) -> JobSnapshot: ...

    def wait(
        self,
        handle: ExportHandle,
        deadline: float | dt.timedelta,
        on_progress: Callable[[JobSnapshot], None] | None,
    ) -> JobSnapshot: ...

    def download(
        self,
        handle: ExportHandle,
        target: Path,
        deadline: float | dt.timedelta,
        on_progress: Callable[[DownloadProgress], None] | None,
    ) -> ExportFile: ...


class Export:
    """An export that was ordered. `handle` is what another process needs to go on with it."""

    def __init__(self, handle: ExportHandle, work: Work) -> None:
        self.handle = handle
        self._work = work

    @property
    def id(self) -> JobId:
        """The id of its job."""
        return self.handle.job_id

    def status(self) -> JobSnapshot:
        """Ask the service once how the job stands.

        Raises JobUnknown if it knows no such job, ReplyError for an answer that cannot be read, and what the
        call raises. A failed or expired job is no error here.
        """
        return self._work.look(self.handle)

    def wait(
        self,
        deadline: float | dt.timedelta = DEADLINE,
        on_progress: Callable[[JobSnapshot], None] | None = None,
    ) -> Export:
        """Wait until the file is ready; return this export, so that calls can be chained.

        `deadline` is in seconds or a timedelta, 30 minutes if not given; `on_progress` is called after every
        look at the job. Raises JobFailed, JobExpired, JobUnknown, DeadlineExceeded (the job goes on; take it
        up again by `handle`), and ConfigError for a deadline that is none.
        """
        self._work.wait(self.handle, deadline, on_progress)
        return self

    def download(
        self,
        path: str | os.PathLike[str],
        deadline: float | dt.timedelta = DEADLINE,
        on_progress: Callable[[DownloadProgress], None] | None = None,
    ) -> ExportFile:
        """Download the file to `path`, verified, waiting for it first if need be; one deadline for both.

        A file of that name is replaced, but only by a whole one; a path that cannot be written is refused
        before anything is asked (OSError). Raises what `wait` raises, and
        CorruptDownload, UnexpectedReply, TransportError, AuthenticationError, ReplyError, OSError.
        """
        return self._work.download(self.handle, Path(path), deadline, on_progress)

    def __repr__(self) -> str:
        return f"Export({self.handle!r})"
