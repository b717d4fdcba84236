"""The operations of the sandbox: one handler for each operation, the same for SOAP and REST.

To add an operation, decorate a function `(Call) -> Payload` in a module of this package with, for example,
`@handles("publisher", "GetLead")`. The payload is the response as a dict (names of the contract → values). It
is validated against the contract before it is sent.
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
