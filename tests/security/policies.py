"""WSDLs with a WS-SecurityPolicy, and their packages."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module, invalidate_caches
from itertools import count
from pathlib import Path
from types import ModuleType

from bindgen import init
from bindgen.init import GeneratedPackage

_serial = count(1)
_WSDL = """<definitions targetNamespace="urn:example:shop" xmlns:t="urn:example:shop"
    xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/"
    xmlns:x="http://www.w3.org/2001/XMLSchema" xmlns:p="http://www.w3.org/ns/ws-policy"
    xmlns:old="http://schemas.xmlsoap.org/ws/2004/09/policy"
    xmlns:sp="http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702"
    xmlns:sp1="http://schemas.xmlsoap.org/ws/2005/07/securitypolicy"
    xmlns:wsa="http://www.w3.org/2005/08/addressing" xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"
    xmlns:wsse="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd"
    xmlns:u="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd">
  {top}
  <types><x:schema targetNamespace="urn:example:shop" elementFormDefault="qualified">
    <x:element name="Buy"><x:complexType><x:sequence><x:element name="article" type="x:string"/>
    </x:sequence></x:complexType></x:element>
    <x:element name="BuyResponse"><x:complexType><x:sequence><x:element name="number" type="x:int"/>
    </x:sequence></x:complexType></x:element>
    <x:element name="Look" type="x:string"/><x:element name="LookResponse" type="x:string"/>
  </x:schema></types>
  <message name="In"><part name="p" element="t:Buy"/></message>
  <message name="Out"><part name="p" element="t:BuyResponse"/></message>
  <message name="LookIn"><part name="p" element="t:Look"/></message>
  <message name="LookOut"><part name="p" element="t:LookResponse"/></message>
  <portType name="ShopPort">
    <operation name="Buy"><input message="t:In"/><output message="t:Out"/></operation>
    <operation name="Look"><input message="t:LookIn"/><output message="t:LookOut"/></operation>
  </portType>
  <binding name="Shop" type="t:ShopPort">{binding}
    <s:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>
    <operation name="Buy">{operation}<s:operation soapAction=""/><input>{input}<s:body use="literal"/></input>
      <output>{output}<s:body use="literal"/></output></operation>
    <operation name="Look"><s:operation soapAction=""/><input><s:body use="literal"/></input>
      <output><s:body use="literal"/></output></operation>
  </binding>
  <service name="ShopService"><port name="Shop" binding="t:Shop">
    <s:address location="https://shop.example/soap"/></port></service>
</definitions>
"""


def policy(*assertions: str, attributes: str = "") -> str:
    return f"<p:Policy {attributes}>{''.join(assertions)}</p:Policy>"


def nested(name: str, *assertions: str, attributes: str = "") -> str:
    """Return an assertion with a nested policy."""
    return f"<sp:{name} {attributes}>{policy(*assertions)}</sp:{name}>"


def token(name: str, *assertions: str, include: str = "") -> str:
    space = "http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702/IncludeToken"
    included = f'sp:IncludeToken="{space}/{include}"' if include else ""
    return nested(name, *assertions, attributes=included)


def suite(name: str) -> str:
    return nested("AlgorithmSuite", f"<sp:{name}/>")


X509 = token("X509Token", "<sp:WssX509V3Token10/>", include="AlwaysToRecipient")
X509_NEVER = token("X509Token", "<sp:RequireThumbprintReference/>", include="Never")
USER = token("UsernameToken", "<sp:WssUsernameToken10/>", include="AlwaysToRecipient")
SIGN_BODY, ENCRYPT_BODY = (
    "<sp:SignedParts><sp:Body/></sp:SignedParts>",
    ("<sp:EncryptedParts><sp:Body/></sp:EncryptedParts>"),
)


def asymmetric(*more: str, algorithms: str = "Basic256Sha256") -> str:
    return nested(
        "AsymmetricBinding",
        nested("InitiatorToken", X509),
        nested("RecipientToken", X509_NEVER),
        suite(algorithms),
        nested("Layout", "<sp:Strict/>"),
        "<sp:IncludeTimestamp/>",
        "<sp:OnlySignEntireHeadersAndBody/>",
        *more,
    )


def symmetric(*more: str, derived: bool = True, algorithms: str = "Basic256Sha256") -> str:
    reference = "<sp:RequireThumbprintReference/>"
    protection = token("X509Token", reference, "<sp:RequireDerivedKeys/>" * derived, include="Never")
    return nested(
        "SymmetricBinding",
        nested("ProtectionToken", protection),
        suite(algorithms),
        "<sp:IncludeTimestamp/>",
        *more,
    )


def transport(*more: str, https: str = "") -> str:
    inner = nested("TransportToken", nested("HttpsToken", https))
    return nested("TransportBinding", inner, suite("Basic256"), "<sp:IncludeTimestamp/>", *more)


def generate(
    folder: Path, changes: Mapping[str, str] | None = None, /, *, name: str = "", **places: str
) -> GeneratedPackage:
    """Run `bindgen init` for a WSDL with policies at some places, after some replacements in its text."""
    file = folder / "shop.wsdl"
    text = _WSDL.format(**dict.fromkeys(("top", "binding", "operation", "input", "output"), "") | places)
    for old, new in (changes or {}).items():
        assert old in text
        text = text.replace(old, new, 1)
    file.write_text(text)
    return init.make(name or f"policy_shop_{next(_serial)}", file, offline=True)


@contextmanager
def package(folder: Path, changes: Mapping[str, str] | None = None, /, **places: str) -> Iterator[ModuleType]:
    """Generate and import a package."""
    result = generate(folder, changes, **places)
    name = result.contract.name
    init.write(folder / name, result.files)
    sys.path.insert(0, str(folder))
    invalidate_caches()
    try:
        yield import_module(name)
    finally:
        sys.path.remove(str(folder))
        for module in [module for module in sys.modules if module.split(".")[0] == name]:
            del sys.modules[module]
