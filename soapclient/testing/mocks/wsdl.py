"""The WSDL that a mock serves: with the addresses of the mock and the namespaces of the original.

A package stores its contract as one document, in which all components have been moved to one namespace. A
processing instruction before a moved component gives its original name. With these names, the mock serves one
document for each original namespace. The schemas (`<types>`) are in another document, which all of these
import.

The mock also serves standard schemas ("fixed schemas"), which clients would otherwise request from the W3C
and other hosts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib import resources
from typing import Final

from lxml import etree

from soapclient.runtime.errors import local_name
from soapclient.runtime.operations import AnyOperation
from soapclient.runtime.schema import PortRow

_WSDL: Final = "{http://schemas.xmlsoap.org/wsdl/}"
_XSD: Final = "{http://www.w3.org/2001/XMLSchema}"
_ORIGIN: Final = "soapclient-name"  # name of the processing instruction, which bindgen writes
_COMPONENTS: Final = frozenset(f"{_WSDL}{kind}" for kind in ("message", "portType", "binding", "service"))
_TYPES: Final = "urn:soapclient:types"  # the namespace of the document that has only types
_ENC: Final = "http://schemas.xmlsoap.org/soap/encoding/"
# Fixed schemas that clients request from other hosts, as files of xmlschema.
_FIXED: Final = {
    "http://www.w3.org/XML/1998/namespace": "schemas/XML/xml.xsd",
    "http://www.w3.org/1999/xlink": "schemas/XLINK/xlink.xsd",
    _ENC: "schemas/WSDL/soap-encoding.xsd",
}
_ACTION: Final = (
    "{http://www.w3.org/2007/05/addressing/metadata}Action",
    "{http://www.w3.org/2006/05/addressing/wsdl}Action",
)


class ServedWsdl:
    """The WSDL documents that a mock serves for a contract. `ports` is a dict from URL path to WSDL port."""

    def __init__(self, contract: bytes, ports: Mapping[str, PortRow]) -> None:
        self._root = _parsed(contract)
        self._ports = ports
        self._space = self._root.get("targetNamespace", "")
        self._origins: dict[tuple[str, str], etree.QName] = {}  # (tag, name) → original name
        self._components: list[tuple[etree._Element, etree.QName]] = []
        origin = ""
        for node in self._root:
            if isinstance(node, etree._ProcessingInstruction):
                origin = (node.text or "") if node.target == _ORIGIN else ""
            elif node.tag in _COMPONENTS:
                name = str(node.get("name"))
                self._origins[str(node.tag), name] = etree.QName(
                    origin or etree.QName(self._space or None, name)
                )
                self._components.append((node, self._origins[str(node.tag), name]))
                origin = ""
        spaces = dict.fromkeys([self._space, *(name.namespace or "" for _, name in self._components)])
        self._spaces = [*spaces, *([_TYPES] if len(spaces) > 1 else [])]

    def document(self, number: int, base: str, path: str) -> bytes | None:
        """Return one of the WSDL's documents, or None if it does not exist. Number 0 is the main document.

        `base` is the URL of the mock; the addresses of the ports begin with it. `base` + `path` is the URL of
        the WSDL; imports refer to the other documents with this URL and a query (`?wsdl=1`).
        """
        if not 0 <= number < len(self._spaces):
            return None
        space = self._spaces[number]
        prefixes: dict[str | None, str] = {
            f"origin{index}": item for index, item in enumerate(self._spaces) if item
        }
        attributes = dict(self._root.attrib) if number == 0 else {"targetNamespace": space}
        top = etree.Element(self._root.tag, attributes, nsmap={**self._root.nsmap, **prefixes})
        used: set[str] = {_TYPES} if number else set(self._spaces)
        components = {id(node): name for node, name in self._components}
        for node in self._root:
            name = components.get(id(node))
            home = self._spaces[0] if name is None else name.namespace or ""
            home = self._spaces[-1] if node.tag == f"{_WSDL}types" else home
            if isinstance(node.tag, str) and home == space:
                copy = _parsed(etree.tostring(node, with_tail=False))
                if name is not None:
                    copy.set("name", name.localname)
                    used.update(self._refer(copy, prefixes))
                    self._locate(copy, base)
                top.append(copy)
        for index, imported in enumerate(self._spaces):  # the types become the first import
            if imported in used and index != number:
                location = f"{base}{path}?wsdl" + (f"={index}" if index else "")
                top.insert(0, etree.Element(f"{_WSDL}import", namespace=imported, location=location))
        for types in top.iterchildren(f"{_WSDL}types"):
            for schema in types.findall(f"{_XSD}schema"):
                if schema.get("targetNamespace") in _FIXED:
                    types.remove(schema)  # served as a separate document
            _locate_fixed(types.iterchildren(f"{_XSD}schema"), base + path)
        return etree.tostring(top, xml_declaration=True, encoding="UTF-8")

    def schema(self, number: int, base: str, path: str) -> bytes | None:
        """Return one of the standard schemas that the mock serves itself, such as `xml.xsd`, by its number.

        The first schema has the number 1. Returns None if the number is unknown. `base` + `path` is the URL
        of the WSDL.
        """
        if not 1 <= number <= len(_FIXED):
            return None
        file = resources.files("xmlschema").joinpath([*_FIXED.values()][number - 1])
        schema = _parsed(file.read_bytes())
        _locate_fixed([schema], base + path)
        return etree.tostring(schema, xml_declaration=True, encoding="UTF-8")

    def response_action(self, operation: AnyOperation) -> str:
        """Return the WS-Addressing action of a response: the action in the WSDL, or the default.

        The default is defined in WS-Addressing 1.0 Metadata, section 4.4.4.
        """
        port_type = etree.QName(self._space or None, operation.port_type.rpartition("}")[2] or "port")
        name = f"{operation.name}Response"
        for node, origin in self._components:
            if node.tag == f"{_WSDL}portType" and operation.port_type in ("", origin.text):
                for output in node.iterfind(f"{_WSDL}operation[@name='{operation.name}']/{_WSDL}output"):
                    for attribute in _ACTION:
                        if action := output.get(attribute):
                            return action
                    port_type, name = origin, output.get("name", name)
        space = port_type.namespace or ""
        delimiter = ":" if space.lower().startswith("urn:") else "/"
        return delimiter.join([space.removesuffix(delimiter), port_type.localname, name])

    def _refer(self, component: etree._Element, prefixes: Mapping[str | None, str]) -> Iterator[str]:
        """Restore the original names in the references from `component` to other WSDL components.

        Yields the namespace of each restored name. `prefixes` has the namespaces by their prefixes.
        """
        by_space = {space: prefix for prefix, space in prefixes.items()}
        for node in component.iter("*"):
            for attribute, tag in _references(node, component):
                origin = self._origins.get((tag, str(node.get(attribute)).rpartition(":")[2]))
                if origin is not None:
                    space = origin.namespace or ""
                    prefix = by_space.get(space)
                    node.set(attribute, f"{prefix}:{origin.localname}" if prefix else origin.localname)
                    yield space

    def _locate(self, component: etree._Element, base: str) -> None:
        """Set the addresses of the ports in `component`, if it is a wsdl:service, to URLs of the mock.

        `base` is the URL of the mock. Each port has its own path below it.
        """
        if component.tag != f"{_WSDL}service":
            return
        for path, port in self._ports.items():
            for node in component.iterchildren(f"{_WSDL}port"):
                if (component.get("name"), node.get("name")) == (port.service, port.name):
                    for address in node.iterchildren("{*}address"):
                        address.set("location", base + path)


def _parsed(text: bytes) -> etree._Element:
    return etree.fromstring(text, etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True))


def _references(node: etree._Element, component: etree._Element) -> Iterator[tuple[str, str]]:
    """Yield (attribute name, component tag) for an attribute of `node` that refers to a WSDL component.

    For example, yields `binding` and the tag of wsdl:binding for a wsdl:port. `node` is `component` or an
    element in it. Yields nothing if no attribute of `node` refers to a component.
    """
    local = local_name(str(node.tag))
    if local in ("input", "output", "fault", "header", "headerfault") and node.get("message"):
        yield "message", f"{_WSDL}message"
    elif node is component and local == "binding" and node.get("type"):
        yield "type", f"{_WSDL}portType"
    elif local == "port" and node.get("binding"):
        yield "binding", f"{_WSDL}binding"


def _locate_fixed(schemas: Iterable[etree._Element], address: str) -> None:
    """Make each import of a standard schema, such as `xml.xsd`, refer to the mock's copy at `address`.

    Also adds an import of the schema of SOAP encoding to a schema that uses it without an import.
    """
    for schema in schemas:
        imports = list(schema.iterchildren(f"{_XSD}import"))
        if _uses(schema, _ENC) and all(node.get("namespace") != _ENC for node in imports):
            imports.append(etree.Element(f"{_XSD}import", namespace=_ENC))
            schema.insert(0, imports[-1])
        for node in imports:
            if node.get("namespace") in _FIXED:
                number = list(_FIXED).index(str(node.get("namespace"))) + 1
                node.set("schemaLocation", f"{address}?xsd={number}")


def _uses(schema: etree._Element, space: str) -> bool:
    """Return True if an attribute in a schema, such as `type`, refers to a name in the namespace."""
    return any(
        prefix and node.nsmap.get(prefix) == space
        for node in schema.iter("*")
        for key in ("ref", "base", "type", "itemType")
        if (prefix := str(node.get(key, "")).rpartition(":")[0])
    )
