# Made by `bindgen generate publisher`. Do not edit: change the contract, run it again.
# contract: https://publisher.invalid/wsdl/2011-03-01
# its sha256: f0c7e16de9b30f837d2f73846452df6dc045765562e183ee3cdb2df3dd8fe115
# sha256 of the schema beside it: 3c1132b649756047e411e7c474dba3f758ba2d30c37b5fc8cdb22a8771cacd60
# sha256 of its settings in contracts.toml: 07c220246075913c79552a80cfbd10bf1952b7b89e5b91f689d711f58e94e05e
"""How the types of publisher 2011-03-01 are read and written."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

from soapclient.runtime.leaves import (
    Choice,
    no_attributes,
)
from soapclient.runtime.protocols import (
    Node,
    Reader,
    Wire,
    Writer,
)
from soapclient.runtime.reading import (
    absent,
    read_list,
    repeated,
)
from soapclient.runtime.scalars import (
    ANY_URI,
    BOOLEAN,
    DATE_TIME,
    DAY,
    EXACT_DOUBLE,
    EXACT_FLOAT,
    FLOAT,
    INT,
    LONG,
    STRING,
)
from soapclient.runtime.writing import (
    expect,
    expect_changes,
    required,
    write,
    write_choice,
    write_day,
    write_list,
    write_texts,
)
from zxws.publisher.types import (
    AdmediaPurpose,
    AdmediaType,
    AdmediumItem,
    AdspaceItem,
    AdspaceScope,
    AdspaceType,
    ApplicationItem,
    ApplicationType,
    BalanceItem,
    BankAccountItem,
    BasketItem,
    ConnectStatusType,
    ConnectType,
    CreateAdspaceRequest,
    CreateAdspaceResponse,
    CreateApplicationRequest,
    CreateApplicationResponse,
    CreateMediaSlotRequest,
    CreateMediaSlotResponse,
    CreateProgramApplicationRequest,
    CreateProgramApplicationResponse,
    CreateSettingRequest,
    CreateSettingResponse,
    DateType,
    DeleteAdspaceRequest,
    DeleteAdspaceResponse,
    DeleteApplicationRequest,
    DeleteApplicationResponse,
    DeleteMediaSlotRequest,
    DeleteMediaSlotResponse,
    DeleteProgramApplicationRequest,
    DeleteProgramApplicationResponse,
    DeleteSettingRequest,
    DeleteSettingResponse,
    GetAdmediaRequest,
    GetAdmediaResponse,
    GetAdmediumCategoriesRequest,
    GetAdmediumCategoriesResponse,
    GetAdmediumRequest,
    GetAdmediumResponse,
    GetAdspaceRequest,
    GetAdspaceResponse,
    GetAdspacesRequest,
    GetAdspacesResponse,
    GetApplicationRequest,
    GetApplicationResponse,
    GetApplicationsRequest,
    GetApplicationsResponse,
    GetBalanceRequest,
    GetBalanceResponse,
    GetBalancesRequest,
    GetBalancesResponse,
    GetBankAccountRequest,
    GetBankAccountResponse,
    GetBankAccountsRequest,
    GetBankAccountsResponse,
    GetExclusiveIncentiveRequest,
    GetExclusiveIncentiveResponse,
    GetIncentiveRequest,
    GetIncentiveResponse,
    GetLeadRequest,
    GetLeadResponse,
    GetLeadsRequest,
    GetLeadsResponse,
    GetMediaSlotRequest,
    GetMediaSlotResponse,
    GetMediaSlotsRequest,
    GetMediaSlotsResponse,
    GetPaymentRequest,
    GetPaymentResponse,
    GetPaymentsRequest,
    GetPaymentsResponse,
    GetProductCategoriesRequest,
    GetProductCategoriesResponse,
    GetProductRequest,
    GetProductResponse,
    GetProfileRequest,
    GetProfileResponse,
    GetProgramApplicationsRequest,
    GetProgramApplicationsResponse,
    GetProgramCategoriesRequest,
    GetProgramCategoriesResponse,
    GetProgramRequest,
    GetProgramResponse,
    GetReportBasicRequest,
    GetReportBasicResponse,
    GetSaleBasketRequest,
    GetSaleBasketResponse,
    GetSaleRequest,
    GetSaleResponse,
    GetSalesRequest,
    GetSalesResponse,
    GetSettingRequest,
    GetSettingResponse,
    GetSettingsRequest,
    GetSettingsResponse,
    GetTrackingCategoriesRequest,
    GetTrackingCategoriesResponse,
    GppType,
    GroupBy,
    ImageType,
    IncentiveItem,
    IncentiveType,
    LeadItem,
    MediaSlotItem,
    MediaSlotStatus,
    PartnerShip,
    PaymentItem,
    PricingType,
    PrizeType,
    ProductCategoryType,
    ProductItem,
    ProductPartnership,
    ProfileItem,
    ProfileItemChanges,
    ProfileType,
    ProgramApplicationItem,
    ProgramApplicationStatus,
    ProgramCommissionType,
    ProgramIndustriesType,
    ProgramItem,
    ProgramStatus,
    ReportItem,
    ReviewState,
    RoleType,
    SaleItem,
    SearchExclusiveIncentivesRequest,
    SearchExclusiveIncentivesResponse,
    SearchIncentivesRequest,
    SearchIncentivesResponse,
    SearchProductsRequest,
    SearchProductsResponse,
    SearchProgramsRequest,
    SearchProgramsResponse,
    SearchType,
    SettingItem,
    SettingType,
    SizeType,
    StatsType,
    SubPublisherType,
    SubStringIdentifierStringType,
    SubStringIdentifierType,
    SubStringIdentifierTypeWithStatus,
    TrackingCategoryItem,
    TrackingLinkType,
    TransactionType,
    UpdateAdspaceRequest,
    UpdateAdspaceResponse,
    UpdateApplicationRequest,
    UpdateApplicationResponse,
    UpdateMediaSlotRequest,
    UpdateMediaSlotResponse,
    UpdateProfileRequest,
    UpdateProfileResponse,
    UpdateSettingRequest,
    UpdateSettingResponse,
)

T_ADSPACE_ITEM = "{http://api.zanox.com/namespace/2011-03-01/}adspaceItem"
T_APPLICATION_ITEM = "{http://api.zanox.com/namespace/2011-03-01/}applicationItem"
T_SECRET_KEY = "{http://api.zanox.com/namespace/2011-03-01/}secretKey"
T_CONNECT_ID = "{http://api.zanox.com/namespace/2011-03-01/}connectId"
T_PUBLIC_KEY = "{http://api.zanox.com/namespace/2011-03-01/}publicKey"
T_MEDIA_SLOT_ITEM = "{http://api.zanox.com/namespace/2011-03-01/}mediaSlotItem"
T_PROGRAM_ID = "{http://api.zanox.com/namespace/2011-03-01/}programId"
T_ADSPACE_ID = "{http://api.zanox.com/namespace/2011-03-01/}adspaceId"
T_PUBLISHER_COMMENT = "{http://api.zanox.com/namespace/2011-03-01/}publisherComment"
T_PROGRAM_APPLICATION_ITEM = "{http://api.zanox.com/namespace/2011-03-01/}programApplicationItem"
T_SETTING_ITEM = "{http://api.zanox.com/namespace/2011-03-01/}settingItem"
T_COUNT = "{http://api.zanox.com/namespace/2011-03-01/}count"
T_APPLICATION_ID = "{http://api.zanox.com/namespace/2011-03-01/}applicationId"
T_MEDIA_SLOT_ID = "{http://api.zanox.com/namespace/2011-03-01/}mediaSlotId"
T_KEY = "{http://api.zanox.com/namespace/2011-03-01/}key"
T_Q = "{http://api.zanox.com/namespace/2011-03-01/}q"
T_REGION = "{http://api.zanox.com/namespace/2011-03-01/}region"
T_FORMAT = "{http://api.zanox.com/namespace/2011-03-01/}format"
T_PARTNER_SHIP = "{http://api.zanox.com/namespace/2011-03-01/}partnerShip"
T_PURPOSE = "{http://api.zanox.com/namespace/2011-03-01/}purpose"
T_ADMEDIUM_TYPE = "{http://api.zanox.com/namespace/2011-03-01/}admediumType"
T_CATEGORY_ID = "{http://api.zanox.com/namespace/2011-03-01/}categoryId"
T_PAGE = "{http://api.zanox.com/namespace/2011-03-01/}page"
T_ITEMS = "{http://api.zanox.com/namespace/2011-03-01/}items"
T_TOTAL = "{http://api.zanox.com/namespace/2011-03-01/}total"
T_ADMEDIUM_ITEMS = "{http://api.zanox.com/namespace/2011-03-01/}admediumItems"
T_ADMEDIUM_ITEM = "{http://api.zanox.com/namespace/2011-03-01/}admediumItem"
T_ADMEDIUM_ID = "{http://api.zanox.com/namespace/2011-03-01/}admediumId"
T_TRACKING_LINK = "{http://api.zanox.com/namespace/2011-03-01/}trackingLink"
T_CATEGORIES = "{http://api.zanox.com/namespace/2011-03-01/}categories"
T_CATEGORY = "{http://api.zanox.com/namespace/2011-03-01/}category"
T_ADSPACE_ITEMS = "{http://api.zanox.com/namespace/2011-03-01/}adspaceItems"
T_NAME = "{http://api.zanox.com/namespace/2011-03-01/}name"
T_SIZE = "{http://api.zanox.com/namespace/2011-03-01/}size"
T_ROLE = "{http://api.zanox.com/namespace/2011-03-01/}role"
T_APPLICATION_TYPE = "{http://api.zanox.com/namespace/2011-03-01/}applicationType"
T_APPLICATION_ITEMS = "{http://api.zanox.com/namespace/2011-03-01/}applicationItems"
T_CURRENCY = "{http://api.zanox.com/namespace/2011-03-01/}currency"
T_BALANCE_ITEM = "{http://api.zanox.com/namespace/2011-03-01/}balanceItem"
T_BALANCE_ITEMS = "{http://api.zanox.com/namespace/2011-03-01/}balanceItems"
T_BANK_ACCOUNT_ID = "{http://api.zanox.com/namespace/2011-03-01/}bankAccountId"
T_BANK_ACCOUNT_ITEM = "{http://api.zanox.com/namespace/2011-03-01/}bankAccountItem"
T_BANK_ACCOUNT_ITEMS = "{http://api.zanox.com/namespace/2011-03-01/}bankAccountItems"
T_INCENTIVE_ID = "{http://api.zanox.com/namespace/2011-03-01/}incentiveId"
T_INCENTIVE_ITEM = "{http://api.zanox.com/namespace/2011-03-01/}incentiveItem"
T_LEAD_ID = "{http://api.zanox.com/namespace/2011-03-01/}leadId"
T_LEAD_ITEM = "{http://api.zanox.com/namespace/2011-03-01/}leadItem"
T_REVIEW_STATE = "{http://api.zanox.com/namespace/2011-03-01/}reviewState"
T_DATE = "{http://api.zanox.com/namespace/2011-03-01/}date"
T_DATE_TYPE = "{http://api.zanox.com/namespace/2011-03-01/}dateType"
T_LEAD_ITEMS = "{http://api.zanox.com/namespace/2011-03-01/}leadItems"
T_MEDIA_SLOT_ITEMS = "{http://api.zanox.com/namespace/2011-03-01/}mediaSlotItems"
T_PAYMENT_ID = "{http://api.zanox.com/namespace/2011-03-01/}paymentId"
T_PAYMENT_ITEM = "{http://api.zanox.com/namespace/2011-03-01/}paymentItem"
T_PAYMENT_ITEMS = "{http://api.zanox.com/namespace/2011-03-01/}paymentItems"
T_ZUP_ID = "{http://api.zanox.com/namespace/2011-03-01/}zupId"
T_PRODUCT_ITEM = "{http://api.zanox.com/namespace/2011-03-01/}productItem"
T_ROOT_CATEGORY = "{http://api.zanox.com/namespace/2011-03-01/}rootCategory"
T_INCLUDE_CHILDS = "{http://api.zanox.com/namespace/2011-03-01/}includeChilds"
T_PROFILE_ITEM = "{http://api.zanox.com/namespace/2011-03-01/}profileItem"
T_PROGRAM_ITEM = "{http://api.zanox.com/namespace/2011-03-01/}programItem"
T_STATUS = "{http://api.zanox.com/namespace/2011-03-01/}status"
T_PROGRAM_APPLICATION_ITEMS = "{http://api.zanox.com/namespace/2011-03-01/}programApplicationItems"
T_GROUP_BY = "{http://api.zanox.com/namespace/2011-03-01/}groupBy"
T_FROM_DATE = "{http://api.zanox.com/namespace/2011-03-01/}fromDate"
T_TO_DATE = "{http://api.zanox.com/namespace/2011-03-01/}toDate"
T_REPORT_ITEMS = "{http://api.zanox.com/namespace/2011-03-01/}reportItems"
T_REPORT_ITEM = "{http://api.zanox.com/namespace/2011-03-01/}reportItem"
T_SALE_ID = "{http://api.zanox.com/namespace/2011-03-01/}saleId"
T_SALE_ITEM = "{http://api.zanox.com/namespace/2011-03-01/}saleItem"
T_SALE_ITEMS = "{http://api.zanox.com/namespace/2011-03-01/}saleItems"
T_SETTING_ITEMS = "{http://api.zanox.com/namespace/2011-03-01/}settingItems"
T_TRACKING_CATEGORY_ITEM = "{http://api.zanox.com/namespace/2011-03-01/}trackingCategoryItem"
T_INCENTIVE_TYPE = "{http://api.zanox.com/namespace/2011-03-01/}incentiveType"
T_INCENTIVE_ITEMS = "{http://api.zanox.com/namespace/2011-03-01/}incentiveItems"
T_QUERY = "{http://api.zanox.com/namespace/2011-03-01/}query"
T_SEARCH_TYPE = "{http://api.zanox.com/namespace/2011-03-01/}searchType"
T_HAS_IMAGES = "{http://api.zanox.com/namespace/2011-03-01/}hasImages"
T_MIN_PRICE = "{http://api.zanox.com/namespace/2011-03-01/}minPrice"
T_MAX_PRICE = "{http://api.zanox.com/namespace/2011-03-01/}maxPrice"
T_EAN = "{http://api.zanox.com/namespace/2011-03-01/}ean"
T_MERCHANT_CATEGORY = "{http://api.zanox.com/namespace/2011-03-01/}merchantCategory"
T_PARTNERSHIP = "{http://api.zanox.com/namespace/2011-03-01/}partnership"
T_PRODUCT_ITEMS = "{http://api.zanox.com/namespace/2011-03-01/}productItems"
T_START_DATE = "{http://api.zanox.com/namespace/2011-03-01/}startDate"
T_HAS_PRODUCTS = "{http://api.zanox.com/namespace/2011-03-01/}hasProducts"
T_INDUSTRY = "{http://api.zanox.com/namespace/2011-03-01/}industry"
T_IS_EXCLUSIVE = "{http://api.zanox.com/namespace/2011-03-01/}isExclusive"
T_PROGRAM_ITEMS = "{http://api.zanox.com/namespace/2011-03-01/}programItems"
T_ADRANK = "{http://api.zanox.com/namespace/2011-03-01/}adrank"
T_PROGRAM = "{http://api.zanox.com/namespace/2011-03-01/}program"
T_TITLE = "{http://api.zanox.com/namespace/2011-03-01/}title"
T_HEIGHT = "{http://api.zanox.com/namespace/2011-03-01/}height"
T_WIDTH = "{http://api.zanox.com/namespace/2011-03-01/}width"
T_CODE = "{http://api.zanox.com/namespace/2011-03-01/}code"
T_DESCRIPTION = "{http://api.zanox.com/namespace/2011-03-01/}description"
T_INSTRUCTION = "{http://api.zanox.com/namespace/2011-03-01/}instruction"
T_GROUP = "{http://api.zanox.com/namespace/2011-03-01/}group"
T_TAGS = "{http://api.zanox.com/namespace/2011-03-01/}tags"
T_TAG = "{http://api.zanox.com/namespace/2011-03-01/}tag"
T_TRACKING_LINKS = "{http://api.zanox.com/namespace/2011-03-01/}trackingLinks"
T_URL = "{http://api.zanox.com/namespace/2011-03-01/}url"
T_ADSPACE_TYPE = "{http://api.zanox.com/namespace/2011-03-01/}adspaceType"
T_VISITORS = "{http://api.zanox.com/namespace/2011-03-01/}visitors"
T_IMPRESSIONS = "{http://api.zanox.com/namespace/2011-03-01/}impressions"
T_SCOPE = "{http://api.zanox.com/namespace/2011-03-01/}scope"
T_REGIONS = "{http://api.zanox.com/namespace/2011-03-01/}regions"
T_LANGUAGE = "{http://api.zanox.com/namespace/2011-03-01/}language"
T_CHECK_NUMBER = "{http://api.zanox.com/namespace/2011-03-01/}checkNumber"
T_VERSION = "{http://api.zanox.com/namespace/2011-03-01/}version"
T_MEDIA_SLOT_COMPATIBLE = "{http://api.zanox.com/namespace/2011-03-01/}mediaSlotCompatible"
T_INLINE = "{http://api.zanox.com/namespace/2011-03-01/}inline"
T_INTEGRATION_CODE = "{http://api.zanox.com/namespace/2011-03-01/}integrationCode"
T_INTEGRATION_NOTES = "{http://api.zanox.com/namespace/2011-03-01/}integrationNotes"
T_TERMS = "{http://api.zanox.com/namespace/2011-03-01/}terms"
T_CONNECT = "{http://api.zanox.com/namespace/2011-03-01/}connect"
T_CONNECT_URL = "{http://api.zanox.com/namespace/2011-03-01/}connectUrl"
T_CANCEL_URL = "{http://api.zanox.com/namespace/2011-03-01/}cancelUrl"
T_DOCUMENTATION_URL = "{http://api.zanox.com/namespace/2011-03-01/}documentationUrl"
T_COMPANY_URL = "{http://api.zanox.com/namespace/2011-03-01/}companyUrl"
T_DEVELOPER = "{http://api.zanox.com/namespace/2011-03-01/}developer"
T_PRICING = "{http://api.zanox.com/namespace/2011-03-01/}pricing"
T_MODIFIED_DATE = "{http://api.zanox.com/namespace/2011-03-01/}modifiedDate"
T_INSTALLABLE_TO = "{http://api.zanox.com/namespace/2011-03-01/}installableTo"
T_TECHNIQUE = "{http://api.zanox.com/namespace/2011-03-01/}technique"
T_LOGO_URL = "{http://api.zanox.com/namespace/2011-03-01/}logoUrl"
T_PREVIEW_URL = "{http://api.zanox.com/namespace/2011-03-01/}previewUrl"
T_OPEN = "{http://api.zanox.com/namespace/2011-03-01/}open"
T_CONFIRMED = "{http://api.zanox.com/namespace/2011-03-01/}confirmed"
T_IBAN = "{http://api.zanox.com/namespace/2011-03-01/}iban"
T_SWIFT = "{http://api.zanox.com/namespace/2011-03-01/}swift"
T_BANK_CODE = "{http://api.zanox.com/namespace/2011-03-01/}bankCode"
T_ACCOUNT_NUMBER = "{http://api.zanox.com/namespace/2011-03-01/}accountNumber"
T_OWNER = "{http://api.zanox.com/namespace/2011-03-01/}owner"
T_ADDRESS = "{http://api.zanox.com/namespace/2011-03-01/}address"
T_COUNTRY = "{http://api.zanox.com/namespace/2011-03-01/}country"
T_MIN_PAYOUT = "{http://api.zanox.com/namespace/2011-03-01/}minPayout"
T_SMALL = "{http://api.zanox.com/namespace/2011-03-01/}small"
T_MEDIUM = "{http://api.zanox.com/namespace/2011-03-01/}medium"
T_LARGE = "{http://api.zanox.com/namespace/2011-03-01/}large"
T_ADMEDIA = "{http://api.zanox.com/namespace/2011-03-01/}admedia"
T_CREATE_DATE = "{http://api.zanox.com/namespace/2011-03-01/}createDate"
T_END_DATE = "{http://api.zanox.com/namespace/2011-03-01/}endDate"
T_INFO4PUBLISHER = "{http://api.zanox.com/namespace/2011-03-01/}info4publisher"
T_INFO4CUSTOMER = "{http://api.zanox.com/namespace/2011-03-01/}info4customer"
T_COUPON_CODE = "{http://api.zanox.com/namespace/2011-03-01/}couponCode"
T_PERCENTAGE = "{http://api.zanox.com/namespace/2011-03-01/}percentage"
T_RESTRICTIONS = "{http://api.zanox.com/namespace/2011-03-01/}restrictions"
T_NEW_CUSTOMER_ONLY = "{http://api.zanox.com/namespace/2011-03-01/}newCustomerOnly"
T_MINIMUM_BASKET_VALUE = "{http://api.zanox.com/namespace/2011-03-01/}minimumBasketValue"
T_PRIZES = "{http://api.zanox.com/namespace/2011-03-01/}prizes"
T_PRIZE = "{http://api.zanox.com/namespace/2011-03-01/}prize"
T_TRACKING_DATE = "{http://api.zanox.com/namespace/2011-03-01/}trackingDate"
T_CLICK_DATE = "{http://api.zanox.com/namespace/2011-03-01/}clickDate"
T_ADSPACE = "{http://api.zanox.com/namespace/2011-03-01/}adspace"
T_ADMEDIUM = "{http://api.zanox.com/namespace/2011-03-01/}admedium"
T_CLICK_ID = "{http://api.zanox.com/namespace/2011-03-01/}clickId"
T_CLICK_IN_ID = "{http://api.zanox.com/namespace/2011-03-01/}clickInId"
T_COMMISSION = "{http://api.zanox.com/namespace/2011-03-01/}commission"
T_SUB_PUBLISHER = "{http://api.zanox.com/namespace/2011-03-01/}subPublisher"
T_GPPS = "{http://api.zanox.com/namespace/2011-03-01/}gpps"
T_GPP = "{http://api.zanox.com/namespace/2011-03-01/}gpp"
T_REVIEW_NOTE = "{http://api.zanox.com/namespace/2011-03-01/}reviewNote"
T_TRACKING_CATEGORY = "{http://api.zanox.com/namespace/2011-03-01/}trackingCategory"
T_APPLICATIONS = "{http://api.zanox.com/namespace/2011-03-01/}applications"
T_APPLICATION = "{http://api.zanox.com/namespace/2011-03-01/}application"
T_PAYOUT_DATE = "{http://api.zanox.com/namespace/2011-03-01/}payoutDate"
T_AMOUNT = "{http://api.zanox.com/namespace/2011-03-01/}amount"
T_SHARE = "{http://api.zanox.com/namespace/2011-03-01/}share"
T_SETUP = "{http://api.zanox.com/namespace/2011-03-01/}setup"
T_MONTHLY = "{http://api.zanox.com/namespace/2011-03-01/}monthly"
T_RANK = "{http://api.zanox.com/namespace/2011-03-01/}rank"
T_ID = "{http://api.zanox.com/namespace/2011-03-01/}id"
T_MODIFIED = "{http://api.zanox.com/namespace/2011-03-01/}modified"
T_PRICE = "{http://api.zanox.com/namespace/2011-03-01/}price"
T_DESCRIPTION_LONG = "{http://api.zanox.com/namespace/2011-03-01/}descriptionLong"
T_MANUFACTURER = "{http://api.zanox.com/namespace/2011-03-01/}manufacturer"
T_DELIVERY_TIME = "{http://api.zanox.com/namespace/2011-03-01/}deliveryTime"
T_IMAGE = "{http://api.zanox.com/namespace/2011-03-01/}image"
T_PRICE_OLD = "{http://api.zanox.com/namespace/2011-03-01/}priceOld"
T_SHIPPING_COSTS = "{http://api.zanox.com/namespace/2011-03-01/}shippingCosts"
T_SHIPPING = "{http://api.zanox.com/namespace/2011-03-01/}shipping"
T_MERCHANT_PRODUCT_ID = "{http://api.zanox.com/namespace/2011-03-01/}merchantProductId"
T_FIRST_NAME = "{http://api.zanox.com/namespace/2011-03-01/}firstName"
T_LAST_NAME = "{http://api.zanox.com/namespace/2011-03-01/}lastName"
T_EMAIL = "{http://api.zanox.com/namespace/2011-03-01/}email"
T_STREET1 = "{http://api.zanox.com/namespace/2011-03-01/}street1"
T_CITY = "{http://api.zanox.com/namespace/2011-03-01/}city"
T_ZIPCODE = "{http://api.zanox.com/namespace/2011-03-01/}zipcode"
T_COMPANY = "{http://api.zanox.com/namespace/2011-03-01/}company"
T_STREET2 = "{http://api.zanox.com/namespace/2011-03-01/}street2"
T_PHONE = "{http://api.zanox.com/namespace/2011-03-01/}phone"
T_MOBILE = "{http://api.zanox.com/namespace/2011-03-01/}mobile"
T_FAX = "{http://api.zanox.com/namespace/2011-03-01/}fax"
T_LOGIN_NAME = "{http://api.zanox.com/namespace/2011-03-01/}loginName"
T_USER_NAME = "{http://api.zanox.com/namespace/2011-03-01/}userName"
T_IS_ADVERTISER = "{http://api.zanox.com/namespace/2011-03-01/}isAdvertiser"
T_IS_SUBLOGIN = "{http://api.zanox.com/namespace/2011-03-01/}isSublogin"
T_ALLOW_TPV = "{http://api.zanox.com/namespace/2011-03-01/}allowTpv"
T_APPROVED_DATE = "{http://api.zanox.com/namespace/2011-03-01/}approvedDate"
T_ADVERTISER_COMMENT = "{http://api.zanox.com/namespace/2011-03-01/}advertiserComment"
T_APPLICATION_REQUIRED = "{http://api.zanox.com/namespace/2011-03-01/}applicationRequired"
T_DESCRIPTION_LOCAL = "{http://api.zanox.com/namespace/2011-03-01/}descriptionLocal"
T_PRODUCTS = "{http://api.zanox.com/namespace/2011-03-01/}products"
T_VERTICAL = "{http://api.zanox.com/namespace/2011-03-01/}vertical"
T_TERMS_URL = "{http://api.zanox.com/namespace/2011-03-01/}termsUrl"
T_POLICIES = "{http://api.zanox.com/namespace/2011-03-01/}policies"
T_POLICY = "{http://api.zanox.com/namespace/2011-03-01/}policy"
T_RETURN_TIME_LEADS = "{http://api.zanox.com/namespace/2011-03-01/}returnTimeLeads"
T_RETURN_TIME_SALES = "{http://api.zanox.com/namespace/2011-03-01/}returnTimeSales"
T_INDUSTRIES = "{http://api.zanox.com/namespace/2011-03-01/}industries"
T_ADMEDIUM_FORMAT = "{http://api.zanox.com/namespace/2011-03-01/}admediumFormat"
T_YEAR = "{http://api.zanox.com/namespace/2011-03-01/}year"
T_MONTH = "{http://api.zanox.com/namespace/2011-03-01/}month"
T_DAY = "{http://api.zanox.com/namespace/2011-03-01/}day"
T_MEDIA_SLOT = "{http://api.zanox.com/namespace/2011-03-01/}mediaSlot"
T_APPROVED = "{http://api.zanox.com/namespace/2011-03-01/}approved"
T_REJECTED = "{http://api.zanox.com/namespace/2011-03-01/}rejected"
T_MEDIASLOT = "{http://api.zanox.com/namespace/2011-03-01/}mediaslot"
T_VALUE = "{http://api.zanox.com/namespace/2011-03-01/}value"
T_CUSTOM_VALUE = "{http://api.zanox.com/namespace/2011-03-01/}customValue"
T_TYPE = "{http://api.zanox.com/namespace/2011-03-01/}type"
T_MANDATORY = "{http://api.zanox.com/namespace/2011-03-01/}mandatory"
T_VIEW_COUNT = "{http://api.zanox.com/namespace/2011-03-01/}viewCount"
T_TPV_COUNT = "{http://api.zanox.com/namespace/2011-03-01/}tpvCount"
T_CLICK_COUNT = "{http://api.zanox.com/namespace/2011-03-01/}clickCount"
T_CLICK_COMMISSION = "{http://api.zanox.com/namespace/2011-03-01/}clickCommission"
T_LEAD_COUNT = "{http://api.zanox.com/namespace/2011-03-01/}leadCount"
T_LEAD_COMMISSION = "{http://api.zanox.com/namespace/2011-03-01/}leadCommission"
T_SALE_COUNT = "{http://api.zanox.com/namespace/2011-03-01/}saleCount"
T_SALE_COMMISSION = "{http://api.zanox.com/namespace/2011-03-01/}saleCommission"
T_SALE_AMOUNT = "{http://api.zanox.com/namespace/2011-03-01/}saleAmount"
T_TRANSACTION_TYPE = "{http://api.zanox.com/namespace/2011-03-01/}transactionType"
T_PROCESSING_TIME = "{http://api.zanox.com/namespace/2011-03-01/}processingTime"
T_VIEW_FIXED = "{http://api.zanox.com/namespace/2011-03-01/}viewFixed"
T_CLICK_FIXED = "{http://api.zanox.com/namespace/2011-03-01/}clickFixed"
T_LEAD_FIXED = "{http://api.zanox.com/namespace/2011-03-01/}leadFixed"
T_SALE_FIXED = "{http://api.zanox.com/namespace/2011-03-01/}saleFixed"
T_SALE_PERCENT = "{http://api.zanox.com/namespace/2011-03-01/}salePercent"
T_PPV = "{http://api.zanox.com/namespace/2011-03-01/}ppv"
T_PPC = "{http://api.zanox.com/namespace/2011-03-01/}ppc"
T_TPV = "{http://api.zanox.com/namespace/2011-03-01/}tpv"
T_MAIN = "{http://api.zanox.com/namespace/2011-03-01/}main"
T_SUB = "{http://api.zanox.com/namespace/2011-03-01/}sub"
T_CLICK_MAX = "{http://api.zanox.com/namespace/2011-03-01/}clickMax"
T_CLICK_MIN = "{http://api.zanox.com/namespace/2011-03-01/}clickMin"
T_LEAD_MAX = "{http://api.zanox.com/namespace/2011-03-01/}leadMax"
T_LEAD_MIN = "{http://api.zanox.com/namespace/2011-03-01/}leadMin"
T_SALE_FIX_MAX = "{http://api.zanox.com/namespace/2011-03-01/}saleFixMax"
T_SALE_FIX_MIN = "{http://api.zanox.com/namespace/2011-03-01/}saleFixMin"
T_SALE_PERCENT_MAX = "{http://api.zanox.com/namespace/2011-03-01/}salePercentMax"
T_SALE_PERCENT_MIN = "{http://api.zanox.com/namespace/2011-03-01/}salePercentMin"
T_PRODUCT_NAME = "{http://api.zanox.com/namespace/2011-03-01/}productName"
T_BASKET_ITEMS = "{http://api.zanox.com/namespace/2011-03-01/}basketItems"
T_BASKET_ITEM = "{http://api.zanox.com/namespace/2011-03-01/}basketItem"

C_ADMEDIA_PURPOSE = Choice(AdmediaPurpose)
C_ADMEDIA_TYPE = Choice(AdmediaType)
C_ADSPACE_SCOPE = Choice(AdspaceScope)
C_ADSPACE_TYPE = Choice(AdspaceType)
C_APPLICATION_TYPE = Choice(ApplicationType)
C_CONNECT_STATUS_TYPE = Choice(ConnectStatusType)
C_DATE_TYPE = Choice(DateType)
C_GROUP_BY = Choice(GroupBy)
C_INCENTIVE_TYPE = Choice(IncentiveType)
C_MEDIA_SLOT_STATUS = Choice(MediaSlotStatus)
C_PARTNER_SHIP = Choice(PartnerShip)
C_PROFILE_TYPE = Choice(ProfileType)
C_PROGRAM_APPLICATION_STATUS = Choice(ProgramApplicationStatus)
C_PROGRAM_STATUS = Choice(ProgramStatus)
C_REVIEW_STATE = Choice(ReviewState)
C_ROLE_TYPE = Choice(RoleType)
C_SEARCH_TYPE = Choice(SearchType)
C_SETTING_TYPE = Choice(SettingType)
C_TRANSACTION_TYPE = Choice(TransactionType)
C_PRODUCT_PARTNERSHIP = Choice(ProductPartnership)


def read_create_adspace_request(node: Node, reader: Reader) -> CreateAdspaceRequest:
    no_attributes(node, reader)
    adspace_item: AdspaceItem | None = None
    for child in node:
        tag = child.tag
        if tag == T_ADSPACE_ITEM:
            if adspace_item is not None:
                raise repeated(child)
            adspace_item = read_adspace_item(child, reader)
        else:
            reader.unknown_element(child)
    if adspace_item is None:
        raise absent(node, "adspaceItem")
    return CreateAdspaceRequest(
        adspace_item=adspace_item,
    )


def write_create_adspace_request(value: CreateAdspaceRequest, writer: Writer, path: str) -> Wire:
    expect(value, CreateAdspaceRequest, path)
    wire: Wire = {}
    if value.adspace_item is None:
        raise required(f"{path}/adspaceItem")
    wire["adspaceItem"] = write_adspace_item(value.adspace_item, writer, f"{path}/adspaceItem")
    return wire


def read_create_adspace_response(node: Node, reader: Reader) -> CreateAdspaceResponse:
    no_attributes(node, reader)
    adspace_item: AdspaceItem | None = None
    for child in node:
        tag = child.tag
        if tag == T_ADSPACE_ITEM:
            if adspace_item is not None:
                raise repeated(child)
            adspace_item = read_adspace_item(child, reader)
        else:
            reader.unknown_element(child)
    if adspace_item is None:
        raise absent(node, "adspaceItem")
    return CreateAdspaceResponse(
        adspace_item=adspace_item,
    )


def write_create_adspace_response(value: CreateAdspaceResponse, writer: Writer, path: str) -> Wire:
    expect(value, CreateAdspaceResponse, path)
    wire: Wire = {}
    if value.adspace_item is None:
        raise required(f"{path}/adspaceItem")
    wire["adspaceItem"] = write_adspace_item(value.adspace_item, writer, f"{path}/adspaceItem")
    return wire


def read_create_application_request(node: Node, reader: Reader) -> CreateApplicationRequest:
    no_attributes(node, reader)
    application_item: ApplicationItem | None = None
    for child in node:
        tag = child.tag
        if tag == T_APPLICATION_ITEM:
            if application_item is not None:
                raise repeated(child)
            application_item = read_application_item(child, reader)
        else:
            reader.unknown_element(child)
    if application_item is None:
        raise absent(node, "applicationItem")
    return CreateApplicationRequest(
        application_item=application_item,
    )


def write_create_application_request(value: CreateApplicationRequest, writer: Writer, path: str) -> Wire:
    expect(value, CreateApplicationRequest, path)
    wire: Wire = {}
    if value.application_item is None:
        raise required(f"{path}/applicationItem")
    wire["applicationItem"] = write_application_item(
        value.application_item, writer, f"{path}/applicationItem"
    )
    return wire


def read_create_application_response(node: Node, reader: Reader) -> CreateApplicationResponse:
    no_attributes(node, reader)
    application_item: ApplicationItem | None = None
    secret_key: str | None = None
    connect_id: str | None = None
    public_key: str | None = None
    for child in node:
        tag = child.tag
        if tag == T_APPLICATION_ITEM:
            if application_item is not None:
                raise repeated(child)
            application_item = read_application_item(child, reader)
        elif tag == T_SECRET_KEY:
            if secret_key is not None:
                raise repeated(child)
            secret_key = STRING.read(child, reader)
        elif tag == T_CONNECT_ID:
            if connect_id is not None:
                raise repeated(child)
            connect_id = STRING.read(child, reader)
        elif tag == T_PUBLIC_KEY:
            if public_key is not None:
                raise repeated(child)
            public_key = STRING.read(child, reader)
        else:
            reader.unknown_element(child)
    if application_item is None:
        raise absent(node, "applicationItem")
    if secret_key is None:
        raise absent(node, "secretKey")
    if connect_id is None:
        raise absent(node, "connectId")
    if public_key is None:
        raise absent(node, "publicKey")
    return CreateApplicationResponse(
        application_item=application_item,
        secret_key=secret_key,
        connect_id=connect_id,
        public_key=public_key,
    )


def write_create_application_response(value: CreateApplicationResponse, writer: Writer, path: str) -> Wire:
    expect(value, CreateApplicationResponse, path)
    wire: Wire = {}
    if value.application_item is None:
        raise required(f"{path}/applicationItem")
    wire["applicationItem"] = write_application_item(
        value.application_item, writer, f"{path}/applicationItem"
    )
    if value.secret_key is None:
        raise required(f"{path}/secretKey")
    wire["secretKey"] = write(value.secret_key, f"{path}/secretKey", STRING)
    if value.connect_id is None:
        raise required(f"{path}/connectId")
    wire["connectId"] = write(value.connect_id, f"{path}/connectId", STRING)
    if value.public_key is None:
        raise required(f"{path}/publicKey")
    wire["publicKey"] = write(value.public_key, f"{path}/publicKey", STRING)
    return wire


def read_create_media_slot_request(node: Node, reader: Reader) -> CreateMediaSlotRequest:
    no_attributes(node, reader)
    media_slot_item: MediaSlotItem | None = None
    for child in node:
        tag = child.tag
        if tag == T_MEDIA_SLOT_ITEM:
            if media_slot_item is not None:
                raise repeated(child)
            media_slot_item = read_media_slot_item(child, reader)
        else:
            reader.unknown_element(child)
    if media_slot_item is None:
        raise absent(node, "mediaSlotItem")
    return CreateMediaSlotRequest(
        media_slot_item=media_slot_item,
    )


def write_create_media_slot_request(value: CreateMediaSlotRequest, writer: Writer, path: str) -> Wire:
    expect(value, CreateMediaSlotRequest, path)
    wire: Wire = {}
    if value.media_slot_item is None:
        raise required(f"{path}/mediaSlotItem")
    wire["mediaSlotItem"] = write_media_slot_item(value.media_slot_item, writer, f"{path}/mediaSlotItem")
    return wire


def read_create_media_slot_response(node: Node, reader: Reader) -> CreateMediaSlotResponse:
    no_attributes(node, reader)
    media_slot_item: MediaSlotItem | None = None
    for child in node:
        tag = child.tag
        if tag == T_MEDIA_SLOT_ITEM:
            if media_slot_item is not None:
                raise repeated(child)
            media_slot_item = read_media_slot_item(child, reader)
        else:
            reader.unknown_element(child)
    if media_slot_item is None:
        raise absent(node, "mediaSlotItem")
    return CreateMediaSlotResponse(
        media_slot_item=media_slot_item,
    )


def write_create_media_slot_response(value: CreateMediaSlotResponse, writer: Writer, path: str) -> Wire:
    expect(value, CreateMediaSlotResponse, path)
    wire: Wire = {}
    if value.media_slot_item is None:
        raise required(f"{path}/mediaSlotItem")
    wire["mediaSlotItem"] = write_media_slot_item(value.media_slot_item, writer, f"{path}/mediaSlotItem")
    return wire


def read_create_program_application_request(node: Node, reader: Reader) -> CreateProgramApplicationRequest:
    no_attributes(node, reader)
    program_id: int | None = None
    adspace_id: int | None = None
    publisher_comment: str | None = None
    for child in node:
        tag = child.tag
        if tag == T_PROGRAM_ID:
            if program_id is not None:
                raise repeated(child)
            program_id = INT.read(child, reader)
        elif tag == T_ADSPACE_ID:
            if adspace_id is not None:
                raise repeated(child)
            adspace_id = INT.read(child, reader)
        elif tag == T_PUBLISHER_COMMENT:
            if publisher_comment is not None:
                raise repeated(child)
            publisher_comment = STRING.read(child, reader)
        else:
            reader.unknown_element(child)
    if program_id is None:
        raise absent(node, "programId")
    if adspace_id is None:
        raise absent(node, "adspaceId")
    return CreateProgramApplicationRequest(
        program_id=program_id,
        adspace_id=adspace_id,
        publisher_comment=publisher_comment,
    )


def write_create_program_application_request(
    value: CreateProgramApplicationRequest, writer: Writer, path: str
) -> Wire:
    expect(value, CreateProgramApplicationRequest, path)
    wire: Wire = {}
    if value.program_id is None:
        raise required(f"{path}/programId")
    wire["programId"] = write(value.program_id, f"{path}/programId", INT)
    if value.adspace_id is None:
        raise required(f"{path}/adspaceId")
    wire["adspaceId"] = write(value.adspace_id, f"{path}/adspaceId", INT)
    if value.publisher_comment is not None:
        wire["publisherComment"] = write(value.publisher_comment, f"{path}/publisherComment", STRING)
    return wire


def read_create_program_application_response(node: Node, reader: Reader) -> CreateProgramApplicationResponse:
    no_attributes(node, reader)
    program_application_item: ProgramApplicationItem | None = None
    for child in node:
        tag = child.tag
        if tag == T_PROGRAM_APPLICATION_ITEM:
            if program_application_item is not None:
                raise repeated(child)
            program_application_item = read_program_application_item(child, reader)
        else:
            reader.unknown_element(child)
    if program_application_item is None:
        raise absent(node, "programApplicationItem")
    return CreateProgramApplicationResponse(
        program_application_item=program_application_item,
    )


def write_create_program_application_response(
    value: CreateProgramApplicationResponse, writer: Writer, path: str
) -> Wire:
    expect(value, CreateProgramApplicationResponse, path)
    wire: Wire = {}
    if value.program_application_item is None:
        raise required(f"{path}/programApplicationItem")
    wire["programApplicationItem"] = write_program_application_item(
        value.program_application_item, writer, f"{path}/programApplicationItem"
    )
    return wire


def read_create_setting_request(node: Node, reader: Reader) -> CreateSettingRequest:
    no_attributes(node, reader)
    setting_item: SettingItem | None = None
    for child in node:
        tag = child.tag
        if tag == T_SETTING_ITEM:
            if setting_item is not None:
                raise repeated(child)
            setting_item = read_setting_item(child, reader)
        else:
            reader.unknown_element(child)
    if setting_item is None:
        raise absent(node, "settingItem")
    return CreateSettingRequest(
        setting_item=setting_item,
    )


def write_create_setting_request(value: CreateSettingRequest, writer: Writer, path: str) -> Wire:
    expect(value, CreateSettingRequest, path)
    wire: Wire = {}
    if value.setting_item is None:
        raise required(f"{path}/settingItem")
    wire["settingItem"] = write_setting_item(value.setting_item, writer, f"{path}/settingItem")
    return wire


def read_create_setting_response(node: Node, reader: Reader) -> CreateSettingResponse:
    no_attributes(node, reader)
    setting_item: SettingItem | None = None
    for child in node:
        tag = child.tag
        if tag == T_SETTING_ITEM:
            if setting_item is not None:
                raise repeated(child)
            setting_item = read_setting_item(child, reader)
        else:
            reader.unknown_element(child)
    if setting_item is None:
        raise absent(node, "settingItem")
    return CreateSettingResponse(
        setting_item=setting_item,
    )


def write_create_setting_response(value: CreateSettingResponse, writer: Writer, path: str) -> Wire:
    expect(value, CreateSettingResponse, path)
    wire: Wire = {}
    if value.setting_item is None:
        raise required(f"{path}/settingItem")
    wire["settingItem"] = write_setting_item(value.setting_item, writer, f"{path}/settingItem")
    return wire


def read_delete_adspace_request(node: Node, reader: Reader) -> DeleteAdspaceRequest:
    no_attributes(node, reader)
    adspace_id: int | None = None
    for child in node:
        tag = child.tag
        if tag == T_ADSPACE_ID:
            if adspace_id is not None:
                raise repeated(child)
            adspace_id = INT.read(child, reader)
        else:
            reader.unknown_element(child)
    if adspace_id is None:
        raise absent(node, "adspaceId")
    return DeleteAdspaceRequest(
        adspace_id=adspace_id,
    )


def write_delete_adspace_request(value: DeleteAdspaceRequest, writer: Writer, path: str) -> Wire:
    expect(value, DeleteAdspaceRequest, path)
    wire: Wire = {}
    if value.adspace_id is None:
        raise required(f"{path}/adspaceId")
    wire["adspaceId"] = write(value.adspace_id, f"{path}/adspaceId", INT)
    return wire


def read_delete_adspace_response(node: Node, reader: Reader) -> DeleteAdspaceResponse:
    no_attributes(node, reader)
    count: int | None = None
    for child in node:
        tag = child.tag
        if tag == T_COUNT:
            if count is not None:
                raise repeated(child)
            count = INT.read(child, reader)
        else:
            reader.unknown_element(child)
    if count is None:
        raise absent(node, "count")
    return DeleteAdspaceResponse(
        count=count,
    )


def write_delete_adspace_response(value: DeleteAdspaceResponse, writer: Writer, path: str) -> Wire:
    expect(value, DeleteAdspaceResponse, path)
    wire: Wire = {}
    if value.count is None:
        raise required(f"{path}/count")
    wire["count"] = write(value.count, f"{path}/count", INT)
    return wire


def read_delete_application_request(node: Node, reader: Reader) -> DeleteApplicationRequest:
    no_attributes(node, reader)
    application_id: str | None = None
    for child in node:
        tag = child.tag
        if tag == T_APPLICATION_ID:
            if application_id is not None:
                raise repeated(child)
            application_id = STRING.read(child, reader)
        else:
            reader.unknown_element(child)
    if application_id is None:
        raise absent(node, "applicationId")
    return DeleteApplicationRequest(
        application_id=application_id,
    )


def write_delete_application_request(value: DeleteApplicationRequest, writer: Writer, path: str) -> Wire:
    expect(value, DeleteApplicationRequest, path)
    wire: Wire = {}
    if value.application_id is None:
        raise required(f"{path}/applicationId")
    wire["applicationId"] = write(value.application_id, f"{path}/applicationId", STRING)
    return wire


def read_delete_application_response(node: Node, reader: Reader) -> DeleteApplicationResponse:
    no_attributes(node, reader)
    count: int | None = None
    for child in node:
        tag = child.tag
        if tag == T_COUNT:
            if count is not None:
                raise repeated(child)
            count = INT.read(child, reader)
        else:
            reader.unknown_element(child)
    if count is None:
        raise absent(node, "count")
    return DeleteApplicationResponse(
        count=count,
    )


def write_delete_application_response(value: DeleteApplicationResponse, writer: Writer, path: str) -> Wire:
    expect(value, DeleteApplicationResponse, path)
    wire: Wire = {}
    if value.count is None:
        raise required(f"{path}/count")
    wire["count"] = write(value.count, f"{path}/count", INT)
    return wire


def read_delete_media_slot_request(node: Node, reader: Reader) -> DeleteMediaSlotRequest:
    no_attributes(node, reader)
    media_slot_id: str | None = None
    for child in node:
        tag = child.tag
        if tag == T_MEDIA_SLOT_ID:
            if media_slot_id is not None:
                raise repeated(child)
            media_slot_id = STRING.read(child, reader)
        else:
            reader.unknown_element(child)
    if media_slot_id is None:
        raise absent(node, "mediaSlotId")
    return DeleteMediaSlotRequest(
        media_slot_id=media_slot_id,
    )


def write_delete_media_slot_request(value: DeleteMediaSlotRequest, writer: Writer, path: str) -> Wire:
    expect(value, DeleteMediaSlotRequest, path)
    wire: Wire = {}
    if value.media_slot_id is None:
        raise required(f"{path}/mediaSlotId")
    wire["mediaSlotId"] = write(value.media_slot_id, f"{path}/mediaSlotId", STRING)
    return wire


def read_delete_media_slot_response(node: Node, reader: Reader) -> DeleteMediaSlotResponse:
    no_attributes(node, reader)
    count: int | None = None
    for child in node:
        tag = child.tag
        if tag == T_COUNT:
            if count is not None:
                raise repeated(child)
            count = INT.read(child, reader)
        else:
            reader.unknown_element(child)
    if count is None:
        raise absent(node, "count")
    return DeleteMediaSlotResponse(
        count=count,
    )


def write_delete_media_slot_response(value: DeleteMediaSlotResponse, writer: Writer, path: str) -> Wire:
    expect(value, DeleteMediaSlotResponse, path)
    wire: Wire = {}
    if value.count is None:
        raise required(f"{path}/count")
    wire["count"] = write(value.count, f"{path}/count", INT)
    return wire


def read_delete_program_application_request(node: Node, reader: Reader) -> DeleteProgramApplicationRequest:
    no_attributes(node, reader)
    program_id: int | None = None
    adspace_id: int | None = None
    for child in node:
        tag = child.tag
        if tag == T_PROGRAM_ID:
            if program_id is not None:
                raise repeated(child)
            program_id = INT.read(child, reader)
        elif tag == T_ADSPACE_ID:
            if adspace_id is not None:
                raise repeated(child)
            adspace_id = INT.read(child, reader)
        else:
            reader.unknown_element(child)
    if program_id is None:
        raise absent(node, "programId")
    if adspace_id is None:
        raise absent(node, "adspaceId")
    return DeleteProgramApplicationRequest(
        program_id=program_id,
        adspace_id=adspace_id,
    )


def write_delete_program_application_request(
    value: DeleteProgramApplicationRequest, writer: Writer, path: str
) -> Wire:
    expect(value, DeleteProgramApplicationRequest, path)
    wire: Wire = {}
    if value.program_id is None:
        raise required(f"{path}/programId")
    wire["programId"] = write(value.program_id, f"{path}/programId", INT)
    if value.adspace_id is None:
        raise required(f"{path}/adspaceId")
    wire["adspaceId"] = write(value.adspace_id, f"{path}/adspaceId", INT)
    return wire


def read_delete_program_application_response(node: Node, reader: Reader) -> DeleteProgramApplicationResponse:
    no_attributes(node, reader)
    count: int | None = None
    for child in node:
        tag = child.tag
        if tag == T_COUNT:
            if count is not None:
                raise repeated(child)
            count = INT.read(child, reader)
        else:
            reader.unknown_element(child)
    if count is None:
        raise absent(node, "count")
    return DeleteProgramApplicationResponse(
        count=count,
    )


def write_delete_program_application_response(
    value: DeleteProgramApplicationResponse, writer: Writer, path: str
) -> Wire:
    expect(value, DeleteProgramApplicationResponse, path)
    wire: Wire = {}
    if value.count is None:
        raise required(f"{path}/count")
    wire["count"] = write(value.count, f"{path}/count", INT)
    return wire


def read_delete_setting_request(node: Node, reader: Reader) -> DeleteSettingRequest:
    no_attributes(node, reader)
    key: str | None = None
    application_id: str | None = None
    for child in node:
        tag = child.tag
        if tag == T_KEY:
            if key is not None:
                raise repeated(child)
            key = STRING.read(child, reader)
        elif tag == T_APPLICATION_ID:
            if application_id is not None:
                raise repeated(child)
            application_id = STRING.read(child, reader)
        else:
            reader.unknown_element(child)
    if key is None:
        raise absent(node, "key")
    if application_id is None:
        raise absent(node, "applicationId")
    return DeleteSettingRequest(
        key=key,
        application_id=application_id,
    )


def write_delete_setting_request(value: DeleteSettingRequest, writer: Writer, path: str) -> Wire:
    expect(value, DeleteSettingRequest, path)
    wire: Wire = {}
    if value.key is None:
        raise required(f"{path}/key")
    wire["key"] = write(value.key, f"{path}/key", STRING)
    if value.application_id is None:
        raise required(f"{path}/applicationId")
    wire["applicationId"] = write(value.application_id, f"{path}/applicationId", STRING)
    return wire


def read_delete_setting_response(node: Node, reader: Reader) -> DeleteSettingResponse:
    no_attributes(node, reader)
    count: int | None = None
    for child in node:
        tag = child.tag
        if tag == T_COUNT:
            if count is not None:
                raise repeated(child)
            count = INT.read(child, reader)
        else:
            reader.unknown_element(child)
    if count is None:
        raise absent(node, "count")
    return DeleteSettingResponse(
        count=count,
    )


def write_delete_setting_response(value: DeleteSettingResponse, writer: Writer, path: str) -> Wire:
    expect(value, DeleteSettingResponse, path)
    wire: Wire = {}
    if value.count is None:
        raise required(f"{path}/count")
    wire["count"] = write(value.count, f"{path}/count", INT)
    return wire


def read_get_admedia_request(node: Node, reader: Reader) -> GetAdmediaRequest:
    no_attributes(node, reader)
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
    for child in node:
        tag = child.tag
        if tag == T_Q:
            if q is not None:
                raise repeated(child)
            q = STRING.read(child, reader)
        elif tag == T_PROGRAM_ID:
            if program_id is not None:
                raise repeated(child)
            program_id = INT.read(child, reader)
        elif tag == T_REGION:
            if region is not None:
                raise repeated(child)
            region = STRING.read(child, reader)
        elif tag == T_FORMAT:
            if format is not None:
                raise repeated(child)
            format = INT.read(child, reader)
        elif tag == T_PARTNER_SHIP:
            if partner_ship is not None:
                raise repeated(child)
            partner_ship = C_PARTNER_SHIP.read(child, reader)
        elif tag == T_PURPOSE:
            if purpose is not None:
                raise repeated(child)
            purpose = C_ADMEDIA_PURPOSE.read(child, reader)
        elif tag == T_ADMEDIUM_TYPE:
            if admedium_type is not None:
                raise repeated(child)
            admedium_type = C_ADMEDIA_TYPE.read(child, reader)
        elif tag == T_CATEGORY_ID:
            if category_id is not None:
                raise repeated(child)
            category_id = INT.read(child, reader)
        elif tag == T_ADSPACE_ID:
            if adspace_id is not None:
                raise repeated(child)
            adspace_id = INT.read(child, reader)
        elif tag == T_PAGE:
            if page is not None:
                raise repeated(child)
            page = INT.read(child, reader)
        elif tag == T_ITEMS:
            if items is not None:
                raise repeated(child)
            items = INT.read(child, reader)
        else:
            reader.unknown_element(child)
    return GetAdmediaRequest(
        q=q,
        program_id=program_id,
        region=region,
        format=format,
        partner_ship=partner_ship,
        purpose=purpose,
        admedium_type=admedium_type,
        category_id=category_id,
        adspace_id=adspace_id,
        page=page,
        items=items,
    )


def write_get_admedia_request(value: GetAdmediaRequest, writer: Writer, path: str) -> Wire:
    expect(value, GetAdmediaRequest, path)
    wire: Wire = {}
    if value.q is not None:
        wire["q"] = write(value.q, f"{path}/q", STRING)
    if value.program_id is not None:
        wire["programId"] = write(value.program_id, f"{path}/programId", INT)
    if value.region is not None:
        wire["region"] = write(value.region, f"{path}/region", STRING)
    if value.format is not None:
        wire["format"] = write(value.format, f"{path}/format", INT)
    if value.partner_ship is not None:
        wire["partnerShip"] = write_choice(value.partner_ship, f"{path}/partnerShip", C_PARTNER_SHIP)
    if value.purpose is not None:
        wire["purpose"] = write_choice(value.purpose, f"{path}/purpose", C_ADMEDIA_PURPOSE)
    if value.admedium_type is not None:
        wire["admediumType"] = write_choice(value.admedium_type, f"{path}/admediumType", C_ADMEDIA_TYPE)
    if value.category_id is not None:
        wire["categoryId"] = write(value.category_id, f"{path}/categoryId", INT)
    if value.adspace_id is not None:
        wire["adspaceId"] = write(value.adspace_id, f"{path}/adspaceId", INT)
    if value.page is not None:
        wire["page"] = write(value.page, f"{path}/page", INT)
    if value.items is not None:
        wire["items"] = write(value.items, f"{path}/items", INT)
    return wire


def read_get_admedia_response(node: Node, reader: Reader) -> GetAdmediaResponse:
    no_attributes(node, reader)
    page: int | None = None
    items: int | None = None
    total: int | None = None
    admedium_items: list[AdmediumItem] | None = None
    for child in node:
        tag = child.tag
        if tag == T_PAGE:
            if page is not None:
                raise repeated(child)
            page = INT.read(child, reader)
        elif tag == T_ITEMS:
            if items is not None:
                raise repeated(child)
            items = INT.read(child, reader)
        elif tag == T_TOTAL:
            if total is not None:
                raise repeated(child)
            total = LONG.read(child, reader)
        elif tag == T_ADMEDIUM_ITEMS:
            if admedium_items is not None:
                raise repeated(child)
            admedium_items = read_list(child, reader, T_ADMEDIUM_ITEM, read_admedium_item)
        else:
            reader.unknown_element(child)
    if page is None:
        raise absent(node, "page")
    if items is None:
        raise absent(node, "items")
    if total is None:
        raise absent(node, "total")
    return GetAdmediaResponse(
        page=page,
        items=items,
        total=total,
        admedium_items=admedium_items,
    )


def write_get_admedia_response(value: GetAdmediaResponse, writer: Writer, path: str) -> Wire:
    expect(value, GetAdmediaResponse, path)
    wire: Wire = {}
    if value.page is None:
        raise required(f"{path}/page")
    wire["page"] = write(value.page, f"{path}/page", INT)
    if value.items is None:
        raise required(f"{path}/items")
    wire["items"] = write(value.items, f"{path}/items", INT)
    if value.total is None:
        raise required(f"{path}/total")
    wire["total"] = write(value.total, f"{path}/total", LONG)
    if value.admedium_items is not None:
        wire["admediumItems"] = {
            "admediumItem": write_list(
                value.admedium_items, f"{path}/admediumItems", writer, write_admedium_item
            ),
        }
    return wire


def read_get_admedium_request(node: Node, reader: Reader) -> GetAdmediumRequest:
    no_attributes(node, reader)
    admedium_id: int | None = None
    adspace_id: int | None = None
    tracking_link: str | None = None
    for child in node:
        tag = child.tag
        if tag == T_ADMEDIUM_ID:
            if admedium_id is not None:
                raise repeated(child)
            admedium_id = INT.read(child, reader)
        elif tag == T_ADSPACE_ID:
            if adspace_id is not None:
                raise repeated(child)
            adspace_id = INT.read(child, reader)
        elif tag == T_TRACKING_LINK:
            if tracking_link is not None:
                raise repeated(child)
            tracking_link = STRING.read(child, reader)
        else:
            reader.unknown_element(child)
    return GetAdmediumRequest(
        admedium_id=admedium_id,
        adspace_id=adspace_id,
        tracking_link=tracking_link,
    )


def write_get_admedium_request(value: GetAdmediumRequest, writer: Writer, path: str) -> Wire:
    expect(value, GetAdmediumRequest, path)
    wire: Wire = {}
    if value.admedium_id is not None:
        wire["admediumId"] = write(value.admedium_id, f"{path}/admediumId", INT)
    if value.adspace_id is not None:
        wire["adspaceId"] = write(value.adspace_id, f"{path}/adspaceId", INT)
    if value.tracking_link is not None:
        wire["trackingLink"] = write(value.tracking_link, f"{path}/trackingLink", STRING)
    return wire


def read_get_admedium_response(node: Node, reader: Reader) -> GetAdmediumResponse:
    no_attributes(node, reader)
    admedium_item: AdmediumItem | None = None
    for child in node:
        tag = child.tag
        if tag == T_ADMEDIUM_ITEM:
            if admedium_item is not None:
                raise repeated(child)
            admedium_item = read_admedium_item(child, reader)
        else:
            reader.unknown_element(child)
    return GetAdmediumResponse(
        admedium_item=admedium_item,
    )


def write_get_admedium_response(value: GetAdmediumResponse, writer: Writer, path: str) -> Wire:
    expect(value, GetAdmediumResponse, path)
    wire: Wire = {}
    if value.admedium_item is not None:
        wire["admediumItem"] = write_admedium_item(value.admedium_item, writer, f"{path}/admediumItem")
    return wire


def read_get_admedium_categories_request(node: Node, reader: Reader) -> GetAdmediumCategoriesRequest:
    no_attributes(node, reader)
    program_id: int | None = None
    for child in node:
        tag = child.tag
        if tag == T_PROGRAM_ID:
            if program_id is not None:
                raise repeated(child)
            program_id = INT.read(child, reader)
        else:
            reader.unknown_element(child)
    if program_id is None:
        raise absent(node, "programId")
    return GetAdmediumCategoriesRequest(
        program_id=program_id,
    )


def write_get_admedium_categories_request(
    value: GetAdmediumCategoriesRequest, writer: Writer, path: str
) -> Wire:
    expect(value, GetAdmediumCategoriesRequest, path)
    wire: Wire = {}
    if value.program_id is None:
        raise required(f"{path}/programId")
    wire["programId"] = write(value.program_id, f"{path}/programId", INT)
    return wire


def read_get_admedium_categories_response(node: Node, reader: Reader) -> GetAdmediumCategoriesResponse:
    no_attributes(node, reader)
    categories: list[SubStringIdentifierType] | None = None
    for child in node:
        tag = child.tag
        if tag == T_CATEGORIES:
            if categories is not None:
                raise repeated(child)
            categories = read_list(child, reader, T_CATEGORY, read_sub_string_identifier_type)
        else:
            reader.unknown_element(child)
    return GetAdmediumCategoriesResponse(
        categories=categories,
    )


def write_get_admedium_categories_response(
    value: GetAdmediumCategoriesResponse, writer: Writer, path: str
) -> Wire:
    expect(value, GetAdmediumCategoriesResponse, path)
    wire: Wire = {}
    if value.categories is not None:
        wire["categories"] = {
            "category": write_list(
                value.categories, f"{path}/categories", writer, write_sub_string_identifier_type
            ),
        }
    return wire


def read_get_adspace_request(node: Node, reader: Reader) -> GetAdspaceRequest:
    no_attributes(node, reader)
    adspace_id: int | None = None
    for child in node:
        tag = child.tag
        if tag == T_ADSPACE_ID:
            if adspace_id is not None:
                raise repeated(child)
            adspace_id = INT.read(child, reader)
        else:
            reader.unknown_element(child)
    if adspace_id is None:
        raise absent(node, "adspaceId")
    return GetAdspaceRequest(
        adspace_id=adspace_id,
    )


def write_get_adspace_request(value: GetAdspaceRequest, writer: Writer, path: str) -> Wire:
    expect(value, GetAdspaceRequest, path)
    wire: Wire = {}
    if value.adspace_id is None:
        raise required(f"{path}/adspaceId")
    wire["adspaceId"] = write(value.adspace_id, f"{path}/adspaceId", INT)
    return wire


def read_get_adspace_response(node: Node, reader: Reader) -> GetAdspaceResponse:
    no_attributes(node, reader)
    adspace_item: AdspaceItem | None = None
    for child in node:
        tag = child.tag
        if tag == T_ADSPACE_ITEM:
            if adspace_item is not None:
                raise repeated(child)
            adspace_item = read_adspace_item(child, reader)
        else:
            reader.unknown_element(child)
    return GetAdspaceResponse(
        adspace_item=adspace_item,
    )


def write_get_adspace_response(value: GetAdspaceResponse, writer: Writer, path: str) -> Wire:
    expect(value, GetAdspaceResponse, path)
    wire: Wire = {}
    if value.adspace_item is not None:
        wire["adspaceItem"] = write_adspace_item(value.adspace_item, writer, f"{path}/adspaceItem")
    return wire


def read_get_adspaces_request(node: Node, reader: Reader) -> GetAdspacesRequest:
    no_attributes(node, reader)
    page: int | None = None
    items: int | None = None
    for child in node:
        tag = child.tag
        if tag == T_PAGE:
            if page is not None:
                raise repeated(child)
            page = INT.read(child, reader)
        elif tag == T_ITEMS:
            if items is not None:
                raise repeated(child)
            items = INT.read(child, reader)
        else:
            reader.unknown_element(child)
    return GetAdspacesRequest(
        page=page,
        items=items,
    )


def write_get_adspaces_request(value: GetAdspacesRequest, writer: Writer, path: str) -> Wire:
    expect(value, GetAdspacesRequest, path)
    wire: Wire = {}
    if value.page is not None:
        wire["page"] = write(value.page, f"{path}/page", INT)
    if value.items is not None:
        wire["items"] = write(value.items, f"{path}/items", INT)
    return wire


def read_get_adspaces_response(node: Node, reader: Reader) -> GetAdspacesResponse:
    no_attributes(node, reader)
    page: int | None = None
    items: int | None = None
    total: int | None = None
    adspace_items: list[AdspaceItem] | None = None
    for child in node:
        tag = child.tag
        if tag == T_PAGE:
            if page is not None:
                raise repeated(child)
            page = INT.read(child, reader)
        elif tag == T_ITEMS:
            if items is not None:
                raise repeated(child)
            items = INT.read(child, reader)
        elif tag == T_TOTAL:
            if total is not None:
                raise repeated(child)
            total = LONG.read(child, reader)
        elif tag == T_ADSPACE_ITEMS:
            if adspace_items is not None:
                raise repeated(child)
            adspace_items = read_list(child, reader, T_ADSPACE_ITEM, read_adspace_item)
        else:
            reader.unknown_element(child)
    if page is None:
        raise absent(node, "page")
    if items is None:
        raise absent(node, "items")
    if total is None:
        raise absent(node, "total")
    return GetAdspacesResponse(
        page=page,
        items=items,
        total=total,
        adspace_items=adspace_items,
    )


def write_get_adspaces_response(value: GetAdspacesResponse, writer: Writer, path: str) -> Wire:
    expect(value, GetAdspacesResponse, path)
    wire: Wire = {}
    if value.page is None:
        raise required(f"{path}/page")
    wire["page"] = write(value.page, f"{path}/page", INT)
    if value.items is None:
        raise required(f"{path}/items")
    wire["items"] = write(value.items, f"{path}/items", INT)
    if value.total is None:
        raise required(f"{path}/total")
    wire["total"] = write(value.total, f"{path}/total", LONG)
    if value.adspace_items is not None:
        wire["adspaceItems"] = {
            "adspaceItem": write_list(value.adspace_items, f"{path}/adspaceItems", writer, write_adspace_item)
        }
    return wire


def read_get_application_request(node: Node, reader: Reader) -> GetApplicationRequest:
    no_attributes(node, reader)
    application_id: str | None = None
    for child in node:
        tag = child.tag
        if tag == T_APPLICATION_ID:
            if application_id is not None:
                raise repeated(child)
            application_id = STRING.read(child, reader)
        else:
            reader.unknown_element(child)
    if application_id is None:
        raise absent(node, "applicationId")
    return GetApplicationRequest(
        application_id=application_id,
    )


def write_get_application_request(value: GetApplicationRequest, writer: Writer, path: str) -> Wire:
    expect(value, GetApplicationRequest, path)
    wire: Wire = {}
    if value.application_id is None:
        raise required(f"{path}/applicationId")
    wire["applicationId"] = write(value.application_id, f"{path}/applicationId", STRING)
    return wire


def read_get_application_response(node: Node, reader: Reader) -> GetApplicationResponse:
    no_attributes(node, reader)
    application_item: ApplicationItem | None = None
    for child in node:
        tag = child.tag
        if tag == T_APPLICATION_ITEM:
            if application_item is not None:
                raise repeated(child)
            application_item = read_application_item(child, reader)
        else:
            reader.unknown_element(child)
    return GetApplicationResponse(
        application_item=application_item,
    )


def write_get_application_response(value: GetApplicationResponse, writer: Writer, path: str) -> Wire:
    expect(value, GetApplicationResponse, path)
    wire: Wire = {}
    if value.application_item is not None:
        wire["applicationItem"] = write_application_item(
            value.application_item, writer, f"{path}/applicationItem"
        )
    return wire


def read_get_applications_request(node: Node, reader: Reader) -> GetApplicationsRequest:
    no_attributes(node, reader)
    name: str | None = None
    size: SizeType | None = None
    role: RoleType | str | None = None
    application_type: ApplicationType | str | None = None
    page: int | None = None
    items: int | None = None
    for child in node:
        tag = child.tag
        if tag == T_NAME:
            if name is not None:
                raise repeated(child)
            name = STRING.read(child, reader)
        elif tag == T_SIZE:
            if size is not None:
                raise repeated(child)
            size = read_size_type(child, reader)
        elif tag == T_ROLE:
            if role is not None:
                raise repeated(child)
            role = C_ROLE_TYPE.read(child, reader)
        elif tag == T_APPLICATION_TYPE:
            if application_type is not None:
                raise repeated(child)
            application_type = C_APPLICATION_TYPE.read(child, reader)
        elif tag == T_PAGE:
            if page is not None:
                raise repeated(child)
            page = INT.read(child, reader)
        elif tag == T_ITEMS:
            if items is not None:
                raise repeated(child)
            items = INT.read(child, reader)
        else:
            reader.unknown_element(child)
    return GetApplicationsRequest(
        name=name,
        size=size,
        role=role,
        application_type=application_type,
        page=page,
        items=items,
    )


def write_get_applications_request(value: GetApplicationsRequest, writer: Writer, path: str) -> Wire:
    expect(value, GetApplicationsRequest, path)
    wire: Wire = {}
    if value.name is not None:
        wire["name"] = write(value.name, f"{path}/name", STRING)
    if value.size is not None:
        wire["size"] = write_size_type(value.size, writer, f"{path}/size")
    if value.role is not None:
        wire["role"] = write_choice(value.role, f"{path}/role", C_ROLE_TYPE)
    if value.application_type is not None:
        wire["applicationType"] = write_choice(
            value.application_type, f"{path}/applicationType", C_APPLICATION_TYPE
        )
    if value.page is not None:
        wire["page"] = write(value.page, f"{path}/page", INT)
    if value.items is not None:
        wire["items"] = write(value.items, f"{path}/items", INT)
    return wire


def read_get_applications_response(node: Node, reader: Reader) -> GetApplicationsResponse:
    no_attributes(node, reader)
    page: int | None = None
    items: int | None = None
    total: int | None = None
    application_items: list[ApplicationItem] | None = None
    for child in node:
        tag = child.tag
        if tag == T_PAGE:
            if page is not None:
                raise repeated(child)
            page = INT.read(child, reader)
        elif tag == T_ITEMS:
            if items is not None:
                raise repeated(child)
            items = INT.read(child, reader)
        elif tag == T_TOTAL:
            if total is not None:
                raise repeated(child)
            total = LONG.read(child, reader)
        elif tag == T_APPLICATION_ITEMS:
            if application_items is not None:
                raise repeated(child)
            application_items = read_list(child, reader, T_APPLICATION_ITEM, read_application_item)
        else:
            reader.unknown_element(child)
    if page is None:
        raise absent(node, "page")
    if items is None:
        raise absent(node, "items")
    if total is None:
        raise absent(node, "total")
    return GetApplicationsResponse(
        page=page,
        items=items,
        total=total,
        application_items=application_items,
    )


def write_get_applications_response(value: GetApplicationsResponse, writer: Writer, path: str) -> Wire:
    expect(value, GetApplicationsResponse, path)
    wire: Wire = {}
    if value.page is None:
        raise required(f"{path}/page")
    wire["page"] = write(value.page, f"{path}/page", INT)
    if value.items is None:
        raise required(f"{path}/items")
    wire["items"] = write(value.items, f"{path}/items", INT)
    if value.total is None:
        raise required(f"{path}/total")
    wire["total"] = write(value.total, f"{path}/total", LONG)
    if value.application_items is not None:
        wire["applicationItems"] = {
            "applicationItem": write_list(
                value.application_items, f"{path}/applicationItems", writer, write_application_item
            ),
        }
    return wire


def read_get_balance_request(node: Node, reader: Reader) -> GetBalanceRequest:
    no_attributes(node, reader)
    currency: str | None = None
    for child in node:
        tag = child.tag
        if tag == T_CURRENCY:
            if currency is not None:
                raise repeated(child)
            currency = STRING.read(child, reader)
        else:
            reader.unknown_element(child)
    if currency is None:
        raise absent(node, "currency")
    return GetBalanceRequest(
        currency=currency,
    )


def write_get_balance_request(value: GetBalanceRequest, writer: Writer, path: str) -> Wire:
    expect(value, GetBalanceRequest, path)
    wire: Wire = {}
    if value.currency is None:
        raise required(f"{path}/currency")
    wire["currency"] = write(value.currency, f"{path}/currency", STRING)
    return wire


def read_get_balance_response(node: Node, reader: Reader) -> GetBalanceResponse:
    no_attributes(node, reader)
    balance_item: BalanceItem | None = None
    for child in node:
        tag = child.tag
        if tag == T_BALANCE_ITEM:
            if balance_item is not None:
                raise repeated(child)
            balance_item = read_balance_item(child, reader)
        else:
            reader.unknown_element(child)
    return GetBalanceResponse(
        balance_item=balance_item,
    )


def write_get_balance_response(value: GetBalanceResponse, writer: Writer, path: str) -> Wire:
    expect(value, GetBalanceResponse, path)
    wire: Wire = {}
    if value.balance_item is not None:
        wire["balanceItem"] = write_balance_item(value.balance_item, writer, f"{path}/balanceItem")
    return wire


def read_get_balances_request(node: Node, reader: Reader) -> GetBalancesRequest:
    no_attributes(node, reader)
    page: int | None = None
    items: int | None = None
    for child in node:
        tag = child.tag
        if tag == T_PAGE:
            if page is not None:
                raise repeated(child)
            page = INT.read(child, reader)
        elif tag == T_ITEMS:
            if items is not None:
                raise repeated(child)
            items = INT.read(child, reader)
        else:
            reader.unknown_element(child)
    return GetBalancesRequest(
        page=page,
        items=items,
    )


def write_get_balances_request(value: GetBalancesRequest, writer: Writer, path: str) -> Wire:
    expect(value, GetBalancesRequest, path)
    wire: Wire = {}
    if value.page is not None:
        wire["page"] = write(value.page, f"{path}/page", INT)
    if value.items is not None:
        wire["items"] = write(value.items, f"{path}/items", INT)
    return wire


def read_get_balances_response(node: Node, reader: Reader) -> GetBalancesResponse:
    no_attributes(node, reader)
    page: int | None = None
    items: int | None = None
    total: int | None = None
    balance_items: list[BalanceItem] | None = None
    for child in node:
        tag = child.tag
        if tag == T_PAGE:
            if page is not None:
                raise repeated(child)
            page = INT.read(child, reader)
        elif tag == T_ITEMS:
            if items is not None:
                raise repeated(child)
            items = INT.read(child, reader)
        elif tag == T_TOTAL:
            if total is not None:
                raise repeated(child)
            total = LONG.read(child, reader)
        elif tag == T_BALANCE_ITEMS:
            if balance_items is not None:
                raise repeated(child)
            balance_items = read_list(child, reader, T_BALANCE_ITEM, read_balance_item)
        else:
            reader.unknown_element(child)
    if page is None:
        raise absent(node, "page")
    if items is None:
        raise absent(node, "items")
    if total is None:
        raise absent(node, "total")
    return GetBalancesResponse(
        page=page,
        items=items,
        total=total,
        balance_items=balance_items,
    )


def write_get_balances_response(value: GetBalancesResponse, writer: Writer, path: str) -> Wire:
    expect(value, GetBalancesResponse, path)
    wire: Wire = {}
    if value.page is None:
        raise required(f"{path}/page")
    wire["page"] = write(value.page, f"{path}/page", INT)
    if value.items is None:
        raise required(f"{path}/items")
    wire["items"] = write(value.items, f"{path}/items", INT)
    if value.total is None:
        raise required(f"{path}/total")
    wire["total"] = write(value.total, f"{path}/total", LONG)
    if value.balance_items is not None:
        wire["balanceItems"] = {
            "balanceItem": write_list(value.balance_items, f"{path}/balanceItems", writer, write_balance_item)
        }
    return wire


def read_get_bank_account_request(node: Node, reader: Reader) -> GetBankAccountRequest:
    no_attributes(node, reader)
    bank_account_id: str | None = None
    for child in node:
        tag = child.tag
        if tag == T_BANK_ACCOUNT_ID:
            if bank_account_id is not None:
                raise repeated(child)
            bank_account_id = STRING.read(child, reader)
        else:
            reader.unknown_element(child)
    if bank_account_id is None:
        raise absent(node, "bankAccountId")
    return GetBankAccountRequest(
        bank_account_id=bank_account_id,
    )


def write_get_bank_account_request(value: GetBankAccountRequest, writer: Writer, path: str) -> Wire:
    expect(value, GetBankAccountRequest, path)
    wire: Wire = {}
    if value.bank_account_id is None:
        raise required(f"{path}/bankAccountId")
    wire["bankAccountId"] = write(value.bank_account_id, f"{path}/bankAccountId", STRING)
    return wire


def read_get_bank_account_response(node: Node, reader: Reader) -> GetBankAccountResponse:
    no_attributes(node, reader)
    bank_account_item: BankAccountItem | None = None
    for child in node:
        tag = child.tag
        if tag == T_BANK_ACCOUNT_ITEM:
            if bank_account_item is not None:
                raise repeated(child)
            bank_account_item = read_bank_account_item(child, reader)
        else:
            reader.unknown_element(child)
    return GetBankAccountResponse(
        bank_account_item=bank_account_item,
    )


def write_get_bank_account_response(value: GetBankAccountResponse, writer: Writer, path: str) -> Wire:
    expect(value, GetBankAccountResponse, path)
    wire: Wire = {}
    if value.bank_account_item is not None:
        wire["bankAccountItem"] = write_bank_account_item(
            value.bank_account_item, writer, f"{path}/bankAccountItem"
        )
    return wire


def read_get_bank_accounts_request(node: Node, reader: Reader) -> GetBankAccountsRequest:
    no_attributes(node, reader)
    page: int | None = None
    items: int | None = None
    for child in node:
        tag = child.tag
        if tag == T_PAGE:
            if page is not None:
                raise repeated(child)
            page = INT.read(child, reader)
        elif tag == T_ITEMS:
            if items is not None:
                raise repeated(child)
            items = INT.read(child, reader)
        else:
            reader.unknown_element(child)
    return GetBankAccountsRequest(
        page=page,
        items=items,
    )


def write_get_bank_accounts_request(value: GetBankAccountsRequest, writer: Writer, path: str) -> Wire:
    expect(value, GetBankAccountsRequest, path)
    wire: Wire = {}
    if value.page is not None:
        wire["page"] = write(value.page, f"{path}/page", INT)
    if value.items is not None:
        wire["items"] = write(value.items, f"{path}/items", INT)
    return wire


def read_get_bank_accounts_response(node: Node, reader: Reader) -> GetBankAccountsResponse:
    no_attributes(node, reader)
    page: int | None = None
    items: int | None = None
    total: int | None = None
    bank_account_items: list[BankAccountItem] | None = None
    for child in node:
        tag = child.tag
        if tag == T_PAGE:
            if page is not None:
                raise repeated(child)
            page = INT.read(child, reader)
        elif tag == T_ITEMS:
            if items is not None:
                raise repeated(child)
            items = INT.read(child, reader)
        elif tag == T_TOTAL:
            if total is not None:
                raise repeated(child)
            total = LONG.read(child, reader)
        elif tag == T_BANK_ACCOUNT_ITEMS:
            if bank_account_items is not None:
                raise repeated(child)
            bank_account_items = read_list(child, reader, T_BANK_ACCOUNT_ITEM, read_bank_account_item)
        else:
            reader.unknown_element(child)
    if page is None:
        raise absent(node, "page")
    if items is None:
        raise absent(node, "items")
    if total is None:
        raise absent(node, "total")
    return GetBankAccountsResponse(
        page=page,
        items=items,
        total=total,
        bank_account_items=bank_account_items,
    )


def write_get_bank_accounts_response(value: GetBankAccountsResponse, writer: Writer, path: str) -> Wire:
    expect(value, GetBankAccountsResponse, path)
    wire: Wire = {}
    if value.page is None:
        raise required(f"{path}/page")
    wire["page"] = write(value.page, f"{path}/page", INT)
    if value.items is None:
        raise required(f"{path}/items")
    wire["items"] = write(value.items, f"{path}/items", INT)
    if value.total is None:
        raise required(f"{path}/total")
    wire["total"] = write(value.total, f"{path}/total", LONG)
    if value.bank_account_items is not None:
        wire["bankAccountItems"] = {
            "bankAccountItem": write_list(
                value.bank_account_items, f"{path}/bankAccountItems", writer, write_bank_account_item
            ),
        }
    return wire


def read_get_exclusive_incentive_request(node: Node, reader: Reader) -> GetExclusiveIncentiveRequest:
    no_attributes(node, reader)
    incentive_id: str | None = None
    adspace_id: int | None = None
    for child in node:
        tag = child.tag
        if tag == T_INCENTIVE_ID:
            if incentive_id is not None:
                raise repeated(child)
            incentive_id = STRING.read(child, reader)
        elif tag == T_ADSPACE_ID:
            if adspace_id is not None:
                raise repeated(child)
            adspace_id = INT.read(child, reader)
        else:
            reader.unknown_element(child)
    if incentive_id is None:
        raise absent(node, "incentiveId")
    return GetExclusiveIncentiveRequest(
        incentive_id=incentive_id,
        adspace_id=adspace_id,
    )


def write_get_exclusive_incentive_request(
    value: GetExclusiveIncentiveRequest, writer: Writer, path: str
) -> Wire:
    expect(value, GetExclusiveIncentiveRequest, path)
    wire: Wire = {}
    if value.incentive_id is None:
        raise required(f"{path}/incentiveId")
    wire["incentiveId"] = write(value.incentive_id, f"{path}/incentiveId", STRING)
    if value.adspace_id is not None:
        wire["adspaceId"] = write(value.adspace_id, f"{path}/adspaceId", INT)
    return wire


def read_get_exclusive_incentive_response(node: Node, reader: Reader) -> GetExclusiveIncentiveResponse:
    no_attributes(node, reader)
    incentive_item: IncentiveItem | None = None
    for child in node:
        tag = child.tag
        if tag == T_INCENTIVE_ITEM:
            if incentive_item is not None:
                raise repeated(child)
            incentive_item = read_incentive_item(child, reader)
        else:
            reader.unknown_element(child)
    return GetExclusiveIncentiveResponse(
        incentive_item=incentive_item,
    )


def write_get_exclusive_incentive_response(
    value: GetExclusiveIncentiveResponse, writer: Writer, path: str
) -> Wire:
    expect(value, GetExclusiveIncentiveResponse, path)
    wire: Wire = {}
    if value.incentive_item is not None:
        wire["incentiveItem"] = write_incentive_item(value.incentive_item, writer, f"{path}/incentiveItem")
    return wire


def read_get_incentive_request(node: Node, reader: Reader) -> GetIncentiveRequest:
    no_attributes(node, reader)
    incentive_id: str | None = None
    adspace_id: int | None = None
    for child in node:
        tag = child.tag
        if tag == T_INCENTIVE_ID:
            if incentive_id is not None:
                raise repeated(child)
            incentive_id = STRING.read(child, reader)
        elif tag == T_ADSPACE_ID:
            if adspace_id is not None:
                raise repeated(child)
            adspace_id = INT.read(child, reader)
        else:
            reader.unknown_element(child)
    if incentive_id is None:
        raise absent(node, "incentiveId")
    return GetIncentiveRequest(
        incentive_id=incentive_id,
        adspace_id=adspace_id,
    )


def write_get_incentive_request(value: GetIncentiveRequest, writer: Writer, path: str) -> Wire:
    expect(value, GetIncentiveRequest, path)
    wire: Wire = {}
    if value.incentive_id is None:
        raise required(f"{path}/incentiveId")
    wire["incentiveId"] = write(value.incentive_id, f"{path}/incentiveId", STRING)
    if value.adspace_id is not None:
        wire["adspaceId"] = write(value.adspace_id, f"{path}/adspaceId", INT)
    return wire


def read_get_incentive_response(node: Node, reader: Reader) -> GetIncentiveResponse:
    no_attributes(node, reader)
    incentive_item: IncentiveItem | None = None
    for child in node:
        tag = child.tag
        if tag == T_INCENTIVE_ITEM:
            if incentive_item is not None:
                raise repeated(child)
            incentive_item = read_incentive_item(child, reader)
        else:
            reader.unknown_element(child)
    return GetIncentiveResponse(
        incentive_item=incentive_item,
    )


def write_get_incentive_response(value: GetIncentiveResponse, writer: Writer, path: str) -> Wire:
    expect(value, GetIncentiveResponse, path)
    wire: Wire = {}
    if value.incentive_item is not None:
        wire["incentiveItem"] = write_incentive_item(value.incentive_item, writer, f"{path}/incentiveItem")
    return wire


def read_get_lead_request(node: Node, reader: Reader) -> GetLeadRequest:
    no_attributes(node, reader)
    lead_id: str | None = None
    for child in node:
        tag = child.tag
        if tag == T_LEAD_ID:
            if lead_id is not None:
                raise repeated(child)
            lead_id = STRING.read(child, reader)
        else:
            reader.unknown_element(child)
    if lead_id is None:
        raise absent(node, "leadId")
    return GetLeadRequest(
        lead_id=lead_id,
    )


def write_get_lead_request(value: GetLeadRequest, writer: Writer, path: str) -> Wire:
    expect(value, GetLeadRequest, path)
    wire: Wire = {}
    if value.lead_id is None:
        raise required(f"{path}/leadId")
    wire["leadId"] = write(value.lead_id, f"{path}/leadId", STRING)
    return wire


def read_get_lead_response(node: Node, reader: Reader) -> GetLeadResponse:
    no_attributes(node, reader)
    lead_item: LeadItem | None = None
    for child in node:
        tag = child.tag
        if tag == T_LEAD_ITEM:
            if lead_item is not None:
                raise repeated(child)
            lead_item = read_lead_item(child, reader)
        else:
            reader.unknown_element(child)
    return GetLeadResponse(
        lead_item=lead_item,
    )


def write_get_lead_response(value: GetLeadResponse, writer: Writer, path: str) -> Wire:
    expect(value, GetLeadResponse, path)
    wire: Wire = {}
    if value.lead_item is not None:
        wire["leadItem"] = write_lead_item(value.lead_item, writer, f"{path}/leadItem")
    return wire


def read_get_leads_request(node: Node, reader: Reader) -> GetLeadsRequest:
    no_attributes(node, reader)
    program_id: int | None = None
    adspace_id: int | None = None
    review_state: ReviewState | str | None = None
    date: dt.date | None = None
    date_type: DateType | str | None = None
    page: int | None = None
    items: int | None = None
    for child in node:
        tag = child.tag
        if tag == T_PROGRAM_ID:
            if program_id is not None:
                raise repeated(child)
            program_id = INT.read(child, reader)
        elif tag == T_ADSPACE_ID:
            if adspace_id is not None:
                raise repeated(child)
            adspace_id = INT.read(child, reader)
        elif tag == T_REVIEW_STATE:
            if review_state is not None:
                raise repeated(child)
            review_state = C_REVIEW_STATE.read(child, reader)
        elif tag == T_DATE:
            if date is not None:
                raise repeated(child)
            date = DAY.read(child, reader)
        elif tag == T_DATE_TYPE:
            if date_type is not None:
                raise repeated(child)
            date_type = C_DATE_TYPE.read(child, reader)
        elif tag == T_PAGE:
            if page is not None:
                raise repeated(child)
            page = INT.read(child, reader)
        elif tag == T_ITEMS:
            if items is not None:
                raise repeated(child)
            items = INT.read(child, reader)
        else:
            reader.unknown_element(child)
    if date is None:
        raise absent(node, "date")
    return GetLeadsRequest(
        program_id=program_id,
        adspace_id=adspace_id,
        review_state=review_state,
        date=date,
        date_type=date_type,
        page=page,
        items=items,
    )


def write_get_leads_request(value: GetLeadsRequest, writer: Writer, path: str) -> Wire:
    expect(value, GetLeadsRequest, path)
    wire: Wire = {}
    if value.program_id is not None:
        wire["programId"] = write(value.program_id, f"{path}/programId", INT)
    if value.adspace_id is not None:
        wire["adspaceId"] = write(value.adspace_id, f"{path}/adspaceId", INT)
    if value.review_state is not None:
        wire["reviewState"] = write_choice(value.review_state, f"{path}/reviewState", C_REVIEW_STATE)
    if value.date is None:
        raise required(f"{path}/date")
    wire["date"] = write_day(value.date, f"{path}/date", writer)
    if value.date_type is not None:
        wire["dateType"] = write_choice(value.date_type, f"{path}/dateType", C_DATE_TYPE)
    if value.page is not None:
        wire["page"] = write(value.page, f"{path}/page", INT)
    if value.items is not None:
        wire["items"] = write(value.items, f"{path}/items", INT)
    return wire


def read_get_leads_response(node: Node, reader: Reader) -> GetLeadsResponse:
    no_attributes(node, reader)
    page: int | None = None
    items: int | None = None
    total: int | None = None
    lead_items: list[LeadItem] | None = None
    for child in node:
        tag = child.tag
        if tag == T_PAGE:
            if page is not None:
                raise repeated(child)
            page = INT.read(child, reader)
        elif tag == T_ITEMS:
            if items is not None:
                raise repeated(child)
            items = INT.read(child, reader)
        elif tag == T_TOTAL:
            if total is not None:
                raise repeated(child)
            total = LONG.read(child, reader)
        elif tag == T_LEAD_ITEMS:
            if lead_items is not None:
                raise repeated(child)
            lead_items = read_list(child, reader, T_LEAD_ITEM, read_lead_item)
        else:
            reader.unknown_element(child)
    if page is None:
        raise absent(node, "page")
    if items is None:
        raise absent(node, "items")
    if total is None:
        raise absent(node, "total")
    return GetLeadsResponse(
        page=page,
        items=items,
        total=total,
        lead_items=lead_items,
    )


def write_get_leads_response(value: GetLeadsResponse, writer: Writer, path: str) -> Wire:
    expect(value, GetLeadsResponse, path)
    wire: Wire = {}
    if value.page is None:
        raise required(f"{path}/page")
    wire["page"] = write(value.page, f"{path}/page", INT)
    if value.items is None:
        raise required(f"{path}/items")
    wire["items"] = write(value.items, f"{path}/items", INT)
    if value.total is None:
        raise required(f"{path}/total")
    wire["total"] = write(value.total, f"{path}/total", LONG)
    if value.lead_items is not None:
        wire["leadItems"] = {
            "leadItem": write_list(value.lead_items, f"{path}/leadItems", writer, write_lead_item)
        }
    return wire


def read_get_media_slot_request(node: Node, reader: Reader) -> GetMediaSlotRequest:
    no_attributes(node, reader)
    media_slot_id: str | None = None
    for child in node:
        tag = child.tag
        if tag == T_MEDIA_SLOT_ID:
            if media_slot_id is not None:
                raise repeated(child)
            media_slot_id = STRING.read(child, reader)
        else:
            reader.unknown_element(child)
    if media_slot_id is None:
        raise absent(node, "mediaSlotId")
    return GetMediaSlotRequest(
        media_slot_id=media_slot_id,
    )


def write_get_media_slot_request(value: GetMediaSlotRequest, writer: Writer, path: str) -> Wire:
    expect(value, GetMediaSlotRequest, path)
    wire: Wire = {}
    if value.media_slot_id is None:
        raise required(f"{path}/mediaSlotId")
    wire["mediaSlotId"] = write(value.media_slot_id, f"{path}/mediaSlotId", STRING)
    return wire


def read_get_media_slot_response(node: Node, reader: Reader) -> GetMediaSlotResponse:
    no_attributes(node, reader)
    media_slot_item: MediaSlotItem | None = None
    for child in node:
        tag = child.tag
        if tag == T_MEDIA_SLOT_ITEM:
            if media_slot_item is not None:
                raise repeated(child)
            media_slot_item = read_media_slot_item(child, reader)
        else:
            reader.unknown_element(child)
    return GetMediaSlotResponse(
        media_slot_item=media_slot_item,
    )


def write_get_media_slot_response(value: GetMediaSlotResponse, writer: Writer, path: str) -> Wire:
    expect(value, GetMediaSlotResponse, path)
    wire: Wire = {}
    if value.media_slot_item is not None:
        wire["mediaSlotItem"] = write_media_slot_item(value.media_slot_item, writer, f"{path}/mediaSlotItem")
    return wire


def read_get_media_slots_request(node: Node, reader: Reader) -> GetMediaSlotsRequest:
    no_attributes(node, reader)
    adspace_id: int | None = None
    size: SizeType | None = None
    page: int | None = None
    items: int | None = None
    for child in node:
        tag = child.tag
        if tag == T_ADSPACE_ID:
            if adspace_id is not None:
                raise repeated(child)
            adspace_id = INT.read(child, reader)
        elif tag == T_SIZE:
            if size is not None:
                raise repeated(child)
            size = read_size_type(child, reader)
        elif tag == T_PAGE:
            if page is not None:
                raise repeated(child)
            page = INT.read(child, reader)
        elif tag == T_ITEMS:
            if items is not None:
                raise repeated(child)
            items = INT.read(child, reader)
        else:
            reader.unknown_element(child)
    return GetMediaSlotsRequest(
        adspace_id=adspace_id,
        size=size,
        page=page,
        items=items,
    )


def write_get_media_slots_request(value: GetMediaSlotsRequest, writer: Writer, path: str) -> Wire:
    expect(value, GetMediaSlotsRequest, path)
    wire: Wire = {}
    if value.adspace_id is not None:
        wire["adspaceId"] = write(value.adspace_id, f"{path}/adspaceId", INT)
    if value.size is not None:
        wire["size"] = write_size_type(value.size, writer, f"{path}/size")
    if value.page is not None:
        wire["page"] = write(value.page, f"{path}/page", INT)
    if value.items is not None:
        wire["items"] = write(value.items, f"{path}/items", INT)
    return wire


def read_get_media_slots_response(node: Node, reader: Reader) -> GetMediaSlotsResponse:
    no_attributes(node, reader)
    page: int | None = None
    items: int | None = None
    total: int | None = None
    media_slot_items: list[MediaSlotItem] | None = None
    for child in node:
        tag = child.tag
        if tag == T_PAGE:
            if page is not None:
                raise repeated(child)
            page = INT.read(child, reader)
        elif tag == T_ITEMS:
            if items is not None:
                raise repeated(child)
            items = INT.read(child, reader)
        elif tag == T_TOTAL:
            if total is not None:
                raise repeated(child)
            total = LONG.read(child, reader)
        elif tag == T_MEDIA_SLOT_ITEMS:
            if media_slot_items is not None:
                raise repeated(child)
            media_slot_items = read_list(child, reader, T_MEDIA_SLOT_ITEM, read_media_slot_item)
        else:
            reader.unknown_element(child)
    if page is None:
        raise absent(node, "page")
    if items is None:
        raise absent(node, "items")
    if total is None:
        raise absent(node, "total")
    return GetMediaSlotsResponse(
        page=page,
        items=items,
        total=total,
        media_slot_items=media_slot_items,
    )


def write_get_media_slots_response(value: GetMediaSlotsResponse, writer: Writer, path: str) -> Wire:
    expect(value, GetMediaSlotsResponse, path)
    wire: Wire = {}
    if value.page is None:
        raise required(f"{path}/page")
    wire["page"] = write(value.page, f"{path}/page", INT)
    if value.items is None:
        raise required(f"{path}/items")
    wire["items"] = write(value.items, f"{path}/items", INT)
    if value.total is None:
        raise required(f"{path}/total")
    wire["total"] = write(value.total, f"{path}/total", LONG)
    if value.media_slot_items is not None:
        wire["mediaSlotItems"] = {
            "mediaSlotItem": write_list(
                value.media_slot_items, f"{path}/mediaSlotItems", writer, write_media_slot_item
            ),
        }
    return wire


def read_get_payment_request(node: Node, reader: Reader) -> GetPaymentRequest:
    no_attributes(node, reader)
    payment_id: str | None = None
    for child in node:
        tag = child.tag
        if tag == T_PAYMENT_ID:
            if payment_id is not None:
                raise repeated(child)
            payment_id = STRING.read(child, reader)
        else:
            reader.unknown_element(child)
    if payment_id is None:
        raise absent(node, "paymentId")
    return GetPaymentRequest(
        payment_id=payment_id,
    )


def write_get_payment_request(value: GetPaymentRequest, writer: Writer, path: str) -> Wire:
    expect(value, GetPaymentRequest, path)
    wire: Wire = {}
    if value.payment_id is None:
        raise required(f"{path}/paymentId")
    wire["paymentId"] = write(value.payment_id, f"{path}/paymentId", STRING)
    return wire


def read_get_payment_response(node: Node, reader: Reader) -> GetPaymentResponse:
    no_attributes(node, reader)
    payment_item: PaymentItem | None = None
    for child in node:
        tag = child.tag
        if tag == T_PAYMENT_ITEM:
            if payment_item is not None:
                raise repeated(child)
            payment_item = read_payment_item(child, reader)
        else:
            reader.unknown_element(child)
    return GetPaymentResponse(
        payment_item=payment_item,
    )


def write_get_payment_response(value: GetPaymentResponse, writer: Writer, path: str) -> Wire:
    expect(value, GetPaymentResponse, path)
    wire: Wire = {}
    if value.payment_item is not None:
        wire["paymentItem"] = write_payment_item(value.payment_item, writer, f"{path}/paymentItem")
    return wire


def read_get_payments_request(node: Node, reader: Reader) -> GetPaymentsRequest:
    no_attributes(node, reader)
    page: int | None = None
    items: int | None = None
    for child in node:
        tag = child.tag
        if tag == T_PAGE:
            if page is not None:
                raise repeated(child)
            page = INT.read(child, reader)
        elif tag == T_ITEMS:
            if items is not None:
                raise repeated(child)
            items = INT.read(child, reader)
        else:
            reader.unknown_element(child)
    return GetPaymentsRequest(
        page=page,
        items=items,
    )


def write_get_payments_request(value: GetPaymentsRequest, writer: Writer, path: str) -> Wire:
    expect(value, GetPaymentsRequest, path)
    wire: Wire = {}
    if value.page is not None:
        wire["page"] = write(value.page, f"{path}/page", INT)
    if value.items is not None:
        wire["items"] = write(value.items, f"{path}/items", INT)
    return wire


def read_get_payments_response(node: Node, reader: Reader) -> GetPaymentsResponse:
    no_attributes(node, reader)
    page: int | None = None
    items: int | None = None
    total: int | None = None
    payment_items: list[PaymentItem] | None = None
    for child in node:
        tag = child.tag
        if tag == T_PAGE:
            if page is not None:
                raise repeated(child)
            page = INT.read(child, reader)
        elif tag == T_ITEMS:
            if items is not None:
                raise repeated(child)
            items = INT.read(child, reader)
        elif tag == T_TOTAL:
            if total is not None:
                raise repeated(child)
            total = LONG.read(child, reader)
        elif tag == T_PAYMENT_ITEMS:
            if payment_items is not None:
                raise repeated(child)
            payment_items = read_list(child, reader, T_PAYMENT_ITEM, read_payment_item)
        else:
            reader.unknown_element(child)
    if page is None:
        raise absent(node, "page")
    if items is None:
        raise absent(node, "items")
    if total is None:
        raise absent(node, "total")
    return GetPaymentsResponse(
        page=page,
        items=items,
        total=total,
        payment_items=payment_items,
    )


def write_get_payments_response(value: GetPaymentsResponse, writer: Writer, path: str) -> Wire:
    expect(value, GetPaymentsResponse, path)
    wire: Wire = {}
    if value.page is None:
        raise required(f"{path}/page")
    wire["page"] = write(value.page, f"{path}/page", INT)
    if value.items is None:
        raise required(f"{path}/items")
    wire["items"] = write(value.items, f"{path}/items", INT)
    if value.total is None:
        raise required(f"{path}/total")
    wire["total"] = write(value.total, f"{path}/total", LONG)
    if value.payment_items is not None:
        wire["paymentItems"] = {
            "paymentItem": write_list(value.payment_items, f"{path}/paymentItems", writer, write_payment_item)
        }
    return wire


def read_get_product_request(node: Node, reader: Reader) -> GetProductRequest:
    no_attributes(node, reader)
    zup_id: str | None = None
    adspace_id: int | None = None
    for child in node:
        tag = child.tag
        if tag == T_ZUP_ID:
            if zup_id is not None:
                raise repeated(child)
            zup_id = STRING.read(child, reader)
        elif tag == T_ADSPACE_ID:
            if adspace_id is not None:
                raise repeated(child)
            adspace_id = INT.read(child, reader)
        else:
            reader.unknown_element(child)
    if zup_id is None:
        raise absent(node, "zupId")
    return GetProductRequest(
        zup_id=zup_id,
        adspace_id=adspace_id,
    )


def write_get_product_request(value: GetProductRequest, writer: Writer, path: str) -> Wire:
    expect(value, GetProductRequest, path)
    wire: Wire = {}
    if value.zup_id is None:
        raise required(f"{path}/zupId")
    wire["zupId"] = write(value.zup_id, f"{path}/zupId", STRING)
    if value.adspace_id is not None:
        wire["adspaceId"] = write(value.adspace_id, f"{path}/adspaceId", INT)
    return wire


def read_get_product_response(node: Node, reader: Reader) -> GetProductResponse:
    no_attributes(node, reader)
    product_item: ProductItem | None = None
    for child in node:
        tag = child.tag
        if tag == T_PRODUCT_ITEM:
            if product_item is not None:
                raise repeated(child)
            product_item = read_product_item(child, reader)
        else:
            reader.unknown_element(child)
    return GetProductResponse(
        product_item=product_item,
    )


def write_get_product_response(value: GetProductResponse, writer: Writer, path: str) -> Wire:
    expect(value, GetProductResponse, path)
    wire: Wire = {}
    if value.product_item is not None:
        wire["productItem"] = write_product_item(value.product_item, writer, f"{path}/productItem")
    return wire


def read_get_product_categories_request(node: Node, reader: Reader) -> GetProductCategoriesRequest:
    no_attributes(node, reader)
    root_category: int | None = None
    include_childs: bool | None = None
    region: str | None = None
    for child in node:
        tag = child.tag
        if tag == T_ROOT_CATEGORY:
            if root_category is not None:
                raise repeated(child)
            root_category = INT.read(child, reader)
        elif tag == T_INCLUDE_CHILDS:
            if include_childs is not None:
                raise repeated(child)
            include_childs = BOOLEAN.read(child, reader)
        elif tag == T_REGION:
            if region is not None:
                raise repeated(child)
            region = STRING.read(child, reader)
        else:
            reader.unknown_element(child)
    return GetProductCategoriesRequest(
        root_category=root_category,
        include_childs=include_childs,
        region=region,
    )


def write_get_product_categories_request(
    value: GetProductCategoriesRequest, writer: Writer, path: str
) -> Wire:
    expect(value, GetProductCategoriesRequest, path)
    wire: Wire = {}
    if value.root_category is not None:
        wire["rootCategory"] = write(value.root_category, f"{path}/rootCategory", INT)
    if value.include_childs is not None:
        wire["includeChilds"] = write(value.include_childs, f"{path}/includeChilds", BOOLEAN)
    if value.region is not None:
        wire["region"] = write(value.region, f"{path}/region", STRING)
    return wire


def read_get_product_categories_response(node: Node, reader: Reader) -> GetProductCategoriesResponse:
    no_attributes(node, reader)
    categories: list[ProductCategoryType] | None = None
    for child in node:
        tag = child.tag
        if tag == T_CATEGORIES:
            if categories is not None:
                raise repeated(child)
            categories = read_list(child, reader, T_CATEGORY, read_product_category_type)
        else:
            reader.unknown_element(child)
    return GetProductCategoriesResponse(
        categories=categories,
    )


def write_get_product_categories_response(
    value: GetProductCategoriesResponse, writer: Writer, path: str
) -> Wire:
    expect(value, GetProductCategoriesResponse, path)
    wire: Wire = {}
    if value.categories is not None:
        wire["categories"] = {
            "category": write_list(
                value.categories, f"{path}/categories", writer, write_product_category_type
            ),
        }
    return wire


def read_get_profile_request(node: Node, reader: Reader) -> GetProfileRequest:
    no_attributes(node, reader)
    for child in node:
        reader.unknown_element(child)
    return GetProfileRequest()


def write_get_profile_request(value: GetProfileRequest, writer: Writer, path: str) -> Wire:
    expect(value, GetProfileRequest, path)
    wire: Wire = {}
    return wire


def read_get_profile_response(node: Node, reader: Reader) -> GetProfileResponse:
    no_attributes(node, reader)
    profile_item: ProfileItem | None = None
    for child in node:
        tag = child.tag
        if tag == T_PROFILE_ITEM:
            if profile_item is not None:
                raise repeated(child)
            profile_item = read_profile_item(child, reader)
        else:
            reader.unknown_element(child)
    return GetProfileResponse(
        profile_item=profile_item,
    )


def write_get_profile_response(value: GetProfileResponse, writer: Writer, path: str) -> Wire:
    expect(value, GetProfileResponse, path)
    wire: Wire = {}
    if value.profile_item is not None:
        wire["profileItem"] = write_profile_item(value.profile_item, writer, f"{path}/profileItem")
    return wire


def read_get_program_request(node: Node, reader: Reader) -> GetProgramRequest:
    no_attributes(node, reader)
    program_id: int | None = None
    for child in node:
        tag = child.tag
        if tag == T_PROGRAM_ID:
            if program_id is not None:
                raise repeated(child)
            program_id = INT.read(child, reader)
        else:
            reader.unknown_element(child)
    if program_id is None:
        raise absent(node, "programId")
    return GetProgramRequest(
        program_id=program_id,
    )


def write_get_program_request(value: GetProgramRequest, writer: Writer, path: str) -> Wire:
    expect(value, GetProgramRequest, path)
    wire: Wire = {}
    if value.program_id is None:
        raise required(f"{path}/programId")
    wire["programId"] = write(value.program_id, f"{path}/programId", INT)
    return wire


def read_get_program_response(node: Node, reader: Reader) -> GetProgramResponse:
    no_attributes(node, reader)
    program_item: ProgramItem | None = None
    for child in node:
        tag = child.tag
        if tag == T_PROGRAM_ITEM:
            if program_item is not None:
                raise repeated(child)
            program_item = read_program_item(child, reader)
        else:
            reader.unknown_element(child)
    return GetProgramResponse(
        program_item=program_item,
    )


def write_get_program_response(value: GetProgramResponse, writer: Writer, path: str) -> Wire:
    expect(value, GetProgramResponse, path)
    wire: Wire = {}
    if value.program_item is not None:
        wire["programItem"] = write_program_item(value.program_item, writer, f"{path}/programItem")
    return wire


def read_get_program_applications_request(node: Node, reader: Reader) -> GetProgramApplicationsRequest:
    no_attributes(node, reader)
    adspace_id: int | None = None
    program_id: int | None = None
    status: ProgramApplicationStatus | str | None = None
    page: int | None = None
    items: int | None = None
    for child in node:
        tag = child.tag
        if tag == T_ADSPACE_ID:
            if adspace_id is not None:
                raise repeated(child)
            adspace_id = INT.read(child, reader)
        elif tag == T_PROGRAM_ID:
            if program_id is not None:
                raise repeated(child)
            program_id = INT.read(child, reader)
        elif tag == T_STATUS:
            if status is not None:
                raise repeated(child)
            status = C_PROGRAM_APPLICATION_STATUS.read(child, reader)
        elif tag == T_PAGE:
            if page is not None:
                raise repeated(child)
            page = INT.read(child, reader)
        elif tag == T_ITEMS:
            if items is not None:
                raise repeated(child)
            items = INT.read(child, reader)
        else:
            reader.unknown_element(child)
    return GetProgramApplicationsRequest(
        adspace_id=adspace_id,
        program_id=program_id,
        status=status,
        page=page,
        items=items,
    )


def write_get_program_applications_request(
    value: GetProgramApplicationsRequest, writer: Writer, path: str
) -> Wire:
    expect(value, GetProgramApplicationsRequest, path)
    wire: Wire = {}
    if value.adspace_id is not None:
        wire["adspaceId"] = write(value.adspace_id, f"{path}/adspaceId", INT)
    if value.program_id is not None:
        wire["programId"] = write(value.program_id, f"{path}/programId", INT)
    if value.status is not None:
        wire["status"] = write_choice(value.status, f"{path}/status", C_PROGRAM_APPLICATION_STATUS)
    if value.page is not None:
        wire["page"] = write(value.page, f"{path}/page", INT)
    if value.items is not None:
        wire["items"] = write(value.items, f"{path}/items", INT)
    return wire


def read_get_program_applications_response(node: Node, reader: Reader) -> GetProgramApplicationsResponse:
    no_attributes(node, reader)
    page: int | None = None
    items: int | None = None
    total: int | None = None
    program_application_items: list[ProgramApplicationItem] | None = None
    for child in node:
        tag = child.tag
        if tag == T_PAGE:
            if page is not None:
                raise repeated(child)
            page = INT.read(child, reader)
        elif tag == T_ITEMS:
            if items is not None:
                raise repeated(child)
            items = INT.read(child, reader)
        elif tag == T_TOTAL:
            if total is not None:
                raise repeated(child)
            total = LONG.read(child, reader)
        elif tag == T_PROGRAM_APPLICATION_ITEMS:
            if program_application_items is not None:
                raise repeated(child)
            program_application_items = read_list(
                child, reader, T_PROGRAM_APPLICATION_ITEM, read_program_application_item
            )
        else:
            reader.unknown_element(child)
    if page is None:
        raise absent(node, "page")
    if items is None:
        raise absent(node, "items")
    if total is None:
        raise absent(node, "total")
    return GetProgramApplicationsResponse(
        page=page,
        items=items,
        total=total,
        program_application_items=program_application_items,
    )


def write_get_program_applications_response(
    value: GetProgramApplicationsResponse, writer: Writer, path: str
) -> Wire:
    expect(value, GetProgramApplicationsResponse, path)
    wire: Wire = {}
    if value.page is None:
        raise required(f"{path}/page")
    wire["page"] = write(value.page, f"{path}/page", INT)
    if value.items is None:
        raise required(f"{path}/items")
    wire["items"] = write(value.items, f"{path}/items", INT)
    if value.total is None:
        raise required(f"{path}/total")
    wire["total"] = write(value.total, f"{path}/total", LONG)
    if value.program_application_items is not None:
        wire["programApplicationItems"] = {
            "programApplicationItem": write_list(
                value.program_application_items,
                f"{path}/programApplicationItems",
                writer,
                write_program_application_item,
            ),
        }
    return wire


def read_get_program_categories_request(node: Node, reader: Reader) -> GetProgramCategoriesRequest:
    no_attributes(node, reader)
    for child in node:
        reader.unknown_element(child)
    return GetProgramCategoriesRequest()


def write_get_program_categories_request(
    value: GetProgramCategoriesRequest, writer: Writer, path: str
) -> Wire:
    expect(value, GetProgramCategoriesRequest, path)
    wire: Wire = {}
    return wire


def read_get_program_categories_response(node: Node, reader: Reader) -> GetProgramCategoriesResponse:
    no_attributes(node, reader)
    categories: list[SubStringIdentifierType] | None = None
    for child in node:
        tag = child.tag
        if tag == T_CATEGORIES:
            if categories is not None:
                raise repeated(child)
            categories = read_list(child, reader, T_CATEGORY, read_sub_string_identifier_type)
        else:
            reader.unknown_element(child)
    return GetProgramCategoriesResponse(
        categories=categories,
    )


def write_get_program_categories_response(
    value: GetProgramCategoriesResponse, writer: Writer, path: str
) -> Wire:
    expect(value, GetProgramCategoriesResponse, path)
    wire: Wire = {}
    if value.categories is not None:
        wire["categories"] = {
            "category": write_list(
                value.categories, f"{path}/categories", writer, write_sub_string_identifier_type
            ),
        }
    return wire


def read_get_report_basic_request(node: Node, reader: Reader) -> GetReportBasicRequest:
    no_attributes(node, reader)
    currency: str | None = None
    program_id: int | None = None
    admedium_id: int | None = None
    adspace_id: int | None = None
    review_state: ReviewState | str | None = None
    group_by: list[GroupBy | str] = []
    from_date: dt.date | None = None
    to_date: dt.date | None = None
    date_type: DateType | str | None = None
    for child in node:
        tag = child.tag
        if tag == T_CURRENCY:
            if currency is not None:
                raise repeated(child)
            currency = STRING.read(child, reader)
        elif tag == T_PROGRAM_ID:
            if program_id is not None:
                raise repeated(child)
            program_id = INT.read(child, reader)
        elif tag == T_ADMEDIUM_ID:
            if admedium_id is not None:
                raise repeated(child)
            admedium_id = INT.read(child, reader)
        elif tag == T_ADSPACE_ID:
            if adspace_id is not None:
                raise repeated(child)
            adspace_id = INT.read(child, reader)
        elif tag == T_REVIEW_STATE:
            if review_state is not None:
                raise repeated(child)
            review_state = C_REVIEW_STATE.read(child, reader)
        elif tag == T_GROUP_BY:
            group_by.append(C_GROUP_BY.read(child, reader))
        elif tag == T_FROM_DATE:
            if from_date is not None:
                raise repeated(child)
            from_date = DAY.read(child, reader)
        elif tag == T_TO_DATE:
            if to_date is not None:
                raise repeated(child)
            to_date = DAY.read(child, reader)
        elif tag == T_DATE_TYPE:
            if date_type is not None:
                raise repeated(child)
            date_type = C_DATE_TYPE.read(child, reader)
        else:
            reader.unknown_element(child)
    if from_date is None:
        raise absent(node, "fromDate")
    if to_date is None:
        raise absent(node, "toDate")
    return GetReportBasicRequest(
        currency=currency,
        program_id=program_id,
        admedium_id=admedium_id,
        adspace_id=adspace_id,
        review_state=review_state,
        group_by=group_by,
        from_date=from_date,
        to_date=to_date,
        date_type=date_type,
    )


def write_get_report_basic_request(value: GetReportBasicRequest, writer: Writer, path: str) -> Wire:
    expect(value, GetReportBasicRequest, path)
    wire: Wire = {}
    if value.currency is not None:
        wire["currency"] = write(value.currency, f"{path}/currency", STRING)
    if value.program_id is not None:
        wire["programId"] = write(value.program_id, f"{path}/programId", INT)
    if value.admedium_id is not None:
        wire["admediumId"] = write(value.admedium_id, f"{path}/admediumId", INT)
    if value.adspace_id is not None:
        wire["adspaceId"] = write(value.adspace_id, f"{path}/adspaceId", INT)
    if value.review_state is not None:
        wire["reviewState"] = write_choice(value.review_state, f"{path}/reviewState", C_REVIEW_STATE)
    if values := write_texts(value.group_by, f"{path}/groupBy", lambda v, p: write_choice(v, p, C_GROUP_BY)):
        wire["groupBy"] = values
    if value.from_date is None:
        raise required(f"{path}/fromDate")
    wire["fromDate"] = write_day(value.from_date, f"{path}/fromDate", writer)
    if value.to_date is None:
        raise required(f"{path}/toDate")
    wire["toDate"] = write_day(value.to_date, f"{path}/toDate", writer)
    if value.date_type is not None:
        wire["dateType"] = write_choice(value.date_type, f"{path}/dateType", C_DATE_TYPE)
    return wire


def read_get_report_basic_response(node: Node, reader: Reader) -> GetReportBasicResponse:
    no_attributes(node, reader)
    page: int | None = None
    items: int | None = None
    total: int | None = None
    report_items: list[ReportItem] | None = None
    for child in node:
        tag = child.tag
        if tag == T_PAGE:
            if page is not None:
                raise repeated(child)
            page = INT.read(child, reader)
        elif tag == T_ITEMS:
            if items is not None:
                raise repeated(child)
            items = INT.read(child, reader)
        elif tag == T_TOTAL:
            if total is not None:
                raise repeated(child)
            total = LONG.read(child, reader)
        elif tag == T_REPORT_ITEMS:
            if report_items is not None:
                raise repeated(child)
            report_items = read_list(child, reader, T_REPORT_ITEM, read_report_item)
        else:
            reader.unknown_element(child)
    if page is None:
        raise absent(node, "page")
    if items is None:
        raise absent(node, "items")
    if total is None:
        raise absent(node, "total")
    return GetReportBasicResponse(
        page=page,
        items=items,
        total=total,
        report_items=report_items,
    )


def write_get_report_basic_response(value: GetReportBasicResponse, writer: Writer, path: str) -> Wire:
    expect(value, GetReportBasicResponse, path)
    wire: Wire = {}
    if value.page is None:
        raise required(f"{path}/page")
    wire["page"] = write(value.page, f"{path}/page", INT)
    if value.items is None:
        raise required(f"{path}/items")
    wire["items"] = write(value.items, f"{path}/items", INT)
    if value.total is None:
        raise required(f"{path}/total")
    wire["total"] = write(value.total, f"{path}/total", LONG)
    if value.report_items is not None:
        wire["reportItems"] = {
            "reportItem": write_list(value.report_items, f"{path}/reportItems", writer, write_report_item)
        }
    return wire


def read_get_sale_request(node: Node, reader: Reader) -> GetSaleRequest:
    no_attributes(node, reader)
    sale_id: str | None = None
    for child in node:
        tag = child.tag
        if tag == T_SALE_ID:
            if sale_id is not None:
                raise repeated(child)
            sale_id = STRING.read(child, reader)
        else:
            reader.unknown_element(child)
    if sale_id is None:
        raise absent(node, "saleId")
    return GetSaleRequest(
        sale_id=sale_id,
    )


def write_get_sale_request(value: GetSaleRequest, writer: Writer, path: str) -> Wire:
    expect(value, GetSaleRequest, path)
    wire: Wire = {}
    if value.sale_id is None:
        raise required(f"{path}/saleId")
    wire["saleId"] = write(value.sale_id, f"{path}/saleId", STRING)
    return wire


def read_get_sale_response(node: Node, reader: Reader) -> GetSaleResponse:
    no_attributes(node, reader)
    sale_item: SaleItem | None = None
    for child in node:
        tag = child.tag
        if tag == T_SALE_ITEM:
            if sale_item is not None:
                raise repeated(child)
            sale_item = read_sale_item(child, reader)
        else:
            reader.unknown_element(child)
    return GetSaleResponse(
        sale_item=sale_item,
    )


def write_get_sale_response(value: GetSaleResponse, writer: Writer, path: str) -> Wire:
    expect(value, GetSaleResponse, path)
    wire: Wire = {}
    if value.sale_item is not None:
        wire["saleItem"] = write_sale_item(value.sale_item, writer, f"{path}/saleItem")
    return wire


def read_get_sales_request(node: Node, reader: Reader) -> GetSalesRequest:
    no_attributes(node, reader)
    program_id: int | None = None
    adspace_id: int | None = None
    review_state: ReviewState | str | None = None
    date: dt.date | None = None
    date_type: DateType | str | None = None
    page: int | None = None
    items: int | None = None
    for child in node:
        tag = child.tag
        if tag == T_PROGRAM_ID:
            if program_id is not None:
                raise repeated(child)
            program_id = INT.read(child, reader)
        elif tag == T_ADSPACE_ID:
            if adspace_id is not None:
                raise repeated(child)
            adspace_id = INT.read(child, reader)
        elif tag == T_REVIEW_STATE:
            if review_state is not None:
                raise repeated(child)
            review_state = C_REVIEW_STATE.read(child, reader)
        elif tag == T_DATE:
            if date is not None:
                raise repeated(child)
            date = DAY.read(child, reader)
        elif tag == T_DATE_TYPE:
            if date_type is not None:
                raise repeated(child)
            date_type = C_DATE_TYPE.read(child, reader)
        elif tag == T_PAGE:
            if page is not None:
                raise repeated(child)
            page = INT.read(child, reader)
        elif tag == T_ITEMS:
            if items is not None:
                raise repeated(child)
            items = INT.read(child, reader)
        else:
            reader.unknown_element(child)
    if date is None:
        raise absent(node, "date")
    return GetSalesRequest(
        program_id=program_id,
        adspace_id=adspace_id,
        review_state=review_state,
        date=date,
        date_type=date_type,
        page=page,
        items=items,
    )


def write_get_sales_request(value: GetSalesRequest, writer: Writer, path: str) -> Wire:
    expect(value, GetSalesRequest, path)
    wire: Wire = {}
    if value.program_id is not None:
        wire["programId"] = write(value.program_id, f"{path}/programId", INT)
    if value.adspace_id is not None:
        wire["adspaceId"] = write(value.adspace_id, f"{path}/adspaceId", INT)
    if value.review_state is not None:
        wire["reviewState"] = write_choice(value.review_state, f"{path}/reviewState", C_REVIEW_STATE)
    if value.date is None:
        raise required(f"{path}/date")
    wire["date"] = write_day(value.date, f"{path}/date", writer)
    if value.date_type is not None:
        wire["dateType"] = write_choice(value.date_type, f"{path}/dateType", C_DATE_TYPE)
    if value.page is not None:
        wire["page"] = write(value.page, f"{path}/page", INT)
    if value.items is not None:
        wire["items"] = write(value.items, f"{path}/items", INT)
    return wire


def read_get_sales_response(node: Node, reader: Reader) -> GetSalesResponse:
    no_attributes(node, reader)
    page: int | None = None
    items: int | None = None
    total: int | None = None
    sale_items: list[SaleItem] | None = None
    for child in node:
        tag = child.tag
        if tag == T_PAGE:
            if page is not None:
                raise repeated(child)
            page = INT.read(child, reader)
        elif tag == T_ITEMS:
            if items is not None:
                raise repeated(child)
            items = INT.read(child, reader)
        elif tag == T_TOTAL:
            if total is not None:
                raise repeated(child)
            total = LONG.read(child, reader)
        elif tag == T_SALE_ITEMS:
            if sale_items is not None:
                raise repeated(child)
            sale_items = read_list(child, reader, T_SALE_ITEM, read_sale_item)
        else:
            reader.unknown_element(child)
    if page is None:
        raise absent(node, "page")
    if items is None:
        raise absent(node, "items")
    if total is None:
        raise absent(node, "total")
    return GetSalesResponse(
        page=page,
        items=items,
        total=total,
        sale_items=sale_items,
    )


def write_get_sales_response(value: GetSalesResponse, writer: Writer, path: str) -> Wire:
    expect(value, GetSalesResponse, path)
    wire: Wire = {}
    if value.page is None:
        raise required(f"{path}/page")
    wire["page"] = write(value.page, f"{path}/page", INT)
    if value.items is None:
        raise required(f"{path}/items")
    wire["items"] = write(value.items, f"{path}/items", INT)
    if value.total is None:
        raise required(f"{path}/total")
    wire["total"] = write(value.total, f"{path}/total", LONG)
    if value.sale_items is not None:
        wire["saleItems"] = {
            "saleItem": write_list(value.sale_items, f"{path}/saleItems", writer, write_sale_item)
        }
    return wire


def read_get_setting_request(node: Node, reader: Reader) -> GetSettingRequest:
    no_attributes(node, reader)
    application_id: str | None = None
    media_slot_id: str | None = None
    key: str | None = None
    for child in node:
        tag = child.tag
        if tag == T_APPLICATION_ID:
            if application_id is not None:
                raise repeated(child)
            application_id = STRING.read(child, reader)
        elif tag == T_MEDIA_SLOT_ID:
            if media_slot_id is not None:
                raise repeated(child)
            media_slot_id = STRING.read(child, reader)
        elif tag == T_KEY:
            if key is not None:
                raise repeated(child)
            key = STRING.read(child, reader)
        else:
            reader.unknown_element(child)
    if application_id is None:
        raise absent(node, "applicationId")
    if key is None:
        raise absent(node, "key")
    return GetSettingRequest(
        application_id=application_id,
        media_slot_id=media_slot_id,
        key=key,
    )


def write_get_setting_request(value: GetSettingRequest, writer: Writer, path: str) -> Wire:
    expect(value, GetSettingRequest, path)
    wire: Wire = {}
    if value.application_id is None:
        raise required(f"{path}/applicationId")
    wire["applicationId"] = write(value.application_id, f"{path}/applicationId", STRING)
    if value.media_slot_id is not None:
        wire["mediaSlotId"] = write(value.media_slot_id, f"{path}/mediaSlotId", STRING)
    if value.key is None:
        raise required(f"{path}/key")
    wire["key"] = write(value.key, f"{path}/key", STRING)
    return wire


def read_get_setting_response(node: Node, reader: Reader) -> GetSettingResponse:
    no_attributes(node, reader)
    setting_item: SettingItem | None = None
    for child in node:
        tag = child.tag
        if tag == T_SETTING_ITEM:
            if setting_item is not None:
                raise repeated(child)
            setting_item = read_setting_item(child, reader)
        else:
            reader.unknown_element(child)
    if setting_item is None:
        raise absent(node, "settingItem")
    return GetSettingResponse(
        setting_item=setting_item,
    )


def write_get_setting_response(value: GetSettingResponse, writer: Writer, path: str) -> Wire:
    expect(value, GetSettingResponse, path)
    wire: Wire = {}
    if value.setting_item is None:
        raise required(f"{path}/settingItem")
    wire["settingItem"] = write_setting_item(value.setting_item, writer, f"{path}/settingItem")
    return wire


def read_get_settings_request(node: Node, reader: Reader) -> GetSettingsRequest:
    no_attributes(node, reader)
    application_id: str | None = None
    media_slot_id: str | None = None
    page: int | None = None
    items: int | None = None
    for child in node:
        tag = child.tag
        if tag == T_APPLICATION_ID:
            if application_id is not None:
                raise repeated(child)
            application_id = STRING.read(child, reader)
        elif tag == T_MEDIA_SLOT_ID:
            if media_slot_id is not None:
                raise repeated(child)
            media_slot_id = STRING.read(child, reader)
        elif tag == T_PAGE:
            if page is not None:
                raise repeated(child)
            page = INT.read(child, reader)
        elif tag == T_ITEMS:
            if items is not None:
                raise repeated(child)
            items = INT.read(child, reader)
        else:
            reader.unknown_element(child)
    return GetSettingsRequest(
        application_id=application_id,
        media_slot_id=media_slot_id,
        page=page,
        items=items,
    )


def write_get_settings_request(value: GetSettingsRequest, writer: Writer, path: str) -> Wire:
    expect(value, GetSettingsRequest, path)
    wire: Wire = {}
    if value.application_id is not None:
        wire["applicationId"] = write(value.application_id, f"{path}/applicationId", STRING)
    if value.media_slot_id is not None:
        wire["mediaSlotId"] = write(value.media_slot_id, f"{path}/mediaSlotId", STRING)
    if value.page is not None:
        wire["page"] = write(value.page, f"{path}/page", INT)
    if value.items is not None:
        wire["items"] = write(value.items, f"{path}/items", INT)
    return wire


def read_get_settings_response(node: Node, reader: Reader) -> GetSettingsResponse:
    no_attributes(node, reader)
    page: int | None = None
    items: int | None = None
    total: int | None = None
    setting_items: list[SettingItem] | None = None
    for child in node:
        tag = child.tag
        if tag == T_PAGE:
            if page is not None:
                raise repeated(child)
            page = INT.read(child, reader)
        elif tag == T_ITEMS:
            if items is not None:
                raise repeated(child)
            items = INT.read(child, reader)
        elif tag == T_TOTAL:
            if total is not None:
                raise repeated(child)
            total = LONG.read(child, reader)
        elif tag == T_SETTING_ITEMS:
            if setting_items is not None:
                raise repeated(child)
            setting_items = read_list(child, reader, T_SETTING_ITEM, read_setting_item)
        else:
            reader.unknown_element(child)
    if page is None:
        raise absent(node, "page")
    if items is None:
        raise absent(node, "items")
    if total is None:
        raise absent(node, "total")
    return GetSettingsResponse(
        page=page,
        items=items,
        total=total,
        setting_items=setting_items,
    )


def write_get_settings_response(value: GetSettingsResponse, writer: Writer, path: str) -> Wire:
    expect(value, GetSettingsResponse, path)
    wire: Wire = {}
    if value.page is None:
        raise required(f"{path}/page")
    wire["page"] = write(value.page, f"{path}/page", INT)
    if value.items is None:
        raise required(f"{path}/items")
    wire["items"] = write(value.items, f"{path}/items", INT)
    if value.total is None:
        raise required(f"{path}/total")
    wire["total"] = write(value.total, f"{path}/total", LONG)
    if value.setting_items is not None:
        wire["settingItems"] = {
            "settingItem": write_list(value.setting_items, f"{path}/settingItems", writer, write_setting_item)
        }
    return wire


def read_get_tracking_categories_request(node: Node, reader: Reader) -> GetTrackingCategoriesRequest:
    no_attributes(node, reader)
    adspace_id: int | None = None
    program_id: int | None = None
    page: int | None = None
    items: int | None = None
    for child in node:
        tag = child.tag
        if tag == T_ADSPACE_ID:
            if adspace_id is not None:
                raise repeated(child)
            adspace_id = INT.read(child, reader)
        elif tag == T_PROGRAM_ID:
            if program_id is not None:
                raise repeated(child)
            program_id = INT.read(child, reader)
        elif tag == T_PAGE:
            if page is not None:
                raise repeated(child)
            page = INT.read(child, reader)
        elif tag == T_ITEMS:
            if items is not None:
                raise repeated(child)
            items = INT.read(child, reader)
        else:
            reader.unknown_element(child)
    if adspace_id is None:
        raise absent(node, "adspaceId")
    if program_id is None:
        raise absent(node, "programId")
    return GetTrackingCategoriesRequest(
        adspace_id=adspace_id,
        program_id=program_id,
        page=page,
        items=items,
    )


def write_get_tracking_categories_request(
    value: GetTrackingCategoriesRequest, writer: Writer, path: str
) -> Wire:
    expect(value, GetTrackingCategoriesRequest, path)
    wire: Wire = {}
    if value.adspace_id is None:
        raise required(f"{path}/adspaceId")
    wire["adspaceId"] = write(value.adspace_id, f"{path}/adspaceId", INT)
    if value.program_id is None:
        raise required(f"{path}/programId")
    wire["programId"] = write(value.program_id, f"{path}/programId", INT)
    if value.page is not None:
        wire["page"] = write(value.page, f"{path}/page", INT)
    if value.items is not None:
        wire["items"] = write(value.items, f"{path}/items", INT)
    return wire


def read_get_tracking_categories_response(node: Node, reader: Reader) -> GetTrackingCategoriesResponse:
    no_attributes(node, reader)
    page: int | None = None
    items: int | None = None
    total: int | None = None
    tracking_category_item: list[TrackingCategoryItem] | None = None
    for child in node:
        tag = child.tag
        if tag == T_PAGE:
            if page is not None:
                raise repeated(child)
            page = INT.read(child, reader)
        elif tag == T_ITEMS:
            if items is not None:
                raise repeated(child)
            items = INT.read(child, reader)
        elif tag == T_TOTAL:
            if total is not None:
                raise repeated(child)
            total = LONG.read(child, reader)
        elif tag == T_TRACKING_CATEGORY_ITEM:
            if tracking_category_item is not None:
                raise repeated(child)
            tracking_category_item = read_list(
                child, reader, T_TRACKING_CATEGORY_ITEM, read_tracking_category_item
            )
        else:
            reader.unknown_element(child)
    if page is None:
        raise absent(node, "page")
    if items is None:
        raise absent(node, "items")
    if total is None:
        raise absent(node, "total")
    return GetTrackingCategoriesResponse(
        page=page,
        items=items,
        total=total,
        tracking_category_item=tracking_category_item,
    )


def write_get_tracking_categories_response(
    value: GetTrackingCategoriesResponse, writer: Writer, path: str
) -> Wire:
    expect(value, GetTrackingCategoriesResponse, path)
    wire: Wire = {}
    if value.page is None:
        raise required(f"{path}/page")
    wire["page"] = write(value.page, f"{path}/page", INT)
    if value.items is None:
        raise required(f"{path}/items")
    wire["items"] = write(value.items, f"{path}/items", INT)
    if value.total is None:
        raise required(f"{path}/total")
    wire["total"] = write(value.total, f"{path}/total", LONG)
    if value.tracking_category_item is not None:
        wire["trackingCategoryItem"] = {
            "trackingCategoryItem": write_list(
                value.tracking_category_item,
                f"{path}/trackingCategoryItem",
                writer,
                write_tracking_category_item,
            ),
        }
    return wire


def read_search_exclusive_incentives_request(node: Node, reader: Reader) -> SearchExclusiveIncentivesRequest:
    no_attributes(node, reader)
    page: int | None = None
    items: int | None = None
    program_id: int | None = None
    incentive_type: IncentiveType | str | None = None
    region: str | None = None
    adspace_id: int | None = None
    for child in node:
        tag = child.tag
        if tag == T_PAGE:
            if page is not None:
                raise repeated(child)
            page = INT.read(child, reader)
        elif tag == T_ITEMS:
            if items is not None:
                raise repeated(child)
            items = INT.read(child, reader)
        elif tag == T_PROGRAM_ID:
            if program_id is not None:
                raise repeated(child)
            program_id = INT.read(child, reader)
        elif tag == T_INCENTIVE_TYPE:
            if incentive_type is not None:
                raise repeated(child)
            incentive_type = C_INCENTIVE_TYPE.read(child, reader)
        elif tag == T_REGION:
            if region is not None:
                raise repeated(child)
            region = STRING.read(child, reader)
        elif tag == T_ADSPACE_ID:
            if adspace_id is not None:
                raise repeated(child)
            adspace_id = INT.read(child, reader)
        else:
            reader.unknown_element(child)
    return SearchExclusiveIncentivesRequest(
        page=page,
        items=items,
        program_id=program_id,
        incentive_type=incentive_type,
        region=region,
        adspace_id=adspace_id,
    )


def write_search_exclusive_incentives_request(
    value: SearchExclusiveIncentivesRequest, writer: Writer, path: str
) -> Wire:
    expect(value, SearchExclusiveIncentivesRequest, path)
    wire: Wire = {}
    if value.page is not None:
        wire["page"] = write(value.page, f"{path}/page", INT)
    if value.items is not None:
        wire["items"] = write(value.items, f"{path}/items", INT)
    if value.program_id is not None:
        wire["programId"] = write(value.program_id, f"{path}/programId", INT)
    if value.incentive_type is not None:
        wire["incentiveType"] = write_choice(value.incentive_type, f"{path}/incentiveType", C_INCENTIVE_TYPE)
    if value.region is not None:
        wire["region"] = write(value.region, f"{path}/region", STRING)
    if value.adspace_id is not None:
        wire["adspaceId"] = write(value.adspace_id, f"{path}/adspaceId", INT)
    return wire


def read_search_exclusive_incentives_response(
    node: Node, reader: Reader
) -> SearchExclusiveIncentivesResponse:
    no_attributes(node, reader)
    page: int | None = None
    items: int | None = None
    total: int | None = None
    incentive_items: list[IncentiveItem] | None = None
    for child in node:
        tag = child.tag
        if tag == T_PAGE:
            if page is not None:
                raise repeated(child)
            page = INT.read(child, reader)
        elif tag == T_ITEMS:
            if items is not None:
                raise repeated(child)
            items = INT.read(child, reader)
        elif tag == T_TOTAL:
            if total is not None:
                raise repeated(child)
            total = LONG.read(child, reader)
        elif tag == T_INCENTIVE_ITEMS:
            if incentive_items is not None:
                raise repeated(child)
            incentive_items = read_list(child, reader, T_INCENTIVE_ITEM, read_incentive_item)
        else:
            reader.unknown_element(child)
    if page is None:
        raise absent(node, "page")
    if items is None:
        raise absent(node, "items")
    if total is None:
        raise absent(node, "total")
    return SearchExclusiveIncentivesResponse(
        page=page,
        items=items,
        total=total,
        incentive_items=incentive_items,
    )


def write_search_exclusive_incentives_response(
    value: SearchExclusiveIncentivesResponse, writer: Writer, path: str
) -> Wire:
    expect(value, SearchExclusiveIncentivesResponse, path)
    wire: Wire = {}
    if value.page is None:
        raise required(f"{path}/page")
    wire["page"] = write(value.page, f"{path}/page", INT)
    if value.items is None:
        raise required(f"{path}/items")
    wire["items"] = write(value.items, f"{path}/items", INT)
    if value.total is None:
        raise required(f"{path}/total")
    wire["total"] = write(value.total, f"{path}/total", LONG)
    if value.incentive_items is not None:
        wire["incentiveItems"] = {
            "incentiveItem": write_list(
                value.incentive_items, f"{path}/incentiveItems", writer, write_incentive_item
            ),
        }
    return wire


def read_search_incentives_request(node: Node, reader: Reader) -> SearchIncentivesRequest:
    no_attributes(node, reader)
    page: int | None = None
    items: int | None = None
    program_id: int | None = None
    incentive_type: IncentiveType | str | None = None
    region: str | None = None
    adspace_id: int | None = None
    for child in node:
        tag = child.tag
        if tag == T_PAGE:
            if page is not None:
                raise repeated(child)
            page = INT.read(child, reader)
        elif tag == T_ITEMS:
            if items is not None:
                raise repeated(child)
            items = INT.read(child, reader)
        elif tag == T_PROGRAM_ID:
            if program_id is not None:
                raise repeated(child)
            program_id = INT.read(child, reader)
        elif tag == T_INCENTIVE_TYPE:
            if incentive_type is not None:
                raise repeated(child)
            incentive_type = C_INCENTIVE_TYPE.read(child, reader)
        elif tag == T_REGION:
            if region is not None:
                raise repeated(child)
            region = STRING.read(child, reader)
        elif tag == T_ADSPACE_ID:
            if adspace_id is not None:
                raise repeated(child)
            adspace_id = INT.read(child, reader)
        else:
            reader.unknown_element(child)
    return SearchIncentivesRequest(
        page=page,
        items=items,
        program_id=program_id,
        incentive_type=incentive_type,
        region=region,
        adspace_id=adspace_id,
    )


def write_search_incentives_request(value: SearchIncentivesRequest, writer: Writer, path: str) -> Wire:
    expect(value, SearchIncentivesRequest, path)
    wire: Wire = {}
    if value.page is not None:
        wire["page"] = write(value.page, f"{path}/page", INT)
    if value.items is not None:
        wire["items"] = write(value.items, f"{path}/items", INT)
    if value.program_id is not None:
        wire["programId"] = write(value.program_id, f"{path}/programId", INT)
    if value.incentive_type is not None:
        wire["incentiveType"] = write_choice(value.incentive_type, f"{path}/incentiveType", C_INCENTIVE_TYPE)
    if value.region is not None:
        wire["region"] = write(value.region, f"{path}/region", STRING)
    if value.adspace_id is not None:
        wire["adspaceId"] = write(value.adspace_id, f"{path}/adspaceId", INT)
    return wire


def read_search_incentives_response(node: Node, reader: Reader) -> SearchIncentivesResponse:
    no_attributes(node, reader)
    page: int | None = None
    items: int | None = None
    total: int | None = None
    incentive_items: list[IncentiveItem] | None = None
    for child in node:
        tag = child.tag
        if tag == T_PAGE:
            if page is not None:
                raise repeated(child)
            page = INT.read(child, reader)
        elif tag == T_ITEMS:
            if items is not None:
                raise repeated(child)
            items = INT.read(child, reader)
        elif tag == T_TOTAL:
            if total is not None:
                raise repeated(child)
            total = LONG.read(child, reader)
        elif tag == T_INCENTIVE_ITEMS:
            if incentive_items is not None:
                raise repeated(child)
            incentive_items = read_list(child, reader, T_INCENTIVE_ITEM, read_incentive_item)
        else:
            reader.unknown_element(child)
    if page is None:
        raise absent(node, "page")
    if items is None:
        raise absent(node, "items")
    if total is None:
        raise absent(node, "total")
    return SearchIncentivesResponse(
        page=page,
        items=items,
        total=total,
        incentive_items=incentive_items,
    )


def write_search_incentives_response(value: SearchIncentivesResponse, writer: Writer, path: str) -> Wire:
    expect(value, SearchIncentivesResponse, path)
    wire: Wire = {}
    if value.page is None:
        raise required(f"{path}/page")
    wire["page"] = write(value.page, f"{path}/page", INT)
    if value.items is None:
        raise required(f"{path}/items")
    wire["items"] = write(value.items, f"{path}/items", INT)
    if value.total is None:
        raise required(f"{path}/total")
    wire["total"] = write(value.total, f"{path}/total", LONG)
    if value.incentive_items is not None:
        wire["incentiveItems"] = {
            "incentiveItem": write_list(
                value.incentive_items, f"{path}/incentiveItems", writer, write_incentive_item
            ),
        }
    return wire


def read_search_products_request(node: Node, reader: Reader) -> SearchProductsRequest:
    no_attributes(node, reader)
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
    for child in node:
        tag = child.tag
        if tag == T_QUERY:
            if query is not None:
                raise repeated(child)
            query = STRING.read(child, reader)
        elif tag == T_SEARCH_TYPE:
            if search_type is not None:
                raise repeated(child)
            search_type = C_SEARCH_TYPE.read(child, reader)
        elif tag == T_REGION:
            if region is not None:
                raise repeated(child)
            region = STRING.read(child, reader)
        elif tag == T_CATEGORY_ID:
            if category_id is not None:
                raise repeated(child)
            category_id = INT.read(child, reader)
        elif tag == T_PROGRAM_ID:
            program_id.append(INT.read(child, reader))
        elif tag == T_HAS_IMAGES:
            if has_images is not None:
                raise repeated(child)
            has_images = BOOLEAN.read(child, reader)
        elif tag == T_MIN_PRICE:
            if min_price is not None:
                raise repeated(child)
            min_price = INT.read(child, reader)
        elif tag == T_MAX_PRICE:
            if max_price is not None:
                raise repeated(child)
            max_price = INT.read(child, reader)
        elif tag == T_ADSPACE_ID:
            if adspace_id is not None:
                raise repeated(child)
            adspace_id = INT.read(child, reader)
        elif tag == T_PAGE:
            if page is not None:
                raise repeated(child)
            page = INT.read(child, reader)
        elif tag == T_ITEMS:
            if items is not None:
                raise repeated(child)
            items = INT.read(child, reader)
        elif tag == T_EAN:
            if ean is not None:
                raise repeated(child)
            ean = STRING.read(child, reader)
        elif tag == T_MERCHANT_CATEGORY:
            merchant_category.append(STRING.read(child, reader))
        elif tag == T_PARTNERSHIP:
            if partnership is not None:
                raise repeated(child)
            partnership = C_PRODUCT_PARTNERSHIP.read(child, reader)
        else:
            reader.unknown_element(child)
    return SearchProductsRequest(
        query=query,
        search_type=search_type,
        region=region,
        category_id=category_id,
        program_id=program_id,
        has_images=has_images,
        min_price=min_price,
        max_price=max_price,
        adspace_id=adspace_id,
        page=page,
        items=items,
        ean=ean,
        merchant_category=merchant_category,
        partnership=partnership,
    )


def write_search_products_request(value: SearchProductsRequest, writer: Writer, path: str) -> Wire:
    expect(value, SearchProductsRequest, path)
    wire: Wire = {}
    if value.query is not None:
        wire["query"] = write(value.query, f"{path}/query", STRING)
    if value.search_type is not None:
        wire["searchType"] = write_choice(value.search_type, f"{path}/searchType", C_SEARCH_TYPE)
    if value.region is not None:
        wire["region"] = write(value.region, f"{path}/region", STRING)
    if value.category_id is not None:
        wire["categoryId"] = write(value.category_id, f"{path}/categoryId", INT)
    if values := write_texts(value.program_id, f"{path}/programId", lambda v, p: write(v, p, INT)):
        wire["programId"] = values
    if value.has_images is not None:
        wire["hasImages"] = write(value.has_images, f"{path}/hasImages", BOOLEAN)
    if value.min_price is not None:
        wire["minPrice"] = write(value.min_price, f"{path}/minPrice", INT)
    if value.max_price is not None:
        wire["maxPrice"] = write(value.max_price, f"{path}/maxPrice", INT)
    if value.adspace_id is not None:
        wire["adspaceId"] = write(value.adspace_id, f"{path}/adspaceId", INT)
    if value.page is not None:
        wire["page"] = write(value.page, f"{path}/page", INT)
    if value.items is not None:
        wire["items"] = write(value.items, f"{path}/items", INT)
    if value.ean is not None:
        wire["ean"] = write(value.ean, f"{path}/ean", STRING)
    if values := write_texts(
        value.merchant_category, f"{path}/merchantCategory", lambda v, p: write(v, p, STRING)
    ):
        wire["merchantCategory"] = values
    if value.partnership is not None:
        wire["partnership"] = write_choice(value.partnership, f"{path}/partnership", C_PRODUCT_PARTNERSHIP)
    return wire


def read_search_products_response(node: Node, reader: Reader) -> SearchProductsResponse:
    no_attributes(node, reader)
    page: int | None = None
    items: int | None = None
    total: int | None = None
    query: str | None = None
    product_items: list[ProductItem] | None = None
    for child in node:
        tag = child.tag
        if tag == T_PAGE:
            if page is not None:
                raise repeated(child)
            page = INT.read(child, reader)
        elif tag == T_ITEMS:
            if items is not None:
                raise repeated(child)
            items = INT.read(child, reader)
        elif tag == T_TOTAL:
            if total is not None:
                raise repeated(child)
            total = LONG.read(child, reader)
        elif tag == T_QUERY:
            if query is not None:
                raise repeated(child)
            query = STRING.read(child, reader)
        elif tag == T_PRODUCT_ITEMS:
            if product_items is not None:
                raise repeated(child)
            product_items = read_list(child, reader, T_PRODUCT_ITEM, read_product_item)
        else:
            reader.unknown_element(child)
    if page is None:
        raise absent(node, "page")
    if items is None:
        raise absent(node, "items")
    if total is None:
        raise absent(node, "total")
    if query is None:
        reader.missing(node, "query")
    return SearchProductsResponse(
        page=page,
        items=items,
        total=total,
        query=query,
        product_items=product_items,
    )


def write_search_products_response(value: SearchProductsResponse, writer: Writer, path: str) -> Wire:
    expect(value, SearchProductsResponse, path)
    wire: Wire = {}
    if value.page is None:
        raise required(f"{path}/page")
    wire["page"] = write(value.page, f"{path}/page", INT)
    if value.items is None:
        raise required(f"{path}/items")
    wire["items"] = write(value.items, f"{path}/items", INT)
    if value.total is None:
        raise required(f"{path}/total")
    wire["total"] = write(value.total, f"{path}/total", LONG)
    if value.query is None:
        raise required(f"{path}/query")
    wire["query"] = write(value.query, f"{path}/query", STRING)
    if value.product_items is not None:
        wire["productItems"] = {
            "productItem": write_list(value.product_items, f"{path}/productItems", writer, write_product_item)
        }
    return wire


def read_search_programs_request(node: Node, reader: Reader) -> SearchProgramsRequest:
    no_attributes(node, reader)
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
    for child in node:
        tag = child.tag
        if tag == T_QUERY:
            if query is not None:
                raise repeated(child)
            query = STRING.read(child, reader)
        elif tag == T_START_DATE:
            if start_date is not None:
                raise repeated(child)
            start_date = DAY.read(child, reader)
        elif tag == T_PARTNER_SHIP:
            if partner_ship is not None:
                raise repeated(child)
            partner_ship = C_PARTNER_SHIP.read(child, reader)
        elif tag == T_HAS_PRODUCTS:
            if has_products is not None:
                raise repeated(child)
            has_products = BOOLEAN.read(child, reader)
        elif tag == T_REGION:
            if region is not None:
                raise repeated(child)
            region = STRING.read(child, reader)
        elif tag == T_CATEGORY_ID:
            if category_id is not None:
                raise repeated(child)
            category_id = INT.read(child, reader)
        elif tag == T_PAGE:
            if page is not None:
                raise repeated(child)
            page = INT.read(child, reader)
        elif tag == T_ITEMS:
            if items is not None:
                raise repeated(child)
            items = INT.read(child, reader)
        elif tag == T_INDUSTRY:
            if industry is not None:
                raise repeated(child)
            industry = INT.read(child, reader)
        elif tag == T_IS_EXCLUSIVE:
            if is_exclusive is not None:
                raise repeated(child)
            is_exclusive = BOOLEAN.read(child, reader)
        else:
            reader.unknown_element(child)
    return SearchProgramsRequest(
        query=query,
        start_date=start_date,
        partner_ship=partner_ship,
        has_products=has_products,
        region=region,
        category_id=category_id,
        page=page,
        items=items,
        industry=industry,
        is_exclusive=is_exclusive,
    )


def write_search_programs_request(value: SearchProgramsRequest, writer: Writer, path: str) -> Wire:
    expect(value, SearchProgramsRequest, path)
    wire: Wire = {}
    if value.query is not None:
        wire["query"] = write(value.query, f"{path}/query", STRING)
    if value.start_date is not None:
        wire["startDate"] = write_day(value.start_date, f"{path}/startDate", writer)
    if value.partner_ship is not None:
        wire["partnerShip"] = write_choice(value.partner_ship, f"{path}/partnerShip", C_PARTNER_SHIP)
    if value.has_products is not None:
        wire["hasProducts"] = write(value.has_products, f"{path}/hasProducts", BOOLEAN)
    if value.region is not None:
        wire["region"] = write(value.region, f"{path}/region", STRING)
    if value.category_id is not None:
        wire["categoryId"] = write(value.category_id, f"{path}/categoryId", INT)
    if value.page is not None:
        wire["page"] = write(value.page, f"{path}/page", INT)
    if value.items is not None:
        wire["items"] = write(value.items, f"{path}/items", INT)
    if value.industry is not None:
        wire["industry"] = write(value.industry, f"{path}/industry", INT)
    if value.is_exclusive is not None:
        wire["isExclusive"] = write(value.is_exclusive, f"{path}/isExclusive", BOOLEAN)
    return wire


def read_search_programs_response(node: Node, reader: Reader) -> SearchProgramsResponse:
    no_attributes(node, reader)
    page: int | None = None
    items: int | None = None
    total: int | None = None
    query: str | None = None
    program_items: list[ProgramItem] | None = None
    for child in node:
        tag = child.tag
        if tag == T_PAGE:
            if page is not None:
                raise repeated(child)
            page = INT.read(child, reader)
        elif tag == T_ITEMS:
            if items is not None:
                raise repeated(child)
            items = INT.read(child, reader)
        elif tag == T_TOTAL:
            if total is not None:
                raise repeated(child)
            total = LONG.read(child, reader)
        elif tag == T_QUERY:
            if query is not None:
                raise repeated(child)
            query = STRING.read(child, reader)
        elif tag == T_PROGRAM_ITEMS:
            if program_items is not None:
                raise repeated(child)
            program_items = read_list(child, reader, T_PROGRAM_ITEM, read_program_item)
        else:
            reader.unknown_element(child)
    if page is None:
        raise absent(node, "page")
    if items is None:
        raise absent(node, "items")
    if total is None:
        raise absent(node, "total")
    return SearchProgramsResponse(
        page=page,
        items=items,
        total=total,
        query=query,
        program_items=program_items,
    )


def write_search_programs_response(value: SearchProgramsResponse, writer: Writer, path: str) -> Wire:
    expect(value, SearchProgramsResponse, path)
    wire: Wire = {}
    if value.page is None:
        raise required(f"{path}/page")
    wire["page"] = write(value.page, f"{path}/page", INT)
    if value.items is None:
        raise required(f"{path}/items")
    wire["items"] = write(value.items, f"{path}/items", INT)
    if value.total is None:
        raise required(f"{path}/total")
    wire["total"] = write(value.total, f"{path}/total", LONG)
    if value.query is not None:
        wire["query"] = write(value.query, f"{path}/query", STRING)
    if value.program_items is not None:
        wire["programItems"] = {
            "programItem": write_list(value.program_items, f"{path}/programItems", writer, write_program_item)
        }
    return wire


def read_update_adspace_request(node: Node, reader: Reader) -> UpdateAdspaceRequest:
    no_attributes(node, reader)
    adspace_item: AdspaceItem | None = None
    for child in node:
        tag = child.tag
        if tag == T_ADSPACE_ITEM:
            if adspace_item is not None:
                raise repeated(child)
            adspace_item = read_adspace_item(child, reader)
        else:
            reader.unknown_element(child)
    if adspace_item is None:
        raise absent(node, "adspaceItem")
    return UpdateAdspaceRequest(
        adspace_item=adspace_item,
    )


def write_update_adspace_request(value: UpdateAdspaceRequest, writer: Writer, path: str) -> Wire:
    expect(value, UpdateAdspaceRequest, path)
    wire: Wire = {}
    if value.adspace_item is None:
        raise required(f"{path}/adspaceItem")
    wire["adspaceItem"] = write_adspace_item(value.adspace_item, writer, f"{path}/adspaceItem")
    return wire


def read_update_adspace_response(node: Node, reader: Reader) -> UpdateAdspaceResponse:
    no_attributes(node, reader)
    adspace_item: AdspaceItem | None = None
    for child in node:
        tag = child.tag
        if tag == T_ADSPACE_ITEM:
            if adspace_item is not None:
                raise repeated(child)
            adspace_item = read_adspace_item(child, reader)
        else:
            reader.unknown_element(child)
    if adspace_item is None:
        raise absent(node, "adspaceItem")
    return UpdateAdspaceResponse(
        adspace_item=adspace_item,
    )


def write_update_adspace_response(value: UpdateAdspaceResponse, writer: Writer, path: str) -> Wire:
    expect(value, UpdateAdspaceResponse, path)
    wire: Wire = {}
    if value.adspace_item is None:
        raise required(f"{path}/adspaceItem")
    wire["adspaceItem"] = write_adspace_item(value.adspace_item, writer, f"{path}/adspaceItem")
    return wire


def read_update_application_request(node: Node, reader: Reader) -> UpdateApplicationRequest:
    no_attributes(node, reader)
    application_item: ApplicationItem | None = None
    for child in node:
        tag = child.tag
        if tag == T_APPLICATION_ITEM:
            if application_item is not None:
                raise repeated(child)
            application_item = read_application_item(child, reader)
        else:
            reader.unknown_element(child)
    if application_item is None:
        raise absent(node, "applicationItem")
    return UpdateApplicationRequest(
        application_item=application_item,
    )


def write_update_application_request(value: UpdateApplicationRequest, writer: Writer, path: str) -> Wire:
    expect(value, UpdateApplicationRequest, path)
    wire: Wire = {}
    if value.application_item is None:
        raise required(f"{path}/applicationItem")
    wire["applicationItem"] = write_application_item(
        value.application_item, writer, f"{path}/applicationItem"
    )
    return wire


def read_update_application_response(node: Node, reader: Reader) -> UpdateApplicationResponse:
    no_attributes(node, reader)
    application_item: ApplicationItem | None = None
    for child in node:
        tag = child.tag
        if tag == T_APPLICATION_ITEM:
            if application_item is not None:
                raise repeated(child)
            application_item = read_application_item(child, reader)
        else:
            reader.unknown_element(child)
    if application_item is None:
        raise absent(node, "applicationItem")
    return UpdateApplicationResponse(
        application_item=application_item,
    )


def write_update_application_response(value: UpdateApplicationResponse, writer: Writer, path: str) -> Wire:
    expect(value, UpdateApplicationResponse, path)
    wire: Wire = {}
    if value.application_item is None:
        raise required(f"{path}/applicationItem")
    wire["applicationItem"] = write_application_item(
        value.application_item, writer, f"{path}/applicationItem"
    )
    return wire


def read_update_media_slot_request(node: Node, reader: Reader) -> UpdateMediaSlotRequest:
    no_attributes(node, reader)
    media_slot_item: MediaSlotItem | None = None
    for child in node:
        tag = child.tag
        if tag == T_MEDIA_SLOT_ITEM:
            if media_slot_item is not None:
                raise repeated(child)
            media_slot_item = read_media_slot_item(child, reader)
        else:
            reader.unknown_element(child)
    if media_slot_item is None:
        raise absent(node, "mediaSlotItem")
    return UpdateMediaSlotRequest(
        media_slot_item=media_slot_item,
    )


def write_update_media_slot_request(value: UpdateMediaSlotRequest, writer: Writer, path: str) -> Wire:
    expect(value, UpdateMediaSlotRequest, path)
    wire: Wire = {}
    if value.media_slot_item is None:
        raise required(f"{path}/mediaSlotItem")
    wire["mediaSlotItem"] = write_media_slot_item(value.media_slot_item, writer, f"{path}/mediaSlotItem")
    return wire


def read_update_media_slot_response(node: Node, reader: Reader) -> UpdateMediaSlotResponse:
    no_attributes(node, reader)
    media_slot_item: MediaSlotItem | None = None
    for child in node:
        tag = child.tag
        if tag == T_MEDIA_SLOT_ITEM:
            if media_slot_item is not None:
                raise repeated(child)
            media_slot_item = read_media_slot_item(child, reader)
        else:
            reader.unknown_element(child)
    if media_slot_item is None:
        raise absent(node, "mediaSlotItem")
    return UpdateMediaSlotResponse(
        media_slot_item=media_slot_item,
    )


def write_update_media_slot_response(value: UpdateMediaSlotResponse, writer: Writer, path: str) -> Wire:
    expect(value, UpdateMediaSlotResponse, path)
    wire: Wire = {}
    if value.media_slot_item is None:
        raise required(f"{path}/mediaSlotItem")
    wire["mediaSlotItem"] = write_media_slot_item(value.media_slot_item, writer, f"{path}/mediaSlotItem")
    return wire


def read_update_profile_request(node: Node, reader: Reader) -> UpdateProfileRequest:
    no_attributes(node, reader)
    profile_item: ProfileItem | None = None
    for child in node:
        tag = child.tag
        if tag == T_PROFILE_ITEM:
            if profile_item is not None:
                raise repeated(child)
            profile_item = read_profile_item(child, reader)
        else:
            reader.unknown_element(child)
    if profile_item is None:
        raise absent(node, "profileItem")
    return UpdateProfileRequest(
        profile_item=profile_item,
    )


def write_update_profile_request(value: UpdateProfileRequest, writer: Writer, path: str) -> Wire:
    expect(value, UpdateProfileRequest, path)
    wire: Wire = {}
    if value.profile_item is None:
        raise required(f"{path}/profileItem")
    if isinstance(value.profile_item, ProfileItem):
        wire["profileItem"] = write_profile_item(value.profile_item, writer, f"{path}/profileItem")
    else:
        wire["profileItem"] = write_profile_item_changes(value.profile_item, writer, f"{path}/profileItem")
    return wire


def read_update_profile_response(node: Node, reader: Reader) -> UpdateProfileResponse:
    no_attributes(node, reader)
    profile_item: ProfileItem | None = None
    for child in node:
        tag = child.tag
        if tag == T_PROFILE_ITEM:
            if profile_item is not None:
                raise repeated(child)
            profile_item = read_profile_item(child, reader)
        else:
            reader.unknown_element(child)
    if profile_item is None:
        raise absent(node, "profileItem")
    return UpdateProfileResponse(
        profile_item=profile_item,
    )


def write_update_profile_response(value: UpdateProfileResponse, writer: Writer, path: str) -> Wire:
    expect(value, UpdateProfileResponse, path)
    wire: Wire = {}
    if value.profile_item is None:
        raise required(f"{path}/profileItem")
    wire["profileItem"] = write_profile_item(value.profile_item, writer, f"{path}/profileItem")
    return wire


def read_update_setting_request(node: Node, reader: Reader) -> UpdateSettingRequest:
    no_attributes(node, reader)
    setting_item: SettingItem | None = None
    for child in node:
        tag = child.tag
        if tag == T_SETTING_ITEM:
            if setting_item is not None:
                raise repeated(child)
            setting_item = read_setting_item(child, reader)
        else:
            reader.unknown_element(child)
    if setting_item is None:
        raise absent(node, "settingItem")
    return UpdateSettingRequest(
        setting_item=setting_item,
    )


def write_update_setting_request(value: UpdateSettingRequest, writer: Writer, path: str) -> Wire:
    expect(value, UpdateSettingRequest, path)
    wire: Wire = {}
    if value.setting_item is None:
        raise required(f"{path}/settingItem")
    wire["settingItem"] = write_setting_item(value.setting_item, writer, f"{path}/settingItem")
    return wire


def read_update_setting_response(node: Node, reader: Reader) -> UpdateSettingResponse:
    no_attributes(node, reader)
    setting_item: SettingItem | None = None
    for child in node:
        tag = child.tag
        if tag == T_SETTING_ITEM:
            if setting_item is not None:
                raise repeated(child)
            setting_item = read_setting_item(child, reader)
        else:
            reader.unknown_element(child)
    if setting_item is None:
        raise absent(node, "settingItem")
    return UpdateSettingResponse(
        setting_item=setting_item,
    )


def write_update_setting_response(value: UpdateSettingResponse, writer: Writer, path: str) -> Wire:
    expect(value, UpdateSettingResponse, path)
    wire: Wire = {}
    if value.setting_item is None:
        raise required(f"{path}/settingItem")
    wire["settingItem"] = write_setting_item(value.setting_item, writer, f"{path}/settingItem")
    return wire


def read_admedium_item(node: Node, reader: Reader) -> AdmediumItem:
    id: int | None = None
    for attribute, raw in node.items():
        if attribute == "id":
            id = INT.attribute(node, reader, attribute, raw)
        else:
            reader.unknown_attribute(node, attribute)
    name: str | None = None
    adrank: float | None = None
    admedium_type: AdmediaType | str | None = None
    program: SubStringIdentifierType | None = None
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
    for child in node:
        tag = child.tag
        if tag == T_NAME:
            if name is not None:
                raise repeated(child)
            name = STRING.read(child, reader)
        elif tag == T_ADRANK:
            if adrank is not None:
                raise repeated(child)
            adrank = FLOAT.read(child, reader)
        elif tag == T_ADMEDIUM_TYPE:
            if admedium_type is not None:
                raise repeated(child)
            admedium_type = C_ADMEDIA_TYPE.read(child, reader)
        elif tag == T_PROGRAM:
            if program is not None:
                raise repeated(child)
            program = read_sub_string_identifier_type(child, reader)
        elif tag == T_TITLE:
            if title is not None:
                raise repeated(child)
            title = STRING.read(child, reader)
        elif tag == T_HEIGHT:
            if height is not None:
                raise repeated(child)
            height = INT.read(child, reader)
        elif tag == T_WIDTH:
            if width is not None:
                raise repeated(child)
            width = INT.read(child, reader)
        elif tag == T_FORMAT:
            if format is not None:
                raise repeated(child)
            format = read_sub_string_identifier_type(child, reader)
        elif tag == T_CODE:
            if code is not None:
                raise repeated(child)
            code = STRING.read(child, reader)
        elif tag == T_DESCRIPTION:
            if description is not None:
                raise repeated(child)
            description = STRING.read(child, reader)
        elif tag == T_INSTRUCTION:
            if instruction is not None:
                raise repeated(child)
            instruction = STRING.read(child, reader)
        elif tag == T_PURPOSE:
            if purpose is not None:
                raise repeated(child)
            purpose = C_ADMEDIA_PURPOSE.read(child, reader)
        elif tag == T_CATEGORY:
            if category is not None:
                raise repeated(child)
            category = read_sub_string_identifier_type(child, reader)
        elif tag == T_GROUP:
            if group is not None:
                raise repeated(child)
            group = read_sub_string_identifier_type(child, reader)
        elif tag == T_TAGS:
            if tags is not None:
                raise repeated(child)
            tags = read_list(child, reader, T_TAG, STRING.read)
        elif tag == T_TRACKING_LINKS:
            if tracking_links is not None:
                raise repeated(child)
            tracking_links = read_list(child, reader, T_TRACKING_LINK, read_tracking_link_type)
        else:
            reader.unknown_element(child)
    if id is None:
        raise absent(node, "@id")
    if name is None:
        raise absent(node, "name")
    if adrank is None:
        raise absent(node, "adrank")
    if admedium_type is None:
        raise absent(node, "admediumType")
    if program is None:
        raise absent(node, "program")
    return AdmediumItem(
        id=id,
        name=name,
        adrank=adrank,
        admedium_type=admedium_type,
        program=program,
        title=title,
        height=height,
        width=width,
        format=format,
        code=code,
        description=description,
        instruction=instruction,
        purpose=purpose,
        category=category,
        group=group,
        tags=tags,
        tracking_links=tracking_links,
    )


def write_admedium_item(value: AdmediumItem, writer: Writer, path: str) -> Wire:
    expect(value, AdmediumItem, path)
    wire: Wire = {}
    if value.id is None:
        raise required(f"{path}/@id")
    wire["@id"] = write(value.id, f"{path}/@id", INT)
    if value.name is None:
        raise required(f"{path}/name")
    wire["name"] = write(value.name, f"{path}/name", STRING)
    if value.adrank is None:
        raise required(f"{path}/adrank")
    wire["adrank"] = write(value.adrank, f"{path}/adrank", FLOAT)
    if value.admedium_type is None:
        raise required(f"{path}/admediumType")
    wire["admediumType"] = write_choice(value.admedium_type, f"{path}/admediumType", C_ADMEDIA_TYPE)
    if value.program is None:
        raise required(f"{path}/program")
    wire["program"] = write_sub_string_identifier_type(value.program, writer, f"{path}/program")
    if value.title is not None:
        wire["title"] = write(value.title, f"{path}/title", STRING)
    if value.height is not None:
        wire["height"] = write(value.height, f"{path}/height", INT)
    if value.width is not None:
        wire["width"] = write(value.width, f"{path}/width", INT)
    if value.format is not None:
        wire["format"] = write_sub_string_identifier_type(value.format, writer, f"{path}/format")
    if value.code is not None:
        wire["code"] = write(value.code, f"{path}/code", STRING)
    if value.description is not None:
        wire["description"] = write(value.description, f"{path}/description", STRING)
    if value.instruction is not None:
        wire["instruction"] = write(value.instruction, f"{path}/instruction", STRING)
    if value.purpose is not None:
        wire["purpose"] = write_choice(value.purpose, f"{path}/purpose", C_ADMEDIA_PURPOSE)
    if value.category is not None:
        wire["category"] = write_sub_string_identifier_type(value.category, writer, f"{path}/category")
    if value.group is not None:
        wire["group"] = write_sub_string_identifier_type(value.group, writer, f"{path}/group")
    if value.tags is not None:
        wire["tags"] = {"tag": write_texts(value.tags, f"{path}/tags", lambda v, p: write(v, p, STRING))}
    if value.tracking_links is not None:
        wire["trackingLinks"] = {
            "trackingLink": write_list(
                value.tracking_links, f"{path}/trackingLinks", writer, write_tracking_link_type
            ),
        }
    return wire


def read_adspace_item(node: Node, reader: Reader) -> AdspaceItem:
    id: int | None = None
    for attribute, raw in node.items():
        if attribute == "id":
            id = INT.attribute(node, reader, attribute, raw)
        else:
            reader.unknown_attribute(node, attribute)
    name: str | None = None
    url: str | None = None
    description: str | None = None
    adspace_type: AdspaceType | str | None = None
    visitors: int | None = None
    impressions: int | None = None
    scope: AdspaceScope | str | None = None
    regions: list[str] | None = None
    categories: list[SubStringIdentifierType] | None = None
    language: str | None = None
    check_number: int | None = None
    for child in node:
        tag = child.tag
        if tag == T_NAME:
            if name is not None:
                raise repeated(child)
            name = STRING.read(child, reader)
        elif tag == T_URL:
            if url is not None:
                raise repeated(child)
            url = STRING.read(child, reader)
        elif tag == T_DESCRIPTION:
            if description is not None:
                raise repeated(child)
            description = STRING.read(child, reader)
        elif tag == T_ADSPACE_TYPE:
            if adspace_type is not None:
                raise repeated(child)
            adspace_type = C_ADSPACE_TYPE.read(child, reader)
        elif tag == T_VISITORS:
            if visitors is not None:
                raise repeated(child)
            visitors = INT.read(child, reader)
        elif tag == T_IMPRESSIONS:
            if impressions is not None:
                raise repeated(child)
            impressions = INT.read(child, reader)
        elif tag == T_SCOPE:
            if scope is not None:
                raise repeated(child)
            scope = C_ADSPACE_SCOPE.read(child, reader)
        elif tag == T_REGIONS:
            if regions is not None:
                raise repeated(child)
            regions = read_list(child, reader, T_REGION, STRING.read)
        elif tag == T_CATEGORIES:
            if categories is not None:
                raise repeated(child)
            categories = read_list(child, reader, T_CATEGORY, read_sub_string_identifier_type)
        elif tag == T_LANGUAGE:
            if language is not None:
                raise repeated(child)
            language = STRING.read(child, reader)
        elif tag == T_CHECK_NUMBER:
            if check_number is not None:
                raise repeated(child)
            check_number = INT.read(child, reader)
        else:
            reader.unknown_element(child)
    if name is None:
        raise absent(node, "name")
    if url is None:
        raise absent(node, "url")
    if description is None:
        raise absent(node, "description")
    if adspace_type is None:
        raise absent(node, "adspaceType")
    if visitors is None:
        raise absent(node, "visitors")
    if impressions is None:
        raise absent(node, "impressions")
    if language is None:
        raise absent(node, "language")
    if check_number is None:
        raise absent(node, "checkNumber")
    return AdspaceItem(
        id=id,
        name=name,
        url=url,
        description=description,
        adspace_type=adspace_type,
        visitors=visitors,
        impressions=impressions,
        scope=scope,
        regions=regions,
        categories=categories,
        language=language,
        check_number=check_number,
    )


def write_adspace_item(value: AdspaceItem, writer: Writer, path: str) -> Wire:
    expect(value, AdspaceItem, path)
    wire: Wire = {}
    if value.id is not None:
        wire["@id"] = write(value.id, f"{path}/@id", INT)
    if value.name is None:
        raise required(f"{path}/name")
    wire["name"] = write(value.name, f"{path}/name", STRING)
    if value.url is None:
        raise required(f"{path}/url")
    wire["url"] = write(value.url, f"{path}/url", STRING)
    if value.description is None:
        raise required(f"{path}/description")
    wire["description"] = write(value.description, f"{path}/description", STRING)
    if value.adspace_type is None:
        raise required(f"{path}/adspaceType")
    wire["adspaceType"] = write_choice(value.adspace_type, f"{path}/adspaceType", C_ADSPACE_TYPE)
    if value.visitors is None:
        raise required(f"{path}/visitors")
    wire["visitors"] = write(value.visitors, f"{path}/visitors", INT)
    if value.impressions is None:
        raise required(f"{path}/impressions")
    wire["impressions"] = write(value.impressions, f"{path}/impressions", INT)
    if value.scope is not None:
        wire["scope"] = write_choice(value.scope, f"{path}/scope", C_ADSPACE_SCOPE)
    if value.regions is not None:
        wire["regions"] = {
            "region": write_texts(value.regions, f"{path}/regions", lambda v, p: write(v, p, STRING))
        }
    if value.categories is not None:
        wire["categories"] = {
            "category": write_list(
                value.categories, f"{path}/categories", writer, write_sub_string_identifier_type
            ),
        }
    if value.language is None:
        raise required(f"{path}/language")
    wire["language"] = write(value.language, f"{path}/language", STRING)
    if value.check_number is None:
        raise required(f"{path}/checkNumber")
    wire["checkNumber"] = write(value.check_number, f"{path}/checkNumber", INT)
    return wire


def read_application_item(node: Node, reader: Reader) -> ApplicationItem:
    id: str | None = None
    for attribute, raw in node.items():
        if attribute == "id":
            id = STRING.attribute(node, reader, attribute, raw)
        else:
            reader.unknown_attribute(node, attribute)
    name: str | None = None
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
    for child in node:
        tag = child.tag
        if tag == T_NAME:
            if name is not None:
                raise repeated(child)
            name = STRING.read(child, reader)
        elif tag == T_VERSION:
            if version is not None:
                raise repeated(child)
            version = STRING.read(child, reader)
        elif tag == T_ADRANK:
            if adrank is not None:
                raise repeated(child)
            adrank = INT.read(child, reader)
        elif tag == T_TAGS:
            if tags is not None:
                raise repeated(child)
            tags = STRING.read(child, reader)
        elif tag == T_STATUS:
            if status is not None:
                raise repeated(child)
            status = INT.read(child, reader)
        elif tag == T_MEDIA_SLOT_COMPATIBLE:
            if media_slot_compatible is not None:
                raise repeated(child)
            media_slot_compatible = BOOLEAN.read(child, reader)
        elif tag == T_INLINE:
            if inline is not None:
                raise repeated(child)
            inline = BOOLEAN.read(child, reader)
        elif tag == T_INTEGRATION_CODE:
            if integration_code is not None:
                raise repeated(child)
            integration_code = STRING.read(child, reader)
        elif tag == T_INTEGRATION_NOTES:
            if integration_notes is not None:
                raise repeated(child)
            integration_notes = STRING.read(child, reader)
        elif tag == T_DESCRIPTION:
            if description is not None:
                raise repeated(child)
            description = STRING.read(child, reader)
        elif tag == T_TERMS:
            if terms is not None:
                raise repeated(child)
            terms = STRING.read(child, reader)
        elif tag == T_CONNECT:
            if connect is not None:
                raise repeated(child)
            connect = read_connect_type(child, reader)
        elif tag == T_CONNECT_URL:
            if connect_url is not None:
                raise repeated(child)
            connect_url = STRING.read(child, reader)
        elif tag == T_CANCEL_URL:
            if cancel_url is not None:
                raise repeated(child)
            cancel_url = STRING.read(child, reader)
        elif tag == T_DOCUMENTATION_URL:
            if documentation_url is not None:
                raise repeated(child)
            documentation_url = STRING.read(child, reader)
        elif tag == T_COMPANY_URL:
            if company_url is not None:
                raise repeated(child)
            company_url = STRING.read(child, reader)
        elif tag == T_DEVELOPER:
            if developer is not None:
                raise repeated(child)
            developer = STRING.read(child, reader)
        elif tag == T_PRICING:
            if pricing is not None:
                raise repeated(child)
            pricing = read_pricing_type(child, reader)
        elif tag == T_START_DATE:
            if start_date is not None:
                raise repeated(child)
            start_date = DATE_TIME.read(child, reader)
        elif tag == T_MODIFIED_DATE:
            if modified_date is not None:
                raise repeated(child)
            modified_date = DATE_TIME.read(child, reader)
        elif tag == T_INSTALLABLE_TO:
            if installable_to is not None:
                raise repeated(child)
            installable_to = C_PROFILE_TYPE.read(child, reader)
        elif tag == T_APPLICATION_TYPE:
            if application_type is not None:
                raise repeated(child)
            application_type = C_APPLICATION_TYPE.read(child, reader)
        elif tag == T_SIZE:
            if size is not None:
                raise repeated(child)
            size = read_size_type(child, reader)
        elif tag == T_TECHNIQUE:
            if technique is not None:
                raise repeated(child)
            technique = STRING.read(child, reader)
        elif tag == T_LOGO_URL:
            if logo_url is not None:
                raise repeated(child)
            logo_url = STRING.read(child, reader)
        elif tag == T_PREVIEW_URL:
            preview_url.append(STRING.read(child, reader))
        else:
            reader.unknown_element(child)
    if name is None:
        raise absent(node, "name")
    return ApplicationItem(
        id=id,
        name=name,
        version=version,
        adrank=adrank,
        tags=tags,
        status=status,
        media_slot_compatible=media_slot_compatible,
        inline=inline,
        integration_code=integration_code,
        integration_notes=integration_notes,
        description=description,
        terms=terms,
        connect=connect,
        connect_url=connect_url,
        cancel_url=cancel_url,
        documentation_url=documentation_url,
        company_url=company_url,
        developer=developer,
        pricing=pricing,
        start_date=start_date,
        modified_date=modified_date,
        installable_to=installable_to,
        application_type=application_type,
        size=size,
        technique=technique,
        logo_url=logo_url,
        preview_url=preview_url,
    )


def write_application_item(value: ApplicationItem, writer: Writer, path: str) -> Wire:
    expect(value, ApplicationItem, path)
    wire: Wire = {}
    if value.id is not None:
        wire["@id"] = write(value.id, f"{path}/@id", STRING)
    if value.name is None:
        raise required(f"{path}/name")
    wire["name"] = write(value.name, f"{path}/name", STRING)
    if value.version is not None:
        wire["version"] = write(value.version, f"{path}/version", STRING)
    if value.adrank is not None:
        wire["adrank"] = write(value.adrank, f"{path}/adrank", INT)
    if value.tags is not None:
        wire["tags"] = write(value.tags, f"{path}/tags", STRING)
    if value.status is not None:
        wire["status"] = write(value.status, f"{path}/status", INT)
    if value.media_slot_compatible is not None:
        wire["mediaSlotCompatible"] = write(
            value.media_slot_compatible, f"{path}/mediaSlotCompatible", BOOLEAN
        )
    if value.inline is not None:
        wire["inline"] = write(value.inline, f"{path}/inline", BOOLEAN)
    if value.integration_code is not None:
        wire["integrationCode"] = write(value.integration_code, f"{path}/integrationCode", STRING)
    if value.integration_notes is not None:
        wire["integrationNotes"] = write(value.integration_notes, f"{path}/integrationNotes", STRING)
    if value.description is not None:
        wire["description"] = write(value.description, f"{path}/description", STRING)
    if value.terms is not None:
        wire["terms"] = write(value.terms, f"{path}/terms", STRING)
    if value.connect is not None:
        wire["connect"] = write_connect_type(value.connect, writer, f"{path}/connect")
    if value.connect_url is not None:
        wire["connectUrl"] = write(value.connect_url, f"{path}/connectUrl", STRING)
    if value.cancel_url is not None:
        wire["cancelUrl"] = write(value.cancel_url, f"{path}/cancelUrl", STRING)
    if value.documentation_url is not None:
        wire["documentationUrl"] = write(value.documentation_url, f"{path}/documentationUrl", STRING)
    if value.company_url is not None:
        wire["companyUrl"] = write(value.company_url, f"{path}/companyUrl", STRING)
    if value.developer is not None:
        wire["developer"] = write(value.developer, f"{path}/developer", STRING)
    if value.pricing is not None:
        wire["pricing"] = write_pricing_type(value.pricing, writer, f"{path}/pricing")
    if value.start_date is not None:
        wire["startDate"] = write(value.start_date, f"{path}/startDate", DATE_TIME)
    if value.modified_date is not None:
        wire["modifiedDate"] = write(value.modified_date, f"{path}/modifiedDate", DATE_TIME)
    if value.installable_to is not None:
        wire["installableTo"] = write_choice(value.installable_to, f"{path}/installableTo", C_PROFILE_TYPE)
    if value.application_type is not None:
        wire["applicationType"] = write_choice(
            value.application_type, f"{path}/applicationType", C_APPLICATION_TYPE
        )
    if value.size is not None:
        wire["size"] = write_size_type(value.size, writer, f"{path}/size")
    if value.technique is not None:
        wire["technique"] = write(value.technique, f"{path}/technique", STRING)
    if value.logo_url is not None:
        wire["logoUrl"] = write(value.logo_url, f"{path}/logoUrl", STRING)
    if values := write_texts(value.preview_url, f"{path}/previewUrl", lambda v, p: write(v, p, STRING)):
        wire["previewUrl"] = values
    return wire


def read_balance_item(node: Node, reader: Reader) -> BalanceItem:
    id: str | None = None
    for attribute, raw in node.items():
        if attribute == "id":
            id = STRING.attribute(node, reader, attribute, raw)
        else:
            reader.unknown_attribute(node, attribute)
    open: Decimal | None = None
    confirmed: Decimal | None = None
    for child in node:
        tag = child.tag
        if tag == T_OPEN:
            if open is not None:
                raise repeated(child)
            open = EXACT_FLOAT.read(child, reader)
        elif tag == T_CONFIRMED:
            if confirmed is not None:
                raise repeated(child)
            confirmed = EXACT_FLOAT.read(child, reader)
        else:
            reader.unknown_element(child)
    if open is None:
        raise absent(node, "open")
    if confirmed is None:
        raise absent(node, "confirmed")
    return BalanceItem(
        id=id,
        open=open,
        confirmed=confirmed,
    )


def write_balance_item(value: BalanceItem, writer: Writer, path: str) -> Wire:
    expect(value, BalanceItem, path)
    wire: Wire = {}
    if value.id is not None:
        wire["@id"] = write(value.id, f"{path}/@id", STRING)
    if value.open is None:
        raise required(f"{path}/open")
    wire["open"] = write(value.open, f"{path}/open", EXACT_FLOAT)
    if value.confirmed is None:
        raise required(f"{path}/confirmed")
    wire["confirmed"] = write(value.confirmed, f"{path}/confirmed", EXACT_FLOAT)
    return wire


def read_bank_account_item(node: Node, reader: Reader) -> BankAccountItem:
    id: str | None = None
    for attribute, raw in node.items():
        if attribute == "id":
            id = STRING.attribute(node, reader, attribute, raw)
        else:
            reader.unknown_attribute(node, attribute)
    name: str | None = None
    iban: str | None = None
    swift: str | None = None
    bank_code: str | None = None
    account_number: str | None = None
    owner: str | None = None
    address: str | None = None
    country: str | None = None
    min_payout: Decimal | None = None
    for child in node:
        tag = child.tag
        if tag == T_NAME:
            if name is not None:
                raise repeated(child)
            name = STRING.read(child, reader)
        elif tag == T_IBAN:
            if iban is not None:
                raise repeated(child)
            iban = STRING.read(child, reader)
        elif tag == T_SWIFT:
            if swift is not None:
                raise repeated(child)
            swift = STRING.read(child, reader)
        elif tag == T_BANK_CODE:
            if bank_code is not None:
                raise repeated(child)
            bank_code = STRING.read(child, reader)
        elif tag == T_ACCOUNT_NUMBER:
            if account_number is not None:
                raise repeated(child)
            account_number = STRING.read(child, reader)
        elif tag == T_OWNER:
            if owner is not None:
                raise repeated(child)
            owner = STRING.read(child, reader)
        elif tag == T_ADDRESS:
            if address is not None:
                raise repeated(child)
            address = STRING.read(child, reader)
        elif tag == T_COUNTRY:
            if country is not None:
                raise repeated(child)
            country = STRING.read(child, reader)
        elif tag == T_MIN_PAYOUT:
            if min_payout is not None:
                raise repeated(child)
            min_payout = EXACT_DOUBLE.read(child, reader)
        else:
            reader.unknown_element(child)
    if name is None:
        raise absent(node, "name")
    if iban is None:
        reader.missing(node, "iban")
    if swift is None:
        reader.missing(node, "swift")
    if bank_code is None:
        raise absent(node, "bankCode")
    if account_number is None:
        raise absent(node, "accountNumber")
    if owner is None:
        raise absent(node, "owner")
    if country is None:
        raise absent(node, "country")
    if min_payout is None:
        raise absent(node, "minPayout")
    return BankAccountItem(
        id=id,
        name=name,
        iban=iban,
        swift=swift,
        bank_code=bank_code,
        account_number=account_number,
        owner=owner,
        address=address,
        country=country,
        min_payout=min_payout,
    )


def write_bank_account_item(value: BankAccountItem, writer: Writer, path: str) -> Wire:
    expect(value, BankAccountItem, path)
    wire: Wire = {}
    if value.id is not None:
        wire["@id"] = write(value.id, f"{path}/@id", STRING)
    if value.name is None:
        raise required(f"{path}/name")
    wire["name"] = write(value.name, f"{path}/name", STRING)
    if value.iban is None:
        raise required(f"{path}/iban")
    wire["iban"] = write(value.iban, f"{path}/iban", STRING)
    if value.swift is None:
        raise required(f"{path}/swift")
    wire["swift"] = write(value.swift, f"{path}/swift", STRING)
    if value.bank_code is None:
        raise required(f"{path}/bankCode")
    wire["bankCode"] = write(value.bank_code, f"{path}/bankCode", STRING)
    if value.account_number is None:
        raise required(f"{path}/accountNumber")
    wire["accountNumber"] = write(value.account_number, f"{path}/accountNumber", STRING)
    if value.owner is None:
        raise required(f"{path}/owner")
    wire["owner"] = write(value.owner, f"{path}/owner", STRING)
    if value.address is not None:
        wire["address"] = write(value.address, f"{path}/address", STRING)
    if value.country is None:
        raise required(f"{path}/country")
    wire["country"] = write(value.country, f"{path}/country", STRING)
    if value.min_payout is None:
        raise required(f"{path}/minPayout")
    wire["minPayout"] = write(value.min_payout, f"{path}/minPayout", EXACT_DOUBLE)
    return wire


def read_connect_type(node: Node, reader: Reader) -> ConnectType:
    no_attributes(node, reader)
    role: RoleType | str | None = None
    connect_id: str | None = None
    status: ConnectStatusType | str | None = None
    for child in node:
        tag = child.tag
        if tag == T_ROLE:
            if role is not None:
                raise repeated(child)
            role = C_ROLE_TYPE.read(child, reader)
        elif tag == T_CONNECT_ID:
            if connect_id is not None:
                raise repeated(child)
            connect_id = STRING.read(child, reader)
        elif tag == T_STATUS:
            if status is not None:
                raise repeated(child)
            status = C_CONNECT_STATUS_TYPE.read(child, reader)
        else:
            reader.unknown_element(child)
    if role is None:
        raise absent(node, "role")
    if connect_id is None:
        raise absent(node, "connectId")
    if status is None:
        raise absent(node, "status")
    return ConnectType(
        role=role,
        connect_id=connect_id,
        status=status,
    )


def write_connect_type(value: ConnectType, writer: Writer, path: str) -> Wire:
    expect(value, ConnectType, path)
    wire: Wire = {}
    if value.role is None:
        raise required(f"{path}/role")
    wire["role"] = write_choice(value.role, f"{path}/role", C_ROLE_TYPE)
    if value.connect_id is None:
        raise required(f"{path}/connectId")
    wire["connectId"] = write(value.connect_id, f"{path}/connectId", STRING)
    if value.status is None:
        raise required(f"{path}/status")
    wire["status"] = write_choice(value.status, f"{path}/status", C_CONNECT_STATUS_TYPE)
    return wire


def read_gpp_type(node: Node, reader: Reader) -> GppType:
    id: str | None = None
    for attribute, raw in node.items():
        if attribute == "id":
            id = STRING.attribute(node, reader, attribute, raw)
        else:
            reader.unknown_attribute(node, attribute)
    if id is None:
        raise absent(node, "@id")
    return GppType(
        id=id,
        value=STRING.content(node, reader),
    )


def write_gpp_type(value: GppType, writer: Writer, path: str) -> Wire:
    expect(value, GppType, path)
    wire: Wire = {}
    if value.id is None:
        raise required(f"{path}/@id")
    wire["@id"] = write(value.id, f"{path}/@id", STRING)
    if value.value is None:
        raise required(path)
    wire["$"] = write(value.value, path, STRING)
    return wire


def read_image_type(node: Node, reader: Reader) -> ImageType:
    no_attributes(node, reader)
    small: str | None = None
    medium: str | None = None
    large: str | None = None
    for child in node:
        tag = child.tag
        if tag == T_SMALL:
            if small is not None:
                raise repeated(child)
            small = ANY_URI.read(child, reader)
        elif tag == T_MEDIUM:
            if medium is not None:
                raise repeated(child)
            medium = ANY_URI.read(child, reader)
        elif tag == T_LARGE:
            if large is not None:
                raise repeated(child)
            large = ANY_URI.read(child, reader)
        else:
            reader.unknown_element(child)
    return ImageType(
        small=small,
        medium=medium,
        large=large,
    )


def write_image_type(value: ImageType, writer: Writer, path: str) -> Wire:
    expect(value, ImageType, path)
    wire: Wire = {}
    if value.small is not None:
        wire["small"] = write(value.small, f"{path}/small", ANY_URI)
    if value.medium is not None:
        wire["medium"] = write(value.medium, f"{path}/medium", ANY_URI)
    if value.large is not None:
        wire["large"] = write(value.large, f"{path}/large", ANY_URI)
    return wire


def read_incentive_item(node: Node, reader: Reader) -> IncentiveItem:
    id: str | None = None
    for attribute, raw in node.items():
        if attribute == "id":
            id = STRING.attribute(node, reader, attribute, raw)
        else:
            reader.unknown_attribute(node, attribute)
    name: str | None = None
    program: SubStringIdentifierType | None = None
    admedia: list[AdmediumItem] | None = None
    incentive_type: IncentiveType | str | None = None
    regions: list[str] | None = None
    create_date: dt.datetime | None = None
    modified_date: dt.datetime | None = None
    start_date: dt.datetime | None = None
    end_date: dt.datetime | None = None
    info4publisher: str | None = None
    info4customer: str | None = None
    coupon_code: str | None = None
    total: Decimal | None = None
    currency: str | None = None
    percentage: Decimal | None = None
    restrictions: str | None = None
    new_customer_only: bool | None = None
    minimum_basket_value: Decimal | None = None
    prizes: list[PrizeType] | None = None
    for child in node:
        tag = child.tag
        if tag == T_NAME:
            if name is not None:
                raise repeated(child)
            name = STRING.read(child, reader)
        elif tag == T_PROGRAM:
            if program is not None:
                raise repeated(child)
            program = read_sub_string_identifier_type(child, reader)
        elif tag == T_ADMEDIA:
            if admedia is not None:
                raise repeated(child)
            admedia = read_list(child, reader, T_ADMEDIUM_ITEM, read_admedium_item)
        elif tag == T_INCENTIVE_TYPE:
            if incentive_type is not None:
                raise repeated(child)
            incentive_type = C_INCENTIVE_TYPE.read(child, reader)
        elif tag == T_REGIONS:
            if regions is not None:
                raise repeated(child)
            regions = read_list(child, reader, T_REGION, STRING.read)
        elif tag == T_CREATE_DATE:
            if create_date is not None:
                raise repeated(child)
            create_date = DATE_TIME.read(child, reader)
        elif tag == T_MODIFIED_DATE:
            if modified_date is not None:
                raise repeated(child)
            modified_date = DATE_TIME.read(child, reader)
        elif tag == T_START_DATE:
            if start_date is not None:
                raise repeated(child)
            start_date = DATE_TIME.read(child, reader)
        elif tag == T_END_DATE:
            if end_date is not None:
                raise repeated(child)
            end_date = DATE_TIME.read(child, reader)
        elif tag == T_INFO4PUBLISHER:
            if info4publisher is not None:
                raise repeated(child)
            info4publisher = STRING.read(child, reader)
        elif tag == T_INFO4CUSTOMER:
            if info4customer is not None:
                raise repeated(child)
            info4customer = STRING.read(child, reader)
        elif tag == T_COUPON_CODE:
            if coupon_code is not None:
                raise repeated(child)
            coupon_code = STRING.read(child, reader)
        elif tag == T_TOTAL:
            if total is not None:
                raise repeated(child)
            total = EXACT_FLOAT.read(child, reader)
        elif tag == T_CURRENCY:
            if currency is not None:
                raise repeated(child)
            currency = STRING.read(child, reader)
        elif tag == T_PERCENTAGE:
            if percentage is not None:
                raise repeated(child)
            percentage = EXACT_FLOAT.read(child, reader)
        elif tag == T_RESTRICTIONS:
            if restrictions is not None:
                raise repeated(child)
            restrictions = STRING.read(child, reader)
        elif tag == T_NEW_CUSTOMER_ONLY:
            if new_customer_only is not None:
                raise repeated(child)
            new_customer_only = BOOLEAN.read(child, reader)
        elif tag == T_MINIMUM_BASKET_VALUE:
            if minimum_basket_value is not None:
                raise repeated(child)
            minimum_basket_value = EXACT_FLOAT.read(child, reader)
        elif tag == T_PRIZES:
            if prizes is not None:
                raise repeated(child)
            prizes = read_list(child, reader, T_PRIZE, read_prize_type)
        else:
            reader.unknown_element(child)
    if name is None:
        raise absent(node, "name")
    if program is None:
        raise absent(node, "program")
    if admedia is None:
        raise absent(node, "admedia")
    if incentive_type is None:
        raise absent(node, "incentiveType")
    if regions is None:
        raise absent(node, "regions")
    if create_date is None:
        raise absent(node, "createDate")
    if modified_date is None:
        raise absent(node, "modifiedDate")
    if start_date is None:
        raise absent(node, "startDate")
    if info4customer is None:
        raise absent(node, "info4customer")
    if new_customer_only is None:
        raise absent(node, "newCustomerOnly")
    return IncentiveItem(
        id=id,
        name=name,
        program=program,
        admedia=admedia,
        incentive_type=incentive_type,
        regions=regions,
        create_date=create_date,
        modified_date=modified_date,
        start_date=start_date,
        end_date=end_date,
        info4publisher=info4publisher,
        info4customer=info4customer,
        coupon_code=coupon_code,
        total=total,
        currency=currency,
        percentage=percentage,
        restrictions=restrictions,
        new_customer_only=new_customer_only,
        minimum_basket_value=minimum_basket_value,
        prizes=prizes,
    )


def write_incentive_item(value: IncentiveItem, writer: Writer, path: str) -> Wire:
    expect(value, IncentiveItem, path)
    wire: Wire = {}
    if value.id is not None:
        wire["@id"] = write(value.id, f"{path}/@id", STRING)
    if value.name is None:
        raise required(f"{path}/name")
    wire["name"] = write(value.name, f"{path}/name", STRING)
    if value.program is None:
        raise required(f"{path}/program")
    wire["program"] = write_sub_string_identifier_type(value.program, writer, f"{path}/program")
    if value.admedia is None:
        raise required(f"{path}/admedia")
    wire["admedia"] = {
        "admediumItem": write_list(value.admedia, f"{path}/admedia", writer, write_admedium_item)
    }
    if value.incentive_type is None:
        raise required(f"{path}/incentiveType")
    wire["incentiveType"] = write_choice(value.incentive_type, f"{path}/incentiveType", C_INCENTIVE_TYPE)
    if value.regions is None:
        raise required(f"{path}/regions")
    wire["regions"] = {
        "region": write_texts(value.regions, f"{path}/regions", lambda v, p: write(v, p, STRING))
    }
    if value.create_date is None:
        raise required(f"{path}/createDate")
    wire["createDate"] = write(value.create_date, f"{path}/createDate", DATE_TIME)
    if value.modified_date is None:
        raise required(f"{path}/modifiedDate")
    wire["modifiedDate"] = write(value.modified_date, f"{path}/modifiedDate", DATE_TIME)
    if value.start_date is None:
        raise required(f"{path}/startDate")
    wire["startDate"] = write(value.start_date, f"{path}/startDate", DATE_TIME)
    if value.end_date is not None:
        wire["endDate"] = write(value.end_date, f"{path}/endDate", DATE_TIME)
    if value.info4publisher is not None:
        wire["info4publisher"] = write(value.info4publisher, f"{path}/info4publisher", STRING)
    if value.info4customer is None:
        raise required(f"{path}/info4customer")
    wire["info4customer"] = write(value.info4customer, f"{path}/info4customer", STRING)
    if value.coupon_code is not None:
        wire["couponCode"] = write(value.coupon_code, f"{path}/couponCode", STRING)
    if value.total is not None:
        wire["total"] = write(value.total, f"{path}/total", EXACT_FLOAT)
    if value.currency is not None:
        wire["currency"] = write(value.currency, f"{path}/currency", STRING)
    if value.percentage is not None:
        wire["percentage"] = write(value.percentage, f"{path}/percentage", EXACT_FLOAT)
    if value.restrictions is not None:
        wire["restrictions"] = write(value.restrictions, f"{path}/restrictions", STRING)
    if value.new_customer_only is None:
        raise required(f"{path}/newCustomerOnly")
    wire["newCustomerOnly"] = write(value.new_customer_only, f"{path}/newCustomerOnly", BOOLEAN)
    if value.minimum_basket_value is not None:
        wire["minimumBasketValue"] = write(
            value.minimum_basket_value, f"{path}/minimumBasketValue", EXACT_FLOAT
        )
    if value.prizes is not None:
        wire["prizes"] = {"prize": write_list(value.prizes, f"{path}/prizes", writer, write_prize_type)}
    return wire


def read_lead_item(node: Node, reader: Reader) -> LeadItem:
    id: str | None = None
    for attribute, raw in node.items():
        if attribute == "id":
            id = STRING.attribute(node, reader, attribute, raw)
        else:
            reader.unknown_attribute(node, attribute)
    review_state: ReviewState | str | None = None
    tracking_date: dt.datetime | None = None
    modified_date: dt.datetime | None = None
    click_date: dt.datetime | None = None
    adspace: SubStringIdentifierType | None = None
    admedium: SubStringIdentifierType | None = None
    program: SubStringIdentifierType | None = None
    click_id: int | None = None
    click_in_id: int | None = None
    commission: Decimal | None = None
    currency: str | None = None
    sub_publisher: SubPublisherType | None = None
    gpps: list[GppType] | None = None
    review_note: str | None = None
    tracking_category: SubStringIdentifierType | None = None
    for child in node:
        tag = child.tag
        if tag == T_REVIEW_STATE:
            if review_state is not None:
                raise repeated(child)
            review_state = C_REVIEW_STATE.read(child, reader)
        elif tag == T_TRACKING_DATE:
            if tracking_date is not None:
                raise repeated(child)
            tracking_date = DATE_TIME.read(child, reader)
        elif tag == T_MODIFIED_DATE:
            if modified_date is not None:
                raise repeated(child)
            modified_date = DATE_TIME.read(child, reader)
        elif tag == T_CLICK_DATE:
            if click_date is not None:
                raise repeated(child)
            click_date = DATE_TIME.read(child, reader)
        elif tag == T_ADSPACE:
            if adspace is not None:
                raise repeated(child)
            adspace = read_sub_string_identifier_type(child, reader)
        elif tag == T_ADMEDIUM:
            if admedium is not None:
                raise repeated(child)
            admedium = read_sub_string_identifier_type(child, reader)
        elif tag == T_PROGRAM:
            if program is not None:
                raise repeated(child)
            program = read_sub_string_identifier_type(child, reader)
        elif tag == T_CLICK_ID:
            if click_id is not None:
                raise repeated(child)
            click_id = LONG.read(child, reader)
        elif tag == T_CLICK_IN_ID:
            if click_in_id is not None:
                raise repeated(child)
            click_in_id = LONG.read(child, reader)
        elif tag == T_COMMISSION:
            if commission is not None:
                raise repeated(child)
            commission = EXACT_DOUBLE.read(child, reader)
        elif tag == T_CURRENCY:
            if currency is not None:
                raise repeated(child)
            currency = STRING.read(child, reader)
        elif tag == T_SUB_PUBLISHER:
            if sub_publisher is not None:
                raise repeated(child)
            sub_publisher = read_sub_publisher_type(child, reader)
        elif tag == T_GPPS:
            if gpps is not None:
                raise repeated(child)
            gpps = read_list(child, reader, T_GPP, read_gpp_type)
        elif tag == T_REVIEW_NOTE:
            if review_note is not None:
                raise repeated(child)
            review_note = STRING.read(child, reader)
        elif tag == T_TRACKING_CATEGORY:
            if tracking_category is not None:
                raise repeated(child)
            tracking_category = read_sub_string_identifier_type(child, reader)
        else:
            reader.unknown_element(child)
    if review_state is None:
        raise absent(node, "reviewState")
    if adspace is None:
        raise absent(node, "adspace")
    if admedium is None:
        raise absent(node, "admedium")
    if program is None:
        raise absent(node, "program")
    if click_id is None:
        raise absent(node, "clickId")
    if click_in_id is None:
        raise absent(node, "clickInId")
    if commission is None:
        raise absent(node, "commission")
    if currency is None:
        raise absent(node, "currency")
    return LeadItem(
        id=id,
        review_state=review_state,
        tracking_date=tracking_date,
        modified_date=modified_date,
        click_date=click_date,
        adspace=adspace,
        admedium=admedium,
        program=program,
        click_id=click_id,
        click_in_id=click_in_id,
        commission=commission,
        currency=currency,
        sub_publisher=sub_publisher,
        gpps=gpps,
        review_note=review_note,
        tracking_category=tracking_category,
    )


def write_lead_item(value: LeadItem, writer: Writer, path: str) -> Wire:
    expect(value, LeadItem, path)
    wire: Wire = {}
    if value.id is not None:
        wire["@id"] = write(value.id, f"{path}/@id", STRING)
    if value.review_state is None:
        raise required(f"{path}/reviewState")
    wire["reviewState"] = write_choice(value.review_state, f"{path}/reviewState", C_REVIEW_STATE)
    if value.tracking_date is not None:
        wire["trackingDate"] = write(value.tracking_date, f"{path}/trackingDate", DATE_TIME)
    if value.modified_date is not None:
        wire["modifiedDate"] = write(value.modified_date, f"{path}/modifiedDate", DATE_TIME)
    if value.click_date is not None:
        wire["clickDate"] = write(value.click_date, f"{path}/clickDate", DATE_TIME)
    if value.adspace is None:
        raise required(f"{path}/adspace")
    wire["adspace"] = write_sub_string_identifier_type(value.adspace, writer, f"{path}/adspace")
    if value.admedium is None:
        raise required(f"{path}/admedium")
    wire["admedium"] = write_sub_string_identifier_type(value.admedium, writer, f"{path}/admedium")
    if value.program is None:
        raise required(f"{path}/program")
    wire["program"] = write_sub_string_identifier_type(value.program, writer, f"{path}/program")
    if value.click_id is None:
        raise required(f"{path}/clickId")
    wire["clickId"] = write(value.click_id, f"{path}/clickId", LONG)
    if value.click_in_id is None:
        raise required(f"{path}/clickInId")
    wire["clickInId"] = write(value.click_in_id, f"{path}/clickInId", LONG)
    if value.commission is None:
        raise required(f"{path}/commission")
    wire["commission"] = write(value.commission, f"{path}/commission", EXACT_DOUBLE)
    if value.currency is None:
        raise required(f"{path}/currency")
    wire["currency"] = write(value.currency, f"{path}/currency", STRING)
    if value.sub_publisher is not None:
        wire["subPublisher"] = write_sub_publisher_type(value.sub_publisher, writer, f"{path}/subPublisher")
    if value.gpps is not None:
        wire["gpps"] = {"gpp": write_list(value.gpps, f"{path}/gpps", writer, write_gpp_type)}
    if value.review_note is not None:
        wire["reviewNote"] = write(value.review_note, f"{path}/reviewNote", STRING)
    if value.tracking_category is not None:
        wire["trackingCategory"] = write_sub_string_identifier_type(
            value.tracking_category, writer, f"{path}/trackingCategory"
        )
    return wire


def read_media_slot_item(node: Node, reader: Reader) -> MediaSlotItem:
    id: str | None = None
    for attribute, raw in node.items():
        if attribute == "id":
            id = STRING.attribute(node, reader, attribute, raw)
        else:
            reader.unknown_attribute(node, attribute)
    name: str | None = None
    size: SizeType | None = None
    adspace: SubStringIdentifierType | None = None
    applications: list[SubStringIdentifierStringType] | None = None
    status: MediaSlotStatus | str | None = None
    create_date: dt.datetime | None = None
    modified_date: dt.datetime | None = None
    for child in node:
        tag = child.tag
        if tag == T_NAME:
            if name is not None:
                raise repeated(child)
            name = STRING.read(child, reader)
        elif tag == T_SIZE:
            if size is not None:
                raise repeated(child)
            size = read_size_type(child, reader)
        elif tag == T_ADSPACE:
            if adspace is not None:
                raise repeated(child)
            adspace = read_sub_string_identifier_type(child, reader)
        elif tag == T_APPLICATIONS:
            if applications is not None:
                raise repeated(child)
            applications = read_list(child, reader, T_APPLICATION, read_sub_string_identifier_string_type)
        elif tag == T_STATUS:
            if status is not None:
                raise repeated(child)
            status = C_MEDIA_SLOT_STATUS.read(child, reader)
        elif tag == T_CREATE_DATE:
            if create_date is not None:
                raise repeated(child)
            create_date = DATE_TIME.read(child, reader)
        elif tag == T_MODIFIED_DATE:
            if modified_date is not None:
                raise repeated(child)
            modified_date = DATE_TIME.read(child, reader)
        else:
            reader.unknown_element(child)
    if name is None:
        raise absent(node, "name")
    if adspace is None:
        raise absent(node, "adspace")
    if applications is None:
        raise absent(node, "applications")
    if status is None:
        raise absent(node, "status")
    return MediaSlotItem(
        id=id,
        name=name,
        size=size,
        adspace=adspace,
        applications=applications,
        status=status,
        create_date=create_date,
        modified_date=modified_date,
    )


def write_media_slot_item(value: MediaSlotItem, writer: Writer, path: str) -> Wire:
    expect(value, MediaSlotItem, path)
    wire: Wire = {}
    if value.id is not None:
        wire["@id"] = write(value.id, f"{path}/@id", STRING)
    if value.name is None:
        raise required(f"{path}/name")
    wire["name"] = write(value.name, f"{path}/name", STRING)
    if value.size is not None:
        wire["size"] = write_size_type(value.size, writer, f"{path}/size")
    if value.adspace is None:
        raise required(f"{path}/adspace")
    wire["adspace"] = write_sub_string_identifier_type(value.adspace, writer, f"{path}/adspace")
    if value.applications is None:
        raise required(f"{path}/applications")
    wire["applications"] = {
        "application": write_list(
            value.applications, f"{path}/applications", writer, write_sub_string_identifier_string_type
        ),
    }
    if value.status is None:
        raise required(f"{path}/status")
    wire["status"] = write_choice(value.status, f"{path}/status", C_MEDIA_SLOT_STATUS)
    if value.create_date is not None:
        wire["createDate"] = write(value.create_date, f"{path}/createDate", DATE_TIME)
    if value.modified_date is not None:
        wire["modifiedDate"] = write(value.modified_date, f"{path}/modifiedDate", DATE_TIME)
    return wire


def read_payment_item(node: Node, reader: Reader) -> PaymentItem:
    id: str | None = None
    for attribute, raw in node.items():
        if attribute == "id":
            id = STRING.attribute(node, reader, attribute, raw)
        else:
            reader.unknown_attribute(node, attribute)
    create_date: dt.datetime | None = None
    modified_date: dt.datetime | None = None
    payout_date: dt.datetime | None = None
    status: str | None = None
    amount: Decimal | None = None
    currency: str | None = None
    bank_account_item: BankAccountItem | None = None
    for child in node:
        tag = child.tag
        if tag == T_CREATE_DATE:
            if create_date is not None:
                raise repeated(child)
            create_date = DATE_TIME.read(child, reader)
        elif tag == T_MODIFIED_DATE:
            if modified_date is not None:
                raise repeated(child)
            modified_date = DATE_TIME.read(child, reader)
        elif tag == T_PAYOUT_DATE:
            if payout_date is not None:
                raise repeated(child)
            payout_date = DATE_TIME.read(child, reader)
        elif tag == T_STATUS:
            if status is not None:
                raise repeated(child)
            status = STRING.read(child, reader)
        elif tag == T_AMOUNT:
            if amount is not None:
                raise repeated(child)
            amount = EXACT_FLOAT.read(child, reader)
        elif tag == T_CURRENCY:
            if currency is not None:
                raise repeated(child)
            currency = STRING.read(child, reader)
        elif tag == T_BANK_ACCOUNT_ITEM:
            if bank_account_item is not None:
                raise repeated(child)
            bank_account_item = read_bank_account_item(child, reader)
        else:
            reader.unknown_element(child)
    if create_date is None:
        raise absent(node, "createDate")
    if status is None:
        raise absent(node, "status")
    if amount is None:
        raise absent(node, "amount")
    if currency is None:
        raise absent(node, "currency")
    return PaymentItem(
        id=id,
        create_date=create_date,
        modified_date=modified_date,
        payout_date=payout_date,
        status=status,
        amount=amount,
        currency=currency,
        bank_account_item=bank_account_item,
    )


def write_payment_item(value: PaymentItem, writer: Writer, path: str) -> Wire:
    expect(value, PaymentItem, path)
    wire: Wire = {}
    if value.id is not None:
        wire["@id"] = write(value.id, f"{path}/@id", STRING)
    if value.create_date is None:
        raise required(f"{path}/createDate")
    wire["createDate"] = write(value.create_date, f"{path}/createDate", DATE_TIME)
    if value.modified_date is not None:
        wire["modifiedDate"] = write(value.modified_date, f"{path}/modifiedDate", DATE_TIME)
    if value.payout_date is not None:
        wire["payoutDate"] = write(value.payout_date, f"{path}/payoutDate", DATE_TIME)
    if value.status is None:
        raise required(f"{path}/status")
    wire["status"] = write(value.status, f"{path}/status", STRING)
    if value.amount is None:
        raise required(f"{path}/amount")
    wire["amount"] = write(value.amount, f"{path}/amount", EXACT_FLOAT)
    if value.currency is None:
        raise required(f"{path}/currency")
    wire["currency"] = write(value.currency, f"{path}/currency", STRING)
    if value.bank_account_item is not None:
        wire["bankAccountItem"] = write_bank_account_item(
            value.bank_account_item, writer, f"{path}/bankAccountItem"
        )
    return wire


def read_pricing_type(node: Node, reader: Reader) -> PricingType:
    id: str | None = None
    for attribute, raw in node.items():
        if attribute == "id":
            id = STRING.attribute(node, reader, attribute, raw)
        else:
            reader.unknown_attribute(node, attribute)
    share: Decimal | None = None
    setup: Decimal | None = None
    monthly: Decimal | None = None
    currency: str | None = None
    description: str | None = None
    for child in node:
        tag = child.tag
        if tag == T_SHARE:
            if share is not None:
                raise repeated(child)
            share = EXACT_DOUBLE.read(child, reader)
        elif tag == T_SETUP:
            if setup is not None:
                raise repeated(child)
            setup = EXACT_DOUBLE.read(child, reader)
        elif tag == T_MONTHLY:
            if monthly is not None:
                raise repeated(child)
            monthly = EXACT_DOUBLE.read(child, reader)
        elif tag == T_CURRENCY:
            if currency is not None:
                raise repeated(child)
            currency = STRING.read(child, reader)
        elif tag == T_DESCRIPTION:
            if description is not None:
                raise repeated(child)
            description = STRING.read(child, reader)
        else:
            reader.unknown_element(child)
    if share is None:
        raise absent(node, "share")
    if monthly is None:
        raise absent(node, "monthly")
    return PricingType(
        id=id,
        share=share,
        setup=setup,
        monthly=monthly,
        currency=currency,
        description=description,
    )


def write_pricing_type(value: PricingType, writer: Writer, path: str) -> Wire:
    expect(value, PricingType, path)
    wire: Wire = {}
    if value.id is not None:
        wire["@id"] = write(value.id, f"{path}/@id", STRING)
    if value.share is None:
        raise required(f"{path}/share")
    wire["share"] = write(value.share, f"{path}/share", EXACT_DOUBLE)
    if value.setup is not None:
        wire["setup"] = write(value.setup, f"{path}/setup", EXACT_DOUBLE)
    if value.monthly is None:
        raise required(f"{path}/monthly")
    wire["monthly"] = write(value.monthly, f"{path}/monthly", EXACT_DOUBLE)
    if value.currency is not None:
        wire["currency"] = write(value.currency, f"{path}/currency", STRING)
    if value.description is not None:
        wire["description"] = write(value.description, f"{path}/description", STRING)
    return wire


def read_prize_type(node: Node, reader: Reader) -> PrizeType:
    id: str | None = None
    for attribute, raw in node.items():
        if attribute == "id":
            id = STRING.attribute(node, reader, attribute, raw)
        else:
            reader.unknown_attribute(node, attribute)
    name: str | None = None
    description: str | None = None
    count: int | None = None
    rank: int | None = None
    for child in node:
        tag = child.tag
        if tag == T_NAME:
            if name is not None:
                raise repeated(child)
            name = STRING.read(child, reader)
        elif tag == T_DESCRIPTION:
            if description is not None:
                raise repeated(child)
            description = STRING.read(child, reader)
        elif tag == T_COUNT:
            if count is not None:
                raise repeated(child)
            count = INT.read(child, reader)
        elif tag == T_RANK:
            if rank is not None:
                raise repeated(child)
            rank = INT.read(child, reader)
        else:
            reader.unknown_element(child)
    if name is None:
        raise absent(node, "name")
    if count is None:
        raise absent(node, "count")
    if rank is None:
        raise absent(node, "rank")
    return PrizeType(
        id=id,
        name=name,
        description=description,
        count=count,
        rank=rank,
    )


def write_prize_type(value: PrizeType, writer: Writer, path: str) -> Wire:
    expect(value, PrizeType, path)
    wire: Wire = {}
    if value.id is not None:
        wire["@id"] = write(value.id, f"{path}/@id", STRING)
    if value.name is None:
        raise required(f"{path}/name")
    wire["name"] = write(value.name, f"{path}/name", STRING)
    if value.description is not None:
        wire["description"] = write(value.description, f"{path}/description", STRING)
    if value.count is None:
        raise required(f"{path}/count")
    wire["count"] = write(value.count, f"{path}/count", INT)
    if value.rank is None:
        raise required(f"{path}/rank")
    wire["rank"] = write(value.rank, f"{path}/rank", INT)
    return wire


def read_product_category_type(node: Node, reader: Reader) -> ProductCategoryType:
    no_attributes(node, reader)
    id: int | None = None
    name: str | None = None
    count: int | None = None
    category: list[ProductCategoryType] = []
    for child in node:
        tag = child.tag
        if tag == T_ID:
            if id is not None:
                raise repeated(child)
            id = INT.read(child, reader)
        elif tag == T_NAME:
            if name is not None:
                raise repeated(child)
            name = STRING.read(child, reader)
        elif tag == T_COUNT:
            if count is not None:
                raise repeated(child)
            count = INT.read(child, reader)
        elif tag == T_CATEGORY:
            category.append(read_product_category_type(child, reader))
        else:
            reader.unknown_element(child)
    if id is None:
        raise absent(node, "id")
    if name is None:
        raise absent(node, "name")
    if count is None:
        raise absent(node, "count")
    return ProductCategoryType(
        id=id,
        name=name,
        count=count,
        category=category,
    )


def write_product_category_type(value: ProductCategoryType, writer: Writer, path: str) -> Wire:
    expect(value, ProductCategoryType, path)
    wire: Wire = {}
    if value.id is None:
        raise required(f"{path}/id")
    wire["id"] = write(value.id, f"{path}/id", INT)
    if value.name is None:
        raise required(f"{path}/name")
    wire["name"] = write(value.name, f"{path}/name", STRING)
    if value.count is None:
        raise required(f"{path}/count")
    wire["count"] = write(value.count, f"{path}/count", INT)
    if values := write_list(value.category, f"{path}/category", writer, write_product_category_type):
        wire["category"] = values
    return wire


def read_product_item(node: Node, reader: Reader) -> ProductItem:
    id: str | None = None
    for attribute, raw in node.items():
        if attribute == "id":
            id = STRING.attribute(node, reader, attribute, raw)
        else:
            reader.unknown_attribute(node, attribute)
    name: str | None = None
    modified: dt.datetime | None = None
    program: SubStringIdentifierType | None = None
    price: Decimal | None = None
    currency: str | None = None
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
    for child in node:
        tag = child.tag
        if tag == T_NAME:
            if name is not None:
                raise repeated(child)
            name = STRING.read(child, reader)
        elif tag == T_MODIFIED:
            if modified is not None:
                raise repeated(child)
            modified = DATE_TIME.read(child, reader)
        elif tag == T_PROGRAM:
            if program is not None:
                raise repeated(child)
            program = read_sub_string_identifier_type(child, reader)
        elif tag == T_PRICE:
            if price is not None:
                raise repeated(child)
            price = EXACT_FLOAT.read(child, reader)
        elif tag == T_CURRENCY:
            if currency is not None:
                raise repeated(child)
            currency = STRING.read(child, reader)
        elif tag == T_TRACKING_LINKS:
            if tracking_links is not None:
                raise repeated(child)
            tracking_links = read_list(child, reader, T_TRACKING_LINK, read_tracking_link_type)
        elif tag == T_DESCRIPTION:
            if description is not None:
                raise repeated(child)
            description = STRING.read(child, reader)
        elif tag == T_DESCRIPTION_LONG:
            if description_long is not None:
                raise repeated(child)
            description_long = STRING.read(child, reader)
        elif tag == T_MANUFACTURER:
            if manufacturer is not None:
                raise repeated(child)
            manufacturer = STRING.read(child, reader)
        elif tag == T_EAN:
            if ean is not None:
                raise repeated(child)
            ean = STRING.read(child, reader)
        elif tag == T_DELIVERY_TIME:
            if delivery_time is not None:
                raise repeated(child)
            delivery_time = STRING.read(child, reader)
        elif tag == T_TERMS:
            if terms is not None:
                raise repeated(child)
            terms = STRING.read(child, reader)
        elif tag == T_CATEGORY:
            if category is not None:
                raise repeated(child)
            category = read_sub_string_identifier_type(child, reader)
        elif tag == T_IMAGE:
            if image is not None:
                raise repeated(child)
            image = read_image_type(child, reader)
        elif tag == T_PRICE_OLD:
            if price_old is not None:
                raise repeated(child)
            price_old = EXACT_FLOAT.read(child, reader)
        elif tag == T_SHIPPING_COSTS:
            if shipping_costs is not None:
                raise repeated(child)
            shipping_costs = STRING.read(child, reader)
        elif tag == T_SHIPPING:
            if shipping is not None:
                raise repeated(child)
            shipping = STRING.read(child, reader)
        elif tag == T_MERCHANT_CATEGORY:
            if merchant_category is not None:
                raise repeated(child)
            merchant_category = STRING.read(child, reader)
        elif tag == T_MERCHANT_PRODUCT_ID:
            if merchant_product_id is not None:
                raise repeated(child)
            merchant_product_id = STRING.read(child, reader)
        else:
            reader.unknown_element(child)
    if name is None:
        raise absent(node, "name")
    if modified is None:
        raise absent(node, "modified")
    if program is None:
        raise absent(node, "program")
    if price is None:
        raise absent(node, "price")
    if currency is None:
        raise absent(node, "currency")
    return ProductItem(
        id=id,
        name=name,
        modified=modified,
        program=program,
        price=price,
        currency=currency,
        tracking_links=tracking_links,
        description=description,
        description_long=description_long,
        manufacturer=manufacturer,
        ean=ean,
        delivery_time=delivery_time,
        terms=terms,
        category=category,
        image=image,
        price_old=price_old,
        shipping_costs=shipping_costs,
        shipping=shipping,
        merchant_category=merchant_category,
        merchant_product_id=merchant_product_id,
    )


def write_product_item(value: ProductItem, writer: Writer, path: str) -> Wire:
    expect(value, ProductItem, path)
    wire: Wire = {}
    if value.id is not None:
        wire["@id"] = write(value.id, f"{path}/@id", STRING)
    if value.name is None:
        raise required(f"{path}/name")
    wire["name"] = write(value.name, f"{path}/name", STRING)
    if value.modified is None:
        raise required(f"{path}/modified")
    wire["modified"] = write(value.modified, f"{path}/modified", DATE_TIME)
    if value.program is None:
        raise required(f"{path}/program")
    wire["program"] = write_sub_string_identifier_type(value.program, writer, f"{path}/program")
    if value.price is None:
        raise required(f"{path}/price")
    wire["price"] = write(value.price, f"{path}/price", EXACT_FLOAT)
    if value.currency is None:
        raise required(f"{path}/currency")
    wire["currency"] = write(value.currency, f"{path}/currency", STRING)
    if value.tracking_links is not None:
        wire["trackingLinks"] = {
            "trackingLink": write_list(
                value.tracking_links, f"{path}/trackingLinks", writer, write_tracking_link_type
            ),
        }
    if value.description is not None:
        wire["description"] = write(value.description, f"{path}/description", STRING)
    if value.description_long is not None:
        wire["descriptionLong"] = write(value.description_long, f"{path}/descriptionLong", STRING)
    if value.manufacturer is not None:
        wire["manufacturer"] = write(value.manufacturer, f"{path}/manufacturer", STRING)
    if value.ean is not None:
        wire["ean"] = write(value.ean, f"{path}/ean", STRING)
    if value.delivery_time is not None:
        wire["deliveryTime"] = write(value.delivery_time, f"{path}/deliveryTime", STRING)
    if value.terms is not None:
        wire["terms"] = write(value.terms, f"{path}/terms", STRING)
    if value.category is not None:
        wire["category"] = write_sub_string_identifier_type(value.category, writer, f"{path}/category")
    if value.image is not None:
        wire["image"] = write_image_type(value.image, writer, f"{path}/image")
    if value.price_old is not None:
        wire["priceOld"] = write(value.price_old, f"{path}/priceOld", EXACT_FLOAT)
    if value.shipping_costs is not None:
        wire["shippingCosts"] = write(value.shipping_costs, f"{path}/shippingCosts", STRING)
    if value.shipping is not None:
        wire["shipping"] = write(value.shipping, f"{path}/shipping", STRING)
    if value.merchant_category is not None:
        wire["merchantCategory"] = write(value.merchant_category, f"{path}/merchantCategory", STRING)
    if value.merchant_product_id is not None:
        wire["merchantProductId"] = write(value.merchant_product_id, f"{path}/merchantProductId", STRING)
    return wire


def read_profile_item(node: Node, reader: Reader) -> ProfileItem:
    id: int | None = None
    for attribute, raw in node.items():
        if attribute == "id":
            id = INT.attribute(node, reader, attribute, raw)
        else:
            reader.unknown_attribute(node, attribute)
    adrank: float | None = None
    first_name: str | None = None
    last_name: str | None = None
    email: str | None = None
    country: str | None = None
    street1: str | None = None
    city: str | None = None
    zipcode: str | None = None
    company: str | None = None
    street2: str | None = None
    phone: str | None = None
    mobile: str | None = None
    fax: str | None = None
    language: str | None = None
    currency: str | None = None
    title: str | None = None
    login_name: str | None = None
    user_name: str | None = None
    is_advertiser: bool | None = None
    is_sublogin: bool | None = None
    for child in node:
        tag = child.tag
        if tag == T_ADRANK:
            if adrank is not None:
                raise repeated(child)
            adrank = FLOAT.read(child, reader)
        elif tag == T_FIRST_NAME:
            if first_name is not None:
                raise repeated(child)
            first_name = STRING.read(child, reader)
        elif tag == T_LAST_NAME:
            if last_name is not None:
                raise repeated(child)
            last_name = STRING.read(child, reader)
        elif tag == T_EMAIL:
            if email is not None:
                raise repeated(child)
            email = STRING.read(child, reader)
        elif tag == T_COUNTRY:
            if country is not None:
                raise repeated(child)
            country = STRING.read(child, reader)
        elif tag == T_STREET1:
            if street1 is not None:
                raise repeated(child)
            street1 = STRING.read(child, reader)
        elif tag == T_CITY:
            if city is not None:
                raise repeated(child)
            city = STRING.read(child, reader)
        elif tag == T_ZIPCODE:
            if zipcode is not None:
                raise repeated(child)
            zipcode = STRING.read(child, reader)
        elif tag == T_COMPANY:
            if company is not None:
                raise repeated(child)
            company = STRING.read(child, reader)
        elif tag == T_STREET2:
            if street2 is not None:
                raise repeated(child)
            street2 = STRING.read(child, reader)
        elif tag == T_PHONE:
            if phone is not None:
                raise repeated(child)
            phone = STRING.read(child, reader)
        elif tag == T_MOBILE:
            if mobile is not None:
                raise repeated(child)
            mobile = STRING.read(child, reader)
        elif tag == T_FAX:
            if fax is not None:
                raise repeated(child)
            fax = STRING.read(child, reader)
        elif tag == T_LANGUAGE:
            if language is not None:
                raise repeated(child)
            language = STRING.read(child, reader)
        elif tag == T_CURRENCY:
            if currency is not None:
                raise repeated(child)
            currency = STRING.read(child, reader)
        elif tag == T_TITLE:
            if title is not None:
                raise repeated(child)
            title = STRING.read(child, reader)
        elif tag == T_LOGIN_NAME:
            if login_name is not None:
                raise repeated(child)
            login_name = STRING.read(child, reader)
        elif tag == T_USER_NAME:
            if user_name is not None:
                raise repeated(child)
            user_name = STRING.read(child, reader)
        elif tag == T_IS_ADVERTISER:
            if is_advertiser is not None:
                raise repeated(child)
            is_advertiser = BOOLEAN.read(child, reader)
        elif tag == T_IS_SUBLOGIN:
            if is_sublogin is not None:
                raise repeated(child)
            is_sublogin = BOOLEAN.read(child, reader)
        else:
            reader.unknown_element(child)
    if adrank is None:
        raise absent(node, "adrank")
    if first_name is None:
        raise absent(node, "firstName")
    if last_name is None:
        raise absent(node, "lastName")
    if email is None:
        raise absent(node, "email")
    if country is None:
        raise absent(node, "country")
    if street1 is None:
        raise absent(node, "street1")
    if city is None:
        raise absent(node, "city")
    if zipcode is None:
        raise absent(node, "zipcode")
    if login_name is None:
        raise absent(node, "loginName")
    if user_name is None:
        raise absent(node, "userName")
    if is_advertiser is None:
        raise absent(node, "isAdvertiser")
    if is_sublogin is None:
        raise absent(node, "isSublogin")
    return ProfileItem(
        id=id,
        adrank=adrank,
        first_name=first_name,
        last_name=last_name,
        email=email,
        country=country,
        street1=street1,
        city=city,
        zipcode=zipcode,
        company=company,
        street2=street2,
        phone=phone,
        mobile=mobile,
        fax=fax,
        language=language,
        currency=currency,
        title=title,
        login_name=login_name,
        user_name=user_name,
        is_advertiser=is_advertiser,
        is_sublogin=is_sublogin,
    )


def write_profile_item(value: ProfileItem, writer: Writer, path: str) -> Wire:
    expect(value, ProfileItem, path)
    wire: Wire = {}
    if value.id is not None:
        wire["@id"] = write(value.id, f"{path}/@id", INT)
    if value.adrank is None:
        raise required(f"{path}/adrank")
    wire["adrank"] = write(value.adrank, f"{path}/adrank", FLOAT)
    if value.first_name is None:
        raise required(f"{path}/firstName")
    wire["firstName"] = write(value.first_name, f"{path}/firstName", STRING)
    if value.last_name is None:
        raise required(f"{path}/lastName")
    wire["lastName"] = write(value.last_name, f"{path}/lastName", STRING)
    if value.email is None:
        raise required(f"{path}/email")
    wire["email"] = write(value.email, f"{path}/email", STRING)
    if value.country is None:
        raise required(f"{path}/country")
    wire["country"] = write(value.country, f"{path}/country", STRING)
    if value.street1 is None:
        raise required(f"{path}/street1")
    wire["street1"] = write(value.street1, f"{path}/street1", STRING)
    if value.city is None:
        raise required(f"{path}/city")
    wire["city"] = write(value.city, f"{path}/city", STRING)
    if value.zipcode is None:
        raise required(f"{path}/zipcode")
    wire["zipcode"] = write(value.zipcode, f"{path}/zipcode", STRING)
    if value.company is not None:
        wire["company"] = write(value.company, f"{path}/company", STRING)
    if value.street2 is not None:
        wire["street2"] = write(value.street2, f"{path}/street2", STRING)
    if value.phone is not None:
        wire["phone"] = write(value.phone, f"{path}/phone", STRING)
    if value.mobile is not None:
        wire["mobile"] = write(value.mobile, f"{path}/mobile", STRING)
    if value.fax is not None:
        wire["fax"] = write(value.fax, f"{path}/fax", STRING)
    if value.language is not None:
        wire["language"] = write(value.language, f"{path}/language", STRING)
    if value.currency is not None:
        wire["currency"] = write(value.currency, f"{path}/currency", STRING)
    if value.title is not None:
        wire["title"] = write(value.title, f"{path}/title", STRING)
    if value.login_name is None:
        raise required(f"{path}/loginName")
    wire["loginName"] = write(value.login_name, f"{path}/loginName", STRING)
    if value.user_name is None:
        raise required(f"{path}/userName")
    wire["userName"] = write(value.user_name, f"{path}/userName", STRING)
    if value.is_advertiser is None:
        raise required(f"{path}/isAdvertiser")
    wire["isAdvertiser"] = write(value.is_advertiser, f"{path}/isAdvertiser", BOOLEAN)
    if value.is_sublogin is None:
        raise required(f"{path}/isSublogin")
    wire["isSublogin"] = write(value.is_sublogin, f"{path}/isSublogin", BOOLEAN)
    return wire


def write_profile_item_changes(value: ProfileItemChanges, writer: Writer, path: str) -> Wire:
    expect_changes(
        value,
        path,
        writer,
        (
            "id",
            "adrank",
            "first_name",
            "last_name",
            "email",
            "country",
            "street1",
            "city",
            "zipcode",
            "company",
            "street2",
            "phone",
            "mobile",
            "fax",
            "language",
            "currency",
            "title",
            "login_name",
            "user_name",
            "is_advertiser",
            "is_sublogin",
        ),
        ProfileItem,
    )
    wire: Wire = {}
    if "id" in value:
        wire["@id"] = write(value["id"], f"{path}/@id", INT)
    if "adrank" in value:
        wire["adrank"] = write(value["adrank"], f"{path}/adrank", FLOAT)
    if "first_name" in value:
        wire["firstName"] = write(value["first_name"], f"{path}/firstName", STRING)
    if "last_name" in value:
        wire["lastName"] = write(value["last_name"], f"{path}/lastName", STRING)
    if "email" in value:
        wire["email"] = write(value["email"], f"{path}/email", STRING)
    if "country" in value:
        wire["country"] = write(value["country"], f"{path}/country", STRING)
    if "street1" in value:
        wire["street1"] = write(value["street1"], f"{path}/street1", STRING)
    if "city" in value:
        wire["city"] = write(value["city"], f"{path}/city", STRING)
    if "zipcode" in value:
        wire["zipcode"] = write(value["zipcode"], f"{path}/zipcode", STRING)
    if "company" in value:
        wire["company"] = write(value["company"], f"{path}/company", STRING)
    if "street2" in value:
        wire["street2"] = write(value["street2"], f"{path}/street2", STRING)
    if "phone" in value:
        wire["phone"] = write(value["phone"], f"{path}/phone", STRING)
    if "mobile" in value:
        wire["mobile"] = write(value["mobile"], f"{path}/mobile", STRING)
    if "fax" in value:
        wire["fax"] = write(value["fax"], f"{path}/fax", STRING)
    if "language" in value:
        wire["language"] = write(value["language"], f"{path}/language", STRING)
    if "currency" in value:
        wire["currency"] = write(value["currency"], f"{path}/currency", STRING)
    if "title" in value:
        wire["title"] = write(value["title"], f"{path}/title", STRING)
    if "login_name" in value:
        wire["loginName"] = write(value["login_name"], f"{path}/loginName", STRING)
    if "user_name" in value:
        wire["userName"] = write(value["user_name"], f"{path}/userName", STRING)
    if "is_advertiser" in value:
        wire["isAdvertiser"] = write(value["is_advertiser"], f"{path}/isAdvertiser", BOOLEAN)
    if "is_sublogin" in value:
        wire["isSublogin"] = write(value["is_sublogin"], f"{path}/isSublogin", BOOLEAN)
    return wire


def read_program_application_item(node: Node, reader: Reader) -> ProgramApplicationItem:
    id: int | None = None
    for attribute, raw in node.items():
        if attribute == "id":
            id = INT.attribute(node, reader, attribute, raw)
        else:
            reader.unknown_attribute(node, attribute)
    program: SubStringIdentifierTypeWithStatus | None = None
    adspace: SubStringIdentifierType | None = None
    status: ProgramApplicationStatus | str | None = None
    create_date: dt.datetime | None = None
    allow_tpv: bool | None = None
    approved_date: dt.datetime | None = None
    publisher_comment: str | None = None
    advertiser_comment: str | None = None
    for child in node:
        tag = child.tag
        if tag == T_PROGRAM:
            if program is not None:
                raise repeated(child)
            program = read_sub_string_identifier_type_with_status(child, reader)
        elif tag == T_ADSPACE:
            if adspace is not None:
                raise repeated(child)
            adspace = read_sub_string_identifier_type(child, reader)
        elif tag == T_STATUS:
            if status is not None:
                raise repeated(child)
            status = C_PROGRAM_APPLICATION_STATUS.read(child, reader)
        elif tag == T_CREATE_DATE:
            if create_date is not None:
                raise repeated(child)
            create_date = DATE_TIME.read(child, reader)
        elif tag == T_ALLOW_TPV:
            if allow_tpv is not None:
                raise repeated(child)
            allow_tpv = BOOLEAN.read(child, reader)
        elif tag == T_APPROVED_DATE:
            if approved_date is not None:
                raise repeated(child)
            approved_date = DATE_TIME.read(child, reader)
        elif tag == T_PUBLISHER_COMMENT:
            if publisher_comment is not None:
                raise repeated(child)
            publisher_comment = STRING.read(child, reader)
        elif tag == T_ADVERTISER_COMMENT:
            if advertiser_comment is not None:
                raise repeated(child)
            advertiser_comment = STRING.read(child, reader)
        else:
            reader.unknown_element(child)
    if id is None:
        raise absent(node, "@id")
    if program is None:
        raise absent(node, "program")
    if adspace is None:
        raise absent(node, "adspace")
    if status is None:
        raise absent(node, "status")
    if create_date is None:
        raise absent(node, "createDate")
    if allow_tpv is None:
        raise absent(node, "allowTpv")
    return ProgramApplicationItem(
        id=id,
        program=program,
        adspace=adspace,
        status=status,
        create_date=create_date,
        allow_tpv=allow_tpv,
        approved_date=approved_date,
        publisher_comment=publisher_comment,
        advertiser_comment=advertiser_comment,
    )


def write_program_application_item(value: ProgramApplicationItem, writer: Writer, path: str) -> Wire:
    expect(value, ProgramApplicationItem, path)
    wire: Wire = {}
    if value.id is None:
        raise required(f"{path}/@id")
    wire["@id"] = write(value.id, f"{path}/@id", INT)
    if value.program is None:
        raise required(f"{path}/program")
    wire["program"] = write_sub_string_identifier_type_with_status(value.program, writer, f"{path}/program")
    if value.adspace is None:
        raise required(f"{path}/adspace")
    wire["adspace"] = write_sub_string_identifier_type(value.adspace, writer, f"{path}/adspace")
    if value.status is None:
        raise required(f"{path}/status")
    wire["status"] = write_choice(value.status, f"{path}/status", C_PROGRAM_APPLICATION_STATUS)
    if value.create_date is None:
        raise required(f"{path}/createDate")
    wire["createDate"] = write(value.create_date, f"{path}/createDate", DATE_TIME)
    if value.allow_tpv is None:
        raise required(f"{path}/allowTpv")
    wire["allowTpv"] = write(value.allow_tpv, f"{path}/allowTpv", BOOLEAN)
    if value.approved_date is not None:
        wire["approvedDate"] = write(value.approved_date, f"{path}/approvedDate", DATE_TIME)
    if value.publisher_comment is not None:
        wire["publisherComment"] = write(value.publisher_comment, f"{path}/publisherComment", STRING)
    if value.advertiser_comment is not None:
        wire["advertiserComment"] = write(value.advertiser_comment, f"{path}/advertiserComment", STRING)
    return wire


def read_program_item(node: Node, reader: Reader) -> ProgramItem:
    id: int | None = None
    for attribute, raw in node.items():
        if attribute == "id":
            id = INT.attribute(node, reader, attribute, raw)
        else:
            reader.unknown_attribute(node, attribute)
    name: str | None = None
    adrank: float | None = None
    application_required: bool | None = None
    description: str | None = None
    description_local: str | None = None
    products: int | None = None
    vertical: SubStringIdentifierType | None = None
    regions: list[str] | None = None
    categories: list[SubStringIdentifierType] | None = None
    start_date: dt.datetime | None = None
    url: str | None = None
    image: str | None = None
    currency: str | None = None
    status: ProgramStatus | str | None = None
    terms: str | None = None
    terms_url: str | None = None
    policies: list[SubStringIdentifierType] | None = None
    return_time_leads: str | None = None
    return_time_sales: str | None = None
    industries: ProgramIndustriesType | None = None
    commission: ProgramCommissionType | None = None
    for child in node:
        tag = child.tag
        if tag == T_NAME:
            if name is not None:
                raise repeated(child)
            name = STRING.read(child, reader)
        elif tag == T_ADRANK:
            if adrank is not None:
                raise repeated(child)
            adrank = FLOAT.read(child, reader)
        elif tag == T_APPLICATION_REQUIRED:
            if application_required is not None:
                raise repeated(child)
            application_required = BOOLEAN.read(child, reader)
        elif tag == T_DESCRIPTION:
            if description is not None:
                raise repeated(child)
            description = STRING.read(child, reader)
        elif tag == T_DESCRIPTION_LOCAL:
            if description_local is not None:
                raise repeated(child)
            description_local = STRING.read(child, reader)
        elif tag == T_PRODUCTS:
            if products is not None:
                raise repeated(child)
            products = LONG.read(child, reader)
        elif tag == T_VERTICAL:
            if vertical is not None:
                raise repeated(child)
            vertical = read_sub_string_identifier_type(child, reader)
        elif tag == T_REGIONS:
            if regions is not None:
                raise repeated(child)
            regions = read_list(child, reader, T_REGION, STRING.read)
        elif tag == T_CATEGORIES:
            if categories is not None:
                raise repeated(child)
            categories = read_list(child, reader, T_CATEGORY, read_sub_string_identifier_type)
        elif tag == T_START_DATE:
            if start_date is not None:
                raise repeated(child)
            start_date = DATE_TIME.read(child, reader)
        elif tag == T_URL:
            if url is not None:
                raise repeated(child)
            url = STRING.read(child, reader)
        elif tag == T_IMAGE:
            if image is not None:
                raise repeated(child)
            image = STRING.read(child, reader)
        elif tag == T_CURRENCY:
            if currency is not None:
                raise repeated(child)
            currency = STRING.read(child, reader)
        elif tag == T_STATUS:
            if status is not None:
                raise repeated(child)
            status = C_PROGRAM_STATUS.read(child, reader)
        elif tag == T_TERMS:
            if terms is not None:
                raise repeated(child)
            terms = STRING.read(child, reader)
        elif tag == T_TERMS_URL:
            if terms_url is not None:
                raise repeated(child)
            terms_url = STRING.read(child, reader)
        elif tag == T_POLICIES:
            if policies is not None:
                raise repeated(child)
            policies = read_list(child, reader, T_POLICY, read_sub_string_identifier_type)
        elif tag == T_RETURN_TIME_LEADS:
            if return_time_leads is not None:
                raise repeated(child)
            return_time_leads = STRING.read(child, reader)
        elif tag == T_RETURN_TIME_SALES:
            if return_time_sales is not None:
                raise repeated(child)
            return_time_sales = STRING.read(child, reader)
        elif tag == T_INDUSTRIES:
            if industries is not None:
                raise repeated(child)
            industries = read_program_industries_type(child, reader)
        elif tag == T_COMMISSION:
            if commission is not None:
                raise repeated(child)
            commission = read_program_commission_type(child, reader)
        else:
            reader.unknown_element(child)
    if id is None:
        raise absent(node, "@id")
    if name is None:
        raise absent(node, "name")
    if adrank is None:
        raise absent(node, "adrank")
    if application_required is None:
        raise absent(node, "applicationRequired")
    if description is None:
        raise absent(node, "description")
    if description_local is None:
        raise absent(node, "descriptionLocal")
    if products is None:
        raise absent(node, "products")
    if vertical is None:
        reader.missing(node, "vertical")
    if start_date is None:
        raise absent(node, "startDate")
    if url is None:
        raise absent(node, "url")
    if image is None:
        raise absent(node, "image")
    if currency is None:
        raise absent(node, "currency")
    if status is None:
        raise absent(node, "status")
    if terms is None:
        reader.missing(node, "terms")
    if terms_url is None:
        reader.missing(node, "termsUrl")
    return ProgramItem(
        id=id,
        name=name,
        adrank=adrank,
        application_required=application_required,
        description=description,
        description_local=description_local,
        products=products,
        vertical=vertical,
        regions=regions,
        categories=categories,
        start_date=start_date,
        url=url,
        image=image,
        currency=currency,
        status=status,
        terms=terms,
        terms_url=terms_url,
        policies=policies,
        return_time_leads=return_time_leads,
        return_time_sales=return_time_sales,
        industries=industries,
        commission=commission,
    )


def write_program_item(value: ProgramItem, writer: Writer, path: str) -> Wire:
    expect(value, ProgramItem, path)
    wire: Wire = {}
    if value.id is None:
        raise required(f"{path}/@id")
    wire["@id"] = write(value.id, f"{path}/@id", INT)
    if value.name is None:
        raise required(f"{path}/name")
    wire["name"] = write(value.name, f"{path}/name", STRING)
    if value.adrank is None:
        raise required(f"{path}/adrank")
    wire["adrank"] = write(value.adrank, f"{path}/adrank", FLOAT)
    if value.application_required is None:
        raise required(f"{path}/applicationRequired")
    wire["applicationRequired"] = write(value.application_required, f"{path}/applicationRequired", BOOLEAN)
    if value.description is None:
        raise required(f"{path}/description")
    wire["description"] = write(value.description, f"{path}/description", STRING)
    if value.description_local is None:
        raise required(f"{path}/descriptionLocal")
    wire["descriptionLocal"] = write(value.description_local, f"{path}/descriptionLocal", STRING)
    if value.products is None:
        raise required(f"{path}/products")
    wire["products"] = write(value.products, f"{path}/products", LONG)
    if value.vertical is None:
        raise required(f"{path}/vertical")
    wire["vertical"] = write_sub_string_identifier_type(value.vertical, writer, f"{path}/vertical")
    if value.regions is not None:
        wire["regions"] = {
            "region": write_texts(value.regions, f"{path}/regions", lambda v, p: write(v, p, STRING))
        }
    if value.categories is not None:
        wire["categories"] = {
            "category": write_list(
                value.categories, f"{path}/categories", writer, write_sub_string_identifier_type
            ),
        }
    if value.start_date is None:
        raise required(f"{path}/startDate")
    wire["startDate"] = write(value.start_date, f"{path}/startDate", DATE_TIME)
    if value.url is None:
        raise required(f"{path}/url")
    wire["url"] = write(value.url, f"{path}/url", STRING)
    if value.image is None:
        raise required(f"{path}/image")
    wire["image"] = write(value.image, f"{path}/image", STRING)
    if value.currency is None:
        raise required(f"{path}/currency")
    wire["currency"] = write(value.currency, f"{path}/currency", STRING)
    if value.status is None:
        raise required(f"{path}/status")
    wire["status"] = write_choice(value.status, f"{path}/status", C_PROGRAM_STATUS)
    if value.terms is None:
        raise required(f"{path}/terms")
    wire["terms"] = write(value.terms, f"{path}/terms", STRING)
    if value.terms_url is None:
        raise required(f"{path}/termsUrl")
    wire["termsUrl"] = write(value.terms_url, f"{path}/termsUrl", STRING)
    if value.policies is not None:
        wire["policies"] = {
            "policy": write_list(value.policies, f"{path}/policies", writer, write_sub_string_identifier_type)
        }
    if value.return_time_leads is not None:
        wire["returnTimeLeads"] = write(value.return_time_leads, f"{path}/returnTimeLeads", STRING)
    if value.return_time_sales is not None:
        wire["returnTimeSales"] = write(value.return_time_sales, f"{path}/returnTimeSales", STRING)
    if value.industries is not None:
        wire["industries"] = write_program_industries_type(value.industries, writer, f"{path}/industries")
    if value.commission is not None:
        wire["commission"] = write_program_commission_type(value.commission, writer, f"{path}/commission")
    return wire


def read_report_item(node: Node, reader: Reader) -> ReportItem:
    no_attributes(node, reader)
    currency: str | None = None
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
    total: StatsType | None = None
    open: StatsType | None = None
    approved: StatsType | None = None
    confirmed: StatsType | None = None
    rejected: StatsType | None = None
    for child in node:
        tag = child.tag
        if tag == T_CURRENCY:
            if currency is not None:
                raise repeated(child)
            currency = STRING.read(child, reader)
        elif tag == T_PROGRAM:
            if program is not None:
                raise repeated(child)
            program = read_sub_string_identifier_type(child, reader)
        elif tag == T_ADMEDIUM:
            if admedium is not None:
                raise repeated(child)
            admedium = read_sub_string_identifier_type(child, reader)
        elif tag == T_ADSPACE:
            if adspace is not None:
                raise repeated(child)
            adspace = read_sub_string_identifier_type(child, reader)
        elif tag == T_ADMEDIUM_FORMAT:
            if admedium_format is not None:
                raise repeated(child)
            admedium_format = read_sub_string_identifier_type(child, reader)
        elif tag == T_TRACKING_CATEGORY:
            if tracking_category is not None:
                raise repeated(child)
            tracking_category = read_sub_string_identifier_type(child, reader)
        elif tag == T_YEAR:
            if year is not None:
                raise repeated(child)
            year = STRING.read(child, reader)
        elif tag == T_MONTH:
            if month is not None:
                raise repeated(child)
            month = STRING.read(child, reader)
        elif tag == T_DAY:
            if day is not None:
                raise repeated(child)
            day = STRING.read(child, reader)
        elif tag == T_APPLICATION:
            if application is not None:
                raise repeated(child)
            application = read_sub_string_identifier_type(child, reader)
        elif tag == T_MEDIA_SLOT:
            if media_slot is not None:
                raise repeated(child)
            media_slot = read_sub_string_identifier_type(child, reader)
        elif tag == T_TOTAL:
            if total is not None:
                raise repeated(child)
            total = read_stats_type(child, reader)
        elif tag == T_OPEN:
            if open is not None:
                raise repeated(child)
            open = read_stats_type(child, reader)
        elif tag == T_APPROVED:
            if approved is not None:
                raise repeated(child)
            approved = read_stats_type(child, reader)
        elif tag == T_CONFIRMED:
            if confirmed is not None:
                raise repeated(child)
            confirmed = read_stats_type(child, reader)
        elif tag == T_REJECTED:
            if rejected is not None:
                raise repeated(child)
            rejected = read_stats_type(child, reader)
        else:
            reader.unknown_element(child)
    if currency is None:
        raise absent(node, "currency")
    if total is None:
        raise absent(node, "total")
    if open is None:
        raise absent(node, "open")
    if approved is None:
        raise absent(node, "approved")
    if confirmed is None:
        raise absent(node, "confirmed")
    if rejected is None:
        raise absent(node, "rejected")
    return ReportItem(
        currency=currency,
        program=program,
        admedium=admedium,
        adspace=adspace,
        admedium_format=admedium_format,
        tracking_category=tracking_category,
        year=year,
        month=month,
        day=day,
        application=application,
        media_slot=media_slot,
        total=total,
        open=open,
        approved=approved,
        confirmed=confirmed,
        rejected=rejected,
    )


def write_report_item(value: ReportItem, writer: Writer, path: str) -> Wire:
    expect(value, ReportItem, path)
    wire: Wire = {}
    if value.currency is None:
        raise required(f"{path}/currency")
    wire["currency"] = write(value.currency, f"{path}/currency", STRING)
    if value.program is not None:
        wire["program"] = write_sub_string_identifier_type(value.program, writer, f"{path}/program")
    if value.admedium is not None:
        wire["admedium"] = write_sub_string_identifier_type(value.admedium, writer, f"{path}/admedium")
    if value.adspace is not None:
        wire["adspace"] = write_sub_string_identifier_type(value.adspace, writer, f"{path}/adspace")
    if value.admedium_format is not None:
        wire["admediumFormat"] = write_sub_string_identifier_type(
            value.admedium_format, writer, f"{path}/admediumFormat"
        )
    if value.tracking_category is not None:
        wire["trackingCategory"] = write_sub_string_identifier_type(
            value.tracking_category, writer, f"{path}/trackingCategory"
        )
    if value.year is not None:
        wire["year"] = write(value.year, f"{path}/year", STRING)
    if value.month is not None:
        wire["month"] = write(value.month, f"{path}/month", STRING)
    if value.day is not None:
        wire["day"] = write(value.day, f"{path}/day", STRING)
    if value.application is not None:
        wire["application"] = write_sub_string_identifier_type(
            value.application, writer, f"{path}/application"
        )
    if value.media_slot is not None:
        wire["mediaSlot"] = write_sub_string_identifier_type(value.media_slot, writer, f"{path}/mediaSlot")
    if value.total is None:
        raise required(f"{path}/total")
    wire["total"] = write_stats_type(value.total, writer, f"{path}/total")
    if value.open is None:
        raise required(f"{path}/open")
    wire["open"] = write_stats_type(value.open, writer, f"{path}/open")
    if value.approved is None:
        raise required(f"{path}/approved")
    wire["approved"] = write_stats_type(value.approved, writer, f"{path}/approved")
    if value.confirmed is None:
        raise required(f"{path}/confirmed")
    wire["confirmed"] = write_stats_type(value.confirmed, writer, f"{path}/confirmed")
    if value.rejected is None:
        raise required(f"{path}/rejected")
    wire["rejected"] = write_stats_type(value.rejected, writer, f"{path}/rejected")
    return wire


def read_sale_item(node: Node, reader: Reader) -> SaleItem:
    id: str | None = None
    for attribute, raw in node.items():
        if attribute == "id":
            id = STRING.attribute(node, reader, attribute, raw)
        else:
            reader.unknown_attribute(node, attribute)
    review_state: ReviewState | str | None = None
    tracking_date: dt.datetime | None = None
    modified_date: dt.datetime | None = None
    click_date: dt.datetime | None = None
    adspace: SubStringIdentifierType | None = None
    admedium: SubStringIdentifierType | None = None
    program: SubStringIdentifierType | None = None
    click_id: int | None = None
    click_in_id: int | None = None
    amount: Decimal | None = None
    commission: Decimal | None = None
    currency: str | None = None
    sub_publisher: SubPublisherType | None = None
    gpps: list[GppType] | None = None
    review_note: str | None = None
    tracking_category: SubStringIdentifierType | None = None
    for child in node:
        tag = child.tag
        if tag == T_REVIEW_STATE:
            if review_state is not None:
                raise repeated(child)
            review_state = C_REVIEW_STATE.read(child, reader)
        elif tag == T_TRACKING_DATE:
            if tracking_date is not None:
                raise repeated(child)
            tracking_date = DATE_TIME.read(child, reader)
        elif tag == T_MODIFIED_DATE:
            if modified_date is not None:
                raise repeated(child)
            modified_date = DATE_TIME.read(child, reader)
        elif tag == T_CLICK_DATE:
            if click_date is not None:
                raise repeated(child)
            click_date = DATE_TIME.read(child, reader)
        elif tag == T_ADSPACE:
            if adspace is not None:
                raise repeated(child)
            adspace = read_sub_string_identifier_type(child, reader)
        elif tag == T_ADMEDIUM:
            if admedium is not None:
                raise repeated(child)
            admedium = read_sub_string_identifier_type(child, reader)
        elif tag == T_PROGRAM:
            if program is not None:
                raise repeated(child)
            program = read_sub_string_identifier_type(child, reader)
        elif tag == T_CLICK_ID:
            if click_id is not None:
                raise repeated(child)
            click_id = LONG.read(child, reader)
        elif tag == T_CLICK_IN_ID:
            if click_in_id is not None:
                raise repeated(child)
            click_in_id = LONG.read(child, reader)
        elif tag == T_AMOUNT:
            if amount is not None:
                raise repeated(child)
            amount = EXACT_DOUBLE.read(child, reader)
        elif tag == T_COMMISSION:
            if commission is not None:
                raise repeated(child)
            commission = EXACT_DOUBLE.read(child, reader)
        elif tag == T_CURRENCY:
            if currency is not None:
                raise repeated(child)
            currency = STRING.read(child, reader)
        elif tag == T_SUB_PUBLISHER:
            if sub_publisher is not None:
                raise repeated(child)
            sub_publisher = read_sub_publisher_type(child, reader)
        elif tag == T_GPPS:
            if gpps is not None:
                raise repeated(child)
            gpps = read_list(child, reader, T_GPP, read_gpp_type)
        elif tag == T_REVIEW_NOTE:
            if review_note is not None:
                raise repeated(child)
            review_note = STRING.read(child, reader)
        elif tag == T_TRACKING_CATEGORY:
            if tracking_category is not None:
                raise repeated(child)
            tracking_category = read_sub_string_identifier_type(child, reader)
        else:
            reader.unknown_element(child)
    if review_state is None:
        raise absent(node, "reviewState")
    if adspace is None:
        raise absent(node, "adspace")
    if admedium is None:
        raise absent(node, "admedium")
    if program is None:
        raise absent(node, "program")
    if click_id is None:
        raise absent(node, "clickId")
    if click_in_id is None:
        raise absent(node, "clickInId")
    if amount is None:
        raise absent(node, "amount")
    if commission is None:
        raise absent(node, "commission")
    if currency is None:
        raise absent(node, "currency")
    return SaleItem(
        id=id,
        review_state=review_state,
        tracking_date=tracking_date,
        modified_date=modified_date,
        click_date=click_date,
        adspace=adspace,
        admedium=admedium,
        program=program,
        click_id=click_id,
        click_in_id=click_in_id,
        amount=amount,
        commission=commission,
        currency=currency,
        sub_publisher=sub_publisher,
        gpps=gpps,
        review_note=review_note,
        tracking_category=tracking_category,
    )


def write_sale_item(value: SaleItem, writer: Writer, path: str) -> Wire:
    expect(value, SaleItem, path)
    wire: Wire = {}
    if value.id is not None:
        wire["@id"] = write(value.id, f"{path}/@id", STRING)
    if value.review_state is None:
        raise required(f"{path}/reviewState")
    wire["reviewState"] = write_choice(value.review_state, f"{path}/reviewState", C_REVIEW_STATE)
    if value.tracking_date is not None:
        wire["trackingDate"] = write(value.tracking_date, f"{path}/trackingDate", DATE_TIME)
    if value.modified_date is not None:
        wire["modifiedDate"] = write(value.modified_date, f"{path}/modifiedDate", DATE_TIME)
    if value.click_date is not None:
        wire["clickDate"] = write(value.click_date, f"{path}/clickDate", DATE_TIME)
    if value.adspace is None:
        raise required(f"{path}/adspace")
    wire["adspace"] = write_sub_string_identifier_type(value.adspace, writer, f"{path}/adspace")
    if value.admedium is None:
        raise required(f"{path}/admedium")
    wire["admedium"] = write_sub_string_identifier_type(value.admedium, writer, f"{path}/admedium")
    if value.program is None:
        raise required(f"{path}/program")
    wire["program"] = write_sub_string_identifier_type(value.program, writer, f"{path}/program")
    if value.click_id is None:
        raise required(f"{path}/clickId")
    wire["clickId"] = write(value.click_id, f"{path}/clickId", LONG)
    if value.click_in_id is None:
        raise required(f"{path}/clickInId")
    wire["clickInId"] = write(value.click_in_id, f"{path}/clickInId", LONG)
    if value.amount is None:
        raise required(f"{path}/amount")
    wire["amount"] = write(value.amount, f"{path}/amount", EXACT_DOUBLE)
    if value.commission is None:
        raise required(f"{path}/commission")
    wire["commission"] = write(value.commission, f"{path}/commission", EXACT_DOUBLE)
    if value.currency is None:
        raise required(f"{path}/currency")
    wire["currency"] = write(value.currency, f"{path}/currency", STRING)
    if value.sub_publisher is not None:
        wire["subPublisher"] = write_sub_publisher_type(value.sub_publisher, writer, f"{path}/subPublisher")
    if value.gpps is not None:
        wire["gpps"] = {"gpp": write_list(value.gpps, f"{path}/gpps", writer, write_gpp_type)}
    if value.review_note is not None:
        wire["reviewNote"] = write(value.review_note, f"{path}/reviewNote", STRING)
    if value.tracking_category is not None:
        wire["trackingCategory"] = write_sub_string_identifier_type(
            value.tracking_category, writer, f"{path}/trackingCategory"
        )
    return wire


def read_setting_item(node: Node, reader: Reader) -> SettingItem:
    no_attributes(node, reader)
    application: SubStringIdentifierStringType | None = None
    mediaslot: SubStringIdentifierStringType | None = None
    key: str | None = None
    value: str | None = None
    custom_value: str | None = None
    type: SettingType | str | None = None
    name: str | None = None
    description: str | None = None
    mandatory: bool | None = None
    for child in node:
        tag = child.tag
        if tag == T_APPLICATION:
            if application is not None:
                raise repeated(child)
            application = read_sub_string_identifier_string_type(child, reader)
        elif tag == T_MEDIASLOT:
            if mediaslot is not None:
                raise repeated(child)
            mediaslot = read_sub_string_identifier_string_type(child, reader)
        elif tag == T_KEY:
            if key is not None:
                raise repeated(child)
            key = STRING.read(child, reader)
        elif tag == T_VALUE:
            if value is not None:
                raise repeated(child)
            value = STRING.read(child, reader)
        elif tag == T_CUSTOM_VALUE:
            if custom_value is not None:
                raise repeated(child)
            custom_value = STRING.read(child, reader)
        elif tag == T_TYPE:
            if type is not None:
                raise repeated(child)
            type = C_SETTING_TYPE.read(child, reader)
        elif tag == T_NAME:
            if name is not None:
                raise repeated(child)
            name = STRING.read(child, reader)
        elif tag == T_DESCRIPTION:
            if description is not None:
                raise repeated(child)
            description = STRING.read(child, reader)
        elif tag == T_MANDATORY:
            if mandatory is not None:
                raise repeated(child)
            mandatory = BOOLEAN.or_default(child, reader, "false")
        else:
            reader.unknown_element(child)
    if application is None:
        raise absent(node, "application")
    if key is None:
        raise absent(node, "key")
    return SettingItem(
        application=application,
        mediaslot=mediaslot,
        key=key,
        value=value,
        custom_value=custom_value,
        type=type,
        name=name,
        description=description,
        mandatory=mandatory,
    )


def write_setting_item(value: SettingItem, writer: Writer, path: str) -> Wire:
    expect(value, SettingItem, path)
    wire: Wire = {}
    if value.application is None:
        raise required(f"{path}/application")
    wire["application"] = write_sub_string_identifier_string_type(
        value.application, writer, f"{path}/application"
    )
    if value.mediaslot is not None:
        wire["mediaslot"] = write_sub_string_identifier_string_type(
            value.mediaslot, writer, f"{path}/mediaslot"
        )
    if value.key is None:
        raise required(f"{path}/key")
    wire["key"] = write(value.key, f"{path}/key", STRING)
    if value.value is not None:
        wire["value"] = write(value.value, f"{path}/value", STRING)
    if value.custom_value is not None:
        wire["customValue"] = write(value.custom_value, f"{path}/customValue", STRING)
    if value.type is not None:
        wire["type"] = write_choice(value.type, f"{path}/type", C_SETTING_TYPE)
    if value.name is not None:
        wire["name"] = write(value.name, f"{path}/name", STRING)
    if value.description is not None:
        wire["description"] = write(value.description, f"{path}/description", STRING)
    if value.mandatory is not None:
        wire["mandatory"] = write(value.mandatory, f"{path}/mandatory", BOOLEAN)
    return wire


def read_size_type(node: Node, reader: Reader) -> SizeType:
    no_attributes(node, reader)
    width: int | None = None
    height: int | None = None
    format: SubStringIdentifierType | None = None
    for child in node:
        tag = child.tag
        if tag == T_WIDTH:
            if width is not None:
                raise repeated(child)
            width = INT.read(child, reader)
        elif tag == T_HEIGHT:
            if height is not None:
                raise repeated(child)
            height = INT.read(child, reader)
        elif tag == T_FORMAT:
            if format is not None:
                raise repeated(child)
            format = read_sub_string_identifier_type(child, reader)
        else:
            reader.unknown_element(child)
    return SizeType(
        width=width,
        height=height,
        format=format,
    )


def write_size_type(value: SizeType, writer: Writer, path: str) -> Wire:
    expect(value, SizeType, path)
    wire: Wire = {}
    if value.width is not None:
        wire["width"] = write(value.width, f"{path}/width", INT)
    if value.height is not None:
        wire["height"] = write(value.height, f"{path}/height", INT)
    if value.format is not None:
        wire["format"] = write_sub_string_identifier_type(value.format, writer, f"{path}/format")
    return wire


def read_stats_type(node: Node, reader: Reader) -> StatsType:
    no_attributes(node, reader)
    view_count: int | None = None
    tpv_count: int | None = None
    click_count: int | None = None
    click_commission: Decimal | None = None
    lead_count: int | None = None
    lead_commission: Decimal | None = None
    sale_count: int | None = None
    sale_commission: Decimal | None = None
    sale_amount: Decimal | None = None
    for child in node:
        tag = child.tag
        if tag == T_VIEW_COUNT:
            if view_count is not None:
                raise repeated(child)
            view_count = LONG.read(child, reader)
        elif tag == T_TPV_COUNT:
            if tpv_count is not None:
                raise repeated(child)
            tpv_count = LONG.read(child, reader)
        elif tag == T_CLICK_COUNT:
            if click_count is not None:
                raise repeated(child)
            click_count = LONG.read(child, reader)
        elif tag == T_CLICK_COMMISSION:
            if click_commission is not None:
                raise repeated(child)
            click_commission = EXACT_DOUBLE.read(child, reader)
        elif tag == T_LEAD_COUNT:
            if lead_count is not None:
                raise repeated(child)
            lead_count = LONG.read(child, reader)
        elif tag == T_LEAD_COMMISSION:
            if lead_commission is not None:
                raise repeated(child)
            lead_commission = EXACT_DOUBLE.read(child, reader)
        elif tag == T_SALE_COUNT:
            if sale_count is not None:
                raise repeated(child)
            sale_count = LONG.read(child, reader)
        elif tag == T_SALE_COMMISSION:
            if sale_commission is not None:
                raise repeated(child)
            sale_commission = EXACT_DOUBLE.read(child, reader)
        elif tag == T_SALE_AMOUNT:
            if sale_amount is not None:
                raise repeated(child)
            sale_amount = EXACT_DOUBLE.read(child, reader)
        else:
            reader.unknown_element(child)
    return StatsType(
        view_count=view_count,
        tpv_count=tpv_count,
        click_count=click_count,
        click_commission=click_commission,
        lead_count=lead_count,
        lead_commission=lead_commission,
        sale_count=sale_count,
        sale_commission=sale_commission,
        sale_amount=sale_amount,
    )


def write_stats_type(value: StatsType, writer: Writer, path: str) -> Wire:
    expect(value, StatsType, path)
    wire: Wire = {}
    if value.view_count is not None:
        wire["viewCount"] = write(value.view_count, f"{path}/viewCount", LONG)
    if value.tpv_count is not None:
        wire["tpvCount"] = write(value.tpv_count, f"{path}/tpvCount", LONG)
    if value.click_count is not None:
        wire["clickCount"] = write(value.click_count, f"{path}/clickCount", LONG)
    if value.click_commission is not None:
        wire["clickCommission"] = write(value.click_commission, f"{path}/clickCommission", EXACT_DOUBLE)
    if value.lead_count is not None:
        wire["leadCount"] = write(value.lead_count, f"{path}/leadCount", LONG)
    if value.lead_commission is not None:
        wire["leadCommission"] = write(value.lead_commission, f"{path}/leadCommission", EXACT_DOUBLE)
    if value.sale_count is not None:
        wire["saleCount"] = write(value.sale_count, f"{path}/saleCount", LONG)
    if value.sale_commission is not None:
        wire["saleCommission"] = write(value.sale_commission, f"{path}/saleCommission", EXACT_DOUBLE)
    if value.sale_amount is not None:
        wire["saleAmount"] = write(value.sale_amount, f"{path}/saleAmount", EXACT_DOUBLE)
    return wire


def read_sub_publisher_type(node: Node, reader: Reader) -> SubPublisherType:
    id: str | None = None
    for attribute, raw in node.items():
        if attribute == "id":
            id = STRING.attribute(node, reader, attribute, raw)
        else:
            reader.unknown_attribute(node, attribute)
    commission: Decimal | None = None
    for child in node:
        tag = child.tag
        if tag == T_COMMISSION:
            if commission is not None:
                raise repeated(child)
            commission = EXACT_DOUBLE.read(child, reader)
        else:
            reader.unknown_element(child)
    return SubPublisherType(
        id=id,
        commission=commission,
    )


def write_sub_publisher_type(value: SubPublisherType, writer: Writer, path: str) -> Wire:
    expect(value, SubPublisherType, path)
    wire: Wire = {}
    if value.id is not None:
        wire["@id"] = write(value.id, f"{path}/@id", STRING)
    if value.commission is not None:
        wire["commission"] = write(value.commission, f"{path}/commission", EXACT_DOUBLE)
    return wire


def read_sub_string_identifier_string_type(node: Node, reader: Reader) -> SubStringIdentifierStringType:
    id: str | None = None
    for attribute, raw in node.items():
        if attribute == "id":
            id = STRING.attribute(node, reader, attribute, raw)
        else:
            reader.unknown_attribute(node, attribute)
    if id is None:
        raise absent(node, "@id")
    return SubStringIdentifierStringType(
        id=id,
        value=STRING.content(node, reader),
    )


def write_sub_string_identifier_string_type(
    value: SubStringIdentifierStringType, writer: Writer, path: str
) -> Wire:
    expect(value, SubStringIdentifierStringType, path)
    wire: Wire = {}
    if value.id is None:
        raise required(f"{path}/@id")
    wire["@id"] = write(value.id, f"{path}/@id", STRING)
    if value.value is None:
        raise required(path)
    wire["$"] = write(value.value, path, STRING)
    return wire


def read_sub_string_identifier_type(node: Node, reader: Reader) -> SubStringIdentifierType:
    id: int | None = None
    for attribute, raw in node.items():
        if attribute == "id":
            id = INT.attribute(node, reader, attribute, raw)
        else:
            reader.unknown_attribute(node, attribute)
    if id is None:
        raise absent(node, "@id")
    return SubStringIdentifierType(
        id=id,
        value=STRING.content(node, reader),
    )


def write_sub_string_identifier_type(value: SubStringIdentifierType, writer: Writer, path: str) -> Wire:
    expect(value, SubStringIdentifierType, path)
    wire: Wire = {}
    if value.id is None:
        raise required(f"{path}/@id")
    wire["@id"] = write(value.id, f"{path}/@id", INT)
    if value.value is None:
        raise required(path)
    wire["$"] = write(value.value, path, STRING)
    return wire


def read_sub_string_identifier_type_with_status(
    node: Node, reader: Reader
) -> SubStringIdentifierTypeWithStatus:
    id: int | None = None
    active: bool | None = None
    for attribute, raw in node.items():
        if attribute == "id":
            id = INT.attribute(node, reader, attribute, raw)
        elif attribute == "active":
            active = BOOLEAN.attribute(node, reader, attribute, raw)
        else:
            reader.unknown_attribute(node, attribute)
    if id is None:
        raise absent(node, "@id")
    return SubStringIdentifierTypeWithStatus(
        id=id,
        value=STRING.content(node, reader),
        active=active,
    )


def write_sub_string_identifier_type_with_status(
    value: SubStringIdentifierTypeWithStatus, writer: Writer, path: str
) -> Wire:
    expect(value, SubStringIdentifierTypeWithStatus, path)
    wire: Wire = {}
    if value.id is None:
        raise required(f"{path}/@id")
    wire["@id"] = write(value.id, f"{path}/@id", INT)
    if value.value is None:
        raise required(path)
    wire["$"] = write(value.value, path, STRING)
    if value.active is not None:
        wire["@active"] = write(value.active, f"{path}/@active", BOOLEAN)
    return wire


def read_tracking_category_item(node: Node, reader: Reader) -> TrackingCategoryItem:
    id: str | None = None
    for attribute, raw in node.items():
        if attribute == "id":
            id = STRING.attribute(node, reader, attribute, raw)
        else:
            reader.unknown_attribute(node, attribute)
    name: str | None = None
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
    for child in node:
        tag = child.tag
        if tag == T_NAME:
            if name is not None:
                raise repeated(child)
            name = STRING.read(child, reader)
        elif tag == T_PROGRAM:
            if program is not None:
                raise repeated(child)
            program = read_sub_string_identifier_type(child, reader)
        elif tag == T_ADSPACE:
            if adspace is not None:
                raise repeated(child)
            adspace = read_sub_string_identifier_type(child, reader)
        elif tag == T_TRANSACTION_TYPE:
            if transaction_type is not None:
                raise repeated(child)
            transaction_type = C_TRANSACTION_TYPE.read(child, reader)
        elif tag == T_PROCESSING_TIME:
            if processing_time is not None:
                raise repeated(child)
            processing_time = STRING.read(child, reader)
        elif tag == T_DESCRIPTION:
            if description is not None:
                raise repeated(child)
            description = STRING.read(child, reader)
        elif tag == T_VIEW_FIXED:
            if view_fixed is not None:
                raise repeated(child)
            view_fixed = EXACT_FLOAT.read(child, reader)
        elif tag == T_CLICK_FIXED:
            if click_fixed is not None:
                raise repeated(child)
            click_fixed = EXACT_FLOAT.read(child, reader)
        elif tag == T_LEAD_FIXED:
            if lead_fixed is not None:
                raise repeated(child)
            lead_fixed = EXACT_FLOAT.read(child, reader)
        elif tag == T_SALE_FIXED:
            if sale_fixed is not None:
                raise repeated(child)
            sale_fixed = EXACT_FLOAT.read(child, reader)
        elif tag == T_SALE_PERCENT:
            if sale_percent is not None:
                raise repeated(child)
            sale_percent = EXACT_FLOAT.read(child, reader)
        else:
            reader.unknown_element(child)
    if id is None:
        raise absent(node, "@id")
    if name is None:
        raise absent(node, "name")
    return TrackingCategoryItem(
        id=id,
        name=name,
        program=program,
        adspace=adspace,
        transaction_type=transaction_type,
        processing_time=processing_time,
        description=description,
        view_fixed=view_fixed,
        click_fixed=click_fixed,
        lead_fixed=lead_fixed,
        sale_fixed=sale_fixed,
        sale_percent=sale_percent,
    )


def write_tracking_category_item(value: TrackingCategoryItem, writer: Writer, path: str) -> Wire:
    expect(value, TrackingCategoryItem, path)
    wire: Wire = {}
    if value.id is None:
        raise required(f"{path}/@id")
    wire["@id"] = write(value.id, f"{path}/@id", STRING)
    if value.name is None:
        raise required(f"{path}/name")
    wire["name"] = write(value.name, f"{path}/name", STRING)
    if value.program is not None:
        wire["program"] = write_sub_string_identifier_type(value.program, writer, f"{path}/program")
    if value.adspace is not None:
        wire["adspace"] = write_sub_string_identifier_type(value.adspace, writer, f"{path}/adspace")
    if value.transaction_type is not None:
        wire["transactionType"] = write_choice(
            value.transaction_type, f"{path}/transactionType", C_TRANSACTION_TYPE
        )
    if value.processing_time is not None:
        wire["processingTime"] = write(value.processing_time, f"{path}/processingTime", STRING)
    if value.description is not None:
        wire["description"] = write(value.description, f"{path}/description", STRING)
    if value.view_fixed is not None:
        wire["viewFixed"] = write(value.view_fixed, f"{path}/viewFixed", EXACT_FLOAT)
    if value.click_fixed is not None:
        wire["clickFixed"] = write(value.click_fixed, f"{path}/clickFixed", EXACT_FLOAT)
    if value.lead_fixed is not None:
        wire["leadFixed"] = write(value.lead_fixed, f"{path}/leadFixed", EXACT_FLOAT)
    if value.sale_fixed is not None:
        wire["saleFixed"] = write(value.sale_fixed, f"{path}/saleFixed", EXACT_FLOAT)
    if value.sale_percent is not None:
        wire["salePercent"] = write(value.sale_percent, f"{path}/salePercent", EXACT_FLOAT)
    return wire


def read_tracking_link_type(node: Node, reader: Reader) -> TrackingLinkType:
    adspace_id: int | None = None
    for attribute, raw in node.items():
        if attribute == "adspaceId":
            adspace_id = INT.attribute(node, reader, attribute, raw)
        else:
            reader.unknown_attribute(node, attribute)
    ppv: str | None = None
    ppc: str | None = None
    tpv: str | None = None
    for child in node:
        tag = child.tag
        if tag == T_PPV:
            if ppv is not None:
                raise repeated(child)
            ppv = STRING.read(child, reader)
        elif tag == T_PPC:
            if ppc is not None:
                raise repeated(child)
            ppc = STRING.read(child, reader)
        elif tag == T_TPV:
            if tpv is not None:
                raise repeated(child)
            tpv = STRING.read(child, reader)
        else:
            reader.unknown_element(child)
    if ppv is None:
        raise absent(node, "ppv")
    if ppc is None:
        raise absent(node, "ppc")
    return TrackingLinkType(
        adspace_id=adspace_id,
        ppv=ppv,
        ppc=ppc,
        tpv=tpv,
    )


def write_tracking_link_type(value: TrackingLinkType, writer: Writer, path: str) -> Wire:
    expect(value, TrackingLinkType, path)
    wire: Wire = {}
    if value.adspace_id is not None:
        wire["@adspaceId"] = write(value.adspace_id, f"{path}/@adspaceId", INT)
    if value.ppv is None:
        raise required(f"{path}/ppv")
    wire["ppv"] = write(value.ppv, f"{path}/ppv", STRING)
    if value.ppc is None:
        raise required(f"{path}/ppc")
    wire["ppc"] = write(value.ppc, f"{path}/ppc", STRING)
    if value.tpv is not None:
        wire["tpv"] = write(value.tpv, f"{path}/tpv", STRING)
    return wire


def read_program_industries_type(node: Node, reader: Reader) -> ProgramIndustriesType:
    no_attributes(node, reader)
    main: SubStringIdentifierType | None = None
    sub: list[SubStringIdentifierType] = []
    for child in node:
        tag = child.tag
        if tag == T_MAIN:
            if main is not None:
                raise repeated(child)
            main = read_sub_string_identifier_type(child, reader)
        elif tag == T_SUB:
            sub.append(read_sub_string_identifier_type(child, reader))
        else:
            reader.unknown_element(child)
    return ProgramIndustriesType(
        main=main,
        sub=sub,
    )


def write_program_industries_type(value: ProgramIndustriesType, writer: Writer, path: str) -> Wire:
    expect(value, ProgramIndustriesType, path)
    wire: Wire = {}
    if value.main is not None:
        wire["main"] = write_sub_string_identifier_type(value.main, writer, f"{path}/main")
    if values := write_list(value.sub, f"{path}/sub", writer, write_sub_string_identifier_type):
        wire["sub"] = values
    return wire


def read_program_commission_type(node: Node, reader: Reader) -> ProgramCommissionType:
    no_attributes(node, reader)
    click_max: Decimal | None = None
    click_min: Decimal | None = None
    lead_max: Decimal | None = None
    lead_min: Decimal | None = None
    sale_fix_max: Decimal | None = None
    sale_fix_min: Decimal | None = None
    sale_percent_max: Decimal | None = None
    sale_percent_min: Decimal | None = None
    for child in node:
        tag = child.tag
        if tag == T_CLICK_MAX:
            if click_max is not None:
                raise repeated(child)
            click_max = EXACT_FLOAT.read(child, reader)
        elif tag == T_CLICK_MIN:
            if click_min is not None:
                raise repeated(child)
            click_min = EXACT_FLOAT.read(child, reader)
        elif tag == T_LEAD_MAX:
            if lead_max is not None:
                raise repeated(child)
            lead_max = EXACT_FLOAT.read(child, reader)
        elif tag == T_LEAD_MIN:
            if lead_min is not None:
                raise repeated(child)
            lead_min = EXACT_FLOAT.read(child, reader)
        elif tag == T_SALE_FIX_MAX:
            if sale_fix_max is not None:
                raise repeated(child)
            sale_fix_max = EXACT_FLOAT.read(child, reader)
        elif tag == T_SALE_FIX_MIN:
            if sale_fix_min is not None:
                raise repeated(child)
            sale_fix_min = EXACT_FLOAT.read(child, reader)
        elif tag == T_SALE_PERCENT_MAX:
            if sale_percent_max is not None:
                raise repeated(child)
            sale_percent_max = EXACT_FLOAT.read(child, reader)
        elif tag == T_SALE_PERCENT_MIN:
            if sale_percent_min is not None:
                raise repeated(child)
            sale_percent_min = EXACT_FLOAT.read(child, reader)
        else:
            reader.unknown_element(child)
    return ProgramCommissionType(
        click_max=click_max,
        click_min=click_min,
        lead_max=lead_max,
        lead_min=lead_min,
        sale_fix_max=sale_fix_max,
        sale_fix_min=sale_fix_min,
        sale_percent_max=sale_percent_max,
        sale_percent_min=sale_percent_min,
    )


def write_program_commission_type(value: ProgramCommissionType, writer: Writer, path: str) -> Wire:
    expect(value, ProgramCommissionType, path)
    wire: Wire = {}
    if value.click_max is not None:
        wire["clickMax"] = write(value.click_max, f"{path}/clickMax", EXACT_FLOAT)
    if value.click_min is not None:
        wire["clickMin"] = write(value.click_min, f"{path}/clickMin", EXACT_FLOAT)
    if value.lead_max is not None:
        wire["leadMax"] = write(value.lead_max, f"{path}/leadMax", EXACT_FLOAT)
    if value.lead_min is not None:
        wire["leadMin"] = write(value.lead_min, f"{path}/leadMin", EXACT_FLOAT)
    if value.sale_fix_max is not None:
        wire["saleFixMax"] = write(value.sale_fix_max, f"{path}/saleFixMax", EXACT_FLOAT)
    if value.sale_fix_min is not None:
        wire["saleFixMin"] = write(value.sale_fix_min, f"{path}/saleFixMin", EXACT_FLOAT)
    if value.sale_percent_max is not None:
        wire["salePercentMax"] = write(value.sale_percent_max, f"{path}/salePercentMax", EXACT_FLOAT)
    if value.sale_percent_min is not None:
        wire["salePercentMin"] = write(value.sale_percent_min, f"{path}/salePercentMin", EXACT_FLOAT)
    return wire


def read_basket_item(node: Node, reader: Reader) -> BasketItem:
    no_attributes(node, reader)
    product_name: str | None = None
    tracking_category: SubStringIdentifierType | None = None
    amount: Decimal | None = None
    commission: Decimal | None = None
    currency: str | None = None
    for child in node:
        tag = child.tag
        if tag == T_PRODUCT_NAME:
            if product_name is not None:
                raise repeated(child)
            product_name = STRING.read(child, reader)
        elif tag == T_TRACKING_CATEGORY:
            if tracking_category is not None:
                raise repeated(child)
            tracking_category = read_sub_string_identifier_type(child, reader)
        elif tag == T_AMOUNT:
            if amount is not None:
                raise repeated(child)
            amount = EXACT_DOUBLE.read(child, reader)
        elif tag == T_COMMISSION:
            if commission is not None:
                raise repeated(child)
            commission = EXACT_DOUBLE.read(child, reader)
        elif tag == T_CURRENCY:
            if currency is not None:
                raise repeated(child)
            currency = STRING.read(child, reader)
        else:
            reader.unknown_element(child)
    if product_name is None:
        raise absent(node, "productName")
    if amount is None:
        raise absent(node, "amount")
    if commission is None:
        raise absent(node, "commission")
    return BasketItem(
        product_name=product_name,
        tracking_category=tracking_category,
        amount=amount,
        commission=commission,
        currency=currency,
    )


def write_basket_item(value: BasketItem, writer: Writer, path: str) -> Wire:
    expect(value, BasketItem, path)
    wire: Wire = {}
    if value.product_name is None:
        raise required(f"{path}/productName")
    wire["productName"] = write(value.product_name, f"{path}/productName", STRING)
    if value.tracking_category is not None:
        wire["trackingCategory"] = write_sub_string_identifier_type(
            value.tracking_category, writer, f"{path}/trackingCategory"
        )
    if value.amount is None:
        raise required(f"{path}/amount")
    wire["amount"] = write(value.amount, f"{path}/amount", EXACT_DOUBLE)
    if value.commission is None:
        raise required(f"{path}/commission")
    wire["commission"] = write(value.commission, f"{path}/commission", EXACT_DOUBLE)
    if value.currency is not None:
        wire["currency"] = write(value.currency, f"{path}/currency", STRING)
    return wire


def read_get_sale_basket_request(node: Node, reader: Reader) -> GetSaleBasketRequest:
    no_attributes(node, reader)
    sale_id: str | None = None
    for child in node:
        tag = child.tag
        if tag == T_SALE_ID:
            if sale_id is not None:
                raise repeated(child)
            sale_id = STRING.read(child, reader)
        else:
            reader.unknown_element(child)
    if sale_id is None:
        raise absent(node, "saleId")
    return GetSaleBasketRequest(
        sale_id=sale_id,
    )


def write_get_sale_basket_request(value: GetSaleBasketRequest, writer: Writer, path: str) -> Wire:
    expect(value, GetSaleBasketRequest, path)
    wire: Wire = {}
    if value.sale_id is None:
        raise required(f"{path}/saleId")
    wire["saleId"] = write(value.sale_id, f"{path}/saleId", STRING)
    return wire


def read_get_sale_basket_response(node: Node, reader: Reader) -> GetSaleBasketResponse:
    no_attributes(node, reader)
    basket_items: list[BasketItem] | None = None
    for child in node:
        tag = child.tag
        if tag == T_BASKET_ITEMS:
            if basket_items is not None:
                raise repeated(child)
            basket_items = read_list(child, reader, T_BASKET_ITEM, read_basket_item)
        else:
            reader.unknown_element(child)
    return GetSaleBasketResponse(
        basket_items=basket_items,
    )


def write_get_sale_basket_response(value: GetSaleBasketResponse, writer: Writer, path: str) -> Wire:
    expect(value, GetSaleBasketResponse, path)
    wire: Wire = {}
    if value.basket_items is not None:
        wire["basketItems"] = {
            "basketItem": write_list(value.basket_items, f"{path}/basketItems", writer, write_basket_item)
        }
    return wire
