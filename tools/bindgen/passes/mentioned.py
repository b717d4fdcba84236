"""What the tables of contracts.toml mention beside paths must be in the contract: else a name that is nowhere
would fail only when it is needed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from bindgen.model import Contract
from bindgen.passes.walk import refuse
from bindgen.problems import Problem
from bindgen.simple_types import SIMPLE, XSD


def run(contract: Contract) -> None:
    """Check the sections paging, fault, and those of columns."""
    requests = {field.wire for each in contract.operations for field in each.request.all_fields()}
    responses = {field.wire for each in contract.operations for field in each.response.all_fields()}
    _paging(contract, requests, responses)
    _fault(contract)
    _columns(contract)


def _paging(contract: Contract, requests: Collection[str], responses: Collection[str]) -> None:
    """The elements that page lists; a contract without any of them has no pages."""
    section = contract.settings.section("paging")
    sides = (("page", requests), ("items", requests), ("total", responses))
    if section and not contract.settings.own and all(section.get(key) not in names for key, names in sides):
        where = contract.settings.where("paging")
        contract.notes.append(Problem(f"{where}: the contract has none of these elements, so no pages"))
        return
    for key, names in sides:
        _expect(contract, "paging", key, names)


_FAULT = ("code", "reason", "error_id")


def _fault(contract: Contract) -> None:
    """The element of faults: the one that the settings name or, if the contract does not have that, the only
    one with the same children."""
    section = contract.settings.section("fault")
    element = str(section.get("element"))
    if section and contract.one_file and element not in contract.faults:  # a schema alone knows no faults
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
            why = f"{where}: the contract has no {element!r} there, so faults are read as {alike[0]!r}"
            contract.notes.append(Problem(why))
            return
        if contract.faults or contract.settings.own:
            _expect(contract, "fault", "element", contract.faults)
        else:
            why = f"{where}: the contract declares no faults; {element!r} is expected"
            contract.notes.append(Problem(why))
    fault = contract.faults.get(element)
    for key in _FAULT if fault else ():
        _expect(contract, "fault", key, {field.wire for field in fault.all_fields()} if fault else ())


def _columns(contract: Contract) -> None:
    """Types that there are; of columns that an order chooses, one type each."""
    settings = contract.settings
    tables = {
        f"{key}.{name}": table for key in ("columns", "sums") for name, table in settings.section(key).items()
    }
    for where, table in {**tables, "groups": settings.section("groups")}.items():
        for column, kind in table.items() if isinstance(table, Mapping) else ():
            if f"{{{XSD}}}{str(kind).removeprefix('xsd:')}" not in SIMPLE:
                refuse(contract, f"{where}.{column}", f": no type {kind!r} is known")
    for report in settings.section("chosen"):
        first: dict[str, object] = {}
        for name in settings.texts("chosen", report):
            if name not in settings.section("columns"):
                refuse(contract, f"chosen.{report}", f": there are no columns of {name!r}")
            for column, kind in settings.table("columns", name).items():
                if first.setdefault(column, kind) != kind:
                    refuse(contract, f"chosen.{report}", f": {column!r} is both {first[column]} and {kind}")


def _expect(contract: Contract, section: str, key: str, names: Collection[str]) -> None:
    value = contract.settings.section(section).get(key)
    if value is not None and value not in names:
        refuse(contract, f"{section}.{key}", f": the contract has no {value!r} there")
