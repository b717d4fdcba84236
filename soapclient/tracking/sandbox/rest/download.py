"""The download of a finished export, signed like any REST request.

The paths and responses of downloads are assumed (`docs/explanation/service.md#export-jobs`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import IO

from werkzeug.exceptions import RequestedRangeNotSatisfiable
from werkzeug.utils import send_file
from werkzeug.wrappers import Request, Response

from ..auth import Verifier
from ..exports.jobs import Job, Jobs
from ..faults import Code, InvalidValue
from ..requests import Signed, rest_claims
from .responses import rest_error
from .target import Form

_PIECE_SIZE = 4096  # bytes between two calls of a script's `pace`


class Download:
    """Responds to GET and HEAD requests for a job's file, complete or in ranges."""

    def __init__(self, verifier: Verifier, jobs: Jobs, namespace: str) -> None:
        self._verifier = verifier
        self._jobs = jobs
        self._namespace = namespace

    def respond(self, request: Request, job_id: str, uri: str, form: Form) -> Response:
        """Respond to a request for a job's file.

        `uri`: the signed path, after the version segment (`docs/explanation/service.md#signing`). `form`:
        format of errors.
        """
        try:
            if request.method not in ("GET", "HEAD"):
                raise InvalidValue(Code.METHOD, f"{request.method} is not allowed here, only GET and HEAD")
            # docs/explanation/service.md#signing does not cover HEAD, so a HEAD request may be signed as GET.
            verbs = ("GET", "HEAD") if request.method == "HEAD" else ("GET",)
            owner = self._verifier.verify(list(rest_claims(request, Signed(verbs, uri))), signed=True)
            job = self._ready(owner, job_id)
            if request.method == "GET":
                job.failures.download()
                if job.failures.stale(request.args.get("ticket", "")):
                    raise InvalidValue(Code.EXPIRED, "this address has expired. Get a new one with GetJob.")
            return self._with_failures(request, job, self._send(request, job))
        except InvalidValue as refusal:
            return rest_error(refusal, self._namespace, form)

    def _ready(self, owner: str, job_id: str) -> Job:
        """Return a job whose file can be downloaded. Raises `InvalidValue` otherwise."""
        job = self._jobs.get(owner, job_id)
        if job is None:
            raise InvalidValue(Code.NOT_FOUND, f"there is no job {job_id[:60]}")
        state = self._jobs.state(job)
        if state == "expired":
            raise InvalidValue(Code.EXPIRED, "the file of this job has expired. Order it again.")
        if state != "done":
            raise InvalidValue(Code.NOT_DONE, f"the job is {state}, not done. Wait until it is done.")
        return job

    @staticmethod
    def _send(request: Request, job: Job) -> Response:
        """Return a response with the job's file or the requested range of it.

        The job's `JobScript` can make the response ignore the range, or break off after half of the file.
        """
        try:
            source = job.file.open()
        except FileNotFoundError:
            raise InvalidValue(Code.EXPIRED, "the file of this job has expired. Order it again.") from None
        if job.script.damage == "cut" and request.method == "GET" and "Range" not in request.headers:
            headers = {
                "Content-Length": str(job.file.size),
                "ETag": f'"{job.file.etag}"',
                "Accept-Ranges": "bytes",
                "Connection": "close",
            }
            return Response(_half(source, job.file.size // 2), 200, headers, "application/gzip")
        supports_ranges = job.script.ranges
        environ = {
            name: text
            for name, text in request.environ.items()
            if supports_ranges or name not in ("HTTP_RANGE", "HTTP_IF_RANGE")
        }
        response = send_file(
            source,
            environ,
            mimetype="application/gzip",
            download_name=f"{job.order.report_type}-{job.id}.csv.gz",
            as_attachment=True,
            conditional=False,  # True requires a path
            etag=job.file.etag,
            last_modified=job.created,
        )
        response.content_length = job.file.length
        response.accept_ranges = "bytes"  # werkzeug before 3.1.9 sets it only for range requests
        try:
            return response.make_conditional(environ, accept_ranges=True, complete_length=job.file.length)
        except RequestedRangeNotSatisfiable as error:
            source.close()
            return Response(
                status=416,
                headers={"Content-Range": f"bytes */{job.file.size}"},
                response=str(error.description),
            )

    @staticmethod
    def _with_failures(request: Request, job: Job, response: Response) -> Response:
        """Return the response, sent slowly or only its first half if the job's `JobScript` says so."""
        if request.method != "GET" or response.status_code not in (200, 206):
            return response
        size = int(response.headers["Content-Length"])
        broken, pace = job.failures.breaks(), job.script.pace
        if not broken and pace is None:
            return response
        sent = response.response
        close = getattr(sent, "close", None)
        if close is not None:
            response.call_on_close(close)
        assert not isinstance(sent, str | bytes)
        response.response = _in_pieces(sent, size // 2 if broken else size, pace)
        response.direct_passthrough = False  # otherwise werkzeug does not close the file
        return response


def _in_pieces(
    blocks: Iterable[bytes] | Iterable[str], remaining: int, pace: Callable[[], object] | None
) -> Iterator[bytes]:
    """Yield the first `remaining` bytes in small pieces, calling `pace` before each piece."""
    for block in blocks:
        assert isinstance(block, bytes)
        for start in range(0, len(block), _PIECE_SIZE):
            piece = block[start : start + _PIECE_SIZE][:remaining]
            if not piece:
                return
            if pace is not None:
                pace()
            remaining -= len(piece)
            yield piece


def _half(source: IO[bytes], remaining: int) -> Iterator[bytes]:
    """Yield the first `remaining` bytes of a file, which are half of it, and close the file at the end."""
    with source:
        while remaining > 0 and (block := source.read(min(remaining, 1 << 16))):
            remaining -= len(block)
            yield block
