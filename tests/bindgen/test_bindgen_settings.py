"""Settings in contracts.toml must be valid, and the contract must have each name in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from bindgen.settings import SettingsError, read
from soapclient.runtime.settings import OrderField
from tests.bindgen.conftest import Workshop, document
from tests.support.cases import case_text

_SCHEMA = case_text(__file__, "settings.xsd")
_TABLES = case_text(__file__, "settings.toml")
# Part of the tables, its replacement, part of the message.
_UNKNOWN = {
    "operation that is safe": ('safe = ["Ask"]', 'safe = ["Asks"]', "contracts.shop.operations.safe: unknown operation 'Asks'"),
    "operation that is public": ("public = []", 'public = ["Asks"]', "contracts.shop.signing.public: no operation 'Asks'"),
    "type": ('"Job/price"', '"Jobs/price"', "contracts.shop.types.binary names 'Jobs/price'; the contract does not have this type"),
    "field": ('"Job/since"', '"Job/until"', "contracts.shop.types.day names 'Job/until'; the contract does not have this field"),
    "attribute": ('["Job/@id"]', '["Job/id"]', "contracts.shop.types.may_be_missing names 'Job/id'; the contract does not have this field"),
    "field that is no number": ('"Job/price"', '"Job/state"', "types.binary names 'state', which is not an xsd:float"),
    "field that is no time": ('"Job/since"', '"Job/state"', "types.day names 'state', which is not an xsd:dateTime"),
    "refused field of no request": ('"AskRequest/callback"', '"Ask/callback"', "contracts.shop.refused.fields: 'Ask' is not a request"),
    "refused field that is there": ('"AskRequest/callback"', '"AskRequest/question"', "declares 'question' itself"),
    "refused values of nothing": ('"AskRequest/question"]', '"AskRequest/query"]', "contracts.shop.refused.values names 'AskRequest/query'"),
    "refused values of a number": ('"AskRequest/question"]', '"AskRequest/page"]', "refused.values: AskRequest/page must be a field with a single text"),
    "signer's element": ('signature = "proof"', 'signature = "sign"', "contracts.shop.signing.signature: Ask declares who, time, once for authentication, but no element 'sign'"),
    "paging": ('page = "page"', 'page = "offset"', "contracts.shop.paging.page: the contract does not have the element 'offset'"),
    "paging of the response": ('total = "total"', 'total = "page"', "contracts.shop.paging.total: the contract does not have the element 'page'"),
    "fault": ('"Trouble"\ncode = "code"', '"Woe"\ncode = "number"', "contracts.shop.fault.element: the contract does not have the element 'Woe'"),
    "fault's child": ('error_id = "errorId"', 'error_id = "id"', "contracts.shop.fault.error_id: the contract does not have the element 'id'"),
    "job's operation": ('poll = "Ask"', 'poll = "Tell"', "contracts.shop.job.poll names 'Tell'"),
    "job's field": ('status = "Job/state"', 'status = "Job/phase"', "contracts.shop.job.status names 'Job/phase'; the contract does not have this field"),
    "column's type": ('click]\nid = "xsd:long"', 'click]\nid = "xsd:longs"', "contracts.shop.columns.click.id: unknown type 'xsd:longs'"),
    "group's type": ('"xsd:date"', '"xsd:dates"', "contracts.shop.groups.day: unknown type 'xsd:dates'"),
    "sum's type": ('"xsd:decimal"', '"decimals"', "contracts.shop.sums.click.most: unknown type 'decimals'"),
    "columns that are chosen from": ('["click", "view"]', '["click", "clicks"]', "contracts.shop.chosen.own: [columns] does not have 'clicks'"),
    "chosen column of two types": ('view]\nid = "xsd:long"', 'view]\nid = "xsd:int"', "contracts.shop.chosen.own: 'id' has the types xsd:long and xsd:int"),
}  # fmt: skip
_MALFORMED = {
    "section": ("[.download]", "[.downloads]", "contracts.shop.downloads is unknown; the sections are batch, chosen, columns, download, "),
    "key": ("delay = 0.5", "delays = 0.5\ndelay = 0.5", "contracts.shop.waiter.delays is unknown; the keys are delay, "),
    "missing key": ("delay = 0.5\n", "", "contracts.shop.waiter: delay is missing"),
    "missing role": ('nonce = "once"\n', "", "contracts.shop.signing: nonce is missing"),
    "no list": ('safe = ["Ask"]', 'safe = "Ask"', "contracts.shop.operations.safe must be a list, got 'Ask'"),
    "no text": ('order = "Ask"', "order = 7", "contracts.shop.job.order must be a text, got 7"),
    "no number": ("most = 50", 'most = "50"', "contracts.shop.paging.most must be a number, got '50'"),
    "no number but a bool": ("most = 50", "most = true", "contracts.shop.paging.most must be a number, got True"),
    "chosen from no list": ('["click", "view"]', '"click"', "contracts.shop.chosen.own must be a list, got 'click'"),
    "chosen from numbers": ('["click", "view"]', "[7]", "shop.chosen.own must be a list of texts, got [7]"),
    "group without a type": ('"xsd:date"', '["xsd:date"]', "contracts.shop.groups.day must be a text, got ['xsd:date']"),
    "no table": ("[.columns.click]\nid = ", "[.columns]\nclick = ", "contracts.shop.columns.click must be a table, got 'xsd:long'"),
    "list of something else": ('safe = ["Ask"]', "safe = [7]", "shop.operations.safe must be a list of texts, got [7]"),
    "separator of no characters": ("[.waiter]", '[.order]\nfrom = "a"\nto = "b"\ntype = "c"\nseparator = ""\n[.waiter]', "contracts.shop.order.separator must not be empty"),
    "no toml": ("[.types]", "[.types", "contracts.toml: "),
}  # fmt: skip
# ruff: noqa: E501 - tables of cases, one per line


def _refused(folder: Path, text: str) -> SettingsError:
    """Read contracts.toml with this text, which must fail. Return the error."""
    (folder / "contracts.toml").write_text(text)
    with pytest.raises(SettingsError) as caught:
        read(folder)
    return caught.value


def _document() -> str:
    fault = '<fault name="Trouble" message="t:Trouble"/></operation>\n  </portType>'
    message = '<message name="Trouble"><part name="p" element="t:Trouble"/></message>\n  <portType'
    text = document(_SCHEMA).replace("</operation>\n  </portType>", fault)
    return text.replace("<portType", message)


def test_base_tables_of_these_tests_are_valid(workshop: Workshop) -> None:
    signed = "signed, at the end of the message: who, time, once, proof: 1 operation (Ask)"
    said = workshop.generated(_document(), tables=_TABLES)
    assert said == f"shop 1: 8 of 8 files changed\n  {signed}\n"
    tables = workshop.module("shop.service").PACKAGE.settings
    job = (tables.job.order, tables.job.poll_id, tables.job.id, tables.job.rows)
    assert job == ("ask", "question", "id", None)
    assert (tables.paging.most, tables.waiter.waiting, tables.waiter.failed) == (50, {"new"}, frozenset())
    assert [(column.name, column.type) for column in tables.columns["click"]] == [("id", "xsd:long")]
    assert [(column.name, column.type) for column in tables.sums["click"]] == [("most", "xsd:decimal")]
    groups = [(column.name, column.type) for column in tables.groups]
    assert groups == [("day", "xsd:date"), ("first", "xsd:string"), ("fields", "xsd:string")]
    assert tables.chosen == {"own": ("click", "view")}
    assert tables.signing.roles["signature"] == "proof"
    assert (tables.fault.error_id, tables.fault.transient) == ("errorId", {503})


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("usual", "instead", "said"), _UNKNOWN.values(), ids=_UNKNOWN)
def test_unknown_name_is_a_problem(workshop: Workshop, usual: str, instead: str, said: str) -> None:
    assert _TABLES.count(usual) == 1
    assert said in workshop.refused(_document(), tables=_TABLES.replace(usual, instead))


@pytest.mark.parametrize(("usual", "instead", "said"), _MALFORMED.values(), ids=_MALFORMED)
def test_unused_settings_are_refused(workshop: Workshop, usual: str, instead: str, said: str) -> None:
    assert _TABLES.count(usual) == 1
    workshop.add("shop", _document(), tables=_TABLES)
    path = workshop.wsdl / "contracts.toml"
    usual, instead = (each.replace("[.", "[contracts.shop.") for each in (usual, instead))
    path.write_text(path.read_text().replace(usual, instead))
    refused = workshop.run("generate", code=2)
    assert said in refused.output
    assert not workshop.output.exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "is missing"),
        ("format = 3", "format must be 2, got 3"),
        ('format = 2\npackage = "a-b"', "must be a Python name, got"),
        ('format = 2\npackage = "class"', "must be a Python name, got"),
        ("format = 2\n[contracts]\nshop = 1", "contracts.shop must be a table, got 1"),
        ('format = 2\n[contracts.shop]\nversion = "1"', "contracts.shop requires the string url"),
        (
            'format = 2\n[contracts.shop]\nschema = "s.xsd"',
            "has only a schema, so it requires the string version",
        ),
        ('format = 2\n[contracts."a b"]\nversion = "1"\nurl = "u"', "must be a Python name, got"),
        ('format = 2\n[contracts.import]\nversion = "1"\nurl = "u"', "must be a Python name, got"),
        ('format = 2\n[contracts._runtime]\nversion = "1"\nurl = "u"', "must be a Python name, got"),
        ("format = 2\ncontracts = 7", "contracts must be a table"),
        ('format = 2\noutput = "a\\u0000"', "output must be a path, got"),
        ("\x00", "contracts.toml: "),
    ],
)
def test_broken_file_is_reported(tmp_path: Path, text: str | None, said: str) -> None:
    if text is not None:
        (tmp_path / "contracts.toml").write_text(text)
    with pytest.raises(SettingsError) as caught:
        read(tmp_path)
    assert said in str(caught.value)
    assert "contracts.toml" in str(caught.value)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"format = " + b"[" * 5000, "nested too deeply"),
        (b"a." * 500 + b"b = 1", "nested too deeply"),
        (b"format = " + b"9" * 4301, "Exceeds the limit"),
        (b"format = 2 # a\rb", "invalid character"),
        (b"\xff", "byte 0 is not UTF-8"),
    ],
)
def test_unreadable_content_is_a_settings_error(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "contracts.toml").write_bytes(content)
    with pytest.raises(SettingsError, match=said):
        read(tmp_path)


def test_a_file_that_cannot_be_read_is_a_settings_error(tmp_path: Path) -> None:
    (tmp_path / "contracts.toml").mkdir()
    with pytest.raises(SettingsError, match=r"contracts\.toml cannot be read: Is a directory"):
        read(tmp_path)
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(SettingsError, match=r"contracts\.toml cannot be read: Not a directory"):
        read(tmp_path / "file")


def test_settings_with_a_date_are_hashable(tmp_path: Path) -> None:
    (tmp_path / "contracts.toml").write_text(
        'format = 2\n[contracts.shop]\nversion = "1"\nurl = "https://shop.invalid/"\n'
        "[contracts.shop.download]\nfallback_path = 'a'\ncompression = 'b'\n[contracts.shop.sums.click]\nday = 2026-11-01\n",
        encoding="utf-8",
    )
    assert len(read(tmp_path).contract("shop").sha256) == 64


def test_all_format_problems_are_reported_together(tmp_path: Path) -> None:
    error = _refused(
        tmp_path,
        'format = 2\npackage = "a-b"\n[contracts.one]\nurl = "u"\n[contracts.one.operations]\nsafe = 1\n'
        "[contracts.one.rest.Ask]\nmethod = 'LOOK'\npath = '/a'\nquery = { a = 7, b = 'b' }\n"
        "[contracts.two]\nversion = '1'\nurl = 'u'\n[contracts.two.wait]\n[contracts.two.signing]\nscheme = 1\n",
    )
    problems = [each.removeprefix(f"{tmp_path / 'contracts.toml'}: ") for each in error.problems]
    assert [each for each in problems if "two.signing: " not in each] == [
        "package must be a Python name, got 'a-b'",
        "contracts.one.operations.safe must be a list, got 1",
        "contracts.one.rest.Ask.method must be one of GET, POST, PUT, DELETE, got 'LOOK'",
        "contracts.one.rest.Ask.query.a must be an element's name, or a table with field and, if needed, separator, spelling and optional, got 7",
        problems[4],
        "contracts.two.signing.scheme must be a text, got 1",
    ]
    assert problems[4].startswith("contracts.two.wait is unknown; the sections are batch, ")
    # There is no scheme 1, so its roles are not known.
    others = [each for each in problems if "two.signing: " in each]
    assert others == ["contracts.two.signing: service_name is missing"]


def test_a_file_of_format_1_is_refused_with_the_lines_to_change(tmp_path: Path) -> None:
    error = _refused(
        tmp_path,
        'format = 1\n[contracts.one]\nversion = "1"\nurl = "u"\n[contracts.one.signing]\nservice_name = "s"\n'
        '[contracts.two]\nversion = "1"\nurl = "u"\n[contracts.two.job]\norder = "Order"\n',
    )
    expected = case_text(__file__, "format-1.txt").replace("PATH", str(tmp_path / "contracts.toml"))
    assert f"{error}\n" == expected


# ---- the fields of an order are found by role; if a field does not fit, the problem lists suitable ones

_ORDERS = case_text(__file__, "orders.xsd")
_ORDER_TABLES = case_text(__file__, "orders.toml")


def test_order_fields_come_from_the_settings(workshop: Workshop) -> None:
    assert "note: " not in workshop.generated(document(_ORDERS), tables=_ORDER_TABLES)
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
    optional = {"columns", "group_by", "output_", "old", "shops", "basis", "callback"}
    assert types.OrderOptions.__optional_keys__ == optional
    assert service.PACKAGE.settings.job.poll_type == "text"  # the id is a number


def test_configured_filters_replace_the_derived_filters(workshop: Workshop) -> None:
    workshop.generated(document(_ORDERS), tables=f'{_ORDER_TABLES}filters = ["old"]\n')
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


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("usual", "instead", "said"), _WRONG.values(), ids=_WRONG)
def test_role_of_a_wrong_type_is_a_problem(workshop: Workshop, usual: str, instead: str, said: str) -> None:
    assert _ORDER_TABLES.count(usual) == 1
    assert said in workshop.refused(document(_ORDERS), tables=_ORDER_TABLES.replace(usual, instead))


def test_unfilled_required_field_is_a_problem(workshop: Workshop) -> None:
    schema = _ORDERS.replace('"output" type="x:decimal" minOccurs="0"', '"output" type="x:decimal"')
    refused = workshop.refused(document(schema), tables=f'{_ORDER_TABLES}filters = ["old"]\n')
    assert "order: 'output' is required in an order, but it is neither a role nor a filter" in refused


def test_unsupported_or_unneeded_order_fields_are_noted(workshop: Workshop) -> None:
    schema = _ORDERS.replace('name="span" type="t:Span"', 'name="span" type="t:Span" minOccurs="0"')
    tables = _ORDER_TABLES.replace('"span/finish"', '"begin"').replace('group_by = "sets"\n', "")
    output = workshop.generated(document(schema), tables=tables)
    assert (
        "note: contracts.toml: contracts.shop.order: export does not offer the structure span. "
        "Add its fields to filters, such as span/finish, together with all other filters\n"
    ) in output
    assert (
        "note: contracts.toml: contracts.shop.order.separator: no effect, because neither the columns nor "
        "the groups are sent as one text. Remove the line\n"
    ) in output
