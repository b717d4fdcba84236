"""Signed attachments (SwA Profile 1.1)."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest
from lxml import etree

from soapclient import connect
from soapclient.errors import AmbiguousOutcome, ConfigError, SecurityError
from soapclient.runtime.service import Attachment, attached
from soapclient.security import Encryption, Security, Signature, SymmetricBinding, Timestamp, Verify
from soapclient.testing import mock
from tests.security.conftest import NOW, envelope, sent
from tests.security.tampering import DS, Element, Pairs, one, security, signature, signed_again
from tests.soap.conftest import weather

__all__ = ["weather"]  # the fixture

SWA = "http://docs.oasis-open.org/wss/oasis-wss-SwAProfile-1.1#"
PARTS = ("Body", "Timestamp", "Attachments")
SCAN = Attachment(b"\x00scan\n\r\xff", "image/png", "scan#1@example")
NOTE = Attachment(b"one\ntwo\r\nthree\rfour", "text/plain; charset=utf-8", "note@example")
TREE = Attachment(b"<?xml version='1.0'?><a  b='1'><!-- c --><d/></a>\n", "application/x+xml", "tree@example")
OTHER = Attachment(b"other", "image/png", "other@example")
ALL = (SCAN, NOTE, replace(TREE, content_type="application/xml"))


def signed(pairs: Pairs, attachments: Sequence[Attachment] = ALL) -> Element:
    with attached(attachments):
        blocks = [Timestamp(), Signature(pairs["server"], parts=PARTS)]
        return sent(Security(blocks, now=lambda: NOW).apply(envelope(), {})[0])


def check(pairs: Pairs, message: Element, attachments: Sequence[Attachment], **rules: Any) -> None:
    with attached(attachments):
        Verify(trust=pairs["server"].certificate, **({"signed": PARTS} | rules)).check(message, NOW)


def test_digest_is_that_of_the_canonical_content(pairs: Pairs) -> None:
    """Worked out by hand: lines of text end with CRLF, XML is canonical without comments."""
    digests = {
        reference.get("URI"): one(reference, f"{DS}DigestValue").text
        for reference in signature(signed(pairs)).iter(f"{DS}Reference")
        if one(reference, f"{DS}Transforms/{DS}Transform").get("Algorithm")
        == f"{SWA}Attachment-Content-Signature-Transform"
    }
    contents = {
        "cid:scan%231@example": SCAN.content,
        "cid:note@example": b"one\r\ntwo\r\nthree\r\nfour",
        "cid:tree@example": b'<a b="1"><d></d></a>',
    }
    assert digests == {
        uri: base64.b64encode(hashlib.sha256(content).digest()).decode() for uri, content in contents.items()
    }


def test_signed_attachments_are_verified(pairs: Pairs) -> None:
    check(pairs, signed(pairs), ALL)
    check(pairs, signed(pairs), ALL[::-1], signed=["Body", "Timestamp"], signed_if_present=["Attachments"])
    check(pairs, signed(pairs, ()), ())  # as a message without headers, if headers must be signed


_CHANGES: dict[str, Callable[[tuple[Attachment, ...]], Sequence[Attachment]]] = {
    "changed": lambda parts: (replace(parts[0], content=b"EVIL"), *parts[1:]),
    "removed": lambda parts: parts[1:],
    "added": lambda parts: (*parts, OTHER),
    "added with the same id": lambda parts: (*parts, replace(OTHER, content_id=SCAN.content_id)),
    "exchanged": lambda parts: (
        replace(parts[0], content_id=NOTE.content_id),
        replace(parts[1], content_id=SCAN.content_id),
        parts[2],
    ),
    "no id": lambda parts: (replace(parts[0], content_id=""), *parts[1:]),
    "no XML": lambda parts: (*parts[:2], replace(parts[2], content=b"<a")),
    "document type": lambda parts: (*parts[:2], replace(parts[2], content=b"<!DOCTYPE a><a/>")),
    "of a plain zeep client": lambda parts: (),
}


@pytest.mark.parametrize("change", _CHANGES)
@pytest.mark.parametrize("required", ["signed", "signed_if_present"])
def test_other_attachments_are_refused(pairs: Pairs, change: str, required: str) -> None:
    rules = {"signed": ["Body", "Timestamp"], required: PARTS}
    with pytest.raises(SecurityError):
        check(pairs, signed(pairs), _CHANGES[change](ALL), **rules)


@pytest.mark.parametrize(
    ("algorithm", "parameter"),
    [
        (f"{SWA}Attachment-Complete-Signature-Transform", False),
        ("http://www.w3.org/2001/10/xml-exc-c14n#", False),
        (f"{SWA}Attachment-Content-Signature-Transform", True),
    ],
)
def test_other_transforms_are_refused(pairs: Pairs, algorithm: str, parameter: bool) -> None:
    message = signed(pairs, [SCAN])
    transform = signature(message).findall(f".//{DS}Transform")[-1]
    transform.set("Algorithm", algorithm)
    if parameter:
        etree.SubElement(transform, "{urn:example}P")
    with pytest.raises(SecurityError, match=r"[tT]ransform"):
        check(pairs, signed_again(message, pairs), [SCAN])


def test_attachment_of_another_signature_is_not_enough(pairs: Pairs) -> None:
    """One signature must cover all parts."""
    with attached([SCAN]):
        blocks = [
            Timestamp(),
            Signature(pairs["server"]),
            Signature(pairs["server"], parts=["Attachments"], token="issuer-serial"),
        ]
        message = sent(Security(blocks, now=lambda: NOW).apply(envelope(), {})[0])
    assert len(security(message).findall(f"{DS}Signature")) == 2
    with pytest.raises(SecurityError, match="no single signature covers"):
        check(pairs, message, [SCAN])
    check(pairs, message, [SCAN], signed=["Body", "Timestamp"])


@pytest.mark.parametrize(
    "attachments",
    [[replace(SCAN, content_id="")], [SCAN, SCAN], [replace(TREE, content=b"<a", content_type="text/xml")]],
)
def test_attachments_that_cannot_be_signed_are_config_errors(
    pairs: Pairs, attachments: list[Attachment]
) -> None:
    with pytest.raises(ConfigError, match="attachment"):
        signed(pairs, attachments)


def test_attachments_cannot_be_encrypted(pairs: Pairs) -> None:
    certificate = pairs["server"].certificate
    for make in (
        lambda: Encryption(certificate, ["Attachments"]),
        lambda: SymmetricBinding(certificate, encrypt=["Attachments"]),
        lambda: Verify(decrypt=pairs["server"], encrypted=["Attachments"]),
    ):
        with pytest.raises(ConfigError, match="Attachments cannot be encrypted"):
            make()


@pytest.mark.parametrize("symmetric", [False, True])
def test_call_signs_attachments_in_both_directions(
    weather: ModuleType, pairs: Pairs, symmetric: bool
) -> None:
    clock: Any = {"now": lambda: NOW}
    rules: Any = {"signed": PARTS}
    if symmetric:
        binding = SymmetricBinding(pairs["server"].certificate, parts=PARTS)
        client = Security([Timestamp(), binding], Verify(symmetric="response", **rules), **clock)
        answer: Any = SymmetricBinding(parts=PARTS)
        asked = Verify(symmetric="request", decrypt=pairs["server"], **rules)
    else:
        blocks = [Timestamp(), Signature(pairs["client"], parts=PARTS)]
        client = Security(blocks, Verify(trust=pairs["server"].certificate, **rules), **clock)
        answer = Signature(pairs["server"], parts=PARTS)
        asked = Verify(trust=pairs["client"].certificate, **rules)
    service = Security([Timestamp(), answer], asked, **clock)
    with mock(weather.WeatherOfFeaturesService, wsse=service) as mocked:
        mocked.on("GetWeather").reply(station=["Rome"], attachments=[NOTE])
        with connect(weather.WeatherOfFeaturesService, address=mocked.address(), wsse=client) as opened:
            assert opened.get_weather(city="Rome").station == ["Rome"]
            mocked.on("GetWeather").reply(station=["Rome"], attachments=[])
            with opened.soap.attachments(SCAN):
                assert opened.get_weather(city="Rome").station == ["Rome"]
            mocked.on("GetWeather").reply(station=["Rome"], attachments=[NOTE])
            with opened.soap.attachments(SCAN, OTHER) as attachments:
                assert opened.get_weather(city="Rome").station == ["Rome"]
            assert [part.content for part in attachments.received] == [NOTE.content]
            assert [part.content for part in mocked.calls()[-1].attachments] == [SCAN.content, OTHER.content]
        plain = Security([Timestamp(), *([] if symmetric else [Signature(pairs["client"])])], **clock)
        with (
            connect(weather.WeatherOfFeaturesService, address=mocked.address(), wsse=plain) as opened,
            opened.soap.attachments(SCAN),
            pytest.raises(AmbiguousOutcome, match=f"{'Body' if symmetric else 'Attachments'} is not signed"),
        ):
            opened.get_weather(city="Rome")
