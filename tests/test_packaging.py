"""Metadata of the package: version, constraints, long description, container image."""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import soapclient
from tests.test_supply import script

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LINKS = re.compile(r"(!?)\[[^\]\n]*\]\(([^)\n]*)\)")


@pytest.fixture
def long_description(monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """The function of the metadata hook. hatchling is only installed while a package is built."""
    interface = SimpleNamespace(MetadataHookInterface=object)
    monkeypatch.setitem(sys.modules, "hatchling.metadata.plugin.interface", interface)
    for parent in ("hatchling", "hatchling.metadata", "hatchling.metadata.plugin"):
        monkeypatch.setitem(sys.modules, parent, SimpleNamespace())
    function: Callable[..., str] = script("long_description").long_description
    return function


def test_version_has_one_source_and_a_dated_section_in_the_changelog() -> None:
    assert "version" in PROJECT["dynamic"]
    sections = re.findall(r"^## (\S+)(?: \((.+)\))?$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    released = [(version, date) for version, date in sections if version != "Unreleased"]
    assert released[0][0] == soapclient.__version__
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", released[0][1])


def test_constraints_fit_all_requirements_for_development() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()[1:]
    assert all(re.fullmatch(r"[a-z0-9-]+==[\w.+!]+", line) for line in lines)  # no address of an index
    versions = dict(line.split("==") for line in lines)
    extras = PROJECT["optional-dependencies"]
    waiting, seen = [*PROJECT["dependencies"], *extras["dev"], *extras["exhaustive"]], set[str]()
    while waiting:
        requirement = Requirement(waiting.pop())
        if requirement.name == "soapclient":
            waiting += [line for extra in requirement.extras for line in extras[extra]]
            continue
        seen.add(requirement.name)
        assert versions[canonicalize_name(requirement.name)] in requirement.specifier, requirement
    assert len(seen) > 40


def test_long_description_points_to_the_tag_of_the_version(long_description: Callable[..., str]) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    text = long_description(readme, "1.2.3", "https://git.example/soapclient/")
    targets = [target for _, target in LINKS.findall(text)]
    assert "https://git.example/soapclient/blob/v1.2.3/docs/README.md" in targets
    assert all(target.startswith(("https://", "#")) for target in targets)
    picture = long_description("![Console](docs/a.png)", "1.2.3", "https://git.example/soapclient")
    assert picture == "![Console](https://git.example/soapclient/raw/v1.2.3/docs/a.png)"


def test_long_description_without_an_address_has_no_relative_links(
    long_description: Callable[..., str],
) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    text = long_description(readme, "1.2.3")
    assert "<!--" not in text
    assert not [target for _, target in LINKS.findall(text) if "://" not in target and target[0] != "#"]
    assert long_description("a ![P](b.png) [c](d.md)\n\n```\n[e](f)\n```\n[g](https://h)", "1") == (
        "a  c\n\n```\n[e](f)\n```\n[g](https://h)"
    )
