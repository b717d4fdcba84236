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
        (copied_lists, ["text", [1]], ["text", [1]]),  # the text is not a list
        (copied_lists_or_nil, ([1], None), [[1], None]),
    ],
)
def test_later_changes_by_the_caller_do_not_affect_a_request(
    copy: Callable[[Any], object], given: object, own: list[object]
) -> None:
    assert copy(given) == own
    assert copy(given) is not given


def test_nested_lists_are_copied() -> None:
    inner = [1]
    own = copied_lists([inner])
    inner.append(2)
    assert own == [[1]]


@pytest.mark.parametrize("copy", [copied, copied_lists, copied_lists_or_nil])
@pytest.mark.parametrize("given", ["text", b"bytes", 5, None, {"a": 1}])
def test_other_values_are_not_copied(copy: Callable[[Any], object], given: object) -> None:
    assert copy(given) is given
