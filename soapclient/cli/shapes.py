"""Which names a request has, read off the contract's schema: elements in order, attributes, text.

Only what is needed to put values where they belong. Whether they are valid is for the generated code and
the schema itself to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

from lxml import etree

from soapclient.errors import ContractError

_XSD: Final = "{http://www.w3.org/2001/XMLSchema}"
_GROUPS: Final = {"sequence", "all", "choice"}
_SILENT: Final = {"annotation", "any", "anyAttribute", "unique", "key", "keyref"}
_WORD_STARTS: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@dataclass(frozen=True)
class Part:
    """An element, an attribute, or the text of a type. `tag` is its name in Clark notation."""

    kind: Literal["element", "attribute", "text"]
    name: str
    tag: str
    many: bool
    declaration: etree._Element

    @property
    def shown(self) -> str:
        return f"@{self.name}" if self.kind == "attribute" else self.name


@dataclass(frozen=True)
class Shape:
    """What a type consists of, elements in the order of the schema."""

    parts: tuple[Part, ...]

    @cached_property
    def _by_name(self) -> dict[str, Part]:
        # The contract's own spelling goes before Python's: a name that means something there keeps it.
        names = {part.shown: part for part in self.parts}
        for part in self.parts:
            names.setdefault(snake_case(part.name), part)
        for part in self.parts:
            if part.kind == "attribute":
                names.setdefault(part.name, part)
                names.setdefault(f"@{snake_case(part.name)}", part)
            elif part.kind == "text":
                names.setdefault("value", part)  # as the generated types call it
        return names

    def find(self, name: str) -> Part | None:
        """Return the part of that name, in the contract's spelling or in snake_case."""
        return self._by_name.get(name)

    @property
    def text(self) -> bool:
        return any(part.kind == "text" for part in self.parts)

    @property
    def wrapped(self) -> Part | None:
        """The one part of a wrapped list, else None."""
        only = self.parts[0] if len(self.parts) == 1 else None
        return only if only is not None and only.kind == "element" and only.many else None


def snake_case(name: str) -> str:
    """`dateType` → `date_type`."""
    return _WORD_STARTS.sub("_", name).lower()


class Shapes:
    """The shapes of one contract."""

    def __init__(self, *documents: bytes) -> None:
        parser = etree.XMLParser(resolve_entities=False, no_network=True)
        self._declared = {
            (_local(node), f"{{{schema.get('targetNamespace', '')}}}{node.get('name')}"): node
            for root in (etree.fromstring(document, parser) for document in documents)
            for schema in root.iter(f"{_XSD}schema")
            for node in schema.iterchildren(f"{_XSD}*")
        }

    def of_message(self, tag: str) -> Shape:
        """Return the shape of a message by its tag."""
        return self._of_declaration(self._declared["element", tag])

    def of_part(self, part: Part) -> Shape:
        """Return the shape of an element within another."""
        return self._of_declaration(part.declaration)

    def _of_declaration(self, declaration: etree._Element) -> Shape:
        inline = declaration.find(f"{_XSD}complexType")
        named = declaration.get("type")
        if inline is None and named is not None:
            inline = self._declared.get(("complexType", _qualified(declaration, named)))
        if inline is None:
            return Shape((_text(declaration),))
        return Shape(tuple(self._parts(inline, many=False)))

    def _parts(self, node: etree._Element, *, many: bool) -> Iterator[Part]:
        for child in node.iterchildren(f"{_XSD}*"):
            kind = _local(child)
            repeated = many or child.get("maxOccurs", "1") not in ("0", "1")
            if kind in _GROUPS:
                yield from self._parts(child, many=repeated)
            elif kind in ("simpleContent", "complexContent"):
                yield from self._parts(child, many=False)
            elif kind in ("extension", "restriction"):
                yield from self._derived(child)
            elif kind in ("group", "attributeGroup"):
                yield from self._parts(self._referred(child), many=repeated)
            elif kind in ("element", "attribute"):
                yield self._part(child, repeated)
            elif kind not in _SILENT:
                raise ContractError(
                    "request",
                    None,
                    "",
                    f"its schema has xsd:{kind}, which only a call from Python can fill in",
                )

    def _derived(self, node: etree._Element) -> Iterator[Part]:
        base = self._declared.get(("complexType", _qualified(node, node.get("base", ""))))
        if base is not None:
            inherited = self._parts(base, many=False)
            again = _local(node) == "restriction"  # which repeats the elements that it keeps
            yield from (part for part in inherited if not again or part.kind != "element")
        elif _local(node.getparent()) == "simpleContent":
            yield _text(node)
        yield from self._parts(node, many=False)

    def _part(self, node: etree._Element, many: bool) -> Part:
        kind: Literal["element", "attribute"] = "element" if _local(node) == "element" else "attribute"
        declaration = node if node.get("ref") is None else self._referred(node)
        name = declaration.get("name", "")
        schema = next(declaration.iterancestors(f"{_XSD}schema"))
        form = declaration.get("form") or schema.get(f"{kind}FormDefault", "unqualified")
        qualified = declaration.getparent() is schema or form == "qualified"
        space = schema.get("targetNamespace", "") if qualified else ""
        return Part(kind, name, f"{{{space}}}{name}" if space else name, many, declaration)

    def _referred(self, node: etree._Element) -> etree._Element:
        return self._declared[_local(node), _qualified(node, node.get("ref", ""))]


def _text(near: etree._Element) -> Part:
    return Part("text", "$", "", False, near)


def _local(node: etree._Element | None) -> str:
    return "" if node is None else etree.QName(node).localname


def _qualified(near: etree._Element, name: str) -> str:
    prefix, _, local = name.rpartition(":")
    return f"{{{near.nsmap.get(prefix or None, '')}}}{local}"
