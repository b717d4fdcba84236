"""Which hosts a fetch may ask: the contract's own, and those somebody allowed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from bindgen.fetching.addresses import AddressError

_NAME = re.compile(r"[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?|[0-9a-f:.]*:[0-9a-f:.]*")


@dataclass(frozen=True, slots=True)
class Hosts:
    """A set of host names, in lower case and without port; None stands for all of them."""

    names: frozenset[str] | None = None

    @classmethod
    def of(cls, urls: Iterable[str], allowed: Iterable[str] = ()) -> Hosts:
        """The hosts of some addresses, and those named besides. Raises AddressError for what is no name."""
        own = {urlsplit(url).hostname or "" for url in urls}
        return cls(frozenset(own | {host_name(text) for text in allowed}))

    def admit(self, url: str) -> bool:
        """Whether the host of an address may be asked. Its port makes no difference."""
        return self.names is None or urlsplit(url).hostname in self.names


def host_name(text: str) -> str:
    """A host name as it is compared. Raises AddressError for an address, a port, or no name at all."""
    name = text.strip().lower().removeprefix("[").removesuffix("]")
    if not _NAME.fullmatch(name):
        raise AddressError(f"is {text!r}, no host name; give the name alone, such as schemas.example.org")
    return name


def how_to_allow(url: str) -> str:
    """What to do about an address whose host may not be asked."""
    return f"if that host is to be trusted, allow it with --allow-host {urlsplit(url).hostname}"
