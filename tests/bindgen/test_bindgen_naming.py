"""Any text becomes a valid identifier, and breaking long lines of code does not change their meaning."""

from __future__ import annotations

import ast
import keyword
from collections.abc import Callable

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bindgen import naming
from bindgen.emit.text import Lines, fold, literal
from tests.rings import examples

_names = settings(max_examples=examples(200), deadline=None, derandomize=True, database=None)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("make", [naming.snake, naming.pascal, naming.constant])
def test_any_text_becomes_an_identifier(make: Callable[[str], str]) -> None:
    @_names
    @given(
        st.text()
        | st.sampled_from([*keyword.kwlist, *keyword.softkwlist, "__class__", "", "_", "9", "ß", "ﬁ"])
    )
    def valid(text: str) -> None:
        name = make(text)
        assert name.isidentifier()
        assert name.isascii()
        assert not keyword.iskeyword(name)
        assert not name.startswith("_")

    valid()


@pytest.mark.parametrize(
    ("wire", "snake", "pascal", "constant"),
    [
        ("reviewState", "review_state", "ReviewState", "REVIEW_STATE"),
        ("saleItem", "sale_item", "SaleItem", "SALE_ITEM"),
        ("SOAPException", "soap_exception", "SOAPException", "SOAP_EXCEPTION"),
        ("zpar0", "zpar0", "Zpar0", "ZPAR0"),
        ("URL", "url", "URL", "URL"),
        ("class", "class_", "Class", "CLASS"),
        ("None", "none", "None_", "NONE"),
        ("a-b.c", "a_b_c", "ABC", "A_B_C"),
        ("1st", "n1st", "N1st", "N1ST"),
        ("naïveText", "naive_text", "NaiveText", "NAIVE_TEXT"),
        ("日本", "unnamed", "Unnamed", "UNNAMED"),
        ("", "unnamed", "Unnamed", "UNNAMED"),
    ],
)
def test_names_of_each_kind(wire: str, snake: str, pascal: str, constant: str) -> None:
    assert (naming.snake(wire), naming.pascal(wire), naming.constant(wire)) == (snake, pascal, constant)


@_names
@given(st.lists(st.sampled_from(["a", "a_2", "a_3", "b"]), max_size=12))
def test_unused_names_are_unique(wanted: list[str]) -> None:
    taken: list[str] = []
    for name in wanted:
        taken.append(naming.unused(name, taken))
    assert len(set(taken)) == len(taken)
    assert all(name.startswith(one) for name, one in zip(taken, wanted, strict=True))


# ---- layout of generated code, deeply nested and long

_identifiers = st.from_regex(r"[a-z][a-z_]{0,30}[a-z]", fullmatch=True).filter(
    lambda name: not keyword.iskeyword(name)
)
_literals = st.text(max_size=40).map(literal) | st.text(max_size=40).map(repr) | st.integers(-9, 9).map(str)


def _list(items: list[str], brackets: str) -> str:
    return brackets[0] + ", ".join(items) + brackets[1]


def _tuple(items: list[str]) -> str:
    return f"({items[0]},)" if len(items) == 1 else _list(items, "()")


def _compound(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    many = st.lists(inner, max_size=4)
    some = st.lists(inner, min_size=1, max_size=4)
    named = st.builds("{}={}".format, _identifiers, inner)
    return st.one_of(
        st.builds(lambda name, items: name + _list(items, "()"), _identifiers, many),
        st.builds(
            lambda name, items: name + _list(items, "()"),
            _identifiers,
            st.lists(named, max_size=3, unique_by=lambda each: each.partition("=")[0]),
        ),
        st.builds(lambda name, items: name + _list(items, "[]"), _identifiers, some),
        many.map(lambda items: _list(items, "[]")),
        some.map(_tuple),
        st.lists(st.builds("{}: {}".format, _literals, inner), max_size=3).map(
            lambda items: _list(items, "{}")
        ),
        st.builds("lambda v, p: {}".format, _identifiers),
    )


_expressions = st.recursive(_identifiers | _literals, _compound, max_leaves=12)
_statements = st.one_of(
    _expressions,
    st.builds("{} = {}".format, _identifiers, _expressions),
    st.builds("{}[{}] = {}".format, _identifiers, _literals, _expressions),
    st.builds("return {}".format, _expressions),
    st.builds("{}: {}[{}] = {}".format, _identifiers, _identifiers, _identifiers, _expressions),
)


def _parsed(lines: list[str]) -> str:
    body = "\n".join(f"    {line}" for line in lines)
    return ast.dump(ast.parse(f"def f():\n{body}\n"))


@pytest.mark.exhaustive
@settings(max_examples=examples(300), deadline=None, derandomize=True, database=None)
@given(_statements, st.integers(20, 110))
@example('authentication = ("aaaaaaaaaaaaaaaaaaaa",)', 40)
@example(
    'wire["tags"] = {"tag": write_texts(value.tags, f"{path}/tags", lambda v, p: write(v, p, STRING))}', 60
)
@example("kind: Operation[GetASingleThingRequest, GetASingleThingResponse] = Operation(aaaaaaaaaaa)", 60)
@example("pass_on(table[lambda v, p: some_value])", 20)
@example("x: list[SomeRatherLongName] = some_other_rather_long_name[and_another_long_name_as_index]", 50)
def test_folded_line_parses_the_same(line: str, width: int) -> None:
    folded = fold(line, width)
    assert _parsed(folded) == _parsed([line])
    assert len(line) > width or folded == [line]


@pytest.mark.parametrize(
    "head", ["def function({}) -> int:", "with open({}) as file:", "if values := call({}):"]
)
def test_folded_block_head_parses_the_same(head: str) -> None:
    arguments = ", ".join(f"argument_number_{at}" for at in range(12))
    line = head.format(arguments)
    body = ["    pass"]
    folded = fold(line, 60)
    assert _parsed([*folded, *body]) == _parsed([line, *body])
    assert max(map(len, folded)) <= 60


@_names
@given(st.text())
def test_literal_evaluates_to_its_text_on_one_line(text: str) -> None:
    assert ast.literal_eval(literal(text)) == text
    assert "\n" not in literal(text)


@_names
@given(st.text(), st.text())
@example('"""\nimport os\n"""', "\\")
@example("\\", '"')
def test_docstring_text_cannot_end_the_docstring(first: str, second: str) -> None:
    lines = Lines()
    with lines.block("def f():"):
        lines.doc("x" + first, second, "y" * 300)
    (function,) = ast.parse(lines.text()).body
    assert isinstance(function, ast.FunctionDef)
    assert len(function.body) == 1
    assert ast.get_docstring(function) is not None
    assert max(map(len, lines.text().split("\n"))) <= 110 or any(
        len(word) > 90 for word in (first + second).split()
    )
