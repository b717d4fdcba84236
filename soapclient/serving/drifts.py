"""Responses as a service sends them whose contract has moved on: something is not as the schema says."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal

from lxml import etree

Drift = Literal["element", "value", "missing"]
Errors = Callable[[etree._Element], Sequence[str]]  # what the schema has against an element
_ODD: Final = "unheardOf"


def drift(kind: Drift, element: etree._Element, errors: Errors) -> None:
    """Put in an element, or a value of an enumeration, that nobody has heard of, or leave out one that must
    be there; the first place of its kind. Nothing changes where there is none."""
    _DRIFTS[kind](element, errors)


def _unknown_element(element: etree._Element, errors: Errors) -> None:
    space = etree.QName(element).namespace
    etree.SubElement(element, f"{{{space}}}{_ODD}" if space else _ODD).text = "from a switch"


def _unknown_value(element: etree._Element, errors: Errors) -> None:
    for node in element.iter("*"):
        if not len(node) and node.text:
            before, node.text = node.text, _ODD
            if any("enumeration" in error or "one of" in error for error in errors(element)):
                return
            node.text = before


def _missing(element: etree._Element, errors: Errors) -> None:
    for node in element.iterdescendants("*"):
        parent = node.getparent()
        if parent is not None and not len(node):
            at = parent.index(node)
            parent.remove(node)
            if errors(element):
                return
            parent.insert(at, node)


_DRIFTS: Mapping[Drift, Callable[[etree._Element, Errors], None]] = {
    "element": _unknown_element,
    "value": _unknown_value,
    "missing": _missing,
}
