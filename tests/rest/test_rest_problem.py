"""The content of an error body, in XML and in JSON (docs/explanation/service.md#fault-codes)."""

from __future__ import annotations

import json
from dataclasses import replace

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
    ("text", "documented"),
    [
        (f"<response>{FIELDS}</response>", True),
        (f'<error xmlns="urn:x"><!-- c -->{FIELDS}</error>', True),
        (f'<n:Anything xmlns:n="urn:x">{FIELDS}</n:Anything>', True),
        (f"<response><error>{FIELDS}</error></response>", False),
        (f"<r>{SHOUTED}</r>", False),
        (f"<r>{FIELDS}<status>400</status></r>", False),
        (f"<r>{FIELDS}<code>230</code></r>", False),
    ],
)
def test_error_is_read_from_xml(text: str, documented: bool) -> None:
    assert problem_of(etree.fromstring(text)) == replace(WHOLE, documented=documented)


def problem_in(value: object) -> Problem | None:
    return problem_of(parse(json.dumps(value).encode(), "{urn:x}Response"))


FORM = {"code": 230, "message": "Bad Request", "reason": "no such program", "errorId": "e-1"}


@pytest.mark.parametrize(
    ("value", "documented"),
    [
        (FORM, True),
        ({"response": FORM}, False),
        ({"error": FORM}, False),
        ([FORM], False),
        ({**FORM, "more": {"a": 1}}, False),
        ({**FORM, "more": None}, False),
    ],
)
def test_error_is_read_from_json(value: object, documented: bool) -> None:
    assert problem_in(value) == replace(WHOLE, documented=documented)


# Bodies of gateways and of the service, recognized by their fields.
@pytest.mark.parametrize(
    ("value", "documented"),
    [
        ({"code": 117, "message": None, "reason": "id"}, True),
        ({"code": 117, "reason": "id"}, True),  # no gateway uses this code
        ({"code": 230, "message": "Bad Request"}, True),
        ({"code": 302, "message": "Found"}, False),  # an HTTP status and its text
        ({"code": 403, "message": "no", "reason": ""}, True),
        ({"code": 403, "message": "no"}, False),
        ({"code": 404, "reason": "no"}, False),
        ({"code": 117}, False),
        ({"code": "E17", "message": "m", "reason": "r"}, False),
        ({"message": "m", "reason": "r"}, False),
        ({"code": 5, "message": "Method does not exist.", "details": []}, False),
        ({"code": 117, "message": "m", "reason": "r", "error_id": "e"}, False),
        ({"code": 117, "message": {"a": "b"}, "reason": "r"}, False),
        ({"kind": "Status", "status": "Failure", "message": "m", "reason": "Forbidden", "code": 403}, False),
    ],
)
def test_service_error_body_is_read(value: object, documented: bool) -> None:
    problem = problem_in(value)
    assert problem is not None
    assert problem.documented is documented


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
def test_incomplete_error_body_is_read(value: object, expected: Problem | None) -> None:
    assert problem_in(value) == expected
