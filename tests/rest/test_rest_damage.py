"""Responses over REST that are damaged in transit, or belong to another request."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from soapclient.errors import AmbiguousOutcome, ResponseError
from zxws.publisher.service import PACKAGE

if TYPE_CHECKING:
    from tests.conftest import RestClient
    from tests.support.wire import Recorder

ADSPACE = {
    "@id": 8, "name": "A", "url": "https://a.example", "description": "A", "adspaceType": "website",
    "visitors": 1, "impressions": 1, "language": "de", "checkNumber": 1,
}  # fmt: skip


def test_response_about_another_item_is_retried(recorder: Recorder, rest_client: RestClient) -> None:
    recorder.answers(json.dumps({"adspaceItem": ADSPACE}))
    recorder.answers("{}")  # the service's response if an ad space is unknown
    assert rest_client().publisher.get_adspace(adspace_id=7).adspace_item is None
    assert len(recorder.sent) == 2


def test_a_response_in_another_namespace_is_not_requested_again(
    recorder: Recorder, rest_client: RestClient
) -> None:
    """It will not change. A write is ambiguous, because the response does not show that it was refused."""
    client = rest_client(rest_format="xml")
    other = '<{0}Response xmlns="urn:other"><new/></{0}Response>'
    recorder.answers(other.format("GetAdspace"), kind="text/xml")
    with pytest.raises(ResponseError, match="urn:other"):
        client.publisher.get_adspace(adspace_id=7)
    assert len(recorder.sent) == 1
    recorder.answers(other.format("DeleteAdspace"), kind="text/xml")
    with pytest.raises(AmbiguousOutcome):
        client.publisher.delete_adspace(adspace_id=7)
    assert len(recorder.sent) == 2


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        *((text, AmbiguousOutcome) for text in ("[]", "[1]", '["x"]', "[{}, {}]", "null", "{}")),
        ('[{"count": 1}, {"count": 1}]', AmbiguousOutcome),
        ('{"programItem": [{"@id": "5", "name": "Example"}]}', AmbiguousOutcome),
        ('{"count": "several"}', ResponseError),  # this response belongs to the operation
    ],
)
def test_json_without_names_does_not_prove_a_write(
    recorder: Recorder, rest_client: RestClient, body: str, kind: type[Exception]
) -> None:
    recorder.answers(body)
    with pytest.raises(kind) as caught:
        rest_client().publisher.delete_adspace(adspace_id=7)
    assert type(caught.value) is kind
    assert len(recorder.sent) == 1


@pytest.mark.parametrize("body", ['["x"]', "[1, 2]", '[{"adspaceItem": null}, {}]', '{"novelty": 1}'])
def test_foreign_json_is_requested_again_and_not_counted(
    recorder: Recorder, rest_client: RestClient, body: str
) -> None:
    recorder.answers(body)
    recorder.answers(json.dumps({"adspaceItem": ADSPACE}))
    client = rest_client()
    item = client.publisher.get_adspace(adspace_id=8).adspace_item
    assert item is not None
    assert item.id == 8
    assert len(recorder.sent) == 2
    assert client.drift.counts() == {}


def test_partial_content_is_not_streamed(recorder: Recorder, rest_client: RestClient) -> None:
    page = "<page>0</page><items>0</items><total>0</total><adspaceItems/>"
    body = f'<GetAdspacesResponse xmlns="{PACKAGE.settings.namespace}">{page}</GetAdspacesResponse>'
    recorder.answers(body, 206, kind="application/xml")
    recorder.answers(body, kind="application/xml")
    client = rest_client(rest_format="xml")
    with client.publisher.stream.get_adspaces() as adspaces:
        assert list(adspaces) == []
    assert len(recorder.sent) == 2
