"""Shared parts of switchboards.

A switchboard serves the log and the rules of a mock or sandbox as JSON, at paths below `/-/`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from werkzeug.wrappers import Request

PREFIX = "/-/"


class Refused(Exception):
    """Raised to refuse a request to a switchboard, with an HTTP status and a reason."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


def body_of(request: Request) -> Mapping[str, object]:
    """Return the JSON object in the body of a request. Raises Refused, or ValueError for invalid JSON."""
    # A page of another site cannot send this type without a preflight request.
    if request.mimetype != "application/json":
        actual = repr(request.mimetype) if request.mimetype else "missing"
        raise Refused(415, f"the content type must be application/json, but it is {actual}")
    document: object = json.loads(request.get_data() or b"{}")
    if not isinstance(document, dict):
        raise Refused(400, "the body must be a JSON object")
    return document
