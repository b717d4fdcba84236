"""Texts and pieces of markup for the templates, made from the model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from bindgen import naming
from bindgen.docs.catalogue import Catalogue, part
from bindgen.emit import hints
from bindgen.model import (
    Anything,
    Enum,
    Facets,
    Field,
    ListOf,
    Operation,
    Simple,
    Struct,
    Type,
    UnionOf,
)
from bindgen.passes.signing import paths_of
from bindgen.rest_table import WHOLE
from bindgen.simple_types import DAY
from soapclient.runtime.schema import RestRow

_FEW = 8  # maximum number of values for which a field displays the values of an enumeration
_TAG = re.compile(r"(<[^>]*>)")
# Characters that XML does not allow: control characters, surrogates, noncharacters.
_UNFIT = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_FACETS = (
    ("length", "exactly {} long"),
    ("min_length", "at least {} long"),
    ("max_length", "at most {} long"),
    ("min_inclusive", "{} or more"),
    ("max_inclusive", "{} or less"),
    ("min_exclusive", "more than {}"),
    ("max_exclusive", "less than {}"),
    ("total_digits", "{} digits at most"),
    ("fraction_digits", "at most {} digits after the point"),
)
Pair = tuple[str, Markup]


# ---- pieces


def fit(text: str) -> str:
    """Replace each character that is not allowed in an HTML document with U+FFFD."""
    return _UNFIT.sub("\ufffd", text)


def code(text: str, *, href: str | None = None) -> Markup:
    """Mark up a text as code; with `href`, as a link to that anchor."""
    piece = Markup("<code>{}</code>").format(fit(text))
    return piece if href is None else Markup('<a href="#{}">{}</a>').format(href, piece)


def joined(pieces: Iterable[Markup]) -> Markup:
    """Join pieces with commas."""
    return Markup(", ").join(pieces)


def listed(texts: Iterable[str]) -> Markup:
    """Mark up texts as code and join them with commas."""
    return joined(map(code, texts))


def highlighted(xml: str) -> Markup:
    """Mark up XML with its texts in bold."""
    pieces = []
    for index, piece in enumerate(_TAG.split(xml)):
        # Remove the escapes of the document, because the page escapes the text again.
        plain = piece if index % 2 else piece.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
        form = "{}" if index % 2 or not plain.strip() else "<b>{}</b>"
        pieces.append(Markup(form).format(fit(plain)))
    return Markup("").join(pieces)


def local(tag: str) -> str:
    """Return a qualified name without its namespace."""
    return tag.rpartition("}")[2]


def title(key: str) -> str:
    """Convert a key of contracts.toml to a title: `report_zone` → `Report zone`."""
    return key.replace("_", " ").capitalize()


# ---- fields


@dataclass(frozen=True, slots=True)
class FieldView:
    """A field as a page displays it: its name, type, occurrence, documentation and notes."""

    anchor: str | None
    name: str
    occurs: str
    type: Markup
    marks: list[str]
    python: str
    doc: str
    notes: list[Markup]
    refused: str

    @property
    def kind(self) -> str:
        """The CSS class for the occurrence: required, optional, list or refused.

        A refused field is from an earlier version of the contract, and must not be sent.
        """
        return self.occurs.split(",")[0].split()[0]


def fields(
    catalogue: Catalogue, owner: str | None, items: Sequence[Field], *, asked: bool = False
) -> Iterator[FieldView]:
    """Yield a `FieldView` for each field in `items`, the fields of a type or message.

    `owner` is the anchor of this type or message. With `asked` (for requests), Python types are the types of
    method parameters. Without `asked`, they are the types of attributes.
    """
    for field in items:
        python = ""
        if field.python and not field.refused:
            python = f"{field.python}: {(hints.parameter if asked else hints.attribute)(field)[0]}"
        yield FieldView(
            catalogue.anchors.get((owner, id(field))),
            part(field),
            "refused" if field.refused else occurrence(field),
            _type(catalogue, field),
            _marks(field),
            python,
            field.doc,
            list(_notes(field, field.item or field)),
            field.refused,
        )


def linked_type(catalogue: Catalogue, kind: Type) -> Markup:
    """Return the name of a type with a link to its section."""
    if isinstance(kind, Simple):
        return code(f"xsd:{kind.xsd}")
    if isinstance(kind, Anything):
        return Markup("anything")
    if isinstance(kind, ListOf):
        return Markup("list separated by spaces, each ") + linked_type(catalogue, kind.item)
    if isinstance(kind, UnionOf):
        return Markup(" or ").join(linked_type(catalogue, member) for member in kind.members)
    return code(
        local(kind.qname), href=catalogue.place(kind) if isinstance(kind, Struct) else catalogue.of(kind)
    )


def linked_types(catalogue: Catalogue, kinds: Iterable[Type]) -> Markup:
    """Return the names of types, each with a link to its section."""
    return joined(linked_type(catalogue, kind) for kind in kinds)


def occurrence(field: Field) -> str:
    """Describe how often a field occurs: required, optional, or a list with the number of items."""
    inner = field.item or field
    if inner.repeats:
        within = _times(inner.least, inner.most)
        if field.item is None:
            return f"list, {within}"
        return f"{'required' if field.least else 'optional'} list, {within}"
    return "required" if field.least and not field.choices else "optional"


def _times(least: int, most: int | None) -> str:
    if most is None:
        return f"{least} or more"
    return f"{least}" if least == most else f"{least} to {most}"


def _marks(field: Field) -> list[str]:
    """Return short texts for the properties of a field, such as "may be nil" or "one of a choice"."""
    marks = {
        "may be missing": field.may_be_missing,
        "may be nil": field.nillable,
        "one of a choice": field.choices,
        f"{field.protocol.upper()} only": field.protocol,
        "optional over REST": field.rest_optional,
        "the text itself": field.kind == "text",
    }
    return [words for words, holds in marks.items() if holds]


def _type(catalogue: Catalogue, field: Field) -> Markup:
    """Return the type of a field, with links."""
    if field.kind == "any":
        return Markup("any element")
    if field.kind == "any_attributes":
        return Markup("any attributes")
    inner = field.item or field
    linked = linked_type(catalogue, inner.type)
    declared = local(field.type_name)
    if isinstance(inner.type, Simple) and declared not in ("", inner.type.xsd):
        linked = joined([code(declared), linked])
    return Markup("list of ") + linked if inner.repeats else linked


def _notes(field: Field, inner: Field) -> Iterator[Markup]:
    """Yield sentences about the values of a field.

    `inner` is the field that has the values: for a wrapped list, the item; for other fields, `field` itself.
    """
    if field.item is not None:
        yield Markup("Each in an element {}.").format(code(field.item.wire))
    if isinstance(inner.type, Enum) and len(inner.type.values) <= _FEW:
        yield Markup("One of {}.").format(listed(inner.type.values))
    if inner.facets and (facets := list(_facets(inner.facets))):
        yield joined(facets) + "."
    if field.default is not None:
        yield Markup("By default {}.").format(code(field.default))
    if field.fixed is not None:
        yield Markup("Always {}.").format(code(field.fixed))
    if inner.type is DAY:
        day = "A calendar day, sent as midnight in a document and as a date in an address."
        yield Markup(day)
    if field.may_be_missing:
        yield Markup("Declared as required, but sometimes missing: then None.")
    for kind, tag in field.elsewhere:
        yield Markup("Also read from the {} {}.").format(kind, code(local(tag)))
    if field.partial:
        yield Markup("Over REST, only the changed fields are required.")
    if field.wildcard is not None:
        yield Markup("Of the namespaces {}.").format(code(field.wildcard.namespaces))
    for value, reason in field.refused_values.items():
        yield Markup("Refused: {}, {}.").format(code(value), fit(reason))


def _facets(facets: Facets) -> Iterator[Markup]:
    """Describe each facet of a simple type."""
    for name, form in _FACETS:
        if (value := getattr(facets, name)) != "":
            yield Markup(form).format(fit(value))
    for pattern in facets.patterns:
        yield Markup("matches ") + code(pattern)
    if facets.enumeration:
        yield Markup("one of ") + listed(facets.enumeration)


# ---- operations and types


def badges(operation: Operation) -> list[tuple[str, str]]:
    """Return the badges of an operation: pairs of a kind (CSS class) and a text."""
    pairs = []
    if filled_in(operation) or operation.rest:
        pairs.append(("signed", "signed") if operation.signed else ("public", "public"))
        pairs.append(("safe", "safe to retry") if operation.safe else ("unsafe", "never retried"))
    if operation.pages:
        pairs.append(("paged", "paged"))
    if operation.list_field is not None:
        pairs.append(("streamed", "streamable"))
    if operation.one_way:
        pairs.append(("oneway", "one-way"))
    if not operation.soap:
        pairs.append(("alone", "REST only"))
    return pairs


def filled_in(operation: Operation) -> list[str]:
    """Return the paths of the elements that the client fills in to authenticate a request."""
    return [*paths_of(operation.authentication_headers), *paths_of(operation.authentication)]


def group(operation: Operation) -> str:
    """Return the first word of the operation's name, which for most services is a verb."""
    return naming.snake(operation.name).partition("_")[0].capitalize()


def about(struct: Struct) -> str:
    """Describe a repeating group, a substitution group or an abstract type; "" for other types."""
    if struct.holder:
        return {
            "substitution": "One of these elements.",
            "choice": "One occurrence of a repeating choice.",
            "sequence": "One occurrence of a repeating sequence.",
        }[struct.holder]
    return "Abstract: replaced by a type derived from it." if struct.abstract else ""


def soap(operation: Operation) -> list[Pair]:
    """Return the table that describes an operation over SOAP, as pairs of a title and a text."""
    form = f"{operation.style}/{'encoded' if operation.encoded else 'literal'}"
    actions = {"": operation.soap_action} | {
        f" at {name}": form.soap_action
        for name, form in operation.ports.items()
        if form.soap_action != operation.soap_action
    }
    rows = [
        *((f"SOAPAction{port}", code(action or '""')) for port, action in actions.items()),
        ("Request", code(local(operation.request_tag) or "several parts")),
    ]
    if not operation.one_way:
        rows.append(("Response", code(local(operation.response_tag) or "several parts")))
    if form != "document/literal":
        rows.append(("Form", Markup(form)))
    return rows


def rest(catalogue: Catalogue, operation: Operation, form: RestRow) -> list[Pair]:
    """Return the table that describes an operation over REST, as pairs of a title and a text.

    `form` describes the REST resource of the operation.
    """

    def linked(name: str) -> Markup:
        return code(name, href=catalogue.request_field(operation, name))

    rows: list[Pair] = []
    if form.in_path:
        rows.append(("In the path", joined(map(linked, form.in_path))))
    for parameter in form.query:
        value = linked(parameter.field)
        if parameter.separator:
            value += Markup(", several joined by ") + code(parameter.separator)
        for ours, theirs in parameter.spelling.items():
            value += Markup(", {} as {}").format(code(ours), code(theirs))
        rows.append((f"?{parameter.name}", value))
    root = code(f"<{local(form.root)}>")
    if form.body == WHOLE:
        rows.append(("Body", Markup("all fields that are in neither path nor query, in ") + root))
    elif form.body:
        partial = "; only the changed fields are required" if form.partial else ""
        rows.append(("Body", Markup("{}, in {}{}").format(code(form.body), root, partial)))
    if form.roots:
        rows.append(("Other roots of the response", listed(map(local, form.roots))))
    if form.wrapped:
        rows.append(
            ("The response may come in", code(f"{local(form.wrapped.root)} / {local(form.wrapped.list)}"))
        )
    return rows


def settings(catalogue: Catalogue, table: Mapping[str, object]) -> list[Pair]:
    """Return the entries of a table of contracts.toml, with links to the names in them."""
    return [(title(key), _value(catalogue, value)) for key, value in table.items() if value not in ("", [])]


def _value(catalogue: Catalogue, value: object) -> Markup:
    if isinstance(value, list):
        return joined(_value(catalogue, item) for item in value)
    text = str(value)
    return code(text, href=catalogue.at(text) if "/" in text else catalogue.called(text))
