"""Python names for everything, unique where they meet: classes and functions in their module, fields in their
class, members in their enum, methods in their service."""

from __future__ import annotations

from collections.abc import Collection

from bindgen import naming
from bindgen.model import Contract, ListOf, Operation, Struct
from bindgen.naming import Space
from bindgen.simple_types import BINARY, DAY, SIMPLE

# Names that generated modules and classes use themselves.
_CLASSES = {
    "AbstractContextManager",
    "AnyOperation",
    "Caller",
    "Choice",
    "Decimal",
    "ItemPages",
    "ItemStream",
    "Kept",
    "KeptValue",
    "ListOperation",
    "Literal",
    "Mapping",
    "Node",
    "OnPage",
    "Operation",
    "PageCaller",
    "PageFields",
    "Reader",
    "Scalar",
    "Sequence",
    "StreamCaller",
    "StrEnum",
    "TypedDict",
    "Wire",
    "Writer",
    *(simple.scalar for simple in (*SIMPLE.values(), *BINARY.values(), DAY)),
}
# Those of packages in XML: other names of the run time make room for the contract's own.
_XML_CLASSES = {"AnyElement", "ClassVar", "Decimal", "Literal", "Mapping", "NIL", "Nil", "Sequence"}
_XML_CLASSES |= {"OPERATIONS", "StrEnum", "TABLES"}
_FUNCTIONS = {"any", "anything", "choice", "day", "list", "texts"}  # as in read_list and write_choice
_CONSTANTS = {"CONTRACT", "OPERATIONS", "PORT_TYPE", "TABLES"}
_BUILT_IN = {"bool", "bytes", "dict", "dt", "float", "int", "list", "str"}  # annotations say these
_FIELDS = {"copied", "header", "msgspec", "on_page", "self", *_BUILT_IN}
_METHODS = {"stream", "zeep", "iterate", "close", "header", *_BUILT_IN}


def run(contract: Contract) -> None:
    """Name everything."""
    classes = Space(_CLASSES)
    # After our own name of the contract: the run time imports it, whatever the WSDL calls its service.
    contract.service_class = classes.claim(naming.pascal(f"{contract.name}_service"))
    contract.stream_class = classes.claim(f"{contract.service_class}Streams")
    contract.page_class = classes.claim(f"{contract.service_class}Pages")
    _types(contract, classes)
    _methods(contract.operations, Space(_METHODS), _constants(classes))


def run_for_xml(contract: Contract) -> None:
    """Name everything; each port type has a service class of its own."""
    classes = Space(_XML_CLASSES)
    port_types = dict.fromkeys(port.port_type for port in contract.ports)
    port_types |= dict.fromkeys(operation.port_type for operation in contract.operations)
    used = {operation.port_type for operation in contract.operations}
    for at, port_type in enumerate([each for each in port_types if each in used]):
        own = naming.pascal(port_type.rpartition("}")[2]).removesuffix("Service")
        name = f"{own}Service" if at else naming.pascal(f"{contract.name}_service")
        contract.service_classes[port_type] = classes.claim(name)
    contract.service_class = next(iter(contract.service_classes.values()), "")
    _types(contract, classes, _FIELDS)
    constants = _constants(classes)
    for port_type in contract.service_classes:
        own_operations = [each for each in contract.operations if each.port_type == port_type]
        methods = Space(_METHODS)
        _methods(own_operations, methods, constants, _METHODS)
        for operation in own_operations:  # after all that have a name of their own
            if operation.request.derived and not operation.request.abstract:
                operation.whole_method = methods.claim(f"{operation.method}_with")
    for operation in contract.operations:
        taken = Space({*_FIELDS, "request", *(field.python for field in operation.request.all_fields())})
        for header in operation.request_headers:
            header.python = taken.claim(f"{naming.snake(header.name).removesuffix('_header')}_header")


def _types(contract: Contract, classes: Space, own: Collection[str] = ()) -> None:
    """`own`: names of fields that get an underscore behind them, as keywords do, and no number."""
    for enum in contract.enums:
        name = enum.qname.rpartition("}")[2]
        enum.python = classes.claim(naming.pascal(name.removesuffix("Enum") or name))
        enum.python_values = classes.claim(f"{enum.python}Value")
        members = Space()
        enum.members = {members.claim(naming.constant(value)): value for value in enum.values}
    functions = Space(_FUNCTIONS)
    for struct in contract.structs:
        # An element of a substitution group is often called like its type.
        name = f"{struct.name}_element" if struct.holder == "substitution" else struct.name
        struct.python = classes.claim(naming.pascal(name))
        struct.function = functions.claim(naming.snake(name))
        if struct.changes:
            struct.python_changes = classes.claim(f"{struct.python}Changes")
            functions.add([f"{struct.function}_changes"])
    compounds = Space()
    for compound in contract.compounds:
        mark = "L" if isinstance(compound, ListOf) else "U"
        name = naming.constant(compound.qname.rpartition("}")[2])
        compound.constant = compounds.claim(f"{mark}_{name}")
    spaces: dict[int, Space] = {}
    for struct in contract.structs:  # bases stand before what extends them
        spaces[id(struct)] = _fields(struct, spaces, own)


def _fields(struct: Struct, spaces: dict[int, Space], own: Collection[str]) -> Space:
    taken = Space(_FIELDS)  # fields of a request are parameters of a method
    if struct.base is not None:
        taken.add(spaces[id(struct.base)])
    for field in struct.fields:
        field.python = taken.claim(_beside(naming.snake(field.wire), own))
    if struct.keeps_unknown:
        struct.unknown = taken.claim("unknown")
    return taken


def _constants(classes: Space) -> Space:
    """Operations stand in one module with the classes they use."""
    constants = Space(_CONSTANTS)
    constants.add(classes)
    return constants


def _beside(name: str, own: Collection[str]) -> str:
    return f"{name}_" if name in own else name


def _methods(
    operations: list[Operation], methods: Space, constants: Space, own: Collection[str] = ()
) -> None:
    for operation in operations:
        operation.method = methods.claim(_beside(naming.snake(operation.name), own))
        operation.constant = constants.claim(naming.constant(operation.name))
