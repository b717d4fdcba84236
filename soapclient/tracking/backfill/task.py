"""The work on one partition, for any thread, process or machine: wait, download, convert, commit.

A task is a small value without secrets; `perform` opens its client with what the environment holds there.
Tasks of one run share clients, and learn that it was stopped, through the run's session in their process.
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
from soapclient.tracking.backfill.dataset import Manifest, Partition, contract_sha256, enter
from soapclient.tracking.backfill.plan import BackfillAccount
from soapclient.tracking.backfill.store import open_store
from soapclient.tracking.client import Client
from soapclient.tracking.exports.formats.columns import OnDrift
from soapclient.tracking.exports.formats.export_file import ExportFile
from soapclient.tracking.exports.handle import ExportHandle
from soapclient.tracking.exports.orders.ledger import account_of
from soapclient.tracking.settings import Settings

TaskSettings = Mapping[str, object]
"""A configuration by setting, without credentials; can be pickled."""

_CREDENTIALS: Final = ("connect_id", "secret_key")
# A backfill has a ledger of its own, and orders alone; what is secret is the worker's own.
_NOT_FOR_TASKS: Final = (*_CREDENTIALS, "keyring", "proxy_credentials", "state_dir")
_MOST: Final = 8  # runs that are remembered: a worker of a cluster never hears that one is over


class Stopped(Exception):
    """The run was called off."""


class Session:
    """The clients of one run, one per account. Threads may share it."""

    def __init__(self) -> None:
        self._stop = threading.Event()
        self._lock = Lock()
        self._clients: dict[tuple[str | None, ...], Client] = {}  # by credentials: all else is the same
        # For one that is dropped without a word: as soon as no task holds it any more.
        weakref.finalize(self, _close, self._clients)

    def client(self, settings: TaskSettings, account: BackfillAccount) -> Client:
        """Return the account's client. Raises ConfigError without credentials in the environment here."""
        key = tuple(os.environ.get(name) for name in (account.connect_id_env, account.secret_key_env))
        with self._lock:
            self.check()
            if key not in self._clients:
                config = config_of(settings, account)
                self._clients[key] = Client(config, clock=_Stoppable(self._stop))
            return self._clients[key]

    def check(self) -> None:
        """Raise Stopped if the run was stopped."""
        if self._stop.is_set():
            raise Stopped

    def stop(self) -> None:
        """Call the run off: its tasks end where they wait, or with the next piece of a file."""
        self._stop.set()

    def close(self) -> None:
        """Close all clients; tasks that come too late are stopped."""
        self.stop()
        with self._lock:
            _close(self._clients)


def _close(clients: dict[tuple[str | None, ...], Client]) -> None:
    for client in clients.values():
        client.close()
    clients.clear()


class _Stoppable(SystemClock):
    """The machine's clock, whose sleep ends when the run does."""

    def __init__(self, stop: threading.Event) -> None:
        self._stop = stop

    def sleep(self, seconds: float) -> None:
        if self._stop.wait(max(0.0, seconds)):
            raise Stopped


_sessions: Final[dict[str, Session]] = {}
_lock: Final = Lock()


def session_of(run: str) -> Session:
    """Return the session of a run in this process."""
    with _lock:
        if run not in _sessions:
            while len(_sessions) >= _MOST:
                _sessions.pop(next(iter(_sessions)))
            _sessions[run] = Session()
        return _sessions[run]


def settings_of(config: Settings) -> dict[str, object]:
    """Return a configuration without credentials and without the ledger of single exports."""
    names = (each.name for each in dataclasses.fields(config) if each.name not in _NOT_FOR_TASKS)
    return {name: getattr(config, name) for name in names} | {"headers": without_values(config.headers)}


def config_of(
    settings: TaskSettings, account: BackfillAccount, environ: Mapping[str, str] | None = None
) -> Settings:
    """Return an account's configuration: its credentials are those of this process's environment.

    Raises ConfigError that names the variable which is not set.
    """
    environ = os.environ if environ is None else environ
    given = dict(zip(_CREDENTIALS, (account.connect_id_env, account.secret_key_env), strict=True))
    for setting, variable in given.items():
        if not environ.get(variable):
            raise ConfigError(
                f"{setting} of the account {account.name}",
                f"the environment variable {variable} is not set",
                "Set it where the backfill runs, and on each machine that works for it",
            )
    make = cast(Callable[..., Settings], Settings)  # which checks each of its settings itself
    own: dict[str, str | None] = {setting: environ[variable] for setting, variable in given.items()}
    own["proxy_credentials"] = environ.get("SOAPCLIENT_PROXY_CREDENTIALS") or None
    table = {each.name: each for each in Settings.settings() if each.name == "headers"}
    theirs = cast("Mapping[str, str]", from_environment(table, environ).get("headers", {}))
    headers = with_values(cast("Mapping[str, str | None]", settings["headers"]), theirs)
    return make(**{**settings, "headers": headers}, **own)


STAGING: Final = "staging"
"""The folder, within a machine's work folder, of files on their way into the dataset."""
_PAUSE: Final = 0.05  # seconds between two looks at whether another has done the same task

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
    settings: TaskSettings
    handle: str
    output: str
    work: Path
    deadline: float
    on_drift: OnDrift = "warn"
    sole: bool = False


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What became of a task: its manifest, or the reason why there is none."""

    kind: Kind
    reason: str = ""
    manifest: Manifest | None = None


_KINDS: Final[tuple[tuple[type[SoapClientError], Kind], ...]] = (  # the first that fits
    (JobUnknown, "unknown job"),  # which may be known to another account: no reason to order again
    (JobExpired, "expired job"),
    (JobFailed, "failed job"),
    (UnverifiedExport, "kept job"),  # to order anew would be to order twice
    (NotThisExport, "other job"),
    (CorruptDownload, "bad file"),
    (DeadlineExceeded, "kept job"),  # slow, or stuck for ever: nobody here can tell
    (ColumnsDiffer, "kept job"),
)


def perform(task: Task) -> Outcome:
    """Do a task. What goes wrong with the partition is its outcome, never an exception."""
    session = session_of(task.run)
    try:
        return Outcome(kind="done", manifest=_performed(task, session))
    except Stopped:
        return Outcome(kind="stopped", reason="the run was stopped")
    except SoapClientError as error:
        kind: Kind = next((kind for type_, kind in _KINDS if isinstance(error, type_)), "error")
        return Outcome(kind=kind, reason=str(error))
    except OSError as error:
        where = "" if error.filename is None else f"{error.filename}: "
        return Outcome(kind="error", reason=f"{where}{error.strerror or error or type(error).__name__}")


def _performed(task: Task, session: Session) -> Manifest:
    partition = task.partition
    client = session.client(task.settings, partition.account)
    if account_of(client.settings.credentials().connect_id) != task.account_id:
        raise ConfigError(
            f"connect_id of the account {partition.account.name}",
            f"{partition.account.connect_id_env} is that of another account than where it was ordered",
            "Set the same one on each machine that works for the backfill",
        )
    staging = task.work / STAGING
    make_folder(staging)
    packed = staging / f"{partition.staged}.csv.gz"
    lock = packed.with_name(f"{packed.name}.lock")

    def wait() -> None:
        session.check()
        SystemClock().sleep(_PAUSE)

    # A cluster that lost sight of a worker gives its task away again, perhaps to one of the same machine.
    with FileLock(lock, wait):
        try:
            return _brought(task, session, client, packed)
        finally:
            with contextlib.suppress(OSError):
                lock.unlink()


def _brought(task: Task, session: Session, client: Client, packed: Path) -> Manifest:
    """Download a partition's export, and put it into the dataset. For whoever holds the lock on it."""
    partition = task.partition
    store = open_store(task.output, task.run)
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
        store.put(data, f"{partition.folder}/{manifest.file}")  # where nobody sees it yet
        if not task.sole:
            enter(store, manifest, partition.folder)
    finally:
        # Whole files are not kept for another try: what is wrong with one is for the service to mend.
        for left in (packed, *_beside(packed), mark_path(packed)):
            with contextlib.suppress(OSError):
                left.unlink(missing_ok=True)
    return manifest


def _beside(packed: Path) -> tuple[Path, Path]:
    """What may lie beside a file on its way: it as Parquet, and its copy."""
    return packed.with_suffix(".parquet"), packed.with_name(f"{packed.name}.copy")


def _converted(task: Task, file: ExportFile, packed: Path) -> tuple[Path, Manifest]:
    """The file that goes into the dataset, and its manifest. Its name is its content's."""
    partition = task.partition
    data, copy = _beside(packed)
    if partition.format == "parquet":
        written = file.to_parquet(data)
        size, sha256 = written.size, written.sha256
    else:
        # Once more, to be moved into the dataset: the first stays until the manifest is written.
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
        job_id=ExportHandle.from_json(task.handle).job_id,
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
