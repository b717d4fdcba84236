"""Changes of a contract at a random place, and helpers for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lxml import etree

if TYPE_CHECKING:
    from tests.bindgen_diff.conftest import Chance

Node = etree._Element
Make = Callable[["Chance"], tuple[str, str]]
Preparation = Callable[["Chance"], tuple[str, Node]]
X = "{http://www.w3.org/2001/XMLSchema}"


@dataclass(frozen=True)
class Mutator:
    """A change of a contract. `make` returns the name of the change, one of `names`, and the changed type.

    `first` prepares both sides, so that `make` has something to change.
    """

    names: tuple[str, ...]
    make: Make
    first: Preparation | None = None

    def __str__(self) -> str:
        return self.make.__name__


class Mutators(list[Mutator]):
    """The mutators of a test file. Calling it returns a decorator that registers a function."""

    def __call__(self, *names: str, first: Preparation | None = None) -> Callable[[Make], Make]:
        def register(make: Make) -> Make:
            self.append(Mutator(names, make, first))
            return make

        return register


def one(node: Node | None) -> Node:
    """Return the node, which must not be None."""
    assert node is not None
    return node


def local(name: str | None) -> str:
    """Return a qualified name without its prefix."""
    return (name or "").rpartition(":")[2]


def built_in(node: Node, *names: str) -> bool:
    """Return True if an element has one of these built-in types. Without names, any built-in type counts."""
    prefix, _, name = (node.get("type") or "").rpartition(":")
    return prefix == "xsd" and (name in names or not names)


def make(tag: str, **attributes: str) -> Node:
    """Return a new node of a schema."""
    return etree.Element(f"{X}{tag}", attributes)


def text(name: str, **more: str) -> Node:
    """Return the declaration of a string element."""
    return make("element", name=name, type="xsd:string", **more)
