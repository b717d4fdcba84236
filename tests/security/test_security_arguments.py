"""Mistakes of the caller: wrong arguments and orders of building blocks, and functions that fail."""

from __future__ import annotations

import builtins
import copy
import runpy
from datetime import timedelta, timezone
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ed25519
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    pkcs12,
)
from cryptography.x509.oid import NameOID

from soapclient import security as package
from soapclient.errors import ConfigError, Timeout
from soapclient.security import (
    Algorithms,
    Authorities,
    Encryption,
    KeyPair,
    SamlToken,
    Security,
    Signature,
    Timestamp,
    UsernameToken,
    Verify,
)
from tests.security.conftest import NOW, envelope, names, refusal, secured
from tests.security.tampering import DS, WSU, Pairs

api: Any = package


def _pem(pair: KeyPair, password: bytes | None) -> tuple[bytes, bytes]:
    encryption = BestAvailableEncryption(password) if password else NoEncryption()
    return (
        pair.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption),
        pair.certificate.public_bytes(Encoding.PEM),
    )


@pytest.mark.parametrize("password", [None, b"secret"])
def test_keys_are_read_from_pem_files(pairs: Pairs, tmp_path: Any, password: bytes | None) -> None:
    key, certificate = _pem(pairs["client"], password)
    (tmp_path / "key.pem").write_bytes(key)
    (tmp_path / "client.pem").write_bytes(certificate)
    text = None if password is None else password.decode()
    pair = KeyPair.from_pem(tmp_path / "key.pem", str(tmp_path / "client.pem"), text)
    assert pair.certificate == pairs["client"].certificate
    Signature(tmp_path / "key.pem", tmp_path / "client.pem", password=text)
    Verify(trust=str(tmp_path / "client.pem")).check(secured([Timestamp(), Signature(pair)]), NOW)


def test_keys_are_read_from_pkcs12(pairs: Pairs) -> None:
    pair = pairs["leaf"]
    data = pkcs12.serialize_key_and_certificates(
        b"leaf", pair.key, pair.certificate, [pairs["authority"].certificate], BestAvailableEncryption(b"p")
    )
    read = KeyPair.from_pkcs12(data, "p")
    assert read.certificate == pair.certificate
    assert read.chain == (pairs["authority"].certificate,)
    with pytest.raises(ConfigError, match="password is wrong"):
        KeyPair.from_pkcs12(data, "q")


def test_wrong_keys_are_config_errors(pairs: Pairs, tmp_path: Any) -> None:
    key, certificate = _pem(pairs["client"], b"secret")
    server = pairs["server"].certificate
    for make, message in (
        (lambda: Signature(key, certificate), "password is wrong or missing"),
        (lambda: Signature(key, certificate, password="wrong"), "password is wrong or missing"),
        (lambda: Signature(pairs["client"].key, server), "does not belong to the certificate"),
        (lambda: Signature(tmp_path / "none.pem", certificate), "none.pem"),
        (lambda: Signature(pairs["client"].key), "certificate: is required"),
        (lambda: Signature(pairs["client"], parts=["Bdoy"]), "'Bdoy' is not a part"),
        (lambda: Signature(pairs["client"], parts="Body"), "must be a list"),
        (lambda: Encryption(pairs["curve"].certificate), "no RSA key"),
        (lambda: Verify(trust=b"no certificate"), "not a certificate"),
        (Verify, "trust: is required, unless decrypt or symmetric is passed"),
        (lambda: Verify(trust=server, encrypted=True), "decrypt"),
        (lambda: UsernameToken("me", digest=True), "password"),
        (lambda: Security([Timestamp]), "not a building block"),  # type: ignore[list-item] # the class is the mistake
        (lambda: Algorithms("md5"), "hash must be"),  # type: ignore[arg-type] # the name is the mistake
    ):
        with pytest.raises(ConfigError) as caught:
            make()
        assert message in str(caught.value)
        assert "secret" not in str(caught.value)


def test_no_error_or_text_shows_a_key(pairs: Pairs) -> None:
    key, certificate = (data.decode() for data in _pem(pairs["client"], None))
    lines = "".join(key.splitlines()[1:-1])
    Signature(key, certificate)  # PEM as a string
    Signature(key.encode(), certificate.encode())
    for wrong in (lines, lines[:200], f"{lines[:64]}\n{lines[64:100]}"):
        with pytest.raises(ConfigError, match="key: the file cannot be read") as caught:
            Signature(wrong, certificate)
        assert lines[:20] not in str(caught.value)
    rules = Verify(trust=(key + certificate).encode())  # a file with both
    assert repr(Security([], rules)).count("PRIVATE") == 0
    assert "Peers(CN=client" in repr(rules)


def test_part_that_a_later_block_adds_is_refused(pairs: Pairs) -> None:
    token, encryption = UsernameToken("me", "p"), Encryption(pairs["server"].certificate, ["UsernameToken"])
    for blocks, part in (
        ([Signature(pairs["client"]), Timestamp()], "Signature names Timestamp"),
        ([encryption, token], "Encryption names UsernameToken"),
        (
            [Signature(pairs["client"], parts=["SamlAssertion"]), SamlToken(lambda: b"")],
            "Signature names SamlAssertion",
        ),
    ):
        with pytest.raises(ConfigError, match=part):
            Security(blocks)
    Security([token, encryption, Timestamp()])
    Security([Signature(pairs["client"])])  # without a Timestamp, only the body is signed


def test_age_without_a_signed_timestamp_is_refused(pairs: Pairs) -> None:
    certificate = pairs["client"].certificate
    with pytest.raises(ConfigError, match="must contain Timestamp"):
        Verify(trust=certificate, signed=["Body"])
    rules = Verify(trust=certificate, signed=["Body"], max_age=None)
    rules.check(secured([Signature(pairs["client"])]), NOW + timedelta(days=1))


def test_rules_for_decryption_only_need_no_timestamp(pairs: Pairs) -> None:
    message = secured([Encryption(pairs["client"].certificate)])
    assert Verify(decrypt=pairs["client"]).check(message, NOW) == []
    assert names(message) == names(envelope())


@pytest.mark.parametrize("seconds", [60, 60.0, timedelta(minutes=1)])
def test_durations_are_seconds_or_timedelta(pairs: Pairs, seconds: Any) -> None:
    message = secured([Timestamp(seconds), Signature(pairs["client"])])
    rules = Verify(trust=[pairs["client"].certificate], max_age=seconds, skew=seconds)
    rules.check(copy.deepcopy(message), NOW + timedelta(seconds=119))
    assert refusal(rules, message, NOW + timedelta(seconds=121)).code == "expired"


NO_PAIR, NO_TEXT = "decrypt: must be a KeyPair or a list of KeyPairs", "password: must be a string"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda pair: api.Verify(trust=3), "trust: must be certificates, a file, Peers"),
        (lambda pair: api.Verify(trust=[]), "trust: must be certificates"),
        (lambda pair: api.Verify(trust=[3]), "trust: must be certificates"),
        (lambda pair: api.Verify(trust=pair.certificate, max_age=-1), "max_age: must be a time from 0"),
        (
            lambda pair: api.Verify(trust=pair.certificate, skew="1m"),
            "skew: must be a time from 0 to 100 years, got '1m'",
        ),
        (lambda pair: api.Verify(decrypt="client.p12"), NO_PAIR),
        (lambda pair: api.Verify(decrypt=[pair, None]), NO_PAIR),
        (
            lambda pair: api.Verify(decrypt=pair, confirmation=True),
            "trust: is required for confirmation=True",
        ),
        (lambda pair: api.Timestamp(0), "lifetime: must be positive"),
        (lambda pair: api.Timestamp(float("nan")), "lifetime: must be a time from 0"),
        (lambda pair: api.Timestamp(timedelta.max), "lifetime: must be a time from 0 to 100 years"),
        (lambda pair: api.Signature(b"", pair.certificate, password=b"secret"), NO_TEXT),
        (lambda pair: api.KeyPair.from_pkcs12(b"", b"secret"), NO_TEXT),
        (lambda pair: api.Signature(pair, parts=[3]), "parts: must be a list of names"),
        (lambda pair: api.Signature(pair, algorithms="sha1"), "algorithms: must be Algorithms, got str"),
        (lambda pair: api.SecurityKeys(decrypt=pair.key), NO_PAIR),
        (lambda pair: api.SecurityKeys(max_age=-1), "max_age: must be a time from 0"),
        (lambda pair: api.SecurityKeys(skew="1m"), "skew: must be a time from 0"),
        (
            lambda pair: api.SecurityKeys.from_table({"user": "me", "password": "file:a\0b"}),
            "security: cannot read",
        ),
        (lambda pair: api.Signature(3, pair.certificate), "key: must be an RSA"),
        (lambda pair: api.Signature(pair, ["Body"]), "certificate: must be omitted"),
        (lambda pair: api.KeyPair.from_pkcs12(3), "must be a path or bytes, got int"),
        (lambda pair: api.UsernameToken("me", ""), "password: is empty"),
        (lambda pair: api.UsernameToken("me", b"secret"), NO_TEXT),
        (lambda pair: api.UsernameToken("me", "secret\x01"), "password: has a character"),
        (lambda pair: api.UsernameToken("me\x00", "secret"), "user: has a character"),
    ],
)
def test_wrong_arguments_are_config_errors(pairs: Pairs, make: Any, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        make(pairs["client"])
    assert message in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("signature", [None, "text", b"no DER", 3])
def test_wrong_result_of_a_signing_function_is_a_config_error(pairs: Pairs, signature: Any) -> None:
    with pytest.raises(ConfigError, match="function for signing returned"):
        secured([Timestamp(), Signature(lambda data, name: signature, pairs["curve"].certificate)])


def _fails(*_: object) -> Any:
    raise Timeout("GetToken", 1.0, request_sent=True)


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda pair: Signature(_fails, pair.certificate, ["Body"]), "function for signing failed: Timeout"),
        (lambda pair: SamlToken(_fails), "function that returns the assertion failed: Timeout"),
    ],
)
def test_error_of_a_function_is_the_cause_of_a_config_error(pairs: Pairs, make: Any, problem: str) -> None:
    with pytest.raises(ConfigError, match=problem) as caught:
        secured([make(pairs["client"])])
    assert isinstance(caught.value.__cause__, Timeout)


def test_part_is_not_encrypted_before_its_signature(pairs: Pairs) -> None:
    who = "{urn:example:who}Who"
    blocks = [Encryption(pairs["server"].certificate, [who]), Signature(pairs["client"], parts=["Body", who])]
    with pytest.raises(ConfigError, match=r"the Signature names .+ an earlier block has encrypted it"):
        Security(blocks)
    Security(blocks[::-1])
    Security([Encryption(pairs["server"].certificate), Signature(pairs["client"])])


def test_clock_needs_a_time_zone(pairs: Pairs) -> None:
    with pytest.raises(ConfigError, match="must have a time zone"):
        Security([Timestamp()], now=lambda: NOW.replace(tzinfo=None)).apply(envelope(), {})
    tokyo = NOW.astimezone(timezone(timedelta(hours=9)))
    message = secured([Timestamp(), Signature(pairs["client"])], at=tokyo)
    assert message.findtext(f".//{WSU}Created") == "2026-11-20T12:00:00.000Z"
    Verify(trust=pairs["client"].certificate).check(message, tokyo)


@pytest.mark.parametrize("block", [Signature, Encryption])
def test_part_with_two_names_is_used_once(pairs: Pairs, block: Any) -> None:
    who = "{urn:example:who}Who"
    key = pairs["client"] if block is Signature else pairs["server"].certificate
    message = secured([block(key, parts=("Header", who, "Body", "Body"))])
    tag = f"{DS}Reference" if block is Signature else "{http://www.w3.org/2001/04/xmlenc#}EncryptedData"
    assert len(list(message.iter(tag))) == 2


def test_caller_is_identified_by_user_and_certificate(pairs: Pairs) -> None:
    assert Security([Timestamp()]).username is None
    assert Security([UsernameToken("me")]).username == "me"
    signers = {Security([Signature(pairs[name])]).username for name in ("client", "other")}
    assert len(signers) == 2


def _certificate(key: Any, *extensions: x509.ExtensionType) -> x509.Certificate:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "plain")])
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    builder = builder.serial_number(7).not_valid_before(NOW).not_valid_after(NOW + timedelta(days=1))
    for extension in extensions:
        builder = builder.add_extension(extension, critical=False)
    return builder.sign(key, None if isinstance(key, ed25519.Ed25519PrivateKey) else hashes.SHA256())


def test_keys_of_other_kinds_are_refused(pairs: Pairs) -> None:
    key = ed25519.Ed25519PrivateKey.generate()
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    with pytest.raises(ConfigError, match="must be an RSA or elliptic curve key, got Ed25519PrivateKey"):
        Signature(pem, _certificate(key))
    key_alone = pkcs12.serialize_key_and_certificates(None, pairs["client"].key, None, None, NoEncryption())
    other_key = pkcs12.serialize_key_and_certificates(None, key, _certificate(key), None, NoEncryption())
    for data in (key_alone, other_key):
        with pytest.raises(ConfigError, match="no RSA or elliptic curve key with a certificate"):
            KeyPair.from_pkcs12(data)


def test_certificate_without_key_identifier_needs_another_reference(pairs: Pairs) -> None:
    certificate = _certificate(pairs["client"].key)
    said = "the certificate of CN=plain has no subject key identifier"
    with pytest.raises(ConfigError, match=said):
        secured([Timestamp(), Signature(pairs["client"].key, certificate, token="ski")])
    message = secured([Timestamp(), Signature(pairs["client"].key, certificate, token="issuer-serial")])
    assert Verify(trust=certificate).check(message, NOW)


def test_condition_for_a_certificate_must_be_a_function(pairs: Pairs) -> None:
    with pytest.raises(ConfigError, match="accepts must be a function, got str"):
        Authorities(pairs["authority"].certificate, "CN=shop")  # type: ignore[arg-type] # the mistake


def test_package_without_cryptography_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    path = package.__file__
    for missing, error in (("cryptography", ConfigError), ("cffi", ModuleNotFoundError)):
        raised = ModuleNotFoundError(f"No module named {missing!r}", name=missing)

        def refuse(name: str, *rest: Any, raised: Exception = raised, to: Any = builtins.__import__) -> Any:
            if name == "cryptography":
                raise raised
            return to(name, *rest)

        with monkeypatch.context() as patch:
            patch.setattr(builtins, "__import__", refuse)
            with pytest.raises(error) as caught:
                runpy.run_path(path)
        assert ("pip install 'soapclient[security]'" in str(caught.value)) == (missing == "cryptography")
