"""Convert the XML element of a request to the values of a form."""

from __future__ import annotations

from typing import NamedTuple

from lxml import etree

from soapclient.runtime.any_element import XSI_TYPE
from soapclient.runtime.fields import Field, Types
from soapclient.runtime.nil import NIL_ATTRIBUTE
from soapclient.runtime.visitor import At, Choice, Level, Place, Visitor


class _At(NamedTuple):
    """An XML element that is visited (`node`), and the child elements to visit in it (`children`).

    Usually, `children` are all child elements of `node`. If one occurrence of a model group is visited,
    `children` are the child elements that belong to this occurrence.
    """

    node: etree._Element
    children: list[etree._Element]


class FormVisitor(Visitor[At]):
    """Visits the fields that a caller can set in a request over one protocol."""

    def __init__(self, types: Types, protocol: str) -> None:
        super().__init__(types)
        self._protocol = protocol

    def includes(self, field: Field, above: tuple[str, ...]) -> bool:
        """Return True if the caller can set the field over this protocol.

        The argument `above`, the names of the types that contain the field, is not used.
        """
        return field.is_asked and field.row.protocol in ("", self._protocol)


def arm_key(choice: Choice) -> str:
    """Return the form key under which the number of a choice's chosen arm (branch) is stored."""
    return f"arm:{choice.level.path}{choice.key}"


class FormValues(FormVisitor[_At]):
    """Converts XML elements to form values and adds them to `values`. Module `forms` describes the keys."""

    def __init__(self, types: Types, values: dict[str, str], *, protocol: str) -> None:
        super().__init__(types, protocol)
        self._values = values

    def take(self, node: etree._Element, name: str, inside: Level | None = None) -> None:
        """Add the form values of the element `node`. `name` is the name of the element's type.

        `inside` is None if `node` is the root of the request. If `node` is a SOAP header, `inside` is the
        header's position in the form, with a path such as `header-Session`.
        """
        self.visit(name, _At(node, list(node.iterchildren("*"))), inside)

    def choose(self, choice: Choice, at: _At) -> tuple[None, _At]:
        """Store the number of the choice's arm (branch) whose fields occur in the element `at`.

        Returns None and `at`. None means: visit the fields of all arms. Fields of the other arms have no
        elements, so visiting them adds nothing.
        """
        present = [
            number
            for number, fields in enumerate(choice.arms.values())
            if any(self._elements(field, at) for field in fields)
        ]
        key = arm_key(choice)
        if present or not choice.key:
            self._values[key] = self._values[f"was:{key}"] = str(present[-1] if present else 0)
        return None, at

    def occurrences(self, place: Place, at: _At) -> list[_At]:
        """Return the XML elements that are values of the field `place` in the element `at`.

        Only a list can have more than one. For a list, also stores the number of its elements.
        """
        elements = self._elements(place.field, at)
        if place.field.is_list and (elements or place.field.kind == "element"):
            self._values[f"n:{place.path}"] = str(len(elements))
        return elements if place.field.is_list else elements[:1]

    def _elements(self, field: Field, at: _At) -> list[_At]:
        """Return the child elements of `at` that belong to a field, each with its own children.

        For a text, returns [`at`]. For an attribute, returns [`at`] if the element has the attribute,
        else []. For a wildcard (`xs:any`), returns [].
        """
        if field.kind == "element":
            nodes = [child for child in at.children if child.tag == field.tag]
            if field.item:
                nodes = [item for child in nodes for item in child.iterchildren("*")]
            return [_At(node, list(node.iterchildren("*"))) for node in nodes]
        if field.kind == "group":  # only one occurrence of a repeated group is shown
            tags = {item.tag for item in self.types.fields(field.holds)}
            children = [child for child in at.children if child.tag in tags]
            return [_At(at.node, children)] if children else []
        if field.kind == "attribute":
            return [at] if at.node.get(field.tag) is not None else []
        return [] if field.kind == "any" else [at]

    def leaf(self, place: Place, at: _At) -> None:
        """Add the form value of a field without inner fields.

        `place` is the field's position in the message; the value is read from the XML element `at`.
        """
        field, node = place.field, at.node
        if field.kind == "attribute":
            text = str(node.get(field.tag))
        elif field.kind == "element" and _is_nil(node):
            self._add_nil(place)
            return
        else:
            text = _inner(node) if field.leaf is None else node.text or ""
        self._values[f"v:{place.path}"] = text

    def branch(self, place: Place, at: _At) -> None:
        """Add the form values of an element with inner fields, or of a model group.

        `place` is its position in the message; the values are read from the XML element `at`.
        """
        field, node = place.field, at.node
        if field.kind == "element" and _is_nil(node):
            self._add_nil(place)
            return
        self._values[f"on:{place.path}"] = "1"
        kind = field.holds
        xsi_type = node.get(XSI_TYPE) if field.kind == "element" else None
        if xsi_type is not None:
            prefix, _, local = xsi_type.rpartition(":")
            tag = f"{{{node.nsmap.get(prefix or None, '')}}}{local}"
            names = {self.types.xml_name(name): name for name in self.types.standing_for(kind)}
            kind = self._values[f"type:{place.path}"] = names.get(tag, kind)
        self.visit(kind, at, place)

    def _add_nil(self, place: Place) -> None:
        self._values[f"nil:{place.path}"] = self._values[f"on:{place.path}"] = "1"


def _is_nil(node: etree._Element) -> bool:
    return node.get(NIL_ATTRIBUTE) in ("true", "1")


def _inner(node: etree._Element) -> str:
    """Return the content of an element as text, with its child elements as XML."""
    return (node.text or "") + "".join(etree.tostring(child, encoding="unicode") for child in node)
