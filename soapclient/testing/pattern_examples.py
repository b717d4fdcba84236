"""Texts that match a pattern of XML Schema. The same pattern has the same example every time."""

from __future__ import annotations

import re
import string
from functools import lru_cache

from lxml import etree

_XSD = "http://www.w3.org/2001/XMLSchema"
# The characters worth trying, the plainest first: of ASCII, then a few of most scripts.
_TRIED: tuple[str, ...] = (
    *("1Aa" + string.digits + string.ascii_uppercase + string.ascii_lowercase + "-_. " + string.punctuation),
    *"\t\n\r",
    *(chr(start + at) for start in range(0xA0, 0x3100, 0x20) for at in (0, 1, 17)),
    *"日あア한",
)
_CLASS = re.compile(r"\\[pP]\{[A-Za-z0-9-]+\}|\\[^pP]|\[", re.DOTALL)
_LONGEST = 400  # signs of a text, whatever its facets or its pattern ask for
_LONGEST_CLASS = 2_000  # signs of a pattern between brackets
_DEEPEST = 40


def example(pattern: str, least: int = 0, *, letters: bool = False) -> str | None:
    """Return a text that the complete `pattern` takes, or None if none is found.

    It has at least `least` characters if repeating a part can make it that long. With `letters` it has
    letters rather than digits.
    """
    try:
        parser = _Parser(pattern, letters=letters)
        text = parser.choice(0)
        if len(text) < least:
            parser = _Parser(pattern, lacking=least - len(text), letters=letters)
            text = parser.choice(0)
        return text if parser.at == len(pattern) and len(text) <= _LONGEST else None
    except (_Beyond, IndexError, ValueError):
        return None


class _Beyond(Exception):
    """More than this tries to understand."""


class _Parser:
    """Reads a pattern and gives the example of each part as it goes. What may repeat does so more often
    until nothing is `lacking`: so many characters."""

    def __init__(self, pattern: str, lacking: int = 0, *, letters: bool = False) -> None:
        self.pattern = pattern
        self.lacking = lacking
        self.letters = letters
        self.at = 0

    def peek(self) -> str:
        return self.pattern[self.at : self.at + 1]

    def take(self) -> str:
        sign = self.pattern[self.at]
        self.at += 1
        return sign

    def choice(self, depth: int) -> str:
        if depth > _DEEPEST:
            raise _Beyond
        first = self.branch(depth)
        while self.peek() == "|":
            self.take()
            lacking = self.lacking
            self.branch(depth)  # read on, for the end of it
            self.lacking = lacking
        return first

    def branch(self, depth: int) -> str:
        text = ""
        while (sign := self.peek()) and sign not in "|)":
            piece = self.atom(depth)
            times, most = self.times()
            if self.lacking > 0 and piece and most > times:
                more = min(-(-self.lacking // len(piece)), most - times)
                self.lacking -= more * len(piece)
                times += more
            if len(text) + len(piece) * times > _LONGEST:
                raise _Beyond
            text += piece * times
        return text

    def atom(self, depth: int) -> str:
        if found := _CLASS.match(self.pattern, self.at):
            start, self.at = self.at, found.end()
            if found[0] == "[":
                self.skip_class()
            return _plainest(self.pattern[start : self.at], self.letters)
        sign = self.take()
        if sign == "(":
            inner = self.choice(depth + 1)
            if self.take() != ")":
                raise _Beyond
            return inner
        if sign in "\\?*+{}])":
            raise _Beyond
        return "a" if sign == "." else sign

    def skip_class(self) -> None:
        """Go on behind the bracket that closes the one before, with those that are taken away in it."""
        deep, start = 1, self.at
        while deep:
            sign = self.take()
            deep += {"[": 1, "]": -1}.get(sign, 0)
            self.at += sign == "\\"
            if deep > _DEEPEST or self.at - start > _LONGEST_CLASS:
                raise _Beyond

    def times(self) -> tuple[int, int]:
        """How often, and how often at most; once where something may be left out altogether, for an example
        shows it."""
        if self.peek() in tuple("?*+"):
            return 1, 1 if self.take() == "?" else _LONGEST
        if self.peek() != "{":
            return 1, 1
        end = self.pattern.index("}", self.at)
        said, self.at = self.pattern[self.at + 1 : end], end + 1
        least, comma, most = said.partition(",")
        if not comma:
            return int(least), int(least)
        at_most = int(most) if most else _LONGEST
        return min(max(int(least), 1), at_most), at_most


@lru_cache(maxsize=1_000)
def _plainest(kind: str, letters: bool) -> str:
    """Return the plainest character of a class (`[a-z]`, `\\d`) by libxml2: a letter first, if preferred."""
    schema = etree.Element(f"{{{_XSD}}}schema", nsmap={"x": _XSD})
    element = etree.SubElement(schema, f"{{{_XSD}}}element", name="e")
    simple = etree.SubElement(element, f"{{{_XSD}}}simpleType")
    restriction = etree.SubElement(simple, f"{{{_XSD}}}restriction", base="x:string")
    etree.SubElement(restriction, f"{{{_XSD}}}pattern", value=kind)
    try:
        takes = etree.XMLSchema(schema).validate
    except etree.XMLSchemaParseError:
        raise _Beyond from None
    node = etree.Element("e")
    tried = [*_TRIED, *(each for each in kind if each.isprintable())]
    for sign in sorted(tried, key=lambda each: letters and not each.isalpha()):
        node.text = sign
        if takes(node):
            return sign
    raise _Beyond
