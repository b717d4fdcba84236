"""Parse the path of a request: its format, its version, and the part that is signed.

Servers provide a decoded path, in which `%2F` is a slash and `%7E` is `~`. But the signature covers the path
as sent (`docs/explanation/service.md#signing`), so this module uses the raw target and decodes only its
segments.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote, unquote_to_bytes

from werkzeug.wrappers import Request

from ..faults import Code, InvalidValue

Form = Literal["xml", "json"]
_VERSIONED = re.compile(r"/(?:(xml|json)/)?(\d{4}-\d\d-\d\d)(/.*)?", re.ASCII | re.DOTALL)


@dataclass(frozen=True)
class Target:
    """A parsed path. `form` is None if it has no format segment. `uri` is the raw path after the version."""

    form: Form | None
    version: str
    uri: str


def raw_path(request: Request) -> str:
    """Return the path of the request line, still percent-encoded, without the query.

    If the server does not provide the request line, the decoded path is encoded again.
    """
    environ = request.environ
    sent = str(environ.get("RAW_URI") or environ.get("REQUEST_URI") or "").partition("?")[0]
    sent = re.sub(r"^[A-Za-z][A-Za-z0-9+.-]*://[^/]*", "", sent)  # the absolute form
    if not sent.startswith("/"):
        return quote(request.path)
    prefix = request.root_path
    return sent.removeprefix(prefix) if prefix and sent.startswith(f"{prefix}/") else sent


def target_of(path: str) -> Target | None:
    """Parse a raw path. Return None if it has no version segment."""
    match = _VERSIONED.fullmatch(path)
    if match is None:
        return None
    form: Form | None = None if match[1] is None else "json" if match[1] == "json" else "xml"
    return Target(form, match[2], match[3] or "")


def form_of(path: str) -> Form:
    """Return the format of error responses for a path.

    This is JSON if the path starts with `/json/` or a version, otherwise XML.
    """
    target = target_of(path)
    plain = target is not None and target.form is None
    return "json" if plain or path.startswith("/json/") else "xml"


def segments_of(uri: str) -> tuple[str, ...]:
    """Return the decoded segments of `uri`, the part of a path after the version.

    Empty segments are dropped, dot segments are resolved. Raises `InvalidValue` 404 for a path above its
    root, 230 for invalid UTF-8.
    """
    segments: list[str] = []
    for segment in uri.split("/"):
        if segment == "..":
            if not segments:
                raise InvalidValue(Code.NOT_FOUND, "the path leads above the root")
            segments.pop()
        elif segment not in ("", "."):
            segments.append(_decoded(segment))
    return tuple(segments)


def _decoded(segment: str) -> str:
    try:
        return unquote_to_bytes(segment.encode("latin-1")).decode("utf-8")
    except UnicodeError:
        raise InvalidValue(Code.BAD_PARAMETER, f"the path segment {segment[:60]!r} is not UTF-8") from None
