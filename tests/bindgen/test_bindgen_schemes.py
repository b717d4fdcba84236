"""The checks of `[signing]`, and the rows that `--propose` comments out."""

from __future__ import annotations

import pytest

from bindgen import schemes
from bindgen.problems import Problem
from bindgen.propose import removals
from bindgen.propose.names import Proposal
from soapclient import services

SIGNING = {
    "scheme": "zxws",
    "service_name": "shop",
    "connect_id": "id",
    "timestamp": "time",
    "nonce": "once",
    "signature": "mac",
}


def test_complete_roles_are_accepted() -> None:
    assert list(schemes.check("signing", SIGNING, has_wsdl=True)) == []


def test_two_roles_of_one_element_are_refused() -> None:
    found = list(schemes.check("signing", SIGNING | {"nonce": "time"}, has_wsdl=True))
    assert found == ["signing: timestamp and nonce name the same element, 'time'"]


def test_scheme_that_cannot_be_imported_is_reported_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    places = {"broken": "module_that_does_not_exist:SCHEME"}
    monkeypatch.setattr("soapclient.signing.signing_schemes", lambda: places)
    monkeypatch.setattr(services, "signing_schemes", lambda: places)
    (problem,) = schemes.check("signing", {"scheme": "broken"}, has_wsdl=True)
    assert problem.startswith("signing.scheme: ")
    assert "cannot be imported from 'module_that_does_not_exist:SCHEME'" in problem


@pytest.mark.parametrize(("changed", "removed"), [("GetSales", True), ("GetSale", False)])
def test_row_is_removed_unless_it_is_changed_itself(changed: str, removed: bool) -> None:
    """The name of another row may start with its name."""
    problem = Problem("REST has no nil: not supported", setting="rest.GetSale", removable=True)
    rename = Proposal(("rest", changed), "key", changed, new="GetX")
    lines = [(item.path, item.kind, item.why) for item in removals([problem], [rename])]
    assert lines == [(("rest", "GetSale"), "remove", "REST has no nil")] * removed
