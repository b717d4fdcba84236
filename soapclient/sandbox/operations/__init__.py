"""What can be called, one handler per operation, known to no carrier.

To add an operation: write `@handles("publisher", "GetLead")` over a function `(Call) -> Tree` in a module
here, and name the module below. The tree is checked against the contract before it is sent.
"""

from __future__ import annotations

from . import (
    admedia,
    adspaces,
    advertiser,
    applications,
    incentives,
    jobs,
    media_slots,
    payments,
    product_categories,
    products,
    profile,
    program_applications,
    programs,
    reports,
    settings,
    traffic,
)
from .registry import Call, handler_of, implemented

__all__ = [
    "Call",
    "admedia",
    "adspaces",
    "advertiser",
    "applications",
    "handler_of",
    "implemented",
    "incentives",
    "jobs",
    "media_slots",
    "payments",
    "product_categories",
    "products",
    "profile",
    "program_applications",
    "programs",
    "reports",
    "settings",
    "traffic",
]
