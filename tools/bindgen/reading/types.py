"""Schema types → the model's structs, enums and fields. What is not handled becomes a located problem."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from bindgen.model import Enum, Field, Simple, Struct
from bindgen.problems import Problem
from bindgen.reading.schemas import Component, Schema, Schemas
from bindgen.simple_types import SIMPLE, XSD

Type = Simple | Enum | Struct

_COMPLEX_ATTRIBUTES = {"name", "id"}
_MESSAGE_ATTRIBUTES = {"name", "type", "id"}
_OFF_BY_DEFAULT = {"abstract", "mixed", "nillable"}  # saying so changes nothing
_ELEMENT_ATTRIBUTES = {"name", "type", "minOccurs", "maxOccurs", "default", "form", "id"}
_ATTRIBUTE_ATTRIBUTES = {"name", "type", "use", "form", "id"}
_STRING = SIMPLE[f"{{{XSD}}}string"]


class TypeReader:
    """Reads types when first asked for: only what operations reach is read, and recursion ends."""

    def __init__(self, schemas: Schemas, problems: list[Problem]) -> None:
        self._schemas = schemas
        self._problems = problems
        self._types: dict[etree._Element, Type] = {}  # by declaration, for some have no name

    def of_element(self, qname: str, schema: Schema, node: etree._Element) -> Struct | None:
        """The struct behind a top-level element; None, and a problem, where there is none."""
        component = self._schemas.elements.get(qname)
        if component is None:
            self.refuse(schema, node, f"no element {qname} in any schema of the contract")
            return None
        self._only(component.schema, component.node, _MESSAGE_ATTRIBUTES)
        found = self._element_type(component.schema, component.node, qname)
        if isinstance(found, Struct):
            return found
        self.refuse(component.schema, component.node, "a message element of simple type is not handled yet")
        return None

    def of_component(self, component: Component) -> Type:
        """The type that a top-level declaration is."""
        return self._declared(f"{{{component.schema.namespace}}}{component.node.get('name')}", component)

    def refuse(self, schema: Schema, node: etree._Element, why: str) -> None:
        """Note a problem at a node."""
        self._problems.append(Problem(why, schema.document.place(node)))

    # ---- references

    def _element_type(self, schema: Schema, node: etree._Element, path: str) -> Type:
        inline = [child for child in _parts(node) if _is(child, "complexType", "simpleType")]
        for child in _parts(node):
            if not _is(child, "complexType", "simpleType"):
                self._unhandled(schema, child)
        if inline:
            return self._declared(path, Component(schema, inline[0]))
        return self._named(schema, node, "type")

    def _named(self, schema: Schema, node: etree._Element, attribute: str) -> Type:
        raw = node.get(attribute)
        if raw is None:
            self.refuse(schema, node, f"without {attribute} (anything goes) is not handled yet")
            return _STRING
        qname = _qname(node, raw)
        if qname in SIMPLE:
            return SIMPLE[qname]
        if qname in self._schemas.types:
            return self._declared(qname, self._schemas.types[qname])
        what = (
            "is not handled yet" if qname.startswith(f"{{{XSD}}}") else "is declared nowhere in the contract"
        )
        self.refuse(schema, node, f"type {raw!r} {what}")
        return _STRING

    def _declared(self, qname: str, component: Component) -> Type:
        node = component.node
        if node not in self._types:
            if _is(node, "simpleType"):
                self._types[node] = _STRING  # a circle, which is no valid schema, must still end
                self._types[node] = self._simple(qname, component.schema, node)
            else:
                struct = Struct(qname, component.schema.document.place(node), doc=_doc(node))
                self._types[node] = struct  # before its fields, which may name it again
                self._fill(struct, component.schema, node)
        return self._types[node]

    # ---- simple types

    def _simple(self, qname: str, schema: Schema, node: etree._Element) -> Simple | Enum:
        parts = list(_parts(node))
        if len(parts) != 1 or not _is(parts[0], "restriction"):
            self.refuse(schema, node, "a simple type by list or union is not handled yet")
            return _STRING
        base = self._named(schema, parts[0], "base")
        facets = list(_parts(parts[0]))
        if not facets and not isinstance(base, Struct):
            return base
        if base is _STRING and all(_is(facet, "enumeration") for facet in facets):
            values = list(dict.fromkeys(facet.get("value", "") for facet in facets))
            return Enum(qname, values, schema.document.place(node), _doc(node))
        for facet in facets:
            if not _is(facet, "enumeration") or base is not _STRING:
                self._unhandled(schema, facet)
        return _STRING

    # ---- complex types

    def _fill(self, struct: Struct, schema: Schema, node: etree._Element) -> None:
        self._only(schema, node, _COMPLEX_ATTRIBUTES)
        elements: list[Field] = []
        for child in _parts(node):
            if _is(child, "sequence"):
                elements += self._sequence(struct, schema, child)
            elif _is(child, "attribute"):
                struct.fields += self._attribute(schema, child)
            elif _is(child, "simpleContent"):
                self._simple_content(struct, schema, child)
            else:
                self._unhandled(schema, child)
        struct.fields += elements

    def _sequence(self, struct: Struct, schema: Schema, node: etree._Element) -> Iterator[Field]:
        self._only(schema, node, {"id"})
        names: set[str | None] = set()
        for child in _parts(node):
            if not _is(child, "element"):
                self._unhandled(schema, child)
                continue
            if child.get("name") in names or child.get("maxOccurs") == "0":
                self.refuse(schema, child, "an element twice, or never, in one sequence is not handled yet")
            names.add(child.get("name"))
            yield self._element(struct, schema, child)

    def _element(self, struct: Struct, schema: Schema, node: etree._Element) -> Field:
        self._only(schema, node, _ELEMENT_ATTRIBUTES)
        name = node.get("name", "")
        return Field(
            wire=name,
            kind="element",
            tag=f"{{{schema.namespace}}}{name}" if schema.qualifies(node, "element") else name,
            type=self._element_type(schema, node, f"{struct.qname}_{name}"),
            least=_times(node, "minOccurs"),
            most=None if node.get("maxOccurs") == "unbounded" else _times(node, "maxOccurs"),
            place=schema.document.place(node),
            default=node.get("default"),
            doc=_doc(node),
        )

    def _attribute(self, schema: Schema, node: etree._Element) -> Iterator[Field]:
        self._only(schema, node, _ATTRIBUTE_ATTRIBUTES)
        name = node.get("name", "")
        kind = self._element_type(schema, node, f"{{{schema.namespace}}}{name}")
        if isinstance(kind, Struct) or node.get("use") == "prohibited":
            self.refuse(schema, node, "this attribute is not handled")
            return
        yield Field(
            wire=name,
            kind="attribute",
            tag=f"{{{schema.namespace}}}{name}" if schema.qualifies(node, "attribute") else name,
            type=kind,
            least=int(node.get("use") == "required"),
            most=1,
            place=schema.document.place(node),
            doc=_doc(node),
        )

    def _simple_content(self, struct: Struct, schema: Schema, node: etree._Element) -> None:
        for extension in _parts(node):
            if not _is(extension, "extension"):
                self._unhandled(schema, extension)
                continue
            base = self._named(schema, extension, "base")
            for child in _parts(extension):
                if _is(child, "attribute"):
                    struct.fields += self._attribute(schema, child)
                else:
                    self._unhandled(schema, child)
            if isinstance(base, Struct):
                if struct in _bases(base):
                    self.refuse(schema, extension, "a type that extends itself")
                    continue
                struct.base = base
                if not any(inherited.kind == "text" for inherited in base.all_fields()):
                    self.refuse(schema, extension, "simple content upon a type that has none")
            else:
                struct.fields.append(Field("value", "text", "", base, 1, 1, schema.document.place(extension)))

    # ---- refusals

    def _only(self, schema: Schema, node: etree._Element, known: set[str]) -> None:
        for key, value in node.attrib.items():
            off = str(key) in _OFF_BY_DEFAULT and value in {"false", "0"}
            if str(key) not in known and not off:
                self.refuse(schema, node, f"{key}={value!r} is not handled yet")

    def _unhandled(self, schema: Schema, node: etree._Element) -> None:
        self.refuse(schema, node, f"{etree.QName(node).localname} is not handled here yet")


def _parts(node: etree._Element) -> Iterator[etree._Element]:
    """The children that say something; annotations are read by `_doc`."""
    return (child for child in node if isinstance(child.tag, str) and not _is(child, "annotation"))


def _is(node: etree._Element, *names: str) -> bool:
    return any(node.tag == f"{{{XSD}}}{name}" for name in names)


def _qname(node: etree._Element, raw: str) -> str:
    prefix, _, local = raw.rpartition(":")
    return f"{{{node.nsmap.get(prefix or None) or ''}}}{local}"


def _times(node: etree._Element, attribute: str) -> int:
    """How often; what is no number makes the schema invalid, which `compiled` says."""
    raw = node.get(attribute, "1").strip()
    return int(raw) if raw.isascii() and raw.isdigit() else 1


def _bases(struct: Struct) -> Iterator[Struct]:
    """A struct and all it extends."""
    above: Struct | None = struct
    while above is not None:
        yield above
        above = above.base


def _doc(node: etree._Element) -> str:
    said = node.findall(f"{{{XSD}}}annotation/{{{XSD}}}documentation")
    return " ".join(" ".join("".join(map(str, text.itertext())).split()) for text in said)
