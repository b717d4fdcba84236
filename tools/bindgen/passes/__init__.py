"""The passes over the model, in the order below. Each has one task and can rely on the earlier passes.

A report order is a request with which the client asks the service to create a report, see `orders`. A job is
the creation of this report.

1. settings_names  check that the contract has the names in the tables of contracts.toml
2. wrapped_lists   turn `<things><thing/>…</things>` into one list field
3. signing         remove the elements of the signature from requests; set which operations are signed
4. numbers         set which numbers are binary floats
5. days            set which date-times mean a day, also for the days in a report order (`orders`)
6. binary          let requests take files as base64Binary, and set the media types
7. optionality     mark required fields that the service leaves out
8. other_places    set the other elements and attributes that can contain a field's value
9. refused         record fields and values of earlier versions, so that errors can name them
10. protocols      set the REST form of operations, and the fields of one protocol only
11. rest_form      refuse contents that REST cannot carry
12. orders         check the roles of the fields of a report order
13. unknown        mark the types that keep unknown elements
14. flags          set the flags of operations, such as `safe`
15. streams        find the operations whose response has exactly one list
16. jobs           check the operations of jobs and the fields of a job (`orders`)
17. reachable      collect the types to generate, in the order of the schema
18. names          set the Python names
19. pages          find the lists that have pages; after names, because it refers to attributes
20. echoes         set the elements that responses repeat from their requests; after names, too
"""

from __future__ import annotations

from collections.abc import Callable

from bindgen.model import Contract
from bindgen.passes import fields, names, operations, orders, rest, settings_names, signing
from bindgen.problems import ContractRefused

ORDER: tuple[Callable[[Contract], None], ...] = (
    settings_names.run,
    fields.wrapped_lists,
    signing.run,
    fields.numbers,
    fields.days,
    orders.days,
    fields.binary,
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
    """Run all passes. Raises ContractRefused with all problems.

    - If a part of the contract cannot be read, ContractRefused is raised without running any pass: the passes
      would report the names in the unread part as missing. For packages of `bindgen init`, the passes run
      anyway, and the package is generated without this part.
    - A problem with settings does not stop the passes, so that all such problems are reported at once.
    """
    reading_problems = [problem for problem in contract.problems if not problem.setting]
    if reading_problems and not contract.settings.own:
        raise ContractRefused(contract.problems)
    for apply in ORDER:
        apply(contract)
    if contract.problems != reading_problems:
        raise ContractRefused(contract.problems)
