"""The places of a console: profiles and addresses, their kinds, and the confirmation of writes."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import click
import pytest

from soapclient.cli.consoles import ConsoleSetup, configured
from soapclient.cli.places import places_of_addresses, places_of_profiles
from soapclient.cli.session import GlobalOptions, load_config
from soapclient.console.places import Place, Places, kind_of
from soapclient.errors import ConfigError
from soapclient.settings.sources import profiles_in
from tests.console.vendors import Called

PROFILES = """
publisher_url = "http://127.0.0.1:9"
[profiles.mock]
publisher_url = "http://127.0.0.1:8"
[profiles.real]
publisher_url = "https://service.example"
[soapclient.profiles.broken]
connect_id = "a"
keyring = "no-such-service"
"""


@pytest.mark.parametrize(
    ("name", "addresses", "own", "kind"),
    [
        ("default", ["http://127.0.0.1:1"], True, "sandbox"),
        ("my-mock", ["http://localhost:1"], True, "mock"),
        ("address", ["http://[::1]:1/soap"], False, "mock"),
        ("sandbox", ["http://127.0.0.1:1", "https://service.example"], True, "production"),
        ("sandbox", ["https://sandbox.example"], True, "production"),
        ("prod_tunnel", ["http://127.0.0.1:1"], True, "production"),
        ("default", [], True, "production"),
    ],
)
def test_kind_of_a_place(name: str, addresses: list[str], own: bool, kind: str) -> None:
    assert kind_of(name, addresses, is_own_service=own) == kind


def test_profiles_are_places_and_the_current_one_is_selected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(PROFILES)
    monkeypatch.delenv("SOAPCLIENT_PUBLISHER_URL", raising=False)
    context = click.Context(click.Command("console"), obj=GlobalOptions(file, None))
    with context, ExitStack() as ends:
        config = load_config()
        shown = ends.enter_context(configured(config))
        places = places_of_profiles(ends, shown, config)
        kinds = [(place.name, place.kind) for place in places]
        assert kinds == [("default", "sandbox"), ("mock", "mock"), ("real", "production")]
        assert places.selected.target("publisher") is shown.targets[0]
        targets = places.select("real").targets
        assert targets["publisher"].address == "https://service.example"
        assert targets.keys() == {target.name for target in shown.targets}
        assert places.selected.name == "real"
    assert "the profile broken is left out" in capsys.readouterr().err


def test_names_of_profiles(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(PROFILES)
    assert profiles_in(file) == ["mock", "real", "broken"]
    assert profiles_in(None, {"SOAPCLIENT_CONFIG": str(file)}) == ["mock", "real", "broken"]
    assert profiles_in(None, {}) == []


def test_the_address_of_the_wsdl_is_a_place_next_to_the_given_one(mocked_weather: Called) -> None:
    target = mocked_weather.target
    setup = ConsoleSetup([target], {})
    with ExitStack() as ends:
        places = places_of_addresses(ends, setup, target.address, lambda: [target])
        assert [(place.name, place.kind) for place in places] == [("address", "mock"), ("wsdl", "mock")]
        assert places.selected.address == target.address
        assert len(places_of_addresses(ends, setup, None, lambda: [target])) == 1


def test_each_write_in_production_needs_its_own_confirmation(mocked_weather: Called) -> None:
    target = mocked_weather.target
    places = Places([Place(kind, kind, "", lambda: [target]) for kind in ("mock", "production")])
    write, read = target.operations["Observe"], target.operations["GetWeather"]
    assert places.refusal(target, write, confirmed=False) == ""
    places.select("production")
    assert "Observe can change data in production" in places.refusal(target, write, confirmed=False)
    assert places.refusal(target, write, confirmed=True) == ""
    assert places.refusal(target, write, confirmed=False) != ""
    assert places.refusal(target, read, confirmed=False) == ""


def test_a_place_that_cannot_be_opened_is_not_selected(mocked_weather: Called) -> None:
    def failing() -> list[object]:
        raise ConfigError("certificate", "is not a file", "Name a file")

    places = Places(
        [Place("mock", "mock", "", lambda: [mocked_weather.target]), Place("real", "production", "", failing)]  # type: ignore[arg-type] # it never returns
    )
    for name in ("real", "elsewhere"):
        with pytest.raises(ConfigError):
            places.select(name)
        assert places.selected.name == "mock"


def test_credentials_in_an_address_are_not_shown() -> None:
    assert "hunter2" not in Place("x", "mock", "http://user:hunter2@127.0.0.1/", list).address
