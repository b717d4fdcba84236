"""Every command and code block on the pages is run as printed. See `pages.py`."""

from __future__ import annotations

import ast
import csv
import gzip
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY, JobSteps, Sandbox, serve
from tests.contracts_matrix.loopback import serving
from tests.docs.pages import ADDRESS, HOST, ROOT, SHELF, WEATHER, Reader, all_pages, outside, run_outside

PAGES = {page.name: page for page in all_pages()}
RUNNABLE = [name for name, page in PAGES.items() if page.blocks]
# Blocks that are not run, by page. If a page skips more, it must be reviewed.
NOT_RUN = {
    "README.md": 3,
    "CONTRIBUTING.md": 1,
    "docs/how-to/containers.md": 3,
    "docs/how-to/contract-changes.md": 2,
    "docs/how-to/credentials.md": 1,
    "docs/how-to/tables.md": 1,
    "docs/how-to/ws-security.md": 1,
    "docs/reference/coverage.md": 1,
    "docs/reference/dependencies.md": 3,
    "docs/reference/versions.md": 2,
    "docs/tutorial/own-service.md": 1,
}
WEATHER_NOW = b"""<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>
<GetWeatherResponse xmlns="urn:example:weather"><degrees>-3.50</degrees><seen>2026-11-20T12:00:00Z</seen>
</GetWeatherResponse></e:Body></e:Envelope>"""
BOOKS = b"""<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>
<GetBooksResponse xmlns="urn:example:shelf"><total>2</total><book><title>Walden</title></book>
<book><title>Emma</title></book></GetBooksResponse></e:Body></e:Envelope>"""
BOUNDARY = "of-parts"
STORED = b"""--of-parts\r
Content-Type: text/xml; charset=utf-8\r
\r
<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>\
<StoreScanResponse xmlns="urn:example:shelf"><number>7</number></StoreScanResponse></e:Body></e:Envelope>\r
--of-parts\r
Content-Type: text/plain\r
Content-ID: <receipt=1@shelf.example>\r
\r
stored\r
--of-parts--\r
"""
SHELF_WSDL = "docs/how-to/shelf.wsdl"
WSDL = "wsdl/publisher/2011-03-01/publisher.wsdl"
# A removed element, a new required element, and a new value: (within, text, replacement).
CHANGES = (
    ('<xsd:complexType name="saleItem">', '          <xsd:element name="clickId" type="xsd:long"/>\n', ""),
    (
        '<xsd:complexType name="GetSalesRequest">',
        '          <xsd:element name="page"',
        '          <xsd:element name="market" type="xsd:string"/>\n          <xsd:element name="page"',
    ),
    (
        '<xsd:simpleType name="reviewStateEnum">',
        '          <xsd:enumeration value="approved"/>\n',
        '          <xsd:enumeration value="approved"/>\n          <xsd:enumeration value="paused"/>\n',
    ),
)


def a_clone(folder: Path) -> None:
    """Copy the parts of a clone that the commands use."""
    for name in ("wsdl", "generated"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    (folder / SHELF_WSDL).parent.mkdir(parents=True)
    the_shelf(folder / SHELF_WSDL)


def a_clone_and_another_wsdl(folder: Path) -> None:
    a_clone(folder)
    wsdl = (folder / WSDL).read_text(encoding="utf-8")
    for within, what, becomes in CHANGES:
        before, found, after = wsdl.partition(within)
        assert found
        assert what in after
        wsdl = before + found + after.replace(what, becomes, 1)
    (folder / "new.wsdl").write_text(wsdl, encoding="utf-8")
    what_mypy_remembers(folder)


def what_mypy_remembers(folder: Path) -> None:
    """Copy mypy's cache of the package and its dependencies. mypy verifies it, so it stays valid."""
    with suppress(FileNotFoundError):
        shutil.copytree(ROOT / ".mypy_cache", folder / ".mypy_cache")


def the_weather(folder: Path) -> None:
    """Write the WSDL that another page shows."""
    own = PAGES["docs/how-to/own-wsdl.md"].blocks
    wsdl = next(each.text for each in own if each.language == "xml")
    (folder / "weather.wsdl").write_text(wsdl, encoding="utf-8")


def the_shelf(target: Path) -> None:
    """Copy a WSDL to a file or into a folder."""
    shutil.copy(ROOT / SHELF_WSDL, target)


# A page is skipped without these, which are in the extra `exhaustive`.
MODULES = {"docs/how-to/frameworks.md": ("fastapi", "httpx", "django", "celery", "dagster", "duckdb")}
NEEDS: dict[str, Callable[[Path], None]] = {
    "README.md": a_clone,
    "docs/README.md": a_clone,
    "docs/how-to/command-line.md": a_clone,
    "docs/how-to/console.md": the_weather,
    "docs/how-to/frameworks.md": a_clone,
    "docs/how-to/contract-changes.md": a_clone_and_another_wsdl,
    "docs/how-to/mock.md": the_weather,
    "docs/how-to/own-wsdl.md": the_shelf,
    "docs/how-to/try.md": the_weather,
    "docs/tutorial/own-service.md": what_mypy_remembers,
}


def responded(verb: str, path: str, headers: Mapping[str, str], asked: bytes) -> tuple[int, str, bytes]:
    """The weather service and a shelf of books. The request says which operation is called."""
    kind = "text/xml; charset=utf-8"
    if b"GetBooks" in asked:
        assert b">my-id<" in asked
        if b"since" in asked:  # midnight in Berlin
            assert b">2026-11-01T00:00:00+01:00<" in asked
        return 200, kind, BOOKS
    if b"StoreScan" in asked:
        assert b"\x89PNG\r\n\x1a\n" in asked
        return 200, f'multipart/related; type="text/xml"; boundary="{BOUNDARY}"', STORED
    return 200 if b"Berlin" in asked else 500, kind, WEATHER_NOW


@pytest.fixture(scope="module")
def weather() -> Iterator[str]:
    problems: list[str] = []
    with serving(responded, problems) as url:
        yield url
    assert problems == []


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    at_once = JobSteps(running=timedelta(0), done=timedelta(0))
    with Sandbox(clicks_per_day=50, job_steps=at_once) as sandbox:
        yield sandbox


@pytest.fixture
def reader(sandbox: Sandbox, weather: str, tmp_path: Path) -> Iterator[Reader]:
    """A reader in an empty folder, whose environment points to the sandbox."""
    with serve(sandbox) as serving:
        settings = {"SOAPCLIENT_CONNECT_ID": SAMPLE_CONNECT_ID, "SOAPCLIENT_SECRET_KEY": SAMPLE_SECRET_KEY}
        services = ("PUBLISHER", "DATA", "ADVERTISER")
        settings |= {f"SOAPCLIENT_{service}_URL": serving.url for service in services}
        places = {ADDRESS: serving.url, HOST: serving.url, WEATHER: weather, SHELF: weather}
        with Reader(tmp_path, places, settings) as reader:
            yield reader


# Run by separate tests, which check the output.
LOOKED_AT = {f"docs/how-to/{name}.md" for name in ("calls", "rest", "exports", "true-contracts")}
# One of each kind of page; how-to pages: see `test_documented_calls_…`.
FIRST_RING = {"README.md", "CONTRIBUTING.md", "docs/tutorial/first-steps.md", "docs/explanation/drift.md"}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in FIRST_RING else pytest.mark.exhaustive)
        for name in sorted(set(RUNNABLE) - LOOKED_AT)
    ],
)
def test_a_page_runs_from_top_to_bottom(name: str, reader: Reader) -> None:
    for module in MODULES.get(name, ()):
        pytest.importorskip(module)
    if name in NEEDS:
        NEEDS[name](reader.folder)
    reader.follow(PAGES[name])


def test_documented_calls_return_the_data_of_the_service(sandbox: Sandbox, reader: Reader) -> None:
    page, pages, stream, *_ = reader.follow(PAGES["docs/how-to/calls.md"])
    held = list(sandbox._store.of(SAMPLE_CONNECT_ID).sales.on(date(2026, 11, 1), "trackingDate"))
    total, _, listed = page.strip().partition(" ")
    commissions = [str(each) for each in ast.literal_eval(listed)]
    assert int(total) == len(held) > 50
    assert len(commissions) == 50  # the maximum page size
    assert all(re.fullmatch(r"\d+\.\d\d [A-Z]{3}", each) for each in commissions)
    # All pages together have as many items as the service counts. Currencies are not added up.
    expected: dict[str, Decimal] = {}
    for one in held:
        expected[one.currency] = expected.get(one.currency, Decimal(0)) + one.commission
    assert len(expected) > 1
    assert pages.split(" ", 2)[:2] == [total, "sales"]
    assert ast.literal_eval(pages.split(" ", 2)[2]) == {key: str(value) for key, value in expected.items()}
    # The stream prints the same page.
    assert [line.split()[1] for line in stream.splitlines()] == [each.split()[0] for each in commissions]


@pytest.mark.exhaustive
def test_rest_page_changes_only_its_account_and_requests_its_codes(sandbox: Sandbox, reader: Reader) -> None:
    page = PAGES["docs/how-to/rest.md"]
    profile = sandbox._store.of(SAMPLE_CONNECT_ID).account.profile
    assert profile.get().city != "Berlin"
    reader.follow(page)
    (number,) = re.findall(r'update_profile\(profile_item={"id": (\d+), "city": "Berlin"}', page.text)
    assert (profile.get().id, profile.get().city) == (int(number), "Berlin")
    asked = re.findall(r'"(\d{8}C\d{8}T?)"', page.text)
    assert len(asked) > 1
    assert set(asked) <= set(sandbox.partner_codes(SAMPLE_CONNECT_ID))


@pytest.mark.exhaustive
def test_documented_export_equals_the_file_of_the_service(reader: Reader) -> None:
    printed = reader.follow(PAGES["docs/how-to/exports.md"])[1]
    with gzip.open(reader.folder / "clicks.csv.gz", "rt", encoding="utf-8", newline="") as file:
        clicks = list(csv.DictReader(file))
    rows, _, row = printed.strip().partition(" ")
    assert int(rows) == len(clicks) == 100  # 50 clicks on each of two days
    assert f"'clickId': {clicks[0]['clickId']}," in row
    assert row.count("': ") == len(clicks[0])


@pytest.mark.exhaustive
def test_documented_commands_replace_a_contract(reader: Reader) -> None:
    a_clone(reader.folder)
    reader.follow(PAGES["docs/how-to/true-contracts.md"])
    package = reader.folder / "generated/zxws/publisher"
    before = (ROOT / "generated/zxws/publisher/service.py").read_text().splitlines()
    after = (package / "service.py").read_text().splitlines()
    # The served contract has a different address. The generated code differs in nothing else.
    assert [line for line in before if line[:1] != "#"] == [line for line in after if line[:1] != "#"]
    written = [path.read_text(encoding="utf-8") for path in package.iterdir() if path.is_file()]
    assert any(re.search(r"http://127\.0\.0\.1:\d+/soap/2011-03-01", text) for text in written)


def test_skipped_blocks_have_a_reason_and_are_counted() -> None:
    skipped = {name: [block for block in PAGES[name].blocks if block.skipped] for name in RUNNABLE}
    assert {name: len(blocks) for name, blocks in skipped.items() if blocks} == NOT_RUN
    assert all(len(block.said) > 20 for blocks in skipped.values() for block in blocks)


def test_pages_have_blocks_to_run() -> None:
    assert len(RUNNABLE) >= 15
    assert sum(len(PAGES[name].blocks) for name in RUNNABLE) >= 60


@pytest.mark.exhaustive
def test_python_blocks_pass_mypy(tmp_path: Path) -> None:
    """All programs of all pages, with the project's settings."""
    needs = {name: tmp_path / f"{name}.wsdl" for name in ("weather", "stock", "orders", "shop", "archive")}
    needs |= {"tracker": ROOT / WSDL, "shelf": ROOT / SHELF_WSDL, "secured": needs["shop"]}
    (tmp_path / "shelf.toml").write_text(
        PAGES["docs/how-to/own-wsdl.md"].file("shelf.toml"), encoding="utf-8"
    )
    the_weather(tmp_path)
    for name, page in (
        ("stock", "docs/tutorial/own-service.md"),
        ("orders", "docs/how-to/from-zeep.md"),
        ("shop", "docs/how-to/ws-security.md"),
        ("archive", "docs/how-to/own-wsdl.md"),
    ):
        needs[name].write_text(PAGES[page].file(f"{name}.wsdl"), encoding="utf-8")
    for package, wsdl in needs.items():
        command = ["bindgen", "init", package, "--file", str(wsdl), "--out", str(tmp_path), "--offline"]
        subprocess.run(command, env=outside(tmp_path, {}), check=True, capture_output=True, timeout=120)
    programs = []
    for name in RUNNABLE:
        if PAGES[name].python:
            programs.append(tmp_path / (re.sub(r"\W", "_", name) + ".py"))
            programs[-1].write_text(PAGES[name].python, encoding="utf-8")
        for block in PAGES[name].blocks:
            if block.mark == "file" and block.said.endswith(".py") and "." not in block.said[:-3]:
                programs.append(tmp_path / block.said)
                assert not programs[-1].exists(), f"{block.said} is a file of two pages"
                programs[-1].write_text(block.text, encoding="utf-8")
                if "from zeep import" in block.text:
                    programs.pop()  # zeep has no types
    mypy = [sys.executable, "-m", "mypy", "--strict", *map(str, programs)]
    # with the project's settings and mypy's cache
    done = run_outside(mypy, tmp_path, {"MYPYPATH": str(tmp_path)}, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_readme_is_a_landing_page() -> None:
    """It has the two commands, and five lines that run. Everything else is in docs/."""
    page = PAGES["README.md"]
    commands = [block.text for block in page.blocks if not block.language]
    assert commands == [
        "python3 -m venv .venv && .venv/bin/pip install -e '.[dev]' && .venv/bin/soapclient demo\n",
        ".venv/bin/pytest\n",
    ]
    assert len(page.text.split()) < 800
    assert "WSDL" in " ".join(page.text.split()[:20])
    first = next(block.text for block in page.blocks if block.language == "python")
    assert sum(bool(line.strip()) for line in first.splitlines()) == 5
