"""Hostile requests generated from a seed: their bytes, their steps, and the allowed responses.

A rejected request gets a status of 400 or above, or a closed connection. `passes` allows success, too,
because a randomly changed request may still be valid.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

Deed = Literal["send", "drip", "half", "reset", "hold", "read"]
Step = tuple[Deed, bytes]

SOAP: Final = b"/soap/2011-03-01"
REST: Final = b"/json/2011-03-01/profiles"
BOARD: Final = b"/-/"
_NAMESPACE: Final = "http://api.zanox.com/namespace/2011-03-01/"
ENVELOPE: Final = (
    '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>'
    f'<SearchProgramsRequest xmlns="{_NAMESPACE}">%s</SearchProgramsRequest></e:Body></e:Envelope>'
)
LOTS: Final = 1 << 17  # size of large content in bytes


@dataclass(frozen=True)
class Attack:
    """The steps of one connection. At most `most` responses may come. `port` selects plain HTTP or TLS."""

    name: str
    steps: Sequence[Step]
    most: int = 1
    passes: bool = False
    port: Literal["plain", "tls"] = "plain"


Make = Callable[[random.Random], Attack]


def attack_of(seed: int, number: int, among: Sequence[Make]) -> Attack:
    """Return the attack with this number. All randomness comes from the seed."""
    chance = random.Random(f"{seed}/{number}")
    return among[number % len(among)](chance) if number < 2 * len(among) else chance.choice(among)(chance)


def request(
    method: bytes = b"GET",
    target: bytes = REST,
    *fields: bytes,
    body: bytes = b"",
    version: bytes = b"HTTP/1.1",
    length: bool = True,
) -> bytes:
    """Build a request as bytes. All parts are written unchanged."""
    head = [method + b" " + target + b" " + version, b"Host: sandbox", *fields]
    if body and length:
        head.append(b"Content-Length: %d" % len(body))
    return b"\r\n".join(head) + b"\r\n\r\n" + body


def post(body: bytes, kind: bytes = b"text/xml", target: bytes = SOAP, *fields: bytes) -> bytes:
    """Build a request with a body."""
    return request(b"POST", target, b"Content-Type: " + kind, *fields, body=body)


def sent(name: str, data: bytes, *, most: int = 1, passes: bool = False, end: Deed = "half") -> Attack:
    """Send everything at once, then read the response."""
    return Attack(name, (("send", data), (end, b"")), most, passes)


def junk(chance: random.Random, most: int = 200) -> bytes:
    return chance.randbytes(chance.randint(1, most))


def mutate(chance: random.Random, data: bytes) -> bytes:
    """Return the data with some bytes changed, duplicated, removed or inserted."""
    changed = bytearray(data)
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(changed) + 1)
        match chance.randrange(5):
            case 0:
                changed[at : at + 1] = chance.randbytes(1)
            case 1:
                del changed[at : at + chance.randint(1, 20)]
            case 2:
                changed[at:at] = chance.randbytes(chance.randint(1, 5))
            case 3:
                changed[at:at] = changed[at : at + chance.randint(1, 40)]
            case _:
                changed[at:at] = chance.choice(
                    [b"\r\n", b"\n", b"\r", b"\x00", b":", b" ", b"\t", b"<", b"%"]
                )
        if not changed:
            changed += b"\0"
    return bytes(changed)
