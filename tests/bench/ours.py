"""The measured parts of this project: reading responses, writing requests, packages made by bindgen.

Responses are read by the same code as in a call, including status, limits and findings. Only the connection
is missing.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import io
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, cast

import requests

from tests.bench.cases import ROOT
from tests.bench.shapes import Field, shapes_wsdl

if TYPE_CHECKING:
    from soapclient.runtime import HeaderCaller
    from soapclient.runtime.service import Service
    from soapclient.soap.client import SoapClient

CONTRACT: Final = ROOT / "generated/zxws/publisher/contract.wsdl"
_NOWHERE: Final = "http://127.0.0.1:9/"  # nothing is sent
_HUGE: Final = 2**40
_CAPITAL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_GET_SALES: Final = "GetSales"


def http_response(body: bytes | BinaryIO, media_type: str = "text/xml") -> requests.Response:
    """Return a response of requests with this body, complete or as a file."""
    response = requests.Response()
    response.status_code = 200
    response.headers["Content-Type"] = f"{media_type}; charset=utf-8"
    if isinstance(body, bytes):
        response._content = body
        response._content_consumed = True  # type: ignore[attr-defined]  # not in the stubs
    else:
        response.raw = body
    return response


@contextlib.contextmanager
def made_package(name: str, wsdl: str) -> Iterator[Path]:
    """Generate a package with `bindgen init`, in another process, and make it importable. Yield its WSDL."""
    with tempfile.TemporaryDirectory() as folder:
        contract = Path(folder, f"{name}.wsdl")
        contract.write_text(wsdl, encoding="utf-8")
        command = [sys.executable, "-m", "bindgen", "init", name, "--file", str(contract)]
        subprocess.run([*command, "--out", folder, "--offline"], check=True, capture_output=True)
        sys.path.insert(0, folder)
        try:
            yield contract
        finally:
            sys.path.remove(folder)


@cache
def shapes_contract() -> Path:
    """Generate the package `shapes` of the contract in tests/bench/shapes.py, once. Return its WSDL."""
    opened = ExitStack()
    atexit.register(opened.close)
    return opened.enter_context(made_package("shapes", shapes_wsdl()))


def _service(service: Callable[[HeaderCaller], Service]) -> Service:
    from soapclient import connect
    from soapclient.settings.common import CommonSettings

    settings = CommonSettings.load(environ={}, connect_id="802B8BF4AE99EBE00F41", secret_key="no secret")
    return connect(
        service,
        address=_NOWHERE,
        settings=settings,
        deadline=3600,
        max_response_bytes=_HUGE,
        max_response_nodes=_HUGE,
    )


@cache
def _publisher() -> Service:
    from zxws.publisher import PublisherService

    return _service(PublisherService)


@cache
def shapes() -> Service:
    """Return a client of the package `shapes`."""
    return _service(importlib.import_module("shapes").ShapesService)


def reader(service: Service, operation: str, request: object) -> Callable[[bytes], object]:
    """Return a function that reads a response over SOAP, as a call does."""
    from soapclient.soap.calls import SoapCall

    client = cast("SoapClient", service.soap)
    typed = client.binding.operations[operation]
    call = SoapCall(client, typed, request)  # writing the request is another case
    # From a file, so that it comes in pieces of 64 KiB, as from a connection.
    return lambda body: call.read(http_response(io.BytesIO(body)))


def sales_reader() -> Callable[[bytes], object]:
    """Return a function that reads a response of sales over SOAP."""
    from zxws.publisher.types import GetSalesRequest

    return reader(_publisher(), _GET_SALES, _sales_request(GetSalesRequest))


def shapes_reader() -> Callable[[bytes], object]:
    """Return a function that reads a response of the operation Get in the package `shapes`."""
    return reader(shapes(), "Get", importlib.import_module("shapes.types").Get(id=1))


def _sales_request(kind: Callable[..., object]) -> object:
    import datetime as dt

    return kind(date=dt.date(2026, 11, 1), date_type="trackingDate")


def sales_stream() -> Callable[[BinaryIO], Iterator[object]]:
    """Return a function that reads the items of a response of sales from a file, as a stream does."""
    from soapclient.soap.calls import SoapCall
    from zxws.publisher.types import GetSalesRequest

    client = cast("SoapClient", _publisher().soap)
    typed = client.binding.operations[_GET_SALES]
    request = _sales_request(GetSalesRequest)

    def read(body: BinaryIO) -> Iterator[object]:
        with ExitStack() as opened:
            call = SoapCall(client, typed, request, _opened=opened)
            yield from cast("Iterator[object]", call.read(http_response(body)))

    return read


def json_reader() -> Callable[[bytes], object]:
    """Return a function that reads a response of sales over REST, as a call does."""
    from soapclient.calling.reader import ResponseReader
    from soapclient.clock import Deadline, SystemClock
    from soapclient.rest import responses
    from soapclient.settings.common import CommonSettings
    from soapclient.transport.http import Limits, Response
    from zxws.publisher.service import GET_SALES, PACKAGE

    settings = CommonSettings.load(environ={})
    deadline = Deadline(SystemClock(), 3600)
    limits = Limits(operation=GET_SALES.name, deadline=deadline, connect_timeout=1, most=_HUGE, nodes=_HUGE)
    form = GET_SALES.rest
    assert form is not None

    def read(body: bytes) -> object:
        response = Response(http_response(io.BytesIO(body), "application/json"), limits, decode=True)
        return responses.read(GET_SALES, form, response, ResponseReader(settings), PACKAGE, settings)

    return read


def writer() -> Callable[[object], object]:
    """Return a function that writes a request of the operation Put in the package `shapes`."""
    client = cast("SoapClient", shapes().soap)
    return client.binding.operations["Put"].envelope


def get(node: object, field: Field) -> object:
    """Return a field of a generated type."""
    return getattr(node, snake(field.name))


def snake(name: str) -> str:
    """Return the Python name of a field."""
    return _CAPITAL.sub("_", name).lower()
