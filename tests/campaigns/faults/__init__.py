"""All that can go wrong between a client and a service, in families that are equally likely."""

from __future__ import annotations

from typing import Final

from . import connection, damage, framing, headers, parts, statuses, wrong_answers
from .kinds import Family, Fault

FAMILIES: Final[tuple[Family, ...]] = (
    connection.RESETS,
    connection.ENDS,
    connection.STALLS,
    connection.DRIPS,
    framing.TRUNCATIONS,
    framing.LENGTHS,
    framing.CHUNKS,
    framing.UNUSUAL,
    framing.SURPLUS,
    headers.HEADS,
    headers.TIMES,
    headers.REDIRECTS,
    headers.BODILESS,
    headers.INTERIM,
    damage.CORRUPTIONS,
    damage.DOUBLES,
    damage.CHARSETS,
    damage.GZIP,
    statuses.SURE,
    statuses.DOUBTFUL,
    wrong_answers.PAGES,
    wrong_answers.EMPTY,
    wrong_answers.FAULTS,
    wrong_answers.OTHERS,
    wrong_answers.NAMELESS,
    parts.PARTS,
)
ALL: Final = {fault.name: fault for family in FAMILIES for fault in family}

__all__ = ["ALL", "FAMILIES", "Family", "Fault"]
