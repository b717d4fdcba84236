"""Measure time and memory for decoding a page of sales: `python tests/bench/decode.py`.

Each way decodes the same response. The floor is the time lxml alone needs to parse it. README.md in this
folder explains the table.
"""

from __future__ import annotations

import argparse
import gc
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from lxml import etree

_REPOSITORY = Path(__file__).parents[2]
_WSDL = _REPOSITORY / "generated/zxws/publisher/contract.wsdl"
_SPACE = "http://api.zanox.com/namespace/2011-03-01/"
_SOAP = "http://schemas.xmlsoap.org/soap/envelope/"
_CHUNK = 1 << 16
_FLOOR, _TREE, _STREAM, _ZEEP = "lxml.etree.fromstring", "decoder, tree", "decoder, stream", "zeep"

_ITEM = (
    '<saleItem id="{id}"><reviewState>{state}</reviewState><trackingDate>{day}T10:11:12+01:00</trackingDate>'
    "<modifiedDate>{day}T12:30:00.250+01:00</modifiedDate><clickDate>{day}T09:05:41+01:00</clickDate>"
    '<adspace id="{place}">Space {place}</adspace><admedium id="{medium}">Banner 468x60</admedium>'
    '<program id="{program}">Program of example.org &amp; friends</program><clickId>{click}</clickId>'
    "<clickInId>0</clickInId><amount>{amount}</amount><commission>{commission}</commission>"
    '<currency>EUR</currency><subPublisher id="{place}"><commission>0.25</commission></subPublisher>'
    '<gpps><gpp id="zpar0">{click}</gpp><gpp id="zpar1">newsletter</gpp></gpps>'
    "<reviewNote>Reviewed by hand</reviewNote>"
    '<trackingCategory id="{medium}">Default</trackingCategory></saleItem>'
)


def chunks(items: int) -> Iterator[bytes]:
    """Yield the pieces of a response with that many sales, always the same."""
    chance = random.Random(items)
    yield (
        f'<soapenv:Envelope xmlns:soapenv="{_SOAP}"><soapenv:Body><GetSalesResponse xmlns="{_SPACE}">'
        f"<page>0</page><items>{items}</items><total>{items}</total><saleItems>"
    ).encode()
    held, size = [], 0
    for at in range(items):
        cents = chance.randrange(100, 99_999)
        held.append(
            _ITEM.format(
                id=f"{chance.getrandbits(128):032x}",
                state=chance.choice(("confirmed", "open", "rejected", "approved")),
                day=f"2026-11-{1 + at % 28:02}",
                place=chance.randrange(1000, 2000),
                medium=chance.randrange(10_000),
                program=chance.randrange(50),
                click=chance.randrange(10**18),
                amount=f"{cents / 100:.2f}",
                commission=f"{cents / 1000:.3f}",
            )
        )
        size += len(held[-1])
        if size > _CHUNK:
            yield "".join(held).encode()
            held, size = [], 0
    yield "".join(held).encode()
    yield b"</saleItems></GetSalesResponse></soapenv:Body></soapenv:Envelope>"


# ---- the ways: each returns a function that decodes a response and returns the number of sales


def _floor() -> Callable[[Iterator[bytes]], int]:
    def run(response: Iterator[bytes]) -> int:
        root = etree.fromstring(b"".join(response))
        return len(root[0][0][-1])

    return run


def _tree() -> Callable[[Iterator[bytes]], int]:
    from soapclient.runtime import CountingReader
    from zxws.publisher.service import GET_SALES

    def run(response: Iterator[bytes]) -> int:
        root = etree.fromstring(b"".join(response))
        return len(GET_SALES.read_response(root[0][0], CountingReader()).sale_items or ())

    return run


def _stream() -> Callable[[Iterator[bytes]], int]:
    import requests

    from soapclient.clock import Deadline, SystemClock
    from soapclient.runtime import CountingReader
    from soapclient.soap.operations import TypedOperation
    from soapclient.soap.streams import ResponseStream
    from soapclient.transport.http import Limits, Response
    from zxws.publisher.service import GET_SALES, PACKAGE

    http_response = requests.Response()  # the response of the pieces, which are passed in separately
    http_response.status_code = 200
    limits = Limits(operation=GET_SALES.name, deadline=Deadline(SystemClock(), 600), connect_timeout=1)
    answer = Response(http_response, limits, decode=True)
    sales = TypedOperation(GET_SALES, fault_shape=PACKAGE.settings.fault)

    def run(response: Iterator[bytes]) -> int:
        return sum(1 for _ in ResponseStream(sales, answer, response, CountingReader()))

    return run


def _zeep() -> Callable[[Iterator[bytes]], int]:
    import requests
    import zeep

    client = zeep.Client(str(_WSDL))  # type: ignore[no-untyped-call]  # zeep has no types
    binding = client.service._binding

    def run(response: Iterator[bytes]) -> int:
        answer = requests.Response()
        answer.status_code = 200
        answer._content = b"".join(response)
        return len(binding.process_reply(client, binding.get("GetSales"), answer).saleItems.saleItem)

    return run


WAYS: dict[str, Callable[[], Callable[[Iterator[bytes]], int]]] = {
    _FLOOR: _floor,
    _TREE: _tree,
    _STREAM: _stream,
    _ZEEP: _zeep,
}


# ---- measurement


def _times(items: int, rounds: int) -> dict[str, float]:
    """Return the minimum process time of each way in seconds. The ways alternate: noise affects all."""
    ways = {name: make() for name, make in WAYS.items()}
    response = list(chunks(items))
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, run in ways.items():
            gc.collect()  # otherwise a run pays for the garbage of another
            begin = time.process_time()
            found = run(iter(response))
            times[name].append(time.process_time() - begin)
            assert found == items, f"{name} found {found} of {items}"
    return {name: min(taken) for name, taken in times.items()}


def _peak(way: str, items: int) -> float:
    """Return the peak memory in MB of a separate process that does only this."""
    command = [sys.executable, __file__, "--memory-of", way, "--items", str(items)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(done.stdout)


def _own_peak() -> float:
    kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return kilobytes / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--memory-of", choices=list(WAYS), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.memory_of:
        WAYS[arguments.memory_of]()(chunks(arguments.items))
        print(_own_peak())
        return
    size = sum(map(len, chunks(arguments.items))) / 1e6
    # Before anything else, because the peak of a child is never below its parent's memory at the start.
    peaks = {name: (_peak(name, arguments.items), _peak(name, 1)) for name in WAYS}
    times = _times(arguments.items, arguments.rounds)
    print(f"{arguments.items} sales, {size:.1f} MB, the least of {arguments.rounds} rounds")
    print(f"{'way':<24}{'ms':>9}{'x floor':>9}{'zeep / it':>11}{'peak MB':>9}{'of it data':>12}")
    for name, taken in times.items():
        peak, idle = peaks[name]
        print(
            f"{name:<24}{taken * 1e3:>9.1f}{taken / times[_FLOOR]:>9.2f}{times[_ZEEP] / taken:>11.1f}"
            f"{peak:>9.0f}{peak - idle:>12.1f}"
        )


if __name__ == "__main__":
    main()
