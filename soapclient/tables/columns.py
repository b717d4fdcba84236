"""The columns of a list: the flattened fields of its items. They depend only on the contract.

- Each field is a column. The fields of a nested structure are columns, too, named by their path in Python:
  `adspace.id` is `adspace_id`. If several paths have the same name (ignoring case), one of them keeps it: the
  shortest path or, among paths of the same length, the first path in the contract. The names of the other
  paths are joined by two underscores (`adspace__id`). If that name is also taken, it gets a number from 2.
- A repeated field is one column of lists. If its items have fields, it is a list of structures.
- A recursive structure is JSON text, and so is a structure that is nested too deeply. At most eight levels
  are flattened, or fewer if there would be more than a thousand fields.
- An abstract type has the fields of all its concrete types, and a column `type` with the type of the value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from soapclient.runtime import AnyOperation, Choice
from soapclient.runtime.fields import Field, Types, members
from soapclient.tables.arrow_types import KINDS, LISTS, kind_of

DEEPEST: Final = 8
MOST: Final = 1_000
TYPE: Final = "type"
VALUE: Final = "value"


class Shape(NamedTuple):
    """The type of a column, or of a value within a column.

    `kind` is a value of `arrow_types.KINDS`, `string`, or one of these:

    - `enum`: the text of an enumeration. `values` are its values.
    - `json`: JSON text.
    - `name`: text, the name of the value's class.
    - `list`: `inner` has the shape of the items.
    - `struct`: `names` are the names of the fields, and `inner` are their shapes.

    `text` converts a value that is not a string to text.
    """

    kind: str
    values: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    inner: tuple[Shape, ...] = ()
    text: Callable[[object], str] | None = None


class TableColumn(NamedTuple):
    """A column: its name, the path of attributes from an item to its value, and its type.

    The path is empty if the value is the item itself.
    """

    name: str
    path: tuple[str, ...]
    shape: Shape


class DerivedPath(NamedTuple):
    """A path at which a value may have a derived type, whose additional fields have no columns.

    `kind` is the declared type, whose fields have columns.
    """

    path: tuple[str, ...]
    kind: type


class Layout(NamedTuple):
    """The columns of a list. `open` has the paths of values that may have a derived type."""

    columns: tuple[TableColumn, ...]
    open: tuple[DerivedPath, ...]


def layout_of(operation: AnyOperation) -> Layout:
    """Return the columns for the list that an operation returns."""
    codec, row = operation.codec, operation.row
    (listed,) = (field for field in codec.fields(row.response) if field.python == row.list)
    return layout(codec, listed)


def layout(types: Types, listed: Field) -> Layout:
    """Return the columns for the items of the repeated field `listed`. `types` are the types of its package.

    Items of a simple type get a single column, `value`.
    """
    if listed.holds:
        return layout_of_type(types, listed.holds)
    return Layout((TableColumn(VALUE, (), _Flattener(types, 1, None).value(listed, ())),), ())


def layout_of_type(types: Types, name: str) -> Layout:
    """Return the columns for values of a type."""
    for depth in range(DEEPEST, 1, -1):
        try:
            return _layout(types, name, depth, MOST)
        except _TooManyFields:
            continue
    return _layout(types, name, 1, None)


def _layout(types: Types, name: str, depth: int, most: int | None) -> Layout:
    flat = _Flattener(types, depth, most)
    flattened = list(flat.columns(name, (), (name,)))
    names = column_names([path for path, _ in flattened])
    columns = (TableColumn(name, *column) for name, column in zip(names, flattened, strict=True))
    return Layout(tuple(columns), tuple(flat.open))


def column_names(paths: Sequence[tuple[str, ...]]) -> list[str]:
    """Return a unique column name for each path, in the same order. No two names differ only in case."""
    used: set[str] = set()
    names = [""] * len(paths)
    for at in sorted(range(len(paths)), key=lambda at: len(paths[at])):  # stable sort
        names[at] = next(name for name in _candidates(paths[at]) if name.casefold() not in used)
        used.add(names[at].casefold())
    return names


def _candidates(path: tuple[str, ...]) -> Iterator[str]:
    yield "_".join(path)
    yield (clear := "__".join(path))
    number = 2
    while True:
        yield f"{clear}_{number}"
        number += 1


class _TooManyFields(Exception):
    """Raised if the flattened type has more fields than allowed."""


class _Flattener:
    """Flattens the fields of types to columns, at most `depth` levels deep.

    `most` is the maximum number of fields, or None for no limit.
    """

    def __init__(self, types: Types, depth: int, most: int | None) -> None:
        self._types = types
        self._depth = depth
        self._left = most
        self.open: list[DerivedPath] = []

    def columns(
        self, name: str, path: tuple[str, ...], above: tuple[str, ...]
    ) -> Iterator[tuple[tuple[str, ...], Shape]]:
        """Yield the path and the shape of each column for a type.

        `path` is the path to the value of this type. `above` are the names of this type and of the types that
        contain it.
        """
        types = self._types
        if types.row(name).abstract:
            yield (*path, TYPE), Shape("name")
        elif types.is_open(name):
            self.open.append(DerivedPath(path, types.kind(name)))
        for field, same in self._fields(name):
            here = (*path, field.python)
            if same and field.holds and not (field.item or field.repeats) and self._goes_on(field, above):
                yield from self.columns(field.holds, here, (*above, field.holds))
            else:
                yield here, self._shape(field, above) if same else Shape("json")

    def _goes_on(self, field: Field, above: tuple[str, ...]) -> bool:
        return field.holds not in above and len(above) < self._depth

    def _fields(self, name: str) -> Iterator[tuple[Field, bool]]:
        """Yield pairs of a field of a type, and True if the field has the same shape in all concrete types.

        An abstract type has the fields of all its concrete types. If two of them define a field in different
        ways, the second value is False.
        """
        types = self._types
        kinds = types.concrete(name) if types.row(name).abstract else [name]
        first_of: dict[str, Field] = {}
        differing: set[str] = set()
        for kind in kinds:
            for field in types.fields(kind):
                first = first_of.setdefault(field.python, field)
                if _form(first) != _form(field):
                    differing.add(field.python)
        for python, field in first_of.items():
            self._count()
            yield field, python not in differing

    def _count(self) -> None:
        if self._left is not None:
            if not self._left:
                raise _TooManyFields
            self._left -= 1

    def _shape(self, field: Field, above: tuple[str, ...]) -> Shape:
        shape = self.value(field, above)
        for _ in range(bool(field.item) + field.repeats):
            shape = Shape("list", inner=(shape,))
        return shape

    def value(self, field: Field, above: tuple[str, ...]) -> Shape:
        """Return the shape of one value of a field. `above` are the names of the types that contain it."""
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
            inner_field.python: self._shape(inner_field, within) if same else Shape("json")
            for inner_field, same in self._fields(field.holds)
        }
        if self._types.row(field.holds).abstract:
            inner = {TYPE if TYPE not in inner else f"{TYPE}_2": Shape("name"), **inner}
        # Arrow supports structures without fields, but Parquet does not.
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
    """Return the properties of a field that determine its shape.

    Concrete types can have fields of the same name. They share a shape only if these properties are equal.
    """
    return field.kind, field.holds, field.row.type, bool(field.item), field.repeats
