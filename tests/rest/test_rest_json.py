"""JSON is decoded like the XML of the same content, in every form of docs/explanation/service.md#json."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from soapclient.errors import ResponseError
from soapclient.rest import json_tree
from soapclient.runtime import CountingReader, Operation
from tests.rest.conftest import read_node
from tests.support.schemas import XSD

pytestmark = pytest.mark.sampled(12)

if TYPE_CHECKING:
    from tests.conftest import RestClient
    from tests.rest.conftest import Contract
    from tests.support.wire import Recorder

Contracts = Callable[[str], "Contract"]
SEEDS = st.integers(0, 2**32)
NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?").fullmatch
WITH_EMPTY = {"string", "anyURI"}  # types that allow an empty value
each_time = settings(max_examples=20, deadline=None)


class JsonForm:
    """Converts an element's content to JSON as the service does: the plain form, and optional quirks."""

    def __init__(self, *, arrays: bool = False, typed: bool = False) -> None:
        """`arrays`: single elements are in an array.

        `typed`: strings that look like a number or a boolean become one.
        """
        self._arrays = arrays
        self._typed = typed

    def text(self, node: etree._Element) -> str:
        """Return the JSON of a document without the root's name."""
        return self._element(node) if len(node) or node.attrib else "{}"

    def _element(self, node: etree._Element) -> str:
        fields = [(f"@{name}", json.dumps(value)) for name, value in node.attrib.items()]
        if not len(node) and not fields:
            return self._value(node.text or "")
        if node.text:
            fields.append(("$", self._value(node.text)))
        grouped: dict[str, list[str]] = {}
        for child in node:
            grouped.setdefault(etree.QName(child).localname, []).append(self._element(child))
        for name, values in grouped.items():
            alone = len(values) == 1 and not self._arrays
            fields.append((name, values[0] if alone else f"[{','.join(values)}]"))
        inside = ",".join(f"{json.dumps(name)}:{value}" for name, value in fields)
        return f"{{{inside}}}"

    def _value(self, text: str) -> str:
        if self._typed and (text in ("true", "false") or NUMBER(text)):
            return text
        return json.dumps(text)


def from_xml(
    operation: Operation[msgspec.Struct, msgspec.Struct], node: etree._Element
) -> tuple[msgspec.Struct, CountingReader]:
    reader = CountingReader()
    return operation.read_response(node, reader), reader


def from_json(
    operation: Operation[msgspec.Struct, msgspec.Struct], text: str
) -> tuple[msgspec.Struct, CountingReader]:
    return read_node(operation, json_tree.parse(text.encode(), operation.response_tag))


def drawn(contracts: Contracts, contract_name: str, operation_name: str, seed: int) -> etree._Element:
    contract = contracts(contract_name)
    node = contract.message(contract.operation(operation_name).response_tag, seed)
    contract.lxml.assertValid(node)
    return node


@pytest.mark.sampled(4, 60)
@pytest.mark.parametrize(
    "form", [JsonForm(), JsonForm(arrays=True), JsonForm(typed=True), JsonForm(arrays=True, typed=True)]
)
@given(seed=SEEDS)
@each_time
def test_every_response_decodes_equally_from_json(
    contracts: Contracts, contract_name: str, operation_name: str, form: JsonForm, seed: int
) -> None:
    """Arrays of length one occur for repeated elements and for containers.

    Single values occur for collapsed lists and for elements that never repeat.
    """
    operation = contracts(contract_name).operation(operation_name)
    response = drawn(contracts, contract_name, operation_name, seed)
    expected, heard = from_xml(operation, response)
    found, heard_too = from_json(operation, form.text(response))
    assert repr(found) == repr(expected)  # compares every digit: 1.10 is not 1.1
    assert heard_too.findings == heard.findings


@given(seed=SEEDS)
@each_time
def test_empty_element_of_a_non_string_type_counts_as_absent(
    contracts: Contracts, contract_name: str, operation_name: str, seed: int
) -> None:
    contract = contracts(contract_name)
    operation = contract.operation(operation_name)
    response = drawn(contracts, contract_name, operation_name, seed)
    expected, heard = from_xml(operation, response)
    added = 0
    for node, kind in list(contract.walk(response)):
        for declared in kind.iterfind(f"{XSD}sequence/{XSD}element"):
            tag = f"{contract.space}{declared.get('name')}"
            if node.find(tag) is None and droppable(contract, declared):
                etree.SubElement(node, tag)
                added += 1
    found, heard_too = from_json(operation, JsonForm().text(response))
    assert repr(found) == repr(expected)
    empties = {finding: times for finding, times in heard_too.findings.items() if finding.kind == "value"}
    assert sum(empties.values()) == added
    assert all(finding.detail == "" for finding in empties)
    assert heard_too.findings - heard.findings == heard_too.findings.__class__(empties)


def droppable(contract: Contract, declared: etree._Element) -> bool:
    """Return True if an element is optional and cannot be empty, by its schema."""
    if declared.get("minOccurs") != "0" or declared.get("maxOccurs", "1") != "1" or declared.get("default"):
        return False
    kind = contract.definition(declared)
    if isinstance(kind, str):
        return kind not in WITH_EMPTY
    if kind.tag == f"{XSD}simpleType":
        return all(value.get("value") for value in kind.iter(f"{XSD}enumeration"))
    needed = [
        inner for inner in kind.iterfind(f"{XSD}sequence/{XSD}element") if inner.get("minOccurs") != "0"
    ]
    return bool(needed) or any(inner.get("use") == "required" for inner in kind.iter(f"{XSD}attribute"))


def test_json_numbers_lose_only_leading_zeros(contracts: Contracts) -> None:
    operation = contracts("publisher").operation("GetSale")
    response = drawn(contracts, "publisher", "GetSale", 0)
    space = contracts("publisher").space
    for seed in range(100):
        response = drawn(contracts, "publisher", "GetSale", seed)
        if (currency := response.find(f".//{space}currency")) is not None:
            break
    assert currency is not None
    currency.text = "007"
    text = JsonForm().text(response)
    assert text.count('"currency":"007"') == 1
    for written, read in [("7", "7"), ("7.50", "7.50"), ("1E3", "1E3"), ("true", "true"), ('"007"', "007")]:
        found, _ = from_json(operation, text.replace('"currency":"007"', f'"currency":{written}'))
        assert f"currency={read!r}" in repr(found)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
@pytest.mark.parametrize(
    "text",
    ['{{"page":0,"items":1,"total":{}}}', '{{"page":0,"items":0,"total":0,"programItems":null,"more":[{}]}}'],
)
def test_invalid_json_numbers_are_refused(
    recorder: Recorder, rest_client: RestClient, text: str, number: str
) -> None:
    """RFC 8259, 6. Python's json module accepts these values."""
    recorder.answers(text.format(number))
    with pytest.raises(ResponseError, match="NaN and Infinity are not JSON numbers"):
        rest_client(rest_format="json", attempts=1).publisher.search_programs(query="a")
