"""Simple types: values in the text of an element or an attribute.

The function `quick` of a type converts common texts fast. All other texts (empty, with white space, or in an
element with attributes) are converted by `parsed`, which implements all rules and errors.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, Generic, NoReturn, TypeVar, cast

from soapclient.runtime.days import REFUSED, Days
from soapclient.runtime.errors import AS_TEXT, INVALID, DecodeError, EncodeError, local_name, path_of
from soapclient.runtime.lexical import BLANK, SPACES, collapsed, items
from soapclient.runtime.nil import has_content, refuse_nil, says_nil
from soapclient.runtime.numpy_values import is_foreign, plain_day, plain_value
from soapclient.runtime.protocols import Node, Reader

if TYPE_CHECKING:
    from soapclient.runtime.elements import Element

T = TypeVar("T")
EnumT = TypeVar("EnumT", bound=StrEnum)

Parse = Callable[[str, Reader, Node], T]
Quick = Callable[[str], T]
Read = Callable[[Node, Reader], T]
TextAt = Callable[[object, "Element"], str]

# Exceptions of a type's functions for an invalid text. OverflowError and ArithmeticError are raised for
# numbers and years that Python cannot represent.
refusals = (ValueError, TypeError, KeyError, OverflowError, ArithmeticError)


class Skipped(Exception):
    """Raised instead of DecodeError if an invalid value must be skipped. The caller leaves the value out."""


class Scalar(Generic[T]):
    """A simple type: converts between texts and Python values.

    A type has these functions. If they refuse a text or a value, they raise an exception of the tuple
    `refusals`.

    - `parse(text, reader, node)` converts a text. It refuses texts outside the type's lexical space.
    - `quick(text)` is a fast `parse` for common texts. It refuses all other texts, even if they are valid.
    - `text(value)` converts a value to text. It refuses values outside the type's value space.
    - `text_at(value, node)` is like `text`, but uses the namespace prefixes in scope at `node` (QNames).

    These methods return a value or raise DecodeError. With `skippable=True`, the value is optional: if it is
    invalid and the reader skips invalid values, it is reported and Skipped is raised instead.

    - `read(node, reader)`: the value of an element.
    - `content(node, reader)`: the value of the text in an element with attributes.
    - `attribute(node, reader, name, text)`: the value of an attribute.

    `expected` describes the type in errors about responses, `allowed` in errors about requests. If `mixed` is
    True, as for strings, an unexpected child element does not make the text invalid.

    >>> from decimal import Decimal
    >>> from lxml import etree
    >>> from soapclient.runtime import CountingReader, Scalar
    >>> price = Scalar("a price", lambda text, reader, node: Decimal(text), str, give="a Decimal")
    >>> price.read(etree.fromstring("<price>5.20</price>"), CountingReader())
    Decimal('5.20')
    """

    __slots__ = ("_give", "_python", "allowed", "expected", "mixed", "parse", "quick", "text", "text_at")

    def __init__(
        self,
        expected: str,
        parse: Parse[T],
        text: Callable[[object], str],
        *,
        quick: Quick[T] | None = None,
        give: str = "",
        python: str = "",
        text_at: TextAt | None = None,
        mixed: bool = False,
    ) -> None:
        """Create a type. The class docstring describes the other arguments.

        `give` and `python` are texts for errors about requests. They say which Python values to pass, such as
        "a Decimal". The error contains `python` if the caller passed a valid value as a string ("5" instead
        of 5), otherwise `give`.
        """
        self.expected = expected
        self.allowed = f"{expected}: give {give}" if give else expected
        self.mixed = mixed
        self.parse = parse
        self.quick: Quick[T] = quick or _never_quick
        self.text = text
        self.text_at: TextAt = text_at or self._text_at
        self._give = give
        self._python = python

    def written_as(self, format_value: Callable[[object], str]) -> Scalar[T]:
        """Return a copy of this type that writes values with the function `format_value`."""
        return Scalar(
            self.expected,
            self.parse,
            format_value,
            quick=self.quick,
            give=self._give,
            python=self._python,
            mixed=self.mixed,
        )

    def read(self, node: Node, reader: Reader, *, skippable: bool = False) -> T:
        """Return the value of an element.

        Raises DecodeError if the value is invalid, or Skipped if it is invalid and must be skipped.
        """
        text = node.text
        if text is not None and not (node.keys() or len(node)):
            try:
                return self.quick(text)
            except refusals:
                pass
        return self.parsed(full_text(node, reader), node, reader, skippable=skippable)

    def content(self, node: Node, reader: Reader, *, skippable: bool = False) -> T:
        """Return the value of the text in an element with attributes.

        Raises DecodeError if the value is invalid, or Skipped if it is invalid and must be skipped.
        """
        return self.parsed(content_text(node, reader), node, reader, skippable=skippable)

    def optional(self, node: Node, reader: Reader) -> T | None:
        """Return the value of an optional element that is not nillable.

        A nil element is reported and read as None. The same applies to an empty element if its type does not
        allow an empty text. Raises DecodeError for other invalid values, or Skipped if they must be skipped.
        """
        if has_content(node):
            return self.read(node, reader, skippable=True)
        if says_nil(node):
            reader.unknown_value(node, "xsi:nil")
            return None
        try:
            return self.parse(full_text(node, reader), reader, node)
        except refusals:
            reader.unknown_value(node, "")
            return None

    def attribute(self, node: Node, reader: Reader, name: str, text: str, *, skippable: bool = False) -> T:
        """Return the value of an attribute.

        `name` and `text` are the attribute's name and text; `node` is its element. Raises DecodeError if the
        value is invalid, or Skipped if it is invalid and must be skipped.
        """
        try:
            return self.parse(text, reader, node)
        except refusals:
            pass
        name = local_name(name)
        if skippable and reader.skip_invalid(node, text, name):
            raise Skipped
        raise DecodeError(f"{path_of(node)}/@{name}", text, self.expected, skippable=skippable)

    def or_default(self, node: Node, reader: Reader, default: str, *, skippable: bool = False) -> T:
        """Return the value of an element, or the contract's default if the element is empty.

        `default` is the text of the default. Raises the same errors as `read`.
        """
        return self.parsed(full_text(node, reader) or default, node, reader, skippable=skippable)

    def parsed(self, text: str, node: Node, reader: Reader, *, skippable: bool = False) -> T:
        """Return the value of an element's text.

        Unless the type is `mixed`, a text that is interrupted by an element is invalid: `11<a/>21` is not
        1121. Raises DecodeError if the value is invalid, or Skipped if it is invalid and must be skipped.
        """
        if len(node) and not self.mixed and self._is_interrupted(node):
            text = _text_with_tags(node)
        else:
            try:
                return self.parse(text, reader, node)
            except refusals:
                pass
        if skippable and reader.skip_invalid(node, text):
            raise Skipped
        raise DecodeError(path_of(node), text, self.expected, skippable=skippable)

    def _is_interrupted(self, node: Node) -> bool:
        """Return True if the text is invalid because the element has child elements, as in `11<a/>21`."""
        return any(isinstance(child.tag, str) for child in node)

    def put(self, value: object, node: Element, path: str) -> str:
        """Convert a value to text, for the element `node` or one of its attributes.

        `path` is the path of the value, for errors. Raises EncodeError if the value is invalid.
        """
        if type(value) in _PLAIN:  # most values
            foreign = False
        elif foreign := is_foreign(value):
            value = self._to_python(value, node)
        elif isinstance(value, list):  # of xs:list
            value = [plain_value(item) for item in value]
        elif isinstance(value, Days):
            raise EncodeError(path, value, "", REFUSED)
        try:
            if foreign and is_foreign(value):
                raise TypeError
            return self.text_at(value, node)
        except refusals as error:
            if self._python and isinstance(value, str) and self._is_text_of_value(value):
                raise EncodeError(path, value, self._python, AS_TEXT) from None
            raise EncodeError(path, value, self.allowed, str(error) or INVALID) from None

    def _to_python(self, value: object, node: Element) -> object:
        """Convert a scalar of numpy or pandas to Python, and midnight to a date if the type requires one."""
        converted, day = plain_value(value), plain_day(value)
        if converted is day:
            return converted
        try:
            self.text_at(converted, node)
        except refusals:
            return day
        return converted

    def _is_text_of_value(self, text: str) -> bool:
        """Return True if a string has the form of a value of this type, such as "5" for an integer."""
        try:
            self.quick(text)
        except refusals:
            return False
        return True

    def _text_at(self, value: object, node: Element) -> str:
        return self.text(value)


_PLAIN: Final = frozenset((str, int, bool, Decimal, dt.datetime, dt.date))


def _never_quick(text: str) -> NoReturn:
    raise ValueError


class Choice(Scalar[EnumT | str]):
    """An enumeration that keeps unknown values when reading.

    Unknown values are reported and stay strings when read, and are refused when written. White space around a
    value is ignored.

    >>> from zxws.publisher.types import ReviewState
    >>> ReviewState("open") is ReviewState.OPEN
    True
    """

    __slots__ = ("members",)

    def __init__(self, enum: type[EnumT]) -> None:
        self.members: Mapping[str, EnumT] = {member.value: member for member in enum}
        expected = "one of " + ", ".join(map(repr, self.members))
        super().__init__(expected, self._parse, self._text, quick=self.members.__getitem__)

    def known(self, text: str) -> EnumT | None:
        """Return the member whose value is `text`, or None if the enumeration has no such member.

        White space around `text` is ignored.
        """
        member = self.members.get(text)
        return member if member is not None else self.members.get(collapsed(text))

    def _parse(self, text: str, reader: Reader, node: Node) -> EnumT | str:
        member = self.known(text)
        if member is None:
            reader.unknown_value(node, text)
            return text
        return member

    def _text(self, value: object) -> str:
        """Return the text of `value`, which is a member of the enumeration or an equal string.

        Raises ValueError for any other value.
        """
        if isinstance(value, str) and value in self.members:
            return self.members[value].value
        raise ValueError

    def _is_interrupted(self, node: Node) -> bool:
        """Return True if an element splits the text: `re<a/>d` is not `red`, but `<a/>red` is."""
        return any(isinstance(child.tag, str) and (child.tail or "").strip(BLANK) for child in node)


# ---- composed types


def list_of(item: Scalar[T]) -> Scalar[list[T]]:
    """Return a list type (xs:list). All items of a list are in one text, separated by white space."""

    def parse(text: str, reader: Reader, node: Node) -> list[T]:
        return [item.parse(part, reader, node) for part in items(text)]

    return Scalar(
        f"a list, each {item.expected}",
        parse,
        lambda values: joined(values, item.text),
        text_at=lambda values, node: joined(values, lambda value: item.text_at(value, node)),
        give=f"a list, each {item.allowed}",
    )


def joined(values: object, text: Callable[[object], str]) -> str:
    """Convert a list to text. `text` converts one item.

    Raises ValueError if an item is empty or contains white space, TypeError if `values` is not a list.
    """
    if not isinstance(values, list | tuple):
        raise TypeError
    texts = [text(value) for value in values]
    if any(not item_text or SPACES.search(item_text) for item_text in texts):
        raise ValueError("an item is empty or contains a space, which would separate two items")
    return " ".join(texts)


def union_of(*members: Scalar[Any]) -> Scalar[Any]:
    """Return a union type (xs:union). Its members are tried in order.

    A text is read by the first member that accepts it without a drift finding or, if there is none, by the
    first member that accepts it with a finding, such as a date-time without a zone. A text that no member
    accepts is an unknown value if a member is an enumeration, otherwise an invalid value.

    A Python value is written by the first member that accepts it.
    """
    has_no_enumeration = not any(isinstance(member, Choice) for member in members)

    def parse(text: str, reader: Reader, node: Node) -> object:
        for attempt in (_WithoutFinding(reader), reader):
            for member in members:
                if isinstance(member, Choice) and attempt is reader:
                    continue
                try:
                    return cast("object", member.parse(text, attempt, node))
                except refusals:
                    continue
        if has_no_enumeration:
            raise ValueError
        reader.unknown_value(node, text)
        return text

    def first_accepted(text: Callable[[Scalar[Any]], str]) -> str:
        for member in members:
            try:
                return text(member)
            except refusals:
                continue
        raise ValueError

    return Scalar(
        " or ".join(member.expected for member in members),
        parse,
        lambda value: first_accepted(lambda member: member.text(value)),
        text_at=lambda value, node: first_accepted(lambda member: member.text_at(value, node)),
        give=" or ".join(member.allowed for member in members),
    )


class _WithoutFinding:
    """A reader that raises ValueError instead of reporting a finding.

    The only exception is a date-time without a zone, which is reported to the wrapped reader.
    """

    __slots__ = ("_reader",)

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    @property
    def naive_zone(self) -> dt.tzinfo | None:
        return self._reader.naive_zone

    @property
    def report_zone(self) -> dt.tzinfo:
        return self._reader.report_zone

    @property
    def check_deadline(self) -> Callable[[], None]:
        return self._reader.check_deadline

    def skip_invalid(self, node: Node, text: str, attribute: str = "") -> bool:
        raise ValueError

    def unknown_element(self, node: Node) -> None:
        raise ValueError

    def unknown_attribute(self, node: Node, name: str) -> None:
        raise ValueError

    def unknown_value(self, node: Node, value: str) -> None:
        raise ValueError

    def missing(self, node: Node, name: str) -> None:
        raise ValueError

    def naive_time(self, node: Node, text: str) -> None:
        self._reader.naive_time(node, text)

    def shortened(self, node: Node, text: str) -> None:
        raise ValueError


# ---- the text of elements


def full_text(node: Node, reader: Reader) -> str:
    """Return the text of an element that has no attributes in the contract.

    All attributes are reported. An empty JSON object in place of a text is also reported, and read as an
    empty text. Raises DecodeError if the element is nil.
    """
    no_attributes(node, reader)
    if node.text is None and not (len(node) or node.keys()) and getattr(node, "is_object", False):
        reader.unknown_value(node, "{}")
    return _own_text(node, reader)


def content_text(node: Node, reader: Reader) -> str:
    """Return the text of an element that has attributes in the contract.

    If the element is nil but has a text, the text is returned and xsi:nil is reported. Raises DecodeError if
    the element is nil and has no text.
    """
    text = _own_text(node, reader)
    if text and says_nil(node):
        reader.unknown_value(node, "xsi:nil")
    else:
        refuse_nil(node)
    return text


def _own_text(node: Node, reader: Reader) -> str:
    """Return an element's text without comments. Child elements are reported as unknown."""
    text = node.text or ""
    for child in node:
        reader.unknown_element(child)
        text += child.tail or ""
    return text


def _text_with_tags(node: Node) -> str:
    """Return an element's text for an error. Child elements are shown as empty tags: `11<a/>21`."""
    tags = (f"<{local_name(child.tag)}/>" if isinstance(child.tag, str) else "" for child in node)
    tails = (child.tail or "" for child in node)
    return (node.text or "") + "".join(part for pair in zip(tags, tails, strict=True) for part in pair)


def no_attributes(node: Node, reader: Reader) -> None:
    """Report all attributes of an element that should not have any.

    Raises DecodeError if the element is nil.
    """
    refuse_nil(node)
    for name in node.keys():  # noqa: SIM118 - an element iterates over its children, not over its attributes
        reader.unknown_attribute(node, name)
