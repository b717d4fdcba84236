"""The ignore file can name any change, and hosts are allowed as the error message advises."""

from __future__ import annotations

from pathlib import Path

import pytest

from bindgen.diff import git, ignore, sources
from tests.bindgen_diff.conftest import Bindgen, Compare, Wsdl


def listed(*values: str) -> str:
    inner = "".join(f'<x:enumeration value="{value}"/>' for value in values)
    return f'<x:simpleType name="E"><x:restriction base="x:string">{inner}</x:restriction></x:simpleType>'


@pytest.mark.parametrize(
    ("value", "path", "accepted"),
    [
        ("two words", "E/two words", True),
        ("a #b", "E/a #b", True),
        ("a # b", "E/a ? b", True),
        ("[x]", "E/[x]", True),
        ("x", "E/[x]", False),
        ("a.b", "E/a.b", True),
        ("axb", "E/a.b", False),
        ("a  b", "E/a b", True),
        ("abc", "E/?", False),
        ("abc", "*/?bc", True),
    ],
)
def test_ignored_path_is_not_a_pattern(
    value: str, path: str, accepted: bool, compare: Compare, wsdl: Wsdl, tmp_path: Path
) -> None:
    use = '<x:element name="e" type="t:E"/>'
    report = compare(*(wsdl(listed(*values), request=use) for values in (("u",), ("u", value))))
    (finding,) = report.findings
    file = tmp_path / "accepted"
    file.write_text(f"{finding.rule} {path} # see #12 # and more\n")
    (entry,) = ignore.read(file)
    assert entry.accepts(finding) is accepted
    assert entry.reason == "see #12 # and more"


def test_host_is_allowed_by_name(bindgen: Bindgen, wsdl: Wsdl, tmp_path: Path) -> None:
    address = "http://127.0.0.1:9/part.xsd"
    link = f'<x:include schemaLocation="{address}"/><x:element name="AskRequest">'
    file = tmp_path / "a.wsdl"
    file.write_text(wsdl().replace('<x:element name="AskRequest">', link))
    refused = bindgen("diff", file, file)
    assert refused.exit_code == 3
    assert "--allow-host 127.0.0.1" in refused.output
    allowed = bindgen("diff", file, file, "--allow-host", "127.0.0.1")
    assert allowed.exit_code == 3  # bindgen connects, but no server listens
    assert "--allow-host" not in allowed.output
    wrong = bindgen("diff", file, file, "--allow-host", "http://x/")
    assert wrong.exit_code == 3
    assert "must be a host name" in wrong.output


def test_locked_hosts_are_allowed(bindgen: Bindgen, wsdl: Wsdl, tmp_path: Path) -> None:
    (tmp_path / "contracts.toml").write_text(
        'format = 2\n[contracts.shop]\nversion = "1"\nurl = "https://shop.invalid/a.wsdl"\n'
    )
    source = tmp_path / "source.wsdl"
    source.write_text(wsdl())
    assert bindgen("--wsdl", tmp_path, "fetch", "shop", "--file", source).exit_code == 0
    place = sources.Place(tmp_path, tmp_path)
    assert sources.locked_hosts(("lock:shop", "x"), place) == ("shop.invalid",)
    assert sources.locked_hosts(("shop", "x"), place) == ("shop.invalid",)
    assert sources.locked_hosts(("x", "y"), place) == ()
    (tmp_path / "contracts.lock").write_text("nonsense")
    assert sources.locked_hosts(("shop", "x"), place) == ()


@pytest.mark.parametrize("path", ["../a.wsdl", "/etc/passwd", ".."])
def test_path_outside_the_repository_is_not_passed_to_git(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(*arguments: object) -> bytes:
        raise AssertionError("git was asked")

    monkeypatch.setattr(git, "_run", run)
    with pytest.raises(git.GitError, match="outside"):
        git.show("HEAD", path, tmp_path)
