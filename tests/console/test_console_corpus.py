"""Contracts of the corpus in a real browser: each operation is filled in with an example, checked, and sent
to a mock; wide and on a phone, light and dark.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.console.looking import Seen, quiet
from tests.console.vendors import Vendor, served

pytestmark = pytest.mark.exhaustive

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

CONTRACTS = Path(__file__).parents[1] / "corpus/contracts"
# Document/literal with tables, RPC, groups and choices that repeat, SOAP headers, SOAP 1.2.
OPERATIONS = {
    "sap": ["BapiGetList"],
    "rpc": ["add", "reset"],
    "choices-of-sequences-repeated": ["Import"],
    "headers": ["Ask"],
    "soap12": ["Ping"],
}


@pytest.fixture(params=OPERATIONS)
def vendor(request: pytest.FixtureRequest) -> Iterator[Vendor]:
    with ExitStack() as ends:
        yield served(CONTRACTS / f"{request.param}.wsdl", OPERATIONS[request.param], ends)


@pytest.fixture
def seen(chrome: Chrome, artefacts: Path, vendor: Vendor) -> Iterator[Seen]:
    with quiet(chrome):
        chrome.get(vendor.opened)
        yield Seen(chrome, vendor.url, artefacts)


def test_every_example_is_filled_in_checked_and_sent(seen: Seen, vendor: Vendor) -> None:
    links = [
        str(one.get_attribute("href")) for one in seen.chrome.find_elements("css selector", "#operations a")
    ]
    tried = [link.removeprefix(seen.url) for link in links if "/try/" in link]
    assert {link.rpartition("/")[2] for link in tried} == set(vendor.operations)
    for link in tried:
        seen.go(link)
        seen.click("button[value=example]")
        seen.click("button[value=check]")
        assert "The request is valid." in seen.text, seen.text
        seen.look(f"corpus-{vendor.operations[0]}-form")
        seen.click("button[value=send].primary")
        assert "200 OK" in seen.text, seen.text
        (call,) = vendor.mocked.calls(link.rpartition("/")[2])
        assert call.status == 200
    seen.look(f"corpus-{vendor.operations[0]}-call")
