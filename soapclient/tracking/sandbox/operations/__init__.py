"""What can be called, one handler per operation, known to no protocol.

To add an operation: write `@handles("publisher", "GetLead")` over a function `(Call) -> Payload` in a module
here. The payload is validated against the contract before it is sent.
"""

from __future__ import annotations

from . import account, advertiser, applications, catalogue, jobs, reports
from .registry import Call, handler_of, implemented

__all__ = [
    "Call",
    "account",
    "advertiser",
    "applications",
    "catalogue",
    "handler_of",
    "implemented",
    "jobs",
    "reports",
]
