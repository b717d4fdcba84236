"""The Advertiser service as the client offers it: partner codes by the hundred, and checked report dates."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from soapclient.auth.credentials import is_visible_ascii
from soapclient.calling.carrier import Carrier
from soapclient.contract import Contract
from soapclient.errors import ConfigError, ContractError
from soapclient.forks import lazy
from soapclient.runtime import Kept, KeptValue
from zxws.advertiser.service import PACKAGE, AdvertiserService, AdvertiserServiceStreams
from zxws.advertiser.types import (
    AggregatedReport,
    GroupBy,
    GroupByValue,
    PartnerCodeError,
    Partnership,
    PublicPartnership,
)

CONTRACT = Contract(PACKAGE.settings, PACKAGE.operations)
ItemT = TypeVar("ItemT", bound="_Coded")
ItemT_co = TypeVar("ItemT_co", covariant=True)


@dataclass(slots=True)
class Resolved(Generic[ItemT]):
    """What partner codes stand for: `found` in the order they were asked for, `errors` for the others.

    `unknown` is what answers held beside these without being in the contract; of two answers that name the
    same, the later one's.
    """

    found: list[ItemT]
    errors: list[PartnerCodeError]
    unknown: Kept

    def __iter__(self) -> Iterator[ItemT]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)


@dataclass(slots=True)
class ProgramReport:
    """The groups of a program report. `unknown` is what the answer held beside them."""

    rows: list[AggregatedReport]
    unknown: Kept

    def __iter__(self) -> Iterator[AggregatedReport]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)


class _Coded(Protocol):
    @property
    def partner_code(self) -> str: ...


class _Answer(Protocol[ItemT_co]):
    @property
    def partner_code_list(self) -> Sequence[ItemT_co] | None: ...
    @property
    def error_list(self) -> list[PartnerCodeError] | None: ...
    @property
    def unknown(self) -> Mapping[str, KeptValue]: ...


class Advertiser(AdvertiserService):
    """The three operations, by their generated methods (`get_…`) and by the plainer ones here."""

    def __init__(self, engine: Carrier) -> None:
        super().__init__(engine)
        self.engine = engine

    @lazy
    def stream(self) -> AdvertiserServiceStreams:
        """The report again, a context manager that gives its rows one by one."""
        return AdvertiserServiceStreams(self.engine)

    def partnerships(self, codes: Iterable[str] | None = None) -> Resolved[Partnership]:
        """Publisher, ad space and ad medium of partner codes (service.md 2.1), any number of them.

        A code is asked for once, however often it is given; 25 go into one request (service.md 8). By default
        the codes of the configuration (`advertiser_partner_codes`). A code the service does not know comes
        back among `errors`. Raises ContractError for no codes, or one that is no text.
        """
        return self._resolved(codes, lambda some: self.get_partnerships(partner_code=some))

    def public_partnerships(self, codes: Iterable[str] | None = None) -> Resolved[PublicPartnership]:
        """The publisher's and the ad space's id of partner codes; else as `partnerships`. Not signed."""
        return self._resolved(codes, lambda some: self.get_public_partnerships(partner_code=some))

    def program_report(
        self,
        program_id: int,
        *,
        from_date: dt.date,
        to_date: dt.date,
        group_by: GroupBy | GroupByValue | Sequence[GroupBy | GroupByValue] | None = None,
    ) -> ProgramReport:
        """What was tracked for a program from `from_date` up to, but not including, `to_date`.

        `group_by` is one of day (the service's default), month, adspace, admedium, or several of them; day
        and month exclude each other. Raises ContractError, with nothing sent, for days more than 90 back,
        days in the wrong order, or groups that do not go together (record.md 7).
        """
        groups = [group_by] if isinstance(group_by, str) else list(dict.fromkeys(group_by or ()))
        self._check_report(from_date, to_date, [str(group) for group in groups])
        reply = self.get_program_report(
            program_id=program_id, from_date=from_date, to_date=to_date, group_by=groups
        )
        return ProgramReport(reply.aggregated_report_list or [], reply.unknown)

    def _resolved(
        self, codes: Iterable[str] | None, ask: Callable[[list[str]], _Answer[ItemT]]
    ) -> Resolved[ItemT]:
        resolved: Resolved[ItemT] = Resolved([], [], {})
        wanted = self._codes(codes)
        most = PACKAGE.settings.batch.most if PACKAGE.settings.batch is not None else len(wanted)
        for at in range(0, len(wanted), most):
            answer = ask(wanted[at : at + most])
            resolved.found += answer.partner_code_list or ()
            resolved.errors += answer.error_list or ()
            resolved.unknown |= answer.unknown
        places = {code: at for at, code in enumerate(wanted)}
        resolved.found.sort(key=lambda item: places.get(item.partner_code, len(places)))
        return resolved

    def _codes(self, codes: Iterable[str] | None) -> list[str]:
        given = self.engine.config.advertiser_partner_codes if codes is None else codes
        if isinstance(given, str | bytes) or not isinstance(given, Iterable):
            raise ContractError("codes", codes, "a list of partner codes", "it is no list")
        wanted = list(given)
        for at, code in enumerate(wanted, 1):  # all of them, before the first is sent
            if not isinstance(code, str) or not code or not is_visible_ascii(code) or "," in code:
                allowed = "a partner code: visible ASCII characters without commas and spaces"
                raise ContractError(f"codes[{at}]", code, allowed, "it cannot be one of several in a request")
        if not wanted:
            reason = "there is nothing to ask for (setting advertiser_partner_codes gives the default)"
            raise ContractError("codes", None, "at least one partner code", reason)
        return list(dict.fromkeys(wanted))

    def _check_report(self, first: dt.date, end: dt.date, groups: list[str]) -> None:
        window = PACKAGE.settings.window
        for name, day in (("from_date", first), ("to_date", end)):
            if not isinstance(day, dt.date) or isinstance(day, dt.datetime):
                raise ContractError(name, day, "a datetime.date", "it is a day")
        if window is None:
            raise ConfigError("window", "the advertiser contract has no such table", "contracts.toml")
        today = self.engine.clock.now().astimezone(self.engine.config.report_tzinfo()).date()
        earliest = today - dt.timedelta(days=window.days_back)
        if first < earliest:
            reason = f"the report goes back {window.days_back} days"
            raise ContractError("from_date", first, f"{earliest} or later", reason)
        if end <= first:
            reason = "the report ends before it begins: its last day is not included"
            raise ContractError("to_date", end, f"a day after {first}", reason)
        if len(set(groups) & set(window.apart)) > 1:
            apart = " and ".join(window.apart)
            raise ContractError("group_by", groups, f"one of {apart}", f"{apart} exclude each other")
