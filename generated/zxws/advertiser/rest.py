# Made by `bindgen generate advertiser`. Do not edit: change the contract, run it again.
# contract: advertiser/2015-03-01/advertiser.xsd
# its sha256: 5004390b33bd5342b2d7798b452768b62867445ca11c4eff500299ee8e85c49f
# sha256 of its settings in contracts.toml: d49b66c665fd2eaaa7ac2c3cb97e8361d9c8f9bfefc03fb1c85fea6c147bdb57
"""The REST resources of advertiser 2015-03-01."""

from __future__ import annotations

from soapclient.runtime.rest import (
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
        endings=("errorList", "errors"),
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
        endings=("errorList", "errors"),
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
