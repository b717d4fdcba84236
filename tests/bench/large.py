"""Measure a package of a very large contract: 3,000 types of six fields each, and a type with all of them.

`python tests/bench/large.py [TYPES]` makes the package with `bindgen init` and prints its lines, and CPU time
and peak memory of its import and of a first message, each in a separate process without .pyc. For comparison
it prints what `zeep.Client` needs to load the same WSDL.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

_KINDS = ("string", "int", "boolean", "dateTime", "decimal", "double")
_WSDL = """<definitions name="Big" targetNamespace="urn:big" xmlns:t="urn:big" xmlns="http://schemas.xmlsoap.org/wsdl/"
    xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:x="http://www.w3.org/2001/XMLSchema">
<types><x:schema targetNamespace="urn:big" elementFormDefault="qualified">
{types}
<x:complexType name="Everything"><x:sequence>
{holds}
</x:sequence></x:complexType>
<x:element name="Put"><x:complexType><x:sequence><x:element name="id" type="x:int"/>
<x:element name="all" type="t:Everything" minOccurs="0"/></x:sequence></x:complexType></x:element>
<x:element name="PutResponse"><x:complexType><x:sequence><x:element name="all" type="t:Everything" minOccurs="0"/>
</x:sequence></x:complexType></x:element>
</x:schema></types>
<message name="PutIn"><part name="p" element="t:Put"/></message>
<message name="PutOut"><part name="p" element="t:PutResponse"/></message>
<portType name="Big"><operation name="Put"><input message="t:PutIn"/><output message="t:PutOut"/></operation></portType>
<binding name="BigBinding" type="t:Big"><s:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>
<operation name="Put"><s:operation soapAction="urn:put"/><input><s:body use="literal"/></input>
<output><s:body use="literal"/></output></operation></binding>
<service name="Big"><port name="Big" binding="t:BigBinding"><s:address location="http://localhost/big"/></port></service>
</definitions>
"""
_MEASURED = """
import resource, sys, time
began = time.process_time()
{code}
used = time.process_time() - began
print(round(used * 1000), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""
_ZEEP = "import zeep\nbegan = time.process_time()\nzeep.Client({wsdl!r})"
_IMPORT = "from big import BigService"
_MESSAGE = """from big import BigService
from lxml import etree
from big.service import PUT
node = etree.Element(PUT.request_tag)
PUT.write_request(PUT.request_type(id=1, all=None), node, "Put")
"""


def wsdl(types: int) -> str:
    """The contract."""
    fields = "".join(
        f'<x:element name="field{at}" type="x:{kind}" minOccurs="{at % 2}"/>\n'
        for at, kind in enumerate(_KINDS, 1)
    )
    made = (
        f'<x:complexType name="Type{at}"><x:sequence>\n{fields}</x:sequence></x:complexType>'
        for at in range(types)
    )
    holds = (f'<x:element name="type{at}" type="t:Type{at}" minOccurs="0"/>' for at in range(types))
    return _WSDL.format(types="\n".join(made), holds="\n".join(holds))


def measured(code: str, folder: Path) -> tuple[int, int]:
    """Return the best CPU time of three runs in milliseconds, and the peak memory in megabytes."""
    runs = []
    for _ in range(3):
        done = subprocess.run(
            [sys.executable, "-B", "-c", _MEASURED.format(code=code)],
            cwd=folder,
            capture_output=True,
            text=True,
            check=True,
        )
        cpu, peak = map(int, done.stdout.split())
        runs.append((cpu, peak))
    return min(runs)


def main() -> None:
    types = int(sys.argv[1]) if len(sys.argv) > 1 else 3000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        contract = folder / "big.wsdl"
        contract.write_text(wsdl(types), encoding="utf-8")
        command = [
            sys.executable,
            "-m",
            "bindgen",
            "init",
            "big",
            "--file",
            str(contract),
            "--out",
            name,
            "--offline",
        ]
        subprocess.run(command, check=True, capture_output=True)
        lines = {path.name: path.read_bytes().count(b"\n") for path in sorted((folder / "big").iterdir())}
        print(f"lines: {sum(count for file, count in lines.items() if file != 'contract.wsdl')} {lines}")
        zeep, zeep_peak = measured(_ZEEP.format(wsdl=str(contract)), folder)
        print(f"zeep.Client: {zeep} ms, {zeep_peak} MB")
        for what, code in (("import", _IMPORT), ("import and a first message", _MESSAGE)):
            cpu, peak = measured(code, folder)
            print(f"{what}: {cpu} ms ({cpu / zeep:.2f} of zeep's load), {peak} MB")


if __name__ == "__main__":
    main()
