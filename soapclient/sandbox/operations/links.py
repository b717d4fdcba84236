"""Whom tracking links are made for: the caller's ad spaces that the program has confirmed as partners.

`adspaceId` asks for the links of that ad space alone. It does not choose entries: an ad medium, product or
incentive is shown without links where there is no partnership, and applying to the program brings them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from .registry import Call

_LINK = re.compile(r"https?://track\.example\.org/click/\?(\d{1,9})C(\d{1,10})T(?:&v=[12])?", re.ASCII)

Partners = Callable[[int], tuple[int, ...]]


def partners(call: Call) -> Partners:
    """By program id: the ad spaces to give links for. An `adspaceId` that is not the caller's gives none."""
    account = call.holdings.account
    asked = call.fields.number("adspaceId")
    there = {one.id for one in account.adspaces.all() if asked in (None, one.id)}
    confirmed: Mapping[int, tuple[int, ...]] = account.program_applications.confirmed()
    return lambda program_id: tuple(one for one in confirmed.get(program_id, ()) if one in there)


def admedium_of(link: str) -> int | None:
    """The ad medium that a tracking link, of any account, belongs to; None if it is no such link."""
    found = _LINK.fullmatch(link.strip())
    return None if found is None else int(found[1])
