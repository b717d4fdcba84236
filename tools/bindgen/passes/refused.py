"""Fields and values that earlier versions of a service took become refusals that say so.

A refused field is not in the contract: it is added to its request as one that never goes out.
"""

from __future__ import annotations

from bindgen.model import Contract, Field
from bindgen.passes.walk import field_at, refuse
from bindgen.problems import Problem
from bindgen.simple_types import SIMPLE, XSD

_TEXT = SIMPLE[f"{{{XSD}}}string"]


def run(contract: Contract) -> None:
    """Add what `refused.fields` names, and note the values of `refused.values` at their fields."""
    requests = {operation.request.name: operation.request for operation in contract.operations}
    for path, reason in contract.settings.table("refused", "fields").items():
        owner, _, name = path.partition("/")
        struct = requests.get(owner)
        if struct is None or any(field.wire == name for field in struct.fields):
            why = "is no request" if struct is None else f"declares {name!r} itself"
            refuse(contract, "refused.fields", f": {owner!r} {why}")
            continue
        struct.fields.append(Field(name, "element", "", _TEXT, 0, 1, struct.place, refused=str(reason)))
    for path, reasons in contract.settings.table("refused", "values").items():
        field = field_at(contract, path, "refused.values")
        if field is None:
            continue
        if field.type is _TEXT and not field.repeats and isinstance(reasons, dict):
            field.refused_values = {str(value): str(reason) for value, reason in reasons.items()}
        else:
            where = contract.settings.where("refused.values")
            contract.problems.append(
                Problem(f"{where} takes a table, for a field that is one text", field.place)
            )
