# Made by `bindgen generate data`. Do not edit: change the contract, run it again.
# contract: https://data.invalid/wsdl/2011-05-01
# its sha256: 5432b3dafec8f3ce04512e7619ef93b4f268bb4689e3fc26811070390cc8023d
# sha256 of its settings in contracts.toml: 2b529c7e4f6ccab9b9d2dce47b1055e23bc886d0b0bda9d0275d5f4f6ebe048f
"""What the WSDL of data 2011-05-01 cannot say."""

from __future__ import annotations

from zxws._runtime.tables import (
    Column,
    Download,
    FaultShape,
    Job,
    Paging,
    Signing,
    Tables,
    Waiter,
)

TABLES = Tables(
    name="data",
    version="2011-05-01",
    namespace="http://data.zanox.com/namespace/2011-05-01/",
    service="DataService",
    port="DataSoapPort",
    binding="{http://data.zanox.com/namespace/2011-05-01/}DataSoapBinding",
    address="https://data.invalid/soap/2011-05-01",
    sha256="5432b3dafec8f3ce04512e7619ef93b4f268bb4689e3fc26811070390cc8023d",
    signing=Signing(
        service_name="dataservice",
        connect_id="connectId",
        timestamp="timestamp",
        nonce="nonce",
        signature="signature",
    ),
    fault=FaultShape(
        element="SOAPException",
        code="code",
        reason="reason",
        error_id="errorId",
        authentication=frozenset({401, 403}),
        transient=frozenset({429, 500, 502, 503, 504}),
    ),
    paging=Paging(
        page="page",
        items="items",
        total="total",
        first=0,
        default=10,
        most=50,
    ),
    waiter=Waiter(
        waiting=frozenset({"created", "queued", "running"}),
        done=frozenset({"done"}),
        failed=frozenset({"canceled", "failed"}),
        expired=frozenset({"expired"}),
        delay=0.5,
        factor=1.6,
        most=30,
    ),
    download=Download(
        fallback_path="/jobs/job/id/{id}/download",
        compression="gzip-csv",
    ),
    job=Job(
        order="create_report_job",
        poll="get_job",
        poll_id="job_id",
        item="job_item",
        id="id",
        status="status",
        rows="rows",
        size="size",
        url="download_url",
        message="message",
    ),
    columns={
        "click": (
            Column("clickId", "xsd:long"),
            Column("clickDate", "xsd:dateTime"),
            Column("programId", "xsd:int"),
            Column("programName", "xsd:string"),
            Column("adspaceId", "xsd:int"),
            Column("adspaceName", "xsd:string"),
            Column("admediumId", "xsd:int"),
            Column("admediumName", "xsd:string"),
            Column("admediumFormatId", "xsd:int"),
            Column("country", "xsd:string"),
            Column("currency", "xsd:string"),
            Column("commission", "xsd:decimal"),
            Column("referrer", "xsd:string"),
            Column("userAgent", "xsd:string"),
            Column("zpar0", "xsd:string"),
            Column("zpar1", "xsd:string"),
        ),
        "clickin": (
            Column("clickInId", "xsd:long"),
            Column("clickDate", "xsd:dateTime"),
            Column("programId", "xsd:int"),
            Column("programName", "xsd:string"),
            Column("adspaceId", "xsd:int"),
            Column("adspaceName", "xsd:string"),
            Column("admediumId", "xsd:int"),
            Column("admediumName", "xsd:string"),
            Column("country", "xsd:string"),
            Column("landingPage", "xsd:string"),
            Column("zpar0", "xsd:string"),
            Column("zpar1", "xsd:string"),
        ),
    },
)
