"""The passes over the model, in order. Each does one job; a later one may rely on what stands before it.

1. carrier_form    what the two carriers' one form of values cannot say is refused
2. mentioned       what the tables of contracts.toml name must be in the contract
3. wrapped_lists   `<things><thing/>…</things>` becomes one list field
4. authentication  the elements a signer fills in leave the requests; an operation is public or signed
5. numbers         which numbers stay binary floats
6. days            which date-times mean a day
7. optionality     what the service leaves out though declared
8. other_places    what may stand elsewhere than declared
9. refused         what earlier versions took: fields and values that are refused by name
10. carriers       what REST and SOAP alone have, and how REST asks
11. rest_form      what has another namespace than REST bodies is refused
12. unknown        which types keep what is not in the contract
13. safety         which operations may be repeated
14. streams        whose reply is one list
15. reachable      what is left to generate, in the schema's order
16. names          everything gets its Python name, when it is known what needs one
17. pages          which lists come in pages, last, for it speaks of attributes by name
"""

from __future__ import annotations

from collections.abc import Callable

from bindgen.model import Contract
from bindgen.passes import (
    authentication,
    carrier_form,
    carriers,
    days,
    mentioned,
    names,
    numbers,
    optionality,
    other_places,
    pages,
    reachable,
    refused,
    rest_form,
    safety,
    streams,
    unknown,
    wrapped_lists,
)
from bindgen.problems import ContractRefused

ORDER: tuple[Callable[[Contract], None], ...] = (
    carrier_form.run,
    mentioned.run,
    wrapped_lists.run,
    authentication.run,
    numbers.run,
    days.run,
    optionality.run,
    other_places.run,
    refused.run,
    carriers.run,
    rest_form.run,
    unknown.run,
    safety.run,
    streams.run,
    reachable.run,
    names.run,
    pages.run,
)


# For a contract that is written to XML, of which `contracts.toml` says nothing; `bindgen init` may.
XML_ORDER: tuple[Callable[[Contract], None], ...] = (
    wrapped_lists.run,
    optionality.run_for_xml,
    reachable.run_for_xml,
    names.run_for_xml,
)


def run(contract: Contract) -> None:
    """Run all passes. Raises ContractRefused with every problem they found.

    Of a contract that could not be read whole, only what its form forbids is added: what else the passes miss
    in it may be what could not be read.
    """
    for one in ORDER[:1] if contract.problems else ORDER:
        one(contract)
    if contract.problems:
        raise ContractRefused(contract.problems)


def run_for_xml(contract: Contract) -> None:
    """Run the passes for a contract of `bindgen init`: all that was read can be generated."""
    for one in XML_ORDER:
        one(contract)
