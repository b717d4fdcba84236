"""service.py: what can be called, one typed method per operation, and each operation as a value."""

from __future__ import annotations

from bindgen.emit import hints
from bindgen.emit.text import Lines, imported, literal, module
from bindgen.model import Contract, Enum, Field, Operation, Struct


def emit(contract: Contract, root: str) -> str:
    """The operations, the service class and the class of its streams."""
    lines = _head(contract, root)
    for operation in contract.operations:
        lines("")
        _constant(lines, contract, operation)
    lines("")
    with lines.block("OPERATIONS: Mapping[str, AnyOperation] = {", "}"):
        for operation in contract.operations:
            lines(f"{literal(operation.name)}: {operation.constant},")
    lines("", "")
    with lines.block(f"class {contract.service_class}:"):
        lines.doc(
            f"The operations of {_called(contract)}. Each call raises what the caller it goes through raises."
        )
        _constructor(lines, "Caller")
        for operation in contract.operations:
            lines("")
            _method(lines, operation)
    streamed = [operation for operation in contract.operations if operation.list_field]
    if streamed:
        lines("", "")
        with lines.block(f"class {contract.stream_class}:"):
            lines.doc(f"The list operations of {_called(contract)}, read item by item in constant memory.")
            _constructor(lines, "StreamCaller")
            for operation in streamed:
                lines("")
                _stream_method(lines, operation)
    if paged := [operation for operation in contract.operations if operation.pages]:
        lines("", "")
        with lines.block(f"class {contract.page_class}:"):
            lines.doc(f"The list operations of {_called(contract)}, their items over all pages, one by one.")
            _constructor(lines, "PageCaller")
            for operation in paged:
                lines("")
                _page_method(lines, operation)
    return lines.text()


def _called(contract: Contract) -> str:
    return contract.service or contract.name


def _head(contract: Contract, root: str) -> Lines:
    streamed = any(operation.list_field for operation in contract.operations)
    plain = any(operation.list_field is None for operation in contract.operations)
    parameters = [field for operation in contract.operations for field in operation.request.all_fields()]
    kinds = [field.item.type if field.item else field.type for field in parameters if not field.refused]
    written = " ".join(hints.closed(kind) for kind in kinds if not isinstance(kind, Enum | Struct))
    codec = {f"read_{struct.function}" for struct in _messages(contract)}
    codec |= {f"write_{operation.request.function}" for operation in contract.operations}
    types = {struct.python for struct in _messages(contract)}
    for kind in kinds:
        types |= hints.names(kind)
    types |= {kind.python_changes for kind in kinds if isinstance(kind, Struct) and kind.changes}
    sequences = any(hints.copies(field) for field in parameters)
    abstract = ["Mapping", *(["Sequence"] if sequences else [])]
    runtime = {"AnyOperation", "Caller", *(["Operation"] if plain else [])}
    if streamed:
        runtime |= {"ItemStream", "ListOperation", "StreamCaller"}
    if any(operation.pages for operation in contract.operations):
        runtime |= {"ItemPages", "OnPage", "PageCaller", "PageFields"}
    resources = any(operation.rest for operation in contract.operations)
    return module(
        contract,
        f"The operations of {contract.name} {contract.settings.version}.",
        [
            *(["import datetime as dt"] if "dt." in written else []),
            f"from collections.abc import {', '.join(abstract)}",
            *(["from contextlib import AbstractContextManager"] if streamed else []),
            *(["from decimal import Decimal"] if "Decimal" in written else []),
            "",
            *imported("soapclient.runtime.operation", runtime),
            *imported("soapclient.runtime.writing", ["copied"] if sequences else []),
            *imported(f"{root}.{contract.name}", ["rest"] if resources else []),
            *imported(f"{root}.{contract.name}.codec", codec),
            *imported(f"{root}.{contract.name}.types", types),
        ],
    )


def _messages(contract: Contract) -> list[Struct]:
    """Requests, replies, and the items of lists that are streamed."""
    found: list[Struct] = []
    for operation in contract.operations:
        found += [operation.request, operation.reply]
        item = _item(operation)
        if item is not None and isinstance(item.type, Struct):
            found.append(item.type)
    return found


def _constructor(lines: Lines, caller: str) -> None:
    lines("")
    with lines.block(f"def __init__(self, caller: {caller}) -> None:"):
        lines("self._caller = caller")


def _generic(operation: Operation) -> str:
    request, reply = operation.request.python, operation.reply.python
    if (item := _item(operation)) is None:
        return f"Operation[{request}, {reply}]"
    return f"ListOperation[{request}, {reply}, {hints.value(item.type)}]"


def _item(operation: Operation) -> Field | None:
    return operation.list_field.item if operation.list_field else None


def _constant(lines: Lines, contract: Contract, operation: Operation) -> None:
    item = _item(operation)
    kind = "ListOperation" if item else "Operation"
    with lines.block(f"{operation.constant}: {_generic(operation)} = {kind}(", ")"):
        lines(
            f"contract={literal(contract.name)},",
            f"name={literal(operation.name)},",
            f"method={literal(operation.method)},",
            f"signed={operation.signed},",
            f"safe={operation.safe},",
            f"soap_action={literal(operation.soap_action)},",
            f"request_tag={literal(operation.request_tag)},",
            f"reply_tag={literal(operation.reply_tag)},",
            f"authentication={_tuple(operation.authentication)},",
            f"write_request=write_{operation.request.function},",
            f"read_request=read_{operation.request.function},",
            f"read_reply=read_{operation.reply.function},",
        )
        if operation.list_field and item and isinstance(item.type, Struct):
            lines(
                f"list_field={literal(operation.list_field.python)},",
                f"list_tag={literal(operation.list_field.tag)},",
                f"item_tag={literal(item.tag)},",
                f"read_item=read_{item.type.function},",
            )
        if pages := operation.pages:
            named = {"page": pages.page, "items": pages.items}
            named |= {"reply_page": pages.reply_page, "reply_items": pages.reply_items}
            named |= {"reply_total": pages.reply_total}
            with lines.block("pages=PageFields(", "),"):
                for name, value in named.items():
                    lines(f"{name}={literal(value)},")
        if not operation.soap:
            lines("soap=False,")
        if operation.rest:
            lines(f"rest=rest.{operation.constant},")
        for carrier in ("soap", "rest") if operation.rest else ():
            alone = [field.wire for field in operation.request.all_fields() if field.carrier == carrier]
            if alone:
                lines(f"{carrier}_only=frozenset({{{', '.join(map(literal, alone))}}}),")
        if lacking := [field.wire for field in operation.request.all_fields() if field.rest_optional]:
            lines(f"rest_optional=frozenset({{{', '.join(map(literal, lacking))}}}),")


def _tuple(names: list[str]) -> str:
    inner = ", ".join(map(literal, names))
    return f"({inner},)" if len(names) == 1 else f"({inner})"


def _signature(lines: Lines, operation: Operation, answer: str, *further: str) -> None:
    parameters = [(field, *hints.parameter(field)) for field in operation.request.all_fields()]
    # What must be given first; all by keyword, so a new field in the contract moves nothing.
    ordered = [one for one in parameters if not one[2]] + [one for one in parameters if one[2]]
    if not ordered:
        if lines.fits(whole := f"def {operation.method}(self) -> {answer}:"):
            lines(whole)
        else:
            lines(f"def {operation.method}(", "    self,", f") -> {answer}:")
        return
    with lines.block(f"def {operation.method}(", f") -> {answer}:"):
        lines("self,", "*,")
        for field, kind, default in ordered:
            lines(f"{field.python}: {kind}{f' = {default}' if default else ''},")
        lines(*further)


def _arguments(lines: Lines, operation: Operation) -> None:
    fields = operation.request.all_fields()
    if not fields:
        lines(f"{operation.request.python}(),")
        return
    with lines.block(f"{operation.request.python}(", "),"):
        for field in fields:
            lines(f"{field.python}={_argument(field)},")


def _argument(field: Field) -> str:
    """Lists are copied, so that a later change of the caller's list changes no request."""
    if field.repeats or (hints.copies(field) and not field.item and field.least):
        return f"copied({field.python})"
    if hints.copies(field):
        return f"None if {field.python} is None else copied({field.python})"
    return field.python


def _answer(operation: Operation) -> str:
    """The reply's shape in words."""
    parts = []
    for field in operation.reply.all_fields():
        kind = hints.value(field.item.type if field.item else field.type)
        named = (
            f"{field.python}, a list of {kind},"
            if field.item or field.repeats
            else f"{field.python} ({kind})"
        )
        parts.append(
            named if field.least and not field.may_be_missing else f"{named} or None".replace(", or", " or")
        )
    return (
        f"Answer: {'; '.join(part.rstrip(',') for part in parts)}."
        if parts
        else "Answer: nothing beyond its coming."
    )


def _doc(lines: Lines, operation: Operation) -> None:
    auth = "Signed." if operation.signed else "Public: the connect ID alone will do."
    safe = " Repeated by itself after a passing failure." if operation.safe else " Never repeated by itself."
    fields = operation.request.all_fields()
    refused = [f"{field.python}: {field.refused}." for field in fields if field.refused]
    lines.doc(
        operation.doc or f"Call {operation.name}.",
        auth + safe + _carriers(operation),
        _answer(operation),
        *refused,
    )


def _carriers(operation: Operation) -> str:
    """What one carrier alone has."""
    if not operation.rest:
        return ""
    if not operation.soap:
        return " REST alone has it."
    said = [
        f" {field.python}: {field.carrier.upper()} alone."
        for field in operation.request.all_fields()
        if field.carrier
    ]
    said += [
        f" {field.python}: required over SOAP, optional over REST."
        for field in operation.request.all_fields()
        if field.rest_optional
    ]
    return "".join(said)


def _method(lines: Lines, operation: Operation) -> None:
    _signature(lines, operation, operation.reply.python)
    with lines.inside():
        _doc(lines, operation)
        with lines.block("return self._caller.call(", ")"):
            lines(f"{operation.constant},")
            _arguments(lines, operation)


def _stream_method(lines: Lines, operation: Operation) -> None:
    item = _item(operation)
    assert item is not None  # only list operations are streamed
    stream = f"ItemStream[{operation.reply.python}, {hints.value(item.type)}]"
    _signature(lines, operation, f"AbstractContextManager[{stream}]")
    with lines.inside():
        _doc(lines, operation)
        with lines.block("return self._caller.stream(", ")"):
            lines(f"{operation.constant},")
            _arguments(lines, operation)


def _page_method(lines: Lines, operation: Operation) -> None:
    item = _item(operation)
    assert item is not None  # only list operations have pages
    kind = hints.value(item.type)
    _signature(lines, operation, f"ItemPages[{kind}]", "on_page: OnPage | None = None,")
    with lines.inside():
        _doc(lines, operation)
        with lines.block("return self._caller.pages(", ")"):
            lines(f"{operation.constant},")
            _arguments(lines, operation)
            lines("on_page,")
