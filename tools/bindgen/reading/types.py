"""Schema types → the model, from outside: the elements that messages are, and the types of their parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lxml import etree

from bindgen.model import ANYTHING, Field, Struct, Type
from bindgen.reading.complex import ComplexReader
from bindgen.reading.elements import Declared
from bindgen.reading.findings import Findings
from bindgen.reading.nodes import kind, step_of, true
from bindgen.reading.schemas import Component, Schema, Schemas
from bindgen.reading.simple import built_in
from bindgen.simple_types import SIMPLE, XSD


class Derivations:
    """Fills `Struct.derived`."""

    def __init__(self, schemas: Schemas, types: ComplexReader) -> None:
        self._schemas = schemas
        self._types = types
        self._upon: dict[tuple[object, str], list[tuple[str, Component]]] | None = None
        self._done: set[Struct] = set()

    def fill(self, roots: Iterable[Struct]) -> None:
        """Note the derived types of every type that something reached from the roots is declared as.

        A type that is reached only as what another extends is declared nowhere, and has no need of it.
        """
        self._types.drain()
        todo, seen = [(root, True) for root in roots], set()
        while todo:
            struct, declared = todo.pop()
            if declared and struct not in self._done:
                self._done.add(struct)
                struct.derived = [one for one in self._derived(struct) if one not in self._types.broken]
            if (struct, declared) in seen:
                continue
            seen.add((struct, declared))
            if declared:
                todo += [(one, True) for one in struct.derived]
            if struct.base is not None:
                todo.append((struct.base, False))
            todo += [(field.type, True) for field in struct.fields if isinstance(field.type, Struct)]

    def _derived(self, struct: Struct) -> Iterator[Struct]:
        component = self._types.component(struct)
        if component is None or struct.anonymous:
            return
        if self._upon is None:
            self._upon = self._read()
        found = []
        for qname, one in self._upon.get(component.key, ()):
            if isinstance(made := self._types.type_of(one, qname, anonymous=False), Struct):
                found.append(made)
        self._types.drain()
        # One whose base was not kept (a circle) is derived from nothing.
        yield from (one for one in found if struct in (one.base, one.restricts))

    def _read(self) -> dict[tuple[object, str], list[tuple[str, Component]]]:
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


class TypeReader:
    """Reads types when first asked for: only what operations reach is read, and recursion ends."""

    def __init__(self, schemas: Schemas, findings: Findings) -> None:
        self._schemas = schemas
        self._findings = findings
        self._complex = ComplexReader(schemas, findings)
        self._derivations = Derivations(schemas, self._complex)
        self._messages: dict[etree._Element, Struct] = {}

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
                made.fields = [Field("value", "content", "", ANYTHING, 1, 1, place)]
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

    def finish(self, roots: Iterable[Struct]) -> None:
        """Note which types are derived from which, for all that the roots reach."""
        self._derivations.fill(roots)

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
