"""Base class of generated types (`class SaleItem(Record):`), and copies of lists for requests.

A request contains copies of lists, so that it does not change if the caller later changes a list.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar, cast, dataclass_transform

import msgspec

T = TypeVar("T")


class _RecordMeta(msgspec.StructMeta):
    """Metaclass that makes all fields keyword-only and sets their JSON names.

    The metaclass is necessary because subclasses do not inherit `kw_only` in msgspec. `rename` maps Python
    names to JSON names, for fields whose JSON name is not the Python name in camelCase.
    """

    def __new__(
        cls,
        name: str,
        bases: tuple[type, ...],
        namespace: dict[str, Any],
        rename: Mapping[str, str] | None = None,
        **options: Any,
    ) -> _RecordMeta:
        struct: _RecordMeta
        if rename is None:
            struct = super().__new__(cls, name, bases, namespace, kw_only=True, rename="camel", **options)
        else:
            names = rename

            def json_name(field: str) -> str:
                return names.get(field) or camel(field)

            struct = super().__new__(cls, name, bases, namespace, kw_only=True, rename=json_name, **options)
        return struct


def camel(name: str) -> str:
    """Convert a name to camelCase, exactly as msgspec does for `rename="camel"`."""
    first, *others = name.strip("_").split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in others)


@dataclass_transform(kw_only_default=True, field_specifiers=(msgspec.field,))
class Record(msgspec.Struct, metaclass=_RecordMeta, gc=False, omit_defaults=True):
    """A value of a complex type: a `msgspec.Struct` with keyword-only fields.

    Its JSON (`msgspec.json.encode`) has the names of the contract and omits defaults.
    """

    def _repr_html_(self) -> str:
        """Return the HTML that notebooks show."""
        from soapclient.runtime.html import record_html

        return record_html(self)

    @property
    def __dict__(self) -> dict[str, Any]:  # type: ignore[override]  # read-only, unlike object's
        """The fields as a dict. FastAPI reads them if an endpoint has no return annotation."""
        return {name: getattr(self, name) for name in self.__struct_fields__}

    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: object) -> object:
        """Let pydantic, and so FastAPI, validate and serialize values of this type."""
        from soapclient.runtime.plain_values import pydantic_schema

        return pydantic_schema(cls, handler)


def copied(values: Sequence[T]) -> list[T]:
    """Return a copy of a list for a request.

    A value that is not a list or tuple is returned unchanged, because the encoder reports the error.
    """
    if isinstance(values, str | bytes) or not isinstance(values, Sequence):
        return cast("list[T]", values)
    return list(values)


def copied_lists(values: Sequence[Sequence[T]]) -> list[list[T]]:
    """Copy a list of lists, including the inner lists. See `copied`."""
    return cast("list[list[T]]", copied_lists_or_nil(values))


def copied_lists_or_nil(values: Sequence[Sequence[T] | None]) -> list[list[T] | None]:
    """Copy a list of lists, including the inner lists. An inner list may be None (nil). See `copied`."""
    if isinstance(values, str | bytes) or not isinstance(values, Sequence):
        return cast("list[list[T] | None]", values)
    return [None if value is None else copied(value) for value in values]
