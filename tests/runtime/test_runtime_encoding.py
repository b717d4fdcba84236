"""Values that cannot be encoded: the error names the path, what is allowed, and the reason."""

from __future__ import annotations

from typing import Any

import pytest
from lxml import etree

from soapclient.runtime.any_element import AnyElement
from soapclient.runtime.codec import Codec
from soapclient.runtime.errors import EncodeError
from soapclient.runtime.nil import NIL
from tests.runtime.rows import SPACE, XSI, Inner, T, codec_of, in_order

INT = "a whole number from -2147483648 to 2147483647 (xsd:int)"


class More(Inner):
    """A type derived from Inner."""

    w: Any = None


INNER: dict[str, Any] = {
    "xml": "inner",
    "fields": [
        {"python": "k", "xml": "k", "kind": "attribute"},
        {"python": "v", "xml": "v", "type": "int", "occurs": "?"},
    ],
}
MORE: dict[str, Any] = {
    "xml": "more",
    "base": "Inner",
    "derivation": "extension",
    "fields": [{"python": "w", "xml": "w", "occurs": "?"}],
}


def codec(*fields: dict[str, Any], **row: Any) -> Codec:
    """Return the codec of `T`, whose fields are `a`, `b`, `c` in this order."""
    rows = {"T": {"xml": "t", "fields": in_order(fields), **row}, "Inner": INNER, "More": MORE}
    kinds: dict[str, type] = {"T": T, "Inner": Inner, "More": More}
    return codec_of(kinds, rows, namespaces={"p": "urn:other"}, wildcards=[{}])


def written(made: Codec, value: object) -> str:
    root = etree.Element("R", nsmap={None: SPACE, "i": XSI})
    made.writer("T")(value, root, "R")
    return (
        etree.tostring(root, encoding="unicode")
        .replace(f' xmlns="{SPACE}"', "", 1)
        .replace(f' xmlns:i="{XSI}"', "")
    )


def refusal(made: Codec, value: object) -> tuple[str, str, str]:
    with pytest.raises(EncodeError) as caught:
        written(made, value)
    return caught.value.path, caught.value.allowed, caught.value.reason


UNFIT, REQUIRED = "not an allowed value", "it is required"
ELEMENT, ATTRIBUTE = {"type": "int"}, {"kind": "attribute", "type": "int"}
MAYBE = {"type": "int", "occurs": "?"}


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        (ELEMENT, None, ("R/a", "a value", REQUIRED)),
        (ELEMENT, "x", ("R/a", INT, UNFIT)),
        (ATTRIBUTE, None, ("R/@a", "a value", REQUIRED)),
        (ATTRIBUTE, 2**31, ("R/@a", INT, UNFIT)),
        ({"kind": "text", "type": "int"}, None, ("R", "a value", REQUIRED)),
        ({"kind": "text", "type": "int"}, "x", ("R", INT, UNFIT)),
        ({"type": "int", "occurs": "+"}, None, ("R/a", "a value", REQUIRED)),
        ({"type": "int", "occurs": "+"}, [], ("R/a", "a value", REQUIRED)),
        ({"type": "int", "occurs": "+"}, (), ("R/a", "a value", REQUIRED)),
        ({"type": "int", "occurs": "+"}, {}, ("R/a", "a list", UNFIT)),
        ({"type": "int", "occurs": "*"}, 7, ("R/a", "a list", UNFIT)),
        ({"occurs": "*"}, "no list", ("R/a", "a list", UNFIT)),
        ({"type": "int", "occurs": "*"}, [1, 2, "x"], ("R/a[3]", INT, UNFIT)),
        ({"item": "p:i", "type": "int"}, None, ("R/a", "a value", REQUIRED)),
        ({"item": "p:i", "type": "int"}, [1, "x"], ("R/a/i[2]", INT, UNFIT)),
        ({"item": "p:i", "type": "Inner"}, [None], ("R/a/i[1]", "a Inner", UNFIT)),
        ({"type": "Inner"}, 7, ("R/a", "a Inner", UNFIT)),
        ({"type": "Inner"}, Inner(), ("R/a/@k", "a value", REQUIRED)),
        ({"type": "Inner"}, More(k="1"), ("R/a", "a Inner", "an instance of a subclass cannot be sent")),
        (
            {"type": "Inner", "nil": True},
            None,
            ("R/a", "a value", "it cannot be nil, because its attribute k is required"),
        ),
        ({"refused": "gone since May"}, 7, ("R/a", "nothing", "gone since May")),
        ({"kind": "attribute", "refused": "gone since May"}, 7, ("R/@a", "nothing", "gone since May")),
        ({"refused_values": {"view": "use click"}}, "view", ("R/a", "", "use click")),
        ({"type": "Inner", "partial": True}, 7, ("R/a", "a Inner, or a dict of its changed fields", UNFIT)),
        ({"type": "Inner", "partial": True}, {"z": 7}, ("R/a", "k, v", "unknown field")),
        ({"type": "Inner", "partial": True}, {"v": "x"}, ("R/a/v", INT, UNFIT)),
        ({"kind": "any_attributes", "wildcards": [0]}, [], ("R/a", "a dict of strings", UNFIT)),
    ],
)
def test_encode_error_names_the_refused_value(
    field: dict[str, Any], value: object, told: tuple[str, str, str]
) -> None:
    assert refusal(codec(field), T(a=value)) == told


@pytest.mark.parametrize(
    ("field", "value", "content"),
    [
        (ELEMENT, 7, "<R><a>7</a></R>"),
        (MAYBE, None, "<R/>"),
        (ATTRIBUTE, 7, '<R a="7"/>'),
        ({**ATTRIBUTE, "occurs": "?"}, None, "<R/>"),
        ({**ATTRIBUTE, "fixed": "5"}, None, '<R a="5"/>'),
        ({**ATTRIBUTE, "fixed": "5", "occurs": "?"}, None, "<R/>"),
        ({**ELEMENT, "fixed": "5"}, None, "<R><a>5</a></R>"),
        ({**MAYBE, "fixed": "5"}, None, "<R/>"),
        ({**ELEMENT, "nil": True}, None, '<R><a i:nil="true"/></R>'),
        ({**MAYBE, "nil": True}, NIL, '<R><a i:nil="true"/></R>'),
        ({**MAYBE, "nil": True}, None, "<R/>"),
        ({**ELEMENT, "rest_optional": True}, None, "<R/>"),
        ({"kind": "text", "type": "int"}, 7, "<R>7</R>"),
        ({"kind": "text", "type": "int", "nil": True}, None, '<R i:nil="true"/>'),
        ({"kind": "text", "type": "int", "nil": True}, 0, "<R>0</R>"),
        ({"type": "int", "occurs": "*"}, [], "<R/>"),
        ({"type": "int", "occurs": "+", "rest_optional": True}, [], "<R/>"),
        ({"type": "int", "occurs": "*"}, (1, 2), "<R><a>1</a><a>2</a></R>"),
        ({"type": "int", "occurs": "*", "nil": True}, [1, None], '<R><a>1</a><a i:nil="true"/></R>'),
        ({"item": "i", "type": "int"}, [], "<R><a/></R>"),
        ({"item": "i", "type": "int"}, [1, 2], "<R><a><i>1</i><i>2</i></a></R>"),
        ({"item": "i", "type": "int", "nil_item": True}, [None], '<R><a><i i:nil="true"/></a></R>'),
        ({"type": "Inner"}, Inner(k="1", v=2), '<R><a k="1"><v>2</v></a></R>'),
        ({"type": "Inner", "partial": True}, Inner(k="1"), '<R><a k="1"/></R>'),
        ({"type": "Inner", "partial": True}, {"v": 2}, "<R><a><v>2</v></a></R>"),
        ({"refused": "gone since May", "occurs": "?"}, None, "<R/>"),
        ({"refused_values": {"view": "use click"}}, "click", "<R><a>click</a></R>"),
        ({"kind": "any_attributes", "wildcards": [0]}, {"x": "1", "y": "2"}, '<R x="1" y="2"/>'),
        ({"kind": "any_attributes", "wildcards": [0]}, {}, "<R/>"),
    ],
)
def test_values_are_encoded(field: dict[str, Any], value: object, content: str) -> None:
    assert written(codec(field), T(a=value)) == content


def test_wildcard_attributes_must_not_repeat_a_field() -> None:
    made = codec({"kind": "any_attributes", "wildcards": [0]}, {"kind": "attribute", "occurs": "?"})
    assert written(made, T(a={"x": "1"}, b="2")) == '<R b="2" x="1"/>'
    own = ("R/a", "the name of an attribute that does not have its own field", UNFIT)
    assert refusal(made, T(a={"x": "1", "b": "3"}, b="2")) == own
    assert written(made, T(a={"b": "3"})) == '<R b="3"/>'
    for values, cause in (
        ({"x": 7}, TypeError),
        ({"x": "\0"}, ValueError),
        ({"not a name": "1"}, ValueError),
    ):
        path, allowed, reason = refusal(made, T(a=values))
        assert (path, allowed) == ("R/a", "valid XML names, and texts of characters that XML allows")
        (name, text) = next(iter(values.items()))
        with pytest.raises(cause) as caught:  # lxml's own error
            etree.Element("R").set(name, text)  # type: ignore[arg-type]  # it refuses a number
        assert reason == str(caught.value)


def test_substitution_group_needs_exactly_one_element() -> None:
    made = codec(MAYBE, MAYBE, MAYBE, holder="substitution")
    assert written(made, T(b=7)) == "<R><b>7</b></R>"
    for value in (T(), T(a=1, b=2), T(a=0, b=0, c=0)):
        assert refusal(made, value) == ("R", "a value with exactly one field set", UNFIT)


def test_choice_needs_exactly_one_branch() -> None:
    outer, first, second = ["x", 1], ["x", 1], ["x", 2]
    made = codec(
        {**MAYBE, "arms": [outer, ["y", 1]]},
        {"type": "int", "occurs": "*", "arms": [first, ["y", 2]]},
        {**ATTRIBUTE, "occurs": "?", "kind": "element", "arms": [second]},
    )
    assert written(made, T(a=1, b=[])) == "<R><a>1</a></R>"
    assert written(made, T(b=[1, 2])) == "<R><b>1</b><b>2</b></R>"
    assert written(made, T(b=[], c=3)) == "<R><c>3</c></R>"
    reason = "only one alternative of a choice can be sent"
    assert refusal(made, T(a=1, b=[2])) == ("R/b", "no value if a is set", reason)
    assert refusal(made, T(a=1, c=3)) == ("R/c", "no value if a is set", reason)
    assert refusal(made, T(b=[0], c=3)) == ("R/c", "no value if b is set", reason)


def test_nil_message_has_attributes_and_no_content() -> None:
    nil = {"kind": "nil", "type": "boolean", "occurs": "?"}
    made = codec(nil, {"type": "int", "occurs": "*"}, ATTRIBUTE)
    assert written(made, T(a=True, c=7)) == '<R i:nil="true" c="7"/>'
    assert written(made, T(a=True, b=[], c=7)) == '<R i:nil="true" c="7"/>'
    assert written(made, T(a=False, b=[1], c=7)) == '<R c="7"><b>1</b></R>'
    reason = "the element is nil, so it cannot have content"
    assert refusal(made, T(a=True, b=[1], c=7)) == ("R/b", "None", reason)
    assert refusal(made, T(a=True)) == ("R/@c", "a value", REQUIRED)
    whole = codec(nil, {"kind": "content", "type": "any"})
    empty = AnyElement(name="", attributes={"k": "1"})
    assert written(whole, T(a=True, b=empty)) == '<R i:nil="true" k="1"/>'
    for full in (AnyElement(name="", text="x"), AnyElement(name="", children=[AnyElement(name="v")])):
        assert refusal(whole, T(a=True, b=full)) == ("R/b", "no content", reason)


def test_value_of_a_derived_type_has_xsi_type() -> None:
    for key, told in (("open", "one of Inner, More"), ("abstract", "one of More")):
        of_row = codec_of({"Inner": Inner, "More": More}, {"Inner": {**INNER, key: True}, "More": MORE})
        root = etree.Element("R", nsmap={"s": SPACE})
        of_row.writer("Inner")(More(k="1", w="x"), root, "R")
        found = root.get(f"{{{XSI}}}type"), root.get("k"), [one.text for one in root]
        assert found == ("s:more", "1", ["x"])
        with pytest.raises(EncodeError) as caught:
            of_row.writer("Inner")(7, root, "R")
        assert (caught.value.path, caught.value.allowed, caught.value.reason) == ("R", told, UNFIT)


def test_writers_and_readers_are_built_once() -> None:
    made = codec({"type": "Inner"})
    assert made.writer("T") is made.writer("T")
    assert made.reader("T") is made.reader("T")
    assert made.encoder.writer("Inner", exact=True) is made.encoder.writer("Inner", exact=True)
