"""Forms of the console: which fields they have."""

from __future__ import annotations

from typing import Literal

import pytest

from soapclient.cli.request import from_assignments, request_element
from soapclient.console.forms import Forms
from soapclient.contract.validation import checks_of
from soapclient.testing.examples import Examples
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
    assert forms.form(operation, values, check=False).element.findtext("{*}q") == (
        "shoes" if protocol == "soap" else None
    )
