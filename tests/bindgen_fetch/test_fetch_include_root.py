"""`--include-root`: how far up the imports of a local WSDL may lead, for every command that reads one."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from bindgen.fetching import lock
from soapclient.cli.application import cli
from tests.bindgen.conftest import REQUEST, RESPONSE, WSDL
from tests.bindgen.shop import invoke

PART = """<x:schema targetNamespace="urn:example:shop" xmlns:x="http://www.w3.org/2001/XMLSchema"
elementFormDefault="qualified"><x:simpleType name="Colour"><x:restriction base="x:string">
<x:enumeration value="{}"/></x:restriction></x:simpleType></x:schema>"""
DEEP = "products/one/v1/wsdl"
FAR = "../../../../common/part.xsd"  # one folder above the default limit
COMMANDS = {
    "init": ("init", "shop", "--file", "WSDL", "--out", "OUT"),
    "docs": ("docs", "shop", "--file", "WSDL", "--out", "OUT"),
    "diff": ("diff", "WSDL", "WSDL"),
    "fetch": ("--wsdl", "WSDLS", "fetch", "shop", "--file", "WSDL"),
    "check": ("--wsdl", "WSDLS", "fetch", "shop", "--check", "--file", "WSDL"),
}


def contract(location: str) -> str:
    coloured = REQUEST.replace('type="x:string"', 'type="t:Colour"')
    return WSDL.format(schema=f'<x:include schemaLocation="{location}"/>{coloured}{RESPONSE}')


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """…/tree/products/one/v1/wsdl/shop.wsdl → …/tree/common/part.xsd. A secret file is next to the tree."""
    here = tmp_path / "tree" / DEEP
    here.mkdir(parents=True)
    (tmp_path / "tree/common").mkdir()
    (tmp_path / "tree/common/part.xsd").write_text(PART.format("green"))
    (tmp_path / "secret.xsd").write_text(PART.format("hidden-word"))
    (here / "shop.wsdl").write_text(contract(FAR))
    (tmp_path / "wsdl").mkdir()
    (tmp_path / "wsdl/contracts.toml").write_text(
        'format = 2\npackage = "p"\n[contracts.shop]\nversion = "1"\nurl = "https://shop.invalid/a/b/c/d/x.wsdl"\n'
    )
    return tmp_path / "tree"


def run(tree: Path, command: str, *more: str, code: int | None = None) -> Result:
    places = {
        "WSDL": tree / DEEP / "shop.wsdl",
        "OUT": tree.parent / f"out-{command}",
        "WSDLS": tree.parent / "wsdl",
    }
    return invoke(*(places.get(word, word) for word in (*COMMANDS[command], *more)), code=code)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("command", COMMANDS)
def test_import_above_the_folder_is_refused_with_the_option(tree: Path, command: str) -> None:
    done = run(tree, command, code={"docs": 0, "diff": 3, "check": 3}.get(command, 2))
    page = tree.parent / "out-docs/shop.html"  # lists what was left out
    said = page.read_text() if command == "docs" else done.output
    assert "--include-root" in said
    assert "part.xsd" in said
    assert not (tree.parent / "out-init").exists()


def test_init_skips_it_if_requested(tree: Path) -> None:
    done = run(tree, "init", "--allow-missing", code=0)
    assert "cannot read '../../../../common/part.xsd'" in done.output
    assert (tree.parent / "out-init/shop/service.py").is_file()
    run(tree, "init", "--allow-missing", "--strict", code=1)


def test_bundled_schema_is_not_read(tree: Path) -> None:
    """The XML namespace and bundled schemas are known, so the import is not needed."""
    links = (
        '<x:import namespace="http://www.w3.org/XML/1998/namespace" schemaLocation="../../../../../xml.xsd"/>'
        '<x:import namespace="http://www.w3.org/1999/xlink" schemaLocation="../../../../../xlink.xsd"/>'
    )
    (tree / DEEP / "shop.wsdl").write_text(WSDL.format(schema=f"{links}{REQUEST}{RESPONSE}"))
    run(tree, "init", code=0)


@pytest.mark.parametrize("command", ["call", "describe"])
def test_soapclient_refuses_it_too(tree: Path, command: str) -> None:
    words = [command, "--file", str(tree / DEEP / "shop.wsdl"), "Ask"]
    done = CliRunner().invoke(cli, words)
    assert done.exit_code == 1
    assert "--include-root DIR" in done.output
    assert "options of `bindgen init`" in done.output


@pytest.mark.sampled(4)
@pytest.mark.parametrize("command", COMMANDS)
def test_include_root_limits_the_files_that_are_read(tree: Path, command: str) -> None:
    root = ("--include-root", str(tree))
    if command == "check":
        run(tree, "fetch", *root)
    done = run(tree, command, *root, code=0)
    assert "cannot be" not in done.output
    others = [path for path in tree.parent.rglob("*") if path.is_file() and tree not in path.parents]
    written = {path.name: path.read_bytes() for path in others}
    if command == "init":
        assert b'GREEN = "green"' in written["types.py"]
    elif command == "docs":
        assert b"green" in written["shop.html"]
    elif command == "fetch":
        assert written["part.xsd"] == (tree / "common/part.xsd").read_bytes()
        kept = lock.read(tree.parent / "wsdl/contracts.lock").contract("shop")
        urls = [each.url for each in kept.documents]
        assert urls == ["https://shop.invalid/a/b/c/d/x.wsdl", "https://shop.invalid/common/part.xsd"]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    "location", ["../../../../../secret.xsd", "link.xsd", "/etc/hostname", "../../../../common/link.xsd"]
)
def test_files_outside_include_root_are_not_read(tree: Path, command: str, location: str) -> None:
    (tree / DEEP / "link.xsd").symlink_to(tree.parent / "secret.xsd")
    (tree / "common/link.xsd").symlink_to(tree.parent / "secret.xsd")
    (tree / DEEP / "shop.wsdl").write_text(contract(location))
    done = run(tree, command, "--include-root", str(tree))
    assert (done.exit_code != 0) == (command != "docs")
    assert "outside of" in done.output or command == "docs"
    written = [path for path in tree.parent.glob("out-*/**/*") if path.is_file()]
    assert not [path for path in written if b"hidden-word" in path.read_bytes()]


@pytest.mark.parametrize("command", COMMANDS)
def test_include_root_must_contain_the_wsdl(tree: Path, command: str) -> None:
    code = {"diff": 3, "check": 3}.get(command, 2)
    done = run(tree, command, "--include-root", str(tree / "common"), code=code)
    assert "outside of" in done.output
    assert "--include-root" in done.output


@pytest.mark.sampled(2)
@pytest.mark.parametrize("folder", [False, True])
@pytest.mark.parametrize("backward", [False, True])
def test_diff_applies_include_root_to_the_side_below_it(tree: Path, folder: bool, backward: bool) -> None:
    copy = tree.parent / "copy/new.wsdl"
    copy.parent.mkdir()
    copy.write_text(contract("part.xsd"))
    (copy.parent / "part.xsd").write_text(PART.format("green"))
    sides = [tree / DEEP / "shop.wsdl", copy]
    words = [side.parent if folder else side for side in (sides[::-1] if backward else sides)]
    invoke("diff", "--include-root", tree, *words, code=0)
    # The limit also applies to the other side.
    (copy.parent / "part.xsd").unlink()
    copy.write_text(contract("../../" + "../" * 2 + "secret.xsd"))
    done = invoke("diff", "--include-root", tree, *words, code=3)
    assert "outside of" in done.output


@pytest.mark.parametrize(
    "words",
    [
        ("init", "shop", "--url", "https://shop.invalid/x"),
        ("docs", "shop", "--url", "https://shop.invalid/x"),
        ("docs",),
        ("diff", "https://shop.invalid/x", "https://shop.invalid/y"),
        ("fetch", "shop"),
        ("fetch", "--all", "--check"),
    ],
)
def test_include_root_needs_a_file(tree: Path, words: tuple[str, ...]) -> None:
    done = invoke(*words, "--include-root", tree)
    assert done.exit_code in (2, 3)
    assert "--include-root can be used only " in done.output


def test_two_files_are_never_one_document(tree: Path) -> None:
    """An address has no parent above its root, so ../../common and ./common could resolve to the same one."""
    here = tree / DEEP
    (here / "common").mkdir()
    (here / "common/part.xsd").write_text(PART.format("red").replace("Colour", "Other"))
    both = contract(FAR).replace("<x:include ", '<x:include schemaLocation="common/part.xsd"/><x:include ', 1)
    (here / "shop.wsdl").write_text(both)
    settings = tree.parent / "wsdl/contracts.toml"
    settings.write_text(settings.read_text().replace("a/b/c/d/", ""))
    done = run(tree, "fetch", "--include-root", str(tree), code=2)
    assert "https://shop.invalid/common/part.xsd" in done.output
    assert "which already belongs to another file" in done.output
    assert not (tree.parent / "wsdl/contracts.lock").exists()
    assert run(tree, "init", "--include-root", str(tree)).exit_code == 0
