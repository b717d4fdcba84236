"""Numbers are exact (money must not pass through binary floats), but for the few named as `types.binary`."""

from __future__ import annotations

from bindgen.model import Contract, Simple
from bindgen.passes.walk import fields_at
from bindgen.problems import Problem
from bindgen.simple_types import BINARY


def run(contract: Contract) -> None:
    """Give the named fields a binary float type."""
    for field in fields_at(contract, "types", "binary"):
        if isinstance(field.type, Simple) and field.type.xsd in BINARY:
            field.type = BINARY[field.type.xsd]
        else:
            contract.problems.append(
                Problem(
                    f"types.binary names {field.wire!r}, which is no xsd:float or xsd:double", field.place
                )
            )
