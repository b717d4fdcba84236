"""The table of handlers, and what a handler is given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from ..data.store import Holdings, Store
from ..exports.jobs import Jobs
from ..trees import Fields, Tree


@dataclass(frozen=True)
class Call:
    """One request after carrier and verification are done with it.

    `rest_url` is where REST paths begin. `now` is the sandbox's time, aware; changes are dated by it.
    """

    fields: Fields
    connect_id: str
    store: Store
    jobs: Jobs
    rest_url: str
    now: datetime

    @cached_property
    def holdings(self) -> Holdings:
        """The account that asks, and its traffic as it is to be seen now."""
        return self.store.of(self.connect_id).at(self.now)


Handler = Callable[[Call], Tree]
_HANDLERS: dict[tuple[str, str], Handler] = {}


def handles(contract: str, operation: str) -> Callable[[Handler], Handler]:
    """Register the decorated function as the operation's handler."""

    def register(handler: Handler) -> Handler:
        if (contract, operation) in _HANDLERS:
            raise ValueError(f"{contract} {operation} has a handler already")
        _HANDLERS[contract, operation] = handler
        return handler

    return register


def handler_of(contract: str, operation: str) -> Handler | None:
    """The handler, or None where the operation is not implemented yet."""
    return _HANDLERS.get((contract, operation))


def implemented(contract: str) -> frozenset[str]:
    """The operations of a contract that have a handler, also what REST alone has (GetSaleBasket)."""
    return frozenset(operation for name, operation in _HANDLERS if name == contract)
