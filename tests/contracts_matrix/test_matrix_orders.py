"""Variants of the Data contract are fetched, generated, checked and used for exports. No Python is edited.

Each order is lost once, so that the client must find its job in the list of jobs and by the rows of its file.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.contracts_matrix.data_service import DataService
from tests.contracts_matrix.data_variants import VARIANTS, Variant
from tests.contracts_matrix.packages import FILES, ROOT, account, fetched, generated, ran
from tests.contracts_matrix.service import served

# A user's program. The first order gets no response.
PROGRAM = """\
import datetime as dt
import json
from pathlib import Path

from soapclient import Client, Settings
from soapclient.errors import SoapClientError
from soapclient.tracking.exports.export import Export


def order(client: Client) -> Export:
    first, last = dt.date(2026, 11, 1), dt.date(2026, 11, 2)
    return client.data.export(report_type="click", from_date=first, to_date=last, {options})


def main() -> None:
    with Client(Settings.load()) as client:
        lost = ""
        try:
            order(client)
        except SoapClientError as error:
            lost = type(error).__name__
        export = order(client)
        file = export.wait().download(Path("clicks.csv.gz"))
        rows = [[str(value) for value in row.values()] for row in file]
        handle = export.handle
        found = [lost, handle.adopted, str(handle.job_id), list(file.columns), rows]
        print(json.dumps([*found, dict(handle.request)]))


main()
"""
REFUSED = """
import datetime as dt
from soapclient import Client, Settings
from soapclient.errors import ContractError

with Client(Settings.load()) as client:
    day = dt.date(2026, 11, 1)
    try:
        client.data.export(from_date=day, to_date=day, **{options})
    except ContractError as error:
        print(error)
"""


def replaced(text: str, changes: tuple[tuple[str, str], ...]) -> str:
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text


def data_service(variant: Variant, folder: Path, *, lose: int = 0) -> DataService:
    """Return the service of a variant, with its documents in a folder."""
    document = replaced((ROOT / "wsdl" / FILES["data"]).read_text("utf-8"), variant.document)
    documents = folder / "documents"
    documents.mkdir()
    content = {"service.wsdl": document.encode()}
    return DataService("dataservice", content, documents, names=variant.names, lose=lose)


def environ_of(service: DataService, variant: Variant, folder: Path) -> dict[str, str]:
    """Fetch the contract and generate its package. Return the variables of a program that uses it."""
    edit = partial(replaced, changes=variant.settings)
    fetched(folder, "data", "--url", f"{service.url}/wsdl/service.wsdl", edit=edit)
    generated(folder, "data", propose=variant.propose)
    return account(service.url, "data", folder)


@pytest.mark.sampled(0, 1)
@pytest.mark.parametrize("name", VARIANTS)
def test_an_export_of_a_variant(
    name: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    variant = VARIANTS[name]
    with served(data_service(variant, tmp_path, lose=1)) as service:
        environ = environ_of(service, variant, tmp_path)
        run = partial(ran, tmp_path)
        (tmp_path / "program.py").write_text(PROGRAM.format(options=variant.options), "utf-8")
        state = str(tmp_path / "state")
        printed = run(sys.executable, "program.py", **environ, SOAPCLIENT_STATE_DIR=state)
        lost, adopted, job_id, columns, rows, request = json.loads(printed)
        assert service.problems == []
        assert [lost, adopted, job_id] == ["AmbiguousOutcome", True, "1"]
        assert service.orders == [list(variant.sent)]
        assert service.calls.count("GetJobs") >= 1
        assert {exchange.places[-1] for exchange in service.exchanges} == {"HTTP headers, signed"}
        assert columns == list(variant.columns)
        assert [[cell.replace("T", " ") for cell in row] for row in rows] == [
            [str(value).replace("T", " ") for value in row] for row in variant.rows
        ]
        asked = [request[name] for name in ("report_type", "from_date", "to_date")]
        assert asked == ["click", "2026-11-01", "2026-11-02"]
        command = (sys.executable, "-m", "soapclient", "export", "click", *variant.words.split())
        days = ("--from", "2026-11-01", "--to", "2026-11-02")
        run(*command, *days, "-o", "again.csv.gz", "--state", str(tmp_path / "another"), **environ)
        assert service.problems == []
        assert service.orders == [list(variant.sent)] * 2
        assert (tmp_path / "again.csv.gz").read_bytes() == (tmp_path / "clicks.csv.gz").read_bytes()
        for form in ("xml", "json") if variant.over_rest else ():
            rest = {"SOAPCLIENT_DATA_PROTOCOL": "rest", "SOAPCLIENT_REST_FORMAT": form}
            service.exchanges.clear()
            run(*command, *days, "-o", f"{form}.csv.gz", "--state", str(tmp_path / form), **environ, **rest)
            assert service.problems == []
            assert service.calls.count("CreateReportJob") == 1
            assert {exchange.places for exchange in service.exchanges} == {("HTTP headers, signed",)}
            assert service.orders[-1] == list(variant.rest or variant.sent)
            assert (tmp_path / f"{form}.csv.gz").read_bytes() == (tmp_path / "clicks.csv.gz").read_bytes()
        record_property("called", service.called())
        if variant.refused:
            program = REFUSED.format(options={"report_type": "click", variant.refused: 7})
            said = run(sys.executable, "-c", program, **environ)
            assert said.startswith("CreateReportJob: ")
            assert variant.refused in said
            assert "Nothing was sent" in said
            assert len(service.orders) == 4


@pytest.mark.sampled(0, 1)
@pytest.mark.parametrize("name", [name for name, each in VARIANTS.items() if each.refused_types])
def test_a_report_type_that_is_refused(name: str, tmp_path: Path) -> None:
    variant = VARIANTS[name]
    with served(data_service(variant, tmp_path)) as service:
        environ = environ_of(service, variant, tmp_path)
        for kind, why in variant.refused_types:
            program = REFUSED.format(options={"report_type": kind, "columns": ["clickId"]})
            said = ran(tmp_path, sys.executable, "-c", program, **environ)
            assert said.startswith("CreateReportJob: ")
            assert why in said
        assert service.calls == []


# What changes most in the generated types; the last one lacks what Python offers a keyword for.
USING = tuple(
    str(ROOT / "soapclient" / "tracking" / name)
    for name in ("data.py", "exports", "backfill", "async_client.py", "commands/export.py")
)
TYPED = ("renamed fields", "columns as a list", "days in a structure", "no groups")


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one mypy cache for all variants."""
    return tmp_path_factory.mktemp("typed")


@pytest.mark.night
@pytest.mark.parametrize("name", TYPED)
def test_the_types_of_a_variant(name: str, tmp_path: Path, desk: Path) -> None:
    """Check the client and a user's program with the variant's package instead of the current one."""
    variant = VARIANTS[name]
    with served(data_service(variant, tmp_path)) as service:
        environ_of(service, variant, tmp_path)
    shutil.rmtree(desk / "generated", ignore_errors=True)
    shutil.copytree(tmp_path / "generated", desk / "generated")
    run = partial(ran, tmp_path)
    program = desk / "program.py"
    program.write_text(PROGRAM.format(options=variant.options), "utf-8")
    # Without the configuration of this repository, whose path has today's package.
    options = ("--config-file=", "--strict", "--ignore-missing-imports", "--cache-dir", str(desk / "cache"))
    mypy = (sys.executable, "-m", "mypy", *options, str(program))
    assert "Success" in run(*mypy, *USING, MYPYPATH=str(desk / "generated"))
    if variant.refused:
        program.write_text(PROGRAM.format(options=f"{variant.options}, {variant.refused}=None"), "utf-8")
        with pytest.raises(AssertionError, match=f'"{variant.refused}"'):
            run(*mypy, MYPYPATH=str(desk / "generated"))
