from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from click.testing import Result

from soapclient.config import Config

Run = Callable[..., Result]


def test_every_setting_its_value_and_its_places(run_unset: Run, tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text(
        'data_url = "https://data.example.org"\nattempts = 7\nsigning_names = { data = "feed" }\n'
    )
    environment = {
        "SOAPCLIENT_SECRET_KEY": "the secret itself",
        "SOAPCLIENT_CONNECT_ID": "someone",
        "SOAPCLIENT_ATTEMPTS": "9",
    }
    result = run_unset("--config", str(file), "config", env=environment)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    for each in Config.settings():
        assert sum(line.startswith(f"{each.name} = ") for line in lines) == 1
        assert f"    {each.env}, or {each.name} in the TOML file" in lines
    assert {
        "connect_id = someone",
        "secret_key = (set, not shown)",
        "publisher_url = (not set)",
        "data_url = https://data.example.org",
        "attempts = 9",
        "timeout = 60.0 (default)",
        "lowercase_path = false",
        "signing_names = data=feed",
    } <= set(lines)
    assert "the secret itself" not in result.output


def test_an_impossible_setting_is_an_error_that_says_where(run_unset: Run) -> None:
    result = run_unset("config", env={"SOAPCLIENT_ATTEMPTS": "many"})
    assert result.exit_code == 1
    assert "SOAPCLIENT_ATTEMPTS" in result.stderr
    assert result.stdout == ""
