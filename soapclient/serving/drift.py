"""Change valid responses so that they differ from their schema (contract drift), for tests of clients."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal

from lxml import etree

DriftKind = Literal["element", "value", "missing"]
Errors = Callable[[etree._Element], Sequence[str]]  # returns the schema's errors for an element
_UNKNOWN_NAME: Final = "unheardOf"


def drift(kind: DriftKind, element: etree._Element, errors: Errors) -> None:
    """Change a response in place so that it breaks its contract, at the first possible element.

    "element" adds an unknown element, "value" sets an unknown value of an enumeration, "missing" removes a
    required element. Nothing changes if no element is suitable. `errors` is a function that returns the
    schema errors of an element.
    """
    _DRIFTS[kind](element, errors)


def _unknown_element(element: etree._Element, errors: Errors) -> None:
    """Add an unknown element. The argument `errors` is not used."""
    space = etree.QName(element).namespace
    etree.SubElement(
        element, f"{{{space}}}{_UNKNOWN_NAME}" if space else _UNKNOWN_NAME
    ).text = "from a switch"


def _unknown_value(element: etree._Element, errors: Errors) -> None:
    """Replace the first value of an enumeration by an unknown value. For `errors`, see `drift`."""
    for node in element.iter("*"):
        if not len(node) and node.text:
            before, node.text = node.text, _UNKNOWN_NAME
            if any("enumeration" in error or "one of" in error for error in errors(element)):
                return
            node.text = before


def _missing(element: etree._Element, errors: Errors) -> None:
    """Remove the first required element without children. For `errors`, see `drift`."""
    for node in element.iterdescendants("*"):
        parent = node.getparent()
        if parent is not None and not len(node):
            position = parent.index(node)
            parent.remove(node)
            if errors(element):
                return
            parent.insert(position, node)


_DRIFTS: Mapping[DriftKind, Callable[[etree._Element, Errors], None]] = {
    "element": _unknown_element,
    "value": _unknown_value,
    "missing": _missing,
}
