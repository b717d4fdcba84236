"""Comparison of operations and ports: names, styles, addresses, and the types at the top of messages."""

from __future__ import annotations

from collections.abc import Collection

from bindgen.diff import policies
from bindgen.diff.bindings import qualified
from bindgen.diff.findings import Change
from bindgen.diff.pairs import Pair, Pairs, RenamedNamespaces, match
from bindgen.model import Contract, Fault, Header, Operation, Port
from bindgen.naming import local_name

# The change, the attribute of a port, and the verb of the message.
_PORT_CHANGES = (
    ("service-renamed", "service", "belongs to"),
    ("soap-version-changed", "soap", "speaks SOAP"),
    ("address-changed", "address", "is at"),
)
_Placed = Operation | Header | Fault


class OperationComparison:
    """Compares operations and ports. Collects `changes`, and pairs of message types."""

    def __init__(self, pairs: Pairs, spaces: RenamedNamespaces) -> None:
        self._pairs = pairs
        self._spaces = spaces
        self.changes: list[Change] = []

    def matched(
        self, old: Contract, new: Contract, unread: Collection[str]
    ) -> list[tuple[Operation, Operation]]:
        """Return the operations of both sides, matched by port type and name, then by name alone.

        Records the operations that only one side has, except the operations in `unread`, which could not be
        read.
        """
        matches = match(
            old.operations, new.operations, lambda item: (item.port_type, item.name), lambda item: item.name
        )
        for item in matches.removed:
            if item.name not in unread:
                self._note("operation-removed", item.name, item.name, f"{item.name} is gone", item, None)
        for item in matches.added:
            if item.name not in unread:
                self._note("operation-added", item.name, item.name, f"{item.name} is new", None, item)
        return matches.both

    def ports(self, old: Contract, new: Contract, addresses: Collection[str]) -> None:
        """Record changes of the ports.

        `addresses` are known addresses of the service. If a port moves to one of them, this is not a change.
        """
        operations = tuple(item.name for item in old.operations)
        matched = match(old.ports, new.ports, lambda item: (item.name, item.service), lambda item: item.name)

        remaining = {item.name for item in new.operations}
        labels = [qualified((item.service, item.name) for item in side.ports) for side in (old, new)]

        def note(change: str, port: Port, message: str) -> None:
            is_new = change == "port-added"
            label = labels[is_new][port.service, port.name]
            affected = () if is_new else operations
            self.changes.append(Change(change, label, f"the port {label} {message}", operations=affected))

        for item in matched.removed:
            note("port-removed", item, "is gone")
        for before, after in matched.both:
            for change, name, verb in _PORT_CHANGES:
                was, now = getattr(before, name), getattr(after, name)
                if was != now and not (name == "address" and now in addresses):
                    note(change, before, f"{verb} {now} now, it was {was}")
            names = tuple(
                item.name
                for item in old.operations
                if item.port_type in ("", before.port_type) and item.name in remaining
            )
            self.changes += policies.compare(before, after, labels[0][before.service, before.name], names)
        for item in matched.added:
            note("port-added", item, "is new")

    def compare(self, old: Operation, new: Operation) -> tuple[list[Pair], list[Pair]]:
        """Record changes of an operation.

        Returns two lists of types of bodies, headers and faults, as (old, new): the first list for the
        request, the second one for the response.
        """
        self._calling(old, new)
        requests, responses = self._body(old, new, "request"), self._body(old, new, "response")
        names = (local_name(old.port_type), local_name(new.port_type))
        if names[0] != names[1]:
            message = f"{old.name}: belongs to the port type {names[1]} now, it was {names[0]}"
            self._note("port-type-renamed", old.name, old.name, message, old, new)
        requests += self._headers(old.name, "request", old.request_headers, new.request_headers)
        if not (old.one_way or new.one_way):  # otherwise, the complete response was added or removed
            responses += self._headers(old.name, "response", old.response_headers, new.response_headers)
            responses += self._faults(old.name, old.faults, new.faults)
        return requests, responses

    def _calling(self, old: Operation, new: Operation) -> None:
        """Record changes of the style and of the SOAPAction, and an added or removed response."""
        styles = [
            f"{operation.style}/{'encoded' if operation.encoded else 'literal'}" for operation in (old, new)
        ]
        actions = (old.soap_action, new.soap_action)
        for change, differs, message in (
            ("operation-style-changed", styles[0] != styles[1], f"is {styles[1]} now, it was {styles[0]}"),
            (
                "soap-action-changed",
                actions[1] not in (actions[0], self._spaces.follow(actions[0])),
                f"SOAPAction is {actions[1]!r} now, it was {actions[0]!r}",
            ),
            (
                "operation-direction-changed",
                old.one_way != new.one_way,
                "no longer has a response" if new.one_way else "has a response now",
            ),
        ):
            if differs:
                cause = "the SOAPAction changed" if change == "soap-action-changed" else message
                self._note(change, old.name, old.name, f"{old.name}: {message}", old, new, cause=cause)

    def _body(self, old: Operation, new: Operation, end: str) -> list[Pair]:
        """Record a change of the body's element. `end` is "request" or "response".

        Returns a list with the pair of the old and the new type of the body. The list is empty if the body is
        an element on one side and has several parts on the other side: these types cannot be compared.
        """
        if end == "response" and (old.one_way or new.one_way):
            return []
        before, after = getattr(old, f"{end}_tag"), getattr(new, f"{end}_tag")
        if local_name(before) != local_name(after):
            message = f"{old.name}: the {end} is {_content(new, end)} now, it was {_content(old, end)}"
            cause = f"the {end} is another element"
            self._note(f"operation-{end}-changed", old.name, old.name, message, old, new, cause=cause)
        else:
            self._spaces.move(before, after, old.place, new.place)
        return [self._pairs.of(getattr(old, end), getattr(new, end))] if bool(before) == bool(after) else []

    def _headers(self, name: str, end: str, old: list[Header], new: list[Header]) -> list[Pair]:
        """Record changes of the headers of a message. Return the pairs of their old and new types.

        `name` is the operation. `end` is the message: "request" or "response".
        """

        def note(change: str, message: str, before: Header | None, after: Header | None, tag: str) -> None:
            message = f"{name}: the {end} header `{tag}` {message}"
            self._note(f"header-{change}", name, f"{name}/{tag}", message, before, after, end)

        matched = match(old, new, lambda item: local_name(item.tag))
        for item in matched.removed:
            note("removed", "was removed", item, None, local_name(item.tag))
        for before, after in matched.both:
            if before.required != after.required:
                word = "required" if after.required else "optional"
                note(f"became-{word}", f"is {word} now", before, after, local_name(before.tag))
        for item in matched.added:
            word = "required" if item.required else "optional"
            note(f"added-{word}", f"was added, and is {word}", None, item, local_name(item.tag))
        return [self._matched_type(before, after) for before, after in matched.both]

    def _faults(self, name: str, old: list[Fault], new: list[Fault]) -> list[Pair]:
        """Record changes of the faults of the operation `name`. Return the pairs of their detail types.

        Faults are matched by name, then by the element of the detail, because messages contain only the
        detail.
        """

        def note(change: str, message: str, before: Fault | None, after: Fault | None, fault: str) -> None:
            message = f"{name}: {message}"
            self._note(f"fault-{change}", name, f"{name}/{fault}", message, before, after)

        matched = match(old, new, lambda item: item.name, lambda item: item.tag)
        stayed: list[Pair] = []
        for item in matched.removed:
            note("removed", f"the fault `{item.name}` was removed", item, None, item.name)
        for old_fault, new_fault in matched.both:
            tags = (local_name(old_fault.tag), local_name(new_fault.tag))
            if old_fault.name != new_fault.name:
                message = (
                    f"the fault `{old_fault.name}` is called `{new_fault.name}` now; its detail is the same"
                )
                note("renamed", message, old_fault, new_fault, old_fault.name)
            if tags[0] != tags[1]:
                message = f"the detail of `{old_fault.name}` is `{tags[1]}` now, it was `{tags[0]}`"
                note("changed", message, old_fault, new_fault, old_fault.name)
            else:
                stayed.append(self._matched_type(old_fault, new_fault))
        for item in matched.added:
            note("added", f"the fault `{item.name}` was added", None, item, item.name)
        return stayed

    def _matched_type(self, old: Header | Fault, new: Header | Fault) -> Pair:
        """Return the pair of the old and the new type of a header or fault. Record a renamed namespace."""
        self._spaces.move(old.tag, new.tag, old.place, new.place)
        return self._pairs.of(old.type, new.type)

    def _note(
        self,
        change: str,
        name: str,
        path: str,
        message: str,
        old: _Placed | None,
        new: _Placed | None,
        end: str = "",
        cause: str = "",
    ) -> None:
        """Add a change of the operation `name`.

        - `change`: the key of its rule in `rules`. `path`: the path that the report shows.
        - `message`: what changed, and where. `cause`: what changed; default: the message without `name`.
        - `old`, `new`: the changed item on each side; None if the side does not have it.
        - `end`: for a header, the message that has it: "request" or "response".
        """
        before, after = (None if item is None else item.place for item in (old, new))
        directions = (end == "request", end == "response")
        cause = cause or message.removeprefix(f"{name}: ")
        self.changes.append(Change(change, path, message, before, after, (name,), *directions, cause=cause))


def _content(operation: Operation, end: str) -> str:
    """Describe the body of the request or response in words: an element, several parts, or empty.

    `end` is "request" or "response".
    """
    tag, struct = getattr(operation, f"{end}_tag"), getattr(operation, end)
    if tag:
        return f"`{local_name(tag)}`"
    names = ", ".join(f"`{field.wire}`" for field in struct.fields)
    return f"made of several parts ({names})" if names else "empty"
