"""Find and read the documents of a contract that are files on disk instead of downloads."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit

from bindgen.fetching import addresses
from bindgen.fetching.download import Limits
from bindgen.fetching.errors import FetchError, OutsideFolder

_GET_IT = "put the document there, or fetch the contract with --url"


def locate(folder: Path, base: Path, base_url: str, location: str) -> Path | None:
    """Return the file for `location`, a reference in the file `base`; None if the location is not relative.

    Locations that are not relative must be downloaded. A relative location is resolved from the folder of
    `base`. Raises FetchError if it cannot be a file, or if the file is not below `folder`. For this check,
    symbolic links are resolved.
    """
    if not addresses.is_relative(location):
        return None
    written = urlsplit(location)
    if written.query:
        raise FetchError(
            base_url,
            f"refers to {location!r}, which has a query and cannot be a file",
            "fetch the contract with --url",
        )
    if not written.path:
        return base
    relative = unquote(written.path)
    try:
        file = (base.parent / relative).resolve()
    except (OSError, ValueError) as error:
        raise FetchError(base_url, f"refers to {location!r}, which is not a valid path", _GET_IT) from error
    if "\\" in relative or not file.is_relative_to(folder.resolve()):
        raise OutsideFolder(
            base_url,
            f"refers to {location!r}, which is outside of {folder}",
            "if the files at relative locations may be read, give --include-root DIR, a folder that contains "
            "them",
        )
    return file


def fenced(file: Path, fence: Path) -> Path:
    """Return the folder of a file. Raises FetchError unless this folder is `fence` or below it.

    If the file is a link, this is the folder of the link, because relative locations start there.
    """
    if not is_within(file, fence):
        raise FetchError(
            str(file),
            f"is outside of the folder {fence}",
            "give --include-root DIR, a folder that contains it",
        )
    return file.absolute().parent.resolve()


def is_within(file: Path, fence: Path) -> bool:
    """Return True if the folder of a file is `fence` or below it."""
    return file.absolute().parent.resolve().is_relative_to(fence.resolve())


def read(file: Path, limits: Limits) -> bytes:
    """Return the bytes of a file. Raises FetchError if it is missing, not a regular file, or too large."""
    try:
        if file.exists() and not file.is_file():  # reading a pipe would block
            raise FetchError(str(file), "is not a regular file", _GET_IT)
        with file.open("rb") as stream:
            content = stream.read(limits.document_bytes + 1)
    except OSError as error:
        raise FetchError(str(file), f"cannot be read ({error.strerror})", _GET_IT) from error
    if len(content) > limits.document_bytes:
        raise FetchError(
            str(file), f"is larger than {limits.document_bytes} bytes", "give a smaller document"
        )
    return content
