"""tables.py: what `contracts.toml` says of a contract, so that the run time reads no file."""

from __future__ import annotations

from collections.abc import Mapping

from bindgen.emit.text import Lines, imported, literal, module
from bindgen.model import Contract
from bindgen.passes.walk import field_at

_SETS = {"authentication", "transient", "waiting", "done", "failed", "expired"}
# Section of contracts.toml → its type in the run time, whose own the keys are.
_SECTIONS = {
    "signing": "Signing",
    "fault": "FaultShape",
    "paging": "Paging",
    "waiter": "Waiter",
    "download": "Download",
    "batch": "Batch",
    "window": "ReportWindow",
}


def emit(contract: Contract, root: str) -> str:
    """The contract's `TABLES`."""
    settings = contract.settings
    used = {kind for section, kind in _SECTIONS.items() if settings.section(section)}
    job, groups = settings.section("job"), settings.section("groups")
    columns = {key: table for key in ("columns", "sums") if (table := settings.section(key))}
    names = {"Tables", *used, *(["Job"] if job else []), *(["Column"] if columns or groups else [])}
    lines = module(
        contract,
        f"What the WSDL of {contract.name} {settings.version} cannot say.",
        imported("soapclient.runtime.tables", names),
    )
    lines("")
    with lines.block("TABLES = Tables(", ")"):
        for key, value in {
            "name": contract.name,
            "version": settings.version,
            "namespace": contract.namespace,
            "service": contract.service,
            "port": contract.port,
            "binding": contract.binding,
            "address": contract.address,
            "sha256": contract.sha256,
        }.items():
            if value:
                lines(f"{key}={literal(value)},")
        for section, kind in _SECTIONS.items():
            if table := {key: value for key, value in settings.section(section).items() if key != "public"}:
                _table(lines, section, kind, table)
        if job:
            _table(lines, "job", "Job", _job(contract, job))
        for key, reports in columns.items():
            with lines.block(f"{key}={{", "},"):
                for report, cells in reports.items():
                    _columns(lines, f"{literal(report)}: (", cells)
        if groups:
            _columns(lines, "groups=(", groups)
        if chosen := settings.section("chosen"):
            with lines.block("chosen={", "},"):
                for report in chosen:
                    lines(f"{literal(report)}: {_value(settings.texts('chosen', report))},")
    return lines.text()


def _table(lines: Lines, name: str, kind: str, table: Mapping[str, object]) -> None:
    with lines.block(f"{name}={kind}(", "),"):
        for key, value in table.items():
            if key not in _SETS:
                lines(f"{key}={_value(value)},")
            elif isinstance(value, list) and value:
                lines(f"{key}=frozenset({{{', '.join(_value(one) for one in sorted(value))}}}),")
            else:
                lines(f"{key}=frozenset(),")


def _value(value: object) -> str:
    if isinstance(value, list):
        inner = ", ".join(_value(one) for one in value)
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    return literal(value) if isinstance(value, str) else repr(value)


def _job(contract: Contract, table: Mapping[str, object]) -> dict[str, object]:
    """Operations become methods, paths become attribute names."""
    methods = {operation.name: operation.method for operation in contract.operations}
    named: dict[str, object] = {}
    for key, value in table.items():
        if str(value) in methods:
            named[key] = methods[str(value)]
        elif (field := field_at(contract, str(value), f"job.{key}")) is not None:
            named[key] = field.python
    return named


def _columns(lines: Lines, head: str, table: object) -> None:
    with lines.block(head, "),"):
        for name, kind in table.items() if isinstance(table, dict) else ():
            lines(f"Column({literal(name)}, {literal(str(kind))}),")
