"""tables.py of a package in XML: what is known of the contract beside its operations."""

from __future__ import annotations

from bindgen.emit.text import Lines, literal
from bindgen.emit.xml.constants import clark
from bindgen.emit.xml.module import Uses, head
from bindgen.model import Contract


def emit(contract: Contract, runtime: str) -> str:
    """The contract's `TABLES`."""
    uses = Uses(runtime)
    uses("SoapTables")  # no class of the contract is in this module
    if contract.ports:
        uses("PortTable")
    lines = head(contract, f"The ports of {contract.name}.", uses=uses)
    lines("")
    with lines.block("TABLES = SoapTables(", ")"):
        lines(
            f"name={literal(contract.name)},",
            f"namespace={literal(contract.namespace)},",
            f"sha256={literal(contract.sha256)},",
        )
        _ports(lines, contract)
        if contract.messages:
            lines("messages=True,")
        if not contract.compiles:
            lines("compiles=False,")
    return lines.text()


def _ports(lines: Lines, contract: Contract) -> None:
    if not contract.ports:
        lines("ports=(),")
        return
    with lines.block("ports=(", "),"):
        for port in contract.ports:
            with lines.block("PortTable(", "),"):
                lines(
                    f"name={literal(port.name)},",
                    f"service={literal(port.service)},",
                    f"binding={literal(clark(port.binding))},",
                    f"port_type={literal(clark(port.port_type))},",
                    f"address={literal(port.address)},",
                    f"soap={literal(port.soap)},",
                )
