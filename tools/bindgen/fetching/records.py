"""From the documents of a fetch to the record in the lock, and what sets two records apart."""

from __future__ import annotations

from datetime import UTC, datetime

from bindgen.fetching import canonical, filenames
from bindgen.fetching.errors import FetchError
from bindgen.fetching.locked import LockedContract, LockedDocument, Origin
from bindgen.fetching.walk import Document


def lock_contract(
    name: str,
    version: str,
    root_url: str,
    origin: Origin,
    now: datetime,
    tool: str,
    found: list[Document],
) -> LockedContract:
    """The record of a contract: `found` in the order of discovery, `now` aware. Raises FetchError."""
    if now.tzinfo is None:
        raise ValueError("the clock gave a date-time without a zone")
    try:
        names = filenames.file_names(
            {each.url: each.kind for each in found}, root_url=found[0].url, contract=name
        )
    except filenames.NameClash as error:
        raise FetchError(root_url, str(error), "check what the documents import") from error
    documents = tuple(_locked_document(each, f"{name}/{version}/{names[each.url]}") for each in found)
    return LockedContract(
        name,
        root_url,
        origin,
        now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        tool,
        canonical.combined_sha256(each.canonical_sha256 for each in documents),
        documents,
    )


def _locked_document(document: Document, file: str) -> LockedDocument:
    try:
        digest = canonical.canonical_sha256(document.content)
    except canonical.DocumentError as error:
        raise FetchError(document.url, str(error), "use --file PATH with a corrected copy") from error
    return LockedDocument(
        document.url,
        file,
        canonical.sha256(document.content),
        digest,
        document.etag,
        document.last_modified,
        tuple(sorted(set(document.aliases))),
    )


def mean_the_same(before: LockedContract, after: LockedContract) -> bool:
    """Whether two states differ in nothing but layout, validators and the time of the fetch."""

    def meaning(contract: LockedContract) -> object:
        return (
            contract.root,
            contract.origin,
            [(each.url, each.file, each.canonical_sha256, each.aliases) for each in contract.documents],
        )

    return meaning(before) == meaning(after)


def differences(before: LockedContract | None, after: LockedContract) -> list[str]:
    """What a fetch changed, a line for each document, for people."""
    lines = document_differences(before, after)
    if before is not None and before.origin != after.origin:
        lines.append(f"{after.name}: origin is now {after.origin}")
    return lines


def document_differences(
    before: LockedContract | None, after: LockedContract, *, kept: bool = True
) -> list[str]:
    """What sets the documents of two states apart; with `kept`, in which files the new ones are."""
    old = {each.url: each for each in before.documents} if before is not None else {}
    new = {each.url: each for each in after.documents}
    lines = [f"{url}: removed" for url in old if url not in new]
    for url, each in new.items():
        place = f", kept as {each.file}" if kept else ""
        if url not in old:
            lines.append(f"{url}: new{place}")
        elif old[url].canonical_sha256 != each.canonical_sha256:
            lines.append(f"{url}: changed{place}")
        elif old[url].sha256 != each.sha256:
            lines.append(f"{url}: unchanged but for formatting{place}")
    return lines
