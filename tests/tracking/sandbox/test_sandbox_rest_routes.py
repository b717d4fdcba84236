"""Every resource responds in XML and JSON with the same content."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest
from lxml import etree

from tests.stage import Stage
from tests.tracking.sandbox.caller import Caller, RestResponse

PUBLISHER, DATA = "/{}/2011-03-01", "/{}/2011-05-01"
NAMESPACES = {
    PUBLISHER: "http://api.zanox.com/namespace/2011-03-01/",
    DATA: "http://data.zanox.com/namespace/2011-05-01/",
}
REPORT = "/reports/basic?fromdate=2026-11-01&todate=2026-11-02&groupby=day,adspace"
TRACKING_CATEGORIES = "/programapplications/program/{program}/adspace/{adspace}/trackingcategories"
# docs/explanation/service.md#rest-forms: base, target and root.
READING = [
    (PUBLISHER, "/profiles", "GetProfileResponse"),
    (PUBLISHER, "/adspaces", "GetAdspacesResponse"),
    (PUBLISHER, "/adspaces/adspace/{adspace}", "GetAdspaceResponse"),
    (PUBLISHER, "/admedia", "GetAdmediaResponse"),
    (PUBLISHER, "/admedia/admedium/{admedium}", "GetAdmediumResponse"),
    (PUBLISHER, "/admedia/categories/program/{program}", "GetAdmediumCategoriesResponse"),
    (PUBLISHER, "/incentives", "SearchIncentivesResponse"),
    (PUBLISHER, "/incentives/incentive/{incentive}", "GetIncentiveResponse"),
    (PUBLISHER, "/incentives/exclusive", "SearchExclusiveIncentivesResponse"),
    (PUBLISHER, "/incentives/exclusive/incentive/{exclusive}", "GetExclusiveIncentiveResponse"),
    (PUBLISHER, "/products", "SearchProductsResponse"),
    (PUBLISHER, "/products/product/{product}", "GetProductResponse"),
    (PUBLISHER, "/reports/leads/date/2026-11-01", "GetLeadsResponse"),
    (PUBLISHER, "/reports/leads/lead/{lead}", "GetLeadResponse"),
    (PUBLISHER, "/reports/sales/date/2026-11-01", "GetSalesResponse"),
    (PUBLISHER, "/reports/sales/sale/{sale}", "GetSaleResponse"),
    (PUBLISHER, "/reports/sales/sale/{sale}/basket", "GetSaleBasketResponse"),
    (PUBLISHER, REPORT, "GetReportBasicResponse"),
    (PUBLISHER, "/programs", "SearchProgramsResponse"),
    (PUBLISHER, "/programs/program/{program}", "GetProgramResponse"),
    (PUBLISHER, "/programs/categories", "GetProgramCategoriesResponse"),
    (PUBLISHER, "/programapplications", "GetProgramApplicationsResponse"),
    (PUBLISHER, TRACKING_CATEGORIES, "GetTrackingCategoriesResponse"),
    (PUBLISHER, "/payments/balances", "GetBalancesResponse"),
    (PUBLISHER, "/payments/balances/balance/eur", "GetBalanceResponse"),
    (DATA, "/jobs", "GetJobsResponse"),
    (DATA, "/jobs/job/id/{job}", "GetJobResponse"),
]


def first_id(caller: Caller, target: str) -> str:
    response = caller.ask("GET", PUBLISHER.format("xml"), target)
    found = response.xml().find(".//*[@id]")
    assert found is not None
    return found.attrib["id"]


@pytest.fixture(scope="module")
def ids(caller: Caller) -> Mapping[str, str]:
    lists = {
        "adspace": "/adspaces",
        "admedium": "/admedia",
        "program": "/programs",
        "incentive": "/incentives",
        "exclusive": "/incentives/exclusive",
        "product": "/products",
        "lead": "/reports/leads/date/2026-11-01",
        "sale": "/reports/sales/date/2026-11-01",
    }
    return {**{name: first_id(caller, target) for name, target in lists.items()}, "job": caller.order()}


Node = tuple[dict[str, str], str | dict[str, list[object]]]


def node_of_xml(element: etree._Element) -> Node:
    """Return attributes, and the text or the child nodes by name."""
    children: dict[str, list[object]] = {}
    for child in element:
        children.setdefault(etree.QName(child).localname, []).append(node_of_xml(child))
    return {name: str(text) for name, text in element.items()}, children or element.text or ""


def node_of_json(value: object) -> Node:
    """Return the same from the JSON form, in any of its shapes (docs/explanation/service.md#json)."""
    if not isinstance(value, dict):
        assert not isinstance(value, list)
        return {}, str(value).lower() if isinstance(value, bool) else str(value)
    attributes = {name[1:]: text for name, text in value.items() if name.startswith("@")}
    assert all(isinstance(text, str) for text in attributes.values())
    children: dict[str, list[object]] = {
        name: [node_of_json(entry) for entry in (held if isinstance(held, list) else [held])]
        for name, held in value.items()
        if not name.startswith("@") and name != "$"
    }
    return attributes, children or str(value.get("$", ""))


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("base", "target", "root"), READING, ids=lambda one: str(one)[:40])
def test_resource_responds_equally_in_xml_and_json(
    caller: Caller, ids: Mapping[str, str], base: str, target: str, root: str
) -> None:
    target = target.format(**ids)
    responses = {form: caller.ask("GET", base.format(form), target) for form in ("xml", "json")}
    assert {form: one.status for form, one in responses.items()} == {"xml": 200, "json": 200}
    xml = responses["xml"].xml()
    assert xml.tag == f"{{{NAMESPACES[base]}}}{root}"
    expected = node_of_xml(xml)
    assert expected[1]  # not empty
    # An address of the service has the format of the request.
    json_body = responses["json"].body.replace(f"{caller.url}/json/".encode(), f"{caller.url}/xml/".encode())
    assert node_of_json(replace(responses["json"], body=json_body).json()) == expected


@pytest.mark.parametrize("form", ["xml", "json"])
def test_deletions_applications_and_jobs_respond_in_xml_and_json(fresh: Caller, form: str) -> None:
    """Operations with a body are in test_sandbox_rest_bodies.py."""
    base, data = PUBLISHER.format(form), DATA.format(form)

    def said(response: RestResponse, root: str, *path: str) -> str:
        """Return the text or attribute at a path of the response."""
        assert response.status == 200, response.body
        node = node_of_xml(response.xml()) if form == "xml" else node_of_json(response.json())
        if form == "xml":
            assert etree.QName(response.xml()).localname == root
        for name in path:
            if name.startswith("@"):
                return node[0][name[1:]]
            children = node[1]
            assert isinstance(children, dict)
            (node,) = children[name]  # type: ignore[assignment]  # nodes hold nodes
        assert isinstance(node[1], str)
        return node[1]

    number = first_id(fresh, "/adspaces")
    applying = f"/programapplications/program/1801/adspace/{number}"
    fresh.ask("DELETE", base, applying)  # if there is one
    applied = fresh.ask("POST", base, applying)
    item = "programApplicationItem"
    assert said(applied, "CreateProgramApplicationResponse", item, "status") in ("open", "confirmed")
    for count in ("1", "0"):
        ended = fresh.ask("DELETE", base, applying)
        assert said(ended, "DeleteProgramApplicationResponse", "count") == count
    gone = fresh.ask("DELETE", base, f"/adspaces/adspace/{number}")
    assert said(gone, "DeleteAdspaceResponse", "count") == "1"
    missing = fresh.ask("GET", base, f"/adspaces/adspace/{number}")
    assert missing.error()[:2] == (404, "404")

    job = fresh.order()
    early = fresh.ask("GET", data, f"/jobs/job/id/{job}/download")
    assert early.error()[:2] == (409, "409")  # in the requested format
    fresh.clock.advance(3)
    done = fresh.ask("GET", data, f"/jobs/job/id/{job}")
    assert said(done, "GetJobResponse", "jobItem", "@id") == job
    address = said(done, "GetJobResponse", "jobItem", "downloadUrl")
    assert address == f"{fresh.url}/{form}/2011-05-01/jobs/job/id/{job}/download"
    file = fresh.ask("GET", data, f"/jobs/job/id/{job}/download")
    assert (file.status, file.headers["Content-Type"]) == (200, "application/gzip")


def test_older_root_elements_are_a_setting(staged: Callable[..., Stage]) -> None:
    """Older examples show another root for three resources, with the same content. JSON has no root."""
    plain, old = staged().caller, staged(old_roots=True).caller
    space = first_id(plain, "/adspaces")
    resources = [
        ("GET", "/payments/balances"),
        ("GET", "/payments/balances/balance/EUR"),
        ("DELETE", f"/programapplications/program/1801/adspace/{space}"),
        ("GET", "/profiles"),
    ]
    roots = []
    for verb, target in resources:
        new, before = (one.ask(verb, PUBLISHER.format("xml"), target).xml() for one in (plain, old))
        roots.append((etree.QName(new).localname, etree.QName(before).localname))
        assert etree.QName(new).namespace == etree.QName(before).namespace == NAMESPACES[PUBLISHER]
        assert node_of_xml(new) == node_of_xml(before)
        first, second = (one.ask(verb, PUBLISHER.format("json"), target).body for one in (plain, old))
        assert first == second
    assert roots == [
        ("GetBalancesResponse", "response"),
        ("GetBalanceResponse", "response"),
        ("DeleteProgramApplicationResponse", "response"),
        ("GetProfileResponse", "GetProfileResponse"),
    ]


@pytest.mark.exhaustive
def test_single_sale_may_be_a_page(staged: Callable[..., Stage]) -> None:
    """The only public example has this form (docs/explanation/service.md#rest-forms)."""
    caller = staged(wrap_sale=True).caller
    base = PUBLISHER.format("xml")
    number = first_id(caller, "/reports/sales/date/2026-11-01")
    root = caller.ask("GET", base, f"/reports/sales/sale/{number}").xml()
    assert etree.QName(root).localname == "GetSalesResponse"
    assert [etree.QName(child).localname for child in root] == ["page", "items", "total", "saleItems"]
    assert [child.text for child in root[:3]] == ["0", "1", "1"]
    assert [one.get("id") for one in root[3]] == [number]
    none = caller.ask("GET", base, "/reports/sales/sale/nothing").xml()
    assert [(etree.QName(child).localname, child.text) for child in none] == [
        ("page", "0"), ("items", "0"), ("total", "0"),
    ]  # fmt: skip
    lead = caller.ask("GET", base, "/reports/leads/lead/nothing").xml()
    assert etree.QName(lead).localname == "GetLeadResponse"
