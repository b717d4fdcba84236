"""The calls of the demonstration: reading, paging, writing, and two mistakes."""

from __future__ import annotations

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from soapclient import Client
from soapclient.cli.demonstration.chapters import chapter, more
from soapclient.cli.failures import Failure
from soapclient.errors import AuthenticationError, ContractError
from zxws.publisher.types import AdspaceItem, AdspaceType

_PAGE: Final = 25


def profile(client: Client) -> None:
    """Who are we?"""
    with chapter("profile") as say:
        item = client.publisher.get_profile().profile_item
        if item is None:
            raise Failure("the account has no profile")
        say(f"GetProfile: {item.login_name}, {item.company}, paid in {item.currency}")


def programs(client: Client) -> None:
    """Search."""
    with chapter("programs") as say:
        found = client.publisher.search_programs(query="fashion", items=1)
        names = ", ".join(f"{program.name} ({program.id})" for program in found.program_items or [])
        say(f"SearchPrograms: {found.total} for fashion; {names} …")


def sales(client: Client, day: dt.date) -> None:
    """Page through the sales of a day; sums are exact, one per currency."""
    counts: Counter[str] = Counter()
    amounts: defaultdict[str, Decimal] = defaultdict(Decimal)
    commissions: defaultdict[str, Decimal] = defaultdict(Decimal)
    with chapter("sales") as say:
        items = client.publisher.iterate.get_sales(date=day, date_type="trackingDate", items=_PAGE)
        for sale in items:
            counts[sale.currency] += 1
            amounts[sale.currency] += sale.amount
            commissions[sale.currency] += sale.commission
        say(f"GetSales: {counts.total()} on {day}, {items.page} pages, summed as exact decimals:")
    for currency in sorted(counts):
        more(
            f"{currency} {counts[currency]:>3} sales  amount {amounts[currency]:>10,}  "
            f"commission {commissions[currency]:>8,}"
        )


def rest(client: Client, resting: Client, day: dt.date) -> None:
    """The same over the other protocol."""
    with chapter("REST") as say:
        over_soap, over_rest = (
            list(one.publisher.iterate.get_sales(date=day, date_type="trackingDate"))
            for one in (client, resting)
        )
        if over_soap != over_rest:
            raise Failure("SOAP and REST returned different values")
        say(f"GET /reports/sales/date/{day}, JSON: the same {len(over_rest)} sales, equal in every field")


def advertiser(client: Client, codes: Sequence[str]) -> None:
    """The interface that only REST has."""
    with chapter("partners") as say:
        resolved = client.advertiser.partnerships([*codes, "000C000"])
        own = sum(one.user_name is not None for one in resolved)
        say(f"GET /member/partnership: {len(resolved)} codes, {own} of our own program,")
        say(f"{len(resolved.errors)} unknown")


def adspace(client: Client) -> None:
    """Write: make an ad space and take it away again."""
    wish = AdspaceItem(
        name="Demo",
        url="https://demo.example.org/",
        description="Made by soapclient demo",
        adspace_type=AdspaceType.WEBSITE,
        visitors=1000,
        impressions=5000,
        language="en",
        check_number=1234,
    )
    with chapter("ad space") as say:
        made = client.publisher.create_adspace(adspace_item=wish).adspace_item
        if made.id is None:
            raise Failure("the ad space that was made has no number")
        gone = client.publisher.delete_adspace(adspace_id=made.id).count
        say(f"CreateAdspace: number {made.id}; DeleteAdspace: {gone} deleted")


def mistake(client: Client, day: dt.date) -> None:
    """A value that the contract does not have, which the type checker would have found as well."""
    with chapter("mistake") as say:
        try:
            # that is the point
            client.publisher.get_sales(date=day, date_type="clicked")  # type: ignore[arg-type]
        except ContractError as error:
            say(f"dateType={error.value} was refused before anything was sent; mypy sees it, too")
        else:
            raise Failure("a value that the contract does not have was sent")


def wrong_key(stranger: Client) -> None:
    """A signature that is not ours."""
    with chapter("wrong key") as say:
        try:
            stranger.publisher.get_profile()
        except AuthenticationError as error:
            say(f"a call signed with another key was refused by the sandbox: fault {error.code}")
        else:
            raise Failure("a wrong signature was accepted")
