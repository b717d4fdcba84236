"""Refusals that all local services share, and a connection that is closed without a response."""

from __future__ import annotations

from typing import Final

MALFORMED: Final = 100  # no XML, no envelope, a DOCTYPE
TOO_LARGE: Final = 110


class InvalidValue(Exception):
    """A request that gets a fault: `code` from the service's table, `reason` for a human."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(code, reason)
        self.code = code
        self.reason = reason


class Silence(Exception):
    """The connection is to be closed without a response. A server that does not know it may say 500."""


def printable(text: str) -> str:
    """Without what XML cannot hold; a reason may quote what was sent."""
    return "".join(sign if sign.isprintable() else "\ufffd" for sign in text)
