"""Cases of WS-Security: sign a request, and verify a signed response.

The peer is xmlsec alone. It signs and verifies the same parts with the same algorithms, but it does not check
which elements are signed, which certificate is trusted, or how old a message is.
"""

from __future__ import annotations

import contextlib
import copy
import datetime as dt
from collections.abc import Callable, Iterator
from typing import Any, Final

from lxml import etree

from tests.bench.cases import OURS, Case, Opened, Prepared, Way
from tests.bench.shapes import SALES, SALES_SPACE, document, sales_values

XMLSEC: Final = "xmlsec"
_OASIS: Final = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-"
_WSU: Final = f"{_OASIS}utility-1.0.xsd"
_DS: Final = "http://www.w3.org/2000/09/xmldsig#"
_PARTS: Final = ["Body", "Timestamp"]


def _pair() -> Any:  # a KeyPair; the extra `security` may be missing
    """Return an RSA key of 2,048 bits with a certificate."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import rsa
    from cryptography.x509.oid import NameOID

    from soapclient.security import KeyPair

    key, now = rsa.generate_private_key(65537, 2048), dt.datetime.now(dt.UTC)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "bench")])
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    builder = builder.serial_number(1).not_valid_before(now - dt.timedelta(days=1))
    return KeyPair(key, builder.not_valid_after(now + dt.timedelta(days=1)).sign(key, hashes.SHA256()))


def _sign_by_xmlsec(pair: Any) -> Callable[[etree._Element], etree._Element]:
    """Return a function that adds a Timestamp and a signature to an envelope, with xmlsec alone."""
    import xmlsec
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    from soapclient.security import Message, Timestamp

    of: Any = xmlsec  # its types are incomplete
    data = pair.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    key = of.Key.from_memory(data, of.constants.KeyDataFormatPem)
    stamp, sha256 = Timestamp(), of.constants.TransformSha256
    exclusive = of.constants.TransformExclC14N

    def sign(root: etree._Element) -> etree._Element:
        message = Message.of(root)
        security = message.ensure_security()
        stamp.add(message, dt.datetime.now(dt.UTC))
        signature = of.template.create(security, exclusive, of.constants.TransformRsaSha256)
        context = of.SignatureContext()
        context.key = key
        for number, node in enumerate((message.body, security[0])):
            node.set(f"{{{_WSU}}}Id", f"id-{number}")
            context.register_id(node, "Id", _WSU)
            reference = of.template.add_reference(signature, sha256, uri=f"#id-{number}")
            of.template.add_transform(reference, exclusive)
        security.append(signature)
        context.sign(signature)
        return root

    return sign


def _signed_parts(root: object) -> list[str]:
    """Return the names of the elements to which the references of a signature point."""
    assert isinstance(root, etree._Element)
    by_id = {node.get(f"{{{_WSU}}}Id"): etree.QName(node).localname for node in root.iter("*")}
    values = root.findall(".//{*}SignatureValue")
    assert [bool(value.text) for value in values] == [True]
    return sorted(by_id[(node.get("URI") or "#")[1:]] for node in root.iter(f"{{{_DS}}}Reference"))


@contextlib.contextmanager
def _open_sign(size: int) -> Iterator[Opened]:
    pair = _pair()
    root = etree.fromstring(_message(size))

    def ours() -> Prepared:
        from soapclient.security import Security, Signature, Timestamp

        security = Security([Timestamp(), Signature(pair)])
        return Prepared(lambda: security.apply(copy.deepcopy(root), {})[0], _signed_parts)

    def by_xmlsec() -> Prepared:
        sign = _sign_by_xmlsec(pair)
        return Prepared(lambda: sign(copy.deepcopy(root)), _signed_parts)

    yield Opened(_PARTS, {XMLSEC: by_xmlsec, OURS: ours})


@contextlib.contextmanager
def _open_verify(size: int) -> Iterator[Opened]:
    from soapclient.security import Security, Signature, Timestamp

    pair = _pair()
    signed, _ = Security([Timestamp(), Signature(pair)]).apply(etree.fromstring(_message(size)), {})
    data = etree.tostring(signed)

    def ours() -> Prepared:
        from soapclient.security import Verify

        rules = Verify(trust=pair.certificate, max_age=dt.timedelta(hours=5))

        def names(nodes: Any) -> list[str]:
            return sorted(etree.QName(node).localname for node in nodes)

        return Prepared(lambda: rules.check(etree.fromstring(data)), names)

    def by_xmlsec() -> Prepared:
        import xmlsec
        from cryptography.hazmat.primitives.serialization import Encoding

        of: Any = xmlsec
        certificate = pair.certificate.public_bytes(Encoding.PEM)
        key = of.Key.from_memory(certificate, of.constants.KeyDataFormatCertPem)

        def verify() -> object:
            root = etree.fromstring(data)
            security = root[0][0]
            signature = security.find("{*}Signature")
            assert signature is not None
            signature.remove(signature[-1])  # KeyInfo: xmlsec would search for a key
            context = of.SignatureContext()
            context.key = key
            stamp = security.find(f"{{{_WSU}}}Timestamp")
            assert stamp is not None
            for node in (root[1], stamp):
                context.register_id(node, "Id", _WSU)
            context.verify(signature)
            return root

        return Prepared(verify, _signed_parts)

    yield Opened(_PARTS, {XMLSEC: by_xmlsec, OURS: ours})


def _message(size: int) -> bytes:
    return document(SALES, sales_values(size), SALES_SPACE)


_WAYS: Final = (Way(XMLSEC, needs=("xmlsec",)), Way(OURS, needs=("cryptography",)))
CASES: Final = (
    Case(
        name="sign", title="Sign the body and a Timestamp (WS-Security)",
        base_is="peer", unit="item", size=10, few=10, repeat=20, ways=_WAYS, open=_open_sign,
    ),
    Case(
        name="verify", title="Verify a signed body and Timestamp (WS-Security)",
        base_is="peer", unit="item", size=10, few=10, repeat=20, ways=_WAYS, open=_open_verify,
    ),
)  # fmt: skip
