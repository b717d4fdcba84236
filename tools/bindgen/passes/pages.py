"""A list whose request names page and number of items can be walked through, page by page."""

from __future__ import annotations

from bindgen.model import Contract, Pages, Struct


def run(contract: Contract) -> None:
    """Note the attributes that page each such operation."""
    table = contract.settings.section("paging")
    page, items, total = (str(table.get(key, "")) for key in ("page", "items", "total"))
    for operation in contract.operations:
        request, response = _attributes(operation.request), _attributes(operation.response)
        if operation.list_field is not None and page in request and items in request:
            returned = (response.get(name, "") for name in (page, items, total))
            operation.pages = Pages(request[page], request[items], *returned)


def _attributes(struct: Struct) -> dict[str, str]:
    return {field.wire: field.python for field in struct.all_fields() if not field.refused}
