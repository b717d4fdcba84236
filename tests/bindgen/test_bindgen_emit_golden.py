"""A whole package, byte for byte. Where a change of it is meant, `WRITE_GOLDEN=1 pytest` of this file writes
the new one down; read the difference before it is committed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.bindgen.conftest import Make

_GOLDEN = Path(__file__).parent / "golden"
_CORPUS = Path(__file__).parents[1] / "corpus/contracts"  # where mypy goes over what comes of them

# A shop with a bit of everything; text that would like to be code; inheritance; groups of substitutes.
_CONTRACTS = {
    "shop": _GOLDEN / "shop/shop.wsdl",
    "evil": _CORPUS / "evil.wsdl",
    "managed-objects": _CORPUS / "managed-objects.wsdl",
    "feature-service": _CORPUS / "feature-service.wsdl",
}


@pytest.mark.parametrize("name", _CONTRACTS)
def test_the_package_is_what_it_was(make: Make, name: str) -> None:
    folder = _GOLDEN / name
    text = _CONTRACTS[name].read_text(encoding="utf-8")
    made = make("", text.replace("{", "{{").replace("}", "}}"))
    files = {
        f"{file}.golden": content for file, content in made.files.items() if file.endswith((".py", ".json"))
    }
    if os.environ.get("WRITE_GOLDEN"):
        folder.mkdir(exist_ok=True)
        for file, content in files.items():
            (folder / file).write_bytes(content)
    there = {path.name: path.read_bytes() for path in folder.glob("*.golden")}
    for file, content in files.items():
        assert content.decode() == there.get(file, b"").decode(), file
    assert there.keys() == files.keys()


def test_the_same_contract_gives_the_same_bytes(make: Make) -> None:
    text = (_GOLDEN / "shop/shop.wsdl").read_text(encoding="utf-8")
    assert make("", text).files == make("", text).files
