"""`bindgen init`: a package from any WSDL, written wholly or not at all."""

from __future__ import annotations

import builtins
import dataclasses
import gc
import keyword
import shutil
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bindgen import emit, passes, propose
from bindgen.fetching.collected import Collected, LocalCopies, collect
from bindgen.model import Contract
from bindgen.passes import rest, signing
from bindgen.problems import ContractRefused, Problem
from bindgen.propose import sources
from bindgen.reading import wsdl
from bindgen.reading.documents import Documents
from bindgen.settings import ContractSettings

_MARKS = (b"# Made by `bindgen ", b'{\n"made_by":"bindgen ')  # of Python, of rows
_OWN_FILES = frozenset(("contract.wsdl", "messages.xsd", "py.typed"))
# Imported by what is generated, by us, or by who calls through what is generated.
_NEEDED = frozenset(("bindgen", "lxml", "msgspec", "requests", "soapclient", "tenacity"))
_NEEDED |= frozenset(("urllib3", "xmlschema", "zeep", "zxws"))
_OUTSIDE = (
    "nothing was generated: files outside of that folder are not read. Give --include-root DIR, a folder "
    "that holds them all, or --allow-missing to generate the package without them"
)
# No file or folder of Windows can be called so, in any case of letters.
_DEVICES = frozenset(
    ("aux", "con", "nul", "prn", *(f"{port}{at}" for port in ("com", "lpt") for at in range(10)))
)


# Takes what in the settings no longer fits; gives the sections of the settings file as they are then.
Revise = Callable[[propose.Proposed], Mapping[str, Mapping[str, object]]]


class InitError(Exception):
    """A name or a folder that will not do; the message says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Made:
    """What came of a WSDL: file name → content, what was left out of it and why, and remarks."""

    contract: Contract
    files: Mapping[str, bytes]
    problems: Sequence[Problem]
    notes: Sequence[str]


def check_name(name: str) -> str:
    """A warning about the name of a package, or nothing. Raises InitError for one that will not do."""
    if keyword.iskeyword(name):
        raise InitError(
            f"{name!r} cannot name a package: it is a keyword of Python. Choose another name ({name}_service)"
        )
    if not (name.isascii() and name.isidentifier()) or name.startswith("_"):
        raise InitError(f"{name!r} cannot name a package: use letters, digits and underscores (my_service)")
    if name.lower() in _NEEDED:  # on some systems, folders differ by more than case
        raise InitError(f"{name!r} would hide the package of that name, which is needed: choose another name")
    if name in sys.stdlib_module_names:
        return f"{name} is the name of a module of Python: if its folder is on the path, it hides that"
    if name.lower() in _DEVICES:
        return f"{name} is the name of a device on Windows, where no folder can be called so"
    if keyword.issoftkeyword(name) or hasattr(builtins, name):
        return f"{name} means something in Python: imported, it hides that"
    return ""


def make(
    name: str,
    place: str | Path,
    *,
    offline: bool = False,
    only: Collection[str] | None = None,
    allow_hosts: Collection[str] = (),
    may_be_missing: Sequence[str] = (),
    all_types: bool = False,
    include_root: Path | None = None,
    allow_missing: bool = False,
    sections: Mapping[str, Mapping[str, object]] | None = None,
    settings_file: Path | None = None,
    revise: Revise | None = None,
) -> Made:
    """Read the WSDL at an address or in a file, with all it imports, and generate package `name`.

    `only` names the operations wanted, all by default; `may_be_missing` the required elements
    (`TYPE/ELEMENT`) and attributes (`TYPE/@NAME`) that the service leaves out at times; `all_types` generates
    all declared types, also those that no operation names. `include_root` is the
    folder that relative imports of files must stay in, by default one that lies two above the WSDL's;
    `allow_missing` generates without the imports that lead out of it; `sections` are those of the package's
    settings file. `settings_file` is that file, next to the package that was generated before: problems say
    its lines to change; `revise` is given what no longer fits, and gives the sections anew. What cannot be
    done is left out and reported.

    Raises FetchError where there is no WSDL, ContractRefused where nothing can be generated from it, it lacks
    what is named, or an import leads out of the folder.
    """
    with _uncollected():
        collected = collect(place, below=include_root, allow_hosts=allow_hosts, offline=offline, lenient=True)
        said = _with_missing(sections or {}, may_be_missing)
        if all_types:
            said = {**said, "types": {**said.get("types", {}), "all": True}}
        settings = ContractSettings(
            name, "", collected.root_url, said, own=True, by_option=tuple(may_be_missing)
        )
        if settings_file is None:
            return _made(settings, collected, place, offline=offline, only=only, allow_missing=allow_missing)

        def proposed() -> propose.Proposed:
            documents, _ = _documents(collected, place, offline=offline)
            now = sources.read(settings, documents, None, only=only)
            found = propose.find(settings, sources.before(settings, settings_file.with_suffix("")), now)
            return propose.Proposed(settings_file, (), found, f"bindgen init {name} … --propose")

        if revise is not None:
            said = _with_missing(revise(proposed()), may_be_missing)
            settings = dataclasses.replace(settings, sections=said)
        try:
            made = _made(settings, collected, place, offline=offline, only=only, allow_missing=allow_missing)
            if signing.is_by_headers_alone(made.contract):
                proposed().check_signed(made.contract)
            if rest.has_spare_rows(made.contract):
                proposed().check_rest(made.contract)
            return made
        except ContractRefused as error:
            if not any(each.setting for each in error.problems):
                raise
            raise proposed().explain(error) from None


def _with_missing(
    sections: Mapping[str, Mapping[str, object]], paths: Sequence[str]
) -> Mapping[str, Mapping[str, object]]:
    """The sections with further paths of what may be missing."""
    if not paths:
        return sections
    types = sections.get("types", {})
    known = types.get("may_be_missing", [])
    listed = list(dict.fromkeys([*(known if isinstance(known, list) else []), *paths]))
    return {**sections, "types": {**types, "may_be_missing": listed}}


def _made(
    settings: ContractSettings,
    collected: Collected,
    place: str | Path,
    *,
    offline: bool,
    only: Collection[str] | None,
    allow_missing: bool,
) -> Made:
    documents, beside = _documents(collected, place, offline=offline)
    contract = wsdl.read(settings, documents, only=only)
    outside = [note for note in contract.notes if any(why in note.message for why in collected.outside)]
    if outside and not allow_missing:
        raise ContractRefused([*outside, Problem(_OUTSIDE)])
    if not contract.operations:  # the notes, too: what else would say why
        raise ContractRefused([*contract.problems, *contract.notes])
    if isinstance(place, Path):
        contract.url = place.name  # where it lies is nobody else's business
    passes.run(contract)
    files = emit.package(contract)
    if any(each.setting for each in contract.problems):  # of names that the rows need
        raise ContractRefused(contract.problems)
    remarks = [*collected.notes, *beside, *map(_in_short, (*contract.notes, *contract.remarks))]
    return Made(contract, files, list(contract.problems), list(dict.fromkeys(remarks)))


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without the cyclic garbage collector: what is made is kept to the end, so it would look in vain."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _in_short(note: Problem) -> str:
    return f"{note.place.file}:{note.place.line}: {note.message}" if note.place else note.message


def _documents(collected: Collected, place: str | Path, *, offline: bool) -> tuple[Documents, list[str]]:
    if offline and isinstance(place, Path):
        beside = LocalCopies(collected, place.absolute().parent)
        return Documents(beside, beside.files), beside.notes
    return Documents(collected, collected.files), []


def write(folder: Path, files: Mapping[str, bytes]) -> bool:
    """Write a package's folder, all of it or nothing; give whether anything changed.

    Raises InitError where the folder holds what bindgen did not write, and OSError.
    """
    _refuse_foreign(folder)
    if folder.is_dir() and _content(folder) == dict(files):
        return False
    new, old = (folder.with_name(f".{folder.name}.{word}") for word in ("new", "old"))
    for left in (new, old):  # by a run that was killed
        shutil.rmtree(left, ignore_errors=True)
    new.mkdir(parents=True)
    try:
        for file, content in files.items():
            (new / file).parent.mkdir(parents=True, exist_ok=True)
            (new / file).write_bytes(content)
        if folder.is_dir():
            folder.rename(old)
        try:
            new.rename(folder)
        except OSError:
            if old.is_dir():
                old.rename(folder)
            raise
    finally:
        shutil.rmtree(new, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)
    return True


def _refuse_foreign(folder: Path) -> None:
    """Refuse a folder in which something else stands than what bindgen writes."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise InitError(f"{folder} is no folder: move it away, or give another --out")
    if not folder.is_dir():
        return
    there = [path for path in sorted(folder.rglob("*")) if path.is_file() and "__pycache__" not in path.parts]
    foreign = [path for path in there if path.name not in _OWN_FILES and not _is_made(path)]
    if foreign or (there and not any(_is_made(path) for path in there)):
        first = (foreign or there)[0].relative_to(folder)
        raise InitError(
            f"{folder} holds {first}, which bindgen did not write: "
            "move it away, or give another name or another --out"
        )


def _is_made(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(max(map(len, _MARKS))).startswith(_MARKS)


def _content(folder: Path) -> dict[str, bytes]:
    paths = [path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


__all__ = ["ContractRefused", "InitError", "Made", "check_name", "make", "write"]
