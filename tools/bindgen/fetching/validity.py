"""Whether documents that were fetched make a contract, asked before they replace one that does."""

from __future__ import annotations

from pathlib import Path

from bindgen.fetching.catalogue import Catalogue
from bindgen.fetching.fetch import Obtained
from bindgen.problems import ContractRefused, Problem
from bindgen.reading import compiled
from bindgen.reading.definitions import Definitions
from bindgen.reading.documents import Documents
from bindgen.reading.findings import Findings
from bindgen.reading.schemas import Schemas


def invalid(found: Obtained) -> list[Problem]:
    """What is wrong with the schemas; nothing where they compile, or are too large for it to be tried."""
    findings = Findings()
    contents = {each.url: found.contents[each.file] for each in found.after.documents}
    documents = Documents(Catalogue(Path(), found.after, contents), found.places)
    schemas = Schemas(documents, findings)
    Definitions(documents.root, documents, schemas, findings)
    return compiled.of_all(schemas) or []


def refuse_invalid(found: Obtained) -> None:
    """Raise ContractRefused where the schemas do not compile."""
    if problems := invalid(found):
        why = (
            f"{found.after.name}: its schemas do not compile, so nothing was written. What to do: report "
            "them to who serves them, or correct a copy and use --file PATH."
        )
        raise ContractRefused([Problem(why), *problems])
