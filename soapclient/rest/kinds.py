"""Which kind of document a recorded response is, and XML parsed without surprises."""

from __future__ import annotations

from typing import Literal

from lxml import etree

Kind = Literal["soap", "xml", "json"]

_ENVELOPES = {
    "{http://schemas.xmlsoap.org/soap/envelope/}Envelope",
    "{http://www.w3.org/2003/05/soap-envelope}Envelope",
}
_UTF8_MARK = b"\xef\xbb\xbf"
_UTF16_STARTS = (b"\xff\xfe", b"\xfe\xff", b"<\0", b"\0<")
_JSON_STARTS = (b"{", b"[", b'""')  # the last is an empty element
_PIECE = 1 << 16


class UnreadableDocument(ValueError):
    """A document that cannot be read. `problem` says what is wrong, `place` where."""

    def __init__(self, problem: str, place: str) -> None:
        super().__init__(problem, place)
        self.problem = problem
        self.place = place

    def __str__(self) -> str:
        return f"{self.problem} ({self.place})"


def kind_of(data: bytes) -> Kind:
    """Whether a recorded response is a SOAP envelope, other XML, or JSON; that it is whole is not looked at.

    A byte order mark and white space may stand before it. Raises UnreadableDocument for anything else, and
    for a document type: no response has one.
    """
    start = trimmed(data)
    if start.startswith(_JSON_STARTS):
        return "json"
    if not start.startswith((b"<", *_UTF16_STARTS)):
        raise UnreadableDocument("neither XML nor JSON" if start else "an empty document", "at its beginning")
    return "soap" if _root_tag(start) in _ENVELOPES else "xml"


def xml_tree(data: bytes) -> etree._Element:
    """Parse XML, comments and instructions left out. Raises UnreadableDocument."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True)
    try:
        root = etree.fromstring(trimmed(data), parser)
    except etree.XMLSyntaxError as error:
        raise _malformed(error) from None
    _refuse_doctype(root)
    return root


def trimmed(data: bytes) -> bytes:
    """The document without a byte order mark of UTF-8 and the white space before it."""
    return data.removeprefix(_UTF8_MARK).lstrip(b" \t\r\n")


def _root_tag(data: bytes) -> object:
    """The tag of the root; what follows its start tag is not read."""
    feed = etree.XMLPullParser(["start"], resolve_entities=False, no_network=True)
    broken = None
    try:
        for at in range(0, len(data), _PIECE):
            feed.feed(data[at : at + _PIECE])
            for _, node in feed.read_events():
                _refuse_doctype(node)
                return node.tag
        feed.close()
    except etree.XMLSyntaxError as error:
        broken = error
    # A short document is not looked at before its end, and one that is broken later has a root all the same.
    for _, node in feed.read_events():
        _refuse_doctype(node)
        return node.tag
    raise UnreadableDocument("no whole document", "at its end") if broken is None else _malformed(broken)


def _malformed(error: etree.XMLSyntaxError) -> UnreadableDocument:
    line, column = error.position
    return UnreadableDocument(f"not well-formed XML: {error.msg}", f"line {line}, column {column}")


def _refuse_doctype(root: etree._Element) -> None:
    """Entities in a document type could change what a value says."""
    if root.getroottree().docinfo.doctype:
        raise UnreadableDocument("a document type, which no response has", "at its beginning")
