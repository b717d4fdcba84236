"""Signing schemes with other roles than the built-in one: an API key and a signature, or an API key alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module, invalidate_caches
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from bindgen import init
from bindgen.problems import ContractRefused
from soapclient import services, signing
from soapclient.connection import Credentials, connect
from soapclient.errors import ConfigError
from soapclient.signing import Stamp, register_scheme
from soapclient.testing import mock

SPACE = "urn:example:keys"
KEY = "802B8BF4AE99EBE00F41"


class Keyed:
    """A scheme of a user. The signature names the call, so that the test can predict it."""

    def __init__(self, *roles: str) -> None:
        self.roles = roles

    def body(
        self, credentials: Credentials, stamp: Stamp | None, service: str, operation: str
    ) -> Mapping[str, str]:
        proof = {} if stamp is None or len(self.roles) == 1 else {self.roles[1]: f"{service}/{operation}"}
        return {self.roles[0]: credentials.connect_id} | proof

    def headers(
        self, credentials: Credentials, stamp: Stamp | None, verb: str, uri: str
    ) -> Mapping[str, str]:
        return {"X-Key": credentials.connect_id, "X-Proof": f"{verb} {uri}"}

    def query(self, credentials: Credentials, stamp: Stamp | None, verb: str, uri: str) -> Mapping[str, str]:
        return {}


@pytest.fixture(autouse=True)
def registry() -> Iterator[None]:
    """Restore the registry after each test."""
    before = dict(signing._registered)
    services.signing_schemes.cache_clear()
    yield
    signing._registered.clear()
    signing._registered.update(before)


def wsdl(**messages: tuple[str, ...]) -> bytes:
    """A service with an operation for each message, whose elements are texts."""
    elements, parts, operations, bindings = "", "", "", ""
    for name, fields in messages.items():
        inner = "".join(f'<x:element name="{field}" type="x:string"/>' for field in fields)
        elements += (
            f'<x:element name="{name}"><x:complexType><x:sequence>{inner}</x:sequence></x:complexType>'
        )
        elements += "</x:element>"
        parts += f'<message name="{name}"><part name="body" element="t:{name}"/></message>'
        operations += (
            f'<operation name="{name}"><input message="t:{name}"/><output message="t:Done"/></operation>'
        )
        body = '<soap:body use="literal"/>'
        bindings += f'<operation name="{name}"><soap:operation soapAction=""/>'
        bindings += f"<input>{body}</input><output>{body}</output></operation>"
    return f"""<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:t="{SPACE}"
    targetNamespace="{SPACE}" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:x="http://www.w3.org/2001/XMLSchema">
<types><x:schema targetNamespace="{SPACE}" elementFormDefault="qualified">{elements}
<x:element name="Done"><x:complexType><x:sequence><x:element name="number" type="x:int"/></x:sequence>
</x:complexType></x:element></x:schema></types>
{parts}<message name="Done"><part name="body" element="t:Done"/></message>
<portType name="Keys">{operations}</portType>
<binding name="Keys" type="t:Keys"><soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>
{bindings}</binding>
<service name="Keys"><port name="Keys" binding="t:Keys"><soap:address location="http://keys.invalid/"/></port>
</service></definitions>""".encode()


def generate(folder: Path, name: str, document: bytes, **roles: str) -> list[str]:
    """Generate the package `name` in a folder. Return what `bindgen` prints about signatures."""
    file = folder / f"{name}.wsdl"
    file.write_bytes(document)
    table = {"scheme": "keyed", "service_name": "keys", **roles}
    made = init.make(name, file, offline=True, sections={"signing": table})
    init.write(folder / name, made.files)
    return [str(line) for line in made.contract.remarks]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(tmp_path)
    invalidate_caches()
    return tmp_path


def sent(name: str, operation: str, **fields: str) -> dict[str, str | None]:
    """Call an operation of the package, and return the elements of its request."""
    package = import_module(name)
    cls: Any = getattr(import_module(f"{name}.service"), f"{name.title().replace('_', '')}Service")
    with (
        mock(package) as served,
        connect(cls, address=served.address(), credentials=Credentials(KEY, "no live secret")) as service,
    ):
        getattr(service, operation)(**fields)
        (message,) = etree.fromstring(served.calls()[-1].received.encode()).iterfind("{*}Body/*")
        return {etree.QName(node).localname: node.text for node in message}


def test_a_scheme_may_have_two_roles(folder: Path) -> None:
    register_scheme("keyed", Keyed("key", "proof"))
    document = wsdl(Buy=("apiKey", "thing", "seal"), Look=("apiKey", "thing"))
    said = generate(folder, "two_roles", document, key="apiKey", proof="seal")
    assert said == [
        "signed, in the message: apiKey, seal: 1 operation (Buy)",
        "public, in the message: apiKey: 1 operation (Look)",
    ]
    assert sent("two_roles", "buy", thing="a") == {"apiKey": KEY, "thing": "a", "seal": "keys/Buy"}
    assert sent("two_roles", "look", thing="a") == {"apiKey": KEY, "thing": "a"}


def test_a_scheme_may_have_one_role(folder: Path) -> None:
    register_scheme("keyed", Keyed("key"))
    said = generate(folder, "one_role", wsdl(Buy=("apiKey", "thing")), key="apiKey")
    assert said == ["signed, in the message: apiKey: 1 operation (Buy)"]
    assert sent("one_role", "buy", thing="a") == {"apiKey": KEY, "thing": "a"}


def test_bindgen_names_the_roles_that_a_known_scheme_needs(folder: Path) -> None:
    register_scheme("keyed", Keyed("key", "proof"))
    (folder / "shop.toml").write_text(
        'format = 2\n[signing]\nscheme = "keyed"\nservice_name = "keys"\nkey = "apiKey"\nnonce = "once"\n'
    )
    from bindgen import settings

    with pytest.raises(settings.SettingsError) as caught:
        settings.read_own(folder / "shop.toml")
    place = f"{folder / 'shop.toml'}: signing"
    assert caught.value.problems == (
        f"{place}: proof is missing",
        f"{place}.nonce is unknown; the keys are headers, key, proof, public, scheme, service_name",
    )


def test_an_element_that_nothing_fills_is_refused_by_its_role(folder: Path) -> None:
    register_scheme("keyed", Keyed("key", "proof"))
    with pytest.raises(ContractRefused, match=r"signing\.key: Buy declares seal for authentication, and no"):
        generate(folder, "refused", wsdl(Buy=("account", "seal")), key="apiKey", proof="seal")


def test_roles_of_a_scheme_that_is_registered_later_are_compared_by_connect(folder: Path) -> None:
    """bindgen uses the roles as they are. The package is not called with another scheme's roles."""
    generate(folder, "later", wsdl(Buy=("apiKey", "seal")), key="apiKey", proof="seal")
    register_scheme("keyed", Keyed("key", "mac"))
    with pytest.raises(ConfigError, match=r"has the roles key, mac, but \[signing\] of later has key, proof"):
        sent("later", "buy")
    signing._registered["keyed"] = Keyed("key", "proof")
    assert sent("later", "buy") == {"apiKey": KEY, "seal": "keys/Buy"}
