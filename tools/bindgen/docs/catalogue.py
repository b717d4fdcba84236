"""The types and enumerations of a contract, the types that use them, and their anchors on the page."""

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
    """Unique HTML ids (anchors) of the operations, types, fields and values on a page.

    An id that is already taken gets a number. The ids depend only on the order of the calls of `give`, so
    the same contract always has the same ids.
    """

    def __init__(self) -> None:
        self._ids: dict[Hashable, str] = {}
        self._taken: set[str] = set()

    def give(self, what: Hashable, owner: str, *parts: str) -> str:
        """Return the id of the item `what`. If the item does not have an id yet, create one.

        The new id consists of `owner` and `parts`, joined by dots. `owner` is a kind such as "op", or the id
        of the item that contains `what`. `parts` are names, such as the name of a field. Ids contain letters,
        digits, `_`, `-` and `.` only, so they need no escapes in an address.
        """
        if what not in self._ids:
            anchor = ".".join([owner, *(_ODD.sub("_", item)[:80] or "_" for item in parts)])
            self._ids[what] = naming.unused(anchor, self._taken)
            self._taken.add(self._ids[what])
        return self._ids[what]

    def get(self, what: Hashable) -> str | None:
        """Return the id of the item `what`; None if it does not have an id on the page."""
        return self._ids.get(what)


class Catalogue:
    """The items that the reference page of a contract describes, and the ids of these items on the page.

    `types` are the structs with their own section. A struct that is only the message of one operation is
    described in the section of the operation.
    """

    def __init__(self, contract: Contract) -> None:
        self.contract = contract
        self.anchors = Anchors()
        order = {id(struct): index for index, struct in enumerate(contract.structs)}
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
            (operation, end, struct)
            for operation in contract.operations
            for end, struct in (("request", operation.request), ("response", operation.response))
        ]
        counts = Counter(id(struct) for _, _, struct in self._ends)
        self.types = [struct for struct in reached if counts[id(struct)] != 1 or id(struct) in self._uses]
        self.enums = list(enums.values())
        self._anchor_all(contract)

    def _anchor_all(self, contract: Contract) -> None:
        """Give an id to each operation, type, enumeration, message, field and value."""
        give = self.anchors.give
        for operation in contract.operations:
            give(id(operation), "op", operation.name)
        for struct in self.types:
            give(id(struct), "type", struct.name)
        for enum in self.enums:
            give(id(enum), "enum", enum.qname.rpartition("}")[2])
        for operation, end, struct in self._ends:
            message = give((id(operation), end), "op", operation.name, end)
            for field in struct.all_fields():
                give((message, id(field)), message, part(field))
        for struct in self.types:
            anchor = give(id(struct), "")
            for field in struct.fields:
                give((anchor, id(field)), anchor, part(field))
        for enum in self.enums:
            anchor = give(id(enum), "")
            for value in enum.values:
                give((anchor, value), anchor, value)

    def end(self, operation: Operation, end: Literal["request", "response"]) -> str | None:
        """Return the anchor of an operation's request or response; None if it is not on the page.

        `end` is "request" or "response".
        """
        return self.anchors.get((id(operation), end))

    def of(self, what: object) -> str | None:
        """Return the anchor of an operation, a type or an enumeration; None if it is not on the page."""
        return self.anchors.get(id(what))

    def place(self, struct: Struct) -> str | None:
        """Return the anchor of a type's section, or of the message if the type has no section.

        Returns None if the page has neither.
        """
        ends = (
            self.anchors.get((id(operation), end)) for operation, end, item in self._ends if item is struct
        )
        return self.of(struct) or next(ends, None)

    def request_field(self, operation: Operation, name: str) -> str | None:
        """Return the anchor of the request field with the XML name `name`; None if there is no such field."""
        matches = [field for field in operation.request.all_fields() if field.wire == name]
        return self.anchors.get((self.end(operation, "request"), id(matches[-1]))) if matches else None

    def used_in(self, what: Struct | Enum) -> list[Struct]:
        """Return the types that use a type or an enumeration."""
        return list(self._uses.get(id(what), {}).values())

    def at(self, path: str) -> str | None:
        """Return the anchor of the field at `path`; None if there is no such field.

        A path is TYPE/FIELD or TYPE/@ATTRIBUTE, as in contracts.toml.
        """
        owner, _, name = path.partition("/")
        for struct in (*self.types, *(struct for _, _, struct in self._ends)):
            for field in struct.all_fields() if struct.name == owner else ():
                if part(field) == name and field.kind in ("element", "attribute"):
                    return self.anchors.get((self.place(struct), id(field)))
        return None

    def called(self, name: str) -> str | None:
        """Return the anchor of the operation with this name; None if there is no such operation."""
        return next(
            (self.of(operation) for operation in self.contract.operations if operation.name == name), None
        )


def part(field: Field) -> str:
    """Return the XML name of a field. The name of an attribute gets the prefix `@`.

    The prefix is needed because an attribute and an element can have the same name.
    """
    return f"@{field.wire}" if field.kind == "attribute" else field.wire


def faults(contract: Contract) -> list[tuple[str, Struct]]:
    """Return the name and type of each possible detail of a fault."""
    by_name = dict(contract.faults)
    for operation in contract.operations:
        for fault in operation.faults:
            by_name.setdefault(fault.tag.rpartition("}")[2] or fault.name, fault.type)
    return list(by_name.items())


def _reached(contract: Contract) -> Iterator[Struct]:
    """Yield all types that operations, headers and faults use, each once.

    Leaves out types that only wrap the elements of a list, because the model replaces such a type by a list.
    """
    roots = [*structs(contract), *(struct for _, struct in faults(contract))]
    return reached(roots, lambda item: [*near(item), *([item.restricts] if item.restricts else [])])


def _kinds(kind: Type) -> Iterator[Type]:
    """Yield a type. For a list or union, also yield the simple types of which it consists."""
    yield kind
    for inner in (
        [kind.item] if isinstance(kind, ListOf) else kind.members if isinstance(kind, UnionOf) else []
    ):
        yield from _kinds(inner)
