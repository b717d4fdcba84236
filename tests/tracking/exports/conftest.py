"""Fixtures for export tests: a data service with scripted jobs, and HTTP servers with scripted responses."""

from __future__ import annotations

import csv
import gzip
import io
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Unpack

import pytest
from lxml import etree
from werkzeug.wrappers import Request, Response

from soapclient import Settings
from soapclient.auth.signing import Signer
from soapclient.clock import ManualClock
from soapclient.drift import Drift
from soapclient.errors import AmbiguousOrder, AmbiguousOutcome
from soapclient.runtime import CountingReader, Operation
from soapclient.runtime.operations import RequestT, ResponseT
from soapclient.runtime.settings import Column
from soapclient.tracking.exports.export import Export, Orders
from soapclient.tracking.exports.handle import ExportHandle
from soapclient.tracking.exports.jobs.connections import FileConnections
from soapclient.tracking.exports.jobs.job import ReportJobs
from soapclient.tracking.exports.orders.arguments import OrderOptions
from soapclient.tracking.exports.orders.ledger import Ledger
from soapclient.tracking.sandbox import JobScript
from tests.support.wire import Exchange, Wire
from tests.tracking.exports.stage import NOW, Stage
from zxws.data.service import PACKAGE, DataService

NAMESPACE = "http://data.zanox.com/namespace/2011-05-01/"
CONNECT_ID = "802B8BF4AE99EBE00F41"  # docs/explanation/service.md#signing: a published sample
SECRET_KEY = "fa4c0c2020Aa4c+ab9Ea0ec8d39E06/df2c5aa44"
DAY = date(2026, 11, 1)
PACKED = gzip.compress(b'clickId,referrer\r\n1,a\r\n2,"x\ny"\r\n3,\r\n', mtime=0)
"""A small gzip-csv file of three rows."""

Body = bytes | Iterable[bytes]
Item = Mapping[str, str]


class ScriptedJobs:
    """A caller for the generated service: each call takes the next of `answers`; the last one repeats.

    A response is a jobItem (child → text, `@id`), None for a response without an item, or an error to raise.
    """

    def __init__(self) -> None:
        self.answers: deque[Item | Exception | None] = deque()
        self.calls: list[tuple[str, object]] = []

    def call(self, operation: Operation[RequestT, ResponseT], request: RequestT, /) -> ResponseT:
        node = etree.Element(operation.request_tag)
        operation.write_request(request, node, operation.name)
        self.calls.append((operation.name, operation.wire_of(node)))
        answer = self.answers.popleft() if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        root = etree.Element(operation.response_tag)
        if answer is not None:
            item = etree.SubElement(root, f"{{{NAMESPACE}}}jobItem", id=answer.get("@id", "job-1"))
            for name, text in answer.items():
                if not name.startswith("@"):
                    etree.SubElement(item, f"{{{NAMESPACE}}}{name}").text = text
        return operation.read_response(root, CountingReader())

    def polls(self) -> int:
        return sum(1 for name, _ in self.calls if name == "GetJob")


class Stub(Wire):
    """A server of files. It also sends bodies piece by piece, and bodies of another length than it says."""

    def __init__(self) -> None:
        super().__init__()
        self.numbered = False
        self.host = self.url.removeprefix("http://")

    @property
    def requests(self) -> list[tuple[str, dict[str, str]]]:
        return [(sent.target, sent.headers) for sent in self.sent]

    def answer(self, status: int = 200, body: Body = b"", *, times: int = 1, **headers: str) -> None:
        """Answer the next requests with this response; `_` in a header's name stands for `-`."""

        def send(exchange: Exchange) -> None:
            length = {"Content_Length": str(len(body))} if isinstance(body, bytes) else {}
            told = length | headers
            if not length or told["Content_Length"] != length["Content_Length"]:
                exchange.drop()
            exchange.head(status, **told)
            for piece in [body] if isinstance(body, bytes) else body:
                exchange.write(piece)

        for _ in range(times):
            self.does(send)

    def forget(self) -> None:
        """Drop the responses that were not requested."""
        self._actions.clear()


@dataclass
class Scripted:
    """An exporter over scripted jobs, with a manual clock."""

    jobs: ScriptedJobs
    clock: ManualClock
    config: Settings
    exporter: Orders
    drift: Drift = field(default_factory=Drift)

    def order(self) -> Export:
        """Return an ordered export of clicks with the job id job-1."""
        self.jobs.answers.append({"status": "created"})
        export = self.exporter.order(report_type="click", from_date=DAY, to_date=DAY)
        self.jobs.answers.clear()
        self.jobs.calls.clear()
        return export

    def done(self, **fields: str) -> Export:
        """Return an ordered export whose job is done."""
        export = self.order()
        self.jobs.answers.append({"status": "done", **fields})
        return export


def build_stage(data_url: str | None, *, connect_id: str = CONNECT_ID, **settings: str) -> Scripted:
    jobs, clock, drift = ScriptedJobs(), ManualClock(NOW), Drift()
    if data_url is not None:
        settings["data_url"] = data_url
    environ = {f"SOAPCLIENT_{name.upper()}": text for name, text in settings.items()}
    config = Settings.load(environ=environ, connect_id=connect_id, secret_key=SECRET_KEY)
    exporter = Orders(
        ReportJobs(
            methods=DataService(jobs),
            tables=PACKAGE.settings,
            config=config,
            signer=Signer(config.credentials(), clock=clock),
            files=FileConnections(config, PACKAGE.settings),
            clock=clock,
            random=lambda: 0.0,
            findings=drift,
        )
    )
    return Scripted(jobs, clock, config, exporter, drift)


def is_order(request: Request) -> bool:
    """Return True for an order over REST or SOAP."""
    return "/jobs/reports/type/" in request.path or b"CreateReportJobRequest" in request.get_data()


class Desk(Stage):
    """A sandbox, its clock and its clients. Orders use ledgers, and order responses can get lost."""

    def exports(self, *, url: str | None = None, state: bool = False, **settings: str) -> Orders:
        """Return the exporter of a new client, with a state directory if `state` is set."""
        kept = self.folder / "state" if state else None
        return self.client(data_url=url or self.url, state_dir=kept, **settings).data.exports

    def ledger(self, exports: Orders | None = None) -> Ledger:
        return (exports or self.exports()).ledger(self.folder / "ledger")

    def begin(
        self,
        exports: Orders | None = None,
        day: date = DAY,
        kind: str = "click",
        *,
        last: date | None = None,
        within: float | None = None,
        reorder: bool = False,
        ledger: Ledger | None = None,
        **options: Unpack[OrderOptions],
    ) -> Export:
        """Order `day`, or the days until `last`, through the ledger, by default with a new client.

        `within` is the deadline in seconds.
        """
        exports = exports or self.exports()
        return exports.begin(
            ledger or self.ledger(exports),
            report_type=kind,
            from_date=day,
            to_date=last or day,
            until=None if within is None else exports.until(within),
            reorder=reorder,
            **options,
        )

    def by_hand(self, day: date = DAY, kind: str = "click", **options: Unpack[OrderOptions]) -> str:
        """Order without a ledger and return the job id."""
        return str(self.exports().order(report_type=kind, from_date=day, to_date=day, **options).id)

    def expired(self) -> ExportHandle:
        """Return the handle of an order whose job has expired."""
        self.sandbox.jobs.script(JobScript(expire=True))
        handle = self.begin().handle
        self.clock.advance(3600)
        return handle

    @contextmanager
    def lost(self, *, processed: bool) -> Iterator[None]:
        """Answer no order. `processed` decides whether it is carried out. The first order ends the block."""

        def interfere(request: Request) -> Response | None:
            if not is_order(request):
                return None
            if processed:
                self.sandbox.interfere = None
                self.sandbox.answer(request)
                self.sandbox.interfere = interfere
            return Response("<html>gateway", status=502)

        before, self.sandbox.interfere = self.sandbox.interfere, interfere
        with pytest.raises(AmbiguousOutcome) as caught:
            yield
        self.sandbox.interfere = before
        assert not isinstance(caught.value, AmbiguousOrder)
        assert any("stays pending" in note for note in caught.value.__notes__)

    def lose(
        self,
        exports: Orders | None = None,
        day: date = DAY,
        kind: str = "click",
        *,
        processed: bool,
        last: date | None = None,
        within: float | None = None,
        ledger: Ledger | None = None,
        **options: Unpack[OrderOptions],
    ) -> None:
        """Order as `begin` does, and get no response."""
        with self.lost(processed=processed):
            self.begin(exports, day, kind, last=last, within=within, ledger=ledger, **options)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with ExitStack() as stack:
        yield Desk(tmp_path, stack)


def columns(text: str) -> tuple[Column, ...]:
    """Return columns from their names and XSD types, such as `id int, name string`."""
    pairs = [one.split() for one in text.split(", ")]
    return tuple(Column(name, f"xsd:{kind}") for name, kind in pairs)


def build_csv(rows: Iterable[Sequence[str]], quoting: int = csv.QUOTE_MINIMAL) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, quoting=quoting).writerows(rows)  # type: ignore[arg-type]  # typeshed requires a literal
    return text.getvalue().encode()


@pytest.fixture
def stub() -> Iterator[Stub]:
    """The server of the configured data service."""
    server = Stub()
    yield server
    server.close()


@pytest.fixture
def other() -> Iterator[Stub]:
    """A server other than the data service's."""
    server = Stub()
    yield server
    server.close()


@pytest.fixture
def stage(stub: Stub) -> Scripted:
    return build_stage(stub.url)


@pytest.fixture
def offline() -> Scripted:
    """A stage for tests that download nothing."""
    return build_stage("https://data.example.org")


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "clicks.csv.gz"


Pack = Callable[[bytes], Path]
Write = Callable[[Sequence[Sequence[str]]], Path]


@pytest.fixture
def pack(tmp_path: Path) -> Pack:
    """Compress a text to the file x.csv.gz."""

    def written(content: bytes) -> Path:
        path = tmp_path / "x.csv.gz"
        path.write_bytes(gzip.compress(content))
        return path

    return written


@pytest.fixture
def write(pack: Pack) -> Write:
    """Write rows to the gzip-csv file x.csv.gz."""
    return lambda rows: pack(build_csv(rows))
