"""Types that others derive from: which of them an element is, by `xsi:type` and by Python class."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, Protocol, TypeVar

from soapclient.runtime.any_element import XSI_TYPE
from soapclient.runtime.elements import Element, qname_text
from soapclient.runtime.errors import DecodeError, EncodeError, path_of
from soapclient.runtime.leaves import no_attributes
from soapclient.runtime.protocols import Node, Reader
from soapclient.runtime.texts import Q_NAME

# What SOAP's own encodings say of arrays is no type of the contract's (SOAP 1.1 5.4.2, SOAP 1.2 part 2 3).
_ENCODINGS = (
    "{http://schemas.xmlsoap.org/soap/encoding/}",
    "{http://www.w3.org/2003/05/soap-encoding}",
)

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


def no_attributes_of(node: Node, reader: Reader, declared: str) -> None:
    """As `no_attributes`, for an element of the type `declared`, which no other may stand for."""
    if node.keys():
        no_attributes(node, reader)
        said = node.get(XSI_TYPE)
        if said is not None:
            _own_type(node, reader, said, declared)


def further_attribute(node: Node, reader: Reader, name: str, declared: str) -> None:
    """Report an attribute that the type `declared` lacks; its `xsi:type` only where it names another one."""
    if name == XSI_TYPE:
        _own_type(node, reader, node.get(XSI_TYPE) or "", declared)
    else:
        reader.unknown_attribute(node, name)


def _own_type(node: Node, reader: Reader, said: str, declared: str) -> None:
    try:
        name = Q_NAME.parse(said, reader, node)
    except ValueError:
        name = ""
    if name != declared and not name.startswith(_ENCODINGS):
        reader.unknown_value(node, said)


class Known(Generic[T]):
    """A type that may stand for another: its name (Clark notation), its class, how it is read and written."""

    __slots__ = ("_read", "_write", "abstract", "kind", "name")

    def __init__(
        self,
        name: str,
        kind: type[T],
        read: Callable[[Node, Reader], T],
        write: Callable[[T, Element, str], None],
        *,
        abstract: bool = False,
    ) -> None:
        self.name = name
        self.kind = kind
        self.abstract = abstract
        self._read = read
        self._write = write

    def read(self, node: Node, reader: Reader) -> T:
        """The value of an element."""
        return self._read(node, reader)

    def write(self, value: object, node: Element, path: str) -> None:
        """Fill an element. Raises EncodeError."""
        if not isinstance(value, self.kind):
            raise EncodeError(path, value, f"a {self.kind.__name__}")
        self._write(value, node, path)


class AnyKnown(Protocol[T_co]):
    """A `Known` of a type, or of one that is part of it."""

    @property
    def name(self) -> str: ...
    @property
    def abstract(self) -> bool: ...
    @property
    def kind(self) -> type[T_co]: ...
    def read(self, node: Node, reader: Reader, /) -> T_co: ...
    def write(self, value: object, node: Element, path: str, /) -> None: ...


class Derived(Generic[T]):
    """A declared type and all that derive from it, the declared one first."""

    __slots__ = ("_by_class", "_by_name", "_declared")

    def __init__(self, kinds: Sequence[AnyKnown[T]]) -> None:
        self._declared = kinds[0]
        self._by_name = {known.name: known for known in kinds}
        self._by_class: dict[type, AnyKnown[T]] = {known.kind: known for known in kinds}

    def read(self, node: Node, reader: Reader) -> T:
        """The value of an element; of an unknown `xsi:type` it is counted, and read as the declared one.

        Raises DecodeError, also where that one is abstract.
        """
        said = node.get(XSI_TYPE)
        if said is None:
            return self._concrete(self._declared, node, said).read(node, reader)
        try:
            known = self._by_name.get(Q_NAME.parse(said, reader, node))
        except ValueError:
            known = None
        if known is None:
            reader.unknown_value(node, said)
            known = self._declared
        return self._concrete(known, node, said).read(node, reader)

    def write(self, value: object, node: Element, path: str) -> None:
        """Fill an element, and say which type it is where it is not the declared one. Raises EncodeError."""
        found = (self._by_class.get(kind) for kind in type(value).__mro__)
        known = next((one for one in found if one is not None), None)
        if known is None or known.abstract:
            raise EncodeError(path, value, f"one of {self._names()}")
        if known is not self._declared:
            node.set(XSI_TYPE, qname_text(node, known.name))
        known.write(value, node, path)

    def _concrete(self, known: AnyKnown[T], node: Node, said: str | None) -> AnyKnown[T]:
        if known.abstract:
            raise DecodeError(path_of(node), said, f"an xsi:type that the contract knows: {self._names()}")
        return known

    def _names(self) -> str:
        return ", ".join(known.kind.__name__ for known in self._by_class.values() if not known.abstract)
