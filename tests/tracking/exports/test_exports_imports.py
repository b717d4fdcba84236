from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import soapclient.tracking.exports

FOLDER = Path(soapclient.tracking.exports.__file__).parent
NOT_FOR_EXPORTS = (
    "zeep",
    "xmlschema",
    "bindgen",
    "soapclient.soap",
    "soapclient.tracking.client",
    "soapclient.tracking.sandbox",
)


def output_of(code: str) -> str:
    """Return what a new interpreter prints when it runs the code."""
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.exhaustive
def test_exports_import_neither_zeep_nor_the_clients() -> None:
    known = set()
    for file in FOLDER.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                known |= {name.name for name in node.names}
            elif isinstance(node, ast.ImportFrom):
                known |= {f"{node.module}.{name.name}" for name in node.names}
    assert any(name.startswith("soapclient.calling.retry") for name in known)
    prefixes = tuple(f"{name}." for name in NOT_FOR_EXPORTS)
    assert [name for name in known if f"{name}.".startswith(prefixes)] == []


@pytest.mark.exhaustive
def test_orders_use_no_contract_types_by_name() -> None:
    """Another contract need not have enumerations with these names."""
    code = (
        "import sys, types; "
        "sys.modules['zxws.data.types'] = types.ModuleType('zxws.data.types'); "
        "import soapclient.tracking.exports.export, click; "
        "import soapclient.tracking.commands.export as export, soapclient.tracking.backfill.plan; "
        "print([each.name for each in export.command.get_params(click.Context(export.command))"
        " if each.name == 'date_type'])"
    )
    assert output_of(code) == "['date_type']\n"


@pytest.mark.exhaustive
def test_exports_load_neither_an_http_library_nor_pyarrow_before_a_download() -> None:
    code = (
        "import sys, soapclient.tracking.exports.export; "
        "print(*({'requests', 'urllib3', 'zeep', 'xmlschema', 'pyarrow'} & set(sys.modules)))"
    )
    assert output_of(code).split() == []
