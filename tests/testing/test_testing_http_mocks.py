"""responses, requests-mock and vcrpy with the client's session: both protocols, files, and a used client."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest
import requests
import requests_mock as mocking
import responses
import vcr
from vcr.errors import CannotOverwriteExistingCassetteException

from soapclient import Client, Settings
from soapclient.errors import ConnectionFailed
from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY, Sandbox, serve
from soapclient.transport.connections import TimedAdapter
from tests.certificates import needs_openssl, signed_by_a_private_authority
from tests.testing.conftest import Counted, way

BOTH = pytest.mark.parametrize("protocol", ["soap", "rest"])
USED = pytest.mark.parametrize("used", [False, True], ids=["new", "used"])


class Kept(NamedTuple):
    method: str
    url: str
    status: int
    kind: str
    body: bytes


@contextmanager
def listened() -> Iterator[list[Kept]]:
    """Record the requests and responses in the meantime."""
    kept: list[Kept] = []

    def keep(request: requests.PreparedRequest, send: Callable[[], requests.Response]) -> requests.Response:
        response = send()
        address = (request.url or "").partition("?")[0]
        kind = response.headers["Content-Type"]
        kept.append(Kept(request.method or "", address, response.status_code, kind, response.content))
        return response

    TimedAdapter.stand_in = keep
    yield kept
    TimedAdapter.stand_in = None


@contextmanager
def by_responses(kept: list[Kept]) -> Iterator[None]:
    with responses.RequestsMock() as mock:
        for each in kept:
            mock.add(each.method, each.url, body=each.body, status=each.status, content_type=each.kind)
        yield


@contextmanager
def by_requests_mock(kept: list[Kept]) -> Iterator[None]:
    with mocking.Mocker() as mock:
        for url in {(each.method, each.url) for each in kept}:
            listed = [
                {"content": each.body, "status_code": each.status, "headers": {"Content-Type": each.kind}}
                for each in kept
                if (each.method, each.url) == url
            ]
            mock.register_uri(*url, listed)
        yield


@pytest.mark.sampled(4)
@BOTH
@USED
@pytest.mark.parametrize("mocked", [by_responses, by_requests_mock])
def test_mock_library_mocks_the_client(
    mocked: Callable[[list[Kept]], AbstractContextManager[None]],
    protocol: str,
    used: bool,
    counted: Counted,
    tmp_path: Path,
) -> None:
    with listened() as kept:
        got = way(counted.of(protocol), tmp_path / "first")
    client = counted.of(protocol)
    if used:
        client.publisher.get_balances()
    asked = counted.asked
    with mocked(kept):
        assert way(client, tmp_path / "second") == got
    assert counted.asked == asked
    client.publisher.get_balances()
    assert counted.asked == asked + 1


@pytest.mark.sampled(1)
@BOTH
@USED
def test_vcrpy_records_and_replays_the_client(
    protocol: str, used: bool, counted: Counted, tmp_path: Path
) -> None:
    client = counted.of(protocol)
    if used:
        client.publisher.get_balances()
    cassette = str(tmp_path / "way.yaml")
    with vcr.use_cassette(cassette):
        got = way(client, tmp_path / "first")
    asked = counted.asked
    with vcr.use_cassette(cassette, record_mode="none") as played:
        assert way(client, tmp_path / "second") == got
        assert played.all_played
        with pytest.raises(CannotOverwriteExistingCassetteException):
            client.publisher.get_balances()
    assert counted.asked == asked
    assert client.publisher.get_balances()
    assert counted.asked == asked + 1


@pytest.mark.exhaustive
def test_connections_are_restored_after_vcrpy(tmp_path: Path) -> None:
    """A process whose first request is made inside a cassette uses the package's connections afterwards."""
    program = f"""
import vcr
with vcr.use_cassette({str(tmp_path / "none.yaml")!r}):
    from soapclient.transport import connections, session
    inside = session.open_session()
pool = inside.get_adapter("https://shop.invalid").poolmanager.connection_from_url("https://shop.invalid")
assert pool.ConnectionCls is connections._HttpsConnection, pool.ConnectionCls
assert "vcr" not in " ".join(str(each) for each in pool.ConnectionCls.__mro__)
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)


@BOTH
def test_connection_broken_by_a_mock_may_have_sent_the_request(protocol: str, counted: Counted) -> None:
    """It is unknown whether the request was sent, so the error does not say that nothing was sent."""
    client = counted.client(publisher_protocol=protocol, attempts=1)
    client.publisher.get_balances()
    with responses.RequestsMock() as mock:
        for method in (responses.GET, responses.POST):
            mock.add(method, url=re.compile(".*"), body=ConnectionError("broken"))
        mock.assert_all_requests_are_fired = False
        with pytest.raises(ConnectionFailed) as raised:
            client.publisher.get_balances()
    assert raised.value.request_sent


@needs_openssl
@USED
def test_vcrpy_works_over_tls(used: bool, tmp_path: Path) -> None:
    folder = signed_by_a_private_authority(tmp_path)
    cassette = str(tmp_path / "tls.yaml")
    with ExitStack() as stack:
        sandbox = stack.enter_context(Sandbox())
        server = serve(sandbox, certificate=folder / "server.pem", key=folder / "server.key")
        stack.enter_context(server)
        config = Settings.load(
            environ={},
            connect_id=SAMPLE_CONNECT_ID,
            secret_key=SAMPLE_SECRET_KEY,
            publisher_url=server.url,
            verify=str(folder / "ca.pem"),
        )
        client = stack.enter_context(Client(config))
        if used:
            client.publisher.get_balances()
        with vcr.use_cassette(cassette):
            got = client.publisher.get_balances()
        server.close()
        with vcr.use_cassette(cassette, record_mode="none"):
            assert client.publisher.get_balances() == got
