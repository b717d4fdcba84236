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
from bindgen.reading import effort, inline
from bindgen.reading.findings import Findings
from bindgen.reading.inline import Inlined
from bindgen.reading.nodes import parsed
from bindgen.reading.schemas import Schema, Schemas
from bindgen.simple_types import XSD

_LINKS = tuple(f"{{{XSD}}}{name}" for name in ("import", "include", "redefine"))
_SCHEME = "contract:"


def of_all(schemas: Schemas) -> list[Problem] | None:
    """What the compiler says of all schemas of a contract; None where it would take too long to say."""
    if not schemas.all:
        return []
    if effort.too_much(schemas):
        return None
    inlined = inline.every(schemas)
    texts = [etree.tostring(one.node, with_tail=False) for one in inlined]
    try:
        schema(texts, [one.namespace for one in inlined])
    except etree.XMLSchemaParseError:
        return list(_located(schemas))
    return []


def noted(schemas: Schemas, findings: Findings) -> list[Problem] | None:
    """The same, put among the findings."""
    invalid = of_all(schemas)
    if invalid is None:
        first = schemas.all[0]
        why = "the schemas are too large for libxml2 to check messages against them within bounds"
        findings.note(first.document, first.node, why)
    elif findings.strict:  # no second problem of an element that has one already
        known = {_where(each) for each in findings.problems}
        findings.problems += [each for each in invalid if _where(each) not in known]
    else:
        findings.notes += invalid
    return invalid


def _where(problem: Problem) -> tuple[str, int, int] | None:
    place = problem.place
    return (place.file, place.line, place.column) if place else None


def _located(schemas: Schemas) -> Iterator[Problem]:
    """The same once more, each with its place. What has none is put upon the first schema."""
    first, inlined = schemas.all[0], inline.every(schemas, traced=True)
    copies = [_Copy(one, first) for one in inlined]
    try:
        schema([copy.text for copy in copies], [one.namespace for one in inlined])
    except etree.XMLSchemaParseError as error:
        entries = [entry for entry in error.error_log if entry.level_name != "WARNING"]
        said = {(entry.filename, entry.line, entry.message): None for entry in entries}
        if not said:
            yield Problem(f"not a valid schema: {error}", first.document.place(first.node))
        for file, line, message in said:
            at = file.removeprefix(_SCHEME)
            copy = copies[int(at)] if at.isdigit() else copies[0]
            yield copy.problem(line, message)


def schema(texts: Sequence[bytes], namespaces: Sequence[str]) -> etree.XMLSchema:
    """Compile schemas of these namespaces, none of which says where another is, together.

    Raises XMLSchemaParseError, its places in documents `contract:` and the text's number.
    """
    spaces = list(dict.fromkeys(namespaces))
    sources = {f"{_SCHEME}{at}": text for at, text in enumerate(texts)}
    for number, space in enumerate(spaces):  # libxml2 takes one document per imported namespace
        own = [at for at, namespace in enumerate(namespaces) if namespace == space]
        sources[f"{_SCHEME}all-{number}"] = _joined(space, own)
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)
    parser.resolvers.add(_Memory(sources))
    return etree.XMLSchema(etree.fromstring(_every(spaces), parser))


def unlink(root: etree._Element) -> None:
    """Leave of the links of a schema what names a namespace: all schemas are given to the compiler anyway."""
    for node in list(root.iter(*_LINKS)):
        if node.tag == _LINKS[0]:
            node.attrib.pop("schemaLocation", None)
        elif (parent := node.getparent()) is not None:
            parent.remove(node)


class _Copy:
    """A schema's text for the compiler, a line an element, so that a line of it means one element."""

    def __init__(self, inlined: Inlined, first: Schema) -> None:
        self._schema = inlined.schema or first
        copy = parsed(etree.tostring(inlined.node, with_tail=False))
        nodes = [inlined.origin.get(node) for node in inlined.node.iter()]
        for node in copy.iter():
            node.text = node.tail = "\n"
        copy.tail = None
        self.text = etree.tostring(copy)
        lines = [node.sourceline for node in parsed(self.text).iter()]
        self._by_line = dict(zip(lines, nodes, strict=True))

    def problem(self, line: int, message: str) -> Problem:
        node = self._by_line.get(line)
        node = self._schema.node if node is None else node
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
