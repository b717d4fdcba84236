from __future__ import annotations

import copy
import dataclasses
import pickle
import pprint
from pathlib import Path
from typing import Any, assert_type
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soapclient import Settings
from soapclient.auth.credentials import Credentials, Secret
from soapclient.errors import ConfigError
from soapclient.settings.settings import Setting
from tests.settings.loading import BASE, CONNECT_ID, KEY, load, refusal, toml


def test_settings_have_defaults() -> None:
    config = load()
    assert config == Settings()
    assert (config.connect_id, config.secret_key, config.publisher_url) == (None, None, None)
    assert (config.signature_placement, config.validate, config.lowercase_path) == ("auto", "requests", False)
    assert (config.deadline, config.timeout, config.connect_timeout, config.attempts) == (60, None, 10, 4)
    assert (config.verify, config.certificate, config.proxies) == (True, None, None)
    assert config.proxy_credentials is None
    assert (config.headers, config.pool_size, config.allow_http) == ({}, 32, ())
    assert (config.max_response_bytes, config.stream_above) == (64 * 1024**2, 1024**2)
    assert (config.naive_zone, config.report_zone) == (None, None)
    assert (str(config.naive_tzinfo()), str(config.report_tzinfo())) == ("Europe/Berlin", "Europe/Berlin")
    assert (config.signature_validity_minutes, config.user_agent, config.signing_names) == (30, "", {})


def test_arguments_override_environment_and_environment_overrides_file(tmp_path: Path) -> None:
    file = toml(tmp_path, 'timeout = 1\nconnect_timeout = 1\nattempts = 1\nvalidate = "off"')
    environ = {"SOAPCLIENT_TIMEOUT": "2", "SOAPCLIENT_CONNECT_TIMEOUT": "2.5", "SOAPCLIENT_ATTEMPTS": "2"}
    config = load(environ, file, timeout=3, attempts=None)
    assert (config.timeout, config.connect_timeout, config.attempts, config.validate) == (3, 2.5, 2, "off")


def test_every_setting_can_come_from_every_source(tmp_path: Path) -> None:
    values: dict[str, tuple[object, str, str]] = {
        "connect_id": (CONNECT_ID, CONNECT_ID, f'"{CONNECT_ID}"'),
        "secret_key": (Secret(KEY), KEY, f'"{KEY}"'),
        "advertiser_partner_codes": (("1C2", "3C4T"), "1C2, 3C4T", '["1C2", "3C4T"]'),
        "publisher_protocol": ("rest", "rest", '"rest"'),
        "data_protocol": ("rest", "rest", '"rest"'),
        "rest_format": ("json", "json", '"json"'),
        "rest_signature": ("query", "query", '"query"'),
        "signature_placement": ("body", "body", '"body"'),
        "keyring": ("soapclient", "soapclient", '"soapclient"'),
        "signing_names": (
            {"data": "ds", "publisher": "ps"},
            "data=ds, publisher=ps",
            '{data="ds", publisher="ps"}',
        ),
        "lowercase_path": (True, "TRUE", "true"),
        "signature_validity_minutes": (15, "15", "15"),
        "validate": ("all", "all", '"all"'),
        "drift": ("error", "error", '"error"'),
        "on_invalid_value": ("skip", "skip", '"skip"'),
        "drift_log": ("drift.jsonl", "drift.jsonl", '"drift.jsonl"'),
        "state_dir": ("state", "state", '"state"'),
        "on_column_drift": ("error", "error", '"error"'),
        "timeout": (7.5, "7.5", "7.5"),
        "deadline": (90.0, "90", "90"),
        "verify": ("ca.pem", "ca.pem", '"ca.pem"'),
        "certificate": (("c.pem", "k.pem", "env:PW"), "c.pem, k.pem, env:PW", '["c.pem", "k.pem", "env:PW"]'),
        "proxies": (
            {"http": "http://p:1", "https": "https://q:2"},
            "http=p:1, https=https://q:2",
            '{http = "http://p:1", https = "https://q:2"}',
        ),
        "proxy_credentials": (Secret("me:pass:word"), "me:pass:word", '"me:pass:word"'),
        "headers": ({"X-A": "1", "X-B": "a b"}, "X-A=1, X-B=a b", '{X-A = "1", X-B = "a b"}'),
        "pool_size": (3, "3", "3"),
        "allow_http": (("10.0.0.5", "sandbox"), "Sandbox, 10.0.0.5", '["sandbox", "10.0.0.5"]'),
        "allow_private": (("10.0.0.0/8", "files"), "Files, 10.0.0.0/8", '["files", "10.0.0.0/8"]'),
        "connect_timeout": (3.0, "3", "3"),
        "attempts": (1, "1", "1"),
        "max_response_bytes": (1000, "1000", "1000"),
        "max_response_nodes": (1000, "1000", "1000"),
        "max_response_parts": (10, "10", "10"),
        "max_compression_ratio": (20, "20", "20"),
        "max_download_bytes": (1_000_000, "1000000", "1000000"),
        "stream_above": (0, "0", "0"),
        "mtom": ("always", "always", '"always"'),
        "mtom_above": (0, "0", "0"),
        "naive_zone": ("UTC", "UTC", '"UTC"'),
        "report_zone": ("Asia/Tokyo", "Asia/Tokyo", '"Asia/Tokyo"'),
        "safe": (frozenset({"GetA", "GetB"}), "GetA, GetB", '["GetB", "GetA"]'),
        "security": ("keys.toml", "keys.toml", '"keys.toml"'),
        "services": (
            {"weather": {"deadline": 5.0}},
            '{"weather": {"deadline": 5}}',
            "{weather = {deadline = 5}}",
        ),
        "user_agent": ("shop/1.0 (nightly)", "shop/1.0 (nightly)", '"shop/1.0 (nightly)"'),
        "request_id_header": ("X-Correlation-ID", "X-Correlation-ID", '"X-Correlation-ID"'),
    }
    table = {each.name: each for each in Settings.settings()}
    for name in table:
        if name.endswith("_url"):
            values[name] = (f"{BASE}/{name}", f"{BASE}/{name}", f'"{BASE}/{name}"')
    assert values.keys() == table.keys() == {field.name for field in dataclasses.fields(Settings)}
    for name, (expected, text, written) in values.items():
        file = toml(tmp_path, f"{name} = {written}")
        inside = tmp_path / "inside.toml"
        inside.write_text(f"[soapclient]\n{name} = {written}", encoding="utf-8")
        for config in (
            load(**{name: expected}),
            load({f"SOAPCLIENT_{name.upper()}": text}),
            load({}, file),
            load({}, inside),
            load({"SOAPCLIENT_CONFIG": str(file)}),
        ):
            assert getattr(config, name) == expected, name


def test_process_environment_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOAPCLIENT_ATTEMPTS", "7")
    monkeypatch.delenv("SOAPCLIENT_CONFIG", raising=False)
    assert Settings.load().attempts == 7


PROFILES = """
timeout = 5
[soapclient]
attempts = 2
data_soap_url = "https://one.example/soap"
[profiles.test]
timeout = 7
data_url = "https://test.example"
[profiles.night]
attempts = 9
[profiles.night.advertiser]
partner_codes = ["1C2"]
"""


@pytest.mark.parametrize("nested", [False, True])
def test_profile_overrides_the_rest_of_its_file(tmp_path: Path, nested: bool) -> None:
    file = toml(tmp_path, PROFILES.replace("[profiles.", "[soapclient.profiles.") if nested else PROFILES)
    assert (load({}, file).timeout, load({}, file).attempts) == (5, 2)
    named = {"SOAPCLIENT_PROFILE": "night"}
    assert (load(named, file).timeout, load(named, file).attempts) == (5, 9)
    assert load(named, file).advertiser_partner_codes == ("1C2",)
    test = Settings.load(file=file, profile="test", environ=named)
    assert (test.timeout, test.attempts) == (7, 2)
    assert test.soap_endpoint("data", "2011-05-01").startswith("https://test.example/soap/")
    assert Settings.load(file=file, profile="test", environ={"SOAPCLIENT_TIMEOUT": "1"}).timeout == 1


def test_unknown_profile_is_an_error(tmp_path: Path) -> None:
    file = toml(tmp_path, PROFILES)
    for environ, profile in (({}, "tset"), ({"SOAPCLIENT_PROFILE": "tset"}, None)):
        with pytest.raises(ConfigError, match=r"'tset'.*did you mean test\?.*test, night") as caught:
            Settings.load(file=file, profile=profile, environ=environ)
        assert caught.value.setting == "profile"
    with pytest.raises(ConfigError, match="SOAPCLIENT_CONFIG"):
        Settings.load(profile="test", environ={})
    for where in (file, None):
        with pytest.raises(ConfigError, match=r"argument profile is empty\. Name a profile, or omit it"):
            Settings.load(file=where, profile="", environ={})
    assert Settings.load(file=file, environ={"SOAPCLIENT_PROFILE": ""}) == Settings.load(
        file=file, environ={}
    )
    wrong = toml(tmp_path, "[profiles.other]\ntimout = 5\n")
    with pytest.raises(
        ConfigError, match=r"key profiles.other.timout, is not a setting; did you mean timeout"
    ):
        Settings.load(file=wrong, environ={})
    with pytest.raises(ConfigError, match=r"must be a table\. Write it as a table"):
        Settings.load(file=toml(tmp_path, "[profiles]\nother = 5\n"), environ={})


def test_files_are_read_only_if_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("soapclient.toml", "settings.toml", ".soapclient.toml", "pyproject.toml"):
        (tmp_path / name).write_text("attempts = 9")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert load().attempts == 4
    assert load({"SOAPCLIENT_CONFIG": "~/settings.toml"}).attempts == 9


def test_file_argument_overrides_the_variable(tmp_path: Path) -> None:
    other = tmp_path / "other.toml"
    other.write_text("attempts = 2")
    file = toml(tmp_path, "attempts = 3")
    assert load({"SOAPCLIENT_CONFIG": str(other)}, file).attempts == 3
    assert load({"SOAPCLIENT_CONFIG": ""}).attempts == 4


def test_empty_variable_counts_as_unset(tmp_path: Path) -> None:
    assert load({"SOAPCLIENT_ATTEMPTS": ""}, toml(tmp_path, "attempts = 3")).attempts == 3
    assert load({"SOAPCLIENT_SECRET_KEY": ""}).secret_key is None


def test_unknown_service_names_are_refused(tmp_path: Path) -> None:
    for error in (
        refusal(signing_names={"publishr": "x"}),
        refusal({"SOAPCLIENT_SIGNING_NAMES": "data=feed,publishr=x"}),
        refusal({}, toml(tmp_path, 'signing_names = {publishr = "x"}')),
    ):
        assert error.setting == "signing_names"
        assert "has the unknown service 'publishr'; did you mean publisher?" in str(error)
        assert "publisher or data" in str(error)
    assert "has the unknown service 'advertiser'" in str(refusal(signing_names={"advertiser": "x"}))


def test_secret_may_be_given_as_text_or_secret() -> None:
    for config in (Settings(secret_key=KEY), Settings(secret_key=Secret(KEY))):
        assert_type(config.secret_key, Secret | None)
        assert config.secret_key == Secret(KEY)
    assert Settings(secret_key=None).secret_key is None
    Settings(secret_key=KEY).secret_key.reveal()  # type: ignore[union-attr] # it may be None for type checkers
    with pytest.raises(ConfigError, match="secret_key"):
        Settings(secret_key=5)  # type: ignore[arg-type] # the test uses a wrong type


def test_invalid_value_error_names_setting_value_source_and_allowed_values(tmp_path: Path) -> None:
    cases: list[tuple[str, object, str, str]] = [
        ("timeout", 0, "0", "greater than 0"),
        ("timeout", "soon", "'soon'", "seconds"),
        ("timeout", True, "True", "seconds"),
        ("timeout", 1e9, "1000000000.0", "86400"),
        ("attempts", 2.5, "2.5", "whole number"),
        ("attempts", 0, "0", "from 1"),
        ("max_response_bytes", -1, "-1", "whole number"),
        ("validate", "none", "'none'", "requests, all, off"),
        ("signature_placement", "Body", "'Body'", "auto, body, headers"),
        ("lowercase_path", "maybe", "'maybe'", "true or false"),
        ("naive_zone", "../etc", "'../etc'", "time zone"),
        ("publisher_url", "http://service.example", "'http://service.example'", "https"),
        ("data_soap_url", "https://data.invalid/soap", "'https://data.invalid/soap'", "placeholder"),
        ("advertiser_url", 5, "5", "https"),
        ("signing_names", "publisher", "'publisher'", "pairs"),
        ("user_agent", "a\tb", "'a\\tb'", "ASCII"),
    ]
    for name, value, given_text, allowed in cases:
        errors = {f"argument {name}": refusal(**{name: value})}
        variable = f"SOAPCLIENT_{name.upper()}"
        if not isinstance(value, bool):
            text = str(int(value)) if isinstance(value, float) and value > 1e6 else str(value)
            errors[f"environment variable {variable}"] = refusal({variable: text})
        written = f'"{value}"' if isinstance(value, str) else str(value).lower()
        errors["settings.toml, key " + name] = refusal({}, toml(tmp_path, f"{name} = {written}"))
        errors["key soapclient." + name] = refusal({}, toml(tmp_path, f"[soapclient]\n{name} = {written}"))
        for place, error in errors.items():
            message = str(error)
            assert error.setting == name
            assert place in message
            assert allowed in message
            assert variable in error.where
            if "environment" not in place:
                assert given_text in message
    assert refusal(signing_names={"publisher": ""}).setting == "signing_names"


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("timeout", "-1", "must be a number of seconds greater than 0, got -1."),
        ("timeout", "-0.5", "must be a number of seconds greater than 0, got -0.5."),
        ("timeout", "0", "must be a number of seconds greater than 0, got 0."),
        ("timeout", "soon", "must be a number of seconds greater than 0, such as 30 or 2.5, got 'soon'."),
        ("timeout", "1e3", "must be a number of seconds greater than 0, such as 30 or 2.5, got '1e3'."),
        ("timeout", "86401", "must be a number of seconds greater than 0 and at most 86400, got 86401."),
        ("attempts", "-1", "must be a whole number from 1 to 20, got -1."),
        ("attempts", "2.5", "must be a whole number from 1 to 20, got 2.5."),
        ("validate", "none", "must be one of: requests, all, off (got 'none')."),
        ("lowercase_path", "maybe", "must be true or false, got 'maybe'."),
    ],
)
def test_invalid_environment_value_error_is_a_sentence(name: str, text: str, said: str) -> None:
    variable = f"SOAPCLIENT_{name.upper()}"
    message = str(refusal({variable: text}))
    assert message.startswith(f"{name}: {variable} {said}")
    assert " Set it as " in message


@pytest.mark.parametrize("text", ["1_000", "١٢", "nan", "inf", "1e3", " 5", "+5", "0x10", ""])
def test_numbers_in_the_environment_are_plain_digits(text: str) -> None:
    if text:
        assert repr(text) in str(refusal({"SOAPCLIENT_TIMEOUT": text}))
        assert refusal({"SOAPCLIENT_ATTEMPTS": text}).setting == "attempts"
    with pytest.raises(ConfigError):
        Settings(timeout=text)  # type: ignore[arg-type] # the test uses a wrong type


def test_huge_and_odd_numbers_are_config_errors() -> None:
    for odd in (10**400, float("nan"), float("inf"), -float("inf")):
        assert refusal(timeout=odd).setting == "timeout"
    assert refusal(attempts=10**5000).setting == "attempts"


def test_unknown_names_are_errors_with_a_hint(tmp_path: Path) -> None:
    error = refusal(publisher_ulr=BASE)
    assert "argument publisher_ulr is not a setting; did you mean publisher_url? The settings" in str(error)
    for text in ("time_out = 5", "[soapclient]\ntime_out = 5"):
        message = str(refusal({}, toml(tmp_path, text)))
        assert "settings.toml" in message
        assert "did you mean timeout?" in message
    assert "did you mean" not in str(refusal({}, toml(tmp_path, "xyzzy = 5")))


def test_a_key_in_both_places_of_a_file_is_an_error(tmp_path: Path) -> None:
    assert "twice" in str(refusal({}, toml(tmp_path, "timeout = 1\n[soapclient]\ntimeout = 2")))
    assert "table" in str(refusal({}, toml(tmp_path, "soapclient = 1")))


def test_unreadable_file_is_a_config_error(tmp_path: Path) -> None:
    missing = tmp_path / "missing.toml"
    for error in (refusal({}, missing), refusal({"SOAPCLIENT_CONFIG": str(missing)})):
        assert str(missing) in str(error)
        assert "No such file" in str(error)
        assert "SOAPCLIENT_CONFIG" in error.where
    assert "directory" in str(refusal({}, tmp_path))
    assert "not TOML" in str(refusal({}, toml(tmp_path, f"secret_key = {KEY}")))
    assert "not TOML: nested" in str(refusal({}, toml(tmp_path, f"headers = {'[' * 5000}")))
    assert "not TOML: Exceeds the limit" in str(refusal({}, toml(tmp_path, f"timeout = {'9' * 4301}")))
    (tmp_path / "latin.toml").write_bytes(b'user_agent = "\xe4"')
    assert "not UTF-8" in str(refusal({}, tmp_path / "latin.toml"))
    assert "not a path" in str(refusal({}, Path("a\0b")))


def test_copy_returns_the_same_immutable_object() -> None:
    config = load(connect_id=CONNECT_ID, secret_key=KEY)
    assert copy.copy(config) is config
    assert copy.deepcopy([config])[0] is config


def test_secret_is_not_in_any_text(tmp_path: Path) -> None:
    config = load(connect_id=CONNECT_ID, secret_key=KEY, publisher_url=BASE)
    back = pickle.loads(pickle.dumps(config.carrying_secrets()))
    assert back == config
    assert hash(back) == hash(config)
    for thing in (config, back, copy.deepcopy(config), dataclasses.asdict(config), config.credentials()):
        for text in (repr(thing), str(thing), pprint.pformat(thing), f"{thing}"):
            assert KEY not in text
    assert config.credentials() == Credentials(CONNECT_ID, KEY)
    wrong: list[ConfigError] = [
        refusal(connect_id=f"{CONNECT_ID}:{KEY}"),
        refusal({"SOAPCLIENT_CONNECT_ID": f"{CONNECT_ID}:{KEY}"}),
        refusal(secret_key=[KEY]),
        refusal(secret_key=KEY + "\udc80"),
        refusal({"SOAPCLIENT_SECRET_KEY": KEY + "\udc80"}),
        refusal({}, toml(tmp_path, f'secret_key = ["{KEY}"]')),
        refusal({}, toml(tmp_path, f'secret_key = "{KEY}')),
        refusal({}, toml(tmp_path, f'secret_kee = "{KEY}"')),
        refusal(publisher_url=f"https://{CONNECT_ID}:{KEY}@service.example"),
        refusal(publisher_url=f"https://service.example?secret={KEY}"),
    ]
    for error in wrong:
        for text in (str(error), repr(error), repr(vars(error)), repr(pickle.dumps(error))):
            assert KEY not in text
            assert KEY.partition("/")[0] not in text


def test_explicit_empty_secret_or_id_is_refused(tmp_path: Path) -> None:
    assert "got an empty string" in str(refusal(secret_key=""))
    assert "got an empty string" in str(refusal({}, toml(tmp_path, 'connect_id = ""')))


def test_missing_connect_id_error_says_where_to_set_it() -> None:
    with pytest.raises(ConfigError, match=r"connect_id.*SOAPCLIENT_CONNECT_ID.*TOML"):
        load(secret_key=KEY).credentials()
    assert load(connect_id=CONNECT_ID).credentials() == Credentials(CONNECT_ID)


def test_direct_construction_is_checked_too() -> None:
    assert Settings(publisher_url=BASE + "/").publisher_url == BASE
    with pytest.raises(ConfigError, match="publisher_url"):
        Settings(publisher_url="http://service.example")
    with pytest.raises(ConfigError, match="deadline"):
        Settings(deadline=None)  # type: ignore[arg-type] # the test uses a wrong type
    with pytest.raises(dataclasses.FrozenInstanceError):
        Settings().timeout = 5  # type: ignore[misc] # the assignment must fail


def test_equal_settings_have_equal_hashes() -> None:
    given: dict[str, Any] = {"proxies": {"https": "http://proxy:1"}, "headers": {"X-A": "1"}}
    given |= {"certificate": ["a.pem", "a.key"], "allow_http": ["sandbox"]}
    assert hash(Settings(**given)) == hash(Settings(**given))


def test_tables_are_not_shared_with_the_caller() -> None:
    names = {"publisher": "ps"}
    config = load(signing_names=names)
    names["publisher"] = "changed"
    assert config.signing_name("publisher", "publisherservice") == "ps"
    assert config.signing_name("data", "dataservice") == "dataservice"


def test_zones_are_resolved() -> None:
    config = load(report_zone="Asia/Tokyo")
    assert config.report_tzinfo() == ZoneInfo("Asia/Tokyo")
    assert config.naive_tzinfo() == ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize("zone", ["Europe/Berln", "Europe"])
def test_an_unknown_zone_is_an_error_when_it_is_needed(zone: str) -> None:
    config = load(naive_zone=zone)
    problem = rf"naive_zone: must be a time zone that this machine knows, got {zone}.*SOAPCLIENT_NAIVE_ZONE"
    with pytest.raises(ConfigError, match=problem):
        config.naive_tzinfo()


def test_missing_time_zone_database_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(_: str) -> ZoneInfo:
        raise KeyError("no database")

    monkeypatch.setattr("zoneinfo.ZoneInfo", nothing)
    monkeypatch.setattr("zoneinfo.available_timezones", set)
    with pytest.raises(ConfigError, match=r"cannot look up the zone Europe/Berlin.*tzdata"):
        load().report_tzinfo()


@given(st.dictionaries(st.text(), st.none() | st.booleans() | st.integers() | st.floats() | st.text()))
def test_any_arguments_return_settings_or_raise_a_config_error(arguments: dict[str, object]) -> None:
    reserved = {"file", "environ", "cls"}
    where = "no error"
    try:
        load(**{name: value for name, value in arguments.items() if name not in reserved})
    except ConfigError as error:
        where = error.where
    assert where


@given(st.sampled_from(Settings.settings()), st.text(st.characters(exclude_characters="\0")))
def test_any_environment_returns_settings_or_raises_a_config_error(each: Setting, text: str) -> None:
    try:
        read = getattr(load({each.env: text}), each.name)
    except ConfigError as error:
        blamed = error.setting
    else:
        blamed = each.name
        assert read == each.default if text == "" else read is not None
    assert blamed == each.name
