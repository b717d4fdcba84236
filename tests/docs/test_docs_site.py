"""The site builds without warnings, works without a network, and is searched from its own files."""

from __future__ import annotations

import importlib
import inspect
import json
import re
from enum import Enum
from pathlib import Path

import pytest
from lxml import html

import soapclient
from tests.docs.pages import ROOT, all_pages
from tests.test_supply import script

pytestmark = pytest.mark.exhaustive

website = script("website")
GOOD = '<p id="here">text</p><a href="https://elsewhere.example/">read</a><a href="#here">up</a>'


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site without warnings."""
    folder = tmp_path_factory.mktemp("site")
    assert website.build(folder) == []
    return folder


def test_each_page_exists_and_is_searchable(site: Path) -> None:
    index = (site / "searchindex.js").read_text(encoding="utf-8")
    for page in all_pages():
        name = page.name.removesuffix(".md")
        assert (site / f"{name}.html").is_file()
        assert f'"{name}.md"' in index
    assert 'url=docs/README.html"' in (site / "index.html").read_text(encoding="utf-8")


def test_the_notebook_is_a_page_with_its_outputs_and_its_picture(site: Path) -> None:
    page = html.parse(site / "docs/notebooks/last-quarter.html").getroot()
    cells = json.loads((ROOT / "docs/notebooks/last-quarter.ipynb").read_text(encoding="utf-8"))["cells"]
    wanted = []
    for cell in cells:
        if cell["cell_type"] == "code":
            wanted.append("".join(cell["source"]))
            wanted += ["".join(output["text"]) for output in cell["outputs"]]
    shown = [block.text_content() for block in page.iter("pre")]
    assert [text.strip("\n") for text in shown] == [text.strip("\n") for text in wanted]
    assert len(wanted) == 6 + 3
    (picture,) = (each.get("src", "") for each in page.iter("img"))
    drawn = (site / "docs/notebooks" / picture).read_bytes()
    assert drawn == (ROOT / "docs/notebooks/last-quarter.svg").read_bytes()
    (kept,) = (link for _, _, link, _ in page.iterlinks() if link.endswith(".ipynb"))
    assert json.loads((site / "docs/notebooks" / kept).read_text(encoding="utf-8"))["cells"] == cells
    index = (site / "docs/README.html").read_text(encoding="utf-8")
    assert 'href="notebooks/last-quarter.html"' in index


def test_output_may_contain_a_code_fence() -> None:
    output = {"output_type": "execute_result", "data": {"text/plain": ["```\n", "x"]}}
    code = {"cell_type": "code", "source": ["x\n"], "outputs": [output]}
    text = website.as_markdown({"cells": [{"cell_type": "markdown", "source": ["# A"]}, code]})
    assert text == "# A\n\n```python\nx\n```\n\n````text\n```\nx\n````\n"


def test_each_public_name_has_its_docstring(site: Path) -> None:
    listed = (ROOT / "docs/reference/names.md").read_text(encoding="utf-8")
    shown = (site / "docs/reference/names.html").read_text(encoding="utf-8")
    listed, _ = listed.split("\n## Names that generated code imports\n")  # these have no pages
    names = re.findall(r"^\| `(\w+)` \|", listed, re.MULTILINE)
    links = re.findall(r'<td><p><a [^>]*href="(api/soapclient[^"#]*\.html)#([\w.-]+)"', shown)
    assert len(links) == len(names) > 100
    for page, anchor in links:
        assert f'id="{anchor}"' in (site / "docs/reference" / page).read_text(encoding="utf-8"), anchor
    closed = (site / "docs/reference/api/soapclient.errors.html").read_text(encoding="utf-8")
    assert "was called after its client or connection was closed. Nothing was sent." in closed


@pytest.mark.parametrize("name", ["Client", "AsyncClient", "connect", "connect_async"])
def test_documented_signature_is_the_public_one(site: Path, name: str) -> None:
    page = (site / "docs/reference/api/soapclient.html").read_text(encoding="utf-8")
    described = page.partition(f'id="soapclient.{name}"')[2].partition('class="headerlink"')[0]
    shown = [
        html.fromstring(each).text_content()
        for each in re.findall(r'<em class="sig-param">.*?</em>', described, re.DOTALL)
    ]
    taken = inspect.signature(getattr(soapclient, name)).parameters
    assert [re.split("[:=]", each)[0].strip("* ") for each in shown if each != "*"] == list(taken)
    assert not {"args", "kwargs"} & set(taken)
    assert "&lt;" not in described


def test_each_entry_lists_its_parameters(site: Path) -> None:
    wrong, entries = [], 0
    for module, described in website.names():
        page = html.parse(site / f"docs/reference/api/{module}.html").getroot()
        for name, full_name in described.items():
            value = getattr(importlib.import_module(module), name)
            taken = _parameters(value)
            if full_name == f"{module}.{name}" and taken and name not in website.RECEIVED.get(module, ()):
                entry = page.get_element_by_id(full_name).getparent()
                assert entry is not None
                heads = entry.xpath(
                    "./dd/dl[contains(@class, 'field-list')]/dt[starts-with(., 'Parameters')]"
                )
                shown = heads[0].getnext().xpath(".//li/p/strong | ./p/strong") if heads else []
                entries += 1
                if [each.text_content().lstrip("*") for each in shown] != taken:
                    wrong.append(full_name)
    assert wrong == []
    assert entries > 100


def _parameters(documented: object) -> list[str]:
    """Return the parameters of a public function or class."""
    if not inspect.isroutine(documented) and not inspect.isclass(documented):
        return []
    if inspect.isclass(documented) and (
        issubclass(documented, Enum) or getattr(documented, "_is_protocol", False)
    ):
        return []
    assert callable(documented)
    try:
        taken = inspect.signature(documented).parameters
    except ValueError:
        return []
    return [name for name in taken if not name.startswith("_")]


@pytest.mark.parametrize("service", ["publisher", "data", "advertiser"])
def test_each_method_of_a_service_has_a_page(site: Path, service: str) -> None:
    module = importlib.import_module(f"zxws.{service}.service")
    operations = {
        name
        for owner in vars(module).values()
        if inspect.isclass(owner) and owner.__module__ == module.__name__ and "Async" not in owner.__name__
        for name, member in vars(owner).items()
        if inspect.isfunction(member) and not name.startswith("_")
    }
    folder = site / "docs/reference/operations" / service
    assert {page.stem for page in folder.glob("*.html")} == operations
    assert len(operations) > 1


def test_contract_pages_are_part_of_the_site(site: Path) -> None:
    led = set(
        re.findall(r'href="(contracts/\w+\.html)"', (site / "contracts.html").read_text(encoding="utf-8"))
    )
    assert led == {f"contracts/{name}.html" for name in ("publisher", "data", "advertiser")}
    for page in led:
        assert (site / page).is_file()


@pytest.mark.parametrize(
    ("page", "found"),
    [
        (GOOD, []),
        ('<a href="gone.html">x</a>', ["a.html: gone.html leads nowhere"]),
        ('<a href="#gone">x</a>', ["a.html: #gone names no place of that page"]),
        ('<a href="b/b.html#gone">x</a>', ["a.html: b/b.html#gone names no place of that page"]),
        ('<img src="gone.svg">', ["a.html: gone.svg leads nowhere"]),
        ('<script src="https://cdn.example/x.js"></script>', ["a.html: loads https://cdn.example/x.js"]),
        ('<link rel="stylesheet" href="//cdn.example/x.css">', ["a.html: loads //cdn.example/x.css"]),
        ('<img srcset="https://cdn.example/x.png">', ["a.html: loads https://cdn.example/x.png"]),
        ("<style>@import 'https://cdn.example/x.css'</style>", ["a.html: loads https://cdn.example/x.css"]),
        (
            '<p style="background: url(https://cdn.example/x.png)">',
            ["a.html: loads https://cdn.example/x.png"],
        ),
        ('<img src="data:image/gif;base64,R0lGOD">', []),
    ],
)
def test_page_problems_are_reported(
    page: str, found: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(website, "names", lambda: iter(()))
    (tmp_path / "b").mkdir()
    (tmp_path / "b/b.html").write_text('<p id="there">')
    (tmp_path / "a.html").write_text(page)
    assert website.problems(tmp_path) == found


@pytest.mark.parametrize("loaded", ["//cdn.example/x.woff2", "gone.woff2"])
def test_style_sheet_loads_only_its_own_files(
    loaded: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(website, "names", lambda: iter(()))
    (tmp_path / "here.woff2").touch()
    style = f"x {{ src: url('here.woff2'), url({loaded}), url(data:font/woff2;base64,x) }}"
    (tmp_path / "a.css").write_text(style)
    assert website.problems(tmp_path) == [f"a.css: loads {loaded}"]


def test_public_name_without_an_entry_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(website, "names", lambda: iter([("soapclient", {"Client": "soapclient.Client"})]))
    page = tmp_path / "docs/reference/api/soapclient.html"
    page.parent.mkdir(parents=True)
    page.write_text("<p>nothing</p>")
    assert website.problems(tmp_path) == ["soapclient.Client is not described"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# A\n\n[b](b.md#part)\n", None),
        ("# A\n\n[b](gone.md)\n", "gone.md"),
        ("# A\n\n[b](b.md#gone)\n", "gone"),
        ("# A\n\n[b](#gone)\n", "gone"),
        ("# A\n\n![picture](gone.svg)\n", "gone.svg"),
        ("# A\n\n### C\n", "H1 to H3"),
    ],
)
def test_warnings_are_problems(text: str, said: str | None, tmp_path: Path) -> None:
    """Broken links in Markdown, including anchors, with the settings of the site."""
    source = tmp_path / "source"
    (source / "docs").mkdir(parents=True)
    (source / "docs/README.md").write_text(f"{text}\n```{{toctree}}\n:hidden:\nb\n```\n")
    (source / "docs/b.md").write_text("# B\n\n## Part\n")
    warned = website.sphinx(source, tmp_path / "out")
    assert len(warned) == (said is not None), warned
    assert said is None or said in warned[0]
