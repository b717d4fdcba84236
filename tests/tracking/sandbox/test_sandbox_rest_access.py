"""The signature each resource requires, and targets passed on by other servers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest
from werkzeug.test import Client

from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, Sandbox

if TYPE_CHECKING:
    from tests.tracking.sandbox.caller import Caller

DAY = "/reports/leads/date/2026-11-01"
# docs/explanation/service.md#signing: programs, products, ad media, non-exclusive incentives.
PUBLIC = [
    "/programs", "/programs/program/1803", "/programs/categories", "/products", "/products/product/x",
    "/admedia", "/admedia/admedium/180300", "/admedia/categories/program/1803", "/incentives",
    "/incentives/incentive/1",
]  # fmt: skip
PRIVATE = [
    ("GET", "/profiles"), ("PUT", "/profiles"), ("GET", "/adspaces"), ("GET", "/adspaces/adspace/1"),
    ("POST", "/adspaces/adspace"), ("PUT", "/adspaces/adspace"), ("DELETE", "/adspaces/adspace/1"),
    ("GET", "/incentives/exclusive"), ("GET", "/incentives/exclusive/incentive/1"), ("GET", DAY),
    ("GET", "/reports/leads/lead/1"), ("GET", "/reports/sales/date/2026-11-01"),
    ("GET", "/reports/sales/sale/1"), ("GET", "/reports/sales/sale/1/basket"), ("GET", "/reports/basic"),
    ("GET", "/programapplications"), ("POST", "/programapplications/program/1/adspace/1"),
    ("DELETE", "/programapplications/program/1/adspace/1"),
    ("GET", "/programapplications/program/1/adspace/1/trackingcategories"), ("GET", "/payments/balances"),
    ("GET", "/payments/balances/balance/EUR"), ("GET", "/jobs"), ("GET", "/jobs/job/id/1"),
    ("POST", "/jobs/reports/type/click"), ("GET", "/jobs/job/id/1/download"),
    ("GET", "/report/program/1803"), ("GET", "/member/partnership"),
]  # fmt: skip
BARE = {"Authorization": f"ZXWS {SAMPLE_CONNECT_ID}"}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("uri", PUBLIC)
def test_public_resource_needs_only_the_connect_id(caller: Caller, uri: str) -> None:
    assert caller.rest("GET", uri, headers={}).status_code == 401
    assert caller.rest("GET", uri, headers=BARE).status_code == 200
    assert caller.rest("GET", uri, f"connectID={SAMPLE_CONNECT_ID}", headers={}).status_code == 200
    assert caller.rest("GET", uri, headers={"Authorization": f"ZXWS {'0' * 20}"}).status_code == 403
    assert caller.rest("GET", uri, headers=caller.headers("GET", f"{uri}x")).status_code == 403


@pytest.mark.sampled(6)
@pytest.mark.parametrize(("verb", "uri"), PRIVATE)
def test_private_resource_needs_a_signature(caller: Caller, verb: str, uri: str) -> None:
    assert caller.rest(verb, uri, headers={}).status_code == 401
    assert caller.rest(verb, uri, headers=BARE).status_code == 401
    assert caller.rest(verb, uri, f"connectid={SAMPLE_CONNECT_ID}", headers={}).status_code == 401
    assert caller.rest(verb, uri, headers=caller.headers(verb, f"{uri}x")).status_code == 403


@pytest.mark.parametrize(
    ("missing", "status"), [("connectid", 401), ("date", 403), ("nonce", 403), ("signature", 401)]
)
def test_incomplete_query_signature_is_refused_and_uses_no_nonce(
    caller: Caller, missing: str, status: int
) -> None:
    headers = caller.headers("GET", DAY)
    signature = headers["Authorization"].partition(":")[2]
    query = {"connectid": SAMPLE_CONNECT_ID, "date": headers["Date"], "nonce": headers["nonce"]}
    query["signature"] = signature
    part = {name: value for name, value in query.items() if name != missing}
    assert caller.rest("GET", DAY, urlencode(part), headers={}).status_code == status
    assert caller.rest("GET", DAY, urlencode(query), headers={}).status_code == 200


@pytest.mark.parametrize("mounted", ["", "/service"])
def test_server_without_a_raw_target_is_supported(mounted: str) -> None:
    """WSGI does not require it: the decoded path is quoted again. Mounting below a prefix works, too."""
    with Sandbox(clicks_per_day=10) as sandbox:

        def bare(environ: dict[str, object], start_response: object) -> object:
            for name in ("RAW_URI", "REQUEST_URI"):
                if not mounted:
                    environ.pop(name, None)
                else:
                    environ[name] = f"{mounted}{environ['PATH_INFO']}"
            environ["SCRIPT_NAME"] = mounted
            return sandbox(environ, start_response)  # type: ignore[arg-type]  # called like by a WSGI server

        # as above
        response = Client(bare).get("/json/2011-03-01/programs/program/1803", headers=BARE)  # type: ignore[arg-type]
        assert response.status_code == 200, response.text
        assert json.loads(response.text)["programItem"]["@id"] == "1803"
