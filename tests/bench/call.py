"""Measure a call against the plain HTTP exchange: `python tests/bench/call.py`.

A server in another process gives the same response to every request. The floor is a post of the same request
with requests, over a kept connection, and `lxml.etree.fromstring` of the response. Another row does this with
`requests.post`, which opens a session and a connection each time. The call is typed, signed and validated.
CPU time is of this process only. README.md in this folder explains the table.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import FrameType

_SPACE = "http://api.zanox.com/namespace/2011-03-01/"
_SOAP = "http://schemas.xmlsoap.org/soap/envelope/"
_RESPONSE = (
    f'<s:Envelope xmlns:s="{_SOAP}"><s:Body><SearchProgramsResponse xmlns="{_SPACE}">'
    "<page>0</page><items>1</items><total>1</total></SearchProgramsResponse></s:Body></s:Envelope>"
).encode()
_FLOOR, _BARE, _CALL = "session.post, parsed", "requests.post, parsed", "search_programs(items=1)"


class Handler(BaseHTTPRequestHandler):
    """Answer every request with the same response."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response_only(200)
        self.send_header("Content-Type", "text/xml; charset=utf-8")
        self.send_header("Content-Length", str(len(_RESPONSE)))
        self.end_headers()
        self.wfile.write(_RESPONSE)

    def log_message(self, format: str, *args: object) -> None:
        pass


def _serve() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_address[1], flush=True)
    server.serve_forever()


def _floor(url: str, *, kept: bool) -> Callable[[], object]:
    import requests
    from lxml import etree

    post = requests.Session().post if kept else requests.post
    body = (
        f'<s:Envelope xmlns:s="{_SOAP}"><s:Body><SearchProgramsRequest xmlns="{_SPACE}">'
        "<connectId>x</connectId>"
        "<timestamp>2026-11-20T12:00:00.000Z</timestamp><nonce>0123456789ABCDEF0123456789ABCDEF</nonce>"
        "<signature>c2lnbmF0dXJl</signature><items>1</items></SearchProgramsRequest></s:Body></s:Envelope>"
    ).encode()
    headers = {"Content-Type": "text/xml; charset=utf-8", "SOAPAction": '""'}
    return lambda: etree.fromstring(post(url, data=body, headers=headers, timeout=60).content)


def soap_call(url: str) -> Callable[[], object]:
    """Return the typed call that is measured."""
    from soapclient import Client, Settings

    config = Settings.load(
        environ={}, connect_id="802B8BF4AE99EBE00F41", secret_key="no secret", publisher_url=url
    )
    publisher = Client(config).publisher
    return lambda: publisher.search_programs(items=1)


def python_calls(function: Callable[[], object]) -> int:
    """Return the number of Python functions that one run calls."""
    count = 0

    def heard(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(heard)
    try:
        function()
    finally:
        sys.setprofile(None)
    return count - 1  # without the function itself


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--calls", type=int, default=300, help="calls in a round")
    parser.add_argument("--rounds", type=int, default=7, help="rounds, of which the median counts")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        _serve()
        return
    command = [sys.executable, str(Path(__file__)), "--serve"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            _measure(f"http://127.0.0.1:{server.stdout.readline().strip()}", given.calls, given.rounds)
        finally:
            server.terminate()


def _measure(url: str, calls: int, rounds: int) -> None:
    ways = {_FLOOR: _floor(url, kept=True), _BARE: _floor(url, kept=False), _CALL: soap_call(url)}
    for function in ways.values():
        for _ in range(20):  # exclude the one-time costs of the first calls
            function()
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, function in ways.items():
            gc.collect()
            begun = time.process_time()
            for _ in range(calls):
                function()
            seconds[name].append((time.process_time() - begun) / calls)
    print(f"{calls} calls, {rounds} rounds, CPU time")
    print(f"{'way':<28}{'ms':>8}{'x floor':>9}{'Python calls':>14}")
    floor = statistics.median(seconds[_FLOOR])
    for name, function in ways.items():
        median = statistics.median(seconds[name])
        print(f"{name:<28}{median * 1000:>8.3f}{median / floor:>9.2f}{python_calls(function):>14}")


if __name__ == "__main__":
    main()
