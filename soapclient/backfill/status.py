"""What of a plan is complete in its dataset, what is pending, stale or damaged. Sends nothing."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Literal

from soapclient.backfill.dataset import Manifest, Partition, manifests, partitions
from soapclient.backfill.plan import Plan
from soapclient.backfill.store import Store, open_store

_NOT_THERE = "it is not there yet"


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
    """What is complete, what is to be done, and the dataset's manifests by folder."""

    complete: list[Partition] = field(default_factory=list)
    todo: list[Todo] = field(default_factory=list)
    present: dict[str, Manifest] = field(default_factory=dict)


def survey(
    plan: Plan, store: Store, account_ids: Mapping[str, str] | None = None, *, recheck: bool = False
) -> Status:
    """Compare a plan with its dataset. `recheck` reads all files again, else their sizes have to do.

    `account_ids` say which account a label stands for, where that is known. Raises ConfigError where a
    partition of another plan holds days both within and beyond this one's: replacing it would lose some.
    """
    files = store.files()
    broken: dict[str, str] = {}
    result = Status(present=manifests(store, list(files), broken))
    groups: dict[tuple[str, str], list[tuple[str, Manifest]]] = defaultdict(list)
    for folder, manifest in result.present.items():
        groups[manifest.account, manifest.report].append((folder, manifest))
    for partition in partitions(plan):
        over = _others(plan, partition, groups[partition.account.name, partition.report])
        why = broken.get(partition.folder) or _why(
            partition, result.present.get(partition.folder), files, account_ids or {}
        )
        if why is None and recheck:
            why = damage(store, partition.folder, result.present[partition.folder])
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


def _why(
    partition: Partition, manifest: Manifest | None, files: Mapping[str, int], account_ids: Mapping[str, str]
) -> str | None:
    if manifest is None:
        return _NOT_THERE
    stale = manifest.stale(partition, account_ids.get(partition.account.name))
    return stale or lacking(files, partition.folder, manifest)


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
class Problem:
    """What is wrong with one partition. `partition` is its folder below the dataset's root."""

    partition: str
    kind: ProblemKind
    reason: str


@dataclass(frozen=True)
class Verification:
    """What was found: how many partitions are whole and wanted, their rows, and what is wrong with others."""

    whole: int
    rows: int
    problems: tuple[Problem, ...]

    @property
    def exit_code(self) -> int:
        """0 if nothing is wrong, else 1."""
        return 1 if self.problems else 0

    def to_dict(self) -> dict[str, object]:
        """Return it as JSON values."""
        return {**asdict(self), "problems": [asdict(one) for one in self.problems]}


def verify(plan: Plan, on_progress: Callable[[int, int], None] | None = None) -> Verification:
    """Read every file of the dataset again and compare it with its manifest, and the manifests with the plan.

    Partitions that the plan does not name are checked for damage alone. `on_progress` gets how many manifests
    are done, and how many there are. Raises ConfigError, OSError.
    """
    store = open_store(plan.output)
    files = store.files()
    broken: dict[str, str] = {}
    found = manifests(store, list(files), broken)
    problems = {folder: Problem(folder, "damaged", reason) for folder, reason in broken.items()}
    for done, (folder, manifest) in enumerate(sorted(found.items()), start=1):
        wrong = lacking(files, folder, manifest) or damage(store, folder, manifest)
        if wrong is not None:
            problems[folder] = Problem(folder, "damaged", wrong)
        if on_progress is not None:
            on_progress(done, len(found))
    for todo in survey(plan, store).todo:
        folder = todo.partition.folder
        problems.setdefault(folder, Problem(folder, "stale" if folder in found else "missing", todo.why))
    wanted = [one.folder for one in partitions(plan) if one.folder in found and one.folder not in problems]
    rows = sum(found[folder].rows for folder in wanted)
    return Verification(len(wanted), rows, tuple(problems[folder] for folder in sorted(problems)))
