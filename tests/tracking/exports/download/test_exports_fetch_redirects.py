from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import requests_mock

from soapclient.errors import AddressRefused, AuthenticationError, ResponseError, UnexpectedResponse
from tests.tracking.exports.conftest import PACKED, Scripted, Stub, build_stage

CREDENTIALS = {"authorization", "date", "nonce", "cookie", "proxy-authorization"}


@pytest.fixture
def netrc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "netrc"
    file.write_text("machine 127.0.0.1 login me password hunter2\ndefault login me password hunter2\n")
    monkeypatch.setenv("NETRC", str(file))


def shown(stub: Stub) -> list[set[str]]:
    """Return the credentials that each request to a server carried."""
    return [CREDENTIALS & headers.keys() for _, headers in stub.requests]


SIGNED = {"authorization", "date", "nonce"}


@pytest.mark.usefixtures("netrc")
def test_other_host_gets_no_credentials(stage: Scripted, stub: Stub, other: Stub, tmp_path: Path) -> None:
    other.answer(body=PACKED)
    stage.done(downloadUrl=f"{other.url}/files/1.gz?ticket=9").download(tmp_path / "x.gz")
    assert shown(other) == [set()]
    assert "802B8BF4AE99EBE00F41" not in str(other.requests)
    assert stub.requests == []


@pytest.mark.usefixtures("netrc")
def test_a_redirect_to_another_host_carries_no_credentials(
    stage: Scripted, stub: Stub, other: Stub, tmp_path: Path
) -> None:
    stub.answer(302, Location=f"{other.url}/files/1.gz", Set_Cookie="session=1; path=/")
    other.answer(body=PACKED)
    stage.done().download(tmp_path / "x.gz")
    assert shown(stub) == [SIGNED]
    assert shown(other) == [set()]


def test_redirect_within_the_service_is_signed_again(stage: Scripted, stub: Stub, target: Path) -> None:
    stub.answer(307, Location="../../elsewhere.gz", Set_Cookie="session=1; path=/")
    stub.answer(body=PACKED)
    stage.done().download(target)
    assert [path for path, _ in stub.requests][1] == "/xml/2011-05-01/jobs/job/elsewhere.gz"
    assert shown(stub) == [SIGNED, SIGNED]
    first, second = (headers for _, headers in stub.requests)
    assert first["nonce"] != second["nonce"]
    assert first["authorization"] != second["authorization"]


def test_credentials_are_not_restored_after_a_foreign_redirect(
    stage: Scripted, stub: Stub, other: Stub, target: Path
) -> None:
    other.answer(302, Location=f"{stub.url}/xml/2011-05-01/secrets")
    stub.answer(body=PACKED)
    stage.done(downloadUrl=f"{other.url}/x").download(target)
    assert shown(stub) == [set()]


def test_refusal_by_another_host_is_not_an_authentication_error(
    stage: Scripted, other: Stub, target: Path
) -> None:
    other.answer(403, b"expired ticket")
    with pytest.raises(UnexpectedResponse, match="expired ticket") as caught:
        stage.done(downloadUrl=f"{other.url}/x").download(target)
    assert not isinstance(caught.value, AuthenticationError)


def test_at_most_three_redirects_are_followed(stage: Scripted, stub: Stub, target: Path) -> None:
    stub.answer(302, Location="/again", times=3)
    stub.answer(body=PACKED)
    export = stage.done()
    export.download(target)
    stub.answer(302, Location="/again", times=4)
    with pytest.raises(UnexpectedResponse, match="more than 3 redirects"):
        export.download(target)
    assert len(stub.requests) == 8


def test_the_body_of_a_redirect_is_not_read(stage: Scripted, stub: Stub, other: Stub, target: Path) -> None:
    def endless() -> Iterator[bytes]:
        while True:
            yield bytes(65536)

    stub.answer(302, endless(), Location=f"{other.url}/x")
    other.answer(body=PACKED)
    stage.done().download(target)


@pytest.mark.parametrize(
    "location", ["http://files.example.org/x", "http://127.0.0.1/x", "ftp://a.example/x"]
)
def test_redirect_from_https_to_http_is_refused(target: Path, location: str) -> None:
    stage = build_stage("https://data.example.org")
    with requests_mock.Mocker() as web:
        web.get(requests_mock.ANY, status_code=302, headers={"Location": location})
        with pytest.raises(ResponseError, match="https"):
            stage.done().download(target)
        assert web.call_count == 1
    assert list(target.parent.iterdir()) == []


def test_unsafe_address_is_refused_before_any_request(target: Path) -> None:
    stage = build_stage("https://data.example.org")
    with requests_mock.Mocker() as web:
        with pytest.raises(ResponseError, match=r"download address is 'http://files\.example\.org/x'"):
            stage.done(downloadUrl="http://files.example.org/x").download(target)
        assert web.call_count == 0


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "url",
    [
        "https://10.0.0.1/x?ticket=9",
        "https://169.254.169.254/latest/meta-data",
        "https://[fd00:ec2::254]/latest",
        "https://[::ffff:192.168.0.1]/x",
        "https://0x0a000001/x",
        "https://printer.local/x",
    ],
)
def test_service_cannot_redirect_to_private_networks(
    stage: Scripted, stub: Stub, target: Path, url: str
) -> None:
    """Neither a file's address nor a redirect may lead there. The service of these tests is on loopback."""
    with pytest.raises(AddressRefused, match="allow_private") as caught:
        stage.done(downloadUrl=url).download(target)
    assert caught.value.operation == "download"
    assert not caught.value.request_sent
    assert caught.value.attempts == 1
    assert "ticket=9" not in str(caught.value)
    assert stub.requests == []
    stub.answer(302, Location=url)
    with pytest.raises(AddressRefused):
        stage.done().download(target)
    assert len(stub.requests) == 1
    assert list(target.parent.iterdir()) == []
