"""The console of a sandbox: it explains signatures, shows the received requests, and sets faults."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from datetime import timedelta

import pytest
from click.testing import CliRunner
from lxml import etree

from soapclient.cli.application import cli
from soapclient.console.signatures import Signed, reasons
from soapclient.serving.server import Server
from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY
from tests.console.browser import Browser
from tests.console.vendors import SandboxConsole, sandbox_console

OTHER_ID = "A" * 20


@pytest.fixture
def settings() -> dict[str, object]:
    return {}


@pytest.fixture
def shown(settings: dict[str, object]) -> Iterator[SandboxConsole]:
    with sandbox_console(**settings) as made:
        yield made


@pytest.fixture
def browser(shown: SandboxConsole) -> Iterator[Browser]:
    with Server(shown.console) as server:
        yield Browser(server.url, shown.console.token)


def signatures(browser: Browser) -> list[list[tuple[str, str]]]:
    """Return the page's signatures, each as pairs of a name and a value."""
    found = []
    for each in browser.page.iter("dl"):
        names = [one.text_content() for one in each.iter("dt")]
        values = [one.text_content() for one in each.iter("dd")]
        if names[0] == "In":
            found.append(list(zip(names, values, strict=True)))
    return found


@pytest.mark.exhaustive
def test_signature_page_shows_the_signed_string(browser: Browser) -> None:
    browser.get("/try/publisher/GetProfile")
    browser.press("send")
    headers, body = (dict(one) for one in signatures(browser))
    assert headers["By"] == body["By"] == SAMPLE_CONNECT_ID
    # The signed text is the verb, the path without service and version, time and nonce, not separated. In a
    # body it has service and operation instead of the path, in lower case.
    assert headers["Signed text"] == f"POST/{headers['At']}{headers['Nonce']}"
    assert body["Signed text"] == f"publisherservicegetprofile{body['At']}{body['Nonce']}"
    assert SAMPLE_SECRET_KEY not in browser.response.text


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"secret_key": "another secret key"}, "secret key belongs to another account"),
        ({"connect_id": OTHER_ID}, "does not know this connect id"),
    ],
)
def test_a_refused_signature_is_explained(browser: Browser, settings: dict[str, object], said: str) -> None:
    browser.get("/try/publisher/GetProfile")
    browser.press("send")
    assert "AuthenticationError" in browser.text
    assert said in browser.text
    assert str(settings.get("secret_key", SAMPLE_SECRET_KEY)) not in browser.response.text


def test_reason_of_a_refused_signature_is_found() -> None:
    date = "Mon, 23 Nov 2026 03:17:28 GMT"
    signed = Signed("the headers", SAMPLE_CONNECT_ID, date, "n" * 20, "GET/profiles…")
    now = signed.moment
    assert now is not None
    assert "upper and lower case" in reasons([signed], "is not right", ["GET/Profiles…"], now)[0]
    assert "path, service and operation" in reasons([signed], "is not right", ["GET/sales…"], now)[0]
    assert "clocks differ" in reasons([signed], "", [signed.text], now + timedelta(hours=2))[0]
    assert "nonce was used" in reasons([signed], "the nonce was used before", [signed.text], now)[0]
    assert "The request is not signed" in reasons([Signed("the headers", OTHER_ID)], "", [], now)[0]
    assert "does not have a connect ID" in reasons([], "", [], now)[0]


def test_requests_to_the_sandbox_are_shown(browser: Browser) -> None:
    browser.get("/watch")
    assert "Nothing came yet." in browser.text
    browser.get("/try/publisher/GetProfile")
    browser.press("send")
    browser.get("/watch")
    (row,) = browser.page.iterfind(".//tbody/tr")
    cells = [cell.text_content() for cell in row]
    assert cells[2:4] == ["GetProfile (soap)", "200"]
    assert cells[5] == "fine"
    assert len(list(browser.page.iter("rect"))) == 1
    assert "GetProfileResponse" in browser.text
    assert SAMPLE_SECRET_KEY not in browser.response.text


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("unavailable", "503"),
        ("reset", "ConnectionFailed"),
        ("fault", "ServiceFault"),
        ("drift element", "unheardOf"),
        ("drift value", "unheardOf"),
    ],
)
def test_scripted_fault_is_shown(browser: Browser, kind: str, said: str) -> None:
    operation = "GetProgramApplications" if kind == "drift value" else "GetProfile"
    browser.get("/watch")
    browser.press("", kind=kind, times="1", operation=operation)
    assert f"{kind.partition(' ')[0]} for {operation}, used 0 of 1 times" in browser.text
    browser.get(f"/try/publisher/{operation}")
    browser.press("send")
    assert said in browser.text
    browser.press("send")  # again: the rule was for a single request
    assert "200 OK" in browser.text
    browser.get("/watch")
    browser.press("reset")
    assert "Nothing came yet." in browser.text


def test_invalid_rule_is_refused_with_the_message_of_the_sandbox(browser: Browser) -> None:
    browser.get("/watch")
    browser.press("", kind="drift nothing")
    assert "drift must be one of" in browser.text


ADSPACE = {
    "n:adspace_item.regions": "2",
    "v:adspace_item.regions.1": "AT",
    "v:adspace_item.regions.0": "DE",
    "n:adspace_item.categories": "2",
    "v:adspace_item.categories.0.id": "1",
    "v:adspace_item.categories.0.value": "Travel",
    "v:adspace_item.categories.1.id": "2",
    "v:adspace_item.categories.1.value": "News & more",
}
EXPORT = {"v:report_type": "click", "v:columns": "", "v:currency": "EUR", "v:group_by": "country"}


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("operation", "values"),
    [
        ("publisher/GetSales", {"v:items": "3"}),
        ("publisher/CreateAdspace", ADSPACE),
        ("data/CreateReportJob", EXPORT),
    ],
)
def test_shown_command_sends_the_same_request(
    browser: Browser, shown: SandboxConsole, operation: str, values: dict[str, str]
) -> None:
    browser.get(f"/try/{operation}")
    browser.press("example")
    browser.press("shape", **{key: text for key, text in values.items() if key.startswith("n:")})
    browser.press("check", **values)
    texts = browser.texts
    version = {"publisher": "2011-03-01", "data": "2011-05-01"}[operation.partition("/")[0]]
    assert f" {shown.url}/soap/{version} " in texts["curl"]
    browser.press("send", **values)
    assert "200 OK" in browser.text, browser.text
    command = shlex.split(texts["Command"])
    start = command.index("soapclient")
    env = dict(each.split("=", 1) for each in command[:start])
    assert SAMPLE_SECRET_KEY not in env.values()
    env |= {"SOAPCLIENT_SECRET_KEY": SAMPLE_SECRET_KEY}
    done = CliRunner().invoke(cli, command[start + 1 :], env=env)
    assert done.exit_code == 0, done.output
    first, last = (
        [
            (str(node.tag), node.text, dict(node.items()))
            for node in etree.fromstring(call["request"].encode()).iter()
            if etree.QName(node).localname not in ("connectId", "timestamp", "nonce", "signature")
        ]
        for call in shown.calls()[-2:]
    )
    assert first == last
    if operation == "publisher/GetSales":
        assert [text for tag, text, _ in first if tag.endswith("}date")] == ["2026-11-01T00:00:00+01:00"]
