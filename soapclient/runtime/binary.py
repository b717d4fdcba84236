"""Values of xsd:base64Binary in requests: bytes, files and streams.

By default, a value becomes Base64 text in the message. A `Sink` can instead collect large values that are
sent outside the XML, as MIME parts (MTOM).
"""

from __future__ import annotations

import base64
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import IO, TYPE_CHECKING, Annotated, Any, Final, Protocol, TypeAlias, cast, runtime_checkable

from lxml import etree

from soapclient.runtime.errors import INVALID, EncodeError
from soapclient.runtime.schema import Facets

if TYPE_CHECKING:
    from soapclient.runtime.elements import Element
    from soapclient.runtime.fields import Field, Write

INCLUDE: Final = "{http://www.w3.org/2004/08/xop/include}Include"
BASE64: Final = "base64_binary"  # the name of xsd:base64Binary in `schema.json`
CHUNK: Final = 1 << 16  # bytes to read from a file in one call
ALLOWED: Final = "bytes, a pathlib.Path, or an open binary file"
_IN_MEMORY: Final = 1 << 20  # bytes of a stream that are kept in memory; a longer one is copied to a file


@runtime_checkable
class BinaryFile(Protocol):
    """A file or stream that is open for reading bytes, such as `open(path, "rb")`."""

    def read(self, size: int, /) -> bytes:
        """Return at most `size` bytes. Return b"" at the end of the file."""
        ...


class _ForPydantic:
    """Type annotation with which pydantic accepts paths and open files.

    In JSON, pydantic accepts Base64 text instead.
    """

    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: object) -> object:
        from soapclient.runtime.plain_values import file_schema

        return file_schema((os.PathLike, BinaryFile))


FileOrStream: TypeAlias = Annotated[os.PathLike[str] | BinaryFile, _ForPydantic]
"""A value of xsd:base64Binary in a request that is not bytes: a path, or an open binary file or stream."""


class Source:
    """The content of a binary value. It can be read several times.

    A file is read again each time, from its path or from the position it had at first. A stream that cannot
    be rewound is copied to a temporary file once, which `close` deletes. `size` is the number of bytes.
    """

    def __init__(self, value: object, *, check: Callable[[], None] | None = None) -> None:
        """Determine the size of a value. `check` is called after each piece of a stream that is copied.

        Raises TypeError if the value is not binary, and ValueError if it cannot be read.
        """
        self._bytes: bytes | None = None
        self._path: str | None = None
        self._file: IO[bytes] | None = None
        self._start = 0
        self._copied = False
        if isinstance(value, bytes):
            self._bytes, self.size = value, len(value)
        elif isinstance(value, os.PathLike):
            with _explained():
                self._path = os.fsdecode(value)
                status = os.stat(self._path)
            if not stat.S_ISREG(status.st_mode):
                raise ValueError("the path is not a regular file; open it, and pass the open file")
            self.size = status.st_size
        elif isinstance(value, BinaryFile) and callable(value.read):
            self._open(value, check or (lambda: None))
        else:
            raise TypeError

    def _open(self, file: BinaryFile, check: Callable[[], None]) -> None:
        if _is_seekable(file):
            with _explained():
                self._file = cast("IO[bytes]", file)
                self._start = self._file.tell()
                _bytes_of(file, 0)  # not text? Some files return more than 0 bytes
                self.size = max(self._file.seek(0, os.SEEK_END) - self._start, 0)
                self._file.seek(self._start)
            return
        import tempfile  # late: most requests have no stream

        copy = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 - closed by `close`
        try:
            while chunk := _bytes_of(file, CHUNK):
                with _explained():
                    copy.write(chunk)
                check()
        except BaseException:
            copy.close()
            raise
        self.size = copy.tell()
        self._file, self._copied = cast("IO[bytes]", copy), True

    def check(self) -> None:
        """Raise ValueError if the content can no longer be read, or if its size has changed."""
        with _explained():
            if self._path is not None:
                size = os.stat(self._path).st_size
            elif self._file is not None:
                size = self._file.seek(0, os.SEEK_END) - self._start
            else:
                return
        if size != self.size:
            raise ValueError(f"the file had {self.size} bytes when the call began, and now has {size}")

    def chunks(self) -> Iterator[bytes]:
        """Yield the content in pieces of at most 64 KiB. Raises OSError if it cannot be read completely."""
        if self._bytes is not None:
            view = memoryview(self._bytes)
            for at in range(0, self.size, CHUNK):
                yield bytes(view[at : at + CHUNK])
        elif self._path is not None:
            with open(self._path, "rb") as file:
                yield from self._read(file)
        elif self._file is not None:
            yield from self._read(self._file)

    def _read(self, file: IO[bytes]) -> Iterator[bytes]:
        left = self.size
        while left:
            try:
                if left == self.size and file is self._file:
                    file.seek(self._start)
                chunk = _bytes_of(file, min(left, CHUNK))
            except (TypeError, ValueError) as error:  # for example, the file is closed
                raise OSError(0, str(error)) from None
            if not chunk:
                raise OSError(0, f"the file is {left} bytes shorter than it was when the call began")
            chunk = chunk[:left]  # some files return more than was asked for
            left -= len(chunk)
            yield chunk

    def read_all(self) -> bytes:
        """Return the complete content. Raises OSError if it cannot be read completely."""
        return b"".join(self.chunks()) if self._bytes is None else self._bytes

    def close(self) -> None:
        """Delete the temporary copy of a stream. Files of the caller stay open."""
        if self._copied and self._file is not None:
            self._file.close()


class Sink(Protocol):
    """Collects the large binary values of a request while the request is encoded."""

    def source(self, value: object) -> Source:
        """Return the source of a value. Raises TypeError or ValueError, as `Source` does."""
        ...

    def put(self, source: Source, content_types: str, path: str) -> str | None:
        """Store a value to send it outside the XML, and return the reference to it.

        Return None, without storing the value, if it must be sent as Base64 text.

        `content_types` are the media types that the contract expects; "" if it does not specify any. `path`
        is the path of the value, for errors.
        """
        ...


sink: Final[ContextVar[Sink | None]] = ContextVar("binary_sink", default=None)


def fill_binary(field: Field, fill_text: Write) -> Write:
    """Return the function that sets the content of an element to a binary value.

    If the context variable `sink` has a `Sink` that stores the value, the content is an `xop:Include`
    element. Otherwise `fill_text` writes Base64 text. A type with facets is always written as text, because
    its values must be checked.
    """
    facets, content_types = field.row.facets or Facets(), field.row.content_types
    restricted = facets.enumeration or facets.patterns or facets.length or facets.min_length
    most = int(facets.max_length) if facets.max_length.isdecimal() else None

    # Any: values of any type reach the writers, which refuse the wrong ones.
    def fill(value: Any, node: Element, path: str) -> None:
        current = sink.get()
        if current is None or restricted:
            fill_text(value, node, path)
            return
        try:
            source = current.source(value)
            if most is not None and source.size > most:
                raise ValueError(f"the content has {source.size} bytes, but at most {most} are allowed")
            reference = current.put(source, content_types, path)
            if reference is None:
                with _explained():
                    content = source.read_all()
                node.text = base64.b64encode(content).decode()
            else:
                append_include(node, reference)
        except (TypeError, ValueError) as error:
            raise EncodeError(path, value, ALLOWED, str(error) or INVALID) from None

    return fill


def append_include(node: Element, reference: str) -> None:
    """Append an `xop:Include` element to `node`.

    `reference` is the URL (`cid:…`) of the MIME part with the content of `node`.
    """
    etree.SubElement(node, INCLUDE, nsmap={"xop": INCLUDE[1:].partition("}")[0]}, href=reference)


def read_all(value: object) -> bytes:
    """Return the complete content of a binary value.

    Raises TypeError if the value is not binary, and ValueError or OSError if it cannot be read.
    """
    source = Source(value)
    try:
        with _explained():
            return source.read_all()
    finally:
        source.close()


@contextmanager
def _explained() -> Iterator[None]:
    """Context manager that converts errors while reading a file to a ValueError with the reason."""
    try:
        yield
    except (TypeError, ValueError):
        raise
    except Exception as error:
        reason = getattr(error, "strerror", None) or f"{type(error).__name__}: {error}"
        raise ValueError(f"the file cannot be read: {reason}") from None


def _bytes_of(file: BinaryFile, size: int) -> bytes:
    """Read at most `size` bytes. Raises TypeError if the file returns text, ValueError if reading fails."""
    with _explained():
        chunk = file.read(size)
    if not isinstance(chunk, bytes):
        kind = "text" if isinstance(chunk, str) else f"{type(chunk).__name__}, not bytes"
        raise TypeError(f'the file returns {kind}; open it in binary mode ("rb")')
    return chunk


def _is_seekable(file: object) -> bool:
    seekable = getattr(file, "seekable", None)
    with suppress(Exception):  # of a closed file, for example: reading it gives the reason
        return bool(callable(seekable) and seekable())
    return False
