"""Small contracts made for a test, locked as a fetch would, generated and imported."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Protocol

import pytest
from click.testing import CliRunner

from bindgen.cli import main
from bindgen.model import Contract
from bindgen.reading import wsdl
from bindgen.reading.documents import Documents
from bindgen.settings import ContractSettings

REPOSITORY = Path(__file__).parents[2]
SPACE = "urn:example:shop"

# A contract of one operation. Tests put their schema in, or replace pieces of the rest.
WSDL = """<?xml version="1.0" encoding="UTF-8"?>
<definitions name="Shop" targetNamespace="urn:example:shop" xmlns:t="urn:example:shop"
    xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/"
    xmlns:x="http://www.w3.org/2001/XMLSchema">
  <types>
    <x:schema targetNamespace="urn:example:shop" elementFormDefault="qualified">
{schema}
    </x:schema>
  </types>
  <message name="AskIn"><part name="p" element="t:AskRequest"/></message>
  <message name="AskOut"><part name="p" element="t:AskResponse"/></message>
  <portType name="ShopPort">
    <operation name="Ask"><input message="t:AskIn"/><output message="t:AskOut"/></operation>
  </portType>
  <binding name="ShopBinding" type="t:ShopPort">
    <s:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>
    <operation name="Ask">
      <s:operation soapAction="urn:ask"/>
      <input><s:body use="literal"/></input><output><s:body use="literal"/></output>
    </operation>
  </binding>
  <service name="ShopService">
    <port name="ShopPort" binding="t:ShopBinding"><s:address location="https://shop.invalid/soap"/></port>
  </service>
</definitions>
"""
REQUEST = """<x:element name="AskRequest"><x:complexType><x:sequence>
<x:element name="question" type="x:string"/>
</x:sequence></x:complexType></x:element>
"""
RESPONSE = """<x:element name="AskResponse"><x:complexType><x:sequence>
<x:element name="answer" type="x:string"/>
</x:sequence></x:complexType></x:element>
"""


@dataclass(frozen=True)
class Result:
    """How a command of bindgen ended, and all it said."""

    exit_code: int
    output: str


class Workshop:
    """A folder with contracts of a test, and bindgen run upon it."""

    def __init__(self, folder: Path, package: str) -> None:
        self.wsdl = folder / "wsdl"
        self.output = folder / "generated"
        self.package = package
        self.wsdl.mkdir(parents=True)
        self._tables = [f'format = 1\npackage = "{package}"\n']
        self._write_tables()

    def _write_tables(self) -> None:
        (self.wsdl / "contracts.toml").write_text("\n".join(self._tables))

    def add(
        self, name: str, document: str, *, tables: str = "", others: Mapping[str, str] | None = None
    ) -> Result:
        """A contract with its settings (`[contracts.NAME.…]` written as `[.…]`), fetched from files."""
        head = f'[contracts.{name}]\nversion = "1"\nurl = "https://shop.invalid/{name}/contract.wsdl"\n'
        self._tables.append(head + tables.replace("[.", f"[contracts.{name}."))
        self._write_tables()
        sources = self.wsdl.parent / "sources" / name
        sources.mkdir(parents=True)
        (sources / "contract.wsdl").write_text(document, encoding="utf-8")
        for file, text in (others or {}).items():
            (sources / file).parent.mkdir(parents=True, exist_ok=True)
            (sources / file).write_text(text, encoding="utf-8")
        return self.run("fetch", name, "--file", str(sources / "contract.wsdl"))

    def run(self, *arguments: str) -> Result:
        done = CliRunner().invoke(main, ["--wsdl", str(self.wsdl), *arguments])
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return Result(done.exit_code, done.output)

    def files(self) -> dict[str, bytes]:
        """What was generated: path below the output → bytes."""
        return {
            path.relative_to(self.output).as_posix(): path.read_bytes()
            for path in sorted(self.output.rglob("*"))
            if path.is_file() and "_runtime" not in path.parts
        }

    def module(self, name: str) -> ModuleType:
        """A generated module, imported; the run time it stands on is put beside it first."""
        home = self.output / self.package
        if not (home / "_runtime").exists():
            (home / "_runtime").mkdir()
            (home / "__init__.py").write_text("")
            for path in (REPOSITORY / "generated/zxws/_runtime").glob("*.py"):
                own = path.read_text().replace("zxws._runtime", f"{self.package}._runtime")
                (home / "_runtime" / path.name).write_text(own)
        return import_module(f"{self.package}.{name}")


@pytest.fixture
def workshop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Workshop:
    package = f"made_{abs(hash(request.node.nodeid))}"  # modules of one test are not those of another
    made = Workshop(tmp_path, package)
    monkeypatch.syspath_prepend(str(made.output))
    return made


@pytest.fixture
def document() -> Callable[[str], str]:
    """A whole WSDL around a schema."""
    return lambda schema: WSDL.format(schema=schema)


@dataclass
class _Memory:
    """A contract of one document that lies in no file."""

    text: str
    root_url: str = "https://shop.invalid/contract.wsdl"

    def read(self, url: str) -> bytes:
        assert url == self.root_url
        return self.text.encode()

    def resolve(self, base_url: str, location: str) -> str:
        raise AssertionError("a contract of one document resolves nothing")


class Parse(Protocol):
    def __call__(self, schema: str, /, whole: str = ..., **sections: Mapping[str, object]) -> Contract: ...


@pytest.fixture
def parse() -> Parse:
    """The model of a schema before any pass; `sections` are those of contracts.toml."""

    def parsed(schema: str, /, whole: str = WSDL, **sections: Mapping[str, object]) -> Contract:
        source = _Memory(whole.format(schema=schema))
        known = ContractSettings("shop", "1", source.root_url, sections)
        return wsdl.read(known, Documents(source, {source.root_url: "shop.wsdl"}))

    return parsed


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A copy of the contracts and the bindings in another place."""
    copy = tmp_path / "elsewhere"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(REPOSITORY / "wsdl", copy / "wsdl")
    shutil.copytree(REPOSITORY / "generated", copy / "generated", ignore=ignored)
    return copy


@pytest.fixture(scope="session")
def mypy_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache for all runs of the type checker, outside of the repository."""
    return tmp_path_factory.mktemp("mypy")
