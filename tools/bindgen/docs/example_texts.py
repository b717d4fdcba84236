"""An example text of a simple type of the model: what the facets allow, as far as they say."""

from __future__ import annotations

from bindgen import naming
from bindgen.model import Enum, Facets, ListOf, SimpleType, UnionOf
from soapclient.testing import samples


def sample(kind: SimpleType, name: str, facets: Facets | None) -> tuple[str, SimpleType]:
    """A text of the type for a field of that name, and the type it is of: of a union the member."""
    said = facets or Facets()
    if isinstance(kind, UnionOf):
        text, member = sample(kind.members[0], name, None) if kind.members else ("", kind)
        return (said.enumeration[0], member) if said.enumeration else (text, member)
    if isinstance(kind, Enum):
        return (kind.values[0] if kind.values else ""), kind
    if said.enumeration:
        return said.enumeration[0], kind
    if isinstance(kind, ListOf):
        return samples.several(sample(kind.item, name, None)[0], said), kind
    return samples.scalar(kind.scalar.lower(), naming.snake(name), said), kind
