from __future__ import annotations

import base64
import json
import pickle
from urllib.parse import quote, quote_plus
from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soapclient._support.redaction import HIDDEN, clean, excerpt, redact, redacted_headers, safe_url, shown
from soapclient._support.secret_names import (
    is_secret,
    json_without_secrets,
    without_secrets,
    xml_without_secrets,
)
from soapclient.errors import ContractError, ResponseError
from soapclient.runtime.errors import DecodeError, EncodeError

SIGNATURE = "N4RPYDY1aUjciVm32pCJ82FVvuk="
secrets = st.text(st.characters(exclude_categories=["Cs"]), min_size=9)


@given(secrets, st.text(), st.text())
def test_known_secret_is_removed_in_any_escaping(secret: str, before: str, after: str) -> None:
    data = secret.encode()
    for form in (
        secret,
        quote(secret),
        quote(secret, safe=""),
        quote_plus(secret),
        escape(secret),
        json.dumps(secret),
        repr(secret),
        base64.b64encode(data).decode(),
    ):
        assert form not in redact(f"{before}{form}{after}", [secret])


@pytest.mark.parametrize(
    ("text", "secrets", "expected"),
    [
        ("key=a%2bb%2fcc", ["a+b/cc"], f"key={HIDDEN}"),  # a URL with escapes in lower case
        ("<ABCDEFGHIJKLMNOPQRSTU>", ["ABCDEFGHI", "EFGHIJKLMN", "MNOPQRSTU"], f"<{HIDDEN}>"),  # overlapping
        ("aaaaaaaa", ["aaaaa"], HIDDEN),
        ("hidden s3cr3t", ["hidden", "s3cr3t"], f"{HIDDEN} {HIDDEN}"),  # a part of the placeholder
        ("before s3cr3t after", ["s3cr3t"], f"before {HIDDEN} after"),
        ("nothing to hide", ["", "s3cr3t"], "nothing to hide"),
    ],
)
def test_known_secrets_and_nothing_else_are_hidden(text: str, secrets: list[str], expected: str) -> None:
    assert redact(text, secrets) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"Authorization: ZXWS ID:{SIGNATURE}", f"Authorization: ZXWS ID:{HIDDEN}"),
        (f"<signature>{SIGNATURE}</signature>", f"<signature>{HIDDEN}</signature>"),
        (f"<n:signature a='b'>{SIGNATURE}", f"<n:signature a='b'>{HIDDEN}"),
        (f"?signature={SIGNATURE}&x=1", f"?signature={HIDDEN}&x=1"),
        (f'{{"signature": "{SIGNATURE}"}}', f'{{"signature": "{HIDDEN}"}}'),
        ("https://user:word@host/path", f"https://{HIDDEN}@host/path"),
        ("invalid signature: nonce already used", "invalid signature: nonce already used"),
        ("ZXWS ID", "ZXWS ID"),
    ],
)
def test_secrets_are_recognised_by_their_position(text: str, expected: str) -> None:
    assert redact(text) == expected


@given(st.text(), st.integers(1, 50))
def test_clean_text_is_one_short_printable_line(text: str, limit: int) -> None:
    line = clean(text, limit)
    assert line.isprintable()
    assert len(line) <= limit


def test_clean_keeps_letters_of_all_scripts() -> None:
    assert clean(" Schlüssel\r\n\tключ\x1b[31m ") == "Schlüssel ключ [31m"


@given(secrets, st.integers(0, 1700), st.sampled_from(["x", "\n", "ü"]))
def test_excerpt_shows_no_part_of_a_secret_at_any_cut(secret: str, offset: int, filler: str) -> None:
    secret = "KEY" + "".join(char for char in secret if char.isalnum()) + "-0123456789"
    text = filler * offset + secret + filler * 2000
    for data in (text, text.encode()):
        short = excerpt(data, [secret])
        assert "KEY" not in short
        assert len(short) <= 200


def test_an_excerpt_of_a_long_response_shows_its_beginning() -> None:
    assert excerpt(b"<html>\n<h1>Busy</h1>" + b"\0" * 10_000_000) == "<html> <h1>Busy</h1>"
    assert excerpt(b"\xff\xfe") == "\ufffd\ufffd"
    assert excerpt(b"") == ""


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://host:8443/a/b", "https://host:8443/a/b"),
        ("https://user:word@host/a", "https://host/a"),
        ("https://host/a?ticket=abc&x=1#part", f"https://host/a?ticket={HIDDEN}&x={HIDDEN}"),
        ("https://[::1]:80/a", "https://[::1]:80/a"),
        ("https://user:wo/rd@host/a", f"https://{HIDDEN}"),
        ("https://user:wo?rd@host/a", f"https://{HIDDEN}"),
        ("user:word@host", "host"),
        ("host:80", "host:80"),
        ("https://host/a?wsdl", f"https://host/a?wsdl={HIDDEN}"),
        ("https://host/a?wsdl&ticket-of-24-characters=", f"https://host/a?wsdl={HIDDEN}&{HIDDEN}={HIDDEN}"),
        # `+` is a space in a query, so the rest of a signature does not look like one
        ("https://host/a?ZXWS id:No19pTabcdefghijkl/no+qrstu=", f"https://host/a?{HIDDEN}={HIDDEN}"),
        ("https://host/a?ZXWS id:abc=x", f"https://host/a?{HIDDEN}={HIDDEN}"),
        ("https://host/a\r\nX: y", "https://host/a X: y"),
        ("", ""),
    ],
)
def test_presentable_address_has_no_secrets(url: str, expected: str) -> None:
    assert safe_url(url) == expected


@given(st.text())
def test_any_text_is_accepted_as_an_address(text: str) -> None:
    assert safe_url(text).isprintable()


def test_loggable_headers_have_no_secrets() -> None:
    headers = {
        "Authorization": f"ZXWS ID:{SIGNATURE}",
        "proxy-authorization": "Basic dXNlcjp3b3Jk",
        "Set-Cookie": "session=1",
        "nonce": "17811FEF",
        "X-Session-Token": "a1b2",
    }
    assert redacted_headers(headers) == {
        "Authorization": f"ZXWS ID:{HIDDEN}",
        "proxy-authorization": HIDDEN,
        "Set-Cookie": HIDDEN,
        "nonce": "17811FEF",
        "X-Session-Token": HIDDEN,
    }
    assert redacted_headers({"authorization": "Bearer abc"}) == {"authorization": HIDDEN}
    assert headers["Set-Cookie"] == "session=1"


def test_values_are_shown_as_short_reprs() -> None:
    assert (shown("5"), shown(5), shown(None)) == ("'5'", "5", "None")
    assert len(shown("x" * 10_000)) <= 80
    assert len(shown([["x" * 100] * 100] * 100)) <= 80
    assert shown(10**5000) == "a value of type int"
    assert SIGNATURE not in shown({"signature": SIGNATURE})


def test_white_space_does_not_reveal_part_of_a_secret_in_an_excerpt() -> None:
    """Only a limited start of the text is inspected. Leading blank lines could move its end into a secret."""
    secret = "hunter2-hunter2-hunter2"
    for offset in range(1500, 1800):
        assert "hunter2" not in excerpt("\n" * offset + secret + " and more" * 200, [secret])


# ---- names of fields whose values errors do not show


@pytest.mark.parametrize(
    "path",
    [
        *("login/password", "login/userPassword[2]", "login/@PASSWD", "a/pwd", "a/clientSecret"),
        *("a/access_token", "Header/SessionId", "Header/session", "card/PIN", "card/pinCode"),
        *("a/apiKey", "a/API-Key", "a/Authorization", "Security/Assertion"),
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
