"""Find the elements of a request that contain its signature. They are identified by their names.

The settings name an element for each role of the signing scheme. The first role identifies the caller, and
the last one is the signature.

The elements can be in the message at any depth, or in SOAP headers. A request without such elements is signed
in HTTP headers. Elements that the client fills in are removed from the request types, so that methods have no
parameters for them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from bindgen import schemes
from bindgen.model import (
    Anything,
    AuthenticationElement,
    Contract,
    Field,
    Header,
    Operation,
    PortForm,
    Struct,
)
from bindgen.passes.walk import absent, structs
from bindgen.problems import Problem
from bindgen.settings import ContractSettings

# Namespaces of headers that are filled in elsewhere: WS-Security and WS-Addressing.
_STANDARD = (
    "{http://docs.oasis-open.org/wss/",
    "{http://schemas.xmlsoap.org/ws/",
    "{http://www.w3.org/2005/08/addressing}",
)


@dataclass(frozen=True, slots=True, eq=False)
class _Place:
    """An element or attribute of a request that contains the value of a role of the signing scheme.

    The settings map each role to a name; an element with this name has the role. `steps` is the path to the
    element: its fields, each with the struct that contains the field. The path begins in the SOAP header
    `header`, or in the message if `header` is None. `steps` is empty if the header has a simple type and
    contains the value itself.
    """

    role: str
    steps: tuple[tuple[Struct, Field], ...]
    header: Header | None = None

    @property
    def holder(self) -> tuple[object, ...]:
        """A key that identifies the parent element (the holder) of this place.

        It is equal for equal parents.
        """
        if self.header is not None and not self.steps:
            return ("head",)
        return (
            None if self.header is None else self.header.tag,
            *(id(field) for _, field in self.steps[:-1]),
        )

    @property
    def within(self) -> str:
        """The path of the parent element."""
        return self.names.rpartition("/")[0]

    @property
    def names(self) -> str:
        """The path of the element in the message or header."""
        return "/".join(
            [*([self.header.name] if self.header else []), *(field.wire for _, field in self.steps)]
        )


def run(contract: Contract) -> None:
    """Find the authentication elements of each operation and remove them from the request types.

    An operation with the elements of all roles is signed. An operation with only the element of the first
    role is public (docs/explanation/service.md#signing). An operation without any of the elements is signed
    in HTTP headers, unless `signing.public` lists it.
    """
    if not contract.settings.section("signing"):
        return
    names = contract.settings.authentication
    roles = {name: role for role, name in names.items()}
    identity = set(list(names)[:1])
    public = contract.settings.texts("signing", "public")
    for unknown in sorted(set(public) - {operation.name for operation in contract.operations}):
        operation_names = [operation.name for operation in contract.operations]
        absent(contract, "signing.public", f": no operation {unknown!r}", unknown, operation_names, public)
    chosen: list[tuple[Operation, PortForm | None, list[_Place]]] = []
    refusals = _Refusals(contract, names)
    usual = {key for operation in contract.operations for key in _complete(operation, roles)}
    for operation in contract.operations:
        places = _choose(refusals, operation, operation.request_headers, roles, usual)
        chosen.append((operation, None, places))
        for form in operation.ports.values():
            chosen.append((operation, form, _choose(refusals, operation, form.request_headers, roles, usual)))
        found_roles = {place.role for place in places}
        declared = found_roles == set(names) != set()
        operation.signed = declared or not (found_roles or operation.name in public)
        if declared and operation.name in public:
            key = contract.settings.where("signing.public")
            why = f"{key}: {operation.name} declares the signature, so it is signed. Remove it from the list"
            contract.notes.append(Problem(why))
        if found_roles == identity != set(names):
            refusals.identified.append(operation)
    if not any({place.role for place in places} == set(names) for _, _, places in chosen):
        refusals.unsigned([item for item in refusals.identified if item.name not in public])
    refusals.report()
    for operation, at_port, places in chosen:
        in_headers = [place for place in places if place.header is not None]
        (at_port or operation).authentication_headers = _headers(in_headers)
        if at_port is None:
            operation.authentication = _trees(operation.request, _bodies(places))
    received = {id(struct) for struct in structs(contract, requests=False)}
    # In a second loop, because several operations can share a type.
    for operation, at_port, places in chosen:
        for place in places:
            _remove_field(place, received)
        _remove_headers(at_port or operation, places)
    contract.remarks += [Problem(line) for line in summary(contract)]
    contract.notes += _unknown_scheme(contract.settings)


def _unknown_scheme(settings: ContractSettings) -> Iterator[Problem]:
    """Yield a note if the signing scheme in the settings is unknown.

    It is known if soapclient or an installed package has it. An unknown scheme is not an error, because
    programs can register it later.
    """
    name = settings.section("signing").get("scheme")
    if schemes.roles_of(name) is None:
        yield Problem(
            f"{settings.where('signing.scheme')}: the scheme {name!r} is not known here (known: "
            f"{', '.join(schemes.known())}). Programs must register it before they connect: "
            f"soapclient.signing.register_scheme({name!r}, …)"
        )


def _bodies(places: Iterable[_Place]) -> list[_Place]:
    """Return the authentication elements that are in the body of the message, not in SOAP headers."""
    return [place for place in places if place.header is None]


# ---- find the places


_Holders = dict[tuple[object, ...], dict[str, _Place]]


def _holders(operation: Operation, headers: list[Header], roles: dict[str, str]) -> _Holders:
    """Return the authentication elements of a request, grouped by parent element.

    The result maps the key of a parent (`_Place.holder`) to a dict of its authentication elements by role.
    `headers` are the request's SOAP headers; ports of an operation can have different ones. `roles` maps
    names of elements to roles.
    """
    holders: _Holders = {}
    for place in (*_in_struct(operation.request, roles, None), *_in_headers(headers, roles)):
        holders.setdefault(place.holder, {}).setdefault(place.role, place)
    return holders


def _complete(operation: Operation, roles: dict[str, str]) -> Iterator[str]:
    """Yield the path of each element in an operation's request that has a child for every role.

    `roles` maps the names of the children to roles.
    """
    for by_role in _holders(operation, operation.request_headers, roles).values():
        if len(by_role) == len(roles) > 1:
            yield next(iter(by_role.values())).within


def _choose(
    refusals: _Refusals,
    operation: Operation,
    headers: list[Header],
    roles: dict[str, str],
    usual: Collection[str],
) -> list[_Place]:
    """Return the authentication elements in an operation's request that the client fills in.

    - `headers`: the request's SOAP headers at one port. Other ports can have different headers.
    - `roles`: maps the names of authentication elements to roles.
    - `usual`: paths of elements that have a child for every role in some operation.

    If there are several roles and this request has elements with a child for every role, the result is all
    these children. Otherwise, the result has at most one element for each role: an element that is used only
    for authentication, or an element whose parent is at a `usual` path.

    Elements with a role that would stay empty are recorded in `refusals`.
    """
    holders = _holders(operation, headers, roles)
    order = list(roles.values())
    complete = [by_role for by_role in holders.values() if len(by_role) == len(roles)]
    if complete and len(roles) > 1:
        return [by_role[role] for by_role in complete for role in order]
    # If the roles have different parents, or if there is only one role, take only elements that serve
    # authentication alone: other elements can be values of the caller.
    separate: dict[str, _Place] = {}
    for by_role in sorted(holders.values(), key=len, reverse=True):
        for role, place in by_role.items():
            if place.within in usual or _is_only_authentication(place, roles):
                separate.setdefault(role, place)
    if len(separate) == len(roles) > 0:
        return [separate[role] for role in order]
    if separate and (order[-1] in separate or (order[0] in separate and len(separate) > 1)):
        refusals.partial(operation, separate)
        return list(separate.values())  # removed from the request, so that no other pass refuses them
    if separate and order[0] in separate:
        return [separate[order[0]]]
    refusals.unfilled(operation, headers)
    return []


def _in_headers(headers: list[Header], roles: dict[str, str]) -> Iterator[_Place]:
    """Yield each authentication element in SOAP headers. `roles` maps names of elements to roles."""
    for header in headers:
        role = roles.get(header.tag.rpartition("}")[2])
        if role and _is_text(header.type):
            yield _Place(role, (), header)
        else:
            yield from _in_struct(header.type, roles, header)


def _in_struct(struct: Struct, roles: dict[str, str], header: Header | None) -> Iterator[_Place]:
    """Yield each authentication element in a type: each field, at any depth, whose name belongs to a role.

    `roles` maps names of elements to roles. Lists are skipped, because their items are data. `header` is the
    SOAP header that has the type, or None for the message.
    """
    seen: set[int] = set()
    todo: list[tuple[Struct, tuple[tuple[Struct, Field], ...]]] = [(struct, ())]
    while todo:
        inner, steps = todo.pop(0)
        if id(inner) in seen:
            continue
        seen.add(id(inner))
        for owner in inner.line():
            for field in owner.fields:
                if field.kind not in ("element", "attribute") or field.repeats or field.item:
                    continue
                path = (*steps, (inner, field))
                role = roles.get(field.wire)
                if role is not None and _is_text(field.type):
                    yield _Place(role, path, header)
                elif isinstance(field.type, Struct):
                    todo.append((field.type, path))


def _is_text(kind: object) -> bool:
    """Return True for a simple type, and for a complex type with a text and optional attributes only."""
    if isinstance(kind, Struct):
        fields = kind.all_fields()
        texts = [field for field in fields if field.kind == "text"]
        return bool(texts) and not any(field.least for field in fields if field not in texts)
    return not isinstance(kind, Anything)


def _is_only_authentication(place: _Place, roles: Collection[str]) -> bool:
    """Return True if an authentication element is used only for authentication, not for data of callers.

    This is the case if the element is in a SOAP header, at the top level of the message, or inside an element
    that contains only authentication elements.
    """
    if place.header is not None or len(place.steps) == 1:
        return True
    return all(_only(struct, roles) for struct, _ in place.steps[1:])


def _only(struct: Struct, roles: Collection[str]) -> bool:
    """Return True if a type contains, at any depth, only authentication elements. `roles` has their names."""
    return all(
        field.wire in roles or (isinstance(field.type, Struct) and _only(field.type, roles))
        for field in struct.all_fields()
        if field.kind in ("element", "attribute", "text")
    )


class _Refusals:
    """Collects the authentication elements of all operations that would stay empty, to report them.

    `--propose` suggests matching names for these elements.
    """

    def __init__(self, contract: Contract, names: Mapping[str, str]) -> None:
        self.contract: Final = contract
        self.names: Final = names
        self.identified: Final[list[Operation]] = []  # operations with the first role alone
        self._public: list[Operation] = []
        self._missing: Final[dict[str, list[Operation]]] = {}
        self._declared: Final[dict[str, str]] = {}  # by the missing role
        self._headers: Final[dict[str, tuple[Header, list[Operation]]]] = {}

    def partial(self, operation: Operation, plain: Mapping[str, _Place]) -> None:
        """Record an operation that has authentication elements for only some of the roles.

        `plain` maps these roles to the places of the elements.
        """
        declared = ", ".join(plain[role].names for role in self.names if role in plain)
        for role in self.names:
            if role not in plain:
                self._missing.setdefault(role, []).append(operation)
                self._declared.setdefault(role, declared)

    def unsigned(self, operations: list[Operation]) -> None:
        """Record that requests of `operations` have the element of the first role, but not of other roles.

        Does nothing if missing roles are already recorded for other operations. Call this only if no
        operation of the contract has the elements of all roles.
        """
        if not operations or self._missing:  # the missing signature is reported for other operations already
            return
        identity, *others = self.names
        for role in others:
            self._public = self._missing[role] = operations
            self._declared[role] = self.names[identity]

    def unfilled(self, operation: Operation, headers: list[Header]) -> None:
        """Record the SOAP headers that would stay empty, for an operation without authentication elements.

        Headers in `signing.headers` are not recorded, because callers pass them; nor are headers of
        WS-Security and WS-Addressing, because other code fills them in.
        """
        listed = self.contract.settings.texts("signing", "headers")
        for header in headers:
            if header.name not in listed and not header.tag.startswith(_STANDARD):
                self._headers.setdefault(header.tag, (header, []))[1].append(operation)

    def report(self) -> None:
        """Add a problem for each role whose element is missing, and for each header that would stay empty."""
        settings = self.contract.settings
        for role, operations in self._missing.items():
            verb = "declares" if len(operations) == 1 else "declare"
            setting = f"signing.{role}"
            message = (
                f"{settings.where(setting)}: {_few(operations)} {verb} {self._declared[role]} for "
                f"authentication, but no element {self.names[role]!r}. Set this key to the name of the "
                "element in the contract"
            )
            if operations is self._public:
                listed = ", ".join(f'"{item.name}"' for item in operations)
                message += (
                    f". If they are public, list them in {settings.where('signing.public')}: [{listed}]"
                )
            self.contract.problems.append(Problem(message, operations[0].place, setting))
        for header, operations in self._headers.values():
            verb = "declares" if len(operations) == 1 else "declare"
            fields = [item.wire for item in header.type.all_fields() if item.kind in ("element", "attribute")]
            inside = ", ".join(fields) or header.tag.rpartition("}")[2]
            names = ", ".join(self.names.values()) or "the roles, because the settings name none"
            message = (
                f"{_few(operations)} {verb} the SOAP header {header.name} ({inside}), which would be "
                f"sent empty: it has none of {names}. If it authenticates requests, name "
                f"its elements in {settings.where('signing')}. If callers pass it, list it there:\n"
                f'    headers = ["{header.name}"]'
            )
            self.contract.problems.append(Problem(message, header.place, "signing"))


def _few(operations: list[Operation]) -> str:
    """Return the names of operations as text. A long list is shortened: "A, B, C and 2 more"."""
    names = [operation.name for operation in dict.fromkeys(operations)]
    more = len(names) - _FEW
    return f"{', '.join(names[:_FEW])}{f' and {more} more' if more > 0 else ''}"


# ---- build the elements that the client fills in


def _headers(places: list[_Place]) -> list[AuthenticationElement]:
    """Return an AuthenticationElement for each SOAP header that the client fills in, with its content.

    `places` are the places in these headers that contain the values of roles.
    """
    by_header: dict[str, list[_Place]] = {}
    for place in places:
        assert place.header is not None  # callers pass places in headers only
        by_header.setdefault(place.header.tag, []).append(place)
    headers = []
    for tag, group in by_header.items():
        first = group[0]
        if not first.steps:
            headers.append(AuthenticationElement(tag, role=first.role))
        else:
            assert first.header is not None
            headers.append(AuthenticationElement(tag, content=_trees(first.header.type, group)))
    return headers


def _trees(struct: Struct, places: list[_Place], depth: int = 0) -> list[AuthenticationElement]:
    """Return the elements and attributes in `struct` that the client fills in, in the contract's order.

    `places` are the authentication elements that the client fills in. All are in `struct`, and the first
    `depth` steps of their paths lead to it.
    """
    by_field: dict[int, list[_Place]] = {}
    for place in places:
        by_field.setdefault(id(place.steps[depth][1]), []).append(place)
    fields = struct.all_fields()
    trees = []
    for index, field in enumerate(fields):
        group = by_field.get(id(field), [])
        if not group:
            continue
        following = () if _order_is_free(struct) else tuple(_tags(fields[index + 1 :], by_field))
        filled = AuthenticationElement(field.tag, field.kind == "attribute", before=following)
        if len(group[0].steps) == depth + 1:
            filled.role, filled.field = group[0].role, field
        else:
            assert isinstance(field.type, Struct)  # only structs have inner steps
            filled.content = _trees(field.type, group, depth + 1)
        if filled.attribute:
            filled.before = ()
        trees.append(filled)
    return trees


def _order_is_free(struct: Struct) -> bool:
    """Return True if the elements of a type may be in any order (`xs:all`)."""
    return any(owner.all_group for owner in struct.line())


def _tags(fields: Iterable[Field], filled: Collection[int]) -> Iterator[str]:
    """Yield the tags of the elements in `fields`, including elements of groups.

    `filled` are the ids of the fields that the client fills in; these are left out.
    """
    for field in fields:
        if field.kind == "element" and id(field) not in filled and field.protocol != "rest":
            yield field.tag
        elif field.kind == "group" and isinstance(field.type, Struct):
            yield from _tags(field.type.all_fields(), filled)


# ---- remove the elements from the types


def _remove_field(place: _Place, received: Collection[int]) -> None:
    """Remove an authentication element from the type that has it. Parents that become empty are removed, too.

    If responses also use the type, the field is not removed but becomes optional. `received` are the ids of
    the types in responses.
    """
    for struct, field in reversed(place.steps):
        for owner in struct.line():
            if field not in owner.fields:
                continue
            if id(owner) in received:
                field.least = 0
                return
            owner.fields.remove(field)
        rest = [item for item in struct.all_fields() if item.kind != "any_attributes"]
        if rest and any(item.least for item in rest):
            return
        if rest:  # the client adds the element, so callers need not pass it
            for outer, holder in place.steps:
                if holder.type is struct and id(outer) not in received:
                    holder.least = 0
            return


def _remove_headers(form: Operation | PortForm, places: list[_Place]) -> None:
    """Remove the headers that the client fills in completely.

    `form` is an operation, or its form at another port. `places` are the authentication elements that the
    client fills in. A header that has other fields remains, and is required if one of these fields is
    required.
    """
    filled = {place.header.tag: place for place in places if place.header is not None}
    remaining = []
    for header in form.request_headers:
        place = filled.get(header.tag)
        rest = [field for field in header.type.all_fields() if field.kind != "any_attributes"]
        if place is None or (place.steps and rest):
            header.required |= place is not None and any(field.least for field in rest)
            remaining.append(header)
    form.request_headers = remaining


# ---- describe the result


def is_by_headers_alone(contract: Contract) -> bool:
    """Return True if signatures are required, but are sent only in HTTP headers.

    This is the case if no operation has an element for the signature.
    """
    forms = [form for operation in contract.operations if operation.soap for form in operation.forms()]
    filled = any(operation.authentication for operation in contract.operations)
    filled |= any(form.authentication_headers for form in forms)
    return bool(contract.settings.section("signing") and forms) and not filled


def summary(contract: Contract) -> list[str]:
    """Return lines that describe how operations are signed.

    Operations signed in the same way share a line.
    """
    groups: dict[str, list[str]] = {}
    for operation in contract.operations:
        if not operation.soap:
            continue
        kind = "signed" if operation.signed else "public"
        groups.setdefault(f"{kind}, {_where(operation)}", []).append(operation.name)
    return [
        f"{label}: {len(names)} operation{'' if len(names) == 1 else 's'}{_listed(names)}"
        for label, names in groups.items()
    ]


_FEW = 3


def _listed(names: list[str]) -> str:
    return f" ({', '.join(names)})" if len(names) <= _FEW else ""


def _where(operation: Operation) -> str:
    """Return a text that says which part of an operation's requests contains the signature."""
    paths = [f"SOAP header {path}" for path in paths_of(operation.authentication_headers)]
    body = list(paths_of(operation.authentication))
    if body:
        end = all(not place.before for place in operation.authentication)
        start = "at the end of the message" if end else "in the message"
        paths.append(f"{start}: {', '.join(body)}")
    return "; ".join(paths) or "by HTTP headers alone"


def paths_of(places: Iterable[AuthenticationElement], above: str = "") -> Iterator[str]:
    """Yield the path of each element and attribute that has a role.

    `places` are elements and attributes that the client fills in. Their content is searched, too. `above` is
    prepended to each path: the path of the parent of `places`, with a `/` at the end, or "".
    """
    for place in places:
        name = f"{above}{'@' if place.attribute else ''}{place.tag.rpartition('}')[2]}"
        if place.role:
            yield name
        yield from paths_of(place.content, f"{name}/")
