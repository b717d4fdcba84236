"""Calls over the wire to a hand-written implementation of the WSDL, compared with zeep's own calls."""

from __future__ import annotations

import datetime as dt
import pickle
from collections.abc import Callable
from decimal import Decimal
from importlib import import_module
from types import ModuleType
from typing import Any

import pytest
import zeep
from lxml import etree

from soapclient import Settings
from soapclient.connection import connect
from soapclient.errors import ClientClosed, ContractError, ServiceFault
from tests.connection.conftest import HERE, SPACE
from tests.support.soap import SOAP_11, SOAP_12

PORTS = ("Weather11", "Weather12")
SOAP = {"Weather11": SOAP_11, "Weather12": SOAP_12}


def schema() -> etree.XMLSchema:
    """The compiled schema of the WSDL."""
    node = etree.parse(HERE / "weather.wsdl").find(".//{http://www.w3.org/2001/XMLSchema}schema")
    assert node is not None
    return etree.XMLSchema(etree.fromstring(etree.tostring(node)))


@pytest.mark.parametrize("port", PORTS)
def test_call_returns_the_values_of_zeep(served: str, open_served: Any, port: str) -> None:
    told = open_served(port=port).get_weather(city="Berlin", days=3)
    make: Callable[..., Any] = zeep.Client  # zeep has no types
    plain = make(str(HERE / "weather.wsdl")).create_service(f"{{{SPACE}}}{port}", served)
    theirs = plain.GetWeather(city="Berlin", days=3).body
    assert told.degrees == theirs.degrees == Decimal("-3.50")
    assert str(told.sky) == theirs.sky == "clear"
    assert told.seen == theirs.seen == dt.datetime(2026, 11, 20, 12, tzinfo=dt.UTC)
    assert told.station == theirs.station == ["Berlin", "3"]


@pytest.mark.parametrize("port", PORTS)
def test_request_matches_the_wsdl(app: Any, open_served: Any, port: str) -> None:
    open_served(port=port).get_weather(city="Köln")
    root = etree.fromstring(app.bodies[0])
    assert [node.tag for node in root] == [f"{{{SOAP[port]}}}Body"]
    message = root[0][0]
    assert schema().validate(message)
    assert message.findtext(f"{{{SPACE}}}city") == "Köln"
    assert app.actions == ['"urn:example:weather#GetWeather"']


@pytest.mark.parametrize("port", PORTS)
def test_headers_are_typed_in_both_directions(app: Any, open_served: Any, port: str) -> None:
    heard: list[tuple[str, dict[str, Any]]] = []
    connection = open_served(port=port, on_headers=lambda name, values: heard.append((name, dict(values))))
    session = import_module("weather.types").Session(token="abc")
    connection.get_weather(city="Rome", session_header=session)
    root = etree.fromstring(app.bodies[0])
    assert root.findtext(f"{{{SOAP[port]}}}Header/{{{SPACE}}}Session/{{{SPACE}}}token") == "abc"
    [(name, values)] = heard
    assert name == "GetWeather"
    assert values["quota"].left == 7
    assert connection.drift.counts() == {}  # mustUnderstand belongs to SOAP, not to the header
    connection.get_weather(city="Rome")
    assert len(heard) == 1


@pytest.mark.parametrize(("port", "code"), [("Weather11", "Client"), ("Weather12", "Sender/NoCity")])
def test_a_declared_fault_has_its_typed_detail(open_served: Any, port: str, code: str) -> None:
    service = open_served(port=port)
    with pytest.raises(ServiceFault, match="no Atlantis") as caught:
        service.get_weather(city="Atlantis")
    fault = caught.value
    detail = import_module("weather.types").CityUnknown(city="Atlantis", nearest="Santorini")
    assert fault.detail == detail
    assert fault.fault_code == code
    assert (fault.code, fault.reason, fault.operation) == (400, "no Atlantis", "GetWeather")
    assert "Santorini" in (fault.detail_text or "")
    again = pickle.loads(pickle.dumps(fault))
    assert (str(again), again.detail, again.fault_code) == (str(fault), detail, code)


@pytest.mark.parametrize("port", PORTS)
def test_multi_part_one_way_and_empty_messages_work(app: Any, open_served: Any, port: str) -> None:
    service = open_served(port=port)
    service.observe(degrees=Decimal("1.5"))
    assert etree.fromstring(app.bodies[0]).findtext(".//{*}degrees") == "1.5"
    swapped = service.swap(first="abc", second=4)
    assert (swapped.first, swapped.second) == ("4", 3)
    parts = etree.fromstring(app.bodies[-1])[0]
    assert [node.tag for node in parts] == [f"{{{SPACE}}}First", f"{{{SPACE}}}Second"]
    service.ping()
    assert len(etree.fromstring(app.bodies[-1])[0]) == 0
    assert [action.strip('"') for action in app.actions] == ["", "urn:swap", "urn:ping"]


@pytest.mark.parametrize("port", PORTS)
def test_zeep_service_shares_the_connection(app: Any, open_served: Any, port: str) -> None:
    connection = open_served(port=port)
    assert connection.zeep.GetWeather(city="Paris").body.station[0] == "Paris"
    assert connection.zeep["Swap"]("x", 3)["two"] == 1
    assert connection.zeep.Observe(degrees="2") is None
    assert "GetWeather" in dir(connection.zeep)
    with pytest.raises(zeep.exceptions.Fault, match="Atlantis"):
        connection.zeep.GetWeather(city="Atlantis")
    sent = len(app.bodies)
    with pytest.raises(ContractError, match="city must be a length of at most 20"):
        connection.zeep.GetWeather(city="B" * 21)
    with pytest.raises(AttributeError, match="NoSuch"):
        connection.zeep.NoSuch()
    assert len(app.bodies) == sent


def test_invalid_request_is_never_sent(app: Any, open_served: Any) -> None:
    service = open_served()
    with pytest.raises(ContractError) as caught:
        service.get_weather(city="B" * 21)
    assert caught.value.path == "GetWeather/city"
    with pytest.raises(ContractError, match="GetWeather: city must be text"):
        service.get_weather(city=7)
    with pytest.raises(ContractError, match="session/token"):
        service.get_weather(city="Berlin", session_header=import_module("weather.types").Session(token=1))
    with pytest.raises(ContractError):
        service.swap(first="abc", second=2**40)
    assert app.bodies == []
    off = open_served(settings=Settings(validate="off"))
    assert off.get_weather(city="B" * 21).station[0] == "B" * 21


def test_calls_after_close_are_errors(weather: ModuleType, served: str) -> None:
    connection = connect(weather.WeatherService, address=served)
    with connection as service:
        service.get_weather(city="Rome")
    calls: list[Callable[[], object]] = [
        lambda: service.get_weather(city="Rome"),
        lambda: connection.zeep.GetWeather(city="Rome"),
        lambda: connection.soap.service.GetWeather(city="Rome"),
    ]
    for call in calls:
        with pytest.raises(ClientClosed, match="GetWeather: the client was closed"):
            call()
