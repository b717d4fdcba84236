"""The export of the demonstration: ordered, waited for, downloaded, verified, read."""

from __future__ import annotations

import datetime as dt
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Final

from soapclient import Client
from soapclient.cli.demonstration.chapters import chapter, more
from soapclient.cli.progress import progress_on_stderr
from soapclient.exports.formats.export_file import ExportFile
from soapclient.exports.jobs.job import JobSnapshot

_DEADLINE: Final = 300.0  # seconds; a slow machine and many rows


@contextmanager
def place_for(folder: Path | None) -> Iterator[Path]:
    """The folder to keep the file in or, if None, a temporary one that is removed at the end."""
    if folder is not None:
        yield folder
        return
    with tempfile.TemporaryDirectory(prefix="soapclient-demo-") as fresh:
        yield Path(fresh)


def export(client: Client, day: dt.date, folder: Path) -> ExportFile:
    """Order the clicks of a day, wait, download."""
    with chapter("export") as say:
        ordered = client.data.export(report_type="click", from_date=day, to_date=day)
        say(f"CreateReportJob: the clicks of {day}, job {ordered.id}")
    with chapter("waiting") as say, progress_on_stderr(_silence) as progress:
        states: list[str] = []

        def look(job: JobSnapshot) -> None:
            progress.job(job)
            if job.status is not None and job.status not in states:
                states.append(job.status)

        ordered.wait(deadline=_DEADLINE, on_progress=look)
        say(f"GetJob: {', then '.join(states)}")
    target = folder / f"clicks-{day}.csv.gz"
    with chapter("download") as say, progress_on_stderr(_silence) as progress:
        file = ordered.download(target, deadline=_DEADLINE, on_progress=progress.download)
        say(f"{file.row_count:,} rows in {file.size:,} bytes; gzip checksum, length and rows are right")
    more(f"sha256 {file.sha256}")
    return file


def rows(file: ExportFile) -> None:
    """Read the file as typed rows."""
    commissions: defaultdict[str, Decimal] = defaultdict(Decimal)
    with chapter("rows") as say:
        for row in file:
            currency, commission = row["currency"], row["commission"]
            if isinstance(currency, str) and isinstance(commission, Decimal):
                commissions[currency] += commission
        sums = ", ".join(f"{currency} {total:,}" for currency, total in sorted(commissions.items()))
        say(f"{file.row_count:,} read back, each cell in its type: dates with zones, numbers, exact decimals")
    more(f"commission {sums}")


def _silence(line: str) -> None:
    """Elsewhere than on a terminal the chapters say enough."""
