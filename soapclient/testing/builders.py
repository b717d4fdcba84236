"""Valid instances of the types of any generated package, with only what a test cares about.

    from soapclient.testing import builders
    from zxws.publisher.types import SaleItem

    item = builders.build(SaleItem, commission="4.20")

What the contract requires and is not given is there, with a value that its schema allows. It is the same each
time.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache, partial
from typing import Any, TypeVar

from lxml import etree

from soapclient._support.nearest import nearest
from soapclient.runtime import CountingReader, EncodeError
from soapclient.runtime.fields import Field
from soapclient.runtime.package import Package, package
from soapclient.runtime.record import Record
from soapclient.runtime.simple_types import refusals
from soapclient.testing.examples import ZONE, Examples

__all__ = ["build", "builder", "complete"]

T = TypeVar("T")


def build(kind: type[T], /, **fields: object) -> T:
    """A value of a generated type: the `fields` given, by their Python names, and whatever must be there.

    A value is one of Python's, or a text as XML has it (`commission="4.20"`, `date="2026-11-01"`); of a field
    that holds a type also a dict of fields for this function. Of an enumeration the first value. Raises
    TypeError for a name that is no field, EncodeError for a value that cannot be sent.
    """
    return _build(kind, fields, complete=False)


def complete(kind: type[T], /, **fields: object) -> T:
    """The same with everything that is optional, once."""
    return _build(kind, fields, complete=True)


def builder(kind: type[T], /, **fields: object) -> partial[T]:
    """`build` for one type: `sale = builder(SaleItem, currency="EUR")`, then `sale(commission="4.20")`."""
    return partial(build, kind, **fields)


def _build(kind: type[T], fields: Mapping[str, object], *, complete: bool) -> T:
    name, _, module = str(getattr(kind, "__module__", "")).rpartition(".")
    if module != "types" or not isinstance(kind, type) or not issubclass(kind, StrEnum | Record):
        shown = kind.__name__ if isinstance(kind, type) else type(kind).__name__
        raise TypeError(f"{shown} is no type of a generated package. Pass a class of its module `types`")
    if issubclass(kind, StrEnum):
        return next(iter(kind))
    found = package(name)
    made = _Builder(_examples(found), complete=complete).value(kind.__name__, fields)
    assert isinstance(made, kind)
    return made


@lru_cache(maxsize=64)
def _examples(found: Package) -> Examples:
    return Examples(found.codec)


class _Builder:
    """Makes values of a package's types."""

    def __init__(self, examples: Examples, *, complete: bool) -> None:
        self._examples = examples
        self._codec = examples.codec
        self._complete = complete

    # Any: of whatever class the package has for the type.
    def value(self, name: str, given: Mapping[str, object]) -> Any:
        """A value of a type."""
        concrete = self._examples.concrete(name)
        known = {field.python: field for field in self._codec.fields(concrete)}
        for python in given:
            if python not in known:
                raise TypeError(f"{concrete} has no field {python!r}{nearest(python, known)}")
        node = self._examples.element(concrete, complete=self._complete, given=given.keys())
        reader = CountingReader(report_zone=ZONE)
        if self._codec.row(concrete).holder == "substitution":  # it is the element that stands there
            node = node[0]
        made = self._codec.reader(concrete)(node, reader)
        assert not reader.findings, reader.findings
        for python, value in given.items():
            setattr(made, python, self._given(f"{concrete}/{python}", known[python], value))
        self._check(concrete, made)
        return made

    def _given(self, path: str, field: Field, value: object) -> object:
        """A value that was given, as the class has it."""
        if (field.repeats or field.item) and isinstance(value, list | tuple):
            return [self._one(path, field, each) for each in value]
        return self._one(path, field, value)

    def _one(self, path: str, field: Field, value: object) -> object:
        if field.holds and isinstance(value, Mapping):
            return self.value(field.holds, value)
        if field.leaf is None or not isinstance(value, str) or isinstance(value, StrEnum):
            return value
        try:
            naive_zone = None if field.row.type.startswith("local_") else dt.UTC
            return field.leaf.parse(value, CountingReader(naive_zone, ZONE), etree.Element("text"))
        except refusals:
            raise EncodeError(path, value, field.leaf.expected) from None

    def _check(self, name: str, made: object) -> None:
        """Write it, which refuses what cannot be sent."""
        if not self._codec.row(name).holder:
            self._codec.writer(name)(made, etree.Element(self._codec.xml_name(name)), name)
