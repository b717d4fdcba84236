"""`bindgen docs`: reproducible bytes, sizes suitable for phones, and error messages."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

from bindgen.docs.sources import name_of
from tests.docs.conftest import ASK, docs, wsdl
from tests.support.programs import ran

ROOT = Path(__file__).parents[2]


def _pages(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.mark.exhaustive
def test_output_does_not_depend_on_hash_seed_and_folder(reference: Path, tmp_path: Path) -> None:
    for seed in ("1", "2"):
        here = tmp_path / seed
        here.mkdir()
        command = [sys.executable, "-m", "bindgen", "--wsdl", str(ROOT / "wsdl"), "docs"]
        done = ran(command, env=os.environ | {"PYTHONHASHSEED": seed, "TZ": "Asia/Tokyo"}, cwd=here)
        assert done.returncode == 0, done.stderr
        assert _pages(here / "reference") == _pages(reference)


@pytest.mark.exhaustive
def test_output_contains_nothing_of_the_machine(reference: Path) -> None:
    for name, content in _pages(reference).items():
        text = content.decode()
        assert str(ROOT) not in text
        assert str(reference) not in text
        assert "/home/" not in text
        assert not re.search(r"\b20(2[4-9]|3\d)-\d\d-\d\dT?\d\d:\d\d:\d\d\.\d", text), name


def test_page_size_is_limited(reference: Path) -> None:
    sizes = {name: len(content) for name, content in _pages(reference).items()}
    assert sizes["publisher.html"] < 2_000_000
    assert max(size for name, size in sizes.items() if name != "publisher.html") < 200_000


def test_only_selected_contracts_are_documented(tmp_path: Path) -> None:
    done = docs("data", "--out", tmp_path)
    assert done.exit_code == 0, done.output
    assert set(_pages(tmp_path)) == {"data.html", "index.html"}
    assert b"data.html" in (tmp_path / "index.html").read_bytes()


def test_any_wsdl_is_documented(tmp_path: Path) -> None:
    folder = tmp_path / "my_shop"
    folder.mkdir()
    (folder / "contract.wsdl").write_text(wsdl(ASK))
    out = tmp_path / "out"
    done = docs("--file", folder / "contract.wsdl", "--out", out)
    assert done.exit_code == 0, done.output
    text = (out / "my_shop.html").read_text()
    assert "from my_shop.service import MyShopService" in text
    assert "service.ask(" in text
    assert "signed" not in text[text.index("<main") :]
    assert "REST" not in text[text.index("<main") : text.index("<footer")]
    elsewhere = tmp_path / "elsewhere" / "deep" / "down" / "my_shop"
    elsewhere.mkdir(parents=True)
    (elsewhere / "contract.wsdl").write_text(wsdl(ASK))
    docs("--file", elsewhere / "contract.wsdl", "--out", tmp_path / "again")
    assert _pages(tmp_path / "again") == _pages(out)


def test_package_name_can_be_chosen(tmp_path: Path) -> None:
    (tmp_path / "a.wsdl").write_text(wsdl(ASK))
    done = docs("index", "--file", tmp_path / "a.wsdl", "--out", tmp_path / "o")
    assert done.exit_code == 0, done.output
    assert set(_pages(tmp_path / "o")) == {"index.html", "index_.html"}
    assert b'href="index_.html"' in (tmp_path / "o" / "index.html").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["nobody"], "unknown contract 'nobody'"),
        (["../x", "--file", "FILE"], "NAME must be a Python name"),
        (["a", "b", "--file", "FILE"], "give only one NAME with --file or --url"),
        (["--file", "FILE", "--url", "https://shop.invalid/"], "--file or --url, not both"),
        (["--file", "FILE"], "file.wsdl"),
        (["--allow-host", "localhost"], "--allow-host"),
        (["data", "--out", "TAKEN"], "cannot be written"),
    ],
)
def test_invalid_arguments_are_reported(tmp_path: Path, arguments: list[str], word: str) -> None:
    (tmp_path / "file.wsdl").write_text("")
    files = {"FILE": tmp_path / "file.wsdl", "TAKEN": tmp_path / "file.wsdl" / "inside"}
    done = docs("--out", tmp_path / "out", *[files.get(each, each) for each in arguments])
    assert done.exit_code == 2
    assert word in done.output
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("place", "name"),
    [
        ("https://example.invalid/shop/OrderService.svc?singleWsdl", "order_service"),
        ("https://example.invalid/Stock.asmx?WSDL", "stock"),
        ("https://example.invalid/wsdl/weather.wsdl", "weather"),
        ("https://example.invalid/weather/", "weather"),
        (Path("wsdls/Weather.wsdl"), "weather"),
        (Path("packages/my_weather/contract.wsdl"), "my_weather"),
    ],
)
def test_package_without_a_name_is_named_after_its_folder(place: str | Path, name: str) -> None:
    assert name_of(place) == name
