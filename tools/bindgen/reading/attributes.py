"""Read the attributes of complex types: declarations, groups and wildcards.

They are defined in XSD 1.0 part 1, sections 3.2, 3.4 and 3.6.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from lxml import etree

from bindgen import naming
from bindgen.model import Facets, Field, Simple, Wildcard
from bindgen.reading.compiled import predefined_schema
from bindgen.reading.documents import Documents
from bindgen.reading.findings import Findings
from bindgen.reading.nodes import ENCODING, XML, XSI, below, doc, kind, parts
from bindgen.reading.schemas import Component, Schema, Schemas
from bindgen.reading.simple import STRING, SimpleTypeRead, SimpleTypes, built_in
from bindgen.simple_types import XSD

_MOST = 5000  # maximum number of attributes of one type, or of attribute groups
# Attributes of the XML namespace, which contracts may use without a schema for it.
_OF_XML = {"lang": "language", "base": "anyURI", "id": "ID", "space": "NCName"}
_OF_SPACE = Facets(enumeration=("default", "preserve"))


class TypeAttributes(NamedTuple):
    """The attributes that a type declares.

    - `fields`: the attributes.
    - `prohibited`: the keys of attributes with use="prohibited".
    - `wider`: the wildcard that the type itself declares, if the type also inherits a wildcard; otherwise
      empty. An attribute is allowed if it matches either wildcard (XSD 1.0 part 1, section 3.4.2).
    """

    fields: list[Field]
    prohibited: set[str]
    wider: list[Wildcard]


class Attributes:
    """Reads the attributes of types."""

    def __init__(self, schemas: Schemas, simple: SimpleTypes, findings: Findings) -> None:
        self._schemas = schemas
        self._simple = simple
        self._findings = findings

    def of(
        self, schema: Schema, node: etree._Element, path: str, inherited: Iterable[Field] = ()
    ) -> TypeAttributes:
        """Return the attributes that the children of `node` declare, except attributes in `inherited`.

        `path` is the name of the type. Names of anonymous types inside it are made from this name.
        """
        reading = _AttributeCollector(self, path, {field.tag or field.kind for field in inherited})
        reading.all(schema, node)
        return TypeAttributes(reading.fields, reading.prohibited, reading.wider)

    def field(self, schema: Schema, node: etree._Element, path: str) -> Field | None:
        """Return the field for an attribute. `node` declares the attribute or refers to it.

        `path` is the name of the type that has the attribute.

        Returns None if the attribute does not become a field: attributes of `xsi:` and of SOAP encoding, and
        invalid declarations.
        """
        declared, key = Component(schema, node), ""
        if (raw := node.get("ref")) is not None:
            key, component = self._schemas.find("attributes", schema, node, raw)
            space, _, local = key[1:].rpartition("}")
            if space in (XSI, ENCODING, XSD):
                return None
            if component is None:
                return self._unknown(schema, node, raw, key, space, local)
            declared = component
            key = key if space else local
        name = declared.node.get("name", "").strip()
        if not name:
            return None  # an invalid schema; reported by `compiled`
        if not key:
            key = f"{{{schema.namespace}}}{name}" if schema.qualifies(node, "attribute") else name
            key = key.removeprefix("{}")
        read, type_name = self._type(declared, below(path, name))
        return _field(schema, node, key, read, declared.node, type_name)

    def _type(self, declared: Component, path: str) -> tuple[SimpleTypeRead, str]:
        """Read the type of a declared attribute. Returns the type and its name.

        If the type is anonymous, `path` is used for names inside it, and the returned name is "".
        """
        schema, node = declared.schema, declared.node
        if (raw := node.get("type")) is not None:
            qname, _ = self._schemas.find("types", schema, node, raw)
            return self._simple.named(schema, node, raw), qname
        inline = self._simple.inline(schema, node, path)
        return (SimpleTypeRead(STRING), f"{{{XSD}}}anySimpleType") if inline is None else (inline, "")

    def _unknown(
        self, schema: Schema, node: etree._Element, raw: str, qname: str, space: str, local: str
    ) -> Field:
        """Return the field for a reference to an attribute that the contract does not declare.

        `raw` is the reference as written; `qname` is the resolved name: `local` in the namespace `space`.
        """
        type_ = built_in(f"{{{XSD}}}{_OF_XML[local]}") if space == XML and local in _OF_XML else None
        if type_ is None:
            self._findings.weaken(
                schema.document,
                node,
                f"attribute {raw!r} is not declared in the contract; read as a string",
            )
        facets = _OF_SPACE if qname == f"{{{XML}}}space" else None
        read = SimpleTypeRead(type_ if isinstance(type_, Simple) else STRING, facets)
        return _field(schema, node, qname if space else local, read, node)

    def group(self, schema: Schema, node: etree._Element) -> Component | None:
        """Return the attribute group that a node refers to; None if the contract does not declare it."""
        raw = node.get("ref")
        if raw is None:
            return None
        qname, component = self._schemas.find("attribute_groups", schema, node, raw)
        if component is None and qname == f"{{{XML}}}specialAttrs":
            document = Documents.parse(
                "bundled:xml.xsd", "xml.xsd (bundled)", etree.tostring(predefined_schema(XML))
            )
            (own,) = document.root.iterchildren(f"{{{XSD}}}attributeGroup")
            return Component(Schema(document, document.root, XML), own)
        if component is None and not qname.startswith(f"{{{ENCODING}}}"):
            self._findings.weaken(
                schema.document,
                node,
                f"attribute group {raw!r} is not declared in the contract; any attributes are allowed",
            )
        return component

    def report_too_many(self, schema: Schema, node: etree._Element) -> None:
        """Add a problem: a type has too many attributes. `node` is the first attribute above the limit."""
        self._findings.refuse(schema.document, node, f"more than {_MOST} attributes in one type")


def _field(
    schema: Schema,
    node: etree._Element,
    key: str,
    read: SimpleTypeRead,
    declared: etree._Element,
    type_name: str = "",
) -> Field:
    """Return the field of an attribute, whose name is `key`. `read` is its type, as read from the schema.

    `node` is the place in the type where the attribute is used. `declared` is the node that declares the
    attribute: the same node, or a global attribute. `type_name` is the name of the attribute's type, or "" if
    the type is anonymous.
    """
    return Field(
        wire=naming.local_name(key),
        kind="attribute",
        tag=key,
        type=read.type,
        least=int(node.get("use", "").strip() == "required"),
        most=1,
        place=schema.document.place(node),
        default=_value(node, declared, "default"),
        doc=doc(node) or doc(declared),
        fixed=_value(node, declared, "fixed"),
        type_name=type_name,
        facets=read.facets,
    )


class _AttributeCollector:
    """Collects the attributes of one type."""

    def __init__(self, attributes: Attributes, path: str, inherited: set[str]) -> None:
        self._attributes = attributes
        self._path = path
        self._known = inherited
        self._inherits_any = "any_attributes" in inherited
        self._groups: set[tuple[etree._Element, str]] = set()
        self._full = False
        self.fields: list[Field] = []
        self.prohibited: set[str] = set()
        self.wider: list[Wildcard] = []

    def all(self, schema: Schema, node: etree._Element) -> None:
        """Add the attributes that the children of a node declare, including attribute groups."""
        todo = [(schema, node)]
        while todo:  # groups may refer to groups; each is read only once, which ends cycles
            schema, node = todo.pop()
            inner = []
            for child in parts(node):
                node_kind = kind(child)
                if node_kind == "attribute":
                    self._one(schema, child)
                elif node_kind == "anyAttribute":
                    self._any(schema, child)
                elif node_kind == "attributeGroup":
                    component = self._attributes.group(schema, child)
                    if component is None:
                        self._any(schema, child)
                    elif component.key not in self._groups:
                        self._groups.add(component.key)
                        inner.append((component.schema, component.node))
            todo += reversed(inner)

    def _one(self, schema: Schema, node: etree._Element) -> None:
        """Add the field of an attribute, unless it is prohibited or already known."""
        field = self._attributes.field(schema, node, self._path)
        if field is None:
            return
        if node.get("use", "").strip() == "prohibited":
            self.prohibited.add(field.tag)
        elif field.tag not in self._known:
            if len(self.fields) >= _MOST:
                if not self._full:
                    self._full = True
                    self._attributes.report_too_many(schema, node)
                return
            self._known.add(field.tag)
            self.fields.append(field)

    def _any(self, schema: Schema, node: etree._Element) -> None:
        """Add the field for attributes that a wildcard allows, unless the type has or inherits this field."""
        field = any_attributes(schema, node)
        if self._inherits_any and field.wildcard is not None and not self.wider:
            self.wider.append(field.wildcard)
        if "any_attributes" in self._known:
            return
        self._known.add("any_attributes")
        self.fields.append(field)


def any_attributes(schema: Schema, node: etree._Element) -> Field:
    """Return the field for the attributes that a wildcard allows."""
    return Field(
        wire="any_attributes",
        kind="any_attributes",
        tag="",
        type=STRING,
        least=0,
        most=1,
        place=schema.document.place(node),
        wildcard=wildcard(schema, node) if kind(node) == "anyAttribute" else Wildcard(process="lax"),
    )


def wildcard(schema: Schema, node: etree._Element) -> Wildcard:
    """Return the wildcard of an xs:any or xs:anyAttribute element."""
    spaces = " ".join(node.get("namespace", "##any").split()) or "##any"
    return Wildcard(spaces, node.get("processContents", "strict").strip(), schema.namespace)


def _value(node: etree._Element, declared: etree._Element, attribute: str) -> str | None:
    value = node.get(attribute)
    return declared.get(attribute) if value is None else value
