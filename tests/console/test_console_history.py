"""The history's filters and exports, and saved requests."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from urllib.parse import urlsplit

import pytest

from soapclient.console.forms import Form, Forms
from soapclient.console.history import HistoryFilter, as_har, as_json
from soapclient.console.redaction import without_secrets
from soapclient.console.saved import InvalidFile, SavedRequests
from soapclient.console.targets import Exchange, Message
from soapclient.testing.examples import Examples
from tests.console.conftest import MOMENT, SECRETS, TYPED
from tests.console.vendors import Called


def form_of(mocked_door: Called, values: Mapping[str, str] = TYPED) -> Form:
    target = mocked_door.target
    forms = Forms(Examples(target.package.codec), target.checks())
    return forms.form(target.operations["Login"], values, check=True)


@pytest.fixture
def exchange(mocked_door: Called) -> Exchange:
    mocked_door.mocked.reset()
    mocked_door.mocked.on("Login").unavailable().times(1)
    mocked_door.mocked.on("Login").reply(session_token="given-out", greeting="hello, open-sesame")
    sent = mocked_door.send("Login", TYPED)
    assert sent.error == ""
    return sent


EXCHANGES = [
    Exchange(1, MOMENT, "publisher", "GetSales", {}, response=Message("200 OK"), place="mock"),
    Exchange(2, MOMENT, "publisher", "GetSales", {}, response=Message("503 No"), error="e", place="real"),
    Exchange(3, MOMENT, "data", "GetLeads", {}, error="no response", place="mock"),
]


@pytest.mark.parametrize(
    ("chosen", "numbers"),
    [
        (HistoryFilter(), [1, 2, 3]),
        (HistoryFilter(operation="sales PUB"), [1, 2]),
        (HistoryFilter(status="ok"), [1]),
        (HistoryFilter(status="failed"), [2, 3]),
        (HistoryFilter(status="none"), [3]),
        (HistoryFilter(status="5xx"), [2]),
        (HistoryFilter(status="200"), [1]),
        (HistoryFilter(place="mock"), [1, 3]),
        (HistoryFilter(operation="get", status="failed", place="mock"), [3]),
        (HistoryFilter(operation="nothing"), []),
    ],
)
def test_history_is_filtered(chosen: HistoryFilter, numbers: list[int]) -> None:
    assert [item.number for item in chosen.select(EXCHANGES)] == numbers


def test_exports_show_no_secret(mocked_door: Called, exchange: Exchange) -> None:
    for text in (
        as_json([exchange], lambda item: without_secrets(form_of(mocked_door, item.values))),
        as_har([exchange]),
    ):
        assert "somebody" in text
        for secret in SECRETS:
            assert secret not in text


def test_json_export_has_the_attempts_and_the_form(mocked_door: Called, exchange: Exchange) -> None:
    text = as_json([exchange], lambda item: without_secrets(form_of(mocked_door, item.values)))
    (item,) = json.loads(text)["exchanges"]
    assert (item["operation"], item["response"]["line"]) == ("Login", "200 OK")
    assert item["values"]["v:user"] == "somebody"
    assert [attempt["status"] for attempt in item["attempts"]] == [503, 200]
    assert "Envelope" in item["request"]["body"]


def test_har_export_is_an_http_archive(mocked_door: Called, exchange: Exchange) -> None:
    # The members that version 1.2 of the format requires.
    log = json.loads(as_har([exchange, *EXCHANGES]))["log"]
    assert log["version"] == "1.2"
    assert log["creator"].keys() == {"name", "version"}
    (entry,) = log["entries"]  # the others sent nothing
    assert entry.keys() >= {"startedDateTime", "time", "request", "response", "cache", "timings"}
    datetime.fromisoformat(entry["startedDateTime"])
    request, response = entry["request"], entry["response"]
    common = {"httpVersion", "cookies", "headers", "headersSize", "bodySize"}
    assert request.keys() >= common | {"method", "url", "queryString", "postData"}
    assert response.keys() >= common | {"status", "statusText", "content", "redirectURL"}
    assert (request["method"], request["url"]) == ("POST", mocked_door.target.address)
    assert urlsplit(request["url"]).scheme == "http"
    assert (response["status"], response["statusText"]) == (200, "OK")
    assert response["content"]["mimeType"].startswith("text/xml")
    assert entry["time"] == pytest.approx(sum(entry["timings"].values()), abs=0.01)
    assert min(entry["timings"].values()) >= 0
    assert [attempt["status"] for attempt in entry["_attempts"]] == [503, 200]


def test_saved_requests_survive_a_file_without_their_secrets(mocked_door: Called) -> None:
    operations = {mocked_door.target.name: mocked_door.target.operations}
    saved = SavedRequests()
    saved.save("first", "door", form_of(mocked_door))
    saved.save(" first ", "door", form_of(mocked_door, {**TYPED, "v:user": "another"}))  # replaces it
    text = saved.as_json()
    for secret in SECRETS:
        assert secret not in text
    other = SavedRequests()
    assert other.read_json(text, operations) == 1
    request = other.named("door", "Login", "first")
    assert request is not None
    assert request.values == {"v:user": "another"}
    assert other.as_json() == text
    other.remove("door", "Login", "first")
    assert (len(other), other.named("door", "Login", "first")) == (0, None)


INVALID = "not a valid file of saved requests"
ENTRY = {"name": "n", "service": "door", "operation": "Login", "values": {"v:user": "u"}}


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        ("{", INVALID),
        ({"version": 2, "requests": []}, "version of the file must be 1, got 2"),
        ({"version": 1, "requests": [{**ENTRY, "values": {"v:user": 3}}]}, INVALID),
        ({"version": 1, "requests": [ENTRY, {**ENTRY, "operation": "Nothing"}]}, "not an operation"),
        ({"version": 1, "requests": [ENTRY, {**ENTRY, "service": "gate"}]}, "not an operation"),
        ({"version": 1, "requests": [ENTRY, {**ENTRY, "name": ""}]}, "1 to 100 characters, got 0"),
        ({"version": 1, "requests": [{**ENTRY, "name": f"{n}"} for n in range(501)]}, "At most 500"),
        ({"version": 1, "requests": [], "more": 1}, INVALID),
        ("[" * 5_000_000, "at most 4,000,000 characters"),
    ],
)
def test_invalid_file_adds_no_request(mocked_door: Called, document: object, reason: str) -> None:
    saved = SavedRequests()
    text = document if isinstance(document, str) else json.dumps(document)
    with pytest.raises(InvalidFile, match=reason):
        saved.read_json(text, {"door": mocked_door.target.operations})
    assert len(saved) == 0
