"""Content encodings of response bodies. Checks if a body can be decoded, and if it is complete."""

from __future__ import annotations

from urllib3 import HTTPResponse


def problem_of(response: HTTPResponse) -> str | None:
    """Return why the body of a response cannot be decoded; None if it can.

    This must be checked, because urllib3 does not decode a body with an unknown encoding, and returns it
    without an error.

    Also removes `identity` (no encoding) from a Content-Encoding header with several encodings, because
    urllib3 would take it for deflate there.
    """
    header = response.headers.get("Content-Encoding", "")
    if not header:
        return None
    stacked = header.lower().split(",")
    names = [name.strip() for name in stacked if name.strip() not in {"", "identity"}]
    if len(names) > 1:
        return "a body that is encoded more than once"
    if names and names[0] not in response.CONTENT_DECODERS:
        return f"a body with the unknown content encoding {names[0][:40]!r}"
    if len(stacked) > 1:
        response.headers["Content-Encoding"] = names[0] if names else "identity"
    return None


def is_complete(response: HTTPResponse) -> bool:
    """Return False if a compressed body is truncated, so that it has no gzip or zlib trailer.

    Call it after reading the body. urllib3 does not check this. Bodies in other encodings count as complete.
    """
    decompressor = getattr(getattr(response, "_decoder", None), "_obj", None)
    return not response.tell() or bool(getattr(decompressor, "eof", True))
