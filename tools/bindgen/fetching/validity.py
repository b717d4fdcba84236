"""Whether documents that were fetched make a contract, asked before they replace one that does."""

from __future__ import annotations

from bindgen.fetching import addresses
from bindgen.fetching.obtaining import Obtained
from bindgen.problems import ContractRefused, Problem
from bindgen.reading import compiled
from bindgen.reading.definitions import Definitions
from bindgen.reading.documents import Documents
from bindgen.reading.findings import Findings
from bindgen.reading.schemas import Schemas


def invalid(found: Obtained) -> list[Problem]:
    """What is wrong with the schemas; nothing where they compile, or are too large for it to be tried."""
    findings = Findings([], [])
    documents = Documents(_Fetched(found), found.places)
    schemas = Schemas(documents, findings)
    Definitions(documents.root, documents, schemas, findings)
    return compiled.of_all(schemas)


def refuse_invalid(found: Obtained) -> None:
    """Raise ContractRefused where the schemas do not compile."""
    if problems := invalid(found):
        why = (
            f"{found.after.name}: its schemas do not compile, so nothing was written. What to do: report "
            "them to who serves them, or correct a copy and use --file PATH."
        )
        raise ContractRefused([Problem(why), *problems])


class _Fetched:
    """The documents as a source that resolves what they name."""

    def __init__(self, found: Obtained) -> None:
        documents = found.after.documents
        self.root_url = documents[0].url
        self._contents = {each.url: found.contents[each.file] for each in documents}
        self._aliases = {alias: each.url for each in documents for alias in each.aliases}

    def read(self, url: str) -> bytes:
        return self._contents[url]

    def resolve(self, base_url: str, location: str) -> str:
        url = addresses.resolve(base_url, location)
        return self._aliases.get(url, url)
