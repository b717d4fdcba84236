"""The actual content of the sandbox and its processed writes, read in its process without a protocol."""

from __future__ import annotations

import enum
import re
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal

import msgspec

from soapclient import Client
from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, Sandbox
from soapclient.tracking.sandbox.data.adspaces import Adspace, Adspaces
from soapclient.tracking.sandbox.operations import Call, handler_of
from soapclient.tracking.sandbox.payload import Fields, Value

Plain = object
"""Dicts by Python names, lists and leaves; what is absent is left out. A float is the decimal it looks
like.
"""

_CAPITAL = re.compile(r"(?<=[a-z0-9])([A-Z])")


def plain(value: object) -> Plain:
    """Convert a value from the client to plain data."""
    if isinstance(value, msgspec.Struct):
        fields = ((name, getattr(value, name)) for name in value.__struct_fields__)
        return {name: plain(one) for name, one in fields if one is not None}
    if isinstance(value, Mapping):
        return {name: plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, enum.Enum):
        return value.value
    return Decimal(repr(value)) if isinstance(value, float) else value


def expected(value: Value) -> Plain:
    """Convert a value from the sandbox to the same form. A list in a wrapper element becomes the list."""
    if isinstance(value, Mapping):
        inner = [one for one in value.values() if one is not None]
        if len(value) == 1 and isinstance(inner[0], Sequence) and not isinstance(inner[0], str):
            return expected(inner[0])
        return {_name(name): expected(one) for name, one in value.items() if one is not None}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [expected(one) for one in value]
    return value


def _name(name: str) -> str:
    return "value" if name == "$" else _CAPITAL.sub(r"_\1", name.removeprefix("@")).lower()


def difference(got: Plain, right: Plain, path: str = "") -> str | None:
    """Describe the first difference between two values, or return None if they are equal."""
    if isinstance(got, dict) and isinstance(right, dict):
        for key in sorted(got.keys() | right.keys()):
            if key not in got or key not in right:
                return f"{path}/{key} is {got.get(key)!r}, and is {right.get(key)!r} in truth"
            if (found := difference(got[key], right[key], f"{path}/{key}")) is not None:
                return found
        return None
    if isinstance(got, list) and isinstance(right, list):
        if len(got) != len(right):
            return f"{path} has {len(got)} entries, {len(right)} in truth"
        pairs = enumerate(zip(got, right, strict=True))
        found_in = (difference(one, other, f"{path}[{index}]") for index, (one, other) in pairs)
        return next((found for found in found_in if found is not None), None)
    same = type(got) is type(right) or {type(got), type(right)} <= {int, Decimal}
    return None if same and got == right else f"{path} is {got!r}, and is {right!r} in truth"


class Truth:
    """Computes the correct responses of the Publisher service.

    `clean` is a client that calls the sandbox directly. It is used if the sandbox has no separate form of a
    response.
    """

    def __init__(self, sandbox: Sandbox, clean: Client) -> None:
        self.clean = clean
        self.sandbox = sandbox

    def of(self, operation: str, **fields: Value) -> dict[str, Plain]:
        """Return the response to an operation in the form of `plain`. `fields` have the contract's names."""
        handler = handler_of("publisher", operation)
        assert handler is not None
        store, jobs, now = self.sandbox._store, self.sandbox.jobs, self.sandbox.now()
        call = Call(Fields(fields), SAMPLE_CONNECT_ID, store, jobs, rest_url="", now=now)
        answer = expected(handler(call))
        assert isinstance(answer, dict)
        return answer


class Journal(Adspaces):
    """The ad spaces of an account, with counts of creates, updates and deletes. Thread-safe."""

    def __init__(self, kept: Adspaces) -> None:
        self._wrapped = kept
        self._noting = threading.Lock()
        self._done: Counter[tuple[str, str]] = Counter()

    @classmethod
    def keep(cls, sandbox: Sandbox) -> Journal:
        """Take the place of the sample account's ad spaces."""
        account = sandbox._store.of(SAMPLE_CONNECT_ID).account
        account.adspaces = journal = cls(account.adspaces)
        return journal

    def done(self) -> dict[tuple[str, str], int]:
        """Return how often each write was processed: creates and updates by name, deletes by id."""
        with self._noting:
            return dict(self._done)

    def all(self) -> list[Adspace]:
        return self._wrapped.all()

    def get(self, number: int) -> Adspace | None:
        return self._wrapped.get(number)

    def create(self, wanted: Adspace) -> Adspace:
        self._note("create", wanted.name)
        return self._wrapped.create(wanted)

    def update(self, wanted: Adspace) -> bool:
        self._note("update", wanted.name)
        return self._wrapped.update(wanted)

    def delete(self, number: int) -> bool:
        self._note("delete", str(number))
        return self._wrapped.delete(number)

    def _note(self, verb: str, key: str) -> None:
        with self._noting:
            self._done[verb, key] += 1
