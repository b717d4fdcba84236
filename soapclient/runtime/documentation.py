"""The documentation of a contract as data: `docs.json`.

bindgen writes the file next to `schema.json`. It contains the texts of `xs:documentation` and
`wsdl:documentation`. Only tools such as the command line and the console read the file, so it does not slow
down calls. Packages without documentation, and packages of earlier versions, do not have the file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from soapclient.runtime.fields import Field, Types

DOCS_FILE = "docs.json"


class TypeDocumentation(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The documentation of a type and of the fields that it declares, by their Python names."""

    text: str = ""
    fields: dict[str, str] = {}


class Documentation(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The documentation of a package. White space in the texts is normalized.

    `types` has complex types and enumerations by their Python names. `operations` has operations by their
    names in `schema.json`. Types and operations without documentation are left out.
    """

    made_by: str = ""
    types: dict[str, TypeDocumentation] = {}
    operations: dict[str, str] = {}

    def of_type(self, name: str) -> str:
        """Return the documentation of a type or an enumeration, by its Python name; "" if there is none."""
        entry = self.types.get(name)
        return "" if entry is None else entry.text

    def of_field(self, types: Types, owner: str, field: Field) -> str:
        """Return the documentation of a field, or the documentation of its type if the field has none.

        `owner` is the type that contains the field. The field may be declared by a base type of `owner`.
        Returns "" if there is no documentation.
        """
        while owner:
            entry = self.types.get(owner)
            if entry is not None and (text := entry.fields.get(field.python)):
                return text
            row = types.row(owner)
            owner = row.base if row.derivation == "extension" else ""
        return self.of_type(field.holds or field.row.type)


_documentation = msgspec.json.Decoder(Documentation)


def parse_documentation(data: bytes) -> Documentation:
    """Decode `docs.json`. Raises msgspec.MsgspecError if the file is damaged."""
    return _documentation.decode(data)
