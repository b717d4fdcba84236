from __future__ import annotations

from collections.abc import Iterator

import pytest

from soapclient.tracking.sandbox import Sandbox, serve
from tests.transport.network import Authority, Network, network


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"), "authority of tests")


@pytest.fixture(scope="session")
def other_authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("other"), "another authority")


@pytest.fixture(scope="session")
def net() -> Iterator[Network]:
    with network() as found:
        yield found


@pytest.fixture(scope="session")
def sandbox_port() -> Iterator[int]:
    """A sandbox without TLS at 127.0.0.1, under the host names that the tests use."""
    names = ["service.example", "sandbox.example", "sandbox"]
    with (
        Sandbox(seed=7, clicks_per_day=2) as sandbox,
        serve(sandbox, timeout=20, allow_hosts=names) as server,
    ):
        yield int(server.url.rpartition(":")[2])


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
