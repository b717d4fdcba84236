# Made by `bindgen generate publisher`. Do not edit: change the contract, run it again.
# contract: https://publisher.invalid/wsdl/2011-03-01
# its sha256: f0c7e16de9b30f837d2f73846452df6dc045765562e183ee3cdb2df3dd8fe115
# sha256 of the schema beside it: 3c1132b649756047e411e7c474dba3f758ba2d30c37b5fc8cdb22a8771cacd60
# sha256 of its settings in contracts.toml: 07c220246075913c79552a80cfbd10bf1952b7b89e5b91f689d711f58e94e05e
"""The operations of publisher 2011-03-01."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager

from soapclient.runtime.operation import (
    AnyOperation,
    Caller,
    ItemPages,
    ItemStream,
    ListOperation,
    OnPage,
    Operation,
    PageCaller,
    PageFields,
    StreamCaller,
)
from soapclient.runtime.writing import copied
from zxws.publisher import rest
from zxws.publisher.codec import (
    read_admedium_item,
    read_adspace_item,
    read_application_item,
    read_balance_item,
    read_bank_account_item,
    read_basket_item,
    read_create_adspace_request,
    read_create_adspace_response,
    read_create_application_request,
    read_create_application_response,
    read_create_media_slot_request,
    read_create_media_slot_response,
    read_create_program_application_request,
    read_create_program_application_response,
    read_create_setting_request,
    read_create_setting_response,
    read_delete_adspace_request,
    read_delete_adspace_response,
    read_delete_application_request,
    read_delete_application_response,
    read_delete_media_slot_request,
    read_delete_media_slot_response,
    read_delete_program_application_request,
    read_delete_program_application_response,
    read_delete_setting_request,
    read_delete_setting_response,
    read_get_admedia_request,
    read_get_admedia_response,
    read_get_admedium_categories_request,
    read_get_admedium_categories_response,
    read_get_admedium_request,
    read_get_admedium_response,
    read_get_adspace_request,
    read_get_adspace_response,
    read_get_adspaces_request,
    read_get_adspaces_response,
    read_get_application_request,
    read_get_application_response,
    read_get_applications_request,
    read_get_applications_response,
    read_get_balance_request,
    read_get_balance_response,
    read_get_balances_request,
    read_get_balances_response,
    read_get_bank_account_request,
    read_get_bank_account_response,
    read_get_bank_accounts_request,
    read_get_bank_accounts_response,
    read_get_exclusive_incentive_request,
    read_get_exclusive_incentive_response,
    read_get_incentive_request,
    read_get_incentive_response,
    read_get_lead_request,
    read_get_lead_response,
    read_get_leads_request,
    read_get_leads_response,
    read_get_media_slot_request,
    read_get_media_slot_response,
    read_get_media_slots_request,
    read_get_media_slots_response,
    read_get_payment_request,
    read_get_payment_response,
    read_get_payments_request,
    read_get_payments_response,
    read_get_product_categories_request,
    read_get_product_categories_response,
    read_get_product_request,
    read_get_product_response,
    read_get_profile_request,
    read_get_profile_response,
    read_get_program_applications_request,
    read_get_program_applications_response,
    read_get_program_categories_request,
    read_get_program_categories_response,
    read_get_program_request,
    read_get_program_response,
    read_get_report_basic_request,
    read_get_report_basic_response,
    read_get_sale_basket_request,
    read_get_sale_basket_response,
    read_get_sale_request,
    read_get_sale_response,
    read_get_sales_request,
    read_get_sales_response,
    read_get_setting_request,
    read_get_setting_response,
    read_get_settings_request,
    read_get_settings_response,
    read_get_tracking_categories_request,
    read_get_tracking_categories_response,
    read_incentive_item,
    read_lead_item,
    read_media_slot_item,
    read_payment_item,
    read_product_category_type,
    read_product_item,
    read_program_application_item,
    read_program_item,
    read_report_item,
    read_sale_item,
    read_search_exclusive_incentives_request,
    read_search_exclusive_incentives_response,
    read_search_incentives_request,
    read_search_incentives_response,
    read_search_products_request,
    read_search_products_response,
    read_search_programs_request,
    read_search_programs_response,
    read_setting_item,
    read_sub_string_identifier_type,
    read_tracking_category_item,
    read_update_adspace_request,
    read_update_adspace_response,
    read_update_application_request,
    read_update_application_response,
    read_update_media_slot_request,
    read_update_media_slot_response,
    read_update_profile_request,
    read_update_profile_response,
    read_update_setting_request,
    read_update_setting_response,
    write_create_adspace_request,
    write_create_application_request,
    write_create_media_slot_request,
    write_create_program_application_request,
    write_create_setting_request,
    write_delete_adspace_request,
    write_delete_application_request,
    write_delete_media_slot_request,
    write_delete_program_application_request,
    write_delete_setting_request,
    write_get_admedia_request,
    write_get_admedium_categories_request,
    write_get_admedium_request,
    write_get_adspace_request,
    write_get_adspaces_request,
    write_get_application_request,
    write_get_applications_request,
    write_get_balance_request,
    write_get_balances_request,
    write_get_bank_account_request,
    write_get_bank_accounts_request,
    write_get_exclusive_incentive_request,
    write_get_incentive_request,
    write_get_lead_request,
    write_get_leads_request,
    write_get_media_slot_request,
    write_get_media_slots_request,
    write_get_payment_request,
    write_get_payments_request,
    write_get_product_categories_request,
    write_get_product_request,
    write_get_profile_request,
    write_get_program_applications_request,
    write_get_program_categories_request,
    write_get_program_request,
    write_get_report_basic_request,
    write_get_sale_basket_request,
    write_get_sale_request,
    write_get_sales_request,
    write_get_setting_request,
    write_get_settings_request,
    write_get_tracking_categories_request,
    write_search_exclusive_incentives_request,
    write_search_incentives_request,
    write_search_products_request,
    write_search_programs_request,
    write_update_adspace_request,
    write_update_application_request,
    write_update_media_slot_request,
    write_update_profile_request,
    write_update_setting_request,
)
from zxws.publisher.types import (
    AdmediaPurpose,
    AdmediaPurposeValue,
    AdmediaType,
    AdmediaTypeValue,
    AdmediumItem,
    AdspaceItem,
    ApplicationItem,
    ApplicationType,
    ApplicationTypeValue,
    BalanceItem,
    BankAccountItem,
    BasketItem,
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
    DateTypeValue,
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
    GroupBy,
    GroupByValue,
    IncentiveItem,
    IncentiveType,
    IncentiveTypeValue,
    LeadItem,
    MediaSlotItem,
    PartnerShip,
    PartnerShipValue,
    PaymentItem,
    ProductCategoryType,
    ProductItem,
    ProductPartnership,
    ProductPartnershipValue,
    ProfileItem,
    ProfileItemChanges,
    ProgramApplicationItem,
    ProgramApplicationStatus,
    ProgramApplicationStatusValue,
    ProgramItem,
    ReportItem,
    ReviewState,
    ReviewStateValue,
    RoleType,
    RoleTypeValue,
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
    SearchTypeValue,
    SettingItem,
    SizeType,
    SubStringIdentifierType,
    TrackingCategoryItem,
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

CREATE_ADSPACE: Operation[CreateAdspaceRequest, CreateAdspaceResponse] = Operation(
    contract="publisher",
    name="CreateAdspace",
    method="create_adspace",
    signed=True,
    safe=False,
    soap_action="http://api.zanox.com/namespace/2011-03-01/CreateAdspace",
    request_tag="{http://api.zanox.com/namespace/2011-03-01/}CreateAdspaceRequest",
    reply_tag="{http://api.zanox.com/namespace/2011-03-01/}CreateAdspaceResponse",
    authentication=("connectId", "timestamp", "nonce", "signature"),
    write_request=write_create_adspace_request,
    read_request=read_create_adspace_request,
    read_reply=read_create_adspace_response,
    rest=rest.CREATE_ADSPACE,
)

CREATE_APPLICATION: Operation[CreateApplicationRequest, CreateApplicationResponse] = Operation(
    contract="publisher",
    name="CreateApplication",
    method="create_application",
    signed=True,
    safe=False,
    soap_action="http://api.zanox.com/namespace/2011-03-01/CreateApplication",
    request_tag="{http://api.zanox.com/namespace/2011-03-01/}CreateApplicationRequest",
    reply_tag="{http://api.zanox.com/namespace/2011-03-01/}CreateApplicationResponse",
    authentication=("connectId", "timestamp", "nonce", "signature"),
    write_request=write_create_application_request,
    read_request=read_create_application_request,
    read_reply=read_create_application_response,
)

CREATE_MEDIA_SLOT: Operation[CreateMediaSlotRequest, CreateMediaSlotResponse] = Operation(
    contract="publisher",
    name="CreateMediaSlot",
    method="create_media_slot",
    signed=True,
    safe=False,
    soap_action="http://api.zanox.com/namespace/2011-03-01/CreateMediaSlot",
    request_tag="{http://api.zanox.com/namespace/2011-03-01/}CreateMediaSlotRequest",
    reply_tag="{http://api.zanox.com/namespace/2011-03-01/}CreateMediaSlotResponse",
    authentication=("connectId", "timestamp", "nonce", "signature"),
    write_request=write_create_media_slot_request,
    read_request=read_create_media_slot_request,
    read_reply=read_create_media_slot_response,
)

CREATE_PROGRAM_APPLICATION: Operation[
    CreateProgramApplicationRequest,
    CreateProgramApplicationResponse,
] = Operation(
    contract="publisher",
    name="CreateProgramApplication",
    method="create_program_application",
    signed=True,
    safe=False,
    soap_action="http://api.zanox.com/namespace/2011-03-01/CreateProgramApplication",
    request_tag="{http://api.zanox.com/namespace/2011-03-01/}CreateProgramApplicationRequest",
    reply_tag="{http://api.zanox.com/namespace/2011-03-01/}CreateProgramApplicationResponse",
    authentication=("connectId", "timestamp", "nonce", "signature"),
    write_request=write_create_program_application_request,
    read_request=read_create_program_application_request,
    read_reply=read_create_program_application_response,
    rest=rest.CREATE_PROGRAM_APPLICATION,
    soap_only=frozenset({"publisherComment"}),
)

CREATE_SETTING: Operation[CreateSettingRequest, CreateSettingResponse] = Operation(
    contract="publisher",
    name="CreateSetting",
    method="create_setting",
    signed=True,
    safe=False,
    soap_action="http://api.zanox.com/namespace/2011-03-01/CreateSetting",
    request_tag="{http://api.zanox.com/namespace/2011-03-01/}CreateSettingRequest",
    reply_tag="{http://api.zanox.com/namespace/2011-03-01/}CreateSettingResponse",
    authentication=("connectId", "timestamp", "nonce", "signature"),
    write_request=write_create_setting_request,
    read_request=read_create_setting_request,
    read_reply=read_create_setting_response,
)

DELETE_ADSPACE: Operation[DeleteAdspaceRequest, DeleteAdspaceResponse] = Operation(
    contract="publisher",
    name="DeleteAdspace",
    method="delete_adspace",
    signed=True,
    safe=False,
    soap_action="http://api.zanox.com/namespace/2011-03-01/DeleteAdspace",
    request_tag="{http://api.zanox.com/namespace/2011-03-01/}DeleteAdspaceRequest",
    reply_tag="{http://api.zanox.com/namespace/2011-03-01/}DeleteAdspaceResponse",
    authentication=("connectId", "timestamp", "nonce", "signature"),
    write_request=write_delete_adspace_request,
    read_request=read_delete_adspace_request,
    read_reply=read_delete_adspace_response,
    rest=rest.DELETE_ADSPACE,
)

DELETE_APPLICATION: Operation[DeleteApplicationRequest, DeleteApplicationResponse] = Operation(
    contract="publisher",
    name="DeleteApplication",
    method="delete_application",
    signed=True,
    safe=False,
    soap_action="http://api.zanox.com/namespace/2011-03-01/DeleteApplication",
    request_tag="{http://api.zanox.com/namespace/2011-03-01/}DeleteApplicationRequest",
    reply_tag="{http://api.zanox.com/namespace/2011-03-01/}DeleteApplicationResponse",
    authentication=("connectId", "timestamp", "nonce", "signature"),
    write_request=write_delete_application_request,
    read_request=read_delete_application_request,
    read_reply=read_delete_application_response,
)

DELETE_MEDIA_SLOT: Operation[DeleteMediaSlotRequest, DeleteMediaSlotResponse] = Operation(
    contract="publisher",
    name="DeleteMediaSlot",
    method="delete_media_slot",
    signed=True,
    safe=False,
    soap_action="http://api.zanox.com/namespace/2011-03-01/DeleteMediaSlot",
    request_tag="{http://api.zanox.com/namespace/2011-03-01/}DeleteMediaSlotRequest",
    reply_tag="{http://api.zanox.com/namespace/2011-03-01/}DeleteMediaSlotResponse",
    authentication=("connectId", "timestamp", "nonce", "signature"),
    write_request=write_delete_media_slot_request,
    read_request=read_delete_media_slot_request,
    read_reply=read_delete_media_slot_response,
)

DELETE_PROGRAM_APPLICATION: Operation[
    DeleteProgramApplicationRequest,
    DeleteProgramApplicationResponse,
] = Operation(
    contract="publisher",
    name="DeleteProgramApplication",
    method="delete_program_application",
    signed=True,
    safe=False,
    soap_action="http://api.zanox.com/namespace/2011-03-01/DeleteProgramApplication",
    request_tag="{http://api.zanox.com/namespace/2011-03-01/}DeleteProgramApplicationRequest",
    reply_tag="{http://api.zanox.com/namespace/2011-03-01/}DeleteProgramApplicationResponse",
    authentication=("connectId", "timestamp", "nonce", "signature"),
    write_request=write_delete_program_application_request,
    read_request=read_delete_program_application_request,
    read_reply=read_delete_program_application_response,
    rest=rest.DELETE_PROGRAM_APPLICATION,
)

DELETE_SETTING: Operation[DeleteSettingRequest, DeleteSettingResponse] = Operation(
    contract="publisher",
    name="DeleteSetting",
    method="delete_setting",
    signed=True,
    safe=False,
    soap_action="http://api.zanox.com/namespace/2011-03-01/DeleteSetting",
    request_tag="{http://api.zanox.com/namespace/2011-03-01/}DeleteSettingRequest",
    reply_tag="{http://api.zanox.com/namespace/2011-03-01/}DeleteSettingResponse",
    authentication=("connectId", "timestamp", "nonce", "signature"),
    write_request=write_delete_setting_request,
    read_request=read_delete_setting_request,
    read_reply=read_delete_setting_response,
)

GET_ADMEDIA: ListOperation[GetAdmediaRequest, GetAdmediaResponse, AdmediumItem] = ListOperation(
    contract="publisher",
    name="GetAdmedia",
    method="get_admedia",
    signed=False,
    safe=True,
    soap_action="http://api.zanox.com/namespace/2011-03-01/GetAdmedia",
    request_tag="{http://api.zanox.com/namespace/2011-03-01/}GetAdmediaRequest",
    reply_tag="{http://api.zanox.com/namespace/2011-03-01/}GetAdmediaResponse",
    authentication=("connectId",),
    write_request=write_get_admedia_request,
    read_request=read_get_admedia_request,
    read_reply=read_get_admedia_response,
    list_field="admedium_items",
    list_tag="{http://api.zanox.com/namespace/2011-03-01/}admediumItems",
    item_tag="{http://api.zanox.com/namespace/2011-03-01/}admediumItem",
    read_item=read_admedium_item,
    pages=PageFields(
        page="page",
        items="items",
        reply_page="page",
        reply_items="items",
        reply_total="total",
    ),
    rest=rest.GET_ADMEDIA,
    soap_only=frozenset({"q"}),
)

GET_ADMEDIUM: Operation[GetAdmediumRequest, GetAdmediumResponse] = Operation(
    contract="publisher",
    name="GetAdmedium",
    method="get_admedium",
    signed=False,
    safe=True,
    soap_action="http://api.zanox.com/namespace/2011-03-01/GetAdmedium",
    request_tag="{http://api.zanox.com/namespace/2011-03-01/}GetAdmediumRequest",
    reply_tag="{http://api.zanox.com/namespace/2011-03-01/}GetAdmediumResponse",
    authentication=("connectId",),
    write_request=write_get_admedium_request,
    read_request=read_get_admedium_request,
    read_reply=read_get_admedium_response,
    rest=rest.GET_ADMEDIUM,
    soap_only=frozenset({"trackingLink"}),
)

GET_ADMEDIUM_CATEGORIES: ListOperation[
    GetAdmediumCategoriesRequest,
    GetAdmediumCategoriesResponse,
    SubStringIdentifierType,
] = ListOperation(
    contract="publisher",
    name="GetAdmediumCategories",
    method="get_admedium_categories",
    signed=False,
    safe=True,
    soap_action="http://api.zanox.com/namespace/2011-03-01/GetAdmediumCategories",
    request_tag="{http://api.zanox.com/namespace/2011-03-01/}GetAdmediumCategoriesRequest",
    reply_tag="{http://api.zanox.com/namespace/2011-03-01/}GetAdmediumCategoriesResponse",
    authentication=("connectId",),
    write_request=write_get_admedium_categories_request,
    read_request=read_get_admedium_categories_request,
    read_reply=read_get_admedium_categories_response,
    list_field="categories",
    list_tag="{http://api.zanox.com/namespace/2011-03-01/}categories",
    item_tag="{http://api.zanox.com/namespace/2011-03-01/}category",
    read_item=read_sub_string_identifier_type,
    rest=rest.GET_ADMEDIUM_CATEGORIES,
)

GET_ADSPACE: Operation[GetAdspaceRequest, GetAdspaceResponse] = Operation(
    contract="publisher",
    name="GetAdspace",
    method="get_adspace",
    signed=True,
    safe=True,
    soap_action="http://api.zanox.com/namespace/2011-03-01/GetAdspace",
    request_tag="{http://api.zanox.com/namespace/2011-03-01/}GetAdspaceRequest",
    reply_tag="{http://api.zanox.com/namespace/2011-03-01/}GetAdspaceResponse",
    authentication=("connectId", "timestamp", "nonce", "signature"),
    write_request=write_get_adspace_request,
    read_request=read_get_adspace_request,
    read_reply=read_get_adspace_response,
    rest=rest.GET_ADSPACE,
)

GET_ADSPACES: ListOperation[GetAdspacesRequest, GetAdspacesResponse, AdspaceItem] = ListOperation(
    contract="publisher",
    name="GetAdspaces",
    method="get_adspaces",
    signed=True,
    safe=True,
    soap_action="http://api.zanox.com/namespace/2011-03-01/GetAdspaces",
    request_tag="{http://api.zanox.com/namespace/2011-03-01/}GetAdspacesRequest",
    reply_tag="{http://api.zanox.com/namespace/2011-03-01/}GetAdspacesResponse",
    authentication=("connectId", "timestamp", "nonce", "signature"),
    write_request=write_get_adspaces_request,
    read_request=read_get_adspaces_request,
    read_reply=read_get_adspaces_response,
    list_field="adspace_items",
    list_tag="{http://api.zanox.com/namespace/2011-03-01/}adspaceItems",
    item_tag="{http://api.zanox.com/namespace/2011-03-01/}adspaceItem",
    read_item=read_adspace_item,
    pages=PageFields(
        page="page",
        items="items",
        reply_page="page",
        reply_items="items",
        reply_total="total",
    ),
    rest=rest.GET_ADSPACES,
)

GET_APPLICATION: Operation[GetApplicationRequest, GetApplicationResponse] = Operation(
    contract="publisher",
    name="GetApplication",
    method="get_application",
    signed=True,
    safe=True,
    soap_action="http://api.zanox.com/namespace/2011-03-01/GetApplication",
    request_tag="{http://api.zanox.com/namespace/2011-03-01/}GetApplicationRequest",
    reply_tag="{http://api.zanox.com/namespace/2011-03-01/}GetApplicationResponse",
    authentication=("connectId", "timestamp", "nonce", "signature"),
    write_request=write_get_application_request,
    read_request=read_get_application_request,
    read_reply=read_get_application_response,
)

GET_APPLICATIONS: ListOperation[
    GetApplicationsRequest,
    GetApplicationsResponse,
    ApplicationItem,
] = ListOperation(
    contract="publisher",
    name="GetApplications",
    method="get_applications",
    signed=True,
    safe=True,
    soap_action="http://api.zanox.com/namespace/2011-03-01/GetApplications",
    request_tag="{http://api.zanox.com/namespace/2011-03-01/}GetApplicationsRequest",
    reply_tag="{http://api.zanox.com/namespace/2011-03-01/}GetApplicationsResponse",
    authentication=("connectId", "timestamp", "nonce", "signature"),
    write_request=write_get_applications_request,
    read_request=read_get_applications_request,
    read_reply=read_get_applications_response,
    list_field="application_items",
    list_tag="{http://api.zanox.com/namespace/2011-03-01/}applicationItems",
    item_tag="{http://api.zanox.com/namespace/2011-03-01/}applicationItem",
    read_item=read_application_item,
    pages=PageFields(
        page="page",
        items="items",
        reply_page="page",
        reply_items="items",
        reply_total="total",
    ),
)

GET_BALANCE: Operation[GetBalanceRequest, GetBalanceResponse] = Operation(
    contract="publisher",
    name="GetBalance",
    method="get_balance",
    signed=True,
    safe=True,
    soap_action="http://api.zanox.com/namespace/2011-03-01/GetBalance",
    request_tag="{http://api.zanox.com/namespace/2011-03-01/}GetBalanceRequest",
    reply_tag="{http://api.zanox.com/namespace/2011-03-01/}GetBalanceResponse",
    authentication=("connectId", "timestamp", "nonce", "signature"),
    write_request=write_get_balance_request,
    read_request=read_get_balance_request,
    read_reply=read_get_balance_response,
    rest=rest.GET_BALANCE,
)

GET_BALANCES: ListOperation[GetBalancesRequest, GetBalancesResponse, BalanceItem] = ListOperation(
    contract="publisher",
    name="GetBalances",
    method="get_balances",
    signed=True,
    safe=True,
    soap_action="http://api.zanox.com/namespace/2011-03-01/GetBalances",
    request_tag="{http://api.zanox.com/namespace/2011-03-01/}GetBalancesRequest",
    reply_tag="{http://api.zanox.com/namespace/2011-03-01/}GetBalancesResponse",
    authentication=("connectId", "timestamp", "nonce", "signature"),
    write_request=write_get_balances_request,
    read_request=read_get_balances_request,
    read_reply=read_get_balances_response,
    list_field="balance_items",
    list_tag="{http://api.zanox.com/namespace/2011-03-01/}balanceItems",
    item_tag="{http://api.zanox.com/namespace/2011-03-01/}balanceItem",
    read_item=read_balance_item,
    pages=PageFields(
        page="page",
        items="items",
        reply_page="page",
        reply_items="items",
        reply_total="total",
    ),
    rest=rest.GET_BALANCES,
)

GET_BANK_ACCOUNT: Operation[GetBankAccountRequest, GetBankAccountResponse] = Operation(
    contract="publisher",
    name="GetBankAccount",
    method="get_bank_account",
    signed=True,
    safe=True,
    soap_action="http://api.zanox.com/namespace/2011-03-01/GetBankAccount",
    request_tag="{http://api.zanox.com/namespace/2011-03-01/}GetBankAccountRequest",
    reply_tag="{http://api.zanox.com/namespace/2011-03-01/}GetBankAccountResponse",
    authentication=("connectId", "timestamp", "nonce", "signature"),
    write_request=write_get_bank_account_request,
    read_request=read_get_bank_account_request,
    read_reply=read_get_bank_account_response,
)

GET_BANK_ACCOUNTS: ListOperation[
    GetBankAccountsRequest,
    GetBankAccountsResponse,
    BankAccountItem,
] = ListOperation(
    contract="publisher",
    name="GetBankAccounts",
    method="get_bank_accounts",
    signed=True,
    safe=True,
    soap_action="http://api.zanox.com/namespace/2011-03-01/GetBankAccounts",
    request_tag="{http://api.zanox.com/namespace/2011-03-01/}GetBankAccountsRequest",
    reply_tag="{http://api.zanox.com/namespace/2011-03-01/}GetBankAccountsResponse",
    authentication=("connectId", "timestamp", "nonce", "signature"),
    write_request=write_get_bank_accounts_request,
    read_request=read_get_bank_accounts_request,
    read_reply=read_get_bank_accounts_response,
    list_field="bank_account_items",
    list_tag="{http://api.zanox.com/namespace/2011-03-01/}bankAccountItems",
    item_tag="{http://api.zanox.com/namespace/2011-03-01/}bankAccountItem",
    read_item=read_bank_account_item,
    pages=PageFields(
        page="page",
        items="items",
        reply_page="page",
        reply_items="items",
        reply_total="total",
    ),
)

GET_EXCLUSIVE_INCENTIVE: Operation[GetExclusiveIncentiveRequest, GetExclusiveIncentiveResponse] = Operation(
    contract="publisher",
    name="GetExclusiveIncentive",
    method="get_exclusive_incentive",
    signed=True,
    safe=True,
    soap_action="http://api.zanox.com/namespace/2011-03-01/GetExclusiveIncentive",
    request_tag="{http://api.zanox.com/namespace/2011-03-01/}GetExclusiveIncentiveRequest",
    reply_tag="{http://api.zanox.com/namespace/2011-03-01/}GetExclusiveIncentiveResponse",
    authentication=("connectId", "timestamp", "nonce", "signature"),
    write_request=write_get_exclusive_incentive_request,
    read_request=read_get_exclusive_incentive_request,
    read_reply=read_get_exclusive_incentive_response,
    rest=rest.GET_EXCLUSIVE_INCENTIVE,
)

GET_INCENTIVE: Operation[GetIncentiveRequest, GetIncentiveResponse] = Operation(
    contract="publisher",
    name="GetIncentive",
    method="get_incentive",
    signed=False,
    safe=True,
    soap_action="http://api.zanox.com/namespace/2011-03-01/GetIncentive",
    request_tag="{http://api.zanox.com/namespace/2011-03-01/}GetIncentiveRequest",
    reply_tag="{http://api.zanox.com/namespace/2011-03-01/}GetIncentiveResponse",
    authentication=("connectId",),
    write_request=write_get_incentive_request,
    read_request=read_get_incentive_request,
    read_reply=read_get_incentive_response,
    rest=rest.GET_INCENTIVE,
)

GET_LEAD: Operation[GetLeadRequest, GetLeadResponse] = Operation(
    contract="publisher",
    name="GetLead",
    method="get_lead",
    signed=True,
    safe=True,
    soap_action="http://api.zanox.com/namespace/2011-03-01/GetLead",
    request_tag="{http://api.zanox.com/namespace/2011-03-01/}GetLeadRequest",
    reply_tag="{http://api.zanox.com/namespace/2011-03-01/}GetLeadResponse",
    authentication=("connectId", "timestamp", "nonce", "signature"),
    write_request=write_get_lead_request,
    read_request=read_get_lead_request,
    read_reply=read_get_lead_response,
    rest=rest.GET_LEAD,
)

GET_LEADS: ListOperation[GetLeadsRequest, GetLeadsResponse, LeadItem] = ListOperation(
    contract="publisher",
    name="GetLeads",
    method="get_leads",
    signed=True,
    safe=True,
    soap_action="http://api.zanox.com/namespace/2011-03-01/GetLeads",
    request_tag="{http://api.zanox.com/namespace/2011-03-01/}GetLeadsRequest",
    reply_tag="{http://api.zanox.com/namespace/2011-03-01/}GetLeadsResponse",
    authentication=("connectId", "timestamp", "nonce", "signature"),
    write_request=write_get_leads_request,
    read_request=read_get_leads_request,
    read_reply=read_get_leads_response,
    list_field="lead_items",
    list_tag="{http://api.zanox.com/namespace/2011-03-01/}leadItems",
    item_tag="{http://api.zanox.com/namespace/2011-03-01/}leadItem",
    read_item=read_lead_item,
    pages=PageFields(
        page="page",
        items="items",
        reply_page="page",
        reply_items="items",
        reply_total="total",
    ),
    rest=rest.GET_LEADS,
    rest_optional=frozenset({"dateType"}),
)

GET_MEDIA_SLOT: Operation[GetMediaSlotRequest, GetMediaSlotResponse] = Operation(
    contract="publisher",
    name="GetMediaSlot",
    method="get_media_slot",
    signed=True,
    safe=True,
    soap_action="http://api.zanox.com/namespace/2011-03-01/GetMediaSlot",
    request_tag="{http://api.zanox.com/namespace/2011-03-01/}GetMediaSlotRequest",
    reply_tag="{http://api.zanox.com/namespace/2011-03-01/}GetMediaSlotResponse",
    authentication=("connectId", "timestamp", "nonce", "signature"),
    write_request=write_get_media_slot_request,
    read_request=read_get_media_slot_request,
    read_reply=read_get_media_slot_response,
)

GET_MEDIA_SLOTS: ListOperation[GetMediaSlotsRequest, GetMediaSlotsResponse, MediaSlotItem] = ListOperation(
    contract="publisher",
    name="GetMediaSlots",
    method="get_media_slots",
    signed=True,
    safe=True,
    soap_action="http://api.zanox.com/namespace/2011-03-01/GetMediaSlots",
    request_tag="{http://api.zanox.com/namespace/2011-03-01/}GetMediaSlotsRequest",
    reply_tag="{http://api.zanox.com/namespace/2011-03-01/}GetMediaSlotsResponse",
    authentication=("connectId", "timestamp", "nonce", "signature"),
    write_request=write_get_media_slots_request,
    read_request=read_get_media_slots_request,
    read_reply=read_get_media_slots_response,
    list_field="media_slot_items",
    list_tag="{http://api.zanox.com/namespace/2011-03-01/}mediaSlotItems",
    item_tag="{http://api.zanox.com/namespace/2011-03-01/}mediaSlotItem",
    read_item=read_media_slot_item,
    pages=PageFields(
        page="page",
        items="items",
        reply_page="page",
        reply_items="items",
        reply_total="total",
    ),
)

GET_PAYMENT: Operation[GetPaymentRequest, GetPaymentResponse] = Operation(
    contract="publisher",
    name="GetPayment",
    method="get_payment",
    signed=True,
    safe=True,
    soap_action="http://api.zanox.com/namespace/2011-03-01/GetPayment",
    request_tag="{http://api.zanox.com/namespace/2011-03-01/}GetPaymentRequest",
    reply_tag="{http://api.zanox.com/namespace/2011-03-01/}GetPaymentResponse",
    authentication=("connectId", "timestamp", "nonce", "signature"),
    write_request=write_get_payment_request,
    read_request=read_get_payment_request,
    read_reply=read_get_payment_response,
)

GET_PAYMENTS: ListOperation[GetPaymentsRequest, GetPaymentsResponse, PaymentItem] = ListOperation(
    contract="publisher",
    name="GetPayments",
    method="get_payments",
    signed=True,
    safe=True,
    soap_action="http://api.zanox.com/namespace/2011-03-01/GetPayments",
    request_tag="{http://api.zanox.com/namespace/2011-03-01/}GetPaymentsRequest",
    reply_tag="{http://api.zanox.com/namespace/2011-03-01/}GetPaymentsResponse",
    authentication=("connectId", "timestamp", "nonce", "signature"),
    write_request=write_get_payments_request,
    read_request=read_get_payments_request,
    read_reply=read_get_payments_response,
    list_field="payment_items",
    list_tag="{http://api.zanox.com/namespace/2011-03-01/}paymentItems",
    item_tag="{http://api.zanox.com/namespace/2011-03-01/}paymentItem",
    read_item=read_payment_item,
    pages=PageFields(
        page="page",
        items="items",
        reply_page="page",
        reply_items="items",
        reply_total="total",
    ),
)

GET_PRODUCT: Operation[GetProductRequest, GetProductResponse] = Operation(
    contract="publisher",
    name="GetProduct",
    method="get_product",
    signed=False,
    safe=True,
    soap_action="http://api.zanox.com/namespace/2011-03-01/GetProduct",
    request_tag="{http://api.zanox.com/namespace/2011-03-01/}GetProductRequest",
    reply_tag="{http://api.zanox.com/namespace/2011-03-01/}GetProductResponse",
    authentication=("connectId",),
    write_request=write_get_product_request,
    read_request=read_get_product_request,
    read_reply=read_get_product_response,
    rest=rest.GET_PRODUCT,
)

GET_PRODUCT_CATEGORIES: ListOperation[
    GetProductCategoriesRequest,
    GetProductCategoriesResponse,
    ProductCategoryType,
] = ListOperation(
    contract="publisher",
    name="GetProductCategories",
    method="get_product_categories",
    signed=False,
    safe=True,
    soap_action="http://api.zanox.com/namespace/2011-03-01/GetProductCategories",
    request_tag="{http://api.zanox.com/namespace/2011-03-01/}GetProductCategoriesRequest",
    reply_tag="{http://api.zanox.com/namespace/2011-03-01/}GetProductCategoriesResponse",
    authentication=("connectId",),
    write_request=write_get_product_categories_request,
    read_request=read_get_product_categories_request,
    read_reply=read_get_product_categories_response,
    list_field="categories",
    list_tag="{http://api.zanox.com/namespace/2011-03-01/}categories",
    item_tag="{http://api.zanox.com/namespace/2011-03-01/}category",
    read_item=read_product_category_type,
)

GET_PROFILE: Operation[GetProfileRequest, GetProfileResponse] = Operation(
    contract="publisher",
    name="GetProfile",
    method="get_profile",
    signed=True,
    safe=True,
    soap_action="http://api.zanox.com/namespace/2011-03-01/GetProfile",
    request_tag="{http://api.zanox.com/namespace/2011-03-01/}GetProfileRequest",
    reply_tag="{http://api.zanox.com/namespace/2011-03-01/}GetProfileResponse",
    authentication=("connectId", "timestamp", "nonce", "signature"),
    write_request=write_get_profile_request,
    read_request=read_get_profile_request,
    read_reply=read_get_profile_response,
    rest=rest.GET_PROFILE,
)

GET_PROGRAM: Operation[GetProgramRequest, GetProgramResponse] = Operation(
    contract="publisher",
    name="GetProgram",
    method="get_program",
    signed=False,
    safe=True,
    soap_action="http://api.zanox.com/namespace/2011-03-01/GetProgram",
    request_tag="{http://api.zanox.com/namespace/2011-03-01/}GetProgramRequest",
    reply_tag="{http://api.zanox.com/namespace/2011-03-01/}GetProgramResponse",
    authentication=("connectId",),
    write_request=write_get_program_request,
    read_request=read_get_program_request,
    read_reply=read_get_program_response,
    rest=rest.GET_PROGRAM,
)

GET_PROGRAM_APPLICATIONS: ListOperation[
    GetProgramApplicationsRequest,
    GetProgramApplicationsResponse,
    ProgramApplicationItem,
] = ListOperation(
    contract="publisher",
    name="GetProgramApplications",
    method="get_program_applications",
    signed=True,
    safe=True,
    soap_action="http://api.zanox.com/namespace/2011-03-01/GetProgramApplications",
    request_tag="{http://api.zanox.com/namespace/2011-03-01/}GetProgramApplicationsRequest",
    reply_tag="{http://api.zanox.com/namespace/2011-03-01/}GetProgramApplicationsResponse",
    authentication=("connectId", "timestamp", "nonce", "signature"),
    write_request=write_get_program_applications_request,
    read_request=read_get_program_applications_request,
    read_reply=read_get_program_applications_response,
    list_field="program_application_items",
    list_tag="{http://api.zanox.com/namespace/2011-03-01/}programApplicationItems",
    item_tag="{http://api.zanox.com/namespace/2011-03-01/}programApplicationItem",
    read_item=read_program_application_item,
    pages=PageFields(
        page="page",
        items="items",
        reply_page="page",
        reply_items="items",
        reply_total="total",
    ),
    rest=rest.GET_PROGRAM_APPLICATIONS,
)

GET_PROGRAM_CATEGORIES: ListOperation[
    GetProgramCategoriesRequest,
    GetProgramCategoriesResponse,
    SubStringIdentifierType,
] = ListOperation(
    contract="publisher",
    name="GetProgramCategories",
    method="get_program_categories",
    signed=False,
    safe=True,
    soap_action="http://api.zanox.com/namespace/2011-03-01/GetProgramCategories",
    request_tag="{http://api.zanox.com/namespace/2011-03-01/}GetProgramCategoriesRequest",
    reply_tag="{http://api.zanox.com/namespace/2011-03-01/}GetProgramCategoriesResponse",
    authentication=("connectId",),
    write_request=write_get_program_categories_request,
    read_request=read_get_program_categories_request,
    read_reply=read_get_program_categories_response,
    list_field="categories",
    list_tag="{http://api.zanox.com/namespace/2011-03-01/}categories",
    item_tag="{http://api.zanox.com/namespace/2011-03-01/}category",
    read_item=read_sub_string_identifier_type,
    rest=rest.GET_PROGRAM_CATEGORIES,
)

GET_REPORT_BASIC: ListOperation[GetReportBasicRequest, GetReportBasicResponse, ReportItem] = ListOperation(
    contract="publisher",
    name="GetReportBasic",
    method="get_report_basic",
    signed=True,
    safe=True,
    soap_action="http://api.zanox.com/namespace/2011-03-01/GetReportBasic",
    request_tag="{http://api.zanox.com/namespace/2011-03-01/}GetReportBasicRequest",
    reply_tag="{http://api.zanox.com/namespace/2011-03-01/}GetReportBasicResponse",
    authentication=("connectId", "timestamp", "nonce", "signature"),
    write_request=write_get_report_basic_request,
    read_request=read_get_report_basic_request,
    read_reply=read_get_report_basic_response,
    list_field="report_items",
    list_tag="{http://api.zanox.com/namespace/2011-03-01/}reportItems",
    item_tag="{http://api.zanox.com/namespace/2011-03-01/}reportItem",
    read_item=read_report_item,
    rest=rest.GET_REPORT_BASIC,
    rest_only=frozenset({"dateType"}),
)

GET_SALE: Operation[GetSaleRequest, GetSaleResponse] = Operation(
    contract="publisher",
    name="GetSale",
    method="get_sale",
    signed=True,
    safe=True,
    soap_action="http://api.zanox.com/namespace/2011-03-01/GetSale",
    request_tag="{http://api.zanox.com/namespace/2011-03-01/}GetSaleRequest",
    reply_tag="{http://api.zanox.com/namespace/2011-03-01/}GetSaleResponse",
    authentication=("connectId", "timestamp", "nonce", "signature"),
    write_request=write_get_sale_request,
    read_request=read_get_sale_request,
    read_reply=read_get_sale_response,
    rest=rest.GET_SALE,
)

GET_SALES: ListOperation[GetSalesRequest, GetSalesResponse, SaleItem] = ListOperation(
    contract="publisher",
    name="GetSales",
    method="get_sales",
    signed=True,
    safe=True,
    soap_action="http://api.zanox.com/namespace/2011-03-01/GetSales",
    request_tag="{http://api.zanox.com/namespace/2011-03-01/}GetSalesRequest",
    reply_tag="{http://api.zanox.com/namespace/2011-03-01/}GetSalesResponse",
    authentication=("connectId", "timestamp", "nonce", "signature"),
    write_request=write_get_sales_request,
    read_request=read_get_sales_request,
    read_reply=read_get_sales_response,
    list_field="sale_items",
    list_tag="{http://api.zanox.com/namespace/2011-03-01/}saleItems",
    item_tag="{http://api.zanox.com/namespace/2011-03-01/}saleItem",
    read_item=read_sale_item,
    pages=PageFields(
        page="page",
        items="items",
        reply_page="page",
        reply_items="items",
        reply_total="total",
    ),
    rest=rest.GET_SALES,
    rest_optional=frozenset({"dateType"}),
)

GET_SETTING: Operation[GetSettingRequest, GetSettingResponse] = Operation(
    contract="publisher",
    name="GetSetting",
    method="get_setting",
    signed=False,
    safe=True,
    soap_action="http://api.zanox.com/namespace/2011-03-01/GetSetting",
    request_tag="{http://api.zanox.com/namespace/2011-03-01/}GetSettingRequest",
    reply_tag="{http://api.zanox.com/namespace/2011-03-01/}GetSettingResponse",
    authentication=("connectId",),
    write_request=write_get_setting_request,
    read_request=read_get_setting_request,
    read_reply=read_get_setting_response,
)

GET_SETTINGS: ListOperation[GetSettingsRequest, GetSettingsResponse, SettingItem] = ListOperation(
    contract="publisher",
    name="GetSettings",
    method="get_settings",
    signed=False,
    safe=True,
    soap_action="http://api.zanox.com/namespace/2011-03-01/GetSettings",
    request_tag="{http://api.zanox.com/namespace/2011-03-01/}GetSettingsRequest",
    reply_tag="{http://api.zanox.com/namespace/2011-03-01/}GetSettingsResponse",
    authentication=("connectId",),
    write_request=write_get_settings_request,
    read_request=read_get_settings_request,
    read_reply=read_get_settings_response,
    list_field="setting_items",
    list_tag="{http://api.zanox.com/namespace/2011-03-01/}settingItems",
    item_tag="{http://api.zanox.com/namespace/2011-03-01/}settingItem",
    read_item=read_setting_item,
    pages=PageFields(
        page="page",
        items="items",
        reply_page="page",
        reply_items="items",
        reply_total="total",
    ),
)

GET_TRACKING_CATEGORIES: ListOperation[
    GetTrackingCategoriesRequest,
    GetTrackingCategoriesResponse,
    TrackingCategoryItem,
] = ListOperation(
    contract="publisher",
    name="GetTrackingCategories",
    method="get_tracking_categories",
    signed=True,
    safe=True,
    soap_action="http://api.zanox.com/namespace/2011-03-01/GetTrackingCategories",
    request_tag="{http://api.zanox.com/namespace/2011-03-01/}GetTrackingCategoriesRequest",
    reply_tag="{http://api.zanox.com/namespace/2011-03-01/}GetTrackingCategoriesResponse",
    authentication=("connectId", "timestamp", "nonce", "signature"),
    write_request=write_get_tracking_categories_request,
    read_request=read_get_tracking_categories_request,
    read_reply=read_get_tracking_categories_response,
    list_field="tracking_category_item",
    list_tag="{http://api.zanox.com/namespace/2011-03-01/}trackingCategoryItem",
    item_tag="{http://api.zanox.com/namespace/2011-03-01/}trackingCategoryItem",
    read_item=read_tracking_category_item,
    pages=PageFields(
        page="page",
        items="items",
        reply_page="page",
        reply_items="items",
        reply_total="total",
    ),
    rest=rest.GET_TRACKING_CATEGORIES,
    soap_only=frozenset({"page", "items"}),
)

SEARCH_EXCLUSIVE_INCENTIVES: ListOperation[
    SearchExclusiveIncentivesRequest,
    SearchExclusiveIncentivesResponse,
    IncentiveItem,
] = ListOperation(
    contract="publisher",
    name="SearchExclusiveIncentives",
    method="search_exclusive_incentives",
    signed=True,
    safe=True,
    soap_action="http://api.zanox.com/namespace/2011-03-01/SearchExclusiveIncentives",
    request_tag="{http://api.zanox.com/namespace/2011-03-01/}SearchExclusiveIncentivesRequest",
    reply_tag="{http://api.zanox.com/namespace/2011-03-01/}SearchExclusiveIncentivesResponse",
    authentication=("connectId", "timestamp", "nonce", "signature"),
    write_request=write_search_exclusive_incentives_request,
    read_request=read_search_exclusive_incentives_request,
    read_reply=read_search_exclusive_incentives_response,
    list_field="incentive_items",
    list_tag="{http://api.zanox.com/namespace/2011-03-01/}incentiveItems",
    item_tag="{http://api.zanox.com/namespace/2011-03-01/}incentiveItem",
    read_item=read_incentive_item,
    pages=PageFields(
        page="page",
        items="items",
        reply_page="page",
        reply_items="items",
        reply_total="total",
    ),
    rest=rest.SEARCH_EXCLUSIVE_INCENTIVES,
)

SEARCH_INCENTIVES: ListOperation[
    SearchIncentivesRequest,
    SearchIncentivesResponse,
    IncentiveItem,
] = ListOperation(
    contract="publisher",
    name="SearchIncentives",
    method="search_incentives",
    signed=False,
    safe=True,
    soap_action="http://api.zanox.com/namespace/2011-03-01/SearchIncentives",
    request_tag="{http://api.zanox.com/namespace/2011-03-01/}SearchIncentivesRequest",
    reply_tag="{http://api.zanox.com/namespace/2011-03-01/}SearchIncentivesResponse",
    authentication=("connectId",),
    write_request=write_search_incentives_request,
    read_request=read_search_incentives_request,
    read_reply=read_search_incentives_response,
    list_field="incentive_items",
    list_tag="{http://api.zanox.com/namespace/2011-03-01/}incentiveItems",
    item_tag="{http://api.zanox.com/namespace/2011-03-01/}incentiveItem",
    read_item=read_incentive_item,
    pages=PageFields(
        page="page",
        items="items",
        reply_page="page",
        reply_items="items",
        reply_total="total",
    ),
    rest=rest.SEARCH_INCENTIVES,
)

SEARCH_PRODUCTS: ListOperation[SearchProductsRequest, SearchProductsResponse, ProductItem] = ListOperation(
    contract="publisher",
    name="SearchProducts",
    method="search_products",
    signed=False,
    safe=True,
    soap_action="http://api.zanox.com/namespace/2011-03-01/SearchProducts",
    request_tag="{http://api.zanox.com/namespace/2011-03-01/}SearchProductsRequest",
    reply_tag="{http://api.zanox.com/namespace/2011-03-01/}SearchProductsResponse",
    authentication=("connectId",),
    write_request=write_search_products_request,
    read_request=read_search_products_request,
    read_reply=read_search_products_response,
    list_field="product_items",
    list_tag="{http://api.zanox.com/namespace/2011-03-01/}productItems",
    item_tag="{http://api.zanox.com/namespace/2011-03-01/}productItem",
    read_item=read_product_item,
    pages=PageFields(
        page="page",
        items="items",
        reply_page="page",
        reply_items="items",
        reply_total="total",
    ),
    rest=rest.SEARCH_PRODUCTS,
    soap_only=frozenset({"categoryId"}),
    rest_only=frozenset({"ean", "merchantCategory", "partnership"}),
    rest_optional=frozenset({"query"}),
)

SEARCH_PROGRAMS: ListOperation[SearchProgramsRequest, SearchProgramsResponse, ProgramItem] = ListOperation(
    contract="publisher",
    name="SearchPrograms",
    method="search_programs",
    signed=False,
    safe=True,
    soap_action="http://api.zanox.com/namespace/2011-03-01/SearchPrograms",
    request_tag="{http://api.zanox.com/namespace/2011-03-01/}SearchProgramsRequest",
    reply_tag="{http://api.zanox.com/namespace/2011-03-01/}SearchProgramsResponse",
    authentication=("connectId",),
    write_request=write_search_programs_request,
    read_request=read_search_programs_request,
    read_reply=read_search_programs_response,
    list_field="program_items",
    list_tag="{http://api.zanox.com/namespace/2011-03-01/}programItems",
    item_tag="{http://api.zanox.com/namespace/2011-03-01/}programItem",
    read_item=read_program_item,
    pages=PageFields(
        page="page",
        items="items",
        reply_page="page",
        reply_items="items",
        reply_total="total",
    ),
    rest=rest.SEARCH_PROGRAMS,
    soap_only=frozenset({"categoryId"}),
    rest_only=frozenset({"industry", "isExclusive"}),
)

UPDATE_ADSPACE: Operation[UpdateAdspaceRequest, UpdateAdspaceResponse] = Operation(
    contract="publisher",
    name="UpdateAdspace",
    method="update_adspace",
    signed=True,
    safe=False,
    soap_action="http://api.zanox.com/namespace/2011-03-01/UpdateAdspace",
    request_tag="{http://api.zanox.com/namespace/2011-03-01/}UpdateAdspaceRequest",
    reply_tag="{http://api.zanox.com/namespace/2011-03-01/}UpdateAdspaceResponse",
    authentication=("connectId", "timestamp", "nonce", "signature"),
    write_request=write_update_adspace_request,
    read_request=read_update_adspace_request,
    read_reply=read_update_adspace_response,
    rest=rest.UPDATE_ADSPACE,
)

UPDATE_APPLICATION: Operation[UpdateApplicationRequest, UpdateApplicationResponse] = Operation(
    contract="publisher",
    name="UpdateApplication",
    method="update_application",
    signed=True,
    safe=False,
    soap_action="http://api.zanox.com/namespace/2011-03-01/UpdateApplication",
    request_tag="{http://api.zanox.com/namespace/2011-03-01/}UpdateApplicationRequest",
    reply_tag="{http://api.zanox.com/namespace/2011-03-01/}UpdateApplicationResponse",
    authentication=("connectId", "timestamp", "nonce", "signature"),
    write_request=write_update_application_request,
    read_request=read_update_application_request,
    read_reply=read_update_application_response,
)

UPDATE_MEDIA_SLOT: Operation[UpdateMediaSlotRequest, UpdateMediaSlotResponse] = Operation(
    contract="publisher",
    name="UpdateMediaSlot",
    method="update_media_slot",
    signed=True,
    safe=False,
    soap_action="http://api.zanox.com/namespace/2011-03-01/UpdateMediaSlot",
    request_tag="{http://api.zanox.com/namespace/2011-03-01/}UpdateMediaSlotRequest",
    reply_tag="{http://api.zanox.com/namespace/2011-03-01/}UpdateMediaSlotResponse",
    authentication=("connectId", "timestamp", "nonce", "signature"),
    write_request=write_update_media_slot_request,
    read_request=read_update_media_slot_request,
    read_reply=read_update_media_slot_response,
)

UPDATE_PROFILE: Operation[UpdateProfileRequest, UpdateProfileResponse] = Operation(
    contract="publisher",
    name="UpdateProfile",
    method="update_profile",
    signed=True,
    safe=False,
    soap_action="http://api.zanox.com/namespace/2011-03-01/UpdateProfile",
    request_tag="{http://api.zanox.com/namespace/2011-03-01/}UpdateProfileRequest",
    reply_tag="{http://api.zanox.com/namespace/2011-03-01/}UpdateProfileResponse",
    authentication=("connectId", "timestamp", "nonce", "signature"),
    write_request=write_update_profile_request,
    read_request=read_update_profile_request,
    read_reply=read_update_profile_response,
    rest=rest.UPDATE_PROFILE,
)

UPDATE_SETTING: Operation[UpdateSettingRequest, UpdateSettingResponse] = Operation(
    contract="publisher",
    name="UpdateSetting",
    method="update_setting",
    signed=True,
    safe=False,
    soap_action="http://api.zanox.com/namespace/2011-03-01/UpdateSetting",
    request_tag="{http://api.zanox.com/namespace/2011-03-01/}UpdateSettingRequest",
    reply_tag="{http://api.zanox.com/namespace/2011-03-01/}UpdateSettingResponse",
    authentication=("connectId", "timestamp", "nonce", "signature"),
    write_request=write_update_setting_request,
    read_request=read_update_setting_request,
    read_reply=read_update_setting_response,
)

GET_SALE_BASKET: ListOperation[GetSaleBasketRequest, GetSaleBasketResponse, BasketItem] = ListOperation(
    contract="publisher",
    name="GetSaleBasket",
    method="get_sale_basket",
    signed=True,
    safe=True,
    soap_action="",
    request_tag="{http://api.zanox.com/namespace/2011-03-01/}GetSaleBasketRequest",
    reply_tag="{http://api.zanox.com/namespace/2011-03-01/}GetSaleBasketResponse",
    authentication=(),
    write_request=write_get_sale_basket_request,
    read_request=read_get_sale_basket_request,
    read_reply=read_get_sale_basket_response,
    list_field="basket_items",
    list_tag="{http://api.zanox.com/namespace/2011-03-01/}basketItems",
    item_tag="{http://api.zanox.com/namespace/2011-03-01/}basketItem",
    read_item=read_basket_item,
    soap=False,
    rest=rest.GET_SALE_BASKET,
)

OPERATIONS: Mapping[str, AnyOperation] = {
    "CreateAdspace": CREATE_ADSPACE,
    "CreateApplication": CREATE_APPLICATION,
    "CreateMediaSlot": CREATE_MEDIA_SLOT,
    "CreateProgramApplication": CREATE_PROGRAM_APPLICATION,
    "CreateSetting": CREATE_SETTING,
    "DeleteAdspace": DELETE_ADSPACE,
    "DeleteApplication": DELETE_APPLICATION,
    "DeleteMediaSlot": DELETE_MEDIA_SLOT,
    "DeleteProgramApplication": DELETE_PROGRAM_APPLICATION,
    "DeleteSetting": DELETE_SETTING,
    "GetAdmedia": GET_ADMEDIA,
    "GetAdmedium": GET_ADMEDIUM,
    "GetAdmediumCategories": GET_ADMEDIUM_CATEGORIES,
    "GetAdspace": GET_ADSPACE,
    "GetAdspaces": GET_ADSPACES,
    "GetApplication": GET_APPLICATION,
    "GetApplications": GET_APPLICATIONS,
    "GetBalance": GET_BALANCE,
    "GetBalances": GET_BALANCES,
    "GetBankAccount": GET_BANK_ACCOUNT,
    "GetBankAccounts": GET_BANK_ACCOUNTS,
    "GetExclusiveIncentive": GET_EXCLUSIVE_INCENTIVE,
    "GetIncentive": GET_INCENTIVE,
    "GetLead": GET_LEAD,
    "GetLeads": GET_LEADS,
    "GetMediaSlot": GET_MEDIA_SLOT,
    "GetMediaSlots": GET_MEDIA_SLOTS,
    "GetPayment": GET_PAYMENT,
    "GetPayments": GET_PAYMENTS,
    "GetProduct": GET_PRODUCT,
    "GetProductCategories": GET_PRODUCT_CATEGORIES,
    "GetProfile": GET_PROFILE,
    "GetProgram": GET_PROGRAM,
    "GetProgramApplications": GET_PROGRAM_APPLICATIONS,
    "GetProgramCategories": GET_PROGRAM_CATEGORIES,
    "GetReportBasic": GET_REPORT_BASIC,
    "GetSale": GET_SALE,
    "GetSales": GET_SALES,
    "GetSetting": GET_SETTING,
    "GetSettings": GET_SETTINGS,
    "GetTrackingCategories": GET_TRACKING_CATEGORIES,
    "SearchExclusiveIncentives": SEARCH_EXCLUSIVE_INCENTIVES,
    "SearchIncentives": SEARCH_INCENTIVES,
    "SearchProducts": SEARCH_PRODUCTS,
    "SearchPrograms": SEARCH_PROGRAMS,
    "UpdateAdspace": UPDATE_ADSPACE,
    "UpdateApplication": UPDATE_APPLICATION,
    "UpdateMediaSlot": UPDATE_MEDIA_SLOT,
    "UpdateProfile": UPDATE_PROFILE,
    "UpdateSetting": UPDATE_SETTING,
    "GetSaleBasket": GET_SALE_BASKET,
}


class PublisherService:
    """The operations of PublisherService. Each call raises what the caller it goes through raises."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def create_adspace(
        self,
        *,
        adspace_item: AdspaceItem,
    ) -> CreateAdspaceResponse:
        """Creates an ad space of the caller.

        Signed. Never repeated by itself.

        Answer: adspace_item (AdspaceItem).
        """
        return self._caller.call(
            CREATE_ADSPACE,
            CreateAdspaceRequest(
                adspace_item=adspace_item,
            ),
        )

    def create_application(
        self,
        *,
        application_item: ApplicationItem,
    ) -> CreateApplicationResponse:
        """Registers an application of the caller and issues its keys.

        Signed. Never repeated by itself.

        Answer: application_item (ApplicationItem); secret_key (str); connect_id (str); public_key
        (str).
        """
        return self._caller.call(
            CREATE_APPLICATION,
            CreateApplicationRequest(
                application_item=application_item,
            ),
        )

    def create_media_slot(
        self,
        *,
        media_slot_item: MediaSlotItem,
    ) -> CreateMediaSlotResponse:
        """Creates a media slot on an ad space of the caller.

        Signed. Never repeated by itself.

        Answer: media_slot_item (MediaSlotItem).
        """
        return self._caller.call(
            CREATE_MEDIA_SLOT,
            CreateMediaSlotRequest(
                media_slot_item=media_slot_item,
            ),
        )

    def create_program_application(
        self,
        *,
        program_id: int,
        adspace_id: int,
        publisher_comment: str | None = None,
    ) -> CreateProgramApplicationResponse:
        """Applies to a program with an ad space of the caller.

        Signed. Never repeated by itself. publisher_comment: SOAP alone.

        Answer: program_application_item (ProgramApplicationItem).
        """
        return self._caller.call(
            CREATE_PROGRAM_APPLICATION,
            CreateProgramApplicationRequest(
                program_id=program_id,
                adspace_id=adspace_id,
                publisher_comment=publisher_comment,
            ),
        )

    def create_setting(
        self,
        *,
        setting_item: SettingItem,
    ) -> CreateSettingResponse:
        """Stores a setting of an application.

        Signed. Never repeated by itself.

        Answer: setting_item (SettingItem).
        """
        return self._caller.call(
            CREATE_SETTING,
            CreateSettingRequest(
                setting_item=setting_item,
            ),
        )

    def delete_adspace(
        self,
        *,
        adspace_id: int,
    ) -> DeleteAdspaceResponse:
        """Deletes an ad space of the caller.

        Signed. Never repeated by itself.

        Answer: count (int).
        """
        return self._caller.call(
            DELETE_ADSPACE,
            DeleteAdspaceRequest(
                adspace_id=adspace_id,
            ),
        )

    def delete_application(
        self,
        *,
        application_id: str,
    ) -> DeleteApplicationResponse:
        """Deletes an application of the caller.

        Signed. Never repeated by itself.

        Answer: count (int).
        """
        return self._caller.call(
            DELETE_APPLICATION,
            DeleteApplicationRequest(
                application_id=application_id,
            ),
        )

    def delete_media_slot(
        self,
        *,
        media_slot_id: str,
    ) -> DeleteMediaSlotResponse:
        """Deletes a media slot of the caller.

        Signed. Never repeated by itself.

        Answer: count (int).
        """
        return self._caller.call(
            DELETE_MEDIA_SLOT,
            DeleteMediaSlotRequest(
                media_slot_id=media_slot_id,
            ),
        )

    def delete_program_application(
        self,
        *,
        program_id: int,
        adspace_id: int,
    ) -> DeleteProgramApplicationResponse:
        """Ends the partnership between a program and an ad space.

        Signed. Never repeated by itself.

        Answer: count (int).
        """
        return self._caller.call(
            DELETE_PROGRAM_APPLICATION,
            DeleteProgramApplicationRequest(
                program_id=program_id,
                adspace_id=adspace_id,
            ),
        )

    def delete_setting(
        self,
        *,
        key: str,
        application_id: str,
    ) -> DeleteSettingResponse:
        """Deletes a setting of an application.

        Signed. Never repeated by itself.

        Answer: count (int).
        """
        return self._caller.call(
            DELETE_SETTING,
            DeleteSettingRequest(
                key=key,
                application_id=application_id,
            ),
        )

    def get_admedia(
        self,
        *,
        q: str | None = None,
        program_id: int | None = None,
        region: str | None = None,
        format: int | None = None,
        partner_ship: PartnerShip | PartnerShipValue | None = None,
        purpose: AdmediaPurpose | AdmediaPurposeValue | None = None,
        admedium_type: AdmediaType | AdmediaTypeValue | None = None,
        category_id: int | None = None,
        adspace_id: int | None = None,
        page: int | None = None,
        items: int | None = None,
    ) -> GetAdmediaResponse:
        """Searches ad media (banners and links) with their tracking links.

        Public: the connect ID alone will do. Repeated by itself after a passing failure. q: SOAP alone.

        Answer: page (int); items (int); total (int); admedium_items, a list of AdmediumItem or None.
        """
        return self._caller.call(
            GET_ADMEDIA,
            GetAdmediaRequest(
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
            ),
        )

    def get_admedium(
        self,
        *,
        admedium_id: int | None = None,
        adspace_id: int | None = None,
        tracking_link: str | None = None,
    ) -> GetAdmediumResponse:
        """Returns one ad medium.

        Public: the connect ID alone will do. Repeated by itself after a passing failure. tracking_link:
        SOAP alone.

        Answer: admedium_item (AdmediumItem) or None.
        """
        return self._caller.call(
            GET_ADMEDIUM,
            GetAdmediumRequest(
                admedium_id=admedium_id,
                adspace_id=adspace_id,
                tracking_link=tracking_link,
            ),
        )

    def get_admedium_categories(
        self,
        *,
        program_id: int,
    ) -> GetAdmediumCategoriesResponse:
        """Returns the ad media categories that the advertiser defined for a program.

        Public: the connect ID alone will do. Repeated by itself after a passing failure.

        Answer: categories, a list of SubStringIdentifierType or None.
        """
        return self._caller.call(
            GET_ADMEDIUM_CATEGORIES,
            GetAdmediumCategoriesRequest(
                program_id=program_id,
            ),
        )

    def get_adspace(
        self,
        *,
        adspace_id: int,
    ) -> GetAdspaceResponse:
        """Returns one ad space of the caller.

        Signed. Repeated by itself after a passing failure.

        Answer: adspace_item (AdspaceItem) or None.
        """
        return self._caller.call(
            GET_ADSPACE,
            GetAdspaceRequest(
                adspace_id=adspace_id,
            ),
        )

    def get_adspaces(
        self,
        *,
        page: int | None = None,
        items: int | None = None,
    ) -> GetAdspacesResponse:
        """Returns the ad spaces of the caller.

        Signed. Repeated by itself after a passing failure.

        Answer: page (int); items (int); total (int); adspace_items, a list of AdspaceItem or None.
        """
        return self._caller.call(
            GET_ADSPACES,
            GetAdspacesRequest(
                page=page,
                items=items,
            ),
        )

    def get_application(
        self,
        *,
        application_id: str,
    ) -> GetApplicationResponse:
        """Returns one application.

        Signed. Repeated by itself after a passing failure.

        Answer: application_item (ApplicationItem) or None.
        """
        return self._caller.call(
            GET_APPLICATION,
            GetApplicationRequest(
                application_id=application_id,
            ),
        )

    def get_applications(
        self,
        *,
        name: str | None = None,
        size: SizeType | None = None,
        role: RoleType | RoleTypeValue | None = None,
        application_type: ApplicationType | ApplicationTypeValue | None = None,
        page: int | None = None,
        items: int | None = None,
    ) -> GetApplicationsResponse:
        """Returns applications.

        Signed. Repeated by itself after a passing failure.

        Answer: page (int); items (int); total (int); application_items, a list of ApplicationItem or
        None.
        """
        return self._caller.call(
            GET_APPLICATIONS,
            GetApplicationsRequest(
                name=name,
                size=size,
                role=role,
                application_type=application_type,
                page=page,
                items=items,
            ),
        )

    def get_balance(
        self,
        *,
        currency: str,
    ) -> GetBalanceResponse:
        """Returns the caller's balance in one currency.

        Signed. Repeated by itself after a passing failure.

        Answer: balance_item (BalanceItem) or None.
        """
        return self._caller.call(
            GET_BALANCE,
            GetBalanceRequest(
                currency=currency,
            ),
        )

    def get_balances(
        self,
        *,
        page: int | None = None,
        items: int | None = None,
    ) -> GetBalancesResponse:
        """Returns the balances of the caller's accounts, one for each currency.

        Signed. Repeated by itself after a passing failure.

        Answer: page (int); items (int); total (int); balance_items, a list of BalanceItem or None.
        """
        return self._caller.call(
            GET_BALANCES,
            GetBalancesRequest(
                page=page,
                items=items,
            ),
        )

    def get_bank_account(
        self,
        *,
        bank_account_id: str,
    ) -> GetBankAccountResponse:
        """Returns one bank account of the caller.

        Signed. Repeated by itself after a passing failure.

        Answer: bank_account_item (BankAccountItem) or None.
        """
        return self._caller.call(
            GET_BANK_ACCOUNT,
            GetBankAccountRequest(
                bank_account_id=bank_account_id,
            ),
        )

    def get_bank_accounts(
        self,
        *,
        page: int | None = None,
        items: int | None = None,
    ) -> GetBankAccountsResponse:
        """Returns the bank accounts of the caller.

        Signed. Repeated by itself after a passing failure.

        Answer: page (int); items (int); total (int); bank_account_items, a list of BankAccountItem or
        None.
        """
        return self._caller.call(
            GET_BANK_ACCOUNTS,
            GetBankAccountsRequest(
                page=page,
                items=items,
            ),
        )

    def get_exclusive_incentive(
        self,
        *,
        incentive_id: str,
        adspace_id: int | None = None,
    ) -> GetExclusiveIncentiveResponse:
        """Returns one exclusive incentive.

        Signed. Repeated by itself after a passing failure.

        Answer: incentive_item (IncentiveItem) or None.
        """
        return self._caller.call(
            GET_EXCLUSIVE_INCENTIVE,
            GetExclusiveIncentiveRequest(
                incentive_id=incentive_id,
                adspace_id=adspace_id,
            ),
        )

    def get_incentive(
        self,
        *,
        incentive_id: str,
        adspace_id: int | None = None,
    ) -> GetIncentiveResponse:
        """Returns one public incentive.

        Public: the connect ID alone will do. Repeated by itself after a passing failure.

        Answer: incentive_item (IncentiveItem) or None.
        """
        return self._caller.call(
            GET_INCENTIVE,
            GetIncentiveRequest(
                incentive_id=incentive_id,
                adspace_id=adspace_id,
            ),
        )

    def get_lead(
        self,
        *,
        lead_id: str,
    ) -> GetLeadResponse:
        """Returns one lead.

        Signed. Repeated by itself after a passing failure.

        Answer: lead_item (LeadItem) or None.
        """
        return self._caller.call(
            GET_LEAD,
            GetLeadRequest(
                lead_id=lead_id,
            ),
        )

    def get_leads(
        self,
        *,
        date: dt.date,
        program_id: int | None = None,
        adspace_id: int | None = None,
        review_state: ReviewState | ReviewStateValue | None = None,
        date_type: DateType | DateTypeValue | None = None,
        page: int | None = None,
        items: int | None = None,
    ) -> GetLeadsResponse:
        """Returns the leads of a day.

        Signed. Repeated by itself after a passing failure. date_type: required over SOAP, optional over
        REST.

        Answer: page (int); items (int); total (int); lead_items, a list of LeadItem or None.
        """
        return self._caller.call(
            GET_LEADS,
            GetLeadsRequest(
                program_id=program_id,
                adspace_id=adspace_id,
                review_state=review_state,
                date=date,
                date_type=date_type,
                page=page,
                items=items,
            ),
        )

    def get_media_slot(
        self,
        *,
        media_slot_id: str,
    ) -> GetMediaSlotResponse:
        """Returns one media slot of the caller.

        Signed. Repeated by itself after a passing failure.

        Answer: media_slot_item (MediaSlotItem) or None.
        """
        return self._caller.call(
            GET_MEDIA_SLOT,
            GetMediaSlotRequest(
                media_slot_id=media_slot_id,
            ),
        )

    def get_media_slots(
        self,
        *,
        adspace_id: int | None = None,
        size: SizeType | None = None,
        page: int | None = None,
        items: int | None = None,
    ) -> GetMediaSlotsResponse:
        """Returns the media slots of the caller.

        Signed. Repeated by itself after a passing failure.

        Answer: page (int); items (int); total (int); media_slot_items, a list of MediaSlotItem or None.
        """
        return self._caller.call(
            GET_MEDIA_SLOTS,
            GetMediaSlotsRequest(
                adspace_id=adspace_id,
                size=size,
                page=page,
                items=items,
            ),
        )

    def get_payment(
        self,
        *,
        payment_id: str,
    ) -> GetPaymentResponse:
        """Returns one payment to the caller.

        Signed. Repeated by itself after a passing failure.

        Answer: payment_item (PaymentItem) or None.
        """
        return self._caller.call(
            GET_PAYMENT,
            GetPaymentRequest(
                payment_id=payment_id,
            ),
        )

    def get_payments(
        self,
        *,
        page: int | None = None,
        items: int | None = None,
    ) -> GetPaymentsResponse:
        """Returns the payments to the caller.

        Signed. Repeated by itself after a passing failure.

        Answer: page (int); items (int); total (int); payment_items, a list of PaymentItem or None.
        """
        return self._caller.call(
            GET_PAYMENTS,
            GetPaymentsRequest(
                page=page,
                items=items,
            ),
        )

    def get_product(
        self,
        *,
        zup_id: str,
        adspace_id: int | None = None,
    ) -> GetProductResponse:
        """Returns one product.

        Public: the connect ID alone will do. Repeated by itself after a passing failure.

        Answer: product_item (ProductItem) or None.
        """
        return self._caller.call(
            GET_PRODUCT,
            GetProductRequest(
                zup_id=zup_id,
                adspace_id=adspace_id,
            ),
        )

    def get_product_categories(
        self,
        *,
        root_category: int | None = None,
        include_childs: bool | None = None,
        region: str | None = None,
    ) -> GetProductCategoriesResponse:
        """Returns the tree of product categories.

        Public: the connect ID alone will do. Repeated by itself after a passing failure.

        Answer: categories, a list of ProductCategoryType or None.
        """
        return self._caller.call(
            GET_PRODUCT_CATEGORIES,
            GetProductCategoriesRequest(
                root_category=root_category,
                include_childs=include_childs,
                region=region,
            ),
        )

    def get_profile(self) -> GetProfileResponse:
        """Returns the caller's profile.

        Signed. Repeated by itself after a passing failure.

        Answer: profile_item (ProfileItem) or None.
        """
        return self._caller.call(
            GET_PROFILE,
            GetProfileRequest(),
        )

    def get_program(
        self,
        *,
        program_id: int,
    ) -> GetProgramResponse:
        """Returns one program.

        Public: the connect ID alone will do. Repeated by itself after a passing failure.

        Answer: program_item (ProgramItem) or None.
        """
        return self._caller.call(
            GET_PROGRAM,
            GetProgramRequest(
                program_id=program_id,
            ),
        )

    def get_program_applications(
        self,
        *,
        adspace_id: int | None = None,
        program_id: int | None = None,
        status: ProgramApplicationStatus | ProgramApplicationStatusValue | None = None,
        page: int | None = None,
        items: int | None = None,
    ) -> GetProgramApplicationsResponse:
        """Returns the caller's program applications.

        Signed. Repeated by itself after a passing failure.

        Answer: page (int); items (int); total (int); program_application_items, a list of
        ProgramApplicationItem or None.
        """
        return self._caller.call(
            GET_PROGRAM_APPLICATIONS,
            GetProgramApplicationsRequest(
                adspace_id=adspace_id,
                program_id=program_id,
                status=status,
                page=page,
                items=items,
            ),
        )

    def get_program_categories(self) -> GetProgramCategoriesResponse:
        """Returns the program categories.

        Public: the connect ID alone will do. Repeated by itself after a passing failure.

        Answer: categories, a list of SubStringIdentifierType or None.
        """
        return self._caller.call(
            GET_PROGRAM_CATEGORIES,
            GetProgramCategoriesRequest(),
        )

    def get_report_basic(
        self,
        *,
        from_date: dt.date,
        to_date: dt.date,
        currency: str | None = None,
        program_id: int | None = None,
        admedium_id: int | None = None,
        adspace_id: int | None = None,
        review_state: ReviewState | ReviewStateValue | None = None,
        group_by: Sequence[GroupBy | GroupByValue] = (),
        date_type: DateType | DateTypeValue | None = None,
    ) -> GetReportBasicResponse:
        """Returns basic statistics of views, clicks, leads and sales, both days included.

        Signed. Repeated by itself after a passing failure. date_type: REST alone.

        Answer: page (int); items (int); total (int); report_items, a list of ReportItem or None.
        """
        return self._caller.call(
            GET_REPORT_BASIC,
            GetReportBasicRequest(
                currency=currency,
                program_id=program_id,
                admedium_id=admedium_id,
                adspace_id=adspace_id,
                review_state=review_state,
                group_by=copied(group_by),
                from_date=from_date,
                to_date=to_date,
                date_type=date_type,
            ),
        )

    def get_sale(
        self,
        *,
        sale_id: str,
    ) -> GetSaleResponse:
        """Returns one sale.

        Signed. Repeated by itself after a passing failure.

        Answer: sale_item (SaleItem) or None.
        """
        return self._caller.call(
            GET_SALE,
            GetSaleRequest(
                sale_id=sale_id,
            ),
        )

    def get_sales(
        self,
        *,
        date: dt.date,
        program_id: int | None = None,
        adspace_id: int | None = None,
        review_state: ReviewState | ReviewStateValue | None = None,
        date_type: DateType | DateTypeValue | None = None,
        page: int | None = None,
        items: int | None = None,
    ) -> GetSalesResponse:
        """Returns the sales of a day.

        Signed. Repeated by itself after a passing failure. date_type: required over SOAP, optional over
        REST.

        Answer: page (int); items (int); total (int); sale_items, a list of SaleItem or None.
        """
        return self._caller.call(
            GET_SALES,
            GetSalesRequest(
                program_id=program_id,
                adspace_id=adspace_id,
                review_state=review_state,
                date=date,
                date_type=date_type,
                page=page,
                items=items,
            ),
        )

    def get_setting(
        self,
        *,
        application_id: str,
        key: str,
        media_slot_id: str | None = None,
    ) -> GetSettingResponse:
        """Returns one setting of an application.

        Public: the connect ID alone will do. Repeated by itself after a passing failure.

        Answer: setting_item (SettingItem).
        """
        return self._caller.call(
            GET_SETTING,
            GetSettingRequest(
                application_id=application_id,
                media_slot_id=media_slot_id,
                key=key,
            ),
        )

    def get_settings(
        self,
        *,
        application_id: str | None = None,
        media_slot_id: str | None = None,
        page: int | None = None,
        items: int | None = None,
    ) -> GetSettingsResponse:
        """Returns the settings of an application.

        Public: the connect ID alone will do. Repeated by itself after a passing failure.

        Answer: page (int); items (int); total (int); setting_items, a list of SettingItem or None.
        """
        return self._caller.call(
            GET_SETTINGS,
            GetSettingsRequest(
                application_id=application_id,
                media_slot_id=media_slot_id,
                page=page,
                items=items,
            ),
        )

    def get_tracking_categories(
        self,
        *,
        adspace_id: int,
        program_id: int,
        page: int | None = None,
        items: int | None = None,
    ) -> GetTrackingCategoriesResponse:
        """Returns the commission models that the advertiser assigned to an ad space, default or
        individual.

        Signed. Repeated by itself after a passing failure. page: SOAP alone. items: SOAP alone.

        Answer: page (int); items (int); total (int); tracking_category_item, a list of
        TrackingCategoryItem or None.
        """
        return self._caller.call(
            GET_TRACKING_CATEGORIES,
            GetTrackingCategoriesRequest(
                adspace_id=adspace_id,
                program_id=program_id,
                page=page,
                items=items,
            ),
        )

    def search_exclusive_incentives(
        self,
        *,
        page: int | None = None,
        items: int | None = None,
        program_id: int | None = None,
        incentive_type: IncentiveType | IncentiveTypeValue | None = None,
        region: str | None = None,
        adspace_id: int | None = None,
    ) -> SearchExclusiveIncentivesResponse:
        """Searches the exclusive incentives (coupons and the like) open to the caller.

        Signed. Repeated by itself after a passing failure.

        Answer: page (int); items (int); total (int); incentive_items, a list of IncentiveItem or None.
        """
        return self._caller.call(
            SEARCH_EXCLUSIVE_INCENTIVES,
            SearchExclusiveIncentivesRequest(
                page=page,
                items=items,
                program_id=program_id,
                incentive_type=incentive_type,
                region=region,
                adspace_id=adspace_id,
            ),
        )

    def search_incentives(
        self,
        *,
        page: int | None = None,
        items: int | None = None,
        program_id: int | None = None,
        incentive_type: IncentiveType | IncentiveTypeValue | None = None,
        region: str | None = None,
        adspace_id: int | None = None,
    ) -> SearchIncentivesResponse:
        """Searches the public, non-exclusive incentives (coupons and the like).

        Public: the connect ID alone will do. Repeated by itself after a passing failure.

        Answer: page (int); items (int); total (int); incentive_items, a list of IncentiveItem or None.
        """
        return self._caller.call(
            SEARCH_INCENTIVES,
            SearchIncentivesRequest(
                page=page,
                items=items,
                program_id=program_id,
                incentive_type=incentive_type,
                region=region,
                adspace_id=adspace_id,
            ),
        )

    def search_products(
        self,
        *,
        query: str | None = None,
        search_type: SearchType | SearchTypeValue | None = None,
        region: str | None = None,
        category_id: int | None = None,
        program_id: Sequence[int] = (),
        has_images: bool | None = None,
        min_price: int | None = None,
        max_price: int | None = None,
        adspace_id: int | None = None,
        page: int | None = None,
        items: int | None = None,
        ean: str | None = None,
        merchant_category: Sequence[str] = (),
        partnership: ProductPartnership | ProductPartnershipValue | None = None,
    ) -> SearchProductsResponse:
        """Searches products.

        Public: the connect ID alone will do. Repeated by itself after a passing failure. category_id:
        SOAP alone. ean: REST alone. merchant_category: REST alone. partnership: REST alone. query:
        required over SOAP, optional over REST.

        Answer: page (int); items (int); total (int); query (str) or None; product_items, a list of
        ProductItem or None.
        """
        return self._caller.call(
            SEARCH_PRODUCTS,
            SearchProductsRequest(
                query=query,
                search_type=search_type,
                region=region,
                category_id=category_id,
                program_id=copied(program_id),
                has_images=has_images,
                min_price=min_price,
                max_price=max_price,
                adspace_id=adspace_id,
                page=page,
                items=items,
                ean=ean,
                merchant_category=copied(merchant_category),
                partnership=partnership,
            ),
        )

    def search_programs(
        self,
        *,
        query: str | None = None,
        start_date: dt.date | None = None,
        partner_ship: PartnerShip | PartnerShipValue | None = None,
        has_products: bool | None = None,
        region: str | None = None,
        category_id: int | None = None,
        page: int | None = None,
        items: int | None = None,
        industry: int | None = None,
        is_exclusive: bool | None = None,
    ) -> SearchProgramsResponse:
        """Searches programs.

        Public: the connect ID alone will do. Repeated by itself after a passing failure. category_id:
        SOAP alone. industry: REST alone. is_exclusive: REST alone.

        Answer: page (int); items (int); total (int); query (str) or None; program_items, a list of
        ProgramItem or None.
        """
        return self._caller.call(
            SEARCH_PROGRAMS,
            SearchProgramsRequest(
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
            ),
        )

    def update_adspace(
        self,
        *,
        adspace_item: AdspaceItem,
    ) -> UpdateAdspaceResponse:
        """Changes an ad space of the caller.

        Signed. Never repeated by itself.

        Answer: adspace_item (AdspaceItem).
        """
        return self._caller.call(
            UPDATE_ADSPACE,
            UpdateAdspaceRequest(
                adspace_item=adspace_item,
            ),
        )

    def update_application(
        self,
        *,
        application_item: ApplicationItem,
    ) -> UpdateApplicationResponse:
        """Changes an application of the caller.

        Signed. Never repeated by itself.

        Answer: application_item (ApplicationItem).
        """
        return self._caller.call(
            UPDATE_APPLICATION,
            UpdateApplicationRequest(
                application_item=application_item,
            ),
        )

    def update_media_slot(
        self,
        *,
        media_slot_item: MediaSlotItem,
    ) -> UpdateMediaSlotResponse:
        """Changes a media slot of the caller.

        Signed. Never repeated by itself.

        Answer: media_slot_item (MediaSlotItem).
        """
        return self._caller.call(
            UPDATE_MEDIA_SLOT,
            UpdateMediaSlotRequest(
                media_slot_item=media_slot_item,
            ),
        )

    def update_profile(
        self,
        *,
        profile_item: ProfileItem | ProfileItemChanges,
    ) -> UpdateProfileResponse:
        """Changes the caller's profile; login name, user name and e-mail address cannot change.

        Signed. Never repeated by itself.

        Answer: profile_item (ProfileItem).
        """
        return self._caller.call(
            UPDATE_PROFILE,
            UpdateProfileRequest(
                profile_item=profile_item,
            ),
        )

    def update_setting(
        self,
        *,
        setting_item: SettingItem,
    ) -> UpdateSettingResponse:
        """Changes a setting of an application.

        Signed. Never repeated by itself.

        Answer: setting_item (SettingItem).
        """
        return self._caller.call(
            UPDATE_SETTING,
            UpdateSettingRequest(
                setting_item=setting_item,
            ),
        )

    def get_sale_basket(
        self,
        *,
        sale_id: str,
    ) -> GetSaleBasketResponse:
        """The basket of a sale: one item per product.

        Signed. Repeated by itself after a passing failure. REST alone has it.

        Answer: basket_items, a list of BasketItem or None.
        """
        return self._caller.call(
            GET_SALE_BASKET,
            GetSaleBasketRequest(
                sale_id=sale_id,
            ),
        )


class PublisherServiceStreams:
    """The list operations of PublisherService, read item by item in constant memory."""

    def __init__(self, caller: StreamCaller) -> None:
        self._caller = caller

    def get_admedia(
        self,
        *,
        q: str | None = None,
        program_id: int | None = None,
        region: str | None = None,
        format: int | None = None,
        partner_ship: PartnerShip | PartnerShipValue | None = None,
        purpose: AdmediaPurpose | AdmediaPurposeValue | None = None,
        admedium_type: AdmediaType | AdmediaTypeValue | None = None,
        category_id: int | None = None,
        adspace_id: int | None = None,
        page: int | None = None,
        items: int | None = None,
    ) -> AbstractContextManager[ItemStream[GetAdmediaResponse, AdmediumItem]]:
        """Searches ad media (banners and links) with their tracking links.

        Public: the connect ID alone will do. Repeated by itself after a passing failure. q: SOAP alone.

        Answer: page (int); items (int); total (int); admedium_items, a list of AdmediumItem or None.
        """
        return self._caller.stream(
            GET_ADMEDIA,
            GetAdmediaRequest(
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
            ),
        )

    def get_admedium_categories(
        self,
        *,
        program_id: int,
    ) -> AbstractContextManager[ItemStream[GetAdmediumCategoriesResponse, SubStringIdentifierType]]:
        """Returns the ad media categories that the advertiser defined for a program.

        Public: the connect ID alone will do. Repeated by itself after a passing failure.

        Answer: categories, a list of SubStringIdentifierType or None.
        """
        return self._caller.stream(
            GET_ADMEDIUM_CATEGORIES,
            GetAdmediumCategoriesRequest(
                program_id=program_id,
            ),
        )

    def get_adspaces(
        self,
        *,
        page: int | None = None,
        items: int | None = None,
    ) -> AbstractContextManager[ItemStream[GetAdspacesResponse, AdspaceItem]]:
        """Returns the ad spaces of the caller.

        Signed. Repeated by itself after a passing failure.

        Answer: page (int); items (int); total (int); adspace_items, a list of AdspaceItem or None.
        """
        return self._caller.stream(
            GET_ADSPACES,
            GetAdspacesRequest(
                page=page,
                items=items,
            ),
        )

    def get_applications(
        self,
        *,
        name: str | None = None,
        size: SizeType | None = None,
        role: RoleType | RoleTypeValue | None = None,
        application_type: ApplicationType | ApplicationTypeValue | None = None,
        page: int | None = None,
        items: int | None = None,
    ) -> AbstractContextManager[ItemStream[GetApplicationsResponse, ApplicationItem]]:
        """Returns applications.

        Signed. Repeated by itself after a passing failure.

        Answer: page (int); items (int); total (int); application_items, a list of ApplicationItem or
        None.
        """
        return self._caller.stream(
            GET_APPLICATIONS,
            GetApplicationsRequest(
                name=name,
                size=size,
                role=role,
                application_type=application_type,
                page=page,
                items=items,
            ),
        )

    def get_balances(
        self,
        *,
        page: int | None = None,
        items: int | None = None,
    ) -> AbstractContextManager[ItemStream[GetBalancesResponse, BalanceItem]]:
        """Returns the balances of the caller's accounts, one for each currency.

        Signed. Repeated by itself after a passing failure.

        Answer: page (int); items (int); total (int); balance_items, a list of BalanceItem or None.
        """
        return self._caller.stream(
            GET_BALANCES,
            GetBalancesRequest(
                page=page,
                items=items,
            ),
        )

    def get_bank_accounts(
        self,
        *,
        page: int | None = None,
        items: int | None = None,
    ) -> AbstractContextManager[ItemStream[GetBankAccountsResponse, BankAccountItem]]:
        """Returns the bank accounts of the caller.

        Signed. Repeated by itself after a passing failure.

        Answer: page (int); items (int); total (int); bank_account_items, a list of BankAccountItem or
        None.
        """
        return self._caller.stream(
            GET_BANK_ACCOUNTS,
            GetBankAccountsRequest(
                page=page,
                items=items,
            ),
        )

    def get_leads(
        self,
        *,
        date: dt.date,
        program_id: int | None = None,
        adspace_id: int | None = None,
        review_state: ReviewState | ReviewStateValue | None = None,
        date_type: DateType | DateTypeValue | None = None,
        page: int | None = None,
        items: int | None = None,
    ) -> AbstractContextManager[ItemStream[GetLeadsResponse, LeadItem]]:
        """Returns the leads of a day.

        Signed. Repeated by itself after a passing failure. date_type: required over SOAP, optional over
        REST.

        Answer: page (int); items (int); total (int); lead_items, a list of LeadItem or None.
        """
        return self._caller.stream(
            GET_LEADS,
            GetLeadsRequest(
                program_id=program_id,
                adspace_id=adspace_id,
                review_state=review_state,
                date=date,
                date_type=date_type,
                page=page,
                items=items,
            ),
        )

    def get_media_slots(
        self,
        *,
        adspace_id: int | None = None,
        size: SizeType | None = None,
        page: int | None = None,
        items: int | None = None,
    ) -> AbstractContextManager[ItemStream[GetMediaSlotsResponse, MediaSlotItem]]:
        """Returns the media slots of the caller.

        Signed. Repeated by itself after a passing failure.

        Answer: page (int); items (int); total (int); media_slot_items, a list of MediaSlotItem or None.
        """
        return self._caller.stream(
            GET_MEDIA_SLOTS,
            GetMediaSlotsRequest(
                adspace_id=adspace_id,
                size=size,
                page=page,
                items=items,
            ),
        )

    def get_payments(
        self,
        *,
        page: int | None = None,
        items: int | None = None,
    ) -> AbstractContextManager[ItemStream[GetPaymentsResponse, PaymentItem]]:
        """Returns the payments to the caller.

        Signed. Repeated by itself after a passing failure.

        Answer: page (int); items (int); total (int); payment_items, a list of PaymentItem or None.
        """
        return self._caller.stream(
            GET_PAYMENTS,
            GetPaymentsRequest(
                page=page,
                items=items,
            ),
        )

    def get_product_categories(
        self,
        *,
        root_category: int | None = None,
        include_childs: bool | None = None,
        region: str | None = None,
    ) -> AbstractContextManager[ItemStream[GetProductCategoriesResponse, ProductCategoryType]]:
        """Returns the tree of product categories.

        Public: the connect ID alone will do. Repeated by itself after a passing failure.

        Answer: categories, a list of ProductCategoryType or None.
        """
        return self._caller.stream(
            GET_PRODUCT_CATEGORIES,
            GetProductCategoriesRequest(
                root_category=root_category,
                include_childs=include_childs,
                region=region,
            ),
        )

    def get_program_applications(
        self,
        *,
        adspace_id: int | None = None,
        program_id: int | None = None,
        status: ProgramApplicationStatus | ProgramApplicationStatusValue | None = None,
        page: int | None = None,
        items: int | None = None,
    ) -> AbstractContextManager[ItemStream[GetProgramApplicationsResponse, ProgramApplicationItem]]:
        """Returns the caller's program applications.

        Signed. Repeated by itself after a passing failure.

        Answer: page (int); items (int); total (int); program_application_items, a list of
        ProgramApplicationItem or None.
        """
        return self._caller.stream(
            GET_PROGRAM_APPLICATIONS,
            GetProgramApplicationsRequest(
                adspace_id=adspace_id,
                program_id=program_id,
                status=status,
                page=page,
                items=items,
            ),
        )

    def get_program_categories(
        self,
    ) -> AbstractContextManager[ItemStream[GetProgramCategoriesResponse, SubStringIdentifierType]]:
        """Returns the program categories.

        Public: the connect ID alone will do. Repeated by itself after a passing failure.

        Answer: categories, a list of SubStringIdentifierType or None.
        """
        return self._caller.stream(
            GET_PROGRAM_CATEGORIES,
            GetProgramCategoriesRequest(),
        )

    def get_report_basic(
        self,
        *,
        from_date: dt.date,
        to_date: dt.date,
        currency: str | None = None,
        program_id: int | None = None,
        admedium_id: int | None = None,
        adspace_id: int | None = None,
        review_state: ReviewState | ReviewStateValue | None = None,
        group_by: Sequence[GroupBy | GroupByValue] = (),
        date_type: DateType | DateTypeValue | None = None,
    ) -> AbstractContextManager[ItemStream[GetReportBasicResponse, ReportItem]]:
        """Returns basic statistics of views, clicks, leads and sales, both days included.

        Signed. Repeated by itself after a passing failure. date_type: REST alone.

        Answer: page (int); items (int); total (int); report_items, a list of ReportItem or None.
        """
        return self._caller.stream(
            GET_REPORT_BASIC,
            GetReportBasicRequest(
                currency=currency,
                program_id=program_id,
                admedium_id=admedium_id,
                adspace_id=adspace_id,
                review_state=review_state,
                group_by=copied(group_by),
                from_date=from_date,
                to_date=to_date,
                date_type=date_type,
            ),
        )

    def get_sales(
        self,
        *,
        date: dt.date,
        program_id: int | None = None,
        adspace_id: int | None = None,
        review_state: ReviewState | ReviewStateValue | None = None,
        date_type: DateType | DateTypeValue | None = None,
        page: int | None = None,
        items: int | None = None,
    ) -> AbstractContextManager[ItemStream[GetSalesResponse, SaleItem]]:
        """Returns the sales of a day.

        Signed. Repeated by itself after a passing failure. date_type: required over SOAP, optional over
        REST.

        Answer: page (int); items (int); total (int); sale_items, a list of SaleItem or None.
        """
        return self._caller.stream(
            GET_SALES,
            GetSalesRequest(
                program_id=program_id,
                adspace_id=adspace_id,
                review_state=review_state,
                date=date,
                date_type=date_type,
                page=page,
                items=items,
            ),
        )

    def get_settings(
        self,
        *,
        application_id: str | None = None,
        media_slot_id: str | None = None,
        page: int | None = None,
        items: int | None = None,
    ) -> AbstractContextManager[ItemStream[GetSettingsResponse, SettingItem]]:
        """Returns the settings of an application.

        Public: the connect ID alone will do. Repeated by itself after a passing failure.

        Answer: page (int); items (int); total (int); setting_items, a list of SettingItem or None.
        """
        return self._caller.stream(
            GET_SETTINGS,
            GetSettingsRequest(
                application_id=application_id,
                media_slot_id=media_slot_id,
                page=page,
                items=items,
            ),
        )

    def get_tracking_categories(
        self,
        *,
        adspace_id: int,
        program_id: int,
        page: int | None = None,
        items: int | None = None,
    ) -> AbstractContextManager[ItemStream[GetTrackingCategoriesResponse, TrackingCategoryItem]]:
        """Returns the commission models that the advertiser assigned to an ad space, default or
        individual.

        Signed. Repeated by itself after a passing failure. page: SOAP alone. items: SOAP alone.

        Answer: page (int); items (int); total (int); tracking_category_item, a list of
        TrackingCategoryItem or None.
        """
        return self._caller.stream(
            GET_TRACKING_CATEGORIES,
            GetTrackingCategoriesRequest(
                adspace_id=adspace_id,
                program_id=program_id,
                page=page,
                items=items,
            ),
        )

    def search_exclusive_incentives(
        self,
        *,
        page: int | None = None,
        items: int | None = None,
        program_id: int | None = None,
        incentive_type: IncentiveType | IncentiveTypeValue | None = None,
        region: str | None = None,
        adspace_id: int | None = None,
    ) -> AbstractContextManager[ItemStream[SearchExclusiveIncentivesResponse, IncentiveItem]]:
        """Searches the exclusive incentives (coupons and the like) open to the caller.

        Signed. Repeated by itself after a passing failure.

        Answer: page (int); items (int); total (int); incentive_items, a list of IncentiveItem or None.
        """
        return self._caller.stream(
            SEARCH_EXCLUSIVE_INCENTIVES,
            SearchExclusiveIncentivesRequest(
                page=page,
                items=items,
                program_id=program_id,
                incentive_type=incentive_type,
                region=region,
                adspace_id=adspace_id,
            ),
        )

    def search_incentives(
        self,
        *,
        page: int | None = None,
        items: int | None = None,
        program_id: int | None = None,
        incentive_type: IncentiveType | IncentiveTypeValue | None = None,
        region: str | None = None,
        adspace_id: int | None = None,
    ) -> AbstractContextManager[ItemStream[SearchIncentivesResponse, IncentiveItem]]:
        """Searches the public, non-exclusive incentives (coupons and the like).

        Public: the connect ID alone will do. Repeated by itself after a passing failure.

        Answer: page (int); items (int); total (int); incentive_items, a list of IncentiveItem or None.
        """
        return self._caller.stream(
            SEARCH_INCENTIVES,
            SearchIncentivesRequest(
                page=page,
                items=items,
                program_id=program_id,
                incentive_type=incentive_type,
                region=region,
                adspace_id=adspace_id,
            ),
        )

    def search_products(
        self,
        *,
        query: str | None = None,
        search_type: SearchType | SearchTypeValue | None = None,
        region: str | None = None,
        category_id: int | None = None,
        program_id: Sequence[int] = (),
        has_images: bool | None = None,
        min_price: int | None = None,
        max_price: int | None = None,
        adspace_id: int | None = None,
        page: int | None = None,
        items: int | None = None,
        ean: str | None = None,
        merchant_category: Sequence[str] = (),
        partnership: ProductPartnership | ProductPartnershipValue | None = None,
    ) -> AbstractContextManager[ItemStream[SearchProductsResponse, ProductItem]]:
        """Searches products.

        Public: the connect ID alone will do. Repeated by itself after a passing failure. category_id:
        SOAP alone. ean: REST alone. merchant_category: REST alone. partnership: REST alone. query:
        required over SOAP, optional over REST.

        Answer: page (int); items (int); total (int); query (str) or None; product_items, a list of
        ProductItem or None.
        """
        return self._caller.stream(
            SEARCH_PRODUCTS,
            SearchProductsRequest(
                query=query,
                search_type=search_type,
                region=region,
                category_id=category_id,
                program_id=copied(program_id),
                has_images=has_images,
                min_price=min_price,
                max_price=max_price,
                adspace_id=adspace_id,
                page=page,
                items=items,
                ean=ean,
                merchant_category=copied(merchant_category),
                partnership=partnership,
            ),
        )

    def search_programs(
        self,
        *,
        query: str | None = None,
        start_date: dt.date | None = None,
        partner_ship: PartnerShip | PartnerShipValue | None = None,
        has_products: bool | None = None,
        region: str | None = None,
        category_id: int | None = None,
        page: int | None = None,
        items: int | None = None,
        industry: int | None = None,
        is_exclusive: bool | None = None,
    ) -> AbstractContextManager[ItemStream[SearchProgramsResponse, ProgramItem]]:
        """Searches programs.

        Public: the connect ID alone will do. Repeated by itself after a passing failure. category_id:
        SOAP alone. industry: REST alone. is_exclusive: REST alone.

        Answer: page (int); items (int); total (int); query (str) or None; program_items, a list of
        ProgramItem or None.
        """
        return self._caller.stream(
            SEARCH_PROGRAMS,
            SearchProgramsRequest(
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
            ),
        )

    def get_sale_basket(
        self,
        *,
        sale_id: str,
    ) -> AbstractContextManager[ItemStream[GetSaleBasketResponse, BasketItem]]:
        """The basket of a sale: one item per product.

        Signed. Repeated by itself after a passing failure. REST alone has it.

        Answer: basket_items, a list of BasketItem or None.
        """
        return self._caller.stream(
            GET_SALE_BASKET,
            GetSaleBasketRequest(
                sale_id=sale_id,
            ),
        )


class PublisherServicePages:
    """The list operations of PublisherService, their items over all pages, one by one."""

    def __init__(self, caller: PageCaller) -> None:
        self._caller = caller

    def get_admedia(
        self,
        *,
        q: str | None = None,
        program_id: int | None = None,
        region: str | None = None,
        format: int | None = None,
        partner_ship: PartnerShip | PartnerShipValue | None = None,
        purpose: AdmediaPurpose | AdmediaPurposeValue | None = None,
        admedium_type: AdmediaType | AdmediaTypeValue | None = None,
        category_id: int | None = None,
        adspace_id: int | None = None,
        page: int | None = None,
        items: int | None = None,
        on_page: OnPage | None = None,
    ) -> ItemPages[AdmediumItem]:
        """Searches ad media (banners and links) with their tracking links.

        Public: the connect ID alone will do. Repeated by itself after a passing failure. q: SOAP alone.

        Answer: page (int); items (int); total (int); admedium_items, a list of AdmediumItem or None.
        """
        return self._caller.pages(
            GET_ADMEDIA,
            GetAdmediaRequest(
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
            ),
            on_page,
        )

    def get_adspaces(
        self,
        *,
        page: int | None = None,
        items: int | None = None,
        on_page: OnPage | None = None,
    ) -> ItemPages[AdspaceItem]:
        """Returns the ad spaces of the caller.

        Signed. Repeated by itself after a passing failure.

        Answer: page (int); items (int); total (int); adspace_items, a list of AdspaceItem or None.
        """
        return self._caller.pages(
            GET_ADSPACES,
            GetAdspacesRequest(
                page=page,
                items=items,
            ),
            on_page,
        )

    def get_applications(
        self,
        *,
        name: str | None = None,
        size: SizeType | None = None,
        role: RoleType | RoleTypeValue | None = None,
        application_type: ApplicationType | ApplicationTypeValue | None = None,
        page: int | None = None,
        items: int | None = None,
        on_page: OnPage | None = None,
    ) -> ItemPages[ApplicationItem]:
        """Returns applications.

        Signed. Repeated by itself after a passing failure.

        Answer: page (int); items (int); total (int); application_items, a list of ApplicationItem or
        None.
        """
        return self._caller.pages(
            GET_APPLICATIONS,
            GetApplicationsRequest(
                name=name,
                size=size,
                role=role,
                application_type=application_type,
                page=page,
                items=items,
            ),
            on_page,
        )

    def get_balances(
        self,
        *,
        page: int | None = None,
        items: int | None = None,
        on_page: OnPage | None = None,
    ) -> ItemPages[BalanceItem]:
        """Returns the balances of the caller's accounts, one for each currency.

        Signed. Repeated by itself after a passing failure.

        Answer: page (int); items (int); total (int); balance_items, a list of BalanceItem or None.
        """
        return self._caller.pages(
            GET_BALANCES,
            GetBalancesRequest(
                page=page,
                items=items,
            ),
            on_page,
        )

    def get_bank_accounts(
        self,
        *,
        page: int | None = None,
        items: int | None = None,
        on_page: OnPage | None = None,
    ) -> ItemPages[BankAccountItem]:
        """Returns the bank accounts of the caller.

        Signed. Repeated by itself after a passing failure.

        Answer: page (int); items (int); total (int); bank_account_items, a list of BankAccountItem or
        None.
        """
        return self._caller.pages(
            GET_BANK_ACCOUNTS,
            GetBankAccountsRequest(
                page=page,
                items=items,
            ),
            on_page,
        )

    def get_leads(
        self,
        *,
        date: dt.date,
        program_id: int | None = None,
        adspace_id: int | None = None,
        review_state: ReviewState | ReviewStateValue | None = None,
        date_type: DateType | DateTypeValue | None = None,
        page: int | None = None,
        items: int | None = None,
        on_page: OnPage | None = None,
    ) -> ItemPages[LeadItem]:
        """Returns the leads of a day.

        Signed. Repeated by itself after a passing failure. date_type: required over SOAP, optional over
        REST.

        Answer: page (int); items (int); total (int); lead_items, a list of LeadItem or None.
        """
        return self._caller.pages(
            GET_LEADS,
            GetLeadsRequest(
                program_id=program_id,
                adspace_id=adspace_id,
                review_state=review_state,
                date=date,
                date_type=date_type,
                page=page,
                items=items,
            ),
            on_page,
        )

    def get_media_slots(
        self,
        *,
        adspace_id: int | None = None,
        size: SizeType | None = None,
        page: int | None = None,
        items: int | None = None,
        on_page: OnPage | None = None,
    ) -> ItemPages[MediaSlotItem]:
        """Returns the media slots of the caller.

        Signed. Repeated by itself after a passing failure.

        Answer: page (int); items (int); total (int); media_slot_items, a list of MediaSlotItem or None.
        """
        return self._caller.pages(
            GET_MEDIA_SLOTS,
            GetMediaSlotsRequest(
                adspace_id=adspace_id,
                size=size,
                page=page,
                items=items,
            ),
            on_page,
        )

    def get_payments(
        self,
        *,
        page: int | None = None,
        items: int | None = None,
        on_page: OnPage | None = None,
    ) -> ItemPages[PaymentItem]:
        """Returns the payments to the caller.

        Signed. Repeated by itself after a passing failure.

        Answer: page (int); items (int); total (int); payment_items, a list of PaymentItem or None.
        """
        return self._caller.pages(
            GET_PAYMENTS,
            GetPaymentsRequest(
                page=page,
                items=items,
            ),
            on_page,
        )

    def get_program_applications(
        self,
        *,
        adspace_id: int | None = None,
        program_id: int | None = None,
        status: ProgramApplicationStatus | ProgramApplicationStatusValue | None = None,
        page: int | None = None,
        items: int | None = None,
        on_page: OnPage | None = None,
    ) -> ItemPages[ProgramApplicationItem]:
        """Returns the caller's program applications.

        Signed. Repeated by itself after a passing failure.

        Answer: page (int); items (int); total (int); program_application_items, a list of
        ProgramApplicationItem or None.
        """
        return self._caller.pages(
            GET_PROGRAM_APPLICATIONS,
            GetProgramApplicationsRequest(
                adspace_id=adspace_id,
                program_id=program_id,
                status=status,
                page=page,
                items=items,
            ),
            on_page,
        )

    def get_sales(
        self,
        *,
        date: dt.date,
        program_id: int | None = None,
        adspace_id: int | None = None,
        review_state: ReviewState | ReviewStateValue | None = None,
        date_type: DateType | DateTypeValue | None = None,
        page: int | None = None,
        items: int | None = None,
        on_page: OnPage | None = None,
    ) -> ItemPages[SaleItem]:
        """Returns the sales of a day.

        Signed. Repeated by itself after a passing failure. date_type: required over SOAP, optional over
        REST.

        Answer: page (int); items (int); total (int); sale_items, a list of SaleItem or None.
        """
        return self._caller.pages(
            GET_SALES,
            GetSalesRequest(
                program_id=program_id,
                adspace_id=adspace_id,
                review_state=review_state,
                date=date,
                date_type=date_type,
                page=page,
                items=items,
            ),
            on_page,
        )

    def get_settings(
        self,
        *,
        application_id: str | None = None,
        media_slot_id: str | None = None,
        page: int | None = None,
        items: int | None = None,
        on_page: OnPage | None = None,
    ) -> ItemPages[SettingItem]:
        """Returns the settings of an application.

        Public: the connect ID alone will do. Repeated by itself after a passing failure.

        Answer: page (int); items (int); total (int); setting_items, a list of SettingItem or None.
        """
        return self._caller.pages(
            GET_SETTINGS,
            GetSettingsRequest(
                application_id=application_id,
                media_slot_id=media_slot_id,
                page=page,
                items=items,
            ),
            on_page,
        )

    def get_tracking_categories(
        self,
        *,
        adspace_id: int,
        program_id: int,
        page: int | None = None,
        items: int | None = None,
        on_page: OnPage | None = None,
    ) -> ItemPages[TrackingCategoryItem]:
        """Returns the commission models that the advertiser assigned to an ad space, default or
        individual.

        Signed. Repeated by itself after a passing failure. page: SOAP alone. items: SOAP alone.

        Answer: page (int); items (int); total (int); tracking_category_item, a list of
        TrackingCategoryItem or None.
        """
        return self._caller.pages(
            GET_TRACKING_CATEGORIES,
            GetTrackingCategoriesRequest(
                adspace_id=adspace_id,
                program_id=program_id,
                page=page,
                items=items,
            ),
            on_page,
        )

    def search_exclusive_incentives(
        self,
        *,
        page: int | None = None,
        items: int | None = None,
        program_id: int | None = None,
        incentive_type: IncentiveType | IncentiveTypeValue | None = None,
        region: str | None = None,
        adspace_id: int | None = None,
        on_page: OnPage | None = None,
    ) -> ItemPages[IncentiveItem]:
        """Searches the exclusive incentives (coupons and the like) open to the caller.

        Signed. Repeated by itself after a passing failure.

        Answer: page (int); items (int); total (int); incentive_items, a list of IncentiveItem or None.
        """
        return self._caller.pages(
            SEARCH_EXCLUSIVE_INCENTIVES,
            SearchExclusiveIncentivesRequest(
                page=page,
                items=items,
                program_id=program_id,
                incentive_type=incentive_type,
                region=region,
                adspace_id=adspace_id,
            ),
            on_page,
        )

    def search_incentives(
        self,
        *,
        page: int | None = None,
        items: int | None = None,
        program_id: int | None = None,
        incentive_type: IncentiveType | IncentiveTypeValue | None = None,
        region: str | None = None,
        adspace_id: int | None = None,
        on_page: OnPage | None = None,
    ) -> ItemPages[IncentiveItem]:
        """Searches the public, non-exclusive incentives (coupons and the like).

        Public: the connect ID alone will do. Repeated by itself after a passing failure.

        Answer: page (int); items (int); total (int); incentive_items, a list of IncentiveItem or None.
        """
        return self._caller.pages(
            SEARCH_INCENTIVES,
            SearchIncentivesRequest(
                page=page,
                items=items,
                program_id=program_id,
                incentive_type=incentive_type,
                region=region,
                adspace_id=adspace_id,
            ),
            on_page,
        )

    def search_products(
        self,
        *,
        query: str | None = None,
        search_type: SearchType | SearchTypeValue | None = None,
        region: str | None = None,
        category_id: int | None = None,
        program_id: Sequence[int] = (),
        has_images: bool | None = None,
        min_price: int | None = None,
        max_price: int | None = None,
        adspace_id: int | None = None,
        page: int | None = None,
        items: int | None = None,
        ean: str | None = None,
        merchant_category: Sequence[str] = (),
        partnership: ProductPartnership | ProductPartnershipValue | None = None,
        on_page: OnPage | None = None,
    ) -> ItemPages[ProductItem]:
        """Searches products.

        Public: the connect ID alone will do. Repeated by itself after a passing failure. category_id:
        SOAP alone. ean: REST alone. merchant_category: REST alone. partnership: REST alone. query:
        required over SOAP, optional over REST.

        Answer: page (int); items (int); total (int); query (str) or None; product_items, a list of
        ProductItem or None.
        """
        return self._caller.pages(
            SEARCH_PRODUCTS,
            SearchProductsRequest(
                query=query,
                search_type=search_type,
                region=region,
                category_id=category_id,
                program_id=copied(program_id),
                has_images=has_images,
                min_price=min_price,
                max_price=max_price,
                adspace_id=adspace_id,
                page=page,
                items=items,
                ean=ean,
                merchant_category=copied(merchant_category),
                partnership=partnership,
            ),
            on_page,
        )

    def search_programs(
        self,
        *,
        query: str | None = None,
        start_date: dt.date | None = None,
        partner_ship: PartnerShip | PartnerShipValue | None = None,
        has_products: bool | None = None,
        region: str | None = None,
        category_id: int | None = None,
        page: int | None = None,
        items: int | None = None,
        industry: int | None = None,
        is_exclusive: bool | None = None,
        on_page: OnPage | None = None,
    ) -> ItemPages[ProgramItem]:
        """Searches programs.

        Public: the connect ID alone will do. Repeated by itself after a passing failure. category_id:
        SOAP alone. industry: REST alone. is_exclusive: REST alone.

        Answer: page (int); items (int); total (int); query (str) or None; program_items, a list of
        ProgramItem or None.
        """
        return self._caller.pages(
            SEARCH_PROGRAMS,
            SearchProgramsRequest(
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
            ),
            on_page,
        )
