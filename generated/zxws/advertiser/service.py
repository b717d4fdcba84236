# Made by `bindgen generate advertiser`. Do not edit: change the contract, run it again.
# contract: advertiser/2015-03-01/advertiser.xsd
# its sha256: 3b49b31705621ff6dad3e80cf6feedc49efc66d89d4b85bda561c7bfb93df91d
# sha256 of its settings in contracts.toml: f39e85e60a78586ce4fffa54bfaeedb74d2a4accbeb5eac3dc6d2669dc2c1f50
"""The operations of advertiser 2015-03-01."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from soapclient.runtime.asynchronous import AsyncCaller, awaited, streamed_async
from soapclient.runtime.operations import ListOperation, Operation, StreamCaller, streamed
from soapclient.runtime.package import Package, package
from soapclient.runtime.record import copied
from soapclient.runtime.service import AsyncService, Service

if TYPE_CHECKING:
    from .types import (
        AggregatedReport,
        GetPartnershipsRequest,
        GetPartnershipsResponse,
        GetProgramReportRequest,
        GetProgramReportResponse,
        GetPublicPartnershipsRequest,
        GetPublicPartnershipsResponse,
        GroupBy,
        GroupByValue,
    )

PACKAGE = package(__name__.rpartition(".")[0])

GET_PARTNERSHIPS: Operation[GetPartnershipsRequest, GetPartnershipsResponse] = PACKAGE.operation(
    "GetPartnerships"
)
GET_PUBLIC_PARTNERSHIPS: Operation[GetPublicPartnershipsRequest, GetPublicPartnershipsResponse] = (
    PACKAGE.operation("GetPublicPartnerships")
)
GET_PROGRAM_REPORT: ListOperation[GetProgramReportRequest, GetProgramReportResponse, AggregatedReport] = (
    PACKAGE.list_operation("GetProgramReport")
)


class AdvertiserService(Service):
    """The operations of advertiser, as methods. They raise the errors in `soapclient.errors`."""

    PACKAGE: ClassVar[Package] = PACKAGE
    PORT_TYPE: ClassVar[str] = ""

    def get_partnerships(
        self,
        *,
        partner_code: Sequence[str],
    ) -> GetPartnershipsResponse:
        """Returns the publisher, ad space and ad medium of each partner code.

        Signed. Retried on transient errors. REST only.

        Response: partner_code_list (list[Partnership] or None), error_list (list[PartnerCodeError] or
        None).
        """
        return self._caller.call(
            GET_PARTNERSHIPS,
            GET_PARTNERSHIPS.request_type(
                partner_code=copied(partner_code),
            ),
        )

    def get_public_partnerships(
        self,
        *,
        partner_code: Sequence[str],
    ) -> GetPublicPartnershipsResponse:
        """Returns the publisher id and the ad space id of each partner code.

        Public: the connect ID is enough. Retried on transient errors. REST only.

        Response: partner_code_list (list[PublicPartnership] or None), error_list
        (list[PartnerCodeError] or None).
        """
        return self._caller.call(
            GET_PUBLIC_PARTNERSHIPS,
            GET_PUBLIC_PARTNERSHIPS.request_type(
                partner_code=copied(partner_code),
            ),
        )

    def get_program_report(
        self,
        *,
        program_id: int,
        from_date: dt.date,
        to_date: dt.date,
        group_by: Sequence[GroupBy | GroupByValue] = (),
    ) -> GetProgramReportResponse:
        """Returns the traffic of a program from `from_date` up to, not including, `to_date`, by group.

        Signed. Retried on transient errors. REST only.

        Response: aggregated_report_list (list[AggregatedReport] or None).
        """
        return self._caller.call(
            GET_PROGRAM_REPORT,
            GET_PROGRAM_REPORT.request_type(
                program_id=program_id,
                from_date=from_date,
                to_date=to_date,
                group_by=copied(group_by),
            ),
        )

    @property
    def stream(self) -> AdvertiserServiceStreams:
        """The operations that return lists, as methods that yield the items as they arrive."""
        return AdvertiserServiceStreams(self._engine)


class AdvertiserServiceStreams:
    """The list operations of AdvertiserService: methods return context managers that yield the items as
    they arrive.
    """

    def __init__(self, caller: StreamCaller) -> None:
        self._caller = caller

    get_program_report = streamed(AdvertiserService.get_program_report, GET_PROGRAM_REPORT)


class AdvertiserServiceAsync(AsyncService):
    """The methods of AdvertiserService, for asyncio."""

    SERVICE: ClassVar[type[AdvertiserService]] = AdvertiserService

    get_partnerships = awaited(AdvertiserService.get_partnerships)
    get_public_partnerships = awaited(AdvertiserService.get_public_partnerships)
    get_program_report = awaited(AdvertiserService.get_program_report)

    @property
    def stream(self) -> AdvertiserServiceAsyncStreams:
        """The operations that return lists, as methods that yield the items as they arrive."""
        return AdvertiserServiceAsyncStreams(self._caller.streams)


class AdvertiserServiceAsyncStreams:
    """The methods of AdvertiserServiceStreams, for asyncio."""

    SERVICE: ClassVar[type[AdvertiserServiceStreams]] = AdvertiserServiceStreams

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    get_program_report = streamed_async(AdvertiserServiceStreams.get_program_report)
