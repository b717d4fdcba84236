"""The sandbox as a WSGI application. It passes each request to SOAP or REST, depending on the path."""

from __future__ import annotations

import hashlib
import logging
import re
import time
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from werkzeug.wrappers import Request, Response

from soapclient.serving.faults import CloseConnection
from soapclient.serving.switchboard import PREFIX

from .auth import Verifier
from .contracts import Contract, load
from .data.store import Store
from .exports.jobs import Jobs, JobSteps
from .faults import Code, InvalidValue
from .rest.protocol import RestProtocol
from .rest.responses import Nesting, rest_error
from .rest.target import form_of, raw_path, target_of
from .rules import LogAndRules
from .soap import SoapProtocol
from .switchboard import Switchboard

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment
# The published sample credentials (`docs/explanation/service.md#signing`). Only sandboxes accept them.
SAMPLE_CONNECT_ID = "802B8BF4AE99EBE00F41"
SAMPLE_SECRET_KEY = "fa4c0c2020Aa4c+ab9Ea0ec8d39E06/df2c5aa44"

log = logging.getLogger("soapclient.sandbox")
_DOCUMENT = re.compile(r"/wsdl/([^/]+)")
_SOAP = re.compile(r"/soap/([^/]+)")


_EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)
_LATEST = datetime(9000, 1, 1, tzinfo=UTC)


def utc_now() -> datetime:
    """Return the current time, aware, in UTC."""
    return datetime.now(UTC)


class Sandbox:
    """A service that implements the contract, for use without an account. A WSGI application, thread-safe.

    Its attribute `switches` holds the log of requests, and the rules that script the responses to later
    requests. `jobs.script(JobScript(...))` makes the next job misbehave. Call `close()` (or use `with`) to
    remove the export files before the sandbox is garbage-collected. Arguments:

    - `seed`: determines the generated data.
    - `clock`: returns the current time, aware, in UTC.
    - `accounts`: dict (connect id → secret key).
    - `clicks_per_day`: number of clicks on each day, which are rows of a click export.
    - `validity`: maximum difference between a signature's timestamp and the sandbox's time.
    - `job_steps`: when export jobs change their state.
    - `contracts`: dict (contract name → WSDL file), to use instead of the shipped files.
    - `public`: names of operations that need no signature. Only for operations whose request does not declare
      authentication fields; for all other operations, these fields show if a signature is needed.
    - `max_body`: maximum bytes of a request body.
    - `wrap_sale`: True gives the REST response to GetSale the form of a GetSales page with one sale.
    - `partner_list`: JSON form of the list of partner codes in REST responses: "object", "array", "nested" or
      "single" (explained in `rest.responses.nested`).
    - `old_roots`: True names the root element of some XML responses over REST `response`, as in older
      examples.
    - `interfere`: a function that is called first with each request. If it returns a response, the sandbox
      sends this response.
    - `switchboard`: True serves `switches` over HTTP, below `/-/`, so that other programs can read the log
      and set rules.

    >>> from soapclient import Client
    >>> from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY, Sandbox, serve
    >>> with Sandbox(seed=2) as sandbox, serve(sandbox) as server:
    ...     with Client(
    ...         publisher_url=server.url, connect_id=SAMPLE_CONNECT_ID, secret_key=SAMPLE_SECRET_KEY
    ...     ) as client:
    ...         print(client.publisher.get_profile().profile_item.country)
    DE
    """

    jobs: Jobs
    _store: Store
    _soap: SoapProtocol
    _rest: RestProtocol

    def __init__(
        self,
        *,
        seed: int = 1,
        clock: Callable[[], datetime] = utc_now,
        accounts: Mapping[str, str] | None = None,
        clicks_per_day: int = 1000,
        validity: timedelta = timedelta(minutes=30),
        job_steps: JobSteps | None = None,
        contracts: Mapping[str, str | Path] | None = None,
        public: Iterable[str] = (),
        max_body: int = 1_000_000,
        wrap_sale: bool = False,
        partner_list: Nesting = "object",
        old_roots: bool = False,
        interfere: Callable[[Request], Response | None] | None = None,
        switchboard: bool = False,
    ) -> None:
        if accounts is None:
            accounts = {SAMPLE_CONNECT_ID: SAMPLE_SECRET_KEY}
        self.interfere = interfere
        self._clock = clock
        self._ahead = timedelta(0)
        self.max_body = max_body
        self.contracts = load(contracts, public)
        self._by_version = {contract.version: contract for contract in self.contracts.values()}
        self.switches = LogAndRules(self.contracts, self.now)
        board = Switchboard(self.switches, self.now, self.advance, self.reset)
        self._switchboard = board if switchboard else None

        def begin() -> None:
            """Create the initial state: everything that depends on the seed or that requests can change."""
            verifier = Verifier(accounts, self.now, validity)
            self._store = Store(seed, clicks_per_day)
            self.jobs = Jobs(seed, self.now, job_steps or JobSteps())
            self._soap = SoapProtocol(verifier, self._store, self.jobs, max_body, self.switches)
            self._rest = RestProtocol(
                verifier,
                self._store,
                self.jobs,
                max_body,
                self.contracts,
                self.switches,
                wrap_sale=wrap_sale,
                partner_list=partner_list,
                old_roots=old_roots,
            )

        self._begin = begin
        begin()

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Remove the export files, the log and the rules, and close connections that a rule keeps open."""
        self.switches.forget()
        self.jobs.close()

    def reset(self) -> None:
        """Return to the initial state: data, jobs, clock, rules and log."""
        self.close()
        self._ahead = timedelta(0)
        self._begin()

    def now(self) -> datetime:
        """Return the sandbox's time, aware."""
        return self._clock() + self._ahead

    def advance(self, seconds: float) -> None:
        """Move the sandbox's clock by `seconds`. Raises ValueError if the new time is out of range."""
        try:
            ahead = self._ahead + timedelta(seconds=seconds)
            in_range = _EARLIEST <= self._clock() + ahead <= _LATEST
        except OverflowError:
            in_range = False
        if not in_range:
            raise ValueError(f"the clock can only be moved to a time from {_EARLIEST.year} to {_LATEST.year}")
        self._ahead = ahead

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        return self.wsgi(environ, start_response)

    def wsgi(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """The WSGI entry point: log the request and respond to it.

        Raises CloseConnection if a rule says that the request gets no response.
        """
        request = Request(environ)
        if self._switchboard is not None and request.path.startswith(PREFIX):
            return self._switchboard.respond(request)(environ, start_response)
        started = time.perf_counter()
        exchange = self.switches.begin(request)
        response = self.answer(request)
        if self.switches.ends_in_silence(exchange):
            raise CloseConnection
        self.switches.end(exchange, response, (time.perf_counter() - started) * 1000)
        # The sandbox's clock: clients measure their clock skew by this header.
        response.date = self.now()
        return response(environ, start_response)

    def answer(self, request: Request) -> Response:
        """Return the response to a request, without logging the request.

        SOAP errors are faults. All other errors have the REST format, in XML or JSON depending on the path.
        """
        if self.interfere is not None:
            response = self.interfere(request)
            if response is not None:
                return response
        try:
            return self._route(request)
        except InvalidValue as refusal:
            return self._refused(request, refusal)
        except Exception:
            log.exception("the sandbox failed on %s", request.method)
            return self._refused(request, InvalidValue(Code.INTERNAL, "the sandbox failed; see its log"))

    def _refused(self, request: Request, refusal: InvalidValue) -> Response:
        return rest_error(refusal, self.contracts["data"].namespace, form_of(raw_path(request)))

    def program_of(self, connect_id: str) -> int:
        """Return the id of the program whose advertiser is the account."""
        return self._store.partners.program_of(connect_id)

    def partner_codes(self, connect_id: str) -> list[str]:
        """Return all partner codes of the account's program, then a few of another program.

        A partner code names a publisher's ad space and an ad medium of a program.
        """
        return self._store.partners.sample_codes(connect_id)

    def profile_of(self, connect_id: str) -> int:
        """Return the id of the account's profile."""
        return self._store.of(connect_id).account.profile.get().id

    def _route(self, request: Request) -> Response:
        path = request.path
        if match := _DOCUMENT.fullmatch(path):
            return self._document(request, self._contract(match[1]))
        if match := _SOAP.fullmatch(path):
            contract = self._contract(match[1])
            if request.method == "POST":
                return self._soap.respond(contract, request)
            if "wsdl" not in (name.lower() for name in request.args):
                raise InvalidValue(
                    Code.METHOD, "SOAP requests must be sent with POST; the contract is at ?wsdl"
                )
            return self._document(request, contract)
        target = target_of(raw_path(request))
        if target is not None:
            return self._rest.respond(request, target)
        raise InvalidValue(Code.NOT_FOUND, f"nothing is served at {path[:200]}")

    def _contract(self, version: str) -> Contract:
        contract = self._by_version.get(version)
        if contract is None:
            versions = ", ".join(self._by_version)
            raise InvalidValue(
                Code.NOT_FOUND, f"there is no version {version[:40]}; the versions are {versions}"
            )
        return contract

    @staticmethod
    def _document(request: Request, contract: Contract) -> Response:
        if request.method not in ("GET", "HEAD"):
            raise InvalidValue(Code.METHOD, "only GET is allowed for the contract")
        body = contract.served_at(f"{request.host_url}soap/{contract.version}")
        response = Response(body, content_type="text/xml; charset=utf-8")
        response.set_etag(hashlib.sha256(body).hexdigest()[:32])
        return response.make_conditional(request)
