"""Python names for everything, unique where they meet: classes and functions in their module, fields in their
class, members in their enum, methods in their service."""

from __future__ import annotations

from bindgen import naming
from bindgen.model import Contract, Operation, Struct

# Names that a generated module or class uses itself.
_MODULE = {"Decimal", "Literal", "StrEnum"}
_SERVICE = {"stream", "zeep", "iterate", "close"}


def run(contract: Contract) -> None:
    """Name everything."""
    classes = set(_MODULE)
    for enum in contract.enums:
        name = enum.qname.rpartition("}")[2]
        enum.python = _claim(naming.pascal(name.removesuffix("Enum") or name), classes)
        classes.add(f"{enum.python}Value")
        taken: set[str] = set()
        enum.members = {_claim(naming.constant(value), taken): value for value in enum.values}
    functions: set[str] = set()
    for struct in contract.structs:
        struct.python = _claim(naming.pascal(struct.name), classes)
        struct.function = _claim(naming.snake(struct.name), functions)
    named: set[int] = set()
    for struct in contract.structs:
        _fields(struct, named)
    methods = set(_SERVICE)
    constants: set[str] = set()
    for operation in contract.operations:
        _operation(operation, methods, constants)
    contract.service_class = naming.pascal(contract.service)
    contract.stream_class = f"{contract.service_class}Streams"


def _fields(struct: Struct, named: set[int]) -> None:
    if id(struct) in named:
        return
    named.add(id(struct))
    taken = {"self"}  # fields of a request are parameters of a method
    if struct.base is not None:
        _fields(struct.base, named)
        taken |= {field.python for field in struct.base.all_fields()}
    for field in struct.fields:
        field.python = _claim(naming.snake(field.wire), taken)


def _operation(operation: Operation, methods: set[str], constants: set[str]) -> None:
    operation.method = _claim(naming.snake(operation.name), methods)
    operation.constant = _claim(naming.constant(operation.name), constants)


def _claim(name: str, taken: set[str]) -> str:
    name = naming.unused(name, taken)
    taken.add(name)
    return name
