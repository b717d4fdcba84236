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
from tests.connection.keyed import SPACE, wsdl
from tests.support.soap import envelope

if TYPE_CHECKING:
    from tests.support.wire import Recorder

NAMES = ("Close", "Stream", "Drift", "WithOptions", "Aclose", "Iterate", "Soap", "Sync", "Zeep")
METHODS = ("close_", "stream_", "drift_", "with_options_", "aclose_", "iterate_", "soap_", "sync_", "zeep_")


def done_with(number: int) -> str:
    return envelope(f'<Done xmlns="{SPACE}"><number>{number}</number></Done>')


def test_reserved_operation_names_get_an_underscore(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recorder: Recorder
) -> None:
    (tmp_path / "reserved.wsdl").write_bytes(wsdl(("First", "Service"), **dict.fromkeys(NAMES, ("n",))))
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
            for number, name in enumerate(METHODS):
                recorder.answers(done_with(number), 200, "text/xml")
                assert getattr(service, name)(n="1").number == number
            assert service.drift.counts() == {}

    async def main() -> None:
        async with connect_async(module.ReservedServiceAsync, address=recorder.url) as service:
            assert isinstance(service, AsyncService)
            recorder.answers(done_with(5), 200, "text/xml")
            assert (await service.aclose_(n="1")).number == 5  # type: ignore[attr-defined] # generated just now

    asyncio.run(main())
    assert len(recorder.sent) == 2 * len(METHODS) + 1


def test_all_names_of_service_members_are_reserved() -> None:
    names = {name for kind in (Service, AsyncService) for name in dir(kind) if name.islower()}
    assert {name for name in names if not name.startswith("_")} == RESERVED
