# Made by `bindgen generate publisher`. Do not edit: change the contract, run it again.
# contract: https://publisher.invalid/wsdl/2011-03-01
# its sha256: f0c7e16de9b30f837d2f73846452df6dc045765562e183ee3cdb2df3dd8fe115
# sha256 of the schema beside it: 3c1132b649756047e411e7c474dba3f758ba2d30c37b5fc8cdb22a8771cacd60
# sha256 of its settings in contracts.toml: 07c220246075913c79552a80cfbd10bf1952b7b89e5b91f689d711f58e94e05e
"""What the WSDL of publisher 2011-03-01 cannot say."""

from __future__ import annotations

from soapclient.runtime.tables import (
    FaultShape,
    Paging,
    Signing,
    Tables,
)

TABLES = Tables(
    name="publisher",
    version="2011-03-01",
    namespace="http://api.zanox.com/namespace/2011-03-01/",
    service="PublisherService",
    port="PublisherSoapPort",
    binding="{http://api.zanox.com/namespace/2011-03-01/}PublisherSoapBinding",
    address="https://publisher.invalid/soap/2011-03-01",
    sha256="f0c7e16de9b30f837d2f73846452df6dc045765562e183ee3cdb2df3dd8fe115",
    signing=Signing(
        service_name="publisherservice",
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
)
