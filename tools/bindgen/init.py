"""`bindgen init`: generate a package from any WSDL.

The package is either written completely, or its folder is not changed.
"""

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
from bindgen.fetching.collector import CollectedDocuments, LocalCopies, collect
from bindgen.model import Contract
from bindgen.passes import rest, signing
from bindgen.problems import ContractRefused, Problem
from bindgen.propose import sources
from bindgen.reading import wsdl
from bindgen.reading.documents import Documents
from bindgen.settings import ContractSettings

# The first bytes of Python modules and of schema.json
_MARKS = (b"# Made by `bindgen ", b'{\n"made_by":"bindgen ')
_OWN_FILES = frozenset(("contract.wsdl", "messages.xsd", "py.typed"))
# Packages that generated code, bindgen or callers of generated code import.
_NEEDED = frozenset(("bindgen", "lxml", "msgspec", "requests", "soapclient", "tenacity"))
_NEEDED |= frozenset(("urllib3", "xmlschema", "zeep", "zxws"))
_OUTSIDE = (
    "nothing was generated: files outside of that folder are not read. Set --include-root DIR to a folder "
    "that contains all of them, or use --allow-missing to generate the package without them"
)
# Device names of Windows, where files and folders cannot have these names in any case.
_DEVICES = frozenset(
    ("aux", "con", "nul", "prn", *(f"{port}{number}" for port in ("com", "lpt") for number in range(10)))
)


# Called with the settings that no longer match the contract; returns the sections of the settings file to
# use.
Revise = Callable[[propose.TableProposals], Mapping[str, Mapping[str, object]]]


class InitError(Exception):
    """Raised if a package name or folder is invalid. The message says why, and what to do."""


@dataclass(frozen=True, slots=True)
class GeneratedPackage:
    """A generated package: its files by name, problems (parts that were left out, and why), and notes."""

    contract: Contract
    files: Mapping[str, bytes]
    problems: Sequence[Problem]
    notes: Sequence[str]


def check_name(name: str) -> str:
    """Return a warning about a package name; "" if there is nothing to warn about.

    Raises InitError if the name is invalid.
    """
    if keyword.iskeyword(name):
        raise InitError(
            f"{name!r} cannot be the name of a package: it is a Python keyword. "
            f"Choose another name ({name}_service)"
        )
    if not (name.isascii() and name.isidentifier()) or name.startswith("_"):
        raise InitError(
            f"{name!r} cannot be the name of a package: use letters, digits and underscores (my_service)"
        )
    if name.lower() in _NEEDED:  # on some systems, folders differ by more than case
        raise InitError(
            f"{name!r} cannot be the name of a package: it would hide the required package of this name. "
            "Choose another name"
        )
    if name in sys.stdlib_module_names:
        return f"{name} is a module of Python: the package hides it if its folder is on the path"
    if name.lower() in _DEVICES:
        return f"{name} is a device name on Windows, which does not allow a folder with this name"
    if keyword.issoftkeyword(name) or hasattr(builtins, name):
        return f"{name} is a built-in name or keyword of Python: importing the package hides it"
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
) -> GeneratedPackage:
    """Read the WSDL at an address or in a file, with its imports, and generate the package `name`.

    - `place`: the address or the path of the WSDL.
    - `offline`: True to request nothing and read only files.
    - `allow_hosts`: hosts from which documents may be fetched, in addition to the host of `place`.
    - `only`: the operations to generate, by default all.
    - `may_be_missing`: required elements (`TYPE/ELEMENT`) and attributes (`TYPE/@NAME`) that responses may
      lack.
    - `all_types`: True to generate all declared types, including types that operations do not use.
    - `include_root`: the folder that must contain all imported files. By default, it is the folder two levels
      above the WSDL's folder.
    - `allow_missing`: True to ignore imports of files outside of `include_root`, which are otherwise errors.
    - `sections`: the sections of the package's settings file.
    - `settings_file`: the path of this settings file. Error messages then propose lines for it.
    - `revise`: a function that is called with the settings that no longer match the contract and with the
      lines to replace them. It returns the sections to use.

    Parts that are not supported are left out and reported. Raises FetchError if the WSDL cannot be read.
    Raises ContractRefused if:

    - nothing can be generated, or an import is outside of `include_root`
    - `may_be_missing` or the settings contain a name that the WSDL does not have
    """
    with _without_garbage_collector():
        collected = collect(place, below=include_root, allow_hosts=allow_hosts, offline=offline, lenient=True)
        all_sections = _with_missing(sections or {}, may_be_missing)
        if all_types:
            all_sections = {**all_sections, "types": {**all_sections.get("types", {}), "all": True}}
        settings = ContractSettings(
            name, "", collected.root_url, all_sections, own=True, by_option=tuple(may_be_missing)
        )
        if settings_file is None:
            return _generate(
                settings, collected, place, offline=offline, only=only, allow_missing=allow_missing
            )

        def proposed() -> propose.TableProposals:
            documents, _ = _documents(collected, place, offline=offline)
            now = sources.read(settings, documents, None, only=only)
            changes = propose.find(settings, sources.before(settings, settings_file.with_suffix("")), now)
            return propose.TableProposals(settings_file, (), changes, f"bindgen init {name} … --propose")

        if revise is not None:
            all_sections = _with_missing(revise(proposed()), may_be_missing)
            settings = dataclasses.replace(settings, sections=all_sections)
        try:
            result = _generate(
                settings, collected, place, offline=offline, only=only, allow_missing=allow_missing
            )
            if signing.is_by_headers_alone(result.contract):
                proposed().check_signed(result.contract)
            if rest.has_spare_rows(result.contract):
                proposed().check_rest(result.contract)
            return result
        except ContractRefused as error:
            if not any(problem.setting for problem in error.problems):
                raise
            raise proposed().explain(error) from None


def _with_missing(
    sections: Mapping[str, Mapping[str, object]], paths: Sequence[str]
) -> Mapping[str, Mapping[str, object]]:
    """Return a copy of the sections in which `types.may_be_missing` also lists `paths`."""
    if not paths:
        return sections
    types = sections.get("types", {})
    listed_before = types.get("may_be_missing", [])
    listed = list(dict.fromkeys([*(listed_before if isinstance(listed_before, list) else []), *paths]))
    return {**sections, "types": {**types, "may_be_missing": listed}}


def _generate(
    settings: ContractSettings,
    collected: CollectedDocuments,
    place: str | Path,
    *,
    offline: bool,
    only: Collection[str] | None,
    allow_missing: bool,
) -> GeneratedPackage:
    """Read the contract and generate its files, as `make` describes. Raises ContractRefused."""
    documents, copy_notes = _documents(collected, place, offline=offline)
    contract = wsdl.read(settings, documents, only=only)
    outside = [note for note in contract.notes if any(reason in note.message for reason in collected.outside)]
    if outside and not allow_missing:
        raise ContractRefused([*outside, Problem(_OUTSIDE)])
    if not contract.operations:  # include the notes, because they explain why
        raise ContractRefused([*contract.problems, *contract.notes])
    if isinstance(place, Path):
        contract.url = place.name  # the path is not shown
    passes.run(contract)
    files = emit.package(contract)
    if any(problem.setting for problem in contract.problems):  # the settings have names that do not exist
        raise ContractRefused(contract.problems)
    remarks = [*collected.notes, *copy_notes, *map(_located, (*contract.notes, *contract.remarks))]
    return GeneratedPackage(contract, files, list(contract.problems), list(dict.fromkeys(remarks)))


@contextmanager
def _without_garbage_collector() -> Iterator[None]:
    """Disable the cyclic garbage collector in a `with` block.

    While a package is generated, nearly all objects stay in use, so the collector would only cost time. After
    the block, the new objects belong to the oldest generation: otherwise the next allocation would examine
    all of them at once. Cycles among them are freed by a later full collection.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            if not gc.get_freeze_count():  # `unfreeze` would also affect objects that the caller has frozen
                gc.freeze()
                gc.unfreeze()
            gc.enable()


def _located(note: Problem) -> str:
    return f"{note.place.file}:{note.place.line}: {note.message}" if note.place else note.message


def _documents(
    collected: CollectedDocuments, place: str | Path, *, offline: bool
) -> tuple[Documents, list[str]]:
    if offline and isinstance(place, Path):
        copies = LocalCopies(collected, place.absolute().parent)
        return Documents(copies, copies.files), copies.notes
    return Documents(collected, collected.files), []


def write(folder: Path, files: Mapping[str, bytes]) -> bool:
    """Write the folder of a package completely, or not at all. Return True if anything changed.

    Raises InitError if the folder contains files that bindgen did not write, and OSError.
    """
    _refuse_foreign(folder)
    if folder.is_dir() and _content(folder) == dict(files):
        return False
    new, old = (folder.with_name(f".{folder.name}.{word}") for word in ("new", "old"))
    for leftover in (new, old):  # files of a run that was killed
        shutil.rmtree(leftover, ignore_errors=True)
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
    """Raise InitError if a folder contains files that bindgen did not write."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise InitError(f"{folder} is not a folder: move it away, or choose another --out")
    if not folder.is_dir():
        return
    existing = [
        path for path in sorted(folder.rglob("*")) if path.is_file() and "__pycache__" not in path.parts
    ]
    foreign = [path for path in existing if path.name not in _OWN_FILES and not _is_generated(path)]
    if foreign or (existing and not any(_is_generated(path) for path in existing)):
        first = (foreign or existing)[0].relative_to(folder)
        raise InitError(
            f"{folder} contains {first}, which bindgen did not write: "
            "move the folder away, or choose another name or another --out"
        )


def _is_generated(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(max(map(len, _MARKS))).startswith(_MARKS)


def _content(folder: Path) -> dict[str, bytes]:
    paths = [path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


__all__ = ["ContractRefused", "GeneratedPackage", "InitError", "check_name", "make", "write"]
