# Made by `bindgen generate publisher`. Do not edit: change the contract, run it again.
# contract: https://publisher.invalid/wsdl/2011-03-01
# its sha256: 2c637d43dec3eb4cae38bb97e9d452d7a0db3d6a230481ffd340d2b1a61e3da1
# sha256 of the additional schema: feb5b9b3c9bf6622c6fba923cec52cbd907fb7134c8e07640035c7242d9e8081
# sha256 of its settings in contracts.toml: 8532ac43c48089072cd100fb344645f0694ff8915740121122b70408f71fc8d3
"""The operations of publisher 2011-03-01."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from soapclient.runtime.asynchronous import AsyncCaller, awaited, paged_async, streamed_async
from soapclient.runtime.operations import ListOperation, Operation, PageCaller, StreamCaller, paged, streamed
from soapclient.runtime.package import Package, package
from soapclient.runtime.record import copied
from soapclient.runtime.service import AsyncService, Service

if TYPE_CHECKING:
    from .types import (
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

PACKAGE = package(__name__.rpartition(".")[0])

CREATE_ADSPACE: Operation[CreateAdspaceRequest, CreateAdspaceResponse] = PACKAGE.operation("CreateAdspace")
CREATE_APPLICATION: Operation[CreateApplicationRequest, CreateApplicationResponse] = PACKAGE.operation(
    "CreateApplication"
)
CREATE_MEDIA_SLOT: Operation[CreateMediaSlotRequest, CreateMediaSlotResponse] = PACKAGE.operation(
    "CreateMediaSlot"
)
CREATE_PROGRAM_APPLICATION: Operation[CreateProgramApplicationRequest, CreateProgramApplicationResponse] = (
    PACKAGE.operation("CreateProgramApplication")
)
CREATE_SETTING: Operation[CreateSettingRequest, CreateSettingResponse] = PACKAGE.operation("CreateSetting")
DELETE_ADSPACE: Operation[DeleteAdspaceRequest, DeleteAdspaceResponse] = PACKAGE.operation("DeleteAdspace")
DELETE_APPLICATION: Operation[DeleteApplicationRequest, DeleteApplicationResponse] = PACKAGE.operation(
    "DeleteApplication"
)
DELETE_MEDIA_SLOT: Operation[DeleteMediaSlotRequest, DeleteMediaSlotResponse] = PACKAGE.operation(
    "DeleteMediaSlot"
)
DELETE_PROGRAM_APPLICATION: Operation[DeleteProgramApplicationRequest, DeleteProgramApplicationResponse] = (
    PACKAGE.operation("DeleteProgramApplication")
)
DELETE_SETTING: Operation[DeleteSettingRequest, DeleteSettingResponse] = PACKAGE.operation("DeleteSetting")
GET_ADMEDIA: ListOperation[GetAdmediaRequest, GetAdmediaResponse, AdmediumItem] = PACKAGE.list_operation(
    "GetAdmedia"
)
GET_ADMEDIUM: Operation[GetAdmediumRequest, GetAdmediumResponse] = PACKAGE.operation("GetAdmedium")
GET_ADMEDIUM_CATEGORIES: ListOperation[
    GetAdmediumCategoriesRequest, GetAdmediumCategoriesResponse, SubStringIdentifierType
] = PACKAGE.list_operation("GetAdmediumCategories")
GET_ADSPACE: Operation[GetAdspaceRequest, GetAdspaceResponse] = PACKAGE.operation("GetAdspace")
GET_ADSPACES: ListOperation[GetAdspacesRequest, GetAdspacesResponse, AdspaceItem] = PACKAGE.list_operation(
    "GetAdspaces"
)
GET_APPLICATION: Operation[GetApplicationRequest, GetApplicationResponse] = PACKAGE.operation(
    "GetApplication"
)
GET_APPLICATIONS: ListOperation[GetApplicationsRequest, GetApplicationsResponse, ApplicationItem] = (
    PACKAGE.list_operation("GetApplications")
)
GET_BALANCE: Operation[GetBalanceRequest, GetBalanceResponse] = PACKAGE.operation("GetBalance")
GET_BALANCES: ListOperation[GetBalancesRequest, GetBalancesResponse, BalanceItem] = PACKAGE.list_operation(
    "GetBalances"
)
GET_BANK_ACCOUNT: Operation[GetBankAccountRequest, GetBankAccountResponse] = PACKAGE.operation(
    "GetBankAccount"
)
GET_BANK_ACCOUNTS: ListOperation[GetBankAccountsRequest, GetBankAccountsResponse, BankAccountItem] = (
    PACKAGE.list_operation("GetBankAccounts")
)
GET_EXCLUSIVE_INCENTIVE: Operation[GetExclusiveIncentiveRequest, GetExclusiveIncentiveResponse] = (
    PACKAGE.operation("GetExclusiveIncentive")
)
GET_INCENTIVE: Operation[GetIncentiveRequest, GetIncentiveResponse] = PACKAGE.operation("GetIncentive")
GET_LEAD: Operation[GetLeadRequest, GetLeadResponse] = PACKAGE.operation("GetLead")
GET_LEADS: ListOperation[GetLeadsRequest, GetLeadsResponse, LeadItem] = PACKAGE.list_operation("GetLeads")
GET_MEDIA_SLOT: Operation[GetMediaSlotRequest, GetMediaSlotResponse] = PACKAGE.operation("GetMediaSlot")
GET_MEDIA_SLOTS: ListOperation[GetMediaSlotsRequest, GetMediaSlotsResponse, MediaSlotItem] = (
    PACKAGE.list_operation("GetMediaSlots")
)
GET_PAYMENT: Operation[GetPaymentRequest, GetPaymentResponse] = PACKAGE.operation("GetPayment")
GET_PAYMENTS: ListOperation[GetPaymentsRequest, GetPaymentsResponse, PaymentItem] = PACKAGE.list_operation(
    "GetPayments"
)
GET_PRODUCT: Operation[GetProductRequest, GetProductResponse] = PACKAGE.operation("GetProduct")
GET_PRODUCT_CATEGORIES: ListOperation[
    GetProductCategoriesRequest, GetProductCategoriesResponse, ProductCategoryType
] = PACKAGE.list_operation("GetProductCategories")
GET_PROFILE: Operation[GetProfileRequest, GetProfileResponse] = PACKAGE.operation("GetProfile")
GET_PROGRAM: Operation[GetProgramRequest, GetProgramResponse] = PACKAGE.operation("GetProgram")
GET_PROGRAM_APPLICATIONS: ListOperation[
    GetProgramApplicationsRequest, GetProgramApplicationsResponse, ProgramApplicationItem
] = PACKAGE.list_operation("GetProgramApplications")
GET_PROGRAM_CATEGORIES: ListOperation[
    GetProgramCategoriesRequest, GetProgramCategoriesResponse, SubStringIdentifierType
] = PACKAGE.list_operation("GetProgramCategories")
GET_REPORT_BASIC: ListOperation[GetReportBasicRequest, GetReportBasicResponse, ReportItem] = (
    PACKAGE.list_operation("GetReportBasic")
)
GET_SALE: Operation[GetSaleRequest, GetSaleResponse] = PACKAGE.operation("GetSale")
GET_SALES: ListOperation[GetSalesRequest, GetSalesResponse, SaleItem] = PACKAGE.list_operation("GetSales")
GET_SETTING: Operation[GetSettingRequest, GetSettingResponse] = PACKAGE.operation("GetSetting")
GET_SETTINGS: ListOperation[GetSettingsRequest, GetSettingsResponse, SettingItem] = PACKAGE.list_operation(
    "GetSettings"
)
GET_TRACKING_CATEGORIES: ListOperation[
    GetTrackingCategoriesRequest, GetTrackingCategoriesResponse, TrackingCategoryItem
] = PACKAGE.list_operation("GetTrackingCategories")
SEARCH_EXCLUSIVE_INCENTIVES: ListOperation[
    SearchExclusiveIncentivesRequest, SearchExclusiveIncentivesResponse, IncentiveItem
] = PACKAGE.list_operation("SearchExclusiveIncentives")
SEARCH_INCENTIVES: ListOperation[SearchIncentivesRequest, SearchIncentivesResponse, IncentiveItem] = (
    PACKAGE.list_operation("SearchIncentives")
)
SEARCH_PRODUCTS: ListOperation[SearchProductsRequest, SearchProductsResponse, ProductItem] = (
    PACKAGE.list_operation("SearchProducts")
)
SEARCH_PROGRAMS: ListOperation[SearchProgramsRequest, SearchProgramsResponse, ProgramItem] = (
    PACKAGE.list_operation("SearchPrograms")
)
UPDATE_ADSPACE: Operation[UpdateAdspaceRequest, UpdateAdspaceResponse] = PACKAGE.operation("UpdateAdspace")
UPDATE_APPLICATION: Operation[UpdateApplicationRequest, UpdateApplicationResponse] = PACKAGE.operation(
    "UpdateApplication"
)
UPDATE_MEDIA_SLOT: Operation[UpdateMediaSlotRequest, UpdateMediaSlotResponse] = PACKAGE.operation(
    "UpdateMediaSlot"
)
UPDATE_PROFILE: Operation[UpdateProfileRequest, UpdateProfileResponse] = PACKAGE.operation("UpdateProfile")
UPDATE_SETTING: Operation[UpdateSettingRequest, UpdateSettingResponse] = PACKAGE.operation("UpdateSetting")
GET_SALE_BASKET: ListOperation[GetSaleBasketRequest, GetSaleBasketResponse, BasketItem] = (
    PACKAGE.list_operation("GetSaleBasket")
)


class PublisherService(Service):
    """The operations of PublisherService, as methods. They raise the errors in `soapclient.errors`."""

    PACKAGE: ClassVar[Package] = PACKAGE
    PORT_TYPE: ClassVar[str] = ""

    def create_adspace(
        self,
        *,
        adspace_item: AdspaceItem,
    ) -> CreateAdspaceResponse:
        """Creates an ad space of the caller.

        Signed. Never retried.

        Response: adspace_item (AdspaceItem).
        """
        return self._caller.call(CREATE_ADSPACE, CREATE_ADSPACE.request_type(adspace_item=adspace_item))

    def create_application(
        self,
        *,
        application_item: ApplicationItem,
    ) -> CreateApplicationResponse:
        """Registers an application of the caller and issues its keys.

        Signed. Never retried.

        Response: application_item (ApplicationItem), secret_key (str), connect_id (str), public_key
        (str).
        """
        return self._caller.call(
            CREATE_APPLICATION,
            CREATE_APPLICATION.request_type(
                application_item=application_item,
            ),
        )

    def create_media_slot(
        self,
        *,
        media_slot_item: MediaSlotItem,
    ) -> CreateMediaSlotResponse:
        """Creates a media slot on an ad space of the caller.

        Signed. Never retried.

        Response: media_slot_item (MediaSlotItem).
        """
        return self._caller.call(
            CREATE_MEDIA_SLOT,
            CREATE_MEDIA_SLOT.request_type(
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

        Signed. Never retried. publisher_comment: SOAP only.

        Response: program_application_item (ProgramApplicationItem).
        """
        return self._caller.call(
            CREATE_PROGRAM_APPLICATION,
            CREATE_PROGRAM_APPLICATION.request_type(
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

        Signed. Never retried.

        Response: setting_item (SettingItem).
        """
        return self._caller.call(CREATE_SETTING, CREATE_SETTING.request_type(setting_item=setting_item))

    def delete_adspace(
        self,
        *,
        adspace_id: int,
    ) -> DeleteAdspaceResponse:
        """Deletes an ad space of the caller.

        Signed. Never retried.

        Response: count (int).
        """
        return self._caller.call(DELETE_ADSPACE, DELETE_ADSPACE.request_type(adspace_id=adspace_id))

    def delete_application(
        self,
        *,
        application_id: str,
    ) -> DeleteApplicationResponse:
        """Deletes an application of the caller.

        Signed. Never retried.

        Response: count (int).
        """
        return self._caller.call(
            DELETE_APPLICATION,
            DELETE_APPLICATION.request_type(
                application_id=application_id,
            ),
        )

    def delete_media_slot(
        self,
        *,
        media_slot_id: str,
    ) -> DeleteMediaSlotResponse:
        """Deletes a media slot of the caller.

        Signed. Never retried.

        Response: count (int).
        """
        return self._caller.call(
            DELETE_MEDIA_SLOT,
            DELETE_MEDIA_SLOT.request_type(
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

        Signed. Never retried.

        Response: count (int).
        """
        return self._caller.call(
            DELETE_PROGRAM_APPLICATION,
            DELETE_PROGRAM_APPLICATION.request_type(
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

        Signed. Never retried.

        Response: count (int).
        """
        return self._caller.call(
            DELETE_SETTING,
            DELETE_SETTING.request_type(
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

        Public: the connect ID is enough. Retried on transient errors. q: SOAP only.

        Response: page (int), items (int), total (int), admedium_items (list[AdmediumItem] or None).
        """
        return self._caller.call(
            GET_ADMEDIA,
            GET_ADMEDIA.request_type(
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

        Public: the connect ID is enough. Retried on transient errors. tracking_link: SOAP only.

        Response: admedium_item (AdmediumItem or None).
        """
        return self._caller.call(
            GET_ADMEDIUM,
            GET_ADMEDIUM.request_type(
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

        Public: the connect ID is enough. Retried on transient errors.

        Response: categories (list[SubStringIdentifierType] or None).
        """
        return self._caller.call(
            GET_ADMEDIUM_CATEGORIES,
            GET_ADMEDIUM_CATEGORIES.request_type(
                program_id=program_id,
            ),
        )

    def get_adspace(
        self,
        *,
        adspace_id: int,
    ) -> GetAdspaceResponse:
        """Returns one ad space of the caller.

        Signed. Retried on transient errors.

        Response: adspace_item (AdspaceItem or None).
        """
        return self._caller.call(GET_ADSPACE, GET_ADSPACE.request_type(adspace_id=adspace_id))

    def get_adspaces(
        self,
        *,
        page: int | None = None,
        items: int | None = None,
    ) -> GetAdspacesResponse:
        """Returns the ad spaces of the caller.

        Signed. Retried on transient errors.

        Response: page (int), items (int), total (int), adspace_items (list[AdspaceItem] or None).
        """
        return self._caller.call(GET_ADSPACES, GET_ADSPACES.request_type(page=page, items=items))

    def get_application(
        self,
        *,
        application_id: str,
    ) -> GetApplicationResponse:
        """Returns one application.

        Signed. Retried on transient errors.

        Response: application_item (ApplicationItem or None).
        """
        return self._caller.call(GET_APPLICATION, GET_APPLICATION.request_type(application_id=application_id))

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

        Signed. Retried on transient errors.

        Response: page (int), items (int), total (int), application_items (list[ApplicationItem] or
        None).
        """
        return self._caller.call(
            GET_APPLICATIONS,
            GET_APPLICATIONS.request_type(
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

        Signed. Retried on transient errors.

        Response: balance_item (BalanceItem or None).
        """
        return self._caller.call(GET_BALANCE, GET_BALANCE.request_type(currency=currency))

    def get_balances(
        self,
        *,
        page: int | None = None,
        items: int | None = None,
    ) -> GetBalancesResponse:
        """Returns the balances of the caller's accounts, one for each currency.

        Signed. Retried on transient errors.

        Response: page (int), items (int), total (int), balance_items (list[BalanceItem] or None).
        """
        return self._caller.call(GET_BALANCES, GET_BALANCES.request_type(page=page, items=items))

    def get_bank_account(
        self,
        *,
        bank_account_id: str,
    ) -> GetBankAccountResponse:
        """Returns one bank account of the caller.

        Signed. Retried on transient errors.

        Response: bank_account_item (BankAccountItem or None).
        """
        return self._caller.call(
            GET_BANK_ACCOUNT,
            GET_BANK_ACCOUNT.request_type(
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

        Signed. Retried on transient errors.

        Response: page (int), items (int), total (int), bank_account_items (list[BankAccountItem] or
        None).
        """
        return self._caller.call(GET_BANK_ACCOUNTS, GET_BANK_ACCOUNTS.request_type(page=page, items=items))

    def get_exclusive_incentive(
        self,
        *,
        incentive_id: str,
        adspace_id: int | None = None,
    ) -> GetExclusiveIncentiveResponse:
        """Returns one exclusive incentive.

        Signed. Retried on transient errors.

        Response: incentive_item (IncentiveItem or None).
        """
        return self._caller.call(
            GET_EXCLUSIVE_INCENTIVE,
            GET_EXCLUSIVE_INCENTIVE.request_type(
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

        Public: the connect ID is enough. Retried on transient errors.

        Response: incentive_item (IncentiveItem or None).
        """
        return self._caller.call(
            GET_INCENTIVE,
            GET_INCENTIVE.request_type(
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

        Signed. Retried on transient errors.

        Response: lead_item (LeadItem or None).
        """
        return self._caller.call(GET_LEAD, GET_LEAD.request_type(lead_id=lead_id))

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

        Signed. Retried on transient errors. date_type: required over SOAP, optional over REST.

        Response: page (int), items (int), total (int), lead_items (list[LeadItem] or None).
        """
        return self._caller.call(
            GET_LEADS,
            GET_LEADS.request_type(
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

        Signed. Retried on transient errors.

        Response: media_slot_item (MediaSlotItem or None).
        """
        return self._caller.call(GET_MEDIA_SLOT, GET_MEDIA_SLOT.request_type(media_slot_id=media_slot_id))

    def get_media_slots(
        self,
        *,
        adspace_id: int | None = None,
        size: SizeType | None = None,
        page: int | None = None,
        items: int | None = None,
    ) -> GetMediaSlotsResponse:
        """Returns the media slots of the caller.

        Signed. Retried on transient errors.

        Response: page (int), items (int), total (int), media_slot_items (list[MediaSlotItem] or None).
        """
        return self._caller.call(
            GET_MEDIA_SLOTS,
            GET_MEDIA_SLOTS.request_type(
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

        Signed. Retried on transient errors.

        Response: payment_item (PaymentItem or None).
        """
        return self._caller.call(GET_PAYMENT, GET_PAYMENT.request_type(payment_id=payment_id))

    def get_payments(
        self,
        *,
        page: int | None = None,
        items: int | None = None,
    ) -> GetPaymentsResponse:
        """Returns the payments to the caller.

        Signed. Retried on transient errors.

        Response: page (int), items (int), total (int), payment_items (list[PaymentItem] or None).
        """
        return self._caller.call(GET_PAYMENTS, GET_PAYMENTS.request_type(page=page, items=items))

    def get_product(
        self,
        *,
        zup_id: str,
        adspace_id: int | None = None,
    ) -> GetProductResponse:
        """Returns one product.

        Public: the connect ID is enough. Retried on transient errors.

        Response: product_item (ProductItem or None).
        """
        return self._caller.call(GET_PRODUCT, GET_PRODUCT.request_type(zup_id=zup_id, adspace_id=adspace_id))

    def get_product_categories(
        self,
        *,
        root_category: int | None = None,
        include_childs: bool | None = None,
        region: str | None = None,
    ) -> GetProductCategoriesResponse:
        """Returns the tree of product categories.

        Public: the connect ID is enough. Retried on transient errors.

        Response: categories (list[ProductCategoryType] or None).
        """
        return self._caller.call(
            GET_PRODUCT_CATEGORIES,
            GET_PRODUCT_CATEGORIES.request_type(
                root_category=root_category,
                include_childs=include_childs,
                region=region,
            ),
        )

    def get_profile(self) -> GetProfileResponse:
        """Returns the caller's profile.

        Signed. Retried on transient errors.

        Response: profile_item (ProfileItem or None).
        """
        return self._caller.call(GET_PROFILE, GET_PROFILE.request_type())

    def get_program(
        self,
        *,
        program_id: int,
    ) -> GetProgramResponse:
        """Returns one program.

        Public: the connect ID is enough. Retried on transient errors.

        Response: program_item (ProgramItem or None).
        """
        return self._caller.call(GET_PROGRAM, GET_PROGRAM.request_type(program_id=program_id))

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

        Signed. Retried on transient errors.

        Response: page (int), items (int), total (int), program_application_items
        (list[ProgramApplicationItem] or None).
        """
        return self._caller.call(
            GET_PROGRAM_APPLICATIONS,
            GET_PROGRAM_APPLICATIONS.request_type(
                adspace_id=adspace_id,
                program_id=program_id,
                status=status,
                page=page,
                items=items,
            ),
        )

    def get_program_categories(self) -> GetProgramCategoriesResponse:
        """Returns the program categories.

        Public: the connect ID is enough. Retried on transient errors.

        Response: categories (list[SubStringIdentifierType] or None).
        """
        return self._caller.call(GET_PROGRAM_CATEGORIES, GET_PROGRAM_CATEGORIES.request_type())

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

        Signed. Retried on transient errors. date_type: REST only.

        Response: page (int), items (int), total (int), report_items (list[ReportItem] or None).
        """
        return self._caller.call(
            GET_REPORT_BASIC,
            GET_REPORT_BASIC.request_type(
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

        Signed. Retried on transient errors.

        Response: sale_item (SaleItem or None).
        """
        return self._caller.call(GET_SALE, GET_SALE.request_type(sale_id=sale_id))

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

        Signed. Retried on transient errors. date_type: required over SOAP, optional over REST.

        Response: page (int), items (int), total (int), sale_items (list[SaleItem] or None).
        """
        return self._caller.call(
            GET_SALES,
            GET_SALES.request_type(
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

        Public: the connect ID is enough. Retried on transient errors.

        Response: setting_item (SettingItem).
        """
        return self._caller.call(
            GET_SETTING,
            GET_SETTING.request_type(
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

        Public: the connect ID is enough. Retried on transient errors.

        Response: page (int), items (int), total (int), setting_items (list[SettingItem] or None).
        """
        return self._caller.call(
            GET_SETTINGS,
            GET_SETTINGS.request_type(
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

        Signed. Retried on transient errors. page: SOAP only. items: SOAP only.

        Response: page (int), items (int), total (int), tracking_category_item
        (list[TrackingCategoryItem] or None).
        """
        return self._caller.call(
            GET_TRACKING_CATEGORIES,
            GET_TRACKING_CATEGORIES.request_type(
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

        Signed. Retried on transient errors.

        Response: page (int), items (int), total (int), incentive_items (list[IncentiveItem] or None).
        """
        return self._caller.call(
            SEARCH_EXCLUSIVE_INCENTIVES,
            SEARCH_EXCLUSIVE_INCENTIVES.request_type(
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

        Public: the connect ID is enough. Retried on transient errors.

        Response: page (int), items (int), total (int), incentive_items (list[IncentiveItem] or None).
        """
        return self._caller.call(
            SEARCH_INCENTIVES,
            SEARCH_INCENTIVES.request_type(
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

        Public: the connect ID is enough. Retried on transient errors. query: required over SOAP,
        optional over REST. category_id: SOAP only. ean: REST only. merchant_category: REST only.
        partnership: REST only.

        Response: page (int), items (int), total (int), query (str or None), product_items
        (list[ProductItem] or None).
        """
        return self._caller.call(
            SEARCH_PRODUCTS,
            SEARCH_PRODUCTS.request_type(
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

        Public: the connect ID is enough. Retried on transient errors. category_id: SOAP only. industry:
        REST only. is_exclusive: REST only.

        Response: page (int), items (int), total (int), query (str or None), program_items
        (list[ProgramItem] or None).
        """
        return self._caller.call(
            SEARCH_PROGRAMS,
            SEARCH_PROGRAMS.request_type(
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

        Signed. Never retried.

        Response: adspace_item (AdspaceItem).
        """
        return self._caller.call(UPDATE_ADSPACE, UPDATE_ADSPACE.request_type(adspace_item=adspace_item))

    def update_application(
        self,
        *,
        application_item: ApplicationItem,
    ) -> UpdateApplicationResponse:
        """Changes an application of the caller.

        Signed. Never retried.

        Response: application_item (ApplicationItem).
        """
        return self._caller.call(
            UPDATE_APPLICATION,
            UPDATE_APPLICATION.request_type(
                application_item=application_item,
            ),
        )

    def update_media_slot(
        self,
        *,
        media_slot_item: MediaSlotItem,
    ) -> UpdateMediaSlotResponse:
        """Changes a media slot of the caller.

        Signed. Never retried.

        Response: media_slot_item (MediaSlotItem).
        """
        return self._caller.call(
            UPDATE_MEDIA_SLOT,
            UPDATE_MEDIA_SLOT.request_type(
                media_slot_item=media_slot_item,
            ),
        )

    def update_profile(
        self,
        *,
        profile_item: ProfileItem | ProfileItemChanges,
    ) -> UpdateProfileResponse:
        """Changes the caller's profile; login name, user name and e-mail address cannot change.

        Signed. Never retried.

        Response: profile_item (ProfileItem).
        """
        return self._caller.call(UPDATE_PROFILE, UPDATE_PROFILE.request_type(profile_item=profile_item))

    def update_setting(
        self,
        *,
        setting_item: SettingItem,
    ) -> UpdateSettingResponse:
        """Changes a setting of an application.

        Signed. Never retried.

        Response: setting_item (SettingItem).
        """
        return self._caller.call(UPDATE_SETTING, UPDATE_SETTING.request_type(setting_item=setting_item))

    def get_sale_basket(
        self,
        *,
        sale_id: str,
    ) -> GetSaleBasketResponse:
        """The basket of a sale: one item per product.

        Signed. Retried on transient errors. REST only.

        Response: basket_items (list[BasketItem] or None).
        """
        return self._caller.call(GET_SALE_BASKET, GET_SALE_BASKET.request_type(sale_id=sale_id))

    @property
    def stream(self) -> PublisherServiceStreams:
        """The operations that return lists, as methods that yield the items as they arrive."""
        return PublisherServiceStreams(self._engine)

    @property
    def iterate(self) -> PublisherServicePages:
        """The operations that return lists, as methods that iterate over the items of all pages."""
        return PublisherServicePages(self._engine)


class PublisherServiceStreams:
    """The list operations of PublisherService: methods return context managers that yield the items as
    they arrive.
    """

    def __init__(self, caller: StreamCaller) -> None:
        self._caller = caller

    get_admedia = streamed(PublisherService.get_admedia, GET_ADMEDIA)
    get_admedium_categories = streamed(PublisherService.get_admedium_categories, GET_ADMEDIUM_CATEGORIES)
    get_adspaces = streamed(PublisherService.get_adspaces, GET_ADSPACES)
    get_applications = streamed(PublisherService.get_applications, GET_APPLICATIONS)
    get_balances = streamed(PublisherService.get_balances, GET_BALANCES)
    get_bank_accounts = streamed(PublisherService.get_bank_accounts, GET_BANK_ACCOUNTS)
    get_leads = streamed(PublisherService.get_leads, GET_LEADS)
    get_media_slots = streamed(PublisherService.get_media_slots, GET_MEDIA_SLOTS)
    get_payments = streamed(PublisherService.get_payments, GET_PAYMENTS)
    get_product_categories = streamed(PublisherService.get_product_categories, GET_PRODUCT_CATEGORIES)
    get_program_applications = streamed(PublisherService.get_program_applications, GET_PROGRAM_APPLICATIONS)
    get_program_categories = streamed(PublisherService.get_program_categories, GET_PROGRAM_CATEGORIES)
    get_report_basic = streamed(PublisherService.get_report_basic, GET_REPORT_BASIC)
    get_sales = streamed(PublisherService.get_sales, GET_SALES)
    get_settings = streamed(PublisherService.get_settings, GET_SETTINGS)
    get_tracking_categories = streamed(PublisherService.get_tracking_categories, GET_TRACKING_CATEGORIES)
    search_exclusive_incentives = streamed(
        PublisherService.search_exclusive_incentives, SEARCH_EXCLUSIVE_INCENTIVES
    )
    search_incentives = streamed(PublisherService.search_incentives, SEARCH_INCENTIVES)
    search_products = streamed(PublisherService.search_products, SEARCH_PRODUCTS)
    search_programs = streamed(PublisherService.search_programs, SEARCH_PROGRAMS)
    get_sale_basket = streamed(PublisherService.get_sale_basket, GET_SALE_BASKET)


class PublisherServicePages:
    """The list operations of PublisherService: methods return iterators over the items of all pages."""

    def __init__(self, caller: PageCaller) -> None:
        self._caller = caller

    get_admedia = paged(PublisherService.get_admedia, GET_ADMEDIA)
    get_adspaces = paged(PublisherService.get_adspaces, GET_ADSPACES)
    get_applications = paged(PublisherService.get_applications, GET_APPLICATIONS)
    get_balances = paged(PublisherService.get_balances, GET_BALANCES)
    get_bank_accounts = paged(PublisherService.get_bank_accounts, GET_BANK_ACCOUNTS)
    get_leads = paged(PublisherService.get_leads, GET_LEADS)
    get_media_slots = paged(PublisherService.get_media_slots, GET_MEDIA_SLOTS)
    get_payments = paged(PublisherService.get_payments, GET_PAYMENTS)
    get_program_applications = paged(PublisherService.get_program_applications, GET_PROGRAM_APPLICATIONS)
    get_sales = paged(PublisherService.get_sales, GET_SALES)
    get_settings = paged(PublisherService.get_settings, GET_SETTINGS)
    get_tracking_categories = paged(PublisherService.get_tracking_categories, GET_TRACKING_CATEGORIES)
    search_exclusive_incentives = paged(
        PublisherService.search_exclusive_incentives, SEARCH_EXCLUSIVE_INCENTIVES
    )
    search_incentives = paged(PublisherService.search_incentives, SEARCH_INCENTIVES)
    search_products = paged(PublisherService.search_products, SEARCH_PRODUCTS)
    search_programs = paged(PublisherService.search_programs, SEARCH_PROGRAMS)


class PublisherServiceAsync(AsyncService):
    """The methods of PublisherService, for asyncio."""

    SERVICE: ClassVar[type[PublisherService]] = PublisherService

    create_adspace = awaited(PublisherService.create_adspace)
    create_application = awaited(PublisherService.create_application)
    create_media_slot = awaited(PublisherService.create_media_slot)
    create_program_application = awaited(PublisherService.create_program_application)
    create_setting = awaited(PublisherService.create_setting)
    delete_adspace = awaited(PublisherService.delete_adspace)
    delete_application = awaited(PublisherService.delete_application)
    delete_media_slot = awaited(PublisherService.delete_media_slot)
    delete_program_application = awaited(PublisherService.delete_program_application)
    delete_setting = awaited(PublisherService.delete_setting)
    get_admedia = awaited(PublisherService.get_admedia)
    get_admedium = awaited(PublisherService.get_admedium)
    get_admedium_categories = awaited(PublisherService.get_admedium_categories)
    get_adspace = awaited(PublisherService.get_adspace)
    get_adspaces = awaited(PublisherService.get_adspaces)
    get_application = awaited(PublisherService.get_application)
    get_applications = awaited(PublisherService.get_applications)
    get_balance = awaited(PublisherService.get_balance)
    get_balances = awaited(PublisherService.get_balances)
    get_bank_account = awaited(PublisherService.get_bank_account)
    get_bank_accounts = awaited(PublisherService.get_bank_accounts)
    get_exclusive_incentive = awaited(PublisherService.get_exclusive_incentive)
    get_incentive = awaited(PublisherService.get_incentive)
    get_lead = awaited(PublisherService.get_lead)
    get_leads = awaited(PublisherService.get_leads)
    get_media_slot = awaited(PublisherService.get_media_slot)
    get_media_slots = awaited(PublisherService.get_media_slots)
    get_payment = awaited(PublisherService.get_payment)
    get_payments = awaited(PublisherService.get_payments)
    get_product = awaited(PublisherService.get_product)
    get_product_categories = awaited(PublisherService.get_product_categories)
    get_profile = awaited(PublisherService.get_profile)
    get_program = awaited(PublisherService.get_program)
    get_program_applications = awaited(PublisherService.get_program_applications)
    get_program_categories = awaited(PublisherService.get_program_categories)
    get_report_basic = awaited(PublisherService.get_report_basic)
    get_sale = awaited(PublisherService.get_sale)
    get_sales = awaited(PublisherService.get_sales)
    get_setting = awaited(PublisherService.get_setting)
    get_settings = awaited(PublisherService.get_settings)
    get_tracking_categories = awaited(PublisherService.get_tracking_categories)
    search_exclusive_incentives = awaited(PublisherService.search_exclusive_incentives)
    search_incentives = awaited(PublisherService.search_incentives)
    search_products = awaited(PublisherService.search_products)
    search_programs = awaited(PublisherService.search_programs)
    update_adspace = awaited(PublisherService.update_adspace)
    update_application = awaited(PublisherService.update_application)
    update_media_slot = awaited(PublisherService.update_media_slot)
    update_profile = awaited(PublisherService.update_profile)
    update_setting = awaited(PublisherService.update_setting)
    get_sale_basket = awaited(PublisherService.get_sale_basket)

    @property
    def stream(self) -> PublisherServiceAsyncStreams:
        """The operations that return lists, as methods that yield the items as they arrive."""
        return PublisherServiceAsyncStreams(self._caller.streams)

    @property
    def iterate(self) -> PublisherServiceAsyncPages:
        """The operations that return lists, as methods that iterate over the items of all pages."""
        return PublisherServiceAsyncPages(self._caller.pages)


class PublisherServiceAsyncStreams:
    """The methods of PublisherServiceStreams, for asyncio."""

    SERVICE: ClassVar[type[PublisherServiceStreams]] = PublisherServiceStreams

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    get_admedia = streamed_async(PublisherServiceStreams.get_admedia)
    get_admedium_categories = streamed_async(PublisherServiceStreams.get_admedium_categories)
    get_adspaces = streamed_async(PublisherServiceStreams.get_adspaces)
    get_applications = streamed_async(PublisherServiceStreams.get_applications)
    get_balances = streamed_async(PublisherServiceStreams.get_balances)
    get_bank_accounts = streamed_async(PublisherServiceStreams.get_bank_accounts)
    get_leads = streamed_async(PublisherServiceStreams.get_leads)
    get_media_slots = streamed_async(PublisherServiceStreams.get_media_slots)
    get_payments = streamed_async(PublisherServiceStreams.get_payments)
    get_product_categories = streamed_async(PublisherServiceStreams.get_product_categories)
    get_program_applications = streamed_async(PublisherServiceStreams.get_program_applications)
    get_program_categories = streamed_async(PublisherServiceStreams.get_program_categories)
    get_report_basic = streamed_async(PublisherServiceStreams.get_report_basic)
    get_sales = streamed_async(PublisherServiceStreams.get_sales)
    get_settings = streamed_async(PublisherServiceStreams.get_settings)
    get_tracking_categories = streamed_async(PublisherServiceStreams.get_tracking_categories)
    search_exclusive_incentives = streamed_async(PublisherServiceStreams.search_exclusive_incentives)
    search_incentives = streamed_async(PublisherServiceStreams.search_incentives)
    search_products = streamed_async(PublisherServiceStreams.search_products)
    search_programs = streamed_async(PublisherServiceStreams.search_programs)
    get_sale_basket = streamed_async(PublisherServiceStreams.get_sale_basket)


class PublisherServiceAsyncPages:
    """The methods of PublisherServicePages, for asyncio."""

    SERVICE: ClassVar[type[PublisherServicePages]] = PublisherServicePages

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    get_admedia = paged_async(PublisherServicePages.get_admedia)
    get_adspaces = paged_async(PublisherServicePages.get_adspaces)
    get_applications = paged_async(PublisherServicePages.get_applications)
    get_balances = paged_async(PublisherServicePages.get_balances)
    get_bank_accounts = paged_async(PublisherServicePages.get_bank_accounts)
    get_leads = paged_async(PublisherServicePages.get_leads)
    get_media_slots = paged_async(PublisherServicePages.get_media_slots)
    get_payments = paged_async(PublisherServicePages.get_payments)
    get_program_applications = paged_async(PublisherServicePages.get_program_applications)
    get_sales = paged_async(PublisherServicePages.get_sales)
    get_settings = paged_async(PublisherServicePages.get_settings)
    get_tracking_categories = paged_async(PublisherServicePages.get_tracking_categories)
    search_exclusive_incentives = paged_async(PublisherServicePages.search_exclusive_incentives)
    search_incentives = paged_async(PublisherServicePages.search_incentives)
    search_products = paged_async(PublisherServicePages.search_products)
    search_programs = paged_async(PublisherServicePages.search_programs)
