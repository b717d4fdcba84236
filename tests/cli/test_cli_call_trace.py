"""`soapclient call --trace` and `--save` show exactly the bytes that an independent server received."""

from __future__ import annotations

import errno
import gzip
import json
import os
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

import pytest
from click.testing import Result

from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY
from tests.cli.conftest import Environment, Run, error_of, output_of

PUBLISHER = "http://api.zanox.com/namespace/2011-03-01/"
ENVELOPE = (
    '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>'
    f'<GetProfileResponse xmlns="{PUBLISHER}"/></e:Body></e:Envelope>'
).encode()
FAULT = (
    '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><e:Fault>'
    "<faultcode>e:Server</faultcode><faultstring>out of order</faultstring></e:Fault></e:Body></e:Envelope>"
)
HEAD = (
    "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nX-Odd: a\x1b[31mb\r\n"
    "Set-Cookie: id=hidden-word\r\n{}\r\n"
)


def response(
    body: bytes, status: int = 200, phrase: str = "OK", media_type: str = "text/xml", more: str = ""
) -> bytes:
    return HEAD.format(status, phrase, media_type, len(body), more).encode("latin-1") + body


class Raw:
    """A server that records the bytes of each request. Of HTTP it knows only where a request ends."""

    def __init__(self) -> None:
        self.requests: list[bytes] = []
        self.responses: list[bytes] = []
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._socket.accept()
                with connection:
                    self._answer(connection)

    def _answer(self, connection: socket.socket) -> None:
        received = b""
        while b"\r\n\r\n" not in received:
            received += connection.recv(1 << 16)
        head, _, body = received.partition(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
        while len(body) < (int(length[1]) if length else 0):
            body += connection.recv(1 << 16)
        self.requests.append(head + b"\r\n\r\n" + body)
        if self.responses:
            connection.sendall(self.responses.pop(0))

    def close(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join()


@pytest.fixture
def raw() -> Iterator[Raw]:
    server = Raw()
    yield server
    server.close()


@pytest.fixture
def settings(raw: Raw) -> Environment:
    return {
        "SOAPCLIENT_CONNECT_ID": SAMPLE_CONNECT_ID,
        "SOAPCLIENT_SECRET_KEY": SAMPLE_SECRET_KEY,
        "SOAPCLIENT_PUBLISHER_URL": raw.url,
    }


@pytest.fixture
def call(run_unset: Run, settings: Environment) -> Run:
    """Call GetProfile with options and settings."""

    def run(*options: str | Path, **environ: str) -> Result:
        words = ("call", "publisher", "GetProfile", *map(str, options))
        return run_unset(*words, env={**settings, **environ})

    return run


def marked(mark: str, stderr: str) -> list[str]:
    return [line[2:] for line in stderr.splitlines() if line.rstrip() == mark or line.startswith(f"{mark} ")]


def without_signatures(text: str) -> str:
    """Remove the signature. It must not be shown anywhere."""
    text = re.sub(r"(<\w*:?signature>)[^<]+", r"\1[hidden]", text)
    text = re.sub(r"(Authorization: ZXWS \w+:)\S+", r"\1[hidden]", text)
    return re.sub(r"(signature=)[^&\s]+", r"\1[hidden]", text)


@pytest.mark.parametrize(
    ("protocol", "settled"), [("soap", {}), ("rest", {}), ("rest", {"SOAPCLIENT_REST_SIGNATURE": "query"})]
)
def test_trace_shows_the_bytes_on_the_wire(
    call: Run, run_unset: Run, raw: Raw, protocol: str, settled: dict[str, str], tmp_path: Path
) -> None:
    body = ENVELOPE if protocol == "soap" else b'{"profileItem": null}'
    media_type = "text/xml" if protocol == "soap" else "application/json"
    raw.responses.append(
        response(gzip.compress(body), media_type=media_type, more="Content-Encoding: gzip\r\n")
    )
    kept = tmp_path / "response"
    options = ("--protocol", protocol, "--trace", "--save", kept)
    done = call(*options, SOAPCLIENT_REST_FORMAT="json", **settled)
    assert isinstance(json.loads(output_of(done)), dict)
    (sent,) = raw.requests
    shown = "\n".join(marked(">", done.stderr)).rstrip("\n")
    assert shown == without_signatures(sent.decode().replace("\r\n", "\n")).rstrip("\n")
    assert shown.count("[hidden]") == (2 if protocol == "soap" else 1)
    assert SAMPLE_SECRET_KEY not in done.output
    received = marked("<", done.stderr)
    assert received[0] == "HTTP/1.1 200 OK"
    assert f"Content-Type: {media_type}" in received
    assert "Set-Cookie: [hidden]" in received
    assert r"X-Odd: a\x1b[31mb" in received
    assert "\x1b" not in done.stderr
    assert received[-2:] == ["", body.decode()]
    assert kept.read_bytes() == body
    assert list(tmp_path.iterdir()) == [kept]
    assert run_unset("decode", "publisher", "GetProfile", str(kept)).stdout == done.stdout


def test_trace_shows_only_names_of_configured_headers(call: Run, raw: Raw) -> None:
    """They may be keys. `soapclient config` does not show their values, either."""
    raw.responses.append(response(ENVELOPE))
    done = call("--trace", SOAPCLIENT_HEADERS="X-Key=hidden-word", SOAPCLIENT_USER_AGENT="shop/2")
    assert done.exit_code == 0, done.output
    assert b"X-Key: hidden-word" in raw.requests[0]
    assert "X-Key: [hidden]" in marked(">", done.stderr)
    assert "hidden-word" not in done.output
    assert any(line.startswith("User-Agent: ") and "shop/2" in line for line in marked(">", done.stderr))


def test_each_attempt_is_shown_and_the_last_body_saved(call: Run, raw: Raw, tmp_path: Path) -> None:
    raw.responses += [response(b"busy", 503, "Busy", "text/plain"), response(ENVELOPE)]
    kept = tmp_path / "response.xml"
    done = call("--trace", "--save", kept)
    assert done.exit_code == 0, done.output
    shown = re.findall(r"^(> POST|< HTTP|< busy|< <e:Env)", done.stderr, re.MULTILINE)
    assert shown == ["> POST", "< HTTP", "< busy", "> POST", "< HTTP", "< <e:Env"]
    assert kept.read_bytes() == ENVELOPE


def test_failed_response_is_saved_and_shown(call: Run, run_unset: Run, raw: Raw, tmp_path: Path) -> None:
    raw.responses.append(response(FAULT.encode(), 500, "Odd"))
    kept = tmp_path / "response.xml"
    assert "< HTTP/1.1 500 Odd" in error_of(call("--save", kept, "--trace", SOAPCLIENT_ATTEMPTS="1"), 6)
    assert kept.read_bytes() == FAULT.encode()
    assert "out of" in error_of(run_unset("decode", "publisher", "GetProfile", str(kept)), 6)


def test_no_file_is_saved_without_a_response(call: Run, raw: Raw, tmp_path: Path) -> None:
    kept = tmp_path / "response.xml"
    kept.write_text("of an earlier call")
    stderr = error_of(call("--save", kept, SOAPCLIENT_ATTEMPTS="1"), 7)
    assert "there was no response" in stderr
    assert kept.read_text() == "of an earlier call"
    assert list(tmp_path.iterdir()) == [kept]
    assert len(raw.requests) == 1
    assert not marked(">", stderr)


def test_special_file_is_not_replaced(call: Run, raw: Raw, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert f"{pipe}: it is not a regular file" in error_of(call("--save", pipe), 1)
    assert (pipe.is_fifo(), list(tmp_path.iterdir()), raw.requests) == (True, [pipe], [])


@pytest.mark.parametrize(
    ("name", "code", "said"),
    [
        ("", 2, "'' is not a file"),
        ("-", 2, "'-' is not a file"),
        ("none/file", 1, "No such file or directory"),
    ],
)
def test_unusable_file_is_reported_before_sending(
    call: Run, raw: Raw, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, code: int, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert said in error_of(call("--save", name), code)
    assert raw.requests == []


@pytest.mark.parametrize(("answer", "code"), [(response(ENVELOPE), 1), (response(FAULT.encode(), 500), 6)])
def test_full_disk_does_not_change_the_outcome_of_the_call(
    call: Run, raw: Raw, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: bytes, code: int
) -> None:
    """The request was sent and must not be sent twice."""
    raw.responses.append(answer)
    kept = tmp_path / "response.xml"

    def full(descriptor: int, *_: object) -> NoReturn:
        os.close(descriptor)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fdopen", full)
    done = call("--save", kept, SOAPCLIENT_ATTEMPTS="1")
    assert done.exit_code == code
    assert f"soapclient: {kept} was not written: No space left on device\n" in done.stderr
    assert done.stdout == ("{}\n" if code == 1 else "")
    assert list(tmp_path.iterdir()) == []
