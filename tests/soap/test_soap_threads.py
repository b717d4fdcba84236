"""One client, many threads; one parsed contract, many clients."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from soapclient.contract import package_documents
from soapclient.runtime import Package
from soapclient.soap.zeep_service import PackagedTransport, document
from tests.support.sales import DAY
from zxws.publisher.service import PACKAGE
from zxws.publisher.types import GetSalesResponse

if TYPE_CHECKING:
    from tests.soap.conftest import OpenClient


def test_eight_threads_share_a_client(open_client: OpenClient, sandbox: str) -> None:
    client = open_client(sandbox)
    start = threading.Barrier(8)

    def work(number: int) -> list[tuple[int, int, GetSalesResponse]]:
        start.wait(10)
        found = []
        for page in range(3):
            asked: Any = {"date": DAY, "date_type": "trackingDate", "page": number % 4, "items": 5 + page}
            response = client.publisher.get_sales(**asked)
            found.append((number % 4, 5 + page, response))
            with client.publisher.stream.get_sales(**asked) as sales:
                assert list(sales) == response.sale_items
            assert client.publisher.get_profile().profile_item is not None
            assert client.data.get_jobs().total >= 0
        return found

    with ThreadPoolExecutor(8) as pool:
        answers = [answer for found in pool.map(work, range(8)) for answer in found]
    assert len(answers) == 24
    for page, items, response in answers:
        assert (response.page, response.items) == (page, items)
    assert client.drift.counts() == {}


def test_a_contract_is_parsed_and_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[str] = []
    load: Callable[[PackagedTransport, str], bytes] = PackagedTransport.load

    def counted(self: PackagedTransport, url: str) -> bytes:
        loaded.append(url)
        return load(self, url)

    monkeypatch.setattr(PackagedTransport, "load", counted)
    own = PACKAGE.document("contract.wsdl") + b"<!-- a document of its own -->"
    packages = [Package(PACKAGE.name, {"contract.wsdl": own}) for _ in range(8)]
    start = threading.Barrier(8)

    def look(package: Package) -> tuple[int, int]:
        start.wait(10)
        return id(document(package.document("contract.wsdl"))), id(package_documents.checks(package))

    with ThreadPoolExecutor(8) as pool:
        seen = set(pool.map(look, packages))
    assert len(seen) == 1
    assert len(loaded) == 1
