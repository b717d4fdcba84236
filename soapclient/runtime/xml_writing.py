"""What generated encoders to XML are made of. All raise EncodeError with the path of the field.

`write(value, element, path)` fills an element, `name` is what the field is called there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TypeVar

from soapclient.runtime.any_element import AnyElement, append_any
from soapclient.runtime.elements import Element, child
from soapclient.runtime.errors import EncodeError
from soapclient.runtime.nil import NIL, NIL_ATTRIBUTE, Nil
from soapclient.runtime.writing import copied, expect, required

__all__ = ["Element", "child", "copied", "expect", "required"]

T = TypeVar("T")
Write = Callable[[T, Element, str], None]


class Put(Protocol):
    """A simple type, as a `Scalar` or a `Choice`: gives the text of a value that stands in `node`."""

    def put(self, value: object, node: Element, path: str, /) -> str: ...


def put_one(node: Element, tag: str, value: T | None, path: str, name: str, write: Write[T]) -> None:
    """A required element."""
    path = f"{path}/{name}"
    if value is None:
        raise required(path)
    write(value, child(node, tag), path)


def put_optional(node: Element, tag: str, value: T | None, path: str, name: str, write: Write[T]) -> None:
    """An element that None leaves out."""
    if value is not None:
        write(value, child(node, tag), f"{path}/{name}")


def put_fixed(
    node: Element, tag: str, value: T | None, path: str, name: str, write: Write[T], fixed: str
) -> None:
    """A required element that can have one value only: None writes that."""
    inner = child(node, tag)
    if value is None:
        inner.text = fixed
    else:
        write(value, inner, f"{path}/{name}")


def put_nillable(
    node: Element, tag: str, value: T | None, path: str, name: str, write: Write[T], *, needs: str = ""
) -> None:
    """A required element that None makes nil; `needs` is an attribute that it must have even then, which a
    None cannot say."""
    _put_or_nil(child(node, tag), value, f"{path}/{name}", write, needs)


def put_optional_nillable(
    node: Element,
    tag: str,
    value: T | Nil | None,
    path: str,
    name: str,
    write: Write[T],
    *,
    needs: str = "",
) -> None:
    """An element that None leaves out and `NIL` makes nil; `needs` as for `put_nillable`."""
    if value is not None:
        _put_or_nil(child(node, tag), None if value is NIL else value, f"{path}/{name}", write, needs)


def put_many(
    node: Element, tag: str, values: Sequence[T], path: str, name: str, write: Write[T], least: int = 0
) -> None:
    """An element for each value of a list."""
    path = f"{path}/{name}"
    for at, value in enumerate(_list(values, path, least), 1):
        write(value, child(node, tag), f"{path}[{at}]")


def put_many_nillable(
    node: Element,
    tag: str,
    values: Sequence[T | None],
    path: str,
    name: str,
    write: Write[T],
    least: int = 0,
    *,
    needs: str = "",
) -> None:
    """An element for each value of a list; None is one that is nil. `needs` as for `put_nillable`."""
    path = f"{path}/{name}"
    for at, value in enumerate(_list(values, path, least), 1):
        _put_or_nil(child(node, tag), value, f"{path}[{at}]", write, needs)


def put_wrapped(
    node: Element,
    tag: str,
    values: Sequence[T] | None,
    path: str,
    name: str,
    item_tag: str,
    item_name: str,
    write: Write[T],
    least: int = 0,
) -> None:
    """An element that is nothing but a list; None leaves it out, unless it is required."""
    path = f"{path}/{name}"
    if values is not None:
        put_many(child(node, tag), item_tag, values, path, item_name, write)
    elif least:
        raise required(path)


def put_wrapped_nillable(
    node: Element,
    tag: str,
    values: Sequence[T | None] | None,
    path: str,
    name: str,
    item_tag: str,
    item_name: str,
    write: Write[T],
    least: int = 0,
    *,
    needs: str = "",
) -> None:
    """As `put_wrapped`, with items that None makes nil; `needs` as for `put_nillable`."""
    path = f"{path}/{name}"
    if values is not None:
        put_many_nillable(child(node, tag), item_tag, values, path, item_name, write, needs=needs)
    elif least:
        raise required(path)


def put_group(node: Element, value: T | None, path: str, name: str, write: Write[T]) -> None:
    """Elements of a required group, which stand in the parent itself."""
    path = f"{path}/{name}"
    if value is None:
        raise required(path)
    write(value, node, path)


def put_optional_group(node: Element, value: T | None, path: str, name: str, write: Write[T]) -> None:
    """Elements of a group that None leaves out."""
    if value is not None:
        write(value, node, f"{path}/{name}")


def put_groups(
    node: Element, values: Sequence[T], path: str, name: str, write: Write[T], least: int = 0
) -> None:
    """The elements of each turn of a group."""
    path = f"{path}/{name}"
    for at, value in enumerate(_list(values, path, least), 1):
        write(value, node, f"{path}[{at}]")


def put_any(node: Element, value: AnyElement | None, path: str, name: str) -> None:
    """The required element of a wildcard."""
    path = f"{path}/{name}"
    if value is None:
        raise required(path)
    append_any(node, value, path)


def put_optional_any(node: Element, value: AnyElement | None, path: str, name: str) -> None:
    """The element of a wildcard, which None leaves out."""
    if value is not None:
        append_any(node, value, f"{path}/{name}")


def put_anys(node: Element, values: Sequence[AnyElement], path: str, name: str, least: int = 0) -> None:
    """The elements of a wildcard."""
    path = f"{path}/{name}"
    for at, value in enumerate(_list(values, path, least), 1):
        append_any(node, value, f"{path}[{at}]")


def put_attribute(node: Element, key: str, value: object, path: str, name: str, leaf: Put) -> None:
    """An attribute that None leaves out."""
    if value is not None:
        node.set(key, leaf.put(value, node, f"{path}/@{name}"))


def put_required_attribute(node: Element, key: str, value: object, path: str, name: str, leaf: Put) -> None:
    """A required attribute."""
    path = f"{path}/@{name}"
    if value is None:
        raise required(path)
    node.set(key, leaf.put(value, node, path))


def put_fixed_attribute(
    node: Element, key: str, value: object, path: str, name: str, leaf: Put, fixed: str
) -> None:
    """A required attribute that can have one value only: None writes that."""
    node.set(key, fixed if value is None else leaf.put(value, node, f"{path}/@{name}"))


def put_attributes(node: Element, values: Mapping[str, str], path: str, name: str) -> None:
    """The attributes of a wildcard. One that is declared has a field of its own and is refused here."""
    path = f"{path}/{name}"
    if not isinstance(values, Mapping):
        raise EncodeError(path, values, "a dict of texts")
    for key, value in values.items():
        try:
            if node.get(key) is not None:
                raise EncodeError(path, key, "attributes that have no field of their own")
            node.set(key, value)
        except (ValueError, TypeError) as error:
            if isinstance(error, EncodeError):
                raise
            raise EncodeError(path, key, "names and texts that XML can hold", str(error)) from None


def put_text(node: Element, value: object, path: str, leaf: Put) -> None:
    """The text beside attributes."""
    if value is None:
        raise required(path)
    node.text = leaf.put(value, node, path)


def put_nillable_text(node: Element, value: object, path: str, leaf: Put) -> None:
    """The text of a message whose element may be nil: None makes it so."""
    if value is None:
        node.set(NIL_ATTRIBUTE, "true")
    else:
        node.text = leaf.put(value, node, path)


def exactly_one(value: object, path: str, *given: object) -> None:
    """Refuse a member of a substitution group that is none of its elements, or several."""
    if sum(one is not None for one in given) != 1:
        raise EncodeError(path, value, "exactly one of its fields")


def _put_or_nil(node: Element, value: T | None, path: str, write: Write[T], needs: str) -> None:
    if value is None and needs:
        allowed = f"a value: the contract requires the attribute {needs} even where there is no other content"
        raise EncodeError(path, value, allowed, "a nil cannot be sent here")
    if value is None:
        node.set(NIL_ATTRIBUTE, "true")
    else:
        write(value, node, path)


def _list(values: Sequence[T], path: str, least: int) -> Sequence[T]:
    if not isinstance(values, list | tuple):
        if values is None and least:
            raise required(path)
        raise EncodeError(path, values, "a list")
    if least and not values:
        raise required(path)
    return values
