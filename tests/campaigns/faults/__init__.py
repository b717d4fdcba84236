"""All faults between a client and a service, in families of equal probability."""

from __future__ import annotations

from typing import Final

from . import connection, damage, framing, headers, statuses, wrong_responses
from .kinds import Family, Fault

FAMILIES: Final[tuple[Family, ...]] = tuple(
    family
    for module in (connection, framing, headers, damage, statuses, wrong_responses)
    for family in module.FAMILIES
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
