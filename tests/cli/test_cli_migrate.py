"""`soapclient migrate`: code for zeep, in cases/migrate, and the code that it becomes, in golden/migrate.

After an intended change, run this file with `pytest --update` and review the diff.
"""

from __future__ import annotations

import ast
import runpy
from contextlib import chdir
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from bindgen import init
from soapclient.cli.application import cli
from soapclient.cli.migration.source import Source
from soapclient.testing import mock
from tests.cli.conftest import output_of
from tests.support.golden import Golden

CASES = Path(__file__).parent / "cases/migrate"
WSDL = CASES / "shop.wsdl"
ADDRESS = "http://127.0.0.1:9/soap"


def migrate(folder: Path, *arguments: str) -> Result:
    with chdir(folder):
        return CliRunner().invoke(cli, ["migrate", *arguments])


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Result]:
    """The result for each case. The WSDL is next to the code."""
    folder = tmp_path_factory.mktemp("migrate")
    (folder / WSDL.name).write_bytes(WSDL.read_bytes())
    results = {}
    for case in sorted(CASES.glob("*.txt")):
        code = folder / f"{case.stem}.py"
        code.write_bytes(case.read_bytes())
        results[case.stem] = migrate(folder, code.name)
        assert code.read_bytes() == case.read_bytes()
    return results


def test_results_equal_the_golden_files(results: dict[str, Result], golden: Golden) -> None:
    texts = {
        f"{name}.golden": f"{done.stdout}--- exit code {done.exit_code}, stderr:\n{done.stderr}"
        for name, done in results.items()
    }
    assert len(texts) > 8
    golden.check_folder("migrate", texts)


def test_results_are_python_and_their_exit_code_says_if_comments_are_left(results: dict[str, Result]) -> None:
    for name, done in results.items():
        compile(done.stdout, name, "exec", dont_inherit=True)
        assert done.exit_code == ("# soapclient: " in done.stdout), name


def test_migrated_program_prints_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    init.write(tmp_path / "shop_mocked", init.make("shop_mocked", WSDL).files)
    line = {"article_id": "B", "pieces": 3}
    with mock("shop_mocked") as service:
        service.on("PlaceOrder").reply(order_number=7, order_lines=[line, line])
        service.on("CountOrders", customer_name="Ada").reply(order_count=3)
        service.on("CountOrders", customer_name="nobody").reply(order_count=0)
        wsdl = WSDL.read_text(encoding="utf-8").replace(ADDRESS, service.address())
        (tmp_path / WSDL.name).write_text(wsdl, encoding="utf-8")
        init.write(tmp_path / "shop_migrated", init.make("shop_migrated", tmp_path / WSDL.name).files)
        before = tmp_path / "before.py"
        before.write_bytes((CASES / "calls.txt").read_bytes())
        done = migrate(tmp_path, "--name", "shop_migrated", before.name)
        assert done.exit_code == 0, done.output
        after = tmp_path / "after.py"
        after.write_text(done.stdout, encoding="utf-8")
        monkeypatch.chdir(tmp_path)
        printed: list[str] = []
        requests: list[object] = []
        for program in (before, after):
            runpy.run_path(str(program), run_name="__main__")
            printed.append(capsys.readouterr().out)
            requests.append([call.request for call in service.calls()[3 * len(requests) :]])
        assert len(service.calls()) == 6
    assert "zeep" not in done.stdout
    assert printed[0] == printed[1] == "B 3\nB 3\nB [3, 3]\n7 3\n"
    assert requests[0] == requests[1]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "code.py: No such file or directory"),
        (b"import zeep\nclient = zeep.Client(\n", "code.py:2: not Python: '(' was never closed"),
        (b"# coding: unheard-of\n", "code.py: not Python: the encoding is not valid"),
        (b"name = '\xff'\n", "code.py: not Python: the encoding is not valid"),
        (b"import zeep\n" + b"(" * 500, "code.py:2: not Python: too many nested parentheses"),
    ],
)
def test_file_that_is_not_python_is_reported(tmp_path: Path, content: bytes | None, message: str) -> None:
    if content is not None:
        (tmp_path / "code.py").write_bytes(content)
    done = migrate(tmp_path, "code.py")
    assert (done.exit_code, done.stdout, done.stderr) == (2, "", f"soapclient: {message}\n")


def test_wsdl_can_be_given_as_an_option(tmp_path: Path) -> None:
    code = "import sys, zeep\nprint(zeep.Client(sys.argv[1]).service.CountOrders('Ada'))\n"
    (tmp_path / "code.py").write_text(code, encoding="utf-8")
    stdout = output_of(migrate(tmp_path, "--file", str(WSDL), "code.py"))
    assert stdout.splitlines()[-1] == (
        "print(connect(ShopService).count_orders(customer_name='Ada').order_count)"
    )


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("client.service", "client"),
        ("(await client).service", "(await client)"),
        ("(client. # see x.y\n service)", "(client"),
        ("(client # see x.y\n .service)", "(client # see x.y\n "),
        ("((client) # (x).y\n [0])", "((client) # (x).y\n "),
        ("(client # [x]\n ['#[0]'])", "(client # [x]\n "),
    ],
)
def test_value_of_an_access_does_not_end_in_a_comment(code: str, value: str) -> None:
    source = Source(code)
    (node,) = (node for node in ast.walk(source.tree) if isinstance(node, ast.Attribute | ast.Subscript))
    assert code[: source.end_of_value(node)] == value
