# Made by `bindgen generate publisher`. Do not edit: change the contract, run it again.
# contract: https://publisher.invalid/wsdl/2011-03-01
# its sha256: f0c7e16de9b30f837d2f73846452df6dc045765562e183ee3cdb2df3dd8fe115
# sha256 of the schema beside it: 3c1132b649756047e411e7c474dba3f758ba2d30c37b5fc8cdb22a8771cacd60
# sha256 of its settings in contracts.toml: 07c220246075913c79552a80cfbd10bf1952b7b89e5b91f689d711f58e94e05e
"""Bindings of publisher 2011-03-01."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .service import PublisherService as PublisherService
    from .service import PublisherServicePages as PublisherServicePages
    from .service import PublisherServiceStreams as PublisherServiceStreams
else:

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from . import service

        return getattr(service, name)


__all__ = ["PublisherService", "PublisherServicePages", "PublisherServiceStreams"]
