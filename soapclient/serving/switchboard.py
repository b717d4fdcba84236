"""What switchboards have in common: their address, and how a request to one is read and refused."""

from __future__ import annotations

import json
from collections.abc import Mapping

from werkzeug.wrappers import Request

PREFIX = "/-/"


class Refused(Exception):
    """With an HTTP status, and why."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


def body_of(request: Request) -> Mapping[str, object]:
    """The JSON object of a request. Raises Refused."""
    # A page of another site cannot send this type without asking first.
    if request.mimetype != "application/json":
        raise Refused(
            415, f"the content type must be application/json, not {request.mimetype or 'missing'!r}"
        )
    found: object = json.loads(request.get_data() or b"{}")
    if not isinstance(found, dict):
        raise Refused(400, "the body must be a JSON object")
    return found
