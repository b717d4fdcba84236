"""The schemas of W3C and OASIS that contracts import without a location.

bindgen has its own version of most of them in the folder `schemas`. The others are part of the package
xmlschema.
"""

from __future__ import annotations

from importlib import resources
from typing import Final

from lxml import etree

from bindgen.reading.documents import Document, Documents
from bindgen.simple_types import XSD

_OASIS: Final = "http://docs.oasis-open.org"
_WSS: Final = f"{_OASIS}/wss/2004/01/oasis-200401-wss-wssecurity"
# Namespace → package and file.
_FILES: Final = {
    "http://www.w3.org/2005/05/xmlmime": ("bindgen", "schemas/xmlmime.xsd"),
    "http://www.w3.org/2005/08/addressing": ("bindgen", "schemas/wsa-2005-08.xsd"),
    "http://schemas.xmlsoap.org/ws/2004/08/addressing": ("bindgen", "schemas/wsa-2004-08.xsd"),
    f"{_WSS}-secext-1.0.xsd": ("bindgen", "schemas/wsse.xsd"),
    f"{_WSS}-utility-1.0.xsd": ("bindgen", "schemas/wsu.xsd"),
    f"{_OASIS}/ws-rx/wsrm/200702": ("bindgen", "schemas/wsrm-2007-02.xsd"),
    "http://schemas.xmlsoap.org/ws/2005/02/rm": ("bindgen", "schemas/wsrm-2005-02.xsd"),
    "http://www.w3.org/1999/xlink": ("xmlschema", "schemas/XLINK/xlink.xsd"),
    "http://www.w3.org/2000/09/xmldsig#": ("xmlschema", "schemas/DSIG/xmldsig-core-schema.xsd"),
    "http://www.w3.org/2001/04/xmlenc#": ("xmlschema", "schemas/XENC/xenc-schema.xsd"),
}
SPACES: Final = frozenset(_FILES)


def document(space: str) -> Document | None:
    """Return the schema of a namespace; None if bindgen does not have it."""
    package, path = _FILES.get(space, ("", ""))
    file = resources.files(package).joinpath(path) if package else None
    if file is None or not file.is_file():
        return None
    # The document type and all locations are removed: the schemas refer to one another by namespace.
    parser = etree.XMLParser(resolve_entities=False, load_dtd=False, no_network=True, remove_comments=True)
    root = etree.fromstring(file.read_bytes(), parser)
    for link in root.iterchildren(f"{{{XSD}}}import"):
        link.attrib.pop("schemaLocation", None)
    name = path.rpartition("/")[2]
    return Documents.parse(f"bundled:{name}", f"{name} (bundled)", etree.tostring(root, encoding="UTF-8"))
