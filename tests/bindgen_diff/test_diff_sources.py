"""Sources of contracts: files, folders, addresses, the lock, and git revisions."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from bindgen.diff import git
from tests.bindgen.shop import invoke
from tests.bindgen_diff.conftest import wsdl
from tests.support.wire import Wire

A = '<x:element name="a" type="x:string"/>'
B = '<x:element name="b" type="x:string"/>'
IMPORT = '<x:include schemaLocation="{}"/>'
SCHEMA = """<x:schema targetNamespace="urn:example:shop" elementFormDefault="qualified"
 xmlns:x="http://www.w3.org/2001/XMLSchema">
<x:complexType name="Part"><x:sequence>{}</x:sequence></x:complexType></x:schema>"""
USE = '<x:element name="part" xmlns:t="urn:example:shop" type="t:Part"/>'


def split(location: str) -> str:
    """Return a contract whose type Part is in another document."""
    start = '<x:element name="AskRequest">'
    return wsdl(request=USE).replace(start, IMPORT.format(location) + start)


class Repository:
    """A git repository for a test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.run("init", "-q", "-b", "main")

    def run(self, *arguments: str) -> str:
        identity = ("-c", "user.name=T", "-c", "user.email=t@example.invalid", "-c", "commit.gpgsign=false")
        done = subprocess.run(
            ["git", *identity, *arguments], cwd=self.folder, check=True, capture_output=True, text=True
        )
        return done.stdout

    def commit(self, **texts: str) -> None:
        for name, text in texts.items():
            path = self.folder / name.replace("__", "/").replace("_", ".")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self.run("add", "-A")
        self.run("commit", "-q", "-m", "x")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.chdir(tmp_path)
    return Repository(tmp_path)


class TestGit:
    def test_file_at_a_revision_is_compared(
        self, repository: Repository, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        repository.commit(c__a_wsdl=wsdl(request=A))
        repository.run("tag", "v1")
        repository.commit(c__a_wsdl=wsdl(request=A + B))
        (repository.folder / "deep" / "er").mkdir(parents=True)
        for here in (".", "c", "deep/er"):
            monkeypatch.chdir(repository.folder / here)
            done = invoke("diff", "v1:c/a.wsdl", "HEAD:c/a.wsdl", code=2)
            assert "HEAD:c/a.wsdl:" in done.output
            assert invoke("diff", "HEAD~1:c/a.wsdl", "v1:c/a.wsdl").exit_code == 0
            assert invoke("diff", "v1:c/a.wsdl", repository.folder / "c/a.wsdl").exit_code == 2

    def test_imports_come_from_the_same_revision(self, repository: Repository) -> None:
        root = split("../x/part.xsd")
        repository.commit(c__a_wsdl=root, x__part_xsd=SCHEMA.format(A))
        repository.commit(x__part_xsd=SCHEMA.format(A + B))
        (repository.folder / "x/part.xsd").unlink()
        done = invoke("diff", "HEAD~1:c/a.wsdl", "HEAD:c/a.wsdl", code=2)
        assert "Part/b" in done.output
        assert "HEAD:x/part.xsd:" in done.output.replace("c/../", "")

    def test_import_missing_in_the_revision_is_unchecked(self, repository: Repository) -> None:
        repository.commit(c__a_wsdl=split("part.xsd"))
        (repository.folder / "c/part.xsd").write_text(SCHEMA.format(A))
        assert invoke("diff", "HEAD:c/a.wsdl", "HEAD:c/a.wsdl").exit_code == 3

    def test_locked_contract_at_a_revision_is_compared(
        self,
        repository: Repository,
        monkeypatch: pytest.MonkeyPatch,
        tmp_path_factory: pytest.TempPathFactory,
    ) -> None:
        monkeypatch.chdir(repository.folder)
        tables = 'format = 2\n[contracts.shop]\nversion = "1"\nurl = "https://shop.invalid/a.wsdl"\n'
        repository.commit(wsdl__contracts_toml=tables, sources__a_wsdl=wsdl(request=A + B))
        assert invoke("fetch", "shop", "--file", "sources/a.wsdl").exit_code == 0
        repository.commit()
        (repository.folder / "sources/a.wsdl").write_text(wsdl(request=A))
        assert invoke("fetch", "shop", "--file", "sources/a.wsdl").exit_code == 0
        for old in ("HEAD", "main"):
            done = invoke("diff", old, "lock:shop", code=2)
            assert f"{old}:wsdl/shop/1/" in done.output
        assert invoke("diff", "shop", "lock:shop").exit_code == 0
        assert invoke("diff", "wsdl", "shop", "--contract", "shop").exit_code == 0
        assert invoke("diff", "HEAD", "HEAD", "--contract", "nobody").exit_code == 3
        monkeypatch.chdir(repository.folder / "sources")
        outside = tmp_path_factory.mktemp("elsewhere")
        (outside / "contracts.toml").write_text(tables)
        done = invoke("--wsdl", outside, "diff", "HEAD", repository.folder / "sources/a.wsdl")
        assert (done.exit_code, "is not in this git repository" in done.output) == (3, True)
        monkeypatch.chdir(repository.folder)
        (repository.folder / "wsdl/shop/1/a.wsdl").write_text(wsdl(request=B))
        assert invoke("diff", "shop", "shop").exit_code == 3  # the file differs from the lock

    def test_contract_must_be_named_if_the_lock_has_several(self, repository: Repository) -> None:
        row = '[contracts.{0}]\nversion = "1"\nurl = "https://{0}.invalid/a.wsdl"\n'
        rows = "".join(map(row.format, ("a", "b")))
        repository.commit(wsdl__contracts_toml=f"format = 2\n{rows}", a_wsdl=wsdl(request=A + B))
        for name in ("a", "b"):
            assert invoke("fetch", name, "--file", "a.wsdl").exit_code == 0
        repository.commit()
        for old in ("HEAD", "wsdl"):
            done = invoke("diff", old, "a.wsdl", code=3)
            assert "the lock file has 2 contracts (a, b). Choose one with --contract" in done.output
        assert invoke("diff", "HEAD", "a.wsdl", "--contract", "b").exit_code == 0

    @pytest.mark.parametrize("name", ["-x", "--help", "a b", "", "a:b", "a\nb", "a\0b"])
    def test_unknown_revision_is_refused(self, name: str, tmp_path: Path) -> None:
        assert not git.is_revision(name)
        with pytest.raises(git.GitError):
            git.commit(name, tmp_path)

    @pytest.mark.parametrize(
        "text", ["HEAD:../../etc/passwd", "HEAD:/etc/passwd", "nobody:a.wsdl", "HEAD:none.wsdl"]
    )
    def test_file_outside_the_repository_is_refused(self, text: str, repository: Repository) -> None:
        repository.commit(a_wsdl=wsdl())
        done = invoke("diff", text, "HEAD:a.wsdl", code=3)
        assert "root:" not in done.output


class TestFiles:
    def test_folder_with_one_wsdl_is_compared(self, tmp_path: Path) -> None:
        for name, more in (("old", ""), ("new", B)):
            (tmp_path / name / "w").mkdir(parents=True)
            (tmp_path / name / "w/a.wsdl").write_text(split("../x/part.xsd"))
            (tmp_path / name / "x").mkdir()
            (tmp_path / name / "x/part.xsd").write_text(SCHEMA.format(A + more))
        assert invoke("diff", tmp_path / "old", tmp_path / "new").exit_code == 2
        assert invoke("diff", tmp_path / "old", tmp_path / "old/w/a.wsdl").exit_code == 0
        (tmp_path / "new/w/b.wsdl").write_text(wsdl())
        done = invoke("diff", tmp_path / "old", tmp_path / "new", code=3)
        assert "a.wsdl, b.wsdl" in done.output


class TestAddresses:
    def test_contract_at_an_address_is_compared(self, wire: Wire, tmp_path: Path) -> None:
        (tmp_path / "a.wsdl").write_text(wsdl(request=A))
        for text, code in ((wsdl(request=A), 0), (wsdl(request=B), 2), ("<html>Sign in</html>", 3)):
            wire.answers(text)
            assert invoke("diff", tmp_path / "a.wsdl", f"{wire.url}/shop?wsdl").exit_code == code
        assert all("authorization" not in sent.headers for sent in wire.sent)

    def test_unreachable_address_is_unchecked(self, wire: Wire, tmp_path: Path) -> None:
        (tmp_path / "a.wsdl").write_text(wsdl(request=A))
        wire.answers("", 404)
        done = invoke("diff", tmp_path / "a.wsdl", f"{wire.url}/shop?wsdl")
        assert (done.exit_code, "404" in done.output) == (3, True)


@pytest.mark.parametrize(
    ("failure", "said"),
    [
        (FileNotFoundError("git"), "git is not installed"),
        (PermissionError("git"), r"cannot run git \(PermissionError\)"),
        (subprocess.TimeoutExpired("git", 60), r"cannot run git \(TimeoutExpired\)"),
    ],
)
def test_unavailable_git_is_reported(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, failure: Exception, said: str
) -> None:
    def run(*_: object, **__: object) -> None:
        raise failure

    monkeypatch.setattr(subprocess, "run", run)
    with pytest.raises(git.GitError, match=said):
        git.top(tmp_path)


def test_imports_of_a_revision_are_extracted_once_and_unchanged(
    repository: Repository, tmp_path: Path
) -> None:
    def schema(*locations: str) -> str:
        return SCHEMA.replace("<x:complexType", f"{''.join(map(IMPORT.format, locations))}<x:complexType")

    away = ("https://example.invalid/c.xsd", "../../outside.xsd", "/etc/passwd", ".")
    repository.commit(
        a_xsd=schema("b.xsd", "sub/d.xsd", "gone.xsd", *away),
        b_xsd=schema("a.xsd", "./b.xsd#part"),  # a cycle
        sub__d_xsd="<broken",
    )
    folder = tmp_path / "put"
    assert git.export("HEAD", "a.xsd", repository.folder, folder) == folder / "a.xsd"
    found = {file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()}
    assert found == {"a.xsd", "b.xsd", "sub/d.xsd"}
    assert (folder / "sub/d.xsd").read_text() == "<broken"
