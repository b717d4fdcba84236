"""What the contracts give, written down (`generate`) or held against what is there (`check`)."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from bindgen import atomic, emit, passes, propose, settings
from bindgen.fetching import lock
from bindgen.fetching.catalogue import Catalogue
from bindgen.model import Contract
from bindgen.passes import rest, signing
from bindgen.problems import ContractRefused, Problem
from bindgen.propose import sources
from bindgen.reading import own_schema, wsdl
from bindgen.reading.documents import Document, Documents, SingleDocument

# Lines as diff and patch know them: other line ends of Unicode are ordinary signs there.
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_UNENDED = "\\ No newline at end of file\n"


def model(name: str, known: settings.Settings) -> Contract:
    """The finished model of a contract, read through the catalogue of the lock.

    Raises ContractRefused, SettingsError, LockError or CatalogueError.
    """
    wanted = known.contract(name)
    own, documents = _own_schema(wanted, known), _documents(wanted, known)
    if documents is not None:
        contract = wsdl.read(wanted, documents, beside=own)
    else:
        assert own is not None  # `settings` has seen to that
        contract = own_schema.contract(wanted, own, Documents(SingleDocument("", b""), {}))
    passes.run(contract)
    return contract


def proposed(name: str, known: settings.Settings) -> propose.Proposed:
    """What in the settings of a contract no longer fits it, and the lines that fit instead.

    What is new in the contract is told by the package that was generated before. Raises as `model` does.
    """
    wanted = known.contract(name)
    now = sources.read(wanted, _documents(wanted, known), _own_schema(wanted, known))
    then = sources.before(wanted, known.output / known.package / name)
    return propose.Proposed(
        known.folder / "contracts.toml",
        ("contracts", name),
        propose.find(wanted, then, now),
        f"bindgen generate --propose {name}",
    )


def _documents(wanted: settings.ContractSettings, known: settings.Settings) -> Documents | None:
    """The documents of a contract's WSDL, through the catalogue of the lock; None if it has no WSDL."""
    if wanted.schema and not wanted.url:
        return None
    locked = lock.read(known.folder / "contracts.lock").contract(wanted.name)
    files = {document.url: document.file for document in locked.documents}
    return Documents(Catalogue(known.folder, locked), files)


def _own_schema(wanted: settings.ContractSettings, known: settings.Settings) -> Document | None:
    if not wanted.schema:
        return None
    try:
        return own_schema.parse(wanted.schema, (known.folder / wanted.schema).read_bytes())
    except OSError as error:
        said = f"contracts.{wanted.name}.schema: {wanted.schema!r} cannot be read ({error.strerror})"
        raise settings.SettingsError(said) from None


def files(
    name: str, known: settings.Settings, tell: Callable[[Problem], None] = lambda _: None
) -> dict[Path, bytes]:
    """What the contract gives: path below the output folder → content. `tell` is called with each note.

    Raises as `made` does.
    """
    return made(name, known, tell)[1]


def made(
    name: str, known: settings.Settings, tell: Callable[[Problem], None] = lambda _: None
) -> tuple[Contract, dict[Path, bytes]]:
    """The contract, and what `files` has of it.

    Raises as `model` does; ContractRefused has the lines that solve its problems.
    """
    try:
        contract = model(name, known)
        for note in contract.notes:
            tell(note)
        package = emit.package(contract)
        if contract.problems:
            raise ContractRefused(contract.problems)
        if signing.is_by_headers_alone(contract):
            proposed(name, known).check_signed(contract)
        if rest.has_spare_rows(contract):
            proposed(name, known).check_rest(contract)
    except ContractRefused as error:
        if not any(each.setting for each in error.problems):
            raise
        raise proposed(name, known).explain(error) from None
    root = Path(known.package)
    return contract, {
        **{root / file: content for file, content in emit.root().items()},
        **{root / name / file: content for file, content in package.items()},
    }


def write(output: Path, wanted: Mapping[Path, bytes]) -> list[Path]:
    """Write what differs, remove what the packages no longer have; give the paths that changed."""
    changed = [path for path, content in wanted.items() if _content(output / path) != content]
    for path in changed:
        (output / path).parent.mkdir(parents=True, exist_ok=True)
        atomic.replace(output / path, wanted[path])
    for path in _stale(output, wanted):
        (output / path).unlink()
        changed.append(path)
    return changed


def differences(output: Path, wanted: Mapping[Path, bytes]) -> str:
    """A unified diff from what is there to what the contracts give; empty where they agree."""
    pieces = []
    for path, content in [*wanted.items(), *((path, b"") for path in _stale(output, wanted))]:
        there = _content(output / path)
        if there != content:
            old, new = (_LINE.findall((side or b"").decode("utf-8", "replace")) for side in (there, content))
            name = path.as_posix()
            diff = list(difflib.unified_diff(old, new, f"committed/{name}", f"contract/{name}"))
            diff = [line if line.endswith("\n") else f"{line}\n{_UNENDED}" for line in diff]
            pieces += diff or [f"committed/{name} and contract/{name} differ in line ends or encoding\n"]
    return "".join(pieces)


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _stale(output: Path, wanted: Mapping[Path, bytes]) -> list[Path]:
    folders = sorted({path.parent for path in wanted})
    there = [found.relative_to(output) for folder in folders for found in sorted((output / folder).glob("*"))]
    return [path for path in there if path not in wanted and (output / path).is_file()]
