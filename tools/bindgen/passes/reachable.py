"""What is left to generate: the types that operations still reach once wrappers are gone."""

from __future__ import annotations

from bindgen.model import Contract, Enum
from bindgen.passes.walk import structs


def run(contract: Contract) -> None:
    """Collect the contract's structs and enums."""
    found = sorted(structs(contract), key=lambda struct: (struct.place.file, struct.place.line))
    enums: dict[int, Enum] = {}
    for struct in found:
        for field in struct.fields:
            kind = field.item.type if field.item else field.type
            if isinstance(kind, Enum):
                enums[id(kind)] = kind
    contract.structs = found
    contract.enums = sorted(enums.values(), key=lambda enum: (enum.place.file, enum.place.line))
