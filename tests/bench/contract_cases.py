"""Cases of contracts: generating bindings, and loading the generated package."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator, Sized
from operator import attrgetter
from pathlib import Path
from typing import Final

from lxml import etree

from tests.bench import ours, peers
from tests.bench.cases import OURS, ROOT, Case, Opened, Prepared, Way, python
from tests.bench.contracts import synthetic
from tests.bench.start_cases import BARE, programs

_ZEEP: Final = "zeep.Client"
_LOAD, _FIRST = "zeep.Client and its first message", "soapclient"
_PUBLISHER: Final = ROOT / "wsdl/publisher/2011-03-01/publisher.wsdl"


def _operations(wsdl: Path) -> list[str]:
    port_types = etree.parse(wsdl).iterfind("{*}portType/{*}operation")
    return sorted({node.get("name", "") for node in port_types})


def _load(wsdl: Path) -> Prepared:
    operations = attrgetter("service._operations")
    return Prepared(lambda: peers.zeep_client(wsdl), lambda client: sorted(operations(client)))


def _generate(wsdl: Path) -> Prepared:
    from bindgen import init

    def values(result: object) -> object:
        assert isinstance(result, init.GeneratedPackage)
        files: Sized = result.files
        assert len(files) > 3
        return sorted({operation.name for operation in result.contract.operations})

    return Prepared(lambda: init.make("synthetic", wsdl, offline=True), values)


def _opened(wsdl: Path) -> Opened:
    return Opened(_operations(wsdl), {_ZEEP: lambda: _load(wsdl), OURS: lambda: _generate(wsdl)})


@contextlib.contextmanager
def _open_publisher(size: int) -> Iterator[Opened]:
    yield _opened(_PUBLISHER)


@contextlib.contextmanager
def _open_synthetic(size: int) -> Iterator[Opened]:
    with tempfile.TemporaryDirectory() as folder:
        wsdl = Path(folder, "synthetic.wsdl")
        wsdl.write_text(synthetic(size), encoding="utf-8")
        yield _opened(wsdl)


@contextlib.contextmanager
def _open_package(size: int) -> Iterator[Opened]:
    with ours.made_package("synthetic", synthetic(size)) as wsdl:
        shown = "print(etree.QName(root[-1][0]).localname)"
        load = (
            f"import zeep; from lxml import etree; client = zeep.Client({str(wsdl)!r})\n"
            f"root = client.create_message(client.service, 'Operation0')\n{shown}"
        )
        first = (
            f"import sys; sys.path.insert(0, {str(wsdl.parent)!r})\n"
            "from synthetic import SyntheticService\nfrom synthetic.service import OPERATION0\n"
            "from lxml import etree\nroot = etree.Element('top')\n"
            "node = etree.SubElement(etree.SubElement(root, 'body'), OPERATION0.request_tag)\n"
            f"OPERATION0.write_request(OPERATION0.request_type(), node, 'Operation0')\n{shown}"
        )
        commands = {BARE: python("print('Operation0')"), _LOAD: python(load), _FIRST: python(first)}
        yield programs(commands, "Operation0")


_WAYS: Final = (Way(_ZEEP), Way(OURS))
CASES: Final = (
    Case(
        name="bindgen", title="`bindgen init` for the publisher contract",
        base_is="peer", unit="contract", size=1, few=1, ways=_WAYS, open=_open_publisher,
    ),
    Case(
        name="bindgen-types", title="`bindgen init` for a contract with many types",
        base_is="peer", unit="type", size=1000, few=100, ways=_WAYS, open=_open_synthetic,
    ),
    Case(
        name="package", title="The first message of a process, with a generated package of many types",
        base_is="peer", unit="type", size=1000, few=1000, idle=BARE,
        ways=(Way(BARE), Way(_LOAD), Way(_FIRST)), open=_open_package,
    ),
)  # fmt: skip
