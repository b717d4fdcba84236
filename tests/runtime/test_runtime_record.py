"""Lists of a request are copied. Values that are not lists are left to the encoder, which names the field."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from soapclient.runtime.record import copied, copied_lists, copied_lists_or_nil


@pytest.mark.parametrize(
    ("copy", "given", "own"),
    [
        (copied, [1, 2], [1, 2]),
        (copied, (1, 2), [1, 2]),
        (copied, range(2), [0, 1]),
        (copied_lists, [[1], (2, 3)], [[1], [2, 3]]),
        (copied_lists_or_nil, ([1], None), [[1], None]),
    ],
)
def test_what_a_caller_changes_later_changes_no_request(
    copy: Callable[[Any], object], given: object, own: list[object]
) -> None:
    assert copy(given) == own
    assert copy(given) is not given


def test_the_lists_in_a_list_are_its_own_as_well() -> None:
    inner = [1]
    own = copied_lists([inner])
    inner.append(2)
    assert own == [[1]]


@pytest.mark.parametrize("copy", [copied, copied_lists, copied_lists_or_nil])
@pytest.mark.parametrize("given", ["text", b"bytes", 5, None, {"a": 1}])
def test_what_is_no_list_stays_as_it_is(copy: Callable[[Any], object], given: object) -> None:
    assert copy(given) is given


def test_an_element_that_is_no_list_stays_as_it_is() -> None:
    elements: list[Any] = ["text", [1]]
    assert copied_lists(elements) == ["text", [1]]
