"""Seventy mistakes: each error message names the problem and the solution at once."""

from __future__ import annotations

import re

import pytest

from tests.docs.pages import ROOT
from tests.test_supply import script

pytestmark = pytest.mark.sampled(6)

mistakes = script("mistakes")
# For each mistake, in order: the input and the advice. The message must contain both.
SAID = {
    "Options": [
        ("'cal'", "call"),
        ("'publsher'", "'publisher', 'data', 'advertiser'"),
        ("'GetSals'", "GetSales"),
        ("--protocl", "--protocol"),
        ("'grpc'", "'soap', 'rest'"),
        ("GetApplication", "Use the other protocol"),
        ("'soon'", "30m"),
        ("'sales.txt'", ".parquet, .csv, .xlsx"),
        ("99999", "65535"),
        ("-1", "greater than 0"),
    ],
    "Dates": [
        ("'01.11.2026'", "2026-11-01"),
        ("'2026-02-30'", "2026-11-01"),
        ("'yesterday'", "2026-11-01"),
        ("'2026-11-01T10:00:00'", "with a zone such as 2026-11-01T00:00:00+01:00"),
        ("'01.11.2026'", "write it as 2026-11-01"),
        ("'2026-11-02'", "2026-11-01) or earlier"),
        ("2026-11-01", "--from 2026-11-02"),
        ("'CET+1'", "'Europe/Berlin'"),
        ("'2026-11-01'", "date(2026, 11, 1)"),
        ("'01.11.2026'", "2026-07-01"),
    ],
    "Values of enumerations": [
        ("dateType must be one of 'clickDate'", "'yesterday'"),
        ("'trackingDate'", "'TrackingDate'"),
        ("'confirmed', 'open', 'rejected', 'approved'", "'denied'"),
        ("'confirmed', 'open', 'rejected', 'approved'", "''"),
        ("isExclusive must be true or false", "'maybe'"),
        ("groupBy", "'month', 'day', 'year'"),
        ("'view' was removed in 2011-05-01", "use click"),
        ("'clik'", "Did you mean click?"),
        ("reviewState", "'denied'"),
        ("'trackingDate'", "'yesterday'"),
    ],
    "Missing fields": [
        ("GetSales: date is required", "Nothing was sent"),
        ("dateType is required: one of clickDate, trackingDate", "Nothing was sent"),
        ("saleId is required", "for example: soapclient call publisher GetSale saleId="),
        ("adspaceItem/url is required", "Nothing was sent"),
        ("partnerCode is required", "Nothing was sent"),
        ("--from", "the first and the last day"),
        ("Missing option", "--output"),
        ("'saleId' has no '='", "NAME=VALUE"),
        ("sale: unknown field", "saleId"),
        ("dateType is required: one of clickDate, trackingDate", "Nothing was sent"),
    ],
    "Files": [
        ("gone.json", "No such file"),
        ("broken.json", "line 1, column 12"),
        ("page.html", "a page of HTML, 'Sign in' (a response of a login page, a proxy or another server"),
        ("'request.json' has no '='", "- < FILE"),
        ("page.html", "drift_log"),
        ("broken.json", "--handle"),
        ("nowhere", "create it"),
        ("gone.toml", "No such file"),
        ("rules.toml: rule 1, GetWeather", "degrees"),
        ("list:1", "rule path # reason"),
    ],
    "Configuration": [
        ("SOAPCLIENT_DEADLINE", "such as 30 or 2.5, got '1m'"),
        ("SOAPCLIENT_PUBLISHER_PROTOCOL", "soap, rest (got 'reST')"),
        ("SOAPCLIENT_PUBLISHER_URL", "such as https://service.example/base"),
        ("SOAPCLIENT_PUBLISHER_ULR is not a setting; did you mean SOAPCLIENT_PUBLISHER_URL?", "is not set"),
        ("secret_key", "SOAPCLIENT_SECRET_KEY"),
        ("'gone.pem'", "PEM"),
        ("gone.toml", "SOAPCLIENT_CONFIG"),
        ("settings.toml", "line 1, column 12"),
        ("'nigth'", "did you mean night?"),
        ("publisher_ulr", "did you mean publisher_url?"),
    ],
    "WSDLs of one's own": [
        ("'gone.wsdl'", "does not exist"),
        ("page.html: not a WSDL 1.1 document", "check the file"),
        ("weather.wsdl: not a WSDL 1.1 document", "WSDL 2.0 is not supported"),
        ("line 26", "may be incomplete"),
        ("weather.wsdl:15", "no message 't:Output'"),
        ("'2weather'", "my_service"),
        ("'GetWether'", "it has: GetWeather"),
        ("weather.toml: operations.safe", "the contract has: GetWeather"),
        ("town: unknown field", "city"),
        ("'weather.example'", "https://service.example/soap"),
    ],
}


def test_seven_kinds_have_ten_mistakes_each() -> None:
    assert {kind: len(found) for kind, found in mistakes.MISTAKES.items()} == dict.fromkeys(SAID, 10)
    assert len(SAID) == 7
    each = {repr(mistake) for found in mistakes.MISTAKES.values() for mistake in found}
    assert len(each) == 70


@pytest.mark.parametrize(("kind", "number"), [(kind, number) for kind in SAID for number in range(10)])
def test_mistake_is_refused_with_a_helpful_message(kind: str, number: int) -> None:
    said, code = mistakes.said(mistakes.MISTAKES[kind][number])
    for part in SAID[kind][number]:
        assert part in said
    assert code in (1, 2, 3, 4, 9, "ConfigError", "ContractError")
    assert "Traceback" not in said
    assert "127.0.0.1:9" not in said  # no request was sent to the configured address
    first = said.splitlines()[0]
    assert re.match(r"(soapclient|bindgen|Error): ", first) or not isinstance(code, int)


def test_each_mistake_is_on_the_page() -> None:
    page = (ROOT / "docs/reference/mistakes.md").read_text(encoding="utf-8")
    tables = [re.findall(r"^\| (?!What|---)", part, re.MULTILINE) for part in page.split("\n## ")[1:]]
    assert list(map(len, tables)) == [10] * 7
    for found in mistakes.MISTAKES.values():
        for mistake in found:
            assert mistake.done.replace("|", r"\|") in page
