"""The console as a WSGI application. Its pages require the console's token.

The address with the token sets a cookie, which browsers do not send with requests from other sites. Every
change is a POST. `Host` and `Origin` are checked by the server's guard (`soapclient/serving/guard.py`), which
must be in front of this application.
"""

from __future__ import annotations

import re
import secrets
from base64 import b64encode
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, Protocol
from urllib.parse import quote

from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Request, Response

from soapclient.console import desk, pages, presentation
from soapclient.console.access import ConsoleRequest, refusal_of
from soapclient.console.control_client import Call, ControlClient, ControlRefused, bars, slowest
from soapclient.console.forms import Form, Forms, counted, number_of
from soapclient.console.history import HistoryFilter, as_har, as_json
from soapclient.console.places import Place, Places, kind_of
from soapclient.console.raw_message import MessageProblem, problems_in, send_message
from soapclient.console.redaction import (
    body_without_secrets,
    hide_restored,
    public_values,
    restored,
    without_secrets,
)
from soapclient.console.saved import InvalidFile, SavedRequests
from soapclient.console.signatures import parsed_date, reasons
from soapclient.console.targets import Exchange, Target, now
from soapclient.errors import ConfigError, SoapClientError
from soapclient.runtime.operations import AnyOperation
from soapclient.testing.examples import Examples

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

_MAX_EXCHANGES: Final = 200  # in the history
_MAX_CALLS: Final = 100  # shown of a sandbox's log
_HEIGHT: Final = 60  # pixels of the chart
_MAX_BYTES: Final = 50_000_000  # of all exchanges in the history


_PART: Final = "Console-Part"  # a request header: send only the parts that change with a request
_MESSAGE: Final = "message"  # the value of an exchange whose message was edited


def _only_place(targets: Sequence[Target]) -> Places:
    """Return a `Places` object with only one place (environment), which has the services `targets`."""
    addresses = [target.address for target in targets if target.address]
    is_own_service = all(target.of_client for target in targets)
    kind = kind_of("", addresses, is_own_service=is_own_service) if addresses else "mock"
    return Places([Place("address", kind, "", lambda: targets)])


class _Shown(NamedTuple):
    """A form to show.

    If the form repeats an exchange (a call that was sent before), `stored` is the form of the exchange and
    `again` is the number of the exchange. Otherwise, `stored` is None and `again` is "".
    """

    form: Form
    stored: Form | None
    again: str


class Jobs(Protocol):
    """Interface to the export jobs of a service. All methods raise the errors of `soapclient.errors`."""

    def jobs(self) -> Sequence[object]:
        """Return the first jobs in the service's list of jobs, which may be longer.

        Each job has the attributes `id`, `status` and `report_type`.
        """
        ...

    # Any: a job of any service.
    def progress(self, job: Any, /) -> int:
        """Return how far a job is: 1 (created), 2 (running), 3 (done), or 0 for other states (failed)."""
        ...

    def file(self, job_id: str, report_type: str, /) -> AbstractContextManager[Path]:
        """Return a context manager that yields the verified file of a job.

        The file exists only inside the `with` block.
        """
        ...


class Console:
    """The web application of the console. `targets` are the services that the user can call.

    - `explored` maps the name of a target to a function that creates the target's reference pages:
      `function(quoted_name)`, with the target's name quoted for URLs, returns a dict of pages by page name.
      The name of the first page is "".
    - `in_words` is a function that returns a request as code: in Python and as a command.
    """

    max_body = ConsoleRequest.max_content_length

    def __init__(
        self,
        targets: Sequence[Target],
        explored: Mapping[str, Callable[[str], Mapping[str, bytes]]],
        in_words: presentation.InWords,
        watch: ControlClient | None = None,
        jobs: Jobs | None = None,
        places: Places | None = None,
    ) -> None:
        """Create the console.

        `watch`: the sandbox or mock whose log and rules are shown. `jobs`: the export jobs to show.
        `places`: the places in which the services can be called. By default, this is one place that has
        `targets`.
        """
        self._places = places or _only_place(targets)
        self._saved = SavedRequests()
        self._jobs = jobs
        self._watch = watch
        self.token = secrets.token_urlsafe(32)
        self._explored = dict(explored)
        self._forms: dict[Target, Forms] = {}  # the targets of all places
        self._warned: set[str] = set()  # targets whose warning was shown
        self._history: deque[Exchange] = deque(maxlen=_MAX_EXCHANGES)
        self._numbers = count(1)
        self._desk = desk.Desk(self._places, in_words)
        self._templates = pages.environment()

    @property
    def _targets(self) -> Mapping[str, Target]:
        """The services of the selected place (environment), by their names."""
        return self._places.selected.targets

    def wsgi(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Respond to a request: the WSGI entry point."""
        with ConsoleRequest(environ) as request:
            try:
                response = refusal_of(request, self.token, self._problem) or self._respond(request)
            except HTTPException as error:  # werkzeug refused to read the body
                response = self._problem(error.code or 400, error.description or error.name)
        response.headers.setdefault("Cache-Control", "no-store")
        response.headers["X-Frame-Options"] = "DENY"
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers["Referrer-Policy"] = "same-origin"
        response.headers["Cross-Origin-Opener-Policy"] = "same-origin"
        return response(environ, start_response)

    # ---- pages

    def _respond(self, request: Request) -> Response:
        match [part for part in request.path.split("/") if part]:
            case []:
                return self._screen(request)
            case [name] if (asset := pages.asset(name)) is not None:
                return asset
            case ["explore", name, *part] if name in self._explored and len(part) < 2:
                page = self._explored[name](quote(name)).get("".join(part))
                if page is not None:
                    return Response(page, content_type="text/html; charset=utf-8")
            case ["try", name, operation] if operation in getattr(self._targets.get(name), "operations", {}):
                target = self._targets[name]
                return self._try(request, target, target.operations[operation])
            case ["place"] if request.method == "POST":
                return self._select_place(request)
            case ["saved"]:
                return self._saved_page(request)
            case ["saved", "requests.json"]:
                return pages.download(self._saved.as_json(), "requests.json")
            case ["raw", name, operation] if operation in getattr(self._targets.get(name), "operations", {}):
                return self._raw(request, self._targets[name], self._targets[name].operations[operation])
            case ["history"]:
                return self._screen(request, view="history")
            case ["history", "calls.json"]:
                return pages.download(
                    as_json(self._chosen(request), self._values_without_secrets), "calls.json"
                )
            case ["history", "calls.har"]:
                return pages.download(as_har(self._chosen(request)), "calls.har")
            case ["history", number]:
                exchange = self._exchange_of(number)
                if exchange is not None:
                    return self._exchange(request, exchange)
            case ["jobs", *job] if self._jobs is not None and len(job) < 2:
                return self._export(request, self._jobs, *job)
            case ["watch"] if self._watch is not None:
                return self._watch_page(request, self._watch)
        return self._problem(404, "The page does not exist.")

    def _try(self, request: Request, target: Target, operation: AnyOperation) -> Response:
        """Show the form of an operation (GET), or do what the pressed button says (POST).

        A button fills in an example, adds or removes an item, or checks, saves or sends the request. Two
        posted fields contain the number of an exchange (a call in the history):

        - `again`: the form repeats this exchange. Placeholders for secrets in the form are replaced by the
          secrets of the exchange.
        - `replay`: the same. In addition, fields that were not posted get their values from the exchange.
        """
        forms = self._forms_of(target)
        if request.method != "POST":
            saved = self._saved.named(target.name, operation.key, request.args.get("saved", ""))
            page = (
                self._repeated(target, operation, request.args.get("again", ""))
                if saved is None
                else _Shown(forms.form(operation, saved.values, check=False), None, "")
            )
            return self._form(request, target, page)
        values = _values(request)
        again, replay, sure, place = (values.pop(name, "") for name in ("again", "replay", "sure", "place"))
        values.pop("name", None)  # for a saved request
        exchange = self._repeatable(replay or again, target, operation)
        is_lost = bool(replay or again) and exchange is None
        if exchange is not None and replay:
            values = {**exchange.values, **values}
            again = replay
        stored = None if exchange is None else forms.form(operation, exchange.values, check=False)
        action, _, path = values.pop("do", "send").partition(" ")
        if action == "example":
            values, again, stored, is_lost = forms.example(operation), "", None, False
        elif action in ("add", "remove"):
            values = counted(values, path, 1 if action == "add" else -1)
        if stored is not None:
            values = restored(values, stored)
        form = forms.form(operation, values, check=action in ("check", "send"))
        page = _Shown(form, stored, again)
        if action == "save":
            try:
                self._saved.save(request.form.get("name", ""), target.name, form)
            except InvalidFile as error:
                form.problem = str(error)
            return self._form(request, target, page, pressed=action)
        if action != "send" or not form.is_valid:
            return self._form(request, target, page, pressed=action)
        problem = self._places.refusal(target, operation, confirmed=bool(sure), shown=place)
        if is_lost:
            page = _Shown(form, None, "")
            problem = _lost(replay or again)
        if problem:
            form.problem = problem
            return self._form(request, target, page, pressed=action)
        exchange = self._new_exchange(target, operation, values)
        refused = target.send(exchange, form)
        if refused is not None:
            form.refuse(refused)
            return self._form(request, target, page, pressed=action)
        self._add_to_history(exchange)
        return Response(status=303, headers={"Location": f"/history/{exchange.number}"})

    def _repeated(self, target: Target, operation: AnyOperation, number: str) -> _Shown:
        """Return a form with the values of the exchange (call in the history) with this number.

        The page does not show the exchange's secrets. If `_repeatable` finds no exchange, the form is new.
        """
        exchange = self._repeatable(number, target, operation)
        values = {} if exchange is None else exchange.values
        form = self._forms_of(target).form(operation, values, check=False)
        return _Shown(form, None if exchange is None else form, "" if exchange is None else number)

    def _new_exchange(self, target: Target, operation: AnyOperation, values: Mapping[str, str]) -> Exchange:
        place = self._places.selected.name
        number = next(self._numbers)
        return Exchange(number, now(), target.name, operation.key, values, place=place)

    def _raw(self, request: Request, target: Target, operation: AnyOperation) -> Response:
        """Show a message as XML to edit (GET), or check or send it (POST).

        The message is the envelope of the posted form, or the message of an exchange. A message that was sent
        is shown with placeholders for its secrets. If the user sends it unchanged, the secrets are filled in
        again.
        """
        problems: Sequence[MessageProblem] = ()
        pressed = request.form.get("do", "")
        stored = self._repeatable(request.values.get("again", ""), target, operation)
        known = "" if stored is None else stored.values.get(_MESSAGE, "")
        text = request.form.get("message", "").replace("\r\n", "\n") or body_without_secrets(known)
        problem = ""
        if request.method == "POST" and pressed in ("check", "send"):
            sent = known if known and text == body_without_secrets(known) else text
            problems = problems_in(sent, target, operation) if pressed == "check" else ()
            if pressed == "send":
                confirmed = bool(request.form.get("sure"))
                shown = request.form.get("place", "")
                problem = self._places.refusal(target, operation, confirmed=confirmed, shown=shown)
                if stored is None and (number := request.form.get("again")):
                    problem = _lost(number)
                if not problem:
                    exchange = self._new_exchange(target, operation, {_MESSAGE: sent})
                    send_message(target, exchange, operation, sent)
                    self._add_to_history(exchange)
                    return Response(status=303, headers={"Location": f"/history/{exchange.number}"})
        raw = desk.RawMessage(text, problems, problem, is_checked=pressed == "check")
        values = _values(request) if pressed == "edit" else {}
        form = self._forms_of(target).form(operation, values, check=False)
        page = _Shown(form, None, str(stored.number) if stored is not None and known else "")
        return self._screen(request, self._request(target, page, raw=raw), view="operation")

    def _select_place(self, request: Request) -> Response:
        """Select the posted place (environment), and redirect to the page from which the form was posted."""
        try:
            self._places.select(request.form.get("place", ""))
        except ConfigError as error:
            return self._problem(409, str(error))
        back = request.form.get("back", "/")
        is_path = re.match(r"/(?![/\\])", back) is not None
        return Response(status=303, headers={"Location": quote(back, safe="/%") if is_path else "/"})

    def _saved_page(self, request: Request) -> Response:
        """Show the saved requests (GET), or add the requests of a posted file, or remove one (POST)."""
        problem = ""
        if request.method == "POST":
            try:
                if request.form.get("do") == "remove":
                    names = (request.form.get(name, "") for name in ("service", "operation", "name"))
                    self._saved.remove(*names)
                else:
                    file = request.files.get("file")
                    text = "" if file is None else file.read().decode("utf-8", "replace")
                    operations = {name: target.operations for name, target in self._targets.items()}
                    self._saved.read_json(text, operations)
                return Response(status=303, headers={"Location": "/saved"})
            except InvalidFile as error:
                problem = str(error)
        return self._page("saved.html", saved=list(self._saved), problem=problem, theme=pages.theme(request))

    def _chosen(self, request: Request) -> list[Exchange]:
        """Return the exchanges (calls in the history) that the filter in the URL selects, oldest first."""
        names = ("operation", "status", "place")
        chosen = HistoryFilter(**{name: request.args.get(name, "") for name in names})
        return chosen.select(list(self._history))

    def _values_without_secrets(self, exchange: Exchange) -> Mapping[str, str]:
        if _MESSAGE in exchange.values:
            return {_MESSAGE: body_without_secrets(exchange.values[_MESSAGE])}
        return without_secrets(self._form_of(exchange))

    def _form_of(self, exchange: Exchange) -> Form:
        target = self._target_of(exchange)
        operation = target.operations[exchange.operation]
        return self._forms_of(target).form(operation, exchange.values, check=False)

    def _target_of(self, exchange: Exchange) -> Target:
        """Return the service that an exchange called, in the place in which the call was made."""
        place = next((item for item in self._places if item.name == exchange.place), self._places.selected)
        return place.targets[exchange.service]

    def _exchange_of(self, number: str) -> Exchange | None:
        """Return the exchange with this number from the history; None if there is none."""
        return next((item for item in list(self._history) if str(item.number) == number), None)

    def _repeatable(self, number: str, target: Target, operation: AnyOperation) -> Exchange | None:
        """Return the exchange (call in the history) with this number if its secrets may be used again.

        Returns None unless the exchange called this operation in the selected place. Otherwise its secrets
        could be sent to another service.
        """
        exchange = self._exchange_of(number)
        called = target.name, operation.key, self._places.selected.name
        is_same = exchange is not None and called == (exchange.service, exchange.operation, exchange.place)
        return exchange if is_same else None

    def _add_to_history(self, exchange: Exchange) -> None:
        """Add an exchange. If the history is larger than `_MAX_BYTES`, remove its oldest exchanges."""
        self._history.append(exchange)
        remaining = _MAX_BYTES
        for position, item in enumerate(reversed(list(self._history))):
            remaining -= item.size
            if remaining < 0 < position:
                while self._history and self._history[0].number <= item.number:
                    self._history.popleft()
                return

    def _form(self, request: Request, target: Target, page: _Shown, *, pressed: str = "") -> Response:
        return self._screen(request, self._request(target, page, pressed=pressed), view="operation")

    def _request(
        self, target: Target, page: _Shown, *, pressed: str = "", raw: desk.RawMessage | None = None
    ) -> desk.Request:
        """Prepare the part of the screen that shows a request. Secrets from the history are hidden.

        `pressed` is the button that was pressed. `raw` is the message to edit as XML, if any.
        """
        result = self._desk.request(
            target,
            self._forms_of(target),
            page.form,
            pressed=pressed,
            again=page.again,
            warning=self._warning(target),
            raw=raw,
        )
        if page.stored is not None:
            hide_restored(page.form, page.stored)
        return result

    def _screen(
        self,
        request: Request,
        content: desk.Request | None = None,
        outcome: desk.Outcome | None = None,
        *,
        view: str = "operations",
    ) -> Response:
        """Return the page with the console's screen.

        If the page's script sent `request`, returns only the parts that change with a request. `content` is
        the request part of the screen, `outcome` the result part. `view` is the part to show on a small
        display.
        """
        is_part = bool(request.headers.get(_PART))
        return self._page(
            "desk_part.html" if is_part else "desk.html",
            request=content,
            outcome=outcome,
            history=list(reversed(self._history)),
            view=view,
            here=request.path,
            find=request.args.get("find", ""),
            saved=list(self._saved),
            services=self._desk.services(),
            targets=list(self._targets.values()),
            theme=pages.theme(request),
        )

    def _warning(self, target: Target) -> str:
        """Return a warning with the reason why messages of a service cannot be validated.

        Returns "" if the messages can be validated. Also returns "" if this method was called before for
        the same service, so that the user sees the warning only once.
        """
        first = target.name not in self._warned
        self._warned.add(target.name)
        return target.checks().trouble if first else ""

    def _exchange(self, request: Request, exchange: Exchange) -> Response:
        target = self._target_of(exchange)
        operation = target.operations[exchange.operation]
        raw = None
        if (message := exchange.values.get(_MESSAGE)) is not None:
            raw = desk.RawMessage(body_without_secrets(message))
        form = self._forms_of(target).form(operation, {} if raw else exchange.values, check=raw is None)
        outcome = self._desk.outcome(target, form, exchange, self._reasons(exchange))
        page = _Shown(form, form, str(exchange.number))
        current = self._targets.get(exchange.service)
        is_elsewhere = exchange.place != self._places.selected.name
        if is_elsewhere and current is not None and operation.key in current.operations:
            page, target = self._moved(current, exchange), current
        content = self._request(target, page, raw=raw)
        return self._screen(request, content, outcome, view="result")

    def _moved(self, target: Target, exchange: Exchange) -> _Shown:
        """Return a form for `target` with the values of `exchange`, without secrets.

        The exchange is a call that was made in another place (environment).
        """
        values = {} if _MESSAGE in exchange.values else public_values(self._form_of(exchange))
        operation = target.operations[exchange.operation]
        return _Shown(self._forms_of(target).form(operation, values, check=False), None, "")

    def _export(self, request: Request, jobs: Jobs, job_id: str = "") -> Response:
        """Show the export jobs (GET), or send the file of a job to the browser (POST)."""
        problem = ""
        try:
            if request.method == "POST" and job_id:
                kind = request.form.get("report_type", "")
                with jobs.file(job_id, kind) as path:
                    response = Response(path.read_bytes(), content_type="application/gzip")
                    name = quote(f"{kind or 'export'}-{job_id}.csv.gz", safe="")
                    response.headers["Content-Disposition"] = f"attachment; filename={name}"
                    return response
            return self._page("jobs.html", found=jobs.jobs(), problem="", theme=pages.theme(request))
        except SoapClientError as error:
            problem = str(error)
        return self._page("jobs.html", found=[], problem=problem, theme=pages.theme(request))

    def _watch_page(self, request: Request, watch: ControlClient) -> Response:
        """Show the log and the rules of the sandbox (GET), or add a rule or reset the sandbox (POST)."""
        problem = ""
        if request.method == "POST":
            try:
                if request.form.get("do") == "reset":
                    watch.reset()
                else:
                    watch.add(
                        request.form.get("operation", ""),
                        *request.form.get("kind", "").partition(" ")[::2],
                        times=_times(request.form.get("times", "")),
                    )
                return Response(status=303, headers={"Location": "/watch"})
            except ControlRefused as error:
                problem = str(error)
        calls, rules = [], []
        try:
            calls, rules = watch.calls(), watch.rules()
        except ControlRefused as error:
            problem = problem or str(error)
        operations = sorted(
            {item.name for target in self._targets.values() for item in target.operations.values()}
        )
        return self._page(
            "watch.html",
            calls=calls[:_MAX_CALLS],
            bars=bars(calls, _HEIGHT),
            height=_HEIGHT,
            slowest=slowest(calls),
            rules=rules,
            operations=operations,
            problem=problem,
            theme=pages.theme(request),
        )

    def _reasons(self, exchange: Exchange) -> list[str]:
        """Return the likely reasons why the signature of a call was refused.

        The list is empty if the call did not end with an authentication error.
        """
        if exchange.kind != "AuthenticationError":
            return []
        texts: tuple[str, ...] = ()
        calls: list[Call] = []
        if self._watch is not None:
            with suppress(ControlRefused):  # the log only adds details
                calls = self._watch.calls()
            refused = (call for call in calls if call.code in (401, 403))
            texts = next((call.signed for call in refused if call.operation in ("", exchange.operation)), ())
        moment = parsed_date(exchange.response.headers.get("Date", "")) or exchange.moment
        return reasons(exchange.signed, exchange.error, texts, moment)

    def _forms_of(self, target: Target) -> Forms:
        if target not in self._forms:
            protocol: Literal["soap", "rest"] = "rest" if target.by_rest else "soap"
            examples = Examples(target.package.codec)
            self._forms[target] = Forms(examples, target.checks(), protocol)
        return self._forms[target]

    def _page(self, template: str, *, status: int = 200, **values: object) -> Response:
        html = self._templates.get_template(template).render(
            explored=self._explored,
            watches=self._watch is not None,
            jobs=self._jobs,
            places=self._places,
            **{"here": "/", **values},
        )
        return pages.page(html, status)

    def _problem(self, status: int, text: str) -> Response:
        return self._page("problem.html", status=status, text=text, theme="")


def _values(request: Request) -> dict[str, str]:
    """Return the posted values of a form. The value of a posted file is its content, in base64."""
    values = {key: text.replace("\r\n", "\n") for key, text in request.form.items()}
    for key, file in request.files.items():
        prefix, _, path = key.partition(":")
        if prefix == "file" and file.filename:
            values[f"v:{path}"] = b64encode(file.read()).decode()
    return values


def _lost(number: str) -> str:
    """Return the message that the call with this number cannot be repeated with its secrets.

    The call is not in the history any more, or it called another operation or was made in another place.
    """
    return (
        f"Call {number[:20]} is not in the history of this operation in the selected place. "
        "Type its secrets again. Nothing was sent."
    )


def _times(text: str) -> int | None:
    """Parse the number of requests to which a rule applies. Returns None (no limit) if `text` is "".

    Raises ControlRefused if any other text is not a number of 1 or more.
    """
    if text and number_of(text, 0) < 1:
        raise ControlRefused(f"times must be a number such as 3, or empty for no limit, got {text[:40]!r}")
    return number_of(text, 0) or None
