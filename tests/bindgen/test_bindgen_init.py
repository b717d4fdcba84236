"""`bindgen init`: a package for a WSDL of one's own, whole or not at all, the same bytes every time."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result
from lxml import etree

from bindgen.cli import main
from bindgen.init import InitError, check_name
from soapclient.runtime import CountingReader, DecodeError

if TYPE_CHECKING:
    from tests.conftest import TypeCheck

SHOP = """<?xml version="1.0"?>
<definitions name="Shop" targetNamespace="urn:example:shop" xmlns:t="urn:example:shop"
    xmlns:k="urn:example:kinds" xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/"
    xmlns:x="http://www.w3.org/2001/XMLSchema">
  <types><x:schema targetNamespace="urn:example:shop" elementFormDefault="qualified">
    <x:import namespace="urn:example:kinds" schemaLocation="{location}"/>
    <x:element name="Ask"><x:complexType><x:sequence><x:element name="kind" type="k:Kind"/></x:sequence>
    </x:complexType></x:element>
    <x:element name="AskResponse"><x:complexType><x:sequence><x:element name="answer" type="x:int"/>
    </x:sequence></x:complexType></x:element>
  </x:schema></types>
  <message name="In"><part name="p" element="t:Ask"/></message>
  <message name="Out"><part name="p" element="t:AskResponse"/></message>
  <message name="Lost"><part name="p" element="t:NotThere"/></message>
  <portType name="ShopPort">
    <operation name="Ask"><input message="t:In"/><output message="t:Out"/></operation>
    <operation name="Tell"><input message="t:In"/><output message="t:Out"/></operation>{more}
  </portType>
  <binding name="ShopBinding" type="t:ShopPort">
    <s:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>
    <operation name="Ask"><s:operation soapAction="urn:ask"/><input><s:body use="literal"/></input>
      <output><s:body use="literal"/></output></operation>
    <operation name="Tell"><s:operation soapAction="urn:tell"/><input><s:body use="literal"/></input>
      <output><s:body use="literal"/></output></operation>{bound}
  </binding>
  <service name="ShopService"><port name="ShopPort" binding="t:ShopBinding">
    <s:address location="https://shop.invalid/soap"/></port></service>
</definitions>
"""
KINDS = """<x:schema xmlns:x="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:example:kinds">
  <x:simpleType name="Kind"><x:restriction base="x:string"><x:enumeration value="small"/></x:restriction>
  </x:simpleType></x:schema>"""
LOST = '<operation name="Lose"><input message="t:Lost"/><output message="t:Out"/></operation>'
LOST_BOUND = """<operation name="Lose"><s:operation soapAction=""/><input><s:body use="literal"/></input>
    <output><s:body use="literal"/></output></operation>"""


def shop(location: str = "kinds.xsd", more: str = "", bound: str = "") -> str:
    return SHOP.format(location=location, more=more, bound=bound)


def run(*arguments: str | Path) -> Result:
    done = CliRunner().invoke(main, ["init", *map(str, arguments)])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done


@pytest.fixture
def wsdl(tmp_path: Path) -> Path:
    """A WSDL with what it imports beside it."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in/kinds.xsd").write_text(KINDS)
    file = tmp_path / "in/shop.wsdl"
    file.write_text(shop())
    return file


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


def content(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def imported(out: Path, code: str) -> str:
    """What code says that runs in a process of its own, with the made packages on its path."""
    path = os.pathsep.join([str(out), *(entry for entry in sys.path if entry)])
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_package_from_a_file(wsdl: Path, out: Path) -> None:
    done = run("shop", "--file", wsdl, "--out", out)
    assert done.exit_code == 0, done.output
    assert "2 operations" in done.output
    assert "from shop import ShopService" in done.output
    code = "from shop import ShopService as S; print(S.PACKAGE.operations['Ask'].soap_action, S.PORT_TYPE)"
    assert imported(out, code) == "urn:ask {urn:example:shop}ShopPort"


def test_the_same_input_gives_the_same_bytes_wherever_it_lies(wsdl: Path, tmp_path: Path) -> None:
    (tmp_path / "deep/er/still").mkdir(parents=True)
    for name in ("shop.wsdl", "kinds.xsd"):
        (tmp_path / "deep/er/still" / name).write_bytes((wsdl.parent / name).read_bytes())
    for number, file in enumerate((wsdl, tmp_path / "deep/er/still/shop.wsdl")):
        env = {**os.environ, "PYTHONHASHSEED": str(number)}
        command = [sys.executable, "-m", "bindgen", "init", "shop", "--file", str(file)]
        command += ["--out", str(tmp_path / f"out{number}")]
        subprocess.run(command, check=True, env=env, capture_output=True, cwd=file.parent)
    first = content(tmp_path / "out0/shop")
    assert first == content(tmp_path / "out1/shop")
    assert {"service.py", "types.py", "schema.json", "contract.wsdl", "py.typed"} <= first.keys()
    assert not [name for name, text in first.items() if str(tmp_path).encode() in text]


def test_running_again_updates_and_an_unchanged_contract_touches_nothing(wsdl: Path, out: Path) -> None:
    run("shop", "--file", wsdl, "--out", out)
    before = (out / "shop/service.py").stat().st_ino
    assert "unchanged" in run("shop", "--file", wsdl, "--out", out).output
    assert (out / "shop/service.py").stat().st_ino == before
    wsdl.write_text(shop().replace("urn:tell", "urn:told"))
    assert "written" in run("shop", "--file", wsdl, "--out", out).output
    assert b"urn:told" in (out / "shop/schema.json").read_bytes()
    assert sorted(path.name for path in out.iterdir()) == ["shop", "shop.toml"]


def test_what_bindgen_did_not_write_is_left_alone(wsdl: Path, out: Path) -> None:
    (out / "shop").mkdir(parents=True)
    (out / "shop/notes.txt").write_text("mine")
    done = run("shop", "--file", wsdl, "--out", out)
    assert done.exit_code == 2
    assert "notes.txt" in done.output
    assert content(out) == {"shop/notes.txt": b"mine"}
    (out / "shop/notes.txt").unlink()
    assert run("shop", "--file", wsdl, "--out", out).exit_code == 0
    (out / "shop/helpers.py").write_text("# mine\n")
    assert "helpers.py" in run("shop", "--file", wsdl, "--out", out).output
    assert (out / "shop/helpers.py").read_text() == "# mine\n"


def test_a_write_that_fails_leaves_what_was_there(
    wsdl: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("shop", "--file", wsdl, "--out", out)
    before = content(out)
    wsdl.write_text(shop().replace("urn:tell", "urn:told"))
    whole = Path.write_bytes

    def fails(path: Path, data: bytes) -> int:
        if path.name == "schema.json":
            raise OSError(28, "No space left on device", str(path))
        return whole(path, data)

    monkeypatch.setattr(Path, "write_bytes", fails)
    done = run("shop", "--file", wsdl, "--out", out)
    assert done.exit_code == 2
    assert "No space left" in done.output
    assert content(out) == before


def test_what_cannot_be_generated_is_told_and_the_rest_is_made(wsdl: Path, out: Path) -> None:
    wsdl.write_text(shop(more=LOST, bound=LOST_BOUND))
    done = run("shop", "--file", wsdl, "--out", out)
    assert done.exit_code == 0
    assert "NotThere" in done.stderr
    assert "shop.wsdl:" in done.stderr  # the file, the line, and the line itself
    assert '<part name="p" element="t:NotThere"/>' in done.stderr
    assert "2 operations" in done.stdout
    strict = run("other", "--file", wsdl, "--out", out, "--strict")
    assert strict.exit_code == 1
    assert "NotThere" in strict.stderr
    assert not (out / "other").exists()


def test_an_operation_with_attachments_says_so_in_its_method(wsdl: Path, out: Path) -> None:
    """WSDL 1.1 section 5: the second part of a multipartRelated is no part of the envelope."""
    attached = (
        '<input><m:multipartRelated xmlns:m="http://schemas.xmlsoap.org/wsdl/mime/"><m:part>'
        '<s:body use="literal" parts="p"/></m:part><m:part><m:content part="scan" type="image/png"/></m:part>'
        "</m:multipartRelated></input>"
    )
    text = wsdl.read_text().replace(
        '<message name="In"><part name="p" element="t:Ask"/>',
        '<message name="In"><part name="p" element="t:Ask"/><part name="scan" type="x:base64Binary"/>',
    )
    at = text.index('<operation name="Tell"><s:operation')
    wsdl.write_text(text[:at] + text[at:].replace('<input><s:body use="literal"/></input>', attached, 1))
    done = run("shop", "--file", wsdl, "--out", out)
    assert done.exit_code == 0
    assert "note: " not in done.stdout
    assert "2 operations," in done.stdout
    method = (out / "shop/service.py").read_text().partition("def tell(")[2]
    assert "Attachments to send, with `connection.soap.attachments(...)`: scan (image/png)." in method
    row = json.loads((out / "shop/schema.json").read_text())["operations"]["Tell"]
    assert row["request_attachments"] == ["scan"]
    assert run("other", "--file", wsdl, "--out", out, "--strict").exit_code == 0


@pytest.mark.parametrize("empty", ["", " \n ", "\u00ad", "<b/>"])
def test_documentation_that_says_nothing(wsdl: Path, out: Path, empty: str) -> None:
    """A soft hyphen alone is nothing that could be printed, either."""
    said = f"<x:annotation><x:documentation>{empty}</x:documentation></x:annotation>"
    twice = said.replace("</x:annotation>", f"<x:documentation>{empty}</x:documentation></x:annotation>")
    text = KINDS.replace("<x:restriction", f"{twice}<x:restriction")
    (wsdl.parent / "kinds.xsd").write_text(text)
    text = wsdl.read_text().replace(
        '<x:element name="Ask"><x:complexType>', f'<x:element name="Ask"><x:complexType>{twice}'
    )
    text = text.replace('name="kind" type="k:Kind"/>', f'name="kind" type="k:Kind">{twice}</x:element>')
    text = text.replace(
        '<operation name="Ask"><input', f'<operation name="Ask"><documentation>{empty}</documentation><input'
    )
    wsdl.write_text(text)
    done = run("shop", "--file", wsdl, "--out", out)
    assert done.exit_code == 0, done.output
    assert imported(out, "import shop; print(bool(shop.ShopService.ask.__doc__.strip()))") == "True"


def test_strict_minds_what_is_taken_for_anything(wsdl: Path, out: Path) -> None:
    wsdl.write_text(wsdl.read_text().replace('type="x:int"', 'type="x:nothing"'))
    assert run("lenient", "--file", wsdl, "--out", out).exit_code == 0
    strict = run("strict_one", "--file", wsdl, "--out", out, "--strict")
    assert strict.exit_code == 1
    assert "x:nothing" in strict.stderr
    assert not (out / "strict_one").exists()


@pytest.mark.parametrize(
    "how", [["--operation", "Tell"], ["--operations", "Tell,Ask"], ["--operation", "Tell"] * 2]
)
def test_the_operations_that_are_wanted(wsdl: Path, out: Path, how: list[str]) -> None:
    assert run("shop", "--file", wsdl, "--out", out, *how).exit_code == 0
    text = (out / "shop/service.py").read_text()
    assert "def tell(" in text
    assert ("def ask(" in text) == ("Tell,Ask" in how)


def test_an_operation_that_is_not_there(wsdl: Path, out: Path) -> None:
    done = run("shop", "--file", wsdl, "--out", out, "--operation", "Tall")
    assert done.exit_code == 2
    assert "'Tall'" in done.stderr
    assert "Ask, Tell" in done.stderr


@pytest.mark.parametrize(
    "location",
    [
        "https://schemas.example/v1/kinds.xsd",
        "https://shop.example/soap?xsd=kinds",
        "file:///somewhere/else/kinds.xsd",
        "/somewhere/else/kinds.xsd",
    ],
)
def test_offline_an_import_from_elsewhere_is_taken_from_a_file_beside(
    wsdl: Path, out: Path, location: str
) -> None:
    wsdl.write_text(shop(location))
    done = run("shop", "--file", wsdl, "--out", out, "--offline")
    assert done.exit_code == 0, done.output
    assert "kinds.xsd" in done.output
    assert "class Kind" in (out / "shop/types.py").read_text()


def test_offline_what_is_nowhere_is_left_out_with_a_word(wsdl: Path, out: Path) -> None:
    wsdl.write_text(shop("https://schemas.example/v1/gone.xsd"))
    done = run("shop", "--file", wsdl, "--out", out, "--offline")
    assert "gone.xsd" in done.output
    assert "Traceback" not in done.output


def test_no_file_of_the_disk_is_read_that_is_no_schema(wsdl: Path, out: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("password: hidden-word")
    wsdl.write_text(shop("../secret.txt"))
    done = run("shop", "--file", wsdl, "--out", out, "--offline")
    assert "hidden-word" not in done.output
    assert all(b"hidden-word" not in text for text in content(tmp_path / "out").values())


@pytest.mark.parametrize(
    "text", ["", "no xml", "<a/>", '<!DOCTYPE a [<!ENTITY b "c">]>' + shop(), shop()[:900]]
)
def test_what_is_no_wsdl_ends_with_a_word(wsdl: Path, out: Path, text: str) -> None:
    wsdl.write_text(text)
    done = run("shop", "--file", wsdl, "--out", out)
    assert done.exit_code == 2
    assert "shop.wsdl" in done.stderr
    assert not out.exists()


def test_a_wsdl_without_soap_gives_nothing(wsdl: Path, out: Path) -> None:
    wsdl.write_text(
        shop().replace("http://schemas.xmlsoap.org/wsdl/soap/", "http://schemas.xmlsoap.org/wsdl/http/")
    )
    done = run("shop", "--file", wsdl, "--out", out)
    assert done.exit_code == 2
    assert not out.exists()


@pytest.mark.parametrize(
    "name", ["class", "my-shop", "1shop", "_shop", "zxws", "lxml", "a.b", "../x", "größe"]
)
def test_names_that_will_not_do(wsdl: Path, out: Path, name: str) -> None:
    done = run(name, "--file", wsdl, "--out", out)
    assert done.exit_code == 2
    assert "package" in done.stderr
    with pytest.raises(InitError):
        check_name(name)


@pytest.mark.parametrize("name", ["class", "None", "async"])
def test_a_keyword_is_called_one(name: str) -> None:
    with pytest.raises(InitError, match=f"{name}.*keyword of Python") as caught:
        check_name(name)
    assert "use letters" not in str(caught.value)


def test_an_http_address_of_the_service_stays_one(wsdl: Path, out: Path) -> None:
    wsdl.write_text(wsdl.read_text().replace("https://shop.invalid/soap", "http://shop.invalid/soap"))
    done = run("shop", "--file", wsdl, "--out", out, "--strict")
    assert done.exit_code == 0, done.output
    assert "https" not in done.output
    code = "from shop.service import PACKAGE; print([port.address for port in PACKAGE.settings.ports])"
    assert imported(out, code) == "['http://shop.invalid/soap']"


_POLICY_SPACES = (
    'xmlns:p="http://schemas.xmlsoap.org/ws/2004/09/policy" xmlns:w="http://schemas.xmlsoap.org/wsdl/" '
    'xmlns:wsam="http://www.w3.org/2007/05/addressing/metadata" '
    'xmlns:wsaw="http://www.w3.org/2006/05/addressing/wsdl" '
    'xmlns:sp="http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702" '
    'xmlns:u="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd"'
)


@pytest.mark.parametrize(
    ("put", "said"),
    [
        (
            '<old:UsingAddressing xmlns:old="http://schemas.xmlsoap.org/ws/2004/08/addressing/policy" '
            'w:required="true"/>',
            "WS-Addressing of the version http://schemas.xmlsoap.org/ws/2004/08/addressing/policy",
        ),
        (
            "<p:Policy><wsam:Addressing><p:Policy><wsam:NonAnonymousResponses/></p:Policy></wsam:Addressing>"
            "</p:Policy>",
            "requires WS-Addressing (Addressing)",
        ),
        (
            "<p:Policy><p:ExactlyOne><p:All><sp:TransportBinding><p:Policy><sp:Layout/></p:Policy>"
            '</sp:TransportBinding><wsam:Addressing p:Optional="true"/></p:All></p:ExactlyOne></p:Policy>',
            "requires TransportBinding, WS-Addressing (Addressing) (optional)",
        ),
        ("<p:Policy><sp:Wss11/></p:Policy>" * 3, "requires Wss11 (and 2 more like it)"),
        (
            '<p:PolicyReference URI="https://policies.example/one"/>',
            "'https://policies.example/one' lies elsewhere",
        ),
    ],
)
def test_what_a_service_demands_beside_its_messages_is_noted_once(
    wsdl: Path, out: Path, put: str, said: str
) -> None:
    text = wsdl.read_text().replace("<definitions ", f"<definitions {_POLICY_SPACES} ")
    wsdl.write_text(text.replace("<s:binding ", f"{put}<s:binding ", 1))
    done = run("shop", "--file", wsdl, "--out", out)
    assert done.exit_code == 0, done.output
    notes = [line for line in done.stdout.splitlines() if line.startswith("note: ")]
    assert len(notes) == 1, notes
    assert said in notes[0]
    assert notes[0].startswith("note: shop.wsdl:")
    assert run("strict", "--file", wsdl, "--out", out, "--strict").exit_code == 1


_NEEDLESS = [  # put into the binding, put into the definitions, and what is told of it
    ("<wsaw:UsingAddressing/>", "", "WS-Addressing"),  # wsdl:required is false by default
    ('<p:Policy><wsam:Addressing p:Optional="true"/></p:Policy>', "", "(optional)"),
    ("<p:Policy><p:ExactlyOne><p:All/><p:All><sp:Wss11/></p:All></p:ExactlyOne></p:Policy>", "", "Wss11"),
    ("", '<p:Policy u:Id="mine"><sp:Wss11/></p:Policy>', "Wss11"),
    ('<p:PolicyReference URI="#other"/>', '<p:Policy u:Id="mine"><sp:Wss11/></p:Policy>', "Wss11"),
    (
        "",
        '<p:Policy u:Id="mine"><sp:Wss11/></p:Policy>'
        '<p:Policy u:Id="its"><p:PolicyReference URI="#mine"/></p:Policy>',
        "Wss11",
    ),
]
_NEEDED = [
    ('<p:PolicyReference URI="#mine"/>', '<p:Policy u:Id="mine"><sp:Wss11/></p:Policy>', "Wss11"),
    ('<p:PolicyReference URI=" #mine "/>', '<p:Policy xml:id="mine"><sp:Wss11/></p:Policy>', "Wss11"),
    ('<p:PolicyReference URI="urn:m"/>', '<p:Policy Name="urn:m"><sp:Wss11/></p:Policy>', "Wss11"),
    (
        '<p:PolicyReference URI="#its"/>',
        '<p:Policy u:Id="mine"><sp:Wss11/></p:Policy>'
        '<p:Policy u:Id="its"><p:PolicyReference URI="#mine"/></p:Policy>',
        "Wss11",
    ),
    (
        "<p:Policy><p:ExactlyOne><p:All><sp:A/></p:All><p:All><sp:B/></p:All></p:ExactlyOne></p:Policy>",
        "",
        "A, B",
    ),
]


@pytest.mark.parametrize(
    ("binding", "top", "said", "code"), [(*one, 0) for one in _NEEDLESS] + [(*one, 1) for one in _NEEDED]
)
def test_strict_refuses_policies_that_demand_something_and_tells_the_others(
    wsdl: Path, out: Path, binding: str, top: str, said: str, code: int
) -> None:
    text = wsdl.read_text().replace("<definitions ", f"<definitions {_POLICY_SPACES} ")
    text = text.replace("<types>", f"{top}<types>", 1).replace("<s:binding ", f"{binding}<s:binding ", 1)
    wsdl.write_text(text)
    done = run("shop", "--file", wsdl, "--out", out, "--strict")
    assert (done.exit_code, said in done.output, (out / "shop").exists()) == (code, True, code == 0), (
        done.output
    )


def test_a_policy_that_the_attribute_names_is_demanded(wsdl: Path, out: Path) -> None:
    text = wsdl.read_text().replace("<definitions ", f"<definitions {_POLICY_SPACES} ")
    text = text.replace("<types>", '<p:Policy u:Id="mine"><sp:Wss11/></p:Policy><types>', 1)
    wsdl.write_text(text.replace("<binding ", '<binding p:PolicyURIs="#none #mine" ', 1))
    done = run("shop", "--file", wsdl, "--out", out, "--strict")
    assert (done.exit_code, "Wss11" in done.output) == (1, True), done.output


@pytest.mark.parametrize(
    "put",
    [
        '<wsaw:UsingAddressing w:required="false"/>',
        '<wsaw:UsingAddressing w:required="true"/>',  # applied: the operations have actions
        "<p:Policy><wsam:Addressing/></p:Policy>",
        "<p:Policy/>",
        '<p:PolicyReference URI="#there"/>',
        "<w:documentation><p:Policy><sp:Wss11/></p:Policy></w:documentation>",
    ],
)
def test_what_demands_nothing_is_not_noted(wsdl: Path, out: Path, put: str) -> None:
    text = wsdl.read_text().replace("<definitions ", f"<definitions {_POLICY_SPACES} ")
    wsdl.write_text(text.replace("<s:binding ", f"{put}<s:binding ", 1))
    done = run("shop", "--file", wsdl, "--out", out, "--strict")
    assert done.exit_code == 0, done.output
    assert "note: " not in done.stdout


@pytest.mark.parametrize(
    "name", ["soapclient", "requests", "zeep", "xmlschema", "tenacity", "urllib3", "Lxml"]
)
def test_a_name_that_would_hide_what_is_needed(name: str) -> None:
    with pytest.raises(InitError, match="would hide the package"):
        check_name(name)


@pytest.mark.parametrize("name", ["con", "Aux", "nul", "prn", "com1", "LPT9"])
def test_a_name_that_no_folder_of_windows_can_have(name: str) -> None:
    assert "Windows" in check_name(name)


def test_a_name_that_hides_something_is_warned_of(wsdl: Path, out: Path) -> None:
    done = run("email", "--file", wsdl, "--out", out)
    assert done.exit_code == 0
    assert "email is the name of a module of Python" in done.stderr
    assert check_name("shop") == ""


@pytest.mark.parametrize("how", [[], ["--offline", "--url", "https://shop.invalid/"]])
def test_options_that_do_not_go_together(how: list[str]) -> None:
    done = run("shop", *how)
    assert done.exit_code == 2
    assert "--file" in done.stderr


@pytest.fixture
def published(wsdl: Path) -> Iterator[str]:
    """The address at which the WSDL and its import are served."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            file = wsdl.parent / self.path.rpartition("/")[2]
            body = file.read_bytes() if file.is_file() else b"nothing"
            self.send_response(200 if file.is_file() else 404)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_package_from_an_address(published: str, out: Path) -> None:
    done = run("shop", "--url", f"{published}/shop.wsdl", "--out", out)
    assert done.exit_code == 0, done.output
    assert "class Kind" in (out / "shop/types.py").read_text()
    assert run("gone", "--url", f"{published}/gone.wsdl", "--out", out).exit_code == 2


# ---- what a service leaves out though the contract requires it

LACKING = """<x:complexType name="Base"><x:sequence><x:element name="id" type="x:int"/></x:sequence>
    <x:attribute name="mark" type="x:string" use="required"/></x:complexType>
    <x:element name="AskResponse"><x:complexType><x:complexContent><x:extension base="t:Base"><x:sequence>
    <x:element name="answer" type="x:int"/><x:element name="reason" type="t:Base"/>
    <x:element name="notes"><x:complexType><x:sequence>
    <x:element name="note" type="x:string" maxOccurs="unbounded"/></x:sequence></x:complexType></x:element>
    </x:sequence></x:extension></x:complexContent></x:complexType></x:element>"""
MISSING = "AskResponse/answer,AskResponse/reason,AskResponse/notes,Base/@mark"


@pytest.fixture
def lacking(wsdl: Path) -> Path:
    text = wsdl.read_text()
    start = text.index('<x:element name="AskResponse">')
    wsdl.write_text(text[:start] + LACKING + text[text.index("</x:schema>") :])
    return wsdl


def test_required_elements_that_may_be_missing_are_optional(
    lacking: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = run("gone", "--file", lacking, "--out", out, "--may-be-missing", MISSING, "--strict")
    assert done.exit_code == 0, done.output
    monkeypatch.syspath_prepend(str(out))
    operation = importlib.import_module("gone.service").ASK
    space = "urn:example:shop"
    reader = CountingReader()
    found = operation.read_response(
        etree.fromstring(f'<AskResponse xmlns="{space}"><id>7</id></AskResponse>'), reader
    )
    assert (found.id, found.mark, found.answer, found.reason, found.notes) == (7, None, None, None, None)
    assert {(finding.kind, finding.path) for finding in reader.findings} == {
        ("missing", f"AskResponse/{name}") for name in ("@mark", "answer", "reason", "notes")
    }
    # What is there is read as ever, what else is required stays so, and an empty number is none.
    there = f"""<AskResponse xmlns="{space}" mark="m"><id>7</id><answer/><reason mark="n"><id>8</id></reason>
        <notes><note>a</note></notes></AskResponse>"""
    again = operation.read_response(etree.fromstring(there), CountingReader())
    assert (again.mark, again.answer, again.reason.id, again.notes) == ("m", None, 8, ["a"])
    with pytest.raises(DecodeError, match="id"):
        operation.read_response(etree.fromstring(f'<AskResponse xmlns="{space}" mark="m"/>'), reader)


def test_the_type_checker_knows_what_may_be_missing(lacking: Path, out: Path, type_check: TypeCheck) -> None:
    assert run("gone", "--file", lacking, "--out", out, "--may-be-missing", MISSING).exit_code == 0
    (out / "user.py").write_text(
        "from gone.types import AskResponse\n\n\n"
        "def use(found: AskResponse) -> None:\n"
        "    reveal_type(found.answer)\n    reveal_type(found.notes)\n    reveal_type(found.mark)\n"
        "    reveal_type(found.id)\n    found.reason.id\n"
    )
    done = type_check("-p", "gone", "-m", "user", cwd=out)
    said = [line.partition(": ")[2] for line in done.stdout.splitlines()]
    assert said == [
        'note: Revealed type is "int | None"',
        'note: Revealed type is "list[str] | None"',
        'note: Revealed type is "str | None"',
        'note: Revealed type is "int"',
        'error: Item "None" of "Base | None" has no attribute "id"  [union-attr]',
    ]


def test_the_package_says_how_it_was_made(lacking: Path, out: Path) -> None:
    given = ["--may-be-missing", "AskResponse/answer", "--may-be-missing", "Base/@mark, Base/id"]
    assert run("gone", "--file", lacking, "--out", out, *given).exit_code == 0
    head = (out / "gone/types.py").read_text().splitlines()[0]
    assert "`bindgen init gone --may-be-missing AskResponse/answer,Base/@mark,Base/id`" in head
    assert run("gone", "--file", lacking, "--out", out).exit_code == 0
    assert "--may-be-missing" not in (out / "gone/types.py").read_text()


@pytest.mark.parametrize("path", ["AskRespons/answer", "AskResponse/answr", "answer", "AskResponse/@answer"])
def test_a_path_that_may_be_missing_and_is_nowhere_is_refused(lacking: Path, out: Path, path: str) -> None:
    done = run("gone", "--file", lacking, "--out", out, "--may-be-missing", f"{MISSING},{path}")
    assert done.exit_code == 2
    assert path in done.output
    assert "--may-be-missing" in done.output
    assert not out.exists()


PARTS = """<x:complexType name="Sub"><x:choice><x:sequence><x:element name="x" type="x:int"/>
    <x:element name="l" type="x:int"/></x:sequence><x:element name="o" type="x:int"/></x:choice>
    </x:complexType>
    <x:complexType name="Turns"><x:choice maxOccurs="unbounded"><x:sequence>
    <x:element name="tx" type="x:int"/>
    <x:element name="tl" type="x:int"/></x:sequence><x:element name="to" type="x:int"/></x:choice>
    </x:complexType>
    <x:complexType name="Rows"><x:sequence maxOccurs="5"><x:element name="key" type="x:int"/>
    <x:element name="value" type="x:int"/></x:sequence></x:complexType>
    <x:element name="AskResponse"><x:complexType><x:sequence>
    <x:element name="answer" type="x:int" minOccurs="0"/><x:element name="sub" type="t:Sub"/>
    <x:element name="turns" type="t:Turns"/><x:element name="rows" type="t:Rows"/>
    </x:sequence><x:attribute name="mark" type="x:string"/></x:complexType></x:element>"""


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("AskResponse/answer", "answer is optional already"),
        ("AskResponse/@mark", "@mark is optional already"),
        ("Ask/kind", "no response holds Ask, and requests still need it"),
        ("Sub/x", "x stands in a choice, where it is not required by itself"),
        ("Sub/o", "o stands in a choice, where it is not required by itself"),
        ("Turns/tx", "tx stands in a group that repeats, whose elements cannot be named"),
        ("Turns/to", "to stands in a group that repeats, whose elements cannot be named"),
        ("Rows/key", "key stands in a group that repeats, whose elements cannot be named"),
        ("Rows/nothing", "Rows has no element nothing"),
        ("answer", "the / is missing"),
    ],
)
def test_a_path_that_may_be_missing_and_changes_nothing_is_refused(
    wsdl: Path, out: Path, path: str, why: str
) -> None:
    text = wsdl.read_text()
    start = text.index('<x:element name="AskResponse">')
    wsdl.write_text(text[:start] + PARTS + text[text.index("</x:schema>") :])
    done = run("shop", "--file", wsdl, "--out", out, "--may-be-missing", path)
    assert done.exit_code == 2, done.output
    assert f"--may-be-missing {path}: {why}" in done.stderr
    assert not out.exists()
    done = run("shop", "--file", wsdl, "--out", out, "--may-be-missing", "AskResponse/sub,AskResponse/rows")
    assert done.exit_code == 0, done.output


def test_types_of_one_name_are_told_apart_by_namespace(wsdl: Path, out: Path) -> None:
    """A path without a namespace means all of that name, one with it that alone."""
    kinds = wsdl.with_name("kinds.xsd")
    content = '<x:sequence><x:element name="v" type="x:int"/></x:sequence>'
    inner = f'<x:complexType name="Two">{content}</x:complexType>'
    kinds.write_text(KINDS.replace("</x:schema>", f"{inner}</x:schema>"))
    text = wsdl.read_text()
    own = '<x:element name="answer" type="x:int"/>'
    own += '<x:element name="here" type="t:Two"/><x:element name="there" type="k:Two"/>'
    text = text.replace('<x:element name="answer" type="x:int"/>', own).replace(
        "</x:schema>", f"{inner}</x:schema>"
    )
    wsdl.write_text(text)
    for path, times in (("Two/v", 2), ("{urn:example:kinds}Two/v", 1)):
        assert run("two", "--file", wsdl, "--out", out, "--may-be-missing", path).exit_code == 0
        assert (out / "two/types.py").read_text().count("v: int | None = None") == times
