"""A server for contracts of the corpus.

It validates requests and responses by the WSDL's own schema. It uses no code of bindgen, no generated code
and no run time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from lxml import etree

CORPUS = Path(__file__).parents[1] / "corpus" / "contracts"
XSD = "http://www.w3.org/2001/XMLSchema"
SOAP_11 = "http://schemas.xmlsoap.org/soap/envelope/"
SOAP_12 = "http://www.w3.org/2003/05/soap-envelope"
KINDS = {SOAP_11: "text/xml", SOAP_12: "application/soap+xml"}


@dataclass(frozen=True)
class Answer:
    """A response. `body` and `head` are XML text; `fault` makes the body the detail of a fault."""

    body: str = ""
    head: str = ""
    fault: bool = False
    status: int = 200


# Maps body and header of a request to the response.
Answering = Callable[[etree._Element, "etree._Element | None"], Answer]


def schema_of(stem: str, folder: Path, wrappers: str = "") -> etree.XMLSchema:
    """Return the compiled schema of a contract.

    `wrappers` is an additional schema that imports `contract.xsd`, for messages in RPC style.
    """
    node = etree.parse(CORPUS / f"{stem}.wsdl").find(f".//{{{XSD}}}schema")
    assert node is not None
    (folder / "contract.xsd").write_bytes(etree.tostring(node))
    if wrappers:
        (folder / "wrappers.xsd").write_text(wrappers)
    return etree.XMLSchema(file=str(folder / ("wrappers.xsd" if wrappers else "contract.xsd")))


@dataclass
class Served:
    """A served contract. Every message is validated; `seen` are the envelopes of the requests."""

    schema: etree.XMLSchema
    answering: Answering
    seen: list[etree._Element] = field(default_factory=list)
    actions: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def answer(self, content: bytes, kind: str, action: str) -> tuple[int, str, bytes]:
        """Return status, content type and body."""
        root = etree.fromstring(content)
        soap = etree.QName(root).namespace or ""
        wanted = KINDS.get(soap, "no SOAP")
        if kind.partition(";")[0] != wanted:
            self.problems.append(f"{kind} with {soap}")
        head, body = root.find(f"{{{soap}}}Header"), root.find(f"{{{soap}}}Body")
        assert body is not None
        self.seen.append(root)
        self.actions.append(kind.partition("action=")[2] if soap == SOAP_12 else action)
        for part in (head, body):
            self._judge([] if part is None else list(part))
        told = self.answering(body, head)
        answer = etree.fromstring(_envelope(soap, told))
        judged = (f"{{{soap}}}Header", "detail", f"{{{soap}}}Detail")
        self._judge([each for part in answer.iter(*judged) for each in part])
        if told.fault:
            return 500, wanted, etree.tostring(answer)
        self._judge(list(answer[-1]))
        return told.status, wanted, b"" if told.status == 202 else etree.tostring(answer)

    def _judge(self, messages: list[etree._Element]) -> None:
        for message in messages:
            alone = etree.fromstring(etree.tostring(message))
            for key in map(str, alone.keys()):
                if key.startswith((f"{{{SOAP_11}", f"{{{SOAP_12}")):
                    del alone.attrib[key]
            if not self.schema.validate(alone):
                self.problems.append(f"{alone.tag!s}: {self.schema.error_log.last_error}")


def _envelope(soap: str, told: Answer) -> str:
    head = f"<s:Header>{told.head}</s:Header>" if told.head else ""
    body = told.body
    if told.fault and soap == SOAP_11:
        said = "<faultcode>s:Client</faultcode><faultstring>no</faultstring>"
        body = f"<s:Fault>{said}<detail>{body}</detail></s:Fault>"
    elif told.fault:
        reason = '<s:Reason><s:Text xml:lang="en">no</s:Text></s:Reason>'
        said = f"<s:Code><s:Value>s:Sender</s:Value></s:Code>{reason}"
        body = f"<s:Fault>{said}<s:Detail>{body}</s:Detail></s:Fault>"
    return f'<s:Envelope xmlns:s="{soap}">{head}<s:Body>{body}</s:Body></s:Envelope>'


class CorpusServer:
    """Serves contracts over loopback, each at its own path."""

    def __init__(self) -> None:
        self._served: dict[str, Served] = {}
        self._all: list[Served] = []  # also the replaced ones
        served = self._served

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True
            timeout = 10

            def do_POST(self) -> None:
                content = self.rfile.read(int(self.headers["Content-Length"]))
                action = self.headers.get("SOAPAction", "")
                status, kind, response = served[self.path].answer(
                    content, self.headers["Content-Type"], action
                )
                self.send_response_only(status)
                self.send_header("Content-Type", f"{kind}; charset=utf-8")
                self.send_header("Content-Length", str(len(response)))
                self.end_headers()
                self.wfile.write(response)

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()

    def serve(self, path: str, served: Served) -> str:
        """Serve a contract at a path from now on. Returns its address."""
        self._served[path] = served
        self._all.append(served)
        return f"http://127.0.0.1:{self._server.server_address[1]}{path}"

    def close(self) -> None:
        """Stop the server. Checks that every message was valid by its WSDL."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        assert [problem for served in self._all for problem in served.problems] == []
