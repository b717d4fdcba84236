"""The tree of product categories: three levels, products hang on the lowest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from . import words

_SECOND = ("Novelties", "Classics", "Bargains")
_THIRD = ("for every day", "for the holidays")


@dataclass(frozen=True, slots=True)
class ProductCategory:
    """A category with what is below it."""

    id: int
    name: str
    children: tuple[ProductCategory, ...] = ()

    def leaves(self) -> Iterator[tuple[int, str]]:
        """Id and name of the lowest categories below, or of this one."""
        if not self.children:
            yield self.id, self.name
        for child in self.children:
            yield from child.leaves()

    def find(self, number: int) -> ProductCategory | None:
        """This one or the one below it that has the id."""
        if self.id == number:
            return self
        return next((found for child in self.children if (found := child.find(number)) is not None), None)


def _third(parent: int, name: str) -> tuple[ProductCategory, ...]:
    return tuple(ProductCategory(parent * 100 + at, f"{name} {more}") for at, more in enumerate(_THIRD, 1))


def _second(parent: int, name: str) -> tuple[ProductCategory, ...]:
    return tuple(
        ProductCategory(parent * 100 + at, f"{name}: {more}", _third(parent * 100 + at, f"{name}: {more}"))
        for at, more in enumerate(_SECOND, 1)
    )


ROOTS = tuple(ProductCategory(code, trade, _second(code, trade)) for trade, code in words.TRADES)
# By id of a main category: the categories its products are in.
LEAVES: Mapping[int, tuple[tuple[int, str], ...]] = {root.id: tuple(root.leaves()) for root in ROOTS}


def lies_in(leaf: int, category: int) -> bool:
    """Whether a lowest category is this one or below it: ids grow by two digits a level. All lie in 0."""
    while leaf > category and leaf > 0:
        leaf //= 100
    return leaf == category
