"""What is in a contract, and where the page says it: the types and enumerations, and who uses them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterator
from typing import Literal

from bindgen import naming
from bindgen.model import Contract, Enum, Field, ListOf, Operation, Struct, Type, UnionOf
from bindgen.passes.walk import near, reached, structs

_ODD = re.compile(r"[^A-Za-z0-9_-]+")


class Anchors:
    """Ids by what they are of. Each is given once, in the order in which it is asked for: so the order in
    which a page is made decides about names that meet, and the same contract gives the same ids."""

    def __init__(self) -> None:
        self._ids: dict[Hashable, str] = {}
        self._taken: set[str] = set()

    def give(self, what: Hashable, owner: str, *parts: str) -> str:
        """The id of `what`: below that of its `owner`, and made of `parts`, if it has none yet. Letters,
        digits, `_`, `-` and `.` alone, so that an address shows it as it is."""
        if what not in self._ids:
            wanted = ".".join([owner, *(_ODD.sub("_", each)[:80] or "_" for each in parts)])
            self._ids[what] = naming.unused(wanted, self._taken)
            self._taken.add(self._ids[what])
        return self._ids[what]

    def get(self, what: Hashable) -> str | None:
        """The id of `what`, None where the page has no such thing."""
        return self._ids.get(what)


class Catalogue:
    """`types` are the structs with a section of their own: messages of one operation stand with that."""

    def __init__(self, contract: Contract) -> None:
        self.contract = contract
        self.anchors = Anchors()
        order = {id(struct): at for at, struct in enumerate(contract.structs)}
        reached = sorted(_reached(contract), key=lambda struct: order.get(id(struct), len(order)))
        self._uses: dict[int, dict[int, Struct]] = {}
        enums = {id(enum): enum for enum in contract.enums}
        for struct in reached:
            for field in struct.all_fields():
                for kind in _kinds((field.item or field).type):
                    self._uses.setdefault(id(kind), {})[id(struct)] = struct
                    if isinstance(kind, Enum):
                        enums.setdefault(id(kind), kind)
        for struct in reached:
            for parent in filter(None, (struct.base, struct.restricts)):
                self._uses.setdefault(id(parent), {})[id(struct)] = struct
        self._ends = [
            (one, end, struct)
            for one in contract.operations
            for end, struct in (("request", one.request), ("response", one.response))
        ]
        met = Counter(id(struct) for _, _, struct in self._ends)
        self.types = [struct for struct in reached if met[id(struct)] != 1 or id(struct) in self._uses]
        self.enums = list(enums.values())
        self._anchor_all(contract)

    def _anchor_all(self, contract: Contract) -> None:
        give = self.anchors.give
        for operation in contract.operations:
            give(id(operation), "op", operation.name)
        for struct in self.types:
            give(id(struct), "type", struct.name)
        for enum in self.enums:
            give(id(enum), "enum", enum.qname.rpartition("}")[2])
        for operation, end, struct in self._ends:
            whole = give((id(operation), end), "op", operation.name, end)
            for field in struct.all_fields():
                give((whole, id(field)), whole, part(field))
        for struct in self.types:
            own = give(id(struct), "")
            for field in struct.fields:
                give((own, id(field)), own, part(field))
        for enum in self.enums:
            own = give(id(enum), "")
            for value in enum.values:
                give((own, value), own, value)

    def end(self, operation: Operation, end: Literal["request", "response"]) -> str | None:
        """The anchor of a message of an operation."""
        return self.anchors.get((id(operation), end))

    def of(self, what: object) -> str | None:
        """The anchor of an operation, a type or an enumeration."""
        return self.anchors.get(id(what))

    def place(self, struct: Struct) -> str | None:
        """The anchor of a type, or of the operation whose message it is."""
        ends = (self.anchors.get((id(one), end)) for one, end, each in self._ends if each is struct)
        return self.of(struct) or next(ends, None)

    def request_field(self, operation: Operation, name: str) -> str | None:
        """The anchor of the field of a request that is called `name` in XML."""
        found = [field for field in operation.request.all_fields() if field.wire == name]
        return self.anchors.get((self.end(operation, "request"), id(found[-1]))) if found else None

    def used_in(self, what: Struct | Enum) -> list[Struct]:
        """What a type or an enumeration occurs in, each once."""
        return list(self._uses.get(id(what), {}).values())

    def at(self, path: str) -> str | None:
        """The anchor of what contracts.toml calls TYPE/FIELD or TYPE/@ATTRIBUTE."""
        owner, _, name = path.partition("/")
        for struct in (*self.types, *(struct for _, _, struct in self._ends)):
            for field in struct.all_fields() if struct.name == owner else ():
                if part(field) == name and field.kind in ("element", "attribute"):
                    return self.anchors.get((self.place(struct), id(field)))
        return None

    def called(self, name: str) -> str | None:
        """The anchor of the operation of that name."""
        return next((self.of(one) for one in self.contract.operations if one.name == name), None)


def part(field: Field) -> str:
    """What a field is called, in an id, too: attributes and elements may have one name."""
    return f"@{field.wire}" if field.kind == "attribute" else field.wire


def faults(contract: Contract) -> list[tuple[str, Struct]]:
    """Name and type of every detail that a fault may carry, each once."""
    found = dict(contract.faults)
    for operation in contract.operations:
        for fault in operation.faults:
            found.setdefault(fault.tag.rpartition("}")[2] or fault.name, fault.type)
    return list(found.items())


def _reached(contract: Contract) -> Iterator[Struct]:
    """Every type that operations, their headers and faults reach, each once; none that only wraps a list."""
    roots = [*structs(contract), *(struct for _, struct in faults(contract))]
    return reached(roots, lambda one: [*near(one), *([one.restricts] if one.restricts else [])])


def _kinds(kind: Type) -> Iterator[Type]:
    """The type, and those that a list or a union of simple types is made of."""
    yield kind
    for one in [kind.item] if isinstance(kind, ListOf) else kind.members if isinstance(kind, UnionOf) else []:
        yield from _kinds(one)
