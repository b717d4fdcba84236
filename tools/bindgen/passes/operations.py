"""What operations are: those that settings name, and lists that come as streams and in pages."""

from __future__ import annotations

from bindgen.model import Contract, Struct
from bindgen.passes.walk import absent
from bindgen.sections import OPERATION_FLAGS
from soapclient.runtime.schema import EchoRow, PagesRow


def flags(contract: Contract) -> None:
    """Note which keys of `operations` in the settings, such as `safe`, name an operation."""
    named = {key: set(contract.settings.texts("operations", key)) for key in OPERATION_FLAGS}
    for operation in contract.operations:
        operation.flags = frozenset(key for key, names in named.items() if operation.name in names)
    known = [operation.name for operation in contract.operations]
    for key, names in named.items():
        for unknown in sorted(names.difference(known)):
            why = f": no operation {unknown!r}; there are: {', '.join(known)}"
            absent(contract, f"operations.{key}", why, unknown, known, names)


def streams(contract: Contract) -> None:
    """Note the list of each response that has one list of complex items, and can be read as a stream."""
    for operation in contract.operations:
        if operation.one_way or operation.encoded or not operation.response_tag:
            continue
        lists = [
            field for field in operation.response.all_fields() if field.item is not None or field.repeats
        ]
        if len(lists) != 1 or lists[0].kind != "element":
            continue
        item = lists[0].item or lists[0]
        if isinstance(item.type, Struct) and not item.nillable:
            operation.list_field = lists[0]


def pages(contract: Contract) -> None:
    """Note the attributes that page each such operation."""
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
    """Note the values that responses repeat of their requests, as the table `echo` declares them.

    A path that begins with the name of a request's type is of that request alone.
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
    """The names of the elements of requests, as `echo` has them, but for those that it names."""
    fields = {field.wire for operation in contract.operations for field in operation.request.all_fields()}
    return fields - {path.rpartition("/")[2] for path in contract.settings.section("echo")}


def _attribute_at(struct: Struct, names: list[str]) -> str:
    """Return the attribute of a single value inside a type, joined by dots. Empty if the type has none."""
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
