"""Check the sections paging and fault, and the types of report columns in contracts.toml.

Without this check, a wrong name would cause an error only at run time. All other sections are checked by the
passes that use them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from bindgen.model import Contract
from bindgen.passes.walk import refuse
from bindgen.problems import Problem
from bindgen.simple_types import SIMPLE, XSD


def run(contract: Contract) -> None:
    """Check that the contract has the names in `paging` and `fault`, and that types of columns exist."""
    requests = {field.wire for operation in contract.operations for field in operation.request.all_fields()}
    responses = {field.wire for operation in contract.operations for field in operation.response.all_fields()}
    _paging(contract, requests, responses)
    _fault(contract)
    _columns(contract)


def _paging(contract: Contract, requests: Collection[str], responses: Collection[str]) -> None:
    """Check that requests and responses have the elements in [paging].

    If the contract has none of these elements, its lists do not have pages. Then only a note is added.
    """
    section = contract.settings.section("paging")
    sides = (("page", requests), ("items", requests), ("total", responses))
    if section and not contract.settings.own and all(section.get(key) not in names for key, names in sides):
        where = contract.settings.where("paging")
        contract.notes.append(
            Problem(f"{where}: the contract does not have any of these elements, so lists do not have pages")
        )
        return
    for key, names in sides:
        _expect(contract, "paging", key, names)


_FAULT = ("code", "reason", "error_id")


def _fault(contract: Contract) -> None:
    """Check that a fault of the contract has the element and the children that [fault] names.

    If no fault has this element, but exactly one fault has an element with these children, its element is
    used instead.
    """
    section = contract.settings.section("fault")
    element = str(section.get("element"))
    if section and contract.one_file and element not in contract.faults:  # schemas alone declare no faults
        children = {str(section.get(key)) for key in _FAULT}
        alike = [
            name
            for name, struct in contract.faults.items()
            if children <= {field.wire for field in struct.all_fields()}
        ]
        where = contract.settings.where("fault.element")
        if len(alike) == 1:
            sections = {**contract.settings.sections, "fault": {**section, "element": alike[0]}}
            contract.settings = replace(contract.settings, sections=sections)
            why = f"{where}: the contract does not have {element!r}, so faults are read from {alike[0]!r}"
            contract.notes.append(Problem(why))
            return
        if contract.faults or contract.settings.own:
            _expect(contract, "fault", "element", contract.faults)
        else:
            why = f"{where}: the contract does not declare faults; {element!r} is expected"
            contract.notes.append(Problem(why))
    fault = contract.faults.get(element)
    for key in _FAULT if fault else ():
        _expect(contract, "fault", key, {field.wire for field in fault.all_fields()} if fault else ())


def _columns(contract: Contract) -> None:
    """Check that the types of report columns are simple types of XSD.

    [chosen] maps a report to the names of tables in [columns]. If several of these tables have the same
    column, its type must be the same in all of them.
    """
    settings = contract.settings
    tables = {
        f"{key}.{name}": table for key in ("columns", "sums") for name, table in settings.section(key).items()
    }
    for where, table in {**tables, "groups": settings.section("groups")}.items():
        for column, kind in table.items() if isinstance(table, Mapping) else ():
            if f"{{{XSD}}}{str(kind).removeprefix('xsd:')}" not in SIMPLE:
                refuse(contract, f"{where}.{column}", f": unknown type {kind!r}")
    for report in settings.section("chosen"):
        types: dict[str, object] = {}
        for name in settings.texts("chosen", report):
            if name not in settings.section("columns"):
                refuse(contract, f"chosen.{report}", f": [columns] does not have {name!r}")
            for column, kind in settings.table("columns", name).items():
                if types.setdefault(column, kind) != kind:
                    refuse(
                        contract, f"chosen.{report}", f": {column!r} has the types {types[column]} and {kind}"
                    )


def _expect(contract: Contract, section: str, key: str, names: Collection[str]) -> None:
    value = contract.settings.section(section).get(key)
    if value is not None and value not in names:
        refuse(contract, f"{section}.{key}", f": the contract does not have the element {value!r}")
