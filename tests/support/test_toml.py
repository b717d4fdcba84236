"""TOML is parsed like Python's tomllib, or refused if parsing would take too long or fail."""

from __future__ import annotations

import sys
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soapclient._support import toml

DEEP = "nested too deeply"
PARTS = st.sampled_from(
    ["a", "b.c", "a . b", '"a.b"', "'c'", "=", " = ", "1", '"x # y"', "'\"'", '"""', "'''", "\n", "[a]",
     "[[b]]", "# c", "1.5", "2026-11-01", "{", "}", "[", "]", ",", '"\\""', '"""a"b"""', "'''a'b'''"]
)  # fmt: skip


@given(st.lists(PARTS, max_size=14).map("".join))
def test_small_document_equals_tomllib(text: str) -> None:
    try:
        expected: object = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        expected = str(error)
    assert toml.tables_of(text.encode()) == expected


@pytest.mark.parametrize("part", ["a", '"a"', "'a b'", "a-1 \t"])
def test_keys_with_many_parts_are_refused_before_parsing(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(tomllib, "loads")  # its time is quadratic in the number of key parts
    for text in (
        f"{'.'.join([part] * 101)} = 1",
        f"[{'.'.join([part] * 5000)}]",
        f"x = 1\n{part}." + f"{part}." * 200,
    ):
        assert toml.tables_of(text.encode()) == DEEP


@pytest.mark.parametrize(
    "text",
    [
        f"{'.'.join('a' * 100)} = 1",
        f'a = "{"b." * 5000}"',
        f"a = '{'b.' * 5000}'",
        f'a = """\n{"b." * 5000}"""',
        f"a = '''\n{'b.' * 5000}'''",
        f'a = "\\"{"b." * 5000}"',
        f"a = 1 # {'b.' * 5000}",
        "a = " + "[" * 99 + "]" * 99,
    ],
)
def test_similar_looking_text_is_parsed(text: str) -> None:
    assert toml.loads(text.encode()) == tomllib.loads(text)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"a = " + b"[" * 101 + b"]" * 101, DEEP),
        (b"a = " + b"[" * 5000, DEEP),
        (b"a = " + b"{b = " * 200 + b"1" + b"}" * 200, DEEP),
        (b"a = 1\n\xff", "byte 6 is not UTF-8"),
        (b"a = ", "Invalid value (at end of document)"),
        (b"a = 1\rb = 2", "Expected newline or end of document"),
        (
            b"a = " + b"9" * (sys.get_int_max_str_digits() + 1),
            "Exceeds the limit (4300 digits) for integer string",
        ),
    ],
)
def test_invalid_toml_error_has_the_reason_but_no_content(content: bytes, reason: str) -> None:
    with pytest.raises(toml.NotToml) as refused:
        toml.loads(content)
    assert str(refused.value).startswith(reason)
    assert refused.value.__context__ is None
