# Made by `bindgen generate advertiser`. Do not edit: change the contract, run it again.
# contract: advertiser/2015-03-01/advertiser.xsd
# its sha256: b108522f684177800006aab126c937224ecbe01081f24268b07f3a4dd65200c3
# sha256 of its settings in contracts.toml: 4ce420a21673f085a0155be21728fe91171b4ec30b48be831de906ee1c777f88
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
    sha256="b108522f684177800006aab126c937224ecbe01081f24268b07f3a4dd65200c3",
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
