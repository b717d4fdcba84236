"""What a backfill did, and how it comes along."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Failed:
    """A partition that is not complete, and why. `partition` is its folder below the dataset's root."""

    partition: str
    reason: str


@dataclass(frozen=True)
class Progress:
    """How far a backfill is: partitions of the plan, those found complete, brought since, failed.

    `rows` are those brought since; `partition` is the one that was finished last, None at the beginning.
    """

    total: int
    complete: int
    done: int
    failed: int
    rows: int
    partition: str | None = None

    @property
    def finished(self) -> int:
        """How many partitions nothing is left to do for in this run."""
        return self.complete + self.done + self.failed


@dataclass(frozen=True)
class Summary:
    """What a backfill did. `skipped` were complete before, `stale` of the `done` had an older content.

    `rows` and `size` (in bytes) are those of what was brought.
    """

    partitions: int
    skipped: int
    done: int
    stale: int
    rows: int
    size: int
    failed: tuple[Failed, ...]

    @property
    def exit_code(self) -> int:
        """0 if the dataset is complete, else 1."""
        return 1 if self.failed else 0

    def to_dict(self) -> dict[str, object]:
        """Return it as JSON values."""
        return {**asdict(self), "failed": [asdict(one) for one in self.failed]}
