"""The passes over the model, in order. Each does one job; a later one may rely on what stands before it.

1. mentioned       what the tables of contracts.toml name must be in the contract
2. wrapped_lists   `<things><thing/>…</things>` becomes one list field
3. signing         the elements a signer fills in leave the requests; an operation is public or signed
4. numbers         which numbers stay binary floats
5. days            which date-times mean a day; so do the days of an order (`orders`)
6. optionality     what the service leaves out though declared
7. other_places    what may stand elsewhere than declared
8. refused         what earlier versions took: fields and values that are refused by name
9. protocols        what REST and SOAP alone have, and how REST asks
10. rest_form      what REST cannot have is refused for operations that it has
11. orders         which fields of an order say what
12. unknown        which types keep what is not in the contract
13. flags          which operations the settings name, such as those that may be repeated
14. streams        whose response is one list
15. jobs           which operations tell of jobs, and which fields of a job say what (`orders`)
16. reachable      what is left to generate, in the schema's order
17. names          everything gets its Python name, when it is known what needs one
18. pages          which lists come in pages; after names, because it refers to attributes
19. echoes         what responses repeat of their requests; after names, too
"""

from __future__ import annotations

from collections.abc import Callable

from bindgen.model import Contract
from bindgen.passes import fields, mentioned, names, operations, orders, rest, signing
from bindgen.problems import ContractRefused

ORDER: tuple[Callable[[Contract], None], ...] = (
    mentioned.run,
    fields.wrapped_lists,
    signing.run,
    fields.numbers,
    fields.days,
    orders.days,
    fields.optionality,
    fields.other_places,
    fields.refused,
    rest.protocols,
    rest.rest_form,
    orders.run,
    fields.unknown,
    operations.flags,
    operations.streams,
    orders.jobs,
    names.reachable,
    names.names,
    operations.pages,
    operations.echoes,
)


def run(contract: Contract) -> None:
    """Run all passes. Raises ContractRefused with every problem they found.

    Of a contract that could not be read whole none is run, for what they miss in it may be what could not be
    read. Of a user's own, all that was read can be generated. Problems of settings keep no pass from running,
    so that all of them are told at once.
    """
    read = [each for each in contract.problems if not each.setting]
    if read and not contract.settings.own:
        raise ContractRefused(contract.problems)
    for one in ORDER:
        one(contract)
    if contract.problems != read:
        raise ContractRefused(contract.problems)
