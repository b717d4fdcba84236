"""The buffered data of a body is counted, whatever the size of its chunks."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from soapclient.transport.body_limits import BodyLimits


def passes(body: bytes, size: int, limits: BodyLimits) -> bool:
    """Return True if the limits allow a body that comes in chunks of a size."""
    return all(limits.take(body[at : at + size]) is None for at in range(0, len(body), size))


@given(st.integers(1, 400), st.integers(1, 50))
def test_maximum_is_inclusive(length: int, size: int) -> None:
    body = b"x" * length
    for most, expected in ((length, True), (length - 1, False)):
        assert passes(body, size, BodyLimits(most, None, None)) is expected


@given(st.lists(st.text("ab", min_size=1, max_size=3), max_size=30), st.integers(1, 40))
def test_tags_and_attributes_are_counted_across_chunks(names: list[str], size: int) -> None:
    root = etree.Element("root")
    for name in names:
        etree.SubElement(root, name).set("of", "1")
    body = etree.tostring(root)
    held = 1 + 2 * len(names) + (1 if names else 0)  # the root's tags, and each element with its attribute
    for most, expected in ((held, True), (held - 1, False)):
        assert passes(body, size, BodyLimits(None, most, None, "text/xml")) is expected


@given(st.lists(st.integers(0, 9), min_size=1, max_size=60), st.integers(1, 40))
def test_values_of_json_are_counted(values: list[int], size: int) -> None:
    body = json.dumps(values, separators=(",", ":")).encode()
    for kind in ("application/json", "application/problem+json", "text/json"):
        for most, expected in ((len(values), True), (len(values) - 1, False)):
            assert passes(body, size, BodyLimits(None, most, None, kind)) is expected


def test_returned_items_are_not_counted() -> None:
    bounds = BodyLimits(10, 3, None)
    for _ in range(20):
        assert bounds.take(b"<x/><y/>") is None
        bounds.release()
    assert bounds.take(b"<x/>") is None
    found = bounds.take(b"<x/><x/>")
    assert found is not None
    assert found.setting == "max_response_bytes"
    assert "'max_response_bytes'" in found.advice
    bounds.release()
    found = bounds.take(b"<<<<")
    assert found is not None
    assert found.setting == "max_response_nodes"


@pytest.mark.parametrize(("received", "expected"), [(20_000, True), (5_000, False), (None, True)])
def test_compression_ratio_is_limited(received: int | None, expected: bool) -> None:
    bounds = BodyLimits(None, None, 200)
    assert bounds.take(b"x" * 1_000_000, 1) is None  # bodies up to one MiB are not checked
    found = bounds.take(b"x" * 1_000_000, received)
    assert (found is None) is expected


def test_no_limits_accept_everything() -> None:
    bounds = BodyLimits(None, None, None)
    assert bounds.take(b"<" * 10_000_000, 1) is None
