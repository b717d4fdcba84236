"""The work on one partition: poll, download, convert, commit. Runs in any thread, process or machine.

A task is a small value without secrets. `perform` takes the credentials from the environment of its process.
All tasks of one run in a process share a `Session`. The session holds the clients that the tasks use, and
stops the tasks when the run is stopped.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import shutil
import threading
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, cast

from soapclient._support.durable import FileLock, make_folder
from soapclient._support.forks import Lock
from soapclient._support.part_file import mark_path
from soapclient.clock import SystemClock
from soapclient.errors import (
    ColumnsDiffer,
    ConfigError,
    CorruptDownload,
    DeadlineExceeded,
    JobExpired,
    JobFailed,
    JobUnknown,
    NotThisExport,
    SoapClientError,
    UnverifiedExport,
)
from soapclient.settings.sources import from_environment
from soapclient.settings.transport import with_values, without_values
from soapclient.tables.libraries import needs
from soapclient.tracking.backfill.dataset import Manifest, Partition, add_partition, contract_sha256
from soapclient.tracking.backfill.plan import BackfillAccount
from soapclient.tracking.backfill.store import Store, open_store
from soapclient.tracking.client import Client
from soapclient.tracking.exports.download.delivery import delivered
from soapclient.tracking.exports.download.download import Download
from soapclient.tracking.exports.formats.columns import OnDrift
from soapclient.tracking.exports.formats.export_file import ExportFile
from soapclient.tracking.exports.handle import ExportHandle
from soapclient.tracking.exports.orders.ledger import account_of
from soapclient.tracking.settings import Settings

TaskSettings = Mapping[str, object]
"""A configuration by setting names, without credentials. Can be pickled."""

_CREDENTIALS: Final = ("connect_id", "secret_key")
# Only the backfill orders, with a separate ledger; secrets come from the worker's environment.
_NOT_FOR_TASKS: Final = (*_CREDENTIALS, "keyring", "proxy_credentials", "state_dir", "services")
_MAX_SESSIONS: Final = 8  # runs to keep sessions for: a worker of a cluster does not know when a run ends


class Stopped(Exception):
    """Raised in a task if the backfill run of the task was stopped."""


class Session:
    """The clients and stores that the tasks of one run use in this process. Thread-safe.

    There is one client for each account, and one store for each thread.
    """

    def __init__(self) -> None:
        self._stop = threading.Event()
        self._lock = Lock()
        self._clients: dict[tuple[str | None, ...], Client] = {}  # by credentials: other settings are equal
        self._stores: dict[tuple[str, int, int], Store] = {}
        # Closes the clients of a session that was not closed, when no task refers to it any longer.
        weakref.finalize(self, _close, self._clients)

    def client(self, settings: TaskSettings, account: BackfillAccount) -> Client:
        """Return the account's client. Creates it at the first call.

        Raises ConfigError if the environment of this process has no credentials, and Stopped if the run was
        stopped.
        """
        key = tuple(os.environ.get(name) for name in (account.connect_id_env, account.secret_key_env))
        with self._lock:
            self.check()
            if key not in self._clients:
                config = config_of(settings, account)
                self._clients[key] = Client(config, clock=_StoppableClock(self._stop))
            return self._clients[key]

    def store(self, output: str, run: str) -> Store:
        """Return the calling thread's store of the run's dataset. Opens it at the first call.

        Raises ConfigError. Threads do not share a store, because file systems of fsspec such as FTP have one
        connection, which only one thread can use.
        """
        key = output, os.getpid(), threading.get_ident()
        if key not in self._stores:  # only this thread adds this key
            self._stores[key] = open_store(output, run)
        return self._stores[key]

    def check(self) -> None:
        """Raise Stopped if the run was stopped."""
        if self._stop.is_set():
            raise Stopped

    def stop(self) -> None:
        """Stop the run. Its tasks end at their next pause, or with the next block of a download."""
        self._stop.set()

    def close(self) -> None:
        """Stop the run and close all clients. Tasks that start later raise Stopped."""
        self.stop()
        with self._lock:
            _close(self._clients)


def _close(clients: dict[tuple[str | None, ...], Client]) -> None:
    for client in clients.values():
        client.close()
    clients.clear()


class _StoppableClock(SystemClock):
    """The system clock, with a sleep that raises Stopped as soon as the run is stopped."""

    def __init__(self, stop: threading.Event) -> None:
        self._stop = stop

    def sleep(self, seconds: float) -> None:
        if self._stop.wait(max(0.0, seconds)):
            raise Stopped


_sessions: Final[dict[str, Session]] = {}
_lock: Final = Lock()


def session_of(run: str) -> Session:
    """Return the session of a run in this process, and create it at the first call. `run` is the run's id."""
    with _lock:
        if run not in _sessions:
            while len(_sessions) >= _MAX_SESSIONS:
                _sessions.pop(next(iter(_sessions)))
            _sessions[run] = Session()
        return _sessions[run]


def settings_of(config: Settings) -> dict[str, object]:
    """Return the settings that tasks need for the Data service, as a dict from name to value.

    Leaves out credentials and `state_dir`.
    """
    config = config.for_service("data")
    names = (item.name for item in dataclasses.fields(config) if item.name not in _NOT_FOR_TASKS)
    return {name: getattr(config, name) for name in names} | {"headers": without_values(config.headers)}


def config_of(
    settings: TaskSettings, account: BackfillAccount, environ: Mapping[str, str] | None = None
) -> Settings:
    """Return the configuration for an account: `settings`, with the credentials from `environ`.

    `environ` has the environment variables. If it is None, the environment of this process is used.
    Raises ConfigError with the name of a variable that is not set.
    """
    environ = os.environ if environ is None else environ
    variables = dict(zip(_CREDENTIALS, (account.connect_id_env, account.secret_key_env), strict=True))
    for setting, variable in variables.items():
        if not environ.get(variable):
            raise ConfigError(
                f"{setting} of the account {account.name}",
                f"the environment variable {variable} is not set",
                "Set it in the environment of the backfill and of each worker",
            )
    make = cast(Callable[..., Settings], Settings)  # it checks its settings itself
    own: dict[str, str | None] = {setting: environ[variable] for setting, variable in variables.items()}
    own["proxy_credentials"] = environ.get("SOAPCLIENT_PROXY_CREDENTIALS") or None
    table = {item.name: item for item in Settings.settings() if item.name == "headers"}
    theirs = cast("Mapping[str, str]", from_environment(table, environ).get("headers", {}))
    headers = with_values(cast("Mapping[str, str | None]", settings["headers"]), theirs)
    return make(**{**settings, "headers": headers}, **own)


STAGING: Final = "staging"
"""Name of the folder, within a machine's work folder, for files that are not in the dataset yet."""
_PAUSE: Final = 0.05  # seconds between two attempts to lock the files of a task

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
    """A partition whose export has been ordered, and which must be added to the dataset.

    Can be pickled. Contains no secret.

    `replaces_others` is True if the dataset has partitions for other ranges of days that this partition
    replaces. In this case, the task does not write the manifest: the process that submitted the task removes
    the old partitions and writes the manifest.
    """

    run: str
    partition: Partition
    account_id: str
    settings: TaskSettings
    handle: str
    output: str
    work: Path
    deadline: float
    on_drift: OnDrift = "warn"
    replaces_others: bool = False


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """Result of a task: the manifest of its partition, or the reason for its failure.

    `kind` is "done" or a kind of failure, such as "bad file". Depending on `kind`, the main loop orders the
    partition again or not. `manifest` is None, and `reason` is set, unless `kind` is "done".
    """

    kind: Kind
    reason: str = ""
    manifest: Manifest | None = None


_KINDS: Final[tuple[tuple[type[SoapClientError], Kind], ...]] = (  # the first match counts
    (JobUnknown, "unknown job"),  # another account may know the job: do not order again
    (JobExpired, "expired job"),
    (JobFailed, "failed job"),
    (UnverifiedExport, "kept job"),  # a new order would be a second one
    (NotThisExport, "other job"),
    (CorruptDownload, "bad file"),
    (DeadlineExceeded, "kept job"),  # the task cannot know if the job is slow or stuck
    (ColumnsDiffer, "kept job"),
)


def perform(task: Task) -> Outcome:
    """Perform a task, and return its outcome. Problems with the partition are never raised as errors."""
    session = session_of(task.run)
    try:
        return Outcome(kind="done", manifest=_perform(task, session))
    except Stopped:
        return Outcome(kind="stopped", reason="the backfill was stopped before this partition was complete")
    except SoapClientError as error:
        kind: Kind = next((kind for type_, kind in _KINDS if isinstance(error, type_)), "error")
        return Outcome(kind=kind, reason=str(error))
    except OSError as error:
        prefix = "" if error.filename is None else f"{error.filename}: "
        return Outcome(kind="error", reason=f"{prefix}{error.strerror or error or type(error).__name__}")


def _perform(task: Task, session: Session) -> Manifest:
    """Download the task's partition into the dataset, and return its manifest.

    Holds a lock on the partition's temporary files. Raises ConfigError if the environment of this process
    has another account's connect ID.
    """
    partition = task.partition
    client = session.client(task.settings, partition.account)
    if account_of(client.settings.credentials().connect_id) != task.account_id:
        raise ConfigError(
            f"connect_id of the account {partition.account.name}",
            f"{partition.account.connect_id_env} names another account in this process than in the process "
            "that ordered",
            "Set the same value in the environment of the backfill and of each worker",
        )
    staging = task.work / STAGING
    make_folder(staging)
    packed = staging / f"{partition.staged}.csv.gz"
    lock = packed.with_name(f"{packed.name}.lock")

    def wait() -> None:
        session.check()
        SystemClock().sleep(_PAUSE)

    # A cluster that loses contact with a worker runs its task again, perhaps on the same machine.
    with FileLock(lock, wait):
        try:
            return _download(task, session, client, packed)
        finally:
            with contextlib.suppress(OSError):
                lock.unlink()


def _download(task: Task, session: Session, client: Client, packed: Path) -> Manifest:
    """Download a partition's export, add it to the dataset, and return its manifest.

    `packed` is the path for the downloaded gzip CSV file. The caller holds the lock on the partition's files.
    """
    partition = task.partition
    store = session.store(task.output, task.run)
    handle = ExportHandle.from_json(task.handle)
    jobs, types = client.data.exports.jobs, {column.name: column.type for column in partition.types}
    # The mark of the file is kept until the data is in the dataset: the next run can resume. Only the process
    # with the ledger may order, so an expired job is reported to it.
    file = delivered(jobs, handle, packed, task.on_drift, types) or Download(
        jobs, handle, jobs.until(task.deadline)
    ).to(packed, lambda _: session.check(), task.on_drift, types, temporary=True)
    try:
        session.check()
        data, manifest = _convert(task, handle, file, packed)
        # The data is not visible before the manifest. Writing the manifest also syncs the name of the data.
        data_path = f"{partition.folder}/{manifest.file}"
        store.put(data, data_path, name_synced=task.replaces_others)
        if not task.replaces_others:
            add_partition(store, manifest, partition.folder)
    finally:
        # Complete files are not kept for another attempt: only the service can correct their content.
        for path in (packed, *_extra_files(packed), mark_path(packed)):
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)
    return manifest


def _extra_files(packed: Path) -> tuple[Path, Path]:
    """Return the paths of two temporary files that a task may create from `packed`, the downloaded file.

    The first is the Parquet file that is made of `packed`, the second a copy of `packed`.
    """
    return packed.with_suffix(".parquet"), packed.with_name(f"{packed.name}.copy")


def _convert(task: Task, handle: ExportHandle, file: ExportFile, packed: Path) -> tuple[Path, Manifest]:
    """Return the path of the file to move into the dataset, and its manifest.

    `handle` is the handle of the export, `packed` the path of the downloaded gzip CSV file, and `file` the
    verified export in it. The manifest also has the file's name in the dataset, which contains the file's
    hash.
    """
    partition = task.partition
    data, copy = _extra_files(packed)
    if partition.format == "parquet":
        with needs("pyarrow"):
            from soapclient.tracking.exports.formats.arrow import write_parquet
        written = write_parquet(file, data, temporary=True)
        size, sha256 = written.size, written.sha256
    else:
        # A copy is moved into the dataset: the downloaded file stays until the manifest is written.
        data, size, sha256 = copy, file.size, file.sha256
        copy.unlink(missing_ok=True)
        try:
            os.link(packed, copy)
        except OSError:  # not every file system has links
            shutil.copyfile(packed, copy)
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


def outcome_of_crash(error: BaseException) -> Outcome:
    """Return the outcome of a task that ended with `error`: its worker died, or it raised the exception."""
    return Outcome(kind="error", reason=f"its worker failed: {type(error).__name__}: {error}")
