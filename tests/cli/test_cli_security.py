"""`--security`: keys of a TOML file for commands; `doctor` and the console show the policy."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from importlib import invalidate_caches
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from bindgen import init
from soapclient.cli.consoles import connected
from soapclient.errors import ConfigError
from soapclient.security import KeyPair, SecurityKeys
from soapclient.testing import Mock, mock
from tests.cli.conftest import Run
from tests.security.conftest import issue
from tests.security.conftest import pairs as pairs
from tests.security.policies import ENCRYPT_BODY, SIGN_BODY, USER, asymmetric, generate, nested, policy

Pairs = Mapping[str, KeyPair]
NAME = "secured_shop"
SAML = b'<Assertion xmlns="urn:oasis:names:tc:SAML:2.0:assertion" ID="_1" Version="2.0"/>'
_POLICY = policy(
    asymmetric(algorithms="Basic256"),
    SIGN_BODY,
    ENCRYPT_BODY,
    nested("SignedEncryptedSupportingTokens", USER),
)
_TOML = """
[security]
key = "client.key"
certificate = "client.pem"
recipient_certificate = "server.pem"
user = "ada"
password = "env:SHOP_PASSWORD"
"""


@pytest.fixture
def folder(tmp_path: Path, pairs: Pairs, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package, key files that are valid today, and a file with their names."""
    result = generate(tmp_path, name=NAME, binding=_POLICY)
    init.write(tmp_path / NAME, result.files)
    for name in ("client", "server"):
        pair = issue(name, pairs[name].key, start=datetime.now(UTC))
        private = pair.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        (tmp_path / f"{name}.key").write_bytes(private)
        (tmp_path / f"{name}.pem").write_bytes(pair.certificate.public_bytes(Encoding.PEM))
    (tmp_path / "keys.toml").write_text(_TOML)
    monkeypatch.setenv("SHOP_PASSWORD", "secret-word")
    monkeypatch.syspath_prepend(tmp_path)
    invalidate_caches()
    yield tmp_path
    for module in [module for module in sys.modules if module.split(".")[0] == NAME]:
        del sys.modules[module]


@pytest.fixture
def service(folder: Path) -> Iterator[Mock]:
    keys = SecurityKeys(
        key=folder / "server.key",
        certificate=folder / "server.pem",
        recipient_certificate=folder / "client.pem",
        user="ada",
        password="secret-word",
    )
    with mock(NAME, wsse=keys) as service:
        service.on("Buy", article="A-100").reply(number=7)
        yield service


def test_call_uses_the_keys_of_the_file_and_shows_none(run_unset: Run, folder: Path, service: Mock) -> None:
    words = ("call", "--package", NAME, "Buy", "article=A-100", "--address", service.address(), "--trace")
    for option, env in (
        (["--security", str(folder / "keys.toml")], {}),
        ([], {"SOAPCLIENT_SECURITY": str(folder / "keys.toml")}),
    ):
        result = run_unset(*words, *option, env={"SHOP_PASSWORD": "secret-word"} | env)
        assert (result.exit_code, json.loads(result.stdout)) == (0, {"number": 7}), result.output
        assert "secret-word" not in result.output
    assert run_unset(*words).exit_code != 0


@pytest.mark.parametrize("table", ["security", f"services.{NAME}.security", "profiles.test.security"])
def test_paths_in_a_settings_file_are_relative_to_the_file(
    run_unset: Run, folder: Path, service: Mock, monkeypatch: pytest.MonkeyPatch, table: str
) -> None:
    text = _TOML.replace("[security]", f"[{table}]").replace("env:SHOP_PASSWORD", "file:password.txt")
    (folder / "settings.toml").write_text(
        text.replace('"server.pem"', '"~/server.pem"\ntrust = ["server.pem"]')
    )
    (folder / "settings.toml").chmod(0o600)
    (folder / "password.txt").write_text("secret-word")
    (folder / "elsewhere").mkdir()
    monkeypatch.chdir(folder / "elsewhere")
    profile = {"SOAPCLIENT_PROFILE": "test"} if table.startswith("profiles") else {}
    env = {"SOAPCLIENT_CONFIG": "../settings.toml", "HOME": str(folder)} | profile
    words = ("call", "--package", NAME, "Buy", "article=A-100", "--address", service.address())
    result = run_unset(*words, env=env)
    assert (result.exit_code, json.loads(result.stdout)) == (0, {"number": 7}), result.output


@pytest.mark.parametrize(
    ("value", "line"),
    [
        ("false", "warning  requests are sent without WS-Security (security = false)"),
        ("", "skipped  no keys are configured: pass --security FILE"),
    ],
)
def test_doctor_says_that_there_are_no_keys(run_unset: Run, folder: Path, value: str, line: str) -> None:
    env = {"SOAPCLIENT_SECURITY": value} if value else {}
    result = run_unset("doctor", "--package", NAME, env=env)
    assert result.stdout.splitlines()[-1].split(maxsplit=2)[1:] == ["keys", line]


def test_doctor_shows_the_policy_and_checks_the_keys(run_unset: Run, folder: Path) -> None:
    env = {"SHOP_PASSWORD": "secret-word"}
    result = run_unset("doctor", "--package", NAME, "--security", str(folder / "keys.toml"), env=env)
    assert [line.split(maxsplit=2)[1:] for line in result.stdout.splitlines()[1:]] == [
        ["policy", "ok       binding: asymmetric"],
        ["policy", "ok       token of the client: X.509 certificate"],
        ["policy", "ok       token of the service: X.509 certificate"],
        ["policy", "ok       supporting tokens: user name (SignedEncryptedSupportingTokens)"],
        ["policy", "ok       signed: Body, Timestamp"],
        ["policy", "ok       encrypted: Body"],
        ["policy", "ok       signed in responses: Body, Timestamp"],
        ["policy", "ok       encrypted in responses: Body"],
        ["policy", "ok       timestamp: required"],
        ["policy", "ok       algorithm suite: Basic256"],
        ["policy", "warning  weak algorithms: SHA-1, CBC"],
        ["keys", "ok       the keys meet the policy"],
    ], result.output
    (folder / "few.toml").write_text('user = "ada"\npassword = "env:SHOP_PASSWORD"\n')
    result = run_unset("doctor", "--package", NAME, "--security", str(folder / "few.toml"), env=env)
    assert result.exit_code == 1
    assert "wrong    key: Buy: the WS-SecurityPolicy needs a key with its certificate" in result.output


@pytest.mark.parametrize("flag", ["", 'p:Optional="true"'])
def test_doctor_and_console_name_mtom(
    run_unset: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flag: str
) -> None:
    mtom = f'<m:MTOM xmlns:m="http://www.w3.org/2007/08/soap12-mtom-policy" {flag}/>'
    name = f"mtom_shop_{bool(flag)}".lower()
    init.write(tmp_path / name, generate(tmp_path, name=name, binding=policy(mtom)).files)
    monkeypatch.syspath_prepend(tmp_path)
    invalidate_caches()
    line = f"MTOM: {'optional' if flag else 'required'}"
    result = run_unset("doctor", "--package", name)
    assert [text.split(maxsplit=3)[2:] for text in result.stdout.splitlines()[1:]] == [
        ["ok", line],
        ["ok", "the WSDL has no WS-SecurityPolicy for this port"],
    ]
    with connected(name, None, lambda _: None) as shown:
        assert shown.targets[0].policy == (line,)


def test_console_knows_the_lines_of_the_policy(folder: Path) -> None:
    with connected(NAME, None, lambda _: None, security=folder / "keys.toml") as shown:
        (target,) = shown.targets
        assert {"signed: Body, Timestamp", "weak algorithms: SHA-1, CBC"} <= set(target.policy)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            'keys = "x"',
            "security: 'keys' is not a name in [security]; did you mean key? Known names: key, certificate",
        ),
        ("key = 5", "security.key: must be a string"),
        ("skew = true", "security.skew: must be a number of seconds"),
        ('user = "ada"\npassword = "secret-word"', "security.password: must be env:NAME or file:PATH"),
        ('user = "ada"\npassword = "env:NOT_THERE"', "security.password: the environment variable NOT_THERE"),
        ('user = "ada"\npassword = "file:none.txt"', "security: cannot read"),
        ('key = "none.key"\ncertificate = "client.pem"', "key: "),
        ("key = [", "security: cannot read"),
        ("security = 5", "security: must be a table"),
    ],
)
def test_file_with_mistakes_is_refused(folder: Path, text: str, message: str) -> None:
    file = folder / "wrong.toml"
    file.write_text(text)
    with pytest.raises(ConfigError) as info:
        SecurityKeys.from_toml(file)
    assert str(info.value).startswith(message)
    assert "secret-word" not in str(info.value)


def test_file_names_all_kinds_of_keys(folder: Path) -> None:
    (folder / "password.txt").write_text("secret-word\n")
    (folder / "assertion.xml").write_text(
        '<Assertion xmlns="urn:oasis:names:tc:SAML:2.0:assertion" ID="_1"/>'
    )
    file = folder / "all.toml"
    file.write_text(
        _TOML.replace("env:SHOP_PASSWORD", "file:password.txt")
        + 'trust = ["server.pem", "client.pem"]\nsaml = "assertion.xml"\nmax_age = 60\nskew = 2.5\n'
    )
    keys = SecurityKeys.from_toml(file)
    assert repr(keys) == "SecurityKeys(key, recipient_certificate, trust, user, saml)"
    assert (keys.max_age, keys.skew) == (60, 2.5)


def test_wrong_key_in_the_table_of_the_settings_is_refused(run_unset: Run, folder: Path) -> None:
    (folder / "config.toml").write_text(_TOML.replace("recipient_certificate", "recipient"))
    words = ("--config", str(folder / "config.toml"), "call", "--package", NAME, "Buy", "article=A-100")
    result = run_unset(*words, env={"SHOP_PASSWORD": "secret-word"})
    assert result.exit_code != 0
    assert "has 'recipient', which is not one of key, certificate" in result.output
