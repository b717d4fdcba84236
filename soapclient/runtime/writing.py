"""What generated encoders are made of. All raise EncodeError with the path of the field."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeVar, cast

from soapclient.runtime.errors import EncodeError
from soapclient.runtime.leaves import Choice, EnumT, Scalar, refusals
from soapclient.runtime.protocols import Wire, Writer
from soapclient.runtime.scalars import DAY

T = TypeVar("T")
_MISFIT = "it does not fit"


def write(value: object, path: str, scalar: Scalar[T]) -> str:
    """The wire text of a value of simple type."""
    try:
        return scalar.text(value)
    except refusals as error:
        raise EncodeError(path, value, scalar.allowed, str(error) or _MISFIT) from None


def write_choice(value: object, path: str, choice: Choice[EnumT]) -> str:
    """The wire text of a value of an enumerated type; only the contract's own values go out."""
    try:
        return choice.text(value)
    except refusals:
        raise EncodeError(path, value, choice.expected) from None


def write_day(value: object, path: str, writer: Writer) -> str:
    """The wire text of a day, in the carrier's form."""
    write(value, path, DAY)
    assert isinstance(value, dt.date)  # said so by the line above
    return writer.day(value)


def write_list(
    values: list[T], path: str, writer: Writer, item: Callable[[T, Writer, str], Wire]
) -> list[Wire]:
    """The wire form of a list of complex values."""
    return [item(value, writer, f"{path}[{at}]") for at, value in enumerate(_list(values, path), 1)]


def write_texts(values: list[T], path: str, text: Callable[[T, str], str]) -> list[str]:
    """The wire form of a list of simple values; `text(value, path)` gives that of one."""
    return [text(value, f"{path}[{at}]") for at, value in enumerate(_list(values, path), 1)]


def copied(values: Sequence[T]) -> list[T]:
    """A list of its own for a request; what is no list stays as it is, for the encoder to refuse by name."""
    if isinstance(values, str | bytes) or not isinstance(values, Sequence):
        return cast("list[T]", values)
    return list(values)


def copied_lists(values: Sequence[Sequence[T]]) -> list[list[T]]:
    """As `copied`, for elements that are lists themselves."""
    return cast("list[list[T]]", copied_lists_or_nil(values))


def copied_lists_or_nil(values: Sequence[Sequence[T] | None]) -> list[list[T] | None]:
    """As `copied`, for elements that are lists themselves, or nil."""
    if isinstance(values, str | bytes) or not isinstance(values, Sequence):
        return cast("list[list[T] | None]", values)
    return [None if value is None else copied(value) for value in values]


def expect(value: object, kind: type[T], path: str) -> T:
    """`value`, if it is of the generated type `kind`, and of none that extends it: its more would be lost."""
    if not isinstance(value, kind):
        raise EncodeError(path, value, f"a {kind.__name__}")
    if type(value) is not kind:
        raise EncodeError(path, value, f"a {kind.__name__} itself", "a type derived from it cannot be sent")
    return value


def expect_changes(value: object, path: str, writer: Writer, names: Collection[str], kind: type) -> None:
    """Refuse what is no dict of changes of a `kind`; a carrier may refuse that there are changes alone."""
    allowed = f"a {kind.__name__}, or a dict of its fields that change"
    if not isinstance(value, Mapping):
        raise EncodeError(path, value, allowed)
    for name in value:
        if name not in names:
            raise EncodeError(path, name, f"the fields {', '.join(names)}", "there is no such field")
    writer.changes(path)


def one_arm(wire: Wire, path: str, arms: Mapping[str, Sequence[tuple[str, int]]]) -> None:
    """Refuse elements of several arms of one choice, and an empty text there: it would be taken for nothing.

    `arms` gives for each element that is in any the choices, outer to inner, each with the arm.
    """
    chosen: dict[str, tuple[int, str]] = {}
    for name, value in wire.items():
        for choice, arm in arms.get(name, ()):
            first, other = chosen.setdefault(choice, (arm, name))
            if first != arm:
                raise EncodeError(f"{path}/{name}", value, f"nothing beside {other}", "they are a choice")
        if name in arms and value == "":
            raise EncodeError(f"{path}/{name}", value, "a text that is not empty", "it is one of a choice")


def told_apart(wire: Wire, path: str, names: Collection[str]) -> None:
    """Refuse an attribute without the element of its name: alone it would be sent as that element."""
    for name in names:
        if f"@{name}" in wire and name not in wire:
            allowed = f"nothing where the element {name} is not given, too"
            raise EncodeError(f"{path}/@{name}", wire[f"@{name}"], allowed, "it would be sent as the element")


def required(path: str) -> EncodeError:
    """The error for a required field that is None."""
    return EncodeError(path, None, "a value", "the contract requires it")


def refuse(value: object, path: str, reason: str) -> None:
    """Refuse a field that the service no longer takes."""
    if value is not None:
        raise EncodeError(path, value, "nothing: leave it out", reason)


def refuse_values(text: str, path: str, reasons: Mapping[str, str]) -> str:
    """`text`, unless the service no longer takes it."""
    if text in reasons:
        raise EncodeError(path, text, "", reasons[text])
    return text


def _list(values: list[T], path: str) -> list[T]:
    if not isinstance(values, list | tuple):
        raise EncodeError(path, values, "a list")
    return values
