"""Behind a proxy that removes a prefix from the path, both protocols sign the path that the service sees."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import pytest

from soapclient import Client, Settings
from soapclient.serving.server import Server
from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY, Sandbox

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

PREFIX = "/gateway"


class StripsPrefix:
    """A sandbox behind a proxy that removes the prefix."""

    max_body = 1_000_000

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def wsgi(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        for name in ("PATH_INFO", "REQUEST_URI", "RAW_URI"):
            assert environ[name].startswith(PREFIX)
            environ[name] = environ[name].removeprefix(PREFIX)
        return self._sandbox.wsgi(environ, start_response)


@pytest.mark.parametrize("protocol", ["rest", "soap"])
def test_a_removed_prefix_is_not_signed(protocol: str) -> None:
    with Sandbox() as sandbox, Server(StripsPrefix(sandbox)) as server:
        config = Settings.load(
            environ={},
            connect_id=SAMPLE_CONNECT_ID,
            secret_key=SAMPLE_SECRET_KEY,
            publisher_url=f"{server.url}{PREFIX}",
            publisher_protocol=protocol,
        )
        with Client(config) as client:
            assert client.publisher.get_profile().profile_item is not None
