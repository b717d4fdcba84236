"""Metadata hook of hatchling: README.md as the long description of the package.

On a package index, links to other files of the repository do not work. If the environment variable
PROJECT_REPOSITORY has the address of the repository (as on GitHub: `…/blob/TAG/FILE`, `…/raw/TAG/FILE`),
links and pictures point there, to the tag of the version. Otherwise links become their text, and pictures
are left out.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_VARIABLE = "PROJECT_REPOSITORY"
_VERSION = re.compile(r'^__version__ = "([^"]+)"$', re.MULTILINE)
_COMMENT = re.compile(r"^<!-- .*? -->\n+", re.MULTILINE)
# A fenced block, which stays as it is, or an optional `!`, the text, and a target that is not an address.
_LINK = re.compile(r"^```.*?^```$|(!?)\[([^\]\n]*)\]\((?!\w+:)([^)\n]*)\)", re.DOTALL | re.MULTILINE)


def long_description(readme: str, version: str, repository: str = "") -> str:
    """Return README.md for a package index. `repository` is the address of the repository, or ""."""
    base = repository.rstrip("/")

    def link(match: re.Match[str]) -> str:
        """Return the replacement of a link or a picture."""
        picture, text, target = match.groups()
        if text is None or target.startswith("#"):
            return match[0]
        if base:
            return f"{picture}[{text}]({base}/{'raw' if picture else 'blob'}/v{version}/{target})"
        return "" if picture else text

    return re.sub(r"\n{3,}", "\n\n", _LINK.sub(link, _COMMENT.sub("", readme)))


class LongDescriptionHook(MetadataHookInterface):  # type: ignore[misc] # to mypy, hatchling's classes are Any
    """Sets the fields `readme` and `urls`."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the fields to `metadata`, the table `project`."""
        root, repository = Path(self.root), os.environ.get(_VARIABLE, "")
        version = _VERSION.search((root / "soapclient/__init__.py").read_text(encoding="utf-8"))
        if version is None:
            raise ValueError("soapclient/__init__.py must have a line `__version__ = …`")
        text = long_description((root / "README.md").read_text(encoding="utf-8"), version[1], repository)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
        metadata["urls"] = {"Repository": repository} if repository else {}
