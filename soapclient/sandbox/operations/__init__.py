"""What can be called, one handler per operation, known to no carrier.

To add an operation: write `@handles("publisher", "GetLead")` over a function `(Call) -> Tree` in a module
here, and name the module below. The tree is checked against the contract before it is sent.
"""

from __future__ import annotations

from . import accounts, jobs, programs, reports, traffic
from .registry import Call, handler_of, implemented

__all__ = ["Call", "accounts", "handler_of", "implemented", "jobs", "programs", "reports", "traffic"]
