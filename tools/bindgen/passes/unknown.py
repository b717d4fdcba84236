"""What the service adds to some types is kept with them, where nothing says what they hold."""

from __future__ import annotations

from bindgen.model import Contract
from bindgen.passes.walk import refuse, structs


def run(contract: Contract) -> None:
    """Mark the types named in `types.keep_unknown`."""
    wanted = set(contract.settings.texts("types", "keep_unknown"))
    for struct in structs(contract):
        if struct.name in wanted:
            struct.keeps_unknown = True
    for name in sorted(wanted - {struct.name for struct in structs(contract)}):
        refuse(contract, "types.keep_unknown", f": no type {name!r} is used")
