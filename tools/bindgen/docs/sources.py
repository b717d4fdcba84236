"""Read the contracts for a reference: contracts in contracts.toml, or any WSDL."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from bindgen import generate, naming, passes
from bindgen.docs import calls
from bindgen.docs.calls import Bindings, Bound, CallInfo
from bindgen.fetching.collector import collect
from bindgen.model import Contract
from bindgen.reading import wsdl
from bindgen.reading.documents import Documents
from bindgen.settings import ContractSettings, Settings

_PACKAGED = "contract.wsdl"  # the WSDL in a generated package


def of_settings(name: str, settings: Settings) -> tuple[Contract, Bound]:
    """Read a contract of contracts.toml. Raises the errors of `generate.model`.

    Returns its model and a function. The function takes an operation, and returns its `Bindings`: the parts
    of the operation's example code that depend on the generated package.
    """
    bindings = calls.client_of(f"{settings.package}.{name}", name)
    return generate.model(name, settings), lambda _: bindings


def of_wsdl(
    name: str,
    place: str | Path,
    *,
    allow_hosts: Collection[str] = (),
    include_root: Path | None = None,
) -> tuple[Contract, Bound]:
    """Read the WSDL at an address or in a file, as `bindgen init` does. Unsupported parts become notes.

    Returns its model and a function. The function takes an operation, and returns its `Bindings`: the parts
    of the operation's example code that depend on the generated package.

    `name` is the name of the package; "" derives it from the file name. Documents are also loaded from
    `allow_hosts`. Relative imports of files must stay below `include_root`. Raises FetchError and
    ContractRefused.
    """
    name = name or name_of(place)
    collected = collect(place, below=include_root, allow_hosts=allow_hosts, lenient=True)
    settings = ContractSettings(name, "", collected.root_url, {}, own=True)
    contract = wsdl.read(settings, Documents(collected, collected.files))
    passes.run(contract)
    contract.notes = [*contract.notes, *contract.problems]

    def bound(operation: CallInfo) -> Bindings:
        service_class = contract.service_classes.get(operation.port_type, contract.service_class)
        return calls.service_of(name, service_class)

    return contract, bound


def name_of(place: str | Path) -> str:
    """Return a package name for a WSDL, from its file name.

    For the copy of a WSDL in a generated package, the name is the name of the package's folder.
    """
    if isinstance(place, Path):
        path = place.absolute()
        return naming.snake(path.parent.name if path.name == _PACKAGED else path.stem)
    words = [word for word in place.partition("?")[0].rstrip("/").split("/") if word]
    return naming.snake(words[-1].removesuffix(".wsdl").removesuffix(".asmx").removesuffix(".svc"))
