"""Messages of WSS4J, the library behind Apache CXF and Metro's WS-Security: each block in both directions."""

from __future__ import annotations

import base64
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, pkcs12
from lxml import etree

from soapclient.errors import SecurityError
from soapclient.security import (
    LEGACY,
    Algorithms,
    Block,
    Encryption,
    KeyPair,
    Replays,
    Security,
    Signature,
    SymmetricBinding,
    Timestamp,
    UsernameToken,
    Verify,
)
from tests.security.conftest import envelope, issue, names
from tests.security.tampering import DS, Element, change_body, one, security

_JARS: Final = [
    Path(f"/usr/share/java/{name}.jar") for name in ("wss4j", "xmlsec", "commons-logging", "slf4j-api")
]
pytestmark = [
    pytest.mark.exhaustive,
    pytest.mark.skipif(
        shutil.which("javac") is None or not all(jar.exists() for jar in _JARS),
        reason="needs javac and Debian's package libwss4j-java",
    ),
]
PASSWORD: Final = "a password"
HMAC: Final = {
    "sha1": "http://www.w3.org/2000/09/xmldsig#hmac-sha1",
    "sha256": "http://www.w3.org/2001/04/xmldsig-more#hmac-sha256",
}
CBC: Final = "http://www.w3.org/2001/04/xmlenc#aes256-cbc"
ENCRYPTED: Final = [
    (CBC, "http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p"),
    ("http://www.w3.org/2001/04/xmlenc#aes128-cbc", "http://www.w3.org/2001/04/xmlenc#rsa-1_5"),
]


class Peer:
    """A running service with WSS4J. Certificates are valid at the time of the machine, which WSS4J uses."""

    def __init__(self, process: subprocess.Popen[str], pairs: Mapping[str, KeyPair]) -> None:
        self._process = process
        self.client, self.server = pairs["client"], pairs["server"]

    def ask(self, *words: str, message: Element) -> tuple[Element, list[str]]:
        """Return the message of the peer, and the names of the actions that it verified."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        data = base64.b64encode(etree.tostring(message)).decode()
        self._process.stdin.write(" ".join([*words, data]) + "\n")
        self._process.stdin.flush()
        state, _, rest = self._process.stdout.readline().rstrip("\n").partition(" ")
        if state != "ok":
            raise PeerError(rest)
        text, *actions = rest.split(" ")
        return etree.fromstring(base64.b64decode(text)), actions


class PeerError(Exception):
    """WSS4J refused a message."""


@pytest.fixture(scope="module")
def peer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Peer]:
    folder = tmp_path_factory.mktemp("wss4j")
    path = ":".join(map(str, [*_JARS, folder]))
    source = Path(__file__).parent / "wss4j/Peer.java"
    subprocess.run(["javac", "-nowarn", "-cp", path, "-d", str(folder), str(source)], check=True)
    pairs = {
        name: issue(name, rsa.generate_private_key(65537, 2048), start=datetime.now(UTC))
        for name in ("client", "server")
    }
    server = pairs["server"]
    assert isinstance(server.key, rsa.RSAPrivateKey)
    store = pkcs12.serialize_key_and_certificates(
        b"server", server.key, server.certificate, None, BestAvailableEncryption(PASSWORD.encode())
    )
    (folder / "server.p12").write_bytes(store)
    (folder / "client.pem").write_bytes(pairs["client"].certificate.public_bytes(Encoding.PEM))
    command = ["java", "-cp", path, "Peer", str(folder / "server.p12"), PASSWORD, str(folder / "client.pem")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield Peer(process, pairs)
        assert process.stdin is not None
        process.stdin.close()


def ours(blocks: list[Block], soap_message: Element | None = None) -> Element:
    return Security(blocks).apply(envelope() if soap_message is None else soap_message, {})[0]


# Actions of WSS4J: user name, signature, encryption, timestamp, derived key, signature confirmation.
_USER, _SIGNED, _ENCRYPTED, _TIMESTAMP, _DERIVED, _BINARY = "1", "2", "4", "32", "8192", "4096"


@pytest.mark.parametrize("hash_name", ["sha1", "sha256"])
@pytest.mark.parametrize("token", ["binary", "issuer-serial", "ski", "thumbprint", "embedded"])
def test_wss4j_verifies_our_signature(peer: Peer, token: Any, hash_name: Any) -> None:
    block = Signature(peer.client, token=token, algorithms=Algorithms(hash=hash_name))
    message = ours([Timestamp(), block])
    _, actions = peer.ask("verify", message=message)
    assert {_SIGNED, _TIMESTAMP} <= set(actions)
    with pytest.raises(PeerError):
        peer.ask("verify", message=change_body(message))


@pytest.mark.parametrize("algorithm", ["2000/09/xmldsig#rsa-sha1", "2001/04/xmldsig-more#rsa-sha256"])
@pytest.mark.parametrize(
    "token", ["binary", "issuer-serial", "ski", "thumbprint", "embedded", "str-transform"]
)
def test_signature_of_wss4j_is_verified(peer: Peer, token: str, algorithm: str) -> None:
    message, _ = peer.ask("sign", token, f"http://www.w3.org/{algorithm}", message=envelope())
    signed = ["Body", "Timestamp"] + (["BinarySecurityToken"] if token == "str-transform" else [])
    rules = Verify(trust=peer.server.certificate, signed=signed, algorithms=LEGACY, replay=Replays())
    data = etree.tostring(message)
    rules.check(message)
    assert names(message) == names(envelope())
    with pytest.raises(SecurityError, match="received before"):
        rules.check(etree.fromstring(data))
    with pytest.raises(SecurityError, match="Body was changed"):
        rules.check(change_body(etree.fromstring(data)))


@pytest.mark.parametrize("cipher", ["aes128-gcm", "aes256-gcm", "aes128-cbc", "aes256-cbc"])
@pytest.mark.parametrize("transport", ["rsa-oaep", "rsa-1.5"])
def test_wss4j_decrypts_our_message(peer: Peer, cipher: Any, transport: Any) -> None:
    algorithms = Algorithms("sha256", cipher, transport)
    message = ours(
        [Timestamp(), Signature(peer.client), Encryption(peer.server.certificate, algorithms=algorithms)]
    )
    opened, actions = peer.ask("verify", message=message)
    assert {_SIGNED, _ENCRYPTED} <= set(actions)
    assert names(opened) == names(envelope())


@pytest.mark.parametrize(("cipher", "transport"), ENCRYPTED)
def test_message_of_wss4j_is_decrypted(peer: Peer, cipher: str, transport: str) -> None:
    message, _ = peer.ask("encrypt", cipher, transport, message=envelope())
    Verify(decrypt=peer.client, encrypted=True, algorithms=LEGACY).check(message)
    assert names(message) == names(envelope())


def test_encrypted_header_of_wss4j_is_decrypted(peer: Peer) -> None:
    message, _ = peer.ask("encrypt", *ENCRYPTED[0], "header", message=envelope())
    assert b"EncryptedHeader" in etree.tostring(message)
    rules = Verify(decrypt=peer.client, encrypted=["Body", "{urn:example:who}Who"], algorithms=LEGACY)
    rules.check(message)
    assert message.findtext("{*}Header/{urn:example:who}Who") == "me"
    assert names(message) == names(envelope())


@pytest.mark.parametrize("digest", [True, False])
def test_wss4j_checks_our_user(peer: Peer, digest: bool) -> None:
    message = ours([UsernameToken("me", PASSWORD, digest=digest)])
    _, actions = peer.ask("verify", message=message)
    assert actions == [_USER]
    with pytest.raises(PeerError):
        peer.ask("verify", message=ours([UsernameToken("me", "wrong", digest=digest)]))


@pytest.mark.parametrize("kind", ["digest", "text"])
def test_user_of_wss4j_cannot_be_sent_again(peer: Peer, kind: str) -> None:
    message, _ = peer.ask("user", kind, message=envelope())
    rules = Verify(decrypt=peer.client, replay=Replays())
    rules.check(message)
    with pytest.raises(SecurityError, match="received before"):
        rules.check(message)


# ---- symmetric binding

_SYMMETRIC: Final = [
    (version, hash_name, cipher)
    for version in ("2005-02", "2005-12", None)
    for hash_name, cipher in (("sha1", "aes128-cbc"), ("sha256", "aes256-cbc"), ("sha256", "aes256-gcm"))
    if version is None or not cipher.endswith("gcm")  # WSS4J 1.6 has no derived keys for GCM
]


@pytest.mark.parametrize(("version", "hash_name", "cipher"), _SYMMETRIC)
def test_wss4j_shares_our_key(peer: Peer, version: Any, hash_name: Any, cipher: Any) -> None:
    algorithms = Algorithms(hash_name, cipher)
    # WSS4J 1.6 has no message for a response that is encrypted without derived keys.
    keys: Any = {"derived_keys": version is not None, "version": version or "2005-12"}
    rules = Verify(symmetric="response", encrypted=version is not None, algorithms=LEGACY)
    binding = SymmetricBinding(peer.server.certificate, algorithms=algorithms, **keys)
    client = Security([Timestamp(), binding], rules)
    request, _ = client.apply(envelope(), {})
    opened, actions = peer.ask("verify", message=request)
    assert {_SIGNED, _ENCRYPTED, _TIMESTAMP} <= set(actions)
    assert names(opened) == names(envelope())
    words = ("response", version or "none", HMAC[hash_name], CBC)
    response, _ = peer.ask(*words, message=envelope())
    data = etree.tostring(response)
    client.verify(response)
    assert names(response) == names(envelope())
    client.apply(envelope(), {})
    with pytest.raises(SecurityError, match="neither in the message nor"):  # of another request
        client.verify(etree.fromstring(data))


@pytest.mark.parametrize("version", ["2005-02", "2005-12", None])
@pytest.mark.parametrize("hash_name", HMAC)
def test_key_of_wss4j_is_shared(peer: Peer, version: Any, hash_name: Any) -> None:
    request, _ = peer.ask("request", version or "none", HMAC[hash_name], CBC, message=envelope())
    keys: Any = {"derived_keys": version is not None, "version": version or "2005-12"}
    rules = Verify(symmetric="request", decrypt=peer.client, encrypted=version is not None, algorithms=LEGACY)
    binding = SymmetricBinding(algorithms=Algorithms(hash_name, "aes256-cbc"), **keys)
    service = Security([Timestamp(), binding], rules)
    service.verify(request)
    assert names(request) == names(envelope())
    response, _ = service.apply(envelope(), {})
    assert b"getOrders" not in etree.tostring(response)
    opened, actions = peer.ask("verify", message=response)
    assert {_SIGNED, _TIMESTAMP} <= set(actions)
    assert names(opened) == names(envelope())
    value = one(security(response), f"{DS}Signature/{DS}SignatureValue")
    value.text = "AAAA" + (value.text or "")[4:]
    with pytest.raises(PeerError):
        peer.ask("verify", message=response)
