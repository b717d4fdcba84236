"""`soapclient describe`: fields, occurrence and values are compared with the contract as read by lxml.

The examples are called.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
from lxml import etree

from soapclient import Settings
from soapclient.cli.contracts import SERVICES
from soapclient.cli.description import Entry, describe
from soapclient.cli.field_names import known_values
from soapclient.cli.request import checked_request, from_assignments, request_element
from soapclient.errors import ContractError
from soapclient.runtime import AnyOperation
from tests.cli.conftest import Run, error_of, output_of
from tests.support.cases import case_text

pytestmark = pytest.mark.sampled(4)


HERE = Path(__file__).parents[1]
WSDLS = HERE.parent / "wsdl"
CORPUS = HERE / "corpus/contracts"
XSD = "{http://www.w3.org/2001/XMLSchema}"
AUTHENTICATION = {"connectId", "timestamp", "nonce", "signature"}


def operations(service: str) -> dict[str, AnyOperation]:
    found: dict[str, AnyOperation] = dict(import_module(f"zxws.{service}.service").PACKAGE.operations)
    return found


EVERY = [(service, name) for service in SERVICES for name in operations(service)]
OF_A_WSDL = [(service, name) for service, name in EVERY if operations(service)[name].soap]


class Leaf(NamedTuple):
    """A value according to the contract: dotted name, required, repeated, and allowed values.

    For an item of a list, required and repeated refer to the list.
    """

    name: str
    required: bool
    repeated: bool
    values: tuple[str, ...]


class Schema:
    """The types of a service's WSDL."""

    def __init__(self, service: str) -> None:
        (path,) = WSDLS.glob(f"{service}/*/{service}.wsdl")
        (schema,) = etree.parse(path).iter(f"{XSD}schema")
        self.types = {node.get("name"): node for node in schema.iterchildren(f"{XSD}complexType")}
        self.elements = {node.get("name"): node for node in schema.iterchildren(f"{XSD}element")}
        self.values = {
            node.get("name"): tuple(str(each.get("value")) for each in node.iter(f"{XSD}enumeration"))
            for node in schema.iterchildren(f"{XSD}simpleType")
        }

    def leaves(self, element: str) -> set[Leaf]:
        """Return all values of a message."""
        top = self.elements[element]
        kind = top.find(f"{XSD}complexType")
        kind = self.types[local_name(top.get("type"))] if kind is None else kind
        return set(self._inside(kind, "", ()))

    def _inside(self, kind: etree._Element, path: str, above: tuple[str, ...]) -> Iterator[Leaf]:
        for attribute in kind.iter(f"{XSD}attribute"):
            values = self._values(attribute)
            yield Leaf(f"{path}@{attribute.get('name')}", attribute.get("use") == "required", False, values)
        base = kind.find(f"{XSD}simpleContent/{XSD}extension")
        if base is not None:
            extended = local_name(base.get("base"))
            if extended in self.types:
                yield from self._inside(self.types[extended], path, above)
            else:
                yield Leaf(f"{path}$", True, False, self.values.get(extended, ()))
        for element in kind.iterfind(f"{XSD}sequence/{XSD}element"):
            name, own = local_name(element.get("type")), f"{path}{element.get('name')}"
            inner = element.find(f"{XSD}complexType")
            inner = self.types.get(name) if inner is None else inner
            if inner is None:
                yield Leaf(own, *occurrence(element), self._values(element))
            elif name not in above:
                within = list(self._inside(inner, f"{own}.", (*above, name) if name else above))
                if len(within) == 1 and within[0].repeated:  # a wrapper element of a list
                    within = [within[0]._replace(required=occurrence(element)[0])]
                yield from within

    def _values(self, node: etree._Element) -> tuple[str, ...]:
        return self.values.get(local_name(node.get("type")), ())


def occurrence(element: etree._Element) -> tuple[bool, bool]:
    """Return whether the element is required, and whether it may repeat."""
    return element.get("minOccurs") != "0", element.get("maxOccurs", "1") != "1"


def local_name(name: str | None) -> str:
    return (name or "").removeprefix("tns:")


def local(tag: str) -> str:
    return tag.rpartition("}")[2]


@pytest.mark.parametrize(("service", "name"), OF_A_WSDL)
def test_every_value_of_the_contract_is_described(service: str, name: str) -> None:
    operation, schema = operations(service)[name], Schema(service)
    said = describe(operation, service, [service])
    requested = {
        each for each in schema.leaves(local(operation.request_tag)) if each.name not in AUTHENTICATION
    }
    assert leaves(said.request) == requested
    assert leaves(said.response) == schema.leaves(local(operation.response_tag))


def leaves(entries: list[Entry]) -> set[Leaf]:
    return {
        Leaf(each.name, each.required, each.repeated, each.values)
        for each in entries
        if each.example is not None and each.protocol != "rest"
    }


def accepted(operation: AnyOperation, words: list[str]) -> None:
    """Check a request as `soapclient call` does before sending, for all protocols of the operation."""
    for soap in {operation.soap, operation.rest is None}:
        checked_request(operation, from_assignments(words), Settings(), soap=soap)


@pytest.mark.parametrize(("service", "name"), EVERY)
def test_example_is_a_valid_call(service: str, name: str) -> None:
    operation = operations(service)[name]
    program, *words = shlex.split(describe(operation, service, [service]).example)
    assert (program, words[:3]) == ("soapclient", ["call", service, name])
    accepted(operation, words[3:])


@pytest.mark.parametrize(("service", "name"), EVERY)
def test_examples_of_all_fields_form_a_request_with_either_name(service: str, name: str) -> None:
    operation = operations(service)[name]
    entries = describe(operation, service, [service]).request
    given = [each for each in entries if each.example is not None and each.protocol != "rest"]
    by_contract = [f"{each.name}={each.example}" for each in given]
    by_python = [f"{each.python}={each.example}" for each in given]
    accepted(operation, by_contract)
    elements = [request_element(operation, from_assignments(each)) for each in (by_contract, by_python)]
    first, second = (etree.tostring(each) for each in elements)
    assert first == second


@pytest.mark.parametrize(("service", "name"), EVERY)
def test_omitting_a_required_field_is_refused(service: str, name: str) -> None:
    """Every word of an example is required."""
    operation = operations(service)[name]
    words = shlex.split(describe(operation, service, [service]).example)[4:]
    for at, word in enumerate(words):
        if any(each.startswith(f"{word.partition('=')[0]}.") for each in words):
            continue  # the text of an element that is present because of its attribute
        rest = from_assignments([*words[:at], *words[at + 1 :]])
        with pytest.raises(ContractError):
            checked_request(operation, rest, Settings(), soap=operation.soap)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "name", ["GetSales", "GetReportBasic", "SearchPrograms", "GetProfile", "CreateAdspace"]
)
def test_example_runs_against_the_sandbox(run: Run, name: str) -> None:
    described = run("describe", "publisher", name)
    example = shlex.split(described.stdout.splitlines()[-1])
    json.loads(output_of(run(*example[1:])))


def test_export_example_is_ordered(run: Run) -> None:
    example = shlex.split(run("describe", "data", "CreateReportJob").stdout.splitlines()[-1])
    assert "reportType=click" in example
    assert json.loads(run(*example[1:]).stdout)["jobItem"]["id"]


@pytest.fixture
def weather(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "weather.wsdl").write_bytes((HERE / "connection/weather.wsdl").read_bytes())
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("weather")
def test_operation_is_described_by_its_python_name(run_unset: Run) -> None:
    stdout = output_of(run_unset("describe", "--file", "weather.wsdl", "get_weather"))
    assert stdout == run_unset("describe", "--file", "weather.wsdl", "GetWeather").stdout


@pytest.mark.usefixtures("weather")
def test_operations_are_listed_if_none_is_given(run_unset: Run) -> None:
    listed = run_unset("describe", "--file", "weather.wsdl").stdout.splitlines()
    assert [line.split()[0] for line in listed] == ["GetWeather", "Observe", "Swap", "Ping"]
    assert listed[0] == "GetWeather  The weather of a city."
    found = json.loads(run_unset("describe", "--json", "data").stdout)
    assert [each["operation"] for each in found] == list(operations("data"))
    assert {each["method"] for each in found} == {"create_report_job", "get_job", "get_jobs"}
    assert all(each["documentation"].endswith(".") for each in found)


def test_rest_only_operation_is_not_described_as_soap(run_unset: Run) -> None:
    done = run_unset("describe", "advertiser", "GetPartnerships")
    assert done.stdout.splitlines()[1] == (
        "  signed; safe to retry; Python: get_partnerships; REST: GET /member/partnership"
    )


def test_a_one_way_operation_has_no_response(run_unset: Run) -> None:
    lines = run_unset("describe", "--file", str(HERE / "connection/weather.wsdl"), "Observe").stdout
    assert "  one-way; Python: observe; SOAP" in lines.splitlines()
    assert "Response" not in lines


def test_json_has_the_same_keys_for_every_operation(run_unset: Run) -> None:
    said = json.loads(run_unset("describe", "publisher", "GetSales", "--json").stdout)
    assert {key: value for key, value in said.items() if isinstance(value, str | bool)} == {
        "service": "publisher",
        "operation": "GetSales",
        "method": "get_sales",
        "documentation": "Returns the sales of a day.",
        "signed": True,
        "safe": True,
        "one_way": False,
        "example": "soapclient call publisher GetSales date=2026-11-01 dateType=clickDate",
    }
    assert said["protocols"] == ["soap", "rest"]
    assert said["rest"] == {"method": "GET", "path": "/reports/sales/date/{date}"}
    (date_type,) = (each for each in said["request"] if each["name"] == "dateType")
    assert date_type == json.loads(case_text(__file__, "date-type.json"))
    other = json.loads(run_unset("describe", "advertiser", "GetPartnerships", "--json").stdout)
    assert list(other) == list(said)
    assert {tuple(each) for each in [*other["request"], *other["response"]]} == {tuple(date_type)}
    assert (other["protocols"], other["faults"]) == (["rest"], [])
    assert [each["name"] for each in said["faults"]] == ["SOAPException"]


def described(name: str) -> dict[str, Entry]:
    """Describe the request of a built-in operation. Return its entries by name."""
    service, _, operation = name.partition(" ")
    entries = describe(operations(service)[operation], service, [service]).request
    return {each.name: each for each in entries}


def test_report_types_exclude_removed_ones() -> None:
    found = described("data CreateReportJob")["reportType"]
    assert found.known == ("click", "clickin", "lead", "sale", "cashback", "custom")
    assert set(found.refused_values) == {
        *("aggregated", "view", "postview", "ppc", "lpt"),
        *("Click", "Click In", "Custom"),
    }
    assert found.values == ()


def test_page_numbers_follow_the_service() -> None:
    """The paging in `wsdl/contracts.toml`."""
    found = described("publisher GetSales")
    assert (found["page"].example, found["items"].example) == ("0", "10")


FACETS = case_text(__file__, "facets.wsdl").encode()
# Each of ten types contains three elements of the next type: 3 ** 10 fields.
LEVELS = "".join(
    f'<x:complexType name="L{at}"><x:sequence>'
    + "".join(f'<x:element name="{name}" type="t:L{at + 1}" minOccurs="0"/>' for name in "abc")
    + "</x:sequence></x:complexType>"
    for at in range(10)
)
LEAF = '<x:simpleType name="L10"><x:restriction base="x:int"/></x:simpleType>'


@pytest.fixture
def facets(tmp_path: Path) -> str:
    path = tmp_path / "facets.wsdl"
    path.write_bytes(FACETS.replace(b"LEVELS", (LEVELS + LEAF).encode()))
    return str(path)


@pytest.mark.exhaustive
def test_facets_are_described(run_unset: Run, facets: str) -> None:
    said = json.loads(run_unset("describe", "--file", facets, "Do", "--json").stdout)
    found = {each["name"]: each for each in said["request"]}
    assert found["code"]["facets"] == {"patterns": ["[A-Z]{2}-[0-9]+"], "max_length": "9"}
    assert found["share"]["facets"] == {"min_inclusive": "0.5", "max_exclusive": "2"}
    assert (found["share"]["nil"], found["three"]["least"], found["last"]["default"]) == (True, 3, "z")
    assert (found["shape"]["types"], found["shape.@unit"]["fixed"]) == (["Shape", "Round"], "mm")
    assert (found["any"]["type"], found["any"]["example"]) == ("anything", None)
    text = run_unset("describe", "--file", facets, "Do").stdout
    for line in (
        "at most 9 characters, pattern [A-Z]{2}-[0-9]+",
        "at least 0.5, less than 2",
        "can be nil: share.@xsi:nil=true",
        "shape.@xsi:type can be one of: Shape, Round",
        "by default z",
        "always mm",
    ):
        assert f"\n      {line}\n" in text
    (three,) = (line for line in text.splitlines() if line.startswith("  three "))
    assert "required, 3 times or more" in three


def test_deepest_fields_are_omitted_if_there_are_too_many(run_unset: Run, facets: str) -> None:
    entries = json.loads(run_unset("describe", "--file", facets, "Do", "--json").stdout)["request"]
    assert len(entries) < 1000
    deep = [each["name"].count(".") for each in entries if each["name"].startswith("deep")]
    assert max(deep) == 5  # 3 + 9 + … + 243 = 363; 729 more would exceed the limit
    assert {each["cut"] for each in entries if each["name"].count(".") == 5} == {True}
    assert "last" in {each["name"] for each in entries}


def test_recursive_type_is_cut(run_unset: Run) -> None:
    """A Node has a label, and a left and a right Node."""
    done = run_unset("describe", "--file", str(CORPUS / "recursions.wsdl"), "Walk", "--json")
    found = {each["name"]: each["cut"] for each in json.loads(done.stdout)["request"]}
    assert found == {"root": False, "root.label": False, "root.left": True, "root.right": True}
    assert "Node …" in run_unset("describe", "--file", str(CORPUS / "recursions.wsdl"), "Walk").stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("publisher", "getsales"), "did you mean GetSales?"),
        (("--package", "zxws.data", "GetJop"), "did you mean GetJob?"),
        (("--package", "no_such_package"), "package no_such_package was not found"),
        (("publisher", "GetSales", "x"), "Got unexpected extra argument (x)"),
        (("--package", "zxws.data", "GetJob", "x"), "Got unexpected extra argument (x)"),
        ((), "Missing argument 'SERVICE'"),
        (("--package", "zxws.data", "--file", __file__), "give --package or --file, not both"),
    ],
)
def test_unknown_operation_is_reported(run_unset: Run, words: tuple[str, ...], said: str) -> None:
    result = run_unset("describe", *words)
    assert said in error_of(result, 4 if "did you mean" in said else 1 if "was not found" in said else 2)


def test_order_without_known_fields_has_no_known_values() -> None:
    """The settings of a package may have [job] without [order]."""
    settings = SimpleNamespace(job=SimpleNamespace(order="ask"), order=None)
    operation: Any = SimpleNamespace(
        package=SimpleNamespace(settings=settings), row=SimpleNamespace(method="ask")
    )
    field: Any = SimpleNamespace(python="columns")
    assert known_values(operation, field) == ()
