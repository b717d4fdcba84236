"""What a failed call leaves behind: no signature that could still be used, however it is looked at."""

from __future__ import annotations

import socket
import traceback

import pytest

from soapclient import Client, Config
from soapclient.errors import ConnectionFailed
from tests.conftest import CONNECT_ID, SECRET_KEY


@pytest.mark.parametrize("place", ["headers", "query"])
def test_a_request_that_never_arrived_does_not_show_its_signature(place: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    config = Config(
        connect_id=CONNECT_ID,
        secret_key=SECRET_KEY,
        publisher_url=f"http://127.0.0.1:{port}",
        rest_signature=place,
        attempts=1,
    )
    with Client(config, carrier="rest") as client, pytest.raises(ConnectionFailed) as caught:
        client.publisher.get_profile()
    shown = "".join(traceback.format_exception(caught.value))
    error: BaseException | None = caught.value
    while error is not None:
        request = getattr(error, "request", None)
        shown += repr(error) + repr(vars(error)) + str(getattr(request, "url", ""))
        error = error.__cause__ or error.__context__
    assert "signature=" not in shown
    assert "nonce=" not in shown
    assert SECRET_KEY not in shown
