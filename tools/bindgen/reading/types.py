"""Read complex types as structs (XSD 1.0 part 1, 3.4), and create the structs of messages.

A struct is created without fields when something first refers to its type. Its fields are read later, from a
queue, because types can refer to one another in cycles, and a chain of types can be thousands long.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from functools import cached_property

from lxml import etree

from bindgen.model import ANY_ELEMENT, ANYTHING, Field, SimpleType, Struct, Type, Wildcard
from bindgen.reading import elements
from bindgen.reading.attributes import Attributes, any_attributes
from bindgen.reading.elements import Declared, ElementTypes, Substitutions
from bindgen.reading.findings import Findings
from bindgen.reading.nodes import ENCODING, doc, first, kind, parts, step_of, true
from bindgen.reading.particles import LimitExceeded, Particles
from bindgen.reading.schemas import Component, Schema, Schemas
from bindgen.reading.simple import ANY_TYPE, STRING, SimpleTypeRead, SimpleTypes, built_in
from bindgen.simple_types import SIMPLE, XSD

_DEEPEST = 100  # length of a chain of types that extend or restrict one another
_KNOWN = ("sequence", "choice", "all", "group", "attribute", "attributeGroup", "anyAttribute")


class ComplexReader:
    """Reads complex types when they are first needed."""

    def __init__(self, schemas: Schemas, findings: Findings) -> None:
        self._schemas = schemas
        self._findings = findings
        self.simple = SimpleTypes(schemas, findings)
        self.elements = ElementTypes(schemas, self.simple, self, findings)
        self.substitutions = Substitutions(schemas, self.elements)
        self._particles = Particles(schemas, self.elements, self.substitutions, findings)
        self._attributes = Attributes(schemas, self.simple, findings)
        self._structs: dict[tuple[etree._Element, str], Struct] = {}
        self._declared: dict[Struct, Component] = {}
        self._mixed_by_key: dict[tuple[etree._Element, str], bool] = {}
        # Attributes of types with mixed content
        self._mixed: dict[tuple[etree._Element, str], list[Field]] = {}
        self._todo: deque[Struct] = deque()
        self._filled: set[Struct] = set()
        self._depth: dict[Struct, int] = {}
        self._text: dict[Struct, SimpleTypeRead] = {}  # the text of structs with simple content
        self.broken: set[Struct] = set()  # structs with a problem

    # ---- public methods

    def type_of(self, component: Component, qname: str, *, anonymous: bool) -> Type:
        """Return the type that an xs:complexType declares.

        The type is a struct, or ANYTHING for mixed content without declared attributes. `qname` and
        `anonymous` have the same meaning as in `struct`.
        """
        if self._is_mixed(component) and not self._mixed_attributes(component, qname):
            return ANYTHING
        return self.struct(component, qname, anonymous=anonymous)

    def struct(self, component: Component, qname: str, *, anonymous: bool) -> Struct:
        """Return the struct of a complex type. Its fields are complete after `drain`.

        `qname` is the name of the type. If `anonymous` is True, the type has no name in the contract, and
        `qname` is made from its path.
        """
        key = component.key
        if key not in self._structs:
            node = component.node
            struct = Struct(
                qname,
                component.schema.document.place(node),
                doc=doc(node),
                anonymous=anonymous,
                abstract=true(node, "abstract"),
            )
            self._structs[key] = struct
            self._declared[struct] = component
            self._todo.append(struct)
        return self._structs[key]

    def component(self, struct: Struct) -> Component | None:
        """Return the declaration of a struct; None for a generated struct."""
        return self._declared.get(struct)

    def drain(self) -> None:
        """Read the fields of all structs that were created but not filled yet."""
        while self._todo:
            self._fill_with_bases(self._todo.popleft())

    # ---- mixed content

    def _is_mixed(self, component: Component) -> bool:
        """Return True if a type, or a type that it extends, allows text between its elements."""
        seen: dict[tuple[etree._Element, str], None] = {}
        mixed = False
        current: Component | None = component
        while current is not None and (key := current.key) not in seen:
            if key in self._mixed_by_key:
                mixed = self._mixed_by_key[key]
                break
            seen[key] = None
            content = first(current.node, "complexContent", "simpleContent")
            if content is not None and kind(content) == "simpleContent":
                break
            if true(current.node, "mixed") or (content is not None and true(content, "mixed")):
                mixed = True
                break
            current, mixed = self._extended_type(current, content)
        for key in seen:
            self._mixed_by_key[key] = mixed
        return mixed

    def _mixed_attributes(self, component: Component, qname: str) -> list[Field]:
        """Return the attributes of a type with mixed content, including inherited ones.

        The list is empty for an abstract type. Attributes that a wildcard allows do not become fields; they
        are part of the content.
        """
        if component.key not in self._mixed:
            attributes: list[Field] = []
            seen: set[tuple[etree._Element, str]] = set()
            current: Component | None = None if true(component.node, "abstract") else component
            while current is not None and current.key not in seen:
                seen.add(current.key)
                step = step_of(current.node)
                node = current.node if step is None else step
                read = self._attributes.of(current.schema, node, qname, attributes)
                attributes += [field for field in read.fields if field.kind == "attribute"]
                raw = None if step is None else step.get("base")
                current = None
                if step is not None and raw is not None:
                    _, current = self._schemas.find("types", component.schema, step, raw)
            self._mixed[component.key] = attributes
        return self._mixed[component.key]

    def _extended_type(
        self, component: Component, content: etree._Element | None
    ) -> tuple[Component | None, bool]:
        """Return the type that `component` extends, and True if the extended type is xs:anyType.

        The first item is None if `component` does not extend a type that the contract declares. `content` is
        its complexContent.
        """
        step = None if content is None else first(content, "extension")
        raw = None if step is None else step.get("base")
        if step is None or raw is None:
            return None, False
        qname, base = self._schemas.find("types", component.schema, step, raw)
        return base, qname == ANY_TYPE

    # ---- filling

    def _fill_with_bases(self, struct: Struct) -> None:
        """Read the fields of a struct, after the fields of the types that it extends or restricts."""
        chain, seen = [struct], {struct}
        while (base := self._base(chain[-1])) is not None and base not in self._filled:
            if base in seen:
                component = self._declared[chain[-1]]
                step = step_of(component.node)
                node = component.node if step is None else step
                reason = "a type that extends itself; its base is ignored"
                self._findings.weaken(component.schema.document, node, reason)
                chain[-1].base = chain[-1].restricts = None
                self._filled.add(chain[-1])  # leave it empty: the type is invalid
                chain.pop()
                break
            seen.add(base)
            chain.append(base)
        for member in reversed(chain):
            if member not in self._filled:
                self._filled.add(member)
                self._fill(member)

    def _base(self, struct: Struct) -> Struct | None:
        """Return the base struct of `struct`, which `struct` extends or restricts; None if there is none.

        Also stores the base in `struct.base` (extension) or `struct.restricts` (restriction).
        """
        if struct.base is not None or struct.restricts is not None or struct in self._filled:
            return struct.base or struct.restricts
        component = self._declared[struct]
        step = step_of(component.node)
        raw = None if step is None else step.get("base")
        if step is None or raw is None or component.key in self._mixed:
            return None
        qname, base_component = self._schemas.find("types", component.schema, step, raw)
        if (
            built_in(qname) is not None
            or base_component is None
            or kind(base_component.node) != "complexType"
        ):
            return None
        base = self.struct(base_component, qname, anonymous=False)
        if kind(step) == "extension":
            struct.base = base
        else:
            struct.restricts = base
        return base

    def _fill(self, struct: Struct) -> None:
        """Read the fields of a struct. Marks the struct as broken if there are problems."""
        component = self._declared[struct]
        schema, node = component.schema, component.node
        base = struct.base or struct.restricts
        self._depth[struct] = 1 + self._depth.get(base, 0) if base is not None else 0
        problem_count = len(self._findings.problems)
        if self._depth[struct] > _DEEPEST:
            struct.base = struct.restricts = None
            reason = f"more than {_DEEPEST} types extend or restrict one another"
            self._findings.refuse(schema.document, node, reason)
            self.broken.add(struct)
            return
        if self._mixed and (attributes := self._mixed.get(component.key)):
            place = schema.document.place(node)
            struct.fields = [*attributes, Field("value", "content", "", ANY_ELEMENT, 1, 1, place)]
            return
        content = first(node, "complexContent", "simpleContent")
        try:
            if content is None:
                self._read_children(struct, schema, node)
            elif kind(content) == "complexContent":
                self._complex_content(struct, schema, content)
            else:
                self._simple_content(struct, schema, content)
        except LimitExceeded as error:
            self._findings.refuse(schema.document, node, str(error))
        if len(self._findings.problems) > problem_count or base in self.broken:
            self.broken.add(struct)

    def _read_children(self, struct: Struct, schema: Schema, node: etree._Element) -> None:
        self._note_unsupported(schema, node)
        inherited = struct.base.all_fields() if struct.base is not None else ()
        attributes, _, struct.wider = self._attributes.of(schema, node, struct.qname, inherited)
        struct.fields = [*attributes, *struct.fields, *self._particles.of(struct, schema, node)]

    def _note_unsupported(self, schema: Schema, node: etree._Element) -> None:
        """Add a note for each unsupported child of `node`, the declaration of a type."""
        for child in parts(node):
            if kind(child) not in _KNOWN:
                reason = f"{kind(child)} is not supported here"
                self._findings.weaken(schema.document, child, reason)

    def _complex_content(self, struct: Struct, schema: Schema, content: etree._Element) -> None:
        """Read the fields of a type with `complexContent`."""
        step = first(content, "extension", "restriction")
        if step is None:
            return  # an invalid schema; reported by `compiled`
        if struct.restricts is not None:
            self._restriction(struct, schema, step)
            return
        if struct.base is not None:
            struct.all_group = struct.base.all_group
        elif (item := elements.array_item(schema, step)) is not None:
            struct.fields = elements.array(struct, schema, step, item, self.elements)
            if struct.fields:
                return
        elif kind(step) == "extension" or not self._is_any_type(schema, step):
            struct.fields = list(self._instead_of_base(schema, step))
        self._read_children(struct, schema, step)

    def _is_any_type(self, schema: Schema, step: etree._Element) -> bool:
        raw = step.get("base")
        return raw is None or self._schemas.find("types", schema, step, raw)[0] == ANY_TYPE

    def _instead_of_base(self, schema: Schema, step: etree._Element) -> Iterator[Field]:
        """Yield the fields that replace an unknown base type: any attributes and any elements."""
        raw = step.get("base")
        if raw is None or first(step, "any") is not None:
            return
        if not self._is_any_type(schema, step):
            reason = f"type {raw!r} is not declared in the contract; read as any content"
            self._findings.weaken(schema.document, step, reason)
        place = schema.document.place(step)
        yield any_attributes(schema, step)
        yield Field("any", "any", "", ANY_ELEMENT, 0, None, place, wildcard=Wildcard(process="lax"))

    def _restriction(self, struct: Struct, schema: Schema, step: etree._Element) -> None:
        self._note_unsupported(schema, step)
        struct.fields = [
            *self._restricted_attributes(struct, schema, step),
            *self._particles.of(struct, schema, step),
        ]

    def _restricted_attributes(self, struct: Struct, schema: Schema, step: etree._Element) -> list[Field]:
        """Return the attributes of a restriction: its own, and the inherited ones that are not prohibited."""
        own, prohibited, _ = self._attributes.of(schema, step, struct.qname)
        declared = prohibited | {field.tag for field in own}
        inherited = struct.restricts.all_fields() if struct.restricts is not None else []
        return [
            *(field for field in inherited if field.kind == "attribute" and field.tag not in declared),
            *own,
        ]

    # ---- simple content

    def _simple_content(self, struct: Struct, schema: Schema, content: etree._Element) -> None:
        """Read the fields of a type with `simpleContent`: a text and attributes."""
        step = first(content, "extension", "restriction")
        if step is None:
            return  # an invalid schema; reported by `compiled`
        raw = step.get("base")
        base = struct.base or struct.restricts
        if base is not None:
            read = self._text.get(base)
            if read is None:
                reason = "the base of this simple content does not have simple content; read as a string"
                self._findings.weaken(schema.document, step, reason)
                read = SimpleTypeRead(STRING)
                struct.restricts, struct.base = base if struct.restricts else None, None
        else:
            read = SimpleTypeRead(STRING) if raw is None else self.simple.named(schema, step, raw)
        type_name = (
            "" if raw is None or base is not None else self._schemas.find("types", schema, step, raw)[0]
        )
        if kind(step) == "restriction":
            if base is None:
                reason = (
                    "a restriction of a simple type in simple content is not supported; read as an extension"
                )
                self._findings.weaken(schema.document, step, reason)
            inline = self.simple.inline(schema, step, f"{struct.qname}_value")
            component = Component(schema, step)
            read = self.simple.restricted(inline or read, step, component, f"{struct.qname}_value")
            type_name = ""
        self._text[struct] = read
        if struct.base is not None:
            attributes = self._attributes.of(schema, step, struct.qname, struct.base.all_fields())
            struct.fields, struct.wider = attributes.fields, attributes.wider
            return
        place = schema.document.place(step)
        text = Field("value", "text", "", read.type, 1, 1, place, type_name=type_name, facets=read.facets)
        struct.fields = [*self._restricted_attributes(struct, schema, step), text]


class TypeReader:
    """Reads the types of messages and elements when they are first needed. Unused types are not read."""

    def __init__(self, schemas: Schemas, findings: Findings) -> None:
        self._schemas = schemas
        self._findings = findings
        self._complex = ComplexReader(schemas, findings)
        self._messages: dict[etree._Element, Struct] = {}
        self._finished: set[Struct] = set()

    def of_element(self, qname: str, schema: Schema, node: etree._Element) -> Struct | None:
        """Return the struct of the top-level element `qname`.

        Returns None if the element does not exist, and reports this as a problem with `node`, which is in
        `schema`.
        """
        component = self._schemas.elements.get(qname)
        if component is None:
            self._findings.refuse(schema.document, node, f"no element {qname} in any schema of the contract")
            return None
        if true(component.node, "abstract"):
            self._findings.refuse(
                component.schema.document, component.node, "an abstract message is not supported here"
            )
        return self.of_message(component, qname)

    def of_message(self, component: Component, qname: str) -> Struct:
        """Return the struct of a message from the global element that declares it.

        `component` is the declaration of the element, and `qname` its name. If the element does not have a
        complex type, the struct is generated.
        """
        message = self.struct(self.of_declaration(component, qname), component, qname)
        if true(component.node, "nillable"):
            _make_nillable(message)
        return message

    def of_declaration(self, component: Component, qname: str) -> Declared:
        """Return the type of the top-level element `qname`, which `component` declares."""
        declared = self._complex.elements.of(component.schema, component.node, qname)
        self._complex.drain()
        return declared

    def substitution_holder(self, qname: str) -> Struct | None:
        """Return the struct for the element `qname` if other elements can replace it; otherwise None.

        The struct, called the holder of the substitution group, has a field for each element of the group.
        """
        holder = self._complex.substitutions.holder(qname)
        self._complex.drain()
        return holder

    def struct(self, declared: Declared, component: Component, qname: str) -> Struct:
        """Return the struct of a message with the type `declared`. `component` declares the message.

        If `declared` is not a complex type, a struct with the name `qname` is generated. Its only field is
        the text if `declared` is a simple type, or else any content.
        """
        if isinstance(declared.type, Struct):
            return declared.type
        if component.node not in self._messages:
            node = component.node
            place = component.schema.document.place(node)
            struct = Struct(qname, place, anonymous=True)
            if declared.type is ANYTHING:
                content = ANYTHING if declared.name == ANY_TYPE else ANY_ELEMENT
                struct.fields = [Field("value", "content", "", content, 1, 1, place)]
            else:
                struct.fields = [
                    Field(
                        "value",
                        "text",
                        "",
                        declared.type,
                        1,
                        1,
                        place,
                        default=node.get("default"),
                        fixed=node.get("fixed"),
                        nillable=true(node, "nillable") and not {"default", "fixed"} & {*node.keys()},
                        type_name=declared.name,
                        facets=declared.facets,
                    )
                ]
            self._messages[component.node] = struct
        return self._messages[component.node]

    def named(self, schema: Schema, node: etree._Element, raw: str) -> Declared:
        """Return the type with the name `raw`, a qualified name in an attribute of `node`."""
        declared = self._complex.elements.named(schema, node, raw)
        self._complex.drain()
        return declared

    def of_component(self, component: Component) -> Type:
        """Return the type of a top-level type declaration."""
        qname = f"{{{component.schema.namespace}}}{component.node.get('name')}"
        if kind(component.node) == "simpleType":
            return self._complex.simple.of(component, qname).type
        type_ = self._complex.type_of(component, qname, anonymous=False)
        self._complex.drain()
        return type_

    def all_complex(self) -> list[Struct]:
        """Read all named complex types, and return those types that are structs."""
        types = [
            self._complex.type_of(component, qname, anonymous=False)
            for qname, component in self._schemas.types.items()
            if kind(component.node) == "complexType" and not qname.startswith(f"{{{ENCODING}}}")
        ]
        self._complex.drain()
        return [struct for struct in types if isinstance(struct, Struct)]

    def simple_types(self, *, every: bool) -> dict[str, SimpleType]:
        """Return named simple types by qualified name: those that were read, or all if `every` is True."""
        simple = self._complex.simple
        return {
            qname: simple.of(component, qname).type
            for qname, component in self._schemas.types.items()
            if kind(component.node) == "simpleType"
            and built_in(qname) is None
            and (every or simple.was_read(component))
        }

    def finish(self, roots: Iterable[Struct]) -> None:
        """Set `derived`, the list of derived types, of each struct that is the type of a message or a field.

        `roots` are the types of the messages, where the search begins. A struct that is only the base of
        other structs does not need `derived`, because no message or field has this struct as its type.
        """
        self._complex.drain()
        todo, seen = [(root, True) for root in roots], set()
        while todo:
            struct, declared = todo.pop()
            if declared and struct not in self._finished:
                self._finished.add(struct)
                struct.derived = [
                    derived for derived in self._derived(struct) if derived not in self._complex.broken
                ]
            if (struct, declared) in seen:
                continue
            seen.add((struct, declared))
            if declared:
                todo += [(derived, True) for derived in struct.derived]
            if struct.base is not None:
                todo.append((struct.base, False))
            todo += [(field.type, True) for field in struct.fields if isinstance(field.type, Struct)]

    def _derived(self, struct: Struct) -> list[Struct]:
        """Return the structs of the types that directly extend or restrict the type of `struct`."""
        component = self._complex.component(struct)
        if component is None or struct.anonymous:
            return []
        derived_components = self._upon.get(component.key, ())
        types = [
            self._complex.type_of(derived, qname, anonymous=False) for qname, derived in derived_components
        ]
        self._complex.drain()
        # A type whose base was ignored because of a cycle is not derived from it.
        return [
            derived
            for derived in types
            if isinstance(derived, Struct) and struct in (derived.base, derived.restricts)
        ]

    @cached_property
    def _upon(self) -> dict[tuple[object, str], list[tuple[str, Component]]]:
        """A dict from the key of each type to the types derived from it, as pairs (name, declaration)."""
        upon: dict[tuple[object, str], list[tuple[str, Component]]] = {}
        for qname, component in self._schemas.types.items():
            step = step_of(component.node)
            raw = None if step is None else step.get("base")
            if step is None or raw is None:
                continue
            base_name, base = self._schemas.find("types", component.schema, step, raw)
            if base is not None and built_in(base_name) is None and kind(base.node) == "complexType":
                upon.setdefault(base.key, []).append((qname, component))
        return upon

    def broken(self, roots: Iterable[Struct]) -> set[Struct]:
        """Return the types that cannot be used: types with a problem, and all types that require such a type.

        `roots` are the types of the messages, where the search begins. The returned types are also removed
        from the lists `derived` of the other types.
        """
        users: dict[Struct, list[Struct]] = {}
        todo = list(roots) if self._complex.broken else []
        seen = set(todo)
        while todo:
            struct = todo.pop()
            needed = [field.type for field in struct.fields if isinstance(field.type, Struct)]
            needed += [struct.base] if struct.base is not None else []
            for item in needed:
                users.setdefault(item, []).append(struct)
            todo += [item for item in {*needed, *struct.derived} if item not in seen]
            seen.update(needed, struct.derived)
        broken, todo = set(self._complex.broken), list(self._complex.broken)
        while todo:
            new = [user for user in users.get(todo.pop(), ()) if user not in broken]
            broken.update(new)
            todo += new
        for struct in seen - broken:  # derived types are optional, so those with a problem are removed
            struct.derived = [derived for derived in struct.derived if derived not in broken]
        return broken


def _make_nillable(message: Struct) -> None:
    """Add a boolean field to a message. The field is True if the message's element is nil, not just empty.

    Does nothing if the message has a named type, because other elements may have the same type.
    """
    kinds = {field.kind for field in message.fields}
    if (
        message.anonymous
        and not kinds & {"text", "nil"}
        and message.base is None
        and message.restricts is None
    ):
        for field in message.fields:
            field.of_nil = field.least > 0 and field.most == 1 and field.kind not in ("attribute", "content")
        boolean = SIMPLE[f"{{{XSD}}}boolean"]
        message.fields.append(Field("nil", "nil", "", boolean, 0, 1, message.place))
