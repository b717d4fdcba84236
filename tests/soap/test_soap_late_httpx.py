"""Import of zeep without httpx. Each test runs in a new process, because an import happens only once."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest.importorskip("httpx")

pytestmark = pytest.mark.exhaustive

_BLOCK = """
import sys
from soapclient.soap.late_httpx import httpx_imported_late
with httpx_imported_late():"""
_IMPORT = f"""{_BLOCK}
    import zeep.transports
"""


def run(code: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_httpx_is_imported_when_its_transport_is_used() -> None:
    code = f"""{_IMPORT}
import asyncio
print("httpx" in sys.modules, zeep.transports.HTTPX_PROXY_KWARG_NAME)
transport = zeep.transports.AsyncTransport()
import httpx
print(type(httpx).__name__, type(transport.client) is httpx.AsyncClient)
print(zeep.transports.httpx.HTTPStatusError is httpx.HTTPStatusError)
asyncio.run(transport.aclose())
"""
    assert run(code) == ["False proxy", "module True", "True"]


def test_httpx_itself_is_imported_after_the_block() -> None:
    code = f"""{_IMPORT}
import httpx, httpx._models
print(type(httpx).__name__, sys.modules["httpx"] is httpx, httpx.Client is zeep.transports.httpx.Client)
"""
    assert run(code) == ["module True True"]


def test_import_during_the_block_gets_a_working_module() -> None:
    """As in another thread. Submodules can be imported, too."""
    code = f"""{_BLOCK}
    import httpx as late
    from httpx import Client
    import httpx._models as models
    print(models.Response is late.Response, type(sys.modules["httpx"]).__name__)
import httpx
print(late.Client is Client is httpx.Client, hasattr(late, "Missing"))
"""
    assert run(code) == ["True module", "True False"]


def test_nothing_changes_if_httpx_or_zeep_is_imported() -> None:
    for first in ("httpx", "zeep"):
        code = f"""
import sys
import {first}
before = sys.modules["httpx"]{_BLOCK}
    print(sys.modules["httpx"] is before)
print(sys.modules["httpx"] is before)
"""
        assert run(code) == ["True", "True"]


def test_nothing_changes_if_httpx_is_not_installed() -> None:
    code = f"""
import importlib.metadata as metadata
def version(name):
    raise metadata.PackageNotFoundError(name)
metadata.version = version{_BLOCK}
    print("httpx" in sys.modules)
"""
    assert run(code) == ["False"]


def test_error_in_the_block_restores_the_modules() -> None:
    code = """
import sys
from soapclient.soap.late_httpx import httpx_imported_late
try:
    with httpx_imported_late():
        print("httpx" in sys.modules)
        raise ImportError
except ImportError:
    print("httpx" in sys.modules)
"""
    assert run(code) == ["True", "False"]
