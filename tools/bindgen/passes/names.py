"""Collect the types to generate and name everything in Python.

Names are unique: classes and functions in their module, fields in their class, members in
their enum, methods in their service.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from bindgen import naming
from bindgen.model import Anything, Contract, Enum, ListOf, Operation, Simple, Struct, Type, UnionOf
from bindgen.naming import UniqueNames
from bindgen.passes.walk import structs
from bindgen.problems import Problem
from soapclient.runtime.service import RESERVED


def reachable(contract: Contract) -> None:
    """Set `structs` and `enums` of the contract: the types to generate, in the order of the schema."""
    reached = sorted(structs(contract), key=lambda struct: (struct.place.file, struct.place.line))
    enums: dict[int, Enum] = {}
    for struct in reached:
        for field in struct.fields:
            kind = field.item.type if field.item else field.type
            if not isinstance(kind, _WITHOUT_ENUMS):
                enums |= {id(enum): enum for enum in _enums(kind)}
    _simple_types(contract, reached, enums)
    contract.structs = _bases_first(reached)
    contract.enums = sorted(enums.values(), key=lambda enum: (enum.place.file, enum.place.line))


def _simple_types(contract: Contract, reached: list[Struct], enums: dict[int, Enum]) -> None:
    """Remove from `contract.simple_types` the types that a value of xs:anyType cannot have.

    `reached` are the complex types to generate, `enums` the enumerations to generate.

    1. If all types must be generated (`contract.all_types`), all enumerations are added to `enums`.
    2. If no type in `reached` has an element of xs:anyType, all simple types are removed.
    3. Otherwise, each simple type that uses an enumeration outside of `enums` is removed.
    """
    named = contract.simple_types
    if contract.all_types:
        enums |= {id(enum): enum for kind in named.values() for enum in _enums(kind)}
    fields = (field.item or field for struct in reached for field in struct.fields)
    has_any_type = bool(named) and any(
        field.kind == "element" and isinstance(field.type, Anything) for field in fields
    )
    contract.simple_types = {
        name: kind
        for name, kind in named.items()
        if has_any_type and all(id(enum) in enums for enum in _enums(kind))
    }


_WITHOUT_ENUMS = (Simple, Struct)  # most types


def _enums(kind: Type) -> Iterator[Enum]:
    """Yield the enumerations of a type: the type itself, or the members of a list or union."""
    if isinstance(kind, Enum):
        yield kind
    elif isinstance(kind, ListOf):
        yield from _enums(kind.item)
    elif isinstance(kind, UnionOf):
        for member in kind.members:
            yield from _enums(member)


def _bases_first(reached: list[Struct]) -> list[Struct]:
    """Return the structs in the same order, but each struct after its base, because Python requires this."""
    ordered: dict[int, Struct] = {}
    for struct in reached:
        chain = []
        above: Struct | None = struct
        while above is not None and id(above) not in ordered:
            chain.append(above)
            above = above.base
        ordered |= {id(item): item for item in reversed(chain)}
    return list(ordered.values())


# Names that generated modules use themselves. Other names of the runtime are imported as `_NAME` if the
# contract needs them.
_CLASSES = {"ClassVar", "Decimal", "Literal", "Mapping", "NIL", "PACKAGE", "Record", "Sequence", "StrEnum"}
_CLASSES |= {"AnyElement", "AnyValue", "FileOrStream", "KeptValue", "Nil", "TYPE_CHECKING", "TypedDict"}
_CONSTANTS = {"NIL", "PACKAGE", "PORT_TYPE", "TYPE_CHECKING"}
_BUILT_IN = {"bool", "bytes", "dict", "dt", "float", "int", "list", "str"}  # used in annotations
_FIELDS = {"copied", "copied_lists", "copied_lists_or_nil", "on_page", "self", *_BUILT_IN}
_METHODS = {*RESERVED, *_BUILT_IN}


def names(contract: Contract) -> None:
    """Set all Python names. Each port type has its own service class."""
    paging = contract.settings.section("paging")

    def has_pages(operation: Operation) -> bool:  # as `operations.pages`, which needs the names of fields
        elements = {field.wire for field in operation.request.all_fields() if not field.refused}
        return bool(paging) and {str(paging.get("page")), str(paging.get("items"))} <= elements

    classes = UniqueNames(_CLASSES)
    used = dict.fromkeys(operation.port_type for operation in contract.operations)
    port_types = dict.fromkeys(port.port_type for port in contract.ports if port.port_type in used)
    for index, port_type in enumerate({**port_types, **used}):
        own = naming.pascal(port_type.rpartition("}")[2]).removesuffix("Service")
        # The first service has the name of the contract in the settings, not the name in its WSDL.
        name = f"{own}Service" if index else naming.pascal(f"{contract.name}_service")
        contract.service_classes[port_type] = classes.claim(name)
    contract.service_class = next(iter(contract.service_classes.values()), "")
    for port_type, name in contract.service_classes.items():
        listed = [item for item in contract.operations if item.port_type == port_type and item.list_field]
        marks = ["Async", *["Streams", "AsyncStreams"] * bool(listed)]
        if any(has_pages(item) for item in listed):
            marks += ["Pages", "AsyncPages"]
        for mark in marks:
            contract.further_classes[name + mark] = classes.claim(name + mark)
    if contract.settings.section("order"):
        contract.order_options = classes.claim("OrderOptions")
    _types(contract, classes)
    constants = UniqueNames(_CONSTANTS)  # operations share a module with the classes they use
    constants.add(classes)
    for port_type in contract.service_classes:
        own_operations = [item for item in contract.operations if item.port_type == port_type]
        methods = UniqueNames(_METHODS)
        for operation in own_operations:
            plain = naming.snake(operation.name)
            operation.method = methods.claim(_unreserved(plain, _METHODS))
            if plain in RESERVED:
                why = f"{operation.name} is the method {operation.method}, because every service has {plain}"
                contract.remarks.append(Problem(why))
            operation.constant = constants.claim(naming.constant(operation.name))
        for operation in own_operations:  # in a second loop: names of operations take precedence
            if operation.request.derived and not operation.request.abstract:
                operation.whole_method = methods.claim(f"{operation.method}_with")
    for operation in contract.operations:
        taken = UniqueNames(
            {*_FIELDS, "request", *(field.python for field in operation.request.all_fields())}
        )
        names = {
            header.tag: taken.claim(f"{naming.snake(header.name).removesuffix('_header')}_header")
            for header in operation.sent_headers()
        }
        for header in operation.headers():
            header.python = names.get(header.tag, "")


def _types(contract: Contract, classes: UniqueNames) -> None:
    """Set the Python names of the enumerations and their members, and of the classes and their fields.

    `classes` has the names that are already taken in the module.
    """
    for enum in contract.enums:
        name = enum.qname.rpartition("}")[2]
        enum.python = classes.claim(naming.pascal(name.removesuffix("Enum") or name))
        enum.python_values = classes.claim(f"{enum.python}Value")
        members = UniqueNames()
        enum.members = {members.claim(naming.constant(value)): value for value in enum.values}
    for struct in contract.structs:
        # An element of a substitution group often has the same name as its type.
        name = f"{struct.name}_element" if struct.holder == "substitution" else struct.name
        struct.python = classes.claim(naming.pascal(name))
        if struct.changes:
            struct.python_changes = classes.claim(f"{struct.python}Changes")
    spaces: dict[int, UniqueNames] = {}
    for struct in contract.structs:  # bases come before derived types
        spaces[id(struct)] = _fields(struct, spaces)


def _fields(struct: Struct, spaces: dict[int, UniqueNames]) -> UniqueNames:
    """Set the Python names of a class's fields. Returns all names in the class, including inherited ones.

    `spaces` maps the `id()` of a Struct to the names in its class. The base of `struct` must already be in
    `spaces`; `struct` itself is added by the caller.
    """
    taken = UniqueNames(_FIELDS)  # the fields of a request are parameters of a method
    if struct.base is not None:
        taken.add(spaces[id(struct.base)])
    for field in struct.fields:
        field.python = taken.claim(_unreserved(naming.snake(field.wire), _FIELDS))
    if struct.keeps_unknown:
        struct.unknown = taken.claim("unknown")
    return taken


def _unreserved(name: str, reserved: Collection[str]) -> str:
    """Return the name, with a trailing underscore if it is in `reserved`."""
    return f"{name}_" if name in reserved else name
