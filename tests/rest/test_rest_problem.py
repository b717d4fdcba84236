"""What an error body says, in XML and in JSON (docs/explanation/service.md#fault-codes)."""

from __future__ import annotations

import json

import pytest
from lxml import etree

from soapclient.rest.json_tree import parse
from soapclient.rest.responses import Problem, problem_of

FIELDS = (
    "<code>230</code><message>Bad Request</message><reason>no\n such program</reason><errorId>e-1</errorId>"
)
SHOUTED = """<Code>230</Code><MESSAGE>Bad Request</MESSAGE>
<Reason>no such program</Reason><errorID>e-1</errorID>"""
WHOLE = Problem(230, "Bad Request", "no such program", "e-1")


@pytest.mark.parametrize(
    "text",
    [
        f"<response>{FIELDS}</response>",
        f'<error xmlns="urn:x"><!-- c -->{FIELDS}</error>',
        f'<n:Anything xmlns:n="urn:x">{FIELDS}</n:Anything>',
        f"<response><error>{FIELDS}</error></response>",
        f"<r>{SHOUTED}</r>",
    ],
)
def test_from_xml(text: str) -> None:
    assert problem_of(etree.fromstring(text)) == WHOLE


FORM = {"code": 230, "message": "Bad Request", "reason": "no such program", "errorId": "e-1"}


@pytest.mark.parametrize(
    "value", [FORM, {"response": FORM}, {"error": FORM}, [FORM], {**FORM, "more": {"a": 1}}]
)
def test_from_json(value: object) -> None:
    assert problem_of(parse(json.dumps(value).encode(), "{urn:x}Response")) == WHOLE


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"code": "401"}, Problem(401, "", "", None)),
        ({"message": "m"}, Problem(None, "m", "", None)),
        ({"reason": "r", "message": ""}, Problem(None, "", "r", None)),
        ({"code": "E17", "message": "m"}, Problem(None, "E17: m", "", None)),
        ({"code": "E17"}, Problem(None, "E17", "", None)),
        ({"code": 10**30}, Problem(None, str(10**30), "", None)),
        ({"code": [1, 2]}, Problem(1, "", "", None)),
        ({"errorId": "e"}, None),
        ({"code": "", "message": None, "reason": {"a": "b"}}, None),
        ({"saleItem": {"code": 1, "message": "m"}}, None),
        ({}, None),
        ([], None),
    ],
)
def test_what_is_there_in_part(value: object, expected: Problem | None) -> None:
    assert problem_of(parse(json.dumps(value).encode(), "{urn:x}Response")) == expected
