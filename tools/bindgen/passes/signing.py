"""Where the signature of a request goes: its elements are found by name, wherever the contract has them.

That is anywhere in the message, nested or not, in SOAP headers, or nowhere: then HTTP headers are signed.
What the client fills in leaves the types of requests, so that it is no parameter of a method.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from bindgen.model import Anything, Contract, Field, Filled, Header, Operation, PortForm, Role, Struct
from bindgen.passes.walk import absent, structs
from bindgen.problems import Problem
from bindgen.settings import ContractSettings

ROLES: tuple[Role, ...] = ("connect_id", "timestamp", "nonce", "signature")
# Headers that other means fill: WS-Security and WS-Addressing.
_STANDARD = (
    "{http://docs.oasis-open.org/wss/",
    "{http://schemas.xmlsoap.org/ws/",
    "{http://www.w3.org/2005/08/addressing}",
)


@dataclass(frozen=True, slots=True, eq=False)
class _Place:
    """An element or attribute with the name of a role: the fields that lead to it, each with its type.

    In a header without fields of its own (a part of a simple type) there are none: it is the header itself.
    """

    role: Role
    steps: tuple[tuple[Struct, Field], ...]
    header: Header | None = None

    @property
    def holder(self) -> tuple[object, ...]:
        """What it shares with the others that stand in the same element."""
        if self.header is not None and not self.steps:
            return ("head",)
        return (
            None if self.header is None else self.header.tag,
            *(id(field) for _, field in self.steps[:-1]),
        )

    @property
    def within(self) -> str:
        """The element that it stands in."""
        return self.names.rpartition("/")[0]

    @property
    def names(self) -> str:
        return "/".join(
            [*([self.header.name] if self.header else []), *(field.wire for _, field in self.steps)]
        )


def run(contract: Contract) -> None:
    """Find where each operation has its authentication, and take it out of the types of requests.

    An operation with the signature is signed, one with the connect ID alone is public
    (docs/explanation/service.md#signing). If it has neither, HTTP headers are signed, but for the operations
    that `signing.public` names.
    """
    names = contract.settings.authentication
    if not names:
        return
    roles = dict(zip(names, ROLES, strict=True))
    public = contract.settings.texts("signing", "public")
    for unknown in sorted(set(public) - {operation.name for operation in contract.operations}):
        known = [operation.name for operation in contract.operations]
        absent(contract, "signing.public", f": no operation {unknown!r}", unknown, known, public)
    chosen: list[tuple[Operation, PortForm | None, list[_Place]]] = []
    refusals = _Refusals(contract, dict(zip(ROLES, names, strict=True)))
    usual = {where for operation in contract.operations for where in _complete(operation, roles)}
    for operation in contract.operations:
        places = _chosen(refusals, operation, operation.request_headers, roles, usual)
        chosen.append((operation, None, places))
        for form in operation.ports.values():
            chosen.append((operation, form, _chosen(refusals, operation, form.request_headers, roles, usual)))
        found = {place.role for place in places}
        operation.signed = "signature" in found or not (found or operation.name in public)
        if "signature" in found and operation.name in public:
            where = contract.settings.where("signing.public")
            why = (
                f"{where}: {operation.name} declares the signature, so it is signed. Remove it from the list"
            )
            contract.notes.append(Problem(why))
        if found == {"connect_id"}:
            refusals.identified.append(operation)
    if not any(place.role == "signature" for _, _, places in chosen for place in places):
        refusals.unsigned([each for each in refusals.identified if each.name not in public])
    refusals.tell()
    for operation, at_port, places in chosen:
        in_headers = [place for place in places if place.header is not None]
        (at_port or operation).authentication_headers = _headers(in_headers)
        if at_port is None:
            operation.authentication = _trees(operation.request, _bodies(places))
    received = {id(struct) for struct in structs(contract, requests=False)}
    # After all of them: several operations may have one type.
    for operation, at_port, places in chosen:
        for place in places:
            _take_out(place, received)
        _without(at_port or operation, places)
    contract.remarks += [Problem(line) for line in summary(contract)]
    contract.notes += _unknown_scheme(contract.settings)


def _unknown_scheme(settings: ContractSettings) -> Iterator[Problem]:
    """Yield a note if no service and no installed package has the scheme: it may be registered later."""
    from soapclient.services import signing_schemes

    name, known = settings.section("signing").get("scheme"), signing_schemes()
    if name not in known:
        yield Problem(
            f"{settings.where('signing.scheme')}: the scheme {name!r} is not known here (known: "
            f"{', '.join(sorted(known))}). Programs must register it before they connect: "
            f"soapclient.signing.register_scheme({name!r}, …)"
        )


def _bodies(places: Iterable[_Place]) -> list[_Place]:
    return [place for place in places if place.header is None]


# ---- finding


_Holders = dict[tuple[object, ...], dict[Role, _Place]]


def _holders(operation: Operation, headers: list[Header], roles: dict[str, Role]) -> _Holders:
    """The places of an operation at a port, by the element that they stand in."""
    holders: _Holders = {}
    for place in (*_in_struct(operation.request, roles, None), *_in_headers(headers, roles)):
        holders.setdefault(place.holder, {}).setdefault(place.role, place)
    return holders


def _complete(operation: Operation, roles: dict[str, Role]) -> Iterator[str]:
    """The elements of the message that hold all roles, by their names."""
    for each in _holders(operation, operation.request_headers, roles).values():
        if len(each) == len(ROLES):
            yield each["signature"].within


def _chosen(
    refusals: _Refusals,
    operation: Operation,
    headers: list[Header],
    roles: dict[str, Role],
    usual: Collection[str],
) -> list[_Place]:
    """The places that the client fills in for an operation at a port; what is refused is noted.

    `usual` are the elements that hold the signature of other operations.
    """
    holders = _holders(operation, headers, roles)
    complete = [each for each in holders.values() if len(each) == len(ROLES)]
    if complete:
        return [each[role] for each in complete for role in ROLES]
    # Apart from each other, only those that are nothing but authentication: others may be callers' values.
    plain: dict[Role, _Place] = {}
    for each in sorted(holders.values(), key=len, reverse=True):
        for role, place in each.items():
            if place.within in usual or _is_plain(place, roles):
                plain.setdefault(role, place)
    if len(plain) == len(ROLES):
        return [plain[role] for role in ROLES]
    if "signature" in plain or ("connect_id" in plain and len(plain) > 1):
        refusals.partial(operation, plain)
        return list(plain.values())  # taken out of the request, so that no pass asks where they go
    if "connect_id" in plain:
        return [plain["connect_id"]]
    refusals.unfilled(operation, headers)
    return []


def _in_headers(headers: list[Header], roles: dict[str, Role]) -> Iterator[_Place]:
    for header in headers:
        role = roles.get(header.tag.rpartition("}")[2])
        if role and _is_text(header.type):
            yield _Place(role, (), header)
        else:
            yield from _in_struct(header.type, roles, header)


def _in_struct(struct: Struct, roles: dict[str, Role], header: Header | None) -> Iterator[_Place]:
    """The fields that have the name of a role, at any depth; not in lists, whose items are data."""
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
    """Return True for a simple type, and for a type that holds a text besides optional attributes."""
    if isinstance(kind, Struct):
        fields = kind.all_fields()
        texts = [field for field in fields if field.kind == "text"]
        return bool(texts) and not any(field.least for field in fields if field not in texts)
    return not isinstance(kind, Anything)


def _is_plain(place: _Place, roles: Collection[str]) -> bool:
    """Return True if a place is in a header, at the top of the message, or among others like it alone."""
    if place.header is not None or len(place.steps) == 1:
        return True
    return all(_only(struct, roles) for struct, _ in place.steps[1:])


def _only(struct: Struct, roles: Collection[str]) -> bool:
    return all(
        field.wire in roles or (isinstance(field.type, Struct) and _only(field.type, roles))
        for field in struct.all_fields()
        if field.kind in ("element", "attribute", "text")
    )


class _Refusals:
    """What nothing fills in, collected over all operations. `--propose` finds the names that fit instead."""

    def __init__(self, contract: Contract, names: Mapping[Role, str]) -> None:
        self.contract: Final = contract
        self.names: Final = names
        self.identified: Final[list[Operation]] = []  # with the connect ID alone
        self._public: list[Operation] = []
        self._missing: Final[dict[Role, list[Operation]]] = {}
        self._declared: Final[dict[Role, str]] = {}  # by the missing role
        self._headers: Final[dict[str, tuple[Header, list[Operation]]]] = {}

    def partial(self, operation: Operation, plain: Mapping[Role, _Place]) -> None:
        """Refuse an operation with some of the elements."""
        declared = ", ".join(plain[role].names for role in ROLES if role in plain)
        for role in ROLES:
            if role not in plain:
                self._missing.setdefault(role, []).append(operation)
                self._declared.setdefault(role, declared)

    def unsigned(self, operations: list[Operation]) -> None:
        """Refuse operations with the connect ID alone if none of the contract has the signature."""
        if not operations or self._missing:  # then the signature is among what others lack
            return
        for role in ROLES[1:]:
            self._public = self._missing[role] = operations
            self._declared[role] = self.names["connect_id"]

    def unfilled(self, operation: Operation, headers: list[Header]) -> None:
        """Refuse headers that nothing fills, in an operation without any other authentication."""
        known = self.contract.settings.texts("signing", "headers")
        for header in headers:
            if header.name not in known and not header.tag.startswith(_STANDARD):
                self._headers.setdefault(header.tag, (header, []))[1].append(operation)

    def tell(self) -> None:
        """Note a problem for each role and each header."""
        settings = self.contract.settings
        for role, operations in self._missing.items():
            several = "declares" if len(operations) == 1 else "declare"
            setting = f"signing.{role}"
            message = (
                f"{settings.where(setting)}: {_few(operations)} {several} {self._declared[role]} for "
                f"authentication, and no {self.names[role]!r}, so nothing fills it in. Name the element of "
                "the contract there"
            )
            if operations is self._public:
                listed = ", ".join(f'"{each.name}"' for each in operations)
                message += (
                    f". If they are public, list them in {settings.where('signing.public')}: [{listed}]"
                )
            self.contract.problems.append(Problem(message, operations[0].place, setting))
        for header, operations in self._headers.values():
            several = "declares" if len(operations) == 1 else "declare"
            fields = [each.wire for each in header.type.all_fields() if each.kind in ("element", "attribute")]
            inside = ", ".join(fields) or header.tag.rpartition("}")[2]
            message = (
                f"{_few(operations)} {several} the SOAP header {header.name} ({inside}), and nothing fills "
                f"it in: it has none of {', '.join(self.names.values())}. If it authenticates requests, name "
                f"its elements in {settings.where('signing')}. If callers pass it, list it there:\n"
                f'    headers = ["{header.name}"]'
            )
            self.contract.problems.append(Problem(message, header.place, "signing"))


def _few(operations: list[Operation]) -> str:
    names = [each.name for each in dict.fromkeys(operations)]
    more = len(names) - _FEW
    return f"{', '.join(names[:_FEW])}{f' and {more} more' if more > 0 else ''}"


# ---- what is filled in


def _headers(places: list[_Place]) -> list[Filled]:
    by_header: dict[str, list[_Place]] = {}
    for place in places:
        assert place.header is not None  # the caller has chosen them so
        by_header.setdefault(place.header.tag, []).append(place)
    found = []
    for tag, several in by_header.items():
        first = several[0]
        if not first.steps:
            found.append(Filled(tag, role=first.role))
        else:
            assert first.header is not None
            found.append(Filled(tag, content=_trees(first.header.type, several)))
    return found


def _trees(struct: Struct, places: list[_Place], depth: int = 0) -> list[Filled]:
    """What is filled in below an element of a type, in the order of the contract."""
    by_field: dict[int, list[_Place]] = {}
    for place in places:
        by_field.setdefault(id(place.steps[depth][1]), []).append(place)
    fields = struct.all_fields()
    found = []
    for at, field in enumerate(fields):
        several = by_field.get(id(field), [])
        if not several:
            continue
        following = () if _order_is_free(struct) else tuple(_tags(fields[at + 1 :], by_field))
        filled = Filled(field.tag, field.kind == "attribute", before=following)
        if len(several[0].steps) == depth + 1:
            filled.role, filled.field = several[0].role, field
        else:
            assert isinstance(field.type, Struct)  # the steps lead through it
            filled.content = _trees(field.type, several, depth + 1)
        if filled.attribute:
            filled.before = ()
        found.append(filled)
    return found


def _order_is_free(struct: Struct) -> bool:
    return any(each.all_group for each in struct.line())


def _tags(fields: Iterable[Field], filled: Collection[int]) -> Iterator[str]:
    """The tags of elements, also of those in groups; those that are filled in are added in their order."""
    for field in fields:
        if field.kind == "element" and id(field) not in filled and field.protocol != "rest":
            yield field.tag
        elif field.kind == "group" and isinstance(field.type, Struct):
            yield from _tags(field.type.all_fields(), filled)


# ---- what leaves the types


def _take_out(place: _Place, received: Collection[int]) -> None:
    """Take a field out of its type, and what held nothing else out of its own.

    A type that responses have, too, keeps the field, which requests then need not give.
    """
    for struct, field in reversed(place.steps):
        for owner in struct.line():
            if field not in owner.fields:
                continue
            if id(owner) in received:
                field.least = 0
                return
            owner.fields.remove(field)
        rest = [each for each in struct.all_fields() if each.kind != "any_attributes"]
        if rest and any(each.least for each in rest):
            return
        if rest:  # the client adds the element itself, so callers need not give it
            for outer, holder in place.steps:
                if holder.type is struct and id(outer) not in received:
                    holder.least = 0
            return


def _without(form: Operation | PortForm, places: list[_Place]) -> None:
    """Take out the headers that hold nothing else; one that does is required as far as the rest of it is."""
    filled = {place.header.tag: place for place in places if place.header is not None}
    kept = []
    for header in form.request_headers:
        place = filled.get(header.tag)
        rest = [field for field in header.type.all_fields() if field.kind != "any_attributes"]
        if place is None or (place.steps and rest):
            header.required |= place is not None and any(field.least for field in rest)
            kept.append(header)
    form.request_headers = kept


# ---- what is said of it


def is_by_headers_alone(contract: Contract) -> bool:
    """Return True if requests are to be signed, and no operation has an element for it."""
    forms = [form for each in contract.operations if each.soap for form in each.forms()]
    filled = any(each.authentication for each in contract.operations)
    filled |= any(form.authentication_headers for form in forms)
    return bool(contract.settings.authentication and forms) and not filled


def summary(contract: Contract) -> list[str]:
    """Where the signatures of a contract go, operations with the same place on one line."""
    groups: dict[str, list[str]] = {}
    for operation in contract.operations:
        if not operation.soap:
            continue
        what = "signed" if operation.signed else "public"
        groups.setdefault(f"{what}, {_where(operation)}", []).append(operation.name)
    return [
        f"{where}: {len(names)} operation{'' if len(names) == 1 else 's'}{_listed(names)}"
        for where, names in groups.items()
    ]


_FEW = 3


def _listed(names: list[str]) -> str:
    return f" ({', '.join(names)})" if len(names) <= _FEW else ""


def _where(operation: Operation) -> str:
    paths = [f"SOAP header {path}" for path in paths_of(operation.authentication_headers)]
    body = list(paths_of(operation.authentication))
    if body:
        end = all(not place.before for place in operation.authentication)
        start = "at the end of the message" if end else "in the message"
        paths.append(f"{start}: {', '.join(body)}")
    return "; ".join(paths) or "by HTTP headers alone"


def paths_of(places: Iterable[Filled], above: str = "") -> Iterator[str]:
    """The paths of elements and attributes that have the value of a role."""
    for place in places:
        name = f"{above}{'@' if place.attribute else ''}{place.tag.rpartition('}')[2]}"
        if place.role:
            yield name
        yield from paths_of(place.content, f"{name}/")
