"""The cache of packages for completion: used again only if it is current, private and complete."""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from soapclient.cli import package_cache, packages
from soapclient.cli.failures import Failure

WEATHER = Path(__file__).parents[1] / "connection/weather.wsdl"
OPEN = '<x:schema targetNamespace="urn:example:weather" elementFormDefault="qualified"'


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return package_cache.cache_folder()


@pytest.fixture
def generated(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The folders in which packages were generated."""
    folders: list[Path] = []
    generate = packages.generate

    def noting(wsdl: Path | str, folder: Path, *, keep: bool) -> None:
        folders.append(folder)
        generate(wsdl, folder, keep=keep)

    for module in (package_cache, packages):
        monkeypatch.setattr(module, "generate", noting)
    return folders


@pytest.fixture
def wsdl(tmp_path: Path) -> Path:
    """A WSDL that includes a schema."""
    sky = '<x:simpleType name="Sky"><x:restriction base="x:string"/></x:simpleType>'
    namespaces = 'xmlns:x="http://www.w3.org/2001/XMLSchema"'
    (tmp_path / "sky.xsd").write_text(f"{OPEN} {namespaces}>{sky}</x:schema>", encoding="utf-8")
    text = WEATHER.read_text(encoding="utf-8")
    before, _, rest = text.partition('<x:simpleType name="Sky">')
    after = rest.partition("</x:simpleType>")[2]
    path = tmp_path / "cached_weather.wsdl"
    path.write_text(f'{before}<x:include schemaLocation="sky.xsd"/>{after}', encoding="utf-8")
    return path


def use(wsdl: Path) -> None:
    """Use the package of a WSDL for a moment."""
    with package_cache.cached(wsdl) as name:
        assert name == "cached_weather"


def test_a_package_is_generated_once(root: Path, generated: list[Path], wsdl: Path) -> None:
    for _ in range(3):
        use(wsdl)
    (entry,) = root.iterdir()
    assert len(generated) == 1
    assert (entry / "cached_weather/service.py").is_file()
    assert stat.S_IMODE(root.stat().st_mode) == stat.S_IMODE(entry.stat().st_mode) == 0o700


def _change_import(root: Path, entry: Path, wsdl: Path) -> None:
    path = wsdl.with_name("sky.xsd")
    path.write_text(path.read_text(encoding="utf-8").replace("x:string", "x:token"), encoding="utf-8")


def _change_wsdl(root: Path, entry: Path, wsdl: Path) -> None:
    wsdl.write_text(wsdl.read_text(encoding="utf-8").replace("</types>", "</types> "), encoding="utf-8")


def _link(root: Path, entry: Path, wsdl: Path) -> None:
    module = entry / "cached_weather/types.py"
    module.rename(entry / "types.py")
    module.symlink_to(entry / "types.py")


@pytest.mark.parametrize(
    ("change", "is_cached_again"),
    [
        (_change_import, True),
        (_change_wsdl, True),
        (lambda _, entry, wsdl: (entry / "documents.json").write_text("{"), True),
        (lambda _, entry, wsdl: (entry / "documents.json").write_text("[]"), True),
        (lambda root, *_: root.chmod(0o750), False),
        (lambda root, *_: root.parent.chmod(0o777), False),
        (_link, False),
    ],
    ids=["import", "WSDL", "damaged list", "empty list", "open cache", "open parent", "link"],
)
def test_changed_damaged_and_unsafe_entries_are_not_used(
    root: Path,
    generated: list[Path],
    wsdl: Path,
    change: Callable[[Path, Path, Path], object],
    is_cached_again: bool,
) -> None:
    with package_cache.cached(wsdl):
        (entry,) = root.iterdir()
    change(root, entry, wsdl)
    for _ in range(2):
        use(wsdl)
    assert len(generated) == (2 if is_cached_again else 3)
    assert all(folder.is_relative_to(root) for folder in generated) is is_cached_again


def test_files_of_other_users_are_not_used(
    root: Path, generated: list[Path], wsdl: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(wsdl)
    user = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: user)
    with package_cache.cached(wsdl):
        assert len(generated) == 2
        assert not generated[1].is_relative_to(root)


def test_missing_imports_and_invalid_wsdls_are_not_cached(root: Path, wsdl: Path) -> None:
    wsdl.with_name("sky.xsd").unlink()
    use(wsdl)
    wsdl.write_text("<definitions/>", encoding="utf-8")
    with pytest.raises(Failure):
        use(wsdl)
    assert list(root.iterdir()) == []


def test_the_cache_is_bounded(root: Path, wsdl: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package_cache, "_ENTRIES", 2)
    root.mkdir(parents=True, mode=0o700)
    now = time.time()
    for name, age in (("old", 30), ("recent", 20), (".new-killed", 9999), (".new-working", 10)):
        (root / name).mkdir()
        os.utime(root / name, (now - age, now - age))
    use(wsdl)
    names = {path.name for path in root.iterdir()}
    assert len(names) == 3
    assert names & {"old", "recent", ".new-killed", ".new-working"} == {"recent", ".new-working"}


def _meanwhile(monkeypatch: pytest.MonkeyPatch, happens: Callable[[], None]) -> None:
    """Let something happen while the first package is generated."""
    generate, events = packages.generate, [happens]

    def interrupted(wsdl: Path | str, folder: Path, *, keep: bool) -> None:
        generate(wsdl, folder, keep=keep)
        if events:
            events.pop()()

    monkeypatch.setattr(package_cache, "generate", interrupted)


def test_package_of_a_wsdl_that_changes_meanwhile_is_not_cached(
    root: Path, wsdl: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _meanwhile(monkeypatch, lambda: _change_import(root, root, wsdl))
    use(wsdl)
    assert list(root.iterdir()) == []


def test_entry_that_another_process_creates_meanwhile_is_used(
    root: Path, generated: list[Path], wsdl: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _meanwhile(monkeypatch, lambda: use(wsdl))  # as another process does
    use(wsdl)
    assert len(generated) == 2
    assert len(list(root.iterdir())) == 1


def test_package_is_used_although_it_cannot_be_stored(
    root: Path, wsdl: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full() -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    _meanwhile(monkeypatch, full)
    use(wsdl)
    assert list(root.iterdir()) == []


def test_wsdl_from_a_pipe_is_not_cached(root: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "piped.wsdl")
    with pytest.raises(Failure, match="is not a regular file"), package_cache.cached(tmp_path / "piped.wsdl"):
        pass
    assert not root.exists()


def test_profile_of_a_user_of_windows_is_private(
    root: Path, generated: list[Path], wsdl: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows has no numbers of users and no modes."""
    monkeypatch.delattr(os, "geteuid")
    for _ in range(2):
        with package_cache.cached(wsdl):
            root.chmod(0o777)
    assert len(generated) == 1
