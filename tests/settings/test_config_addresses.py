from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soapclient.settings.addresses import is_loopback, is_placeholder, normal_address, shown_address


@pytest.mark.parametrize(
    ("given_address", "normal"),
    [
        ("https://service.example", "https://service.example"),
        ("https://service.example/", "https://service.example"),
        ("HTTPS://service.example/base/path///", "https://service.example/base/path"),
        ("https://service.example:8443/a", "https://service.example:8443/a"),
        ("https://[2001:db8::1]:443/a", "https://[2001:db8::1]:443/a"),
        ("http://localhost:8000", "http://localhost:8000"),
        ("http://LOCALHOST", "http://LOCALHOST"),
        ("http://127.0.0.1:5000/x", "http://127.0.0.1:5000/x"),
        ("http://127.9.8.7", "http://127.9.8.7"),
        ("http://[::1]:80", "http://[::1]:80"),
    ],
)
def test_valid_addresses_are_accepted(given_address: str, normal: str) -> None:
    assert normal_address(given_address) == normal
    assert normal_address(normal) == normal


@pytest.mark.parametrize(
    ("bad", "because"),
    [
        ("", "visible ASCII"),
        ("https://service.example/a b", "visible ASCII"),
        ("https://service.example\n", "visible ASCII"),
        ("https://sérvice.example", "visible ASCII"),
        ("https://service.example?x=1", "query"),
        ("https://service.example/?", "query"),
        ("https://service.example/#", "fragment"),
        ("https://user@service.example", "user info"),
        ("https://user:word@service.example", "user info"),
        ("http://localhost@service.example", "user info"),
        ("service.example", "begin with https"),
        ("//service.example", "begin with https"),
        ("ftp://service.example", "begin with https"),
        ("file:///etc/passwd", "begin with https"),
        ("https:/service.example", "begin with https"),
        ("https://", "host name"),
        ("https:///path", "host name"),
        ("https://:443", "host name"),
        ("https://service.example:", "port"),
        ("https://service.example:0", "port"),
        ("https://service.example:65536", "port"),
        ("https://service.example:http", "port"),
        ("https://[::1", "host name"),
        ("https://[nonsense]", "host name"),
        ("https://ser%76ice.example", "host name"),
        ("https://service.example\\@localhost", "user info"),
        ("https://service.example/a//b", "path"),
        ("https://service.example/../b", "path"),
        ("https://service.example/a%2fb", "path"),
        ("https://service.example/{base}", "path"),
        ("https://publisher.invalid/soap", "placeholder"),
        ("https://INVALID", "placeholder"),
        ("https://data.invalid.:443", "placeholder"),
        ("http://service.example", "is http, which is allowed only for this machine"),
        ("http://localhost.service.example", "is http, which is allowed only for this machine"),
        ("http://127.0.0.1.service.example", "is http, which is allowed only for this machine"),
        ("http://128.0.0.1", "is http, which is allowed only for this machine"),
        ("http://0.0.0.0", "is http, which is allowed only for this machine"),
        ("http://127.1", "is http, which is allowed only for this machine"),
        ("http://2130706433", "is http, which is allowed only for this machine"),
        ("http://[::2]", "is http, which is allowed only for this machine"),
    ],
)
def test_invalid_addresses_are_refused_with_the_reason(bad: str, because: str) -> None:
    with pytest.raises(ValueError, match=because):
        normal_address(bad)


@given(st.text())
def test_arbitrary_text_is_a_config_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        normal_address(text)


@given(st.ip_addresses())
def test_loopback_follows_the_registries(address: object) -> None:
    text = str(address)
    assert is_loopback(text) == (text.startswith("127.") or text == "::1")


def test_placeholders_are_recognised_by_their_top_level_domain() -> None:
    assert is_placeholder("a.b.Invalid")
    assert not is_placeholder("invalid.example")
    assert not is_placeholder("notinvalid")


def test_a_refused_address_is_shown_without_password_and_ticket() -> None:
    for address in ("https://u:hunter2@h.example", "u:hunter2@h.example", "https://h.example?t=hunter2"):
        assert "hunter2" not in shown_address(address)
        assert "h.example" in shown_address(address)
    assert shown_address(5) == "5"
