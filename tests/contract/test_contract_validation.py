"""Validation errors of invalid messages, and the messages for invalid schemas. Compared with libxml2."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from lxml import etree

from soapclient.contract import explanations, validation
from soapclient.contract.validation import Checks, checks_of
from soapclient.errors import ContractError, ResponseError
from soapclient.runtime.schema import wrapper_tag

XSD = "http://www.w3.org/2001/XMLSchema"
XSI = "http://www.w3.org/2001/XMLSchema-instance"


def schema(inside: str, space: str = "") -> bytes:
    target = f' targetNamespace="{space}" xmlns="{space}" elementFormDefault="qualified"' if space else ""
    return f'<x:schema xmlns:x="{XSD}"{target}>{inside}</x:schema>'.encode()


def asked(inside: str, attributes: str = "") -> str:
    return (
        f'<x:element name="Ask"><x:complexType><x:sequence>{inside}</x:sequence>{attributes}'
        "</x:complexType></x:element>"
    )


def refused(judge: Checks, text: str) -> ContractError:
    with pytest.raises(ContractError) as caught:
        judge.check_request([etree.fromstring(text)], "Ask")
    return caught.value


# Two branches that begin alike: XSD forbids it, and libxml2 does not compile it.
AMBIGUOUS = """<x:choice><x:sequence><x:element name="n" type="x:int"/></x:sequence>
    <x:sequence><x:element name="n" type="x:int"/><x:element name="m" type="x:int"/></x:sequence>
    </x:choice>"""


def test_messages_without_a_namespace_are_checked() -> None:
    for document in (schema(asked('<x:element name="n" type="x:int"/>')), schema(asked(AMBIGUOUS))):
        judge = checks_of([document])
        judge.check_request([etree.fromstring("<Ask><n>1</n></Ask>")], "Ask")
        error = refused(judge, "<Ask><n>x</n></Ask>")
        assert (error.path, error.value) == ("Ask/n", "'x'")
        judge.check_request([etree.fromstring('<Ask xmlns="urn:other"/>')], "Ask")  # undeclared


def test_rpc_wrapper_is_validated_as_its_substitute() -> None:
    """A wrapper that has the name of a global element is declared in another namespace."""
    parameter = '<x:element name="n" type="x:anySimpleType"/>'
    inside = asked(parameter, '<x:attribute name="c" use="required"/>')
    wrapper = schema(inside, wrapper_tag("{urn:a}Ask")[1:-4]).replace(b' elementFormDefault="qualified"', b"")
    checks = checks_of([schema(asked('<x:element name="n" type="x:int"/>'), "urn:a"), wrapper])
    element = etree.fromstring('<Ask xmlns="urn:a"><n>1</n></Ask>')
    call = etree.fromstring(
        f'<a:Ask xmlns:a="urn:a" xmlns:s="{XSD}" c=""><n xmlns:i="{XSI}" i:type="s:boolean">true</n></a:Ask>'
    )
    checks.check_request([element], "Ask")
    checks.check_request([call], "Ask", rpc=True)
    for message, rpc in ((element, True), (call, False)):
        with pytest.raises(ContractError):
            checks.check_request([message], "Ask", rpc=rpc)
    del call.attrib["c"]
    with pytest.raises(ContractError, match=r"^Ask: @c is required"):
        checks.check_request([call], "Ask", rpc=True)


def test_reasons_use_element_names_without_namespaces() -> None:
    """The namespaces of schema and message are removed. Other braces stay."""
    judge = checks_of([schema(asked('<x:element name="n" type="x:int"/>'), "urn:a")])
    error = refused(judge, '<Ask xmlns="urn:a"><k xmlns="urn:b"/></Ask>')
    assert "{urn:" not in str(error)
    assert "Element 'k'" in str(error)
    lenient = checks_of([schema(asked(AMBIGUOUS) + '<x:element name="Other" type="x:int"/>', "urn:a")])
    assert "{urn:" not in str(refused(lenient, '<Ask xmlns="urn:a"><n>x</n></Ask>'))


@pytest.mark.parametrize(
    ("least", "most", "times", "allowed", "occurs", "bound"),
    [
        (2, "unbounded", 1, "2 or more elements", "once", "at least 2 (minOccurs)"),
        (3, "unbounded", 2, "3 or more elements", "2 times", "at least 3 (minOccurs)"),
        (0, "2", 3, "0 to 2 elements", "3 times", "at most 2 (maxOccurs)"),
        (2, "3", 4, "2 to 3 elements", "4 times", "at most 3 (maxOccurs)"),
    ],
)
def test_too_many_or_too_few_elements_are_counted(
    least: int, most: str, times: int, allowed: str, occurs: str, bound: str
) -> None:
    inside = f'<x:element name="n" type="x:int" minOccurs="{least}" maxOccurs="{most}"/>'
    error = refused(checks_of([schema(asked(inside))]), f"<Ask>{'<n>1</n>' * times}</Ask>")
    assert (error.path, error.allowed) == ("Ask/n", allowed)
    assert f"it occurs {occurs}, but the contract allows {bound}" in str(error)


@pytest.mark.parametrize(
    ("wrong", "path"),
    [
        ('<line by="x"/>', "Ask/lines/line/@by"),
        ('<line by="1"/><line by="x"/>', "Ask/lines/line/@by"),
        ('<line by="1" of="y"/>', "Ask/lines/line/@of"),
        ("<line/>", "Ask/lines/line/@by"),
    ],
)
def test_attribute_errors_have_the_full_path(wrong: str, path: str) -> None:
    line = """<x:element name="lines"><x:complexType><x:sequence><x:element name="line" maxOccurs="9">
        <x:complexType><x:attribute name="by" type="x:int" use="required"/></x:complexType></x:element>
        </x:sequence></x:complexType></x:element>"""
    text = f"<Ask><lines>{wrong}</lines></Ask>"
    judge = checks_of([schema(asked(line))])
    assert refused(judge, text).path == path
    envelope = etree.fromstring(f'<e:E xmlns:e="urn:e"><e:B>{text}</e:B></e:E>')
    with pytest.raises(ResponseError) as caught:  # the path starts at the message, wherever it is
        judge.check_response([envelope[0][0]], "Ask")
    assert caught.value.path == path


@pytest.mark.parametrize("inside", ['<x:element name="n" type="x:anyType"/>', AMBIGUOUS])
def test_undeclared_type_error_says_what_is_allowed_and_why(inside: str) -> None:
    judge = checks_of([schema(asked(inside))])
    error = refused(judge, f'<Ask xmlns:i="{XSI}"><n i:type="New">1</n></Ask>')
    assert (error.path, error.value) == ("Ask/n/@type", "'New'")
    assert error.allowed == "a type of the contract that is derived from the declared type"
    reason = str(error).partition(": ")[2].partition(": ")[2].partition(" (got")[0]
    if judge.trouble:
        assert reason == "the type in xsi:type is not a type of the contract"
    else:
        assert "'New' of the xsi:type attribute does not resolve" in reason  # libxml2's text


def test_problem_of_an_invalid_schema_says_what_is_still_validated() -> None:
    partly = checks_of([schema(asked(AMBIGUOUS))])
    assert partly.trouble.startswith("libxml2 cannot compile the schemas, so only values are checked: ")
    assert "not determinist" in partly.trouble  # libxml2's own text
    broken = schema('<x:element name="Ask" type="x:none"/><x:element name="Ask"><x:oops/></x:element>')
    large = schema(asked(AMBIGUOUS) + f"<!--{'x' * (128 << 10)}-->")  # too large to check in time
    for document, checked in ((broken, "only values are checked"), (large, "messages are not checked")):
        judge = checks_of([document], compiles=False)
        reason = "the schemas are invalid or too large"
        assert judge.trouble == f"libxml2 cannot compile the schemas, so {checked}: {reason}"
        judge.check_request([etree.fromstring("<Ask><n>x</n></Ask>")], "Ask")


def test_schema_that_no_library_compiles_leaves_messages_unchecked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(validation, "compile_leniently", lambda *_: None)
    checks = Checks(validation._schemas_in([schema(asked(AMBIGUOUS))]))
    assert "so messages are not checked: " in checks.trouble
    checks.check_request([etree.fromstring("<Ask><n>x</n></Ask>")], "Ask")


@pytest.mark.parametrize("keys", [False, True])
@pytest.mark.parametrize(
    ("width", "attributes", "depth", "small"),
    [
        (1, 141, 1, (True, True)),  # 1 + 1 + 141 ** 2
        (1, 142, 1, (False, False)),
        (2, 99, 1, (True, True)),
        (1, 0, 198, (True, True)),  # with keys: 1 + 198, and the sum of 1 to 198
        (1, 0, 200, (True, False)),
    ],
)
def test_size_of_a_message_grows_with_attributes_and_with_depth_if_there_are_keys(
    width: int, attributes: int, depth: int, small: tuple[bool, bool], keys: bool
) -> None:
    written = " ".join(f'a{number}=""' for number in range(attributes))
    message = etree.fromstring(f"<m>{(f'<n {written}>' * depth + '</n>' * depth) * width}</m>")
    assert explanations._is_small(message, keys=keys) == small[keys]


def test_entities_of_a_document_are_not_expanded(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("<x:none/>", encoding="utf-8")
    declared = f'<!DOCTYPE d [<!ENTITY e SYSTEM "{file.as_uri()}">]>'.encode()
    judge = checks_of([declared + schema("&e;" + asked('<x:element name="n" type="x:int"/>'))])
    assert "Entity 'e' not defined" in judge.trouble
    assert "none" not in judge.trouble


@pytest.mark.parametrize("more", [0, 1])
def test_xmlschema_is_used_for_messages_up_to_a_size(more: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # The message, and two elements with one attribute.
    monkeypatch.setattr(explanations, "_MOST_EFFORT", 1 + 2 + 2)
    asked_for: list[object] = []
    first = explanations.first_error

    def counted(*given: object) -> object:
        asked_for.append(given)
        return first(*given)  # type: ignore[arg-type]  # the same arguments

    monkeypatch.setattr(explanations, "first_error", counted)
    inside = '<x:element name="n" maxOccurs="9" type="x:anyType"/><x:element name="k" type="x:int"/>'
    judge = Checks([etree.fromstring(schema(asked(inside)))])
    refused(judge, f"<Ask>{'<n/>' * more}" + '<n a="1"/><n a="1"/></Ask>')
    assert len(asked_for) == 1 - more


@pytest.mark.parametrize(
    ("inside", "text", "path", "allowed"),
    [
        ('<x:element name="n" type="x:int"/>', "<n>x</n>", "Ask/n", "a value of type xsd:int"),
        ('<x:element name="n" type="Small"/>', "<n>x</n>", "Ask/n", "a value of type Small"),
        ('<x:element name="n"/>', "<m/>", "Ask/m", "n"),
        ('<x:choice><x:element name="n"/><x:element name="k"/></x:choice>', "<m/>", "Ask/m", "one of n, k"),
    ],
)
def test_libxml2_message_is_used_without_xmlschema(
    inside: str, text: str, path: str, allowed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(explanations, "_MOST_EFFORT", 0)  # every message exceeds the limit
    small = '<x:simpleType name="Small"><x:restriction base="x:int"/></x:simpleType>'
    error = refused(Checks([etree.fromstring(schema(asked(inside) + small))]), f"<Ask>{text}</Ask>")
    assert (error.path, error.allowed) == (path, allowed)


def test_complex_element_is_shown_by_its_name() -> None:
    inside = '<x:element name="n" type="x:int" minOccurs="0"/>'
    error = refused(checks_of([schema(asked(inside))]), "<Ask><m><k>1</k></m></Ask>")
    assert (error.path, error.value) == ("Ask/m", "'<m>…'")


# Messages whose structure is valid but whose values are checked only by xmlschema.
BY = '<x:attribute name="by" type="x:int"/>'
LINE = f'<x:element name="line"><x:complexType>{BY}</x:complexType></x:element>'
TELL = f'<x:element name="Tell"><x:complexType><x:sequence>{LINE}</x:sequence></x:complexType></x:element>'
KIND = '<x:complexType name="Kind"><x:attribute name="by" type="x:int" use="required"/></x:complexType>'
TWO = [schema(asked(AMBIGUOUS, BY), "urn:a"), schema(TELL + KIND, "urn:b")]


@pytest.mark.parametrize(
    ("text", "path", "value"),
    [
        ('<Ask xmlns="urn:a" by="x"><n>1</n></Ask>', "Ask/@by", "'x'"),
        ('<Tell xmlns="urn:b"><line by="x"/></Tell>', "Tell/line/@by", "'x'"),
    ],
)
def test_values_are_checked_if_libxml2_compiles_no_schema(text: str, path: str, value: str) -> None:
    judge = checks_of(TWO)
    assert "only values are checked" in judge.trouble
    for right in (text.replace('"x"', '"1"'), '<Kind xmlns="urn:b" by="x"/>'):  # a type is not an element
        judge.check_request([etree.fromstring(right)], "Ask")
        judge.check_response([etree.fromstring(right)], "Ask")
    error = refused(judge, text)
    assert (error.path, error.value, error.operation) == (path, value, "Ask")
    with pytest.raises(ResponseError) as caught:
        judge.check_response([etree.fromstring(text)], "Ask")
    assert (caught.value.path, caught.value.operation) == (path, "Ask")


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("inside", "text", "owner"),
    [
        ('<x:element name="k">{}</x:element>', "<k>{}</k>", "element k"),
        (
            '<x:element name="k"><x:complexType><x:attribute name="v">{}</x:attribute></x:complexType>'
            "</x:element>",
            '<k v="{}"/>',
            "attribute v",
        ),
    ],
)
def test_log_names_the_owner_of_the_pattern(
    inside: str, text: str, owner: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    dear = "((((a{1,30}){1,30}){1,30}){1,30})b"
    kind = f'<x:restriction base="x:string"><x:pattern value="{dear}"/></x:restriction>'
    other = AMBIGUOUS.replace("<x:choice>", '<x:choice minOccurs="0">')
    content = other + inside.format(f"<x:simpleType>{kind}</x:simpleType>")
    judge = Checks([etree.fromstring(schema(asked(content)))])
    assert "only values" in judge.trouble
    judge.check_request([etree.fromstring(f"<Ask>{text.format('a' * 40)}</Ask>")], "Ask")
    (said,) = [record.getMessage() for record in caplog.records]
    assert said.startswith(f"the pattern {dear!r} of {owner} ")


KEYS = """<x:element name="Ask"><x:complexType><x:sequence><x:element name="n" maxOccurs="9"><x:complexType>
    <x:attribute name="k"/><x:attribute name="r"/></x:complexType></x:element></x:sequence></x:complexType>
    <x:key name="i"><x:selector xpath="n"/><x:field xpath="@k"/></x:key>
    <x:keyref name="j" refer="i"><x:selector xpath="n"/><x:field xpath="@r"/></x:keyref></x:element>"""


@pytest.mark.parametrize("others", ["", asked(AMBIGUOUS).replace('"Ask"', '"Other"')])
@pytest.mark.parametrize(
    ("items", "message"),
    [
        ('<n k="1"/><n k="1"/>', "n: a value occurs twice (allowed: unique values (key 'i'))."),
        ('<n k="1"/><n/>', "n: @k is required, because it is part of a key."),
        (
            '<n k="1" r="7"/>',
            "Ask: no element has the value that it refers to (allowed: a value of the key 'i').",
        ),
    ],
)
def test_a_violated_key_is_explained(items: str, message: str, others: str) -> None:
    """libxml2 does not compile the schema with the additional element, so only xmlschema validates."""
    judge = checks_of([schema(KEYS + others)])
    assert str(refused(judge, f"<Ask>{items}</Ask>")) == f"Ask: {message} Nothing was sent."
