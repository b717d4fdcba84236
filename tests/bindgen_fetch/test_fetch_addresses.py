from __future__ import annotations

import pytest

from bindgen.fetching import addresses
from bindgen.fetching.errors import FetchError


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        ("https://api.example.org/wsdl/v1", "https://api.example.org/wsdl/v1"),
        ("http://api.example.org/wsdl/v1", "https://api.example.org/wsdl/v1"),
        ("http://api.example.org:80/x", "https://api.example.org/x"),
        ("http://api.example.org:8080/x", "https://api.example.org:8080/x"),
        ("https://API.Example.ORG/X?wsdl#part", "https://api.example.org/X?wsdl"),
        ("http://127.0.0.1:9/x", "http://127.0.0.1:9/x"),
        ("http://localhost/x", "http://localhost/x"),
        ("http://[::1]:9/x", "http://[::1]:9/x"),
        ("https://[2001:DB8::1]:443/x", "https://[2001:db8::1]:443/x"),
        ("http://127.0.0.1.example.org/x", "https://127.0.0.1.example.org/x"),
        (" \n https://api.example.org/x ", "https://api.example.org/x"),
    ],
)
def test_addresses_are_normalised(written: str, read_as: str) -> None:
    assert addresses.normalise(written) == read_as
    assert addresses.normalise(read_as) == read_as


@pytest.mark.parametrize(
    "written",
    [
        "file:///etc/hosts",
        "ftp://example.org/x",
        "urn:example:x",
        "data:text/xml,<a/>",
        "types.xsd",
        "",
        "https:///x",
        "https://[::1/x",
        "https://example.org:port/x",
        "https://somebody:hidden@example.org/x",
        "https://somebody@example.org/x",
    ],
)
def test_unsafe_addresses_are_refused(written: str) -> None:
    with pytest.raises(addresses.AddressError) as refused:
        addresses.normalise(written)
    assert "hidden" not in str(refused.value)


@pytest.mark.parametrize(
    ("location", "url"),
    [
        ("types.xsd", "https://example.org/a/types.xsd"),
        ("../types.xsd", "https://example.org/types.xsd"),
        ("../../../types.xsd", "https://example.org/types.xsd"),
        ("/types.xsd", "https://example.org/types.xsd"),
        ("?xsd=1", "https://example.org/a/b?xsd=1"),
        ("//other.example.org/x", "https://other.example.org/x"),
        ("http://other.example.org/x", "https://other.example.org/x"),
        ("", "https://example.org/a/b?wsdl"),
    ],
)
def test_relative_locations_are_resolved_by_rfc_3986(location: str, url: str) -> None:
    assert addresses.resolve("https://example.org/a/b?wsdl", location) == url


def test_http_address_of_another_machine_becomes_https() -> None:
    assert addresses.read_as_https("http://example.org/x") == "https://example.org/x"
    for written in ("https://example.org/x", "http://localhost/x", "x.xsd", "http://[", "http://a:b@c/"):
        assert addresses.read_as_https(written) is None


def test_credentials_are_not_shown() -> None:
    shown = addresses.redacted("https://somebody:hid@den@example.org/x?mail=a@example.org")
    assert shown == "https://…@example.org/x?mail=a@example.org"


def test_keys_in_queries_are_not_shown() -> None:
    address = "https://example.org/x?apikey=s3cret&wsdl&api%5Fkey=s3cret&page=2#Service"
    shown = "https://example.org/x?apikey=…&wsdl&api%5Fkey=…&page=2#Service"
    assert addresses.redacted(address) == shown
    assert str(FetchError(address, "HTTP 404", "look")) == f"{shown}: HTTP 404. What to do: look."
