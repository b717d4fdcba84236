"""The public data of a sandbox: programs with ad media, products and incentives, and product categories."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal
from functools import cached_property, lru_cache
from random import Random

from . import samples

_SECOND = ("Novelties", "Classics", "Bargains")
_THIRD = ("for every day", "for the holidays")


@dataclass(frozen=True, slots=True)
class ProductCategory:
    """A category and its subcategories."""

    id: int
    name: str
    children: tuple[ProductCategory, ...] = ()

    def leaves(self) -> Iterator[tuple[int, str]]:
        """Yield (id, name) of each category without subcategories: descendants, or this category itself."""
        if not self.children:
            yield self.id, self.name
        for child in self.children:
            yield from child.leaves()

    def find(self, number: int) -> ProductCategory | None:
        """Return this category or the descendant with the id `number`. Return None if the id is unknown."""
        if self.id == number:
            return self
        matches = (child.find(number) for child in self.children)
        return next((match for match in matches if match is not None), None)


def _third(parent: int, name: str) -> tuple[ProductCategory, ...]:
    return tuple(
        ProductCategory(parent * 100 + number, f"{name} {suffix}") for number, suffix in enumerate(_THIRD, 1)
    )


def _second(parent: int, name: str) -> tuple[ProductCategory, ...]:
    return tuple(
        ProductCategory(
            parent * 100 + number, f"{name}: {suffix}", _third(parent * 100 + number, f"{name}: {suffix}")
        )
        for number, suffix in enumerate(_SECOND, 1)
    )


ROOTS = tuple(ProductCategory(code, trade, _second(code, trade)) for trade, code in samples.TRADES)
# Main category id → its lowest categories, which contain its products.
LEAVES: Mapping[int, tuple[tuple[int, str], ...]] = {root.id: tuple(root.leaves()) for root in ROOTS}


def lies_in(leaf: int, category: int) -> bool:
    """Return True if the product category `leaf` is `category` or a descendant of it.

    Compares the ids: an id is its parent's id followed by two digits. The id 0 means the root of the tree,
    which contains every category.
    """
    while leaf > category and leaf > 0:
        leaf //= 100
    return leaf == category


PROGRAMS = 300
FIRST_PROGRAM = 1801
CENT = Decimal("0.01")


def money(cents: int) -> Decimal:
    """Convert an amount in cents to a Decimal with two decimal digits."""
    return Decimal(cents).scaleb(-2)


def share(amount: Decimal, percent: Decimal) -> Decimal:
    """Return `percent` percent of an amount, rounded half up to two decimal digits."""
    return (amount * percent / 100).quantize(CENT, ROUND_HALF_UP)


@dataclass(frozen=True, slots=True)
class Category:
    """An id and a name, for example of a vertical, policy, tracking category or format."""

    id: int
    name: str


@dataclass(frozen=True, slots=True)
class Admedium:
    """An ad medium of a program, such as a banner or a text link."""

    id: int
    name: str
    program_id: int
    program_name: str
    type: str
    purpose: str | None
    format: Category
    category: Category
    region: str


@dataclass(frozen=True, slots=True)
class Program:
    """A program: the offer of an advertiser to pay commissions to publishers.

    `click_fee`, `lead_fee` and `sale_percent` determine the commissions.

    `tracking` has four tracking categories: for sales, for sales to new customers, for leads, and for leads
    of new customers. `exclusive` is True if the program works only with selected publishers; no field of the
    contract shows this.
    """

    id: int
    name: str
    adrank: Decimal
    application_required: bool
    products: int
    vertical: Category
    regions: tuple[str, ...]
    categories: tuple[Category, ...]
    started: datetime
    currency: str
    status: str
    direct: bool
    exclusive: bool
    policies: tuple[Category, ...]
    industries: tuple[Category, ...]
    click_fee: Decimal
    lead_fee: Decimal
    sale_percent: Decimal
    tracking: tuple[Category, ...]
    admedia: tuple[Admedium, ...]

    def tracking_of(self, kind: str, *, new: bool) -> Category:
        """Return the tracking category for transactions of a kind, which is "sale" or "lead".

        `new` is True for the category of transactions with new customers.
        """
        return self.tracking[(0 if kind == "sale" else 2) + new]

    @property
    def description(self) -> str:
        """A sentence that describes the program."""
        return f"{self.name} sells {self.vertical.name.lower()} <online> & delivers within days."


@dataclass(frozen=True, slots=True)
class Product:
    """A product that the advertiser of a program sells."""

    id: str
    name: str
    program_id: int
    program_name: str
    price: Decimal
    old_price: Decimal
    currency: str
    ean: str
    category: Category
    merchant_category: str
    region: str
    modified: datetime
    has_image: bool


@dataclass(frozen=True, slots=True)
class Incentive:
    """An incentive for the customers of a program's advertiser, such as a coupon."""

    id: str
    name: str
    program_id: int
    program_name: str
    type: str
    regions: tuple[str, ...]
    exclusive: bool
    started: datetime
    ends: datetime
    code: str
    percentage: Decimal
    currency: str
    admedium: Admedium


class Catalogue:
    """Programs in order of their ids. Products and incentives are generated on demand."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self.programs = tuple(self._program(index) for index in range(PROGRAMS))
        self.by_id = {program.id: program for program in self.programs}
        # Cached per instance: a cache on the class would keep every sandbox alive.
        self.products = lru_cache(maxsize=PROGRAMS)(self._products)
        self.incentives = lru_cache(maxsize=PROGRAMS)(self._incentives)

    @cached_property
    def all_products(self) -> dict[str, Product]:
        """All products by id, in the order of the programs."""
        return {product.id: product for program in self.programs for product in self.products(program.id)}

    @cached_property
    def all_incentives(self) -> dict[str, Incentive]:
        """All incentives by id, in the order of the programs."""
        return {item.id: item for program in self.programs for item in self.incentives(program.id)}

    def admedium(self, number: int) -> Admedium | None:
        """Return the ad medium with the id `number`; None if the id is unknown."""
        program = self.by_id.get(number // 100)
        return next((item for item in program.admedia if item.id == number), None) if program else None

    def _random(self, *path: object) -> Random:
        return Random("/".join(str(part) for part in (self._seed, *path)))

    def _program(self, index: int) -> Program:
        random = self._random("program", index)
        number = FIRST_PROGRAM + index
        trades = [Category(code, trade) for trade, code in samples.TRADES]
        main = trades[random.randrange(len(trades))]
        others = random.sample([trade for trade in trades if trade is not main], random.randrange(3))
        regions = tuple(random.sample(samples.REGIONS, random.randint(1, 4)))
        brand = samples.BRANDS[index % len(samples.BRANDS)]
        name = f"{brand} {main.name} {regions[0]} {index // len(samples.BRANDS) + 1}"
        started = datetime.combine(
            date(2008, 1, 1) + timedelta(days=random.randrange(6000)), time(random.randrange(24)), UTC
        )
        return Program(
            id=number,
            name=name,
            adrank=Decimal(random.randrange(0, 101)).scaleb(-1),
            application_required=random.random() < 0.6,
            products=random.choice((0, 0, random.randint(1, 40))),
            vertical=main,
            regions=regions,
            categories=(main, *others),
            started=started,
            currency=random.choice(samples.CURRENCIES),
            status="active" if random.random() < 0.95 else "inactive",
            direct=random.random() < 0.7,
            exclusive=self._random("exclusive", index).random() < 0.2,
            policies=tuple(
                Category(*policy) for policy in random.sample(samples.POLICIES, random.randint(1, 3))
            ),
            industries=(main, *others),
            click_fee=money(random.choice((0, 0, 1, 2, 5))),
            lead_fee=money(random.randint(50, 2500)),
            sale_percent=Decimal(random.randint(4, 30)) / 2,
            tracking=tuple(
                Category(number * 10 + index, label) for index, label in enumerate(samples.TRACKING)
            ),
            admedia=tuple(self._admedium(number, name, regions, slot, random) for slot in range(4)),
        )

    def _admedium(
        self, program: int, name: str, regions: tuple[str, ...], slot: int, random: Random
    ) -> Admedium:
        form = Category(*samples.FORMATS[slot])
        return Admedium(
            id=program * 100 + slot,
            name=f'{form.name} "{name}"',
            program_id=program,
            program_name=name,
            type="text" if slot == 0 else random.choice(("image", "imageText", "html", "script")),
            purpose=random.choice((None, "startPage", "productDeeplink", "categoryDeeplink")),
            format=form,
            category=Category(program * 10 + slot % 2, ("Evergreen", "Season")[slot % 2]),
            region=regions[slot % len(regions)],
        )

    def _products(self, program_id: int) -> tuple[Product, ...]:
        program = self.by_id[program_id]
        random = self._random("products", program_id)
        products = []
        leaves = [Category(*leaf) for leaf in LEAVES[program.vertical.id]]
        for index in range(program.products):
            leaf = leaves[index % len(leaves)]
            cents = random.randint(199, 49900)
            products.append(
                Product(
                    id=f"{random.getrandbits(128):032x}",
                    name=f"{random.choice(samples.ITEMS)} {program.name.split()[0]} No. {index + 1}",
                    program_id=program.id,
                    program_name=program.name,
                    price=money(cents),
                    old_price=money(cents + random.randint(0, 2000)),
                    currency=program.currency,
                    ean=f"{random.randrange(10**12, 10**13)}",
                    category=leaf,
                    merchant_category=f"{program.vertical.name} > {leaf.name}",
                    region=program.regions[index % len(program.regions)],
                    modified=program.started + timedelta(days=index),
                    has_image=random.random() < 0.8,
                )
            )
        return tuple(products)

    def _incentives(self, program_id: int) -> tuple[Incentive, ...]:
        program = self.by_id[program_id]
        random = self._random("incentives", program_id)
        kinds = ("coupons", "samples", "bargains", "freeProducts", "noShippingCosts", "lotteries")
        return tuple(
            Incentive(
                id=f"{program_id}{index:02d}",
                name=f"{program.name}: offer {index + 1}",
                program_id=program.id,
                program_name=program.name,
                type=random.choice(kinds),
                regions=program.regions,
                exclusive=random.random() < 0.3,
                started=program.started + timedelta(days=30 * index),
                ends=program.started + timedelta(days=30 * index + 5000),
                code=f"SAMPLE{random.randrange(1000, 10000)}",
                percentage=Decimal(random.choice((5, 10, 15, 20))),
                currency=program.currency,
                admedium=random.choice(program.admedia),
            )
            for index in range(random.randrange(3))
        )


@lru_cache(maxsize=4)  # the catalogue of a seed is always the same, and immutable
def catalogue_of(seed: int) -> Catalogue:
    """Return the catalogue that is generated from `seed`. All sandboxes with this seed share one object."""
    return Catalogue(seed)
