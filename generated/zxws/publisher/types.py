# Made by `bindgen generate publisher`. Do not edit: change the contract, run it again.
# contract: https://publisher.invalid/wsdl/2011-03-01
# its sha256: 2c637d43dec3eb4cae38bb97e9d452d7a0db3d6a230481ffd340d2b1a61e3da1
# sha256 of the additional schema: feb5b9b3c9bf6622c6fba923cec52cbd907fb7134c8e07640035c7242d9e8081
# sha256 of its settings in contracts.toml: 8532ac43c48089072cd100fb344645f0694ff8915740121122b70408f71fc8d3
"""Types of publisher 2011-03-01. Only responses can have unknown enumeration values."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from enum import StrEnum
from typing import Literal, TypedDict

from soapclient.runtime.record import Record


class AdmediaPurpose(StrEnum):
    START_PAGE = "startPage"
    PRODUCT_DEEPLINK = "productDeeplink"
    CATEGORY_DEEPLINK = "categoryDeeplink"
    SEARCH_DEEPLINK = "searchDeeplink"


AdmediaPurposeValue = Literal["startPage", "productDeeplink", "categoryDeeplink", "searchDeeplink"]


class AdmediaType(StrEnum):
    HTML = "html"
    SCRIPT = "script"
    LOOKAT_MEDIA = "lookatMedia"
    IMAGE = "image"
    IMAGE_TEXT = "imageText"
    TEXT = "text"


AdmediaTypeValue = Literal["html", "script", "lookatMedia", "image", "imageText", "text"]


class AdspaceScope(StrEnum):
    PRIVATE = "private"
    BUSINESS = "business"


AdspaceScopeValue = Literal["private", "business"]


class AdspaceType(StrEnum):
    WEBSITE = "website"
    EMAIL = "email"
    SEARCHENGINE = "searchengine"


AdspaceTypeValue = Literal["website", "email", "searchengine"]


class ApplicationType(StrEnum):
    WIDGET = "widget"
    SAAS = "saas"
    SOFTWARE = "software"


ApplicationTypeValue = Literal["widget", "saas", "software"]


class ConnectStatusType(StrEnum):
    ACTIVE = "active"
    INACTIVE = "inactive"


ConnectStatusTypeValue = Literal["active", "inactive"]


class DateType(StrEnum):
    CLICK_DATE = "clickDate"
    TRACKING_DATE = "trackingDate"
    MODIFIED_DATE = "modifiedDate"
    REVIEW_STATE_CHANGED_DATE = "reviewStateChangedDate"


DateTypeValue = Literal["clickDate", "trackingDate", "modifiedDate", "reviewStateChangedDate"]


class GroupBy(StrEnum):
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
    COUPONS = "coupons"
    SAMPLES = "samples"
    BARGAINS = "bargains"
    FREE_PRODUCTS = "freeProducts"
    NO_SHIPPING_COSTS = "noShippingCosts"
    LOTTERIES = "lotteries"


IncentiveTypeValue = Literal["coupons", "samples", "bargains", "freeProducts", "noShippingCosts", "lotteries"]


class MediaSlotStatus(StrEnum):
    ACTIVE = "active"
    DELETED = "deleted"


MediaSlotStatusValue = Literal["active", "deleted"]


class PartnerShip(StrEnum):
    DIRECT = "direct"
    INDIRECT = "indirect"


PartnerShipValue = Literal["direct", "indirect"]


class ProfileType(StrEnum):
    PUBLISHER = "publisher"
    ADVERTISER = "advertiser"


ProfileTypeValue = Literal["publisher", "advertiser"]


class ProgramApplicationStatus(StrEnum):
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
    ACTIVE = "active"
    INACTIVE = "inactive"


ProgramStatusValue = Literal["active", "inactive"]


class ReviewState(StrEnum):
    CONFIRMED = "confirmed"
    OPEN = "open"
    REJECTED = "rejected"
    APPROVED = "approved"


ReviewStateValue = Literal["confirmed", "open", "rejected", "approved"]


class RoleType(StrEnum):
    DEVELOPER = "developer"
    CUSTOMER = "customer"
    TESTER = "tester"


RoleTypeValue = Literal["developer", "customer", "tester"]


class SearchType(StrEnum):
    CONTEXTUAL = "contextual"
    PHRASE = "phrase"


SearchTypeValue = Literal["contextual", "phrase"]


class SettingType(StrEnum):
    BOOLEAN = "boolean"
    COLOR = "color"
    NUMBER = "number"
    STRING = "string"
    DATE = "date"


SettingTypeValue = Literal["boolean", "color", "number", "string", "date"]


class TransactionType(StrEnum):
    LEADS = "leads"
    SALES = "sales"


TransactionTypeValue = Literal["leads", "sales"]


class ProductPartnership(StrEnum):
    ALL = "all"
    CONFIRMED = "confirmed"


ProductPartnershipValue = Literal["all", "confirmed"]


class CreateAdspaceRequest(Record):
    adspace_item: AdspaceItem


class CreateAdspaceResponse(Record):
    adspace_item: AdspaceItem


class CreateApplicationRequest(Record):
    application_item: ApplicationItem


class CreateApplicationResponse(Record):
    application_item: ApplicationItem
    secret_key: str
    connect_id: str
    public_key: str


class CreateMediaSlotRequest(Record):
    media_slot_item: MediaSlotItem


class CreateMediaSlotResponse(Record):
    media_slot_item: MediaSlotItem


class CreateProgramApplicationRequest(Record):
    program_id: int
    adspace_id: int
    publisher_comment: str | None = None


class CreateProgramApplicationResponse(Record):
    program_application_item: ProgramApplicationItem


class CreateSettingRequest(Record):
    setting_item: SettingItem


class CreateSettingResponse(Record):
    setting_item: SettingItem


class DeleteAdspaceRequest(Record):
    adspace_id: int


class DeleteAdspaceResponse(Record):
    count: int


class DeleteApplicationRequest(Record):
    application_id: str


class DeleteApplicationResponse(Record):
    count: int


class DeleteMediaSlotRequest(Record):
    media_slot_id: str


class DeleteMediaSlotResponse(Record):
    count: int


class DeleteProgramApplicationRequest(Record):
    program_id: int
    adspace_id: int


class DeleteProgramApplicationResponse(Record):
    count: int


class DeleteSettingRequest(Record):
    key: str
    application_id: str


class DeleteSettingResponse(Record):
    count: int


class GetAdmediaRequest(Record):
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


class GetAdmediaResponse(Record):
    page: int
    items: int
    total: int
    admedium_items: list[AdmediumItem] | None = None


class GetAdmediumRequest(Record):
    admedium_id: int | None = None
    adspace_id: int | None = None
    tracking_link: str | None = None


class GetAdmediumResponse(Record):
    admedium_item: AdmediumItem | None = None


class GetAdmediumCategoriesRequest(Record):
    program_id: int


class GetAdmediumCategoriesResponse(Record):
    categories: list[SubStringIdentifierType] | None = None


class GetAdspaceRequest(Record):
    adspace_id: int


class GetAdspaceResponse(Record):
    adspace_item: AdspaceItem | None = None


class GetAdspacesRequest(Record):
    page: int | None = None
    items: int | None = None


class GetAdspacesResponse(Record):
    page: int
    items: int
    total: int
    adspace_items: list[AdspaceItem] | None = None


class GetApplicationRequest(Record):
    application_id: str


class GetApplicationResponse(Record):
    application_item: ApplicationItem | None = None


class GetApplicationsRequest(Record):
    name: str | None = None
    size: SizeType | None = None
    role: RoleType | str | None = None
    application_type: ApplicationType | str | None = None
    page: int | None = None
    items: int | None = None


class GetApplicationsResponse(Record):
    page: int
    items: int
    total: int
    application_items: list[ApplicationItem] | None = None


class GetBalanceRequest(Record):
    currency: str


class GetBalanceResponse(Record):
    balance_item: BalanceItem | None = None


class GetBalancesRequest(Record):
    page: int | None = None
    items: int | None = None


class GetBalancesResponse(Record):
    page: int
    items: int
    total: int
    balance_items: list[BalanceItem] | None = None


class GetBankAccountRequest(Record):
    bank_account_id: str


class GetBankAccountResponse(Record):
    bank_account_item: BankAccountItem | None = None


class GetBankAccountsRequest(Record):
    page: int | None = None
    items: int | None = None


class GetBankAccountsResponse(Record):
    page: int
    items: int
    total: int
    bank_account_items: list[BankAccountItem] | None = None


class GetExclusiveIncentiveRequest(Record):
    incentive_id: str
    adspace_id: int | None = None


class GetExclusiveIncentiveResponse(Record):
    incentive_item: IncentiveItem | None = None


class GetIncentiveRequest(Record):
    incentive_id: str
    adspace_id: int | None = None


class GetIncentiveResponse(Record):
    incentive_item: IncentiveItem | None = None


class GetLeadRequest(Record):
    lead_id: str


class GetLeadResponse(Record):
    lead_item: LeadItem | None = None


class GetLeadsRequest(Record):
    program_id: int | None = None
    adspace_id: int | None = None
    review_state: ReviewState | str | None = None
    date: dt.date
    date_type: DateType | str | None = None
    page: int | None = None
    items: int | None = None


class GetLeadsResponse(Record):
    page: int
    items: int
    total: int
    lead_items: list[LeadItem] | None = None


class GetMediaSlotRequest(Record):
    media_slot_id: str


class GetMediaSlotResponse(Record):
    media_slot_item: MediaSlotItem | None = None


class GetMediaSlotsRequest(Record):
    adspace_id: int | None = None
    size: SizeType | None = None
    page: int | None = None
    items: int | None = None


class GetMediaSlotsResponse(Record):
    page: int
    items: int
    total: int
    media_slot_items: list[MediaSlotItem] | None = None


class GetPaymentRequest(Record):
    payment_id: str


class GetPaymentResponse(Record):
    payment_item: PaymentItem | None = None


class GetPaymentsRequest(Record):
    page: int | None = None
    items: int | None = None


class GetPaymentsResponse(Record):
    page: int
    items: int
    total: int
    payment_items: list[PaymentItem] | None = None


class GetProductRequest(Record):
    zup_id: str
    adspace_id: int | None = None


class GetProductResponse(Record):
    product_item: ProductItem | None = None


class GetProductCategoriesRequest(Record):
    root_category: int | None = None
    include_childs: bool | None = None
    region: str | None = None


class GetProductCategoriesResponse(Record):
    categories: list[ProductCategoryType] | None = None


class GetProfileRequest(Record):
    pass


class GetProfileResponse(Record):
    profile_item: ProfileItem | None = None


class GetProgramRequest(Record):
    program_id: int


class GetProgramResponse(Record):
    program_item: ProgramItem | None = None


class GetProgramApplicationsRequest(Record):
    adspace_id: int | None = None
    program_id: int | None = None
    status: ProgramApplicationStatus | str | None = None
    page: int | None = None
    items: int | None = None


class GetProgramApplicationsResponse(Record):
    page: int
    items: int
    total: int
    program_application_items: list[ProgramApplicationItem] | None = None


class GetProgramCategoriesRequest(Record):
    pass


class GetProgramCategoriesResponse(Record):
    categories: list[SubStringIdentifierType] | None = None


class GetReportBasicRequest(Record):
    currency: str | None = None
    program_id: int | None = None
    admedium_id: int | None = None
    adspace_id: int | None = None
    review_state: ReviewState | str | None = None
    group_by: list[GroupBy | str] = []
    from_date: dt.date
    to_date: dt.date
    date_type: DateType | str | None = None


class GetReportBasicResponse(Record):
    page: int
    items: int
    total: int
    report_items: list[ReportItem] | None = None


class GetSaleRequest(Record):
    sale_id: str


class GetSaleResponse(Record):
    sale_item: SaleItem | None = None


class GetSalesRequest(Record):
    program_id: int | None = None
    adspace_id: int | None = None
    review_state: ReviewState | str | None = None
    date: dt.date
    date_type: DateType | str | None = None
    page: int | None = None
    items: int | None = None


class GetSalesResponse(Record):
    page: int
    items: int
    total: int
    sale_items: list[SaleItem] | None = None


class GetSettingRequest(Record):
    application_id: str
    media_slot_id: str | None = None
    key: str


class GetSettingResponse(Record):
    setting_item: SettingItem


class GetSettingsRequest(Record):
    application_id: str | None = None
    media_slot_id: str | None = None
    page: int | None = None
    items: int | None = None


class GetSettingsResponse(Record):
    page: int
    items: int
    total: int
    setting_items: list[SettingItem] | None = None


class GetTrackingCategoriesRequest(Record):
    adspace_id: int
    program_id: int
    page: int | None = None
    items: int | None = None


class GetTrackingCategoriesResponse(Record):
    page: int
    items: int
    total: int
    tracking_category_item: list[TrackingCategoryItem] | None = None


class SearchExclusiveIncentivesRequest(Record):
    page: int | None = None
    items: int | None = None
    program_id: int | None = None
    incentive_type: IncentiveType | str | None = None
    region: str | None = None
    adspace_id: int | None = None


class SearchExclusiveIncentivesResponse(Record):
    page: int
    items: int
    total: int
    incentive_items: list[IncentiveItem] | None = None


class SearchIncentivesRequest(Record):
    page: int | None = None
    items: int | None = None
    program_id: int | None = None
    incentive_type: IncentiveType | str | None = None
    region: str | None = None
    adspace_id: int | None = None


class SearchIncentivesResponse(Record):
    page: int
    items: int
    total: int
    incentive_items: list[IncentiveItem] | None = None


class SearchProductsRequest(Record):
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


class SearchProductsResponse(Record):
    page: int
    items: int
    total: int
    query: str | None = None
    """Required by the contract, but missing in some responses."""
    product_items: list[ProductItem] | None = None


class SearchProgramsRequest(Record):
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


class SearchProgramsResponse(Record):
    page: int
    items: int
    total: int
    query: str | None = None
    program_items: list[ProgramItem] | None = None


class UpdateAdspaceRequest(Record):
    adspace_item: AdspaceItem


class UpdateAdspaceResponse(Record):
    adspace_item: AdspaceItem


class UpdateApplicationRequest(Record):
    application_item: ApplicationItem


class UpdateApplicationResponse(Record):
    application_item: ApplicationItem


class UpdateMediaSlotRequest(Record):
    media_slot_item: MediaSlotItem


class UpdateMediaSlotResponse(Record):
    media_slot_item: MediaSlotItem


class UpdateProfileRequest(Record):
    profile_item: ProfileItem | ProfileItemChanges


class UpdateProfileResponse(Record):
    profile_item: ProfileItem


class UpdateSettingRequest(Record):
    setting_item: SettingItem


class UpdateSettingResponse(Record):
    setting_item: SettingItem


class AdmediumItem(Record):
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


class AdspaceItem(Record):
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


class ApplicationItem(Record):
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


class BalanceItem(Record):
    id: str | None = None
    open: Decimal
    confirmed: Decimal


class BankAccountItem(Record):
    id: str | None = None
    name: str
    iban: str | None = None
    """Required by the contract, but missing in some responses."""
    swift: str | None = None
    """Required by the contract, but missing in some responses."""
    bank_code: str
    account_number: str
    owner: str
    address: str | None = None
    country: str
    min_payout: Decimal


class ConnectType(Record):
    role: RoleType | str
    connect_id: str
    status: ConnectStatusType | str


class GppType(Record):
    id: str
    value: str


class ImageType(Record):
    small: str | None = None
    medium: str | None = None
    large: str | None = None


class IncentiveItem(Record):
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


class LeadItem(Record):
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


class MediaSlotItem(Record):
    id: str | None = None
    name: str
    size: SizeType | None = None
    adspace: SubStringIdentifierType
    applications: list[SubStringIdentifierStringType]
    status: MediaSlotStatus | str
    create_date: dt.datetime | None = None
    modified_date: dt.datetime | None = None


class PaymentItem(Record):
    id: str | None = None
    create_date: dt.datetime
    modified_date: dt.datetime | None = None
    payout_date: dt.datetime | None = None
    status: str
    amount: Decimal
    currency: str
    bank_account_item: BankAccountItem | None = None


class PricingType(Record):
    id: str | None = None
    share: Decimal
    setup: Decimal | None = None
    monthly: Decimal
    currency: str | None = None
    description: str | None = None


class PrizeType(Record):
    id: str | None = None
    name: str
    description: str | None = None
    count: int
    rank: int


class ProductCategoryType(Record):
    id: int
    name: str
    count: int
    category: list[ProductCategoryType] = []


class ProductItem(Record):
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


class ProfileItem(Record):
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
    """Changes to a ProfileItem. Fields that are missing here keep their values."""

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


class ProgramApplicationItem(Record):
    id: int
    program: SubStringIdentifierTypeWithStatus
    adspace: SubStringIdentifierType
    status: ProgramApplicationStatus | str
    create_date: dt.datetime
    allow_tpv: bool
    approved_date: dt.datetime | None = None
    publisher_comment: str | None = None
    advertiser_comment: str | None = None


class ProgramItem(Record):
    id: int
    name: str
    adrank: float
    application_required: bool
    description: str
    description_local: str
    products: int
    vertical: SubStringIdentifierType | None = None
    """Required by the contract, but missing in some responses."""
    regions: list[str] | None = None
    categories: list[SubStringIdentifierType] | None = None
    start_date: dt.datetime
    url: str
    image: str
    currency: str
    status: ProgramStatus | str
    terms: str | None = None
    """Required by the contract, but missing in some responses."""
    terms_url: str | None = None
    """Required by the contract, but missing in some responses."""
    policies: list[SubStringIdentifierType] | None = None
    return_time_leads: str | None = None
    return_time_sales: str | None = None
    industries: ProgramIndustriesType | None = None
    """Reconstructed: seen in responses since 2016, but not in the published contract."""
    commission: ProgramCommissionType | None = None
    """Reconstructed: seen in responses since 2016, but not in the published contract."""


class ReportItem(Record):
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


class SaleItem(Record):
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


class SettingItem(Record):
    application: SubStringIdentifierStringType
    mediaslot: SubStringIdentifierStringType | None = None
    key: str
    value: str | None = None
    custom_value: str | None = None
    type: SettingType | str | None = None
    name: str | None = None
    description: str | None = None
    mandatory: bool | None = None


class SizeType(Record):
    width: int | None = None
    height: int | None = None
    format: SubStringIdentifierType | None = None


class StatsType(Record):
    view_count: int | None = None
    tpv_count: int | None = None
    click_count: int | None = None
    click_commission: Decimal | None = None
    lead_count: int | None = None
    lead_commission: Decimal | None = None
    sale_count: int | None = None
    sale_commission: Decimal | None = None
    sale_amount: Decimal | None = None


class SubPublisherType(Record):
    id: str | None = None
    commission: Decimal | None = None


class SubStringIdentifierStringType(Record):
    id: str
    value: str


class SubStringIdentifierType(Record):
    id: int
    value: str


class SubStringIdentifierTypeWithStatus(SubStringIdentifierType):
    active: bool | None = None


class TrackingCategoryItem(Record):
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


class TrackingLinkType(Record):
    adspace_id: int | None = None
    ppv: str
    ppc: str
    tpv: str | None = None


class ProgramIndustriesType(Record):
    """Reconstructed: seen in responses since 2016. The name of the type is invented, and its fields are
    taken from JSON.
    """

    main: SubStringIdentifierType | None = None
    """reconstructed: occurrence or type is a guess"""
    sub: list[SubStringIdentifierType] = []


class ProgramCommissionType(Record):
    """Reconstructed: seen in responses since 2016. The name of the type is invented, because an unused
    type is already named commissionType. The order is the order in JSON.
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


class BasketItem(Record):
    """One product of a sale's basket, with its own tracking category, amount and commission."""

    product_name: str
    tracking_category: SubStringIdentifierType | None = None
    amount: Decimal
    commission: Decimal
    currency: str | None = None


class GetSaleBasketRequest(Record):
    sale_id: str


class GetSaleBasketResponse(Record):
    basket_items: list[BasketItem] | None = None
