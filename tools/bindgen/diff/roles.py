"""The roles that contracts.toml gives to elements, such as the page number or a part of the signature.

If such an element changes, the finding has the remedy of its role (`rules.ROLES`) and not the usual
remedy for the change.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from bindgen import propose
from bindgen.diff.findings import Change
from bindgen.model import Contract, Operation, Struct
from bindgen.naming import local_name
from bindgen.passes.orders import ROLES as ORDER
from bindgen.settings import ContractSettings

_PAGES, _TOTAL = ("page", "items"), ("total",)
_SECTIONS = ("signing", "paging", "job", "order")


@dataclass(frozen=True, slots=True)
class _ContractRoles:
    """The settings of one contract that give roles to elements.

    `new` maps a setting, such as `paging.page`, to the new name of the element if it was renamed.
    """

    settings: ContractSettings
    new: Mapping[str, str]

    @staticmethod
    def of(settings: ContractSettings, old: Contract, new: Contract) -> _ContractRoles:
        """Return the roles of a contract. `old` and `new` are the two versions of the contract.

        Keeps only the sections of `settings` that give roles, and finds the new names of renamed elements.
        """
        sections = {name: table for name in _SECTIONS if (table := settings.section(name))}
        bare = dataclasses.replace(settings, sections=sections)
        proposals = propose.find(bare, old, new)
        return _ContractRoles(bare, {item.setting: item.new for item in proposals if item.kind == "value"})

    def names(self, section: str, keys: Collection[str]) -> Iterator[tuple[str, str]]:
        """Yield (old name, new name) of each element that a settings section names under one of `keys`."""
        table = self.settings.section(section)
        for key in keys:
            if key in table:
                now = str(table[key])
                yield now, self.new.get(f"{section}.{key}", now)


class Roles:
    """Finds the elements of two contracts that have a role in calls, such as the page number.

    The settings in contracts.toml name these elements.
    """

    def __init__(self, settings: Collection[ContractSettings], old: Contract, new: Contract) -> None:
        self._known: Final = [_ContractRoles.of(item, old, new) for item in settings]

    def of_request(self, old: Operation, new: Operation) -> dict[str, str]:
        """Return the roles of elements in a request: maps the paths of elements to keys of `rules.ROLES`.

        A role is the use of an element according to contracts.toml, such as the page number. `old` and `new`
        are the same operation in the two contracts.
        """
        roles: dict[str, str] = {}
        for contract in self._known:
            pages = list(contract.names("paging", _PAGES))
            _mark(roles, "paging", pages, old.request, new.request)
            if contract.settings.section("job").get("order") == old.name:
                _mark(roles, "order", list(contract.names("order", ORDER)), old.request, new.request)
        names = self._signing(old, new)
        moved = bool(self._carrying(new)) and not self._carrying(old)
        _mark(roles, "signing", names, old.request, new.request)
        for path, role in roles.items():
            if moved and role.startswith("signing"):
                roles[path] = "signing.moved"
        return roles

    def of_response(self, old: Operation, new: Operation) -> dict[str, str]:
        """Return the roles of elements in a response: maps the paths of elements to keys of `rules.ROLES`.

        A role is the use of an element according to contracts.toml, such as the total number of items. `old`
        and `new` are the same operation in the two contracts.
        """
        roles: dict[str, str] = {}
        for contract in self._known:
            pages = list(contract.names("paging", _TOTAL))
            _mark(roles, "paging", pages, old.response, new.response)
        return roles

    def of_headers(self, changes: list[Change], both: list[tuple[Operation, Operation]]) -> Iterator[Change]:
        """Yield all `changes`. Changes of SOAP headers with authentication get the role "signing.moved".

        Because of this role, the report shows the remedy for authentication (`rules.ROLES`). `both` has the
        operations of both contracts, as (old, new). The request headers of these operations are searched for
        authentication elements.
        """
        headers = {
            f"{old.name}/{tag}"
            for old, new in both
            for operation in (old, new)
            for tag in self._carrying(operation)
        }
        for change in changes:
            of_header = change.name.startswith("header-") and change.path in headers
            yield dataclasses.replace(change, role="signing.moved") if of_header else change

    def _signing(self, old: Operation, new: Operation) -> list[tuple[str, str]]:
        """Return the elements that contain the signature of requests, as (old name, new name).

        `old` and `new` are the same operation in the two contracts.
        """
        for contract in self._known:
            names = list(contract.names("signing", contract.settings.authentication))
            if names and (names[0][0] in _elements(old.request) or names[0][1] in _elements(new.request)):
                return names
        return []

    def _carrying(self, operation: Operation) -> set[str]:
        """Return the names of the request headers that contain authentication.

        Such a header is an authentication element, or has an authentication element as a child.
        """
        names = {
            name
            for contract in self._known
            for pair in contract.names("signing", contract.settings.authentication)
            for name in pair
        }
        return {
            local_name(header.tag)
            for header in operation.request_headers
            if local_name(header.tag) in names or not names.isdisjoint(_elements(header.type))
        }


def _mark(roles: dict[str, str], role: str, names: list[tuple[str, str]], old: Struct, new: Struct) -> None:
    """Add the elements with the role `role` to `roles`, which maps the paths of elements to their roles.

    `names` are the names of the elements, as (old name, new name). `old` and `new` are the types of the old
    and the new message. The role gets the suffix `.renamed` if the element has a new name, or `.gone` if the
    element was removed. The role "signing" never gets `.gone`.
    """
    for now, later in names:
        renamed = now != later
        removed = now in _elements(old) and later not in _elements(new)
        state = ".renamed" if renamed else ".gone" if removed and role != "signing" else ""
        roles[f"{old.name}/{now}"] = roles[f"{new.name}/{later}"] = f"{role}{state}"


def _elements(struct: Struct) -> set[str]:
    """Return the names of the elements of a type."""
    return {field.wire for field in struct.all_fields() if field.kind == "element"}
