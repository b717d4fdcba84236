"""Mutations of XML that mostly keep it well-formed: elements, attributes, texts, types, depth, floods."""

# ruff: noqa: E501 - values, many per line

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from functools import cache
from random import Random
from typing import Final

from lxml import etree

from .mutation import ENCODINGS, INTERESTING, TEXTS, changes, near, of_bytes, value

XSI: Final = "http://www.w3.org/2001/XMLSchema-instance"
XML: Final = "http://www.w3.org/XML/1998/namespace"
_MOST: Final = 200_000  # maximum bytes of an input
_MANY: Final = 3_000  # elements; larger documents get no more copies
Change = Callable[[etree._Element, etree._Element, Random], None]

_PROLOGS: Final = (
    '<!DOCTYPE a [<!ENTITY a "x">]>',
    '<!DOCTYPE a [<!ENTITY a "1234567890"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;">]>',
    '<!DOCTYPE a SYSTEM "file:///etc/hostname">',
    '<!DOCTYPE a [<!ENTITY a SYSTEM "file:///etc/hostname">]>',
    '<!DOCTYPE a [<!ATTLIST a b CDATA "c">]>',
    '<!DOCTYPE a [<!ENTITY % p SYSTEM "http://127.0.0.1:9/p">%p;]>',
    "<!DOCTYPE a>",
    "<!-- -->",
    '<?xml-stylesheet href="x"?>',
    "\n\n ",
)


def _fit(text: str) -> str:
    """Remove characters that a tree cannot hold. Mutations of bytes add them."""
    return "".join(
        sign
        for sign in text
        if sign in "\t\n\r"
        or (sign >= " " and not "\ud800" <= sign <= "\udfff" and sign not in "\ufffe\uffff")
    )


_FITTING: Final = tuple(dict.fromkeys(map(_fit, INTERESTING)))
_ATTRIBUTES: Final = (
    *((f"{{{XSI}}}nil", said) for said in ("true", "1", "false", "0", " true ", "TRUE", "", "yes")),
    *((f"{{{XSI}}}type", said) for said in ("xs:string", "x:nothing", "string", "", "a:b:c", ":", "ns0:Nope")),
    (f"{{{XSI}}}schemaLocation", "urn:x http://127.0.0.1:9/x.xsd"),
    (f"{{{XSI}}}noNamespaceSchemaLocation", "file:///etc/passwd"),
    (f"{{{XML}}}space", "preserve"), (f"{{{XML}}}lang", "xx"), (f"{{{XML}}}base", "http://["),
    ("id", "1"), ("href", "#1"), ("href", "cid:x"), ("encodingStyle", ""), ("{urn:elsewhere}a", "1"), ("a", ""),
    ("{http://schemas.xmlsoap.org/soap/envelope/}mustUnderstand", "1"),
    ("{http://schemas.xmlsoap.org/soap/envelope/}encodingStyle", "http://schemas.xmlsoap.org/soap/encoding/"),
)  # fmt: skip


def _text(root: etree._Element, node: etree._Element, random: Random) -> None:
    node.text = _some_text(random, node.text)


def _some_text(random: Random, known: str | None) -> str:
    if known and random.random() < 0.35:
        return _fit(near(known, random))
    return random.choice(_FITTING)


def _drop(root: etree._Element, node: etree._Element, random: Random) -> None:
    if (parent := node.getparent()) is not None:
        parent.remove(node)


def _double(root: etree._Element, node: etree._Element, random: Random) -> None:
    if (parent := node.getparent()) is not None:
        for _ in range(random.choice((1, 1, 1, 2, 20))):
            parent.insert(parent.index(node), copy.deepcopy(node))


def _swap(root: etree._Element, node: etree._Element, random: Random) -> None:
    parent = node.getparent()
    if parent is not None and len(parent) > 1:
        parent.insert(random.randrange(len(parent)), node)


def _move(root: etree._Element, node: etree._Element, random: Random) -> None:
    if node is not root:
        random.choice(list(root.iter("*"))).append(copy.deepcopy(node))


def _rename(root: etree._Element, node: etree._Element, random: Random) -> None:
    tag, other = str(node.tag), str(random.choice(list(root.iter("*"))).tag)
    space, _, local = tag.rpartition("}")
    longer = f"{space}}}{local}x" if space else f"{local}x"
    node.tag = random.choice((other, local, f"{{urn:elsewhere}}{local}", longer, local.upper(), "a.b-c"))


def _attribute(root: etree._Element, node: etree._Element, random: Random) -> None:
    if node.attrib and random.random() < 0.6:
        name = random.choice(sorted(map(str, node.attrib)))
        way = random.randrange(5)
        if way == 0:
            del node.attrib[name]
        elif way == 1:
            node.set(f"{{urn:elsewhere}}{etree.QName(name).localname}", "1")
        else:
            node.set(name, _some_text(random, str(node.get(name))))
        return
    name, said = random.choice(_ATTRIBUTES)
    node.set(name, said)


def _typed(root: etree._Element, node: etree._Element, random: Random) -> None:
    """Set a type or another attribute to one of another element, or to a name from the document."""
    others = list(root.iter("*"))
    named = etree.QName(random.choice(others))
    prefix = next((each for each, space in node.nsmap.items() if space == named.namespace and each), "")
    node.set(f"{{{XSI}}}type", f"{prefix}:{named.localname}" if prefix else named.localname)


def _between(root: etree._Element, node: etree._Element, random: Random) -> None:
    way = random.randrange(4)
    if way == 0:
        node.tail = _some_text(random, node.tail)
    elif way == 1:
        node.insert(0, etree.Comment(" c "))
    elif way == 2:
        node.insert(0, etree.ProcessingInstruction("p", "x"))
    else:
        node.text = etree.CDATA(random.choice(("", "1", "<a>", " 2026-11-01 ")))


def _deep(root: etree._Element, node: etree._Element, random: Random) -> None:
    depth = random.choice((2, 10, 90, 130, 240, 254))
    inner, tag, text = node, node.tag, node.text
    for _ in range(depth):
        inner = etree.SubElement(inner, tag)
    inner.text = text


def _flood(root: etree._Element, node: etree._Element, random: Random) -> None:
    number = random.choice((30, 300, 1500))
    if random.random() < 0.5:
        for at in range(number):
            node.set(f"a{at}", "1")
    else:
        for at in range(number):
            etree.SubElement(node, f"e{at % 50}").text = "1"


def _wrap(root: etree._Element, node: etree._Element, random: Random) -> None:
    parent = node.getparent()
    if parent is None:
        return
    at = parent.index(node)
    around = etree.Element(random.choice((node.tag, "wrapper", parent.tag)))
    parent.insert(at, around)
    around.append(node)


def _unwrap(root: etree._Element, node: etree._Element, random: Random) -> None:
    parent = node.getparent()
    if parent is not None:
        at = parent.index(node)
        parent.remove(node)
        for child in reversed(list(node)):
            parent.insert(at, child)


def _empty(root: etree._Element, node: etree._Element, random: Random) -> None:
    for child in list(node):
        node.remove(child)
    if random.random() < 0.5:
        node.text = None


CHANGES: Final[tuple[Change, ...]] = (
    _text, _text, _text, _text, _drop, _drop, _double, _double, _swap, _move, _rename, _attribute, _attribute,
    _typed, _between, _wrap, _unwrap, _empty,
)  # fmt: skip
_RARE: Final[tuple[Change, ...]] = (_deep, _flood)


@cache
def parsed(content: bytes) -> etree._Element:
    """Parse a seed to a tree, once. Mutations work on copies of it."""
    return etree.fromstring(content, etree.XMLParser(remove_blank_text=True))


def mutated(
    tree: etree._Element, random: Random, further: Sequence[Change] = (), *, gentle: float = 0.0
) -> bytes:
    """Return a changed copy of the tree as a document.

    `further` are additional mutations of the target. With probability `gentle` only texts change, so that
    many documents stay valid.
    """
    root = copy.deepcopy(tree)
    soft = random.random() < gentle
    for _ in range(changes(random)):
        nodes = list(root.iter("*"))
        if len(nodes) > _MANY:
            break
        node = random.choice(nodes)
        if soft:
            leaves = [each for each in nodes if not len(each)]
            _text(root, random.choice(leaves), random)
            continue
        chance = random.random()
        change = random.choice(_RARE if chance < 0.02 else further if further and chance < 0.5 else CHANGES)
        change(root, node, random)
    return document(etree.tostring(root), random, soft=soft)


def document(text: bytes, random: Random, *, soft: bool = False) -> bytes:
    """Vary the form of a document: declaration, prolog, encoding, damaged bytes."""
    chance = random.random()
    if soft or chance < 0.8:
        return text[:_MOST] if len(text) > _MOST else text
    if chance < 0.85:
        said = random.choice(ENCODINGS)
        declared = f"<?xml version='1.0' encoding='{said}'?>"
        try:
            return (declared + text.decode()).encode(said if random.random() < 0.5 else "utf-8")
        except (LookupError, ValueError):
            return declared.encode() + text
    if chance < 0.89:
        head = random.choice(
            ("<?xml version='1.1'?>", "<?xml version='2.0' ?>", "<?xml?>", "\ufeff", " ", "\0")
        )
        return head.encode() + text
    if chance < 0.93:
        document_type = random.choice(_PROLOGS)
        inner = text.replace(
            b"</", random.choice((b"&a;</", b"&c;</", b"&lt;</", b"&#x0;</", b"&#55296;</", b"</")), 1
        )
        return document_type.encode() + inner
    if chance < 0.94:
        return text.decode().encode(random.choice(("utf-16", "utf-16-le", "utf-32", "utf-7")))
    return of_bytes(text[:_MOST], random)


def named(text: str | None, random: Random) -> str:
    """Return a text for an attribute that holds a name or a number."""
    return _fit(value(random, text or "")) if random.random() < 0.7 else _fit(random.choice(TEXTS))
