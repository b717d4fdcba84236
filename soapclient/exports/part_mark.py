"""What the bytes of a part file belong to, in a small file beside it: `name.part.json`."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

from soapclient.exports.durable import read_json, read_regular, write_text
from soapclient.exports.handle import JobId
from soapclient.exports.ranges import is_strong

FORMAT: Final = 2
_MOST: Final = 1 << 16  # bytes of such a file that are looked at


@dataclass(frozen=True, slots=True)
class PartMark:
    """Whose bytes they are: of which job of which account at which service, of which state of its file.

    `etag` is a strong one, None where none vouches for them, which only a whole file may do without.
    `service` is the configured address, `account` stands for the account. The file's own address is left out:
    a ticket in its path would lie on the disk. `sha256` is that of the whole, verified file, once it is
    about to get its name: a file of that content under that name is the job's delivery.
    """

    job_id: JobId
    etag: str | None
    service: str
    account: str
    sha256: str | None = field(default=None, compare=False)

    def write(self, path: Path) -> None:
        """Raises OSError."""
        values = {"format": FORMAT, **asdict(self)}
        if self.sha256 is None:
            del values["sha256"]
        write_text(path, json.dumps(values) + "\n")

    @classmethod
    def read(cls, path: Path) -> PartMark | None:
        """Return what `write` wrote; None where nothing, or anything else, is there."""
        try:
            data = read_json(read_regular(path, _MOST))
        except (OSError, ValueError, RecursionError):
            return None
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            return None
        job_id, etag, service, account = (data.get(name) for name in ("job_id", "etag", "service", "account"))
        sha256 = data.get("sha256")
        if isinstance(job_id, bool) or not isinstance(job_id, str | int):
            return None
        if not (isinstance(etag, str) and is_strong(etag)) and not (etag is None and sha256 is not None):
            return None
        if not isinstance(service, str) or not isinstance(account, str):
            return None
        if not isinstance(sha256, str | None):
            return None
        return cls(job_id, etag, service, account, sha256)


def mark_beside(target: Path) -> Path:
    """Return where the mark of a file lies, until it is acknowledged that the file is there."""
    return target.with_name(target.name + ".part.json")
