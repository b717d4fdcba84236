"""Variants of the reconstructed contracts: shapes that the service's true WSDLs may have.

Each function changes the root of a WSDL in place, or returns several documents instead.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from lxml import etree

XSD = "{http://www.w3.org/2001/XMLSchema}"
WSDL = "{http://schemas.xmlsoap.org/wsdl/}"
SOAP = "{http://schemas.xmlsoap.org/wsdl/soap/}"
SOAP12 = "{http://schemas.xmlsoap.org/wsdl/soap12/}"
FIELDS = ("connectId", "timestamp", "nonce", "signature")
NEW_VERSION = "2012-07-01"
NEW_SPACE = "urn:example:tracking:next"
TYPES_SPACE = "urn:example:tracking:types"

Documents = dict[str, bytes]
Variant = Callable[[etree._Element], etree._Element]


def parsed(document: bytes) -> etree._Element:
    return etree.fromstring(document, etree.XMLParser(remove_comments=True))


def written(root: etree._Element) -> bytes:
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8")


def schema_of(root: etree._Element) -> etree._Element:
    (schema,) = root.iterfind(f"{WSDL}types/{XSD}schema")
    return schema


def request_types(root: etree._Element) -> list[etree._Element]:
    """Return the sequences of the requests' types."""
    return [
        sequence
        for kind in schema_of(root).iterchildren(f"{XSD}complexType")
        if kind.get("name", "").endswith("Request")
        for sequence in kind.iterchildren(f"{XSD}sequence")
    ]


def own_fields(sequence: etree._Element) -> list[etree._Element]:
    return [node for node in sequence if node.get("name") in FIELDS]


def removed(nodes: list[etree._Element]) -> list[etree._Element]:
    """Remove nodes from the document, and return them."""
    for node in nodes:
        parent_of(node).remove(node)
    return nodes


def parent_of(node: etree._Element) -> etree._Element:
    parent = node.getparent()
    assert parent is not None
    return parent


def element(name: str, **attributes: str) -> etree._Element:
    return etree.Element(f"{XSD}element", {"name": name} | attributes)


def strings(names: Iterable[str]) -> list[etree._Element]:
    return [element(name, type="xsd:string") for name in names]


def add_message(root: etree._Element, name: str, *elements: str) -> None:
    """Add a message with a part for each element, with its name."""
    message = etree.Element(f"{WSDL}message", name=name)
    for each in elements:
        etree.SubElement(message, f"{WSDL}part", name=each, element=f"tns:{each}")
    (types,) = root.iterfind(f"{WSDL}types")
    types.addnext(message)


# ---- names


def another_namespace(root: etree._Element) -> etree._Element:
    return _renamed(root, NEW_SPACE)


def another_version(root: etree._Element) -> etree._Element:
    """Change the version in the namespace and in the address."""
    old = root.get("targetNamespace", "")
    return _of_version(root, old.replace(old.rstrip("/").rpartition("/")[2], NEW_VERSION))


def another_namespace_and_version(root: etree._Element) -> etree._Element:
    return _of_version(root, f"http://next.example/{NEW_VERSION}/tracking/")


def _of_version(root: etree._Element, namespace: str) -> etree._Element:
    version = root.get("targetNamespace", "").rstrip("/").rpartition("/")[2]
    root = _renamed(root, namespace)
    for address in root.iter(f"{SOAP}address"):
        address.set("location", address.get("location", "").replace(version, NEW_VERSION))
    return root


def _renamed(root: etree._Element, new: str) -> etree._Element:
    """Change the namespace. SOAPActions are namespace and operation, joined by / or :."""
    old = root.get("targetNamespace", "")
    text = written(root).decode().replace(old, new if new.endswith("/") else f"{new}:")
    return parsed(text.replace(f'"{new}:"', f'"{new}"').encode())


def unqualified(root: etree._Element) -> etree._Element:
    schema_of(root).set("elementFormDefault", "unqualified")
    return root


# ---- places of the signature


def first(root: etree._Element) -> etree._Element:
    for sequence in request_types(root):
        for at, node in enumerate(own_fields(sequence)):
            sequence.insert(at, node)
    return root


def middle(root: etree._Element) -> etree._Element:
    """Separate the signature's fields: before, between and after the other fields."""
    for sequence in request_types(root):
        own = own_fields(sequence)
        others = len(sequence) - len(own)
        for node, at in zip(own, (0, (others + 1) // 2 + 1, others + 2, others + 3), strict=False):
            sequence.remove(node)
            sequence.insert(min(at, len(sequence)), node)
    return root


def nested(root: etree._Element) -> etree._Element:
    """Move the fields into a new element, the first of each request."""
    schema = schema_of(root)
    for name, number in (("credentials", 4), ("identity", 1)):
        kind = etree.SubElement(schema, f"{XSD}complexType", name=name)
        inside = etree.SubElement(kind, f"{XSD}sequence")
        inside.extend(strings(FIELDS[:number]))
    for sequence in request_types(root):
        own = removed(own_fields(sequence))
        if own:
            name = "credentials" if len(own) == 4 else "identity"
            sequence.insert(0, element("auth", type=f"tns:{name}"))
    return root


def nested_among_others(root: etree._Element) -> etree._Element:
    """Move the fields into an element that also holds a field of the caller."""
    root = nested(root)
    for kind in schema_of(root).iterchildren(f"{XSD}complexType"):
        if kind.get("name") in ("credentials", "identity"):
            (inside,) = kind
            inside.insert(1, element("language", type="xsd:string", minOccurs="0"))
    return root


def inherited(root: etree._Element) -> etree._Element:
    """Inherit the fields from a base type of all signed requests."""
    schema = schema_of(root)
    base = etree.Element(f"{XSD}complexType", name="signed", abstract="true")
    etree.SubElement(base, f"{XSD}sequence").extend(strings(FIELDS))
    schema.append(base)
    for sequence in request_types(root):
        own = own_fields(sequence)
        if len(own) < len(FIELDS):
            continue
        removed(own)
        content = etree.SubElement(parent_of(sequence), f"{XSD}complexContent")
        etree.SubElement(content, f"{XSD}extension", base="tns:signed").append(sequence)
    return root


def pages_inherited(root: etree._Element) -> etree._Element:
    """The signature and the pages of requests from two base types; pages of responses from another."""
    root = inherited(root)
    pages = {"page": "xsd:int", "items": "xsd:int", "total": "xsd:long"}
    request = etree.SubElement(schema_of(root), f"{XSD}complexType", name="paged", abstract="true")
    content = etree.SubElement(request, f"{XSD}complexContent")
    extension = etree.SubElement(content, f"{XSD}extension", base="tns:signed")
    inside = etree.SubElement(extension, f"{XSD}sequence")
    inside.extend(element(name, type="xsd:int", minOccurs="0") for name in ("page", "items"))
    response = etree.SubElement(schema_of(root), f"{XSD}complexType", name="page", abstract="true")
    etree.SubElement(response, f"{XSD}sequence").extend(element(name, type=pages[name]) for name in pages)
    for kind in list(schema_of(root).iterchildren(f"{XSD}complexType")):
        extended = kind.find(f"{XSD}complexContent/{XSD}extension[@base='tns:signed']")
        sequence = (kind if extended is None else extended).find(f"{XSD}sequence")
        if sequence is None or not kind.get("name", "").endswith(("Request", "Response")):
            continue
        own = [node for node in sequence if node.get("name") in pages]
        if not own:
            continue
        if extended is not None:
            extended.set("base", "tns:paged")
        elif kind.get("name", "").endswith("Response"):
            content = etree.SubElement(kind, f"{XSD}complexContent")
            extension = etree.SubElement(content, f"{XSD}extension", base="tns:page")
            extension.extend([*kind.iterchildren(f"{XSD}sequence")])
        else:
            continue
        removed(own)
    return root


def attributes(root: etree._Element) -> etree._Element:
    for sequence in request_types(root):
        for node in removed(own_fields(sequence)):
            attribute = etree.SubElement(parent_of(sequence), f"{XSD}attribute", name=node.get("name", ""))
            attribute.attrib.update({"type": "xsd:string", "use": "required"})
    return root


def in_header(root: etree._Element) -> etree._Element:
    """Move the fields into one part of a SOAP header. Public operations have another part."""
    names = _without_fields(root)
    schema = schema_of(root)
    for name, number in (("authentication", 4), ("identification", 1)):
        kind = etree.SubElement(etree.SubElement(schema, f"{XSD}element", name=name), f"{XSD}complexType")
        inside = etree.SubElement(kind, f"{XSD}sequence")
        inside.extend(strings(FIELDS[:number]))
        add_message(root, name, name)
    for operation, number in names.items():
        part = "authentication" if number == 4 else "identification"
        _declare(root, operation, [(part, part)])
    return root


def in_header_parts(root: etree._Element) -> etree._Element:
    """Move each field into a SOAP header."""
    names = _without_fields(root)
    schema_of(root).extend(strings(FIELDS))
    add_message(root, "authentication", *FIELDS)
    for operation, number in names.items():
        _declare(root, operation, [("authentication", each) for each in FIELDS[:number]])
    return root


def with_session_header(root: etree._Element) -> etree._Element:
    """Add a SOAP header that is unrelated to the signature."""
    schema_of(root).extend(strings(["session"]))
    add_message(root, "session", "session")
    for operation in root.iterfind(f"{WSDL}portType/{WSDL}operation"):
        _declare(root, operation.get("name", ""), [("session", "session")])
    return root


def in_http_headers(root: etree._Element) -> etree._Element:
    _without_fields(root)
    return root


def _without_fields(root: etree._Element) -> dict[str, int]:
    """Remove the fields from the requests. Return the number of removed fields by operation."""
    found = {}
    for sequence in request_types(root):
        name = parent_of(sequence).get("name", "").removesuffix("Request")
        found[name] = len(removed(own_fields(sequence)))
    return found


def _declare(root: etree._Element, operation: str, parts: Iterable[tuple[str, str]]) -> None:
    for node in root.iterfind(f"{WSDL}binding/{WSDL}operation[@name='{operation}']/{WSDL}input"):
        for message, part in parts:
            etree.SubElement(node, f"{SOAP}header", message=f"tns:{message}", part=part, use="literal")


# ---- forms of messages


def another_order(root: etree._Element) -> etree._Element:
    """Reverse the order of the elements in requests and responses, signature fields included."""
    for kind in schema_of(root).iterchildren(f"{XSD}complexType"):
        if kind.get("name", "").endswith(("Request", "Response")):
            for sequence in kind.iterchildren(f"{XSD}sequence"):
                sequence[:] = list(sequence)[::-1]
    return root


def wrapped(root: etree._Element) -> etree._Element:
    """document/literal wrapped: elements named like their operations, parts named `parameters`."""
    for node in schema_of(root).iterchildren(f"{XSD}element"):
        if node.get("name", "").endswith("Request"):
            node.set("name", node.get("name", "").removesuffix("Request"))
    for part in root.iterfind(f"{WSDL}message/{WSDL}part"):
        if part.get("element", "").endswith("Request"):
            part.set("element", part.get("element", "").removesuffix("Request"))
            part.set("name", "parameters")
    return root


def anonymous(root: etree._Element) -> etree._Element:
    """Give requests and responses anonymous types if the types are named like the elements."""
    schema = schema_of(root)
    kinds = {kind.get("name"): kind for kind in schema.iterchildren(f"{XSD}complexType")}
    for node in schema.iterchildren(f"{XSD}element"):
        kind = kinds.get(node.get("name"))
        if kind is not None and node.get("name", "").endswith(("Request", "Response")):
            del kind.attrib["name"], node.attrib["type"]
            node.append(kind)
    return root


def soap12(root: etree._Element) -> etree._Element:
    text = written(root).decode()
    return parsed(text.replace(f'"{SOAP[1:-1]}"', f'"{SOAP12[1:-1]}"').encode())


def both_versions(root: etree._Element) -> etree._Element:
    """Add a second binding and a second port over SOAP 1.2."""
    (binding,) = root.iterfind(f"{WSDL}binding")
    (port,) = root.iterfind(f"{WSDL}service/{WSDL}port")
    for node in (binding, port):
        text = etree.tostring(node, encoding="unicode", with_tail=False)
        other = etree.fromstring(text.replace(SOAP[1:-1], SOAP12[1:-1]))
        other.set("name", f"{node.get('name')}12")
        if node is port:
            other.set("binding", f"{node.get('binding')}12")
        node.addnext(other)
    return root


# ---- more and less


def another_fault(root: etree._Element) -> etree._Element:
    text = written(root).decode()
    return parsed(text.replace("SOAPException", "TrackingFault").encode())


def one_more(root: etree._Element) -> etree._Element:
    """Add an operation GetTotals, a copy of the first list operation."""
    name = "GetAdspaces" if list(_named(root, "GetAdspaces")) else "GetJobs"
    for node in list(_named(root, name)):
        node.addnext(_copied(node, name, "GetTotals"))
    return root


def one_less(root: etree._Element) -> etree._Element:
    name = "GetLeads" if list(_named(root, "GetLeads")) else "GetJobs"
    removed(list(_named(root, name)))
    return root


def _named(root: etree._Element, operation: str) -> Iterable[etree._Element]:
    names = {operation, f"{operation}Request", f"{operation}Response"}
    for node in root.iter(f"{WSDL}message", f"{WSDL}operation", f"{XSD}element", f"{XSD}complexType"):
        if node.get("name") in names:
            yield node


def _copied(node: etree._Element, old: str, new: str) -> etree._Element:
    text = etree.tostring(node, encoding="unicode", with_tail=False)
    return etree.fromstring(text.replace(old, new))


# ---- types of values


def with_money_as(name: str) -> Variant:
    """Give amounts of money another numeric type. Ranks keep their type: they are not money."""

    def changed(root: etree._Element) -> etree._Element:
        for node in schema_of(root).iter(f"{XSD}element"):
            if node.get("type") in ("xsd:float", "xsd:double") and node.get("name") != "adrank":
                node.set("type", f"xsd:{name}")
        return root

    return changed


def wider(root: etree._Element) -> etree._Element:
    """Add a first value to each enumeration. The service responds with the first value."""
    for node in schema_of(root).iter(f"{XSD}restriction"):
        if node.find(f"{XSD}enumeration") is not None:
            node.insert(0, etree.Element(f"{XSD}enumeration", value="quiteNew"))
    return root


def narrower(root: etree._Element) -> etree._Element:
    """Remove the first value of each enumeration."""
    for node in schema_of(root).iter(f"{XSD}restriction"):
        first_value = node.find(f"{XSD}enumeration")
        if first_value is not None:
            node.remove(first_value)
    return root


def without_rest_only(settings: str) -> str:
    """Remove the REST-only schema, operation and parameters from the settings."""
    own, mark, others = settings.partition("[contracts.data]")
    for pattern in (
        r"schema = .*\n",
        r"\[contracts\.publisher\.(rest\.GetSaleBasket|rest_only)\](?:.*\n)+?\n",
        r"(industry|isexclusive|ean|merchantcategory) = .*\n",
        r'partnership = "partnership"\n',
        r'datetype = \{ field = "dateType", spelling = "date_type" \}\n',
    ):
        own, number = re.subn(pattern, "", own)
        assert number, pattern
    return own + mark + others


def edit_settings(folder: Path, contract: str, edit: Callable[[str], str]) -> None:
    """Edit contracts.toml from a contract's first table on, including the contracts that follow."""
    path = folder / "contracts.toml"
    before, mark, own = path.read_text("utf-8").partition(f"[contracts.{contract}]")
    path.write_text(before + mark + edit(own), "utf-8")


# ---- over several documents


def imported(root: etree._Element) -> Documents:
    """Move the schema into a document that the WSDL imports, and its types into one that it includes."""
    schema = schema_of(root)
    space = schema.get("targetNamespace", "")
    types = etree.Element(schema.tag, dict(schema.attrib), nsmap=root.nsmap)
    elements = etree.Element(schema.tag, dict(schema.attrib), nsmap=root.nsmap)
    etree.SubElement(elements, f"{XSD}include", schemaLocation="types.xsd")
    for node in list(schema):
        (elements if node.tag == f"{XSD}element" else types).append(node)
    del schema.attrib["targetNamespace"]
    etree.SubElement(schema, f"{XSD}import", namespace=space, schemaLocation="elements.xsd")
    return {"service.wsdl": written(root), "elements.xsd": written(elements), "types.xsd": written(types)}


def other_types(root: etree._Element) -> Documents:
    """Move all types except requests and responses to another namespace and document."""
    schema = schema_of(root)
    of_types = {**dict(schema.attrib), "targetNamespace": TYPES_SPACE}
    types = etree.Element(schema.tag, of_types, nsmap={**root.nsmap, "tns": TYPES_SPACE})
    kept_ends = ("Request", "Response", "SOAPException")
    others = [node for node in schema if node.tag != f"{XSD}element"]
    moved = [node for node in others if not node.get("name", "").endswith(kept_ends)]
    names = {node.get("name") for node in moved}
    types.extend(moved)
    top = copy.deepcopy(schema)
    for node in top.iter("*"):
        for key in ("type", "base", "ref"):
            value = node.get(key, "")
            if value.startswith("tns:") and value[4:] in names:
                node.set(key, f"typ:{value[4:]}")
    link = etree.Element(f"{XSD}import", namespace=TYPES_SPACE, schemaLocation="types.xsd")
    inside = etree.Element(schema.tag, dict(schema.attrib), nsmap={**root.nsmap, "typ": TYPES_SPACE})
    inside.append(link)
    inside.extend(list(top))
    parent_of(schema).replace(schema, inside)
    return {"service.wsdl": written(root), "types.xsd": written(types)}


SINGLE: Mapping[str, Variant] = {
    "as it is": lambda root: root,
    "another namespace": another_namespace,
    "another version": another_version,
    "another namespace and version": another_namespace_and_version,
    "unqualified": unqualified,
    "first": first,
    "middle": middle,
    "nested": nested,
    "nested among others": nested_among_others,
    "inherited": inherited,
    "attributes": attributes,
    "in a header": in_header,
    "in header parts": in_header_parts,
    "in HTTP headers": in_http_headers,
    "another order": another_order,
    "wrapped": wrapped,
    "anonymous": anonymous,
    "SOAP 1.2": soap12,
    "both versions": both_versions,
    "another fault": another_fault,
    "one more": one_more,
    "one less": one_less,
    "unqualified, in a header": lambda root: in_header(unqualified(root)),
    "unqualified, first, another namespace": lambda root: first(unqualified(another_namespace(root))),
}
SEVERAL: Mapping[str, Callable[[etree._Element], Documents]] = {
    "imported and included": imported,
    "types in another namespace": other_types,
}
# Variants of the Publisher contract alone; Data has its own in data_variants.
PUBLISHER: Mapping[str, Variant] = {
    "pages inherited": pages_inherited,
    "money as double": with_money_as("double"),
    "money as decimal": with_money_as("decimal"),
    "wider enumerations": wider,
    "narrower enumerations": narrower,
    "no REST-only parts": lambda root: root,
}
# Variants for which contracts.toml is edited: how.
SETTINGS: Mapping[str, Callable[[str], str]] = {"no REST-only parts": without_rest_only}


def documents(name: str, original: bytes) -> Documents:
    """Return the documents of a variant; the first is the WSDL."""
    root = parsed(original)
    if name in SEVERAL:
        return SEVERAL[name](root)
    return {"service.wsdl": written({**SINGLE, **PUBLISHER}[name](root))}
