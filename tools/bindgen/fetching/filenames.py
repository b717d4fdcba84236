"""The file names of a contract's documents."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Mapping
from urllib.parse import unquote, urlsplit

from bindgen.fetching.imports import Kind

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_PLAIN_SEGMENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_SUFFIXES = (".wsdl", ".xsd", ".xml")
_MAX_STEM = 80


class NameClash(Exception):
    """Raised if two addresses would have the same file name, even with digests of the addresses added."""


def is_plain_segment(text: str) -> bool:
    """Return True if a text is safe as the name of a folder.

    It must consist of ASCII letters, digits, `.`, `-` and `_`, and begin with a letter or digit.
    """
    return _PLAIN_SEGMENT.fullmatch(text) is not None


def file_names(kinds: Mapping[str, Kind], *, root_url: str, contract: str) -> dict[str, str]:
    """Return the file name of each address of a contract.

    `kinds` maps each address to the kind of its document. The name is the last segment of the path, and the
    query, reduced to safe characters. The root is named after the contract if its address does not end in a
    file name (``…/soap/v1?wsdl``). If addresses have the same name, ignoring case, a part of the digest of
    each address is added. Therefore the names do not depend on the order of discovery. Raises NameClash if
    names are still equal.
    """
    plain = {
        url: _root_name(url, contract) if url == root_url else _imported_name(url, kind)
        for url, kind in kinds.items()
    }
    counts = Counter(name.lower() for name in plain.values())
    names = {
        url: name if url == root_url or counts[name.lower()] == 1 else _with_digest(name, url)
        for url, name in plain.items()
    }
    if len({name.lower() for name in names.values()}) < len(names):
        raise NameClash(f"two documents of {contract} would have the same file name")
    return names


def _root_name(url: str, contract: str) -> str:
    """Return the file name of the root WSDL of a contract. `url` is the address of the WSDL."""
    stem, suffix = _split(_last_segment(url))
    return stem + suffix if suffix in (".wsdl", ".xml") else f"{contract}.wsdl"


def _imported_name(url: str, kind: Kind) -> str:
    """Return the file name of the imported document at `url`."""
    stem, suffix = _split(_last_segment(url))
    if query := _safe_name(unquote(urlsplit(url).query)):
        stem = f"{stem}-{query}"[:_MAX_STEM]
    return stem + (suffix or f".{kind}")


def _last_segment(url: str) -> str:
    """Return the last segment of an address's path, with unsafe characters replaced (see `_safe_name`)."""
    return _safe_name(unquote(urlsplit(url).path.rstrip("/").rpartition("/")[2]))


def _safe_name(text: str) -> str:
    """Return `text` with each character that is unsafe in a file name replaced by an underscore."""
    return _UNSAFE.sub("_", text).strip("._-")


def _split(segment: str) -> tuple[str, str]:
    """Split a file name into its stem and a known suffix ("" if there is none)."""
    for suffix in _SUFFIXES:
        if segment.lower().endswith(suffix) and len(segment) > len(suffix):
            return segment[: -len(suffix)][:_MAX_STEM], suffix
    return segment[:_MAX_STEM] or "document", ""


def _with_digest(name: str, url: str) -> str:
    """Add a part of the address's digest to a file name."""
    stem, _, suffix = name.rpartition(".")
    return f"{stem}-{hashlib.sha256(url.encode()).hexdigest()[:12]}.{suffix}"
