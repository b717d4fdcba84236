"""The sandbox is independent: its allowed imports, and its message for a missing package."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import soapclient.tracking.sandbox
from soapclient.tracking.sandbox.contracts import Contract, load, packaged

FOLDER = Path(soapclient.tracking.sandbox.__file__).parent
ALLOWED = {"werkzeug", "lxml", "_typeshed"}  # _typeshed: only for type checkers


def imports(path: Path) -> list[str]:
    """Return absolute names of everything a module imports, with relative imports resolved."""
    package = ["soapclient", "tracking", "sandbox", *path.relative_to(FOLDER).parent.parts]
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            found.append(".".join([*base, *([node.module] if node.module else [])]))
    return found


@pytest.mark.sampled(2)
@pytest.mark.parametrize("path", sorted(FOLDER.rglob("*.py")), ids=lambda path: path.name)
def test_a_module_imports_the_standard_library_werkzeug_lxml_and_its_own_folder_only(path: Path) -> None:
    for name in imports(path):
        top = name.partition(".")[0]
        own = f"{name}.".startswith(("soapclient.tracking.sandbox.", "soapclient.serving."))
        assert (
            own
            or top in ALLOWED
            or (top in sys.stdlib_module_names and top != "importlib")
            or (name == "importlib.util")
        ), name


def output_of(code: str) -> str:
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, timeout=30, check=True).stdout


@pytest.mark.exhaustive
def test_neither_the_client_nor_generated_code_is_loaded_by_using_it() -> None:
    code = (
        "import sys, soapclient; before = set(sys.modules)\n"
        "from soapclient.tracking.sandbox import Sandbox; Sandbox().close()\n"
        "print([name for name in set(sys.modules) - before"
        " if name.split('.')[0] in ('zxws', 'bindgen', 'zeep', 'requests')"
        " or name.startswith('soapclient.') and name != 'soapclient.tracking'"
        " and not name.startswith(('soapclient.tracking.sandbox', 'soapclient.serving'))])"
    )
    assert output_of(code).strip() == "[]"


def test_without_werkzeug_the_error_names_the_extra() -> None:
    code = (
        "import sys; sys.modules['werkzeug'] = None\n"
        "try:\n import soapclient.tracking.sandbox\nexcept ImportError as error: print(error)"
    )
    assert "soapclient[sandbox]" in output_of(code)


def test_contracts_are_chosen_by_name(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="advertiser"):
        load({"advertiser": tmp_path})
    with pytest.raises(ValueError, match="GetProgramm"):
        load(public={"GetProgramm"})
    with pytest.raises(FileNotFoundError, match="contracts="):
        packaged("nothing")
    with pytest.raises(ValueError, match="no schema"):
        Contract("empty", "1", b"<definitions/>")


def test_signed_operations_are_derived_from_the_contract() -> None:
    operations = load()["publisher"].operations
    assert len(operations) == 50
    # docs/explanation/service.md#rest-forms: the ten public resources of its table, and three operations of
    # SOAP only.
    assert {name for name, one in operations.items() if not one.signed} == {
        "GetAdmedia", "GetAdmedium", "GetAdmediumCategories", "SearchIncentives", "GetIncentive",
        "SearchProducts", "GetProduct", "SearchPrograms", "GetProgram", "GetProgramCategories",
        "GetProductCategories", "GetSetting", "GetSettings",
    }  # fmt: skip
    assert all(one.signed for one in load()["data"].operations.values())
