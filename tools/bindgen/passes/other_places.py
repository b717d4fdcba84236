"""A value of which nobody knows where it stands is read wherever it comes, as an attribute or an element."""

from __future__ import annotations

from collections.abc import Iterator

from bindgen.model import Contract, Field, Struct
from bindgen.passes.walk import field_at, refuse, structs


def run(contract: Contract) -> None:
    """Set `elsewhere` of the fields that `types.also_read_as` names: path = names, @ before an attribute."""
    for path, names in contract.settings.table("types", "also_read_as").items():
        setting = f"types.also_read_as.{path}"
        if (field := field_at(contract, path, setting)) is None:
            continue
        for why in _fill(contract, _owner(contract, field), field, names):
            refuse(contract, setting, f": {why}")


def _owner(contract: Contract, field: Field) -> Struct:
    return next(struct for struct in structs(contract) if field in struct.fields)


def _fill(contract: Contract, owner: Struct, field: Field, names: object) -> Iterator[str]:
    """Give a field its other places; what does not fit is yielded."""
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        yield f"a list of names is wanted, not {names!r}"
        return
    if isinstance(field.type, Struct) or field.item is not None or field.repeats:
        yield "one value alone can be read from several places"
        return
    declared = {(each.kind, each.wire) for each in owner.all_fields()}
    for name in names:
        wire = name.removeprefix("@")
        if ("attribute" if wire != name else "element", wire) in declared:
            yield f"{name!r} is a field of its own in the contract"
        elif wire != name:
            field.elsewhere += (("attribute", wire),)
        else:
            field.elsewhere += (("element", f"{{{contract.namespace}}}{name}"),)
