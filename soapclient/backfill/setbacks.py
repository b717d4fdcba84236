"""How often a job's file was not right: one that is never right would keep its partition out for ever."""

from __future__ import annotations

import contextlib
import json
import logging
from pathlib import Path
from typing import Final

from soapclient.exports.durable import read_json, read_regular, write_text
from soapclient.exports.handle import JobId

MOST: Final = 3
"""Runs that end with the same job's file damaged or short of rows, until the job is given up."""


log = logging.getLogger(__name__)


class Setbacks:
    """Counts runs, in a small JSON file: account → job → number. For the one process that orders.

    A file that is torn, gone or cannot be written begins at none: a job is then kept for longer, and nothing
    else happens.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._counts = _read(path)
        self._this_run: dict[tuple[str, str], int] = {}  # partitions may share a job

    def add(self, account: str, job_id: JobId) -> int:
        """Count a run that the job's file was not right in, once; return how many there were."""
        job = str(job_id)
        if (account, job) not in self._this_run:
            of_account = self._counts.setdefault(account, {})
            of_account[job] = self._this_run[account, job] = of_account.get(job, 0) + 1
            self._write()
        return self._this_run[account, job]

    def clear(self, account: str, job_id: JobId) -> None:
        """Forget a job, which is in the dataset or was given up."""
        if self._counts.get(account, {}).pop(str(job_id), None) is not None:
            self._write()

    def _write(self) -> None:
        try:
            write_text(self._path, json.dumps(self._counts, indent=1, sort_keys=True) + "\n")
        except OSError as error:
            log.warning("%s: %s: runs are not counted", self._path, error.strerror)


def _read(path: Path) -> dict[str, dict[str, int]]:
    counts: dict[str, dict[str, int]] = {}
    with contextlib.suppress(OSError, ValueError, RecursionError):
        loaded = read_json(read_regular(path))
        for account, jobs in loaded.items() if isinstance(loaded, dict) else ():
            if isinstance(jobs, dict):
                counts[account] = {job: runs for job, runs in jobs.items() if type(runs) is int and runs > 0}
    return counts
