"""A mock of every contract of the corpus accepts valid requests. lxml validates its responses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import requests
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from soapclient.testing import mock
from tests.corpus.conftest import Packages, compiled_schema, examples, for_each_contract, instances, wrapped

pytestmark = pytest.mark.sampled(4)

SPACES = {
    "1.1": ("http://schemas.xmlsoap.org/soap/envelope/", "text/xml"),
    "1.2": ("http://www.w3.org/2003/05/soap-envelope", "application/soap+xml"),
}


@pytest.mark.sampled(2)
@for_each_contract
def test_mock_responses_are_valid_and_equal_for_equal_requests(path: Path, packages: Packages) -> None:
    contract = packages(path).contract
    package = __import__(contract.name, fromlist=["service"]).service.PACKAGE
    with mock(contract.name) as mocked, requests.Session() as session:
        for operation in package.operations.values():
            port = next(each for each in package.settings.ports if each.port_type == operation.port_type)
            address = mocked.address(f"{port.service}/{port.name}")
            tag = operation.request_tag
            message = instances(path, tag) if tag else None
            if message is None:
                message = wrapped(path, operation.name, "input", tag)
            headers = [
                found for each in operation.request_headers if (found := instances(path, each)) is not None
            ]
            declares = bool(operation.response_tag) and instances(path, operation.response_tag) is not None
            schema = compiled_schema(path) if declares else None
            _check(session, address, port.soap, operation, message, st.tuples(*headers), schema)


def _check(
    session: requests.Session,
    address: str,
    version: str,
    operation: Any,
    message: st.SearchStrategy[etree._Element],
    headers: st.SearchStrategy[tuple[etree._Element, ...]],
    schema: etree.XMLSchema | None,
) -> None:
    space, kind = SPACES[version]

    def sent(body: etree._Element, head: tuple[etree._Element, ...]) -> requests.Response:
        top = etree.Element(f"{{{space}}}Envelope")
        etree.SubElement(top, f"{{{space}}}Header").extend(head)
        holder = etree.SubElement(top, f"{{{space}}}Body")
        holder.extend([body] if operation.request_tag else list(body))
        said = {"Content-Type": f"{kind}; charset=utf-8", "SOAPAction": f'"{operation.soap_action}"'}
        return session.post(address, etree.tostring(top, encoding="UTF-8"), headers=said, timeout=60)

    @examples(2)
    @given(body=message, head=headers)
    def run(body: etree._Element, head: tuple[etree._Element, ...]) -> None:
        content = etree.tostring(body, encoding="UTF-8")
        response = sent(etree.fromstring(content), head)
        told = (operation.name, content, response.text)
        assert response.status_code == (202 if operation.one_way else 200), told
        if operation.one_way:
            assert response.content == b""
            return
        if operation.response_attachments:
            assert response.headers["Content-Type"].startswith("multipart/related")
            return
        assert sent(etree.fromstring(content), head).content == response.content
        (answer,) = etree.fromstring(response.content).iterfind(f"{{{space}}}Body")
        if schema is not None:
            (node,) = answer
            assert node.tag == operation.response_tag
            node = etree.fromstring(etree.tostring(node))
            assert schema.validate(node), (operation.name, etree.tostring(node), schema.error_log)

    run()
