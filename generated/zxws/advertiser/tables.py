# Made by `bindgen generate advertiser`. Do not edit: change the contract, run it again.
# contract: advertiser/2015-03-01/advertiser.xsd
# its sha256: 5004390b33bd5342b2d7798b452768b62867445ca11c4eff500299ee8e85c49f
# sha256 of its settings in contracts.toml: 1d1e0696af5b09fc72f5b221727a817d3af44a04b5f885a8ea63dd48acde2381
"""What the WSDL of advertiser 2015-03-01 cannot say."""

from __future__ import annotations

from zxws._runtime.tables import (
    Batch,
    FaultShape,
    ReportWindow,
    Tables,
)

TABLES = Tables(
    name="advertiser",
    version="2015-03-01",
    namespace="http://advertiser.invalid/namespace/2015-03-01/",
    sha256="5004390b33bd5342b2d7798b452768b62867445ca11c4eff500299ee8e85c49f",
    fault=FaultShape(
        element="",
        code="code",
        reason="reason",
        error_id="errorId",
        authentication=frozenset({401, 403}),
        transient=frozenset({429, 500, 502, 503, 504}),
    ),
    batch=Batch(
        most=25,
    ),
    window=ReportWindow(
        days_back=90,
        apart=("day", "month"),
    ),
)
