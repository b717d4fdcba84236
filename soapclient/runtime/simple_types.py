"""Values without structure: the text of an element, of an attribute, or beside attributes.

A type's `quick` takes the usual text at once; what is unusual in any way (white space, attributes, nothing at
all) goes through `read_slowly`, which knows the rules and the errors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Generic, NoReturn, TypeVar

from soapclient.runtime.errors import DecodeError, EncodeError, local_name, path_of
from soapclient.runtime.protocols import Node, Reader
from soapclient.runtime.white_space import BLANK, collapsed

if TYPE_CHECKING:
    from soapclient.runtime.elements import Element

T = TypeVar("T")
EnumT = TypeVar("EnumT", bound=StrEnum)

Parse = Callable[[str, Reader, Node], T]
Quick = Callable[[str], T]
Read = Callable[[Node, Reader], T]
TextAt = Callable[[object, "Element"], str]

_NIL = "{http://www.w3.org/2001/XMLSchema-instance}nil"

# What a type's functions may raise for a text that is no value; OverflowError and ArithmeticError come of
# numbers and years that Python cannot hold.
refusals = (ValueError, TypeError, KeyError, OverflowError, ArithmeticError)


class Scalar(Generic[T]):
    """One simple type.

    `parse(text, reader, node)` raises one of `refusals` for a text outside the type's lexical space, and so
    does `text(value)` for a value outside its value space. `quick(text)` is what `parse` gives for a usual
    text, and raises one of `refusals` for any that asks for a closer look. `read(node, reader)` is the value
    of an element, `content(node, reader)` that of the text beside an element's attributes, `attribute(node,
    reader, name, text)` that of an attribute. `text_at(value, node)` is `text` where that depends on the
    prefixes of the element that it stands in. `expected` describes the type in an error about a response,
    `allowed` in one about a request. `mixed`: text on both sides of an element that has no place there is
    still one text, as it is of a string and of nothing else.
    """

    __slots__ = ("_give", "allowed", "expected", "mixed", "parse", "quick", "text", "text_at")

    def __init__(
        self,
        expected: str,
        parse: Parse[T],
        text: Callable[[object], str],
        *,
        quick: Quick[T] | None = None,
        give: str = "",
        text_at: TextAt | None = None,
        mixed: bool = False,
    ) -> None:
        """`give`: what to pass in Python."""
        self.expected = expected
        self.allowed = f"{expected}: give {give}" if give else expected
        self.mixed = mixed
        self.parse = parse
        self.quick: Quick[T] = quick or _never_quick
        self.text = text
        self.text_at: TextAt = text_at or self._text_at
        self._give = give

    def written_as(self, text: Callable[[object], str]) -> Scalar[T]:
        """The same type, written in another form."""
        return Scalar(self.expected, self.parse, text, quick=self.quick, give=self._give, mixed=self.mixed)

    def read(self, node: Node, reader: Reader) -> T:
        """The value of an element. Raises DecodeError."""
        text = node.text
        if text is not None and not (node.keys() or len(node)):
            try:
                return self.quick(text)
            except refusals:
                pass
        return read_slowly(node, reader, self)

    def content(self, node: Node, reader: Reader) -> T:
        """The value of the text beside an element's attributes. Raises DecodeError."""
        return parsed(content_text(node, reader), node, reader, self)

    def attribute(self, node: Node, reader: Reader, name: str, text: str) -> T:
        """The value of an attribute. Raises DecodeError."""
        return attribute_slowly(node, reader, name, text, self)

    def or_default(self, node: Node, reader: Reader, default: str) -> T:
        """The value of an element; an empty one has the contract's default."""
        return parsed(full_text(node, reader) or default, node, reader, self)

    def write(self, value: object, node: Element, path: str) -> None:
        """Make the value the text of an element. Raises EncodeError."""
        node.text = self.put(value, node, path)

    def put(self, value: object, node: Element, path: str) -> str:
        """The text of a value in an element, or in an attribute of it. Raises EncodeError."""
        try:
            return self.text_at(value, node)
        except refusals as error:
            raise EncodeError(path, value, self.allowed, str(error) or "it does not fit") from None

    def _text_at(self, value: object, node: Element) -> str:
        return self.text(value)


def _never_quick(text: str) -> NoReturn:
    raise ValueError


class Choice(Generic[EnumT]):
    """An enumeration: open when read (an unknown value is counted and stays a str), closed when written.

    `collapse`: white space around a value does not count.
    """

    __slots__ = ("collapse", "expected", "members", "quick")

    def __init__(self, enum: type[EnumT], *, collapse: bool = False) -> None:
        self.members: Mapping[str, EnumT] = {member.value: member for member in enum}
        self.expected = "one of " + ", ".join(map(repr, self.members))
        self.collapse = collapse
        self.quick: Quick[EnumT] = self.members.__getitem__

    @property
    def allowed(self) -> str:
        """What may be given."""
        return self.expected

    def parse(self, text: str, reader: Reader, node: Node) -> EnumT | str:
        """The value of a text."""
        return self.members.get(text) or self._unknown(node, reader, text)

    def read(self, node: Node, reader: Reader) -> EnumT | str:
        """The value of an element."""
        text = node.text
        if text is None or node.keys() or len(node):
            text = self._one_text(node, full_text(node, reader))
        return self.members.get(text) or self._unknown(node, reader, text)

    def content(self, node: Node, reader: Reader) -> EnumT | str:
        """The text beside an element's attributes."""
        text = self._one_text(node, content_text(node, reader))
        return self.members.get(text) or self._unknown(node, reader, text)

    def attribute(self, node: Node, reader: Reader, name: str, text: str) -> EnumT | str:
        """The value of an attribute."""
        return self.members.get(text) or self._unknown(node, reader, text)

    def or_default(self, node: Node, reader: Reader, default: str) -> EnumT | str:
        """The value of an element; an empty one has the contract's default."""
        text = self._one_text(node, full_text(node, reader)) or default
        return self.members.get(text) or self._unknown(node, reader, text)

    def _one_text(self, node: Node, text: str) -> str:
        """`text`, unless an element parts it: `re<a/>d` is no `red`. Raises DecodeError."""
        if any(isinstance(child.tag, str) and (child.tail or "").strip(BLANK) for child in node):
            raise DecodeError(path_of(node), _as_it_stands(node), self.expected)
        return text

    def _unknown(self, node: Node, reader: Reader, text: str) -> EnumT | str:
        if text in self.members:  # the empty text may be a member, and is false
            return self.members[text]
        if self.collapse and (known := self.members.get(collapsed(text))) is not None:
            return known
        reader.unknown_value(node, text)
        return text

    def text(self, value: object) -> str:
        """The wire value of a member, or of a str that equals one."""
        if isinstance(value, str) and value in self.members:
            return self.members[value].value
        raise ValueError

    def text_at(self, value: object, node: Element) -> str:
        """As `text`."""
        return self.text(value)

    def write(self, value: object, node: Element, path: str) -> None:
        """Make the value the text of an element. Raises EncodeError."""
        node.text = self.put(value, node, path)

    def put(self, value: object, node: Element, path: str) -> str:
        """The text of a value. Raises EncodeError."""
        try:
            return self.text(value)
        except refusals:
            raise EncodeError(path, value, self.expected) from None


def read_slowly(node: Node, reader: Reader, scalar: Scalar[T]) -> T:
    """The value of an element of simple type, whatever it holds. Raises DecodeError."""
    return parsed(full_text(node, reader), node, reader, scalar)


def attribute_slowly(node: Node, reader: Reader, name: str, text: str, scalar: Scalar[T]) -> T:
    """The value of an attribute, whatever it holds. Raises DecodeError."""
    try:
        return scalar.parse(text, reader, node)
    except refusals:
        raise DecodeError(f"{path_of(node)}/@{local_name(name)}", text, scalar.expected) from None


def parsed(text: str, node: Node, reader: Reader, scalar: Scalar[T]) -> T:
    """The value of an element's text. Raises DecodeError, also where an element stands in it: what it means
    then nobody knows, but that `11<a/>21` is not 1121."""
    if len(node) and not scalar.mixed and _holds_elements(node):
        raise DecodeError(path_of(node), _as_it_stands(node), scalar.expected)
    try:
        return scalar.parse(text, reader, node)
    except refusals:
        raise DecodeError(path_of(node), text, scalar.expected) from None


def full_text(node: Node, reader: Reader) -> str:
    """An element's text, where the contract gives it no attributes: what there are is reported."""
    no_attributes(node, reader)
    return _own_text(node, reader)


def content_text(node: Node, reader: Reader) -> str:
    """An element's text, where the contract gives it attributes. One that says that it is nil and has text
    all the same is read, and reported."""
    text = _own_text(node, reader)
    if text and says_nil(node):
        reader.unknown_value(node, "xsi:nil")
    else:
        _no_nil(node)
    return text


def _own_text(node: Node, reader: Reader) -> str:
    """An element's text: a comment does not end it, an element that has no place in it is reported."""
    text = node.text or ""
    for child in node:
        reader.unknown_element(child)
        text += child.tail or ""
    return text


def _holds_elements(node: Node) -> bool:
    return any(isinstance(child.tag, str) for child in node)


def _as_it_stands(node: Node) -> str:
    """An element's text and what stands in it, for an error."""
    inside = (f"<{local_name(child.tag)}/>" if isinstance(child.tag, str) else "" for child in node)
    tails = (child.tail or "" for child in node)
    return (node.text or "") + "".join(each for pair in zip(inside, tails, strict=True) for each in pair)


def says_nil(node: Node) -> bool:
    """Whether an element says that it is nil."""
    return node.get(_NIL) in {"true", "1"}


def _no_nil(node: Node) -> None:
    """Refuse a nil where the contract knows none: to read it as empty would make up a value."""
    if says_nil(node):
        raise DecodeError(path_of(node), "xsi:nil", "a value: the contract knows no nil here")


def read_optional(node: Node, reader: Reader, read: Read[T]) -> T | None:
    """The value of an element that may be left out; one that is there and has no value, though its type has
    no empty one or the contract knows no nil here, is reported and taken for left out."""
    try:
        return read(node, reader)
    except DecodeError:
        if len(node) or (node.text or "").strip(BLANK):
            raise
        reader.unknown_value(node, "xsi:nil" if says_nil(node) else "")
        return None


def read_unless_nil(node: Node, reader: Reader, read: Read[T]) -> T | None:
    """As `read_optional`, for types with structure: what such an element lacks is an error, unless it says
    that it is nil."""
    if says_nil(node) and not len(node) and not (node.text or "").strip(BLANK):
        reader.unknown_value(node, "xsi:nil")
        return None
    return read(node, reader)


def says_nothing(node: Node, reader: Reader) -> bool:
    """Whether an element that may be left out says that it is nil, though the contract knows no nil for it;
    that is reported."""
    if not says_nil(node) or len(node) or (node.text or "").strip(BLANK):
        return False
    reader.unknown_value(node, "xsi:nil")
    return True


def no_attributes(node: Node, reader: Reader) -> None:
    """Report the attributes of an element that is to have none."""
    _no_nil(node)
    for name in node.keys():  # noqa: SIM118 - an element iterates over its children, not over its attributes
        reader.unknown_attribute(node, name)
