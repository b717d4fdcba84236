"""`soapclient config set`: writes a setting to the TOML file."""

from __future__ import annotations

import errno
import math
import os
import stat
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest
from click.testing import Result

from soapclient._support.toml import NotToml
from soapclient._support.toml_edit import with_value
from tests.cli.conftest import Run, error_of
from tests.settings.loading import toml

SECRET = "the-secret-itself-0123456789"

FILE = """\
# Settings of the shop
timeout = 5   # seconds
safe = [
  "GetA",  # a read
]

# The nightly job
[profiles.nightly]
timeout = 600
"""


def config_set(run: Run, file: Path, *arguments: str, profile: str | None = None, **more: object) -> Result:
    options = ["--config", str(file), *([] if profile is None else ["--profile", profile])]
    return run(*options, "config", "set", *arguments, **more)


@pytest.mark.parametrize(
    ("name", "value", "profile", "old", "new"),
    [
        ("timeout", "20.5", None, "timeout = 5   #", "timeout = 20.5   #"),
        ("timeout", "700", "nightly", "timeout = 600", "timeout = 700"),
        ("safe", "GetB,GetC", None, '[\n  "GetA",  # a read\n]', '["GetB", "GetC"]'),
        ("attempts", "3", None, "]\n\n", "]\nattempts = 3\n\n"),
        ("validate", "all", "nightly", "= 600\n", '= 600\nvalidate = "all"\n'),
        ("headers", "X-Team=shop", None, "]\n\n", ']\nheaders = { X-Team = "shop" }\n\n'),
        ("allow_http", "true", "a b", "= 600\n", '= 600\n\n[profiles."a b"]\nallow_http = true\n'),
        ("SOAPCLIENT_TIMEOUT", "7", None, "timeout = 5 ", "timeout = 7 "),
        ("user_agent", 'a "b" \\ ü', None, "]\n\n", ']\nuser_agent = "a \\"b\\" \\\\ ü"\n\n'),
    ],
)
def test_only_the_line_of_the_setting_changes(
    run_unset: Run, tmp_path: Path, name: str, value: str, profile: str | None, old: str, new: str
) -> None:
    file = toml(tmp_path, FILE)
    assert FILE.count(old) == 1
    done = config_set(run_unset, file, name, value, profile=profile)
    if "ü" in value:  # not allowed in a header
        assert done.exit_code == 3
        assert file.read_text(encoding="utf-8") == FILE
        return
    assert done.exit_code == 0, done.output
    assert file.read_text(encoding="utf-8") == FILE.replace(old, new)


@pytest.mark.parametrize(
    ("content", "key", "table", "value", "result"),
    [
        ("", "a", (), 1, "a = 1\n"),
        ("# c", "a", (), "x", '# c\na = "x"\n'),
        ("[t]\n", "a", (), True, "a = true\n\n[t]\n"),
        ("# file\n\n# t\n[t]\nb = 1\n", "a", (), 1, "# file\n\na = 1\n\n# t\n[t]\nb = 1\n"),
        ("[t]\n[u]\nb = 1", "a", ("t",), 1, "[t]\na = 1\n[u]\nb = 1\n"),
        ("[t]\nb = 1", "b", ("t",), 2, "[t]\nb = 2"),
        ("b = 1\r\n", "a", (), [1, 2], "b = 1\r\na = [1, 2]\r\n"),
        ("'a' = 1 # = 2\n", "a", (), 3, "'a' = 3 # = 2\n"),
        ('t.a = "#" # c\n', "a", ("t",), 3, "t.a = 3 # c\n"),
        ('a = """\nx = 1\n# """\nb = 1\n', "a", (), 1, "a = 1\nb = 1\n"),
        ("a = { b = 1 }\n", "a", (), {"b c": 2}, 'a = { "b c" = 2 }\n'),
        ("[[t]]\na = 1\n", "a", (), 2, "a = 2\n\n[[t]]\na = 1\n"),
        ('"a\\"=" = 1 # c\n\'"=\'.b = 2\n', 'a"=', (), 3, '"a\\"=" = 3 # c\n\'"=\'.b = 2\n'),
    ],
)
def test_value_in_a_document_changes(
    content: str, key: str, table: tuple[str, ...], value: object, result: str
) -> None:
    changed = with_value(content.encode(), lambda path: path == (*table, key), table, key, value)
    assert changed == result.encode()
    tomllib.loads(result)


@pytest.mark.parametrize(
    ("content", "path"),
    [
        ("a = {b = 1}\n", ("a", "b")),
        ("[a]\nb = 1\n", ("a",)),
        ("a.b = 1\n", ("a",)),
        ("[[a]]\nb = 1\n", ("a", "b")),
        ("a = [", ("a",)),
        ("a = 1\n[t]\n[t]\n", ("a",)),
        ("= 1\n", ("a",)),
        ("a = nan\n", ("a",)),  # not equal to itself, so that the result cannot be checked
        ("a = 1\n" + "# c\n" * 100_000, ("a",)),
    ],
)
def test_value_that_cannot_be_changed_alone_is_refused(content: str, path: tuple[str, ...]) -> None:
    with pytest.raises(NotToml):
        with_value(content.encode(), lambda other: other == path, path[:-1], path[-1], 2)


@pytest.mark.parametrize("value", [math.inf, math.nan, object(), [object()]])
def test_value_that_toml_cannot_express_is_refused(value: object) -> None:
    with pytest.raises(TypeError, match="as TOML"):
        with_value(b"a = 1\n", lambda path: path == ("a",), (), "a", value)


def test_file_is_kept_if_the_new_content_cannot_be_written(
    run_unset: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("soapclient._support.durable.finish", full)
    (tmp_path / "s.toml").write_text(FILE, encoding="utf-8")
    done = config_set(run_unset, tmp_path / "s.toml", "timeout", "7")
    assert (done.exit_code, os.listdir(tmp_path)) == (1, ["s.toml"])
    assert "No space left on device" in done.stderr
    assert (tmp_path / "s.toml").read_text(encoding="utf-8") == FILE


def test_new_file_is_private_and_the_mode_of_others_is_kept(run_unset: Run, tmp_path: Path) -> None:
    file, link = tmp_path / "s.toml", tmp_path / "link.toml"
    assert config_set(run_unset, file, "timeout", "20").exit_code == 0
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    file.chmod(0o644)
    link.symlink_to(file)
    assert config_set(run_unset, link, "timeout", "30").exit_code == 0
    assert file.read_text(encoding="utf-8") == "timeout = 30\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o644
    assert link.is_symlink()
    assert sorted(os.listdir(tmp_path)) == ["link.toml", "s.toml"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("timeout", "-1"), 3, "the value must be a number of seconds greater than 0"),
        (("timeout", "soon"), 3, "got 'soon'"),
        (("publisher_url", "http://service.example"), 3, "publisher_url"),
        (("time_out", "5"), 2, "did you mean timeout?"),
        (("timeout",), 2, "soapclient --config FILE config set timeout -"),
        (("timeout=5",), 2, "write the name and the value as two words"),
        ((), 2, "give a name and a value"),
        (("timeout", "5", "6"), 2, "give a name and a value"),
        (("--json", "timeout", "5"), 2, "leave out --json"),
        (("secret_key", SECRET), 2, "config set secret_key -"),
        (("proxy_credentials", f"ada:{SECRET}"), 2, "config set proxy_credentials -"),
        (("headers", f"X-Api-Key={SECRET}"), 2, "config set headers -"),
    ],
)
def test_invalid_setting_leaves_the_file_unchanged(
    run_unset: Run, tmp_path: Path, arguments: tuple[str, ...], code: int, message: str
) -> None:
    file = toml(tmp_path, FILE)
    stderr = error_of(config_set(run_unset, file, *arguments), code)
    assert message in stderr
    assert SECRET not in stderr
    assert file.read_text(encoding="utf-8") == FILE


@pytest.mark.parametrize(
    ("content", "message"),
    [("timeout = ", "the file s.toml: "), ("timeout = 1\n[soapclient]\ntimeout = 2\n", "change it by hand")],
)
def test_file_that_cannot_be_changed_is_kept(
    run_unset: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("s.toml").write_text(content, encoding="utf-8")
    assert message in error_of(config_set(run_unset, Path("s.toml"), "timeout", "3"), 3)
    assert Path("s.toml").read_text(encoding="utf-8") == content


def test_secret_is_read_from_stdin(run_unset: Run, tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    done = config_set(run_unset, file, "secret_key", "-", stdin=f"{SECRET}\n")
    assert done.exit_code == 0, done.output
    assert SECRET not in done.output
    assert tomllib.loads(file.read_text(encoding="utf-8")) == {"secret_key": SECRET}


def test_file_is_the_configured_one_and_a_variable_takes_precedence(run_unset: Run, tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    assert "SOAPCLIENT_CONFIG" in error_of(run_unset("config", "set", "timeout", "9"), 2)
    env = {"SOAPCLIENT_CONFIG": str(file), "SOAPCLIENT_PROFILE": "night", "SOAPCLIENT_TIMEOUT": "3"}
    done = run_unset("config", "set", "timeout", "9", env=env)
    assert done.exit_code == 0
    assert "SOAPCLIENT_TIMEOUT is set, too" in done.stderr
    assert tomllib.loads(file.read_text(encoding="utf-8")) == {"profiles": {"night": {"timeout": 9}}}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("[soapclient]\ndeadline = 5\n", {"soapclient": {"deadline": 5, "attempts": 2}}),
        ("[soapclient]\nattempts = 5\n", {"soapclient": {"attempts": 2}}),
        (
            "[soapclient.profiles.night]\ndeadline = 5\n",
            {"soapclient": {"attempts": 2, "profiles": {"night": {"deadline": 5}}}},
        ),
        ("[max.response]\nbytes = 9\n", {"attempts": 2, "max": {"response": {"bytes": 9}}}),
    ],
)
def test_table_of_the_file_is_used(
    run_unset: Run, tmp_path: Path, content: str, expected: Mapping[str, object]
) -> None:
    file = toml(tmp_path, content)
    assert config_set(run_unset, file, "attempts", "2").exit_code == 0
    assert tomllib.loads(file.read_text(encoding="utf-8")) == expected


def test_split_name_is_changed_where_it_is(run_unset: Run, tmp_path: Path) -> None:
    before = '[publisher]\nurl = "https://a.example"\n[services.data]\nurl = "https://a.example"\n'
    file = toml(tmp_path, before)
    for name in ("publisher_url", "data_url"):
        assert config_set(run_unset, file, name, f"https://{name}.example".replace("_", "-")).exit_code == 0
    text = '[publisher]\nurl = "https://publisher-url.example"\n[services.data]\nurl = "https://data-url.example"\n'
    assert file.read_text(encoding="utf-8") == text
