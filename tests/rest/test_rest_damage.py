"""Responses over REST that are damaged in transit, or belong to another request."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest

from soapclient.errors import AmbiguousOutcome, ResponseError
from zxws.publisher.service import PACKAGE

if TYPE_CHECKING:
    from tests.conftest import RestClient
    from tests.support.wire import Recorder

DELETED = json.dumps({"count": 1}).encode()
ADSPACE = {
    "@id": 8, "name": "A", "url": "https://a.example", "description": "A", "adspaceType": "website",
    "visitors": 1, "impressions": 1, "language": "de", "checkNumber": 1,
}  # fmt: skip
EMPTY = b"{}"  # the service's response if an ad space is unknown


@pytest.mark.parametrize(
    ("body", "status", "headers"),
    [
        pytest.param(EMPTY, 206, {}, id="a part"),
        pytest.param(EMPTY, 200, {"Content_Encoding": "exi"}, id="an unknown content encoding"),
        pytest.param(gzip.compress(EMPTY)[:-4], 200, {"Content_Encoding": "gzip"}, id="gzip without trailer"),
        pytest.param(json.dumps({"adspaceItem": ADSPACE}).encode(), 200, {}, id="another ad space"),
    ],
)
def test_read_with_a_damaged_response_is_retried(
    recorder: Recorder, rest_client: RestClient, body: bytes, status: int, headers: dict[str, str]
) -> None:
    recorder.answers(body, status, **headers)
    recorder.answers(EMPTY)
    assert rest_client(recorder.url).publisher.get_adspace(adspace_id=7).adspace_item is None
    assert len(recorder.sent) == 2


@pytest.mark.parametrize(
    ("body", "status", "headers"),
    [
        pytest.param(DELETED, 206, {}, id="a part"),
        pytest.param(DELETED, 200, {"Content_Encoding": "exi"}, id="an unknown content encoding"),
        pytest.param(
            gzip.compress(DELETED)[:-4], 200, {"Content_Encoding": "gzip"}, id="gzip without trailer"
        ),
    ],
)
def test_write_with_a_damaged_response_is_ambiguous(
    recorder: Recorder, rest_client: RestClient, body: bytes, status: int, headers: dict[str, str]
) -> None:
    recorder.answers(body, status, **headers)
    with pytest.raises(AmbiguousOutcome):
        rest_client(recorder.url).publisher.delete_adspace(adspace_id=7)
    assert len(recorder.sent) == 1


def test_a_response_in_another_namespace_is_not_requested_again(
    recorder: Recorder, rest_client: RestClient
) -> None:
    """It will not change. A write is ambiguous, because the response does not show that it was refused."""
    client = rest_client(recorder.url, rest_format="xml")
    recorder.answers('<GetAdspaceResponse xmlns="urn:other"><new/></GetAdspaceResponse>', kind="text/xml")
    with pytest.raises(ResponseError, match="urn:other"):
        client.publisher.get_adspace(adspace_id=7)
    assert len(recorder.sent) == 1
    recorder.answers(
        '<DeleteAdspaceResponse xmlns="urn:other"><new/></DeleteAdspaceResponse>', kind="text/xml"
    )
    with pytest.raises(AmbiguousOutcome):
        client.publisher.delete_adspace(adspace_id=7)
    assert len(recorder.sent) == 2


@pytest.mark.parametrize("streamed", [False, True])
def test_partial_content_is_not_read(recorder: Recorder, rest_client: RestClient, *, streamed: bool) -> None:
    page = "<page>0</page><items>0</items><total>0</total><adspaceItems/>"
    body = f'<GetAdspacesResponse xmlns="{PACKAGE.settings.namespace}">{page}</GetAdspacesResponse>'
    recorder.answers(body, 206, kind="application/xml")
    recorder.answers(body, kind="application/xml")
    client = rest_client(recorder.url, rest_format="xml")
    if streamed:
        with client.publisher.stream.get_adspaces() as adspaces:
            assert list(adspaces) == []
    else:
        assert client.publisher.get_adspaces().total == 0
    assert len(recorder.sent) == 2


@pytest.mark.parametrize("rest_format", ["json", "xml"])
def test_stream_opens_a_new_connection(recorder: Recorder, rest_client: RestClient, rest_format: str) -> None:
    """Its items are returned before a late duplicate could be noticed."""
    client = rest_client(recorder.url, rest_format=rest_format)
    counts = {"page": 0, "items": 0, "total": 0}
    fields = "".join(f"<{name}>{number}</{name}>" for name, number in counts.items())
    root = "GetAdspacesResponse"
    xml = f'<{root} xmlns="http://api.zanox.com/namespace/2011-03-01/">{fields}</{root}>'
    for _ in range(3):
        if rest_format == "json":
            recorder.answers(json.dumps(counts))
        else:
            recorder.answers(xml, kind="application/xml")
    client.publisher.get_adspaces(page=0)
    for _ in range(2):
        with client.publisher.stream.get_adspaces(page=0) as adspaces:
            assert list(adspaces) == []
    assert len(set(recorder.connections)) == 3
