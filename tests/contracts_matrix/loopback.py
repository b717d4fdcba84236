"""A service of a test on loopback: one function responds to all requests."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from lxml import etree

# Verb, target, headers by their names in lower case, and body → status, media type and body; None if the
# response is to be lost.
Respond = Callable[[str, str, Mapping[str, str], bytes], tuple[int, str, bytes] | None]


def _handler(respond: Respond, problems: list[str]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._respond("GET")

        def do_POST(self) -> None:
            self._respond("POST")

        def _respond(self, verb: str) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            try:
                response = respond(verb, self.path, headers, body)
            except Exception as problem:  # it would be lost in this thread
                problems.append(repr(problem))
                response = (500, "text/plain", b"")
            if response is None:
                self.close_connection = True
                self.connection.shutdown(socket.SHUT_RDWR)
                return
            status, media, content = response
            self.send_response(status)
            self.send_header("Content-Type", media)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            pass

    return Handler


@contextmanager
def serving(respond: Respond, problems: list[str]) -> Iterator[str]:
    """Serve inside the `with` block and yield the address. Exceptions of `respond` are problems."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(respond, problems))
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def as_json(node: etree._Element) -> dict[str, object]:
    """Return the documented JSON form: attributes as @name, text next to them as $, repetitions as arrays."""
    found: dict[str, object] = {f"@{key}": value for key, value in node.items()}
    for child in node:
        value: object = as_json(child) if len(child) or child.attrib else child.text or ""
        name = etree.QName(child).localname
        known = found.get(name)
        if known is None:
            found[name] = value
        elif isinstance(known, list):
            known.append(value)
        else:
            found[name] = [known, value]
    if node.text and not len(node):
        found["$"] = node.text
    return found
