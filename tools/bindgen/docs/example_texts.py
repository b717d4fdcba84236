"""An example text of a simple type: what the facets allow, as far as they say."""

from __future__ import annotations

import base64
import re
import string
import unicodedata
from collections.abc import Callable, Iterator
from decimal import Decimal, InvalidOperation

from bindgen import naming
from bindgen.model import Enum, Facets, ListOf, SimpleType, UnionOf
from bindgen.simple_types import DAY

Class = Callable[[str], bool]

_TRIED = "1Aa" + string.digits + string.ascii_uppercase + string.ascii_lowercase + "-_. " + string.punctuation
_BLOCK_STARTS = range(0xA0, 0x3100, 0x20)  # a few beyond ASCII, of most scripts


def everything() -> Iterator[str]:
    """The characters worth trying, the plainest first."""
    yield from _TRIED
    yield from "\t\n\r"
    yield from (chr(start + at) for start in _BLOCK_STARTS for at in (0, 1, 17))
    yield from "日あア한"


def only(signs: str) -> Class:
    """Those characters and no others. A character that is not among the tried ones is found by itself."""
    return lambda sign: sign in signs


def of_category(name: str, *, negated: bool) -> Class:
    """`\\p{name}` or `\\P{name}`, as Unicode sorts characters. A block (`IsGreek`) is any beyond ASCII."""
    if name.startswith("Is"):
        return {"IsBasicLatin": str.isascii}.get(name, lambda sign: not sign.isascii())
    return lambda sign: unicodedata.category(sign).startswith(name) != negated


def _name_start(sign: str) -> bool:
    return sign.isalpha() or sign in "_:"


def _is_name(sign: str) -> bool:
    return sign.isalnum() or sign in "_:.-"


def _word(sign: str) -> bool:
    return unicodedata.category(sign)[0] not in "PZC"


ESCAPES: dict[str, Class] = {
    "d": str.isdecimal,
    "D": lambda sign: not sign.isdecimal(),
    "s": lambda sign: sign in " \t\n\r",
    "S": lambda sign: sign not in " \t\n\r",
    "i": _name_start,
    "I": lambda sign: not _name_start(sign),
    "c": _is_name,
    "C": lambda sign: not _is_name(sign),
    "w": _word,
    "W": lambda sign: not _word(sign),
    "n": only("\n"),
    "r": only("\r"),
    "t": only("\t"),
}

_MOST = 400  # signs: a pattern may ask for a million of them
_DEEPEST = 40


def example(pattern: str) -> str | None:
    """A text that `pattern` takes as a whole, or None where no text is found."""
    try:
        parser = _Parser(pattern)
        text = parser.choice(0)
        return text if parser.at == len(pattern) and len(text) <= _MOST else None
    except (_Beyond, IndexError, ValueError):
        return None


class _Beyond(Exception):
    """More than this tries to understand."""


class _Parser:
    """Reads a pattern and gives the example of each part as it goes."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
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
            self.branch(depth)  # read on, for the end of it
        return first

    def branch(self, depth: int) -> str:
        text = ""
        while (sign := self.peek()) and sign not in "|)":
            piece = self.atom(depth)
            least = self.least()
            if len(piece) * least > _MOST:
                raise _Beyond
            text += piece * least
            if len(text) > _MOST:
                raise _Beyond
        return text

    def atom(self, depth: int) -> str:
        sign = self.take()
        if sign == "(":
            inner = self.choice(depth + 1)
            if self.take() != ")":
                raise _Beyond
            return inner
        if sign == "[":
            return self.one_of(self.group(0))
        if sign == ".":
            return "a"
        if sign == "\\":
            return self.one_of(self.escaped())
        if sign in "?*+{}])":
            raise _Beyond
        return sign

    def least(self) -> int:
        """How often at least; once where something may be left out altogether, for an example shows it."""
        sign = self.peek()
        if sign in ("?", "*", "+") and sign:
            self.take()
            return 1
        if sign != "{":
            return 1
        end = self.pattern.index("}", self.at)
        said, self.at = self.pattern[self.at + 1 : end], end + 1
        least, comma, most = said.partition(",")
        if not comma or least != "0":
            return int(least)
        return 0 if most == "0" else 1

    def one_of(self, wanted: Class) -> str:
        found = next((sign for sign in everything() if wanted(sign)), None)
        if found is None:
            raise _Beyond
        return found

    def escaped(self) -> Class:
        sign = self.take()
        if sign in "pP":
            matched = re.compile(r"\{([A-Za-z0-9-]+)\}").match(self.pattern, self.at)
            if matched is None:
                raise _Beyond
            self.at = matched.end()
            return of_category(matched[1], negated=sign == "P")
        return ESCAPES.get(sign) or only(sign)

    def group(self, depth: int) -> Class:
        """What stands between brackets, after the opening one: ranges, escapes, and what is taken away."""
        if depth > _DEEPEST:
            raise _Beyond
        negated = self.peek() == "^"
        if negated:
            self.take()
        found: list[Class] = []
        without: Class | None = None
        while (sign := self.take()) != "]":
            if sign == "-" and self.peek() == "[":
                self.take()
                without = self.group(depth + 1)
                continue
            if sign == "\\" and self.peek() in (*ESCAPES, "p", "P") and self.peek() not in "nrt":
                found.append(self.escaped())
                continue
            start = self._literal(sign)
            if self.peek() == "-" and self.pattern[self.at + 1] not in "[]":
                self.take()
                found.append(_between(start, self._literal(self.take())))
            else:
                found.append(only(start))
        return _combined(found, negated, without)

    def _literal(self, sign: str) -> str:
        if sign != "\\":
            return sign
        escaped = self.take()
        return {"n": "\n", "r": "\r", "t": "\t"}.get(escaped, escaped)


def _between(first: str, last: str) -> Class:
    return lambda sign: first <= sign <= last


def _combined(found: list[Class], negated: bool, without: Class | None) -> Class:
    def inside(sign: str) -> bool:
        taken = any(one(sign) for one in found) != negated
        return taken and not (without is not None and without(sign))

    return inside


NO_FACETS = Facets()
_LONGEST = 400  # signs of a text, whatever its facets ask for

# By the name of the built-in type (XSD 1.0 part 2, 3.2 and 3.3); what is not here is text.
_TEXTS = {
    "boolean": "true",
    "dateTime": "2026-11-01T09:30:00Z",
    "date": "2026-11-01",
    "time": "09:30:00",
    "duration": "P1DT12H",
    "dayTimeDuration": "P1DT12H",
    "yearMonthDuration": "P1Y",
    "dateTimeStamp": "2026-11-01T09:30:00Z",
    "gYear": "2026",
    "gYearMonth": "2026-11",
    "gMonth": "--11",
    "gMonthDay": "--11-01",
    "gDay": "---01",
    "language": "en",
    "anyURI": "https://example.com/",
    "QName": "example",
}
_BYTES = frozenset(("hexBinary", "base64Binary"))
_NUMBERS = {"decimal": "12.50", "float": "0.5", "double": "0.5", "negativeInteger": "-1", "byte": "3"}
_NUMBERS |= {"nonPositiveInteger": "-1"}
_NUMBERS |= dict.fromkeys(
    ("integer", "long", "int", "short", "nonNegativeInteger", "positiveInteger", "unsignedLong"), "3"
)
_NUMBERS |= dict.fromkeys(("unsignedInt", "unsignedShort", "unsignedByte"), "3")
_WHOLE = frozenset(_NUMBERS) - {"decimal", "float", "double"}
_NAMES = frozenset(("Name", "NCName", "NMTOKEN", "NMTOKENS", "ID", "IDREF", "IDREFS", "ENTITY", "ENTITIES"))
_DAY = "2026-11-01T00:00:00+01:00"  # midnight, in the zone of whoever reports
_LAST_DAY = "2026-11-02"


def sample(kind: SimpleType, name: str, facets: Facets | None) -> tuple[str, SimpleType]:
    """A text of the type for a field of that name, and the type it is of: of a union the member."""
    said = facets or NO_FACETS
    if isinstance(kind, UnionOf):
        text, member = sample(kind.members[0], name, None) if kind.members else ("", kind)
        return (said.enumeration[0], member) if said.enumeration else (text, member)
    if isinstance(kind, ListOf):
        item, _ = sample(kind.item, name, None)
        least = max(_count(said.length) or _count(said.min_length) or 0, 1)
        return said.enumeration[0] if said.enumeration else " ".join([item] * min(least, 20)), kind
    if isinstance(kind, Enum):
        return (kind.values[0] if kind.values else ""), kind
    if said.enumeration:
        return said.enumeration[0], kind
    if said.patterns and (text_of := example(said.patterns[-1])) is not None:
        return text_of, kind
    if kind.xsd in _NUMBERS:
        return _number(kind.xsd, name, said), kind
    if kind is DAY or kind.scalar == DAY.scalar:
        return _DAY, kind
    if kind.xsd in _BYTES:
        return _bytes(kind.xsd, said), kind
    if kind.xsd in _TEXTS:
        return _ordered(_TEXTS[kind.xsd], said, name), kind
    if kind.xsd in _NAMES:
        return naming.snake(name).replace("_", "-"), kind
    return _long_enough(_words(name), said), kind


def _words(name: str) -> str:
    words = naming.snake(name).strip("_").split("_")
    if words[-1] in ("url", "uri", "link", "href"):
        return "https://example.com/"
    if words[-1].endswith("mail"):
        return "name@example.com"
    if words[-1] in ("id", "uuid", "code"):
        return "A1B2C3"
    return " ".join(words)


def _bytes(xsd: str, said: Facets) -> str:
    """As many bytes as are wanted, counted up."""
    length = _count(said.length)
    least = length if length is not None else max(_count(said.min_length) or 0, 3)
    most = length if length is not None else _count(said.max_length)
    content = bytes(at % 256 for at in range(min(least if most is None else min(least, most), _LONGEST)))
    return content.hex().upper() if xsd == "hexBinary" else base64.b64encode(content).decode()


def _long_enough(text: str, said: Facets) -> str:
    length = _count(said.length)
    least = length if length is not None else _count(said.min_length) or 0
    most = length if length is not None else _count(said.max_length)
    least = min(least, _LONGEST)
    while text and len(text) < least:
        text += text
    if len(text) > least and least:
        text = text if most is None or len(text) <= most else text[: max(least, 1)]
    text = text if most is None else text[:most]
    return text.strip().ljust(least, "x") if text.strip() != text else text


def _number(xsd: str, name: str, said: Facets) -> str:
    start = "12345" if naming.snake(name).rpartition("_")[2] == "id" and xsd in _WHOLE else _NUMBERS[xsd]
    start = start if xsd not in ("byte", "unsignedByte", "short") else _NUMBERS[xsd]
    value = Decimal(start)
    step = Decimal(1) if xsd in _WHOLE else Decimal("0.01")
    low, high = _decimal(said.min_inclusive), _decimal(said.max_inclusive)
    over, under = _decimal(said.min_exclusive), _decimal(said.max_exclusive)
    if low is None and over is not None:
        low = over + step
    if high is None and under is not None:
        high = under - step
    if high is not None and value > high:
        value = high
    if low is not None and value < low:
        value = low
    digits, fraction = _count(said.total_digits), _count(said.fraction_digits)
    if fraction is not None and _places(value) > fraction:
        value = value.quantize(Decimal(1).scaleb(-min(fraction, 20)))
    if digits is not None and len(value.as_tuple().digits) > digits:
        value = max(low, Decimal(1)) if low is not None else Decimal(1)
    return start if value == Decimal(start) and _places(value) == _places(Decimal(start)) else f"{value:f}"


def _places(value: Decimal) -> int:
    exponent = value.as_tuple().exponent
    return -exponent if isinstance(exponent, int) and exponent < 0 else 0


def _ordered(text: str, said: Facets, name: str) -> str:
    """Of dates and the like: a bound where the usual example is beyond one; texts of one form sort as they
    are. The second of two days that bound something comes after the first."""
    if said.min_inclusive and text < said.min_inclusive:
        return said.min_inclusive
    if said.max_inclusive and text > said.max_inclusive:
        return said.max_inclusive
    is_day = text == _TEXTS["date"]
    return _LAST_DAY if is_day and {"to", "until", "end"} & set(naming.snake(name).split("_")) else text


def _count(text: str) -> int | None:
    return int(text) if re.fullmatch(r"\s*\+?[0-9]{1,9}\s*", text) else None


def _decimal(text: str) -> Decimal | None:
    try:
        value = Decimal(text.strip()) if text else None
    except InvalidOperation:
        return None
    return value if value is not None and value.is_finite() and abs(value.adjusted()) < 40 else None
