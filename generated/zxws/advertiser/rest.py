# Made by `bindgen generate advertiser`. Do not edit: change the contract, run it again.
# contract: advertiser/2015-03-01/advertiser.xsd
# its sha256: b108522f684177800006aab126c937224ecbe01081f24268b07f3a4dd65200c3
# sha256 of its settings in contracts.toml: 4ce420a21673f085a0155be21728fe91171b4ec30b48be831de906ee1c777f88
"""The REST resources of advertiser 2015-03-01."""

from __future__ import annotations

from zxws._runtime.rest import (
    Loose,
    Parameter,
    RestForm,
)

GET_PARTNERSHIPS = RestForm(
    method="GET",
    path="/member/partnership",
    query=(Parameter(name="partnerCode", field="partnerCode", separator=","),),
    loose=Loose(
        list_tag="{http://advertiser.invalid/namespace/2015-03-01/}partnerCodeList",
        item_tag="{http://advertiser.invalid/namespace/2015-03-01/}partnerCode",
        errors_tag="{http://advertiser.invalid/namespace/2015-03-01/}errorList",
        error_tag="{http://advertiser.invalid/namespace/2015-03-01/}error",
    ),
)

GET_PUBLIC_PARTNERSHIPS = RestForm(
    method="GET",
    path="/member/partnership/public",
    query=(Parameter(name="partnerCode", field="partnerCode", separator=","),),
    loose=Loose(
        list_tag="{http://advertiser.invalid/namespace/2015-03-01/}partnerCodeList",
        item_tag="{http://advertiser.invalid/namespace/2015-03-01/}partnerCode",
        errors_tag="{http://advertiser.invalid/namespace/2015-03-01/}errorList",
        error_tag="{http://advertiser.invalid/namespace/2015-03-01/}error",
    ),
)

GET_PROGRAM_REPORT = RestForm(
    method="GET",
    path="/report/program/{id}",
    in_path=("programId",),
    query=(
        Parameter(name="groupby", field="groupBy", separator=","),
        Parameter(name="fromdate", field="fromDate"),
        Parameter(name="todate", field="toDate"),
    ),
    loose=Loose(
        list_tag="{http://advertiser.invalid/namespace/2015-03-01/}aggregatedReportList",
        item_tag="{http://advertiser.invalid/namespace/2015-03-01/}aggregatedReport",
    ),
)
