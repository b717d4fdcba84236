"""Python names for everything, unique where they meet: classes and functions in their module, fields in their
class, members in their enum, methods in their service."""

from __future__ import annotations

from bindgen import naming
from bindgen.model import Contract, Operation, Struct

# Names that generated modules and classes use themselves.
_CLASSES = {
    "AbstractContextManager",
    "AnyOperation",
    "Caller",
    "Choice",
    "Decimal",
    "ItemPages",
    "ItemStream",
    "ListOperation",
    "Literal",
    "Mapping",
    "Node",
    "OnPage",
    "Operation",
    "PageCaller",
    "PageFields",
    "Reader",
    "Sequence",
    "StreamCaller",
    "StrEnum",
    "TypedDict",
    "Wire",
    "WireValue",
    "Writer",
}
_FUNCTIONS = {"choice", "day", "list", "texts"}  # as in read_list and write_choice
_CONSTANTS = {"OPERATIONS"}
_FIELDS = {"bool", "copied", "dt", "float", "int", "list", "msgspec", "on_page", "self", "str"}
_METHODS = {"stream", "zeep", "iterate", "close"}


def run(contract: Contract) -> None:
    """Name everything."""
    classes = set(_CLASSES)
    # After our own name of the contract: the run time imports it, whatever the WSDL calls its service.
    contract.service_class = _claim(naming.pascal(f"{contract.name}_service"), classes)
    contract.stream_class = _claim(f"{contract.service_class}Streams", classes)
    contract.page_class = _claim(f"{contract.service_class}Pages", classes)
    for enum in contract.enums:
        name = enum.qname.rpartition("}")[2]
        enum.python = _claim(naming.pascal(name.removesuffix("Enum") or name), classes)
        enum.python_values = _claim(f"{enum.python}Value", classes)
        taken: set[str] = set()
        enum.members = {_claim(naming.constant(value), taken): value for value in enum.values}
    functions = set(_FUNCTIONS)
    for struct in contract.structs:
        struct.python = _claim(naming.pascal(struct.name), classes)
        struct.function = _claim(naming.snake(struct.name), functions)
        if struct.changes:
            struct.python_changes = _claim(f"{struct.python}Changes", classes)
            functions.add(f"{struct.function}_changes")
    named: set[int] = set()
    for struct in contract.structs:
        _fields(struct, named)
    methods, constants = set(_METHODS), set(_CONSTANTS)
    for operation in contract.operations:
        _operation(operation, methods, constants)


def _fields(struct: Struct, named: set[int]) -> None:
    if id(struct) in named:
        return
    named.add(id(struct))
    taken = set(_FIELDS)  # fields of a request are parameters of a method
    if struct.base is not None:
        _fields(struct.base, named)
        taken |= {field.python for field in struct.base.all_fields()}
    for field in struct.fields:
        field.python = _claim(naming.snake(field.wire), taken)
    if struct.keeps_unknown:
        struct.unknown = _claim("unknown", taken)


def _operation(operation: Operation, methods: set[str], constants: set[str]) -> None:
    operation.method = _claim(naming.snake(operation.name), methods)
    operation.constant = _claim(naming.constant(operation.name), constants)


def _claim(name: str, taken: set[str]) -> str:
    """The name, or one like it, from now on taken."""
    name = naming.unused(name, taken)
    taken.add(name)
    return name
