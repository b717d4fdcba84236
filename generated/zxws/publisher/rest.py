# Made by `bindgen generate publisher`. Do not edit: change the contract, run it again.
# contract: https://publisher.invalid/wsdl/2011-03-01
# its sha256: f0c7e16de9b30f837d2f73846452df6dc045765562e183ee3cdb2df3dd8fe115
# sha256 of the schema beside it: 3c1132b649756047e411e7c474dba3f758ba2d30c37b5fc8cdb22a8771cacd60
# sha256 of its settings in contracts.toml: 07c220246075913c79552a80cfbd10bf1952b7b89e5b91f689d711f58e94e05e
"""The REST resources of publisher 2011-03-01."""

from __future__ import annotations

from soapclient.runtime.rest import (
    Parameter,
    RestForm,
    Wrapped,
)

CREATE_ADSPACE = RestForm(
    method="POST",
    path="/adspaces/adspace",
    body="adspaceItem",
    body_tag="{http://api.zanox.com/namespace/2011-03-01/}adspaceItem",
)

CREATE_PROGRAM_APPLICATION = RestForm(
    method="POST",
    path="/programapplications/program/{id}/adspace/{id}",
    in_path=("programId", "adspaceId"),
)

DELETE_ADSPACE = RestForm(
    method="DELETE",
    path="/adspaces/adspace/{id}",
    in_path=("adspaceId",),
)

DELETE_PROGRAM_APPLICATION = RestForm(
    method="DELETE",
    path="/programapplications/program/{id}/adspace/{id}",
    in_path=("programId", "adspaceId"),
    roots=("{http://api.zanox.com/namespace/2011-03-01/}response",),
)

GET_ADMEDIA = RestForm(
    method="GET",
    path="/admedia",
    query=(
        Parameter(name="program", field="programId"),
        Parameter(name="region", field="region"),
        Parameter(name="format", field="format"),
        Parameter(name="admediumtype", field="admediumType"),
        Parameter(name="purpose", field="purpose"),
        Parameter(name="partnership", field="partnerShip"),
        Parameter(name="category", field="categoryId"),
        Parameter(name="adspace", field="adspaceId"),
        Parameter(name="items", field="items"),
        Parameter(name="page", field="page"),
    ),
)

GET_ADMEDIUM = RestForm(
    method="GET",
    path="/admedia/admedium/{id}",
    in_path=("admediumId",),
    query=(Parameter(name="adspace", field="adspaceId"),),
)

GET_ADMEDIUM_CATEGORIES = RestForm(
    method="GET",
    path="/admedia/categories/program/{id}",
    in_path=("programId",),
)

GET_ADSPACE = RestForm(
    method="GET",
    path="/adspaces/adspace/{id}",
    in_path=("adspaceId",),
)

GET_ADSPACES = RestForm(
    method="GET",
    path="/adspaces",
    query=(
        Parameter(name="items", field="items"),
        Parameter(name="page", field="page"),
    ),
)

GET_BALANCE = RestForm(
    method="GET",
    path="/payments/balances/balance/{currency}",
    in_path=("currency",),
    roots=("{http://api.zanox.com/namespace/2011-03-01/}response",),
)

GET_BALANCES = RestForm(
    method="GET",
    path="/payments/balances",
    query=(
        Parameter(name="items", field="items"),
        Parameter(name="page", field="page"),
    ),
    roots=("{http://api.zanox.com/namespace/2011-03-01/}response",),
)

GET_EXCLUSIVE_INCENTIVE = RestForm(
    method="GET",
    path="/incentives/exclusive/incentive/{id}",
    in_path=("incentiveId",),
    query=(Parameter(name="adspace", field="adspaceId"),),
)

GET_INCENTIVE = RestForm(
    method="GET",
    path="/incentives/incentive/{id}",
    in_path=("incentiveId",),
    query=(Parameter(name="adspace", field="adspaceId"),),
)

GET_LEAD = RestForm(
    method="GET",
    path="/reports/leads/lead/{id}",
    in_path=("leadId",),
)

GET_LEADS = RestForm(
    method="GET",
    path="/reports/leads/date/{date}",
    in_path=("date",),
    query=(
        Parameter(
            name="datetype",
            field="dateType",
            spelling={
                "trackingDate": "tracking_date",
                "modifiedDate": "modified_date",
                "reviewStateChangedDate": "review_state_changed_date",
                "clickDate": "click_date",
            },
        ),
        Parameter(name="program", field="programId"),
        Parameter(name="adspace", field="adspaceId"),
        Parameter(name="state", field="reviewState"),
        Parameter(name="items", field="items"),
        Parameter(name="page", field="page"),
    ),
)

GET_PRODUCT = RestForm(
    method="GET",
    path="/products/product/{id}",
    in_path=("zupId",),
    query=(Parameter(name="adspace", field="adspaceId"),),
)

GET_PROFILE = RestForm(
    method="GET",
    path="/profiles",
)

GET_PROGRAM = RestForm(
    method="GET",
    path="/programs/program/{id}",
    in_path=("programId",),
)

GET_PROGRAM_APPLICATIONS = RestForm(
    method="GET",
    path="/programapplications",
    query=(
        Parameter(name="program", field="programId"),
        Parameter(name="adspace", field="adspaceId"),
        Parameter(name="status", field="status"),
        Parameter(name="items", field="items"),
        Parameter(name="page", field="page"),
    ),
)

GET_PROGRAM_CATEGORIES = RestForm(
    method="GET",
    path="/programs/categories",
)

GET_REPORT_BASIC = RestForm(
    method="GET",
    path="/reports/basic",
    query=(
        Parameter(name="fromdate", field="fromDate"),
        Parameter(name="todate", field="toDate"),
        Parameter(
            name="datetype",
            field="dateType",
            spelling={
                "trackingDate": "tracking_date",
                "modifiedDate": "modified_date",
                "reviewStateChangedDate": "review_state_changed_date",
                "clickDate": "click_date",
            },
        ),
        Parameter(name="currency", field="currency"),
        Parameter(name="program", field="programId"),
        Parameter(name="admedium", field="admediumId"),
        Parameter(name="adspace", field="adspaceId"),
        Parameter(name="state", field="reviewState"),
        Parameter(name="groupby", field="groupBy", separator=","),
    ),
)

GET_SALE = RestForm(
    method="GET",
    path="/reports/sales/sale/{id}",
    in_path=("saleId",),
    wrapped=Wrapped(
        root="{http://api.zanox.com/namespace/2011-03-01/}GetSalesResponse",
        list_tag="{http://api.zanox.com/namespace/2011-03-01/}saleItems",
    ),
)

GET_SALES = RestForm(
    method="GET",
    path="/reports/sales/date/{date}",
    in_path=("date",),
    query=(
        Parameter(
            name="datetype",
            field="dateType",
            spelling={
                "trackingDate": "tracking_date",
                "modifiedDate": "modified_date",
                "reviewStateChangedDate": "review_state_changed_date",
                "clickDate": "click_date",
            },
        ),
        Parameter(name="program", field="programId"),
        Parameter(name="adspace", field="adspaceId"),
        Parameter(name="state", field="reviewState"),
        Parameter(name="items", field="items"),
        Parameter(name="page", field="page"),
    ),
)

GET_TRACKING_CATEGORIES = RestForm(
    method="GET",
    path="/programapplications/program/{id}/adspace/{id}/trackingcategories",
    in_path=("programId", "adspaceId"),
)

SEARCH_EXCLUSIVE_INCENTIVES = RestForm(
    method="GET",
    path="/incentives/exclusive",
    query=(
        Parameter(name="program", field="programId"),
        Parameter(name="adspace", field="adspaceId"),
        Parameter(name="incentiveType", field="incentiveType"),
        Parameter(name="region", field="region"),
        Parameter(name="items", field="items"),
        Parameter(name="page", field="page"),
    ),
)

SEARCH_INCENTIVES = RestForm(
    method="GET",
    path="/incentives",
    query=(
        Parameter(name="program", field="programId"),
        Parameter(name="adspace", field="adspaceId"),
        Parameter(name="incentiveType", field="incentiveType"),
        Parameter(name="region", field="region"),
        Parameter(name="items", field="items"),
        Parameter(name="page", field="page"),
    ),
)

SEARCH_PRODUCTS = RestForm(
    method="GET",
    path="/products",
    query=(
        Parameter(name="q", field="query"),
        Parameter(name="searchtype", field="searchType"),
        Parameter(name="region", field="region"),
        Parameter(name="minprice", field="minPrice"),
        Parameter(name="maxprice", field="maxPrice"),
        Parameter(name="programs", field="programId", separator=","),
        Parameter(name="hasimages", field="hasImages"),
        Parameter(name="adspace", field="adspaceId"),
        Parameter(name="partnership", field="partnership"),
        Parameter(name="ean", field="ean"),
        Parameter(name="merchantcategory", field="merchantCategory"),
        Parameter(name="items", field="items"),
        Parameter(name="page", field="page"),
    ),
)

SEARCH_PROGRAMS = RestForm(
    method="GET",
    path="/programs",
    query=(
        Parameter(name="q", field="query"),
        Parameter(name="startdate", field="startDate"),
        Parameter(name="region", field="region"),
        Parameter(
            name="partnership", field="partnerShip", spelling={"direct": "DIRECT", "indirect": "INDIRECT"}
        ),
        Parameter(name="hasproducts", field="hasProducts"),
        Parameter(name="industry", field="industry"),
        Parameter(name="isexclusive", field="isExclusive"),
        Parameter(name="items", field="items"),
        Parameter(name="page", field="page"),
    ),
)

UPDATE_ADSPACE = RestForm(
    method="PUT",
    path="/adspaces/adspace",
    body="adspaceItem",
    body_tag="{http://api.zanox.com/namespace/2011-03-01/}adspaceItem",
)

UPDATE_PROFILE = RestForm(
    method="PUT",
    path="/profiles",
    body="profileItem",
    body_tag="{http://api.zanox.com/namespace/2011-03-01/}profileItem",
    partial=True,
)

GET_SALE_BASKET = RestForm(
    method="GET",
    path="/reports/sales/sale/{id}/basket",
    in_path=("saleId",),
)
