"""In which file each document of a contract is kept."""

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
_LONGEST_STEM = 80


class NameClash(Exception):
    """Two addresses that would be kept in one file even after their digests were added."""


def is_plain_segment(text: str) -> bool:
    """Whether a text may be used as a folder name as it is."""
    return _PLAIN_SEGMENT.fullmatch(text) is not None


def file_names(kinds: Mapping[str, Kind], *, root_url: str, contract: str) -> dict[str, str]:
    """Address → file name, for all documents of a contract.

    The last segment of the path, reduced to harmless characters, with the query appended; the root is
    named after the contract where its address shows no file (``…/soap/v1?wsdl``). Addresses that would
    share a name, whatever the case, get a piece of their own digest, so the names do not depend on the
    order of discovery. Raises NameClash when even that leaves two alike.
    """
    plain = {
        url: _root_name(url, contract) if url == root_url else _imported_name(url, kind)
        for url, kind in kinds.items()
    }
    taken = Counter(name.lower() for name in plain.values())
    names = {
        url: name if url == root_url or taken[name.lower()] == 1 else _with_digest(name, url)
        for url, name in plain.items()
    }
    if len({name.lower() for name in names.values()}) < len(names):
        raise NameClash(f"the documents of {contract} cannot be given distinct file names")
    return names


def _root_name(url: str, contract: str) -> str:
    stem, suffix = _split(_last_segment(url))
    return stem + suffix if suffix in (".wsdl", ".xml") else f"{contract}.wsdl"


def _imported_name(url: str, kind: Kind) -> str:
    stem, suffix = _split(_last_segment(url))
    if query := _harmless(unquote(urlsplit(url).query)):
        stem = f"{stem}-{query}"[:_LONGEST_STEM]
    return stem + (suffix or f".{kind}")


def _last_segment(url: str) -> str:
    return _harmless(unquote(urlsplit(url).path.rstrip("/").rpartition("/")[2]))


def _harmless(text: str) -> str:
    return _UNSAFE.sub("_", text).strip("._-")


def _split(segment: str) -> tuple[str, str]:
    for suffix in _SUFFIXES:
        if segment.lower().endswith(suffix) and len(segment) > len(suffix):
            return segment[: -len(suffix)][:_LONGEST_STEM], suffix
    return segment[:_LONGEST_STEM] or "document", ""


def _with_digest(name: str, url: str) -> str:
    stem, _, suffix = name.rpartition(".")
    return f"{stem}-{hashlib.sha256(url.encode()).hexdigest()[:12]}.{suffix}"
