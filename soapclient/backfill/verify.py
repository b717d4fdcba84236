"""Does the dataset hold what its manifests say, and what the plan wants? Sends nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Literal

from soapclient.backfill.dataset import manifests
from soapclient.backfill.partitions import partitions
from soapclient.backfill.plan import Plan
from soapclient.backfill.store import open_store
from soapclient.backfill.survey import damage, lacking, survey

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
