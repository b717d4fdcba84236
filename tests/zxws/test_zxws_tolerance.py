"""Unknown parts of a response are counted. Errors that would corrupt data raise with their path.

Tests that visit every node compare with lxml's validation of the change.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import pytest
from lxml import etree

from soapclient.runtime import CountingReader, DecodeError, Finding
from zxws.publisher.service import GET_SALES, GET_SETTING
from zxws.publisher.types import ReviewState, SaleItem

# A list with its items and enumerations, a report with groups of groups, and attributes next to elements.
OPERATIONS: Final = [("publisher", "GetSales"), ("publisher", "GetReportBasic"), ("data", "GetJobs")]

if TYPE_CHECKING:
    from tests.support.schemas import Texts
    from tests.zxws.conftest import Contract

_XSI = "http://www.w3.org/2001/XMLSchema-instance"


def _steps(node: etree._Element, *, index: bool) -> str:
    """Return the path of a node, determined from the document only."""
    parent = node.getparent()
    name = etree.QName(node).localname
    if parent is None:
        return name
    twins = parent.findall(str(node.tag))
    if index and len(twins) > 1:
        name += f"[{twins.index(node) + 1}]"
    return f"{_steps(parent, index=index)}/{name}"


@lru_cache
def _may_be_missing(contract: Contract) -> frozenset[str]:
    toml = tomllib.loads((contract.path.parents[2] / "contracts.toml").read_text())
    return frozenset(toml["contracts"][contract.name]["types"]["may_be_missing"])


def _type_of(contract: Contract, node: etree._Element) -> str:
    """Return the name of the schema type of a node that the schema declares."""
    parent = node.getparent()
    name = etree.QName(node).localname
    if parent is None:
        return contract.declaration(name).get("type", "").removeprefix("tns:")
    kind = contract.types[_type_of(contract, parent)]
    (declared,) = (each for each in kind.iter("{*}element") if each.get("name") == name)
    return declared.get("type", "").removeprefix("tns:")


_TEXTS = {"string", "normalizedString", "token"}


def _may_be_mixed(contract: Contract, node: etree._Element) -> bool:
    """Return True if a node may contain an unknown element: it has structure, or its value is a string."""
    kind = _type_of(contract, node)
    while (declared := contract.types.get(kind)) is not None:
        if declared.find(".//{*}enumeration") is not None or declared.find(".//{*}element") is not None:
            return True
        step = next((each for each in declared.iter("{*}restriction", "{*}extension")), None)
        if step is None:
            return True  # a type without content
        kind = step.get("base", "").removeprefix("tns:")
    return kind.rpartition(":")[2] in _TEXTS


class _Response:
    """A complete response, its operation's decoder, and the decoded value."""

    def __init__(self, contract: Contract, operation: str, texts: Texts) -> None:
        _, element = contract.messages[operation]
        self.contract = contract
        self.root = contract.instances(f"tolerance {operation}", "full", texts).message(element)
        self.nodes = list(self.root.iter())
        self._decode = contract.operation(operation).read_response
        self.value, self.findings = self.read()

    def read(self) -> tuple[object, Counter[Finding]]:
        """Return the value, and the findings except times without a zone."""
        reader = CountingReader()
        value = self._decode(self.root, reader)
        return value, Counter({f: n for f, n in reader.findings.items() if f.kind != "naive-time"})

    def valid(self) -> bool:
        return self.contract.validator.validate(self.root)


@pytest.fixture
def response(
    the_contract: Contract, contract_name: str, operation_name: str, finite_texts: Texts
) -> _Response:
    return _Response(the_contract, operation_name, finite_texts)  # NaN is not equal to itself


def test_unknown_attributes_on_every_element_are_counted(response: _Response) -> None:
    for node in response.nodes:
        node.set("surprise", "1")
    value, findings = response.read()
    assert findings == Counter(
        Finding("attribute", f"{_steps(node, index=False)}/@surprise", "") for node in response.nodes
    )
    assert value == response.value


def test_unknown_elements_in_every_element_are_counted_and_texts_kept(response: _Response) -> None:
    space = f"{{{response.contract.namespace}}}"
    nodes = [node for node in response.nodes if _may_be_mixed(response.contract, node)]
    for node in nodes:
        etree.SubElement(node, f"{space}surprise").text = "1"
    value, findings = response.read()
    assert findings == Counter(
        Finding("element", f"{_steps(node, index=False)}/surprise", "") for node in nodes
    )
    assert value == response.value


@pytest.mark.sampled(2)
def test_an_element_in_a_number_or_a_date_is_an_error(response: _Response) -> None:
    """The value of `11<a/>` is unclear, and `11<a/>21` must not become 1121."""
    for node in response.nodes:
        if _may_be_mixed(response.contract, node):
            continue
        for tail in ("", "21"):
            inside = etree.SubElement(node, "surprise")
            inside.tail = tail
            with pytest.raises(DecodeError) as caught:
                response.read()
            assert caught.value.path == _steps(node, index=True)
            assert f"<surprise/>{tail}" in str(caught.value.value)
            node.remove(inside)
    assert response.read() == (response.value, Counter())


def test_comments_and_processing_instructions_are_ignored(response: _Response) -> None:
    for node in response.nodes:
        text = node.text or ""
        node.text, rest = text[: len(text) // 2], text[len(text) // 2 :]
        comment, instruction = etree.Comment("no <data>"), etree.ProcessingInstruction("no", "data")
        node.insert(0, comment)
        comment.tail = rest[: len(rest) // 2]
        node.insert(1, instruction)
        instruction.tail = rest[len(rest) // 2 :]
    assert response.read() == (response.value, Counter())


def test_cdata_sections_read_as_their_text(response: _Response) -> None:
    for node in response.nodes:
        if node.text and "]]>" not in node.text:
            node.text = etree.CDATA(node.text)
    assert b"<![CDATA[" in etree.tostring(response.root) or all(not node.text for node in response.nodes)
    assert response.read() == (response.value, Counter())


def test_the_order_of_elements_does_not_matter(response: _Response) -> None:
    for node in response.nodes:
        order = {str(child.tag): at for at, child in enumerate(node)}
        node[:] = sorted(node, key=lambda child: -order[str(child.tag)])  # repeated elements keep their order
    assert response.read() == (response.value, Counter())


@pytest.mark.sampled(2)
def test_omitted_element_is_optional_or_an_error_with_its_path(response: _Response) -> None:
    for node in response.nodes[1:]:
        parent = node.getparent()
        assert parent is not None
        at = parent.index(node)
        parent.remove(node)
        _judge(response, parent, etree.QName(node).localname)
        parent.insert(at, node)
    for node in response.nodes:
        for name, text in list(node.attrib.items()):
            del node.attrib[name]
            _judge(response, node, f"@{name}")
            node.set(name, text)
    assert response.read() == (response.value, Counter())


def _judge(response: _Response, parent: etree._Element, name: str) -> None:
    if response.valid():
        _, findings = response.read()
        assert not findings
    elif f"{_type_of(response.contract, parent)}/{name}" in _may_be_missing(response.contract):
        _, findings = response.read()
        assert findings == {Finding("missing", f"{_steps(parent, index=False)}/{name}", ""): 1}
    else:
        with pytest.raises(DecodeError) as caught:
            response.read()
        assert caught.value.path == f"{_steps(parent, index=True)}/{name}"
        assert caught.value.value is None


def test_repeated_element_is_a_list_or_an_error_with_its_path(response: _Response) -> None:
    for node in response.nodes[1:]:
        twin = etree.fromstring(etree.tostring(node, with_tail=False))
        node.addnext(twin)
        if response.valid():
            _, findings = response.read()
            assert not findings
        else:
            with pytest.raises(DecodeError) as caught:
                response.read()
            assert caught.value.path == f"{_steps(twin, index=True)}"
            assert "at most one" in str(caught.value)
        parent = twin.getparent()
        assert parent is not None
        parent.remove(twin)


def test_every_unknown_enumeration_value_stays_a_text_and_is_counted(response: _Response) -> None:
    for node in response.nodes:
        kind = response.contract.types.get(_type_of(response.contract, node))
        if kind is None or etree.QName(kind).localname != "simpleType":
            continue
        usual, node.text = node.text, "from the future"
        _, findings = response.read()
        assert findings == {Finding("value", _steps(node, index=False), "from the future"): 1}
        node.text = usual


# ---- single cases, by hand

_SALE = """<saleItem id="{id}"><reviewState>open</reviewState><adspace id="1">a</adspace>
<admedium id="2">b</admedium><program id="3">c</program><clickId>1</clickId><clickInId>2</clickInId>
<amount>{amount}</amount><commission>0.5</commission><currency>EUR</currency>{more}</saleItem>"""


def _sales(publisher: Contract, *sales: str) -> etree._Element:
    """Return a response in its envelope. Paths must omit the envelope."""
    body = f"""<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsi="{_XSI}"><s:Body>
    <GetSalesResponse xmlns="{publisher.namespace}"><page>0</page><items>2</items><total>2</total>
    <saleItems>{"".join(sales)}</saleItems></GetSalesResponse></s:Body></s:Envelope>"""
    return etree.fromstring(body)[0][0]


def _sale(amount: str = "1.50", more: str = "") -> str:
    return _SALE.format(id="x", amount=amount, more=more)


@pytest.mark.parametrize(
    ("usual", "changed", "path", "value"),
    [
        ("1.50", "1,50", "amount", "1,50"),
        ("1.50", "", "amount", ""),
        ("1.50", "1_0", "amount", "1_0"),
        ("<amount>", '<amount xsi:nil="true">', "amount", "xsi:nil"),
        ("<currency>", '<currency xsi:nil="1">', "currency", "xsi:nil"),
        ("</saleItem>", '<gpps xsi:nil="true"/></saleItem>', "gpps", "xsi:nil"),
        ('<adspace id="1">a</adspace>', '<adspace id="1" xsi:nil="true"/>', "adspace", "xsi:nil"),
        ("<clickId>1</clickId>", "", "clickId", None),
        ("<clickId>", '<clickId xmlns="urn:other">', "clickId", None),
        ('<program id="3">', "<program>", "program/@id", None),
        ('id="3"', 'id="three"', "program/@id", "three"),
        ("</saleItem>", "<amount>9</amount></saleItem>", "amount[2]", "9"),
        ("</saleItem>", "<gpps><gpp>no id</gpp></gpps></saleItem>", "gpps/gpp/@id", None),
    ],
)
def test_corrupting_values_are_errors_with_their_path(
    publisher: Contract, usual: str, changed: str, path: str, value: str | None
) -> None:
    second = _sale().replace(usual, changed)
    path = f"GetSalesResponse/saleItems/saleItem[2]/{path}"
    with pytest.raises(DecodeError) as caught:
        GET_SALES.read_response(_sales(publisher, _sale(), second), CountingReader())
    assert (caught.value.path, caught.value.value) == (path, value)
    assert str(caught.value).startswith(
        f"{path}: found {'nothing' if value is None else repr(value)}, expected "
    )


def _read(publisher: Contract, *sales: str) -> tuple[list[SaleItem], dict[Finding, int]]:
    """Return the items of a response, and the findings."""
    reader = CountingReader()
    items = GET_SALES.read_response(_sales(publisher, *sales), reader).sale_items
    assert items is not None
    return items, dict(reader.findings)


def test_findings_add_up_under_one_path_without_indexes(publisher: Contract) -> None:
    news = "<news>1</news><news>2</news>"
    items, findings = _read(publisher, _sale(more=news), _sale(), _sale(more=news))
    assert findings == {Finding("element", "GetSalesResponse/saleItems/saleItem/news", ""): 4}
    assert [sale.amount for sale in items] == [Decimal("1.50")] * 3


def test_an_element_of_another_namespace_is_unknown(publisher: Contract) -> None:
    items, findings = _read(publisher, _sale(more='<reviewNote xmlns="urn:other">no</reviewNote>'))
    assert findings == {Finding("element", "GetSalesResponse/saleItems/saleItem/reviewNote", ""): 1}
    assert items[0].review_note is None


def test_unknown_element_in_a_list_is_counted_and_not_an_item(publisher: Contract) -> None:
    items, findings = _read(publisher, _sale(), "<hint>more to come</hint>", _sale())
    assert findings == {Finding("element", "GetSalesResponse/saleItems/hint", ""): 1}
    assert len(items) == 2


def test_text_around_a_child_in_a_text_is_kept(publisher: Contract) -> None:
    note = "<reviewNote>one <b>not this</b>two<!-- nor this --> three</reviewNote>"
    items, findings = _read(publisher, _sale("1<!-- in -->2.5<?and out?>0", more=note))
    assert items[0].review_note == "one two three"
    assert str(items[0].amount) == "12.50"
    assert findings == {Finding("element", "GetSalesResponse/saleItems/saleItem/reviewNote/b", ""): 1}


def test_enumerations_split_by_a_child_are_errors(publisher: Contract) -> None:
    with pytest.raises(DecodeError, match=r"saleItem/reviewState.*op<a/>en"):
        _read(publisher, _sale().replace(">open<", ">op<a/>en<"))
    items, findings = _read(publisher, _sale().replace(">open<", ">open<a/><"))
    assert items[0].review_state is ReviewState.OPEN
    assert findings == {Finding("element", "GetSalesResponse/saleItems/saleItem/reviewState/a", ""): 1}


def test_known_and_unknown_values_of_an_enumeration(publisher: Contract) -> None:
    items, findings = _read(publisher, _sale(), _sale().replace(">open<", ">Open<"))
    known, unknown = (sale.review_state for sale in items)
    assert known is ReviewState.OPEN
    assert unknown == "Open"
    assert not isinstance(unknown, ReviewState)
    assert findings == {Finding("value", "GetSalesResponse/saleItems/saleItem/reviewState", "Open"): 1}


def test_xml_and_xsi_attributes_are_not_counted(publisher: Contract) -> None:
    items, findings = _read(publisher, _sale().replace("<amount>", '<amount xsi:type="double">'))
    assert items[0].amount == Decimal("1.50")
    assert findings == {}


def test_empty_default_is_not_a_missing_default(publisher: Contract) -> None:
    """In XSD a default replaces an empty element, never an absent one."""
    xml = f"""<GetSettingResponse xmlns="{publisher.namespace}"><settingItem>
    <application id="a">A</application><key>k</key>{{}}</settingItem></GetSettingResponse>"""
    absent = GET_SETTING.read_response(etree.fromstring(xml.format("")), CountingReader())
    empty = GET_SETTING.read_response(etree.fromstring(xml.format("<mandatory/>")), CountingReader())
    assert (absent.setting_item.mandatory, empty.setting_item.mandatory) == (None, False)


def test_errors_show_only_a_short_part_of_a_value(publisher: Contract) -> None:
    with pytest.raises(DecodeError) as caught:
        _read(publisher, _sale("9" * 5000 + "!"))
    assert len(str(caught.value)) < 300
    assert caught.value.value == "9" * 5000 + "!"


def test_memory_for_unknown_values_is_bounded(publisher: Contract) -> None:
    def times(state: str) -> list[int]:
        sales = [_sale().replace("<reviewState>open", f"<reviewState>{state}{at}") for at in range(300)]
        return sorted(_read(publisher, *sales)[1].values())

    assert times("x" * 500) == [300]  # they have the same beginning, and only the beginning is kept
    assert times("state ") == [1] * 50 + [250]
