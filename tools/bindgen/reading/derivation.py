"""Which types extend or restrict which: xsi:type may name any of them where their base is declared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bindgen.model import Struct
from bindgen.reading.complex import ComplexReader
from bindgen.reading.nodes import first, kind
from bindgen.reading.schemas import Component, Schemas
from bindgen.reading.simple import built_in


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
            content = first(component.node, "complexContent", "simpleContent")
            step = None if content is None else first(content, "extension", "restriction")
            raw = None if step is None else step.get("base")
            if step is None or raw is None:
                continue
            named, base = self._schemas.find("types", component.schema, step, raw)
            if base is not None and built_in(named) is None and kind(base.node) == "complexType":
                upon.setdefault(base.key, []).append((qname, component))
        return upon
