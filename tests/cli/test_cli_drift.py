"""Unknown content of a response is reported on stderr. The response on stdout does not change."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

import pytest
from werkzeug.wrappers import Request, Response

from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY, Sandbox, serve
from tests.cli.conftest import Run

ENVELOPE = """<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>
<GetBalancesResponse xmlns="http://api.zanox.com/namespace/2011-03-01/">
<page>0</page><items>2</items><total>2</total><mood>fine</mood>
<balanceItems>
 <balanceItem id="EUR" colour="red"><open>1.10</open><confirmed>2.20</confirmed></balanceItem>
 <balanceItem id="CHF" colour="blue"><open>3.30</open><confirmed>4.40</confirmed></balanceItem>
</balanceItems></GetBalancesResponse></e:Body></e:Envelope>"""


@pytest.fixture
def drifting() -> Iterator[Mapping[str, str]]:
    def interfere(request: Request) -> Response | None:
        return Response(ENVELOPE, content_type="text/xml") if request.method == "POST" else None

    with Sandbox(interfere=interfere) as sandbox, serve(sandbox) as server:
        yield {
            "SOAPCLIENT_CONNECT_ID": SAMPLE_CONNECT_ID,
            "SOAPCLIENT_SECRET_KEY": SAMPLE_SECRET_KEY,
            "SOAPCLIENT_PUBLISHER_URL": server.url,
        }


def test_findings_are_printed_once_with_their_count(run_unset: Run, drifting: Mapping[str, str]) -> None:
    result = run_unset("call", "publisher", "GetBalances", env=drifting)
    assert result.exit_code == 0
    assert [item["open"] for item in json.loads(result.stdout)["balanceItems"]] == ["1.10", "3.30"]
    assert sorted(result.stderr.splitlines()) == [
        "soapclient: GetBalances: GetBalancesResponse/balanceItems/balanceItem/@colour: "
        "unknown attribute, 2 times",
        "soapclient: GetBalances: GetBalancesResponse/mood: unknown element, once",
    ]
