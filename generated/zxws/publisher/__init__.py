# Made by `bindgen generate publisher`. Do not edit: change the contract, run it again.
# contract: https://publisher.invalid/wsdl/2011-03-01
# its sha256: 2c637d43dec3eb4cae38bb97e9d452d7a0db3d6a230481ffd340d2b1a61e3da1
# sha256 of the additional schema: feb5b9b3c9bf6622c6fba923cec52cbd907fb7134c8e07640035c7242d9e8081
# sha256 of its settings in contracts.toml: 8532ac43c48089072cd100fb344645f0694ff8915740121122b70408f71fc8d3
"""Python bindings for publisher 2011-03-01."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .service import PublisherService as PublisherService
    from .service import PublisherServiceAsync as PublisherServiceAsync
    from .service import PublisherServiceAsyncPages as PublisherServiceAsyncPages
    from .service import PublisherServiceAsyncStreams as PublisherServiceAsyncStreams
    from .service import PublisherServicePages as PublisherServicePages
    from .service import PublisherServiceStreams as PublisherServiceStreams
else:

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from . import service

        return getattr(service, name)


__all__ = [
    "PublisherService",
    "PublisherServiceAsync",
    "PublisherServiceAsyncPages",
    "PublisherServiceAsyncStreams",
    "PublisherServicePages",
    "PublisherServiceStreams",
]
