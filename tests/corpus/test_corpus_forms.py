"""Forms of every request of the corpus: entered values are read from the form again, and are valid."""

from __future__ import annotations

import importlib
import shlex
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from lxml import etree

from soapclient import connect
from soapclient.cli.description import describe
from soapclient.cli.form_arguments import command
from soapclient.cli.request import from_assignments, request_element
from soapclient.console.forms import Forms
from soapclient.console.targets import Exchange, Target, now, of_service
from soapclient.contract.validation import checks_of
from soapclient.errors import ContractError
from soapclient.runtime import CountingReader
from soapclient.testing import Mock, mock
from soapclient.testing.examples import Examples
from tests.corpus.conftest import CORPUS, Packages, for_each_contract

pytestmark = pytest.mark.sampled(4)


@for_each_contract
def test_example_roundtrips_through_a_form(path: Path, packages: Packages) -> None:
    made = packages(path)
    package = importlib.import_module(f"{made.contract.name}.service").PACKAGE
    examples = Examples(package.codec)
    forms = Forms(examples, checks_of([made.contract.one_file]))
    for operation in package.operations.values():
        if operation.encoded:
            continue
        for complete in (True, False):
            values = forms.example(operation, complete=complete)
            form = forms.form(operation, values, check=True)
            said = [operation.name, form.problem, values, etree.tostring(form.element, encoding="unicode")]
            assert form.is_valid, said
            wanted = examples.element(
                operation.row.request, operation.request_tag or "request", complete=complete, branches=False
            )
            request = operation.read_request(wanted, CountingReader())
            assert operation.read_request(form.element, CountingReader()) == request, said
            # The same as assignments of `soapclient call`.
            words = shlex.split(command(["x"], form))[4:]
            words = [word for word in words if not word.startswith("--header=")]
            built = request_element(operation, from_assignments(words))
            assert operation.read_request(built, CountingReader()) == request, words


@for_each_contract
def test_each_described_field_is_accepted_by_a_call(path: Path, packages: Packages) -> None:
    """Each works by its name in the contract and in Python, with its example."""
    package = importlib.import_module(f"{packages(path).contract.name}.service").PACKAGE
    for operation in package.operations.values():
        said = describe(operation, "x", ["x"])
        assert said.documentation
        for entry in said.request:
            for name in (entry.name, entry.python):
                element = request_element(operation, from_assignments([f"{name}={entry.example or ''}"]))
                given = [text for node in element.iter("*") for text in (node.text, *node.attrib.values())]
                assert not entry.example or entry.example in given, (operation.name, entry)


@pytest.mark.sampled(2)
@for_each_contract
def test_an_example_of_every_operation_is_sent(path: Path, packages: Packages) -> None:
    name = packages(path).contract.name
    with mock(name) as mocked, ExitStack() as ends:
        for target in _targets(name, mocked, ends):
            forms = Forms(Examples(target.package.codec), target.checks())
            for operation in target.operations.values():
                values = forms.example(operation)
                form = forms.form(operation, values, check=True)
                assert form.is_valid, (operation.name, form.problem, values)
                exchange = Exchange(1, now(), target.name, operation.key, values)
                assert target.send(exchange, form) is None
                assert exchange.error == "", (operation.name, exchange.error, exchange.request.body)
                assert exchange.response.line.startswith(("200 ", "202 "))


def test_a_text_instead_of_any_element_is_an_error(packages: Packages) -> None:
    made = packages(CORPUS / "wildcards.wsdl")
    package = importlib.import_module(f"{made.contract.name}.service").PACKAGE
    forms = Forms(Examples(package.codec), checks_of([made.contract.one_file]))
    values = {"v:key": "a", "n:any": "1", "v:any.0": "<b xmlns='urn:b'/>"}
    assert forms.form(package.operations["Store"], values, check=True).is_valid
    form = forms.form(package.operations["Store"], {**values, "v:any.0": "b"}, check=True)
    assert "Character content" in form.problem


def test_a_control_character_in_nil_is_an_error(packages: Packages) -> None:
    name = packages(CORPUS / "nillables.wsdl").contract.name
    operation = importlib.import_module(f"{name}.service").PACKAGE.operations["Patch"]
    said = r"Patch: required/@xsi:nil: it has a character that XML does not allow"
    with pytest.raises(ContractError, match=said):
        request_element(operation, from_assignments(["required.@xsi:nil=\x01"]))


def _targets(name: str, mocked: Mock, ends: ExitStack) -> Iterator[Target]:
    """Return the service classes of a package, connected to a mock."""
    service = importlib.import_module(f"{name}.service")
    for port in service.PACKAGE.settings.ports:
        address = mocked.address(f"{port.service}/{port.name}")
        for kind in vars(service).values():
            if getattr(kind, "PORT_TYPE", None) == port.port_type and hasattr(kind, "PACKAGE"):
                connection = connect(kind, address=address, port=port.name)
                ends.callback(connection.close)
                yield of_service(name, service.PACKAGE, port, address, connection, kind.__name__)
