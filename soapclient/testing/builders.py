"""Valid instances of generated types, with only the values that a test needs.

    from soapclient.testing import builders
    from zxws.publisher.types import SaleItem

    item = builders.build(SaleItem, commission="4.20")

Other required fields get values that the schema allows. They are deterministic.
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
    """Return an instance of a generated type with the given fields and all required fields.

    `fields`, by Python names, are Python values or texts as in XML (`commission="4.20"`,
    `date="2026-11-01"`). For a field that holds a type, a dict of fields is also accepted. For an
    enumeration, the first value is returned. Raises TypeError for an unknown field, EncodeError for an
    invalid value.
    """
    return _build(kind, fields, complete=False)


def complete(kind: type[T], /, **fields: object) -> T:
    """Return an instance like `build`, with all optional fields, once each."""
    return _build(kind, fields, complete=True)


def builder(kind: type[T], /, **fields: object) -> partial[T]:
    """Return `build` for one type: `sale = builder(SaleItem, currency="EUR")`, `sale(commission="4.20")`."""
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
    """Builds values of a package's types."""

    def __init__(self, examples: Examples, *, complete: bool) -> None:
        self._examples = examples
        self._codec = examples.codec
        self._complete = complete

    # Any: the package's class for the type.
    def value(self, name: str, fields: Mapping[str, object]) -> Any:
        """Return a value of a type with the given fields."""
        concrete = self._examples.concrete(name)
        by_name = {field.python: field for field in self._codec.fields(concrete)}
        for python in fields:
            if python not in by_name:
                raise TypeError(f"{concrete} has no field {python!r}{nearest(python, by_name)}")
        node = self._examples.element(concrete, complete=self._complete, given=fields.keys())
        reader = CountingReader(report_zone=ZONE)
        if self._codec.row(concrete).holder == "substitution":  # the reader takes the element of the group
            node = node[0]
        result = self._codec.reader(concrete)(node, reader)
        assert not reader.findings, reader.findings
        for python, value in fields.items():
            setattr(result, python, self._parsed(f"{concrete}/{python}", by_name[python], value))
        self._check(concrete, result)
        return result

    def _parsed(self, path: str, field: Field, value: object) -> object:
        """Return a given value with texts parsed and dicts built."""
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
        """Check that a value can be encoded. Raises EncodeError."""
        if not self._codec.row(name).holder:
            self._codec.writer(name)(value, etree.Element(self._codec.xml_name(name)), name)
