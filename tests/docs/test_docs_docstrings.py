"""The examples in docstrings run, and each public class and function has one."""

from __future__ import annotations

import doctest
import importlib
import inspect
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from importlib import invalidate_caches
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from bindgen import init
from soapclient.runtime.package import package
from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY, JobSteps, Sandbox, serve
from tests.docs.pages import all_pages
from tests.security.conftest import issue
from tests.test_public_names import offered

# Their docstrings refer to an example of another class.
ELSEWHERE = {
    "AsyncEngine": "AsyncCaller",
    "Caller": "Service",
    "Export": "Data",
    "HeaderCaller": "Service",
    "ItemPages": "days",
    "ItemStream": "AsyncItemStream",
    "ListOperation": "PagesRow",
    "Message": "Block",
    "MockCall": "Mock",
    "Node": "path_of",
    "Operation": "Package",
    "Orders": "Ledger",
    "PageCaller": "days",
    "Reader": "CountingReader",
    "SentAttachments": "Attachments",
    "StreamCaller": "AsyncItemStream",
}


def entries(module: str) -> dict[str, object]:
    """Return the public classes and functions of a module."""
    imported = importlib.import_module(module)
    values = {name: getattr(imported, name) for name in imported.__all__}
    return {
        name: value for name, value in values.items() if inspect.isclass(value) or inspect.isroutine(value)
    }


def has_example(name: str, value: object) -> bool:
    """Return True if a docstring has an example. An exception may be caught as in the example of its base."""
    if name in ELSEWHERE:
        return f"`{ELSEWHERE[name]}` has an example." in (value.__doc__ or "")
    if inspect.isclass(value) and issubclass(value, Exception):
        return any(">>>" in (vars(kind).get("__doc__") or "") for kind in value.__mro__)
    return ">>>" in (value.__doc__ or "")


def _write_keys(folder: Path, owner: str) -> None:
    """Write a private key and its self-signed certificate, which is valid now."""
    key = rsa.generate_private_key(65537, 2048)
    pair = issue(owner, key, is_authority=owner == "authority", start=datetime.now(UTC))
    pem = serialization.Encoding.PEM
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (folder / f"{owner}.key").write_bytes(private)
    (folder / f"{owner}.pem").write_bytes(pair.certificate.public_bytes(pem))


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with the package `weather`, keys, and settings with the address of a sandbox."""
    folder = tmp_path_factory.mktemp("examples")
    for owner in ("client", "server", "authority"):
        _write_keys(folder, owner)
    page = next(page for page in all_pages() if page.name == "docs/how-to/own-wsdl.md")
    wsdl = folder / "weather.wsdl"
    wsdl.write_text(next(block.text for block in page.blocks if block.language == "xml"), encoding="utf-8")
    init.write(folder / "weather", init.make("weather", wsdl, offline=True).files)
    quick = JobSteps(running=timedelta(0), done=timedelta(0))
    with (
        pytest.MonkeyPatch.context() as patch,
        Sandbox(clicks_per_day=250, job_steps=quick) as sandbox,
        serve(sandbox) as server,
    ):
        package.cache_clear()  # other tests have packages of the same name
        for name in _weather():
            patch.delitem(sys.modules, name)
        patch.chdir(folder)
        patch.syspath_prepend(folder)
        for name in ("publisher", "data", "advertiser"):
            patch.setenv(f"SOAPCLIENT_{name.upper()}_URL", server.url)
        patch.setenv("SOAPCLIENT_STATE_DIR", str(folder / "state"))
        patch.setenv("SOAPCLIENT_CONNECT_ID", SAMPLE_CONNECT_ID)
        patch.setenv("SOAPCLIENT_SECRET_KEY", SAMPLE_SECRET_KEY)
        invalidate_caches()
        yield folder
        for name in _weather():
            del sys.modules[name]
        package.cache_clear()


def _weather() -> list[str]:
    return [name for name in sys.modules if name.partition(".")[0] == "weather"]


@pytest.mark.exhaustive
def test_examples_of_docstrings_run(place: Path) -> None:
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    parser, report, seen = doctest.DocTestParser(), list[str](), set[int]()
    for module in offered():
        for name, value in entries(module).items():
            if id(value) not in seen and ">>>" in (value.__doc__ or ""):
                seen.add(id(value))
                test = parser.get_doctest(inspect.getdoc(value) or "", {}, f"{module}.{name}", None, None)
                runner.run(test, out=report.append)
    assert report == [], "".join(report)
    assert len(seen) > 110


def test_public_classes_and_functions_have_examples() -> None:
    missing = {
        f"{module}.{name}"
        for module in offered()
        for name, value in entries(module).items()
        if not has_example(name, value)
    }
    assert missing == set()
