"""Keys and envelopes for the tests of WS-Security."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID
from lxml import etree

from soapclient.errors import SecurityError
from soapclient.security import KeyPair, Security, Verify

NOW = datetime(2026, 11, 20, 12, 0, 0, tzinfo=UTC)
SOAP_11 = "http://schemas.xmlsoap.org/soap/envelope/"
SOAP_12 = "http://www.w3.org/2003/05/soap-envelope"
ORDERS = "urn:example:orders"


def _named(name: str) -> x509.Name:
    return x509.Name(
        [
            x509.NameAttribute(NameOID.COUNTRY_NAME, "DE"),
            x509.NameAttribute(NameOID.ORGANIZATION_NAME, "Ex, Ample"),
            x509.NameAttribute(NameOID.COMMON_NAME, name),
        ]
    )


def issue(
    name: str,
    key: Any,
    *,
    issuer: KeyPair | None = None,
    is_authority: bool = False,
    days: int = 30,
    start: datetime = NOW,
) -> KeyPair:
    """Create a certificate for a key, signed by the issuer or by the key itself."""
    signing = key if issuer is None else issuer.key
    certificate = (
        x509.CertificateBuilder()
        .subject_name(_named(name))
        .issuer_name(_named(name) if issuer is None else issuer.certificate.subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(start - timedelta(days=1))
        .not_valid_after(start + timedelta(days=days))
        .add_extension(x509.BasicConstraints(is_authority, None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(signing.public_key()), critical=False
        )
        .sign(signing, hashes.SHA256())
    )
    return KeyPair(key, certificate)


@pytest.fixture(scope="session")
def pairs() -> Mapping[str, KeyPair]:
    """Key pairs: client, server, other (RSA), curve (elliptic curve), and leaf, leaf2 issued by authority."""
    rsa_keys = [rsa.generate_private_key(65537, 2048) for _ in range(4)]
    curve = ec.generate_private_key(ec.SECP256R1())
    authority = issue("authority", rsa_keys[3], is_authority=True)
    return {
        **{
            name: issue(name, key) for name, key in zip(("client", "server", "other"), rsa_keys, strict=False)
        },
        "curve": issue("curve", curve),
        "authority": authority,
        "leaf": issue("leaf", rsa_keys[0], issuer=authority),
        "leaf2": issue("leaf2", rsa_keys[1], issuer=authority),
    }


def private_pem(pair: KeyPair) -> bytes:
    return pair.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def envelope(soap: str = SOAP_11, *, header: bool = True) -> etree._Element:
    """Return an envelope with three orders, and a header `{urn:example:who}Who`."""
    orders = "".join(
        f'<order n="{n}"><name>Händler &amp; Söhne {n}</name>'
        f'<amount xsi:type="xsd:decimal">{n}.50</amount></order>\n'
        for n in range(3)
    )
    who = '<soap:Header><w:Who xmlns:w="urn:example:who">me</w:Who></soap:Header>' if header else ""
    text = (
        f'<soap:Envelope xmlns:soap="{soap}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
        f'xmlns:xsd="http://www.w3.org/2001/XMLSchema">{who}<soap:Body>'
        f'<o:getOrders xmlns:o="{ORDERS}" xmlns="{ORDERS}">{orders}</o:getOrders></soap:Body></soap:Envelope>'
    )
    return etree.fromstring(text.encode())


def sent(root: etree._Element) -> etree._Element:
    """Serialize and parse a message, as it happens between sender and receiver."""
    data = etree.tostring(root, xml_declaration=True, encoding="UTF-8")
    return etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True))


def secured(blocks: Any, root: etree._Element | None = None, *, at: datetime = NOW) -> etree._Element:
    """Secure an envelope, and return it as the receiver parses it."""
    security = Security(blocks, now=lambda: at)
    return sent(security.apply(envelope() if root is None else root, {})[0])


def names(root: etree._Element) -> list[str]:
    """Return the texts of the elements `name` in the body, as a receiver reads them."""
    return [
        node.text or ""
        for node in root.iterfind(f"{{*}}Body/{{{ORDERS}}}getOrders/{{{ORDERS}}}order/{{{ORDERS}}}name")
    ]


def refusal(rules: Verify, message: etree._Element, at: datetime = NOW) -> SecurityError:
    """Return the error with which a message must be refused."""
    with pytest.raises(SecurityError) as caught:
        rules.check(message, at)
    return caught.value
