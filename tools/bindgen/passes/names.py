"""What is left to generate, and its Python names, unique where they meet: classes and functions in their
module, fields in their class, members in their enum, methods in their service."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from bindgen import naming
from bindgen.model import Anything, Contract, Enum, ListOf, Struct, Type, UnionOf
from bindgen.naming import Space
from bindgen.passes.walk import structs
from bindgen.problems import Problem
from soapclient.runtime.service import RESERVED


def reachable(contract: Contract) -> None:
    """Collect the contract's structs and enums."""
    found = sorted(structs(contract), key=lambda struct: (struct.place.file, struct.place.line))
    enums: dict[int, Enum] = {}
    for struct in found:
        for field in struct.fields:
            for enum in _enums(field.item.type if field.item else field.type):
                enums[id(enum)] = enum
    _simple_types(contract, found, enums)
    contract.structs = _bases_first(found)
    contract.enums = sorted(enums.values(), key=lambda enum: (enum.place.file, enum.place.line))


def _simple_types(contract: Contract, found: list[Struct], enums: dict[int, Enum]) -> None:
    """Keep the simple types that elements of xs:anyType can have: those that are generated."""
    named = contract.simple_types
    if contract.all_types:
        enums |= {id(enum): enum for kind in named.values() for enum in _enums(kind)}
    fields = (field.item or field for struct in found for field in struct.fields)
    has_any_type = any(field.kind == "element" and isinstance(field.type, Anything) for field in fields)
    contract.simple_types = {
        name: kind
        for name, kind in named.items()
        if has_any_type and all(id(enum) in enums for enum in _enums(kind))
    }


def _enums(kind: Type) -> Iterator[Enum]:
    """A simple type, if it is an enumeration, and those it is made of."""
    if isinstance(kind, Enum):
        yield kind
    elif isinstance(kind, ListOf):
        yield from _enums(kind.item)
    elif isinstance(kind, UnionOf):
        for member in kind.members:
            yield from _enums(member)


def _bases_first(found: list[Struct]) -> list[Struct]:
    """The structs in their order, but for those that others extend: a class needs its base to be there."""
    ordered: dict[int, Struct] = {}
    for struct in found:
        chain = []
        above: Struct | None = struct
        while above is not None and id(above) not in ordered:
            chain.append(above)
            above = above.base
        ordered |= {id(each): each for each in reversed(chain)}
    return list(ordered.values())


# Names that generated modules use themselves; other names of the run time make room for the contract's own.
_CLASSES = {"ClassVar", "Decimal", "Literal", "Mapping", "NIL", "PACKAGE", "Record", "Sequence", "StrEnum"}
_CLASSES |= {"AnyElement", "AnyValue", "KeptValue", "Nil", "TYPE_CHECKING", "TypedDict"}
_CONSTANTS = {"NIL", "PACKAGE", "PORT_TYPE", "TYPE_CHECKING"}
_BUILT_IN = {"bool", "bytes", "dict", "dt", "float", "int", "list", "str"}  # annotations say these
_FIELDS = {"copied", "copied_lists", "copied_lists_or_nil", "on_page", "self", *_BUILT_IN}
_METHODS = {*RESERVED, *_BUILT_IN}


def names(contract: Contract) -> None:
    """Name everything; each port type has a service class of its own."""
    classes = Space(_CLASSES)
    used = dict.fromkeys(operation.port_type for operation in contract.operations)
    port_types = dict.fromkeys(port.port_type for port in contract.ports if port.port_type in used)
    for at, port_type in enumerate({**port_types, **used}):
        own = naming.pascal(port_type.rpartition("}")[2]).removesuffix("Service")
        # The first after our own name of the contract, whatever its WSDL calls the service.
        name = f"{own}Service" if at else naming.pascal(f"{contract.name}_service")
        contract.service_classes[port_type] = classes.claim(name)
    contract.service_class = next(iter(contract.service_classes.values()), "")
    for port_type, name in contract.service_classes.items():
        listed = [one for one in contract.operations if one.port_type == port_type and one.list_field]
        marks = ["Async", *["Streams", "AsyncStreams"] * bool(listed)]
        if listed and contract.settings.section("paging"):
            marks += ["Pages", "AsyncPages"]
        for mark in marks:
            contract.further_classes[name + mark] = classes.claim(name + mark)
    if contract.settings.section("order"):
        contract.order_options = classes.claim("OrderOptions")
    _types(contract, classes)
    constants = Space(_CONSTANTS)  # operations stand in one module with the classes they use
    constants.add(classes)
    for port_type in contract.service_classes:
        own_operations = [each for each in contract.operations if each.port_type == port_type]
        methods = Space(_METHODS)
        for operation in own_operations:
            plain = naming.snake(operation.name)
            operation.method = methods.claim(_beside(plain, _METHODS))
            if plain in RESERVED:
                why = f"{operation.name} is the method {operation.method}: services have {plain} themselves"
                contract.remarks.append(Problem(why))
            operation.constant = constants.claim(naming.constant(operation.name))
        for operation in own_operations:  # after all that have a name of their own
            if operation.request.derived and not operation.request.abstract:
                operation.whole_method = methods.claim(f"{operation.method}_with")
    for operation in contract.operations:
        taken = Space({*_FIELDS, "request", *(field.python for field in operation.request.all_fields())})
        names = {
            header.tag: taken.claim(f"{naming.snake(header.name).removesuffix('_header')}_header")
            for header in operation.sent_headers()
        }
        for header in operation.headers():
            header.python = names.get(header.tag, "")


def _types(contract: Contract, classes: Space) -> None:
    for enum in contract.enums:
        name = enum.qname.rpartition("}")[2]
        enum.python = classes.claim(naming.pascal(name.removesuffix("Enum") or name))
        enum.python_values = classes.claim(f"{enum.python}Value")
        members = Space()
        enum.members = {members.claim(naming.constant(value)): value for value in enum.values}
    for struct in contract.structs:
        # An element of a substitution group is often called like its type.
        name = f"{struct.name}_element" if struct.holder == "substitution" else struct.name
        struct.python = classes.claim(naming.pascal(name))
        if struct.changes:
            struct.python_changes = classes.claim(f"{struct.python}Changes")
    spaces: dict[int, Space] = {}
    for struct in contract.structs:  # bases stand before what extends them
        spaces[id(struct)] = _fields(struct, spaces)


def _fields(struct: Struct, spaces: dict[int, Space]) -> Space:
    taken = Space(_FIELDS)  # fields of a request are parameters of a method
    if struct.base is not None:
        taken.add(spaces[id(struct.base)])
    for field in struct.fields:
        field.python = taken.claim(_beside(naming.snake(field.wire), _FIELDS))
    if struct.keeps_unknown:
        struct.unknown = taken.claim("unknown")
    return taken


def _beside(name: str, own: Collection[str]) -> str:
    """Names of our own get an underscore behind them, as keywords do, and no number."""
    return f"{name}_" if name in own else name
