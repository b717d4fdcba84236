"""A service whose requests an API key and a signature authenticate, and its signing scheme."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from bindgen import init
from soapclient.connection import Credentials
from soapclient.signing import Stamp

SPACE = "urn:example:keys"


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


def wsdl(port_types: tuple[str, ...] = ("Keys",), /, **messages: tuple[str, ...]) -> bytes:
    """A service with an operation for each message, of elements with text, and a port for each port type."""
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
    types = "".join(f'<portType name="{name}">{operations}</portType>' for name in port_types)
    bound = "".join(
        f'<binding name="{name}" type="t:{name}">'
        f'<soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>{bindings}</binding>'
        for name in port_types
    )
    ports = "".join(
        f'<port name="{name}" binding="t:{name}"><soap:address location="http://keys.invalid/"/></port>'
        for name in port_types
    )
    return f"""<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:t="{SPACE}"
    targetNamespace="{SPACE}" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:x="http://www.w3.org/2001/XMLSchema">
<types><x:schema targetNamespace="{SPACE}" elementFormDefault="qualified">{elements}
<x:element name="Done"><x:complexType><x:sequence><x:element name="number" type="x:int"/></x:sequence>
</x:complexType></x:element></x:schema></types>
{parts}<message name="Done"><part name="body" element="t:Done"/></message>
{types}{bound}<service name="Keys">{ports}</service></definitions>""".encode()


def generate(folder: Path, name: str, document: bytes, **roles: str) -> list[str]:
    """Generate the package `name` in a folder. Return what `bindgen` prints about signatures."""
    file = folder / f"{name}.wsdl"
    file.write_bytes(document)
    table = {"scheme": "keyed", "service_name": "keys", **roles}
    made = init.make(name, file, offline=True, sections={"signing": table})
    init.write(folder / name, made.files)
    return [str(line) for line in made.contract.remarks]
