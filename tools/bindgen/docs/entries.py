"""What an index says of a page: written into the page, so that later runs find it there."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from html.parser import HTMLParser
from pathlib import Path

from bindgen.docs.frame import ENTRY
from bindgen.model import Contract

_HEAD = 64 * 1024  # as far as a page is looked into; the entry stands before style and script


@dataclass(frozen=True, slots=True)
class Entry:
    """A contract's name, version, namespace and number of operations."""

    name: str
    version: str
    namespace: str
    operations: int

    @property
    def file(self) -> str:
        """The file of its page; of its name, which is a Python name, but never the index's."""
        return "index_.html" if self.name == "index" else f"{self.name}.html"


def of(contract: Contract) -> Entry:
    """The entry of a contract."""
    version, namespace = contract.settings.version, contract.namespace
    return Entry(contract.name, version, namespace, len(contract.operations))


def dumps(entry: Entry) -> str:
    """An entry as a text."""
    return json.dumps(asdict(entry))


def read(page: Path) -> Entry | None:
    """The entry in a page; None for what is no page of ours, or has another name now. Raises OSError."""
    with page.open("rb") as stream:
        head = _Head(stream.read(_HEAD).decode("utf-8", "replace"))
    entry = _loads(head.entry)
    return entry if entry is not None and entry.file == page.name else None


class _Head(HTMLParser):
    """Looks for the entry."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.entry = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Called for each element, in order."""
        found = dict(attrs)
        if tag == "meta" and found.get("name") == ENTRY:
            self.entry = self.entry or found.get("content") or ""


def _loads(text: str) -> Entry | None:
    try:
        match json.loads(text):
            case {
                "name": str(name),
                "version": str(version),
                "namespace": str(namespace),
                "operations": int(operations),
            } if name.isidentifier():
                return Entry(name, version, namespace, operations)
    except (ValueError, RecursionError):
        pass
    return None
