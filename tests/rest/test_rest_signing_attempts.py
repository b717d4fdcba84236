"""All signatures of one request share its nonce, and are valid once."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from soapclient.errors import SoapClientError
from tests.conftest import CONNECT_ID, SECRET_KEY

if TYPE_CHECKING:
    from tests.conftest import RestClient
    from tests.support.wire import Recorder
from tests.stage import Stage


def test_request_with_two_signatures_uses_its_nonce_once(
    recorder: Recorder, rest_client: RestClient, stage: Stage
) -> None:
    """SOAP: in the body and in headers (docs/explanation/service.md#signing).

    Both are checked, and both must be correct.
    """
    with pytest.raises(SoapClientError):
        rest_client(protocol="soap").publisher.get_profile()
    sent = recorder.last
    in_body = re.findall(rb"<(?:\w+:)?(nonce|signature)>([^<]*)<", sent.body)
    assert dict(in_body)[b"nonce"].decode() == sent.headers["nonce"]
    assert dict(in_body)[b"signature"].decode() not in sent.headers["authorization"]

    def flipped(text: str) -> str:
        return ("A" if text[0] != "A" else "B") + text[1:]

    stage.replace(accounts={CONNECT_ID: SECRET_KEY}, seed=7, clicks_per_day=2)
    signature = dict(in_body)[b"signature"].decode()
    wrong_body = sent.body.replace(signature.encode(), flipped(signature).encode())
    assert wrong_body != sent.body
    head, _, right = sent.headers["authorization"].rpartition(":")
    wrong_headers = sent.headers | {"authorization": f"{head}:{flipped(right)}"}
    for wrong, place in (
        (replace(sent, body=wrong_body), b"body"),
        (replace(sent, headers=wrong_headers), b"headers"),
    ):
        status, body = wrong.sent_to(stage.url)
        assert status == 500
        assert b"403" in body
        assert b"the signature in the %s is not right" % place in body
    status, body = sent.sent_to(stage.url)
    assert (status, b"GetProfileResponse" in body) == (200, True)
    status, body = sent.sent_to(stage.url)
    assert (status, b"the nonce was used before" in body) == (500, True)
