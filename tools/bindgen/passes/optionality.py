"""What the service is known to leave out, though its contract requires it, is optional when read."""

from __future__ import annotations

from bindgen.model import Contract
from bindgen.passes.walk import fields_at


def run(contract: Contract) -> None:
    """Mark the fields named in `types.may_be_missing`."""
    for field in fields_at(contract, "types", "may_be_missing"):
        field.may_be_missing = True
