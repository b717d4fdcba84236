"""The request target as it was sent: what is served there, and which part of it is signed.

Servers hand over a decoded path, in which `%2F` is a slash and `%7E` is `~`. A signature is over the path as
it was sent (`docs/explanation/service.md#signing`), so the raw target is what counts here; only its segments
are decoded.
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
    """`form` is the format segment, None without one. `uri` is what follows the version, as it was sent."""

    form: Form | None
    version: str
    uri: str


def raw_path(request: Request) -> str:
    """The path as it stood in the request line, without the query; quoted anew where it is not known."""
    environ = request.environ
    sent = str(environ.get("RAW_URI") or environ.get("REQUEST_URI") or "").partition("?")[0]
    sent = re.sub(r"^[A-Za-z][A-Za-z0-9+.-]*://[^/]*", "", sent)  # the absolute form
    if not sent.startswith("/"):
        return quote(request.path)
    mounted = request.root_path
    return sent.removeprefix(mounted) if mounted and sent.startswith(f"{mounted}/") else sent


def target_of(path: str) -> Target | None:
    """A raw path taken apart; None where no version stands in its place."""
    found = _VERSIONED.fullmatch(path)
    if found is None:
        return None
    form: Form | None = None if found[1] is None else "json" if found[1] == "json" else "xml"
    return Target(form, found[2], found[3] or "")


def form_of(path: str) -> Form:
    """The form of errors for whoever asked there."""
    target = target_of(path)
    plain = target is not None and target.form is None
    return "json" if plain or path.startswith("/json/") else "xml"


def segments_of(uri: str) -> tuple[str, ...]:
    """The decoded segments by which a resource is found. Doubled and final slashes make no difference, dot
    segments are walked. Raises `InvalidValue` 404 for a path above its root, 230 for what is no UTF-8."""
    walked: list[str] = []
    for segment in uri.split("/"):
        if segment == "..":
            if not walked:
                raise InvalidValue(Code.NOT_FOUND, "the path leaves what is served here")
            walked.pop()
        elif segment not in ("", "."):
            walked.append(_decoded(segment))
    return tuple(walked)


def _decoded(segment: str) -> str:
    try:
        return unquote_to_bytes(segment.encode("latin-1")).decode("utf-8")
    except UnicodeError:
        raise InvalidValue(Code.BAD_PARAMETER, f"the path segment {segment[:60]!r} is not UTF-8") from None
