"""Roles of elements in contracts.toml, and the meaning of their changes for callers."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from bindgen import propose
from bindgen.diff.findings import Change
from bindgen.model import Contract, Operation, Struct
from bindgen.naming import local
from bindgen.passes.orders import ROLES as ORDER
from bindgen.settings import ContractSettings

_SIGNING = ("connect_id", "timestamp", "nonce", "signature")
_PAGES, _TOTAL = ("page", "items"), ("total",)
_SECTIONS = ("signing", "paging", "job", "order")


@dataclass(frozen=True, slots=True)
class _Named:
    """The settings of one contract; `new` has the new contract's name of each role that has another one."""

    settings: ContractSettings
    new: Mapping[str, str]

    @staticmethod
    def of(settings: ContractSettings, old: Contract, new: Contract) -> _Named:
        sections = {name: table for name in _SECTIONS if (table := settings.section(name))}
        bare = dataclasses.replace(settings, sections=sections)
        found = propose.find(bare, old, new)
        return _Named(bare, {each.setting: each.new for each in found if each.kind == "value"})

    def names(self, section: str, keys: Collection[str]) -> Iterator[tuple[str, str]]:
        """The name that each role has now, and the one of the new contract."""
        table = self.settings.section(section)
        for key in keys:
            if key in table:
                now = str(table[key])
                yield now, self.new.get(f"{section}.{key}", now)


class Roles:
    """The roles of the elements of two contracts, by the settings that know them."""

    def __init__(self, settings: Collection[ContractSettings], old: Contract, new: Contract) -> None:
        self._known: Final = [_Named.of(each, old, new) for each in settings]

    def of_request(self, old: Operation, new: Operation) -> dict[str, str]:
        """The roles of the elements of a request, by their paths: rows of `rules.ROLES`."""
        found: dict[str, str] = {}
        for known in self._known:
            pages = list(known.names("paging", _PAGES))
            _mark(found, "paging", pages, old.request, new.request)
            if known.settings.section("job").get("order") == old.name:
                _mark(found, "order", list(known.names("order", ORDER)), old.request, new.request)
        names = self._signing(old, new)
        moved = bool(self._carrying(new)) and not self._carrying(old)
        _mark(found, "signing", names, old.request, new.request)
        for path, role in found.items():
            if moved and role.startswith("signing"):
                found[path] = "signing.moved"
        return found

    def of_response(self, old: Operation, new: Operation) -> dict[str, str]:
        """The same of a response."""
        found: dict[str, str] = {}
        for known in self._known:
            pages = list(known.names("paging", _TOTAL))
            _mark(found, "paging", pages, old.response, new.response)
        return found

    def of_headers(self, changes: list[Change], both: list[tuple[Operation, Operation]]) -> Iterator[Change]:
        """The changes of operations, with the role of headers that carry authentication."""
        headers = {
            f"{old.name}/{tag}" for old, new in both for each in (old, new) for tag in self._carrying(each)
        }
        for change in changes:
            of_header = change.name.startswith("header-") and change.path in headers
            yield dataclasses.replace(change, role="signing.moved") if of_header else change

    def _signing(self, old: Operation, new: Operation) -> list[tuple[str, str]]:
        """The names of the settings whose identity one of the requests declares."""
        for known in self._known:
            names = list(known.names("signing", _SIGNING))
            if names and (names[0][0] in _elements(old.request) or names[0][1] in _elements(new.request)):
                return names
        return []

    def _carrying(self, operation: Operation) -> set[str]:
        """The request headers that are an element of authentication, or hold one."""
        names = {name for known in self._known for pair in known.names("signing", _SIGNING) for name in pair}
        return {
            local(header.tag)
            for header in operation.request_headers
            if local(header.tag) in names or not names.isdisjoint(_elements(header.type))
        }


def _mark(found: dict[str, str], role: str, names: list[tuple[str, str]], old: Struct, new: Struct) -> None:
    for now, later in names:
        renamed = now != later
        gone = now in _elements(old) and later not in _elements(new)
        state = ".renamed" if renamed else ".gone" if gone and role != "signing" else ""
        found[f"{old.name}/{now}"] = found[f"{new.name}/{later}"] = f"{role}{state}"


def _elements(struct: Struct) -> set[str]:
    return {field.wire for field in struct.all_fields() if field.kind == "element"}
