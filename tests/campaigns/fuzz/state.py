"""Small files of the client: ledger, handle, mark, drift log, recording.

Reading a file, writing it and reading it again must give an equal value.
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Final

import msgspec

from soapclient import Client
from soapclient._support.part_file import PartMark
from soapclient.clock import ManualClock
from soapclient.drift.summary import UnreadableLog, summed
from soapclient.errors import ConfigError, SoapClientError
from soapclient.testing.recording import NotRecorded, record, replay
from soapclient.tracking.exports.handle import ExportHandle, sha256_of
from soapclient.tracking.exports.orders.ledger import Ledger
from soapclient.tracking.exports.orders.record import OrderRecord, key_of, name_of, record_json
from soapclient.tracking.sandbox import Sandbox, serve
from tests.stage import NOW

from . import json_mutation
from .mutation import lines, of_bytes
from .responses import WAYS, config
from .target import Seed, Target, Wrong, words_of

_ACCOUNT: Final = "mine"


class _Json:
    """A JSON file. `read` reads the bytes."""

    def __init__(self, seeds: Sequence[Seed], read: Callable[[Seed, bytes], bool]) -> None:
        self.seeds = tuple(seeds)
        self.run = read

    def mutated(self, seed: Seed, random: Random) -> bytes:
        if random.random() < 0.1:
            return of_bytes(seed.content, random)
        return json_mutation.mutated(json_mutation.parsed(seed.content), random, damaged=0.05)


_REQUEST: Final = {
    "report_type": "sale", "from_date": "2026-11-01", "to_date": "2026-11-02", "date_type": "trackingDate",
}  # fmt: skip
_HANDLE: Final = ExportHandle(
    "data", "4711", "sale", _REQUEST, datetime(2026, 11, 3, 12, tzinfo=UTC), in_ledger=True
)


def _handles(folder: Path) -> _Json:
    def read(seed: Seed, content: bytes) -> bool:
        given = content if seed.name == "whole" else _resigned(content)
        try:
            handle = ExportHandle.from_json(given)
        except ConfigError as error:
            words_of(error)
            return False
        if ExportHandle.from_json(handle.to_json()) != handle:
            raise Wrong("it is not what it was once it is written")
        return True

    text = _HANDLE.to_json().encode()
    return _Json([Seed("whole", text), Seed("resigned", text), Seed("resigned", text)], read)


def _resigned(content: bytes) -> bytes:
    """Return a handle whose hash matches its request, if it has one."""
    try:
        data = json.loads(content)
        data["request_sha256"] = sha256_of(data["request"])
        return json.dumps(data).encode("utf-8", "surrogatepass")
    except (ValueError, KeyError, TypeError, RecursionError, AttributeError):
        return content


_ORDER: Final = OrderRecord(
    service="data", account=_ACCOUNT, request=_REQUEST, state="ordered", intended_at=NOW, tried_at=NOW,
    clock_error=0.5, handle=_HANDLE, former=("1", 2), not_ours=("3",),
)  # fmt: skip


def _ledgers(folder: Path) -> _Json:
    ledger = folder / f"data_{_ACCOUNT}"
    ledger.mkdir()
    (folder / "ledgers").mkdir()

    def read(seed: Seed, content: bytes) -> bool:
        if seed.name == "note":
            path = folder / "ledgers" / "note.json"
        else:
            name, content = ("x.json", content) if seed.name == "whole" else _rekeyed(content)
            path = ledger / name
        path.write_bytes(content)
        found = Ledger(folder, account=_ACCOUNT)
        try:
            entries = [*found.entries(), *found.elsewhere()]
            for entry in entries:
                _use(found, entry)
        except (SoapClientError, OSError) as error:  # an invalid folder name
            words_of(error)
            return False
        finally:
            path.unlink()
        return True

    text = record_json(_ORDER).encode()
    intent = record_json(_ORDER.reopened()).encode()
    seeds = [Seed("whole", text), *(Seed("keyed", each) for each in (text, text, intent, intent))]
    return _Json([*seeds, Seed("note", json.dumps({"folder": str(folder)}).encode())], read)


def _use(ledger: Ledger, entry: OrderRecord) -> None:
    """Use an entry as the client does after reading it."""
    again = record_json(entry)
    if ledger.find(entry.request) != entry:
        raise Wrong("an entry that is not found by its request")
    json.loads(again)
    assert isinstance(entry.title, str)
    entry.excludes("1")
    entry.within(entry)
    entry.failed()
    entry.giving_up((1,))


def _rekeyed(content: bytes) -> tuple[str, bytes]:
    """Return an entry with the key and file name that match its request, if it has one."""
    try:
        data = json.loads(content)
        key = key_of(data["account"], data["service"], data["request"])
        data["key"] = key
        if isinstance(data.get("handle"), dict):
            data["handle"]["request"] = data["request"]
            data["handle"]["request_sha256"] = sha256_of(data["request"])
        name = name_of(data["request"], key, data.get("address"))
        os.fsencode(name)
        return name, json.dumps(data).encode("utf-8", "surrogatepass")
    except (ValueError, KeyError, TypeError, RecursionError, AttributeError):
        return "x.json", content


def _marks(folder: Path) -> _Json:
    path, real = folder / "file.part.json", folder / "elsewhere"

    def read(seed: Seed, content: bytes) -> bool:
        real.write_bytes(content)
        if seed.name == "link":
            path.symlink_to(real)
        else:
            path.write_bytes(content)
        mark = PartMark.read(path)
        if mark is not None:
            if seed.name == "link":
                raise Wrong("a symbolic link was followed")
            mark.write(path)
            if PartMark.read(path) != mark:
                raise Wrong("it is not what it was once it is written")
        path.unlink()
        return mark is not None

    one = PartMark("4711", '"abc"', "http://127.0.0.1:9", "id-1")
    texts = []
    for mark in (one, PartMark(4711, None, "http://127.0.0.1:9", "id-1", "0" * 64)):
        mark.write(path)
        texts.append(path.read_bytes())
        path.unlink()
    return _Json([*(Seed("file", text) for text in texts * 5), Seed("link", texts[0])], read)


_LINE: Final = {
    "ts": "2026-11-01T12:00:00Z", "contract": "publisher", "version": "2011-03-01", "sha256": "ab" * 32,
    "service": "publisherservice", "operation": "GetSales", "kind": "element",
    "path": "GetSalesResponse/saleItems/saleItem/new", "detail": "", "times": 3,
}  # fmt: skip


class _Drift:
    """Drift logs, plain and gzipped. The summary must include all valid lines."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "drift.jsonl"
        self._one = json_mutation.parsed(json.dumps(_LINE).encode())
        line = json.dumps(_LINE, separators=(",", ":")).encode() + b"\n"
        other = json.dumps({**_LINE, "kind": "value", "detail": "x", "times": 10**6}).encode() + b"\n"
        self.seeds = (Seed("plain", line), Seed("plain", line * 3 + other * 2), Seed("packed", line * 2))

    def mutated(self, seed: Seed, random: Random) -> bytes:
        if random.random() < 0.6:
            made = b"".join(
                json_mutation.mutated(self._one, random).replace(b"\n", b" ") + b"\n" for _ in range(2)
            )
            content = made + seed.content
        else:
            content = lines(seed.content, random)
        if seed.name == "packed":
            content = gzip.compress(content, 1, mtime=0)
            return of_bytes(content, random) if random.random() < 0.3 else content
        return content

    def run(self, seed: Seed, content: bytes) -> bool:
        self._path.write_bytes(content)
        try:
            summary = summed([self._path])
        except UnreadableLog as error:
            words_of(error)
            return False
        if seed.name == "plain" and content[:2] != b"\x1f\x8b":
            least = 3 * content.split(b"\n").count(_GOOD)
            if sum(each.times for each in summary.findings) < least:
                raise Wrong("good lines that were not counted")
        return True


_GOOD: Final = json.dumps(_LINE, separators=(",", ":")).encode()


class _Recordings:
    """Recordings. A replay must return the recorded response or raise an error."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "replayed"
        self._folder.mkdir()
        ways = {"soap": {}, "json": WAYS["json"]}
        self._clients = {name: Client(config(**way), clock=ManualClock(NOW)) for name, way in ways.items()}
        seeds = []
        with Sandbox(seed=1, clock=lambda: NOW) as sandbox, serve(sandbox, timeout=30) as server:
            for name, way in ways.items():
                clock = ManualClock(NOW)
                with record(folder / name), Client(config(server.url, **way), clock=clock) as client:
                    client.publisher.get_profile()
                (file,) = (folder / name).glob("*.json")
                seeds.append(Seed(name, file.read_bytes()))
        self.seeds = tuple(seeds)

    def mutated(self, seed: Seed, random: Random) -> bytes:
        if random.random() < 0.15:
            return of_bytes(seed.content, random)
        found = json_mutation.parsed(seed.content)
        if random.random() < 0.7 and isinstance(found, json_mutation.Pairs):  # keep the request unchanged
            (asked, request), (answered, response) = found.pairs
            made = json_mutation.mutated(response, random, damaged=0.02)
            head = json_mutation.text(json_mutation.Pairs([(asked, request)]))[:-1]
            return head.encode() + b"," + json.dumps(answered).encode() + b":" + made + b"}"
        return json_mutation.mutated(found, random, damaged=0.05)

    def run(self, seed: Seed, content: bytes) -> bool:
        (self._folder / "001.exchange.json").write_bytes(content)
        try:
            with replay(self._folder):
                self._clients[seed.name].publisher.get_profile()
        except (SoapClientError, NotRecorded, msgspec.DecodeError) as error:
            words_of(error)
            return False
        return True


TARGETS: Final[Sequence[Target]] = (
    Target("recording", 15_000, _Recordings),
    Target("drift", 90_000, _Drift),
    Target("ledger", 60_000, _ledgers),
    Target("mark", 80_000, _marks),
    Target("handle", 130_000, _handles),
)
