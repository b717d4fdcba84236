"""Forms of the console: which fields they have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Literal

import pytest
from lxml import etree

from soapclient.cli.request import from_assignments, request_element
from soapclient.console.forms import Form, Forms
from soapclient.console.inputs import Part
from soapclient.contract.validation import checks_of
from soapclient.errors import ContractError
from soapclient.testing.examples import Examples
from tests.console.vendors import Called, called
from zxws.publisher.service import PACKAGE


@pytest.mark.parametrize(("protocol", "keys"), [("soap", {"v:q", "v:items"}), ("rest", {"v:items"})])
def test_a_form_has_no_values_of_fields_that_the_protocol_lacks(
    protocol: Literal["soap", "rest"], keys: set[str]
) -> None:
    forms = Forms(Examples(PACKAGE.codec), checks_of([]), protocol)
    operation = PACKAGE.operations["GetAdmedia"]
    element = request_element(operation, from_assignments(["q=shoes", "items=3"]))
    values = forms.values_of(operation, element)
    assert {key for key in values if key.startswith("v:")} == keys
    form = forms.form(operation, values, check=False)
    assert form.element.findtext("{*}q") == ("shoes" if protocol == "soap" else None)


# ---- requests that the forms of the console never send, and unusual values


@pytest.fixture(scope="module")
def survey() -> Iterator[Called]:
    with called(Path(__file__).parent / "wsdls/survey.wsdl") as both:
        yield both


NODES = [f"root{'.node' * depth}" for depth in range(1, 14)]
DEEP = {f"on:{node}": "1" for node in NODES} | {f"v:{node}.label": "a" for node in NODES}
TWICE = {"on:codes": "1", "n:codes.code": "2", "v:codes.code.0": "a", "v:codes.code.1": "a"}
VALID = {"v:colour": "red", "v:day": "2026-11-01", "v:root.label": "a"}


def forms_of(survey: Called) -> Forms:
    return Forms(Examples(survey.target.package.codec), survey.target.checks())


def form_of(survey: Called, values: Mapping[str, str]) -> Form:
    return forms_of(survey).form(survey.target.operations["Answer"], VALID | dict(values), check=True)


def errors_of(parts: Iterable[Part]) -> dict[str, str]:
    found = {}
    for part in parts:
        if error := getattr(part, "error", ""):
            found[part.path] = error
        found |= errors_of(getattr(part, "items", ()))
    return found


@pytest.mark.parametrize(
    ("values", "errors"),
    [
        ({}, {}),
        ({"v:colour": "purple"}, {"colour": "must be one of: red, blue"}),
        ({"v:day": "soon"}, {"day": "must be"}),
        ({"v:root.label": ""}, {"root.label": "this is required"}),
        ({"v:free": "<a"}, {"free": "not well-formed XML"}),
        ({"v:free": "\x01"}, {"free": "not well-formed XML"}),
        ({"on:size": "1"}, {"size": "must be a whole number"}),
        (TWICE, {"codes.code.0": "must be unique values"}),
        (DEEP, {f"root{'.node' * 12}": "nested too deeply for a form"}),
    ],
)  # fmt: skip
def test_value_that_cannot_be_sent_is_marked(
    survey: Called, values: dict[str, str], errors: dict[str, str]
) -> None:
    form = form_of(survey, values)
    found = errors_of(form.items)
    assert form.is_valid is not bool(errors), (found, form.problem)
    assert found.keys() == errors.keys(), (found, form.problem)
    for path, text in errors.items():
        assert found[path].startswith(text)


def test_nil_values_are_read_from_a_request_and_written_again(survey: Called) -> None:
    forms = forms_of(survey)
    operation = survey.target.operations["Answer"]
    xsi = 'xmlns:i="http://www.w3.org/2001/XMLSchema-instance" i:nil="true"'
    text = f'<Answer xmlns="urn:example:survey"><colour>red</colour><day {xsi}/><root {xsi}/></Answer>'
    values = forms.values_of(operation, etree.fromstring(text))
    assert values == {"v:colour": "red", **dict.fromkeys(("nil:day", "on:day", "nil:root", "on:root"), "1")}
    form = forms.form(operation, values, check=True)
    assert form.is_valid, (form.problem, errors_of(form.items))
    assert etree.tostring(form.element, method="c14n2").count(b"nil=") == 2


def test_error_of_the_call_is_shown_at_its_input_or_above_the_form(survey: Called) -> None:
    form = form_of(survey, {})
    form.refuse(ContractError("Answer/colour", "red", "", "is out of stock"))
    assert (form.errors, form.problem, errors_of(form.items)) == (1, "", {"colour": "is out of stock"})
    form = form_of(survey, {})
    form.refuse(ContractError("Answer/price", None, "a price", ""))
    assert (form.errors, form.is_valid) == (0, False)
    assert "Answer/price" in form.problem
    assert "Nothing was sent" not in form.problem


def test_example_without_optional_values_replaces_an_invalid_complete_one(survey: Called) -> None:
    """No text is valid for the element `never`."""
    forms = forms_of(survey)
    operation = survey.target.operations["Answer"]
    values = forms.example(operation)
    assert "v:never" not in values
    assert forms.form(operation, values, check=True).is_valid
