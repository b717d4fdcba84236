"""Pages refer only to existing links, files, settings and names, and no file cites a missing document."""

from __future__ import annotations

import inspect
import io
import re
import shutil
import subprocess
import sys
import tokenize
import tomllib
from functools import cache
from pathlib import Path

import pytest

from soapclient import Settings, errors
from tests.docs.pages import ROOT, Page, all_pages, run_outside

PAGES = [*all_pages(), Page("wsdl/README.md"), Page("CHANGELOG.md"), Page("SECURITY.md")]
FOLDERS = ("soapclient", "tools", "generated", "wsdl", "tests", "docs", ".ci")
MADE = ("generated/zxws/_runtime",)  # removed, according to the changelog
CITED = re.compile(r"(?<![\w/*-])((?:[\w.-]+/)*[\w-]+\.md)(?:#([\w-]+))?")


@cache
def anchors(path: Path) -> frozenset[str]:
    """Return the anchors that GitHub derives from the headings of a page."""
    text = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    heads = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return frozenset(re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_pages_and_headings(page: Page) -> None:
    here = ROOT / page.name
    for link in re.findall(r"\]\(([^)\s]+)\)", page.text):
        if link.startswith(("http:", "https:")):
            continue
        name, _, anchor = link.partition("#")
        target = (here.parent / name).resolve() if name else here
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_path_that_a_page_names_exists(page: Page) -> None:
    for named in re.findall(r"`((?:[\w.-]+/)+[\w.-]*)`", page.by_hand):
        if named.split("/")[0] in FOLDERS and named not in MADE:
            assert (ROOT / named).exists(), named


def test_every_page_can_be_reached_from_the_readme() -> None:
    found, ahead = set(), [ROOT / "README.md"]
    while ahead:
        page = ahead.pop()
        if page in found:
            continue
        found.add(page)
        for link in re.findall(r"\]\(([^)#\s]+\.md)[^)]*\)", page.read_text(encoding="utf-8")):
            if "://" not in link:
                ahead.append((page.parent / link).resolve())
    assert {ROOT / page.name for page in all_pages()} <= found


def test_every_mentioned_setting_exists() -> None:
    known = {each.env for each in Settings.settings()}
    known |= {"SOAPCLIENT_CONFIG", "SOAPCLIENT_PROFILE", "SOAPCLIENT_SPEEDUPS"}
    # Except mistakes, which has a wrong name on purpose.
    pages = [page for page in all_pages() if page.name != "docs/reference/mistakes.md"]
    named = {name for page in pages for name in re.findall(r"(?<!_)SOAPCLIENT_[A-Z_]*[A-Z]", page.text)}
    assert len(named) > 20
    assert named <= known


def test_reference_pages_are_up_to_date() -> None:
    done = run_outside([sys.executable, ".ci/reference.py", "--check"], ROOT, {})
    assert done.returncode == 0, done.stdout + done.stderr


def test_each_error_says_what_to_do() -> None:
    page = (ROOT / "docs/reference/errors.md").read_text(encoding="utf-8")
    tree, _, rest = page.partition("## What to do\n")
    table, _, attributes = rest.partition("## Attributes\n")
    raised = set(re.findall(r"^\| (?:&nbsp;)*`(\w+)` \|", tree, re.MULTILINE))
    advice = dict(re.findall(r"^\| `(\w+)` \| (.+) \|$", table, re.MULTILINE))
    assert len(raised) > 25
    assert set(advice) == raised
    assert all(len(text) > 15 or text.removeprefix("as ").strip("`") in raised for text in advice.values())
    for names, of in re.findall(r"^\| (`.+`) \| `(\w+)` \|", attributes, re.MULTILINE):
        kind = getattr(errors, of)
        given = inspect.signature(kind).parameters.keys() | set(dir(kind)) | {"__cause__"}
        assert {name.strip("` ") for name in names.split(",")} <= given, of


def _prose(path: Path) -> str:
    """Return the comments and docstrings of a module, or the text of other files; "" if it cites no page."""
    text = path.read_text(encoding="utf-8")
    if ".md" not in text:  # most modules; splitting them into tokens would be slow
        return ""
    if path.suffix != ".py":
        return text
    said, statement = [], True
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT or (token.type == tokenize.STRING and statement):
            said.append(token.string)
        if token.type not in (tokenize.COMMENT, tokenize.NL):
            statement = token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
    return "\n".join(said)


@pytest.mark.exhaustive
def test_every_cited_document_exists() -> None:
    files = [
        path
        for name in FOLDERS
        for path in (ROOT / name).rglob("*")
        if path.suffix in {".py", ".md", ".toml"}
    ]
    wrong = []
    for path in [*files, *ROOT.glob("*.md"), *ROOT.glob("*.toml")]:
        if {"__pycache__", "node_modules"} & {*path.parts}:
            continue
        for name, anchor in CITED.findall(_prose(path)):
            places = [
                start / name for start in (ROOT, path.parent, *path.parents) if (start / name).is_file()
            ]
            if not places or (anchor and anchor not in anchors(places[0])):
                wrong.append((path.relative_to(ROOT).as_posix(), name, anchor))
    assert wrong == []


def test_the_commands_of_the_makefile_exist() -> None:
    lines = (ROOT / "Makefile").read_text().splitlines()
    recipes = [line.strip() for line in lines if line.startswith("\t")]
    targets = {line.removesuffix(":") for line in lines if re.fullmatch(r"\w+:", line)}
    assert targets == set(re.findall(r"`make (\w+)`", (ROOT / "CONTRIBUTING.md").read_text()))
    assert len(targets) == 14
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    offered = {*scripts, "pip", "pytest", "ruff", "mypy", "python"}
    for recipe in recipes:
        command = recipe.split()[0]
        assert command == "python3" or command.removeprefix(".venv/bin/") in offered, recipe
        for named in re.findall(r"\.ci/\S+", recipe):
            assert (ROOT / named).is_file(), named
    if shutil.which("make"):
        for target in targets:
            # Also if make runs this test: it then prints the folder, too.
            dry_run = ["make", "-n", "--no-print-directory", target]
            done = subprocess.run(dry_run, cwd=ROOT, capture_output=True, text=True, check=True)
            assert set(done.stdout.splitlines()) <= set(recipes)


def test_the_hooks_run_what_the_makefile_checks() -> None:
    hooks = (ROOT / ".pre-commit-config.yaml").read_text()
    entries = [line.partition("entry: ")[2] for line in hooks.splitlines() if "entry: " in line]
    assert {entry.split()[0] for entry in entries} == {
        ".venv/bin/ruff",
        ".venv/bin/mypy",
        ".venv/bin/bindgen",
        ".venv/bin/python",
    }
    assert re.findall(r"repo: (\S+)", hooks) == ["local"]  # nothing is downloaded
    assert set(re.findall(r"language: (\S+)", hooks)) == {"system"}
