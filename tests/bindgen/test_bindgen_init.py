"""`bindgen init` generates a package for any WSDL: all files or none, and reproducible bytes."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

import pytest
from lxml import etree

from bindgen.init import InitError, check_name
from soapclient.runtime import CountingReader, DecodeError
from tests.bindgen.conftest import document
from tests.bindgen.shop import KINDS, LOST, LOST_BOUND, content, imported, run, shop
from tests.conftest import TypeCheck
from tests.support.cases import case_text
from tests.support.wire import Wire


def test_package_is_generated_from_a_file(wsdl: Path, out: Path) -> None:
    done = run("shop", "--file", wsdl, "--out", out, code=0)
    assert "2 operations" in done.output
    assert "from shop import ShopService" in done.output
    code = "from shop import ShopService as S; print(S.PACKAGE.operations['Ask'].soap_action, S.PORT_TYPE)"
    assert imported(out, code) == "urn:ask {urn:example:shop}ShopPort"
    files = content(out / "shop")
    assert files.keys() >= {"service.py", "types.py", "schema.json", "contract.wsdl", "py.typed"}
    assert not [name for name, text in files.items() if str(out.parent).encode() in text]


def test_second_run_updates_and_leaves_unchanged_files_alone(wsdl: Path, out: Path) -> None:
    run("shop", "--file", wsdl, "--out", out)
    before = (out / "shop/service.py").stat().st_ino
    assert "unchanged" in run("shop", "--file", wsdl, "--out", out).output
    assert (out / "shop/service.py").stat().st_ino == before
    wsdl.write_text(shop().replace("urn:tell", "urn:told"))
    assert "written" in run("shop", "--file", wsdl, "--out", out).output
    assert b"urn:told" in (out / "shop/schema.json").read_bytes()
    assert sorted(path.name for path in out.iterdir()) == ["shop", "shop.toml"]


def test_foreign_files_are_left_alone(wsdl: Path, out: Path) -> None:
    (out / "shop").mkdir(parents=True)
    (out / "shop/notes.txt").write_text("mine")
    done = run("shop", "--file", wsdl, "--out", out, code=2)
    assert "notes.txt" in done.output
    assert content(out) == {"shop/notes.txt": b"mine"}
    (out / "shop/notes.txt").unlink()
    assert run("shop", "--file", wsdl, "--out", out).exit_code == 0
    (out / "shop/helpers.py").write_text("# mine\n")
    assert "helpers.py" in run("shop", "--file", wsdl, "--out", out).output
    assert (out / "shop/helpers.py").read_text() == "# mine\n"


@pytest.mark.parametrize(
    ("step", "at", "said"),
    [("write_bytes", "schema.json", "No space left"), ("rename", "shop", "Permission denied")],
)
def test_failed_step_keeps_the_old_package(
    wsdl: Path, out: Path, monkeypatch: pytest.MonkeyPatch, step: str, at: str, said: str
) -> None:
    run("shop", "--file", wsdl, "--out", out)
    before = content(out)
    wsdl.write_text(shop().replace("urn:tell", "urn:told"))
    whole = getattr(Path, step)
    failed: list[Path] = []

    def fails(path: Path, given: Path | bytes) -> object:
        written = given if isinstance(given, Path) else path
        if written.name == at and not failed:
            failed.append(path)
            raise OSError(5, said, str(path))
        return whole(path, given)

    monkeypatch.setattr(Path, step, fails)
    done = run("shop", "--file", wsdl, "--out", out)
    assert (done.exit_code, len(failed)) == (2, 1)
    assert said in done.output
    assert content(out) == before


@pytest.mark.parametrize("kind", ["file", "link"])
def test_target_that_is_not_a_folder_is_left_alone(wsdl: Path, out: Path, tmp_path: Path, kind: str) -> None:
    out.mkdir(exist_ok=True)
    there = out / "shop"
    if kind == "file":
        there.write_text("mine")
    else:
        (tmp_path / "elsewhere").mkdir()
        there.symlink_to(tmp_path / "elsewhere")
    done = run("shop", "--file", wsdl, "--out", out, code=2)
    assert "is not a folder: move it away, or choose another --out" in done.output
    assert there.read_text() == "mine" if kind == "file" else not list((tmp_path / "elsewhere").iterdir())


def test_unsupported_operations_are_reported_and_the_rest_is_generated(wsdl: Path, out: Path) -> None:
    wsdl.write_text(shop(more=LOST, bound=LOST_BOUND))
    done = run("shop", "--file", wsdl, "--out", out, code=0)
    assert "NotThere" in done.stderr
    assert "shop.wsdl:" in done.stderr  # the file, the line number and the line
    assert '<part name="p" element="t:NotThere"/>' in done.stderr
    assert "2 operations" in done.stdout
    strict = run("other", "--file", wsdl, "--out", out, "--strict", code=1)
    assert "NotThere" in strict.stderr
    assert not (out / "other").exists()


def test_docstring_of_an_operation_mentions_attachments(wsdl: Path, out: Path) -> None:
    """WSDL 1.1 section 5: the second part of a multipartRelated is not in the envelope."""
    attached = (
        '<input><m:multipartRelated xmlns:m="http://schemas.xmlsoap.org/wsdl/mime/"><m:part>'
        '<s:body use="literal" parts="p"/></m:part><m:part><m:content part="scan" type="image/png"/></m:part>'
        "</m:multipartRelated></input>"
    )
    part = '<message name="In"><part name="p" element="t:Ask"/>'
    text = wsdl.read_text().replace(part, f'{part}<part name="scan" type="x:base64Binary"/>')
    at = text.index('<operation name="Tell"><s:operation')
    wsdl.write_text(text[:at] + text[at:].replace('<input><s:body use="literal"/></input>', attached, 1))
    done = run("shop", "--file", wsdl, "--out", out, code=0)
    assert "note: " not in done.stdout
    assert "2 operations," in done.stdout
    method = (out / "shop/service.py").read_text().partition("def tell(")[2]
    assert "Attachments to send, with `service.soap.attachments(...)`: scan (image/png)." in method
    row = json.loads((out / "shop/schema.json").read_text())["operations"]["Tell"]
    assert row["request_attachments"] == ["scan"]
    assert run("other", "--file", wsdl, "--out", out, "--strict").exit_code == 0


@pytest.mark.sampled(1)
@pytest.mark.parametrize("empty", ["", " \n ", "\u00ad", "<b/>"])
def test_blank_documentation_is_ignored(wsdl: Path, out: Path, empty: str) -> None:
    """A soft hyphen alone is not printable text."""
    said = f"<x:annotation><x:documentation>{empty}</x:documentation></x:annotation>"
    twice = said.replace("</x:annotation>", f"<x:documentation>{empty}</x:documentation></x:annotation>")
    text = KINDS.replace("<x:restriction", f"{twice}<x:restriction")
    (wsdl.parent / "kinds.xsd").write_text(text)
    ask, operation = '<x:element name="Ask"><x:complexType>', '<operation name="Ask">'
    text = wsdl.read_text().replace(ask, f"{ask}{twice}")
    text = text.replace('name="kind" type="k:Kind"/>', f'name="kind" type="k:Kind">{twice}</x:element>')
    documented = f"{operation}<documentation>{empty}</documentation><input"
    wsdl.write_text(text.replace(f"{operation}<input", documented))
    run("shop", "--file", wsdl, "--out", out, code=0)
    assert imported(out, "import shop; print(bool(shop.ShopService.ask.__doc__.strip()))") == "True"


def test_strict_refuses_types_that_become_anything(wsdl: Path, out: Path) -> None:
    wsdl.write_text(wsdl.read_text().replace('type="x:int"', 'type="x:nothing"'))
    assert run("lenient", "--file", wsdl, "--out", out).exit_code == 0
    strict = run("strict_one", "--file", wsdl, "--out", out, "--strict", code=1)
    assert "x:nothing" in strict.stderr
    assert not (out / "strict_one").exists()


@pytest.mark.parametrize(
    "how", [["--operation", "Tell"], ["--operations", "Tell,Ask"], ["--operation", "Tell"] * 2]
)
def test_only_selected_operations_are_generated(wsdl: Path, out: Path, how: list[str]) -> None:
    assert run("shop", "--file", wsdl, "--out", out, *how).exit_code == 0
    text = (out / "shop/service.py").read_text()
    assert "def tell(" in text
    assert ("def ask(" in text) == ("Tell,Ask" in how)


def test_unknown_operation_is_refused(wsdl: Path, out: Path) -> None:
    done = run("shop", "--file", wsdl, "--out", out, "--operation", "Tall", code=2)
    assert "'Tall'" in done.stderr
    assert "Ask, Tell" in done.stderr


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "location",
    [
        "https://schemas.example/v1/kinds.xsd",
        "https://shop.example/soap?xsd=kinds",
        "file:///somewhere/else/kinds.xsd",
        "/somewhere/else/kinds.xsd",
    ],
)
def test_offline_import_is_read_from_a_neighbouring_file(wsdl: Path, out: Path, location: str) -> None:
    wsdl.write_text(shop(location))
    done = run("shop", "--file", wsdl, "--out", out, "--offline", code=0)
    assert "kinds.xsd" in done.output
    assert "class Kind" in (out / "shop/types.py").read_text()


def test_only_schema_files_are_read_from_disk(wsdl: Path, out: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("password: hidden-word")
    wsdl.write_text(shop("../secret.txt"))
    done = run("shop", "--file", wsdl, "--out", out, "--offline")
    assert "hidden-word" not in done.output
    assert all(b"hidden-word" not in text for text in content(tmp_path / "out").values())


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "text", ["", "no xml", "<a/>", '<!DOCTYPE a [<!ENTITY b "c">]>' + shop(), shop()[:900]]
)
def test_file_that_is_not_a_wsdl_is_a_clear_error(wsdl: Path, out: Path, text: str) -> None:
    wsdl.write_text(text)
    done = run("shop", "--file", wsdl, "--out", out, code=2)
    assert "shop.wsdl" in done.stderr
    assert not out.exists()


@pytest.mark.parametrize(
    "name", ["class", "my-shop", "1shop", "_shop", "zxws", "lxml", "a.b", "../x", "größe"]
)
def test_unusable_package_names_are_refused(wsdl: Path, out: Path, name: str) -> None:
    done = run(name, "--file", wsdl, "--out", out, code=2)
    assert "package" in done.stderr
    with pytest.raises(InitError):
        check_name(name)


@pytest.mark.exhaustive
def test_http_address_of_the_service_is_kept(wsdl: Path, out: Path) -> None:
    wsdl.write_text(wsdl.read_text().replace("https://shop.invalid/soap", "http://shop.invalid/soap"))
    done = run("shop", "--file", wsdl, "--out", out, "--strict", code=0)
    assert "https" not in done.output
    code = "from shop.service import PACKAGE; print([port.address for port in PACKAGE.settings.ports])"
    assert imported(out, code) == "['http://shop.invalid/soap']"


@pytest.mark.parametrize("name", ["con", "Aux", "nul", "prn", "com1", "LPT9"])
def test_reserved_windows_name_is_refused(name: str) -> None:
    assert "Windows" in check_name(name)


def test_name_that_shadows_a_module_is_warned_about(wsdl: Path, out: Path) -> None:
    done = run("email", "--file", wsdl, "--out", out, code=0)
    assert "email is a module of Python" in done.stderr
    said = "list is a built-in name or keyword of Python: importing the package hides it"
    assert check_name("list") == said
    assert check_name("shop") == ""


@pytest.mark.parametrize("how", [[], ["--offline", "--url", "https://shop.invalid/"]])
def test_conflicting_options_are_refused(how: list[str]) -> None:
    done = run("shop", *how, code=2)
    assert "--file" in done.stderr


def test_package_is_generated_from_an_address(wsdl: Path, out: Path, wire: Wire) -> None:
    for text in (wsdl.read_text(), KINDS):
        wire.answers(text)
    run("shop", "--url", f"{wire.url}/shop.wsdl?apikey=s3cret", "--out", out, code=0)
    assert [sent.target for sent in wire.sent] == ["/shop.wsdl?apikey=s3cret", "/kinds.xsd"]
    files = [path for path in (out / "shop").rglob("*") if path.is_file()]
    assert [path for path in files if b"s3cret" in path.read_bytes()] == []
    assert "class Kind" in (out / "shop/types.py").read_text()
    assert run("gone", "--url", f"{wire.url}/gone.wsdl", "--out", out).exit_code == 2


_HIDING = ("soapclient", "requests", "zeep", "xmlschema", "tenacity", "urllib3", "Lxml")


@pytest.mark.parametrize(
    ("name", "said"),
    [(name, f"{name}.*Python keyword") for name in ("class", "None", "async")]
    + [(name, "would hide the required package") for name in _HIDING],
)
def test_reason_why_a_name_is_refused_is_told(name: str, said: str) -> None:
    with pytest.raises(InitError, match=said) as caught:
        check_name(name)
    assert "use letters" not in str(caught.value)


# ---- without a usable operation: each reason has its file and line, and quotes it

_SCHEMA = """<x:element name="AskRequest"><x:complexType><x:sequence/></x:complexType></x:element>
<x:element name="AskResponse"><x:complexType><x:sequence/></x:complexType></x:element>"""
_BOUND = '<operation name="Ask">\n      <s:operation'
_OFFERED = '<operation name="Ask"><input message'
_BINDING = {'<binding name="ShopBinding"': "no operation can be generated"}
_NOTIFICATION = "started by the server (notification): not supported"


@pytest.mark.parametrize(
    ("changes", "reasons"),
    [
        (
            {_BOUND: _BOUND.replace("Ask", "Ping"), _OFFERED: _OFFERED.replace("Ask", "Pong")},
            {
                '<operation name="Ping">': "the port type 'ShopPort' has no operation 'Ping'; it is omitted",
                '<operation name="Pong">': "no binding has the operation 'Pong'; it is omitted",
                **_BINDING,
            },
        ),
        (
            {'<input message="t:AskIn"/>': ""},
            {'<operation name="Ask"><output': f"the operation 'Ask' is {_NOTIFICATION}", **_BINDING},
        ),
        (
            {"http://schemas.xmlsoap.org/wsdl/soap/": "urn:example:other"},
            {"<definitions ": "no binding over SOAP 1.1 or 1.2, so there is nothing to call"},
        ),
    ],
    ids=["operations of one side", "a notification", "no SOAP binding"],
)
def test_contract_without_usable_operations_is_refused(
    tmp_path: Path, changes: dict[str, str], reasons: dict[str, str]
) -> None:
    text = document(_SCHEMA)
    for usual, instead in changes.items():
        assert text.count(usual) == 1
        text = text.replace(usual, instead)
    file = tmp_path / "shop.wsdl"
    file.write_text(text)
    done = run("shop", "--file", file, "--out", tmp_path / "out", code=2)
    assert not (tmp_path / "out").exists()
    said = done.output.removeprefix("bindgen: ").strip().split("\n\n")
    assert len(said) == len(reasons)
    for piece, why in reasons.items():
        ((number, line),) = [(at, line) for at, line in enumerate(text.split("\n"), 1) if piece in line]
        (message,) = [each for each in said if why in each]
        assert message.startswith(f"shop.wsdl:{number}: {why}\n  {number:>5} | {line}"), message


# ---- `--may-be-missing`: required elements that a service omits are optional in responses

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


def test_may_be_missing_makes_required_elements_optional(
    lacking: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("gone", "--file", lacking, "--out", out, "--may-be-missing", MISSING, "--strict", code=0)
    monkeypatch.syspath_prepend(str(out))
    operation = importlib.import_module("gone.service").ASK
    space = "urn:example:shop"
    reader = CountingReader()
    bare = etree.fromstring(f'<AskResponse xmlns="{space}"><id>7</id></AskResponse>')
    found = operation.read_response(bare, reader)
    assert (found.id, found.mark, found.answer, found.reason, found.notes) == (7, None, None, None, None)
    told = {(finding.kind, finding.path) for finding in reader.findings}
    assert told == {("missing", f"AskResponse/{name}") for name in ("@mark", "answer", "reason", "notes")}
    # Elements that are present are read as usual. Other elements stay required. An empty number is None.
    there = f"""<AskResponse xmlns="{space}" mark="m"><id>7</id><answer/><reason mark="n"><id>8</id></reason>
        <notes><note>a</note></notes></AskResponse>"""
    again = operation.read_response(etree.fromstring(there), CountingReader())
    assert (again.mark, again.answer, again.reason.id, again.notes) == ("m", None, 8, ["a"])
    with pytest.raises(DecodeError, match="id"):
        operation.read_response(etree.fromstring(f'<AskResponse xmlns="{space}" mark="m"/>'), reader)


@pytest.mark.exhaustive
def test_mypy_sees_that_elements_may_be_missing(lacking: Path, out: Path, type_check: TypeCheck) -> None:
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


def test_package_records_its_generation_options(lacking: Path, out: Path) -> None:
    given = ["--may-be-missing", "AskResponse/answer", "--may-be-missing", "Base/@mark, Base/id"]
    assert run("gone", "--file", lacking, "--out", out, *given).exit_code == 0
    head = (out / "gone/types.py").read_text().splitlines()[0]
    assert "`bindgen init gone --may-be-missing AskResponse/answer,Base/@mark,Base/id`" in head
    assert run("gone", "--file", lacking, "--out", out).exit_code == 0
    assert "--may-be-missing" not in (out / "gone/types.py").read_text()


PARTS = case_text(__file__, "parts.wsdl")


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("AskResponse/answer", "answer is optional already"),
        ("AskResponse/@mark", "@mark is optional already"),
        ("Ask/kind", "Ask is not part of a response, and requests require the value"),
        ("Sub/x", "x is in a choice, so it is not required by itself"),
        ("Sub/o", "o is in a choice, so it is not required by itself"),
        ("Turns/tx", "tx is in a group that repeats, and such elements cannot be set here"),
        ("Turns/to", "to is in a group that repeats, and such elements cannot be set here"),
        ("Rows/key", "key is in a group that repeats, and such elements cannot be set here"),
        ("Rows/nothing", "Rows has no element nothing"),
        ("AskRespons/answer", "the type AskRespons is not generated"),
        ("AskResponse/@answer", "AskResponse has no "),
        ("answer", "the / is missing"),
    ],
)
def test_path_without_effect_in_may_be_missing_is_refused(wsdl: Path, out: Path, path: str, why: str) -> None:
    text = wsdl.read_text()
    start = text.index('<x:element name="AskResponse">')
    wsdl.write_text(text[:start] + PARTS + text[text.index("</x:schema>") :])
    done = run("shop", "--file", wsdl, "--out", out, "--may-be-missing", path, code=2)
    assert f"--may-be-missing {path}: {why}" in done.stderr
    assert not out.exists()
    run("shop", "--file", wsdl, "--out", out, "--may-be-missing", "AskResponse/sub,AskResponse/rows", code=0)


def test_types_with_equal_names_are_distinguished_by_namespace(wsdl: Path, out: Path) -> None:
    """A path without a namespace matches all types of that name, a path with a namespace only one."""
    kinds = wsdl.with_name("kinds.xsd")
    content = '<x:sequence><x:element name="v" type="x:int"/></x:sequence>'
    inner = f'<x:complexType name="Two">{content}</x:complexType>'
    kinds.write_text(KINDS.replace("</x:schema>", f"{inner}</x:schema>"))
    text = wsdl.read_text()
    own = '<x:element name="answer" type="x:int"/>'
    own += '<x:element name="here" type="t:Two"/><x:element name="there" type="k:Two"/>'
    text = text.replace('<x:element name="answer" type="x:int"/>', own)
    wsdl.write_text(text.replace("</x:schema>", f"{inner}</x:schema>"))
    for path, times in (("Two/v", 2), ("{urn:example:kinds}Two/v", 1)):
        assert run("two", "--file", wsdl, "--out", out, "--may-be-missing", path).exit_code == 0
        assert (out / "two/types.py").read_text().count("v: int | None = None") == times
