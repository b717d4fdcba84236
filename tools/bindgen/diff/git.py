"""Documents at a git revision. Runs `git` without a shell and without a checkout."""

from __future__ import annotations

import posixpath
import re
import subprocess
from contextlib import suppress
from pathlib import Path

from bindgen.fetching import addresses, canonical, imports

_TIMEOUT = 60
_REVISION = re.compile(r"[^\s\-:][^\s:]*")
_MAX_DOCUMENTS = 200


class GitError(Exception):
    """Raised if a revision or one of its files cannot be read. The message says why."""


def is_revision(text: str) -> bool:
    """Return True if a text can be a revision: it has no whitespace and no colon, and no hyphen in front.

    git would read a text with a leading hyphen as an option.
    """
    return _REVISION.fullmatch(text) is not None and "\0" not in text


def commit(revision: str, folder: Path) -> str:
    """Return the hash of the commit that a revision names. Raises GitError."""
    if not is_revision(revision):
        raise GitError(f"{revision!r} cannot be the name of a git revision")
    return (
        _run(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        .strip()
        .decode()
    )


def top(folder: Path) -> Path:
    """Return the top folder of the work tree that contains `folder`. Raises GitError if there is none."""
    return Path(_run(folder, "rev-parse", "--show-toplevel").decode().removesuffix("\n"))


def show(revision: str, path: str, folder: Path) -> bytes:
    """Return the content of a file at a revision.

    `path` is relative to the top of the repository, with slashes.

    Raises GitError.
    """
    if path.startswith(("/", "../")) or path == "..":
        raise GitError(f"{path} is outside of the repository")
    # cat-file returns the object unchanged. `git show` would run the filters and drivers that a repository
    # sets.
    return _run(folder, "cat-file", "blob", f"{commit(revision, folder)}:{path}")


def export(revision: str, path: str, repository: Path, folder: Path) -> Path:
    """Write the WSDL `path` of a revision, and the documents at its relative locations, into `folder`.

    Returns the path of the written WSDL. Documents that are missing in the revision are left out. They are
    reported later, when the WSDL is read. Raises GitError.
    """
    commit_id = commit(revision, repository)
    root = posixpath.normpath(path)
    waiting, seen = [root], {root}
    while waiting:
        current = waiting.pop()
        try:
            content = show(commit_id, current, repository)
        except GitError:
            if current == root:
                raise GitError(f"{revision}:{path}: the file does not exist at this revision") from None
            continue
        file = folder / current
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        for reference in _referenced_paths(content, current):
            if reference not in seen and len(seen) < _MAX_DOCUMENTS:
                seen.add(reference)
                waiting.append(reference)
    return folder / root


def _referenced_paths(content: bytes, document_path: str) -> list[str]:
    """Return the documents to which a document refers by relative locations, as paths in the repository."""
    try:
        references = list(imports.references(canonical.parse(content)))
    except canonical.DocumentError:
        return []  # the code that reads the WSDL reports it, with its place
    paths = []
    for location in (
        reference.location
        for reference in references
        if reference.location and "\\" not in reference.location
    ):
        path = posixpath.normpath(
            posixpath.join(posixpath.dirname(document_path), location.partition("#")[0])
        )
        with suppress(addresses.AddressError):
            if addresses.is_relative(location) and not path.startswith(("/", "..")) and path != ".":
                paths.append(path)
    return paths


def _run(folder: Path, *arguments: str) -> bytes:
    """Run git in a folder and return its output. Raises GitError."""
    try:
        process = subprocess.run(
            ["git", "-C", str(folder), *arguments],
            capture_output=True,
            timeout=_TIMEOUT,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except FileNotFoundError:
        raise GitError("git is not installed") from None
    except (OSError, subprocess.TimeoutExpired, ValueError) as error:
        raise GitError(f"cannot run git ({type(error).__name__})") from error
    if process.returncode:
        message = process.stderr.decode("utf-8", "replace").strip().splitlines()
        raise GitError(message[0] if message else f"git {arguments[0]}: {arguments[-1]!r} was not found")
    return process.stdout
