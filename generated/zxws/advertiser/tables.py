# Made by `bindgen generate advertiser`. Do not edit: change the contract, run it again.
# contract: advertiser/2015-03-01/advertiser.xsd
# its sha256: 5004390b33bd5342b2d7798b452768b62867445ca11c4eff500299ee8e85c49f
# sha256 of its settings in contracts.toml: d49b66c665fd2eaaa7ac2c3cb97e8361d9c8f9bfefc03fb1c85fea6c147bdb57
"""What the WSDL of advertiser 2015-03-01 cannot say."""

from __future__ import annotations

from soapclient.runtime.tables import (
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
        instead="partnerships() and public_partnerships() take any number, in batches",
    ),
    window=ReportWindow(
        days_back=90,
        apart=("day", "month"),
    ),
)
