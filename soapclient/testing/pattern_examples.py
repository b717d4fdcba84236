"""Create texts that match a pattern of XML Schema. The same pattern always gives the same text."""

from __future__ import annotations

import re
import string
from functools import lru_cache

from lxml import etree

_XSD = "http://www.w3.org/2001/XMLSchema"
# Candidates for a character class, the plainest first: ASCII, then a few characters of most scripts.
_CANDIDATES: tuple[str, ...] = (
    *("1Aa" + string.digits + string.ascii_uppercase + string.ascii_lowercase + "-_. " + string.punctuation),
    *"\t\n\r",
    *(chr(start + shift) for start in range(0xA0, 0x3100, 0x20) for shift in (0, 1, 17)),
    *"日あア한",
)
_CLASS = re.compile(r"\\[pP]\{[A-Za-z0-9-]+\}|\\[^pP]|\[", re.DOTALL)
_LONGEST = 400  # maximum characters of a text, even if facets or the pattern require more
_LONGEST_CLASS = 2_000  # maximum characters of a pattern between brackets
_DEEPEST = 40  # maximum levels of parentheses or brackets


def example(pattern: str, least: int = 0, *, letters: bool = False) -> str | None:
    """Return a text that matches the complete `pattern`, or None if none is found.

    Parts that can be repeated are repeated until the text has `least` characters, if possible. If `letters`
    is True, letters are preferred to digits.
    """
    try:
        parser = _Parser(pattern, letters=letters)
        text = parser.choice(0)
        if len(text) < least:
            parser = _Parser(pattern, lacking=least - len(text), letters=letters)
            text = parser.choice(0)
        return text if parser.at == len(pattern) and len(text) <= _LONGEST else None
    except (_Unsupported, IndexError, ValueError):
        return None


class _Unsupported(Exception):
    """Raised if a pattern has a construct that the parser does not support, or is too long or too deep."""


class _Parser:
    """Parses a pattern. `choice`, `branch` and `atom` read a part and return a text that matches this part.

    A part that can be repeated is repeated while `lacking`, the number of missing characters, is above 0.
    """

    def __init__(self, pattern: str, lacking: int = 0, *, letters: bool = False) -> None:
        self.pattern = pattern
        self.lacking = lacking
        self.letters = letters
        self.at = 0

    def peek(self) -> str:
        """Return the next character without reading it; "" at the end of the pattern."""
        return self.pattern[self.at : self.at + 1]

    def take(self) -> str:
        """Read the next character, and return it. Raises IndexError at the end of the pattern."""
        character = self.pattern[self.at]
        self.at += 1
        return character

    def choice(self, depth: int) -> str:
        """Parse alternatives (`a|b`) and return an example of the first."""
        if depth > _DEEPEST:
            raise _Unsupported
        first = self.branch(depth)
        while self.peek() == "|":
            self.take()
            lacking = self.lacking
            self.branch(depth)  # parsed only to find its end
            self.lacking = lacking
        return first

    def branch(self, depth: int) -> str:
        """Parse a sequence of parts, such as `[a-z]+-[0-9]{2}`, and return an example of it."""
        text = ""
        while (character := self.peek()) and character not in "|)":
            piece = self.atom(depth)
            times, most = self.times()
            if self.lacking > 0 and piece and most > times:
                more = min(-(-self.lacking // len(piece)), most - times)
                self.lacking -= more * len(piece)
                times += more
            if len(text) + len(piece) * times > _LONGEST:
                raise _Unsupported
            text += piece * times
        return text

    def atom(self, depth: int) -> str:
        """Parse one part without its quantifier, and return an example of it."""
        if match := _CLASS.match(self.pattern, self.at):
            start, self.at = self.at, match.end()
            if match[0] == "[":
                self.skip_class()
            return _plainest(self.pattern[start : self.at], self.letters)
        character = self.take()
        if character == "(":
            inner = self.choice(depth + 1)
            if self.take() != ")":
                raise _Unsupported
            return inner
        if character in "\\?*+{}])":
            raise _Unsupported
        return "a" if character == "." else character

    def skip_class(self) -> None:
        """Skip the rest of a character class, after its `[`. It may contain classes (`[a-z-[aeiou]]`)."""
        depth, start = 1, self.at
        while depth:
            character = self.take()
            depth += {"[": 1, "]": -1}.get(character, 0)
            self.at += character == "\\"
            if depth > _DEEPEST or self.at - start > _LONGEST_CLASS:
                raise _Unsupported

    def times(self) -> tuple[int, int]:
        """Parse the quantifier of a part, such as `{2,5}`, if there is one.

        Returns two numbers: the number of repetitions in the example, and the maximum number of repetitions.
        An optional part occurs once in the example.
        """
        if self.peek() in tuple("?*+"):
            return 1, 1 if self.take() == "?" else _LONGEST
        if self.peek() != "{":
            return 1, 1
        end = self.pattern.index("}", self.at)
        text, self.at = self.pattern[self.at + 1 : end], end + 1
        least, comma, most = text.partition(",")
        if not comma:
            return int(least), int(least)
        at_most = int(most) if most else _LONGEST
        return min(max(int(least), 1), at_most), at_most


@lru_cache(maxsize=1_000)
def _plainest(kind: str, letters: bool) -> str:
    """Return the simplest character, such as `1` or `A`, that matches a pattern for one character.

    `kind` is the pattern, such as `[a-z]`, which libxml2 matches. If `letters` is True, letters are preferred
    to digits.
    """
    schema = etree.Element(f"{{{_XSD}}}schema", nsmap={"x": _XSD})
    element = etree.SubElement(schema, f"{{{_XSD}}}element", name="e")
    simple = etree.SubElement(element, f"{{{_XSD}}}simpleType")
    restriction = etree.SubElement(simple, f"{{{_XSD}}}restriction", base="x:string")
    etree.SubElement(restriction, f"{{{_XSD}}}pattern", value=kind)
    try:
        accepts = etree.XMLSchema(schema).validate
    except etree.XMLSchemaParseError:
        raise _Unsupported from None
    node = etree.Element("e")
    candidates = [*_CANDIDATES, *(character for character in kind if character.isprintable())]
    for character in sorted(candidates, key=lambda item: letters and not item.isalpha()):
        node.text = character
        if accepts(node):
            return character
    raise _Unsupported
