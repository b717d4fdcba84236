"""The documentation of a contract: bindgen writes it, and the command line and the console show it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner

from soapclient import connect
from soapclient.cli.application import cli
from soapclient.cli.consoles import in_words
from soapclient.console.application import Console
from soapclient.console.inputs import summary
from soapclient.console.presentation import marks
from soapclient.console.targets import Target, of_service
from soapclient.errors import ConfigError
from soapclient.runtime.package import OutdatedPackage, Package
from soapclient.serving.server import Server
from soapclient.testing import mock
from tests.console.browser import Browser
from tests.support.cases import case_text
from tests.support.packages import generated
from zxws.publisher.service import PACKAGE as PUBLISHER

LONG = "The first sentence. " + "Then come words that fill the line of a terminal and more. " * 3 + "The end."


WSDL = case_text(__file__, "documented.wsdl").replace("LONG", LONG)
# The path of each field in `soapclient call`, and its documentation according to the WSDL above.
EXPECTED = {
    "paint": "",
    "paint.name": LONG,  # declared by the base type
    "paint.colour": "A colour of paint.",  # of its type
    "paint.litres": '<script>alert(1)</script> "{{ 7 * 7 }}"',
    "paint.tag": "A word to search for.",
    "paint.bare": "",
    "thing": "Anything with a name.",
    "thing.name": LONG,
}


@pytest.fixture(scope="module")
def documented() -> Iterator[ModuleType]:
    with generated("documented_paint", WSDL) as module:
        yield module


def _described(*options: str) -> str:
    done = CliRunner().invoke(cli, ["describe", "--package", "documented_paint", "Mix", *options])
    assert done.exit_code == 0, done.output
    return done.output


@pytest.mark.usefixtures("documented")
def test_description_has_the_documentation_of_each_field() -> None:
    fields = json.loads(_described("--json"))["request"]
    assert {field["name"]: field["documentation"] for field in fields} == EXPECTED


@pytest.mark.usefixtures("documented")
def test_documentation_is_wrapped_below_its_field() -> None:
    lines = _described().splitlines()
    start = next(number for number, line in enumerate(lines) if line.split()[:1] == ["paint.name"]) + 1
    below: list[str] = []
    while lines[start + len(below)].startswith("      "):
        below.append(lines[start + len(below)])
    assert len(below) > 1
    assert " ".join(line.strip() for line in below) == LONG
    assert max(map(len, below)) <= 106


def test_calls_do_not_read_the_documentation(documented: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    files: list[str] = []
    read = Package.document

    def recorded(package: Package, file: str) -> bytes:
        files.append(file)
        return read(package, file)

    with mock(documented) as service:
        package = Package("documented_paint")
        monkeypatch.setattr(Package, "document", recorded)
        with connect(documented.DocumentedPaintService, address=service.address()) as paint:
            types = documented.types
            paint.mix(
                paint=types.Paint(name="a", colour="red", litres=1, bare=""), thing=types.Thing(name="b")
            )
    assert "contract.wsdl" in files
    assert "docs.json" not in files
    assert package.documentation.of_type("Colour") == "A colour of paint."
    assert files[-1] == "docs.json"


def test_package_without_documentation_has_no_file_and_no_texts() -> None:
    plain = re.sub("<(xs:annotation|documentation)>.*?</\\1>", "", WSDL)
    assert "documentation" not in plain
    with generated("undocumented_paint", plain) as module:
        assert not Path(module.__file__ or "").with_name("docs.json").exists()
        assert module.service.PACKAGE.documentation.types == {}


def test_damaged_documentation_is_a_typed_error() -> None:
    with pytest.raises(OutdatedPackage, match=r"its docs\.json cannot be read"):
        _ = Package("damaged", {"docs.json": b'{"types":3}'}).documentation


def _target(module: ModuleType, *safe: str) -> Target:
    package = module.service.PACKAGE
    port = package.settings.ports[0]
    service = connect(module.DocumentedPaintService, address="http://127.0.0.1:9/", safe=safe)
    return of_service("paint", package, port, port.address, service, "DocumentedPaintService")


def test_console_shows_documentation_as_text(documented: ModuleType) -> None:
    console = Console([_target(documented)], {}, in_words)
    with Server(console) as server:
        browser = Browser(server.url, console.token)
        page = browser.get("/try/paint/Mix")
        with_item = browser.press("add paint.tag")
    assert page.find(".//main//script") is None
    assert page.xpath(".//main//b[not(@class)]") == []
    texts = {node.get("id"): node.text_content() for node in page.iter("p") if node.get("class") == "doc"}
    assert texts["doc-operation"] == "Mixes <b>paint</b>."
    assert texts["doc-paint.litres"] == EXPECTED["paint.litres"]
    assert texts["doc-paint.name"].endswith(" …")
    (field,) = page.xpath("//input[@name='v:paint.name']")
    assert "doc-paint.name" in field.get("aria-describedby").split()
    more = [node.text_content() for node in page.xpath("//details[@class='doc more']/p")]
    assert more == [LONG[len(summary(LONG).beginning) :].strip()] * 2
    assert with_item.xpath("//input[@name='v:paint.tag.0']")
    assert with_item.find(".//main").text_content().count("A word to search for.") == 1


@pytest.mark.parametrize(
    ("text", "beginning", "rest"),
    [
        ("", "", ""),
        ("x" * 120, "x" * 120, ""),
        ("One. " + "two " * 40, "One.", ("two " * 40).strip()),
        ("word " * 40, ("word " * 24).strip(), ("word " * 16).strip()),
        ("x" * 200, "x" * 200, ""),
    ],
)
def test_long_documentation_is_split_at_a_sentence_or_a_word(text: str, beginning: str, rest: str) -> None:
    assert summary(text) == (beginning, rest)


def test_operations_are_safe_writes_or_not_known(documented: ModuleType) -> None:
    settings = PUBLISHER.settings
    publisher = of_service(
        "publisher", PUBLISHER, settings.ports[0], "", ConfigError("address", "is missing", "Set it"), ""
    )
    shown = {
        name: [mark.kind for mark in marks(target, target.operations[name])]
        for target, name in [
            (_target(documented), "Mix"),
            (publisher, "GetAdmedia"),
            (publisher, "GetSales"),
            (publisher, "CreateAdspace"),
        ]
    }
    assert shown == {
        "Mix": ["unknown"],
        "GetAdmedia": ["safe"],
        "GetSales": ["safe", "signed"],
        "CreateAdspace": ["write", "signed"],
    }
    safe = _target(documented, "Mix")
    assert [mark.text for mark in marks(safe, safe.operations["Mix"])] == ["safe"]
