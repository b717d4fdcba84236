"""Private files are private from their creation on, whatever the umask. Other users' links are refused."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest
from click.testing import CliRunner

from soapclient import Settings
from soapclient._support import durable
from soapclient._support.durable import FileLock, create_private, write_text
from soapclient._support.part_file import PartFile, PartMark
from soapclient.cli.application import cli
from soapclient.errors import ConfigError
from soapclient.tracking.backfill import run as backfills
from soapclient.tracking.backfill.plan import Plan
from soapclient.tracking.exports.orders.ledger import Ledger
from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY, Sandbox, serve

from .runs import DAY, plan_of
from .service import AT_ONCE

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")


@pytest.fixture(autouse=True)
def _open_to_all(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Set a umask that allows everything. Narrowing a mode after the creation of a file is too late."""

    def late(*_: object, **__: object) -> None:
        raise AssertionError("a file is private when it is created, or somebody was faster")

    widen = os.fchmod

    def fchmod(fd: int, mode: int) -> None:
        assert mode & 0o077 & ~os.fstat(fd).st_mode or mode == stat.S_IMODE(os.fstat(fd).st_mode)
        widen(fd, mode)

    for name in ("chmod", "lchmod"):
        monkeypatch.setattr(os, name, late, raising=False)
    monkeypatch.setattr(os, "fchmod", fchmod)
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.fixture
def environ() -> Iterator[dict[str, str]]:
    with Sandbox(clicks_per_day=3, job_steps=AT_ONCE) as sandbox, serve(sandbox, timeout=20) as server:
        yield {
            "SOAPCLIENT_CONNECT_ID": SAMPLE_CONNECT_ID,
            "SOAPCLIENT_SECRET_KEY": SAMPLE_SECRET_KEY,
            "SOAPCLIENT_PUBLISHER_URL": server.url,
            "SOAPCLIENT_DATA_URL": server.url,
        }


def modes(folder: Path) -> dict[str, int]:
    """Return the mode of a folder and of everything below it."""
    found = {".": folder, **{str(path.relative_to(folder)): path for path in folder.rglob("*")}}
    return {name: stat.S_IMODE(path.lstat().st_mode) for name, path in found.items()}


def created(file: Path, mode: int, text: str) -> Path:
    """Return a new file that has this mode from its creation on."""
    os.close(os.open(file, os.O_CREAT | os.O_WRONLY, mode))
    file.write_text(text)
    return file


def private(folder: Path) -> set[str]:
    """Return the entries of a folder that other users may access."""
    return {name for name, mode in modes(folder).items() if mode & 0o077}


def test_state_is_private_and_downloads_follow_the_umask(environ: dict[str, str], tmp_path: Path) -> None:
    state, target = tmp_path / "of/ours/state", tmp_path / "clicks.csv.gz"
    words = ["export", "click", "--from", str(DAY), "--to", str(DAY), "--state", str(state)]
    handle = tmp_path / "handle.json"
    done = CliRunner().invoke(cli, [*words, "--output", str(target), "--handle", str(handle)], env=environ)
    assert done.exit_code == 0, done.output
    assert len(modes(state)) > 2
    assert private(tmp_path / "of") == set()
    assert modes(target)["."] == 0o666  # the user's own file: another user's program may read it
    left = [name for name in modes(tmp_path) if name.endswith((".part", ".part.json"))]
    assert left == []


def test_a_saved_response_is_private(environ: dict[str, str], tmp_path: Path) -> None:
    kept = tmp_path / "kept.xml"
    kept.write_bytes(b"of an earlier call, for all")
    done = CliRunner().invoke(cli, ["call", "publisher", "GetProfile", "--save", str(kept)], env=environ)
    assert done.exit_code == 0, done.output
    assert b"profileItem" in kept.read_bytes()
    assert modes(kept)["."] == 0o600


def test_backfill_work_folder_is_private_and_its_dataset_is_not(
    environ: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in environ.items():
        monkeypatch.setenv(name, text)
    assert backfills.backfill(plan_of(tmp_path)).done == 1
    work = tmp_path / "work"
    assert modes(work)["."] == 0o700
    assert private(work / "ledger") == set()
    files = {name: mode for name, mode in modes(tmp_path / "data").items() if "." in name[1:]}
    assert files
    assert set(files.values()) == {0o666}  # a dataset may be read by other users


def _saved(path: Path) -> None:
    with os.fdopen(create_private(path.with_name(f"{path.name}.part")), "w") as file:
        file.write("ours")
    path.with_name(f"{path.name}.part").replace(path)


@pytest.mark.parametrize("plant", [os.symlink, os.link], ids=["a symbolic link", "a hard link"])
@pytest.mark.parametrize("write", [lambda path: write_text(path, "ours"), _saved])
def test_files_planted_by_others_are_not_written_to(
    plant: Callable[[Path, Path], None], write: Callable[[Path], None], tmp_path: Path
) -> None:
    victim, path = tmp_path / "somebody's", tmp_path / "state.json"
    victim.write_text("theirs")
    plant(victim, tmp_path / "state.json.part")
    if plant is os.symlink:
        with pytest.raises(OSError, match="symbolic link"):
            write(path)
    else:
        write(path)
        assert (path.read_text(), modes(path)["."]) == ("ours", 0o600)
    assert victim.read_text() == "theirs"


def test_planted_pipe_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "state.json.part")
    with pytest.raises(OSError, match="not a regular file"):
        write_text(tmp_path / "state.json", "ours")


def test_a_configuration_with_a_key_that_others_can_change_is_warned_about(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for number, (text, mode, warned) in enumerate(
        [
            ('secret_key = "x"', 0o644, True),
            ('secret_key = "x"', 0o620, True),
            ('secret_key = "x"', 0o600, False),
            ('[headers]\nX-Api-Key = "x"', 0o640, True),
            ('[headers]\nX-Team = "x"', 0o644, False),
        ]
    ):
        file = created(tmp_path / f"{number}.toml", mode, text)
        caplog.clear()
        Settings.load(environ={}, file=file)
        assert ("chmod 600" in caplog.text) == warned, (text, oct(mode))


def test_locks_and_part_files_are_private_while_they_are_written(tmp_path: Path) -> None:
    target = tmp_path / "clicks.csv.gz"
    with PartFile(target) as part, FileLock(tmp_path / "lock", lambda: None):
        part.restart(PartMark("1", '"etag"', "service", "account"))
        part.write(b"rows")
        assert set(modes(tmp_path)) == {".", "lock", "clicks.csv.gz.part", "clicks.csv.gz.part.json"}
        assert private(tmp_path) <= {"."}
        part.finish()
    assert modes(target)["."] == 0o666


def test_a_file_that_is_resumed_is_private_until_it_is_complete(tmp_path: Path) -> None:
    target = tmp_path / "clicks.csv.gz"
    with PartFile(target) as part:
        part.restart(PartMark("1", '"etag"', "service", "account"))
        part.write(b"ro")
    assert modes(tmp_path / "clicks.csv.gz.part")["."] == 0o600
    os.umask(0o027)
    with PartFile(target) as part:
        part.write(b"ws")
        part.finish()
    assert modes(target)["."] == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["clicks.csv.gz"]


# ---- files of other users


ANOTHER: Final = 12345  # a user id


@pytest.fixture(params=["injected", "as root"])
def give(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], None]:
    """Give a file to another user: really if the process is root, and in the results of `stat`."""
    monkeypatch.setattr(durable, "_warned", set())
    chown, root = os.chown, os.geteuid() == 0
    if request.param == "as root":
        if not root:
            pytest.skip("only root can give files away")
        return lambda path: chown(path, ANOTHER, -1)
    own = Path.stat

    def stat_of_another(path: Path, **options: bool) -> os.stat_result:
        status = own(path, **options)
        return os.stat_result((*status[:4], ANOTHER, *status[5:])) if path in given else status

    given: set[Path] = set()
    monkeypatch.setattr(Path, "stat", stat_of_another)
    return given.add


def test_a_configuration_of_another_user_is_warned_about_once(
    give: Callable[[Path], None], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = created(tmp_path / "settings.toml", 0o644, "attempts = 2")
    Settings.load(environ={}, file=file)
    assert caplog.text == ""
    give(file)
    for _ in range(2):
        assert Settings.load(environ={}, file=file).attempts == 2
    assert caplog.text.count(f"{file} belongs to another user (uid {ANOTHER}), who can change it") == 1


@pytest.mark.parametrize("mode", [0o664, 0o646])
def test_a_configuration_of_another_user_that_others_can_change_is_refused(
    give: Callable[[Path], None], tmp_path: Path, mode: int
) -> None:
    file = created(tmp_path / "settings.toml", mode, "attempts = 2")
    give(file)
    with pytest.raises(ConfigError, match=rf"user \(uid {ANOTHER}\), and others can change it: chown"):
        Settings.load(environ={}, file=file)
    with pytest.raises(ConfigError, match="and others can change it"):
        Plan.load(file)


@pytest.mark.parametrize("level", ["state", "state/data_main"])
def test_a_ledger_of_another_user_is_warned_about_or_refused(
    give: Callable[[Path], None], tmp_path: Path, caplog: pytest.LogCaptureFixture, level: str
) -> None:
    ledger = Ledger(tmp_path / "state", account="main")
    with ledger.lock():
        assert ledger.entries() == ()
    assert caplog.text == ""
    give(tmp_path / level)
    with ledger.lock():
        assert ledger.entries() == ()
    assert caplog.text.count(f"{tmp_path / level} belongs to another user") == 1
    shared = tmp_path / "shared"
    (shared / "data_main").mkdir(0o777, parents=True)
    give(shared / "data_main")
    for use in (Ledger(shared, account="main").entries, Ledger(shared, account="main").lock):
        with pytest.raises(PermissionError, match="others can change it"):
            use()


def test_a_state_directory_of_another_user_is_refused_by_a_command(
    give: Callable[[Path], None], environ: dict[str, str], tmp_path: Path
) -> None:
    state = tmp_path / "state"
    state.mkdir(0o777)
    give(state)
    words = ["export", "click", "--from", str(DAY), "--to", str(DAY), "--state", str(state)]
    done = CliRunner().invoke(cli, [*words, "--output", str(tmp_path / "clicks.csv.gz")], env=environ)
    assert done.exit_code == 1
    assert f"{state}: it belongs to another user" in done.stderr
    assert list(state.iterdir()) == []


def test_world_writable_state_directory_is_warned_about(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(durable, "_warned", set())
    (tmp_path / "open").mkdir(0o777)
    durable.check_owner(tmp_path / "open")
    assert f"all users of this machine can change {tmp_path / 'open'}: chmod go-w" in caplog.text
    durable.check_owner(Path("/tmp"))  # sticky: other users cannot replace files in it
    durable.check_owner(tmp_path / "missing")
    assert caplog.text.count("chmod") == 1
