"""Binary values of requests: their content, and pydantic."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from soapclient.runtime.binary import FileOrStream, Source
from soapclient.runtime.record import Record
from soapclient.transport.streamed_body import StreamedBody


class Upload(Record):
    content: bytes | FileOrStream | None = None


def test_pydantic_accepts_files_in_python_and_base64_in_json(tmp_path: Path) -> None:
    pydantic: Any = pytest.importorskip("pydantic")
    adapter = pydantic.TypeAdapter(Upload)
    file = io.BytesIO(b"x")
    for value in (b"x", tmp_path, file):
        assert adapter.validate_python({"content": value}).content is value
    assert adapter.validate_json('{"content": "/wA="}').content == b"\xff\x00"
    with pytest.raises(pydantic.ValidationError):
        adapter.validate_python({"content": 3})


class Broken(io.BytesIO):
    """A file that fails while it is read."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size:
            raise RuntimeError("broken")
        return b""


def _truncated(path: Path) -> Path:
    path.write_bytes(b"x" * 10)
    return path


@pytest.mark.parametrize(
    ("value", "after", "said"),
    [
        (_truncated, lambda path: path.write_bytes(b"x"), "is 9 bytes shorter than it was"),
        (_truncated, os.remove, "No such file"),
        (lambda path: Broken(b"x"), lambda path: None, "RuntimeError: broken"),
    ],
)
def test_content_that_cannot_be_read_is_an_os_error(
    tmp_path: Path, value: Callable[[Path], object], after: Callable[[Path], object], said: str
) -> None:
    """The transport converts it to ConnectionFailed, because a part of the request may have been sent."""
    source = Source(value(tmp_path / "file"))
    after(tmp_path / "file")
    with pytest.raises(OSError, match=said):
        source.read_all()


def test_closed_file_is_noticed_before_it_is_sent() -> None:
    file = io.BytesIO(b"content")
    source = Source(file)
    source.check()
    file.close()
    with pytest.raises(ValueError, match="closed file"):
        source.check()


class Complete(io.BytesIO):
    """A file that ignores the size of `read`, even if it is 0."""

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read()


class Unsure(io.BytesIO):
    """A stream that does not know if it can be rewound."""

    def seekable(self) -> bool:
        raise RuntimeError


@pytest.mark.parametrize("kind", [Complete, Unsure])
def test_unusual_file_is_read_completely(kind: type[io.BytesIO]) -> None:
    source = Source(kind(b"content"))
    assert (source.size, source.read_all(), source.read_all()) == (7, b"content", b"content")
    source.close()


def test_file_that_grows_is_read_to_its_first_size() -> None:
    file = Complete(b"content")
    source = Source(file)
    file.seek(0, os.SEEK_END)
    file.write(b" and more")
    assert source.read_all() == b"content"


@pytest.mark.parametrize("size", [1, 5, 100_000, -1, None])
def test_streamed_body_is_read_like_a_file(tmp_path: Path, size: int | None) -> None:
    content = os.urandom(200_000)
    (tmp_path / "file").write_bytes(content)
    checked: list[int] = []
    body = StreamedBody([b"a", Source(tmp_path / "file"), b"", b"z"], lambda: checked.append(1))
    expected = b"a" + content + b"z"
    assert (len(body), bytes(body)) == (len(expected), expected)
    first = body.read(size)
    if size is None or size < 0:
        assert first == expected
    assert 0 < len(first) <= (size if size and size > 0 else len(expected))
    assert body.tell() == len(first)
    assert first + b"".join(body) == expected
    assert body.read(size) == b""
    with pytest.raises(OSError, match="from its start"):
        body.seek(7)
    body.seek(0)  # as HTTP Digest does
    assert b"".join(body) == expected
    assert checked
    body.close()
