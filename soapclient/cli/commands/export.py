"""`soapclient export`: order an export, wait for it, download and verify it."""

from __future__ import annotations

import datetime as dt
import json
import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from soapclient.cli.failures import Failure
from soapclient.cli.kinds import day, duration
from soapclient.cli.session import load_config, opened

if TYPE_CHECKING:
    from soapclient.client import Client
    from soapclient.config import Config
    from soapclient.exports.export import Export
    from soapclient.exports.rows import ExportFile

_LEAST: Final = 5.0  # seconds for a download, when waiting took nearly all of the deadline


@click.command(short_help="Order an export, wait for it, download and verify it.")
@click.argument("report_type", metavar="TYPE")
@click.option("--from", "from_date", type=day, help="First day.")
@click.option("--to", "to_date", type=day, help="Last day, included.")
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), metavar="FILE")
@click.option("--columns", help="Comma list; for the type custom only.")
@click.option("--group-by", help="Comma list.")
@click.option("--date-type", help="Which date the days are compared with.")
@click.option("--review-state", help="Only transactions in this state.")
@click.option("--currency", help="Only this currency.")
@click.option("--program-id", type=int, help="Only this program.")
@click.option("--adspace-id", type=int, help="Only this ad space.")
@click.option("--admedium-format-id", type=int, help="Only this format.")
@click.option("--notify-url", hidden=True)  # known, so that its refusal can say since when it is gone
@click.option("--deadline", type=duration, default="30m", show_default=True, help="For all of it.")
@click.option("--job", "job_id", metavar="ID", help="Order nothing: go on with a job ordered before.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as a JSON object.")
def command(
    report_type: str,
    from_date: dt.date | None,
    to_date: dt.date | None,
    output: Path,
    deadline: float,
    job_id: str | None,
    as_json: bool,
    **options: str | int | None,
) -> None:
    """Order an export of TYPE (click, clickin, lead, sale, custom …) and wait until its file is here.

    FILE is gzip CSV. It gets its name when it is whole and verified: gzip checksum, length, rows. Printed
    are its path, rows, size in bytes and SHA-256.
    """
    config = load_config()
    if job_id is None:
        begin = _ordering(config, report_type, from_date, to_date, options)
    elif from_date or to_date or any(value is not None for value in options.values()):
        raise click.UsageError("leave days and filters out beside --job: that job has its own")
    else:
        begin = _resuming(report_type, job_id)
    _check_target(output)
    file = _exported(config, begin, output, deadline)
    result = {"path": str(file.path), "rows": file.row_count, "size": file.size, "sha256": file.sha256}
    if as_json:
        click.echo(json.dumps(result))
        return
    for name, value in result.items():
        click.echo(f"{name:<7} {value}")


def _ordering(
    config: Config,
    report_type: str,
    from_date: dt.date | None,
    to_date: dt.date | None,
    options: dict[str, str | int | None],
) -> Callable[[Client], Export]:
    """What orders the export, its arguments checked."""
    from soapclient.cli.export_order import check_order, order_options

    if from_date is None or to_date is None:
        raise click.UsageError("--from and --to are needed: the first and the last day of the export")
    days = {"from_date": from_date, "to_date": to_date}
    check_order(config, {"report_type": report_type, **days, **options})
    typed = order_options(options)
    return lambda client: client.data.export(report_type=report_type, **days, **typed)


def _resuming(report_type: str, job_id: str) -> Callable[[Client], Export]:
    return lambda client: client.data.exports.resume_job(job_id, report_type=report_type)


def _check_target(output: Path) -> None:
    """Refuse a file that could not be written before an export is ordered for it."""
    folder = output.absolute().parent
    if output.is_dir():
        raise Failure(f"{output} is a folder: name a file")
    if not folder.is_dir():
        raise Failure(f"{folder} is not a folder: make it, or name a file elsewhere")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise Failure(f"{folder} may not be written to: name a file elsewhere")


def _exported(config: Config, begin: Callable[[Client], Export], output: Path, deadline: float) -> ExportFile:
    from soapclient.cli.progress import progress_on_stderr
    from soapclient.clock import Deadline, SystemClock
    from soapclient.errors import JobExpired, JobFailed

    with opened(config) as client:
        until = Deadline(SystemClock(), deadline)
        export = begin(client)
        click.echo(f"soapclient: job {export.id}", err=True)
        try:
            with progress_on_stderr() as progress:
                export.wait(deadline=deadline, on_progress=progress.job)
                left = max(until.remaining(), _LEAST)
                return export.download(output, deadline=left, on_progress=progress.download)
        except (JobFailed, JobExpired):
            raise
        except BaseException:  # Ctrl-C above all: what was ordered need not be ordered again
            again = [
                "soapclient",
                "export",
                export.handle.report_type,
                "--job",
                str(export.id),
                "-o",
                str(output),
            ]
            click.echo(f"soapclient: to go on with this job: {shlex.join(again)}", err=True)
            raise
