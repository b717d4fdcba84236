"""Whatever nonce and secret: what the client signs over SOAP the sandbox accepts, once, and no other key."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from werkzeug.wrappers import Request, Response

from soapclient import Client, Config
from soapclient.clock import ManualClock
from soapclient.errors import AuthenticationError
from soapclient.sandbox import Sandbox, serve
from tests.soap.conftest import CONNECT_ID, NOW

NONCES = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=20, max_size=60)
SECRETS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60)
serial = itertools.count()
often = settings(
    max_examples=40,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


class Stage:
    """One address; behind it a sandbox with the account of the example."""

    def __init__(self) -> None:
        self.sandbox = Sandbox(clock=lambda: NOW)
        # The same clock for both: the client goes by the Date of an answer.
        self._outer = Sandbox(interfere=self._hand_over, clock=lambda: NOW)
        self._serving = serve(self._outer)
        self.url = self._serving.url

    def _hand_over(self, request: Request) -> Response:
        return self.sandbox.answer(request)

    def close(self) -> None:
        self._serving.close()
        self._outer.close()


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    made = Stage()
    yield made
    made.close()


def called(stage: Stage, secret: str, nonces: list[str], placement: str) -> None:
    """Call once for each nonce; raises what the client raises."""
    config = Config(
        connect_id=CONNECT_ID,
        secret_key=secret,
        publisher_url=stage.url,
        signature_placement=placement,
        attempts=1,
    )
    given = iter(nonces)
    with Client(config, clock=ManualClock(NOW), nonce_source=lambda: next(given)) as client:
        for _ in nonces:
            client.publisher.get_lead(lead_id="1")


@pytest.mark.parametrize("placement", ["auto", "body"])
@given(secret=SECRETS, nonce=NONCES)
@often
def test_what_is_signed_is_accepted_once(stage: Stage, placement: str, secret: str, nonce: str) -> None:
    with Sandbox(accounts={CONNECT_ID: secret}, clock=lambda: NOW) as sandbox:
        stage.sandbox = sandbox
        called(stage, secret, [nonce], placement)
        with pytest.raises(AuthenticationError, match="used before"):
            called(stage, secret, [nonce], placement)


@pytest.mark.parametrize("placement", ["auto", "body"])
@given(secret=SECRETS, other=SECRETS, nonce=NONCES)
@often
def test_another_secret_is_refused(stage: Stage, placement: str, secret: str, other: str, nonce: str) -> None:
    # HMAC pads its key with zero bytes, so two keys that differ in these alone are one.
    if secret.rstrip("\0") == other.rstrip("\0"):
        return
    with Sandbox(accounts={CONNECT_ID: secret}, clock=lambda: NOW) as sandbox:
        stage.sandbox = sandbox
        with pytest.raises(AuthenticationError):
            called(stage, other, [nonce], placement)
