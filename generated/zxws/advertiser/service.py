# Made by `bindgen generate advertiser`. Do not edit: change the contract, run it again.
# contract: advertiser/2015-03-01/advertiser.xsd
# its sha256: 5004390b33bd5342b2d7798b452768b62867445ca11c4eff500299ee8e85c49f
# sha256 of its settings in contracts.toml: d49b66c665fd2eaaa7ac2c3cb97e8361d9c8f9bfefc03fb1c85fea6c147bdb57
"""The operations of advertiser 2015-03-01."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager

from soapclient.runtime.operation import (
    AnyOperation,
    Caller,
    ItemStream,
    ListOperation,
    Operation,
    StreamCaller,
)
from soapclient.runtime.writing import copied
from zxws.advertiser import rest
from zxws.advertiser.codec import (
    read_aggregated_report,
    read_get_partnerships_request,
    read_get_partnerships_response,
    read_get_program_report_request,
    read_get_program_report_response,
    read_get_public_partnerships_request,
    read_get_public_partnerships_response,
    write_get_partnerships_request,
    write_get_program_report_request,
    write_get_public_partnerships_request,
)
from zxws.advertiser.types import (
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

GET_PARTNERSHIPS: Operation[GetPartnershipsRequest, GetPartnershipsResponse] = Operation(
    contract="advertiser",
    name="GetPartnerships",
    method="get_partnerships",
    signed=True,
    safe=True,
    soap_action="",
    request_tag="{http://advertiser.invalid/namespace/2015-03-01/}GetPartnershipsRequest",
    reply_tag="{http://advertiser.invalid/namespace/2015-03-01/}GetPartnershipsResponse",
    authentication=(),
    write_request=write_get_partnerships_request,
    read_request=read_get_partnerships_request,
    read_reply=read_get_partnerships_response,
    soap=False,
    rest=rest.GET_PARTNERSHIPS,
)

GET_PUBLIC_PARTNERSHIPS: Operation[GetPublicPartnershipsRequest, GetPublicPartnershipsResponse] = Operation(
    contract="advertiser",
    name="GetPublicPartnerships",
    method="get_public_partnerships",
    signed=False,
    safe=True,
    soap_action="",
    request_tag="{http://advertiser.invalid/namespace/2015-03-01/}GetPublicPartnershipsRequest",
    reply_tag="{http://advertiser.invalid/namespace/2015-03-01/}GetPublicPartnershipsResponse",
    authentication=(),
    write_request=write_get_public_partnerships_request,
    read_request=read_get_public_partnerships_request,
    read_reply=read_get_public_partnerships_response,
    soap=False,
    rest=rest.GET_PUBLIC_PARTNERSHIPS,
)

GET_PROGRAM_REPORT: ListOperation[
    GetProgramReportRequest,
    GetProgramReportResponse,
    AggregatedReport,
] = ListOperation(
    contract="advertiser",
    name="GetProgramReport",
    method="get_program_report",
    signed=True,
    safe=True,
    soap_action="",
    request_tag="{http://advertiser.invalid/namespace/2015-03-01/}GetProgramReportRequest",
    reply_tag="{http://advertiser.invalid/namespace/2015-03-01/}GetProgramReportResponse",
    authentication=(),
    write_request=write_get_program_report_request,
    read_request=read_get_program_report_request,
    read_reply=read_get_program_report_response,
    list_field="aggregated_report_list",
    list_tag="{http://advertiser.invalid/namespace/2015-03-01/}aggregatedReportList",
    item_tag="{http://advertiser.invalid/namespace/2015-03-01/}aggregatedReport",
    read_item=read_aggregated_report,
    soap=False,
    rest=rest.GET_PROGRAM_REPORT,
)

OPERATIONS: Mapping[str, AnyOperation] = {
    "GetPartnerships": GET_PARTNERSHIPS,
    "GetPublicPartnerships": GET_PUBLIC_PARTNERSHIPS,
    "GetProgramReport": GET_PROGRAM_REPORT,
}


class AdvertiserService:
    """The operations of advertiser. Each call raises what the caller it goes through raises."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def get_partnerships(
        self,
        *,
        partner_code: Sequence[str],
    ) -> GetPartnershipsResponse:
        """Who stands behind partner codes: publisher, ad space and ad medium of each.

        Signed. Repeated by itself after a passing failure. REST alone has it.

        Answer: partner_code_list, a list of Partnership or None; error_list, a list of PartnerCodeError
        or None.
        """
        return self._caller.call(
            GET_PARTNERSHIPS,
            GetPartnershipsRequest(
                partner_code=copied(partner_code),
            ),
        )

    def get_public_partnerships(
        self,
        *,
        partner_code: Sequence[str],
    ) -> GetPublicPartnershipsResponse:
        """The publisher's and the ad space's id of partner codes.

        Public: the connect ID alone will do. Repeated by itself after a passing failure. REST alone has
        it.

        Answer: partner_code_list, a list of PublicPartnership or None; error_list, a list of
        PartnerCodeError or None.
        """
        return self._caller.call(
            GET_PUBLIC_PARTNERSHIPS,
            GetPublicPartnershipsRequest(
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
        """What was tracked for a program from `from_date` up to, not including, `to_date`, by group.

        Signed. Repeated by itself after a passing failure. REST alone has it.

        Answer: aggregated_report_list, a list of AggregatedReport or None.
        """
        return self._caller.call(
            GET_PROGRAM_REPORT,
            GetProgramReportRequest(
                program_id=program_id,
                from_date=from_date,
                to_date=to_date,
                group_by=copied(group_by),
            ),
        )


class AdvertiserServiceStreams:
    """The list operations of advertiser, read item by item in constant memory."""

    def __init__(self, caller: StreamCaller) -> None:
        self._caller = caller

    def get_program_report(
        self,
        *,
        program_id: int,
        from_date: dt.date,
        to_date: dt.date,
        group_by: Sequence[GroupBy | GroupByValue] = (),
    ) -> AbstractContextManager[ItemStream[GetProgramReportResponse, AggregatedReport]]:
        """What was tracked for a program from `from_date` up to, not including, `to_date`, by group.

        Signed. Repeated by itself after a passing failure. REST alone has it.

        Answer: aggregated_report_list, a list of AggregatedReport or None.
        """
        return self._caller.stream(
            GET_PROGRAM_REPORT,
            GetProgramReportRequest(
                program_id=program_id,
                from_date=from_date,
                to_date=to_date,
                group_by=copied(group_by),
            ),
        )
