"""The offset of a wrong local clock: shared with zeep's service, but not with other endpoints.

The common rules are in tests/interfaces/test_interfaces_signing.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from soapclient import Client
from tests.soap.conftest import responses

if TYPE_CHECKING:
    from tests.support.wire import Wire


def test_each_endpoint_has_its_own_clock_offset(client: Client, wire: Wire) -> None:
    wire.answers(responses.fault(403, "too old"), 500, Date="Fri, 20 Nov 2026 14:00:00 GMT")
    wire.answers(responses.profile())
    client.publisher.get_profile()
    wire.answers(responses.profile())
    client.publisher.zeep.GetProfile()
    wire.answers(responses.of("GetJob", space="http://data.zanox.com/namespace/2011-05-01/"))
    client.data.get_job(job_id="job-1")
    times = [sent.fields["timestamp"][11:] for sent in wire.sent]
    assert times == ["12:00:00", "14:00:00", "14:00:00", "12:00:00"]
