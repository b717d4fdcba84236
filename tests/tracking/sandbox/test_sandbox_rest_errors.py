"""Refusals over REST: status, code and reason, in the format of the address
(docs/explanation/service.md#fault-codes).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from lxml import etree

if TYPE_CHECKING:
    from tests.stage import Stage
    from tests.tracking.sandbox.caller import Caller

FORMS = ["xml", "json"]
PUBLISHER, DATA, ADVERTISER = "/{}/2011-03-01", "/{}/2011-05-01", "/2015-03-01"


@pytest.mark.sampled(6)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("verb", "base", "target", "status", "code"),
    [
        ("GET", PUBLISHER, "", 404, 404),
        ("GET", PUBLISHER, "/", 404, 404),
        ("GET", PUBLISHER, "/nothing", 404, 404),
        ("GET", PUBLISHER, "/Programs", 404, 404),
        ("GET", PUBLISHER, "/adspaces/adspace/1/2", 404, 404),
        ("GET", PUBLISHER, "/products/product/", 404, 404),
        ("GET", PUBLISHER, "/jobs", 404, 404),
        ("GET", DATA, "/programs", 404, 404),
        ("GET", "/{}/2009-07-01", "/programs", 404, 404),
        ("GET", "/{}/2015-03-01", "/member/partnership", 404, 404),
        ("GET", "/{}", "/programs", 404, 404),
        ("GET", PUBLISHER, "/../2011-05-01/jobs", 404, 404),
        ("POST", PUBLISHER, "/programs", 405, 405),
        ("PATCH", PUBLISHER, "/profiles", 405, 405),
        ("DELETE", PUBLISHER, "/adspaces/adspace", 405, 405),
        ("DELETE", DATA, "/jobs", 405, 405),
        ("POST", DATA, "/jobs/job/id/1/download", 405, 405),
        ("GET", PUBLISHER, "/reports/sales/date/20261101", 400, 230),
        ("POST", PUBLISHER, "/programapplications/program/1/adspace/1", 400, 108),
    ],
)
def test_refusal_names_the_problem_and_the_place(
    caller: Caller, form: str, verb: str, base: str, target: str, status: int, code: int
) -> None:
    response = caller.ask(verb, base.format(form), target)
    assert ("application/json" in response.headers["Content-Type"]) == (form == "json")
    found = response.error()
    assert found[:2] == (status, str(code))
    assert found[2]


def test_xml_error_is_in_the_namespace_of_its_contract(caller: Caller) -> None:
    for base, namespace in (
        (PUBLISHER, "http://api.zanox.com/namespace/2011-03-01/"),
        (DATA, "http://data.zanox.com/namespace/2011-05-01/"),
    ):
        root = caller.ask("GET", base.format("xml"), "/nothing").xml()
        assert [root.tag, root[0].tag] == [f"{{{namespace}}}response", f"{{{namespace}}}code"]


def test_advertiser_interface_supports_only_json(caller: Caller) -> None:
    assert caller.ask("GET", ADVERTISER, "/nothing").error()[:2] == (404, "404")
    assert caller.ask("POST", ADVERTISER, "/member/partnership").error()[:2] == (405, "405")
    assert caller.ask("GET", ADVERTISER, "/member/partnership").error()[:2] == (400, "230")
    for base in ("/2014-03-01", "/2011-03-01"):
        response = caller.ask("GET", base, "/profiles")
        assert response.error()[:2] == (404, "404")
        assert isinstance(response.json(), dict)


@pytest.mark.parametrize("form", FORMS)
def test_reason_is_escaped_in_its_document(caller: Caller, form: str) -> None:
    odd = '/%3Cb%3E%26%22%5C%00%1b%E2%80%A8"'
    assert caller.ask("GET", PUBLISHER.format(form), odd).refused(404, 404, '<b>&"\\')


@pytest.mark.parametrize("form", FORMS)
def test_resource_without_a_body_refuses_one(caller: Caller, form: str) -> None:
    for verb, target in (("GET", "/profiles"), ("POST", "/programapplications/program/1801/adspace/1")):
        response = caller.ask(verb, PUBLISHER.format(form), target, "{}", f"application/{form}")
        assert response.error()[:2] == (400, "103")


@pytest.mark.parametrize("form", FORMS)
def test_a_body_that_is_too_large_is_refused(staged: Callable[..., Stage], form: str) -> None:
    caller = staged(max_body=1000).caller
    response = caller.ask("PUT", PUBLISHER.format(form), "/profiles", b" " * 1001, f"application/{form}")
    assert response.error()[:2] == (413, "110")


@pytest.mark.parametrize("form", FORMS)
def test_internal_failure_has_the_requested_format(
    staged: Callable[..., Stage], monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    stage = staged()

    def broken(_: str) -> None:
        raise ZeroDivisionError("a secret of the inside")

    monkeypatch.setattr(stage.sandbox._store, "of", broken)
    response = stage.caller.ask("GET", PUBLISHER.format(form), "/profiles")
    assert response.error()[:2] == (500, "500")
    assert b"inside" not in response.body


def test_a_response_that_breaks_the_contract_is_not_sent(
    fresh: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    from soapclient.tracking.sandbox import rules

    monkeypatch.setattr(rules, "handler_of", lambda *_: lambda _: {"profileItem": {"@id": "no number"}})
    assert fresh.ask("GET", PUBLISHER.format("json"), "/profiles").refused(500, 502, "GetProfile")


def test_head_is_allowed_only_for_downloads(caller: Caller) -> None:
    response = caller.ask("HEAD", "/json/2011-03-01", "/profiles")
    assert (response.status, response.body) == (405, b"")


def test_an_unknown_format_is_refused_in_xml(caller: Caller) -> None:
    assert caller.ask("GET", "/yaml/2011-03-01", "/profiles").xml()[0].text == "404"


def test_soap_and_wsdl_paths_are_unchanged(caller: Caller) -> None:
    root = etree.fromstring(caller.post("<no envelope/>").content)
    assert etree.QName(root).localname == "Envelope"
    assert caller.session.get(f"{caller.url}/wsdl/2011-03-01", timeout=5).status_code == 200
