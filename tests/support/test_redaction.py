from __future__ import annotations

import base64
import json
from urllib.parse import quote, quote_plus
from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soapclient._support.redaction import HIDDEN, clean, excerpt, redact, redacted_headers, safe_url, shown

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


def test_lower_case_url_escapes_count_too() -> None:
    assert redact("key=a%2bb%2fcc", ["a+b/cc"]) == f"key={HIDDEN}"


def test_overlapping_secrets_are_hidden_completely() -> None:
    secrets = ["ABCDEFGHI", "EFGHIJKLMN", "MNOPQRSTU"]
    assert redact("<ABCDEFGHIJKLMNOPQRSTU>", secrets) == f"<{HIDDEN}>"
    assert redact("aaaaaaaa", ["aaaaa"]) == HIDDEN


def test_secret_that_is_a_part_of_the_placeholder_is_hidden_once() -> None:
    assert redact("hidden s3cr3t", ["hidden", "s3cr3t"]) == f"{HIDDEN} {HIDDEN}"


def test_surrounding_text_is_kept() -> None:
    assert redact("before s3cr3t after", ["s3cr3t"]) == f"before {HIDDEN} after"
    assert redact("nothing to hide", ["", "s3cr3t"]) == "nothing to hide"


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
