"""Create example texts of simple types. If possible, they satisfy the facets of the type.

The same field always gets the same text."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from functools import lru_cache

import msgspec
from lxml import etree

from soapclient.contract.patterns import Pattern
from soapclient.runtime.fields import members
from soapclient.runtime.schema import Facets
from soapclient.testing.pattern_examples import example

XSD = "http://www.w3.org/2001/XMLSchema"
_LONGEST = 400  # maximum characters of a text, even if facets require more
# Keys are the runtime's names of scalars. A scalar that is in none of the tables is text.
_TEXTS = {
    "boolean": "true",
    "date_time": "2026-11-01T09:30:00Z",
    "local_date_time": "2026-11-01T09:30:00Z",
    "date": "2026-11-01",
    "time": "09:30:00",
    "duration": "P1DT12H",
    "g_year": "2026",
    "g_year_month": "2026-11",
    "g_month": "--11",
    "g_month_day": "--11-01",
    "g_day": "---01",
    "language": "en",
    "any_uri": "https://example.com/",
    "q_name": "example",
    "day": "2026-11-01T00:00:00+01:00",  # midnight in the report time zone
}
_SHAPED = frozenset(_TEXTS) - {"any_uri"}  # types with a fixed format: most other texts are invalid
_DAYS = ("2026-11-01", "2000-01-01", "1999-12-31", "2099-12-31")
_ZONES = ("", "Z", "+01:00")
_TIMES = tuple(
    f"{time}{fraction}{zone}"
    for time in ("09:30:00", "00:00:00")
    for fraction in ("", ".000", ".000000")
    for zone in _ZONES
)
# Other forms of a value by XSD type name, for patterns that do not match the usual form.
_OTHER_FORMS: Mapping[str, Sequence[str]] = {
    "boolean": ("1", "false", "0"),
    "time": _TIMES,
    "duration": ("P1D", "PT1H", "P1Y", "P1Y2M3DT4H5M6S", "-P1D"),
    "decimal": ("12.5", "12", "1.000"),
}
_BYTES = frozenset(("hex_binary", "base64_binary"))
_PARTS = {"decimal": "12.50"} | dict.fromkeys(
    ("float", "double", "exact_float", "exact_double", "endless_float", "endless_double"), "0.5"
)
WHOLE = {"negative_integer": "-1", "non_positive_integer": "-1"} | dict.fromkeys(
    (
        *("integer", "non_negative_integer", "positive_integer", "long", "int", "short", "byte"),
        *("unsigned_long", "unsigned_int", "unsigned_short", "unsigned_byte"),
    ),
    "3",
)
_SMALL = frozenset(("byte", "unsigned_byte", "short"))
_NAMES = frozenset(
    (
        *("name", "nc_name", "nm_token", "nm_tokens", "id", "id_ref", "id_refs", "entity", "entities"),
        "notation",
    )
)
_XSD_NAMES: Mapping[str, str] = {
    "name": "Name",
    "nc_name": "NCName",
    "nm_token": "NMTOKEN",
    "nm_tokens": "NMTOKENS",
    "id": "ID",
    "id_ref": "NCName",  # an example has no other element to refer to
    "id_refs": "NMTOKENS",
    "entity": "NCName",
    "entities": "NMTOKENS",
    "q_name": "QName",
    "notation": "QName",
    "any_uri": "anyURI",
}
_FACETS: Mapping[str, str] = {
    "length": "length",
    "min_length": "minLength",
    "max_length": "maxLength",
    "min_inclusive": "minInclusive",
    "max_inclusive": "maxInclusive",
    "min_exclusive": "minExclusive",
    "max_exclusive": "maxExclusive",
    "total_digits": "totalDigits",
    "fraction_digits": "fractionDigits",
}
_LAST_DAY = "2026-11-02"
_MOST_ITEMS = 20


def sample(
    kind: str, name: str, facets: Facets | None, values: Callable[[str], Sequence[str]]
) -> tuple[str, str]:
    """Return an example text for a field of a simple type, and the name of the text's type.

    For a union, the second returned value is the member type to which the text belongs. Otherwise, it is
    `kind`.

    - `kind`: the name of the field's type, as in the package's tables (`FieldRow.type`).
    - `name`: the name of the field.
    - `facets`: the restrictions of the type.
    - `values`: a function that returns the values of an enumeration by its name.
    """
    limits = facets or Facets()
    if limits.enumeration:
        return limits.enumeration[0], next(members(kind[1:-1])) if kind[0] == "(" else kind
    if kind[0] == "(":
        return sample(next(members(kind[1:-1])), name, None, values)
    if kind[0] == "[":
        return several(sample(kind[1:-1], name, None, values)[0], limits), kind
    if not kind.partition(":")[0].islower():
        listed = values(kind)
        return next((value for value in listed if _fits(value, limits)), listed[0] if listed else ""), kind
    return scalar(kind.partition(":")[0], name, limits), kind


def several(item: str, facets: Facets) -> str:
    """Return the text of an XSD list: `item`, repeated to the minimum length in `facets`.

    The list has at least one item, and at most `_MOST_ITEMS`.
    """
    return " ".join([item] * min(max(_least(facets), 1), _MOST_ITEMS))


def scalar(kind: str, name: str, facets: Facets) -> str:
    """Return an example text of a scalar type (such as `any_uri`) for the field `name` (`home_page`)."""
    match = example(facets.patterns[-1], _least(facets)) if facets.patterns else None
    if facets.patterns and any(kind in kinds for kinds in (WHOLE, _PARTS, _BYTES, _SHAPED, _NAMES)):
        return _matching(kind, scalar(kind, name, msgspec.structs.replace(facets, patterns=())), facets)
    if match is not None:
        return match
    if kind in WHOLE or kind in _PARTS:
        return _number(kind, name, facets)
    if kind in _BYTES:
        return _bytes(kind, facets)
    if kind in _TEXTS:
        return _ordered(_TEXTS[kind], facets, name)
    if kind in _NAMES:
        return name.strip("_").replace("_", "-")
    return _long_enough(_words(name), facets)


def _matching(kind: str, usual: str, limits: Facets) -> str:
    """Return a text of the scalar type `kind` that matches the patterns in `limits`.

    Prefers a text that also satisfies the other facets. `usual` is an example text that was chosen without
    the patterns; it is tried first, and returned if no text is found.
    """
    name = _xsd_name(kind)
    days = (usual[:10], *_DAYS) if name in ("date", "dateTime") else _DAYS
    own = [example(limits.patterns[-1], _least(limits), letters=letters) for letters in (False, True)]
    texts = [usual, *filter(None, own), *_OTHER_FORMS.get(name, ())]
    if name == "date":
        texts += [f"{day}{zone}" for day in days for zone in _ZONES]
    elif name == "dateTime":
        texts += [f"{day}T{time}" for day in days for time in _TIMES]
    matching = [text for text in texts if _is_valid(_of_type(name), text, limits.patterns)]
    facets = tuple(
        (local, value) for field, local in _FACETS.items() if (value := str(getattr(limits, field)).strip())
    )
    within = (text for text in matching if _is_valid(_of_type(name, facets), text, ()))
    return next(within, matching[0] if matching else usual)


def _xsd_name(kind: str) -> str:
    """Return the XSD name of a scalar type. `kind` is its name in soapclient, such as `local_date_time`."""
    if kind in _XSD_NAMES:
        return _XSD_NAMES[kind]
    words = [word for word in kind.split("_") if word not in ("local", "exact", "endless")]
    return "dateTime" if words == ["day"] else words[0] + "".join(map(str.capitalize, words[1:]))


def _is_valid(schema: etree.XMLSchema, text: str, patterns: Sequence[str]) -> bool:
    """Return True if a text is valid according to `schema` and matches all patterns."""
    node = etree.Element("e")
    node.text = text
    try:
        return schema.validate(node) and all(Pattern(pattern).matches(text) for pattern in patterns)
    except etree.XMLSchemaValidateError:  # a pattern that takes too many steps
        return False


@lru_cache(maxsize=1_000)
def _of_type(name: str, facets: tuple[tuple[str, str], ...] = ()) -> etree.XMLSchema:
    """Return a schema for an element whose type is the built-in type `name`, restricted by `facets`.

    A facet is a pair (XSD name, value). If the facets would make the schema invalid, they are left out.
    """
    schema = etree.Element(f"{{{XSD}}}schema", nsmap={"x": XSD})
    element = etree.SubElement(schema, f"{{{XSD}}}element", name="e")
    simple = etree.SubElement(element, f"{{{XSD}}}simpleType")
    restriction = etree.SubElement(simple, f"{{{XSD}}}restriction", base=f"x:{name}")
    for local, value in facets:
        etree.SubElement(restriction, f"{{{XSD}}}{local}", value=value)
    try:
        return etree.XMLSchema(schema)
    except etree.XMLSchemaParseError:
        if not facets:
            raise
        return _of_type(name)


def _least(facets: Facets) -> int:
    """Return the minimum length according to the facets `length` or `minLength`, or else 0."""
    return _count(facets.length) or _count(facets.min_length) or 0


def _fits(value: str, facets: Facets) -> bool:
    """Return True if the length facets allow `value`, a value of an enumeration."""
    most = _count(facets.length) or _count(facets.max_length)
    return len(value) >= _least(facets) and (most is None or len(value) <= most)


def _words(name: str) -> str:
    """Return an example text that matches a field's name, such as an e-mail address for `contact_mail`."""
    words = name.strip("_").split("_")
    if words[-1] in ("url", "uri", "link", "href"):
        return "https://example.com/"
    if words[-1].endswith("mail"):
        return "name@example.com"
    if words[-1] in ("id", "uuid", "code"):
        return "A1B2C3"
    return " ".join(words)


def _bytes(scalar: str, facets: Facets) -> str:
    """Return the bytes 0, 1, 2, …, in hex or Base64, with a length that the facets allow."""
    length = _count(facets.length)
    least = length if length is not None else max(_count(facets.min_length) or 0, 3)
    most = length if length is not None else _count(facets.max_length)
    size = min(least if most is None else min(least, most), _LONGEST)
    content = bytes(number % 256 for number in range(size))
    return content.hex().upper() if scalar == "hex_binary" else base64.b64encode(content).decode()


def _long_enough(text: str, facets: Facets) -> str:
    """Return `text`, repeated or cut to a length that the facets allow."""
    length = _count(facets.length)
    least = min(length if length is not None else _count(facets.min_length) or 0, _LONGEST)
    most = length if length is not None else _count(facets.max_length)
    while text and len(text) < least:
        text += text
    if most is not None and len(text) > most:
        text = text[: least or most]
    return text.strip().ljust(least, "x") if text.strip() != text else text


def _number(scalar: str, name: str, facets: Facets) -> str:
    """Return an example number within the bounds and the number of digits in `facets`."""
    start = _PARTS.get(scalar) or WHOLE[scalar]
    if name.rpartition("_")[2] == "id" and scalar in WHOLE and scalar not in _SMALL:
        start = "12345"
    value = Decimal(start)
    step = Decimal(1) if scalar in WHOLE else Decimal("0.01")
    low, high = _decimal(facets.min_inclusive), _decimal(facets.max_inclusive)
    over, under = _decimal(facets.min_exclusive), _decimal(facets.max_exclusive)
    if low is None and over is not None:
        low = over + step
    if high is None and under is not None:
        high = under - step
    value = value if high is None else min(value, high)
    value = value if low is None else max(value, low)
    digits, fraction = _count(facets.total_digits), _count(facets.fraction_digits)
    if fraction is not None and _places(value) > fraction:
        value = value.quantize(Decimal(1).scaleb(-min(fraction, 20)))
    if digits is not None and len(value.as_tuple().digits) > digits:
        value = Decimal(1) if low is None else max(low, Decimal(1))
    return start if value == Decimal(start) and _places(value) == _places(Decimal(start)) else f"{value:f}"


def _places(value: Decimal) -> int:
    """Return the number of decimal places of a value."""
    exponent = value.as_tuple().exponent
    return -exponent if isinstance(exponent, int) and exponent < 0 else 0


def _ordered(text: str, facets: Facets, name: str) -> str:
    """Return an example of a date type for the field `name`: usually `text`.

    - If `text` violates a bound in `facets`, the result is that bound.
    - If the field is the end of a period, such as `date_to`, and the type is a date without time, the result
      is the day after `text`. So the end of an example period is after its start.

    The bounds and `text` are compared as strings, which works for dates of the same format.
    """
    if facets.min_inclusive and text < facets.min_inclusive:
        return facets.min_inclusive
    if facets.max_inclusive and text > facets.max_inclusive:
        return facets.max_inclusive
    is_day = text == _TEXTS["date"]
    return _LAST_DAY if is_day and {"to", "until", "end"} & set(name.split("_")) else text


def _count(text: str) -> int | None:
    """Parse a length or a number of digits in a facet. Return None if it is missing or invalid."""
    return int(text) if re.fullmatch(r"\s*\+?[0-9]{1,9}\s*", text) else None


def _decimal(text: str) -> Decimal | None:
    """Parse a bound of a number. Return None if it is missing, invalid, or too large."""
    try:
        value = Decimal(text.strip()) if text else None
    except InvalidOperation:
        return None
    return value if value is not None and value.is_finite() and abs(value.adjusted()) < 40 else None
