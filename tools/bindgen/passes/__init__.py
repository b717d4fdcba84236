"""The passes over the model, in order. Each does one job; a later one may rely on what stands before it.

1. mentioned       what the tables of contracts.toml name must be in the contract
2. wrapped_lists   `<things><thing/>…</things>` becomes one list field
3. authentication  the elements a signer fills in leave the requests; an operation is public or signed
4. numbers         which numbers stay binary floats
5. days            which date-times mean a day
6. optionality     what the service leaves out though declared
7. refused         what earlier versions took: fields and values that are refused by name
8. carriers        what REST and SOAP alone have, and how REST asks
9. unknown         which types keep what is not in the contract
10. safety         which operations may be repeated
11. streams        whose reply is one list
12. reachable      what is left to generate, in the schema's order
13. names          everything gets its Python name, when it is known what needs one
14. pages          which lists come in pages, last, for it speaks of attributes by name
"""

from __future__ import annotations

from collections.abc import Callable

from bindgen.model import Contract
from bindgen.passes import (
    authentication,
    carriers,
    days,
    mentioned,
    names,
    numbers,
    optionality,
    pages,
    reachable,
    refused,
    safety,
    streams,
    unknown,
    wrapped_lists,
)
from bindgen.problems import ContractRefused

ORDER: tuple[Callable[[Contract], None], ...] = (
    mentioned.run,
    wrapped_lists.run,
    authentication.run,
    numbers.run,
    days.run,
    optionality.run,
    refused.run,
    carriers.run,
    unknown.run,
    safety.run,
    streams.run,
    reachable.run,
    names.run,
    pages.run,
)


def run(contract: Contract) -> None:
    """Run all passes. Raises ContractRefused with every problem they found."""
    for one in ORDER:
        one(contract)
    if contract.problems:
        raise ContractRefused(contract.problems)
