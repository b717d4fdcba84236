"""SOAP envelopes in and out, 1.1 and 1.2: nothing here knows what the body means."""

from __future__ import annotations

from dataclasses import dataclass

from lxml import etree

from .faults import Code, Refusal

SOAP_11 = "http://schemas.xmlsoap.org/soap/envelope/"
SOAP_12 = "http://www.w3.org/2003/05/soap-envelope"
XML_NS = "http://www.w3.org/XML/1998/namespace"
MEDIA_TYPES = {"text/xml": SOAP_11, "application/xml": SOAP_11, "application/soap+xml": SOAP_12}
_SENT_AS = {SOAP_11: "text/xml; charset=utf-8", SOAP_12: "application/soap+xml; charset=utf-8"}


@dataclass(frozen=True)
class Message:
    """A read envelope: its version (the namespace) and the body's only child."""

    version: str
    body: etree._Element


def parse(data: bytes, charset: str | None) -> etree._Element:
    """Bytes as XML without any outside help. Raises a 1xx `Refusal` for broken XML and for a DOCTYPE."""
    try:
        parser = etree.XMLParser(
            encoding=charset, resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True,
            remove_pis=True,
        )  # fmt: skip
    except LookupError:
        raise Refusal(Code.MALFORMED, f"the charset {(charset or '')[:40]!r} is not known") from None
    # Before parsing, so that nothing a DOCTYPE declares is ever looked at; UTF-16 is seen afterwards.
    if b"<!DOCTYPE" in data:
        raise Refusal(Code.MALFORMED, "a DOCTYPE is not allowed in a message")
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise Refusal(Code.MALFORMED, f"this is not well-formed XML: {error.msg}") from None
    if root.getroottree().docinfo.doctype:
        raise Refusal(Code.MALFORMED, "a DOCTYPE is not allowed in a message")
    return root


def version_of(root: etree._Element) -> str | None:
    """The envelope's namespace, None if this is no SOAP envelope."""
    name = etree.QName(root)
    return name.namespace if name.localname == "Envelope" and name.namespace in (SOAP_11, SOAP_12) else None


def message(root: etree._Element) -> Message:
    """The body's only child. Raises a 1xx `Refusal` for anything else."""
    version = version_of(root)
    if version is None:
        raise Refusal(Code.MALFORMED, f"the root is {etree.QName(root).text}, not a SOAP 1.1 or 1.2 Envelope")
    for block in root.iterfind(f"{{{version}}}Header/*"):
        if block.get(f"{{{version}}}mustUnderstand") in ("1", "true"):
            raise Refusal(
                Code.MALFORMED,
                f"the header {etree.QName(block).text} is marked mustUnderstand and is not understood",
            )
    bodies = root.findall(f"{{{version}}}Body")
    if len(bodies) != 1:
        raise Refusal(Code.MALFORMED, f"the envelope has {len(bodies)} Body elements, not one")
    children = list(bodies[0])
    if len(children) != 1:
        raise Refusal(Code.MALFORMED, f"the Body has {len(children)} children, not one")
    return Message(version, children[0])


def media_type(version: str) -> str:
    """The content type that goes with the envelope's version."""
    return _SENT_AS[version]


def wrap(version: str, content: etree._Element) -> bytes:
    """`content` as the only child of a body."""
    envelope = etree.Element(f"{{{version}}}Envelope", nsmap={"soap": version})
    etree.SubElement(envelope, f"{{{version}}}Body").append(content)
    return etree.tostring(envelope, xml_declaration=True, encoding="UTF-8")


def fault(version: str, *, caller: bool, reason: str, detail: etree._Element) -> bytes:
    """A fault; `caller` says whose mistake it is."""
    if version == SOAP_11:
        element = etree.Element(f"{{{version}}}Fault", nsmap={"soap": version})
        etree.SubElement(element, "faultcode").text = "soap:Client" if caller else "soap:Server"
        etree.SubElement(element, "faultstring").text = reason
        etree.SubElement(element, "detail").append(detail)
        return wrap(version, element)
    q = f"{{{version}}}"
    element = etree.Element(f"{q}Fault", nsmap={"soap": version})
    code = etree.SubElement(element, f"{q}Code")
    etree.SubElement(code, f"{q}Value").text = "soap:Sender" if caller else "soap:Receiver"
    text = etree.SubElement(etree.SubElement(element, f"{q}Reason"), f"{q}Text")
    text.set(f"{{{XML_NS}}}lang", "en")
    text.text = reason
    etree.SubElement(element, f"{q}Detail").append(detail)
    return wrap(version, element)
