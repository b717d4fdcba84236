"""The fields of an order are found by role. If a field does not fit, the problem lists suitable ones."""

from __future__ import annotations

import pytest

from soapclient.runtime.settings import OrderField
from tests.bindgen.conftest import Workshop, document
from tests.support.cases import case_text

_SCHEMA = case_text(__file__, "orders.xsd")
_TABLES = case_text(__file__, "orders.toml")


def test_order_fields_come_from_the_settings(workshop: Workshop) -> None:
    assert "note: " not in workshop.generated(document(_SCHEMA), tables=_TABLES)
    service, types = workshop.module("shop.service"), workshop.module("shop.types")
    order = service.PACKAGE.settings.order
    assert (order.operation, order.separator, order.removed) == ("Ask", ";", ("callback",))
    assert order.roles == {
        "report_type": OrderField(field="kind", wire="kind", values=("big", "small")),
        "from_date": OrderField(field="begin", wire="begin", form="date"),  # a date-time that means a day
        "to_date": OrderField(field="span.finish", wire="span/finish", form="date", types=("Span",)),
        "columns": OrderField(field="parts", wire="parts", several=True),
        "group_by": OrderField(field="sets", wire="sets"),
    }
    assert order.filters == {
        # `export` has a parameter `output`.
        "output_": OrderField(field="output", wire="output", form="decimal"),
        "old": OrderField(field="old", wire="old", form="boolean"),
        "shops": OrderField(field="shops", wire="shops", form="int", several=True),
        "basis": OrderField(field="basis", wire="basis", values=("bought", "paid")),
    }
    assert types.OrderOptions.__optional_keys__ == {
        *("columns", "group_by", "output_", "old", "shops", "basis", "callback"),
    }
    assert service.PACKAGE.settings.job.poll_type == "text"  # the id is a number


def test_configured_filters_replace_the_derived_filters(workshop: Workshop) -> None:
    workshop.generated(document(_SCHEMA), tables=f'{_TABLES}filters = ["old"]\n')
    assert list(workshop.module("shop.service").PACKAGE.settings.order.filters) == ["old"]


_WRONG = {
    "first day": ('from = "begin"', 'from = "start"', "order.from = 'start': AskRequest does not have this field\n    [contracts.shop.order]\n    from = \"begin\" # [A] proposed: it was \"start\""),
    "first day of another type": ('from = "begin"', 'from = "old"', "order.from = 'old': AskRequest has a field of another type. Write: from = \"begin\""),
    "day in a structure": ("span/finish", "span/end", "order.to = 'span/end': AskRequest does not have this field\n    # contracts.shop.order.to: the contract has no 'span/end'"),
    "day below a field without fields": ("span/finish", "begin/finish", "order.to = 'begin/finish': AskRequest does not have this field"),
    "optional role": ('"sets"\nsep', '"group"\nsep', "AskRequest does not have this field. If the contract does not have such a field, remove the line"),
    "type that is a list": ('type = "kind"', 'type = "parts"', "order.type = 'parts': AskRequest has a field of another type"),
    "date that is no column": ('separator = ";"', 'default_date = "made"\n[.columns.big]\nbought = "xsd:date"', "order.default_date must be a column of an export (got 'made')"),
    "date that is no value": ('separator = ";"', 'date_type = "basis"\ndefault_date = "made"', "order.default_date must be one of: bought, paid (got 'made')"),
    "filter": ('separator = ";"', 'filters = ["colour"]', "order.filters[0]: AskRequest does not have the field 'colour'"),
    "order": ('order = "Ask"', 'order = "Buy"', "contracts.shop.job.order names 'Buy'; the contract has: Ask"),
    "list that is none": ('poll = "Ask"', 'poll = "Ask"\nlist = "Ask"', "job.list: the response of Ask is not a list"),
    "rows that are no number": ("[.refused", 'rows = "Job/price"\n[.refused', "job.rows: 'price' is not a whole number. Remove the line"),
}  # fmt: skip
# ruff: noqa: E501 - a table of cases, one per line


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("usual", "instead", "said"), _WRONG.values(), ids=_WRONG)
def test_role_of_a_wrong_type_is_a_problem(workshop: Workshop, usual: str, instead: str, said: str) -> None:
    assert _TABLES.count(usual) == 1
    assert said in workshop.refused(document(_SCHEMA), tables=_TABLES.replace(usual, instead))


def test_unfilled_required_field_is_a_problem(workshop: Workshop) -> None:
    schema = _SCHEMA.replace('"output" type="x:decimal" minOccurs="0"', '"output" type="x:decimal"')
    assert (
        "order: 'output' is required in an order, but it is neither a role nor a filter"
        in workshop.refused(document(schema), tables=f'{_TABLES}filters = ["old"]\n')
    )


def test_unsupported_or_unneeded_order_fields_are_noted(workshop: Workshop) -> None:
    schema = _SCHEMA.replace('name="span" type="t:Span"', 'name="span" type="t:Span" minOccurs="0"')
    tables = _TABLES.replace('"span/finish"', '"begin"').replace('group_by = "sets"\n', "")
    output = workshop.generated(document(schema), tables=tables)
    assert (
        "note: contracts.toml: contracts.shop.order: export does not offer the structure span. "
        "Add its fields to filters, such as span/finish, together with all other filters\n"
    ) in output
    assert (
        "note: contracts.toml: contracts.shop.order.separator: no effect, because neither the columns nor "
        "the groups are sent as one text. Remove the line\n"
    ) in output
