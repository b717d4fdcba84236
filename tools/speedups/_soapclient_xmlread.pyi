"""Types of the compiled reader."""

from collections.abc import Callable
from typing import Any

INTERFACE: int
STRING: int
INTEGER: int
DECIMAL: int
FLOAT: int
DATE_TIME: int
DATE: int
BOOLEAN: int
ENUMERATION: int
PARSED: int
STRUCT: int
LIST: int
UNSUPPORTED: int
VALUE: int
FACTORY: int
REQUIRED: int

class Slow(Exception): ...

class Field:
    tag: bytes
    kind: int
    repeats: bool
    has_default: bool
    members: dict[bytes, object] | None
    parse: Callable[[str], object] | None
    plan: Plan | None
    item: Field | None

    def __init__(
        self,
        tag: bytes,
        kind: int,
        *,
        repeats: bool = False,
        has_default: bool = False,
        low: int = 0,
        high: int = 0,
        members: dict[bytes, object] | None = None,
        parse: Callable[[str], object] | None = None,
        plan: Plan | None = None,
        item: Field | None = None,
    ) -> None: ...

class Plan:
    struct_type: Any  # Any: a class of a generated package, whose fields are known only at run time
    unsupported: str
    is_complete: bool
    elements: tuple[Field, ...]
    attributes: tuple[Field, ...]
    text: Field | None

    def __init__(self, struct_type: type, fill: Callable[[Plan], None]) -> None: ...
    def define(
        self,
        elements: list[tuple[str, Field]],
        attributes: list[tuple[str, Field]],
        texts: list[tuple[str, Field]],
        defaults: list[tuple[str, int, object]],
        unsupported: str,
    ) -> None: ...
    def complete(self) -> None: ...

class Reader:
    result: object
    head: object
    items: list[object]
    list_began: bool
    depth: int

    def __init__(
        self, plan: Plan, tag: bytes, namespaces: frozenset[str], listed: Field | None = None
    ) -> None: ...
    def feed(self, data: bytes, last: bool = False) -> None: ...

# Any: a class of a generated package
def read_json(plan: Plan, data: bytes, check_deadline: Callable[[], None]) -> Any: ...
