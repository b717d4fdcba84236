"""The types that messages in SOAP encoding contain (SOAP 1.1 5.1): `xsi:type`, and `arrayType` for arrays.

Old servers, such as Axis 1, select a deserializer by these attributes. Some refuse values without them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Final, Literal

from lxml import etree

from soapclient.contract import package_documents
from soapclient.contract.compiling import XSD
from soapclient.runtime import Package
from soapclient.runtime.any_element import XSI_TYPE
from soapclient.runtime.any_type import BUILT_IN
from soapclient.runtime.codec import Codec
from soapclient.runtime.elements import qname_text
from soapclient.runtime.fields import Field
from soapclient.runtime.nil import NIL_ATTRIBUTE
from soapclient.runtime.request_values import elements_of

Version = Literal["1.1", "1.2"]
# An array's type, or `TYPE/ELEMENT` for an array that an element declares → `ITEM[]`. Arrays of arrays have
# more brackets.
ArrayTypes = Mapping[str, str]

_ENC: Final = "http://schemas.xmlsoap.org/soap/encoding/"
_ENC_12: Final = "http://www.w3.org/2003/05/soap-encoding"
_ARRAY_TYPE: Final = "{http://schemas.xmlsoap.org/wsdl/}arrayType"
# Simple type in `schema.json` → its name in XML Schema.
_NAMES: Final = {scalar: name for name, scalar in BUILT_IN.items()} | {
    **dict.fromkeys(("date_time", "day"), "dateTime"),
    **dict.fromkeys(("double", "exact_double"), "double"),
    **dict.fromkeys(("float", "exact_float"), "float"),
    "q_name": "QName",
}


@cache
def types_of(package: Package) -> EncodedTypes:
    """Return the `EncodedTypes` of a package.

    Raises ConfigError if the WSDL or the schemas of the package are missing or damaged.
    """
    if package.settings.messages:  # not used here, but a damaged package must be noticed early
        package_documents.parsed(
            package, lambda: etree.fromstring(package_documents.document(package, "messages.xsd"))
        )
    arrays = package_documents.parsed(package, lambda: array_types(package_documents.wsdl(package)))
    return EncodedTypes(package.codec, arrays)


class EncodedTypes:
    """Writer of the type attributes (`xsi:type` and `arrayType`) in messages in SOAP encoding.

    Writes the names of built-in simple types, named complex types and array item types. Does not write the
    names of other simple types: servers know these types from the operation, and some servers map them to
    strings and refuse their names.
    """

    def __init__(self, codec: Codec, arrays: ArrayTypes) -> None:
        """Create a writer for the types of `codec`.

        `arrays` are the item types of the arrays: the result of `array_types`.
        """
        self._codec = codec
        self._arrays = arrays

    def add(self, node: etree._Element, name: str, version: Version = "1.1") -> None:
        """Add the attributes with the types to all elements in `node`.

        `name` is the type of `node` in the package, `version` the SOAP version.
        """
        tag = self._codec.xml_name(name)
        for field in elements_of(self._codec, name):
            children = list(node.iterchildren(field.tag))
            if field.item:
                array = self._array(f"{tag}/{field.name}")
                for child in children:
                    if array:
                        _add_array(child, array, version)
                    self._add_all(child.iterchildren(field.item), field, "", version)
            else:
                self._add_all(children, field, self._array(f"{tag}/{field.name}"), version)

    def _array(self, key: str) -> str:
        return self._arrays.get(key, "")

    def _add_all(
        self, elements: Iterable[etree._Element], field: Field, array: str, version: Version
    ) -> None:
        """Add the attributes with the types to `elements`, the values of a field.

        `array` is the item type if the values are arrays, otherwise "".
        """
        for element in elements:
            if element.get(NIL_ATTRIBUTE) is not None:
                continue
            if not field.holds:
                if (name := self._simple_type(field)) and element.get(XSI_TYPE) is None:
                    element.set(XSI_TYPE, qname_text(element, name))
                continue
            holds = self._actual(element, field.holds)
            own = array or self._array(self._codec.xml_name(holds))
            if own:
                _add_array(element, own, version)
            elif element.get(XSI_TYPE) is None and not self._codec.row(holds).anonymous:
                element.set(XSI_TYPE, qname_text(element, self._codec.xml_name(holds)))
            self.add(element, holds, version)

    def _simple_type(self, field: Field) -> str:
        """Return the name of a field's type if it is a simple type of XSD or SOAP encoding; otherwise ""."""
        if field.row.declared:
            declared = self._codec.schema.tag(field.row.declared)
            return declared if declared.startswith((f"{{{_ENC}}}", f"{{{_ENC_12}}}")) else ""
        name = _NAMES.get(field.row.type.partition(":")[0], "")
        return name and f"{{{XSD}}}{name}"

    def _actual(self, element: etree._Element, declared: str) -> str:
        """Return the type of an element: `declared`, or the derived type that its `xsi:type` names."""
        text = element.get(XSI_TYPE)
        return self._codec.by_xsi_type(declared).get(text.rpartition(":")[2], declared) if text else declared


def array_types(wsdl: bytes) -> ArrayTypes:
    """Return the item types of the arrays that a WSDL declares, in Clark notation.

    The keys are the names of the array types. An array that is declared inline by an element has the key
    `TYPE/ELEMENT`. A value ends with brackets: `{urn:example}Item[]` (SOAP 1.1, section 5.4.2).
    """
    root = etree.fromstring(wsdl, etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True))
    result = {}
    for attribute in root.iter(f"{{{XSD}}}attribute"):
        declared = attribute.get(_ARRAY_TYPE)
        ancestors = [node for node in attribute.iterancestors() if node.get("name") is not None]
        owner = next((node for node in ancestors if node.tag == f"{{{XSD}}}complexType"), None)
        schema = next(attribute.iterancestors(f"{{{XSD}}}schema"), None)
        if declared is not None and owner is not None and schema is not None:
            elements = [str(node.get("name")) for node in ancestors[: ancestors.index(owner)]]
            name = etree.QName(schema.get("targetNamespace") or None, str(owner.get("name"))).text
            prefix, _, local = declared.rpartition(":")
            kind = f"{{{attribute.nsmap.get(prefix or None, '')}}}{local}"
            result["/".join([name, *reversed(elements)])] = kind
    return result


def _add_array(node: etree._Element, declared: str, version: Version) -> None:
    """Add the attribute with the item type to an array, and to its items if they are arrays, too.

    `declared` is the item type with brackets, such as `{urn:example}Item[]`.
    """
    if node.get(NIL_ATTRIBUTE) is not None:
        return
    # The last brackets belong to this array: `int[][,]` has two dimensions, and its items are `int[]`.
    item, _, rank = declared.rpartition("[")
    kind, bracket, others = item.partition("[")
    sizes = [str(len(node)), *["1"] * rank.count(",")]
    if version == "1.2":  # SOAP 1.2 part 2, 3.3; there is no type for arrays of arrays
        if not bracket:
            node.set(f"{{{_ENC_12}}}itemType", qname_text(node, kind))
        node.set(f"{{{_ENC_12}}}arraySize", " ".join(sizes))
    else:
        node.set(f"{{{_ENC}}}arrayType", f"{qname_text(node, kind)}{bracket}{others}[{','.join(sizes)}]")
        node.set(XSI_TYPE, qname_text(node, f"{{{_ENC}}}Array"))
    for child in node if bracket else ():
        _add_array(child, item, version)
