"""Names of drift findings: they never contain personal data or secrets."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from soapclient.drift import Drift
from soapclient.drift.counting import PLACEHOLDER, presentable
from soapclient.errors import ContractDrift
from soapclient.runtime import CountingReader, Finding
from soapclient.tracking.sandbox import SAMPLE_SECRET_KEY

if TYPE_CHECKING:
    from tests.stage import Stage

from tests.drift.conftest import ITEM, response

SIGNATURE = "N4RPYDY1aUjciVm32pCJ82FVvuk0"
KEYS = ("jane.doe@example.com", f"secretKey={SIGNATURE}", f"x{SAMPLE_SECRET_KEY}", "mood")
A_NAME = etree.XMLSchema(
    etree.fromstring(
        '<s:schema xmlns:s="http://www.w3.org/2001/XMLSchema"><s:element name="a" type="s:Name"/></s:schema>'
    )
)
AT = "GetBalancesResponse/balanceItems/balanceItem"


def _answer() -> str:
    item = {"@id": "EUR", "open": 1.1, "confirmed": 2.2, **dict.fromkeys(KEYS, "x")}
    return json.dumps({"page": 0, "items": 1, "total": 1, "balanceItems": {"balanceItem": [item]}})


def test_json_keys_are_shown_only_if_they_are_xml_names(
    stage: Stage, log: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "soapclient.drift")
    stage.response = _answer()
    heard: list[str] = []
    client = stage.client(
        publisher_protocol="rest",
        rest_format="json",
        drift="error",
        drift_log=log,
        on_finding=lambda operation, finding, times: heard.append(f"{finding} {times}"),
    )
    with pytest.raises(ContractDrift) as refused:
        client.publisher.get_balances()
    assert client.drift.counts() == {
        ("GetBalances", Finding("element", f"{AT}/{PLACEHOLDER}", "")): 3,
        ("GetBalances", Finding("element", f"{AT}/mood", "")): 1,
    }
    told = [log.read_text(encoding="utf-8"), caplog.text, str(refused.value), repr(refused.value.findings)]
    for text in (*told, "".join(heard)):
        assert "mood" in text
        assert PLACEHOLDER in text
        for hidden in ("jane", SIGNATURE, SAMPLE_SECRET_KEY):
            assert hidden not in text


def test_a_value_that_repeats_the_clients_own_secret_is_not_kept(stage: Stage, log: Path) -> None:
    stage.response = response(ITEM.format("EUR", "", ""))
    client = stage.client(drift_log=log)
    client.publisher.get_balances()
    reader = CountingReader()
    reader.findings[Finding("value", "a/b", f"key {SAMPLE_SECRET_KEY}")] += 2
    client.drift.add("GetThings", reader)
    assert client.drift.counts() == {("GetThings", Finding("value", "a/b", "key [hidden]")): 2}
    assert SAMPLE_SECRET_KEY not in log.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("GetThings/thing/@id", "GetThings/thing/@id"),
        ("GetThings/@{http://shop.invalid/a b}colour", "GetThings/@{http://shop.invalid/a b}colour"),
        ("GetThings/@{http://shop.invalid/x}a b", "GetThings/@{http://shop.invalid/x}" + PLACEHOLDER),
        ("GetThings/größe/…", "GetThings/größe/…"),
        ("GetThings/cut…", "GetThings/cut…"),
        ("GetThings//x:y", "GetThings//x:y"),
        ("click.csv/Jane Doe", f"click.csv/{PLACEHOLDER}"),
        ('a/"\\u001b[31m"/b', f"a/{PLACEHOLDER}/b"),
        ("", ""),
    ],
)
def test_paths_of_valid_names_are_unchanged(path: str, shown: str) -> None:
    assert presentable(Finding("element", path, "")).path == shown


@given(st.text(st.characters(exclude_characters="/{}@…"), min_size=1, max_size=4))
def test_names_follow_the_xml_rules(text: str) -> None:
    element = etree.Element("a")
    try:
        element.text = text
        is_name = text == text.strip() and A_NAME.validate(element)
    except ValueError:  # a character that XML forbids
        is_name = False
    kept = presentable(Finding("element", f"a/{text}", "")).path == f"a/{text}"
    # libxml2 follows an older edition of XML 1.0, which allows fewer letters.
    assert kept or not is_name
    if text.isascii():
        assert kept == is_name


def test_keys_with_one_presented_name_are_counted_together() -> None:
    drift, reader = Drift(policy="tolerate"), CountingReader()
    reader.findings.update({Finding("element", "a/b@c", ""): 2, Finding("element", "a/d@e", ""): 3})
    drift.add("Get", reader)
    assert drift.counts() == {("Get", Finding("element", f"a/{PLACEHOLDER}", "")): 5}
