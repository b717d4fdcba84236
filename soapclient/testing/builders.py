"""Build valid instances of generated types. A test sets only the fields that it needs.

    from soapclient.testing import builders
    from zxws.publisher.types import SaleItem

    item = builders.build(SaleItem, commission="4.20")

The other required fields get values that the schema allows. The values are the same in each run.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache, partial
from typing import Any, TypeVar

from lxml import etree

from soapclient._support.suggestions import nearest
from soapclient.runtime import CountingReader, EncodeError
from soapclient.runtime.fields import Field
from soapclient.runtime.package import Package, package
from soapclient.runtime.record import Record
from soapclient.runtime.simple_types import refusals
from soapclient.testing.examples import ZONE, Examples

__all__ = ["build", "builder", "complete"]

T = TypeVar("T")


def build(kind: type[T], /, **fields: object) -> T:
    """Return an instance of the generated type `kind` with the given fields and all required fields.

    `fields` are passed by their Python names. A value is a Python value or a string as in XML
    (`commission="4.20"`, `date="2026-11-01"`); for a field with inner fields, it can also be a dict. All
    other required fields get example values. If `kind` is an enumeration, its first value is returned. Raises
    TypeError for an unknown field, EncodeError for an invalid value.
    """
    return _build(kind, fields, complete=False)


def complete(kind: type[T], /, **fields: object) -> T:
    """Return an instance like `build`, but with an example value for each optional field, too."""
    return _build(kind, fields, complete=True)


def builder(kind: type[T], /, **fields: object) -> partial[T]:
    """Return a function that calls `build` for `kind`, with `fields` as the default arguments.

    Example: after `sale = builder(SaleItem, currency="EUR")`, call `sale(commission="4.20")`.
    """
    return partial(build, kind, **fields)


def _build(kind: type[T], fields: Mapping[str, object], *, complete: bool) -> T:
    name, _, module = str(getattr(kind, "__module__", "")).rpartition(".")
    if module != "types" or not isinstance(kind, type) or not issubclass(kind, StrEnum | Record):
        shown = kind.__name__ if isinstance(kind, type) else type(kind).__name__
        raise TypeError(f"{shown} is not a type of a generated package. Pass a class of its module `types`")
    if issubclass(kind, StrEnum):
        return next(iter(kind))
    value = _Builder(_examples(package(name)), complete=complete).value(kind.__name__, fields)
    assert isinstance(value, kind)
    return value


@lru_cache(maxsize=64)
def _examples(source: Package) -> Examples:
    return Examples(source.codec)


class _Builder:
    """Builds instances of the types of one package, for `build` and `complete`."""

    def __init__(self, examples: Examples, *, complete: bool) -> None:
        self._examples = examples
        self._codec = examples.codec
        self._complete = complete

    # Any: the package's class for the type.
    def value(self, name: str, fields: Mapping[str, object]) -> Any:
        """Return an instance of the type `name` with the given fields.

        Raises TypeError for an unknown field, EncodeError for an invalid value.
        """
        concrete = self._examples.concrete(name)
        by_name = {field.python: field for field in self._codec.fields(concrete)}
        for python in fields:
            if python not in by_name:
                raise TypeError(f"{concrete} has no field {python!r}{nearest(python, by_name)}")
        node = self._examples.element(concrete, complete=self._complete, given=fields.keys())
        reader = CountingReader(report_zone=ZONE)
        if self._codec.row(concrete).holder == "substitution":  # the reader expects the element of the group
            node = node[0]
        result = self._codec.reader(concrete)(node, reader)
        assert not reader.findings, reader.findings
        for python, value in fields.items():
            setattr(result, python, self._parsed(f"{concrete}/{python}", by_name[python], value))
        self._check(concrete, result)
        return result

    def _parsed(self, path: str, field: Field, value: object) -> object:
        """Convert a caller's value for a field: parse strings as XML text, and build instances from dicts."""
        if field.is_list and isinstance(value, list | tuple):
            return [self._parsed_item(path, field, item) for item in value]
        return self._parsed_item(path, field, value)

    def _parsed_item(self, path: str, field: Field, value: object) -> object:
        if field.holds and isinstance(value, Mapping):
            return self.value(field.holds, value)
        if field.leaf is None or not isinstance(value, str) or isinstance(value, StrEnum):
            return value
        try:
            naive_zone = None if field.row.type.startswith("local_") else dt.UTC
            return field.leaf.parse(value, CountingReader(naive_zone, ZONE), etree.Element("text"))
        except refusals:
            raise EncodeError(path, value, field.leaf.expected) from None

    def _check(self, name: str, value: object) -> None:
        """Raise EncodeError if an instance of the type `name` cannot be encoded as XML."""
        if not self._codec.row(name).holder:
            self._codec.writer(name)(value, etree.Element(self._codec.xml_name(name)), name)
