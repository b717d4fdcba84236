"""Instances of every message of the corpus are decoded and encoded without a change, and stay valid."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from soapclient.runtime import CountingReader
from tests.corpus.conftest import (
    Packages,
    compiled_schema,
    examples,
    for_each_contract,
    instances,
    messages,
    wrapped,
)

pytestmark = pytest.mark.sampled(4)

_XSI = "{http://www.w3.org/2001/XMLSchema-instance}"


@pytest.mark.sampled(2)
@for_each_contract
def test_decoded_messages_are_encoded_again(path: Path, packages: Packages) -> None:
    made = packages(path)
    for each in messages(made.contract.name):
        strategy = instances(path, each.tag) if each.tag else None
        schema = None if strategy is None else compiled_schema(path)
        strategy = wrapped(path, each.operation, each.way, each.tag) if strategy is None else strategy
        _check(f"{each.operation} {each.way}", strategy, schema, each.read, each.write)


def _check(
    name: str,
    strategy: st.SearchStrategy[etree._Element],
    schema: etree.XMLSchema | None,
    read: Callable[..., Any],
    write: Callable[..., None],
) -> None:
    """Decode and encode instances. `schema` is None if it declares only parts of the message."""

    @examples(8)
    @given(instance=strategy)
    def run(instance: etree._Element) -> None:
        # As received over the wire: parsed from bytes.
        first = etree.fromstring(etree.tostring(instance, encoding="UTF-8"))
        if schema is not None:
            assert schema.validate(first), f"{name}: the instance is not valid: {schema.error_log.last_error}"
        reader = CountingReader()
        value = read(first, reader)
        unknown = {each for each in reader.findings if each.kind in ("element", "attribute", "value")}
        assert not unknown, name
        second = etree.Element(first.tag)
        write(value, second, name)
        second = etree.fromstring(etree.tostring(second, encoding="UTF-8"))
        told = f"{name}: {etree.tostring(first)!r} became {etree.tostring(second)!r}"
        if schema is not None:
            assert schema.validate(second), f"{told}: {schema.error_log.last_error}"
        assert read(second, CountingReader()) == value, told
        assert list(_differences(first, second)) == [], told

    run()


def _differences(first: etree._Element, second: etree._Element) -> Iterator[str]:
    """Yield the differences of two trees: names, order, attributes, and texts except for their spelling."""
    if first.tag != second.tag:
        yield f"{first.tag!r} is {second.tag!r}"
        return
    for key in {*map(str, first.attrib), *map(str, second.attrib)}:
        one, two = first.get(key), second.get(key)
        if one is None and not key.startswith(_XSI):
            continue  # a default, which is now explicit
        if key == f"{_XSI}type" and two is None:
            continue  # it was the declared type
        if not _same(one or "", two or ""):
            yield f"{first.tag!r}/@{key}: {one!r} is {two!r}"
    texts = [first.text or "", *(child.tail or "" for child in first)]
    others = [second.text or "", *(child.tail or "" for child in second)]
    if not _same("".join(texts), "".join(others)) and texts != [""]:
        yield f"{first.tag!r}: {texts!r} is {others!r}"
    if len(first) != len(second):
        yield f"{first.tag!r}: {len(first)} children are {len(second)}"
        return
    ones, twos = list(first), list(second)
    tags, others = ([str(each.tag) for each in side] for side in (ones, twos))
    if sorted(tags) == sorted(others) and len(set(tags)) == len(tags):
        ones.sort(key=lambda one: str(one.tag))  # xs:all has any order; the schema checks others
        twos.sort(key=lambda two: str(two.tag))
    for child, other in zip(ones, twos, strict=True):
        yield from _differences(child, other)


def _same(one: str, two: str) -> bool:
    return one == two or list(map(_value, one.split())) == list(map(_value, two.split()))


def _value(text: str) -> object:
    """Return the value of a text, as far as its format shows it."""
    if text in {"true", "false"}:
        return Decimal(text == "true")
    if _DATE.fullmatch(text):
        return text[:10]  # a Python date has no zone
    if moment := _MOMENT.fullmatch(text):
        day, fraction, zone = moment.groups()
        return day, (fraction or "").rstrip("0."), "Z" if zone in {None, "+00:00"} else zone  # UTC by default
    plain = _PREFIX.sub("", text)
    try:
        return Decimal(plain)
    except InvalidOperation:
        return plain.upper() if _HEX.fullmatch(plain) else plain


_DATE = re.compile(r"\d{4}-\d\d-\d\d(Z|[+-]\d\d:\d\d)?")
_MOMENT = re.compile(r"((?:\d{4}-\d\d-\d\dT)?\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)?")
_PREFIX = re.compile(r"^[A-Za-z_][\w.\-]*:(?=[A-Za-z_])")
_HEX = re.compile("[0-9A-Fa-f]+")
