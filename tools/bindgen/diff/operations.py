"""Operations and ports compared: what is called, how, and where."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from bindgen.diff.pairs import Change, Pair, Pairs, Spaces
from bindgen.model import Contract, Fault, Header, Operation, Port
from bindgen.naming import local


def matched(old: Contract, new: Contract) -> list[tuple[Operation, Operation]]:
    """The operations of both sides: by port type and name, then by name alone where that is kept apart."""
    there = {(each.port_type, each.name): each for each in new.operations}
    both = [
        (each, there.pop((each.port_type, each.name)))
        for each in old.operations
        if (each.port_type, each.name) in there
    ]
    found = {id(each) for each, _ in both}
    by_name: dict[str, list[Operation]] = {}
    for each in there.values():
        by_name.setdefault(each.name, []).append(each)
    for each in old.operations:
        if id(each) not in found and by_name.get(each.name):
            both.append((each, by_name[each.name].pop(0)))
    order = {id(each): number for number, each in enumerate(old.operations)}
    return sorted(both, key=lambda pair: order[id(pair[0])])


def added_and_removed(
    old: Contract,
    new: Contract,
    both: Collection[tuple[Operation, Operation]],
    unread: Collection[str],
) -> Iterator[Change]:
    """Operations that one side alone has, but for those it has and that could not be read."""
    known = {id(each) for pair in both for each in pair}
    for each in old.operations:
        if id(each) not in known and each.name not in unread:
            yield Change(
                "operation-removed", each.name, f"{each.name} is gone", each.place, None, (each.name,)
            )
    for each in new.operations:
        if id(each) not in known and each.name not in unread:
            said = f"{each.name} is new"
            yield Change("operation-added", each.name, said, None, each.place, (each.name,))


def operation(old: Operation, new: Operation, spaces: Spaces) -> Iterator[Change]:
    """What changed of the operation itself; its messages are pairs of types."""

    def found(change: str, said: str) -> Change:
        return Change(change, old.name, f"{old.name}: {said}", old.place, new.place, (old.name,))

    styles = [f"{each.style}/{'encoded' if each.encoded else 'literal'}" for each in (old, new)]
    if styles[0] != styles[1]:
        yield found("operation-style-changed", f"is {styles[1]} now, it was {styles[0]}")
    if spaces.follow(old.soap_action) != new.soap_action:
        yield found(
            "soap-action-changed", f"SOAPAction is {new.soap_action!r} now, it was {old.soap_action!r}"
        )
    if old.one_way != new.one_way:
        said = "has no response any more" if new.one_way else "has a response now"
        yield found("operation-direction-changed", said)
    for what, before, after in (
        ("request", old.request_tag, new.request_tag),
        ("response", old.response_tag, new.response_tag),
    ):
        if old.one_way != new.one_way and what == "response":
            continue
        if local(before) != local(after):
            sides = [_body(each, what) for each in (new, old)]
            said = f"the {what} is {sides[0]} now, it was {sides[1]}"
            yield found(f"operation-{what}-changed", said)
        else:
            spaces.move(before, after, old.place, new.place)
    types = (local(old.port_type), local(new.port_type))
    if types[0] != types[1]:
        said = f"belongs to the port type {types[1]} now, it was {types[0]}"
        yield found("port-type-renamed", said)


def _body(operation: Operation, what: str) -> str:
    """What the body of a message is: an element, or as many as the message has parts."""
    tag, struct = (
        (operation.request_tag, operation.request)
        if what == "request"
        else (operation.response_tag, operation.response)
    )
    if tag:
        return f"`{local(tag)}`"
    names = ", ".join(f"`{each.wire}`" for each in struct.fields)
    return f"made of several parts ({names})" if names else "empty"


def alike(old_tag: str, new_tag: str) -> bool:
    """Whether two bodies are of one form, so that what is in them can be compared: an element, or parts."""
    return bool(old_tag) == bool(new_tag)


def headers(
    name: str, old: list[Header], new: list[Header], pairs: Pairs, spaces: Spaces, *, responses: bool
) -> Iterator[Change | Pair]:
    """Changes of an operation's headers one way, and the pairs of those that stayed."""

    def found(change: str, each: Header, said: str, before: Header | None, after: Header | None) -> Change:
        return Change(
            change,
            f"{name}/{local(each.tag)}",
            f"{name}: the {'response' if responses else 'request'} header `{local(each.tag)}` {said}",
            before.place if before else None,
            after.place if after else None,
            (name,),
            requests=not responses,
            responses=responses,
        )

    there = {local(each.tag): each for each in new}
    for each in old:
        other = there.pop(local(each.tag), None)
        if other is None:
            yield found("header-removed", each, "was removed", each, None)
            continue
        if each.required != other.required:
            word = "required" if other.required else "optional"
            yield found(f"header-became-{word}", each, f"is {word} now", each, other)
        spaces.move(each.tag, other.tag, each.place, other.place)
        yield pairs.of(each.type, other.type)
    for each in there.values():
        word = "required" if each.required else "optional"
        yield found(f"header-added-{word}", each, f"was added, and is {word}", None, each)


def faults(
    name: str, old: list[Fault], new: list[Fault], pairs: Pairs, spaces: Spaces
) -> Iterator[Change | Pair]:
    """Changes of an operation's faults, and the pairs of those that stayed."""
    there = {each.name: each for each in new}
    known = {each.name for each in old}
    for each in old:
        other, path = there.pop(each.name, None), f"{name}/{each.name}"
        if other is None:  # its name is not on the wire, its detail is
            same = [one for one in there.values() if one.tag == each.tag and one.name not in known]
            other = there.pop(same[0].name) if same else None
            if other is not None:
                said = f"{name}: the fault `{each.name}` is called `{other.name}` now; its detail is the same"
                yield Change("fault-renamed", path, said, each.place, other.place, (name,))
        if other is None:
            said = f"{name}: the fault `{each.name}` was removed"
            yield Change("fault-removed", path, said, each.place, None, (name,))
        elif local(each.tag) != local(other.tag):
            said = (
                f"{name}: the detail of `{each.name}` is `{local(other.tag)}` now, it was `{local(each.tag)}`"
            )
            yield Change("fault-changed", path, said, each.place, other.place, (name,))
        else:
            spaces.move(each.tag, other.tag, each.place, other.place)
            yield pairs.of(each.type, other.type)
    for each in there.values():
        said = f"{name}: the fault `{each.name}` was added"
        yield Change("fault-added", f"{name}/{each.name}", said, None, each.place, (name,))


def ports(old: Contract, new: Contract, addresses: Collection[str]) -> Iterator[Change]:
    """Changes of the ports; a new address that is among `addresses` is known already."""
    there = list(new.ports)
    everything = tuple(each.name for each in old.operations)
    for each in old.ports:
        same = [other for other in there if other.name == each.name]
        other = next((one for one in same if one.service == each.service), same[0] if same else None)
        if other is None:
            yield Change("port-removed", each.name, f"the port {each.name} is gone", operations=everything)
            continue
        there.remove(other)
        yield from _port(each, other, everything, addresses)
    for each in there:
        yield Change("port-added", each.name, f"the port {each.name} is new")


def _port(old: Port, new: Port, everything: tuple[str, ...], addresses: Collection[str]) -> Iterator[Change]:
    def found(change: str, said: str) -> Change:
        return Change(change, old.name, f"the port {old.name} {said}", operations=everything)

    if old.service != new.service:
        yield found("service-renamed", f"belongs to {new.service} now, it was {old.service}")
    if old.soap != new.soap:
        yield found("soap-version-changed", f"speaks SOAP {new.soap} now, it was {old.soap}")
    if old.address != new.address and new.address not in addresses:
        yield found("address-changed", f"is at {new.address} now, it was {old.address}")
