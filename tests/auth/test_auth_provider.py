"""Credentials from a provider: how often it is called, and what happens after a refusal."""

from __future__ import annotations

import logging
import os
import pickle
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from soapclient import Client, Settings
from soapclient.auth.credentials import Credentials, Secret
from soapclient.auth.provider import CredentialsCache, secret_in_keyring
from soapclient.clock import ManualClock
from soapclient.errors import AuthenticationError, ConfigError
from soapclient.settings import sources
from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY, Sandbox, serve

ID, KEY, NEXT = SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY, "the key after the next rotation"


class Vault:
    """Provides its current credentials and counts the calls."""

    def __init__(self, secret: str, lifetime: float | None = None, connect_id: str = ID) -> None:
        self.secret, self.lifetime, self.connect_id = secret, lifetime, connect_id
        self.asked = 0

    def credentials(self) -> Credentials:
        self.asked += 1
        return Credentials(self.connect_id, self.secret, lifetime=self.lifetime)


def clock() -> ManualClock:
    return ManualClock(datetime(2026, 11, 20, tzinfo=UTC))


def test_a_provider_is_asked_once_per_lifetime() -> None:
    vault, time = Vault(KEY, lifetime=60), clock()
    lease = CredentialsCache(vault, time)
    assert vault.asked == 0
    assert [lease.current() for _ in range(5)] == [Credentials(ID, KEY)] * 5
    time.advance(59)
    assert (lease.current().secret_key, vault.asked) == (Secret(KEY), 1)
    vault.secret = NEXT
    time.advance(1)
    assert (lease.current().secret_key, vault.asked) == (Secret(NEXT), 2)
    forever = Vault(KEY)
    lease = CredentialsCache(forever.credentials, time)
    lease.current()
    time.advance(10**9)
    assert (lease.current().secret_key, forever.asked) == (Secret(KEY), 1)


def test_interrupted_provider_is_asked_again() -> None:
    """This happens in a child process that is forked between the steps."""
    vault, time = Vault(KEY, lifetime=60), clock()

    class Interrupted(ManualClock):
        def monotonic(self) -> float:
            raise KeyboardInterrupt

    lease = CredentialsCache(vault, Interrupted(time.now()))
    for times in (1, 2):
        with pytest.raises(KeyboardInterrupt):
            lease.current()
        assert vault.asked == times


def test_threads_share_one_provider_call() -> None:
    vault = Vault(KEY, lifetime=60)
    lease, start = CredentialsCache(vault, clock()), threading.Barrier(16)

    def ask(_: int) -> Credentials:
        start.wait(timeout=20)
        return lease.current()

    with ThreadPoolExecutor(16) as pool:
        assert set(pool.map(ask, range(16))) == {Credentials(ID, KEY)}
    assert vault.asked == 1
    old, vault.secret = lease.current(), NEXT

    def refused(_: int) -> bool:
        start.wait(timeout=20)
        return lease.renewed(old)

    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(refused, range(16))) == [True] * 16
    assert vault.asked == 2
    assert not lease.renewed(lease.current())  # the provider returns the same credentials again
    assert not CredentialsCache(Credentials(ID, KEY)).renewed(Credentials(ID, KEY))


def test_config_error_of_a_provider_is_not_wrapped() -> None:
    """The provider may read a settings file that the user can correct."""
    wrong = ConfigError("vault", "is closed", "Open it")

    def refusing() -> Credentials:
        raise wrong

    with pytest.raises(ConfigError) as caught:
        CredentialsCache(refusing, clock()).current()
    assert caught.value is wrong


def failing() -> Credentials:
    raise OSError(f"the vault has {KEY}")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (failing, "the provider raised OSError"),
        (lambda: KEY, "the provider must return Credentials, got str"),
        (5, "int cannot provide credentials"),
    ],
)
def test_provider_without_credentials_is_an_error(given: Any, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        CredentialsCache(given).current()
    how = (
        "Pass Credentials, a function that returns Credentials, or an object with such a method credentials()"
    )
    assert str(caught.value) == f"credentials: {said}. {how}"


def test_provider_must_not_change_the_account() -> None:
    vault, time = Vault(KEY, lifetime=1), clock()
    lease = CredentialsCache(vault, time)
    lease.current()
    vault.connect_id = "another"
    time.advance(1)
    with pytest.raises(ConfigError) as caught:
        lease.current()
    said = "the provider returned the credentials of another account. Open one client per account"
    assert str(caught.value) == f"credentials: {said}"


def test_lifetime_without_a_clock_uses_real_time() -> None:
    vault = Vault(KEY, lifetime=10**6)
    lease = CredentialsCache(vault)
    assert lease.current() == lease.current() == Credentials(ID, KEY)
    assert vault.asked == 1


@pytest.fixture(params=["soap", "rest"])
def opened(request: pytest.FixtureRequest) -> Iterator[Callable[..., Client]]:
    """Clients of a sandbox that accepts a new secret, but not the secret with which they were opened."""
    with (
        Sandbox(seed=7, clicks_per_day=2, accounts={ID: NEXT}) as sandbox,
        serve(sandbox, timeout=20) as server,
    ):

        def make(provider: Any) -> Client:
            config = Settings(publisher_url=server.url, data_url=server.url, attempts=1)
            return Client(config, protocol=request.param, credentials=provider)

        yield make


def test_refused_signature_asks_the_provider_once_and_repeats_the_call(opened: Callable[..., Client]) -> None:
    vault = Vault(KEY)
    with opened(vault) as client:
        assert vault.asked == 1
        vault.secret = NEXT
        assert client.publisher.get_profile().profile_item
        assert client.publisher.get_profile().profile_item
        assert vault.asked == 2
    vault = Vault(KEY)
    with opened(vault) as client:  # a write, too: it was refused, not processed
        vault.secret = NEXT
        client.publisher.delete_adspace(adspace_id=1)
        assert vault.asked == 2


def test_refusal_is_an_error_if_new_credentials_do_not_help(opened: Callable[..., Client]) -> None:
    vault = Vault(KEY)
    with opened(vault) as client, pytest.raises(AuthenticationError):
        client.publisher.get_profile()
    assert vault.asked == 2
    with opened(Credentials(ID, KEY)) as client, pytest.raises(AuthenticationError):
        client.publisher.get_profile()
    with opened(Credentials(ID, NEXT)) as client:
        assert client.publisher.get_profile().profile_item
        assert client.settings.connect_id == ID


# ---- between processes

ENVIRONMENT = {"SOAPCLIENT_CONNECT_ID": ID, "SOAPCLIENT_SECRET_KEY": NEXT}


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("SOAPCLIENT_"):
            monkeypatch.delenv(name)


def test_a_pickle_carries_no_secret_unless_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    config = Settings(connect_id=ID, secret_key=KEY, proxy_credentials="me:of the proxy", attempts=2)
    plain = pickle.dumps(config)
    assert KEY.encode() not in plain
    assert b"of the proxy" not in plain
    back = pickle.loads(plain)
    assert (back.connect_id, back.secret_key, back.attempts) == (ID, None, 2)
    with pytest.raises(ConfigError, match="SOAPCLIENT_SECRET_KEY"):
        back.credentials().require_secret_key()
    assert pickle.loads(pickle.dumps(config.carrying_secrets())) == config
    client = Client(config.carrying_secrets(), protocol="rest", timeout=5)
    assert pickle.loads(pickle.dumps(client)).settings.credentials() == Credentials(ID, KEY)
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    assert pickle.loads(plain).credentials() == Credentials(ID, NEXT)
    monkeypatch.setenv("SOAPCLIENT_CONNECT_ID", "another")
    assert pickle.loads(plain).secret_key is None


def provided() -> Credentials:
    return Credentials(ID, KEY)


def test_pickled_client_reads_credentials_from_its_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    config = Settings(connect_id=ID, secret_key=KEY, publisher_url="https://service.example")
    for client in (Client(config, protocol="rest"), Client(config, credentials=Credentials(ID, KEY))):
        packed = pickle.dumps(client)
        assert KEY.encode() not in packed
        back = pickle.loads(packed)
        assert back.settings.credentials() == Credentials(ID, NEXT)
        assert back.settings.publisher_protocol == client.settings.publisher_protocol
    view = pickle.loads(pickle.dumps(Client(config).with_options(attempts=3)))
    assert view._call_options.attempts == 3
    packed = pickle.dumps(Client(config, credentials=provided, on_attempt=print))
    assert KEY.encode() not in packed
    assert pickle.loads(packed).settings.credentials() == Credentials(ID, KEY)
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(Client(config, on_attempt=lambda attempt: None))


# ---- the system keyring


@pytest.fixture
def keyring(monkeypatch: pytest.MonkeyPatch) -> dict[tuple[str, str], str]:
    known: dict[tuple[str, str], str] = {}
    stand_in = SimpleNamespace(get_password=lambda service, user: known.get((service, user)))
    monkeypatch.setitem(sys.modules, "keyring", stand_in)
    return known


def test_secret_key_can_come_from_the_keyring(
    keyring: dict[tuple[str, str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    environ = {"SOAPCLIENT_KEYRING": "shop", "SOAPCLIENT_CONNECT_ID": ID}
    with pytest.raises(ConfigError) as caught:
        Settings.load(environ=environ)
    how = f"Store it: keyring set shop {ID}"
    assert str(caught.value) == f"keyring: it has no secret key for connect ID {ID} (service 'shop'). {how}"
    keyring["shop", ID] = KEY
    config = Settings.load(environ=environ)
    assert config.credentials() == Credentials(ID, KEY)
    assert Settings.sources(environ=environ)["secret_key"] == "the keyring, service shop"
    assert Settings(connect_id=ID, keyring="shop").credentials() == Credentials(ID, KEY)
    assert pickle.loads(pickle.dumps(config)).credentials() == Credentials(ID, KEY)
    given = Settings.load(environ=environ | {"SOAPCLIENT_SECRET_KEY": NEXT})
    assert given.credentials() == Credentials(ID, NEXT)
    monkeypatch.setitem(sys.modules, "keyring", None)
    with pytest.raises(ConfigError) as caught:
        Settings.load(environ=environ)
    said = "cannot read 'shop': the package keyring is not installed"
    assert str(caught.value) == f"keyring: {said}. Install it: pip install 'soapclient[keyring]'"


def test_a_keyring_that_fails_is_a_typed_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def locked(service: str, user: str) -> str:
        raise OSError(f"no entry to {KEY}")

    monkeypatch.setitem(sys.modules, "keyring", SimpleNamespace(get_password=locked))
    with pytest.raises(ConfigError) as caught:
        secret_in_keyring("shop", ID)
    said = "keyring: cannot read 'shop': OSError"
    assert str(caught.value) == f"{said}. Store it: keyring set shop {ID}"


def test_keyring_is_called_with_service_and_user() -> None:
    keyring = pytest.importorskip("keyring")
    backend = pytest.importorskip("keyring.backend")

    class Memory(backend.KeyringBackend):  # type: ignore[misc,name-defined] # imported if it is installed
        priority = 1

        def get_password(self, service: str, username: str) -> str | None:
            return KEY if (service, username) == ("shop", ID) else None

        def set_password(self, service: str, username: str, password: str) -> None: ...

        def delete_password(self, service: str, username: str) -> None: ...

    before = keyring.get_keyring()
    keyring.set_keyring(Memory())
    try:
        assert Settings(connect_id=ID, keyring="shop").credentials() == Credentials(ID, KEY)
    finally:
        keyring.set_keyring(before)


# ---- files that other users can read


@pytest.mark.skipif(os.name != "posix", reason="modes of files are those of POSIX")
def test_a_file_with_a_secret_that_others_can_read_is_warned_about(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "_warned", set())
    caplog.set_level(logging.WARNING)
    file = tmp_path / "settings.toml"
    file.write_text(f'[profiles.night]\nconnect_id = "{ID}"\nsecret_key = "{KEY}"\n')
    file.chmod(0o600)
    Settings.load(file=file, environ={})
    assert caplog.text == ""
    file.chmod(0o640)
    for _ in range(3):
        Settings.load(file=file, environ={})
    assert caplog.text.count(f"chmod 600 {file}") == 1
    assert KEY not in caplog.text
    harmless = tmp_path / "harmless.toml"
    harmless.write_text("attempts = 2\n")
    harmless.chmod(0o644)
    Settings.load(file=harmless, environ={})
    assert caplog.text.count("chmod") == 1
    for name, text in (("proxy", '[proxy]\ncredentials = "me:pw"\n'), ("key", f'[secret]\nkey = "{KEY}"\n')):
        joined = tmp_path / f"{name}.toml"
        joined.write_text(text)
        joined.chmod(0o644)
        Settings.load(file=joined, environ={})
        assert f"chmod 600 {joined}" in caplog.text
