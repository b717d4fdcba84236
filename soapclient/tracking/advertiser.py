"""The client's Advertiser service. It resolves partner codes in batches, and validates report dates."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from soapclient.auth.credentials import is_visible_ascii
from soapclient.calling.engine import Engine
from soapclient.errors import ConfigError, ContractError, SoapClientError
from soapclient.runtime import Kept, KeptValue
from soapclient.runtime.errors import INVALID, REQUIRED
from soapclient.tracking.settings import Settings
from zxws.advertiser.service import PACKAGE, AdvertiserService
from zxws.advertiser.types import (
    AggregatedReport,
    GroupBy,
    GroupByValue,
    PartnerCodeError,
    Partnership,
    PublicPartnership,
)

__all__ = ["Advertiser", "PartnerCodeResults", "ProgramReport"]

ItemT = TypeVar("ItemT", bound="_Coded")
ItemT_co = TypeVar("ItemT_co", covariant=True)


@dataclass(slots=True)
class PartnerCodeResults(Generic[ItemT]):
    """The results for requested partner codes. A code names a publisher's ad space and an ad medium.

    - `found` are the items for known codes, in the order of the request.
    - `errors` are errors of the service. `partner_code` of an error is the code that it is about; None if the
      service does not name one.
    - `missing` are the requested codes for which there is neither an item nor an error.
    - `unknown` are response fields that are not in the contract. If several responses have the same unknown
      field, `unknown` has its last value.

    >>> from soapclient import Client
    >>> with Client() as client:
    ...     partners = client.advertiser.partnerships(["18260023C21826000", "18260190C21826000T"])
    >>> len(partners.found), partners.errors, partners.missing
    (2, [], [])
    """

    found: list[ItemT]
    errors: list[PartnerCodeError]
    unknown: Kept
    missing: list[str] = field(default_factory=list)

    def __iter__(self) -> Iterator[ItemT]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)


@dataclass(slots=True)
class ProgramReport:
    """The rows of a program report. `unknown` are fields of the response that are not in the contract.

    >>> import datetime as dt
    >>> from soapclient import Client
    >>> with Client() as client:
    ...     report = client.advertiser.program_report(
    ...         1826, from_date=dt.date(2026, 11, 1), to_date=dt.date(2026, 11, 2)
    ...     )
    >>> len(report.rows) > 0
    True
    """

    rows: list[AggregatedReport]
    unknown: Kept

    def __iter__(self) -> Iterator[AggregatedReport]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)


class _Coded(Protocol):
    @property
    def partner_code(self) -> str: ...


class _Response(Protocol[ItemT_co]):
    @property
    def partner_code_list(self) -> Sequence[ItemT_co] | None: ...
    @property
    def error_list(self) -> list[PartnerCodeError] | None: ...
    @property
    def unknown(self) -> Mapping[str, KeptValue]: ...


class Advertiser(AdvertiserService):
    """The Advertiser service: generated methods (`get_…`) for its operations, and convenience methods.

    >>> from soapclient import Client
    >>> with Client() as client:
    ...     partners = client.advertiser.partnerships(["18260023C21826000"])
    >>> len(partners)
    1
    """

    def __init__(self, engine: Engine[Settings]) -> None:
        super().__init__(engine)
        self.engine = engine

    def partnerships(self, codes: Iterable[str] | None = None) -> PartnerCodeResults[Partnership]:
        """Return publisher, ad space and ad medium for any number of partner codes.

        `codes` defaults to the setting `advertiser_partner_codes`. Each request has up to 25 codes;
        duplicates are sent once. Codes that the service does not know are in `errors`, codes that its
        responses leave out are in `missing`. Raises ContractError if a code is invalid or there are no codes.
        If a request fails, the raised error has the results of the earlier requests as `partial`, a
        PartnerCodeResults.
        """
        return self._resolve(codes, lambda some: self.get_partnerships(partner_code=some))

    def public_partnerships(
        self, codes: Iterable[str] | None = None
    ) -> PartnerCodeResults[PublicPartnership]:
        """Return the ids of publisher and ad space for partner codes. The requests are not signed.

        See `partnerships` for the arguments and errors.
        """
        return self._resolve(codes, lambda some: self.get_public_partnerships(partner_code=some))

    def program_report(
        self,
        program_id: int,
        *,
        from_date: dt.date,
        to_date: dt.date,
        group_by: GroupBy | GroupByValue | Sequence[GroupBy | GroupByValue] | None = None,
    ) -> ProgramReport:
        """Return the report of a program for the days from `from_date` up to, but not including, `to_date`.

        `group_by` is one or several of day (the service's default), month, adspace and admedium. Day and
        month exclude each other. Raises ContractError, before anything is sent, for a date more than 90 days
        ago, dates in the wrong order, or groups that exclude each other.
        """
        groups = [group_by] if isinstance(group_by, str) else list(dict.fromkeys(group_by or ()))
        self._check_report(from_date, to_date, [str(group) for group in groups])
        response = self.get_program_report(
            program_id=program_id, from_date=from_date, to_date=to_date, group_by=groups
        )
        return ProgramReport(response.aggregated_report_list or [], response.unknown)

    def _resolve(
        self, codes: Iterable[str] | None, ask: Callable[[list[str]], _Response[ItemT]]
    ) -> PartnerCodeResults[ItemT]:
        resolved: PartnerCodeResults[ItemT] = PartnerCodeResults([], [], {})
        wanted = self._codes(codes)
        most = PACKAGE.settings.batch.most if PACKAGE.settings.batch is not None else len(wanted)
        try:
            for start in range(0, len(wanted), most):
                response = ask(wanted[start : start + most])
                resolved.found += response.partner_code_list or ()
                resolved.errors += response.error_list or ()
                resolved.unknown |= response.unknown
        except SoapClientError as error:
            error.partial = _complete(resolved, wanted)
            raise
        return _complete(resolved, wanted)

    def _codes(self, codes: Iterable[str] | None) -> list[str]:
        values = self.engine.settings.advertiser_partner_codes if codes is None else codes
        if isinstance(values, str | bytes) or not isinstance(values, Iterable):
            raise ContractError("codes", codes, "a list of partner codes", INVALID)
        wanted = list(values)
        for at, code in enumerate(wanted, 1):  # check all codes before sending the first request
            if not isinstance(code, str) or not code or not is_visible_ascii(code) or "," in code:
                allowed = "a partner code of visible ASCII characters without commas and spaces"
                raise ContractError(f"codes[{at}]", code, allowed, INVALID)
        if not wanted:
            allowed = "pass at least one partner code, or set advertiser_partner_codes"
            raise ContractError("codes", None, allowed, REQUIRED)
        return list(dict.fromkeys(wanted))

    def _check_report(self, first: dt.date, end: dt.date, groups: list[str]) -> None:
        window = PACKAGE.settings.window
        for name, day in (("from_date", first), ("to_date", end)):
            if not isinstance(day, dt.date) or isinstance(day, dt.datetime):
                raise ContractError(name, day, "a date such as datetime.date(2026, 11, 1)", INVALID)
        if window is None:
            raise ConfigError(
                "contract",
                "the advertiser contract has no table `window`",
                "Add it to contracts.toml and generate the bindings again",
            )
        today = self.engine.clock.now().astimezone(self.engine.settings.report_tzinfo()).date()
        earliest = today - dt.timedelta(days=window.days_back)
        if first < earliest:
            reason = f"reports go back at most {window.days_back} days"
            raise ContractError("from_date", first, f"{earliest} or later", reason)
        if end <= first:
            reason = "it must be after from_date, because the report excludes to_date"
            raise ContractError("to_date", end, f"a day after {first}", reason)
        if len(set(groups) & set(window.apart)) > 1:
            apart = " and ".join(window.apart)
            raise ContractError("group_by", groups, f"only one of {apart}", f"{apart} cannot be combined")


def _complete(resolved: PartnerCodeResults[ItemT], wanted: Sequence[str]) -> PartnerCodeResults[ItemT]:
    """Complete the results `resolved` of the requested codes `wanted`, and return them.

    Sorts `found` in the order of the requested codes. Sets `missing` to the codes that have neither an item
    nor an error.
    """
    places = {code: place for place, code in enumerate(wanted)}
    resolved.found.sort(key=lambda item: places.get(item.partner_code, len(places)))
    answered = {item.partner_code for item in resolved.found} | {
        error.partner_code for error in resolved.errors
    }
    resolved.missing = [code for code in wanted if code not in answered]
    return resolved
