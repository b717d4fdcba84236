"""Find the version of a service in its contract."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from lxml import etree

_VERSION = re.compile(r"\d{4}-\d{2}(?:-\d{2})?|v\d+(?:\.\d+)*|\d+(?:\.\d+)+", re.ASCII | re.IGNORECASE)


def of_contract(address: str, namespace: str) -> str:
    """Return the last part of an address, or of a namespace, that looks like a version or a date.

    Examples are 2011-03-01, v2 and 1.4. Returns "" if there is no such part.
    """
    parts = [*urlsplit(address).path.split("/"), ""]
    for segments in (parts, re.split("[/:#]", namespace)):
        for segment in reversed(segments):
            if _VERSION.fullmatch(segment):
                return segment
    return ""


def of_documents(roots: Iterable[etree._Element]) -> str:
    """Return the version of a WSDL from the root elements of its documents; "" if none is found.

    The version is in the address of the first port, or else in the target namespace of the first document.
    """
    documents = list(roots)
    ports = (node for root in documents for node in root.iterfind(".//{*}port/{*}address"))
    address = next((node.get("location", "") for node in ports), "")
    return of_contract(address, documents[0].get("targetNamespace", "") if documents else "")
