"""Signing schemes with other roles than the built-in one: an API key and a signature, or an API key alone."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module, invalidate_caches
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from bindgen import settings
from bindgen.problems import ContractRefused
from soapclient import services, signing
from soapclient.connection import Credentials, connect
from soapclient.errors import ConfigError
from soapclient.signing import register_scheme
from soapclient.testing import mock
from tests.connection.keyed import Keyed, generate, wsdl

KEY = "802B8BF4AE99EBE00F41"


@pytest.fixture(autouse=True)
def registry() -> Iterator[None]:
    """Restore the registry after each test."""
    before = dict(signing._registered)
    services.signing_schemes.cache_clear()
    yield
    signing._registered.clear()
    signing._registered.update(before)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(tmp_path)
    invalidate_caches()
    return tmp_path


def sent(name: str, operation: str, **fields: str) -> dict[str, str | None]:
    """Call an operation of the package, and return the elements of its request."""
    package = import_module(name)
    cls: Any = getattr(import_module(f"{name}.service"), f"{name.title().replace('_', '')}Service")
    with (
        mock(package) as served,
        connect(cls, address=served.address(), credentials=Credentials(KEY, "no live secret")) as service,
    ):
        getattr(service, operation)(**fields)
        (message,) = etree.fromstring(served.calls()[-1].received.encode()).iterfind("{*}Body/*")
        return {etree.QName(node).localname: node.text for node in message}


def test_a_scheme_may_have_two_roles(folder: Path) -> None:
    register_scheme("keyed", Keyed("key", "proof"))
    document = wsdl(Buy=("apiKey", "thing", "seal"), Look=("apiKey", "thing"))
    said = generate(folder, "two_roles", document, key="apiKey", proof="seal")
    assert said == [
        "signed, in the message: apiKey, seal: 1 operation (Buy)",
        "public, in the message: apiKey: 1 operation (Look)",
    ]
    assert sent("two_roles", "buy", thing="a") == {"apiKey": KEY, "thing": "a", "seal": "keys/Buy"}
    assert sent("two_roles", "look", thing="a") == {"apiKey": KEY, "thing": "a"}


def test_a_scheme_may_have_one_role(folder: Path) -> None:
    register_scheme("keyed", Keyed("key"))
    said = generate(folder, "one_role", wsdl(Buy=("apiKey", "thing")), key="apiKey")
    assert said == ["signed, in the message: apiKey: 1 operation (Buy)"]
    assert sent("one_role", "buy", thing="a") == {"apiKey": KEY, "thing": "a"}


def test_bindgen_names_the_roles_that_a_known_scheme_needs(folder: Path) -> None:
    register_scheme("keyed", Keyed("key", "proof"))
    (folder / "shop.toml").write_text(
        'format = 2\n[signing]\nscheme = "keyed"\nservice_name = "keys"\nkey = "apiKey"\nnonce = "once"\n'
    )
    with pytest.raises(settings.SettingsError) as caught:
        settings.read_own(folder / "shop.toml")
    place = f"{folder / 'shop.toml'}: signing"
    assert caught.value.problems == (
        f"{place}: proof is missing",
        f"{place}.nonce is unknown; the keys are also_in_headers, headers, key, proof, public, scheme, "
        "service_name",
    )


def test_an_element_that_nothing_fills_is_refused_by_its_role(folder: Path) -> None:
    register_scheme("keyed", Keyed("key", "proof"))
    with pytest.raises(ContractRefused, match=r"signing\.key: Buy declares seal for authentication, but no"):
        generate(folder, "refused", wsdl(Buy=("account", "seal")), key="apiKey", proof="seal")


def test_roles_of_a_scheme_that_is_registered_later_are_compared_by_connect(folder: Path) -> None:
    """bindgen uses the roles of the settings. The package is not called with the roles of another scheme."""
    generate(folder, "later", wsdl(Buy=("apiKey", "seal")), key="apiKey", proof="seal")
    register_scheme("keyed", Keyed("key", "mac"))
    with pytest.raises(ConfigError, match=r"has the roles key, mac, but \[signing\] of later has key, proof"):
        sent("later", "buy")
    signing._registered["keyed"] = Keyed("key", "proof")
    assert sent("later", "buy") == {"apiKey": KEY, "seal": "keys/Buy"}
