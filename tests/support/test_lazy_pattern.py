"""Regular expressions that are compiled when they are first used."""

from __future__ import annotations

import copy
import pickle
import re

import pytest

from soapclient._support.lazy_pattern import LazyPattern


def test_methods_are_those_of_the_compiled_pattern() -> None:
    lazy, compiled = LazyPattern("A(b)", re.IGNORECASE), re.compile("A(b)", re.IGNORECASE)
    text = "ab Ab"
    assert lazy.findall(text) == compiled.findall(text) == ["b", "b"]
    assert [match[0] for match in lazy.finditer(text)] == ["ab", "Ab"]
    assert lazy.fullmatch(text) is None
    assert lazy.fullmatch(text, 3) is not None
    assert lazy.match(text, 1) is None
    assert lazy.search(text, 1, 5) is not None
    assert lazy.split(text, maxsplit=1) == compiled.split(text, maxsplit=1)
    assert lazy.sub(lambda match: match[1], text) == "b b"
    assert lazy.sub("", text, count=1) == " Ab"


def test_pattern_of_bytes() -> None:
    assert LazyPattern(rb"\d+").findall(b"1 22") == [b"1", b"22"]


def test_pattern_is_compiled_at_the_first_use() -> None:
    invalid = LazyPattern("(")
    for _ in range(2):
        with pytest.raises(re.error):
            invalid.search("")


def test_other_names_are_attribute_errors() -> None:
    assert not hasattr(LazyPattern("a"), "pattern")
    assert not hasattr(LazyPattern("a"), "__wrapped__")


@pytest.mark.parametrize("used", [False, True])
def test_pattern_can_be_copied(used: bool) -> None:
    pattern = LazyPattern("a+")
    if used:
        assert pattern.match("a")
    for same in (copy.copy(pattern), copy.deepcopy(pattern), pickle.loads(pickle.dumps(pattern))):
        assert same.fullmatch("aa")
