"""A server in another process: `python -m tests.bench.server FILE`. It answers all requests with one body."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.bench.cases import ROOT
from tests.bench.shapes import Field, Shape, Values, document

_SPACE = "http://api.zanox.com/namespace/2011-03-01/"
PROGRAMS = Shape("SearchProgramsResponse", tuple(Field(name, "int") for name in ("page", "items", "total")))
PROGRAMS_VALUES: Values = {"page": 0, "items": 1, "total": 1}
PROGRAMS_RESPONSE = document(PROGRAMS, PROGRAMS_VALUES, _SPACE)


class Handler(BaseHTTPRequestHandler):
    """Answers every request with the same response."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    body = PROGRAMS_RESPONSE

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response_only(200)
        self.send_header("Content-Type", "text/xml; charset=utf-8")
        self.send_header("Content-Length", str(len(self.body)))
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""


@contextlib.contextmanager
def served(body: bytes) -> Iterator[str]:
    """Serve a body in another process. Yield the address."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "body")
        file.write_bytes(body)
        command = [sys.executable, "-m", "tests.bench.server", str(file)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as server:
            assert server.stdout is not None
            try:
                yield f"http://127.0.0.1:{server.stdout.readline().strip()}"
            finally:
                server.terminate()


def main() -> None:
    """Serve the file named in the arguments, and print the port."""
    Handler.body = Path(sys.argv[1]).read_bytes()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
