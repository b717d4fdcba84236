"""Reads and their expected results: picked by a seed, requested from a client, compared with the truth."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass
from itertools import zip_longest
from random import Random
from typing import Final

from soapclient import Client
from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID
from soapclient.tracking.sandbox.berlin import midnight
from zxws.advertiser.types import GroupBy
from zxws.publisher.types import AdspaceItem

from .truth import Plain, Truth, difference, plain

_FIRST: Final = dt.date(2026, 11, 1)
_DAYS: Final = 20
_LONGEST: Final = 150  # items per day
_ITEMS: Final = (5, 10, 25, 50)
_TRACKED: Final = "trackingDate"
_GROUPS: Final[tuple[list[GroupBy], ...]] = (
    [GroupBy.DAY],
    [GroupBy.MONTH],
    [GroupBy.ADSPACE],
    [GroupBy.ADSPACE, GroupBy.ADMEDIUM],
)


class WrongValue(Exception):
    """A client returned a value that differs from the truth."""


@dataclass(frozen=True)
class Read:
    """One read. `run` makes the call and compares. It raises WrongValue and the exceptions of the client.

    `deadlines` is the number of calls with a deadline, 0 if the deadline ends with the first item.
    `retried` is True if the client may always retry the read. `public` is True if the request is not signed.
    """

    name: str
    run: Callable[[Client, Truth], None]
    deadlines: int = 1
    retried: bool = True
    public: bool = False


def compare(got: object, right: Plain) -> None:
    """Raise WrongValue if a value of a client differs from the right one."""
    if (found := difference(plain(got), right)) is not None:
        raise WrongValue(found)


def _compare_items(items: Iterable[object], right: Plain) -> None:
    """Compare items as they arrive, also if an error follows, and check that none is missing at the end."""
    assert isinstance(right, list)
    missing = object()
    for index, (item, one) in enumerate(zip_longest(items, right, fillvalue=missing)):
        if item is missing or one is missing:
            raise WrongValue(f"{'more' if one is missing else 'only'} {index} items, {len(right)} in truth")
        compare(item, one)


def _read(
    name: str, got: Callable[[Client], object], right: Callable[[Truth], Plain], *, public: bool = False
) -> Read:
    """Return a read of one response. The right one is computed after the call."""
    return Read(name, lambda client, truth: compare(got(client), right(truth)), public=public)


def _page(random: Random) -> tuple[dt.date, int, int]:
    items = random.choice(_ITEMS)
    return _FIRST + dt.timedelta(days=random.randrange(_DAYS)), random.randrange(60 // items), items


def _right_page(truth: Truth, operation: str, day: dt.date, page: int, items: int) -> dict[str, Plain]:
    return truth.of(operation, date=midnight(day), dateType=_TRACKED, page=page, items=items)


def _sales(random: Random, truth: Truth) -> Read:
    day, page, items = _page(random)
    return _read(
        f"GetSales {day} page {page} of {items}",
        lambda one: one.publisher.get_sales(date=day, date_type=_TRACKED, page=page, items=items),
        lambda truth: _right_page(truth, "GetSales", day, page, items),
    )


def _leads(random: Random, truth: Truth) -> Read:
    day, page, items = _page(random)
    return _read(
        f"GetLeads {day} page {page} of {items}",
        lambda one: one.publisher.get_leads(date=day, date_type=_TRACKED, page=page, items=items),
        lambda truth: _right_page(truth, "GetLeads", day, page, items),
    )


def _one_of(random: Random, truth: Truth, operation: str, list_name: str) -> str:
    day = _FIRST + dt.timedelta(days=random.randrange(_DAYS))
    found = _right_page(truth, operation, day, 0, 50)[list_name]
    assert isinstance(found, list)
    return str(random.choice(found)["id"])


def _sale(random: Random, truth: Truth) -> Read:
    number = _one_of(random, truth, "GetSales", "sale_items")
    return _read(
        f"GetSale {number}",
        lambda one: one.publisher.get_sale(sale_id=number),
        lambda truth: truth.of("GetSale", saleId=number),
    )


def _lead(random: Random, truth: Truth) -> Read:
    number = _one_of(random, truth, "GetLeads", "lead_items")
    return _read(
        f"GetLead {number}",
        lambda one: one.publisher.get_lead(lead_id=number),
        lambda truth: truth.of("GetLead", leadId=number),
    )


PROFILE: Final = _read(
    "GetProfile", lambda one: one.publisher.get_profile(), lambda truth: truth.of("GetProfile")
)


def _profile(random: Random, truth: Truth) -> Read:
    return PROFILE


def _program(random: Random, truth: Truth) -> Read:
    number = 1801 + random.randrange(300)
    return _read(
        f"GetProgram {number}",
        lambda one: one.publisher.get_program(program_id=number),
        lambda truth: truth.of("GetProgram", programId=number),
        public=True,
    )


def _programs(random: Random, truth: Truth) -> Read:
    page, items = random.randrange(5), random.choice(_ITEMS)
    return _read(
        f"SearchPrograms page {page} of {items}",
        lambda one: one.publisher.search_programs(page=page, items=items),
        lambda truth: truth.of("SearchPrograms", page=page, items=items),
        public=True,
    )


def _balance(random: Random, truth: Truth) -> Read:
    return _read(
        "GetBalances", lambda one: one.publisher.get_balances(), lambda truth: truth.of("GetBalances")
    )


def _all_sales(random: Random, truth: Truth) -> Read:
    day, items = _FIRST + dt.timedelta(days=random.randrange(_DAYS)), random.choice((25, 50))

    def run(client: Client, truth: Truth) -> None:
        pages = client.publisher.iterate.get_sales(date=day, date_type=_TRACKED, items=items)
        _compare_items(pages, _sales_of(truth, day))

    return Read(f"all pages of GetSales {day}", run, deadlines=_LONGEST // items + 1)


def _sales_of(truth: Truth, day: dt.date) -> Plain:
    found: list[Plain] = []
    for page in range(_LONGEST // 50):
        items = _right_page(truth, "GetSales", day, page, 50)["sale_items"]
        assert isinstance(items, list)
        found += items
    return found


def _streamed(random: Random, truth: Truth) -> Read:
    day, page, items = _page(random)

    def run(client: Client, truth: Truth) -> None:
        right = _right_page(truth, "GetSales", day, page, items)
        with client.publisher.stream.get_sales(
            date=day, date_type=_TRACKED, page=page, items=items
        ) as stream:
            _compare_items(stream, right["sale_items"])

    return Read(f"stream of GetSales {day} page {page} of {items}", run, deadlines=0, retried=False)


def _partnerships(random: Random, truth: Truth) -> Read:
    codes = truth.sandbox.partner_codes(SAMPLE_CONNECT_ID)[:25]
    some = random.sample(codes, random.randint(1, len(codes)))
    return partnerships(some, plain(truth.clean.advertiser.get_partnerships(partner_code=some)))


def partnerships(codes: list[str], right: Plain) -> Read:
    """Return a read of the partnerships with these codes."""
    return _read(
        f"GetPartnerships of {len(codes)} codes",
        lambda one: one.advertiser.get_partnerships(partner_code=codes),
        lambda _: right,
    )


def _program_report(random: Random, truth: Truth) -> Read:
    program, first = truth.sandbox.program_of(SAMPLE_CONNECT_ID), random.randrange(2, 60)
    today = dt.datetime.now(dt.UTC).date()
    days = {"from_date": today - dt.timedelta(days=first), "to_date": today - dt.timedelta(days=1)}
    groups = random.choice(_GROUPS)
    right = plain(truth.clean.advertiser.get_program_report(program_id=program, group_by=groups, **days))

    return _read(
        f"GetProgramReport of {first} days by {' and '.join(str(group) for group in groups)}",
        lambda one: one.advertiser.get_program_report(program_id=program, group_by=groups, **days),
        lambda _: right,
    )


_KINDS: Final = (
    _sales, _sales, _sales, _leads, _sale, _sale, _lead, _profile, _program, _programs, _balance, _all_sales,
    _streamed, _partnerships, _program_report,
)  # fmt: skip
_OF_ADVERTISER: Final = (_partnerships, _program_report)


def draw(random: Random, truth: Truth, services: Container[str]) -> Read:
    """Pick a read of one of these services.

    Its expected result is computed in advance and does not count as time of the call.
    """
    known = [kind for kind in _KINDS if ("advertiser" if kind in _OF_ADVERTISER else "publisher") in services]
    return random.choice(known)(random, truth)


def of_adspace(wanted: AdspaceItem) -> Read:
    """Return a read of an ad space that was just written and that no other thread writes."""
    assert wanted.id is not None
    number, right = wanted.id, plain(wanted)
    return _read(
        f"GetAdspace {number}",
        lambda one: one.publisher.get_adspace(adspace_id=number).adspace_item,
        lambda _: right,
    )
