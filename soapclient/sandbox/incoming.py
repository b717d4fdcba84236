"""The body of a request, bounded."""

from __future__ import annotations

from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.wrappers import Request

from .faults import Code, Refusal


def body_of(request: Request, most: int) -> bytes:
    """All of it. Raises `Refusal` 110 for more than `most` bytes, without having read many more."""
    length = request.content_length
    # Our server bounds a body, others may not. An `interfere` that has read it has left it here as well.
    request.max_content_length = most + 1
    try:
        body = b"" if (length or 0) > most else request.get_data()
    except RequestEntityTooLarge:
        length = most + 1
    if (length or 0) > most or len(body) > most:
        raise Refusal(Code.TOO_LARGE, f"a request has at most {most} bytes")
    return body
