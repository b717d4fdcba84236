"""Messages of other programs: xmlsec1 (Debian's package of this name), and node-soap (npm's package soap).

For node-soap, `NODE_PATH` must name a folder with the package.
"""

from __future__ import annotations

import base64
import copy
import hashlib
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding
from lxml import etree

from soapclient.errors import SecurityError
from soapclient.security import LEGACY, KeyPair, SymmetricBinding, Timestamp, UsernameToken, Verify
from soapclient.security._derived_keys import p_sha1
from tests.security.conftest import envelope, issue, names, private_pem, secured
from tests.security.tampering import (
    DS,
    WSC,
    WSSE,
    WSU,
    XENC,
    Element,
    Pairs,
    change_body,
    one,
    security,
    signature,
)

pytestmark = pytest.mark.exhaustive
xmlsec1 = pytest.mark.skipif(shutil.which("xmlsec1") is None, reason="needs the program xmlsec1")
_IDS = ("--id-attr:Id", "Body", "--id-attr:Id", "Timestamp")


def run_xmlsec1(message: Element, folder: Path, *options: str) -> bool:
    """Return True if xmlsec1 verifies the signature. It does not find certificates in WS-Security."""
    file = folder / "message.xml"
    message = copy.deepcopy(message)
    signature(message).remove(one(signature(message), f"{DS}KeyInfo"))
    file.write_bytes(etree.tostring(message))
    command = ["xmlsec1", "--verify", *options, *_IDS, "--node-xpath", "//*[local-name()='Signature']"]
    return subprocess.run([*command, str(file)], capture_output=True, check=False).returncode == 0


@xmlsec1
@pytest.mark.parametrize("derived", [True, False])
def test_xmlsec1_verifies_our_symmetric_signature(pairs: Pairs, tmp_path: Path, derived: bool) -> None:
    block = SymmetricBinding(pairs["server"].certificate, encrypt=(), derived_keys=derived)
    message = secured([Timestamp(), block])
    value = one(security(message), f"{XENC}EncryptedKey/{XENC}CipherData/{XENC}CipherValue").text or ""
    # The key is decrypted by another program, too.
    (tmp_path / "server.pem").write_bytes(private_pem(pairs["server"]))
    (tmp_path / "key.bin").write_bytes(base64.b64decode(value))
    command = ["openssl", "pkeyutl", "-decrypt", "-inkey", str(tmp_path / "server.pem")]
    command += ["-pkeyopt", "rsa_padding_mode:oaep", "-in", str(tmp_path / "key.bin")]
    opened = subprocess.run(command, capture_output=True, check=True).stdout
    if derived:
        nonce = base64.b64decode(message.findtext(f".//{WSC}Nonce") or "")
        opened = p_sha1(opened, b"WS-SecureConversation" * 2 + nonce, 24)
    (tmp_path / "hmac.bin").write_bytes(opened)
    options = ["--hmackey", str(tmp_path / "hmac.bin")]
    assert run_xmlsec1(message, tmp_path, *options)
    assert not run_xmlsec1(change_body(message), tmp_path, *options)


def _has_node_soap() -> bool:
    if shutil.which("node") is None:
        return False
    command = ["node", "-e", "require.resolve('soap')"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


NODE = """
const soap = require('soap'), fs = require('fs');
const read = (name) => fs.readFileSync(process.argv[1] + '/' + name, 'utf8');
const options = JSON.parse(process.argv[2]);
const security = options.user ? new soap.WSSecurity('me', 'a password', options)
  : new soap.WSSecurityCert(read('server.key'), read('server.pem'), '', options);
let text = read('message.xml');
if (options.user) text = text.replace('<soap:Header>', '<soap:Header>' + security.toXML());
process.stdout.write(options.user ? text : security.postProcess(text, 'soap'));
"""


@pytest.fixture(scope="module")
def node_soap(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, KeyPair]:
    """A folder with a message and a key for node-soap, which uses the time of the machine."""
    if not _has_node_soap():
        pytest.skip("needs Node.js and npm's package soap in NODE_PATH")
    folder = tmp_path_factory.mktemp("node_soap")
    pair = issue("server", rsa.generate_private_key(65537, 2048), start=datetime.now(UTC))
    (folder / "server.key").write_bytes(private_pem(pair))
    (folder / "server.pem").write_bytes(pair.certificate.public_bytes(Encoding.PEM))
    (folder / "message.xml").write_bytes(etree.tostring(envelope()))
    return folder, pair


def by_node_soap(folder: Path, options: str) -> Element:
    command = ["node", "-e", NODE, str(folder), options]
    return etree.fromstring(subprocess.run(command, capture_output=True, check=True).stdout)


@pytest.mark.parametrize(
    "options",
    ["{}", '{"signatureAlgorithm": "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"}'],
    ids=["defaults", "sha256"],
)
def test_signature_of_node_soap_is_verified(node_soap: tuple[Path, KeyPair], options: str) -> None:
    folder, pair = node_soap
    signed = ["Body", "Timestamp"] if options != "{}" else ["Timestamp"]
    rules = Verify(trust=pair.certificate, signed=signed, algorithms=LEGACY)
    message = by_node_soap(folder, options)
    rules.check(message)
    assert names(message) == names(envelope())
    stamp = one(security(message), f"{WSU}Timestamp/{WSU}Expires")
    stamp.text = "2036-01-01T00:00:00Z"
    with pytest.raises(SecurityError, match="Timestamp was changed"):
        rules.check(message)


def test_user_of_node_soap_is_read(node_soap: tuple[Path, KeyPair]) -> None:
    """Its digest is the one of our block for the same nonce and time."""
    message = by_node_soap(node_soap[0], '{"user": true, "passwordType": "PasswordDigest"}')
    token = one(security(message), f"{WSSE}UsernameToken")
    ours = secured([UsernameToken("me", "a password", digest=True)])
    assert [node.tag for node in token] == [node.tag for node in one(ours, f".//{WSSE}UsernameToken")]
    nonce = base64.b64decode(token.findtext(f"{WSSE}Nonce") or "")
    created = token.findtext(f"{WSU}Created") or ""
    digest = hashlib.sha1(nonce + created.encode() + b"a password").digest()
    assert base64.b64decode(token.findtext(f"{WSSE}Password") or "") == digest
