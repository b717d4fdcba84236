"""Which operations may be repeated without harm: those `operations.safe` names, no others."""

from __future__ import annotations

from bindgen.model import Contract
from bindgen.passes.walk import refuse


def run(contract: Contract) -> None:
    """Mark the safe operations."""
    safe = set(contract.settings.texts("operations", "safe"))
    for operation in contract.operations:
        operation.safe = operation.name in safe
    for unknown in sorted(safe - {operation.name for operation in contract.operations}):
        refuse(contract, "operations.safe", f": no operation {unknown!r}")
