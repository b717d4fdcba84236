"""Where the contracts of a reference come from: those of contracts.toml, or any WSDL."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from bindgen import generate, naming, passes
from bindgen.docs import calls
from bindgen.docs.calls import Bindings, Bound, Called
from bindgen.fetching.collected import collect
from bindgen.model import Contract
from bindgen.reading import wsdl
from bindgen.reading.documents import Documents
from bindgen.settings import ContractSettings, Settings

_PACKAGED = "contract.wsdl"  # what a generated package calls its own


def of_settings(name: str, known: Settings) -> tuple[Contract, Bound]:
    """A contract of contracts.toml. Raises what `generate.model` raises."""
    bindings = calls.client_of(f"{known.package}.{name}", name)
    return generate.model(name, known), lambda _: bindings


def of_wsdl(
    name: str,
    place: str | Path,
    *,
    allow_hosts: Collection[str] = (),
    include_root: Path | None = None,
) -> tuple[Contract, Bound]:
    """The WSDL at an address or in a file, read as `bindgen init` reads it: what cannot be done is left out,
    and noted. `name` is the package's; "" for one after the file. `allow_hosts` may be asked, too;
    relative imports of files must stay below `include_root`.

    Raises FetchError and ContractRefused.
    """
    name = name or name_of(place)
    collected = collect(place, below=include_root, allow_hosts=allow_hosts, lenient=True)
    settings = ContractSettings(name, "", collected.root_url, {}, own=True)
    contract = wsdl.read(settings, Documents(collected, collected.files))
    passes.run(contract)
    contract.notes = [*contract.notes, *contract.problems]

    def bound(operation: Called) -> Bindings:
        own = contract.service_classes.get(operation.port_type, contract.service_class)
        return calls.service_of(name, own)

    return contract, bound


def name_of(place: str | Path) -> str:
    """A package's name for a WSDL: its folder's where it is a package's own copy, else the file's."""
    if isinstance(place, Path):
        path = place.absolute()
        return naming.snake(path.parent.name if path.name == _PACKAGED else path.stem)
    words = [word for word in place.partition("?")[0].rstrip("/").split("/") if word]
    return naming.snake(words[-1].removesuffix(".wsdl").removesuffix(".asmx").removesuffix(".svc"))
