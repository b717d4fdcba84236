"""How a file's columns differ from those the contract names."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from soapclient.errors import ExportError

log = logging.getLogger(__name__)

OnDrift = Literal["report", "error"]
"""What to do with a file of other columns: log it and go on, or refuse the file with ColumnsDiffer."""


@dataclass(frozen=True, slots=True)
class ColumnDrift:
    """How a file's columns differ from the contract's; they are found by name, so order does no harm."""

    report_type: str
    missing: tuple[str, ...]
    added: tuple[str, ...]
    reordered: bool


class ColumnsDiffer(ExportError):
    """A file has other columns than the contract names, and the caller wants none such; see `drift`."""

    def __init__(self, path: str, drift: ColumnDrift) -> None:
        self.path = path
        self.drift = drift
        said = [
            f"{what}: {', '.join(map(repr, names))}"
            for what, names in (("missing", drift.missing), ("added", drift.added))
            if names
        ]
        if drift.reordered:
            said.append("in another order")
        super().__init__(
            f"{path}: not the columns of the contract for {drift.report_type} ({'; '.join(said)}). Allow it "
            'with on_drift="report", or order the export with the columns of the contract.'
        )


def drift_between(report_type: str, names: tuple[str, ...], columns: tuple[str, ...]) -> ColumnDrift | None:
    """Compare the contract's `names` with a file's `columns`; None if they agree, or there are no names."""
    if not names or names == columns:
        return None
    missing = tuple(name for name in names if name not in columns)
    added = tuple(name for name in columns if name not in names)
    shared = [name for name in columns if name in names]
    return ColumnDrift(report_type, missing, added, shared != [name for name in names if name in shared])


def tell(
    path: str, drift: ColumnDrift | None, on_drift: OnDrift | Callable[[ColumnDrift], None] | None
) -> None:
    """Log a drift, if there is one, and call `on_drift` with it. Raises ColumnsDiffer for "error"."""
    if on_drift not in ("report", "error", None) and not callable(on_drift):
        raise ValueError(f'on_drift is {on_drift!r}, allowed: "report", "error", a function or None')
    if drift is None:
        return
    if on_drift == "error":
        raise ColumnsDiffer(path, drift)
    log.warning("%s: not the columns of the contract: %s", path, drift)
    if callable(on_drift):
        on_drift(drift)
