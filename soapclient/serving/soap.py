"""Recognise the version of SOAP messages, and choose their media type, for servers."""

from __future__ import annotations

from lxml import etree

SOAP_11 = "http://schemas.xmlsoap.org/soap/envelope/"
SOAP_12 = "http://www.w3.org/2003/05/soap-envelope"
XML_NS = "http://www.w3.org/XML/1998/namespace"
MEDIA_TYPES = {"text/xml": SOAP_11, "application/xml": SOAP_11, "application/soap+xml": SOAP_12}
_SENT_AS = {SOAP_11: "text/xml; charset=utf-8", SOAP_12: "application/soap+xml; charset=utf-8"}


def version_of(root: etree._Element) -> str | None:
    """Return the namespace of a SOAP envelope, which identifies the version of SOAP.

    Return None if `root` is not an envelope.
    """
    name = etree.QName(root)
    return name.namespace if name.localname == "Envelope" and name.namespace in (SOAP_11, SOAP_12) else None


def media_type(version: str) -> str:
    """Return the Content-Type of a message, given the namespace of its envelope."""
    return _SENT_AS[version]
