"""Passes for REST: apply the REST table of `contracts.toml`, and refuse types that REST does not support.

Each row of the REST table describes how one operation is called over REST.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import copy

from bindgen import naming, rest_table
from bindgen.model import Anything, Contract, Field, Operation, Simple, Struct
from bindgen.passes.walk import fields_at, held, reached, refuse
from bindgen.problems import Place, Problem
from bindgen.rest_table import WHOLE, Row
from bindgen.simple_types import QUALIFIED
from soapclient.runtime.schema import LooseRow, ParameterRow, RestRow, WrappedRow

# The query parameters of a signature, in any case (docs/explanation/service.md#signing).
_AUTHENTICATION = ("connectid", "date", "nonce", "signature")

# Kinds of fields that paths and queries cannot carry.
_BODY_ONLY = ("attribute", "text")


def protocols(contract: Contract) -> None:
    """Apply the REST table to the operations and to the fields of their requests.

    Sets `rest` of operations, and these attributes of fields:

    - `protocol`: the only protocol that has the field. An optional element that the REST table does not name
      gets "soap", and a note: this is not an error, because a new contract may add optional elements.
    - `partial`: True if REST requests may contain only some of the fields inside this field.
    - `rest_optional`: True if the field is required by the schema, but optional over REST.
    """
    spellings = rest_table.spellings(contract.settings)
    rows = rest_table.rows(contract.settings)
    for operation in contract.operations:
        if operation.name in rows:
            _copy_inherited(operation.request)
    for field in fields_at(contract, "soap_only", "elements"):
        field.protocol = "soap"
    for operation in contract.operations:
        if (row := rows.get(operation.name)) is None:
            continue
        if why := next(_form(operation), ""):
            refuse(
                contract,
                f"rest.{operation.name}",
                f": {why}, which is not possible over REST. Remove the row",
            )
        else:
            _mark_soap_only(contract, operation, row)
            for why in _fill(contract, operation, row, spellings):
                refuse(contract, f"rest.{operation.name}", f": {why}")
            _refuse_unplaced(contract, operation, row)


def _copy_inherited(request: Struct) -> None:
    """Replace the base of a request by copies of the inherited fields.

    Over REST, requests with the same base may send the same field in different places. A request type with
    derived types keeps its base, because callers can also pass an object of a derived type.
    """
    line = request.line()
    paths = [path for struct in line for path in struct.choices]
    if request.base is None or request.derived or len(paths) != len(set(paths)):
        return
    request.base.derived = [struct for struct in request.base.derived if struct is not request]
    fields = [copy(field) if field not in request.fields else field for field in request.all_fields()]
    request.fields = sorted(fields, key=lambda field: field.kind != "attribute")
    request.choices = {path: least for struct in line for path, least in struct.choices.items()}
    request.all_group = any(struct.all_group for struct in line)
    request.wider = [wildcard for struct in line for wildcard in struct.wider]
    request.base = None


def has_spare_rows(contract: Contract) -> bool:
    """Return True if an operation may have been renamed in the contract, but not in the REST table.

    This is the case if the table has rows for unknown operations, and the contract has operations without a
    row.
    """
    names = {operation.name for operation in contract.operations}
    spare = any(name not in names for name in rest_table.rows(contract.settings))
    return spare and any(operation.rest is None for operation in contract.operations)


def _mark_soap_only(contract: Contract, operation: Operation, row: Row) -> None:
    """Mark optional elements of a request as SOAP-only if the operation's row in the REST table lacks them.

    Adds a note for each of these elements.
    """
    if not operation.soap or row.body == WHOLE:
        return
    named = {*row.in_path, *(query.field for query in row.query.values()), row.body}
    for field in operation.request.all_fields():
        sent = field.wire in named and field.kind not in _BODY_ONLY
        if field.least == 0 and not field.protocol and not field.refused and not sent:
            field.protocol = "soap"
            why = (
                f"{field.wire} is sent over SOAP only: {contract.settings.where(f'rest.{operation.name}')} "
                "does not have a place for it. Add it there, or to soap_only if it does not exist over REST"
                if field.kind not in _BODY_ONLY
                else f"{field.wire} is sent over SOAP only: over REST, the body must be the complete request"
            )
            contract.notes.append(Problem(why, field.place))


def _refuse_unplaced(contract: Contract, operation: Operation, row: Row) -> None:
    """Add a problem for required elements of a request that the operation's row in the REST table lacks.

    The row must say if such an element is sent in the path, query or body. Elements with a fixed value need
    not be named.
    """
    named = {*row.in_path, *(query.field for query in row.query.values()), row.body}
    names = [
        field.wire
        for field in operation.request.all_fields()
        if not (field.refused or field.kind in _BODY_ONLY or field.protocol == "soap" or field.wire in named)
        and field.fixed is None
    ]
    if names and row.body != WHOLE:
        why = (
            f": the row does not name {', '.join(names)}. Add it to the row, to soap_only if it does not "
            "exist over REST, or to signing if it authenticates"
        )
        refuse(contract, f"rest.{operation.name}", why, unplaced=tuple(names))


def _fill(
    contract: Contract, operation: Operation, row: Row, spellings: Mapping[str, Mapping[str, str]]
) -> Iterator[str]:
    """Set `operation.rest` from a row of the REST table. Yields the reasons why the row is invalid.

    `spellings` are the tables in `[spellings]` by name. Each maps the contract's values to REST values.
    """
    usable = [field for field in operation.request.all_fields() if not field.refused]
    fields = {field.wire: field for field in usable if field.kind not in _BODY_ONLY}
    if row.body != WHOLE:
        for item in usable:
            if item.kind in _BODY_ONLY and item.protocol != "soap":
                content = f"the attribute {item.wire!r}" if item.kind == "attribute" else "the request's text"
                yield f"{content} can be sent over REST only if the body is the complete request"
    braces = len(row.path.split("{")) - 1
    if braces != len(row.in_path):
        yield f"in_path must name one element per placeholder of the path: {braces}, not {len(row.in_path)}"
    named = [*row.in_path, *(query.field for query in row.query.values())]
    named += [row.body] if row.body not in ("", WHOLE) else []
    for name in named:
        if name not in fields:
            yield f"the request does not have the element {name!r}"
    for name in (*row.in_path, *(query.field for query in row.query.values())):
        field = fields.get(name)
        if field is not None and (field.item or isinstance(field.type, Struct)):
            yield f"{name} is a structure, which cannot be part of a path or a query"
    for name, query in row.query.items():
        if name.lower() in _AUTHENTICATION:
            yield f"query.{name}: the signature has a parameter with this name"
        field = fields.get(query.field)
        if query.optional and field is not None:
            if not field.least:
                yield f"query.{name}: {query.field} is optional in the schema already"
            field.rest_optional = True
        if query.spelling and query.spelling not in spellings:
            yield f"query.{name}: unknown spelling {query.spelling!r}"
    body = fields.get(row.body)
    if row.partial:
        if body is None or not isinstance(body.type, Struct):
            yield "partial requires that body names an element with child elements"
        else:
            body.partial = body.type.changes = True
    if row.auth:
        operation.signed = row.auth == "signed"

    space = naming.namespace_of(operation.response_tag) or contract.namespace

    def tag(name: str) -> str:
        return f"{{{space}}}{name}"

    wrapped, loose = row.wrapped, row.loose
    body_tag = operation.request_tag if row.body == WHOLE else body.tag if body is not None else ""
    operation.rest = RestRow(
        method=row.method,
        path=row.path,
        in_path=row.in_path,
        query=tuple(
            ParameterRow(
                name=name,
                field=query.field,
                separator=query.separator,
                spelling=dict(spellings.get(query.spelling, {})),
            )
            for name, query in row.query.items()
        ),
        body=row.body,
        root=tag(row.root) if row.root else body_tag,
        partial=row.partial,
        roots=tuple(map(tag, row.roots)),
        wrapped=WrappedRow(root=tag(wrapped.root), list=_list_tag(contract, wrapped) or tag(wrapped.list))
        if wrapped
        else None,
        loose=LooseRow(
            list=tag(loose.list),
            item=tag(loose.item),
            errors=loose.errors and tag(loose.errors),
            error=loose.error and tag(loose.error),
            endings=tuple(word.strip() for word in loose.endings.split(",") if word),
        )
        if loose
        else None,
    )


def _list_tag(contract: Contract, wrapped: WrappedRow) -> str:
    """Return the tag of the element `wrapped.list`; "" if no response has this element.

    `wrapped` describes a REST response that is a list: its root element and the element with the items.
    """
    for operation in contract.operations:
        if operation.response_tag.rpartition("}")[2] == wrapped.root:
            for field in operation.response.all_fields():
                if field.wire == wrapped.list:
                    return field.tag
    return ""


def rest_form(contract: Contract) -> None:
    """Check that the operations in the REST table only have types and fields that REST supports.

    Adds a problem for each type or field that REST does not support. One reason for the limits is that JSON
    is decoded by local names, without namespaces.
    """
    reported: set[tuple[str, str, Place]] = set()

    def refuse(operation: Operation, why: str, place: Place) -> None:
        if (operation.name, why, place) not in reported:
            reported.add((operation.name, why, place))
            setting = f"rest.{operation.name}"
            message = f"{why}, but {operation.name} is sent over REST: not supported"
            contract.problems.append(Problem(message, place, setting, removable=operation.soap))

    for operation in contract.operations:
        if operation.rest is None:
            continue
        for struct in _structs(operation):
            for why, place in _struct(struct):
                refuse(operation, why, place)


def _form(operation: Operation) -> Iterator[str]:
    """Yield the reasons why an operation cannot be called over REST at all, such as RPC style."""
    if operation.style == "rpc" or operation.encoded:
        yield f"{operation.name} has RPC style"
    if operation.one_way:
        yield f"{operation.name} is one-way"
    if operation.request_headers or operation.response_headers:
        yield f"{operation.name} has SOAP headers"


def _structs(operation: Operation) -> Iterator[Struct]:
    """Yield all types that the request and the response use."""
    return reached((operation.request, operation.response), lambda struct: held(struct.all_fields()))


def _struct(struct: Struct) -> Iterator[tuple[str, Place]]:
    """Yield the reasons why a type cannot be sent over REST, each with its place."""
    seen: set[tuple[str, str]] = set()
    for field in struct.all_fields():
        if field.kind in ("element", "attribute"):
            if field.kind == "attribute" and naming.namespace_of(field.tag):
                yield f"the attribute {field.wire!r} is in a namespace", field.place
            if (field.kind, field.wire) in seen:
                yield f"two {field.kind}s {field.wire!r} in one type", field.place
            seen.add((field.kind, field.wire))
    for field in struct.fields:
        for why in _field(field):
            yield why, field.place


def _field(field: Field) -> Iterator[str]:
    """Yield the reasons why a field cannot be sent over REST."""
    kind = field.item.type if field.item else field.type
    if field.kind == "group":
        yield f"{field.wire!r}, a repeating group or a substitution group"
    elif field.kind in ("any", "any_attributes"):
        yield f"{field.wire!r}, a wildcard"
    elif isinstance(kind, Anything):
        yield f"{field.wire!r} is of any type"
    elif isinstance(kind, Simple) and kind.xsd in QUALIFIED:
        yield f"{field.wire!r} is a qualified name"
    elif isinstance(kind, Struct) and kind.abstract:
        yield f"{field.wire!r} is sent as another type, because its type is abstract (xsi:type)"
    # An optional nillable element is allowed: its nil is read as absent.
    if field.nillable and (field.least or field.repeats or field.own_least > 0):
        yield f"{field.wire!r} may be nil"
