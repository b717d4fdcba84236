"""The resources of the Advertiser interface (`service.md 4.2`, `record.md 7`), JSON alone."""

from __future__ import annotations

from .parameters import Parameter
from .routes import Route

VERSION = "2015-03-01"
_CODES = Parameter("partnerCode", "partnerCode", many="comma", required=True)
_GROUPS = ("day", "month", "adspace", "admedium")

ROUTES = (
    Route(
        "GET",
        "/report/program/{}",
        "GetProgramReport",
        in_path=(Parameter("program id", "programId", "int"),),
        query=(
            Parameter("groupby", "groupBy", _GROUPS, "comma"),
            Parameter("fromdate", "fromDate", "date", required=True),
            Parameter("todate", "toDate", "date", required=True),
        ),
    ),
    Route("GET", "/member/partnership", "GetPartnerships", query=(_CODES,), nonce_optional=True),
    Route("GET", "/member/partnership/public", "GetPublicPartnerships", signed=False, query=(_CODES,)),
)
