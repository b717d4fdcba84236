"""What single nodes of a schema say: what they are, how often they may come, their documentation."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from bindgen.simple_types import XSD

XML = "http://www.w3.org/XML/1998/namespace"
XSI = "http://www.w3.org/2001/XMLSchema-instance"
ENCODING = "http://schemas.xmlsoap.org/soap/encoding/"
WSDL = "http://schemas.xmlsoap.org/wsdl/"
SOAP = "http://schemas.xmlsoap.org/wsdl/soap/"
SOAP12 = "http://schemas.xmlsoap.org/wsdl/soap12/"
MIME = "http://schemas.xmlsoap.org/wsdl/mime/"
EARLIER_XSD = ("http://www.w3.org/1999/XMLSchema", "http://www.w3.org/2000/10/XMLSchema")

COMPOUNDS = frozenset(("sequence", "choice", "all", "group"))
PARTICLES = COMPOUNDS | {"element", "any"}

_HEAD = f"{{{XSD}}}"
_LONGEST = 160  # of a path, or a name
# What minOccurs and maxOccurs mostly say.
_USUAL_LEAST: dict[str | None, int] = {None: 1, "0": 0, "1": 1}
_USUAL_MOST: dict[str | None, int | None] = {None: 1, "1": 1, "unbounded": None}
_DIGITS = 9  # of a number of times; more is as good as unbounded


class _Kinds(dict[object, str]):
    """Tag → name in XSD. It is asked for many times more often than there are names."""

    def __missing__(self, tag: object) -> str:
        known = isinstance(tag, str) and tag.startswith(_HEAD)
        self[tag] = found = str(tag)[len(_HEAD) :] if known and len(str(tag)) < len(_HEAD) + _LONGEST else ""
        return found


_KINDS = _Kinds()


def kind(node: etree._Element) -> str:
    """A node's name in XSD; "" for one of another vocabulary, which says nothing to us."""
    return _KINDS[node.tag]


def parts(node: etree._Element) -> Iterator[etree._Element]:
    """The children that say something; annotations are read by `doc`."""
    return (child for child in node if _KINDS[child.tag] not in ("", "annotation"))


def parsed(text: str | bytes) -> etree._Element:
    """A piece of a document that was read already, parsed by itself."""
    return etree.fromstring(text, etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True))


def step_of(node: etree._Element, *kinds: str) -> etree._Element | None:
    """The extension or restriction that a complex type is, if it is of one of these kinds."""
    content = first(node, "complexContent", "simpleContent")
    return None if content is None else first(content, *(kinds or ("extension", "restriction")))


def first(node: etree._Element, *kinds: str) -> etree._Element | None:
    """The first child of one of some kinds."""
    for child in node:
        if _KINDS[child.tag] in kinds:
            return child
    return None


def true(node: etree._Element, attribute: str) -> bool:
    """Whether an attribute says so."""
    return node.get(attribute, "").strip() in ("true", "1")


def occurs(node: etree._Element) -> tuple[int, int | None]:
    """How often at least and at most (None: no bound).

    What is no number makes the schema invalid, which `compiled` says; it counts as 1 here.
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
    """How often something comes that comes `inner` times in what comes `outer` times."""
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
    """The documentation of a node, its white space made single blanks."""
    if not len(node):
        return ""
    said = node.findall(f"{_HEAD}annotation/{_HEAD}documentation")
    return " ".join(filter(None, map(words, said)))


def words(node: etree._Element | None) -> str:
    """The text in a node of documentation, its white space made single blanks; "" where it says nothing.

    What cannot be printed, such as a soft hyphen, is no word either.
    """
    if node is None:
        return ""
    text = " ".join("".join(map(str, node.itertext())).split())
    if text.isprintable():
        return text
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())


def below(path: str, name: str) -> str:
    """The name of an anonymous type: where it stands. Of a long path the end is enough."""
    space, brace, local = path.rpartition("}")
    return f"{space}{brace}{f'{local}_{name}'[-_LONGEST:].lstrip('_')}"
