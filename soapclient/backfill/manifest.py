"""The manifest of a partition: what was asked for and what came. Where it lies, the partition is complete."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Final

from soapclient.backfill.partitions import Partition
from soapclient.errors import ReplyError
from soapclient.exports.columns import expected_columns
from soapclient.exports.durable import read_json
from soapclient.exports.handle import JobId
from soapclient.runtime.settings import Settings
from zxws.data.service import PACKAGE

NAME: Final = "_manifest.json"  # the underscore keeps Hive readers away from it
FORMAT: Final = 1
_TEXTS: Final = (
    "account", "account_id", "report", "report_type", "format", "request_sha256", "contract_sha256", "file",
    "sha256", "source_sha256",
)  # fmt: skip
_KINDS: Final[Mapping[str, tuple[type, ...]]] = {
    **dict.fromkeys(_TEXTS, (str,)), "rows": (int,), "size": (int,), "job_id": (str, int), "request": (dict,)
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What a partition holds. `size` (in bytes) and `sha256` are those of `file`, which lies beside it.

    `account_id` is a short hash of the connect ID behind the account's label (`ledger.account_of`);
    `source_sha256` is that of the gzip CSV it was made from, `contract_sha256` that of what the client knew
    of the report's contract. `first` and `last` are the days, both included.
    """

    account: str
    account_id: str
    report: str
    report_type: str
    first: dt.date
    last: dt.date
    format: str
    request: Mapping[str, JobId]
    request_sha256: str
    job_id: JobId
    contract_sha256: str
    file: str
    rows: int
    size: int
    sha256: str
    source_sha256: str

    def to_json(self) -> bytes:
        """Return the manifest as it is written: JSON, the same bytes for the same content."""
        values = {**asdict(self), "first": str(self.first), "last": str(self.last), "version": FORMAT}
        return (json.dumps(values, indent=1, sort_keys=True) + "\n").encode("ascii")

    @classmethod
    def from_json(cls, text: bytes, path: str) -> Manifest:
        """Read what `to_json` wrote. Raises ReplyError that says what is wrong with the one at `path`."""
        try:
            values = read_json(text)
        except (ValueError, RecursionError):
            raise ReplyError(path, text[:80], "the JSON of a manifest") from None
        if not isinstance(values, dict) or values.get("version") != FORMAT:
            raise ReplyError(path, text[:80], f"a manifest of version {FORMAT}")
        values.pop("version")
        try:
            for key in ("first", "last"):
                values[key] = dt.date.fromisoformat(values[key])
            manifest = cls(**values)
        except (KeyError, TypeError, ValueError) as error:
            raise ReplyError(path, str(error), "the keys of a manifest") from None
        amiss = [name for name, kind in _KINDS.items() if type(getattr(manifest, name)) not in kind]
        if amiss:
            raise ReplyError(f"{path}: {amiss[0]}", getattr(manifest, amiss[0]), "what a manifest has there")
        if "/" in manifest.file or "\0" in manifest.file or manifest.file in ("", ".", ".."):
            raise ReplyError(f"{path}: file", manifest.file, "the name of a file beside it")
        return manifest

    def stale(self, partition: Partition, account_id: str | None = None) -> str | None:
        """Return why the plan's partition is not this one any more; None if it is.

        Whether the label still stands for the same account is told by `account_id`, where it is known.
        """
        if account_id not in (None, self.account_id):
            return "its label stands for another account by now"
        if self.format != partition.format:
            return f"the plan's format is {partition.format}, it is {self.format}"
        if self.request_sha256 != partition.request_sha256:
            return "the plan asks for something else by now"
        # A gzip CSV lies there as it came: what is known of its columns makes no difference to it.
        if self.format != "csv.gz" and self.contract_sha256 != contract_sha256(partition):
            return "the contract has changed since"
        return None


def contract_sha256(partition: Partition, tables: Settings = PACKAGE.settings) -> str:
    """Hash what the client knows of a partition's contract: the WSDL, and the types of the columns."""
    expected = expected_columns(tables, partition.report_type, partition.request)
    types = {column.name: column.type for column in (*expected.columns, *partition.types)}
    columns = [[name, kind] for name, kind in types.items()]
    known = json.dumps([tables.name, tables.version, tables.sha256, columns])
    return hashlib.sha256(known.encode("ascii")).hexdigest()
