"""All faults between a client and a service, in families of equal probability."""

from __future__ import annotations

from typing import Final

from . import connection, damage, framing, headers, parts, statuses, wrong_responses
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
    framing.LATE,
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
    statuses.REFUSALS,
    statuses.DOUBTFUL,
    statuses.ANSWERED_ONCE,
    statuses.ANSWERED_FOR_GOOD,
    wrong_responses.PAGES,
    wrong_responses.EMPTY,
    wrong_responses.FAULTS,
    wrong_responses.OTHERS,
    wrong_responses.NAMELESS,
    parts.PARTS,
)
ALL: Final = {fault.name: fault for family in FAMILIES for fault in family}
# After these faults a client does not retry: the resource moved, or the error is permanent.
FINAL: Final = frozenset(
    fault.name
    for family in (statuses.REFUSALS, statuses.ANSWERED_FOR_GOOD, headers.REDIRECTS, headers.BODILESS)
    for fault in family
)
# The service processed the request, but a gateway sent its own response.
BY_A_GATEWAY: Final = frozenset(
    fault.name for family in (statuses.ANSWERED_ONCE, statuses.ANSWERED_FOR_GOOD) for fault in family
)

__all__ = ["ALL", "BY_A_GATEWAY", "FAMILIES", "FINAL", "Family", "Fault"]
