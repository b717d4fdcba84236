"""Fixtures that build small contracts: locked as by a fetch, then generated and imported."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import urljoin

import pytest
import zeep
import zeep.helpers
from click.testing import Result
from lxml import etree

from bindgen import emit, passes
from bindgen.fetching import fetch
from bindgen.model import Contract, Field, Struct
from bindgen.reading.documents import Documents
from bindgen.reading.wsdl import read as read_wsdl
from bindgen.settings import ContractSettings
from soapclient.runtime import CountingReader, Reader, Wire
from soapclient.runtime.package import package
from soapclient.runtime.request_values import wire_of
from tests.bindgen.shop import KINDS, invoke, run, shop
from tests.support.cases import case_text

REPOSITORY = Path(__file__).parents[2]
SPACE = "urn:example:shop"

# A contract with one operation. Tests insert their schema, or replace parts of the rest.
WSDL = case_text(__file__, "ask.wsdl")
REQUEST = """<x:element name="AskRequest"><x:complexType><x:sequence>
<x:element name="question" type="x:string"/>
</x:sequence></x:complexType></x:element>
"""
RESPONSE = """<x:element name="AskResponse"><x:complexType><x:sequence>
<x:element name="answer" type="x:string"/>
</x:sequence></x:complexType></x:element>
"""
# A REST resource, which cannot represent everything that SOAP can.
ON_REST = '[.rest.Ask]\nmethod = "POST"\npath = "/ask"\nbody = "*"\n'


def document(schema: str) -> str:
    """Wrap a schema in a complete WSDL."""
    return WSDL.format(schema=schema)


EMPTY = '<x:element name="AskResponse"><x:complexType><x:sequence/></x:complexType></x:element>'


def asks(content: str, further: str = "") -> str:
    """Declare the request with this content, and further components."""
    return f'<x:element name="AskRequest"><x:complexType>{content}</x:complexType></x:element>{further}'


def struct_of(field: Field) -> Struct:
    """Return the type of a field, which must have fields itself."""
    assert isinstance(field.type, Struct)
    return field.type


class Workshop:
    """A folder with the contracts of a test. Runs bindgen on them."""

    def __init__(self, folder: Path, package: str) -> None:
        self.wsdl = folder / "wsdl"
        self.output = folder / "generated"
        self.package = package
        self.wsdl.mkdir(parents=True)
        self._tables = [f'format = 2\npackage = "{package}"\n']
        self._write_tables()

    def _write_tables(self) -> None:
        (self.wsdl / "contracts.toml").write_text("\n".join(self._tables))

    def add(
        self, name: str, document: str, *, tables: str = "", others: Mapping[str, str] | None = None
    ) -> None:
        """Add a contract fetched from files. `[.…]` in the tables is short for `[contracts.NAME.…]`.

        The contract is locked even if its schemas do not compile, as by a bindgen without that check.
        """
        url = f"https://shop.invalid/{name}/contract.wsdl"
        head = f'[contracts.{name}]\nversion = "1"\nurl = "{url}"\n'
        self._tables.append(head + tables.replace("[.", f"[contracts.{name}."))
        self._write_tables()
        sources = self.wsdl.parent / "sources" / name
        sources.mkdir(parents=True)
        file = sources / "contract.wsdl"
        file.write_text(document, encoding="utf-8")
        for other, text in (others or {}).items():
            (sources / other).parent.mkdir(parents=True, exist_ok=True)
            (sources / other).write_text(text, encoding="utf-8")
        request = fetch.FetchRequest(name=name, folder=self.wsdl, version="1", contracts_url=url, file=file)
        fetch.fetch(request)

    def run(self, *arguments: str, code: int | None = None) -> Result:
        return invoke("--wsdl", self.wsdl, *arguments, code=code)

    def generated(self, text: str, *, tables: str = "", others: Mapping[str, str] | None = None) -> str:
        """Add the contract `shop` and generate its package. Return the output."""
        self.add("shop", text, tables=tables, others=others)
        return self.run("generate", code=0).output

    def refused(self, text: str, *, tables: str = "", others: Mapping[str, str] | None = None) -> str:
        """Add the contract `shop`, whose generation must fail. Return the output."""
        self.add("shop", text, tables=tables, others=others)
        done = self.run("generate", code=2)
        assert "Traceback" not in done.output
        assert not self.output.exists()
        return done.output

    def files(self) -> dict[str, bytes]:
        """Return the generated files: path below the output folder → bytes."""
        return {
            path.relative_to(self.output).as_posix(): path.read_bytes()
            for path in sorted(self.output.rglob("*"))
            if path.is_file()
        }

    def module(self, name: str) -> ModuleType:
        """Import a generated module."""
        (self.output / self.package / "__init__.py").touch()
        return import_module(f"{self.package}.{name}")

    def wire(self, value: object, path: str) -> Wire:
        """Write a value of the contract `shop`. Return its wire form of dicts and strings."""
        codec, kind = package(f"{self.package}.shop").codec, type(value).__name__
        node = etree.Element(f"{{{SPACE}}}{path}")
        codec.writer(kind)(value, node, path)
        return wire_of(node, codec, kind)

    def read(self, kind: str, node: etree._Element, reader: Reader) -> Any:
        """Read a value of a type of the contract `shop`, as an instance of a class created at run time."""
        return package(f"{self.package}.shop").codec.reader(kind)(node, reader)


@pytest.fixture
def workshop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Workshop:
    package = f"made_{abs(hash(request.node.nodeid))}"  # unique: tests must not share imported modules
    made = Workshop(tmp_path, package)
    monkeypatch.syspath_prepend(str(made.output))
    return made


@dataclass
class _Folder:
    """Documents by address. An unknown address raises KeyError."""

    documents: Mapping[str, str | bytes]
    root_url: str = "https://shop.invalid/contract.wsdl"

    def read(self, url: str) -> bytes:
        found = self.documents[url.removeprefix("https://shop.invalid/")]
        return found if isinstance(found, bytes) else found.encode()

    def resolve(self, base_url: str, location: str) -> str:
        return urljoin(base_url, location)


def parse(schema: str, /, whole: str = WSDL, **sections: Mapping[str, object]) -> Contract:
    """Read the model of a schema, before any pass. `sections` are the sections of contracts.toml."""
    source = _Folder({"contract.wsdl": whole.format(schema=schema)})
    known = ContractSettings("shop", "1", source.root_url, sections)
    return read_wsdl(known, Documents(source, {source.root_url: "shop.wsdl"}))


def read_any(root: str | bytes, /, *, only: Collection[str] | None = None, **others: str | bytes) -> Contract:
    """Read the model of any WSDL, before any pass. Keywords are other documents: `a_xsd` is file a.xsd."""
    beside = {name.replace("_", "."): text for name, text in others.items()}
    source = _Folder({"contract.wsdl": root} | beside)
    files = {f"https://shop.invalid/{name}": name for name in source.documents}
    known = ContractSettings("shop", "", source.root_url, {}, own=True)
    return read_wsdl(known, Documents(source, files), only=only)


def read_schema(schema: str, /, **others: str) -> Contract:
    """Read the model of a schema that declares AskRequest. A response is added."""
    return read_any(WSDL.format(schema=schema + RESPONSE), **others)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Copy the contracts and the bindings to another folder."""
    copy = tmp_path / "elsewhere"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(REPOSITORY / "wsdl", copy / "wsdl")
    shutil.copytree(REPOSITORY / "generated", copy / "generated", ignore=ignored)
    return copy


# ---- packages of `bindgen init`


def name_at(node: etree._Element, name: str) -> str:
    """Return the qualified name that a text with or without a prefix has in an element."""
    prefix, _, local = name.rpartition(":")
    space = node.nsmap[prefix] if prefix else node.nsmap.get(None)
    return f"{{{space}}}{local}" if space else local


class Made:
    """A contract in XML mode, generated and imported. Compares it with libxml2 and zeep."""

    def __init__(self, folder: Path, package: str, text: str, contract: Contract) -> None:
        self.text = text
        self.contract = contract
        self.package = package
        self.files = emit.package(contract)
        for name, content in self.files.items():
            (folder / package).mkdir(parents=True, exist_ok=True)
            (folder / package / name).write_bytes(content)
        self.folder = folder
        self.service = import_module(f"{package}.service")
        self.types = import_module(f"{package}.types")
        self.operation: Any = next(iter(self.service.PACKAGE.operations.values()))

    @property
    def schema(self) -> etree.XMLSchema:
        """The only inline schema of the contract, compiled by libxml2."""
        (found,) = etree.fromstring(self.text.encode()).iter("{http://www.w3.org/2001/XMLSchema}schema")
        return etree.XMLSchema(etree.fromstring(etree.tostring(found)))

    def write(self, value: object, *, valid: bool = True) -> etree._Element:
        """Return the request as XML, validated against the schema."""
        node = etree.Element(self.operation.request_tag)
        self.operation.write_request(value, node, "AskRequest")
        sent = etree.fromstring(etree.tostring(node, encoding="UTF-8"))
        if valid:
            self.schema.assertValid(sent)
        return sent

    def read(self, node: etree._Element, *, findings: int = 0) -> Any:
        """Read a request into a class created at run time. `findings` is the number of findings expected."""
        reader = CountingReader()
        value = self.operation.read_request(node, reader)
        assert sum(reader.findings.values()) == findings, reader.findings
        return value

    def there_and_back(self, value: object) -> etree._Element:
        """Write a value, validate it, and check that it reads back equal."""
        sent = self.write(value)
        assert self.read(sent) == value
        return sent

    def parse(self, inner: str, *, attributes: str = "", findings: int = 0, valid: bool = True) -> Any:
        """Read a request from its content as XML, after validation.

        The contract's namespace is the default namespace and also has the prefix `t`.
        """
        spaces = f'xmlns="{SPACE}" xmlns:t="{SPACE}" xmlns:i="http://www.w3.org/2001/XMLSchema-instance"'
        node = etree.fromstring(f"<AskRequest {spaces} {attributes}>{inner}</AskRequest>")
        assert self.schema.validate(node) is valid, self.schema.error_log
        return self.read(node, findings=findings)

    @cached_property
    def _plain(self) -> zeep.Client:
        path = self.folder / f"{self.package}.wsdl"
        path.write_text(self.text, encoding="utf-8")
        settings = zeep.Settings(strict=False)
        return zeep.Client(str(path), settings=settings)  # type: ignore[no-untyped-call] # zeep has no types

    def zeep(self, node: etree._Element) -> Any:
        """Return the data that zeep reads from the same XML."""
        client = self._plain
        element = client.get_element(f"{{{SPACE}}}AskRequest")  # type: ignore[no-untyped-call] # nor here
        parsed = element.parse(node, client.wsdl.types)
        return zeep.helpers.serialize_object(parsed, dict)  # type: ignore[no-untyped-call] # nor here


class Make:
    """Generates packages from schemas, in the WSDL above or in another one that contains `{schema}`."""

    def __init__(self, folder: Path, package: str) -> None:
        self._folder = folder
        self._names = (f"{package}_{number}" for number in itertools.count())

    def __call__(self, schema: str, /, whole: str = WSDL) -> Made:
        text = whole.format(schema=schema)
        source = _Folder({"contract.wsdl": text})
        known = ContractSettings("shop", "", source.root_url, {}, own=True)
        contract = read_wsdl(known, Documents(source, {source.root_url: "shop.wsdl"}))
        assert contract.problems == []
        passes.run(contract)
        return Made(self._folder, next(self._names), text, contract)

    def request(self, content: str, further: str = "", attributes: str = "") -> Made:
        """Generate a package whose request has this content, and whose response is empty."""
        return self(asks(f"{content}{attributes}", EMPTY + further))


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Make:
    monkeypatch.syspath_prepend(str(tmp_path))
    return Make(tmp_path, f"xml_{abs(hash(request.node.nodeid))}")


# ---- the WSDL of `tests.bindgen.shop`


@pytest.fixture
def wsdl(tmp_path: Path) -> Path:
    """Write a WSDL and the schema it imports to a folder."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in/kinds.xsd").write_text(KINDS)
    file = tmp_path / "in/shop.wsdl"
    file.write_text(shop())
    return file


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


Init = Callable[..., str]


@pytest.fixture
def init_shelf(tmp_path: Path) -> Init:
    """Run `bindgen init` with a schema, options and a settings file. Checks the code. Returns the output."""

    def init(
        schema: str, *options: str, name: str = "shelf", settings: str | None = None, code: int = 0
    ) -> str:
        if settings is not None:
            (tmp_path / f"{name}.toml").write_text(settings, encoding="utf-8")
        file = tmp_path / "shop.wsdl"
        file.write_text(document(schema), encoding="utf-8")
        return run(name, "--file", file, "--out", tmp_path, "--offline", *options, code=code).output

    return init
