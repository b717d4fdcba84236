"""Errors for responses that cannot be used, although they look like responses."""

from __future__ import annotations

from soapclient.errors import ResponseError


class BrokenResponse(ResponseError):
    """The response is incomplete or belongs to another operation. A write may have been processed."""

    damaged = True


class MisplacedResponse(BrokenResponse):
    """The response belongs to another request: it is a duplicate, or it does not echo what was requested."""
