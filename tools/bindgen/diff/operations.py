"""Operations and ports compared: what is called, how, and where; and which types begin their messages."""

from __future__ import annotations

from collections.abc import Collection

from bindgen.diff.bindings import qualified
from bindgen.diff.findings import Change
from bindgen.diff.pairs import Pair, Pairs, Spaces, match
from bindgen.model import Contract, Fault, Header, Operation, Port
from bindgen.naming import local

# A change of ports, what it is of, and what is said of it.
_OF_PORTS = (
    ("service-renamed", "service", "belongs to"),
    ("soap-version-changed", "soap", "speaks SOAP"),
    ("address-changed", "address", "is at"),
)
_Has = Operation | Header | Fault


class OperationComparison:
    """Compares operations and ports, adding the pairs they lead to; `changes` are theirs."""

    def __init__(self, pairs: Pairs, spaces: Spaces) -> None:
        self._pairs = pairs
        self._spaces = spaces
        self.changes: list[Change] = []

    def matched(
        self, old: Contract, new: Contract, unread: Collection[str]
    ) -> list[tuple[Operation, Operation]]:
        """The operations of both sides: by port type and name, then by name alone. Those that one side has
        alone are noted, but for those it has and that could not be read."""
        found = match(
            old.operations, new.operations, lambda each: (each.port_type, each.name), lambda each: each.name
        )
        for each in found.removed:
            if each.name not in unread:
                self._note("operation-removed", each.name, each.name, f"{each.name} is gone", each, None)
        for each in found.added:
            if each.name not in unread:
                self._note("operation-added", each.name, each.name, f"{each.name} is new", None, each)
        return found.both

    def ports(self, old: Contract, new: Contract, addresses: Collection[str]) -> None:
        """Note changes of the ports; a new address that is among `addresses` is known already."""
        everything = tuple(each.name for each in old.operations)
        found = match(old.ports, new.ports, lambda each: (each.name, each.service), lambda each: each.name)

        labels = [qualified((each.service, each.name) for each in side.ports) for side in (old, new)]

        def note(change: str, port: Port, said: str) -> None:
            is_new = change == "port-added"
            label = labels[is_new][port.service, port.name]
            met = () if is_new else everything
            self.changes.append(Change(change, label, f"the port {label} {said}", operations=met))

        for each in found.removed:
            note("port-removed", each, "is gone")
        for before, after in found.both:
            for change, name, verb in _OF_PORTS:
                was, now = getattr(before, name), getattr(after, name)
                if was != now and not (name == "address" and now in addresses):
                    note(change, before, f"{verb} {now} now, it was {was}")
        for each in found.added:
            note("port-added", each, "is new")

    def compare(self, old: Operation, new: Operation) -> tuple[list[Pair], list[Pair]]:
        """Note changes of an operation. The pairs that its requests begin with, and its responses."""
        self._called(old, new)
        requests, responses = self._body(old, new, "request"), self._body(old, new, "response")
        types = (local(old.port_type), local(new.port_type))
        if types[0] != types[1]:
            said = f"{old.name}: belongs to the port type {types[1]} now, it was {types[0]}"
            self._note("port-type-renamed", old.name, old.name, said, old, new)
        requests += self._headers(old.name, "request", old.request_headers, new.request_headers)
        if not (old.one_way or new.one_way):  # else all of the response came or went, its faults, too
            responses += self._headers(old.name, "response", old.response_headers, new.response_headers)
            responses += self._faults(old.name, old.faults, new.faults)
        return requests, responses

    def _called(self, old: Operation, new: Operation) -> None:
        styles = [f"{each.style}/{'encoded' if each.encoded else 'literal'}" for each in (old, new)]
        actions = (old.soap_action, new.soap_action)
        for change, differs, said in (
            ("operation-style-changed", styles[0] != styles[1], f"is {styles[1]} now, it was {styles[0]}"),
            (
                "soap-action-changed",
                actions[1] not in (actions[0], self._spaces.follow(actions[0])),
                f"SOAPAction is {actions[1]!r} now, it was {actions[0]!r}",
            ),
            (
                "operation-direction-changed",
                old.one_way != new.one_way,
                "has no response any more" if new.one_way else "has a response now",
            ),
        ):
            if differs:
                cause = "the SOAPAction changed" if change == "soap-action-changed" else said
                self._note(change, old.name, old.name, f"{old.name}: {said}", old, new, cause=cause)

    def _body(self, old: Operation, new: Operation, end: str) -> list[Pair]:
        """The pair of what two bodies hold, if they are of one form: an element, or parts."""
        if end == "response" and (old.one_way or new.one_way):
            return []
        before, after = getattr(old, f"{end}_tag"), getattr(new, f"{end}_tag")
        if local(before) != local(after):
            said = f"{old.name}: the {end} is {_content(new, end)} now, it was {_content(old, end)}"
            cause = f"the {end} is another element"
            self._note(f"operation-{end}-changed", old.name, old.name, said, old, new, cause=cause)
        else:
            self._spaces.move(before, after, old.place, new.place)
        return [self._pairs.of(getattr(old, end), getattr(new, end))] if bool(before) == bool(after) else []

    def _headers(self, name: str, end: str, old: list[Header], new: list[Header]) -> list[Pair]:
        def note(change: str, said: str, before: Header | None, after: Header | None, tag: str) -> None:
            said = f"{name}: the {end} header `{tag}` {said}"
            self._note(f"header-{change}", name, f"{name}/{tag}", said, before, after, end)

        found = match(old, new, lambda each: local(each.tag))
        for each in found.removed:
            note("removed", "was removed", each, None, local(each.tag))
        for before, after in found.both:
            if before.required != after.required:
                word = "required" if after.required else "optional"
                note(f"became-{word}", f"is {word} now", before, after, local(before.tag))
        for each in found.added:
            word = "required" if each.required else "optional"
            note(f"added-{word}", f"was added, and is {word}", None, each, local(each.tag))
        return [self._stayed(before, after) for before, after in found.both]

    def _faults(self, name: str, old: list[Fault], new: list[Fault]) -> list[Pair]:
        """By their names, which are not on the wire, then by their details, which are."""

        def note(change: str, said: str, before: Fault | None, after: Fault | None, fault: str) -> None:
            said = f"{name}: {said}"
            self._note(f"fault-{change}", name, f"{name}/{fault}", said, before, after)

        found = match(old, new, lambda each: each.name, lambda each: each.tag)
        stayed: list[Pair] = []
        for each in found.removed:
            note("removed", f"the fault `{each.name}` was removed", each, None, each.name)
        for one, other in found.both:
            tags = (local(one.tag), local(other.tag))
            if one.name != other.name:
                said = f"the fault `{one.name}` is called `{other.name}` now; its detail is the same"
                note("renamed", said, one, other, one.name)
            if tags[0] != tags[1]:
                said = f"the detail of `{one.name}` is `{tags[1]}` now, it was `{tags[0]}`"
                note("changed", said, one, other, one.name)
            else:
                stayed.append(self._stayed(one, other))
        for each in found.added:
            note("added", f"the fault `{each.name}` was added", None, each, each.name)
        return stayed

    def _stayed(self, old: Header | Fault, new: Header | Fault) -> Pair:
        self._spaces.move(old.tag, new.tag, old.place, new.place)
        return self._pairs.of(old.type, new.type)

    def _note(
        self,
        change: str,
        name: str,
        path: str,
        said: str,
        old: _Has | None,
        new: _Has | None,
        end: str = "",
        cause: str = "",
    ) -> None:
        """Add a change of the operation called `name`; of a header, with the end of the call it is at."""
        before, after = (None if each is None else each.place for each in (old, new))
        ways = (end == "request", end == "response")
        cause = cause or said.removeprefix(f"{name}: ")
        self.changes.append(Change(change, path, said, before, after, (name,), *ways, cause=cause))


def _content(operation: Operation, end: str) -> str:
    """What the body of a message is: an element, or as many as the message has parts."""
    tag, struct = getattr(operation, f"{end}_tag"), getattr(operation, end)
    if tag:
        return f"`{local(tag)}`"
    names = ", ".join(f"`{each.wire}`" for each in struct.fields)
    return f"made of several parts ({names})" if names else "empty"
