"""Set up the console (web pages to call services).

A console shows all configured services, or the services of one package. `ConsoleMiddleware` adds a console to
an application that is served, such as a mock.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from soapclient._support.redaction import redact
from soapclient.cli.contracts import all_adapters

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

    from soapclient.auth.credentials import Credentials
    from soapclient.console.application import Console, Jobs
    from soapclient.console.forms import Form
    from soapclient.console.presentation import Text
    from soapclient.console.targets import Target
    from soapclient.runtime.operations import AnyOperation
    from soapclient.runtime.schema import PortRow
    from soapclient.runtime.service import Service
    from soapclient.serving.server import Application
    from soapclient.settings import CommonSettings

Pages = Callable[[str], Mapping[str, bytes]]  # creates a reference; the argument is its name in addresses
Explored = Mapping[str, Pages]


class ConsoleSetup(NamedTuple):
    """The contents of a console.

    `targets` are the services, `explored` maps their names to functions that create the reference pages, and
    `jobs` are the export jobs.
    """

    targets: list[Target]
    explored: Explored
    jobs: Jobs | None = None


_ASSETS: Final = ("console.css", "console.js", "icon.svg")
_CONSOLE_PATHS: Final = ("", *_ASSETS, "explore", "history", "jobs", "place", "raw", "saved", "try", "watch")


@contextmanager
def configured(config: CommonSettings) -> Iterator[ConsoleSetup]:
    """Yield the setup of a console that shows all services of a configuration."""
    targets: list[Target] = []
    jobs: Jobs | None = None
    with ExitStack() as ends:
        for adapter in all_adapters():
            client, of_service, exports = adapter.shown(config)
            ends.callback(client.close)
            targets += of_service
            jobs = jobs or exports
        pages = {target.name: _pages_of(target.name, target.package.name) for target in targets}
        explored = {name: page for name, page in pages.items() if page is not None}
        yield ConsoleSetup(targets, explored, jobs)


@contextmanager
def connected(
    name: str,
    wsdl: Path | str | None,
    address: Callable[[PortRow], str | None],
    credentials: Credentials | None = None,
    security: Path | None = None,
) -> Iterator[ConsoleSetup]:
    """Yield the setup of a console that shows the services of a package.

    - `name`: the package. `wsdl`: the WSDL from which the package is generated; None if it is installed.
    - `address`: a function that returns the address to call for a port. If it returns None, the address in
      the WSDL is used.
    - `credentials`: they sign the requests if the service requires signatures. By default, the configured
      credentials are used.
    - `security`: the file of --security. By default, the configured keys are used.

    If several ports have the same generated class, only the first port is shown. If a service has no
    address, its pages can be read, but it cannot be called.
    """
    from soapclient.cli.packages import connected_to, label_of, package_named, service_class, words_of
    from soapclient.console.targets import of_service
    from soapclient.errors import ConfigError

    package = package_named(name)
    shown = re.sub(r"\W", "_", package.settings.name if wsdl is None else label_of(wsdl))
    options = words_of(wsdl, name)
    with ExitStack() as ends:
        targets: list[Target] = []
        for port in package.settings.ports:
            service = service_class(package, port)
            if any(target.service_class == service.__name__ for target in targets):
                continue
            configured_address = address(port)
            connected: Service | ConfigError
            try:
                connected = connected_to(package, port, configured_address, credentials, security)
                ends.callback(connected.close)
            except ConfigError as error:  # a console can show a service without an address
                if error.setting != "address" or configured_address is not None:
                    raise
                connected = error
            label = f"{shown}-{service.__name__}" if targets else shown
            shown_address = configured_address or port.address
            command = (
                [*options, "--address", configured_address] if configured_address is not None else options
            )
            targets.append(
                of_service(
                    label,
                    package,
                    port,
                    shown_address,
                    connected,
                    service.__name__,
                    command,
                    source=_source(wsdl),
                )
            )
        pages = _pages_of(shown, name)
        yield ConsoleSetup(targets, {} if pages is None else {target.name: pages for target in targets})


def _source(wsdl: Path | str | None) -> list[str]:
    """Return the options of `bindgen init` that select a WSDL; an empty list if `wsdl` is None."""
    if wsdl is None:
        return []
    return ["--file", str(wsdl)] if isinstance(wsdl, Path) else ["--url", redact(wsdl)]


def _pages_of(name: str, package: str) -> Pages | None:
    """Return a function that creates the reference pages of a package; None if it has no WSDL."""
    from functools import cache
    from importlib import resources

    wsdl = Path(str(resources.files(package).joinpath("contract.wsdl")))
    if not wsdl.is_file() or not wsdl.stat().st_size:
        return None

    @cache
    def pages(place: str) -> Mapping[str, bytes]:
        """Return the reference pages that `bindgen docs` would write: page name → content.

        `place` is the path of their URL after `/explore/`.
        """
        from bindgen.docs import site, sources

        contract, bound = sources.of_wsdl(name, wsdl)
        return site.pages(contract, bound, folder=place, overview=f"../{place}", try_at=f"/try/{place}")

    return pages


def in_words(target: Target, form: Form) -> list[Text]:
    """Return the call that a filled-in form describes, as Python code and as a command line."""
    from soapclient.cli.form_arguments import command
    from soapclient.console.presentation import Text

    variables = [f"SOAPCLIENT_{name.upper()}={shlex.quote(value)}" for name, value in target.settings.items()]
    in_shell = command(target.command, form)
    return [
        Text("Python", "Python", in_python(target, form)),
        Text("a command", "shell", " ".join([*variables, in_shell])),
    ]


def in_python(target: Target, form: Form, *, installed: bool = False) -> str:
    """Return the Python code of the call that a filled-in form describes, with the target's address.

    If the package was generated for the console, a comment says how to generate it. With `installed`, this
    comment is left out.
    """
    from bindgen.docs import calls

    operation = form.operation
    values = calls.Values(operation.codec, target.report_zone())
    request = values.read(operation.row.request, form.element)
    names = _header_names(target, operation)
    headers = [(names[part.name], values.read(part.kind.__name__, node)) for part, node in form.headers]
    if target.of_client:
        comment = (
            "SOAPCLIENT_SECRET_KEY must be set to the secret key of this account." if operation.signed else ""
        )
        bindings = calls.client_of(
            target.package.name, target.name, settings=target.settings, comment=comment
        )
    else:
        package = target.package.name
        made_from = f"Generate the package with: {shlex.join(['bindgen', 'init', package, *target.source])}"
        bindings = calls.service_of(
            package,
            target.service_class,
            address=target.address,
            comment=made_from if target.source and not installed else "",
        )
    return calls.call(
        operation,
        request,
        values,
        bindings,
        headers=headers,
        protocol="rest" if target.by_rest else None,
        whole=operation.codec.row(operation.row.request).abstract,
    )


def _header_names(target: Target, operation: AnyOperation) -> dict[str, str]:
    """Map the names of an operation's SOAP headers to the parameters of its generated method.

    Required headers come first.
    """
    if not operation.sent_headers:
        return {}
    from importlib import import_module
    from inspect import signature

    module = import_module(f"{operation.request_type.__module__.rpartition('.')[0]}.service")
    method = getattr(getattr(module, target.service_class), operation.method)
    fields = {field.python for field in operation.codec.fields(operation.row.request)}
    names = [name for name in signature(method).parameters if name not in {"self", "request", *fields}]
    parts = sorted(operation.sent_headers.values(), key=lambda part: not part.required)
    return {part.name: name for part, name in zip(parts, names, strict=True)}


class ConsoleMiddleware:
    """A WSGI application that serves the console at its paths, and another application at all other paths.

    Without a console (see `add`), the other application gets all requests.
    """

    def __init__(self, application: Application) -> None:
        self.max_body = application.max_body
        self._application = application
        self._console: Console | None = None

    def add(
        self,
        ends: ExitStack,
        url: str,
        shown: Callable[[], AbstractContextManager[ConsoleSetup]],
        token: str | None = None,
    ) -> list[str]:
        """Add the console. Returns the lines to print: one line with the console's address.

        If the extra `console` is not installed, adds nothing and returns an empty list.

        - `ends`: the exit stack that closes the console's contents.
        - `url`, `token`: address and token of the mock server, whose log the console displays.
        - `shown()` returns a context manager that provides the console's contents.
        """
        try:
            from soapclient.console.application import Console
            from soapclient.console.control_client import ControlClient
        except ImportError:
            return []
        content = ends.enter_context(shown())
        self._console = Console(
            content.targets, content.explored, in_words, ControlClient(url, token), content.jobs
        )
        return [f"# console: {url}/?token={self._console.token}"]

    def wsgi(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """The WSGI entry point."""
        first = str(environ.get("PATH_INFO", "")).lstrip("/").partition("/")[0]
        if self._console is not None and first in _CONSOLE_PATHS:
            return self._console.wsgi(environ, start_response)
        return self._application.wsgi(environ, start_response)
