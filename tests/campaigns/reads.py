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


def _compare(got: object, right: Plain) -> None:
    if (found := difference(plain(got), right)) is not None:
        raise WrongValue(found)


def _compare_items(items: Iterable[object], right: Plain) -> None:
    """Compare items as they arrive, also if an error follows, and check that none is missing at the end."""
    assert isinstance(right, list)
    missing = object()
    for index, (item, one) in enumerate(zip_longest(items, right, fillvalue=missing)):
        if item is missing or one is missing:
            raise WrongValue(f"{'more' if one is missing else 'only'} {index} items, {len(right)} in truth")
        _compare(item, one)


def _page(random: Random) -> tuple[dt.date, int, int]:
    items = random.choice(_ITEMS)
    return _FIRST + dt.timedelta(days=random.randrange(_DAYS)), random.randrange(60 // items), items


def _sales(random: Random, truth: Truth) -> Read:
    day, page, items = _page(random)

    def run(client: Client, truth: Truth) -> None:
        got = client.publisher.get_sales(date=day, date_type=_TRACKED, page=page, items=items)
        _compare(got, truth.of("GetSales", date=midnight(day), dateType=_TRACKED, page=page, items=items))

    return Read(f"GetSales {day} page {page} of {items}", run)


def _leads(random: Random, truth: Truth) -> Read:
    day, page, items = _page(random)

    def run(client: Client, truth: Truth) -> None:
        got = client.publisher.get_leads(date=day, date_type=_TRACKED, page=page, items=items)
        _compare(got, truth.of("GetLeads", date=midnight(day), dateType=_TRACKED, page=page, items=items))

    return Read(f"GetLeads {day} page {page} of {items}", run)


def _one_of(random: Random, truth: Truth, operation: str, list_name: str, **fields: int) -> str:
    day = midnight(_FIRST + dt.timedelta(days=random.randrange(_DAYS)))
    found = truth.of(operation, date=day, dateType=_TRACKED, items=50, **fields)[list_name]
    assert isinstance(found, list)
    return str(random.choice(found)["id"])


def _sale(random: Random, truth: Truth) -> Read:
    number = _one_of(random, truth, "GetSales", "sale_items")

    def run(client: Client, truth: Truth) -> None:
        _compare(client.publisher.get_sale(sale_id=number), truth.of("GetSale", saleId=number))

    return Read(f"GetSale {number}", run)


def _lead(random: Random, truth: Truth) -> Read:
    number = _one_of(random, truth, "GetLeads", "lead_items")

    def run(client: Client, truth: Truth) -> None:
        _compare(client.publisher.get_lead(lead_id=number), truth.of("GetLead", leadId=number))

    return Read(f"GetLead {number}", run)


def _profile(random: Random, truth: Truth) -> Read:
    def run(client: Client, truth: Truth) -> None:
        _compare(client.publisher.get_profile(), truth.of("GetProfile"))

    return Read("GetProfile", run)


def _program(random: Random, truth: Truth) -> Read:
    number = 1801 + random.randrange(300)

    def run(client: Client, truth: Truth) -> None:
        _compare(client.publisher.get_program(program_id=number), truth.of("GetProgram", programId=number))

    return Read(f"GetProgram {number}", run, public=True)


def _programs(random: Random, truth: Truth) -> Read:
    page, items = random.randrange(5), random.choice(_ITEMS)

    def run(client: Client, truth: Truth) -> None:
        got = client.publisher.search_programs(page=page, items=items)
        _compare(got, truth.of("SearchPrograms", page=page, items=items))

    return Read(f"SearchPrograms page {page} of {items}", run, public=True)


def _balance(random: Random, truth: Truth) -> Read:
    def run(client: Client, truth: Truth) -> None:
        _compare(client.publisher.get_balances(), truth.of("GetBalances"))

    return Read("GetBalances", run)


def _all_sales(random: Random, truth: Truth) -> Read:
    day, items = _FIRST + dt.timedelta(days=random.randrange(_DAYS)), random.choice((25, 50))

    def run(client: Client, truth: Truth) -> None:
        pages = client.publisher.iterate.get_sales(date=day, date_type=_TRACKED, items=items)
        _compare_items(pages, _sales_of(truth, day))

    return Read(f"all pages of GetSales {day}", run, deadlines=_LONGEST // items + 1)


def _sales_of(truth: Truth, day: dt.date) -> Plain:
    found: list[Plain] = []
    for page in range(_LONGEST // 50):
        answer = truth.of("GetSales", date=midnight(day), dateType=_TRACKED, page=page, items=50)
        items = answer["sale_items"]
        assert isinstance(items, list)
        found += items
    return found


def _streamed(random: Random, truth: Truth) -> Read:
    day, page, items = _page(random)

    def run(client: Client, truth: Truth) -> None:
        right = truth.of("GetSales", date=midnight(day), dateType=_TRACKED, page=page, items=items)
        with client.publisher.stream.get_sales(
            date=day, date_type=_TRACKED, page=page, items=items
        ) as stream:
            _compare_items(stream, right["sale_items"])

    return Read(f"stream of GetSales {day} page {page} of {items}", run, deadlines=0, retried=False)


def _partnerships(random: Random, truth: Truth) -> Read:
    codes = truth.sandbox.partner_codes(SAMPLE_CONNECT_ID)[:25]
    some = random.sample(codes, random.randint(1, len(codes)))
    right = plain(truth.clean.advertiser.get_partnerships(partner_code=some))

    def run(client: Client, truth: Truth) -> None:
        _compare(client.advertiser.get_partnerships(partner_code=some), right)

    return Read(f"GetPartnerships of {len(some)} codes", run)


def _program_report(random: Random, truth: Truth) -> Read:
    program, first = truth.sandbox.program_of(SAMPLE_CONNECT_ID), random.randrange(2, 60)
    today = dt.datetime.now(dt.UTC).date()
    days = {"from_date": today - dt.timedelta(days=first), "to_date": today - dt.timedelta(days=1)}
    groups = random.choice(_GROUPS)
    right = plain(truth.clean.advertiser.get_program_report(program_id=program, group_by=groups, **days))

    def run(client: Client, truth: Truth) -> None:
        got = client.advertiser.get_program_report(program_id=program, group_by=groups, **days)
        _compare(got, right)

    what = f"GetProgramReport of {first} days by {' and '.join(str(group) for group in groups)}"
    return Read(what, run)


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

    def run(client: Client, truth: Truth) -> None:
        _compare(client.publisher.get_adspace(adspace_id=number).adspace_item, right)

    return Read(f"GetAdspace {number}", run)
