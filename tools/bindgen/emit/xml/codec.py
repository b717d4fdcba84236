"""codec.py of a package in XML: how the data is read from elements and written to them."""

from __future__ import annotations

from bindgen.emit import hints
from bindgen.emit.text import Lines
from bindgen.emit.xml.constants import Constants
from bindgen.emit.xml.module import Uses, class_names, head, standard
from bindgen.emit.xml.reading import Readers
from bindgen.emit.xml.writing import Writers
from bindgen.model import Contract


def emit(contract: Contract, runtime: str) -> str:
    """The readers and writers of a contract's types."""
    uses = Uses(runtime, class_names(contract))
    constants = Constants(contract, uses)
    readers, writers = Readers(constants), Writers(constants)
    functions = Lines()
    for struct in contract.structs:
        functions("", "")
        readers.write(functions, struct)
        functions("", "")
        writers.write(functions, struct)
    above, below = Lines(), Lines()
    constants.below(below)
    constants.above(above)
    kinds = {
        field.item.type if field.item else field.type
        for struct in contract.structs
        for field in struct.fields
    }
    everything = " ".join(map(hints.value, kinds))
    if "AnyElement" in everything:
        uses("AnyElement")
    turns = (
        ["Sequence"] if any(struct.holder not in ("", "substitution") for struct in contract.structs) else []
    )
    known = standard(everything, abstract=turns)
    lines = head(contract, f"How the types of {contract.name} are read and written.", known, uses)
    if not above.empty:
        lines("")
        lines.extend(above)
    lines.extend(functions)
    lines.extend(below)
    return lines.text()
