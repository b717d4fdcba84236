from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from soapclient import Settings
from tests.cli.conftest import Run, error_of, output_of
from tests.settings.loading import toml
from tests.support.programs import ran


def test_config_lists_every_setting_with_value_and_sources(run_unset: Run, tmp_path: Path) -> None:
    text = 'data_url = "https://data.example.org"\nattempts = 7\nsigning_names = { data = "feed" }\n'
    environment = {"SOAPCLIENT_SECRET_KEY": "the secret itself", "SOAPCLIENT_ATTEMPTS": "9"}
    environment["SOAPCLIENT_CONNECT_ID"] = "someone"
    result = run_unset("--config", str(toml(tmp_path, text)), "config", env=environment)
    lines = output_of(result).splitlines()
    for each in Settings.settings():
        assert sum(line.startswith(f"{each.name} = ") for line in lines) == 1
        assert f"    {each.env}, or {each.name} in the TOML file" in lines
    assert {
        "connect_id = someone",
        "secret_key = (set, not shown)",
        "publisher_url = (not set)",
        "data_url = https://data.example.org",
        "attempts = 9",
        "deadline = 60.0 (default)",
        "lowercase_path = false",
        "signing_names = data=feed",
    } <= set(lines)
    assert "the secret itself" not in result.output


def test_json_is_one_object_without_secrets(run_unset: Run, tmp_path: Path) -> None:
    file = toml(tmp_path, 'data_url = "https://data.example.org"\nattempts = 7\n')
    environment = {"SOAPCLIENT_SECRET_KEY": "the secret itself", "SOAPCLIENT_ATTEMPTS": "9"}
    nothing = json.loads(run_unset("config", "--json").stdout)
    found = json.loads(run_unset("--config", str(file), "config", "--json", env=environment).stdout)
    assert list(found) == list(nothing) == [each.name for each in Settings.settings()]
    assert not any(each["set"] for each in nothing.values())
    assert {name for name, each in found.items() if each["set"]} == {"secret_key", "data_url", "attempts"}
    assert (found["attempts"]["value"], found["attempts"]["variable"]) == (9, "SOAPCLIENT_ATTEMPTS")
    assert found["data_url"]["value"] == "https://data.example.org"
    assert str(file) in found["data_url"]["source"]
    assert found["secret_key"]["value"] is None
    assert (found["deadline"]["value"], found["lowercase_path"]["value"]) == (60.0, False)
    assert "the secret itself" not in json.dumps(found)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("module", ["soapclient", "bindgen"])
def test_commands_are_modules_with_a_short_help_option(module: str) -> None:
    done = ran([sys.executable, "-m", module, "-h"])
    assert done.returncode == 0, done.stderr
    assert "Usage: " in done.stdout


def test_invalid_setting_error_names_its_source(run_unset: Run) -> None:
    assert "SOAPCLIENT_ATTEMPTS" in error_of(run_unset("config", env={"SOAPCLIENT_ATTEMPTS": "many"}), 3)


PROFILES = """
timeout = 5
attempts = 7
[profiles.nightly]
timeout = 600
publisher_url = "https://night.example.org"
secret_key = "the secret itself"
"""


def test_profile_is_selected_by_option_or_environment(run_unset: Run, tmp_path: Path) -> None:
    file = toml(tmp_path, PROFILES)
    place = f"the file {file}"

    def shown(*arguments: str, env: dict[str, str]) -> dict[str, str]:
        """Return setting → value, and its source after a slash."""
        result = run_unset(*arguments, "config", env=env)
        assert "the secret itself" not in result.output
        text = output_of(result).replace("\n    from ", " / ")
        return dict(line.split(" = ") for line in text.splitlines() if " = " in line)

    plain = shown("--config", str(file), env={})
    assert plain["timeout"] == f"5.0 / {place}"
    assert plain["publisher_url"] == plain["secret_key"] == "(not set)"
    assert plain["connect_timeout"] == "10.0 (default)"
    by_option = shown("--config", str(file), "--profile", "nightly", env={"SOAPCLIENT_ATTEMPTS": "9"})
    assert by_option["timeout"] == f"600.0 / {place}, profile nightly"
    assert by_option["publisher_url"] == f"https://night.example.org / {place}, profile nightly"
    assert by_option["secret_key"] == f"(set, not shown) / {place}, profile nightly"
    assert by_option["attempts"] == "9 / SOAPCLIENT_ATTEMPTS"
    environment = {"SOAPCLIENT_CONFIG": str(file), "SOAPCLIENT_PROFILE": "nightly"}
    by_environment = shown(env=environment)
    assert by_environment == {**by_option, "attempts": f"7 / {place}"}
    # An option takes precedence over the environment, as --config does.
    file.write_text(f"{PROFILES}[profiles.daily]\ntimeout = 7\n")
    assert shown("--profile", "daily", env=environment)["timeout"] == f"7.0 / {place}, profile daily"


def test_unknown_profile_is_named(run_unset: Run, tmp_path: Path) -> None:
    file = toml(tmp_path, PROFILES)
    stderr = error_of(run_unset("--config", str(file), "--profile", "nigthly", "config"), 3)
    assert "nigthly" in stderr
    assert "nightly" in stderr
    assert "SOAPCLIENT_CONFIG" in run_unset("--profile", "nightly", "config").stderr


def test_profile_named_like_a_command_does_not_change_the_verdict(run_unset: Run) -> None:
    assert run_unset("--profile", "drift", "config").exit_code == 3
    assert run_unset("--profile", "config", "drift").exit_code == 2


def test_transport_settings_are_shown_without_secrets(run_unset: Run, tmp_path: Path) -> None:
    file = toml(
        tmp_path,
        'proxies = { https = "http://proxy.example:3128" }\nheaders = { X-Key = "hidden-word" }\n'
        'certificate = ["shop.pem", "shop.key", "env:HIDDEN_SOURCE"]\ntimeout = 4\n',
    )
    environment = {
        "SOAPCLIENT_PROXY_CREDENTIALS": "shop:hidden-word",
        "SOAPCLIENT_VERIFY": "system",
        "SOAPCLIENT_ALLOW_HTTP": "sandbox,10.0.0.5",
        "HIDDEN_SOURCE": "hidden-word",
    }
    result = run_unset("--config", str(file), "config", env=environment)
    assert "hidden-word" not in result.output
    found = set(output_of(result).replace("\n    from ", " / ").splitlines())
    assert found >= {
        "allow_http = 10.0.0.5,sandbox / SOAPCLIENT_ALLOW_HTTP",  # in the syntax for setting it
        f"certificate = shop.pem,shop.key,env:HIDDEN_SOURCE / the file {file}",
        "connect_timeout = 10.0 (default)",
        "proxy_credentials = (set, not shown) / SOAPCLIENT_PROXY_CREDENTIALS",
        f"timeout = 4.0 / the file {file}",
        "verify = system / SOAPCLIENT_VERIFY",
    }
    (proxies,) = (line for line in found if line.startswith("proxies = "))
    assert "http://proxy.example:3128" in proxies
    (headers,) = (line for line in found if line.startswith("headers = "))
    assert "X-Key" in headers
    assert {line.partition(" / ")[2] for line in (proxies, headers)} == {f"the file {file}"}
