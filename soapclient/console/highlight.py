"""Convert XML and code to HTML that shows them in colors. XML is also indented."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice
from typing import Final

from lxml import etree
from markupsafe import Markup, escape

_MAX_NODES: Final = 6000  # of an XML document that are shown; attributes and many namespaces count, too
_MAX_ATTRIBUTES: Final = 200  # of an element that are shown
_MAX_TEXT: Final = 500_000  # characters of a text that is not XML
_NUMBER: Final = re.compile(r"[-+]?\d[\d.,:TZ+-]*")
_PYTHON: Final = re.compile(
    r"(?P<c>#.*)"
    r"|(?P<s>[rbf]?\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*')"
    r"|(?P<k>\b(?:from|import|with|as|for|in|print|def|return|None|True|False|if|else|async|await)\b)"
    r"|(?P<d>\b\d[\d_.]*\b)"
    r"|(?P<t>\b[A-Z]\w+)"
    r"|(?P<a>\b\w+(?==))"
)
_SHELL: Final = re.compile(
    r"(?P<c>^#.*)"
    r"|(?P<s>'[^']*'|\"[^\"]*\")"
    r"|(?P<k>^(?:curl|soapclient)\b)"
    r"|(?P<a>(?<=\s)--?[\w-]+|(?<![\w.\[\]@-])[\w.\[\]@-]+(?==))"
    r"|(?P<d>(?<==)[\d.:T-]+\b)",
    re.MULTILINE,
)
_HERE: Final = "<<'EOF'\n"  # the XML document of a curl command follows


def xml(text: str) -> Markup:
    """Return an XML document with indentation and colors. Each element with child elements can be folded.

    A text that is not XML, such as JSON or a truncated document, is returned as it is. A document with more
    than 6,000 nodes is truncated.
    """
    parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_blank_text=True, huge_tree=False)
    try:
        root = etree.fromstring(text.encode(), parser)
    except (etree.XMLSyntaxError, ValueError):
        return Markup('<div class="l">{}</div>').format(text[:_MAX_TEXT])
    writer = _Writer()
    writer.write(root, 0)
    if not writer.left:
        writer.line(0, Markup('<i class="x-c">… the rest is not shown</i>'))
    return Markup("").join(writer.parts)


def code(text: str, language: str) -> Markup:
    """Return code with colors. `language` is `Python`, `shell` or `XML`. Other code is not colored."""
    if language == "XML":
        return xml(text)
    if language == "shell" and _HERE in text:
        command, _, document = text.partition(_HERE)
        here, end = Markup('<i class="x-k">{}</i>').format(_HERE), Markup('<i class="x-k">EOF</i>\n')
        return code(command, language) + here + xml(document.removesuffix("EOF\n")) + end
    pattern = {"Python": _PYTHON, "shell": _SHELL}.get(language)
    if pattern is None:
        return escape(text)
    parts: list[Markup] = []
    end_of_last = 0
    for match in pattern.finditer(text):
        parts.append(escape(text[end_of_last : match.start()]))
        parts.append(Markup('<i class="x-{}">{}</i>').format(match.lastgroup, match[0]))
        end_of_last = match.end()
    return Markup("").join([*parts, escape(text[end_of_last:])])


class _Writer:
    """Writes the nodes of a document as lines of HTML.

    `left` is the number of nodes that may still be written before the document is truncated.
    """

    def __init__(self) -> None:
        self.parts: list[Markup] = []
        self.left = _MAX_NODES

    def line(self, depth: int, content: Markup) -> None:
        self.parts.append(Markup('<div class="l">{}{}\n</div>').format("  " * depth, content))

    def write(self, node: etree._Element, depth: int) -> None:
        """Write a node and its descendants."""
        if not self.left:
            return
        spaces = node.nsmap
        cost = 1 + min(len(node.attrib), _MAX_ATTRIBUTES) + len(spaces) // 10
        self.left = max(0, self.left - cost)
        if not isinstance(node.tag, str):  # a comment or a processing instruction
            text = etree.tostring(node, encoding="unicode", with_tail=False)
            self.line(depth, Markup('<i class="x-c">{}</i>').format(text))
            return
        name, attributes = _name(node.tag, node.prefix), _attributes(node, spaces)
        if len(node):
            start = Markup('<details open><summary class="l">{}&lt;{}{}&gt;').format(
                "  " * depth, name, attributes
            )
            count = Markup('<span class="dots" data-count="{}"></span>\n</summary>').format(len(node))
            self.parts.append(start + count)
            self._text(node.text, depth + 1)
            for child in node:
                self.write(child, depth + 1)
                self._text(child.tail, depth + 1)
            self.line(depth, Markup("&lt;/{}&gt;").format(name))
            self.parts.append(Markup("</details>"))
        elif node.text:
            kind = "d" if _NUMBER.fullmatch(node.text) else "v"
            value = Markup('<b class="x-{}">{}</b>').format(kind, node.text)
            self.line(depth, Markup("&lt;{}{}&gt;{}&lt;/{}&gt;").format(name, attributes, value, name))
        else:
            self.line(depth, Markup("&lt;{}{}/&gt;").format(name, attributes))

    def _text(self, text: str | None, depth: int) -> None:
        if text and text.strip():
            self.line(depth, escape(text.strip()))


def _name(tag: str, prefix: str | None) -> Markup:
    """Return the name of an element or attribute, with its prefix, as HTML. `tag` is `{namespace}name`."""
    local = etree.QName(tag).localname
    if prefix is None:
        return Markup('<i class="x-t">{}</i>').format(local)
    return Markup('<i class="x-p">{}:</i><i class="x-t">{}</i>').format(prefix, local)


def _attributes(node: etree._Element, spaces: Mapping[str | None, str]) -> Markup:
    """Return the namespace declarations and the attributes of an element, as HTML.

    `spaces` are all namespaces that the element can use, by prefix.
    """
    above = node.getparent()
    known = {} if above is None else above.nsmap
    declared = [(prefix, space) for prefix, space in spaces.items() if known.get(prefix) != space]
    parts = [
        Markup(' <i class="x-n">xmlns{}="{}"</i>').format(f":{prefix}" if prefix else "", space)
        for prefix, space in declared[:_MAX_ATTRIBUTES]
    ]
    prefixes = {space: prefix for prefix, space in list(spaces.items())[::-1] if prefix}
    for tag in islice(node.attrib, _MAX_ATTRIBUTES):  # `items` takes quadratic time
        name = etree.QName(str(tag))
        prefix = prefixes.get(name.namespace or "")
        shown = name.localname if prefix is None else f"{prefix}:{name.localname}"
        parts.append(Markup(' <i class="x-a">{}</i>=<i class="x-s">"{}"</i>').format(shown, node.get(tag)))
    if len(declared) > _MAX_ATTRIBUTES or len(node.attrib) > _MAX_ATTRIBUTES:
        parts.append(Markup(' <i class="x-c">…</i>'))
    return Markup("").join(parts)
