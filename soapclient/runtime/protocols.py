"""Interfaces between codecs and their callers: document nodes, `Reader`, and the values of REST requests."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from types import MappingProxyType
from typing import Protocol, runtime_checkable

# An encoded element (`request_values`): element name → text, nested element, or a list of either. The key of
# an attribute is "@name". The key of the text of an element with attributes is "$"
# (`docs/explanation/service.md#json`).
Wire = dict[str, "WireValue"]
WireValue = str | Wire | list[str] | list[Wire]


# Unknown elements and attributes. Values of JSON are unchanged, with exact numbers. Values of XML are texts,
# structures as in `Wire`, or lists of these.
KeptValue = str | int | Decimal | bool | list["KeptValue"] | dict[str, "KeptValue"] | None
Kept = dict[str, KeptValue]


class Node(Protocol):
    """The part of lxml's element interface that decoders use. `path_of` has an example."""

    @property
    def tag(self) -> object:
        """The tag in Clark notation. For a comment, it is not a string."""  # as in the stubs of lxml

    @property
    def text(self) -> str | None:
        """The text before the first child."""

    @property
    def tail(self) -> str | None:
        """The text between the end of the element and the next tag."""

    def get(self, key: str, /) -> str | None:
        """Return the value of the attribute `key`, or None if the element does not have it."""

    def keys(self) -> Sequence[str]:
        """Return the names of the attributes."""
        ...

    def items(self) -> Sequence[tuple[str, str]]:
        """Return the names and values of the attributes."""
        ...

    def getparent(self) -> Node | None:
        """Return the parent, or None for the root."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Node]: ...


class DataNode:
    """A node that was not created by an XML parser. It implements only the interface that decoders use."""

    __slots__ = ("_attributes", "_children", "_parent", "tag", "text")

    tail: str | None = None

    def __init__(
        self,
        tag: str,
        parent: Node | None = None,
        attributes: Iterable[tuple[str, str]] = (),
        children: Sequence[Node] = (),
    ) -> None:
        """Create a node. The `children` keep their former parent: their `getparent()` returns that parent."""
        self.tag = tag
        self.text: str | None = None
        self._parent = parent
        self._attributes: Mapping[str, str] = dict(attributes) if attributes else _NOTHING
        self._children = children

    def rename_empty(self, tags: Mapping[str, str]) -> None:
        """Do nothing, because only nodes from JSON have null values and empty arrays.

        `JsonDataNode` overrides this method to change the tags of the values that `left_empty` returns.
        `tags` maps local names to new tags.
        """

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
class JsonDataNode(Protocol):
    """A node from JSON. It also keeps information that XML cannot express.

    For example, it keeps the types of values, and whether a single value was an array with one item.
    """

    def as_written(self) -> KeptValue:
        """Return the JSON value of this node. For an item of an array, return the complete array."""
        ...

    def left_empty(self) -> Mapping[str, KeptValue]:
        """Return the null values and empty arrays by tag. They do not have a child node."""
        ...


class Reader(Protocol):
    """Settings and callbacks of a decoder: time zones, and methods that report contract drift.

    `check_deadline` is called for each item of a list. The other methods are not called for a response that
    matches the contract, so they may be slow. `CountingReader` has an example.
    """

    @property
    def check_deadline(self) -> Callable[[], None]:
        """Function to call repeatedly. It raises an error when the deadline of the call has passed."""
        ...

    @property
    def naive_zone(self) -> dt.tzinfo | None:
        """The zone that date-times without a zone get. None if they stay naive."""
        ...

    @property
    def report_zone(self) -> dt.tzinfo:
        """The time zone of reports: a reporting day begins and ends at midnight in this zone."""
        ...

    def skip_invalid(self, node: Node, text: str, attribute: str = "") -> bool:
        """Return True if an invalid optional value must be skipped, False if it must be an error.

        A value that must be skipped is also reported. `text` is the invalid value. `attribute` is the name of
        the attribute with the value; "" for the value of an element.
        """
        ...

    def unknown_element(self, node: Node) -> None:
        """Report an element that is not in the contract."""
        ...

    def unknown_attribute(self, node: Node, name: str) -> None:
        """Report an attribute that is not in the contract."""
        ...

    def unknown_value(self, node: Node, value: str) -> None:
        """Report a value that the contract does not allow but that can be read."""
        ...

    def missing(self, node: Node, name: str) -> None:
        """Report that `node` lacks a required element or attribute."""
        ...

    def naive_time(self, node: Node, text: str) -> None:
        """Report a date-time without a zone."""
        ...

    def shortened(self, node: Node, text: str) -> None:
        """Report that Python's type cannot hold a part of the value, and that this part is lost.

        Examples are digits beyond microseconds, the zone of a date, and the attributes of a nil element.
        `text` is the received text, or the attribute's name.
        """
        ...
