"""The partitions of a backfill's dataset, and the manifests that describe their data.

A partition holds one report of one account for a range of days. It is complete if it has a manifest.

The data of a partition is written first, then its manifest. Files without a manifest are not part of the
dataset.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Final, Literal

import msgspec

from soapclient._support.durable import indented_json, read_json
from soapclient.errors import ResponseError
from soapclient.runtime.settings import Column, Settings
from soapclient.tracking.backfill.plan import BackfillAccount, BackfillFormat, Plan, request_of
from soapclient.tracking.backfill.store import Store, open_store
from soapclient.tracking.exports.formats.columns import expected_columns, typed_columns
from soapclient.tracking.exports.handle import JobId, sha256_of
from zxws.data.service import PACKAGE


@dataclass(frozen=True, slots=True)
class Partition:
    """A part of the dataset: one export, for the days from `first` to `last`, both included.

    `request` has the arguments with which the export is ordered, as JSON values. `types` has the column
    types that the plan sets (`BackfillReport.types`).
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
        """The partition's path below the dataset's root, such as `account=main/report=sale/date=2026-11-01`.

        The date is the partition's first day. Hive and other readers know this form of paths.
        """
        return f"account={self.account.name}/report={self.report}/date={self.first}"

    @property
    def request_sha256(self) -> str:
        """The SHA-256 of the request, as in `ExportHandle.request_sha256`."""
        return sha256_of(self.request)

    @property
    def staged(self) -> str:
        """Base name of the partition's files while they are downloaded and converted.

        The name stays the same after a crash, so that a download resumes.
        """
        return f"{self.account.name}_{self.report}_{self.first}_{self.request_sha256[:16]}"

    def overlaps(self, first: dt.date, last: dt.date) -> bool:
        """Return True if the partition and a range of days have days in common."""
        return self.first <= last and first <= self.last


def partitions(plan: Plan) -> Iterator[Partition]:
    """Yield every partition of a plan: for each account and each report, a partition for each window of days.

    The last window ends with the plan, even if it has fewer days.
    """
    for account in plan.accounts:
        for report in plan.reports:
            for first, last in windows(plan.first, plan.last, plan.days):
                request = request_of(report.type, first, last, report.options)
                types = typed_columns(report.types)
                yield Partition(account, report.name, report.type, first, last, plan.format, request, types)


def windows(first: dt.date, last: dt.date, days: int) -> Iterator[tuple[dt.date, dt.date]]:
    """Split the days from `first` to `last`, both included, into windows of `days` days.

    Yield the first and the last day of each window. The last window may be shorter.
    """
    for start in range(first.toordinal(), last.toordinal() + 1, days):
        end = min(start + days - 1, last.toordinal())
        yield dt.date.fromordinal(start), dt.date.fromordinal(end)


NAME: Final = "_manifest.json"  # Hive readers ignore names that begin with an underscore
FORMAT: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """Description of a partition's data, in a JSON file next to the data.

    `size` (in bytes) and `sha256` describe `file`, which is in the same folder. `account_id` is a short hash
    of the connect ID of the account (`ledger.account_of`). `source_sha256` is the hash of the gzip CSV file
    from which `file` was made. `contract_sha256` is a hash of the contract and of the types of the columns.
    The data covers the days from `first` to `last`, both included.
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
        """Return the manifest as JSON. Equal manifests give equal bytes."""
        values: dict[str, object] = {item.name: getattr(self, item.name) for item in fields(self)}
        values |= {"first": str(self.first), "last": str(self.last), "version": FORMAT}
        values["request"] = dict(sorted(self.request.items()))
        return indented_json(dict(sorted(values.items()))).encode("ascii")

    @classmethod
    def from_json(cls, text: bytes, path: str) -> Manifest:
        """Parse the result of `to_json`. Raises ResponseError if the manifest at `path` is invalid."""
        try:
            values = read_json(text)
        except (ValueError, RecursionError):
            raise ResponseError(path, text[:80], "a manifest in JSON") from None
        if not isinstance(values, dict) or values.get("version") != FORMAT:
            raise ResponseError(path, text[:80], f"a manifest of version {FORMAT}")
        try:
            manifest = msgspec.convert(values, cls)
        except msgspec.ValidationError as error:
            allowed = f"a valid manifest ({error}). Run the backfill again to replace the partition"
            raise ResponseError(path, text[:80], allowed) from None
        if "/" in manifest.file or "\0" in manifest.file or manifest.file in ("", ".", ".."):
            raise ResponseError(f"{path}: file", manifest.file, "the name of a file in the manifest's folder")
        return manifest

    def stale(self, partition: Partition, account_id: str | None = None) -> str | None:
        """Return why the manifest does not match `partition`, a partition of the plan. None if it matches.

        `account_id` is the id of the account to which the plan's label refers now. If it is passed, the
        manifest must have the same id, because the label may have been reassigned to another account.
        """
        if account_id not in (None, self.account_id):
            return "the plan now uses its account label for another account"
        if self.format != partition.format:
            return f"the plan's format is {partition.format}, but the partition has {self.format}"
        if self.request_sha256 != partition.request_sha256:
            return "the order in the plan has changed"
        # A gzip CSV file is stored unchanged, so it does not depend on the contract's columns.
        if self.format != "csv.gz" and self.contract_sha256 != contract_sha256(partition):
            return "the contract has changed since the partition was written"
        return None


def contract_sha256(partition: Partition, tables: Settings = PACKAGE.settings) -> str:
    """Return a hash of the contract's WSDL and of the types that the client uses for the columns.

    `tables` are the settings of the contract's package.
    """
    expected = expected_columns(tables, partition.report_type, partition.request)
    types = {column.name: column.type for column in (*expected.columns, *partition.types)}
    columns = [[name, kind] for name, kind in types.items()]
    content = json.dumps([tables.name, tables.version, tables.sha256, columns])
    return hashlib.sha256(content.encode("ascii")).hexdigest()


def dataset_files(url: str | os.PathLike[str]) -> list[str]:
    """Return the sorted paths or URLs of all files of a dataset. `url` is its folder or fsspec URL.

    Each complete partition has one file. Leftovers of killed processes are not included. Pass the list to a
    reader (`duckdb.read_parquet(files, hive_partitioning=True)`). Raises ResponseError if a manifest is
    invalid, ConfigError if fsspec is missing or cannot open the URL, OSError if the storage fails.

    >>> import datetime as dt
    >>> from pathlib import Path
    >>> from soapclient.tracking.backfill import BackfillAccount, BackfillReport, Plan, backfill
    >>> from soapclient.tracking.backfill import dataset_files
    >>> plan = Plan(
    ...     accounts=(BackfillAccount(name="main"),),
    ...     reports=(BackfillReport(type="sale"),),
    ...     first=dt.date(2026, 11, 1),
    ...     last=dt.date(2026, 11, 2),
    ...     output="dataset",
    ...     work=Path("work"),
    ... )
    >>> summary = backfill(plan)
    >>> len(dataset_files("dataset"))
    2
    """
    store = open_store(os.fspath(url))
    by_folder = manifests(store, list(store.files()))
    return sorted(store.address(f"{folder}/{manifest.file}") for folder, manifest in by_folder.items())


def manifests(store: Store, paths: list[str], broken: dict[str, str] | None = None) -> dict[str, Manifest]:
    """Read the manifests among `paths`, and return them by folder.

    Unreadable manifests are added to the dict `broken` (folder → reason). If `broken` is None, the first
    unreadable manifest raises ResponseError.
    """
    by_folder = {}
    names = [path for path in paths if path.rpartition("/")[2] == NAME]
    for path, content in store.read(names).items():
        folder = path.rpartition("/")[0]
        try:
            by_folder[folder] = Manifest.from_json(content, path)
        except ResponseError as error:
            if broken is None:
                raise
            broken[folder] = str(error)
    return by_folder


def add_partition(store: Store, manifest: Manifest, folder: str) -> None:
    """Complete a partition: write its manifest to the folder that already has its data.

    Older files in the folder are removed.
    """
    store.write(manifest.to_json(), f"{folder}/{NAME}")
    # Remove leftovers of killed processes and earlier data, for readers that ignore manifests.
    for path in store.in_folder(folder):
        if path.rpartition("/")[2] not in (NAME, manifest.file):
            store.remove(path)


def remove_partition(store: Store, folder: str, manifest: Manifest, *, data: bool) -> None:
    """Remove a partition's manifest and, if `data` is True, its file.

    Pass `data=False` if new data will be written to the same folder.
    """
    store.remove(f"{folder}/{NAME}")
    if data:
        store.remove(f"{folder}/{manifest.file}")


@dataclass(frozen=True)
class Todo:
    """A partition to order, and the reason for the order.

    `replaces` are existing partitions that share days with this partition, but have another first or last
    day, as pairs (folder, manifest). They are removed when this partition is complete.
    """

    partition: Partition
    reason: str
    replaces: tuple[tuple[str, Manifest], ...] = ()


@dataclass
class Status:
    """The result of comparing a plan with its dataset: complete partitions, and partitions to order.

    `files` maps the paths of the dataset's files to their sizes in bytes. `present` maps folders to their
    manifests, `broken` maps folders to the reasons why their manifests cannot be read.
    """

    complete: list[Partition] = field(default_factory=list)
    todo: list[Todo] = field(default_factory=list)
    files: Mapping[str, int] = field(default_factory=dict)
    present: dict[str, Manifest] = field(default_factory=dict)
    broken: dict[str, str] = field(default_factory=dict)


def status_of(
    plan: Plan, store: Store, account_ids: Mapping[str, str] | None = None, *, recheck: bool = False
) -> Status:
    """Compare a plan with its dataset, and return which partitions are complete and which must be ordered.

    With `recheck`, files are read again to check their hashes; otherwise only their sizes are checked.
    `account_ids` maps the labels of accounts to the account ids that manifests must have. Raises
    ConfigError if an existing partition has some days in the plan and other days outside it, because
    replacing the partition would lose the days outside.
    """
    files = store.files()
    result = Status(files=files)
    result.present |= manifests(store, list(files), result.broken)
    groups: dict[tuple[str, str], list[tuple[str, Manifest]]] = defaultdict(list)
    for folder, manifest in result.present.items():
        groups[manifest.account, manifest.report].append((folder, manifest))
    for partition in partitions(plan):
        overlapping = _overlapping(plan, partition, groups[partition.account.name, partition.report])
        existing = result.present.get(partition.folder)
        reason: str | None
        if existing is None:
            reason = result.broken.get(partition.folder, "it does not exist yet")
        else:
            account_id = (account_ids or {}).get(partition.account.name)
            reason = existing.stale(partition, account_id) or size_problem(files, partition.folder, existing)
            if reason is None and recheck:
                reason = content_problem(store, partition.folder, existing)
        if reason is None and overlapping:
            reason = f"{overlapping[0][0]} also includes some of its days"
        if reason is None:
            result.complete.append(partition)
        else:
            result.todo.append(Todo(partition, reason, overlapping))
    return result


def size_problem(files: Mapping[str, int], folder: str, manifest: Manifest) -> str | None:
    """Return a text that describes the problem if a partition's file is missing or has the wrong size.

    Returns None if there is no such problem. `files` maps the paths of the dataset's files to their sizes in
    bytes.
    """
    size = files.get(f"{folder}/{manifest.file}")
    if size is None:
        return f"its file {manifest.file} is missing"
    if size != manifest.size:
        return f"its file {manifest.file} has {size} bytes, but its manifest has {manifest.size}"
    return None


def content_problem(store: Store, folder: str, manifest: Manifest) -> str | None:
    """Return a text that describes the problem if a partition's file is missing or has the wrong hash.

    Returns None if there is no such problem.
    """
    try:
        with store.open(f"{folder}/{manifest.file}") as file:
            # Not hashlib.file_digest: some fsspec file systems return file objects that it does not support.
            digest = hashlib.sha256()
            while block := file.read(1 << 20):
                digest.update(block)
    except FileNotFoundError:
        return f"its file {manifest.file} is missing"
    if digest.hexdigest() != manifest.sha256:
        return f"its file {manifest.file} has changed: its SHA-256 differs from the manifest"
    return None


def _overlapping(
    plan: Plan, partition: Partition, group: list[tuple[str, Manifest]]
) -> tuple[tuple[str, Manifest], ...]:
    """Return the partitions in `group` that share days with `partition`, but have another first or last day.

    `group` and the result consist of pairs (folder, manifest). Raises ConfigError if such a partition
    includes days outside the plan, because replacing it would lose these days.
    """
    window = (partition.first, partition.last)
    overlapping = []
    for folder, manifest in group:
        if (manifest.first, manifest.last) == window or not partition.overlaps(manifest.first, manifest.last):
            continue
        if manifest.first < plan.first or manifest.last > plan.last:
            raise plan.wrong(
                "from",
                f"begins a range of days that includes only some days of the partition {folder} "
                f"({manifest.first} to {manifest.last})",
                "all or none of these days, or another output",
            )
        overlapping.append((folder, manifest))
    return tuple(overlapping)


ProblemKind = Literal["missing", "stale", "damaged"]


@dataclass(frozen=True)
class BackfillProblem:
    """A problem with one partition. `partition` is its folder below the dataset's root.

    `kind` is "missing" (the partition is not in the dataset), "stale" (it does not match the plan) or
    "damaged". `reason` is a text for the user.

    >>> import datetime as dt
    >>> from pathlib import Path
    >>> from soapclient.tracking.backfill import BackfillAccount, BackfillReport, Plan, backfill, verify
    >>> plan = Plan(
    ...     accounts=(BackfillAccount(name="main"),),
    ...     reports=(BackfillReport(type="sale"),),
    ...     first=dt.date(2026, 11, 1),
    ...     last=dt.date(2026, 11, 2),
    ...     output="dataset",
    ...     work=Path("work"),
    ... )
    >>> summary = backfill(plan)
    >>> for problem in verify(plan).problems:
    ...     print(problem.partition, problem.kind, problem.reason)
    """

    partition: str
    kind: ProblemKind
    reason: str


@dataclass(frozen=True)
class Verification:
    """Result of checking a dataset with `verify`.

    `whole` is the number of partitions without problems, and `rows` the number of rows in these partitions.
    `problems` has the problems that were found.

    >>> import datetime as dt
    >>> from pathlib import Path
    >>> from soapclient.tracking.backfill import BackfillAccount, BackfillReport, Plan, backfill, verify
    >>> plan = Plan(
    ...     accounts=(BackfillAccount(name="main"),),
    ...     reports=(BackfillReport(type="sale"),),
    ...     first=dt.date(2026, 11, 1),
    ...     last=dt.date(2026, 11, 2),
    ...     output="dataset",
    ...     work=Path("work"),
    ... )
    >>> summary = backfill(plan)
    >>> verification = verify(plan)
    >>> verification.whole, verification.rows > 0
    (2, True)
    """

    whole: int
    rows: int
    problems: tuple[BackfillProblem, ...]

    @property
    def exit_code(self) -> int:
        """0 if there is no problem, otherwise 1."""
        return 1 if self.problems else 0

    def to_dict(self) -> dict[str, object]:
        """Return the result as JSON values."""
        return asdict(self)


def verify(plan: Plan, on_progress: Callable[[int, int], None] | None = None) -> Verification:
    """Check a dataset: compare each file with its manifest, and each manifest with the plan.

    All files are read again. Partitions that are not in the plan are checked only for damage. `on_progress`
    is called with the number of checked manifests and the number of all manifests. Raises ConfigError if the
    dataset cannot be opened or has partitions that are only partly in the plan, and OSError if the storage
    fails.

    >>> import datetime as dt
    >>> from pathlib import Path
    >>> from soapclient.tracking.backfill import BackfillAccount, BackfillReport, Plan, backfill, verify
    >>> plan = Plan(
    ...     accounts=(BackfillAccount(name="main"),),
    ...     reports=(BackfillReport(type="sale"),),
    ...     first=dt.date(2026, 11, 1),
    ...     last=dt.date(2026, 11, 2),
    ...     output="dataset",
    ...     work=Path("work"),
    ... )
    >>> summary = backfill(plan)
    >>> verify(plan).problems
    ()
    """
    store = open_store(plan.output)
    status = status_of(plan, store)
    present = status.present
    problems = {
        folder: BackfillProblem(folder, "damaged", reason) for folder, reason in status.broken.items()
    }
    for done, (folder, manifest) in enumerate(sorted(present.items()), start=1):
        wrong = size_problem(status.files, folder, manifest) or content_problem(store, folder, manifest)
        if wrong is not None:
            problems[folder] = BackfillProblem(folder, "damaged", wrong)
        if on_progress is not None:
            on_progress(done, len(present))
    for todo in status.todo:
        folder = todo.partition.folder
        problems.setdefault(
            folder, BackfillProblem(folder, "stale" if folder in present else "missing", todo.reason)
        )
    verified = [item.folder for item in status.complete if item.folder not in problems]
    rows = sum(present[folder].rows for folder in verified)
    return Verification(len(verified), rows, tuple(problems[folder] for folder in sorted(problems)))
