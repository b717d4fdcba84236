"""Validation of the messages of any contract: with libxml2, with xmlschema, or without a validator."""

from __future__ import annotations

import logging
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from lxml import etree
from xmlschema import XMLSchema, XMLSchemaValidationError

from soapclient.contract.explanations import first_error
from soapclient.contract.patterns import Pattern
from soapclient.contract.validation import Checks, checks_of
from soapclient.errors import ConfigError, ContractError, ResponseError

XSD = "http://www.w3.org/2001/XMLSchema"


def wsdl(*schemas: str) -> bytes:
    """Return a WSDL around schemas. Declares their prefixes."""
    return f"""<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:x="{XSD}" xmlns:b="urn:b">
        <types>{"".join(schemas)}</types></definitions>""".encode()


def message(text: str) -> etree._Element:
    return etree.fromstring(text)


def ask(inside: str, attributes: str = "") -> etree._Element:
    """Return the message Ask of most schemas here."""
    return message(f'<Ask xmlns="urn:a" {attributes}>{inside}</Ask>')


def refused(checks: Checks, sent: etree._Element) -> tuple[ContractError, ResponseError]:
    """Return the errors of a message, as a request and as a response."""
    with pytest.raises(ContractError) as request:
        checks.check_request([sent], "Ask")
    with pytest.raises(ResponseError) as response:
        checks.check_response([sent], "Ask")
    return request.value, response.value


A = """<x:schema targetNamespace="urn:a" elementFormDefault="qualified">
    <x:import namespace="urn:b" schemaLocation="http://127.0.0.1:9/nowhere.xsd"/>
    <x:element name="Ask"><x:complexType><x:sequence><x:element name="n" type="b:Small"/>
    <x:element name="m" type="b:Many" minOccurs="0"/></x:sequence>
    <x:attribute ref="xml:lang"/></x:complexType></x:element></x:schema>"""
B = """<x:schema targetNamespace="urn:b"><x:simpleType name="Small"><x:restriction base="x:int">
    <x:maxInclusive value="9"/></x:restriction></x:simpleType></x:schema>"""
MORE_B = """<x:schema targetNamespace="urn:b"><x:complexType name="Many"><x:sequence>
    <x:element name="k" type="b:Small" minOccurs="2" maxOccurs="99999999"/></x:sequence>
    </x:complexType></x:schema>"""
NONE = """<x:schema><x:element name="Bare" type="x:int"/></x:schema>"""


@pytest.fixture
def several() -> Checks:
    return checks_of([wsdl(A, B, MORE_B, NONE)])


@pytest.mark.parametrize(
    "text",
    [
        '<Ask xmlns="urn:a"><n>9</n></Ask>',
        '<Ask xmlns="urn:a" xml:lang="de"><n>1</n><m><k xmlns="">1</k><k xmlns="">2</k></m></Ask>',
        "<Bare>5</Bare>",
        '<Unknown xmlns="urn:c"/>',  # undeclared, so it cannot be validated
    ],
)
def test_schemas_of_several_namespaces_work_together(several: Checks, text: str) -> None:
    assert several.trouble == ""
    several.check_request([message(text)], "Ask")


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ('<Ask xmlns="urn:a"><n>10</n></Ask>', "Ask/n"),
        ('<Ask xmlns="urn:a"><n>1</n><m><k xmlns="">1</k></m></Ask>', "Ask/m"),
        ('<Ask xmlns="urn:a" xml:lang="not a language"><n>1</n></Ask>', "Ask"),
        ("<Bare>five</Bare>", "Bare"),
    ],
)
def test_errors_are_found_in_every_schema(several: Checks, text: str, path: str) -> None:
    with pytest.raises(ContractError) as caught:
        several.check_request([message("<Bare>1</Bare>"), message(text)], "Ask")
    assert caught.value.path.startswith(path)
    with pytest.raises(ResponseError):
        several.check_response([message(text)], "Ask")


# An ambiguous content model: XSD forbids it (1.0 part 1 3.8.6), but services publish such schemas.
AMBIGUOUS = """<x:schema targetNamespace="urn:a" elementFormDefault="qualified"><x:element name="Ask">
    <x:complexType><x:sequence><x:element name="n" type="x:int" minOccurs="0"/>
    <x:element name="n" type="x:int"/><x:element name="d" type="x:date" minOccurs="0"/>
    </x:sequence></x:complexType></x:element></x:schema>"""


def test_partly_invalid_schema_is_used_as_far_as_possible() -> None:
    with pytest.raises(etree.XMLSchemaParseError):
        etree.XMLSchema(message(AMBIGUOUS.replace("<x:schema", f'<x:schema xmlns:x="{XSD}"', 1)))
    lenient = checks_of([wsdl(AMBIGUOUS)])
    assert "only values" in lenient.trouble
    lenient.check_request([ask("<n>1</n><d>2026-11-20</d>")], "Ask")
    assert refused(lenient, ask("<n>1</n><d>tomorrow</d>"))[0].path == "Ask/d"


def test_contract_without_schemas_is_not_validated() -> None:
    nothing = checks_of([wsdl()])
    assert nothing.trouble == ""
    nothing.check_request([message("<Bare>x</Bare>")], "Ask")


def test_equal_documents_are_compiled_once() -> None:
    assert checks_of([wsdl(B)]) is checks_of([wsdl(B)])
    assert checks_of([wsdl(B)]) is not checks_of([wsdl(B, NONE)])


def test_uncompilable_schema_is_logged_once_and_is_not_drift(
    make_package: Any, recorder: Any, open_service: Any, tmp_path: Any, caplog: pytest.LogCaptureFixture
) -> None:
    document = (Path(__file__).parent / "weather.wsdl").read_text()
    twice = '<x:element name="n" type="x:int" minOccurs="0"/><x:element name="n" type="x:int" minOccurs="0"/>'
    marker = '<x:element name="days" type="x:int" minOccurs="0"/>'
    assert marker in document
    file = tmp_path / "ambiguous.wsdl"
    file.write_text(document.replace(marker, marker + twice))
    module: ModuleType = make_package("ambiguous", file)
    heard: list[object] = []
    connection = open_service(
        module.AmbiguousService, recorder.url, on_finding=lambda *finding: heard.append(finding)
    )
    caplog.set_level(logging.WARNING)
    for _ in range(2):
        with pytest.raises(ContractError):
            connection.get_weather(city="B" * 21)
    assert heard == []
    assert not connection.drift.counts()
    (warning,) = (record for record in caplog.records if "cannot compile the schemas" in record.message)
    assert warning.message.startswith("ambiguous: ")
    assert recorder.sent == []


OFTEN = f"""<x:schema xmlns:x="{XSD}" targetNamespace="urn:o" elementFormDefault="qualified">
    <x:element name="Ask"><x:complexType><x:sequence>
    <x:element name="code" type="x:string" minOccurs="2" maxOccurs="3"/>%s
    </x:sequence></x:complexType></x:element></x:schema>"""
REST_OF_IT = ["", '<x:element name="more" type="x:string"/>', '<x:any namespace="##other" minOccurs="0"/>']


@pytest.mark.parametrize("further", REST_OF_IT)
@pytest.mark.parametrize(
    ("times", "said"),
    [
        (1, "it occurs once, but the contract allows at least 2 (minOccurs)"),
        (4, "it occurs 4 times, but the contract allows at most 3 (maxOccurs)"),
    ],
)
def test_too_many_or_too_few_elements_name_the_bound(further: str, times: int, said: str) -> None:
    more = "<more>m</more>" if "more" in further else ""
    sent = message(f'<Ask xmlns="urn:o">{"<code>a</code>" * times}{more}</Ask>')
    error, _ = refused(checks_of([(OFTEN % further).encode()]), sent)
    assert (error.path, error.allowed) == ("Ask/code", "2 to 3 elements")
    assert said in str(error)


def test_repeating_group_error_does_not_mention_occurrences() -> None:
    """The error is not about how often the element occurs."""
    schema = f"""<x:schema xmlns:x="{XSD}" targetNamespace="urn:o" elementFormDefault="qualified">
    <x:element name="Ask"><x:complexType><x:sequence maxOccurs="2"><x:element name="code" type="x:string"/>
    <x:element name="more" type="x:string"/></x:sequence></x:complexType></x:element></x:schema>"""
    turn, known = "<code>a</code><more>m</more>", checks_of([schema.encode()])
    known.check_request([message(f'<Ask xmlns="urn:o">{turn * 2}</Ask>')], "Ask")
    error, _ = refused(known, message(f'<Ask xmlns="urn:o">{turn * 3}</Ask>'))
    assert "maxOccurs" not in str(error)


# ---- validation messages


def facet(base: str, *facets: tuple[str, str]) -> str:
    inside = "".join(f'<x:{name} value="{value}"/>' for name, value in facets)
    return f'<x:simpleType><x:restriction base="x:{base}">{inside}</x:restriction></x:simpleType>'


def asking(kind: str, *, more: str = "") -> bytes:
    """A contract whose message Ask has an `n` of an anonymous type, and lines of a named type."""
    return wsdl(f"""<x:schema xmlns:a="urn:a" targetNamespace="urn:a" elementFormDefault="qualified">{more}
        <x:complexType name="Line"><x:sequence><x:element name="k" type="x:int"/></x:sequence></x:complexType>
        <x:element name="Ask"><x:complexType><x:sequence><x:element name="n">{kind}</x:element>
        <x:element name="line" type="a:Line" minOccurs="0" maxOccurs="unbounded"/></x:sequence>
        </x:complexType></x:element></x:schema>""")


LARGE = f"<x:annotation><x:documentation>{'.' * (1 << 20)}</x:documentation></x:annotation>"
JUDGES = {"explained": ("", True), "large": (LARGE, True), "xmlschema alone": ("", False)}


@pytest.fixture(params=JUDGES)
def judge(request: pytest.FixtureRequest) -> Any:
    """The validator of a contract: with details, too large for details, or not accepted by libxml2."""
    more, compiles = JUDGES[request.param]
    return lambda kind: checks_of([asking(kind, more=more)], compiles=compiles)


def uncached(judge: str, document: bytes) -> Checks:
    """Return the validator of a contract, which no other test uses."""
    schemas = list(etree.fromstring(document).iter(f"{{{XSD}}}schema"))
    return Checks(schemas, compiles=JUDGES[judge][1])


BRACES = "[A-Z]{2}[0-9]{6,8}"
FACETS = {
    "pattern": (facet("string", ("pattern", r"\d{8}")), "1234567", r"a text that matches \d{8}"),
    "braces": (facet("string", ("pattern", BRACES)), "x", f"a text that matches {BRACES}"),
    "minLength": (facet("string", ("minLength", "3")), "ab", "a length of at least 3"),
    "maxLength": (facet("string", ("maxLength", "3")), "abcd", "a length of at most 3"),
    "length": (facet("hexBinary", ("length", "3")), "FFFF", "a length of exactly 3"),
    "enumeration": (facet("string", ("enumeration", "{1}"), ("enumeration", "b")), "c", "one of '{1}', 'b'"),
    "totalDigits": (facet("decimal", ("totalDigits", "3")), "12.34", "at most 3 digits"),
    "fractionDigits": (facet("decimal", ("fractionDigits", "1")), "1.23", "at most 1 digit after the point"),
    "minInclusive": (facet("int", ("minInclusive", "3")), "2", "at least 3"),
    "maxInclusive": (facet("date", ("maxInclusive", "2026-11-20")), "2026-11-21", "at most 2026-11-20"),
    "minExclusive": (facet("int", ("minExclusive", "3")), "3", "more than 3"),
    "maxExclusive": (facet("int", ("maxExclusive", "3")), "3", "less than 3"),
}


@pytest.mark.sampled(12)
@pytest.mark.parametrize("name", FACETS)
def test_facet_error_says_what_is_allowed(judge: Any, name: str) -> None:
    kind, value, allowed = FACETS[name]
    error, told = refused(judge(kind), ask(f"<n>{value}</n>"))
    assert (error.path, error.value, error.allowed) == ("Ask/n", repr(value), allowed)
    assert "urn:a" not in str(error)
    assert name != "braces" or BRACES in error.reason
    assert told.expected.startswith(f"{allowed} (")


@pytest.mark.parametrize("inside", ["<c/>", "<n>x</n><c/>", "<x>1</x><y>2</y>", "<n>x</n><n>y</n>"])
@pytest.mark.parametrize("group", ["sequence", "choice"])
def test_element_not_allowed_next_to_a_group_is_a_typed_error(group: str, inside: str) -> None:
    """The content model contains elements and groups, which are not facets."""
    schema = f"""<x:schema targetNamespace="urn:a" elementFormDefault="qualified">
        <x:element name="Ask"><x:complexType><x:sequence><x:element name="n" type="x:string" minOccurs="0"/>
        <x:{group} minOccurs="0"><x:element name="x" type="x:int"/><x:element name="z" type="x:int"/>
        </x:{group}></x:sequence></x:complexType></x:element></x:schema>"""
    error, _ = refused(checks_of([wsdl(schema)]), ask(inside))
    assert error.path.startswith("Ask/")


ATTRIBUTES = {
    "facet": ('<n q="abc">too long</n>', "q", "'abc'", "a text that matches [0-9]{2}"),
    "unknown": ('<n r="1" k="2">too long</n>', "k", "'2'", None),
    "namespace": ('<n r="1" b:k="3" xmlns:b="urn:b">too long</n>', "k", "'3'", None),
    "missing": ("<n>abc</n>", "r", None, None),
}


@pytest.mark.parametrize("name", ATTRIBUTES)
@pytest.mark.parametrize("judge", ["explained", "large"])
def test_attribute_error_names_the_attribute(judge: str, name: str) -> None:
    """The error is not about the element's own value, which may be invalid as well."""
    text, attribute, value, allowed = ATTRIBUTES[name]
    three = facet("string", ("maxLength", "3")).replace("<x:simpleType>", '<x:simpleType name="Three">')
    document = f"""<x:schema xmlns:a="urn:a" targetNamespace="urn:a" elementFormDefault="qualified">
        {JUDGES[judge][0]}{three}<x:element name="Ask"><x:complexType><x:sequence><x:element name="n">
        <x:complexType><x:simpleContent><x:extension base="a:Three">
        <x:attribute name="q">{facet("string", ("pattern", "[0-9]{2}"))}</x:attribute>
        <x:attribute name="r" use="required"/></x:extension></x:simpleContent></x:complexType>
        </x:element></x:sequence></x:complexType></x:element></x:schema>"""
    known = checks_of([wsdl(document)])
    assert known.trouble == ""
    error, _ = refused(known, ask(text))
    assert (error.path, error.value) == (f"Ask/n/@{attribute}", value)
    assert error.allowed == allowed or allowed is None
    assert "a value that is valid according to the schema" not in str(error)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("judge", JUDGES)
@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("<n>x</n><more><k>1</k></more>", "Ask/more"),
        ("<n>x</n><line><k>1</k>text</line>", "Ask/line"),
        ("<n><k>1</k></n>", "Ask/n"),
    ],
)
def test_present_element_is_not_called_missing(judge: str, text: str, path: str) -> None:
    known = uncached(judge, asking(facet("string"), more=JUDGES[judge][0]))
    sent = ask(text)
    if judge == "xmlschema alone" and path == "Ask/more":
        known.check_response([sent], "Ask")  # it validates only values
        return
    error, told = refused(known, sent)
    assert told.path == path
    assert "is missing" not in str(told)
    assert "is required" not in str(error)


def test_errors_below_prefixed_elements_are_located_in_large_contracts() -> None:
    """libxml2 reports a path with the prefixes of the document, and `*` for elements without a prefix."""
    known = checks_of([asking(facet("string"), more=LARGE)])
    line = '<{p}line xmlns{d}="urn:a"><{p}k>{k}</{p}k></{p}line>'
    good, bad = (line.format(p="q:", d=":q", k=k) for k in ("1", "one"))
    inner = line.format(p="", d="", k="two")
    for lines, value in ((good + good + bad, "one"), (good + inner + good, "two"), (inner, "two")):
        for text in (
            f'<r:Ask xmlns:r="urn:a"><r:n>x</r:n>{lines}</r:Ask>',
            f'<Ask xmlns="urn:a"><n>x</n><!-- a comment -->{lines}</Ask>',
        ):
            with pytest.raises(ContractError) as caught:
                known.check_request([message(text)], "Ask")
            assert (caught.value.path, caught.value.value) == ("Ask/line/k", repr(value))
            enveloped = message(f'<s:Envelope xmlns:s="urn:s"><s:Body>{text}</s:Body></s:Envelope>')[0][0]
            with pytest.raises(ResponseError) as told:
                known.check_response([enveloped], "Ask")
            assert (told.value.path, told.value.value) == ("Ask/line/k", repr(value))


@pytest.mark.parametrize("said", ["a:NewLine", "none:Line", "NewLine", "a:Line x"])
def test_unknown_type_is_reported(judge: Any, said: str) -> None:
    """Typical drift: the service has a new subtype that the contract does not declare."""
    text = f"""<Ask xmlns="urn:a" xmlns:a="urn:a" xmlns:i="http://www.w3.org/2001/XMLSchema-instance"><n>x</n>
        <line><k>1</k></line><line i:type="{said}"><k>2</k><more>3</more></line></Ask>"""
    _, told = refused(judge(facet("string")), message(text))
    assert (told.path, told.value) == ("Ask/line/@type", repr(said))
    assert "type" in told.expected


# Nested repetitions and repeated wildcards: libxml2 cannot match 40 characters against either pattern.
DEAR = "((((a{1,30}){1,30}){1,30}){1,30})b"
DEAR_TOO = "(.*a){12}b"
DEAR_KIND = """<x:simpleType name="Dear"><x:restriction base="x:string"><x:pattern value="{}"/>
    <x:maxLength value="50"/></x:restriction></x:simpleType>"""


def dear(pattern: str, *, more: str = "") -> bytes:
    """A contract with an expensive pattern in an element, a list, a union and an attribute."""
    return wsdl(f"""<x:schema xmlns:a="urn:a" targetNamespace="urn:a" elementFormDefault="qualified">{more}
        {DEAR_KIND.format(pattern)}
        <x:element name="Ask"><x:complexType><x:sequence>
        <x:element name="n" type="a:Dear" minOccurs="0" maxOccurs="unbounded"/>
        <x:element name="l" minOccurs="0"><x:simpleType><x:list itemType="a:Dear"/></x:simpleType></x:element>
        <x:element name="u" minOccurs="0"><x:simpleType><x:union memberTypes="x:int a:Dear"/></x:simpleType>
        </x:element>
        <x:element name="k" minOccurs="0">{facet("string", ("pattern", "[0-9]{2}"))}</x:element>
        </x:sequence><x:attribute name="v" type="a:Dear"/></x:complexType></x:element></x:schema>""")


LONG = "a" * 40
HARD = {"element": f"<n>{LONG}</n>", "list": f"<l>{LONG}</l>", "union": f"<u>{LONG}</u>", "attribute": ""}


def hard(place: str, more: str = "") -> etree._Element:
    return ask(HARD[place] + more, f'v="{LONG}"' if place == "attribute" else "")


def dear_checks(judge: str, pattern: str = DEAR) -> Checks:
    return uncached(judge, dear(pattern, more=JUDGES[judge][0]))


@pytest.mark.sampled(0, 3)
@pytest.mark.parametrize(
    ("judge", "place", "pattern"),
    [
        *(("explained", place, DEAR) for place in HARD),
        ("explained", "element", DEAR_TOO),
        ("large", "element", DEAR),
        *(("xmlschema alone", place, DEAR) for place in HARD),
    ],
)
def test_value_too_costly_to_validate_passes_and_is_logged_once(
    judge: str, place: str, pattern: str, caplog: pytest.LogCaptureFixture
) -> None:
    known = dear_checks(judge, pattern)
    caplog.set_level(logging.WARNING)
    known.check_request([hard(place)], "Ask")
    known.check_response([hard(place)], "Ask")
    [said] = [record.getMessage() for record in caplog.records]
    assert said.startswith(f"the pattern {pattern!r} of type Dear took too long")
    assert LONG not in said


@pytest.mark.exhaustive
@pytest.mark.parametrize("place", HARD)
def test_libxml2_does_not_finish_with_such_values(place: str) -> None:
    """This is the behaviour of libxml2 without this package."""
    node = message(etree.tostring(message(dear(DEAR).decode())[0][0]).decode())
    with pytest.raises(etree.XMLSchemaValidateError):
        etree.XMLSchema(node).validate(hard(place))


@pytest.mark.exhaustive
@pytest.mark.parametrize("judge", ["explained", "xmlschema alone"])
def test_rest_of_a_message_with_such_a_value_is_validated(judge: str) -> None:
    known = dear_checks(judge)
    for more, path, allowed in (
        ("<k>123</k>", "Ask/k", "a text that matches [0-9]{2}"),
        (f"<n>{LONG * 2}</n>", "Ask/n", "a length of at most 50"),
    ):
        error, _ = refused(known, hard("element", more))
        assert (error.path, error.allowed) == (path, allowed)
    known.check_request([hard("element", "<k>12</k>")], "Ask")


@pytest.mark.exhaustive
@pytest.mark.parametrize("judge", ["explained", "xmlschema alone"])
def test_pattern_too_costly_for_one_value_validates_others(judge: str) -> None:
    known = dear_checks(judge)
    known.check_request([hard("element")], "Ask")
    known.check_request([ask(f"<n>{'a' * 12}b</n>")], "Ask")
    for more in ("", f"<n>{LONG}</n>"):
        error, _ = refused(known, ask(f"<n>b</n>{more}"))
        assert (error.path, error.value) == ("Ask/n", "'b'")


@pytest.mark.exhaustive
@pytest.mark.parametrize("judge", ["explained", "xmlschema alone"])
def test_costly_pattern_is_tried_once_per_message(judge: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each attempt takes half a second."""
    tried: list[tuple[str, str]] = []
    matches = Pattern.matches

    def counted(self: Pattern, text: str) -> bool:
        tried.append((self.value, text))
        return matches(self, text)

    monkeypatch.setattr(Pattern, "matches", counted)
    dear_checks(judge).check_request([ask(HARD["element"] * 100)], "Ask")
    assert tried.count((DEAR, LONG)) == 1


@pytest.mark.parametrize("file", ["contract.wsdl", "messages.xsd"])
@pytest.mark.parametrize("how", ["damaged", "lacking"])
def test_damaged_package_is_a_config_error(
    make_package: Any, recorder: Any, open_service: Any, file: str, how: str
) -> None:
    module: ModuleType = make_package(f"{how}_{file[0]}", Path(__file__).parent / "sums.wsdl")
    assert module.__file__ is not None
    harmed = Path(module.__file__).with_name(file)
    harmed.unlink()
    if how == "damaged":
        harmed.write_bytes(b"<definitions")
    name = f"{how.capitalize()}{file[0].upper()}Service"
    service = open_service(getattr(module, name), recorder.url)
    with pytest.raises(ConfigError, match="bindgen init"):
        service.add(a=1, b=2)
    with pytest.raises(ConfigError, match="bindgen init"):
        service.list_(prefix="x")
    assert recorder.sent == []


@pytest.mark.parametrize("value", ["a" * 60, "a" * 60 + "!"])
def test_exponential_pattern_is_validated_in_bounded_work(judge: Any, value: str) -> None:
    """Python's regular expressions would try 2**60 paths. libxml2 counts its steps."""
    known = judge(facet("string", ("pattern", "(a+)+b")))
    error, _ = refused(known, ask(f"<n>{value}</n>"))
    assert (error.path, error.allowed) == ("Ask/n", "a text that matches (a+)+b")
    known.check_request([ask(f"<n>{'a' * 60}b</n>")], "Ask")


SLOW = facet("string", ("pattern", "(a+)+b"))
NAMED = SLOW.replace("<x:simpleType>", '<x:simpleType name="Slow">')
PLACES = {
    "named": '<x:element name="n" type="a:Slow"/>',
    "restricted": '<x:element name="n"><x:simpleType><x:restriction base="a:Slow"><x:maxLength value="99"/>'
    "</x:restriction></x:simpleType></x:element>",
    "list": f'<x:element name="n"><x:simpleType><x:list>{SLOW}</x:list></x:simpleType></x:element>',
    "union": f'<x:element name="n"><x:simpleType><x:union memberTypes="x:int">{SLOW}</x:union></x:simpleType>'
    "</x:element>",
    "content": '<x:element name="n"><x:complexType><x:simpleContent><x:extension base="a:Slow">'
    '<x:attribute name="k"/></x:extension></x:simpleContent></x:complexType></x:element>',
    "attribute": f'<x:element name="n"><x:complexType><x:attribute name="v">{SLOW}</x:attribute>'
    "</x:complexType></x:element>",
}


@pytest.mark.parametrize("place", PLACES)
def test_patterns_are_not_matched_by_python(place: str) -> None:
    schema = f"""<x:schema xmlns:a="urn:a" targetNamespace="urn:a" elementFormDefault="qualified">{NAMED}
        <x:element name="Ask"><x:complexType><x:sequence>{PLACES[place]}</x:sequence></x:complexType>
        </x:element></x:schema>"""
    known = checks_of([wsdl(schema)], compiles=False)
    shown = '<n v="{}"/>' if place == "attribute" else "<n>{}</n>"
    known.check_request([ask(shown.format("aaab"))], "Ask")
    refused(known, ask(shown.format("a" * 60)))


def test_all_alternative_patterns_are_named() -> None:
    known = checks_of([asking(facet("string", ("pattern", r"\d{8}"), ("pattern", "[A-Z]{2}")))])
    for text in ("12345678", "AB"):
        known.check_request([ask(f"<n>{text}</n>")], "Ask")
    error, _ = refused(known, ask("<n>A</n>"))
    assert error.allowed == r"a text that matches \d{8} or [A-Z]{2}"


BROKEN = '<x:schema targetNamespace="urn:a" elementFormDefault="perhaps"><x:oops/></x:schema>'


@pytest.mark.parametrize(
    "document",
    [
        wsdl(BROKEN),
        *(asking(facet("string", ("pattern", pattern))) for pattern in (r"\p{Nonsense}", "[", "(?=a)b")),
    ],
)
def test_unusable_schema_does_not_block_messages(document: bytes) -> None:
    known = checks_of([document])
    assert known.trouble
    known.check_request([ask("<n>x</n>")], "Ask")


@pytest.mark.parametrize("many", ["attributes", "elements"])
def test_xmlschema_is_not_used_for_very_large_messages(monkeypatch: pytest.MonkeyPatch, many: str) -> None:
    """xmlschema describes all attributes of an element once per attribute: 15 kB took it 15 seconds."""
    checks = checks_of([asking(facet("int"))])
    few = '<Ask xmlns="urn:a"><n x="1">7</n></Ask>'
    asked: list[object] = []

    def noted(schema: XMLSchema, message: etree._Element) -> XMLSchemaValidationError | None:
        asked.append(message)
        return first_error(schema, message)

    monkeypatch.setattr("soapclient.contract.explanations.first_error", noted)
    with pytest.raises(ResponseError, match="Ask/n"):
        checks.check_response([message(few)], "Ask")
    assert asked
    asked.clear()
    attributes = " ".join(f'x{at}="1"' for at in range(1500))
    elements = "</n>" + "<line><k>1</k></line>" * 10_000
    much = few.replace('x="1"', attributes) if many == "attributes" else few.replace("</n>", elements)
    with pytest.raises(ResponseError, match="Ask/n"):
        checks.check_response([message(much)], "Ask")
    assert asked == []
