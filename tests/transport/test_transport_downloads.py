"""Downloads of exports obey the transport settings, on real sockets: each has its own session.

Jobs are scripted, so that only the file is sent over the wire.
"""

from __future__ import annotations

import contextlib
import gzip
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from soapclient.errors import ConfigError, ConnectionFailed, Timeout
from soapclient.tracking.exports.export import Export
from tests.tracking.exports.conftest import Stub, build_stage
from tests.transport.network import Authority, Network

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificates")
HERE = "127.0.0.2"
FILE = gzip.compress(b"clickId,referrer\r\n1,a\r\n2,b\r\n", mtime=0)


@pytest.fixture
def files() -> Iterator[Stub]:
    """A server without TLS that sends one file."""
    server = Stub()
    server.answer(200, FILE)
    yield server
    server.close()


def done(url: str, **settings: str) -> Export:
    """A finished export whose file is on the configured service."""
    return build_stage(url, attempts="1", **settings).done(rows="2", size=str(len(FILE)))


def test_settings_of_tls_and_proxy_apply(
    net: Network, files: Stub, authority: Authority, tmp_path: Path
) -> None:
    """Without any one of them, the file is not requested."""
    pair = authority.signed("files", f"DNS:files.example,IP:{HERE}")
    port = net.tls(pair, int(files.host.rpartition(":")[2]), asks=authority.file)
    proxy = net.proxy({"files.example": (HERE, port)}, [], "shop:secret-of-tests")
    given = {
        "verify": str(authority.file),
        "certificate": ",".join(authority.signed("client", "DNS:client.example")),
        "proxies": f"http://127.0.0.1:{proxy}",
        "proxy_credentials": "shop:secret-of-tests",
    }
    url, target = f"https://files.example:{port}", tmp_path / "clicks.csv.gz"
    for change, said in (
        ({"verify": ""}, "issued by O=Tests, CN=authority of tests"),
        ({"certificate": ""}, "."),
        ({"proxies": ""}, "."),
        ({"proxy_credentials": "shop:another"}, "proxy_credentials"),
    ):
        settings = {name: text for name, text in (given | change).items() if text}
        with pytest.raises(ConnectionFailed, match=said) as caught:
            done(url, **settings).download(target)
        assert "another" not in str(caught.value)
        assert files.requests == []
        assert list(tmp_path.iterdir()) == []
    with pytest.raises(ConfigError, match="certificate"):
        done(url, **given | {"certificate": str(tmp_path / "none.pem")}).download(target)
    assert done(url, **given).download(target).path.read_bytes() == FILE
    ((_, headers),) = files.requests
    assert "proxy-authorization" not in headers


def test_headers_and_user_agent_are_sent(files: Stub, tmp_path: Path) -> None:
    export = done(files.url, headers="X-Team=shop", user_agent="tests/1")
    assert export.download(tmp_path / "clicks.csv.gz").row_count == 2
    ((_, headers),) = files.requests
    assert headers["x-team"] == "shop"
    assert headers["user-agent"].endswith(" tests/1")
    assert headers["authorization"].startswith("ZXWS ")


def test_headers_do_not_go_to_another_host(files: Stub, tmp_path: Path) -> None:
    """A key for the service must not reach a redirect's host or the host of a job's address."""
    with contextlib.closing(Stub()) as elsewhere:
        files.forget()
        files.answer(302, Location=f"{elsewhere.url}/file")
        elsewhere.answer(200, FILE)
        elsewhere.answer(200, FILE)
        given = {"headers": "X-Key=secret-of-tests", "user_agent": "tests/1"}
        assert done(files.url, **given).download(tmp_path / "clicks.csv.gz").row_count == 2
        export = build_stage(files.url, **given).done(downloadUrl=f"{elsewhere.url}/file")
        assert export.download(tmp_path / "more.csv.gz").row_count == 2
    assert [headers["x-key"] for _, headers in files.requests] == ["secret-of-tests"]
    assert len(elsewhere.requests) == 2
    for _, headers in elsewhere.requests:
        assert "x-key" not in headers
        assert headers["user-agent"].endswith(" tests/1")


def test_timeout_limits_the_silence(files: Stub, tmp_path: Path) -> None:
    given_up = threading.Event()

    def slow() -> Iterator[bytes]:
        yield FILE[:20]
        given_up.wait(20)

    files.forget()
    files.answer(200, slow())
    with pytest.raises(Timeout) as caught:
        done(files.url, timeout="0.3").download(tmp_path / "clicks.csv.gz")
    given_up.set()
    assert caught.value.seconds == 0.3
