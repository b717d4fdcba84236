"""The work on one partition, for any thread, process or machine: wait, download, convert, commit.

A task is a small value without secrets; `perform` opens its client with what the environment holds there.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from soapclient.backfill.commit import commit, put_data
from soapclient.backfill.manifest import Manifest, contract_sha256
from soapclient.backfill.partitions import Partition
from soapclient.backfill.session import Session, Settings, Stopped, session_of
from soapclient.backfill.store import open_store
from soapclient.errors import (
    ConfigError,
    CorruptDownload,
    DeadlineExceeded,
    JobExpired,
    JobFailed,
    SoapClientError,
)
from soapclient.exports.columns import ColumnsDiffer, OnDrift
from soapclient.exports.day_check import NotThisExport
from soapclient.exports.durable import make_folder
from soapclient.exports.handle import ExportHandle
from soapclient.exports.job import JobUnknown
from soapclient.exports.ledger import account_of
from soapclient.exports.part_mark import mark_beside
from soapclient.exports.row_check import NothingTold
from soapclient.exports.rows import ExportFile

STAGING: Final = "staging"
"""The folder, within a machine's work folder, of files on their way into the dataset."""

Kind = Literal[
    "done",
    "failed job",
    "expired job",
    "unknown job",
    "other job",
    "kept job",
    "bad file",
    "error",
    "stopped",
]


@dataclass(frozen=True, kw_only=True)
class Task:
    """An ordered partition on its way. Can be pickled, and holds no secret.

    `sole` says that the partition lies over others, and that whoever gave the task away writes the manifest.
    """

    run: str
    partition: Partition
    account_id: str
    settings: Settings
    handle: str
    output: str
    work: Path
    deadline: float
    on_drift: OnDrift = "report"
    sole: bool = False


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What became of a task: its manifest, or the reason why there is none."""

    kind: Kind
    reason: str = ""
    manifest: Manifest | None = None


def perform(task: Task) -> Outcome:
    """Do a task. What goes wrong with the partition is its outcome, never an exception."""
    session = session_of(task.run)
    try:
        return Outcome(kind="done", manifest=_performed(task, session))
    except Stopped:
        return Outcome(kind="stopped", reason="the run was called off")
    except JobUnknown as error:  # which may be known to another account: no reason to order again
        return Outcome(kind="unknown job", reason=str(error))
    except JobExpired as error:
        return Outcome(kind="expired job", reason=str(error))
    except JobFailed as error:
        return Outcome(kind="failed job", reason=str(error))
    except NothingTold as error:  # to order anew would be to order twice
        return Outcome(kind="kept job", reason=str(error))
    except NotThisExport as error:
        return Outcome(kind="other job", reason=str(error))
    except CorruptDownload as error:
        return Outcome(kind="bad file", reason=str(error))
    except (DeadlineExceeded, ColumnsDiffer) as error:  # slow, or stuck for ever: nobody here can tell
        return Outcome(kind="kept job", reason=str(error))
    except SoapClientError as error:
        return Outcome(kind="error", reason=str(error))
    except OSError as error:
        where = "" if error.filename is None else f"{error.filename}: "
        return Outcome(kind="error", reason=f"{where}{error.strerror or error or type(error).__name__}")


def _performed(task: Task, session: Session) -> Manifest:
    partition = task.partition
    client = session.client(task.settings, partition.account)
    if account_of(client.config.credentials().connect_id) != task.account_id:
        raise ConfigError(
            f"connect_id of the account {partition.account.name}",
            f"{partition.account.connect_id_env} is that of another account than where it was ordered",
            "Set the same one on each machine that works for the backfill",
        )
    store = open_store(task.output, task.run)
    staging = task.work / STAGING
    make_folder(staging)
    packed = staging / f"{partition.staged}.csv.gz"
    export = client.data.exports.resume(ExportHandle.from_json(task.handle))
    # An order is for the one process that keeps the ledger: an expired job is its business.
    file = export.download(
        packed,
        task.deadline,
        on_progress=lambda _: session.check(),
        reorder_expired=False,
        on_drift=task.on_drift,
        types={column.name: column.type for column in partition.types},
        acknowledge=False,  # before it is in the dataset: killed before, the next run finds it here
    )
    try:
        session.check()
        data, manifest = _converted(task, file, packed)
        if task.sole:
            put_data(store, data, manifest, partition.folder)
        else:
            commit(store, data, manifest, partition.folder)
    finally:
        # Whole files are not kept for another try: what is wrong with one is for the service to mend.
        for left in (packed, _parquet(packed), _copy(packed), mark_beside(packed)):
            with contextlib.suppress(OSError):
                left.unlink(missing_ok=True)
    return manifest


def _parquet(packed: Path) -> Path:
    return packed.with_suffix(".parquet")


def _copy(packed: Path) -> Path:
    return packed.with_name(f"{packed.name}.copy")


def _copied(packed: Path) -> Path:
    """The file once more, to be moved into the dataset: the first stays until the manifest is written."""
    copy = _copy(packed)
    copy.unlink(missing_ok=True)
    try:
        os.link(packed, copy)
    except OSError:  # not every file system has links
        shutil.copyfile(packed, copy)
    return copy


def _converted(task: Task, file: ExportFile, packed: Path) -> tuple[Path, Manifest]:
    """The file that goes into the dataset, and its manifest. Its name is its content's."""
    partition = task.partition
    handle = ExportHandle.from_json(task.handle)
    if partition.format == "parquet":
        written = file.to_parquet(_parquet(packed))
        data, size, sha256 = written.path, written.size, written.sha256
    else:
        data, size, sha256 = _copied(packed), file.size, file.sha256
    return data, Manifest(
        account=partition.account.name,
        account_id=task.account_id,
        report=partition.report,
        report_type=partition.report_type,
        first=partition.first,
        last=partition.last,
        format=partition.format,
        request=dict(partition.request),
        request_sha256=partition.request_sha256,
        job_id=handle.job_id,
        contract_sha256=contract_sha256(partition),
        file=f"part-{sha256[:32]}.{partition.format}",
        rows=file.row_count,
        size=size,
        sha256=sha256,
        source_sha256=file.sha256,
    )


def crashed(error: BaseException) -> Outcome:
    """The outcome of a task whose worker died, or that hit a bug."""
    return Outcome(kind="error", reason=f"its worker failed: {type(error).__name__}: {error}")
