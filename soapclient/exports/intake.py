"""The bytes of one file on their way into its part file: looked through as they pass, never twice."""

from __future__ import annotations

import logging
from typing import Final

from soapclient.clock import Deadline
from soapclient.exports.gunzip import Damaged, NotGzip
from soapclient.exports.http import OPERATION
from soapclient.exports.inspection import Inspection
from soapclient.exports.job import JobSnapshot
from soapclient.exports.part_file import PartFile
from soapclient.exports.part_mark import PartMark
from soapclient.exports.ranges import Since

_LEAST: Final = 2  # bytes; fewer do not even tell whether it is gzip
_EXCERPT: Final = 2048  # bytes of an improper file that an error may quote from

log = logging.getLogger(__name__)


class Intake:
    """What has come of a file so far. `joined` tells whether it was put together from several responses,
    `damaged` whether it is not the file that was sent.

    `found` is what was seen in it, `head` its first bytes. Jobs are those of `account` at `service`.
    """

    def __init__(self, part: PartFile, service: str, account: str) -> None:
        self.part = part
        self._service = service
        self._account = account
        self.found = Inspection()
        self.head = b""
        self.joined = False
        self.damaged = False

    def take_up(self, job: JobSnapshot, deadline: Deadline) -> None:
        """Look through what an earlier download of this job left, so that this one can go on with it.

        What is of another job, of another account or service, or damaged, is as good as nothing.
        Raises Timeout at the deadline.
        """
        part = self.part
        if part.mark is None or part.mark != self.mark_for(job, part.mark.etag) or not part.size:
            return
        try:
            for block in part.blocks():
                deadline.check(OPERATION, request_sent=False)
                self._see(block)
        except (Damaged, NotGzip) as damage:
            log.warning("%s: damaged (%s), the download begins anew", part.path, damage)
            self.begin(None)
            return
        self.joined = True
        log.info("%s: going on after the %d bytes of an earlier download", part.path, self.found.size)

    def since(self, job: JobSnapshot) -> Since | None:
        """Return what is to be asked for; None for the whole file."""
        mark, size = self.part.mark, self.found.size
        if mark is None or mark.etag is None or mark != self.mark_for(job, mark.etag) or size < _LEAST:
            return None
        return Since(size, mark.etag)

    def mark_for(self, job: JobSnapshot, etag: str | None) -> PartMark | None:
        """Return what marks bytes of this job's file; None without an ETag that vouches for them."""
        return None if etag is None else PartMark(job.id, etag, self._service, self._account)

    def mark_whole(self, job: JobSnapshot, sha256: str) -> PartMark:
        """Return what marks the whole file of this job until somebody has heard of it."""
        etag = None if self.part.mark is None else self.part.mark.etag
        return PartMark(job.id, etag, self._service, self._account, sha256)

    def complete(self, job: JobSnapshot) -> bool:
        """Tell whether all bytes are there, by what the job says, so that nothing need be asked for."""
        return self.since(job) is not None and self.found.size == job.size

    def begin(self, mark: PartMark | None) -> None:
        """Forget what came: what comes now is the file from its start."""
        self.part.restart(mark)
        self.found = Inspection()
        self.head = b""
        self.joined = False
        self.damaged = False

    def take(self, chunk: bytes) -> None:
        """Take the next bytes. Raises NotGzip, Damaged, OSError."""
        self._see(chunk)
        self.part.write(chunk)

    def _see(self, chunk: bytes) -> None:
        self.head = self.head or chunk[:_EXCERPT]
        self.found.feed(chunk)
