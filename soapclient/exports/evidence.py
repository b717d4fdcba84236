"""Whose is a job? Its file is downloaded, compared with the requests it may belong to, and thrown away."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from secrets import token_hex
from typing import Final, Protocol

from soapclient.clock import Deadline
from soapclient.errors import (
    AuthenticationError,
    ConfigError,
    DeadlineExceeded,
    ExportError,
    JobExpired,
    JobFailed,
    ReplyError,
    ServiceFault,
    TransportError,
)
from soapclient.exports.adoption import Evidence, Listed
from soapclient.exports.day_check import NotThisExport
from soapclient.exports.download import Downloaded
from soapclient.exports.durable import make_folder
from soapclient.exports.handle import ExportHandle, JobId
from soapclient.exports.job import JobSnapshot, JobUnknown
from soapclient.exports.part_file import PartFile, sweep
from soapclient.exports.row_check import NothingTold
from soapclient.redaction import clean

FOLDER: Final = "looked-at"
"""The folder, within that of a ledger, of files that are looked at. What killed processes left is removed."""


class Files(Protocol):
    """What looking at a job's file needs; soapclient.exports.exporter has it."""

    def look(self, handle: ExportHandle, until: Deadline | None = None) -> JobSnapshot: ...

    def is_there(self, handle: ExportHandle, job: JobSnapshot, until: Deadline) -> bool: ...

    def fetched(
        self, handle: ExportHandle, part: PartFile, until: Deadline, check: Callable[[Downloaded], None]
    ) -> Downloaded: ...

    def compared(self, handle: ExportHandle, part: PartFile, done: Downloaded, until: Deadline) -> None: ...


def evidence_of(
    files: Files,
    service: str,
    folder: Path,
    job: Listed,
    requests: Mapping[str, Mapping[str, JobId]],
    until: Deadline,
) -> Evidence:
    """Look at the file of a job of `service`, in the ledger's `folder`; compare it with `requests` by key.

    A job that is not done is not waited for. Raises DeadlineExceeded at `until`, AuthenticationError where
    the service refuses to tell how the job stands, ConfigError, and OSError where the folder cannot be
    written.
    """
    handles = {
        key: ExportHandle(service, job.id, str(request.get("report_type")), request, job.created)
        for key, request in requests.items()
    }
    any_handle = next(iter(handles.values()))
    fits: dict[str, bool | None] = {}
    seen = ExportError("the file was looked at, and is not to be kept")

    def compare(done: Downloaded) -> None:
        for key, handle in handles.items():
            fits[key] = _fits(partial(files.compared, handle, part, done, until))
        raise seen

    answered = False  # by the same credentials: whoever refuses them for the file alone means the file
    try:
        snapshot = files.look(any_handle, until)
        answered = True
        if snapshot.phase in ("failed", "expired"):
            return Evidence(state="no file", said=f"it has {snapshot.phase}, and so has no file")
        ready = snapshot.phase == "done" or (
            snapshot.status is None and files.is_there(any_handle, snapshot, until)
        )
        if not ready:
            return Evidence(state="waiting", said="it is not done yet")
        with _part(folder) as part:
            files.fetched(any_handle, part, until, compare)
    except DeadlineExceeded:
        raise
    except JobUnknown:
        return Evidence(state="unreadable", said="the service does not know it")
    except (JobExpired, JobFailed):
        return Evidence(state="no file", said="it has no file any more")
    except ConfigError:
        raise
    except (ExportError, ReplyError, TransportError, ServiceFault, AuthenticationError) as error:
        if isinstance(error, AuthenticationError) and not answered:
            raise
        if error is not seen:
            return Evidence(state="unreadable", said=f"its file cannot be read: {clean(str(error), 300)}")
    return Evidence(fits)


def _fits(compare: Callable[[], None]) -> bool | None:
    try:
        compare()
    except (DeadlineExceeded, ConfigError):
        raise
    except NothingTold:
        return None
    except NotThisExport:
        return False
    except (ExportError, ReplyError):  # cells that cannot be read tell nothing either way
        return None
    return True


@contextmanager
def _part(folder: Path) -> Iterator[PartFile]:
    """A file that never gets its name: there may be another process that looks at the same job's."""
    try:
        with _opened(folder / FOLDER) as part:
            try:
                yield part
            finally:
                part.restart()  # nobody goes on with it: the name is drawn
    finally:
        tidy_up(folder)


def _opened(place: Path) -> PartFile:
    while True:
        make_folder(place)
        with contextlib.suppress(FileNotFoundError):  # another process that was done has removed the folder
            return PartFile(place / f"{token_hex(8)}.csv.gz")


def tidy_up(folder: Path) -> None:
    """Remove what processes that were killed left in a ledger's `folder` while they looked at files."""
    place = folder / FOLDER
    sweep(place)
    with contextlib.suppress(OSError):  # there is none, or others are looking
        place.rmdir()
