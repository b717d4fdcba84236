"""Documents as they were at a revision, by `git` itself, without a shell and without a checkout."""

from __future__ import annotations

import posixpath
import re
import subprocess
from contextlib import suppress
from pathlib import Path

from bindgen.fetching import addresses, canonical, imports

_SECONDS = 60
_REVISION = re.compile(r"[^\s\-:][^\s:]*")
_MOST_DOCUMENTS = 200


class GitError(Exception):
    """A revision or a file of it that could not be had; the message says why."""


def is_revision(text: str) -> bool:
    """Whether a text could name a revision: git reads what begins with a hyphen as an option."""
    return _REVISION.fullmatch(text) is not None and "\0" not in text


def commit(revision: str, here: Path) -> str:
    """The commit a revision names. Raises GitError."""
    if not is_revision(revision):
        raise GitError(f"{revision!r} is no name of a revision")
    return (
        _run(here, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        .strip()
        .decode()
    )


def top(here: Path) -> Path:
    """The folder of the whole work tree. Raises GitError outside of one."""
    return Path(_run(here, "rev-parse", "--show-toplevel").decode().removesuffix("\n"))


def show(revision: str, path: str, here: Path) -> bytes:
    """A file of a revision; `path` is from the top of the repository, with slashes. Raises GitError."""
    if path.startswith(("/", "../")) or path == "..":
        raise GitError(f"{path} lies outside of the repository")
    # cat-file takes the object as it is: show would run filters and drivers of the repository's own.
    return _run(here, "cat-file", "blob", f"{commit(revision, here)}:{path}")


def put_down(revision: str, path: str, here: Path, folder: Path) -> Path:
    """Write a WSDL of a revision, and what it names by relative locations, below `folder`; give its file.

    What the revision lacks is left out: whoever reads the documents finds it missing. Raises GitError.
    """
    found = commit(revision, here)
    root = posixpath.normpath(path)
    waiting, seen = [root], {root}
    while waiting:
        at = waiting.pop()
        try:
            content = show(found, at, here)
        except GitError:
            if at == root:
                raise GitError(f"{revision}:{path}: there is no such file at that revision") from None
            continue
        file = folder / at
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        for other in _named(content, at):
            if other not in seen and len(seen) < _MOST_DOCUMENTS:
                seen.add(other)
                waiting.append(other)
    return folder / root


def _named(content: bytes, at: str) -> list[str]:
    """The paths, from the top of the repository, of the documents that one names by relative locations."""
    try:
        references = list(imports.references(canonical.parse(content)))
    except canonical.DocumentError:
        return []  # the reader says so, with its place
    found = []
    for location in (each.location for each in references if each.location and "\\" not in each.location):
        path = posixpath.normpath(posixpath.join(posixpath.dirname(at), location.partition("#")[0]))
        with suppress(addresses.AddressError):
            if addresses.is_relative(location) and not path.startswith(("/", "..")) and path != ".":
                found.append(path)
    return found


def _run(here: Path, *arguments: str) -> bytes:
    try:
        done = subprocess.run(
            ["git", "-C", str(here), *arguments],
            capture_output=True,
            timeout=_SECONDS,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except FileNotFoundError:
        raise GitError("git is not installed") from None
    except (OSError, subprocess.TimeoutExpired, ValueError) as error:
        raise GitError(f"git could not be run ({type(error).__name__})") from error
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise GitError(said[0] if said else f"git {arguments[0]} knows nothing of {arguments[-1]!r}")
    return done.stdout
