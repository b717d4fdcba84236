"""Write a list in parts, each to its own file. Parts that are already written are not requested again.

The folder contains a file `date=2026-07-01/part-0.parquet` for each day, as in Hive, and the request in
`_request.json`. The file of a day appears under its name only when it is complete. If a list is written to a
single file (`sales.parquet`), such a folder (`sales.parquet.days`) exists next to the file until all days are
complete. Requires pyarrow.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import shutil
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_EXCEPTION, CancelledError, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from contextvars import copy_context
from dataclasses import replace
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from soapclient._support.durable import PART, FileLock, make_folder, read_regular, write_text
from soapclient._support.part_file import Written, check_replaceable, check_target
from soapclient._support.redaction import clean
from soapclient.errors import ConfigError, ExportError
from soapclient.tables.arrow import Batches
from soapclient.tables.progress import progress_bar
from soapclient.tables.sinks import GROUP, Sink, write_parquet
from soapclient.tables.source import Parts, Source

FILE: Final = "part-0.parquet"
REQUEST: Final = "_request.json"  # Hive readers ignore names with an underscore
LOCK: Final = "_lock"
_ENDING: Final = ".days"
_BLOCK: Final = 1 << 20
_TRIES: Final = 100


def write_parts(
    source: Source,
    parts: Parts,
    path: str | os.PathLike[str],
    sink: Sink,
    *,
    batches: Callable[[Source], Batches],
    shape: Mapping[str, object],
    to_folder: bool,
    progress: bool,
) -> Written:
    """Write a list to a file, or with `to_folder` to a folder with one file per part.

    `source` is the list with all its parts, and `parts` describes how to request each part. `batches`
    converts the list of a part to record batches. `sink` writes the single file. `shape` are the caller's
    options that change the columns, such as `zone`: they are stored with the request in the folder.

    Raises the errors of the calls. After an error, the parts that are complete remain, and the same call
    requests only the missing parts. Raises ConfigError if the folder has other content, ExportError if
    another process is writing it.
    """
    target = Path(path)
    if not to_folder:
        check_replaceable(target)  # before anything is sent
        if not target.parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(target.parent))
    elif parts.column in batches(source).schema.names:
        problem = f"{parts.column} is also a column of the items, so it cannot be the name of the folders"
        raise ConfigError("path", problem, "Write a single file")
    home = target if to_folder else target.with_name(target.name + _ENDING)
    with ExitStack() as ends:
        _lock(home, ends)
        if not to_folder:
            check_target(target)
        _claim(home, json.dumps({"request": parts.request, **shape}, sort_keys=True) + "\n")
        files = {label: home / f"{parts.column}={label}" / FILE for label in parts.labels}
        _fetch(source, parts, files, batches, progress)
        if to_folder:
            return _summary(home, files)
        written = sink(source.name, batches(source).schema, _read_rows(files), path)
        _remove(home)
        return written


def _lock(home: Path, ends: ExitStack) -> None:
    for tries_left in reversed(range(_TRIES)):
        make_folder(home)
        try:
            ends.enter_context(FileLock(home / LOCK, lambda: _busy(home)))
        except FileNotFoundError:  # another process has just removed the folder
            if not tries_left:
                raise
        else:
            return


def _remove(home: Path) -> None:
    """Remove a folder of parts.

    Its lock file and its file with the request are removed last, because the folder is recognized by them.
    """
    last = (REQUEST, LOCK)
    with contextlib.suppress(OSError):  # keep the rest if removing fails: another process may use it
        for path in [item for item in home.iterdir() if item.name not in last]:
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
        for name in last:
            (home / name).unlink()
        home.rmdir()


def _busy(home: Path) -> None:
    raise ExportError(
        f"cannot write {home}: another process is writing this path. Wait for it, or choose another path."
    )


def _claim(home: Path, request: str) -> None:
    """Store the request in a folder, to show to which request its parts belong.

    Raises ConfigError if the folder contains other files, or the parts of another request.
    """
    try:
        stored = read_regular(home / REQUEST).decode("utf-8", "replace")
    except FileNotFoundError:
        strangers = [path.name for path in home.iterdir() if path.name not in (LOCK, REQUEST + PART)]
        if strangers:
            raise ConfigError(
                "path", f"{home} contains other files, such as {strangers[0]!r}", "Choose another folder"
            ) from None
        write_text(home / REQUEST, request)
        return
    if stored != request:
        raise ConfigError(
            "path",
            f"{home} contains the data of another request (see its file {REQUEST})",
            "Remove this folder, or pass another path",
        )


def _fetch(
    source: Source,
    parts: Parts,
    files: Mapping[str, Path],
    batches: Callable[[Source], Batches],
    progress: bool,
) -> None:
    missing = [label for label, file in files.items() if not file.exists()]
    with progress_bar(progress, source.name, f"{parts.column}s", len(files)) as bar:
        bar(len(files) - len(missing))

        interrupted = threading.Event()

        def fetch(label: str) -> None:
            part = parts.source(label)
            part = replace(part, name=f"{part.name} of {label}")  # the name for errors
            columns = batches(part)
            make_folder(files[label].parent)
            items = _until(interrupted, part.items())
            write_parquet(part.name, columns.schema, columns.of(items, GROUP), files[label])

        if parts.workers == 1:
            for label in missing:
                fetch(label)
                bar(1)
            return
        with ThreadPoolExecutor(parts.workers, "soapclient-parts") as pool:
            # Copy the caller's context, because tracing spans depend on it.
            futures = [pool.submit(copy_context().run, fetch, label) for label in missing]
            try:
                for future in futures:
                    future.add_done_callback(lambda completed: bar(int(_succeeded(completed))))
                done = wait(futures, return_when=FIRST_EXCEPTION).done
                for future in futures:
                    if future in done:
                        future.result()
            except Exception:
                raise  # let running parts finish: their files are used by the next call
            except BaseException:
                interrupted.set()
                raise
            finally:
                pool.shutdown(cancel_futures=True)


def _succeeded(future: Future[None]) -> bool:
    return not future.cancelled() and future.exception() is None


def _until(interrupted: threading.Event, items: Iterable[object]) -> Iterator[object]:
    for item in items:
        if interrupted.is_set():
            raise CancelledError
        yield item


def _read_rows(files: Mapping[str, Path]) -> Iterator[pa.RecordBatch]:
    """Yield the rows of all files, in order. Small batches are combined to about the size of a row group."""
    held: list[pa.RecordBatch] = []
    rows = 0
    for file in files.values():
        with _read(file) as opened:
            if not opened.metadata.num_row_groups:
                continue  # pyarrow 18 fails on files without row groups
            for batch in opened.iter_batches(GROUP):
                held.append(batch)
                rows += batch.num_rows
                if rows >= GROUP:
                    yield from _combine(held)
                    held, rows = [], 0
    if held:
        yield from _combine(held)


@contextmanager
def _read(file: Path) -> Iterator[pq.ParquetFile]:
    try:
        with pq.ParquetFile(file) as opened:
            yield opened
    except (pa.ArrowException, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        problem = f"{file} is damaged: {clean(str(error), 200)}"
        raise ExportError(
            f"{problem}. Remove the file and repeat the call, which then requests {file.parent.name} again"
        ) from None


def _combine(batches: list[pa.RecordBatch]) -> list[pa.RecordBatch]:
    return pa.Table.from_batches(batches).unify_dictionaries().combine_chunks().to_batches()


def _summary(home: Path, files: Mapping[str, Path]) -> Written:
    """Return the number of rows, the size and the SHA-256 of all parts together.

    The hash is computed over the bytes of the files in their order.
    """
    digest = hashlib.sha256()
    rows = size = 0
    for file in files.values():
        with _read(file) as opened:
            rows += opened.metadata.num_rows
        with file.open("rb") as content:
            while block := content.read(_BLOCK):
                digest.update(block)
                size += len(block)
    return Written(home, rows, size, digest.hexdigest())
