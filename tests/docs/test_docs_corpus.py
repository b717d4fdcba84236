"""References of contracts with every construct: generated, with calls in valid Python and valid examples."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bindgen.docs import site, sources
from tests.docs.conftest import read_page

pytestmark = pytest.mark.sampled(4)

CONTRACTS = sorted((Path(__file__).parents[1] / "corpus" / "contracts").glob("*.wsdl"))
# Adjacent wildcards are merged, so an example can belong to either.
WEAK = {"dataset"}


def test_corpus_is_not_empty() -> None:
    assert len(CONTRACTS) >= 40


@pytest.mark.parametrize("path", CONTRACTS, ids=lambda path: path.stem)
def test_reference_is_generated_for_every_contract(path: Path, tmp_path: Path) -> None:
    contract, bound = sources.of_wsdl("", path)
    pages = site.files([(contract, bound)])
    assert pages == site.files([sources.of_wsdl("", path)])
    (tmp_path / "page.html").write_bytes(pages[Path(site.file_name(contract))])
    shown = read_page(tmp_path / "page.html")
    programs = shown.root.xpath("//pre[@aria-label='Python example']")
    assert isinstance(programs, list)
    assert len(programs) == len(contract.operations)
    for program in programs:
        compile(program.text_content(), path.name, "exec")
    links = {str(each)[1:] for each in shown.root.xpath("//main//a/@href") if str(each).startswith("#")}
    assert links <= set(shown.ids)
    said = re.findall("This example is not valid against the schema: [^<]*", shown.raw.decode())
    assert said == [] or path.stem in WEAK
