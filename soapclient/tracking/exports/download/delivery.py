"""Reuse of files that an earlier download completed, and comparison of a file's columns with its order."""

from __future__ import annotations

import contextlib
import datetime as dt
import logging
from dataclasses import replace
from pathlib import Path

from soapclient._support.part_file import PartMark, mark_path
from soapclient.errors import ColumnsDiffer, ConfigError, ExportError, ResponseError
from soapclient.runtime.settings import Column
from soapclient.tracking.exports.download.fetch import service_origin
from soapclient.tracking.exports.formats.columns import (
    ColumnTypes,
    Expected,
    OnDrift,
    drift_policy,
    expected_columns,
    report_drift,
    report_types,
    typed_columns,
)
from soapclient.tracking.exports.formats.export_file import ExportFile
from soapclient.tracking.exports.handle import ExportHandle
from soapclient.tracking.exports.jobs.job import ReportJobs

log = logging.getLogger(__name__)


def delivered(
    jobs: ReportJobs,
    handle: ExportHandle,
    target: Path,
    on_drift: OnDrift | None = None,
    types: ColumnTypes | None = None,
) -> ExportFile | None:
    """Return the file at `target` if an earlier download of this job completed it, otherwise None.

    `on_drift` is the policy for unexpected columns. `types` overrides column types. See `Export.delivered`.
    """
    user_types, on_drift = typed_columns(types), drift_policy(on_drift, jobs.config.on_column_drift)
    delivery = _find_delivery(jobs, handle, target)
    if delivery is None:
        return None
    file, downloaded_at = delivery
    refuse_drift(jobs, with_ordered_columns(jobs, handle, file), target, on_drift)
    log.warning(
        "%s: using the file of job %s that was downloaded on %s. To order a new one, use reorder=True "
        "or --reorder",
        target,
        handle.job_id,
        f"{downloaded_at:%Y-%m-%d %H:%M} UTC",
    )
    return with_types(jobs, handle, file, on_drift, user_types)


def is_delivered(jobs: ReportJobs, handle: ExportHandle, target: Path) -> bool:
    """Return True if `target` is the complete file of the export's job and is not acknowledged yet.

    To acknowledge a file means to record that the caller has processed it (`Export.acknowledge`). The file's
    columns are not checked.
    """
    return _find_delivery(jobs, handle, target) is not None


def _find_delivery(
    jobs: ReportJobs, handle: ExportHandle, target: Path
) -> tuple[ExportFile, dt.datetime] | None:
    """Return the file at `target` and the time at which an earlier download of this job completed it.

    Returns None if no download of this job has completed the file, or if the file cannot be verified.
    """
    path, origin = mark_path(target), service_origin(jobs)
    mark = PartMark.read(path)
    if mark is None or mark.sha256 is None or not target.is_file():
        return None
    if mark != PartMark(handle.job_id, mark.etag, origin.base, origin.account):
        return None
    try:
        completed_at = dt.datetime.fromtimestamp(path.stat().st_mtime, dt.UTC)
        # `known=()`, because the caller compares the columns.
        file = ExportFile.open(target, report_type=handle.report_type, known=())
    except (ExportError, ResponseError, FileNotFoundError):  # removed or acknowledged by another process
        return None
    return (file, completed_at) if file.sha256 == mark.sha256 else None


def with_ordered_columns(jobs: ReportJobs, handle: ExportHandle, file: ExportFile) -> ExportFile:
    """Return a copy of `file`, the file of the export `handle`, in which these fields are set:

    - `known`: the columns that the file should have.
    - `ordered`: True if the order lists these columns, or lists groups, which determine the columns.
    - `naive_zone`: the configured time zone for date-times without a zone. Unchanged if it is invalid.
    """
    expected = _expected(jobs, handle, file)
    typed = replace(file, known=expected.columns, ordered=expected.ordered)
    with contextlib.suppress(ConfigError):  # an unknown zone matters only if the file needs it
        typed = replace(typed, naive_zone=jobs.config.naive_tzinfo())
    return typed


def with_types(
    jobs: ReportJobs, handle: ExportHandle, file: ExportFile, on_drift: OnDrift, types: tuple[Column, ...]
) -> ExportFile:
    """Return a copy of `file`, the file of the export `handle`, with the settings for reading its columns.

    The copy has the fields that `with_ordered_columns` sets, and also the fields `types` and `on_drift`.
    `types` are the column types from the caller. `on_drift` says what to do if the file has other columns
    than expected. Logs the columns whose type is unknown, and the columns in `types` that are not in the
    file.
    """
    untyped = _expected(jobs, handle, file).untyped
    report_types(str(file.path), handle.report_type, file.columns, untyped, types)
    return replace(with_ordered_columns(jobs, handle, file), on_drift=on_drift, types=types)


def refuse_drift(jobs: ReportJobs, file: ExportFile, target: Path, on_drift: OnDrift) -> None:
    """Count missing and unexpected columns of `file` as contract drift, and apply the policy `on_drift`.

    The difference is logged, unless the policy is "tolerate". With the policy "error", ColumnsDiffer is
    raised. Log and error show `target`, the final path of the file.
    """
    drift = file.drift()
    if on_drift != "tolerate":
        report_drift(str(target), drift, jobs.drift.columns)
    elif drift is not None:
        jobs.drift.columns(drift)
    if drift is not None and on_drift == "error":
        raise ColumnsDiffer(str(target), drift)


def _expected(jobs: ReportJobs, handle: ExportHandle, file: ExportFile) -> Expected:
    return expected_columns(jobs.tables, handle.report_type, handle.request, file.columns)
