"""An example text of a simple type: what the facets allow, as far as it can be told from them."""

from __future__ import annotations

import base64
import re
from decimal import Decimal, InvalidOperation

from bindgen import naming
from bindgen.docs import patterns
from bindgen.model import Enum, Facets, ListOf, SimpleType, UnionOf
from bindgen.simple_types import DAY

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
    if said.patterns and (text_of := patterns.example(said.patterns[-1])) is not None:
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
