"""A service that repeats everything it receives, in each way in which a service can fail."""

from __future__ import annotations

import json
import re
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from typing import Final
from urllib.parse import unquote
from xml.sax.saxutils import escape

from werkzeug.wrappers import Request, Response

from soapclient.serving.faults import CloseConnection
from soapclient.tracking.sandbox import JobSteps, Sandbox, serve

from .canaries import Canaries

AT_ONCE: Final = JobSteps(running=timedelta(0), done=timedelta(0))
_SIGNATURE: Final = re.compile(rb"<(?:[\w.-]+:)?signature[^>]*>([^<]+)<|[?&]signature=([^&\s]+)")
_LAST_TAG: Final = re.compile(r"</[\w:.-]+(?:Response|sales|profile)>|\}\s*$")
_SOAP: Final = "http://schemas.xmlsoap.org/soap/envelope/"
Act = Callable[[Request, "Echo"], Response | None]


class Echo:
    """A sandbox whose next responses come from `acts`, and from the sandbox itself if `acts` is empty.

    `heard` has the text of each request; `canaries` gets the signatures received.
    """

    def __init__(self, canaries: Canaries, connect_id: str, key: str) -> None:
        self.canaries = canaries
        self.connect_id, self.key = connect_id, key
        self.heard: list[str] = []
        self.acts: deque[Act] = deque()
        self.over = threading.Event()
        self.sandbox = Sandbox(
            accounts={connect_id: key}, clicks_per_day=5, job_steps=AT_ONCE, interfere=self._interfere
        )
        self.url = ""

    def _interfere(self, request: Request) -> Response | None:
        head = "\n".join(f"{name}: {value}" for name, value in request.headers.items())
        self.heard.append(f"{request.method} {request.full_path}\n{head}\n\n{request.get_data(as_text=True)}")
        self._learn(request)
        return self.acts.popleft()(request, self) if self.acts else None

    def _learn(self, request: Request) -> None:
        """Treat the signatures of a request as secrets from now on."""
        found = [one or other for one, other in _SIGNATURE.findall(request.get_data())]
        found += [one or other for one, other in _SIGNATURE.findall(request.full_path.encode())]
        made = {unquote(each.decode()) for each in found}
        _, signed, signature = request.headers.get("Authorization", "").rpartition(":")
        for each in made | ({signature} if signed else set()):
            if each:
                self.canaries.add(each)

    @contextmanager
    def served(self) -> Iterator[Echo]:
        with ExitStack() as open_:
            open_.enter_context(self.sandbox)
            self.url = open_.enter_context(
                serve(self.sandbox, timeout=20, allow_hosts=["service.example"])
            ).url
            open_.callback(self.over.set)
            yield self


def told(request: Request) -> str:
    """Return everything a request carried, as a careless service writes it into its errors."""
    lines = [f"you sent {request.full_path}", *(f"{value}" for value in request.headers.values())]
    return " | ".join([*lines, request.get_data(as_text=True)])


def _said(request: Request, code: int, status: int) -> Response:
    """Return a fault of the protocol that repeats the request."""
    said = escape(told(request))
    if request.path.startswith("/soap"):
        body = (
            f'<e:Envelope xmlns:e="{_SOAP}"><e:Body><e:Fault><faultcode>e:Server</faultcode>'
            f"<faultstring>{said}</faultstring><detail><SOAPException><code>{code}</code>"
            f"<message>{said}</message><reason>{said}</reason><errorId>{said[:40]}</errorId></SOAPException>"
            "</detail></e:Fault></e:Body></e:Envelope>"
        )
        return Response(body, 500, content_type="text/xml")
    if "/json" in request.path or "advertiser" in request.path:
        return Response(
            json.dumps({"code": code, "message": told(request), "reason": told(request)}),
            status,
            content_type="application/json",
        )
    body = f"<response><code>{code}</code><message>{said}</message><reason>{said}</reason></response>"
    return Response(body, status, content_type="application/xml")


def fault(request: Request, echo: Echo) -> Response:
    """Refuse the request and repeat it."""
    return _said(request, 230, 400)


def refused(request: Request, echo: Echo) -> Response:
    """Refuse the signature."""
    return _said(request, 401, 401)


def page(request: Request, echo: Echo) -> Response:
    """Return the error page of a gateway."""
    return Response(f"<html><p>{escape(told(request))}</p></html>", 502, content_type="text/html")


def challenge(request: Request, echo: Echo) -> Response:
    """Return the page of a gateway that asks for other credentials."""
    headers = {"WWW-Authenticate": 'Basic realm="x"', "Set-Cookie": f"seen={request.headers.get('Date')}"}
    return Response(told(request), 401, headers, content_type="text/plain")


def proxy_refuses(request: Request, echo: Echo) -> Response:
    return Response(told(request), 407, {"Proxy-Authenticate": "Basic"}, content_type="text/plain")


def elsewhere(request: Request, echo: Echo) -> Response:
    """Redirect to a URL that repeats the request."""
    return Response("", 302, {"Location": f"{request.base_url}x?{request.headers.get('Authorization')}"})


def broken(request: Request, echo: Echo) -> Response:
    """Return neither valid XML nor valid JSON."""
    text = f'{{"page": <a b="{told(request)}'
    return Response(text, 200, content_type="application/json" if "/json" in request.path else "text/xml")


def stranger(request: Request, echo: Echo) -> Response:
    """Return a response with elements, attributes and values from the request."""
    response = echo.sandbox._route(request)
    text, said = response.get_data(as_text=True), escape(told(request), {'"': "&quot;"})
    if response.content_type.startswith("application/json"):
        text = text.rstrip().removesuffix("}") + f', "echoed": {json.dumps(told(request))}}}'
    else:
        closing = list(re.finditer(r"</[\w:.-]+>", text))[-3 if "Envelope" in text else -1]
        more = f'<echoed of="{said}">{said}</echoed>'
        text = text[: closing.start()] + more + text[closing.start() :]
    return Response(text, response.status_code, content_type=response.content_type)


def wrong_value(request: Request, echo: Echo) -> Response:
    """Return a response with text from the request in place of a number."""
    response = echo.sandbox._route(request)
    text = response.get_data(as_text=True)
    if response.content_type.startswith("application/json"):
        text = re.sub(r'("(?:page|@id|adrank)":\s*)[^,}]+', lambda m: m[1] + json.dumps(told(request)), text)
    else:
        said = escape(told(request), {'"': "&quot;"})
        text = re.sub(r"(<(?:\w+:)?(?:page|adrank)>)[^<]*", lambda m: m[1] + said, text)
    return Response(text, response.status_code, content_type=response.content_type)


def drop(request: Request, echo: Echo) -> Response:
    """Carry out the request, then close the connection without a response."""
    echo.sandbox._route(request)
    raise CloseConnection


def hang(request: Request, echo: Echo) -> Response:
    """Send nothing until the test ends or the client gives up."""
    echo.over.wait(5)
    raise CloseConnection


FAULTS: Final[tuple[Act, ...]] = (
    *(fault, refused, page, challenge, proxy_refuses, elsewhere, broken, stranger, wrong_value, drop, hang),
)
