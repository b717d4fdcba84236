"""Refuses what a contract with two carriers cannot have: one nested dict is a request's form for SOAP and
REST alike, and what it has no place for would be lost on the way."""

from __future__ import annotations

from collections.abc import Iterator

from bindgen.model import Anything, Contract, Field, Operation, Simple, Struct
from bindgen.passes import sent_form
from bindgen.passes.walk import structs
from bindgen.problems import Place, Problem
from bindgen.simple_types import QUALIFIED


def run(contract: Contract) -> None:
    """Note a problem for each such thing that an operation reaches.

    A value is always of the type that is declared: the types that derive from it are no part of its own.
    """
    known = {(problem.message, problem.place) for problem in contract.problems}

    def refuse(why: str, place: Place) -> None:
        problem = Problem(f"{why}: not handled here", place)
        if (problem.message, place) not in known:
            known.add((problem.message, place))
            contract.problems.append(problem)

    for operation in contract.operations:
        for why in _operation(operation):
            refuse(why, operation.place)
    for struct in structs(contract):
        struct.derived = []
        for why, place in _struct(struct):
            refuse(why, place)
    for why, place in sent_form.misfits(contract):
        refuse(why, place)


def _operation(operation: Operation) -> Iterator[str]:
    if operation.style == "rpc" or operation.encoded:
        yield f"{operation.name} is of RPC style"
    if operation.one_way:
        yield f"{operation.name} is one-way"
    if operation.request_headers or operation.reply_headers:
        yield f"{operation.name} has headers"
    if not operation.request_tag or not (operation.reply_tag or operation.one_way):
        yield f"{operation.name} has messages that are not one element"


def _struct(struct: Struct) -> Iterator[tuple[str, Place]]:
    met: set[tuple[str, str]] = set()
    for field in struct.all_fields():
        if field.kind in ("element", "attribute"):
            if (field.kind, field.wire) in met:
                yield f"two {field.kind}s {field.wire!r} in one type", field.place
            met.add((field.kind, field.wire))
    for field in struct.fields:
        for why in _field(field):
            yield why, field.place


def _field(field: Field) -> Iterator[str]:
    kind = field.type
    if field.kind == "group":
        yield f"{field.wire!r}, a group of elements that repeats or of which each may stand for the others"
    elif field.kind in ("any", "any_attributes"):
        yield f"{field.wire!r}, a wildcard"
    elif isinstance(kind, Anything):
        yield f"{field.wire!r} is of any type"
    elif isinstance(kind, Simple) and kind.xsd in QUALIFIED:
        yield f"{field.wire!r} is a qualified name"
    elif isinstance(kind, Struct) and kind.abstract:
        yield f"{field.wire!r} is of other types than its own, which is abstract (xsi:type)"
    # Where a nil may as well be left out, it is read as absent.
    if field.nillable and (field.least or field.repeats or field.own_least > 0):
        yield f"{field.wire!r} may be nil"
    given = field.kind == "attribute" or isinstance(kind, Struct)
    if field.fixed is not None or (given and field.default is not None):
        yield f"{field.wire!r} has a value that the contract gives"
