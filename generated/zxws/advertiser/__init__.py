# Made by `bindgen generate advertiser`. Do not edit: change the contract, run it again.
# contract: advertiser/2015-03-01/advertiser.xsd
# its sha256: 3b49b31705621ff6dad3e80cf6feedc49efc66d89d4b85bda561c7bfb93df91d
# sha256 of its settings in contracts.toml: f39e85e60a78586ce4fffa54bfaeedb74d2a4accbeb5eac3dc6d2669dc2c1f50
"""Python bindings for advertiser 2015-03-01."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .service import AdvertiserService as AdvertiserService
    from .service import AdvertiserServiceAsync as AdvertiserServiceAsync
    from .service import AdvertiserServiceAsyncStreams as AdvertiserServiceAsyncStreams
    from .service import AdvertiserServiceStreams as AdvertiserServiceStreams
else:

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from . import service

        return getattr(service, name)


__all__ = [
    "AdvertiserService",
    "AdvertiserServiceAsync",
    "AdvertiserServiceAsyncStreams",
    "AdvertiserServiceStreams",
]
