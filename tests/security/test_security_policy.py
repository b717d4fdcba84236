"""Calls and mocks that are secured as the WS-SecurityPolicy of the WSDL says."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, pkcs12
from lxml import etree

from soapclient import connect, connect_async
from soapclient.errors import AmbiguousOutcome, ConfigError, SecurityError
from soapclient.security import Algorithms, Encryption, Message, Security, SecurityKeys, Signature, Timestamp
from soapclient.soap.packages import package_of
from soapclient.testing import Mock, mock
from tests.security.conftest import NOW, SOAP_11
from tests.security.policies import (
    CONFIRM,
    DIGEST,
    ENCRYPT_BODY,
    ENCRYPT_FIRST,
    ENCRYPTED_USER,
    PROTECT_BODY,
    SIGN_BODY,
    SIGNED_USER,
    USER,
    X509,
    asymmetric,
    keys_of,
    nested,
    package,
    policy,
    supporting,
    symmetric,
    transport,
    user,
)
from tests.security.tampering import WSSE, Pairs

HTTP = ["127.0.0.1"]


def client_keys(pairs: Pairs, **more: Any) -> SecurityKeys:
    return keys_of(pairs, "client", "server", user="ada", password="secret-1", **more)


def service_keys(pairs: Pairs, **more: Any) -> SecurityKeys:
    return keys_of(pairs, "server", "client", **({"user": "ada", "password": "secret-1"} | more))


def opened(shop: ModuleType, address: str, keys: object, **options: Any) -> Any:
    service, allowed = getattr(shop, shop.__all__[0]), {"allow_http": HTTP}
    return connect(service, address=address, wsse=keys, **(allowed | options))  # type: ignore[arg-type] # some keys are invalid


def call(shop: ModuleType, address: str, keys: object, **options: Any) -> object:
    with opened(shop, address, keys, **options) as client:
        return client.buy(article="A-100").number


@contextmanager
def served(folder: Path, keys: object = None, **places: str) -> Iterator[tuple[ModuleType, Mock]]:
    """Serve a package with policies at some places by a mock, whose responses have a number."""
    with package(folder, **places) as shop, mock(shop, wsse=keys) as service:  # type: ignore[arg-type] # as in connect
        service.on("Buy").reply(number=7)
        service.on("Look").reply(value="yes")
        yield shop, service


SAML = b'<Assertion xmlns="urn:oasis:names:tc:SAML:2.0:assertion" ID="_1" Version="2.0"/>'
ENDORSING = supporting("Endorsing", X509)
POLICIES = {  # policy of the binding: texts that the request has, and that it does not have
    "user name over TLS": (policy(transport(), SIGNED_USER), "<wsse:Password", "Signature"),
    "digest without a binding": (policy(supporting("", DIGEST)), "PasswordDigest", "secret-1"),
    "no password": (policy(supporting("", user("<sp:NoPassword/>"))), "ada", "Password"),
    "endorsing certificate over TLS": (policy(transport(), ENDORSING), "#Timestamp-", "EncryptedData"),
    "SAML": (policy(transport(), supporting("Signed", nested("SamlToken"))), "Assertion", "Signature"),
    "signed": (policy(asymmetric(), SIGN_BODY), "rsa-sha256", "EncryptedData"),
    "signed and encrypted": (policy(asymmetric(), PROTECT_BODY), "aes256-cbc", "A-100"),
    "encrypted and signed": (policy(asymmetric(ENCRYPT_FIRST), PROTECT_BODY), "EncryptedData", "A-100"),
    "old suite": (policy(asymmetric(algorithms="Basic128Rsa15"), PROTECT_BODY), "rsa-1_5", "sha256"),
    "AES-GCM": (policy(asymmetric(algorithms="Basic256GCMSha256"), ENCRYPT_BODY), "aes256-gcm", "A-100"),
    "confirmation": (policy(asymmetric(), SIGN_BODY, CONFIRM), "Signature", "A-200"),
    "encrypted user name": (policy(asymmetric(), SIGN_BODY, ENCRYPTED_USER), "EncryptedData", "Username>"),
    "protected token": (
        policy(asymmetric("<sp:ProtectTokens/>"), SIGN_BODY),
        "#BinarySecurityToken-",
        "A-200",
    ),
    "symmetric": (policy(symmetric(), PROTECT_BODY, ENCRYPTED_USER), "<wsc:DerivedKeyToken", "secret-1"),
    "symmetric of version 1.1": (
        policy(symmetric(), SIGN_BODY, SIGNED_USER).replace("sp:", "sp1:"),
        "ws/2005/02/sc/dk",
        "A-200",
    ),
    "symmetric without derived keys": (
        policy(
            symmetric(ENCRYPT_FIRST, derived=False, algorithms="Basic128Rsa15"),
            *(PROTECT_BODY, SIGNED_USER, CONFIRM),
        ),
        "hmac-sha1",
        "DerivedKeyToken",
    ),
    "timestamp last": (
        policy(asymmetric().replace("sp:Strict", "sp:LaxTsLast"), SIGN_BODY),
        "</wsu:Timestamp></wsse:Security>",
        "A-200",
    ),
}


@pytest.mark.parametrize("name", POLICIES)
def test_client_and_mock_do_as_the_policy_says(tmp_path: Path, pairs: Pairs, name: str) -> None:
    text, has, lacks = POLICIES[name]
    with package(tmp_path, binding=text) as shop, mock(shop, wsse=service_keys(pairs, saml=SAML)) as service:
        service.on("Buy", article="A-100").reply(number=7)
        address = service.address()
        assert call(shop, address, client_keys(pairs, saml=SAML)) == 7
        received = service.calls()[0].received
        assert (has in received, lacks in received) == (True, False), received
        with pytest.raises(AmbiguousOutcome, match="not secured as required"):
            call(shop, address, None)
        wrong = keys_of(pairs, "other", "server", user="eve", password="secret-2", saml=SAML)
        if name != "SAML":  # a bearer token
            with pytest.raises(AmbiguousOutcome, match="not secured as required"):
                call(shop, address, wrong)


KERBEROS = supporting("", nested("KerberosToken"))
_WAYS = (KERBEROS, asymmetric() + SIGN_BODY, transport() + SIGNED_USER)
EITHER = policy("<p:ExactlyOne>", *(f"<p:All>{item}</p:All>" for item in _WAYS), "</p:ExactlyOne>")


def test_first_alternative_that_keys_meet_is_used(tmp_path: Path, pairs: Pairs) -> None:
    with served(tmp_path, service_keys(pairs), binding=EITHER) as (shop, service):
        for keys in (client_keys(pairs), SecurityKeys(user="ada", password="secret-1", now=lambda: NOW)):
            assert call(shop, service.address(), keys) == 7
        signed = ["<ds:Signature" in item.received for item in service.calls()]
        assert signed == [True, False]


MISSING = [  # policy, names of the keys that are passed, setting of the error, and what it says is needed
    (
        policy(asymmetric(), SIGN_BODY),
        *("user", "key"),
        "a key with its certificate (X509Token in InitiatorToken); the certificate that signs responses "
        "(X509Token in RecipientToken). Pass",
    ),
    (policy(asymmetric(), SIGN_BODY), "key", "trust", "the certificate that signs"),
    (policy(asymmetric(), ENCRYPT_BODY), "key trust", "recipient_certificate", "the"),
    (
        policy(transport(), SIGNED_USER),
        *("key", "user"),
        "a user name (UsernameToken in SignedSupportingTokens). Pass SecurityKeys(user=",
    ),
    (policy(transport(), supporting("", USER)), "user", "password", "a"),
    (policy(transport(), supporting("", nested("SamlToken"))), "key", "saml", ""),
    (policy(KERBEROS), "key", "wsse", "KerberosToken in SupportingTokens, which is not"),
    (
        policy(transport(https="<sp:RequireClientCertificate/>")),
        *("key", "certificate", "a client certificate (HttpsToken)"),
    ),
    (policy(transport(https="<sp:HttpBasicAuthentication/>")), "key", "auth", "HTTP"),
    ("", "key", "wsse", None),
]


@pytest.mark.parametrize(("text", "passed", "setting", "needed"), MISSING)
def test_missing_key_is_an_error_before_anything_is_sent(
    tmp_path: Path, pairs: Pairs, text: str, passed: str, setting: str, needed: str | None
) -> None:
    values = {"user": "ada", "key": pairs["client"], "trust": pairs["server"].certificate}
    keys = SecurityKeys(**{name: values[name] for name in passed.split()})  # type: ignore[arg-type] # by name
    with package(tmp_path, binding=text) as shop, pytest.raises(ConfigError) as info:
        call(shop, "https://127.0.0.1:1/soap", keys)
    said = "the port Shop of policy_shop" if needed is None else f"Buy: the WS-SecurityPolicy needs {needed}"
    assert str(info.value).startswith(f"{setting}: {said}")


def test_policy_for_tls_refuses_http_unless_the_host_is_named(tmp_path: Path, pairs: Pairs) -> None:
    text = policy(transport(), SIGNED_USER)
    with served(tmp_path, service_keys(pairs), binding=text) as (shop, service):
        for allowed in ([], False, ["other.example"]):
            with pytest.raises(ConfigError, match="https: Buy: the WS-SecurityPolicy needs https"):
                call(shop, service.address(), client_keys(pairs), allow_http=allowed)
        assert call(shop, service.address(), client_keys(pairs), allow_http=["127.0.0.1"]) == 7
        assert len(service.calls()) == 1


def test_operations_have_policies_of_their_own(tmp_path: Path, pairs: Pairs) -> None:
    places = {"operation": policy(asymmetric()), "input": policy(SIGN_BODY)}
    with served(tmp_path, service_keys(pairs), **places) as (shop, service):
        with opened(shop, service.address(), client_keys(pairs)) as client:
            assert client.buy(article="A").number == 7
            assert client.look(value="x")
        assert ["<ds:Signature" in item.received for item in service.calls()] == [True, False]
        assert ["#Body-" in item.sent for item in service.calls()] == [False, False]  # only the Timestamp


def test_only_calls_of_operations_without_their_keys_fail(tmp_path: Path, pairs: Pairs) -> None:
    text, other = policy(supporting("", USER)), policy(asymmetric(), SIGN_BODY)
    with package(tmp_path, binding=text, operation=other) as shop:
        keys = SecurityKeys(user="ada", password="secret-1")
        with opened(shop, "https://h.test", keys) as client, pytest.raises(ConfigError, match="key: Buy: "):
            client.buy(article="A")


def test_asynchronous_clients_take_keys(tmp_path: Path, pairs: Pairs) -> None:
    text = policy(asymmetric(), PROTECT_BODY)
    with served(tmp_path, service_keys(pairs), binding=text) as (shop, service):
        kind: Any = getattr(shop, shop.__all__[1])

        async def buy() -> object:
            async with connect_async(kind, address=service.address(), wsse=client_keys(pairs)) as client:
                return (await client.buy(article="A")).number

        assert asyncio.run(buy()) == 7


def test_response_without_the_signature_of_the_policy_is_refused(tmp_path: Path, pairs: Pairs) -> None:
    text = policy(asymmetric(), SIGN_BODY)
    unsigned = Security([Timestamp()], now=lambda: NOW)
    with (
        served(tmp_path, unsigned, binding=text) as (shop, service),
        pytest.raises(AmbiguousOutcome, match="Body is not signed"),
    ):
        call(shop, service.address(), client_keys(pairs))


WHO = "{urn:example:who}Who"


class WithHeader:
    """A block that adds the header `Who`, as a service would."""

    def add(self, message: Message, now: datetime, /) -> None:
        message.ensure_security().addprevious(etree.Element(WHO))


REQUIRED = '<sp:RequiredParts><sp:Header Name="Who" Namespace="urn:example:who"/></sp:RequiredParts>'
BY_PATH = (
    "<sp:RequiredElements><sp:XPath>/soap:Envelope/soap:Header/w:Who</sp:XPath></sp:RequiredElements>"
).replace("<sp:XPath", '<sp:XPath xmlns:w="urn:example:who"')


@pytest.mark.parametrize("text", [REQUIRED, BY_PATH])
@pytest.mark.parametrize("binding", ["", asymmetric() + SIGN_BODY])
def test_parts_that_the_policy_requires_must_be_there(
    tmp_path: Path, pairs: Pairs, text: str, binding: str
) -> None:
    who = [etree.Element(WHO)]
    for place in ("input", "output"):
        folder = tmp_path / place
        folder.mkdir()
        with package(folder, binding=policy(binding), **{place: policy(text)}) as shop:
            blocks = [Timestamp(), Signature(pairs["server"])] if binding else [Timestamp()]
            for has_header in (True, False):
                own = Security([*[WithHeader()] * has_header, *blocks], now=lambda: NOW)
                with (
                    mock(shop, wsse=own if place == "output" else service_keys(pairs)) as service,
                    opened(shop, service.address(), client_keys(pairs)) as client,
                ):
                    service.on("Buy").reply(number=7)
                    if has_header:
                        headers = who if place == "input" else []
                        assert client.with_options(soapheaders=headers).buy(article="A").number == 7
                        continue
                    error = ConfigError if place == "input" else AmbiguousOutcome
                    with pytest.raises(error, match=f"requires {WHO}|{WHO} is missing"):
                        client.buy(article="A")
                    assert len(service.calls()) == (place == "output")
                    if place == "input":
                        with pytest.raises(AmbiguousOutcome, match="not secured as required"):
                            call(shop, service.address(), [Security(blocks, now=lambda: NOW)])


@pytest.mark.parametrize("is_encrypted", [True, False])
def test_encrypted_headers_of_the_policy_must_be_encrypted(
    tmp_path: Path, pairs: Pairs, is_encrypted: bool
) -> None:
    text = policy(asymmetric(), SIGN_BODY, REQUIRED.replace("RequiredParts", "EncryptedParts"))
    parts = [WHO] if is_encrypted else ["Body"]
    basic = Algorithms(cipher="aes256-cbc")
    sealed = Encryption(pairs["client"].certificate, parts, algorithms=basic)
    own = Security([WithHeader(), Timestamp(), Signature(pairs["server"]), sealed], now=lambda: NOW)
    with served(tmp_path, own, output=text) as (shop, service):
        if is_encrypted:
            assert call(shop, service.address(), client_keys(pairs)) == 7
        else:
            with pytest.raises(AmbiguousOutcome, match=f"{WHO} is not encrypted"):
                call(shop, service.address(), client_keys(pairs))


def test_mock_needs_the_keys_of_the_service(tmp_path: Path, pairs: Pairs) -> None:
    text = policy(asymmetric(), SIGN_BODY)
    with (
        package(tmp_path, binding=text) as shop,
        pytest.raises(ConfigError, match="X509Token in RecipientToken"),
    ):
        mock(shop, wsse=SecurityKeys(trust=pairs["client"].certificate))


def test_keys_are_read_from_files_and_never_shown(tmp_path: Path, pairs: Pairs) -> None:

    pair = pairs["client"]
    data = pkcs12.serialize_key_and_certificates(
        b"me", pair.key, pair.certificate, None, BestAvailableEncryption(b"secret-3")
    )
    (tmp_path / "client.p12").write_bytes(data)
    keys = SecurityKeys(key=tmp_path / "client.p12", key_password="secret-3", user="ada", password="secret-1")
    assert repr(keys) == "SecurityKeys(key, user)"
    assert not {"secret-1", "secret-3"} & set(str(keys).split())
    for wrong, setting in (
        ({"key": pair.key}, "certificate"),
        ({"certificate": pair.certificate}, "key"),
        ({"password": "secret-1"}, "user"),
        ({"key": pair.key, "certificate": pairs["server"].certificate}, "key"),
    ):
        with pytest.raises(ConfigError) as info:
            SecurityKeys(**wrong)
        assert info.value.setting == setting
    user = SecurityKeys(user="ada", password="secret-1")
    assert copy.deepcopy(user).user == "ada"


@pytest.mark.parametrize("action", ["look", ""])
def test_operations_with_the_same_element_keep_their_policies(
    tmp_path: Path, pairs: Pairs, action: str
) -> None:
    text = policy(asymmetric(), PROTECT_BODY)
    changes = {
        '<part name="p" element="t:Look"/>': '<part name="p" element="t:Buy"/>',
        '<operation name="Look"><s:operation soapAction=""/>': f'<operation name="Look">{text}'
        f'<s:operation soapAction="{action}"/>',
    }
    with (
        package(tmp_path, changes) as shop,
        mock(shop, wsse=service_keys(pairs)) as service,
        opened(shop, service.address(), client_keys(pairs)) as client,
    ):
        service.on("Look").reply(value="yes")
        if action:
            client.look(article="A-100")
            assert ["A-100" in item.received for item in service.calls()] == [False]
        else:
            with pytest.raises(ConfigError, match="requests of Buy, Look look the same"):
                client.look(article="A-100")
            assert not service.calls()


def test_response_is_never_read_without_its_request(tmp_path: Path, pairs: Pairs) -> None:
    with package(tmp_path, binding=policy(asymmetric(), SIGN_BODY)) as shop:
        kind: Any = getattr(shop, shop.__all__[0])
        contract = package_of(kind)
        security = client_keys(pairs).for_port(contract, contract.settings.ports[0])
        body = etree.fromstring(f'<e:Envelope xmlns:e="{SOAP_11}"><e:Body><x/></e:Body></e:Envelope>')
        with pytest.raises(SecurityError, match="no request was secured"):
            security.verify(body)


def test_token_that_only_tls_protects_is_not_sent_over_http(tmp_path: Path, pairs: Pairs) -> None:
    text = policy(ENCRYPTED_USER)
    with served(tmp_path, service_keys(pairs), binding=text) as (shop, service):
        with pytest.raises(ConfigError, match=r"https \(SignedEncryptedSupportingTokens without"):
            call(shop, service.address(), client_keys(pairs), allow_http=[])
        assert call(shop, service.address(), client_keys(pairs)) == 7


ONLY_RESPONSES = {
    "operation": policy(asymmetric().replace("<sp:IncludeTimestamp/>", "")),
    "output": policy(SIGN_BODY),
}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            policy(supporting("", USER)),
            "requires WS-Security (supporting tokens: user name (SupportingTokens)). Pass wsse=SecurityKeys("
            "user=…, password=…), or a file with keys as security (--security). To send requests without it, "
            "set security=False",
        ),
        (policy(asymmetric(), PROTECT_BODY), "signed: Body, Timestamp; encrypted: Body; signed in"),
        (policy(symmetric(), SIGN_BODY), "(recipient_certificate=…)"),
        (policy(transport(), ENDORSING), "SecurityKeys(key=…, certificate=…)"),
        (policy(transport()), "timestamp: required"),
        (
            ONLY_RESPONSES,
            "(signed in responses: Body). Pass wsse=SecurityKeys(key=…, certificate=…, recipient",
        ),
        (policy(KERBEROS), "wsse=Security([…])"),
    ],
)
def test_request_that_the_policy_protects_is_not_sent_without_security(
    tmp_path: Path,
    text: str | dict[str, str],
    problem: str,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    places = text if isinstance(text, dict) else {"operation": text}
    with served(tmp_path, **places) as (shop, service):
        assert call(shop, service.address(), None) == 7
        assert [text for text in caplog.messages if "the WS-SecurityPolicy of Buy is not applied" in text]
        caplog.clear()
        monkeypatch.setattr("soapclient.soap.zeep_options.is_loopback", lambda _: False)  # as elsewhere
        with opened(shop, service.address(), None) as client:
            assert client.look(value="x")
            for buy in (client.buy, client.zeep.Buy):
                with pytest.raises(ConfigError) as info:
                    buy(article="A-100")
                assert problem in str(info.value)
            assert len(service.calls()) == 2
            assert client.soap.create_message(client.soap.service, "Buy", article="A-100") is not None
            own = [etree.Element(f"{WSSE}Security")]  # by the caller, or by a plugin
            assert client.with_options(soapheaders=own).buy(article="A-100").number == 7
        assert call(shop, service.address(), None, security=False) == 7
        assert not [text for text in caplog.messages if "Policy" in text]


@pytest.mark.parametrize(
    "text",
    [
        policy(transport().replace("<sp:IncludeTimestamp/>", "")),
        policy(supporting("", USER, attributes='p:Optional="true"')),
    ],
)
def test_request_is_sent_without_keys_if_the_policy_allows_it(
    tmp_path: Path, text: str, caplog: pytest.LogCaptureFixture
) -> None:
    with served(tmp_path, operation=text) as (shop, service):
        assert call(shop, service.address(), None) == 7
        assert not caplog.messages
