"""What generated code makes of data: classes (`class SaleItem(Record):`, and nothing more in the head), and
lists of a request of its own: a later change of the caller's list changes no request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar, cast, dataclass_transform

import msgspec

T = TypeVar("T")


class _RecordMeta(msgspec.StructMeta):
    """Makes fields keyword-only in every class (msgspec does not inherit that), and names them for JSON.

    `rename` names the fields whose name in XML is not their Python name in camelCase.
    """

    def __new__(
        cls,
        name: str,
        bases: tuple[type, ...],
        namespace: dict[str, Any],
        rename: Mapping[str, str] | None = None,
        **options: Any,
    ) -> _RecordMeta:
        made: _RecordMeta
        if rename is None:
            made = super().__new__(cls, name, bases, namespace, kw_only=True, rename="camel", **options)
        else:
            names = rename

            def named(field: str) -> str:
                return names.get(field) or camel(field)

            made = super().__new__(cls, name, bases, namespace, kw_only=True, rename=named, **options)
        return made


def camel(name: str) -> str:
    """As msgspec's own "camel"."""
    first, *others = name.strip("_").split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in others)


@dataclass_transform(kw_only_default=True, field_specifiers=(msgspec.field,))
class Record(msgspec.Struct, metaclass=_RecordMeta, gc=False, omit_defaults=True):
    """A value of a complex type: a `msgspec.Struct` whose fields are given by keyword.

    Its JSON (`msgspec.json.encode`) has the names of the contract and leaves defaults out.
    """

    def _repr_html_(self) -> str:
        """As notebooks show it."""
        from soapclient.runtime.html import record_html

        return record_html(self)

    @property
    def __dict__(self) -> dict[str, Any]:  # type: ignore[override]  # of other objects it can be written
        """The fields. FastAPI reads them if an endpoint has no annotation for what it returns."""
        return {name: getattr(self, name) for name in self.__struct_fields__}

    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: object) -> object:
        """Let pydantic, and so FastAPI, validate and serialize values of this type."""
        from soapclient.runtime.plain_values import pydantic_schema

        return pydantic_schema(cls, handler)


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
