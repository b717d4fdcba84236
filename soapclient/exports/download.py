"""Download a finished job's file: to a part file, verified on its way, named only when it is whole."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from soapclient.clock import Clock, Deadline
from soapclient.errors import CorruptDownload, DeadlineExceeded, ExportError, ReplyError, TransportError
from soapclient.exports.address import Home
from soapclient.exports.csv_file import count_rows, header_of
from soapclient.exports.fetch import fetch, unexpected
from soapclient.exports.gunzip import Damaged, NotGzip
from soapclient.exports.http import OPERATION, Getter
from soapclient.exports.inspection import Inspection
from soapclient.exports.job import JobSnapshot
from soapclient.exports.part_file import PartFile
from soapclient.retry import RetryPolicy, RetryQuota, call_with_retries, transient_errors

_EXCERPT: Final = 2048  # bytes of an improper file that an error may quote from


@dataclass(frozen=True, slots=True)
class DownloadProgress:
    """How far a download is. `received` and `total` are bytes, compressed; `total` is None if not told."""

    received: int
    total: int | None
    rows: int


@dataclass(frozen=True, slots=True)
class Downloaded:
    """What was downloaded. `rows` do not count the header."""

    columns: tuple[str, ...]
    rows: int
    size: int
    sha256: str


@dataclass(frozen=True, kw_only=True)
class Downloader:
    """How files are downloaded: `compression` is the one form understood, `fallback_path` where files lie."""

    getter: Getter
    home: Home
    clock: Clock
    compression: str
    fallback_path: str
    policy: RetryPolicy
    quota: RetryQuota
    random: Callable[[], float]

    def download(
        self,
        job: JobSnapshot,
        target: Path,
        deadline: Deadline,
        on_progress: Callable[[DownloadProgress], None] | None = None,
    ) -> Downloaded:
        """Download to `target`; on any error there is neither that file nor a part of it.

        A transient failure is tried again, from the start, each time freshly signed. Raises CorruptDownload
        (damaged, or not as long as the job says), UnexpectedReply (no gzip), JobExpired,
        AuthenticationError, TransportError, DeadlineExceeded, ReplyError (the job says something improper),
        ExportError (another download writes to the same file), OSError.
        """
        if job.compression not in (None, self.compression):
            raise ReplyError("job/compression", job.compression, self.compression, operation=OPERATION)
        url = self.home.fallback(self.fallback_path, job.id) if job.url is None else job.url
        with PartFile(target) as part:
            try:
                done = call_with_retries(
                    lambda _: self._attempt(job, url, part, deadline, on_progress),
                    safe=True,
                    deadline=deadline,
                    clock=self.clock,
                    policy=self.policy,
                    quota=self.quota,
                    is_transient=transient_errors(),
                    random=self.random,
                    operation=OPERATION,
                )
            except TransportError as error:
                if deadline.expired:
                    raise DeadlineExceeded(str(job.id), "downloading its file", deadline.seconds) from error
                raise
            part.finish()
        return done

    def _attempt(
        self,
        job: JobSnapshot,
        url: str,
        part: PartFile,
        deadline: Deadline,
        on_progress: Callable[[DownloadProgress], None] | None,
    ) -> Downloaded:
        part.restart()
        found = Inspection()
        with closing(fetch(self.getter, url, self.home, job, deadline)) as reply:
            head = b""
            try:
                for chunk in reply.chunks():
                    head = head or chunk[:_EXCERPT]
                    found.feed(chunk)
                    part.write(chunk)
                    if job.size is not None and found.size > job.size:
                        break
                    if on_progress is not None:
                        on_progress(DownloadProgress(found.size, job.size, found.rows))
                else:
                    found.finish()
            except NotGzip:
                raise unexpected(reply, head, "a download that is not gzip") from None
            except Damaged as damage:
                raise CorruptDownload(str(part.target), f"the file is damaged: {damage}") from None
        return _verified(job, part, found)


def _verified(job: JobSnapshot, part: PartFile, found: Inspection) -> Downloaded:
    """Compare what came with what the job says of it."""
    target = str(part.target)
    if job.size is not None and found.size != job.size:
        more = "more than " if found.size > job.size else ""
        raise CorruptDownload(
            target,
            "the file is not as long as the job says",
            expected=f"{job.size} bytes",
            found=f"{more}{job.size if more else found.size} bytes",
        )
    rows = found.rows
    if not found.balanced or job.rows not in (None, rows):
        rows = _recounted(part, rows)
    if job.rows not in (None, rows):
        raise CorruptDownload(
            target,
            "the file has not the rows the job says",
            expected=f"{job.rows} rows",
            found=f"{rows} rows",
        )
    columns = header_of(part.path, part.target.name)
    return Downloaded(columns=columns, rows=rows, size=found.size, sha256=found.sha256)


def _recounted(part: PartFile, rows: int) -> int:
    """Count again without assumptions about quotes; a file that is not CSV keeps its first count."""
    try:
        return count_rows(part.path)
    except (ReplyError, ExportError):
        return rows
