"""Measure the generation of bindings against zeep loading the same WSDL: `python tests/bench/generate.py`.

Each way runs in a separate process, after its imports. README.md in this folder explains the table.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

_REPOSITORY = Path(__file__).parents[2]
_PUBLISHER = _REPOSITORY / "wsdl/publisher/2011-03-01/publisher.wsdl"
_SIMPLE = ("string", "int", "decimal", "dateTime", "boolean", "date", "long", "anyURI")
_ZEEP, _BINDGEN = "zeep.Client", "bindgen"

_TOP = """<?xml version="1.0" encoding="UTF-8"?>
<w:definitions name="Synthetic" targetNamespace="urn:example:synthetic" xmlns:t="urn:example:synthetic"
    xmlns:w="http://schemas.xmlsoap.org/wsdl/" xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/"
    xmlns:x="http://www.w3.org/2001/XMLSchema">
<w:types><x:schema targetNamespace="urn:example:synthetic" elementFormDefault="qualified">
"""
_END = """<w:service name="Synthetic"><w:port name="Port" binding="t:Binding">
<s:address location="https://synthetic.invalid/"/></w:port></w:service>
</w:definitions>
"""


def synthetic(types: int) -> str:
    """Return a WSDL with that many complex types and a twentieth as many operations, always the same."""
    chance = random.Random(types)
    operations = [f"Operation{at}" for at in range(max(1, types // 20))]
    whole = "".join((_TOP, *_types(types, operations, chance), *_description(operations), _END))
    return whole.replace("><", ">\n<")  # one tag per line, like most documents


def _types(types: int, operations: list[str], chance: random.Random) -> Iterator[str]:
    for at in range(types):
        yield f'<x:complexType name="Type{at}">'
        extends = at > 10 and at % 7 == 0
        if extends:
            yield f'<x:complexContent><x:extension base="t:Type{chance.randrange(at // 2) | 1}">'
        yield "<x:sequence>"
        for field in range(chance.randrange(4, 12)):
            least, most = chance.choice(("0", "1")), chance.choice(("1", "1", "1", "unbounded"))
            kind = f"x:{chance.choice(_SIMPLE)}"
            if at and field % 4 == 3:
                kind = f"t:Type{chance.randrange(at)}"
            elif field == 5:
                kind = f"t:Enum{at % 50}"
            yield (
                f'<x:element name="field{at}x{field}" type="{kind}" minOccurs="{least}" maxOccurs="{most}"/>'
            )
        yield "</x:sequence>"
        if extends:
            yield "</x:extension></x:complexContent>"
        yield "</x:complexType>\n"
    for at in range(50):
        values = "".join(f'<x:enumeration value="value{at}x{value}"/>' for value in range(8))
        yield f'<x:simpleType name="Enum{at}"><x:restriction base="x:string">{values}'
        yield "</x:restriction></x:simpleType>\n"
    for at, name in enumerate(operations):
        for end, first in (("", at * 20), ("Response", at * 20 + 10)):
            yield f'<x:element name="{name}{end}"><x:complexType><x:sequence>'
            for part in range(first, min(first + 10, types)):  # so that every type is reachable
                yield f'<x:element name="part{part}" type="t:Type{part}" minOccurs="0"/>'
            yield "</x:sequence></x:complexType></x:element>\n"


def _description(operations: list[str]) -> Iterator[str]:
    yield "</x:schema></w:types>\n"
    for name in operations:
        for end in ("", "Response"):
            part = f'<w:part name="p" element="t:{name}{end}"/>'
            yield f'<w:message name="{name}{end}">{part}</w:message>\n'
    yield '<w:portType name="PortType">\n'
    for name in operations:
        ends = f'<w:input message="t:{name}"/><w:output message="t:{name}Response"/>'
        yield f'<w:operation name="{name}">{ends}</w:operation>\n'
    yield '</w:portType><w:binding name="Binding" type="t:PortType">\n'
    yield '<s:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>\n'
    body = '<s:body use="literal"/>'
    for name in operations:
        ends = f"<w:input>{body}</w:input><w:output>{body}</w:output>"
        yield f'<w:operation name="{name}"><s:operation soapAction=""/>{ends}</w:operation>\n'
    yield "</w:binding>\n"


# ---- the ways: each returns a function to measure


def _zeep(wsdl: Path) -> Callable[[], object]:
    import zeep

    make: Callable[[str], object] = zeep.Client  # untyped
    return lambda: make(str(wsdl))


def _bindgen(wsdl: Path) -> Callable[[], object]:
    from bindgen import init

    return lambda: init.make("synthetic", wsdl, offline=True)


def _measured(way: str, wsdl: Path) -> dict[str, float]:
    run = {_ZEEP: _zeep, _BINDGEN: _bindgen}[way](wsdl)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    run()
    took = time.process_time() - start
    return {"seconds": took, "mb": (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024}


def _alone(way: str, wsdl: Path) -> dict[str, float]:
    command = [sys.executable, __file__, "--measure", way, "--wsdl", str(wsdl)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))


def _table(title: str, wsdl: Path, rounds: int) -> None:
    print(f"{title}, {wsdl.stat().st_size / 1e6:.1f} MB, CPU of the best of {rounds}")
    print(f"{'way':<16}{'ms':>8}{'x zeep':>8}{'MB':>8}")
    rows: dict[str, dict[str, float]] = {}
    for _ in range(rounds):
        for way in (_ZEEP, _BINDGEN):  # alternating, so that noise affects both
            got = _alone(way, wsdl)
            if way not in rows or got["seconds"] < rows[way]["seconds"]:
                rows[way] = got
    for way, got in rows.items():
        times = got["seconds"] / rows[_ZEEP]["seconds"]
        print(f"{way:<16}{got['seconds'] * 1000:>8.0f}{times:>8.2f}{got['mb']:>8.0f}")


def main() -> None:
    """Measure, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--types", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    parser.add_argument("--wsdl", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        print(json.dumps(_measured(given.measure, given.wsdl)))
        return
    _table("the publisher contract", _PUBLISHER, given.rounds)
    with tempfile.TemporaryDirectory() as folder:
        wsdl = Path(folder) / "synthetic.wsdl"
        wsdl.write_text(synthetic(given.types))
        _table(f"{given.types} synthetic types", wsdl, given.rounds)


if __name__ == "__main__":
    main()
