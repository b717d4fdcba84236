"""Simple types made of others: lists (xs:list) and unions (xs:union)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, TypeVar, cast

from soapclient.runtime.protocols import Node, Reader
from soapclient.runtime.simple_types import Choice, Scalar, refusals
from soapclient.runtime.white_space import SPACES, collapsed, items

if TYPE_CHECKING:
    from soapclient.runtime.elements import Element

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Leaf(Protocol[T_co]):
    """A `Scalar` or a `Choice`: what lists and unions are made of."""

    @property
    def expected(self) -> str: ...
    @property
    def allowed(self) -> str: ...
    def parse(self, text: str, reader: Reader, node: Node, /) -> T_co: ...
    def text(self, value: object, /) -> str: ...
    def text_at(self, value: object, node: Element, /) -> str: ...


def list_of(item: Leaf[T]) -> Scalar[list[T]]:
    """A list: its items stand in one text, parted by white space."""

    def parse(text: str, reader: Reader, node: Node) -> list[T]:
        return [item.parse(one, reader, node) for one in items(text)]

    def joined(values: object, text: Callable[[object], str]) -> str:
        if not isinstance(values, list | tuple):
            raise TypeError
        texts = [text(value) for value in values]
        for one in texts:
            if not one or SPACES.search(one):
                raise ValueError("an item is empty or has white space in it, where lists are parted")
        return " ".join(texts)

    return Scalar(
        f"a list, each {item.expected}",
        parse,
        lambda values: joined(values, item.text),
        text_at=lambda values, node: joined(values, lambda value: item.text_at(value, node)),
        give=f"a list, each {item.allowed}",
    )


def union_of(*members: Leaf[T]) -> Scalar[T]:
    """A union: of the first member that takes the text, or the value. An enumeration takes its own values
    only; what no member takes is counted as unknown where there is one, for the service may have more."""
    closed = tuple(member for member in members if not isinstance(member, Choice))

    def parse(text: str, reader: Reader, node: Node) -> T:
        for member in members:
            if isinstance(member, Choice):
                known = member.members.get(text) or member.members.get(collapsed(text))
                if known is not None:
                    return cast("T", known)
                continue
            try:
                return member.parse(text, reader, node)
            except refusals:
                continue
        if len(closed) == len(members):
            raise ValueError
        reader.unknown_value(node, text)
        return cast("T", text)

    def first(text: Callable[[Leaf[T]], str]) -> str:
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
