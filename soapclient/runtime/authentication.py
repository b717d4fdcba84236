"""The elements and SOAP headers that the client fills in to authenticate a request."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from soapclient.runtime.errors import local_name
from soapclient.runtime.schema import FilledRow, OperationRow, Schema

if TYPE_CHECKING:  # so that listing operations does not import an XML library
    from soapclient.runtime.elements import Element
    from soapclient.runtime.operations import AnyOperation


class AuthenticationElement(NamedTuple):
    """An element or attribute that the client adds to a request to authenticate it, such as the signature.

    Made from a `FilledRow`, which is an entry in the package's `schema.json`. Names are in Clark notation.

    - `tag`: the name of an element; "" for an attribute. `attribute`: the name of an attribute; "" for an
      element.
    - `role`: says which value to write as text, such as `connect_id`. It is "" for an element that only
      groups the elements in `content`.
    """

    tag: str
    role: str
    before: frozenset[str]
    content: tuple[AuthenticationElement, ...]
    attribute: str

    @property
    def name(self) -> str:
        """The name of the element or attribute, without its namespace."""
        return local_name(self.attribute or self.tag)


AuthenticationElements = tuple[AuthenticationElement, ...]


def resolved(
    rows: Sequence[FilledRow], tag: Callable[[str], str], key: Callable[[str], str]
) -> AuthenticationElements:
    """Convert `FilledRow` entries of `schema.json` to `AuthenticationElement` objects.

    `tag` and `key` are functions that convert names to Clark notation: `tag` for names of elements, `key` for
    names of attributes.
    """
    return tuple(
        AuthenticationElement(
            "" if row.xml.startswith("@") else tag(row.xml),
            row.role,
            frozenset(map(tag, row.before)),
            resolved(row.content, tag, key),
            key(row.xml[1:]) if row.xml.startswith("@") else "",
        )
        for row in rows
    )


def facts(row: OperationRow, schema: Schema) -> dict[str, object]:
    """Return the attributes of an `Operation` that describe its authentication, as a dict.

    `row` is the operation's entry in the package's `schema.json`. `schema` converts the names in this entry
    to Clark notation.
    """
    message, head = (
        resolved(rows, schema.tag, schema.key) for rows in (row.authentication, row.authentication_headers)
    )
    return {
        "authentication": message,
        "authentication_headers": head,
        "filled_names": frozenset(place.name for place in walk((*message, *head)) if place.role),
    }


def fill(parent: Element, places: AuthenticationElements, values: Mapping[str, str]) -> None:
    """Add authentication elements and attributes to `parent` if they are missing, and set their texts.

    `places` describes these elements and attributes. `values` maps roles, such as `connect_id`, to texts. If
    a role has no value, an existing element keeps its text and a new element stays empty.
    """
    for place in places:
        text = values.get(place.role)
        if place.attribute:
            parent.set(place.attribute, text or parent.get(place.attribute) or "")
            continue
        node = next(parent.iterchildren(place.tag), None)
        if node is None:
            node = _insert(parent, place)
        if text is not None:
            node.text = text
        if place.content:
            fill(node, place.content, values)


def fill_envelope(envelope: Element, operation: AnyOperation, values: Mapping[str, str]) -> None:
    """Fill in the authentication elements in the message and the headers of an envelope.

    `values` maps roles to texts, as in `fill`.
    """
    if operation.authentication_headers:
        fill(_head(envelope), operation.authentication_headers, values)
    if operation.authentication:
        fill(message_of(envelope, operation), operation.authentication, values)


def message_of(envelope: Element, operation: AnyOperation) -> Element:
    """Return the element of an envelope that holds the fields of the request.

    Raises ValueError if the envelope does not have a body.
    """
    for part in envelope:
        if str(part.tag).rpartition("}")[2] == "Body":
            return part[0] if operation.request_tag else part
    raise ValueError("the envelope does not have a body")


def values_of(parent: Element, places: AuthenticationElements) -> dict[str, str]:
    """Return the texts of the authentication elements in `parent`, by role. Empty texts are left out."""
    values: dict[str, str] = {}
    for place in places:
        if place.attribute:
            values[place.role] = parent.get(place.attribute) or ""
            continue
        node = next(parent.iterchildren(place.tag), None)
        if node is not None:
            values.update(values_of(node, place.content))
            if place.role:
                values[place.role] = node.text or ""
    return {role: text for role, text in values.items() if text}


def remove(parent: Element, places: AuthenticationElements, *, empty: bool = False) -> None:
    """Remove authentication elements and attributes from `parent`.

    An element that only groups authentication elements is kept if it has other children or attributes. If
    `empty` is True, only elements and attributes without a text are removed.
    """
    for place in places:
        if place.attribute:
            if not (empty and parent.get(place.attribute)):
                parent.attrib.pop(place.attribute, None)
            continue
        for node in list(parent.iterchildren(place.tag)):
            remove(node, place.content, empty=empty)
            bare = not (len(node) or node.attrib)
            if (bare and not node.text) if empty else (bare or place.role):
                parent.remove(node)


def walk(places: AuthenticationElements) -> Iterator[AuthenticationElement]:
    """Yield all authentication elements, at any depth. Each is followed by the elements inside it."""
    for place in places:
        yield place
        yield from walk(place.content)


def _head(envelope: Element) -> Element:
    first = next(iter(envelope), None)
    if first is not None and local_name(first.tag) == "Header":
        return first
    space = str(envelope.tag).rpartition("}")[0]
    head = envelope.makeelement(f"{space}}}Header")
    envelope.insert(0, head)
    return head


def _insert(parent: Element, place: AuthenticationElement) -> Element:
    following = next((child for child in parent if child.tag in place.before), None) if place.before else None
    node = parent.makeelement(place.tag)
    parent.insert(len(parent) if following is None else parent.index(following), node)
    return node
