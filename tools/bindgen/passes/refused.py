"""Fields and values that earlier versions of a service took become refusals that say so.

A refused field is not in the contract: it is added to its request as one that never goes out.
"""

from __future__ import annotations

from bindgen.model import Contract, Field
from bindgen.passes.walk import field_at
from bindgen.problems import Problem
from bindgen.simple_types import SIMPLE, XSD


def run(contract: Contract) -> None:
    """Add what `refused.fields` names, and note the values of `refused.values` at their fields."""
    requests = {operation.request.name: operation.request for operation in contract.operations}
    for path, reason in contract.settings.table("refused", "fields").items():
        owner, _, name = path.partition("/")
        struct = requests.get(owner)
        if struct is None or any(field.wire == name for field in struct.fields):
            why = "is no request" if struct is None else f"declares {name!r} itself"
            contract.problems.append(Problem(f"contracts.toml: refused.fields: {owner!r} {why}"))
            continue
        text = SIMPLE[f"{{{XSD}}}string"]
        struct.fields.append(Field(name, "element", "", text, 0, 1, struct.place, refused=str(reason)))
    for path, reasons in contract.settings.table("refused", "values").items():
        field = field_at(contract, path, "refused.values")
        if field is not None and isinstance(reasons, dict):
            field.refused_values = {str(value): str(reason) for value, reason in reasons.items()}
