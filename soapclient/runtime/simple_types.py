"""Values without structure: the text of an element, of an attribute, or beside attributes.

A type's `quick` takes the usual text at once; what is unusual in any way (white space, attributes, nothing at
all) goes through `parsed`, which knows the rules and the errors.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar, cast

from soapclient.runtime.days import REFUSED, Days
from soapclient.runtime.errors import AS_TEXT, DecodeError, EncodeError, local_name, path_of
from soapclient.runtime.foreign import is_foreign, plain_day, plain_value
from soapclient.runtime.lexical import BLANK, SPACES, collapsed, items
from soapclient.runtime.nil import has_content, refuse_nil, says_nil
from soapclient.runtime.protocols import Node, Reader

if TYPE_CHECKING:
    from soapclient.runtime.elements import Element

T = TypeVar("T")
EnumT = TypeVar("EnumT", bound=StrEnum)

Parse = Callable[[str, Reader, Node], T]
Quick = Callable[[str], T]
Read = Callable[[Node, Reader], T]
TextAt = Callable[[object, "Element"], str]

# What a type's functions may raise for a text that is no value; OverflowError and ArithmeticError come of
# numbers and years that Python cannot hold.
refusals = (ValueError, TypeError, KeyError, OverflowError, ArithmeticError)


class Skipped(Exception):
    """An invalid value was skipped, because it is optional and the reader skips such values."""


class Scalar(Generic[T]):
    """One simple type.

    `parse(text, reader, node)` raises one of `refusals` for a text outside the type's lexical space, and so
    does `text(value)` for a value outside its value space. `quick(text)` is what `parse` gives for a usual
    text, and raises one of `refusals` for any that asks for a closer look. `read(node, reader)` is the value
    of an element, `content(node, reader)` that of the text beside an element's attributes, `attribute(node,
    reader, name, text)` that of an attribute. `text_at(value, node)` is `text` where that depends on the
    prefixes of the element that it stands in. `skippable`: the value is optional; if it is invalid and the
    reader skips invalid values, it is reported and Skipped is raised instead of DecodeError. `expected`
    describes the type in an error about a response, `allowed` in one about a request. `mixed`: text on both
    sides of an element that has no place there is still one text, as it is of a string and of nothing else.
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
        """`give`: what to pass in Python; `python`: the same with an example, for who passes its text."""
        self.expected = expected
        self.allowed = f"{expected}: give {give}" if give else expected
        self.mixed = mixed
        self.parse = parse
        self.quick: Quick[T] = quick or _never_quick
        self.text = text
        self.text_at: TextAt = text_at or self._text_at
        self._give = give
        self._python = python

    def written_as(self, text: Callable[[object], str]) -> Scalar[T]:
        """The same type, written in another form."""
        return Scalar(
            self.expected,
            self.parse,
            text,
            quick=self.quick,
            give=self._give,
            python=self._python,
            mixed=self.mixed,
        )

    def read(self, node: Node, reader: Reader, *, skippable: bool = False) -> T:
        """Return the value of an element. Raises DecodeError, or Skipped."""
        text = node.text
        if text is not None and not (node.keys() or len(node)):
            try:
                return self.quick(text)
            except refusals:
                pass
        return self.parsed(full_text(node, reader), node, reader, skippable=skippable)

    def content(self, node: Node, reader: Reader, *, skippable: bool = False) -> T:
        """Return the value of the text next to an element's attributes. Raises DecodeError, or Skipped."""
        return self.parsed(content_text(node, reader), node, reader, skippable=skippable)

    def optional(self, node: Node, reader: Reader) -> T | None:
        """Return the value of an optional element. Raises DecodeError.

        An element without a value is reported and read as None, if its type has no empty value or the
        contract allows no nil here.
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
        """Return the value of an attribute. Raises DecodeError, or Skipped."""
        try:
            return self.parse(text, reader, node)
        except refusals:
            pass
        name = local_name(name)
        if skippable and reader.skip_invalid(node, text, name):
            raise Skipped
        raise DecodeError(f"{path_of(node)}/@{name}", text, self.expected, skippable=skippable)

    def or_default(self, node: Node, reader: Reader, default: str, *, skippable: bool = False) -> T:
        """Return the value of an element, or the contract's default if the element is empty."""
        return self.parsed(full_text(node, reader) or default, node, reader, skippable=skippable)

    def parsed(self, text: str, node: Node, reader: Reader, *, skippable: bool = False) -> T:
        """Return the value of an element's text. Raises DecodeError, or Skipped.

        A text with an element inside is invalid, too: `11<a/>21` is not 1121.
        """
        if len(node) and not self.mixed and self._is_parted(node):
            text = _as_it_stands(node)
        else:
            try:
                return self.parse(text, reader, node)
            except refusals:
                pass
        if skippable and reader.skip_invalid(node, text):
            raise Skipped
        raise DecodeError(path_of(node), text, self.expected, skippable=skippable)

    def _is_parted(self, node: Node) -> bool:
        return any(isinstance(child.tag, str) for child in node)

    def put(self, value: object, node: Element, path: str) -> str:
        """The text of a value in an element, or in an attribute of it. Raises EncodeError."""
        foreign = is_foreign(value)
        if foreign:
            value = self._own(value, node)
        elif isinstance(value, list):  # of xs:list
            value = [plain_value(each) for each in value]
        elif isinstance(value, Days):
            raise EncodeError(path, value, "", REFUSED)
        try:
            if foreign and is_foreign(value):
                raise TypeError
            return self.text_at(value, node)
        except refusals as error:
            if self._python and isinstance(value, str) and self._is_usual(value):
                raise EncodeError(path, value, self._python, AS_TEXT) from None
            raise EncodeError(path, value, self.allowed, str(error) or "it does not fit") from None

    def _own(self, value: object, node: Element) -> object:
        """Python's own value of a scalar of numpy or pandas; a midnight is a day, where one is wanted."""
        own, day = plain_value(value), plain_day(value)
        if own is day:
            return own
        try:
            self.text_at(own, node)
        except refusals:
            return day
        return own

    def _is_usual(self, text: str) -> bool:
        try:
            self.quick(text)
        except refusals:
            return False
        return True

    def _text_at(self, value: object, node: Element) -> str:
        return self.text(value)


def _never_quick(text: str) -> NoReturn:
    raise ValueError


class Choice(Scalar[EnumT | str]):
    """An enumeration: open when read (an unknown value is counted and stays a str), closed when written.

    White space around a value does not count.
    """

    __slots__ = ("members",)

    def __init__(self, enum: type[EnumT]) -> None:
        self.members: Mapping[str, EnumT] = {member.value: member for member in enum}
        expected = "one of " + ", ".join(map(repr, self.members))
        super().__init__(expected, self._parse, self._text, quick=self.members.__getitem__)

    def known(self, text: str) -> EnumT | None:
        """The member of a text, if there is one."""
        found = self.members.get(text)
        return found if found is not None else self.members.get(collapsed(text))

    def _parse(self, text: str, reader: Reader, node: Node) -> EnumT | str:
        known = self.known(text)
        if known is None:
            reader.unknown_value(node, text)
            return text
        return known

    def _text(self, value: object) -> str:
        """The wire value of a member, or of a str that equals one."""
        if isinstance(value, str) and value in self.members:
            return self.members[value].value
        raise ValueError

    def _is_parted(self, node: Node) -> bool:
        """`re<a/>d` is no `red`, but an element before or behind a value leaves it whole."""
        return any(isinstance(child.tag, str) and (child.tail or "").strip(BLANK) for child in node)


# ---- made of others


def list_of(item: Scalar[T]) -> Scalar[list[T]]:
    """A list (xs:list): its items stand in one text, parted by white space."""

    def parse(text: str, reader: Reader, node: Node) -> list[T]:
        return [item.parse(one, reader, node) for one in items(text)]

    return Scalar(
        f"a list, each {item.expected}",
        parse,
        lambda values: joined(values, item.text),
        text_at=lambda values, node: joined(values, lambda value: item.text_at(value, node)),
        give=f"a list, each {item.allowed}",
    )


def joined(values: object, text: Callable[[object], str]) -> str:
    """The text of a list. Raises one of `refusals` where an item would not be read as one."""
    if not isinstance(values, list | tuple):
        raise TypeError
    texts = [text(value) for value in values]
    if any(not one or SPACES.search(one) for one in texts):
        raise ValueError("an item is empty or has white space in it, where lists are parted")
    return " ".join(texts)


def union_of(*members: Scalar[Any]) -> Scalar[Any]:
    """A union (xs:union): of the first member that reads the text without a finding, or takes the value.

    If there is none, the first member that reads the text with a finding. If there is none either, the text
    is an unknown value of an enumeration among the members; without an enumeration it is refused.
    """
    closed = not any(isinstance(member, Choice) for member in members)

    def parse(text: str, reader: Reader, node: Node) -> object:
        for attempt in (_WithoutFinding(reader), reader):
            for member in members:
                if isinstance(member, Choice) and attempt is reader:
                    continue
                try:
                    return cast("object", member.parse(text, attempt, node))
                except refusals:
                    continue
        if closed:
            raise ValueError
        reader.unknown_value(node, text)
        return text

    def first(text: Callable[[Scalar[Any]], str]) -> str:
        for member in members:
            try:
                return text(member)
            except refusals:
                continue
        raise ValueError

    return Scalar(
        " or ".join(member.expected for member in members),
        parse,
        lambda value: first(lambda member: member.text(value)),
        text_at=lambda value, node: first(lambda member: member.text_at(value, node)),
        give=" or ".join(member.allowed for member in members),
    )


class _WithoutFinding:
    """A reader that raises ValueError where a value would be lost in part, or is unknown."""

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
    """Return the text of an element that has no attributes by the contract. Others are reported, and so is an
    empty object of JSON in place of a text."""
    no_attributes(node, reader)
    if node.text is None and not (len(node) or node.keys()) and getattr(node, "is_object", False):
        reader.unknown_value(node, "{}")
    return _own_text(node, reader)


def content_text(node: Node, reader: Reader) -> str:
    """An element's text, where the contract gives it attributes. One that says that it is nil and has text
    all the same is read, and reported."""
    text = _own_text(node, reader)
    if text and says_nil(node):
        reader.unknown_value(node, "xsi:nil")
    else:
        refuse_nil(node)
    return text


def _own_text(node: Node, reader: Reader) -> str:
    """An element's text: a comment does not end it, an element that has no place in it is reported."""
    text = node.text or ""
    for child in node:
        reader.unknown_element(child)
        text += child.tail or ""
    return text


def _as_it_stands(node: Node) -> str:
    """An element's text and what stands in it, for an error."""
    inside = (f"<{local_name(child.tag)}/>" if isinstance(child.tag, str) else "" for child in node)
    tails = (child.tail or "" for child in node)
    return (node.text or "") + "".join(each for pair in zip(inside, tails, strict=True) for each in pair)


def no_attributes(node: Node, reader: Reader) -> None:
    """Report the attributes of an element that is to have none."""
    refuse_nil(node)
    for name in node.keys():  # noqa: SIM118 - an element iterates over its children, not over its attributes
        reader.unknown_attribute(node, name)
