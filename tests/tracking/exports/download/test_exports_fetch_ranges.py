from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path

import pytest

from soapclient._support.part_file import PartMark
from soapclient.tracking.exports.download.fetch import ResumeRange, strong_etag

SINCE = ResumeRange(100, '"v1"')


def test_range_request_headers() -> None:
    assert SINCE.headers() == {"Range": "bytes=100-", "If-Range": '"v1"'}


@pytest.mark.parametrize("content_range", ["bytes 100-199/200", "bytes 100-199/*", "bytes 100-100/101"])
def test_rest_of_the_same_file_is_accepted(content_range: str) -> None:
    assert SINCE.begun_by(206, {"ETag": '"v1"', "Content-Range": content_range})


@pytest.mark.parametrize(
    ("status", "etag", "content_range"),
    [
        (200, '"v1"', "bytes 100-199/200"),
        (416, '"v1"', "bytes */100"),
        (206, '"v2"', "bytes 100-199/200"),
        (206, 'W/"v1"', "bytes 100-199/200"),
        (206, "v1", "bytes 100-199/200"),
        (206, None, "bytes 100-199/200"),
        (206, '"v1"', None),
        (206, '"v1"', "bytes 99-199/200"),
        (206, '"v1"', "bytes 101-199/200"),
        (206, '"v1"', "bytes 0-199/200"),
        (206, '"v1"', "bytes 100-150/200"),  # less than requested
        (206, '"v1"', "bytes 100-99/100"),
        (206, '"v1"', "bytes 100-200/200"),
        (206, '"v1"', "bytes=100-199/200"),
        (206, '"v1"', "bytes 100-199"),
        (206, '"v1"', "bytes -100-199/200"),
        (206, '"v1"', "items 100-199/200"),
    ],
)
def test_other_responses_are_not_resumed(status: int, etag: str | None, content_range: str | None) -> None:
    headers = {"ETag": etag, "Content-Range": content_range}
    assert not SINCE.begun_by(status, {name: text for name, text in headers.items() if text is not None})


@pytest.mark.parametrize(
    "text", ["", '""', 'W/"a"', "a", '"a', '"a"b"', '"a b"', '"ä"', '"a\r\nX: y"', '"' * 300]
)
def test_weak_or_invalid_etags_are_not_strong(text: str) -> None:
    assert strong_etag({"ETag": text}) is None
    assert strong_etag({}) is None


def test_mark_roundtrips(tmp_path: Path) -> None:
    file = tmp_path / "x.part.json"
    for job_id in ("job-1", 17):
        mark = PartMark(job_id, '"v1"', "https://data.example.org", "a1b2c3")
        for each in (mark, replace(mark, sha256="ab" * 32), replace(mark, etag=None, sha256="ab" * 32)):
            each.write(file)
            found = PartMark.read(file)
            assert found is not None
            assert asdict(found) == asdict(each)
    assert [path.name for path in tmp_path.iterdir()] == ["x.part.json"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        "[" * 60_000,
        "\ufeff{}",
        '{"format": 3, "job_id": "1", "etag": "\\"a\\"", "service": "s", "account": "a"}',
        '{"format": 2, "job_id": true, "etag": "\\"a\\"", "service": "s", "account": "a"}',
        '{"format": 2, "job_id": "1", "etag": "a", "service": "s", "account": "a"}',
        '{"format": 2, "job_id": "1", "etag": "\\"a\\r\\nX: y\\"", "service": "s", "account": "a"}',
        '{"format": 2, "job_id": "1", "etag": null, "service": "s", "account": "a"}',
        '{"format": 1, "job_id": "1", "etag": "\\"a\\"", "url": ""}',
        '{"format": 2, "job_id": "1", "etag": "\\"a\\""}',
        '{"format": 2, "job_id": "1", "etag": "\\"a\\"", "service": "s"}',
        '{"format": 2, "job_id": "1", "etag": "\\"a\\"", "service": 1, "account": "a"}',
        '{"format": 2, "job_id": "1", "etag": "\\"a\\"", "service": "s", "account": null}',
        '{"format": 2, "job_id": "1\\ud800", "etag": "\\"a\\"", "service": "s", "account": "a"}',
        '{"format": 2, "job_id": "1", "etag": "\\"a\\"", "service": "s", "account": "a", "sha256": 1}',
        '{"format": 2, "job_id": "1", "etag": 1, "service": "s", "account": "a", "sha256": "ab"}',
    ],
)
def test_damaged_mark_is_ignored(tmp_path: Path, text: str) -> None:
    file = tmp_path / "x.part.json"
    assert PartMark.read(file) is None
    file.write_text(text, encoding="utf-8")
    assert PartMark.read(file) is None
    assert PartMark.read(tmp_path) is None
