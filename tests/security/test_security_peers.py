"""Messages of another implementation: xmlsec, by zeep's Signature and by its own functions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.serialization import Encoding
from lxml import etree

from soapclient.security import LEGACY, Algorithms, Encryption, KeyPair, Signature, Timestamp, Verify
from tests.security.conftest import NOW, envelope, names, private_pem, refusal, secured, sent
from tests.security.tampering import DS, WSU, XENC, Pairs, one, signature

xmlsec: Any = pytest.importorskip("xmlsec")  # its types are incomplete
WSU_ID = f"{WSU}Id"


def public_pem(pair: KeyPair) -> bytes:
    return pair.certificate.public_bytes(Encoding.PEM)


def key_of(data: bytes, form: Any) -> Any:
    return xmlsec.Key.from_memory(data, form)


def verified_by_xmlsec(root: etree._Element, pair: KeyPair) -> None:
    """Verify the signature of a message with xmlsec and a known key."""
    context = xmlsec.SignatureContext()
    context.key = key_of(public_pem(pair), xmlsec.constants.KeyDataFormatCertPem)
    node = signature(root)
    for reference in node.iter(f"{DS}Reference"):
        uri = reference.get("URI") or ""
        target = next(node for node in root.iter("*") if uri[1:] in (node.get(WSU_ID), node.get("Id")))
        context.register_id(target, "Id", None if target.get("Id") else WSU_ID[1:].partition("}")[0])
    node.remove(one(node, f"{DS}KeyInfo"))  # xmlsec would search the key there
    context.verify(node)


@pytest.mark.parametrize("hash_name", ["sha1", "sha256", "sha384", "sha512"])
@pytest.mark.parametrize("who", ["client", "curve"])
def test_xmlsec_verifies_our_signatures(pairs: Pairs, who: str, hash_name: Any) -> None:
    if (who, hash_name) == ("curve", "sha1"):
        pytest.skip("not supported")
    parts, algorithms = ("Body", "Timestamp", "Header"), Algorithms(hash=hash_name)
    block = Signature(pairs[who], parts=parts, algorithms=algorithms)
    verified_by_xmlsec(secured([Timestamp(), block]), pairs[who])
    changed = secured([Timestamp(), block])
    changed[-1][0][0].set("n", "9")
    with pytest.raises(xmlsec.Error):
        verified_by_xmlsec(changed, pairs[who])


@pytest.mark.parametrize("cipher", ["aes128-gcm", "aes256-gcm", "aes128-cbc", "aes256-cbc"])
@pytest.mark.parametrize("transport", ["rsa-oaep", "rsa-1.5"])
def test_xmlsec_decrypts_our_messages(pairs: Pairs, cipher: Any, transport: Any) -> None:
    algorithms = Algorithms(cipher=cipher, transport=transport)
    message = secured([Encryption(pairs["server"].certificate, algorithms=algorithms)])
    manager = xmlsec.KeysManager()
    manager.add_key(key_of(private_pem(pairs["server"]), xmlsec.constants.KeyDataFormatPem))
    key, data = one(message, f".//{XENC}EncryptedKey"), one(message, f".//{XENC}EncryptedData")
    for node in (key, data):
        node.remove(one(node, f"{DS}KeyInfo"))
    opening = xmlsec.EncryptionContext()
    secret = xmlsec.EncryptionContext(manager).decrypt(key)
    opening.key = xmlsec.Key.from_binary_data(xmlsec.constants.KeyDataAes, secret)
    opening.decrypt(data)
    assert names(message) == names(envelope())


def zeep_signed(pairs: Pairs, tmp_path: Path, who: str = "server") -> etree._Element:
    from zeep.wsse.signature import BinarySignature

    files = str(tmp_path / "key.pem"), str(tmp_path / "certificate.pem")
    for file, data in zip(files, (private_pem(pairs[who]), public_pem(pairs[who])), strict=True):
        Path(file).write_bytes(data)
    make: Any = BinarySignature  # zeep has no types
    method, digest = xmlsec.constants.TransformRsaSha256, xmlsec.constants.TransformSha256
    block = make(*files, signature_method=method, digest_method=digest)
    return sent(block.apply(secured([Timestamp()]), {})[0])


def test_signature_of_zeep_is_verified(pairs: Pairs, tmp_path: Path) -> None:
    message = zeep_signed(pairs, tmp_path)
    rules = Verify(trust=pairs["server"].certificate, algorithms=LEGACY)
    rules.check(message, NOW)
    assert names(message) == names(envelope())
    changed = zeep_signed(pairs, tmp_path)
    changed[-1][0][0].set("n", "9")
    assert refusal(rules, changed).code == "digest"
    assert refusal(rules, zeep_signed(pairs, tmp_path, "other")).code == "untrusted"
