"""The signatures of a user's scheme, whatever its fields are called, in recordings, errors and traces."""

from __future__ import annotations

import hashlib
import traceback
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from importlib import import_module, invalidate_caches
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from lxml import etree

from soapclient import signing
from soapclient.cli.trace import ExchangePrinter
from soapclient.connection import Credentials, connect, engine_of
from soapclient.console.forms import Form
from soapclient.console.targets import Exchange, of_service
from soapclient.errors import SoapClientError
from soapclient.signing import Stamp, register_scheme
from soapclient.testing import record, replay
from tests.connection.keyed import SPACE, Keyed, generate, wsdl
from tests.contracts_matrix.loopback import serving

KEY, OTHER_KEY = "802B8BF4AE99EBE00F41", "91AC9CE5BFA0FCF11A52"
SOAP = "http://schemas.xmlsoap.org/soap/envelope/"


class Sealing(Keyed):
    """A signature that nothing recognizes by its form: the SHA-256 of the nonce, in hex."""

    def __init__(self) -> None:
        super().__init__("key", "salt", "proof")

    def body(
        self, credentials: Credentials, stamp: Stamp | None, service: str, operation: str
    ) -> Mapping[str, str]:
        nonce = "" if stamp is None else stamp.nonce
        proof = hashlib.sha256(nonce.encode()).hexdigest()
        return {"key": credentials.connect_id, "salt": nonce, "proof": proof}


class Shop:
    """The service. It repeats each request in its response, as a fault if `refuses`."""

    def __init__(self) -> None:
        self.refuses = False
        self.seals: list[str] = []
        self.problems: list[str] = []
        self.url = ""

    def respond(
        self, verb: str, target: str, headers: Mapping[str, str], body: bytes
    ) -> tuple[int, str, bytes]:
        (message,) = etree.fromstring(body).iterfind("{*}Body/*")
        fields = {etree.QName(node).localname: node.text or "" for node in message}
        self.seals.append(fields["seal"])
        heard = " ".join(fields.values())
        content = f'<Done xmlns="{SPACE}"><number>7</number></Done><!-- {heard} -->'
        if self.refuses:
            content = f"<e:Fault><faultcode>e:Client</faultcode><faultstring>{heard}</faultstring></e:Fault>"
        text = f'<e:Envelope xmlns:e="{SOAP}"><e:Body>{content}</e:Body></e:Envelope>'
        return 500 if self.refuses else 200, "text/xml", text.encode()


@pytest.fixture
def shop() -> Iterator[Shop]:
    made = Shop()
    with serving(made.respond, made.problems) as made.url:
        yield made
    assert made.problems == []


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    """The module `service` of the package."""
    before = dict(signing._registered)
    register_scheme("keyed", Sealing())
    folder = tmp_path_factory.mktemp("sealed_shop")
    names = {"key": "apiKey", "salt": "once", "proof": "seal"}
    generate(folder, "sealed_shop", wsdl(Buy=("apiKey", "thing", "once", "seal")), **names)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        invalidate_caches()
        yield import_module("sealed_shop.service")
    signing._registered.clear()
    signing._registered.update(before)


def opened(package: ModuleType, shop: Shop, key: str = KEY) -> Any:
    """The service, as Any because mypy cannot see its class."""
    credentials = Credentials(key, "no live secret")
    return connect(package.SealedShopService, address=shop.url, credentials=credentials, attempts=1)


def test_a_recording_has_neither_the_key_nor_the_signature(
    package: ModuleType, shop: Shop, tmp_path: Path
) -> None:
    with record(tmp_path / "kept") as recording, opened(package, shop) as service:
        assert service.buy(thing="a pen").number == 7
    (exchange,) = recording.exchanges
    (file,) = (tmp_path / "kept").iterdir()
    for text in (file.read_text(encoding="utf-8"), str(exchange)):
        assert shop.seals[0] not in text
        assert KEY not in text
    assert "a pen" in exchange.request.body
    assert exchange.request.body.count("[hidden]") == 3


def test_a_recording_is_replayed_for_other_keys_and_nonces(
    package: ModuleType, shop: Shop, tmp_path: Path
) -> None:
    with record(tmp_path / "kept"), opened(package, shop) as service:
        service.buy(thing="a pen")
    with replay(tmp_path / "kept"), opened(package, shop, OTHER_KEY) as service:
        assert service.buy(thing="a pen").number == 7
    assert len(shop.seals) == 1


def test_an_error_does_not_repeat_the_signature(package: ModuleType, shop: Shop) -> None:
    shop.refuses = True
    with opened(package, shop) as service, pytest.raises(SoapClientError) as caught:
        service.buy(thing="a pen")
    shown = "".join(traceback.format_exception(caught.value))
    assert "a pen" in shown
    assert shop.seals[0] not in shown


@pytest.mark.parametrize("refuses", [False, True])
def test_the_console_does_not_show_the_signature(package: ModuleType, shop: Shop, refuses: bool) -> None:
    shop.refuses = refuses
    with opened(package, shop) as service:
        bindings = engine_of(service).package
        (port,) = bindings.settings.ports
        target = of_service("shop", bindings, port, shop.url, service, "sealed_shop:SealedShopService")
        (operation,) = target.operations.values()
        exchange = Exchange(1, datetime(2026, 11, 1, tzinfo=UTC), "shop", operation.name, {})
        element = etree.fromstring(f'<Buy xmlns="{SPACE}"><thing>a pen</thing></Buy>')
        target.send(exchange, Form(operation, [], {}, element, [], lambda path, why: False))
    shown = repr(exchange)
    assert shop.seals[0] not in shown
    assert "a pen" in exchange.request.body
    (signed,) = exchange.signed
    assert (signed.placement, signed.connect_id, signed.text) == ("the body", KEY, "(by the scheme keyed)")


def test_a_trace_of_the_command_line_does_not_show_the_signature(
    package: ModuleType, shop: Shop, capsys: pytest.CaptureFixture[str]
) -> None:
    with opened(package, shop) as service:
        wire = ExchangePrinter(show=True)
        wire.listen(engine_of(service).session)
        service.buy(thing="a pen")
        wire.finish()
    shown = capsys.readouterr().err
    assert "a pen" in shown
    assert shop.seals[0] not in shown
