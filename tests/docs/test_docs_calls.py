"""The calls on the pages are well-typed: mypy checks all of them, and detects a wrong one."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from tests.conftest import TypeCheck
from tests.docs.conftest import Page, PageOf

ROOT = Path(__file__).parents[2]
_OPENED = """
from typing import Self
from zxws.advertiser.service import AdvertiserService
from zxws.data.service import DataService
from zxws.publisher.service import PublisherService

class Client:
    publisher: PublisherService
    data: DataService
    advertiser: AdvertiserService
    def __enter__(self) -> Self:
        return self
    def __exit__(self, *args: object) -> None: ...
"""


def _programs(page: Page) -> list[str]:
    found = page.root.xpath("//section[@data-k='operation']")
    assert isinstance(found, list)
    anchors = [each.get("id", "") for each in found]
    return [program for anchor in anchors for program in page.blocks(anchor, "Python example")]


@pytest.mark.exhaustive
def test_all_calls_are_well_typed(page: PageOf, tmp_path: Path, type_check: TypeCheck) -> None:
    programs = [program for name in ("publisher", "data", "advertiser") for program in _programs(page(name))]
    assert len(programs) == 51 + 3 + 3
    wrong = programs[0].replace("name=", "nome=", 1)
    assert wrong != programs[0]
    # Type-checking the rest of the client takes mypy long, and is not the purpose of this test.
    (tmp_path / "opened.py").write_text(_OPENED)
    programs = [program.replace("from soapclient import", "from opened import") for program in programs]
    wrong = wrong.replace("from soapclient import", "from opened import")
    module = tmp_path / "calls.py"
    text = [
        f"def call_{at}() -> None:\n{textwrap.indent(program, '    ')}"
        for at, program in enumerate([*programs, wrong])
    ]
    module.write_text("\n\n".join(text))
    done = type_check(str(module), cwd=tmp_path, path=[ROOT / "generated", tmp_path])
    errors = [line for line in done.stdout.splitlines() if ": error:" in line]
    first = module.read_text().splitlines().index(f"def call_{len(programs)}() -> None:") + 1
    assert errors, "the one that was made wrong is not found"
    assert [line for line in errors if int(line.split(":")[1]) < first] == []
