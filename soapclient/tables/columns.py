"""The columns of a list: the fields of its items, flattened, by the rows of the contract alone.

- A field is a column. The fields of a single structure within are columns, too, named by their path in
  Python: `adspace.id` is `adspace_id`. Where two paths come to the same name (in any case of letters), the
  one with fewer steps has it, then the one that the contract has first; the other one is joined by two
  underscores, and numbered from 2 on where that is taken as well.
- What repeats is one column of lists, of structures where its items have fields.
- A structure within one of its own kind is JSON text, and so is what lies too deep: as many levels are
  flattened, up to eight, as make no more than a thousand fields.
- A type that is abstract has the fields of all types that stand for it, and which one a value is of: `type`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from soapclient.runtime import AnyOperation, Choice
from soapclient.runtime.fields import Field, Types, members
from soapclient.tables.kinds import KINDS, LISTS, kind_of

DEEPEST: Final = 8
MOST: Final = 1_000
TYPE: Final = "type"
VALUE: Final = "value"


class Shape(NamedTuple):
    """What a column, or a place in one, holds.

    `kind` is one of `kinds.KINDS`, or `enum` with its `values`, `json`, `name` (of a value's class), `list`
    of one `inner`, `struct` of `inner` by name. `text` gives the text of a value that is no text itself.
    """

    kind: str
    values: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    inner: tuple[Shape, ...] = ()
    text: Callable[[object], str] | None = None


class TableColumn(NamedTuple):
    """A column: its name, the attributes that lead to its values (none: the item itself), what it holds."""

    name: str
    path: tuple[str, ...]
    shape: Shape


class Open(NamedTuple):
    """A place where a value of another type may stand, whose further fields are no columns."""

    path: tuple[str, ...]
    kind: type


class Layout(NamedTuple):
    """The columns of a list, and the places where values may have more fields than these."""

    columns: tuple[TableColumn, ...]
    open: tuple[Open, ...]


def layout_of(operation: AnyOperation) -> Layout:
    """The columns of an operation's list."""
    codec, row = operation.codec, operation.row
    (listed,) = (field for field in codec.fields(row.response) if field.python == row.list)
    return layout(codec, listed)


def layout(types: Types, listed: Field) -> Layout:
    """The columns of the items of a field that repeats."""
    if listed.holds:
        return layout_of_type(types, listed.holds)
    return Layout((TableColumn(VALUE, (), _Flat(types, 1, None).value(listed, ())),), ())


def layout_of_type(types: Types, name: str) -> Layout:
    """The columns of values of a type."""
    for depth in range(DEEPEST, 1, -1):
        try:
            return _layout(types, name, depth, MOST)
        except _TooMany:
            continue
    return _layout(types, name, 1, None)


def _layout(types: Types, name: str, depth: int, most: int | None) -> Layout:
    flat = _Flat(types, depth, most)
    found = list(flat.columns(name, (), (name,)))
    names = column_names([path for path, _ in found])
    columns = (TableColumn(name, *each) for name, each in zip(names, found, strict=True))
    return Layout(tuple(columns), tuple(flat.open))


def column_names(paths: Sequence[tuple[str, ...]]) -> list[str]:
    """The names of columns by their paths, in the order of these; all differ, in lower case, too."""
    taken: set[str] = set()
    names = [""] * len(paths)
    for at in sorted(range(len(paths)), key=lambda at: len(paths[at])):  # which keeps the order of equals
        names[at] = next(name for name in _candidates(paths[at]) if name.casefold() not in taken)
        taken.add(names[at].casefold())
    return names


def _candidates(path: tuple[str, ...]) -> Iterator[str]:
    yield "_".join(path)
    yield (clear := "__".join(path))
    number = 2
    while True:
        yield f"{clear}_{number}"
        number += 1


class _TooMany(Exception):
    """There are more fields than a table is to have."""


class _Flat:
    """The fields of types, `depth` levels of them; `most` is how many there may be."""

    def __init__(self, types: Types, depth: int, most: int | None) -> None:
        self._types = types
        self._depth = depth
        self._left = most
        self.open: list[Open] = []

    def columns(
        self, name: str, path: tuple[str, ...], above: tuple[str, ...]
    ) -> Iterator[tuple[tuple[str, ...], Shape]]:
        """Path and shape of each column of a type; `above` are the types that it stands in, and itself."""
        types = self._types
        if types.row(name).abstract:
            yield (*path, TYPE), Shape("name")
        elif types.is_open(name):
            self.open.append(Open(path, types.kind(name)))
        for field, same in self._fields(name):
            here = (*path, field.python)
            if same and field.holds and not (field.item or field.repeats) and self._goes_on(field, above):
                yield from self.columns(field.holds, here, (*above, field.holds))
            else:
                yield here, self._shape(field, above) if same else Shape("json")

    def _goes_on(self, field: Field, above: tuple[str, ...]) -> bool:
        return field.holds not in above and len(above) < self._depth

    def _fields(self, name: str) -> Iterator[tuple[Field, bool]]:
        """The fields of a type, and whether all that may stand for it have each alike."""
        types = self._types
        kinds = types.concrete(name) if types.row(name).abstract else [name]
        found: dict[str, Field] = {}
        differing: set[str] = set()
        for kind in kinds:
            for field in types.fields(kind):
                first = found.setdefault(field.python, field)
                if _form(first) != _form(field):
                    differing.add(field.python)
        for python, field in found.items():
            self._count()
            yield field, python not in differing

    def _count(self) -> None:
        if self._left is not None:
            if not self._left:
                raise _TooMany
            self._left -= 1

    def _shape(self, field: Field, above: tuple[str, ...]) -> Shape:
        shape = self.value(field, above)
        for _ in range(bool(field.item) + field.repeats):
            shape = Shape("list", inner=(shape,))
        return shape

    def value(self, field: Field, above: tuple[str, ...]) -> Shape:
        """The shape of one value of a field."""
        if field.kind == "nil":
            return Shape("bool_")
        if field.holds:
            return self._structure(field, above)
        if field.leaf is None or field.kind not in ("element", "attribute", "text"):
            return Shape("json")
        return self._simple(field.row.type)

    def _structure(self, field: Field, above: tuple[str, ...]) -> Shape:
        if not self._goes_on(field, above):
            return Shape("json")
        within = (*above, field.holds)
        inner = {
            each.python: self._shape(each, within) if same else Shape("json")
            for each, same in self._fields(field.holds)
        }
        if self._types.row(field.holds).abstract:
            inner = {TYPE if TYPE not in inner else f"{TYPE}_2": Shape("name"), **inner}
        # Arrow has structures without fields, Parquet has not.
        return Shape("struct", names=tuple(inner), inner=tuple(inner.values())) if inner else Shape("json")

    def _simple(self, name: str) -> Shape:
        leaf = self._types.leaf(name)
        if name.startswith("["):
            return Shape("list", inner=(self._simple(name[1:-1]),))
        if name in LISTS:
            return Shape("list", inner=(Shape("string"),))
        if isinstance(leaf, Choice):
            return Shape("enum", values=tuple(leaf.members))
        if name.startswith("("):
            shapes = [self._simple(member) for member in members(name[1:-1])]
            if len({shape.kind for shape in shapes}) == 1 and shapes[0].kind in KINDS.values():
                return shapes[0]
        return Shape(kind_of(name), text=leaf.text)


def _form(field: Field) -> tuple[object, ...]:
    """What tells fields of one name apart."""
    return field.kind, field.holds, field.row.type, bool(field.item), field.repeats
