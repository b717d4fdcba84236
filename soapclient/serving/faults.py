"""Exceptions that a mock or sandbox raises to refuse a request or to close its connection."""

from __future__ import annotations

from typing import Final

MALFORMED: Final = 100  # not XML, not an envelope, or a DOCTYPE
TOO_LARGE: Final = 110


class InvalidValue(Exception):
    """Raised to refuse a request with an error response.

    `code` is an error number of the service, such as TOO_LARGE. `reason` is a text for humans.
    """

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(code, reason)
        self.code = code
        self.reason = reason


class CloseConnection(Exception):
    """Raised by an application to close the connection without a response.

    Only the server in `soapclient.serving` supports this. Another WSGI server may send status 500 instead.
    """


def printable(text: str) -> str:
    """Return the reason of a fault with unprintable characters replaced, because XML must not contain them.

    A reason that quotes the request can contain unprintable characters.
    """
    return "".join(char if char.isprintable() else "\ufffd" for char in text)
