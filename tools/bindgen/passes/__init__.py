"""The passes over the model, in order. Each does one job; a later one may rely on what stands before it.

1. wrapped_lists   `<things><thing/>…</things>` becomes one list field
2. authentication  the elements a signer fills in leave the requests; an operation is public or signed
3. numbers         which numbers stay binary floats
4. days            which date-times mean a day
5. optionality     what the service leaves out though declared
6. refused         what earlier versions took: fields and values that are refused by name
7. safety          which operations may be repeated
8. streams         whose reply is one list
9. reachable       what is left to generate, in the schema's order
10. names          everything gets its Python name, last, when it is known what needs one
"""

from __future__ import annotations

from collections.abc import Callable

from bindgen.model import Contract
from bindgen.passes import (
    authentication,
    days,
    names,
    numbers,
    optionality,
    reachable,
    refused,
    safety,
    streams,
    wrapped_lists,
)
from bindgen.problems import ContractRefused

ORDER: tuple[Callable[[Contract], None], ...] = (
    wrapped_lists.run,
    authentication.run,
    numbers.run,
    days.run,
    optionality.run,
    refused.run,
    safety.run,
    streams.run,
    reachable.run,
    names.run,
)


def run(contract: Contract) -> None:
    """Run all passes. Raises ContractRefused with every problem they found."""
    for one in ORDER:
        one(contract)
    if contract.problems:
        raise ContractRefused(contract.problems)
