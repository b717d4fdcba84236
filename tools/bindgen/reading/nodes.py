"""Helpers for single nodes of a schema: their kind, occurrences, and documentation."""

from __future__ import annotations

from lxml import etree

from bindgen.simple_types import XSD

XML = "http://www.w3.org/XML/1998/namespace"
XSI = "http://www.w3.org/2001/XMLSchema-instance"
ENCODING = "http://schemas.xmlsoap.org/soap/encoding/"
WSDL = "http://schemas.xmlsoap.org/wsdl/"
SOAP = "http://schemas.xmlsoap.org/wsdl/soap/"
SOAP12 = "http://schemas.xmlsoap.org/wsdl/soap12/"
MIME = "http://schemas.xmlsoap.org/wsdl/mime/"
EXPECTED_TYPES = "{http://www.w3.org/2005/05/xmlmime}expectedContentTypes"
EARLIER_XSD = ("http://www.w3.org/1999/XMLSchema", "http://www.w3.org/2000/10/XMLSchema")

MODEL_GROUPS = frozenset(("sequence", "choice", "all", "group"))
PARTICLES = MODEL_GROUPS | {"element", "any"}

_HEAD = f"{{{XSD}}}"
_LONGEST = 160  # maximum characters of a path or a name
# The most frequent values of minOccurs and maxOccurs.
_USUAL_LEAST: dict[str | None, int] = {None: 1, "0": 0, "1": 1}
_USUAL_MOST: dict[str | None, int | None] = {None: 1, "1": 1, "unbounded": None}
_DIGITS = 9  # maximum number of occurrences; larger numbers count as unbounded


class _Kinds(dict[object, str]):
    """Cache that maps tags to local names of XSD elements.

    Names are looked up very often, but there are few different ones.
    """

    def __missing__(self, tag: object) -> str:
        in_xsd = isinstance(tag, str) and tag.startswith(_HEAD)
        self[tag] = name = str(tag)[len(_HEAD) :] if in_xsd and len(str(tag)) < len(_HEAD) + _LONGEST else ""
        return name


_KINDS = _Kinds()


def kind(node: etree._Element) -> str:
    """Return the local name of an XSD element, such as "complexType"; "" if it is in another namespace."""
    return _KINDS[node.tag]


def parts(node: etree._Element) -> list[etree._Element]:
    """Return the children of a node that are XSD elements, except annotations."""
    return [child for child in node if _KINDS[child.tag] not in ("", "annotation")]


def particles(node: etree._Element) -> list[etree._Element]:
    """Return the children of a node that are elements, wildcards or model groups."""
    return [child for child in node if _KINDS[child.tag] in PARTICLES]


def parse_fragment(text: str | bytes) -> etree._Element:
    """Parse XML from a document that was already parsed once. The size of the XML is not limited."""
    return etree.fromstring(text, etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True))


def step_of(node: etree._Element, *kinds: str) -> etree._Element | None:
    """Return the xs:extension or xs:restriction in a complex type; None if it has neither.

    `kinds` are the names of the elements to look for; default: "extension" and "restriction".
    """
    content = first(node, "complexContent", "simpleContent")
    return None if content is None else first(content, *(kinds or ("extension", "restriction")))


def first(node: etree._Element, *kinds: str) -> etree._Element | None:
    """Return the first child whose kind is one of `kinds`. None if there is no such child."""
    for child in node:
        if _KINDS[child.tag] in kinds:
            return child
    return None


def true(node: etree._Element, attribute: str) -> bool:
    """Return True if a boolean attribute is true."""
    value = node.get(attribute)
    return value is not None and value.strip() in ("true", "1")


def occurs(node: etree._Element) -> tuple[int, int | None]:
    """Return minOccurs and maxOccurs (None: unbounded).

    Invalid numbers count as 1. The module `compiled` reports them as problems.
    """
    raw_least, raw_most = node.get("minOccurs"), node.get("maxOccurs")
    if raw_least in _USUAL_LEAST and raw_most in _USUAL_MOST:
        return _USUAL_LEAST[raw_least], _USUAL_MOST[raw_most]
    least = _number(raw_least or "1") or 0
    raw = (raw_most or "1").strip()
    most = None if raw == "unbounded" else _number(raw)
    if most is not None and 0 < most < least:
        most = least
    return (0, 0) if most == 0 else (least, most)


def times(outer: tuple[int, int | None], inner: tuple[int, int | None]) -> tuple[int, int | None]:
    """Multiply two pairs of minimum and maximum occurrences.

    An item occurs `inner` times in a group, and the group occurs `outer` times. The result is the total
    number of occurrences of the item.
    """
    least = min(outer[0] * inner[0], 10**_DIGITS)
    if 0 in (outer[1], inner[1]):
        return 0, 0
    most = None if outer[1] is None or inner[1] is None else outer[1] * inner[1]
    return least, most if most is None or most < 10**_DIGITS else None


def _number(raw: str) -> int | None:
    raw = raw.strip()
    if not (raw.isascii() and raw.isdigit()):
        return 1
    return int(raw) if len(raw) <= _DIGITS else None


def doc(node: etree._Element) -> str:
    """Return the documentation of a node, with white space normalized; "" if it has none."""
    if not len(node):
        return ""
    nodes = node.findall(f"{_HEAD}annotation/{_HEAD}documentation")
    return " ".join(filter(None, map(words, nodes)))


def words(node: etree._Element | None) -> str:
    """Return the text of a documentation node with white space normalized; "" for None.

    Characters that cannot be printed, such as soft hyphens, become spaces.
    """
    if node is None:
        return ""
    text = " ".join("".join(map(str, node.itertext())).split())
    if text.isprintable():
        return text
    return " ".join("".join(character if character.isprintable() else " " for character in text).split())


def below(path: str, name: str) -> str:
    """Return a name for an anonymous type: the name of the type around it, an underscore, and `name`.

    `path` is the name of the type around it. A long name is cut at the front.
    """
    space, brace, local = path.rpartition("}")
    return f"{space}{brace}{f'{local}_{name}'[-_LONGEST:].lstrip('_')}"
