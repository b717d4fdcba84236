"""Edits of a TOML file change and mark a value, key or table. All other bytes stay."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from bindgen.propose.toml_text import TomlText
from tests.support.cases import case_text

ROOT = Path(__file__).parents[2]
TEXT = case_text(__file__, "text.toml")
B = ("a", "b.c")


def test_every_value_of_the_settings_is_located() -> None:
    text = (ROOT / "wsdl/contracts.toml").read_text(encoding="utf-8")
    document = TomlText(text)
    assert document.edited() == text
    whole = tomllib.loads(text)
    for path, entry in document.entries.items():
        value: object = whole
        for part in path:
            assert isinstance(value, dict | list)
            value = value[part]  # type: ignore[index] # lists have integer keys, tables have string keys
        assert tomllib.loads(f"x = {text[entry.value.start : entry.value.end]}")["x"] == value


@pytest.mark.parametrize(
    ("edit", "old", "new"),
    [
        (("replace", (*B, "x"), "two"), "x = 'one' #", "x = \"two\" # [A] proposed: it was 'one' #"),
        (("replace", (*B, "list", 1), 'a"b'), "'q', \"r\"]", '"a\\"b", "r"] # [A] proposed: it was \'q\''),
        (
            ("replace", (*B, "inline", "w", "field"), "g"),
            '{ field = "f" }, n = 7 }',
            '{ field = "g" }, n = 7 } # [A] proposed: it was "f"',
        ),
        (("rename", (*B, "inline", "w"), "z"), "'w' = {", "z = {"),
        (("remove", (*B, "list", 0), "gone"), '["p", \'q\', "r"]', "['q', \"r\"] # [A] proposed: gone"),
        (("remove", (*B, "lines", 1), "gone"), "    'q',", "    # 'q', # [A] proposed: gone"),
        (("remove", (*B, "lines", 0), "gone"), '    "p", # of p', '    # "p", # of p # [A] proposed: gone'),
        (
            ("remove", (*B, "inline", "k"), "gone"),
            '{ k = "v", \'w\' = { field = "f" }, n = 7 }',
            "{ 'w' = { field = \"f\" }, n = 7 } # [A] proposed: gone",
        ),
        (("remove", (*B, "x"), "gone"), "x = 'one' # \"x\"", "# x = 'one' # \"x\" # [A] proposed: gone"),
        (
            ("remove", (*B, "inner"), "gone"),
            '[a."b.c".inner]\nkey = 1979-05-27 07:32:00 # a time\ndotted.key = true',
            '# [a."b.c".inner] # [A] proposed: gone\n# key = 1979-05-27 07:32:00 # a time\n'
            "# dotted.key = true",
        ),
        (
            ("replace_list", (*B, "list"), "ab"),
            '["p", \'q\', "r"]',
            '["a", "b"] # [A] proposed: it was ["p", \'q\', "r"]',
        ),
        (
            ("add", (*B, "inner", "d e"), "v"),
            "dotted.key = true",
            'dotted.key = true\n"d e" = "v" # [A] proposed',
        ),
        (
            ("rename", (*B, "inner", "dotted"), "d e"),
            "dotted.key = true",
            '"d e".key = true # [A] proposed: it was dotted',
        ),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_single_edit_is_applied(
    edit: tuple[str, tuple[str | int, ...], str], old: str, new: str, end: str
) -> None:
    assert TEXT.count(old) == 1
    text, old, new = (each.replace("\n", end) for each in (TEXT, old, new))
    document = TomlText(text)
    how, path, value = edit
    getattr(document, how)(path, value)
    edited = document.edited()
    tomllib.loads(edited)
    expected = text.replace(old, new)
    mark = " # [A] proposed: it was 'w'"
    assert edited in (expected, expected.replace(f"n = 7 }}{end}", f"n = 7 }}{mark}{end}"))


def test_a_renamed_table_is_renamed_in_every_line_that_names_it() -> None:
    document = TomlText(TEXT)
    document.rename(B, "b")
    edited = document.edited()
    assert '[a.b] # [A] proposed: it was "b.c" # of b\n' in edited
    assert '[a.b.inner] # [A] proposed: it was "b.c"\n' in edited
    assert set(tomllib.loads(edited)["a"]) == {"b"}


def test_a_table_of_dotted_keys_is_commented_out() -> None:
    text = "[t]\na.b.c = 1\na.b.d = 2\na.e = 3\n"
    document = TomlText(text)
    assert (document.has(("t", "a", "b")), document.has(("t", "b"))) == (True, False)
    document.remove(("t", "a", "b"), "gone")
    assert document.edited() == (
        "[t]\n# a.b.c = 1 # [A] proposed: gone\n# a.b.d = 2 # [A] proposed: gone\na.e = 3\n"
    )


def test_edits_of_one_line_and_one_array_are_combined() -> None:
    document = TomlText(TEXT)
    document.remove((*B, "list", 0), "p is gone")
    document.remove((*B, "list", 2), "r is gone")
    document.replace((*B, "list", 1), "t")
    document.remove((*B, "lines", 2), "r is gone")
    edited = document.edited()
    assert "list = [\"t\"] # [A] proposed: it was 'q'; p is gone; r is gone\n" in edited
    values = tomllib.loads(edited)["a"]["b.c"]
    assert (values["list"], values["lines"]) == (["t"], ["p", "q", "s"])
