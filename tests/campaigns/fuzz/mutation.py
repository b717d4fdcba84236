"""Mutations of bytes and texts that keep most of their structure, and values that are hard to read."""

# ruff: noqa: RUF001 - ambiguous characters on purpose

from __future__ import annotations

import codecs
from collections.abc import Callable, Sequence
from random import Random
from typing import Final, TypeVar

T = TypeVar("T")

NUMBERS: Final = (
    "0", "-0", "+1", "007", "-1", "1e5", "1E", "1E999999999", "1E-999999999", "-1E+99999999999999999999",
    "1e400", "NaN", "INF", "-INF", "+INF", "Infinity", "-Infinity", "nan", "sNaN", "1_000", "0x10", "1.",
    ".5", ".", "+", "--1", "1,5", "٣", "१२", "𝟘", "1 2", " 1 ", "\t1\n", "\u00a01", "9" * 30, "9" * 400,
    "9" * 4301, "0." + "0" * 500 + "1", "-" + "1" * 5000, "2147483647", "2147483648", "-2147483649",
    "9223372036854775807", "9223372036854775808", "18446744073709551616", "255", "256", "-129",
    "1" + "0" * 400 + ".5", "0" * 5000,
)  # fmt: skip
TIMES: Final = (
    "0000-01-01", "0001-01-01", "9999-12-31", "10000-01-01", "-0001-01-01", "2026-02-30", "2024-02-29",
    "2026-11-01Z", "2026-11-01+14:00", "2026-11-01+14:01", "2026-11-01-13:59", "2026-11-01+99:99",
    "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "9999-12-31T24:00:00", "9999-12-31T24:00:00Z",
    "2026-11-01T24:00:00", "2026-11-01T24:00:01Z", "2026-11-01T23:59:60Z", "2026-11-01T00:00:00.1234567Z",
    "2026-11-01T00:00:00." + "9" * 400 + "Z", "10000-01-01T00:00:00Z", "0000-01-01T00:00:00Z",
    "2026-11-01T00:00", "2026-11-01t00:00:00z", "2026-W44-7", "20261101", "2026-11-01T00:00:00 Z",
    " 2026-11-01 ", "1-1-1", "--02-30", "---31", "--13", "2026-13", "24:00:00", "23:59:60",
    "00:00:00.0000000001", "-0400", "99999999999", "P", "P1Y", "-P1M", "P1DT", "PT1.5S",
    "P99999999999999999999Y", "PT1E5S", "P-1D", "PT" + "9" * 5000 + "S", "2026-03-29T02:30:00",
    "2026-10-25T02:30:00", "1893-03-31T23:59:59", "1883-11-18T12:00:00",
)  # fmt: skip
TEXTS: Final = (
    "", " ", "\n", "\r", "\r\n", "\u2028", "\u0085", "\ufeff", "\ufffd", "\ufffe", "\U0010ffff", "e\u0301",
    "\u202e", "true", "TRUE", "1", "yes", "null", "None", "xs:string", "a:b:c", ":", "{}", "]]>", "<!--",
    "&amp;", "&#0;", "../../etc/passwd", "file:///etc/passwd", "http://[::1", "http://a:99999/", "//", "%00",
    "%zz", "C:\\x", "x" * 1000, "a" * 70_000, "(" * 500, "[" * 2000, "\x7f", "ß" * 40, "İ", "ﬁ", "=1+1",
    "' OR 1=1", "${x}", "AAAA", "====", "AA==A", "A", "zz", "0G", "00 11", "\x1b[31m", "secret_key",
    "Authorization: x",
)  # fmt: skip
PATTERNS: Final = (
    "(a+)+b", "(a|a)*b", "(.*)*x", "[a-z]{1,100000}", "a{65536}", "(a{1000}){1000}",
    "((((a?){20}){20}){20}){20}", r"\p{L}", r"\p{Nope}", r"\i\c*", "[", "]", "(", ")", "*", "a**", "a{2,1}",
    "a{,3}", "[z-a]", r"[a-z-[aeiou]]", r"\d{4,}", r"\u0041", r"\x41", "^a$", "(?:a)", "(?=a)", r"\1",
    "a" * 5000, "(" * 400 + "a" + ")" * 400, "[" + "a-z" * 3000 + "]", "|".join(["ab"] * 3000),
    "(a?){30}a{30}", r"[\w-[\d]]*", "\x00", "é+", "😀{3}",
)  # fmt: skip
OCCURRENCES: Final = (
    "0", "1", "2", "-1", "unbounded", "UNBOUNDED", "", " 3 ", "1.5", "99", "1000", "65535", "2147483647",
    "2147483648", "99999999999999999999", "9" * 5000, "+2", "01", "1e3", "NaN", "٣",
)  # fmt: skip
ENCODINGS: Final = (
    "utf-8", "UTF-16", "utf-16le", "UTF-32", "ISO-8859-1", "windows-1252", "US-ASCII", "EBCDIC-CP-US",
    "utf-7", "idna", "punycode", "rot13", "base64", "unicode_escape", "mbcs", "undefined", "x" * 300, "hex",
    "zlib", "bz2",
)  # fmt: skip
INTERESTING: Final = (*NUMBERS, *TIMES, *TEXTS)


def changes(random: Random) -> int:
    """Return the number of changes for an input: mostly one or two."""
    return min(1 + int(random.expovariate(0.9)), 6)


def value(random: Random, known: str = "") -> str:
    """Return a text that is hard to read, or one that is similar to a known text."""
    if known and random.random() < 0.35:
        return near(known, random)
    return random.choice(INTERESTING)


def near(text: str, random: Random) -> str:
    """Return a text with a small change."""
    at = random.randrange(len(text) + 1)
    way = random.randrange(7)
    if way == 0:
        return text[:at] + text[at + 1 :]
    if way == 1:
        return text[:at] + random.choice("0123456789+-.:TZeE \t\n\"'&<>,;=[]{}\\/\0\r\x1f٣é😀") + text[at:]
    if way == 2:
        return text[:at] + text[at : at + 3] * random.choice((2, 3, 50)) + text[at:]
    if way == 3:
        return text[:at]
    if way == 4:
        return (
            random.choice((" ", "\n", "\t", "\u00a0", "\ufeff")) + text + random.choice(("", " ", "\n", "\0"))
        )
    if way == 5:
        return text.swapcase()
    return text[at:] + text[:at]


def of_bytes(content: bytes, random: Random) -> bytes:
    """Return the content with bytes flipped, lost, duplicated, inserted or cut off."""
    data = bytearray(content)
    for _ in range(changes(random)):
        at = random.randrange(len(data) + 1)
        way = random.randrange(8)
        if way == 0 and at < len(data):
            data[at] ^= 1 << random.randrange(8)
        elif way == 1:
            del data[at : at + random.choice((1, 1, 2, 10, 100))]
        elif way == 2:
            data[at:at] = data[at : at + random.choice((1, 5, 50, 500))]
        elif way == 3:
            data[at:at] = random.choice(_FOREIGN)
        elif way == 4:
            del data[at:]
        elif way == 5 and at < len(data):
            data[at] = random.choice((0, 0x0A, 0x0D, 0x22, 0x2C, 0x7F, 0x80, 0xC0, 0xED, 0xFE, 0xFF))
        elif way == 6:
            data[at:at] = random.choice(INTERESTING).encode("utf-8", "surrogatepass")
        else:
            data += random.choice((b"\0", b"\r", b"\n", b"\x1a", bytes(data[:50])))
    return bytes(data)


_FOREIGN: Final = (
    b"\0", b"\xff", b"\xc3\x28", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc0\x80", b"\xe2\x80\xa8",
    b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\r", b"\n\r", b'""', b"\x1f\x8b\x08", b"\\u0000", b"\\ud800",
    b"<![CDATA[",
)  # fmt: skip


def encoded(text: str, random: Random) -> bytes:
    """Encode a text in UTF-8, sometimes with a byte order mark or in another encoding."""
    chance = random.random()
    raw = text.encode("utf-8", "surrogatepass")
    if chance < 0.92:
        return raw
    if chance < 0.94:
        return codecs.BOM_UTF8 + raw
    if chance < 0.97:
        return text.encode(random.choice(("utf-16", "utf-16-le", "utf-16-be", "utf-32")), "surrogatepass")
    return text.encode(random.choice(("latin-1", "cp1252", "ascii", "utf-7")), "replace")


def lines(content: bytes, random: Random, *, within: Callable[[bytes, Random], bytes] = of_bytes) -> bytes:
    """Remove, duplicate, swap or join lines, change line ends, and change the content of a line."""
    found = content.split(b"\n")
    for _ in range(changes(random)):
        at = random.randrange(len(found))
        way = random.randrange(8)
        if way == 0:
            del found[at]
        elif way == 1:
            found[at:at] = [found[at]] * random.choice((1, 2, 100))
        elif way == 2:
            other = random.randrange(len(found))
            found[at], found[other] = found[other], found[at]
        elif way == 3:
            found[at] += random.choice((b"\r", b"\r\r", b" ", b"\t", b"\0", b"\x0b", b"\x0c", b"\xc2\x85"))
        elif way == 4:
            found.insert(at, random.choice((b"", b"\r", b" ", b'"', b"\0", b"\xff\xfe", b",,,", b"#")))
        elif way == 5:
            found[at : at + 2] = [b"".join(found[at : at + 2])]
        else:
            found[at] = within(found[at], random)
        if not found:
            return b""
    return b"\n".join(found)


def one_of(several: Sequence[T], random: Random) -> T:
    """Return one of several items. The first ones are more likely."""
    return several[min(int(random.expovariate(1.5) * len(several) / 3), len(several) - 1)]
