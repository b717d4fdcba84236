"""Passes that set properties of operations: flags from the settings, streams, pages and echoes.

A stream iterates over the items of a list response. An echo is a value of the request that the response
repeats.
"""

from __future__ import annotations

from bindgen.model import Contract, Struct
from bindgen.passes.walk import absent
from bindgen.sections import OPERATION_FLAGS
from soapclient.runtime.schema import EchoRow, PagesRow


def flags(contract: Contract) -> None:
    """Set the flags of operations, such as `safe`, from the section `operations` of contracts.toml."""
    flagged = {key: set(contract.settings.texts("operations", key)) for key in OPERATION_FLAGS}
    for operation in contract.operations:
        operation.flags = frozenset(key for key, names in flagged.items() if operation.name in names)
    operation_names = [operation.name for operation in contract.operations]
    for key, names in flagged.items():
        for unknown in sorted(names.difference(operation_names)):
            why = f": unknown operation {unknown!r}; the contract has: {', '.join(operation_names)}"
            absent(contract, f"operations.{key}", why, unknown, operation_names, names)


def streams(contract: Contract) -> None:
    """Set `list_field` of the operations whose items can be iterated over.

    The response must have exactly one list, and its items must have a complex type. Elements that a wildcard
    allows do not count as a list.
    """
    for operation in contract.operations:
        if operation.one_way or operation.encoded or not operation.response_tag:
            continue
        lists = [
            field
            for field in operation.response.all_fields()
            if (field.item is not None or field.repeats) and field.kind != "any"
        ]
        if len(lists) != 1 or lists[0].kind != "element":
            continue
        item = lists[0].item or lists[0]
        if isinstance(item.type, Struct) and not item.nillable:
            operation.list_field = lists[0]


def pages(contract: Contract) -> None:
    """Set `pages` of each operation that returns its list in pages.

    The request of such an operation has two elements that [paging] names: `page`, the number of a page, and
    `items`, the number of items in a page.
    """
    table = contract.settings.section("paging")
    page, items, total = (str(table.get(key, "")) for key in ("page", "items", "total"))
    for operation in contract.operations:
        request, response = _attributes(operation.request), _attributes(operation.response)
        if operation.list_field is not None and page in request and items in request:
            operation.pages = PagesRow(
                page=request[page],
                items=request[items],
                response_page=response.get(page, ""),
                response_items=response.get(items, ""),
                response_total=response.get(total, ""),
            )


def echoes(contract: Contract) -> None:
    """Record the values that a response repeats from its request, according to the table `echo`.

    The table maps paths in requests to paths in responses. If a path begins with the name of a request type,
    the entry applies to that request only.
    """
    at_most = contract.settings.section("paging").get("items")
    for request_path, response_path in contract.settings.section("echo").items():
        names = request_path.split("/")
        applies = False
        for operation in contract.operations:
            request = _attribute_at(operation.request, names[names[0] == operation.request.name :])
            response = _attribute_at(operation.response, str(response_path).split("/"))
            if request and response:
                applies = True
                row = EchoRow(
                    request=request,
                    response=response,
                    path=str(response_path),
                    at_most=request_path == at_most,
                )
                operation.echoes = (*operation.echoes, row)
        if not applies:
            why = f": no operation has this element in its request and {response_path!r} in its response"
            absent(contract, f"echo.{request_path}", why, request_path, _elements(contract))


def _elements(contract: Contract) -> set[str]:
    """Return the names of all elements of requests, except those in the table `echo`."""
    fields = {field.wire for operation in contract.operations for field in operation.request.all_fields()}
    return fields - {path.rpartition("/")[2] for path in contract.settings.section("echo")}


def _attribute_at(struct: Struct, names: list[str]) -> str:
    """Return the path in Python of a single value inside a type, such as `paging.page`.

    `names` is the path in the contract. Returns "" if there is no single value at this path.
    """
    name, *inner = names
    for field in struct.all_fields():
        kind = "attribute" if name.startswith("@") else "element"
        if (field.wire, field.kind) == (name.removeprefix("@"), kind) and not (field.repeats or field.item):
            if not inner:
                return "" if isinstance(field.type, Struct) else field.python
            rest = _attribute_at(field.type, inner) if isinstance(field.type, Struct) else ""
            return rest and f"{field.python}.{rest}"
    return ""


def _attributes(struct: Struct) -> dict[str, str]:
    return {field.wire: field.python for field in struct.all_fields() if not field.refused}
