"""Complex types → structs (XSD 1.0 part 1, 3.4), and the structs of messages.

A struct is made when its type is first named, and filled later, off a list: types may name one another in
circles, and follow one another by the thousand.
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
from bindgen.reading.particles import Particles, TooMuch
from bindgen.reading.schemas import Component, Schema, Schemas
from bindgen.reading.simple import ANY_TYPE, STRING, Read, SimpleTypes, built_in
from bindgen.simple_types import SIMPLE, XSD

_DEEPEST = 100  # types upon one another
_KNOWN = ("sequence", "choice", "all", "group", "attribute", "attributeGroup", "anyAttribute")


class ComplexReader:
    """Reads complex types when first asked for."""

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
        self._loose: dict[tuple[etree._Element, str], bool] = {}
        self._mixed: dict[tuple[etree._Element, str], list[Field]] = {}  # of mixed types: their attributes
        self._todo: deque[Struct] = deque()
        self._filled: set[Struct] = set()
        self._depth: dict[Struct, int] = {}
        self._text: dict[Struct, Read] = {}  # of those of simple content
        self.broken: set[Struct] = set()  # those with a problem of their own

    # ---- what others ask

    def type_of(self, component: Component, qname: str, *, anonymous: bool) -> Type:
        """A complex type: its struct, or anything if its content is mixed and it declares no attributes."""
        if self._is_loose(component) and not self._mixed_attributes(component, qname):
            return ANYTHING
        return self.struct(component, qname, anonymous=anonymous)

    def struct(self, component: Component, qname: str, *, anonymous: bool) -> Struct:
        """The struct of a complex type. Its fields are there after `drain`."""
        if component.key not in self._structs:
            node = component.node
            made = Struct(
                qname,
                component.schema.document.place(node),
                doc=doc(node),
                anonymous=anonymous,
                abstract=true(node, "abstract"),
            )
            self._structs[component.key] = made
            self._declared[made] = component
            self._todo.append(made)
        return self._structs[component.key]

    def component(self, struct: Struct) -> Component | None:
        """Where a struct is declared; None for one that is made up."""
        return self._declared.get(struct)

    def drain(self) -> None:
        """Fill all structs that were made."""
        while self._todo:
            self._fill_with_bases(self._todo.popleft())

    # ---- mixed content

    def _is_loose(self, component: Component) -> bool:
        """Whether text may stand between the elements of a type, or of one that it builds upon."""
        met: dict[tuple[etree._Element, str], None] = {}
        loose = False
        current: Component | None = component
        while current is not None and current.key not in met:
            if current.key in self._loose:
                loose = self._loose[current.key]
                break
            met[current.key] = None
            content = first(current.node, "complexContent", "simpleContent")
            if content is not None and kind(content) == "simpleContent":
                break
            if true(current.node, "mixed") or (content is not None and true(content, "mixed")):
                loose = True
                break
            current, loose = self._built_upon(current, content)
        for key in met:
            self._loose[key] = loose
        return loose

    def _mixed_attributes(self, component: Component, qname: str) -> list[Field]:
        """Return the attributes of a type of mixed content, inherited ones too; none if it is abstract.

        Attributes that a wildcard lets in are no fields: they stay with the content.
        """
        if component.key not in self._mixed:
            found: list[Field] = []
            met: set[tuple[etree._Element, str]] = set()
            current: Component | None = None if true(component.node, "abstract") else component
            while current is not None and current.key not in met:
                met.add(current.key)
                step = step_of(current.node)
                node = current.node if step is None else step
                read = self._attributes.of(current.schema, node, qname, found)
                found += [field for field in read.fields if field.kind == "attribute"]
                raw = None if step is None else step.get("base")
                current = None
                if step is not None and raw is not None:
                    _, current = self._schemas.find("types", component.schema, step, raw)
            self._mixed[component.key] = found
        return self._mixed[component.key]

    def _built_upon(
        self, component: Component, content: etree._Element | None
    ) -> tuple[Component | None, bool]:
        """The type that one extends; or whether that is anyType."""
        step = None if content is None else first(content, "extension")
        raw = None if step is None else step.get("base")
        if step is None or raw is None:
            return None, False
        qname, base = self._schemas.find("types", component.schema, step, raw)
        return base, qname == ANY_TYPE

    # ---- filling

    def _fill_with_bases(self, struct: Struct) -> None:
        """Fill a struct after all that it builds upon, whose fields it may need."""
        chain, met = [struct], {struct}
        while (base := self._base(chain[-1])) is not None and base not in self._filled:
            if base in met:
                component = self._declared[chain[-1]]
                step = step_of(component.node)
                where = component.node if step is None else step
                why = "a type that extends itself; what it builds upon is left out"
                self._findings.weaken(component.schema.document, where, why)
                chain[-1].base = chain[-1].restricts = None
                self._filled.add(chain[-1])  # whatever it says besides: it is no type at all
                chain.pop()
                break
            met.add(base)
            chain.append(base)
        for one in reversed(chain):
            if one not in self._filled:
                self._filled.add(one)
                self._fill(one)

    def _base(self, struct: Struct) -> Struct | None:
        """The struct that one extends or restricts, noted in it."""
        if struct.base is not None or struct.restricts is not None or struct in self._filled:
            return struct.base or struct.restricts
        component = self._declared[struct]
        step = step_of(component.node)
        raw = None if step is None else step.get("base")
        if step is None or raw is None or component.key in self._mixed:
            return None
        qname, found = self._schemas.find("types", component.schema, step, raw)
        if built_in(qname) is not None or found is None or kind(found.node) != "complexType":
            return None
        base = self.struct(found, qname, anonymous=False)
        if kind(step) == "extension":
            struct.base = base
        else:
            struct.restricts = base
        return base

    def _fill(self, struct: Struct) -> None:
        component = self._declared[struct]
        schema, node = component.schema, component.node
        base = struct.base or struct.restricts
        self._depth[struct] = 1 + self._depth.get(base, 0) if base is not None else 0
        known = len(self._findings.problems)
        if self._depth[struct] > _DEEPEST:
            struct.base = struct.restricts = None
            why = f"more than {_DEEPEST} types upon one another"
            self._findings.refuse(schema.document, node, why)
            self.broken.add(struct)
            return
        if attributes := self._mixed.get(component.key):
            place = schema.document.place(node)
            struct.fields = [*attributes, Field("value", "content", "", ANY_ELEMENT, 1, 1, place)]
            return
        content = first(node, "complexContent", "simpleContent")
        try:
            if content is None:
                self._plain(struct, schema, node)
            elif kind(content) == "complexContent":
                self._complex_content(struct, schema, content)
            else:
                self._simple_content(struct, schema, content)
        except TooMuch as error:
            self._findings.refuse(schema.document, node, str(error))
        if len(self._findings.problems) > known or base in self.broken:
            self.broken.add(struct)

    def _plain(self, struct: Struct, schema: Schema, node: etree._Element) -> None:
        self._odd(schema, node)
        inherited = struct.base.all_fields() if struct.base is not None else ()
        attributes, _, struct.wider = self._attributes.of(schema, node, struct.qname, inherited)
        struct.fields = [*attributes, *struct.fields, *self._particles.of(struct, schema, node)]

    def _odd(self, schema: Schema, node: etree._Element) -> None:
        for child in parts(node):
            if kind(child) not in _KNOWN:
                why = f"{kind(child)} is not handled here yet"
                self._findings.weaken(schema.document, child, why)

    def _complex_content(self, struct: Struct, schema: Schema, content: etree._Element) -> None:
        step = first(content, "extension", "restriction")
        if step is None:
            return  # no valid schema, which `compiled` says
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
        self._plain(struct, schema, step)

    def _is_any_type(self, schema: Schema, step: etree._Element) -> bool:
        raw = step.get("base")
        return raw is None or self._schemas.find("types", schema, step, raw)[0] == ANY_TYPE

    def _instead_of_base(self, schema: Schema, step: etree._Element) -> Iterator[Field]:
        """What stands for a base of which nothing is known: any attributes and elements."""
        raw = step.get("base")
        if raw is None or first(step, "any") is not None:
            return
        if not self._is_any_type(schema, step):
            why = f"type {raw!r} is declared nowhere in the contract; taken for anything"
            self._findings.weaken(schema.document, step, why)
        place = schema.document.place(step)
        yield any_attributes(schema, step)
        yield Field("any", "any", "", ANY_ELEMENT, 0, None, place, wildcard=Wildcard(process="lax"))

    def _restriction(self, struct: Struct, schema: Schema, step: etree._Element) -> None:
        self._odd(schema, step)
        struct.fields = [
            *self._restricted_attributes(struct, schema, step),
            *self._particles.of(struct, schema, step),
        ]

    def _restricted_attributes(self, struct: Struct, schema: Schema, step: etree._Element) -> list[Field]:
        """Attributes of a restriction: the base's, unless they are declared anew or prohibited."""
        own, prohibited, _ = self._attributes.of(schema, step, struct.qname)
        said = prohibited | {field.tag for field in own}
        inherited = struct.restricts.all_fields() if struct.restricts is not None else []
        return [
            *(field for field in inherited if field.kind == "attribute" and field.tag not in said),
            *own,
        ]

    # ---- simple content

    def _simple_content(self, struct: Struct, schema: Schema, content: etree._Element) -> None:
        step = first(content, "extension", "restriction")
        if step is None:
            return  # no valid schema, which `compiled` says
        raw = step.get("base")
        base = struct.base or struct.restricts
        if base is not None:
            read = self._text.get(base)
            if read is None:
                why = "simple content upon a type that has none; taken for a text"
                self._findings.weaken(schema.document, step, why)
                read = Read(STRING)
                struct.restricts, struct.base = base if struct.restricts else None, None
        else:
            read = Read(STRING) if raw is None else self.simple.named(schema, step, raw)
        type_name = (
            "" if raw is None or base is not None else self._schemas.find("types", schema, step, raw)[0]
        )
        if kind(step) == "restriction":
            if base is None:
                why = "restriction is not handled upon a simple type; taken for an extension"
                self._findings.weaken(schema.document, step, why)
            inline = self.simple.inline(schema, step, f"{struct.qname}_value")
            component = Component(schema, step)
            read = self.simple.restricted(inline or read, step, component, f"{struct.qname}_value")
            type_name = ""
        self._text[struct] = read
        if struct.base is not None:
            found = self._attributes.of(schema, step, struct.qname, struct.base.all_fields())
            struct.fields, struct.wider = found.fields, found.wider
            return
        place = schema.document.place(step)
        text = Field("value", "text", "", read.type, 1, 1, place, type_name=type_name, facets=read.facets)
        struct.fields = [*self._restricted_attributes(struct, schema, step), text]


class TypeReader:
    """Reads types when first asked for: only what operations reach is read, and recursion ends."""

    def __init__(self, schemas: Schemas, findings: Findings) -> None:
        self._schemas = schemas
        self._findings = findings
        self._complex = ComplexReader(schemas, findings)
        self._messages: dict[etree._Element, Struct] = {}
        self._finished: set[Struct] = set()

    def of_element(self, qname: str, schema: Schema, node: etree._Element) -> Struct | None:
        """The struct behind a top-level element; None, and a problem, where there is none."""
        component = self._schemas.elements.get(qname)
        if component is None:
            self._findings.refuse(schema.document, node, f"no element {qname} in any schema of the contract")
            return None
        if true(component.node, "abstract"):
            self._findings.refuse(
                component.schema.document, component.node, "an abstract message: not handled here"
            )
        return self.of_message(component, qname)

    def of_message(self, component: Component, qname: str) -> Struct:
        """The struct of a message that an element declaration is: of complex type, or made up."""
        found = self.struct(self.of_declaration(component, qname), component, qname)
        if true(component.node, "nillable"):
            _may_be_nil(found)
        return found

    def of_declaration(self, component: Component, qname: str) -> Declared:
        """The type of a top-level element."""
        declared = self._complex.elements.of(component.schema, component.node, qname)
        self._complex.drain()
        return declared

    def standing_for(self, qname: str) -> Struct | None:
        """One of the elements that may stand for another; None where there is none."""
        holder = self._complex.substitutions.holder(qname)
        self._complex.drain()
        return holder

    def struct(self, declared: Declared, component: Component, qname: str) -> Struct:
        """The struct of a message: its type, or one made up around a text or anything."""
        if isinstance(declared.type, Struct):
            return declared.type
        if component.node not in self._messages:
            node = component.node
            place = component.schema.document.place(node)
            made = Struct(qname, place, anonymous=True)
            if declared.type is ANYTHING:
                content = ANYTHING if declared.name == ANY_TYPE else ANY_ELEMENT
                made.fields = [Field("value", "content", "", content, 1, 1, place)]
            else:
                made.fields = [
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
            self._messages[component.node] = made
        return self._messages[component.node]

    def named(self, schema: Schema, node: etree._Element, raw: str) -> Declared:
        """The type that a value names."""
        found = self._complex.elements.named(schema, node, raw)
        self._complex.drain()
        return found

    def of_component(self, component: Component) -> Type:
        """The type that a top-level declaration is."""
        qname = f"{{{component.schema.namespace}}}{component.node.get('name')}"
        if kind(component.node) == "simpleType":
            return self._complex.simple.of(component, qname).type
        found = self._complex.type_of(component, qname, anonymous=False)
        self._complex.drain()
        return found

    def all_complex(self) -> list[Struct]:
        """Read all named complex types that have a struct."""
        found = [
            self._complex.type_of(component, qname, anonymous=False)
            for qname, component in self._schemas.types.items()
            if kind(component.node) == "complexType" and not qname.startswith(f"{{{ENCODING}}}")
        ]
        self._complex.drain()
        return [struct for struct in found if isinstance(struct, Struct)]

    def simple_types(self, *, every: bool) -> dict[str, SimpleType]:
        """Return the named simple types that were read, or `every` one, by qualified name."""
        simple = self._complex.simple
        return {
            qname: simple.of(component, qname).type
            for qname, component in self._schemas.types.items()
            if kind(component.node) == "simpleType"
            and built_in(qname) is None
            and (every or simple.was_read(component))
        }

    def finish(self, roots: Iterable[Struct]) -> None:
        """Note the derived types of every type that something reached from the roots is declared as.

        A type that is reached only as what another extends is declared nowhere, and has no need of it.
        """
        self._complex.drain()
        todo, seen = [(root, True) for root in roots], set()
        while todo:
            struct, declared = todo.pop()
            if declared and struct not in self._finished:
                self._finished.add(struct)
                struct.derived = [one for one in self._derived(struct) if one not in self._complex.broken]
            if (struct, declared) in seen:
                continue
            seen.add((struct, declared))
            if declared:
                todo += [(one, True) for one in struct.derived]
            if struct.base is not None:
                todo.append((struct.base, False))
            todo += [(field.type, True) for field in struct.fields if isinstance(field.type, Struct)]

    def _derived(self, struct: Struct) -> list[Struct]:
        component = self._complex.component(struct)
        if component is None or struct.anonymous:
            return []
        named = self._upon.get(component.key, ())
        found = [self._complex.type_of(one, qname, anonymous=False) for qname, one in named]
        self._complex.drain()
        # One whose base was not kept (a circle) is derived from nothing.
        return [one for one in found if isinstance(one, Struct) and struct in (one.base, one.restricts)]

    @cached_property
    def _upon(self) -> dict[tuple[object, str], list[tuple[str, Component]]]:
        """The types that say that they build upon another, by that."""
        upon: dict[tuple[object, str], list[tuple[str, Component]]] = {}
        for qname, component in self._schemas.types.items():
            step = step_of(component.node)
            raw = None if step is None else step.get("base")
            if step is None or raw is None:
                continue
            named, base = self._schemas.find("types", component.schema, step, raw)
            if base is not None and built_in(named) is None and kind(base.node) == "complexType":
                upon.setdefault(base.key, []).append((qname, component))
        return upon

    def broken(self, roots: Iterable[Struct]) -> set[Struct]:
        """What of all that the roots reach cannot be used, for it reaches something with a problem."""
        users: dict[Struct, list[Struct]] = {}
        todo = list(roots) if self._complex.broken else []
        seen = set(todo)
        while todo:
            struct = todo.pop()
            near = [field.type for field in struct.fields if isinstance(field.type, Struct)]
            near += [struct.base] if struct.base is not None else []
            for one in near:
                users.setdefault(one, []).append(struct)
            todo += [one for one in {*near, *struct.derived} if one not in seen]
            seen.update(near, struct.derived)
        found, todo = set(self._complex.broken), list(self._complex.broken)
        while todo:
            new = [user for user in users.get(todo.pop(), ()) if user not in found]
            found.update(new)
            todo += new
        for struct in seen - found:  # one that is only derived from what is needed can do without
            struct.derived = [one for one in struct.derived if one not in found]
        return found


def _may_be_nil(message: Struct) -> None:
    """Note that the element of a message may be nil, which is not the same as without content. Of a type with
    a name that is not to be said: it is the type of other elements, too."""
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
