"""Messages on which libxml2 and xmlschema disagree, each with a reason from the specification."""

from __future__ import annotations

import datetime as dt
import unicodedata
from decimal import Decimal
from importlib import import_module, invalidate_caches
from pathlib import Path

import pytest
import xmlschema
from lxml import etree

from bindgen import init
from soapclient import Settings
from soapclient.connection import connect
from soapclient.contract import explanations
from soapclient.contract.validation import Checks, checks_of
from soapclient.errors import AmbiguousOutcome, ContractError, ResponseError
from soapclient.testing import mock
from tests.support.cases import case_text

XSD = "http://www.w3.org/2001/XMLSchema"


def schema(inside: str) -> bytes:
    return f'<x:schema xmlns:x="{XSD}">{inside}</x:schema>'.encode()


def restricted(base: str, facet: str, value: str) -> bytes:
    return schema(
        f'<x:element name="Ask"><x:simpleType><x:restriction base="x:{base}">'
        f'<x:{facet} value="{value}"/></x:restriction></x:simpleType></x:element>'
    )


def fixed(base: str, value: str) -> bytes:
    return schema(f'<x:element name="Ask" type="x:{base}" fixed="{value}"/>')


def lines(kind: str, constraints: str, more: str = "") -> bytes:
    """Return an `Ask` with `line` elements that have the attributes `a` and `b`."""
    return schema(
        '<x:element name="Ask"><x:complexType><x:sequence>'
        '<x:element name="line" minOccurs="0" maxOccurs="unbounded"><x:complexType>'
        f'<x:attribute name="a" type="x:{kind}"/><x:attribute name="b" type="x:{kind}"/>'
        f"</x:complexType></x:element>{more}</x:sequence></x:complexType>{constraints}</x:element>"
    )


def constraint(kind: str, *fields: str, name: str = "C", refer: str = "") -> str:
    refers = f' refer="{refer}"' if refer else ""
    paths = "".join(f'<x:field xpath="{path}"/>' for path in fields)
    return f'<x:{kind} name="{name}"{refers}><x:selector xpath="line"/>{paths}</x:{kind}>'


def libxml2_says(document: bytes, text: str) -> bool:
    return etree.XMLSchema(etree.fromstring(document)).validate(etree.fromstring(text))


def ask(checks: Checks, text: str) -> None:
    """Validate a message as a request and as a response."""
    message = etree.fromstring(text)
    checks.check_request([message], "Ask")
    checks.check_response([message], "Ask")


NOON = dt.time(12, tzinfo=dt.UTC)
# Valid messages that libxml2 rejects: the schema, the text of `Ask`, a text that both refuse, and the reason.
REFUSED = {
    "a fixed value is compared as a value (XSD 1.0 part 1, 3.3.4, cvc-elt 5.2.2.2.2)": (
        fixed("decimal", "1.0"),
        "1",
        "1.1",
        Decimal("1.0") == Decimal(1),
    ),
    "hour 24 is the first instant of the next day (part 2, 3.2.7.1)": (
        restricted("dateTime", "enumeration", "2000-01-02T00:00:00"),
        "2000-01-01T24:00:00",
        "2000-01-01T23:59:59",
        dt.datetime(2000, 1, 1) + dt.timedelta(hours=24) == dt.datetime(2000, 1, 2),
    ),
    "times are compared as instants (part 2, 3.2.8)": (
        restricted("time", "minInclusive", "12:00:00+01:00"),
        "12:00:00Z",
        "10:59:59Z",
        dt.time(12, tzinfo=dt.timezone(dt.timedelta(hours=1))) <= NOON,
    ),
    "ideographs are letters (part 2, appendix F)": (
        restricted("string", "pattern", r"\p{L}+"),
        "東京",
        "東京1",
        all(unicodedata.category(letter) == "Lo" for letter in "東京"),
    ),
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", REFUSED)
def test_a_valid_message_is_not_refused_for_libxml2_but_an_invalid_one_is(name: str) -> None:
    document, text, wrong, argument = REFUSED[name]
    assert argument
    assert not libxml2_says(document, f"<Ask>{text}</Ask>")
    checks = checks_of([document])
    ask(checks, f"<Ask>{text}</Ask>")
    with pytest.raises(ContractError):
        checks.check_request([etree.fromstring(f"<Ask>{wrong}</Ask>")], "Ask")
    with pytest.raises(ResponseError):
        checks.check_response([etree.fromstring(f"<Ask>{wrong}</Ask>")], "Ask")


DEEPER = '<x:element ref="Ask" minOccurs="0"/>'
EARLY, LATE = "2000-01-01T24:00:00Z", "2000-01-02T00:00:00Z"


@pytest.mark.parametrize("kind", ["unique", "key"])
@pytest.mark.parametrize(
    ("base", "one", "other"), [("dateTime", EARLY, LATE), ("time", "12:00:00Z", "13:00:00+01:00")]
)
def test_duplicate_keys_that_libxml2_accepts_are_refused(kind: str, base: str, one: str, other: str) -> None:
    """Both values are the same instant (part 2, 3.2.7 and 3.2.8), so the key sequences are equal."""
    document = lines(base, constraint(kind, "@a"))
    text = f'<Ask><line a="{one}"/><line a="{other}"/></Ask>'
    assert libxml2_says(document, text)
    with pytest.raises(ContractError) as caught:
        ask(checks_of([document]), text)
    assert caught.value.path == "Ask/line"
    assert caught.value.allowed == f"unique values ({kind} 'C')"
    assert one not in str(caught.value)
    ask(checks_of([document]), text.replace(other, other.replace("00:00", "00:01")))


def test_keyref_without_a_key_is_refused_with_the_reason() -> None:
    constraints = constraint("key", "@a") + constraint("keyref", "@b", name="R", refer="C")
    checks = checks_of([lines("int", constraints)])
    ask(checks, '<Ask><line a="1" b="2"/><line a="2" b="01"/></Ask>')
    with pytest.raises(ContractError) as caught:
        ask(checks, '<Ask><line a="1" b="3"/></Ask>')
    assert caught.value.allowed == "a value of the key 'C'"


@pytest.mark.parametrize(
    ("document", "text", "xmlschema_says"),
    [
        # A node without one of the fields is not in the qualified node set of `unique` (part 1, 3.11.4).
        (lines("int", constraint("unique", "@a", "@b")), '<Ask><line a="1"/><line a="1"/></Ask>', False),
        # Each `Ask` has its own table of keys, and the inner one ends before the outer one (3.11.4).
        (
            lines(
                "int",
                constraint("key", "@a")
                + constraint("keyref", "@b", name="R", refer="C").replace('xpath="line"', 'xpath="ref"'),
                '<x:element ref="Ask" minOccurs="0"/><x:element name="ref" minOccurs="0"><x:complexType>'
                '<x:attribute name="b" type="x:int"/></x:complexType></x:element>',
            ),
            '<Ask><line a="1"/><Ask><line a="2"/><ref b="2"/></Ask><ref b="1"/></Ask>',
            True,
        ),
    ],
)
def test_valid_keys_are_accepted(document: bytes, text: str, *, xmlschema_says: bool) -> None:
    assert libxml2_says(document, text)
    assert xmlschema.XMLSchema(document.decode()).is_valid(text) == xmlschema_says
    ask(checks_of([document]), text)


def test_an_emptiable_group_that_xmlschema_refuses_is_accepted() -> None:
    """A sequence of optional elements may be empty, whatever its minOccurs."""
    document = lines(
        "int",
        constraint("unique", "@a"),
        '<x:sequence minOccurs="2" maxOccurs="3"><x:element name="n" minOccurs="0"/></x:sequence>',
    )
    assert libxml2_says(document, "<Ask><n/></Ask>")
    ask(checks_of([document]), "<Ask><n/></Ask>")


def test_libxml2_decides_beyond_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explanations, "_MOST_EFFORT", 0)
    accepted = lines("dateTime", constraint("unique", "@a"))
    ask(checks_of([accepted]), f'<Ask><line a="{EARLY}"/><line a="{LATE}"/></Ask>')
    document, text, *_ = next(iter(REFUSED.values()))
    with pytest.raises(ContractError):
        ask(checks_of([document]), f"<Ask>{text}</Ask>")


def test_a_deep_message_is_beyond_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys are searched below each element, so the effort grows with the depth."""
    document = lines("dateTime", constraint("unique", "@a").replace("line", ".//line"), DEEPER)
    text = f'<Ask><line a="{EARLY}"/><line a="{LATE}"/></Ask>'
    nested = text.replace("</Ask>", "<Ask><Ask><line/></Ask></Ask></Ask>")
    # Elements, squares of their attribute counts, and the levels above them.
    monkeypatch.setattr(explanations, "_MOST_EFFORT", 3 + 2 + 2)
    with pytest.raises(ContractError):
        ask(checks_of([document]), text)
    ask(checks_of([document]), nested)


def test_schema_that_xmlschema_refuses_does_not_overrule_libxml2() -> None:
    """xmlschema replaces types that it does not understand with anyType, and would accept any value there."""
    derived = """<x:complexType name="B"><x:sequence><x:element name="k" type="x:int"/></x:sequence>
        </x:complexType><x:complexType name="R"><x:complexContent><x:restriction base="B"><x:sequence>
        <x:element name="k" type="x:string"/></x:sequence></x:restriction></x:complexContent>
        </x:complexType>"""
    document = fixed("decimal", "1.0").replace(b"</x:schema>", derived.encode() + b"</x:schema>")
    with pytest.raises(ContractError):
        ask(checks_of([document]), "<Ask>1</Ask>")


WSDL = case_text(__file__, "names.wsdl")


def test_client_and_mock_have_the_same_verdict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "names.wsdl").write_text(WSDL, encoding="utf-8")
    made = init.make("names_of_letters", tmp_path / "names.wsdl", offline=True)
    init.write(tmp_path / "names_of_letters", made.files)
    monkeypatch.syspath_prepend(str(tmp_path))
    invalidate_caches()
    service = import_module("names_of_letters.service").NamesOfLettersService
    early, late = NOON, dt.time(13, tzinfo=dt.timezone(dt.timedelta(hours=1)))
    assert early == late
    with mock("names_of_letters") as served:
        served.on("Ask").reply(name="ok")
        with connect(service, address=served.address()) as names:
            assert names.ask(name="東京", at=[early]).name == "ok"
            with pytest.raises(ContractError, match="unique values"):
                names.ask(name="東京", at=[early, late])
        unchecked = connect(service, address=served.address(), settings=Settings(validate="off"))
        with unchecked as names, pytest.raises(AmbiguousOutcome, match=r"unique values \(unique 'Times'\)"):
            names.ask(name="東京", at=[early, late])
