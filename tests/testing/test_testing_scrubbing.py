"""Recorded responses hold no secrets, and can still be replayed."""

from __future__ import annotations

import json
import stat
import sys
from pathlib import Path

import pytest
import requests
from lxml import etree

from soapclient.testing import Recording
from soapclient.testing.scrubbing import scrub_body, scrub_headers

SOAP = "http://schemas.xmlsoap.org/soap/envelope/"


def exchange(
    folder: Path, content: bytes, headers: dict[str, str], url: str = "https://shop.invalid/a"
) -> Recording:
    """A recording with one exchange, written and read again."""
    recording = Recording(folder)
    recording.keep(requests.Request("GET", url).prepare(), lambda: response(content, headers))
    recording.write()
    return Recording.read(folder)


def response(content: bytes, headers: dict[str, str], status: int = 200) -> requests.Response:
    made = requests.Response()
    made.status_code, made._content = status, content
    made.headers.update(headers)
    return made


def test_session_token_is_not_stored(tmp_path: Path) -> None:
    body = (
        f'<e:Envelope xmlns:e="{SOAP}"><e:Body><LoginResponse xmlns="urn:x" apiKey="of an attribute">'
        "<sessionToken>of an element</sessionToken><user>me</user><pin>4711</pin>"
        "<credentials><code><![CDATA[of a <child>]]></code></credentials>"
        "<tokenValid>true</tokenValid><tokenExpires>2026-11-02T10:00:00Z</tokenExpires>"
        "<echo>you are of an element</echo></LoginResponse></e:Body></e:Envelope>"
    ).encode()
    headers = {
        "Content-Type": "text/xml",
        "X-Session-Token": "of a header",
        "WWW-Authenticate": 'Digest realm="of a realm", nonce="of a nonce", qop="auth", algorithm=MD5',
        "Location": "https://me:of-a-password@shop.invalid/next?ticket=of+a+ticket&page=2",
        "X-Plain": "stays",
    }
    kept = exchange(tmp_path, body, headers).exchanges[0].response
    (file,) = tmp_path.iterdir()
    text = file.read_text(encoding="utf-8")
    for secret in ("attribute", "an element", "4711", "child", "a header", "a realm", "a nonce"):
        assert secret not in text
    for secret in ("a password", "ticket=of"):
        assert secret not in text
    for harmless in ("<user>me</user>", ">true<", ">2026-11-02T10:00:00Z<", ">0000<", "you are [hidden]"):
        assert harmless in kept.body
    assert kept.headers["X-Plain"] == "stays"
    assert 'qop="auth", algorithm=MD5' in kept.headers["WWW-Authenticate"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no modes")
def test_only_the_owner_can_read_a_recording(tmp_path: Path) -> None:
    exchange(tmp_path, b"<a/>", {})
    (file,) = tmp_path.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_json_fields_are_hidden_in_requests_and_responses(tmp_path: Path) -> None:
    recording = Recording(tmp_path)
    login = {"user": "me", "password": "typed-in"}
    request = requests.Request("POST", "https://shop.invalid/a", json=login).prepare()
    answer = b'{"accessToken": "given-out", "pin": 4711, "n": 1.50, "token": {"$": "nested", "@id": "3"}}'
    recording.keep(request, lambda: response(answer, {"Content-Type": "application/json"}))
    recording.write()
    (file,) = tmp_path.iterdir()
    text = file.read_text(encoding="utf-8")
    for secret in ("typed-in", "given-out", "4711", "nested"):
        assert secret not in text
    again = Recording.read(tmp_path)
    replayed = again.answer(
        requests.Request("POST", "https://shop.invalid/a", json=login | {"password": "another"}).prepare(),
        lambda: response(b"", {}),
    )
    body = json.loads(replayed.content)
    assert (body["accessToken"], body["pin"], body["n"], body["token"]["@id"]) == ("[hidden]", 0, 1.5, "0")


def test_secrets_next_to_an_attachment_are_hidden() -> None:
    part = f'<e:Envelope xmlns:e="{SOAP}"><e:Body><r><token>secret-1</token></r></e:Body></e:Envelope>'
    head, tail = b"--b\r\nContent-ID: <1>\r\n\r\n", b"\r\n--b\r\n\r\n\xff\x00--b--"
    secrets: set[str] = set()
    scrubbed = scrub_body(head + part.encode() + tail, secrets)
    assert scrubbed == head + part.replace("secret-1", "[hidden]").encode() + tail
    assert secrets == {"secret-1"}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"plain text",
        b'<?xml version="1.0" encoding="iso-8859-1"?>\n<a  b = "1">\xe9</a>\n',
        b'{"n": 1.50,  "list": [1, "password"]}',
        b"\xff\xfe",
        b"[" * 100_000,
    ],
)
def test_bodies_without_secrets_are_unchanged(content: bytes) -> None:
    secrets: set[str] = set()
    assert scrub_body(content, secrets) == content
    assert secrets == set()


def test_encoding_of_a_document_is_kept() -> None:
    content = '<?xml version="1.0" encoding="iso-8859-1"?><a><name>é</name><pwd>geheim</pwd></a>'
    scrubbed = scrub_body(content.encode("iso-8859-1"), set())
    assert "é".encode("iso-8859-1") in scrubbed
    assert b"geheim" not in scrubbed


@pytest.mark.parametrize(
    ("challenge", "expected"),
    [
        ("Negotiate", "Negotiate"),
        ("Negotiate YIIJvwYGKw==", "Negotiate [hidden]"),
        ('Basic realm="shop"', 'Basic realm="[hidden]"'),
        ('Bearer error="invalid", qop=auth', 'Bearer error="[hidden]", qop=auth'),
        ('Digest nonce="a\\"b, c", stale=true', 'Digest nonce="[hidden]", stale=true'),
    ],
)
def test_challenges_keep_the_parameters_that_a_client_needs(challenge: str, expected: str) -> None:
    assert scrub_headers({"Www-Authenticate": challenge}, set()) == {"Www-Authenticate": expected}


@pytest.mark.parametrize("query", ["ticket=t1&page=2", "page=2&ZXWS id:t1+Pt1abcdefghijk/no+qrstu="])
def test_a_redirect_can_be_replayed(query: str, tmp_path: Path) -> None:
    recording = Recording(tmp_path)
    start = requests.Request("GET", "https://shop.invalid/a?page=2").prepare()
    target = f"https://shop.invalid/b?{query}"
    recording.keep(start, lambda: response(b"", {"Location": target}, 302))
    recording.keep(requests.Request("GET", target).prepare(), lambda: response(b"file", {}))
    recording.write()
    assert all("t1" not in file.read_text(encoding="utf-8") for file in tmp_path.iterdir())
    again = Recording.read(tmp_path)
    redirect = again.answer(start, lambda: response(b"", {}))
    followed = requests.Request("GET", redirect.headers["Location"]).prepare()
    assert again.answer(followed, lambda: response(b"", {})).content == b"file"


@pytest.mark.parametrize("encoding", ["iso-8859-1", "windows-1252", "utf-16"])
def test_envelopes_in_other_encodings_contain_no_secrets(encoding: str) -> None:
    head = f'<?xml version="1.0" encoding="{encoding}"?>'
    text = f'{head}<e:Envelope xmlns:e="{SOAP}"><e:Body><n>é</n><token>secret-1</token></e:Body></e:Envelope>'
    root = etree.fromstring(scrub_body(text.encode(encoding), set()))
    assert (root.findtext(".//n"), root.findtext(".//token")) == ("é", "[hidden]")


def test_secrets_in_large_texts_are_found() -> None:
    text = f"<a><token>secret-1</token><b>{'x' * 11_000_000}</b>{'<c>' * 300}{'</c>' * 300}</a>"
    assert b"secret-1" not in scrub_body(text.encode(), set())


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"<a><token>secret-1</token><b></a>", b"<a><token>(not shown)</token><b></a>"),
        (b'{"token": "secret-1", "n": ', b'{"token": "[hidden]", "n": '),
        (b'{"token": "secret-1', b'{"token": "[hidden]"'),
        (b'\xef\xbb\xbf{"token": "secret-1"}', b'\xef\xbb\xbf{"token": "[hidden]"}'),
    ],
)
def test_damaged_bodies_contain_no_secrets(content: bytes, expected: bytes) -> None:
    assert scrub_body(content, set()) == expected


@pytest.mark.exhaustive
@pytest.mark.parametrize("content", [b"<Envelope " * 200_000, b"<Envelope></Envelope " * 100_000])
def test_hostile_bodies_are_searched_in_linear_time(content: bytes) -> None:
    assert scrub_body(content, set()) == content
