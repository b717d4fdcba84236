# Made by `bindgen generate publisher`. Do not edit: change the contract, run it again.
# contract: https://publisher.invalid/wsdl/2011-03-01
# its sha256: f0c7e16de9b30f837d2f73846452df6dc045765562e183ee3cdb2df3dd8fe115
# sha256 of the schema beside it: 3c1132b649756047e411e7c474dba3f758ba2d30c37b5fc8cdb22a8771cacd60
# sha256 of its settings in contracts.toml: 07c220246075913c79552a80cfbd10bf1952b7b89e5b91f689d711f58e94e05e
"""Types of publisher 2011-03-01. Enumerations are open when read, closed when sent."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from enum import StrEnum
from typing import Literal, TypedDict

import msgspec


class AdmediaPurpose(StrEnum):
    """admediaPurposeEnum"""

    START_PAGE = "startPage"
    PRODUCT_DEEPLINK = "productDeeplink"
    CATEGORY_DEEPLINK = "categoryDeeplink"
    SEARCH_DEEPLINK = "searchDeeplink"


AdmediaPurposeValue = Literal[
    "startPage",
    "productDeeplink",
    "categoryDeeplink",
    "searchDeeplink",
]


class AdmediaType(StrEnum):
    """admediaTypeEnum"""

    HTML = "html"
    SCRIPT = "script"
    LOOKAT_MEDIA = "lookatMedia"
    IMAGE = "image"
    IMAGE_TEXT = "imageText"
    TEXT = "text"


AdmediaTypeValue = Literal[
    "html",
    "script",
    "lookatMedia",
    "image",
    "imageText",
    "text",
]


class AdspaceScope(StrEnum):
    """adspaceScopeEnum"""

    PRIVATE = "private"
    BUSINESS = "business"


AdspaceScopeValue = Literal[
    "private",
    "business",
]


class AdspaceType(StrEnum):
    """adspaceTypeEnum"""

    WEBSITE = "website"
    EMAIL = "email"
    SEARCHENGINE = "searchengine"


AdspaceTypeValue = Literal[
    "website",
    "email",
    "searchengine",
]


class ApplicationType(StrEnum):
    """applicationTypeEnum"""

    WIDGET = "widget"
    SAAS = "saas"
    SOFTWARE = "software"


ApplicationTypeValue = Literal[
    "widget",
    "saas",
    "software",
]


class ConnectStatusType(StrEnum):
    """connectStatusTypeEnum"""

    ACTIVE = "active"
    INACTIVE = "inactive"


ConnectStatusTypeValue = Literal[
    "active",
    "inactive",
]


class DateType(StrEnum):
    """dateTypeEnum"""

    CLICK_DATE = "clickDate"
    TRACKING_DATE = "trackingDate"
    MODIFIED_DATE = "modifiedDate"
    REVIEW_STATE_CHANGED_DATE = "reviewStateChangedDate"


DateTypeValue = Literal[
    "clickDate",
    "trackingDate",
    "modifiedDate",
    "reviewStateChangedDate",
]


class GroupBy(StrEnum):
    """groupByEnum"""

    CURRENCY = "currency"
    ADMEDIUM = "admedium"
    PROGRAM = "program"
    ADSPACE = "adspace"
    LINK_FORMAT = "linkFormat"
    REVIEW_STATE = "reviewState"
    TRACKING_CATEGORY = "trackingCategory"
    MONTH = "month"
    DAY = "day"
    YEAR = "year"
    DAY_OF_WEEK = "dayOfWeek"
    APPLICATION = "application"
    MEDIA_SLOT = "mediaSlot"


GroupByValue = Literal[
    "currency",
    "admedium",
    "program",
    "adspace",
    "linkFormat",
    "reviewState",
    "trackingCategory",
    "month",
    "day",
    "year",
    "dayOfWeek",
    "application",
    "mediaSlot",
]


class IncentiveType(StrEnum):
    """incentiveTypeEnum"""

    COUPONS = "coupons"
    SAMPLES = "samples"
    BARGAINS = "bargains"
    FREE_PRODUCTS = "freeProducts"
    NO_SHIPPING_COSTS = "noShippingCosts"
    LOTTERIES = "lotteries"


IncentiveTypeValue = Literal[
    "coupons",
    "samples",
    "bargains",
    "freeProducts",
    "noShippingCosts",
    "lotteries",
]


class MediaSlotStatus(StrEnum):
    """mediaSlotStatusEnum"""

    ACTIVE = "active"
    DELETED = "deleted"


MediaSlotStatusValue = Literal[
    "active",
    "deleted",
]


class PartnerShip(StrEnum):
    """partnerShipEnum"""

    DIRECT = "direct"
    INDIRECT = "indirect"


PartnerShipValue = Literal[
    "direct",
    "indirect",
]


class ProfileType(StrEnum):
    """profileTypeEnum"""

    PUBLISHER = "publisher"
    ADVERTISER = "advertiser"


ProfileTypeValue = Literal[
    "publisher",
    "advertiser",
]


class ProgramApplicationStatus(StrEnum):
    """programApplicationStatusEnum"""

    OPEN = "open"
    CONFIRMED = "confirmed"
    REJECTED = "rejected"
    DEFERRED = "deferred"
    WAITING = "waiting"
    BLOCKED = "blocked"
    TERMINATED = "terminated"
    CANCELED = "canceled"
    CALLED = "called"
    DECLINED = "declined"
    DELETED = "deleted"


ProgramApplicationStatusValue = Literal[
    "open",
    "confirmed",
    "rejected",
    "deferred",
    "waiting",
    "blocked",
    "terminated",
    "canceled",
    "called",
    "declined",
    "deleted",
]


class ProgramStatus(StrEnum):
    """programStatusEnum"""

    ACTIVE = "active"
    INACTIVE = "inactive"


ProgramStatusValue = Literal[
    "active",
    "inactive",
]


class ReviewState(StrEnum):
    """reviewStateEnum"""

    CONFIRMED = "confirmed"
    OPEN = "open"
    REJECTED = "rejected"
    APPROVED = "approved"


ReviewStateValue = Literal[
    "confirmed",
    "open",
    "rejected",
    "approved",
]


class RoleType(StrEnum):
    """roleTypeEnum"""

    DEVELOPER = "developer"
    CUSTOMER = "customer"
    TESTER = "tester"


RoleTypeValue = Literal[
    "developer",
    "customer",
    "tester",
]


class SearchType(StrEnum):
    """searchTypeEnum"""

    CONTEXTUAL = "contextual"
    PHRASE = "phrase"


SearchTypeValue = Literal[
    "contextual",
    "phrase",
]


class SettingType(StrEnum):
    """settingTypeEnum"""

    BOOLEAN = "boolean"
    COLOR = "color"
    NUMBER = "number"
    STRING = "string"
    DATE = "date"


SettingTypeValue = Literal[
    "boolean",
    "color",
    "number",
    "string",
    "date",
]


class TransactionType(StrEnum):
    """transactionTypeEnum"""

    LEADS = "leads"
    SALES = "sales"


TransactionTypeValue = Literal[
    "leads",
    "sales",
]


class ProductPartnership(StrEnum):
    """productPartnershipEnum"""

    ALL = "all"
    CONFIRMED = "confirmed"


ProductPartnershipValue = Literal[
    "all",
    "confirmed",
]


class CreateAdspaceRequest(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "adspace_item": "adspaceItem",
    },
):
    """CreateAdspaceRequest"""

    adspace_item: AdspaceItem


class CreateAdspaceResponse(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "adspace_item": "adspaceItem",
    },
):
    """CreateAdspaceResponse"""

    adspace_item: AdspaceItem


class CreateApplicationRequest(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "application_item": "applicationItem",
    },
):
    """CreateApplicationRequest"""

    application_item: ApplicationItem


class CreateApplicationResponse(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "application_item": "applicationItem",
        "secret_key": "secretKey",
        "connect_id": "connectId",
        "public_key": "publicKey",
    },
):
    """CreateApplicationResponse"""

    application_item: ApplicationItem
    secret_key: str
    connect_id: str
    public_key: str


class CreateMediaSlotRequest(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "media_slot_item": "mediaSlotItem",
    },
):
    """CreateMediaSlotRequest"""

    media_slot_item: MediaSlotItem


class CreateMediaSlotResponse(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "media_slot_item": "mediaSlotItem",
    },
):
    """CreateMediaSlotResponse"""

    media_slot_item: MediaSlotItem


class CreateProgramApplicationRequest(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "program_id": "programId",
        "adspace_id": "adspaceId",
        "publisher_comment": "publisherComment",
    },
):
    """CreateProgramApplicationRequest"""

    program_id: int
    adspace_id: int
    publisher_comment: str | None = None


class CreateProgramApplicationResponse(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "program_application_item": "programApplicationItem",
    },
):
    """CreateProgramApplicationResponse"""

    program_application_item: ProgramApplicationItem


class CreateSettingRequest(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "setting_item": "settingItem",
    },
):
    """CreateSettingRequest"""

    setting_item: SettingItem


class CreateSettingResponse(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "setting_item": "settingItem",
    },
):
    """CreateSettingResponse"""

    setting_item: SettingItem


class DeleteAdspaceRequest(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "adspace_id": "adspaceId",
    },
):
    """DeleteAdspaceRequest"""

    adspace_id: int


class DeleteAdspaceResponse(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
):
    """DeleteAdspaceResponse"""

    count: int


class DeleteApplicationRequest(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "application_id": "applicationId",
    },
):
    """DeleteApplicationRequest"""

    application_id: str


class DeleteApplicationResponse(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
):
    """DeleteApplicationResponse"""

    count: int


class DeleteMediaSlotRequest(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "media_slot_id": "mediaSlotId",
    },
):
    """DeleteMediaSlotRequest"""

    media_slot_id: str


class DeleteMediaSlotResponse(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
):
    """DeleteMediaSlotResponse"""

    count: int


class DeleteProgramApplicationRequest(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "program_id": "programId",
        "adspace_id": "adspaceId",
    },
):
    """DeleteProgramApplicationRequest"""

    program_id: int
    adspace_id: int


class DeleteProgramApplicationResponse(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
):
    """DeleteProgramApplicationResponse"""

    count: int


class DeleteSettingRequest(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "application_id": "applicationId",
    },
):
    """DeleteSettingRequest"""

    key: str
    application_id: str


class DeleteSettingResponse(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
):
    """DeleteSettingResponse"""

    count: int


class GetAdmediaRequest(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "program_id": "programId",
        "partner_ship": "partnerShip",
        "admedium_type": "admediumType",
        "category_id": "categoryId",
        "adspace_id": "adspaceId",
    },
):
    """GetAdmediaRequest"""

    q: str | None = None
    program_id: int | None = None
    region: str | None = None
    format: int | None = None
    partner_ship: PartnerShip | str | None = None
    purpose: AdmediaPurpose | str | None = None
    admedium_type: AdmediaType | str | None = None
    category_id: int | None = None
    adspace_id: int | None = None
    page: int | None = None
    items: int | None = None


class GetAdmediaResponse(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "admedium_items": "admediumItems",
    },
):
    """GetAdmediaResponse"""

    page: int
    items: int
    total: int
    admedium_items: list[AdmediumItem] | None = None


class GetAdmediumRequest(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "admedium_id": "admediumId",
        "adspace_id": "adspaceId",
        "tracking_link": "trackingLink",
    },
):
    """GetAdmediumRequest"""

    admedium_id: int | None = None
    adspace_id: int | None = None
    tracking_link: str | None = None


class GetAdmediumResponse(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "admedium_item": "admediumItem",
    },
):
    """GetAdmediumResponse"""

    admedium_item: AdmediumItem | None = None


class GetAdmediumCategoriesRequest(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "program_id": "programId",
    },
):
    """GetAdmediumCategoriesRequest"""

    program_id: int


class GetAdmediumCategoriesResponse(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
):
    """GetAdmediumCategoriesResponse"""

    categories: list[SubStringIdentifierType] | None = None


class GetAdspaceRequest(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "adspace_id": "adspaceId",
    },
):
    """GetAdspaceRequest"""

    adspace_id: int


class GetAdspaceResponse(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "adspace_item": "adspaceItem",
    },
):
    """GetAdspaceResponse"""

    adspace_item: AdspaceItem | None = None


class GetAdspacesRequest(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
):
    """GetAdspacesRequest"""

    page: int | None = None
    items: int | None = None


class GetAdspacesResponse(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "adspace_items": "adspaceItems",
    },
):
    """GetAdspacesResponse"""

    page: int
    items: int
    total: int
    adspace_items: list[AdspaceItem] | None = None


class GetApplicationRequest(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "application_id": "applicationId",
    },
):
    """GetApplicationRequest"""

    application_id: str


class GetApplicationResponse(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "application_item": "applicationItem",
    },
):
    """GetApplicationResponse"""

    application_item: ApplicationItem | None = None


class GetApplicationsRequest(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "application_type": "applicationType",
    },
):
    """GetApplicationsRequest"""

    name: str | None = None
    size: SizeType | None = None
    role: RoleType | str | None = None
    application_type: ApplicationType | str | None = None
    page: int | None = None
    items: int | None = None


class GetApplicationsResponse(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "application_items": "applicationItems",
    },
):
    """GetApplicationsResponse"""

    page: int
    items: int
    total: int
    application_items: list[ApplicationItem] | None = None


class GetBalanceRequest(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
):
    """GetBalanceRequest"""

    currency: str


class GetBalanceResponse(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "balance_item": "balanceItem",
    },
):
    """GetBalanceResponse"""

    balance_item: BalanceItem | None = None


class GetBalancesRequest(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
):
    """GetBalancesRequest"""

    page: int | None = None
    items: int | None = None


class GetBalancesResponse(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "balance_items": "balanceItems",
    },
):
    """GetBalancesResponse"""

    page: int
    items: int
    total: int
    balance_items: list[BalanceItem] | None = None


class GetBankAccountRequest(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "bank_account_id": "bankAccountId",
    },
):
    """GetBankAccountRequest"""

    bank_account_id: str


class GetBankAccountResponse(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "bank_account_item": "bankAccountItem",
    },
):
    """GetBankAccountResponse"""

    bank_account_item: BankAccountItem | None = None


class GetBankAccountsRequest(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
):
    """GetBankAccountsRequest"""

    page: int | None = None
    items: int | None = None


class GetBankAccountsResponse(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "bank_account_items": "bankAccountItems",
    },
):
    """GetBankAccountsResponse"""

    page: int
    items: int
    total: int
    bank_account_items: list[BankAccountItem] | None = None


class GetExclusiveIncentiveRequest(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "incentive_id": "incentiveId",
        "adspace_id": "adspaceId",
    },
):
    """GetExclusiveIncentiveRequest"""

    incentive_id: str
    adspace_id: int | None = None


class GetExclusiveIncentiveResponse(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "incentive_item": "incentiveItem",
    },
):
    """GetExclusiveIncentiveResponse"""

    incentive_item: IncentiveItem | None = None


class GetIncentiveRequest(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "incentive_id": "incentiveId",
        "adspace_id": "adspaceId",
    },
):
    """GetIncentiveRequest"""

    incentive_id: str
    adspace_id: int | None = None


class GetIncentiveResponse(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "incentive_item": "incentiveItem",
    },
):
    """GetIncentiveResponse"""

    incentive_item: IncentiveItem | None = None


class GetLeadRequest(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "lead_id": "leadId",
    },
):
    """GetLeadRequest"""

    lead_id: str


class GetLeadResponse(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "lead_item": "leadItem",
    },
):
    """GetLeadResponse"""

    lead_item: LeadItem | None = None


class GetLeadsRequest(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "program_id": "programId",
        "adspace_id": "adspaceId",
        "review_state": "reviewState",
        "date_type": "dateType",
    },
):
    """GetLeadsRequest"""

    program_id: int | None = None
    adspace_id: int | None = None
    review_state: ReviewState | str | None = None
    date: dt.date
    date_type: DateType | str | None = None
    page: int | None = None
    items: int | None = None


class GetLeadsResponse(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "lead_items": "leadItems",
    },
):
    """GetLeadsResponse"""

    page: int
    items: int
    total: int
    lead_items: list[LeadItem] | None = None


class GetMediaSlotRequest(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "media_slot_id": "mediaSlotId",
    },
):
    """GetMediaSlotRequest"""

    media_slot_id: str


class GetMediaSlotResponse(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "media_slot_item": "mediaSlotItem",
    },
):
    """GetMediaSlotResponse"""

    media_slot_item: MediaSlotItem | None = None


class GetMediaSlotsRequest(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "adspace_id": "adspaceId",
    },
):
    """GetMediaSlotsRequest"""

    adspace_id: int | None = None
    size: SizeType | None = None
    page: int | None = None
    items: int | None = None


class GetMediaSlotsResponse(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "media_slot_items": "mediaSlotItems",
    },
):
    """GetMediaSlotsResponse"""

    page: int
    items: int
    total: int
    media_slot_items: list[MediaSlotItem] | None = None


class GetPaymentRequest(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "payment_id": "paymentId",
    },
):
    """GetPaymentRequest"""

    payment_id: str


class GetPaymentResponse(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "payment_item": "paymentItem",
    },
):
    """GetPaymentResponse"""

    payment_item: PaymentItem | None = None


class GetPaymentsRequest(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
):
    """GetPaymentsRequest"""

    page: int | None = None
    items: int | None = None


class GetPaymentsResponse(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "payment_items": "paymentItems",
    },
):
    """GetPaymentsResponse"""

    page: int
    items: int
    total: int
    payment_items: list[PaymentItem] | None = None


class GetProductRequest(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "zup_id": "zupId",
        "adspace_id": "adspaceId",
    },
):
    """GetProductRequest"""

    zup_id: str
    adspace_id: int | None = None


class GetProductResponse(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "product_item": "productItem",
    },
):
    """GetProductResponse"""

    product_item: ProductItem | None = None


class GetProductCategoriesRequest(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "root_category": "rootCategory",
        "include_childs": "includeChilds",
    },
):
    """GetProductCategoriesRequest"""

    root_category: int | None = None
    include_childs: bool | None = None
    region: str | None = None


class GetProductCategoriesResponse(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
):
    """GetProductCategoriesResponse"""

    categories: list[ProductCategoryType] | None = None


class GetProfileRequest(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
):
    """GetProfileRequest"""


class GetProfileResponse(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "profile_item": "profileItem",
    },
):
    """GetProfileResponse"""

    profile_item: ProfileItem | None = None


class GetProgramRequest(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "program_id": "programId",
    },
):
    """GetProgramRequest"""

    program_id: int


class GetProgramResponse(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "program_item": "programItem",
    },
):
    """GetProgramResponse"""

    program_item: ProgramItem | None = None


class GetProgramApplicationsRequest(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "adspace_id": "adspaceId",
        "program_id": "programId",
    },
):
    """GetProgramApplicationsRequest"""

    adspace_id: int | None = None
    program_id: int | None = None
    status: ProgramApplicationStatus | str | None = None
    page: int | None = None
    items: int | None = None


class GetProgramApplicationsResponse(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "program_application_items": "programApplicationItems",
    },
):
    """GetProgramApplicationsResponse"""

    page: int
    items: int
    total: int
    program_application_items: list[ProgramApplicationItem] | None = None


class GetProgramCategoriesRequest(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
):
    """GetProgramCategoriesRequest"""


class GetProgramCategoriesResponse(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
):
    """GetProgramCategoriesResponse"""

    categories: list[SubStringIdentifierType] | None = None


class GetReportBasicRequest(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "program_id": "programId",
        "admedium_id": "admediumId",
        "adspace_id": "adspaceId",
        "review_state": "reviewState",
        "group_by": "groupBy",
        "from_date": "fromDate",
        "to_date": "toDate",
        "date_type": "dateType",
    },
):
    """GetReportBasicRequest"""

    currency: str | None = None
    program_id: int | None = None
    admedium_id: int | None = None
    adspace_id: int | None = None
    review_state: ReviewState | str | None = None
    group_by: list[GroupBy | str] = []
    from_date: dt.date
    to_date: dt.date
    date_type: DateType | str | None = None


class GetReportBasicResponse(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "report_items": "reportItems",
    },
):
    """GetReportBasicResponse"""

    page: int
    items: int
    total: int
    report_items: list[ReportItem] | None = None


class GetSaleRequest(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "sale_id": "saleId",
    },
):
    """GetSaleRequest"""

    sale_id: str


class GetSaleResponse(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "sale_item": "saleItem",
    },
):
    """GetSaleResponse"""

    sale_item: SaleItem | None = None


class GetSalesRequest(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "program_id": "programId",
        "adspace_id": "adspaceId",
        "review_state": "reviewState",
        "date_type": "dateType",
    },
):
    """GetSalesRequest"""

    program_id: int | None = None
    adspace_id: int | None = None
    review_state: ReviewState | str | None = None
    date: dt.date
    date_type: DateType | str | None = None
    page: int | None = None
    items: int | None = None


class GetSalesResponse(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "sale_items": "saleItems",
    },
):
    """GetSalesResponse"""

    page: int
    items: int
    total: int
    sale_items: list[SaleItem] | None = None


class GetSettingRequest(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "application_id": "applicationId",
        "media_slot_id": "mediaSlotId",
    },
):
    """GetSettingRequest"""

    application_id: str
    media_slot_id: str | None = None
    key: str


class GetSettingResponse(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "setting_item": "settingItem",
    },
):
    """GetSettingResponse"""

    setting_item: SettingItem


class GetSettingsRequest(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "application_id": "applicationId",
        "media_slot_id": "mediaSlotId",
    },
):
    """GetSettingsRequest"""

    application_id: str | None = None
    media_slot_id: str | None = None
    page: int | None = None
    items: int | None = None


class GetSettingsResponse(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "setting_items": "settingItems",
    },
):
    """GetSettingsResponse"""

    page: int
    items: int
    total: int
    setting_items: list[SettingItem] | None = None


class GetTrackingCategoriesRequest(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "adspace_id": "adspaceId",
        "program_id": "programId",
    },
):
    """GetTrackingCategoriesRequest"""

    adspace_id: int
    program_id: int
    page: int | None = None
    items: int | None = None


class GetTrackingCategoriesResponse(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "tracking_category_item": "trackingCategoryItem",
    },
):
    """GetTrackingCategoriesResponse"""

    page: int
    items: int
    total: int
    tracking_category_item: list[TrackingCategoryItem] | None = None


class SearchExclusiveIncentivesRequest(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "program_id": "programId",
        "incentive_type": "incentiveType",
        "adspace_id": "adspaceId",
    },
):
    """SearchExclusiveIncentivesRequest"""

    page: int | None = None
    items: int | None = None
    program_id: int | None = None
    incentive_type: IncentiveType | str | None = None
    region: str | None = None
    adspace_id: int | None = None


class SearchExclusiveIncentivesResponse(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "incentive_items": "incentiveItems",
    },
):
    """SearchExclusiveIncentivesResponse"""

    page: int
    items: int
    total: int
    incentive_items: list[IncentiveItem] | None = None


class SearchIncentivesRequest(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "program_id": "programId",
        "incentive_type": "incentiveType",
        "adspace_id": "adspaceId",
    },
):
    """SearchIncentivesRequest"""

    page: int | None = None
    items: int | None = None
    program_id: int | None = None
    incentive_type: IncentiveType | str | None = None
    region: str | None = None
    adspace_id: int | None = None


class SearchIncentivesResponse(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "incentive_items": "incentiveItems",
    },
):
    """SearchIncentivesResponse"""

    page: int
    items: int
    total: int
    incentive_items: list[IncentiveItem] | None = None


class SearchProductsRequest(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "search_type": "searchType",
        "category_id": "categoryId",
        "program_id": "programId",
        "has_images": "hasImages",
        "min_price": "minPrice",
        "max_price": "maxPrice",
        "adspace_id": "adspaceId",
        "merchant_category": "merchantCategory",
    },
):
    """SearchProductsRequest"""

    query: str | None = None
    search_type: SearchType | str | None = None
    region: str | None = None
    category_id: int | None = None
    program_id: list[int] = []
    has_images: bool | None = None
    min_price: int | None = None
    max_price: int | None = None
    adspace_id: int | None = None
    page: int | None = None
    items: int | None = None
    ean: str | None = None
    merchant_category: list[str] = []
    partnership: ProductPartnership | str | None = None


class SearchProductsResponse(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "product_items": "productItems",
    },
):
    """SearchProductsResponse"""

    page: int
    items: int
    total: int
    query: str | None = None
    """The service leaves it out at times."""
    product_items: list[ProductItem] | None = None


class SearchProgramsRequest(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "start_date": "startDate",
        "partner_ship": "partnerShip",
        "has_products": "hasProducts",
        "category_id": "categoryId",
        "is_exclusive": "isExclusive",
    },
):
    """SearchProgramsRequest"""

    query: str | None = None
    start_date: dt.date | None = None
    partner_ship: PartnerShip | str | None = None
    has_products: bool | None = None
    region: str | None = None
    category_id: int | None = None
    page: int | None = None
    items: int | None = None
    industry: int | None = None
    is_exclusive: bool | None = None


class SearchProgramsResponse(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "program_items": "programItems",
    },
):
    """SearchProgramsResponse"""

    page: int
    items: int
    total: int
    query: str | None = None
    program_items: list[ProgramItem] | None = None


class UpdateAdspaceRequest(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "adspace_item": "adspaceItem",
    },
):
    """UpdateAdspaceRequest"""

    adspace_item: AdspaceItem


class UpdateAdspaceResponse(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "adspace_item": "adspaceItem",
    },
):
    """UpdateAdspaceResponse"""

    adspace_item: AdspaceItem


class UpdateApplicationRequest(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "application_item": "applicationItem",
    },
):
    """UpdateApplicationRequest"""

    application_item: ApplicationItem


class UpdateApplicationResponse(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "application_item": "applicationItem",
    },
):
    """UpdateApplicationResponse"""

    application_item: ApplicationItem


class UpdateMediaSlotRequest(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "media_slot_item": "mediaSlotItem",
    },
):
    """UpdateMediaSlotRequest"""

    media_slot_item: MediaSlotItem


class UpdateMediaSlotResponse(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "media_slot_item": "mediaSlotItem",
    },
):
    """UpdateMediaSlotResponse"""

    media_slot_item: MediaSlotItem


class UpdateProfileRequest(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "profile_item": "profileItem",
    },
):
    """UpdateProfileRequest"""

    profile_item: ProfileItem | ProfileItemChanges


class UpdateProfileResponse(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "profile_item": "profileItem",
    },
):
    """UpdateProfileResponse"""

    profile_item: ProfileItem


class UpdateSettingRequest(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "setting_item": "settingItem",
    },
):
    """UpdateSettingRequest"""

    setting_item: SettingItem


class UpdateSettingResponse(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "setting_item": "settingItem",
    },
):
    """UpdateSettingResponse"""

    setting_item: SettingItem


class AdmediumItem(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "admedium_type": "admediumType",
        "tracking_links": "trackingLinks",
    },
):
    """admediumItem"""

    id: int
    name: str
    adrank: float
    admedium_type: AdmediaType | str
    program: SubStringIdentifierType
    title: str | None = None
    height: int | None = None
    width: int | None = None
    format: SubStringIdentifierType | None = None
    code: str | None = None
    description: str | None = None
    instruction: str | None = None
    purpose: AdmediaPurpose | str | None = None
    category: SubStringIdentifierType | None = None
    group: SubStringIdentifierType | None = None
    tags: list[str] | None = None
    tracking_links: list[TrackingLinkType] | None = None


class AdspaceItem(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "adspace_type": "adspaceType",
        "check_number": "checkNumber",
    },
):
    """adspaceItem"""

    id: int | None = None
    name: str
    url: str
    description: str
    adspace_type: AdspaceType | str
    visitors: int
    impressions: int
    scope: AdspaceScope | str | None = None
    regions: list[str] | None = None
    categories: list[SubStringIdentifierType] | None = None
    language: str
    check_number: int


class ApplicationItem(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "media_slot_compatible": "mediaSlotCompatible",
        "integration_code": "integrationCode",
        "integration_notes": "integrationNotes",
        "connect_url": "connectUrl",
        "cancel_url": "cancelUrl",
        "documentation_url": "documentationUrl",
        "company_url": "companyUrl",
        "start_date": "startDate",
        "modified_date": "modifiedDate",
        "installable_to": "installableTo",
        "application_type": "applicationType",
        "logo_url": "logoUrl",
        "preview_url": "previewUrl",
    },
):
    """applicationItem"""

    id: str | None = None
    name: str
    version: str | None = None
    adrank: int | None = None
    tags: str | None = None
    status: int | None = None
    media_slot_compatible: bool | None = None
    inline: bool | None = None
    integration_code: str | None = None
    integration_notes: str | None = None
    description: str | None = None
    terms: str | None = None
    connect: ConnectType | None = None
    connect_url: str | None = None
    cancel_url: str | None = None
    documentation_url: str | None = None
    company_url: str | None = None
    developer: str | None = None
    pricing: PricingType | None = None
    start_date: dt.datetime | None = None
    modified_date: dt.datetime | None = None
    installable_to: ProfileType | str | None = None
    application_type: ApplicationType | str | None = None
    size: SizeType | None = None
    technique: str | None = None
    logo_url: str | None = None
    preview_url: list[str] = []


class BalanceItem(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
):
    """balanceItem"""

    id: str | None = None
    open: Decimal
    confirmed: Decimal


class BankAccountItem(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "bank_code": "bankCode",
        "account_number": "accountNumber",
        "min_payout": "minPayout",
    },
):
    """bankAccountItem"""

    id: str | None = None
    name: str
    iban: str | None = None
    """The service leaves it out at times."""
    swift: str | None = None
    """The service leaves it out at times."""
    bank_code: str
    account_number: str
    owner: str
    address: str | None = None
    country: str
    min_payout: Decimal


class ConnectType(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "connect_id": "connectId",
    },
):
    """connectType"""

    role: RoleType | str
    connect_id: str
    status: ConnectStatusType | str


class GppType(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
):
    """gppType"""

    id: str
    value: str


class ImageType(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
):
    """imageType"""

    small: str | None = None
    medium: str | None = None
    large: str | None = None


class IncentiveItem(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "incentive_type": "incentiveType",
        "create_date": "createDate",
        "modified_date": "modifiedDate",
        "start_date": "startDate",
        "end_date": "endDate",
        "coupon_code": "couponCode",
        "new_customer_only": "newCustomerOnly",
        "minimum_basket_value": "minimumBasketValue",
    },
):
    """incentiveItem"""

    id: str | None = None
    name: str
    program: SubStringIdentifierType
    admedia: list[AdmediumItem]
    incentive_type: IncentiveType | str
    regions: list[str]
    create_date: dt.datetime
    modified_date: dt.datetime
    start_date: dt.datetime
    end_date: dt.datetime | None = None
    info4publisher: str | None = None
    info4customer: str
    coupon_code: str | None = None
    total: Decimal | None = None
    currency: str | None = None
    percentage: Decimal | None = None
    restrictions: str | None = None
    new_customer_only: bool
    minimum_basket_value: Decimal | None = None
    prizes: list[PrizeType] | None = None


class LeadItem(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "review_state": "reviewState",
        "tracking_date": "trackingDate",
        "modified_date": "modifiedDate",
        "click_date": "clickDate",
        "click_id": "clickId",
        "click_in_id": "clickInId",
        "sub_publisher": "subPublisher",
        "review_note": "reviewNote",
        "tracking_category": "trackingCategory",
    },
):
    """leadItem"""

    id: str | None = None
    review_state: ReviewState | str
    tracking_date: dt.datetime | None = None
    modified_date: dt.datetime | None = None
    click_date: dt.datetime | None = None
    adspace: SubStringIdentifierType
    admedium: SubStringIdentifierType
    program: SubStringIdentifierType
    click_id: int
    click_in_id: int
    commission: Decimal
    currency: str
    sub_publisher: SubPublisherType | None = None
    gpps: list[GppType] | None = None
    review_note: str | None = None
    tracking_category: SubStringIdentifierType | None = None


class MediaSlotItem(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "create_date": "createDate",
        "modified_date": "modifiedDate",
    },
):
    """mediaSlotItem"""

    id: str | None = None
    name: str
    size: SizeType | None = None
    adspace: SubStringIdentifierType
    applications: list[SubStringIdentifierStringType]
    status: MediaSlotStatus | str
    create_date: dt.datetime | None = None
    modified_date: dt.datetime | None = None


class PaymentItem(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "create_date": "createDate",
        "modified_date": "modifiedDate",
        "payout_date": "payoutDate",
        "bank_account_item": "bankAccountItem",
    },
):
    """paymentItem"""

    id: str | None = None
    create_date: dt.datetime
    modified_date: dt.datetime | None = None
    payout_date: dt.datetime | None = None
    status: str
    amount: Decimal
    currency: str
    bank_account_item: BankAccountItem | None = None


class PricingType(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
):
    """pricingType"""

    id: str | None = None
    share: Decimal
    setup: Decimal | None = None
    monthly: Decimal
    currency: str | None = None
    description: str | None = None


class PrizeType(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
):
    """prizeType"""

    id: str | None = None
    name: str
    description: str | None = None
    count: int
    rank: int


class ProductCategoryType(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
):
    """productCategoryType"""

    id: int
    name: str
    count: int
    category: list[ProductCategoryType] = []


class ProductItem(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "tracking_links": "trackingLinks",
        "description_long": "descriptionLong",
        "delivery_time": "deliveryTime",
        "price_old": "priceOld",
        "shipping_costs": "shippingCosts",
        "merchant_category": "merchantCategory",
        "merchant_product_id": "merchantProductId",
    },
):
    """productItem"""

    id: str | None = None
    name: str
    modified: dt.datetime
    program: SubStringIdentifierType
    price: Decimal
    currency: str
    tracking_links: list[TrackingLinkType] | None = None
    description: str | None = None
    description_long: str | None = None
    manufacturer: str | None = None
    ean: str | None = None
    delivery_time: str | None = None
    terms: str | None = None
    category: SubStringIdentifierType | None = None
    image: ImageType | None = None
    price_old: Decimal | None = None
    shipping_costs: str | None = None
    shipping: str | None = None
    merchant_category: str | None = None
    merchant_product_id: str | None = None


class ProfileItem(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "first_name": "firstName",
        "last_name": "lastName",
        "login_name": "loginName",
        "user_name": "userName",
        "is_advertiser": "isAdvertiser",
        "is_sublogin": "isSublogin",
    },
):
    """profileItem"""

    id: int | None = None
    adrank: float
    first_name: str
    last_name: str
    email: str
    country: str
    street1: str
    city: str
    zipcode: str
    company: str | None = None
    street2: str | None = None
    phone: str | None = None
    mobile: str | None = None
    fax: str | None = None
    language: str | None = None
    currency: str | None = None
    title: str | None = None
    login_name: str
    user_name: str
    is_advertiser: bool
    is_sublogin: bool


class ProfileItemChanges(TypedDict, total=False):
    """Changes of a ProfileItem: what is not given stays as it is."""

    id: int
    adrank: float
    first_name: str
    last_name: str
    email: str
    country: str
    street1: str
    city: str
    zipcode: str
    company: str
    street2: str
    phone: str
    mobile: str
    fax: str
    language: str
    currency: str
    title: str
    login_name: str
    user_name: str
    is_advertiser: bool
    is_sublogin: bool


class ProgramApplicationItem(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "create_date": "createDate",
        "allow_tpv": "allowTpv",
        "approved_date": "approvedDate",
        "publisher_comment": "publisherComment",
        "advertiser_comment": "advertiserComment",
    },
):
    """programApplicationItem"""

    id: int
    program: SubStringIdentifierTypeWithStatus
    adspace: SubStringIdentifierType
    status: ProgramApplicationStatus | str
    create_date: dt.datetime
    allow_tpv: bool
    approved_date: dt.datetime | None = None
    publisher_comment: str | None = None
    advertiser_comment: str | None = None


class ProgramItem(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "application_required": "applicationRequired",
        "description_local": "descriptionLocal",
        "start_date": "startDate",
        "terms_url": "termsUrl",
        "return_time_leads": "returnTimeLeads",
        "return_time_sales": "returnTimeSales",
    },
):
    """programItem"""

    id: int
    name: str
    adrank: float
    application_required: bool
    description: str
    description_local: str
    products: int
    vertical: SubStringIdentifierType | None = None
    """The service leaves it out at times."""
    regions: list[str] | None = None
    categories: list[SubStringIdentifierType] | None = None
    start_date: dt.datetime
    url: str
    image: str
    currency: str
    status: ProgramStatus | str
    terms: str | None = None
    """The service leaves it out at times."""
    terms_url: str | None = None
    """The service leaves it out at times."""
    policies: list[SubStringIdentifierType] | None = None
    return_time_leads: str | None = None
    return_time_sales: str | None = None
    industries: ProgramIndustriesType | None = None
    """reconstructed: seen in live answers since 2016, not in the published contract"""
    commission: ProgramCommissionType | None = None
    """reconstructed: seen in live answers since 2016, not in the published contract"""


class ReportItem(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "admedium_format": "admediumFormat",
        "tracking_category": "trackingCategory",
        "media_slot": "mediaSlot",
    },
):
    """reportItem"""

    currency: str
    program: SubStringIdentifierType | None = None
    admedium: SubStringIdentifierType | None = None
    adspace: SubStringIdentifierType | None = None
    admedium_format: SubStringIdentifierType | None = None
    tracking_category: SubStringIdentifierType | None = None
    year: str | None = None
    month: str | None = None
    day: str | None = None
    application: SubStringIdentifierType | None = None
    media_slot: SubStringIdentifierType | None = None
    total: StatsType
    open: StatsType
    approved: StatsType
    confirmed: StatsType
    rejected: StatsType


class SaleItem(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "review_state": "reviewState",
        "tracking_date": "trackingDate",
        "modified_date": "modifiedDate",
        "click_date": "clickDate",
        "click_id": "clickId",
        "click_in_id": "clickInId",
        "sub_publisher": "subPublisher",
        "review_note": "reviewNote",
        "tracking_category": "trackingCategory",
    },
):
    """saleItem"""

    id: str | None = None
    review_state: ReviewState | str
    tracking_date: dt.datetime | None = None
    modified_date: dt.datetime | None = None
    click_date: dt.datetime | None = None
    adspace: SubStringIdentifierType
    admedium: SubStringIdentifierType
    program: SubStringIdentifierType
    click_id: int
    click_in_id: int
    amount: Decimal
    commission: Decimal
    currency: str
    sub_publisher: SubPublisherType | None = None
    gpps: list[GppType] | None = None
    review_note: str | None = None
    tracking_category: SubStringIdentifierType | None = None


class SettingItem(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "custom_value": "customValue",
    },
):
    """settingItem"""

    application: SubStringIdentifierStringType
    mediaslot: SubStringIdentifierStringType | None = None
    key: str
    value: str | None = None
    custom_value: str | None = None
    type: SettingType | str | None = None
    name: str | None = None
    description: str | None = None
    mandatory: bool | None = None


class SizeType(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
):
    """sizeType"""

    width: int | None = None
    height: int | None = None
    format: SubStringIdentifierType | None = None


class StatsType(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "view_count": "viewCount",
        "tpv_count": "tpvCount",
        "click_count": "clickCount",
        "click_commission": "clickCommission",
        "lead_count": "leadCount",
        "lead_commission": "leadCommission",
        "sale_count": "saleCount",
        "sale_commission": "saleCommission",
        "sale_amount": "saleAmount",
    },
):
    """statsType"""

    view_count: int | None = None
    tpv_count: int | None = None
    click_count: int | None = None
    click_commission: Decimal | None = None
    lead_count: int | None = None
    lead_commission: Decimal | None = None
    sale_count: int | None = None
    sale_commission: Decimal | None = None
    sale_amount: Decimal | None = None


class SubPublisherType(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
):
    """subPublisherType"""

    id: str | None = None
    commission: Decimal | None = None


class SubStringIdentifierStringType(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
):
    """subStringIdentifierStringType"""

    id: str
    value: str


class SubStringIdentifierType(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
):
    """subStringIdentifierType"""

    id: int
    value: str


class SubStringIdentifierTypeWithStatus(
    SubStringIdentifierType,
    kw_only=True,
    gc=False,
    omit_defaults=True,
):
    """subStringIdentifierTypeWithStatus"""

    active: bool | None = None


class TrackingCategoryItem(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "transaction_type": "transactionType",
        "processing_time": "processingTime",
        "view_fixed": "viewFixed",
        "click_fixed": "clickFixed",
        "lead_fixed": "leadFixed",
        "sale_fixed": "saleFixed",
        "sale_percent": "salePercent",
    },
):
    """trackingCategoryItem"""

    id: str
    name: str
    program: SubStringIdentifierType | None = None
    adspace: SubStringIdentifierType | None = None
    transaction_type: TransactionType | str | None = None
    processing_time: str | None = None
    description: str | None = None
    view_fixed: Decimal | None = None
    click_fixed: Decimal | None = None
    lead_fixed: Decimal | None = None
    sale_fixed: Decimal | None = None
    sale_percent: Decimal | None = None


class TrackingLinkType(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "adspace_id": "adspaceId",
    },
):
    """trackingLinkType"""

    adspace_id: int | None = None
    ppv: str
    ppc: str
    tpv: str | None = None


class ProgramIndustriesType(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
):
    """programIndustriesType

    reconstructed: seen in live answers since 2016; type name invented; shape read from JSON
    """

    main: SubStringIdentifierType | None = None
    """reconstructed: occurrence or type is a guess"""
    sub: list[SubStringIdentifierType] = []


class ProgramCommissionType(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "click_max": "clickMax",
        "click_min": "clickMin",
        "lead_max": "leadMax",
        "lead_min": "leadMin",
        "sale_fix_max": "saleFixMax",
        "sale_fix_min": "saleFixMin",
        "sale_percent_max": "salePercentMax",
        "sale_percent_min": "salePercentMin",
    },
):
    """programCommissionType

    reconstructed: seen in live answers since 2016; type name invented (commissionType is taken by an
    unreferenced declared type); order as in JSON
    """

    click_max: Decimal | None = None
    """reconstructed: occurrence or type is a guess"""
    click_min: Decimal | None = None
    """reconstructed: occurrence or type is a guess"""
    lead_max: Decimal | None = None
    """reconstructed: occurrence or type is a guess"""
    lead_min: Decimal | None = None
    """reconstructed: occurrence or type is a guess"""
    sale_fix_max: Decimal | None = None
    """reconstructed: occurrence or type is a guess"""
    sale_fix_min: Decimal | None = None
    """reconstructed: occurrence or type is a guess"""
    sale_percent_max: Decimal | None = None
    """reconstructed: occurrence or type is a guess"""
    sale_percent_min: Decimal | None = None
    """reconstructed: occurrence or type is a guess"""


class BasketItem(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "product_name": "productName",
        "tracking_category": "trackingCategory",
    },
):
    """basketItem

    One product of a sale's basket, with its own tracking category, amount and commission.
    """

    product_name: str
    tracking_category: SubStringIdentifierType | None = None
    amount: Decimal
    commission: Decimal
    currency: str | None = None


class GetSaleBasketRequest(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "sale_id": "saleId",
    },
):
    """GetSaleBasketRequest"""

    sale_id: str


class GetSaleBasketResponse(
    msgspec.Struct,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    rename={
        "basket_items": "basketItems",
    },
):
    """GetSaleBasketResponse"""

    basket_items: list[BasketItem] | None = None
