"""Hostile requests to the console get a proper status, and nothing is sent to the service."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from werkzeug.test import Client, TestResponse

from soapclient.cli.consoles import in_words
from soapclient.console.application import Console
from soapclient.console.control_client import ControlClient
from soapclient.console.targets import Exchange, Message, now
from soapclient.serving.guard import Guard
from soapclient.testing import Mock
from tests.console.vendors import Called

HOST = "http://127.0.0.1:8000"
FORM = "/try/weather/GetWeather"


@pytest.fixture
def console(mocked_weather: Called) -> Console:
    nothing_listens = ControlClient("http://127.0.0.1:9")
    return Console([mocked_weather.target], {}, in_words, nothing_listens)


@pytest.fixture
def client(console: Console) -> Client:
    made = Client(Guard("127.0.0.1").protect(console.wsgi))
    made.set_cookie("soapclient-console-8000", console.token, domain="127.0.0.1")
    return made


def posted(client: Client, path: str = FORM, **values: str) -> TestResponse:
    return client.post(path, base_url=HOST, data=values)


def test_token_is_valid_for_this_console_only(console: Console) -> None:
    for path, location in (
        ("//evil.example/x", "/evil.example/x"),
        ("/\\evil.example", "/%5Cevil.example"),
        ("/a%0d%0aSet-Cookie:%20x=y", "/a%0D%0ASet-Cookie%3A%20x%3Dy"),
        ("/ä", "/%C3%A4"),
    ):
        environ = {"PATH_INFO": path.replace("%0d%0a", "\r\n").replace("%20", " ").encode().decode("latin-1")}
        query = {"token": console.token}
        response = Client(console.wsgi).get("/", base_url=HOST, query_string=query, environ_overrides=environ)
        assert (response.status_code, response.headers["Location"]) == (303, location)


@pytest.mark.parametrize("host", ["[", "[::1", "127.0.0.1.evil.example", "ⓛocalhost", "a@b", "", "\xff"])
def test_invalid_host_header_is_refused(client: Client, host: str) -> None:
    said = host.encode().decode("latin-1")
    assert client.get("/", base_url=HOST, environ_overrides={"HTTP_HOST": said}).status_code == 421


@pytest.mark.parametrize("origin", ["http://[", "null", "", "http://", f"{HOST}/", "127.0.0.1:8000"])
def test_invalid_origin_is_refused(client: Client, mocked: Mock, origin: str) -> None:
    headers = {"Origin": origin}
    response = client.post("/try/weather/Ping", base_url=HOST, headers=headers, data={"do": "send"})
    assert response.status_code == 403
    assert mocked.calls() == []


def test_cookies_and_tokens_of_any_bytes_are_refused(console: Console) -> None:
    for text in ("\xff", "ä" * 5000, "%ff", '"\\377"'):
        other = Client(console.wsgi, use_cookies=False)
        with_cookie = {"HTTP_COOKIE": f"soapclient-console-8000={text}"}
        assert other.get("/", base_url=HOST, environ_overrides=with_cookie).status_code == 403
        assert other.get("/", base_url=HOST, query_string={"token": text}).status_code == 403


@pytest.mark.exhaustive
def test_invalid_or_too_large_form_is_refused_and_nothing_is_sent(client: Client, mocked: Mock) -> None:
    ping = "/try/weather/Ping"
    assert client.post(ping, base_url=HOST, json={}).status_code == 415
    assert client.post(ping, base_url=HOST, data="do=send", content_type="text/plain").status_code == 415
    large: Mapping[str, str] = {"v:city": "x" * 4_000_001}
    assert posted(client, ping, **large).status_code == 413
    short = {"CONTENT_LENGTH": "4000001"}  # the server has omitted the body
    form = "application/x-www-form-urlencoded"
    response = client.post(ping, base_url=HOST, content_type=form, environ_overrides=short)
    assert response.status_code == 413
    assert posted(client, ping, **{f"v:{at}": "" for at in range(10_001)}).status_code == 413
    assert mocked.calls() == []


@pytest.mark.sampled(2)
@pytest.mark.parametrize("number", ["", "x", "-1", "9" * 5000, "١٢", "1e9", "0x10", "99999"])
def test_invalid_numbers_are_ignored(client: Client, number: str) -> None:
    for does in ("add days", "remove days", "shape", "add " + "a." * 5000):
        response = posted(client, **{"do": does, "n:days": number, "arm:": number, "type:": number})
        assert response.status_code == 200
    assert client.get(f"{FORM}?again={number[:100]}", base_url=HOST).status_code == 200


def test_characters_invalid_in_xml_are_an_error_of_their_field(client: Client, mocked: Mock) -> None:
    for text in ("a\0b", "\x1b[2J", "\ufffe"):
        response = posted(client, **{"v:city": text, "do": "send"})
        assert response.status_code == 200
        assert "the text has characters that XML does not allow" in response.text
    assert mocked.calls() == []


def test_unreadable_log_is_reported(client: Client) -> None:
    response = client.get("/watch", base_url=HOST)
    assert response.status_code == 200
    assert "the calls cannot be read (ConnectionError). Is the sandbox running?" in response.text
    response = posted(client, "/watch", kind="reset", times="9" * 5000)
    assert "times must be a number such as 3, or empty for no limit, got &#39;9999" in response.text
    response = posted(client, "/watch", kind="reset")
    assert "the rules cannot be changed (ConnectionError). Is the sandbox running?" in response.text


@pytest.mark.parametrize(
    "messages", [{"request": Message(body="x" * 9_000_000)}, {"response": Message(size=9_000_000)}]
)
def test_number_of_stored_exchanges_is_bounded(
    console: Console, client: Client, messages: dict[str, Message]
) -> None:
    one = replace(Exchange(1, now(), "weather", "Ping", {}), **messages)  # type: ignore[arg-type] # by name
    for number in range(1, 12):
        console._add_to_history(replace(one, number=number))
    kept = [number for number in range(1, 12) if str(number) in _numbers(client)]
    assert kept == [7, 8, 9, 10, 11]  # 45 of 50 million characters


def _numbers(client: Client) -> list[str]:
    text = client.get("/history", base_url=HOST).text
    return [each.partition('"')[0] for each in text.split('href="/history/')[1:]]
