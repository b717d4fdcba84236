"""The matrix of true contracts: each variant is fetched, generated and called, and neither Python nor
`contracts.toml` is edited, but for `variants.SETTINGS`. The service recomputes every signature by itself."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from bindgen.cli import main
from tests.contracts_matrix import variants
from tests.contracts_matrix.data_service import DataService
from tests.contracts_matrix.data_variants import COLUMNS, ROWS, SENT, USUAL
from tests.contracts_matrix.packages import FILES, ROOT, account, bindgen, fetched, generated, ran
from tests.contracts_matrix.service import CONNECT_ID, SECRET_KEY, Service, served

VERSIONED = {"another version", "another namespace and version"}
EVERY = [*variants.SINGLE, *variants.SEVERAL]
# Variants that sign SOAP requests in HTTP headers only; the others sign in the envelope, too.
BY_HTTP_HEADERS = {"in HTTP headers"}
IN_HEADERS = ("HTTP headers, signed",)
# Values in the first adspace and the first sale, for the variants that change them.
KINDS = {"wider enumerations": "quiteNew", "narrower enumerations": "email"}
STATES = {"wider enumerations": "quiteNew", "narrower enumerations": "open"}
AMOUNTS = {"money as decimal": "1.50"}

PUBLISHER = """
import datetime as dt, json
from soapclient import Client, Settings

with Client(Settings.load()) as client:
    publisher = client.publisher
    first = publisher.get_adspaces(page=0, items=2)
    with publisher.stream.get_adspaces(page=0, items=2) as stream:
        streamed = [item.id for item in stream]
    sales = publisher.get_sales(date=dt.date(2026, 11, 1), date_type="trackingDate")
    sale = sales.sale_items[0]
    print(json.dumps({
        "total": first.total,
        "first": [item.name for item in first.adspace_items],
        "pages": len(list(publisher.iterate.get_adspaces(items=2))),
        "stream": len(streamed),
        "profile": publisher.get_profile().profile_item.login_name,
        "programs": len(publisher.search_programs(query="shoes").program_items),
        "kind": first.adspace_items[0].adspace_type,
        "sale": [sale.review_state, repr(sale.amount)],
    }))
"""
# The first order, over SOAP, gets no response: its job is found by the list of jobs and the rows of its file.
DATA = f"""
import datetime as dt, json
from pathlib import Path
from soapclient import Client
from soapclient.errors import AmbiguousOutcome

def export(client):
    first, last = dt.date(2026, 11, 1), dt.date(2026, 11, 2)
    export = client.data.export(report_type="click", from_date=first, to_date=last, {USUAL})
    file = export.wait().download(Path(f"{{export.handle.job_id}}.csv.gz"))
    rows = [[str(value) for value in row.values()] for row in file]
    return [str(export.handle.job_id), export.handle.adopted, list(file.columns), rows]

exports = []
with Client(state_dir="soap") as client:
    try:
        client.data.export(
            report_type="click", from_date=dt.date(2026, 11, 1), to_date=dt.date(2026, 11, 2), {USUAL}
        )
    except AmbiguousOutcome:
        exports.append(export(client))
for form in ("xml", "json"):
    with Client(protocol="rest", rest_format=form, state_dir=form) as client:
        exports.append(export(client))
print(json.dumps({{"exports": exports}}))
"""


def places_over_soap(name: str) -> tuple[str, ...]:
    """Return the places of the signatures of a variant."""
    return IN_HEADERS if name in BY_HTTP_HEADERS else ("envelope", *IN_HEADERS)


@dataclass
class Variant:
    """A served variant with its generated package."""

    name: str
    contract: str
    service: Service
    folder: Path
    said: str

    def run(self, program: str, **environ: str) -> dict[str, object]:
        """Run a program that calls the service with the generated package. Return the JSON it prints."""
        variables = account(self.service.url, self.contract, self.folder)
        printed = ran(self.folder, sys.executable, "-c", program, **variables, **environ)
        assert self.service.problems == []
        found: dict[str, object] = json.loads(printed)
        return found


Open = Callable[[str, str], Variant]
Record = Callable[[str, object], None]  # pytest's `record_property`


@pytest.fixture
def opened(tmp_path: Path) -> Open:
    """Serve a variant of a contract, fetch it and generate its package. Python is never edited."""

    def opening(contract: str, name: str) -> Variant:
        original = (ROOT / "wsdl" / FILES[contract]).read_bytes()
        (tmp_path / "documents").mkdir()
        kind = DataService if contract == "data" else Service
        service = kind(f"{contract}service", variants.documents(name, original), tmp_path / "documents")
        edit = variants.SETTINGS.get(name, str)
        with served(service):  # without the contract's own package
            url = f"{service.url}/wsdl/service.wsdl"
            fetched(tmp_path, contract, "--url", url, edit=edit, ignore=contract)
        return Variant(name, contract, service, tmp_path, generated(tmp_path, contract))

    return opening


@pytest.mark.sampled(0, 2)
@pytest.mark.parametrize("name", [*EVERY, *variants.PUBLISHER])
def test_the_publisher_service_is_called(opened: Open, name: str, record_property: Record) -> None:
    variant = opened("publisher", name)
    version = variants.NEW_VERSION if name in VERSIONED else "2011-03-01"
    assert f"publisher {version}: " in variant.said
    wanted = {
        "total": 3,
        "first": ["text", "text"],
        "pages": 3,
        "stream": 2,
        "profile": "text",
        "programs": 3,
        "kind": KINDS.get(name, "website"),
        "sale": [STATES.get(name, "confirmed"), f"Decimal('{AMOUNTS.get(name, '1.5')}')"],
    }
    with served(variant.service) as service:
        assert variant.run(PUBLISHER) == wanted
        calls = service.exchanges[:]
        assert [call.operation for call in calls] == [
            *("GetAdspaces", "GetAdspaces", "GetSales", "GetAdspaces", "GetAdspaces"),
            *("GetProfile", "SearchPrograms"),
        ]
        assert {call.places for call in calls[:6]} == {places_over_soap(name)}
        assert len({call.nonce for call in calls[:6]}) == 6
        if name not in BY_HTTP_HEADERS:
            assert calls[6].places == ("envelope", "HTTP headers")
        for form in ("xml", "json"):
            service.exchanges.clear()
            rest = {"SOAPCLIENT_PUBLISHER_PROTOCOL": "rest", "SOAPCLIENT_REST_FORMAT": form}
            assert variant.run(PUBLISHER, **rest) == wanted
            assert {call.places for call in service.exchanges[:6]} == {IN_HEADERS}
            assert {call.protocol for call in service.exchanges} == {"rest"}
            assert len({call.nonce for call in service.exchanges[:6]}) == 6
            if name not in BY_HTTP_HEADERS:
                assert service.exchanges[6].places == ("HTTP headers",)
        record_property("called", service.called())


FAULTS = """
import json
from soapclient import Client
from soapclient.errors import ServiceFault

found = {}
with Client() as client:
    for call in (client.publisher.get_profile, client.publisher.get_balances):
        try:
            call()
        except ServiceFault as fault:
            details = [fault.code, fault.reason, fault.error_id, fault.message]
            found[fault.operation] = [type(fault).__name__, *details]
print(json.dumps(found))
"""


@pytest.mark.sampled(0, 1)
@pytest.mark.parametrize("name", ["as it is", "another fault", "unqualified", "another namespace"])
def test_a_fault_is_raised_with_its_details(opened: Open, name: str) -> None:
    """The fault of the contract, under any name. The code says what it means."""
    variant = opened("publisher", name)
    variant.service.refused = {"GetProfile": 417, "GetBalances": 403}
    with served(variant.service) as service:
        found = variant.run(FAULTS)
        tag = service.element("GetProfile", "fault")
    assert tag.endswith("}TrackingFault" if name == "another fault" else "}SOAPException")
    assert found == {
        "GetProfile": ["ServiceFault", 417, "no such thing", "E-1", "refused"],
        "GetBalances": ["AuthenticationError", 403, "no such thing", "E-1", "refused"],
    }


# Exports need all three operations of the Data service, so none can be missing.
@pytest.mark.sampled(0, 2)
@pytest.mark.parametrize("name", [name for name in EVERY if name != "one less"])
def test_an_export_is_signed(opened: Open, name: str, record_property: Record) -> None:
    """Run an export from order to rows, over SOAP and REST, with signatures in the declared places."""
    variant = opened("data", name)
    assert isinstance(variant.service, DataService)
    variant.service.lose = 1
    with served(variant.service) as service:
        rows = [[str(value).replace("T", " ") for value in row] for row in ROWS]
        exports = [[str(number), number == 1, [*COLUMNS], rows] for number in (1, 2, 3)]
        assert variant.run(DATA) == {"exports": exports}
        other = name == "another order"
        over_rest = [SENT[0], *(SENT[:0:-1] if other else SENT[1:])]  # the type is in the path
        assert service.orders == [[*SENT[:: -1 if other else 1]], over_rest, over_rest]
        calls = {(call.protocol, call.operation, call.places) for call in service.exchanges}
        operations = ("CreateReportJob", "GetJobs", "GetJob")
        assert calls == {
            *(("soap", operation, places_over_soap(name)) for operation in operations),
            *(("rest", operation, IN_HEADERS) for operation in (*operations, "download")),
        }
        record_property("called", service.called())


def _data() -> bytes:
    return (ROOT / "wsdl" / FILES["data"]).read_bytes()


def _generate(folder: Path, document: bytes, edit: Callable[[str], str] = str) -> tuple[int, str]:
    """Return the exit code and the output of `generate` for a WSDL of the Data service."""
    (folder / "service.wsdl").write_bytes(document)
    fetched(folder, "data", "--file", str(folder / "service.wsdl"), edit=edit)
    return bindgen(folder, "generate", "data")


@pytest.mark.exhaustive
def test_a_header_that_nothing_fills_is_refused(tmp_path: Path) -> None:
    """Otherwise requests would be sent without authentication and without an error."""
    root = variants.in_header(variants.parsed(_data()))
    text = variants.written(root)
    names = {b"connectId": b"user", b"timestamp": b"when", b"nonce": b"salt", b"signature": b"mac"}
    for old, new in names.items():
        text = text.replace(old, new)
    code, said = _generate(tmp_path, text)
    assert code == 2
    assert (
        "CreateReportJob, GetJob, GetJobs declare the SOAP header authentication (user, when, salt, mac), "
        "which would be sent empty: it has none of connectId, timestamp, nonce, signature." in said
    )
    assert '    headers = ["authentication"]' in said


@pytest.mark.exhaustive
def test_a_header_that_callers_pass_is_a_parameter_if_the_settings_say_so(tmp_path: Path) -> None:
    root = variants.in_http_headers(variants.parsed(_data()))

    def edit(settings: str) -> str:
        table, mark, rest = settings.partition("[contracts.data.signing]\n")
        rows = r"\[contracts\.data\.rest\..*?(?=\n\[contracts\.(?!data\.rest))"
        return f'{table}{mark}headers = ["session"]\n{re.sub(rows, "", rest, flags=re.DOTALL)}'

    document = variants.written(variants.with_session_header(root))
    code, printed = _generate(tmp_path, document, edit)
    assert code == 0, printed
    assert "signed, by HTTP headers alone: 3 operations" in printed
    python = (tmp_path / "generated/zxws/data/service.py").read_text(encoding="utf-8")
    assert "session_header: Session | None = None" in python


@pytest.mark.exhaustive
def test_a_version_that_the_contract_does_not_name_is_set_once(tmp_path: Path) -> None:
    file = ("--file", str(tmp_path / "service.wsdl"))
    code, said = _generate(tmp_path, _data().replace(b"/2011-05-01", b"/current"))
    assert code == 2
    assert "has a version; set it once: bindgen fetch data --version VERSION" in said
    code, said = bindgen(tmp_path, "fetch", "data", *file, "--version", "v7")
    assert (code, "contracts.toml now has the version v7" in said) == (0, True)
    code, said = bindgen(tmp_path, "generate", "data")
    assert (code, "data v7: " in said) == (0, True), said
    assert '"version":"v7"' in (tmp_path / "generated/zxws/data/schema.json").read_text(encoding="utf-8")
    # A contract that names another one later is never called at the old address without a word.
    (tmp_path / "service.wsdl").write_bytes(_data())
    assert bindgen(tmp_path, "fetch", "data", *file)[0] == 0
    code, said = bindgen(tmp_path, "generate", "data")
    known = "contracts.toml: contracts.data.version is 'v7'"
    assert f"the contract has the version 2011-05-01, but {known}" in said


@pytest.mark.sampled(0, 1)
@pytest.mark.parametrize("name", ["unqualified", "first", "nested", "in a header", "in HTTP headers"])
def test_a_package_of_init_is_signed_by_the_same_code(tmp_path: Path, name: str) -> None:
    (tmp_path / "documents").mkdir()
    service = Service("dataservice", variants.documents(name, _data()), tmp_path / "documents")
    (tmp_path / "exported.toml").write_text(
        'format = 2\n[signing]\nscheme = "zxws"\nservice_name = "dataservice"\n'
        'connect_id = "connectId"\ntimestamp = "timestamp"\n'
        'nonce = "nonce"\nsignature = "signature"\n',
        encoding="utf-8",
    )
    file = tmp_path / "documents" / "service.wsdl"
    done = CliRunner().invoke(main, ["init", "exported", "--file", str(file), "--out", str(tmp_path)])
    assert done.exit_code == 0, done.output
    program = """
import json, sys
from exported import ExportedService
from soapclient import connect
from soapclient.auth.credentials import Credentials

credentials = Credentials(sys.argv[2], sys.argv[3])
with connect(ExportedService, address=sys.argv[1], credentials=credentials) as service:
    print(json.dumps(str(service.get_job(job_id="7").job_item.id)))
"""
    with served(service):
        address = f"{service.url}/soap/2011-05-01"
        ran(tmp_path, sys.executable, "-c", program, address, CONNECT_ID, SECRET_KEY)
    assert service.problems == []
    place = IN_HEADERS if name in BY_HTTP_HEADERS else ("envelope",)
    assert [(call.operation, call.places) for call in service.exchanges] == [("GetJob", place)]
