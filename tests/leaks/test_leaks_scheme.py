"""The signatures of a user's scheme, whatever its fields are called, in recordings, errors and traces."""

from __future__ import annotations

import hashlib
import traceback
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
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
from soapclient.console.targets import Exchange as Shown
from soapclient.console.targets import of_service
from soapclient.errors import SoapClientError
from soapclient.signing import Stamp, register_scheme
from soapclient.testing import record, replay
from tests.connection.keyed import SPACE, Keyed, generate, wsdl
from tests.support.soap import envelope, fault
from tests.support.wire import Exchange, Wire

KEY, OTHER_KEY = "802B8BF4AE99EBE00F41", "91AC9CE5BFA0FCF11A52"


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


def heard(exchange: Exchange, refuses: bool) -> None:
    """Repeat the request in the response, as a fault if `refuses`."""
    fields = " ".join(exchange.sent.fields.values())
    done = f'<Done xmlns="{SPACE}"><number>7</number></Done><!-- {fields} -->'
    body = envelope(fault("s:Client", fields) if refuses else done).encode()
    exchange.head(500 if refuses else 200, Content_Length=str(len(body)))
    exchange.write(body)


def seal(wire: Wire) -> str:
    """The signature of the only request."""
    (sent,) = wire.sent
    return sent.fields["seal"]


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


def opened(package: ModuleType, wire: Wire, key: str = KEY, *, refuses: bool = False) -> Any:
    """The service, as Any because mypy cannot see its class."""
    wire.does(partial(heard, refuses=refuses))
    credentials = Credentials(key, "no live secret")
    return connect(package.SealedShopService, address=wire.url, credentials=credentials, attempts=1)


def test_a_recording_has_neither_the_key_nor_the_signature(
    package: ModuleType, wire: Wire, tmp_path: Path
) -> None:
    """It is replayed for other keys and nonces."""
    with record(tmp_path / "kept") as recording, opened(package, wire) as service:
        assert service.buy(thing="a pen").number == 7
    with replay(tmp_path / "kept"), opened(package, wire, OTHER_KEY) as service:
        assert service.buy(thing="a pen").number == 7
    (exchange,) = recording.exchanges
    (file,) = (tmp_path / "kept").iterdir()
    for text in (file.read_text(encoding="utf-8"), str(exchange)):
        assert seal(wire) not in text
        assert KEY not in text
    assert "a pen" in exchange.request.body
    assert exchange.request.body.count("[hidden]") == 3


def test_an_error_does_not_repeat_the_signature(package: ModuleType, wire: Wire) -> None:
    with opened(package, wire, refuses=True) as service, pytest.raises(SoapClientError) as caught:
        service.buy(thing="a pen")
    shown = "".join(traceback.format_exception(caught.value))
    assert "a pen" in shown
    assert seal(wire) not in shown


@pytest.mark.parametrize("refuses", [False, True])
def test_the_console_does_not_show_the_signature(package: ModuleType, wire: Wire, refuses: bool) -> None:
    with opened(package, wire, refuses=refuses) as service:
        bindings = engine_of(service).package
        (port,) = bindings.settings.ports
        target = of_service("shop", bindings, port, wire.url, service, "sealed_shop:SealedShopService")
        (operation,) = target.operations.values()
        exchange = Shown(1, datetime(2026, 11, 1, tzinfo=UTC), "shop", operation.name, {})
        element = etree.fromstring(f'<Buy xmlns="{SPACE}"><thing>a pen</thing></Buy>')
        target.send(exchange, Form(operation, [], {}, element, [], lambda path, why: False))
    shown = repr(exchange)
    assert seal(wire) not in shown
    assert "a pen" in exchange.request.body
    (signed,) = exchange.signed
    assert (signed.placement, signed.connect_id, signed.text) == ("the body", KEY, "(by the scheme keyed)")


def test_a_trace_of_the_command_line_does_not_show_the_signature(
    package: ModuleType, wire: Wire, capsys: pytest.CaptureFixture[str]
) -> None:
    with opened(package, wire) as service:
        printer = ExchangePrinter(show=True)
        printer.listen(engine_of(service).session)
        service.buy(thing="a pen")
        printer.finish()
    shown = capsys.readouterr().err
    assert "a pen" in shown
    assert seal(wire) not in shown
