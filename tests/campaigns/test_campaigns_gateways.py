"""Gateway responses in the proxy of the campaigns: status and body come from the gateway."""

from __future__ import annotations

import pytest

from tests.campaigns.faults import ALL, BY_A_GATEWAY
from tests.campaigns.test_campaigns_proxy import XML, answered, right
from tests.support.wire import Recorder

pytestmark = pytest.mark.exhaustive


@pytest.mark.parametrize("name", [name for name in ALL if name.startswith("status ")])
def test_fault_has_the_status_of_its_name(recorder: Recorder, name: str) -> None:
    assert answered(recorder, name).status == int(name.split()[1])
    assert len(recorder.sent) == name.endswith("after the service")


@pytest.mark.parametrize("name", sorted(BY_A_GATEWAY))
def test_gateway_responds_after_the_service_was_called(recorder: Recorder, name: str) -> None:
    answer = answered(recorder, name)
    assert (answer.status, len(recorder.sent)) == (int(name.split()[2]), 1)
    assert answer.body != XML


def test_every_gateway_status_is_covered() -> None:
    said = {int(name.split()[1]) for name in ALL if name.startswith("status ")}
    assert {408, 425, 429, 499, 500, 501, 502, 503, 504, 505, 507, 520, 522, 524, 598, 599} <= said
    forwarded = [int(name.split()[2]) for name in ALL if name.startswith("forwarded")]
    assert sorted(forwarded) == list(range(200, 600))


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize(
    ("kind", "status"),
    [("a page with 200", 200), ("a fault without detail", 500), ("a fault of code 500", 500)],
)
@pytest.mark.parametrize(
    "path", ["/soap/2011-03-01", "/xml/2011-03-01/profiles", "/json/2011-03-01/profiles"]
)
def test_wrong_response_is_complete(recorder: Recorder, kind: str, status: int, when: str, path: str) -> None:
    name = f"{kind} {when} the service"
    answer = answered(recorder, name, path=path)
    assert answer.status == status
    assert len(recorder.sent) == name.endswith("after the service")
    if status == 200:
        assert b"og in" in answer.body
    else:
        assert b"something went wrong" in answer.body
        assert (b"500" in answer.body) == ("code 500" in name)
        assert right(answer.body, "json" if path.startswith("/json") else "xml")
