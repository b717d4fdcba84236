"""Every command and every piece of code on the pages, run as it stands there (tests/docs/pages.py says how)."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from soapclient.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY, Sandbox, serve
from tests.docs.pages import ROOT, Page, Reader, all_pages

PAGES = {page.name: page for page in all_pages()}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with Sandbox(clicks_per_day=50) as sandbox, serve(sandbox) as serving:
        yield serving.url


def a_clone(folder: Path) -> None:
    for name in ("wsdl", "generated"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)


NEEDS: dict[str, Callable[[Path], None]] = {"README.md": a_clone}


@pytest.mark.parametrize("name", [name for name, page in PAGES.items() if page.blocks])
def test_the_page_runs_from_top_to_bottom(name: str, url: str, tmp_path: Path) -> None:
    NEEDS.get(name, lambda folder: None)(tmp_path)
    settings = {"SOAPCLIENT_CONNECT_ID": SAMPLE_CONNECT_ID, "SOAPCLIENT_SECRET_KEY": SAMPLE_SECRET_KEY}
    settings |= {f"SOAPCLIENT_{service}_URL": url for service in ("PUBLISHER", "DATA", "ADVERTISER")}
    with Reader(tmp_path, url, settings, tmp_path / ".mypy") as reader:
        reader.follow(PAGES[name])
