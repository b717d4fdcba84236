"""Exceptions of local services, for refusing a request and for closing its connection without a response."""

from __future__ import annotations

from typing import Final

MALFORMED: Final = 100  # not XML, not an envelope, or a DOCTYPE
TOO_LARGE: Final = 110


class InvalidValue(Exception):
    """A request that gets a fault. `code` is from the service's table, `reason` a text for humans."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(code, reason)
        self.code = code
        self.reason = reason


class CloseConnection(Exception):
    """Close the connection without a response. Other WSGI servers may send a 500."""


def printable(text: str) -> str:
    """Replace unprintable characters. XML may not contain them, but a reason may quote a request."""
    return "".join(char if char.isprintable() else "\ufffd" for char in text)
