"""Export jobs of the Data service, as a page lists them, and their files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from soapclient.tracking.client import Client
    from zxws.data.types import JobItem

_MOST: Final = 50  # jobs on the page
_DEADLINE: Final = 120.0  # seconds for a file
_STATES: Final = ("created", "running", "done")  # of a job that goes well, for how far it is


class ExportJobs:
    """The jobs that a client sees."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def jobs(self) -> list[JobItem]:
        """The first jobs that the service lists. Raises the errors of `soapclient.errors`."""
        return list(islice(self._client.data.iterate.get_jobs(), _MOST))

    def progress(self, job: JobItem) -> int:
        """How far a job is, in steps of three; 0 of one that did not get anywhere."""
        return _STATES.index(job.status) + 1 if job.status in _STATES else 0

    @contextmanager
    def file(self, job_id: str, report_type: str) -> Iterator[Path]:
        """The file of a job, verified, while this lasts. Raises the errors of `soapclient.errors`."""
        with TemporaryDirectory(prefix="soapclient-console-") as folder:
            path = Path(folder) / "export.csv.gz"  # of no name that somebody sent
            export = self._client.data.exports.resume_job(job_id, report_type=report_type)
            yield export.download(path, _DEADLINE).path
