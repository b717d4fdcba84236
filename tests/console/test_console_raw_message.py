"""Edited messages: problems with their lines, and sending a message as it is typed."""

from __future__ import annotations

from pathlib import Path

import pytest

from soapclient import Client, Settings
from soapclient.console.raw_message import MAX_MESSAGE, problems_in, send_message
from soapclient.console.targets import Exchange, now
from soapclient.testing import Mock
from soapclient.tracking.console import targets_of
from tests.console.vendors import Called, called

SOAP = "http://schemas.xmlsoap.org/soap/envelope/"
MESSAGE = f"""<?xml version="1.0"?>
<s:Envelope xmlns:s="{SOAP}" xmlns:w="urn:example:weather">
  <s:Body>
    <w:GetWeather>
      <w:city>Berlin</w:city>
      <w:days>2</w:days>
    </w:GetWeather>
  </s:Body>
</s:Envelope>
"""
BODY = MESSAGE[MESSAGE.index("<s:Body>") : MESSAGE.index("</s:Envelope>")]
HEADER = "<s:Header><w:Session><w:colour>red</w:colour></w:Session></s:Header>\n  <s:Body>"


@pytest.mark.parametrize(
    ("old", "new", "line", "text"),
    [
        ("</w:city>", "</w:town>", 5, "not well-formed"),
        ("Berlin", "B" * 21, 5, "GetWeather/city: "),
        ("<w:days>2", "<w:days>soon", 6, "GetWeather/days: "),
        ("<w:days>2</w:days>", "<w:weeks>2</w:weeks>", 6, "weeks"),
        ("<w:city>Berlin</w:city>", "", 6, "must be city"),
        ("<w:days>2</w:days>", "<w:x/>" * 9000, 6, "GetWeather/x"),
        ("</w:days>", "</w:days>\n<w:days>2</w:days>", 6, "GetWeather/days"),
        ("w:GetWeather>", "w:Observed>", 3, "one element, GetWeather in the namespace urn:example:weather"),
        ("<s:Body>", HEADER, 3, "Session"),
        ("s:Body>", "s:Rump>", 3, "one Body, got Rump in http"),
        (SOAP, "http://www.w3.org/2003/05/soap-envelope", 2, "(SOAP 1.1)"),
        (BODY, "<s:Header/>", 2, "must have one Body, got 0"),
        ("?>", "?><!DOCTYPE x [<!ENTITY a 'b'>]>", 1, "DOCTYPE"),
        ("Berlin", "B" * MAX_MESSAGE, None, "at most 2,000,000 bytes"),
        ("Berlin", "\ud800", None, "a character that XML does not allow"),
        ("Berlin", "\x01", 5, "not well-formed"),
    ],
)  # fmt: skip
def test_problems_have_lines(mocked_weather: Called, old: str, new: str, line: int | None, text: str) -> None:
    operation = mocked_weather.target.operations["GetWeather"]
    assert problems_in(MESSAGE, mocked_weather.target, operation) == []
    problem = problems_in(MESSAGE.replace(old, new), mocked_weather.target, operation)[0]
    assert (problem.line, text in problem.text) == (line, True), problem
    assert str(problem).startswith(f"line {line}: " if line else problem.text)


def test_a_header_and_the_body_can_both_have_a_problem(mocked_weather: Called) -> None:
    message = MESSAGE.replace("<s:Body>", HEADER).replace("<w:days>2", "<w:days>soon")
    problems = problems_in(message, mocked_weather.target, mocked_weather.target.operations["GetWeather"])
    assert [problem.line for problem in problems] == [3, 7]


def sent(mocked_weather: Called, message: str, operation: str = "GetWeather") -> Exchange:
    target = mocked_weather.target
    exchange = Exchange(1, now(), "weather", operation, {})
    send_message(target, exchange, target.operations[operation], message)
    return exchange


def test_message_is_sent_as_it_is_typed(mocked: Mock, mocked_weather: Called) -> None:
    mocked.on("GetWeather").reply(degrees="21.5", sky="clear")
    message = MESSAGE.replace("  <w:days>", "<!-- kept -->\t<w:days>")
    exchange = sent(mocked_weather, message)
    assert exchange.error == ""
    assert exchange.request.body == message
    assert str(getattr(exchange.result, "degrees", "")) == "21.5"
    assert [item.status for item in exchange.attempts] == [200]
    assert [getattr(call.request, "city", "") for call in mocked.calls()] == ["Berlin"]


def test_an_invalid_message_can_be_sent_and_its_fault_is_recorded(mocked_weather: Called) -> None:
    exchange = sent(mocked_weather, "<no")
    assert exchange.request.body == "<no"
    assert exchange.response.line.startswith("500")
    assert exchange.kind == "ServiceFault", exchange.error


def test_authentication_elements_may_be_missing_and_rest_is_refused() -> None:
    account = {"connect_id": "A" * 20, "secret_key": "B" * 20, "publisher_url": "http://127.0.0.1:9"}
    with Client(Settings.load(environ={}, publisher_protocol="rest", **account)) as client:
        target = next(target for target in targets_of(client) if target.name == "publisher")
        operation = target.operations["GetProfile"]
        assert operation.request_tag is not None
        space, _, name = operation.request_tag[1:].partition("}")
        message = f'<s:Envelope xmlns:s="{SOAP}"><s:Body><{name} xmlns="{space}"/></s:Body></s:Envelope>'
        assert problems_in(message, target, operation) == []
        wrong = problems_in(message.replace("/></s", "><a/></" + name + "></s"), target, operation)
        assert [problem.line for problem in wrong] == [1]
        exchange = Exchange(1, now(), "publisher", "GetProfile", {})
        send_message(target, exchange, operation, message)
        assert (exchange.kind, exchange.attempts) == ("ConfigError", ())
        assert "must be SOAP" in exchange.error


def test_one_way_message_has_no_result(mocked_weather: Called) -> None:
    observed = "<s:Body><w:Observed><w:degrees>1.50</w:degrees></w:Observed></s:Body>"
    message = MESSAGE.replace(BODY, observed)
    operation = mocked_weather.target.operations["Observe"]
    assert problems_in(message, mocked_weather.target, operation) == []
    exchange = sent(mocked_weather, message, "Observe")
    assert (exchange.error, exchange.result) == ("", None)


def test_invalid_response_to_an_edited_message_is_an_error(mocked: Mock, mocked_weather: Called) -> None:
    mocked.on("GetWeather").drifts("missing")
    exchange = sent(mocked_weather, MESSAGE)
    mocked.reset()
    assert exchange.kind == "ResponseError", exchange.error
    assert exchange.response.line.startswith("200")


def test_encoded_message_is_checked_by_its_values_only() -> None:
    """Its schema does not describe it: SOAP 1.1, section 5."""
    wsdl = Path(__file__).parents[1] / "testing/cases/encoded.wsdl"
    with called(wsdl) as both:
        operation = both.target.operations["search"]
        like = "<id>1</id><kind>new</kind><day>2026-11-01</day><owner><name>o</name></owner>"
        search = f'<t:search xmlns:t="urn:example:shop"><like>{like}</like>\n<most>{{}}</most></t:search>'
        message = f'<s:Envelope xmlns:s="{SOAP}"><s:Body>{search}</s:Body></s:Envelope>'
        assert problems_in(message.format("3"), both.target, operation) == []
        (problem,) = problems_in(message.format("soon"), both.target, operation)
        assert (problem.line, problem.text.startswith("search/most: must be ")) == (2, True)
