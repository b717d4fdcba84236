"""A signature in an element that also holds a value of the caller, in attributes, and in a SOAP header."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest
import requests
from lxml import etree

from soapclient.auth.credentials import Credentials
from soapclient.cli.request import from_assignments, request_element
from soapclient.connection import connect
from soapclient.console.forms import Form
from soapclient.console.presentation import texts
from soapclient.console.signatures import Signed, signed_of
from soapclient.contract import package_documents
from soapclient.errors import ContractError
from soapclient.soap.zeep_service import document
from soapclient.testing import Mock, mock
from tests.support.packages import generated
from tests.support.soap import envelope

if TYPE_CHECKING:
    from soapclient.console.targets import Target

WSDL = Path(__file__).parent / "places.wsdl"
SPACE = "urn:example:places"
FIELDS = ["connectId", "timestamp", "nonce", "signature"]
ROLES = ["connect_id", *FIELDS[1:]]
AROUND = ["connectId", "language", *FIELDS[1:]]  # in the order of the contract


@pytest.fixture(scope="module")
def places() -> Iterator[ModuleType]:
    """The module `service` of the package."""
    names = "".join(f'{name} = "{field}"\n' for name, field in zip(ROLES, FIELDS, strict=True))
    signing = f'format = 2\n[signing]\nscheme = "zxws"\nservice_name = "places"\n{names}'
    with generated("places_shop", WSDL, signing) as package:
        yield package.service


@pytest.fixture(scope="module")
def served(places: ModuleType) -> Iterator[Mock]:
    with mock(import_module("places_shop")) as made:
        yield made


@pytest.fixture
def mocked(served: Mock) -> Mock:
    served.reset()
    return served


@pytest.fixture
def shop(places: ModuleType, mocked: Mock) -> Iterator[Any]:
    """The service, as Any because mypy cannot see its class."""
    credentials = Credentials("802B8BF4AE99EBE00F41", "no live secret")
    with connect(places.PlacesShopService, address=mocked.address(), credentials=credentials) as opened:
        yield opened


def part(mocked: Mock, name: str) -> etree._Element:
    """The only element in the header or body of the last request."""
    (node,) = etree.fromstring(mocked.calls()[-1].received.encode()).iter(f"{{{SPACE}}}{name}")
    return node


def named(node: etree._Element) -> list[str]:
    """The names of the children. Checks that each has a value."""
    assert all(child.text for child in node)
    return [etree.QName(child).localname for child in node]


def own(places: ModuleType) -> Any:
    """zeep's own types."""
    wsdl: Any = document((Path(str(places.__file__)).parent / "contract.wsdl").read_bytes())
    return wsdl.types


# ---- zeep's own service


@pytest.mark.parametrize("form", ["nothing", "dict", "zeep"])
def test_values_of_zeep_callers_are_kept_next_to_the_signature(
    places: ModuleType, shop: Any, mocked: Mock, form: str
) -> None:
    given: dict[str, object] = {
        "nothing": {},
        "dict": {"auth": {"language": "de"}},
        "zeep": {"auth": own(places).get_type(f"{{{SPACE}}}identity")(language="de")},
    }[form]
    shop.zeep.Ask(**given)
    assert named(part(mocked, "auth")) == (AROUND if given else FIELDS)
    if form == "zeep":
        assert given["auth"]["signature"] is None  # type: ignore[index] # the argument is not changed


def test_zeep_refuses_an_invalid_container(shop: Any, mocked: Mock) -> None:
    with pytest.raises(Exception, match="auth"):
        shop.zeep.Ask(auth=7)
    assert mocked.calls() == []


@pytest.mark.parametrize("form", ["nothing", "none", "dict", "element", "zeep", "another"])
def test_header_of_zeep_callers_gets_the_signature(
    places: ModuleType, shop: Any, mocked: Mock, form: str
) -> None:
    given = etree.fromstring(f'<identification xmlns="{SPACE}"><language>de</language></identification>')
    own_element = own(places).get_element(f"{{{SPACE}}}identification")
    shop.zeep.Head(
        _soapheaders={
            "nothing": None,
            "none": {"who": None},
            "dict": {"who": {"language": "de"}},
            "element": given,
            "zeep": [own_element(language="de")],
            "another": [etree.Element("{urn:other}empty")],
        }[form]
    )
    signed = part(mocked, "identification")
    assert named(signed) == (FIELDS if form in ("nothing", "none", "another") else AROUND)
    head = signed.getparent()
    assert head is not None
    assert len(head) == (2 if form == "another" else 1)
    assert len(given) == 1  # the caller's argument is not changed


# ---- the mock


def asked(mocked: Mock, message: str) -> bytes:
    """Return the mock's response."""
    headers = {"Content-Type": "text/xml"}
    response = requests.post(mocked.address(), envelope(message).encode(), headers=headers, timeout=30)
    assert response.status_code == 200, response.text
    return response.content


def ask(nonce: str, own: str) -> str:
    """Return a request with a nonce of the signature and a nonce of the caller."""
    fields = f"<connectId>a</connectId><timestamp>b</timestamp><nonce>{nonce}</nonce><signature>c</signature>"
    return f'<Ask xmlns="{SPACE}"><auth>{fields}</auth><lock><nonce>{own}</nonce></lock></Ask>'


def mark(signature: str, word: str) -> str:
    fields = f'connectId="a" timestamp="b" nonce="c" signature="{signature}"'
    return f'<Mark xmlns="{SPACE}" {fields}><word>{word}</word></Mark>'


@pytest.mark.parametrize("message", [ask, mark])
def test_examples_depend_on_the_request_and_not_on_its_signature(
    mocked: Mock, message: Callable[[str, str], str]
) -> None:
    assert len({asked(mocked, message(f"n{number}", "same")) for number in range(8)}) == 1
    assert len({asked(mocked, message("same", f"n{number}")) for number in range(8)}) > 1


# ---- the console


VALUES = zip(FIELDS, ("me", "b", "c", "d"), strict=True)
INSIDE = "".join(f"<p:{name}>{value}</p:{name}>" for name, value in VALUES)
AUTH, LOCK = f"<p:auth>{INSIDE}</p:auth>", "<p:lock><p:nonce>own</p:nonce></p:lock>"


@pytest.mark.parametrize(
    ("operation", "place", "head", "message"),
    [
        ("Ask", "the body", "", f"<p:Ask>{AUTH}{LOCK}</p:Ask>"),
        ("Mark", "the body", "", '<p:Mark connectId="me" timestamp="b" nonce="c" signature="d"/>'),
        ("Head", "a SOAP header", f"<p:identification>{INSIDE}</p:identification>", "<p:Head/>"),
    ],
)
def test_console_reads_the_signature_from_its_element(
    places: ModuleType, operation: str, place: str, head: str, message: str
) -> None:
    body = envelope(message, head, spaces=f'xmlns:p="{SPACE}"')
    request = requests.Request("POST", "https://places.example/soap", data=body).prepare()
    signed = f"places{operation.lower()}bc"  # docs/explanation/service.md#signing
    assert signed_of(request, places.PACKAGE.operations[operation]) == (
        Signed(place, "me", "b", "c", signed),
    )


@pytest.mark.parametrize(
    ("operation", "shown"),
    [
        ("Ask", "<Ask><auth><connectId>me</connectId></auth><lock><nonce/></lock></Ask>"),
        ("Mark", '<Mark connectId="me"/>'),
        ("Head", "<identification><connectId>me</connectId></identification><Head/>"),
    ],
)
def test_console_shows_a_request_with_only_the_connect_id(
    places: ModuleType, operation: str, shown: str
) -> None:
    called = places.PACKAGE.operations[operation]
    element = etree.Element(called.request_tag)
    if operation == "Ask":
        lock = etree.SubElement(element, f"{{{SPACE}}}lock")
        etree.SubElement(lock, f"{{{SPACE}}}nonce")  # the caller's own nonce, which may be empty
    settings = {"connect_id": "me"}
    target = SimpleNamespace(
        package=places.PACKAGE, by_rest=False, settings=settings, endpoint="", of_client=False
    )
    form = Form(called, [], {}, element, [], lambda *_: False)
    xml = texts(cast("Target", target), called, form, lambda *_: [])[0].text
    found = [*etree.fromstring(xml).iterfind("*/*")]
    plain = "".join(etree.tostring(node, encoding="unicode", with_tail=False) for node in found)
    assert re.sub(r' xmlns(:\w+)?="[^"]*"|\w+:(?=\w+[ />])|\n\s*', "", plain) == shown


# ---- names that the client fills in


def test_caller_cannot_set_signature_fields(places: ModuleType) -> None:
    called = places.PACKAGE.operations["Ask"]
    with pytest.raises(ContractError, match="the client sets it when it signs"):
        request_element(called, from_assignments(["nonce=1"]))
    # The caller passes the value in another place.
    with pytest.raises(ContractError, match="unknown field") as caught:
        request_element(called, from_assignments(["lock.auth.language=de"]))
    assert caught.value.path == "Ask/lock/auth"


def test_container_of_the_signature_may_be_missing_without_a_signature(places: ModuleType) -> None:
    called = places.PACKAGE.operations["Ask"]
    message = etree.Element(f"{{{SPACE}}}Ask")
    package_documents.checks_without(places.PACKAGE, called, partial=False).check_request([message], "Ask")
    with pytest.raises(ContractError, match="auth"):
        package_documents.checks(places.PACKAGE).check_request([message], "Ask")
