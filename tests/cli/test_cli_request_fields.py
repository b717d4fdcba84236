from __future__ import annotations

import json

import pytest

from soapclient.cli.request import FieldValue, InvalidFields, from_assignments, from_json


def plain(given: FieldValue) -> object:
    """Convert to plain values, so that differences are readable."""
    fields = {name: [plain(entry) for entry in entries] for name, entries in given.fields.items()}
    return given.text if not fields else {**({"": given.text} if given.text is not None else {}), **fields}


@pytest.mark.parametrize(
    ("assignments", "expected"),
    [
        ([], None),
        (["date=2026-11-01"], {"date": ["2026-11-01"]}),
        (["note=a=b"], {"note": ["a=b"]}),
        (["note="], {"note": [""]}),
        (["a=1", "b=2", "a=3"], {"a": ["1", "3"], "b": ["2"]}),
        (["i.@id=5", "i.name=x"], {"i": [{"@id": ["5"], "name": ["x"]}]}),
        (["i.rs.r=DE", "i.rs.r=AT"], {"i": [{"rs": [{"r": ["DE", "AT"]}]}]}),
        (["c=Shop", "c.@id=3"], {"c": [{"": "Shop", "@id": ["3"]}]}),
        (["c.@id=3", "c=Shop"], {"c": [{"": "Shop", "@id": ["3"]}]}),
        (["c.$=Shop", "c.@id=3"], {"c": [{"$": ["Shop"], "@id": ["3"]}]}),
        (
            ["c[1].@id=3", "c[2].@id=4", "c[1].n=a", "c[2].n=b"],
            {"c": [{"@id": ["3"], "n": ["a"]}, {"@id": ["4"], "n": ["b"]}]},
        ),
    ],
)
def test_assignments_are_parsed(assignments: list[str], expected: object) -> None:
    assert plain(from_assignments(assignments)) == expected


@pytest.mark.parametrize(
    ("assignment", "said"),
    [
        (["date"], "has no '='"),
        (["=x"], "is not a valid name"),
        (["a..b=x"], "is not a valid name"),
        (["a b=x"], "is not a valid name"),
        (["c[0]=x"], "is not a valid name"),
        (["c[2]=x"], "give item 1 before item 2"),
        (["c[1]=x", "c[1]=y"], "occurs twice"),
    ],
)
def test_invalid_assignments_are_refused(assignment: list[str], said: str) -> None:
    with pytest.raises(InvalidFields, match=said.replace("[", r"\[")):
        from_assignments(assignment)


def test_json_values_keep_their_text() -> None:
    text = (
        '{"a": 1.10, "b": 9007199254740993, "c": true, "d": false, "e": null, "f": ["x", 2], "g": {"@id": 5}}'
    )
    assert plain(from_json(text)) == {
        "a": ["1.10"],
        "b": ["9007199254740993"],
        "c": ["true"],
        "d": ["false"],
        "f": ["x", "2"],
        "g": [{"@id": ["5"]}],
    }


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "3", "null", '{"a": NaN}', '{"a": [[1]]}', '{"a": [null]}', '{"a": 1, "a": 2}']
)
def test_invalid_request_json_is_refused(text: str) -> None:
    with pytest.raises(InvalidFields):
        from_json(text)


def test_endlessly_nested_json_is_refused() -> None:
    with pytest.raises(InvalidFields):
        from_json('{"a":' * 100_000)
    with pytest.raises(InvalidFields):
        from_json(b'{"a": "\xff"}')


def test_assignments_and_json_build_the_same_request() -> None:
    item = {"@id": "5", "name": "x", "rs": {"r": ["DE", "AT"]}}
    assert plain(from_json(json.dumps({"i": item}))) == plain(
        from_assignments(["i.@id=5", "i.name=x", "i.rs.r=DE", "i.rs.r=AT"])
    )
