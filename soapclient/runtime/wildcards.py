"""What a wildcard lets in (XSD 1.0 part 1 3.10)."""

from __future__ import annotations

_INSTANCE = "http://www.w3.org/2001/XMLSchema-instance"


class Wild:
    """A wildcard by its `namespace` (`##any`, `##other` or a list) and the schema's target namespace."""

    __slots__ = ("_listed", "_other", "_target")

    def __init__(self, namespaces: str, target: str) -> None:
        self._target = target
        self._other = namespaces.strip() == "##other"
        self._listed: frozenset[str] | None = None
        if not self._other and namespaces.strip() != "##any":
            meant = {"##targetNamespace": target, "##local": ""}
            self._listed = frozenset(meant.get(one, one) for one in namespaces.split())

    def takes(self, tag: object) -> bool:
        """Whether an element of that tag may stand there; a comment never does."""
        return isinstance(tag, str) and self._lets_in(tag.rpartition("}")[0][1:])

    def takes_attribute(self, name: str) -> bool:
        """Whether an attribute may stand there; those that speak about the document are no part of it."""
        space = name.rpartition("}")[0][1:]
        return space != _INSTANCE and self._lets_in(space)

    def _lets_in(self, space: str) -> bool:
        if self._other:
            return space not in ("", self._target)
        return self._listed is None or space in self._listed
