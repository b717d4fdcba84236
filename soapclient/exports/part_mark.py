"""What the bytes of a part file belong to, in a small file beside it: `name.part.json`."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from soapclient.exports.durable import write_text
from soapclient.exports.handle import JobId
from soapclient.exports.ranges import is_strong

FORMAT: Final = 2
_MOST: Final = 1 << 16  # bytes of such a file that are looked at


@dataclass(frozen=True, slots=True)
class PartMark:
    """Whose bytes they are: of which job of which account at which service, of which state of its file.

    `etag` is a strong one. `service` is the configured address, `account` stands for the account. The file's
    own address is left out: a ticket in its path would lie on the disk.
    """

    job_id: JobId
    etag: str
    service: str
    account: str

    def write(self, path: Path) -> None:
        """Raises OSError."""
        write_text(path, json.dumps({"format": FORMAT, **asdict(self)}) + "\n")

    @classmethod
    def read(cls, path: Path) -> PartMark | None:
        """Return what `write` wrote; None where nothing, or anything else, is there."""
        try:
            with path.open("rb") as file:
                data: object = json.loads(file.read(_MOST))
        except (OSError, ValueError, RecursionError):
            return None
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            return None
        job_id, etag, service, account = (data.get(name) for name in ("job_id", "etag", "service", "account"))
        if isinstance(job_id, bool) or not isinstance(job_id, str | int):
            return None
        if not isinstance(etag, str) or not is_strong(etag):
            return None
        if not isinstance(service, str) or not isinstance(account, str):
            return None
        return cls(job_id, etag, service, account)
