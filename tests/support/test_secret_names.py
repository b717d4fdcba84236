"""Names of fields whose values errors do not show."""

from __future__ import annotations

import pickle

import pytest

from soapclient._support.secret_names import (
    is_secret,
    json_without_secrets,
    without_secrets,
    xml_without_secrets,
)
from soapclient.errors import ContractError, ResponseError
from soapclient.runtime.errors import DecodeError, EncodeError


@pytest.mark.parametrize(
    "path",
    [
        "login/password",
        "login/userPassword[2]",
        "login/@PASSWD",
        "a/pwd",
        "a/clientSecret",
        "a/access_token",
        "Header/SessionId",
        "Header/session",
        "card/PIN",
        "card/pinCode",
        "a/apiKey",
        "a/API-Key",
        "a/Authorization",
        "Security/Assertion",
    ],
)
def test_secret_names_are_recognised(path: str) -> None:
    assert is_secret(path)


@pytest.mark.parametrize(
    "path", ["a/city", "password/city", "a/shipping", "a/opinion", "a/key", "a/passage", ""]
)
def test_other_names_are_not_secret(path: str) -> None:
    assert not is_secret(path)


def test_repr_hides_secret_fields() -> None:
    text = "Login(user='u', password='it\\'s', api_key=\"k\", pin=b'1', city='x')"
    shown = "Login(user='u', password=(not shown), api_key=(not shown), pin=(not shown), city='x')"
    assert without_secrets(text) == shown


@pytest.mark.parametrize(
    "error",
    [
        ContractError("a/token", "hunter2", "text", "The value 'hunter2' is not accepted"),
        ContractError("a/token", " hunter2 ", "text", "'hunter2' is not an element of the set"),
        ResponseError("a/token", "hunter2", "text (The value 'hunter2' is not accepted)"),
        EncodeError("a/token", "hunter2", "text"),
        DecodeError("a/token", "hunter2", "text"),
    ],
)
def test_errors_show_no_secret_fields(error: Exception) -> None:
    for each in (error, pickle.loads(pickle.dumps(error))):
        assert "hunter2" not in str(each)
        assert "(not shown)" in str(each)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"user": "a", "sessionToken":"x\\"y"}', '{"user": "a", "sessionToken":"(not shown)"}'),
        ('{"pin" : 12, "z": [1, "password"]}', '{"pin" : "(not shown)", "z": [1, "password"]}'),
        (
            '{"credentials": {"a": ["b", {"c": 1, "d": true}]}, "e": "f"}',
            '{"credentials": {"a": ["(not shown)", {"c": "(not shown)", "d": true}]}, "e": "f"}',
        ),
        (
            '{"@token": null, "a": "b", "password": "cut',
            '{"@token": null, "a": "b", "password": "(not shown)"',
        ),
        ("not JSON: password", "not JSON: password"),
    ],
)
def test_json_is_shown_without_secrets(text: str, expected: str) -> None:
    assert json_without_secrets(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('<a x="1>2" password="p">t</a>', '<a x="1>2" password="(not shown)">t</a>'),
        ("<token><![CDATA[ab<c>d]]></token><b>t</b>", "<token>(not shown)</token><b>t</b>"),
        ("<token>it's</token><b>it's</b>", "<token>(not shown)</token><b>it's</b>"),
        ("<a><token>cut", "<a><token>(not shown)"),
        ("<a><pin>1<", "<a><pin>(not shown)"),
        ("<a>1</a>", "<a>1</a>"),
        ("<pin><pin>1</pin>2</pin><b>3</b>", "<pin><pin>(not shown)</pin>(not shown)</pin><b>3</b>"),
        ("<pin/><b>1</b>", "<pin/><b>1</b>"),
        ("<x:pin a='1'>2</x:pin>3", '<x:pin a="(not shown)">(not shown)</x:pin>3'),
        ("<pin><b c='1'/></pin>", '<pin><b c="(not shown)"/></pin>'),
        ("<a pin = '1' b='2'/>", "<a pin = \"(not shown)\" b='2'/>"),
        ("</pin>1", "</pin>1"),
    ],
)
def test_xml_is_shown_without_secrets(text: str, expected: str) -> None:
    assert xml_without_secrets(text) == expected


@pytest.mark.exhaustive
@pytest.mark.parametrize("text", ["<" * 2_000_000, "<" + "a" * 2_000_000, "<a '" * 500_000])
def test_hostile_xml_is_read_in_linear_time(text: str) -> None:
    assert xml_without_secrets(text) == text
