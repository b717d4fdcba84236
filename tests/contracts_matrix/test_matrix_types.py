"""The generated packages of all variants are checked by mypy, strict, in one run."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from click.testing import CliRunner

from bindgen.cli import main
from tests.contracts_matrix import data_variants, variants
from tests.contracts_matrix.test_matrix_orders import DOCUMENT, replaced
from tests.contracts_matrix.test_matrix_signing import EVERY, FILES, ROOT

if TYPE_CHECKING:
    from tests.conftest import TypeCheck


def _contracts() -> Iterator[tuple[str, str, variants.Documents, data_variants.Variant]]:
    """Yield each variant: its name, its contract, its documents, and what its settings need."""
    for contract, file in FILES.items():
        original = (ROOT / "wsdl" / file).read_bytes()
        for name in EVERY:
            if (contract, name) != ("data", "one less"):  # an export needs all operations
                yield (
                    f"{contract}, {name}",
                    contract,
                    variants.documents(name, original),
                    data_variants.Variant(),
                )
    text = (ROOT / "wsdl" / DOCUMENT).read_text("utf-8")
    for name, variant in data_variants.VARIANTS.items():
        document = replaced(text, variant.document).encode()
        yield f"data, {name}", "data", {"service.wsdl": document}, variant


def _generated(
    folder: Path, contract: str, documents: variants.Documents, variant: data_variants.Variant
) -> Path:
    """Generate the package of a variant; the folder of the package."""
    if variant.propose:  # it compares with the package of before
        shutil.copytree(ROOT / "generated", folder / "generated", ignore=shutil.ignore_patterns("*.pyc"))
    shutil.copytree(ROOT / "wsdl", folder / "wsdl")
    toml = folder / "wsdl/contracts.toml"
    before, mark, own = toml.read_text("utf-8").partition(f"[contracts.{contract}]")
    toml.write_text(before + mark + replaced(own, variant.settings), "utf-8")
    (folder / "documents").mkdir()
    for file, content in documents.items():
        (folder / "documents" / file).write_bytes(content)
    first = folder / "documents" / next(iter(documents))
    proposing = ("--propose",) if variant.propose else ()
    for arguments in (("fetch", contract, "--file", str(first)), ("generate", contract, *proposing)):
        done = CliRunner().invoke(main, ["--wsdl", str(folder / "wsdl"), *arguments])
        assert done.exit_code == 0, done.output
    return folder / "generated/zxws" / contract


def test_mypy_accepts_the_packages_of_all_variants(tmp_path: Path, type_check: TypeCheck) -> None:
    checked: dict[str, str] = {}  # a hash of the Python of a package → its folder: many have the same
    names: dict[str, str] = {}
    for number, (name, contract, documents, variant) in enumerate(_contracts()):
        package = _generated(tmp_path / str(number), contract, documents, variant)
        python = b"".join(path.read_bytes() for path in sorted(package.glob("*.py")))
        digest = hashlib.sha256(python).hexdigest()
        if digest not in checked:
            checked[digest] = f"variant_{number}"
            names[f"variant_{number}"] = name
            shutil.copytree(package, tmp_path / f"variant_{number}")
    done = type_check(*names, cwd=tmp_path, path=[ROOT])
    assert (done.stdout, done.returncode) == ("", 0), f"{names}\n{done.stdout}{done.stderr}"
    # Names of operations and fields, and their types, are what makes other Python.
    assert {"publisher, one more", "data, renamed fields", "data, columns as a list"} <= set(names.values())
