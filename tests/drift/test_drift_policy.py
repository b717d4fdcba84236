"""Consequences of a drift finding: nothing, a warning, or an error that says the response was read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from soapclient.drift import Drift
from soapclient.errors import ColumnDrift, ContractDrift, ResponseError
from soapclient.runtime import CountingReader, Finding
from soapclient.runtime.findings import FindingKind, bounded
from soapclient.tracking.exports.jobs.job import DriftFindings
from zxws.data.service import PACKAGE

if TYPE_CHECKING:
    from tests.stage import Stage

from tests.drift.conftest import ITEM, PLAIN, response


@pytest.mark.parametrize("kind", ["naive-time", "shortened"])
def test_allowed_wildcard_content_is_counted_but_not_an_error(kind: FindingKind) -> None:
    drift = Drift(policy="error")
    reader = CountingReader()
    reader.findings[Finding(kind, "a/b", "")] += 1
    drift.add("Get", reader)
    assert len(drift.counts()) == 1


@pytest.mark.parametrize("protocol", ["soap", "rest"])
@pytest.mark.parametrize("validate", ["requests", "all"])
def test_a_required_element_that_is_missing_is_counted(stage: Stage, protocol: str, validate: str) -> None:
    client = stage.client(publisher_protocol=protocol, validate=validate)
    stage.response = response(ITEM.format("EUR", "", "").replace("<open>1.10</open>", ""))
    with pytest.raises(ResponseError):
        client.publisher.get_balances()
    [(_, finding)] = client.drift.counts()
    # The schema's own message describes the element in the place of the missing one.
    kind, name = ("schema", "confirmed") if validate == "all" else ("missing", "open")
    path = f"GetBalancesResponse/balanceItems/balanceItem/{name}"
    assert (finding.kind, finding.path) == (kind, path)


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


@pytest.mark.exhaustive
def test_number_of_findings_is_bounded() -> None:
    known: dict[Finding, int] = {}
    for number in range(10_000):
        known.setdefault(bounded(Finding("element", f"a{number}/b", ""), known), 1)
    assert len(known) == 2_001
    assert Finding("element", "…", "") in known


def test_export_with_other_columns_is_counted() -> None:
    assert PACKAGE.settings.job is not None
    drift = Drift(policy="error")
    with pytest.raises(ContractDrift, match=r"click\.csv/mood"):
        DriftFindings(PACKAGE.settings.job, drift).columns(
            ColumnDrift("click", added=("mood",), missing=("clickId",), reordered=False)
        )
    assert {finding.kind for _, finding in drift.counts()} == {"missing", "element"}
