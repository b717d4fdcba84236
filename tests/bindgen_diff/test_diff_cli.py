"""`bindgen diff`: arguments and exit codes. No mistake ends as "no drift"."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest
from click.testing import Result

from bindgen.diff import git, ignore, sources
from bindgen.diff.rules import RULES
from tests.bindgen.shop import invoke
from tests.bindgen_diff.conftest import compare, wsdl
from tests.support.wire import Wire

A = '<x:element name="a" type="x:string"/>'
OPTIONAL = '<x:element name="b" type="x:string" minOccurs="0"/>'
REQUIRED = '<x:element name="b" type="x:string"/>'


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """Contracts in files: `old` and changed versions of it."""
    texts = {
        "old": wsdl(request=A),
        "documented": wsdl(request=A.replace("/>", "><x:annotation/></x:element>")),
        "compatible": wsdl(request=A + OPTIONAL),
        "warned": wsdl(request=A).replace("shop.invalid", "elsewhere.invalid"),
        "breaking": wsdl(request=A + REQUIRED),
        "broken": wsdl(request=A)[:-30],
        "bomb": '<!DOCTYPE a [<!ENTITY b "c">]>' + wsdl(request=A)[38:],
        "schema": '<schema xmlns="http://www.w3.org/2001/XMLSchema"/>',
        "unread": wsdl(request=A).replace('<input message="t:AskIn"', '<input message="t:Gone"'),
        "empty": "",
    }
    found = {}
    for name, text in texts.items():
        found[name] = tmp_path / f"{name}.wsdl"
        found[name].write_text(text)
    return found


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("new", "fail_on", "code"),
    [
        ("old", "breaking", 0),
        ("documented", "info", 0),
        ("compatible", "breaking", 1),
        ("compatible", "warning", 1),
        ("compatible", "info", 2),
        ("warned", "breaking", 1),
        ("warned", "warning", 2),
        ("breaking", "breaking", 2),
        ("breaking", "info", 2),
        ("broken", "breaking", 3),
        ("bomb", "breaking", 3),
        ("schema", "breaking", 3),
        ("unread", "breaking", 3),
        ("unread", "info", 3),
        ("empty", "breaking", 3),
    ],
)
def test_exit_codes_follow_the_verdict(new: str, fail_on: str, code: int, files: dict[str, Path]) -> None:
    invoke("diff", files["old"], files[new], "--fail-on", fail_on, code=code)
    as_json = invoke("diff", files["old"], files[new], "--fail-on", fail_on, "--format", "json", code=code)
    assert invoke("diff", files["old"], files[new], "--fail-on", fail_on, "--json").output == as_json.output


@pytest.mark.parametrize(
    "arguments",
    [
        ("diff",),
        ("diff", "old.wsdl"),
        ("diff", "old.wsdl", "new.wsdl"),
        ("diff", "lock:nobody", "lock:nobody"),
        ("diff", "--no-such-option"),
        ("diff", "a", "b", "c"),
        ("diff", "a", "b", "--format", "pdf"),
        ("diff", "a", "b", "--fail-on", "nothing"),
        ("diff", "ftp://shop.invalid/a", "b"),
        ("diff", "https://user:secret@shop.invalid/a", "b"),
        ("diff", "--output=x", "-x", "b"),
        ("diff", "git:--help", "git:--help"),
        ("diff", "--upload-pack=touch x:y", "b"),
        ("diff", "", ""),
        ("diff", "\0", "\0"),
        ("diff", ".", "."),
    ],
)
def test_argument_that_is_not_a_contract_is_unchecked(
    arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = invoke(*arguments, code=3)
    assert "secret" not in done.output
    assert "Traceback" not in done.output


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "error",
    [RuntimeError("odd"), RecursionError(), MemoryError(), KeyboardInterrupt(), SystemExit(0), click.Abort()],
)
def test_a_crash_is_unchecked(
    error: BaseException, files: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(source: object) -> None:
        raise error

    monkeypatch.setattr("bindgen.diff.check.read", crash)
    assert invoke("diff", files["old"], files["old"]).exit_code == 3


def test_unwritable_output_is_unchecked_and_one_line(files: dict[str, Path], tmp_path: Path) -> None:
    wanted = tmp_path / "no" / "such" / "folder"
    done = invoke("diff", files["old"], files["old"], "--format", "json", "--output", wanted, code=3)
    assert str(wanted) in done.stderr
    assert "cannot be written (No such file or directory)" in done.stderr
    assert "FileNotFoundError" not in done.stderr


def test_report_is_written_to_a_file(files: dict[str, Path], tmp_path: Path) -> None:
    output = ("--format", "json", "--output", tmp_path / "r.json")
    assert invoke("diff", files["old"], files["breaking"], *output, code=2).output == ""
    assert json.loads((tmp_path / "r.json").read_text())["verdict"] == "breaking"


def test_empty_name_is_not_the_current_folder(
    files: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "one/a.wsdl").write_text(files["old"].read_text())
    monkeypatch.chdir(tmp_path / "one")
    assert invoke("diff", ".", ".").exit_code == 0
    assert invoke("diff", "", "").exit_code == 3
    assert invoke("diff", " ", " ").exit_code == 3


def test_rules_are_listed() -> None:
    done = invoke("diff", "--rules", code=0)
    assert [line.split()[1] for line in done.output.splitlines()] == list(RULES)


def test_help_explains_the_exit_codes() -> None:
    done = invoke("diff", "--help", code=0)
    assert "0 the same, 1 compatible changes, 2 breaking ones, 3 could not be checked" in done.output


class TestIgnoreFile:
    def run(self, files: dict[str, Path], text: str, *more: str, code: int | None = None) -> Result:
        path = files["old"].parent / "accepted"
        path.write_text(text)
        return invoke("diff", files["old"], files["breaking"], "--ignore", path, *more, code=code)

    RULE = "request-element-added-required"

    @pytest.mark.parametrize("path", ["AskRequest/b", "AskRequest/*", "*", "Ask*/?"])
    def test_accepted_change_is_not_drift(self, path: str, files: dict[str, Path]) -> None:
        done = self.run(files, f"# ours\n\n{self.RULE} {path}  # agreed with the shop\n", code=0)
        assert "accepted by the ignore file: 1" in done.output

    @pytest.mark.parametrize(
        "line", ["request-element-added-required AskRequest/c # x", "response-element-added-required * # x"]
    )
    def test_unused_ignore_entry_is_reported(self, line: str, files: dict[str, Path]) -> None:
        done = self.run(files, line, code=2)
        assert "accepted:1: no change matches" in done.output
        assert self.run(files, line, "--strict-ignore").exit_code == 3

    @pytest.mark.parametrize(
        "line",
        [
            "request-element-added-required AskRequest/b",
            "request-element-added-required AskRequest/b #",
            "request-element-added-required # why",
            "request-element-added-required AskRequest/b #why",
            "no-such-rule AskRequest/b # why",
        ],
    )
    def test_incomplete_ignore_line_is_refused(self, line: str, files: dict[str, Path]) -> None:
        done = self.run(files, f"\n{line}\n", code=3)
        assert "accepted:2:" in done.output

    def test_missing_ignore_file_is_refused(self, files: dict[str, Path]) -> None:
        assert invoke("diff", files["old"], files["old"], "--ignore", "nowhere").exit_code == 3

    def test_unchecked_parts_can_be_accepted_with_a_reason(self, files: dict[str, Path]) -> None:
        path = files["old"].parent / "accepted"
        path.write_text("not-checked Ask/* # read by eye\n")
        assert invoke("diff", files["unread"], files["unread"], "--ignore", path).exit_code == 0


# ---- the ignore file can name any change, and hosts are allowed as the error message advises


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
def test_ignored_path_is_not_a_pattern(value: str, path: str, accepted: bool, tmp_path: Path) -> None:
    use = '<x:element name="e" type="t:E"/>'
    report = compare(*(wsdl(listed(*values), request=use) for values in (("u",), ("u", value))))
    (finding,) = report.findings
    file = tmp_path / "accepted"
    file.write_text(f"{finding.rule} {path} # see #12 # and more\n")
    (entry,) = ignore.read(file)
    assert entry.accepts(finding) is accepted
    assert entry.reason == "see #12 # and more"


def test_host_is_allowed_by_name(tmp_path: Path, wire: Wire) -> None:
    link = f'<x:include schemaLocation="{wire.url}/part.xsd"/><x:element name="AskRequest">'
    file = tmp_path / "a.wsdl"
    file.write_text(wsdl().replace('<x:element name="AskRequest">', link))
    refused = invoke("diff", file, file, code=3)
    assert "--allow-host 127.0.0.1" in refused.output
    assert wire.sent == []
    wire.answers("", status=404)
    allowed = invoke("diff", file, file, "--allow-host", "127.0.0.1", code=3)
    assert "--allow-host" not in allowed.output
    assert [sent.target for sent in wire.sent] == ["/part.xsd"]
    wrong = invoke("diff", file, file, "--allow-host", "http://x/", code=3)
    assert "must be a host name" in wrong.output


def test_locked_hosts_are_allowed(tmp_path: Path) -> None:
    (tmp_path / "contracts.toml").write_text(
        'format = 2\n[contracts.shop]\nversion = "1"\nurl = "https://shop.invalid/a.wsdl"\n'
    )
    source = tmp_path / "source.wsdl"
    source.write_text(wsdl())
    assert invoke("--wsdl", tmp_path, "fetch", "shop", "--file", source).exit_code == 0
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
