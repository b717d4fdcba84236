"""Whether the schemas of a contract are schemas at all: libxml2 compiles them, as the run time will.

`types` reads what is handled; what makes no sense in XSD itself (an occurrence that is no number, a name
declared nowhere, a circle) is found here, also in types that no operation reaches.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from lxml import etree

from bindgen.problems import Problem
from bindgen.reading.schemas import Schema
from bindgen.simple_types import XSD

_LINKS = tuple(f"{{{XSD}}}{name}" for name in ("import", "include", "redefine"))
_SCHEME = "contract:"


def problems(schemas: Sequence[Schema]) -> Iterator[Problem]:
    """What the compiler says of the schemas, each with the lines it is about; nothing where they compile."""
    if not schemas:
        return
    copies = [_Copy(schema) for schema in schemas]
    spaces = list(dict.fromkeys(schema.namespace for schema in schemas))
    sources = {f"{_SCHEME}{at}": copy.text for at, copy in enumerate(copies)}
    for number, space in enumerate(spaces):  # libxml2 takes one document per imported namespace
        own = [at for at, schema in enumerate(schemas) if schema.namespace == space]
        sources[f"{_SCHEME}all-{number}"] = _joined(space, own)
    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    parser.resolvers.add(_Memory(sources))
    root = etree.fromstring(_every(spaces), parser)
    try:
        etree.XMLSchema(root)
    except etree.XMLSchemaParseError as error:
        entries = [entry for entry in error.error_log if entry.level_name != "WARNING"]
        said = {(entry.filename, entry.line, entry.message): None for entry in entries}
        if not said:
            yield Problem(f"not a valid schema: {error}", schemas[0].document.place(schemas[0].node))
        for file, line, message in said:
            at = file.removeprefix(_SCHEME)
            copy = copies[int(at)] if at.isdigit() else copies[0]
            yield copy.problem(line, message)


class _Copy:
    """A schema's text for the compiler, a line an element, so that a line of it means one element."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        # Serialised and parsed again, so that the prefixes in scope of the whole document travel along.
        copy = etree.fromstring(etree.tostring(schema.node, with_tail=False))
        meant = dict(zip(copy.iter(), schema.node.iter(), strict=True))
        for node in list(copy.iter(*_LINKS)):
            if node.tag == _LINKS[0]:
                node.attrib.pop("schemaLocation", None)  # all of them are given to the compiler anyway
            elif (parent := node.getparent()) is not None:
                parent.remove(node)
        for node in copy.iter():
            node.text = node.tail = "\n"
        copy.tail = None
        self.text = etree.tostring(copy)
        lines = [node.sourceline for node in etree.fromstring(self.text).iter()]
        self._by_line = dict(zip(lines, (meant[node] for node in copy.iter()), strict=True))

    def problem(self, line: int, message: str) -> Problem:
        node = self._by_line.get(line, self._schema.node)
        said = re.sub(r"^Element '[^']*'(, )?:? ?", "", message.replace(f"{{{XSD}}}", ""))
        kind = etree.QName(node).localname
        return Problem(f"not a valid schema: {kind}: {said}", self._schema.document.place(node))


class _Memory(etree.Resolver):
    def __init__(self, sources: dict[str, bytes]) -> None:
        self._sources = sources

    # The stubs hide the types of what is passed through here.
    def resolve(self, system_url: Any, public_id: Any, context: Any) -> Any:
        """Give the text of one of our own addresses; nothing else is ever asked for."""
        return self.resolve_string(self._sources[str(system_url)], context, base_url=str(system_url))


def _every(spaces: Sequence[str]) -> bytes:
    # A namespace of its own, for only such a schema may import components of no namespace.
    root = etree.Element(f"{{{XSD}}}schema", targetNamespace=f"{_SCHEME}all")
    for number, space in enumerate(spaces):
        link = etree.SubElement(root, _LINKS[0], schemaLocation=f"{_SCHEME}all-{number}")
        if space:
            link.set("namespace", space)
    return etree.tostring(root)


def _joined(space: str, own: Sequence[int]) -> bytes:
    root = etree.Element(f"{{{XSD}}}schema")
    if space:
        root.set("targetNamespace", space)
    for at in own:
        etree.SubElement(root, _LINKS[1], schemaLocation=f"{_SCHEME}{at}")
    return etree.tostring(root)
