"""types.py of a package in XML: what the data is."""

from __future__ import annotations

from bindgen.emit.text import Lines
from bindgen.emit.types import enumeration, structure
from bindgen.emit.xml.module import Uses, head, standard
from bindgen.model import Contract


def emit(contract: Contract, runtime: str) -> str:
    """The enumerations and structs of a contract."""
    body = Lines()
    everything = " ".join(_body(body, contract))
    uses = Uses(runtime)
    if "AnyElement" in everything:
        uses("AnyElement")
    if "Nil " in everything:
        uses("Nil")
    known = standard(everything, typing=["Literal"] if contract.enums else [])
    if contract.enums:
        known.insert(len(known) - 1, "from enum import StrEnum")
    if contract.structs:
        known += [*([""] if known else []), "import msgspec"]
    doc = f"Types of {contract.name}. Enumerations are open when read, closed when sent."
    lines = head(contract, doc, known, uses)
    lines.extend(body)
    return lines.text()


def _body(lines: Lines, contract: Contract) -> set[str]:
    """All classes; gives the types and defaults of their attributes."""
    said: set[str] = set()
    for enum in contract.enums:
        lines("", "")
        enumeration(lines, enum)
    for struct in contract.structs:
        lines("", "")
        said |= structure(lines, struct, nil=True)
    return said
