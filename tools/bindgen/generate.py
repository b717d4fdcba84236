"""Generate the packages of contracts (`generate`), or compare them with the existing files (`check`)."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from bindgen import atomic, emit, passes, propose, settings
from bindgen.fetching import lock
from bindgen.fetching.catalogue import Catalogue
from bindgen.model import Contract
from bindgen.passes import rest, signing
from bindgen.problems import ContractRefused, Problem
from bindgen.propose import sources
from bindgen.reading import rest_only, wsdl
from bindgen.reading.documents import Document, Documents, SingleDocument

# Lines as `diff` and `patch` split them: at \n only, not at other Unicode line separators.
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_UNENDED = "\\ No newline at end of file\n"


def model(name: str, known: settings.Settings) -> Contract:
    """Return the model of a contract after all passes, read from the fetched documents.

    `known` are the settings of all contracts. Raises ContractRefused, SettingsError, LockError or
    CatalogueError.
    """
    contract_settings = known.contract(name)
    own, documents = _own_schema(contract_settings, known), _documents(contract_settings, known)
    if documents is not None:
        contract = wsdl.read(contract_settings, documents, beside=own)
    else:
        assert own is not None  # checked by `settings`
        contract = rest_only.contract(contract_settings, own, Documents(SingleDocument("", b""), {}))
    passes.run(contract)
    return contract


def proposed(name: str, known: settings.Settings) -> propose.TableProposals:
    """Return the settings that no longer match the contract, with lines to replace them.

    The new names are found by comparing with the package that was generated before. `known` are the settings
    of all contracts. Raises the same errors as `model`.
    """
    contract_settings = known.contract(name)
    now = sources.read(
        contract_settings, _documents(contract_settings, known), _own_schema(contract_settings, known)
    )
    then = sources.before(contract_settings, known.output / known.package / name)
    proposals = propose.find(contract_settings, then, now)
    return propose.TableProposals(
        known.folder / "contracts.toml",
        ("contracts", name),
        [*proposals, *propose.removals(_problems(name, known), proposals)],
        f"bindgen generate --propose {name}",
    )


def _problems(name: str, known: settings.Settings) -> Sequence[Problem]:
    """Return the problems of a contract with its current settings.

    `known` are the settings of all contracts.
    """
    try:
        model(name, known)
    except ContractRefused as error:
        return error.problems
    return ()


def _documents(contract_settings: settings.ContractSettings, known: settings.Settings) -> Documents | None:
    """Return the fetched WSDL documents of a contract; None if the contract does not have a WSDL.

    `known` are the settings of all contracts. Its attribute `folder` is the folder of contracts.lock.
    """
    if contract_settings.schema and not contract_settings.url:
        return None
    locked = lock.read(known.folder / "contracts.lock").contract(contract_settings.name)
    files = {document.url: document.file for document in locked.documents}
    return Documents(Catalogue(known.folder, locked), files)


def _own_schema(contract_settings: settings.ContractSettings, known: settings.Settings) -> Document | None:
    """Read the additional schema of a contract; None if it does not have one. Raises SettingsError.

    `known` are the settings of all contracts. The path of the schema is relative to `known.folder`.
    """
    if not contract_settings.schema:
        return None
    try:
        return rest_only.parse(
            contract_settings.schema, (known.folder / contract_settings.schema).read_bytes()
        )
    except OSError as error:
        message = (
            f"contracts.{contract_settings.name}.schema: "
            f"cannot read {contract_settings.schema!r}: {error.strerror}"
        )
        raise settings.SettingsError(message) from None


def files(
    name: str, known: settings.Settings, tell: Callable[[Problem], None] = lambda _: None
) -> dict[Path, bytes]:
    """Generate the files of a contract. Returns a map from paths below the output folder to contents.

    `known` are the settings of all contracts. Calls `tell` with each note about the contract. Raises
    ContractRefused, SettingsError, LockError or CatalogueError.
    """
    return made(name, known, tell)[1]


def made(
    name: str, known: settings.Settings, tell: Callable[[Problem], None] = lambda _: None
) -> tuple[Contract, dict[Path, bytes]]:
    """Generate the files of a contract like `files`, but also return the model of the contract.

    `known` are the settings of all contracts. Raises the same errors as `model`. If the contract is refused
    because of its settings, the message of the ContractRefused also proposes lines for the settings file.
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
        if not any(problem.setting for problem in error.problems):
            raise
        raise proposed(name, known).explain(error) from None
    root = Path(known.package)
    return contract, {
        **{root / file: content for file, content in emit.root().items()},
        **{root / name / file: content for file, content in package.items()},
    }


def write(output: Path, expected: Mapping[Path, bytes]) -> list[Path]:
    """Write files that differ, remove files that packages no longer have, and return the changed paths.

    `output` is the folder of the packages. `expected` maps the path of each file to its content.
    """
    changed = [path for path, content in expected.items() if _content(output / path) != content]
    for path in changed:
        (output / path).parent.mkdir(parents=True, exist_ok=True)
        atomic.replace(output / path, expected[path])
    for path in _stale(output, expected):
        (output / path).unlink()
        changed.append(path)
    return changed


def differences(output: Path, expected: Mapping[Path, bytes]) -> str:
    """Return a unified diff from the existing files in `output` to the generated files in `expected`.

    Returns "" if they are equal. The arguments are the same as for `write`.
    """
    pieces = []
    for path, content in [*expected.items(), *((path, b"") for path in _stale(output, expected))]:
        current = _content(output / path)
        if current != content:
            old, new = (
                _LINE.findall((side or b"").decode("utf-8", "replace")) for side in (current, content)
            )
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


def _stale(output: Path, expected: Mapping[Path, bytes]) -> list[Path]:
    folders = sorted({path.parent for path in expected})
    existing = [
        path.relative_to(output) for folder in folders for path in sorted((output / folder).glob("*"))
    ]
    return [path for path in existing if path not in expected and (output / path).is_file()]
