"""What generated classes of data are: `class SaleItem(Record):`, and nothing more in the head."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, dataclass_transform

import msgspec


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
                return names.get(field) or _camel(field)

            made = super().__new__(cls, name, bases, namespace, kw_only=True, rename=named, **options)
        return made


def _camel(name: str) -> str:
    """As msgspec's own "camel"."""
    first, *others = name.strip("_").split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in others)


@dataclass_transform(kw_only_default=True, field_specifiers=(msgspec.field,))
class Record(msgspec.Struct, metaclass=_RecordMeta, gc=False, omit_defaults=True):
    """A value of a complex type: a `msgspec.Struct` whose fields are given by keyword.

    Its JSON (`msgspec.json.encode`) has the names of the contract and leaves defaults out.
    """
