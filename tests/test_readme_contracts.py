"""What the README says of contracts: each command shown is run, and what it shows is what comes out.

Nothing is normalised: the commands run in a folder of their own, and nothing they say names it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from soapclient.sandbox import Sandbox, serve

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
WSDL = "wsdl/publisher/2011-03-01/publisher.wsdl"
FETCH, GENERATE = "bindgen fetch publisher --url https://HOST/wsdl/2011-03-01", "bindgen generate"

# An element gone, an element more that is required, and a value more: (within, what, becomes).
CHANGES = (
    ('<xsd:complexType name="saleItem">', '          <xsd:element name="clickId" type="xsd:long"/>\n', ""),
    (
        '<xsd:complexType name="GetSalesRequest">',
        '          <xsd:element name="page"',
        '          <xsd:element name="market" type="xsd:string"/>\n          <xsd:element name="page"',
    ),
    (
        '<xsd:simpleType name="reviewStateEnum">',
        '          <xsd:enumeration value="approved"/>\n',
        '          <xsd:enumeration value="approved"/>\n          <xsd:enumeration value="paused"/>\n',
    ),
)

WEATHER = """<definitions targetNamespace="urn:example:weather" xmlns:t="urn:example:weather"
    xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/"
    xmlns:x="http://www.w3.org/2001/XMLSchema">
  <types><x:schema targetNamespace="urn:example:weather" elementFormDefault="qualified">
    <x:element name="GetWeather"><x:complexType><x:sequence>
      <x:element name="city" type="x:string"/>
    </x:sequence></x:complexType></x:element>
    <x:element name="GetWeatherResponse"><x:complexType><x:sequence>
      <x:element name="degrees" type="x:decimal"/><x:element name="seen" type="x:dateTime"/>
    </x:sequence></x:complexType></x:element>
  </x:schema></types>
  <message name="In"><part name="body" element="t:GetWeather"/></message>
  <message name="Out"><part name="body" element="t:GetWeatherResponse"/></message>
  <portType name="WeatherPort">
    <operation name="GetWeather"><input message="t:In"/><output message="t:Out"/></operation>
  </portType>
  <binding name="Weather" type="t:WeatherPort">
    <s:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>
    <operation name="GetWeather"><s:operation soapAction=""/>
      <input><s:body use="literal"/></input><output><s:body use="literal"/></output></operation>
  </binding>
  <service name="WeatherService">
    <port name="Weather" binding="t:Weather"><s:address location="{address}"/></port>
  </service>
</definitions>
"""
TOLD = b"""<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>
<GetWeatherResponse xmlns="urn:example:weather"><degrees>-3.50</degrees><seen>2026-11-20T12:00:00Z</seen>
</GetWeatherResponse></e:Body></e:Envelope>"""


def section(title: str) -> str:
    return README.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def blocks(text: str) -> list[tuple[str, str]]:
    return re.findall(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def plain_lines() -> list[str]:
    """The commands that are shown without what they say."""
    return [line for language, text in blocks(README) if not language for line in text.splitlines()]


def steps(console: str) -> list[tuple[str, str]]:
    """The commands of a console block, each with what is shown of it."""
    parts = re.split(r"^\$ (.*)\n", console, flags=re.MULTILINE)
    assert parts[0] == ""
    return list(zip(parts[1::2], parts[2::2], strict=True))


def test_each_command_of_bindgen_is_run_here() -> None:
    assert {line for line in plain_lines() if line.startswith("bindgen ")} == {
        FETCH,
        GENERATE,
        "bindgen fetch --all --check",
        "bindgen docs",
    }


@pytest.fixture(scope="module")
def remembered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What mypy remembers, so that only its first run here is a long one."""
    return tmp_path_factory.mktemp("mypy")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """As much of a clone as the commands look at."""
    for name in ("wsdl", "generated"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def said(command: str, folder: Path, memory: Path | None = None) -> tuple[int, str]:
    """Exit code and everything a command says; `memory` is where mypy keeps what it found out."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("SOAPCLIENT_", "MYPY"))}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env={**kept, "PATH": path, "PYTHONUTF8": "1", "MYPY_CACHE_DIR": str(memory or folder / "mypy")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout


def ran(command: str, folder: Path, memory: Path | None = None) -> str:
    code, output = said(command, folder, memory)
    assert code == 0, f"{command}: {output}"
    return output


def shown_is_real(console: str, folder: Path, memory: Path | None = None) -> list[str]:
    """Run a console block; gives its commands."""
    for command, shown in steps(console):
        _, output = said(command, folder, memory)
        assert output == shown, command
    return [command for command, _ in steps(console)]


def changed(wsdl: str) -> str:
    for within, what, becomes in CHANGES:
        before, found, after = wsdl.partition(within)
        assert found
        assert what in after
        wsdl = before + found + after.replace(what, becomes, 1)
    return wsdl


def test_a_changed_contract_is_told_as_it_goes(place: Path, remembered: Path) -> None:
    (place / "new.wsdl").write_text(changed((place / WSDL).read_text()))
    told = blocks(section("When the contract changes"))
    all_steps = [step for language, text in told if language == "console" for step in steps(text)]
    script = dict(all_steps)["cat sales.py"]
    assert len(script.splitlines()) == 5
    (place / "sales.py").write_text(script)
    # Before, mypy has nothing to say: all that it finds comes of the change.
    assert said("mypy sales.py", place, remembered)[0] == 0
    assert said("bindgen diff lock:publisher new.wsdl", place)[0] == 2  # breaking, by the table
    assert said("bindgen diff lock:publisher lock:publisher", place)[0] == 0
    commands: list[str] = []
    for language, text in told:
        if language == "console":
            commands += shown_is_real(text, place, remembered)
        elif language == "toml":
            table = text.splitlines(keepends=True)[0]
            settings = place / "wsdl/contracts.toml"
            assert settings.read_text().count(table) == 1
            settings.write_text(settings.read_text().replace(table, text))
    assert [command.partition(" new")[0].split()[:2] for command in commands] == [
        ["diff", WSDL],
        ["bindgen", "diff"],
        ["bindgen", "fetch"],
        ["bindgen", "generate"],
        ["bindgen", "generate"],
        ["cat", "sales.py"],
        ["mypy", "sales.py"],
    ]
    assert ran("bindgen check", place)


def test_what_runs_in_cron_runs(place: Path) -> None:
    (check,) = (line for line in plain_lines() if line.startswith("bindgen fetch --all"))
    settings = place / "wsdl/contracts.toml"
    with Sandbox() as sandbox, serve(sandbox) as serving:
        ours = f'url = "{serving.url}'
        settings.write_text(re.sub(r'^url = "https://\w+\.invalid', ours, settings.read_text(), flags=re.M))
        ran("bindgen fetch --all", place)
        ran(check, place)
        (place / "new.wsdl").write_text(changed((place / WSDL).read_text()))
        ran("bindgen fetch publisher --file new.wsdl", place)
        assert said(check, place)[0] == 1  # what is locked now is not what the sandbox publishes


def test_another_contract_goes_in_by_the_two_commands(place: Path) -> None:
    shown = "".join(text for _, text in blocks(section("The honest word on the contract")))
    assert shown.splitlines() == [FETCH, GENERATE]
    with Sandbox() as sandbox, serve(sandbox) as serving:
        url = serving.url
        assert "publisher" in ran(FETCH.replace("https://HOST", url), place)
    ran(GENERATE, place)
    # The served contract has an address of its own, and that is all that differs in what was generated.
    committed, made = (
        (folder / "generated/zxws/publisher/tables.py").read_text().splitlines() for folder in (ROOT, place)
    )
    differing = [new for old, new in zip(committed, made, strict=True) if old != new]
    assert [line for line in differing if not line.startswith("#") and "sha256=" not in line] == [
        f'    address="{url}/soap/2011-03-01",'
    ]
    assert (ROOT / "generated/zxws/publisher/codec.py").read_text().splitlines()[3:] == (
        place / "generated/zxws/publisher/codec.py"
    ).read_text().splitlines()[3:]
    assert ran("bindgen check", place)


def test_the_reference_is_written(place: Path) -> None:
    assert "bindgen docs" in plain_lines()
    ran("bindgen docs", place)
    pages = {path.name for path in (place / "reference").iterdir()}
    assert pages == {"index.html", "publisher.html", "data.html", "advertiser.html"}
    assert "GetSales" in (place / "reference/publisher.html").read_text(encoding="utf-8")


class Weather(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        asked = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200 if b"Berlin" in asked else 500)
        self.send_header("Content-Type", "text/xml; charset=utf-8")
        self.send_header("Content-Length", str(len(TOLD)))
        self.end_headers()
        self.wfile.write(TOLD)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def weather() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Weather)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/weather"
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_wsdl_of_ones_own(weather: str, tmp_path: Path, remembered: Path) -> None:
    (tmp_path / "weather.wsdl").write_text(WEATHER.format(address=weather))
    (console,) = (text for language, text in blocks(section("Your own WSDL")) if language == "console")
    (python,) = (text for language, text in blocks(section("Your own WSDL")) if language == "python")
    shown_is_real(console, tmp_path)
    (tmp_path / "own.py").write_text(python)
    assert ran("python own.py", tmp_path) == "-3.50 2026-11-20 12:00:00+00:00\n"
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    assert ran("mypy own.py weather", tmp_path, remembered)
    (tmp_path / "new.wsdl").write_text(WEATHER.format(address=weather).replace('"degrees"', '"warmth"'))
    assert said("bindgen diff weather.wsdl new.wsdl", tmp_path)[0] == 2
    assert ran("bindgen docs --file weather.wsdl weather", tmp_path)
