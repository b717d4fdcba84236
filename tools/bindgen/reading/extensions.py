"""WSDL lets others extend it, and say of an extension that whoever does not know it must stop."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from lxml import etree

from bindgen.simple_types import XSD

WSDL = "http://schemas.xmlsoap.org/wsdl/"
SOAP = "http://schemas.xmlsoap.org/wsdl/soap/"
SOAP12 = "http://schemas.xmlsoap.org/wsdl/soap12/"

MIME = "http://schemas.xmlsoap.org/wsdl/mime/"
_DIME = "http://schemas.xmlsoap.org/ws/2002/04/dime/wsdl/"
# What says that a message is no envelope, or one in a form that is not supported (WSDL 1.1 section 5).
_UNSUPPORTED = {
    f"{{{_DIME}}}message": "with attachments (dime:message)",
    f"{{{MIME}}}content": "as MIME content (mime:content)",
    f"{{{MIME}}}mimeXml": "as MIME content (mime:mimeXml)",
}
_REQUIRED = f"{{{WSDL}}}required"
_NAMES = ("address", "binding", "operation", "body", "header", "headerfault", "fault")
_KNOWN = {f"{{{space}}}{name}" for space in (SOAP, SOAP12) for name in _NAMES}
_DOCUMENTATION = f"{{{WSDL}}}documentation"
_SCHEMA = f"{{{XSD}}}schema"
_CHOSEN = {f"{{{WSDL}}}{name}" for name in ("service", "port", "binding", "portType")}


def unsupported(form: etree._Element | None) -> Iterator[tuple[etree._Element, str]]:
    """What keeps one end of a binding's operation from being generated, and the words for it."""
    for node in () if form is None else form.iterchildren(*_UNSUPPORTED):
        yield node, _UNSUPPORTED[str(node.tag)]


def unknown_but_required(
    root: etree._Element, chosen: Collection[etree._Element]
) -> Iterator[etree._Element]:
    """The extension elements with wsdl:required that are not known.

    Of services, ports, bindings and port types only the `chosen` are looked into: what another port needs
    is no obstacle to this one. Nor are the schemas, which have rules of their own.
    """
    for node in root.iterchildren("*"):
        if node.tag in (_DOCUMENTATION, _SCHEMA) or (node.tag in _CHOSEN and node not in chosen):
            continue
        if node.tag not in _KNOWN and node.get(_REQUIRED, "").strip() in {"true", "1"}:
            yield node
        yield from unknown_but_required(node, chosen)
