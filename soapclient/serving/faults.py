"""Exceptions of local services: `InvalidValue` refuses a request, `CloseConnection` ends its connection."""

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

    Only the server of this package then closes the connection. Another WSGI server may send status 500.
    """


def printable(text: str) -> str:
    """Replace unprintable characters in the reason of a fault, because XML must not contain them.

    A reason can contain such characters if it quotes the request.
    """
    return "".join(char if char.isprintable() else "\ufffd" for char in text)
