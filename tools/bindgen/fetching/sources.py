"""Documents on disk: a folder that stands for the address of a contract."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit

from bindgen.fetching import addresses
from bindgen.fetching.download import Limits
from bindgen.fetching.errors import FetchError, OutsideFolder

_GET_IT = "put the document there, or fetch the contract with --url"


def locate(folder: Path, base: Path, base_url: str, location: str) -> Path | None:
    """The file a location inside the document `base` stands for, or None where it has to be fetched.

    A relative location is looked up from the place of `base` and must stay below `folder`, symbolic links
    included. Raises FetchError for one that does not, or that no file can stand for.
    """
    if not addresses.is_relative(location):
        return None
    written = urlsplit(location)
    if written.query:
        raise FetchError(
            base_url, f"names {location!r}, which no file can stand for", "fetch the contract with --url"
        )
    if not written.path:
        return base
    relative = unquote(written.path)
    try:
        file = (base.parent / relative).resolve()
    except (OSError, ValueError) as error:
        raise FetchError(base_url, f"names {location!r}, which is no path", _GET_IT) from error
    if "\\" in relative or not file.is_relative_to(folder.resolve()):
        raise OutsideFolder(
            base_url,
            f"names {location!r}, which lies outside of {folder}",
            "give --include-root DIR, a folder that holds all that is named by relative locations, "
            "if it may be read",
        )
    return file


def fenced(file: Path, fence: Path) -> Path:
    """The folder a file is named in. Raises FetchError where that is not below `fence`.

    A link leads to the file, not to another folder for its relatives.
    """
    if not is_within(file, fence):
        raise FetchError(
            str(file), f"lies outside of {fence}", "give --include-root DIR, a folder that holds it"
        )
    return file.absolute().parent.resolve()


def is_within(file: Path, fence: Path) -> bool:
    """Whether the folder a file is named in is `fence`, or below it."""
    return file.absolute().parent.resolve().is_relative_to(fence.resolve())


def read(file: Path, limits: Limits) -> bytes:
    """The bytes of a file on disk. Raises FetchError when it is missing, no plain file, or too large."""
    try:
        if file.exists() and not file.is_file():  # a pipe would wait for ever
            raise FetchError(str(file), "is not a plain file", _GET_IT)
        with file.open("rb") as stream:
            content = stream.read(limits.document_bytes + 1)
    except OSError as error:
        raise FetchError(str(file), f"cannot be read ({error.strerror})", _GET_IT) from error
    if len(content) > limits.document_bytes:
        raise FetchError(str(file), f"larger than {limits.document_bytes} bytes", "give a smaller document")
    return content
