"""The tables of REST resources: the routes of the Publisher, Data and Advertiser interfaces.

Their source is `docs/explanation/service.md#rest-forms`.

The download of the Data interface is not listed here because it is a file, not an operation of the contract.
The Advertiser interface has JSON only.
"""

from __future__ import annotations

from dataclasses import replace

from .routes import Body, Parameter, Route

_STATES = ("confirmed", "open", "rejected", "approved")
_DATES = ("trackingDate", "modifiedDate", "reviewStateChangedDate", "clickDate")
_PARTNERSHIP = ("direct", "indirect")
_GROUPS = (
    "currency", "admedium", "program", "adspace", "linkFormat", "reviewState", "trackingCategory", "month",
    "day", "year", "dayOfWeek", "application", "mediaSlot",
)  # fmt: skip
_APPLICATION_STATES = (
    "open", "confirmed", "rejected", "deferred", "waiting", "blocked", "terminated", "canceled", "called",
    "declined", "deleted",
)  # fmt: skip
_INCENTIVES = ("coupons", "samples", "bargains", "freeProducts", "noShippingCosts", "lotteries")
_MEDIA = ("html", "script", "lookatMedia", "image", "imageText", "text")
_PURPOSES = ("startPage", "productDeeplink", "categoryDeeplink", "searchDeeplink")

_PAGE = (Parameter("items", "items", "int"), Parameter("page", "page", "int"))
_PROGRAM = Parameter("program", "programId", "int")
_ADSPACE = Parameter("adspace", "adspaceId", "int")
_REGION = Parameter("region", "region")
_STATE = Parameter("state", "reviewState", _STATES)
_DATE_TYPE = Parameter("datetype", "dateType", _DATES)

_PROGRAM_ID = Parameter("program id", "programId", "int")
_ADSPACE_ID = Parameter("ad space id", "adspaceId", "int")
_DAY = Parameter("date", "date", "instant")

_INCENTIVE_QUERY = (
    _PROGRAM, _ADSPACE, Parameter("incentiveType", "incentiveType", _INCENTIVES), _REGION, *_PAGE,
)  # fmt: skip
_TRAFFIC_QUERY = (_DATE_TYPE, _PROGRAM, _ADSPACE, _STATE, *_PAGE)
_TRAFFIC_DEFAULTS = (("dateType", "trackingDate"),)
_APPLICATION = "/programapplications/program/{}/adspace/{}"


def _by_id(path: str, operation: str, field: str, *, signed: bool = True, links: bool = False) -> Route:
    """Return the route for GET requests of one item by its id.

    `field` is the request field of `operation` to which the id in the path is passed. `signed` is True if
    requests must be signed. `links` is True if the query may name an ad space for tracking links.
    """
    parameter = Parameter("id", field, "int" if field in ("admediumId", "programId", "adspaceId") else "text")
    return Route("GET", path, operation, signed, (parameter,), (_ADSPACE,) if links else ())


PUBLISHER = (
    Route("GET", "/profiles", "GetProfile"),
    Route("PUT", "/profiles", "UpdateProfile", body=Body("profileItem", "profileItem", partial=True)),
    Route("GET", "/adspaces", "GetAdspaces", query=_PAGE),
    replace(_by_id("/adspaces/adspace/{}", "GetAdspace", "adspaceId"), must_exist=True),
    Route("POST", "/adspaces/adspace", "CreateAdspace", body=Body("adspaceItem", "adspaceItem")),
    Route("PUT", "/adspaces/adspace", "UpdateAdspace", body=Body("adspaceItem", "adspaceItem")),
    Route("DELETE", "/adspaces/adspace/{}", "DeleteAdspace", in_path=(_ADSPACE_ID,)),
    Route(
        "GET",
        "/admedia",
        "GetAdmedia",
        signed=False,
        query=(
            _PROGRAM,
            _REGION,
            Parameter("format", "format", "int"),
            Parameter("admediumtype", "admediumType", _MEDIA),
            Parameter("purpose", "purpose", _PURPOSES),
            Parameter("partnership", "partnerShip", _PARTNERSHIP),
            Parameter("category", "categoryId", "int"),
            _ADSPACE,
            *_PAGE,
        ),
    ),
    _by_id("/admedia/admedium/{}", "GetAdmedium", "admediumId", signed=False, links=True),
    _by_id("/admedia/categories/program/{}", "GetAdmediumCategories", "programId", signed=False),
    Route("GET", "/incentives", "SearchIncentives", signed=False, query=_INCENTIVE_QUERY),
    _by_id("/incentives/incentive/{}", "GetIncentive", "incentiveId", signed=False, links=True),
    Route("GET", "/incentives/exclusive", "SearchExclusiveIncentives", query=_INCENTIVE_QUERY),
    _by_id("/incentives/exclusive/incentive/{}", "GetExclusiveIncentive", "incentiveId", links=True),
    Route(
        "GET",
        "/products",
        "SearchProducts",
        signed=False,
        query=(
            Parameter("q", "query"),
            Parameter("searchtype", "searchType", ("contextual", "phrase")),
            _REGION,
            Parameter("minprice", "minPrice", "int"),
            Parameter("maxprice", "maxPrice", "int"),
            Parameter("programs", "programId", "int", "comma"),
            Parameter("hasimages", "hasImages", "bool"),
            _ADSPACE,
            Parameter("partnership", "partnership", ("all", "confirmed")),
            Parameter("ean", "ean"),
            Parameter("merchantcategory", "merchantCategory", many="repeated"),
            *_PAGE,
        ),
        may_lack=("query",),
    ),
    _by_id("/products/product/{}", "GetProduct", "zupId", signed=False, links=True),
    Route(
        "GET",
        "/reports/leads/date/{}",
        "GetLeads",
        in_path=(_DAY,),
        query=_TRAFFIC_QUERY,
        defaults=_TRAFFIC_DEFAULTS,
    ),
    _by_id("/reports/leads/lead/{}", "GetLead", "leadId"),
    Route(
        "GET",
        "/reports/sales/date/{}",
        "GetSales",
        in_path=(_DAY,),
        query=_TRAFFIC_QUERY,
        defaults=_TRAFFIC_DEFAULTS,
    ),
    _by_id("/reports/sales/sale/{}", "GetSale", "saleId"),
    _by_id("/reports/sales/sale/{}/basket", "GetSaleBasket", "saleId"),
    Route(
        "GET",
        "/reports/basic",
        "GetReportBasic",
        query=(
            Parameter("fromdate", "fromDate", "instant", required=True),
            Parameter("todate", "toDate", "instant", required=True),
            _DATE_TYPE,
            Parameter("currency", "currency"),
            _PROGRAM,
            Parameter("admedium", "admediumId", "int"),
            _ADSPACE,
            _STATE,
            Parameter("groupby", "groupBy", _GROUPS, "comma"),
        ),
    ),
    Route(
        "GET",
        "/programs",
        "SearchPrograms",
        signed=False,
        query=(
            Parameter("q", "query"),
            Parameter("startdate", "startDate", "instant"),
            _REGION,
            Parameter("partnership", "partnerShip", _PARTNERSHIP),
            Parameter("hasproducts", "hasProducts", "bool"),
            Parameter("industry", "industry", "int"),
            Parameter("isexclusive", "isExclusive", "bool"),
            *_PAGE,
        ),
    ),
    _by_id("/programs/program/{}", "GetProgram", "programId", signed=False),
    Route("GET", "/programs/categories", "GetProgramCategories", signed=False),
    Route(
        "GET",
        "/programapplications",
        "GetProgramApplications",
        query=(_PROGRAM, _ADSPACE, Parameter("status", "status", _APPLICATION_STATES), *_PAGE),
    ),
    Route("POST", _APPLICATION, "CreateProgramApplication", in_path=(_PROGRAM_ID, _ADSPACE_ID)),
    Route(
        "DELETE",
        _APPLICATION,
        "DeleteProgramApplication",
        in_path=(_PROGRAM_ID, _ADSPACE_ID),
        old_root=True,
    ),
    Route(
        "GET",
        f"{_APPLICATION}/trackingcategories",
        "GetTrackingCategories",
        in_path=(_PROGRAM_ID, _ADSPACE_ID),
    ),
    Route("GET", "/payments/balances", "GetBalances", query=_PAGE, old_root=True),
    Route(
        "GET",
        "/payments/balances/balance/{}",
        "GetBalance",
        in_path=(Parameter("currency", "currency"),),
        old_root=True,
    ),
)

DATA = (
    Route(
        "POST",
        "/jobs/reports/type/{}",
        "CreateReportJob",
        in_path=(Parameter("type", "reportType"),),
        body=Body("CreateReportJobRequest"),
    ),
    Route("GET", "/jobs/job/id/{}", "GetJob", in_path=(Parameter("id", "jobId"),)),
    Route(
        "GET",
        "/jobs",
        "GetJobs",
        query=(Parameter("items", "items", "int"), Parameter("page", "page", "int")),
    ),
)

ADVERTISER_VERSION = "2015-03-01"
_PARTNER_CODES = Parameter("partnerCode", "partnerCode", many="comma", required=True)
_REPORT_GROUPS = ("day", "month", "adspace", "admedium")

ADVERTISER = (
    Route(
        "GET",
        "/report/program/{}",
        "GetProgramReport",
        in_path=(Parameter("program id", "programId", "int"),),
        query=(
            Parameter("groupby", "groupBy", _REPORT_GROUPS, "comma"),
            Parameter("fromdate", "fromDate", "date", required=True),
            Parameter("todate", "toDate", "date", required=True),
        ),
    ),
    Route("GET", "/member/partnership", "GetPartnerships", query=(_PARTNER_CODES,), nonce_optional=True),
    Route(
        "GET", "/member/partnership/public", "GetPublicPartnerships", signed=False, query=(_PARTNER_CODES,)
    ),
)
