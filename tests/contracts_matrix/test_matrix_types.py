"""The generated packages of all variants are checked by mypy, strict, in one run."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from tests.conftest import TypeCheck
from tests.contracts_matrix import data_variants, variants
from tests.contracts_matrix.packages import FILES, ROOT, fetched, generated
from tests.contracts_matrix.test_matrix_orders import replaced
from tests.contracts_matrix.test_matrix_signing import EVERY

pytestmark = pytest.mark.exhaustive


@dataclass
class Case:
    """A variant and its required settings."""

    name: str
    contract: str
    documents: variants.Documents
    edit: Callable[[str], str]
    propose: bool = False


def _cases() -> Iterator[Case]:
    for contract, file in FILES.items():
        original = (ROOT / "wsdl" / file).read_bytes()
        for name in (*EVERY, *(variants.PUBLISHER if contract == "publisher" else ())):
            if (contract, name) != ("data", "one less"):  # an export needs all operations
                documents = variants.documents(name, original)
                yield Case(f"{contract}, {name}", contract, documents, variants.SETTINGS.get(name, str))
    text = (ROOT / "wsdl" / FILES["data"]).read_text("utf-8")
    for name, variant in data_variants.VARIANTS.items():
        documents = {"service.wsdl": replaced(text, variant.document).encode()}
        edit = partial(replaced, changes=variant.settings)
        yield Case(f"data, {name}", "data", documents, edit, variant.propose)


def _generated(folder: Path, case: Case) -> Path:
    """Generate the package of a variant. Return its folder."""
    documents = folder / "documents"
    documents.mkdir(parents=True)
    for file, content in case.documents.items():
        (documents / file).write_bytes(content)
    fetched(folder, case.contract, "--file", str(documents / next(iter(case.documents))), edit=case.edit)
    generated(folder, case.contract, propose=case.propose)
    return folder / "generated/zxws" / case.contract


@pytest.mark.night
def test_mypy_accepts_the_packages_of_all_variants(tmp_path: Path, type_check: TypeCheck) -> None:
    checked: dict[str, str] = {}  # a hash of the Python of a package → its folder: many have the same
    names: dict[str, str] = {}
    for number, case in enumerate(_cases()):
        package = _generated(tmp_path / str(number), case)
        python = b"".join(path.read_bytes() for path in sorted(package.glob("*.py")))
        digest = hashlib.sha256(python).hexdigest()
        if digest not in checked:
            checked[digest] = f"variant_{number}"
            names[f"variant_{number}"] = case.name
            shutil.copytree(package, tmp_path / f"variant_{number}")
    done = type_check(*names, cwd=tmp_path, path=[ROOT])
    assert (done.stdout, done.returncode) == ("", 0), f"{names}\n{done.stdout}{done.stderr}"
    # Names of operations and fields, and their types, are what makes other Python.
    assert {"publisher, one more", "data, renamed fields", "data, columns as a list"} <= set(names.values())
