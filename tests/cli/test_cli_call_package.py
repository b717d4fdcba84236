"""`soapclient call` for packages and WSDLs of any service.

Requests are read with lxml and hmac. The output is compared with the configured response.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import shlex
import sys
from collections.abc import Callable, Iterator
from importlib import invalidate_caches
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from lxml import etree

from bindgen import init
from bindgen.cli import main
from soapclient.cli.consoles import connected
from soapclient.connection import Credentials
from soapclient.testing import Mock, mock
from tests.cli.conftest import Run, error_of, output_of

HERE = Path(__file__).parents[1]
WSDLS = {
    "called_weather": HERE / "connection/weather.wsdl",
    "called_orders": HERE / "console/wsdls/orders.wsdl",
    "called_policies": HERE / "console/wsdls/policies.wsdl",
    "called_archive": HERE / "console/wsdls/archive.wsdl",
}
XSI = "{http://www.w3.org/2001/XMLSchema-instance}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of the packages."""
    folder = tmp_path_factory.mktemp("called")
    for name, wsdl in WSDLS.items():
        init.write(folder / name, init.make(name, wsdl, offline=True).files)
    sys.path.insert(0, str(folder))
    invalidate_caches()
    yield folder
    sys.path.remove(str(folder))


@pytest.fixture
def serve(folder: Path) -> Iterator[Callable[[str], Mock]]:
    mocks: list[Mock] = []

    def make(name: str) -> Mock:
        mocks.append(mock(name))
        return mocks[-1]

    yield make
    for each in mocks:
        each.close()


@pytest.fixture
def weather(serve: Callable[[str], Mock]) -> Mock:
    return serve("called_weather")


def received(mocked: Mock, operation: str) -> etree._Element:
    """Return the Envelope of the last request of an operation."""
    return etree.fromstring(mocked.calls(operation)[-1].received.encode())


def texts(node: etree._Element, *names: str) -> list[str | None]:
    return [each.text for each in node.iter() if etree.QName(each).localname in names]


def printed(result: Result) -> object:
    return json.loads(output_of(result))


def test_a_package_is_called_and_its_typed_response_printed(run_unset: Run, weather: Mock) -> None:
    seen = "2026-11-01T10:00:00+01:00"
    expected: dict[str, Any] = {"degrees": "21.50", "sky": "clear", "seen": seen, "station": ["a", "b"]}
    weather.on("GetWeather", city="Berlin").reply(**expected)
    at = ("call", "--package", "called_weather", "--address", weather.address())
    assert printed(run_unset(*at, "GetWeather", "city=Berlin", "days=2")) == expected
    assert texts(received(weather, "GetWeather"), "city", "days") == ["Berlin", "2"]
    given = json.dumps({"city": "Berlin", "days": 2})
    assert printed(run_unset(*at, "get_weather", "-", stdin=given)) == expected
    assert printed(run_unset(*at, "Observe", "degrees=1.5")) == {}
    assert printed(run_unset(*at, "Swap", "First=x", "second=3")) == pair_of(weather)


def pair_of(weather: Mock) -> object:
    sent = etree.fromstring(weather.calls("Swap")[-1].sent.encode())
    ((first,), (second,)) = (texts(sent, name) for name in ("First", "Second"))
    return {"First": first, "Second": int(str(second))}


def test_wsdl_works_like_a_package(run_unset: Run, weather: Mock) -> None:
    weather.on("GetWeather").reply(degrees="3", sky="cloudy", seen=None, station=[])
    given = ("--file", str(WSDLS["called_weather"]), "--address", weather.address())
    for _ in range(2):  # two packages with the same name, one after the other
        found = printed(run_unset("call", *given, "GetWeather", "city=Rome"))
        assert found == {"degrees": "3", "sky": "cloudy"}


def test_headers_and_ports_are_options(run_unset: Run, weather: Mock) -> None:
    at = ("call", "--package", "called_weather", "--address", weather.address("Weather12"))
    words = ("--port", "Weather12", "GetWeather", "city=Rome", "--header", "session.token=t")
    assert output_of(run_unset(*at, *words))
    sent = received(weather, "GetWeather")
    assert etree.QName(sent).namespace == "http://www.w3.org/2003/05/soap-envelope"
    assert texts(sent[0], "token") == ["t"]


def test_lists_nil_choices_and_types_can_be_expressed(run_unset: Run, serve: Callable[[str], Mock]) -> None:
    orders, policies = serve("called_orders"), serve("called_policies")
    words = (
        "order.OrderId=01234567-89ab-cdef-0123-456789abcdef", "order.CustomerNumber=7",
        "order.OrderedAt=2026-11-01T09:30:00", "order.RequestedDelivery.@xsi:nil=true",
        "order.Priority=Low", "order.BillTo.Name=N", "order.BillTo.Street=A", "order.BillTo.Street=B",
        "order.BillTo.PostCode=1", "order.BillTo.City=C",
        "order.Lines[1].@position=1", "order.Lines[1].Sku=s", "order.Lines[1].Quantity=1",
        "order.Lines[1].UnitPrice=1.5",
        "order.Lines[2].@position=2", "order.Lines[2].Sku=t", "order.Lines[2].Quantity=2",
        "order.Lines[2].UnitPrice=2.5", "order.Discount.@xsi:nil=true", "dryRun=true",
        "--header=CallerHeader.UserName=u", "--header=CallerHeader.Ticket=t",
    )  # fmt: skip
    at = ("--package", "called_orders", "--address", orders.address("OrderServiceSoap"))
    assert output_of(run_unset("call", *at, "SubmitOrder", *words))
    sent = received(orders, "SubmitOrder")
    assert texts(sent, "Sku", "UserName") == ["u", "s", "t"]
    assert texts(sent, "Street", "OrderedAt") == ["2026-11-01T09:30:00", "A", "B"]
    nil = [etree.QName(node).localname for node in sent.iter() if node.get(f"{XSI}nil") == "true"]
    assert nil == ["RequestedDelivery", "Discount"]
    at = ("--package", "called_policies", "--address", policies.address())
    result = run_unset(
        "call", *at, "quote", "holder.@xsi:type=company", "holder.phone=0123", "holder.legalName=W & S",
        "term.start=2026-11-01", "cover.@kind=fire", "cover.limit=1.23",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    (holder,) = received(policies, "quote").iter("{*}holder")
    assert str(holder.get(f"{XSI}type")).rpartition(":")[2] == "company"
    assert [etree.QName(node).localname for node in holder] == ["phone", "legalName"]


DOCUMENT = ("document.title=T", "document.mediaType=text/plain", "document.content=AAEC")


def test_any_type_fields_accept_xml_or_text(run_unset: Run, serve: Callable[[str], Mock]) -> None:
    archive = serve("called_archive")
    words = (
        *("call", "--package", "called_archive", "--address", archive.address(), "Store", *DOCUMENT),
        *("--header=session=s", "document.property[1].@name=a", "document.property[2].@name=b"),
        "document.property[2].value=<x:size xmlns:x='urn:example:other'>3</x:size>",
        "any=<note xmlns='urn:example:other'>n</note>",
    )
    result = run_unset(*words, "document.property[1].value=plain & simple")
    assert "well-formed" in result.stderr  # because of the ampersand
    assert output_of(run_unset(*words, "document.property[1].value=plain &amp; simple"))
    sent = received(archive, "Store")
    plain, size = sent.iter("{*}value")
    assert (plain.text, [node.tag for node in size]) == ("plain & simple", ["{urn:example:other}size"])
    assert [node.text for node in sent.iter("{urn:example:other}note")] == ["n"]
    assert texts(sent, "Session") == ["s"]


def test_request_without_fields_is_reported(run_unset: Run, serve: Callable[[str], Mock]) -> None:
    archive = serve("called_archive")
    at = ("call", "--package", "called_archive", "--address", archive.address(), "Store", *DOCUMENT)
    stderr = error_of(run_unset(*at, "document.property.@name=a", "document.property.value.x=1"), 4)
    assert "does not have inner fields" in stderr
    assert archive.calls() == []


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["GetWether", "city=x"], "did you mean GetWeather?"),
        (["GetWeather"], "GetWeather: city"),
        (["GetWeather", "city=x", "dais=1"], "did you mean days?"),
        (["GetWeather", "city=x", "days=soon"], "whole number"),
        (["GetWeather", f"city={'x' * 21}"], "20"),
        (["GetWeather", "city=x", "city.@xsi:nil=true"], "it cannot be nil"),
        (["GetWeather", "city.@xsi:type=Town"], "unknown type"),
        (["GetWeather", "city=x", "--header=sesion.token=x"], "did you mean session?"),
        (["Ping", "--header=a=x"], "none, because the operation does not have headers"),
        (["GetWeather", "city=x", "--header=session.token=x", "--header=session=y"], "session"),
        (["GetWeather", "city=x", "--port", "Weather13"], "did you mean Weather12?"),
    ],
)
def test_invalid_request_is_one_line_and_nothing_is_sent(
    run_unset: Run, weather: Mock, words: list[str], said: str
) -> None:
    result = run_unset("call", "--package", "called_weather", "--address", weather.address(), *words)
    stderr = error_of(result, 3 if "--port" in words else 4)
    assert stderr.startswith("soapclient: ")
    lines = stderr.splitlines()
    if lines[1:]:  # the suggested call, if an argument is missing
        assert run_unset(*shlex.split(lines.pop().partition("for example: soapclient ")[2])).exit_code == 7
    assert len(lines) == 1
    assert said in stderr
    assert weather.calls() == []


def test_faults_and_drift_are_printed(run_unset: Run, weather: Mock) -> None:
    weather.on("GetWeather", city="Atlantis").fault("there is no such city", "unknown", city="Atlantis")
    weather.on("GetWeather", city="Rome").drifts("element")
    at = ("call", "--package", "called_weather", "--address", weather.address(), "GetWeather")
    assert "there is no such city" in error_of(run_unset(*at, "city=Atlantis"), 6)
    result = run_unset(*at, "city=Rome")
    assert result.exit_code == 0
    assert "unknown element, once" in result.stderr


def test_settings_of_a_file_apply(run_unset: Run, weather: Mock, tmp_path: Path) -> None:
    file = tmp_path / "strict.toml"
    file.write_text('drift = "error"\nuser_agent = "of-a-file"\n')
    weather.on("GetWeather", city="Rome").drifts("element")
    at = ("--package", "called_weather", "--address", weather.address(), "GetWeather", "city=Rome")
    result = run_unset("--config", str(file), "call", *at, "--trace", "--save", str(tmp_path / "kept.xml"))
    assert "of-a-file" in error_of(result, 9)
    assert "unheardOf" in (tmp_path / "kept.xml").read_text()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--package", "a", "--file", str(WSDLS["called_weather"]), "Ping"], "not both"),
        (["publisher"], "Missing argument 'OPERATION'"),
        (
            ["publisher", "GetProfile", "--address", "https://x.example"],
            "can be used only with --package or --file",
        ),
        (["publisher", "GetProfile", "--header", "a=b"], "can be used only with --package or --file"),
        (
            ["--package", "called_weather", "Ping", "--protocol", "rest"],
            "--protocol can be used only with a SERVICE",
        ),
        (["weather", "GetWeather"], "is not one of"),
        (["--package", "called_weather", "Ping", "--header", "-"], "headers cannot be read from stdin (-)"),
    ],
)
def test_conflicting_or_unusable_arguments_are_refused(
    run_unset: Run, folder: Path, arguments: list[str], said: str
) -> None:
    assert said in error_of(run_unset("call", *arguments, stdin="{}"), 2)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("no_such_package", "bindgen init no_such_package"),
        ("json", "soapclient: json was not generated by bindgen"),
        ("__main__", "soapclient: __main__ was not generated by bindgen"),
    ],
)
def test_invalid_package_is_one_line(run_unset: Run, name: str, said: str) -> None:
    assert said in error_of(run_unset("call", "--package", name, "Ping"), 1)


@pytest.mark.parametrize("name", ["", ".", ".a", "a-b", "a..b"])
@pytest.mark.parametrize("command", [("call", "Ping"), ("describe", "Ping"), ("mock",), ("console",)])
def test_invalid_package_name_is_refused(run_unset: Run, command: tuple[str, ...], name: str) -> None:
    assert f"{name!r} is not the name of a package" in error_of(run_unset(*command, "--package", name), 2)


@pytest.mark.parametrize(
    ("number", "code", "said"),
    [
        (1, "raise RuntimeError('odd')", "(RuntimeError: odd)"),
        (2, "def", "(SyntaxError: "),
        (3, "import no_such_library", "(ModuleNotFoundError: No module named 'no_such_library')"),
        (4, "from json import nothing", "(ImportError: cannot import name 'nothing'"),
        (5, "import sys; sys.exit(3)", "(SystemExit: 3)"),
    ],
)
@pytest.mark.parametrize("command", [("call", "Ping"), ("describe", "Ping"), ("mock",)])
def test_package_that_fails_on_import_is_reported(
    run_unset: Run, folder: Path, number: int, code: str, said: str, command: tuple[str, ...]
) -> None:
    """The message does not suggest to generate the package again, because that would overwrite it."""
    name = f"called_broken_{number}"
    (folder / name).mkdir(exist_ok=True)
    (folder / name / "__init__.py").write_text("")
    (folder / name / "service.py").write_text(code)
    stderr = error_of(run_unset(*command, "--package", name), 1)
    assert stderr.startswith(f"soapclient: the package {name} cannot be imported {said}")
    assert "was not found" not in stderr


def test_address_errors_mention_the_command_line_option(run_unset: Run, folder: Path) -> None:
    for address in ("", "ftp://x.example", "http://x.example/", "https://a:b@x.example/"):
        stderr = error_of(run_unset("call", "--package", "called_weather", "Ping", "--address", address), 3)
        assert "--address" in stderr
        assert "connect(" not in stderr


@pytest.mark.skipif(sys.platform != "linux", reason="names of any bytes")
def test_file_name_that_is_not_text_is_handled(run_unset: Run, tmp_path: Path) -> None:
    file = os.fsdecode(os.fsencode(tmp_path) + b"/\xff\xfe.wsdl")
    Path(file).write_bytes(WSDLS["called_weather"].read_bytes())
    assert "GetWeather" in output_of(run_unset("describe", "--file", file))


def test_a_package_of_another_version_is_one_line(run_unset: Run, folder: Path) -> None:
    (folder / "called_before").mkdir()
    for name in ("__init__", "service"):
        (folder / f"called_before/{name}.py").write_text("")
    stderr = error_of(run_unset("call", "--package", "called_before", "Ping"), 1)
    assert "Generate the package again" in stderr


@pytest.mark.exhaustive
def test_signing_package_uses_the_configured_credentials(
    run_unset: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # packages in the current folder are found
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "called_shop.toml").write_text(
        'format = 2\n[signing]\nscheme = "zxws"\nservice_name = "shopservice"\n'
        'connect_id = "connectId"\ntimestamp = "timestamp"\n'
        'nonce = "nonce"\nsignature = "signature"\n'
    )
    wsdl = HERE.parent / "wsdl/publisher/2011-03-01/publisher.wsdl"
    done = CliRunner().invoke(main, ["init", "called_shop", "--file", str(wsdl), "--offline"])
    assert done.exit_code == 0, done.output
    with mock("called_shop") as mocked:
        at = ("call", "--package", "called_shop", "--address", mocked.address(), "GetProfile")
        assert "connect_id" in error_of(run_unset(*at), 3)
        env = {"SOAPCLIENT_CONNECT_ID": "A" * 20, "SOAPCLIENT_SECRET_KEY": "a secret"}
        assert run_unset(*at, env=env).exit_code == 0
        with connected("called_shop", None, lambda _: mocked.address(), Credentials("B" * 20, "s")) as shown:
            assert [target.name for target in shown.targets] == ["called_shop"]
        names = ("connectId", "timestamp", "nonce", "signature")
        who, when, nonce, signature = texts(received(mocked, "GetProfile"), *names)
    signed = f"shopservicegetprofile{when}{nonce}".encode()
    digest = hmac.new(b"a secret", signed, hashlib.sha1).digest()
    assert (who, signature) == ("A" * 20, base64.b64encode(digest).decode())
