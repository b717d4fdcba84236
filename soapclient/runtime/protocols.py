"""What the codec is given and gives: nodes of documents, an ear for findings, values as REST sends them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from types import MappingProxyType
from typing import Protocol, runtime_checkable

# A written element (`request_values`): element name → text, nested element, or a list of either. Attributes
# are keyed "@name" and the text beside attributes "$", as in `docs/explanation/service.md#json`.
Wire = dict[str, "WireValue"]
WireValue = str | Wire | list[str] | list[Wire]


# What is kept without being in the contract: as JSON gave it, numbers exactly; by XML everything is a text, a
# structure as in `Wire`, or a list of these.
KeptValue = str | int | Decimal | bool | list["KeptValue"] | dict[str, "KeptValue"] | None
Kept = dict[str, KeptValue]


class Node(Protocol):
    """An lxml element, as far as decoders look at it."""

    @property
    def tag(self) -> object: ...  # a str, but for comments; stubs of lxml differ about the type
    @property
    def text(self) -> str | None: ...
    @property
    def tail(self) -> str | None: ...
    def get(self, key: str, /) -> str | None: ...
    def keys(self) -> Sequence[str]: ...
    def items(self) -> Sequence[tuple[str, str]]: ...
    def getparent(self) -> Node | None: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Node]: ...


class MadeNode:
    """A node that no parser made: what decoders look at, and no more."""

    __slots__ = ("_attributes", "_children", "_parent", "tag", "text")

    tail: str | None = None

    def __init__(
        self,
        tag: str,
        parent: Node | None = None,
        attributes: Iterable[tuple[str, str]] = (),
        children: Sequence[Node] = (),
    ) -> None:
        """The children keep the parent that they have, and so their path."""
        self.tag = tag
        self.text: str | None = None
        self._parent = parent
        self._attributes: Mapping[str, str] = dict(attributes) if attributes else _NOTHING
        self._children = children

    def rename_empty(self, tags: Mapping[str, str]) -> None:
        """Give what left no child another tag, by its local name."""

    def get(self, key: str, /) -> str | None:
        return self._attributes.get(key)

    def keys(self) -> list[str]:
        return list(self._attributes)

    def items(self) -> list[tuple[str, str]]:
        return list(self._attributes.items())

    def getparent(self) -> Node | None:
        return self._parent

    def __len__(self) -> int:
        return len(self._children)

    def __iter__(self) -> Iterator[Node]:
        return iter(self._children)


_NOTHING: Mapping[str, str] = MappingProxyType({})


@runtime_checkable
class JsonMade(Protocol):
    """A node that was made of JSON, which tells more than elements do: types of values, and lists of one."""

    def as_written(self) -> KeptValue:
        """All that stood under the name that this node has, in the object that it came in."""
        ...

    def left_empty(self) -> Mapping[str, KeptValue]:
        """What this object held and no child tells of: null and arrays without anything, by tag."""
        ...


class Reader(Protocol):
    """What a decoder is given beside the element: zones, and an ear for what the contract does not know.

    `check_deadline` is called for each item of a list. The other methods are not called for a response that
    keeps the contract, so they may be slow.
    """

    @property
    def check_deadline(self) -> Callable[[], None]:
        """Raise an error if reading takes longer than the call may take. Called again and again."""
        ...

    @property
    def naive_zone(self) -> dt.tzinfo | None:
        """The zone of a date-time that names none; None where it stays without one."""
        ...

    @property
    def report_zone(self) -> dt.tzinfo:
        """The zone whose midnights bound a reporting day."""
        ...

    def skip_invalid(self, node: Node, text: str, attribute: str = "") -> bool:
        """Report an invalid value of an optional element or attribute, and return True if it is skipped."""
        ...

    def unknown_element(self, node: Node) -> None: ...
    def unknown_attribute(self, node: Node, name: str) -> None: ...
    def unknown_value(self, node: Node, value: str) -> None: ...
    def missing(self, node: Node, name: str) -> None: ...
    def naive_time(self, node: Node, text: str) -> None: ...
    def shortened(self, node: Node, text: str) -> None:
        """A part is left out that Python's type cannot hold: what is finer than microseconds, the zone of a
        date, attributes of a nil element. `text` is what came, or the attribute's name."""
        ...
