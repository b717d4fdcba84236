"""The compiled reader reads jobs, whose id can be at several places, as the Python reader does."""

from __future__ import annotations

import pytest
from lxml import etree

from soapclient.runtime import CountingReader
from soapclient.runtime.compiled import response_reader
from soapclient.runtime.errors import DecodeError
from zxws.data.service import PACKAGE

pytest.importorskip("_soapclient_xmlread", reason="the compiled reader is not installed")

SPACE = "http://data.zanox.com/namespace/2011-05-01/"
USUAL = "<status>done</status><rows>5</rows>"


def response(item: str) -> bytes:
    return f'<GetJobResponse xmlns="{SPACE}">{item}</GetJobResponse>'.encode()


def fast(item: str) -> object:
    reader = response_reader(PACKAGE.operations["GetJob"])
    assert reader is not None
    soap = b"http://schemas.xmlsoap.org/soap/envelope/"
    return reader.read(b'<s:Envelope xmlns:s="%s"><s:Body>%s</s:Body></s:Envelope>' % (soap, response(item)))


def slow(item: str) -> object:
    return PACKAGE.operations["GetJob"].read_response(etree.fromstring(response(item)), CountingReader())


@pytest.fixture(autouse=True)
def in_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("soapclient.runtime.compiled.in_use", lambda: True)


@pytest.mark.parametrize("item", [f'<jobItem id="7">{USUAL}</jobItem>', ""])
def test_job_at_its_usual_place_is_read(item: str) -> None:
    assert fast(item) == slow(item) is not None


@pytest.mark.parametrize(
    "item",
    [
        f'<jobItem jobId="7">{USUAL}</jobItem>',
        f"<jobItem><id>7</id>{USUAL}</jobItem>",
        f"<jobItem><jobId>7</jobId>{USUAL}</jobItem>",
        f'<jobItem id="7"><id>7</id>{USUAL}</jobItem>',
        f'<jobItem id="7" jobId="7">{USUAL}</jobItem>',
    ],
)
def test_job_id_at_another_place_is_left_to_python(item: str) -> None:
    assert fast(item) is None
    assert slow(item) == slow(f'<jobItem id="7">{USUAL}</jobItem>')


def test_missing_and_contradictory_ids_are_left_to_python() -> None:
    assert fast(f"<jobItem>{USUAL}</jobItem>") is None
    contradictory = f'<jobItem id="7"><jobId>8</jobId>{USUAL}</jobItem>'
    assert fast(contradictory) is None
    with pytest.raises(DecodeError, match="another part of the response"):
        slow(contradictory)
