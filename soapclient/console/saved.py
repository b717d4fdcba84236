"""Saved requests of the console: named form values, without secrets, and their file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Final

import msgspec

from soapclient.console.forms import Form
from soapclient.console.redaction import public_values

__all__ = ["InvalidFile", "SavedRequest", "SavedRequests"]

_VERSION: Final = 1
_MAX_REQUESTS: Final = 500
_MAX_BYTES: Final = 4_000_000  # of a file
_MAX_NAME: Final = 100  # characters


class InvalidFile(ValueError):
    """Raised for an invalid file of saved requests, and for a request that cannot be saved."""


@dataclass(frozen=True)
class SavedRequest:
    """A request that was saved with a name. `values` are the values of its form, without secrets."""

    name: str
    service: str
    operation: str
    values: Mapping[str, str]


class _File(msgspec.Struct, forbid_unknown_fields=True):
    """The JSON document of a file with saved requests."""

    version: int
    requests: list[SavedRequest]


class SavedRequests:
    """The saved requests of one console, in memory, in the order in which they were saved.

    Two requests for the same operation cannot have the same name: the new request replaces the old one.
    """

    def __init__(self) -> None:
        self._requests: dict[tuple[str, str, str], SavedRequest] = {}

    def __iter__(self) -> Iterator[SavedRequest]:
        return iter(list(self._requests.values()))

    def __len__(self) -> int:
        return len(self._requests)

    def save(self, name: str, service: str, form: Form) -> SavedRequest:
        """Save the values of a form. Secrets are not saved, so the user must type them again.

        Raises InvalidFile if the name is empty or too long, or if there are too many requests.
        """
        return self._add(SavedRequest(name.strip(), service, form.operation.key, public_values(form)))

    def named(self, service: str, operation: str, name: str) -> SavedRequest | None:
        """Return a saved request, or None if no request has this name."""
        return self._requests.get((service, operation, name))

    def remove(self, service: str, operation: str, name: str) -> None:
        """Remove a saved request. Does nothing if it does not exist."""
        self._requests.pop((service, operation, name), None)

    def as_json(self) -> str:
        """Return all saved requests as the text of a file."""
        document = {"version": _VERSION, "requests": [asdict(item) for item in self]}
        return json.dumps(document, indent=2, ensure_ascii=False) + "\n"

    def read_json(self, text: str, operations: Mapping[str, Mapping[str, object]]) -> int:
        """Add the requests of a file, and return their number.

        `operations` maps the names of services to their operations by name. Raises InvalidFile if the file is
        invalid, if it has a request for an operation that is not in `operations`, or if there would be too
        many saved requests. No request is added then.
        """
        if len(text) > _MAX_BYTES:
            raise InvalidFile(f"The file must have at most {_MAX_BYTES:,} characters.")
        try:
            file = msgspec.json.decode(text.encode(errors="replace"), type=_File)
        except msgspec.DecodeError as error:
            raise InvalidFile(f"The file is not a valid file of saved requests: {error}.") from None
        if file.version != _VERSION:
            raise InvalidFile(f"The version of the file must be {_VERSION}, got {file.version}.")
        for request in file.requests:
            if request.operation not in operations.get(request.service, {}):
                operation = f"{request.service} {request.operation}"
                raise InvalidFile(f"{operation!r} is not an operation of this console.")
        added = SavedRequests()
        added._requests.update(self._requests)
        for request in file.requests:
            added._add(request)
        self._requests = added._requests
        return len(file.requests)

    def _add(self, request: SavedRequest) -> SavedRequest:
        if not 0 < len(request.name) <= _MAX_NAME:
            raise InvalidFile(f"The name must have 1 to {_MAX_NAME} characters, got {len(request.name)}.")
        key = request.service, request.operation, request.name
        if key not in self._requests and len(self._requests) >= _MAX_REQUESTS:
            raise InvalidFile(f"At most {_MAX_REQUESTS} requests can be saved. Remove some of them.")
        self._requests[key] = request
        return request
