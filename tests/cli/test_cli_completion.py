"""Completion: offers are compared with the contracts as read by lxml.

bash is tested with keys in a terminal, zsh and fish with the requests of their scripts.
"""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from importlib import invalidate_caches
from pathlib import Path

import pytest
from click.shell_completion import get_completion_class
from click.testing import CliRunner
from lxml import etree

from bindgen import init
from soapclient.cli import completion
from soapclient.cli.application import COMMANDS, cli
from tests.cli.conftest import Environment
from tests.cli.test_cli_application import HEAVY
from tests.support.programs import ran

HERE = Path(__file__).parents[1]
WEATHER = HERE / "connection/weather.wsdl"
POLICIES = HERE / "console/wsdls/policies.wsdl"
XSD, WSDL = "{http://www.w3.org/2001/XMLSchema}", "{http://schemas.xmlsoap.org/wsdl/}"
AUTHENTICATION = {"connectId", "timestamp", "nonce", "signature"}
PORTS = [str(each.get("name")) for each in etree.parse(WEATHER).iter(f"{WSDL}port")]
PARTS = f"{XSD}sequence/{XSD}element"
ASK = "import sys; from soapclient.cli import main; code = main(); "


@pytest.fixture(autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))


def offered(*words: str) -> list[str]:
    """Return the completions of the last word."""
    shell = completion.Zsh(cli, {}, "soapclient", "_SOAPCLIENT_COMPLETE")
    return [item.value for item in shell.get_completions(list(words[:-1]), words[-1])]


class Contract:
    """The WSDL of a service, read by lxml."""

    def __init__(self, service: str) -> None:
        (path,) = HERE.parent.glob(f"wsdl/{service}/*/{service}.wsdl")
        self.root = etree.parse(path).getroot()
        (self.schema,) = self.root.iter(f"{XSD}schema")

    @property
    def operations(self) -> list[str]:
        return [str(each.get("name")) for each in self.root.iterfind(f"{WSDL}portType/{WSDL}operation")]

    def fields(self, kind: str) -> list[tuple[str, str]]:
        """Return names and types of the fields of a type or element."""
        (node,) = (each for each in self.schema if each.get("name") == kind and len(each.findall(".//*")))
        attributes = [(f"@{each.get('name')}", each) for each in node.iter(f"{XSD}attribute")]
        elements = [(str(each.get("name")), each) for each in node.iterfind(f".//{XSD}sequence/{XSD}element")]
        return [(name, str(each.get("type")).removeprefix("tns:")) for name, each in attributes + elements]

    def repeats(self, element: str) -> int:
        """Return the number of list fields in a message. Most lists are in a wrapper element."""
        (node,) = (
            each for each in self.schema if each.get("name") == element and each.tag == f"{XSD}element"
        )
        named = {each.get("name"): each for each in self.schema.iterchildren(f"{XSD}complexType")}
        top = named[str(node.get("type")).removeprefix("tns:")] if node.get("type") else node
        lists = 0
        for each in top.iterfind(f".//{PARTS}"):
            within = named.get(str(each.get("type")).removeprefix("tns:"), each).findall(f".//{PARTS}")
            item = within[0] if len(within) == 1 else each
            lists += item.get("maxOccurs") == "unbounded"
        return lists

    def values(self, kind: str) -> list[str]:
        return [
            str(each.get("value"))
            for node in self.schema.iterchildren(f"{XSD}simpleType")
            if node.get("name") == kind
            for each in node.iter(f"{XSD}enumeration")
        ]


@pytest.fixture(scope="module")
def publisher() -> Contract:
    return Contract("publisher")


def test_commands_and_services_are_offered() -> None:
    assert sorted(offered("")) == sorted(COMMANDS)
    assert offered("de") == ["describe", "decode", "demo"]
    services = ["publisher", "data", "advertiser"]
    assert offered("call", "") == offered("describe", "") == offered("table", "") == services
    assert offered("sign", "soap", "") == services[:2]


def test_operations_of_the_contract_are_offered(publisher: Contract) -> None:
    over_soap = offered("sign", "soap", "publisher", "")
    assert over_soap == publisher.operations
    for command in ("call", "describe", "decode"):
        every = offered(command, "publisher", "")
        assert set(over_soap) < set(every)
        assert offered(command, "publisher", "GetSale") == [
            name for name in every if name.startswith("GetSale")
        ]
    assert offered("call", "data", "") == Contract("data").operations


def test_only_list_operations_are_offered_for_tables(publisher: Contract) -> None:
    lists = [name for name in publisher.operations if publisher.repeats(f"{name}Response") == 1]
    assert len(lists) > 10
    assert [name for name in offered("table", "publisher", "") if name in publisher.operations] == lists


@pytest.mark.parametrize("command", ["call", "table"])
def test_fields_of_the_request_are_offered(publisher: Contract, command: str) -> None:
    wanted = [f"{name}=" for name, _ in publisher.fields("GetSalesRequest") if name not in AUTHENTICATION]
    assert offered(command, "publisher", "GetSales", "") == wanted
    assert offered(command, "publisher", "get_sales", "rev") == ["reviewState="]


def test_given_fields_are_not_offered_again_unless_they_repeat() -> None:
    left = offered("call", "publisher", "GetSales", "date=2026-11-01", "review_state=open", "")
    assert "dateType=" in left
    assert not {"date=", "reviewState="} & set(left)
    assert "groupBy=" in offered("call", "publisher", "GetReportBasic", "groupBy=day", "")


def test_python_names_are_offered_after_a_python_name() -> None:
    assert offered("call", "publisher", "GetSales", "date_") == ["date_type="]
    assert offered("call", "publisher", "UpdateAdspace", "adspace_item.adspace_t") == [
        "adspace_item.adspace_type="
    ]


def test_nested_fields_are_offered_level_by_level(publisher: Contract) -> None:
    call = ("call", "publisher", "UpdateAdspace")
    assert offered(*call, "") == ["adspaceItem."]
    inner = offered(*call, "adspaceItem.")
    assert {name.rstrip("=.") for name in inner} == {
        f"adspaceItem.{name}" for name, _ in publisher.fields("adspaceItem")
    }
    assert "adspaceItem.categories." in inner
    assert offered(*call, "adspaceItem.categories.") == [
        "adspaceItem.categories.category=",
        "adspaceItem.categories.category.",
    ]
    assert offered(*call, "adspaceItem.categories.category[2].@") == [
        "adspaceItem.categories.category[2].@id=",
        "adspaceItem.categories.category[2].@xsi:type=",
    ]


@pytest.mark.parametrize(
    ("operation", "name", "kind"),
    [
        ("GetSales", "dateType", "dateTypeEnum"),
        ("GetSales", "date_type", "dateTypeEnum"),
        ("GetReportBasic", "groupBy", "groupByEnum"),
        ("GetReportBasic", "groupBy[3]", "groupByEnum"),
        ("UpdateAdspace", "adspaceItem.adspaceType", "adspaceTypeEnum"),
    ],
)
def test_values_of_the_enumeration_are_offered(
    publisher: Contract, operation: str, name: str, kind: str
) -> None:
    values = publisher.values(kind)
    assert len(values) > 2
    assert offered("call", "publisher", operation, f"{name}=") == [f"{name}={value}" for value in values]
    first = values[0]
    assert offered("call", "publisher", operation, f"{name}={first[:-1]}") == [f"{name}={first}"]


def test_values_of_other_types_are_offered() -> None:
    call = ("call", "publisher")
    assert offered(*call, "SearchPrograms", "isExclusive=") == ["isExclusive=true", "isExclusive=false"]
    assert offered(*call, "GetSales", "date=") == []
    category = "adspaceItem.categories.category.@xsi:type="
    assert offered(*call, "UpdateAdspace", category) == [
        f"{category}subStringIdentifierType",
        f"{category}subStringIdentifierTypeWithStatus",
    ]


def test_report_types_and_options_of_an_order_are_offered() -> None:
    """From `wsdl/contracts.toml` and the enumerations of data.wsdl."""
    types = ["click", "clickin", "lead", "sale", "cashback", "custom"]
    assert offered("export", "") == [*types, "resume"]
    assert offered("export", "cl") == ["click", "clickin"]
    assert offered("call", "data", "CreateReportJob", "reportType=c") == [
        f"reportType={each}" for each in types if each.startswith("c")
    ]
    data = Contract("data")
    assert offered("export", "sale", "--date-type", "") == data.values("dateTypeEnum")
    assert offered("export", "sale", "--review-state", "") == data.values("reviewStateEnum")
    assert offered("export", "sale", "--group-by", "country,") == [
        f"country,{each}"
        for each in ("currency", "admedium", "program", "adspace", "linkformat", "month", "day")
    ]
    assert offered("export", "custom", "--columns", "saleId,clickI") == ["saleId,clickId", "saleId,clickInId"]
    assert offered("call", "data", "CreateReportJob", "columns=saleId,am") == ["columns=saleId,amount"]
    assert offered("table", "publisher", "GetSales", "--protocol=r") == ["--protocol=rest"]


# ---- other packages


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    init.write(tmp_path / "completed_weather", init.make("completed_weather", WEATHER, offline=True).files)
    (tmp_path / "weather.wsdl").write_bytes(WEATHER.read_bytes())
    (tmp_path / "no_package").mkdir()
    (tmp_path / "no_package/schema.json").write_text("{}")
    monkeypatch.chdir(tmp_path)
    invalidate_caches()
    return tmp_path


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("of", [("--package", "completed_weather"), ("--file", "weather.wsdl")])
def test_operations_of_any_service_are_offered(of: tuple[str, ...]) -> None:
    assert offered("call", *of, "") == ["GetWeather", "Observe", "Swap", "Ping"]
    assert offered("call", *of, "GetWeather", "") == ["city=", "days="]
    assert offered("describe", *of, "S") == ["Swap"]
    assert offered("describe", *of, "Swap", "") == []


@pytest.mark.usefixtures("folder")
def test_headers_and_ports_are_offered() -> None:
    get = ("call", "--file", "weather.wsdl", "GetWeather", "--header")
    assert offered(*get, "") == ["session."]
    assert offered(*get, "session.") == ["session.token="]
    assert offered(*get, "session.token=x", "city=") == []
    assert offered("call", "--package", "completed_weather", "--port", "") == PORTS
    assert offered("call", "publisher", "GetSales", "--header", "") == []


@pytest.mark.usefixtures("folder")
def test_packages_are_offered() -> None:
    for command in ("call", "describe", "mock", "console"):
        assert offered(command, "--package", "comp") == ["completed_weather"]
        assert "no_package" not in offered(command, "--package", "")
    assert offered("call", "--package", "zxws.") == ["zxws.advertiser", "zxws.data", "zxws.publisher"]


def test_nil_is_offered_if_allowed() -> None:
    patch = ("call", "--file", str(HERE / "corpus/contracts/nillables.wsdl"), "Patch")
    assert offered(*patch, "deep.") == ["deep.when=", "deep.@xsi:nil="]
    assert offered(*patch, "required.") == ["required.@xsi:nil="]
    assert offered(*patch, "required.@xsi:nil=") == ["required.@xsi:nil=true"]
    assert offered(*patch, "deep") == ["deep."]


def test_fixed_value_and_element_text_are_offered() -> None:
    corpus = HERE / "corpus/contracts"
    of = ("call", "--file", str(corpus / "defaults.wsdl"), "Print")
    assert offered(*of, "protocol=") == ["protocol=IPP"]
    assert offered(*of, "quality=") == ["quality=draft", "quality=best"]
    of = ("call", "--file", str(corpus / "simple-contents.wsdl"), "Weigh")
    assert offered(*of, "p") == ["price=", "price."]
    assert offered(*of, "price.") == ["price.@currency=", "price.@xsi:type="]
    assert offered(*of, "price=") == []
    assert offered("call", "publisher", "UpdateAdspace", "adspaceItem=") == []  # it does not have text


# ---- shells


def asked(
    line: str, shell: str, environment: Environment, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run the completion as a shell's script does. stderr has the exit code and any expensive modules."""
    code = ASK + f"print(code, *({set(HEAVY)} & set(sys.modules)), file=sys.stderr)"
    asking = {"_SOAPCLIENT_COMPLETE": f"{shell}_complete", "COMP_WORDS": line, "COMP_LINE": line}
    env = {**environment, **asking, **variables}
    return ran([sys.executable, "-c", code], env=env)


LINES = [
    "soapclient call publisher GetSales dateType=cl",
    "soapclient table publisher GetSa",
    "soapclient export cli",
    "soapclient des",
]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("line", LINES)
def test_completion_loads_neither_zeep_nor_requests(line: str, clean_environment: Environment) -> None:
    done = asked(line, "zsh", clean_environment, COMP_CWORD=str(len(line.split()) - 1))
    assert set(done.stderr.split()) <= {"0", "msgspec"}
    assert done.stdout.startswith("plain\n")


@pytest.mark.exhaustive
def test_zsh_and_fish_get_their_formats(clean_environment: Environment) -> None:
    call = "soapclient call publisher UpdateAdspace"
    zsh = asked(f"{call} adspaceItem.na", "zsh", clean_environment, COMP_CWORD="4").stdout
    assert zsh == "plain\nadspaceItem.name=\nxsd:string, required\n"
    fish = asked(f"{call} adspaceItem.na", "fish", clean_environment, COMP_CWORD="adspaceItem.na").stdout
    assert fish == "plain,adspaceItem.name=\txsd:string, required\n"
    export = "soapclient export custom --columns saleId,am"
    fish = asked(export, "fish", clean_environment, COMP_CWORD="saleId,am").stdout
    assert fish == "plain,saleId,amount\n"
    described = asked(
        "soapclient describe publisher GetProfi", "zsh", clean_environment, COMP_CWORD="3"
    ).stdout
    assert described.splitlines()[:2] == ["plain", "GetProfile"]
    assert described.splitlines()[2].endswith(".")
    nothing = asked("soapclient call publisher GetSales x", "bash", clean_environment)  # without COMP_WORD
    assert (nothing.stdout, nothing.stderr) == ("\n", "0 msgspec\n")


def test_scripts_add_no_space_within_a_name_and_keep_commas() -> None:
    zsh, fish = (
        shell(cli, {}, "soapclient", "_SOAPCLIENT_COMPLETE").source()
        for shell in (completion.Zsh, completion.Fish)
    )
    assert zsh.count('"${suffix[@]}"') == 2
    assert "&& suffix=(-S '')" in zsh
    assert 'string split -m 1 ","' in fish


@pytest.mark.parametrize(
    "words",
    [
        ("call", "nobody", "GetSales", ""),
        ("call", "publisher", "NoSuch", ""),
        ("call", "publisher", "GetSales", "no.such="),
        ("call", "publisher", "GetSales", "date.x.y="),
        ("call", "publisher", "GetSales", "[=="),
        ("call", "--package", "no_such_package", ""),
        ("call", "--file", __file__, ""),
        ("call", "--json", "no_such_file", "publisher", "GetSales", "=x"),
        ("table", "publisher", "NoSuch", ""),
        ("decode", "nobody", ""),
        ("--config", "no_such_file.toml", "sign", "soap", "advertiser", ""),
    ],
)
def test_nothing_is_offered_for_unknown_input(
    words: tuple[str, ...], capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMP_WORDS", " ".join(["soapclient", *words]))
    monkeypatch.setenv("COMP_CWORD", str(len(words)))
    assert completion.Zsh(cli, {}, "soapclient", "_SOAPCLIENT_COMPLETE").complete() == ""
    assert capfd.readouterr() == ("", "")


class Terminal:
    """An interactive bash with the completion of `soapclient`."""

    def __init__(self, folder: Path, environment: Environment) -> None:
        program = folder / "soapclient"
        program.write_text(f'#!/bin/sh\nexec {sys.executable} -m soapclient.cli "$@"\n')
        program.chmod(0o755)
        path = f"{folder}:{os.environ['PATH']}"
        self._keys, inside = pty.openpty()
        self._seen = b""
        self._bash = subprocess.Popen(
            ["bash", "--noprofile", "--norc", "-i"],
            stdin=inside,
            stdout=inside,
            stderr=inside,
            cwd=folder,
            env={**environment, "PATH": path, "TERM": "dumb", "INPUTRC": os.devnull, "HISTFILE": os.devnull},
            start_new_session=True,
        )
        os.close(inside)
        self._press("PS1=; bind 'set bell-style none'; set -u\n")
        # A key that prints the line.
        self._press('bind -x \'"\\e[24~": printf "\\n<<%s>>\\n" "$READLINE_LINE"\'\n')
        self._press('eval "$(_SOAPCLIENT_COMPLETE=bash_source soapclient)"\n')
        self._press("printf 'is %s\\n' ready\n")
        self._until(b"is ready")

    def line(self, keys: str) -> str:
        """Return the line after these keys."""
        self._press(f"\x15{keys}\x1b[24~")
        self._until(b"<<")
        return self._until(b">>")

    def close(self) -> None:
        self._bash.kill()
        self._bash.wait()
        os.close(self._keys)

    def _press(self, keys: str) -> None:
        os.write(self._keys, keys.encode())

    def _until(self, end: bytes) -> str:
        while end not in self._seen:
            self._seen += os.read(self._keys, 4096)
        before, _, self._seen = self._seen.partition(end)
        return before.decode()


@pytest.fixture(scope="module")
def terminal(tmp_path_factory: pytest.TempPathFactory, clean_environment: Environment) -> Iterator[Terminal]:
    made = Terminal(tmp_path_factory.mktemp("bash"), clean_environment)
    yield made
    made.close()


ONE = "call publisher UpdateAdspace adspaceItem.categories.category"


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("desc\t", "describe "),
        ("call publisher GetSales dateT\t", "call publisher GetSales dateType="),
        # `=`, `@` and `:` end words in bash.
        ("call publisher GetSales dateType=\ttr\t", "call publisher GetSales dateType=trackingDate "),
        ('call publisher GetSales "dateType=cl\t', 'call publisher GetSales "dateType=clickDate" '),
        ("call publisher UpdateAdspace ads\t@\t", "call publisher UpdateAdspace adspaceItem.@id="),
        (f"{ONE}.@xs\tsubStringIdentifierTypeW\t", f"{ONE}.@xsi:type=subStringIdentifierTypeWithStatus "),
        ("table publisher GetSales --protocol=re\t", "table publisher GetSales --protocol=rest "),
        ("export custom --columns saleId,am\t", "export custom --columns saleId,amount "),
        ("call nobody GetSales x\t", "call nobody GetSales x"),
        ("decode publisher GetSales ./soapc\t", "decode publisher GetSales ./soapclient "),
        ("backfill ./soapc\t", "backfill ./soapclient "),
    ],
)
def test_bash_completion_works(terminal: Terminal, typed: str, completed: str) -> None:
    assert terminal.line(f"soapclient {typed}") == f"soapclient {completed}"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_command_prints_the_script_of_the_shell(shell: str) -> None:
    done = CliRunner().invoke(cli, ["completion", shell], prog_name="soapclient")
    assert (done.exit_code, done.stderr) == (0, "")
    kind = get_completion_class(shell)
    assert kind is not None
    assert done.stdout == kind(cli, {}, "soapclient", "_SOAPCLIENT_COMPLETE").source().strip() + "\n"
    assert f"_SOAPCLIENT_COMPLETE={shell}_complete" in done.stdout
