"""Which protocols have an operation, and how REST asks for it: the REST table meets the contract."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bindgen import rest_table
from bindgen.model import Contract, Field, Loose, Operation, Parameter, Rest, Struct
from bindgen.passes.walk import fields_at, refuse
from bindgen.problems import Problem
from bindgen.rest_table import WHOLE, Row

# What the query form of a signature calls its parameters, in any case (docs/explanation/service.md#signing).
_AUTHENTICATION = ("connectid", "date", "nonce", "signature")

# What has no place in paths and queries.
_BESIDE = ("attribute", "text")


def run(contract: Contract) -> None:
    """Set `rest` of operations, `protocol`, `partial` and `rest_optional` of their requests' fields.

    An optional element that the REST table does not name is sent over SOAP only, which is noted: so a
    contract that allows one more is good for all that was done before.
    """
    for field in fields_at(contract, "soap_only", "elements"):
        field.protocol = "soap"
    spellings = rest_table.spellings(contract.settings)
    rows = rest_table.rows(contract.settings)
    for operation in contract.operations:
        if (row := rows.get(operation.name)) is not None:
            _over_soap_alone(contract, operation, row)
            for why in _fill(contract, operation, row, spellings):
                refuse(contract, f"rest.{operation.name}", f": {why}")


def _over_soap_alone(contract: Contract, operation: Operation, row: Row) -> None:
    """Note, and mark, the optional elements of which nothing says where they go over REST."""
    if not operation.soap or row.body == WHOLE:
        return
    named = {*row.in_path, *(query.field for query in row.query.values()), row.body}
    for field in operation.request.all_fields():
        sent = field.wire in named and field.kind not in _BESIDE
        if field.least == 0 and not field.protocol and not field.refused and not sent:
            field.protocol = "soap"
            why = (
                f"{field.wire} is sent over SOAP only: contracts.{contract.name}.rest.{operation.name} in "
                "contracts.toml does not say where it goes over REST; name it there, or in soap_only if REST "
                "has no such thing"
                if field.kind not in _BESIDE
                else f"{field.wire} is sent over SOAP only: over REST it needs the whole request as the body"
            )
            contract.notes.append(Problem(why, field.place))


def _fill(
    contract: Contract, operation: Operation, row: Row, spellings: Mapping[str, Mapping[str, str]]
) -> Iterator[str]:
    """Give the operation its REST form; what does not fit is yielded."""
    usable = [field for field in operation.request.all_fields() if not field.refused]
    fields = {field.wire: field for field in usable if field.kind not in _BESIDE}
    if row.body != WHOLE:
        for one in usable:
            if one.kind in _BESIDE and one.protocol != "soap":
                said = f"the attribute {one.wire!r}" if one.kind == "attribute" else "the request's text"
                yield f"{said} goes over REST only where the body is the whole request"
    braces = len(row.path.split("{")) - 1
    if braces != len(row.in_path):
        yield f"the path has {braces} braces, in_path names {len(row.in_path)} elements"
    named = [*row.in_path, *(query.field for query in row.query.values())]
    named += [row.body] if row.body not in ("", WHOLE) else []
    for name in named:
        if name not in fields:
            yield f"the request has no element {name!r}"
    if row.body != WHOLE:
        forgotten = [name for name, field in fields.items() if name not in named and field.protocol != "soap"]
        if forgotten:
            yield (
                f"nothing says where {', '.join(forgotten)} goes; name it in the row, in soap_only if REST "
                "has no such thing, or in signing if it authenticates"
            )
    for name in (*row.in_path, *(query.field for query in row.query.values())):
        field = fields.get(name)
        if field is not None and (field.item or isinstance(field.type, Struct)):
            yield f"{name} is a structure, which has no place in a path or a query"
    for name, query in row.query.items():
        if name.lower() in _AUTHENTICATION:
            yield f"query.{name}: the signature has a parameter of that name"
        field = fields.get(query.field)
        if query.optional and field is not None:
            if not field.least:
                yield f"query.{name}: {query.field} is optional in the schema already"
            field.rest_optional = True
        if query.spelling and query.spelling not in spellings:
            yield f"query.{name}: there is no spelling {query.spelling!r}"
    body = fields.get(row.body)
    if row.partial:
        if body is None or not isinstance(body.type, Struct):
            yield "partial goes with a body that is an item"
        else:
            body.partial = body.type.changes = True
    if row.auth:
        operation.signed = row.auth == "signed"
    operation.rest = Rest(
        method=row.method,
        path=row.path,
        in_path=row.in_path,
        query=tuple(
            Parameter(name, query.field, query.separator, spellings.get(query.spelling, {}))
            for name, query in row.query.items()
        ),
        body=row.body,
        body_tag=_body_tag(contract, operation, row, body),
        partial=row.partial,
        roots=tuple(_tag(contract, root) for root in row.roots),
        wrapped=(_tag(contract, row.wrapped[0]), _tag(contract, row.wrapped[1])) if row.wrapped else None,
        loose=_loose(contract, row.loose) if row.loose else None,
    )


def _loose(contract: Contract, said: tuple[str, str, str, str, str]) -> Loose:
    listed, item, errors, error = (_tag(contract, name) if name else "" for name in said[:4])
    return Loose(listed, item, errors, error, tuple(word.strip() for word in said[4].split(",") if word))


def _body_tag(contract: Contract, operation: Operation, row: Row, body: Field | None) -> str:
    if row.root:
        return _tag(contract, row.root)
    return operation.request_tag if row.body == WHOLE else body.tag if body is not None else ""


def _tag(contract: Contract, name: str) -> str:
    return f"{{{contract.namespace}}}{name}"
