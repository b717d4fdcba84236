"""What the model says, in words."""

from __future__ import annotations

from collections.abc import Sequence

from bindgen import naming
from bindgen.docs.html import Child, code
from bindgen.model import Facets, Field, Operation, Struct

_FACETS = (
    ("length", "exactly {} long"),
    ("min_length", "at least {} long"),
    ("max_length", "at most {} long"),
    ("min_inclusive", "{} or more"),
    ("max_inclusive", "{} or less"),
    ("min_exclusive", "more than {}"),
    ("max_exclusive", "less than {}"),
    ("total_digits", "{} digits at most"),
    ("fraction_digits", "{} digits at most after the point"),
)


def occurrence(field: Field) -> str:
    """How often it comes: required, optional, or a list of how many."""
    inner = field.item or field
    if inner.repeats:
        within = _times(inner.least, inner.most)
        if field.item is None:
            return f"list, {within}"
        return f"{'required' if field.least else 'optional'} list, {within}"
    return "required" if field.least and not field.choices else "optional"


def _times(least: int, most: int | None) -> str:
    if most is None:
        return f"{least} or more"
    return f"{least}" if least == most else f"{least} to {most}"


def facets(said: Facets) -> list[Child]:
    """The facets of a simple type, in words, one by one."""
    phrases: list[Child] = [
        form.format(value) for name, form in _FACETS if (value := getattr(said, name)) != ""
    ]
    phrases += [["matches ", code(pattern)] for pattern in said.patterns]
    if said.enumeration:
        phrases.append(["one of ", listed(said.enumeration)])
    return phrases


def listed(texts: Sequence[str]) -> list[Child]:
    """Texts of the contract, one after the other."""
    return joined([code(text) for text in texts])


def joined(pieces: Sequence[Child]) -> list[Child]:
    """Pieces with a comma between any two."""
    found: list[Child] = []
    for piece in pieces:
        found += [", ", piece] if found else [piece]
    return found


def badges(operation: Operation) -> list[tuple[str, str]]:
    """What is worth knowing of an operation at first sight: a kind and a word for each."""
    found = []
    if operation.authentication or operation.rest:
        found.append(("signed", "signed") if operation.signed else ("public", "public"))
        found.append(("safe", "safe to repeat") if operation.safe else ("unsafe", "never repeated by itself"))
    if operation.pages:
        found.append(("paged", "paged"))
    if operation.list_field is not None:
        found.append(("streamed", "streamable"))
    if operation.one_way:
        found.append(("oneway", "one-way"))
    if not operation.soap:
        found.append(("alone", "REST alone"))
    return found


def group(operation: Operation) -> str:
    """The first word of its name, which for most services is what it does."""
    return naming.snake(operation.name).partition("_")[0].capitalize()


def title(key: str) -> str:
    """A key of contracts.toml as a reader's words."""
    return key.replace("_", " ").capitalize()


def local(tag: str) -> str:
    """A qualified name without its namespace."""
    return tag.rpartition("}")[2]


def about(struct: Struct) -> str:
    """What kind of type it is, where it is no plain one."""
    if struct.holder:
        return {
            "substitution": "One of these elements stands here.",
            "choice": "One turn of a choice that repeats.",
            "sequence": "One turn of a sequence that repeats.",
        }[struct.holder]
    return "Abstract: a type that derives from it stands in its place." if struct.abstract else ""
