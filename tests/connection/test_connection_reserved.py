"""Operations named like members of a service, and port types named like base classes."""

from __future__ import annotations

import asyncio
from importlib import import_module, invalidate_caches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from soapclient import connect, connect_async
from soapclient.runtime.service import RESERVED, AsyncService, Service
from tests.bindgen.shop import run

if TYPE_CHECKING:
    from tests.support.wire import Recorder

NAMES = ("Close", "Stream", "Drift", "WithOptions", "Aclose", "Iterate", "Soap", "Sync", "Zeep")
METHODS = {
    *("close_", "stream_", "drift_", "with_options_", "aclose_", "iterate_", "soap_", "sync_", "zeep_"),
}
SOAP = "http://schemas.xmlsoap.org/soap/envelope/"
DONE = '<Done xmlns="urn:reserved"><n>{}</n></Done>'
RESPONSE = f'<e:Envelope xmlns:e="{SOAP}"><e:Body>{DONE}</e:Body></e:Envelope>'


def _wsdl() -> str:
    element = (
        '<x:element name="{}"><x:complexType><x:sequence><x:element name="n" type="x:int"/>'
        "</x:sequence></x:complexType></x:element>"
    )
    elements = "".join(map(element.format, (*NAMES, "Done")))
    messages = "".join(
        f'<message name="{name}"><part name="p" element="t:{name}"/></message>' for name in (*NAMES, "Done")
    )
    operations = "".join(
        f'<operation name="{name}"><input message="t:{name}"/><output message="t:Done"/></operation>'
        for name in NAMES
    )
    bound = "".join(
        f'<operation name="{name}"><s:operation soapAction="urn:{name}"/>'
        '<input><s:body use="literal"/></input><output><s:body use="literal"/></output></operation>'
        for name in NAMES
    )
    bindings = "".join(
        f'<binding name="{port}" type="t:{port}"><s:binding style="document"'
        f' transport="http://schemas.xmlsoap.org/soap/http"/>{bound}</binding>'
        for port in ("First", "Service")
    )
    return f"""<definitions name="R" targetNamespace="urn:reserved" xmlns:t="urn:reserved"
    xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/"
    xmlns:x="http://www.w3.org/2001/XMLSchema">
  <types><x:schema targetNamespace="urn:reserved" elementFormDefault="qualified">{elements}</x:schema></types>
  {messages}<portType name="First">{operations}</portType><portType name="Service">{operations}</portType>
  {bindings}<service name="S">
    <port name="A" binding="t:First"><s:address location="https://reserved.example/a"/></port>
    <port name="B" binding="t:Service"><s:address location="https://reserved.example/b"/></port>
  </service></definitions>"""


def test_reserved_operation_names_get_an_underscore(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recorder: Recorder
) -> None:
    (tmp_path / "reserved.wsdl").write_text(_wsdl(), encoding="utf-8")
    done = run("reserved", "--file", tmp_path / "reserved.wsdl", "--out", tmp_path)
    assert done.exit_code == 0, done.output
    for name in ("Close", "WithOptions"):
        own = "close" if name == "Close" else "with_options"
        assert f"note: {name} is the method {own}_, because every service has {own}" in done.stdout
    monkeypatch.syspath_prepend(str(tmp_path))
    invalidate_caches()
    module: Any = import_module("reserved.service")
    assert issubclass(module.Service, Service)
    assert module.Service is not Service
    for kind in (module.ReservedService, module.Service):
        service = connect(kind, address=recorder.url)
        with service as same:
            assert same is service
            for number, name in enumerate(sorted(METHODS)):
                recorder.answers(RESPONSE.format(number).encode(), 200, "text/xml")
                assert getattr(service, name)(n=1).n == number
            assert service.drift.counts() == {}

    async def main() -> None:
        async with connect_async(module.ReservedServiceAsync, address=recorder.url) as service:
            assert isinstance(service, AsyncService)
            recorder.answers(RESPONSE.format(5).encode(), 200, "text/xml")
            assert (await service.aclose_(n=1)).n == 5  # type: ignore[attr-defined] # generated just now

    asyncio.run(main())
    assert len(recorder.sent) == 2 * len(METHODS) + 1


def test_all_names_of_service_members_are_reserved() -> None:
    names = {name for kind in (Service, AsyncService) for name in dir(kind) if name.islower()}
    assert {name for name in names if not name.startswith("_")} == RESERVED
