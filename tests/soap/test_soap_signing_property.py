"""For any nonce and secret, the sandbox accepts the client's SOAP signature exactly once.

It rejects other keys.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from soapclient.errors import AuthenticationError
from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID
from tests.rings import examples
from tests.stage import Stage

NONCES = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=20, max_size=60)
SECRETS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60)
serial = itertools.count()
often = settings(
    max_examples=examples(40),
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    with Stage() as made:
        yield made


def called(stage: Stage, secret: str, nonces: list[str], placement: str) -> None:
    """Call once for each nonce; raises the client's errors."""
    given = iter(nonces)
    with stage.client(
        nonce_source=lambda: next(given), secret_key=secret, signature_placement=placement, attempts=1
    ) as client:
        for _ in nonces:
            client.publisher.get_lead(lead_id="1")


@pytest.mark.parametrize("placement", ["auto", "body"])
@given(secret=SECRETS, nonce=NONCES)
@often
def test_signed_request_is_accepted_once(stage: Stage, placement: str, secret: str, nonce: str) -> None:
    stage.replace(accounts={SAMPLE_CONNECT_ID: secret})
    called(stage, secret, [nonce], placement)
    with pytest.raises(AuthenticationError, match="used before"):
        called(stage, secret, [nonce], placement)


@pytest.mark.parametrize("placement", ["auto", "body"])
@given(secret=SECRETS, other=SECRETS, nonce=NONCES)
@often
def test_another_secret_is_refused(stage: Stage, placement: str, secret: str, other: str, nonce: str) -> None:
    # HMAC pads its key with zero bytes, so keys that differ only in trailing zero bytes are equal.
    if secret.rstrip("\0") == other.rstrip("\0"):
        return
    stage.replace(accounts={SAMPLE_CONNECT_ID: secret})
    with pytest.raises(AuthenticationError):
        called(stage, other, [nonce], placement)
