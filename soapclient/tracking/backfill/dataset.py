"""Partitions of a plan and their manifests: where a manifest lies, its partition is complete.

A partition becomes part of the dataset by its data first, then its manifest. Files without one are not part
of it.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Final, Literal

import msgspec

from soapclient._support.durable import read_json
from soapclient.errors import ResponseError
from soapclient.runtime.settings import Column, Settings
from soapclient.tracking.backfill.plan import BackfillAccount, BackfillFormat, Plan, request_of
from soapclient.tracking.backfill.store import Store, open_store
from soapclient.tracking.exports.formats.columns import expected_columns, typed_columns
from soapclient.tracking.exports.handle import JobId, sha256_of
from zxws.data.service import PACKAGE


@dataclass(frozen=True, slots=True)
class Partition:
    """One export of the dataset. `request` is its order, canonical; `first` and `last` are its days.

    `types` are those of columns that are not as the contract has them.
    """

    account: BackfillAccount
    report: str
    report_type: str
    first: dt.date
    last: dt.date
    format: BackfillFormat
    request: Mapping[str, JobId] = field(hash=False)
    types: tuple[Column, ...] = ()

    @property
    def folder(self) -> str:
        """Where it lies below the dataset's root, as Hive writes it; the date is its first day."""
        return f"account={self.account.name}/report={self.report}/date={self.first}"

    @property
    def request_sha256(self) -> str:
        """The hash of the order, as handles have it."""
        return sha256_of(self.request)

    @property
    def staged(self) -> str:
        """What its files are called on their way: the same after a crash, so that a download goes on."""
        return f"{self.account.name}_{self.report}_{self.first}_{self.request_sha256[:16]}"

    def overlaps(self, first: dt.date, last: dt.date) -> bool:
        """Tell whether it has days in common with these."""
        return self.first <= last and first <= self.last


def partitions(plan: Plan) -> Iterator[Partition]:
    """Give every partition of a plan once: accounts, in them reports, in them windows from the first day on.

    The last window ends with the plan, however few days it then has.
    """
    for account in plan.accounts:
        for report in plan.reports:
            for first, last in windows(plan.first, plan.last, plan.days):
                request = request_of(report.type, first, last, report.options)
                types = typed_columns(report.types)
                yield Partition(account, report.name, report.type, first, last, plan.format, request, types)


def windows(first: dt.date, last: dt.date, days: int) -> Iterator[tuple[dt.date, dt.date]]:
    """Cut a range of days into windows of that many days; first and last days are included."""
    for start in range(first.toordinal(), last.toordinal() + 1, days):
        end = min(start + days - 1, last.toordinal())
        yield dt.date.fromordinal(start), dt.date.fromordinal(end)


NAME: Final = "_manifest.json"  # the underscore keeps Hive readers away from it
FORMAT: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What a partition holds. `size` (in bytes) and `sha256` are those of `file`, in the same folder.

    `account_id` is a short hash of the connect ID behind the account's label (`ledger.account_of`);
    `source_sha256` is that of the gzip CSV it was made from, `contract_sha256` that of what the client knew
    of the report's contract. `first` and `last` are the days, both included.
    """

    account: str
    account_id: str
    report: str
    report_type: str
    first: dt.date
    last: dt.date
    format: str
    request: Mapping[str, JobId]
    request_sha256: str
    job_id: JobId
    contract_sha256: str
    file: str
    rows: int
    size: int
    sha256: str
    source_sha256: str

    def to_json(self) -> bytes:
        """Return the manifest as it is written: JSON, the same bytes for the same content."""
        values = {**asdict(self), "first": str(self.first), "last": str(self.last), "version": FORMAT}
        return (json.dumps(values, indent=1, sort_keys=True) + "\n").encode("ascii")

    @classmethod
    def from_json(cls, text: bytes, path: str) -> Manifest:
        """Read what `to_json` wrote. Raises ResponseError that says what is wrong with the one at `path`."""
        try:
            values = read_json(text)
        except (ValueError, RecursionError):
            raise ResponseError(path, text[:80], "the JSON of a manifest") from None
        if not isinstance(values, dict) or values.get("version") != FORMAT:
            raise ResponseError(path, text[:80], f"a manifest of version {FORMAT}")
        try:
            manifest = msgspec.convert(values, cls)
        except msgspec.ValidationError as error:
            raise ResponseError(path, str(error), "the keys and values of a manifest") from None
        if "/" in manifest.file or "\0" in manifest.file or manifest.file in ("", ".", ".."):
            raise ResponseError(f"{path}: file", manifest.file, "the name of a file in its folder")
        return manifest

    def stale(self, partition: Partition, account_id: str | None = None) -> str | None:
        """Return why the plan's partition is not this one any more; None if it is.

        Whether the label still stands for the same account is known by `account_id`, if that is given.
        """
        if account_id not in (None, self.account_id):
            return "its label stands for another account by now"
        if self.format != partition.format:
            return f"the plan's format is {partition.format}, it is {self.format}"
        if self.request_sha256 != partition.request_sha256:
            return "the plan asks for something else by now"
        # A gzip CSV lies there as it came: what is known of its columns makes no difference to it.
        if self.format != "csv.gz" and self.contract_sha256 != contract_sha256(partition):
            return "the contract has changed since"
        return None


def contract_sha256(partition: Partition, tables: Settings = PACKAGE.settings) -> str:
    """Hash what the client knows of a partition's contract: the WSDL, and the types of the columns."""
    expected = expected_columns(tables, partition.report_type, partition.request)
    types = {column.name: column.type for column in (*expected.columns, *partition.types)}
    columns = [[name, kind] for name, kind in types.items()]
    known = json.dumps([tables.name, tables.version, tables.sha256, columns])
    return hashlib.sha256(known.encode("ascii")).hexdigest()


def dataset_files(url: str | os.PathLike[str]) -> list[str]:
    """Return the paths or URLs of the files that make up the dataset at a folder or fsspec URL, sorted.

    Each complete partition has one; what killed processes left behind is not among them. Give them to a
    reader (`duckdb.read_parquet(files, hive_partitioning=True)`). Raises ResponseError for a manifest that
    cannot be read, ConfigError, OSError.
    """
    store = open_store(os.fspath(url))
    found = manifests(store, list(store.files()))
    return sorted(store.address(f"{folder}/{manifest.file}") for folder, manifest in found.items())


def manifests(store: Store, paths: list[str], broken: dict[str, str] | None = None) -> dict[str, Manifest]:
    """Return folder → manifest of those among `paths`.

    One that cannot be read goes into `broken`, with the reason, or raises ResponseError where that is None.
    """
    found = {}
    names = [path for path in paths if path.rpartition("/")[2] == NAME]
    for path, content in store.read(names).items():
        folder = path.rpartition("/")[0]
        try:
            found[folder] = Manifest.from_json(content, path)
        except ResponseError as error:
            if broken is None:
                raise
            broken[folder] = str(error)
    return found


def enter(store: Store, manifest: Manifest, folder: str) -> None:
    """Make data that lie in their place part of the dataset, and remove what lay there before."""
    store.write(manifest.to_json(), f"{folder}/{NAME}")
    # What a killed process or an earlier content left is removed, for readers that look at no manifest.
    for path in store.in_folder(folder):
        if path.rpartition("/")[2] not in (NAME, manifest.file):
            store.remove(path)


def withdraw(store: Store, folder: str, manifest: Manifest, *, data: bool) -> None:
    """Take a partition out of the dataset, with its `data` unless another is to lie in its folder."""
    store.remove(f"{folder}/{NAME}")
    if data:
        store.remove(f"{folder}/{manifest.file}")


@dataclass(frozen=True)
class Todo:
    """A partition to ask for, and why.

    `over` are partitions of other windows that hold some of its days, with their folders: it replaces them.
    """

    partition: Partition
    why: str
    over: tuple[tuple[str, Manifest], ...] = ()


@dataclass
class Status:
    """What is complete and what is to be done; the dataset's `files` with their sizes, and by folder its
    manifests and why others are `broken`."""

    complete: list[Partition] = field(default_factory=list)
    todo: list[Todo] = field(default_factory=list)
    files: Mapping[str, int] = field(default_factory=dict)
    present: dict[str, Manifest] = field(default_factory=dict)
    broken: dict[str, str] = field(default_factory=dict)


def status_of(
    plan: Plan, store: Store, account_ids: Mapping[str, str] | None = None, *, recheck: bool = False
) -> Status:
    """Compare a plan with its dataset. `recheck` reads all files again, else their sizes have to do.

    `account_ids` say which account a label stands for, where that is known. Raises ConfigError where a
    partition of another plan holds days both within and beyond this one's: replacing it would lose some.
    """
    files = store.files()
    result = Status(files=files)
    result.present |= manifests(store, list(files), result.broken)
    groups: dict[tuple[str, str], list[tuple[str, Manifest]]] = defaultdict(list)
    for folder, manifest in result.present.items():
        groups[manifest.account, manifest.report].append((folder, manifest))
    for partition in partitions(plan):
        over = _others(plan, partition, groups[partition.account.name, partition.report])
        here = result.present.get(partition.folder)
        why: str | None
        if here is None:
            why = result.broken.get(partition.folder, "it is not there yet")
        else:
            account_id = (account_ids or {}).get(partition.account.name)
            why = here.stale(partition, account_id) or lacking(files, partition.folder, here)
            if why is None and recheck:
                why = damage(store, partition.folder, here)
        if why is None and over:
            why = f"{over[0][0]} holds some of its days as well"
        if why is None:
            result.complete.append(partition)
        else:
            result.todo.append(Todo(partition, why, over))
    return result


def lacking(files: Mapping[str, int], folder: str, manifest: Manifest) -> str | None:
    """Return what is wrong with a partition's file by its name and size."""
    size = files.get(f"{folder}/{manifest.file}")
    if size is None:
        return f"its file {manifest.file} is not there"
    if size != manifest.size:
        return f"its file {manifest.file} has {size} bytes, its manifest says {manifest.size}"
    return None


def damage(store: Store, folder: str, manifest: Manifest) -> str | None:
    """Return what is wrong with a partition's file by its content."""
    try:
        with store.open(f"{folder}/{manifest.file}") as file:
            # In blocks by hand: not every file system gives a file that hashlib.file_digest takes.
            digest = hashlib.sha256()
            while block := file.read(1 << 20):
                digest.update(block)
    except FileNotFoundError:
        return f"its file {manifest.file} is not there"
    if digest.hexdigest() != manifest.sha256:
        return f"its file {manifest.file} is not the one that was written: its SHA-256 is another"
    return None


def _others(
    plan: Plan, partition: Partition, group: list[tuple[str, Manifest]]
) -> tuple[tuple[str, Manifest], ...]:
    """What of other windows holds days of a partition."""
    window = (partition.first, partition.last)
    over = []
    for folder, manifest in group:
        if (manifest.first, manifest.last) == window or not partition.overlaps(manifest.first, manifest.last):
            continue
        if manifest.first < plan.first or manifest.last > plan.last:
            raise plan.wrong(
                "from",
                f"cuts {folder}, which holds {manifest.first} to {manifest.last} and would be replaced",
                "days that hold all of it or none, or another output",
            )
        over.append((folder, manifest))
    return tuple(over)


ProblemKind = Literal["missing", "stale", "damaged"]


@dataclass(frozen=True)
class BackfillProblem:
    """What is wrong with one partition. `partition` is its folder below the dataset's root."""

    partition: str
    kind: ProblemKind
    reason: str


@dataclass(frozen=True)
class Verification:
    """What was found: how many partitions are whole and wanted, their rows, and what is wrong with others."""

    whole: int
    rows: int
    problems: tuple[BackfillProblem, ...]

    @property
    def exit_code(self) -> int:
        """0 if nothing is wrong, else 1."""
        return 1 if self.problems else 0

    def to_dict(self) -> dict[str, object]:
        """Return it as JSON values."""
        return asdict(self)


def verify(plan: Plan, on_progress: Callable[[int, int], None] | None = None) -> Verification:
    """Read every file of the dataset again and compare it with its manifest, and the manifests with the plan.

    Partitions that the plan does not name are checked for damage alone. `on_progress` gets how many manifests
    are done, and how many there are. Raises ConfigError, OSError.
    """
    store = open_store(plan.output)
    status = status_of(plan, store)
    found = status.present
    problems = {
        folder: BackfillProblem(folder, "damaged", reason) for folder, reason in status.broken.items()
    }
    for done, (folder, manifest) in enumerate(sorted(found.items()), start=1):
        wrong = lacking(status.files, folder, manifest) or damage(store, folder, manifest)
        if wrong is not None:
            problems[folder] = BackfillProblem(folder, "damaged", wrong)
        if on_progress is not None:
            on_progress(done, len(found))
    for todo in status.todo:
        folder = todo.partition.folder
        problems.setdefault(
            folder, BackfillProblem(folder, "stale" if folder in found else "missing", todo.why)
        )
    wanted = [one.folder for one in status.complete if one.folder not in problems]
    rows = sum(found[folder].rows for folder in wanted)
    return Verification(len(wanted), rows, tuple(problems[folder] for folder in sorted(problems)))
