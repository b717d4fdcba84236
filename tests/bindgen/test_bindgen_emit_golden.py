"""Golden files: a package must be equal byte for byte.

After an intended change, run this file with `pytest --update` and review the diff.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bindgen.conftest import Make
from tests.support.golden import Golden

_GOLDEN = Path(__file__).parent / "golden"
_CORPUS = Path(__file__).parents[1] / "corpus/contracts"  # a test runs mypy on packages of these contracts

# A shop with most constructs: text that looks like code, inheritance, and substitution groups.
_CONTRACTS = {
    "shop": _GOLDEN / "shop/shop.wsdl",
    "evil": _CORPUS / "evil.wsdl",
    "managed-objects": _CORPUS / "managed-objects.wsdl",
    "feature-service": _CORPUS / "feature-service.wsdl",
}


@pytest.mark.parametrize("name", _CONTRACTS)
def test_package_equals_the_golden_files(make: Make, golden: Golden, name: str) -> None:
    text = _CONTRACTS[name].read_text(encoding="utf-8")
    made = make("", text.replace("{", "{{").replace("}", "}}"))
    files = {
        f"{file}.golden": content.decode()
        for file, content in made.files.items()
        if file.endswith((".py", ".json"))
    }
    golden.check_folder(name, files)
