"""Consequences of a drift finding: nothing, a warning, or an error that says the response was read."""

from __future__ import annotations

import logging
import pickle
from typing import TYPE_CHECKING

import pytest

from soapclient.drift import Drift
from soapclient.errors import ContractDrift, ResponseError
from soapclient.runtime import CountingReader, Finding
from soapclient.runtime.findings import FindingKind, bounded

if TYPE_CHECKING:
    from tests.stage import Stage

from tests.drift.conftest import DRIFTING, ITEM, PLAIN, response

COLOUR = Finding("attribute", "GetBalancesResponse/balanceItems/balanceItem/@colour", "")
MOOD = Finding("element", "GetBalancesResponse/mood", "")
SEEN = {("GetBalances", COLOUR): 2, ("GetBalances", MOOD): 1}


@pytest.mark.parametrize("protocol", ["soap", "rest"])
@pytest.mark.parametrize("policy", ["tolerate", "warn"])
def test_drift_does_not_fail_the_call(
    stage: Stage, protocol: str, policy: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "soapclient.drift")
    stage.response = DRIFTING
    client = stage.client(publisher_protocol=protocol, drift=policy)
    for _ in range(2):
        assert [str(each.open) for each in client.publisher.get_balances().balance_items or ()] == [
            "1.10"
        ] * 2
    assert client.drift.counts() == {key: 2 * times for key, times in SEEN.items()}
    levels = [record.levelname for record in caplog.records]
    # Only the first time for each path.
    assert levels == [{"tolerate": "DEBUG", "warn": "WARNING"}[policy]] * 2


@pytest.mark.parametrize("protocol", ["soap", "rest"])
def test_drift_error_names_all_findings_after_reading_the_response(stage: Stage, protocol: str) -> None:
    stage.response = DRIFTING
    heard: list[tuple[str, Finding, int]] = []
    client = stage.client(
        publisher_protocol=protocol, drift="error", on_finding=lambda *each: heard.append(each)
    )
    with pytest.raises(ContractDrift) as refused:
        client.publisher.get_balances()
    error = pickle.loads(pickle.dumps(refused.value))
    assert set(error.findings) == {tuple(COLOUR), tuple(MOOD)}
    assert (error.operation, error.processed, error.attempts) == ("GetBalances", False, 1)
    assert "GetBalancesResponse/mood" in str(error)
    assert "@colour" in str(error)
    assert "was processed" not in str(error)
    assert client.drift.counts() == SEEN
    assert len(heard) == 2
    stage.response = PLAIN
    assert len(client.publisher.get_balances().balance_items or ()) == 1


def test_stream_raises_at_its_end_and_page_iterator_at_its_page(stage: Stage) -> None:
    stage.response = DRIFTING
    client = stage.client(drift="error", publisher_protocol="soap")
    given = []
    with pytest.raises(ContractDrift), client.publisher.stream.get_balances() as items:
        given += [item.id for item in items]
    assert given == ["EUR", "CHF"]
    with pytest.raises(ContractDrift):
        next(iter(client.publisher.iterate.get_balances()))


def test_an_error_of_the_caller_inside_a_stream_is_not_replaced(stage: Stage) -> None:
    stage.response = DRIFTING
    client = stage.client(drift="error")

    def fail() -> None:
        with client.publisher.stream.get_balances() as items:
            raise KeyError(list(items))

    with pytest.raises(KeyError):
        fail()
    assert client.drift.counts() == SEEN


def test_drift_error_of_a_write_says_that_it_was_processed(stage: Stage) -> None:
    stage.response = (
        '<DeleteAdspaceResponse xmlns="http://api.zanox.com/namespace/2011-03-01/"><count>1</count><mood/>'
        "</DeleteAdspaceResponse>"
    )
    client = stage.client(drift="error")
    with pytest.raises(ContractDrift, match="The request was processed") as refused:
        client.publisher.delete_adspace(adspace_id=7)
    assert refused.value.processed


@pytest.mark.parametrize("kind", ["naive-time", "shortened"])
def test_allowed_wildcard_content_is_counted_but_not_an_error(kind: FindingKind) -> None:
    drift = Drift(policy="error")
    reader = CountingReader()
    reader.findings[Finding(kind, "a/b", "")] += 1
    drift.add("Get", reader)
    assert len(drift.counts()) == 1


@pytest.mark.sampled(2)
@pytest.mark.parametrize("policy", ["tolerate", "warn", "error"])
@pytest.mark.parametrize("protocol", ["soap", "rest"])
@pytest.mark.parametrize("validate", ["requests", "all"])
def test_undecodable_response_is_counted_before_the_error(
    stage: Stage, protocol: str, validate: str, policy: str
) -> None:
    client = stage.client(publisher_protocol=protocol, validate=validate, drift=policy)
    stage.response = response(ITEM.format("EUR", "", "").replace("1.10", "Jane Doe"))
    with pytest.raises(ResponseError):
        client.publisher.get_balances()
    [((operation, finding), times)] = client.drift.counts().items()
    assert (operation, finding.kind, times) == ("GetBalances", "schema", 1)
    assert finding.path == "GetBalancesResponse/balanceItems/balanceItem/open"
    # The received value may be personal data, so only the expected value is kept.
    assert "Jane" not in finding.detail
    assert finding.detail


@pytest.mark.parametrize("protocol", ["soap", "rest"])
@pytest.mark.parametrize("validate", ["requests", "all"])
def test_a_required_element_that_is_missing_is_counted(stage: Stage, protocol: str, validate: str) -> None:
    client = stage.client(publisher_protocol=protocol, validate=validate)
    stage.response = response(ITEM.format("EUR", "", "").replace("<open>1.10</open>", ""))
    with pytest.raises(ResponseError):
        client.publisher.get_balances()
    [(_, finding)] = client.drift.counts()
    # The schema's own message describes the element in the place of the missing one.
    told = ("schema", "confirmed") if validate == "all" else ("missing", "open")
    assert (finding.kind, finding.path) == (
        told[0],
        f"GetBalancesResponse/balanceItems/balanceItem/{told[1]}",
    )


def test_json_findings_are_counted(stage: Stage) -> None:
    stage.response = '{"page": 0, "items": 0, "total": 0, "mood": "fine", "balanceItems": ""}'
    client = stage.client(publisher_protocol="rest", rest_format="json", drift="error")
    with pytest.raises(ContractDrift) as refused:
        client.publisher.get_balances()
    assert [path for _, path, _ in refused.value.findings] == ["GetBalancesResponse/mood"]
    stage.response = '{"page": 0, "items": 0, "total": "many", "balanceItems": ""}'
    with pytest.raises(ResponseError):
        client.publisher.get_balances()
    assert Finding("schema", "GetBalancesResponse/total", "") in {
        finding._replace(detail="") for _, finding in client.drift.counts()
    }


def test_truncated_response_is_not_drift(stage: Stage) -> None:
    client = stage.client(publisher_protocol="rest", attempts=1)
    stage.response = DRIFTING[:-30]
    with pytest.raises(ResponseError):
        client.publisher.get_balances()
    assert client.drift.counts() == {}


def test_error_of_another_call_inside_a_stream_is_not_changed(stage: Stage) -> None:
    stage.response = PLAIN
    client = stage.client(publisher_protocol="soap")

    def call_inside() -> None:
        with client.publisher.stream.get_balances():
            stage.response = response(ITEM.format("EUR", "", "").replace("1.10", "?"))
            client.publisher.get_balances()

    with pytest.raises(ResponseError):
        call_inside()
    assert sum(client.drift.counts().values()) == 1


def test_number_of_unknown_names_is_bounded(stage: Stage) -> None:
    client = stage.client(publisher_protocol="soap")
    for at in range(3):
        names = "".join(f"<n{at}x{number}/>" for number in range(400))
        stage.response = response(ITEM.format("EUR", "", ""), extra=f"<{'l' * 5000}/>{names}")
        client.publisher.get_balances()
    counts = client.drift.counts()
    assert len(counts) == 51
    assert counts["GetBalances", Finding("element", "GetBalancesResponse/…", "")] == 3 * 401 - 50 - 2
    assert sum(counts.values()) == 3 * 401
    assert max(len(finding.path) for _, finding in counts) < 500


@pytest.mark.exhaustive
def test_number_of_findings_is_bounded() -> None:
    known: dict[Finding, int] = {}
    for number in range(10_000):
        known.setdefault(bounded(Finding("element", f"a{number}/b", ""), known), 1)
    assert len(known) == 2_001
    assert Finding("element", "…", "") in known


def test_export_with_other_columns_is_counted() -> None:
    from soapclient.errors import ColumnDrift
    from soapclient.tracking.exports.jobs.job import DriftFindings
    from zxws.data.service import PACKAGE

    assert PACKAGE.settings.job is not None
    drift = Drift(policy="error")
    with pytest.raises(ContractDrift, match=r"click\.csv/mood"):
        DriftFindings(PACKAGE.settings.job, drift).columns(
            ColumnDrift("click", added=("mood",), missing=("clickId",), reordered=False)
        )
    assert {finding.kind for _, finding in drift.counts()} == {"missing", "element"}
