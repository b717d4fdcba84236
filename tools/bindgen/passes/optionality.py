"""What the service is known to leave out, though its contract requires it, is optional when read."""

from __future__ import annotations

from bindgen.model import Contract
from bindgen.passes.walk import fields_at, structs
from bindgen.problems import ContractRefused, Problem


def run(contract: Contract) -> None:
    """Mark the fields named in `types.may_be_missing`."""
    for field in fields_at(contract, "types", "may_be_missing"):
        field.may_be_missing = True


def run_for_xml(contract: Contract) -> None:
    """Mark what `bindgen init --may-be-missing` names, in each type of that name, or of that qualified name.

    Raises ContractRefused for what the contract does not have: a typing error must not go unseen.
    """
    problems = []
    for path in contract.settings.texts("types", "may_be_missing"):
        owner, _, name = path.rpartition("/")
        kind = "attribute" if name.startswith("@") else "element"
        types = [each for each in structs(contract, everything=True) if owner in (each.name, each.qname)]
        found = [
            field
            for each in types
            for field in each.all_fields()
            if (field.kind, field.wire) == (kind, name.removeprefix("@"))
        ]
        if not found:
            lacks = f"{owner} has no {kind} {name}" if types else f"no type {owner or name} is generated"
            form = "TYPE/ELEMENT or TYPE/@ATTRIBUTE, such as GetThingResponse/colour"
            problems.append(Problem(f"--may-be-missing {path}: {lacks}. Give {form}."))
        for field in found:
            field.may_be_missing = field.least > 0
    if problems:
        raise ContractRefused(problems)
