"""Every contract of the corpus is generated completely, can be imported, loads in zeep, and type-checks."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import zeep
from lxml import etree

from bindgen import init
from tests.corpus.conftest import ROOTS, Packages, for_each_contract

pytestmark = pytest.mark.sampled(4)

if TYPE_CHECKING:
    from tests.conftest import TypeCheck

_WSDL = "{http://schemas.xmlsoap.org/wsdl/}"
_SOAPS = ("{http://schemas.xmlsoap.org/wsdl/soap/}", "{http://schemas.xmlsoap.org/wsdl/soap12/}")

# zeep requests the schema of the encoding from the network.
_NOT_FOR_ZEEP = {"rpc-encoded"}


def _operations(path: Path) -> list[tuple[str, str]]:
    """Yield (binding's port type, operation) for every SOAP binding with a port, each once."""
    root = etree.parse(path).getroot()
    served = {
        str(port.get("binding")).rpartition(":")[2]
        for port in root.iterfind(f"{_WSDL}service/{_WSDL}port")
        if any(str(child.tag).startswith(_SOAPS) for child in port)
    }
    found = {
        (str(binding.get("type")).rpartition(":")[2], str(operation.get("name"))): None
        for binding in root.iterfind(f"{_WSDL}binding")
        if binding.get("name") in served
        for operation in binding.iterfind(f"{_WSDL}operation")
    }
    return list(found)


def test_corpus_has_enough_contracts() -> None:
    assert len(ROOTS) >= 40


@for_each_contract
def test_every_contract_is_generated_and_imports(path: Path, packages: Packages) -> None:
    made = packages(path)
    assert [str(problem) for problem in made.problems] == []
    name = made.contract.name
    service = importlib.import_module(f"{name}.service")
    classes = [
        kind for kind in vars(service).values() if isinstance(kind, type) and hasattr(kind, "PORT_TYPE")
    ]
    generated = [
        (kind.PORT_TYPE.rpartition("}")[2], operation.name)
        for kind in classes
        for operation in service.PACKAGE.operations.values()
        if operation.port_type == kind.PORT_TYPE and hasattr(kind, operation.method)
    ]
    assert sorted(generated) == sorted(_operations(path))


@pytest.mark.parametrize(
    "path", [path for path in ROOTS if path.stem not in _NOT_FOR_ZEEP], ids=lambda path: path.stem
)
def test_bundled_contract_loads_in_zeep(path: Path, packages: Packages) -> None:
    made = packages(path)
    client = zeep.Client(str(_folder(made) / "contract.wsdl"))  # type: ignore[no-untyped-call] # zeep has no types
    found = {operation for binding in client.wsdl.bindings.values() for operation in binding._operations}
    assert {operation for _, operation in _operations(path)} <= found


def _folder(made: init.GeneratedPackage) -> Path:
    module = importlib.import_module(made.contract.name)
    assert module.__file__ is not None
    return Path(module.__file__).parent


@pytest.mark.exhaustive
def test_mypy_accepts_the_packages(packages: Packages, tmp_path: Path, type_check: TypeCheck) -> None:
    folders = [_folder(packages(path)) for path in ROOTS]
    (headers,) = (packages(path).contract.name for path in ROOTS if path.stem == "headers")
    program = tmp_path / "program.py"
    program.write_text(
        f"from {headers} import CorpusHeadersService\n\nfrom soapclient import connect\n\n"
        'connect(CorpusHeadersService, address="https://headers.example/")\n'
    )
    generated = Path(__file__).parents[2] / "generated"
    done = type_check(*map(str, [*folders, program]), cwd=tmp_path, path=[generated, folders[0].parent])
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr


@pytest.mark.exhaustive
def test_the_same_input_gives_the_same_bytes(packages: Packages) -> None:
    for path in ROOTS:
        made = packages(path)
        assert init.make(made.contract.name, path, offline=True).files == made.files, path.stem
