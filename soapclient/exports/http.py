"""One GET whose body is read as it arrives, unchanged, inside a deadline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Final, Protocol

from soapclient.clock import Deadline
from soapclient.exports.address import HeadersFor, QueryFor
from soapclient.transport import http

OPERATION: Final = "download"


class Reply(Protocol):
    """An answer whose body is still on the wire; the names of `headers` are case-insensitive."""

    @property
    def status(self) -> int: ...
    @property
    def headers(self) -> Mapping[str, str]: ...
    def chunks(self) -> Iterator[bytes]: ...
    def close(self) -> None: ...


class Getter(Protocol):
    """What downloads need of HTTP."""

    def get(
        self,
        url: str,
        headers_for: HeadersFor,
        deadline: Deadline,
        *,
        headers: Mapping[str, str],
        query_for: QueryFor | None = None,
    ) -> Reply:
        """GET `url`, without following redirects; `headers_for` is asked with the address as it is sent.

        So is `query_for`, whose answer is appended to it. `headers` go with it wherever it is sent.
        """


class HttpGetter(AbstractContextManager["HttpGetter"]):
    """A session of its own for one download. Close it; `with` does.

    `connect_timeout` and `stall_timeout` (the longest silence) are in seconds.
    """

    def __init__(self, *, user_agent: str, connect_timeout: float, stall_timeout: float) -> None:
        self._session = http.open_session(user_agent)
        self._connect_timeout = connect_timeout
        self._stall_timeout = stall_timeout

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._session.close()

    def get(
        self,
        url: str,
        headers_for: HeadersFor,
        deadline: Deadline,
        *,
        headers: Mapping[str, str],
        query_for: QueryFor | None = None,
    ) -> http.Reply:
        """GET `url`. Raises Timeout or ConnectionFailed."""
        return http.send(
            self._session,
            "GET",
            url,
            # The file is gzip itself: it must arrive as it lies there, not packed once more.
            headers={"Accept": "application/gzip, */*;q=0.1", "Accept-Encoding": "identity", **headers},
            limits=http.Limits(
                operation=OPERATION,
                deadline=deadline,
                connect_timeout=self._connect_timeout,
                stall=self._stall_timeout,
            ),
            signed=headers_for,
            appended=query_for,
            decode=False,
        )
