"""What the service is known to leave out, though its contract requires it, is optional when read."""

from __future__ import annotations

from bindgen.model import Contract, Field, Struct
from bindgen.passes.walk import fields_at, held, reached, structs
from bindgen.problems import ContractRefused, Problem


def run(contract: Contract) -> None:
    """Mark the fields named in `types.may_be_missing`."""
    if contract.settings.own:
        _mark_in_all(contract)
        return
    for field in fields_at(contract, "types", "may_be_missing"):
        field.may_be_missing = True


def _mark_in_all(contract: Contract) -> None:
    """Mark what a package's settings, or `--may-be-missing`, name, in each type of that (qualified) name.

    Raises ContractRefused for what the contract does not have, and where nothing would change: a typing error
    must not go unseen.
    """
    problems = []
    received = {id(each) for each in structs(contract, requests=False)}
    for path in contract.settings.texts("types", "may_be_missing"):
        owner, slash, name = path.rpartition("/")
        types = [each for each in structs(contract) if owner in (each.name, each.qname)]
        found = [(each, field) for each in types for field in each.all_fields() if _is_named(field, name)]
        marked = [field for each, field in found if field.least > 0 and id(each) in received]
        for field in marked:
            field.may_be_missing = True
        if not marked:
            why = _why_not(types, [field for _, field in found], owner, name) if slash else "the / is missing"
            form = "TYPE/ELEMENT or TYPE/@ATTRIBUTE, such as GetThingResponse/colour"
            what = "Leave it out" if found else f"Give {form}"
            given = path in contract.settings.by_option
            where = "--may-be-missing" if given else contract.settings.where("types.may_be_missing:")
            problems.append(Problem(f"{where} {path}: {why}. {what}."))
    if problems:
        raise ContractRefused(problems)


def _is_named(field: Field, name: str) -> bool:
    kind = "attribute" if name.startswith("@") else "element"
    return (field.kind, field.wire) == (kind, name.removeprefix("@"))


def _why_not(types: list[Struct], found: list[Field], owner: str, name: str) -> str:
    """Why naming this changes nothing."""
    if not types:
        return f"no type {owner} is generated"
    if any(field.least for field in found):
        return f"no response holds {owner}, and requests still need it"
    if any(field.choices for field in found):
        return f"{name} stands in a choice, where it is not required by itself"
    if found:
        return f"{name} is optional already"
    for holder in reached(_holders(types), lambda one: _holders([one])):
        if any(_is_named(field, name) for field in holder.fields):
            what = "a substitution group" if holder.holder == "substitution" else "a group that repeats"
            return f"{name} stands in {what}, whose elements cannot be named"
    return f"{owner} has no {'attribute' if name.startswith('@') else 'element'} {name}"


def _holders(types: list[Struct]) -> list[Struct]:
    """The groups in types: what stands there is a child of the type's element."""
    return [one for struct in types for one in held(struct.all_fields()) if one.holder]
