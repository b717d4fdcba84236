"""Views of an engine: the same connections and counts, other options of calls."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, NoReturn, Self, Unpack

from soapclient.calling.loop import CallOptions, Loop
from soapclient.drift import Drift
from soapclient.errors import ConfigError
from soapclient.runtime.service import OptionArguments

if TYPE_CHECKING:
    import requests


class Viewed:
    """An engine, or a view of it."""

    loop: Loop
    drift: Drift
    session: requests.Session
    _origin: Self | None = None  # the engine that this is a view of

    @property
    def is_view(self) -> bool:
        """Whether another engine owns what this one shares."""
        return self._origin is not None

    def with_options(self, **options: Unpack[OptionArguments]) -> Self:
        """Return a view whose calls have these options, next to those of this engine. Raises ConfigError."""
        return self.view(self.loop.options.changed(**options))

    def view(self, options: CallOptions) -> Self:
        """Return a view whose calls have other options; connections and counts are shared."""
        view = copy.copy(self)
        view.loop = self.loop.with_options(options)
        view._origin = self._origin or self
        return view

    def close(self) -> None:
        """Close the connections, write what is not yet in the drift log; later calls raise ClientClosed. Of a
        view: nothing."""
        if self._origin is None:
            self.loop.close()
            self.session.close()
            self.drift.flush()

    def refuse(self, name: str, service: str) -> NoReturn:
        """Raise ConfigError: a service has no operations for `stream` or `iterate`."""
        refuse_lists(name, service)


def refuse_lists(name: str, service: str) -> NoReturn:
    """Raise ConfigError: a service has no operations for `stream` or `iterate`."""
    advice = "Call its methods. If it has lists, generate the package anew: `bindgen init`"
    raise ConfigError(name, f"{service} has no such operations", advice)
