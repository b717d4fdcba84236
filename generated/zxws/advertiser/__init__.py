# Made by `bindgen generate advertiser`. Do not edit: change the contract, run it again.
# contract: advertiser/2015-03-01/advertiser.xsd
# its sha256: 5004390b33bd5342b2d7798b452768b62867445ca11c4eff500299ee8e85c49f
# sha256 of its settings in contracts.toml: 0ab5825b4c76d06fa6118ac58368e14bf1f7fbf3d2b8b9a6a2ea30212880f5ff
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
