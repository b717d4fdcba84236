"""How calls to a service of any WSDL are made: limits, checks, what may be repeated, TLS."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final, Literal

from soapclient.config.settings import FLAG, PATH, USER_AGENT, InvalidValue, Kind, choice, integer, seconds
from soapclient.errors import ConfigError
from soapclient.redaction import shown

_GIB: Final = 2**30


def _check_verify(value: object) -> object:
    return value if isinstance(value, bool) else PATH.check(value)


def _check_certificate(value: object) -> object:
    if isinstance(value, tuple) and len(value) == 2:
        return tuple(PATH.check(each) for each in value)
    return _check_path_or_none(value)


def _check_path_or_none(value: object) -> object:
    return None if value is None else PATH.check(value)


def _check_zone(value: object) -> object:
    if not (value is None or isinstance(value, dt.tzinfo)):
        raise InvalidValue("is no tzinfo")
    return value


_KINDS: Final[dict[str, Kind]] = {
    "timeout": seconds(),
    "connect_timeout": seconds(),
    "attempts": integer(1, 20),
    "max_response_bytes": integer(1, 2**50),
    "validate": choice("requests", "all", "off"),
    "allow_http": FLAG,
    "user_agent": USER_AGENT,
    "drift": choice("tolerate", "warn", "error"),
    "verify": Kind("true, false, or the path of a bundle of certificates", _check_verify),
    "certificate": Kind("None, the path of a file, or those of certificate and key", _check_certificate),
    "naive_zone": Kind("None, or a tzinfo such as zoneinfo.ZoneInfo gives", _check_zone),
    "drift_log": Kind("None, or the path of a file", _check_path_or_none),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceSettings:
    """Each checked on construction; ConfigError names the setting and what is allowed.

    `timeout` is for one call with all its attempts, `connect_timeout` for one connection, in seconds.
    `max_response_bytes`: the longest response that is read, decompressed. `validate`: what is checked against
    the packaged schemas. `safe`: operations, by their WSDL names, that may be repeated without harm; these
    alone are tried again, up to `attempts` times. `verify` and `certificate` are those of requests: whether,
    or by which bundle of certificates, the service's is checked, and the client's own (a file, or certificate
    and key). `allow_http`: an address without TLS may be called on other machines, too. `naive_zone`: the
    zone of date-times that come without one; None leaves them as they are. `drift`: what a response that
    departs from the WSDL leads to, a ContractDrift where it is "error", and `drift_log` the file where
    drift findings are kept, which `soapclient drift` sums up.
    """

    timeout: float = 60.0
    connect_timeout: float = 10.0
    attempts: int = 4
    max_response_bytes: int = _GIB
    validate: Literal["requests", "all", "off"] = "requests"
    safe: Collection[str] = frozenset()
    verify: bool | str = True
    certificate: str | tuple[str, str] | None = None
    allow_http: bool = False
    naive_zone: dt.tzinfo | None = dt.UTC
    user_agent: str = ""
    drift: Literal["tolerate", "warn", "error"] = "warn"
    drift_log: str | os.PathLike[str] | None = None

    def __post_init__(self) -> None:
        for name, kind in _KINDS.items():
            try:
                object.__setattr__(self, name, kind.check(getattr(self, name)))
            except ValueError as refusal:
                problem = kind.problem(getattr(self, name), refusal)
                raise ConfigError(name, problem, "Give another to ServiceSettings") from None
        listed = isinstance(self.safe, Collection) and not isinstance(self.safe, str)
        if not listed or not all(isinstance(name, str) for name in self.safe):
            raise ConfigError(
                "safe", f"{shown(self.safe)} is no set of operations", 'Give a set: safe={"GetThing"}'
            )
        object.__setattr__(self, "safe", frozenset(self.safe))
