"""The format of a recorded response is detected by its content, not by its file name."""

from __future__ import annotations

import pytest

from soapclient.cli.decoding import UnreadableDocument, kind_of, xml_tree

ENVELOPE = '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body/></s:Envelope>'
ENVELOPE_12 = ENVELOPE.replace("schemas.xmlsoap.org/soap/envelope/", "www.w3.org/2003/05/soap-envelope")
OTHER = '<Envelope xmlns="urn:x"/>'
DECLARED = '<?xml version="1.0"?>'


@pytest.mark.parametrize(
    ("text", "kind"), [(ENVELOPE, "soap"), (ENVELOPE_12, "soap"), (OTHER, "xml"), ("<a/>", "xml")]
)
@pytest.mark.parametrize(
    "before", ["", " \r\n\t", DECLARED, f"\n{DECLARED}\n", "<!-- {c} -->", "<?p i?>", "\ufeff"]
)
def test_xml_is_recognised_in_every_encoding(text: str, kind: str, before: str) -> None:
    assert kind_of((before + text).encode()) == kind
    assert xml_tree((before + text).encode()).tag == xml_tree(text.encode()).tag


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_recognised(encoding: str) -> None:
    declared = f'<?xml version="1.0" encoding="{encoding}"?>{ENVELOPE}'
    assert kind_of(declared.encode(encoding)) == "soap"
    assert xml_tree(declared.encode(encoding)).tag == xml_tree(ENVELOPE.encode()).tag


@pytest.mark.parametrize("text", ["{}", " \n[", '\ufeff{"a": 1}', '{"a": "<b/>"', '""'])
def test_json_is_recognised(text: str) -> None:
    assert kind_of(text.encode()) == "json"


@pytest.mark.parametrize("text", [f"{ENVELOPE}<", ENVELOPE.removesuffix("</s:Envelope>"), ENVELOPE[:70]])
def test_truncated_document_is_still_recognised(text: str) -> None:
    assert kind_of(text.encode()) == "soap"
    with pytest.raises(UnreadableDocument, match=r"not well-formed XML: .*line 1, column"):
        xml_tree(text.encode())


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "the document is empty"),
        (b" \xef\xbb\xbf", "neither XML nor JSON"),
        (b"HTTP/1.1 200 OK", "neither XML nor JSON"),
        (b"\x1f\x8b\x08", "neither XML nor JSON"),
        (b"5", "neither XML nor JSON"),
        ("{}".encode("utf-16"), "not well-formed"),
        (b"<", "not well-formed|no whole"),
        (b"<!-- c -->", "not well-formed|no whole"),
        (b"<<a/>", "not well-formed"),
        (
            b"<!DOCTYPE html><html/>",
            r"a page of HTML \(a response of a login page, a proxy or another server",
        ),
        (b"<!DOCTYPE a><a/>", "document type"),
        (b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "document type"),
    ],
)
def test_other_content_is_refused(data: bytes, said: str) -> None:
    with pytest.raises(UnreadableDocument, match=said):
        kind_of(data)


def test_long_document_is_not_read_completely() -> None:
    data = DECLARED.encode() + b"<!-- " + b"x" * 200_000 + b" -->" + b"<a>" + b"<b>" * 10_000_000
    assert kind_of(data) == "xml"
