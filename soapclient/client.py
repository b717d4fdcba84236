"""The client: one object for all services, each made when it is first used."""

from __future__ import annotations

import random as system_random
from collections.abc import Callable
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING

from soapclient.clock import Clock, NonceSource, SystemClock, fresh_nonce
from soapclient.config import Config
from soapclient.drift import Drift, OnFinding

if TYPE_CHECKING:
    from soapclient.data import Data
    from soapclient.publisher import Publisher
    from soapclient.soap.contract import Contract
    from soapclient.soap.engine import Engine


class Client:
    """The services of one account. Threads may share it; close it, or use it with `with`.

    `config` is by default what the environment and the file that SOAPCLIENT_CONFIG names say.
    `on_finding(operation, finding, times)` hears of everything a reply holds beyond the contract; `drift`
    counts it. `clock`, `nonce_source` and `random` (0 to 1, for back-off) are for tests. A service without an
    address is a ConfigError when it is first used.
    """

    def __init__(
        self,
        config: Config | None = None,
        *,
        on_finding: OnFinding | None = None,
        clock: Clock | None = None,
        nonce_source: NonceSource = fresh_nonce,
        random: Callable[[], float] = system_random.random,
    ) -> None:
        self.config = Config.load() if config is None else config
        self.drift = Drift(on_finding)
        self._clock = SystemClock() if clock is None else clock
        self._nonce_source = nonce_source
        self._random = random
        self._engines: list[Engine] = []

    @cached_property
    def publisher(self) -> Publisher:
        """The Publisher service (2011-03-01)."""
        from soapclient.publisher import CONTRACT, Publisher

        return Publisher(self._engine(CONTRACT))

    @cached_property
    def data(self) -> Data:
        """The Data export service (2011-05-01)."""
        from soapclient.data import CONTRACT, Data

        return Data(self._engine(CONTRACT))

    def close(self) -> None:
        """Close all connections."""
        for engine in self._engines:
            engine.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _engine(self, contract: Contract) -> Engine:
        from soapclient.soap.engine import Engine

        engine = Engine(
            contract,
            self.config,
            clock=self._clock,
            nonce_source=self._nonce_source,
            random=self._random,
            drift=self.drift,
        )
        self._engines.append(engine)
        return engine
