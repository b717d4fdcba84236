"""An error is one whatever status it came with; a reply that holds words of an error is none."""

from __future__ import annotations

import json

import pytest

from soapclient import Config
from soapclient.reader import ReplyReader
from soapclient.rest import json_tree
from soapclient.rest.interpreting import ErrorTold, interpret
from zxws._runtime import DecodeError, Operation
from zxws._runtime.operation import ReplyT, RequestT
from zxws.advertiser.service import GET_PARTNERSHIPS
from zxws.publisher.service import CREATE_PROGRAM_APPLICATION, GET_PROFILE, GET_PROGRAM


def read(operation: Operation[RequestT, ReplyT], value: object) -> ReplyT:
    assert operation.rest is not None
    root = json_tree.parse(json.dumps(value).encode(), operation.reply_tag)
    reply, _ = interpret(operation, operation.rest, root, lambda: ReplyReader(Config()))
    return reply


@pytest.mark.parametrize(
    "value",
    [
        {"code": 103, "message": "m", "reason": "r"},
        {"code": 103, "message": "m", "timestamp": "x"},
        {"code": "103", "message": "m"},
        {"error": {"code": 103, "message": "m"}},
    ],
)
def test_what_has_an_errors_fields_and_nothing_of_the_reply_is_an_error(value: object) -> None:
    with pytest.raises(ErrorTold) as profile:
        read(GET_PROFILE, value)
    assert (profile.value.problem.code, profile.value.problem.message) == (103, "m")
    with pytest.raises(ErrorTold):  # an item is required there: what cannot be read says no more
        read(CREATE_PROGRAM_APPLICATION, value)
    with pytest.raises(ErrorTold):
        read(GET_PARTNERSHIPS, value)


def test_a_reply_beside_such_fields_is_a_reply() -> None:
    found = read(GET_PARTNERSHIPS, {"code": 0, "message": "ok", "partnerCodeList": []})
    assert found.partner_code_list == []
    assert found.unknown == {"code": 0, "message": "ok"}


def test_what_is_empty_or_strange_is_no_error() -> None:
    assert read(GET_PROGRAM, {}).program_item is None
    assert read(GET_PROGRAM, {"took": "5 ms"}).program_item is None
    with pytest.raises(DecodeError):
        read(CREATE_PROGRAM_APPLICATION, {"took": "5 ms"})
