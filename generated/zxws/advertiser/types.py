# Made by `bindgen generate advertiser`. Do not edit: change the contract, run it again.
# contract: advertiser/2015-03-01/advertiser.xsd
# its sha256: 3b49b31705621ff6dad3e80cf6feedc49efc66d89d4b85bda561c7bfb93df91d
# sha256 of its settings in contracts.toml: f39e85e60a78586ce4fffa54bfaeedb74d2a4accbeb5eac3dc6d2669dc2c1f50
"""Types of advertiser 2015-03-01. Only responses can have unknown enumeration values."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from enum import StrEnum
from typing import Literal

from soapclient.runtime.protocols import KeptValue
from soapclient.runtime.record import Record


class PartnerCodeStatus(StrEnum):
    ACTIVE = "ACTIVE"
    INACTIVE = "INACTIVE"
    PROGRAM_DEACTIVATED_BY_USER = "PROGRAM_DEACTIVATED_BY_USER"
    PROGRAM_PENDING = "PROGRAM_PENDING"
    PROGRAM_DEACTIVATED_BY_ADMIN = "PROGRAM_DEACTIVATED_BY_ADMIN"
    DELETED = "DELETED"


PartnerCodeStatusValue = Literal[
    "ACTIVE",
    "INACTIVE",
    "PROGRAM_DEACTIVATED_BY_USER",
    "PROGRAM_PENDING",
    "PROGRAM_DEACTIVATED_BY_ADMIN",
    "DELETED",
]


class UserStatus(StrEnum):
    ACTIVE = "ACTIVE"
    LOCKED = "LOCKED"
    PREDELETED = "PREDELETED"
    DELETED = "DELETED"


UserStatusValue = Literal["ACTIVE", "LOCKED", "PREDELETED", "DELETED"]


class AdspaceStatus(StrEnum):
    ACTIVE = "ACTIVE"
    INACTIVE = "INACTIVE"
    DELETED = "DELETED"


AdspaceStatusValue = Literal["ACTIVE", "INACTIVE", "DELETED"]


class AdmediaStatus(StrEnum):
    ACTIVE = "ACTIVE"
    DEACTIVATED = "DEACTIVATED"
    TESTING = "TESTING"
    DELETED = "DELETED"


AdmediaStatusValue = Literal["ACTIVE", "DEACTIVATED", "TESTING", "DELETED"]


class GroupBy(StrEnum):
    DAY = "day"
    MONTH = "month"
    ADSPACE = "adspace"
    ADMEDIUM = "admedium"


GroupByValue = Literal["day", "month", "adspace", "admedium"]


class Partnership(Record):
    """The publisher, ad space and ad medium of a partner code. Fields other than the ids are set only for
    codes of the calling advertiser's program.
    """

    partner_code: str
    user_id: int
    adspace_id: int
    partner_code_status: PartnerCodeStatus | str | None = None
    user_name: str | None = None
    user_status: UserStatus | str | None = None
    adspace_name: str | None = None
    adspace_url: str | None = None
    adspace_status: AdspaceStatus | str | None = None
    admedia_id: int | None = None
    admedia_name: str | None = None
    admedia_status: AdmediaStatus | str | None = None
    unknown: dict[str, KeptValue] = {}
    """Elements of the response that the contract does not have, by name. Numbers are exact."""


class PublicPartnership(Record):
    partner_code: str
    user_id: int
    adspace_id: int
    unknown: dict[str, KeptValue] = {}
    """Elements of the response that the contract does not have, by name. Numbers are exact."""


class PartnerCodeError(Record):
    """A partner code that could not be resolved, and why."""

    partner_code: str | None = None
    code: str | None = None
    message: str | None = None
    reason: str | None = None
    unknown: dict[str, KeptValue] = {}
    """Elements of the response that the contract does not have, by name. Numbers are exact."""


class AggregatedReport(Record):
    """The traffic of one group in a program report."""

    day: str | None = None
    month: str | None = None
    adspace_id: int | None = None
    adspace_name: str | None = None
    user_id: int | None = None
    user_name: str | None = None
    admedia_id: int | None = None
    admedia_name: str | None = None
    currency: str | None = None
    view_count: int | None = None
    tpv_count: int | None = None
    click_count: int | None = None
    click_commission: Decimal | None = None
    lead_count: int | None = None
    lead_commission: Decimal | None = None
    sale_count: int | None = None
    sale_commission: Decimal | None = None
    sale_amount: Decimal | None = None
    unknown: dict[str, KeptValue] = {}
    """Elements of the response that the contract does not have, by name. Numbers are exact."""


class GetPartnershipsRequest(Record):
    partner_code: list[str] = []


class GetPartnershipsResponse(Record):
    partner_code_list: list[Partnership] | None = None
    error_list: list[PartnerCodeError] | None = None
    unknown: dict[str, KeptValue] = {}
    """Elements of the response that the contract does not have, by name. Numbers are exact."""


class GetPublicPartnershipsRequest(Record):
    partner_code: list[str] = []


class GetPublicPartnershipsResponse(Record):
    partner_code_list: list[PublicPartnership] | None = None
    error_list: list[PartnerCodeError] | None = None
    unknown: dict[str, KeptValue] = {}
    """Elements of the response that the contract does not have, by name. Numbers are exact."""


class GetProgramReportRequest(Record):
    program_id: int
    from_date: dt.date
    to_date: dt.date
    group_by: list[GroupBy | str] = []


class GetProgramReportResponse(Record):
    aggregated_report_list: list[AggregatedReport] | None = None
    unknown: dict[str, KeptValue] = {}
    """Elements of the response that the contract does not have, by name. Numbers are exact."""
