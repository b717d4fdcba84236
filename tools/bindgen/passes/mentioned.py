"""What the tables of contracts.toml mention beside paths must be in the contract: else a name that is nowhere
would fail only when it is needed."""

from __future__ import annotations

from collections.abc import Collection

from bindgen.model import Contract
from bindgen.problems import Problem
from bindgen.simple_types import SIMPLE, XSD

_ROLES = ("connect_id", "timestamp", "nonce", "signature")


def run(contract: Contract) -> None:
    """Check the sections signing, paging, fault and columns."""
    requests = {field.wire for each in contract.operations for field in each.request.all_fields()}
    replies = {field.wire for each in contract.operations for field in each.reply.all_fields()}
    _signing(contract, requests)
    for key, names in (("page", requests), ("items", requests), ("total", replies)):
        _expect(contract, "paging", key, names)
    fault = contract.faults.get(str(contract.settings.section("fault").get("element")))
    if contract.one_file:  # a schema alone knows no faults
        _expect(contract, "fault", "element", contract.faults)
    for key in ("code", "reason", "error_id") if fault else ():
        _expect(contract, "fault", key, {field.wire for field in fault.all_fields()} if fault else ())
    for report, columns in contract.settings.section("columns").items():
        for column, kind in columns.items() if isinstance(columns, dict) else ():
            if f"{{{XSD}}}{str(kind).removeprefix('xsd:')}" not in SIMPLE:
                _refuse(contract, f"columns.{report}.{column}", f"no type {kind!r} is known")


def _signing(contract: Contract, requests: Collection[str]) -> None:
    """All of the authentication elements or, where a contract declares none, nothing."""
    mentioned = {str(contract.settings.section("signing").get(role)) for role in _ROLES}
    if mentioned.isdisjoint(requests):
        return
    for role in _ROLES:
        _expect(contract, "signing", role, requests)


def _expect(contract: Contract, section: str, key: str, names: Collection[str]) -> None:
    value = contract.settings.section(section).get(key)
    if value is not None and value not in names:
        _refuse(contract, f"{section}.{key}", f"the contract has no {value!r} there")


def _refuse(contract: Contract, setting: str, why: str) -> None:
    contract.problems.append(Problem(f"contracts.toml: contracts.{contract.name}.{setting}: {why}"))
